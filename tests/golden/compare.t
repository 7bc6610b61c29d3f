#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# compare: verdicts, separating words and exit codes of `parvis compare`. Table 1 of Guerraoui, Henzinger and Singh
# (CONCUR 2008) and the equivalences of its section 3.3 are the expectations.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;

my $parvis = $ENV{PARVIS};

sub compare {
    my ($left, $right, @args) = @_;
    open my $out, '-|', 'sh', '-c', 'exec "$0" "$@" 2> "$PARVIS_TMP/err" < /dev/null', $parvis, 'compare', $left, $right, @args, '--json' or die $!;
    my $text = do { local $/; <$out> };
    close $out;
    return ($? >> 8, decode_answer($text));
}

sub algorithm { return "models/tm-algorithms/$_[0].pv" }
my ($a_ss, $a_op, $s_ss, $s_op) = map { "models/specs/$_" } qw(a_ss.pv a_op.pv sigma_ss.pv:SigmaSS sigma_op.pv:SigmaOP);

# Strict serializability, opacity: 0 or the length of the printed counterexample.
my %table = (seq => [0, 0], '2pl' => [0, 0], dstm => [0, 0], tl2 => [0, 0], occ => [0, 4], tl2_modified => [6, 6],
             dstm_universal => [0, 0], tl2_universal => [0, 0], tml => [0, 0], norec => [0, 0]);
for my $name (sort keys %table) {
    my @columns = ([$s_ss, 'inclusion', 0], [$s_op, 'inclusion', 1], [$a_ss, 'inclusion', 0], [$a_op, 'inclusion', 1],
                   [$a_ss, 'simulation', 0], [$a_op, 'simulation', 1]);
    for my $column (@columns) {
        my ($spec, $by, $which) = @$column;
        my ($code, $answer) = compare(algorithm($name), $spec, '--by', $by);
        my $length = $table{$name}[$which];
        my $entry = $answer->{properties}[0];
        is($code, $length ? 1 : 0, "$name, $spec, $by");
        is(scalar(split ' ', $entry->{trace}{word}), $length, "$name, $spec, $by: length of the word") if $length;
    }
}
my ($code, $answer) = compare(algorithm('occ'), $s_op);
like($answer->{properties}[0]{trace}{word}, qr/^w(\d)_(\d) r\1_(?!\2)(\d) c_\2 r\1_\3$/, 'occ: w1 of the paper, up to renaming');

# Specifications against each other.
for my $pair ([$a_ss, $s_ss], [$a_op, $s_op], [$a_ss, 'models/specs/strict_serializability.pv'], [$a_op, 'models/specs/opacity.pv']) {
    ($code, $answer) = compare(@$pair, '--by', 'equivalence');
    is($code, 0, "@$pair are equivalent");
    is(scalar @{ $answer->{properties} }, 2, 'both directions are answered');
    is(join(' ', map { $_->{method} } @{ $answer->{comparisons} }), 'product antichains', 'by product and by antichains');
}
($code, $answer) = compare($s_op, 'models/specs/opacity.pv', '--size', 'Thread=3,Loc=2', '--limit-states', '2M');
is($code, 1, 'the printed opacity automaton is wrong for three threads');
is(scalar(split ' ', $answer->{properties}[0]{trace}{word}), 8, 'by a word of eight statements');
($code) = compare('models/specs/opacity.pv', 'models/specs/strict_serializability.pv');
is($code, 0, 'opaque words are strictly serializable');

# Names, sizes, mistakes.
($code, $answer) = compare(algorithm('occ'), 'Opacity');
is($code, 1, 'the second system by its name alone');
($code, $answer) = compare(algorithm('seq'), 'Opacity', '--size', 'Thread=1..2,Loc=1');
is($code, 0, 'a range of sizes');
is(scalar @{ $answer->{comparisons} }, 2, 'one comparison a size');
($code, $answer) = compare(algorithm('tl2'), $s_ss, '--limit-states', '100');
is($code, 3, 'unknown at a limit');
like($answer->{properties}[0]{reason}, qr/limit of 100 states/, 'and why');
($code) = compare(algorithm('seq'), 'Opasity');
is($code, 2, 'an unknown system');
($code) = compare(algorithm('seq'), 'models/specs/none.pv');
is($code, 2, 'an unknown file');
($code) = compare(algorithm('seq'), 'Opacity', '--by', 'magic');
is($code, 2, 'an unknown way to compare');

# Words do not tell choices apart, steps do: after a, either b or c, against a choice at a.
my $tmp = $ENV{PARVIS_TMP};
open my $late, '>', "$tmp/choice.pv" or die $!;
print $late <<'END';
system Late { var pc: 0..2 = 0
  action a when pc = 0 { pc := 1 }
  action b when pc = 1 { pc := 2 }
  action c when pc = 1 { pc := 2 } }
system Early { var pc: 0..3 = 0
  action a when pc = 0 { pc := 1 }
  also action a when pc = 0 { pc := 2 }
  action b when pc = 1 { pc := 3 }
  action c when pc = 2 { pc := 3 } }
END
close $late;
($code) = compare("$tmp/choice.pv:Late", 'Early', '--by', 'equivalence');
is($code, 0, 'an early choice has the same words');
($code) = compare("$tmp/choice.pv:Early", 'Late', '--by', 'simulation');
is($code, 0, 'an early choice is simulated by a late one');
($code, $answer) = compare("$tmp/choice.pv:Late", 'Early', '--by', 'simulation');
is($code, 1, 'but not the other way round');
like($answer->{properties}[0]{reason}, qr/^every word is a word of both/, 'and that is what is said');

# Sizes that only the second file says count, and so do sorts that only it has: B takes steps if Most has two elements.
sub write_model { my ($name, $text) = @_; open my $out, '>', "$tmp/$name" or die $!; print $out $text; close $out }
write_model('first.pv', "sort T\nsystem A { rel on(T)  action go(t: T) when !on(t) { on(t) := true } }\n");
write_model('second.pv', <<'END');
sort T, Most
size T = 3, Most = 3
system B { rel on(T) rel used(Most)
  action go(t: T) when !on(t) & (exists m, n: Most. m != n & !used(m)) { on(t) := true }
}
END
($code, $answer) = compare("$tmp/first.pv", "$tmp/second.pv");
is($answer->{scope}, 'T=3, Most=3', 'the sizes of the second file count');
($code, $answer) = compare("$tmp/first.pv", "$tmp/second.pv", '--size', 'Most=1,T=1');
is($code, 1, 'a sort of the second file only has the size that is asked for: no step with one element');
is($answer->{scope}, 'T=1, Most=1', 'and it is shown');
($code) = compare("$tmp/first.pv", "$tmp/second.pv", '--size', 'Most=2,T=1');
is($code, 0, 'one step with two');
($code, $answer) = compare("$tmp/first.pv", "$tmp/second.pv", '--size', 'Mst=1');
is($code, 2, 'a sort of neither is an error');
($code, $answer) = compare($a_ss, $s_ss, '--limit-memory', '1M');
is($code, 3, 'unknown at a limit of memory');
done_testing;
