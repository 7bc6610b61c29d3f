#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# structure: models that are large, deep or full in one respect, made here. Each command ends with an answer or with a
# message that has a place, within a time limit and a limit of memory, also on a small stack.
use strict;
use warnings;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";

my $is_asan = $parvis =~ m{/asan/};
my $seconds = $is_asan ? 120 : 30;
my $memory_kb = $is_asan ? 'unlimited' : 4_000_000;
my $made = 0;

sub file {
    my ($ending, $text) = @_;
    my $path = "$tmp/" . ++$made . ".$ending";
    open my $out, '>', $path or die "$path: $!\n";
    print $out $text;
    close $out;
    return $path;
}

# Exit code and output; 124 is a run that took too long, above 128 one that crashed.
sub answer {
    my ($stack_kb, @command) = @_;
    my $line = join ' ', map { "'" . s/'/'\\''/gr . "'" } @command;
    my $text = `ulimit -v $memory_kb; ulimit -s $stack_kb; timeout $seconds '$parvis' $line 2>&1 < /dev/null`;
    return ($? & 127 ? 128 + ($? & 127) : $? >> 8, $text);
}

# The command ends with this code and says this.
sub ends {
    my ($what, $code, $says, @command) = @_;
    for my $stack_kb ($ENV{PARVIS_LONG} ? (8192, 1024) : 1024) {
        my ($got, $text) = answer($stack_kb, @command);
        my $ok = ok($got == $code && $text =~ $says, "$what, $stack_kb KB of stack");
        diag("exit code $got, not $code: " . substr($text, 0, 500)) if !$ok;
    }
}

# ---- many parameters: as many as one wants to write, up to a limit that is told

sub many_parameters {
    my ($n) = @_;
    my $params = join ' ', map { "p$_: 0..0;" } 1 .. $n;
    return <<"END";
type node: scalarset(2);
var x: array[node] of boolean; k: boolean;
startstate begin for n: node do x[n] := false; end; k := false; end;
ruleset n: node; $params do rule "enter" !k ==> begin x[n] := true; k := true; end; end;
ruleset n: node; $params do rule "leave" x[n] ==> begin x[n] := false; k := false; end; end;
invariant "two" forall a: node do forall b: node do x[a] & x[b] -> a = b end end;
END
}
ends('90 parameters are proved', 0, qr/two: holds for all sizes/, 'prove', file('m', many_parameters(90)));
ends('90 parameters are checked', 0, qr/two: holds/, 'check', file('m', many_parameters(90)));
ends('2000 parameters are refused', 2, qr/:4:\d+: error: a rule has more than 1024 parameters/, 'check',
    file('m', many_parameters(2000)));
my $starts = 'var x: 0..1; ruleset ' . join('; ', map { "p$_: 0..0" } 1 .. 40) .
    ' do startstate x := 0; end; end; rule "a" true ==> x := 1 - x; end;';
ends('40 parameters of a startstate', 0, qr/2 states/, 'check', file('m', $starts));

# ---- states too large

ends('an abstract model that is too large', 3, qr/some: unknown: the abstract model is too large/, 'prove',
    file('m', <<'END'), '--property', 'some');
type node: scalarset(2);
     idx: 0..65532;
var a: array[idx] of boolean;
    x: array[node] of boolean;
    k: boolean;
startstate begin
  for i: idx do a[i] := false; end;
  for n: node do x[n] := true; end;
  k := false;
end;
ruleset n: node do rule "r" x[n] ==> begin k := !k; end; end;
invariant "some" exists n: node do x[n] end;
invariant "other" exists n: node do x[n] | k end;
invariant "third" exists n: node do x[n] | !k end;
END

sub doubled {
    my ($n, $first) = @_;
    my $types = join "\n", map { "t$_: record a: t" . ($_ - 1) . '; b: t' . ($_ - 1) . '; end;' } 1 .. $n;
    return "type t0: $first;\n$types\nvar x: t$n; startstate clear x; end; rule \"a\" true ==> clear x; end;\n";
}
for my $n (20, 31, 32, 33, 64, 1000) {
    ends("a record doubled $n times", 2, qr/:18:6: error: a value of this type has more than 65536 cells/, 'check',
        file('m', doubled($n, '0..1')));
}
ends('an empty record doubled 100 times', 2, qr/error: a value of this type has more than 65536 cells/, 'check',
    file('m', doubled(100, 'record end')));
ends('a record doubled 5 times', 1, qr/1 state/, 'check', file('m', doubled(5, '0..1')));

# ---- functions in an alias around rules, as Rumur and CMurphi take them

my $alias = <<'END';
type P : 0..1;
var x : array [P] of boolean;
function other(p : P) : P; begin return 1 - p; end;
startstate for p : P do x[p] := false; end; end;
ruleset p : P do alias h : ALIAS do
rule "flip" !USE ==> begin x[p] := !x[p]; end;
end; end;
END
for my $pair (['other(p)', 'x[h]'], ['x[other(p)]', 'h'], ['other(other(other(p)))', 'x[h]']) {
    my $text = $alias =~ s/ALIAS/$pair->[0]/r =~ s/USE/$pair->[1]/r;
    ends("alias h : $pair->[0]", 0, qr/3 states, 4 transitions/, 'check', file('m', $text), '--symmetry', 'off');
}

# ---- long flat chains are taken, deep ones are refused where they become too deep

sub murphi {
    my ($condition, %with) = @_;
    my $type = $with{type} // 'boolean';
    my $start = $with{start} // 'true';
    my $body = $with{body} // 'x := x;';
    return "var x: $type; startstate x := $start; end;\nrule \"a\" true ==> $body end;\ninvariant \"i\" $condition;\n";
}

sub timed {
    my ($guard, $declared) = @_;
    return ($declared // 'int x;') .
        "\nprocess P() { state A; init A; trans A -> A { guard\n$guard; }; }\nsystem P;\n";
}

sub related {
    my ($condition, $body) = @_;
    $body //= 'p(t) := true';
    return "sort T\nsystem S {\n  rel p(T)\n  action a(t: T) { $body }\n  invariant i:\n    $condition\n}\n";
}

sub chain { my ($operator, $operand, $n) = @_; return join " $operator ", ($operand) x $n }

my @check = qw(check --deadlock none);
for my $n ($is_asan ? 20_000 : 200_000) {
    ends("$n Murphi conjuncts", 0, qr/i: holds/, @check, file('m', murphi(chain('&', 'x', $n))));
    ends("$n Murphi disjuncts", 0, qr/i: holds/, @check, file('m', murphi(chain('|', 'x', $n))));
    ends("$n Murphi summands", 0, qr/i: holds/, @check,
        file('m', murphi(chain('+', 'x', $n) . ' >= 0', type => '0..1000', start => '0')));
    ends("$n Murphi statements", 0, qr/i: holds/, @check,
        file('m', murphi('x <= 7', type => '0..7', start => '0', body => 'x := (x + 1) % 8; ' x $n)));
    ends("$n timed conjuncts", 0, qr/1 state/, 'check', file('xta', timed(chain('&&', 'x == 0', $n))));
    ends("$n clock bounds", 0, qr/1 state/, 'check', file('xta', timed(chain('&&', 'c <= 5', $n), 'clock c;')));
    ends("$n conjuncts of .pv", 0, qr/i: holds/, 'check', file('pv', related(chain('&', '(forall t: T. p(t) | !p(t))', $n))));
}
ends('a proof with 20000 conjuncts', 0, qr/i: holds for all/, 'prove',
    file('pv', related(chain('&', '(forall t: T. p(t) | !p(t))', 20000))));
ends('1000 comparisons in a row', 0, qr/i: holds/, @check, file('m', murphi(chain('=', 'x', 1000))));
ends('2000 elsifs', 0, qr/i: holds/, @check,
    file('m', murphi('x', body => 'if x then x := x; ' . 'elsif x then x := x; ' x 2000 . 'end;')));

my $deep = qr/:\d+:\d+: error: this is nested too deeply \(more than \d+ levels\)/;
for my $n ($ENV{PARVIS_LONG} ? 1_000_000 : 50_000) {
    my %bodies = (
        brackets => '(' x $n . 'x' . ')' x $n,
        negations => '!' x $n . 'x',
        minus => '- ' x $n . '1 < 5',
        quantifiers => 'forall i: 0..1 do ' x $n . 'x' . ' end' x $n,
        implications => chain('->', 'x', $n),
        choices => 'x ? x : ' x $n . 'x',
        differences => chain('-', '1', $n) . ' < 1',
        comparisons => chain('=', 'x', $n),
    );
    ends("Murphi: $n $_", 2, $deep, @check, file('m', murphi($bodies{$_}))) for sort keys %bodies;
    my %statements = (
        ifs => 'if x then ' x $n . 'x := x;' . ' end;' x $n,
        elsifs => 'if x then ' . 'x := x; elsif x then ' x $n . ' end;',
        whiles => 'while x do ' x $n . ' end;' x $n,
        loops => 'for i: 0..1 do ' x $n . ' end;' x $n,
    );
    ends("Murphi: $n $_", 2, $deep, @check, file('m', murphi('x', body => $statements{$_}))) for sort keys %statements;
    my %types = (arrays => 'array[0..0] of ' x $n . 'boolean', records => 'record a: ' x $n . 'boolean;' . ' end;' x $n);
    ends("Murphi: $n $_", 2, $deep, @check, file('m', murphi('x', type => $types{$_}))) for sort keys %types;
    my %guards = (
        brackets => '(' x $n . 'x == 0' . ')' x $n,
        negations => '!' x $n . '(x == 0)',
        choices => 'x == 0 ? true : ' x $n . 'true',
        indices => 'x' . '[0]' x $n . ' == 0',
        members => 'x' . '.a' x $n . ' == 0',
        quantifiers => 'forall (i : int[0,1]) ' x $n . 'true',
    );
    ends("timed: $n $_", 2, $deep, @check, file('xta', timed($guards{$_}))) for sort keys %guards;
    my %conditions = (
        brackets => '(' x $n . 'true' . ')' x $n,
        negations => '!' x $n . 'true',
        quantifiers => 'forall t: T. ' x $n . 'p(t)',
        implications => 'forall t: T. ' . chain('->', 'p(t)', $n),
    );
    ends(".pv: $n $_", 2, $deep, @check, file('pv', related($conditions{$_}))) for sort keys %conditions;
    ends(".pv: $n ifs", 2, $deep, @check, file('pv', related('true', 'if p(t) { ' x $n . '}' x $n)));
}

# Chains of definitions cost what their text costs: as trees these have 2^1500 nodes.
my $chained = "sort Thread\nsystem S {\n  rel p(Thread), q(Thread), r(Thread)\n  def d0(t: Thread) = p(t)\n" .
    join('', map { my $k = $_ - 1; "  def d$_(t: Thread) = (d$k(t) -> q(t)) & (d$k(t) | r(t))\n" } 1 .. 1500) .
    "  action a(t: Thread) when d1500(t) { p(t) := true }\n  invariant i: forall t: Thread. p(t) | !p(t) | q(t)\n}\n";
ends('1500 chained definitions are checked', 0, qr/i: holds/, 'check', file('pv', $chained));
my $chain = "sort T\nsystem S {\n  rel q(T)\n  def d0(t: T) = q(t)\n" .
    join('', map { my $k = $_ - 1; "  def d$_(t: T) = !d$k(t)\n" } 1 .. 100_000) .
    "  action go(t: T) when d100000(t) { q(t) := true }\n  invariant i: forall t: T. q(t) -> q(t)\n}\n";
ends("100,000 chained definitions, $_", 2, qr/definition 'd\d+' is too deep: more than \d+ levels/, $_, file('pv', $chain))
    for qw(check prove show);
ends('1500 chained definitions are proved', 0, qr/i: holds for all sizes/, 'prove', file('pv', $chained));

# ---- what a model may make us read, and what it may print

mkdir "$tmp/own";
mkdir "$tmp/own/sub";
mkdir "$tmp/other";
sub write_file { my ($path, $text) = @_; open my $out, '>', $path or die "$path: $!\n"; print $out $text; close $out; return $path }
my $other = "system Other { rel q }\n";
write_file("$tmp/other/o.pv", $other);
write_file("$tmp/other/secret.txt", "SECRET\n");
write_file("$tmp/own/sub/o.pv", $other);
symlink "$tmp/other/o.pv", "$tmp/own/link.pv";
symlink "$tmp/other/secret.txt", "$tmp/own/hidden.pv";
my $small = "system S { var x: 0..1  invariant i: x = 0 }\n";
my $using = write_file("$tmp/own/m.pv", '');
for my $path ('/proc/self/environ', '/etc/passwd', '../other/o.pv', "$tmp/other/o.pv", 'link.pv', 'hidden.pv', '../other/secret.txt',
    'sub/../../other/o.pv')
{
    write_file($using, "use \"$path\"\n$small");
    my ($code, $text) = answer(8192, 'check', $using);
    ok($code == 2 && $text =~ /m.pv:1:5: error: '[^']*' is not read/ && $text !~ /SECRET|root:|PATH=/, "use \"$path\" is refused");
}
write_file($using, "use \"sub/o.pv\"\n$small");
ends('a model below the folder is used', 0, qr/i: holds/, 'check', $using);
write_file($using, "use \"../other/o.pv\"\n$small");
ends('a model of a folder that is allowed', 0, qr/i: holds/, 'check', $using, '--allow', "$tmp/other");
write_file($using, "use \"../other/secret.txt\"\n$small");
ends('no model, though its folder is allowed', 2, qr/is not read/, 'check', $using, '--allow', "$tmp/other");
write_file($using, "use \"\e[2J\e]0;x\a.pv\"\n$small");
unlike((answer(8192, 'check', $using))[1], qr/[\x00-\x09\x0b-\x1f\x7f]/, 'no control characters of a path');

my $loud = file('m', "var x: 0..3;\nstartstate x := 0; end;\nrule \"a\e[31m%s%n\e]0;PWNED\a\x{7f}\xc2\x9b\" x < 3 ==> x := x+1; end;\n" .
    "rule \"e\" x = 3 ==> error \"\e[2J\"; end;\ninvariant \"in\e[2Jv%n%s%s\" x < 2;\nlemma \"l\e[2J\" x < 4;\n");
for my $command (['check'], ['check', '--json'], ['check', '--all-invariants'], ['show', '--dot'], ['show', '--lts'], ['show'], ['prove'], ['simulate'])
{
    my ($code, $text) = answer(8192, @$command, $loud);
    ok($text !~ /[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/, "@$command: no control characters of names");
}

# ---- how the program is built

SKIP: {
    skip 'the sanitizer build has other checks', 4 if $is_asan;
    my $elf = `readelf -lW '$parvis' 2>/dev/null` . `readelf -dW '$parvis'` . `readelf -sW '$parvis'`;
    like($elf, qr/GNU_RELRO/, 'relocations are read-only');
    like($elf, qr/\bBIND_NOW\b|Flags:.*\bNOW\b/, 'they are done before main');
    like($elf, qr/__stack_chk_fail/, 'stacks are protected');
    like($elf, qr/__(?:memcpy|snprintf|vsnprintf|printf|fprintf|read)_chk/, 'buffers have known sizes');
}

# ---- depth that no text has: bodies executed while they are read, and pieces put together

ends('a function of 200,000 rounds in an invariant', 2, qr/:3:15: error: a function called here .* too long to be part of an expression/,
    @check, file('m', 'var x: 0..3; function f(): 0..6; var y: 0..6; begin y := x; for i: 0..1000 do for j: 0..200 do ' .
        "y := (y + x + i) % 7; end; end; return y; end;\nstartstate x := 0; end; rule x < 3 ==> x := x + 1; end;\ninvariant \"i\" f() < 7;\n"));
ends('a timed function of 10,000 rounds in a guard', 2, $deep, 'check',
    file('xta', timed('f() < 7', 'int[0,3] x; int f() { int[0,6] y = x; int i; int j; for (i = 0; i < 100; i++) ' .
            'for (j = 0; j < 100; j++) y = (y + x + i) % 7; return y; }')));
ends('timed functions that call two each', 0, qr/1 state up to symmetry/, 'check',
    file('xta', timed('f400()', 'int[0,3] x; bool f0() { return x < 3; }' .
            join('', map { my $k = $_ - 1; " bool f$_() { return f$k() || !f$k(); }" } 1 .. 400))));
ends('timed functions that call two each and write', 2, qr/calls lead to more than 100000 others/, 'check',
    file('xta', 'int[0,3] x; void f0() { x = 0; }' .
            join('', map { my $k = $_ - 1; " void f$_() { f$k(); f$k(); }" } 1 .. 38) .
            ' process P() { state A; init A; trans A -> A { assign f38(); }; } system P;'), '--query', 'A[] x < 3');
ends('a timed function that calls itself', 2, qr/:1:\d+: error: recursion is not supported/, 'check',
    file('xta', timed('f(3)', 'bool f(int[0,9] k) { return k == 0 || f(k - 1); }')));
my @pieces = map { ("immutable relation q$_()", "init q$_() -> (p(X) <-> X = X)") } 1 .. 20_000;
ends('20,000 pieces of one relation', 0, qr/safety1/, 'show', file('pyv', join "\n", 'sort t', 'mutable relation p(t)', @pieces, 'safety p(X) | !p(X)'));

# ---- many declarations: time is linear in the text. Each of these takes a fraction of a second; what is quadratic takes
# many more than the limit.

my $murphi_head = "var x: 0..3; b: boolean; startstate \"first\" x := 0; b := true; end;\n";
my $murphi_tail = "\nrule \"go\" x < 3 ==> x := x + 1; end; invariant \"i\" x < 4;\n";
my $murphi_body = "$murphi_head rule \"z\" true ==> begin ";
my $pv_head = "sort T\nsystem S {\n  rel p(T)\n  var x: 0..3\n";
my $pv_tail = "\n  action go(t: T) when !p(t) { p(t) := true }\n  invariant i: x < 4\n}\n";
my $timed_head = 'int[0,3] x; clock c; chan a; ';
my $process = 'process P() { state A { c <= 5 }, B; init A; trans A -> B { guard c >= 1; assign x = 1; }';
my $timed_tail = '; } system P;';
my $pyv_head = "sort t\nmutable relation p(t)\ninit !p(X)\n";
my $pyv_tail = "\ntransition go(a: t)\n modifies p\n new(p(X)) <-> p(X) | X = a\nsafety p(X) | !p(X)\n";
my $xml_head = "<?xml version='1.0'?><nta><declaration>int x; clock c;</declaration>";
my $xml_process = "<template><name>P</name><location id='l1'/><init ref='l1'/>";
my $xml_tail = '</template><system>system P;</system></nta>';

# In an item # is its number, @ the number before it. What follows may repeat: <ITEM>SEPARATOR*.
sub repeated { my ($item, $between, $n) = @_; return join $between, map { my $k = $_; $item =~ s/#/$k/gr =~ s/\@/$k - 1/egr } 1 .. $n }
sub whole { my ($n, $text) = @_; return $text =~ s/<<(.*?)>>(?!>)([^*]*)\*/repeated($1, $2, $n)/egsr }

# [format, what is many, the text with <<item>>separator* in it]
my @many = (
    ['m', 'variables', "var <<v#: boolean;>> * $murphi_body <<v# := true;>> * end;$murphi_tail"],
    ['m', 'constants', "const c0: 1; <<c#: c@ + 1;>> *$murphi_head$murphi_tail"],
    ['m', 'types', "type t0: 0..1; <<t#: t@;>> *$murphi_head$murphi_tail"],
    ['m', 'scalarsets', "type <<t#: scalarset(2);>> *$murphi_head$murphi_tail"],
    ['m', 'values', "type e: enum { <<l#>>, * }; var q: e;$murphi_head$murphi_tail"],
    ['m', 'fields', "var v: record <<f#: boolean;>> * end;$murphi_body <<v.f# := true;>> * end;$murphi_tail"],
    ['m', 'multisets', "var <<v#: multiset[2] of boolean;>> *$murphi_head$murphi_tail"],
    ['m', 'locals', "$murphi_head rule \"z\" true ==> var <<p#: boolean;>> * begin p1 := true; end;$murphi_tail"],
    ['m', 'aliases', "$murphi_body alias <<p#: x>>; * do p1 := 0; end; end;$murphi_tail"],
    ['m', 'cases', "$murphi_body switch x <<case #: x := 0;>> * end; end;$murphi_tail"],
    ['m', 'values of a case', "$murphi_body switch x case <<#>>, *: x := 1; end; end;$murphi_tail"],
    ['m', 'ifs', "$murphi_body <<if x = # then x := 0; end;>> * end;$murphi_tail"],
    ['m', 'rules', "$murphi_head<<rule \"r#\" x = # % 4 ==> x := 0; end;>> *$murphi_tail"],
    ['m', 'rules of one name', "$murphi_head<<rule \"r\" x = # % 4 ==> x := 0; end;>> *$murphi_tail"],
    ['m', 'start states', "$murphi_head<<startstate \"s#\" x := 1; b := true; end;>> *$murphi_tail"],
    ['m', 'invariants', "$murphi_head<<invariant \"v#\" x < 9;>> *$murphi_tail"],
    ['m', 'functions', "$murphi_head<<function f#(y: boolean): boolean; begin return y; end;>> * rule \"z\" true ==> <<b := f#(b);>> * end;$murphi_tail"],
    ['m', 'parameters', "$murphi_head function f(<<p#: boolean>>; *): boolean; begin return p1; end;$murphi_tail"],
    ['pv', 'sorts', "<<sort S#>>\n*\n$pv_head$pv_tail"],
    ['pv', 'enums', "<<enum E# { l# }>>\n*\n$pv_head$pv_tail"],
    ['pv', 'constants', "const k0 = 0\n<<const k# = k@>>\n*\n$pv_head$pv_tail"],
    ['pv', 'systems', "<<system S# { rel p }>>\n*\n$pv_head$pv_tail"],
    ['pv', 'compositions', "<<system S# { rel p# }\ncompose C# = S# || S>>\n*\n$pv_head$pv_tail"],
    ['pv', 'variables', "$pv_head<<var r#: 0..3 = 0>>\n*  action z { <<r# := 1>>; * }$pv_tail"],
    ['pv', 'relations', "$pv_head<<rel r#(T)>>\n*$pv_tail"],
    ['pv', 'definitions', "$pv_head<<def d#(t: T) = p(t)>>\n*  invariant z: forall t: T. <<d#(t)>> & * | x < 4$pv_tail"],
    ['pv', 'procs', "$pv_head<<proc d#(t: T) { x := 1 }>>\n*$pv_tail"],
    ['pv', 'actions', "$pv_head<<action a#(t: T) { p(t) := true }>>\n*$pv_tail"],
    ['pv', 'invariants', "$pv_head<<invariant v#: x < 4>>\n*$pv_tail"],
    ['xta', 'variables', "$timed_head int[0,1] <<v#>>, *;$process, A -> A { assign <<v# = 1>>, *; }$timed_tail"],
    ['xta', 'constants', "$timed_head const int v0 = 0; <<const int v# = v@;>> *$process$timed_tail"],
    ['xta', 'types', "$timed_head typedef int[0,1] t0; <<typedef t@ t#;>> *$process$timed_tail"],
    ['xta', 'fields', "$timed_head struct { <<int[0,1] f#;>> * } s;$process, A -> A { assign <<s.f# = 1>>, *; }$timed_tail"],
    ['xta', 'channels', "$timed_head chan <<v#>>, *;$process <<, A -> A { sync v#!; }>> *; } process Q() { state A; init A; trans <<A -> A { sync v#?; }>>, *; } system P, Q;", 16_000],
    ['xta', 'functions', "$timed_head<<void f#() { x = 1; }>> *$process, A -> A { assign <<f#()>>, *; }$timed_tail"],
    ['xta', 'branches', "$timed_head void f() { <<if (x == #) x = 0;>> * }$process, A -> A { assign f(); }$timed_tail"],
    ['xta', 'locals', "$timed_head int f() { <<int y# = 1;>> * return 1; }$process, A -> A { assign x = f(); }$timed_tail"],
    ['xta', 'locations', "process P() { state <<L#>>, *; commit <<L#>>, *; init L1; trans <<L# -> L#  { }>>, *; } system P;", 20_000],
    ['xta', 'edges', "$timed_head$process<<, A -> A { guard x == #; }>> *$timed_tail", 19_000],
    ['xta', 'processes', "$timed_head<<process Q#() { state A; init A; }>> *$process$timed_tail"],
    ['xta', 'instances', "$timed_head$process; } <<P# := P();>> * system P;"],
    ['xml', 'labels', "$xml_head$xml_process<<<transition><source ref='l1'/><target ref='l1'/><label kind='guard'>x == #</label></transition>>>\n*$xml_tail", 20_000],
    ['xml', 'locations', "$xml_head$xml_process<<<location id='m#'><name>N#</name><label kind='invariant'>c &lt;= 5</label></location>>>\n*$xml_tail"],
    ['xml', 'templates', "$xml_head<<<template><name>Q#</name><location id='m#'/><init ref='m#'/></template>>>\n*$xml_process$xml_tail"],
    ['ix', 'rules', "interchange a\nuse structural\n<<forbid r#: read(p, x) & p != q & commit(q)>>\n*\n", 4_000],
    ['pyv', 'sorts', "$pyv_head<<sort s#>>\n*$pyv_tail"],
    ['pyv', 'constants', "$pyv_head<<immutable constant r#: t>>\n*$pyv_tail"],
    ['pyv', 'relations', "$pyv_head<<mutable relation r#(t)\ninit !r#(X)>>\n*$pyv_tail"],
    ['pyv', 'initial conditions', "$pyv_head<<init !p(X)>>\n*$pyv_tail"],
    ['pyv', 'definitions', "$pyv_head<<definition d#(a: t) = p(a)>>\n*\ninvariant <<(d#(X) | !p(X))>> & *$pyv_tail"],
    ['pyv', 'transitions', "$pyv_head<<transition z#(a: t)\n modifies p\n new(p(X)) <-> p(X) | X = a>>\n*$pyv_tail"],
    ['pyv', 'invariants', "$pyv_head<<invariant [v#] p(X) | !p(X)>>\n*$pyv_tail"],
);
my $cpu = $is_asan ? 60 : 3;
for my $row (@many) {
    my ($ending, $what, $text, $most) = @$row;
    my $n = $is_asan ? 2_000 : $most // 50_000;
    my $path = file($ending, whole($n, $text));
    # Timed models are read to their end by a query that is wrong.
    my ($code_wanted, @command) = $ending =~ /^x/ ? (2, 'check', '--query', 'E<> nobody') : (0, 'show');
    my $said = `ulimit -v $memory_kb; ulimit -t $cpu; '$parvis' @{[map { "'$_'" } @command]} '$path' 2>&1 < /dev/null`;
    my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my $is_read = $code == $code_wanted && ($code == 0 || $said =~ /--query:1:5: error: 'nobody' is not declared/);
    ok($is_read, "$n $what of .$ending: read within $cpu s of processor time") or diag("exit code $code: " . substr($said, 0, 300));
    unlink $path;
}

# What comes after reading: where cells lie, which elements and data are alike, how queries are named.
my @searched = (
    ['m', 'multisets', "var <<v#: multiset[2] of boolean;>> *$murphi_head$murphi_tail"],
    ['m', 'fields', "var v: record <<f#: boolean;>> * end;$murphi_body <<v.f# := true;>> * end;$murphi_tail"],
    ['pv', 'relations', "$pv_head<<rel r#(T)>>\n*$pv_tail"],
    ['xta', 'variables', "$timed_head int[0,1] <<v#>>, *;$process$timed_tail"],
    ['xta', 'edges', "$timed_head$process<<, A -> A { guard x == #; }>> *$timed_tail"],
    ['xml', 'queries', "$xml_head$xml_process</template><system>system P;</system><queries><<<query><formula>A[] x == 0</formula></query>>>\n*</queries></nta>"],
    ['pyv', 'relations', "$pyv_head<<mutable relation r#(t)\ninit !r#(X)>>\n*$pyv_tail"],
);
for my $row ($is_asan ? () : @searched) {
    my ($ending, $what, $text) = @$row;
    my $path = file($ending, whole(10_000, $text));
    my $said = `ulimit -v $memory_kb; ulimit -t $cpu; '$parvis' check --deadlock none --limit-states 100 '$path' 2>&1 < /dev/null`;
    my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    ok($code == 0 || $code == 3, "10000 $what of .$ending: searched within $cpu s of processor time") or diag("exit code $code: " . substr($said, 0, 300));
    unlink $path;
}

done_testing();
