// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: a direct implementation of model.h, one case per kind. See eval.h.
//
// It is the oracle for the compiled successor relation, so it favours being plainly right over speed:
// parallel statements really copy the state before they read it, quantifiers really try every binding.
//
// One thing is remembered: values of *heavy* expressions, whose trees are large. Parts of expressions are shared, so a
// tree can have 2^100 nodes where its text has 100 lines. A value is used again only where everything it was computed
// from is the same: see "heavy expressions".
#include "model/eval.h"

#include "model/bag.h"
#include "model/heavy.h"
#include "model/real.h"

#include <assert.h>
#include <string.h>

// Stays a function of its own, so that constants and variables do not pay for the registers and the room that other
// kinds of expressions need: half of the time.
#define APART __attribute__((noinline))

// What an expression was worth, and when (see "heavy expressions").
typedef struct {
    uint64_t state, bound;
    value is;
} known_value;

typedef struct {
    uint32_t first, n;
} cell_range;

struct eval {
    const instance *in;
    value *env;  // by variable id
    uint32_t nenv;
    uint32_t light;         // expressions that weigh more are heavy
    uint64_t now;           // every change of the state or of a variable has a number
    uint64_t state_at;      // the last change of the state that is read
    uint64_t bound_at[64];  // by variable id % 64: the change that gave a variable the value that it has
    known_value *known;     // by expression
    uint32_t nknown;
    heavy_values by_values;  // of the state as of by_values_at
    uint64_t by_values_at;
    fault failed;
    bool impossible, excluded, is_cut;
    uint64_t steps_left;
    VEC(cell_range) scratch;  // the cells of locals
};

const char *fault_text(fault_kind kind) {
    static const char *const texts[] = {[FAULT_NONE] = "no fault",
                                        [FAULT_RANGE] = "a value leaves its range",
                                        [FAULT_INDEX] = "an argument is outside its type",
                                        [FAULT_DIVISION] = "division by zero",
                                        [FAULT_REAL] = "a real number that does not fit",
                                        [FAULT_UNDEFINED] = "an undefined value is read",
                                        [FAULT_MEMBER] = "a value of another member of a union",
                                        [FAULT_LOOP] = "a loop that does not end",
                                        [FAULT_USER] = "the model says this is an error",
                                        [FAULT_LIMIT] = "a number or a recursion goes beyond what can be computed"};
    return texts[kind];
}

static void eval_make_room(eval *ev) {
    uint32_t n = ev->in->m->vars.len;
    if (n <= ev->nenv) return;
    ev->env = mem_grow(ev->env, n * sizeof *ev->env);
    memset(ev->env + ev->nenv, 0, (n - ev->nenv) * sizeof *ev->env);
    ev->nenv = n;
}

static void find_scratch(eval *ev) {
    const sys_info *info = sys_of(ev->in->m, ev->in->system);
    for (uint32_t i = 0; i < info->funcs.len; i++) {
        func f = info->funcs.data[i];
        if (!func_of(ev->in->m, f)->is_scratch) continue;
        cell_range r = {ev->in->first_cell[f.id], instance_func_cells(ev->in, f)};
        bool goes_on = ev->scratch.len && vec_last(&ev->scratch).first + vec_last(&ev->scratch).n == r.first;
        if (goes_on) vec_last(&ev->scratch).n += r.n;
        else vec_push(&ev->scratch, r);
    }
}

eval *eval_new(const instance *in) {
    eval *ev = mem_zero(1, sizeof *ev);
    ev->in = in;
    ev->steps_left = UINT64_MAX;
    ev->light = EVAL_LIGHT;
    eval_make_room(ev);
    find_scratch(ev);
    return ev;
}

void eval_set_light(eval *ev, uint32_t weight) { ev->light = weight; }

void eval_free(eval *ev) {
    if (!ev) return;
    free(ev->env);
    free(ev->known);
    vec_free(&ev->scratch);
    heavy_free(&ev->by_values);
    free(ev);
}

// ---- variables and the state, with the numbers of their changes

// A value that a variable had before it was bound, to go back to.
typedef struct {
    value is;
    uint64_t at;
} earlier;

static earlier current(const eval *ev, uint32_t id) { return (earlier){ev->env[id], ev->bound_at[id % 64]}; }

static void bind_variable(eval *ev, uint32_t id, value x) {
    ev->env[id] = x;
    ev->bound_at[id % 64] = ++ev->now;
}

static void eval_unbind(eval *ev, uint32_t id, earlier was) {
    ev->env[id] = was.is;
    ev->bound_at[id % 64] = was.at;
}

static void state_changed(eval *ev) { ev->state_at = ++ev->now; }

void eval_bind(eval *ev, var v, value x) {
    eval_make_room(ev);
    bind_variable(ev, v.id, x);
}

void eval_set_limit(eval *ev, uint64_t steps) { ev->steps_left = steps; }
uint64_t eval_steps_left(const eval *ev) { return ev->steps_left; }
bool eval_is_cut(const eval *ev) { return ev->is_cut; }
fault eval_fault(const eval *ev) { return ev->failed; }

// The caller may have changed the state.
static void forget(eval *ev) {
    ev->failed = (fault){0};
    ev->impossible = ev->is_cut = false;
    state_changed(ev);
}

static value eval_fail(eval *ev, fault_kind kind, span at) {
    if (!ev->failed.kind) ev->failed = (fault){.kind = kind, .at = at};
    return 0;
}

static value eval_fail_cell(eval *ev, fault_kind kind, span at, uint32_t cell, value number) {
    if (!ev->failed.kind) ev->failed = (fault){.kind = kind, .at = at, .cell = cell + 1, .number = number};
    return 0;
}

static bool in_type(const instance *in, type t, value v) {
    int64_t index = (int64_t)v - instance_type_first(in, t);
    return index >= 0 && index < instance_type_size(in, t);
}

// One of the arguments is outside its type.
static value eval_fail_index(eval *ev, span at, func f, const value *args) {
    const func_info *info = func_of(ev->in->m, f);
    uint32_t i = 0;
    while (i + 1 < info->nargs && in_type(ev->in, info->args[i], args[i])) i++;
    if (!ev->failed.kind) ev->failed = (fault){.kind = FAULT_INDEX, .at = at, .f = f, .position = i, .number = args[i]};
    return 0;
}

bool eval_is_impossible(const eval *ev) { return ev->impossible; }
bool eval_is_excluded(const eval *ev) { return ev->impossible && ev->excluded; }

// A fault or an impossible step: nothing after it counts.
static bool eval_failed(const eval *ev) { return ev->failed.kind != FAULT_NONE || ev->impossible; }

static value eval_value_of(eval *ev, const value *state, expr e);

// ---- heavy expressions
//
// A value is known as long as neither the state nor a variable that is free in the expression has changed. Bindings
// are nested: one is undone only after all that came after it. So the last change among the variables of an
// expression says what all of them are: as long as it stands, so does everything before it. Values that come with a
// fault are not kept: after a fault nothing counts.
//
// Below nested quantifiers the same variables get the same values again and again. So values of definitions by their
// arguments, and of very heavy expressions by the values of their variables, are kept as long as the state is the same.

static uint64_t bound_last(const eval *ev, uint64_t mask) {
    uint64_t last = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t at = ev->bound_at[__builtin_ctzll(mask)];
        if (at > last) last = at;
    }
    return last;
}

static known_value *eval_known_of(eval *ev, expr e) {
    if (e.id >= ev->nknown) {
        uint32_t n = ev->in->m->exprs.len;
        ev->known = mem_grow(ev->known, n * sizeof *ev->known);
        memset(ev->known + ev->nknown, 0, (n - ev->nknown) * sizeof *ev->known);
        ev->nknown = n;
    }
    return &ev->known[e.id];
}

static value eval_value_of_kind(eval *ev, const value *state, const expr_info *x);

enum { VERY_HEAVY = 16 };

static value value_by_values(eval *ev, const value *state, expr e, const expr_info *x) {
    value v;
    if (ev->by_values_at != ev->state_at) heavy_forget(&ev->by_values);
    ev->by_values_at = ev->state_at;
    if (eval_failed(ev)) return 0;
    if (heavy_get(&ev->by_values, ev->in->m, e, 0, ev->env, &v)) return v;
    v = eval_value_of_kind(ev, state, x);
    if (!eval_failed(ev) && ev->by_values_at == ev->state_at) heavy_put(&ev->by_values, ev->in->m, e, 0, ev->env, v);
    return v;
}

static APART value value_of_heavy(eval *ev, const value *state, expr e, const expr_info *x) {
    uint64_t bound = bound_last(ev, x->free_mask);
    const known_value *k = eval_known_of(ev, e);
    if (eval_failed(ev)) return 0;
    if (k->state == ev->state_at && k->bound == bound) return k->is;
    bool is_very_heavy = x->frees && x->weight / VERY_HEAVY >= ev->light;
    value v = is_very_heavy ? value_by_values(ev, state, e, x) : eval_value_of_kind(ev, state, x);
    if (!eval_failed(ev)) ev->known[e.id] = (known_value){ev->state_at, bound, v};
    return v;
}

// ---- expressions

static APART value eval_cell(eval *ev, const value *state, const expr_info *x) {
    value args[MODEL_MOST_ARGS];
    assert(x->nargs <= MODEL_MOST_ARGS);
    for (uint32_t i = 0; i < x->nargs; i++) args[i] = eval_value_of(ev, state, x->args[i]);
    if (eval_failed(ev)) return 0;
    uint32_t cell = instance_cell(ev->in, (func){x->ref}, args);
    if (cell == UINT32_MAX) return eval_fail_index(ev, x->at, (func){x->ref}, args);
    if (x->kind == E_DEFINED) return state[cell] != VALUE_UNDEFINED;
    if (state[cell] != VALUE_UNDEFINED) return state[cell];
    if (func_of(ev->in->m, (func){x->ref})->is_limit) return eval_fail(ev, FAULT_LIMIT, x->at);
    return eval_fail_cell(ev, FAULT_UNDEFINED, x->at, cell, 0);
}

// A value as that of a union, or of a union as that of a member; E_IS only asks.
static APART value convert(eval *ev, const value *state, const expr_info *x) {
    value v = eval_value_of(ev, state, x->args[0]);
    if (eval_failed(ev)) return 0;
    type from = expr_type(ev->in->m, x->args[0]), member = x->kind == E_WIDEN ? from : (type){x->ref};
    type whole = x->kind == E_WIDEN ? x->ty : from;
    value start = (value)instance_member_start(ev->in, whole, member), first = instance_type_first(ev->in, member);
    if (x->kind == E_WIDEN) return v - first + start;
    bool inside = v >= start && v < start + (value)instance_type_size(ev->in, member);
    if (x->kind == E_IS) return inside;
    return inside ? v - start + first : eval_fail(ev, FAULT_MEMBER, x->at);
}

static value shift(value a, value by) {
    if (by < 0) return by <= -32 ? 0 : (value)((uint32_t)a << -by);
    return by >= 32 ? (a < 0 ? -1 : 0) : a >> by;
}

static value call_with(eval *ev, const value *state, const def_info *d, const value *args) {
    earlier was[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < d->nparams; i++) {
        was[i] = current(ev, d->params[i].id);
        bind_variable(ev, d->params[i].id, args[i]);
    }
    const expr_info *body = expr_of(ev->in->m, d->body);
    bool is_heavy = body->weight > ev->light;
    value result = is_heavy ? value_by_values(ev, state, d->body, body) : eval_value_of(ev, state, d->body);
    for (uint32_t i = d->nparams; i-- > 0;) eval_unbind(ev, d->params[i].id, was[i]);
    return result;
}

static APART value eval_call(eval *ev, const value *state, const expr_info *x) {
    const def_info *d = def_of(ev->in->m, (def){x->ref});
    value args[MODEL_MOST_ARGS] = {0};
    assert(x->nargs <= MODEL_MOST_ARGS && x->nargs == d->nparams);
    for (uint32_t i = 0; i < x->nargs; i++) args[i] = eval_value_of(ev, state, x->args[i]);
    return call_with(ev, state, d, args);
}

static APART value eval_junction(eval *ev, const value *state, const expr_info *x, value stop) {
    for (uint32_t i = 0; i < x->nargs; i++) {
        value v = eval_value_of(ev, state, x->args[i]);
        if (eval_failed(ev)) return 0;
        if (v == stop) return stop;
    }
    return !stop;
}

// For how many values of the variable it is true; every one is tried.
static APART value eval_count(eval *ev, const value *state, const expr_info *x) {
    type ty = var_of(ev->in->m, (var){x->ref})->ty;
    value first = instance_type_first(ev->in, ty), n = 0;
    earlier was = current(ev, x->ref);
    uint32_t size = instance_type_size(ev->in, ty);
    for (uint32_t i = 0; i < size; i++) {
        bind_variable(ev, x->ref, first + (value)i);
        n += eval_value_of(ev, state, x->args[0]) != 0;
    }
    eval_unbind(ev, x->ref, was);
    return x->kind == E_COUNT ? n : x->kind == E_EXISTS ? n > 0 : n == (value)size;
}

static value divide(eval *ev, const expr_info *x, value a, value b) {
    if (b == 0) return eval_fail(ev, FAULT_DIVISION, x->at);
    return x->kind == E_DIV ? a / b : a % b;
}

static APART value eval_binary(eval *ev, const value *state, const expr_info *x) {
    value a = eval_value_of(ev, state, x->args[0]);
    value b = x->nargs > 1 ? eval_value_of(ev, state, x->args[1]) : 0;
    if (eval_failed(ev)) return 0;
    switch (x->kind) {
    case E_EQ: return a == b;
    case E_LT: return a < b;
    case E_LE: return a <= b;
    case E_ADD: return a + b;
    case E_SUB: return a - b;
    case E_MUL: return (value)((int64_t)a * b);
    case E_NEG: return -a;
    case E_BITAND: return a & b;
    case E_BITOR: return a | b;
    case E_BITXOR: return a ^ b;
    case E_BITNOT: return ~a;
    case E_SHL: return shift(a, -b);
    case E_SHR: return shift(a, b);
    default: return divide(ev, x, a, b);
    }
}

// ---- real numbers

static double eval_real(eval *ev, const value *state, expr e);

static APART double eval_computed(eval *ev, const value *state, expr e, const expr_info *x) {
    if (x->ref == REAL_CONST) return real_shortened(real_const(ev->in->m, e));
    double a = eval_real(ev, state, x->args[0]), b = x->nargs > 1 ? eval_real(ev, state, x->args[1]) : 0;
    switch ((real_op)x->ref) {
    case REAL_ADD: return a + b;
    case REAL_SUB: return a - b;
    case REAL_MUL: return a * b;
    case REAL_DIV: return a / b;
    case REAL_NEG: return -a;
    default: return a;
    }
}

// An operand: computed, chosen between two, stored, or a whole number.
static double eval_real(eval *ev, const value *state, expr e) {
    const model *m = ev->in->m;
    const expr_info *x = expr_of(m, e);
    bool is_computed = type_is_real(m, x->ty) && !type_is_exact(m, x->ty);
    if (is_computed && x->kind == E_REAL) return eval_computed(ev, state, e, x);
    if (is_computed) return eval_real(ev, state, x->args[eval_value_of(ev, state, x->args[0]) ? 1 : 2]);  // E_ITE
    value v = eval_value_of(ev, state, e);
    return eval_failed(ev) ? 0 : type_is_real(m, x->ty) ? real_of(type_of(m, x->ty), v) : v;
}

// What has a value: rounded, or an answer.
static APART value eval_of_real(eval *ev, const value *state, const expr_info *x) {
    const model *m = ev->in->m;
    double a = eval_real(ev, state, x->args[0]);
    double b = x->ref >= REAL_EQ ? eval_real(ev, state, x->args[1]) : 0;
    value v = 0;
    if (eval_failed(ev)) return 0;
    switch ((real_op)x->ref) {
    case REAL_EQ: return a == b;
    case REAL_LT: return a < b;
    case REAL_LE: return a <= b;
    case REAL_FITS: return real_round(type_of(m, expr_type(m, x->args[1])), a, &v);
    default: return real_round(type_of(m, x->ty), a, &v) ? v : eval_fail(ev, FAULT_REAL, x->at);
    }
}

// Out of steps: everything that is still to be evaluated ends here at once.
static value eval_cut(eval *ev, const expr_info *x) {
    ev->is_cut = true;
    return eval_fail(ev, FAULT_LIMIT, x->at);
}

static value eval_value_of(eval *ev, const value *state, expr e) {
    const expr_info *x = expr_of(ev->in->m, e);
    if (!ev->steps_left) return eval_cut(ev, x);
    ev->steps_left--;
    return x->weight > ev->light ? value_of_heavy(ev, state, e, x) : eval_value_of_kind(ev, state, x);
}

static value eval_value_of_kind(eval *ev, const value *state, const expr_info *x) {
    switch (x->kind) {
    case E_CONST: return (value)x->ref;
    case E_VAR: return ev->env[x->ref];
    case E_APP:
    case E_DEFINED: return eval_cell(ev, state, x);
    case E_WIDEN:
    case E_NARROW:
    case E_IS: return convert(ev, state, x);
    case E_NEXT: assert(!"there is no state after"); return 0;
    case E_CALL: return eval_call(ev, state, x);
    case E_REAL: return eval_of_real(ev, state, x);
    case E_NOT: return !eval_value_of(ev, state, x->args[0]);
    case E_AND: return eval_junction(ev, state, x, 0);
    case E_OR: return eval_junction(ev, state, x, 1);
    case E_IMPLIES: return !eval_value_of(ev, state, x->args[0]) || eval_value_of(ev, state, x->args[1]);
    case E_ITE: {
        bool then = eval_value_of(ev, state, x->args[0]);
        if (eval_failed(ev)) return 0;
        return eval_value_of(ev, state, x->args[then ? 1 : 2]);
    }
    case E_FORALL:
    case E_EXISTS:
    case E_COUNT: return eval_count(ev, state, x);
    default: return eval_binary(ev, state, x);
    }
}

value eval_expr(eval *ev, const value *state, expr e) {
    eval_make_room(ev);
    forget(ev);
    value v = eval_value_of(ev, state, e);
    return eval_failed(ev) ? 0 : v;
}

// ---- statements: read from `from`, write to `to` (in a sequence they are the same)

static void eval_run(eval *ev, const value *from, value *to, const stmt *s);

static void eval_run_all(eval *ev, const value *from, value *to, const stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n && !eval_failed(ev); i++) eval_run(ev, from, to, body[i]);
}

static void eval_assign(eval *ev, const value *from, value *to, const stmt *s) {
    value args[MODEL_MOST_ARGS];
    assert(s->nargs <= MODEL_MOST_ARGS);
    for (uint32_t i = 0; i < s->nargs; i++) args[i] = eval_value_of(ev, from, s->args[i]);
    value v = s->value.id ? eval_value_of(ev, from, s->value) : VALUE_UNDEFINED;
    if (eval_failed(ev)) return;
    uint32_t cell = instance_cell(ev->in, s->target, args);
    if (cell == UINT32_MAX) eval_fail_index(ev, s->at, s->target, args);
    else if (s->value.id && !in_type(ev->in, func_of(ev->in->m, s->target)->result, v))
        eval_fail_cell(ev, FAULT_RANGE, s->at, cell, v);
    else to[cell] = v;
    state_changed(ev);
}

static bool eval_holds(eval *ev, const value *from, expr cond) { return !cond.id || eval_value_of(ev, from, cond); }

static void forall(eval *ev, const value *from, value *to, const stmt *s, uint32_t k) {
    if (k == s->nvars) {
        bool wanted = eval_holds(ev, from, s->cond);
        if (wanted && !eval_failed(ev)) eval_run_all(ev, from, to, s->body, s->nbody);
        return;
    }
    uint32_t id = s->vars[k].id;
    type ty = var_of(ev->in->m, s->vars[k])->ty;
    value first = instance_type_first(ev->in, ty);
    earlier was = current(ev, id);
    for (uint32_t i = 0; i < instance_type_size(ev->in, ty) && !eval_failed(ev); i++) {
        bind_variable(ev, id, first + (value)i);
        forall(ev, from, to, s, k + 1);
    }
    eval_unbind(ev, id, was);
}

// Everything below a parallel statement reads a copy of the state taken before it.
static void parallel(eval *ev, const value *from, value *to, const stmt *s) {
    size_t size = ev->in->ncells * sizeof(value);
    ev->steps_left -= ev->steps_left < ev->in->ncells / 16 ? ev->steps_left : ev->in->ncells / 16;
    value *before = mem_alloc(size);
    memcpy(before, from, size);
    eval_run_all(ev, before, to, s->body, s->nbody);
    free(before);
    state_changed(ev);
}

static void eval_loop(eval *ev, value *state, const stmt *s) {
    for (uint32_t round = 0; !eval_failed(ev); round++) {
        bool again = eval_value_of(ev, state, s->cond);
        if (eval_failed(ev) || !again) return;
        if (round == EVAL_MOST_ROUNDS) eval_fail(ev, FAULT_LOOP, s->at);
        else eval_run_all(ev, state, state, s->body, s->nbody);
    }
}

static void assume(eval *ev, const value *from, const stmt *s) {
    bool goes_on = eval_value_of(ev, from, s->cond);
    if (eval_failed(ev) || goes_on) return;
    ev->impossible = true;
    ev->excluded = !s->is_guard;
}

static void eval_run(eval *ev, const value *from, value *to, const stmt *s) {
    if (ev->steps_left) ev->steps_left--;
    switch (s->kind) {
    case S_ASSIGN: eval_assign(ev, from, to, s); return;
    case S_IF: {
        bool then = eval_holds(ev, from, s->cond);
        if (eval_failed(ev)) return;
        if (then) eval_run_all(ev, from, to, s->body, s->nbody);
        else eval_run_all(ev, from, to, s->orelse, s->norelse);
        return;
    }
    case S_FORALL: forall(ev, from, to, s, 0); return;
    case S_PAR: parallel(ev, from, to, s); return;
    case S_SEQ:
        assert(from == to);  // no sequence below a parallel statement: model.h
        eval_run_all(ev, from, to, s->body, s->nbody);
        return;
    case S_WHILE:
        assert(from == to);
        eval_loop(ev, to, s);
        return;
    case S_ASSUME: assume(ev, from, s); return;
    case S_FAIL:
        eval_fail(ev, s->is_limit ? FAULT_LIMIT : FAULT_USER, s->at);
        if (!ev->failed.text) ev->failed.text = s->text;
        return;
    }
}

// Locals have no value outside a body.
static void clear_scratch(const eval *ev, value *state) {
    for (uint32_t i = 0; i < ev->scratch.len; i++) {
        cell_range r = ev->scratch.data[i];
        for (uint32_t c = r.first; c < r.first + r.n; c++) state[c] = VALUE_UNDEFINED;
    }
}

bool eval_stmt(eval *ev, value *state, const stmt *s) {
    eval_make_room(ev);
    forget(ev);
    if (s) eval_run(ev, state, state, s);
    clear_scratch(ev, state);
    return !eval_failed(ev);
}

// ---- rules

static void eval_bind_all(eval *ev, rule r, const value *args) {
    eval_make_room(ev);
    const rule_info *info = rule_of(ev->in->m, r);
    for (uint32_t i = 0; i < info->nparams; i++) eval_bind(ev, info->params[i], args[i]);
}

bool eval_enabled(eval *ev, const value *state, rule r, const value *args) {
    eval_bind_all(ev, r, args);
    expr guard = rule_of(ev->in->m, r)->guard;
    if (guard.id) return eval_expr(ev, state, guard);
    forget(ev);
    return true;
}

bool eval_fire(eval *ev, const value *state, rule r, const value *args, value *next) {
    eval_bind_all(ev, r, args);
    memcpy(next, state, ev->in->ncells * sizeof *next);
    if (!eval_stmt(ev, next, rule_of(ev->in->m, r)->body)) return false;
    bag_order(ev->in, next);
    return true;
}

static eval_end eval_required(eval *ev, const value *state, rule r, prop *refused) {
    const rule_info *info = rule_of(ev->in->m, r);
    *refused = (prop){0};
    for (uint32_t k = 0; k < info->nrequires; k++) {
        bool holds = eval_expr(ev, state, info->requires[k].cond);
        if (ev->failed.kind) return EVAL_FAULTY;
        if (!holds && !refused->id) *refused = info->requires[k].property;
    }
    return refused->id ? EVAL_REFUSED : EVAL_FIRES;
}

eval_end eval_step(eval *ev, const value *state, rule r, const value *args, value *next, prop *refused) {
    bool is_enabled = eval_enabled(ev, state, r, args);
    if (ev->failed.kind) return EVAL_FAULTY;
    if (!is_enabled) return EVAL_NONE;
    eval_fire(ev, state, r, args, next);
    if (ev->impossible) return EVAL_NONE;
    fault of_body = ev->failed;
    bool is_cut = ev->is_cut;
    eval_end end = eval_required(ev, state, r, refused);
    if (end != EVAL_FIRES || !of_body.kind) return end;
    ev->failed = of_body;
    ev->is_cut = is_cut;
    return EVAL_FAULTY;
}

bool eval_next_binding(const instance *in, rule r, value *args, bool *first) {
    const rule_info *info = rule_of(in->m, r);
    if (*first) {
        for (uint32_t i = 0; i < info->nparams; i++)
            args[i] = instance_type_first(in, var_of(in->m, info->params[i])->ty);
        *first = false;
        return true;
    }
    for (uint32_t i = info->nparams; i-- > 0;) {
        type ty = var_of(in->m, info->params[i])->ty;
        value start = instance_type_first(in, ty);
        if (args[i] + 1 - start < (value)instance_type_size(in, ty)) {
            args[i]++;
            return true;
        }
        args[i] = start;
    }
    return false;
}
