#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# loop_order: loops over scalarsets in tests/golden/loop_order/*.m. The first comment lines of a model say
#
#   -- expect: holds                 every property holds
#   -- expect: violated "NAME"       that property is violated (one line for each; no other is)
#   -- apart: node owner             the scalarsets that lose their symmetry, each with a warning that names it
#
# Verdicts with and without symmetry agree, --symmetry exact and heuristic refuse exactly those that lose it, and with
# PARVIS_LONG Debian's rumur says the same.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my @always = ('--all-invariants', '--deadlock', 'none');

sub header {
    my ($file) = @_;
    my ($apart, @violated);
    open my $in, '<', $file or die "$file: $!\n";
    while (my $line = <$in>) {
        last unless $line =~ /^--/;
        push @violated, $1 if $line =~ /^-- expect: violated "(.*)"/;
        $apart = $1 if $line =~ /^-- apart: *(.*?)\s*$/;
    }
    die "$file: says nothing about symmetry\n" unless defined $apart;
    return ([sort @violated], [sort split ' ', $apart]);
}

sub violated {
    my ($file, @options) = @_;
    open my $from, '-|', "$parvis check $file @always @options --json 2>/dev/null" or die "$parvis: $!\n";
    my $o = eval { decode_answer(do { local $/; <$from> }) } // {};
    return [sort map { $_->{name} } grep { $_->{verdict} ne 'holds' } @{ $o->{properties} // [{ name => 'no answer' }] }];
}

sub rumur_fails {
    my ($file) = @_;
    my $base = "$tmp/loop_order";
    system("rumur --deadlock-detection off --symmetry-reduction off --output $base.c $file >/dev/null 2>&1") == 0 or return 'refused';
    system("cc -std=c11 -O0 -mcx16 -o $base.bin $base.c -lpthread -latomic >/dev/null 2>&1") == 0 or return 'not compiled';
    return system("$base.bin >/dev/null 2>&1") == 0 ? 'holds' : 'violated';
}

for my $file (sort glob 'tests/golden/loop_order/*.m') {
    my ($name) = $file =~ m{([^/]+)\.m$};
    my ($violated, $apart) = header($file);
    is_deeply(violated($file), $violated, "$name: verdicts");
    is_deeply(violated($file, '--symmetry', 'off'), $violated, "$name: verdicts without symmetry");
    my $text = `$parvis check $file @always 2>&1`;
    my @warned = $text =~ /warning: symmetry is not used for '(\w+)'/g;
    is_deeply([sort @warned], $apart, "$name: symmetry is not used for: @$apart") or diag($text);
    for my $kind ('exact', 'heuristic') {
        system("$parvis check $file @always --symmetry $kind >/dev/null 2>&1");
        my $code = $? >> 8;
        is($code, @$apart ? 2 : @$violated ? 1 : 0, "$name: --symmetry $kind");
    }
  SKIP: {
        skip("$name: rumur only in long runs", 1) unless $ENV{PARVIS_LONG} && `which rumur`;
        skip("$name: rumur has no unions and multisets", 1) if `grep -lE 'union \{|multiset' $file`;
        is(rumur_fails($file), @$violated ? 'violated' : 'holds', "$name: as Rumur says");
    }
}
done_testing();
