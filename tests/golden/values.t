#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# values: memories with values and version clocks (models/tm-values) are opaque for all sizes, their seeded bugs are not,
# and the specifications with values (models/specs) are in their order. What the files expect of small sizes is tested by
# golden/models, the words of both by diff/values_words and diff/values_runs.
use strict;
use warnings;
use lib 'tests';
use Golden qw($two_clocks write_file answer);
use Test::More;

my $held = "$ENV{PARVIS_TMP}/held.cert";
sub text_of { my ($path) = @_; local (@ARGV, $/) = $path; return scalar <> }

# ---- proofs, with the relation of the file, confirmed by another prover; those of large relations only in long runs
my @memories = qw(tl2_clock lsa norec_values multiversion tml write_through inval swiss ring hybrid si_stm);
my %is_cheap = map { $_ => 1 } qw(multiversion tml si_stm);
my $is_long = $ENV{PARVIS_LONG};
my %unsaid = map { $_ => 1 } @memories;
is_deeply([sort map { "models/tm-values/$_.pv" } @memories], [sort glob 'models/tm-values/*.pv'], 'all memories are here');
my @proved = grep { $is_long || $is_cheap{$_} || /ring|hybrid|inval/ } @memories;
for my $file ((map { "models/tm-values/$_.pv" } @proved), map { "models/specs/${_}_is_stronger.pv" } qw(snap tms2 stamps)) {
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

# ---- a specification of words without values says that it judges by conflicts, and no other one does
for my $file (glob 'models/specs/*.pv') {
    my $text = text_of($file);
    my ($head) = $text =~ m{\A((?://.*\n)+)};
    next unless $text =~ /^system /m;
    my $has_values = $text !~ /^ +action read\(\w+: \w+, \w+: \w+\)/m;
    is($head =~ /by conflicts/ ? 'by conflicts' : 'by values', $has_values ? 'by values' : 'by conflicts', "$file says how it judges");
}

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

# ---- and its states are those that are found
for my $row (text_of('doc/values.md') =~ /^(\| `\w+\.pv` \| [\d,]+ \| [\d.]+ \|)$/gm) {
    my ($name, $states) = $row =~ /^\| `(\w+)\.pv` \| ([\d,]+) /;
    next unless $is_long || $name =~ /^(?:tml|multiversion)$/;
    my $size = 'Loc=2,Time=2' . ($name eq 'write_through' ? ',Inc=1' : '');
    my $checked = answer('check', "models/tm-values/$name.pv", '--size', $size);
    is_deeply([@$checked{'verdict', 'states'}], ['holds', $states =~ s/,//gr], "the manual about states of $name at $size");
}

# ---- what was measured: each memory once in each table, the same figures in all of them, and facts that are in its relation
my ($manual, $bench) = map { text_of($_) } qw(doc/values.md bench/README.md);
my %states = $manual =~ /^\| `(\w+)\.pv` \| ([\d,]+) \| [\d.]+ \| [\d.]+ \|$/gm;
my %search = $manual =~ /^\| `(\w+)\.pv` \| ([\d.]+ \(\d+ facts\) \| .*) \|$/gm;
my %measured;
for my $row ($bench =~ /^\| (`\w+\.pv` \| \w+ \| \w+ \| [\d,]+ \| .*) \|$/gm) {
    my ($name, $spec, undef, $states, $cpu, $facts, $whole, $whole_cpu, $given, $found, $lemmas, $found_cpu) = split / \| /, $row =~ s/`(\w+)\.pv`/$1/r;
    my ($relation) = text_of("models/tm-values/$name.pv") =~ /^  by \{\n(.*?)^\}/ms;
    my $ours = $measured{$name}++ ? 'twice' : "$states, $whole_cpu ($facts facts)";
    is($ours, "$states{$name}, " . $search{$name} =~ s/ \|.*//r, "the manual and the table of measurements about $name");
    is($search{$name} =~ s/.*? \| //r, "$found_cpu, $found" . ($found eq 'holds' ? " ($lemmas lemmas)" : '') . " | $given", "and about the search for $name");
    like($relation, qr/^  $_: /m, "$_ is a fact about $name") for $given =~ /`(\w+)`/g;
}
is_deeply([[sort keys %states], [sort keys %search], [sort keys %measured]], [([sort @memories]) x 3], 'each memory is in each table');

# ---- a version clock that reaches the last time is said to
like(qx($ENV{PARVIS} check models/tm-values/tml.pv 2>&1), qr/^ +the last Time was reached: longer runs are cut$/m, 'times are few');
my $free = write_file('free.pv', <<'END');
ordered sort T
size T = 4
system S {
  var c: T
  rel on
  action go(n: T) when c < n & !on & forall m: T. m < n -> m <= c { c := n; on := true }
}
property p: S invariant !on | on
END
unlike(qx($ENV{PARVIS} check $free 2>&1), qr/was reached/, 'not if there are enough');

# ---- the choices are found from the relation alone
my $bare = text_of('models/tm-values/tl2_clock.pv') =~ s/^  with .*\n//gmr =~ s{"\.\./specs}{"models/specs}r;
mkdir "$ENV{PARVIS_TMP}/bare";
my $found = answer('prove', write_file('bare.pv', $bare), '--allow', '.', '--json');
is($found->{verdict} // $found->{errors}[0]{message}, 'holds', 'what the specification chooses is found');

# ---- a relation in part is completed, by what is right of it; long: none is needed
my $part = $two_clocks . <<'END';
property right: Slow refines Spec
  with see(t): look(t)
  with tick(t; m): n = m
  by { RELATION }
END
for my $case (['same: Spec.last = now', 0], ['same: Spec.last = now  never: forall t: Thread. !has(t)', 1], ['heard: forall t: Thread. Spec.seen(t) <-> has(t)', 0]) {
    my ($relation, $is_wrong) = @$case;
    my $file = write_file('part.pv', $part =~ s/RELATION/$relation/r);
    my $answer = answer('prove', $file, '--certificate', $held);
    is($answer->{verdict}, 'holds', "completed: $relation");
    like(qx($ENV{PARVIS} prove $file 2>&1), qr/the search completed it/, 'and said to be');
    ok(answer('recheck', $held, $file)->{confirmed}, 'confirmed by another prover');
    like(Golden::read_file("$ENV{PARVIS_TMP}/err") . qx($ENV{PARVIS} prove $file 2>&1), qr/lemma 'never' is false in a state/, 'what is wrong is said') if $is_wrong;
}
# ---- --given takes the relation as it is
{
    my $whole = write_file('whole.pv', $part =~ s/RELATION/same: Spec.last = now  heard: forall t: Thread. Spec.seen(t) <-> has(t)/r);
    is(answer('prove', $whole, '--given')->{verdict}, 'holds', '--given: a whole relation');
    my $half = answer('prove', write_file('half.pv', $part =~ s/RELATION/same: Spec.last = now/r), '--given');
    is($half->{verdict}, 'unknown', '--given: a relation in part is not completed');
}
my $broken = write_file('broken.pv', $part =~ s/RELATION/same: Spec.last = now/r =~ s/when seen\(t\)/when seen(t) & last < last/r);
is(answer('prove', $broken)->{verdict}, 'violated', 'what does not refine is not completed');
for my $name ('si_stm', $is_long ? qw(tml norec_values multiversion inval hybrid tl2_clock lsa) : ()) {
    my $bare = text_of("models/tm-values/$name.pv") =~ s/^  by \{\n.*?^\}\n//msr =~ s{"\.\./specs}{"models/specs}r;
    is(answer('prove', write_file("$name.pv", $bare), '--allow', '.', '--limit-time', '30m')->{verdict}, 'holds', "$name with no relation");
    my ($bugs, %at) = (0, map { $_ => 1 } text_of("models/tm-values/$name.pv") =~ /BUG=(\d): violated/g);
    for my $bug (sort keys %at) { $bugs += answer('prove', "$ENV{PARVIS_TMP}/$name.pv", '--allow', '.', '--define', "BUG=$bug")->{verdict} eq 'holds' }
    is($bugs, 0, "and none of its bugs");
}

# ---- between two times of versions nothing was written: found, as small as such a memory can be; and not where it is not so
my $versions = <<'END';
ordered sort Time
ordered sort Value
sort Loc
size Loc = 1, Time = 3, Value = 2
const BUG = 0
system Memory {
  var now: Time
  var mem(Time, Loc): Value
  action write(v: Loc, u: Value; n: Time) when now < n { now := n  forall m: Time where n <= m { mem(m, v) := u } }
  action read(v: Loc, u: Value, n: Time) when n <= now & mem(n, v) = u
}
system Versions {
  var clock: Time
  rel has(Loc, Time)
  var val(Loc, Time): Value
  init(n: Time) when forall m: Time. n <= m { forall v: Loc { has(v, n) := true } }
  action write(v: Loc, u: Value) choose n: Time above clock { clock := n; has(v, n) := true; val(v, n) := u }
  action read(v: Loc, u: Value, n: Time)
    when n <= clock & exists k: Time. has(v, k) & k <= n & (BUG = 1 | forall m: Time. has(v, m) & m <= n -> m <= k) & val(v, k) = u
}
property right: Versions refines Memory
END
my $kept = write_file('versions.pv', $versions);
is(answer('prove', $kept, '--certificate', $held)->{verdict}, 'holds', 'what was read is the last version up to then');
ok(answer('recheck', $held, $kept)->{confirmed}, 'confirmed by another prover');
like(qx($ENV{PARVIS} prove $kept 2>&1), qr{forall (\w+): Time\. has\(v, \1\)}, 'a lemma speaks of all times between');
is(answer('prove', $kept, '--define', 'BUG=1')->{verdict}, 'violated', 'not if it is any version');

# ---- entries that are complete in their order: three relations and an order of times, four relations of two times
my $entries = <<'END';
sort Thread
ordered sort Time
size Thread = 2, Time = 4
system Log {
  var now: Time
  rel known(Time), done(Time)
  var own(Thread): Time
  action append(t: Thread, n: Time) when now < n { known(n) := true; now := n; own(t) := n }
  action finish(n: Time) when known(n) { done(n) := true }
  action mark(t: Thread)
  action claim(t: Thread, n: Time) when !(n < own(t))
  action look(n: Time) when done(n) & forall m: Time. known(m) & m < n -> done(m)
}
system Ring {
  var clock: Time
  rel entry(Time), complete(Time), marked(Thread)
  var wt(Thread): Time
  action append(t: Thread, n: Time) choose k: Time above clock when n = k { clock := n; entry(n) := true; wt(t) := n; marked(t) := false }
  action finish(n: Time) when entry(n) & forall m: Time. entry(m) & m < n -> complete(m) { complete(n) := true }
  action mark(t: Thread) when forall m: Time. entry(m) & m < wt(t) -> complete(m) { marked(t) := true }
  action claim(t: Thread, n: Time) when marked(t) & entry(n) & !complete(n)
  action look(n: Time) when complete(n)
}
property right: Ring refines Log
END
{
    my $in_order = write_file('entries.pv', $entries);
    my $answer = answer('prove', $in_order, '--certificate', $held);
    is($answer->{verdict}, 'holds', 'who waits until entries before his are complete finds them so');
    cmp_ok($answer->{properties}[0]{statistics}{queries}, '<', 200, 'by clauses that the samples show, with few questions');
    ok(answer('recheck', $held, $in_order)->{confirmed}, 'confirmed by another prover');
    my $hasty = write_file('hasty.pv', $entries =~ s/action mark\(t: Thread\) when .*? \{/action mark(t: Thread) {/r);
    is(answer('prove', $hasty)->{verdict}, 'violated', 'not if nobody waits');
}

# ---- what violates a property is, as a recorded history, no history of its level
sub history_of {
    my ($word) = @_;
    my @events = map { s/^c_(\d+)$/commit($1)/r =~ s/^a_(\d+)$/abort($1)/r =~ s/^begin/open/r } split ' ', $word;
    return map { s/,(\d+)\)$/",@{[$1 - 1]})"/er } @events;    # the first value is the initial one, 0
}
# A specification by times refuses writers of one location that commit against the serial order, which is opaque until somebody
# reads. So a last transaction reads all that was committed, as the commits left it.
sub reader_after {
    my (%memory, %written);
    for (@_) {
        $written{$1}{$2} = $3 if /^write\((\d+),(\d+),(\d+)\)$/;
        %memory = (%memory, %{ $written{$1} // {} }) if /^commit\((\d+)\)$/;
        delete $written{$1} if /^(?:commit|abort)\((\d+)\)$/;
    }
    return ('open(9)', (map { "read(9,$_,$memory{$_})" } sort keys %memory), 'commit(9)');
}
sub judged {
    my ($level, @events) = @_;
    return answer('check', write_file('run.hist', join("\n", @events) . "\n"), '--level', $level)->{verdict};
}
my ($nwords, $nallowed) = (0, 0);
for my $name (grep { $is_long || $is_cheap{$_} } @memories) {
    my $file = "models/tm-values/$name.pv";
    for my $line (text_of($file) =~ /^expect (\w+ at .*, BUG=\d): violated/gm) {
        my ($property, $sizes, $bug) = $line =~ /^(\w+) at (.*), (BUG=\d)$/;
        my $answer = answer('check', $file, '--property', $property, '--size', $sizes =~ s/ //gr, '--define', $bug);
        my @events = history_of($answer->{properties}[0]{trace}{word});
        my $is_wrong = judged('opaque', @events) eq 'violated' || judged('opaque', @events, reader_after(@events)) eq 'violated';
        $nwords++;
        $nallowed += !$is_wrong;
        ok($is_wrong, "$name, $bug: as a history it is not opaque either") or diag("@events");
    }
}
print "# tally: violating words of memories with values that the checker of histories allows | $nwords cases | $nallowed wrong\n";
done_testing();
