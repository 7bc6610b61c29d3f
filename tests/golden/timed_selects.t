#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_selects: `select n; sync c[n]?` on a broadcast channel means the same as an edge for each value of n. Random networks
# are compared with themselves, these edges written out: states, and answers. Senders name the channel by a constant, by a
# value that they select, or by a variable; receivers may have clock guards where it is one of the first two. 150 networks, 3,000 in the long tests.
use strict;
use warnings;
use lib 'tests';
use Golden qw($tmp write_file run);
use Part qw(part_share part_seed);
use JSON::PP;
use Test::More;

srand part_seed(41);
sub one_of { return $_[rand @_] }

# An edge with what it selects (name => [low, high]); `$written_out`: one for each value of the names.
sub edge_texts {
    my ($edge, $written_out) = @_;
    my ($from, $to, $guard, $sync, $assign, @selects) = @$edge;
    my @edges = ({ text => "$from -> $to { SELECT guard $guard; sync $sync; assign $assign; }", select => [] });
    for my $s (@selects) {
        my ($name, $low, $high) = @$s;
        if ($written_out) {
            @edges = map { my $e = $_; map { my $v = $_; { text => $e->{text} =~ s/\b$name\b/$v/gr, select => $e->{select} } } $low .. $high } @edges;
        } else {
            push @{ $_->{select} }, "$name : int[$low, $high]" for @edges;
        }
    }
    return map { my $s = @{ $_->{select} } ? 'select ' . join(', ', @{ $_->{select} }) . ';' : ''; $_->{text} =~ s/SELECT/$s/r } @edges;
}

# A listener: n, and where the channel has two indices k too, are what is selected. With clock guards only where it is given.
sub listening_edge {
    my ($places, $two, $has_clocks) = @_;
    my ($low, $high) = @{ one_of([0, 2], [0, 1], $has_clocks ? () : [1, 2]) };
    my $own = $two && rand() < 0.5;
    my $guard = one_of('true', 'v != n', 'n != id', 'v == n || n == 0', $has_clocks ? ('x > n', 'x <= 1 && v < 3', 'x >= 1') : ());
    my $assign = one_of('v = n', 'x = 0', 'x = n', 'w = n + id > 3 ? 3 : n + id, x = 0', 'v = (v + n) % 4', 'm = n');
    my $index = $two ? $own ? '[n][id]' : '[n][k]' : '[n]';
    return ['l' . int(rand $places), 'l' . int(rand $places), $guard, "c$index?", $assign, ['n', $low, $high], $two && !$own ? ['k', 0, 1] : ()];
}

sub sending_edge {
    my ($places, $two, $has_clocks) = @_;
    my ($index, @select) = @{ one_of(['[' . int(rand 3) . ']'], ['[i]', ['i', 0, 1]], $has_clocks ? () : (['[v % 3]'], ['[i]', ['i', 0, 2]])) };
    $index .= one_of('[0]', '[1]', @select && !$has_clocks ? '[i % 2]' : ()) if $two;
    my $guard = one_of('y >= 1', 'y <= 2', 'v < 3', 'true');
    my $assign = one_of('y = 0', 'v = 2', 'v = (v + 1) % 4, y = 0', 'v = v', @select ? 'v = i' : ());
    return ['s' . int(rand $places), 's' . int(rand $places), $guard, "c$index!", $assign, @select];
}

sub network {
    my $two = rand() < 0.3;
    my $has_clocks = rand() < 0.4;
    my @listens = map { listening_edge(3, $two, $has_clocks) } 1 .. 1 + rand 3;
    my @sends = map { sending_edge(2, $two, $has_clocks) } 1 .. 1 + rand 3;
    my @moves = map { my ($a, $b) = (int rand 3, int rand 3); "l$a -> l$b { guard x >= 1; assign x = 0; }" } 1 .. 2;
    return sub {
        my ($written_out) = @_;
        my @r = (@moves, map { edge_texts($_, $written_out) } @listens);
        my @s = map { edge_texts($_, 0) } @sends;
        return "broadcast chan c[3]" . ($two ? '[2]' : '') . ";\nint[0, 3] v, w;\nprocess R(const int[0, 1] id) {\nclock x;\nint[0, 3] m;\n"
            . "state l0, l1, l2 { x <= 3 };\ninit l0;\ntrans " . join(",\n  ", @r) . ";\n}\n"
            . "process S() {\nclock y;\nstate s0 { y <= 3 }, s1;\ninit s0;\ntrans " . join(",\n  ", @s) . ";\n}\nsystem R, S;\n";
    };
}

my @queries = ('A[] v < 3', 'E<> R(0).l2 and R(1).l1', 'A[] not deadlock', 'A[] w < 3', 'E<> R(0).m == 2 and R(1).x > 1', 'A[] R(0).x <= 3 or v == 0');

sub answers {
    my ($file) = @_;
    my ($out) = run('check', $file, '--json', '--store', 'all', '--symmetry', 'off', '--limit-states', 20000, map { ('--query', "'$_'") } @queries);
    my ($json) = $out =~ /^(\{.*\})/ms;
    my $answer = eval { decode_json($json // '') } or return $out;
    return undef if grep { ($_->{reason} // '') =~ /limit/ } @{ $answer->{properties} };
    return join ' ', $answer->{states} // '?', map { $_->{verdict} } @{ $answer->{properties} };
}

my ($wrong, $compared, $read) = (0, 0, 0);
my $cases = $ENV{PARVIS_LONG} ? part_share(3000) : 150;
for my $case (1 .. $cases) {
    my $text = network();
    my ($short, $long) = map { answers(write_file("n$_.xta", $text->($_))) } 0, 1;
    next unless defined $short && defined $long;
    $compared++;
    $read += $short =~ /^\d+ /;
    next if $short eq $long || ($short !~ /^\d+ / && $long !~ /^\d+ /);
    $wrong++;
    diag("with select: $short\nwritten out: $long\n", $text->(0));
}
print "# tally: broadcasts whose receivers select the channel, and with an edge for each | $compared cases | $wrong wrong\n";
is($wrong, 0, 'they say the same');
cmp_ok($read, '>', $cases * 3 / 4, 'and most are read');
done_testing;
