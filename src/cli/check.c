// SPDX-License-Identifier: Apache-2.0
// parvis check: explores a model at one size or over a range of sizes and decides its properties.
#include "cli/check.h"

#include "base/clock.h"
#include "certificate/closed.h"
#include "cli/certify/certify.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/levels/levels.h"
#include "cli/load.h"
#include "cli/plan.h"
#include "cli/sizes.h"
#include "language/placement.h"
#include "cli/watch.h"
#include "language/compare.h"
#include "language/follow.h"
#include "language/live.h"
#include "report/object.h"
#include "report/text.h"
#include "result/doubt.h"
#include "result/rename.h"

#include <string.h>

typedef struct {
    session *s;
    loaded model;
    plan plan;
    sizes sizes;
    watch watch;
    certify *certificate;      // NULL: none is wanted
    uint32_t nth_size;         // which combination of sizes this is
    VEC(const result *) runs;  // one per size
} checking;

// ---- ranks

typedef enum { CALL_END, CALL_SEARCH } call_kind;

// What rank 0 tells the others.
typedef struct {
    call_kind what;
    uint32_t group, nth_size;
} call;

static void check_tell(checking *c, call_kind what, const group *g) {
    call told = {what, g ? (uint32_t)(g - c->plan.groups.data) : 0, c->nth_size};
    if (c->s->ranks) c->s->ranks->tell(c->s->ranks, 0, &told, sizeof told);
}

static call check_hear(checking *c) {
    call told;
    c->s->ranks->tell(c->s->ranks, 0, &told, sizeof told);
    return told;
}

// ---- running

static void mark_unknown(result *r, const group *g, const model *m, const char *reason) {
    for (uint32_t i = 0; i < g->props.len; i++)
        result_add(r, (result_property){.name = result_text(r, "%s", prop_of(m, g->props.data[i])->name),
                                        .property = g->props.data[i],
                                        .verdict = VERDICT_UNKNOWN,
                                        .reason = result_text(r, "%s", reason)});
    r->verdict = verdict_join(r->verdict, VERDICT_UNKNOWN);
    if (!r->reason) r->reason = result_text(r, "%s", reason);
}

static closed_stuck stuck_of(deadlock_choice d) {
    return d == DEADLOCK_STUTTERING ? STUTTERING_REFUSED : d == DEADLOCK_STUCK ? STUCK_REFUSED : STUCK_ALLOWED;
}

// Needs all states in one place?
static bool check_is_divisible(const checking *c, const group *g, const prop *props, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (prop_of(c->model.m, props[i])->kind == PROP_REACHES) return false;
    return !c->certificate && !g->spec.id;
}

static void explore_safe(checking *c, const group *g, const instance *in, const prop *props, uint32_t n, result *r) {
    explored *kept = NULL;
    uint32_t first = r->properties.len;
    c->watch.options.ranks = check_is_divisible(c, g, props, n) ? c->s->ranks : NULL;
    if (c->watch.options.ranks && !c->s->launch.rank) check_tell(c, CALL_SEARCH, g);
    explore_run(in, props, n, &c->watch.options, r, c->certificate ? &kept : NULL);
    c->watch.options.ranks = NULL;
    if (kept) certify_explored(c->certificate, kept, stuck_of(g->deadlock), r, first);
    explored_free(kept);
}

static void explore_live(checking *c, const instance *in, const prop *props, uint32_t n, result *r) {
    live_ranks ranks = {0};
    uint32_t first = r->properties.len;
    explore_options plain = c->watch.options;
    plain.checkpoint = plain.disk = NULL;
    live_run(in, props, n, &plain, r, c->certificate ? &ranks : NULL);
    if (c->certificate) certify_live(c->certificate, &ranks, r, first);
    live_ranks_free(&ranks);
}

// Safety is decided on the way, liveness on the whole graph afterwards, by rank 0.
static void explore_group(checking *c, const group *g, const instance *in, result *r) {
    VEC(prop) safe = {0}, live = {0};
    for (uint32_t i = 0; i < g->props.len; i++)
        if (prop_is_liveness(prop_of(c->model.m, g->props.data[i])->kind)) vec_push(&live, g->props.data[i]);
        else vec_push(&safe, g->props.data[i]);
    if (safe.len || !live.len || g->deadlock) explore_safe(c, g, in, safe.data, safe.len, r);
    if (live.len && !c->s->launch.rank) explore_live(c, in, live.data, live.len, r);
    vec_free(&safe);
    vec_free(&live);
}

static instance *keep_instance(checking *c, sys system) {
    return watch_keep(&c->watch, sizes_instance(&c->sizes, c->model.m, system));
}

// A step that the product refuses: with what the specification is said to choose, or whatever it chooses?
static bool check_is_refused(checking *c, const group *g, result_property *p, result *r) {
    const instance *spec = p->trace && p->verdict == VERDICT_UNKNOWN ? keep_instance(c, g->spec) : NULL;
    if (!spec || !p->trace->steps.len) return false;
    if (follow_word(spec, p->trace, &c->s->limits) != FOLLOW_REFUSED) return false;
    const trace_step *last = &vec_last(&p->trace->steps);
    str label = {0};
    trace_label_text(p->trace->in, last->r, last->args, &label);
    p->verdict = VERDICT_VIOLATED;
    p->reason =
        result_text(r, "%s refuses %s, whatever it chooses", sys_of(spec->m, spec->system)->name, str_get(&label));
    str_free(&label);
    return true;
}

// Does the product with what the specification is said to choose decide it? If not, nothing is known yet.
static bool try_product(checking *c, const group *g, result *r) {
    const instance *in = g->trial.id ? keep_instance(c, g->trial) : NULL;
    uint32_t first = r->properties.len;
    if (!in) return false;
    explore_safe(c, g, in, g->props.data, g->props.len, r);
    bool decided = true, is_alone = r->properties.len == first + 1;
    for (uint32_t i = first; i < r->properties.len; i++) decided &= r->properties.data[i].verdict == VERDICT_HOLDS;
    if (decided || limits_met(&c->s->limits)) return true;  // a comparison would only meet the limit again
    if (is_alone && check_is_refused(c, g, &r->properties.data[first], r)) {
        r->verdict = verdict_join(r->verdict, VERDICT_VIOLATED);
        rename_traces(r, first);
        return true;
    }
    result_take_back(r, first);
    return false;
}

// Every word of the system is one of the specification; the entry gets the property's name.
static bool include_group(checking *c, const group *g, const instance *in, result *r) {
    const instance *spec = keep_instance(c, g->spec);
    compare_stats stats[2];
    uint32_t first = r->properties.len;
    if (!spec) return false;
    compare_sink sink = certify_sink(c->certificate);
    certify_about(c->certificate, g->props.data[0]);
    compare_run(in, spec, COMPARE_INCLUSION, &c->watch.options, r, stats, c->certificate ? &sink : NULL);
    for (uint32_t i = first; i < r->properties.len; i++) {
        result_property *p = &r->properties.data[i];
        if (!str_same(p->name, stats[0].name)) continue;
        p->property = g->props.data[0];
        p->name = prop_of(c->model.m, p->property)->name;
    }
    return true;
}

static void check_set_options(checking *c, const group *g) {
    explore_options *o = &c->watch.options;
    bool all = options_has(&c->s->opt, OPT_ALL_INVARIANTS);
    o->most_errors = all ? 0 : options_has(&c->s->opt, OPT_ERRORS) ? c->s->opt.errors : c->model.errors;
    o->finds_doubts = true;
    o->check_deadlock = g->deadlock != DEADLOCK_NONE;
    o->is_stuttering_stuck = g->deadlock == DEADLOCK_STUTTERING;
    if (!o->threads) o->threads = (clock_cores() + c->s->launch.neighbours - 1) / c->s->launch.neighbours;
}

static bool run_group(checking *c, const group *g, result *r) {
    str title = {0};
    str_printf(&title, "%s, %s", sys_of(c->model.m, g->system)->name, r->scope);
    bool may_run = watch_next(&c->watch, str_get(&title));
    str_free(&title);
    if (!may_run) {
        mark_unknown(r, g, c->model.m, limits_why(&c->s->limits));
        return true;
    }
    const instance *in = keep_instance(c, g->system);
    if (!in) return false;
    check_set_options(c, g);
    if (g->spec.id) return (try_product(c, g, r) || include_group(c, g, in, r)) && !diag_failed(c->s->messages);
    uint32_t first = r->properties.len;
    explore_group(c, g, in, r);
    rename_traces(r, first);
    return !diag_failed(c->s->messages);
}

static bool check_size(void *context) {
    checking *c = context;
    result *r = result_new();
    vec_push(&c->runs, r);
    sizes_add(&c->sizes, r);
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->plan.groups.len; i++) ok = run_group(c, &c->plan.groups.data[i], r);
    if (options_has(&c->s->opt, OPT_STRICT) && doubt_be_strict(r)) certify_doubt(c->certificate);
    c->nth_size++;
    return ok;
}

// A rank other than 0 searches what it is told to, until it is told to end. Its results are nobody's answer.
static void check_serve(checking *c) {
    sizes_first(&c->sizes);
    for (call told; (told = check_hear(c)).what == CALL_SEARCH;) {
        const group *g = &c->plan.groups.data[told.group];
        for (; c->nth_size < told.nth_size; c->nth_size++) sizes_next(&c->sizes);
        const instance *in = keep_instance(c, g->system);
        check_set_options(c, g);
        result *r = result_new();
        vec_push(&c->runs, r);
        if (in) explore_group(c, g, in, r);
    }
}

static bool check_choose_sizes(checking *c) {
    VEC(sys) systems = {0};
    for (uint32_t i = 0; i < c->plan.groups.len; i++) {
        vec_push(&systems, c->plan.groups.data[i].system);
        if (c->plan.groups.data[i].spec.id) vec_push(&systems, c->plan.groups.data[i].spec);
    }
    bool ok = sizes_choose(c->s, c->model.m, systems.data, systems.len, &c->sizes);
    vec_free(&systems);
    return ok;
}

// ---- reporting

// Nothing to decide is said as such, so that nobody takes it for a proof.
static void say_nothing_to_decide(const checking *c, str *out) {
    const result *r = c->runs.data[0];
    str_add(out, "no property is stated: looked for failing assumptions and run-time errors only\n");
    for (uint32_t i = 0; i < c->plan.groups.len; i++) {
        style_add(&c->s->style, ROLE_STRONG, sys_of(c->model.m, c->plan.groups.data[i].system)->name, out);
        str_printf(out, ": %s%s%s", r->verdict == VERDICT_UNKNOWN ? "not explored completely" : "explored",
                   *r->scope ? " for " : "", r->scope);
        if (r->reason) str_printf(out, ": %s", r->reason);
        str_char(out, '\n');
    }
    str_add(out, "    ");
    text_stats(&r->stats, out);
    str_char(out, '\n');
}

// Words without values are judged by conflicts: that a read takes effect where the model has its step is not checked.
static bool check_trusts_placement(const checking *c) {
    if (verdict_of_runs(c->runs.data, c->runs.len) != VERDICT_HOLDS || sizes_is_range(&c->sizes)) return false;
    for (uint32_t i = 0; i < c->plan.groups.len; i++)
        for (uint32_t k = 0; k < c->plan.groups.data[i].props.len; k++) {
            const prop_info *p = prop_of(c->model.m, c->plan.groups.data[i].props.data[k]);
            if (p->kind == PROP_REFINES && placement_is_assumed(c->model.m, p->spec)) return true;
        }
    return false;
}

static void check_say(checking *c, int code) {
    text_options how = session_text_options(c->s);
    str text = {0};
    sizes_say_origin(&c->sizes, c->s, &text);
    if (sizes_is_range(&c->sizes)) text_table(c->runs.data, c->runs.len, &c->s->style, &how, &text);
    else if (!c->runs.data[0]->properties.len) say_nothing_to_decide(c, &text);
    else text_result(c->runs.data[0], &c->s->style, &how, &text);
    if (!how.quiet && check_trusts_placement(c)) str_add(&text, PLACEMENT_ASSUMED);
    session_say_verdict(c->s, &text, code);
}

static void check_answer(checking *c) {
    object_detail detail = session_detail(c->s);
    if (sizes_is_range(&c->sizes)) {
        str scope = {0};
        sizes_text(&c->sizes, &scope);
        session_answer(c->s, object_runs(c->runs.data, c->runs.len, str_get(&scope), detail));
        str_free(&scope);
    } else {
        session_answer(c->s, object_result(c->runs.data[0], detail));
    }
    if (check_trusts_placement(c)) session_answer(c->s, json_pack("{s:b}", "placement_assumed", true));
    session_answer(
        c->s, json_pack("{s:o, s:o}", "sizes", sizes_object(&c->sizes), "sizes_from", sizes_origin_object(&c->sizes)));
}

static bool check_write_trace(checking *c) {
    const result_property *p = NULL;
    for (uint32_t i = 0; i < c->runs.len && !p; i++) p = result_with_trace(c->runs.data[i]);
    return session_write_trace(c->s, p);
}

static int check_report(checking *c) {
    int code = session_exit_code(verdict_of_runs(c->runs.data, c->runs.len));
    if (session_wants_answer(c->s)) check_answer(c);
    if (session_is_json(c->s)) session_say_verdict(c->s, NULL, code);
    else check_say(c, code);
    bool traced = check_write_trace(c), written = certify_end(c->certificate) && traced;
    c->certificate = NULL;
    return session_saved(c->s, written, code);
}

static void cli_check_end(checking *c) {
    for (uint32_t i = 0; i < c->runs.len; i++) result_free((result *)c->runs.data[i]);
    vec_free(&c->runs);
    watch_end(&c->watch);
    sizes_free(&c->sizes);
    plan_free(&c->plan);
    certify_abandon(c->certificate);
}

// A checkpoint is of one exploration, and so are files of states.
static bool is_one_search(checking *c) {
    const char *option = c->s->opt.disk ? "--disk" : c->s->opt.checkpoint ? "--checkpoint" : NULL;
    if (!option) return true;
    if (c->plan.groups.len != 1 || sizes_is_range(&c->sizes))
        return session_error(c->s, "%s is for one exploration: choose one size (--size) and one property (--property)",
                             option);
    if (!c->plan.groups.data[0].spec.id) return true;
    return session_error(
        c->s,
        "leave out %s: the specification may choose what to do, so the words of both systems are compared, "
        "which needs all states in memory",
        option);
}

static const char *search_option(const session *s) {
    return options_has(&s->opt, OPT_COMPACT) ? "--compact"
           : s->opt.checkpoint               ? "--checkpoint"
           : s->opt.disk                     ? "--disk"
           : s->opt.limit_depth              ? "--limit-depth"
                                             : NULL;
}

// They would mean nothing there.
static bool has_no_search_option(session *s, const char *why) {
    const char *name = search_option(s);
    return !name || session_error(s, "%s %s", name, why);
}

static bool has_no_certificate(session *s, const char *what) {
    return !s->opt.certificate || session_error(s, "--certificate is not available %s", what);
}

// What is for other kinds of input. A certificate is of states, and hashes are none.
static bool fits_model(session *s) {
    if (s->opt.picture) return session_error(s, "--picture is for timed models (.xta, .xml)");
    if (options_has(&s->opt, OPT_FASTEST)) return session_error(s, "--fastest is for timed models (.xta, .xml)");
    if (s->opt.order != SEARCH_BREADTH)
        return session_error(s, "--search is for timed models: models without clocks are searched breadth first only");
    if (s->opt.arguments.len > 2) return command_refuse(s, s->opt.arguments.data[2]);
    return !s->opt.certificate || !options_has(&s->opt, OPT_COMPACT) ||
           session_error(s, "--certificate needs whole states, which --compact does not keep");
}

// Files have whole states, and a checkpoint of their own beside them. A certificate is written from states in memory.
static bool fits_disk(session *s) {
    if (!s->opt.disk) return true;
    if (!*s->opt.disk) return session_error(s, "--disk needs the name of a folder");
    if (options_has(&s->opt, OPT_COMPACT)) return session_error(s, "--disk keeps whole states: leave out --compact");
    if (s->opt.checkpoint) return session_error(s, "--disk keeps a checkpoint in its folder: leave out --checkpoint");
    return !s->opt.certificate || session_error(s, "--certificate needs all states in memory: leave out --disk");
}

// The zones of a state belong to it: there is no hash to keep in their place, and no file for them.
static bool fits_timed(session *s) {
    if (has_no_search_option(s, "is for models without clocks, and this one is timed")) return true;
    diag_note(s->messages, (span){0},
              options_has(&s->opt, OPT_COMPACT)
                  ? "--limit-memory bounds the memory, and what was covered by then is said"
                  : "--limit-time and --limit-memory end a search with what was covered");
    return false;
}

// Liveness and words are decided on a graph of whole states, made in one go.
static void warn_of_graphs(const checking *c) {
    const char *name = search_option(c->s);
    for (uint32_t i = 0; name && i < c->plan.groups.len; i++) {
        const group *g = &c->plan.groups.data[i];
        for (uint32_t k = 0; k < g->props.len; k++) {
            const prop_info *p = prop_of(c->model.m, g->props.data[k]);
            if (g->spec.id || prop_is_liveness(p->kind))
                diag_warning(c->s->messages, p->at, "%s is not used for '%s', which needs the whole graph of states",
                             name, p->name);
        }
    }
}

typedef enum { PREPARED_NOT, PREPARED_TIMED, PREPARED } prepared;

static prepared check_prepare(checking *c) {
    session *s = c->s;
    if (!load_file(s, s->file, &c->model)) return PREPARED_NOT;
    if (timed_is_model(&c->model)) return fits_timed(s) ? PREPARED_TIMED : PREPARED_NOT;
    if (!fits_model(s) || !fits_disk(s)) return PREPARED_NOT;
    if (!s->launch.rank) c->certificate = certify_begin(s, &c->model);
    if (!plan_make(s, &c->model, &c->plan) || !check_choose_sizes(c) || !is_one_search(c)) return PREPARED_NOT;
    warn_of_graphs(c);
    return PREPARED;
}

// All ranks read the file, each on its machine.
static prepared check_agree(checking *c, prepared mine) {
    ranks_job *with = c->s->ranks;
    if (!with) return mine;
    prepared *all = mem_zero(with->count, sizeof *all), first;
    with->gather(with, &mine, all, sizeof mine);
    uint32_t other = 0;
    while (other < with->count && all[other] == all[0]) other++;
    first = all[0];
    free(all);
    if (other == with->count) return first;
    session_error(c->s, "rank %u cannot use '%s' as rank 0 can: every machine needs the same files", other, c->s->file);
    return PREPARED_NOT;
}

static bool check_needs_rank_0(const checking *c, const group *g) {
    bool needs = g->spec.id || c->certificate;
    for (uint32_t i = 0; i < g->props.len; i++) {
        const prop_info *p = prop_of(c->model.m, g->props.data[i]);
        needs |= prop_is_liveness(p->kind) || p->kind == PROP_REACHES;
    }
    return needs;
}

static void warn_of_rank_0(checking *c) {
    for (uint32_t i = 0; c->s->ranks && i < c->plan.groups.len; i++)
        if (check_needs_rank_0(c, &c->plan.groups.data[i])) {
            launch_goes_alone(c->s, c->certificate ? "a certificate" : "what needs the whole graph of states");
            return;
        }
}

static int check_explore(checking *c) {
    watch_begin(&c->watch, c->s);
    if (c->s->launch.rank) {
        check_serve(c);
        return EXIT_HOLDS;
    }
    warn_of_rank_0(c);
    session_show_messages(c->s);
    bool ok = watch_sizes(&c->watch, &c->sizes, check_size, c);
    check_tell(c, CALL_END, NULL);
    return ok ? check_report(c) : EXIT_BAD_INPUT;
}

static int check_model(session *s) {
    checking c = {.s = s};
    int code = EXIT_BAD_INPUT;
    switch (check_agree(&c, check_prepare(&c))) {
    case PREPARED_NOT: break;
    case PREPARED_TIMED: return timed_check(s, &c.model);
    case PREPARED: code = check_explore(&c); break;
    }
    cli_check_end(&c);
    return code;
}

// None of these needs a search.
static int check_without_search(session *s, const char *certificate, const char *search, int (*run)(session *)) {
    if (certificate && !has_no_certificate(s, certificate)) return EXIT_BAD_INPUT;
    if (!has_no_search_option(s, search)) return EXIT_BAD_INPUT;
    return launch_goes_alone(s, "no search") ? run(s) : EXIT_HOLDS;
}

static int check_run(session *s) {
    static const char of_models[] = "is for models, and this is a history";
    if (options_has(&s->opt, OPT_STRUCTURAL))
        return check_without_search(s, "with --structural", "means nothing with --structural", structural_check);
    if (options_has(&s->opt, OPT_VALUES))
        return check_without_search(s, "with --values", "means nothing with --values", values_check);
    if (s->opt.spec && history_is_file(s->file))
        return check_without_search(s, "for the recorded order of commits", of_models, history_check);
    if (levels_is_history(s)) return check_without_search(s, NULL, of_models, levels_check);
    return check_model(s);
}

static const char check_details[] =
    "Every state that the model can reach at the given sizes is visited. Invariants, freedom from deadlock\n"
    "and refinement of a specification are decided; the model's assumptions are checked along the way.\n"
    "A violated property comes with a shortest trace, replayed by a second evaluator before it is shown.\n"
    "Sizes that are not given come from the file, or else are 2.\n"
    "\n"
    "--structural checks instead whether a transactional memory has the properties by which correctness\n"
    "for two threads and two locations carries over to every number of them (doc/language-view.md).\n"
    "\n"
    "--values gives values to a memory whose words have none: reads return what memory holds at their step, or\n"
    "a little earlier or later, and random runs are tried for reads that do not fit together (doc/values.md).\n"
    "\n"
    "Timed automata (.xml, .xta, as UPPAAL writes them): the queries in the file, in QUERIES.q or given by --query\n"
    "are decided on the graph of zones; a run that decides one is shown with exact delays (doc/timed.md).\n"
    "\n"
    "Recorded histories (.hist, .json, .edn, Cobra's folders, ...; several files are one history): does it have\n"
    "the levels that --level names (opaque, strict, session, serializable, strong_si, session_si, si, causal,\n"
    "read_atomic, read_committed; without it all, as a table)? What holds comes with an order that was\n"
    "replayed, what does not with a few transactions that show it (doc/histories.md). With --spec a history\n"
    "is judged by its recorded order of commits instead; for a model, --spec asks whether its main system\n"
    "refines that specification.\n"
    "\n"
    "Examples:\n"
    "  parvis check models/tm/tl2.pv\n"
    "  parvis check models/tm/tl2.pv --size Thread=3,Loc=1 --property opaque\n"
    "  parvis check models/tm/tl2_swapped.pv --size Thread=2,Loc=1 --trace bug.json\n"
    "  parvis check models/tm/dstm.pv --size Thread=1..2,Loc=1..3\n"
    "  parvis check models/tm/tl2.pv --size Thread=3,Loc=2 --limit-time 10m --limit-memory 4G --json\n"
    "  parvis check models/tm/tl2.pv --certificate tl2.cert\n"
    "  parvis check models/timed/fischer.xta --define N=6 --query 'A[] not deadlock'\n"
    "  parvis check models/histories/write_skew.hist\n"
    "  parvis check models/histories/doomed.hist --level strict,opaque --core bug.hist\n"
    "  parvis check models/interchange/swapped.hist --spec lazy_invalidation\n"
    "  parvis check models/tcc/eager_nt.pv --spec lazy_invalidation\n";

const command check_command = {
    .name = "check",
    .arguments = "FILE [QUERIES.q ...] | HISTORY...",
    .takes_timed = true,
    .takes_queries = true,
    .uses_ranks = true,
    .least = 1,
    .most = UINT32_MAX - 1,
    .summary = "explore a model at a size and decide its properties",
    .details = check_details,
    .takes = OPTIONS_EXPLORE | OPTIONS_MODEL | OPTION_BIT(SIZE) | OPTION_BIT(PROPERTY) | OPTION_BIT(SYSTEM) |
             OPTION_BIT(DEADLOCK) | OPTION_BIT(SYMMETRY) | OPTION_BIT(STRUCTURAL) | OPTION_BIT(LONGEST) |
             OPTION_BIT(VALUES) | OPTION_BIT(TRACE) | OPTION_BIT(PICTURE) | OPTION_BIT(FULL_STATES) |
             OPTION_BIT(SEMANTICS) | OPTION_BIT(ERRORS) | OPTION_BIT(ALL_INVARIANTS) | OPTION_BIT(QUERY) |
             OPTION_BIT(STORE) | OPTION_BIT(SEARCH) | OPTION_BIT(FASTEST) | OPTION_BIT(IDLE_STEPS) |
             OPTION_BIT(COMPACT) | OPTION_BIT(CHECKPOINT) | OPTION_BIT(LIMIT_DEPTH) | OPTION_BIT(DISK) |
             OPTION_BIT(DIVIDE_FROM) | OPTION_BIT(SPEC) | OPTION_BIT(LEVEL) | OPTION_BIT(FORMAT) | OPTION_BIT(CORE) |
             OPTION_BIT(STRICT) | OPTION_BIT(STATISTICS) | OPTION_BIT(CERTIFICATE) | OPTION_BIT(REPORT),
    .run = check_run,
};
