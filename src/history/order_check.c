// SPDX-License-Identifier: Apache-2.0
// An order, or a reason why there is none: see points.h. What counts; what is known; what follows from that; what is
// left to choose.
#include "history/points.h"

static const char *stopped(const limits *stop) {
    return limits_met(stop) ? limits_why(stop) : "the search ended early";
}

// A read that nobody can have written, given what is known: with all who might have.
static void suspect_read(order_answer *a, const digest *d, uint32_t read) {
    const digest_read *q = &d->reads.data[read];
    vec_push(&a->suspects, q->tx);
    for (uint32_t i = d->key_first[q->key]; i < d->key_first[q->key + 1]; i++)
        if (d->writes.data[i].tx != q->tx) vec_push(&a->suspects, d->writes.data[i].tx);
}

static void say_cycle(points *p, order_answer *a) {
    point_list cyclic = {0};
    cycles_sort(p, NULL, &cyclic);
    cycles_suspects(p, &cyclic, &a->suspects, NULL);
    a->verdict = ORDER_NO;
    vec_free(&cyclic);
}

// What follows from sessions, time and reads, and who can have written what was read, in turns.
static bool settle(points *p, reach *r, order_answer *a) {
    for (;;) {
        saturate_answer s = saturate(p, r);
        bool changed = false;
        uint32_t stuck = 0;
        if (s == SATURATE_CYCLE) return say_cycle(p, a), false;
        if (s == SATURATE_STOPPED) return false;
        if (!narrow_candidates(p, r, &changed, &stuck)) {
            suspect_read(a, p->d, stuck);
            a->verdict = ORDER_NO;
            return false;
        }
        if (!changed) return true;
        if (!points_sort(p)) return say_cycle(p, a), false;
        reach_find(r, p);
    }
}

static void keep_order(const points *p, order_answer *a) {
    a->verdict = ORDER_YES;
    a->order = mem_alloc(((size_t)p->npoints + 1) * sizeof *a->order);
    for (uint32_t i = 0; i < p->npoints; i++)
        if (!point_is_time(p, p->order[i])) a->order[a->norder++] = p->order[i];
}

static void find_order(points *p, order_answer *a) {
    reach r = {0};
    bool has_reach = reach_make(&r, p);
    if (!has_reach || settle(p, &r, a)) {
        a->edges = p->edges.len;
        choose_answer c = choose(p, &r, a->committed, &a->suspects);
        if (c == CHOOSE_YES) keep_order(p, a);
        if (c == CHOOSE_NO) a->verdict = ORDER_NO;
    }
    reach_free(&r);
}

void order_check(const recorded *h, level l, const limits *stop, order_answer *a) {
    *a = (order_answer){.verdict = ORDER_UNKNOWN};
    a->committed = mem_zero((size_t)h->txs.len + 1, 1);
    digest d;
    digest_make(&d, h, l, stop);
    a->reads = d.reads.len;
    if (d.wrong.kind != MISFIT_NONE) {
        a->verdict = ORDER_NO;
        a->wrong = d.wrong;
    } else if (!d.trouble) {
        points p;
        points_make(&p, &d, stop);
        if (points_sort(&p)) find_order(&p, a);
        else say_cycle(&p, a);
        points_free(&p);
    }
    if (a->verdict == ORDER_UNKNOWN) a->why = d.trouble ? d.trouble : stopped(stop);
    digest_free(&d);
}

void order_answer_free(order_answer *a) {
    free(a->order);
    free(a->committed);
    free(a->writers);
    vec_free(&a->suspects);
}
