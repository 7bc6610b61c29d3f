// SPDX-License-Identifier: Apache-2.0
// The walk through a small group as a lowering: its only label leads from a state to the least one of its
// orbit, so that machine code and native code can walk too.
//
// It does what canonical.c does for such groups, with all swaps of one exchange computed side by side.
// Larger groups, long states and multisets are left to canonical.c.
#include "space/symmetry_int.h"

#include <string.h>

enum { MOST_SWAPS = 2000 };

typedef struct {
    const symmetry *y;
    dag *d;
    node here[SYMMETRY_WALK_WORDS], least[SYMMETRY_WALK_WORDS];
} walker;

static void swap_bits(walker *w, const exchange_list *list) {
    dag *d = w->d;
    node after[SYMMETRY_WALK_WORDS];
    memcpy(after, w->here, sizeof after);
    for (uint32_t i = list->first; i < list->first + list->n; i++) {
        const exchange *x = &w->y->exchanges.data[i];
        node high = dag_field(d, w->here[x->b], x->shift, UINT64_MAX);
        node differs = dag_and(d, dag_xor(d, w->here[x->a], high), dag_const(d, x->mask));
        after[x->a] = dag_xor(d, after[x->a], differs);
        after[x->b] = dag_xor(d, after[x->b], dag_shl(d, differs, x->shift));
    }
    memcpy(w->here, after, sizeof after);
}

// The lowest bit of those cells that hold the value v.
static node cells_equal(dag *d, const value_fields *f, node word, uint64_t v) {
    node differs = dag_xor(d, word, dag_const(d, v * f->lowest)), any = DAG_FALSE;
    for (uint32_t i = 0; i < f->bits; i++) any = dag_or(d, any, dag_field(d, differs, i, f->lowest));
    return dag_xor(d, any, dag_const(d, f->lowest));
}

static void lower_walk_rename_values(walker *w, const sorted *s, uint32_t a, uint32_t b) {
    dag *d = w->d;
    for (uint32_t i = 0; i < s->valued.len; i++) {
        const value_fields *f = &s->valued.data[i];
        node *word = &w->here[f->word];
        uint64_t x = f->offset + a, z = f->offset + b, changes = x ^ z;
        node found = dag_or(d, cells_equal(d, f, *word, x), cells_equal(d, f, *word, z));
        for (uint32_t k = 0; k < f->bits; k++)
            if (changes >> k & 1) *word = dag_xor(d, *word, dag_shl(d, found, k));
    }
}

// Words of a state compare as in is_less() of canonical.c: the first one counts most.
static node is_here_less(walker *w) {
    dag *d = w->d;
    node less = DAG_FALSE;
    for (uint32_t i = w->y->words; i-- > 0;) {
        node a = w->here[i], b = w->least[i], before = dag_lt(d, a, b);
        less = dag_or(d, before, dag_and(d, dag_eq(d, a, b), less));
    }
    return less;
}

static void walk_by_step(walker *w, uint32_t step) {
    const sorted *s = &w->y->sorts.data[step >> 24];
    uint32_t a = step >> 12 & 0xfff, b = step & 0xfff;
    swap_bits(w, a < b ? symmetry_pair(w->y, s, a, b) : symmetry_pair(w->y, s, b, a));
    lower_walk_rename_values(w, s, a, b);
    node less = is_here_less(w);
    for (uint32_t i = 0; i < w->y->words; i++) w->least[i] = dag_select(w->d, less, w->here[i], w->least[i]);
}

static bool is_small(const symmetry *y) {
    if (!y->walk_step.len || y->bags) return false;
    uint64_t swaps = 0;
    for (uint32_t i = 0; i < y->pairs.len; i++) swaps += y->pairs.data[i].n;
    for (uint32_t i = 0; i < y->sorts.len; i++) swaps += y->sorts.data[i].valued.len;
    return swaps * y->walk_step.len <= MOST_SWAPS;
}

bool symmetry_lower(const symmetry *y, lowering *out) {
    memset(out, 0, sizeof *out);
    dag_init(&out->d);
    out->words = y->words;
    if (!is_small(y)) return false;
    walker w = {.y = y, .d = &out->d};
    for (uint32_t i = 0; i < y->words; i++) w.here[i] = w.least[i] = dag_word(w.d, i);
    for (uint32_t i = 0; i < y->walk_step.len; i++) walk_by_step(&w, y->walk_step.data[i]);
    for (uint32_t i = 0; i < y->words; i++) vec_push(&out->outs, (lower_out){i, w.least[i]});
    vec_push(&out->labels, (lower_label){.active = DAG_TRUE, .nnext = out->outs.len});
    return true;
}
