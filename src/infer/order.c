// SPDX-License-Identifier: Apache-2.0
// Orders of the sorts. A question is decidable when its Skolem functions go along with some order; which shapes lemmas
// may have depends on the order, and no order is best for all. So the orders are compared by the shapes that fit them,
// and each that lets a shape in that those before it leave out is tried in turn.
#include "infer/atoms.h"

#include "base/bits.h"

enum { ORDER_MOST = 4, ORDER_SORTS = 7 };  // orders tried; with more sorts there is only one

bool order_fits(const sort_order *o, const sort_edges *e, uint32_t nsorts) {
    for (uint32_t i = 0; i < nsorts && !o->is_any; i++)
        for (uint32_t k = 0; k < nsorts; k++)
            if (e->to[i] >> k & 1 && o->rank[i] >= o->rank[k]) return false;
    return true;
}

typedef struct {
    sort_order order;
    bits fits;  // of the shapes met
} ranked_order;

typedef struct {
    const atom_pool *met;
    const sort_edges *base;  // may be NULL
    VEC(ranked_order) best;  // none has all that another has; that with what was met first before others
} choice_of_orders;

// Does a have the first shape that only one of them has?
static bool order_is_better(const bits *a, const bits *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (bits_has(a, i) != bits_has(b, i)) return bits_has(a, i);
    return false;
}

static void order_drop(choice_of_orders *c, uint32_t at) {
    bits_free(&c->best.data[at].fits);
    for (uint32_t i = at + 1; i < c->best.len; i++) c->best.data[i - 1] = c->best.data[i];
    c->best.len--;
}

static void order_insert(choice_of_orders *c, ranked_order r) {
    for (uint32_t i = 0; i < c->best.len; i++)
        if (bits_subset(&r.fits, &c->best.data[i].fits)) {
            bits_free(&r.fits);
            return;
        }
    for (uint32_t i = c->best.len; i-- > 0;)
        if (bits_subset(&c->best.data[i].fits, &r.fits)) order_drop(c, i);
    uint32_t at = c->best.len;
    vec_push(&c->best, r);
    for (; at > 0 && order_is_better(&r.fits, &c->best.data[at - 1].fits, c->met->wants.len); at--)
        c->best.data[at] = c->best.data[at - 1];
    c->best.data[at] = r;
}

static void order_consider(choice_of_orders *c, const sort_order *o) {
    uint32_t n = c->met->sorts.len;
    if (c->base && !order_fits(o, c->base, n)) return;
    ranked_order r = {.order = *o};
    for (uint32_t i = 0; i < c->met->wants.len; i++)
        if (order_fits(o, &c->met->wants.data[i], n)) bits_add(&r.fits, i);
    order_insert(c, r);
}

// Every way to give the ranks that are left to sorts from s on.
static void order_each(choice_of_orders *c, sort_order *o, uint32_t s, uint32_t taken) {
    uint32_t n = c->met->sorts.len;
    if (s == n) {
        order_consider(c, o);
        return;
    }
    for (uint32_t r = 0; r < n; r++) {
        if (taken >> r & 1) continue;
        o->rank[s] = (uint8_t)r;
        order_each(c, o, s + 1, taken | UINT32_C(1) << r);
        if (n > ORDER_SORTS) return;
    }
}

void order_choose(const atom_pool *met, const sort_edges *base, order_list *out) {
    choice_of_orders c = {.met = met, .base = base};
    sort_order o = {0};
    order_each(&c, &o, 0, 0);
    c.base = NULL;
    if (!c.best.len) order_each(&c, &o, 0, 0);
    for (uint32_t i = 0; i < c.best.len; i++) {
        if (i < ORDER_MOST) vec_push(out, c.best.data[i].order);
        bits_free(&c.best.data[i].fits);
    }
    vec_free(&c.best);
}
