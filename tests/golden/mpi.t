#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# mpi: `mpirun -n K parvis check` gives the answer of `parvis check`, on any number of ranks and threads: the same JSON but
# for times, memory, and what is said of ranks. What does not use ranks runs once; a rank that is killed ends the job with
# code 3 and leaves nothing behind. PARVIS_LONG=1 runs all models on 1, 2, 3, 4 and 7 ranks, with one and two threads, in memory
# and with --disk, and 50 kills (in parts: PARVIS_LONG_PART); without it, one small model each on 33, 48 and 64.
# tests/diff/ranks_random_test.c has random models on ranks that are threads.
use strict;
use warnings;
use JSON::PP;
use POSIX qw(WNOHANG setsid);
use lib 'tests';
use Part qw(part_is_mine part_seed part_share);
use Test::More;
use Time::HiRes qw(sleep time);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $long = $ENV{PARVIS_LONG};
my ($plugin) = map { s{[^/]*$}{parvis-mpi.so}r } $parvis;

plan skip_all => 'there is no mpirun, or no mpicc to build the plug-in with (scripts/setup test installs them)'
    unless -x '/usr/bin/mpirun' || `command -v mpirun`;
plan skip_all => 'there is no parvis-mpi.so beside the program: there was no mpicc when it was built' unless -e $plugin;
$ENV{OMPI_ALLOW_RUN_AS_ROOT} = $ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} = 1;
$ENV{OMPI_MCA_btl_vader_single_copy_mechanism} = 'none';    # containers forbid it, and Open MPI says so each time
srand part_seed(20);

sub mpirun { my ($n) = @_; return "timeout 300 mpirun -q --oversubscribe --bind-to none -n $n $parvis" }

sub output {
    my ($command) = @_;
    my $text = `$command 2>$tmp/err`;
    return ($text, $? >> 8, slurp("$tmp/err"));
}

sub slurp { my ($file) = @_; open my $in, '<', $file or return ''; local $/; return <$in> // '' }

# What depends neither on time nor on ranks. A small search is tried as a whole when it is over, but not if it was divided
# by force: then it says only what failed.
sub essence {
    my ($text, $is_forced) = @_;
    my $o = eval { decode_json($text) } or return "no JSON: $text";
    drop($o);
    $o->{warnings} = [grep { $_->{message} !~ /rank 0 does it alone/ } @{ $o->{warnings} }];
    failures_only($_) for $is_forced ? ($o, @{ $o->{runs} // [] }) : ();
    return JSON::PP->new->canonical->encode($o);
}

sub failures_only {
    my ($o) = @_;
    $o->{self_check} = [grep { defined } map { $_->{failure} } values %{ $o->{self_check} // {} }];
}

sub drop {
    my ($o) = @_;
    if (ref $o eq 'ARRAY') { drop($_) for @$o }
    return unless ref $o eq 'HASH';
    delete @$o{qw(seconds memory_bytes disk_bytes threads ranks sent_bytes sent_states compile_seconds)};
    drop($_) for values %$o;
}

# ---- the same answer

# Short ones first: a violation, a deadlock, a limit of states, hashes, symmetry with multisets, several properties.
my @short = (
    'models/tm/tl2_swapped.pv --size Thread=2,Loc=2 --symmetry off',
    'models/murphi/german_bug.m --define CLIENTS=4 --symmetry off',
    'models/tm/tl2.pv --size Thread=2,Loc=2 --symmetry off --property opaque --limit-states 30000',
    "models/murphi/directory.m --define PROCS=4 --property 'one writer' --compact",
    'models/pyv/ticket_lock.pyv --size thread=3,ticket=6',
);
my @all = (
    @short,
    (map { "models/tm/$_.pv --size Thread=2,Loc=2 --symmetry off" } qw(dstm norec occ seq tl2 tl2_split tl2_split_printed tml tpl)),
    (map { "models/murphi/$_.m" } qw(flash flash_bug german german_bug mesi mesi_bug moesi moesi_bug msi msi_bug)),
    'models/murphi/mcs.m', 'models/murphi/peterson.m',
    (map { "models/murphi/$_.m --property 'mutual exclusion'" } qw(mcs mcs_bug peterson)),
    (map { "models/sets/$_.m" } qw(fine_grained lazy lock_free lock_free_buggy optimistic)),
    (map { "models/tcc/$_.pv" } qw(eager tcc tcc_forgetful tcc_queue)),
    'models/pyv/two_phase_commit.pyv --size node=4', 'models/pyv/shards.pyv', 'models/pyv/votes.pyv',
    'models/tm/tl2.pv --size Thread=3,Loc=1 --limit-states 200000', 'models/tm/dstm.pv --size Thread=1..2,Loc=1..2 --symmetry off',
    'models/murphi/german.m --limit-states 50001', 'models/murphi/moesi.m --all-invariants --symmetry heuristic',
    'models/tm/tl2.pv --property opaque --size Thread=2,Loc=3 --symmetry off --limit-states 1200000',
    'models/murphi/german.m --deadlock stuck', 'models/tm/tl2.pv --self-check all --size Thread=2,Loc=1',
);

# Timed ones: a violation, a run, a limit, states passed through, symmetry, deadlocks, several queries.
my @timed = (
    "models/timed/fischer.xta -D N=4 -D W=1 --query 'A[] not (P(1).critical and P(2).critical)'",
    "models/timed/csmacd.xta -D N=6 --symmetry off --query 'E<> Station(1).retry and Station(2).retry and Station(1).x > 20'",
    "models/timed/fischer.xta -D N=7 --symmetry off --limit-states 3000 --query 'A[] true'",
    "models/timed/fddi.xta -D N=5 --query 'A[] true'", "models/timed/mutex.xta -D N=2 --query 'A[] true'",
    "models/timed/fischer.xta -D N=6 --symmetry off --store all --query 'A[] true'",
    "models/timed/corsso.xta --query 'A[] not deadlock'", "models/pstm/cyclic_aligned.xta -D N=4 --query 'A[] true'",
    'models/timed/bridge.xta', 'models/timed/critical_region.xta', 'models/timed/train_ring.xta --store all',
);
my ($cases, $wrong, $divided) = (0, 0, 0);

# All explorations of a file with few states are divided from the second state on, that of a large one when it is no longer
# tried as a whole.
sub divide_from {
    my ($model, $alone) = @_;
    my $states = $alone =~ /"states": (\d+)/ ? $1 : 0;
    return $states > 22000 && $model !~ /\.xta|=\d+\.\./ ? 11000 : 1;
}

# Some explorations need the whole graph: rank 0 does them.
my @for_one = ('models/murphi/mcs.m', 'models/murphi/peterson.m', 'models/tcc/tcc_queue.pv');

sub is_divided {
    my ($model, $text, $n) = @_;
    my ($some, $all) = (scalar(() = $text =~ /"ranks": $n\b/g), scalar(() = $text =~ /"transitions":/g));
    return $some == ($n > 1 && !(grep { $model eq $_ } @for_one) ? $all : 0);
}

sub compare {
    my ($model, $counts, $threads) = @_;
    my $end = "check $model --engine machine --json";
    my ($alone, $code) = output("$parvis $end");
    ok $code != 2 && $alone =~ /"states": \d/, "$model is searched" or diag $alone;
    my $from = divide_from($model, $alone);
    for my $n (@$counts) {
        for my $t (@$threads) {
            my ($text, $got) = output(mpirun($n) . " $end --threads $t --divide-from $from");
            my $same = $got == $code && essence($text, $from == 1) eq essence($alone, $from == 1);
            my $is_shared = is_divided($model, $text, $n);
            $cases++;
            $wrong += !$same;
            $divided++ if $is_shared;
            ok $same, "$model on $n ranks of $t threads" or diag "code $got, alone $code\n", essence($text), "\n", essence($alone), "\n", slurp("$tmp/err");
            ok $is_shared, 'each searched its part' or diag $text;
        }
    }
}

# The same with so little memory on each rank that states move to files. Blocks must have the size that they have in memory.
my ($disk_cases, $disk_wrong, $on_disk) = (0, 0, 0);

sub memory_for {
    my ($o, $ranks) = @_;
    my $bytes = int $o->{states} * 4.2 * (int(($o->{state_bits} + 63) / 64) + 1) / $ranks;
    my $least = $o->{state_bits} > 64 ? 900000 : 300000;
    return $bytes < $least ? $least : $bytes;
}

sub compare_disk {
    my ($model, $counts, $threads) = @_;
    my $end = "check $model --engine machine --json";
    my ($alone, $code) = output("$parvis $end");
    my $o = eval { decode_json($alone) };
    return unless $o && $o->{states} && $model !~ /--compact/ && $model !~ /=\d+\.\./;    # one exploration, of whole states
    for my $n (@$counts) {
        for my $t (@$threads) {
            my $how = '--divide-from ' . divide_from($model, $alone) . " --disk $tmp/states --limit-memory " . memory_for($o, $n);
            my ($text, $got) = output(mpirun($n) . " $end --threads $t $how");
            next if $got == 2 && $text . slurp("$tmp/err") =~ /--disk is for one exploration|leave out --disk/;
            next if $text =~ /it needs all states in memory/;    # a property `reaches`, which is then unknown
            my $same = $got == $code && essence($text, 1) eq essence($alone, 1);
            $disk_cases++;
            $disk_wrong += !$same;
            $on_disk++ if $text =~ /"disk_bytes"/;
            ok $same, "$model on $n ranks of $t threads with files" or diag "code $got, alone $code\n", essence($text), "\n", essence($alone), "\n", slurp("$tmp/err");
            unlink glob "$tmp/states/*";
            rmdir "$tmp/states";
        }
    }
}

if ($long) {
    compare($timed[$_], [1, 2, 3, 4, 7], [1, 2]) for grep { part_is_mine($_) } 0 .. $#timed;
    for my $i (grep { part_is_mine($_) } 0 .. $#all) {
        compare($all[$i], [1, 2, 3, 4, 7], [1, 2]);
        compare_disk($all[$i], [1, 2, 3, 4, 7], [1, 2]);
    }
    print "# tally: searches on several ranks with states in files against one process in memory | $disk_cases cases | $disk_wrong wrong\n";
    print "# $on_disk of them moved states to files\n";
} else {
    my @how = ([[3], [1]], [[2], [2]], [[7], [1]], [[4], [1]], [[2], [1]]);
    compare($short[$_], @{ $how[$_] }) for 0 .. $#short;
    compare($timed[$_], @{ $how[$_] }) for 0 .. 4;
}
# More ranks than there are cores, many of them with one partition.
compare($short[0], [33, 64], [1]);
compare($short[1], [48], [1]);
is $divided, $cases, 'all of these searches were divided';
print "# tally: searches on several ranks against one process | $cases cases | $wrong wrong\n";

# ---- one voice

{
    my ($text, $code, $err) = output(mpirun(2) . ' --version');
    is scalar(() = $text =~ /^parvis/mg), 1, 'a command that uses no ranks runs once';
    ($text, $code, $err) = output(mpirun(2) . ' test models/tm/seq.pv');
    is $text =~ s/[\d.]+ s//gr, (output("$parvis test models/tm/seq.pv"))[0] =~ s/[\d.]+ s//gr, 'nor do programs that it starts';
    for my $alone ('models/timed/train_gate.xta', 'models/timed/preemption.xta', "models/timed/fischer.xta --query 'sup: P(1).x'") {
        ($text, $code, $err) = output(mpirun(2) . " check $alone");
        is $code, (output("$parvis check $alone"))[1], "$alone is for rank 0";
        like $err, qr/rank 0 does it alone/, 'which says so';
    }
    ($text, $code, $err) = output(mpirun(3) . ' check models/nothing.pv');
    is $code, 2, 'a file that is not there: exit code 2';
    is scalar(() = $err =~ /error:/g), 1, 'and one message';
    ($text, $code, $err) = output(mpirun(2) . " check models/tm/tl2.pv --property opaque --checkpoint $tmp/none/point");
    is $code, 2, 'a checkpoint that cannot be written: exit code 2';
    is scalar(() = $err =~ /cannot be written/g), 1, 'and one message';
}

# Beside a program without the plug-in.
{
    mkdir "$tmp/bin";
    link($parvis, "$tmp/bin/parvis") or system 'cp', $parvis, "$tmp/bin/parvis";
    my ($text, $code, $err) = output("timeout 100 mpirun -q --oversubscribe -n 3 $tmp/bin/parvis check models/tm/seq.pv");
    is $code, 2, 'without the plug-in: exit code 2';
    is $text, '', 'no search';
    is scalar(() = $err =~ /no parvis-mpi.so/g), 1, 'one message';
}

# Ranks that are not alike, as on machines with other files: one message, no search, and files of an earlier run stay.
{
    my $job = 'check models/tm/tl2.pv --property opaque --size Thread=2,Loc=2 --symmetry off --threads 1 --divide-from 100';
    my $other = sub { my ($first, $second) = @_; return output(mpirun(1) . " $first : -n 1 $second") };
    my $folder = "$tmp/unlike";
    `$parvis $job --disk $folder --limit-memory 300K --limit-states 40000 2>&1`;
    my @before = map { [$_, -s $_] } glob "$folder/*";
    cmp_ok scalar @before, '>', 1, 'a search that a limit ends leaves files';
    my $disk = "$job --disk $folder --limit-memory 300K";
    for ([$job, "$parvis $job --limit-states 1000"], [$job, "$parvis $job --divide-from 200"], [$job, "$parvis $job --limit-depth 9"],
        [$job, "$parvis $job --self-check off"], [$job, "$parvis $job --checkpoint $tmp/unlike.point"],
        [$disk, "$parvis $disk --deadlock stuck"], [$disk, "$parvis $job --limit-memory 300K"],
        ["check models/timed/fischer.xta -D N=4 --query 'A[] true'", "$parvis check models/timed/fischer.xta -D N=4 --query 'A[] not deadlock'"]) {
        my ($text, $code, $err) = $other->(@$_);
        is "$code$text", 2, "@$_: exit code 2, no answer" or diag $err;
        is scalar(() = $err =~ /rank 1 (?:does not search what rank 0 does|cannot use)/g), 1, "and one message" or diag $err;
    }
    is_deeply [map { [$_, -s $_] } glob "$folder/*"], \@before, 'files of an earlier run stay';
    mkdir "$tmp/build";
    system 'cp', $parvis, $plugin, "$tmp/build";
    open my $out, '>>', "$tmp/build/" . $parvis =~ s{.*/}{}r or die;
    print $out "another build\n";
    close $out;
    my ($text, $code, $err) = $other->($job, "$tmp/build/" . $parvis =~ s{.*/}{}r . " $job");
    is "$code$text", 2, 'another build: exit code 2, no answer';
    is scalar(() = $err =~ /rank 1 runs another build of parvis/g), 1, 'and one message' or diag $err;
    ($text, $code) = $other->($job, "$parvis $job --threads 2");
    is $code, 0, 'threads of a machine are its own matter';
    ($text, $code, $err) = output(mpirun(3) . ' prove models/pyv/consensus.pyv');
    is scalar(() = $text =~ /holds for all sizes/g), 1, 'prove runs once';
}

# ---- kills

# The processes of ranks started below a launcher: [pid, parent].
sub below {
    my ($root) = @_;
    my (%parent, @found);
    for my $line (`ps -eo pid=,ppid=`) { $parent{$1} = $2 if $line =~ /(\d+)\s+(\d+)/ }
    for my $pid (keys %parent) {
        my $up = $pid;
        while (($up = $parent{$up} // 0) > 1) { last if $up == $root }
        push @found, [$pid, $parent{$pid}] if $up == $root;
    }
    return @found;
}

# The one that searches is a child of the one that waits for it.
sub is_worker {
    my ($p) = @_;
    return slurp("/proc/$p->[0]/comm") =~ /parvis/ && slurp("/proc/$p->[1]/comm") =~ /parvis/;
}

my $large = 'models/tm/tl2.pv --size Thread=3,Loc=2 --symmetry off --property opaque';

sub start {
    my ($n, $model, @more) = @_;
    my $pid = fork // die;
    return $pid if $pid;
    setsid();
    open STDOUT, '>', "$tmp/out";
    open STDERR, '>', "$tmp/err";
    exec split ' ', "mpirun -q --oversubscribe --bind-to none -n $n $parvis check $model --threads 1 --divide-from 10000 @more";
}

sub wait_for {
    my ($pid, $seconds) = @_;
    for (my $until = time + $seconds; time < $until; sleep 0.02) { return $? if waitpid($pid, WNOHANG) == $pid }
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return -1;
}

# The processes that search, once all are there.
sub workers {
    my ($launcher, $n) = @_;
    my @ranks;
    for (my $until = time + 60; time < $until; sleep 0.05) { last if (@ranks = grep { is_worker($_) } below($launcher)) == $n }
    return map { $_->[0] } @ranks;
}

my ($kills, $failures) = (0, 0);
for my $round (1 .. ($long ? part_share(50) : 3)) {
    my $n = 2 + int rand 3;
    my $launcher = start($n, $large);
    my @ranks = workers($launcher, $n);
    sleep rand 2;
    my @before = map { $_->[0] } below($launcher);
    my $who = $round % 3 ? $ranks[rand @ranks] : $launcher;
    kill 'STOP', $ranks[rand @ranks] if $who == $launcher;    # it cannot notice by itself
    kill 'KILL', $who;
    my $status = wait_for($launcher, 60);
    my @left;
    for (my $until = time + 20; time < $until; sleep 0.05) { last unless @left = grep { slurp("/proc/$_/stat") =~ /\) [^Z]/ } @before }
    my ($out, $err) = (slurp("$tmp/out"), slurp("$tmp/err"));
    my $ends = $who == $launcher || ($status >> 8 == 3 && $err =~ /was killed by signal 9/);
    my $good = $ends && !@left && $out !~ /holds|violated/;
    $kills++;
    $failures += !$good;
    ok $good, ($who == $launcher ? 'the launcher' : 'a rank') . " of $n is killed: no answer, nothing left, code 3"
        or diag "status $status, left @left\n$out\n$err";
    kill 'KILL', @left if @left;
}
print "# tally: ranks and launchers killed | $kills cases | $failures wrong\n";

# Killed again and again, each time on another number of ranks, a search with a checkpoint ends with the same answer.
{
    my $model = 'models/tm/tl2.pv --size Thread=4,Loc=1 --symmetry off --property opaque --engine machine --json';
    my ($alone) = output("$parvis check $model");
    my ($resumed, $wrong, $header) = (0, 0, 4000);    # bytes that say nothing of states
    my $rounds = $long ? part_share(15) : 1;
    for my $round (1 .. $rounds) {
        for my $n (2, 3) {
            my $launcher = start($n, $model, "--checkpoint $tmp/point");
            my @ranks = workers($launcher, $n);
            my $before = -s "$tmp/point" // 0;    # it is killed some time after it wrote more, or is done
            for (my $until = time + 60; time < $until; sleep 0.005) { last if (-s "$tmp/point" // 0) > $before || !below($launcher) }
            sleep rand 0.1;
            kill 'KILL', $ranks[rand @ranks] if @ranks;
            wait_for($launcher, 60);
            $resumed += (-s "$tmp/point" // 0) > $header;
        }
        my ($text) = output(($round % 2 ? mpirun(4) : $parvis) . " check $model --checkpoint $tmp/point");
        my $same = essence($text) eq essence($alone);
        $wrong += !$same;
        ok $same, 'a search that was killed goes on from its checkpoint' or diag $text, slurp("$tmp/err");
        ok !-e "$tmp/point", 'which is gone then';
    }
    print "# tally: searches on ranks, killed twice and resumed | $rounds cases | $wrong wrong\n";
    cmp_ok $resumed, '>', 0, 'kills leave checkpoints' if $long && $rounds;
    print "# $resumed kills left a checkpoint\n";
}

# An interrupt ends in `unknown`, from one rank.
{
    my $launcher = start(2, $large);
    workers($launcher, 2);
    sleep 2;
    kill 'TERM', $launcher;
    wait_for($launcher, 60);
    my $out = slurp("$tmp/out");
    is scalar(() = $out =~ /unknown/g), 1, 'an interrupt ends in one unknown' or diag $out, slurp("$tmp/err");
}

done_testing;
