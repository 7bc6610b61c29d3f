#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# includes: a file of src/ includes the headers of src/ that declare the functions, types and macros it uses. A .c relies
# on whatever its own header brings: the one of its name, else the first one that it includes. base/ and model/model.h,
# which everything is written in, come with any header that includes them.
#
# Plain text, with comments and literals blanked: a header declares its macros, and outside of braces the names of
# typedefs and those that `(` follows. A type is used where a name, a `*` or a `)` follows it.
use strict;
use warnings;
use Test::More;

sub without_literals {
    my ($text) = @_;
    return $text =~ s{//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'}{ }gsr;
}

# The names that a header declares -> are they types?
sub declared {
    my ($text) = @_;
    my %is_type = map { $_ => 0 } $text =~ /^\s*#\s*define\s+(\w+)/mg;
    $text =~ s/^\s*#(?:[^\n]*\\\n)*[^\n]*//mg;
    1 while $text =~ s/\{[^{}]*\}/ /g;
    for my $one (split /;/, $text) {
        if ($one =~ /^\s*typedef\b.*?(?:\(\*\s*(\w+)\)\s*\(|(\w+)\s*$)/s) { $is_type{ $1 // $2 } = 1 }
        elsif ($one =~ /^[\w\s*]*?\b(\w+)\s*\(/) { $is_type{$1} = 0 }
    }
    return \%is_type;
}

sub is_used {
    my ($text, $name, $is_type) = @_;
    return $text =~ /(?<![\w.>])$name\b/ if !$is_type;
    return $text =~ /(?<![\w.>])$name(?:\s+\w+\s*[;,=()\[{]|\s*\*+\s*(?:const\s*)?(?:\w+\s*[;,=()\[]|\))|\s*\)\s*[\w{(])/;
}

my (%text, %includes, %declares, @missing);

sub reached {
    my (@todo) = @_;
    my %seen;
    while (defined(my $one = shift @todo)) { push @todo, @{ $includes{$one} // [] } if !$seen{$one}++ }
    return \%seen;
}

# What a file uses and neither includes nor may rely on.
sub missing {
    my ($path) = @_;
    my $own = $path =~ s/\.c$/.h/r;
    $own = $includes{$path}[0] // $path if !$declares{$own};
    my $brought = $path =~ /\.c$/ ? reached($own) : {};
    my %has = (%$brought, map { $_ => 1 } $path, @{ $includes{$path} });
    my @at = grep { !$has{$_} && !m{^(?:base/|model/model\.h)} } sort keys %{ reached(@{ $includes{$path} }) };
    my %known = map { %{ $declares{$_} // {} } } keys %has;
    my @wrong;
    for my $at (grep { $declares{$_} } @at) {
        my $names = $declares{$at};
        my ($name) = grep { !exists $known{$_} && is_used($text{$path}, $_, $names->{$_}) } sort keys %$names;
        push @wrong, "src/$path uses $name of $at" if $name;
    }
    return @wrong;
}

sub add_file {
    my ($path, $whole) = @_;
    $includes{$path} = [$whole =~ /^\s*#\s*include\s*"([^"]+)"/mg];
    $text{$path} = without_literals($whole);
    $declares{$path} = declared($text{$path}) if $path =~ /\.h$/;
}

# The check can fail.
add_file('x/a.h', "typedef struct a a;\nvoid a_go(a *x);\n#define A_MOST 3\n");
add_file('x/b.h', "#include \"x/a.h\"\na *b_get(void);\n");
add_file('x/c.c', "#include \"x/d.h\"\n#include \"x/b.h\"\n// a_go()\nint a_gone = sizeof(A_MOST);\n");
add_file('x/b.c', "#include \"x/b.h\"\nvoid f(void) { a_go(b_get()); }\n");
is_deeply([map { missing($_) } sort keys %text], ['src/x/c.c uses A_MOST of x/a.h'], 'self-check: tells what is missing');
%text = %includes = %declares = ();

for my $path (glob 'src/*/*.[ch] src/*/*/*.[ch]') {
    open my $in, '<', $path or die "$path: $!\n";
    add_file($path =~ s{^src/}{}r, do { local $/; <$in> });
}
cmp_ok(scalar(keys %text), '>', 600, 'there are files');
@missing = map { missing($_) } sort keys %text;
ok(!@missing, 'every file includes what it uses') or diag(join "\n", @missing);
done_testing;
