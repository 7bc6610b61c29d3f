#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# ordered: what the language says of ordered sorts: `choose n: Time above x`, next(x), max and min. The twin has numbers
# 0..2 instead, a parameter with a guard and x + 1: same states, same verdicts, same words.
use strict;
use warnings;
use lib 'tests';
use Golden qw(write_file answer);
use Test::More;

# The verdict of each property, and how many states there are.
sub found { my ($answer) = @_; return join ' ', (map { $_->{verdict} } @{ $answer->{properties} }), $answer->{states} // 'none' }

# ---- against the twin

srand 151;
sub one_of { return $_[int rand @_] }
sub place { return one_of('c', 'd', 'at(t)', 'at(u)') }
sub term {
    my ($depth) = @_;
    my $kind = $depth ? int rand 6 : 0;
    return place() if $kind < 3;
    return 'next(' . term($depth - 1) . ')' if $kind == 3;
    return one_of('max', 'min') . '(' . term($depth - 1) . ', ' . term($depth - 1) . ')';
}
sub condition { return join one_of(' & ', ' | '), map { place() . one_of(qw(= != < <=)) . place() } 0 .. rand 2 }

# The same with numbers; what next is said of goes to @$below.
sub in_numbers {
    my ($text, $below) = @_;
    while ($text =~ /\b(max|min|next)\(((?:[^()]|\((?:[tu])\))*)\)/) {
        my ($word, $inside, $from, $length) = ($1, $2, $-[0], $+[0] - $-[0]);
        my ($x, $y) = split /, /, $inside;
        my $made = $word eq 'next' ? "[$x + 1]" : $word eq 'max' ? "[if $x <= $y then $y else $x]"
            : "[if $x <= $y then $x else $y]";
        push @$below, $x if $word eq 'next';
        substr($text, $from, $length) = $made;
    }
    return $text;
}

sub action {
    my ($name, $is_twin) = @_;
    my $above = rand() < 0.6 ? term(1) : undef;
    my $guard = rand() < 0.6 ? 'c <= c' : condition();
    my @body = map { one_of('c', 'd', 'at(t)') . ' := ' . (defined $above && rand() < 0.5 ? 'n' : term(2)) } 0 .. rand 2;
    my $choose = defined $above ? " choose n: Time above $above" : '';
    my $shown = "  action $name(t, u: Thread)$choose when $guard { " . join('; ', @body) . " }\n";
    my @below;
    my $numbers = join '; ', map { in_numbers($_, \@below) } @body;
    my $low = defined $above ? in_numbers($above, \@below) : '';
    my $twin = "  action $name(t, u: Thread" . ($low ? '; n: 0..2' : '') . ') when ' . join(' & ', (map { "$_ < 2" } @below),
        ($low ? "$low < n" : ()), "($guard)") . " { $numbers }\n";
    return ($shown, $twin =~ tr/[]/()/r);
}

my ($cases, $wrong, $large) = ($ENV{PARVIS_LONG} ? 1000 : 60, 0, 0);
for my $k (1 .. $cases) {
    my ($sorted, $twin) = ('', '');
    for my $name ('a', 'b') { my ($s, $t) = action($name); $sorted .= $s; $twin .= $t }
    my $invariant = condition() =~ s/\bat\([tu]\)/c/gr;
    my @answers;
    for my $n (0, 1) {
        my $time = $n ? '0..2' : 'Time';
        my $file = write_file("twin$n.pv", "sort Thread\nordered sort Time\nsystem S {\n  var c, d: $time\n  var `at`(Thread): $time\n"
            . ($n ? $twin : $sorted) =~ s/\bat\(/`at`(/gr . "  invariant holds_here: $invariant\n  invariant all: c <= c | d < c\n}\n");
        my $size = $n ? '1' : '3';
        push @answers, scalar answer('check', $file, '--size', "Thread=2,Time=$size", '--all-invariants');
    }
    my ($s, $t) = map { found($_) } @answers;
    my $same = $s eq $t && $s =~ /holds/;
    $large++ if $s =~ /(\d+)$/ && $1 > 10;
    next if $same;
    $wrong++;
    diag "case $k:\n$sorted$twin$invariant\n", "$s, $t\n", Golden::read_file("$Golden::tmp/err") if $wrong == 1;
}
is $wrong, 0, "$cases systems with ordered sorts have the states of those with numbers";
cmp_ok $large, '>', $cases / 6, 'and enough of them';
print "# tally: ordered sorts against numbers | $cases cases | $wrong wrong\n";

# ---- what is said about it

sub said { my ($text) = @_; return scalar qx($ENV{PARVIS} show @{[write_file('odd.pv', $text)]} 2>&1) }
my $sorts = "sort Thread\nordered sort Time\nsystem S {\n  var c: Time\n  var n(Thread): 0..3\n";
like said("$sorts  action go(t: Thread) choose m: Time above c { c := m }\n}\n"), qr/go\(t: Thread; m: Time\) when c < m/, 'a choice is hidden';
like said("$sorts  internal action go choose m: Time above c { c := m }\n}\n"), qr/internal action go\(m: Time\) when c < m/, 'or a parameter';
like said("$sorts  def d = next(c) = c\n}\n"), qr/'next' stands only in actions/, 'next belongs to steps';
like said("$sorts  proc p { c := next(c) }\n  action go { p() }\n}\n"), qr/a proc takes it as an argument/, 'not to procs, which take it as an argument';
like said("$sorts  action go { forall t: Thread { n(t) := next(n(t)) } }\n}\n"), qr/ordered sort, this is 0\.\.3/, 'of ordered sorts';
like said("$sorts  var f(Thread): Time\n  action go { forall t: Thread { f(t) := next(f(t)) } }\n}\n"), qr/bound inside the action/,
    'one element per step';
like said("$sorts  action go(t: Thread) { n(t) := max(n(t), 2) }\n}\n"), qr/if n\(t\) <= 2 then 2 else n\(t\)/, 'max of numbers';
{
    my $deep = 'n(t)';
    $deep = "max($deep, " . ($_ % 2 ? 'min(n(t), 2)' : '1') . ')' for 1 .. 60;
    my $file = write_file('deep.pv', "$sorts  action go(t: Thread) { n(t) := $deep }\n  invariant low: forall t: Thread. n(t) < 2\n}\n");
    like scalar qx(timeout 60 $ENV{PARVIS} check $file --size Thread=1,Time=1 2>&1), qr/low: holds/, 'sixty in one another take no time';
}
like said("$sorts  action go(t, u: Thread) when max(t, u) = t\n}\n"), qr/values of Thread have no order/, 'not of threads';
like said("$sorts  def next(t: Time) = c < t\n  action go(t: Time) when next(t)\n}\n"), qr/when next\(t\)/, "the user's own next comes first";
like scalar qx($ENV{PARVIS} check @{[write_file('clock.pv', "$sorts  action go { c := next(c) }\n  invariant low: forall t: Thread. n(t) < 3\n}\n")]} --size Thread=1,Time=3 2>&1),
    qr/last Time was reached/, 'a clock that reaches its end is told of';

done_testing;
