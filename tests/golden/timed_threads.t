#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_threads: counts, verdicts and runs of timed models are the same with any number of threads.
use strict;
use warnings;
use lib 'tests';
use JSON::PP;
use Schema qw(decode_answer);
use Test::More;

my ($parvis) = @ENV{qw(PARVIS)};

# What may differ: times, memory, and the number of threads itself.
sub answer {
    my ($model, @options) = @_;
    my $said = decode_answer(scalar qx("$parvis" check models/$model --json @options));
    my $text = JSON::PP->new->canonical->encode($said);
    $text =~ s/"(?:seconds|compile_seconds|memory_bytes|threads)":[^,}]*//g;
    return ($text, $said->{states});
}

for (
    ['timed/fischer.xta', '-D N=6', "--query 'A[] true'"],
    ['timed/fischer.xta', '-D N=4 -D W=1', "--query 'A[] not (P(1).critical and P(2).critical)'"],
    ['timed/csmacd.xta', '-D N=6', "--query 'E<> Station(1).retry and Station(2).retry and Station(1).x > 20'"],
    ['timed/fddi.xta', '-D N=5', "--query 'A[] true'"],
    ['timed/mutex.xta', '-D N=2', "--query 'A[] true'"],
    ['timed/corsso.xta', '', "--query 'A[] not deadlock'"],
    ['pstm/cyclic_aligned.xta', '-D N=4', "--query 'A[] true'"],
    )
{
    my ($model, @options) = @$_;
    for my $how ('--symmetry off --store all', '--symmetry off', '') {
        my ($one, $states) = answer($model, @options, $how, '--threads 1');
        ok($states, "$model @options $how: searched");
        for my $threads (2, 3, 5) {
            my ($several) = answer($model, @options, $how, "--threads $threads");
            is($several, $one, "$model @options $how: $threads threads");
        }
    }
}
done_testing();
