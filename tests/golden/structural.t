#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# structural: the premises of the reduction hold for the algorithms of the papers; each of them fails for a memory made
# for that, and the word shown is the one to see.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;

my ($parvis, $tmp) = @ENV{qw(PARVIS PARVIS_TMP)};

sub check {
    my ($file, @args) = @_;
    open my $out, '-|', 'sh', '-c', 'exec "$0" "$@" 2> "$PARVIS_TMP/err" < /dev/null', $parvis, 'check', $file, '--structural', @args, '--json' or die $!;
    my $text = do { local $/; <$out> };
    close $out;
    return ($? >> 8, decode_answer($text));
}

sub failing { my ($answer) = @_; return map { $_->{name} } grep { $_->{verdict} ne 'holds' } @{ $answer->{properties} } }

for my $name (qw(seq 2pl dstm tl2 occ tl2_modified dstm_universal tml norec)) {
    my ($code, $answer) = check("models/tm-algorithms/$name.pv", '--longest', 5);
    is(join('; ', failing($answer)), '', "$name has every premise");
    is_deeply($answer->{premises}, { serializability => 'holds', opacity => 'holds' }, "$name: the summary says so");
    my %wrong = (occ => 1, tl2_modified => 1);
    is($code, $wrong{$name} ? 1 : 0, "$name: exit code");
}

# An abort is the reason why the next transaction goes on: the example of CONCUR 2008.
my ($code, $answer) = check('models/tm-algorithms/dstm.pv', '--manager', 'priority', '--longest', 4);
is($code, 1, 'priorities');
is((failing($answer))[0], 'serializability: transactional projection', 'priorities break transactional projection');
is($answer->{premises}{serializability}, 'violated', 'and the summary says so');
my ($entry) = grep { $_->{verdict} eq 'violated' } @{ $answer->{properties} };
like($entry->{trace}{word}, qr/\ba_(\d).* w(\d)_(?!\1)\d w\2_\1$/, 'by an abort before two writes of one location');
like($entry->{reason}, qr/^then 'w\d_\d w\d_\d' must be a word/, 'which do not go together without it');

# A memory for each premise. The body goes into a system with these relations.
sub made {
    my ($read, $write, $commit) = @_;
    open my $out, '>', "$tmp/made.pv" or die $!;
    print $out <<"END";
sort Thread, Loc
system Made {
  rel live(Thread), has_read(Thread), was_here(Thread), inside(Thread)
  def others_live(t: Thread) = exists u: Thread. u != t & live(u)
  action read(t: Thread, v: Loc) when $read { live(t) := true; has_read(t) := true; inside(t) := inside(t) | others_live(t) }
  action write(t: Thread, v: Loc) when $write { live(t) := true }
  action commit(t: Thread) when $commit { live(t) := false; has_read(t) := false; inside(t) := false; was_here(t) := true }
  action abort(t: Thread) { live(t) := false; has_read(t) := false; inside(t) := false }
}
END
    close $out;
    return "$tmp/made.pv";
}

my @cases = (
    ['thread symmetry', ['!was_here(t)', '!was_here(t)', 'live(t)'], 'one transaction a thread'],
    ['variable projection', ['true', 'has_read(t)', 'true'], 'a write needs a read before'],
    ['fewer threads', ['exists u: Thread. u != t', 'true', 'true'], 'a read needs another thread'],
    ['fewer locations', ['exists w: Loc. w != v', 'true', 'true'], 'a read needs another location'],
    ['monotonicity, words of up to 5 statements', ['true', 'true', 'has_read(t) -> inside(t)'], 'a read must be inside another transaction'],
);
for my $case (@cases) {
    my ($premise, $parts, $what) = @$case;
    my ($exit, $found) = check(made(@$parts), '--longest', 5);
    is($exit, 1, "$what: exit code");
    ok((grep { $_ eq "serializability: $premise" } failing($found)), "$what: $premise fails") or diag(join '; ', failing($found));
    my ($first) = grep { $_->{name} eq "serializability: $premise" } @{ $found->{properties} };
    ok($first->{trace}{word}, "$what: with a word");
}

# Nothing is claimed about a system that is no memory, or at a limit.
($code, $answer) = check('models/tm-algorithms/tl2.pv', '--limit-states', 100);
is($code, 3, 'unknown at a limit');
open my $other, '>', "$tmp/other.pv" or die $!;
print $other "sort Thread\nsystem Other { rel x(Thread)\n action go(t: Thread) { x(t) := true } }\n";
close $other;
($code, $answer) = check("$tmp/other.pv");
is($code, 3, 'unknown for a system without reads and writes');
like($answer->{properties}[0]{reason}, qr/not read, write, commit and abort/, 'and why');
done_testing;
