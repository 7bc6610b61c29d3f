#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_stopwatches: clocks that stand still (x' == 0). Expected answers are worked out by hand; random networks are
# compared with slow twins in tests/diff/timed_runs_test.c, and models/timed/preemption.xta is tested by models.t.
use strict;
use warnings;
use lib 'tests';
use Golden qw($tmp read_file write_file run);
use Test::More;

sub ask { my ($file, $query, @words) = @_; return run('check', $file, '-q', '--query', "'$query'", @words) }
sub answer { my ($file, $query) = @_; my ($out) = ask($file, $query); return $out =~ /: ((?:holds|violated|unknown).*)/ ? $1 : "none: $out" }

# A clock that others switch on and off: at A, x grows while `on`.
my $switched = write_file('switched.xta', <<'END');
clock x, y, g;
int[0,1] on = 1;
process P() {
    state A { x <= 5 && x' == on }, B, C;
    init A;
    trans A -> A { guard g >= 1 && g <= 2; assign on = 1 - on, g = 0; },
          A -> B { guard x == 5 && y == 9; },
          A -> C { guard x == 5 && y == 4; };
}
system P;
END
is(answer($switched, 'E<> P.B'), 'holds', 'a state that needs a pause is reached');
like(answer($switched, 'E<> P.C'), qr/^violated/, 'a clock that stands still is never ahead');
like((ask($switched, 'E<> P.B', '--json'))[0], qr/"verdict": "holds"/, '... in JSON');

# Three clocks such that what time leads to is no zone: x stands still while y and z run, with x - y and x - z both open.
# A run to `bad` would need y - z + x beyond what the start allows; zones cannot say so.
my $loose = write_file('loose.xta', <<'END');
clock x, y, z, t;
process P() {
    state a { y <= 1 }, b { y <= 1 }, c { x' == 0 }, good, bad;
    init a;
    trans a -> b { assign x = 0; },
          b -> c { assign z = 0; },
          c -> good { guard y == 3 && x <= 1 && z >= 2; },
          c -> bad { guard y == 3 && z > 2 && z < 3 && x > 0 && x < 1 && t > 5; };
}
system P;
END
is(answer($loose, 'E<> P.good'), 'holds', 'what is found is confirmed by a run');
like(answer($loose, 'E<> P.bad'), qr/^violated/, 'what zones exclude is excluded');

# y - z + x is at least... : y counts all the time, x what passed between the first two steps, z what passes in c.
my $sum = write_file('sum.xta', <<'END');
clock x, y, z;
process P() {
    state a { y <= 2 }, b { y <= 2 }, c { x' == 0 && y <= 4 }, good, bad;
    init a;
    trans a -> b { assign x = 0; },
          b -> c { assign z = 0; },
          c -> good { guard y == 4 && x == 1 && z == 2; },
          c -> bad { guard y == 4 && x == 2 && z == 3; };
}
system P;
END
is(answer($sum, 'E<> P.good'), 'holds', 'a sum of pauses that fits');
is(answer($sum, 'E<> P.bad'), 'unknown: clocks that stand still are over-approximated: none of 1 runs found that way could be confirmed',
    'one that does not is not believed, and the over-approximation named');
like((ask($sum, 'E<> P.bad'))[1], qr/^3$/, '... with exit code 3');

# ---- rates

my %rates = (
    '0' => qr/^violated/, '1' => qr/^holds/, 'n' => qr/^holds/, '1 - n' => qr/^violated/, '(n > 0 ? 0 : 1)' => qr/^violated/,
    '2' => qr/^unknown: a clock has a rate other than 0 and 1/, 'n + 1' => qr/^unknown: a clock has a rate other than 0 and 1/,
);
for my $rate (sort keys %rates) {
    my $file = write_file('rate.xta', "clock x, y; int[0,1] n = 1; process P() { state a { x' == $rate }, b; init a; "
        . "trans a -> b { guard y == 3 && x == 3; }; } system P;\n");
    like(answer($file, 'E<> P.b'), $rates{$rate}, "x' == $rate");
}
my $array = write_file('array.xta', <<'END');
const int N = 3;
clock x[N];
clock y;
int[0,1] on[N] = {1, 0, 1};
process P() {
    state a { forall (i : int[0, N - 1]) x[i]' == on[i] && (on[2] == 1 imply y' == 1) }, b;
    init a;
    trans a -> b { guard x[0] == 2 && x[1] == 0 && x[2] == 2; };
}
system P;
END
is(answer($array, 'E<> P.b'), 'holds', 'rates of an array of clocks');
like(answer($array, 'E<> x[1] > 0 and P.a'), qr/^violated/, '... one of which stands still');
my $twice = write_file('twice.xta', "clock x; process P() { state a { x' == 0 }; init a; } process Q() { state a { x' == 1 }; init a; } system P, Q;\n");
like(answer($twice, 'E<> x > 3'), qr/^unknown: a clock has a rate other than 0 and 1, or two at once/, 'two processes that contradict each other');
my ($out, $code) = run('check', write_file('guard.xta', "clock x; process P() { state a; init a; trans a -> a { guard x' == 0; }; } system P;\n"));
is($code, 2, 'a rate is no guard');
like($out, qr/guard.xta:1:\d+: error: .*rate/, '... says so');

# ---- liveness, deadlock, extremes

my $stop = write_file('stop.xta', <<'END');
clock x, y;
process P() {
    state a { x <= 3 && x' == 0 }, b;
    init a;
    trans a -> b { guard x >= 1; };
}
system P;
END
is(answer($stop, 'E<> P.b'), 'violated: no such state is reachable', 'a clock that never runs');
is(answer($stop, 'A[] not deadlock'), 'violated', '... is a deadlock');
like((run('check', $stop, '--query', "'E[] P.a'"))[0], qr/: holds\n.*time can pass for ever/s, '... in which time passes: its invariant sets no end');
like(answer($stop, 'sup: x'), qr/^holds: sup: 0/, 'the largest value of a clock that never runs');
like(answer($switched, 'sup{P.A}: x'), qr/^holds: sup: 5/, '... of one that does now and then');

# From which points of A the step is possible later is no zone: r1 + t <= s, r2 + t >= 6. From I at 4, J at 5 it is, at r2 = 1.
my $later = write_file('later.xta', <<'END');
clock r1, r2, s;
process P() {
    state I { s <= 5 }, J { s <= 5 }, A { s' == 0 && r1 <= 9 }, B;
    init I;
    trans I -> J { guard s >= 2; assign r2 = 0; },
          J -> A { guard s >= 4; assign r1 = 0; },
          A -> B { guard r1 - s <= 0 && r2 >= 6; };
}
system P;
END
is(answer($later, 'E<> P.A && not deadlock && r2 < 6'), 'holds', 'where something can still happen, more is thought of than is known');
like(answer($later, 'A[] (P.A && r2 < 6) imply deadlock'), qr/^violated/, '... what denies it does not hold');
unlike(answer($later, $_), qr/^(?:holds|violated)/, "... not told: $_")
    for 'E[] (not P.A || not deadlock)', 'A<> P.A && deadlock', 'inf{P.A && not deadlock}: r2';

# ---- what goes with it

($out) = run('prove', write_file('every.xta', <<'END'), '--query', "'A[] true'");
const int N = 3;
typedef int[1, N] id_t;
process P(const id_t i) { clock x; state a { x' == 0 }, b; init a; trans a -> b { }; }
system P;
END
like($out, qr/unknown/, 'for every number of processes: not with clocks that stand still') or diag($out);
($out, $code) = run('check', $switched, '-q', '--query', "'E<> P.C'", '--certificate', "$tmp/stopped.cert");
ok(!-e "$tmp/stopped.cert", 'there are no certificates for clocks that stand still') or diag($out);
my $walk = write_file('walk.txt', "wait 2\nsave $tmp/walk.json\nquit\n");
($out) = run('simulate', $stop, '<', $walk);
unlike($out, qr/x = 2/, 'by hand, the clock stands still too') or diag($out);

($out) = run('simulate', $stop, '<', write_file('symbolic.txt', "symbolic\nquit\n"));
like($out, qr/zones may have more than is reached/, '... and zones are not shown') or diag($out);

# The fastest run: the long task needs 3, and the short one takes the first 2 of every 5.
for (['E<> Lo.done', 'the fastest run takes 5'], ['E<> Lo.ready and response > 7', 'runs take more than 7,'],
    ['E<> Lo.ready and response == 8', 'the fastest run takes 8'])
{
    my ($query, $said) = @$_;
    ($out, $code) = run('check', 'models/timed/preemption.xta', '--fastest', '--query', "'$query'");
    like($out, qr/$said/, "$query: $said");
}

# Two clocks that stand still in turn: each second of x is one without y. x = 2 and y = 3 take 5 together, in either order.
my $turns = write_file('turns.xta', <<'END');
clock x, y;
process P() {
    state a { x' == 0 }, b { y' == 0 }, c;
    init a;
    trans a -> b { }, b -> a { }, a -> c { guard x >= 2 && y >= 3; }, b -> c { guard x >= 2 && y >= 3; };
}
system P;
END
($out) = run('check', $turns, '--fastest', '--query', "'E<> P.c'");
like($out, qr/the fastest run takes 5$|no run takes less than [0-5]; as clocks/m, 'clocks that stand still in turn') or diag($out);
unlike($out, qr/fastest run takes [0-46-9]/, '... and no other time is said to be the least');

# Renaming processes whose clocks are stopped by different variables is no symmetry.
my $sym = write_file('sym.xta', <<'END');
typedef int[0,1] id_t;
int[0,1] on = 1;
process P(const id_t i) {
    clock x;
    state a { x' == (i == 0 ? on : 1 - on) }, b;
    init a;
    trans a -> b { guard x >= 2; };
}
system P;
END
is(answer($sym, 'E<> P(0).b'), 'holds', 'the one that runs');
like(answer($sym, 'E<> P(1).b'), qr/^violated/, 'the one that stands still is not taken for it');

done_testing;
