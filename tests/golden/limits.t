#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# limits: in every phase, from reading a file to rechecking a proof, each limit and signal ends the run with `unknown`,
# the reason and exit code 3, and with --json in one whole object. `--limit-time` is kept within 10 % and 0.1 s, as the
# user's clock shows it, and `--limit-cpu` likewise, as the system counts processor time. The machine may be busy: what
# the run waited for a processor is no fault of its own (/proc/PID/schedstat tells), and the best of several runs counts.
#
# A quick run asks each phase for the limit of time and for one of the other ways to end it, a long one for all.
use strict;
use warnings;
use POSIX ();
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;
use Time::HiRes qw(sleep time);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $is_asan = $parvis =~ m{/asan/};
my $longest = $ENV{PARVIS_LONG} || $is_asan ? 0.5 : 0.3;    # seconds
my $limit = $longest;    # less for what a fast machine has done before
my $shortest = 0.05;
sub late { return $is_asan ? 2 * $limit + 1 : 1.1 * $limit + 0.1 }
my $tries = 8;
my $patience = 60;                             # until a run counts as one that hangs

sub write_file { my ($name, @text) = @_; open my $out, '>', "$tmp/$name" or die; print $out @text; close $out; return "$tmp/$name" }

# ---- one run a phase, none of which is done within a second

my $many = 90000;    # below the most statements there may be
my $guard = join ' & ', map { 'x<' . (3 + $_ % 5) } 1 .. 16;
my $reading = write_file('reading.pv', "system S {\n  var x: 0..9 = 0\n",
    (map { "  action a$_ when $guard { x := x + 1 }\n" } 1 .. $many), "  invariant i: x < 10\n}\n");
my $types = write_file('types.pv', 'enum E { ', join(', ', map { "l$_" } 1 .. 60000), " }\nsystem S {\n  var x: E = l1\n",
    (map { "  action a$_ when x = l$_ { x := l1 }\n" } 1 .. 60000), "  invariant i: true\n}\n");
my $body = write_file('body.m', "var x : 0..9;\nstartstate x := 0; end;\nrule \"r\" true ==>\n",
    "if x < 5 then x := (x + 1) % 10; else x := x; end;\n" x 200000, "end;\ninvariant \"i\" x < 10;\n");
my $loop = write_file('loop.m', "type s: scalarset(5); var x: array[s] of 0..9;\nstartstate for i: s do x[i] := 0; end; end;\n",
    "rule \"r\" true ==> for i: s do\n", "if x[i] < 5 then x[i] := (x[i] + 1) % 10; else x[i] := x[i]; end;\n" x 100000,
    "end; end;\ninvariant \"i\" forall i: s do x[i] < 10 end;\n");
my $initial = write_file('initial.pv', "system S { var a: -1073741823..1073741823 = any invariant i: true }\n");
my $xta = write_file('reading.xta', 'clock x; process P() { state ', join(', ', map { "L$_ { x <= $_ }" } 0 .. 60000),
    '; init L0; trans ', join(', ', map { my $n = $_ + 1; "L$_ -> L$n { guard x >= 1; }" } 0 .. 59999), "; } system P;\n");
my $xml = write_file('reading.xml', "<?xml version='1.0' encoding='utf-8'?><nta><declaration>clock x;</declaration>",
    '<template><name>P</name>', (map { "<location id='l$_'><label kind='invariant'>x &lt;= $_</label></location>" } 1 .. 300000),
    "<init ref='l1'/>", (map { my $n = $_ + 1; "<transition><source ref='l$_'/><target ref='l$n'/></transition>" } 1 .. 299999),
    '</template><system>system P;</system></nta>');
my $pyv = write_file('reading.pyv', "sort t\nmutable relation p(t)\ninit !p(X)\n",
    (map { "safety [s$_] p(X) | !p(X) | p(Y)\n" } 1 .. 100000));
my $events = write_file('reading.hist', map { "open($_) read($_,x$_,0) write($_,y,$_) commit($_)\n" } 1 .. 400000);
my $object = write_file('reading.json', '{"events": [',
    join(",\n", map { qq({"kind": "open", "client": "$_"}, {"kind": "commit", "client": "$_"}) } 1 .. 700000), ']}');
my $history = write_file('long.hist', (map { "open($_) read($_,x$_,0) write($_,y,$_)\n" } 1 .. 12), map { "commit($_)\n" } 1 .. 12);
my $deep = write_file('deep.ix', "interchange deep\nforbid deep: commit(q) & previously (write(p, x) & previously (read(q, y) & ",
    "previously open(p)))\n");

# Eleven pigeons for ten holes: no clause of it is hard to write, and no solver sees it.
my @pigeon = map { "p$_" } 1 .. 11;
my @hole = map { "h$_" } 1 .. 10;
my $pigeons = write_file('pigeons.pyv', "sort pigeon\nsort hole\nmutable relation sits(pigeon, hole)\nmutable relation bad()\n",
    (map { "immutable constant $_: pigeon\n" } @pigeon), (map { "immutable constant $_: hole\n" } @hole),
    "init !bad()\ninit !sits(X, Y)\ntransition go()\n  modifies bad\n",
    (map { my $p = $_; '  & (' . join(' | ', map { "sits($p, $_)" } @hole) . ")\n" } @pigeon),
    "  & (forall X, Y, Z. sits(X, Z) & sits(Y, Z) -> X = Y)\n",
    (map { my $i = $_; map { "  & $pigeon[$i] != $pigeon[$_]\n" } 0 .. $i - 1 } 1 .. $#pigeon),
    "  & new(bad())\nsafety !bad()\n");
# Whether there was an `a` 24 letters ago: 2^24 sets of states.
my $window = write_file('window.pv', "system S {\n  var n: 0..24 = 0\n  action a when n = 0 { }\n  also action a when n = 0 { n := 1 }\n",
    (map { "  $_ when n > 0 & n < 24 { n := n + 1 }\n" } 'also action a', 'action b'), "  also action b when n = 0 { }\n",
    "  action c when n = 24 { }\n}\n");
# A dense order without an end, of which there is no finite model to find.
my $dense = write_file('dense.pyv', "sort t\nimmutable relation lt(t, t)\naxiom !lt(X, X)\naxiom lt(X, Y) & lt(Y, Z) -> lt(X, Z)\n",
    "axiom forall X. exists Y. lt(X, Y)\naxiom forall X, Y. lt(X, Y) -> (exists Z. lt(X, Z) & lt(Z, Y))\n",
    "mutable relation p(t)\ninit !p(X)\ntransition go(a: t)\n  modifies p\n  & (forall X. new(p(X)) <-> p(X) | X = a)\n",
    "safety exists X. !p(X) & (forall Y. lt(X, Y) -> p(Y))\n");
my $terms = write_file('terms.pyv', "sort t\nmutable relation p(t, t, t)\n", (map { "immutable constant c$_: t\n" } 1 .. 60),
    (map { my $i = $_; map { "axiom c$i != c$_\n" } 1 .. $i - 1 } 2 .. 60), "init !p(X, Y, Z)\ntransition go(a: t, b: t)\n",
    "  modifies p\n  & (forall X, Y, Z. new(p(X, Y, Z)) <-> p(X, Y, Z) | X = a & Y = b | X = b & Y = a)\n",
    "safety p(A, B, C) & p(D, E, F) -> p(B, A, C) & p(E, D, F)\n");

# Certificates to recheck: made once, each takes longer than the limit to confirm.
sub certificate {
    my ($name, @command) = @_;
    system("$parvis @command --certificate $tmp/$name.cert > $tmp/out 2>&1") == 0 or diag("no certificate: @command");
    return "$tmp/$name.cert";
}

# What an engine that is stopped says is more than why; a run that is ended by force (a phase in which there is nothing to
# tell yet) says why alone. '!' in front of a phase: it tells.
my %phase = (
    'reading .pv' => [check => $reading],
    'types' => [check => $types],
    'reading a body of .m' => [check => $body],
    'a loop over a scalarset' => [check => $loop],
    'reading .xta' => [check => $xta, '--query', 'A[] x >= 0'],
    'reading .xml' => [check => $xml, '--query', 'A[] x >= 0'],
    'reading .pyv' => [prove => $pyv],
    'reading a history' => [check => $events],
    'reading a history in JSON' => [check => $object],
    'reading a trace' => [simulate => 'models/murphi/german.m', '--replay', $object],
    'reading a certificate' => [recheck => $object],
    '! a long history' => [check => $history, '--spec', $deep],
    'initial states' => [check => $initial],
    '! symmetry of a timed model' => [check => 'models/pstm/linear_drift.xta', '--define', 'N=30'],
    '! exploring' => [check => 'models/tm/tl2.pv', '--size', 'Thread=4,Loc=3'],
    '! exploring on one thread' => [check => 'models/murphi/german.m', '--define', 'CLIENTS=9', '-t', 1, '--symmetry', 'off'],
    '! zones' => [check => 'models/timed/train_gate.xta', '--define', 'N=9', '--symmetry', 'off'],
    '! timed liveness' => [check => 'models/timed/train_gate.xta', '--define', 'N=8', '--symmetry', 'off', '--query',
        'Train(0).Appr --> Train(0).Cross'],
    '! premises' => [check => 'models/tm/tl2.pv', '--structural', '--size', 'Thread=3,Loc=3'],
    '! proving' => [prove => 'models/tm/tl2.pv', '--property', 'opaque', '--all-candidates'],
    'proving with samples' => [prove => 'models/pyv/consensus.pyv'],
    'proving by abstraction' => [prove => 'models/murphi/flash.m'],
    'an abstract model' => [show => 'models/murphi/flash.m', '--abstract'],
    '! CaDiCaL' => [prove => $pigeons, '--given'],
    '! Z3' => [prove => $dense, '--given'],
    'grounding' => [prove => $terms, '--given'],
    '! determinising' => [minimize => $window],
    '! minimising' => [minimize => 'models/specs/opacity.pv', '--size', 'Thread=3,Loc=3'],
    '! comparing' => [compare => 'models/specs/opacity.pv', 'models/specs/strict_serializability.pv', '--size', 'Thread=3,Loc=3'],
    '! a graph' => [show => 'models/murphi/german.m', '--define', 'CLIENTS=8', '--dot', '--limit-states', '100M'],
    '! a transition system' => [show => 'models/murphi/german.m', '--define', 'CLIENTS=8', '--lts'],
    'walking' => [simulate => 'models/tm/tl2.pv', '--size', 'Thread=2,Loc=2'],
    '! rechecking a closed set' => [recheck => certificate('closed', qw(check models/murphi/german.m --symmetry off -D CLIENTS=3))],
    '! rechecking zones' => [recheck => certificate('zones', qw(check models/timed/train_gate.xta -D N=6))],
    'rechecking ranks' => [recheck => certificate('ranks', qw(check models/tm-algorithms/dstm.pv --property obstruction_free),
        '--size Thread=3,Loc=2')],
    '! rechecking ranks of zones' => [recheck => certificate('ranked', qw(check models/timed/train_gate.xta -D N=7 --query),
        "'Train(0).Appr --> Train(0).Cross'")],
    '! rechecking a comparison' => [recheck => certificate('relation', qw(compare models/specs/opacity.pv
        models/specs/strict_serializability.pv --by inclusion), '--size Thread=2,Loc=3')],
    '! rechecking a proof' => [recheck => certificate('proof', qw(prove models/tm/dstm.pv))],
);

# ---- ways to end it

sub way {
    my ($how) = @_;
    my $shown = sprintf '%.2f s', $limit;
    return @{ {
        time => [['--limit-time', $limit], undef, qr/time limit of \Q$shown/],
        cpu => [['--limit-cpu', $limit], undef, qr/limit of \Q$shown\E of processor time/],
        TERM => [[], 'TERM', qr/interrupted/],
        INT => [[], 'INT', qr/interrupted/],
        XCPU => [[], 'XCPU', qr/processor time/],
        XFSZ => [['--limit-time', 2 * $limit], 'XFSZ', qr/time limit/],    # does no harm
    }->{$how} };
}
my @others = qw(INT TERM XCPU XFSZ cpu);

sub contents { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; return scalar <$in> }
sub child_seconds { my @t = times; return $t[2] + $t[3] }

# Not before it has begun, however busy the machine is.
sub has_begun {
    my ($child, $started) = @_;
    open my $stat, '<', "/proc/$child/stat" or return 0;
    my $ticks = 0;
    $ticks += $_ // 0 for (split ' ', <$stat> // '')[13 .. 16];    # its own and its children's
    return time - $started > $limit && $ticks >= 30 * $limit;
}

# Seconds for which its first thread could have run and had no processor: known until the process is waited for.
sub waited {
    my ($child) = @_;
    open my $stat, '<', "/proc/$child/schedstat" or return 0;
    my @nanoseconds = split ' ', <$stat> // '';
    return ($nanoseconds[1] // 0) / 1e9;
}

# It has ended, and is still there to be asked.
sub is_done {
    my ($child) = @_;
    open my $stat, '<', "/proc/$child/stat" or return 1;
    return (<$stat> // '') =~ /\) Z /;
}

# Runs it; returns output, exit code, seconds without those that it waited for a processor (after the signal, if one is
# sent), seconds of processor time, seconds it waited.
sub run {
    my ($signal, @command) = @_;
    my ($started, $before) = (time, child_seconds());
    pipe my $in, my $feed or die;
    my $child = fork // die "fork: $!\n";
    if (!$child) {
        close $feed;
        open STDIN, '<&', $in;
        open STDOUT, '>', "$tmp/out";
        open STDERR, '>', "$tmp/err";
        $SIG{INT} = 'DEFAULT';    # a shell ignores it for what runs in the background
        exec $parvis, @command or POSIX::_exit(99);
    }
    close $in;
    syswrite $feed, "random 1000000 1\n";
    my ($done, $sent, $waited) = (0, !$signal, 0);
    my $begun = time;
    while (!($done = is_done($child)) && time - $begun < $patience) {
        if (!$sent && has_begun($child, $begun)) {
            kill $signal, $child;
            ($sent, $started, $waited) = (1, time, waited($child));
        }
        sleep 0.005;
    }
    $waited = waited($child) - $waited;
    my $seconds = time - $started - $waited;
    kill 'KILL', $child if !$done;
    waitpid $child, 0;
    my $code = !$done ? 'none: it hangs' : $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return (contents("$tmp/out"), $code, $seconds, child_seconds() - $before, $waited);
}

# Late or not, by the promise: of signals there is none but "soon".
sub is_late {
    my ($how, $seconds, $cpu) = @_;
    return $how eq 'time' ? $seconds > late() : $how eq 'cpu' ? $cpu > late() : $how eq 'XFSZ' ? 0 : $seconds > 1.2;
}

# An object that an engine filled has members of its own; what is written by force stands in one line.
sub tells { my ($out) = @_; return $out =~ /\n./ }

my ($runs, $wrong, $turn) = (0, 0, 0);
my @chosen_phases = grep { !@ARGV || $_ =~ /$ARGV[0]/ } sort keys %phase;
for my $name (@chosen_phases) {
    my @chosen = ('time', $ENV{PARVIS_LONG} ? @others : $others[$turn++ % @others]);
    for my $how (@chosen) {
        $limit = $longest;
        my ($options, $signal, $reason) = way($how);
        my @json = $phase{$name}[0] eq 'simulate' ? () : '--json';
        my ($out, $code, $seconds, $cpu, $waited, $try);
        for ($try = 1; $try <= $tries; $try++) {
            ($out, $code, $seconds, $cpu, $waited) = run($signal, @{ $phase{$name} }, @$options, @json);
            if ($code ne '3' && $limit > $shortest) {    # it was done before
                $limit /= 2;
                ($options, $signal, $reason) = way($how);
                next;
            }
            # On a busy machine an engine may have had no moment to tell.
            # What provers of other makers have used is known when they end.
            my $is_theirs = $how eq 'cpu' && $name =~ /rechecking a proof/;
            last if ($is_theirs || !is_late($how, $seconds, $cpu)) && ($name !~ /^!/ || $is_asan || $waited > 0.03 || tells($out));
        }
        my $whole = !@json || eval { decode_answer($out) };
        my $ok = $code eq '3' && $out =~ $reason && $whole && $try <= $tries;
        ok($ok, sprintf "%s: %s (%.2f s, %.2f of processor time)", $name, $how, $seconds, $cpu)
            or diag("exit $code\n", substr($out, -600), substr(contents("$tmp/err"), 0, 300));
        $runs++;
        $wrong++ if !$ok;
    }
}

# ---- a limit that comes anywhere: ranks are read and judged after the set that they are about
for my $name (grep { /ranks/ } @chosen_phases) {
    my (undef, undef, undef, $whole) = run(undef, @{ $phase{$name} }, '--json');
    for my $tenths ($ENV{PARVIS_LONG} ? 1 .. 9 : (5, 8)) {
        my ($out, $code, $seconds, $cpu, $try);
        $limit = sprintf '%.2f', $whole * $tenths / 10;
        my ($options, $signal, $reason) = way('cpu');
        for ($try = 1; $try <= $tries; $try++) {
            ($out, $code, $seconds, $cpu) = run(undef, @{ $phase{$name} }, @$options, '--json');
            last if !is_late('cpu', $seconds, $cpu);
        }
        my $ok = $try <= $tries && ($code eq '3' ? $out =~ $reason : $code eq '0') && eval { decode_answer($out) };
        ok($ok, sprintf "%s: stopped after %.2f of %.2f CPU seconds", $name, $cpu, $whole) or diag("exit $code\n$out");
        $runs++;
        $wrong++ if !$ok;
    }
}

# ---- memory, where much of it is taken
for my $name ('initial states', '! exploring on one thread', 'reading .pv') {
    my ($out, $code) = run(undef, @{ $phase{$name} }, '--limit-memory', '20M', '--json');
    my $ok = $code eq '3' && $out =~ /limit of 20/ && eval { decode_answer($out) };
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
    my ($out, $code);
    for my $seconds (1, 5) {    # more on a busy machine, where there may be no verdict within one
        my $reader = fork // die "fork: $!\n";
        if (!$reader) { exec 'sh', '-c', 'sleep "$1"; exec cat "$0" > /dev/null', "$tmp/late", 1.8 * $seconds or POSIX::_exit(99) }
        ($out, $code) = run(undef, @args, "$tmp/late", '-q', '--limit-time', $seconds);
        kill 'TERM', $reader;
        waitpid $reader, 0;
        last if $out !~ /unknown: stopped/;
    }
    ok($code eq $expected && $out =~ /violated|holds/ && $out !~ /unknown: stopped/, "$args[0]: the verdict is the only answer")
        or diag("exit $code\n$out");
    $runs++;
}

print "# tally: runs ended by limits and signals | $runs cases | $wrong wrong\n";
done_testing();
