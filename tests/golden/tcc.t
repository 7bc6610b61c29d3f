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
wrong tcc_forgetful 'word  open(1) read(1,1,1) nt_write(2,1,[12]) read(1,1,[12]) c_1$'
wrong eager_nt 'word  open(1) write(1,1,2) nt_read(2,1,2)$'
done_testing
