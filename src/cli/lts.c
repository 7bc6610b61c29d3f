// SPDX-License-Identifier: Apache-2.0
// Transition systems: see show.h. States are numbered as the exploration numbers them. The format has one initial
// state: with several, one more is added, from which internal steps lead to them. The internal step is `i`. Labels are
// in double quotes; one inside a label becomes a single quote, as there is no way to write it that all readers share.
#include "cli/show.h"
#include "cli/watch.h"
#include "language/graph.h"

#include <inttypes.h>

static void lts_edge(uint64_t from, const char *label, uint64_t to, str *out) {
    str_printf(out, "(%" PRIu64 ", %s", from, label ? "\"" : "i");
    for (const char *c = label; c && *c; c++) str_char(out, *c == '"' ? '\'' : *c);
    str_printf(out, "%s, %" PRIu64 ")\n", label ? "\"" : "", to);
}

static void put_starts(const explored *x, uint64_t first, str *out) {
    for (uint64_t i = 0; i < explored_initial_count(x); i++) lts_edge(first, NULL, i, out);
}

// Returns the number of steps; false in *is_whole when a limit was met.
static uint64_t lts_put_steps(const session *s, const explored *x, const instance *in, bool *is_whole, str *out) {
    graph *g = graph_new(x);
    value args[model_most_params(in->m)];
    uint64_t total = 0;
    str label = {0};
    for (uint64_t i = 0; i < explored_count(x) && (*is_whole = !limits_met(&s->limits)); i++) {
        uint32_t n;
        const graph_step *steps = graph_next(g, (uint32_t)i, &n);
        for (uint32_t k = 0; k < n; k++) {
            rule r = space_label(explored_space(x), steps[k].label, args);
            str_clear(&label);
            trace_label_text(in, r, args, &label);
            lts_edge(i, rule_of(in->m, r)->is_visible ? str_get(&label) : NULL, steps[k].to, out);
        }
        total += n;
    }
    str_free(&label);
    graph_free(g);
    return total;
}

static bool lts_put_all(session *s, const explored *x, const instance *in) {
    str steps = {0}, text = {0};
    uint64_t states = explored_count(x), starts = explored_initial_count(x);
    bool is_whole = true;
    uint64_t total = lts_put_steps(s, x, in, &is_whole, &steps);
    bool has_one = starts == 1;
    str_printf(&text, "des (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")\n", has_one ? 0 : states,
               total + (has_one ? 0 : starts), states + !has_one);
    if (!has_one) put_starts(x, states, &text);
    str_add(&text, str_get(&steps));
    if (is_whole) session_say(s, &text);
    str_free(&steps);
    str_free(&text);
    return is_whole;
}

int lts_command(session *s, const instance *in) {
    watch w;
    explored *x = NULL;
    result *r = result_new();
    watch_begin(&w, s);
    w.options.symmetry = SYMMETRY_OFF;
    explore_end end = explore_run(in, NULL, 0, &w.options, r, &x);
    watch_end(&w);
    bool is_refused = diag_failed(s->messages), is_whole = end == END_COMPLETE && !is_refused;
    if (is_whole) is_whole = lts_put_all(s, x, in);
    if (!is_whole && !is_refused)
        session_error(s, "no transition system is written: %s", r->reason ? r->reason : limits_why(&s->limits));
    if (is_whole && r->verdict == VERDICT_VIOLATED)
        diag_warning(s->messages, (span){0}, "steps that end in a run-time error are left out");
    explored_free(x);
    result_free(r);
    return is_whole ? EXIT_HOLDS : is_refused ? EXIT_BAD_INPUT : EXIT_UNKNOWN;
}
