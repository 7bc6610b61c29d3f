// SPDX-License-Identifier: Apache-2.0
// CaDiCaL through its C interface: see sat.h.
#include "logic/sat.h"

#include <ccadical.h>

static int must_stop(void *stop) { return limits_met(stop) != LIMIT_NONE; }

static void sat_start(sat *s, const limits *stop, bool is_forced) {
    *s = (sat){.solver = ccadical_init()};
    ccadical_set_option(s->solver, "quiet", 1);
    ccadical_set_option(s->solver, "phase", 0);  // small models: elements dead, cells and obligations false
    ccadical_set_option(s->solver, "forcephase", is_forced);
    // A proof asks thousands of small questions, of which inprocessing takes a third of the time.
    ccadical_set_option(s->solver, "inprocessing", 0);
    if (stop) ccadical_set_terminate(s->solver, (void *)stop, must_stop);
    s->nvars = 1;
    ccadical_add(s->solver, SAT_TRUE);
    ccadical_add(s->solver, 0);
}

void sat_init(sat *s, const limits *stop) { sat_start(s, stop, false); }
void sat_init_small(sat *s, const limits *stop) { sat_start(s, stop, true); }

void sat_done(sat *s) {
    if (s->solver) ccadical_release(s->solver);
    *s = (sat){0};
}

int sat_var(sat *s) { return ++s->nvars; }

void sat_clause(sat *s, const int *lits, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (lits[i] == SAT_TRUE) return;
    for (uint32_t i = 0; i < n; i++)
        if (lits[i] != SAT_FALSE) ccadical_add(s->solver, lits[i]);
    ccadical_add(s->solver, 0);
}

void sat_assume(sat *s, int lit) { ccadical_assume(s->solver, lit); }

sat_answer sat_solve(sat *s, int most_conflicts) {
    if (most_conflicts > 0) ccadical_limit(s->solver, "conflicts", most_conflicts);
    int result = ccadical_solve(s->solver);
    return result == 10 ? SAT_YES : result == 20 ? SAT_NO : SAT_STOPPED;
}

bool sat_value(const sat *s, int lit) {
    int v = lit < 0 ? -lit : lit;
    return (ccadical_val(s->solver, v) > 0) == (lit > 0);
}

bool sat_in_core(const sat *s, int lit) { return ccadical_failed(s->solver, lit); }
