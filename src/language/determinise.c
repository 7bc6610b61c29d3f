// SPDX-License-Identifier: Apache-2.0
// The whole of the subset construction: every reachable set is a state. The empty set is the rejecting sink, which is
// not a state.
#include "language/subsets.h"

static void determinise_add_steps(subsets *s, uint32_t set, automaton *out) {
    uint32_t n;
    const automaton_edge *steps = subsets_steps(s, set, &n);
    for (uint32_t i = 0; i < n; i++) automaton_add(out, set, steps[i].letter, steps[i].to);
}

automaton *automaton_determinise(const automaton *a, uint64_t limit, const limits *l) {
    subsets *s = subsets_new(a);
    automaton *out = automaton_new(0, a->nletters);
    if (a->letters) out->letters = letter_table_copy(a->letters);
    uint32_t first = subsets_initial(s);
    if (first != SUBSETS_EMPTY) vec_push(&out->initial, first);
    bool stopped = false;
    for (uint32_t i = 0; i < subsets_count(s) && !stopped; i++) {
        determinise_add_steps(s, i, out);
        stopped = (limit && subsets_count(s) > limit) || limits_met(l);
    }
    out->nstates = subsets_count(s);
    subsets_free(s);
    if (!stopped) return out;
    automaton_free(out);
    return NULL;
}
