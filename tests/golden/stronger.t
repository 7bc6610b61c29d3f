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
done_testing
