// SPDX-License-Identifier: Apache-2.0
// Traces: see trace.h. Replay asks only the reference evaluator, so a mistake in the compiled successor
// relation, in symmetry reduction or in the search cannot show as a false counterexample.
//
// Labels follow the papers where an action looks like theirs: read and write of two parameters, commit and
// abort of one, all of them elements of sorts or numbers. The acting thread (model/actor.h; the first
// parameter where nothing says who acts) is the subscript; the location stands before it: read(2,1) is
// r1_2, commit(2) is c_2. Every other label is name(arguments), and so is one that would read like another
// action's name. Labels are for reading: language/letter.h tells letters apart.
#include "result/trace.h"

#include "model/actor.h"

#include <string.h>

trace *trace_new(const instance *in, const value *initial) {
    trace *t = mem_zero(1, sizeof *t);
    t->in = in;
    t->memory = arena_new();
    t->initial = arena_copy(t->memory, initial, in->ncells * sizeof *initial);
    t->loop = UINT32_MAX;
    return t;
}

void trace_free(trace *t) {
    if (!t) return;
    vec_free(&t->steps);
    arena_free(t->memory);
    free(t);
}

void trace_add(trace *t, rule r, const value *args, const value *after) {
    trace_step step = {.r = r};
    uint32_t nparams = rule_of(t->in->m, r)->nparams;
    step.args = arena_copy(t->memory, args, nparams * sizeof *args);
    if (after) step.after = arena_copy(t->memory, after, t->in->ncells * sizeof *after);
    vec_push(&t->steps, step);
}

const value *trace_state(const trace *t, uint32_t i) { return i == 0 ? t->initial : t->steps.data[i - 1].after; }

uint32_t trace_word_length(const trace *t) {
    uint32_t length = 0;
    for (uint32_t i = 0; i < t->steps.len; i++) length += rule_of(t->in->m, t->steps.data[i].r)->is_visible;
    return length;
}

// ---- replay

static bool trace_is_same_state(const instance *in, const value *a, const value *b) {
    return memcmp(a, b, in->ncells * sizeof *a) == 0;
}

typedef struct {
    const trace *t;
    bool is_found;
} initial_search;

static bool compare_initial(const value *state, void *context) {
    initial_search *c = context;
    c->is_found = trace_is_same_state(c->t->in, state, c->t->initial);
    return !c->is_found;
}

static bool is_initial(const trace *t) {
    initial_search c = {.t = t};
    eval_initial(t->in, compare_initial, &c);
    return c.is_found;
}

static bool is_rule_of(const instance *in, rule r) {
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->rules.len; i++)
        if (s->rules.data[i].id == r.id) return true;
    return false;
}

// Does the evaluator follow the step, or, for one without a state after it, refuse or fault as the trace
// says?
static const char *replay_step(eval *ev, const instance *in, const value *state, const trace_step *step, value *after) {
    if (!is_rule_of(in, step->r)) return "is not an action of the system";
    prop refused;
    eval_end end = eval_step(ev, state, step->r, step->args, after, &refused);
    if (end == EVAL_NONE) return eval_is_impossible(ev) ? "is not possible" : "is not enabled";
    if (!step->after) return end == EVAL_FIRES ? "is neither refused nor faults" : NULL;
    if (end != EVAL_FIRES) return end == EVAL_REFUSED ? "is refused" : "faults";
    return trace_is_same_state(in, after, step->after) ? NULL : "leads to another state";
}

bool trace_follows(eval *ev, const instance *in, const value *state, const trace_step *step, value *after) {
    return !replay_step(ev, in, state, step, after);
}

static const char *replay_loop(const trace *t) {
    if (t->loop == UINT32_MAX) return NULL;
    const value *last = trace_state(t, t->steps.len);
    if (t->loop >= t->steps.len || !last) return "the loop is empty";
    return trace_is_same_state(t->in, last, trace_state(t, t->loop)) ? NULL : "the loop does not close";
}

static bool trace_explain(str *why, const trace *t, uint32_t i, const char *problem) {
    const trace_step *step = &t->steps.data[i];
    str_printf(why, "step %u, ", i + 1);
    trace_label_text(t->in, step->r, step->args, why);
    str_printf(why, ", %s", problem);
    return false;
}

static bool replay_steps(const trace *t, eval *ev, value *after, str *why) {
    for (uint32_t i = 0; i < t->steps.len; i++) {
        const char *problem = "follows a step without a state";
        if (trace_state(t, i)) problem = replay_step(ev, t->in, trace_state(t, i), &t->steps.data[i], after);
        if (problem) return trace_explain(why, t, i, problem);
    }
    const char *problem = replay_loop(t);
    if (problem) str_add(why, problem);
    return !problem;
}

bool trace_replay(const trace *t, str *why) {
    if (!is_initial(t)) {
        str_add(why, "the first state is not an initial one");
        return false;
    }
    eval *ev = eval_new(t->in);
    value *after = mem_zero(t->in->ncells + 1, sizeof *after);
    bool is_fine = replay_steps(t, ev, after, why);
    free(after);
    eval_free(ev);
    return is_fine;
}

// ---- text

static bool trace_is_index(const model *m, var v) {
    type_kind kind = type_of(m, var_of(m, v)->ty)->kind;
    return kind == TYPE_SORT || kind == TYPE_RANGE;
}

// Which of the papers' actions it is, with a thread and perhaps a location; ROLE_OTHER: none.
static rule_role paper_action(const model *m, const rule_info *r) {
    static const uint32_t nshown[] = {[ROLE_READ] = 2, [ROLE_WRITE] = 2, [ROLE_COMMIT] = 1, [ROLE_ABORT] = 1};
    if (r->role == ROLE_OTHER || rule_nshown(r) != nshown[r->role]) return ROLE_OTHER;
    for (uint32_t k = 0; k < rule_nshown(r); k++)
        if (!trace_is_index(m, r->params[k])) return ROLE_OTHER;
    return r->role;
}

// The parameter that is the thread of one of these: one of those shown.
static uint32_t paper_thread(const instance *in, rule id) {
    uint32_t actor = actor_param(in->m, id, actor_sort(in->m, in->system));
    return actor < rule_nshown(rule_of(in->m, id)) ? actor : 0;
}

bool trace_statement_of(const instance *in, rule id, const value *args, trace_statement *out) {
    const rule_info *r = rule_of(in->m, id);
    rule_role action = paper_action(in->m, r);
    if (action == ROLE_OTHER) return false;
    uint32_t thread = paper_thread(in, id);
    *out =
        (trace_statement){.kind = action, .thread = args[thread], .thread_type = var_of(in->m, r->params[thread])->ty};
    if (rule_nshown(r) == 1) return true;
    out->location = args[1 - thread];
    out->location_type = var_of(in->m, r->params[1 - thread])->ty;
    return true;
}

static void arg_text(const instance *in, const rule_info *r, const value *args, uint32_t k, str *out) {
    instance_value_text(in, var_of(in->m, r->params[k])->ty, args[k], out);
}

static bool is_action(const instance *in, const char *name) {
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->rules.len; i++)
        if (str_same(rule_of(in->m, s->rules.data[i])->name, name)) return true;
    return false;
}

// r1_2; false, with nothing added, where that is not how to write it.
static bool paper_label(const instance *in, rule id, const value *args, str *out) {
    const rule_info *r = rule_of(in->m, id);
    if (paper_action(in->m, r) == ROLE_OTHER) return false;
    uint32_t actor = paper_thread(in, id);
    str text = {0};
    str_char(&text, r->name[0]);
    if (rule_nshown(r) == 2) arg_text(in, r, args, 1 - actor, &text);
    str_char(&text, '_');
    arg_text(in, r, args, actor, &text);
    bool is_plain = !is_action(in, str_get(&text));
    if (is_plain) str_add(out, str_get(&text));
    str_free(&text);
    return is_plain;
}

void trace_label_text(const instance *in, rule id, const value *args, str *out) {
    if (paper_label(in, id, args, out)) return;
    const rule_info *r = rule_of(in->m, id);
    str_add(out, r->name);
    for (uint32_t k = 0; k < rule_nshown(r); k++) {
        str_char(out, k == 0 ? '(' : ',');
        arg_text(in, r, args, k, out);
    }
    if (rule_nshown(r)) str_char(out, ')');
}

void trace_word_text(const trace *t, str *out) {
    const char *separator = "";
    for (uint32_t i = 0; i < t->steps.len; i++) {
        const trace_step *step = &t->steps.data[i];
        if (!rule_of(t->in->m, step->r)->is_visible) continue;
        str_add(out, separator);
        trace_label_text(t->in, step->r, step->args, out);
        separator = " ";
    }
}
