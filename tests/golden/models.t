#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# models: every `expect` line of models/**/*.pv, and the sizes of the minimal automata of the specifications.
#
# A line `expect NAME at Thread=2, Loc=2: violated, length 5` is checked by
#   parvis check FILE --property NAME --size Thread=2,Loc=2 --json
# whose verdict and visible steps of the trace have to be those of the line. A line that says a number of states is
# checked with --symmetry off, since it counts states and not orbits. The sizes of the minimal automata do not depend
# on how an automaton is written, so they test the specifications as well as the program.
use strict;
use warnings;
use lib 'tests';
use Golden qw(answer);
use File::Find;
use Test::More;

# [name, sizes, verdict, states or undef, length or undef, line number]
sub expectations {
    my ($file) = @_;
    my @found;
    open my $in, '<', $file or die "$file: $!\n";
    while (my $line = <$in>) {
        next unless $line =~ /^\s*expect\b/;
        $line =~ m{^\s*expect\s+(\w+)(?:\s+at\s+([\w\s=,]+?))?\s*:\s*(\w+)([^/\n]*)} or die "$file:$.: not understood\n";
        my ($name, $sizes, $verdict, $rest) = ($1, $2 // '', $3, $4);
        $sizes =~ s/\s//g;
        my ($states) = $rest =~ /(\d+) states?/;
        my ($length) = $rest =~ /length (\d+)/;
        push @found, [$name, $sizes, $verdict, $states, $length, $.];
    }
    return @found;
}

sub visible_steps { my ($p) = @_; return scalar grep { $_->{visible} } @{ ($p->{trace} // {})->{steps} // [] } }

sub check_expectation {
    my ($file, $e) = @_;
    my ($name, $sizes, $verdict, $states, $length, $line) = @$e;
    my @options = ($sizes ? ('--size', $sizes) : (), $states ? ('--symmetry', 'off') : ());
    my $o = answer('check', $file, '--property', $name, @options);
    my ($p) = grep { $_->{name} eq $name } @{ ($o // {})->{properties} // [] };
    my $got = { verdict => $p->{verdict}, states => $states && $o->{states}, length => $length && visible_steps($p // {}) };
    is_deeply($got, { verdict => $verdict, states => $states, length => $length }, "$file:$line: $name $sizes");
}

sub check_minimal {
    my ($file, $sizes, $states) = @_;
    my $o = answer('minimize', $file, '--size', $sizes);
    is(($o // {})->{minimal_states}, $states, "$file: minimal automaton for $sizes");
}

my @files;
find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.pv$/ } }, 'models');
for my $file (sort @files) { check_expectation($file, $_) for expectations($file) }

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
