#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# schema: doc/answer.schema.json is a JSON Schema, and our reading of it (tests/Schema.pm) is that of python3-jsonschema: on
# answers of all commands, and on these with one member changed, both find fault or neither does.
use strict;
use warnings;
use lib 'tests';
use Golden qw($parvis $tmp write_file);
use Schema qw(schema_problems);
use JSON::PP;
use Test::More;

my @commands = (
    'check models/tm/occ.pv --size Thread=2,Loc=1 --full-states', 'check models/tm/occ.pv -p opaque --size Thread=1..2,Loc=1',
    'check models/tm/tl2.pv --limit-states 100', 'check models/timed/fischer.xta', 'check models/murphi/german_bug.m',
    'check models/interchange/swapped.hist --spec lazy_invalidation', 'check no_such.pv', 'chekc',
    'check models/tm/seq.pv --structural', "prove models/tm/tpl.pv -p opaque --certificate $tmp/tpl.json", "recheck $tmp/tpl.json",
    'prove models/pyv/lock_server_unsafe.pyv', 'prove models/murphi/german.m --property control',
    "check models/tm/tpl.pv --size Thread=2,Loc=1 --certificate $tmp/tpl.cert", "recheck $tmp/tpl.cert",
    'compare models/tm-algorithms/dstm.pv models/specs/sigma_op.pv --size Thread=1,Loc=1', 'simulate models/tm/seq.pv',
    'show models/tm/tpl.pv', 'show models/tm/tpl.pv --dot --size Thread=1,Loc=1', 'minimize models/specs/opacity.pv --size Thread=2,Loc=1',
    'minimize models/specs/opacity.pv --size Thread=2,Loc=1..2', 'test models/tm/seq.pv', 'make models/pstm/row.txt',
    'show models/histories/doomed.hist', 'help', 'version');
my @answers;
for my $command (@commands) {
    my $object = eval { decode_json(scalar `$parvis $command --json 2>/dev/null < /dev/null`) };
    ok($object, "$command: an object") or next;
    is(join("\n", schema_problems($object)), '', "$command: as the schema says");
    is(join("\n", schema_problems($object, 1)), '', "$command: the schema knows every member");
    push @answers, $object;
}

# Every place of an answer, as a reference to what is there; members first.
sub places {
    my ($v, $found) = @_;
    if (ref $v eq 'HASH') { for (sort keys %$v) { push @$found, [$v, $_]; places($v->{$_}, $found) } }
    if (ref $v eq 'ARRAY') { places($_, $found) for @$v }
    return $found;
}

srand 19;
my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my @others = (undef, JSON::PP::true, -1, 0.5, 7, 'holds', 'word', [], {}, [1], { name => 'x' });
my (@lines, @ours);
for my $round (1 .. ($ENV{PARVIS_LONG} ? 20_000 : 1_500)) {
    my $copy = $json->decode($json->encode($answers[int rand @answers]));
    my $places = places($copy, []);
    for (1 .. 1 + int rand 2) {
        my ($object, $name) = @{ $places->[int rand @$places] };
        if (rand() < 0.4) { delete $object->{$name} }
        else { $object->{$name} = $json->decode($json->encode($others[int rand @others])) }
    }
    push @lines, $json->encode($copy) . "\n";
    push @ours, schema_problems($json->decode($lines[-1])) ? 1 : 0;
}
write_file('cases', @lines);
SKIP: {
    skip 'python3-jsonschema is not installed', 2 if system('python3 -c "import jsonschema" 2>/dev/null') != 0;
    my $script = <<'END';
import json, sys
from jsonschema import Draft202012Validator as V
s = json.load(open("doc/answer.schema.json"))
V.check_schema(s)
v = V(s)
print("".join("0" if v.is_valid(json.loads(line)) else "1" for line in open(sys.argv[1], encoding="utf-8")))
END
    open my $out, '-|', 'python3', '-W', 'ignore', '-c', $script, "$tmp/cases" or die "python3: $!\n";
    my $theirs = <$out> // '';
    close $out;
    is($? >> 8, 0, 'it is a JSON Schema');
    my @theirs = split //, $theirs =~ s/\s+//gr;
    my @wrong = grep { ($theirs[$_] // 'x') ne $ours[$_] } 0 .. $#ours;
    my $faulty = grep { $_ } @ours;
    is(scalar @wrong, 0, 'both readings find the same faults') or diag($lines[$wrong[0]]);
    cmp_ok($faulty, '>', @ours / 3, 'many of the changes are faults');
    print '# tally: changed answers against the schema | ', scalar @ours, ' cases | ', scalar @wrong, " wrong\n";
}
done_testing();
