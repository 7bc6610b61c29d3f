// SPDX-License-Identifier: Apache-2.0
// Does the result of a loop depend on the order of its rounds? See loop_order.h.
//
// It does not if two neighbouring rounds, for elements a and b, may change places in every state. From the effects of a
// round (effects.h) that is so when whatever one of them may touch and the other may touch too is
// - only read by both, or
// - a cell to which both add amounts of one sign (or a bool to which both add by `|`, or by `&`): the sum is the same,
//   and leaves its range on the way if and only if it does at the end, or
// - a cell to which both write the same value, or
// - a local that each round writes before it reads it, and that nobody reads after the loop.
// Then each round sees the same in both orders and does the same. If rounds may fail, all failures must be of one kind:
// in each order some round fails or none does.
//
// A loop that a flag ends (`return` in a loop) does no rounds after the one that sets the flag. There a round must be
// unable to fail, whatever lasts must be written together with the flag, and all rounds that set it must write the
// same. Then the state stays what the loop found until one round ends it, and it does not matter which.
#include "pass/loop_order.h"

#include "model/expr.h"

enum { MOST_PAIRS = 1 << 20 };

typedef struct {
    const loop_order *o;
    const effects *fx;
    uint32_t number;
    const char *element;  // the loop's variable
    uint32_t npairs;
    str *why;
    uint32_t *next, *first;  // touches by function: lists of numbers plus one
    bits known_private, known_public;
} judge;

static const char *loop_order_name_of(const judge *j, func f) {
    const func_info *info = func_of(j->o->m, f);
    return info->name[0] == '%' ? "a local" : info->name;
}

static bool refuse_touch(judge *j, const char *what, func f, const char *rest) {
    const char *name = loop_order_name_of(j, f), *quote = name[0] == 'a' && name[1] == ' ' ? "" : "'";
    str_printf(j->why, "a round for '%s' %s %s%s%s%s", j->element, what, quote, name, quote, rest);
    return false;
}

static bool loop_order_refuse(judge *j, const char *why) {
    str_add(j->why, why);
    return false;
}

// ---- locals of a round

static bool is_private(judge *j, func f) {
    if (bits_has(&j->known_private, f.id)) return true;
    if (bits_has(&j->known_public, f.id)) return false;
    bool is = func_of(j->o->m, f)->is_scratch && !bits_has(&j->fx->exposed, f.id) &&
              !local_use_after(j->o->uses, j->number, f);
    bits_add(is ? &j->known_private : &j->known_public, f.id);
    return is;
}

// ---- pairs of touches

static bool same_value(const effect_touch *a, const effect_touch *b) {
    return a->is_same && b->is_same && expr_same(a->value, b->value);
}

static bool commute(const judge *j, const effect_touch *a, const effect_touch *b) {
    if (a->kind == b->kind && (a->kind != TOUCH_WRITE || same_value(a, b))) return true;
    return !effects_meet(j->fx, a, b);
}

static bool refuse_pair(judge *j, const effect_touch *a, const effect_touch *b) {
    if (a->kind == TOUCH_READ || b->kind == TOUCH_READ)
        return refuse_touch(j, "reads", a->f, ", which another round may write");
    if (a->kind == TOUCH_WRITE && func_of(j->o->m, a->f)->is_scratch && !bits_has(&j->fx->exposed, a->f.id))
        return refuse_touch(j, "leaves", a->f, " behind, which is read after the loop");
    if (a->kind == TOUCH_WRITE || b->kind == TOUCH_WRITE)
        return refuse_touch(j, "writes", a->f, ", and another round may write another value there");
    return refuse_touch(j, "adds to", a->f, ", and another round may take away from it");
}

// All touches of f have the same argument of their own.
static bool is_own(const judge *j, func f, index_kind kind) {
    for (uint32_t i = 0; i < func_of(j->o->m, f)->nargs; i++) {
        bool all = true;
        for (uint32_t k = j->first[f.id]; k && all; k = j->next[k - 1])
            all = j->fx->indices.data[j->fx->touches.data[k - 1].indices + i].kind == kind;
        if (all) return true;
    }
    return false;
}

static bool all_pairs_commute(judge *j, func f) {
    for (uint32_t a = j->first[f.id]; a; a = j->next[a - 1])
        for (uint32_t b = a; b; b = j->next[b - 1]) {
            const effect_touch *x = &j->fx->touches.data[a - 1], *y = &j->fx->touches.data[b - 1];
            if (++j->npairs > MOST_PAIRS) return loop_order_refuse(j, "it is too large to be looked at");
            if (!commute(j, x, y)) return refuse_pair(j, x, y);
        }
    return true;
}

static bool is_harmless(judge *j, func f) {
    if (is_own(j, f, INDEX_OWN) || is_own(j, f, INDEX_FRESH) || is_private(j, f)) return true;
    return all_pairs_commute(j, f);
}

static bool is_new_touch(const judge *j, const effect_touch *t) {
    uint32_t n = func_of(j->o->m, t->f)->nargs;
    const effect_index *mine = j->fx->indices.data + t->indices;
    for (uint32_t k = j->first[t->f.id], looked = 0; k && looked < 8; k = j->next[k - 1], looked++) {
        const effect_touch *x = &j->fx->touches.data[k - 1];
        bool same =
            x->kind == t->kind && x->fact == t->fact && x->is_same == t->is_same && expr_same(x->value, t->value);
        const effect_index *other = j->fx->indices.data + x->indices;
        for (uint32_t i = 0; i < n && same; i++)
            same = mine[i].kind == other[i].kind && expr_same(mine[i].e, other[i].e);
        if (same) return false;
    }
    return true;
}

static void group_touches(judge *j) {
    for (uint32_t i = j->fx->touches.len; i-- > 0;) {
        const effect_touch *t = &j->fx->touches.data[i];
        if (!bits_has(&j->fx->written, t->f.id) || !is_new_touch(j, t)) continue;
        j->next[i] = j->first[t->f.id];
        j->first[t->f.id] = i + 1;
    }
}

static bool all_harmless(judge *j) {
    for (uint32_t f = bits_next(&j->fx->written, 0); f != UINT32_MAX; f = bits_next(&j->fx->written, f + 1))
        if (j->first[f] && !is_harmless(j, (func){f})) return false;
    return true;
}

// ---- failures

static bool fails_one_way(judge *j) {
    uint32_t a = j->fx->aborts;
    if (!(a & (a - 1))) return true;
    if (a & (ABORT_GUARD | ABORT_ASSUMPTION))
        return loop_order_refuse(j, "one round may fail and another one be impossible, and the first of them counts");
    return loop_order_refuse(j, "one round may fail and another one reach a limit, and the first of them counts");
}

// ---- loops that a flag ends

// Is the region, or one around it, a loop, or one that ends the loop?
static bool is_within(const effects *fx, uint32_t region, bool is_loop) {
    for (;; region = fx->regions.data[region].parent) {
        const effect_region *r = &fx->regions.data[region];
        if (is_loop ? r->is_loop : r->sets_flag) return true;
        if (!region) return false;
    }
}

static bool is_fixed_place(const effects *fx, const effect_touch *t) {
    for (uint32_t i = 0; i < func_of(fx->m, t->f)->nargs; i++)
        if (fx->indices.data[t->indices + i].kind != INDEX_FIXED) return false;
    return true;
}

typedef VEC(uint32_t) numbers;

// The touches that last, by region in order of the text; false if one is not written together with the flag.
static bool lasting_writes(judge *j, uint32_t nends, numbers *out) {
    const effects *fx = j->fx;
    for (uint32_t i = 0; i < fx->touches.len; i++) {
        const effect_touch *t = &fx->touches.data[i];
        if (t->kind == TOUCH_READ || is_private(j, t->f)) continue;
        if (!fx->regions.data[t->region].sets_flag)
            return refuse_touch(j, "writes", t->f, " and goes on, and another round may end the loop");
        bool once = nends == 1 && !is_within(fx, t->region, true);
        if (t->kind != TOUCH_WRITE || !(once ? t->is_same_first : t->is_same) || !is_fixed_place(fx, t))
            return refuse_touch(j, "ends the loop and writes", t->f,
                                ", and another one that ends it may write another value");
        vec_push(out, i);
    }
    return true;
}

static bool same_write(const effects *fx, const effect_touch *a, const effect_touch *b) {
    if (a->f.id != b->f.id || !expr_same(a->value, b->value)) return false;
    for (uint32_t i = 0; i < func_of(fx->m, a->f)->nargs; i++)
        if (!expr_same(fx->indices.data[a->indices + i].e, fx->indices.data[b->indices + i].e)) return false;
    return true;
}

// Every region that ends the loop has as many writes as the first one, and the same ones.
static bool ends_alike(judge *j, uint32_t nends, const numbers *writes) {
    const effects *fx = j->fx;
    uint32_t each = nends ? writes->len / nends : 0, *done = mem_zero(fx->regions.len, sizeof *done);
    bool ok = each * nends == writes->len;
    const effect_touch *first = writes->len ? &fx->touches.data[writes->data[0]] : NULL;
    for (uint32_t i = 0; i < writes->len && ok; i++) {
        const effect_touch *t = &fx->touches.data[writes->data[i]];
        uint32_t nth = done[t->region]++;
        ok = nth < each && fx->touches.data[writes->data[nth]].region == first->region &&
             same_write(fx, t, &fx->touches.data[writes->data[nth]]);
    }
    free(done);
    return ok;
}

static bool is_nested_end(const effects *fx, uint32_t region) {
    return region && fx->regions.data[region].sets_flag && is_within(fx, fx->regions.data[region].parent, false);
}

static bool flag_ends_alike(judge *j) {
    const effects *fx = j->fx;
    uint32_t nends = 0, nnested = 0;
    numbers writes = {0};
    for (uint32_t i = 0; i < fx->regions.len; i++) {
        nends += fx->regions.data[i].sets_flag;
        nnested += is_nested_end(fx, i);
    }
    if (!fx->is_flag_plain) return loop_order_refuse(j, "what ends the loop may be taken back");
    if (fx->aborts) return loop_order_refuse(j, "a round may fail, or the loop end before it");
    bool ok = lasting_writes(j, nends, &writes);
    if (ok && writes.len && (nnested || !ends_alike(j, nends, &writes)))
        ok = loop_order_refuse(j, "it may end in different ways, and the first round that ends it counts");
    vec_free(&writes);
    return ok;
}

// ---- the whole

static bool rounds_commute(judge *j) {
    if (!fails_one_way(j)) return false;
    j->next = mem_zero(j->fx->touches.len + 1, sizeof *j->next);
    j->first = mem_zero(j->o->m->funcs.len, sizeof *j->first);
    group_touches(j);
    bool ok = all_harmless(j);
    free(j->next);
    free(j->first);
    return ok;
}

bool loop_order_is_any(const loop_order *o, const stmt *loop, uint32_t number, var v, str *why) {
    effects *fx = o->fx;
    effects_find(fx, &(effects_loop){loop, number, o->around, o->slots, o->is_parallel}, v);
    judge j = {.o = o, .fx = fx, .number = number, .element = var_of(o->m, v)->name, .why = why};
    if (fx->refusal) return loop_order_refuse(&j, fx->refusal);
    bool ok = fx->flag.id ? flag_ends_alike(&j) : rounds_commute(&j);
    bits_free(&j.known_private);
    bits_free(&j.known_public);
    return ok;
}
