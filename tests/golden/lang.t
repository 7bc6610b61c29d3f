#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# lang: every model of the library is shown in its canonical form, and the canonical form shows as itself.
. tests/tap.sh

again() { "$PARVIS" show "$1" > "$PARVIS_TMP/once.pv" && "$PARVIS" show "$PARVIS_TMP/once.pv"; }

for model in $(find models -name '*.pv' | sort); do
    again "$model" > "$PARVIS_TMP/twice.pv" 2> "$PARVIS_TMP/messages"
    check "$model" diff -u "$PARVIS_TMP/once.pv" "$PARVIS_TMP/twice.pv"
done
done_testing
