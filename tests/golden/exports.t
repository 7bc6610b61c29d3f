#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# exports: a function that leaves its file is called from another one. What only tests call is code that nobody needs,
# unless its own file calls it as well or the table below says what the tests need it for.
use strict;
use warnings;
use Test::More;

my %for_tests = (
    limits_of_seconds => 'a limit without a command line',
    eval_set_light    => 'small models reach what large ones do',
    space_called      => 'that a random model has such bodies',
    space_rules_apart => 'that a random model has such rules',
    store_bytes       => 'bytes per state, without buffers',
    strips_size       => 'that the strips of a level have all its states',
    dbm_any           => 'random matrices begin with it',
    zone_run_given    => 'symmetries that are wrong: the self-check must notice',
    pyv_read_text     => 'texts that were never files',
);
my %by_the_system = map { $_ => 1 } qw(main memalign posix_memalign parvis_ranks_1);  # called by no file of ours

sub code_only {
    my ($text) = @_;
    $text =~ s{(//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}{}gs;
    return $text;
}

# The names that stand for `static` and more: #define HOT static inline
sub hiding { return map { $_ => 1 } $_[0] =~ /^#\s*define\s+(\w+)\s+static\b/gm }

# The functions that a text defines and lets out; names that hide may come from headers.
sub exported {
    my ($code, %elsewhere) = @_;
    my %hidden = (%elsewhere, hiding($code));
    $code =~ s/^\s*#(?:[^\n]*\\\n)*[^\n]*//gm;
    my @names;
    while ($code =~ /^(\w+)[\w\h*]*?\b(\w+)\h*\((?:[^(){};]|\([^(){};]*\))*\)\s*\{/gm) {
        push @names, $2 if $1 ne 'static' && !$hidden{$1};
    }
    return @names;
}

# What is wrong with the functions of a set of files, path => text.
sub complaints {
    my ($texts) = @_;
    my (%code, %users, @wrong);
    my %hidden = map { hiding($texts->{$_}) } grep { /\.h$/ } keys %$texts;
    for my $path (keys %$texts) {
        $code{$path} = code_only($texts->{$path});
        my %count;
        my $calls = $code{$path};
        $calls =~ s/^(?!\s)[^\n#{}=]*\([^{}]*?\);//gm if $path =~ /\.h$/;    # declarations are no use
        $count{$_}++ for $calls =~ /\b([A-Za-z_]\w*)\b/g;
        $users{$_}{$path} = $count{$_} for keys %count;
    }
    for my $path (grep { m{^src/.*\.c$} } sort keys %code) {
        for my $name (exported($code{$path}, %hidden)) {
            my @others = grep { $_ ne $path } keys %{ $users{$name} };
            next if $by_the_system{$name} || grep { m{^src/} } @others;
            my $is_called = $users{$name}{$path} > 1;
            push @wrong, "$path: $name is called by " . ($is_called ? 'no other file: make it static' : 'nobody') if !@others;
            push @wrong, "$path: $name is called by tests only" if @others && !$is_called && !$for_tests{$name};
        }
    }
    return @wrong;
}

my %example = (
    'src/a/a.h' => "#define WARM static inline\nvoid used(int x);\nvoid alone(void);\nvoid dead(int (*f)(int),\n          int x);\n#define M(x) by_macro(x)\n",
    'src/a/a.c' => "#define HOT static inline\nHOT int hot(void) { return 1; }\nWARM int warm(void) { return 1; }\nvoid used(int x) {\n    alone();\n}\nvoid alone(void) {\n}\n" .
        "void dead(int (*f)(int), int x) {\n}\nint by_macro(int x) { return x; }\nint tested(void) {\n}\nint half(void) {\n    return half();\n}\n",
    'src/a/b.c' => "static int own(void) { used(1); return 2; } // dead()\n",
    'tests/unit/a.c' => "int main(void) { return tested() + half(); }\n",
);
is_deeply([complaints(\%example)], [
    'src/a/a.c: alone is called by no other file: make it static', 'src/a/a.c: dead is called by nobody',
    'src/a/a.c: tested is called by tests only'], 'self-check: tells what leaves its file for nothing');

my %text;
for my $path (glob 'src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] bench/*.[ch] recorder/*.[ch]') {
    open my $in, '<', $path or die "$path: $!\n";
    local $/;
    $text{$path} = scalar <$in> // '';
}
my @names = map { exported(code_only($text{$_})) } grep { m{^src/} } keys %text;
cmp_ok(scalar @names, '>', 1000, 'there are functions that leave their files');
my %is_there = map { $_ => 1 } @names;
is_deeply([grep { !$is_there{$_} } sort keys %for_tests], [], 'what is kept for tests is there');
my @wrong = complaints(\%text);
ok(!@wrong, 'what leaves a file is called from another') or diag(join "\n", @wrong);
done_testing;
