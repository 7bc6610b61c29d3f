#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mypyvy's language through the program: invariants found, given ones checked, violations found, mistakes shown.
. tests/tap.sh

says '^alone: holds for all sizes' 'an invariant is found' "$PARVIS" prove models/pyv/lock_server.pyv
says '^alone: holds for all sizes' 'the given invariant is inductive' "$PARVIS" prove --given models/pyv/lock_server.pyv
exits 1 'a violation is found' "$PARVIS" check models/pyv/lock_server_unsafe.pyv
says 'word  ask(1) ask(2) grant(1) take(1) grant(2) take(2)' 'and it is shortest' \
    "$PARVIS" check models/pyv/lock_server_unsafe.pyv
exits 3 'a given invariant that is not inductive is not accepted' \
    "$PARVIS" prove --given models/pyv/lock_server_unsafe.pyv
says "'one_grant' is not preserved by grant" 'the rule that breaks it is named' \
    "$PARVIS" prove --given models/pyv/lock_server_unsafe.pyv
says 'grant(1)' 'with a counterexample to induction' "$PARVIS" prove --given models/pyv/lock_server_unsafe.pyv

sed 's/granted(C)$/grantd(C)/' models/pyv/lock_server.pyv > "$PARVIS_TMP/typo.pyv"
exits 2 'an unknown name is an error' "$PARVIS" check "$PARVIS_TMP/typo.pyv"
says "unknown name 'grantd', did you mean 'granted'" 'with a suggestion' "$PARVIS" check "$PARVIS_TMP/typo.pyv"

# A certificate of a proof rechecks with another prover.
"$PARVIS" prove --quiet models/pyv/lock_server.pyv --certificate "$PARVIS_TMP/c.json" > /dev/null
if command -v z3 > /dev/null; then
    exits 0 'the certificate rechecks with Z3' "$PARVIS" recheck "$PARVIS_TMP/c.json" --prover z3
fi

# mypyvy's own examples, where they are at hand: MYPYVY_EXAMPLES=folder.
for file in ${MYPYVY_EXAMPLES:+"$MYPYVY_EXAMPLES"/*.pyv}; do
    says 'holds for all sizes' "given: $(basename "$file")" "$PARVIS" prove --given --quiet "$file"
done
done_testing
