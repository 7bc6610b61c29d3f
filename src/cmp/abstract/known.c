// SPDX-License-Identifier: Apache-2.0
// What the translation of a large expression remembers: translations of its parts, by what their variables are.
//
// Parts are shared, so the tree of an expression may have 2^100 nodes, and below quantifiers the same variables stand
// for the same elements again and again. What is remembered lives as long as one call of the translation from outside:
// meanwhile nothing is written, so a part has one value, and unknowns that it reads may be shared. A translation with
// unknowns of the atom around it is good for that atom alone.
//
// So that the same variables do stand for the same elements, a quantifier's variable is the same one each time it is
// bound, except below itself.
#include "cmp/abstract/internal.h"

enum { KNOWN_LEAST_WEIGHT = 10000 };

typedef struct {
    ident is;  // of a bool or a value: `e`
    bool is_open;
} known_part;

struct known_store {
    map *parts, *vars;
    VEC(known_part) list;
    VEC(uint32_t) key;
};

static void known_free(known_store *k) {
    map_free(k->parts);
    map_free(k->vars);
    vec_free(&k->list);
    vec_free(&k->key);
    free(k);
}

static known_store *known_new(void) {
    known_store *k = mem_zero(1, sizeof *k);
    k->parts = map_new();
    k->vars = map_new();
    return k;
}

// ---- keys

static void key_add_binding(known_store *k, const ident *x) {
    vec_push(&k->key, x->kind);
    vec_push(&k->key, x->kind == IDENT_OTHER ? x->other : x->e.id);
    if (x->kind != IDENT_ANY) return;
    vec_push(&k->key, x->as.id);
    vec_push(&k->key, x->key.id);
    vec_push(&k->key, x->which.id);
}

// What a variable is: whether a quantifier binds it, and to which element.
static void key_add_var(const translator *t, var v) {
    bool is_bound = false;
    for (uint32_t i = 0; i < t->bound.len && !is_bound; i++) is_bound = t->bound.data[i].v.id == v.id;
    vec_push(&t->known->key, is_bound);
    for (uint32_t i = t->env.len; i-- > 0;)
        if (t->env.data[i].from.id == v.id) {
            key_add_binding(t->known, &t->env.data[i].to);
            return;
        }
}

// The part as it is translated in every atom (0), or in the present one.
static uint32_t known_find(const translator *t, const known_question *q, uint32_t atom) {
    known_store *k = t->known;
    const var_set of = expr_frees(t->m, q->e);
    k->key.len = 0;
    vec_push(&k->key, q->e.id);
    vec_push(&k->key, q->how);
    vec_push(&k->key, atom);
    vec_push(&k->key, t->in_atom ? 1 + (uint32_t)t->most_more : 0);
    for (uint32_t i = 0; i < of.n; i++) key_add_var(t, of.vars[i]);
    return map_get(k->parts, k->key.data, k->key.len * sizeof *k->key.data, UINT32_MAX);
}

// ---- questions

bool known_ask(translator *t, expr e, uint32_t how, known_question *q) {
    *q = (known_question){.e = e, .how = how, .was_open = t->is_open};
    if (!t->known && expr_of(t->m, e)->weight < KNOWN_LEAST_WEIGHT) return false;
    q->is_outermost = !t->known;
    if (!t->known) t->known = known_new();
    q->is_kept = expr_of(t->m, e)->nargs > 0;
    t->is_open = false;
    if (!q->is_kept) return false;
    uint32_t at = known_find(t, q, 0);
    if (at == UINT32_MAX) at = known_find(t, q, t->atom);
    if (at == UINT32_MAX) return false;
    q->is = t->known->list.data[at].is;
    t->is_open = t->known->list.data[at].is_open || q->was_open;
    return true;
}

ident known_tell(translator *t, const known_question *q, ident is) {
    if (!t->known) return is;
    if (q->is_kept && known_find(t, q, t->is_open ? t->atom : 0) == UINT32_MAX) {
        map_put(t->known->parts, t->known->key.data, t->known->key.len * sizeof *t->known->key.data,
                t->known->list.len);
        vec_push(&t->known->list, (known_part){is, t->is_open});
    }
    t->is_open |= q->was_open;
    if (!q->is_outermost) return is;
    known_free(t->known);
    t->known = NULL;
    return is;
}

// ---- variables

var known_var(translator *t, var v) {
    const var_info old = *var_of(t->m, v);
    uint32_t key[2] = {v.id, 0};
    for (uint32_t i = 0; i < t->env.len; i++) key[1] += t->env.data[i].from.id == v.id;
    var own = {t->known ? map_get(t->known->vars, key, sizeof key, 0) : 0};
    if (own.id) return own;
    own = model_add_var(t->m, old.name, t->a->kept, old.at);
    if (t->known) map_put(t->known->vars, key, sizeof key, own.id);
    return own;
}
