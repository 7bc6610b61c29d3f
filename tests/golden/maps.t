#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# maps: what comments say of files is true. Every file of ours that a comment of src/ names is there, and every .c of a
# folder is in the folder's map: a list in the opening comment of one of its headers, a line a file,
#
#   //   parse.c   recursive descent
#
# or its section of ARCHITECTURE.md.
use strict;
use warnings;
use Test::More;

sub read_text {
    my ($path) = @_;
    open my $in, '<:encoding(UTF-8)', $path or die "$path: $!\n";
    local $/;
    return scalar <$in> // '';
}

my %text = map { $_ => read_text($_) } sort glob 'src/*/*.[ch] src/*/*/*.[ch]';
my %section;
for my $part (split /^(?=## )/m, read_text('ARCHITECTURE.md')) { $section{$1} = $part if $part =~ /\A## (\w+)\n/ }

sub folder_of { return $_[0] =~ m{^(.*)/[^/]*$} ? $1 : '.' }

# Files that the comments of one text name, as they are written there.
sub named_in {
    my ($text) = @_;
    $text =~ s{"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'}{}g;
    my $comments = join "\n", $text =~ m{(//[^\n]*|/\*.*?\*/)}gs;
    return grep { m{/|\.[ch]$} } $comments =~ m{(?<![\w./*-])((?:[\w-]+/)*[\w-]+\.(?:c|h|t|md|pv))(?![\w(])}g;
}

# A name is that of a file beside, below src/, below the folder's layer, or from the top of the project.
sub is_there {
    my ($folder, $name, $exists) = @_;
    my ($layer) = $folder =~ m{^(src/[^/]+)};
    return grep { $exists->($_) } "$folder/$name", "src/$name", ($layer ? "$layer/$name" : ()), $name;
}

# The .c files that a folder's maps name.
sub mapped {
    my ($folder, $texts) = @_;
    my @names;
    for my $path (grep { folder_of($_) eq $folder && /\.h$/ } sort keys %$texts) {
        my ($opening) = $texts->{$path} =~ m{\A((?://[^\n]*\n)+)};
        push @names, ($opening // '') =~ m{^//\h{2,}(\w+\.c)\h}mg;
    }
    return { map { $_ => 1 } @names };
}

sub is_mapped {
    my ($path, $map, $section) = @_;
    my ($stem) = $path =~ m{([^/]+)\.c$};
    return 1 if $map->{"$stem.c"};
    my %words = map { $_ => 1 } map { split /[\s,]+/ } ($section // '') =~ /`([^`]*)`/g;
    return $words{$stem} || $words{"$stem.c"} || $words{"$stem.h"} || grep { /^(\w+_)\*$/ && $stem =~ /^$1/ } keys %words;
}

# The checks can fail.
my $made = "// SPDX\n// Reads: parse.c, base/vec.h, gone.c and \"odd.c\".\n//\n//   parse.c   text\n//   old.c  more\nint x; // see no/where.h, a.c()\n";
is_deeply([named_in($made)], [qw(parse.c base/vec.h gone.c parse.c old.c no/where.h)], 'self-check: finds what comments name');
my $there = sub { $_[0] =~ m{^src/(x/parse\.c|base/vec\.h)$} };
is_deeply([grep { !is_there('src/x', $_, $there) } named_in($made)], [qw(gone.c old.c no/where.h)], 'self-check: tells what is not there');
is_deeply(mapped('src/x', {'src/x/x.h' => $made}), {'parse.c' => 1, 'old.c' => 1}, 'self-check: finds a map');
ok(is_mapped('src/x/parse.c', {'parse.c' => 1}) && !is_mapped('src/x/lex.c', {'parse.c' => 1}), 'self-check: tells what a map lacks');
ok(is_mapped('src/x/a_b.c', {}, 'See `a_*` and `d`.') && !is_mapped('src/x/c.c', {}, 'See `a_*` and c.'),
    'self-check: tells what a section lacks');

my @gone;
for my $path (sort keys %text) {
    my %seen;
    push @gone, "$path names $_" for grep { !$seen{$_}++ && !is_there(folder_of($path), $_, sub { -e $_[0] }) } named_in($text{$path});
}
ok(!@gone, 'every file that a comment names is there') or diag(join "\n", @gone);

my @unnamed;
for my $path (grep { /\.c$/ } sort keys %text) {
    my $folder = folder_of($path);
    my ($layer) = $path =~ m{^src/([^/]+)/};
    push @unnamed, $path unless is_mapped($path, mapped($folder, \%text), $section{$layer});
}
ok(!@unnamed, 'every .c is in the map of its folder') or diag(join "\n", @unnamed);
done_testing;
