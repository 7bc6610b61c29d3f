#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# out_of_memory: whichever allocation fails, ours or a library's, the answer is the one that a run with enough memory
# gives, or "out of memory" and exit code 3; never another verdict, never an abort, and with --json one whole object.
#
# tests/tools/failmalloc.c, preloaded, fails the n-th allocation of each command: in a quick run for some n by a fixed
# seed, in a long one for every n up to 5,000 (or to the last allocation) and some beyond; tests/run deals those out.
use strict;
use warnings;
use JSON::PP;
use POSIX ();
use lib 'tests';
use Part qw(part_is_mine part_seed);
use Schema qw(decode_answer);
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
plan skip_all => 'a sanitizer has an allocator of its own' if $parvis =~ /asan/;
my $most = 5000;
my $some = 12;
my $seconds = 600;    # by the clock: a run that starves on a busy machine does not hang

sub write_file { my ($name, @text) = @_; open my $out, '>', "$tmp/$name" or die; print $out @text; close $out; return "$tmp/$name" }

system('cc', '-shared', '-fPIC', '-O1', '-o', "$tmp/failmalloc.so", 'tests/tools/failmalloc.c', '-ldl') == 0 or die "no compiler\n";

# ---- the commands

my $xml = write_file('gate.xml', <<'END');
<?xml version="1.0" encoding="utf-8"?>
<nta><declaration>clock x; int n = 0;</declaration>
<template><name>P</name>
<location id="a"><name>A</name><label kind="invariant">x &lt;= 5</label></location><location id="b"><name>B</name></location>
<init ref="a"/>
<transition><source ref="a"/><target ref="b"/><label kind="guard">x &gt;= 2</label><label kind="assignment">n = n + 1</label></transition>
</template><system>system P;</system>
<queries><query><formula>A[] n &lt;= 1</formula></query><query><formula>E&lt;&gt; P.B</formula></query>
<query><formula>A[] n == 0</formula></query></queries></nta>
END
my $bad = write_file('bad.pv', "system S {\n  rel busy(Thrad)\n  action go when bsy\n}\nsort Thread\n");
my $walk = write_file('walk', "random 12 3\nstate\nundo\nsave $tmp/walk.json\nquit\n");
my $trace = "$tmp/trace.json";
`$parvis check models/murphi/german_bug.m --trace $trace`;
my ($cert, $cmp) = ("$tmp/cert.json", "$tmp/cmp.json");
`$parvis prove models/pyv/lock_server.pyv --certificate $cert`;
`$parvis prove models/murphi/mesi.m --certificate $cmp`;

my @commands = (
    'check models/tm/tpl.pv --size Thread=2,Loc=1 --json',
    'check models/tm/occ.pv --size Thread=2,Loc=1',
    "check models/tm/occ.pv --size Thread=2,Loc=1 --property opaque --trace $tmp/occ.json --json",
    'check models/tm/seq.pv --size Thread=1..2,Loc=1 --json',
    'check models/tm/seq.pv --structural --size Thread=2,Loc=1',
    "check models/tm/tpl.pv --property strictly_serializable --size Thread=2,Loc=1 --checkpoint $tmp/point --json",
    'check models/murphi/german_bug.m',
    "check models/murphi/german_bug.m --symmetry off --compact --checkpoint $tmp/hashes --json",
    'check models/murphi/peterson.m --json',
    'check models/murphi/mcs.m --define PROCS=2',
    'check models/timed/bridge.xta --json',
    "check models/timed/fischer.xta --define N=3 --picture $tmp/fischer.html",
    "check $xml --json",
    "check $xml",
    'check models/interchange/doomed.hist',
    'check models/interchange/independent.hist --json',
    "check $bad --json",
    'prove models/tm/seq.pv --json',
    'prove models/pyv/lock_server.pyv --json',
    'prove models/pyv/semaphores.pyv --given',
    'prove models/pyv/ticket_lock.pyv --json',    # asks Z3
    'prove models/pyv/votes_exists.pyv --given --json',
    "prove models/murphi/mesi.m --certificate $tmp/mesi.json --json",
    'compare models/specs/opacity.pv models/specs/strict_serializability.pv --size Thread=2,Loc=1 --json',
    'compare models/specs/strict_serializability.pv models/specs/opacity.pv --size Thread=2,Loc=1 --by simulation',
    'minimize models/specs/strict_serializability.pv --size Thread=2,Loc=1 --json',
    "simulate models/tm/dstm.pv --size Thread=2,Loc=1 < $walk",
    "simulate models/murphi/german_bug.m --replay $trace",
    'show models/tm/tl2.pv --json',
    'show models/murphi/peterson.m --lts',
    'show models/tm/tpl.pv --dot --size Thread=1,Loc=1',
    'show models/murphi/mesi.m --abstract',
    "recheck $cert --json",
    "recheck $cmp",
    'help check --json',
);

# ---- what is compared

my $differs = qr/seconds|memory|engine|compile|threads|rate|queries|omission/;

sub essence {
    my ($o) = @_;
    return [map { essence($_) } @$o] if ref $o eq 'ARRAY';
    return { map { $_ => essence($o->{$_}) } grep { !/$differs/ } keys %$o } if ref $o eq 'HASH';
    return $o;
}

# Times and sizes that differ from run to run are left out, and where lines were broken because of them.
sub masked {
    my ($text, $is_json) = @_;
    return JSON::PP->new->canonical->allow_nonref->encode(essence(eval { decode_answer($text) } // return "no JSON: $text")) if $is_json;
    $text =~ s/\s+/ /g;
    return $text =~ s/\b\d+(?:\.\d+)? (?:s|min|h|ms|B|KB|MB|GB)\b/*/gr =~ s/\([^()]*(?:code|native|thread)[^()]*\)/*/gr;
}

sub contents { open my $in, '<', $_[0] or return ''; local $/; return scalar <$in> }

# Without a shell in between, which would take longer than most of the runs; a run that hangs is ended by its alarm.
sub run {
    my ($command, %environment) = @_;
    my ($line, $input) = split / < /, $command;
    unlink "$tmp/point";
    my $child = fork // die "fork: $!\n";
    if (!$child) {
        @ENV{keys %environment} = values %environment;
        $ENV{LD_PRELOAD} = "$tmp/failmalloc.so";
        open STDIN, '<', $input // '/dev/null';
        open STDOUT, '>', "$tmp/out";
        open STDERR, '>', "$tmp/err";
        alarm $seconds;
        exec $parvis, split ' ', $line or POSIX::_exit(99);
    }
    waitpid $child, 0;
    return (contents("$tmp/out"), $?);
}

# Memory ran out after the answer, while files were written: the answer is the same, and standard error says so.
sub is_answered {
    my ($out, $status, $expected, $is_json) = @_;
    return $status == 3 << 8 && masked($out, $is_json) eq $expected &&
        contents("$tmp/err") =~ /^error: out of memory before all files were written$/m;
}

sub is_out_of_memory {
    my ($out, $status, $is_json) = @_;
    return 0 if $status != 3 << 8;
    return $out =~ /^unknown: out of memory(?:, while [a-z_ ]+)?$/m if !$is_json;
    my $o = eval { decode_answer($out) };
    return $o && $o->{verdict} eq 'unknown' && $o->{reason} =~ /^out of memory/;
}

my ($cases, $wrong) = (0, 0);

# Some n up to the number of allocations, more of them small, and always the first and the last ones.
sub chosen {
    my ($count) = @_;
    my $last = $count < $most ? $count : $most;
    my %n = map { $_ => 1 } 1, $count, $ENV{PARVIS_LONG} ? grep { part_is_mine($_) } 1 .. $last : ();
    $n{1 + int($_ * rand() ** 2)} = 1 for ($last, $count) x $some;
    return sort { $a <=> $b } keys %n;
}

srand part_seed(13);
for my $command (@commands) {
    my $is_json = $command =~ /--json/;
    my ($whole, $whole_status) = run($command, FAIL_COUNT => "$tmp/count");
    my $expected = masked($whole, $is_json);
    my $count = do { open my $in, '<', "$tmp/count" or die "$command: not counted"; <$in> + 0 };
    my @wrong;
    for my $n (chosen($count)) {
        my ($out, $status) = run($command, FAIL_AT => $n);
        $cases++;
        next if is_out_of_memory($out, $status, $is_json);
        next if is_answered($out, $status, $expected, $is_json);
        next if $status == $whole_status && masked($out, $is_json) eq $expected;
        push @wrong, $n;
        diag(sprintf "n = %d, status %d: %s%s", $n, $status, substr($out, 0, 300), substr(contents("$tmp/err"), 0, 300)) if @wrong < 3;
    }
    $wrong += @wrong;
    is("@wrong", '', "$command ($count allocations)");
}

print "# tally: commands with a failed allocation | $cases cases | $wrong wrong\n";
done_testing();
