// SPDX-License-Identifier: Apache-2.0
// Choices of a specification: see choices.h.
//
// Each action of the system that needs an answer is a slot. Its candidates are the values that the hidden parameters
// can have: parameters of the action, functions of the system applied to them, then those of the specification. An
// internal action may be answered by nothing or by an internal action of the specification. One candidate per slot
// gives a product, and a small instance of it is explored. A step that it refuses ends a run, and whoever chooses the
// same in the slots of that run is refused too: the last of them is what has to change. So slots that are not to blame
// are not tried again.
#include "infer/choices.h"

#include "explore/explore.h"
#include "model/compose.h"
#include "model/expr.h"
#include "model/overlay.h"

#include <string.h>

enum {
    MOST_VALUES = 40,
    MOST_ANSWERS = 200,
    MOST_TRIED = 400,
    FEW_STATES = 20000,
    MANY_STATES = 400000,
    ORDERED_SIZE = 3,
    PLAIN_SIZE = 2
};

typedef struct {
    rule r;
    uint32_t number;  // of the rule in its system, which is its number in the product too
    VEC(prop_witness) answers;
    uint32_t now;
    bool may_be_none;  // an internal action: before its answers comes none
} slot;

typedef VEC(int64_t) blamed;  // by slot: its answer, or -1: not involved

typedef struct {
    model *m;
    prop p;
    sys system, spec;
    VEC(slot) slots;
    VEC(blamed) conflicts;
    VEC(sort_size) sizes;
    limits limits;
    uint32_t tried;
} choosing;

// ---- candidates

// Applications of a function to parameters of the rule, every argument in every way.
static void choices_apply(choosing *c, const rule_info *r, func f, expr *args, uint32_t n, expr_list *out) {
    const func_info *info = func_of(c->m, f);
    if (out->len >= MOST_VALUES) return;
    if (n == info->nargs) {
        vec_push(out, expr_app(c->m, f, args));
        return;
    }
    for (uint32_t i = 0; i < r->nparams; i++) {
        if (!type_same(var_of(c->m, r->params[i])->ty, info->args[n])) continue;
        args[n] = expr_var(c->m, r->params[i]);
        choices_apply(c, r, f, args, n + 1, out);
    }
}

static void choices_add_functions(choosing *c, const rule_info *r, sys owner, type ty, expr_list *out) {
    expr args[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < sys_of(c->m, owner)->funcs.len; i++) {
        func f = sys_of(c->m, owner)->funcs.data[i];
        if (type_same(func_of(c->m, f)->result, ty)) choices_apply(c, r, f, args, 0, out);
    }
}

// Values of a type at a step of the rule. None of numbers: they could leave their range.
static void add_values(choosing *c, rule id, type ty, expr_list *out) {
    rule_info r = *rule_of(c->m, id);
    if (type_is_number(c->m, ty)) return;
    for (uint32_t i = r.nparams; i-- > 0;)  // hidden choices of the system first
        if (type_same(var_of(c->m, r.params[i])->ty, ty)) vec_push(out, expr_var(c->m, r.params[i]));
    choices_add_functions(c, &r, c->system, ty, out);
    choices_add_functions(c, &r, c->spec, ty, out);
}

// Every way to give the parameters of the answer from `n` on a value.
static void add_answers(choosing *c, slot *s, rule by, uint32_t first, expr *args, uint32_t n) {
    rule_info a = *rule_of(c->m, by);
    if (s->answers.len >= MOST_ANSWERS || a.nparams > MODEL_MOST_PARAMS) return;
    if (first + n == a.nparams) {
        prop_witness w = {.r = s->r, .answer = by, .nargs = n};
        w.args = arena_copy(c->m->memory, args, (n + 1) * sizeof *args);
        vec_push(&s->answers, w);
        return;
    }
    expr_list values = {0};
    add_values(c, s->r, var_of(c->m, a.params[first + n])->ty, &values);
    for (uint32_t i = 0; i < values.len; i++) {
        args[n] = values.data[i];
        add_answers(c, s, by, first, args, n + 1);
    }
    vec_free(&values);
}

static void answer_internal(choosing *c, slot *s, expr *args) {
    s->may_be_none = true;
    for (uint32_t i = 0; i < sys_of(c->m, c->spec)->rules.len; i++) {
        rule a = sys_of(c->m, c->spec)->rules.data[i];
        if (!rule_of(c->m, a)->is_visible) add_answers(c, s, a, 0, args, 0);
    }
}

// False: nothing could answer it.
static bool choices_add_slot(choosing *c, rule r, uint32_t number) {
    slot s = {.r = r, .number = number};
    expr args[MODEL_MOST_PARAMS + 1];
    bool is_visible = rule_of(c->m, r)->is_visible;
    rule by = is_visible ? model_find_rule(c->m, c->spec, rule_of(c->m, r)->name) : (rule){0};
    if (compose_witness(c->m, c->p, r) || (is_visible && (!by.id || !rule_of(c->m, by)->nhidden))) return true;
    if (is_visible) add_answers(c, &s, by, rule_nshown(rule_of(c->m, by)), args, 0);
    else answer_internal(c, &s, args);
    bool can = s.answers.len > 0;
    if (can) vec_push(&c->slots, s);
    else vec_free(&s.answers);
    return can || !is_visible;
}

// ---- trying

static uint32_t slot_answers(const slot *s) { return s->answers.len + s->may_be_none; }

// The witnesses of the present choice, with what the user said, as a list of the model.
static void take_choice(const choosing *c, model *m) {
    prop_info *info = &m->props.data[c->p.id];
    VEC(prop_witness) all = {0};
    const prop_info *said = prop_of(c->m, c->p);
    for (uint32_t i = 0; i < said->nwitnesses; i++) vec_push(&all, said->witnesses[i]);
    for (uint32_t i = 0; i < c->slots.len; i++) {
        const slot *s = &c->slots.data[i];
        if (s->now >= s->may_be_none) vec_push(&all, s->answers.data[s->now - s->may_be_none]);
    }
    vec_keep(m->memory, &all, &info->witnesses, &info->nwitnesses);
}

static void blame_run(choosing *c, const model *m, sys product, const trace *t) {
    blamed b = {0};
    for (uint32_t i = 0; i < c->slots.len; i++) {
        const slot *s = &c->slots.data[i];
        rule mine = sys_of(m, product)->rules.data[s->number];
        bool is_in = false;
        for (uint32_t k = 0; k < t->steps.len; k++) is_in |= t->steps.data[k].r.id == mine.id;
        vec_push(&b, is_in ? (int64_t)s->now : -1);
    }
    vec_push(&c->conflicts, b);
}

// What a product with the right choices keeps: the refinement, and the conjuncts of the user's relation.
typedef VEC(prop) kept_list;

static void choices_keep(choosing *c, model *m, sys product, kept_list *out) {
    vec_push(out, c->p);
    prop_info info = *prop_of(m, c->p);
    for (uint32_t i = 0; i < info.nrelation; i++) {
        prop_info one = {.kind = PROP_INVARIANT, .name = info.relation[i].name, .at = info.relation[i].at};
        one.system = product;
        one.cond = info.relation[i].cond;
        vec_push(out, model_add_prop(m, one));
    }
}

typedef enum { TRIAL_GOOD, TRIAL_REFUSED, TRIAL_IMPOSSIBLE } trial_end;

// Every run that went wrong is one to blame.
static trial_end judge_trial(choosing *c, const model *m, sys product, const result *r) {
    trial_end end = TRIAL_GOOD;
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *x = &r->properties.data[i];
        if (!x->property.id || !x->trace) continue;
        blame_run(c, m, product, x->trace);
        end = TRIAL_REFUSED;
    }
    return end;
}

// Explores a small instance of the product with the present choice.
static trial_end try_choice(choosing *c, uint64_t states) {
    model *m = overlay_new(c->m);
    take_choice(c, m);
    diag_silence(m->messages);
    sys product = compose_for(m, c->p);
    instance *in = product.id ? instance_new(m, product, c->sizes.data, c->sizes.len) : NULL;
    kept_list kept = {0};
    if (in) choices_keep(c, m, product, &kept);
    explore_options how = {.threads = 1, .self_check = SELF_CHECK_OFF, .limit_states = states, .limits = c->limits};
    result *r = result_new();
    explore_end end = in ? explore_run(in, kept.data, kept.len, &how, r, NULL) : END_LIMIT;
    diag_speak(m->messages);
    trial_end found = in && end != END_LIMIT ? judge_trial(c, m, product, r) : TRIAL_IMPOSSIBLE;
    result_free(r);
    vec_free(&kept);
    instance_free(in);
    model_free(m);
    c->tried++;
    return found;
}

// ---- the search

// The last slot to blame for a refusal that the present choice shares; -1: none is known.
static int64_t blamed_slot(const choosing *c) {
    for (uint32_t i = c->conflicts.len; i-- > 0;) {
        const blamed *b = &c->conflicts.data[i];
        int64_t last = -1;
        bool applies = true;
        for (uint32_t k = 0; k < b->len && applies; k++) {
            if (b->data[k] < 0) continue;
            applies = b->data[k] == c->slots.data[k].now;
            last = k;
        }
        if (applies) return last < 0 ? (int64_t)c->slots.len : last;
    }
    return -1;
}

// The next choice in which this slot, or one before it, differs. False: there is none.
static bool choose_next(choosing *c, int64_t at) {
    if (at >= (int64_t)c->slots.len) return false;  // a run without any choice is refused
    for (uint32_t k = (uint32_t)at + 1; k < c->slots.len; k++) c->slots.data[k].now = 0;
    for (; at >= 0; at--) {
        slot *s = &c->slots.data[at];
        if (++s->now < slot_answers(s)) return true;
        s->now = 0;
    }
    return false;
}

static bool choices_search(choosing *c) {
    while (c->tried < MOST_TRIED && !limits_met(&c->limits)) {
        int64_t at = blamed_slot(c);
        if (at < 0) {
            trial_end end = try_choice(c, FEW_STATES);
            if (end == TRIAL_GOOD) end = try_choice(c, MANY_STATES);
            if (end != TRIAL_REFUSED) return end == TRIAL_GOOD;
            continue;
        }
        if (!choose_next(c, at)) return false;
    }
    return false;
}

// As asked or declared, but not one alone, which would make all choices look alike; else few.
static void choose_sizes(choosing *c, const infer_options *o) {
    type_list sorts = {0};
    instance_sorts(c->m, c->system, &sorts);
    instance_sorts(c->m, c->spec, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++) {
        const type_info *t = type_of(c->m, sorts.data[i]);
        uint32_t few = t->default_size ? t->default_size : t->is_ordered ? ORDERED_SIZE : PLAIN_SIZE;
        sort_size s = {sorts.data[i], few < PLAIN_SIZE ? PLAIN_SIZE : few};
        for (uint32_t k = 0; k < o->nsizes; k++)
            if (type_same(o->sizes[k].sort, s.sort)) s.size = o->sizes[k].size;
        bool is_new = !t->fixed_size;
        for (uint32_t k = 0; k < c->sizes.len; k++) is_new &= !type_same(c->sizes.data[k].sort, s.sort);
        if (is_new) vec_push(&c->sizes, s);
    }
    vec_free(&sorts);
}

static void choices_end(choosing *c) {
    for (uint32_t i = 0; i < c->slots.len; i++) vec_free(&c->slots.data[i].answers);
    for (uint32_t i = 0; i < c->conflicts.len; i++) vec_free(&c->conflicts.data[i]);
    vec_free(&c->slots);
    vec_free(&c->conflicts);
    vec_free(&c->sizes);
}

// The user may have said how some steps are answered; the rest is looked for.
bool choices_find(model *m, prop p, const infer_options *options) {
    if (!compose_has_choice(m, p)) return true;
    choosing c = {.m = m, .p = p, .system = prop_of(m, p)->system, .spec = prop_of(m, p)->spec};
    c.limits = limits_within(&options->limits, limits_left(&options->limits) / 10);
    choose_sizes(&c, options);
    bool can = true;
    for (uint32_t i = 0; can && i < sys_of(m, c.system)->rules.len; i++)
        can = choices_add_slot(&c, sys_of(m, c.system)->rules.data[i], i);
    bool found = can && (!c.slots.len || choices_search(&c));
    if (found && c.slots.len) take_choice(&c, m);
    choices_end(&c);
    return found;
}
