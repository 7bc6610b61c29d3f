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

# A name in backquotes is one name, dots or not; System.member without them is another.
cat > "$PARVIS_TMP/dots.pv" <<'END'
enum Kind { `c.d`, plain }
system `S.t` {
  var `a.b`: 0..2
  var k: Kind = plain
  def `d.e`(`x.y`: Kind) = k = `x.y` & `a.b` < 2
  proc `p.q`(`v.w`: Kind) { k := `v.w` }
  action step when `a.b` < 2 { `a.b` := `a.b` + 1; `p.q`(`c.d`) }
  invariant small: `a.b` < 2 | k = plain
  invariant never: !`d.e`(`c.d`)
}
system Spec {
  var n: 0..2
  action step when n < 2 { n := n + 1 }
}
property same: `S.t` refines Spec by { equal: `a.b` = Spec.n }
END
again "$PARVIS_TMP/dots.pv" > "$PARVIS_TMP/twice.pv" 2> "$PARVIS_TMP/messages"
check 'names with dots' diff -u "$PARVIS_TMP/once.pv" "$PARVIS_TMP/twice.pv"
for line in '^small: violated' '^never: violated' '^same: holds'; do
    says "$line" "names with dots: $line" "$PARVIS" check --quiet --all-invariants "$PARVIS_TMP/dots.pv"
done
done_testing
