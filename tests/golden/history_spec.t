#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sets of interchanges as specifications: both forms have the same words, for every set of the library; memories
# against them with --spec; what is used and shown.
. tests/tap.sh

cp -r models "$PARVIS_TMP/models"

# same SET SYSTEM: with combined steps and with a queue, for two clients, one address, two values, words of any length.
same_words() {
    printf 'use "models/tcc/clients.pv"\nuse "models/interchange/%s.ix"\ncompose A = %s || Clients\ncompose B = %sQueue || Clients\n' \
        "$1" "$2" "$2" > "$PARVIS_TMP/$1.pv"
    exits 0 "$1: the queue's words are those of the combined steps" "$PARVIS" compare "$PARVIS_TMP/$1.pv:A" \
        "$PARVIS_TMP/$1.pv:B" --by equivalence --size Client=2,Loc=1,Value=2
}
same_words structural Structural
same_words overlap Overlap
same_words eager_wr EagerWr
same_words lazy_invalidation LazyInvalidation
same_words eager_invalidation EagerInvalidation

# Fig. 1 as printed, with other events between a mark and its commit, allows more.
"$PARVIS" show models/interchange/lazy_invalidation.ix |
    sed 's/def quiet = .*/def quiet = !deleting \& !exists i: 0..10. kind(i) = closed/
         s/when quiet & pending(p) & (/when quiet \& pending(p) \& !(exists i: 0..10. kind(i) = marked \& by(i, p)) \& (/
         s/when quiet & queued(p) &/when quiet \& queued(p) \& !(exists i: 0..10. kind(i) = marked \& by(i, p)) \&/' \
    > "$PARVIS_TMP/printed.pv"
printf 'use "models/tcc/clients.pv"\nuse "printed.pv"\ncompose A = LazyInvalidation || Clients\ncompose B = LazyInvalidationQueue || Clients\n' \
    > "$PARVIS_TMP/early.pv"
says 'word  open(1) write(1,1,1) open(2) read(2,1,1) c_1 c_2' 'an early mark lets a conflict pass' \
    "$PARVIS" compare "$PARVIS_TMP/early.pv:B" "$PARVIS_TMP/early.pv:A" --size Client=2,Loc=1,Value=2

for model in tcc tcc_nt eager; do
    exits 0 "$model refines lazy_invalidation" "$PARVIS" check models/tcc/$model.pv --spec lazy_invalidation
done
for model in tcc_forgetful eager_nt; do
    exits 1 "$model does not" "$PARVIS" check models/tcc/$model.pv --spec lazy_invalidation
done
exits 1 'TCC has overlapping transactions' "$PARVIS" check models/tcc/tcc.pv --spec overlap
exits 1 'TCC reads what others are writing' "$PARVIS" check models/tcc/tcc.pv --spec eager_wr
exits 0 'the eager memory does not' "$PARVIS" check models/tcc/eager.pv --spec eager_invalidation
exits 2 'an unknown set' "$PARVIS" check models/tcc/tcc.pv --spec lazy
exits 2 'a memory without values' "$PARVIS" check models/tm/tl2.pv --spec overlap
exits 0 'a set with a search is a specification with a queue' \
    "$PARVIS" check models/interchange/commutes.ix --size Client=2,Loc=1,Value=1
exits 2 'other languages have no such specifications' "$PARVIS" check models/murphi/german.m --spec overlap
says '1 open(1)' 'a set can be simulated' "$PARVIS" simulate models/interchange/lazy_invalidation.ix

# Deeply nested operators keep their places.
{ printf 'interchange deep use structural forbid r: '; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do printf 'previously '; done
  printf 'read(p, x)\n'; } > "$PARVIS_TMP/deep.ix"
says '^  def r_(i: 0..10) = .*kind(i - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1) = reads' 'thirteen events ago' \
    sh -c '"$PARVIS" show "$PARVIS_TMP/deep.ix" | tr "\n" " " | sed "s/  def/\n  def/g"'
done_testing
