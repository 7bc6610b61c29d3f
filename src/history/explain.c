// SPDX-License-Identifier: Apache-2.0
// Why a few transactions do not have a level, in words: see core.h. What follows from what they read is found again,
// with the reason of every step; a shortest cycle of it is told. If there is none, no order works for reasons that need
// a case distinction, and that is what is told.
#include "history/core.h"

#include "history/digest.h"
#include "history/points.h"
#include "history/weak.h"

#include <string.h>

static const char *const why_names[] = {
    "read from", "overwrites", "read before overwritten", "real time", "session order", "list order", "own snapshot"};

const char *why_name(why_kind k) { return why_names[k]; }

void explain_tx_name(uint32_t tx, str *out) { str_printf(out, "T%u", tx + 1); }

void explanation_free(explanation *e) {
    for (uint32_t i = 0; i < e->edges.len; i++) str_free(&e->edges.data[i].text);
    vec_free(&e->edges);
    str_free(&e->text);
}

void explain_value(const recorded *h, uint32_t key, uint32_t value, bool is_list, str *out) {
    names_show(&h->keys, key, out);
    str_add(out, " = ");
    if (!is_list) {
        names_show(&h->values, value, out);
        return;
    }
    uint32_t *elements, n;
    recorded_list_elements(h, value, &elements, &n);
    str_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) str_char(out, ' ');
        names_show(&h->values, elements[i], out);
    }
    str_char(out, ']');
    free(elements);
}

static void add_tx(uint32_t tx, str *out) {
    if (tx == DIGEST_INITIAL) str_add(out, "the initial state");
    else explain_tx_name(tx, out);
}

// ---- one read alone

typedef struct {
    bool aborted, live, intermediate, later, itself;
    uint32_t tx;
} who_wrote;

// Who wrote a value that cannot have been read from anybody.
static who_wrote find_who(const recorded *h, uint32_t reader, uint32_t op) {
    who_wrote w = {.tx = UINT32_MAX};
    uint32_t key = recorded_key(h, op), value = h->op_value.data[op];
    if (recorded_kind(h, op) == OP_READ_LIST) value = value ? h->links.data[value].element : UINT32_MAX;
    for (uint32_t t = 0; t < h->txs.len; t++)
        for (uint32_t i = h->txs.data[t].first; i < h->txs.data[t].first + h->txs.data[t].count; i++) {
            if (!recorded_is_write(h, i) || recorded_key(h, i) != key || h->op_value.data[i] != value) continue;
            w.tx = t;
            tx_outcome o = (tx_outcome)h->txs.data[t].outcome;
            w.itself |= t == reader;
            w.aborted |= o == TX_ABORTED;
            w.live |= o == TX_LIVE;
            bool lasts = o == TX_COMMITTED || o == TX_PENDING;
            bool is_overwritten = false;
            for (uint32_t k = i + 1; k < h->txs.data[t].first + h->txs.data[t].count; k++)
                is_overwritten |= recorded_is_write(h, k) && recorded_key(h, k) == key;
            w.intermediate |= lasts && is_overwritten;
            w.later |= lasts && !is_overwritten;
        }
    return w;
}

static void explain_unwritten(const recorded *h, uint32_t tx, uint32_t op, explanation *e) {
    who_wrote w = find_who(h, tx, op);
    str writer = {0};
    if (w.tx != UINT32_MAX) explain_tx_name(w.tx, &writer);
    add_tx(tx, &e->text);
    str_add(&e->text, " read ");
    explain_value(h, recorded_key(h, op), h->op_value.data[op], recorded_kind(h, op) == OP_READ_LIST, &e->text);
    if (w.tx == UINT32_MAX) {
        e->anomaly = "a value that nobody wrote";
        str_add(&e->text, ", which nobody wrote");
    } else if (w.later && w.tx != tx && h->txs.data[w.tx].begins > h->txs.data[tx].ends) {
        e->anomaly = "a read from the future";
        str_printf(&e->text, " from %s, which began after it had ended", str_get(&writer));
    } else if (w.later && w.tx != tx) {
        e->anomaly = "dirty read";
        str_printf(&e->text, " from %s, which had not called commit when the read returned", str_get(&writer));
    } else if (w.intermediate) {
        e->anomaly = "intermediate read";
        str_printf(&e->text, ", which %s wrote and overwrote itself before it committed", str_get(&writer));
    } else if (w.aborted) {
        e->anomaly = "read of an aborted transaction";
        str_printf(&e->text, ", which only %s wrote, and that aborted", str_get(&writer));
    } else if (w.itself) {
        e->anomaly = "a read from its own future";
        str_add(&e->text, ", which only it wrote itself, later");
    } else {
        e->anomaly = "read of a live transaction";
        str_printf(&e->text, ", which only %s wrote, and that has not called commit", str_get(&writer));
    }
    str_free(&writer);
}

static bool explain_misfit(const recorded *h, const misfit *m, explanation *e) {
    if (m->kind == MISFIT_NO_WRITER) explain_unwritten(h, m->tx, m->op, e);
    if (m->kind == MISFIT_OWN_WRITE) {
        e->anomaly = "own write lost";
        add_tx(m->tx, &e->text);
        str_add(&e->text, " read ");
        explain_value(h, recorded_key(h, m->op), h->op_value.data[m->op], recorded_kind(h, m->op) == OP_READ_LIST,
                      &e->text);
        str_add(&e->text, ", but had written another value itself");
    }
    if (m->kind == MISFIT_LISTS) {
        e->anomaly = m->other != UINT32_MAX ? "incompatible orders" : "a list that cannot be";
        add_tx(m->tx, &e->text);
        str_add(&e->text, " read ");
        explain_value(h, recorded_key(h, m->op), h->op_value.data[m->op], true, &e->text);
        str_add(&e->text, m->other != UINT32_MAX ? ", and another read has elements of that list in another order"
                                                 : ", in which appends are missing, doubled or not committed");
    }
    return m->kind != MISFIT_NONE;
}

// ---- a cycle

static void say_edge(const points *p, const edge *x, explanation *e) {
    const recorded *h = p->d->h;
    explained_edge out = {.from = point_tx(p, x->from), .to = point_tx(p, x->to)};
    const digest_read *q = &p->d->reads.data[x->read];
    str from = {0}, to = {0};
    add_tx(out.from, &from);
    add_tx(out.to, &to);
    switch ((edge_kind)x->kind) {
    case EDGE_FROM:
        out.kind = WHY_FROM;
        str_printf(&out.text, "%s read ", str_get(&to));
        explain_value(h, q->key, q->value, q->is_list, &out.text);
        str_printf(&out.text, " from %s", str_get(&from));
        break;
    case EDGE_AFTER:
        out.kind = WHY_OVERWRITTEN;
        str_printf(&out.text, "%s read ", str_get(&from));
        explain_value(h, q->key, q->value, q->is_list, &out.text);
        str_printf(&out.text, ", which %s overwrote", str_get(&to));
        break;
    case EDGE_BEFORE:
        out.kind = WHY_OVERWRITES;
        str_printf(&out.text, "%s overwrote the ", str_get(&to));
        names_show(&h->keys, q->key, &out.text);
        str_printf(&out.text, " of %s: ", str_get(&from));
        add_tx(q->tx, &out.text);
        str_printf(&out.text, " comes after %s and read that of %s", str_get(&from), str_get(&to));
        break;
    case EDGE_WRITES:
        out.kind = WHY_OVERWRITES;
        str_printf(&out.text, "%s and %s write one key, and the other order is impossible", str_get(&from),
                   str_get(&to));
        break;
    case EDGE_LIST:
        out.kind = WHY_LIST;
        str_printf(&out.text, "%s appended before %s", str_get(&from), str_get(&to));
        break;
    case EDGE_OWN:
        out.kind = WHY_POINT;
        str_printf(&out.text, "%s takes its snapshot before it commits", str_get(&from));
        break;
    default:
        out.kind = WHY_SESSION;
        str_printf(&out.text, "%s comes before %s in their session", str_get(&from), str_get(&to));
        break;
    }
    vec_push(&e->edges, out);
    str_free(&from);
    str_free(&to);
}

static void say_time(uint32_t from, uint32_t to, explanation *e) {
    explained_edge out = {.from = from, .to = to, .kind = WHY_TIME};
    explain_tx_name(from, &out.text);
    str_add(&out.text, " had ended before ");
    explain_tx_name(to, &out.text);
    str_add(&out.text, " began");
    vec_push(&e->edges, out);
}

// Edges of a cycle from cycles_through(), the last first; the ends of two that do not meet are joined by real time.
static void say_cycle_words(const points *p, const point_list *cycle, explanation *e) {
    for (uint32_t i = cycle->len; i-- > 0;) {
        const edge *x = &p->edges.data[cycle->data[i]];
        const edge *y = &p->edges.data[cycle->data[i ? i - 1 : cycle->len - 1]];
        if (x->kind != EDGE_OWN) say_edge(p, x, e);
        uint32_t a = point_tx(p, x->to), b = point_tx(p, y->from);
        if (a != b) say_time(a, b, e);
    }
}

static void explain_cycle(points *p, point_list *best) {
    point_list cyclic = {0}, cycle = {0};
    cycles_sort(p, NULL, &cyclic);
    for (uint32_t i = 0; cyclic.len && i < p->edges.len; i++) {
        cycles_through(p, i, NULL, 0, &cycle);
        // Cycles of direct reasons are easier to follow than those with one that was derived.
        if (!cycle.len || (best->len && cycle.len >= best->len)) continue;
        vec_clear(best);
        // The edge itself is last in the list, and the path goes backwards from its beginning.
        vec_push(best, cycle.data[cycle.len - 1]);
        for (uint32_t k = 0; k + 1 < cycle.len; k++) vec_push(best, cycle.data[k]);
    }
    vec_free(&cyclic);
    vec_free(&cycle);
}

// ---- names

typedef struct {
    uint32_t from, overwrites, overwritten, time, session, txs;
} edge_counts;

static edge_counts explain_count(const explanation *e) {
    edge_counts c = {.txs = e->edges.len};
    for (uint32_t i = 0; i < e->edges.len; i++) {
        why_kind k = e->edges.data[i].kind;
        c.from += k == WHY_FROM;
        c.overwrites += k == WHY_OVERWRITES || k == WHY_LIST;
        c.overwritten += k == WHY_OVERWRITTEN;
        c.time += k == WHY_TIME;
        c.session += k == WHY_SESSION;
    }
    return c;
}

static bool reads_and_writes(const recorded *h, uint32_t tx, uint32_t key, uint32_t *value) {
    const recorded_tx *x = &h->txs.data[tx];
    bool reads = false, writes = false;
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        if (recorded_key(h, i) != key) continue;
        if (!recorded_is_write(h, i) && !writes) reads = true, *value = h->op_value.data[i];
        writes |= recorded_is_write(h, i);
    }
    return reads && writes;
}

// Two transactions read the same value of a key and both wrote it.
static bool is_lost_update(const recorded *h) {
    for (uint32_t k = 0; k < names_count(&h->keys); k++)
        for (uint32_t t = 0; t < h->txs.len; t++)
            for (uint32_t u = t + 1; u < h->txs.len; u++) {
                uint32_t a, b;
                if (h->txs.data[t].outcome == TX_COMMITTED && h->txs.data[u].outcome == TX_COMMITTED &&
                    reads_and_writes(h, t, k, &a) && reads_and_writes(h, u, k, &b) && a == b)
                    return true;
            }
    return false;
}

static bool reads_twice(const recorded *h, const explanation *e) {
    for (uint32_t i = 0; i < e->edges.len; i++) {
        const recorded_tx *x = &h->txs.data[e->edges.data[i].to];
        for (uint32_t a = x->first; a < x->first + x->count; a++)
            for (uint32_t b = x->first; b < a; b++)
                if (!recorded_is_write(h, a) && recorded_kind(h, b) == recorded_kind(h, a) &&
                    recorded_key(h, a) == recorded_key(h, b) && h->op_value.data[a] != h->op_value.data[b])
                    return true;
    }
    return false;
}

static const char *uncommitted_name(const recorded *h, const explanation *e) {
    for (uint32_t i = 0; i < e->edges.len; i++) {
        if (h->txs.data[e->edges.data[i].from].outcome == TX_ABORTED)
            return "inconsistent snapshot of an aborted transaction";
        if (h->txs.data[e->edges.data[i].from].outcome == TX_LIVE) return "inconsistent snapshot of a live transaction";
    }
    return NULL;
}

static const char *cycle_name(const recorded *h, const explanation *e) {
    edge_counts c = explain_count(e);
    const char *name = uncommitted_name(h, e);
    if (name) return name;
    if (reads_twice(h, e)) return "unrepeatable read";
    if (c.overwritten && is_lost_update(h)) return "lost update";
    if (!c.overwritten && !c.from && c.overwrites) return c.time || c.session ? "write order" : "dirty write (G0)";
    if (!c.overwritten) return c.time || c.session ? "read from the future" : "circular information flow (G1c)";
    if (c.overwritten == 1 && c.time && !c.from && !c.overwrites) return "stale read";
    if (c.overwritten == 1 && c.session && !c.from && !c.overwrites) return "stale read within a session";
    if (c.overwritten == 1 && c.from == 1 && c.txs == 2) return "fractured read";
    if (c.overwritten == 1) return c.time || c.session ? "stale read" : "read skew (G-single)";
    if (c.overwritten == 2 && c.txs == 2) return "write skew (G2-item)";
    if (c.overwritten == 2 && c.from == 2) return "long fork";
    return "cycle of anti-dependencies (G2)";
}

// ---- all of it

// What follows, with the edges of the weak levels or by saturation; true if there is a cycle.
static bool follow_all_reasons(points *p) {
    if (level_is_weak(p->d->l)) return weak_edges(p);
    reach r = {0};
    bool is_cyclic = !points_sort(p);
    if (!is_cyclic && reach_make(&r, p)) is_cyclic = saturate(p, &r) == SATURATE_CYCLE;
    reach_free(&r);
    return is_cyclic;
}

void explain(const recorded *h, level l, explanation *e) {
    *e = (explanation){0};
    digest d;
    digest_make(&d, h, l, NULL);
    bool is_misfit = explain_misfit(h, &d.wrong, e);
    if (!is_misfit && !d.trouble) {
        points p;
        point_list cycle = {0};
        points_make(&p, &d, NULL);
        if (follow_all_reasons(&p)) explain_cycle(&p, &cycle);
        say_cycle_words(&p, &cycle, e);
        vec_free(&cycle);
        points_free(&p);
        if (e->edges.len) e->anomaly = cycle_name(h, e);
        else str_add(&e->text, "no order of these transactions explains what they read: each was tried");
    }
    if (!is_misfit && d.trouble)
        str_add(
            &e->text,
            "an element is appended twice to a list, and in whichever way the two are told apart, no order explains "
            "what was read");
    digest_free(&d);
}
