#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# murphi: traces, options, messages. What models/murphi/*.m expect is tested by models.t; their numbers of states are
# those that Rumur counts, without symmetry, and of orbits those of Rumur and CMurphi.
use strict;
use warnings;
use lib 'tests';
use Golden qw($parvis $tmp answer);
use Test::More;

# The same shortest trace on any number of threads, also where every block is shared.
for my $file (sort glob 'models/murphi/*_bug.m') {
    my @traces = map {
        my ($o) = answer('check', $file, '--threads', $_);
        my ($p) = grep { $_->{verdict} eq 'violated' } @{ $o->{properties} };
        [$o->{states}, $p->{name}, $p->{trace}];
    } 1, 2, 3, 7;
    is_deeply([@traces[1 .. 3]], [($traces[0]) x 3], "$file: threads do not matter");
}

# ---- small models: [text, options, exit status, what the output says, name]

my $head = "var x : 0..3; b : boolean;\nstartstate x := 0; b := false; end;\n";
my $calls = "type t : scalarset(2); var x, y : 0..9; b : boolean; c : array [0..9] of 0..9; w : t;" .
    " d : array [1..2] of array [0..9] of 0..9; function f() : 0..9; begin x := x + 1; return x; end;" .
    " function g(n : t) : t; begin w := n; return n; end; procedure h(p : 0..4); begin end;" .
    " startstate b := false; clear x; clear y; clear c; clear d; end; ruleset n : t do rule begin ";
my $count = "rule x < 3 ==> begin x := x + 1; end; rule x = 3 ==> begin x := 0; end;\n";
my $three = 'type t : scalarset(3); var a : array [t] of boolean; k : 0..3; w : t;' .
    ' startstate for i : t do a[i] := false; end; k := 0; undefine w; end;' .
    ' ruleset i : t do rule begin a[i] := !a[i]; end; end;';
my $lost = "$head${count}function f(v : boolean; d : 0..3) : boolean; var z : 0..3; w : boolean; begin w := z = d;" .
    ' return v; end; function g(d : 0..4) : boolean; var w : 0..3; begin if d > 0 | b then w := 3 / d; end; w := 3 / d; return true; end;' .
    ' function h(v : boolean) : boolean; var z : 0..3; w : boolean; begin if v & !v then w := z = 1; end; return true; end; ';

my $late = 'function late(d : 0..3) : boolean; begin return true; end; ';

# Functions that call each other twice, on top of one that reads a local without a value, or of another.
sub chain {
    my ($n, $first) = @_;
    my $text = 'function c0(v : boolean) : boolean; begin return ' . ($first // 'f(v, 1)') . '; end; ';
    $text .= "function c$_(v : boolean) : boolean; begin return (c" . ($_ - 1) . '(v) -> b) & (c' . ($_ - 1)
        . "(v) | v); end; " for 1 .. $n;
    return $text;
}

my @cases = (
    ["${three}rule k = 0 ==> begin if exists i : t do w = i end then k := 1; else k := 2; end; end; invariant \"two\" k != 1;",
        [], 0, qr/^two: holds.*\b8 states/ms, 'an undefined element is equal to none'],
    ["${three}rule k = 0 ==> begin if exists i : t do w = i end then k := 1; else k := 2; end; end;", ['--semantics', 'rumur'],
        1, qr/\bis undefined at/, 'for Rumur it cannot be compared'],
    ["var a, b : 0..1; startstate end; rule a = b ==> begin end;", [], 1, qr/\ba is undefined at/, 'nor can numbers'],
    ["${head}rule \"skip\" end; ruleset v : 0..3 do rule \"set\" v != x ==> begin x := v; end; end;", [], 0,
        qr/4 states, 16 transitions/, 'a rule that does nothing'],
    ["${head}ruleset v : 0..3 do rule !isundefined(v) & v != x ==> begin x := v; end; end;", [], 0, qr/4 states/,
        'a bound variable has a value'],
    ["${lost}invariant \"i\" f(x < 3, 1);", [], 1, qr/^run-time error: violated/m,
        'a property reads what has no value, and does not need it'],
    ["${lost}rule f(b, x) & x < 2 ==> begin x := x + 1; end;", [], 1, qr/^run-time error: violated/m, 'a guard does'],
    ["${lost}rule begin b := f(b, x); end;", [], 1, qr/^run-time error: violated/m, 'a body does'],
    ["${lost}invariant \"i\" b | f(b, 1) | g(x) | x = 3;", [], 1, qr/^run-time error: violated/m, 'it divides by zero'],
    ["${lost}invariant \"i\" g(x + 1) & h(b);", [], 0, qr/^i: holds/m, 'what is not read, or has a value, is no error'],
    [$lost . chain(20) . 'rule begin b := c20(b); end;', [], 1, qr/^run-time error: violated/m,
        'a long function in a body is no exception'],
    (map { my $levels = $_;
        map { ["${lost}" . chain($levels, 'v') . $late . "function top(v : boolean) : boolean; var z : 0..3; w : boolean;"
            . " a : array [0..2] of 0..3; begin for i : 0..2 do a[i] := 1; end; if $_->[0]"
            . " then w := $_->[1]; end; return v; end; invariant \"i\" top(x < 4);", [], $_->[2], $_->[3], "below $levels functions: $_->[4]"] }
            (["(c$levels(v) | v)", 'z = x', 1, qr/^run-time error: violated/m, 'a missing value'],
             ["(c$levels(v) | v)", '3 / x = 1', 1, qr/^run-time error: violated/m, 'a division by zero'],
             ["(c$levels(v) | v)", 'a[x] = 1', 1, qr/^run-time error: violated/m, 'an index out of range'],
             ["(c$levels(v) | v)", 'late(x + 1)', 1, qr/^run-time error: violated/m, 'a value out of range'],
             ["c$levels(v) & !v", '3 / x = 1 | z = x', 0, qr/^i: holds/m, 'what is not read']) } 2, 10, 20),
    ["${three}function f() : boolean; var z : 0..3; r : boolean; begin r := false; for i : t do if isundefined(z) & a[i]"
        . ' then r := true; end; z := 2; end; return r; end; rule f() ==> begin k := 1; end; rule begin if !f() then k := 2; end;'
        . ' end;', [], 0, qr/\b24 states, 108 transitions/, 'a round of a loop asks what an earlier one did'],
    ["${three}rule begin for i : t do if a[i] then w := i; end; end; end;", [], 0, qr/32 states,/,
        'a loop that depends on the order: no symmetry'],
    ["${three}rule begin for i : t do if a[i] then w := i; end; end; end;", ['--symmetry', 'exact'], 2,
        qr/m:1:\d+: error: no symmetry: this may tell elements of 't' apart.*--symmetry off/s, 'refused if asked for'],
    ["${three}rule begin for i : t do if a[i] then w := i; end; end; end;", ['--symmetry', 'heuristic'], 2,
        qr/error: no symmetry/, 'also the heuristic one'],
    [$three, ['--symmetry', 'heuristic'], 0, qr/4 representatives by heuristic symmetry/, '--symmetry heuristic'],
    [$three, ['--symmetry', 'on'], 2, qr/--symmetry takes exact\|heuristic\|off, not 'on'/, 'no other word'],
    ["$head$count", [], 0, qr/^deadlock: holds/m, 'no deadlock'],
    ["${head}rule x < 3 ==> begin x := x + 1; end;", [], 1, qr/^deadlock: violated/m, 'a deadlock is found unasked'],
    ["${head}rule x < 3 ==> begin x := x + 1; end;", ['--deadlock', 'none'], 0, qr/./, '--deadlock none'],
    ["${head}rule true ==> begin x := 0; end;", [], 1, qr/nothing changes any more/, 'stuttering is stuck'],
    ["${head}rule true ==> begin x := 0; end;", ['--deadlock', 'stuck'], 0, qr/deadlock: holds/, '--deadlock stuck'],
    ["${head}rule 3 > x ==> begin x := x + 1; end; rule 1 + 2 = x ==> begin x := 0; end;", [], 0,
        qr/^deadlock: holds.*\b4 states, 4 transitions/ms, 'a guard may begin with a number'],
    ["${head}rule 3 x < 3 ==> begin x := x + 1; end; rule 1 \"back\" x = 3 ==> begin x := 0; end; rule 2 !(x < 9) ==> end;",
        ['--deadlock', 'stuck'], 0, qr/^deadlock: holds.*\b4 states, 4 transitions/ms, 'a priority orders no steps'],
    ["$head${count}invariant \"low\" x < 2;", [], 1, qr/^low: violated/m, 'an invariant'],
    ["$head${count}invariant \"low\" x < 2; invariant \"b\" x < 3;", ['--all-invariants'], 1,
        qr/low: violated.*b: violated/s, '--all-invariants goes on'],
    ["$head${count}cover \"three\" x = 3; liveness \"back\" x = 0;", [], 0, qr/three: holds.*back: holds/s,
        'cover and liveness'],
    ["$head${count}cover \"never\" b;", [], 1, qr/never: violated.*no reachable state/s, 'what is never covered'],
    ["${head}rule x < 3 ==> begin x := x + 1; end; rule x = 3 ==> begin b := !b; end; liveness \"back\" x = 0;", [], 1,
        qr/back: violated.*can be reached from here/s, 'what cannot be reached any more'],
    ["${head}rule true ==> begin x := x + 1; end;", [], 1, qr/\b\d+ does not fit x: 0\.\.\d+ at\s+\S+:3:21/, 'leaving a range'],
    ['type P : scalarset(3); var c : array [P] of record n : 0..2; s : 0..1; end; startstate for p : P do c[p].n := 0; end; end;' .
        ' ruleset p : P do rule "inc" (exists q : P do q != p & c[q].n = 1 end) | c[p].n = 0 ==> begin c[p].n := c[p].n + 1; end; end;',
        [], 1, qr/   0 +undefined: c\[\]\.s\n.*inc\((P_\d)\) ✗ +3 does not fit c\[\1\]\.n: 0\.\.2 at/s,
        '… in the names of the trace'],
    ["var a : array [0..2] of 0..3; i : 0..9; startstate a[0] := 0; i := 0; end; rule begin i := i + 1; a[i] := 1; end;", [], 1,
        qr/undefined: a\[1\], a\[2\]\n.*3 is no index of a\[\]: 0\.\.2 at/s, 'an index'],
    ["type P : scalarset(2); var c : array [P] of 0..1; b : boolean; startstate b := false; end;" .
        " rule begin b := !b; end; invariant \"i\" forall p : P do c[p] = 0 end;", [], 1,
        qr/c\[P_1\] is undefined at \S+, in i/, 'a variable without a value in an invariant'],
    ["${head}rule true ==> begin error \"my words\"; end;", [], 1, qr/my words/, 'an error of the model'],
    ["var x : 0..3; startstate assert \"at once\" false; end; rule true ==> begin x := 0; end;", [], 1,
        qr/at once.*in startstate/s, 'an error in the startstate'],
    ["${head}var u : 0..1; v : 0..1; rule true ==> begin v := u; b := !b; end;", [], 0, qr/holds/,
        'undefined is copied'],
    ["${head}var u : 0..1; v : 0..1; rule true ==> begin v := u; b := !b; end;", ['--semantics', 'rumur'], 1,
        qr/\bis undefined at/, '… but not with --semantics rumur'],
    ["${head}function f(y : 0..9; z : 0..99) : 0..99; begin return 10 * y + z; end; " .
        "rule begin x := f(1, f(2, 3)) - 30; b := !b; end; invariant \"33\" x = 0 | x = 3;", [], 0, qr/33: holds/,
        'an argument that is a call of the same function'],
    ["${head}function f(y : 0..9) : boolean; begin assert \"late\" y < 5; return true; end; rule var i : 0..9; begin " .
        "i := 0; b := !b; while f(i) do if i = 2 then i := 5; return; end; i := i + 1; end; end;", [], 0, qr/holds/,
        'the condition of a while is not evaluated after a return'],
    ["${calls}x := 1; assert x != f(); x := 1; assert x < f(); x := 1; y := 0; for i := x to f() do y := y + 1; end; " .
        "assert y = 2; x := 1; c[f()] := x; assert c[2] = 1; x := 1; c[x] := f(); assert c[2] = 2; b := !b; end; end;",
        ['--semantics', 'rumur'], 0, qr/holds/, 'operands are read before the calls behind them'],
    ["${calls}x := 1; assert x + f() = 3; x := 1; assert f() + x = 4; x := 1; assert 9 - x - f() = 6; x := 1; " .
        "d[1][2] := 5; d[2][2] := 6; assert d[x][f()] = 5; undefine w; assert w != g(n); assert w = n; b := !b; end; end;",
        [], 0, qr/holds/, '… from left to right, also in sums and indices, and where one has no value'],
    ["${calls}x := 1; if c[f()] = 0 then b := !b; end; assert x = 2; h(c[f()]); assert x = 3; put f(); assert x = 4; " .
        "switch x case f(), 9: assert false; case 4: x := 0; end; assert x = 0; end; end;",
        ['--semantics', 'rumur'], 0, qr/holds/, 'calls in a side of =, an argument, a put and a case are done once'],
    ["type t : scalarset(3); var e, g : t; k : 0..3; b : boolean; startstate b := false; k := 0; for n : t do if " .
        "isundefined(e) then e := n; k := k + 1; end; end; g := e; undefine e; g := e; for n : t do e := n; end; end; rule begin " .
        "assert k = 1; assert isundefined(g); b := !b; end;", [], 0, qr/holds/,
        'a start sees which variables have no value yet, also those that have one later'],
    ["${calls}x := 1; switch 2 case f(), f(), 9: y := x; else y := 8; end; assert x = 2 & y = 2; x := 1; switch x case " .
        "x + 3, f(): y := 9; case f(), x: y := x; end; assert x = 3 & y = 2; x := 0; y := 0; b := !b; end; end;",
        ['--semantics', 'rumur'], 0, qr/holds/, 'labels of a case are evaluated up to the first that matches'],
    ["${calls}x := 1; y := 2; c[0] := 0; for i := x to f() + 3 by y do c[0] := c[0] + 1; end; assert c[0] = 3; x := 1; " .
        "for i := x to x + 1 by f() do c[0] := c[0] + 1; end; assert c[0] = 4; clear c; clear y; clear x; b := !b; end; end;",
        ['--semantics', 'rumur'], 0, qr/holds/, 'bounds of a loop are read before the calls in its step'],
    ["${head}procedure p(y : 0..3); begin x := 2; assert \"old\" y != 2; x := 0; end; rule begin p(x); b := !b; end;",
        [], 1, qr/old/, 'a parameter is by reference'],
    ["${head}procedure p(y : 0..3); begin x := 2; assert \"old\" y != 2; x := 0; end; rule begin p(x); b := !b; end;",
        ['--semantics', 'rumur'], 0, qr/holds/, '… but a copy with --semantics rumur'],
    ["${head}procedure p(y : 2..3); begin if y = 0 then end; end; rule begin p(1); b := !b; end;", [], 1,
        qr/does not fit/, 'an argument outside the range of its parameter'],
    ["${head}rule begin b := isundefined(true); end;", [], 2, qr/asks about a simple variable/, 'isundefined of a value'],
    ["const N : 2; $head${count}invariant \"n\" N = 2;", ['-D', 'N=3'], 1, qr/n: violated/, 'a constant changed'],
    ["$head$count", ['-D', 'N=3'], 2, qr/no constant 'N'/, 'a constant that is not there'],
    ["$three rule begin k := 0; for i : t do if a[i] then k := k + 1; end; end; end;", [], 0, qr/up to symmetry/,
        'counting keeps symmetry'],
    ["$three rule begin for i : t do if a[i] then w := i; return; end; end; end;", [], 0,
        qr/1:\d+: warning: symmetry is not used/, 'taking the first element does not'],
    ["$three rule begin k := multisetcount(i : a, true); end;", [], 2, qr/a multiset expected/, 'no multiset'],
    ["var y : 0..2; function f() : 0..2; begin return 1; end; startstate y := 0; end; ruleset i := 0 to f() do rule y := i; end; end;",
        [], 2, qr/1:\d+: error: no function can be called here/, 'a call in the bounds of a ruleset'],
    ["const k : f(); function f() : 0..2; begin return 1; end; startstate end;", [], 2, qr/error: unknown function 'f'/,
        'a call in a constant'],
    ["var y : 0..2; startstate y := 0; end; rule error y; end;", [], 2, qr/1:50: error: a text expected/, 'error without a text'],
    ["var y : boolean; startstate y := true; end; rule var a : " . ('array[0..0] of ' x 15) . "boolean; begin a"
        . ('[0]' x 15) . " := true; end;", [], 2, qr/error: more than 12 indices/, 'a local with too many indices'],
    ["var v : 0..7; function g(n : 0..3) : 0..7; begin if n = 0 then return 1; else return f(n - 1); end; end;"
        . "function f(n : 0..3) : 0..7; begin if n = 0 then return 1; end; return (g(n - 1) + g(n - 1)) % 8; end;"
        . "startstate v := 0; end; rule v := f(3); end; invariant \"sum\" v = 0 | v = 4;", ['--deadlock', 'none'], 0,
        qr/^sum: holds/m, 'functions that call one another twice'],
    ["var v : 0..1; startstate v := 0; end; rule cover \"a\" v = 0; v := 1 - v; end; invariant \"a\" v < 2;", [], 0,
        qr/^a \(line 1\): holds/m, 'a cover and an invariant of one name'],
    ["type P : scalarset(2); m : record k : enum {req, ack}; src : P; end; var net : array [P] of multiset [2] of m; n : 0..3;"
        . "startstate n := 0; end; ruleset p : P do rule \"send\" n < 2 ==> var x : m; begin x.k := req; x.src := p;"
        . "multisetadd(x, net[p]); n := n + 1; end; choose i : net[p] do rule \"take\" n = 2 ==> multisetremove(i, net[p]); n := 3;"
        . "end; end; end; invariant \"two\" n < 3;", ['--deadlock', 'none', '--threads', 1], 1,
        qr/1 .*\+net\[P_1\]\{k=req, src=P_1\}.* 3 .*-net\[P_1\]\{k=req, src=P_1\}.*state .*net\[P_1\]\{k=req, src=P_1\}\n/s,
        'elements of multisets in a trace'],
    ["var t : multiset [2] of 0..1; startstate end; rule multisetadd(1, t); end;", [], 1,
        qr/1 .*\+t\{1\}.*2 .*\+t\{1\}.*the multiset is full.*state t\{1\} × 2/s, 'equal elements of a multiset in a trace'],
    ["${head}rule tru ==> begin x := 0; end;", [], 2, qr/3:6: error: unknown name 'tru'/, 'an unknown name'],
    ["${head}var counter : 0..1; rule begin countr := 1; end;", [], 2,
        qr/unknown name 'countr', did you mean 'counter'\?/, 'a hint'],
    ["${head}rule begin x := b; end;", [], 2, qr/3:17: error: a number expected, but this is a boolean/, 'a wrong type'],
    ["${head}rule begin x := 1 - x end", [], 0, qr/./, 'semicolons may be left out'],
    ["${head}procedure p(q : 0..3); begin q := 1; end; rule begin p(x); end;", [], 2, qr/not declared `var`/,
        'a parameter that is read only'],
    ["${head}function f(n : 0..3) : 0..3; begin return f(n); end; rule begin x := f(1); end;", [], 3,
        qr/run-time error: unknown: 'f' calls itself more than 400 times over: --limit-recursion allows/s, 'endless recursion'],
    ["${head}function f(n : 0..3) : 0..3; begin return f(n); end; rule begin x := f(1); end;", ['--limit-recursion', 7], 3,
        qr/'f' calls itself more than 7 times over/, 'so many times over'],
    ["var x : 0..900; procedure down(var n : 0..900); begin if n > 0 then n := n - 1; down(n); end; end;"
        . " startstate x := 900; end; rule x = 900 ==> begin down(x); end; invariant \"to 0\" x = 900 | x = 0;",
        ['--limit-recursion', 1000, '--deadlock', 'none'], 0, qr/^to 0: holds.* 2 states/s, 'recursion 900 deep, where that is asked for'],
    ["var r : 0..1000; function fib(k : 0..20) : 0..1000; begin if k < 2 then return k; end; return fib(k - 1) + fib(k - 2); end;"
        . "startstate r := 0; end; rule r := fib(16); end; invariant \"fib\" r = 0 | r = 987;", ['--deadlock', 'none'], 0,
        qr/^fib: holds/m, 'recursion with two calls, 15 deep'],
    ["var r : 0..200; function ack(m : 0..3; n : 0..200) : 0..200; begin if m = 0 then return n + 1; elsif n = 0 then return"
        . " ack(m - 1, 1); end; return ack(m - 1, ack(m, n - 1)); end; startstate r := 0; end; rule r := ack(2, 3); end;"
        . "invariant \"ack\" r = 0 | r = 9;", ['--deadlock', 'none'], 0, qr/^ack: holds/m, 'recursion in an argument'],
    ["var r : 0..400; function down(k : 0..400) : 0..400; begin if k = 0 then return 0; end; return down(k - 1) + 1; end;"
        . "startstate r := 0; end; rule r := down(390); end; invariant \"down\" r = 0 | r = 390;", ['--deadlock', 'none'], 0,
        qr/^down: holds/m, 'recursion 390 deep'],
    ["var x : 0..0x1000000000; n : 0..3; startstate x := 0; n := 0; end; rule n < 3 ==> n := n + 1; end;"
        . "rule n = 2 & x > 5 ==> x := 0x100000000; end; invariant \"small\" x < 0x100000000;", ['--deadlock', 'none'], 0,
        qr/^small: holds/m, 'a number beyond ours in a rule that is never enabled'],
    ["var x : 0..0x1000000000; startstate x := 0; end; rule x := 0x100000000; end;", [], 3,
        qr/run-time error: unknown: a number lies beyond/, 'a number beyond ours'],
    ["${head}function f(n : 0..3) : 0..9; begin if n = 0 then return 0; end; return n + f(n - 1); end;" .
        "rule begin x := f(2); end; invariant \"three\" x = 0 | x = 3;", [], 1, qr/deadlock: violated.*nothing changes/s,
        'recursion: 2 + 1'],
    ["${head}function odd(n : 0..9) : boolean; begin if n = 0 then return false; end; return even(n - 1); end;" .
        "function even(n : 0..9) : boolean; begin if n = 0 then return true; end; return odd(n - 1); end;" .
        "$count invariant \"parity\" (x = 1 | x = 3) = odd(x);", [], 0, qr/^parity: holds/m, 'functions that call each other'],
    ["${head}procedure p(n : 0..3; var v : 0..3); var own : 0..3; begin own := n; if n > 0 then p(n - 1, v); end;" .
        "if own > 1 then v := own; end; end; rule begin p(3, x); end;", [], 1, qr/deadlock: violated.*x: 0 → 3/s,
        'each call has its own locals'],
    ["var y : 0..010; startstate y := 8; end; rule begin y := 17 - y; end;", ['--semantics', 'rumur'], 1,
        qr/run-time error: violated/, 'octal numbers'],
    ["var y : 0..08; startstate y := 8; end;", ['--semantics', 'rumur'], 2, qr/1:13: error: this is not an octal digit/, 'not an octal digit'],
    ["var y : 0..010; startstate y := 10; end; rule y := 19 - y; end;", [], 0,
        qr/warning: a number with a leading 0 is decimal.*deadlock: holds.*2 states/s, 'a leading 0'],
    ["var n : 0..3; s : 0..99; startstate n := 3; s := 0; end; rule s = 0 ==> for i := n to 1 by -1 do s := (s * 4 + i) % 100; end;"
        . "for i := 1 to 3 by -2 do s := 0; end; for i := n to 0 by -2 do s := (s * 4 + i) % 100; end; end;"
        . "invariant \"down\" s = 0 | s = (((57 * 4 + 3) % 100) * 4 + 1) % 100;", ['--deadlock', 'none'], 0,
        qr/warning: this step leads away.*^down: holds.*2 states/ms, 'loops that count down from a variable'],
    ["var x : 0..3; rule x < 3 ==> x := x + 1; end; invariant \"low\" x < 2;", [], 3,
        qr/warning: the model has no startstate, so nothing is reached.*^low: unknown: there is no initial state.*0 states/ms, 'no startstate'],
    ["var x : 0..3; b : boolean; function f(n : 0..5) : boolean; begin return true; end; startstate b := false; end;"
        . "rule \"a\" f(x) ==> b := true; end; rule b := !b; end;", [], 1, qr/^run-time error: violated/m,
        'a guard reads the argument that its function does not look at'],
    ["var x : 0..3; b : boolean; function f() : boolean; var l : 0..9; begin l := x + 1; if x = 1 then l := 2; end; return b; end;"
        . "startstate b := false; end; rule f() ==> b := true; end; rule b := !b; end;", [], 1,
        qr/^run-time error: violated/m, 'a guard evaluates what its result does not depend on'],
    ["var x : 0..3; b : boolean; function f() : boolean; begin if b then if x = 1 then return true; end; end; return true; end;"
        . "startstate b := false; end; rule \"go\" !b ==> b := true; end; invariant \"fine\" f();", [], 1,
        qr/^run-time error: violated/m, 'a property evaluates a condition that decides nothing'],
    ["var y : -2147483647..2147483647; startstate y := 2147483647; end; rule begin y := -y; end;", [], 0,
        qr/deadlock: holds.*2 states/s, 'numbers of 32 bits'],
    ["var y : 0..0x100000000; startstate y := 0; end; rule begin y := 9 - y; end; invariant y < 4294967296;", [], 0,
        qr/deadlock: holds.*2 states/s, 'ranges beyond'],
    ["var y : 0..2; startstate y := 2147483648; end;", [], 3, qr/unknown: a number lies beyond ±\(2\^31 - 1\)/,
        'values beyond'],
    ["var y : 0..2; startstate y := 0; end; ruleset i : 0..2 do rule i = 2147483648 + y ==> y := i; end; end;", [], 3,
        qr/unknown: a number or a recursion goes beyond what can be computed/, 'values beyond in a guard'],
    ["var y : 0..2147483647; startstate y := 2000000000; end; rule begin y := y + 100000000; end;", [], 3,
        qr/run-time error: unknown: a number lies beyond.*m:1:\d+, in rule/, 'arithmetic that leaves them'],
    ["var y : 0..18446744073709551616; startstate y := 0; end;", [], 2, qr/1:12: error: this number is too large/,
        'numbers of more than 64 bits'],
    ["const big : 0xffffffffffffffff; var y : 0..big; startstate y := 0; end; rule y = 0 ==> begin y := 3; end;"
        . " invariant \"less\" y < big & 18446744073709551614 < big & !(big = big - 1) & y < 9223372036854775808;",
        ['--deadlock', 'none'], 0, qr/^less: holds/m, 'numbers of 64 bits without a sign'],
    ["var y : 0..0xfffffffffffffffe; startstate y := 0; end; rule begin y := 0xfffffffffffffffe - y; end;", [], 3,
        qr/unknown: a number lies beyond/, 'they are not computed with'],
    ["var y : -9..9; startstate y := 6 / -1; end; rule y = 6 % -1 - 6 ==> begin y := 0; end; invariant \"six\" y = -6 | y = 0;", ['--deadlock', 'none'], 0,
        qr/^six: holds.* 2 states/s, 'a division by -1'],
    ["type t : scalarset(3); u : scalarset(2); var a : array [t] of boolean; z : array [u] of boolean; w : t;"
        . " startstate for i : t do a[i] := false; end; for i : u do z[i] := false; end; undefine w; end;"
        . " ruleset i : t do rule begin a[i] := !a[i]; end; end; ruleset i : u do rule begin z[i] := !z[i]; end; end;"
        . " rule begin for i : t do if a[i] then w := i; end; end; end;", [], 0,
        qr/\b96 states up to symmetry.*warning: symmetry is not used for 't'/s, 'another scalarset keeps its symmetry'],
    ["${three}ruleset i : t do rule \"take\" isundefined(w) & a[i] ==> begin w := i; k := 1; end; end;"
        . "invariant \"free\" k = 0;", [], 1,
        qr/step  t_1 .*take\(t_1\) +k: 0 → 1  w: undefined → t_1\n.*free does not hold\n\n    state a\[t_1\]  k=1  w=t_1\n/s,
        'a trace in the words of the model'],
    ["var b : boolean; x : 0..1; startstate b := true; x := 0; end; rule x = 0 ==> begin undefine b; x := 1; end;"
        . " invariant \"has\" !isundefined(b);", [], 1, qr/b: true → undefined.*state x=1/s, 'a value that is lost'],
    ["${head}procedure p(); var t : 0..3; begin t := x; end; rule begin p(); b := !b; end; invariant \"no\" !b;", ['--full'], 1,
        qr/^(?!.*t=).*no does not hold/s, 'locals are no part of a state'],
    ["${head}var r : real; rule begin x := 1; end;", [], 2, qr/'\(' expected/, 'real numbers without digits'],
    ["${head}rule x ≔ 1 ⇒ begin end", [], 2, qr/error/, 'nonsense in mathematical signs'],
    ["${head}rule “up” x ≤ 2 ∧ ¬b ⇒ begin x ≔ x + 1 end rule x = 3 ∨ b ⇒ begin x ≔ 0 end", [], 0, qr/4 states/,
        'mathematical signs'],
);
my $n = 0;
for my $case (@cases) {
    my ($text, $options, $status, $regex, $name) = @$case;
    my $file = "$tmp/case" . $n++ . '.m';
    open my $out, '>', $file or die "$file: $!\n";
    print $out $text;
    close $out;
    my $said = `LC_ALL=C.UTF-8 "$parvis" check "$file" @$options 2>&1`;
    is($? >> 8, $status, "$name: exit status") or diag($said);
    like($said, $regex, $name);
}

# ---- transition systems

sub lts {
    my ($text) = @_;
    open my $out, '>', "$tmp/lts.m" or die;
    print $out $text;
    close $out;
    return scalar `$parvis show $tmp/lts.m --lts 2>&1`;
}

my $blink = 'var x : 0..1; startstate "off" x := 0; end;';
is(lts("$blink rule \"on\" x = 0 ==> begin x := 1; end; rule \"o\" x = 1 ==> begin x := 0; end;"),
    qq{des (0, 2, 2)\n(0, "on", 1)\n(1, "o", 0)\n}, 'an Aldebaran file');
like(lts("$blink startstate \"lit\" x := 1; end; ruleset v : 0..1 do rule \"set\" v != x ==> begin x := v; end; end;"),
    qr/^des \(2, 4, 3\)\n\(2, i, 0\)\n\(2, i, 1\)\n\(0, "set\(([01])\)", 1\)\n\(1, "set\((?!\1)[01]\)", 0\)\n$/,
    'several initial states');
like(lts("$blink rule x = 0 ==> begin x := 2; end;"), qr/des \(0, 0, 1\)\n.*warning: steps that end in a run-time error/s,
    'a step that faults is left out');
for my $case (['german', 'CLIENTS=2'], ['mcs', 'PROCS=3']) {
    my ($file, $define) = @$case;
    my ($o) = answer('check', "models/murphi/$file.m", '--define', $define, '--symmetry', 'off');
    my $text = `$parvis show models/murphi/$file.m --define $define --lts`;
    my ($n, $states) = $text =~ /^des \(\d+, (\d+), (\d+)\)/;
    is(scalar(() = $text =~ /^\(/mg), $n, "$file: as many steps as it says");
    my $starts = () = $text =~ /^\(\d+, i, /mg;
    is($n - $starts, $o->{transitions}, "$file: all transitions");
    is($states - !!$starts, $o->{states}, "$file: all states");
}

# A variable without a value at the start is printed as such.
my $shown = lts("var e : enum { a, b }; startstate end; rule begin e := a; end;");
is(system("$parvis show $tmp/lts.m > $tmp/shown.pv"), 0, 'show prints a model with a variable without a value');

# A value that was just copied into a narrower variable is not taken to fit where it came from.
open my $narrow, '>', "$tmp/narrow.m" or die;
print $narrow <<'MODEL';
type node : scalarset(3); none : enum { nobody }; maybe : union { node, none };
var on : boolean; who : node; place : maybe; sel : 0..1; x : 0..1;
ruleset s : node do startstate on := false; who := s; place := nobody; sel := 1; x := 0; end; end;
ruleset k : 0..1 do
rule "r0" sel = k ==>
    if (!on) then
    who := place;
    if (x = 0) then
    on := isundefined(who);
    end;
    end;
end;
end;
MODEL
close $narrow;
like(`$parvis check $tmp/narrow.m --deadlock none --engine $_`, qr/^run-time error: violated/m,
    "an element that is none is an error in every instance of a rule: $_")
    for qw(bytecode machine native);

# Functions that call functions in a property, 24 levels: as many calls as 3^24 or 4^24, written out. The last two agree on
# numbers 0 to 3 with what they are worked out to be here, in every state.
my %chain = (
    'two calls' => sub { my ($k) = @_; return "begin return f@{[$k - 1]}(i) & f@{[$k - 1]}((i + 1) % 4);" },
    'three calls' => sub {
        my ($k) = @_;
        my $f = 'f' . ($k - 1);
        return "begin if $f(i) then return $f((i + $k) % 4); end; return !$f(i);";
    },
    'a loop' => sub {
        my ($k) = @_;
        return "var r : boolean; begin r := false; for j : T do if f@{[$k - 1]}(j) & j != i then r := !r; end; end; return r;";
    },
);
my %worked_out = (
    'two calls' => sub { my ($f, $k, $i) = @_; return $f->[$i] && $f->[($i + 1) % 4] },
    'three calls' => sub { my ($f, $k, $i) = @_; return $f->[$i] ? $f->[($i + $k) % 4] : !$f->[$i] },
    'a loop' => sub { my ($f, $k, $i) = @_; return (grep { $f->[$_] && $_ != $i } 0 .. 3) % 2 },
);
for my $kind (sort keys %chain) {
    my $levels = 24;
    my @said;
    for my $state (0 .. 63) {
        my ($x, @a) = ($state >> 4, map { $state >> $_ & 1 } 0 .. 3);
        my @f = map { $a[$_] || $_ == $x } 0 .. 3;
        for my $k (1 .. $levels) { my @g = map { $worked_out{$kind}->(\@f, $k, $_) } 0 .. 3; @f = @g }
        push @said, $f[$x] ? 'true' : 'false';
    }
    my $index = 'x * 16 + ' . join(' + ', map { "(a[$_] ? " . (1 << $_) . ' : 0)' } 0 .. 3);
    open my $out, '>', "$tmp/chain.m" or die;
    print $out "type T : 0..3; var a : array[T] of boolean; x : T; known : array[0..63] of boolean;\n",
        "function f0(i : T) : boolean; begin if a[i] then return true; end; return i = x; end;\n",
        map({ "function f$_(i : T) : boolean; " . $chain{$kind}->($_) . " end;\n" } 1 .. $levels),
        "startstate begin for i : T do a[i] := false; end; x := 0; ", map({ "known[$_] := $said[$_]; " } 0 .. 63), "end;\n",
        "ruleset i : T do rule begin a[i] := !a[i]; end; end;\nrule begin x := (x + 1) % 4; end;\n",
        "invariant \"chain\" f$levels(x) = known[$index];\n";
    close $out;
    like(`$parvis check $tmp/chain.m --deadlock none 2>&1`, qr/^chain: holds\n.*\b64 states,/m, "a property that calls functions 24 deep: $kind");
}

done_testing();
