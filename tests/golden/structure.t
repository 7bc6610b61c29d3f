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

# ---- many declarations: the time is linear in the text, so a few seconds are enough for all of these

sub many { my ($make, $n) = @_; return join "\n", map { $make->($_) } 1 .. $n }

my %murphi_many = (
    rules => sub { "rule \"r$_[0]\" x = $_[0] % 4 ==> x := 0; end;" },
    'rules of one name' => sub { 'rule "r" x = 1 ==> x := 0; end;' },
    'start states' => sub { "startstate \"s$_[0]\" x := 1; end;" },
    invariants => sub { "invariant \"v$_[0]\" x < 9;" },
    functions => sub { "function f$_[0](y: boolean): boolean; begin return y; end;" },
    procedures => sub { "procedure f$_[0](); begin x := 0; end;" },
);
my %pv_many = (
    invariants => sub { "invariant v$_[0]: true" },
    actions => sub { "action a$_[0](t: T) { p(t) := true }" },
    definitions => sub { "def d$_[0](t: T) = p(t)" },
);
for my $n ($is_asan ? 2_000 : 20_000) {
    my @limits = (@check, '--limit-time', '120s');
    my $first = "var x: 0..3; startstate \"first\" x := 0; end;\n";
    my $last = "\nrule \"go\" x < 3 ==> x := x + 1; end; invariant \"i\" x < 4;\n";
    ends("$n Murphi $_", 0, qr/i: holds/, @limits, file('m', $first . many($murphi_many{$_}, $n) . $last))
        for sort keys %murphi_many;
    ends("$n Murphi rules in one line", 0, qr/i: holds/, @limits,
        file('m', $first . 'rule x = 1 ==> x := 0; end; ' x $n . $last));
    ends("$n $_ of .pv", 0, qr/i: holds/, @limits,
        file('pv', "sort T\nsystem S {\n  rel p(T)\n" . many($pv_many{$_}, $n) . "\n  invariant i: true\n}\n"))
        for sort keys %pv_many;
    ends("$n values of an enum", 0, qr/i: holds/, @limits,
        file('pv', 'enum E { ' . join(', ', map { "l$_" } 1 .. $n) . " }\nsort T\nsystem S {\n  rel p(T)\n" .
            "  var e: E = l1\n  invariant i: true\n}\n"));
}

done_testing();
