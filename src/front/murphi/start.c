// SPDX-License-Identifier: Apache-2.0
// Which variables always have a value: those that have one in every initial state and are never undefined
// later. Knowing it saves a code in the packed state, and the question at every read.
//
// The initial states are computed by the reference evaluator, for scalarsets of other sizes too (a proof is about all).
// A variable stays among the candidates as long as no rule undefines it, except where it gets the (missing) value of
// another candidate; what is left when nothing more drops out has the property, by induction over the steps. Before the
// start such a variable has any value then, so none stays of which a start asks whether it has one.
#include "front/murphi/lower.h"
#include "model/real.h"
#include "model/eval.h"
#include "model/instance.h"
#include "model/walk.h"

enum { MOST_STARTS = 4096, MOST_SIZES = 256 };  // initial states; scalarsets that get other sizes

typedef struct {
    model *m;
    sys system;
    const instance *in;
    bool *is_candidate;  // by function
    uint32_t nstarts;
    bool has_changed;
    map *seen;  // statements
} finder;

static func func_at(const finder *f, uint32_t i) { return sys_of(f->m, f->system)->funcs.data[i]; }
static uint32_t func_count(const finder *f) { return sys_of(f->m, f->system)->funcs.len; }

static bool look_at_start(const value *state, void *context) {
    finder *f = context;
    for (uint32_t i = 0; i < func_count(f); i++) {
        func g = func_at(f, i);
        uint32_t first = f->in->first_cell[g.id], n = instance_func_cells(f->in, g);
        for (uint32_t c = first; c < first + n; c++)
            if (state[c] == VALUE_UNDEFINED) f->is_candidate[g.id] = false;
    }
    return ++f->nstarts < MOST_STARTS;
}

// Is cond "some candidate has a value"?
static bool asks_candidate(const finder *f, const stmt *s) {
    const expr_info *x = expr_of(f->m, s->cond);
    return s->kind == S_IF && x->kind == E_DEFINED && f->is_candidate[x->ref];
}

// Each statement once: what changes is looked at again from the beginning.
static void drop_undefined(finder *f, const stmt *s) {
    if (!s || !map_put(f->seen, &s, sizeof s, 1)) return;
    if (s->kind == S_ASSIGN && !s->value.id && f->is_candidate[s->target.id]) {
        f->is_candidate[s->target.id] = false;
        f->has_changed = true;
    }
    for (uint32_t i = 0; i < s->nbody; i++) drop_undefined(f, s->body[i]);
    for (uint32_t i = 0; i < s->norelse && !asks_candidate(f, s); i++) drop_undefined(f, s->orelse[i]);
}

static void drop_in_rules(finder *f) {
    const sys_info *s = sys_of(f->m, f->system);
    do {
        f->has_changed = false;
        f->seen = map_new();
        for (uint32_t i = 0; i < s->rules.len; i++) drop_undefined(f, rule_of(f->m, s->rules.data[i])->body);
        map_free(f->seen);
    } while (f->has_changed);
}

static void drop_in_starts(finder *f) {
    const sys_info *s = sys_of(f->m, f->system);
    for (uint32_t i = 0; i < s->inits.len; i++) {
        walk w = walk_stmt(f->m, rule_of(f->m, s->inits.data[i])->body, 0);
        while (walk_next(&w))
            if (w.x && w.x->kind == E_DEFINED) f->is_candidate[w.x->ref] = false;
    }
}

static bool run_starts(finder *f) {
    instance *in = instance_new(f->m, f->system, NULL, 0);
    f->in = in;
    f->nstarts = 0;
    bool ok = in && eval_initial(in, look_at_start, f) && f->nstarts > 0 && f->nstarts < MOST_STARTS;
    instance_free(in);
    return ok;
}

static bool is_of_any_size(const type_info *t) {
    return t->kind == TYPE_SORT && t->fixed_size && !t->is_slot && !t->size_is_used;
}

// Also with one element of the scalarset t, and with one more than there are; where a start fails, nothing is asked.
static void run_at_other_sizes(finder *f, type_info *t) {
    uint32_t size = t->fixed_size;
    t->fixed_size = 1;
    run_starts(f);
    t->fixed_size = size + 1;
    run_starts(f);
    t->fixed_size = size;
}

static bool run_all_starts(finder *f) {
    diag *messages = f->m->messages, *unseen = diag_new();
    f->m->messages = unseen;  // a start that fails is reported by the search
    uint32_t nsorts = 0;
    for (uint32_t i = 1; i < f->m->types.len; i++) nsorts += is_of_any_size(&f->m->types.data[i]);
    bool ok = nsorts <= MOST_SIZES && run_starts(f);
    for (uint32_t i = 1; ok && i < f->m->types.len; i++)
        if (is_of_any_size(&f->m->types.data[i])) run_at_other_sizes(f, &f->m->types.data[i]);
    f->m->messages = messages;
    diag_free(unseen);
    return ok;
}

static void murphi_settle(finder *f) {
    for (uint32_t i = 0; i < func_count(f); i++) {
        func_info *g = &f->m->funcs.data[func_at(f, i).id];
        if (!f->is_candidate[func_at(f, i).id] || !g->may_be_undefined) continue;
        g->may_be_undefined = false;
        g->initial = type_is_real(f->m, g->result) ? 0 : type_first(f->m, g->result);
    }
}

void murphi_find_defined(model *m, sys system) {
    finder f = {.m = m, .system = system, .is_candidate = mem_zero(m->funcs.len + 1, sizeof *f.is_candidate)};
    for (uint32_t i = 0; i < func_count(&f); i++)
        f.is_candidate[func_at(&f, i).id] = !func_of(m, func_at(&f, i))->is_scratch;
    if (run_all_starts(&f)) {
        drop_in_starts(&f);
        drop_in_rules(&f);
        murphi_settle(&f);
    }
    free(f.is_candidate);
}
