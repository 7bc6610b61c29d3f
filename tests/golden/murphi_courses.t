#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# murphi_courses: random Murphi models as courses write them (a network of multisets over a union, a directory with
# sharers, broadcasts, procedures that call procedures, `choose` with an alias around the rule), against a walk over all
# their states that shares nothing with Parvis (tests/Course.pm): the verdict, the length of the shortest trace, the number
# of states without symmetry and, for the scalarsets that keep it, of orbits. A long run, with PARVIS_LONG, tries 3,000.
use strict;
use warnings;
use JSON::PP;
use Test::More;

use lib 'tests';
use Course;
use Part qw(part_share part_seed);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my ($nmodels, $most) = ($ENV{PARVIS_LONG} ? part_share(3000) : 60, 500);

sub answer {
    my ($file, @options) = @_;
    open my $from, '-|', 'sh', '-c', '"$@" 2>&1', 'sh', $parvis, 'check', $file, '--json', '--threads', 1, @options or die "$parvis: $!\n";
    my $text = do { local $/; <$from> };
    close $from;
    my ($json) = $text =~ /^(\{.*\})/ms;
    return (eval { decode_json($json // '') } // {}, $text);
}

sub steps {
    my ($answer) = @_;
    my ($bad) = grep { $_->{verdict} eq 'violated' && $_->{trace} } @{ $answer->{properties} // [] };
    return $bad ? scalar @{ $bad->{trace}{steps} } : undef;
}

# What differs; '' for nothing.
sub difference {
    my ($m, $file, $is, $tally) = @_;
    my ($off, $text) = answer($file, '--symmetry', 'off');
    return "no answer:\n$text" unless $off->{verdict};
    my ($on, $more) = answer($file);
    return "without symmetry $off->{verdict}, with it " . ($on->{verdict} // $more) . ", but $is->{verdict}: " . ($is->{why} // '')
        if $off->{verdict} ne $is->{verdict} || ($on->{verdict} // '') ne $is->{verdict};
    if ($is->{verdict} eq 'violated') {
        $tally->{violated}++;
        my $length = steps($off);
        return defined $length && $length != $is->{depth} ? "a trace of $length steps, but $is->{depth}: $is->{why}" : '';
    }
    $tally->{holds}++;
    return "$off->{states} states, but $is->{states}" if $off->{states} != $is->{states};
    my @alike = grep { $more !~ /symmetry is not used for '\Q$_->{name}\E'/ } @{ $m->{sorts} };
    my $orbits = $is->{orbits}->(@alike);
    $tally->{reduced} += $orbits < $is->{states};
    return $on->{states} == $orbits ? '' : "$on->{states} states up to symmetry, but $orbits";
}

my %tally = (violated => 0, holds => 0, reduced => 0);
my $seed = part_seed(1);
for (my $n = 0; $n < $nmodels; $seed++) {
    my $m = Course::model($seed);
    my $is = Course::explore($m, $most);
    next if $is->{too_many};
    $n++;
    my $file = "$tmp/m.m";
    open my $out, '>', $file or die "$file: $!\n";
    print $out $m->{text};
    close $out or die "$file: $!\n";
    my $differs = difference($m, $file, $is, \%tally);
    is($differs, '', "model $seed") if $differs;
    diag($m->{text}) if $differs;
}
pass("$nmodels models");
cmp_ok($tally{$_}, '>=', $nmodels / 20, "models that are $_: $tally{$_}") for sort keys %tally;
done_testing;
