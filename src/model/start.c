// SPDX-License-Identifier: Apache-2.0
// The initial states of an instance: eval_initial() of eval.h.
//
// Functions that start with any value are filled cell by cell, depth first. After each cell the axioms and the guards
// of the init rules are evaluated in three values (true, false, not yet known), and a branch is left as soon as an
// axiom, or every guard, is false: orders and quorums over three or four elements have few models among very many
// candidates. What a complete filling gives is then run through the init rules by the reference evaluator.
#include "model/eval.h"

#include "model/heavy.h"

#include <assert.h>
#include <string.h>

enum { MOST_STEPS = 1 << 24, RANDOM_STEPS = 1 << 14, UNKNOWN = INT32_MIN };

typedef struct {
    const instance *in;
    eval *ev;
    value *state, *next;
    bool *is_open;       // the cell has no value yet
    value *env;          // for the three-valued evaluation, by variable id
    heavy_values heavy;  // in it, with the cells as they are
    VEC(uint32_t) open;  // cells that start with any value
    VEC(type) open_type;
    uint64_t steps, most_steps;
    rng *random;  // NULL: values in their order
    const limits *limits;
    eval_found found;
    void *context;
    map *seen;
    eval_start_fault *start_fault;  // NULL: a message is wanted
    bool stop, failed;
} starter;

static const sys_info *system_of(const starter *s) { return sys_of(s->in->m, s->in->system); }

static void start_fail(starter *s, span at, const char *why) {
    if (!s->failed) diag_error(s->in->m->messages, at, "the initial states cannot be computed: %s", why);
    s->stop = s->failed = true;
}

// Steps differ much in what they take, so the clock is read at each of them; it is little beside the others.
static bool start_is_over(starter *s) {
    s->stop |= limits_met(s->limits) != LIMIT_NONE;
    return s->stop;
}

// ---- three values

static value kleene(starter *s, expr e);

static value kleene_app(starter *s, const expr_info *x) {
    value args[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < x->nargs; i++)
        if ((args[i] = kleene(s, x->args[i])) == UNKNOWN) return UNKNOWN;
    uint32_t cell = instance_cell(s->in, (func){x->ref}, args);
    return cell == UINT32_MAX || s->is_open[cell] ? UNKNOWN : s->state[cell];
}

static value kleene_call(starter *s, const expr_info *x) {
    const def_info *d = def_of(s->in->m, (def){x->ref});
    value args[MODEL_MOST_ARGS], saved[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < x->nargs; i++) args[i] = kleene(s, x->args[i]);
    for (uint32_t i = 0; i < x->nargs; i++) {
        saved[i] = s->env[d->params[i].id];
        s->env[d->params[i].id] = args[i];
    }
    value v = kleene(s, d->body);
    for (uint32_t i = 0; i < x->nargs; i++) s->env[d->params[i].id] = saved[i];
    return v;
}

static value kleene_junction(starter *s, const expr_info *x, value decisive) {
    value result = !decisive;
    for (uint32_t i = 0; i < x->nargs; i++) {
        value v = kleene(s, x->args[i]);
        if (v == decisive) return decisive;
        if (v == UNKNOWN) result = UNKNOWN;
    }
    return result;
}

static value kleene_quantifier(starter *s, const expr_info *x, value decisive) {
    type ty = var_of(s->in->m, (var){x->ref})->ty;
    value first = instance_type_first(s->in, ty), saved = s->env[x->ref], result = !decisive;
    for (uint32_t i = 0; i < instance_type_size(s->in, ty) && result != decisive; i++) {
        s->env[x->ref] = first + (value)i;
        value v = kleene(s, x->args[0]);
        if (v == decisive || v == UNKNOWN) result = v;
    }
    s->env[x->ref] = saved;
    return result;
}

static value kleene_ite(starter *s, const expr_info *x) {
    value c = kleene(s, x->args[0]);
    if (c != UNKNOWN) return kleene(s, x->args[c ? 1 : 2]);
    value a = kleene(s, x->args[1]), b = kleene(s, x->args[2]);
    return a == b ? a : UNKNOWN;
}

static value kleene_compare(starter *s, const expr_info *x) {
    value a = kleene(s, x->args[0]), b = kleene(s, x->args[1]);
    if (a == UNKNOWN || b == UNKNOWN) return UNKNOWN;
    return x->kind == E_EQ ? a == b : x->kind == E_LT ? a < b : a <= b;
}

// Arithmetic is left to the full evaluation: it cuts nothing here.
static value kleene_kind(starter *s, const expr_info *x) {
    switch (x->kind) {
    case E_CONST: return (value)x->ref;
    case E_VAR: return s->env[x->ref];
    case E_APP: return kleene_app(s, x);
    case E_CALL: return kleene_call(s, x);
    case E_NOT: {
        value v = kleene(s, x->args[0]);
        return v == UNKNOWN ? UNKNOWN : !v;
    }
    case E_AND: return kleene_junction(s, x, 0);
    case E_OR: return kleene_junction(s, x, 1);
    case E_IMPLIES: {
        value a = kleene(s, x->args[0]);
        if (a == 0) return 1;
        value b = kleene(s, x->args[1]);
        return b == 1 ? 1 : a == UNKNOWN ? UNKNOWN : b;
    }
    case E_EQ:
    case E_LT:
    case E_LE: return kleene_compare(s, x);
    case E_ITE: return kleene_ite(s, x);
    case E_FORALL: return kleene_quantifier(s, x, 0);
    case E_EXISTS: return kleene_quantifier(s, x, 1);
    default: return UNKNOWN;
    }
}

static value kleene(starter *s, expr e) {
    const expr_info *x = expr_of(s->in->m, e);
    value v;
    if (x->weight <= EVAL_LIGHT) return kleene_kind(s, x);
    if (heavy_get(&s->heavy, s->in->m, e, 0, s->env, &v)) return v;
    v = kleene_kind(s, x);
    heavy_put(&s->heavy, s->in->m, e, 0, s->env, v);
    return v;
}

// Can some binding of the init rule's parameters still satisfy its guard?
static bool init_possible(starter *s, rule r) {
    const rule_info *info = rule_of(s->in->m, r);
    value args[model_most_params(s->in->m)];
    if (!info->guard.id) return true;
    for (bool first = true; !start_is_over(s) && eval_next_binding(s->in, r, args, &first);) {
        for (uint32_t i = 0; i < info->nparams; i++) s->env[info->params[i].id] = args[i];
        if (kleene(s, info->guard) != 0) return true;
    }
    return false;
}

static bool start_possible(starter *s) {
    const sys_info *info = system_of(s);
    heavy_forget(&s->heavy);
    for (uint32_t i = 0; i < info->axioms.len; i++)
        if (kleene(s, info->axioms.data[i].cond) == 0) return false;
    for (uint32_t i = 0; i < info->inits.len; i++)
        if (init_possible(s, info->inits.data[i])) return true;
    return info->inits.len == 0;
}

// ---- complete fillings

// A start that cannot be computed must not go missing: it is an error of the model.
static bool no_fault(starter *s) {
    fault f = eval_fault(s->ev);
    if (f.kind) start_fail(s, f.at, fault_text(f.kind));
    return !f.kind;
}

static bool axioms_hold(starter *s) {
    const sys_info *info = system_of(s);
    for (uint32_t i = 0; i < info->axioms.len; i++) {
        bool holds = eval_expr(s->ev, s->state, info->axioms.data[i].cond);
        if (!no_fault(s) || !holds) return false;
    }
    return true;
}

static void start_report(starter *s, const value *state) {
    if (s->stop || !map_put(s->seen, state, s->in->ncells * sizeof *state, 1)) return;
    s->stop = !s->found(state, s->context);
}

// The same for an init rule, whose fault may be the caller's to tell.
static bool init_no_fault(starter *s, rule r) {
    fault f = eval_fault(s->ev);
    if (!s->start_fault || !f.kind) return no_fault(s);
    if (!s->failed) *s->start_fault = (eval_start_fault){r, f};
    s->stop = s->failed = true;
    return false;
}

static void run_init(starter *s, rule r) {
    value args[model_most_params(s->in->m)];
    for (bool first = true; !start_is_over(s) && eval_next_binding(s->in, r, args, &first);) {
        bool enabled = eval_enabled(s->ev, s->state, r, args);
        if (!init_no_fault(s, r)) return;
        if (!enabled) continue;
        bool fired = eval_fire(s->ev, s->state, r, args, s->next);
        if (init_no_fault(s, r) && fired) start_report(s, s->next);
    }
}

static void start_filled(starter *s) {
    const sys_info *info = system_of(s);
    if (!axioms_hold(s)) return;
    if (!info->inits.len) start_report(s, s->state);
    uint32_t n = info->inits.len, from = s->random && n ? rng_below(s->random, n) : 0;
    for (uint32_t i = 0; i < n; i++) run_init(s, info->inits.data[(from + i) % n]);
}

static void start_fill(starter *s, uint32_t k) {
    if (start_is_over(s)) return;
    if (++s->steps > s->most_steps) {
        s->stop = true;
        if (s->random) return;
        start_fail(s, system_of(s)->at,
                   "the functions that start with any value have too many combinations at these sizes");
        return;
    }
    if (k == s->open.len) {
        start_filled(s);
        return;
    }
    uint32_t cell = s->open.data[k];
    type ty = s->open_type.data[k];
    uint32_t n = instance_type_size(s->in, ty), from = s->random ? rng_below(s->random, n) : 0;
    s->is_open[cell] = false;
    for (uint32_t i = 0; i < n && !s->stop; i++) {
        s->state[cell] = instance_type_first(s->in, ty) + (value)((from + i) % n);
        if (start_possible(s)) start_fill(s, k + 1);
    }
    s->is_open[cell] = true;
}

static void start_lay_out(starter *s) {
    const sys_info *info = system_of(s);
    for (uint32_t i = 0; i < info->funcs.len; i++) {
        const func_info *f = func_of(s->in->m, info->funcs.data[i]);
        uint32_t first = s->in->first_cell[info->funcs.data[i].id];
        uint32_t n = instance_func_cells(s->in, info->funcs.data[i]);
        for (uint32_t c = first; c < first + n; c++) {
            s->state[c] = f->initial;
            s->is_open[c] = f->starts_any;
            if (!f->starts_any) continue;
            vec_push(&s->open, c);
            vec_push(&s->open_type, f->result);
        }
    }
}

static bool start_run(starter *s) {
    const instance *in = s->in;
    s->ev = eval_new(in);
    s->seen = map_new();
    s->state = mem_zero(in->ncells, sizeof *s->state);
    s->next = mem_zero(in->ncells, sizeof *s->next);
    s->is_open = mem_zero(in->ncells, sizeof *s->is_open);
    s->env = mem_zero(in->m->vars.len, sizeof *s->env);
    start_lay_out(s);
    start_fill(s, 0);
    eval_free(s->ev);
    map_free(s->seen);
    vec_free(&s->open);
    vec_free(&s->open_type);
    free(s->state);
    free(s->next);
    free(s->is_open);
    free(s->env);
    heavy_free(&s->heavy);
    return !s->failed;
}

bool eval_initial(const instance *in, eval_found found, void *context) {
    return eval_initial_within(in, &(limits){0}, found, context, NULL);
}

bool eval_initial_within(const instance *in, const limits *l, eval_found found, void *context,
                         eval_start_fault *failed) {
    starter s = {.in = in, .found = found, .context = context, .start_fault = failed, .limits = l};
    s.most_steps = MOST_STEPS;
    return start_run(&s);
}

bool eval_initial_random(const instance *in, const limits *l, rng *random, eval_found found, void *context) {
    eval_start_fault ignored;
    starter s = {.in = in, .found = found, .context = context, .start_fault = &ignored, .limits = l};
    s.random = random;
    s.most_steps = RANDOM_STEPS;
    return start_run(&s);
}
