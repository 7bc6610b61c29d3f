#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# values: memories with values and version clocks (models/tm-values) are opaque for all sizes, their seeded bugs are not,
# and the specifications with values (models/specs) have the words that they should. What the files expect of small sizes
# is tested by golden/models.
use strict;
use warnings;
use lib 'tests';
use Golden qw(write_file answer);
use Test::More;

my $held = "$ENV{PARVIS_TMP}/held.cert";
sub text_of { my ($path) = @_; local (@ARGV, $/) = $path; return scalar <> }

# ---- proofs, with the relation of the file; confirmed by another prover, those of large relations only in long runs
my @memories = qw(tl2_clock lsa norec_values multiversion tml write_through inval swiss ring hybrid si_stm);
my %is_cheap = map { $_ => 1 } qw(norec_values multiversion tml si_stm);
my $is_long = $ENV{PARVIS_LONG};
my %unsaid = map { $_ => 1 } @memories;
is_deeply([sort map { "models/tm-values/$_.pv" } @memories], [sort glob 'models/tm-values/*.pv'], 'all memories are here');
for my $file ((map { "models/tm-values/$_.pv" } @memories), 'models/specs/tms2_is_stronger.pv', 'models/specs/stamps_is_stronger.pv') {
    my $rechecked = $is_long || $file =~ m{specs/} || $is_cheap{ $file =~ m{(\w+)\.pv} ? $1 : '' };
    is(answer('prove', $file, $rechecked ? ('--certificate', $held) : ())->{verdict}, 'holds', "$file for all sizes");
    ok(answer('recheck', $held, $file)->{confirmed}, 'confirmed by another prover') if $rechecked;
}

# ---- bugs are never proved; the files expect that they are violated
my ($nbugs, $nproved) = (0, 0);
for my $name (grep { $is_long || $is_cheap{$_} } @memories) {
    my $file = "models/tm-values/$name.pv";
    my %at = map { $_ => 1 } text_of($file) =~ /^expect \w+ at .*, (BUG=\d): violated/gm;
    cmp_ok(scalar keys %at, '>=', 3, "$file has bugs");
    for my $bug (sort keys %at) {
        my $verdict = answer('prove', $file, '--define', $bug)->{verdict};
        $nbugs++;
        $nproved += $verdict eq 'holds';
        isnt($verdict, 'holds', "$file: $bug is not proved");
    }
}
print "# tally: bugs in memories with values that are proved | $nbugs cases | $nproved wrong\n";

# ---- the table of the manual counts what is in the files
for my $row (text_of('doc/values.md') =~ /^(\| `\w+\.pv` \| .* \| \d+ \| \d+ \|)$/gm) {
    my ($name, $spec, $facts, $bugs) = $row =~ /^\| `(\w+)\.pv` \| .* \| (\w+) \| (\d+) \| (\d+) \|$/;
    my $text = text_of("models/tm-values/$name.pv");
    my ($relation) = $text =~ /^  by \{\n(.*?)^\}/ms;
    my %found = map { $_ => 1 } $text =~ /BUG=(\d): violated/g;
    my $count = () = $relation =~ /^  \w+: /gm;
    is_deeply([$count, scalar keys %found, $text =~ / refines $spec\b/ ? $spec : ''], [$facts, $bugs, $spec], "the manual about $name");
    delete $unsaid{$name};
}
is_deeply([keys %unsaid], [], 'all are in the manual');

# ---- larger sizes
if ($is_long) {
    my %times = (tl2_clock => 2, lsa => 2, swiss => 2, ring => 2, hybrid => 2, inval => 2, write_through => 2, norec_values => 2);
    for my $name (@memories) {
        my $size = 'Loc=2,Time=' . ($times{$name} // 3) . ($name eq 'write_through' ? ',Inc=1' : '');
        is(answer('check', "models/tm-values/$name.pv", '--size', $size)->{verdict}, 'holds', "$name at $size");
    }
}

# ---- the choices are found from the relation alone
my $bare = text_of('models/tm-values/tl2_clock.pv') =~ s/^  with .*\n//gmr =~ s{"\.\./specs}{"models/specs}r;
mkdir "$ENV{PARVIS_TMP}/bare";
my $found = answer('prove', write_file('bare.pv', $bare), '--allow', '.', '--json');
is($found->{verdict} // $found->{errors}[0]{message}, 'holds', 'what the specification chooses is found');

# ---- words: those of a hand-made list, by a system that says just them beside the specification: can it say all?
sub judged {
    my ($spec, @word) = @_;
    my $last = @word;
    my $body = join '', map {
        my ($action, $t, @args) = @{ $word[$_] };
        my @params = ('t: Thread', $action eq 'read' || $action eq 'write' ? ('v: Loc', 'u: Value') : ());
        my @is = ("at_step = $_", "is(t, $t)", @args ? ("x(v, $args[0])", "y(u, $args[1])") : ());
        "  also action $action(" . join(', ', @params) . ') when ' . join(' & ', @is) . " { at_step := @{[$_ + 1]} }\n";
    } 0 .. $#word;
    my %seen;
    $body =~ s/also (action (\w+))/$seen{$2}++ ? "also $1" : $1/ge;
    my %all = (begin => 't: Thread', read => 't: Thread, v: Loc, u: Value', write => 't: Thread, v: Loc, u: Value', commit => 't: Thread', abort => 't: Thread');
    $body .= "  action $_($all{$_}) when false\n" for grep { !$seen{$_} } sort keys %all;    # or the specification would take it alone
    # Elements are told apart by constants: the first, the second.
    my $time = $spec eq 'snap' ? '' : "ordered sort Time\n";
    my $sizes = $spec eq 'snap' ? '' : ', Time = 4';
    my $names = { tms2 => 'TMS2', stamps => 'Stamps', snap => 'Snap', strict_values => 'StrictValues', si_values => 'SnapshotValues' };
    my $pv = <<"END";
use "../specs/$spec.pv"
sort Thread, Loc
ordered sort Value
${time}size Thread = 2, Loc = 2, Value = 3$sizes
system Word {
  var at_step: 0..$last
  const t1, t2: Thread
  const x1, x2: Loc
  axiom apart: t1 != t2 & x1 != x2
  def is(t: Thread, n: 1..2) = t = (if n = 1 then t1 else t2)
  def x(v: Loc, n: 1..2) = v = (if n = 1 then x1 else x2)
  def y(u: Value, n: 0..2) = if n = 0 then (forall w: Value. u <= w) else if n = 2 then (forall w: Value. w <= u) else
    (exists w: Value. w < u) & exists w: Value. u < w
$body}
compose Both = Word || $names->{$spec}
property short: Both invariant at_step < $last
END
    my $path = "$ENV{PARVIS_TMP}/bare/word.pv";
    open my $out, '>', $path or die;
    print $out $pv =~ s{"\.\./specs}{"@{[ $ENV{PWD} // `pwd` =~ s/\n//r ]}/models/specs}r;
    close $out;
    my $answer = answer('check', $path, '--allow', '.', '--property', 'short');
    return $answer->{errors}[0]{message} // ($answer->{verdict} eq 'violated' ? 'a word' : $answer->{verdict} eq 'holds' ? 'no word' : 'unknown');
}

# Threads, locations and values by number; 0 is the initial value. By the definition: is it opaque, strictly serializable, of
# snapshots?
my @b = map { ['begin', $_] } 0 .. 3;
sub r { return ['read', @_] }
sub w { return ['write', @_] }
sub c { return ['commit', @_] }
my @words = (
    ['a committed write is read', 'yes yes yes', $b[1], w(1, 1, 1), c(1), $b[2], r(2, 1, 1), c(2)],
    ['a read-only transaction stays in the past', 'yes yes yes', $b[1], r(1, 1, 0), $b[2], w(2, 1, 1), c(2), r(1, 2, 0), c(1)],
    ['a stale read after a commit', 'no yes no', $b[1], w(1, 1, 1), c(1), $b[2], r(2, 1, 0)],
    ['a stale read that commits', 'no no no', $b[1], w(1, 1, 1), c(1), $b[2], r(2, 1, 0), c(2)],
    ['a dirty read', 'no yes no', $b[1], w(1, 1, 1), $b[2], r(2, 1, 1)],
    ['an inconsistent snapshot, though nobody commits', 'no yes no', $b[1], r(1, 1, 0), $b[2], w(2, 1, 1), w(2, 2, 1), c(2), r(1, 2, 1)],
    ['an inconsistent snapshot', 'no no no', $b[1], r(1, 1, 0), $b[2], w(2, 1, 1), w(2, 2, 1), c(2), r(1, 2, 1), c(1)],
    ['a lost update', 'no no no', $b[1], r(1, 1, 0), $b[2], r(2, 1, 0), w(1, 1, 1), w(2, 1, 2), c(1), c(2)],
    ['write skew', 'no no yes', $b[1], r(1, 1, 0), $b[2], r(2, 2, 0), w(1, 2, 1), w(2, 1, 1), c(1), c(2)],
    ['a silent store is no conflict', 'yes yes yes', $b[1], r(1, 1, 0), $b[2], w(2, 1, 0), c(2), w(1, 2, 1), c(1)],
    ['own writes are read', 'yes yes yes', $b[1], w(1, 1, 2), r(1, 1, 2), c(1)],
);
for my $spec ($is_long ? qw(tms2 stamps snap strict_values si_values) : qw(strict_values si_values)) {
    for my $word (@words) {
        my ($name, $is, @letters) = @$word;
        my ($opaque, $strict, $isolated) = split ' ', $is;
        my $expected = $spec eq 'strict_values' ? $strict : $spec eq 'si_values' ? $isolated : $opaque;
        is(judged($spec, @letters), $expected eq 'yes' ? 'a word' : 'no word', "$spec: $name");
    }
}
done_testing();
