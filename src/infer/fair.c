// SPDX-License-Identifier: Apache-2.0
// See fair.h.
#include "infer/fair.h"

#include "explore/explore.h"
#include "model/expr.h"
#include "model/instance.h"
#include "model/overlay.h"

enum { FAIR_STATES = 2000000 };

typedef VEC(prop) prop_list;

// C of C -> A, for all that A is about; what is stated without a condition assumes nothing.
static expr assumption_of(model *m, expr e) {
    const expr_info x = *expr_of(m, e);
    if (x.kind == E_FORALL) return expr_quantify(m, E_FORALL, (var){x.ref}, assumption_of(m, x.args[0]));
    return x.kind == E_IMPLIES ? x.args[0] : m->true_expr;
}

static void add_questions(model *m, prop p, sys system, prop_list *out) {
    for (uint32_t i = 0; i < prop_of(m, p)->njustice; i++) {
        named_expr j = prop_of(m, p)->justice[i];
        expr cond = assumption_of(m, expr_inline(m, j.cond));
        vec_push(out,
                 model_add_prop(m, (prop_info){.kind = PROP_REACHES, .name = j.name, .system = system, .cond = cond}));
    }
}

static verdict fair_judge(const result *r, const char *scope, str *note) {
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *one = &r->properties.data[i];
        if (one->verdict != VERDICT_VIOLATED) continue;
        str_printf(note, "R4: what '%s' assumes cannot happen any more from some state of %s", one->name, scope);
        return VERDICT_VIOLATED;
    }
    bool holds = r->verdict == VERDICT_HOLDS;
    if (holds) str_printf(note, " (from every state of %s that can happen again)", scope);
    else str_printf(note, " (whether that is possible was not checked: %s has too many states)", scope);
    return holds ? VERDICT_HOLDS : VERDICT_UNKNOWN;
}

static verdict check_in(model *m, prop p, sys system, const infer_options *options, str *note) {
    instance *in = instance_new(m, system, options->sizes, options->nsizes);
    if (!in) return VERDICT_UNKNOWN;
    prop_list questions = {0};
    add_questions(m, p, system, &questions);
    explore_options how = {.symmetry = SYMMETRY_EXACT,
                           .limit_states = options->limit_states ? options->limit_states : FAIR_STATES,
                           .limits = options->limits};
    result *r = result_new();
    str scope = {0};
    instance_sizes_text(in, &scope);
    explore_run(in, questions.data, questions.len, &how, r, NULL);
    verdict v = fair_judge(r, str_get(&scope), note);
    str_free(&scope);
    result_free(r);
    vec_free(&questions);
    instance_free(in);
    return v;
}

// The questions are properties of a model of their own.
verdict fair_check(const model *m, prop p, sys system, const infer_options *options, str *note) {
    model *own = overlay_new(m);
    verdict v = check_in(own, p, system, options, note);
    model_free(own);
    return v;
}
