// SPDX-License-Identifier: Apache-2.0
// linear: see linear.h.
#include "oracle/linear.h"

#include <string.h>

static set_answer apply(uint32_t *content, set_method method, uint32_t item) {
    uint32_t bit = 1u << item;
    bool was_in = *content & bit;
    if (method == SET_ADD) *content |= bit;
    if (method == SET_REMOVE) *content &= ~bit;
    return was_in == (method != SET_ADD) ? SET_YES : SET_NO;
}

// ---- by definition

typedef struct {
    set_method method;
    uint32_t item, called, returned;  // positions in the history; returned UINT32_MAX: not yet
    set_answer answer;
    bool is_done;
} operation;

typedef struct {
    operation ops[LINEAR_MOST_EVENTS];
    uint32_t nops;
} operations;

static void collect(operations *o, const set_event *history, uint32_t n) {
    uint32_t open[LINEAR_MOST_THREADS] = {0};
    o->nops = 0;
    for (uint32_t i = 0; i < n; i++) {
        const set_event *e = &history[i];
        if (e->method == SET_IDLE) {
            o->ops[open[e->thread]].returned = i;
            o->ops[open[e->thread]].answer = e->answer;
        } else {
            open[e->thread] = o->nops;
            o->ops[o->nops++] = (operation){e->method, e->item, i, UINT32_MAX, SET_NONE, false};
        }
    }
}

// May this operation be the next to take effect? Not if another one returned before it was called.
static bool is_minimal(const operations *o, const operation *x) {
    for (uint32_t i = 0; i < o->nops; i++)
        if (!o->ops[i].is_done && o->ops[i].returned < x->called) return false;
    return true;
}

static bool all_returned_are_done(const operations *o) {
    for (uint32_t i = 0; i < o->nops; i++)
        if (!o->ops[i].is_done && o->ops[i].returned != UINT32_MAX) return false;
    return true;
}

static bool order_from(operations *o, uint32_t content) {
    if (all_returned_are_done(o)) return true;
    for (uint32_t i = 0; i < o->nops; i++) {
        operation *x = &o->ops[i];
        uint32_t then = content;
        if (x->is_done || !is_minimal(o, x)) continue;
        set_answer answer = apply(&then, x->method, x->item);
        if (x->returned != UINT32_MAX && x->answer != answer) continue;
        x->is_done = true;
        bool found = order_from(o, then);
        x->is_done = false;
        if (found) return true;
    }
    return false;
}

bool linear_by_definition(const set_event *history, uint32_t n) {
    operations o;
    collect(&o, history, n);
    return order_from(&o, 0);
}

// ---- the monitor

static const uint32_t weight[LINEAR_MOST_THREADS] = {1, 3, 9};

enum { STATUSES = 27, CONTENTS = 1 << LINEAR_MOST_ITEMS };

static uint32_t status_of(uint32_t statuses, uint32_t thread) { return statuses / weight[thread] % 3; }

// Calls that may take effect now; true if that gave anything new.
static bool take_effect(linear_monitor *m, uint32_t content, uint32_t statuses) {
    bool is_new = false;
    for (uint32_t t = 0; t < LINEAR_MOST_THREADS; t++) {
        uint32_t then = content;
        if (m->method[t] == SET_IDLE || status_of(statuses, t) != SET_NONE) continue;
        set_answer answer = apply(&then, (set_method)m->method[t], m->item[t]);
        uint32_t bit = 1u << (statuses + (uint32_t)answer * weight[t]);
        is_new |= !(m->configs[then] & bit);
        m->configs[then] |= bit;
    }
    return is_new;
}

static void close_configs(linear_monitor *m) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t c = 0; c < CONTENTS; c++)
            for (uint32_t s = 0; s < STATUSES; s++)
                if (m->configs[c] >> s & 1) again |= take_effect(m, c, s);
    }
}

static bool keep_answer(linear_monitor *m, uint32_t thread, set_answer answer) {
    bool some = false;
    for (uint32_t c = 0; c < CONTENTS; c++) {
        uint32_t kept = 0;
        for (uint32_t s = 0; s < STATUSES; s++)
            if ((m->configs[c] >> s & 1) && status_of(s, thread) == (uint32_t)answer)
                kept |= 1u << (s - (uint32_t)answer * weight[thread]);
        m->configs[c] = kept;
        some |= kept != 0;
    }
    return some;
}

void linear_start(linear_monitor *m) {
    memset(m, 0, sizeof *m);
    m->configs[0] = 1;
}

bool linear_follow(linear_monitor *m, set_event e) {
    m->method[e.thread] = (uint8_t)e.method;
    m->item[e.thread] = (uint8_t)(e.method == SET_IDLE ? 0 : e.item);
    if (e.method == SET_IDLE) return keep_answer(m, e.thread, e.answer);
    close_configs(m);
    return true;
}
