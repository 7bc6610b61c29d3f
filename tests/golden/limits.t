#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# limits: in every phase, from reading a file to rechecking a proof, each limit and signal ends the run with `unknown`,
# the reason and exit code 3, and with --json in one whole object. Times are looked at loosely: the machine may be busy.
# A quick run asks each phase for two of the ways to end it, a long one for all.
use strict;
use warnings;
use JSON::PP;
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $limit = 0.4;    # seconds
my $patience = 60;  # until a run counts as one that hangs

sub write_file { my ($name, @text) = @_; open my $out, '>', "$tmp/$name" or die; print $out @text; close $out; return "$tmp/$name" }

# ---- one model a phase, none of which is done within a second

my $many = 90000;    # below the most statements there may be
my $guard = join ' & ', map { 'x<' . (3 + $_ % 5) } 1 .. 16;
my $reading = write_file('reading.pv', "system S {\n  var x: 0..9 = 0\n",
    (map { "  action a$_ when $guard { x := x + 1 }\n" } 1 .. $many), "  invariant i: x < 10\n}\n");
my $body = write_file('body.m', "var x : 0..9;\nstartstate x := 0; end;\nrule \"r\" true ==>\n",
    "if x < 5 then x := (x + 1) % 10; else x := x; end;\n" x 200000, "end;\ninvariant \"i\" x < 10;\n");
my $initial = write_file('initial.pv', "system S { var a: -1073741823..1073741823 = any invariant i: true }\n");
my $xml = write_file('reading.xml', "<?xml version='1.0' encoding='utf-8'?><nta><declaration>clock x;</declaration>",
    '<template><name>P</name>', (map { "<location id='l$_'><label kind='invariant'>x &lt;= $_</label></location>" } 1 .. 300000),
    "<init ref='l1'/>", (map { my $n = $_ + 1; "<transition><source ref='l$_'/><target ref='l$n'/></transition>" } 1 .. 299999),
    '</template><system>system P;</system></nta>');
my $history = write_file('long.hist', (map { "open($_) read($_,x$_,0) write($_,y,$_)\n" } 1 .. 12), map { "commit($_)\n" } 1 .. 12);

my %phase = (
    'reading .pv' => [check => $reading],
    'reading a body of .m' => [check => $body],
    'reading .xml' => [check => $xml, '--query', 'A[] x >= 0'],
    'initial states' => [check => $initial],
    'exploring' => [check => 'models/tm/tl2.pv', '--size', 'Thread=4,Loc=3'],
    'exploring on one thread' => [check => 'models/murphi/german.m', '--define', 'CLIENTS=9', '-t', 1, '--symmetry', 'off'],
    'zones' => [check => 'models/timed/train_gate.xta', '--define', 'N=9', '--symmetry', 'off'],
    'premises' => [check => 'models/tm/tl2.pv', '--structural', '--size', 'Thread=3,Loc=3'],
    'proving' => [prove => 'models/tm/tl2.pv', '--property', 'opaque', '--all-candidates'],
    'proving with samples' => [prove => 'models/pyv/consensus.pyv'],
    'proving by abstraction' => [prove => 'models/murphi/flash.m'],
    'minimising' => [minimize => 'models/specs/opacity.pv', '--size', 'Thread=3,Loc=3'],
    'comparing' => [compare => 'models/specs/opacity.pv', 'models/specs/strict_serializability.pv', '--size', 'Thread=3,Loc=3'],
    'a graph' => [show => 'models/murphi/german.m', '--define', 'CLIENTS=8', '--dot', '--limit-states', '100M'],
    'walking' => [simulate => 'models/tm/tl2.pv', '--size', 'Thread=2,Loc=2'],
);

# ---- ways to end it

my %way = (
    time => [['--limit-time', $limit], undef, qr/time limit of 0\.40 s/],
    cpu => [['--limit-cpu', $limit], undef, qr/limit of 0\.40 s of processor time/],
    TERM => [[], 'TERM', qr/interrupted/],
    INT => [[], 'INT', qr/interrupted/],
    XCPU => [[], 'XCPU', qr/processor time/],
);

# Runs it; returns output, exit code, seconds.
sub run {
    my ($signal, @command) = @_;
    my $started = time;
    pipe my $in, my $feed or die;
    my $child = fork // die "fork: $!\n";
    if (!$child) {
        close $feed;
        open STDIN, '<&', $in;
        open STDOUT, '>', "$tmp/out";
        open STDERR, '>', "$tmp/err";
        exec $parvis, @command or POSIX::_exit(99);
    }
    close $in;
    syswrite $feed, "random 1000000 1\n";
    # Not before it has begun, however busy the machine is.
    my $begun = sub {
        open my $stat, '<', "/proc/$child/stat" or return 0;
        my @ticks = split ' ', <$stat> // '';
        return time - $started > $limit && ($ticks[13] // 0) + ($ticks[14] // 0) >= 10;
    };
    my $sent = !$signal;
    my $done;
    while (!($done = waitpid($child, WNOHANG)) && time - $started < $patience) {
        if (!$sent && $begun->()) {
            kill $signal, $child;
            $sent = 1;
        }
        sleep 0.02;
    }
    kill 'KILL', $child if !$done;
    waitpid $child, 0 if !$done;
    my $status = $?;
    open my $out, '<', "$tmp/out" or die;
    local $/;
    return (scalar <$out>, $done ? $status & 127 ? 128 + ($status & 127) : $status >> 8 : 'none: it hangs', time - $started);
}

my ($runs, $wrong, $turn) = (0, 0, 0);
my @ways = sort keys %way;
for my $name (sort keys %phase) {
    my @chosen = $ENV{PARVIS_LONG} ? @ways : ($ways[$turn % @ways], $ways[($turn + 2) % @ways]);
    $turn++;
    for my $how (@chosen) {
        my ($options, $signal, $reason) = @{ $way{$how} };
        my @json = $phase{$name}[0] eq 'simulate' ? () : '--json';
        my ($out, $code, $seconds) = run($signal, @{ $phase{$name} }, @$options, @json);
        my $whole = !@json || eval { decode_json($out) };
        my $ok = $code eq '3' && $out =~ $reason && $whole;
        ok($ok, sprintf "%s: %s (%.1f s)", $name, $how, $seconds) or diag("exit $code\n", substr($out, -600));
        $runs++;
        $wrong++ if !$ok;
    }
}

# ---- memory, where much of it is taken
for my $name ('initial states', 'exploring on one thread', 'reading .pv') {
    my ($out, $code) = run(undef, @{ $phase{$name} }, '--limit-memory', '20M', '--json');
    my $ok = $code eq '3' && $out =~ /limit of 20/ && eval { decode_json($out) };
    ok($ok, "$name: memory") or diag("exit $code\n", substr($out, -600));
    $runs++;
    $wrong++ if !$ok;
}

# ---- outputs on a full disk
my @bug = (check => 'models/murphi/german_bug.m');
my $old = write_file('trace.json', 'old');
my $said = `bash -c 'trap "" XFSZ; ulimit -f 1; exec "\$@"' sh $parvis @bug --trace $old 2>&1`;
is($? >> 8, 2, 'a file that may not grow is told');
like($said, qr/cannot write '.*trace.json': File too large/, 'with its name and why');
is(`cat $old`, 'old', 'the old file is as it was');
$said = `$parvis @bug --trace /dev/full 2>&1`;
like($said, qr/cannot write '\/dev\/full': No space left/, 'a full disk is told');
is(scalar(() = glob("$tmp/trace.json*")), 1, 'nothing is left beside it');

# ---- one answer: the time is over after the verdict, while its files are written (the reader comes late)
system('mkfifo', "$tmp/late") == 0 or die "mkfifo: $!\n";
for my $case ([1, @bug, '--trace'], [0, qw(prove models/tm/dstm.pv --property opaque --certificate)],
    [1, qw(check models/timed/fischer.xta --query), 'A[] not P(1).critical', '--trace']) {
    my ($expected, @args) = @$case;
    my $reader = fork // die "fork: $!\n";
    if (!$reader) { exec 'sh', '-c', 'sleep 1.8; exec cat "$0" > /dev/null', "$tmp/late" or POSIX::_exit(99) }
    my ($out, $code) = run(undef, @args, "$tmp/late", '-q', '--limit-time', '1');
    kill 'TERM', $reader;
    waitpid $reader, 0;
    ok($code eq $expected && $out =~ /violated|holds/ && $out !~ /unknown: stopped/, "$args[0]: the verdict is the only answer")
        or diag("exit $code\n$out");
    $runs++;
}

print "# tally: runs ended by limits and signals | $runs cases | $wrong wrong\n";
done_testing();
