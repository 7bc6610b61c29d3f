#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# words: LSA, SwissTM, RingSTM and hybrid NOrec as words without values. Each is opaque for all sizes, so strictly serializable,
# in a time that leaves no room for luck; certificates are confirmed; of what is seeded in them nothing is proved.
use strict;
use warnings;
use lib 'tests';
use Golden qw($parvis $tmp read_file answer);
use Test::More;

for my $name (qw(lsa swiss ring hybrid)) {
    my $file = "models/tm/$name.pv";
    my $certificate = "$tmp/$name.cert";
    my $a = answer('prove', $file, '--limit-cpu', '30s', '--certificate', $certificate);
    my %of = map { $_->{name} => $_ } @{ $a->{properties} };
    is($of{opaque}{verdict}, 'holds', "$name is opaque for all sizes");
    is($of{strictly_serializable}{verdict}, 'holds', "$name is strictly serializable for all sizes");
    like($of{strictly_serializable}{rests_on}, qr/^follows from opaque/, "$name: the one is concluded from the other");
    ok($a->{placement_assumed}, "$name: where its events take effect is an assumption, and the answer says so");
    is(system("$parvis recheck $certificate $file --quiet > /dev/null"), 0, "$name: the certificate is confirmed");
    my @bugs = read_file($file) =~ /^expect \w+ at .*BUG=(\d): violated/mg;
    is("@bugs", '1 2 3', "$name: three bugs are seeded, and expected to be found");
    for my $bug (@bugs) {
        my $wrong = answer('prove', $file, '--define', "BUG=$bug", '--limit-cpu', '10s');
        is(scalar(grep { $_->{verdict} eq 'holds' } @{ $wrong->{properties} }), 0, "$name: nothing is proved of bug $bug");
    }
}
done_testing();
