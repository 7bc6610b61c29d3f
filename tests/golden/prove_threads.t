#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# prove_threads: `prove --threads N` gives the answer of one thread, to the last lemma and count, for refinements and
# invariants, by lemmas and by abstraction, proved, violated, unknown and cut by a limit of states.
use strict;
use warnings;
use JSON::PP;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";

my @models = (
    'models/tm/dstm.pv --property opaque',
    'models/tm/tml.pv --property strictly_serializable',
    'models/tm/norec.pv --property opaque',
    'models/tm/tpl.pv --all-candidates --size Thread=2,Loc=1',
    'models/tm/tl2.pv --property strictly_serializable --all-candidates --size Thread=2,Loc=1 --limit-states 5000',
    'models/tm/occ.pv --property opaque',
    'models/tm/tl2_swapped.pv --size Thread=2,Loc=1 --property strictly_serializable',
    (map { "models/pyv/$_.pyv" } qw(ring consensus shards votes votes_exists ticket_lock two_phase_commit)),
    'models/pyv/lock_server_unsafe.pyv',
    (map { "models/murphi/$_.m" } qw(german mesi moesi_bug german_bug peterson)),
    'models/murphi/german.m --limit-states 100',
);
push @models, 'models/tm/tl2.pv --property opaque', 'models/tm/tl2_split.pv --property opaque', 'models/murphi/flash.m'
    if $ENV{PARVIS_LONG};

sub drop {
    my ($o) = @_;
    if (ref $o eq 'ARRAY') { drop($_) for @$o }
    return unless ref $o eq 'HASH';
    delete @$o{ grep { /seconds/ || /^(memory_bytes|threads)$/ } keys %$o };
    drop($_) for values %$o;
}

sub answer {
    my ($command) = @_;
    my $text = `timeout 500 $parvis prove $command --json 2>$tmp/err`;
    my $code = $? >> 8;
    my $o = eval { decode_json($text) } or return "code $code, no JSON: $text";
    drop($o);
    return "code $code " . JSON::PP->new->canonical->encode($o);
}

my ($cases, $wrong) = (0, 0);
my %codes;
for my $model (@models) {
    my $one = answer("$model --threads 1");
    $codes{$1}++ if $one =~ /^code (\d)/;
    for my $threads (2, 3) {
        my $many = answer("$model --threads $threads");
        $cases++;
        $wrong += $many ne $one;
        ok $many eq $one, "$model on $threads threads" or diag "$many\n$one";
    }
}
ok $codes{0} && $codes{1} && $codes{3}, 'there are proofs, violations and unknown ones among them' or diag explain \%codes;
print "# tally: prove on several threads against one | $cases cases | $wrong wrong\n";
done_testing;
