// SPDX-License-Identifier: Apache-2.0
// Words that transactions have touched: an open-addressing table in which words are only ever added, without locks. Who
// adds a word first has read it before, and nobody has written it before in a transaction, as that writer would have added
// it: so what was read is what the word held before. In the common case a look finds the word and writes nothing, so threads
// are not ordered by it.
//
// A slot is the word's number (its address by 8, 44 bits) and its generation, whose upper bit says that malloc has given
// the word out again: whoever touches it next begins its new life. A key is the same without that bit. Generations that
// run out are not used again: the recording says that it is not whole.
#include "itm.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { SLOT_BITS = 26, GENERATION_BITS = 20 };
#define GENERATION_MASK ((UINT64_C(1) << GENERATION_BITS) - 1)
#define STALE           (UINT64_C(1) << (GENERATION_BITS - 1))

static _Atomic bool ran_out;
static _Atomic(_Atomic uint64_t *) table;

static _Atomic uint64_t *words_table(void) {
    _Atomic uint64_t *t = atomic_load_explicit(&table, memory_order_acquire);
    if (t) return t;
    size_t size = sizeof *t << SLOT_BITS;
    void *new = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (new == MAP_FAILED) abort();
    if (atomic_compare_exchange_strong(&table, &t, new)) return new;
    munmap(new, size);
    return t;
}

static uint64_t hash(uint64_t word) { return word * 0x9E3779B97F4A7C15u >> (64 - SLOT_BITS); }

// The slot of this word, or the free one where it would be; NULL if the table is full.
static _Atomic uint64_t *find(_Atomic uint64_t *slots, uint64_t word) {
    for (uint64_t i = hash(word), n = 0; n < UINT64_C(1) << SLOT_BITS; n++, i = (i + 1) & ((1u << SLOT_BITS) - 1)) {
        uint64_t slot = atomic_load_explicit(&slots[i], memory_order_acquire);
        if (slot == 0 || slot >> GENERATION_BITS == word) return &slots[i];
    }
    return NULL;
}

// Of its first life the word's address; of later ones an odd number of life and word.
static uint64_t key_of(uint64_t address, uint64_t slot) {
    uint64_t life = slot & (STALE - 1);
    return life ? (life << (64 - GENERATION_BITS) | address >> 3) << 1 | 1 : address;
}

bool words_is_known(uint64_t address) {
    _Atomic uint64_t *slots = atomic_load_explicit(&table, memory_order_acquire);
    _Atomic uint64_t *slot = slots ? find(slots, address >> 3) : NULL;
    uint64_t seen = slot ? atomic_load_explicit(slot, memory_order_acquire) : 0;
    return seen && !(seen & STALE);
}

uint64_t words_key(itm_thread *t, uint64_t address) {
    _Atomic uint64_t *slots = words_table();
    uint64_t word = address >> 3;
    for (;;) {
        _Atomic uint64_t *slot = find(slots, word);
        if (!slot || atomic_load_explicit(&ran_out, memory_order_relaxed)) return itm_unseen(t), address;
        uint64_t seen = atomic_load_explicit(slot, memory_order_acquire), value;
        bool is_there = seen >> GENERATION_BITS == word && seen != 0;
        if (is_there && !(seen & STALE)) return key_of(address, seen);
        if (!is_there && seen != 0) continue;  // somebody took the slot
        value = *(volatile const uint64_t *)(uintptr_t)address;
        uint64_t new = is_there ? seen & ~STALE : word << GENERATION_BITS;
        if (!atomic_compare_exchange_strong(slot, &seen, new)) continue;
        parvis_initial(t->log, key_of(address, new), value);
        return key_of(address, new);
    }
}

static void renew(_Atomic uint64_t *slots, uint64_t word) {
    _Atomic uint64_t *slot = find(slots, word);
    uint64_t seen = slot ? atomic_load_explicit(slot, memory_order_relaxed) : 0, life = (seen & (STALE - 1)) + 1;
    if (seen == 0 || (seen & STALE)) return;
    if (life == STALE) atomic_store(&ran_out, true);
    else atomic_store_explicit(slot, (seen & ~GENERATION_MASK) | life | STALE, memory_order_release);
}

void words_renew(uint64_t address, size_t size) {
    _Atomic uint64_t *slots = atomic_load_explicit(&table, memory_order_acquire);
    if (!slots) return;
    for (uint64_t word = address >> 3, end = (address + size + 7) >> 3; word < end; word++) renew(slots, word);
}
