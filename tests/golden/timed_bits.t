#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_bits: operators on bits of all numbers of 32 bits in timed models, against Perl's; -2^31, which is no value here, ends
# in `unknown` where it is computed, and nowhere else.
use strict;
use warnings;
use integer;
use Test::More;

my ($parvis, $tmp) = @ENV{qw(PARVIS PARVIS_TMP)};
srand 31;
my $least = -2147483648;
my @shapes = (sub { int rand 16 }, sub { -1 - int rand 16 }, sub { int rand 2147483647 }, sub { -1 - int rand 2147483647 }, sub { 2147483647 - int rand 4 },
    sub { -2147483647 + int rand 4 }, sub { (1 << int rand 31) - int rand 2 }, sub { 1 - (1 << int rand 31) - int rand 2 });
sub number { my $n = $shapes[rand @shapes]->(); return $n < -2147483647 || $n > 2147483647 ? 0 : $n }
sub wrap { my ($x) = @_; $x &= 0xffffffff; return $x > 2147483647 ? $x - 4294967296 : $x }
my %of = ('&' => sub { wrap($_[0] & $_[1]) }, '|' => sub { wrap($_[0] | $_[1]) }, '^' => sub { wrap($_[0] ^ $_[1]) });
sub answer {
    my ($op, @pairs) = @_;
    open my $out, '>', "$tmp/bits.xta" or die $!;
    printf $out "const int K = %d;\nint32_t a[K] = { %s };\nint32_t b[K] = { %s };\nint32_t is[K] = { %s };\nint[0, K] at = 0;\nint[0, K] bad = 0;\n", scalar @pairs,
        map { my $i = $_; join ', ', map { $_->[$i] } @pairs } 0 .. 2;
    print $out "process P() { state s; init s; trans s -> s { guard at < K; assign bad += (a[at] $op b[at]) == is[at] ? 0 : 1, at++; }; }\nsystem P;\n";
    close $out or die $!;
    return qx("$parvis" check "$tmp/bits.xta" -q --query 'A[] bad == 0' --query 'E<> at == K' 2>&1);
}

my ($cases, $wrong) = (0, 0);
for my $op (sort keys %of) {
    my @pairs = map { my ($x, $y) = (number(), number()); [$x, $y, $of{$op}->($x, $y)] } 1 .. 400;
    push @pairs, [-1, -2147483647, $of{$op}->(-1, -2147483647)], [0, 0, 0], [5, 2147483647, $of{$op}->(5, 2147483647)];
    my @plain = grep { $_->[2] != $least } @pairs;
    my $said = answer($op, @plain);
    my $ok = $said =~ /^A\[\] bad == 0: holds$/m && $said =~ /^E<> at == K: holds$/m;
    ok($ok, "$op on " . @plain . ' pairs') or diag($said);
    $cases += @plain;
    $wrong += !$ok;
}
print "# tally: bits of 32-bit numbers in timed models | $cases cases | $wrong wrong\n";
for my $case (['&', -2147483647, -2147483646], ['&', -2147483640, -2147483647], ['^', -2147483647, 1], ['^', 7, -2147483641]) {
    my ($op, $x, $y) = @$case;
    is($of{$op}->($x, $y), $least, "$x $op $y is no value here");
    like(answer($op, [$x, $y, 0]), qr/^A\[\] bad == 0: unknown: a number or a recursion goes beyond/m, 'which is said');
}

# INT32_MIN by name: where nobody computes with it, it does no harm.
sub fits {
    my ($n) = @_;
    open my $out, '>', "$tmp/least.xta" or die $!;
    print $out "int m = $n;\nbool fits(int lhs, int rhs) { if (lhs >= 0) return rhs <= (INT32_MAX - lhs); return rhs >= (INT32_MIN - lhs); }\n",
        "process P() { state a, b; init a; trans a -> b { guard fits(m, 4); }; }\nsystem P;\n";
    close $out or die $!;
    return qx("$parvis" check "$tmp/least.xta" -q --query 'E<> P.b' 2>&1);
}
like(fits(3), qr/^E<> P\.b: holds$/m, 'INT32_MIN that is not evaluated');
like(fits(-3), qr/^E<> P\.b: unknown/m, 'and one that is');
done_testing();
