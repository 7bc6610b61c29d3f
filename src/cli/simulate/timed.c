// SPDX-License-Identifier: Apache-2.0
// parvis simulate of timed automata: see timed.h. The walk is zone/timewalk.h's; here are its commands, and what is
// shown.
#include "cli/simulate/timed.h"

#include "base/rng.h"
#include "cli/options.h"
#include "cli/simulate/lines.h"
#include "cli/simulate/shell.h"
#include "cli/simulate/zonetext.h"
#include "model/eval.h"
#include "model/instance.h"
#include "report/object.h"
#include "report/style.h"
#include "report/timed.h"
#include "report/tracefile.h"
#include "result/trace.h"
#include "zone/net.h"
#include "zone/timewalk.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    shell shell;
    session *s;
    const loaded *model;
    instance *in;
    timewalk *w;
    rng random;
    str *out;  // the shell's
} timed_simulation;

static const style *style_of(const timed_simulation *m) { return &m->s->style; }

// ---- showing

static void put_move_label(const timed_simulation *m, const timewalk_move *v, str *out) {
    const net_label *l = &m->w->x->labels.data[v->label];
    trace_label_text(m->in, l->r, l->args, out);
}

static void put_list(timed_simulation *m, const zonetext_list *list, unsigned indent) {
    style_flow f;
    style_flow_begin(&f, style_of(m), m->out, indent, indent);
    f.gap = 2;
    for (uint32_t i = 0; i < list->len; i++) style_flow_word(&f, ROLE_PLAIN, list->data[i]);
    str_char(m->out, '\n');
}

static void walk_clocks(const timed_simulation *m, zonetext_list *out) {
    const timewalk_point *p = timewalk_now(m->w);
    for (uint32_t c = 1; c < m->w->x->n; c++) {
        str text = {0};
        str_printf(&text, "%s = ", m->w->x->t->clocks.data[c].name);
        timewalk_units_text(m->w, p->clocks[c], &text);
        vec_push(out, arena_str(m->w->memory, str_get(&text)));
        str_free(&text);
    }
}

static void show_clocks(timed_simulation *m, unsigned indent) {
    zonetext_list list = {0};
    if (m->w->is_symbolic) zonetext_constraints(m->w, timewalk_now(m->w)->zone, NULL, &list);
    else walk_clocks(m, &list);
    if (m->w->is_symbolic && !list.len && m->w->x->n > 1) vec_push(&list, "clocks have any values");
    if (list.len) str_pad(m->out, ' ', indent);
    if (list.len) put_list(m, &list, indent);
    vec_free(&list);
}

static void show_timed_state(timed_simulation *m) {
    str title = {0};
    if (m->w->is_symbolic)
        str_printf(&title, "after %u step%s: ", timewalk_steps(m->w), timewalk_steps(m->w) == 1 ? "" : "s");
    else {
        str_add(&title, "time ");
        timewalk_units_text(m->w, timewalk_now(m->w)->time, &title);
        str_add(&title, ": ");
    }
    unsigned indent = (unsigned)str_columns(str_get(&title));
    str_add(m->out, str_get(&title));
    timed_state(m->in, timewalk_now(m->w)->cells, style_of(m), indent, m->out);
    show_clocks(m, indent);
    str_free(&title);
}

// How long time may pass, and what ends that.
static void show_longest(timed_simulation *m) {
    const timewalk *w = m->w;
    const clock_bound *b = timewalk_invariant(w);
    if (timewalk_is_still(w)) str_add(m->out, "  time stands still\n");
    else if (w->longest == INT64_MAX) str_add(m->out, "  time may pass for ever\n");
    else {
        str_add(m->out, w->longest & 1 ? "  time may pass for less than " : "  time may pass for ");
        timewalk_units_text(w, (w->longest + 1) / 2, m->out);
        if (b && b->at.file) {
            str_printf(m->out, ", by the invariant of %s at ", w->x->t->clocks.data[b->left].name);
            diag_place_text(m->s->messages, b->at, m->out);
        }
        str_char(m->out, '\n');
    }
}

static bool walk_is_stuck(const timed_simulation *m) {
    for (uint32_t i = 0; i < m->w->moves.len; i++)
        if (!m->w->moves.data[i].fails) return false;
    return true;
}

static const char *why_stuck(const timed_simulation *m) {
    const timewalk *w = m->w;
    if (w->is_symbolic) return "no step is possible, now or after any delay: a deadlock";
    if (timewalk_is_still(w)) return "no step is possible, and no time may pass: a deadlock";
    if (w->longest == INT64_MAX) return "no step is possible, now or after any delay: a deadlock";
    return "no step is possible before the invariant ends: a deadlock";
}

static void put_where(timed_simulation *m, const timewalk_move *v, str *out) {
    zonetext_list list = {0};
    zonetext_constraints(m->w, v->part, timewalk_now(m->w)->zone, &list);
    for (uint32_t i = 0; i < list.len; i++) str_printf(out, "%s%s", i ? ", " : "where ", list.data[i]);
    vec_free(&list);
}

static void show_timed_move(timed_simulation *m, uint32_t i, unsigned width) {
    const timewalk_move *v = &m->w->moves.data[i];
    str window = {0}, label = {0};
    if (!m->w->is_symbolic) zonetext_window(m->w, v, &window);
    else put_where(m, v, &window);
    put_move_label(m, v, &label);
    if (v->fails)
        str_printf(&label, " (%s)", v->what.kind ? fault_text(v->what.kind) : "sets a clock to a negative number");
    str_printf(m->out, "%3u ", i + 1);
    if (!m->w->is_symbolic) str_printf(m->out, "%-*s  ", (int)width, str_get(&window));
    bool is_now = m->w->is_symbolic || v->first == 0;
    style_add(style_of(m), v->fails ? ROLE_BAD : is_now ? ROLE_PLAIN : ROLE_DIM, str_get(&label), m->out);
    if (m->w->is_symbolic && window.len) str_printf(m->out, "  %s", str_get(&window));
    str_char(m->out, '\n');
    str_free(&window);
    str_free(&label);
}

static unsigned widest_window(const timed_simulation *m) {
    unsigned width = 0;
    for (uint32_t i = 0; i < m->w->moves.len; i++) {
        str text = {0};
        zonetext_window(m->w, &m->w->moves.data[i], &text);
        if (text.len > width) width = (unsigned)text.len;
        str_free(&text);
    }
    return width;
}

static void show_timed_moves(timed_simulation *m) {
    if (!m->w->is_symbolic) show_longest(m);
    unsigned width = m->w->is_symbolic ? 0 : widest_window(m);
    for (uint32_t i = 0; i < m->w->moves.len; i++) show_timed_move(m, i, width);
    if (walk_is_stuck(m)) str_printf(m->out, "  %s\n", why_stuck(m));
}

static void show_where(timed_simulation *m) {
    show_timed_state(m);
    show_timed_moves(m);
}

// The last step, and what it changes.
static void show_timed_step(timed_simulation *m) {
    str label = {0};
    const timewalk_point *p = timewalk_now(m->w);
    timewalk_move v = {.label = p->label};
    str_printf(&label, "step %u: ", timewalk_steps(m->w));
    put_move_label(m, &v, &label);
    style_add(style_of(m), ROLE_STRONG, str_get(&label), m->out);
    str_char(m->out, '\n');
    str_free(&label);
}

// ---- moves

typedef enum { WHEN_SOON, WHEN_LATEST, WHEN_AFTER } when_kind;

typedef struct {
    when_kind kind;
    timewalk_time delay;
} when;

static bool read_when(const char *text, when *out) {
    text += strspn(text, " \t");
    size_t n = strcspn(text, " \t\r");
    *out = (when){.kind = WHEN_SOON};
    if (n && strncmp(text, "earliest", n) == 0) return true;
    out->kind = WHEN_LATEST;
    if (n && strncmp(text, "latest", n) == 0) return true;
    out->kind = WHEN_AFTER;
    str number = {0};
    str_addn(&number, text, n);
    bool ok = timewalk_read_time(str_get(&number), &out->delay);
    str_free(&number);
    return ok;
}

static const char all_delays[] = "zones have all delays in them: `concrete` goes on with clock values";

static bool do_move(timed_simulation *m, uint32_t i, const when *at, str *why) {
    timewalk_time delay = at->delay;
    const timewalk_move *v = &m->w->moves.data[i];
    if (v->fails) {
        str_add(why, v->what.kind ? fault_text(v->what.kind) : "it sets a clock to a negative number");
        return false;
    }
    if (m->w->is_symbolic) return timewalk_take(m->w, i, why);
    if (at->kind != WHEN_AFTER && !timewalk_choose_delay(m->w, v, at->kind == WHEN_LATEST, &delay, why)) return false;
    return timewalk_take_after(m->w, i, delay, why);
}

static void take_timed(timed_simulation *m, uint32_t i, const when *at) {
    str why = {0};
    if (do_move(m, i, at, &why)) {
        show_timed_step(m);
        show_where(m);
    } else {
        shell_error(&m->shell, "%s", str_get(&why));
    }
    str_free(&why);
}

typedef VEC(uint32_t) move_numbers;

static void find_timed_moves(const timed_simulation *m, const char *name, bool loosely, move_numbers *out) {
    for (uint32_t i = 0; i < m->w->moves.len; i++) {
        str label = {0};
        put_move_label(m, &m->w->moves.data[i], &label);
        bool is_same = out->len && m->w->moves.data[out->data[0]].label == m->w->moves.data[i].label;
        if (!is_same && shell_names(name, str_get(&label), loosely)) vec_push(out, i);
        str_free(&label);
    }
}

static void say_several_moves(timed_simulation *m, const char *name, const move_numbers *found) {
    str list = {0};
    for (uint32_t i = 0; i < found->len && i < 8; i++) {
        str_printf(&list, "%s%u ", i ? ", " : "", found->data[i] + 1);
        put_move_label(m, &m->w->moves.data[found->data[i]], &list);
    }
    shell_error(&m->shell, "'%s' may be %s%s", name, str_get(&list), found->len > 8 ? ", ..." : "");
    str_free(&list);
}

static bool take_by_name(timed_simulation *m, const char *name, bool loosely, const when *at) {
    move_numbers found = {0};
    uint32_t number = 0;
    bool is_number = shell_number(name, UINT32_MAX, &number);
    if (is_number && (number < 1 || number > m->w->moves.len))
        shell_error(&m->shell, "there is no step with that number here");
    else if (is_number) take_timed(m, number - 1, at);
    else find_timed_moves(m, name, loosely, &found);
    if (found.len == 1) take_timed(m, found.data[0], at);
    else if (found.len) say_several_moves(m, name, &found);
    bool is_known = is_number || found.len;
    vec_free(&found);
    return is_known;
}

// "MOVE", or "MOVE @ WHEN".
static bool take_timed_line(void *context, const char *line, bool loosely) {
    timed_simulation *m = context;
    const char *sign = strrchr(line, '@');
    when at = {.kind = WHEN_SOON};
    str name = {0};
    str_addn(&name, line, sign ? (size_t)(sign - line) : strlen(line));
    while (name.len && isspace((unsigned char)name.text[name.len - 1])) name.text[--name.len] = '\0';
    const char *begin = str_get(&name) + strspn(str_get(&name), " \t");
    bool is_known = true;
    if (sign && !read_when(sign + 1, &at))
        shell_error(&m->shell, "after '@' comes a delay (2, 3/2, 1.5), 'earliest' or 'latest'");
    else if (sign && m->w->is_symbolic) shell_error(&m->shell, "%s", all_delays);
    else is_known = take_by_name(m, begin, loosely, &at);
    str_free(&name);
    return is_known;
}

static void offer_timed_moves(void *context, lines_put *put, void *to) {
    const timed_simulation *m = context;
    for (uint32_t i = 0; i < m->w->moves.len; i++) {
        str label = {0};
        put_move_label(m, &m->w->moves.data[i], &label);
        put(to, str_get(&label));
        str_free(&label);
    }
}

// ---- commands

static void timed_back(void *context, char *const *args) {
    timed_simulation *m = context;
    uint32_t n = 1;
    if (args[0] && !shell_number(args[0], UINT32_MAX, &n)) {
        shell_error(&m->shell, "back takes a number of steps and delays");
        return;
    }
    timewalk_back(m->w, n);
    show_where(m);
}

// Until the first step that is not possible now becomes possible; false: none will.
static bool earliest_change(const timed_simulation *m, timewalk_time *out, str *why) {
    const timewalk_move *best = NULL;
    for (uint32_t i = 0; i < m->w->moves.len; i++) {
        const timewalk_move *v = &m->w->moves.data[i];
        if (v->first > 0 && (!best || v->first < best->first)) best = v;
    }
    if (best) return timewalk_choose_delay(m->w, best, false, out, why);
    str_add(why, "no other step becomes possible by waiting");
    return false;
}

static bool delay_to_take(const timed_simulation *m, const when *at, timewalk_time *out, str *why) {
    timewalk_move whole = {.last = m->w->longest};
    *out = at->delay;
    if (at->kind == WHEN_SOON) return earliest_change(m, out, why);
    return at->kind == WHEN_AFTER || timewalk_choose_delay(m->w, &whole, true, out, why);
}

static void timed_delay(void *context, char *const *args) {
    timed_simulation *m = context;
    when at;
    timewalk_time delay;
    str why = {0};
    if (m->w->is_symbolic) str_add(&why, all_delays);
    else if (!args[0] || !read_when(args[0], &at))
        str_add(&why, "delay takes a time (2, 3/2, 1.5), earliest or latest");
    else if (delay_to_take(m, &at, &delay, &why)) timewalk_wait(m->w, delay, &why);
    if (why.len) shell_error(&m->shell, "%s", str_get(&why));
    else show_where(m);
    str_free(&why);
}

static void show_state_only(void *context, char *const *args) {
    (void)args;
    show_timed_state(context);
}

static void show_actions(void *context, char *const *args) {
    (void)args;
    show_timed_moves(context);
}

// The run so far; NULL after a message.
static trace *timed_trace(timed_simulation *m) {
    str why = {0};
    trace *t = timewalk_trace(m->w, &why);
    if (!t) shell_error(&m->shell, "the walk has no times: %s", str_get(&why));
    str_free(&why);
    return t;
}

static void show_timed_trace(void *context, char *const *args) {
    timed_simulation *m = context;
    (void)args;
    trace *t = timed_trace(m);
    if (t)
        timed_text(t, style_of(m), walk_is_stuck(m) ? why_stuck(m) : NULL, options_has(&m->s->opt, OPT_FULL_STATES),
                   m->out);
    trace_free(t);
}

static void timed_save(void *context, char *const *args) {
    timed_simulation *m = context;
    trace *t = args[0] ? timed_trace(m) : NULL;
    if (!args[0]) shell_error(&m->shell, "save takes the name of a file");
    if (t) {
        str text = {0};
        json_t *o = object_trace(t, NULL, session_detail(m->s));
        object_print(o, &text);
        json_decref(o);
        if (shell_save(&m->shell, args[0], &text)) str_printf(m->out, "saved %u steps to %s\n", t->steps.len, args[0]);
        str_free(&text);
    }
    trace_free(t);
}

// A move at random, now, after a whole delay, or as soon or as late as it can be; false: none is possible.
static bool random_timed_step(timed_simulation *m, str *why) {
    VEC(uint32_t) free_moves = {0};
    for (uint32_t i = 0; i < m->w->moves.len; i++)
        if (!m->w->moves.data[i].fails) vec_push(&free_moves, i);
    bool ok = free_moves.len > 0;
    if (ok) {
        uint32_t i = free_moves.data[rng_below(&m->random, free_moves.len)];
        const timewalk_move *v = &m->w->moves.data[i];
        when at = {.kind = WHEN_SOON};
        int64_t first = (v->first + 1) / 2, last = v->last / 2, unit = m->w->unit;
        int64_t low = (first + unit - 1) / unit, high = last / unit < low + 10 ? last / unit : low + 10;
        if (!m->w->is_symbolic && high >= low && rng_below(&m->random, 2))
            at = (when){WHEN_AFTER, {low + (int64_t)rng_below(&m->random, (uint32_t)(high - low + 1)), 1}};
        ok = do_move(m, i, &at, why);
    }
    vec_free(&free_moves);
    return ok;
}

static void timed_random(void *context, char *const *args) {
    timed_simulation *m = context;
    uint32_t n = 1, seed = 0;
    str why = {0};
    if ((args[0] && !shell_number(args[0], 1000000, &n)) || (args[1] && !shell_number(args[1], UINT32_MAX, &seed))) {
        shell_error(&m->shell, "random takes a number of steps (at most a million) and a seed");
        return;
    }
    if (args[1]) m->random.state = seed;
    for (uint32_t i = 0; i < n && !limits_met(&m->s->limits) && random_timed_step(m, &why); i++) {
        show_timed_step(m);
        if (i + 1 < n) show_timed_state(m);
        shell_say(&m->shell);
    }
    if (why.len) shell_error(&m->shell, "%s", str_get(&why));
    show_where(m);
    str_free(&why);
}

static void set_kind(timed_simulation *m, bool is_symbolic) {
    str why = {0};
    if (timewalk_set_symbolic(m->w, is_symbolic, &why)) show_where(m);
    else shell_error(&m->shell, "%s", str_get(&why));
    str_free(&why);
}

static void become_symbolic_walk(void *context, char *const *args) {
    (void)args;
    set_kind(context, true);
}

static void become_concrete_walk(void *context, char *const *args) {
    (void)args;
    set_kind(context, false);
}

static const shell_command timed_commands[] = {
    {"delay", "D", "let time pass: 2, 3/2, 1.5; earliest: until another step becomes possible; latest", timed_delay},
    {"back", "[N]", "undo the last step or delay, or the last N", timed_back},
    {"random", "[N [SEED]]", "take N steps at random; the same seed gives the same steps", timed_random},
    {"state", "", "where all processes are, variables, clocks", show_state_only},
    {"actions", "", "what can happen, and after which delays", show_actions},
    {"symbolic", "", "go on with zones: all clock values that the steps so far may lead to", become_symbolic_walk},
    {"concrete", "", "go on with clock values: the earliest of these steps", become_concrete_walk},
    {"trace", "", "the steps so far, with their times", show_timed_trace},
    {"save", "FILE", "save the steps so far as JSON, for --replay", timed_save},
};

static const char timed_help_head[] =
    "  N [@ D]             take the step with that number as soon as it can be, or after the delay D\n"
    "                      (2, 3/2, 1.5, earliest, latest)\n"
    "  NAME [@ D]          the same by its name; Tab completes it in a terminal\n";

// ---- answers

static json_t *timed_moves_object(timed_simulation *m) {
    json_t *moves = json_array();
    for (uint32_t i = 0; i < m->w->moves.len; i++) {
        const timewalk_move *v = &m->w->moves.data[i];
        str label = {0}, window = {0};
        put_move_label(m, v, &label);
        if (m->w->is_symbolic) put_where(m, v, &window);
        else zonetext_window(m->w, v, &window);
        json_array_append_new(moves, json_pack("{s:o, s:s, s:o}", "action", object_take(&label), "kind",
                                               v->fails ? "fault" : "free", "window", object_take(&window)));
    }
    return moves;
}

static json_t *timed_object(timed_simulation *m, bool is_replayed) {
    trace *t = timed_trace(m);
    json_t *o = is_replayed ? json_pack("{s:b}", "replayed", 1) : json_object();
    json_object_set_new(o, "sizes", json_object());
    json_object_set_new(o, "symbolic", json_boolean(m->w->is_symbolic));
    if (t) json_object_set_new(o, "trace", object_trace(t, NULL, session_detail(m->s)));
    json_object_set_new(o, "enabled", timed_moves_object(m));
    trace_free(t);
    return o;
}

// ---- replay

static bool replay_wait(timed_simulation *m, const char *delay, const char *time, str *why) {
    timewalk_time t;
    if (!delay || !timewalk_read_time(delay, &t)) {
        str_add(why, "it has no delay that is a time");
        return false;
    }
    if (!timewalk_wait(m->w, t, why)) return false;
    if (timewalk_is_at(m->w, time, NULL)) return true;
    str_add(why, "its time is not that of the delays so far");
    return false;
}

// What a trace says of its end is shown, so it must be there, and true.
static bool replay_timed_end(timed_simulation *m, const trace *t, bool fails, str *why) {
    if (fails && t->end_delay && t->end_time) return true;
    if (!fails && !replay_wait(m, t->end_delay, t->end_time, why)) return false;
    if (!fails && timewalk_is_at(m->w, t->end_time, t->end_clocks)) return true;
    str_add(why, "the end has other times");
    return false;
}

static bool replay_timed_steps(timed_simulation *m, const trace *t) {
    bool ok = true;
    str why = {0};
    uint32_t i = 0;
    for (; i < t->steps.len && ok; i++) {
        const trace_step *st = &t->steps.data[i];
        ok = replay_wait(m, st->delay, st->time, &why);
        if (ok && !st->after) break;
        ok = ok && timewalk_take_named(m->w, rule_of(m->in->m, st->r)->name, st->after, st->clocks, &why);
    }
    if (ok) ok = replay_timed_end(m, t, i < t->steps.len, &why), i++;
    if (!ok) session_error(m->s, "%s: step %u: %s", m->s->opt.replay, i, str_get(&why));
    str_free(&why);
    return ok;
}

static bool replay_timed(timed_simulation *m) {
    tracefile *f = tracefile_open(m->s->opt.replay, m->s->messages);
    const char *name = sys_of(m->in->m, m->in->system)->name;
    bool ok = f != NULL;
    if (ok && !str_same(tracefile_system(f), name))
        ok = session_error(m->s, "the trace is of '%s', not of '%s'", tracefile_system(f), name);
    trace *t = ok ? tracefile_trace(f, m->in, m->s->messages) : NULL;
    ok = t && replay_timed_steps(m, t);
    if (ok) {
        str_printf(m->out, "replayed: %u step%s of %s\n\n", t->steps.len, t->steps.len == 1 ? "" : "s", name);
        timed_text(t, style_of(m), tracefile_reason(f), options_has(&m->s->opt, OPT_FULL_STATES), m->out);
        str_char(m->out, '\n');
    }
    trace_free(t);
    tracefile_free(f);
    return ok;
}

// ---- all

static void show_timed_title(timed_simulation *m) {
    const timed_info *t = m->w->x->t;
    uint32_t processes = t->processes.len, clocks = t->clocks.len - 1;
    style_add(style_of(m), ROLE_STRONG, sys_of(m->in->m, m->in->system)->name, m->out);
    str_printf(m->out, ", %u process%s, %u clock%s. `help` lists the commands.\n", processes,
               processes == 1 ? "" : "es", clocks, clocks == 1 ? "" : "s");
}

static int timed_by_hand(timed_simulation *m) {
    if (m->s->opt.replay && !replay_timed(m)) return EXIT_BAD_INPUT;
    if (!m->s->opt.replay) show_timed_title(m);
    show_where(m);
    int code = shell_run(&m->shell);
    if (session_wants_answer(m->s)) session_answer(m->s, timed_object(m, m->s->opt.replay));
    return code;
}

static bool timed_begin(timed_simulation *m) {
    str why = {0};
    m->w = timewalk_new(m->in, &why);
    if (why.len) session_error(m->s, "%s", str_get(&why));
    str_free(&why);
    session_show_messages(m->s);
    return m->w != NULL;
}

int simulate_timed(session *s, const loaded *l) {
    timed_simulation m = {.s = s, .model = l, .random = {1}};
    int code = EXIT_BAD_INPUT;
    if (s->opt.properties.len) {
        session_error(s, "a walk through timed automata has no --property");
        return code;
    }
    m.shell = (shell){.s = s,
                      .walk = &m,
                      .commands = timed_commands,
                      .ncommands = sizeof timed_commands / sizeof *timed_commands,
                      .help = timed_help_head,
                      .take = take_timed_line,
                      .offer = offer_timed_moves};
    m.out = &m.shell.out;
    m.in = instance_new(l->m, l->systems[0], NULL, 0);
    if (m.in && timed_begin(&m)) code = timed_by_hand(&m);
    timewalk_free(m.w);
    str_free(m.out);
    instance_free(m.in);
    return code;
}
