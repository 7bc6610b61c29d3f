#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# pstm: the family of the PSTM paper, made from small texts by `parvis make`. The times of commits on random graphs of
# conflicts are compared with the paper's formula (1), worked out here for any graph: attempt after attempt, over all orders
# in which transactions may begin. States of the paper's own four models are those of its table.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use List::Util qw(min max sum);
use Test::More;

my ($parvis, $tmp) = @ENV{qw(PARVIS PARVIS_TMP)};
my ($text, $model) = ("$tmp/graph.txt", "$tmp/graph.xta");

sub write_text { my ($lines) = @_; open my $out, '>', $text or die $!; print $out $lines; close $out or die $! }
sub make { write_text(@_); unlink $model, "$tmp/graph.q"; return system("\"$parvis\" make \"$text\" -o \"$model\" > \"$tmp/made\" 2> \"$tmp/said\"") >> 8 }
sub check { return decode_answer(scalar qx("$parvis" check "$model" --json @_)) }

# ---- formula (1), for a set of reads and writes of each transaction. Attempt i of p transactions ends after p (tr + tw).
# In it the k-th transaction writes at p tr + k tw, and commits unless one that committed before wrote what it has read;
# a single transaction takes tr + tp + tw. The times of the commits, for one order.
sub commits {
    my ($g, @order) = @_;
    my ($begin, @times) = (0);
    while (my $p = @order) {
        my (%written, @again);
        for my $k (1 .. $p) {
            my $t = $order[$k - 1];
            if (grep { $written{$_} } @{ $g->{reads}[$t] }) { push @again, $t; next }
            $written{$_} = 1 for @{ $g->{writes}[$t] };
            push @times, $begin + ($p == 1 ? $g->{tr} + $g->{tp} + $g->{tw} : $p * $g->{tr} + $k * $g->{tw});
        }
        $begin += $p * ($g->{tr} + $g->{tw});
        @order = @again;
    }
    return @times;
}

sub orders { return ([]) unless @_; my @found; for my $i (0 .. $#_) { my @rest = @_; my ($x) = splice @rest, $i, 1; push @found, map { [$x, @$_] } orders(@rest) } return @found }

# As the paper prints it: each two conflict.
sub formula { my ($n, $tr, $tp, $tw, $c) = @_; my $ends = sum(0, map { ($n - $_ + 1) * ($tr + $tw) } 1 .. $c - 1); return $ends + ($c == $n ? $tr + $tp + $tw : ($n - $c + 1) * $tr + $tw) }

for my $n (1 .. 5) {
    my $g = { tr => 2, tp => 1, tw => 3, map { $_ => [map { ['x'] } 1 .. $n] } qw(reads writes) };
    is_deeply([commits($g, 0 .. $n - 1)], [map { formula($n, 2, 1, 3, $_) } 1 .. $n], "formula (1) for $n transactions");
}

# ---- random graphs

srand 18;
sub graph_pairs {
    my ($g, $n, $lines) = @_;
    my $likely = rand;
    for my $i (0 .. $n - 1) { for my $j ($i + 1 .. $n - 1) {
        next if rand() > $likely;
        push @$lines, 'conflict ' . ($i + 1) . ' - ' . ($j + 1);
        push @{ $g->{$_}[$i] }, "$i-$j" for qw(reads writes);
        push @{ $g->{$_}[$j] }, "$i-$j" for qw(reads writes);
    } }
}
sub graph_sets {
    my ($g, $n, $lines) = @_;
    for my $i (0 .. $n - 1) {
        for my $set (qw(reads writes)) { for my $v (qw(x y z)) { push @{ $g->{$set}[$i] }, $v if rand() < 0.5 } }
        push @$lines, join ' ', 'transaction', $i + 1, map { @{ $g->{$_}[$i] } ? ($_, @{ $g->{$_}[$i] }) : () } qw(reads writes);
    }
}

my ($graphs, $cases, $wrong) = ($ENV{PARVIS_LONG} ? 2000 : 220, 0, 0);
for my $round (1 .. $graphs) {
    my $n = $round % 6 ? 1 + int rand 3 : 4;
    my %g = (tr => 1 + int rand 3, tw => 1 + int rand 3, reads => [map { [] } 1 .. $n], writes => [map { [] } 1 .. $n]);
    $g{tp} = 1 + int rand min($g{tr}, $g{tw});
    my @lines = ('pstm cyclic aligned', "times read $g{tr} process $g{tp} write $g{tw}");
    if ($round % 2) { push @lines, "transactions $n"; graph_pairs(\%g, $n, \@lines) }
    else { graph_sets(\%g, $n, \@lines) }
    make(join "\n", @lines) == 0 or die "no model of @lines\n";
    my $answer = check();
    my %bound = map { $_->{name} => $_ } @{ $answer->{properties} };
    my @times = map { [commits(\%g, @$_)] } orders(0 .. $n - 1);
    my @bad = grep { $_->{verdict} ne 'holds' } @{ $answer->{properties} };
    for my $c (1 .. $n) {
        my @at = map { $_->[$c - 1] } @times;
        my ($inf, $sup) = map { $bound{$_}{reason} // '' } "inf{N - pending >= $c}: now", "sup{N - pending < $c}: now";
        push @bad, "commit $c: $inf .. $sup, not " . min(@at) . ' .. ' . max(@at) if $inf !~ /^(?:inf: )?@{[min @at]}$/ || $sup !~ /^(?:sup: )?@{[max @at]}$/;
        push @bad, "commit $c: beyond formula (1)" if max(@at) > formula($n, @g{qw(tr tp tw)}, $c);
        $cases += 2;
    }
    $wrong += @bad;
    diag("graph $round: @lines: ", explain(\@bad)) if @bad && $wrong < 5;
}
is($wrong, 0, "$graphs random graphs");
print "# tally: PSTM commit times against formula (1) | $cases cases | $wrong wrong\n";

# ---- the paper's own: one variable that all share

my %states = ('linear aligned' => [100, 482, 2528], 'cyclic aligned' => [134, 878, 6008], 'linear drift' => [197, 2239], 'cyclic drift' => [229, 5035]);
for my $shape (sort keys %states) {
    for my $i (0 .. $#{ $states{$shape} }) {
        my $n = $i + 2;
        make("pstm $shape\ntransactions $n\nconflict all\n");
        is(check('--query', "'A[] true'", '--store', 'all', '--symmetry', 'off')->{states}, $states{$shape}[$i], "$shape $n: the states of the paper");
    }
    make("pstm $shape\ntransactions 3\nconflict all\n");
    my $answer = check();
    is($answer->{verdict}, 'holds', "$shape: the paper's properties hold");
}

# ---- shapes of their own
make(<<'END');
pstm cyclic drift
transaction A reads x writes x
transaction B aligned process 4 reads x y writes y
transaction C linear reads y writes x y
END
is(check()->{verdict}, 'holds', 'mixed shapes have the properties of all');
open my $in, '<', $model or die $!;
my $made = do { local $/; <$in> };
like($made, qr/^\/\/ Transactions: 0 = B, 1 = A, 2 = C\.$/m, 'the model says which is which');
like($made, qr/^const int TX_PROC\[N\] = \{ 4, 1, 1 \};/m, 'with its own time');

# The memory writes faster than a transaction computes: formula (1) is not claimed, and not true.
make("pstm\ntimes read 3 process 3 write 1\ntransactions 3\nconflict all\n");
open my $queries, '<', "$tmp/graph.q" or die $!;
unlike(join('', <$queries>), qr/commit_time/, 'no formula where its premises fail');
is(check('--query', "'A[] now > commit_time(3) imply N - pending >= 3'")->{verdict}, 'violated', 'rightly so');

# ---- mistakes
my @mistakes = (['transactions 2', qr/'pstm' expected/], ["pstm\n", qr/no transactions/], ["pstm\ntransaction A\ntransaction A", qr/already/],
    ["pstm\ntransactions 2\nconflict 1 - 1", qr/with itself/], ["pstm\ntransactions 101", qr/at most 100/], ["pstm\ntimes read 1x", qr/a time expected/],
    ["pstm\ntransactions 2\nconflict 1 - 3", qr/unknown transaction/], ["pstm\nshare x all", qr/no transaction yet/], ["pstm\ntimes write 1001", qr/at most 1000/], ["pstm\ntransaction A process 0", qr/at least one unit/],
    ["pstm\ntransactions 2\nconflict 1", qr/a transaction expected/], ["pstm\n\xff", qr/no meaning/], ["pstm\ntransactions 2 share x", qr/or all/]);
for my $m (@mistakes) {
    write_text($m->[0]);
    my $said = qx("$parvis" make "$text" 2>&1);
    is($? >> 8, 2, 'a mistake');
    like($said, qr/graph\.txt:\d+:\d+: error: .*$m->[1]/, 'with its place');
}
# Any bytes: read, or refused with a message; what is read makes a model that is read.
my $text_of = join "\n", 'pstm cyclic aligned', 'times read 1 process 2 write 1', 'transaction A reads x y writes y', 'transaction B linear drift', 'transactions 2', 'conflict A - 1', 'share z all';
my @bytes = map { chr } 0, 10, 32 .. 126, 200, 255;
my ($mutants, $crashed) = (60, 0);
for (1 .. $mutants) {
    my $changed = $text_of;
    for (0 .. int rand 3) { substr($changed, int rand length $changed, int rand 4) = join '', map { $bytes[rand @bytes] } 0 .. int rand 3 }
    my $code = make($changed);
    $crashed++ unless $code == 0 || $code == 2;
    $crashed++ if $code == 0 && system("\"$parvis\" check \"$model\" --query 'A[] true' --limit-states 10 -q > \"$tmp/out\" 2>&1") >> 8 == 2;
}
is($crashed, 0, "$mutants changed texts");
is(system("\"$parvis\" make models/pstm/row.txt -o \"$tmp/x.txt\" 2> \"$tmp/err\"") >> 8, 2, 'the model is a file .xta');
is(system("\"$parvis\" make models/pstm/row.txt -o \"$tmp/none/x.xta\" 2> \"$tmp/err\"") >> 8, 2, 'a file that cannot be written');
like(scalar qx("$parvis" make models/pstm/row.txt), qr/^const int N = 4;/m, 'on standard output');
is(decode_answer(scalar qx("$parvis" make models/pstm/row.txt --json))->{transactions}, 4, 'as JSON');
done_testing();
