// SPDX-License-Identifier: Apache-2.0
// Rechecking: see recheck.h. Goals go in batches, so that an SMT solver starts once for many of them.
#include "logic/recheck.h"

enum { BATCH = 64 };

typedef struct {
    const obligations *o;
    external_prover prover;
    const external_limits *allowed;
    recheck_callback callback;
    void *context;
    uint32_t number, total;
    answer result;
} recheck;

static uint32_t count_goals(const obligations *o) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->sets.len; i++) n += o->sets.data[i].ngoals;
    return n;
}

static bool logic_recheck_report(recheck *k, const obligation_set *s, uint32_t goal, answer a, const char *why) {
    const obligation_goal *g = &s->goals[goal];
    recheck_step step = {s->kind, s->r, g->lemma, g->name, a, a == ANSWER_UNKNOWN ? why : "", ++k->number, k->total};
    if (a == ANSWER_REFUTED || (a == ANSWER_UNKNOWN && k->result == ANSWER_PROVED)) k->result = a;
    return !k->callback || k->callback(&step, k->context);
}

// False: stopped.
static bool recheck_check_batch(recheck *k, const obligation_set *s, uint32_t first, uint32_t n) {
    answer answers[BATCH];
    str why = {0};
    bool go_on = true;
    external_ask(k->prover, k->o, s, first, n, k->allowed, answers, &why);
    for (uint32_t i = 0; i < n && go_on; i++) go_on = logic_recheck_report(k, s, first + i, answers[i], str_get(&why));
    if (!go_on && k->result == ANSWER_PROVED) k->result = ANSWER_UNKNOWN;
    str_free(&why);
    return go_on;
}

static bool check_set(recheck *k, const obligation_set *s) {
    uint32_t size = k->prover == EXTERNAL_Z3 || k->prover == EXTERNAL_CVC5 ? BATCH : 1;
    for (uint32_t at = 0; at < s->ngoals; at += size) {
        uint32_t n = s->ngoals - at < size ? s->ngoals - at : size;
        if (!recheck_check_batch(k, s, at, n)) return false;
    }
    return true;
}

answer recheck_obligations(model *m, sys s, const expr *invariant, uint32_t n, const bits *granted, prop p,
                           external_prover prover, const external_limits *allowed, recheck_callback callback,
                           void *context) {
    obligations o;
    recheck k = {&o, prover, allowed, callback, context, 0, 0, ANSWER_PROVED};
    bool stated = obligations_of(m, s, invariant, n, granted, p, &o);
    if (!stated) k.result = ANSWER_UNKNOWN;
    k.total = count_goals(&o);
    for (uint32_t i = 0; stated && i < o.sets.len; i++)
        if (!check_set(&k, &o.sets.data[i])) break;
    obligations_free(&o);
    return k.result;
}
