// SPDX-License-Identifier: Apache-2.0
// Symbolic states; see sym.h.
#include "space/sym.h"

#include "space/layout.h"

#include <string.h>

enum { WORD_BITS = 64 };

typedef struct {
    uint32_t n;
    sym_slice slices[WORD_BITS];
} slice_buffer;

static const sym_word *sym_keep(arena *memory, const slice_buffer *b) {
    sym_word *w = arena_alloc(memory, sizeof *w + b->n * sizeof *w->slices);
    w->n = b->n;
    memcpy(w->slices, b->slices, b->n * sizeof *w->slices);
    return w;
}

// A slice of a field is a slice of the node that the field is taken from.
static sym_slice source(const dag *d, sym_slice s) {
    const dag_node *x = dag_at(d, s.v);
    uint64_t mask = layout_mask(s.len);
    if (x->op != N_FIELD || (x->imm >> s.from & mask) != mask) return s;
    return (sym_slice){s.lo, s.len, (uint8_t)(s.from + x->imm2), x->a};
}

// Appends a slice, joining it with the one before if both are consecutive bits of one node.
static void sym_push(const dag *d, slice_buffer *b, sym_slice s) {
    s = source(d, s);
    sym_slice *last = b->n ? &b->slices[b->n - 1] : NULL;
    if (last && last->v == s.v && last->from + last->len == s.from) last->len = (uint8_t)(last->len + s.len);
    else b->slices[b->n++] = s;
}

// The part of s between bits lo and hi (hi excluded); false if there is none.
static bool clip(sym_slice s, uint32_t lo, uint32_t hi, sym_slice *out) {
    uint32_t from = s.lo > lo ? s.lo : lo, to = (uint32_t)s.lo + s.len < hi ? (uint32_t)s.lo + s.len : hi;
    if (from >= to) return false;
    *out = (sym_slice){(uint8_t)from, (uint8_t)(to - from), (uint8_t)(s.from + from - s.lo), s.v};
    return true;
}

// ---- groups of words

static uint32_t ngroups(const sym *s) { return (s->words + SYM_GROUP - 1) / SYM_GROUP; }

static const sym_word *word_at(const sym *s, uint32_t i) { return s->groups[i / SYM_GROUP]->word[i % SYM_GROUP]; }

static void set_word(sym *s, uint32_t i, const sym_word *w) {
    sym_group *own = arena_copy(s->memory, s->groups[i / SYM_GROUP], sizeof *own);
    own->word[i % SYM_GROUP] = w;
    s->groups[i / SYM_GROUP] = own;
}

static const sym_group *initial_group(const sym *s, uint32_t first, uint32_t words) {
    sym_group group = {{NULL}};
    for (uint32_t i = first; i < first + SYM_GROUP && i < s->words; i++) {
        slice_buffer b = {1, {{0, WORD_BITS, 0, i < words ? dag_word(s->d, i) : DAG_FALSE}}};
        group.word[i - first] = sym_keep(s->memory, &b);
    }
    return arena_copy(s->memory, &group, sizeof group);
}

sym sym_initial(dag *d, arena *memory, uint32_t words, uint32_t zeros) {
    sym s = {d, memory, words + zeros, NULL};
    s.groups = arena_alloc(memory, ngroups(&s) * sizeof *s.groups);
    for (uint32_t g = 0; g < ngroups(&s); g++) s.groups[g] = initial_group(&s, g * SYM_GROUP, words);
    return s;
}

sym sym_copy(const sym *s) {
    sym copy = *s;
    copy.groups = arena_copy(s->memory, s->groups, ngroups(s) * sizeof *s->groups);
    return copy;
}

bool sym_same(const sym *a, const sym *b) {
    for (uint32_t g = 0; g < ngroups(a); g++)
        if (a->groups[g] != b->groups[g] && memcmp(a->groups[g], b->groups[g], sizeof **a->groups)) return false;
    return true;
}

bool sym_has_same(const sym *a, const sym *b, uint32_t word) { return word_at(a, word) == word_at(b, word); }

// ---- fields

node sym_load(const sym *s, uint32_t word, uint32_t shift, uint32_t bits) {
    const sym_word *w = word_at(s, word);
    node result = DAG_FALSE;
    for (uint32_t i = 0; i < w->n; i++) {
        sym_slice part;
        if (!clip(w->slices[i], shift, shift + bits, &part)) continue;
        node v = dag_field(s->d, part.v, part.from, layout_mask(part.len));
        result = dag_or(s->d, result, dag_shl(s->d, v, part.lo - shift));
    }
    return result;
}

void sym_store(sym *s, uint32_t word, uint32_t shift, uint32_t bits, node v) {
    if (!bits) return;
    const sym_word *w = word_at(s, word);
    slice_buffer b = {0};
    sym_slice part;
    for (uint32_t i = 0; i < w->n; i++)
        if (clip(w->slices[i], 0, shift, &part)) sym_push(s->d, &b, part);
    sym_push(s->d, &b, (sym_slice){(uint8_t)shift, (uint8_t)bits, 0, v});
    for (uint32_t i = 0; i < w->n; i++)
        if (clip(w->slices[i], shift + bits, WORD_BITS, &part)) sym_push(s->d, &b, part);
    set_word(s, word, sym_keep(s->memory, &b));
}

static node slice_node(dag *d, sym_slice s) { return dag_field(d, s.v, s.from, layout_mask(s.len)); }

static const sym_word *select_word(const sym *s, node c, const sym_word *a, const sym_word *b) {
    slice_buffer out = {0};
    sym_slice x, y;
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < b->n; k++) {
            if (!clip(b->slices[k], a->slices[i].lo, (uint32_t)a->slices[i].lo + a->slices[i].len, &y)) continue;
            clip(a->slices[i], y.lo, (uint32_t)y.lo + y.len, &x);
            if (x.v != y.v || x.from != y.from) {
                node v = dag_select(s->d, c, slice_node(s->d, x), slice_node(s->d, y));
                x = (sym_slice){x.lo, x.len, 0, v};
            }
            sym_push(s->d, &out, x);
        }
    return sym_keep(s->memory, &out);
}

sym sym_select(node c, const sym *a, const sym *b) {
    sym s = sym_copy(a);
    for (uint32_t i = 0; i < s.words; i++) {
        if (a->groups[i / SYM_GROUP] == b->groups[i / SYM_GROUP]) continue;
        const sym_word *x = word_at(a, i), *y = word_at(b, i);
        if (x != y) set_word(&s, i, select_word(&s, c, x, y));
    }
    return s;
}

// v's bits under `mask` (as bits of the word), moved by lo - from.
static node sym_moved(dag *d, sym_slice s, uint64_t mask) {
    int delta = s.lo - s.from;
    if (delta >= 0) return dag_shl(d, dag_field(d, s.v, 0, mask >> delta), (uint32_t)delta);
    return dag_field(d, s.v, (uint32_t)-delta, mask);
}

node sym_node(const sym *s, uint32_t word) {
    const sym_word *w = word_at(s, word);
    node result = DAG_FALSE;
    uint64_t constant = 0;
    bool done[WORD_BITS] = {false};
    for (uint32_t i = 0; i < w->n; i++) {
        sym_slice a = w->slices[i];
        uint64_t mask = 0;
        for (uint32_t k = i; k < w->n && !done[i]; k++) {
            sym_slice b = w->slices[k];
            if (b.v != a.v || b.lo - b.from != a.lo - a.from) continue;
            mask |= layout_mask(b.len) << b.lo;
            done[k] = k > i;
        }
        if (!mask) continue;
        node part = sym_moved(s->d, a, mask);
        if (dag_is_const(s->d, part)) constant |= dag_at(s->d, part)->imm;
        else result = dag_or(s->d, result, part);
    }
    return dag_or(s->d, result, dag_const(s->d, constant));
}
