#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# closed_sets: certificates of `check`. What holds is confirmed by the reference evaluator alone; a certificate with a
# state less, a state more, another property, other sizes, another model, another rank, a cut file or counts beyond
# all bounds is refused with a message, and nothing crashes.
use strict;
use warnings;
use IO::Compress::Gzip qw(gzip);
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use JSON::PP;
use Test::More;

my $parvis = $ENV{PARVIS} or die "PARVIS is not set\n";
my $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set\n";

# run ARGS...: exit status and all output
sub run {
    my @command = map { "'$_'" } @_;
    my $text = `timeout 100 $parvis @command 2>&1`;
    return ($? >> 8, $text);
}

sub slurp { my ($path) = @_; open my $f, '<:raw', $path or die "$path: $!"; local $/; return <$f> }
sub spew { my ($path, $data) = @_; open my $f, '>:raw', $path or die "$path: $!"; print $f $data; close $f }

# The header and the unpacked stream of a certificate, and back.
sub parts {
    my ($path) = @_;
    my ($head, $packed) = slurp($path) =~ /\A(.*?\n\}\n)(.*)\z/s or die "$path: no certificate\n";
    gunzip(\$packed => \my $data) or die $GunzipError;
    return ($head, $data);
}
sub forge { my ($path, $head, $data) = @_; gzip(\$data => \my $packed); spew($path, $head . $packed) }

# certified NAME CONFIRMED CHECK-ARGS...: the certificate of a check is confirmed, for so many properties
sub certified {
    my ($name, $confirmed, @check) = @_;
    my $cert = "$tmp/$name.cert";
    my ($code, $text) = run('check', @check, '--certificate', $cert);
    ok(-e $cert, "$name: a certificate is written") or diag $text;
    ($code, $text) = run('recheck', $cert, $check[0]);
    is($code, 0, "$name: it is confirmed") or diag $text;
    my @found = $text =~ /: confirmed/g;
    is(scalar @found, $confirmed, "$name: for $confirmed properties") or diag $text;
    return $cert;
}

# refused CODE PATTERN WHAT CERT ARGS...
sub refused {
    my ($expected, $pattern, $what, @args) = @_;
    my ($code, $text) = run('recheck', @args);
    is($code, $expected, "$what: exit code $expected") or diag $text;
    like($text, $pattern, "$what: the reason is said");
}

# ---- every kind of property

my $tl2 = certified('tl2', 3, 'models/tm/tl2.pv');
certified('seq', 6, 'models/tm/seq.pv', '--size', 'Thread=1..2,Loc=1');    # refinement, two sizes, one product each
certified('mesi', 4, 'models/murphi/mesi.m');                              # invariants, deadlock, symmetry
certified('mcs', 4, 'models/murphi/mcs.m', '--symmetry', 'off');           # reaches (liveness of Murphi)
certified('peterson', 3, 'models/murphi/peterson.m');
certified('lock', 1, 'models/pyv/lock_server.pyv');
certified('dstm', 3, 'models/tm-algorithms/dstm.pv');                      # obstruction freedom: ranks

spew("$tmp/walk.pv", <<'END');
sort P
system Walk {
  var pos: 0..6 = 0
  var mark(P): bool = false
  action go when pos < 6 { pos := pos + 1 }
  action back when pos = 6 { pos := 0 }
  action set(p: P) when !mark(p) & pos = 3 { mark(p) := true }
  action unset(p: P) when mark(p) & pos = 5 { mark(p) := false }
  invariant low: pos <= 6
}
property goes_on: Walk deadlock_free
END
spew("$tmp/cover.m", <<'END');
type node : scalarset(3);
var token : array [node] of boolean; round : 0..4;
startstate for i : node do token[i] := false; end; round := 0; end;
ruleset i : node do
  rule "take" !token[i] & round < 4 ==> token[i] := true; round := round + 1; end;
  rule "give" token[i] & round > 0 ==> token[i] := false; round := round - 1; end;
end;
cover "all" forall i : node do token[i] end;
liveness "rests" forall i : node do !token[i] end;
invariant "few" round <= 3;
END
certified('cover', 4, "$tmp/cover.m");
my ($status, $said) = run('check', "$tmp/walk.pv", '--certificate', "$tmp/walk.cert");
is($status, 0, 'a small model of our own') or diag $said;
($status, $said) = run('recheck', "$tmp/walk.cert", "$tmp/walk.pv", '--json');
is($status, 0, 'confirmed, as JSON') or diag $said;
like($said, qr/"confirmed": true/, 'JSON says so');

# ---- names that are keywords of ours or no identifiers

my $odd = "$tmp/two-phase `lock`.pyv";
spew($odd, <<'END');
sort client
sort action
mutable relation rel(client)
mutable relation system(client, action)
immutable constant when: action
init forall X:client. rel(X)
init forall X:client, A:action. !system(X, A)
transition step(var: client, def: action)
  modifies rel, system
  rel(var)
  & (forall X:client. new(rel(X)) <-> rel(X) & X != var)
  & (forall X:client, A:action. new(system(X, A)) <-> system(X, A) | X = var & A = def)
safety [property] forall X:client, A:action. system(X, A) -> !rel(X)
END
for my $command ('check', 'prove') {
    ($status, $said) = run($command, $odd, '--certificate', "$tmp/odd.cert");
    is($status, 0, "$command: names that are keywords") or diag $said;
    ($status, $said) = run('recheck', "$tmp/odd.cert", $odd);
    is($status, 0, "$command: they read back") or diag $said;
}
($status, $said) = run('show', $odd);
spew("$tmp/odd.pv", $said);
is((run('show', "$tmp/odd.pv"))[1], $said, 'what is shown reads back to the same');

# ---- bytes that are not UTF-8: in texts, names and the file's name

my $bytes = "$tmp/caf\xe9 \"\\.pv";
spew($bytes, <<'END');
sort `S\xff\n"x`
system `A\xfe` {
  var `n\x80`(`S\xff\n"x`): bool = false
  action `go\xc3`(p: `S\xff\n"x`) when !`n\x80`(p) { `n\x80`(p) := true }
  action back(p: `S\xff\n"x`) when `n\x80`(p) { `n\x80`(p) := false }
  invariant `low\xff"\\`: forall p: `S\xff\n"x`. `n\x80`(p) | !`n\x80`(p)
}
system B {
  var m(`S\xff\n"x`): bool = false
  action `go\xc3`(p: `S\xff\n"x`) when !m(p) { m(p) := true }
  action back(p: `S\xff\n"x`) when m(p) { m(p) := false }
}
END
my $latin = "$tmp/latin\xff.m";
spew($latin, qq{-- caf\xe9 \xc3\x28 \xff\ntype node : scalarset(2);\nvar t : array [node] of boolean;\n}
    . qq{startstate for i : node do t[i] := false; end; end;\nruleset i : node do\n}
    . qq{rule "take \xe9" !t[i] ==> t[i] := true; end;\nrule "give" t[i] ==> t[i] := false; end;\nend;\n}
    . qq{invariant "few\xff" forall i : node do t[i] | !t[i] end;\n});
my $clock = "$tmp/clock\xe9.xta";
spew($clock, "// caf\xe9\nclock x;\nprocess P() { state a; init a; trans a -> a { guard x == 2; }; }\nsystem P;\n");
for (['check', $bytes], ['prove', $bytes], ['compare', "$bytes:A\\xFE", 'B'], ['check', $latin], ['prove', $latin, '--method', 'cmp'],
    ['check', $clock, '--query', 'A[] x >= 0']) {
    my ($command, @args) = @$_;
    ($status, $said) = run($command, @args, '--certificate', "$tmp/bytes.cert");
    is($status, 0, "$command: bytes that are not UTF-8") or diag $said;
    like(slurp("$tmp/bytes.cert"), qr/"encoding": "bytes"/, 'the file says how they are written');
    ($status, $said) = run('recheck', "$tmp/bytes.cert", $args[0] =~ s/:A.*//r);
    is($status, 0, "$command: they are read back") or diag $said;
    ($status) = run('recheck', "$tmp/bytes.cert", '--json');
    is($status, 0, "$command: and told as JSON");
}

# ---- forgeries

my ($head, $data) = parts("$tmp/walk.cert");
my ($before, $claim, $states) = $data =~ /\A(\x01[\x80-\xff]*[\x00-\x7f])(\{.*?\})(?=[^{}]*\z)(.*)\z/s;
ok(defined $claim && $claim =~ /"states":(\d+)/, 'the claim is found in the stream') or diag $data;
my $n = $1;
my $tail = substr($states, -2);
my $body = substr($states, 0, -2);
is(length $body, $n * (length($body) / $n), 'states of one size');
my $size = length($body) / $n;

# put CLAIM BODY: a stream with another claim and body
sub number { my ($x) = @_; my $out = ''; while ($x >= 128) { $out .= chr($x % 128 + 128); $x = int($x / 128) } return $out . chr $x }
sub put { my ($name, $c, $b) = @_; forge("$tmp/$name.cert", $head, "\x01" . number(length $c) . $c . $b . $tail); return "$tmp/$name.cert" }

my $wrong = 0;
for my $gone (0 .. $n - 1) {
    (my $c = $claim) =~ s/"states":\d+/'"states":' . ($n - 1)/e;
    my ($code, $text) = run('recheck', put('dropped', $c, substr($body, 0, $gone * $size) . substr($body, ($gone + 1) * $size)));
    $wrong++ unless $code == 1 && $text =~ /leaves the set|initial state is not in the set/;
}
print "# tally: certificates with a state less | $n cases | $wrong wrong\n";
is($wrong, 0, 'every certificate with a state less is refused');

refused(2, qr/twice/, 'a state twice', put('twice', $claim =~ s/"states":\d+/'"states":' . ($n + 1)/er, $body . substr($body, 0, $size)));
refused(2, qr/ends too early|outside its type|not as many|no kind|cannot be read|too large|above|twice/, 'a huge count',
    put('huge', $claim =~ s/"states":\d+/"states":2000000000/r, $body));
refused(2, qr/out of bounds/, 'a count beyond all bounds', put('beyond', $claim =~ s/"states":\d+/"states":99999999999999/r, $body));
refused(2, qr/no property 'other'/, 'another property', put('other', $claim =~ s/"low"/"other"/r, $body));
refused(2, qr/no system/, 'another system', put('system', $claim =~ s/"Walk"/"Run"/r, $body));
refused(2, qr/kind/, 'another kind', put('kind', $claim =~ s/closed set/open set/r, $body));
my ($code) = run('recheck', put('sizes', $claim =~ s/"P":2/"P":3/r, $body));
ok($code == 1 || $code == 2, 'other sizes are refused');
refused(2, qr/sort 'P'|bounds/, 'a size of nothing', put('zero', $claim =~ s/"P":2/"P":0/r, $body));
($code) = run('recheck', put('permuted', $claim =~ s/"permuted":\["P"\]/"permuted":[]/r, $body));
is($code, 1, 'representatives alone are no closed set');

spew("$tmp/cut.cert", substr(slurp("$tmp/walk.cert"), 0, -9));
refused(2, qr/too early|damaged/, 'a cut file', "$tmp/cut.cert");
spew("$tmp/longer.cert", slurp("$tmp/walk.cert") . 'x');
refused(2, qr/after the end/, 'a longer file', "$tmp/longer.cert");
refused(2, qr/not about/, 'another model', "$tmp/walk.cert", 'models/tm/tl2.pv');
forge("$tmp/model.cert", $head =~ s/pos <= 6/pos <= 5/r, $data);
refused(2, qr/hash/, 'a changed model', "$tmp/model.cert");
refused(2, qr/not a certificate/, 'not a certificate at all', 'models/tm/tl2.pv');
refused(3, qr/--limit-states/, 'a limit', $tl2, '--limit-states', '1000');

# a violated invariant put into a file whose claim is about another
spew("$tmp/low.pv", slurp("$tmp/walk.pv") =~ s/pos <= 6/pos <= 5/r);
run('check', "$tmp/low.pv", '--certificate', "$tmp/low.cert", '--errors', '9', '--all-invariants');
my ($low_head) = parts("$tmp/low.cert");
forge("$tmp/forged.cert", $low_head, $data);
refused(1, qr/invariant 'low' does not hold/, 'an invariant that is violated', "$tmp/forged.cert");

# ranks that do not go down
my ($rank_head, $ranked) = parts("$tmp/cover.cert");
my ($count) = $ranked =~ /"states":(\d+)/;
substr($ranked, -2 - $count, $count) = "\0" x $count;
forge("$tmp/rank.cert", $rank_head, $ranked);
refused(1, qr/'rests' does not hold and no step has a lower rank/, 'changed ranks', "$tmp/rank.cert");

# ---- comparisons

# compared NAME CONFIRMED LEFT RIGHT ARGS...
sub compared {
    my ($name, $confirmed, $left, $right, @args) = @_;
    my ($compare_code, $compare_text) = run('compare', $left, $right, @args, '--certificate', "$tmp/$name.cert");
    is($compare_code, 0, "$name: it holds") or diag $compare_text;
    my @models = map { s/:.*//r } grep { /\.pv/ } $left, $right;
    my ($code, $text) = run('recheck', "$tmp/$name.cert", @models);
    is($code, 0, "$name: it is confirmed") or diag $text;
    my @found = $text =~ /: confirmed/g;
    is(scalar @found, $confirmed, "$name: in $confirmed directions") or diag $text;
}
compared('equivalence', 2, 'models/specs/a_ss.pv', 'models/specs/sigma_ss.pv:SigmaSS', '--by', 'equivalence', '--size', 'Thread=2,Loc=1');
compared('inclusion', 1, 'models/tm-algorithms/dstm.pv', 'Opacity');
compared('simulation', 1, 'models/tm-algorithms/tl2.pv', 'models/specs/a_op.pv', '--by', 'simulation', '--manager', 'polite', '--size', 'Thread=2,Loc=1');
refused(3, qr/--limit-states/, 'a limit of a comparison', "$tmp/inclusion.cert", '--limit-states', '100');
certified('queue', 1, 'models/tcc/tcc_queue.pv');    # a refinement of a specification with internal steps

spew("$tmp/ab.pv", <<'END');
system A {
  var n: 0..3 = 0
  action up when n < 3 { n := n + 1 }
  action down when n > 0 { n := n - 1 }
}
system B {
  var n: 0..3 = 0
  var busy: bool = false
  internal action work when !busy { busy := true }
  action up when busy & n < 3 { n := n + 1; busy := false }
  action down when n > 0 { n := n - 1 }
}
END
for my $by ('inclusion', 'simulation') {
    compared("ab_$by", 1, "$tmp/ab.pv:A", 'B', '--by', $by);
    my ($pair_head, $pairs) = parts("$tmp/ab_$by.cert");
    my ($pair_count) = $pairs =~ /"pairs":(\d+)/;
    my $bad = 0;
    for my $gone (0 .. $pair_count - 1) {    # pairs are two bytes each, at the end
        my $fewer = $pair_count - 1;
        my $at = length($pairs) - 2 - 2 * $pair_count + 2 * $gone;
        my $less = substr($pairs, 0, $at) . substr($pairs, $at + 2);
        $less =~ s/"pairs":\d+/'"pairs":' . $fewer/e;
        forge("$tmp/pair.cert", $pair_head, $less);
        my ($code) = run('recheck', "$tmp/pair.cert");
        $bad++ unless $code == 1;
    }
    print "# tally: comparisons with a pair less ($by) | $pair_count cases | $bad wrong\n";
    is($bad, 0, "every $by with a pair less is refused");
}
# sizes of one side alone: more elements on the right allow more words
spew("$tmp/sizes.pv", <<'END');
sort P
system A {
  var on(P): bool = false
  action go(p: P) when !on(p) { on(p) := true }
}
system B {
  var on(P): bool = false
  action go(p: P) when !on(p) { on(p) := true }
}
END
compared('sizes', 1, "$tmp/sizes.pv:A", 'B', '--by', 'inclusion', '--size', 'P=2');
my ($size_head, $size_data) = parts("$tmp/sizes.cert");
$size_data =~ s/("right":\{[^{}]*"sizes":\{"P":)2/${1}3/;
forge("$tmp/sizes.cert", $size_head, $size_data);
refused(2, qr/'P' of different sizes/, 'a comparison with other sizes on the right', "$tmp/sizes.cert");

# a definition makes it another model, so it is said
run('check', 'models/sets/fine_grained.m', '--define', 'ITEMS=1', '--certificate', "$tmp/defined.cert");
like((run('recheck', "$tmp/mesi.cert"))[1], qr/^deadlock: confirmed for .*: in every state something can happen that changes it$/m, 'what freedom from deadlock means');
like((run('recheck', "$tmp/walk.cert"))[1], qr/^goes_on: confirmed for P=2: in every state something can happen$/m, 'and the weaker one');
like((run('recheck', "$tmp/defined.cert", 'models/sets/fine_grained.m'))[1], qr/read with --define ITEMS=1\n/, 'definitions are said');

refused(2, qr/not about/, 'another second model', "$tmp/simulation.cert", 'models/tm-algorithms/tl2.pv', 'models/specs/a_ss.pv');
refused(2, qr/one model/, 'two models for one', "$tmp/inclusion.cert", 'models/tm-algorithms/dstm.pv', 'models/specs/a_ss.pv');

refused(2, qr/two models, and one is given/, 'one model for two', "$tmp/simulation.cert", 'models/tm-algorithms/tl2.pv');
like((run('recheck', "$tmp/simulation.cert"))[1], qr/^the model is read with --manager polite\n/m, 'a manager is said');
forge("$tmp/right.cert", (parts("$tmp/simulation.cert"))[0] =~ s/("right": \{.*?"defines": \{)/$1"N": 7/sr, (parts("$tmp/simulation.cert"))[1]);
like((run('recheck', "$tmp/right.cert"))[1], qr/^the second model is read with --define N=7 --manager polite\n/m, 'of the second model too');

# which of two systems something is about: of one name in two files, of two names in one
spew("$tmp/more.pv", slurp("$tmp/ab.pv") =~ s/n < 3/n <= 3 & n < 3/r =~ s/when n > 0/when true/r =~ s/:= n - 1/:= 0/r);
compared('both', 1, "$tmp/ab.pv:A", "$tmp/more.pv:A");
($status, $said) = run('compare', "$tmp/more.pv:A", "$tmp/ab.pv:A");
is($status, 1, 'but not the other way round') or diag $said;
my ($both_head, $both) = parts("$tmp/both.cert");
like((run('recheck', "$tmp/both.cert"))[1], qr/^every word of A \(first model\) is a word of A \(second model\): confirmed/m, 'two systems of one name');
run('compare', "$tmp/ab.pv:A", "$tmp/more.pv:A", '--certificate', "$tmp/away.cert");
my ($away_head, $away) = parts("$tmp/away.cert");
my $swapped = $away =~ s/"swapped":false/"swapped":true/r;
my ($size_before) = $away =~ /\A\x01([\x80-\xff]*[\x00-\x7f])/;
my ($away_claim) = $away =~ /(\{.*\})/;
substr($swapped, 0, 1 + length $size_before) = "\x01" . number(length($away_claim) - 1);
my %from = %{JSON::PP::decode_json($away_head)};
my %turned = (%from, map({ $_ => $from{right}{$_} } 'model', 'model_hash', 'options', 'language'),
    right => {map { $_ => $from{$_} } 'model', 'model_hash', 'options', 'language'});
forge("$tmp/turned.cert", JSON::PP->new->indent->indent_length(1)->encode(\%turned), $swapped);
($status, $said) = run('recheck', "$tmp/turned.cert", "$tmp/more.pv", "$tmp/ab.pv");
is($status, 0, 'a claim in the other direction is one') or diag $said;
like($said, qr/^every word of A \(second model\) is a word of A \(first model\)/m, 'and is not told as if it were the first');

spew("$tmp/ends.pv", <<'END');
system Goes { var n: 0..1 = 0  action go when true { n := 1 - n } }
system Ends { var n: 0..1 = 0  action go when n = 0 { n := 1 }  invariant low: n <= 1 }
property goes: Goes deadlock_free
END
run('check', "$tmp/ends.pv", '--deadlock', 'stuck', '--certificate', "$tmp/ends.cert");
my ($ends_head, $ends) = parts("$tmp/ends.cert");
my ($goes_claim) = $ends =~ /(\{[^{}]*"Goes"[^{}]*\{\}[^{}]*\})/;
my $deadlock = $goes_claim =~ s/"properties":\["goes"\]/"properties":[]/r =~ s/"tables":\[0\]/"tables":[]/r =~ s/not looked for/stuck/r;
$ends =~ /\Q$goes_claim\E(..)/s;
forge("$tmp/ends.cert", $ends_head, "\x01" . number(length $deadlock) . $deadlock . "$1\x00\x01");
($status, $said) = run('recheck', "$tmp/ends.cert", "$tmp/ends.pv");
is($status, 0, 'freedom from deadlock of one of two systems') or diag $said;
like($said, qr/^deadlock: confirmed: in every state of Goes something can happen$/m, 'says of which');

# a sort that only the body of a rule, or a specification's guard, mentions has a size
spew("$tmp/body.pv", <<'END');
sort K
system A {
  var x: bool = false
  action a when !x { x := exists p: K. exists q: K. p != q }
  action b when !x { x := false }
  invariant low: !x
}
system S {
  var y: bool = false
  action a when !y { y := false }
  action b when forall p: K. forall q: K. p = q { y := false }
}
property follows: A refines S
END
for my $size (1, 2) {
    ($status, $said) = run('check', "$tmp/body.pv", '--size', "K=$size", '--certificate', "$tmp/body.cert", '--quiet', '--all-invariants');
    my $verdict = $size == 1 ? 'holds' : 'violated';
    is($said, "low: $verdict for K=$size\nfollows: $verdict for K=$size\n" . ($size == 1 ? '' : "warning: nothing holds: no certificate is written to '$tmp/body.cert'\n"),
        "bodies and specifications have the size K=$size");
    unlike((run('recheck', "$tmp/body.cert", "$tmp/body.pv"))[1], qr/: confirmed$/m, 'and it is said') if $size == 1;
}

# a certificate belongs to what holds: --strict makes it unknown where there is a doubt
spew("$tmp/doubt.pv", slurp("$tmp/walk.pv") =~ s/when pos = 6/when pos = 6 & pos < 6/r =~ s/.*goes_on.*//r);
for my $model ("$tmp/doubt.pv", "$tmp/doubt.xta") {
    spew("$tmp/doubt.xta", "clock x;\nprocess P() { state a; init a; trans a -> a { guard x < 0; }; }\nsystem P;\n");
    my @query = $model =~ /xta/ ? ('--query', 'A[] x >= 0') : ();
    ($status, $said) = run('check', $model, @query, '--certificate', "$tmp/doubt.cert");
    ok($status == 0 && -e "$tmp/doubt.cert", 'a doubt alone leaves the certificate') or diag $said;
    unlink "$tmp/doubt.cert";
    ($status, $said) = run('check', $model, @query, '--strict', '--certificate', "$tmp/doubt.cert");
    is($status, 3, '--strict: unknown') or diag $said;
    like($said, qr/--strict leaves an answer unknown: no certificate is written/, 'and so there is no certificate');
    ok(!-e "$tmp/doubt.cert", 'no file');
}

($status, $said) = run('check', 'models/tm/tl2.pv', '--compact', '--certificate', "$tmp/none.cert");
is($status, 2, '--compact keeps no states to certify');
($status, $said) = run('check', 'models/tm/tl2.pv', '--certificate', '/no/such/folder/x.cert');
is($status, 2, 'a file that cannot be written is an error');
done_testing;
