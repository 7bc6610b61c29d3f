// SPDX-License-Identifier: Apache-2.0
// What an expression reads, and whether it may fault: see effects.h.
//
// Expressions are graphs with shared parts; each part is looked at once for each thing that is known where it stands
// (`seen` holds the stamp of the place). Where more is known, a new stamp is taken; where it is forgotten, the old one
// comes back. Questions that depend on where they are asked are asked by recursion, at most EFFECTS_MOST_STEPS of them.
#include "pass/effects_int.h"

#include "model/expr.h"
#include "model/real.h"

static bool is_cell_read(const expr_info *x) { return x->kind == E_APP || x->kind == E_DEFINED; }

bool effects_same_args(const expr *a, const expr *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!expr_same(a[i], b[i])) return false;
    return true;
}

// ---- what is the same in every round

static bool is_fixed_here(effects *fx, expr e, bool is_first, bits *quantified);

static bool are_args_fixed(effects *fx, const expr_info *x, bool is_first, bits *quantified) {
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!is_fixed_here(fx, x->args[i], is_first, quantified)) return false;
    return true;
}

static bool is_fixed_read(const effects *fx, func f, bool is_first) {
    if (fx->work->is_parallel || !bits_has(&fx->written, f.id)) return true;
    return is_first && !func_of(fx->m, f)->is_scratch;
}

static bool is_fixed_binder(effects *fx, const expr_info *x, bool is_first, bits *quantified) {
    if (bits_has(quantified, x->ref)) return false;
    bits_add(quantified, x->ref);
    bool fixed = are_args_fixed(fx, x, is_first, quantified);
    bits_remove(quantified, x->ref);
    return fixed;
}

static bool find_fixed(effects *fx, expr e, bool is_first, bits *quantified) {
    const expr_info *x = expr_of(fx->m, e);
    if (++fx->work->steps > EFFECTS_MOST_STEPS || x->kind == E_CALL || x->kind == E_NEXT) return false;
    if (x->kind == E_VAR) return bits_has(quantified, x->ref) || bits_has(fx->work->around, x->ref);
    if (is_cell_read(x) && !is_fixed_read(fx, (func){x->ref}, is_first)) return false;
    if (expr_kind_binds(x->kind)) return is_fixed_binder(fx, x, is_first, quantified);
    return are_args_fixed(fx, x, is_first, quantified);
}

// Answers are kept for the loop, except below quantifiers.
static bool is_fixed_here(effects *fx, expr e, bool is_first, bits *quantified) {
    effects_work *w = fx->work;
    if (!bits_is_empty(quantified)) return find_fixed(fx, e, is_first, quantified);
    uint32_t *known = is_first ? &w->fixed_first[e.id] : &w->fixed[e.id];
    if (*known / 2 != w->loop_number) *known = 2 * w->loop_number + find_fixed(fx, e, is_first, quantified);
    return *known & 1;
}

bool effects_is_fixed(effects *fx, expr e, bool is_first) {
    if (fx->work->nopaque) return expr_kind_of(fx->m, e) == E_CONST;
    bits quantified = {0};
    bool fixed = is_fixed_here(fx, e, is_first, &quantified);
    bits_free(&quantified);
    return fixed;
}

static expr without_conversions(const model *m, expr e) {
    while (expr_kind_of(m, e) == E_WIDEN || expr_kind_of(m, e) == E_NARROW) e = expr_arg(m, e, 0);
    return e;
}

effect_index effects_resolve(effects *fx, expr e) {
    effects_work *w = fx->work;
    e = without_conversions(fx->m, e);
    const expr_info *x = expr_of(fx->m, e);
    if (x->kind == E_VAR && !w->nopaque) {
        if (x->ref == w->v.id) return (effect_index){.kind = INDEX_OWN};
        if (x->ref == w->fresh.id) return (effect_index){.kind = INDEX_FRESH, .e = {w->fresh_taken.id}};
    }
    if (x->kind == E_APP && !x->nargs && func_of(fx->m, (func){x->ref})->is_scratch && w->locals[x->ref].is_written)
        return w->locals[x->ref].is;
    if (effects_is_fixed(fx, e, false)) return (effect_index){.kind = INDEX_FIXED, .e = e};
    return (effect_index){.kind = INDEX_ANY};
}

// ---- what is known

void effects_new_stamp(effects *fx) { fx->work->stamp = ++fx->work->last_stamp; }

bool effects_bind(effects *fx, var v) {
    effects_work *w = fx->work;
    if (v.id == w->v.id || bits_has(w->around, v.id) || bits_has(&w->bound, v.id))
        fx->refusal = "a variable in it is bound twice";
    else bits_add(&w->bound, v.id);
    return !fx->refusal;
}

effects_scope effects_enter(effects *fx) {
    effects_work *w = fx->work;
    return (effects_scope){w->known.len, w->fact, w->stamp, w->keys.len};
}

void effects_leave(effects *fx, effects_scope was) {
    effects_work *w = fx->work;
    w->known.len = was.nknown;
    w->fact = was.fact;
    w->keys.len = was.nkeys;
    w->stamp = was.stamp;
}

static uint32_t fact_depth(const effects *fx, uint32_t fact) {
    uint32_t n = 0;
    for (; fact; fact = fx->facts.data[fact].before) n++;
    return n;
}

static void learn_equal(effects *fx, const expr_info *x, bool is_true) {
    effect_index a = effects_resolve(fx, x->args[0]), b = effects_resolve(fx, x->args[1]);
    if (b.kind == INDEX_OWN) {
        effect_index c = a;
        a = b, b = c;
    }
    if (a.kind != INDEX_OWN || b.kind != INDEX_FIXED) return;
    if (fact_depth(fx, fx->work->fact) >= EFFECTS_DEEPEST_FACT) return;
    vec_push(&fx->facts, (effect_fact){fx->work->fact, is_true, b.e});
    fx->work->fact = fx->facts.len - 1;
    effects_new_stamp(fx);
}

// Names e the same place as long as the round goes on? Its variables stay what they are; what it reads must too.
static bool is_steady(effects *fx, expr e) {
    const expr_info *x = expr_of(fx->m, e);
    bool is_known = x->kind == E_CONST || x->kind == E_VAR || x->kind == E_WIDEN || x->kind == E_NARROW ||
                    (x->kind == E_APP && !bits_has(&fx->written, x->ref));
    if (!is_known || ++fx->work->steps > EFFECTS_MOST_STEPS) return false;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!is_steady(fx, x->args[i])) return false;
    return true;
}

static void learn_defined(effects *fx, expr e, const expr_info *x, bool in_statement) {
    if (in_statement && bits_has(&fx->written, x->ref)) return;
    for (uint32_t i = 0; in_statement && i < x->nargs; i++)
        if (!is_steady(fx, x->args[i])) return;
    if (fx->work->known.len >= EFFECTS_MOST_KNOWN) return;
    vec_push(&fx->work->known, e);
    effects_new_stamp(fx);
}

void effects_learn(effects *fx, expr e, bool is_true, bool in_statement) {
    const expr_info *x = expr_of(fx->m, e);
    if (++fx->work->steps > EFFECTS_MOST_STEPS) return;
    if (x->kind == E_NOT) effects_learn(fx, x->args[0], !is_true, in_statement);
    else if (x->kind == (is_true ? E_AND : E_OR))
        for (uint32_t i = 0; i < x->nargs; i++) effects_learn(fx, x->args[i], is_true, in_statement);
    else if (x->kind == E_EQ) learn_equal(fx, x, is_true);
    else if (x->kind == E_DEFINED && is_true) learn_defined(fx, e, x, in_statement);
}

static bool is_known_cell(const effects *fx, const expr_info *x) {
    for (uint32_t i = 0; i < fx->work->known.len; i++) {
        const expr_info *k = expr_of(fx->m, fx->work->known.data[i]);
        if (k->ref == x->ref && effects_same_args(k->args, x->args, x->nargs)) return true;
    }
    return false;
}

// ---- reading a cell

static void fail_read(effects *fx, func f) { fx->aborts |= func_of(fx->m, f)->is_limit ? ABORT_LIMIT : ABORT_FAULT; }

// The round wrote this cell itself: what others did cannot show.
static bool read_local(effects *fx, const expr_info *x, func f) {
    const effect_local *l = &fx->work->locals[f.id];
    const effect_part *part = effects_part_of(fx, f, x->args, x->nargs);
    if (!l->is_written && !part) {
        bits_add(&fx->exposed, f.id);
        return false;
    }
    bool is_defined = l->is_written ? l->is_defined : part->is_defined;
    if (part && part->is_defined) is_defined = true;
    if (x->kind == E_APP && !is_defined && !is_known_cell(fx, x)) fail_read(fx, f);
    return true;
}

static void effects_read_cell(effects *fx, const expr_info *x) {
    func f = {x->ref};
    const func_info *info = func_of(fx->m, f);
    if (f.id == fx->flag.id) return;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (effects_is_outside(fx->m, x->args[i], info->args[i])) fx->aborts |= ABORT_FAULT;
    if (info->is_scratch && read_local(fx, x, f)) return;
    if (x->kind == E_APP && info->may_be_undefined && !is_known_cell(fx, x)) fail_read(fx, f);
    if (fx->work->is_parallel) return;
    effects_add_touch(fx, (effect_touch){.kind = TOUCH_READ, .f = f}, x->args, x->nargs);
}

// ---- slots that a condition selects by their value

// Is v an argument of x? The others must not depend on v: what they read would be read of every slot.
static bool has_var_arg(const model *m, const expr_info *x, var v, uint32_t *position) {
    bool found = false;
    for (uint32_t i = 0; i < x->nargs; i++) {
        const expr_info *arg = expr_of(m, x->args[i]);
        if (arg->kind == E_VAR && arg->ref == v.id && !found) *position = i, found = true;
        else if (expr_has_var(m, x->args[i], v)) return false;
    }
    return found;
}

// taken(…, x), or whether a cell of the slot has a value: asked before the key is read. That slot x is one with
// another key never makes it a fault.
static bool is_slot_test(const effects *fx, expr e, var x, effect_key *out) {
    const expr_info *t = expr_of(fx->m, e);
    uint32_t position;
    bool is_flag = t->kind == E_APP && !func_of(fx->m, (func){t->ref})->may_be_undefined;
    if ((!is_flag && t->kind != E_DEFINED) || !has_var_arg(fx->m, t, x, &position)) return false;
    if (is_flag) out->test = (func){t->ref}, out->test_args = t->args;
    else out->asked = (func){t->ref}, out->asked_args = t->args;
    return true;
}

static bool is_key(effects *fx, expr e, var x, effect_key *out) {
    const expr_info *t = expr_of(fx->m, e);
    if (t->kind != E_EQ) return false;
    for (uint32_t i = 0; i < 2; i++) {
        expr side = without_conversions(fx->m, t->args[i]);
        const expr_info *g = expr_of(fx->m, side);
        uint32_t position;
        if (g->kind != E_APP || !has_var_arg(fx->m, g, x, &position) || position + 1 < g->nargs) continue;
        if (effects_resolve(fx, t->args[1 - i]).kind != INDEX_OWN) continue;
        out->x = x;
        out->g = (func){g->ref};
        out->args = g->args;
        out->position = position;
        return true;
    }
    return false;
}

// Has the expression this value for certain, since the round itself gave values to the locals it asks about?
static bool is_surely(const effects *fx, expr e, bool is_true) {
    const expr_info *x = expr_of(fx->m, e);
    if (++fx->work->steps > EFFECTS_MOST_STEPS) return false;
    if (x->kind == E_CONST) return expr_same(e, is_true ? fx->m->true_expr : fx->m->false_expr);
    if (x->kind == E_NOT) return is_surely(fx, x->args[0], !is_true);
    if (x->kind == E_DEFINED) {
        const effect_local *l = &fx->work->locals[x->ref];
        return is_true && !x->nargs && func_of(fx->m, (func){x->ref})->is_scratch && l->is_written && l->is_defined;
    }
    if (x->kind != E_AND && x->kind != E_OR) return false;
    bool needs_all = is_true == (x->kind == E_AND);
    for (uint32_t i = 0; i < x->nargs; i++)
        if (is_surely(fx, x->args[i], is_true) != needs_all) return !needs_all;
    return needs_all;
}

// Does it ask only which cells of the slot, and which locals, have a value? It cannot fail then.
static bool only_asks(effects *fx, expr e, var x) {
    const expr_info *t = expr_of(fx->m, e);
    uint32_t position;
    if (++fx->work->steps > EFFECTS_MOST_STEPS) return false;
    if (t->kind == E_CONST) return true;
    if (t->kind == E_DEFINED) return is_surely(fx, e, true) || has_var_arg(fx->m, t, x, &position);
    if (t->kind != E_AND && t->kind != E_OR && t->kind != E_NOT) return false;
    for (uint32_t i = 0; i < t->nargs; i++)
        if (!only_asks(fx, t->args[i], x)) return false;
    return true;
}

// Of a disjunction, the one part that may be true, if the others only ask; else id 0.
static expr only_choice(effects *fx, const expr_info *t, var x) {
    expr choice = {0};
    for (uint32_t i = 0; i < t->nargs; i++) {
        if (is_surely(fx, t->args[i], false) && only_asks(fx, t->args[i], x)) continue;
        if (choice.id) return (expr){0};
        choice = t->args[i];
    }
    return choice;
}

// cond and then: a conjunction in which nothing but tests of the slot come before its key. *found: with the key.
static bool only_tests(effects *fx, expr e, var x, effect_key *out, bool *found) {
    if (!e.id || *found) return true;
    if (is_surely(fx, e, true)) return true;
    const expr_info *t = expr_of(fx->m, e);
    if (t->kind == E_OR) {
        expr choice = only_choice(fx, t, x);
        return choice.id && only_tests(fx, choice, x, out, found);
    }
    if (t->kind != E_AND) {
        *found = is_key(fx, e, x, out);
        return *found || is_slot_test(fx, e, x, out);
    }
    for (uint32_t i = 0; i < t->nargs && !*found; i++)
        if (!only_tests(fx, t->args[i], x, out, found)) return false;
    return true;
}

// A slot without a key is a fault to those who read it, unless they ask before, or see by the test that it is free.
static bool is_careful(effects *fx, const effect_key *k) {
    if (k->asked.id || !func_of(fx->m, k->g)->may_be_undefined) return true;
    if (k->test.id) vec_push(&fx->work->unasked, ((effect_keyless){k->g, k->test}));
    return k->test.id;
}

bool effects_find_key(effects *fx, expr cond, expr then, var x, effect_key *out) {
    bool found = false;
    *out = (effect_key){0};
    if (!only_tests(fx, cond, x, out, &found) || !only_tests(fx, then, x, out, &found) || !found) return false;
    uint32_t nargs = out->position + 1;  // of the key, and of a test that says whether there is one
    if (out->test.id &&
        (func_of(fx->m, out->test)->nargs != nargs || !effects_same_args(out->test_args, out->args, nargs)))
        out->test = (func){0};
    if (out->asked.id != out->g.id || !effects_same_args(out->asked_args, out->args, nargs)) out->asked = (func){0};
    return is_careful(fx, out);
}

// ---- expressions

static void effects_read_args(effects *fx, const expr_info *x) {
    for (uint32_t i = 0; i < x->nargs; i++) effects_read(fx, x->args[i]);
}

// From left to right, as far as it is needed: what stopped nothing is known further on.
static void read_in_turn(effects *fx, const expr_info *x, bool goes_on) {
    effects_scope was = effects_enter(fx);
    for (uint32_t i = 0; i < x->nargs; i++) {
        effects_read(fx, x->args[i]);
        if (i + 1 < x->nargs) effects_learn(fx, x->args[i], goes_on, false);
    }
    effects_leave(fx, was);
}

static void read_branch(effects *fx, expr cond, bool is_true, expr branch) {
    effects_scope was = effects_enter(fx);
    effects_learn(fx, cond, is_true, false);
    effects_read(fx, branch);
    effects_leave(fx, was);
}

static void read_quantified(effects *fx, const expr_info *x) {
    effects_scope was = effects_enter(fx);
    effect_key key;
    if (!effects_bind(fx, (var){x->ref})) return;
    effects_new_stamp(fx);
    bool is_selection = x->kind != E_FORALL && !fx->work->nopaque;
    if (is_selection && effects_find_key(fx, x->args[0], (expr){0}, (var){x->ref}, &key))
        vec_push(&fx->work->keys, key);
    effects_read(fx, x->args[0]);
    bits_remove(&fx->work->bound, x->ref);
    effects_leave(fx, was);
}

static void read_definition(effects *fx, const expr_info *x) {
    effects_work *w = fx->work;
    uint32_t stamp = w->stamp;
    effects_read_args(fx, x);
    effects_new_stamp(fx);
    w->nopaque++;
    effects_read(fx, def_of(fx->m, (def){x->ref})->body);
    w->nopaque--;
    w->stamp = stamp;
}

static void read_division(effects *fx, const expr_info *x) {
    int64_t lo, hi;
    effects_read_args(fx, x);
    expr_bounds(fx->m, x->args[1], &lo, &hi);
    if (lo <= 0 && hi >= 0) fx->aborts |= ABORT_FAULT;
}

static void effects_read_node(effects *fx, const expr_info *x) {
    switch (x->kind) {
    case E_CONST:
    case E_VAR: return;
    case E_APP:
    case E_DEFINED:
        effects_read_args(fx, x);
        effects_read_cell(fx, x);
        return;
    case E_AND: read_in_turn(fx, x, true); return;
    case E_OR: read_in_turn(fx, x, false); return;
    case E_IMPLIES: read_in_turn(fx, x, true); return;
    case E_ITE:
        effects_read(fx, x->args[0]);
        read_branch(fx, x->args[0], true, x->args[1]);
        read_branch(fx, x->args[0], false, x->args[2]);
        return;
    case E_FORALL:
    case E_EXISTS:
    case E_COUNT: read_quantified(fx, x); return;
    case E_CALL: read_definition(fx, x); return;
    case E_DIV:
    case E_MOD: read_division(fx, x); return;
    case E_REAL:
        if (x->ref == REAL_ROUND) fx->aborts |= ABORT_FAULT;
        effects_read_args(fx, x);
        return;
    case E_NARROW:
        fx->aborts |= ABORT_FAULT;
        effects_read_args(fx, x);
        return;
    default: effects_read_args(fx, x); return;
    }
}

void effects_read(effects *fx, expr e) {
    effects_work *w = fx->work;
    if (!e.id || w->seen[e.id] == w->stamp) return;
    w->seen[e.id] = w->stamp;
    if (++w->steps > EFFECTS_MOST_STEPS) fx->refusal = "it is too large to be looked at";
    if (!fx->refusal) effects_read_node(fx, expr_of(fx->m, e));
}

// What is read here is read anyway; only the failures count.
bool effects_faults(effects *fx, expr e) {
    uint32_t aborts = fx->aborts, ntouches = fx->touches.len, nindices = fx->indices.len;
    uint32_t stamp = fx->work->stamp;
    fx->aborts = 0;
    effects_new_stamp(fx);
    effects_read(fx, e);
    bool faults = fx->aborts != 0;
    fx->aborts = aborts;
    fx->touches.len = ntouches;
    fx->indices.len = nindices;
    fx->work->stamp = stamp;
    return faults;
}
