#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# hostile: arguments and files that only the program reads (traces, certificates, checkpoints) made at random from what
# nobody should write: options twice or without a value, values far too large, names with control characters, JSON that
# is deep, long, of other types or empty, true files with parts of others in them. Every run ends with an exit code of
# ours, within its time and within a limit of memory, and prints no control characters.
use strict;
use warnings;
use lib 'tests';
use Part qw(part_seed part_share);
use IO::Compress::Gzip qw(gzip);
use IO::Uncompress::Gunzip qw(gunzip);
use POSIX ();
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $is_asan = $parvis =~ m{/asan/};
my $count = $ENV{PARVIS_COUNT} // ($ENV{PARVIS_LONG} ? part_share(20_000) : 300);
my ($seconds, $memory_kb) = (60, 3_000_000);
srand part_seed($ENV{PARVIS_SEED} // 13);

sub one_of { return $_[int rand @_] }
sub contents { open my $in, '<:raw', $_[0] or return ''; local $/; return scalar(<$in>) // '' }
sub write_file { my ($name, $text) = @_; open my $out, '>:raw', "$tmp/$name" or die; print $out $text; close $out; return "$tmp/$name" }

# ---- true files, to be spoilt

my %true;
sub make { my ($name, $command) = @_; `cd $tmp && PARVIS= '$parvis' $command 2>/dev/null`; $true{$name} = contents("$tmp/$name") }
my $models = POSIX::getcwd() . '/models';
make('trace.json', "check $models/murphi/german_bug.m --trace trace.json");
make('run.json', "check $models/timed/fischer.xta --query 'A[] not P(1).critical' --trace run.json");
make('closed.cert', "check $models/murphi/peterson.m --certificate closed.cert");
make('zones.cert', "check $models/timed/bridge.xta --certificate zones.cert");
make('words.cert', "compare $models/specs/opacity.pv $models/specs/strict_serializability.pv --size Thread=2,Loc=1 --certificate words.cert");
make('proof.cert', "prove $models/pyv/lock_server.pyv --certificate proof.cert");
make('cmp.cert', "prove $models/murphi/mesi.m --certificate cmp.cert");
make('point', "check $models/murphi/german.m -D CLIENTS=3 -t 1 --limit-states 300 --checkpoint point");
my @true = sort grep { length $true{$_} } keys %true;
is(scalar @true, 8, 'eight true files');

# ---- what nobody should write

my @words = ('', ' ', '0', '-1', '1', '2', '9' x 30, '1e9', '0x10', 'Thread', 'Loc', 'Thread=2', 'Thread=2,Loc=1', 'Thread=0', 'Thread=-1',
    'Thread=99999999999', 'Thread=1..9', 'Thread=9..1', 'Thread=1..', 'Thread=,', '=', ',', ',,,,', 'Thread=2,Thread=3', 'X=1', 'CLIENTS=2',
    'CLIENTS=4294967296', 'CLIENTS', '--', '-', '--json', '-q', '%n%s', "a\e[2Jb", "\x01", "\xff\xfe", '/dev/null', '/dev/full', '/', '.', '..',
    '/nonexistent/x', 'a' x 100_000, ('Thread=1,') x 1, 'Thread=2,' x 5000, 'A[] true', 'E<> (', 'A[] ' . '(' x 5000, 'A[] not ' x 2000 . 'x == 0',
    'off', 'all', 'exact', 'z3', 'nobody', 'inclusion', '1M', '1K', '0s', '1h1h', '0.2', '-t');
my @options = `$parvis help check; $parvis help prove; $parvis help show; $parvis help compare` =~ /(--[a-z-]+)/g;
my %seen;
@options = grep { !$seen{$_}++ && !/^--(?:limit-time|checkpoint|trace|certificate|picture|cache)$/ } @options;
my @files = map { "$models/$_" } qw(tm/seq.pv tm/occ.pv murphi/peterson.m murphi/german_bug.m timed/fischer.xta timed/bridge.xta
    pyv/lock_server.pyv interchange/doomed.hist specs/opacity.pv);
my @commands = qw(check check check prove show show compare minimize simulate recheck help version);

sub arguments {
    my @line = (one_of(@commands), map { one_of(@files, one_of(@words)) } 1 .. rand 3);
    for (1 .. rand 5) { push @line, one_of(@options), rand() < 0.6 ? one_of(@words) : () }
    push @line, @line[1 .. $#line] if rand() < 0.1;                # everything twice
    @line = () if rand() < 0.01;                                   # nothing at all
    return grep { !/\0/ } @line;
}

sub value {
    my ($depth) = @_;
    return one_of('null', 'true', '0', '-1', '1e400', '99999999999999999999', '"x"', '"\u0000"', '"\ud800"', '"\u001b[2J"', '[]', '{}', '"' . 'n' x 50_000 . '"')
        if $depth <= 0 || rand() < 0.3;
    return '[' . join(',', map { value($depth - 1) } 1 .. rand 4) . ']' if rand() < 0.5;
    return '{' . join(',', map { qq("k$_":) . value($depth - 1) } 1 .. rand 4) . '}';
}

# A part of a text is replaced, repeated or removed: between marks of JSON, or anywhere.
sub spoilt {
    my ($text) = @_;
    for (1 .. 1 + rand 3) {
        my $at = int rand(length($text) + 1);
        my $end = $at + int rand(rand() < 0.5 ? 8 : length($text) - $at + 1);
        ($at, $end) = ($at + $-[1], $at + $+[1])
            if rand() < 0.6 && substr($text, $at) =~ /[:\[,]\s*("[^"]*"|-?\d+|true|false|null)/;
        my $part = substr $text, $at, $end - $at;
        my $new = one_of('', $part x 2, $part x one_of(3, 50), value(3), one_of(@words), '[' x one_of(5, 5000), substr($true{ one_of(@true) }, int rand 500, int rand 300));
        substr($text, $at, $end - $at) = $new;
    }
    return $text;
}

# What is packed in a certificate is spoilt inside, or its checks would refuse nearly all of them.
sub spoilt_certificate {
    my ($head, $packed) = $_[0] =~ /\A(.*?\n\}\n)(.*)\z/s or return spoilt($_[0]);
    gunzip(\$packed => \my $data) or return spoilt($_[0]);
    $head = spoilt($head) if rand() < 0.5;
    $data = spoilt($data) if rand() < 0.7;
    gzip(\$data => \$packed);
    return $head . $packed;
}

sub file_case {
    my $name = one_of(@true);
    my $spoilt = $name =~ /cert/ ? spoilt_certificate($true{$name}) : spoilt($true{$name});
    my $text = rand() < 0.05 ? '' : rand() < 0.15 ? value(6) : rand() < 0.1 ? $true{ one_of(@true) } : rand() < 0.05 ? $true{$name} x 2 : $spoilt;
    my $file = write_file('hostile', $text);
    return ('simulate', "$models/murphi/german_bug.m", '--replay', $file) if $name eq 'trace.json';
    return ('simulate', "$models/timed/fischer.xta", '--replay', $file) if $name eq 'run.json';
    return ('check', "$models/murphi/german.m", '-D', 'CLIENTS=3', '-t', '1', '--checkpoint', $file) if $name eq 'point';
    return ('recheck', $file, rand() < 0.2 ? one_of(@files) : ());
}

# ---- running

sub run {
    my (@line) = @_;
    my $child = fork // die "fork: $!\n";
    if (!$child) {
        chdir $tmp;
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$tmp/out";
        open STDERR, '>&', \*STDOUT;
        alarm $seconds;
        exec 'bash', '-c', ($is_asan ? '' : "ulimit -v $memory_kb; ") . 'exec "$0" "$@"', $parvis, @line or POSIX::_exit(99);
    }
    waitpid $child, 0;
    return ($?, contents("$tmp/out"));
}

my ($wrong, %codes) = (0);
for my $i (1 .. $count) {
    my @line = $i % 2 ? arguments() : file_case();
    push @line, '--limit-time', 3 if @line && $line[0] =~ /^(?:check|prove|show|compare|minimize|simulate|recheck)$/;
    my ($status, $out) = run(@line);
    $codes{ $status >> 8 }++;
    my $is_clean = $out !~ /[\x00-\x08\x0b-\x1f\x7f]/;
    next if !($status & 255) && $status >> 8 <= 3 && $is_clean;
    $wrong++;
    my $kept = -e "$tmp/hostile" ? write_file("hostile.$i", contents("$tmp/hostile")) : '';
    diag("case $i, status $status: ", join(' ', map { length > 200 ? substr($_, 0, 200) . '...' : $_ } @line), "\n", substr($out, -600)) if $wrong < 6;
}
is($wrong, 0, "$count hostile command lines and files (exit codes: " . join(', ', map { "$codes{$_} of $_" } sort keys %codes) . ')');
print "# tally: hostile arguments, traces, certificates, checkpoints | $count cases | $wrong wrong\n";
done_testing();
