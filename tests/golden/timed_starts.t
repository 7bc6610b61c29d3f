#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_starts: clocks that do not start at 0, and what is left out with a warning (fractions, costs). Verdicts are read off the
# model by hand: x is 5 and y is 3 at the start, so that y <= 7 allows 4 units of time and x >= 8 takes 3 of them.
use strict;
use warnings;
use lib 'tests';
use Golden qw($tmp write_file run);
use Test::More;

my $model = write_file('starts.xta', <<'END');
const int FIVE = 5;
clock x = FIVE, z[2] = {1, 2.0};
process P() {
  clock y = 3.0;
  state l { y <= 7 && cost' == 3 }, m;
  init l;
  trans l -> m { guard x >= 8; assign cost += 2, reward += 1; };
}
system P;
END
my %is = ('E<> P.m' => 'holds', 'E<> P.m and x < 8' => 'violated', 'E<> z[1] - z[0] != 1' => 'violated', 'A<> P.m' => 'holds',
    'E<> P.l and P.y == 7' => 'holds', 'A[] P.l imply x <= 9' => 'holds', 'E<>[<=3] P.m' => 'holds', 'E<>[<3] P.m' => 'violated',
    'sup{P.l}: x' => 'holds: sup: 9', 'inf{P.m}: z[1]' => 'holds: inf: 5', 'P.l -->[<=4] P.m' => 'holds', 'P.l -->[<=3] P.m' => 'violated');
for my $query (sort keys %is) {
    like((run('check', $model, '-q', '--query', "'$query'"))[0], qr/: \Q$is{$query}\E/, "$query: $is{$query}");
}
my ($out) = run('check', $model, '--full-states', '--query', "'E<> P.m'");
like($out, qr/warning: costs and rewards are not followed/, 'costs are left out, which is said');
like($out, qr/x = 8  z\[0\] = 4  z\[1\] = 5  P\.y = 6/, 'the run has the clocks as they are');
like((run('simulate', $model, '< /dev/null'))[0], qr/x = 5  z\[0\] = 1  z\[1\] = 2  P\.y = 3\n.*for 4, .*\n +1 \[3, 4\]/, 'a walk starts with them');
run('check', $model, '-q', '--query', "'A[] P.l imply x <= 9'", '--certificate', "$tmp/starts.cert");
like((run('recheck', "$tmp/starts.cert", $model))[0], qr/holds, confirmed/, 'a certificate is confirmed');
my $other = write_file('other.xta', do { local $/; open my $in, '<', $model or die; (my $text = <$in>) =~ s/x = FIVE/x = 4/; $text });
unlike((run('recheck', "$tmp/starts.cert", $other))[0], qr/confirmed/, '... and not for a model whose clock starts elsewhere');

sub message { my ($text, @query) = @_; return (run('check', write_file('m.xta', $text), '-q', @query ? @query : ('--query', "'A[] true'")))[0] }
sub process { return "process P() { state a { $_[1] }, b; init a; trans a -> b { guard $_[2]; }; } system P;\n" =~ s/^/$_[0]\n/r }
like(message(process('clock x = 5;', 'x <= 3', 'true')), qr/the initial state is impossible: .*m\.xta:2:25/, 'an invariant that the start breaks');
like(message(process('clock x = -1;', 'true', 'true')), qr/1:11: error: a clock starts with a number of 0\.\.1000000/, 'no clock is negative');
like(message(process('clock y; clock x = y;', 'true', 'true')), qr/error: a clock cannot be used here/, 'nor what another clock is');
like(message(process('clock x[2] = {1};', 'true', 'true')), qr/error: a list of 2 numbers in braces is expected here/, 'a list that is too short');
like(message(process('clock h = 1.5;', "h' == 0.5", 'true')), qr/^A\[\] true: holds/m, 'a clock that starts with a fraction is left out');
like(message(process('clock h = 1.5;', 'true', 'h > 2')), qr/2:\d+: error: a floating-point number cannot be used here/, '... and not read');
like(message(process('', "cost' == 3", 'cost < 5')), qr/2:\d+: error: costs and rewards are not followed: they can be added to, but not read/, 'no guard reads a cost');
like(message(process('int cost;', 'true', 'cost < 5')), qr/^A\[\] true: holds/m, 'unless the file declares it');
like((run('prove', write_file('fischer.xta', do { local $/; open my $in, '<', 'models/timed/fischer.xta' or die; (my $text = <$in>) =~ s/clock x;/clock x = 1;/ or die; $text }),
    '--query', "'A[] forall (i : id_t) forall (j : id_t) P(i).critical and P(j).critical imply i == j'"))[0],
    qr/unknown: .*a clock starts with another number than 0/, 'no proof for every number is tried');
done_testing;
