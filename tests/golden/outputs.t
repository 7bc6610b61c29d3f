#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# outputs: a run that is killed while it writes a file leaves the old text or the new one, and nothing beside it that the
# next run minds. A library counts the calls that write (preloaded), and kills the run at the n-th: before it, after it,
# and where text is written after half of it.
use strict;
use warnings;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";

open my $cc, '|-', "cc -O1 -shared -fPIC -x c -o $tmp/die.so - -ldl" or die;
print $cc <<'END';
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int calls, die_at;
static int is_due(void) {
    if (!die_at) die_at = getenv("DIE_AT") ? atoi(getenv("DIE_AT")) : -1;
    return ++calls == die_at;
}
static void die_if_due(void) { if (is_due()) kill(getpid(), SIGKILL); }
#define AROUND(type, name, params, args) \
    type name params { \
        type (*real) params = (type (*) params)dlsym(RTLD_NEXT, #name); \
        die_if_due(); \
        type r = real args; \
        die_if_due(); \
        return r; \
    }
AROUND(int, fsync, (int fd), (fd))
AROUND(int, fflush, (FILE *f), (f))
AROUND(int, rename, (const char *a, const char *b), (a, b))
AROUND(int, linkat, (int d, const char *a, int e, const char *b, int flags), (d, a, e, b, flags))
AROUND(int, unlink, (const char *a), (a))
size_t fwrite(const void *p, size_t size, size_t n, FILE *f) {
    size_t (*real)(const void *, size_t, size_t, FILE *) = (size_t (*)(const void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT, "fwrite");
    if (is_due()) {
        real(p, 1, size * n / 2, f);
        fflush(f);
        kill(getpid(), SIGKILL);
    }
    return real(p, size, n, f);
}
END
close $cc;

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or return '';
    local $/;
    return <$in> // '';
}

# Times differ from run to run, and so do numbers of lines and of bytes after them.
sub same { my ($a, $b) = map { s/"?seconds"?: ?[\d.e-]+|\d[\d.]* (ms|s)\b//gr } @_; return $a eq $b }

my @outputs = (
    ['certificate', 'cert', "check models/tm/tl2.pv --property opaque --size Thread=2,Loc=1 --certificate FILE"],
    ['proof', 'cert', "prove models/tm/tpl.pv --property strictly_serializable --certificate FILE"],
    ['trace', 'json', "check models/tm/tl2_swapped.pv --size Thread=2,Loc=1 --trace FILE"],
    ['timed trace', 'json', "check models/timed/bridge.xta --trace FILE"],
    ['picture', 'svg', "check models/timed/bridge.xta --picture FILE"],
    ['report', 'html', "check models/timed/bridge.xta --picture FILE"],
    ['save', 'json', "simulate models/tm/tl2.pv --size Thread=2,Loc=1 < $tmp/moves"],
);
open my $moves, '>', "$tmp/moves" or die;
print $moves "1\n1\n1\nsave $tmp/save/x.json\nquit\n";
close $moves;
my ($kills, $halves, $old) = (0, 0, "the old text\n");
for my $output (@outputs) {
    my ($name, $ext, $command) = @$output;
    my $folder = "$tmp/" . $name =~ s/ /_/r;
    my $file = "$folder/x.$ext";
    mkdir $folder;
    $command =~ s/FILE/$file/;
    `$parvis $command 2>&1`;
    my $new = slurp($file);
    ok(length $new > 100, "$name is written");
    my ($at, $told) = (0, 0);
    for (my $status = 9; $status == 9 && $at < 500;) {
        open my $out, '>', $file or die;
        print $out $old;
        close $out;
        $at++;
        system("DIE_AT=$at LD_PRELOAD=$tmp/die.so $parvis $command > /dev/null 2>&1");
        $status = $? & 127 || $? >> 8 == 137 ? 9 : 0;
        my $text = slurp($file);
        my $is_whole = $text eq $old || same($text, $new);
        diag("$name, call $at: half a file") if !$is_whole && !$told++;
        $halves += !$is_whole;
        $kills += $status == 9;
    }
    cmp_ok($at, '>', 5, "$name: killed at $at places");
    ok(same(slurp($file), $new), "$name: the run that was not killed has written it");
    my @beside = grep { $_ ne $file } glob "$folder/*";
    `$parvis $command 2>&1`;
    ok(same(slurp($file), $new), "$name: and so does the next, whatever lies beside it: " . @beside);
}
# ---- a pipe with room for a part of the answer, and nobody who reads: the end by force does not wait for them

use Fcntl;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep);
pipe my $from, my $to or die;
is(fcntl($to, 1031, 8192), 8192, 'a pipe of two pages');
syswrite $to, 'x' x 4096;
my $path = './' x 2000 . 'models/tm/tl2.pv';
my $child = fork // die;
if (!$child) {
    open STDOUT, '>&', $to;
    open STDERR, '>', '/dev/null';
    exec $parvis, 'check', $path, '--size', 'Thread=3,Loc=2', '--symmetry', 'off', '--property', 'opaque', '--json';
}
sleep 1;
kill 'STOP', $child;
kill 'TERM', $child;
kill 'INT', $child;
kill 'CONT', $child;
my $code;
for (1 .. 500) { $code = $? >> 8, last if waitpid($child, WNOHANG) == $child; sleep 0.01 }
is($code, 3, 'it ends');
kill 'KILL', $child if !defined $code;

is($halves, 0, 'the old text or the new one');
print "# tally: kills while an output is written | $kills cases | $halves wrong\n";
done_testing();
