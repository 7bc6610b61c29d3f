#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# prove --lemmas: lemmas and schemas in a file of their own, for .pv and .pyv models, and mistakes in it.
. tests/tap.sh
T=$PARVIS_TMP

# ---- .pv: what stands in the file is tried in the system that the first property is about
cat > "$T/ring.pv" <<'END'
sort Node
system Token {
  rel has(Node), sent(Node), seen(Node)
  init { forall n: Node { has(n) := false } }
  action make(n: Node) when forall m: Node. !has(m) & !sent(m) { has(n) := true }
  action send(n, m: Node) when has(n) { has(n) := false; sent(m) := true; seen(n) := true }
  action take(n: Node) when sent(n) { sent(n) := false; has(n) := true }
}
property one: Token invariant forall n, m: Node. has(n) & has(m) -> n = m
END
cat > "$T/good.lem" <<'END'
// what the token does
lemma apart: forall n, m: Node. has(n) -> !sent(m)
lemma never: forall n: Node. !seen(n)
schema shape: forall n, m: Node. sent(n) & _ -> _ | n = m
END
"$PARVIS" prove "$T/ring.pv" --lemmas "$T/good.lem" > "$T/ring.out" 2> "$T/ring.err"
says '^one: holds for all sizes$' 'a property with lemmas from a file' cat "$T/ring.out"
says "good.lem:3:7: warning: lemma 'never' is false in a state that was reached" 'a false one is reported at its place' \
    cat "$T/ring.err"
"$PARVIS" prove "$T/ring.pv" --lemmas "$T/good.lem" --quiet --certificate "$T/ring.json" > /dev/null 2>&1
exits 0 'the certificate needs no file of lemmas' "$PARVIS" recheck "$T/ring.json" --prover cvc5

# ---- in a product a lemma may speak of a specification; where another one is meant, it is left alone
echo 'lemma both: forall t: Thread, v: Loc. Opacity.rs(t, v) & StrictSerializability.rs(t, v) -> rs(t, v)' \
    > "$T/both.lem"
says '^opaque: holds for all sizes$' 'a lemma about a specification that is not there' \
    "$PARVIS" prove models/tm/norec.pv --property opaque --lemmas "$T/both.lem"

# ---- mistakes
bad() { # text of the file, message
    printf '%b' "$1" > "$T/bad.lem"
    exits 2 "refused: $2" "$PARVIS" prove "$T/ring.pv" --lemmas "$T/bad.lem"
    "$PARVIS" prove "$T/ring.pv" --lemmas "$T/bad.lem" > "$T/bad.out" 2>&1
    says "$2" "said: $2" cat "$T/bad.out"
}
bad 'action x() {}\n' 'only lemmas and schemas are expected in this file'
bad 'lemma x: true }\n' "expected a declaration, found '}'"
bad 'lemma x: forall n: Node. hass(n)\n' "unknown relation 'hass', did you mean 'has'?"
bad 'lemma x: has\n' 'bad.lem:1:10: error'
exits 2 'no such file' "$PARVIS" prove "$T/ring.pv" --lemmas "$T/nowhere.lem"
printf 'sort Node\n' > "$T/none.pv"
exits 2 'no system' "$PARVIS" prove "$T/none.pv" --lemmas "$T/good.lem"

# ---- .pyv: an invariant with _ is a schema
lock=models/pyv/lock_server.pyv
printf 'invariant [shape] forall X:client, Y:client. granted(X) & _ -> _ | X = Y\n' > "$T/shape.lem"
says '^alone: holds for all sizes$' 'a schema for a .pyv model' "$PARVIS" prove $lock --lemmas "$T/shape.lem"
printf 'invariant [shape] (exists X:client. granted(X) & holds(X)) -> _\n' > "$T/odd.lem"
candidates() { "$PARVIS" prove $lock --json "$@" | sed -n 's/.*"candidates": *//p'; }
exits 0 'the literals of a schema are there for all lemmas' \
    test "$(candidates)" != "$(candidates --lemmas "$T/odd.lem")"
printf 'invariant [five] forall A:client, B:client, C:client, D:client, E:client. holds(A) -> _\n' > "$T/five.lem"
exits 2 'too many variables' "$PARVIS" prove $lock --lemmas "$T/five.lem"
printf 'invariant [many] holds(A) & _ & _ & _ & _ & _ & _ & _ -> _\n' > "$T/many.lem"
exits 2 'too many literals' "$PARVIS" prove $lock --lemmas "$T/many.lem"

# ---- a hundred of them, of which most stand only for a step: frames take them up one after the other
cat > "$T/taken.pyv" <<'END'
sort node
mutable relation has(node)
mutable relation seen(node)
mutable relation mark(node)
init forall N. !has(N) & !seen(N) & !mark(N)
transition take(n: node)
  modifies has, mark
  & (forall N. !has(N))
  & (forall N. has'(N) -> N = n)
  & (forall N. mark'(N) -> mark(N) | N = n)
transition leave(n: node)
  modifies has, seen
  & has(n)
  & (forall N. !has'(N))
  & (forall N. seen'(N) -> seen(N) | N = n)
safety [one] forall N, M. has(N) & has(M) -> N = M
END
awk 'BEGIN {
    split("!has has !seen seen !mark mark", r); split("A B C D", v)
    for (i = 0; i < 100; i++)
        printf "invariant [n%d] forall A:node, B:node, C:node, D:node. !seen(A) | !mark(B) | has(C) | %s(%s) | %s(%s) | %s(%s)\n", i,
            r[i % 6 + 1], v[i % 4 + 1], r[int(i / 6) % 6 + 1], v[int(i / 4) % 4 + 1], r[int(i / 36) % 6 + 1], v[int(i / 16) % 4 + 1]
}' > "$T/hundred.lem"
says '^one: holds for all sizes$' 'a hundred lemmas' "$PARVIS" prove "$T/taken.pyv" --lemmas "$T/hundred.lem" --quiet
done_testing
