#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_cases: timed models that were once answered wrongly, each the smallest of its kind. Expected verdicts are read
# off the models by hand; symmetry must change none of them.
use strict;
use warnings;
use lib 'tests';
use Golden qw(write_file run);
use Test::More;

sub verdict { my ($out) = @_; return $out =~ /: (holds|violated|unknown)(?:$|:)/m ? $1 : "none: $out" }

# ---- an integer that is no process id, beside two instances whose ids have the same values

my %like = (
    two_instances => <<'END',
int[0,2] v;
process P(const int[0,1] id) {
 state l0, l1;
 init l0;
 trans l0 -> l1 { guard v == 0; };
}
system P;
END
    deadlock => <<'END',
clock g;
int[0,2] v;
chan a;
urgent broadcast chan b;
process P(const int[0,1] id) {
 clock x;
 state l0, l1;
 init l0;
 trans
  l0 -> l1 { guard v == 0; sync b!; },
  l0 -> l0 { assign x = 0, g = 0; },
  l1 -> l0 { guard g <= 1; assign x = 0; };
}
system P;
END
    reach => <<'END',
int[0,2] v;
process P(const int[0,1] id) {
 state l0, l1, l2;
 init l0;
 trans l0 -> l1 { }, l1 -> l2 { guard v != 1; assign v = 2; };
}
system P;
END
);

my @asked = (
    ['two_instances', 'A[] not (P(0).l1 and P(1).l1)', 'violated'],
    ['deadlock', 'A[] not deadlock', 'violated'],
    ['reach', 'E<> P(0).l2', 'holds'],
);

for my $case (@asked) {
    my ($name, $query, $want) = @$case;
    my $file = write_file("$name.xta", $like{$name});
    for my $symmetry ('exact', 'off') {
        my ($out) = run('check', $file, '--query', "'$query'", "--symmetry $symmetry");
        is(verdict($out), $want, "$name, symmetry $symmetry: $query");
    }
}

# ---- an initial state that the invariants exclude: there is no behaviour, so nothing holds

my $impossible = write_file('impossible.xta', <<'END');
process P() { clock x; state a { x >= 3 }, b; init a; trans a -> b { }; }
system P;
END
for my $query ('A[] true', 'A<> false', 'E<> true', 'E[] true', 'P.a --> P.b', 'sup: P.x', '') {
    my ($out, $code) = run('check', $impossible, $query ? ('--query', "'$query'") : ());
    like($out, qr/unknown: the initial state is impossible: .*impossible\.xta:1:/, "no initial state: $query");
    is($code, 3, '... exit code 3');
}

# ---- an invariant that holds time back far away: abstraction forgets it, the answer must not

my $far = write_file('far.xta', <<'END');
clock x, c;
process P() {
 state a { x <= 100 }, b, u, w { x < 700 };
 urgent u;
 init a;
 trans a -> b { guard x < 90; assign x = 0; }, a -> u { guard x < 70; }, u -> w { };
}
system P;
END
my %extreme = ('sup{P.a}: x' => '100', 'sup{P.a}: c' => '100', 'sup{P.b}: c' => 'infinity', 'sup{P.u}: c' => '< 70',
               'sup{P.w}: c' => '< 700', 'sup{P.b and c <= 77}: c' => '77', 'inf{P.w and x > 300}: c' => '> 300');
for my $query (sort keys %extreme) {
    my ($out) = run('check', $far, '--query', "'$query'");
    like($out, qr/: holds: (?:sup|inf): \Q$extreme{$query}\E$/m, "$query: $extreme{$query}");
}

# ---- differences of clocks: zones are cut along them; where there are too many, they are not abstracted, and clocks
# grow until no zone can have them

my $cut = write_file('cut.xta', <<'END');
clock x, y;
process P() {
 state a { x <= 100000 }, b;
 init a;
 trans a -> a { guard x == 100000; assign x = 0; }, a -> b { guard x - y > 5; };
}
system P;
END
my %difference = ('A[] not P.b' => 'holds', 'E<> P.b' => 'violated', 'E[] not P.b' => 'holds', 'A<> P.b' => 'violated',
    'P.a --> P.b' => 'violated', 'sup: y' => 'unknown: it is larger than 4096', 'E<> y - x == 300000' => 'holds',
    'E<> y - x == 300001 and x < 7' => 'violated', 'A[] not deadlock' => 'holds');
for my $query (sort keys %difference) {
    my ($out) = run('check', $cut, '-q', '--query', "'$query'");
    like($out, qr/: $difference{$query}/, "$query, with a difference of clocks");
    unlike($out, qr/warning/, '... and no warning');
}

my $growing = write_file('growing.xta', <<'END');
clock x, y;
int n = 5;
process P() {
 state a { x <= 10000000 }, b;
 init a;
 trans a -> a { guard x == 10000000; assign x = 0; }, a -> b { guard x - y > n; };
}
system P;
END
for my $query ('A[] not P.b', 'E<> P.b', 'E[] not P.b', 'A<> P.b', 'P.a --> P.b', 'sup: y') {
    my ($out, $code) = run('check', $growing, '--query', "'$query'");
    like($out, qr/: unknown: clocks grow beyond/, "$query, with clocks that grow for ever");
    is($code, 3, '... exit code 3');
}

# ---- a run that ends where only some values of a clock nobody compares are looked at: which one it has does not matter

my $ends = write_file('ends.xta', <<'END');
clock g, y, z;
process P() {
 state a { y <= 7 }, b { z <= 7 }, c { z <= 7 };
 init a;
 trans a -> b { guard g <= 7; assign y = 0; }, b -> c { assign g = 14; };
}
system P;
END
my %ending = ('P.b --> y != 0' => 'violated', 'P.b or P.c --> not (y == 0)' => 'violated', 'P.a --> y != 0' => 'holds',
    'P.b and z < 7 --> y != 0' => 'holds', 'E[] y <= 7 and (P.a or y == 0)' => 'holds', 'A<> P.c and y > 0' => 'violated');
for my $query (sort keys %ending) {
    my ($out) = run('check', $ends, '--query', "'$query'");
    is(verdict($out), $ending{$query}, "$query, to the end");
    unlike($out, qr/warning/, '... and no warning');
}

# ---- two hundred selects on an edge

my $selects = write_file('selects.xta',
    "process P() {\nstate a, b;\ninit a;\ntrans a -> b { select "
    . join(', ', map { "s$_: int[0,0]" } 0 .. 199)
    . "; guard s0 == s199; };\n}\nsystem P;\n");
my ($many) = run('check', $selects, '--query', "'E<> P.b'");
is(verdict($many), 'holds', 'an edge with 200 selects');

# ---- runs that keep a formula keep it at the times shown, and are judged by the reference evaluator to the end

# A run that stays below 1 has to be quick: with times in whole units the step after 0 came at 1.
my $quick = write_file('quick.xta', <<'END');
clock g, h;
process P() { state l0; init l0; trans l0 -> l0 { guard h > 0; assign g = 0; }; }
system P;
END
my ($shown) = run('check', $quick, '--query', "'E[] g < 1'");
is(verdict($shown), 'holds', 'a run within g < 1');
like($shown, qr{^ +1/2 +1/2 +P\.l0 -> l0$}m, '... takes its step before 1');

# A step whose listener, and with it the clock, stays out changes nothing.
my $idle = write_file('idle.xta', <<'END');
clock g;
broadcast chan c;
int[0,1] v;
process P() { state l0 { g <= 3 }; init l0; trans l0 -> l0 { sync c!; }; }
process Q() { state m0; init m0; trans m0 -> m0 { guard v == 1; sync c?; assign g = 0; }; }
system P, Q;
END
my ($waiting) = run('check', $idle, '--query', "'A<> v == 1'");
is(verdict($waiting), 'violated', 'a step that changes nothing is none');

# Steps that change nothing keep others back, for good or for a while.
my %kept = ('' => 'violated', 'guard g <= 1;' => 'holds', 'guard g < 2;' => 'holds', 'guard g >= 0;' => 'violated');
for my $guard (sort keys %kept) {
    my $file = write_file('priority.xta', <<"END");
clock g;
int[0,1] v;
process P() { state l0 { g <= 2 }; init l0; trans l0 -> l0 { $guard }; }
process Q() { state m0, m1; init m0; trans m0 -> m1 { assign v = 1; }; }
system Q < P;
END
    my ($out) = run('check', $file, '--query', "'A<> v == 1'");
    is(verdict($out), $kept{$guard}, "a step of high priority, '$guard'");
    unlike($out, qr/starts again/, '... at once');
}

# ---- representatives that were not looked for to the end are not said to be orbits
# N processes form pairs: an orbit is a number of pairs. In which order k pairs come can be tried in N * (N - 2) * ... ways:
# 192 for N = 8, 1920 for N = 10, which is more than is tried.

sub pairs {
    my ($n) = @_;
    return write_file("pairs$n.xta", <<"END");
const int N = $n;
typedef int[1, N] id_t;
int[0, N] to[id_t];
process P(const id_t me) {
 state a; init a;
 trans a -> a { select j : id_t; guard me != j && to[me] == 0 && to[j] == 0; assign to[me] = j, to[j] = me; };
}
system P;
END
}
for my $case ([4, 'orbits', '3 states up to symmetry'], [8, 'orbits', '5 states up to symmetry'],
              [10, 'representatives', '\d+ representatives by heuristic symmetry'])
{
    my ($n, $counted, $text) = @$case;
    my @ask = ('check', pairs($n), '--query', "'A[] forall (i : id_t) P(i).a'");
    like((run(@ask))[0], qr/^ *$text,/m, "$n processes in pairs: $text");
    my ($json) = run(@ask, '--json');
    is(join(' ', sort keys %{ { map { $_ => 1 } $json =~ /"counted": "(\w+)"/g } }), $counted, "... $counted");
}
like((run('check', pairs(4), '--symmetry', 'off', '--json'))[0], qr/"counted": "states"/, 'without symmetry: states');

# ---- a difference whose clocks cannot be told apart as far as it would take: they are not, and that is the reason given

my $apart = write_file('apart.xta', <<'END');
clock x, y, z;
process P() {
 state A { z <= 13000000 }, B { z <= 13000000 }, B2 { z <= 13000000 }, C, D, E;
 init A;
 trans A -> B { guard z == 13000000; assign z = 0; }, B -> C { guard z == 13000000; assign z = 0; },
  B -> B2 { guard z == 13000000; assign z = 0; }, B2 -> C { guard z == 13000000; assign z = 0; },
  C -> D { guard z == 0; assign x = 15000000; }, D -> E { guard x - y <= -15000000 && z == 0; };
}
system P;
END
my ($said) = run('check', $apart, '--query', "'E<> P.E'", '2>&1');
like($said, qr/unknown: clocks grow beyond/, 'differences of clocks beyond all bounds');
unlike($said, qr/switched off/, '... without a search that starts again');

# ---- outcomes of one rule, some with a constant bound and one without in between: what the first leads to is not taken for what
# the last does (x <= 3 of k = 2 is not all of it)

my $mixed = write_file('mixed.xta', <<'END');
clock x, y;
int[0,9] n = 0;
int[0,3] k = 3;
process P() {
    state s, a, b, c;
    init s;
    trans s -> a { assign n = 9; },
        a -> b { select i : int[0,2]; guard x <= (i == 1 ? n : 3); assign k = i, y = 0; },
        a -> b { guard x <= 9; assign k = 2, y = 0; },
        b -> c { guard x >= 8 && y <= 1; };
}
system P;
END
my %mixed = (0 => 'violated', 1 => 'holds', 2 => 'holds');
for my $k (sort keys %mixed) {
    my ($out) = run('check', $mixed, '-q', '--self-check off', '--query', "'E<> P.c and k == $k'");
    like($out, qr/: $mixed{$k}/, "outcome $k of three");
}

done_testing();
