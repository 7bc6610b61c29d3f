#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# disk: `parvis check --disk FOLDER` gives the answer of a search in memory: the same JSON but for times and memory. A run
# that is killed, interrupted or finds its disk full leaves files to continue from, damaged ones are refused, and what
# needs all states in memory is said. PARVIS_LONG=1: all models, and 50 kills. tests/diff/disk_random_test.c has random models.
use strict;
use warnings;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $long = $ENV{PARVIS_LONG};
my $folder = "$tmp/states";
srand 20;

sub slurp { my ($file) = @_; open my $in, '<', $file or return ''; local $/; return <$in> // '' }

sub answer {
    my ($command) = @_;
    my $text = `$parvis check $command --json 2>$tmp/err`;
    return ($text, $? >> 8, slurp("$tmp/err"));
}

sub drop {
    my ($o) = @_;
    if (ref $o eq 'ARRAY') { drop($_) for @$o }
    return unless ref $o eq 'HASH';
    delete @$o{qw(seconds memory_bytes disk_bytes threads compile_seconds ranks sent_bytes sent_states)};
    drop($_) for values %$o;
}

sub essence {
    my ($text) = @_;
    my $o = eval { decode_json($text) } or return "no JSON: $text";
    drop($o);
    return JSON::PP->new->canonical->encode($o);
}

sub clear { unlink glob "$folder/*"; rmdir $folder }

# ---- a folder with files of somebody else

mkdir $folder;
{ open my $out, '>', "$folder/states.00" or die; print $out "mine\n" }
my ($said, $code) = answer("models/murphi/msi.m --disk $folder");
is($code, 2, 'files that are not of a search: refused');
like($said, qr/no search's/, 'and said');
is(slurp("$folder/states.00"), "mine\n", 'and left alone');
(undef, $code) = answer("models/murphi/msi.m --disk ''");
is($code, 2, 'a folder without a name');
clear();

# ---- the same answer

my @short = (
    'models/tm/tl2.pv --property opaque --size Thread=2,Loc=2 --symmetry off',
    'models/tm/tl2_swapped.pv --property strictly_serializable --size Thread=2,Loc=2 --symmetry off',
    'models/tm/tl2.pv --size Thread=2,Loc=2 --symmetry off --property opaque --limit-states 30000',
    'models/murphi/german_bug.m --symmetry off',
    'models/murphi/msi.m --all-invariants',
    'models/tm/tl2.pv --property opaque --size Thread=2,Loc=3 --symmetry off --limit-states 1200000',
);
my @all = (
    @short,
    (map { "models/tm/$_.pv --property strictly_serializable --size Thread=2,Loc=2 --symmetry off" } qw(dstm norec occ tl2 tl2_split tml tpl)),
    (map { "models/murphi/$_.m" } qw(flash flash_bug german german_bug mcs_bug mesi mesi_bug moesi moesi_bug msi msi_bug)),
    (map { "models/sets/$_.m" } qw(fine_grained lazy lock_free lock_free_buggy optimistic)),
    'models/pyv/two_phase_commit.pyv --size node=4', 'models/pyv/ticket_lock.pyv --size thread=3,ticket=6',
    'models/tm/tl2.pv --property opaque --size Thread=3,Loc=1 --limit-states 200000',
    'models/murphi/german.m --limit-states 50001', 'models/murphi/moesi.m --all-invariants --symmetry heuristic',
    'models/murphi/german.m --deadlock stuck', 'models/tm/tl2.pv --property opaque --self-check all --size Thread=2,Loc=2',
);
my ($cases, $wrong, $on_disk) = (0, 0, 0);

# As much memory as makes blocks of the same size (search.c), which is less than the states take.
sub memory_for {
    my ($o) = @_;
    my $words = int(($o->{state_bits} + 63) / 64);
    my $bytes = int $o->{states} * 4.2 * ($words + 1);
    my $least = $o->{state_bits} > 64 ? 900000 : 300000;
    return $bytes < $least ? $least : $bytes;
}

sub compare {
    my ($model, @more) = @_;
    my $command = "$model --engine machine";
    my ($in_memory, $code) = answer($command);
    my $limit = memory_for(decode_json($in_memory));
    for my $threads (1, 2) {
        my ($text, $got) = answer("$command --threads $threads --disk $folder --limit-memory $limit");
        my $same = $got == $code && essence($text) eq essence($in_memory);
        $cases++;
        $wrong += !$same;
        $on_disk++ if $text =~ /"disk_bytes"/;
        ok $same, "$model with $limit bytes of memory and $threads threads"
            or diag "code $got, in memory $code\n", essence($text), "\n", essence($in_memory), "\n", slurp("$tmp/err");
        ok !glob("$folder/*"), 'and leaves no files' unless $got == 3;
        clear();
    }
}

compare($_) for $long ? @all : @short;
cmp_ok $on_disk, '>=', $cases / 3, 'many of these searches moved states to files';
print "# tally: searches with states in files against searches in memory | $cases cases | $wrong wrong\n";

# ---- memory

my $tl2 = 'models/tm/tl2.pv --property opaque --size Thread=2,Loc=2 --symmetry off --engine machine';
my ($whole) = answer("$tl2 --threads 1");
my ($text) = answer("$tl2 --threads 1 --disk $folder --limit-memory 450K");
cmp_ok decode_json($text)->{memory_bytes}, '<=', 450 * 1024, 'the limit of memory holds';
is essence($text), essence($whole), 'with the same answer';
like `$parvis check $tl2 --disk $folder --limit-memory 450K`, qr/ KB and [\d.]+ KB on disk/, 'both are said';

# Each thread has a cache of successors that grows with the search: those of many threads leave room for states.
(undef, my $done) = answer("models/tm/tl2.pv --property opaque --size Thread=4,Loc=1 --symmetry off --engine machine --threads 16 "
    . "--disk $folder --limit-memory 6000000");
is $done, 0, 'many threads and little memory';

{
    open my $file, '>', "$tmp/file" or die;
    like `$parvis check models/tm/seq.pv --property opaque --disk $tmp/file/inside 2>&1`, qr{'\S+/file/inside/search' cannot be written: Not a directory},
        'why a folder cannot be made is said';
    is $? >> 8, 2, 'with exit code 2';
}

# ---- a full disk, an interrupt, kills

my $how = "--disk $folder --limit-memory 450K --threads 1";
# Wide states, so that their files are the first that become too large.
open my $wide_file, '>', "$tmp/wide.pv" or die;
print $wide_file <<'END';
sort Pad
sort Bit
system Wide {
  var pad(Pad, Pad): 0..1000000 = 7
  rel on(Bit)
  action flip(b: Bit) { on(b) := !on(b) }
  invariant fine: true
}
END
close $wide_file;
my $wide = "$tmp/wide.pv --size Pad=25,Bit=12 --symmetry off --engine bytecode --threads 1 --disk $folder --limit-memory 11M";
my $full = `ulimit -f 80; $parvis check $wide 2>&1`;
is $? >> 8, 3, 'a full disk: exit code 3';
like $full, qr/^fine: unknown.*stopped: the files in '\S+' cannot be written or read; every state up to depth \d+ was checked/m, 'and unknown';
like $full, qr/warning: the files in '\S+' cannot be written: File too large/, 'with the reason';
like `ulimit -f 90; $parvis check $wide 2>&1`, qr/continuing from '\S+': [\d,]+ states/, 'with room it continues';
like `$parvis check $wide 2>&1`, qr/^fine: holds.*\n +4,096 states, 49,152 transitions, depth 12/m, 'to the right answer';

`ulimit -f 1; $parvis check $tl2 $how 2>&1`;
is $? >> 8, 3, 'a disk that is full from the beginning: exit code 3';
ok !glob("$folder/*"), 'and there is nothing to continue from';

sub start {
    my (@command) = @_;
    my $child = fork // die "fork: $!\n";
    return $child if $child;
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', "$tmp/err";
    exec @command or die;
}

my ($kills, $resumed, $bad) = ($long ? 50 : 6, 0, 0);
for my $i (1 .. $kills) {
    my $signal = $i % 3 ? 'KILL' : 'INT';
    my $child = start($parvis, 'check', split(' ', $tl2), split ' ', $how);
    for (1 .. 2000) { last if -s "$folder/search" || waitpid($child, 1) > 0; sleep 0.002 }
    sleep rand 0.1;
    kill $signal, $child;
    waitpid $child, 0;
    $resumed++ if (-s "$folder/search" // 0) > 1000;
    my ($then) = answer("$tl2 $how");
    my $same = essence($then) eq essence($text);
    diag essence($then), slurp("$tmp/err") unless $same;
    $bad += !$same;
}
is $bad, 0, "after $kills kills the answer is the same";
cmp_ok $resumed, '>', 0, 'some of them had something to continue from';
print "# tally: searches with states in files, killed and continued | $kills cases | $bad wrong\n";

# ---- what is refused, and what is said

sub refused {
    my ($options, $why, $name) = @_;
    my ($o, $status, $said) = answer($options);
    ok $status == 2 && "$o$said" =~ $why, $name or diag "code $status: $o$said";
}

sub leave_files { clear(); my (undef, $status) = answer("$tl2 $how --limit-states 20000"); is $status, 3, 'a search that is cut' }

sub flip {
    my ($file, $at) = @_;
    my $bytes = slurp($file);
    substr($bytes, $at, 1) ^= "\x10";
    open my $out, '>', $file or die;
    print $out $bytes;
}

leave_files();
refused("models/tm/dstm.pv --property opaque --size Thread=2,Loc=2 $how", qr/belongs to another model/, 'files of another model');
my ($further) = answer("$tl2 $how");
is essence($further), essence($text), 'which stay, and are good';
leave_files();
flip("$folder/states.05", 0);
refused("$tl2 $how", qr/files of states are damaged/, 'a flipped bit of a state');
leave_files();
flip("$folder/parents.31", 3);
refused("$tl2 $how", qr/files of states are damaged/, 'a flipped bit of a parent');
leave_files();
unlink "$folder/states.07";
refused("$tl2 $how", qr/files of states are damaged/, 'a file that is gone');
clear();
refused("$tl2 --disk $tmp/no/folder", qr/cannot be written: No such file/, 'a folder that cannot be made');
refused("$tl2 --disk $folder --compact", qr/leave out --compact/, '--compact');
refused("$tl2 --disk $folder --checkpoint $tmp/x", qr/leave out --checkpoint/, '--checkpoint');
refused("$tl2 --disk $folder --certificate $tmp/x", qr/leave out --disk/, '--certificate');
refused("models/tm/tl2.pv --disk $folder", qr/--disk is for one exploration/, 'several explorations');
refused("models/timed/fischer.xta --disk $folder", qr/--disk is for models without clocks/, 'timed models');
my ($live) = answer("models/murphi/mcs.m --define PROCS=6 --disk $folder --limit-memory 400K");
like $live, qr/it needs all states in memory/, 'what needs all states in memory is unknown';
clear();

# ---- on several ranks

my ($plugin) = map { s{[^/]*$}{parvis-mpi.so}r } $parvis;
SKIP: {
    skip 'there is no mpirun, or no plug-in', 11 unless -x '/usr/bin/mpirun' && -e $plugin;
    $ENV{OMPI_ALLOW_RUN_AS_ROOT} = $ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} = 1;
    $ENV{OMPI_MCA_btl_vader_single_copy_mechanism} = 'none';
    my $files = "--divide-from 11000 --limit-memory 450K --threads 1";
    my $mpirun = sub { my ($n) = @_; "timeout 200 mpirun -q --oversubscribe --bind-to none -n $n" };
    my $one = sub { my ($n, $more) = @_; return scalar `${\$mpirun->($n)} $parvis check $tl2 $files --disk $folder $more 2>&1` };
    my $two = $one->(2, '--json');
    ok $two =~ /"ranks": 2/ && $two =~ /"disk_bytes"/ && essence($two) eq essence($text), 'two ranks, with files of both' or diag $two;
    like $one->(2, '--limit-states 30000'), qr/stopped at the limit of 30,000 states/, 'two ranks that are cut';
    like $one->(3, '--limit-states 35000'), qr/^(?=.*stopped at the limit of 35,000 states)(?=.*continuing from )/s, 'three go on in the same folder';
    my $samples = sub { $_[0] =~ s/"samples":\d+//gr };    # near a limit blocks are cut elsewhere
    is $samples->(essence((answer("$tl2 $how"))[0])), $samples->(essence($text)), 'and one to the end';

    # Each rank in a folder of its own, as on disks of several machines.
    mkdir "$tmp/rank$_" for 0 .. 2;
    symlink $ENV{PWD} . '/models', "$tmp/rank$_/models" for 0 .. 2;
    my $apart = sub {
        my ($n, $more) = @_;
        return scalar `${\$mpirun->($n)} sh -c 'cd $tmp/rank\$OMPI_COMM_WORLD_RANK && exec $parvis check $ENV{PWD}/$tl2 $files --disk states $more' 2>&1`;
    };
    like $apart->(2, '--limit-states 30000'), qr/stopped at the limit of 30,000 states/, 'ranks with folders of their own';
    ok -e "$tmp/rank0/states/search" && !-e "$tmp/rank1/states/search" && -e "$tmp/rank1/states/states.64" && !-e "$tmp/rank1/states/states.63",
        'have their own files there';
    like $apart->(3, ''), qr/files of states are damaged or somewhere else/, 'another number of ranks is refused';
    my $rest = $apart->(2, '--json');
    is essence($rest) =~ s/"file":"[^"]*",//r, essence($text) =~ s/"file":"[^"]*",//r, 'the same number goes on';
    my $full = `${\$mpirun->(2)} sh -c 'cd $tmp/rank\$OMPI_COMM_WORLD_RANK; test \$OMPI_COMM_WORLD_RANK = 0 || ulimit -f 4; exec $parvis check $ENV{PWD}/$tl2 $files --disk states' 2>&1`;
    is $? >> 8, 3, 'a full disk of another rank: exit code 3';
    like $full, qr/opaque: unknown/, 'and unknown';
    is scalar(() = $full =~ /warning: the files of rank 1 in 'states' cannot be written: File too large/g), 1, 'with the reason, once' or diag $full;
}
clear();
done_testing();
