// SPDX-License-Identifier: Apache-2.0
// Lowering of rules: one label for each rule and binding of its parameters; see lower.h.
#include "space/lowerer.h"

#include "model/eval.h"
#include "model/stmt.h"
#include "space/sym.h"

#include <string.h>

enum { LABELS_A_SCRATCH = 256 };  // after this many labels the symbolic states made meanwhile are freed

// ---- one label

static node lower_requirements(lowerer *w, const rule_info *r) {
    node trouble = DAG_FALSE;
    for (uint32_t i = 0; i < r->nrequires; i++) {
        lowered c = lower_scalar(w, r->requires[i].cond);
        trouble = dag_or(w->d, trouble, dag_or(w->d, dag_not(w->d, c.v), c.fault));
    }
    return trouble;
}

// A step that is impossible is none, whatever else holds; a guard that faults comes before it.
static void lower_effect(lowerer *w, const rule_info *r, node guard_fault, lower_label *label, sym *to) {
    node refused = lower_requirements(w, r);
    w->is_in_body = true;
    outcome o = r->body ? lower_stmt(w, r->body, to, to) : (outcome){DAG_FALSE, DAG_FALSE};
    w->is_in_body = false;
    if (w->is_endless) w->steps = w->label_steps;
    node possible = dag_or(w->d, guard_fault, dag_not(w->d, o.impossible));
    label->active = dag_and(w->d, label->active, possible);
    label->trouble = dag_or(w->d, guard_fault, dag_or(w->d, refused, o.fault));
    label->is_slow = w->is_endless;
    if (label->is_slow) label->active = DAG_FALSE;
}

// The words that are not as they were.
static void lower_changes(const lowerer *w, const sym *to, lower_label *label, lowering *out) {
    label->next = out->outs.len;
    for (uint32_t i = 0; i < out->words; i++) {
        if (sym_has_same(&w->before, to, i)) continue;
        node v = sym_node(to, i);
        if (v != dag_word(w->d, i)) vec_push(&out->outs, (lower_out){i, v});
    }
    label->nnext = out->outs.len - label->next;
}

// The body is run afterwards (bodies.h): the state stays as it is.
static void lower_called(lowerer *w, lower_label label, node guard_fault, lowering *out) {
    label.trouble = guard_fault;
    label.is_called = true;
    w->is_endless = false;
    vec_push(&out->labels, label);
}

static void lower_begin_label(lowerer *w) {
    w->is_endless = false;
    w->label_steps = w->steps;
    w->label_nodes = w->d->nodes.len;
    lower_read_from(w, &w->before);
}

// Once a binding of the rule was given up, the others are not tried.
static void lower_slow_binding(lowering *out) { vec_push(&out->labels, (lower_label){.is_slow = true}); }

// A body that becomes large is compiled, once for all bindings; a large share is for those that cannot be.
static void lower_binding(lowerer *w, rule r, lowering *out) {
    const rule_info *info = rule_of(w->m, r);
    lower_begin_label(w);
    lowered guard = info->guard.id ? lower_scalar(w, info->guard) : (lowered){DAG_TRUE, DAG_FALSE};
    if (w->is_endless) {
        lower_slow_binding(out);
        return;
    }
    const lower_label begun = {.active = dag_or(w->d, guard.v, guard.fault)};
    lower_label label = begun;
    sym to = w->before;
    bool is_called = bodies_has(w->code, r);
    if (label.active && !is_called) {
        to = sym_copy(&w->before);
        lower_effect(w, info, guard.fault, &label, &to);
    }
    if (label.is_slow && w->is_frugal) {
        w->is_frugal = false;
        is_called = bodies_add(w->code, r);
        if (!is_called) {
            lower_binding(w, r, out);
            return;
        }
    }
    if (is_called && begun.active) {
        lower_called(w, begun, guard.fault, out);
        return;
    }
    if (begun.active) lower_changes(w, &to, &label, out);
    vec_push(&out->labels, label);
}

// ---- rules that are taken apart

static void renew_scratch(lowerer *w) {
    arena_free(w->scratch);
    w->scratch = w->before.memory = arena_new();
}

// A guard that may fault, and a step that may turn out to be impossible, are no matter of one factor alone.
static bool lower_factor_option(lowerer *w, const factor *f, lowering *out) {
    lower_label label = {.active = DAG_TRUE};
    sym to = sym_copy(&w->before);
    lower_begin_label(w);
    for (uint32_t i = 0; i < f->guard.len; i++) {
        lowered is = lower_scalar(w, f->guard.data[i]);
        if (is.fault != DAG_FALSE) return false;
        label.active = dag_and(w->d, label.active, is.v);
    }
    w->is_in_body = true;
    outcome o = lower_stmt(w, &f->body, &to, &to);
    w->is_in_body = false;
    label.trouble = o.fault;
    lower_changes(w, &to, &label, out);
    vec_push(&out->labels, label);
    return !w->is_endless && !w->is_too_large && o.impossible == DAG_FALSE;
}

static bool lower_factor(lowerer *w, const rule_info *r, const factor *f, value *args, lowering *out) {
    for (uint32_t option = 0; option < f->options; option++) {
        uint32_t rest = option;
        for (uint32_t i = f->end; i-- > f->first;) {
            type t = var_of(w->m, r->params[i])->ty;
            args[i] = instance_type_first(w->in, t) + (value)(rest % instance_type_size(w->in, t));
            rest /= instance_type_size(w->in, t);
            w->env[r->params[i].id] = lower_constant(w, args[i]);
        }
        renew_scratch(w);
        if (!lower_factor_option(w, f, out)) return false;
    }
    return true;
}

// False: the rule is not taken apart, and nothing of it was lowered.
static bool lower_factors(lowerer *w, rule r, value *args, lowering *out) {
    uint32_t labels = out->labels.len, outs = out->outs.len;
    bool is_whole = w->how.is_expanded || w->how.by_evaluator || w->how.calls_bodies;
    factoring *f = is_whole ? NULL : factor_rule(w->l, r, w->how.is_apart);
    bool ok = f && lower_factor(w, rule_of(w->m, r), &f->frame, args, out);
    for (uint32_t i = 0; ok && i < f->count; i++) ok = lower_factor(w, rule_of(w->m, r), &f->parts[i], args, out);
    if (ok) {
        out->rules.data[out->rules.len - 1].factors = f;
        return true;
    }
    factor_free(f);
    w->is_endless = false;
    out->labels.len = labels;
    out->outs.len = outs;
    return false;
}

// ---- all labels

static bool too_many_labels(const lowerer *w, const rule_info *r) {
    diag_error(w->m->messages, r->at, "the rules of '%s' have more than %u instances at these sizes",
               sys_of(w->m, w->in->system)->name, LOWER_MOST_LABELS);
    return false;
}

static bool lower_too_large(const lowerer *w, const rule_info *r) {
    diag_error(w->m->messages, r->at, "rule '%s' is too large to unroll at these sizes", r->name);
    return false;
}

static uint64_t count_bindings(const lowerer *w, const rule_info *r) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < r->nparams && n <= LOWER_MOST_LABELS; i++)
        n *= instance_type_size(w->in, var_of(w->m, r->params[i])->ty);
    return n;
}

// The guards of bindings whose body is called are lowered one by one: where these alone use up what there is, the rest
// is left to the evaluator.
static bool is_nearly_spent(const lowerer *w) {
    return w->steps > LOWER_ALL_STEPS || w->d->nodes.len > LOWER_ALL_BODIES;
}

static bool lower_bindings(lowerer *w, rule r, value *args, lowering *out) {
    const rule_info *info = rule_of(w->m, r);
    vec_push(&out->rules, (lower_rule){r, out->bindings, out->labels.len, NULL});
    out->bindings += (uint32_t)count_bindings(w, info);
    w->is_frugal = w->code && !w->how.by_evaluator;
    if (lower_factors(w, r, args, out)) return true;
    w->is_endless = w->how.by_evaluator;
    bool is_long = w->is_frugal && stmt_tree(info->body, LOWER_FRUGAL_STEPS) > LOWER_FRUGAL_STEPS;
    if (w->is_frugal && (w->how.calls_bodies || is_long)) w->is_frugal = !bodies_add(w->code, r);
    for (bool first = true; eval_next_binding(w->in, r, args, &first);) {
        if (out->labels.len % LABELS_A_SCRATCH == 0) renew_scratch(w);
        for (uint32_t i = 0; i < info->nparams; i++) w->env[info->params[i].id] = lower_constant(w, args[i]);
        if (w->is_endless || is_nearly_spent(w)) lower_slow_binding(out);
        else lower_binding(w, r, out);
        if (w->is_too_large) return lower_too_large(w, info);
    }
    return true;
}

static bool lower_is_relation(const lowerer *w, const rule_info *r) {
    if (!r->nchosen && !r->relation.id) return false;
    diag_error(w->m->messages, r->at, "'%s' is given as a relation, which proofs accept but cannot be run", r->name);
    return true;
}

static bool lower_one_rule(lowerer *w, rule r, lowering *out) {
    const rule_info *info = rule_of(w->m, r);
    if (lower_is_relation(w, info)) return false;
    if (out->bindings + count_bindings(w, info) > LOWER_MOST_LABELS) return too_many_labels(w, info);
    value *args = mem_zero(info->nparams + 1, sizeof *args);
    bool ok = lower_bindings(w, r, args, out);
    free(args);
    return ok;
}

static bool lower_checks(lowerer *w, const expr *checks, uint32_t n, lowering *out) {
    w->is_endless = false;
    lower_read_from(w, &w->before);
    for (uint32_t i = 0; i < n; i++) {
        lowered c = lower_scalar(w, checks[i]);
        vec_push(&out->checks, dag_and(w->d, c.v, dag_not(w->d, c.fault)));
    }
    out->has_slow_checks = w->is_endless;
    if (!w->is_too_large) return true;
    diag_error(w->m->messages, sys_of(w->m, w->in->system)->at,
               "the properties of '%s' are too large to unroll at these sizes", sys_of(w->m, w->in->system)->name);
    return false;
}

static lowerer lowerer_new(const layout *l, dag *d) {
    lowerer w = {.in = l->in, .m = l->in->m, .l = l, .d = d, .memory = arena_new(), .memo = map_new()};
    w.env = mem_zero(w.m->vars.len + 1, sizeof *w.env);
    w.before = sym_initial(d, w.memory, l->words, l->scratch_words);
    w.scratch = w.before.memory = arena_new();
    return w;
}

static void lowerer_free(lowerer *w) {
    arena_free(w->memory);
    arena_free(w->scratch);
    map_free(w->memo);
    free(w->env);
    vec_free(&w->lanes);
    vec_free(&w->remembered);
}

bool lower_instance(const layout *l, const expr *checks, uint32_t nchecks, lower_how how, bodies *code, lowering *out) {
    memset(out, 0, sizeof *out);
    dag_init(&out->d);
    out->words = l->words;
    lowerer w = lowerer_new(l, &out->d);
    w.how = how;
    w.code = code;
    const sys_info *s = sys_of(w.m, w.in->system);
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->rules.len; i++) ok = lower_one_rule(&w, s->rules.data[i], out);
    ok = ok && lower_checks(&w, checks, how.by_evaluator ? 0 : nchecks, out);
    lowerer_free(&w);
    return ok;
}

void lower_free(lowering *p) {
    dag_free(&p->d);
    for (uint32_t i = 0; i < p->rules.len; i++) factor_free(p->rules.data[i].factors);
    vec_free(&p->rules);
    vec_free(&p->labels);
    vec_free(&p->outs);
    vec_free(&p->checks);
}
