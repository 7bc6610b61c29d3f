#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# sets: models/sets/*.m at more sizes than those they expect something of (models.t tests these), and that the pools of
# nodes are large enough. Proofs for any number of threads; with PARVIS_LONG=1 the longest, too.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $long = $ENV{PARVIS_LONG};

sub answer {
    my ($file, $defines, @options) = @_;
    my @define = map { ('--define', $_) } split /,/, $defines;
    open my $from, '-|', $parvis, 'check', $file, @define, @options, '--json' or die "$parvis: $!\n";
    my $text = do { local $/; <$from> };
    close $from;
    return (eval { decode_answer($text) } // {}, $? >> 8);
}

sub holds {
    my ($file, $defines) = @_;
    my ($o, $code) = answer($file, $defines);
    my @other = map { $_->{name} } grep { $_->{verdict} ne 'holds' } @{ $o->{properties} // [] };
    is_deeply([$code, @other], [0], "$file: everything holds with $defines");
}

# Nobody waits for a node: a model that asserts it wherever a node is wanted.
sub pool_suffices {
    my ($file, $defines, $wanted) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my $text = do { local $/; <$in> };
    my $copy = "$tmp/pool.m";
    open my $out, '>', $copy or die "$copy: $!\n";
    print $out $text, "invariant \"memory\" forall t : thread do $wanted end;\n";
    close $out or die "$copy: $!\n";
    holds($copy, $defines);
}

my %sizes = (
    'fine_grained' => ['THREADS=1,ITEMS=3', 'THREADS=2,ITEMS=3', 'THREADS=3,ITEMS=1', 'THREADS=3,ITEMS=3'],
    'optimistic' => ['THREADS=1,ITEMS=2', 'THREADS=2,ITEMS=1,COPIES=3', 'THREADS=3,ITEMS=1,COPIES=3'],
    'lazy' => ['THREADS=1,ITEMS=2', 'THREADS=2,ITEMS=1,COPIES=3', 'THREADS=3,ITEMS=1,COPIES=3'],
    'lock_free' => ['THREADS=1,ITEMS=2', 'THREADS=2,ITEMS=1,COPIES=4'],
);
my $wants = 'pc[t] = found & call[t] = add';
my $some = "$wants & key_of(curr[t]) != key[t] -> exists n : block do key_of(n) = key[t] & is_free(n) end";
my %pool = (
    'fine_grained' => ['THREADS=3,ITEMS=3', "$wants & curr[t] != key[t] -> is_free(key[t])"],
    'optimistic' => ['THREADS=2,ITEMS=2', $some],
    'lazy' => ['THREADS=2,ITEMS=2', $some],
    'lock_free' => ['THREADS=2,ITEMS=1', $some],
);

for my $name (sort keys %sizes) {
    my $file = "models/sets/$name.m";
    holds($file, $_) for @{ $sizes{$name} };
    pool_suffices($file, @{ $pool{$name} });
}

# ---- any number of threads

sub prove {
    my ($set, $code, $items, @options) = @_;
    my $constant = $set =~ /stack|queue/ ? 'NODES' : 'ITEMS';
    my @command = ($parvis, 'prove', "models/sets/$set.m", '--method', 'cmp', '--define', "$constant=$items", '--quiet', @options);
    is(system("@command >/dev/null") >> 8, $code, "$set: any number of threads, $constant=$items @options");
}

prove($_, 0, 1) for qw(fine_grained optimistic lazy lock_free);
prove('lock_free_buggy', 1, 1);
prove('stack', 0, $_) for 2, 3;
prove('queue', 0, $_) for 2, 3;
prove('ticket', 0, $_) for 1, 2;
prove('fine_grained', 0, $_) for 2, 3;
prove($_, 0, 2, '--property', 'results') for qw(optimistic lazy);
if ($long) {
    prove($_, 0, 2, '--property', 'contents') for qw(optimistic lazy);
    prove('lock_free', 0, 2);
    prove('stack', 0, 4, '--property', 'results');
    prove('queue', 0, 4, '--property', 'results');
    prove('ticket', 0, 4);
}

done_testing();
