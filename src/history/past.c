// SPDX-License-Identifier: Apache-2.0
// Past temporal logic: see past.h.
#include "history/past.h"

#include <string.h>

enum { MOST_CHOICES = 1 << 20 };

bool past_begin(past_run *r, const past *f, const uint32_t sizes[PAST_SORTS]) {
    uint64_t choices = 1;
    *r = (past_run){.f = f};
    memcpy(r->sizes, sizes, sizeof r->sizes);
    for (uint32_t v = 0; v < f->nvars && choices <= MOST_CHOICES; v++) choices *= sizes[f->sorts[v]];
    if (choices > MOST_CHOICES) return false;
    r->choices = (uint32_t)choices;
    r->now = mem_zero(choices + 1, sizeof *r->now);
    return true;
}

void past_restart(past_run *r) {
    r->seen = 0;
    memset(r->now, 0, r->choices * sizeof *r->now);
}

void past_end(past_run *r) { free(r->now); }

static bool past_fits(uint8_t var, const uint32_t *choice, uint32_t actual) {
    return var == PAST_ANY || choice[var] == actual;
}

static bool event_fits(const past_node *n, const uint32_t *choice, const event *e) {
    if (!(n->kinds >> e->kind & 1) || !past_fits(n->var[PAST_CLIENT], choice, e->client)) return false;
    if (!event_is_access(e->kind)) return n->var[PAST_ADDRESS] == PAST_ANY && n->var[PAST_VALUE] == PAST_ANY;
    return past_fits(n->var[PAST_ADDRESS], choice, e->address) && past_fits(n->var[PAST_VALUE], choice, e->value);
}

static bool bit(uint64_t word, uint32_t i) { return word >> i & 1; }

// The truth of node i at the event, given that of the nodes before it (`now`) and of all one event ago (`old`).
static bool node_holds(const past_run *r, uint32_t i, const uint32_t *choice, const event *e, uint64_t now,
                       uint64_t old) {
    const past_node *n = &r->f->nodes[i];
    switch (n->kind) {
    case PAST_TRUE: return true;
    case PAST_EVENT: return event_fits(n, choice, e);
    case PAST_SAME: return choice[n->var[0]] == choice[n->var[1]];
    case PAST_NOT: return !bit(now, n->left);
    case PAST_AND: return bit(now, n->left) && bit(now, n->right);
    case PAST_OR: return bit(now, n->left) || bit(now, n->right);
    case PAST_PREVIOUSLY: return r->seen && bit(old, n->left);
    case PAST_ONCE: return bit(now, n->left) || (r->seen && bit(old, i));
    case PAST_HISTORICALLY: return bit(now, n->left) && (!r->seen || bit(old, i));
    case PAST_SINCE: return bit(now, n->right) || (r->seen && bit(now, n->left) && bit(old, i));
    }
    return false;
}

static uint64_t step_choice(const past_run *r, const uint32_t *choice, const event *e, uint64_t old) {
    uint64_t now = 0;
    for (uint32_t i = 0; i < r->f->nnodes; i++)
        if (node_holds(r, i, choice, e, now, old)) now |= UINT64_C(1) << i;
    return now;
}

static void unpack(const past_run *r, uint32_t number, uint32_t *choice) {
    for (uint32_t v = 0; v < r->f->nvars; v++) {
        uint32_t size = r->sizes[r->f->sorts[v]];
        choice[v] = number % size;
        number /= size;
    }
}

bool past_step(past_run *r, const event *e) {
    bool holds = false;
    uint32_t choice[PAST_MOST_VARS];
    for (uint32_t c = 0; c < r->choices; c++) {
        unpack(r, c, choice);
        r->now[c] = step_choice(r, choice, e, r->now[c]);
        holds |= bit(r->now[c], r->f->nnodes - 1);
    }
    r->seen++;
    return holds;
}
