// SPDX-License-Identifier: Apache-2.0
// The invariant, or the abstraction relation, given in the file, checked as it is: no search. The
// system's invariant properties, its lemmas and its assumptions together must be true initially and
// preserved by every rule, for all sizes; theorems must follow from the axioms. A formula that is not is
// named, with the rule that breaks it and a counterexample to induction.
//
// An abstraction relation R between a system and its specification is an invariant of their product, so the
// premises of rule ABS-REL (Cohen, Pnueli and Zuck, CAV 2008, Fig. 2) are the same questions: R1, its
// conjuncts hold initially; R2, every step of the system is one that the specification allows, and
// preserves them; R3 holds by construction, since both take steps with the same label; R4, where the system's
// justice holds, so does the specification's.
#include "infer/choices.h"
#include "infer/tried.h"

#include "base/clock.h"
#include "explore/explore.h"
#include "model/compose.h"
#include "model/expr.h"
#include "model/overlay.h"
#include "result/doubt.h"

#include <string.h>

enum { GIVEN_WORK = 1000000 };  // no search leans on countermodels here: Z3 may be asked soon

typedef struct {
    model *m;
    sys system;
    logic *l;
    VEC(proof_lemma) lemmas;  // by the logic's number
    bits all;
    str reason;
    const char *premise;  // of what is asked now: "R1: "
    proof *first;         // of the properties: gets the counterexample to induction
    bool is_cut;          // a limit was met: what is still open is nobody's fault
    double started;
    limits limits;
} given;

// Formulas of logic have a value in every state: what can fail is not asked about.
static bool given_can_fault(given *g, const char *name, expr e) {
    if (!expr_can_fault(g->m, e)) return false;
    str_printf(&g->reason, "%s'%s' can fail (an argument outside its type, a division by zero)",
               g->reason.len ? "; " : "", name);
    return true;
}

static void given_add_lemma(given *g, lemma_kind kind, const char *name, expr e) {
    if (given_can_fault(g, name, e)) return;
    uint32_t n = logic_add_lemma(g->l, expr_inline(g->m, e));
    while (g->lemmas.len <= n) vec_push(&g->lemmas, (proof_lemma){0});
    g->lemmas.data[n] = (proof_lemma){.kind = kind, .name = name, .formula = e, .is_needed = true};
    bits_add(&g->all, n);
}

static void given_add_lemmas(given *g) {
    for (uint32_t i = 0; i < sys_of(g->m, g->system)->invariants.len; i++) {
        const prop_info *p = prop_of(g->m, sys_of(g->m, g->system)->invariants.data[i]);
        given_add_lemma(g, LEMMA_PROPERTY, p->name, p->cond);
    }
    for (uint32_t i = 0; i < sys_of(g->m, g->system)->lemmas.len; i++) {
        named_expr e = sys_of(g->m, g->system)->lemmas.data[i];
        given_add_lemma(g, LEMMA_FOUND, e.name, e.cond);
    }
    for (uint32_t i = 0; i < sys_of(g->m, g->system)->assumes.len; i++) {
        named_expr e = sys_of(g->m, g->system)->assumes.data[i];
        given_add_lemma(g, LEMMA_ASSUME, e.name, e.cond);
    }
}

// ---- what went wrong

// The first counterexample goes to the first property's proof; of a relation, one for every premise that fails.
static void keep_witness(given *g, const char *what) {
    const logic_witness *w = logic_last_witness(g->l);
    bool is_shown = !g->first->obstacle || *g->premise;
    if (w && w->before && is_shown) proof_add_obstacle(g->first, w->in, w->before, w->after, w->r, w->args, what);
}

// One more thing that is in the way. What nobody could answer because a limit was met is said once.
static void complain(given *g, answer a, const char *what) {
    bool is_late = a == ANSWER_UNKNOWN && limits_met(&g->limits);
    if (is_late && g->is_cut) return;
    g->is_cut |= is_late;
    if (is_late) what = "not every question was answered";
    if (a == ANSWER_REFUTED) keep_witness(g, what);
    str_printf(&g->reason, "%s%s", g->reason.len ? "; " : "", what);
}

static void given_blame(given *g, const bits *failed, answer a, const char *how) {
    str what = {0};
    uint32_t first = bits_next(failed, 0);
    const char *name = first == UINT32_MAX ? "the invariant" : g->lemmas.data[first].name;
    str_printf(&what, "%s'%s' %s %s", g->premise, name, a == ANSWER_UNKNOWN ? "could not be shown to be" : "is not",
               how);
    if (bits_count(failed) > 1) str_printf(&what, " (and %u more)", bits_count(failed) - 1);
    complain(g, a, str_get(&what));
    str_free(&what);
}

// ---- the questions

static void ask_initially(given *g) {
    bits failed = {0};
    answer a = logic_initially(g->l, &g->all, &failed);
    if (a != ANSWER_PROVED) given_blame(g, &failed, a, "true initially");
    bits_free(&failed);
}

static void ask_rules(given *g) {
    for (uint32_t r = 0; r < sys_of(g->m, g->system)->rules.len; r++) {
        bits failed = {0};
        answer a = logic_preserved(g->l, r, &g->all, &g->all, &failed);
        if (a != ANSWER_PROVED) {
            const char *name = rule_of(g->m, sys_of(g->m, g->system)->rules.data[r])->name;
            given_blame(g, &failed, a, arena_printf(g->first->memory, "preserved by %s", name));
        }
        bits_free(&failed);
    }
}

// Does the specification allow every step? Of products.
static void ask_allowed(given *g) {
    for (uint32_t r = 0; r < sys_of(g->m, g->system)->rules.len; r++) {
        const rule_info info = *rule_of(g->m, sys_of(g->m, g->system)->rules.data[r]);
        for (uint32_t k = 0; k < info.nrequires; k++) {
            answer a = logic_implied(g->l, r, &g->all, expr_inline(g->m, info.requires[k].cond));
            if (a == ANSWER_PROVED) continue;
            char *what = arena_printf(g->first->memory, "%sthe specification %s %s", g->premise,
                                      a == ANSWER_REFUTED ? "refuses" : "could not be shown to allow", info.name);
            complain(g, a, what);
        }
    }
}

static void ask_justice(given *g, const prop_info *p) {
    for (uint32_t i = 0; i < p->njustice; i++) {
        if (given_can_fault(g, p->justice[i].name, p->justice[i].cond)) continue;
        answer a = logic_implied(g->l, UINT32_MAX, &g->all, expr_inline(g->m, p->justice[i].cond));
        if (a == ANSWER_PROVED) continue;
        char *what = arena_printf(g->first->memory, "R4: justice '%s' %s the relation", p->justice[i].name,
                                  a == ANSWER_REFUTED ? "does not follow from" : "could not be derived from");
        complain(g, a, what);
    }
}

// ---- the answer

// Where a limit was met, that is the first thing to know.
static char *reason_text(const given *g, arena *memory) {
    if (!limits_met(&g->limits)) return arena_str(memory, str_get(&g->reason));
    return arena_printf(memory, "%s; %s", limits_why(&g->limits), str_get(&g->reason));
}

static void answer_for(given *g, proof *out) {
    out->system = g->system;
    out->verdict = g->reason.len ? VERDICT_UNKNOWN : VERDICT_HOLDS;
    if (g->reason.len) out->reason = reason_text(g, out->memory);
    for (uint32_t i = 0; i < g->lemmas.len && !g->reason.len; i++) vec_push(&out->lemmas, g->lemmas.data[i]);
    out->nneeded = out->lemmas.len;
    str why = {0};
    out->is_stratified = !g->l || logic_is_stratified(g->l, &why);
    if (!out->is_stratified) out->fragment = arena_str(out->memory, str_get(&why));
    str_free(&why);
    out->stats.validated = out->lemmas.len;
    out->stats.queries = g->l ? logic_statistics(g->l)->queries : 0;
    out->stats.query_seconds = g->l ? logic_statistics(g->l)->seconds : 0;
    out->stats.seconds = clock_seconds() - g->started;
}

static void free_given(given *g) {
    logic_free(g->l);
    vec_free(&g->lemmas);
    bits_free(&g->all);
    str_free(&g->reason);
}

static bool open_logic(given *g, const infer_options *o) {
    g->limits = o->limits;
    logic_options how = {
        .backend = o->backend, .query_seconds = o->query_seconds, .limits = o->limits, .ground_work = GIVEN_WORK};
    g->l = logic_new(g->m, g->system, &how);
    if (!g->l) str_add(&g->reason, "the model is outside what a proof can handle");
    else logic_set_brief(g->l, o->is_brief);
    return g->l != NULL;
}

// All properties were proved together: what is in doubt of the system is so for all.
static void share_doubts(const proof *from, proof *to) {
    doubt_join(to->tried, from->tried);
    to->verdict = from->verdict;
    if (from->reason) to->reason = arena_str(to->memory, from->reason);
}

void infer_given(model *m, sys system, const prop *props, uint32_t nprops, const infer_options *options, proof **out) {
    given g = {.m = m, .system = system, .premise = "", .started = clock_seconds()};
    for (uint32_t i = 0; i < nprops; i++) out[i] = proof_new(m, props[i]);
    g.first = out[0];
    if (open_logic(&g, options)) {
        given_add_lemmas(&g);
        ask_initially(&g);
        ask_rules(&g);
    }
    for (uint32_t i = 0; i < nprops; i++) answer_for(&g, out[i]);
    if (out[0]->verdict == VERDICT_HOLDS) {
        tried_look(out[0], props, nprops, &(tried_by){.logic = g.l, .lemmas = &g.all}, options);
        for (uint32_t i = 1; i < nprops; i++) share_doubts(out[0], out[i]);
    }
    free_given(&g);
}

// ---- theorems

static proof *answer_theorem(given *g, named_expr t) {
    double started = clock_seconds();
    prop p = model_add_prop(
        g->m, (prop_info){.kind = PROP_INVARIANT, .name = t.name, .at = t.at, .system = g->system, .cond = t.cond});
    proof *out = g->first = proof_new(g->m, p);
    answer a = g->l ? logic_theorem(g->l, expr_inline(g->m, t.cond)) : ANSWER_UNKNOWN;
    static const char *const reasons[] = {
        [ANSWER_REFUTED] = "does not follow from the axioms", [ANSWER_UNKNOWN] = "could not be proved from the axioms"};
    out->system = g->system;
    out->is_theorem = out->is_stratified = true;
    out->verdict = a == ANSWER_PROVED ? VERDICT_HOLDS : a == ANSWER_REFUTED ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
    if (a != ANSWER_PROVED) out->reason = arena_str(out->memory, reasons[a]);
    if (a == ANSWER_REFUTED && !expr_of(g->m, t.cond)->has_next) keep_witness(g, "a state in which it is false");
    out->stats.queries = 1;
    out->stats.seconds = clock_seconds() - started;
    return out;
}

void infer_theorems(model *m, sys system, const infer_options *options, proof **out) {
    given g = {.m = m, .system = system, .premise = "", .started = clock_seconds()};
    open_logic(&g, options);
    for (uint32_t i = 0; i < sys_of(m, system)->theorems.len; i++)
        out[i] = answer_theorem(&g, sys_of(m, system)->theorems.data[i]);
    free_given(&g);
}

// ---- what an abstraction relation assumes about the system's fairness, checked in an instance
//
// Justice C -> A of a relation carries the specification's justice over to a system that satisfies C again and
// again. That it does is an assumption about schedulers and clients; that it can is checked here: from every
// reachable state one can be reached in which C holds for all elements at once. The questions are properties of a
// model of their own.

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

// Adds to `note` what was found out and at which sizes. VIOLATED: some assumption can no longer be met from a
// reachable state, `note` says which. UNKNOWN: the instance was not explored completely.
static verdict fair_check(const model *m, prop p, sys system, const infer_options *options, str *note) {
    model *own = overlay_new(m);
    verdict v = check_in(own, p, system, options, note);
    model_free(own);
    return v;
}

// ---- an abstraction relation

static void note_premises(proof *out, const prop_info *p, const char *fairness) {
    str note = {0};
    str_printf(&note, "R1, R2: the %u conjuncts below; R3: both take steps with the same label; R4: ", p->nrelation);
    if (!p->njustice) str_add(&note, "nothing is said about justice, so this covers finite words only");
    else
        str_add(&note, "by what the relation says of justice, given that what it assumes about the system happens "
                       "again and again: ");
    for (uint32_t i = 0; i < p->njustice; i++) str_printf(&note, "%s%s", i ? ", " : "", p->justice[i].name);
    str_add(&note, fairness);
    out->note = arena_str(out->memory, str_get(&note));
    str_free(&note);
}

proof *infer_relation(model *m, prop p, const infer_options *options) {
    proof *out = proof_new(m, p);
    choices_find(m, p, options);  // without them compose_for says what is missing
    given g = {.m = m, .system = compose_for(m, p), .premise = "R1: ", .first = out, .started = clock_seconds()};
    const prop_info info = *prop_of(m, p);
    out->verdict = VERDICT_UNKNOWN;
    if (!g.system.id) {
        out->reason = arena_str(out->memory, "there is no product with this specification");
        return out;
    }
    if (open_logic(&g, options)) {
        given_add_lemmas(&g);
        ask_initially(&g);
        g.premise = "R2: ";
        ask_allowed(&g);
        ask_rules(&g);
        ask_justice(&g, &info);
    }
    str fairness = {0};
    if (!g.reason.len && info.njustice && fair_check(m, p, g.system, options, &fairness) == VERDICT_VIOLATED)
        str_add(&g.reason, str_get(&fairness));
    answer_for(&g, out);
    if (out->verdict == VERDICT_HOLDS) {
        note_premises(out, &info, str_get(&fairness));
        tried_look(out, NULL, 0, &(tried_by){.logic = g.l, .lemmas = &g.all}, options);
    }
    str_free(&fairness);
    free_given(&g);
    return out;
}
