#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# layers: every #include "folder/file.h" in src/ points from a folder to one it may know, by the table below.
# The table is the architecture: change it only together with ARCHITECTURE.md. A folder names only folders of lines
# above its own, so there is no cycle.
use strict;
use warnings;
use Test::More;

my %may_include = (
    base     => [],
    model    => [qw(base)],
    pass     => [qw(base model)],
    logic    => [qw(base model)],
    history  => [qw(base logic)],
    front    => [qw(base model history)],
    result   => [qw(base model)],
    certificate => [qw(base model result)],
    space    => [qw(base model)],
    ranks    => [qw(base)],
    explore  => [qw(base model pass result space ranks)],
    language => [qw(base model pass result space explore history)],
    zone     => [qw(base model pass logic result space explore ranks)],
    infer    => [qw(base model pass result certificate space explore logic)],
    cmp      => [qw(base model pass result space explore)],
    report   => [qw(base model result)],
    cli      => [qw(base model pass front result certificate space explore language zone logic infer cmp history report ranks)],
);

# What is wrong with the includes of one file, given as its path and its lines.
sub complaints {
    my ($path, @lines) = @_;
    my ($from) = $path =~ m{^src/([^/]+)/} or return "$path: not in a folder of src/";
    my $known = $may_include{$from} or return "$path: folder '$from' is not in the table of tests/golden/layers.t";
    my (@found, $line_number);
    for my $line (@lines) {
        $line_number++;
        next unless $line =~ /^\s*#\s*include\s*"([^"]*)"/;
        my $target = $1;
        my ($to) = $target =~ m{^([^/.]+)/};
        my $why = !defined $to ? 'write it as "folder/file.h"'
            : !$may_include{$to} ? "there is no layer '$to'"
            : $to ne $from && !grep({ $_ eq $to } @$known) ? "$from may not know $to"
            : next;
        push @found, "$path:$line_number: #include \"$target\": $why";
    }
    return @found;
}

sub read_lines {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    return <$in>;
}

# The check can fail: [file, include, complaint or nothing].
my @examples = (
    ['src/zone/dbm.c', '"base/vec.h"'],
    ['src/zone/dbm.c', '"zone/dbm.h"'],
    ['src/zone/dbm.c', '<math.h>'],
    ['src/base/vec.c', '"model/expr.h"', 'base may not know model'],
    ['src/report/html.c', '"explore/search.h"', 'report may not know explore'],
    ['src/space/space.h', '"result/trace.h"', 'space may not know result'],
    ['src/space/space.h', '"vec.h"', 'write it as "folder/file.h"'],
    ['src/space/space.h', '"../base/vec.h"', 'write it as "folder/file.h"'],
    ['src/space/space.h', '"oracle/random.h"', "there is no layer 'oracle'"],
);
my @expected = map { my ($path, $target, $why) = @$_; $why ? "$path:2: #include $target: $why" : () } @examples;
my @found = map { my ($path, $target) = @$_; complaints($path, "// first line\n", "#include $target\n") } @examples;
is_deeply(\@found, \@expected, 'self-check: tells wrong includes from right ones');
is_deeply([complaints('src/misc/x.c')], ["src/misc/x.c: folder 'misc' is not in the table of tests/golden/layers.t"],
    'self-check: tells a folder outside the table');

my @files = sort glob 'src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] src/*/*/*/*.[ch]';
cmp_ok(scalar @files, '>', 600, 'there are files');
my @wrong = map { complaints($_, read_lines($_)) } @files;
ok(!@wrong, 'every include of src/ points the right way') or diag(join "\n", @wrong);
done_testing;
