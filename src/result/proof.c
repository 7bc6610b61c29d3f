// SPDX-License-Identifier: Apache-2.0
// Proofs as data: see proof.h.
#include "result/proof.h"

proof *proof_new(model *m, prop p) {
    proof *x = mem_zero(1, sizeof *x);
    x->memory = arena_new();
    x->m = m;
    x->property = p;
    x->verdict = VERDICT_UNKNOWN;
    x->small = result_new();
    x->tried = result_new();
    x->is_stratified = true;
    return x;
}

void proof_free(proof *p) {
    if (!p) return;
    result_free(p->small);
    result_free(p->tried);
    if (p->spurious) result_free(p->spurious);
    for (uint32_t i = 0; i < p->instances.len; i++) instance_free(p->instances.data[i]);
    vec_free(&p->instances);
    while (p->overlays.len) model_free(vec_pop(&p->overlays));
    vec_free(&p->overlays);
    vec_free(&p->others);
    vec_free(&p->lemmas);
    vec_free(&p->ways);
    arena_free(p->memory);
    free(p);
}

void proof_take_way(proof *p, proof_way way) {
    bool is_known = false;
    for (uint32_t i = 0; i < p->ways.len; i++) is_known |= p->ways.data[i] == way;
    if (!is_known) vec_push(&p->ways, way);
    p->way = way;
}

static instance *same_sizes(proof *p, const instance *in) {
    VEC(sort_size) sizes = {0};
    for (uint32_t i = 1; i < p->m->types.len; i++)
        if (p->m->types.data[i].kind == TYPE_SORT) vec_push(&sizes, (sort_size){{i}, in->sort_size[i]});
    instance *copy = instance_new(p->m, in->system, sizes.data, sizes.len);
    vec_free(&sizes);
    if (copy) vec_push(&p->instances, copy);
    return copy;
}

static value *proof_keep(proof *p, const value *from, uint32_t n) {
    return from ? arena_copy(p->memory, from, n * sizeof *from) : NULL;
}

void proof_add_obstacle(proof *p, const instance *in, const value *before, const value *after, rule r,
                        const value *args, const char *what) {
    instance *own = same_sizes(p, in);
    if (!own) return;
    proof_obstacle *o = arena_alloc(p->memory, sizeof *o);
    o->in = own;
    o->before = proof_keep(p, before, own->ncells);
    o->after = proof_keep(p, after, own->ncells);
    o->r = r;
    o->args = r.id ? proof_keep(p, args, rule_of(p->m, r)->nparams) : NULL;
    o->what = arena_str(p->memory, what);
    if (p->obstacle) vec_push(&p->others, o);
    else p->obstacle = o;
}

// "P=4, M=2": constants that the file makes the size of, and that keep their values elsewhere.
static void proof_add_given(const instance *in, str *scope) {
    type_list sorts = {0};
    instance_sorts(in->m, in->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++) {
        const type_info *t = type_of(in->m, sorts.data[i]);
        if (t->size_given) str_printf(scope, ", %s", t->size_given);
    }
    vec_free(&sorts);
}

void proof_keep_small(proof *p, result *r, const instance *in) {
    str scope = {0};
    instance_sizes_text(in, &scope);
    proof_add_given(in, &scope);
    r->scope = result_text(r, "%s", str_get(&scope));
    str_free(&scope);
    result_free(p->small);
    p->small = r;
}

void proof_be_strict(proof *p) {
    if (!p->tried->doubts.len || p->verdict != VERDICT_HOLDS) return;
    p->verdict = VERDICT_UNKNOWN;
    p->reason = arena_printf(p->memory, "--strict: %s", p->tried->doubts.data[0].text);
}

// ---- what it is about

static bool is_any_number(const type *list, uint32_t n, type t) {
    for (uint32_t i = 0; i < n; i++)
        if (type_same(list[i], t)) return true;
    return false;
}

void proof_set_scope(proof *p, const type *any, uint32_t n) {
    str text = {0};
    type_list sorts = {0};
    for (uint32_t i = 0; i < n; i++)
        str_printf(&text, "%s%s", i ? ", of " : "every number of ", type_of(p->m, any[i])->name);
    for (uint32_t i = 0; i < n; i++)
        if (type_of(p->m, any[i])->size_given) str_printf(&text, ", %s", type_of(p->m, any[i])->size_given);
    instance_sorts(p->m, p->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++) {
        const type_info *t = type_of(p->m, sorts.data[i]);
        uint32_t size = t->fixed_size ? t->fixed_size : t->default_size ? t->default_size : 2;
        if (!is_any_number(any, n, sorts.data[i])) str_printf(&text, ", %s=%u", t->name, size);
    }
    p->scope = arena_str(p->memory, str_get(&text));
    vec_free(&sorts);
    str_free(&text);
}
