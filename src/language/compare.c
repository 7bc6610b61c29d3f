// SPDX-License-Identifier: Apache-2.0
// Comparing two systems: explore both without symmetry, turn them into automata over the same letters,
// decide, and show the difference as a run of the left one.
#include "language/compare.h"

#include "base/clock.h"
#include "language/graph.h"
#include "language/reached.h"
#include "language/simulation.h"

typedef reached side;

typedef struct {
    const explore_options *options;
    result *out;
    compare_stats *stats;
    uint32_t count;
    const compare_sink *sink;  // may be NULL
} comparison;

enum { BYTES_A_PAIR = 64 };  // about, with its place in the table

static uint64_t limit_pairs(const comparison *c) { return c->options->limit_bytes / BYTES_A_PAIR; }

static const char *compare_name_of(const side *s) { return sys_of(s->in->m, s->in->system)->name; }

// ---- the two sides

// Whether the side was tried at all matters of the one whose words are asked about.
static side side_new(const instance *in, const explore_options *options, bool is_subject, result *out) {
    side s = reached_explore(in, options, true, is_subject, out);
    if (s.trouble) s.trouble = result_text(out, "%s: %s", compare_name_of(&s), s.trouble);
    return s;
}

static const char *last_letter(const side *s, const automaton_edge *run, uint32_t n) {
    return n && run[n - 1].letter != AUTOMATON_SILENT ? automaton_letter_text(s->a, run[n - 1].letter)
                                                      : "the last step";
}

// ---- entries

static result_stats both_stats(const side *a, const side *b) {
    result_stats s = a->stats;
    s.states += b->stats.states;
    s.transitions += b->stats.transitions;
    s.seconds += b->stats.seconds;
    if (b->stats.depth > s.depth) s.depth = b->stats.depth;
    if (b->stats.memory_bytes > s.memory_bytes) s.memory_bytes = b->stats.memory_bytes;
    return s;
}

static result_property entry_new(comparison *c, const side *a, const side *b, const char *format) {
    result_property p = {.name = result_text(c->out, format, compare_name_of(a), compare_name_of(b)),
                         .stats = both_stats(a, b)};
    p.verdict = VERDICT_HOLDS;
    return p;
}

static void compare_add_entry(comparison *c, result_property p, compare_stats s, const side *a, const side *b) {
    s.name = p.name;
    if (a->a && b->a) {
        s.left_states = a->a->nstates;
        s.right_states = b->a->nstates;
    }
    c->stats[c->count++] = s;
    result_add(c->out, p);
}

static void compare_refute(comparison *c, result_property *p, const side *a, const automaton_edge *run, uint32_t n,
                           char *reason) {
    str why = {0};
    p->trace = graph_run_trace(a->x, a->a, run, n, &why);
    p->verdict = p->trace ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
    p->reason = p->trace ? reason : result_text(c->out, "internal error: %s", str_get(&why));
    str_free(&why);
}

// Nothing was compared: a side could not be explored, or the left one has no initial state and so no word, which every
// specification allows.
static bool add_trouble(comparison *c, const side *a, const side *b, const char *format) {
    const char *trouble = a->trouble ? a->trouble : b->trouble;
    if (!trouble && !a->a->initial.len)
        trouble = result_text(c->out, "%s has no initial state, so nothing was compared", compare_name_of(a));
    if (!trouble) return false;
    result_property p = entry_new(c, a, b, format);
    p.verdict = VERDICT_UNKNOWN;
    p.reason = result_text(c->out, "%s", trouble);
    compare_add_entry(c, p, (compare_stats){.method = "none"}, a, b);
    return true;
}

static void compare_stop(comparison *c, result_property *p) {
    p->verdict = VERDICT_UNKNOWN;
    const char *why = limits_why(&c->options->limits);
    p->reason = result_text(c->out, "%s before the comparison ended", *why ? why : "stopped at the limit of memory");
}

// ---- the comparisons

// A run of a that b cannot follow.
static void refute_inclusion(comparison *c, result_property *p, const side *a, const side *b, const inclusion *i) {
    char *why = b->a->initial.len
                    ? result_text(c->out, "%s refuses %s", compare_name_of(b), last_letter(a, i->run.data, i->run.len))
                    : result_text(c->out, "%s has no initial state, so not even the empty word is one of its words",
                                  compare_name_of(b));
    compare_refute(c, p, a, i->run.data, i->run.len, why);
}

// A failed simulation says nothing about words; so look for one that tells the two apart.
static void explain_failure(comparison *c, result_property *p, const side *a, const side *b, const inclusion *s) {
    inclusion_options options = {limit_pairs(c), false, c->options->limits, false};
    inclusion i = inclusion_check(a->a, b->a, &options);
    if (i.answer == INCLUSION_FAILS) refute_inclusion(c, p, a, b, &i);
    else
        compare_refute(c, p, a, s->run.data, s->run.len,
                       result_text(c->out, "%s; in one line of play %s cannot answer %s",
                                   i.answer == INCLUSION_HOLDS
                                       ? "every word is a word of both, but no choice of answers is right for all"
                                       : "no simulation",
                                   compare_name_of(b), last_letter(a, s->run.data, s->run.len)));
    inclusion_free(&i);
}

static void compare_sides(comparison *c, const side *a, const side *b, bool is_simulation) {
    const char *format = is_simulation ? "%s is simulated by %s" : "every word of %s is a word of %s";
    if (add_trouble(c, a, b, format)) return;
    result_property p = entry_new(c, a, b, format);
    double started = clock_seconds();
    inclusion_options options = {limit_pairs(c), false, c->options->limits, c->sink != NULL};
    inclusion i = (is_simulation ? simulation_check : inclusion_check)(a->a, b->a, &options);
    compare_stats s = {.pairs = i.pairs, .sets = i.sets, .seconds = clock_seconds() - started};
    s.method = is_simulation ? "simulation" : i.is_product ? "product" : "antichains";
    if (i.answer == INCLUSION_STOPPED) compare_stop(c, &p);
    if (i.answer == INCLUSION_FAILS && is_simulation) explain_failure(c, &p, a, b, &i);
    else if (i.answer == INCLUSION_FAILS) refute_inclusion(c, &p, a, b, &i);
    compare_witness why = {
        a->x, b->x, is_simulation, i.kept.pairs.data, i.kept.pairs.len / 2, is_simulation ? NULL : &i.kept};
    if (c->sink && i.answer == INCLUSION_HOLDS) c->sink->holds(&why, c->sink->context);
    compare_add_entry(c, p, s, a, b);
    inclusion_free(&i);
}

uint32_t compare_run(const instance *left, const instance *right, compare_kind kind, const explore_options *options,
                     result *out, compare_stats *stats, const compare_sink *sink) {
    comparison c = {.options = options, .out = out, .stats = stats, .sink = sink};
    side a = side_new(left, options, true, out);
    side b = side_new(right, options, kind == COMPARE_EQUIVALENCE, out);
    result_explored(out, &a.stats);
    b.stats.exploration = a.stats.exploration;
    compare_sides(&c, &a, &b, kind == COMPARE_SIMULATION);
    if (kind == COMPARE_EQUIVALENCE) compare_sides(&c, &b, &a, false);
    reached_free(&a);
    reached_free(&b);
    return c.count;
}
