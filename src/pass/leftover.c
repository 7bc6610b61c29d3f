// SPDX-License-Identifier: Apache-2.0
// See leftover.h.
//
// Expressions are read in the order of model/model.h, with the conditions that hold there: of every cell f(args) that
// is read, and every function g of the same arguments, the values that g(args) may have before the step, if the step is
// possible. If these are not all values of g, f is a *leftover* where g has another one, unless some rule gives g one
// of these and does not write f. Conjuncts of a guard that cannot fail are taken to be read last, and put there. Cells
// are forgotten at the end of the rules that write them or one of their g.
//
// Why no step reads what was forgotten, in states in which f(args) has a value wherever all its g(args) have one of
// their values: a read of f(args) comes after reads of these g(args) that the conditions make, and gives f its values.
// g may be forgotten itself; but there are no circles, so a function that is not comes first.
#include "pass/leftover.h"

#include "base/bits.h"
#include "base/mem.h"
#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"
#include "pass/restate.h"
#include "model/welldefined.h"

enum { MOST_VALUES = 64, LARGEST_TREE = 5000, MOST_FUNCS = 1000 };

typedef struct {
    expr e;
    bool holds;
    bool is_later;  // a condition of the body, which may have written by then
} leftover_fact;

typedef struct {
    model *m;
    sys system;
    uint32_t n;                // functions of the system
    const func *funcs;         // as they were
    uint64_t *may;             // by function and function: the values of the second where the first is read
    bool *is_read;             // by function: somewhere
    VEC(leftover_fact) facts;  // that hold where we are
    restating to;
    bits written;  // functions that the body we are in writes
    bool in_body;
    bool is_unknown;  // what holds before the step is not known here
    bool in_lemma;    // which asks whether cells have a value before it reads them
} forgetting;

// ---- functions

static uint32_t number_of(const forgetting *x, func f) {
    for (uint32_t i = 0; i < x->n; i++)
        if (x->funcs[i].id == f.id) return i;
    return UINT32_MAX;
}

static bool is_plain_state(const func_info *f) {
    return !f->is_scratch && !f->is_rigid && !f->starts_any && !f->may_be_undefined;
}

static uint64_t leftover_all(const forgetting *x, func g) {
    uint32_t n = type_known_size(x->m, func_of(x->m, g)->result);
    return n >= MOST_VALUES ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static bool is_control(const forgetting *x, func g) {
    const func_info *i = func_of(x->m, g);
    type_kind k = type_of(x->m, i->result)->kind;
    return is_plain_state(i) && (k == TYPE_BOOL || k == TYPE_ENUM) && type_known_size(x->m, i->result) <= MOST_VALUES;
}

static bool controls(const forgetting *x, func g, func f) {
    const func_info *a = func_of(x->m, f), *b = func_of(x->m, g);
    if (g.id == f.id || a->nargs != b->nargs || !is_control(x, g)) return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!type_same(a->args[i], b->args[i])) return false;
    return true;
}

static uint64_t *may_of(const forgetting *x, uint32_t f, uint32_t g) { return &x->may[(size_t)f * x->n + g]; }

// ---- what conditions say of a cell

static uint64_t values_equal(const forgetting *x, const expr_info *i, expr cell, uint64_t all) {
    value v;
    for (uint32_t k = 0; k < 2; k++)
        if (expr_same(i->args[k], cell) && expr_is_const(x->m, i->args[1 - k], &v)) return UINT64_C(1) << v & all;
    return all;
}

// The values that the cell may have where e holds, or does not hold.
static uint64_t values_where(const forgetting *x, expr e, bool holds, expr cell, uint64_t all) {
    const expr_info *i = expr_of(x->m, e);
    if (expr_same(e, cell)) return holds ? 2 : 1;
    if (i->tree > LARGEST_TREE) return all;
    if (i->kind == E_NOT) return values_where(x, i->args[0], !holds, cell, all);
    if (i->kind == E_IMPLIES && !holds)
        return values_where(x, i->args[0], true, cell, all) & values_where(x, i->args[1], false, cell, all);
    if (i->kind == E_EQ) {
        uint64_t same = values_equal(x, i, cell, all);
        return same == all ? all : holds ? same : all & ~same;
    }
    if (i->kind != E_AND && i->kind != E_OR) return all;
    bool is_both = (i->kind == E_AND) == holds;
    uint64_t found = is_both ? all : 0;
    for (uint32_t k = 0; k < i->nargs; k++) {
        uint64_t part = values_where(x, i->args[k], holds, cell, all);
        found = is_both ? found & part : found | part;
    }
    return found;
}

// Before the step: what a body asks of a function that it writes says nothing about that.
static uint64_t values_here(const forgetting *x, func g, expr cell, uint64_t all) {
    uint64_t found = all;
    for (uint32_t i = 0; i < x->facts.len; i++) {
        const leftover_fact *fact = &x->facts.data[i];
        if (!fact->is_later || !bits_has(&x->written, g.id)) found &= values_where(x, fact->e, fact->holds, cell, all);
    }
    return found;
}

// ---- reads

static bool is_asked_for(const forgetting *x, func f, const expr *args) {
    for (uint32_t i = 0; i < x->facts.len; i++) {
        expr e = x->facts.data[i].e;
        bool holds = x->facts.data[i].holds;
        if (expr_kind_of(x->m, e) == E_NOT) e = expr_arg(x->m, e, 0), holds = !holds;
        const expr_info *d = expr_of(x->m, e);
        bool is_same = d->kind == E_DEFINED && d->ref == f.id && holds;
        for (uint32_t k = 0; is_same && k < d->nargs; k++) is_same = expr_same(d->args[k], args[k]);
        if (is_same) return true;
    }
    return false;
}

// It is the same cell before the step.
static bool is_same_before(const forgetting *x, const expr *args, uint32_t nargs) {
    for (uint32_t i = 0; i < nargs; i++) {
        walk w = walk_expr(x->m, args[i], WALK_CALLS);
        while (walk_next(&w)) {
            bool is_cell = w.x->kind == E_APP || w.x->kind == E_DEFINED;
            if (is_cell && bits_has(&x->written, w.x->ref)) return !walk_found(&w);
        }
    }
    return true;
}

static void leftover_note_read(forgetting *x, func f, const expr *args, bool is_known) {
    uint32_t number = number_of(x, f);
    is_known &= !x->is_unknown && is_same_before(x, args, func_of(x->m, f)->nargs);
    if (number == UINT32_MAX || (x->in_lemma && is_known && is_asked_for(x, f, args))) return;
    x->is_read[number] = true;
    for (uint32_t g = 0; g < x->n; g++) {
        if (!controls(x, x->funcs[g], f)) continue;
        uint64_t all = leftover_all(x, x->funcs[g]);
        if (*may_of(x, number, g) == all) continue;
        func by = x->funcs[g];
        *may_of(x, number, g) |= is_known ? values_here(x, by, expr_app(x->m, by, args), all) : all;
    }
}

// Too large to be followed with what holds where.
static void note_all_reads(forgetting *x, expr e) {
    walk w = walk_expr(x->m, e, 0);
    while (walk_next(&w))
        if (w.x->kind == E_APP) leftover_note_read(x, (func){w.x->ref}, w.x->args, false);
}

static void leftover_suppose(forgetting *x, expr e, bool holds) {
    vec_push(&x->facts, (leftover_fact){e, holds, x->in_body});
}

static bool is_in_fact(const forgetting *x, var v) {
    for (uint32_t i = 0; i < x->facts.len; i++)
        if (expr_has_var(x->m, x->facts.data[i].e, v)) return true;
    return false;
}

// By recursion: what holds depends on the way down. Only expressions of at most LARGEST_TREE nodes.
static void read_below(forgetting *x, expr e) {
    const expr_info i = *expr_of(x->m, e);
    uint32_t known = x->facts.len;
    bool before = x->is_unknown;
    if (expr_kind_binds(i.kind)) x->is_unknown |= is_in_fact(x, (var){i.ref});
    if (i.kind == E_APP) leftover_note_read(x, (func){i.ref}, i.args, true);
    for (uint32_t k = 0; k < i.nargs; k++) {
        read_below(x, i.args[k]);
        if (i.kind == E_AND || i.kind == E_IMPLIES) leftover_suppose(x, i.args[k], true);
        if (i.kind == E_OR) leftover_suppose(x, i.args[k], false);
        if (i.kind == E_ITE && k == 0) leftover_suppose(x, i.args[0], true);
        if (i.kind == E_ITE && k == 1) vec_last(&x->facts).holds = false;
    }
    x->facts.len = known;
    x->is_unknown = before;
}

static void read_expr(forgetting *x, expr e) {
    if (!e.id) return;
    if (expr_of(x->m, e)->tree > LARGEST_TREE) note_all_reads(x, e);
    else read_below(x, e);
}

static bool leftover_never_fails(forgetting *x, expr e) { return expr_is_true(x->m, welldefined_where(x->m, e)); }

static void read_guard(forgetting *x, expr guard) {
    uint32_t n;
    if (!guard.id) return;
    const expr *parts = expr_conjuncts(x->m, &guard, &n);
    for (uint32_t i = 0; i < n; i++) {
        bool is_last = leftover_never_fails(x, parts[i]);
        for (uint32_t k = 0; k < n; k++)
            if (k < i || (is_last && k != i)) leftover_suppose(x, parts[k], true);
        read_expr(x, parts[i]);
        x->facts.len = 0;
    }
}

// Statements are a tree here (restate_can).
static void read_stmt(forgetting *x, const stmt *s) {
    for (uint32_t i = 0; i < s->nargs; i++) read_expr(x, s->args[i]);
    read_expr(x, s->value);
    uint32_t known = x->facts.len;
    bool before = x->is_unknown;
    for (uint32_t i = 0; i < s->nvars; i++) x->is_unknown |= is_in_fact(x, s->vars[i]);
    read_expr(x, s->cond);
    if (s->cond.id) leftover_suppose(x, s->cond, true);
    for (uint32_t i = 0; i < s->nbody; i++) read_stmt(x, s->body[i]);
    if (s->cond.id) vec_last(&x->facts).holds = false;
    for (uint32_t i = 0; i < s->norelse; i++) read_stmt(x, s->orelse[i]);
    x->facts.len = known;
    x->is_unknown = before;
}

static void leftover_note_written(forgetting *x, const stmt *body) {
    walk w = walk_stmt(x->m, body, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN) bits_add(&x->written, w.s->target.id);
}

static void read_rule(forgetting *x, rule r) {
    const rule_info info = *rule_of(x->m, r);
    read_guard(x, info.guard);
    if (info.guard.id) leftover_suppose(x, info.guard, true);
    x->in_body = true;
    if (info.body) leftover_note_written(x, info.body);
    if (info.body) read_stmt(x, info.body);
    x->in_body = false;
    bits_clear(&x->written);
    x->facts.len = 0;
}

static void read_system(forgetting *x, prop p) {
    const sys_info s = *sys_of(x->m, x->system);
    for (uint32_t i = 0; i < s.rules.len; i++) read_rule(x, s.rules.data[i]);
    x->is_unknown = true;  // nothing is before a start
    for (uint32_t i = 0; i < s.inits.len; i++) read_rule(x, s.inits.data[i]);
    x->is_unknown = false;
    for (uint32_t i = 0; i < s.assumes.len; i++) read_expr(x, s.assumes.data[i].cond);
    read_expr(x, prop_of(x->m, p)->cond);
    x->in_lemma = true;
    for (uint32_t i = 0; i < s.lemmas.len; i++) read_expr(x, s.lemmas.data[i].cond);
}

// ---- values that are read later after all

static bool is_limit_on(const forgetting *x, uint32_t f, uint32_t g) {
    if (!controls(x, x->funcs[g], x->funcs[f])) return false;
    return *may_of(x, f, g) != leftover_all(x, x->funcs[g]);
}

typedef VEC(const stmt *) leftover_writes;

static void find_writes(const forgetting *x, const stmt *body, leftover_writes *out) {
    walk w = walk_stmt(x->m, body, WALK_STMTS);
    out->len = 0;
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN) vec_push(out, w.s);
}

static bool is_same_cell(const stmt *a, const stmt *b) {
    if (a->nargs != b->nargs) return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!expr_same(a->args[i], b->args[i])) return false;
    return true;
}

// Of what nothing reads, the values that are written with it: those are as good as any for lemmas.
static void leftover_note_write(forgetting *x, const stmt *s, const leftover_writes *all) {
    uint32_t f = number_of(x, s->target);
    if (f == UINT32_MAX || x->is_read[f]) return;
    for (uint32_t g = 0; g < x->n; g++) {
        if (!controls(x, x->funcs[g], x->funcs[f])) continue;
        uint64_t with = 0;
        value v;
        for (uint32_t i = 0; i < all->len; i++) {
            const stmt *o = all->data[i];
            if (o->target.id != x->funcs[g].id || !is_same_cell(o, s)) continue;
            with |= o->value.id && expr_is_const(x->m, o->value, &v) ? UINT64_C(1) << v : UINT64_MAX;
        }
        *may_of(x, f, g) |= leftover_all(x, x->funcs[g]) & (with ? with : UINT64_MAX);
    }
}

static void leftover_note_writes(forgetting *x) {
    const sys_info s = *sys_of(x->m, x->system);
    leftover_writes all = {0};
    for (uint32_t i = 0; i < s.rules.len; i++) {
        all.len = 0;
        if (rule_of(x->m, s.rules.data[i])->body) find_writes(x, rule_of(x->m, s.rules.data[i])->body, &all);
        for (uint32_t k = 0; k < all.len; k++) leftover_note_write(x, all.data[k], &all);
    }
    vec_free(&all);
}

// Is f not read after the write, by the value that is written?
static bool ends_reads(const forgetting *x, uint32_t f, const stmt *s) {
    uint32_t g = number_of(x, s->target);
    value v;
    bool is_known = g != UINT32_MAX && s->value.id && expr_is_const(x->m, s->value, &v) && is_limit_on(x, f, g);
    return is_known && !(*may_of(x, f, g) >> v & 1);
}

// The rule has f written with g, or is not read because of something else that is written with g.
static bool is_settled(const forgetting *x, uint32_t f, const stmt *s, const leftover_writes *all) {
    for (uint32_t i = 0; i < all->len; i++) {
        const stmt *o = all->data[i];
        if (is_same_cell(o, s) && (o->target.id == x->funcs[f].id || ends_reads(x, f, o))) return true;
    }
    return false;
}

// May f be read after the write of g with the value that it had before, when it was not read because of g?
static bool revives(forgetting *x, uint32_t f, uint32_t g, const stmt *s, expr guard, const leftover_writes *all) {
    if (!is_limit_on(x, f, g) || is_settled(x, f, s, all)) return false;
    uint64_t values = leftover_all(x, x->funcs[g]);
    if (guard.id) values = values_where(x, guard, true, expr_app(x->m, x->funcs[g], s->args), values);
    return values & ~*may_of(x, f, g);
}

static bool drop_revived(forgetting *x, rule r, leftover_writes *all) {
    bool any = false;
    const rule_info info = *rule_of(x->m, r);
    if (info.body) find_writes(x, info.body, all);
    for (uint32_t i = 0; info.body && i < all->len; i++) {
        uint32_t g = number_of(x, all->data[i]->target);
        for (uint32_t f = 0; g != UINT32_MAX && f < x->n; f++) {
            if (!revives(x, f, g, all->data[i], info.guard, all)) continue;
            *may_of(x, f, g) = leftover_all(x, x->funcs[g]);
            any = true;
        }
    }
    return any;
}

static void drop_all_revived(forgetting *x) {
    const sys_info s = *sys_of(x->m, x->system);
    leftover_writes all = {0};
    bool any = true;
    while (any) {
        any = false;
        for (uint32_t i = 0; i < s.rules.len; i++) any |= drop_revived(x, s.rules.data[i], &all);
    }
    vec_free(&all);
}

// ---- the system that forgets

static bool is_leftover(const forgetting *x, uint32_t f) {
    bool any = false;
    for (uint32_t g = 0; g < x->n; g++) {
        if (is_limit_on(x, f, g) && !*may_of(x, f, g)) return false;  // neither read nor written
        any |= is_limit_on(x, f, g);
    }
    return any && is_plain_state(func_of(x->m, x->funcs[f]));
}

// What tells whether f is read does not, in the end, depend on whether f is: a limit that would close a circle is
// dropped. `reached`: functions that are being looked at, and those that are done.
static void drop_circles(forgetting *x, uint32_t f, bits *reached, bits *done) {
    bits_add(reached, f);
    for (uint32_t g = 0; g < x->n; g++) {
        if (!is_limit_on(x, f, g) || !is_leftover(x, g)) continue;
        if (!bits_has(reached, g)) drop_circles(x, g, reached, done);
        else if (!bits_has(done, g)) *may_of(x, f, g) = leftover_all(x, x->funcs[g]);
    }
    bits_add(done, f);
}

static void drop_all_circles(forgetting *x) {
    bits reached = {0}, done = {0};
    for (uint32_t f = 0; f < x->n; f++)
        if (is_leftover(x, f) && !bits_has(&reached, f)) drop_circles(x, f, &reached, &done);
    bits_free(&reached);
    bits_free(&done);
}

static bool is_forgotten(const forgetting *x, uint32_t f) { return x->to.now[x->funcs[f].id].id != x->funcs[f].id; }

static void choose_forgotten(forgetting *x, leftover_list *out) {
    for (uint32_t f = 0; f < x->n; f++) {
        if (!is_leftover(x, f)) continue;
        func_info info = *func_of(x->m, x->funcs[f]);
        info.may_be_undefined = true;
        info.initial = VALUE_UNDEFINED;
        x->to.now[x->funcs[f].id] = model_add_func(x->m, info);
        vec_push(out, x->funcs[f]);
    }
}

typedef struct {
    forgetting *x;
    expr guard;              // of the rule
    leftover_writes writes;  // all assignments of it, and those that are always done
    leftover_writes certain;
    VEC(const stmt *) out;
    VEC(uint64_t) done;       // cells: number of the function and of the expression of its first argument
    VEC(const stmt *) loops;  // around
} ending;

static bool is_certain(const ending *e, const stmt *s) {
    for (uint32_t i = 0; i < e->certain.len; i++)
        if (e->certain.data[i] == s) return true;
    return false;
}

// The values that g(args) may have at the end of the rule, as far as the guard or the last write tells.
static uint64_t values_after(const ending *e, uint32_t g, const expr *args) {
    const forgetting *x = e->x;
    uint64_t all = leftover_all(x, x->funcs[g]);
    const stmt *last = NULL, cell = {.args = args, .nargs = func_of(x->m, x->funcs[g])->nargs};
    for (uint32_t i = 0; i < e->writes.len; i++) {
        if (e->writes.data[i]->target.id != x->funcs[g].id) continue;
        if (!is_same_cell(e->writes.data[i], &cell)) return all;
        last = e->writes.data[i];
    }
    value v;
    if (last) return last->value.id && is_certain(e, last) && expr_is_const(x->m, last->value, &v) ? 1ull << v : all;
    return e->guard.id ? values_where(x, e->guard, true, expr_app(x->m, x->funcs[g], args), all) : all;
}

// Whether g(args), which has one of the values `after`, has one with which f is not read.
static expr leftover_other_value(const forgetting *x, uint32_t f, uint32_t g, const expr *args, uint64_t after) {
    model *m = x->m;
    func now = x->to.now[x->funcs[g].id];
    uint64_t may = *may_of(x, f, g);
    if (!(after & ~may)) return m->false_expr;
    if (!(after & may)) return m->true_expr;
    expr cell = expr_app(m, now, args), among = m->false_expr;
    type ty = expr_type(m, cell);
    for (uint32_t v = 0; v < type_known_size(m, ty); v++)
        if (may >> v & 1) among = expr_or(m, among, expr_eq(m, cell, expr_const(m, ty, (value)v)));
    return expr_or(m, expr_not(m, expr_defined(m, now, args)), expr_not(m, among));
}

// Where f is not read: at the end of a rule, or (NULL) in any state. Those that are never forgotten are asked first.
static expr leftover_where(const forgetting *x, uint32_t f, const expr *args, const ending *e) {
    expr any = x->m->false_expr;
    for (uint32_t late = 0; late < 2; late++)
        for (uint32_t g = 0; g < x->n; g++) {
            if (!is_limit_on(x, f, g) || is_forgotten(x, g) != (late == 1)) continue;
            uint64_t after = e ? values_after(e, g, args) : leftover_all(x, x->funcs[g]);
            any = expr_or(x->m, any, leftover_other_value(x, f, g, args, after));
        }
    return any;
}

static bool is_done(ending *e, uint32_t f, const expr *args, uint32_t nargs) {
    uint64_t key = (uint64_t)f << 32 | (nargs ? args[0].id : 0);
    for (uint32_t i = 0; i < e->done.len; i++)
        if (e->done.data[i] == key) return true;
    vec_push(&e->done, key);
    return false;
}

// Arguments that are variables of loops around are gone through; others must be parameters or constants.
static bool leftover_loop_vars(const ending *e, const expr *args, uint32_t nargs, var_list *vars) {
    const model *m = e->x->m;
    for (uint32_t i = 0; i < nargs; i++) {
        if (expr_kind_of(m, args[i]) != E_VAR && expr_kind_of(m, args[i]) != E_CONST) return false;
        for (uint32_t k = 0; k < e->loops.len; k++)
            for (uint32_t v = 0; v < e->loops.data[k]->nvars; v++)
                if (expr_has_var(m, args[i], e->loops.data[k]->vars[v])) vec_push(vars, e->loops.data[k]->vars[v]);
    }
    return true;
}

static void forget_cell(ending *e, uint32_t f, const expr *args, uint32_t nargs, span at) {
    model *m = e->x->m;
    var_list vars = {0};
    if (leftover_loop_vars(e, args, nargs, &vars) && !is_done(e, f, args, nargs)) {
        const stmt *gone = model_assign(m, e->x->to.now[e->x->funcs[f].id], args, nargs, (expr){0}, at);
        expr where = leftover_where(e->x, f, args, e);
        const stmt *s = expr_is_true(m, where) ? gone : model_if(m, where, &gone, 1, NULL, 0, at);
        if (vars.len) s = model_forall(m, vars.data, vars.len, (expr){0}, &s, 1, at);
        if (!expr_is_false(m, where)) vec_push(&e->out, s);
    }
    vec_free(&vars);
}

static void end_assign(ending *e, const stmt *s) {
    for (uint32_t f = 0; f < e->x->n; f++) {
        if (!is_forgotten(e->x, f)) continue;
        bool is_own = s->target.id == e->x->funcs[f].id;
        uint32_t g = number_of(e->x, s->target);
        if (is_own || (g != UINT32_MAX && is_limit_on(e->x, f, g))) forget_cell(e, f, s->args, s->nargs, s->at);
    }
}

// In the rule as it was.
static void end_stmt(ending *e, const stmt *s) {
    if (s->kind == S_ASSIGN) end_assign(e, s);
    if (s->kind == S_FORALL) vec_push(&e->loops, s);
    for (uint32_t i = 0; i < s->nbody; i++) end_stmt(e, s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) end_stmt(e, s->orelse[i]);
    if (s->kind == S_FORALL) e->loops.len--;
}

// How many of what the conjunct reads is forgotten where something that is forgotten itself says so.
static uint32_t leftover_rank(const forgetting *x, expr part) {
    uint32_t rank = 0;
    for (uint32_t f = 0; f < x->n; f++) {
        if (!is_forgotten(x, f) || !expr_reads(x->m, part, x->funcs[f])) continue;
        uint32_t own = 1;
        for (uint32_t g = 0; g < x->n; g++) own += is_limit_on(x, f, g) && is_forgotten(x, g);
        if (own > rank) rank = own;
    }
    return rank;
}

// The same conjuncts; those that read what may be forgotten, and cannot fail otherwise, at the end.
static expr leftover_order(forgetting *x, expr guard) {
    uint32_t n;
    if (!guard.id) return guard;
    const expr *parts = expr_conjuncts(x->m, &guard, &n);
    expr out = x->m->true_expr;
    uint32_t *rank = mem_alloc((n + 1) * sizeof *rank), most = 0;
    for (uint32_t i = 0; i < n; i++) {
        rank[i] = leftover_never_fails(x, parts[i]) ? leftover_rank(x, parts[i]) : 0;
        if (rank[i] > most) most = rank[i];
    }
    for (uint32_t k = 0; k <= most; k++)
        for (uint32_t i = 0; i < n; i++)
            if (rank[i] == k) out = expr_and(x->m, out, parts[i]);
    free(rank);
    return out;
}

// Those below sequences and loops alone.
static void find_certain(const stmt *s, leftover_writes *out) {
    if (s->kind == S_ASSIGN) vec_push(out, s);
    bool goes_on = s->kind == S_SEQ || (s->kind == S_FORALL && !s->cond.id);
    for (uint32_t i = 0; goes_on && i < s->nbody; i++) find_certain(s->body[i], out);
}

static void end_rule(forgetting *x, rule r, ending *e) {
    const rule_info info = *rule_of(x->m, r);
    e->out.len = e->done.len = e->loops.len = e->writes.len = e->certain.len = 0;
    e->guard = info.guard;
    if (!info.body) return;
    find_writes(x, info.body, &e->writes);
    find_certain(info.body, &e->certain);
    end_stmt(e, info.body);
}

// The statements that forget are about the functions that are new: they are added when the rule speaks of these.
static void forget_in_rules(forgetting *x) {
    const sys_info s = *sys_of(x->m, x->system);
    uint32_t n = s.rules.len + s.inits.len;
    const stmt **ends = mem_alloc((n + 1) * sizeof *ends);
    ending e = {.x = x};
    for (uint32_t i = 0; i < n; i++) {
        rule r = i < s.rules.len ? s.rules.data[i] : s.inits.data[i - s.rules.len];
        end_rule(x, r, &e);
        ends[i] = e.out.len ? model_block(x->m, S_SEQ, e.out.data, e.out.len, rule_of(x->m, r)->at) : NULL;
        expr guard = leftover_order(x, rule_of(x->m, r)->guard);
        x->m->rules.data[r.id].guard = guard;
    }
    restate_apply(&x->to);
    for (uint32_t i = 0; i < n; i++) {
        rule r = i < s.rules.len ? s.rules.data[i] : s.inits.data[i - s.rules.len];
        if (ends[i]) x->m->rules.data[r.id].body = stmt_both(x->m, rule_of(x->m, r)->body, ends[i]);
    }
    vec_free(&e.out);
    vec_free(&e.done);
    vec_free(&e.loops);
    vec_free(&e.writes);
    vec_free(&e.certain);
    free(ends);
}

// That f has a value wherever it may be read.
static expr leftover_has_value(const forgetting *x, uint32_t f) {
    model *m = x->m;
    const func_info info = *func_of(m, x->funcs[f]);
    expr args[MODEL_MOST_ARGS];
    var vars[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < info.nargs; i++) {
        vars[i] = model_add_var(m, arena_printf(m->memory, "i%u", i + 1), info.args[i], info.at);
        args[i] = expr_var(m, vars[i]);
    }
    expr has = expr_or(m, leftover_where(x, f, args, NULL), expr_defined(m, x->to.now[x->funcs[f].id], args));
    return expr_forall(m, vars, info.nargs, has);
}

static void ask_for_values(forgetting *x, prop p) {
    expr all = x->m->true_expr;
    for (uint32_t f = 0; f < x->n; f++)
        if (is_forgotten(x, f)) all = expr_and(x->m, all, leftover_has_value(x, f));
    all = expr_and(x->m, all, prop_of(x->m, p)->cond);
    x->m->props.data[p.id].cond = all;
}

void leftover_forget(model *m, sys s, prop p, bool is_bold, leftover_list *out) {
    uint32_t n = sys_of(m, s)->funcs.len;
    if (!restate_can(m, s) || n > MOST_FUNCS) return;
    forgetting x = {.m = m, .system = s, .n = n};
    x.funcs = arena_copy(m->memory, sys_of(m, s)->funcs.data, n * sizeof *x.funcs);
    x.may = mem_zero((size_t)n * n + 1, sizeof *x.may);
    x.is_read = mem_zero(n + 1, sizeof *x.is_read);
    read_system(&x, p);
    leftover_note_writes(&x);
    if (!is_bold) drop_all_revived(&x);
    drop_all_circles(&x);
    x.to = restate_begin(m, s);
    choose_forgotten(&x, out);
    if (out->len) {
        forget_in_rules(&x);
        ask_for_values(&x, p);
    }
    restate_free(&x.to);
    vec_free(&x.facts);
    bits_free(&x.written);
    free(x.may);
    free(x.is_read);
}
