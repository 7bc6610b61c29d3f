// SPDX-License-Identifier: Apache-2.0
// The state store: every state once, with its parent, in a fixed number of partitions.
//
// A state belongs to the partition that its hash names; one thread at a time works on a partition, so no
// locks are needed, and the number of partitions does not depend on the number of threads, so neither do the
// ids. A state costs the bits in which states were seen to differ, a byte for its parent, and 8 + log2(n / 32)
// bits of a table that is about 5/6 full. A compact store keeps 8 bytes of hash instead of a state (hash
// compaction, Stern and Dill 1995) and takes states with equal hashes for equal; only the states put since the
// last store_forget() can be read from it.
#ifndef EXPLORE_STORE_H
#define EXPLORE_STORE_H

#include "explore/budget.h"
#include "explore/disk.h"

#include <stddef.h>

enum { STORE_PARTS_LOG = 7, STORE_PARTS = 1 << STORE_PARTS_LOG };

typedef struct store store;
typedef uint64_t store_id;  // partition in the upper half, number in the partition in the lower

typedef uint64_t store_number;  // of a state among all: what parents are given by

#define STORE_NONE UINT64_MAX  // no state; the parent of an initial one

static inline store_id store_id_of(uint32_t part, uint32_t local) { return (uint64_t)part << 32 | local; }
static inline uint32_t store_id_part(store_id id) { return (uint32_t)(id >> 32); }
static inline uint32_t store_id_local(store_id id) { return (uint32_t)id; }

// States of `words` words. `most` has, for every word, a bit at least as high as any that is ever set in it.
// The budget is shared, not owned.
store *store_new(uint32_t words, const uint64_t *most, bool is_compact, budget *b);
void store_free(store *s);

void store_keep_all_bits(store *s);  // before anything is put: records are whole, including bits that never change

uint64_t store_hash(const store *s, const uint64_t *state);
uint64_t store_hash_wide(const uint64_t *state, uint32_t words);

// Multiplies to 128 bits and folds: each bit of the result depends on all bits of x.
static inline uint64_t store_mix(uint64_t x, uint64_t key) {
    unsigned __int128 product = (unsigned __int128)(x ^ key) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// The same for a state of so many words.
static inline uint64_t store_hash_words(const uint64_t *state, uint32_t words) {
    if (words > 2) return store_hash_wide(state, words);
    uint64_t first = store_mix(state[0], UINT64_C(0x243F6A8885A308D3));
    return store_mix(words == 2 ? first + state[1] : first, UINT64_C(0x13198A2E03707344));
}
static inline uint32_t store_hash_part(uint64_t hash) { return (uint32_t)(hash >> (64 - STORE_PARTS_LOG)); }
static inline uint32_t store_hash_print(uint64_t hash) { return (uint32_t)hash; }

typedef enum { STORE_OLD, STORE_NEW, STORE_FULL } store_answer;

// Puts a state with its fingerprint into a partition; a new one gets the next number in it, and has no parent
// yet. STORE_FULL: there is no memory left in the budget, or no number.
// Part and print are those of the state's hash; the guess is looked at first.
store_answer store_put(store *s, uint32_t part, uint32_t print, const uint64_t *state, uint32_t guess);
// Memory takes long to answer. So fingerprints of states that will soon be put into a partition are given in groups, to
// one stage after the other, some other group's stages and puts in between: each asks for what the next one reads.
// First the places in the table, then the states whose numbers are there, in the end those in the places after these;
// the first number is then the guess of store_put(). Where many are put, the list of pages is asked for before.
void store_prefetch_pages(const store *s, uint32_t part);
void store_prefetch(const store *s, uint32_t part, const uint32_t *prints, uint32_t n);
void store_guess(const store *s, uint32_t part, const uint32_t *prints, uint32_t n, uint32_t *guesses);
void store_expect(const store *s, uint32_t part, const uint32_t *prints, uint32_t n, uint32_t *guesses);
#define STORE_NO_GUESS UINT32_MAX
// For the state put last into its partition. Parents that do not go down, nor far up, cost a byte each.
void store_set_parent(store *s, store_id id, store_number parent);
// A compact store no longer has to give back states of the partition with numbers below `first`.
void store_forget(store *s, uint32_t part, uint32_t first);

// ---- beyond memory
//
// The states of a partition from its first to some number may be in files (disk.h), the others in memory. Only those in
// memory are found, or known to be old: who moves states to files looks for duplicates later (settle.c). Counts, states
// and parents are those of both. A compact store has no files.
void store_use_disk(store *s, disk *d);      // before anything is put
uint32_t store_whole_bytes(const store *s);  // of a state that is packed with all its bits
void store_pack(const store *s, const uint64_t *state, unsigned char *to);      // may write a word more
void store_unpack(const store *s, const unsigned char *from, uint64_t *state);  // may read a word more
uint32_t store_on_disk(const store *s, uint32_t part);                          // how many: the first of the partition
// Forgets all states that are in memory, and takes the first of each partition, as many as `counts` says, to be in
// files.
void store_clear(store *s, const uint32_t *counts);
// Several states of one partition, one after the other; false with errno set if a file cannot be read.
bool store_read(const store *s, store_id first, uint32_t n, uint64_t *states);
// A state in memory with the fingerprint, or STORE_NONE.
store_id store_find_guessed(const store *s, uint32_t part, uint32_t print, const uint64_t *state, uint32_t guess);
// Parents of the states in memory of a partition, from the first on.
typedef struct {
    uint32_t at, jump, far;
    store_number parent;
} store_parents;
store_number store_next_parent(const store *s, uint32_t part, store_parents *p);

// ---- checkpoints
//
// A partition only grows: what lay between two times can be written later, and a store is read in the same pieces, from
// one time to the next. A transfer writes or reads bytes; false if it fails, for load also if memory does not suffice.
typedef struct {
    uint32_t count, njumps, nfars;
    uint32_t first_whole;  // see store_first_whole()
} store_extent;
store_extent store_extent_of(const store *s, uint32_t part);
uint64_t store_bytes_between(const store *s, store_extent from, store_extent to);  // UINT64_MAX: there is no such piece
typedef bool (*store_transfer)(void *context, void *data, size_t size);
bool store_save(const store *s, uint32_t part, store_extent from, store_extent to, store_transfer transfer,
                void *context);
bool store_load(store *s, uint32_t part, store_extent to, store_transfer transfer, void *context);
bool store_load_end(store *s, uint32_t part);  // then states can be put and found; false if memory does not suffice

uint32_t store_count(const store *s, uint32_t part);
uint32_t store_first_whole(const store *s, uint32_t part);  // the first number whose state can be read
bool store_is_compact(const store *s);
uint64_t store_total(const store *s);
uint64_t store_bytes(const store *s);
uint64_t store_packed_bytes(const store *s, uint32_t part);  // of states in memory, alone
void store_get(const store *s, store_id id, uint64_t *state);
// A hint: some states in memory, one after the other, will be read soon.
void store_prefetch_states(const store *s, store_id first, uint32_t n);
uint64_t store_hash_of(const store *s, store_id id);
store_number store_parent(const store *s, store_id id);
// For a store that was read from a file. Parents are numbers below a bound that each state has; where that is 0 the
// state has none, else it has one.
typedef uint64_t (*store_bound)(store_id id, void *context);
bool store_parents_are_sound(const store *s, uint32_t part, store_bound bound, void *context);
// Does a state lie in the partition of its hash, and is the hash that of the state, where both are kept?
bool store_is_in_place(const store *s, store_id id);
store_id store_find(const store *s, const uint64_t *state);  // STORE_NONE: not there

#endif
