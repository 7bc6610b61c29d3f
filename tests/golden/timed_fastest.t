#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_fastest: the fastest runs through random road maps, where they are the shortest ways (worked out here, after Bellman
# and Ford); bounds on time just before and at that moment; orders of search; and what --fastest and --search refuse.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;

my ($parvis, $tmp) = @ENV{qw(PARVIS PARVIS_TMP)};
my $model = "$tmp/map.xta";
sub write_model { my ($text) = @_; open my $out, '>', $model or die $!; print $out $text; close $out or die $! }
sub check { return decode_answer(scalar qx("$parvis" check "$model" --json @_)) }

# A road takes from $least to $most: the traveller leaves when the clock allows it.
sub road_map {
    my ($places, $roads) = @_;
    my %at = map { $_ => [] } 0 .. $places - 1;
    push @{ $at{ $_->{from} } }, $_ for @$roads;
    my @states = ((map { "p$_" } 0 .. $places - 1), map { "r$_->{name} { c <= $_->{most} }" } @$roads);
    my @edges = map { ("p$_->{from} -> r$_->{name} { assign c = 0; }", "r$_->{name} -> p$_->{to} { guard c >= $_->{least}; assign c = 0; }") } @$roads;
    return "clock c;\nprocess T() {\n  state " . join(', ', @states) . ";\n  init p0;\n  trans " . join(",\n    ", @edges) . ";\n}\nsystem T;\n";
}

sub shortest {
    my ($places, $roads) = @_;
    my @time = (0, (undef) x ($places - 1));
    for (1 .. $places) {
        for my $r (@$roads) {
            next unless defined $time[$r->{from}];
            my $t = $time[$r->{from}] + $r->{least};
            $time[$r->{to}] = $t if !defined $time[$r->{to}] || $t < $time[$r->{to}];
        }
    }
    return $time[$places - 1];
}

srand 60;
my ($maps, $cases, $wrong) = ($ENV{PARVIS_LONG} ? 600 : 60, 0, 0);
for (1 .. $maps) {
    my $places = 3 + int rand 5;
    my @roads = map { my $least = int rand 12; { name => $_, from => int rand($places), to => int rand($places), least => $least, most => $least + int rand 4 } } 1 .. $places + int rand 8;
    write_model(road_map($places, \@roads));
    my ($least, $there) = (shortest($places, \@roads), 'T.p' . ($places - 1));
    my ($before, $by) = defined $least ? ($least - 1, $least) : (500, 500);
    my $o = check('--fastest', "--query 'E<> $there'", "--query 'E<>[<=$by] $there'", "--query 'A[][<=$before] not $there'", "--query 'A[][<$by] not $there'");
    my @p = @{ $o->{properties} };
    my @bad = grep { !$_ } defined $least
        ? ($p[0]{verdict} eq 'holds', $p[0]{reason} eq "the fastest run takes $least", $p[0]{trace}{steps}[-1]{time} eq $least, $p[1]{verdict} eq 'holds')
        : ($p[0]{verdict} eq 'violated', $p[1]{verdict} eq 'violated');
    push @bad, grep { $_->{verdict} ne 'holds' } @p[2, 3];
    for my $order (qw(dfs random)) { push @bad, $order if check("--search $order", "--query 'E<> $there'")->{verdict} ne (defined $least ? 'holds' : 'violated') }
    $cases += 6;
    $wrong += @bad;
    diag(road_map($places, \@roads), explain($o)) if @bad && $wrong < 3;
}
is($wrong, 0, "$maps road maps");
print "# tally: fastest runs against shortest ways | $cases cases | $wrong wrong\n";

# One step that takes 9, or three that take 2 each; breadth first finds the first.
write_model(<<'END');
clock x;
process P() {
    state a, b, c, d { x <= 20 }, goal;
    init a;
    trans a -> goal { guard x >= 9; }, a -> b { guard x >= 2; assign x = 0; }, b -> c { guard x >= 2; assign x = 0; },
          c -> goal { guard x > 2; };
}
system P;
END
like(check("--query 'E<> P.goal'")->{properties}[0]{trace}{steps}[-1]{time}, qr/^9$/, 'the fewest steps');
my $p = check('--fastest', "--query 'E<> P.goal'")->{properties}[0];
is($p->{reason}, 'runs take more than 6, as little more as one likes', 'the least time is not reached');
is($p->{trace}{steps}[-1]{time}, 7, 'by a run of whole units, if there is one');
is(check('--fastest', "--query 'A[] not P.c'")->{properties}[0]{reason}, 'the fastest run takes 4', 'a violation, as early as can be');
is(check('--fastest', "--query 'A[] true'")->{verdict}, 'holds', 'where there is no run nothing changes');
is(check("--query 'A<>[<=10] P.b'")->{verdict}, 'violated', 'A<> by a time');
is(check("--query 'E[][<=8] P.a'")->{verdict}, 'holds', 'E[] up to a time');
my @refused = (["--query 'E<>[<=x] P.goal'", qr/a clock cannot be used here/], ["--query 'E<>[#<=3] P.goal'", qr/expected|no meaning/]);
for my $r (@refused) {
    my $said = qx("$parvis" check "$model" $r->[0] 2>&1);
    is($? >> 8, 2, 'a bound that is none');
    like($said, $r->[1], 'is explained');
}
my $said = qx("$parvis" check models/tm/seq.pv --search dfs 2>&1);
is($? >> 8, 2, 'models without clocks');
like($said, qr/breadth first only/, 'are searched breadth first, and told so');
$said = qx("$parvis" check models/tm/seq.pv --fastest 2>&1);
like($said, qr/--fastest is for timed models/, 'and have no fastest run');
$said = qx("$parvis" check "$model" --query 'A[] true' --fastest --certificate "$tmp/c.cert" 2>&1);
is($? >> 8, 2, 'a certificate with --fastest is refused');
# The run that answers one query needs no certificate; the clock of its bound is there when the other is checked again.
$said = qx("$parvis" check "$model" --query 'E<>[<=1] true' --query 'A[] not deadlock or true' --certificate "$tmp/both.cert" 2>&1);
$said = qx("$parvis" recheck "$tmp/both.cert" 2>&1);
like($said, qr/deadlock or true: holds, confirmed/, 'a certificate beside a query with a bound on time is confirmed');
done_testing();
