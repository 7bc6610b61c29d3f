#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# hidden: choices that are not part of a label, `action commit(t: Thread; n: Time)`. The twin of an action with a hidden
# number writes it out: one `also action` per number.
use strict;
use warnings;
use lib 'tests';
use Golden qw(write_file answer);
use Test::More;

sub verdict { my ($answer) = @_; return $answer->{properties}[0]{verdict} // $answer->{error} }

# ---- against the twin

srand 15;
sub one_of { return $_[int rand @_] }
sub term { return one_of('c', 'd', int rand 3, 'n', 'n', 'm') }
sub condition { return join one_of(' & ', ' | '), map { term() . one_of(qw(= != < <=)) . term() } 0 .. rand 3 }
sub statement { return one_of('c', 'd') . ' := ' . one_of('n', 'm', 'c', 'd', int rand 3) }

# The text of a system with its two actions; hidden numbers n and m are `;` parameters, or written out.
sub system_text {
    my ($name, $actions, $is_twin) = @_;
    my $text = "system $name {\n  var c, d: 0..2\n";
    for my $a (@$actions) {
        my ($shown, $rest) = @$a;
        if (!$is_twin) { $text .= "  action $shown(t: Thread; n, m: 0..2) $rest\n"; next }
        my $also = '';
        for my $n (0 .. 2) {
            for my $m (0 .. 2) {
                $text .= "  ${also}action $shown(t: Thread) " . $rest =~ s/\bn\b/$n/gr =~ s/\bm\b/$m/gr . "\n";
                $also = 'also ';
            }
        }
    }
    return "$text}\n";
}

my ($cases, $wrong, $differ) = ($ENV{PARVIS_LONG} ? 1000 : 25, 0, 0);
for my $i (1 .. $cases) {
    my @actions = map { [$_, 'when ' . condition() . ' { ' . statement() . '; ' . statement() . ' }'] } qw(go stop);
    my @others = map { [$_, 'when ' . condition() . ' { ' . statement() . ' }'] } qw(go stop);
    my $file = write_file('twin.pv', "sort Thread\nsize Thread = 2\n" . system_text('Hidden', \@actions, 0) .
        system_text('Twin', \@actions, 1) . system_text('Other', \@others, 0) . system_text('OtherTwin', \@others, 1));
    my $same = answer('compare', "$file:Hidden", 'Twin', '--by', 'equivalence');
    my $first = verdict(answer('compare', "$file:Other", 'Hidden')), my $second = verdict(answer('compare', "$file:OtherTwin", 'Twin'));
    $differ += $first ne 'holds';
    next if $same->{verdict} eq 'holds' && $first eq $second;
    $wrong++;
    diag("case $i: $same->{verdict}, $first, $second\n" . do { local (@ARGV, $/) = $file; <> });
}
print "# tally: hidden choices against written-out ones | $cases cases | $wrong wrong\n";
is($wrong, 0, "$cases systems with hidden choices are their twins");
cmp_ok($differ, '>', $cases / 5, 'and not all words are words of another');

# ---- what they are for

my $clock = write_file('clock.pv', <<'END');
ordered sort Time
sort Thread
size Thread = 2, Time = 3
system Spec {
  var last: Time
  action tick(t: Thread; n: Time) when last < n { last := n }
  action done(t: Thread) when forall m: Time. m <= last
}
system Slow { var c: 0..3  action tick(t: Thread) when c < 2 { c := c + 1 }  action done(t: Thread) when c = 2 }
system Fast { var c: 0..3  action tick(t: Thread) when c < 3 { c := c + 1 }  action done(t: Thread) when c > 0 }
property slow: Slow refines Spec
property fast: Fast refines Spec
END
my $held = "$ENV{PARVIS_TMP}/held.cert";
my $answer = answer('check', $clock, '--certificate', $held);
is($answer->{properties}[0]{verdict}, 'holds', 'a specification may choose what is not seen');
is($answer->{properties}[1]{trace}{word}, 'tick(1) tick(1) tick(1)', 'three times are not enough for three ticks; the word has no time');
ok(answer('recheck', $held)->{confirmed}, 'rechecked');
like(qx($ENV{PARVIS} show $clock), qr/action tick\(t: Thread; n: Time\)/, 'shown as written');
like(qx(echo 'take 1' | $ENV{PARVIS} simulate $clock --system Spec 2>&1), qr/tick\(1;\d\)/, 'a step shows what was chosen');
my $both = write_file('both.pv', <<'END');
sort T
size T = 1
system A { var a: 0..2  action go(t: T; n: 0..2) when a <= n { a := n } }
system B { var b: 0..2  action go(t: T; n: 0..2) when b < n { b := n } }
compose C = A || B
END
is(verdict(answer('compare', "$both:C", 'B', '--by', 'equivalence')), 'holds', 'parts that move together choose apart');

my $odd = write_file('odd.pv', "sort T\nsystem S { internal action go(t: T; n: T) }\n");
like(qx($ENV{PARVIS} show $odd 2>&1), qr/nothing of an internal action is seen: write ',' instead of ';'/, 'an internal action has nothing to hide');
my $only = write_file('only.pv', "system S { var c: 0..2  action go(; n: 0..2) when c < n { c := n } }\n");
like(qx($ENV{PARVIS} show $only), qr/action go\(; n: 0..2\)/, 'all may be hidden');
done_testing();
