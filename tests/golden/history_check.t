#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Histories through the program: verdicts and exit codes, reasons, the two forms of files, mistakes in them, limits.
. tests/tap.sh

dir=models/interchange
h() { printf '%s\n' "$1" > "$PARVIS_TMP/$2"; }

# The conflicts of Scott on one history: a read before the commit of a writer that commits first.
for set in lazy_invalidation structural; do
    exits 0 "swapped.hist, $set" "$PARVIS" check $dir/swapped.hist --spec $set
done
for set in overlap eager_wr eager_invalidation; do
    exits 1 "swapped.hist, $set" "$PARVIS" check $dir/swapped.hist --spec $set
done
exits 1 'an access outside transactions cannot be undone' "$PARVIS" check $dir/doomed.hist --spec lazy_invalidation

exits 1 'a conflict although the values agree' "$PARVIS" check $dir/early_mark.hist --spec lazy_invalidation

exits 0 'which no conflict is by values alone' "$PARVIS" check $dir/early_mark.hist --spec structural
exits 2 'mixed invalidation is refused' "$PARVIS" check $dir/swapped.hist --spec mixed_invalidation
says 'depends on events that come later' 'with the reason' \
    "$PARVIS" check $dir/swapped.hist --spec mixed_invalidation

h 'open(1) read(1,x,1) commit(1)' value.hist
exits 1 'a value that nobody wrote' "$PARVIS" check "$PARVIS_TMP/value.hist" --spec lazy_invalidation

says 'read(1,x,1) (line 1): in the order of commits the value there is 0, the initial one' 'is told' \
    "$PARVIS" check "$PARVIS_TMP/value.hist" --spec lazy_invalidation

h 'initial x = 1 open(1) read(1,x,1) commit(1)' value.hist
exits 0 'an initial value' "$PARVIS" check "$PARVIS_TMP/value.hist" --spec lazy_invalidation

h 'open(1) write(1,x,1) read(1,x,2) commit(1)' own.hist
exits 1 'own writes are read' "$PARVIS" check "$PARVIS_TMP/own.hist" --spec lazy_invalidation

says 'its transaction wrote another value before, write(1,x,1) (line 1)' 'not well-formed' \
    "$PARVIS" check "$PARVIS_TMP/own.hist" --spec lazy_invalidation

h 'open(1) open(1)' twice.hist
says 'the client has a transaction already' 'two opens' "$PARVIS" check "$PARVIS_TMP/twice.hist" --spec lazy_invalidation

h 'open(1) nt_read(1,x,0)' inside.hist
says 'an access outside transactions while the client has one' 'outside inside' \
    "$PARVIS" check "$PARVIS_TMP/inside.hist" --spec lazy_invalidation

h 'commit(1)' closed.hist
exits 1 'a commit of nothing' "$PARVIS" check "$PARVIS_TMP/closed.hist" --spec lazy_invalidation

h 'open(1) write(1,x,1) open(2) read(2,x,0) commit(2)' unfinished.hist
exits 0 'what is unfinished may abort' "$PARVIS" check "$PARVIS_TMP/unfinished.hist" --spec lazy_invalidation

h '' empty.hist
exits 0 'an empty history' "$PARVIS" check "$PARVIS_TMP/empty.hist" --spec lazy_invalidation


# JSON in and out.
h '{"initial": 0, "events": [{"event": "open", "client": 1}, {"event": "read", "client": 1, "address": "x", "value": 0},
   {"event": "commit", "client": "1"}]}' good.json
exits 0 'a history in JSON' "$PARVIS" check "$PARVIS_TMP/good.json" --spec lazy_invalidation

says '"by_recorded_commit_order": "holds"' 'answered in JSON' "$PARVIS" check "$PARVIS_TMP/good.json" --spec lazy_invalidation --json
h '{"events": [{"event": "open"}]}' bad.json
says "event 1: 'client' is missing" 'a mistake in JSON' "$PARVIS" check "$PARVIS_TMP/bad.json" --spec lazy_invalidation

h '{"events": [' bad.json
exits 2 'no JSON' "$PARVIS" check "$PARVIS_TMP/bad.json" --spec lazy_invalidation


# Mistakes.
h 'open(1) raed(1,x,0)' bad.hist
exits 2 'an unknown event' "$PARVIS" check "$PARVIS_TMP/bad.hist" --spec lazy_invalidation

says "bad.hist:1:9: error: unknown event 'raed', did you mean 'read'?" 'with its place' \
    "$PARVIS" check "$PARVIS_TMP/bad.hist" --spec lazy_invalidation

h 'read(1,x)' bad.hist
says "',' expected" 'a value is missing' "$PARVIS" check "$PARVIS_TMP/bad.hist" --spec lazy_invalidation

exits 2 'no such file' "$PARVIS" check "$PARVIS_TMP/absent.hist" --spec lazy_invalidation


# set NAME TEXT MESSAGE: a mistake in a set.
set_says() {
    h "$2" mine.ix
    exits 2 "$1: exit code" "$PARVIS" check $dir/swapped.hist --spec "$PARVIS_TMP/mine.ix"
    says "mine.ix:[0-9]*:[0-9]*: error: $3" "$1" "$PARVIS" check $dir/swapped.hist --spec "$PARVIS_TMP/mine.ix"
}
set_says 'no header' 'forbid a: true' "'interchange' expected, found 'forbid'"
set_says 'the future' 'interchange m forbid a: eventually read(p, x)' "'eventually' is about what comes later"
set_says 'an unknown event' 'interchange m forbid a: raed(p, x)' "unknown event 'raed'"
set_says 'outside transactions' 'interchange m forbid a: nt_read(p, x)' "'nt_read' is never met"
set_says 'two sorts' 'interchange m forbid a: read(p, x) & write(x, y)' "'x' is an address elsewhere"
set_says 'an address too many' 'interchange m forbid a: commit(p, x)' "'commit' has no address"
set_says 'no event' 'interchange m forbid a: p != q' "'p' does not occur in any event"
set_says 'twice' 'interchange m forbid a: true forbid a: true' "there is a rule 'a' already"
set_says 'an unknown set' 'interchange m use lazy' "unknown interchange specification 'lazy'"
set_says 'mixed' 'interchange m use mixed_invalidation' 'mixed invalidation cannot be stated'
h 'interchange m use "mine.ix" forbid a: event(p) & previously event(p)' mine.ix
exits 0 'a set that uses itself is read once' "$PARVIS" check $dir/independent.hist --spec "$PARVIS_TMP/mine.ix"

exits 3 'a search that is limited' "$PARVIS" check $dir/independent.hist --spec $dir/commutes.ix --limit-states 2
done_testing
