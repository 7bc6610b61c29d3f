#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# trusted: the table of doc/certificates.md that says how many lines each kind of certificate relies on. Every name in
# backticks of its second column is a file, or several, below src; the number in the third is what they have, to within
# a tenth. (What they may include is in golden/layers.)
use strict;
use warnings;
use Test::More;

sub lines_of {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    my $n = () = <$in>;
    return $n;
}

# A cell's files, each once; dies where a name stands for none.
sub files_of {
    my ($cell) = @_;
    my %files;
    for my $name ($cell =~ /`([\w*]+\/[\w*\/]+)`/g) {
        my @found = glob "src/$name.[ch]" or die "doc/certificates.md: there is no src/$name.c\n";
        $files{$_} = 1 for @found;
    }
    return sort keys %files;
}

my $kinds = 0;
open my $doc, '<', 'doc/certificates.md' or die "$!\n";
while (my $line = <$doc>) {
    my ($kind, $trusted, $said) = $line =~ /^\| ([^|]+) \| ([^|]*`[^|]*) \| ([\d,]+) \| / or next;
    next unless $trusted =~ /`\w+\//;
    $said =~ tr/,//d;
    my $is = 0;
    $is += lines_of($_) for grep { -f } files_of($trusted =~ s/`diff[^`]*`//gr);
    cmp_ok(abs($is - $said), '<=', $is / 10, "$kind: $said lines are said, $is there");
    $kinds++;
}
is($kinds, 9, 'all kinds have a line in the table');
done_testing();
