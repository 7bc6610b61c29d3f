// SPDX-License-Identifier: Apache-2.0
// parvis prove: properties of a model for every size of its sorts.
#include "certificate/proofs.h"
#include "certificate/certfile.h"
#include "cli/certify/cmp.h"
#include "cli/check.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/plan.h"
#include "cli/prove.h"
#include "cli/session.h"
#include "cli/sizes.h"
#include "cli/certify/source.h"
#include "cli/stronger.h"
#include "language/placement.h"
#include "report/text.h"

#include "base/progress.h"
#include "cmp/cmp.h"
#include "explore/explore.h"
#include "language/compare.h"
#include "model/compose.h"
#include "infer/infer.h"
#include "report/proof.h"
#include "result/proof.h"
#include "result/rename.h"

#include <string.h>

enum { PROVE_QUERY_SECONDS = 5 };  // unless said otherwise

typedef struct {
    session *s;
    loaded model;
    plan plan;
    sizes sizes;
    progress *line;
    VEC(proof *) proofs;
    VEC(prop) asked;        // all properties to be proved
    uint32_t said, wanted;  // of them: with the last one the run has answered
    source source;          // the model, for certificates: taken before products are added to it
    VEC(proof *) early;     // proofs of stronger properties, found before it is their turn
    const char *no_sort;    // what keeps a range from being a scalarset; NULL: nothing
} proving;

// ---- what runs

// For the next of so many questions, which share what the user allows.
static infer_options chosen_options(proving *v, uint32_t questions) {
    const options *o = &v->s->opt;
    return (infer_options){.most_level = INFER_LEVELS - 1,
                           .limits = session_proof_limits(v->s, questions),
                           .limit_states = o->limit_states,
                           .weaken_all = options_has(o, OPT_ALL_CANDIDATES),
                           .explains = o->report != NULL,
                           .cache = o->cache,
                           .threads = o->threads ? o->threads : (uint32_t)clock_cores(),
                           .query_seconds = PROVE_QUERY_SECONDS,
                           .line = v->line};
}

static verdict prove_joint_verdict(const proving *v) {
    verdict joint = VERDICT_HOLDS;
    for (uint32_t i = 0; i < v->proofs.len; i++) joint = verdict_join(joint, v->proofs.data[i]->verdict);
    return joint;
}

static bool prove_trusts_placement(const proving *v) {
    if (prove_joint_verdict(v) != VERDICT_HOLDS) return false;
    for (uint32_t i = 0; i < v->proofs.len; i++) {
        const prop_info *p = v->proofs.data[i]->property.id ? prop_of(v->model.m, v->proofs.data[i]->property) : NULL;
        if (p && p->kind == PROP_REFINES && placement_is_assumed(v->model.m, p->spec)) return true;
    }
    return false;
}

static void prove_report(proving *v, proof *p) {
    if (options_has(&v->s->opt, OPT_STRICT)) proof_be_strict(p);
    text_options how = session_text_options(v->s);
    progress_clear(v->line);
    bool is_last = ++v->said == v->wanted;
    str text = {0};
    if (!session_is_json(v->s)) proof_text(p, &v->s->style, &how, &text);
    if (is_last && !how.quiet && !session_is_json(v->s) && prove_trusts_placement(v)) str_add(&text, PLACEMENT_ASSUMED);
    if (is_last) session_say_verdict(v->s, &text, session_exit_code(prove_joint_verdict(v)));
    else session_say(v->s, &text);
}

static void prove_add(proving *v, proof *found) {
    rename_traces(found->small, 0);
    vec_push(&v->proofs, found);
    if (!diag_failed(v->s->messages)) prove_report(v, found);
}

static proof *prove_by_cmp(proving *v, prop p, const infer_options *same) {
    cmp_options how = {.sort = v->s->opt.over,
                       .also = v->s->opt.over_also,
                       .no_sort = v->no_sort,
                       .limits = same->limits,
                       .limit_states = same->limit_states,
                       .threads = same->threads,
                       .line = v->line};
    return cmp_prove(v->model.m, p, &how);
}

enum { COMPARED_STATES = 100000 };

// A product with a specification that chooses refutes nothing. So a property that is not proved is looked at once more,
// at a small size, by all words: one that the specification does not have is the answer.
static void look_at_words(proving *v, prop p, proof *found) {
    model *m = v->model.m;
    const prop_info *info = prop_of(m, p);
    if (found->verdict != VERDICT_UNKNOWN || !compose_has_choice(m, p) || limits_met(&v->s->limits)) return;
    instance *left = sizes_instance(&v->sizes, m, info->system), *right = sizes_instance(&v->sizes, m, info->spec);
    limits share = limits_within(&v->s->limits, limits_left(&v->s->limits) / 10);
    explore_options how = {.limit_states = COMPARED_STATES, .limits = share, .line = v->line};
    compare_stats stats[2];
    result *r = result_new();
    if (left && right) compare_run(left, right, COMPARE_INCLUSION, &how, r, stats, NULL);
    if (r->verdict == VERDICT_VIOLATED) {
        sizes_add(&v->sizes, r);
        for (uint32_t i = 0; i < r->properties.len; i++) r->properties.data[i].name = info->name;
        found->verdict = VERDICT_VIOLATED;
        found->reason = NULL;
        vec_push(&found->instances, left);
        char *scope = r->scope;  // of both systems
        proof_keep_small(found, r, left);
        r->scope = scope;
    } else {
        result_free(r);
        instance_free(left);
    }
    instance_free(right);
}

// By the relation of the file; one that is not enough is completed by the search, and where that finds nothing, what is
// wrong with the relation is the answer. What it says of justice only a whole relation can.
static proof *prove_by_relation(proving *v, prop p, infer_options *how) {
    proof *found = infer_relation(v->model.m, p, how);
    if (found->verdict != VERDICT_UNKNOWN || limits_met(&how->limits) || prop_of(v->model.m, p)->njustice) return found;
    proof *more = infer_prove(v->model.m, p, how);
    proof *worse = more->verdict == VERDICT_UNKNOWN ? more : found;
    proof *better = worse == more ? found : more;
    if (better == more && more->verdict == VERDICT_HOLDS)
        more->note =
            arena_str(more->memory, "the relation of the file is not a proof by itself; the search completed it");
    proof_free(worse);
    return better;
}

static bool has_relation(const proving *v, prop p) {
    const prop_info *info = prop_of(v->model.m, p);
    return info->kind == PROP_REFINES && info->nrelation;
}

static proof *prove_by_lemmas(proving *v, prop p, infer_options *how) {
    VEC(sort_size) asked = {0};
    for (uint32_t i = 0; i < v->sizes.sorts.len; i++)
        if (v->sizes.sorts.data[i].origin == SIZE_ASKED)
            vec_push(&asked, (sort_size){v->sizes.sorts.data[i].sort, v->sizes.sorts.data[i].now});
    how->sizes = asked.data;
    how->nsizes = asked.len;
    how->before = v->proofs.data;
    how->nbefore = v->proofs.len;
    proof *found = has_relation(v, p) ? prove_by_relation(v, p, how) : infer_prove(v->model.m, p, how);
    vec_free(&asked);
    look_at_words(v, p, found);
    return found;
}

// Sequential bodies and values that may be undefined have no place in first-order proofs.
static bool is_for_cmp(const proving *v, prop p) {
    if (v->s->opt.method != METHOD_AUTO) return v->s->opt.method == METHOD_CMP;
    bool is_imperative = sys_of(v->model.m, prop_of(v->model.m, p)->system)->is_imperative;
    return v->s->opt.over || (is_imperative && !options_has(&v->s->opt, OPT_ALL_CANDIDATES));
}

static proof *prove_directly(proving *v, prop p, infer_options *how) {
    session_phase(v->s, "looking for a proof");
    progress_title(v->line, prop_of(v->model.m, p)->name);
    return is_for_cmp(v, p) ? prove_by_cmp(v, p, how) : prove_by_lemmas(v, p, how);
}

static proof *take_early(proving *v, prop p) {
    for (uint32_t i = 0; i < v->early.len; i++) {
        proof *found = v->early.data[i];
        if (found->property.id != p.id) continue;
        v->early.data[i] = vec_last(&v->early);
        v->early.len--;
        return found;
    }
    return NULL;
}

static proof *found_already(const proving *v, prop p) {
    for (uint32_t i = 0; i < v->early.len; i++)
        if (v->early.data[i]->property.id == p.id) return v->early.data[i];
    for (uint32_t i = 0; i < v->proofs.len; i++)
        if (v->proofs.data[i]->property.id == p.id) return v->proofs.data[i];
    return NULL;
}

// In half of the time; what that does not suffice for is forgotten, and gets all that is left when it is its turn.
static void prove_early(proving *v, prop p, const infer_options *how) {
    infer_options half = *how;
    double share = limits_left(&how->limits) / 2;
    half.limits = limits_within(&how->limits, share);
    proof *found = prove_directly(v, p, &half);
    bool is_cut = limits_left(&half.limits) < share / 4;  // a prover ends a little earlier, to say what is missing
    if (found->verdict == VERDICT_UNKNOWN && is_cut) proof_free(found);
    else vec_push(&v->early, found);
}

// Nothing is concluded from a proof that rests on assumptions, or that may say less than it seems to.
static bool is_beyond_doubt(const proof *p) {
    bool ok = p->verdict == VERDICT_HOLDS && !p->through.id && !p->tried->doubts.len;
    for (uint32_t i = 0; i < p->lemmas.len; i++) ok &= !p->lemmas.data[i].is_assumed;
    return ok;
}

// From a property that says more and is asked for too: it is proved first. NULL: it does not follow.
static proof *prove_by_stronger(proving *v, prop p) {
    infer_options how = chosen_options(v, v->wanted - v->said);
    if (how.weaken_all || is_for_cmp(v, p)) return NULL;
    for (uint32_t i = 0; i < v->asked.len; i++) {
        prop strong = v->asked.data[i];
        if (!stronger_file_states(v->s, v->model.m, strong, p)) continue;
        if (!found_already(v, strong)) prove_early(v, strong, &how);
        const proof *by = found_already(v, strong);
        if (by && is_beyond_doubt(by)) return stronger_file_conclude(v->s, v->model.m, strong, p, &how);
    }
    return NULL;
}

static void prove_one(proving *v, prop p) {
    infer_options how = chosen_options(v, v->wanted - v->said);
    proof *found = take_early(v, p);
    if (!found) found = prove_by_stronger(v, p);
    prove_add(v, found ? found : prove_directly(v, p, &how));
}

// With --given the file's own invariants decide invariants, and its relations refinements; nothing else is asked.
// Freedom from deadlock is left to `check` unless it is asked for by name.
static bool prove_is_wanted(const proving *v, prop p) {
    prop_kind kind = prop_of(v->model.m, p)->kind;
    if (options_has(&v->s->opt, OPT_GIVEN)) return kind == PROP_INVARIANT || has_relation(v, p);
    return v->s->opt.properties.len || kind != PROP_DEADLOCK_FREE;
}

// The file's own invariants of a system decide all its invariant properties together.
static void check_given(proving *v, const prop *props, uint32_t n) {
    proof *found[n];
    infer_options how = chosen_options(v, 1);
    session_phase(v->s, "checking the invariants");
    infer_given(v->model.m, prop_of(v->model.m, props[0])->system, props, n, &how, found);
    for (uint32_t i = 0; i < n; i++) prove_add(v, found[i]);
}

// A relation as it is in the file, without a search for what it lacks.
static void check_relation(proving *v, prop p) {
    infer_options how = chosen_options(v, 1);
    session_phase(v->s, "checking the relation");
    proof *found = infer_relation(v->model.m, p, &how);
    look_at_words(v, p, found);
    prove_add(v, found);
}

static void check_all_given(proving *v, const prop *props, uint32_t n) {
    VEC(prop) invariants = {0};
    for (uint32_t i = 0; i < n; i++)
        if (!has_relation(v, props[i])) vec_push(&invariants, props[i]);
    if (invariants.len) check_given(v, invariants.data, invariants.len);
    for (uint32_t i = 0; i < n; i++)
        if (has_relation(v, props[i])) check_relation(v, props[i]);
    vec_free(&invariants);
}

// What the file says to follow from its axioms alone, unless properties are named.
static uint32_t theorems_of(const proving *v, sys system) {
    bool is_asked = options_has(&v->s->opt, OPT_GIVEN) && !v->s->opt.properties.len;
    return is_asked ? sys_of(v->model.m, system)->theorems.len : 0;
}

static void check_theorems(proving *v, sys system) {
    uint32_t n = theorems_of(v, system);
    proof *found[n + 1];
    infer_options how = chosen_options(v, 1);
    if (n) infer_theorems(v->model.m, system, &how, found);
    for (uint32_t i = 0; i < n; i++) prove_add(v, found[i]);
}

static void prove_group(proving *v, const group *g, bool is_counted) {
    VEC(prop) props = {0};
    for (uint32_t i = 0; i < g->props.len; i++)
        if (prove_is_wanted(v, g->props.data[i])) vec_push(&props, g->props.data[i]);
    bool is_given = options_has(&v->s->opt, OPT_GIVEN);
    for (uint32_t i = 0; i < props.len && is_counted; i++) vec_push(&v->asked, props.data[i]);
    if (is_counted) v->wanted += props.len;
    else if (is_given) check_all_given(v, props.data, props.len);
    else
        for (uint32_t i = 0; i < props.len; i++) prove_one(v, props.data[i]);
    vec_free(&props);
}

static bool states_nothing(proving *v) {
    bool is_given = options_has(&v->s->opt, OPT_GIVEN);
    const char *refinement = is_given ? "no refinement with a relation (`by { ... }`)" : "no refinement";
    return session_error(v->s, "'%s' states no invariant and %s to prove", v->s->file, refinement);
}

static bool prove_all(proving *v) {
    uint32_t nsystems = v->model.m->systems.len;
    for (uint32_t i = 0; i < v->plan.groups.len; i++) prove_group(v, &v->plan.groups.data[i], true);
    for (uint32_t i = 1; i < nsystems; i++) v->wanted += theorems_of(v, (sys){i});
    if (!v->wanted) return states_nothing(v);
    v->line = session_line(v->s);
    for (uint32_t i = 0; i < v->plan.groups.len; i++) prove_group(v, &v->plan.groups.data[i], false);
    for (uint32_t i = 1; i < nsystems; i++) check_theorems(v, (sys){i});
    progress_free(v->line);
    return !diag_failed(v->s->messages);
}

// ---- certificates

static bool write_certificates(proving *v) {
    const char *path = v->s->opt.certificate;
    uint32_t held = 0;
    for (uint32_t i = 0; i < v->proofs.len; i++)
        held += v->proofs.data[i]->verdict == VERDICT_HOLDS && !v->proofs.data[i]->is_theorem;
    if (path && !held)
        diag_warning(v->s->messages, (span){0}, "nothing is proved: no certificate is written to '%s'", path);
    if (!path || !held) return true;
    if (v->proofs.len && v->proofs.data[0]->method)
        return cmp_certificate_write(v->s, &v->source, path, (const proof *const *)v->proofs.data, v->proofs.len);
    json_t *proofs = proofs_object((const proof *const *)v->proofs.data, v->proofs.len);
    if (!proofs) return false;
    json_t *header = certfile_header_new("proof");
    certfile_model m = source_model(&v->source);
    certfile_put_model(header, &m);
    json_object_set_new(header, "proofs", proofs);
    return certfile_finish(certfile_create(path, header, v->s->messages));
}

// ---- the command

static bool prove_choose_sizes(proving *v) {
    VEC(sys) systems = {0};
    for (uint32_t i = 0; i < v->plan.groups.len; i++) vec_push(&systems, v->plan.groups.data[i].system);
    bool ok = sizes_choose(v->s, v->model.m, systems.data, systems.len, &v->sizes);
    vec_free(&systems);
    if (ok && sizes_is_range(&v->sizes))
        session_error(v->s, "--size of prove is the instance to start from, not a range");
    return ok && !diag_failed(v->s->messages);
}

static int prove_finish(proving *v) {
    verdict joint = prove_joint_verdict(v);
    if (session_wants_answer(v->s))
        session_answer(v->s, proof_answer((const proof *const *)v->proofs.data, v->proofs.len, session_detail(v->s)));
    if (prove_trusts_placement(v)) session_answer(v->s, json_pack("{s:b}", "placement_assumed", true));
    return session_saved(v->s, write_certificates(v), session_exit_code(joint));
}

static int prove_run(session *s) {
    proving v = {.s = s};
    bool ok = load_file(s, s->file, &v.model);
    if (ok && timed_is_model(&v.model)) return prove_timed(s);
    ok = ok && load_sort(s, &v.model, &v.no_sort) &&
         (!s->opt.certificate || source_take(s, s->file, &v.model, &v.source)) && plan_make(s, &v.model, &v.plan) &&
         prove_choose_sizes(&v);
    if (ok) session_show_messages(s);
    ok = ok && prove_all(&v);
    int code = ok ? prove_finish(&v) : EXIT_BAD_INPUT;
    for (uint32_t i = 0; i < v.proofs.len; i++) proof_free(v.proofs.data[i]);
    for (uint32_t i = 0; i < v.early.len; i++) proof_free(v.early.data[i]);
    vec_free(&v.proofs);
    vec_free(&v.early);
    vec_free(&v.asked);
    source_free(&v.source);
    sizes_free(&v.sizes);
    plan_free(&v.plan);
    return code;
}

static const char prove_details[] =
    "A small instance is explored; formulas of a schema that hold in it are tried as lemmas; those that\n"
    "some rule does not preserve, at some size, are dropped; the rest must imply the property. If they do not,\n"
    "instance and schema grow. The answer is `holds for all sizes` with the lemmas, `violated` with a\n"
    "shortest trace of the small instance, or `unknown` with what is missing.\n"
    "\n"
    "Timed automata (.xml, .xta): A[] for every number of alike processes, by views of two of\n"
    "them; --over NAME says which constant is their number (default: N).\n"
    "\n"
    "Examples:\n"
    "  parvis prove models/tm/dstm.pv\n"
    "  parvis prove models/tm/tl2.pv --property strictly_serializable --certificate tl2.json\n"
    "  parvis prove models/tm/tl2.pv --size Thread=2,Loc=1 --all-candidates --json\n"
    "  parvis prove models/pyv/lock_server.pyv --given\n"
    "  parvis prove models/murphi/german.m --method cmp\n"
    "  parvis prove models/timed/fischer.xta\n"
    "  parvis recheck tl2.json --prover z3\n";

const command prove_command = {
    .name = "prove",
    .arguments = "FILE",
    .least = 1,
    .most = 1,
    .summary = "prove properties for every size of the sorts",
    .details = prove_details,
    .takes = OPTION_BIT(STRICT) | OPTION_BIT(SIZE) | OPTION_BIT(PROPERTY) | OPTION_BIT(SYSTEM) |
             OPTION_BIT(LIMIT_STATES) | OPTION_BIT(THREADS) | OPTIONS_LIMITS | OPTION_BIT(DEFINE) |
             OPTION_BIT(CERTIFICATE) | OPTION_BIT(CACHE) | OPTION_BIT(ALL_CANDIDATES) | OPTION_BIT(GIVEN) |
             OPTION_BIT(FULL_STATES) | OPTION_BIT(METHOD) | OPTION_BIT(OVER) | OPTION_BIT(LEMMAS) | OPTION_BIT(ALLOW) |
             OPTION_BIT(SPEC) | OPTION_BIT(REPORT) | OPTION_BIT(QUERY),
    .takes_timed = true,
    .run = prove_run,
};
