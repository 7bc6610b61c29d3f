// SPDX-License-Identifier: Apache-2.0
// Independent choices of a rule: see factor.h.
#include "space/factor.h"

#include "model/expr.h"
#include "model/walk.h"

#include <stdlib.h>

enum { FRAME = -1, LEAST_BINDINGS = 64, MOST_STATEMENTS = 4096 };

typedef struct {
    const layout *l;
    const model *m;
    const rule_info *r;
    int32_t *leader;   // by parameter: another one of its factor, or itself
    int32_t *of;       // by statement: a parameter in it, or FRAME
    uint32_t *writer;  // by function: 1 + a statement that writes it
    bool is_changed;   // more belongs together than was known
} factoring_of;

// ---- which parameters belong together

static int32_t factor_leader(const factoring_of *k, int32_t p) {
    while (p != FRAME && k->leader[p] != p) p = k->leader[p];
    return p;
}

static void factor_join(factoring_of *k, int32_t p, int32_t q) {
    p = factor_leader(k, p);
    q = factor_leader(k, q);
    k->is_changed |= p != q;
    if (p < q) k->leader[q] = p;
    else k->leader[p] = q;
}

static int32_t factor_param(const factoring_of *k, const expr_info *x) {
    for (uint32_t i = 0; x && x->kind == E_VAR && i < k->r->nparams; i++)
        if (k->r->params[i].id == x->ref) return (int32_t)i;
    return FRAME;
}

// Joins the parameters below; one of them, or FRAME.
static int32_t factor_of(factoring_of *k, walk w) {
    int32_t one = FRAME;
    while (walk_next(&w)) {
        int32_t p = factor_param(k, w.x);
        if (p != FRAME && one != FRAME) factor_join(k, one, p);
        if (p != FRAME) one = p;
    }
    return one;
}

// ---- what statements have to do with each other

static void factor_take_in(factoring_of *k, uint32_t statement, int32_t p) {
    k->of[statement] = p;
    k->is_changed = true;
}

// Statement b reads what a writes, or writes it too. Only that the frame writes what a factor reads leaves them apart.
static void factor_meet(factoring_of *k, uint32_t a, uint32_t b, bool writes) {
    int32_t p = k->of[a], q = k->of[b];
    if (p != FRAME && q != FRAME) factor_join(k, p, q);
    else if (p != FRAME) factor_take_in(k, b, p);
    else if (q != FRAME && writes) factor_take_in(k, a, q);
}

static void factor_note_writes(factoring_of *k, uint32_t number) {
    walk w = walk_stmt(k->m, k->r->body->body[number], WALK_STMTS);
    while (walk_next(&w)) {
        if (!w.s || w.s->kind != S_ASSIGN) continue;
        uint32_t *writer = &k->writer[w.s->target.id];
        if (*writer) factor_meet(k, *writer - 1, number, true);
        *writer = number + 1;
    }
}

static void factor_note_reads(factoring_of *k, uint32_t number) {
    walk w = walk_stmt(k->m, k->r->body->body[number], WALK_CALLS);
    while (walk_next(&w)) {
        bool reads = w.x && (w.x->kind == E_APP || w.x->kind == E_NEXT || w.x->kind == E_DEFINED);
        if (reads && k->writer[w.x->ref]) factor_meet(k, k->writer[w.x->ref] - 1, number, false);
    }
}

static void factor_look(factoring_of *k) {
    uint32_t n = 0;
    const expr *conjuncts = k->r->guard.id ? expr_conjuncts(k->m, &k->r->guard, &n) : NULL;
    for (uint32_t i = 0; i < n; i++) factor_of(k, walk_expr(k->m, conjuncts[i], WALK_CALLS));
    for (uint32_t i = 0; i < k->r->body->nbody; i++)
        k->of[i] = factor_of(k, walk_stmt(k->m, k->r->body->body[i], WALK_CALLS));
    for (k->is_changed = true; k->is_changed;) {
        k->is_changed = false;
        for (uint32_t i = 0; i < k->r->body->nbody; i++) factor_note_writes(k, i);
        for (uint32_t i = 0; i < k->r->body->nbody; i++) factor_note_reads(k, i);
    }
}

// ---- making

static uint64_t factor_options(const factoring_of *k, uint32_t first, uint32_t end) {
    uint64_t n = 1;
    for (uint32_t i = first; i < end && n < UINT32_MAX; i++)
        n *= instance_type_size(k->l->in, var_of(k->m, k->r->params[i])->ty);
    return n < UINT32_MAX ? n : UINT32_MAX;
}

// Parameters of one factor lie side by side. False: not all do.
static bool factor_cut(const factoring_of *k, factoring *out) {
    out->parts = mem_zero(k->r->nparams + 1, sizeof *out->parts);
    for (uint32_t i = 0, end; i < k->r->nparams; i = end) {
        int32_t leader = factor_leader(k, (int32_t)i);
        if (leader != (int32_t)i) return false;
        for (end = i; end < k->r->nparams && factor_leader(k, (int32_t)end) == leader;) end++;
        out->parts[out->count++] = (factor){.first = i, .end = end, .options = (uint32_t)factor_options(k, i, end)};
    }
    return true;
}

static bool factor_pays(const factoring_of *k, const factoring *f) {
    uint64_t parts = 1;
    for (uint32_t i = 0; i < f->count; i++) parts += f->parts[i].options;
    return parts <= factor_options(k, 0, k->r->nparams) / 2;
}

static factor *factor_with(const factoring_of *k, factoring *f, int32_t param) {
    int32_t leader = factor_leader(k, param);
    for (uint32_t i = 0; i < f->count; i++)
        if ((int32_t)f->parts[i].first == leader) return &f->parts[i];
    return &f->frame;
}

static void factor_fill_guard(factoring_of *k, factoring *f) {
    uint32_t n = 0;
    const expr *conjuncts = k->r->guard.id ? expr_conjuncts(k->m, &k->r->guard, &n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        int32_t p = factor_of(k, walk_expr(k->m, conjuncts[i], WALK_CALLS));
        vec_push(&factor_with(k, f, p)->guard, conjuncts[i]);
    }
}

static void factor_fill_body(const factoring_of *k, factoring *f, factor *to) {
    const stmt *all = k->r->body;
    const stmt **body = mem_zero(all->nbody + 1, sizeof *body);
    to->body = *all;
    to->body.nbody = 0;
    for (uint32_t i = 0; i < all->nbody; i++) {
        const factor *of = factor_with(k, f, k->of[i]);
        if (of == to || of == &f->frame) body[to->body.nbody++] = all->body[i];
    }
    to->body.body = body;
}

static void factor_mask_cells(const factoring_of *k, func f, uint64_t *mask) {
    uint32_t first = k->l->in->first_cell[f.id], n = instance_func_cells(k->l->in, f);
    for (uint32_t c = first; c < first + n; c++) {
        const layout_cell *p = &k->l->cells[c];
        if (p->word < k->l->words) mask[p->word] |= layout_mask(p->bits) << p->shift;
    }
}

static void factor_fill_masks(const factoring_of *k, factoring *f) {
    uint32_t words = k->l->words;
    f->frame.mask = mem_zero(words + 1, sizeof *f->frame.mask);
    for (uint32_t i = 0; i < f->count; i++) f->parts[i].mask = mem_zero(words + 1, sizeof *f->frame.mask);
    for (uint32_t id = 1; id < k->m->funcs.len; id++) {
        if (!k->writer[id]) continue;
        factor *of = factor_with(k, f, k->of[k->writer[id] - 1]);
        if (of != &f->frame) factor_mask_cells(k, (func){id}, of->mask);
    }
    for (uint32_t w = 0; w < words; w++) {
        for (uint32_t i = 0; i < f->count; i++) f->frame.mask[w] |= f->parts[i].mask[w];
        f->frame.mask[w] = ~f->frame.mask[w];
    }
}

static factoring *factor_make(factoring_of *k, bool always) {
    factoring *f = mem_zero(1, sizeof *f);
    f->frame.options = 1;
    if (!factor_cut(k, f) || !(always || factor_pays(k, f))) {
        factor_free(f);
        return NULL;
    }
    factor_fill_guard(k, f);
    factor_fill_body(k, f, &f->frame);
    for (uint32_t i = 0; i < f->count; i++) factor_fill_body(k, f, &f->parts[i]);
    factor_fill_masks(k, f);
    return f;
}

factoring *factor_rule(const layout *l, rule r, bool always) {
    factoring_of k = {.l = l, .m = l->in->m, .r = rule_of(l->in->m, r)};
    const stmt *body = k.r->body;
    if (!k.r->nlisteners || k.r->nrequires || !body || body->kind != S_SEQ || body->nbody > MOST_STATEMENTS)
        return NULL;
    if (!always && factor_options(&k, 0, k.r->nparams) < LEAST_BINDINGS) return NULL;
    k.leader = mem_zero(k.r->nparams + 1, sizeof *k.leader);
    for (uint32_t i = 0; i < k.r->nparams; i++) k.leader[i] = (int32_t)i;
    k.of = mem_zero(body->nbody + 1, sizeof *k.of);
    k.writer = mem_zero(k.m->funcs.len + 1, sizeof *k.writer);
    factor_look(&k);
    factoring *f = factor_make(&k, always);
    free(k.leader);
    free(k.of);
    free(k.writer);
    return f;
}

static void factor_clear(factor *f) {
    vec_free(&f->guard);
    free((void *)f->body.body);
    free(f->mask);
}

void factor_free(factoring *f) {
    if (!f) return;
    factor_clear(&f->frame);
    for (uint32_t i = 0; i < f->count; i++) factor_clear(&f->parts[i]);
    free(f->parts);
    free(f);
}
