#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# kills: a job with --checkpoint that is killed again and again, while and after it writes, ends with the counts of one
# that was not; a checkpoint with damaged bytes is refused, or gives the same answer; a full disk and a second run do it no
# harm; a compiler of a killed run ends with it, and its folder goes.
use strict;
use warnings;
use Fcntl qw(LOCK_EX);
use POSIX qw(WNOHANG);
use lib 'tests';
use Part qw(part_is_mine part_seed part_share);
use Test::More;
use Time::HiRes qw(sleep time);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $long = $ENV{PARVIS_LONG};
my $point = "$tmp/point";
srand part_seed(13);

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    local $/;
    return <$in> // '';
}

sub spew {
    my ($bytes) = @_;
    open my $out, '>:raw', $point or die;
    print $out $bytes;
    close $out;
}

# What does not depend on how often a search was cut: all but time and memory. How often rules fired is in it.
sub essence {
    my ($text) = @_;
    return $text =~ s/(depth \d+), [^(]*\([^)]*\)/$1/r;
}

sub answer { return essence(scalar `timeout 1000 $parvis check @_ --statistics 2>$tmp/err`) }

# ---- kills

sub start {
    my (@command) = @_;
    my $child = fork // die "fork: $!\n";
    return $child if $child;
    open STDOUT, '>', "$tmp/out";
    open STDERR, '>>', "$tmp/err";
    exec $parvis, @command or POSIX::_exit(99);
}

sub finish {
    my ($child) = @_;
    kill 'KILL', $child;
    waitpid $child, 0;
    return 0;
}

# Kills it when it has written so many segments to the checkpoint, after some more time; false if it ended before.
sub killed {
    my ($segments, $seconds, @command) = @_;
    my $child = start(@command);
    my $size = -s $point // 0;
    for (my $until; !defined $until || time < $until; sleep 0.002) {
        return 0 if waitpid($child, WNOHANG) == $child;
        my $now = -s $point // 0;
        if ($now > $size) { $size = $now; $segments-- }
        $until //= time + $seconds if $segments <= 0;
    }
    return !finish($child);
}

my @jobs = (
    ['models/murphi/german.m', '--define', 'CLIENTS=6', '--engine', 'bytecode', '-t', 1],
    ['models/murphi/german.m', '--define', 'CLIENTS=6', '--engine', 'bytecode', '--compact'],
);
push @jobs, ['models/tm/tl2.pv', '--property', 'opaque', '--size', 'Thread=3,Loc=2', '-t', 2, '--engine', 'bytecode'],
    ['models/murphi/german.m', '--define', 'CLIENTS=7', '-t', 2] if $long;
my ($kills, $losses) = (0, 0);
for my $job (@jobs) {
    my @command = ('check', @$job, '--checkpoint', $point, '--statistics');
    my $whole = answer(@$job, '--checkpoint', $point);    # with one, a compact search never starts again with states
    unlink $point, "$tmp/err";
    my $n = 0;
    while ($n < ($long ? part_share(40) : 6)) {
        # at once, while a segment is written, or some time after one
        my ($segments, $seconds) = @{ ([0, rand 0.2], [1, 0], [1, rand 0.002], [2, rand 0.1])[rand 4] };
        if (killed($segments, $seconds, @command)) { $n++; next }
        $losses += essence(slurp("$tmp/out")) ne $whole;
    }
    waitpid start(@command), 0;
    $losses += essence(slurp("$tmp/out")) ne $whole;
    is($losses, 0, "@$job: killed $n times, the same counts");
    ok(!-e $point, 'and no checkpoint is left');
    like(slurp("$tmp/err"), qr/continuing from/, 'some runs went on from it');
    $kills += $n;
}

# A job that is killed every few seconds ends, also a large one. Seconds are of processor time, so that other work on the
# machine does not matter.
sub cpu_seconds { my @f = split ' ', eval { slurp("/proc/$_[0]/stat") } // ''; return @f > 14 ? ($f[13] + $f[14]) / 100 : 0 }

sub killed_every {
    my ($seconds, $most, @job) = @_;
    my $n = 0;
    for (; $n < $most; $n++) {
        my $child = start('check', @job, '--checkpoint', $point, '--statistics');
        my $is_over;
        sleep 0.01 until ($is_over = waitpid($child, WNOHANG) == $child) || cpu_seconds($child) >= $seconds;
        last if $is_over;
        finish($child);
    }
    my $is_same = essence(slurp("$tmp/out")) eq answer(@job);
    $losses += !$is_same;
    $kills += $n;
    ok($is_same, "@job: killed every $seconds CPU seconds, $n times, it ends");
}
if ($long && part_is_mine(0)) {
    killed_every(1, 300, 'models/murphi/german.m', '--define', 'CLIENTS=7', '--engine', 'bytecode');
    killed_every(9, 100, 'models/tm/tl2.pv', '--property', 'opaque', '--size', 'Thread=3,Loc=2', '--symmetry', 'off');
}
is(join(' ', glob "$point*"), '', 'nothing is left beside it');

# ---- two runs, a full disk, another version

# One that takes long enough not to end before the second begins; it stands still meanwhile.
my @lasting = qw(models/tm/tl2.pv --property opaque --size Thread=3,Loc=2 --symmetry off);
my $first   = start('check', @lasting, '--checkpoint', $point);
for (1 .. 2000) { last if -s $point; sleep 0.005 }
kill 'STOP', $first;
like(`$parvis check @lasting --checkpoint $point 2>&1`, qr/is in use by another run/, 'a second run is refused');
finish($first);
unlink $point;

# One that waited for a run which then ended, and took its file away, does not write where nobody finds it.
spew('');
open my $held, '+<', $point or die;
flock $held, LOCK_EX or die;
my $waiting = start('check', @{ $jobs[0] }, '--checkpoint', $point);
sub has_open { my ($pid) = @_; return grep { (readlink($_) // '') eq $point } glob "/proc/$pid/fd/*" }
for (1 .. 2000) { last if (readlink("/proc/$waiting/exe") // '') =~ /parvis/ && has_open($waiting); sleep 0.002 }
unlink $point;
close $held;
waitpid $waiting, 0;
like(slurp("$tmp/err"), qr/was removed by a run that has just ended/, 'a file that was taken away is not used');

my @job = ('models/murphi/german.m', '--define', 'CLIENTS=3', '-t', 1);
my $whole = answer(@job);
my $full = `ulimit -f 120; $parvis check @job --limit-states 2000 --checkpoint $point 2>&1; $parvis check @job --limit-states 5000 --checkpoint $point 2>&1`;
like($full, qr/the checkpoint '\S+' cannot be written: File too large/, 'a full disk is said');
ok(-s $point <= 120 << 10, 'and leaves what was there');
like(scalar `$parvis check @job --limit-states 2001 --checkpoint $point 2>&1`, qr/continuing from/, 'which is good');
is(answer(@job, '--checkpoint', $point), $whole, 'to the end');

spew("parvis point 2\n\0" . "x" x 1000);
like(`$parvis check @job --checkpoint $point 2>&1`, qr/was written by another version of parvis/, 'an older file is refused');
is(slurp($point), "parvis point 2\n\0" . "x" x 1000, 'and left');
unlink $point;

# ---- damaged bytes, of a file with several segments

`$parvis check @job --limit-states $_ --checkpoint $point 2>/dev/null` for 300, 900, 2000, 4000;
my $good = slurp($point);

sub damaged {
    my $bytes = $good;
    my $kind = int rand 5;
    my $at = int rand length $bytes;
    if ($kind == 0) { substr($bytes, $at, 1) ^= chr(1 << int rand 8) }
    elsif ($kind == 1) { $bytes = substr $bytes, 0, $at }
    elsif ($kind == 2) { substr($bytes, $at, 1 + int rand 64) = join '', map { chr int rand 256 } 0 .. rand 64 }
    elsif ($kind == 3) { $bytes .= substr $bytes, $at }
    else { substr($bytes, $_, 1) = chr int rand 256 for map { int rand length $bytes } 1 .. 20 }
    return $bytes;
}

my ($cases, $wrong, $resumed) = ($long ? part_share(3000) : 120, 0, 0);
for my $i (1 .. $cases) {
    spew(damaged());
    my $answer = answer(@job, '--checkpoint', $point);
    my ($code, $said) = ($?, slurp("$tmp/err"));
    $resumed += $said =~ /continuing from/;
    next if $code == 2 << 8 && $said =~ /is damaged|is not a checkpoint|belongs to another model|another version/;
    next if $answer eq $whole;
    $wrong++;
    diag("case $i: status $code, $said, $answer");
}
is($wrong, 0, "$cases damaged checkpoints are refused, or their good part is gone on with");
cmp_ok($resumed, '>', $cases / 4, 'many have a good part');
unlink $point;

# ---- forged: the checksums are right. Most changes give a state that lies in the wrong place, a value outside of its type
# or a parent that is no earlier state; what is left ends, with some answer, as a search from other states would.

open my $cc, '|-', "cc -O1 -Isrc -x c -o $tmp/sum -" or die;
print $cc <<'END';
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <stdint.h>
#include <stdio.h>
#include "explore/store.h"
static unsigned char b[1 << 24];
struct { uint64_t bytes, sum, pieces[2 * (STORE_PARTS + 1)]; } s;
int main(void) {
    uint64_t n = fread(b, 1, sizeof b, stdin), print;
    memcpy(&print, b + 16, 8);
    for (uint64_t at = 32; at + sizeof s <= n; at += sizeof s + s.bytes) {
        memcpy(&s, b + at, sizeof s);
        for (uint64_t i = 0, from = at + sizeof s; i <= 2 * STORE_PARTS; from += s.pieces[i], i += 2)
            s.pieces[i + 1] = XXH3_64bits_withSeed(b + from, s.pieces[i], print + from);
        s.sum = XXH3_64bits_withSeed(s.pieces, sizeof s.pieces, print + at + sizeof s);
        memcpy(b + at, &s, sizeof s);
    }
    return fwrite(b, 1, n, stdout) != n;
}
END
close $cc;
my ($forged, $refused, $broken) = ($long ? part_share(3000) : 100, 0, 0);
unlink $point;
`$parvis check @job --limit-states 300 --checkpoint $point 2>/dev/null`;
$good = slurp($point);
for my $i (0 .. $forged) {
    my $bytes = $good;
    substr($bytes, int(length($bytes) * (0.5 + rand 0.5)) - 8, 1) ^= chr(1 << int rand 8) if $i;
    open my $out, '|-', "$tmp/sum > $point" or die;
    binmode $out;
    print $out $bytes;
    close $out;
    my $answer = answer(@job, '--checkpoint', $point);
    my ($code, $said) = ($?, slurp("$tmp/err"));
    is($answer, $whole, 'the true checkpoint with its checksum computed again') if !$i;
    my $is_refused = $code == 2 << 8 && $said =~ /is damaged/;
    $refused++ if $is_refused;
    # A parent that is another state, or a state that is no representative: found while the search runs. The program for
    # tests ends there; the user's starts again without the checkpoint's states.
    next if $answer =~ /self-check failed.*(?:the trace has no step to a stored state|has another representative)/;
    next if $is_refused || ($code & 255) == 0 && $code >> 8 < 2 || $code == 3 << 8;
    $broken++;
    diag("forged $i: status $code, $said, $answer");
}
is($broken, 0, "$forged forged checkpoints end");
cmp_ok($refused, '>', 0.7 * $forged, 'most of them are refused; what is left could be a state');
unlink $point;

# ---- compilers of killed runs

mkdir "$tmp/own";
local $ENV{TMPDIR} = "$tmp/own";
my @native = ('check', @job, '--engine', 'native', '--statistics');
sub of_compiler { return grep { /\Q$tmp\E\/own/ } map { tr/\0/ /r } map { eval { slurp($_) } // () } glob '/proc/[0-9]*/cmdline' }
my ($compilers, $left) = ($long ? part_share(30) : 4, 0);
for (1 .. $compilers) {
    my $child = start(@native);
    for (1 .. 1000) { last if grep { /cc1|clang.*-cc1/ } of_compiler(); sleep 0.002 }
    sleep rand 0.02;
    finish($child);
    for (1 .. 100) { last if !of_compiler() && !glob "$tmp/own/*"; sleep 0.01 }
    $left++ if of_compiler() || glob "$tmp/own/*";
    diag(of_compiler(), glob "$tmp/own/*") if of_compiler() || glob "$tmp/own/*";
}
is($left, 0, "$compilers runs killed while they compile: no child and no folder is left after a second");
mkdir "$tmp/own/parvis-code-abcdef";
utime 1, 1, "$tmp/own/parvis-code-abcdef";
waitpid start(@native), 0;
is(essence(slurp("$tmp/out")), $whole, 'compiled in TMPDIR');
is(join(' ', glob "$tmp/own/*"), '', 'folders that were left all the same are removed by the next run');

print "# tally: kills of jobs with a checkpoint | $kills cases | $losses wrong\n";
print "# tally: kills while compiling | $compilers cases | $left wrong\n";
print "# tally: forged checkpoints | $forged cases | $broken wrong\n";
print "# tally: damaged checkpoints | $cases cases | $wrong wrong\n";
done_testing();
