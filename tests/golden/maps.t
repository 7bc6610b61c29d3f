#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# maps: what comments say of files is true. Every file of ours that a comment of src/ or a README of its folders names is
# there, and every .c of a folder is in the folder's map: a list with a line per file in the opening comment of one of
# its headers, or, without slashes, in its README.md:
#
#   //   parse.c   recursive descent
use strict;
use warnings;
use Test::More;

sub read_text {
    my ($path) = @_;
    open my $in, '<:encoding(UTF-8)', $path or die "$path: $!\n";
    local $/;
    return scalar <$in> // '';
}

my %text = map { $_ => read_text($_) } sort glob 'src/*/*.[ch] src/*/*/*.[ch] src/*/README.md src/*/*/README.md';

sub folder_of { return $_[0] =~ m{^(.*)/[^/]*$} ? $1 : '.' }

# Files that the comments of one text name, as they are written there; of a README, all that it names.
sub named_in {
    my ($text, $is_plain) = @_;
    $text =~ s{"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'}{}g if !$is_plain;
    my $comments = $is_plain ? $text : join "\n", $text =~ m{(//[^\n]*|/\*.*?\*/)}gs;
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
    for my $path (grep { folder_of($_) eq $folder && /\.(?:h|md)$/ } sort keys %$texts) {
        push @names, $texts->{$path} =~ m{^(\w+\.c)\h}mg if $path =~ /\.md$/;
        next if $path =~ /\.md$/;
        my ($opening) = $texts->{$path} =~ m{\A((?://[^\n]*\n)+)};
        push @names, ($opening // '') =~ m{^//\h{2,}(\w+\.c)\h}mg;
    }
    return { map { $_ => 1 } @names };
}

# The checks can fail.
my $made = "// SPDX\n// Reads: parse.c, base/vec.h, gone.c and \"odd.c\".\n//\n//   parse.c   text\n//   old.c  more\nint x; // see no/where.h, a.c()\n";
is_deeply([named_in($made)], [qw(parse.c base/vec.h gone.c parse.c old.c no/where.h)], 'self-check: finds what comments name');
my $there = sub { $_[0] =~ m{^src/(x/parse\.c|base/vec\.h)$} };
is_deeply([grep { !is_there('src/x', $_, $there) } named_in($made)], [qw(gone.c old.c no/where.h)], 'self-check: tells what is not there');
is_deeply(mapped('src/x', {'src/x/x.h' => $made}), {'parse.c' => 1, 'old.c' => 1}, 'self-check: finds a map');
is_deeply(mapped('src/x', {'src/x/README.md' => "Reads: a.c.\n\nb.c  text\n", 'src/y/README.md' => "c.c  text\n"}), {'b.c' => 1},
    'self-check: finds a map in a README');
is_deeply([named_in("See `x.c`, y/z.h.\n", 1)], [qw(x.c y/z.h)], 'self-check: finds what a README names');

my @gone;
for my $path (sort keys %text) {
    my %seen;
    push @gone, "$path names $_" for grep { !$seen{$_}++ && !is_there(folder_of($path), $_, sub { -e $_[0] }) } named_in($text{$path}, $path =~ /\.md$/);
}
ok(!@gone, 'every file that a comment names is there') or diag(join "\n", @gone);

my @files = grep { /\.c$/ } sort keys %text;
cmp_ok(scalar @files, '>', 300, 'there are files');
my @unnamed = grep { my ($name) = m{([^/]+)$}; !mapped(folder_of($_), \%text)->{$name} } @files;
ok(!@unnamed, 'every .c is in the map of its folder') or diag(join "\n", @unnamed);
done_testing;
