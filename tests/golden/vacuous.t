#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# vacuous: what holds because nothing was tried is said to: rules that never fire, premises that are never true, counters at
# their bound, no step at all. What was tried is not doubted.
use strict;
use warnings;
use lib 'tests';
use Golden qw(write_file answer);
use Test::More;

# The exit code comes first.
sub run_json { my ($object, $code) = answer(@_); return ($code, $object) }

sub doubts { my ($answer) = @_; return [sort map { "$_->{kind}: $_->{subject}" } @{ $answer->{doubts} // [] }] }

sub doubts_of {
    my ($file, @args) = @_;
    my ($code, $answer) = run_json('check', $file, @args);
    is($code, 0, "$file holds");
    return doubts($answer);
}

# ---- rules
my $stuck = write_file('stuck.pv', <<'END');
system S { var x: 0..3
  action go when x < 2 { x := x + 1 }
  action never when x = 3 { x := 0 }
  invariant small: x < 3 }
END
is_deeply(doubts_of($stuck), ['rule: never'], 'a rule that never fires');
my ($code, $answer) = run_json('check', $stuck);
is_deeply([map { "$_->{name} $_->{fired}" } @{ $answer->{rules} }], ['go 2', 'never 0'], 'how often each rule fired');
($code, $answer) = run_json('check', $stuck, '--strict');
is($code, 3, '--strict: not known to hold');
like($answer->{properties}[0]{reason}, qr/--strict: 'never' never happened/, '--strict says why');
like(qx($ENV{PARVIS} check $stuck), qr/^    never happened: never$/m, 'short in the text');
like(qx($ENV{PARVIS} check $stuck --statistics), qr/^ *go +2$/m, '--statistics');
unlike(qx($ENV{PARVIS} check $stuck -q), qr/never happened/, 'nothing of it with -q');

my $dead = write_file('dead.pv', "sort T\nsystem S { rel r(T) action go(t, u: T) when t != u { r(t) := true } invariant i: true }\n");
is_deeply(doubts_of($dead, '--size', 'T=1'), ['no step: S'], 'an instance that is too small to try anything');
is_deeply(doubts_of($dead, '--size', 'T=2'), [], 'a larger one');
is_deeply(doubts_of($dead, '--size', 'T=1..2'), [], 'in a range of sizes the joint answer doubts nothing');

# ---- premises
my $premise = write_file('premise.pv', <<'END');
sort T
system S { rel r(T), q(T)
  action go(t: T) { r(t) := true }
  invariant tried: forall t: T. r(t) -> !q(t)
  invariant vacuous: forall t, u: T. q(t) & r(u) -> t = u
  invariant half: (forall t: T. r(t) -> !q(t)) & (forall t: T. q(t) -> r(t)) }
END
is_deeply(doubts_of($premise), ['premise: half', 'premise: vacuous'], 'premises that are never true');

# ---- bounds
my $bound = write_file('bound.pv', <<'END');
system S { var clock: 0..3, pc: 0..2
  action tick when clock < 3 { clock := clock + 1 }
  action one when pc = 0 { pc := 1 }
  action two when pc = 1 { pc := pc + 1 }
  invariant i: true }
END
is_deeply(doubts_of($bound), ['bound: clock'], 'a counter that is kept back by its bound; a program counter is none');
my $room = write_file('room.pv', "system S { var c: 0..9 action tick when c < 3 { c := c + 1 } invariant i: true }\n");
is_deeply(doubts_of($room), [], 'a range with room to spare');

# ---- Murphi
my $murphi = write_file('rules.m', <<'END');
var x: 0..3;
startstate x := 0; end;
rule "go" x < 2 ==> x := x + 1; end;
rule "never" x = 3 ==> x := 0; end;
invariant "tried" x = 2 -> x != 3;
invariant "vacuous" x = 3 -> x = 0;
END
is_deeply(doubts_of($murphi, '--all-invariants', '--deadlock', 'none'), ['premise: vacuous', 'rule: never'], 'Murphi');

# ---- liveness, refinement, comparison
my $live = write_file('live.pv', <<'END');
sort Thread
system S { rel b(Thread)
  action commit(t: Thread)
  action abort(t: Thread) when b(t) { b(t) := false } }
system Spec { action commit(t: Thread) action abort(t: Thread) internal action i when false }
property so: S wait_free
property sr: S refines Spec
END
is_deeply(doubts_of($live), ['rule: abort'], 'liveness and inclusion');

# ---- what is violated or cut is not doubted
my $wrong = write_file('wrong.pv', "system S { var x: 0..1 action go when x = 0 { x := 1 } action never when false invariant i: x = 0 }\n");
is_deeply(doubts((run_json('check', $wrong))[1]), [], 'a violation');
my $cut = write_file('cut.pv', "system S { var x: 0..99 action go when x < 99 { x := x + 1 } action late when x = 98 invariant i: true }\n");
is_deeply(doubts((run_json('check', $cut, '--limit-states', '5'))[1]), [], 'a search that was cut');

# ---- the library: no memory has a rule that never fires
for my $memory (qw(seq tpl dstm tl2 tml norec)) {
    my ($status, $result) = run_json('check', "models/tm/$memory.pv", '--property', 'opaque');
    is_deeply(doubts($result), [], "models/tm/$memory.pv");
}

# ---- timed: edges of templates
sub network {
    my ($name, $edges, $system, $query, $more) = @_;
    $more //= '';
    my $path = write_file("$name.xta", <<"END");
int v;
chan c; broadcast chan b;
$more
process P(int me) { clock x;
  state s0, s1, s2; init s0;
  trans s0 -> s1 { guard x >= 1; assign x = 0; }, s1 -> s0 { guard x <= 5; assign x = 0; }$edges; }
$system
END
    write_file("$name.q", "$query\n");
    return $path;
}

sub edges { return [map { s/ \(.*//r } @{ doubts($_[0]) }] }
my $one = "p = P(1); system p;";
my @timed = (
    ['impossible', ', s1 -> s2 { guard x > 3 && x < 2; }', $one, ['rule: P.s1 -> s2'], 'clock guards that contradict each other'],
    ['false', ', s1 -> s2 { guard 1 == 2; }', $one, ['rule: P.s1 -> s2'], 'a guard that is false at once'],
    ['late', ', s1 -> s2 { guard v == 7; }', $one, ['rule: P.s1 -> s2'], 'a guard over data'],
    ['beyond', ', s2 -> s0 { }', $one, ['rule: P.s2 -> s0'], 'an edge from where nothing leads'],
    ['alone', ', s1 -> s2 { sync c!; }', $one, ['rule: P.s1 -> s2'], 'a sender whom nobody hears'],
    ['deaf', ', s1 -> s2 { sync c?; }', $one, ['rule: P.s1 -> s2'], 'a receiver to whom nobody sends'],
    ['some', ', s1 -> s2 { guard me == 2; }', 'p = P(1); q = P(2); system p, q;', [], 'one of two processes takes it'],
    ['none', ', s1 -> s2 { guard me == 3; }', 'p = P(1); q = P(2); system p, q;', ['rule: P.s1 -> s2'], 'none of two does: said once'],
    ['meet', ', s1 -> s2 { guard me == 1; sync c!; }, s0 -> s2 { guard me == 2; sync c?; }, s2 -> s2 { guard me == 1; sync c?; }',
     'p = P(1); q = P(2); system p, q;', ['rule: P.s2 -> s2'], 'both edges of a pair are taken, a third is not'],
    ['listens', ', s1 -> s2 { sync b?; }', $one, ['rule: P.s1 -> s2'], 'who listens to a broadcast that nobody sends'],
    ['hears', ', s1 -> s2 { guard me == 1; sync b?; }, s0 -> s2 { guard me == 2; sync b!; }, s2 -> s2 { guard me == 3; sync b?; }',
     'p = P(1); q = P(2); system p, q;', ['rule: P.s2 -> s2'], 'one listener hears it, another is never there'],
    ['tells', ', s1 -> s2 { sync b!; }', $one, [], 'who sends one is'],
);
for my $t (@timed) {
    my ($name, $edges, $system, $expected, $what) = @$t;
    my ($code, $answer) = run_json('check', network($name, $edges, $system, 'A[] v == 0'));
    is("$code $answer->{verdict}", '0 holds', "timed, $name: holds");
    is_deeply(edges($answer), $expected, "timed: $what");
}
my $impossible = "$ENV{PARVIS_TMP}/impossible.xta";
($code, $answer) = run_json('check', $impossible, '--strict');
is("$code $answer->{verdict}", '3 unknown', 'timed, --strict: not known to hold');
like($answer->{properties}[0]{reason}, qr/--strict: 'P\.s1 -> s2 \(.*impossible\.xta:\d+:\d+\)' never happened/, 'which says why, and where');
like(qx($ENV{PARVIS} check $impossible), qr/^ +never happened: P\.s1 -> s2/m, 'timed: short in the text');
like(qx($ENV{PARVIS} check $impossible --statistics), qr/^ *P\.s0 -> s1 +[1-9]\d*$/m, 'timed: --statistics');
unlike(qx($ENV{PARVIS} check $impossible), qr/P\.s0 -> s1/, 'timed: no counts unasked');
unlike(qx($ENV{PARVIS} check $impossible -q), qr/never happened/, 'timed: nothing of it with -q');

my $still = write_file('still.xta', "int v;\nprocess P() { clock x; state a, b; init a; trans a -> b { guard x < 0; }; }\nsystem P;\n");
write_file('still.q', "A[] v == 0\n");
is_deeply([map { s/:.*//r } @{ doubts((run_json('check', $still))[1]) }], ['no step'], 'timed: nothing ever happens');
is((run_json('check', $still, '--strict'))[0], 3, 'timed: nothing ever happens, --strict');

# What ends the search early leaves nothing to doubt.
my $dead_edge = ', s1 -> s2 { guard v == 7; }';
is_deeply(edges((run_json('check', network('early', $dead_edge, $one, 'E<> p.s1')))[1]), [], 'timed: a run found ends the search');
is_deeply(edges((run_json('check', network('both', $dead_edge, $one, "E<> p.s1\nA[] v == 0")))[1]), ['rule: P.s1 -> s2'],
    'timed: not if another query goes on');
is_deeply(edges((run_json('check', network('broken', $dead_edge, $one, "A[] not p.s1\nA[] v == 0")))[1]), [], 'timed: a violation');
is_deeply(edges((run_json('check', network('cut', $dead_edge, $one, 'A[] v == 0'), '--limit-states', '1'))[1]), [], 'timed: a limit');
is_deeply(edges((run_json('check', network('lives', $dead_edge, $one, 'p.s2 --> p.s0')))[1]),
    ['premise: p.s2 --> p.s0', 'rule: P.s1 -> s2'], 'timed: liveness');

# Premises of queries, with clocks and without, and counters that a guard keeps back.
my $implied = 'A[] (p.s2 imply v == 0) and (p.s1 imply v == 0)';
is_deeply(doubts((run_json('check', network('premise', '', $one, $implied)))[1]), ["premise: $implied"], 'timed: one premise of two');
is_deeply(doubts((run_json('check', network('clocked', '', $one, 'A[] p.s1 and p.x > 9 imply v == 0')))[1]), [],
    'timed: what may be true for some clocks is not in doubt');
is_deeply(edges((run_json('check', network('counts', ', s0 -> s0 { guard k < 3; assign k = k + 1; }', $one, 'A[] v == 0',
    'int[0,3] k;')))[1]), ['bound: k'], 'timed: a counter at the end of its range');
my $nested = write_file('nested.pv', <<'END');
sort T
system S { rel q(T)
  action go(t: T) { q(t) := true }
  invariant i: forall t: T. q(t) -> (!q(t) -> exists u: T. q(u)) }
END
like(join(' ', map { $_->{text} } @{ (run_json('check', $nested))[1]{doubts} }), qr/q\(t\) & !q\(t\)/, 'a premise within a conclusion');

# compare doubts what it compares, too.
my $idle = write_file('idle.pv', <<'END');
sort T
system A { rel q(T)
  action go(t: T) { q(t) := true }
  action never(t: T)
    when q(t) & !q(t)
  { q(t) := false } }
END
my @compare = ('compare', "$idle:A", 'A', '--size', 'T=2');
is((run_json(@compare))[0], 0, 'compare: holds');
is((run_json(@compare, '--strict'))[0], 3, 'compare, --strict: unknown');
for my $how ([], ['--symmetry', 'off'], ['--threads', '1']) {
    ($code, $answer) = run_json('check', 'models/timed/fischer.xta', '--property', 'A[] not deadlock', @$how);
    is("$code $answer->{verdict}", '0 holds', "models/timed/fischer.xta @$how");
    is_deeply(doubts($answer), [], 'in which every edge is taken');
    is(scalar(grep { !$_->{fired} } @{ $answer->{rules} }), 0, 'and counted');
    is(scalar(@{ $answer->{rules} }), 5, 'an entry for each edge, not for each process');
}

# ---- prove
sub proved {
    my ($file, @args) = @_;
    my ($status, $result) = run_json('prove', $file, @args);
    return ($status, $result->{properties}[0]);
}

sub reads { my ($path) = @_; open my $in, '<', $path or die $!; local $/; return scalar <$in> }

# Any memory of the library whose commit can never happen is still right, and says so.
for my $memory (qw(tpl dstm tml)) {
    my $text = reads("models/tm/$memory.pv");
    $text =~ s/(action commit\(t: Thread\)\s*)(when )?/$2 ? "$1when false & " : "$1when false "/e or die;
    $text =~ s{use "\.\./}{use "}g;
    my $folder = "$ENV{PARVIS_TMP}/tm";
    mkdir $folder;
    system('cp', '-r', 'models/specs', $ENV{PARVIS_TMP});
    my $path = write_file("$memory.pv", $text);
    my ($status, $proof) = proved($path, '--property', 'strictly_serializable');
    is($status, 0, "$memory without commits holds for all sizes");
    is_deeply(doubts($proof), ['excluded: commit'], "$memory: commit can never happen");
    is((proved($path, '--property', 'strictly_serializable', '--strict'))[0], 3, "$memory: --strict");
}
my ($status, $proof) = proved('models/tm/dstm.pv', '--property', 'strictly_serializable');
is_deeply(doubts($proof), [], 'dstm as it is');

my $excluded = write_file('excluded.pv', <<'END');
sort T
system S {
  rel q(T), r(T)
  action go(t: T) { q(t) := true }
  action never(t: T) when r(t) { }
  invariant i: forall t, u: T. r(t) & q(u) -> t = u
  invariant j: forall t: T. !r(t) }
END
for my $how ([], ['--given']) {
    (undef, $proof) = proved($excluded, @$how);
    is_deeply(doubts($proof), ['excluded: never', 'premise: i'], "a rule and a premise that are excluded @$how");
}
my $contradiction = write_file('contradiction.pv', <<'END');
sort T
system S { const r(T): bool
  rel q(T)
  axiom a: forall t: T. r(t)
  axiom b: exists t: T. !r(t)
  action go(t: T) { q(t) := true }
  invariant i: forall t: T. !q(t) }
END
for my $how ([], ['--given']) {
    ($status, $proof) = proved($contradiction, @$how);
    is($status, 3, "axioms that contradict each other prove nothing @$how");
    like($proof->{reason}, qr/no initial state, at any size/, "which is said @$how");
}

# ---- prove looks at the next sizes
my $five = join ' & ', map { "q(x$_)" } 1 .. 5;
my $different = join ' & ', map { my $i = $_; map { "x$i != x$_" } $i + 1 .. 5 } 1 .. 4;
my $late = write_file('late.pv', <<"END");
sort T
system S { rel q(T)
  action go(t: T) { q(t) := true }
  invariant i: !(exists x1, x2, x3, x4, x5: T. $five & $different) }
END
($status, $proof) = proved($late);
is($status, 1, 'an invariant that fails with five elements');
is($proof->{scope}, 'T=5', 'at the size that shows it');
is($proof->{trace}{length}, 5, 'with a shortest trace');

# The same where the solver takes all the time it gets: a chain of definitions below `exists`, which no solver decides.
my $chain = join "\n  ", map { my $k = $_ - 1; "def d$_(t: T) = exists u: T. (d$k(u) -> s(t)) & (d$k(t) | r(u))" } 1 .. 14;
my $eats = write_file('eats.pv', <<"END");
sort T
system S {
  rel q(T), r(T), s(T)
  var p(T): bool = true
  def d0(t: T) = p(t)
  $chain
  action b(t: T) { s(t) := !s(t) }
  action c(t: T) when p(t) { r(t) := p(t) }
  action e(t: T) when p(t) & (forall u: T. !s(u) & !r(u)) { q(t) := true }
  invariant i: (exists t: T. d14(t) | r(t) | p(t)) & !(exists x1, x2, x3, x4, x5: T. $five & $different)
}
END
($status, $proof) = proved($eats, '--limit-time', '12s');
is($status, 1, 'a violation is found where the solver takes all the time');
is($proof->{scope}, 'T=5', 'at the size that shows it');

# Breaks when five clients hold the lock at once: a counter that the abstraction cannot bound.
my $trap = write_file('trap.m', <<'END');
const N: 3;
type client: scalarset(N);
var holds: array [client] of boolean; count: 0..9;
ruleset c: client do
  rule "take" !holds[c] & count < 9 ==> holds[c] := true; count := count + 1; end;
end;
startstate for c: client do holds[c] := false; end; count := 0; end;
invariant "few" count < 5;
END
($status, $proof) = proved($trap, '--limit-time', '20s');
is($status, 1, 'a Murphi model that breaks with five elements');
is($proof->{trace}{length} // 0, 5, 'with a shortest trace');

# ---- a specification with a condition on its start has no word where that is false
for my $condition ('init when exists t, u: T. t != u { clear done(_) }', 'axiom two: exists t, u: T. t != u') {
    my $text = "sort T\nsystem Impl { rel done(T) action go(t: T) { done(t) := true } }\n"
        . "system Spec { rel done(T)\n$condition\naction go(t: T) { done(t) := true } }\nproperty p: Impl refines Spec\n";
    my $file = write_file('start.pv', $text);
    is((run_json('check', $file, '--size', 'T=1'))[0], 1, "no start at size 1: $condition");
    is((run_json('prove', $file))[0], 3, 'so nothing is proved for all sizes');
}

# Axioms that leave no instance at the sizes that are looked at first: nothing was tried there.
for my $axiom ('forall a, b: Q. a = b', 'exists a, b, c: Q. a != b & b != c & c != a') {
    my $file = write_file('sizes.pv', <<"END");
sort Q
system S { const one(Q): bool
  axiom number: $axiom
  axiom alike: forall a: Q. one(a)
  var h(Q): bool
  action go(p: Q) when !one(p) { h(p) := true }
  action rest(p: Q) when !h(p)
  invariant empty: forall a: Q. !h(a) }
END
    my ($ended, $proof) = proved($file);
    is($ended, 0, "proved with $axiom");
    is_deeply(doubts($proof), ['excluded: go'], 'and what cannot happen is said, and nothing else');
    is((run_json('prove', $file, '--strict'))[0], 3, 'not with --strict');
}
done_testing();
