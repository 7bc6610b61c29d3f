#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# murphi_rumur: Rumur's own tests as a conformance suite. RUMUR_TESTS names the folder tests/ of its sources; without it
# nothing is tested. A file that Rumur refuses has to be refused (2), one whose checker fails has to be violated (1), the
# others have to hold (0). Differences are listed here and explained in doc/murphi.md.
use strict;
use warnings;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $folder = $ENV{RUMUR_TESTS} or plan skip_all => 'RUMUR_TESTS is not set';

my %differs = (
    'uint64-model' => 'values beyond 2^31',
    (map { $_ => 'use before declaration is accepted' } 
        qw(function-order recursion3 section-order6 section-order7 section-order8)),
    (map { $_ => 'an option of Rumur' } qw(bound-illegal bound-limit)),
    'read-slice'     => 'without startstate nothing is reached: unknown',
);

sub options_of {
    my ($flags) = @_;
    return ('--deadlock', 'none') if $flags =~ /deadlock-detection', 'off'/;
    return ('--deadlock', 'stuck') if $flags =~ /'stuck'/;
    return ();
}

for my $file (sort glob "$folder/*.m") {
    my ($name) = $file =~ m{([^/]+)\.m$};
    my %said;
    open my $in, '<', $file or die "$file: $!\n";
    while (my $line = <$in>) {
        last unless $line =~ /^\s*--\s*([a-zA-Z_]\w*)\s*:(.*)$/;
        $said{$1} = $2;
    }
    my $flags = $said{rumur_flags} // '';
    my $want = ($said{rumur_exit_code} // 0) =~ /1/ ? 2 : ($said{checker_exit_code} // 0) =~ /1/ ? 1 : 0;
  SKIP: {
        skip("$name: simplification by an SMT solver", 1) if $flags =~ /smt/;
        skip("$name: $differs{$name}", 1) if $differs{$name};
        my @options = ('--semantics', 'rumur', '--limit-time', '60s', options_of($flags));
        my $text = `"$parvis" check "$file" @options 2>&1`;
        is($? >> 8, $want, $name) or diag($text);
    }
}
done_testing();
