#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# murphi_real: models that compute with CMurphi's `real(m, e)`, against a twin here: doubles, rounded to m digits by
# sprintf where they are stored. Random programs, step by step; ranges that are left; and two numbers of states that
# CMurphi 5.4.9 gives. A long run, with PARVIS_LONG, tries 3,000.
use strict;
use warnings;
use JSON::PP;
use Test::More;

use lib 'tests';
use Part qw(part_share part_seed);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $nmodels = $ENV{PARVIS_LONG} ? part_share(3000) : 150;

sub parvis {
    my (@args) = @_;
    open my $from, '-|', 'sh', '-c', '"$@" 2>&1', 'sh', $parvis, @args or die "$parvis: $!\n";
    my $text = do { local $/; <$from> };
    close $from;
    return ($text, $? >> 8);
}

sub put { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!\n"; print $out $text; close $out; return $file }

# ---- the twin

# undef: it does not fit.
sub stored {
    my ($x, $m, $e) = @_;
    return if $x != $x || abs($x) == 9**9**9;
    my $text = sprintf '%.*e', $m - 1, $x;
    my ($power) = $text =~ /e([-+]\d+)$/;
    return if $power > $e;
    return $power < 1 - $e ? 0 : $text + 0;
}

# An expression as text and as a function of the variables; constants have seven digits.
sub pick { return $_[ int rand @_ ] }

sub leaf {
    my ($reals) = @_;
    my $which = rand;
    if ($which < 0.6) { my $v = pick(@$reals); return [$v, sub { $_[0]{$v} }, 1] }
    if ($which < 0.8) { my $n = int rand 20; return [$n, sub { $n }, 0] }
    my $text = sprintf '%.*f', 1 + int rand 8, rand 30;
    return [$text, sub { sprintf('%.6e', $text) + 0 }, 1, 1];
}

sub expression {
    my ($depth, $reals) = @_;
    return leaf($reals) if !$depth || rand() < 0.2;
    my ($a, $b, $op) = (expression($depth - 1, $reals), expression($depth - 1, $reals), pick('+', '-', '*', '/'));
    my $v = pick(@$reals);
    $b = [$v, sub { $_[0]{$v} }, 1] if $op eq '/' || !$a->[2] || $a->[3];    # whole numbers and constants are folded
    my ($f, $g) = ($a->[1], $b->[1]);
    my $value = $op eq '+'   ? sub { $f->(@_) + $g->(@_) }
              : $op eq '-' ? sub { $f->(@_) - $g->(@_) }
              : $op eq '*' ? sub { $f->(@_) * $g->(@_) }
              :              sub { my $d = $g->(@_); $d == 0 ? 9**9**9 : $f->(@_) / $d };
    return ["($a->[0] $op $b->[0])", $value, 1];
}

sub comparison {
    my ($reals) = @_;
    my ($v, $b, $op) = (pick(@$reals), expression(1, $reals), pick('<', '<=', '>', '>='));
    my $g = $b->[1];
    my $value = $op eq '<'  ? sub { $_[0]{$v} < $g->(@_) }
              : $op eq '<=' ? sub { $_[0]{$v} <= $g->(@_) }
              : $op eq '>'  ? sub { $_[0]{$v} > $g->(@_) }
              :               sub { $_[0]{$v} >= $g->(@_) };
    return ["$v $op $b->[0]", $value];
}

# A model of one run, its text and its states; the last one may be missing because something did not fit.
sub model {
    my @reals = qw(x y z);
    my (%digits, %most);
    for (@reals) { $digits{$_} = 1 + int rand 6; $most{$_} = pick(2, 10, 99) }
    my %start = map { $_ => sprintf('%.2f', 0.1 + rand 20) } @reals;
    my $text = join('', map { "type t_$_ : real($digits{$_}, $most{$_});\n" } @reals) . 'var '
        . join(' ', map { "$_ : t_$_;" } @reals) . " n : 0..12;\nstartstate begin "
        . join(' ', map { "$_ := $start{$_};" } @reals) . " n := 0; end;\nrule \"step\" n < 12 ==> begin\n";
    my @parts;
    for (0 .. int rand 4) {
        my ($v, $e, $c) = (pick(@reals), expression(int(rand 3), \@reals), rand() < 0.4 ? comparison(\@reals) : undef);
        $text .= $c ? "  if $c->[0] then $v := $e->[0]; end;\n" : "  $v := $e->[0];\n";
        push @parts, [$v, $e->[1], $c && $c->[1]];
    }
    $text .= "  n := n + 1;\nend;\ninvariant \"end\" n < 12;\n";
    my %now = map { $_ => stored($start{$_}, $digits{$_}, $most{$_}) } @reals;
    my @states = ({%now});
    STEP: for (1 .. 12) {
        for my $p (@parts) {
            my ($v, $value, $holds) = @$p;
            next if $holds && !$holds->(\%now);
            $now{$v} = stored($value->(\%now), $digits{$v}, $most{$v});
            last STEP unless defined $now{$v};
        }
        push @states, {%now};
    }
    return ($text, \@states);
}

# What differs; '' for nothing.
sub difference {
    my ($text, $states) = @_;
    my ($said) = parvis('check', put("$tmp/r.m", $text), '--json', '--full-states', '--deadlock', 'none', '--threads', 1);
    my ($json) = $said =~ /^(\{.*\})/ms;
    my $answer = eval { decode_json($json // '') } or return "no answer: $said";
    my ($bad) = grep { $_->{trace} } $answer, @{ $answer->{properties} // [] };
    return "no trace: $said" unless $bad;
    my @found = ($bad->{trace}{initial}, grep { $_ } map { $_->{state} } @{ $bad->{trace}{steps} });
    return 'fits here: ' . @found . ' states, but ' . @$states if $bad->{reason} =~ /does not fit/ && @$states == 13;
    pop @found if @found > @$states;
    return @found . ' states, but ' . @$states . ": $bad->{reason}" if @found != @$states;
    for my $i (0 .. $#found) {
        for (qw(x y z)) { return "state $i: $_ is $found[$i]{$_}, but $states->[$i]{$_}" if $found[$i]{$_} != $states->[$i]{$_} }
    }
    return '';
}

my ($wrong, $faults, $seed) = (0, 0, part_seed(1));
for (1 .. $nmodels) {
    srand $seed++;
    my ($text, $states) = model();
    $faults += @$states < 13;
    my $how = difference($text, $states);
    next if $how eq '';
    diag('seed ', $seed - 1, ": $how\n$text");
    last if ++$wrong > 2;
}
is($wrong, 0, 'random programs store what a twin stores');
cmp_ok($faults, '>', $nmodels / 20, 'some leave their type');
print "# tally: steps of programs with real numbers against a twin | $nmodels cases | $wrong wrong\n";

# ---- other engines, symmetry, messages

my $levels = put("$tmp/levels.m", <<'END');
type node : scalarset(3); r : real(4, 20);
var level : array [node] of r; busy : array [node] of boolean; total : r;
startstate for n : node do level[n] := 0.5; busy[n] := false; end; total := 0; end;
ruleset n : node do
  rule "enter" forall m : node do !busy[m] end & level[n] * 2 < 30.5 ==>
    begin busy[n] := true; level[n] := level[n] * 1.5; end;
  rule "leave" busy[n] ==> begin busy[n] := false; total := total + 0.1; if total > 1 then total := 0; end; end;
end;
invariant "mutex" forall n : node do forall m : node do busy[n] & busy[m] -> n = m end end;
invariant "load" forall n : node do level[n] / 2 <= 15.3 end;
END

for my $engine (qw(bytecode machine native)) {
    like((parvis('check', $levels, '--deadlock', 'none', '--engine', $engine))[0], qr/load: holds.*\b715 states up to symmetry, 1,089 transitions/s,
        "orbits as CMurphi counts, $engine");
}
like((parvis('check', $levels, '--deadlock', 'none', '--symmetry', 'off'))[0], qr/\b3,700 states, 5,400 transitions/, 'states as CMurphi counts');
like((parvis('prove', $levels, '--property', 'mutex'))[0], qr/unknown: .*real numbers are computed/, 'no proof for any number');

# A round that fails, or ends the loop: which comes first depends on their order.
my $look = put("$tmp/look.m", <<'END');
type node : scalarset(2); r : real(4, 20);
var stop : array [node] of boolean; b : array [node] of r; x : r; done : boolean;
procedure look();
var tmp : r;
begin
  for n : node do if stop[n] then done := true; return; end; tmp := x / b[n]; end;
end;
startstate for n : node do stop[n] := false; b[n] := 1; end; x := 1; done := false; end;
ruleset n : node do
  rule "stop" !stop[n] ==> begin stop[n] := true; end;
  rule "zero" b[n] > 0 ==> begin b[n] := 0; end;
end;
rule "look" begin look(); end;
END
like((parvis('check', $look, '--symmetry', 'exact'))[0], qr/a round may fail/, 'a round that may fail tells elements apart');
unlike((parvis('check', $look))[0], qr/switched off/, 'nor is it left to the self-check');

my ($said, $code) = parvis('check', $levels, '--deadlock', 'none', '--certificate', "$tmp/levels.json");
is($code, 0, 'a certificate is written');
like((parvis('recheck', "$tmp/levels.json"))[0], qr/confirmed/, 'and confirmed');

for my $case (
    ['var x : real(9, 99);',  'x := 1;',        qr/real\(9, 99\) is too large/,              'more numbers than values'],
    ['var x : real(4, 10);',  'x := 1 % x;',    qr/real numbers have \+ - \* \//,            'an operator they do not have'],
    ['var x : 0..5;',         'x := 1.5;',      qr/a number expected, but this is a real number/, 'a real one for a whole one'],
    ['var x : real(4, 10);',  'x := true;',     qr/a number expected, but this is a boolean/, 'no number'],
    ['var x : real(4, 10);',  'x := 1; x := x / 0;', qr/a real number that does not fit/,   'a division by zero'],
    ['var x : real(4, 10);',  'undefine x; x := x + 1;', qr/x is undefined/,                 'undefined'],
  ) {
    my ($var, $body, $message, $what) = @$case;
    my $file = put("$tmp/bad.m", "$var b : boolean;\nstartstate begin b := true; end;\nrule begin $body end;\n");
    like((parvis('check', $file))[0], $message, $what);
}

done_testing;
