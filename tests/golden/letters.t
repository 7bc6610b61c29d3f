#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# letters: words are made of actions and arguments, not of what is printed; who acts is found by the sort of threads or
# said with `by`; a system without a start has no words; managers and liveness as the documents have them.
use strict;
use warnings;
use lib 'tests';
use Golden qw(write_file answer);
use Test::More;

my $cases = 'tests/golden/cases';

sub verdicts { my ($answer) = @_; return { map { $_->{name} => $_->{verdict} } @{ $answer->{properties} } } }

# ---- values of unions are values of their members, wherever these stand in the union
sub union_file {
    my ($name, $members, $one) = @_;
    my $path = write_file("$name.pv", <<"END");
type A : scalarset(1); B : scalarset(2); U : union { $members };
var x : boolean; on : array [U] of boolean;
startstate for u : U do on[u] := false; end; x := false; end;
ruleset u : U; v : U do rule "go" ismember(u, $one) & !ismember(v, $one) & !x ==> x := true; end; end;
END
    rename $path, $path =~ s/pv$/m/r or die $!;
    return $path =~ s/pv$/m/r;
}
my $first_a = union_file('ab', 'A, B', 'A');
for (['holds', 'A'], ['violated', 'B']) {
    my ($verdict, $one) = @$_;
    my $other = union_file('ba', 'B, A', $one);
    my $held = "$ENV{PARVIS_TMP}/held.cert";
    is(answer('compare', $first_a, $other, '--certificate', $held, '--by', $_)->{properties}[0]{verdict}, $verdict, "unions: $one, $_")
        for qw(inclusion simulation);
    my $confirmed = answer('recheck', $held)->{confirmed};
    ok($confirmed, 'and rechecked') if $verdict eq 'holds';
}
is(answer('compare', write_file('right.pv', <<'END') . ':L', 'R', '--size', "K=$_")->{properties}[0]{verdict}, $_ == 1 ? 'holds' : 'violated', "K=$_ of the second system alone") for 1, 2;
sort K
system L { var x: bool = false  action b when true { x := false } }
system R { var y: bool = false  action b when forall p: K. forall q: K. p = q { y := false } }
END

# ---- an action named like a label of the papers
my $clash = "$cases/label_clash.pv";
is_deeply(verdicts(answer('check', $clash)), { pq => 'violated', pr => 'violated' }, 'r1_1 is not read(1,1): refinement');
for my $by (qw(inclusion simulation)) {
    is(answer('compare', "$clash:P", "$clash:$_", '--by', $by)->{properties}[0]{verdict}, 'violated', "r1_1 is not read(1,1): $by in $_")
        for qw(Q R);
}
like(qx($ENV{PARVIS} minimize $clash --system Z), qr/minimal automaton of 3 states/, 'r1_1 and read(1,1) are two letters of one system');
like(answer('check', $clash)->{properties}[0]{trace}{word}, qr/^r1_1$/, 'the action is shown by its name');
my $two = write_file('two.pv', "sort Thread, Loc\nsize Thread = 1, Loc = 1\nsystem Z { action r1_1 action read(t: Thread, v: Loc) }\n");
unlike(qx($ENV{PARVIS} minimize $two --dot), qr/r1_1.*r1_1/s, 'labels that would read alike are written differently');

# ---- literals and numbers
my $mixed = write_file('mixed.pv', <<'END');
enum Colour { one, two }
system A { action put(c: Colour) }
system B { action put(c: 0..1) }
END
is(answer('compare', "$mixed:A", "$mixed:B")->{properties}[0]{verdict}, 'violated', 'a literal is no number');

# ---- who acts
my %live = (so => 'violated', sl => 'violated', sw => 'violated');
is_deeply(verdicts(answer('check', "$cases/live_thread_second.pv")), \%live, 'the thread may be the second parameter');
my $order = write_file('order.pv', <<'END');
sort Thread, Loc
size Thread = 2, Loc = 2
system A { action read(t: Thread, v: Loc) action commit(t: Thread) action abort(t: Thread) }
system B { action read(v: Loc, t: Thread) action commit(t: Thread) action abort(t: Thread) }
END
is(answer('compare', "$order:A", "$order:B", '--by', 'equivalence')->{verdict}, 'holds', 'the order of parameters is no part of a letter');
my $strangers = write_file('strangers.pv', <<'END');
sort Thread, Loc
size Thread = 2, Loc = 2
system A { action read(v: Loc, t: Thread) when t = t }
system B { rel r(Thread)
 action read(v: Loc, t: Thread) { r(t) := true }
 action commit(t: Thread) when r(t)
 internal action idle }
system C { action read(t: Thread, v: Loc) }
system D { action put(t: Thread) }
system E { action put(v: Loc) }
property ab: A refines B
END
is(verdicts(answer('check', $strangers))->{ab}, 'holds', 'what else a specification does is no part of a letter');
for my $pair (['A', 'C', 'holds'], ['B', 'C', 'violated'], ['C', 'B', 'holds'], ['D', 'E', 'violated']) {
    my ($left, $right, $verdict) = @$pair;
    my $compared = answer('compare', "$strangers:$left", "$strangers:$right", '--certificate', "$ENV{PARVIS_TMP}/l.cert");
    is($compared->{properties}[0]{verdict}, $verdict, "arguments go by their sorts: $left, $right");
    next if $verdict ne 'holds';
    is(system("$ENV{PARVIS} recheck $ENV{PARVIS_TMP}/l.cert $strangers > /dev/null"), 0, "and recheck agrees: $left, $right");
}
my $others = write_file('others.pv', <<'END');
sort Thread
system S { action help(t: Thread, by u: Thread) }
system Spec { action help(t: Thread, u: Thread) }
property s: S refines Spec
END
like(qx($ENV{PARVIS} check $others 2>&1), qr/'help' is a step of another parameter here than in the specification 'Spec'.*say 'by u' in both/s,
     'a system and its specification agree on who acts');
my $helping = sub {
    my ($params) = @_;
    return write_file('helping.pv', <<"END");
sort Thread
size Thread = 2
system S { rel b(Thread)
 action commit(t: Thread) when !b(t)
 action abort(t: Thread) when b(t) { b(t) := false }
 action help($params) when t != u { b(t) := true } }
property so: S obstruction_free
END
};
is(verdicts(answer('check', $helping->('t, u: Thread')))->{so}, 'violated', 'help is a step of t, who dooms itself');
is(verdicts(answer('check', $helping->('t, by u: Thread')))->{so}, 'holds', 'by u: help is a step of u');
my $said = $helping->('t, by u: Thread');
like(answer('check', $said)->{properties}[0]{reason}, qr/threads are of sort Thread; 'help' is a step of its parameter u/, 'who acts is shown');
like(qx($ENV{PARVIS} show $said), qr/help\(t, by u: Thread\)/, 'by is printed');
my $twice = $helping->('by t, by u: Thread');
like(qx($ENV{PARVIS} check $twice 2>&1), qr/one thread acts in a step/, 'only one parameter acts');

# ---- no start, no words
my $empty = "$cases/spec_without_start.pv";
is(verdicts(answer('check', $empty))->{qp}, 'violated', 'a specification without a start allows nothing');
is(answer('compare', "$empty:Q", "$empty:P")->{properties}[0]{verdict}, 'violated', 'not the empty word');
is(answer('compare', "$empty:P", "$empty:Q")->{properties}[0]{verdict}, 'unknown', 'a system without a start is not compared');
my $nothing = write_file('nothing.pv', "system P { var x: 0..1 init when x = 1 { x := 0 } action a invariant p: x = 1 }\n");
is(verdicts(answer('check', $nothing))->{p}, 'unknown', 'an invariant of no state at all is not said to hold');

my $still = write_file('still.pv', <<'END');
sort Thread, Loc
system Still {
  var x: 0..1
  rel live(Thread)
  init when x = 1 { x := 0 }
  action read(t: Thread, v: Loc) { live(t) := true }
  action write(t: Thread, v: Loc) { live(t) := true }
  action commit(t: Thread) when live(t) { live(t) := false }
  action abort(t: Thread) { live(t) := false }
}
property of: Still obstruction_free
END
is(verdicts(answer('check', $still))->{of}, 'unknown', 'nor that no loop of it breaks a promise');
is(join(' ', sort map { $_->{verdict} } @{ answer('check', $still, '--structural')->{properties} }), 'unknown unknown',
   'nor that the reduction to two threads applies to it');

# ---- every start of a system counts in its product with a specification that has one
for my $refused (0 .. 2) {
    my $starts = write_file('starts.pv', <<"END");
system Q { var x: 0..2 init { x := 0 } init { x := 1 } init { x := 2 }
  action a when x = $refused action b when x != $refused }
system P { action a when false action b }
property qp: Q refines P
END
    is(verdicts(answer('check', $starts))->{qp}, 'violated', "start $refused of three is refused its step");
}

# ---- managers and liveness, as doc/language.md and doc/language-view.md have them
is_deeply(verdicts(answer('check', "$cases/doc_universal_liveness.pv")), { ou => 'holds', ob => 'violated' },
          'obstruction freedom with the universal manager says nothing about one that waits');
is(verdicts(answer('check', "$cases/doc_no_step_may_abort.pv"))->{d}, 'violated', 'a manager that allows nothing leaves threads stuck');
is(verdicts(answer('check', "$cases/doc_abort_per_command.pv"))->{o}, 'violated', 'a command without a step is abort enabled');
done_testing();
