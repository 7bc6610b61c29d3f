#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# json: with --json every command prints one object and nothing else, its members are those of doc/json.md, and its exit
# code is the verdict's. Ctrl-C ends a run with what is known.
use strict;
use warnings;
no warnings 'qw';            # sizes have commas
use JSON::PP;
use lib 'tests';
use Schema qw(decode_answer schema_problems);
use Test::More;

my $parvis = $ENV{PARVIS};
my $tmp = $ENV{PARVIS_TMP};
open my $page, '<', 'doc/json.md' or die "doc/json.md: $!\n";
my %documented = map { $_ => 1 } map { /`([a-z_]+)`/g } <$page>;

# Every key of the object is on the page; keys of states and sizes are the user's own names.
my %free = map { $_ => 1 } qw(initial state sizes sizes_from);
sub undocumented {
    my ($node) = @_;
    return map { undocumented($_) } @$node if ref $node eq 'ARRAY';
    return () unless ref $node eq 'HASH';
    return map { (($documented{$_} ? () : $_), $free{$_} ? () : undocumented($node->{$_})) } sort keys %$node;
}

sub run {
    my ($name, $expected_exit, @args) = @_;
    open my $out, '-|', 'sh', '-c', 'exec "$0" "$@" 2> "$PARVIS_TMP/err" < /dev/null', $parvis, @args, '--json' or die $!;
    my $text = do { local $/; <$out> };
    close $out;
    is($? >> 8, $expected_exit, "$name: exit code $expected_exit");
    my $object = eval { decode_answer($text) };
    ok($object, "$name: one JSON object") or diag($text);
    is(-s "$tmp/err", 0, "$name: nothing on standard error");
    is(join("\n", schema_problems($object)), '', "$name: as the schema says");
    my @unknown = undocumented($object);
    is("@unknown", '', "$name: every member is documented");
    return $object;
}

my @members = qw(verdict scope states transitions depth seconds memory_bytes trace reason properties);

my $o = run('holds', 0, 'check', 'models/tm/tpl.pv', '--size', 'Thread=2,Loc=2');
is_deeply([grep { !exists $o->{$_} } @members], [], 'check has all its members');
is($o->{verdict}, 'holds', 'verdict holds');
is($o->{scope}, 'Thread=2, Loc=2', 'scope');
is_deeply($o->{sizes}, { Thread => 2, Loc => 2 }, 'sizes');
is($o->{trace}, undef, 'no trace');
is($o->{reason}, undef, 'no reason');
my ($ss) = grep { $_->{name} eq 'strictly_serializable' } @{ $o->{properties} };
is($ss->{verdict}, 'holds', 'a property holds');

$o = run('count', 0, qw(check models/tm/tpl.pv --size Thread=2,Loc=2 --symmetry off -p strictly_serializable));
is($o->{states}, 64, 'TPL x SS has 64 states at <2,2>, as printed in the paper');
is($o->{symmetry}, JSON::PP::false, 'without symmetry');

$o = run('violated', 1, qw(check models/tm/occ.pv --size Thread=2,Loc=1 --full-states));
is($o->{verdict}, 'violated', 'verdict violated');
my $t = $o->{trace};
# The two shortest words, up to renaming: the paper's is the first.
my %shortest = ('w1_1 r1_2 c_1 r1_2' => 0, 'r1_1 w1_2 c_2 r1_1' => 1);
ok(exists $shortest{ $t->{word} }, 'a shortest word') or diag($t->{word});
my $w = $shortest{ $t->{word} } // 0;            # which step is the write, and so which thread writes
my $cell = 'ws(' . ($w + 1) . ',1)';
is($t->{length}, 4, 'its length');
is(scalar @{ $t->{steps} }, 4, 'its steps');
is($t->{property}, 'opaque', 'its property');
is_deeply($t->{steps}[$w]{args}, [$w + 1, 1], 'arguments are numbers');
is($t->{steps}[$w]{label}, 'w1_' . ($w + 1), 'a label');
is($t->{steps}[$w]{rule}, 'write', 'a rule');
ok($t->{steps}[3]{refused} && !$t->{steps}[2]{refused}, 'the last step is refused');
is($t->{initial}{$cell}, JSON::PP::false, 'cells of the initial state');
is($t->{steps}[$w]{state}{$cell}, JSON::PP::true, 'cells of later states');
my ($change) = grep { $_->{cell} eq $cell } @{ $t->{steps}[$w]{changes} };
is_deeply($change, { cell => $cell, from => JSON::PP::false, to => JSON::PP::true }, 'a change');
my ($ok) = grep { $_->{name} eq 'strictly_serializable' } @{ $o->{properties} };
is($ok->{verdict}, 'holds', 'beside a property that holds');

$o = run('unknown', 3, qw(check models/tm/tl2.pv --limit-states 100 -p opaque));
is($o->{verdict}, 'unknown', 'verdict unknown');
like($o->{reason}, qr/limit of 100 states/, 'with the reason');
cmp_ok($o->{states}, '>=', 100, 'and what was covered');

$o = run('range', 1, qw(check models/tm/occ.pv -p opaque --size), 'Thread=1..2,Loc=1');
is($o->{scope}, 'Thread=1..2, Loc=1', 'scope of a range');
is_deeply([map { $_->{verdict} } @{ $o->{runs} }], [qw(holds violated)], 'an entry for each size');
is($o->{properties}[0]{scope}, 'Thread=2, Loc=1', 'the size that decides');

for my $case (['usage', 'check', 'x.pv', '--sise', '3'], ['no file', 'check', 'no_such.pv'], ['command', 'chekc', 'x']) {
    my ($name, @args) = @$case;
    $o = run($name, 2, @args);
    ok(!exists $o->{verdict}, "$name: no verdict");
    ok($o->{errors}[0]{message}, "$name: a message");
}
for my $case (['trace', 'violated', qw(check models/murphi/german_bug.m --trace)],
    ['certificate of check', 'holds', qw(check models/tm/occ.pv --size Thread=1,Loc=1 --certificate)],
    ['certificate of compare', 'holds', qw(compare models/tm-algorithms/dstm.pv models/specs/sigma_op.pv --size Thread=1,Loc=1 --certificate)],
    ['certificate of prove', 'holds', qw(prove models/tm/dstm.pv --property opaque --certificate)],
    ['trace of a timed model', 'violated', qw(check models/timed/fischer.xta --query), 'A[] not P(1).critical', '--trace'],
    ['certificate of a timed model', 'holds', qw(check models/timed/fischer.xta --query), 'A[] not deadlock', '--certificate'],
    ['picture', 'violated', qw(check models/timed/fischer.xta --query), 'A[] not P(1).critical', '--picture']) {
    my ($name, $verdict, @args) = @$case;
    $o = run("unwritten $name", 2, @args, "$tmp/no/such/folder/file.svg");
    is($o->{verdict}, $verdict, "unwritten $name: the verdict stands");
    like($o->{errors}[0]{message}, qr/cannot write '.*No such file/, "unwritten $name: and says what is missing");
}
open my $bad, '>', "$tmp/bad.pv" or die $!;
print $bad "system S {\n  action go when bsy\n}\n";
close $bad;
$o = run('bad model', 2, 'check', "$tmp/bad.pv");
is_deeply([@{ $o->{errors}[0] }{qw(line column)}], [2, 18], 'bad model: line and column');

run('trace file', 1, qw(check models/tm/occ.pv -p opaque --trace), "$tmp/bug.json");
$o = run('replay', 0, qw(simulate models/tm/occ.pv --replay), "$tmp/bug.json");
ok($o->{replayed}, 'replayed');
$o = run('replay with another model', 2, qw(simulate models/tm/tpl.pv --replay), "$tmp/bug.json");
ok(!$o->{replayed}, 'not replayed');
$o = run('walk', 0, qw(simulate models/tm/seq.pv));
is(ref $o->{enabled}, 'ARRAY', 'what is enabled');
$o = run('show', 0, qw(show models/tm/seq.pv));
like($o->{text}, qr/^system Seq/m, 'text of the model');
$o = run('dot', 0, qw(show models/tm/tpl.pv --dot --size Thread=1,Loc=1));
is($o->{states}, 4, 'TPL at <1,1> has 4 states');
$o = run('cut graph', 3, qw(show models/tm/tpl.pv --dot --limit-states 2));
is($o->{complete}, JSON::PP::false, 'a cut graph says so');
$o = run('minimize', 0, qw(minimize models/specs/strict_serializability.pv --size Thread=2,Loc=2));
is($o->{minimal_states}, 512, 'the minimal automaton of strict serializability at <2,2>');
$o = run('minimize range', 0, qw(minimize models/specs/opacity.pv --size), 'Thread=2,Loc=1..2');
is_deeply([map { $_->{minimal_states} } @{ $o->{runs} }], [32, 576], 'minimal automata of opacity');
$o = run('minimize limit', 3, qw(minimize models/specs/opacity.pv --limit-states 5));
is($o->{verdict}, 'unknown', 'a limit leaves no automaton');
run('help', 0, 'help');
run('help check', 0, 'help', 'check');
run('check --help', 0, 'check', '--help');
run('version', 0, 'version');

# Is the signal caught yet? Then the handler is there.
sub catches {
    my ($pid, $number) = @_;
    open my $status, '<', "/proc/$pid/status" or return 0;
    my ($mask) = map { /^SigCgt:\s*([0-9a-f]+)/ } <$status>;
    return $mask && (hex(substr $mask, -8) >> ($number - 1)) & 1;
}

SKIP: {
    skip 'no /proc', 6 unless -r "/proc/$$/status";
    for my $signal ([INT => 2], [TERM => 15]) {
        my ($name, $number) = @$signal;
        my $pid = open my $out, '-|', $parvis, qw(check models/tm/tl2.pv -p opaque --size Thread=4,Loc=4 --json --limit-time 5m);
        select undef, undef, undef, 0.01 until catches($pid, $number);
        kill $name, $pid;
        my $text = do { local $/; <$out> };
        close $out;
        is($? >> 8, 3, "SIG$name: exit code 3");
        my $answer = decode_answer($text);
        is($answer->{verdict}, 'unknown', "SIG$name: unknown");
        like($answer->{reason}, qr/interrupted/, "SIG$name: the reason");
    }
}
done_testing;
