#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# placement: values for words that have none (`check --values`), and answers that say what they assume. What is opaque by
# conflicts shows no wrong read where its steps are; what is not shows one.
use strict;
use warnings;
use lib 'tests';
use Golden qw(write_file answer);
use Test::More;

sub ways {
    my ($model, @more) = @_;
    my $answer = answer('check', $model, '--values', @more);
    return { map { $_->{name} => $_->{verdict} } @{ $answer->{properties} // [] } };
}
my %at = (tpl => 'unknown', tl2 => 'unknown', norec => 'unknown', occ => 'violated');
@at{'dstm', 'tml'} = ('unknown', 'unknown') if $ENV{PARVIS_LONG};
for my $name (sort keys %at) {
    my $found = ways("models/tm/$name.pv");
    is($found->{'values at the steps'}, $at{$name}, "$name: " . ($at{$name} eq 'violated' ? 'a wrong read' : 'no wrong read'));
    is($found->{'loads earlier'}, 'unknown', 'TL2 loads before its check') if $name eq 'tl2';
    is($found->{'loads earlier'}, 'violated', 'a stale load of NOrec before its check') if $name eq 'norec';
    is_deeply([@$found{'loads earlier', 'loads later'}], ['violated', 'unknown'], 'two-phase locking loads after it has the lock') if $name eq 'tpl';
    is($found->{'stores earlier'}, 'violated', 'DSTM: stores that are no steps are torn') if $name eq 'dstm';
}
is(ways('models/tm/occ.pv', '--level', 'strict')->{'values at the steps'}, 'unknown', 'what commits fits together');

# A memory that forgets what it has read: its own words say it, and so do values.
my $blind = write_file('blind.pv', <<'END_OF_MODEL');
sort Thread, Loc
size Thread = 2, Loc = 2
system Blind {
  rel ws(Thread, Loc)
  action read(t: Thread, v: Loc)
  action write(t: Thread, v: Loc) { ws(t, v) := true }
  action commit(t: Thread) { clear ws(t, _) }
}
END_OF_MODEL
my $answer = answer('check', $blind, '--values');
is($answer->{properties}[0]{verdict}, 'violated', 'a memory without any check');
like($answer->{properties}[0]{reason}, qr/^not opaque: .*c_\d.*r\d_\d=[1-9]/, 'with a word that shows it');
is_deeply(answer('check', $blind, '--values')->{properties}, $answer->{properties}, 'always the same');

like(qx($ENV{PARVIS} check models/tm-values/tml.pv --values 2>&1), qr/--values is for memories with actions read\(t, v\)/, 'values are there already');
for my $range ('-3..2', '1000000000..1000000001') {
    my $odd = write_file('odd.pv', "sort T\nsystem M { rel d(T)\n" . join('', map { "action $_(t: T, v: $range)\n" } 'read', 'write') . "action commit(t: T) }\n");
    like(qx($ENV{PARVIS} check $odd --values 2>&1), qr/--values is for memories/, "locations are no numbers of $range");
}
like(qx($ENV{PARVIS} check models/tm/tl2.pv --values --level causal 2>&1), qr/--values is for the levels opaque/, 'weak levels need no values here');
like(qx($ENV{PARVIS} check models/tm/tl2.pv --values --size Thread=1..2 2>&1), qr/takes one size/, 'no ranges');

# ---- what is assumed is said
my $said = qr/^words without values: that reads and commits take effect at their steps is assumed/m;
like(qx($ENV{PARVIS} check models/tm/tpl.pv 2>&1), $said, 'by check');
like(qx($ENV{PARVIS} prove models/tm/tpl.pv --property opaque 2>&1), $said, 'by prove');
unlike(qx($ENV{PARVIS} check models/tm-values/tml.pv 2>&1), $said, 'nothing is assumed of words with values');
unlike(qx($ENV{PARVIS} check models/tm/occ.pv 2>&1), $said, 'what is violated assumes nothing');
ok(answer('check', 'models/tm/tpl.pv')->{placement_assumed}, 'JSON says it');
ok(answer('prove', 'models/tm/tpl.pv', '--property', 'opaque')->{placement_assumed}, 'of proofs too');
done_testing();
