#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed: the library of timed models. Each query of models/timed/*.q is preceded by a comment that ends in its expected
# verdict; all queries of models/pstm/*.q hold. Counts of states are those that the paper on PSTM prints, or that
# follow from its Table 1 (TIMED notes). Three bugs put into PSTM are each found, with a run.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set\n";
my $tmp = tempdir(CLEANUP => 1);

sub read_file { my ($path) = @_; open my $in, '<', $path or die "$path: $!\n"; local $/; return <$in> }

sub write_file {
    my ($name, $text) = @_;
    open my $out, '>', "$tmp/$name" or die "$name: $!\n";
    print $out $text;
    close $out or die;
    return "$tmp/$name";
}

# Runs the program; its output and exit code.
sub run {
    my (@words) = @_;
    open my $pipe, '-|', "$parvis @words 2>&1" or die;
    local $/;
    my $out = <$pipe> // '';
    close $pipe;
    return ($out, $? >> 8);
}

sub verdicts { my ($out) = @_; return [$out =~ /: (holds|violated|unknown)(?:$|:)/mg] }

# ---- the library

for my $queries (sort glob 'models/timed/*.q') {
    my $text = read_file($queries);
    my @expected = $text =~ m{^//.*\b(holds|violated)\b}mg;
    # A comment may stand for several queries: each takes the verdict of the comment before it.
    my (@want, $now);
    for my $line (split /\n/, $text) {
        if ($line =~ m{^//.*\b(holds|violated)\b}) { $now = $1 }
        elsif ($line =~ /\S/) { push @want, $now }
    }
    (my $model = $queries) =~ s/\.q$/.xta/;
    my ($out) = run('check', $model, '-q');
    is_deeply(verdicts($out), \@want, "$model: verdicts") or diag($out);
}

# ---- PSTM: properties and counts

my %states = (linear_aligned => [100, 482, 2528], cyclic_aligned => [134, 878, 6008], linear_drift => [197, 2239, 30041]);
for my $variant (qw(linear_aligned cyclic_aligned linear_drift cyclic_drift)) {
    my ($out, $code) = run('check', "models/pstm/$variant.xta", '--define N=3', '-q');
    is($code, 0, "$variant: all properties hold for three transactions") or diag($out);
    for my $n (2 .. 4) {
        my $count = $states{$variant}[$n - 2] or next;
        my ($answer) = run('check', "models/pstm/$variant.xta", "--define N=$n", '--query', "'A[] true'",
            '--store all --symmetry off --json');
        my ($found) = $answer =~ /"states": (\d+)/;
        is($found, $count, "$variant, N=$n: $count states");
    }
}

# One unit less than formula (1) is refuted.
for my $c (1, 3) {
    my ($out) = run('check', 'models/pstm/cyclic_aligned.xta', '--define N=3 -q', '--query',
        "'E<> now == commit_time($c) - 1 and (sum (i : IDs) TxW(i).committed) >= $c'");
    like($out, qr/: violated/, "commit $c of 3 cannot happen one unit earlier");
}

# ---- bugs put into PSTM

sub bug {
    my ($name, $from, $to, $query) = @_;
    my $text = read_file('models/pstm/linear_aligned.xta');
    my $count = () = $text =~ /\Q$from\E/g;
    is($count, 1, "$name: the place to change is there");
    $text =~ s/\Q$from\E/$to/;
    my $path = write_file("$name.xta", $text);
    my ($out, $code) = run('check', $path, '--define N=3', '--query', "'$query'");
    is($code, 1, "$name is found") or diag($out);
    like($out, qr/^ +time +delay +step$/m, "$name: with a concrete run");
}

my $safety2 = 'A[] forall (i : IDs) ((i == first imply Tx[i].result != TX_RSP_ABORTED) and '
    . '(i != first imply Tx[i].result != TX_RSP_COMMITTED))';
bug('no_version_check', 'return Tx[id].read == version;', 'return true;', $safety2);
bug('wrong_request', 'owner = queue[current];', 'owner = queue[(current + waiting - 1) % N];',
    'A[] Memory.processing imply queue[current].id == owner.id');
bug('early_response', 'processing -> write { guard owner.op == TX_W; assign c = 0; }',
    'processing -> done { guard owner.op == TX_W; assign rsp_version = version, rsp_result = TX_RSP_COMMITTED; }', $safety2);

# ---- XML

my $xml = <<'END';
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://example.org/flat-1_2.dtd'>
<nta>
  <declaration>clock x; chan a; int[0,3] n;</declaration>
  <template><name>P</name>
    <location id="id0" x="0" y="0"><name>idle</name><label kind="invariant">x &lt;= 2</label></location>
    <location id="id1"><name>done</name></location>
    <init ref="id0"/>
    <transition><source ref="id0"/><target ref="id1"/>
      <label kind="guard">x &gt;= 1</label><label kind="synchronisation">a!</label>
      <label kind="assignment">n = 2, x = 0</label><nail x="1" y="1"/></transition>
  </template>
  <template><name>Q</name><location id="id2"/><init ref="id2"/>
    <transition><source ref="id2"/><target ref="id2"/><label kind="synchronisation">a?</label>
      <label kind="assignment">n++</label></transition></template>
  <system>system P, Q;</system>
  <queries><query><formula>A&lt;&gt; P.done and n == 3</formula><comment/></query>
    <query><formula>E&lt;&gt; P.done and x &gt; 2 and n == 2</formula><comment/></query></queries>
</nta>
END
my ($out) = run('check', write_file('small.xml', $xml), '-q');
is_deeply(verdicts($out), ['holds', 'violated'], 'XML: sender before receiver, queries of the file') or diag($out);

(my $broken = $xml) =~ s/x &gt;= 1/x &gt;= y/;
($out) = run('check', write_file('broken.xml', $broken));
like($out, qr/broken\.xml:10:\d+: error: 'y' is not declared/, 'XML: a mistake is told with its line') or diag($out);

($broken = $xml) =~ s/<nta>/<!-- --><nta><x>/;
($out) = run('check', write_file('cut.xml', $broken));
like($out, qr/cut\.xml:\d+:\d+: error: /, 'XML: what is not well-formed is told with its line') or diag($out);

write_file('secret.txt', 'int secret = 7;');
($broken = $xml) =~ s/<!DOCTYPE.*?>/<!DOCTYPE nta [<!ENTITY s SYSTEM "secret.txt">]>/;
$broken =~ s/<declaration>/<declaration>&s; /;
($out) = run('check', write_file('entity.xml', $broken), '-q', '--query', "'E<> secret == 7'");
like($out, qr/'secret' is not declared/, 'XML: no other file is read') or diag($out);

# ---- what is refused, with its line

my %refused = (
    'clock x; process P() { state a { x\' == 0 }; init a; } system P;' => qr/:1:\d+: error: stopwatches/,
    'chan a; chan priority a < default; process P() { state a; init a; } system P;' => qr/error: channel priorities/,
    'process P() { state a; init a; trans a -> a { probability 3; }; } system P;' => qr/error: probabilities/,
    'clock x, y; process P() { state a; init a; trans a -> a { guard x < 3 || y > 2; }; } system P;' => qr/disjunction/,
    'process P() { state a; init b; } system P;' => qr/there is no location 'b'/,
    'int f() { return f(); } process P() { state a; init a; trans a -> a { guard f() > 0; }; } system P;' => qr/recursion/,
);
for my $text (sort keys %refused) {
    my ($answer, $code) = run('check', write_file('refused.xta', "$text\n"));
    is($code, 2, "refused: $text");
    like($answer, $refused{$text}, '... and says why');
}

# A run-time error is a verdict with the run that leads there.
($out, my $code) = run('check', write_file('range.xta',
    "int[0,2] n; clock x;\nprocess P() { state a; init a; trans a -> a { guard x >= 1; assign n++, x = 0; }; }\nsystem P;\n"));
is($code, 1, 'a value that leaves its range is an error of the model');
like($out, qr/run-time error: violated/, '... by that name');
like($out, qr/^ +3 +1 +P\.a -> a/m, '... with the run to it') or diag($out);

done_testing;
