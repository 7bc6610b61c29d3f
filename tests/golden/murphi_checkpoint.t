#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# murphi_checkpoint: a search that was killed, or met a limit, goes on from its checkpoint to the answer that an
# undisturbed one gives; a checkpoint of anything else is refused and left as it is. Hash compaction; limits.
use strict;
use warnings;
use POSIX qw(WNOHANG);
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;
use Time::HiRes qw(sleep);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $german = 'models/murphi/german.m';
my $file = "$tmp/point";

sub check {
    my (@options) = @_;
    open my $from, '-|', $parvis, 'check', @options, '--json' or die "$parvis: $!\n";
    my $text = do { local $/; <$from> };
    close $from;
    return (eval { decode_answer($text) } // {}, $? >> 8);
}

# What does not depend on how often a search was cut.
sub essence {
    my ($o) = @_;
    my %keep = map { $_ => $o->{$_} } qw(verdict states transitions depth);
    $keep{properties} = [map { [$_->{name}, $_->{verdict}, $_->{trace}] } @{ $o->{properties} }];
    return \%keep;
}

# Starts a search and kills it as soon as there is a checkpoint; false if it was done before.
sub killed_after_checkpoint {
    my (@options) = @_;
    my $before = (stat $file)[9] ? (stat $file)[1] : 0;
    my $child = fork // die "fork: $!\n";
    if (!$child) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        exec $parvis, 'check', @options, '--checkpoint', $file;
    }
    for (1 .. 4000) {
        return 0 if waitpid($child, WNOHANG) == $child;
        last if -e $file && (stat $file)[1] != $before;    # another inode: a new one was put in its place
        sleep 0.005;
    }
    kill 'KILL', $child;
    waitpid $child, 0;
    return -e $file;
}

# ---- killed

for my $how ([], ['--compact'], $ENV{PARVIS_LONG} ? ['--symmetry', 'heuristic'] : ()) {
    my @options = ($german, '--define', 'CLIENTS=6', '--engine', 'bytecode', '--threads', 1, @$how);
    my $name = join ' ', 'killed', @$how;
    my ($whole) = check(@options, '--checkpoint', "$tmp/whole.point");    # without a file, hashes may give way to states
    my $kills = 0;
    while ($kills < 2 && killed_after_checkpoint(@options)) { $kills++ }
    SKIP: {
        skip "$name: done before the first checkpoint", 2 if !$kills;
        my ($o) = check(@options, '--threads', 2, '--checkpoint', $file);
        is_deeply(essence($o), essence($whole), "$name $kills times: the answer is that of one run");
        ok(!-e $file, "$name: no checkpoint is left");
    }
}

# ---- limits

my ($bug) = check('models/murphi/german_bug.m');
my ($o, $code) = check('models/murphi/german_bug.m', '--limit-states', 300, '--checkpoint', $file);
is($code, 3, 'a limit leaves it open');
ok(-e $file, 'and a checkpoint behind');
($o) = check('models/murphi/german_bug.m', '--checkpoint', $file);
is_deeply(essence($o), essence($bug), 'the same shortest trace after going on');
ok(!-e $file, 'an answer removes the checkpoint');

check($german, '--define', 'CLIENTS=4', '--limit-states', 5000, '--checkpoint', $file);
my $text = `cat $file`;
for my $other (['--define', 'CLIENTS=3'], ['--define', 'CLIENTS=4', '--compact'], ['--define', 'CLIENTS=4', '--symmetry', 'off'],
    ['--define', 'CLIENTS=4', '--deadlock', 'none'], ['--define', 'CLIENTS=4', '--property', 'data']) {
    my $said = `$parvis check $german @$other --checkpoint $file 2>&1`;
    is($? >> 8, 2, "@$other: refused");
    like($said, qr/belongs to another model, other sizes or other options/, "@$other: says why");
}
is(`cat $file`, $text, 'a refused file is left as it was');
my $sizes = `$parvis check models/tm/tl2.pv --size Thread=1..2 --checkpoint $file.x 2>&1`;
like($sizes, qr/--checkpoint is for one exploration/, 'not for several sizes');

for my $option ('--compact', "--checkpoint $file.x") {
    my $said = `$parvis check models/timed/bridge.xta $option 2>&1`;
    is($? >> 8, 2, "$option: not for timed models");
    like($said, qr/error: --\w+ is for models without clocks.*note: --limit-/s, 'and there is a hint');
}

for my $option ('--compact', "--checkpoint $file.x") {
    my $name = $option =~ s/ .*//r;
    like(`$parvis check models/tm/tl2.pv --structural $option 2>&1`, qr/error: $name means nothing with --structural/, "$name: --structural");
    like(`$parvis check models/interchange/swapped.hist --spec lazy_invalidation $option 2>&1`, qr/error: $name is for models, and this is a history/, "$name: histories");
    like(`$parvis check models/tm-algorithms/2pl.pv --property obstruction_free $option 2>&1`,
        qr/warning: $name is not used for 'obstruction_free', which needs the whole graph/, "$name: liveness");
}

# ---- with a certificate: that of a search in two parts is as good

check($german, '--define', 'CLIENTS=3', '--limit-states', 2000, '--checkpoint', "$file.c");
check($german, '--define', 'CLIENTS=3', '--checkpoint', "$file.c", '--certificate', "$tmp/cert");
like(`$parvis recheck $tmp/cert 2>&1`, qr/confirmed/, 'the certificate of a search that went on is confirmed');

sub refused {
    my ($bytes, $what, $name) = @_;
    open my $out, '>', $file or die;
    print $out $bytes;
    close $out;
    my $said = `$parvis check $german --define CLIENTS=4 --checkpoint $file 2>&1`;
    is($? >> 8, 2, "$name: refused");
    like($said, $what, "$name: says why");
}
refused(substr($text, 0, length($text) / 2), qr/is damaged/, 'half a file');
my $flipped = $text;
substr($flipped, length($text) / 3, 1) ^= "\x10";
refused($flipped, qr/is damaged/, 'a flipped bit');
refused("my thesis\n", qr/is not a checkpoint/, 'some other file');
like(`$parvis check $german --checkpoint /nowhere/at/all 2>&1`, qr/cannot be written: No such file/, 'no such folder');

# ---- hash compaction

my @directory = ('models/murphi/directory.m', '--define', 'PROCS=4');    # some 100 of 402 bits vary
($o, $code) = check(@directory, '--compact');
my ($exact) = check(@directory);
is($code, 3, 'a complete compact search is not a proof');
is($o->{states}, $exact->{states}, 'the same states');
my $n = $o->{states};
ok(abs($o->{omission_probability} / ($n * ($n - 1) / 2 / 2**64) - 1) < 1e-6, 'the probability of pairs of equal hashes');
is_deeply([grep { $_->{verdict} ne 'unknown' || $_->{reason} !~ /hash compaction missed one with probability|needs whole states/ }
        @{ $o->{properties} }], [], 'no verdict says that anything holds');
open my $wide, '>', "$tmp/wide.m" or die;    # some 200 bits of a state vary
print $wide "type digit : 0..29; place : 1..16;\nvar a, b, c : digit; x : array [place] of 0..65534;\n",
    "startstate a := 0; b := 0; c := 0; for i : place do x[i] := 0; end; end;\n",
    map { "rule $_ < 29 ==> $_ := $_ + 1; for i : place do x[i] := ((a * 31 + b) * 31 + c) * i * 401 % 65535; end; end;\n" } qw(a b c);
close $wide;
my ($small, $large) = map { (check("$tmp/wide.m", '--threads', 1, '--deadlock', 'none', @$_))[0] } ['--compact'], [];
is_deeply([$small->{states}, $large->{states}], [30**3, 30**3], 'all states of wide ones');
cmp_ok($small->{memory_bytes}, '<', 0.7 * $large->{memory_bytes}, 'less memory where more bits vary than a hash has');
($small, $large) = map { (check('models/murphi/peterson.m', @$_))[0] } ['--compact'], [];
cmp_ok($small->{memory_bytes}, '<=', $large->{memory_bytes}, 'no more memory where a state has no more bits than a hash');
is($small->{verdict}, $large->{verdict}, 'and then the answer of a search that keeps states');
open my $padded, '>', "$tmp/padded.pv" or die;    # 117 bits, of which 17 vary
print $padded "sort Pad\nsort Bit\nsystem S {\n  var pad(Pad): 0..1000000 = 7\n  rel on(Bit)\n",
    "  action flip(b: Bit) { on(b) := !on(b) }\n  invariant fine: true\n}\n";
close $padded;
for my $threads (1, 2) {
    my @padded = ("$tmp/padded.pv", '--size', 'Pad=5,Bit=17', '--symmetry', 'off', '--threads', $threads);
    ($small, $large) = map { (check(@padded, @$_))[0] } ['--compact'], [];
    is_deeply([@$small{qw(states verdict)}], [2**17, 'holds'], 'where few bits vary, states are kept');
    cmp_ok($small->{memory_bytes}, '<=', 1.01 * $large->{memory_bytes}, 'and take no more memory');
}
# Few states, many; few bits that vary, many; two levels that have most states: never more memory, with one thread.
open my $flat, '>', "$tmp/flat.m" or die;    # depth 3
print $flat "type digit : 0..31; place : 1..16;\nvar x : array [place] of 0..65534; d : 0..3;\nstartstate d := 0; for i : place do x[i] := 0; end; end;\n",
    "ruleset k : digit do rule d < 3 ==> d := d + 1; for i : place do x[i] := (x[i] * 37 + k * i * 401 + 1) % 65535; end; end; end;\n";
close $flat;
for my $of (['models/murphi/flash_bug.m'], ['models/murphi/german_bug.m'], ['models/murphi/directory_late_bug.m'], ['models/murphi/flash.m'],
    ['models/sets/lock_free_buggy.m'], ['models/sets/lazy.m'], ['models/sets/lock_free.m'], ['models/murphi/german.m', '--define', 'CLIENTS=5'], \@directory,
    ["$tmp/flat.m", '--deadlock', 'none']) {
    ($small, $large) = map { (check(@$of, '--threads', 1, @$_))[0] } ['--compact'], [];
    is($small->{states}, $large->{states}, "@$of: the same states");
    cmp_ok($small->{memory_bytes}, '<=', $large->{memory_bytes}, 'no more memory with --compact');
}
($small, $large) = map { (check("$tmp/wide.m", '--threads', 1, '--deadlock', 'none', '--limit-memory', '400K', @$_))[0] } ['--compact'], [];
cmp_ok($small->{states}, '>', 1.2 * $large->{states}, 'where memory is full before states are many, hashes go further');
for my $options ([], ['--symmetry', 'off'], ['--symmetry', 'heuristic'], ['--threads', 1]) {
    my ($compact) = check('models/murphi/german_bug.m', @$options, '--compact');
    my ($plain) = check('models/murphi/german_bug.m', @$options);
    is_deeply(essence($compact), essence($plain), "a violation is one, with its trace: @$options");
}
($o) = check(@directory, '--compact');
my ($live) = grep { $_->{name} =~ /can always become free/ } @{ $o->{properties} };
like($live->{reason}, qr/needs whole states/, 'liveness needs whole states');

# ---- memory

for my $threads (1, 2) {
    my ($five) = check($german, '--define', 'CLIENTS=5', '--threads', $threads);
    cmp_ok($five->{state_bits}, '<=', 120, 'states of at most 120 bits');
    cmp_ok($five->{memory_bytes} / $five->{states}, '<=', 20, "at most 20 bytes per state, candidates included, $threads threads");
}
for my $how ([], ['--compact'], ['--engine', 'native'], ['--symmetry', 'off']) {
    ($o, $code) = check($german, '--define', 'CLIENTS=8', '--limit-memory', '5M', @$how);
    is($code, 3, "--limit-memory @$how: unknown");
    like($o->{properties}[0]{reason}, qr/stopped at the limit of 5 MB|stopped at the limit of 5\.0 MB/, "@$how: says why");
    cmp_ok($o->{memory_bytes}, '<=', 5 << 20, "@$how: the limit is kept");
}

done_testing();
