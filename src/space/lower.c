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

// The words of a state that stays as it is: the same ones for all labels.
static uint32_t lower_unchanged(lowering *out) {
    if (out->unchanged) return out->unchanged - 1;
    out->unchanged = out->outs.len + 1;
    for (uint32_t i = 0; i < out->words; i++) vec_push(&out->outs, dag_word(&out->d, i));
    return out->unchanged - 1;
}

// The body is run afterwards (bodies.h): the state stays as it is.
static void lower_called(lowerer *w, lower_label label, node guard_fault, lowering *out) {
    label.trouble = guard_fault;
    label.is_called = true;
    w->is_endless = false;
    label.next = lower_unchanged(out);
    vec_push(&out->labels, label);
}

static void lower_begin_label(lowerer *w) {
    w->is_endless = false;
    w->label_steps = w->steps;
    w->label_nodes = w->d->nodes.len;
    lower_read_from(w, &w->before);
}

// A body that becomes large is compiled, once for all bindings; a large share is for those that cannot be.
static void lower_binding(lowerer *w, rule r, lowering *out) {
    const rule_info *info = rule_of(w->m, r);
    lower_begin_label(w);
    lowered guard = info->guard.id ? lower_scalar(w, info->guard) : (lowered){DAG_TRUE, DAG_FALSE};
    const lower_label begun = {.active = dag_or(w->d, guard.v, guard.fault)};
    lower_label label = begun;
    sym to = sym_copy(&w->before);
    bool is_called = bodies_has(w->code, r);
    if (label.active && !is_called) lower_effect(w, info, guard.fault, &label, &to);
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
    label.next = begun.active ? out->outs.len : lower_unchanged(out);
    for (uint32_t i = 0; begun.active && i < out->words; i++) vec_push(&out->outs, sym_node(&to, i));
    vec_push(&out->labels, label);
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

static void renew_scratch(lowerer *w) {
    arena_free(w->scratch);
    w->scratch = w->before.memory = arena_new();
}

static uint64_t count_bindings(const lowerer *w, const rule_info *r) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < r->nparams && n <= LOWER_MOST_LABELS; i++)
        n *= instance_type_size(w->in, var_of(w->m, r->params[i])->ty);
    return n;
}

// Once a binding of the rule was given up, the others are not tried.
static void lower_slow_binding(lowering *out) {
    vec_push(&out->labels, (lower_label){.is_slow = true, .next = lower_unchanged(out)});
}

// The guards of bindings whose body is called are lowered one by one: where these alone use up what there is, the rest
// is left to the evaluator.
static bool is_nearly_spent(const lowerer *w) {
    return w->steps > LOWER_ALL_STEPS || w->d->nodes.len > LOWER_ALL_BODIES;
}

static bool lower_bindings(lowerer *w, rule r, value *args, lowering *out) {
    const rule_info *info = rule_of(w->m, r);
    w->is_endless = w->by_evaluator;
    w->is_frugal = w->code && !w->by_evaluator;
    if (w->is_frugal && (w->calls_bodies || stmt_tree(info->body) > LOWER_FRUGAL_STEPS))
        w->is_frugal = !bodies_add(w->code, r);
    vec_push(&out->rules, (lower_rule){r, out->labels.len});
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
    if (out->labels.len + count_bindings(w, info) > LOWER_MOST_LABELS) return too_many_labels(w, info);
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

bool lower_instance(const layout *l, const expr *checks, uint32_t nchecks, bool by_evaluator, bodies *code,
                    bool calls_bodies, lowering *out) {
    memset(out, 0, sizeof *out);
    dag_init(&out->d);
    out->words = l->words;
    lowerer w = lowerer_new(l, &out->d);
    w.by_evaluator = by_evaluator;
    w.code = code;
    w.calls_bodies = calls_bodies;
    const sys_info *s = sys_of(w.m, w.in->system);
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->rules.len; i++) ok = lower_one_rule(&w, s->rules.data[i], out);
    ok = ok && lower_checks(&w, checks, by_evaluator ? 0 : nchecks, out);
    lowerer_free(&w);
    return ok;
}

void lower_free(lowering *p) {
    dag_free(&p->d);
    vec_free(&p->rules);
    vec_free(&p->labels);
    vec_free(&p->outs);
    vec_free(&p->checks);
}
