// SPDX-License-Identifier: Apache-2.0
// Exploration, from the question to the result: see explore.h for the contract and search.h for how it works.
//
// "Holds" is said only after a complete search in which no run was cut short: a step that faulted, or that a
// specification refused, leads nowhere, so states behind it were not seen. Properties that are not violated
// are then unknown (a refused step leaves only its own property decided).
#include "explore/explore.h"

#include "base/clock.h"
#include "base/units.h"
#include "explore/order.h"
#include "explore/search.h"
#include "explore/selfcheck.h"
#include "explore/share.h"
#include "explore/store.h"
#include "model/bag.h"
#include "model/expr.h"
#include "pass/symmetric.h"

#include <string.h>
#include <unistd.h>

// ---- setting up

static bool is_check(const ask *a) { return a->kind <= ASK_REACHES; }

static void say_exception(const search *s, const symmetric_exception *x) {
    diag *messages = s->in->m->messages;
    const char *sort = type_of(s->in->m, x->sort)->name;
    if (s->options->needs_symmetry)
        diag_error(messages, x->at,
                   "no symmetry: this may tell elements of '%s' apart: %s (explore it with --symmetry off)", sort,
                   x->why);
    else
        diag_warning(messages, x->at, "symmetry is not used for '%s': this may tell its elements apart: %s", sort,
                     x->why);
}

static void add_apart(const search *s, const symmetric_exception *x, type_list *out) {
    for (uint32_t i = 0; i < out->len; i++)
        if (type_same(out->data[i], x->sort)) return;
    if (!s->without) say_exception(s, x);  // else it was said before
    vec_push(out, x->sort);
}

static void add_sorts_in(const search *s, type t, const symmetric_exception *x, type_list *out) {
    const type_info *info = type_of(s->in->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++) add_sorts_in(s, info->members[i], x, out);
    bool has_names = info->kind == TYPE_SORT && !info->is_ordered && !info->is_slot;
    if (has_names && s->in->sort_size[t.id] > 1) add_apart(s, &(symmetric_exception){t, x->at, x->why}, out);
}

// Slots lie in the order of what is in them. So what depends on the order of slots tells the elements apart that are
// named there, and no others.
static void add_apart_in_slots(const search *s, const symmetric_exception *x, type_list *out) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    for (uint32_t i = 0; i < system->funcs.len; i++) {
        const func_info *f = func_of(s->in->m, system->funcs.data[i]);
        uint32_t k = 0;
        while (k < f->nargs && !type_same(f->args[k], x->sort)) k++;
        if (k < f->nargs) add_sorts_in(s, f->result, x, out);
        for (; k < f->nargs; k++) add_sorts_in(s, f->args[k], x, out);
    }
}

// The sorts whose elements are not alike; false when that is not accepted.
static bool find_exceptions(const search *s, const expr *checks, uint32_t nchecks, type_list *out) {
    symmetric_exceptions found = {0};
    if (s->options->symmetry) symmetric_find_exceptions(s->in, checks, nchecks, &found);
    for (uint32_t i = 0; i < found.len; i++) {
        if (bag_orders(s->in->m, s->in->system, found.data[i].sort)) add_apart_in_slots(s, &found.data[i], out);
        else add_apart(s, &found.data[i], out);
    }
    vec_free(&found);
    return !out->len || !s->options->needs_symmetry;
}

static space *explore_make_space(search *s) {
    VEC(expr) checks = {0};
    type_list apart = {0};
    s->check_ask = mem_zero(s->asks.len + 1, sizeof *s->check_ask);
    for (uint32_t i = 0; i < s->asks.len; i++) {
        if (!is_check(&s->asks.data[i])) continue;
        ask *a = &s->asks.data[i];
        s->check_ask[checks.len] = i;
        a->check = checks.len;
        vec_push(&checks, a->kind == ASK_COVER ? expr_not(s->in->m, a->cond) : a->cond);
    }
    s->nchecks = checks.len;
    bool ok = find_exceptions(s, checks.data, checks.len, &apart);
    space_options options = {.symmetry = s->options->symmetry,
                             .apart = apart.data,
                             .napart = apart.len,
                             .checks = checks.data,
                             .nchecks = checks.len,
                             .by_evaluator = s->options->engine == ENGINE_EVALUATOR,
                             .is_plain = s->without & WITHOUT_ALL,
                             .calls_bodies = s->options->calls_bodies};
    space *sp = ok ? space_new(s->in, &options) : NULL;
    if (sp && s->options->engine == ENGINE_BYTECODE) space_interpret(sp);
    vec_free(&checks);
    vec_free(&apart);
    return sp;
}

// Every cell has its last value, or none if it may have none and that is asked for.
static void fill_cells(const instance *in, bool wants_undefined, value *cells) {
    value args[MODEL_MOST_ARGS];
    for (uint32_t c = 0; c < in->ncells; c++) {
        const func_info *f = func_of(in->m, instance_cell_func(in, c, args));
        bool is_undefined = f->is_scratch || (wants_undefined && f->may_be_undefined);
        value last = (value)(instance_type_first(in, f->result) + (int64_t)instance_type_size(in, f->result) - 1);
        cells[c] = is_undefined ? VALUE_UNDEFINED : last;
    }
}

// A hash of 64 bits instead of a state saves nothing where a state has no more.
static bool is_worth_hashing(const uint64_t *most, uint32_t words) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < words; k++) bits += most[k] ? 64 - (uint32_t)__builtin_clzll(most[k]) : 0;
    return bits > 64;
}

// These two states together set the highest bit that a word can have.
static store *explore_make_store(search *s) {
    value *cells = mem_zero(s->in->ncells + 1, sizeof *cells);
    uint64_t *most = mem_zero(s->words + 1, sizeof *most), *other = mem_zero(s->words + 1, sizeof *other);
    fill_cells(s->in, false, cells);
    space_pack(s->x->sp, cells, most);
    fill_cells(s->in, true, cells);
    space_pack(s->x->sp, cells, other);
    for (uint32_t k = 0; k < s->words; k++) most[k] |= other[k];
    s->is_compact = s->is_compact && is_worth_hashing(most, s->words);
    s->weighs_hashes = s->weighs_hashes && is_worth_hashing(most, s->words);
    store *states = store_new(s->words, most, s->is_compact, &s->x->memory);
    if (s->without & WITHOUT_ALL) store_keep_all_bits(states);
    free(cells);
    free(most);
    free(other);
    return states;
}

// Rules whose effect is a relation are for proofs: no search here computes their successors.
static bool can_run(const instance *in, rule r) {
    const rule_info *info = rule_of(in->m, r);
    if (!info->nchosen && !info->relation.id) return true;
    diag_error(in->m->messages, info->at, "'%s' is given as a relation, which proofs accept but cannot be explored",
               info->name);
    return false;
}

static bool can_run_all(const instance *in) {
    const sys_info *system = sys_of(in->m, in->system);
    bool can = true;
    for (uint32_t i = 0; i < system->rules.len; i++) can &= can_run(in, system->rules.data[i]);
    for (uint32_t i = 0; i < system->inits.len; i++) can &= can_run(in, system->inits.data[i]);
    return can;
}

// With a place for what does not fit, a search that was given no limit leaves half of the machine's memory to others.
static uint64_t most_memory(const explore_options *o) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return o->disk && pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : UINT64_MAX;
}

static bool explore_set_up(search *s) {
    explored *x = s->x = mem_zero(1, sizeof *x);
    x->memory.limit = s->options->limit_bytes ? s->options->limit_bytes : most_memory(s->options);
    x->sp = can_run_all(s->in) ? explore_make_space(s) : NULL;
    if (!x->sp) return false;
    s->words = space_words(x->sp);
    s->nlabels = space_labels(x->sp);
    s->nparams = model_most_params(s->in->m);
    s->is_reduced = space_is_reduced(x->sp);
    s->nthreads = s->options->threads ? s->options->threads : clock_cores();
    s->workers = mem_zero(s->nthreads, sizeof *s->workers);
    s->chunk_ranges = mem_zero(s->nthreads, sizeof *s->chunk_ranges);
    s->part_ranges = mem_zero(s->nthreads, sizeof *s->part_ranges);
    s->native = NATIVE_NONE;
    atomic_store(&s->end, SEARCH_GOES_ON);
    x->states = explore_make_store(s);
    return true;
}

// What was found elsewhere stays: files of an earlier run, too.
static void explore_refuse(explored *x) {
    store_free(x->states);
    space_free(x->sp);
    *x = (explored){.memory = x->memory, .end = END_STATES};
}

// ---- statistics

static uint64_t level_end_total(const search *s) {
    uint64_t total = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) total += s->level_end[p];
    return total;
}

static uint32_t explore_deepest(const search *s) {
    if (order_total(&s->x->numbers) > level_end_total(s)) return s->depth + 1;
    return s->level_size > 0 || s->depth == 0 ? s->depth : s->depth - 1;
}

// Bytecode and machine code do not both occur.
static const char *engine_text(const search *s) {
    bool is_native = s->has_used[SPACE_NATIVE];
    if (s->has_used[SPACE_EVALUATOR]) return "evaluator";
    if (s->has_used[SPACE_MACHINE]) return is_native ? "machine code, then native" : "machine code";
    if (s->has_used[SPACE_BYTECODE]) return is_native ? "bytecode, then native" : "bytecode";
    return "native";
}

// Hash compaction took states with equal hashes for equal. Of n states, each of the n (n - 1) / 2 pairs has
// equal hashes of 64 bits with probability 2^-64, if hashes are as good as random.
static double omission(const search *s) {
    double n = s->x->states ? (double)order_total(&s->x->numbers) : 0;
    return s->is_compact ? n * (n - 1) / 2 / 0x1p64 : 0;
}

static result_stats explore_stats_of(const search *s) {
    if (!s->x->states) return (result_stats){.seconds = clock_seconds() - s->started};
    return (result_stats){.states = order_total(&s->x->numbers),
                          .transitions = s->transitions,
                          .depth = explore_deepest(s),
                          .seconds = clock_seconds() - s->started,
                          .memory_bytes = settle_peak(s) > share_memory(s) ? settle_peak(s) : share_memory(s),
                          .disk_bytes = settle_bytes(s),
                          .state_bits = space_bits(s->x->sp),
                          .threads = s->nthreads,
                          .ranks = s->is_shared ? s->options->ranks->count : 0,
                          .sent_bytes = share_sent(s).bytes,
                          .sent_states = share_sent(s).candidates,
                          .is_reduced = s->is_reduced,
                          .is_heuristic = s->is_reduced && s->options->symmetry == SYMMETRY_HEURISTIC,
                          .engine = engine_text(s),
                          .omission = omission(s),
                          .compile_seconds = s->compile_seconds};
}

// ---- why something is unknown

static void add_stop(const search *s, str *out) {
    const explore_options *o = s->options;
    switch (s->x->end) {
    case END_STATES: str_printf(out, "stopped at the limit of %s states", str_count(o->limit_states)); return;
    case END_LIMIT: str_add(out, *limits_why(&o->limits) ? limits_why(&o->limits) : "stopped by another rank"); return;
    case END_MEMORY:
        str_add(out, o->limit_bytes ? "stopped at the limit of " : "stopped: the state store is full");
        if (o->limit_bytes) units_bytes_text(o->limit_bytes, out);
        return;
    case END_DEPTH: str_printf(out, "stopped at the limit of %u steps", o->limit_depth); return;
    case END_DISK: str_printf(out, "stopped: the files in '%s' cannot be written or read", o->disk); return;
    case END_VIOLATION:
        if (finding_all(s)) str_add(out, "stopped when every property was decided");
        else if (o->most_errors == 1) str_add(out, "stopped at the first violation");
        else str_printf(out, "stopped at %u violations", o->most_errors);
        return;
    case END_COMPLETE: return;
    }
}

// States are checked when they are stored, steps when their state is expanded: one level later.
static void add_coverage(const search *s, bool is_of_steps, str *out) {
    uint32_t levels = s->levels_done + (s->is_started && !is_of_steps);
    if (levels == 0) str_add(out, "; no level was checked completely");
    else str_printf(out, "; every state up to depth %u was checked", levels - 1);
}

static bool is_refusal(const ask *a) { return a->kind == ASK_REQUIREMENT && a->is_found; }

static bool is_cut_by_refusal(const search *s, const ask *except) { return s->nrefusals > is_refusal(except); }

// What some rule requires for the property; NULL: none does.
static const requirement *required_for(const search *s, const ask *a) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    for (uint32_t i = 0; a->kind == ASK_REQUIREMENT && i < system->rules.len; i++) {
        const rule_info *r = rule_of(s->in->m, system->rules.data[i]);
        for (uint32_t k = 0; k < r->nrequires; k++)
            if (r->requires[k].property.id == a->property.id) return &r->requires[k];
    }
    return NULL;
}

// A refinement can only be checked on its product, where rules have its requirements.
static bool is_on_wrong_system(const search *s, const ask *a) {
    bool is_product = sys_of(s->in->m, s->in->system)->refinement.id == a->property.id;
    return a->kind == ASK_REQUIREMENT && !is_product && !required_for(s, a);
}

static void add_omission(const search *s, str *out) {
    str_printf(out, "no violation in %s states; hash compaction missed one with probability %.1g",
               str_count(order_total(&s->x->numbers)), omission(s));
}

// Why an ask that was not found is not known to hold; nothing if it holds.
static void explore_add_unknown(const search *s, const ask *a, str *out) {
    bool is_of_steps = a->kind == ASK_REQUIREMENT || a->kind == ASK_DEADLOCK;
    bool has_fault = s->asks.data[s->nfault].is_found;
    if (!s->x->sp) str_add(out, "the model cannot be explored (see the messages)");
    else if (s->tried.failed.is_found) str_printf(out, "internal error: %s", str_get(&s->tried.failed.text));
    else if (s->start_fault.what.kind) str_add(out, "a startstate ends in a run-time error");
    else if (s->has_no_start) str_add(out, "the initial states cannot be computed (see the messages)");
    else if (is_on_wrong_system(s, a)) str_add(out, "internal error: not the product with the specification");
    else if (s->x->end != END_COMPLETE) add_stop(s, out), add_coverage(s, is_of_steps, out);
    else if (has_fault) str_add(out, "a run-time error ends some runs early");
    else if (a->kind == ASK_REACHES && s->is_compact)
        str_add(out, "it needs whole states, which a compact store does not keep");
    else if (a->kind == ASK_REACHES && settle_has_begun(s)) str_add(out, "it needs all states in memory");
    else if (is_cut_by_refusal(s, a)) str_add(out, "runs that a specification refuses were not followed");
    else if (s->is_compact) add_omission(s, out);
}

// ---- results

static const char *entry_name(const ask *a, result *out) {
    return a->kind == ASK_ASSUMPTION ? result_text(out, "assume %s", a->name) : result_text(out, "%s", a->name);
}

// An init rule that fails: there is no state to begin a trace with.
static void explain_start(search *s, result_property *p, result *out) {
    str reason = {0};
    finding_fault_text(s, &s->start_fault.what, rule_of(s->in->m, s->start_fault.r)->name, &reason);
    p->verdict = s->start_fault.what.kind == FAULT_LIMIT ? VERDICT_UNKNOWN : VERDICT_VIOLATED;
    p->reason = result_text(out, "%s", str_get(&reason));
    str_free(&reason);
}

static void explain_violation(search *s, ask *a, result_property *p, result *out) {
    const requirement *refused = required_for(s, a);
    bool may_choose = refused && refused->has_choice;
    bool is_wrong = a->run && !(a->kind == ASK_FAULT && s->is_at_limit) && !may_choose;
    p->verdict = is_wrong ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
    if (!a->run) p->reason = result_text(out, "internal error: %s", str_get(&a->why));
    else if (may_choose) p->reason = result_text(out, "with the given choices, %s", str_get(&a->reason));
    else p->reason = result_text(out, "%s", str_get(&a->reason));
    p->trace = a->run;
    a->run = NULL;
}

static bool note_start(const value *state, void *context) {
    (void)state;
    *(bool *)context = true;
    return false;
}

static bool has_start(const instance *in, sys part) {
    VEC(sort_size) sizes = {0};
    for (uint32_t i = 1; i < in->m->types.len; i++)
        if (in->sort_size[i]) vec_push(&sizes, (sort_size){{i}, in->sort_size[i]});
    instance *own = instance_new(in->m, part, sizes.data, sizes.len);
    bool found = false;
    eval_start_fault failed = {0};
    if (own) eval_initial_within(own, NULL, note_start, &found, &failed);  // a limit must not look like none
    instance_free(own);
    vec_free(&sizes);
    return found;
}

// A product without an initial state: of a system that has one, and a specification that has none and so no
// word at all?
static bool lacks_specification(const search *s, const ask *a) {
    if (a->kind != ASK_REQUIREMENT) return false;
    const prop_info *p = prop_of(s->in->m, a->property);
    return has_start(s->in, p->system) && !has_start(s->in, p->spec);
}

// Nothing was explored: that is no reason to say `holds`.
static void explain_no_start(search *s, const ask *a, result_property *p, result *out) {
    bool is_refused = lacks_specification(s, a);
    p->verdict = is_refused ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
    p->reason = is_refused
                    ? result_text(out, "'%s' has no initial state, so not even the empty word is one of its words",
                                  sys_of(s->in->m, prop_of(s->in->m, a->property)->spec)->name)
                    : result_text(out, "there is no initial state, so nothing was tried");
}

// Nothing was found: that decides it after a complete search.
static void explain_rest(search *s, const ask *a, result_property *p, result *out) {
    str reason = {0};
    explore_add_unknown(s, a, &reason);
    p->verdict = reason.len ? VERDICT_UNKNOWN : a->kind == ASK_COVER ? VERDICT_VIOLATED : VERDICT_HOLDS;
    if (!reason.len && a->kind == ASK_COVER) str_add(&reason, "no reachable state satisfies it");
    if (reason.len) p->reason = result_text(out, "%s", str_get(&reason));
    else if (s->x->ninitial == 0) explain_no_start(s, a, p, out);
    str_free(&reason);
}

static void explore_add_entry(search *s, ask *a, const result_stats *stats, result *out) {
    if (!a->is_asked && !a->is_found) return;
    result_property p = {.name = entry_name(a, out), .property = a->property, .stats = *stats};
    if (a->kind == ASK_COVER && a->is_found) p.verdict = VERDICT_HOLDS;
    else if (a->kind == ASK_FAULT && s->start_fault.what.kind) explain_start(s, &p, out);
    else if (a->is_found) explain_violation(s, a, &p, out);
    else explain_rest(s, a, &p, out);
    result_add(out, p);
}

// A search that was asked nothing still has to say that it is not complete.
static void explore_add_end(search *s, const result_stats *stats, uint32_t nbefore, result *out) {
    str reason = {0};
    explore_add_unknown(s, &s->asks.data[s->nfault], &reason);
    if (out->properties.len == nbefore) {
        result_add_stats(out, stats);
        if (reason.len) out->verdict = verdict_join(out->verdict, VERDICT_UNKNOWN);
    }
    if (reason.len && out->verdict == VERDICT_UNKNOWN && !out->reason)
        out->reason = result_text(out, "%s", str_get(&reason));
    str_free(&reason);
}

typedef struct {
    result *out;
    uint32_t depth;
} level_counting;

static void count_level(uint64_t size, void *context) {
    level_counting *c = context;
    result_add_level(c->out, c->depth++, size);
}

static void explore_answer(search *s, result *out) {
    result_stats stats = explore_stats_of(s);
    result_explored(out, &stats);
    if (s->x->states) order_sizes(&s->x->numbers, stats.states, count_level, &(level_counting){.out = out});
    uint32_t nbefore = out->properties.len;
    if (s->x->states && s->x->ninitial == 0 && s->x->end == END_COMPLETE)
        diag_warning(s->in->m->messages, sys_of(s->in->m, s->in->system)->at,
                     "'%s' has no initial state at these sizes", sys_of(s->in->m, s->in->system)->name);
    s->nrefusals = 0;
    for (uint32_t i = 0; i < s->asks.len; i++) s->nrefusals += is_refusal(&s->asks.data[i]);
    for (uint32_t i = 0; i < s->asks.len; i++) explore_add_entry(s, &s->asks.data[i], &stats, out);
    explore_add_end(s, &stats, nbefore, out);
}

// ---- trust

// What a search may rely on, and what the searches before it have cost.
typedef struct {
    explore_options options;
    uint32_t without;
    double started, cpu_started;
} attempt;

static const char *const tried_names[] = {
    [TRIED_SYMMETRY] = "symmetry", [TRIED_CODE] = "code", [TRIED_PACKING] = "packing", [TRIED_TRACE] = "trace"};

static void explore_add_facts(const search *s, result *out) {
    const selfcheck_failure *f = &s->tried.failed;
    for (uint32_t i = 0; i < TRIED_KINDS; i++) {
        bool has_failed = f->is_found && f->kind == i;
        if (s->tried.done.tried[i] || has_failed)
            result_add_self_check(out, tried_names[i], s->tried.done.tried[i], has_failed ? str_get(&f->text) : NULL);
    }
}

// The least that may have failed; 0 when there is nothing left to give up.
static uint32_t explore_blame(const search *s) {
    tried_kind kind = s->tried.failed.kind;
    bool is_compiled = s->has_used[SPACE_MACHINE] || s->has_used[SPACE_NATIVE];
    if (!s->tried.failed.is_found || s->without & WITHOUT_ALL) return 0;
    if (s->is_reduced && (kind == TRIED_SYMMETRY || kind == TRIED_TRACE)) return WITHOUT_SYMMETRY;
    if (kind != TRIED_CODE || s->has_used[SPACE_EVALUATOR]) return WITHOUT_ALL;
    return is_compiled ? WITHOUT_MACHINE : WITHOUT_BYTECODE;
}

static const char *without_text(uint32_t without) {
    return without & WITHOUT_ALL        ? "everything but the evaluator"
           : without & WITHOUT_BYTECODE ? "bytecode"
           : without & WITHOUT_MACHINE  ? "machine code"
                                        : "symmetry";
}

static void explore_give_up(attempt *a, uint32_t without) {
    a->without |= without;
    if (a->without & (WITHOUT_SYMMETRY | WITHOUT_ALL)) a->options.symmetry = SYMMETRY_OFF;
    if (a->without & WITHOUT_MACHINE) a->options.engine = ENGINE_BYTECODE;
    if (a->without & (WITHOUT_BYTECODE | WITHOUT_ALL)) a->options.engine = ENGINE_EVALUATOR;
    if (a->without & WITHOUT_ALL) a->options.is_compact = false;
}

// Must the search start again? Then it says so. The checkpoint of a search that failed is gone; that of the next one
// says what it does without, and who goes on from it does too.
static bool must_try_again(attempt *a, const search *s) {
    if (s->wants_hashes) {
        a->options.hashes_at_once = true;
        return true;
    }
    const selfcheck_failure *f = &s->tried.failed;
    diag *messages = s->in->m->messages;
    uint32_t without = explore_blame(s);
    if (s->without != a->without) {
        without = s->without;
        diag_warning(messages, (span){0}, "%s failed in the search of '%s', which goes on without it",
                     without_text(without), a->options.disk ? a->options.disk : a->options.checkpoint);
    } else if (without) {
        diag_warning(messages, f->at, "%s is switched off and the search starts again: %s", without_text(without),
                     str_get(&f->text));
    }
    bool is_first = !a->options.ranks || !a->options.ranks->mine;
    if (f->is_found && a->options.checkpoint && is_first) unlink(a->options.checkpoint);
    without = share_decision(&a->options, without);
    if (without) explore_give_up(a, without);
    return without;
}

static void search_and_rebuild(search *s) {
    if (!share_begin(s, explore_set_up(s))) {
        explore_refuse(s->x);
        return;
    }
    settle_begin(s);
    search_run(s);
    if (s->is_started) selfcheck_whole(s);
    // What failed is given up first. A rank that met a limit before it could weigh hashes does as the others.
    s->wants_hashes = s->wants_hashes && !s->tried.failed.is_found;
    if (s->weighs_hashes) s->wants_hashes = share_decision(s->options, s->wants_hashes);
    if (s->tried.failed.is_found || s->wants_hashes) return;
    bool is_in_memory = !s->is_compact && !settle_has_begun(s);
    if (s->x->end == END_COMPLETE && !s->asks.data[s->nfault].is_found && is_in_memory) reaches_decide(s);
    rebuild_all(s);
}

// Who keeps the states wants to read them.
static void choose_store(search *s) {
    const explore_options *o = s->options;
    bool may_hash = o->is_compact && s->is_alone;
    s->is_compact = may_hash && (o->hashes_at_once || o->checkpoint);
    s->weighs_hashes = may_hash && !s->is_compact && !o->disk;
}

// False when it must be done again.
static bool try_once(attempt *a, const instance *in, const prop *props, uint32_t nprops, result *out, explored **kept,
                     explore_end *end) {
    search s = {.in = in,
                .options = &a->options,
                .started = a->started,
                .cpu_started = a->cpu_started,
                .reported_at = a->started,
                .without = a->without,
                .is_alone = !kept};
    choose_store(&s);
    finding_ask_all(&s, props, nprops);
    search_and_rebuild(&s);
    if (!s.wants_hashes) explore_add_facts(&s, out);
    bool is_done = !must_try_again(a, &s);
    explored *x = s.x;
    *end = x->end;
    if (is_done) explore_answer(&s, out);
    if (is_done && a->options.finds_doubts) vacuous_find(&s, out);
    search_release(&s);
    if (is_done && kept) *kept = x;
    else explored_free(x);
    return is_done;
}

explore_end explore_run(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
                        result *out, explored **kept) {
    attempt a = {.options = *options, .started = clock_seconds(), .cpu_started = clock_cpu_seconds()};
    explore_end end;
    while (!try_once(&a, in, props, nprops, out, kept, &end)) {}
    return end;
}

// ---- what was reached

void explored_free(explored *x) {
    if (!x) return;
    store_free(x->states);
    space_free(x->sp);
    order_free(&x->numbers);
    free(x);
}

const space *explored_space(const explored *x) { return x->sp; }
uint64_t explored_count(const explored *x) { return order_total(&x->numbers); }
explore_end explored_end(const explored *x) { return x->end; }
uint64_t explored_initial_count(const explored *x) { return x->ninitial; }

void explored_state(const explored *x, uint64_t number, uint64_t *state) {
    store_get(x->states, order_id(&x->numbers, number), state);
}

struct explored_walk {
    const explored *x;
    uint64_t left;
    order_walk at;
};

explored_walk *explored_walk_new(const explored *x) {
    explored_walk *w = mem_zero(1, sizeof *w);
    *w = (explored_walk){.x = x, .left = explored_count(x), .at = {.o = &x->numbers}};
    return w;
}

bool explored_walk_next(explored_walk *w, uint64_t *state) {
    if (!w->left) return false;
    w->left--;
    store_get(w->x->states, order_walk_next(&w->at), state);
    return true;
}

void explored_walk_free(explored_walk *w) { free(w); }

uint64_t explored_find(const explored *x, const uint64_t *state) {
    if (!x->states) return UINT64_MAX;
    store_id id = store_find(x->states, state);
    return id == STORE_NONE ? UINT64_MAX : order_number(&x->numbers, id);
}
