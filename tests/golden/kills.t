#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# kills: a job with --checkpoint that is killed again and again, at random times, ends with the counts of one that was
# not; a checkpoint with damaged bytes is refused, or gives the same answer; nothing of a killed run stays behind.
use strict;
use warnings;
use JSON::PP;
use POSIX qw(WNOHANG);
use lib 'tests';
use Part qw(part_seed part_share);
use Test::More;
use Time::HiRes qw(sleep time);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $long = $ENV{PARVIS_LONG};
my $point = "$tmp/point";
srand part_seed(13);

sub essence {
    my ($text) = @_;
    my $o = eval { decode_json($text) } // return "no JSON: $text";
    return join ' ', map { $_ // '-' } @$o{qw(verdict states transitions depth)}, map { "$_->{name}=$_->{verdict}" } @{ $o->{properties} // [] };
}

# ---- kills

sub one_run {
    my ($seconds, @command) = @_;
    my $child = fork // die "fork: $!\n";
    if (!$child) {
        open STDOUT, '>', "$tmp/out";
        open STDERR, '>', '/dev/null';
        exec $parvis, @command or POSIX::_exit(99);
    }
    my $until = defined $seconds ? time + $seconds : undef;
    while (!waitpid($child, WNOHANG)) {
        if (defined $until && time > $until) {
            kill 'KILL', $child;
            waitpid $child, 0;
            return 0;
        }
        sleep 0.01;
    }
    return 1;
}

# Every run gets a time of its own, now and then much less than a checkpoint takes; they grow, so that it ends.
sub killed_until_done {
    my ($most, @command) = @_;
    for my $kills (0 .. $most - 1) {
        return $kills if one_run(0.05 + rand() * (1 + $kills / 10), @command, '--checkpoint', $point, '--json');
    }
    one_run(undef, @command, '--checkpoint', $point, '--json');
    return $most;
}

my @jobs = (
    ['models/murphi/german.m', '--define', 'CLIENTS=6', '--engine', 'bytecode', '-t', 1],
    ['models/murphi/german.m', '--define', 'CLIENTS=6', '--engine', 'bytecode', '--compact'],
);
push @jobs, ['models/tm/tl2.pv', '--property', 'opaque', '--size', 'Thread=3,Loc=2', '-t', 2, '--engine', 'bytecode'],
    ['models/murphi/german.m', '--define', 'CLIENTS=5', '--symmetry', 'off', '--engine', 'bytecode'] if $long;
my ($kills, $losses) = (0, 0);
for my $job (@jobs) {
    unlink $point;
    my $whole = essence(scalar `$parvis check @$job --json 2>/dev/null`);
    my $n = 0;
    do {
        $n += killed_until_done($long ? part_share(40) + 1 : 10, 'check', @$job);
        my $same = essence(scalar do { open my $in, '<', "$tmp/out" or die; local $/; <$in> }) eq $whole;
        $losses++ if !$same;
        ok($same, "@$job: killed $n times, the same counts");
        ok(!-e $point, 'and no checkpoint is left');
    } while ($long && $n < part_share(60));
    $kills += $n;
}
is(join(' ', glob "$point*"), '', 'nothing is left beside it');

# ---- damaged bytes

my @job = ('models/murphi/german.m', '--define', 'CLIENTS=3', '-t', 1);
my $whole = essence(scalar `$parvis check @job --json 2>/dev/null`);
`$parvis check @job --limit-states 300 --checkpoint $point 2>/dev/null`;
my $good = do { open my $in, '<:raw', $point or die; local $/; <$in> };

sub damaged {
    my $bytes = $good;
    my $kind = int rand 4;
    my $at = int rand length $bytes;
    if ($kind == 0) { substr($bytes, $at, 1) ^= chr(1 << int rand 8) }
    elsif ($kind == 1) { $bytes = substr $bytes, 0, $at }
    elsif ($kind == 2) { substr($bytes, $at, 1 + int rand 64) = join '', map { chr int rand 256 } 0 .. rand 64 }
    else { substr($bytes, $_, 1) = chr int rand 256 for map { int rand length $bytes } 1 .. 20 }
    return $bytes;
}

my ($cases, $wrong) = ($long ? part_share(3000) : 100, 0);
for my $i (1 .. $cases) {
    my $bytes = damaged();
    open my $out, '>:raw', $point or die;
    print $out $bytes;
    close $out;
    my $text = `timeout 20 $parvis check @job --checkpoint $point --json 2>/dev/null`;
    my $code = $?;
    next if $code == 2 << 8 && $text =~ /is damaged|is no checkpoint|is of another model/;
    next if essence($text) eq $whole;
    $wrong++;
    diag("case $i: status $code, $text");
}
is($wrong, 0, "$cases damaged checkpoints are refused");
unlink $point;

# ---- forged: the checksum is right. Most changes give a state that lies in the wrong place, a value outside of its type
# or a parent that is no earlier state; what is left ends, with some answer, as a search from other states would.

open my $cc, '|-', "cc -O1 -x c -o $tmp/sum -" or die;
print $cc <<'END';
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <stdio.h>
static unsigned char b[1 << 24];
int main(void) {
    size_t n = fread(b, 1, sizeof b, stdin) - 8;
    XXH64_hash_t sum = XXH3_64bits(b, n);
    return fwrite(b, 1, n, stdout) != n || fwrite(&sum, 8, 1, stdout) != 1;
}
END
close $cc;
my ($forged, $refused, $broken) = ($long ? part_share(3000) : 100, 0, 0);
for my $i (0 .. $forged) {
    my $bytes = $good;
    substr($bytes, int(length($bytes) * (0.5 + rand 0.5)) - 8, 1) ^= chr(1 << int rand 8) if $i;
    open my $out, '|-', "$tmp/sum > $point" or die;
    binmode $out;
    print $out $bytes;
    close $out;
    my $text = `timeout 20 $parvis check @job --checkpoint $point --json 2>/dev/null`;
    my $code = $?;
    is(essence($text), $whole, 'the true checkpoint with its checksum computed again') if !$i;
    my $is_refused = $code == 2 << 8 && $text =~ /is damaged/;
    $refused++ if $is_refused;
    next if $is_refused || ($code & 255) == 0 && $code >> 8 < 2 || $code == 3 << 8;
    $broken++;
    diag("forged $i: status $code, $text");
}
is($broken, 0, "$forged forged checkpoints end");
cmp_ok($refused, '>', 0.7 * $forged, 'most of them are refused; what is left could be a state');
unlink $point;

# ---- what a killed run leaves behind

SKIP: {
    mkdir "$tmp/own";
    local $ENV{TMPDIR} = "$tmp/own";
    my @native = ('check', 'models/murphi/german.m', '--define', 'CLIENTS=3', '--engine', 'native', '--json');
    one_run(0.1, @native);
    utime 1, 1, glob("$tmp/own/parvis-code-*");
    one_run(undef, @native);
    is(essence(scalar do { open my $in, '<', "$tmp/out" or die; local $/; <$in> }), $whole, 'compiled in TMPDIR');
    is(join(' ', glob "$tmp/own/*"), '', 'folders of killed runs are removed by the next');
}

print "# tally: kills of jobs with a checkpoint | $kills cases | $losses wrong\n";
print "# tally: forged checkpoints | $forged cases | $broken wrong\n";
print "# tally: damaged checkpoints | $cases cases | $wrong wrong\n";
done_testing();
