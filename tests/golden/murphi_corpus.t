#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# murphi_corpus: the models of a folder against Rumur. MURPHI_CORPUS names the folder; without it nothing is tested.
# What Rumur accepts has to be accepted. Its checker, built with cc, and Parvis, both without symmetry, get
# MURPHI_CORPUS_SECONDS (20) seconds each; where both decide, the verdicts have to be equal, and where no error is found
# the numbers of states. Files with the same text are tested once.
use strict;
use warnings;
use Digest::MD5;
use File::Find;
use JSON::PP;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $folder = $ENV{MURPHI_CORPUS} or plan skip_all => 'MURPHI_CORPUS is not set';
my $seconds = $ENV{MURPHI_CORPUS_SECONDS} // 20;
-d $folder or plan skip_all => "MURPHI_CORPUS=$folder is no folder";
`rumur --version 2>&1` =~ /Rumur/i or plan skip_all => 'Rumur is not installed';

my %difference = (
    'uint64-model.m' => 'values beyond 2^31',
);

sub digest_of {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    return Digest::MD5->new->addfile($in)->hexdigest;
}

sub models_of {
    my ($top) = @_;
    my (@found, %seen);
    find({ wanted => sub { push @found, $File::Find::name if /\.m$/ && -f }, no_chdir => 1 }, $top);
    return grep { !$seen{ digest_of($_) }++ } sort @found;
}

# Output and status; the status is undef when the time is over.
sub run_for {
    my ($limit, @command) = @_;
    my $command = join ' ', map { "'$_'" } 'timeout', '-s', 'KILL', $limit, @command;
    my $text = `$command 2>&1`;
    my $status = $? & 127 ? undef : $? >> 8;
    return ($text, defined $status && $status == 137 ? undef : $status);
}

# What Rumur says: 'refused', or a verdict with the number of states, or why there is none.
sub rumur_of {
    my ($file) = @_;
    my ($said, $status) = run_for(60, 'rumur', '--symmetry-reduction', 'off', '--output', "$tmp/checker.c", $file);
    return { none => 'Rumur takes more than 60 s to read it' } unless defined $status;
    return { refused => 1 } if $status;
    (undef, $status) = run_for(180, 'cc', '-std=c11', '-O1', '-march=native', '-w', '-o', "$tmp/checker", "$tmp/checker.c",
        '-lpthread', '-latomic');
    return { none => 'its checker cannot be built in 180 s' } unless defined $status && $status == 0;
    ($said, $status) = run_for($seconds, "$tmp/checker");
    return { none => "its checker runs for more than $seconds s" } unless defined $status;
    my ($states) = $said =~ /(\d+) states,/;
    return { verdict => $status ? 'violated' : 'holds', states => $states };
}

sub parvis_of {
    my ($file) = @_;
    my @options = ('--semantics', 'rumur', '--symmetry', 'off', '--limit-time', "${seconds}s", '--json');
    my ($said, $status) = run_for(6 * $seconds, $parvis, 'check', $file, @options);
    return { none => "Parvis takes more than $seconds s" } if !defined $status || $status == 3;
    return { refused => $said } if $status == 2;
    my ($json) = $said =~ /^(\{.*\})/ms;
    return { verdict => $status ? 'violated' : 'holds', states => (eval { decode_json($json) } // {})->{states} };
}

for my $file (models_of($folder)) {
    my ($name) = $file =~ m{([^/]+)$};
  SKIP: {
        skip("$file: $difference{$name}", 1) if $difference{$name};
        my $theirs = rumur_of($file);
        skip("$file: Rumur refuses it", 1) if $theirs->{refused};
        my $ours = parvis_of($file);
        ok(!$ours->{refused}, "$file: accepted") or diag($ours->{refused});
        skip("$file: $theirs->{none}", 1) if $theirs->{none};
        skip("$file: $ours->{none}", 1) if $ours->{none} || $ours->{refused};
        my $counts = $theirs->{verdict} eq 'holds';
        is_deeply([$ours->{verdict}, $counts ? $ours->{states} : ()], [$theirs->{verdict}, $counts ? $theirs->{states} : ()],
            "$file: $theirs->{verdict}" . ($counts ? ", $theirs->{states} states" : ''));
    }
}
done_testing();
