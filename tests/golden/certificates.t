#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proofs for every size: what of the library is proved, what is violated, and that every certificate is confirmed by
# other provers: Z3 and cvc5 always, E and SPASS, which prove one goal a run, for some; with PARVIS_LONG=1 all by all, and
# the slow proofs too.
. tests/tap.sh

# The provers asked about a model.
provers_for() {
    echo z3 cvc5
    case "${PARVIS_LONG:+all}$1" in tpl | seq | all*) echo eprover spass ;; esac
}

# proved FILE PROPERTY: holds for all sizes, and the provers confirm it.
proved() {
    says "^$2: holds for all sizes$" "$1: $2 for all sizes" \
        "$PARVIS" prove "models/tm/$1.pv" --property "$2" --certificate "$PARVIS_TMP/$1.json" --quiet
    for prover in $(provers_for "$1"); do
        exits 0 "$1: $2 confirmed by $prover" "$PARVIS" recheck "$PARVIS_TMP/$1.json" --prover "$prover"
    done
}

for model in tpl dstm tl2 seq tml occ norec; do proved $model strictly_serializable; done
for model in tpl dstm seq tml norec; do proved $model opaque; done
if [ -n "${PARVIS_LONG:-}" ]; then
    proved tl2 opaque
    proved tl2_split strictly_serializable
fi

exits 1 'swapped TL2 is not strictly serializable' \
    "$PARVIS" prove models/tm/tl2_swapped.pv --property strictly_serializable
says 'word  r1_1 w1_1 w1_2 c_2 c_1' 'with a shortest word' \
    "$PARVIS" prove models/tm/tl2_swapped.pv --property strictly_serializable
exits 1 'OCC is not opaque' "$PARVIS" prove models/tm/occ.pv --property opaque
exits 3 'no time: unknown' "$PARVIS" prove models/tm/tl2_split.pv --property opaque --limit-time 1s
says 'nothing is proved: no certificate is written' 'no time: no certificate' \
    "$PARVIS" prove models/tm/tl2_split.pv --property opaque --limit-time 1s --certificate "$PARVIS_TMP/none.json"
exits 1 'there is no file' test -e "$PARVIS_TMP/none.json"

# A lemma as deep as a chain of definitions is read back.
awk 'BEGIN {
    print "sort P\nsystem A {\n var x(P): bool = false\n var y(P): bool = false\n def d0(p: P) = x(p)"
    for (i = 1; i < 150; i++) printf " def d%d(p: P) = x(p) -> (y(p) | d%d(p))\n", i, i - 1
    print " action go(p: P) when true { y(p) := false }\n invariant deep: forall p: P. !y(p) & !x(p) & d149(p)\n}" }' \
    > "$PARVIS_TMP/deep.pv"
"$PARVIS" prove "$PARVIS_TMP/deep.pv" --certificate "$PARVIS_TMP/deep.json" --quiet > /dev/null
exits 0 'a deep lemma' "$PARVIS" recheck "$PARVIS_TMP/deep.json" "$PARVIS_TMP/deep.pv"

# A certificate that claims too much is not confirmed.
"$PARVIS" prove models/tm/tpl.pv --property opaque --certificate "$PARVIS_TMP/c.json" --quiet > /dev/null
sed '0,/"Opacity.prs"/s//"Opacity.rs"/' "$PARVIS_TMP/c.json" > "$PARVIS_TMP/bad.json"
exits 1 'a lemma was changed' cmp -s "$PARVIS_TMP/c.json" "$PARVIS_TMP/bad.json"
exits 2 'a lemma whose text is another than its tree is refused' "$PARVIS" recheck "$PARVIS_TMP/bad.json"
sed -i '0,/Opacity.prs(t0, v1)/s//Opacity.rs(t0, v1)/' "$PARVIS_TMP/bad.json"
exits 1 'a lemma that is not inductive is refused' "$PARVIS" recheck "$PARVIS_TMP/bad.json"
sed 's/"system": "[^"]*"/"system": "TL2"/' "$PARVIS_TMP/c.json" > "$PARVIS_TMP/bad.json"
exits 2 'a proof about another system is refused' "$PARVIS" recheck "$PARVIS_TMP/bad.json"
sed '/"sorts"/,/]/s/"Loc"/"Thread"/' "$PARVIS_TMP/c.json" > "$PARVIS_TMP/bad.json"
exits 2 'a proof about other sorts is refused' "$PARVIS" recheck "$PARVIS_TMP/bad.json"
exits 2 'a certificate is about one model' "$PARVIS" recheck "$PARVIS_TMP/c.json" models/tm/tml.pv
exits 0 'its own model' "$PARVIS" recheck "$PARVIS_TMP/c.json" models/tm/tpl.pv
exits 2 'an unknown prover is an error' "$PARVIS" recheck "$PARVIS_TMP/c.json" --prover vampire
done_testing
