#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# models: what the library expects (`parvis test models`), and the sizes of the minimal automata of the specifications,
# which do not depend on how an automaton is written, so that they test the specifications as well as the program.
use strict;
use warnings;
use lib 'tests';
use Golden qw(answer);
use Test::More;

my ($o, $code) = answer('test', 'models');
for my $t (@{ $o->{tests} // [] }) {
    my $place = "$t->{file}:" . ($t->{line} // '');
    is($t->{outcome}, 'met', "$place: $t->{name}: " . ($t->{expected} // '')) or diag($t->{found});
}
is($code, 0, 'the library is as it expects to be');
my %tested = map { $_->{file} => 1 } @{ $o->{tests} // [] };
for my $file (sort glob 'models/tm/*.pv models/tm-algorithms/*.pv models/murphi/*.m models/sets/*.m models/timed/*.xta') {
    ok($tested{$file}, "$file expects something");
}

sub check_minimal {
    my ($file, $sizes, $states) = @_;
    my $o = answer('minimize', $file, '--size', $sizes);
    is(($o // {})->{minimal_states}, $states, "$file: minimal automaton for $sizes");
}

my @minimal = (
    ['Thread=2,Loc=1', 32, 32],
    ['Thread=2,Loc=2', 512, 576],
    ['Thread=3,Loc=1', 208, 208],
    ['Thread=2,Loc=3', 8960, 8960],
    ['Thread=3,Loc=2', 18928, 18016],
);
for my $m (@minimal) {
    my ($sizes, $strict, $opaque) = @$m;
    check_minimal('models/specs/strict_serializability.pv', $sizes, $strict);
    check_minimal('models/specs/opacity.pv', $sizes, $opaque);
}
done_testing();
