// SPDX-License-Identifier: Apache-2.0
// A cube of an instance whose elements need not be different, nor the same where they stand in several places.
//
// An orbit excludes what a cube says of different elements only. "Of two messages under way, both are about one value"
// needs a cube for every way in which their senders and receivers can be the same: on a small instance these are many
// cubes, and on no instance are they all. So pairs of elements are let be the same, and an element that stands in
// several places gets another one there, as long as what is left is still out of the frame. Elements can be renamed,
// so one member of each pattern of equalities has to be asked about.
#include "infer/small.h"

#include "model/expr.h"

enum { LOOSE_MOST_MEMBERS = 1500, LOOSE_MOST_PATTERNS = 150, LOOSE_FEW_PLACES = 7 };

void loose_free(loose_cube *l) {
    cube_free(&l->q);
    bits_free(&l->same);
    bits_free(&l->all);
}

static bool loose_may_be_same(const loose_cube *l, uint32_t i, uint32_t k) {
    return bits_has(&l->same, i * CUBE_MOST_VARS + k);
}

// ---- members: the cube at elements

typedef struct {
    small *s;
    const loose_cube *l;
    uint32_t mask;               // of variables in use
    bool one_each;               // of every pattern of equalities
    uint8_t at[CUBE_MOST_VARS];  // by variable: an element, counted within its sort
    uint32_t n, most;            // members so far
    bool (*visit)(void *context, const small_cube *member);
    void *context;
} loose_walk;

static type loose_type(const loose_walk *w, uint32_t v) { return var_of(w->s->x->m, w->l->q.vars.data[v])->ty; }

static uint32_t loose_literal(const loose_walk *w, const fact *f) {
    const word *of = &w->s->d.words.data[f->word];
    uint32_t at = 0;
    for (uint32_t i = 0; i < of->nformals; i++)
        at = at * instance_type_size(w->s->in, var_of(w->s->x->m, of->formals[i])->ty) + w->at[f->args[i]];
    return (w->s->first.data[f->word] + at) * 2 + f->negated;
}

// False where the member says that something is true and false.
static bool loose_member(const loose_walk *w, small_cube *out) {
    bool ok = true;
    for (uint32_t i = 0; i < w->l->q.facts.len && ok; i++) {
        uint32_t literal = loose_literal(w, &w->l->q.facts.data[i]);
        ok = !orbit_has(out, literal ^ 1);
        if (ok && !orbit_has(out, literal)) small_insert(out, literal);
    }
    return ok;
}

static bool loose_visit(loose_walk *w) {
    small_cube member = {0};
    if (++w->n > w->most) return false;
    bool ok = !loose_member(w, &member) || w->visit(w->context, &member);
    vec_free(&member);
    return ok;
}

// May the variable be the element, next to those before it? `fresh`: no variable before it is.
static bool loose_fits(const loose_walk *w, uint32_t v, uint32_t e, bool *fresh) {
    bool ok = true;
    *fresh = true;
    for (uint32_t i = 0; i < v && ok; i++) {
        if (!(w->mask >> i & 1) || w->at[i] != e || !type_same(loose_type(w, i), loose_type(w, v))) continue;
        *fresh = false;
        ok = loose_may_be_same(w->l, i, v);
    }
    return ok;
}

static bool loose_from(loose_walk *w, uint32_t v) {
    while (v < w->l->q.vars.len && !(w->mask >> v & 1)) v++;
    if (v == w->l->q.vars.len) return loose_visit(w);
    uint32_t size = instance_type_size(w->s->in, loose_type(w, v));
    bool ok = true, was_fresh = false, fresh;
    for (uint32_t e = 0; e < size && ok; e++) {
        if (!loose_fits(w, v, e, &fresh) || (fresh && was_fresh && w->one_each)) continue;
        was_fresh |= fresh;
        w->at[v] = (uint8_t)e;
        ok = loose_from(w, v + 1);
    }
    return ok;
}

static uint32_t loose_vars(const loose_cube *l) { return diagram_vars(&l->q, &l->all); }

// False if there are more than `most`, or a visit says no.
static bool loose_each(small *s, const loose_cube *l, bool one_each, uint32_t most,
                       bool (*visit)(void *context, const small_cube *member), void *context) {
    loose_walk w = {.s = s, .l = l, .mask = loose_vars(l), .one_each = one_each, .most = most};
    w.visit = visit;
    w.context = context;
    return loose_from(&w, 0);
}

// ---- clauses

typedef struct {
    small *s;
    int act;
} loose_exclusion;

static bool loose_exclude_member(void *context, const small_cube *member) {
    const loose_exclusion *x = context;
    lit_list lits = {0};
    vec_push(&lits, -x->act);
    for (uint32_t i = 0; i < member->len; i++)
        vec_push(&lits, small_literal(x->s, BOUNDED_BEFORE, member->data[i] ^ 1));
    bounded_clause(x->s->b, BOUNDED_BEFORE, lits.data, lits.len);
    vec_free(&lits);
    return true;
}

// No member is met before a step, under `act`; false if there are too many.
static bool loose_exclude(small *s, const loose_cube *l, int act) {
    loose_exclusion x = {s, act};
    return loose_each(s, l, false, LOOSE_MOST_MEMBERS, loose_exclude_member, &x);
}

typedef struct {
    small *s;
    lit_list some;
} loose_meeting;

static bool loose_meet_member(void *context, const small_cube *member) {
    loose_meeting *x = context;
    int here = bounded_var(x->s->b, BOUNDED_BEFORE);
    for (uint32_t i = 0; i < member->len; i++)
        bounded_clause(x->s->b, BOUNDED_BEFORE, (int[]){-here, small_literal(x->s, BOUNDED_AFTER, member->data[i])}, 2);
    vec_push(&x->some, here);
    return true;
}

bool loose_state(small *s, const loose_cube *l, int *excluded, int *met) {
    loose_meeting x = {.s = s};
    *excluded = bounded_var(s->b, BOUNDED_BEFORE);
    *met = bounded_var(s->b, BOUNDED_BEFORE);
    vec_push(&x.some, -*met);
    bool ok = loose_exclude(s, l, *excluded) && loose_each(s, l, true, LOOSE_MOST_PATTERNS, loose_meet_member, &x);
    if (ok) bounded_clause(s->b, BOUNDED_BEFORE, x.some.data, x.some.len);
    vec_free(&x.some);
    return ok;
}

// ---- loosening

typedef struct {
    small *s;
    uint32_t level;
    int self;
} loose_question;

static bool loose_is_out(void *context, const small_cube *member) {
    const loose_question *q = context;
    bits used = {0};
    bool ok = !small_stops(q->s) && small_is_out_given(q->s, member, q->level, q->self, &used);
    bits_free(&used);
    return ok;
}

static bool loose_is_good(small *s, const loose_cube *l, uint32_t level) {
    if (small_stops(s) || diagram_is_seen(&s->d, &l->q, &l->all, &l->same)) return false;
    loose_question q = {s, level, bounded_var(s->b, BOUNDED_BEFORE)};
    bool ok = loose_exclude(s, l, q.self) && loose_each(s, l, true, LOOSE_MOST_PATTERNS, loose_is_out, &q);
    bounded_clause(s->b, BOUNDED_BEFORE, (int[]){-q.self}, 1);
    return ok;
}

static bool loose_join(small *s, loose_cube *l, uint32_t level) {
    uint32_t mask = loose_vars(l);
    const model *m = s->x->m;
    bool some = false;
    for (uint32_t i = 0; i < l->q.vars.len; i++)
        for (uint32_t k = i + 1; k < l->q.vars.len; k++) {
            type a = var_of(m, l->q.vars.data[i])->ty, b = var_of(m, l->q.vars.data[k])->ty;
            if (!(mask >> i & mask >> k & 1) || !type_same(a, b) || loose_may_be_same(l, i, k)) continue;
            bits_add(&l->same, i * CUBE_MOST_VARS + k);
            if (loose_is_good(s, l, level)) some = true;
            else bits_remove(&l->same, i * CUBE_MOST_VARS + k);
        }
    return some;
}

// Where a variable stands: the fact's number times WORD_MOST_FORMALS, and the argument's.
static void loose_places_of(const small *s, const loose_cube *l, uint32_t variable, lit_list *out) {
    for (uint32_t i = 0; i < l->q.facts.len; i++)
        for (uint32_t k = 0; k < s->d.words.data[l->q.facts.data[i].word].nformals; k++)
            if (l->q.facts.data[i].args[k] == variable) vec_push(out, (int)(i * WORD_MOST_FORMALS + k));
}

// One more variable stands in the chosen places.
static bool loose_replace(small *s, loose_cube *l, const lit_list *places, uint32_t subset) {
    uint32_t to = l->q.vars.len;
    for (uint32_t i = 0; i < places->len; i++) {
        uint32_t at = (uint32_t)places->data[i];
        if (!(subset >> i & 1)) continue;
        if (!diagram_split(&s->d, &l->q, at / WORD_MOST_FORMALS, at % WORD_MOST_FORMALS, to)) return false;
    }
    return true;
}

static void loose_let(loose_cube *l, uint32_t a, uint32_t b) {
    if (a != b) bits_add(&l->same, a < b ? a * CUBE_MOST_VARS + b : b * CUBE_MOST_VARS + a);
}

// The new last variable has been `from` in some places: either it need not be different from any, or `from` need not.
static bool loose_is_good_split(small *s, loose_cube *l, uint32_t from, uint32_t level) {
    uint32_t new = l->q.vars.len - 1;
    bits same = {0};
    bits_copy(&same, &l->same);
    for (uint32_t i = 0; i < new; i++) loose_let(l, i, new);
    bool ok = loose_is_good(s, l, level);
    if (!ok) {
        bits_copy(&l->same, &same);
        for (uint32_t i = 0; i < new; i++)
            if (i == from || loose_may_be_same(l, i < from ? i : from, i < from ? from : i)) loose_let(l, i, new);
        for (uint32_t i = 0; i < new; i++) loose_let(l, i, from);
        ok = loose_is_good(s, l, level);
    }
    if (!ok) bits_copy(&l->same, &same);
    bits_free(&same);
    return ok;
}

// A choice of places of a variable, to which another variable goes.
static bool loose_split_at(small *s, loose_cube *l, uint32_t from, const lit_list *places, uint32_t subset,
                           uint32_t level) {
    loose_cube before = {0};
    uint32_t nvars = l->q.vars.len;
    for (uint32_t i = 0; i < l->q.facts.len; i++) {
        vec_push(&before.q.facts, l->q.facts.data[i]);
        vec_push(&before.q.lits, l->q.lits.data[i]);
        vec_push(&before.q.masks, l->q.masks.data[i]);
    }
    bool ok = loose_replace(s, l, places, subset) && loose_is_good_split(s, l, from, level);
    for (uint32_t i = 0; i < l->q.facts.len && !ok; i++) {
        l->q.facts.data[i] = before.q.facts.data[i];
        l->q.lits.data[i] = before.q.lits.data[i];
        l->q.masks.data[i] = before.q.masks.data[i];
    }
    if (!ok) l->q.vars.len = nvars;
    loose_free(&before);
    return ok;
}

// Every choice of places where they are few, else every place.
static bool loose_split_variable(small *s, loose_cube *l, uint32_t variable, uint32_t level) {
    lit_list places = {0};
    bool some = false;
    loose_places_of(s, l, variable, &places);
    bool is_few = places.len <= LOOSE_FEW_PLACES;
    uint32_t all = places.len && places.len < 32 ? (UINT32_C(1) << places.len) - 1 : 0;
    for (uint32_t subset = 1; is_few && subset < all && !some; subset++)
        if (!(subset & 1)) some = loose_split_at(s, l, variable, &places, subset, level);
    for (uint32_t i = 0; !is_few && i < places.len && i < 32 && !some; i++)
        some = loose_split_at(s, l, variable, &places, UINT32_C(1) << i, level);
    vec_free(&places);
    return some;
}

static bool loose_split(small *s, loose_cube *l, uint32_t level) {
    bool some = false;
    for (uint32_t v = 0; v < l->q.vars.len; v++)
        if (loose_vars(l) >> v & 1 && loose_split_variable(s, l, v, level)) {
            some = true;
            v--;
        }
    return some;
}

bool loosen_cube(small *s, const small_cube *c, uint32_t level, loose_cube *out) {
    *out = (loose_cube){0};
    small_to_cube(s, c, &out->q);
    for (uint32_t i = 0; i < c->len; i++) bits_add(&out->all, i);
    if (diagram_is_seen(&s->d, &out->q, &out->all, NULL)) return false;  // it is about a whole sort
    bool joined = loose_join(s, out, level);
    return loose_split(s, out, level) || joined;
}

expr loose_formula(small *s, const loose_cube *l) { return diagram_clause(&s->d, &l->q, &l->all, &l->same); }
