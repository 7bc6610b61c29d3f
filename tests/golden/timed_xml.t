#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# timed_xml: runs as UPPAAL's XML traces. The matrices of the first one are those that UPPAAL itself wrote for this model (a
# file of a public repository); the others are checked for what every trace must be: nodes, transitions and matrices
# that refer to what was declared, and matrices that allow the concrete times of the same run.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;

my ($parvis, $tmp) = @ENV{qw(PARVIS PARVIS_TMP)};
sub read_file { my ($path) = @_; open my $in, '<', $path or return ''; local $/; return scalar <$in> }
sub trace_of { my ($model, @options) = @_; unlink "$tmp/run.xml"; my $o = decode_answer(scalar qx("$parvis" check "$model" --json --trace "$tmp/run.xml" @options)); return ($o, read_file("$tmp/run.xml")) }
sub attribute { my ($tag, $name) = @_; return $tag =~ /\b$name="([^"]*)"/ ? $1 =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr : undef }

{
    open my $out, '>', "$tmp/t2.xta" or die $!;
    print $out "process P() { clock t; state A { t <= 10 }, B, C { t <= 20 }; urgent B; init A;\n  trans A -> B { guard t >= 10; }, B -> C { }; }\nP2 = P();\nsystem P2;\n";
}
my ($o, $xml) = trace_of("$tmp/t2.xta", "--query 'E<> P2.C'");
my %zone = map { my ($id) = /id="DBM(\d)"/; $id => { map { attribute($_, 'clock1') . '-' . attribute($_, 'clock2') => attribute($_, 'comp') . attribute($_, 'bound') } /(<clockbound[^>]*>)/g } } $xml =~ /(<dbm_instance.*?<\/dbm_instance>)/gs;
is_deeply([map { [@{ $zone{$_} }{'sys.#t(0)-P2.t', 'P2.t-sys.#t(0)'}] } 1 .. 3], [['<=0', '<=10'], ['<=-10', '<=10'], ['<=-10', '<=20']], 'the matrices that UPPAAL wrote');
is_deeply([$xml =~ /<transition from="(\w+)" to="(\w+)" edges="([^"]*)"/g], ['State1', 'State2', 'P2.Edge1 ', 'State2', 'State3', 'P2.Edge2 '], 'and its transitions');
like($xml, qr/<edge id="P2.Edge1" from="P2.A" to="P2.B">/, 'with their edges');

sub value_of { my ($text) = @_; return $text =~ m{(.*)/(.*)} ? $1 / $2 : $text }

my @runs = (['models/timed/fischer.xta', 'E<> P(1).critical'], ['models/timed/bridge.xta', 'E<> S1.safe and S2.safe and S3.safe and S4.safe'],
    ['models/timed/csmacd.xta', 'E<> Station(1).retry and Station(2).retry and Bus.idle'], ['models/timed/train_gate.xta', 'E<> exists (i : id_t) Train(i).Cross'],
    ['models/pstm/cyclic_aligned.xta', 'E<> pending == 0'], ['models/timed/corsso.xta', 'E<> User(1).access']);
for my $r (@runs) {
    my ($o, $xml) = trace_of($r->[0], "--full-states --query '$r->[1]'");
    my @steps = @{ $o->{properties}[0]{trace}{steps} // [] };
    my $name = "$r->[0]: $r->[1]";
    my @node = $xml =~ /(<node [^>]*>)/g;
    is(scalar @node, @steps + 1, "$name: a node for each state");
    my %declared = map { $_ => 1 } $xml =~ /<(?:clock|variable|location|edge)\b[^>]* id="([^"]*)"/g, map { attribute($_, 'id') } $xml =~ /(<(?:clock|variable|location|edge)\b [^>]*>)/g;
    my @used = map { split ' ' } $xml =~ /<location_vector [^>]*locations="([^"]*)"/g, $xml =~ /<transition [^>]*edges="([^"]*)"/g, $xml =~ /clock[12]="([^"]*)"/g, $xml =~ /variable_state variable="([^"]*)"/g;
    is(join(' ', grep { !$declared{$_} } @used), '', "$name: everything is declared");
    is(scalar(grep { !/\S/ } $xml =~ /<transition [^>]*edges="([^"]*)"/g), 0, "$name: each step has edges");
    my ($bad, $at, $place) = (0, 0, 0);
    my %place = map { attribute($_, 'id') => $place++ } $xml =~ /(<clock [^>]*>)/g;
    for my $zone ($xml =~ /(<dbm_instance.*?<\/dbm_instance>)/gs) {
        my @clocks = (0, $at ? map { value_of($_) } @{ $steps[$at - 1]{clocks} } : (0) x $place);
        $at++;
        for my $b ($zone =~ /(<clockbound[^>]*>)/g) {
            my ($x, $y) = map { $clocks[$place{ attribute($b, $_) }] } qw(clock1 clock2);
            my $is = $x - $y;
            $bad++ unless attribute($b, 'comp') eq '<' ? $is < attribute($b, 'bound') : $is <= attribute($b, 'bound');
        }
    }
    is($bad, 0, "$name: the clocks of the concrete run are in the zones");
    is(system("xmllint --noout \"$tmp/run.xml\" 2> \"$tmp/err\""), 0, "$name: it is XML") if -x '/usr/bin/xmllint';
}
done_testing();
