#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# murphi_options: options of CMurphi and Rumur, and the bound of the depth. In the model below a state is a number of at
# most 9 bits, of which each step sets one, so there are sum C(9, i), i = 0..d, states up to depth d.
use strict;
use warnings;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";

open my $out, '>', "$tmp/bits.m" or die "$tmp/bits.m: $!\n";
print $out 'type b : scalarset(9); var on : array [b] of boolean; startstate for i : b do on[i] := false; end; end;'
    . ' ruleset i : b do rule "set" !on[i] ==> on[i] := true; end; end; invariant "some off" exists i : b do !on[i] end;';
close $out or die "$tmp/bits.m: $!\n";

sub check {
    open my $from, '-|', 'sh', '-c', '"$@" 2>&1', 'sh', $parvis, 'check', "$tmp/bits.m", @_ or die "$parvis: $!\n";
    my $text = do { local $/; <$from> };
    close $from;
    return ($text, $? >> 8);
}

my ($choose, $sum) = (1, 0);
for my $d (0 .. 8) {
    $sum += $choose;
    $choose = $choose * (9 - $d) / ($d + 1);
    next unless $d;
    for my $how (['--limit-depth', $d], ["--bound=$d"], ["-maxl$d"]) {
        my ($text, $code) = check('-nosym', '-ndl', @$how, '--threads', 1 + $d % 2);
        is($code, 3, "@$how: unknown");
        like($text, qr/^some off: unknown.*at the limit of $d steps; every state up to depth $d was checked/m, '… with what was checked');
        my ($found) = $text =~ /([\d,]+) states/;
        is($found =~ tr/,//dr, $sum, "… $sum states");
    }
}
is((check('-nosym', '--limit-depth', 9))[1], 1, 'a violation at the last depth is found');
unlike((check('-ndl'))[0], qr/^deadlock/m, '-ndl');
unlike((check('--deadlock-detection', 'off'))[0], qr/^deadlock/m, '--deadlock-detection off');
unlike((check('--deadlock-detection=off'))[0], qr/^deadlock/m, '--deadlock-detection=off');
like((check('--deadlock-detection', 'stuck', '--bound', '3'))[0], qr/^deadlock: unknown/m, '--deadlock-detection stuck');
like((check(@$_))[0], qr/up to symmetry|heuristic symmetry/, "@$_")
    for ['--symmetry-reduction=exhaustive'], ['--symmetry-reduction', 'exhaustive'], ['--symmetry-reduction', 'heuristic'];
unlike((check('--symmetry-reduction', 'off'))[0], qr/up to symmetry/, '--symmetry-reduction off');
is(() = (check('-nosym', '--max-errors', $_))[0] =~ /: violated/mg, $_, "--max-errors $_") for 1, 2;
like((check('-pr', '-ndl', '-maxl8'))[0], qr/^ +set +\d+$/m, '-pr');
like((check('-tf'))[0], qr/!?on\[b_9\]/, '-tf');
like((check('-m200', '-k3000', '-tv', '-td', '-v', '-vbfs', '-sym3', '-permlimit10', '-p3', '-pn'))[0], qr/^some off: violated/m,
    'what is done anyway');
like((check($_))[0], qr/^note: $_: /m, "$_ gets a note") for qw(-vdfs -tn -ta -nomultiset);
like((check('-loop50'))[0], qr/^note: -loop: /m, '-loop gets a note');
is((check('-ndx'))[1], 2, 'others are mistakes');
is((check('-m5x'))[1], 2, '… as are numbers that are none');

# Options of ours that look like theirs stay what they are for other files.
is(system("$parvis check models/tm/tml.pv -pr >/dev/null 2>&1") >> 8, 2, '-pr is a property of that name elsewhere');

done_testing();
