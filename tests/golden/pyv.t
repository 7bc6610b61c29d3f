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

# Theorems are properties of their own; what they say about a step comes from the transition's formula.
cat > "$PARVIS_TMP/theorems.pyv" <<'END'
sort node
immutable relation le(node, node)
axiom le(X, X)
axiom le(X, Y) & le(Y, Z) -> le(X, Z)
mutable relation on(node)
init !on(N)
transition set(n: node)
  modifies on
  (forall N. new(on(N)) <-> on(N) | N = n)
theorem [reflexive] forall X. exists Y. le(X, Y)
zerostate theorem [chain] le(A, B) & le(B, C) & le(C, D) -> le(A, D)
zerostate theorem [symmetric] le(A, B) -> le(B, A)
twostate theorem [grows] forall n. set(n) -> (forall N. on(N) -> new(on(N)))
twostate theorem [shrinks] forall n. set(n) -> (forall N. new(on(N)) -> on(N))
END
given_theorems() { "$PARVIS" prove --given --quiet "$PARVIS_TMP/theorems.pyv"; }
says '^reflexive: holds for all sizes' 'a theorem with a quantifier alternation' given_theorems
says '^chain: holds for all sizes' 'a theorem about the axioms' given_theorems
says '^symmetric: violated: does not follow' 'one that does not follow' given_theorems
says '^grows: holds for all sizes' 'a theorem about two states' given_theorems
says '^shrinks: violated: does not follow' 'one that a step refutes' given_theorems
exits 1 'a theorem that does not follow is a violation' given_theorems

# A variable of a `let` has the value of the state in which it is bound; a primed relation is about the next state, its
# arguments are not; new(…) is about the next state in all that stands in it.
cat > "$PARVIS_TMP/states.pyv" <<'END'
sort s
mutable constant c: s
mutable relation p(s)
init true
transition go(n: s)
  modifies c
  c' = n
definition on_c() = p(c)
definition on(x: s) = p(x)
twostate theorem [kept] (let y = c in new(p(y))) <-> p'(c)
twostate theorem [inside] new(let y = c in p(y)) <-> p'(c')
twostate theorem [argument] on'(c) <-> p'(c)
twostate theorem [whole] new(on(c)) & new(on_c) <-> p'(c')
twostate theorem [other] (let y = c in new(p(y))) <-> p'(c')
END
states() { "$PARVIS" prove --given --quiet "$PARVIS_TMP/states.pyv"; }
for name in kept inside argument whole; do says "^$name: holds for all sizes" "which state: $name" states; done
says '^other: violated' 'which state: not the other one' states

# Files that are refused: STEM, WHAT, MESSAGE, a line more.
refused() {
    printf 'sort s\nmutable relation p(s)\nmutable relation r(s, s)\ninit !p(X)\n%s\n' "$3" > "$PARVIS_TMP/refused.pyv"
    exits 2 "$1" "$PARVIS" check "$PARVIS_TMP/refused.pyv"
    says "$2" "$1: what is wrong" "$PARVIS" check "$PARVIS_TMP/refused.pyv"
}
form='a derived relation needs the form'
refused 'a derived relation with a variable more' "$form" 'derived relation d(s): forall X, Y. d(X) <-> r(X, Y)'
refused 'a derived relation said for equal arguments only' "$form" 'derived relation d(s, s): forall X. d(X, X) <-> p(X)'
refused 'a derived relation of itself' "$form" 'derived relation d(s): forall X. d(X) <-> !d(X)'
refused 'a derived relation of the next state' "$form" 'derived relation d(s): forall X. d(X) <-> new(p(X))'
refused 'a derived function' 'only relations can be derived' 'derived function f(s): s: f(X) = X'
refused 'two primes' 'no state after the next one' "twostate theorem p''(X) -> p(X)"
refused 'a prime inside new' 'no state after the next one' "twostate theorem new(p'(X)) -> p(X)"
refused 'new inside new' 'no state after the next one' 'twostate theorem new(new(p(X))) -> p(X)'
refused 'a variable with a prime' 'is a variable: it has no next value' "twostate theorem p(X') -> p(X)"
refused 'the next state in a theorem of one' 'the next state has no place here' 'theorem new(p(X)) -> p(X)'

# Definitions of definitions are a formula of few parts and 2^60 nodes.
{
    printf 'sort s\nmutable relation p(s)\nimmutable relation a\nimmutable relation b\ndefinition d0() = a | b\n'
    for i in $(seq 1 60); do echo "definition d$i() = (d$((i - 1)) & a) | (!d$((i - 1)) & b)"; done
    printf 'init !p(X)\nsafety [none] !p(X) | a\ntransition t(x: s)\n modifies p\n'
    printf "(d60 -> (p'(X) <-> p(X))) & (!d60 -> (p'(X) <-> X = x))\n"
} > "$PARVIS_TMP/deep.pyv"
says '^none: violated' 'definitions of definitions are read in no time' \
    timeout 20 "$PARVIS" check --quiet "$PARVIS_TMP/deep.pyv"

# Bugs put into small protocols are found by a search.
cat > "$PARVIS_TMP/consensus.pyv" <<'END'
sort node
sort quorum
sort value
immutable relation member(node, quorum)
axiom [meet] forall Q1, Q2. exists N. member(N, Q1) & member(N, Q2)
mutable relation voted(node)
mutable relation vote(node, value)
mutable relation decided(value)
init !voted(N) & !vote(N, V) & !decided(V)
transition cast(n: node, v: value)
  modifies voted, vote
  & !voted(n)
  & (forall N. new(voted(N)) <-> voted(N) | N = n)
  & (forall N, V. new(vote(N, V)) <-> vote(N, V) | N = n & V = v)
transition decide(v: value, q: quorum)
  modifies decided
  & (forall N. member(N, q) -> vote(N, v))
  & (forall V. new(decided(V)) <-> decided(V) | V = v)
safety [agreement] decided(V1) & decided(V2) -> V1 = V2
invariant vote(N, V) -> voted(N)
invariant vote(N, V1) & vote(N, V2) -> V1 = V2
invariant decided(V) -> (exists Q. forall N. member(N, Q) -> vote(N, V))
END
says '^agreement: holds for all sizes' 'consensus by quorums' "$PARVIS" prove --given "$PARVIS_TMP/consensus.pyv"
exits 0 'a search finds nothing in it' "$PARVIS" check "$PARVIS_TMP/consensus.pyv"
mutant() {  # NAME WHAT SED-COMMAND
    sed "$3" "$PARVIS_TMP/consensus.pyv" > "$PARVIS_TMP/$1.pyv"
    says '^agreement: violated' "$2: found by a search" "$PARVIS" check --quiet "$PARVIS_TMP/$1.pyv"
    says 'agreement: unknown' "$2: not accepted as proved" "$PARVIS" prove --given --quiet "$PARVIS_TMP/$1.pyv"
}
mutant twice 'a node votes twice' 's/& !voted(n)$/\& true/'
mutant apart 'quorums that do not meet' '/^axiom/d'
mutant one 'one vote suffices' 's/(forall N. member(N, q) -> vote/(exists N. member(N, q) \& vote/'

# mypyvy's own examples, where they are at hand: MYPYVY_EXAMPLES=folder. Those in misc/pd with a bug in them are
# violated at sizes 2, one of them with four rounds only.
for file in ${MYPYVY_EXAMPLES:+"$MYPYVY_EXAMPLES"/*.pyv}; do
    says 'holds for all sizes' "given: $(basename "$file")" "$PARVIS" prove --given --quiet "$file"
done
for name in ${MYPYVY_EXAMPLES:+cache_unsafe consensus_unsafe lockserv_unsafe paxos_forall_choosable_unsafe \
    paxos_forall_choosable_unsafe_no_intersection sharded-kv_unsafe sharded-kv_unsafe2}; do
    exits 1 "a search finds the bug: $name" "$PARVIS" check --quiet "$MYPYVY_EXAMPLES/misc/pd/$name.pyv"
done
if [ -n "${MYPYVY_EXAMPLES:-}" ] && [ -n "${PARVIS_LONG:-}" ]; then
    exits 1 'a search finds the bug: paxos_forall_choosable_unsafe2' "$PARVIS" check --quiet \
        --size node=2,value=2,quorum=2,round=4 "$MYPYVY_EXAMPLES/misc/pd/paxos_forall_choosable_unsafe2.pyv"
fi
done_testing
