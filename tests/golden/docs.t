#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# docs: the examples of README.md and doc/*.md are true. A block
#
#     ```console
#     $ parvis check models/tm/seq.pv
#     strictly_serializable: holds for Thread=2, Loc=2
#     ...
#     ```
#
# is run command by command, in a folder of its own that has models, examples and include, and what it prints is compared; "..." stands
# for any lines, or within a line for any text. What differs from run to run (times, memory, engine and cores, compiler) is masked. `make demo` runs
# scripts/demo; other make, git and apt commands are not run. PARVIS_GOLD=update writes what was printed into the files.
use strict;
use warnings;
use Cwd qw(getcwd);
use Test::More;

my $top = getcwd();
my $tmp = $ENV{PARVIS_TMP} or die "run by tests/run\n";
my $update = ($ENV{PARVIS_GOLD} // '') eq 'update';
my $skip = qr/^(?:make(?! demo)|git|cd|sudo|apt|dot)\b/;

mkdir "$tmp/bin";
symlink $ENV{PARVIS}, "$tmp/bin/parvis";
symlink "$top/$_", "$tmp/$_" for qw(models examples include);
$ENV{PATH} = "$tmp/bin:$ENV{PATH}";
delete $ENV{$_} for qw(PARVIS_GOLD COLUMNS);

sub read_file { my ($path) = @_; open my $in, '<', $path or die "$path: $!\n"; local $/; return scalar <$in> // '' }

# A time of any length and a size of any kind look the same; columns may shift with them.
sub masked {
    my ($text) = @_;
    $text =~ s/\s+\((?:zones, )?(?:bytecode|machine code|native)[^)]*\)/ (engine)/g;
    $text =~ s/\b\d+ min \d+ s\b|\b\d+\.\d+ s\b/# s/g;
    $text =~ s/[\d.]+ (?:[KMGT]?B)\b/# B/g;
    $text =~ s/\b\d+\.\d+\b/#/g;
    $text =~ s/("(?:memory_bytes|threads|state_bits)": )\d+/$1#/g;
    $text =~ s/("engine": )"[^"]*"/$1#/g;
    $text =~ s/[ \t]+/ /g;
    $text =~ s/ $//mg;
    $text =~ s/\s+\z//;
    return $text;
}

# Does the text match, where a line "..." of the expectation stands for any lines?
sub agrees {
    my ($got, $expected) = @_;
    my $pattern = join "\n", map { quotemeta } split /\n/, masked($expected), -1;
    $pattern =~ s/^\\\.\\\.\\\.$/(?:.*\n)*?.*/mg;
    $pattern =~ s/\\\.\\\.\\\./.*/g;
    return masked($got) =~ /\A$pattern\z/;
}

sub run_command {
    my ($command) = @_;
    return scalar `cd "$top" && scripts/demo 2>&1` if $command =~ /^make demo\b/;
    open my $script, '>', "$tmp/command" or die "$!\n";
    print $script "$command\n";
    close $script;
    return scalar `cd "$tmp" && sh ./command 2>&1 < /dev/null`;
}

# A block as a list of [command, expected output]. A command goes on after a backslash and up to the END of a here
# document; what follows `make demo` is its output, though it shows commands.
sub parse_block {
    my ($text) = @_;
    my (@items, $until);
    for my $line (split /^/, $text) {
        if (defined $until) {
            $items[-1][0] .= $line;
            undef $until if $until eq '' ? $line !~ /\\\n\z/ : $line eq "$until\n";
        } elsif ($line =~ /^\$ (.*)/s && !(@items && $items[-1][0] =~ /^make demo/)) {
            push @items, [$1, ''];
            $until = $1 if $line =~ /<<'(\w+)'/;
            $until = '' if $line =~ /\\\n\z/;
        } elsif (@items) {
            $items[-1][1] .= $line;
        }
    }
    return @items;
}

sub check_block {
    my ($path, $number, $text) = @_;
    my $new = '';
    for my $item (parse_block($text)) {
        my ($command, $expected) = @$item;
        $new .= "\$ $command";
        chomp $command;
        if ($command =~ $skip) { $new .= $expected; next }
        my $got = run_command($command);
        my $ok = agrees($got, $expected);
        $new .= $ok ? $expected : $got;
        ok($ok || $update, "$path: " . $command =~ s/\n.*//sr) or diag("printed:\n$got");
    }
    return $new;
}

for my $path ('README.md', sort glob 'doc/*.md') {
    next if $path eq 'doc/language.md';            # its examples are models, tested with the front end
    my $text = read_file($path);
    my $n = 0;
    $text =~ s/(^```console\n)(.*?)(^```$)/$1 . check_block($path, ++$n, $2) . $3/gmse;
    if ($update) { open my $out, '>', $path or die "$path: $!\n"; print $out $text; close $out }
}
done_testing;
