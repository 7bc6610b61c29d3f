// SPDX-License-Identifier: Apache-2.0
// What an exploration reached, and its automaton: the states are the explored ones, the edges are computed once more.
#include "language/reached.h"

#include "language/graph.h"
#include "result/doubt.h"

automaton *automaton_of(const explored *x, const limits *l) {
    graph *g = graph_new(x);
    automaton *a = automaton_new((uint32_t)explored_count(x), 0);
    uint32_t nlabels = space_labels(explored_space(x)), *letter = mem_alloc((nlabels + 1) * sizeof *letter);
    a->letters = letter_table_new();
    for (uint32_t i = 0; i < nlabels; i++) letter[i] = graph_letter(g, a->letters, i);
    a->nletters = a->letters->all.len;
    for (uint32_t i = 0; i < explored_initial_count(x); i++) vec_push(&a->initial, i);
    bool stopped = false;
    for (uint32_t i = 0, n, looked = 0; i < a->nstates && !stopped; i++) {
        const graph_step *steps = graph_next(g, i, &n);
        for (uint32_t k = 0; k < n; k++) automaton_add(a, i, letter[steps[k].label], steps[k].to);
        stopped = limits_met_lately(l, &looked);
    }
    free(letter);
    graph_free(g);
    if (!stopped) return a;
    automaton_free(a);
    return NULL;
}

static const char *trouble_with(const reached *s, explore_end end, const result *r, result *out) {
    if (r->properties.len) return result_text(out, "'%s' fails", r->properties.data[0].name);
    if (end != END_COMPLETE || !s->x)
        return r->reason ? result_text(out, "%s", r->reason) : "not every state could be explored";
    return explored_count(s->x) >= UINT32_MAX ? "there are too many states" : NULL;
}

reached reached_explore(const instance *in, const explore_options *options, bool has_automaton, bool is_subject,
                        result *out) {
    reached s = {.in = in};
    explore_options plain = *options;
    plain.symmetry = SYMMETRY_OFF;
    result *r = result_new();
    explore_end end = explore_run(in, NULL, 0, &plain, r, &s.x);
    s.stats = r->stats;
    result_join_self_checks(out, r);
    s.trouble = trouble_with(&s, end, r, out);
    if (is_subject) doubt_join(out, r);
    result_free(r);
    if (s.trouble || !has_automaton) return s;
    s.a = automaton_of(s.x, &options->limits);
    if (!s.a) s.trouble = result_text(out, "%s", limits_why(&options->limits));
    return s;
}

void reached_free(reached *r) {
    automaton_free(r->a);
    explored_free(r->x);
}
