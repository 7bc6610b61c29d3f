#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# expect: `parvis test`, on made-up files in which each kind of expectation is met and not met. What is expected here was
# worked out by hand: Race has n + 1 states for n threads that have each stepped or not, up to symmetry, and 2^n without.
use strict;
use warnings;
use lib 'tests';
use Golden qw($parvis $tmp read_file write_file run answer);
use Test::More;

mkdir "$tmp/m";
mkdir "$tmp/m/deeper";
my $race = <<'END';
sort Thread
system Race {
  var n: 0..3
  rel done(Thread)
  action step(t: Thread) when !done(t) & n < 3 { n := n + 1; done(t) := true }
  invariant small: n < 2
  invariant never: forall t: Thread. n = 3 & done(t) -> n > 2
}
END
write_file('m/good.pv', $race, <<'END');
expect small at Thread=1: holds, 2 states
expect small at Thread=2: violated, length 2
expect never at Thread=3: holds, 8 states
END
write_file('m/deeper/bad.pv', $race, <<'END');
expect small at Thread=2: holds
expect small at Thread=2: violated, length 3
expect small at Thread=1: holds, 3 states
expect small at Thread=1: violated
expect never at Thread=2: holds
END
write_file('m/broken.pv', "sort Thread\nsystem S { var x: Thraed }\n");
write_file('m/unknown.pv', $race, "expect smal at Thread=2: holds\n");
write_file('m/other.m', "this is not Murphi at all\n");
write_file('m/.hidden.pv', "nonsense\n");
my $murphi = 'var x : 0..3; startstate x := 0; end; rule "go" x < 3 ==> begin x := x + 1; end; invariant "low" x < 3;';
write_file('m/count.m', <<"END", $murphi, "\n");
-- expect low: violated, length 3
-- expect at nothing special here
-- expect "low": violated
END
write_file('m/holds.m', "--  expect at N=2: holds, 3 states\r\n--expect at N=3: holds\n",
    'const N : 1; var x : 0..9; startstate x := 0; end; rule "go" x < N ==> begin x := x + 1; end;',
    ' rule "back" x = N ==> begin x := 0; end; invariant "low" x < 4;', "\n");
write_file('m/wrong.m', "-- expect lov: holds\n-- expect: perhaps\n-- expect at N: holds\n-- expect low: holds, 3 states, 2 orbits\n", $murphi, "\n");
write_file('m/idle.pv', <<'END');
system S {
  var n: 0..3
  action step when n < 3 { n := n + 1 }
  action dead when n > 3 { n := 0 }
  invariant low: n <= 3
}
expect low: holds
END
write_file('m/light.xta', <<'END');
clock x;
process P() { state off, on { x <= 5 }; init off; trans off -> on { assign x := 0; }, on -> off { guard x >= 3; }; }
system P;
END
write_file('m/light.q', "// expect: holds\nE<> P.on\n// Never longer than 4:\n// expect: violated\nA[] P.on imply x <= 4\nA[] true\n");

my ($o, $code) = answer('test', "$tmp/m", '-j', 2);
my %found = map { my $file = $_->{file} =~ s{^\Q$tmp\E/m/}{}r; ("$file:" . ($_->{line} // '') => $_) } @{ $o->{tests} };
my %expected = (
    'broken.pv:2' => 'error', 'unknown.pv:9' => 'error', 'wrong.m:1' => 'error',
    'good.pv:9' => 'met', 'good.pv:10' => 'met', 'good.pv:11' => 'met',
    'deeper/bad.pv:9' => 'failed', 'deeper/bad.pv:10' => 'failed', 'deeper/bad.pv:11' => 'failed',
    'deeper/bad.pv:12' => 'failed', 'deeper/bad.pv:13' => 'failed',
    'count.m:1' => 'met', 'count.m:3' => 'met', 'holds.m:1' => 'met', 'holds.m:2' => 'met',
    'idle.pv:7' => 'met', 'idle.pv:' => 'failed',
    'light.xta:1' => 'met', 'light.xta:4' => 'met',
);
is_deeply({ map { $_ => $found{$_}{outcome} } keys %found }, \%expected, 'each expectation has its outcome');
is($code, 2, 'a file with mistakes: exit code 2');
is_deeply([@{$o}{qw(met failed unknown wrong files)}], [10, 6, 0, 3, 6], 'counts');
like($found{'deeper/bad.pv:9'}{found}, qr/^violated, length 2: step\(1\) step\(2\)$/, 'the trace is said');
like($found{'deeper/bad.pv:10'}{found}, qr/^violated, length 2: step/, 'another length is');
like($found{'deeper/bad.pv:11'}{found}, qr/^holds, 2 states$/, 'another number of states is');
like($found{'deeper/bad.pv:13'}{found}, qr/nothing was tried: the premise of 'never'/, 'a vacuous property is not met');
like($found{'idle.pv:'}{found}, qr/'dead' never happened/, 'a rule that never fires is a failure');
like($found{'unknown.pv:9'}{found}, qr/unknown property 'smal', did you mean 'small'/, 'a property that is not there');

# Text, exit codes, choices.
my $text;
($text, $code) = run('test', "$tmp/m/good.pv");
is($code, 0, 'all met: exit code 0');
like($text, qr/^ok       \Q$tmp\E\/m\/good\.pv:9: small at Thread=1: holds, 2 states\n(?:ok .*\n){2}3 expectations in 1 file: 3 met \(/, 'lines and counts');
($text, $code) = run('test', "$tmp/m/deeper", '-q');
is($code, 1, 'one is not met: exit code 1');
unlike($text, qr/^ok/m, '--quiet shows what is not met');
($text, $code) = run('test', "$tmp/m/good.pv", "$tmp/m/deeper/bad.pv", '-p', 'never');
like($text, qr/^2 expectations in 2 files: 1 met, 1 failed/m, '--property chooses');
($text, $code) = run('test', "$tmp/m/wrong.m");
is(scalar(() = $text =~ /^\S+wrong\.m:\d+:\d+: error/mg), 4, 'every wrong comment is reported') or diag($text);
($text, $code) = run('test', "$tmp/m/other.m");
is($code, 2, 'a file that is named is read');
($text, $code) = run('test', "$tmp/m/deeper/nothing");
is($code, 2, 'a file that does not exist');
($text, $code) = run("test", "$tmp/m/light.q");
like($text, qr/no model that can expect something/, 'a file that is no model');
mkdir "$tmp/empty";
($text, $code) = run('test', "$tmp/empty");
like($text, qr/nothing is expected/, 'a folder in which nothing is expected');
is($code, 2, 'is a mistake');
($text, $code) = (scalar(`cd $tmp/m/deeper && $parvis test 2>&1`), $? >> 8);
like($text, qr/^FAILED   bad\.pv:9/m, 'without an argument the current folder is searched');

# Unknown: the answer does not come in time.
write_file('slow.pv', <<'END', "expect low: holds\n");
system S {
  var a: 0..200  var b: 0..200  var c: 0..200  var d: 0..200
  action w when a < 200 { a := a + 1 }
  action x when b < 200 { b := b + 1 }
  action y when c < 200 { c := c + 1 }
  action z when d < 200 { d := d + 1 }
  invariant low: a + b <= 400
}
END
($text, $code) = run('test', "$tmp/slow.pv", '--limit-time', '0.5s');
like($text, qr/^unknown  .*no answer: stopped at the time limit/m, 'a limit: unknown');
is($code, 3, 'exit code 3');

# JUnit and GitHub: names of files and properties are text there, whatever is in them.
my $odd = "$tmp/m/a<b>&\"%,:.m";
write_file($odd, "-- expect \"x < y & \\\"]]>\": holds\n-- expect \"<i>&\": holds\n", $murphi =~ s/low/<i>&/r, "\n");
($text, $code) = run('test', "'$odd'", '--github');
like($text, qr/^::error file=\Q$tmp\E\/m\/a<b>&"%25%2C%3A\.m,line=1,/m, 'annotations are escaped');
write_file($odd, "-- expect \"<i>&\": holds\n", $murphi =~ s/low/<i>&/r, "\n");
($text, $code) = run('test', "'$odd'", "$tmp/m/good.pv", "$tmp/m/unknown.pv", '--github', '--junit', "$tmp/out.xml");
like($text, qr/^::error .*,title=<i>&::expected holds, found violated, length 3/m, 'an annotation');
my $xml = read_file("$tmp/out.xml");
like($xml, qr/<testsuites name="parvis" tests="5" failures="1" errors="1" time=/, 'JUnit: counts');
like($xml, qr/name="&lt;i&gt;&amp;" classname="\Q$tmp\E\/m\/a&lt;b&gt;&amp;&quot;%,:\.m"/, 'JUnit: names');
SKIP: {
    skip 'xmllint is not installed', 1 if system('command -v xmllint >/dev/null') != 0;
    is(system('xmllint', '--noout', "$tmp/out.xml"), 0, 'JUnit: it is XML');
}
# ---- what UPPAAL answered when it saved a file
mkdir "$tmp/stored";
write_file('stored/uppaal.xml', <<'END');
<nta><declaration>clock x;</declaration><template><name>P</name><location id="a"><name>a</name></location>
<location id="b"><name>b</name></location><init ref="a"/><transition><source ref="a"/><target ref="b"/>
<label kind="guard">x &gt; 2</label></transition></template><system>system P;</system>
<queries><query><formula>E&lt;&gt; P.b</formula><comment>reached</comment><result outcome="success" type="quality"/></query>
<query><formula>A[] not P.b</formula><result outcome="success"/><expect outcome="failure"/></query>
<query><formula>A[] P.a</formula><result outcome="success"/></query>
<query><formula>A[] P.a or P.b</formula><result outcome="maybe_true"/></query></queries></nta>
END
($text, $code) = run('test', "$tmp/stored");
is($code, 1, 'an outcome that UPPAAL stored and that is wrong');
like($text, qr/^ok +\S+uppaal.xml:4: E<> P.b: holds$/m, 'one that is right');
like($text, qr/^ok +\S+uppaal.xml:5: A\[\] not P.b: violated$/m, 'what is expected counts before what was answered');
like($text, qr/^FAILED +\S+uppaal.xml:6: A\[\] P.a: expected holds, found violated/m, 'the wrong one');
like($text, qr/^3 expectations in 1 file: 2 met, 1 failed/m, 'others say nothing');

is((answer('test', "$tmp/m/good.pv", '--junit', "$tmp/none/out.xml"))[1], 2, 'a report that cannot be written');
done_testing();
