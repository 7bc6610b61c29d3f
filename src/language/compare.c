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

// Why b cannot follow a run of a.
static char *refusal(comparison *c, const side *a, const side *b, const automaton_edge *run, uint32_t n) {
    if (!b->a->initial.len)
        return result_text(c->out, "%s has no initial state, so not even the empty word is one of its words",
                           compare_name_of(b));
    return result_text(c->out, "%s refuses %s", compare_name_of(b), last_letter(a, run, n));
}

static void compare_inclusion(comparison *c, const side *a, const side *b) {
    const char *format = "every word of %s is a word of %s";
    if (add_trouble(c, a, b, format)) return;
    result_property p = entry_new(c, a, b, format);
    double started = clock_seconds();
    inclusion_options options = {limit_pairs(c), false, c->options->limits, c->sink != NULL};
    inclusion i = inclusion_check(a->a, b->a, &options);
    compare_stats s = {.method = i.is_product ? "product" : "antichains", .pairs = i.pairs, .sets = i.sets};
    s.seconds = clock_seconds() - started;
    if (i.answer == INCLUSION_STOPPED) compare_stop(c, &p);
    if (i.answer == INCLUSION_FAILS)
        compare_refute(c, &p, a, i.run.data, i.run.len, refusal(c, a, b, i.run.data, i.run.len));
    if (c->sink && i.answer == INCLUSION_HOLDS)
        c->sink->holds(&(compare_witness){a->x, b->x, false, i.kept.pairs.data, i.kept.pairs.len / 2, &i.kept},
                       c->sink->context);
    compare_add_entry(c, p, s, a, b);
    inclusion_free(&i);
}

// A failed simulation says nothing about words; so look for one that tells the two apart.
static void explain_failure(comparison *c, result_property *p, const side *a, const side *b, const simulation *s) {
    inclusion_options options = {limit_pairs(c), false, c->options->limits, false};
    inclusion i = inclusion_check(a->a, b->a, &options);
    if (i.answer == INCLUSION_FAILS)
        compare_refute(c, p, a, i.run.data, i.run.len, refusal(c, a, b, i.run.data, i.run.len));
    else
        compare_refute(c, p, a, s->run.data, s->run.len,
                       result_text(c->out, "%s; in one line of play %s cannot answer %s",
                                   i.answer == INCLUSION_HOLDS
                                       ? "every word is a word of both, but no choice of answers is right for all"
                                       : "no simulation",
                                   compare_name_of(b), last_letter(a, s->run.data, s->run.len)));
    inclusion_free(&i);
}

static void compare_simulation(comparison *c, const side *a, const side *b) {
    const char *format = "%s is simulated by %s";
    if (add_trouble(c, a, b, format)) return;
    result_property p = entry_new(c, a, b, format);
    double started = clock_seconds();
    simulation_options options = {limit_pairs(c), c->options->limits, c->sink != NULL};
    simulation m = simulation_check(a->a, b->a, &options);
    compare_stats s = {.method = "simulation", .pairs = m.pairs, .seconds = clock_seconds() - started};
    if (m.answer == SIMULATION_STOPPED) compare_stop(c, &p);
    if (m.answer == SIMULATION_FAILS) explain_failure(c, &p, a, b, &m);
    if (c->sink && m.answer == SIMULATION_HOLDS)
        c->sink->holds(&(compare_witness){a->x, b->x, true, m.kept.data, m.kept.len / 2, NULL}, c->sink->context);
    compare_add_entry(c, p, s, a, b);
    simulation_free(&m);
}

uint32_t compare_run(const instance *left, const instance *right, compare_kind kind, const explore_options *options,
                     result *out, compare_stats *stats, const compare_sink *sink) {
    comparison c = {.options = options, .out = out, .stats = stats, .sink = sink};
    side a = side_new(left, options, true, out);
    side b = side_new(right, options, kind == COMPARE_EQUIVALENCE, out);
    result_explored(out, &a.stats);
    b.stats.exploration = a.stats.exploration;
    if (kind == COMPARE_SIMULATION) compare_simulation(&c, &a, &b);
    else compare_inclusion(&c, &a, &b);
    if (kind == COMPARE_EQUIVALENCE) compare_inclusion(&c, &b, &a);
    reached_free(&a);
    reached_free(&b);
    return c.count;
}
