#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Certificates of timed models: written by `check`, confirmed by `recheck`; forged ones are refused (a guard is wider, a
# query is another one, the model is another one, the file is cut). tests/diff/timed_certificate_test.c forges thousands.
. tests/tap.sh

# certified NAME NUMBER ARGUMENT...: so many queries of models/NAME.xta are confirmed, and nothing else is said.
certified() {
    name=$1 number=$2
    shift 2
    "$PARVIS" check "models/$name.xta" "$@" --certificate "$PARVIS_TMP/c.cert" --quiet > /dev/null 2>&1
    exits 0 "$name $*: confirmed" "$PARVIS" recheck "$PARVIS_TMP/c.cert" "models/$name.xta"
    check "$name $*: $number queries" test "$("$PARVIS" recheck "$PARVIS_TMP/c.cert" | grep -c ', confirmed$')" -eq "$number"
}

certified timed/fischer 3 --define N=5
certified timed/train_gate 4
certified timed/train_ring 2
certified timed/csmacd 3
certified timed/bridge 2
certified pstm/linear_aligned 4 --define N=3
certified pstm/cyclic_drift 4 --define N=2
certified timed/fischer 1 --query 'E<> P(1).critical and P(2).critical'
certified timed/fischer 1 --query 'E[] P(1).requesting'
certified timed/fischer 1 --symmetry off --query 'A[] not deadlock'

says 'violated, confirmed' 'no such state is reachable: that is what is confirmed' sh -c \
    '"$PARVIS" check models/timed/fischer.xta --query "E<> P(1).critical and P(2).critical" \
        --certificate "$PARVIS_TMP/e.cert" -q > /dev/null; "$PARVIS" recheck "$PARVIS_TMP/e.cert"'
# extremes: that nothing is beyond them
says "does not cover 'sup{P(1).critical}: P(1).x'" 'a query without a bound has none' \
    "$PARVIS" check models/timed/fischer.xta --query 'sup{P(1).critical}: P(1).x' --query 'sup: id' --query 'inf{P(1).critical}: P(1).x' \
    --certificate "$PARVIS_TMP/s.cert"
says '^sup: id: never above 4, confirmed$' 'a number is never above its sup' "$PARVIS" recheck "$PARVIS_TMP/s.cert"
says '^inf{P(1).critical}: P(1).x: always above 2, confirmed$' 'a clock is always above its inf' "$PARVIS" recheck "$PARVIS_TMP/s.cert"
says 'no certificate is written' 'a run needs none' \
    "$PARVIS" check models/timed/fischer.xta --query 'E<> P(1).critical' --certificate "$PARVIS_TMP/none.cert"
exits 1 'and there is no file' test -e "$PARVIS_TMP/none.cert"

# ---- XML, a query that is there twice, the other reading of idle steps

cat > "$PARVIS_TMP/m.xml" << 'END'
<nta><declaration>clock x; int[0,3] n;</declaration>
<template><name>P</name><location id="id0"><name>a</name><label kind="invariant">x &lt;= 2</label></location><init ref="id0"/>
<transition><source ref="id0"/><target ref="id0"/><label kind="guard">x &gt;= 1 &amp;&amp; n &lt; 3</label>
<label kind="assignment">x = 0, n++</label></transition>
<transition><source ref="id0"/><target ref="id0"/><label kind="guard">n == 3</label></transition></template>
<system>system P;</system>
<queries><query><formula>A&lt;&gt; n == 3</formula></query><query><formula>A[] n &lt;= 3</formula></query>
<query><formula>A[] n &lt;= 3</formula></query></queries></nta>
END
"$PARVIS" check "$PARVIS_TMP/m.xml" --certificate "$PARVIS_TMP/m.cert" -q > /dev/null
exits 0 'an XML model' "$PARVIS" recheck "$PARVIS_TMP/m.cert" "$PARVIS_TMP/m.xml"
says '"confirmed": true' 'as JSON' "$PARVIS" recheck "$PARVIS_TMP/m.cert" --json
"$PARVIS" check "$PARVIS_TMP/m.xml" --idle-steps count --query 'A<> n == 3' --certificate "$PARVIS_TMP/i.cert" -q > /dev/null
says 'holds with idle steps counted, confirmed' 'which reading it is for' "$PARVIS" recheck "$PARVIS_TMP/i.cert"

# ---- forged

sed 's/x > W/x >= W/' models/timed/fischer.xta > "$PARVIS_TMP/wide.xta"
query='A[] not (P(1).critical and P(2).critical)'
"$PARVIS" check models/timed/fischer.xta --query "$query" --certificate "$PARVIS_TMP/good.cert" -q > /dev/null
exits 1 'with the wider guard it is violated' "$PARVIS" check "$PARVIS_TMP/wide.xta" --query "$query"
"$PARVIS" check "$PARVIS_TMP/wide.xta" --query 'A[] true' --certificate "$PARVIS_TMP/wide.cert" -q > /dev/null
exits 2 'about another model' "$PARVIS" recheck "$PARVIS_TMP/good.cert" "$PARVIS_TMP/wide.xta"

# forge HEADER CLAIMS FROM TO: the header of one certificate (FROM in it becomes TO) with the claims of another.
forge() {
    perl -e '
        my ($header, $claims, $from, $to) = @ARGV;
        sub bytes { local (@ARGV, $/) = ($_[0]); binmode ARGV; my $t = <>; $t }
        my ($h) = bytes($header) =~ /\A(.*?)\x1f\x8b/s or die;
        my ($c) = bytes($claims) =~ /(\x1f\x8b.*)\z/s or die;
        $h =~ s/\Q$from\E/$to/ or die;
        binmode STDOUT;
        print $h, $c' "$@" > "$PARVIS_TMP/forged.cert"
}

forge "$PARVIS_TMP/good.cert" "$PARVIS_TMP/good.cert" x x
exits 0 'nothing changed: confirmed' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"
forge "$PARVIS_TMP/wide.cert" "$PARVIS_TMP/good.cert" 'A[] true' "$query"
exits 1 'a wider guard: refused' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"
says 'leads out of the set' 'with the step that it adds' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"
forge "$PARVIS_TMP/good.cert" "$PARVIS_TMP/good.cert" 'x <= K' 'x <= K + 1'
exits 2 'the text of the model was changed: it does not have its hash' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"
forge "$PARVIS_TMP/good.cert" "$PARVIS_TMP/good.cert" "$query" 'A[] true'
exits 2 'the claim is about a query that is not there' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"
forge "$PARVIS_TMP/good.cert" "$PARVIS_TMP/good.cert" '"defines": {}' '"defines": {"N": 5}'
exits 2 'another number of processes: the states are none of it' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"
forge "$PARVIS_TMP/good.cert" "$PARVIS_TMP/good.cert" '"defines": {}' '"defines": {"K": 3}'
says 'with --define K=3' 'constants are shown: nothing is confirmed of other ones in silence' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"
head -c -20 "$PARVIS_TMP/good.cert" > "$PARVIS_TMP/cut.cert"
exits 2 'a file that is cut' "$PARVIS" recheck "$PARVIS_TMP/cut.cert"

# A set of discrete states says nothing of a model with clocks, whose guards it does not look at.
cat > "$PARVIS_TMP/still.xta" << 'END'
clock x;
process P() { state a { x <= 1 }; init a; trans a -> a { guard x > 2; }; }
system P;
END
exits 1 'it deadlocks' "$PARVIS" check "$PARVIS_TMP/still.xta" --query 'A[] not deadlock'
"$PARVIS" check "$PARVIS_TMP/still.xta" --query 'A[] x <= 1' --certificate "$PARVIS_TMP/still.cert" -q > /dev/null
perl -e '
    use Compress::Zlib;
    local $/; open F, "<:raw", $ARGV[0]; my ($h) = <F> =~ /\A(.*?)\x1f\x8b/s or die;
    my $c = q({"kind":"closed set","system":") . $ARGV[1] . q(","sizes":{},"properties":[],"tables":[],"deadlock":"stuck",)
        . q("assumptions":false,"permuted":[],"states":1});
    my $n = length $c;
    my $data = "\x01" . chr($n % 128 + 128) . chr(int($n / 128)) . $c . "\0\x01";
    binmode STDOUT; print $h, Compress::Zlib::memGzip($data)' "$PARVIS_TMP/still.cert" still.xta > "$PARVIS_TMP/forged.cert"
says "'still.xta' has clocks: states alone show nothing" 'so it is refused' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"
exits 2 'with exit code 2' "$PARVIS" recheck "$PARVIS_TMP/forged.cert"

# A run-time error ends runs: nothing is certified.
cat > "$PARVIS_TMP/error.xta" << 'END'
int[0, 1] n;
process P() { state a; init a; trans a -> a { assign n = n + 1; }; }
system P;
END
says 'no certificate is written' 'after a run-time error nothing is certified' \
    "$PARVIS" check "$PARVIS_TMP/error.xta" --query 'A[] n <= 1' --certificate "$PARVIS_TMP/none.cert"

# Limits hold while rechecking.
"$PARVIS" check models/timed/fischer.xta --define N=6 --query 'A[] not deadlock' --certificate "$PARVIS_TMP/l.cert" -q > /dev/null
exits 3 'too many zones: not decided' "$PARVIS" recheck "$PARVIS_TMP/l.cert" --limit-states 1000
done_testing
