// SPDX-License-Identifier: Apache-2.0
// The compositional method as a whole: see cmp.h.
#include "cmp/cmp.h"

#include "base/clock.h"
#include "cmp/lemmas/choose.h"
#include "cmp/lemmas/modular.h"
#include "explore/further.h"
#include "model/expr.h"
#include "model/overlay.h"
#include "pass/simplify.h"
#include "pass/symmetric.h"
#include "result/doubt.h"

#include <string.h>

enum {
    MOST_SAMPLED = 150000,    // states of an instance beyond the one that must be explored
    MOST_EXPLORED = 4000000,  // states of any exploration, unless said otherwise
    KEPT_AT_MOST = 3
};

typedef struct {
    model *m;  // on top of the user's, with any number of elements; the proof's
    prop property;
    sys system;
    type sort;
    const cmp_options *o;
    proof *out;
    double started;
    model *level;  // on top of m: what is made for one abstraction
    abstraction *a;
    lemma_vocabulary *v;
    survey *s;
    chooser *r;
    uint32_t explored_size;  // instances up to this size were explored completely
} prover;

// ---- the sort

static uint32_t prove_count_rules(const model *m, sys s, type t) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        const rule_info *r = rule_of(m, sys_of(m, s)->rules.data[i]);
        bool has = false;
        for (uint32_t k = 0; k < r->nparams; k++) has |= type_same(var_of(m, r->params[k])->ty, t);
        n += has;
    }
    return n;
}

static bool prove_is_index(const model *m, sys s, type t) {
    for (uint32_t i = 0; i < sys_of(m, s)->funcs.len; i++) {
        const func_info *f = func_of(m, sys_of(m, s)->funcs.data[i]);
        for (uint32_t k = 0; k < f->nargs; k++)
            if (type_same(f->args[k], t)) return true;
    }
    return false;
}

static type named_sort(const model *m, const char *name) {
    type t = model_find_type(m, name);
    if (t.id && type_of(m, t)->kind == TYPE_SORT && !type_of(m, t)->is_ordered) return t;
    diag_error(m->messages, (span){0}, "the model has no symmetric sort '%s'", name);
    return (type){0};
}

type cmp_choose_sort(const model *m, sys s, const cmp_options *options) {
    type best = {0};
    uint32_t most = 0;
    if (options->sort) return named_sort(m, options->sort);
    for (uint32_t i = 1; i < m->types.len; i++) {
        type t = {i};
        if (type_of(m, t)->kind != TYPE_SORT || type_of(m, t)->is_ordered || !prove_is_index(m, s, t)) continue;
        uint32_t n = prove_count_rules(m, s, t);
        if (n > most) best = t, most = n;
    }
    return best;
}

// ---- answers

// What is not known because a limit was met is so for that reason alone.
static void conclude(prover *x, verdict v, const char *reason) {
    if (v == VERDICT_UNKNOWN && limits_met(&x->o->limits)) reason = limits_why(&x->o->limits);
    x->out->verdict = v;
    x->out->reason = reason ? arena_str(x->out->memory, reason) : NULL;
    x->out->stats.seconds = clock_seconds() - x->started;
}

static bool prove_refuse(prover *x, span at, const char *why) {
    uint32_t line = 0, column = 0;
    if (at.file) diag_place(x->m->messages, at, &line, &column);
    str text = {0};
    str_printf(&text, "%s", why);
    if (line) str_printf(&text, " (line %u)", line);
    conclude(x, VERDICT_UNKNOWN, str_get(&text));
    str_free(&text);
    return false;
}

static void cmp_prove_report(prover *x, const char *phase, uint64_t states) {
    progress_figures p = {.phase = phase, .states = states, .kept = x->a ? x->a->kept_count : 0};
    if (x->r) p.round = x->r->out.rounds, p.lemmas = x->r->lemmas->brought - x->r->lemmas->dropped;
    progress_show(x->o->line, &p);
}

// ---- instances

static explore_options exploration(const prover *x) {
    explore_options e = {.threads = x->o->threads ? x->o->threads : 1, .symmetry = SYMMETRY_EXACT};
    e.limit_states = x->o->limit_states ? x->o->limit_states : MOST_EXPLORED;
    e.limits = x->o->limits;
    return e;
}

static void keep_result(prover *x, result *r, const instance *in) {
    proof_keep_small(x->out, r, in);
    x->out->stats.states = r->stats.states;
}

// Explores an instance and, with a survey, looks at it. False when that answers the question.
static bool explore_size(prover *x, uint32_t size, uint64_t most, bool must_be_whole) {
    sort_size sizes = {x->sort, size};
    instance *in = instance_new(x->m, x->system, &sizes, 1);
    if (!in) return prove_refuse(x, (span){0}, "an instance is too large");
    vec_push(&x->out->instances, in);
    explore_options how = exploration(x);
    if (most < how.limit_states) how.limit_states = most;
    result *r = result_new();
    explored *kept = NULL;
    cmp_prove_report(x, "exploring", 0);
    explore_end end = explore_run(in, &x->property, 1, &how, r, x->s ? &kept : NULL);
    bool is_violated = r->verdict == VERDICT_VIOLATED, is_whole = end == END_COMPLETE;
    x->out->stats.sampled += r->stats.states;
    x->out->stats.explore_seconds += r->stats.seconds;
    cmp_prove_report(x, "looking", r->stats.states);
    if (kept && !is_violated) survey_add(x->s, in, kept);
    explored_free(kept);
    if (is_whole && size == x->explored_size + 1) x->explored_size = size;
    if (is_violated || is_whole) keep_result(x, r, in);
    else result_free(r);
    if (is_violated) conclude(x, VERDICT_VIOLATED, NULL);
    else if (must_be_whole && !is_whole)
        prove_refuse(x, (span){0}, "an instance could not be explored within the limits");
    return !is_violated && (is_whole || !must_be_whole) && !limits_met(&x->o->limits);
}

// Instances with more elements than are kept, as far as that was not done. False when one answers the question.
static bool explore_larger(prover *x, uint32_t kept) {
    if (x->explored_size <= kept && !explore_size(x, kept + 1, UINT64_MAX, true)) return false;
    return x->explored_size > kept + 1 || explore_size(x, kept + 2, MOST_SAMPLED, false);
}

// ---- one abstraction

// As many as the property and each lemma of the user's speak of, and as any rule has parameters.
static uint32_t least_kept(const prover *x) {
    uint32_t n = abstract_count(x->m, x->sort, expr_nnf(x->m, prop_of(x->m, x->property)->cond, false));
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->rules.len; i++) {
        const rule_info *r = rule_of(x->m, sys_of(x->m, x->system)->rules.data[i]);
        uint32_t own = 0;
        for (uint32_t k = 0; k < r->nparams; k++) own += type_same(var_of(x->m, r->params[k])->ty, x->sort);
        if (own > n) n = own;
    }
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->lemmas.len; i++) {
        expr e = expr_nnf(x->m, sys_of(x->m, x->system)->lemmas.data[i].cond, false);
        uint32_t own = abstract_count(x->m, x->sort, e);
        if (own > n) n = own;
    }
    return n ? n : 1;
}

static void prove_close_level(prover *x) {
    choose_free(x->r);
    survey_free(x->s);
    lemma_vocabulary_free(x->v);
    abstract_free(x->a);
    x->r = NULL;
    x->s = NULL;
    x->v = NULL;
    x->a = NULL;
    model_free(x->level);
    x->level = NULL;
}

// What is shown of the level lives as long as the proof.
static void keep_level(prover *x) {
    if (x->level) vec_push(&x->out->overlays, x->level);
    if (x->level) x->out->m = x->level;
    x->level = NULL;
}

static void add_users_lemmas(prover *x) {
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->lemmas.len; i++) {
        named_expr given = sys_of(x->m, x->system)->lemmas.data[i];
        lemma l = abstract_lemma_from(x->a, given.name, given.cond);
        candidates_add_users(x->r->lemmas, &l);
    }
}

static bool prove_open_level(prover *x, uint32_t kept) {
    x->level = overlay_new(x->m);
    x->a = abstract_new(x->level, x->system, x->sort, kept);
    if (x->a->refusal) return prove_refuse(x, x->a->refused_at, x->a->refusal);
    uint32_t nformals = kept < VOCABULARY_FORMALS ? kept : VOCABULARY_FORMALS;
    x->v = lemma_vocabulary_new(x->level, x->system, x->sort, nformals);
    x->s = survey_new(x->a, x->v);
    if (!x->s->view_space) return prove_refuse(x, (span){0}, "the abstract model is too large");
    return true;
}

static void keep_lemmas(prover *x) {
    proof *out = x->out;
    for (uint32_t i = 0; i < x->r->lemmas->list.len; i++) {
        const candidate *c = &x->r->lemmas->list.data[i];
        if (!c->is_used) continue;
        proof_lemma l = {
            .kind = LEMMA_FOUND, .is_needed = true, .uses = c->needed, .tried = c->needed ? x->r->out.counted : 0};
        l.name = c->is_users ? c->l.name : NULL;
        l.formula = expr_forall(x->level, c->l.formals, c->l.nformals, c->l.body);
        vec_push(&out->lemmas, l);
    }
    out->nneeded = out->lemmas.len;
}

static void simplify_bodies(model *m, const rule *rules, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        rule_info *r = &m->rules.data[rules[i].id];
        if (r->body) r->body = simplify_body(m, r->body);
    }
}

static void keep_claim(proof *out, const strengthened *st, const char *name, expr cond, prop *checked) {
    prop_info p = {.kind = PROP_INVARIANT, .name = name, .system = st->system, .cond = cond};
    checked[out->shown.nchecked++] = model_add_prop(st->m, p);
}

static void keep_abstraction(prover *x) {
    proof *out = x->out;
    const abstraction *a = x->a;
    strengthened st = choose_system(x->r);
    prop *checked = arena_alloc(out->memory, (x->r->lemmas->list.len + 1) * sizeof *checked);
    out->kept = a->kept_count;
    out->abstract = x->r->out.last;
    out->shown = (proof_abstract){st.m, a->origin, st.system, a->kept, a->other, a->id, checked, 0};
    keep_claim(out, &st, prop_of(x->m, x->property)->name, x->r->claim, checked);
    for (uint32_t i = 0; i < x->r->lemmas->list.len; i++) {
        const candidate *c = &x->r->lemmas->list.data[i];
        if (c->is_used) keep_claim(out, &st, c->title, c->claim, checked);
    }
    simplify_bodies(st.m, sys_of(st.m, st.system)->inits.data, sys_of(st.m, st.system)->inits.len);
    simplify_bodies(st.m, sys_of(st.m, st.system)->rules.data, sys_of(st.m, st.system)->rules.len);
    keep_level(x);
    vec_push(&out->overlays, st.m);
    st.is_own = false;
    strengthened_free(&st);
}

// "every number of client, datum=2"
static void keep_scope(prover *x) {
    str text = {0};
    type_list sorts = {0};
    str_printf(&text, "every number of %s", type_of(x->m, x->sort)->name);
    instance_sorts(x->m, x->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++) {
        const type_info *t = type_of(x->m, sorts.data[i]);
        if (type_same(sorts.data[i], x->sort)) continue;
        uint32_t n = t->fixed_size ? t->fixed_size : t->default_size;
        str_printf(&text, ", %s=%u", t->name, n ? n : 2);
    }
    x->out->scope = arena_str(x->out->memory, str_get(&text));
    vec_free(&sorts);
    str_free(&text);
}

// The views that lemmas are looked for in. With one element kept, its views are closed by joining them; else they are
// those of larger instances. False when an instance answers the question.
static bool find_views(prover *x, uint32_t kept) {
    if (kept > 1) return explore_larger(x, kept);
    if (!explore_size(x, 1, UINT64_MAX, true)) return false;
    cmp_prove_report(x, "joining", tuples_count(x->s->views));
    if (modular_join(x->s, MOST_EXPLORED, &x->o->limits)) return true;
    return explore_larger(x, kept);
}

static bool run_level(prover *x, uint32_t kept) {
    explore_options how = exploration(x);
    if (!prove_open_level(x, kept) || !find_views(x, kept)) return false;
    cmp_prove_report(x, "looking", tuples_count(x->s->views));
    survey_look(x->s);
    x->r = choose_new(x->a, x->s, x->property, &how);
    add_users_lemmas(x);
    cmp_prove_report(x, "refining", 0);
    choose_run(x->r);
    x->out->stats.candidates = (uint64_t)x->v->atoms.len * 2 * x->v->points.len;
    x->out->stats.iterations += x->r->out.rounds;
    x->out->stats.dropped += x->r->lemmas->dropped;
    if (!x->r->out.is_proved) return explore_larger(x, kept);
    keep_lemmas(x);
    keep_abstraction(x);
    conclude(x, VERDICT_HOLDS, NULL);
    return false;
}

static void prove_explain(prover *x) {
    choose_outcome *out = &x->r->out;
    str text = {0};
    str_add(&text, out->reason);
    if (out->needs_lemma) str_printf(&text, ": a lemma is needed for rule \"%s\"", out->needs_lemma->name);
    conclude(x, VERDICT_UNKNOWN, str_get(&text));
    str_free(&text);
    keep_abstraction(x);
    x->out->spurious = out->spurious;
    if (out->spurious_in) vec_push(&x->out->instances, out->spurious_in);
    if (out->spurious_model) vec_push(&x->out->overlays, out->spurious_model);
    out->spurious = NULL;
    out->spurious_in = NULL;
    out->spurious_model = NULL;
}

static bool prove_is_symmetric(prover *x) {
    sort_size sizes = {x->sort, 2};
    instance *in = instance_new(x->m, x->system, &sizes, 1);
    span at = {0};
    expr cond = prop_of(x->m, x->property)->cond;
    symmetric_exceptions apart = {0};
    if (in) symmetric_find_exceptions(in, &cond, 1, &apart);
    bool ok = in && !apart.len;
    if (apart.len) at = apart.data[0].at;
    vec_free(&apart);
    instance_free(in);
    return ok || prove_refuse(x, at, "elements of a scalarset are told apart");
}

static bool prove_is_covered(prover *x, uint32_t kept) {
    for (uint32_t size = 1; size <= kept; size++)
        if (!explore_size(x, size, UINT64_MAX, true)) return false;
    return kept >= least_kept(x);
}

// On top of the user's model, which stays as it is.
static prover prover_open(const model *m, prop p, const cmp_options *o) {
    prover x = {.property = p, .o = o, .started = clock_seconds()};
    x.system = prop_of(m, p)->system;
    x.sort = cmp_choose_sort(m, x.system, o);
    x.m = x.sort.id ? overlay_with_any_size(m, x.sort) : overlay_new(m);
    x.out = proof_new(x.m, p);
    x.out->system = x.system;
    vec_push(&x.out->overlays, x.m);
    return x;
}

bool cmp_check_given(const model *m, prop p, const char *sort, uint32_t kept) {
    cmp_options o = {.sort = sort};
    prover x = prover_open(m, p, &o);
    bool ok = false;
    if (x.sort.id && !type_of(m, x.sort)->size_is_used) {
        x.level = overlay_new(x.m);
        x.a =
            prove_is_symmetric(&x) && prove_is_covered(&x, kept) ? abstract_new(x.level, x.system, x.sort, kept) : NULL;
        explore_options how = exploration(&x);
        if (x.a && !x.a->refusal) {
            x.r = choose_new(x.a, NULL, p, &how);
            add_users_lemmas(&x);
            ok = from_runs_verifies(x.r);
        }
    }
    prove_close_level(&x);
    proof_free(x.out);
    return ok;
}

// Instances with fewer elements than are kept have no abstraction: they are explored.
static void prove(prover *x) {
    uint32_t least = least_kept(x);
    for (uint32_t size = 1; size <= least; size++)
        if (!explore_size(x, size, UINT64_MAX, true)) return;
    if (!explore_size(x, least + 1, MOST_SAMPLED, false)) return;
    for (uint32_t kept = least; kept <= least + 1 && kept <= KEPT_AT_MOST; kept++) {
        bool goes_on = run_level(x, kept) && !limits_met(&x->o->limits);
        if (goes_on && kept <= least && kept < KEPT_AT_MOST) {
            prove_close_level(x);
            continue;
        }
        if (x->r && !x->r->out.is_proved) prove_explain(x);
        return;
    }
}

// ---- beyond the abstraction

enum { MANY_STATES = 20000000 };

// What no lemma could be found for may fail a few elements further on.
static void look_further(prover *x) {
    sort_size from = {x->sort, x->explored_size ? x->explored_size : 1};
    limits share = limits_within(&x->o->limits, limits_left(&x->o->limits) / 10);
    further_options how = {.from = &from, .nfrom = 1, .states = MANY_STATES, .limits = share};
    instance *in;
    cmp_prove_report(x, "looking at larger sizes", 0);
    result *r = further_violation(x->m, x->system, x->property, &how, &in);
    if (!r) return;
    vec_push(&x->out->instances, in);
    proof_keep_small(x->out, r, in);
    x->out->verdict = VERDICT_VIOLATED;
}

// Is the proof about anything?
static void look_at_doubts(prover *x) {
    further_tried t = further_doubts(x->m, x->system, &x->property, 1, &x->sort, 1, &x->o->limits);
    if (t.left) doubt_join(x->out->tried, t.left);
    result_free(t.left);
}

proof *cmp_prove(const model *m, prop p, const cmp_options *options) {
    prover x = prover_open(m, p, options);
    x.out->method = "cmp";
    if (prop_of(m, p)->kind != PROP_INVARIANT)
        prove_refuse(&x, (span){0}, "the compositional method proves invariants only");
    else if (!x.sort.id)
        prove_refuse(&x, (span){0}, "no symmetric sort indexes an array: there is nothing to abstract");
    else {
        x.out->sort = type_of(m, x.sort)->name;
        keep_scope(&x);
        if (type_of(m, x.sort)->size_is_used)
            prove_refuse(&x, type_of(m, x.sort)->at, "the model depends on the number of elements in other places too");
        else if (prove_is_symmetric(&x)) prove(&x);
        bool is_tried = x.explored_size && !diag_failed(m->messages);
        if (is_tried && x.out->verdict == VERDICT_UNKNOWN) look_further(&x);
        if (is_tried && x.out->verdict == VERDICT_HOLDS) look_at_doubts(&x);
        if (x.out->verdict == VERDICT_UNKNOWN && !x.out->reason) conclude(&x, VERDICT_UNKNOWN, "out of time");
        prove_close_level(&x);
    }
    return x.out;
}
