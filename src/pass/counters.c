// SPDX-License-Identifier: Apache-2.0
// Counters: see counters.h.
//
// A shared number c counts elements by a function f of one element if there are weights of f's values such that
//     c = start + the sum of weight(f(i)) over all elements i
// at every start, and every step changes both sides alike. That is a matter of each rule by itself: it may change c by
// constants, and f at its own parameters. All ways through its body are followed, from all values that f may have at
// the parameters before, with conditions about anything else taken both ways. Each way is an equation: the change of c
// is the sum of the changes of weight. Equations with one weight unknown give it; then all of them are checked. Starts
// must give all elements but their parameters one value, whose weight is 0, so the sum does not depend on their number.
//
// A counter that leaves its range is a run-time error, which the system without it does not have. So on every way the
// counter must stay in it, by what the guard says about it and by what is known of the sum of weights.
//
// Invariant: nothing is assumed about states but what is said above, so it holds for any number of elements.
#include "pass/counters.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"

enum { MOST_VALUES = 16, MOST_CLASSES = 3, MOST_WAYS = 4096, MOST_DECISIONS = 64 };

// The change of c is the sum of the weights, as often as they occur.
typedef struct {
    int32_t times[MOST_VALUES];
    int64_t change;
    int32_t before[MOST_VALUES];  // how many of the rule's elements have the value before
    int64_t least, most;          // changes on the way
    int64_t from, to;             // what the guard says that c is
} equation;

typedef struct {
    model *m;
    sys system;
    type sort;
    func c, f;
    uint32_t nvalues;
    VEC(equation) equations;
    // the way that is followed:
    var params[MOST_CLASSES];                      // of the sort
    uint32_t nparams, of[MOST_CLASSES], nclasses;  // which element each parameter is
    value now[MOST_CLASSES];                       // f of it
    int64_t change, least, most;
    int64_t from, to;  // by the guard
    bool taken[MOST_DECISIONS];
    uint32_t ndecisions, nfollowed;
    bool is_refused;
    // what was found:
    int64_t weight[MOST_VALUES];
    int64_t start;
    value usual;  // f of all elements at a start
} finder;

static value value_index(const finder *x, value v) { return v - type_first(x->m, func_of(x->m, x->f)->result); }

// ---- conditions, as far as they are about f at the parameters

typedef enum { NO, YES, MAYBE } answer;

static answer counters_answer(bool b) { return b ? YES : NO; }

static int counters_param_of(const finder *x, expr e) {
    const expr_info *i = expr_of(x->m, e);
    for (uint32_t k = 0; k < x->nparams; k++)
        if (i->kind == E_VAR && i->ref == x->params[k].id) return (int)k;
    return -1;
}

static bool counters_known_value(const finder *x, expr e, value *v) {
    const expr_info *i = expr_of(x->m, e);
    if (expr_is_const(x->m, e, v)) return true;
    int k = i->kind == E_APP && i->ref == x->f.id ? counters_param_of(x, i->args[0]) : -1;
    if (k >= 0) *v = x->now[x->of[k]];
    return k >= 0;
}

static answer counters_compare(const finder *x, const expr_info *i) {
    int a = counters_param_of(x, i->args[0]), b = counters_param_of(x, i->args[1]);
    if (a >= 0 && b >= 0 && i->kind == E_EQ) return counters_answer(x->of[a] == x->of[b]);
    value v, w;
    if (!counters_known_value(x, i->args[0], &v) || !counters_known_value(x, i->args[1], &w)) return MAYBE;
    return counters_answer(i->kind == E_EQ ? v == w : i->kind == E_LT ? v < w : v <= w);
}

static answer join_answers(const uint32_t *parts, uint32_t n, answer stops) {
    bool is_known = true;
    for (uint32_t k = 0; k < n; k++) {
        if (parts[k] == stops) return stops;
        is_known &= parts[k] != MAYBE;
    }
    return !is_known ? MAYBE : stops == NO ? YES : NO;
}

static uint32_t counters_join(const model *m, expr e, const uint32_t *parts, void *context) {
    const expr_info *i = expr_of(m, e);
    value v;
    if (counters_known_value(context, e, &v)) return counters_answer(v);
    switch (i->kind) {
    case E_NOT: return parts[0] == MAYBE ? MAYBE : counters_answer(parts[0] == NO);
    case E_AND: return join_answers(parts, i->nargs, NO);
    case E_OR: return join_answers(parts, i->nargs, YES);
    case E_EQ:
    case E_LT:
    case E_LE: return counters_compare(context, i);
    default: return MAYBE;
    }
}

static answer counters_ask(const finder *x, expr e) { return (answer)walk_fold(x->m, e, counters_join, (void *)x); }

static bool counters_decide(finder *x, expr cond) {
    answer a = counters_ask(x, cond);
    if (a != MAYBE) return a == YES;
    if (x->nfollowed == MOST_DECISIONS) x->is_refused = true;
    if (x->is_refused) return false;
    if (x->nfollowed == x->ndecisions) x->taken[x->ndecisions++] = false;
    return x->taken[x->nfollowed++];
}

// ---- bodies

// c + k, k + c, c - k
static bool is_counter_step(const finder *x, expr e, int64_t *by) {
    const expr_info *i = expr_of(x->m, e);
    if (i->kind != E_ADD && i->kind != E_SUB) return false;
    const expr_info *a = expr_of(x->m, i->args[0]), *b = expr_of(x->m, i->args[1]);
    value k;
    bool is_left = a->kind == E_APP && a->ref == x->c.id && expr_is_const(x->m, i->args[1], &k);
    bool is_right = i->kind == E_ADD && b->kind == E_APP && b->ref == x->c.id && expr_is_const(x->m, i->args[0], &k);
    if (!is_left && !is_right) return false;
    *by = i->kind == E_ADD ? k : -(int64_t)k;
    return true;
}

static bool writes_either(const finder *x, const stmt *s) { return stmt_writes(s, x->c) || stmt_writes(s, x->f); }

static void follow_assign(finder *x, const stmt *s) {
    int64_t by;
    value v;
    if (s->target.id == x->c.id) {
        if (s->value.id && is_counter_step(x, s->value, &by)) x->change += by;
        else x->is_refused = true;
        if (x->change < x->least) x->least = x->change;
        if (x->change > x->most) x->most = x->change;
    }
    if (s->target.id != x->f.id) return;
    int k = counters_param_of(x, s->args[0]);
    if (k < 0 || !s->value.id || !counters_known_value(x, s->value, &v)) x->is_refused = true;
    else x->now[x->of[k]] = v;
}

// Statements are a tree, and the order in which they are done matters: by recursion, as begin_stmt() is.
static void counters_follow(finder *x, const stmt *s) {
    if (x->is_refused || !writes_either(x, s)) return;
    bool is_then = s->kind != S_IF || counters_decide(x, s->cond);
    const stmt *const *body = is_then ? s->body : s->orelse;
    if (s->kind == S_ASSIGN) follow_assign(x, s);
    else if (s->kind != S_IF && s->kind != S_SEQ) x->is_refused = true;
    else
        for (uint32_t i = 0; i < (is_then ? s->nbody : s->norelse); i++) counters_follow(x, body[i]);
}

// ---- equations of a rule

static void counters_equate(finder *x, const value *before) {
    equation e = {.change = x->change, .least = x->least, .most = x->most, .from = x->from, .to = x->to};
    for (uint32_t k = 0; k < x->nclasses; k++) {
        e.before[value_index(x, before[k])]++;
        e.times[value_index(x, x->now[k])]++;
        e.times[value_index(x, before[k])]--;
    }
    vec_push(&x->equations, e);
}

// The next way: the last decision that was "no" becomes "yes".
static bool counters_next_way(finder *x) {
    while (x->ndecisions && x->taken[x->ndecisions - 1]) x->ndecisions--;
    if (x->ndecisions) x->taken[x->ndecisions - 1] = true;
    return x->ndecisions;
}

static void counters_follow_rule(finder *x, const rule_info *r, const value *before) {
    x->ndecisions = 0;
    do {
        for (uint32_t k = 0; k < x->nclasses; k++) x->now[k] = before[k];
        x->change = x->least = x->most = 0;
        x->nfollowed = 0;
        if (r->guard.id && counters_ask(x, r->guard) == NO) return;
        counters_follow(x, r->body);
        if (x->equations.len > MOST_WAYS) x->is_refused = true;
        if (!x->is_refused) counters_equate(x, before);
    } while (!x->is_refused && counters_next_way(x));
}

static void follow_values(finder *x, const rule_info *r, value *before, uint32_t k) {
    if (k == x->nclasses) {
        counters_follow_rule(x, r, before);
        return;
    }
    for (uint32_t i = 0; i < x->nvalues && !x->is_refused; i++) {
        before[k] = type_first(x->m, func_of(x->m, x->f)->result) + (value)i;
        follow_values(x, r, before, k + 1);
    }
}

// Parameters may be the same element.
static void follow_classes(finder *x, const rule_info *r, uint32_t k) {
    value before[MOST_CLASSES];
    if (k == x->nparams) {
        follow_values(x, r, before, 0);
        return;
    }
    uint32_t n = x->nclasses;
    for (uint32_t of = 0; of <= n && !x->is_refused; of++) {
        x->of[k] = of;
        x->nclasses = of == n ? n + 1 : n;
        follow_classes(x, r, k + 1);
    }
    x->nclasses = n;
}

static void counters_find_params(finder *x, const rule_info *r) {
    x->nparams = x->nclasses = 0;
    for (uint32_t i = 0; i < r->nparams; i++) {
        if (!type_same(var_of(x->m, r->params[i])->ty, x->sort)) continue;
        if (x->nparams == MOST_CLASSES) x->is_refused = true;
        else x->params[x->nparams++] = r->params[i];
    }
}

static void counters_bound(finder *x, bool is_upper, int64_t k) {
    if (is_upper && k < x->to) x->to = k;
    if (!is_upper && k > x->from) x->from = k;
}

// What a comparison with a constant that holds, or does not hold, says of c.
static void counters_learn_from(finder *x, const expr_info *i, bool holds) {
    value k;
    bool is_right = expr_is_const(x->m, i->args[0], &k);
    if (!is_right && !expr_is_const(x->m, i->args[1], &k)) return;
    const expr_info *c = expr_of(x->m, i->args[is_right]);
    if (c->kind != E_APP || c->ref != x->c.id) return;
    if (i->kind == E_EQ && holds) counters_bound(x, true, k), counters_bound(x, false, k);
    if (i->kind == E_EQ && !holds && k == x->from) x->from++;
    if (i->kind == E_EQ && !holds && k == x->to) x->to--;
    // c < k, c <= k; k <= c, k < c; and the other way round if it does not hold
    bool is_upper = !is_right == holds, is_strict = (i->kind == E_LT) == holds;
    if (i->kind != E_EQ) counters_bound(x, is_upper, !is_strict ? k : is_upper ? (int64_t)k - 1 : (int64_t)k + 1);
}

// The same of all that must hold, or must not, where the condition holds.
static void counters_learn(finder *x, expr cond) {
    enum { HOLDS, FAILS };
    walk w = walk_expr(x->m, cond, 0);
    while (walk_next(&w)) {
        bool holds = w.tag == HOLDS, is_compared = w.x->kind == E_EQ || w.x->kind == E_LT || w.x->kind == E_LE;
        if (w.x->kind == (holds ? E_AND : E_OR)) continue;
        if (w.x->kind == E_NOT) walk_add(&w, w.x->args[0], holds ? FAILS : HOLDS);
        if (is_compared) counters_learn_from(x, w.x, holds);
        walk_skip(&w);
    }
}

static const type_info *counters_range(const finder *x) { return type_of(x->m, func_of(x->m, x->c)->result); }

static void counters_look_at(finder *x, const rule_info *r) {
    if (!r->body || !writes_either(x, r->body)) return;
    counters_find_params(x, r);
    x->from = counters_range(x)->lo;
    x->to = counters_range(x)->hi;
    if (r->guard.id) counters_learn(x, r->guard);
    if (!x->is_refused) follow_classes(x, r, 0);
}

// ---- starts

typedef struct {
    bool has_usual, has_count;
    value usual, count;
    bool is_own[MOST_CLASSES];
    value own[MOST_CLASSES];
} beginning;

static void begin_assign(finder *x, const stmt *s, var all, beginning *b) {
    value v;
    if (s->target.id != x->c.id && s->target.id != x->f.id) return;
    if (!s->value.id || !expr_is_const(x->m, s->value, &v)) {
        x->is_refused = true;
        return;
    }
    if (s->target.id == x->c.id) {
        const type_info *range = counters_range(x);
        if (v < range->lo || v > (range->is_size ? 0 : range->hi)) x->is_refused = true;
        b->has_count = true;
        b->count = v;
        return;
    }
    const expr_info *at = expr_of(x->m, s->args[0]);
    int k = counters_param_of(x, s->args[0]);
    if (k >= 0) b->is_own[k] = true, b->own[k] = v;
    else if (at->kind == E_VAR && all.id && at->ref == all.id) {
        b->has_usual = true;
        b->usual = v;
        for (uint32_t i = 0; i < x->nparams; i++) b->is_own[i] = false;
    } else x->is_refused = true;
}

// `all`: the variable of the loop around, over all elements; id 0: there is none.
static void begin_stmt(finder *x, const stmt *s, var all, beginning *b) {
    if (x->is_refused || !writes_either(x, s)) return;
    if (s->kind == S_ASSIGN) {
        begin_assign(x, s, all, b);
        return;
    }
    bool is_loop = s->kind == S_FORALL && s->nvars == 1 && !s->cond.id && !all.id &&
                   type_same(var_of(x->m, s->vars[0])->ty, x->sort);
    if (!is_loop && s->kind != S_SEQ) x->is_refused = true;
    for (uint32_t i = 0; i < s->nbody && !x->is_refused; i++) begin_stmt(x, s->body[i], is_loop ? s->vars[0] : all, b);
}

// Sets `usual` from the first start; the others must agree.
static beginning counters_begin(finder *x, const rule_info *r) {
    beginning b = {0};
    counters_find_params(x, r);
    if (r->body) begin_stmt(x, r->body, (var){0}, &b);
    if (!b.has_usual || !b.has_count || x->nparams > 1) x->is_refused = true;
    return b;
}

static int64_t counters_start_of(const finder *x, const beginning *b) {
    int64_t sum = b->count;
    for (uint32_t k = 0; k < x->nparams; k++)
        if (b->is_own[k]) sum -= x->weight[value_index(x, b->own[k])];
    return sum;
}

// ---- weights

static void counters_solve_one(finder *x, const equation *e, bool *known, bool *changed) {
    uint32_t unknown = MOST_VALUES, n = 0;
    int64_t rest = e->change;
    for (uint32_t i = 0; i < x->nvalues; i++) {
        if (!e->times[i]) continue;
        if (known[i]) rest -= e->times[i] * x->weight[i];
        else unknown = i, n++;
    }
    if (n != 1 || rest % e->times[unknown]) return;
    x->weight[unknown] = rest / e->times[unknown];
    known[unknown] = *changed = true;
}

static bool counters_solve(finder *x) {
    bool known[MOST_VALUES] = {0}, changed = true, any = false;
    for (uint32_t i = 0; i < x->nvalues; i++) x->weight[i] = 0;
    known[value_index(x, x->usual)] = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < x->equations.len; i++) counters_solve_one(x, &x->equations.data[i], known, &changed);
    }
    for (uint32_t k = 0; k < x->equations.len; k++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < x->nvalues; i++) sum += x->equations.data[k].times[i] * x->weight[i];
        if (sum != x->equations.data[k].change) return false;
    }
    for (uint32_t i = 0; i < x->nvalues; i++) any |= x->weight[i] != 0;
    return any;
}

// ---- the range

// Is it a range up to the number of elements?
static bool ends_with_size(const finder *x) {
    const char *size = type_of(x->m, x->sort)->size_name, *end = counters_range(x)->size_name;
    return size && end && str_same(size, end);
}

// Of such a range: the rule's elements are as they are before, and all others have the greatest weight.
static bool stays_below_size(const finder *x, const equation *e, int64_t sum, int64_t greatest) {
    int64_t n = 0;
    for (uint32_t i = 0; i < x->nvalues; i++) n += e->before[i];
    return e->most <= 0 || (greatest <= 1 && sum - n * greatest + e->most <= 0);
}

// c is in its range before the step, and where the guard says; it is the start and the weights of the rule's elements
// and of others.
static bool counters_stay(const finder *x, const equation *e) {
    const type_info *range = counters_range(x);
    int64_t sum = x->start, least = 0, greatest = 0;
    for (uint32_t i = 0; i < x->nvalues; i++) {
        sum += e->before[i] * x->weight[i];
        if (x->weight[i] < least) least = x->weight[i];
        if (x->weight[i] > greatest) greatest = x->weight[i];
    }
    int64_t from = !least && sum > e->from ? sum : e->from, to = !greatest && sum < e->to ? sum : e->to;
    if (from + e->least < range->lo) return false;
    if (!range->is_size) return to + e->most <= range->hi;
    return ends_with_size(x) && stays_below_size(x, e, sum, greatest);
}

static bool all_stay(const finder *x) {
    for (uint32_t i = 0; i < x->equations.len; i++)
        if (!counters_stay(x, &x->equations.data[i])) return false;
    return true;
}

static bool find_weights(finder *x) {
    const sys_info *s = sys_of(x->m, x->system);
    x->equations.len = 0;
    x->is_refused = !s->inits.len;
    for (uint32_t i = 0; i < s->inits.len && !x->is_refused; i++)
        x->usual = counters_begin(x, rule_of(x->m, s->inits.data[i])).usual;
    for (uint32_t i = 0; i < s->rules.len && !x->is_refused; i++) counters_look_at(x, rule_of(x->m, s->rules.data[i]));
    if (x->is_refused || !counters_solve(x)) return false;
    for (uint32_t i = 0; i < s->inits.len; i++) {
        beginning b = counters_begin(x, rule_of(x->m, s->inits.data[i]));
        int64_t start = counters_start_of(x, &b);
        if (b.usual != x->usual || (i && start != x->start)) return false;
        x->start = start;
    }
    return x->start > -1000 && x->start < 1000 && all_stay(x);
}

// ---- candidates

static bool is_shared_number(const finder *x, func f) {
    const func_info *i = func_of(x->m, f);
    bool is_plain = !i->is_scratch && !i->is_rigid && !i->starts_any && !i->may_be_undefined;
    return is_plain && !i->nargs && type_is_number(x->m, i->result);
}

static bool is_of_element(const finder *x, func f) {
    const func_info *i = func_of(x->m, f);
    bool is_plain = !i->is_scratch && !i->is_rigid && !i->starts_any && !i->may_be_undefined;
    type_kind k = type_of(x->m, i->result)->kind;
    uint32_t n = k == TYPE_SORT || k == TYPE_UNION ? 0 : type_known_size(x->m, i->result);
    return is_plain && i->nargs == 1 && type_same(i->args[0], x->sort) && n >= 2 && n <= MOST_VALUES;
}

static bool stmt_reads_counter(const finder *x, const stmt *s) {
    bool reads = s->cond.id && expr_reads(x->m, s->cond, x->c);
    for (uint32_t i = 0; i < s->nargs; i++) reads |= expr_reads(x->m, s->args[i], x->c);
    bool is_other = s->kind == S_ASSIGN && s->target.id != x->c.id && s->value.id;
    return reads || (is_other && expr_reads(x->m, s->value, x->c));
}

// Bodies read it only to change it.
static bool is_read_in_bodies(const finder *x) {
    const sys_info *s = sys_of(x->m, x->system);
    for (uint32_t i = 0; i < s->rules.len + s->inits.len; i++) {
        rule r = i < s->rules.len ? s->rules.data[i] : s->inits.data[i - s->rules.len];
        walk w = walk_stmt(x->m, rule_of(x->m, r)->body, WALK_STMTS);
        while (walk_next(&w))
            if (stmt_reads_counter(x, w.s)) return walk_found(&w);
    }
    return false;
}

// ---- the system without it

static expr counters_count_of(finder *x, int64_t weight) {
    model *m = x->m;
    var v = model_add_var(m, "i", x->sort, (span){0});
    expr self = expr_var(m, v), at = expr_app(m, x->f, &self), any = m->false_expr;
    type ty = func_of(m, x->f)->result;
    for (uint32_t i = 0; i < x->nvalues; i++)
        if (x->weight[i] == weight)
            any = expr_or(m, any, expr_eq(m, at, expr_const(m, ty, type_first(m, ty) + (value)i)));
    return expr_quantify(m, E_COUNT, v, any);
}

static expr counters_number(model *m, int64_t n) {
    return expr_const(m, model_range(m, (int32_t)n, (int32_t)n, (span){0}), (value)n);
}

// start + weight * count + …; each weight once.
static expr counters_sum_of(finder *x) {
    expr sum = counters_number(x->m, x->start);
    for (uint32_t i = 0; i < x->nvalues; i++) {
        int64_t weight = x->weight[i], size = weight < 0 ? -weight : weight;
        bool is_new = weight != 0;
        for (uint32_t k = 0; k < i; k++) is_new &= x->weight[k] != weight;
        if (!is_new) continue;
        expr term = counters_count_of(x, weight);
        if (size > 1) term = expr_arith(x->m, E_MUL, counters_number(x->m, size), term);
        bool is_first = !x->start && weight > 0 && expr_kind_of(x->m, sum) == E_CONST;
        sum = is_first ? term : expr_arith(x->m, weight < 0 ? E_SUB : E_ADD, sum, term);
    }
    return sum;
}

static expr counters_visit(model *m, expr e, void *context) {
    const counter *c = context;
    const expr_info *x = expr_of(m, e);
    if (x->kind == E_DEFINED && x->ref == c->counter.id) return m->true_expr;
    return x->kind == E_APP && x->ref == c->counter.id ? c->is : e;
}

static expr counters_without(model *m, expr e, counter *c) { return e.id ? expr_rewrite(m, e, counters_visit, c) : e; }

static const stmt *body_without(model *m, const stmt *s, func c);

static const stmt *const *list_without(model *m, const stmt *const *body, uint32_t *n, func c) {
    stmt_list out = {0};
    for (uint32_t i = 0; i < *n; i++)
        if (body[i]->kind != S_ASSIGN || body[i]->target.id != c.id) vec_push(&out, body_without(m, body[i], c));
    const stmt *const *kept = arena_copy(m->memory, out.data, out.len * sizeof *out.data);
    *n = out.len;
    vec_free(&out);
    return kept;
}

static const stmt *body_without(model *m, const stmt *s, func c) {
    if (!stmt_writes(s, c)) return s;
    stmt *own = arena_copy(m->memory, s, sizeof *own);
    if (s->kind == S_ASSIGN) return model_block(m, S_SEQ, NULL, 0, s->at);
    own->body = list_without(m, s->body, &own->nbody, c);
    own->orelse = list_without(m, s->orelse, &own->norelse, c);
    return own;
}

static void leave_out_of_rule(model *m, rule_info *r, counter *c) {
    r->guard = counters_without(m, r->guard, c);
    if (r->body) r->body = body_without(m, r->body, c->counter);
}

static void leave_out_counter(model *m, sys system, counter *c) {
    sys_info *s = sys_of(m, system);
    for (uint32_t i = 0; i < s->rules.len; i++) leave_out_of_rule(m, &m->rules.data[s->rules.data[i].id], c);
    for (uint32_t i = 0; i < s->inits.len; i++) leave_out_of_rule(m, &m->rules.data[s->inits.data[i].id], c);
    for (uint32_t i = 0; i < s->lemmas.len; i++)
        s->lemmas.data[i].cond = counters_without(m, s->lemmas.data[i].cond, c);
    for (uint32_t i = 1; i < m->props.len; i++)
        if (m->props.data[i].system.id == system.id)
            m->props.data[i].cond = counters_without(m, m->props.data[i].cond, c);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (s->funcs.data[i].id != c->counter.id) s->funcs.data[kept++] = s->funcs.data[i];
    s->funcs.len = kept;
}

// ---- all of it

static bool counters_find_for(finder *x) {
    const sys_info s = *sys_of(x->m, x->system);
    for (uint32_t i = 0; i < s.funcs.len; i++) {
        x->f = s.funcs.data[i];
        if (!is_of_element(x, x->f)) continue;
        x->nvalues = type_known_size(x->m, func_of(x->m, x->f)->result);
        if (find_weights(x)) return true;
    }
    return false;
}

void counters_leave_out(model *m, sys s, type sort, counter_list *out) {
    finder x = {.m = m, .system = s, .sort = sort};
    uint32_t n = sys_of(m, s)->defs.len ? 0 : sys_of(m, s)->funcs.len;
    func *all = arena_copy(m->memory, sys_of(m, s)->funcs.data, n * sizeof *all);
    for (uint32_t i = 0; i < n; i++) {
        x.c = all[i];
        if (!is_shared_number(&x, x.c) || is_read_in_bodies(&x) || !counters_find_for(&x)) continue;
        counter found = {x.c, counters_sum_of(&x)};
        leave_out_counter(m, s, &found);
        vec_push(out, found);
    }
    vec_free(&x.equations);
}
