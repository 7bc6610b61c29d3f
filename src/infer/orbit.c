// SPDX-License-Identifier: Apache-2.0
// Quantifiers from the shape of an orbit (Goel and Sakallah, NFM 2021).
//
// A cube that is about some elements of a sort is excluded wherever such elements are: ∀. One that is about all of
// them and says the same of several (exchanging two of these leaves it as it is) may say it of the whole sort, however
// many there are: its negation says that one of them is different, ∃. Where that is so, both readings are given: they
// agree on the instance, and which of them is right for all sizes is for others to find out.
#include "infer/small.h"

#include "model/expr.h"

bool orbit_has(const small_cube *c, uint32_t literal) {
    uint32_t lo = 0, hi = c->len;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (c->data[mid] < literal) lo = mid + 1;
        else hi = mid;
    }
    return lo < c->len && c->data[lo] == literal;
}

uint32_t orbit_swapped(const small *s, uint32_t literal, uint32_t a, uint32_t b) {
    uint8_t to[CUBE_MOST_VARS];
    for (uint32_t v = 0; v < s->nvars; v++) to[v] = (uint8_t)(v == a ? b : v == b ? a : v);
    return small_image(s, literal, to);
}

uint32_t orbit_class(const small *s, const small_cube *c, uint32_t v,
                     bool (*counts)(const small *s, uint32_t literal)) {
    type t = s->type_of_var.data[v];
    uint32_t from = s->offset[t.id], mask = 0;
    for (uint32_t e = from; e < from + instance_type_size(s->in, t); e++) {
        bool is_same = true;
        for (uint32_t i = 0; i < c->len && is_same; i++)
            is_same = (counts && !counts(s, c->data[i])) || orbit_has(c, orbit_swapped(s, c->data[i], v, e));
        if (is_same) mask |= UINT32_C(1) << e;
    }
    return mask;
}

// Is every literal about at most one element of the class?
static bool orbit_is_apart(const small *s, const small_cube *c, uint32_t class) {
    for (uint32_t i = 0; i < c->len; i++) {
        uint32_t met = small_elements_of(s, c->data[i]) & class;
        if (met & (met - 1)) return false;
    }
    return true;
}

typedef struct {
    uint32_t classes[CUBE_MOST_VARS], n;
    uint32_t whole;   // all their elements
    uint32_t firsts;  // one of each
} orbit_classes;

// The classes that may become ∃: of sorts all whose elements are used.
static void orbit_find(const small *s, const small_cube *c, orbit_classes *out) {
    uint32_t used = small_elements(s, c);
    *out = (orbit_classes){0};
    for (uint32_t i = 0; i < s->sorts.len; i++) {
        uint32_t size = instance_type_size(s->in, s->sorts.data[i]), from = s->offset[s->sorts.data[i].id];
        uint32_t all = ((UINT32_C(1) << size) - 1) << from;
        if ((used & all) != all || !type_is_unbounded(s->x->m, s->sorts.data[i])) continue;
        uint32_t largest = 0;
        for (uint32_t v = from; v < from + size; v++) {
            uint32_t class = orbit_class(s, c, v, NULL);
            if (__builtin_popcount(class) > __builtin_popcount(largest)) largest = class;
        }
        if (__builtin_popcount(largest) < 2 || !orbit_is_apart(s, c, largest)) continue;
        out->classes[out->n++] = largest;
        out->whole |= largest;
        out->firsts |= largest & -largest;
    }
}

// How many literals the ones about the first elements stand for, if the others are their images.
static uint64_t orbit_count(const small *s, const small_cube *c, const orbit_classes *k) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->len; i++) {
        uint32_t about = small_elements_of(s, c->data[i]);
        if (about & k->whole & ~k->firsts) continue;
        uint64_t images = 1;
        for (uint32_t j = 0; j < k->n; j++)
            if (about & k->classes[j]) images *= (uint64_t)__builtin_popcount(k->classes[j]);
        n += images;
    }
    return n;
}

typedef struct {
    VEC(var) all, some;
    VEC(expr) outside, inside, apart;
} orbit_parts;

static void orbit_take_vars(small *s, const cube *q, const orbit_classes *k, uint32_t used, orbit_parts *p) {
    model *m = s->x->m;
    for (uint32_t v = 0; v < s->nvars; v++) {
        bool is_some = k->firsts >> v & 1;
        if (!(used >> v & 1) || (k->whole >> v & 1 && !is_some)) continue;
        vec_push(is_some ? &p->some : &p->all, q->vars.data[v]);
    }
    for (uint32_t i = 0; i < p->all.len; i++) {
        type t = var_of(m, p->all.data[i])->ty;
        for (uint32_t j = i + 1; j < p->all.len; j++)
            if (type_same(var_of(m, p->all.data[j])->ty, t))
                vec_push(&p->outside, expr_eq(m, expr_var(m, p->all.data[i]), expr_var(m, p->all.data[j])));
        for (uint32_t j = 0; j < p->some.len; j++)
            if (type_same(var_of(m, p->some.data[j])->ty, t))
                vec_push(&p->apart, expr_not(m, expr_eq(m, expr_var(m, p->all.data[i]), expr_var(m, p->some.data[j]))));
    }
}

static expr orbit_formula(small *s, const small_cube *c, const orbit_classes *k) {
    model *m = s->x->m;
    cube q;
    orbit_parts p = {0};
    small_to_cube(s, c, &q);
    orbit_take_vars(s, &q, k, small_elements(s, c), &p);
    for (uint32_t i = 0; i < c->len; i++) {
        uint32_t about = small_elements_of(s, c->data[i]);
        if (about & k->whole & ~k->firsts) continue;
        if (about & k->firsts) vec_push(&p.inside, expr_not(m, q.lits.data[i]));
        else vec_push(&p.outside, expr_not(m, q.lits.data[i]));
    }
    if (p.some.len) {
        vec_push(&p.apart, expr_or_all(m, p.inside.data, p.inside.len));
        expr body = expr_and_all(m, p.apart.data, p.apart.len);
        vec_push(&p.outside, expr_exists(m, p.some.data, p.some.len, body));
    }
    expr e = expr_forall(m, p.all.data, p.all.len, expr_or_all(m, p.outside.data, p.outside.len));
    cube_free(&q);
    vec_free(&p.all);
    vec_free(&p.some);
    vec_free(&p.outside);
    vec_free(&p.inside);
    vec_free(&p.apart);
    return e;
}

void orbit_formulas(small *s, const small_lemma *l, expr_list *out, expr_list *mixed) {
    const small_cube *c = &l->c;
    orbit_classes k, none = {0};
    orbit_find(s, c, &k);
    vec_push(out, l->met ? l->loose : orbit_formula(s, c, &none));
    if (k.n && orbit_count(s, c, &k) == c->len) vec_push(mixed, orbit_formula(s, c, &k));
    for (uint32_t i = 0; i < k.n && k.n > 1; i++) {
        orbit_classes one = {.n = 1, .classes = {k.classes[i]}, .whole = k.classes[i]};
        one.firsts = one.whole & -one.whole;
        if (orbit_count(s, c, &one) == c->len) vec_push(mixed, orbit_formula(s, c, &one));
    }
}
