#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_queries: each query of a timed model has its own answer. One that cannot be read, or is of a kind that is not decided,
# is `unknown` with the reason, and stops no other; a mistake of the user's own ends the run.
use strict;
use warnings;
use lib 'tests';
use Golden qw($tmp write_file run);
use Test::More;

my $model = write_file('m.xta', "clock x; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 2; }; } system P;\n");
my $first = write_file('first.q', <<'END');
A[] P.a imply x <= 5
Pr[<=10] (<> P.b)
E<> P.nowhere
simulate [<=10] {x}
E<> P.b
END
my $second = write_file('second.q', <<'END');
strategy S = control: A<> P.b
A[] not deadlock under S
A[] x < <
E[<=10; 100] (max: x)
bounds{P.a}: x
A<> P.c and
END
sub check { return run('check', $model, @_) }

my ($out, $code) = check($first, '-q');
is($code, 3, 'a query that is not decided: exit code 3');
like($out, qr/^A\[\] P\.a imply x <= 5: holds$/m, 'the query before it is decided');
like($out, qr/^Pr\[<=10\] \(<> P\.b\): unknown: a statistical query: not decided$/m, 'a statistical one is named');
like($out, qr/^simulate \[<=10\] \{x\}: unknown: a statistical query/m, 'so is a simulation');
like($out, qr/^E<> P\.nowhere: unknown: the query cannot be read: .*'nowhere'/m, 'a name that is not there is the reason');
like($out, qr/first\.q:3:5: warning: .*'nowhere'/, '... and its place is shown');
like($out, qr/^E<> P\.b: holds$/m, 'the query after it is decided');

($out, $code) = check($first, $second, '-q');
is($code, 3, 'several files of queries');
my @names = $out =~ /^(\S.*?): (?:holds|unknown|violated)/mg;
is_deeply(\@names, [
    'A[] P.a imply x <= 5', 'Pr[<=10] (<> P.b)', 'E<> P.nowhere', 'simulate [<=10] {x}', 'E<> P.b',
    'strategy S = control: A<> P.b', 'A[] not deadlock under S', 'A[] x < <', 'E[<=10; 100] (max: x)', 'bounds{P.a}: x',
    'bounds{P.a}: x (2)', 'A<> P.c and'], 'answers in the order of the queries') or diag($out);
like($out, qr/^strategy S = control: A<> P\.b: unknown: a query about strategies: not decided$/m, 'a strategy');
like($out, qr/^A\[\] not deadlock under S: unknown: a query about strategies/m, 'what is asked under a strategy');
like($out, qr/^bounds\{P\.a\}: x: holds: inf: 0$/m, 'bounds: the least');
like($out, qr/^bounds\{P\.a\}: x \(2\): holds: sup: 5$/m, 'bounds: the largest');

# ---- mistakes that are the user's own

($out, $code) = check('--query', "'E<> P.nowhere'", '--query', "'E<> P.b'");
is($code, 2, 'a mistake in --query ends the run');
unlike($out, qr/holds/, '... before anything is decided');
($out, $code) = check('--query', "'Pr[<=10](<> P.b)'", '--query', "'E<> P.b'", '-q');
is($code, 3, 'a statistical --query is answered');
like($out, qr/^E<> P\.b: holds$/m, '... and so is the other');
($out, $code) = check(write_file('wrong.q', "E<> P.x.y.z\nA[] (\n"));
is($code, 2, 'a file of which nothing can be read is wrong');
like($out, qr/none of the queries can be read/, '... and it says so');

# ---- what the engine does not take

my $many = join ' or ', map { "x == $_" } 1 .. 40;
($out, $code) = check('--query', "'E<> $many'", '--query', "'E<> x == 30000000'", '--query', "'E<> P.b'", '-q');
is($code, 3, 'queries beyond what the engine takes');
like($out, qr/unknown: the query has more than 64 different clock conditions/, '... by their clock conditions');
like($out, qr/unknown: clocks are compared with numbers of at most/, '... by their numbers');
like($out, qr/^E<> P\.b: holds$/m, '... stop no other');

# Many clock conditions: what the zones say of each alone.
for my $where ('P.a', 'P.b') {
    my @each = map { "(x > $_ and x < $_ + 1 and $where)" } 0 .. 9;
    my @holds = map { (check('--query', "'E<> $_'", '-q'))[0] =~ /: holds$/m ? 1 : 0 } @each;
    for my $from (0, 3, 5) {
        my $any = join ' or ', @each[$from .. 9];
        my ($is, $not) = (grep { $_ } @holds[$from .. 9]) ? ('holds', 'violated') : ('violated', 'holds');
        ($out, $code) = check('--query', "'E<> $any'", '--query', "'A[] not ($any)'", '-q');
        like($out, qr/^E<> .*: $is\b/m, "$where, from $from on: " . 2 * (10 - $from) . " conditions");
        like($out, qr/^A\[\] .*: $not\b/m, '... and none of them');
    }
}

# ---- words of other kinds of queries may be names

my $under = write_file('under.xta', "clock x; int[0,1] under; process P() { state a, b; init a;\n"
    . "trans a -> b { guard x >= 2; assign under = 1; probability 3; }; } system P;\n");
($out, $code) = run('check', $under, '-q', "--query 'E<> under == 1' --query 'A[] P.a or under == 1' --query 'A[] P.a under S'");
is($code, 3, 'a variable may be called under');
like($out, qr/^E<> under == 1: holds$/m, '... in a state');
like($out, qr/^A\[\] P\.a or under == 1: holds$/m, '... at the end of an operation');
like($out, qr/^A\[\] P\.a under S: unknown: a query about strategies/m, '... and a strategy is one');
like($out, qr/under\.xta:2:\d+: warning: probabilities are for statistical queries/, 'a probability of an edge is left out with a warning');

# ---- many clocks

my $clocks = write_file('many.xta', "clock x[100]; int[0,9] i = 0; process P() { state a { x[0] <= 5 }, b; init a;\n"
    . "trans a -> a { guard i < 9 && x[0] >= 1; assign x[0] = 0, i = i + 1; }, a -> b { guard i == 9 && x[99] >= 40; }; } system P;\n");
($out, $code) = run('check', $clocks, '-q', "--query 'A[] x[99] <= 50 or P.b' --query 'E<> P.b and x[50] < 40' --query 'E<> P.b' --certificate $tmp/many.cert");
is($code, 1, 'a hundred clocks');
like($out, qr/<= 50 or P\.b: holds\n.*< 40: violated/s, '... what they are at most and at least');
is((run('recheck', "$tmp/many.cert", $clocks))[1], 0, '... and rechecked');

# The clock for a bound on time is not one of the 255 that a model may have.
my $text = "clock x[255]; int[0,9] i = 0; process P() { state a { x[0] <= 5 }, b; init a;\n"
    . "trans a -> a { guard x[0] >= 3 && i < 9; assign x[0] = 0, i = i + 1; }, a -> b { guard x[254] > 20; }; } system P;\n";
my $most = write_file('most.xta', $text);
($out, $code) = run('check', $most, '-q', "--query 'E<>[<=20] P.b' --query 'E<>[<=21] P.b' --query 'A[][<=20] P.a' --certificate $tmp/most.cert");
like($out, qr/<=20\] P\.b: violated.*<=21\] P\.b: holds\n.*<=20\] P\.a: holds/s, '255 clocks and a bound on time');
is((run('recheck', "$tmp/most.cert", $most))[1], 0, '... and rechecked');
($out, $code) = run('check', $most, '-q', "--query 'P.a -->[<=5] x[0] >= 3' --query 'P.a -->[<=2] x[0] >= 3' --query 'E<>[<=1] P.a'");
like($out, qr/<=5\] .*: holds\n.*<=2\] .*: violated.*<=1\] .*: holds/s, '... and one that counts from each state');
my $over = write_file('over.xta', $text =~ s/255/256/r =~ s/254/255/r);
($out, $code) = run('check', $over, '-q', "--query 'E<> P.b'");
like($out, qr/the system has 256 clocks; at most 255 are supported/, 'more are refused');
is($code, 2, '... as a mistake');

# ---- a broadcast to nine with clock guards: 3^9 outcomes, of which one is possible each time (those with i <= 7 hear it)

my $nine = write_file('many.xta', <<'END');
const int ROUNDS = 40;
typedef int[1,9] id_t;
broadcast chan b;
int[0,ROUNDS] round = 0;
process S() {
  clock t; state s { t <= 7 }, e; init s;
  trans s -> s { guard t == 7 && round < ROUNDS; sync b!; assign t = 0, round = round + 1; },
        s -> e { guard t == 7 && round == ROUNDS; };
}
process R(id_t i) {
  clock x; int[0,ROUNDS] heard = 0; state r; init r;
  trans r -> r { guard x >= i && x <= 8; sync b?; assign x = 0, heard = heard + 1; };
}
s = S();
system s, R;
END
($out, $code) = run('check', $nine, '-q', "--query 'A[] s.e imply forall (i : id_t) R(i).heard == (i <= 7 ? ROUNDS : 0)' --query 'E<> s.e'",
    "--query 'E<> deadlock and round < ROUNDS'");
is($code, 1, 'a broadcast to many that hear it by their clocks');
like($out, qr/ROUNDS : 0\): holds\n.*^E<> s\.e: holds\n.*^E<> deadlock and round < ROUNDS: violated/ms, '... is heard by those who are able');

# ---- certificates are of those that are decided

($out, $code) = check($first, '-q', "--certificate $tmp/m.cert");
is($code, 3, 'a certificate beside queries that are not decided');
my ($again, $confirmed) = run('recheck', "$tmp/m.cert", $model);
is($confirmed, 0, '... confirms the others') or diag($out, $again);
# What was entered in one of two parts goes on to where both are one.
my $joined = write_file('joined.xta', <<'END');
clock g0, g1;
chan c;
process P0() { state l0, l2; init l0; trans l0 -> l2 { sync c!; assign g0 = 0; }; }
process P1() { clock x; state l0 { g1 <= 1 }, l3; init l0; trans l0 -> l3 { sync c?; }; }
system P0, P1;
END
like((run('check', $joined, '-q', '--query', "'P0.l0 --> (P1.x >= 1 and g0 == 0)'"))[0], qr/: violated/, 'parts that become one');

# ---- conditions that hold in several parts of a state, between which time passes; worked out by hand

my $parts = write_file('parts.xta', <<'END');
clock x, y;
process P() {
    state A { x <= 10 }, B;
    init A;
    trans A -> A { guard x >= 2 && x <= 3; assign x = 0; },
          A -> A { guard x >= 6 && x <= 7; assign x = 0; },
          A -> B { guard x == 10; };
}
system P;
END
my %parted = (
    'E[] P.A and (x < 1 or x > 2)' => 'violated',    # there is a gap
    'E[] P.A and (x < 4 or x > 5)' => 'holds',       # by the first loop
    'E[] P.A and (x < 2 or x > 3 or x == 2)' => 'holds',    # the first loop, at 2
    'E[] P.A and (x < 2 or x > 3 or x == 2 and y < 5)' => 'violated',    # then the second one, past the gap
    'E[] P.A and (x < 2 or x >= 2 and x < 4 or x >= 4)' => 'holds',    # no gap
    'E[] P.A and (x < 2 or x >= 2 and x < 4 and y > 20 or x >= 4)' => 'violated',
    'A<> P.A and (x > 0 and x < 1 or x > 8)' => 'holds',    # the start is passed by all
    'A<> P.A and (x == 5 or x > 8)' => 'violated',
    'P.A and x == 6 --> P.B or x == 0' => 'holds',
    'P.A and (x == 2 or x == 8) --> P.B' => 'violated',
    'P.A and (x > 7 and x < 8 or x > 9) --> P.B and (y > 7 or y < 2)' => 'holds',
    'E[] deadlock or x < 1 or x >= 1 and x < 9' => 'holds',
    'E[] (deadlock or x < 8) and y < 90' => 'violated',
);
for my $query (sort keys %parted) {
    my ($out) = run('check', $parts, '-q', '--query', "'$query'");
    like($out, qr/: $parted{$query}(?:$|:)/m, "$query: $parted{$query}") or diag($out);
}

# ---- p -->[<=n] q: by hand, a request is answered after 3 to 7 units of time

my $served = write_file('served.xta', <<'END');
clock x;
process P() {
  clock y;
  state idle, asked { y <= 7 }, ok;
  init idle;
  trans idle -> asked { guard x >= 2; assign y = 0; }, asked -> ok { guard y >= 3; }, ok -> idle { assign x = 0; };
}
system P;
END
my %within = ('P.asked -->[<=7] P.ok' => 'holds', 'P.asked --> [<7] P.ok' => 'violated', 'P.asked -->[<=6] P.ok' => 'violated',
    'P.asked and P.y >= 3 -->[<=4] P.ok' => 'holds', 'P.asked and P.y > 3 -->[<4] P.ok' => 'holds',
    'P.asked and P.y >= 3 -->[<4] P.ok' => 'violated', 'P.ok -->[<=100] P.idle' => 'violated', 'P.ok -->[<=0] P.ok' => 'holds',
    'P.ok -->[<0] P.ok' => 'violated');
for my $query (sort keys %within) {
    like((run('check', $served, '-q', '--query', "'$query'"))[0], qr/: $within{$query}/, "$query: $within{$query}");
}
my ($late) = run('check', $served, '--query', "'P.asked -->[<=6] P.ok'");
like($late, qr/^ +9 +7 +P\.asked -> ok$/m, 'the run shows the answer that comes too late');
run('check', $served, '-q', '--query', "'P.asked -->[<=7] P.ok'", '--certificate', "$tmp/served.cert");
like((run('recheck', "$tmp/served.cert", $served))[0], qr/holds, confirmed/, 'its certificate is confirmed');
like((run('check', $served, '-q', '--query', "'P.ok --> [<=x] P.idle'"))[0], qr/error:/, 'the bound is a constant');

for my $query ('control[]: A<> P.ok', 'E<> control: A<> P.ok', 'control: A[] P.ok') {
    like((run('check', $served, '-q', '--query', "'E<> P.ok'", '--query', "'$query'"))[0],
        qr/^\Q$query\E: unknown: a query about strategies/m, "$query is named");
}

done_testing;
