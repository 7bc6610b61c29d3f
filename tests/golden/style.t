#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# style: what can be checked line by line of how our C reads. Each rule is one test; the self-check shows each
# rule a made-up file that breaks it and one that does not.
use strict;
use warnings;
use Test::More;

my $spdx = '// SPDX-License-Identifier: Apache-2.0';
my $widest = 120;

# The text with comments, strings and character constants blanked, line breaks kept.
sub code_only {
    my ($text) = @_;
    my $blank = sub { my ($s) = @_; $s =~ s/[^\n]/ /g; $s };
    $text =~ s{(//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}{$blank->($1)}gse;
    return $text;
}

# The numbers of the lines that match.
sub lines_with {
    my ($text, $pattern) = @_;
    my ($n, @found) = (0);
    for my $line (split /\n/, $text) { $n++; push @found, $n if $line =~ $pattern }
    return @found;
}

# [what is asked; lines that break it, given path and text; a text that breaks it; in which line]
my @rules = (
    ["first line is $spdx",
     sub { ((split /\n/, $_[1])[0] // '') eq $spdx ? () : 1 },
     "// Counts things.\n", 1],
    ['a purpose comment follows the licence line',
     sub { $_[1] =~ m{\A[^\n]*\n(?://\h*\n)?(?://\h*\S|/\*[\s*]*[^\s*/])} ? () : 2 },
     "$spdx\n#include <stdio.h>\n", 2],
    ['no tabs',
     sub { lines_with($_[1], qr/\t/) },
     "$spdx\n// Counts.\n\tint x;\n", 3],
    ["no line over $widest columns",
     sub { lines_with($_[1], qr/^.{@{[$widest + 1]}}/) },
     "$spdx\n// Counts.\n" . 'x' x 121 . "\n", 3],
    ['no exit() or abort() outside src/cli',
     sub { $_[0] =~ m{^(src/cli|tests)/} ? () : lines_with(code_only($_[1]), qr/(?<!\w)(?:exit|abort)\s*\(/) },
     "$spdx\n// Counts; \"exit(1)\"\nvoid f(void) { g(\"exit(\"); exit(1); } // abort()\n", 3],
    ['what is assigned to an item of a vector names it without a call, which might move the vector',
     sub { lines_with(code_only($_[1]), qr/\.data\[[^\]=;?]*\w\([^=;?]*\][^=;?(,]*[^=!<>]=(?!=)/) },
     "$spdx\n// Counts.\nvoid f(void) { v->all.data[g(v, 0)].x = 1; }\n", 3],
);

# The functions that a file defines: a name with a list in parentheses behind it and a body, at the left edge.
sub functions {
    my ($text) = @_;
    my $code = code_only($text);
    $code =~ s/^\s*#(?:[^\n]*\\\n)*[^\n]*//gm;
    return $code =~ /^[A-Za-z_][\w\h*]*?\b(\w+)\h*\((?:[^(){};]|\([^(){};]*\))*\)\s*\{/gm;
}

# Names that several files of src define, each with its files.
sub shared_names {
    my ($text) = @_;
    my %where;
    for my $file (grep { m{^src/} } sort keys %$text) { $where{$_}{$file} = 1 for functions($text->{$file}) }
    return map { "$_: " . join ', ', sort keys %{ $where{$_} } } sort grep { keys %{ $where{$_} } > 1 } keys %where;
}

sub read_text {
    my ($path) = @_;
    open my $in, '<:encoding(UTF-8)', $path or die "$path: $!\n";
    local $/;
    return scalar <$in> // '';
}

my %text = map { $_ => read_text($_) } sort glob 'src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch]';
my $clean = "$spdx\n// Calls exit(1).\nvoid f(void) { _exit(1); on_exit(\"abort()\"); x = v.data[g(1)] == 2; }\n";
my @missed = grep {
    my ($name, $lines, $example, $line) = @$_;
    "@{[$lines->('src/base/x.c', $example)]}" ne $line || $lines->('src/base/x.c', $clean);
} @rules;
cmp_ok(scalar(keys %text), '>', 600, 'there are files');
ok(!@missed, 'self-check: every rule tells a bad file from a good one') or diag(join "\n", map { $_->[0] } @missed);

for my $rule (@rules) {
    my ($name, $lines) = @$rule;
    my @wrong = map { my $file = $_; map { "$file:$_" } $lines->($file, $text{$file}) } sort keys %text;
    ok(!@wrong, $name) or diag(join "\n", @wrong);
}
my %twice = ('src/a/x.c' => "static int run(int n) {\n    if (n) stop(1);\n}\n", 'src/a/y.c' => "void *run(void (*f)(int)) {\n}\nint stop(int);\n");
is_deeply([shared_names(\%twice)], ['run: src/a/x.c, src/a/y.c'], 'self-check: finds a name that two files define, and no other');
my @shared = shared_names(\%text);
ok(!@shared, 'no function name in two files of src: a backtrace tells where it is') or diag(join "\n", @shared);

SKIP: {
    chomp(my $version = `clang-format --version 2>/dev/null`);
    skip 'clang-format 14 is not installed', 1 unless $version =~ /version 14\./;
    my $said = `clang-format --dry-run --Werror @{[sort keys %text]} 2>&1`;
    is($?, 0, 'the files are as clang-format makes them (make format)') or diag(substr $said, 0, 2000);
}
done_testing;
