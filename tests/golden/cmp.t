#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# cmp: what the compositional method answers for the models of the library, that other checkers agree about the
# abstract models it prints, lemmas of the user's, messages.
use strict;
use warnings;
use lib 'tests';
use Golden qw($parvis $tmp read_file write_file answer);
use JSON::PP;
use Test::More;

sub verdicts {
    my (@command) = @_;
    my ($o, $code) = answer('prove', @command, '--method', 'cmp');
    return ({ map { $_->{name} => $_->{verdict} } @{ $o->{properties} // [] } }, $code, $o);
}

# ---- the library

{
    my ($found, $code, $o) = verdicts('models/murphi/german.m');
    is_deeply($found, { control => 'holds', data => 'holds' }, 'german: holds for any number of clients');
    is($code, 0, 'german: exit code');
    is($o->{properties}[0]{scope}, 'every number of client, datum=2', 'german: of which sort there may be any number');
    cmp_ok(scalar @{ $o->{properties}[0]{lemmas} }, '<=', 8, 'german: no more lemmas than L-CMP uses');
}
{
    my ($found, $code, $o) = verdicts('models/murphi/german_bug.m');
    is($found->{control}, 'violated', 'german_bug: violated');
    is($code, 1, 'german_bug: exit code');
    ok($o->{trace} && @{ $o->{trace}{steps} }, 'german_bug: a concrete run');
}

# 21 clients enter, each when exactly one of its two lines is set: violated, but not at the sizes that are looked at.
{
    write_file("$tmp/count.m", <<'END');
type client : scalarset(3); line : scalarset(2);
var set : array [client] of array [line] of boolean; entered : array [client] of boolean; n : 0..21;
function lines(p : client) : 0..2;
  var k : 0..2;
begin k := 0; for b : line do if set[p][b] then k := k + 1; end; end; return k; end;
startstate for p : client do entered[p] := false; for b : line do set[p][b] := false; end; end; n := 0; end;
ruleset p : client; b : line do rule "set" !set[p][b] ==> begin set[p][b] := true; end; end;
ruleset p : client do
  rule "enter" !entered[p] & n < 21 & lines(p) = 1 ==> begin entered[p] := true; n := n + 1; end;
end;
invariant "few" n < 21;
END
    my ($found) = verdicts("$tmp/count.m");
    isnt($found->{few}, 'holds', 'how many lines of another client are set may be any number, not none or all');
}

# A number of locks that no three have, and eight clients with four each would: with locks of any number it is no number.
{
    write_file("$tmp/count.m", <<'END');
type client : scalarset(3); lock : scalarset(3);
var set : array [client] of array [lock] of boolean; done : array [client] of boolean; n : 0..8;
function lines(p : client) : 0..9;
  var k : 0..9;
begin k := 0; for b : lock do if set[p][b] then k := k + 1; end; end; return k; end;
startstate for p : client do done[p] := false; for b : lock do set[p][b] := false; end; end; n := 0; end;
ruleset p : client; b : lock do rule "set" !set[p][b] ==> begin set[p][b] := true; end; end;
ruleset p : client do rule "enter" !done[p] & n < 8 & lines(p) >= 4 ==> begin done[p] := true; n := n + 1; end; end;
invariant "few" n < 8;
END
    is((verdicts("$tmp/count.m", '--over', 'client'))[0]{few}, 'holds', 'four locks of three: never');
    for my $over ('client,lock', 'lock,client') {
        my ($found, $code, $o) = verdicts("$tmp/count.m", '--over', $over, '--limit-states', '20k');
        is($found->{few}, 'unknown', "four locks of any number, --over $over: unknown");
        like($o->{properties}[0]{reason}, qr/elements of the abstracted sort are counted$/, '... and why');
    }
}

# Clients and locks that index each other's state: any number of the one, or of the other.
{
    write_file("$tmp/locks.m", <<'END');
type client : scalarset(3); lock : scalarset(3); none : enum { nobody }; holder : union { client, none };
  line : enum { idle, wait, crit };
var owner : array [lock] of holder; pc : array [client] of line; want : array [client] of lock;
startstate for l : lock do owner[l] := nobody; end; for n : client do pc[n] := idle; undefine want[n]; end; end;
ruleset n : client; l : lock do rule "ask" pc[n] = idle ==> begin want[n] := l; pc[n] := wait; end; end;
ruleset n : client do
  rule "take" pc[n] = wait & owner[want[n]] = nobody ==> begin owner[want[n]] := n; pc[n] := crit; end;
  rule "give" pc[n] = crit ==> begin owner[want[n]] := nobody; pc[n] := idle; undefine want[n]; end;
end;
invariant "alone"
  forall n : client do forall p : client do n != p & pc[n] = crit & pc[p] = crit -> want[n] != want[p] end end;
END
    for my $over (['client', 'every number of client, lock=3'], ['lock', 'every number of lock, client=3']) {
        my ($found, $code, $o) = verdicts("$tmp/locks.m", '--over', $over->[0]);
        is($found->{alone}, 'holds', "locks: any number of $over->[0]s");
        is($o->{properties}[0]{scope}, $over->[1], "locks: the scope says so");
    }
    for my $over ('client,lock', 'lock,client') {
        my ($found, $code, $o) = verdicts("$tmp/locks.m", '--over', $over, '--certificate', "$tmp/locks.json");
        is($found->{alone}, 'holds', "locks: any number of both, --over $over");
        is($o->{properties}[0]{scope}, 'every number of client, of lock', 'locks: the scope says that');
        is(system("\"$parvis\" recheck $tmp/locks.json > $tmp/out"), 0, "locks: the certificate is confirmed, --over $over");
        like(read_file("$tmp/out"), qr/^alone: confirmed for every number of (?:client, of lock|lock, of client),/, '... for both');
        my $certificate = decode_json(read_file("$tmp/locks.json"));
        $certificate->{proofs}[0]{lemmas} = [];
        write_file("$tmp/locks.json", encode_json($certificate));
        is(system("\"$parvis\" recheck $tmp/locks.json > $tmp/out") >> 8, 1, '... not without its lemmas');
    }
    my ($found, $code, $o) = verdicts('models/murphi/german.m', '--over', 'client,datum');
    is_deeply($found, { control => 'holds', data => 'holds' }, 'german: any number of clients and of values');
    is($o->{properties}[0]{scope}, 'every number of client, of datum', 'german: the scope says so');
    for my $wrong (['client,', 2, qr/of a sort, or of two/], ['client,x', 2, qr/no symmetric sort 'x'/]) {
        my $said = `"$parvis" prove $tmp/locks.m --over $wrong->[0] 2>&1`;
        is($? >> 8, $wrong->[1], "--over $wrong->[0]");
        like($said, $wrong->[2], "--over $wrong->[0]: why");
    }
}

# What goes wrong with four of both only, and with one client and four locks only: proved for each sort alone. In the
# last one no abstraction shows it: it keeps two clients.
{
    my $pairs = "type client : scalarset(3); lock : scalarset(3);\n"
        . "var a : array [client] of boolean; b : array [lock] of boolean; n : 0..4;\n";
    my $free = 'startstate for i : client do a[i] := false; end; for l : lock do b[l] := false; end; n := 0; end;';
    my $both = "$free\nruleset i : client; l : lock do rule GUARD & n < 4 ==> begin a[i] := true; b[l] := true; n := n + 1; end; end;";
    my %models = (
        'four of both' => $both =~ s/GUARD/!a[i] & !b[l]/r . "\ninvariant \"few\" n < 4;\n",
        'one and four' => $both =~ s/GUARD/(forall k : client do k = i end) & !b[l]/r . "\ninvariant \"few\" n < 4;\n",
        'one alone' => "ruleset s : client do " . $free =~ s/a\[i\] := false/a[i] := i = s/r . " end;\n"
            . "ruleset l : lock do rule (forall k : client do a[k] end) & !b[l] & n < 4 ==> begin b[l] := true; n := n + 1; end; end;\n"
            . "invariant \"few\" n < 4 & forall i : client do forall j : client do a[i] & a[j] -> i = j end end;\n",
    );
    for my $what (sort keys %models) {
        write_file("$tmp/pairs.m", $pairs . $models{$what});
        my ($found) = verdicts("$tmp/pairs.m", '--over', 'client', '--certificate', "$tmp/pairs.json");
        is($found->{few}, 'holds', "$what: not with three locks");
        my $certificate = decode_json(read_file("$tmp/pairs.json"));
        for my $also (['lock', 1], ['n', 2]) {
            $certificate->{proofs}[0]{also} = $also->[0];
            write_file("$tmp/forged.json", encode_json($certificate));
            is(system("\"$parvis\" recheck $tmp/forged.json > $tmp/out 2>&1") >> 8, $also->[1],
                "$what: a certificate for any number of $also->[0] too is refused");
        }
        ($found) = verdicts("$tmp/pairs.m", '--over', 'client,lock', '--limit-states', '100k');
        is($found->{few}, 'violated', "$what: found");
    }
}

# FLASH with and without data, no lemma by hand; the certificate is explored afresh.
{
    my ($found, $code, $o) = verdicts('models/murphi/flash.m', '--certificate', "$tmp/flash.json");
    is_deeply($found, { 'one owner' => 'holds', 'the latest value' => 'holds' }, 'flash: holds for any number of nodes');
    is(system("\"$parvis\" recheck $tmp/flash.json > $tmp/out"), 0, 'flash: the certificate is confirmed');
    my @violated = $ENV{PARVIS_LONG} ? () : ('--property', 'the latest value');    # the other one takes a minute
    ($found, $code) = verdicts('models/murphi/flash_bug.m', @violated);
    is($code, 1, 'flash_bug: violated');
    is($found->{'the latest value'}, 'violated', 'flash_bug: a node has an old value');
}

# Their property says that there is an owner, or memory is up to date: of an element that is not kept, maybe.
for my $name (qw(msi mesi moesi)) {
    my ($found) = verdicts("models/murphi/$name.m");
    is($found->{'one writer'}, 'holds', "$name: one writer, for any number of processors");
    is($found->{'the latest value'}, 'holds', "$name: the latest value, for any number of processors");
    ($found) = verdicts("models/murphi/${name}_bug.m");
    is($found->{'the latest value'}, 'violated', "${name}_bug: violated");
}

for my $set (qw(fine_grained lock_free_buggy)) {
    my $expect = $set =~ /buggy/ ? 'violated' : 'holds';
    my ($found) = verdicts("models/sets/$set.m", '--define', 'ITEMS=1');
    is_deeply($found, { results => $expect, contents => $expect }, "$set: $expect");
}
{
    # What guards call has to be one expression with three items too, though it says where its reads fail.
    my ($found) = verdicts('models/sets/lock_free.m', '--define', 'ITEMS=3', '--define', 'COPIES=1', '--property', 'results');
    is_deeply($found, { results => 'holds' }, 'lock_free with 3 items, one node for each');
}
if ($ENV{PARVIS_LONG}) {
    for my $set ([optimistic => 1], [lazy => 1], [lock_free => 1], [fine_grained => 2]) {
        my ($found) = verdicts("models/sets/$set->[0].m", '--define', "ITEMS=$set->[1]");
        is_deeply($found, { results => 'holds', contents => 'holds' }, "@$set items: any number of threads");
    }
    for my $set (qw(optimistic lazy lock_free)) {
        my ($found) = verdicts("models/sets/$set.m", '--define', 'ITEMS=3', '--define', 'COPIES=1');
        is_deeply($found, { results => 'holds', contents => 'holds' }, "$set with 3 items, one node for each");
    }
}

# Two-phase commit: loops over all nodes that write what is shared, one value each.
{
    my $two = "const N : 3;\ntype node : scalarset(N); vote : enum { none, yes, no }; end_ : enum { open, commit, abort };\n"
        . "var v : array [node] of vote; d : array [node] of end_; go : end_; broken : boolean;\n"
        . "startstate for i : node do v[i] := none; d[i] := open; go := open; broken := false; end; end;\n"
        . "ruleset i : node do\nrule \"vote\" v[i] = none & go = open ==> begin v[i] := yes; end;\n"
        . "rule \"refuse\" v[i] = none ==> begin v[i] := no; end;\n"
        . "rule \"decide\" go != open & d[i] = open ==> begin d[i] := go; end;\nend;\n"
        . "rule \"commit\" go = open & forall i : node do v[i] = yes end ==> begin go := commit; end;\n"
        . "rule \"look\" go = open ==> begin for i : node do if v[i] = no then go := abort; broken := true; end; end; end;\n"
        . "invariant \"agreed\" forall i : node do forall j : node do !(d[i] = commit & d[j] = abort) end end;\n"
        . "invariant \"all yes\" forall i : node do d[i] = commit -> !broken end;\n"
        . "invariant \"never\" !broken;\n";
    write_file("$tmp/commit.m", $two);
    my ($found) = verdicts("$tmp/commit.m");
    is_deeply($found, { agreed => 'holds', 'all yes' => 'holds', never => 'violated' }, 'two-phase commit, any number of nodes');
    (my $other = $two) =~ s/go := abort; broken/go := abort; d[i] := go; broken/ or die;
    write_file("$tmp/commit_order.m", $other);
    ($found) = verdicts("$tmp/commit_order.m");
    is($found->{agreed}, 'unknown', 'a loop that reads what it writes: not taken');
}

# Counters: semaphores, and readers of which there may be as many as there are processes.
{
    my $semaphore = "const N : 4; K : 2;\ntype proc : scalarset(N);\nvar sem : 0..K; in_ : array [proc] of boolean;\n"
        . "startstate for i : proc do in_[i] := false; end; sem := K; end;\nruleset i : proc do\n"
        . "rule \"wait\" !in_[i] & sem > 0 ==> begin sem := sem - 1; in_[i] := true; end;\n"
        . "rule \"signal\" in_[i] ==> begin sem := sem + 1; in_[i] := false; end;\nend;\n"
        . "invariant \"two\" forall i : proc do forall j : proc do forall k : proc do\n"
        . "  i = j | j = k | i = k | !(in_[i] & in_[j] & in_[k]) end end end;\n"
        . "invariant \"free\" sem = K -> forall i : proc do !in_[i] end;\n";
    my $readers = "const N : 3;\ntype proc : scalarset(N); state : enum { idle, reading, writing };\n"
        . "var readers : 0..N; busy : boolean; s : array [proc] of state;\n"
        . "startstate for i : proc do s[i] := idle; end; readers := 0; busy := false; end;\nruleset i : proc do\n"
        . "rule \"read\" s[i] = idle & !busy ==> begin s[i] := reading; readers := readers + 1; end;\n"
        . "rule \"read done\" s[i] = reading ==> begin s[i] := idle; readers := readers - 1; end;\n"
        . "rule \"write\" s[i] = idle & !busy & readers = 0 ==> begin s[i] := writing; busy := true; end;\n"
        . "rule \"write done\" s[i] = writing ==> begin s[i] := idle; busy := false; end;\nend;\n"
        . "invariant \"alone\" forall i : proc do forall j : proc do i != j & s[i] = writing -> s[j] = idle end end;\n";
    write_file("$tmp/semaphore.m", $semaphore);
    my ($found, $code, $o) = verdicts("$tmp/semaphore.m", '--certificate', "$tmp/semaphore.json");
    is_deeply($found, { two => 'holds', free => 'holds' }, 'a semaphore: any number of processes');
    like($o->{properties}[0]{rests_on}, qr/^sem is always 2 - /, 'a semaphore: what it counts');
    is(system("\"$parvis\" recheck $tmp/semaphore.json > $tmp/out"), 0, 'a semaphore: the certificate is confirmed');
    (my $wrong = $semaphore) =~ s/sem > 0 ==>/sem >= 0 ==>/ or die;
    write_file("$tmp/semaphore.m", $wrong);
    is((verdicts("$tmp/semaphore.m"))[1], 1, 'a semaphore that does not wait: violated');
    write_file("$tmp/readers.m", $readers);
    ($found) = verdicts("$tmp/readers.m");
    is($found->{alone}, 'holds', 'a counter up to the number of processes');
    my %broken = (
        'a writer that does not look' => ['& readers = 0', '', 'violated'],
        'a reader that is not counted' => ['readers := readers + 1;', '', 'violated'],
        'a bound that matters' => ['readers = 0 ==>', 'readers < N ==>', 'violated'],
        'a counter of something else' => ['readers := readers - 1', 'readers := 0', 'violated'],
    );
    for my $what (sort keys %broken) {
        my ($from, $to, $verdict) = @{ $broken{$what} };
        ($wrong = $readers) =~ s/\Q$from\E/$to/ or die $what;
        write_file("$tmp/readers.m", $wrong);
        ($found) = verdicts("$tmp/readers.m");
        is($found->{alone}, $verdict, $what);
    }
}

# Nodes and locks: independent copies, one for each lock.
{
    my $locks = "const NODES : 2; LOCKS : 3;\ntype node : scalarset(NODES); lock : scalarset(LOCKS);\n"
        . "var asks : array [node] of array [lock] of boolean; has : array [node] of array [lock] of boolean;\n"
        . "  gone : array [node] of array [lock] of boolean; free_ : array [lock] of boolean;\n"
        . "startstate for l : lock do free_[l] := true; for n : node do\n"
        . "  asks[n][l] := false; has[n][l] := false; gone[n][l] := false; end; end; end;\nruleset n : node; l : lock do\n"
        . "rule \"ask\" true ==> begin asks[n][l] := true; end;\n"
        . "rule \"grant\" asks[n][l] & free_[l] ==> begin free_[l] := false; asks[n][l] := false; has[n][l] := true; end;\n"
        . "rule \"give\" has[n][l] ==> begin has[n][l] := false; gone[n][l] := true; end;\n"
        . "rule \"back\" gone[n][l] ==> begin gone[n][l] := false; free_[l] := true; end;\nend;\n"
        . "invariant \"one\" forall n : node do forall m : node do forall l : lock do\n  n != m -> !(has[n][l] & has[m][l]) end end end;\n";
    write_file("$tmp/locks.m", $locks);
    my ($found, $code, $o) = verdicts("$tmp/locks.m", '--certificate', "$tmp/locks.json");
    is($found->{one}, 'holds', 'nodes and locks: any number of both');
    is($o->{properties}[0]{scope}, 'every number of node, of lock', 'nodes and locks: it is said');
    is(system("\"$parvis\" recheck $tmp/locks.json > $tmp/out"), 0, 'nodes and locks: the certificate is confirmed');
    (my $mixed = $locks) =~ s/rule "back" gone/rule "mix" forall k : lock do free_[k] end ==> begin free_[l] := true; end;\nrule "back" gone/ or die;
    write_file("$tmp/locks.m", $mixed);
    ($found, $code, $o) = verdicts("$tmp/locks.m");
    unlike($o->{properties}[0]{scope}, qr/of lock/, 'nodes and locks, not independent: locks are not any number');
}

# Which instance is too large, and what would help. That the abstract model is, is no mistake in the file.
{
    my $procedures = join '', map { my $k = $_ - 1; "procedure p$_(a : T); begin p$k(a); if y then p$k(a); end; end;\n" } 1 .. 13;
    write_file("$tmp/calls.m", "type T : scalarset(3); var x : array [T] of 0..7; y : boolean;\n"
        . "procedure p0(a : T); begin if x[a] < 7 then x[a] := x[a] + 1; else x[a] := 0; end; end;\n$procedures"
        . "startstate begin for i : T do x[i] := 0; end; y := false; end;\n"
        . "ruleset i : T do rule !y ==> begin p13(i); end; end;\ninvariant \"never\" !y;\n");
    my ($calls, $calls_code, $calls_o) = verdicts("$tmp/calls.m");
    is_deeply([$calls->{never}, $calls_code], ['unknown', 3], 'an abstract model with too many rules');
    like($calls_o->{properties}[0]{reason}, qr/^the rules of 'calls_abstract' have more than/, '... which is said');
    my ($found, $code, $o) = verdicts('models/murphi/flash.m', '--limit-states', 1000);
    like($o->{properties}[0]{reason}, qr/^the instance with node=\d has more than 1,000 states \(--limit-states N/, 'a limit: which');
}

# Counters that leave their range for some numbers of elements, and formulas over a range that grows with them.
{
    my $text = "const N : 3;\ntype proc : scalarset(N);\nvar c : RANGE; x : 0..10; on : array [proc] of boolean;\n"
        . "startstate for i : proc do on[i] := false; end; c := 0; x := 5; end;\nruleset i : proc do\n"
        . "rule \"in\" !on[i] GUARD ==> begin on[i] := true; c := c + BY; end;\n"
        . "rule \"out\" on[i] ==> begin on[i] := false; c := c - BY; end;\nend;\n"
        . "invariant \"one\" c = 0 -> forall i : proc do !on[i] end;\n";
    my @cases = (
        ['0..N', '', 1, 'holds', 'up to their number'],
        ['0..N', '& c < 2', 2, 'unknown', 'beyond the range with one element'],
        ['0..100', '', 1, 'unknown', 'beyond a constant with many'],
        ['0..100', '& c < 100', 1, 'holds', 'up to a constant'],
        ['0..100', '& c != 100', 1, 'holds', 'up to a constant, by another guard'],
        ['0..100', '& !(c >= 99)', 2, 'holds', 'two at a time'],
        ['0..100', '& c < 100', 2, 'unknown', 'two at a time, which is not seen to stay in the range'],
    );
    for my $case (@cases) {
        my ($range, $guard, $by, $verdict, $what) = @$case;
        (my $model = $text) =~ s/RANGE/$range/;
        $model =~ s/GUARD/$guard/;
        $model =~ s/BY/$by/g;
        write_file("$tmp/range.m", $model);
        my ($found) = verdicts("$tmp/range.m", '--limit-states', '50k');
        is($found->{one}, $verdict, "a counter, $what");
    }
    # A function that counts, up to the two elements that there are where it is read.
    write_file("$tmp/counted.m", "const N : 2;\ntype proc : scalarset(N);\nvar on : array [proc] of boolean;\n"
        . "function number() : 0..2; var n : 0..2; begin n := 0;\n"
        . "  for i : proc do if on[i] then n := n + 1; end; end; return n; end;\n"
        . "startstate for i : proc do on[i] := false; end; end;\n"
        . "ruleset i : proc do rule !on[i] ==> on[i] := true; end;\n"
        . "rule on[i] & number() = 2 ==> on[i] := false; end; end;\n"
        . "invariant \"any\" forall i : proc do on[i] | !on[i] end;\n");
    my ($counted) = verdicts("$tmp/counted.m");
    isnt($counted->{any}, 'holds', 'a number of elements that goes beyond its range with more of them');
    # A function whose result is the parity of their number.
    write_file("$tmp/parity.m", "const N : 2;\ntype proc : scalarset(N);\nvar on : array [proc] of boolean; odd : boolean;\n"
        . "function parity() : boolean; var n : boolean; begin n := false; for i : proc do n := !n; end; return n; end;\n"
        . "startstate for i : proc do on[i] := false; end; odd := false; end;\n"
        . "ruleset i : proc do rule on[i] := !on[i]; end; end;\nrule parity() ==> odd := true; end;\n"
        . "invariant \"even\" !odd;\n");
    my ($parity) = verdicts("$tmp/parity.m");
    isnt($parity->{even}, 'holds', 'a function that depends on the number of elements');
    my $sized = "const N : 3;\ntype proc : scalarset(N);\nvar x : 0..10; on : array [proc] of boolean;\n"
        . "startstate for i : proc do on[i] := false; end; x := 5; end;\n"
        . "ruleset i : proc do rule on[i] := !on[i]; end; end;\n";
    for my $property ('forall k : 0..N do x != k end', '!exists k : 2..N do x = k end') {
        write_file("$tmp/sized.m", $sized . "invariant \"not there\" $property;\n");
        my ($found) = verdicts("$tmp/sized.m");
        is($found->{'not there'}, 'unknown', "depends on the number of elements: $property");
    }
}

# Fields of a message that was taken: forgotten, as far as nothing reads them (diff/cmp_smaller tries many shapes).
{
    my $mail = "const N : 3;\ntype node : scalarset(N); cmd : enum { none, ask, grant };\n"
        . "var m : array [node] of record c : cmd; from : node; end; owner : node; has : array [node] of boolean;\n"
        . "ruleset h : node do startstate for i : node do m[i].c := none; m[i].from := h; has[i] := i = h; end; owner := h; end; end;\n"
        . "ruleset i : node; j : node do\n"
        . "rule \"ask\" m[i].c = none & owner = j & i != j ==> begin m[i].c := ask; m[i].from := j; end;\n"
        . "rule \"grant\" m[i].c = ask & m[i].from = j & has[j] ==> begin has[j] := false; m[i].c := grant; end; end;\n"
        . "ruleset i : node do\n"
        . "rule \"refuse\" m[i].c = ask ==> begin m[i].c := none; end;\n"
        . "rule \"take\" m[i].c = grant ==> begin m[i].c := none; has[i] := true; owner := i; end; end;\n"
        . "invariant \"one\" forall i : node do forall j : node do has[i] & has[j] -> i = j end end;\n";
    write_file("$tmp/mail.m", $mail);
    my ($found, $code, $o) = verdicts("$tmp/mail.m", '--certificate', "$tmp/mail.json");
    is($found->{one}, 'holds', 'leftovers of messages: holds');
    is($o->{properties}[0]{rests_on}, 'm[].from is forgotten where nothing reads it', 'leftovers: it is said');
    is(system("\"$parvis\" recheck $tmp/mail.json > $tmp/out"), 0, 'leftovers: the certificate is confirmed');
    my $lemma = 'forall i : node do forall j : node do isundefined(m[i].from) | (m[i].c = ask & (m[i].from = j -> i != j)) end end';
    for my $case ([$lemma, 0], ['forall i : node do isundefined(m[i].from) end', 1]) {
        my $certificate = decode_json(read_file("$tmp/mail.json"));
        my ($entry) = grep { ref $_ eq 'ARRAY' && @$_ && ref $_->[0] eq 'HASH' && $_->[0]{lemmas} } values %$certificate;
        push @{ $entry->[0]{lemmas} }, $case->[0];
        write_file("$tmp/mail2.json", encode_json($certificate));
        my $code = system("\"$parvis\" recheck $tmp/mail2.json > $tmp/out") >> 8;
        is($code != 0 ? 1 : 0, $case->[1], "a certificate with a lemma about what is forgotten: $case->[0]");
    }
    (my $read = $mail) =~ s/"refuse" m\[i\]\.c = ask/"refuse" m[i].c != grant & m[i].from = i/;
    write_file("$tmp/read.m", $read);
    ($found, $code, $o) = verdicts("$tmp/read.m");
    ok(!$o->{properties}[0]{rests_on}, 'a leftover that is read later is not forgotten');
    (my $two = $mail) =~ s/has\[j\] := false; //;
    write_file("$tmp/two.m", $two);
    ($found, $code, $o) = verdicts("$tmp/two.m");
    is($found->{one}, 'violated', 'leftovers: a violation is one of the system itself');
    ok($o->{trace} && @{ $o->{trace}{steps} }, 'leftovers: with a run');
}

# Ranges whose numbers are only names; the test diff/murphi_ranges tries many shapes against permutations.
{
    my $range = "const N : 3;\ntype NODE : 1..N;\nvar on : array [NODE] of boolean; who : NODE; free : boolean;\n"
        . "startstate for i : NODE do on[i] := false; end; free := true; end;\n"
        . "ruleset i : 1..N do rule \"take\" free ==> begin on[i] := true; free := false; who := i; end;\n"
        . "rule \"give\" on[i] ==> begin on[i] := false; free := true; end; end;\n"
        . "invariant \"one\" forall i : NODE do forall j : NODE do on[i] & on[j] -> i = j end end;\n";
    write_file("$tmp/range.m", $range);
    my ($found, $code, $o) = verdicts("$tmp/range.m", '--certificate', "$tmp/range.json");
    is($found->{one}, 'holds', 'a range: holds for any number');
    is($o->{properties}[0]{scope}, 'every number of NODE', 'a range: of which there may be any number');
    like($o->{properties}[0]{rests_on}, qr/^NODE is a range \(1\.\.N\) .* taken as a scalarset$/, 'a range: it is said');
    is(system("\"$parvis\" recheck $tmp/range.json > $tmp/out"), 0, 'a range: the certificate is confirmed');
    my %apart = (
        number => ['who := i;', 'who := 1;', qr/line 5: a value of 'NODE' expected/],
        order  => ['on[i] ==>', 'on[i] & i <= N ==>', qr/line 6: a number expected/],
        clear  => ['free := true; end; end;', 'free := true; clear who; end; end;', qr/line 6: this names the least/],
        size   => ['"give" on[i]', '"give" on[i] & N = 3', qr/depends on the number of elements/],
        last   => ['who := i;', 'for j : NODE do if on[j] then who := j; end; end; if who = i then free := false; end;', qr/told apart/],
    );
    for my $what (sort keys %apart) {
        my ($from, $to, $why) = @{ $apart{$what} };
        (my $text = $range) =~ s/\Q$from\E/$to/ or die $what;
        write_file("$tmp/$what.m", $text);
        ($found, $code, $o) = verdicts("$tmp/$what.m");
        is($found->{one}, 'unknown', "a range with $what: not taken");
        like($o->{properties}[0]{reason}, $why, "a range with $what: why");
    }
    my $data = "const N : 3; D : 2;\ntype NODE : 1..N; DATA : 1..D;\n"
        . "var m : array [NODE] of DATA; v : array [NODE] of boolean; last : DATA;\nruleset d : DATA do startstate\n"
        . "  for i : NODE do m[i] := d; v[i] := false; end; last := d; end; end;\nruleset i : NODE; d : DATA do\n"
        . "  rule \"write\" forall j : NODE do j = i | !v[j] end ==> begin m[i] := d; last := d; v[i] := true; end; end;\n"
        . "ruleset i : NODE do rule \"drop\" v[i] ==> begin v[i] := false; end; end;\n"
        . "invariant \"latest\" forall i : NODE do v[i] -> m[i] = last end;\n";
    write_file("$tmp/ranges.m", $data);
    ($found, $code, $o) = verdicts("$tmp/ranges.m", '--over', 'NODE,DATA');
    is($found->{latest}, 'holds', 'two ranges: holds');
    is($o->{properties}[0]{scope}, 'every number of NODE, of DATA', 'two ranges: of which there may be any number');
    like($o->{properties}[0]{rests_on}, qr/^NODE is a range \(1\.\.N\) .*; DATA is a range \(1\.\.D\)/, 'two ranges: it is said');
    write_file("$tmp/ranges.m", $data =~ s/m\[i\] := d; last/m[i] := 1; last/r);
    my $apart = `"$parvis" prove $tmp/ranges.m --over NODE,DATA 2>&1`;
    like($apart, qr/no symmetric sort 'DATA'.*told apart, line 7/s, 'two ranges, one of numbers: why');
    (my $idle = $range) =~ s/who := i;/for j : NODE do who := j; end;/;
    write_file("$tmp/idle.m", $idle);
    ($found, $code, $o) = verdicts("$tmp/idle.m", '--certificate', "$tmp/idle.json");
    is($found->{one}, 'holds', 'the last of a loop that nothing depends on: left out');
    like($o->{properties}[0]{rests_on}, qr/; who is left out: nothing depends on it$/, 'the last of a loop: it is said');
    is(system("\"$parvis\" recheck $tmp/idle.json > $tmp/out"), 0, 'the last of a loop: the certificate is confirmed');
    (my $any = $range) =~ s/who := i;/for j : NODE do who := j; end; if who = i then free := false; end;/;
    write_file("$tmp/any.m", $any);
    ($found, $code, $o) = verdicts("$tmp/any.m");
    is($found->{one}, 'holds', 'the last of a loop that something depends on: it may be any');
    like($o->{properties}[0]{rests_on}, qr/the last round of a loop in "take" may be that of any element/, 'any last: it is said');
    my $said = `"$parvis" prove $tmp/number.m --over NODE 2>&1`;
    like($said, qr/no symmetric sort 'NODE'.*told apart, line 5/s, '--over a range that is none: why');
}

# Lemmas about numbers that are too many to be compared with each: the conditions of guards and of branches are points.
{
    my $head = "type node : scalarset(3); var at : array [node] of 0..2; n : array [node] of 0..20; late : boolean;\n"
        . "startstate for i : node do at[i] := 0; n[i] := 0; end; late := false; end;\nruleset i : node do\n";
    my %rules = (
        guard  => "rule n[i] < 12 ==> begin n[i] := n[i] + 1; end; rule n[i] >= 15 ==> begin late := true; end;\n",
        branch => "rule at[i] = 0 ==> begin at[i] := 1; if n[i] > 9 then n[i] := 17; else n[i] := 3; end; end;\n"
            . "rule at[i] = 1 ==> begin at[i] := 2; if n[i] > 15 then late := true; end; end;\n"
            . "rule at[i] = 2 ==> begin at[i] := 0; n[i] := 0; end;\n",
    );
    for my $where (sort keys %rules) {
        write_file("$tmp/$where.m", "$head$rules{$where}end;\ninvariant \"never late\" !late;\n");
        my ($found) = verdicts("$tmp/$where.m");
        is($found->{'never late'}, 'holds', "a bound that a $where asks about");
    }
}

# Functions with loops over nodes, called in the guards of all threads: they are formulas, not statements.
{
    my ($found) = verdicts('models/sets/optimistic.m', '--define', 'ITEMS=2', '--property', 'results');
    is($found->{results}, 'holds', 'optimistic with 2 items');
}

# ---- certificates

{
    system("\"$parvis\" prove models/murphi/german.m --property control --certificate $tmp/german.json -q > $tmp/out");
    is(system("\"$parvis\" recheck $tmp/german.json > $tmp/out"), 0, 'the certificate is confirmed');
    system("\"$parvis\" prove models/sets/fine_grained.m --define ITEMS=1 --certificate $tmp/set.json -q > $tmp/out");
    is(system("\"$parvis\" recheck $tmp/set.json > $tmp/out"), 0, 'that of a set too, with a definition');
    system("\"$parvis\" prove models/murphi/moesi.m --property 'the latest value' --certificate $tmp/moesi.json -q > $tmp/out");
    is(system("\"$parvis\" recheck $tmp/moesi.json > $tmp/out"), 0, 'that of a property that asks for some element');
    is(system("\"$parvis\" show models/murphi/flash.m > $tmp/out"), 0, 'variables without a value can be shown');
    my $certificate = decode_json(read_file("$tmp/german.json"));
    $_->{lemmas} = [] for @{ $certificate->{proofs} };
    write_file("$tmp/no_lemmas.json", encode_json($certificate));
    is(system("\"$parvis\" recheck $tmp/no_lemmas.json > $tmp/out") >> 8, 1, 'without its lemmas it is not');
}

# ---- a lemma whose text declares something else: an assumption would make anything hold

{
    my $model = <<'END';
type node : scalarset(3);
var has : array [node] of boolean;
startstate for i : node do has[i] := false; end; end;
ruleset i : node do rule "take" GUARD ==> begin has[i] := true; end; end;
invariant "one" forall a : node do forall b : node do a != b -> !(has[a] & has[b]) end end;
invariant "some" true;
END
    write_file("$tmp/one.m", $model =~ s/GUARD/(forall j : node do !has[j] end)/r);
    write_file("$tmp/many.m", $model =~ s/GUARD/!has[i]/r);
    system("\"$parvis\" prove $tmp/one.m --property one --certificate $tmp/one.json -q > $tmp/out");
    system("\"$parvis\" prove $tmp/many.m --property some --certificate $tmp/many.json -q > $tmp/out");
    my $forged = decode_json(read_file("$tmp/one.json"));
    my $other = decode_json(read_file("$tmp/many.json"));
    $forged->{$_} = $other->{$_} for qw(model model_hash options);
    for my $lemma ('true; assume forall a : node do !has[a] end', 'true; invariant "one" true', 'true; assume false',
        'true; ruleset i : node do assume !has[i]; end', 'true; lemma "more" false', 'true', 'false',
        'true) ; assume (false', 'true --', 'true /*', 'true; startstate end')
    {
        $_->{lemmas} = [$lemma] for @{ $forged->{proofs} };
        write_file("$tmp/forged.json", encode_json($forged));
        my $code = system("\"$parvis\" recheck $tmp/forged.json $tmp/many.m > $tmp/out 2> $tmp/err") >> 8;
        ok($code == 1 || $code == 2, "a forged lemma is refused: $lemma") or diag(read_file("$tmp/out"));
    }
    write_file("$tmp/rules.lem", "ruleset i : node do assume !has[i]; end;\n");
    is(system("\"$parvis\" prove $tmp/many.m --method cmp --lemmas $tmp/rules.lem > $tmp/out 2> $tmp/err") >> 8, 2,
        'an assumption in a ruleset of a file of lemmas');
}

# ---- a size that means more than a number of elements

{
    my ($found, $code, $o) = verdicts('models/murphi/peterson.m', '--property', 'mutual exclusion');
    is($found->{'mutual exclusion'}, 'unknown', 'peterson: levels depend on the number of processes');
    like($o->{properties}[0]{reason}, qr/depends on the number of elements/, '... and that is said');
}

# ---- more elements at once than are ever kept

{
    write_file("$tmp/four.m", <<'END');
type node : scalarset(4); var x : boolean; has : array [node] of boolean;
startstate x := false; for n : node do has[n] := false; end; end;
ruleset a : node; b : node; c : node; d : node do rule !has[a] & !has[b] & !has[c] & !has[d] ==> begin has[a] := true; end; end;
invariant "never" !x;
END
    my ($found, $code, $o) = verdicts("$tmp/four.m");
    is($found->{never}, 'unknown', 'a rule of four elements: unknown');
    like($o->{properties}[0]{reason}, qr/speaks of more than three elements at once/, '... and that is why, not a lack of time');
}

# ---- abstract models, here and in Rumur

# A checker of others reads the text; with a compiler it also runs. Deadlock is not what it is asked.
sub ask_rumur {
    my ($name, $text, $runs) = @_;
    write_file("$tmp/$name.m", $text);
    return undef if system("rumur --version > $tmp/version 2>&1") != 0 || system("cc --version > $tmp/version 2>&1") != 0;
    system("cd $tmp && rumur --deadlock-detection off --output $name.c $name.m > $name.log 2>&1") == 0 or return 'refused';
    return 'read' unless $runs;
    system("cd $tmp && cc -w -O0 -mcx16 $name.c -o $name.checker -lpthread -latomic >> $name.log 2>&1") == 0
        or return 'refused';
    return system("timeout 60 $tmp/$name.checker > $tmp/$name.out 2>&1") == 0 ? 'holds' : 'violated';
}

# MU names the compiler of CMurphi, if there is one.
sub ask_cmurphi {
    my ($name) = @_;
    return undef unless $ENV{MU};
    return `cd $tmp && "$ENV{MU}" $name.m 2>&1` =~ /Code generated/ ? 'read' : 'refused';
}

{
    my @models = (['murphi/german', '--property', 'control'], ['murphi/moesi', '--property', 'the latest value']);
    my @read_only = (['murphi/mcs'], ['murphi/msi', '--property', 'the latest value'], ['sets/fine_grained', '--define', 'ITEMS=1']);
    push @read_only, ['murphi/mesi'], ['murphi/flash'], map { ["sets/$_", '--define', 'ITEMS=1'] } qw(optimistic lazy lock_free)
        if $ENV{PARVIS_LONG};
    for my $model (@models, @read_only) {
        my ($file, @options) = @$model;
        my $name = $file =~ s{.*/}{}r;
        my $runs = grep { $_ == $model } @models;
        my $options = join ' ', map { "'$_'" } @options;
        my $text = `"$parvis" show models/$file.m --abstract $options 2> $tmp/err`;
        like($text, qr/^-- .*Other/, "$name: show --abstract");
        unlike($text, qr/\b(?:union|assume)\b/, "$name: no unions, no assumptions in bodies");
        write_file("$tmp/${name}_abstract.m", $text);
        my ($o, $code) = answer('check', "$tmp/${name}_abstract.m", '--deadlock', 'none');
        is($code, 0, "$name: the printed abstract model holds here too") if $runs;
        SKIP: {
            my $rumur = ask_rumur("${name}_rumur", $text, $runs) // skip('no rumur', 1);
            is($rumur, $runs ? 'holds' : 'read', "$name: Rumur reads the abstract model" . ($runs ? ' and agrees' : ''));
        }
        SKIP: {
            my $mu = ask_cmurphi("${name}_rumur") // skip('no CMurphi (MU)', 1);
            is($mu, 'read', "$name: CMurphi reads it");
        }
    }
}

# ---- unions: as values, as indices, in rulesets

write_file("$tmp/unions.m", <<'END');
type node : scalarset(3); none : enum { nobody, nothing }; maybe : union { node, none };
var x, y : boolean; who : node; place : maybe; what : none; next : array [node] of maybe; old : array [maybe] of boolean;
ruleset s : node do startstate
  x := false; y := false; who := s; place := s; what := nothing;
  for m : maybe do old[m] := m != s; end;
  for n : node do next[n] := nobody; end;
end; end;
rule old[nobody] ==> begin x := true; old[place] := true; end;
rule old[place] ==> begin y := !y; old[nobody] := false; place := what; end;
rule place = what ==> begin what := nobody; end;
rule ismember(place, none) & !y ==> begin what := place; end;
ruleset n : node do rule !old[n] ==> begin old[next[who]] := true; next[who] := n; x := old[n]; end; end;
ruleset m : maybe do rule place != m ==> begin place := m; x := m = nobody; end; end;
invariant "who" !isundefined(who);
END
{
    my $text = `"$parvis" show $tmp/unions.m --abstract`;
    write_file("$tmp/unions_abstract.m", $text);
    my ($o) = answer('check', "$tmp/unions_abstract.m", '--deadlock', 'none');
    is($o->{properties}[0]{verdict}, 'holds', 'unions: the printed abstract model holds');
    SKIP: {
        my $rumur = ask_rumur('unions_rumur', $text, 1) // skip('no rumur', 2);
        is($rumur, 'holds', 'unions: Rumur agrees');
        my ($states) = read_file("$tmp/unions_rumur.out") =~ /(\d+) states, \d+ rules fired/;
        is($states, $o->{states}, 'unions: with the same number of states');
    }
}

# ---- lemmas of the user's, what cannot be treated

write_file("$tmp/token.m", <<'END');
type node : scalarset(3);
var has : array [node] of boolean; owner : node;
ruleset n : node do
  startstate for m : node do has[m] := m = n; end; owner := n; end;
  ruleset m : node do
    rule "pass" has[n] ==> begin has[n] := false; has[m] := true; owner := m; end;
  end;
end;
invariant "one" forall a : node do forall b : node do has[a] & has[b] -> a = b end end;
END
{
    my ($found) = verdicts("$tmp/token.m");
    is($found->{one}, 'holds', 'a token: found');
    write_file("$tmp/good.lem", "lemma \"owner\" forall a : node do has[a] -> owner = a end;\n");
    ($found) = verdicts("$tmp/token.m", '--lemmas', "$tmp/good.lem");
    is($found->{one}, 'holds', 'a token: with a lemma of the user\'s');
    write_file("$tmp/bad.lem", "lemma \"nobody\" forall a : node do !has[a] end;\n");
    my $code;
    ($found, $code) = verdicts("$tmp/token.m", '--lemmas', "$tmp/bad.lem");
    is($found->{one}, 'unknown', 'a false lemma is never believed');
    is($code, 3, 'a false lemma: exit code');
    write_file("$tmp/none.lem", "invariant \"x\" true;\n");
    is(system("\"$parvis\" prove $tmp/token.m --method cmp --lemmas $tmp/none.lem > $tmp/out 2> $tmp/err") >> 8, 2,
        'a file of lemmas that has something else');
    like(read_file("$tmp/err"), qr/none\.lem:1:1: error: only lemmas/, '... is told with its place');
}

# A lemma about more elements than are kept: true of all kept ones, and false.
write_file("$tmp/levels.m", <<'END');
type node : scalarset(3); level : 0..6;
var at : array [node] of level; started : boolean;
startstate for m : node do at[m] := 0; end; started := false; end;
ruleset n : node do rule "first" !started ==> begin started := true; at[n] := 1; end; end;
ruleset n : node; a : node do
  rule "next" n != a & at[a] = 0 & at[n] > 0 & at[n] < 5 ==>
  begin at[a] := at[n] + 1; if at[n] < 4 then at[n] := 6; end; end;
end;
invariant "one" forall a : node do forall b : node do a != b & at[a] = 5 -> at[b] != 5 end end;
END
{
    write_file("$tmp/three.lem",
        'lemma "no three" forall a : node do forall b : node do forall c : node do a = b | b = c | a = c end end end;');
    my ($found) = verdicts("$tmp/levels.m", '--lemmas', "$tmp/three.lem");
    isnt($found->{one}, 'holds', 'a false lemma about three elements is not believed where two are kept');
}

# The lock of Mellor-Crummey and Scott: its tail with two lemmas of the user's, about who joins behind whom. No proof with one
# that is false, nor of the lock with a seeded mistake, of which one is.
{
    my $joins = "lemma \"who joins behind p\" forall p : proc do forall q : proc do p != q & at[q] = join & predecessor[q] = p ->\n"
        . "  tail != p & next[p] = nobody & at[p] != away & at[p] != swap & at[p] != pass end end;\n";
    my $alone = "lemma \"nobody else does\" forall p : proc do forall q : proc do forall r : proc do\n"
        . "  p != q & at[p] = join & at[q] = join & predecessor[q] = r -> predecessor[p] != r end end end;\n";
    my @tail = ('--property', 'the tail is in the queue');
    write_file("$tmp/mcs.lem", $joins . $alone);
    my ($found, $code, $o) = verdicts('models/murphi/mcs.m', @tail, '--lemmas', "$tmp/mcs.lem", '--certificate', "$tmp/mcs.json");
    is_deeply($found, { 'the tail is in the queue' => 'holds' }, 'mcs: the tail, with two lemmas of the user');
    like($o->{properties}[0]{scope}, qr/^every number of proc/, 'mcs: for any number of processes');
    is(system("\"$parvis\" recheck $tmp/mcs.json > $tmp/out"), 0, 'mcs: the certificate is confirmed');
    (my $wrong = $joins) =~ s/at\[p\] != pass/at[p] != await/;    # a process waits for its successor to join
    write_file("$tmp/mcs.lem", $wrong . $alone);
    ($found) = verdicts('models/murphi/mcs.m', @tail, '--lemmas', "$tmp/mcs.lem");
    is_deeply($found, { 'the tail is in the queue' => 'unknown' }, 'mcs: a false lemma is not believed');
    write_file("$tmp/mcs.lem", $joins . $alone);
    ($found) = verdicts('models/murphi/mcs_bug.m', '--property', 'mutual exclusion', '--lemmas', "$tmp/mcs.lem");
    isnt($found->{'mutual exclusion'}, 'holds', 'mcs_bug: of which the first lemma is false: no proof');
}

# ---- a token in a message, two-phase commit, several locks: proved, and not with a mistake in them

my %textbook = (
    'a token in a message' => [<<'END', 'has[i] := false; flying' => 'flying'],
type node : scalarset(3);
var has, busy : array [node] of boolean; flying : boolean; dest : node;
startstate for i : node do has[i] := false; busy[i] := false; end; flying := true; for i : node do dest := i; end; end;
ruleset i : node do
  rule "take" flying & dest = i ==> begin has[i] := true; flying := false; undefine dest; end;
  rule "enter" has[i] ==> begin busy[i] := true; end;
  rule "leave" busy[i] ==> begin busy[i] := false; end;
end;
ruleset i : node; j : node do
  rule "send" has[i] & !busy[i] ==> begin has[i] := false; flying := true; dest := j; end;
end;
invariant "right" forall i : node do forall j : node do busy[i] & busy[j] -> i = j end end;
END
    'a token that each asks for' => [<<'END', 'has[i] := false; msg[j]' => 'msg[j]'],
type node : scalarset(3);
var has, want, msg : array [node] of boolean;
ruleset h : node do startstate
  for i : node do has[i] := i = h; msg[i] := false; want[i] := false; end;
end; end;
ruleset i : node do
  rule "want" !want[i] ==> begin want[i] := true; end;
  rule "take" msg[i] ==> begin msg[i] := false; has[i] := true; end;
end;
ruleset i : node; j : node do
  rule "send" has[i] & i != j & want[j] ==> begin has[i] := false; msg[j] := true; want[j] := false; end;
end;
invariant "right" forall i : node do forall j : node do has[i] & has[j] -> i = j end end;
END
    'two-phase commit' => [<<'END', '& forall i : part do voted[i] end' => '& exists i : part do voted[i] end'],
type part : scalarset(3); what : enum { none, yes, doc, doa }; did : enum { working, prepared, committed, aborted };
var rm : array [part] of did; decided : boolean; voted : array [part] of boolean; msg : array [part] of what;
startstate for i : part do rm[i] := working; voted[i] := false; msg[i] := none; end; decided := false; end;
ruleset i : part do
  rule "prepare" rm[i] = working ==> begin rm[i] := prepared; msg[i] := yes; end;
  rule "refuse" rm[i] = working ==> begin rm[i] := aborted; end;
  rule "vote" !decided & msg[i] = yes ==> begin voted[i] := true; msg[i] := none; end;
  rule "told to commit" msg[i] = doc ==> begin rm[i] := committed; msg[i] := none; end;
  rule "told to abort" msg[i] = doa ==> begin rm[i] := aborted; msg[i] := none; end;
end;
rule "commit" !decided & forall i : part do voted[i] end ==>
begin decided := true; for i : part do msg[i] := doc; end; end;
rule "abort" !decided ==> begin decided := true; for i : part do msg[i] := doa; end; end;
invariant "right" forall i : part do forall j : part do !(rm[i] = committed & rm[j] = aborted) end end;
END
    'a guard that asks for some element' => [<<'END', 'no[i] := true; why := true' => 'no[i] := true'],
type part : scalarset(3);
var no, told : array [part] of boolean; why : boolean;
startstate for i : part do no[i] := false; told[i] := false; end; why := false; end;
ruleset i : part do rule "refuse" !no[i] ==> begin no[i] := true; why := true; end; end;
rule "tell" !forall p : part do !no[p] end ==> begin for p : part do told[p] := true; end; end;
invariant "right" forall i : part do told[i] -> why end;
END
    'several locks' => [<<'END', 'lockmsg[c][s] & !held[s]' => 'lockmsg[c][s]'],
type client : scalarset(3); server : scalarset(2);
var lockmsg, grant, unlock, locked : array [client] of array [server] of boolean; held : array [server] of boolean;
startstate for s : server do
  held[s] := false;
  for c : client do lockmsg[c][s] := false; grant[c][s] := false; unlock[c][s] := false; locked[c][s] := false; end;
end; end;
ruleset c : client; s : server do
  rule "lock" !lockmsg[c][s] ==> begin lockmsg[c][s] := true; end;
  rule "asked" lockmsg[c][s] & !held[s] ==> begin held[s] := true; lockmsg[c][s] := false; grant[c][s] := true; end;
  rule "granted" grant[c][s] ==> begin grant[c][s] := false; locked[c][s] := true; end;
  rule "unlock" locked[c][s] ==> begin locked[c][s] := false; unlock[c][s] := true; end;
  rule "given back" unlock[c][s] ==> begin unlock[c][s] := false; held[s] := false; end;
end;
invariant "right" forall c : client do forall d : client do forall s : server do
  locked[c][s] & locked[d][s] -> c = d end end end;
END
);
for my $name (sort keys %textbook) {
    my ($text, $right, $wrong) = @{ $textbook{$name} };
    write_file("$tmp/textbook.m", $text);
    my ($found) = verdicts("$tmp/textbook.m", '--certificate', "$tmp/textbook.cert");
    is($found->{right}, 'holds', "$name: proved");
    is(system("\"$parvis\" recheck $tmp/textbook.cert > $tmp/out 2>&1"), 0, "$name: confirmed") or diag read_file("$tmp/out");
    ok($text =~ s/\Q$right\E/$wrong/, "$name: a mistake");
    write_file("$tmp/textbook.m", $text);
    ($found) = verdicts("$tmp/textbook.m");
    is($found->{right}, 'violated', "$name, with a mistake: violated");
}

# ---- sizes that are meant

write_file("$tmp/fixed.pv", <<'END');
sort Slot = 3
system S {
  rel full(Slot)
  action fill(s: Slot) when !full(s) { full(s) := true }
  invariant three: exists a, b, c: Slot. a != b & b != c & a != c
}
END
{
    my ($found) = verdicts("$tmp/fixed.pv");
    is_deeply($found, { three => 'unknown' }, 'a sort with exactly three elements has no other sizes');
    my $code = system("\"$parvis\" prove $tmp/fixed.pv --method cmp --over Slot 2> $tmp/out") >> 8;
    is($code, 2, '... and where it is named, that is a mistake');
    like(read_file("$tmp/out"), qr/fixed\.pv:1:6: error: sort 'Slot' has exactly 3 elements/, '... with its place');
}

# A constant that the size is made of keeps its value where else it is used: the scope says so.
for my $range ('M', '3') {
    write_file("$tmp/made.m", <<"END");
const M : 3; N : M;
type node : scalarset(N);
var a : array [node] of boolean; k : 0..$range;
startstate for i : node do a[i] := false end; k := 0; end;
ruleset i : node do
  rule "on" k < 3 & forall j : node do !a[j] end ==> a[i] := true; k := k + 1; end;
  rule "off" a[i] & k > 0 ==> a[i] := false; k := k - 1; end;
end;
invariant "one" forall i : node do forall j : node do a[i] & a[j] -> i = j end end;
END
    my ($found, $code, $o) = verdicts("$tmp/made.m");
    my $scope = $range eq 'M' ? 'every number of node, M=3' : 'every number of node';
    is($o->{properties}[0]{scope}, $scope, "a size made of a constant, a range up to $range: the scope");
}

# ... and so does that of an instance that violates something, which no value of the constant alone makes.
write_file("$tmp/beyond.m", <<'END');
const M : 2; N : M + 1;
type node : scalarset(N);
var a : array [node] of boolean; k : 0..M + 1;
startstate for i : node do a[i] := false end; k := 0; end;
ruleset i : node do
  rule "on" !a[i] ==> a[i] := true; k := k + 1; end;
  rule "off" a[i] ==> a[i] := false; k := k - 1; end;
end;
invariant "any" k >= 0;
END
my $beyond = `"$parvis" prove $tmp/beyond.m --method cmp`;
like($beyond, qr/^run-time error: violated for node=4, M=2$/m, 'an instance beyond what the constant makes is named with it');

# ---- mutants: each assignment left out in turn; what is proved holds with five elements

sub mutants {
    my ($file) = @_;
    my @lines = split /^/m, read_file($file);
    my ($start) = grep { $lines[$_] =~ /startstate/ } 0 .. $#lines;
    my @places = grep { $lines[$_] =~ /^\s*[\w.\[\]]+ := .*;$/ } $start .. $#lines;
    return map { my $at = $_; join '', map { $_ == $at ? "\n" : $lines[$_] } 0 .. $#lines } @places;
}

if ($ENV{PARVIS_LONG}) {
    for my $name (qw(msi moesi mcs)) {
        my ($proved, $wrong) = (0, 0);
        for my $text (mutants("models/murphi/$name.m")) {
            write_file("$tmp/mutant.m", $text);
            my ($found) = verdicts("$tmp/mutant.m", '--limit-time', '4');
            for my $property (grep { $found->{$_} eq 'holds' } sort keys %$found) {
                my ($o) = answer('check', "$tmp/mutant.m", '--define', 'PROCS=5', '--deadlock', 'none', '--property', $property);
                $proved++;
                $wrong++ if ($o->{verdict} // '') ne 'holds';
            }
        }
        is($wrong, 0, "$name: of $proved proofs of mutants none is wrong");
        cmp_ok($proved, '>', 5, "$name: some mutants are proved");
    }
}

done_testing();
