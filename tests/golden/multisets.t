#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# multisets: a state is what is in its multisets, not in which slots: counts, deadlock, equality, traces, with every
# kind of symmetry. Expected counts are computed from the number of bags of at most k elements of n kinds.
use strict;
use warnings;
use JSON::PP;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";

sub write_model {
    my ($text) = @_;
    open my $out, '>', "$tmp/m.m" or die "$tmp/m.m: $!\n";
    print $out $text;
    close $out or die "$tmp/m.m: $!\n";
    return "$tmp/m.m";
}

sub run_parvis {
    my (@command) = @_;
    open my $from, '-|', 'sh', '-c', '"$@" 2>&1', 'sh', $parvis, @command or die "$parvis: $!\n";
    my $text = do { local $/; <$from> };
    close $from;
    return ($text, $? >> 8);
}

sub states {
    my ($text) = @_;
    return $text =~ /([\d,]+) (?:states?|representatives?)\b/ ? $1 =~ tr/,//dr : undef;
}

sub choose {
    my ($n, $k) = @_;
    my $c = 1;
    $c = $c * ($n - $_ + 1) / $_ for 1 .. $k;
    return $c;
}

# Bags of at most $k elements of $n kinds.
sub bags { my ($n, $k) = @_; return choose($n + $k, $k); }

# ---- a network: every node, or Home, has a multiset of messages from the others

my $network = <<'MODEL';
const N : 2; K : 2;
type P : scalarset(N); H : enum { Home }; Node : union { H, P };
  M : record t : 0..1; src : Node; end;
var Net : array [Node] of multiset [K] of M;
startstate undefine Net; end;
ruleset n : Node; s : Node; x : 0..1 do
  rule "send" n != s & MultisetCount(i : Net[n], true) < K ==>
  var m : M; begin m.t := x; m.src := s; MultisetAdd(m, Net[n]); end;
end;
ruleset n : Node do choose i : Net[n] do
  rule "receive" true ==> begin MultisetRemove(i, Net[n]); end; end; end;
MODEL

my $file = write_model($network);
for my $c ([2, 2], [2, 3], [1, 4]) {
    my ($n, $k) = @$c;
    my $all = bags(2 * $n, $k)**($n + 1);
    # Exchanging the two nodes leaves those states alone whose Home is symmetric and whose second node has the image of
    # the first's messages: t and a sender, Home or the other one, for which there are bags(4, k) possibilities.
    my $fixed = 0;
    $fixed += choose(2 + $_ - 1, $_) for 0 .. int($k / 2);
    my $orbits = $n == 1 ? $all : ($all + $fixed * bags(4, $k)) / 2;
    for my $s (['off', $all], ['exact', $orbits], ['heuristic', $orbits]) {
        my ($text) = run_parvis('check', $file, '--define', "N=$n", '--define', "K=$k", '--symmetry', $s->[0]);
        is(states($text), $s->[1], "$n nodes, $k messages, --symmetry $s->[0]");
        unlike($text, qr/_slot/, '… without invented sorts');
    }
}

# ---- verdicts: [text, what the output says, name], the same with every symmetry

my $pair = 'type b : multiset [2] of boolean; var net, other : b; x, y : boolean; k : 0..3;'
    . ' startstate begin undefine net; undefine other; x := true; y := false; k := 0; multisetadd(x, net); multisetadd(y, net);'
    . ' multisetadd(y, other); multisetadd(x, other); end;';
my $nodes = 'type node : scalarset(4); ms : multiset [2] of boolean; var net : array [node] of ms;'
    . ' startstate begin undefine net; end;'
    . ' ruleset n : node do rule "send" multisetcount(c : net[n], true) < 1 ==> var x : boolean;'
    . ' begin x := true; multisetadd(x, net[n]); end; end;';
my $posts = 'type node : scalarset(3); m : record from : node; hops : 0..1; end; r : record box : multiset [2] of m; up : boolean; end;'
    . ' var post : array [node] of r; copy : r; seen : node;'
    . ' startstate begin undefine post; undefine copy; undefine seen; for n : node do post[n].up := true; end; end;'
    . ' ruleset n : node; s : node do rule "post" multisetcount(i : post[n].box, true) < 2 ==> var x : m;'
    . ' begin x.from := s; x.hops := 0; multisetadd(x, post[n].box); end; end;'
    . ' ruleset n : node do choose i : post[n].box do rule "read" true ==> begin seen := post[n].box[i].from;'
    . ' multisetremove(i, post[n].box); end; end; end;';
my @cases = (
    ["$pair rule \"again\" begin multisetremovepred(i : net, true); multisetadd(y, net); multisetadd(x, net); end;",
        qr/^deadlock: violated.*nothing changes any more/ms, 'a bag filled in another order is the same'],
    ["$pair rule \"same\" begin net := other; end;", qr/^deadlock: violated/m, 'as is a copy of one in another order'],
    ["$pair rule k < 3 ==> begin k := k + 1; end; rule k = 3 ==> begin k := 0; end; invariant \"same\" net = other;",
        qr/^same: holds.*\b4 states/ms, 'equality by what is in them'],
    ["$pair rule begin multisetremovepred(i : other, other[i]); multisetadd(y, other); end; invariant \"same\" net = other;",
        qr/^same: violated/m, 'and how often'],
    ["$pair rule var own : b; begin multisetadd(x, own); undefine own; net := own; k := multisetcount(i : net, true); end;"
        . ' invariant "none" k = 0;', qr/^deadlock: violated.* 1 .*-net\{(?:true|false)\}/ms, 'one without a value is empty'],
    ["$nodes invariant \"one\" !(exists n : node do exists m : node do n != m & multisetcount(c : net[n], true) = 1"
        . " & multisetcount(d : net[m], true) = 1 end end);", qr/^one: violated/m, 'an array of multisets'],
    [$nodes, qr/^deadlock: violated/m, 'a deadlock behind it'],
    ["$posts ruleset n : node do rule \"keep\" begin copy := post[n]; end; end;"
        . ' invariant "kept" forall n : node do multisetcount(i : post[n].box, true) < 2 | multisetcount(i : copy.box, true) < 2'
        . ' | copy != post[n] | !post[n].up end;', qr/^kept: violated/m, 'multisets in records in arrays'],
    ["$pair choose i : net do rule net[i] ==> begin multisetremove(i, net); k := k + 1; end; end; invariant \"none\" k = 0;",
        qr/^none: violated.*step  action.*-net\{true\}/ms, 'no column for an element that was chosen'],
);
for my $c (@cases) {
    my ($text, $says, $name) = @$c;
    my $model = write_model($text);
    my %steps;
    for my $s ('off', 'exact', 'heuristic') {
        my ($out, $code) = run_parvis('check', $model, '--symmetry', $s);
        like($out, $says, "$name, --symmetry $s");
        unlike($out, qr/internal error|_slot/, '… nothing internal');
        my @shown = $out =~ /^ {4} +(\d+)  /mg;
        $steps{ @shown ? $shown[-1] : 0 } = 1;
    }
    is(keys %steps, 1, "$name: traces are as long");
}

# ---- mistakes: [text, message]

my $two = 'type b : multiset [2] of boolean; var net : array [0..1] of b; other : b; x : 0..1; startstate undefine net; undefine other; x := 0; end;';
for my $c (
    ["$two choose i : other do rule begin multisetremove(i, net[0]); end; end;", qr/1:\d+: error: this is a slot of another multiset/],
    ["$two choose i : other do choose j : net[0] do rule i = j ==> begin end; end; end;", qr/error: slots of different multisets/],
    ["$two choose i : other do liveness x = 0; end;", qr/no liveness in a choose/],
    ["$two rule multisetcount(i : other, net[x][i]) > 0 ==> begin end;", qr/error: this is a slot of another multiset/],
    ["$two rule multisetcount(i : other, other[x = 0 ? i : i]) > 0 ==> begin end; rule begin other[x] := true; end;", qr/expected/],
) {
    my ($out, $code) = run_parvis('check', write_model($c->[0]));
    is($code, 2, 'refused');
    like($out, $c->[1], "… $c->[1]");
}

# A slot of another element of the array is found at run time.
my ($out, $code) = run_parvis('check', write_model("$two rule begin multisetadd(true, net[x]); x := 1 - x; end;"
    . ' choose i : net[x] do rule begin x := 1 - x; multisetremove(i, net[x]); end; end;'));
like($out, qr/run-time error: violated/, 'a slot of another element');

# ---- when things are evaluated

my $element = 'type M : multiset[4] of 0..3; var m : M; function f() : 0..3; begin multisetadd(1, m); return 2; end; ' .
    'startstate undefine m; end; rule "add" multisetcount(i : m, true) = 0 ==> multisetadd(f(), m); end; ';
my ($called, $called_code) = run_parvis('check', '--deadlock', 'none',
    write_model("${element}invariant \"none or two\" multisetcount(i : m, true) != 1;"));
is($called_code, 0, 'a function that is called for an element adds one of its own') or diag $called;

my $where = 'type M : multiset[3] of 0..2; var box : array[0..1] of M; ' .
    'startstate undefine box; multisetadd(1, box[0]); multisetadd(2, box[1]); end; rule "stay" end; ' .
    'choose i : box[0] do rule "remove" multisetremove(i, box[multisetcount(k : box[0], true) - 1]); end; end; ';
my ($removed, $removed_code) = run_parvis('check', '--deadlock', 'none',
    write_model("${where}invariant \"other\" multisetcount(k : box[1], true) = 1;"));
is($removed_code, 0, 'which multiset is removed from is decided before') or diag $removed;
is(states($removed), 2, '… and one element goes');

done_testing();
