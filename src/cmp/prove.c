// SPDX-License-Identifier: Apache-2.0
// The compositional method as a whole: see cmp.h.
#include "cmp/cmp.h"

#include "base/clock.h"
#include "cmp/abstract/abstract.h"
#include "cmp/abstract/strengthen.h"
#include "cmp/both.h"
#include "cmp/lemmas/candidates.h"
#include "cmp/lemmas/choose.h"
#include "cmp/lemmas/modular.h"
#include "cmp/lemmas/survey.h"
#include "cmp/lemmas/vocabulary.h"
#include "cmp/reading.h"
#include "explore/explore.h"
#include "explore/further.h"
#include "model/expr.h"
#include "model/overlay.h"
#include "pass/elements.h"
#include "pass/independent.h"
#include "pass/simplify.h"
#include "pass/size_use.h"
#include "pass/symmetric.h"
#include "result/doubt.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_SAMPLED = 150000,    // states of an instance beyond the one that must be explored
    MOST_EXPLORED = 4000000,  // states of any exploration, and views of one element, unless more are asked for
    KEPT_AT_MOST = 3
};

// What is made for one abstraction.
typedef struct {
    model *m;  // on top of the prover's
    abstraction *a;
    lemma_vocabulary *v;
    survey *s;
    chooser *r;
} prove_level;

typedef struct {
    model *m;  // on top of the user's, with any number of elements; the proof's
    prop property;
    sys system;
    type sort;
    const cmp_options *o;
    reading read;
    proof *out;
    double started;
    prove_level level;
    uint32_t least;          // elements to keep
    uint32_t explored_size;  // instances up to this size were explored completely
    uint64_t most_views;     // that were too few; 0: none were
    bool counts_read;        // elements are counted where their number was known
    type_list any;           // the sort, and those of which one element stands for any number: the system is copies
} prover;

// ---- the sort

static uint32_t count_params(const model *m, rule r, type t) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rule_of(m, r)->nparams; i++) n += type_same(var_of(m, rule_of(m, r)->params[i])->ty, t);
    return n;
}

// Why it is no symmetric sort of any size; NULL: it is one.
static const char *why_no_sort(const model *m, type t) {
    const type_info *info = t.id ? type_of(m, t) : NULL;
    if (!info || info->kind != TYPE_SORT || info->is_ordered) return "the model has no symmetric sort '%s'";
    return info->size_is_meant ? "sort '%s' has exactly %u elements: there are no other sizes" : NULL;
}

static bool is_no_sort(const model *m, const char *name) { return name && why_no_sort(m, model_find_type(m, name)); }

// What was asked for is a symmetric sort; is there more than one instance?
static bool is_right_sort(const model *m, const char *name, const cmp_options *o) {
    type t = model_find_type(m, name);
    const char *why = why_no_sort(m, t);
    if (!why) return true;
    const type_info *info = type_of(m, t);
    diag_error(m->messages, info->size_is_meant ? info->at : (span){0}, why, name, info->fixed_size);
    if (o->no_sort) diag_note(m->messages, (span){0}, "%s", o->no_sort);
    return false;
}

// Id 0 when there is none, with a message if it was named.
static type prove_choose_sort(const model *m, sys s, const cmp_options *o) {
    if (!o->sort) return symmetric_main_sort(m, s);
    bool ok = is_right_sort(m, o->sort, o) && (!o->also || is_right_sort(m, o->also, o));
    return ok ? model_find_type(m, o->sort) : (type){0};
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
    if (line) why = arena_printf(x->out->memory, "%s (line %u)", why, line);
    conclude(x, VERDICT_UNKNOWN, why);
    return false;
}

static void report_phase(prover *x, const char *phase, uint64_t states) {
    const chooser *r = x->level.r;
    progress_figures p = {.phase = phase, .states = states, .kept = x->level.a ? x->level.a->kept_count : 0};
    if (r) p.round = r->out.rounds, p.lemmas = r->lemmas->brought - r->lemmas->dropped;
    progress_show(x->o->line, &p);
}

// ---- instances

static explore_options exploration(const prover *x) {
    explore_options e = {.threads = x->o->threads ? x->o->threads : 1, .symmetry = SYMMETRY_EXACT};
    e.limit_states = x->o->limit_states ? x->o->limit_states : MOST_EXPLORED;
    e.limits = x->o->limits;
    return e;
}

// Which instance met which limit, and what raises it.
static void refuse_large(prover *x, uint32_t size, explore_end end, uint64_t most) {
    const char *what = "the instance with %s=%u could not be explored within the limits",
               *sort = type_of(x->m, x->sort)->name;
    if (end == END_STATES) what = "the instance with %s=%u has more than %s states (--limit-states N: up to N)";
    if (end == END_MEMORY) what = "the instance with %s=%u needs more memory than there is (--limit-memory)";
    prove_refuse(x, (span){0}, arena_printf(x->out->memory, what, sort, size, str_count(most)));
}

// Explores an instance and, with a survey, looks at it. False when that answers the question.
static bool explore_size(prover *x, uint32_t size, uint64_t most, bool must_be_whole) {
    sort_size sizes = {x->sort, size};
    instance *in = instance_new(x->m, x->system, &sizes, 1);
    if (!in) return prove_refuse(x, (span){0}, "an instance is too large");
    vec_push(&x->out->instances, in);
    explore_options how = exploration(x);
    if (most < how.limit_states) how.limit_states = most;
    // Instances of more elements than may be kept, and those seen before, are no part of a proof; runs are replayed.
    if (size <= x->explored_size || size > x->least + 1) how.self_check = SELF_CHECK_OFF;
    result *r = result_new();
    explored *kept = NULL;
    report_phase(x, "exploring", 0);
    explore_end end = explore_run(in, &x->property, 1, &how, r, x->level.s ? &kept : NULL);
    bool is_violated = r->verdict == VERDICT_VIOLATED, is_whole = end == END_COMPLETE;
    x->out->stats.sampled += r->stats.states;
    x->out->stats.explore_seconds += r->stats.seconds;
    report_phase(x, "looking", r->stats.states);
    if (kept && !is_violated) survey_add(x->level.s, in, kept);
    explored_free(kept);
    if (is_whole && size == x->explored_size + 1) x->explored_size = size;
    if (is_violated || is_whole) {
        x->out->stats.states = r->stats.states;
        proof_keep_small(x->out, r, in);
    } else result_free(r);
    if (is_violated) conclude(x, VERDICT_VIOLATED, NULL);
    else if (must_be_whole && !is_whole) refuse_large(x, size, end, how.limit_states);
    return !is_violated && (is_whole || !must_be_whole) && !limits_met(&x->o->limits);
}

// Instances with more elements than are kept, as far as that was not done. False when one answers the question.
static bool explore_larger(prover *x, uint32_t kept) {
    if (x->explored_size <= kept && !explore_size(x, kept + 1, UINT64_MAX, true)) return false;
    return x->explored_size > kept + 1 || explore_size(x, kept + 2, MOST_SAMPLED, false);
}

// ---- one abstraction

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

// As many as the property and each lemma of the user's speak of, and as any rule has parameters.
static uint32_t least_kept(const prover *x) {
    const sys_info s = *sys_of(x->m, x->system);
    uint32_t n = larger(1, elements_at_once(x->m, x->sort, expr_nnf(x->m, prop_of(x->m, x->property)->cond, false)));
    for (uint32_t i = 0; i < s.rules.len; i++) n = larger(n, count_params(x->m, s.rules.data[i], x->sort));
    for (uint32_t i = 0; i < s.lemmas.len; i++)
        n = larger(n, elements_at_once(x->m, x->sort, expr_nnf(x->m, s.lemmas.data[i].cond, false)));
    return n;
}

static void prove_close_level(prover *x) {
    choose_free(x->level.r);
    survey_free(x->level.s);
    lemma_vocabulary_free(x->level.v);
    abstract_free(x->level.a);
    model_free(x->level.m);
    x->level = (prove_level){0};
}

static bool prove_open_level(prover *x, uint32_t kept) {
    prove_level *l = &x->level;
    if (x->counts_read) return prove_refuse(x, (span){0}, "elements of the abstracted sort are counted");
    l->m = overlay_new(x->m);
    l->a = abstract_new(l->m, x->system, x->sort, kept);
    return !l->a->refusal || prove_refuse(x, l->a->refused_at, l->a->refusal);
}

static bool prove_open_survey(prover *x) {
    prove_level *l = &x->level;
    uint32_t kept = l->a->kept_count, nformals = kept < VOCABULARY_FORMALS ? kept : VOCABULARY_FORMALS;
    l->v = lemma_vocabulary_new(l->m, x->system, x->sort, nformals);
    l->s = survey_new(l->a, l->v);
    return l->s->view_space || prove_refuse(x, (span){0}, "the abstract model is too large");
}

// With the user's lemmas; without a survey none are looked for.
static void prove_open_choice(prover *x) {
    prove_level *l = &x->level;
    explore_options how = exploration(x);
    l->r = choose_new(l->a, l->s, x->property, &how);
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->lemmas.len; i++) {
        named_expr given = sys_of(x->m, x->system)->lemmas.data[i];
        lemma one = abstract_lemma_from(l->a, given.name, given.cond);
        candidates_add_users(l->r->lemmas, &one);
    }
}

static void keep_lemma(prover *x, const candidate *c) {
    uint32_t tried = c->needed ? x->level.r->out.counted : 0;
    proof_lemma l = {.kind = LEMMA_FOUND, .is_needed = true, .uses = c->needed, .tried = tried, .name = c->l.name};
    l.formula = expr_forall(x->level.m, c->l.formals, c->l.nformals, c->l.body);
    vec_push(&x->out->lemmas, l);
    x->out->nneeded = x->out->lemmas.len;
}

// What is shown lives as long as the proof: the level's model, and that of the abstraction with the lemmas used.
static void keep_abstraction(prover *x) {
    proof *out = x->out;
    const abstraction *a = x->level.a;
    const chooser *r = x->level.r;
    strengthened st = choose_system(r);
    asked q = choose_ask(r, &st);
    out->kept = a->kept_count;
    out->abstract = r->out.last;
    const prop *checked = arena_copy(out->memory, q.props.data, q.props.len * sizeof *checked);
    out->shown = (proof_abstract){st.m, a->origin, st.system, a->kept, a->other, a->id, checked, q.props.len};
    for (uint32_t i = 0; i < q.owners.len && r->out.is_proved; i++)
        if (q.owners.data[i] != CHOOSE_PROPERTY) keep_lemma(x, &r->lemmas->list.data[q.owners.data[i]]);
    asked_free(&q);
    simplify_system(st.m, st.system);
    out->m = x->level.m;
    vec_push(&out->overlays, x->level.m);
    vec_push(&out->overlays, st.m);
    x->level.m = NULL;
    st.is_own = false;
    strengthened_free(&st);
}

// The views that lemmas are looked for in. With one element kept, its views are closed by joining them; else they are
// those of larger instances. False when an instance answers the question.
static bool find_views(prover *x, uint32_t kept) {
    if (kept > 1) return explore_larger(x, kept);
    if (!explore_size(x, 1, UINT64_MAX, true)) return false;
    report_phase(x, "joining", tuples_count(x->level.s->views));
    uint64_t most = x->o->limit_states > MOST_EXPLORED ? x->o->limit_states : MOST_EXPLORED;
    if (modular_join(x->level.s, most, &x->o->limits)) return true;
    if (tuples_count(x->level.s->views) > most) x->most_views = most;
    return explore_larger(x, kept);
}

// True if another level may do better.
static bool look_at_level(prover *x, uint32_t kept) {
    prove_level *l = &x->level;
    if (!prove_open_level(x, kept) || !prove_open_survey(x) || !find_views(x, kept)) return false;
    report_phase(x, "looking", tuples_count(l->s->views));
    survey_look(l->s);
    prove_open_choice(x);
    report_phase(x, "refining", 0);
    choose_run(l->r);
    x->out->stats.candidates = (uint64_t)l->v->atoms.len * 2 * l->v->points.len;
    x->out->stats.iterations += l->r->out.rounds;
    x->out->stats.dropped += l->r->lemmas->dropped;
    if (!l->r->out.is_proved) return explore_larger(x, kept) && !limits_met(&x->o->limits);
    keep_abstraction(x);
    conclude(x, VERDICT_HOLDS, NULL);
    return false;
}

// That what we make is too large is no mistake of the user's: it is why nothing is known.
static bool run_level(prover *x, uint32_t kept) {
    diag_mark before = diag_now(x->m->messages);
    bool goes_on = look_at_level(x, kept);
    const char *too_large = diag_demote(x->m->messages, before);
    if (!too_large || x->out->verdict != VERDICT_UNKNOWN) return goes_on;
    if (x->level.r) x->level.r->out.reason = arena_str(x->out->memory, too_large);
    else conclude(x, VERDICT_UNKNOWN, too_large);
    return goes_on;
}

static void prove_explain(prover *x) {
    choose_outcome *out = &x->level.r->out;
    const char *reason = out->reason;
    if (out->needs_lemma)
        reason = arena_printf(x->out->memory, "%s: a lemma is needed for rule \"%s\"", reason, out->needs_lemma->name);
    if (x->most_views)
        reason = arena_printf(x->out->memory, "%s; an element has more than %s views (--limit-states N: up to N)",
                              reason, str_count(x->most_views));
    conclude(x, VERDICT_UNKNOWN, reason);
    keep_abstraction(x);
    x->out->spurious = out->spurious.run;
    if (out->spurious.in) vec_push(&x->out->instances, out->spurious.in);
    if (out->spurious.m) vec_push(&x->out->overlays, out->spurious.m);
    out->spurious = (spurious_run){0};
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

// Instances with no more elements than are kept have no abstraction: they are explored.
static bool explore_smaller(prover *x, uint32_t kept) {
    x->least = kept;
    for (uint32_t size = 1; size <= kept; size++)
        if (!explore_size(x, size, UINT64_MAX, true)) return false;
    return true;
}

// Of sorts that only tell copies apart, one element will do.
static void prove_find_copies(prover *x) {
    type_list sorts = {0};
    instance_sorts(x->m, x->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++) {
        type t = sorts.data[i];
        bool is_other = !type_same(t, x->sort) && !type_of(x->m, t)->is_ordered;
        if (!is_other || !independent_copies(x->m, x->system, x->property, t)) continue;
        overlay_set_size(x->m, t, 1);
        vec_push(&x->any, t);
    }
    vec_free(&sorts);
}

// On top of the user's model, which stays as it is.
static prover prover_open(const model *m, prop p, const cmp_options *o, reading_kind how) {
    prover x = {.property = p, .o = o, .started = clock_seconds()};
    x.system = prop_of(m, p)->system;
    x.sort = prove_choose_sort(m, x.system, o);
    x.counts_read = size_use_counts(m, x.system, p, x.sort);
    x.m = x.sort.id ? overlay_with_any_size(m, x.sort) : overlay_new(m);
    if (x.sort.id) x.read = reading_take(how, x.m, x.system, p, x.sort);
    if (x.sort.id) vec_push(&x.any, x.sort);
    if (x.sort.id && !o->is_part) prove_find_copies(&x);
    x.out = proof_new(x.m, p);
    x.out->method = "cmp";
    x.out->system = x.system;
    vec_push(&x.out->overlays, x.m);
    return x;
}

static void prover_close(prover *x) {
    prove_close_level(x);
    reading_close(&x->read);
    vec_free(&x->any);
}

static bool depends_on_size(const prover *x) { return size_use_matters(x->m, x->system, x->property, x->sort); }

// Of what we made ourselves only a proof counts: where there cannot be one, its instances say nothing.
static void prove(prover *x) {
    uint32_t least = least_kept(x), most = least < KEPT_AT_MOST ? least + 1 : least;
    bool is_asked = least <= KEPT_AT_MOST || !x->o->is_ours;
    if (is_asked && (!explore_smaller(x, least) || !explore_size(x, least + 1, MOST_SAMPLED, false))) return;
    if (least > KEPT_AT_MOST) {
        prove_refuse(x, (span){0}, "a rule, the property or a lemma speaks of more than three elements at once");
        return;
    }
    uint32_t kept = least;
    while (run_level(x, kept) && kept < most) {
        prove_close_level(x);
        kept++;
    }
    if (x->level.r && x->out->verdict == VERDICT_UNKNOWN) prove_explain(x);
}

// ---- beyond the abstraction

enum { MANY_STATES = 20000000 };

static bool is_violated_from(prover *x, const sort_size *from, uint32_t n) {
    limits share = limits_within(&x->o->limits, limits_left(&x->o->limits) / 10);
    further_options how = {.from = from, .nfrom = n, .threads = x->o->threads, .limits = share};
    how.states = x->o->limit_states ? x->o->limit_states : MANY_STATES;
    instance *in;
    result *r = further_violation(x->m, x->system, x->property, &how, &in);
    if (!r) return false;
    vec_push(&x->out->instances, in);
    proof_keep_small(x->out, r, in);
    x->out->verdict = VERDICT_VIOLATED;
    return true;
}

// What no lemma could be found for may fail a few elements further on: of one sort, or of both.
static void look_further(prover *x) {
    sort_size from[2] = {{x->sort, x->explored_size ? x->explored_size : 1}};
    report_phase(x, "looking at larger sizes", 0);
    if (is_violated_from(x, from, 1) || !x->o->also) return;
    type also = model_find_type(x->m, x->o->also);
    from[1] = (sort_size){also, type_of(x->m, also)->fixed_size};
    overlay_set_size(x->m, also, 0);
    is_violated_from(x, from, 2);
}

// Is the proof about anything?
static void look_at_doubts(prover *x) {
    further_tried t = further_doubts(x->m, x->system, &x->property, 1, &x->sort, 1, &x->o->limits);
    if (t.left) doubt_join(x->out->tried, t.left);
    result_free(t.left);
}

static void refuse_without_sort(prover *x) {
    const char *why = "no symmetric sort indexes an array: there is nothing to abstract", *more = x->o->no_sort;
    prove_refuse(x, (span){0}, more ? arena_printf(x->out->memory, "%s; %s", why, more) : why);
}

// Of ranges: that they are taken for scalarsets. What the system is looked at without.
static void prove_keep_notes(prover *x) {
    str text = {0};
    reading_add_range(x->m, x->sort, &text);
    if (x->o->also) reading_add_range(x->m, model_find_type(x->m, x->o->also), &text);
    reading_add_notes(&x->read, x->m, &text);
    if (text.len) x->out->note = arena_str(x->out->memory, str_get(&text));
    str_free(&text);
}

// At the size that the file says, the model is what it is.
static void refuse_for_size(prover *x, const model *m) {
    uint32_t declared = type_of(m, x->sort)->fixed_size;
    if (!x->read.counters.len && declared && !explore_size(x, declared, UINT64_MAX, false)) return;
    prove_refuse(x, type_of(m, x->sort)->at, "the model depends on the number of elements in other places too");
}

// For any number of elements of another sort at the same time. With one element the text may depend on that.
static void prove_also(prover *x, const model *m) {
    type t = model_find_type(x->m, x->o->also);
    bool is_one_more = true;
    for (uint32_t i = 0; i < x->any.len; i++) is_one_more &= !type_same(x->any.data[i], t);
    if (!is_one_more) return;
    if (type_of(x->m, t)->fixed_size == 1) conclude(x, VERDICT_UNKNOWN, "the other sort has one element in the file");
    else if (both_hold(m, x->property, x->sort, x->o, x->out)) {
        x->out->stats.seconds = clock_seconds() - x->started;
        x->out->also = type_of(m, t)->name;
        vec_push(&x->any, t);
        proof_set_scope(x->out, x->any.data, x->any.len);
    }
}

static void prove_name_scope(prover *x, const model *m) {
    x->out->sort = type_of(m, x->sort)->name;
    proof_set_scope(x->out, x->any.data, x->any.len);
}

static void prove_with(prover *x, const model *m) {
    prove_name_scope(x, m);
    prove_keep_notes(x);
    if (depends_on_size(x)) refuse_for_size(x, m);
    else if (prove_is_symmetric(x)) prove(x);
    if (x->out->verdict == VERDICT_HOLDS && x->o->also) prove_also(x, m);
    bool is_tried = x->explored_size && !diag_failed(m->messages) && !x->o->is_part;
    if (is_tried && x->out->verdict == VERDICT_UNKNOWN && x->read.how == READ_AS_IS) look_further(x);
    if (is_tried && x->out->verdict == VERDICT_HOLDS) look_at_doubts(x);
    if (x->out->verdict == VERDICT_UNKNOWN && !x->out->reason) conclude(x, VERDICT_UNKNOWN, "out of time");
}

static proof *prove_as_is(const model *m, prop p, const cmp_options *options) {
    prover x = prover_open(m, p, options, READ_AS_IS);
    if (prop_of(m, p)->kind != PROP_INVARIANT)
        prove_refuse(&x, (span){0}, "the compositional method proves invariants only");
    else if (!x.sort.id) refuse_without_sort(&x);
    else prove_with(&x, m);
    prover_close(&x);
    return x.out;
}

// Only proofs count: what is violated then may be an error that only the reading has (a counter ends no run that
// leaves its range), and what is too large is not the user's. NULL: it does not differ, or there is no proof; *why gets
// the reason.
static proof *prove_read_as(const model *m, prop p, const cmp_options *options, reading_kind how, str *why) {
    prover x = prover_open(m, p, options, how);
    bool differs = reading_differs(&x.read);
    diag_silence(m->messages);
    if (differs) prove_with(&x, m);
    diag_speak(m->messages);
    bool is_proved = differs && x.out->verdict == VERDICT_HOLDS;
    if (differs && x.out->verdict == VERDICT_UNKNOWN) str_add(why, x.out->reason);
    prover_close(&x);
    if (is_proved) return x.out;
    proof_free(x.out);
    return NULL;
}

// Where the system is not what is accepted, or has too many states, the smaller one may have met something else.
static void add_reason(proof *out, const str *why) {
    bool is_new = why->len && out->verdict == VERDICT_UNKNOWN && out->reason && strcmp(out->reason, str_get(why)) != 0;
    if (is_new) out->reason = arena_printf(out->memory, "%s; without what nobody reads: %s", out->reason, str_get(why));
}

static proof *prove_smaller(const model *m, prop p, const cmp_options *options, str *why) {
    bool is_wrong = is_no_sort(m, options->sort) || is_no_sort(m, options->also);
    if (is_wrong || options->is_ours || prop_of(m, p)->kind != PROP_INVARIANT) return NULL;
    cmp_options own = *options;
    own.limits = limits_within(&options->limits, limits_left(&options->limits) / 2);
    return prove_read_as(m, p, &own, READ_SMALLER, why);
}

static proof *prove_over(const model *m, prop p, const cmp_options *options) {
    str why = {0}, ignored = {0};
    proof *out = prove_smaller(m, p, options, &why), *other = NULL;
    if (!out) add_reason(out = prove_as_is(m, p, options), &why);
    for (reading_kind how = READ_WITHOUT_COUNTERS; how < READ_SMALLER && !other; how++) {
        bool is_open = out->verdict == VERDICT_UNKNOWN && out->sort && !options->is_ours;
        if (!is_open || limits_met(&options->limits)) break;
        other = prove_read_as(m, p, options, how, &ignored);
    }
    if (other) proof_free(out);
    str_free(&why);
    str_free(&ignored);
    return other ? other : out;
}

// Of two sorts, either may be the one that is abstracted first.
proof *cmp_prove(const model *m, prop p, const cmp_options *options) {
    proof *out = prove_over(m, p, options);
    bool is_open = options->also && out->verdict == VERDICT_UNKNOWN && !diag_failed(m->messages);
    if (!is_open || limits_met(&options->limits)) return out;
    cmp_options turned = *options;
    turned.sort = options->also;
    turned.also = options->sort;
    proof *other = prove_over(m, p, &turned);
    bool is_better = other->verdict != VERDICT_UNKNOWN;
    proof_free(is_better ? out : other);
    return is_better ? other : out;
}

// ---- the lemmas of a certificate alone

// The proof of the first abstraction is there. What is proved for the other sort never had its lemmas but the user's.
static bool prove_also_given(prover *x, const model *m, const cmp_given *given) {
    model *plain = overlay_new(m);
    assert(sys_of(plain, x->system)->lemmas.len >= given->nlemmas);
    sys_of(plain, x->system)->lemmas.len -= given->nlemmas;
    keep_abstraction(x);
    conclude(x, VERDICT_HOLDS, NULL);
    prove_also(x, plain);
    model_free(plain);
    return x->out->verdict == VERDICT_HOLDS;
}

static bool prove_given(prover *x, const model *m, const cmp_given *given) {
    if (!x->sort.id || depends_on_size(x) || given->kept < least_kept(x) || !prove_is_symmetric(x)) return false;
    if (!explore_smaller(x, given->kept) || !prove_open_level(x, given->kept)) return false;
    prove_open_choice(x);
    prove_name_scope(x, m);
    return from_runs_verifies(x->level.r) && (!given->also || prove_also_given(x, m, given));
}

static bool prove_read_given(const model *m, prop p, const cmp_given *given, reading_kind how, str *scope) {
    cmp_options o = {.sort = given->sort, .also = given->also, .limits = given->limits};
    prover x = prover_open(m, p, &o, how);
    bool ok = prove_given(&x, m, given);
    if (ok) str_add(scope, x.out->scope);
    prover_close(&x);
    proof_free(x.out);
    return ok;
}

bool cmp_check_given(const model *m, prop p, const cmp_given *given, str *scope) {
    for (reading_kind how = READ_AS_IS; how <= READ_SMALLER; how++)
        if (prove_read_given(m, p, given, how, scope)) return true;
    return false;
}
