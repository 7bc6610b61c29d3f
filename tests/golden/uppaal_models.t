#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# uppaal_models: public models. UPPAAL_MODELS names folders, separated by colons; every .xml, .xta and .ta file below them
# is read. It is taken, or refused with its line for a reason that doc/timed.md lists. Models of DEIS-Tools/uppaal-models
# have the verdicts that their comments state; err-* of ticktac-project/uppaal-to-tchecker are refused. Skipped without it.
use strict;
use warnings;
use lib 'tests';
use Golden qw($tmp run);
use File::Find;
use Test::More;

plan skip_all => 'UPPAAL_MODELS is not set' unless $ENV{UPPAAL_MODELS};

my @unsupported = ('hybrid clocks', 'floating-point', 'statistical models', 'exponential rates', 'probabilities',
    'branch points', 'dynamic templates', 'live sequence charts', 'imported libraries', 'before_update', 'queries of this kind');
my @limits = ('too many', 'are supported', 'too large', 'cannot take every one', 'without a constant bound',
    'a clock cannot be set', 'clock guards', 'cannot select values', 'a floating-point number');
# What UPPAAL refuses too, or what is not a model at all.
my @wrong = ('not a constant', 'passed by reference', 'not both in one network', 'expected', 'is not within',
    'initial value', 'another type', 'there is no process', 'root is not <nta>', 'is not a number');
my ($reasons) = map { qr/$_/ } join '|', map { quotemeta } @unsupported, @limits, @wrong;
# Refused by the program that translates them, not by UPPAAL.
my %translators = map { $_ => 1 } qw(err-15.xta);

my @files;
find({wanted => sub { push @files, $File::Find::name if /\.(?:xml|xta|ta)$/ && -f }, no_chdir => 1},
    split /:/, $ENV{UPPAAL_MODELS});
my $taken = 0;
for my $file (sort @files) {
    my ($out, $code) = run('check', "'$file'", '-q --query', "'A[] true'", '--limit-states 200 --limit-time 5s');
    my ($name) = $file =~ m{([^/]+)$};
    my ($reason) = $out =~ /^\Q$file\E:\d+:\d+: error: (.*)/m;
    my $must_fail = $name =~ /^err-/ && !$translators{$name};
    if ($code == 2) { like($reason // $out, $reasons, "$file: refused with its line and a reason we list") }
    else { ok(!$must_fail && ($code == 0 || $code == 3 || $out =~ /^run-time error: violated/m), "$file: taken") or diag($out) }
    $taken += $code != 2;
}
diag(sprintf '%d models, %d taken', scalar @files, $taken);

# ---- verdicts that comments state

my %holds = ('2doors.xml' => 7, 'bridge.xml' => 7, 'fischer.xml' => 3, 'fischer_symmetry.xml' => 2, 'train-gate.xml' => 14);
for my $file (grep { m{Demos/Symbolic/} } sort @files) {
    my ($name) = $file =~ m{([^/]+)$};
    my $count = $holds{$name} or next;
    my ($out) = run('check', "'$file'", '-q');
    is_deeply([$out =~ /: (holds|violated|unknown)/g], [('holds') x $count], "$file: as its comments say") or diag($out);
}

# "Uncomment one of the priority specifications to make the model work."
for my $file (grep { m{Demos/Symbolic/interrupt\.xml$} } @files) {
    open my $in, '<', $file or die;
    my $text = do { local $/; <$in> };
    my %variants = (
        'as it is' => [sub { }, 'violated'],
        'channel priorities (1)' => [sub { s{^//(chan priority default)}{$1}m }, 'holds'],
        'channel priorities (2)' => [sub { s{^//(chan priority up)}{$1}m }, 'holds'],
        'process priorities' => [sub { s{system INT,C,env;}{}; s{^//(system C,env)}{$1}m }, 'holds'],
    );
    for my $how (sort keys %variants) {
        local $_ = $text;
        $variants{$how}[0]->();
        open my $out, '>', "$tmp/interrupt.xml" or die;
        print $out $_;
        close $out;
        my ($answer) = run('check', "$tmp/interrupt.xml", '-q');
        like($answer, qr/: $variants{$how}[1]/, "interrupt, $how: $variants{$how}[1]");
    }
}
done_testing;
