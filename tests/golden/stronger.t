#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# prove: a property that follows from a stronger one is concluded, with a certificate; a file that states what is not so
# is believed in nothing.
. tests/tap.sh
T=$PARVIS_TMP

# ---- opaque memories are strictly serializable
"$PARVIS" prove models/tm/norec.pv --certificate "$T/norec.json" > "$T/norec.out"
for line in '^strictly_serializable: holds for all sizes$' '^opaque: holds for all sizes$' 'follows from opaque: Opacity'; do
    says "$line" "NOrec: $line" cat "$T/norec.out"
done
exits 0 'in the order of the file' awk '/^strictly_serializable/ { seen = 1 } /^opaque/ { exit !seen }' "$T/norec.out"
for prover in z3 cvc5; do
    says '^strictly_serializable: confirmed given opaque, ' "confirmed by $prover" \
        "$PARVIS" recheck "$T/norec.json" --prover $prover
    says '^opaque: confirmed, ' "so is what it rests on, by $prover" "$PARVIS" recheck "$T/norec.json" --prover $prover
done
says '"rests_on": "follows from opaque' 'JSON says it too' "$PARVIS" prove models/tm/norec.pv --json
"$PARVIS" prove models/tm/norec.pv --property strictly_serializable > "$T/alone.out"
exits 1 'asked for alone, it is proved directly' grep -q 'follows from' "$T/alone.out"

# ---- forged certificates
perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>); my @p = @{$j->{proofs}};
    $j->{proofs} = [grep { $_->{property} ne "opaque" } @p]; print encode_json($j)' < "$T/norec.json" > "$T/half.json"
exits 2 'what it rests on must be there' "$PARVIS" recheck "$T/half.json"
perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>);
    for (@{$j->{proofs}}) { $_->{follows_from} = "strictly_serializable" if $_->{property} eq "opaque" }
    print encode_json($j)' < "$T/norec.json" > "$T/circle.json"
exits 2 'no two rest on each other' "$PARVIS" recheck "$T/circle.json"
perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>);
    for (@{$j->{proofs}}) { delete $_->{follows_from} } print encode_json($j)' < "$T/norec.json" > "$T/direct.json"
exits 2 'its lemmas do not show it directly' "$PARVIS" recheck "$T/direct.json"

perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>);
    for (@{$j->{proofs}}) { $_->{lemmas}[0]{assumed} = JSON::PP::true if $_->{property} eq "opaque" }
    print encode_json($j)' < "$T/norec.json" > "$T/assumed.json"
says 'there is no proof of' 'nothing follows from a proof that rests on an assumption' "$PARVIS" recheck "$T/assumed.json"

# ---- a file that states what is not so
cat > "$T/often.pv" <<'END'
sort P
system Often { rel done(P)  action go(p: P) { done(p) := true } }
END
cat > "$T/once.pv" <<'END'
sort P
system Once { rel done(P)  action go(p: P) when !done(p) { done(p) := true } }
END
cat > "$T/often_is_stronger.pv" <<'END'
use "often.pv"
use "once.pv"
sort P
property wrong: Often refines Once by { same: forall p: P. done(p) <-> Once.done(p) }
END
cat > "$T/again.pv" <<'END'
use "often.pv"
use "once.pv"
sort P
system Again { rel x(P)  action go(p: P) { x(p) := true } }
property once: Again refines Once
property often: Again refines Often
END
says '^once: violated' 'what does not follow is not concluded' "$PARVIS" prove "$T/again.pv"
says '^often: holds for all sizes$' 'what it would follow from holds' "$PARVIS" prove "$T/again.pv"
printf 'use "nowhere.pv"\n' > "$T/often_is_stronger.pv"
says '^once: violated' 'a file that cannot be read is left alone' "$PARVIS" prove "$T/again.pv"
exits 0 'without a word' sh -c "! '$PARVIS' prove '$T/again.pv' 2>&1 | grep nowhere"

# ---- one that is right
sed -i 's/ when !done(p)//' "$T/once.pv"
cat > "$T/often_is_stronger.pv" <<'END'
use "often.pv"
use "once.pv"
sort P
property right: Often refines Once by { same: forall p: P. done(p) <-> Once.done(p) }
END
says 'follows from often: Often refines Once' 'files of your own count' "$PARVIS" prove "$T/again.pv"

# ---- one with an action that the weaker specification does not know: what is asked for is proved directly
cat > "$T/often.pv" <<'END'
sort P
system Often { rel done(P)  action go(p: P) { done(p) := true }  action more(p: P) { done(p) := false } }
END
cat > "$T/often_is_stronger.pv" <<'END'
sort P
system Often { rel done(P)  action go(p: P) { done(p) := true } }
system Once { rel done(P)  action go(p: P) { done(p) := true } }
property right: Often refines Once by { same: forall p: P. done(p) <-> Once.done(p) }
END
says '^once: holds for all sizes$' 'an action more does no harm' "$PARVIS" prove "$T/again.pv"

# ---- specifications with a part in common: its state exists only once, so neither follows the other
cat > "$T/shared.pv" <<'END'
sort T
system Impl { rel on  internal action prep { on := true }  action go(t: T) when on { on := true } }
system X { rel x  action go(t: T) when x { x := true }  internal action flip { x := true } }
system Y { rel y  action go(t: T) { y := true } }
system Z { rel z  action go(t: T) { z := true }  internal action flip when false { z := true } }
compose A = X || Y
compose B = X || Z
property a: Impl refines A with prep: flip
property b: Impl refines B
END
cat > "$T/shared_is_stronger.pv" <<'END'
sort T
system A { rel x, y  action go(t: T) when x { y := true }  internal action flip { x := true } }
system B { rel x, z  action go(t: T) when x { z := true } }
property lie: A refines B by { nothing: true }
END
says '^a: holds for all sizes$' 'the one holds' "$PARVIS" prove "$T/shared.pv" --certificate "$T/shared.json"
says '^b: violated' 'the other does not follow from it' "$PARVIS" prove "$T/shared.pv"
perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>); my ($a) = @{$j->{proofs}};
    push @{$j->{proofs}}, { property => "b", follows_from => "a", system => "A \x{d7} B", sorts => $a->{sorts},
                            lemmas => [], obligations => [] }; print encode_json($j)' < "$T/shared.json" > "$T/forged.json"
exits 2 'and no certificate says so' "$PARVIS" recheck "$T/forged.json" --prover z3
done_testing
