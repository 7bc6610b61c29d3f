#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Memories with values and accesses outside transactions: proofs for every size, confirmed by two other
# provers, and shortest histories of the wrong ones. Verdicts at small sizes: the `expect` lines,
# golden/models.
. tests/tap.sh

proved() {
    says '^strictly_serializable: holds for all sizes$' "$1 is strictly serializable for all sizes" \
        "$PARVIS" prove "models/tcc/$1.pv" --certificate "$PARVIS_TMP/$1.json" --quiet
    for prover in z3 cvc5; do
        exits 0 "$1 confirmed by $prover" "$PARVIS" recheck "$PARVIS_TMP/$1.json" --prover "$prover"
    done
}

# wrong FILE LAST_STEPS
wrong() {
    exits 1 "$1 is refuted" "$PARVIS" prove "models/tcc/$1.pv" --quiet
    says "$2" "$1: a shortest history" "$PARVIS" check "models/tcc/$1.pv"
}

for model in tcc tcc_nt eager; do proved $model; done
wrong tcc_forgetful 'word  open(1) read(1,1,1) .*nt_write(2,1,[12]).* c_1$'
wrong eager_nt 'word  open(1) write(1,1,2) nt_read(2,1,2)$'

# The paper's abstraction relation: rule ABS-REL.
tcc=models/tcc/tcc_nt.pv
says '^lazily_invalidating: holds for all sizes$' 'TCC refines Spec_A with the relation of the paper' \
    "$PARVIS" prove $tcc --property lazily_invalidating --certificate "$PARVIS_TMP/related.json"
for prover in z3 cvc5; do
    exits 0 "the relation is confirmed by $prover" "$PARVIS" recheck "$PARVIS_TMP/related.json" --prover "$prover"
done

# wrong_relation NAME SED MESSAGE: a changed relation, and the premise that fails.
cp -r models "$PARVIS_TMP/models"
wrong_relation() {
    sed "$2" $tcc > "$PARVIS_TMP/$tcc"
    exits 1 "$1: the relation was changed" cmp -s $tcc "$PARVIS_TMP/$tcc"
    exits 3 "$1: not proved" "$PARVIS" prove --allow "$PARVIS_TMP/models" "$PARVIS_TMP/$tcc" --property lazily_invalidating
    says "^lazily_invalidating: unknown: .*$3" "$1: $3" \
        "$PARVIS" prove --allow "$PARVIS_TMP/models" "$PARVIS_TMP/$tcc" --property lazily_invalidating
    says 'counterexample to induction' "$1: with a state" \
        "$PARVIS" prove --allow "$PARVIS_TMP/models" "$PARVIS_TMP/$tcc" --property lazily_invalidating
}
wrong_relation 'not true at first' 's/!active(p) -> !doomed(p) &/active(p) \& !doomed(p) \&/' \
    "R1: 'empty' is not true initially"
wrong_relation 'without the extra invariant' '/consistent:/d' 'R2: the specification refuses commit'
wrong_relation 'without memory' '/same_memory:/d' 'R2: the specification refuses nt_read'
wrong_relation 'doomed the wrong way round' 's/same_doomed: forall p: Client. doomed(p) <->/same_doomed: forall p: Client. doomed(p) ->/' \
    'R2: the specification refuses commit'
wrong_relation 'justice' 's/justice closes:.*/justice closes: forall p: Client. !doomed(p) -> !LazyInvalidation.live(p)/' \
    "R4: justice 'closes' does not follow"

# Where a limit is met, what is still open is not blamed, conjunct by conjunct.
says '^lazily_invalidating: unknown: stopped at the time limit of [0-9.]* s; not every question was answered$' \
    'no time: nothing is blamed' "$PARVIS" prove --given $tcc --limit-time 0.001s

# Fairness that is assumed must be possible.
cat > "$PARVIS_TMP/stays.pv" <<'END'
sort P
system S {
  rel b(P)
  action go(p: P) when !b(p) { b(p) := true }
}
system T {
  rel c(P)
  action go(p: P) { c(p) := true }
}
property r: S refines T by {
  same: forall p: P. b(p) <-> T.c(p)
  justice rests: forall p: P. !b(p) -> !T.c(p)
}
END
says "^r: unknown: R4: what 'rests' assumes cannot happen any more from some state of P=2$" 'fairness that is impossible' \
    "$PARVIS" prove "$PARVIS_TMP/stays.pv"
says '(from every state of Client=2, Loc=2, Value=2 that can happen again)' 'fairness that is possible, and where' \
    "$PARVIS" prove $tcc --property lazily_invalidating

sed 's/LazyInvalidation.mem/LazyInvalidation.men/' $tcc > "$PARVIS_TMP/$tcc"
exits 2 'a misspelt name of the specification is an error' "$PARVIS" prove --allow "$PARVIS_TMP/models" "$PARVIS_TMP/$tcc"
says "unknown function 'LazyInvalidation.men'" 'with its name' "$PARVIS" prove --allow "$PARVIS_TMP/models" "$PARVIS_TMP/$tcc"
done_testing
