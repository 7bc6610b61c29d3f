#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# hidden: choices that are not part of a label, `action commit(t: Thread; n: Time)`. The twin of an action with a hidden
# number writes it out: one `also action` per number.
use strict;
use warnings;
use lib 'tests';
use Golden qw($two_clocks write_file answer);
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

# ---- witnesses: what a property says of the specification's choices never changes a verdict

sub value_of { return one_of('k', 'l', 'x', 'y', 'z') }
sub test_of { return join one_of(' & ', ' | '), map { value_of() . one_of(' = ', ' != ') . one_of(@_, 'x', 'y', 'z') } 0 .. rand 2 }
my ($tried, $lies, $shown, $refused) = ($ENV{PARVIS_LONG} ? 2000 : 60, 0, 0, 0);
for my $i (1 .. $tried) {
    my $text = "sort Thread\nsize Thread = 2\nenum E { x, y, z }\n";
    $text .= "system Spec {\n  var k, l: E\n";
    $text .= "  action $_(t: Thread; n: E) when " . test_of('n') . ' { ' . one_of('k', 'l') . " := n }\n" for qw(go stop);
    $text .= '  internal action turn(n: E) when ' . test_of('n') . ' { ' . one_of('k', 'l') . " := n }\n}\nsystem Impl {\n  var k, l: E\n";
    $text .= "  action $_(t: Thread) when " . test_of() . ' { ' . one_of('k', 'l') . ' := ' . value_of() . " }\n" for qw(go stop);
    $text .= '  internal action skip when ' . test_of() . ' { ' . one_of('k', 'l') . ' := ' . value_of() . " }\n}\n";
    $text .= "property plain: Impl refines Spec\nproperty given: Impl refines Spec\n";
    $text .= "  with $_(t): n = " . one_of(value_of(), 'Spec.k', 'if k = l then ' . value_of() . ' else ' . value_of()) . "\n" for qw(go stop);
    $text .= '  with skip: turn(' . one_of(value_of(), 'Spec.l') . ")\n" if rand() < 0.5;
    my $file = write_file('given.pv', $text);
    my $answer = answer('check', $file);
    my ($plain, $given) = map { $_->{verdict} } @{ $answer->{properties} };
    $shown += $plain eq 'holds';
    $refused += $plain eq 'violated';
    next if $plain eq $given && $plain =~ /holds|violated/ && @{ $answer->{properties} } == 2;
    $lies++;
    diag("case $i: $plain, $given\n$text");
}
print "# tally: refinements with witnesses against those without | $tried cases | $lies wrong\n";
is($lies, 0, "$tried refinements are decided alike with witnesses and without");
cmp_ok($_, '>', $tried / 10, 'of both kinds') for $shown, $refused;

my $kept = "$ENV{PARVIS_TMP}/kept.pv";
my $good = write_file('good.pv', $two_clocks, <<'END');
property slow: Slow refines Spec
  with tick(t; j): n = j
  with see(t): look(t)
END
is(answer('prove', $good, '--certificate', $held)->{verdict}, 'holds', 'proved for all sizes');
ok(answer('recheck', $held, $good)->{confirmed}, 'and rechecked');
is(answer('check', $good, '--certificate', $held)->{verdict}, 'holds', 'checked by the product');
ok(answer('recheck', $held, $good)->{confirmed}, 'and rechecked');
my $shown_again = qx($ENV{PARVIS} show $good);
like($shown_again, qr/with tick\(t; m\): n = m\n  with see\(t\): look\(t\)$/m, 'shown as written');
is(qx($ENV{PARVIS} show @{[write_file('again.pv', $shown_again)]}), $shown_again, 'what is shown reads back');

sub wrong_witness { my ($clause) = @_; return qx($ENV{PARVIS} check @{[write_file('wrong.pv', do { local (@ARGV, $/) = $good; <> } =~ s/  with tick.*/  $clause/sr)]} 2>&1) }
like(wrong_witness('with tick(t): k = now'), qr/unknown hidden parameter 'k'|'n' of the specification's 'tick' gets no value/, 'a choice that does not exist');
like(wrong_witness('with tick(t): n = t'), qr/the value of 'n' (?:is|has|must)/, 'one of another type');
like(wrong_witness('with tick: n = now'), qr/'tick' has 1 parameters? that (?:are|is) seen and 1 that (?:are|is) hidden/, 'names are missing');
like(wrong_witness('with tack(t): n = now'), qr/system 'Slow' has no action 'tack'/, 'an action that does not exist');
like(wrong_witness('with see(t): done(t)'), qr/'done' of 'Spec' is seen, and 'see' is not/, 'an internal step is answered by an internal one');
like(wrong_witness('with tick(t): look(t)'), qr/'tick' is seen/, 'a step that is seen by the action of its name');
like(wrong_witness("with see(t): look(t)\n  with see(t): look(t)"), qr/said twice/, 'once');
my $fails = write_file('fails.pv', <<'END');
sort T, N
system A { var c: 0..2  var f(0..2): N = any  action step(t: T) when c < 2 { c := c + 1 } }
system S { rel seen(N)  action step(t: T; n: N) { seen(n) := true } }
property p: A refines S
  with step(t): n = f(c - 1)
END
like(qx($ENV{PARVIS} prove $fails 2>&1), qr/the value of 'n' can fail/, 'what can fail is no value: the system has no fault there');
my $open = answer('prove', $clock);
is($open->{properties}[0]{verdict}, 'unknown', 'no term of the system is a time');
like($open->{properties}[0]{reason}, qr/none of the choices tried/, 'which is said');
is($open->{properties}[1]{verdict}, 'violated', 'what has a word too many is refuted by all words');
is($open->{properties}[1]{trace}{word}, 'tick(1) tick(1) tick(1)', 'a shortest one');

# ---- found: the same without the property's own clauses
my $bare = write_file('bare.pv', do { local (@ARGV, $/) = $good; <> } =~ s/  with tick.*//sr);
my $found = answer('prove', $bare, '--certificate', $held);
is($found->{verdict}, 'holds', 'the choices are found');
is_deeply([sort @{ $found->{properties}[0]{choices} }], ['with see(t): look(t)', 'with tick(t; m): n = m'], 'and shown');
ok(answer('recheck', $held, $bare)->{confirmed}, 'a certificate has them');
for (['"answer": "look"', '"answer": "done"'], ['"t0"', '"t1"'], ['"number": 0', '"number": 7'], ['"m1"', '"t0"']) {
    my ($from, $to) = @$_;
    my $text = do { local (@ARGV, $/) = $held; <> };
    my $count = $text =~ s/\Q$from\E/$to/g;
    my $forged = write_file('forged.cert', $text);
    ok($count && !answer('recheck', $forged, $bare)->{confirmed}, "forged: $to");
}
my $half = write_file('half.pv', do { local (@ARGV, $/) = $good; <> } =~ s/  with see.*//r);
is_deeply([sort @{ answer('prove', $half)->{properties}[0]{choices} // [] }], ['with see(t): look(t)', 'with tick(t; m): n = m'], 'what is said stays, the rest is found');
done_testing();
