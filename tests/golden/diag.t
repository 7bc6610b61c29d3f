#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# diag: mistakes in models, as the program shows them: messages on standard error, exit status 2. The texts of all
# messages are compared in tests/unit/pv_messages_test.c; here a few go the whole way.
. tests/tap.sh

for model in all_at_once chained types unknown_name twice use_missing; do
    exits 2 "exit status of $model" "$PARVIS" check tests/golden/diag/$model.pv
    same tests/golden/diag/$model.gold "messages of $model" "$PARVIS" check tests/golden/diag/$model.pv
done

for model in all_at_once.m; do
    same tests/golden/diag/$model.gold "messages of $model" "$PARVIS" check tests/golden/diag/$model
done

printf '// [1]\nsort T\nsystem S {\n  rel p(T)\n  action a(t: T] { p(t) := true }\n}\n' > "$PARVIS_TMP/bracket.pv"
says "5:16: error: unexpected character ']'" 'a bracket of a comment opens nothing' "$PARVIS" check "$PARVIS_TMP/bracket.pv"
says 'error: cannot read .no/such/file.pv.: No such file' 'a main file that is not there' "$PARVIS" check no/such/file.pv
says "no constant 'N'" '--define of a constant that is not there' "$PARVIS" check -D N=3 models/tm/seq.pv

# What is found later is shown then, without what was shown before.
printf 'var x: boolean;\n' > "$PARVIS_TMP/none.m"
once() { [ "$("$PARVIS" prove "$PARVIS_TMP/none.m" 2>&1 | grep -c "$1")" -eq 1 ]; }
check 'a warning is shown once' once 'has no startstate'
check 'and so is the error that comes after it' once 'states no invariant'
: > "$PARVIS_TMP/empty.pyv"
exits 2 'nothing is not a model' "$PARVIS" check "$PARVIS_TMP/empty.pyv"
says 'declares nothing' 'and is said to be nothing' "$PARVIS" check "$PARVIS_TMP/empty.pyv"
done_testing
