// SPDX-License-Identifier: Apache-2.0
// Checks of what was built, so that the engines need not make them: a start for every function, axioms about
// constants only, specifications that know the actions of what refines them.
#include "front/pv/internal.h"

#include "model/compose.h"
#include "model/walk.h"

bool pv_check_count(pv_front *f, uint32_t n, span at) {
    if (n <= PV_MOST_ARGUMENTS) return true;
    return diag_error(f->messages, at, "more than %d arguments or parameters", PV_MOST_ARGUMENTS);
}

// ---- which functions an expression reads

typedef bool (*func_test)(const model *m, func f);

// The first function, definitions included, that the test picks; id 0: none.
static func find_func(walk w, func_test test) {
    while (walk_next(&w)) {
        func f = {w.x && w.x->kind == E_APP ? w.x->ref : 0};
        if (!f.id || !test(w.m, f)) continue;
        walk_found(&w);
        return f;
    }
    return (func){0};
}

// ---- starts

// Elements of a symmetric sort are all alike, so none of them can be the default.
static bool lacks_value(const model *m, func f) {
    const func_info *info = func_of(m, f);
    const type_info *t = type_of(m, info->result);
    return !info->starts_any && t->kind == TYPE_SORT && !t->is_ordered;
}

static bool is_distinct_loop(const model *m, const stmt *s, uint32_t index, const var *loops, uint32_t nloops) {
    for (uint32_t i = 0; i < index; i++)
        if (expr_same(s->args[i], s->args[index])) return false;
    const expr_info *x = expr_of(m, s->args[index]);
    if (x->kind != E_VAR || !type_same(x->ty, func_of(m, s->target)->args[index])) return false;
    for (uint32_t i = 0; i < nloops; i++)
        if (loops[i].id == x->ref) return true;
    return false;
}

enum { MOST_LOOPS = 64 };

typedef struct {
    var loops[MOST_LOOPS];  // of the unconditional `forall`s around
    uint32_t nloops;
} coverage;

static bool covers_all(const model *m, const stmt *const *list, uint32_t n, func f, coverage *c);

// Does s write every cell of f, whatever the state?
static bool pv_check_covers(const model *m, const stmt *s, func f, coverage *c) {
    switch (s->kind) {
    case S_ASSIGN:
        if (s->target.id != f.id) return false;
        for (uint32_t i = 0; i < s->nargs; i++)
            if (!is_distinct_loop(m, s, i, c->loops, c->nloops)) return false;
        return true;
    case S_IF: return covers_all(m, s->body, s->nbody, f, c) && covers_all(m, s->orelse, s->norelse, f, c);
    case S_FORALL: {
        if (s->cond.id || c->nloops + s->nvars > MOST_LOOPS) return false;
        for (uint32_t i = 0; i < s->nvars; i++) c->loops[c->nloops++] = s->vars[i];
        bool all = covers_all(m, s->body, s->nbody, f, c);
        c->nloops -= s->nvars;
        return all;
    }
    default: return covers_all(m, s->body, s->nbody, f, c);
    }
}

static bool covers_all(const model *m, const stmt *const *list, uint32_t n, func f, coverage *c) {
    for (uint32_t i = 0; i < n; i++)
        if (pv_check_covers(m, list[i], f, c)) return true;
    return false;
}

static bool every_init_covers(const model *m, sys s, func f) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->inits.len; i++) {
        coverage c = {.nloops = 0};
        const stmt *body = rule_of(m, info->inits.data[i])->body;
        if (!body || !pv_check_covers(m, body, f, &c)) return false;
    }
    return info->inits.len > 0;
}

static void pv_check_start(pv_front *f, sys s, func x) {
    if (!lacks_value(f->m, x) || every_init_covers(f->m, s, x)) return;
    const func_info *info = func_of(f->m, x);
    const char *sort = type_of(f->m, info->result)->name;
    diag_error(f->messages, info->at, "'%s' has no initial value: the elements of %s are all alike", info->name, sort);
    diag_note(f->messages, (span){0},
              "write '= any' after the type to start with every value, or assign %s in every 'init'",
              info->nargs ? "all of it" : "it");
}

static void check_init_reads(pv_front *f, rule r) {
    const rule_info *info = rule_of(f->m, r);
    walk w = walk_stmt(f->m, info->body, WALK_CALLS);
    walk_add(&w, info->guard, 0);
    func read = find_func(w, lacks_value);
    if (read.id)
        diag_error(f->messages, info->at, "this 'init' reads '%s', which has no value before it",
                   func_of(f->m, read)->name);
}

void pv_check_starts(pv_front *f, sys s) {
    for (uint32_t i = 0; i < sys_of(f->m, s)->funcs.len; i++) pv_check_start(f, s, sys_of(f->m, s)->funcs.data[i]);
    for (uint32_t i = 0; i < sys_of(f->m, s)->inits.len; i++) check_init_reads(f, sys_of(f->m, s)->inits.data[i]);
}

// ---- axioms

static bool pv_check_changes(const model *m, func f) { return !func_of(m, f)->is_rigid; }

void pv_check_axiom(pv_front *f, const named_expr *axiom) {
    func x = find_func(walk_expr(f->m, axiom->cond, WALK_CALLS), pv_check_changes);
    if (!x.id) return;
    diag_error(f->messages, axiom->at, "axiom '%s' mentions '%s', which changes", axiom->name, func_of(f->m, x)->name);
    diag_note(f->messages, (span){0},
              "an axiom is about constants; what holds in every state is an 'assume' or 'invariant'");
}

// ---- systems and specifications

static bool pv_check_is_part(const model *m, sys a, sys whole) {
    if (a.id == whole.id) return true;
    for (uint32_t i = 0; i < sys_of(m, whole)->parts.len; i++)
        if (pv_check_is_part(m, a, sys_of(m, whole)->parts.data[i])) return true;
    return false;
}

// The first plain system of a that is a part of b too.
static sys common_part(const model *m, sys a, sys b) {
    if (!sys_of(m, a)->parts.len) return pv_check_is_part(m, a, b) ? a : (sys){0};
    for (uint32_t i = 0; i < sys_of(m, a)->parts.len; i++) {
        sys s = common_part(m, sys_of(m, a)->parts.data[i], b);
        if (s.id) return s;
    }
    return (sys){0};
}

bool pv_check_apart(pv_front *f, sys a, sys b, span at) {
    sys s = common_part(f->m, a, b);
    if (!s.id) return true;
    return diag_error(f->messages, at, "system '%s' would be on both sides: its state exists only once",
                      sys_of(f->m, s)->name);
}

static void rule_text(const model *m, const rule_info *r, str *out) {
    str_add(out, r->name);
    for (uint32_t i = 0; i < rule_nshown(r); i++) {
        str_add(out, i ? ", " : "(");
        pv_type_text(m, var_of(m, r->params[i])->ty, out);
    }
    if (rule_nshown(r)) str_char(out, ')');
}

static void report_params(pv_front *f, const rule_info *a, const rule_info *b, const char *spec) {
    str x = {0}, y = {0};
    rule_text(f->m, a, &x);
    rule_text(f->m, b, &y);
    diag_error(f->messages, a->at, "this action is %s, in the specification '%s' it is %s", str_get(&x), spec,
               str_get(&y));
    diag_note(f->messages, b->at, "the specification's action is here");
    str_free(&x);
    str_free(&y);
}

static void report_absent(pv_front *f, const rule_info *r, sys spec, span at) {
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < sys_of(f->m, spec)->rules.len; i++)
        vec_push(&names, rule_of(f->m, sys_of(f->m, spec)->rules.data[i])->name);
    const char *says = arena_printf(f->memory, "the specification '%s' has no action", sys_of(f->m, spec)->name);
    diag_absent(f->messages, r->at, says, r->name, names.data, names.len);
    diag_note(f->messages, at, "required here; an 'internal action' is not seen by the specification");
    vec_free(&names);
}

// The parameter that acts although another of its type stands before it; UINT32_MAX: none does. Letters have it first
// (language/letter.h), so here a system and its specification must agree.
static uint32_t moved_actor(const model *m, const rule_info *r) {
    for (uint32_t i = 0; r->actor && i + 1 < r->actor; i++)
        if (type_same(var_of(m, r->params[i])->ty, var_of(m, r->params[r->actor - 1])->ty)) return r->actor - 1;
    return UINT32_MAX;
}

static void report_actors(pv_front *f, const rule_info *a, const rule_info *b, const char *spec) {
    uint32_t x = moved_actor(f->m, a), y = moved_actor(f->m, b);
    const rule_info *said = x != UINT32_MAX ? a : b;
    uint32_t who = x != UINT32_MAX ? x : y;
    diag_error(f->messages, a->at, "'%s' is a step of another parameter here than in the specification '%s'", a->name,
               spec);
    diag_note(f->messages, b->at, "the specification's action is here; say 'by %s' in both",
              var_of(f->m, said->params[who])->name);
}

void pv_check_refines(pv_front *f, sys system, sys spec, span at) {
    if (!pv_check_apart(f, system, spec, at)) return;
    for (uint32_t i = 0; i < sys_of(f->m, system)->rules.len; i++) {
        const rule_info *a = rule_of(f->m, sys_of(f->m, system)->rules.data[i]);
        if (!a->is_visible) continue;
        rule r = model_find_rule(f->m, spec, a->name);
        if (!r.id) report_absent(f, a, spec, at);
        else if (!compose_same_params(f->m, a, rule_of(f->m, r)))
            report_params(f, a, rule_of(f->m, r), sys_of(f->m, spec)->name);
        else if (moved_actor(f->m, a) != moved_actor(f->m, rule_of(f->m, r)))
            report_actors(f, a, rule_of(f->m, r), sys_of(f->m, spec)->name);
    }
}

// ---- --define

void pv_check_defines(pv_front *f) {
    for (uint32_t i = 0; i < f->options->ndefines; i++) {
        const char *name = f->options->defines[i].name;
        int64_t v = f->options->defines[i].value;
        if (v > PV_LARGEST_NUMBER || v < -PV_LARGEST_NUMBER)
            diag_error(f->messages, (span){0}, "--define %s: numbers go up to %d", name, PV_LARGEST_NUMBER);
        bool is_constant = false;
        VEC(const char *) names = {0};
        for (uint32_t k = 1; k < f->symbols.len; k++) {
            if (f->symbols.data[k].kind != SYM_CONST) continue;
            vec_push(&names, f->symbols.data[k].name);
            is_constant |= str_same(f->symbols.data[k].name, name);
        }
        const char *says = "--define: the model has no constant";
        if (!is_constant) diag_absent(f->messages, (span){0}, says, name, names.data, names.len);
        vec_free(&names);
    }
}
