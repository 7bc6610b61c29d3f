// SPDX-License-Identifier: Apache-2.0
// Clock values as text: see zonetext.h. Of the bounds of a closed matrix those on single clocks are told first; one
// between two clocks only where it is tighter than theirs.
#include "cli/simulate/zonetext.h"

typedef struct {
    const timewalk *w;
    const bound *zone, *within;
    zonetext_list *out;
} telling;

static bound bound_at(const telling *t, const bound *zone, uint32_t i, uint32_t j) { return zone[i * t->w->x->n + j]; }

// "x - y" or "x" within [-lower, upper].
static void tell_range(const telling *t, const char *of, bound lower, bound upper) {
    arena *memory = t->w->memory;
    int32_t least = -bound_value(lower), most = bound_value(upper);
    bool is_open = bound_is_strict(lower), ends_open = bound_is_strict(upper);
    const char *text;
    if (lower == BOUND_INF && upper == BOUND_INF) return;
    if (lower == BOUND_INF) text = arena_printf(memory, "%s %s %d", of, ends_open ? "<" : "<=", most);
    else if (upper == BOUND_INF) text = arena_printf(memory, "%s %s %d", of, is_open ? ">" : ">=", least);
    else if (least == most) text = arena_printf(memory, "%s = %d", of, least);
    else text = arena_printf(memory, "%s in %s%d, %d%s", of, is_open ? "(" : "[", least, most, ends_open ? ")" : "]");
    vec_push(t->out, text);
}

static bool is_news(const telling *t, uint32_t i, uint32_t j) {
    return !t->within || bound_at(t, t->zone, i, j) != bound_at(t, t->within, i, j);
}

static void tell_clock(const telling *t, uint32_t c) {
    bound lower = bound_at(t, t->zone, 0, c), upper = bound_at(t, t->zone, c, 0);
    if (!is_news(t, 0, c) && !is_news(t, c, 0)) return;
    if (lower == BOUND_LE_ZERO || (t->within && !is_news(t, 0, c))) lower = BOUND_INF;
    if (t->within && !is_news(t, c, 0)) upper = BOUND_INF;
    tell_range(t, t->w->x->t->clocks.data[c].name, lower, upper);
}

// The bound on a difference, if it does not follow from those on the two clocks and is news; else none.
static bound own_bound(const telling *t, uint32_t i, uint32_t j) {
    bound b = bound_at(t, t->zone, i, j), implied = bound_add(bound_at(t, t->zone, i, 0), bound_at(t, t->zone, 0, j));
    return b < implied && is_news(t, i, j) ? b : BOUND_INF;
}

static void tell_difference(const telling *t, uint32_t i, uint32_t j) {
    const timed_info *is = t->w->x->t;
    bound upper = own_bound(t, i, j), lower = own_bound(t, j, i);
    if (upper == BOUND_INF && lower == BOUND_INF) return;
    tell_range(t, arena_printf(t->w->memory, "%s - %s", is->clocks.data[i].name, is->clocks.data[j].name), lower,
               upper);
}

void zonetext_constraints(const timewalk *w, const bound *zone, const bound *within, zonetext_list *out) {
    telling t = {w, zone, within, out};
    for (uint32_t c = 1; c < w->x->n; c++) tell_clock(&t, c);
    for (uint32_t i = 1; i < w->x->n; i++)
        for (uint32_t j = i + 1; j < w->x->n; j++) tell_difference(&t, i, j);
}

void zonetext_window(const timewalk *w, const timewalk_move *v, str *out) {
    if (v->first == 0 && v->last == 0) {
        str_add(out, "now");
        return;
    }
    str_char(out, v->first & 1 ? '(' : '[');
    timewalk_units_text(w, v->first / 2, out);
    str_add(out, ", ");
    if (v->last == INT64_MAX) str_add(out, "inf");
    else timewalk_units_text(w, (v->last + 1) / 2, out);
    str_char(out, v->last & 1 ? ')' : ']');
}
