#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# prove: what is proved for all sizes, what is violated, what stays unknown and why; certificates and their recheck.
. tests/tap.sh
tm=models/tm
T=$PARVIS_TMP

# ---- the library
for model in tpl dstm tl2 tml occ norec seq; do
    says '^strictly_serializable: holds for all sizes$' "$model is strictly serializable" \
        "$PARVIS" prove $tm/$model.pv --property strictly_serializable
done
for model in tpl dstm tml norec seq; do
    says '^opaque: holds for all sizes$' "$model is opaque" "$PARVIS" prove $tm/$model.pv --property opaque
done
for model in tpl dstm tl2; do
    says '^printed_ss: holds for all sizes$' "$model refines the printed specification" \
        "$PARVIS" prove $tm/$model.pv --property printed_ss
done
says '^opacity_is_stronger: holds for all sizes$' 'what is opaque is strictly serializable' \
    "$PARVIS" prove models/specs/opacity_is_stronger.pv
exits 1 'OCC is not opaque' "$PARVIS" prove $tm/occ.pv --property opaque
says '    word  r1_1 w1_1 w1_2 c_2 c_1$' 'TL2 with lock and validate swapped: a shortest trace' \
    "$PARVIS" prove $tm/tl2_swapped.pv --size Thread=2,Loc=1 --property strictly_serializable

# ---- invariants found from the safety property alone, confirmed by another prover
for model in lock_server semaphores shards votes votes_exists requests firewall two_phase_commit ring ticket_lock hand_over; do
    "$PARVIS" prove models/pyv/$model.pyv --quiet --certificate "$T/pyv.json" > "$T/pyv.out"
    exits 0 "$model: every property holds for all sizes" awk '!/: holds for all sizes$/ { exit 1 }' "$T/pyv.out"
    exits 0 "$model: confirmed by cvc5" "$PARVIS" recheck "$T/pyv.json" --prover cvc5
    exits 0 "$model: the invariant of the file" "$PARVIS" prove --given models/pyv/$model.pyv
done

# ---- Paxos: a lemma about some node of every quorum
"$PARVIS" prove models/pyv/paxos.pyv --quiet --certificate "$T/pyv.json" > "$T/pyv.out"
exits 0 'Paxos agrees, for all sizes' grep -q '^agreement: holds for all sizes$' "$T/pyv.out"
exits 0 'Paxos: confirmed by cvc5' "$PARVIS" recheck "$T/pyv.json" --prover cvc5
wrong_paxos() {  # WHAT SED-COMMAND
    sed "$2" models/pyv/paxos.pyv > "$T/paxos.pyv"
    says '^agreement: violated' "Paxos, $1: not proved" "$PARVIS" prove --quiet "$T/paxos.pyv"
}
wrong_paxos 'votes in ballots that were left' 's/^  & !left(n, b)$/  \& true/'
wrong_paxos 'later votes looked at in place of earlier ones' 's/& !le(b, B) -> !vote/\& le(b, B) -> !vote/'
wrong_paxos 'a proposal without a quorum' 's/^  & (forall N. member(N, q) -> entered(N, b))$/  \& true/'

# ---- a property that is not found takes its share of the limit and no more, and its answer says how far the search came
awk '/^safety \[agreement\]/ {
    print "safety [safe] forall N, B, V. vote(N, B, V) -> exists Q. forall M, D, W. member(M, Q) & !le(B, D) & vote(M, D, W) ->"
    print "  W = V | (exists E. !le(E, D) & !le(B, E) & (exists K. member(K, Q) & vote(K, E, V)))"
} { print }' models/pyv/paxos.pyv > "$T/shared.pyv"
"$PARVIS" prove "$T/shared.pyv" --limit-cpu 12s > "$T/shared.out"
says '^safe: unknown: stopped at its share of the limit, 6.00 s of processor time$' 'no more than its share' cat "$T/shared.out"
says '^agreement: holds for all sizes$' 'the next property has its turn' cat "$T/shared.out"
sed '/^agreement/,$d' "$T/shared.out" > "$T/shared.safe"
says '^      forall b, A: ballot, n: node. left(n, A) -> le(A, b) | left(n, b)$' 'lemmas found on the way are shown' cat "$T/shared.safe"
says '^    counterexample to induction: ' 'and a step that stands in the way' cat "$T/shared.safe"
says '^      le: [12] ≤ [12]' 'whose order is a chain' cat "$T/shared.safe"
says '^    a lemma that would exclude it' 'and a lemma to try' cat "$T/shared.safe"
says '"proposed_lemma": "forall' 'in JSON too' "$PARVIS" prove "$T/shared.pyv" --property safe --limit-cpu 6s --json
exits 1 'the chain is not listed pair by pair too' grep -q ' le(1,' "$T/shared.safe"
exits 0 'no lemma is said twice' awk '/^      (forall|exists|!)/ { if (seen[$0]++) exit 1 }' "$T/shared.safe"

# ---- a function into an order, read as two relations, so that a lemma about some node of every quorum can be found
"$PARVIS" prove models/pyv/voting.pyv > "$T/voting.out"
exits 0 'voting agrees, for all sizes' grep -q '^agreement: holds for all sizes$' "$T/voting.out"
exits 0 'voting: the lemmas are about the function' grep -q 'exists .*!le(reached(' "$T/voting.out"
exits 1 'voting: and about nothing else' grep -q 'reached_' "$T/voting.out"
exits 0 'voting: by which way' grep -q ', by functions as relations$' "$T/voting.out"
says ', by separators$' 'paxos: by which way' "$PARVIS" prove models/pyv/paxos.pyv
says '"found_by": "small instances"' 'votes: by which way, in JSON' "$PARVIS" prove models/pyv/votes.pyv --json
wrong_voting() {  # WHAT SED-COMMAND
    sed "$2" models/pyv/voting.pyv > "$T/voting.pyv"
    says '^agreement: violated' "voting, $1: not proved" "$PARVIS" prove --quiet "$T/voting.pyv"
}
wrong_voting 'in ballots that were left' 's/^  & le(reached(n), b)$/  \& true/'
wrong_voting 'with a quorum that is behind' 's/-> le(b, reached(N)))$/-> true)/'
wrong_voting 'where later votes do not count' 's/& !le(B, last) & !le(b, B) -> !vote/\& le(b, B) -> !vote/'
wrong_voting 'for what the last vote was not for' 's/& vote(N, last, v))$/)/'

# ---- a lock handed on in numbered messages: one state at the first size, so lemmas come from long runs of a larger one
wrong_hand_over() {  # WHAT SED-COMMAND
    sed "$2" models/pyv/hand_over.pyv > "$T/hand_over.pyv"
    says '^one_each: violated' "a lock handed on, $1: not proved" "$PARVIS" prove --quiet "$T/hand_over.pyv"
}
wrong_hand_over 'kept by who sends it' 's/^  & (forall N. holds.*N != n)$/  \& (forall N. holds'"'"'(N) <-> holds(N))/'
wrong_hand_over 'under an old number' '/^  & holds(n)$/{n;s/.*/  \& true/}'

# ---- what no clause can say: how many are up is even
cat > "$T/pairs.pv" <<'END'
sort Node
system Pairs {
  rel up(Node)
  action flip(a, b: Node) when a != b { up(a) := !up(a); up(b) := !up(b) }
}
property never_one: Pairs invariant forall n: Node. up(n) -> exists m: Node. m != n & up(m)
END
"$PARVIS" prove "$T/pairs.pv" --limit-time 20s > "$T/pairs.out"
says '^never_one: unknown: ' 'no clause is enough' cat "$T/pairs.out"
says 'counterexample to induction: this step violates never_one' 'what is missing is shown' cat "$T/pairs.out"
says '→ flip(1,2)$' 'with the step' cat "$T/pairs.out"
says '; tried: candidates, small instances' 'and what was tried' cat "$T/pairs.out"
# Where no states were seen, a schema about the state is proposed, in the words of the file's language.
cat > "$T/guess.pyv" <<'END'
sort node
mutable relation e(node, node)
mutable relation f(node, node)
init !e(X, Y)
init !f(X, Y)
transition t(a: node, b: node)
  modifies e
  f(a, b) & (forall X, Y. new(e(X, Y)) <-> e(X, Y) | X = a & Y = b)
safety [never] !e(A, B)
END
says '^    invariant \[guess\] forall n1: node. f(n1, n1) & _ -> _ | _$' 'a schema to try' "$PARVIS" prove "$T/guess.pyv" --given
"$PARVIS" prove "$T/guess.pyv" --given | sed -n 's/^    invariant /invariant /p' > "$T/guess.txt"
says '^never: holds for all sizes$' 'which can be tried as it is' "$PARVIS" prove "$T/guess.pyv" --lemmas "$T/guess.txt"
# No formula says that there are as many a as b; the smallest step to none of the one and some of the other has one and two.
cat > "$T/counts.pv" <<'END'
sort X, Y
system Counts {
  rel a(X), b(Y)
  action add(x: X, y: Y) when !a(x) & !b(y) { a(x) := true; b(y) := true }
  action remove(x: X, y: Y) when a(x) & b(y) { a(x) := false; b(y) := false }
  invariant none: (forall x: X. !a(x)) -> (forall y: Y. !b(y))
}
END
says '^      a(1)  b(1)  b(2)$' 'the counterexample to induction has as few elements as can be' \
    "$PARVIS" prove "$T/counts.pv" --limit-time 20s
# Three that are up are part of a state with four: no clause over what holds of these keeps them out, so none is proposed.
exits 1 'what all states seen contain is no lemma to try' grep -q 'would exclude it' "$T/pairs.out"

# ---- a parameter that the guard determines is left out of what is asked, and is in the step that is shown
cat > "$T/four.pyv" <<'END'
sort node
immutable function next(node): node
mutable relation up(node)
mutable relation seen(node, node)
init !up(N)
init !seen(N, M)
transition flip(a: node, b: node, c: node, d: node)
  modifies up, seen
  & a != b
  & d = next(c)
  & (forall N. up'(N) <-> (if N = a | N = b then !up(N) else up(N)))
  & (forall N, M. seen'(N, M) <-> seen(N, M) | N = c & M = d)
safety [linked] seen(N, M) -> M = next(N)
safety [even] (exists N. up(N)) -> (exists N, M. up(N) & up(M) & N != M)
END
"$PARVIS" prove "$T/four.pyv" --limit-time 20s > "$T/four.out"
exits 0 'what a step writes is what its guard determines' grep -q '^linked: holds for all sizes$' "$T/four.out"
exits 0 'a step that is shown has all parameters' \
    awk '/next\(/ { for (i = 1; i <= NF; i++) { split($i, p, "="); next_of[p[1]] = p[2] } }
         /→ flip\(/ { gsub(/.*\(|\).*/, ""); n = split($0, a, ","); ok = n == 4 && next_of["next(" a[3] ")"] == a[4] }
         END { exit !ok }' "$T/four.out"

# ---- the order of transitions in the text does not matter; arguments are not limited
election() {
    printf 'sort proposal\nsort group\nsort voter\nimmutable relation in_group(voter, group)\n'
    printf 'axiom forall G:group, H:group. exists X:voter. in_group(X, G) & in_group(X, H)\n'
    printf 'mutable relation backs(voter, proposal)\nmutable relation chosen(proposal)\n'
    printf 'init !backs(X, P)\ninit !chosen(P)\n%s\n%s\n' "$1" "$2"
    printf 'safety [one] chosen(P) & chosen(R) -> P = R\n'
}
back='transition back(x: voter, p: proposal) modifies backs
  (forall P. !backs(x, P)) & (backs'"'"'(X, P) <-> backs(X, P) | X = x & P = p)'
choose='transition choose(p: proposal, g: group) modifies chosen
  (forall X. in_group(X, g) -> backs(X, p)) & (chosen'"'"'(P) <-> chosen(P) | P = p)'
election "$back" "$choose" > "$T/back_first.pyv"
election "$choose" "$back" > "$T/choose_first.pyv"
says '^one: holds for all sizes$' 'an election, one order of its transitions' "$PARVIS" prove "$T/back_first.pyv"
says '^one: holds for all sizes$' 'and the other' "$PARVIS" prove "$T/choose_first.pyv"
cat > "$T/wide.pyv" <<'END'
sort item
mutable relation sent(item, item, item, item, item)
mutable relation ready(item)
mutable relation done(item)
init !sent(A, B, C, D, E)
init !ready(A)
init !done(A)
transition prepare(a: item) modifies ready ready'(A) <-> ready(A) | A = a
transition send(a: item, b: item, c: item, d: item, e: item) modifies sent
  ready(a) & (sent'(A, B, C, D, E) <-> sent(A, B, C, D, E) | A = a & B = b & C = c & D = d & E = e)
transition receive(a: item, b: item, c: item, d: item, e: item) modifies done
  sent(a, b, c, d, e) & (done'(A) <-> done(A) | A = a)
safety [was_ready] done(A) -> ready(A)
END
says '^was_ready: holds for all sizes$' 'a relation of five arguments' "$PARVIS" prove "$T/wide.pyv"

# ---- lemmas of the user: tried, used, and named with their place when they are wrong
cat > "$T/offer.pyv" <<'END'
invariant [backs_one] backs(X, P) & backs(X, R) -> P = R
invariant [nobody] !backs(X, P)
END
"$PARVIS" prove "$T/back_first.pyv" --lemmas "$T/offer.pyv" > "$T/offer.out" 2> "$T/offer.err"
says '      backs_one: forall' 'a lemma that is offered is part of the proof' cat "$T/offer.out"
says "offer.pyv:2:1: warning: lemma 'nobody' is false in a state that was reached" 'a false one is named' cat "$T/offer.err"
cat > "$T/lemma.pv" <<'END'
sort Node
system Pairs {
  rel up(Node), down(Node), marked(Node)
  lemma apart: forall n: Node. up(n) -> !down(n)
  lemma late: forall n: Node. marked(n)
  action raise(a: Node) when !down(a) { up(a) := true }
  action lower(a: Node) when !up(a) { down(a) := true }
}
property never_both: Pairs invariant forall n: Node. !(up(n) & down(n))
END
says '^never_both: holds for all sizes$' 'lemmas in a system' "$PARVIS" prove "$T/lemma.pv"
says "lemma.pv:5:9: warning: lemma 'late' is false" 'one that is not true initially' \
    sh -c "'$PARVIS' prove '$T/lemma.pv' 2>&1"
"$PARVIS" show "$T/lemma.pv" > "$T/lemma2.pv"
"$PARVIS" show "$T/lemma2.pv" > "$T/lemma3.pv"
exits 0 'lemmas are printed and read back' cmp "$T/lemma2.pv" "$T/lemma3.pv"
exits 2 'a .pv file takes no file of lemmas' "$PARVIS" prove "$T/lemma.pv" --lemmas "$T/offer.pyv"

# ---- a step that only a formula describes; two properties that need each other
cat > "$T/related.pyv" <<'END'
sort node
mutable relation token(node)
mutable relation busy(node)
mutable relation was(node)
init token(X) & token(Y) -> X = Y
init !busy(X)
init !was(X)
transition pass(n: node, m: node) modifies token
  token(n) & (token'(X) -> X = m)
transition work(n: node) modifies busy, was
  token(n) & !busy(n) & (busy'(X) <-> X = n) & (was(X) -> was'(X)) & was'(n)
safety [one_token] token(X) & token(Y) -> X = Y
safety [one_busy] busy(X) & busy(Y) -> X = Y
END
"$PARVIS" prove "$T/related.pyv" --quiet --certificate "$T/related.json" > "$T/related.out"
says '^one_token: holds for all sizes$' 'a transition that is a relation' cat "$T/related.out"
says '^one_busy: holds for all sizes$' 'and another property' cat "$T/related.out"
exits 0 'confirmed' "$PARVIS" recheck "$T/related.json"

# ---- schemas in the model file: seven flags, never all up
flags() {
    printf 'sort Node\nsystem Flags {\n  rel g1(Node), g2(Node), g3(Node), g4(Node), g5(Node), g6(Node), g7(Node)\n'
    printf '  rel bad(Node)\n  %s\n' "$1"
    for up in 1 2 3 4 5 6 7; do
        others=
        for other in 1 2 3 4 5 6 7; do [ $other = $up ] || others="$others & g$other(n)"; done
        printf '  action set%s(n: Node) when !(%s) { g%s(n) := true }\n' $up "${others# & }" $up
        printf '  action drop%s(n: Node) { g%s(n) := false }\n' $up $up
    done
    printf '  action fail(n: Node) when g1(n) & g2(n) & g3(n) & g4(n) & g5(n) & g6(n) & g7(n) { bad(n) := true }\n}\n'
    printf 'property fine: Flags invariant forall n: Node. !bad(n)\n'
}
flags '' > "$T/flags.pv"
says '^fine: holds for all sizes$' 'frames find seven literals without a schema' "$PARVIS" prove "$T/flags.pv"
flags 'schema all: forall n: Node. _ & _ & _ & _ & _ & _ -> _' > "$T/holes.pv"
says '^fine: holds for all sizes$' 'with holes for seven literals' "$PARVIS" prove "$T/holes.pv"
flags 'schema all: forall n: Node. g1(n) & _ & g3(n) & _ & _ -> !g6(n) | _' > "$T/fixed.pv"
says '^fine: holds for all sizes$' 'with fixed literals' "$PARVIS" prove "$T/fixed.pv"
"$PARVIS" show "$T/fixed.pv" > "$T/shown.pv"
says '  schema all: forall n: Node. (!g1(n)) | (!g3(n)) | (!g6(n)) | _ | _ | _ | _$' 'a schema is printed' cat "$T/shown.pv"
"$PARVIS" show "$T/shown.pv" > "$T/again.pv"
exits 0 'and reads back' cmp "$T/shown.pv" "$T/again.pv"
says '^fine: holds for all sizes$' 'to the same schema' "$PARVIS" prove "$T/shown.pv" --certificate "$T/flags.json"
exits 0 'the certificate is confirmed' "$PARVIS" recheck "$T/flags.json"
sed "s#\"../specs#\"$PWD/models/specs#; s#^  def read_only#  schema order: forall t, u, x: Thread. so(t, u) \& _ -> _\\n&#" \
    $tm/norec.pv > "$T/norec.pv"
says '"level": 0' 'three variables, two threads: states of more threads are sampled, and the first level suffices' \
    "$PARVIS" prove "$T/norec.pv" --property strictly_serializable --json
# a literal of a schema in a .pyv may be a quantifier itself
printf 'invariant forall C: client. (forall X: client. !holds(X)) | _\n' > "$T/inner.pyv"
says ': holds for all sizes$' 'a schema with a quantifier inside' \
    "$PARVIS" prove models/pyv/lock_server.pyv --lemmas "$T/inner.pyv"

flags 'schema all: forall n: Node. g1(n) -> g2(n)' > "$T/wrong.pv"
says "a schema has a '_' for at least one literal" 'a schema without a hole' "$PARVIS" prove "$T/wrong.pv"
flags 'schema all: _ -> _' > "$T/wrong.pv"
says "flags\|wrong.pv:5:15: error: a schema begins with 'forall'" 'a schema without variables' "$PARVIS" prove "$T/wrong.pv"
flags 'schema all: forall n: 0..3. _ -> _' > "$T/wrong.pv"
says 'the variables of a schema are elements of sorts' 'a variable that is a number' "$PARVIS" prove "$T/wrong.pv"
flags 'schema all: forall n: Node. g1(n) & !_ -> _' > "$T/wrong.pv"
exits 2 'a hole inside a literal' "$PARVIS" prove "$T/wrong.pv"
flags 'schema all: forall n: Node. _; schema all: forall n: Node. _' > "$T/wrong.pv"
says "'all' is declared twice" 'two schemas of one name' "$PARVIS" prove "$T/wrong.pv"

# ---- lemmas about the specification kept for other products
C=$T/cache
says '^strictly_serializable: holds for all sizes$' 'a proof fills the cache' \
    "$PARVIS" prove $tm/dstm.pv --property strictly_serializable --cache "$C" --quiet
says '"lemmas":\[\["forall"' 'with lemmas' cat "$C"/StrictSerializability-*.json
exits 1 'about the specification alone' grep -q DSTM "$C"/StrictSerializability-*.json
says '^strictly_serializable: holds for all sizes$' 'another product with it uses them' \
    "$PARVIS" prove $tm/tl2.pv --property strictly_serializable --cache "$C" --quiet --certificate "$T/cached.json"
exits 0 'and its certificate is confirmed' "$PARVIS" recheck "$T/cached.json"
kept=$(echo "$C"/StrictSerializability-*.json)
rs='["app","StrictSerializability.rs",["var","t0"],["var","v1"]]'
lie="[\"forall\",[[\"t0\",\"Thread\"]],[\"forall\",[[\"v1\",\"Loc\"]],[\"not\",$rs]]]"
for text in "{\"parvis_cache\":1,\"lemmas\":[$lie]}" '{"parvis_cache":1,"lemmas":[["app","No.such"],3,null,["forall"]]}' \
    '{"parvis_cache":9,"lemmas":[["forall"]]}' '{"parvis_cache":' ''; do
    printf '%s' "$text" > "$kept"
    exits 1 "not trusted: $text" "$PARVIS" prove $tm/tl2_swapped.pv --property strictly_serializable \
        --size Thread=1,Loc=1 --limit-time 20s --cache "$C"
    printf '%s' "$text" > "$kept"
    exits 0 "ignored: $text" "$PARVIS" prove $tm/tpl.pv --property strictly_serializable --cache "$C"
done
says 'cannot write' 'a folder that cannot be written is said' \
    "$PARVIS" prove $tm/tpl.pv --property strictly_serializable --cache "$T/flags.pv/x"

# ---- unknown, with the reason
cat > "$T/count.pv" <<'END'
sort Node
system Pairs {
  rel on(Node), up(Node, Node)
  action switch(n: Node) { on(n) := true }
  action link(a, b: Node) when on(a) & on(b) { up(a, b) := true }
  action cut(a, b, c: Node) when up(a, b) & up(b, c) & !up(a, c) { on(a) := false; on(b) := false; on(c) := false }
}
property some_link: Pairs invariant forall a, b: Node. up(a, b) -> on(a)
END
exits 1 'a violation that needs three steps' "$PARVIS" prove "$T/count.pv"
cat > "$T/assumed.pv" <<'END'
sort Node
system Odd {
  rel on(Node), off(Node), bad(Node)
  assume calm: forall n: Node. !bad(n)
  action switch(n: Node) when !off(n) { on(n) := true }
  action panic(n: Node) when on(n) & off(n) { bad(n) := true }
}
property fine: Odd invariant forall n: Node. !(on(n) & off(n))
END
says '^fine: holds for all sizes$' 'assumptions are proved too' "$PARVIS" prove "$T/assumed.pv"
says '^\(opaque: \)*unknown: .*' 'out of time is unknown' "$PARVIS" prove $tm/tl2.pv --property opaque --limit-time 1ms
exits 3 'unknown: 3' "$PARVIS" prove $tm/tl2.pv --property opaque --limit-time 1ms
exits 2 'a range is no instance to start from' "$PARVIS" prove $tm/tpl.pv --size Thread=1..2
exits 2 'nothing to prove' "$PARVIS" prove models/specs/strict_serializability.pv

# ---- formulas that can fail: no lemma, and no crash
cat > "$T/fails.pv" << 'END'
sort T
system A {
  var c: 0..2
  rel b(0..2), q(T, T), r(T)
  action step when c < 2 { c := c + 1 }
  action one(t: T, u: T) when !r(t) { q(t, u) := true }
  action two(t: T, u: T) when q(u, t) { r(t) := true }
  lemma odd: c = 0 | b(c - 1) | !b(c - 1)
  invariant bad: c = 0 | b(c - 1) | !b(c - 1)
  invariant good: forall t: T. r(t) -> exists u: T. q(u, t)
}
END
says '^bad: unknown: an assumption or the property can fail' 'a property that can fail' "$PARVIS" prove "$T/fails.pv"
says '^good: holds for all sizes$' 'another of the same system' "$PARVIS" prove "$T/fails.pv"
says "warning: lemma 'odd' is not tried: it can fail" 'a lemma that can fail' "$PARVIS" prove "$T/fails.pv"
says "^bad: unknown: 'bad' can fail" 'given' "$PARVIS" prove "$T/fails.pv" --given
sed 's/lemma odd/assume odd/; /invariant bad/d' "$T/fails.pv" > "$T/assumes.pv"
says '^good: unknown: an assumption or the property can fail' 'an assumption that can fail' "$PARVIS" prove "$T/assumes.pv"

# ---- frames: a step that only one element can take; a core that needs the other elements, but no literal about them
cat > "$T/alone.pyv" << 'END'
sort s
mutable relation r0(s)
mutable relation r1(s, s)
init forall X. !r0(X)
init forall X, Y. !r1(X, Y)
transition a0(a: s, b: s, c: s)
  modifies r0
  & (r0(c) | ((r0(b) | r0(a)) & !r1(c, c)))
  & (forall X. r0'(X) <-> (r0(X) | X = b))
transition a1(a: s, b: s, c: s)
  modifies r0, r1
  & r0(a)
  & (forall X. r0'(X) <-> (r0(X) | X = a))
  & (forall X, Y. r1'(X, Y) <-> (r1(X, Y) & !(X = b & Y = c)))
transition a2(a: s, b: s)
  modifies r1
  & (forall X. X = b)
  & (forall X, Y. r1'(X, Y) <-> (r1(X, Y) | (X = b & Y = a)))
transition a3(a: s)
  modifies r0
  & r1(a, a)
  & (forall X. r0'(X) <-> (r0(X) | X = a))
safety [kept] forall X, Y. r1(Y, Y) | !r0(X) | r0(Y)
END
says '^kept: holds for all sizes$' 'one element is not as two are' "$PARVIS" prove "$T/alone.pyv"

# ---- more variables at once than the ground engine has room for
for count in '20 forall' '33 forall' '70 exists'; do
    set -- $count
    perl -e 'my ($n, $q) = @ARGV; my $all = join " & ", map { "q(x$_)" } 1 .. $n; my $v = join ", ", map { "x$_" } 1 .. $n;
        print "sort T\nsystem S { rel q(T), r(T)\n  action go(t: T) { q(t) := true }\n",
            "  invariant i: $q $v: T. $all -> r(x1) | q(x2) }\n"' "$1" "$2" > "$T/many.pv"
    says '^i: holds for all sizes$' "$1 variables below $2" "$PARVIS" prove "$T/many.pv" --given
done

# ---- what --given is about
cat > "$T/plain_refines.pv" <<'END'
sort T
system S { action a(t: T) when true { } }
system R { action a(t: T) when true { } }
property z: S refines R
END
says 'states no invariant and no refinement with a relation' '--given says that it needs a relation' \
    "$PARVIS" prove "$T/plain_refines.pv" --given
says '^z: holds for all sizes$' 'and it is proved without' "$PARVIS" prove "$T/plain_refines.pv"

# ---- JSON has the columns of the paper's table
for column in states explore_seconds candidates invariants nonredundant validated iterations seconds_per_candidate \
    seconds queries; do
    says "\"$column\":" "--json has $column" "$PARVIS" prove $tm/tpl.pv --property opaque --json
done
says '^strictly_serializable: holds for all sizes$' 'all candidates at once' \
    "$PARVIS" prove $tm/dstm.pv --property strictly_serializable --all-candidates --quiet

# ---- certificates
check 'a certificate is written' "$PARVIS" prove $tm/tpl.pv --property strictly_serializable --certificate \
    "$T/tpl.json" --quiet
says '^strictly_serializable: confirmed, \([0-9]*\) of \1 obligations proved' 'it is confirmed' "$PARVIS" recheck "$T/tpl.json"
says '"confirmed": true' 'also as JSON' "$PARVIS" recheck "$T/tpl.json" --json
sed 's/"model": "sort/"model": "sort /' "$T/tpl.json" > "$T/other.json"
exits 2 'another model is refused' "$PARVIS" recheck "$T/other.json"
sed 's/"StrictSerializability.pws"/"StrictSerializability.rs"/' "$T/tpl.json" > "$T/torn.json"
exits 2 'a lemma whose text is not its tree is refused' "$PARVIS" recheck "$T/torn.json"
sed 's/StrictSerializability\.pws/StrictSerializability.rs/' "$T/tpl.json" > "$T/wrong.json"
exits 1 'a wrong lemma is not confirmed' "$PARVIS" recheck "$T/wrong.json"
says 'first failure: [a-z]* preserves lemma' 'and named' "$PARVIS" recheck "$T/wrong.json"
sed 's/"assumed": false/"assumed": true/' "$T/wrong.json" > "$T/cheat.json"
exits 2 'a lemma taken for granted must be an assumption of the model' "$PARVIS" recheck "$T/cheat.json"
exits 2 'no certificate' "$PARVIS" recheck $tm/tpl.pv
exits 2 'no such prover' "$PARVIS" recheck "$T/tpl.json" --prover nobody
done_testing
