#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# murphi_memory: --limit-memory bounds the memory that a search really takes: it ends in `unknown` with what was covered
# although the system would give it only a little more, and its checkpoint can be gone on from. The model counts, so that
# its states and transitions are known; PARVIS_LONG=1 has 10^7 of them.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;
plan skip_all => 'a sanitizer reserves more address space than the limits here' if ($ENV{PARVIS} // '') =~ m{/asan/};

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $file = "$tmp/memory.point";
my ($stack, $slack) = (8192, 4096);    # KB: of a second thread; of everything but the search

sub model {
    my ($top) = @_;
    open my $out, '>', "$tmp/count$top.m" or die;
    print $out "type digit : 0..$top;\nvar a, b, c, d : digit;\nstartstate a := 0; b := 0; c := 0; d := 0; end;\n";
    print $out qq{rule "$_" $_ < $top ==> $_ := $_ + 1; end;\n} for qw(a b c d);
    print $out qq{invariant "in range" a <= $top;\n};
    close $out;
    return "$tmp/count$top.m";
}

# Under a limit of the system, in KB: of address space (-v) or of data (-d).
sub check {
    my ($limit, @options) = @_;
    my $command = join ' ', ($limit ? "ulimit $limit;" : ''), $parvis, 'check', @options, '--json', '--engine bytecode', '--deadlock none', '2>&1';
    my $text = `$command`;
    return (eval { decode_answer($text) } // { text => $text }, $? >> 8);
}

sub counted {
    my ($o, $top, $name) = @_;
    my $n = $top + 1;
    is_deeply([@$o{qw(verdict states transitions depth)}], ['holds', $n**4, 4 * $top * $n**3, 4 * $top], "$name: counts are those of the model");
}

sub stopped {
    my ($o, $code, $megabytes, $name) = @_;
    is($code, 3, "$name: unknown") or diag($o->{text});
    like($o->{properties}[0]{reason} // '', qr/stopped at the limit of $megabytes(\.0)? MB; every state up to depth \d+ was checked/, "$name: says what was covered");
    cmp_ok($o->{memory_bytes} // 0, '<=', $megabytes << 20, "$name: within the limit");
    cmp_ok($o->{memory_bytes} // 0, '>', ($megabytes << 20) * 0.7, "$name: the limit is made use of");
}

# Limits that a search meets at different moments: while pages are added, while a table or a buffer grows.
my $top = 27;
my $small = model($top);
counted((check('', $small))[0], $top, 'without a limit');
for my $threads (1, 2) {
    for my $megabytes (2, 3, 4) {
        for my $how ('', '--compact', "--checkpoint $file") {
            next if $megabytes == 3 && $how;
            unlink $file;
            my $data = $megabytes * 1024 + ($threads - 1) * $stack + $slack;
            my $name = "$megabytes MB, $threads threads" . ($how =~ s/ .*//r =~ s/^-/, -/r);
            my @options = ($small, "--threads $threads", "--limit-memory ${megabytes}M", $how);
            stopped(check("-d $data", @options), $megabytes, $name);
            next if $how !~ /checkpoint/;
            counted((check('', $small, '--threads', 3 - $threads, $how))[0], $top, "$name, gone on from");
        }
    }
}

# The least address space in which a search of a few states runs, to within some megabytes.
sub least_space {
    my ($low, $high) = (0, 1 << 20);
    my $tiny = model(2);
    while ($high - $low > 2048) {
        my $middle = int(($low + $high) / 2);
        my ($o, $code) = check("-v $middle", $tiny, '--threads 1');
        if ($code == 0) { $high = $middle } else { $low = $middle }
    }
    return $high;
}

my $space = least_space() + $slack;
my @larger = (model(39), '--threads 1');
stopped(check('-v ' . ($space + 6 * 1024), @larger, '--limit-memory 6M'), 6, 'address space for 6 MB');
my ($over, $code) = check('-v ' . ($space + 6 * 1024), @larger);
is($code, 3, 'and no more than that: without the limit it does not suffice');
like($over->{reason}, qr/^out of memory/, 'which is said');

# 4,096 instances of a rule of which one is enabled, states of 5 kB: room for successors by all of them is not needed.
open my $wide, '>', "$tmp/wide.m" or die;
print $wide "type n : 0..15; var x, y, z : n; a : array [0..1999] of 0..1000000;\n",
    "startstate begin x := 0; y := 0; z := 0; for i : 0..1999 do a[i] := 0; end; end;\n",
    "ruleset i : n; j : n; k : n do rule x = i & y = j & z = k & i < 3 ==> begin x := i + 1; y := j; z := k; end; end;\n",
    "invariant \"in range\" x <= 3;\n";
close $wide;
my ($few, $status) = check('', "$tmp/wide.m", '--threads 1', '--limit-memory 40M');
is($status, 0, 'many rules, few of them enabled: within 40 MB');
is($few->{states}, 4, 'all states');

if ($ENV{PARVIS_LONG}) {
    my $large = model(59);
    for my $threads (1, 2) {
        unlink $file;
        my @options = ($large, "--threads $threads", "--checkpoint $file");
        my ($o, $code) = check('-d ' . (105 * 1024 + ($threads - 1) * $stack), @options, '--limit-memory 100M');
        stopped($o, $code, 100, "10^7 states, $threads threads");
        cmp_ok($o->{states}, '>', 1e7, 'it is that many');
        counted((check('', @options))[0], 59, 'gone on from');
    }
}

done_testing();
