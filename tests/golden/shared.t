#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# shared: chains of 100 definitions, each of which uses the one before twice. As trees they have 2^100 nodes; every
# command takes them as what they are, 100 lines. (Calls of Murphi below quantifiers with ever more variables are refused
# where they are many.) Then wide ones: 440 definitions, each of which uses all before it, are 10^5 nodes and more than
# 10^30 as trees; and a body of 10^5 nodes. At last procedures, whose statements `show` cannot name.
use strict;
use warnings;
use JSON::PP;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";
my $is_asan = $parvis =~ m{/asan/};    # a sanitizer takes all addresses there are
my $seconds = $is_asan ? 240 : 90;
my $room = $is_asan ? '' : 'ulimit -v 4000000;';
our $links = 100;

# ---- the models: p, q and r of two threads; the last definition guards one step and is written by another

# How a definition uses the one before: as it is, below `forall`, below `exists` with the parameter as well.
my %uses = (
    plain => sub { my ($f) = @_; return ('', $f->('t'), $f->('t'), 't') },
    forall => sub { my ($f) = @_; return ('forall', $f->('u'), $f->('u'), 'u') },
    exists => sub { my ($f) = @_; return ('exists', $f->('u'), $f->('t'), 'u') },
);

sub chain {
    my ($use, $line) = @_;
    return join "\n", map { my $k = $_ - 1; $line->($_, $uses{$use}->(sub { "d$k($_[0])" })) } 1 .. $links;
}

sub pv {
    my ($use) = @_;
    my $defs = chain($use, sub {
        my ($i, $word, $a, $b, $v) = @_;
        return "  def d$i(t: T) = " . ($word ? "$word u: T. " : '') . "($a -> q(t)) & ($b | r($v))";
    });
    return <<"END";
sort T
system S {
  rel q(T), r(T)
  var p(T): bool = true
  def d0(t: T) = p(t)
$defs
  action a(t: T) when d$links(t) { p(t) := true }
  action b(t: T) { q(t) := !q(t) }
  action c(t: T) when p(t) { r(t) := d$links(t) }
  invariant i: forall t: T. r(t) -> p(t)
  invariant j: forall t: T. d$links(t) -> d$links(t) | p(t)
}
END
}

sub pyv {
    my ($use) = @_;
    my $defs = chain($use, sub {
        my ($i, $word, $a, $b, $v) = map { s/\bu\b/U/gr } @_;
        return "definition d$i(t: T) = " . ($word ? "$word U: T. " : '') . "($a -> q(t)) & ($b | r($v))";
    });
    return <<"END";
sort T
mutable relation p(T)
mutable relation q(T)
mutable relation r(T)
init p(X) & !q(X) & !r(X)
definition d0(t: T) = p(t)
$defs
transition a(t: T)
  modifies p
  d$links(t) & (forall X. new(p(X)) <-> p(X) | X = t)
transition b(t: T)
  modifies q
  (forall X. new(q(X)) <-> (if X = t then !q(X) else q(X)))
transition c(t: T)
  modifies r
  p(t) & (forall X. new(r(X)) <-> (if X = t then d$links(t) else r(X)))
safety [i] r(X) -> p(X)
END
}

sub murphi {
    my ($use) = @_;
    my $defs = chain($use, sub {
        my ($i, $word, $a, $b, $v) = @_;
        my $body = "($a -> q[t]) & ($b | r[$v])";
        $body = "$word u: T do $body end" if $word;
        return "function d$i(t: T): boolean; begin return $body; end;";
    });
    return <<"END";
type T: scalarset(2);
var p, q, r: array[T] of boolean;
function d0(t: T): boolean; begin return p[t]; end;
$defs
startstate for t: T do p[t] := true; q[t] := false; r[t] := false; end; end;
ruleset t: T do
rule "a" d$links(t) ==> p[t] := true; end;
rule "b" true ==> q[t] := !q[t]; end;
rule "c" p[t] ==> r[t] := d$links(t); end;
end;
invariant "i" forall t: T do r[t] -> p[t] end;
END
}

sub timed {
    my ($use) = @_;
    my $defs = chain($use, sub {
        my ($i, $word, $a, $b, $v) = @_;
        return "bool d$i(int[0,1] t) { return " . ($word ? "$word (u: int[0,1]) " : '') .
            "((!$a || q[t]) && ($b || r[$v])); }";
    });
    return <<"END";
bool p[2] = {true, true}, q[2], r[2];
bool d0(int[0,1] t) { return p[t]; }
$defs
process P(const int[0,1] t) {
clock x; state A; init A;
trans
A -> A { guard d$links(t) && x > 1; assign p[t] := true, x := 0; },
A -> A { guard x < 3; assign q[t] := !q[t]; },
A -> A { guard p[t]; assign r[t] := d$links(t); };
}
system P;
END
}

# ---- commands

sub file {
    my ($name, $text) = @_;
    open my $out, '>', "$tmp/$name" or die "$tmp/$name: $!\n";
    print $out $text;
    close $out;
    return "$tmp/$name";
}

sub answer {
    my (@command) = @_;
    my $line = join ' ', map { "'" . s/'/'\\''/gr . "'" } @command;
    my $text = `$room timeout $seconds '$parvis' $line 2>&1 < /dev/null`;
    return ($? >> 8, $text);
}

sub ends {
    my ($what, $says, @command) = @_;
    my ($code, $text) = answer(@command);
    my $ok = ok($code == ($says =~ /error/ ? 2 : 0) && $text =~ $says, $what);
    diag("exit code $code: " . substr($text, 0, 500)) if !$ok;
    return $text;
}

# What a chain says is known from elsewhere: a search with the definitions worked out by hand.
sub reachable {
    my ($use, $value) = @_;
    $value //= sub {
        my ($s, $of) = @_;
        my @d = map { $s->{p}[$_] } 0, 1;
        for (1 .. $links) {
            my @next;
            for my $t (0, 1) {
                my @each = map {
                    my ($a, $b, $v) = $use eq 'plain' ? ($t, $t, $t) : $use eq 'forall' ? ($_, $_, $_) : ($_, $t, $_);
                    ((!$d[$a] || $s->{q}[$t]) && ($d[$b] || $s->{r}[$v])) ? 1 : 0
                } $use eq 'plain' ? (0) : (0, 1);
                $next[$t] = $use eq 'forall' ? !(grep { !$_ } @each) : !!(grep { $_ } @each);
            }
            @d = @next;
        }
        return $d[$of] ? 1 : 0;
    };
    my %seen;
    my @todo = ([1, 1, 0, 0, 0, 0]);
    while (my $c = pop @todo) {
        next if $seen{"@$c"}++;
        my $s = {p => [@$c[0, 1]], q => [@$c[2, 3]], r => [@$c[4, 5]]};
        for my $t (0, 1) {
            my $d = $value->($s, $t);
            push @todo, [map { $_ == $t ? 1 : $c->[$_] } 0 .. 5] if $d;
            push @todo, [map { $_ == 2 + $t ? 1 - $c->[$_] : $c->[$_] } 0 .. 5];
            push @todo, [map { $_ == 4 + $t ? $d : $c->[$_] } 0 .. 5] if $c->[$t];
        }
    }
    return scalar keys %seen;
}

for my $use (sort keys %uses) {
    my $states = reachable($use);
    my %model = (pv => file("$use.pv", pv($use)), pyv => file("$use.pyv", pyv($use)), m => file("$use.m", murphi($use)),
        xta => file("$use.xta", timed($use)));
    for my $kind (qw(pv pyv)) {
        ends("$use.$kind: check finds $states states", qr/i: holds.*?\b$states states,/s, 'check', $model{$kind},
            '--symmetry', 'off');
    }
    # Murphi: what a function is for the same arguments is one expression; below `exists` there are ever more arguments.
    my $shares = $use ne 'exists';
    ends("$use.m: check", $shares ? qr/i: holds.*?\b$states states,/s : qr/:\d+:\d+: error: calls lead to more than 100000 others/,
        'check', $model{m}, '--symmetry', 'off');
    if ($shares) {
        ends("$use.m: prove", qr/i: holds for all sizes/, 'prove', $model{m}, '--certificate', "$tmp/cmp");
        ends("$use.m: recheck of a proof", qr/i: confirmed/, 'recheck', "$tmp/cmp") if $use eq 'plain';
    }
    ends("$use.xta: check", qr/holds/, 'check', $model{xta}, '--query', 'A[] forall (t: int[0,1]) (!r[t] || p[t])',
        '--certificate', "$tmp/zones");
    ends("$use.xta: recheck", qr/holds, confirmed/, 'recheck', "$tmp/zones");
    # p stays true, and where it is a step is possible at any time.
    ends("$use.xta: $_", qr/holds/, 'check', $model{xta}, '--query', $_) for 'A[] not deadlock', 'A<> p[0]';
    ends("$use: compare", qr/holds/, 'compare', "$model{pv}:S", "$model{pv}:S", '--size', 'T=2');
    ends("$use: simulate", qr/b\(1\)/, 'simulate', $model{pv});
    ends("$use: minimize", qr/minimal automaton/, 'minimize', $model{pv});
    ends("$use: check --certificate", qr/i: holds/, 'check', $model{pv}, '--certificate', "$tmp/set");
    ends("$use: recheck of states", qr/i: confirmed/, 'recheck', "$tmp/set");
    ends("$use.pyv: prove", qr/i: holds for all sizes/, 'prove', file('prove.pyv', pyv($use)), '--certificate',
        "$tmp/proof");
    ends("$use.pyv: recheck of a proof", qr/i: confirmed/, 'recheck', "$tmp/proof") if $use eq 'plain';
    for my $kind (qw(pv pyv)) {
        my $text = ends("$use.$kind: show", qr/system/, 'show', $model{$kind});
        my $again = ends("$use.$kind: show reads back", qr/system/, 'show', file('again.pv', $text));
        ok($again eq $text, "$use.$kind: and gives the same text");
        ends("$use.$kind: and has the same states", qr/i: holds.*?\b$states states,/s, 'check', "$tmp/again.pv",
            '--symmetry', 'off');
    }
}
ends('a lemma that is a chain is proved', qr/j: holds for all sizes/, 'prove', "$tmp/plain.pv", '--property', 'j',
    '--certificate', "$tmp/proof");
ends('and rechecked', qr/j: confirmed/, 'recheck', "$tmp/proof");

# Whatever S does, R allows: every step is one of R's.
my $any = join "\n", map { "  action $_(t: T) when true { x(t) := x(t) }" } qw(a b c);
my $refines = file('refines.pv', pv('plain') . "system R {\n  rel x(T)\n$any\n}\nproperty z: S refines R\n");
ends("refines: $_", qr/z: holds/, $_, $refines, '--property', 'z') for qw(check prove);

# Two states: as a tree the step has 2^100 conjuncts.
my $pairs = join "\n", map { my $k = $_ - 1; "twostate definition d$_(t: T) = (q(t) -> d$k(t)) & (r(t) -> d$k(t))" } 1 .. $links;
my $step = <<"END";
sort T
mutable relation p(T)
mutable relation q(T)
mutable relation r(T)
init p(X) & !q(X) & !r(X)
twostate definition d0(t: T) = new(p(t))
$pairs
transition a(t: T)
  modifies p
  d$links(t) & (forall X. X != t -> (new(p(X)) <-> p(X)))
safety [i] q(X) -> p(X)
safety [j] p(X)
END
my ($exit, $said) = answer('prove', file('step.pyv', $step));
ok($exit == 3 && $said =~ /^i: holds for all sizes$/m && $said =~ /^j: unknown/m, 'a step that is a chain: what it leaves open is open')
    or diag("exit code $exit: " . substr($said, 0, 500));

# Numbers: what is computed from arguments alone.
(my $product = pv('plain')) =~ s/  def d0\(.*(?=  action a)//s;
$product =~ s/  (?=action a)/"  rel s(T, 0..1)\n  def d0(k: 0..1): 0..1 = k\n" . join('', map { my $k = $_ - 1; "  def d$_(k: 0..1): 0..1 = d$k(k) * d$k(k)\n" } 1 .. $links) . '  '/e;
$product =~ s/action a.*?\n.*?\n.*?\n.*?\n.*?\n/action a(t: T, k: 0..1) when d$links(k) = 0 { s(t, d$links(k)) := true }\n  invariant i: forall t: T. !s(t, 1)\n/;
ends("a number that is a chain: $_", qr/i: holds/, 'prove', file('product.pv', $product), split ' ', $_) for '', '--given';

# Constants are chosen before a search, by an evaluation of their own.
my $constants = join "\n  ", map { "const $_(T): bool" } qw(p q r);
my $axioms = pv('exists') =~ s/rel q\(T\), r\(T\)\n  var p\(T\): bool = true/$constants/r =~ s/  action a.*//sr . "  rel s(T)\n  axiom x: forall t: T. d$links(t)\n" .
    "  action a(t: T) when q(t) { s(t) := true }\n  invariant i: forall t: T. s(t) -> q(t)\n}\n";
ends('an axiom that is a chain is checked', qr/i: holds/, 'check', file('axiom.pv', $axioms));

# ---- wide: each definition uses all before it, in turn below an implication and a disjunction

sub wide {
    my ($line, $imply, $or, $and, $call) = @_;
    return join '', map {
        my $i = $_;
        $line->($i, join $and, map { ($i + $_) % 2 ? $imply->($call->($_)) : $or->($call->($_)) } 0 .. $i - 1)
    } 1 .. 440;
}

my %known;
sub wide_value {
    my ($s, $t) = @_;
    my ($p, $q, $r) = map { $s->{$_}[$t] } qw(p q r);
    return $known{"$p$q$r"} //= do {
        my @d = ($p);
        for my $i (1 .. 440) { push @d, (grep { ($i + $_) % 2 ? $d[$_] && !$q : !$d[$_] && !$r } 0 .. $i - 1) ? 0 : 1 }
        $d[-1];
    };
}

my $logic = sub { my ($line) = @_; wide($line, sub { "($_[0] -> q(t))" }, sub { "($_[0] | r(t))" }, ' & ', sub { "d$_[0](t)" }) };
{
    local $links = 440;
    my %wide = (
        pv => pv('plain') =~ s/  def d1\(.*?\n(?=  action)/$logic->(sub { "  def d$_[0](t: T) = $_[1]\n" })/sre =~ s/  invariant j.*\n//r,
        pyv => pyv('plain') =~ s/definition d1\(.*?\n(?=transition)/$logic->(sub { "definition d$_[0](t: T) = $_[1]\n" })/sre,
        xta => timed('plain') =~ s/bool d1\(.*?\n(?=process)/wide(sub { "bool d$_[0](int[0,1] t) { return $_[1]; }\n" },
            sub { "(!$_[0] || q[t])" }, sub { "($_[0] || r[t])" }, ' && ', sub { "d$_[0](t)" })/sre,
    );
    my %file = map { $_ => file("wide.$_", $wide{$_}) } keys %wide;
    cmp_ok(scalar(() = $wide{$_} =~ /\bd\d+\(t\)/g), '>', 96_000, "wide.$_ has so many uses") for sort keys %wide;
    my $states = reachable('wide', \&wide_value);
    ends("wide.$_: check finds $states states", qr/i: holds.*?\b$states states,/s, 'check', $file{$_}, '--symmetry', 'off') for qw(pv pyv);
    ends('wide.xta: check', qr/holds/, 'check', $file{xta}, '--query', 'A[] forall (t: int[0,1]) (!r[t] || p[t])',
        '--certificate', "$tmp/zones");
    ends('wide.xta: recheck', qr/holds, confirmed/, 'recheck', "$tmp/zones");
    ends("wide.xta: $_", qr/holds/, 'check', $file{xta}, '--query', $_) for 'A[] not deadlock', 'A<> p[0]';
    ends('wide: compare', qr/holds/, 'compare', "$file{pv}:S", "$file{pv}:S", '--size', 'T=2');
    ends('wide: check with a page and a certificate', qr/i: holds/, 'check', $file{pv}, '--certificate', "$tmp/set", '--report', "$tmp/page.html");
    ends('wide: recheck of states', qr/i: confirmed/, 'recheck', "$tmp/set");
    ends('wide.pyv: prove', qr/i: holds for all sizes/, 'prove', $file{pyv}, '--certificate', "$tmp/proof");
    ends('wide.pyv: recheck of a proof', qr/i: confirmed/, 'recheck', "$tmp/proof");
    ends('wide.pyv: prove --given', qr/i: holds for all sizes/, 'prove', $file{pyv}, '--given');
    ends('wide.pv: prove', qr/i: holds for all sizes/, 'prove', $file{pv});
    ends('wide.pv: simulate', qr/b\(1\)/, 'simulate', $file{pv});
    ends('wide.pv: minimize', qr/minimal automaton/, 'minimize', $file{pv});
    ends('wide.pv: show', qr/system/, 'show', $file{pv});
    my $message = sub { my $text = JSON::PP->new->utf8->encode($_[0]); 'Content-Length: ' . length($text) . "\r\n\r\n$text" };
    file('session', join '', map { $message->({jsonrpc => '2.0', %$_}) }
        {id => 1, method => 'initialize', params => {capabilities => {}}},
        {method => 'textDocument/didOpen', params => {textDocument => {uri => "file://$file{pv}", languageId => 'pv', version => 1, text => $wide{pv}}}},
        {id => 2, method => 'textDocument/documentSymbol', params => {textDocument => {uri => "file://$file{pv}"}}},
        {id => 3, method => 'shutdown'}, {method => 'exit'});
    my $said = `$room timeout $seconds '$parvis' lsp < '$tmp/session' 2>&1`;
    like($said, qr/"diagnostics":\s*\[\].*"d440"/s, 'wide.pv: the editor has no mistakes and an outline');
}

# A body of 25,000 statements with a condition each: `check` and the compositional method.
my $body = join '', map { "if x = $_ & q[t] then r[t] := !r[t]; end;\n" } 0 .. 24_999;
my $large = file('body.m', <<"END");
type T: scalarset(2);
var q, r: array[T] of boolean;
var x: 0..25000;
startstate for t: T do q[t] := false; r[t] := false; end; x := 0; end;
ruleset t: T do
rule "b" true ==> q[t] := !q[t]; end;
rule "a" true ==> begin
${body}end;
end;
invariant "i" forall t: T do r[t] -> x = 0 end;
END
ends('a large body: check', qr/i: holds.*?\b16 states,/s, 'check', $large, '--symmetry', 'off');
ends('a large body: prove', qr/i: holds for all sizes/, 'prove', $large);

# Procedures that call the one before twice: `show` writes a statement that is there already as the line where it is.
# With each line put in for these, there are as many additions as calls of the first procedure.
sub additions {
    my ($lines, $from, $known) = @_;
    return $known->{$from} if defined $known->{$from};
    my ($indent) = $lines->[$from] =~ /^( *)/;
    my $n = 0;
    for (my $i = $from; $i == $from || $lines->[$i] =~ /^$indent(?: |\} else)/; $i++) {
        $n++ if $lines->[$i] =~ /:= x\(\w\) \+ 1$/;
        my ($at) = $lines->[$i] =~ /^ *… \/\/ as in line (\d+)$/ or next;
        return $known->{$from} = -1e9 if $at > $i || $lines->[$at - 1] !~ /^ *(?:if|sequence|forall) /;
        $n += additions($lines, $at - 1, $known);
    }
    return $known->{$from} = $n;
}
for my $calls (3, 14, 100) {
    my $procedures = join '', map { my $k = $_ - 1; "procedure p$_(a: 0..3); begin p$k(a); if y then p$k(a); end; end;\n" } 1 .. $calls;
    my $file = file('calls.m', <<"END");
var x: array[0..3] of 0..7; y: boolean;
procedure p0(a: 0..3); begin if x[a] < 7 then x[a] := x[a] + 1; else x[a] := 0; end; end;
${procedures}startstate begin for i: 0..3 do x[i] := 0; end; y := false; end;
ruleset i: 0..3 do rule "go" true ==> begin p$calls(i); y := !y; end; end;
END
    my @lines = split /\n/, ends("$calls procedures: show", qr/system/, 'show', $file);
    cmp_ok(scalar @lines, '<', 20_000, "$calls procedures: not too long");
    my ($first) = grep { $lines[$_] =~ /action go/ } 0 .. $#lines;
    my $n = additions(\@lines, $first + 1, {});
    ok(abs($n / 2 ** $calls - 1) < 1e-9, "$calls procedures: nothing is lost") or diag("$n additions");
    ends("$calls procedures: what was left out is not read back", qr/error/, 'check', file('again.pv', join "\n", @lines)) if $calls > 3;
}
done_testing();
