#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# levels_models: runs of our own models as recorded histories. Words of TL2, NOrec and DSTM, from random walks, are opaque;
# the counterexample of the swapped TL2 is not strict. Writes become appends to lists and reads return the list, so that
# the history says which commits came first.
use strict;
use warnings;
use Test::More;

my $parvis = $ENV{PARVIS} // './parvis';
my $tmp = $ENV{PARVIS_TMP} // '/tmp';

# Statements [kind, thread, location] as a history; a read of what its transaction wrote itself is left out.
sub as_history {
    my @out;
    my (%open, %own, %list, $next);
    for my $s (@_) {
        my ($kind, $t, $x) = @$s;
        push @out, "open($t)" unless $open{$t}++;
        if ($kind eq 'write') {
            push @out, "append($t,$x," . ++$next . ')';
            push @{ $own{$t}{$x} }, $next;
        } elsif ($kind eq 'read') {
            push @out, "read($t,$x,[@{ $list{$x} // [] }])" unless $own{$t}{$x};
        } else {
            if ($kind eq 'commit') { push @{ $list{$_} }, @{ $own{$t}{$_} } for sort keys %{ $own{$t} // {} } }
            delete $own{$t};
            delete $open{$t};
            push @out, "$kind($t)";
        }
    }
    push @out, 'open(last)', (map { "read(last,$_,[@{ $list{$_} }])" } sort keys %list), 'commit(last)';
    return join("\n", @out) . "\n";
}

sub level_of {
    my ($text, $level) = @_;
    open my $out, '>', "$tmp/word.hist" or die;
    print $out $text;
    close $out;
    my $answer = `$parvis check $tmp/word.hist --level $level -q`;
    return $answer =~ /^$level: (\w+)/ ? $1 : "nothing: $answer";
}

my $walks = $ENV{PARVIS_LONG} ? 100 : 4;
my $cases = 0;
for my $name (qw(tl2 norec dstm)) {
    for my $seed (1 .. $walks) {
        my @word;
        for (split /\n/, `echo 'random 400 $seed' | $parvis simulate models/tm/$name.pv --size Thread=3,Loc=3`) {
            push @word, [$1, $2, $3] if /^step \d+: (read|write|commit|abort)\((\d+)(?:,(\d+))?\)/;
        }
        cmp_ok(scalar @word, '>', 50, "$name, walk $seed: a word") if $seed == 1;
        is(level_of(as_history(@word), 'opaque'), 'holds', "$name, walk $seed: opaque");
        $cases++;
    }
}
my ($word) = `$parvis check models/tm/tl2_swapped.pv --size Thread=2,Loc=1` =~ /^ +word +(.*)/m;
my %kinds = (r => 'read', w => 'write', c => 'commit', a => 'abort');
my @swapped = map { /^([rwca])(\d*)_(\d+)$/ ? [$kinds{$1}, $3, $2] : () } split ' ', $word;
cmp_ok(scalar @swapped, '>', 3, 'the counterexample of the swapped TL2 is a word');
is(level_of(as_history(@swapped), 'strict'), 'violated', 'which is not strict');
print "# tally: words of TL2, NOrec and DSTM as histories | $cases cases | 0 wrong\n";
done_testing();
