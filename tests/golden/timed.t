#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed: the library of timed models. What models/timed/*.q expect is tested by models.t; all queries of models/pstm/*.q
# hold. Counts of states are those that the paper on PSTM prints, or that
# follow from its Table 1 (TIMED notes). Three bugs put into PSTM are each found, with a run.
use strict;
use warnings;
use lib 'tests';
use Golden qw($tmp read_file write_file run);
use Test::More;

sub verdicts { my ($out) = @_; return [$out =~ /: (holds|violated|unknown)(?:$|:)/mg] }

# ---- PSTM: properties and counts

# States by N; the last of each row of aligned transactions is printed in the paper.
my %states = (
    linear_aligned => {2 => 100, 3 => 482, 4 => 2528, 5 => 15512, 8 => 8014336},
    cyclic_aligned => {2 => 134, 3 => 878, 4 => 6008, 5 => 45512, 7 => 3597232},
    linear_drift => {2 => 197, 3 => 2239, 4 => 30041, 5 => 488261},
    cyclic_drift => {2 => 229, 3 => 5035, 4 => 147629, 5 => 8019881},
);
my %paper = (linear_aligned => 8, cyclic_aligned => 7, linear_drift => 6, cyclic_drift => 5);    # N of its Table 1

sub pstm { my ($variant, $n, @words) = @_; return run('check', "models/pstm/$variant.xta", "--define N=$n", @words) }

for my $variant (sort keys %states) {
    for my $n (3, $ENV{PARVIS_LONG} ? $paper{$variant} : ()) {
        my ($out, $code) = pstm($variant, $n, '-q');
        is($code, 0, "$variant: all properties hold for $n transactions") or diag($out);
    }
    for my $n (sort keys %{$states{$variant}}) {
        my $count = $states{$variant}{$n};
        next if $count > 200_000 && !$ENV{PARVIS_LONG};
        my ($answer) = pstm($variant, $n, '--query', "'A[] true'", '--store all --symmetry off --json');
        my ($found) = $answer =~ /"states": (\d+)/;
        is($found, $count, "$variant, N=$n: $count states");
    }
}

# Formula (1), computed here: all start together, attempt i has N - i + 1 transactions, every duration is 1.
sub commit_time {
    my ($c, $n) = @_;
    my $before = 0;
    $before += 2 * ($n - $_ + 1) for 1 .. $c - 1;
    return $before + ($c == $n ? 3 : $n - $c + 1 + 1);
}

for my $n (2 .. 4) {
    my ($out) = pstm('cyclic_aligned', $n, '-q', map {
        my $t = commit_time($_, $n);
        map { ('--query', "'$_'") } "E<> now == $t and commit_time($_) == $t and (sum (i : IDs) TxW(i).committed) == $_",
            "E<> now <= $t - 1 and (sum (i : IDs) TxW(i).committed) >= $_"
    } 1 .. $n);
    is_deeply(verdicts($out), [('holds', 'violated') x $n], "N=$n: commits at the times of formula (1), none a unit earlier")
        or diag($out);
}

# The paper's run for Reachability visits 80,640 = 2 * 8! (linear aligned 8) and 65,520 = 13 * 7! (cyclic aligned 7) states
# more than the others; so does ours, for every N.
my $rest = "'(forall (i : IDs) (TxW(i).committed or TxW(i).aborted)) --> "
    . "(Memory.wait and TxMemState == AVAILABLE and Queue.wait and RPCQueueIsEmpty())'";
for ([linear_aligned => 2], [cyclic_aligned => 13]) {
    my ($variant, $times) = @$_;
    my $factorial = 2;
    for my $n (3 .. 4) {
        $factorial *= $n;
        my ($answer) = run('check', "models/pstm/$variant.xta", "--define N=$n --symmetry off --json --query", $rest);
        my ($found) = $answer =~ /"live_states": (\d+)/;
        is($found, $times * $factorial, "$variant, N=$n: $times * N! states visited again for Reachability");
    }
    my ($answer, $code) = run('check', "models/pstm/$variant.xta", '--idle-steps count --query', $rest);
    is($code, 1, "$variant: Reachability does not hold if steps that change nothing count");
    like($answer, qr/steps that change nothing counted/, '... which is said');
    ($answer) = run('check', "models/pstm/$variant.xta", '-q --query', $rest);
    like($answer, qr/: holds: steps that change nothing not counted$/m, '... and else that they do not');
}

# Symmetry: found where it is there, with the same answers.
my ($alike, $alike_code) = run('check', 'models/pstm/linear_aligned.xta', '--define N=10');
is($alike_code, 0, 'PSTM with ten transactions') or diag($alike);
like($alike, qr/symmetry: TxW: all 10 alike/, '... which are alike');
($alike) = run('check', 'models/timed/train_gate.xta', '--query', "'E<> Train(2).Cross'");
$alike =~ s/\s+/ /g;
like($alike, qr/symmetry: Train: \d of \d alike \(they differ at models.timed.train_gate\.xta:\d+:\d+\); queries name/,
    'what tells trains apart is said') or diag($alike);

# A step that fails between states that are passed through is found, and the run to it is whole.
my $failing = write_file('failing.xta', <<'END');
const int N = 3;
typedef int[0, N - 1] id_t;
int[0, 2] g;
int[0, 1] a[id_t];
process P(const id_t me) {
    clock x;
    state start, one, two, end;
    commit one, two;
    init start;
    trans start -> one { guard x >= 2 && a[me] == 0; assign a[me] = 1; }, one -> two { assign g++; }, two -> end { };
}
system P;
END
for my $how ('--store all', '--store timed', '--store timed --symmetry off') {
    my ($answer, $code) = run('check', $failing, $how);
    is($code, 1, "a failing step, $how");
    my $steps = () = $answer =~ /P\(\d\)\.\w+ -> /g;
    is($steps, 8, '... with a run of eight steps') or diag($answer);
}

# ---- models/pstm/any_order.xta is said to have all runs of the others: what it says of the time between commits holds for them

for my $variant (sort keys %states) {
    my $text = read_file("models/pstm/$variant.xta");
    $text =~ s/^process Transaction/clock since;\n\nprocess Transaction/m;
    is($text =~ s/version\+\+(?=, SetResult)/version++, since = 0/g, 1, "$variant: one edge commits");
    my $path = write_file("since_$variant.xta", $text);
    my $commits = 'Memory.write and Memory.c == W_PROC and CheckRSet()';
    for my $n (2, 3) {
        my ($out) = run('check', $path, "--define N=$n -q", "--query 'A[] $commits imply since >= R_PROC + TX_PROC + W_PROC'",
            "--query 'E<> $commits and since == R_PROC + TX_PROC + W_PROC'");
        my $is_reached = $variant =~ /drift/ || $n == 2;    # aligned: all N are read before the first commit
        is_deeply(verdicts($out), ['holds', $is_reached ? 'holds' : 'violated'], "$variant, N=$n: commits are so far apart") or diag($out);
    }
}

# ---- bugs put into PSTM

sub bug {
    my ($name, $from, $to, $query) = @_;
    my $text = read_file('models/pstm/linear_aligned.xta');
    my $count = () = $text =~ /\Q$from\E/g;
    is($count, 1, "$name: the place to change is there");
    $text =~ s/\Q$from\E/$to/;
    my $path = write_file("$name.xta", $text);
    my ($out, $code) = run('check', $path, '--define N=3', '--query', "'$query'");
    is($code, 1, "$name is found") or diag($out);
    like($out, qr/^ +time +delay +step$/m, "$name: with a concrete run");
}

my $safety2 = 'A[] forall (i : IDs) ((i == first imply Tx[i].result != TX_RSP_ABORTED) and '
    . '(i != first imply Tx[i].result != TX_RSP_COMMITTED))';
bug('no_version_check', 'return Tx[owner.id].read == version;', 'return true;', $safety2);
bug('wrong_request', 'owner = queue[current];', 'owner = queue[(current + waiting - 1) % N];',
    'A[] Memory.processing imply queue[current].id == owner.id');
bug('early_response', 'processing -> write { guard owner.op == TX_W; assign c = 0; }',
    'processing -> done { guard owner.op == TX_W; assign SetResult(TX_RSP_COMMITTED); }', $safety2);

# ---- XML

my $xml = <<'END';
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://example.org/flat-1_2.dtd'>
<nta>
  <declaration>clock x; chan a; int[0,3] n;</declaration>
  <template><name>P</name>
    <location id="id0" x="0" y="0"><name>idle</name><label kind="invariant">x &lt;= 2</label></location>
    <location id="id1"><name>done</name></location>
    <init ref="id0"/>
    <transition><source ref="id0"/><target ref="id1"/>
      <label kind="guard">x &gt;= 1</label><label kind="synchronisation">a!</label>
      <label kind="assignment">n = 2, x = 0</label><nail x="1" y="1"/></transition>
  </template>
  <template><name>Q</name><location id="id2"/><init ref="id2"/>
    <transition><source ref="id2"/><target ref="id2"/><label kind="synchronisation">a?</label>
      <label kind="assignment">n++</label></transition></template>
  <system>system P, Q;</system>
  <queries><query><formula>A&lt;&gt; P.done and n == 3</formula><comment/></query>
    <query><formula>E&lt;&gt; P.done and x &gt; 2 and n == 2</formula><comment/></query></queries>
</nta>
END
my ($out) = run('check', write_file('small.xml', $xml), '-q');
is_deeply(verdicts($out), ['holds', 'violated'], 'XML: sender before receiver, queries of the file') or diag($out);

(my $broken = $xml) =~ s/x &gt;= 1/x &gt;= y/;
($out) = run('check', write_file('broken.xml', $broken));
like($out, qr/broken\.xml:10:\d+: error: 'y' is not declared/, 'XML: a mistake is told with its line') or diag($out);

($broken = $xml) =~ s/<nta>/<!-- --><nta><x>/;
($out) = run('check', write_file('cut.xml', $broken));
like($out, qr/cut\.xml:\d+:\d+: error: /, 'XML: what is not well-formed is told with its line') or diag($out);

write_file('secret.txt', 'int secret = 7;');
($broken = $xml) =~ s/<!DOCTYPE.*?>/<!DOCTYPE nta [<!ENTITY s SYSTEM "secret.txt">]>/;
$broken =~ s/<declaration>/<declaration>&s; /;
($out) = run('check', write_file('entity.xml', $broken), '-q', '--query', "'E<> secret == 7'");
like($out, qr/'secret' is not declared/, 'XML: no other file is read') or diag($out);

# ---- what is refused, with its line

my %refused = (
    'chan a; chan priority a < default; chan priority a; process P() { state a; init a; } system P;' => qr/priorities already/,
    'int a; chan priority a < default; process P() { state a; init a; } system P;' => qr/a channel is expected/,
    'process P() { state a; init b; } system P;' => qr/there is no location 'b'/,
    'int f() { return f(); } process P() { state a; init a; trans a -> a { guard f() > 0; }; } system P;' => qr/recursion/,
);
for my $text (sort keys %refused) {
    my ($answer, $code) = run('check', write_file('refused.xta', "$text\n"));
    is($code, 2, "refused: $text");
    like($answer, $refused{$text}, '... and says why');
}

# A run-time error is a verdict with the run that leads there.
($out, my $code) = run('check', write_file('range.xta',
    "int[0,2] n; clock x;\nprocess P() { state a; init a; trans a -> a { guard x >= 1; assign n++, x = 0; }; }\nsystem P;\n"));
is($code, 1, 'a value that leaves its range is an error of the model');
like($out, qr/run-time error: violated/, '... by that name');
like($out, qr/^ +3 +1 +P\.a -> a/m, '... with the run to it') or diag($out);

# Every kind of it: what a step of P has, and how the run ends.
my %errors = (
    'guard a[n] == 0;' => qr/P\.s -> t \S+\n.*an argument is outside its type/,
    'guard 6 / (2 - n) > 1;' => qr/P\.s -> t \S+\n.*division by zero/,
    'assign a[n] = 1;' => qr/P\.s -> t \S+\n.*an argument is outside its type/,
    'assign a[0] = 6 % n;' => qr/^ +time +delay +step\n +0 +P\.s -> t \S+\n.*division by zero/m,
    'assign n = n + 9;' => qr/P\.s -> t \S+\n.*a value leaves its range/,
    'assign forever();' => qr/P\.s -> t \S+\n.*a loop that does not end/,
    'assign x = 1 - n;' => qr/n: 1 \S+ 2\n +0 +P\.s -> t \S+\n.*a clock is set to a negative number/,
    'guard x >= a[n];' => qr/n: 2 \S+ 3\n.*outside its type.*\(in a clock condition or value of the step\)/,
    'assign x = a[n];' => qr/n: 2 \S+ 3\n.*outside its type.*\(in a clock condition or value of the step\)/,
);
sub faulty {
    my ($invariant, $edge) = @_;
    return write_file('faulty.xta', "int[0,3] n; int[0,3] a[3]; clock x; void forever() { while (n < 3) a[0] = 1; }\n"
            . "process P() { state s, t { $invariant }; init s; trans s -> s { guard n < 3; assign n++; }, s -> t { $edge }; }\n"
            . "system P;\n");
}
for my $edge (sort keys %errors) {
    ($out, $code) = run('check', faulty('', $edge), '--query', "'A[] n < 9'", '--query', "'E<> n == 1'");
    is($code, 1, "a run-time error: $edge");
    like($out, $errors{$edge}, '... with the run to it') or diag($out);
    like($out, qr/^A\[\] n < 9: unknown: runs end in a run-time error$/m, '... nothing is said to hold in all states');
    like($out, qr/^E<> n == 1: holds/m, '... what was found was found');
}
for my $invariant ('x <= a[n]', 'a[n] == 0', '6 / (3 - n) > 0 && x < 9') {
    ($out) = run('check', faulty($invariant, ''), '--query', "'A[] n < 9'");
    like($out, qr/^run-time error: violated.*\(in an invariant after the step\)$/ms, "... in an invariant: $invariant") or diag($out);
}
for my $query ('A[] a[n] == 0', 'E<> a[n] == 1', 'A<> a[n] == 1', 'P.s --> a[n] == 0', 'sup: a[n]', 'A[] x >= a[n] - 9') {
    ($out, $code) = run('check', faulty('', ''), '--query', "'$query'");
    is($code, 3, "a query that cannot be evaluated is not answered: $query");
    like($out, qr/: unknown: the query cannot be evaluated here: .* outside its type.*n: 2 \S+ 3/s, '... and says where') or diag($out);
}
($out) = run('check', faulty('', ''), '-q', '--query', "'A[] n < 3 imply a[n] == 0'", '--query', "'E<> n < 3 && a[n] == 1'");
is_deeply(verdicts($out), ['holds', 'violated'], '... unlike one that asks only where it can');

# ---- pictures: who, where, when, worked out by hand

my $factory = <<'END';
clock x, y; int[0,3] n; chan go; broadcast chan all;
process Master() { state idle, working { x < 1 }, resting; init idle;
  trans idle -> working { guard x > 1; sync go!; assign x = 0, n = (n + 1) % 3; },
  working -> resting { guard x > 0; sync all!; }, resting -> idle { assign x = 0; }; }
process Worker(const int[0,1] id) { state waiting, busy; init waiting;
  trans waiting -> busy { sync go?; }, busy -> waiting { sync all?; }; }
process Bug() { state a, b; init a; trans a -> b { guard n == 2; assign n = n + 5; }; }
system Master, Worker, Bug;
END
my $path = write_file('factory.xta', $factory);
run('check', $path, '-q --symmetry off', '--picture', "$tmp/run.svg", '--query', "'A[] n < 5'");
my $svg = read_file("$tmp/run.svg");
like($svg, qr/^<\?xml version="1.0" encoding="UTF-8"\?>\n<svg xmlns="[^"]+" width="\d+" height="\d+"/, 'a picture is an SVG file');
is_deeply([$svg =~ m{class="process">([^<]+)<}g], ['time', 'Master', 'Worker(0)', 'Worker(1)', 'Bug'], '... a lane a process');
is_deeply([$svg =~ m{class="bar">.*?<title>([^<]+)</title>}g],
    [qw(idle working resting idle working waiting busy waiting busy waiting a)], '... bars for locations');
is_deeply([$svg =~ m{class="time">([^<]+)<}g], ['0', '3/2', '2', '7/2'], '... exact times');
is(scalar(() = $svg =~ /class="arrow"/g), 3, '... an arrow a synchronisation, of a broadcast to those who joined');
is(scalar(() = $svg =~ /class="fails"/g), 1, '... a cross where a step fails');
like($svg, qr/class="change"[^>]*>n: 1 \xe2\x86\x92 2</, '... what changed');
unlike($svg, qr/<(?:script|image|use)|href|url\(/, '... nothing to load');

sub is_well_formed {
    my ($text, $name) = @_;
    my @open;
    (my $rest = $text) =~ s/<\?xml.*?\?>|<!DOCTYPE[^>]*>|<meta[^>]*>|<style>.*?<\/style>//gs;
    my $ok = $rest !~ /&(?!amp;|lt;|gt;|quot;|#39;)/;
    while ($rest =~ m{<(/?)([a-z0-9]+)((?:\s+[A-Za-z:-]+="[^"<]*")*)\s*(/?)>}gc) {
        if ($4) { next }
        elsif (!$1) { push @open, $2 }
        else { $ok &&= (pop @open // '') eq $2 }
    }
    (my $plain = $rest) =~ s{</?[a-z0-9]+(?:\s+[A-Za-z:-]+="[^"<]*")*\s*/?>}{}g;
    ok($ok && !@open && $plain !~ /[<>]/, $name);
}
is_well_formed($svg, '... well-formed');

($out) = run('check', $path, '-q', '--picture', "$tmp/run.html", '--query', "'E<> n == 2 && Master.working /* <b>&quot;\xff\x01 */ && x < 1'",
    '--query', "'A[] n < 5'");
my $page = read_file("$tmp/run.html");
is_well_formed($page, 'a page is well-formed, whatever a query has in it') or diag($out);
like($page, qr{<title>\Q$path\E</title>}, '... its title is the model');
like($page, qr{E&lt;&gt; n == 2 &amp;&amp; Master.working /\* &lt;b&gt;&amp;quot;\\xFF\\x01 \*/ &amp;&amp; x &lt; 1</a>}, '... escaped');
is(scalar(() = $page =~ /<svg/g), 2, '... all runs are drawn');
is(scalar(() = $page =~ /class="verdict (?:holds|violated|unknown)"/g), 5, '... all verdicts are told');

($out) = run('check', 'models/timed/fischer.xta', '-q', '--picture', "$tmp/loop.svg", '--query', "'P(1).requesting --> P(1).critical'");
like(read_file("$tmp/loop.svg"), qr/class="loop"|for ever/, 'a run that goes on for ever says so');
($out, $code) = run('check', $path, '--picture', "$tmp/run.png");
is($code, 2, 'a picture of another kind is refused');
like($out, qr/a picture is a file \.svg or \.html/, '... with the reason');
($out, $code) = run('check', $path, '-q', '--picture', "$tmp/none/run.svg");
is($code, 2, 'a picture that cannot be written is told');

# A broadcast with 2^13 outcomes: what is too large to compile is left to the evaluator, not refused.
{
    my ($out, $code) = run('check', 'models/timed/csmacd.xta', '--define N=13', '--query', "'A[] true'", '--limit-states 5 -q');
    is($code, 3, 'CSMA/CD with 13 stations is searched');
}
done_testing;
