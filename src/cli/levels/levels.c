// SPDX-License-Identifier: Apache-2.0
// parvis check of recorded histories: reads the files, asks about levels, says what was found. The strongest level is
// asked first: an order that shows it shows the weaker ones too, once it has been replayed for them.
#include "cli/levels/levels.h"

#include "base/units.h"
#include "report/object.h"

#include <string.h>
#include <sys/stat.h>

enum { MOST_SHOWN = 30 };  // transactions of an order, as text

// ---- which files

static const char *const history_endings[] = {".hist", ".json", ".edn", ".bincode", ".log", ".parvis", ".txt"};

static bool levels_is_named(const char *path) {
    struct stat is;
    if (str_same(path, "-")) return true;
    for (uint32_t i = 0; i < sizeof history_endings / sizeof *history_endings; i++) {
        str zipped = {0};
        str_printf(&zipped, "%s.gz", history_endings[i]);
        bool is_it = str_ends(path, history_endings[i]) || str_ends(path, str_get(&zipped));
        str_free(&zipped);
        if (is_it) return true;
    }
    return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

bool levels_is_history(const session *s) {
    const options *o = &s->opt;
    bool is_asked = options_has(o, OPT_LEVEL) || options_has(o, OPT_FORMAT) || options_has(o, OPT_CORE) ||
                    options_has(o, OPT_STATS);
    return is_asked || levels_is_named(s->file);
}

const format *levels_format(session *s, const char *name) {
    const format *f = format_find(name);
    if (f) return f;
    str all = {0};
    for (uint32_t i = 0; i < format_count; i++) str_printf(&all, "%s%s", i ? ", " : "", format_table[i].name);
    session_error(s, "unknown format '%s': there are %s", name, str_get(&all));
    str_free(&all);
    return NULL;
}

// After a mistake the messages quote the texts until the end.
void levels_keep_sources(session *s, sources *from) {
    for (uint32_t i = 0; i < from->files.len; i++) {
        vec_push(&s->kept, (void *)from->files.data[i].path);
        if (!from->mapped.data[i]) vec_push(&s->kept, (void *)from->files.data[i].text);
    }
    vec_free(&from->files);
    vec_free(&from->mapped);
}

static bool levels_open(session *s, sources *from) {
    bool good = true;
    session_phase(s, "reading the history");
    for (uint32_t i = 1; good && i < s->opt.arguments.len; i++)
        good = sources_add(from, s->messages, s->opt.arguments.data[i]);
    return good;
}

static bool levels_read(session *s, const format *by, sources *from, recorded *h) {
    bool good = sources_load(from, by, h, s->messages);
    if (!good) levels_keep_sources(s, from);
    return good;
}

bool levels_load(session *s, const char *format_name, sources *from, recorded *h) {
    const format *by = format_name ? levels_format(s, format_name) : NULL;
    if ((!format_name || by) && levels_open(s, from)) return levels_read(s, by, from, h);
    recorded_begin(h);
    return false;
}

// ---- asking

static bool ask_for(levels_run *r, const char *name) {
    const char *all[LEVEL_COUNT];
    level l;
    for (uint32_t i = 0; i < LEVEL_COUNT; i++) all[i] = level_name((level)i);
    if (!level_find(name, &l)) {
        if (diag_unknown(r->s->messages, (span){0}, "level", name, all, LEVEL_COUNT)) return false;
        diag_note(r->s->messages, (span){0},
                  "levels are opaque, strict, session, serializable, strong_si, session_si, si, causal, read_atomic "
                  "and read_committed");
        return false;
    }
    if (level_needs_times(l) && !r->h->has_times)
        return session_error(r->s, "'%s' is about real time, and this history has no times", name);
    r->of[l].is_asked = true;
    return true;
}

static bool ask_for_list(levels_run *r, const char *list) {
    char *rest = arena_str(r->s->opt.memory, list);
    bool good = true;
    for (char *part; (part = strsep(&rest, ","));) good = ask_for(r, part) && good;
    return good;
}

static bool choose_levels(levels_run *r) {
    bool good = true, is_table = !options_has(&r->s->opt, OPT_LEVEL);
    for (uint32_t i = 0; i < r->s->opt.levels.len; i++) good = ask_for_list(r, r->s->opt.levels.data[i]) && good;
    for (uint32_t l = 0; is_table && l < LEVEL_COUNT; l++) {
        r->of[l].is_absent = level_needs_times((level)l) && !r->h->has_times;
        r->of[l].is_asked = !r->of[l].is_absent;
    }
    return good;
}

static bool answer_from_stronger(levels_run *r, level l) {
    for (uint32_t k = 0; k < l; k++)
        if (r->of[k].is_asked && r->of[k].answer.verdict == ORDER_YES && level_implies((level)k, l) &&
            level_from_stronger(r->h, l, &r->of[k].answer, &r->of[l].answer))
            return true;
    return false;
}

static void decide_levels(levels_run *r) {
    for (uint32_t l = 0; l < LEVEL_COUNT; l++) {
        if (!r->of[l].is_asked) continue;
        str phase = {0};
        str_printf(&phase, "checking %s", level_name((level)l));
        session_phase(r->s, arena_str(r->s->opt.memory, str_get(&phase)));
        str_free(&phase);
        if (!answer_from_stronger(r, (level)l)) level_decide(r->h, (level)l, &r->s->limits, &r->of[l].answer);
    }
}

// ---- explaining: the weakest first, so that a stronger level can refer to it

static bool explained_by_weaker(levels_run *r, level l) {
    for (uint32_t k = LEVEL_COUNT; k-- > l + 1;)
        if (r->of[k].has_core && level_implies(l, (level)k)) return r->of[l].same_as = (level)k, true;
    return false;
}

static void explain_level(levels_run *r, level l) {
    level_report *x = &r->of[l];
    x->same_as = l;
    if (x->answer.verdict != ORDER_NO || explained_by_weaker(r, l)) return;
    core_find(r->h, &x->answer, &r->s->limits, &x->core);
    x->has_core = x->core.kind != CORE_NONE;
    if (x->core.kind == CORE_REFUTED) {
        x->answer.verdict = ORDER_UNKNOWN;
        str_clear(&x->answer.trouble);
        str_add(&x->answer.trouble, "internal error: brute force finds an order of what was found to have none");
        x->answer.why = str_get(&x->answer.trouble);
        x->has_core = false;
    }
    if (x->has_core) explain(&x->core.h, l, &x->explanation);
}

static void explain_levels(levels_run *r) {
    session_phase(r->s, "explaining");
    for (uint32_t l = LEVEL_COUNT; l-- > 0;)
        if (r->of[l].is_asked) explain_level(r, (level)l);
}

// ---- text

verdict levels_verdict(order_verdict v) {
    return v == ORDER_YES ? VERDICT_HOLDS : v == ORDER_NO ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
}

static void add_place(const recorded *h, const diag *messages, const recorded_tx *x, str *out) {
    const recorded_file *f = x->file < h->files.len ? &h->files.data[x->file] : NULL;
    if (!f) return;
    if (f->file) str_printf(out, " (line %u)", diag_line(messages, (span){f->file, x->place, x->place + 1}));
    else str_printf(out, " (byte %u)", x->place);
}

// Transactions of a core are named T1, T2, …: here is who they are.
static void say_members(const levels_run *r, const level_report *x, bool has_lanes, str *out) {
    for (uint32_t i = 0; i < x->core.txs.len && i < MOST_SHOWN; i++) {
        const recorded_tx *t = &r->h->txs.data[x->core.txs.data[i]];
        str line = {0};
        str_add(out, "    ");
        explain_tx_name(i, out);
        str_add(out, has_lanes ? "  session " : "  ");
        if (has_lanes) names_show(&r->h->sessions, t->session, &line);
        else text_add_tx(&x->core.h, i, &line);
        while (line.len && line.text[line.len - 1] == '\n') line.text[--line.len] = '\0';
        str_add_visible(out, str_get(&line), line.len);
        add_place(r->h, r->s->messages, t, out);
        str_char(out, '\n');
        str_free(&line);
    }
    if (x->core.txs.len > MOST_SHOWN) str_printf(out, "    and %s more\n", str_count(x->core.txs.len - MOST_SHOWN));
}

// ---- lanes: events in the order of their calls, each in the column of its transaction

enum { MOST_LANES = 5, LANE_WIDTH = 22, TIME_WIDTH = 16 };

typedef struct {
    uint64_t call, answer;
    uint32_t tx, number;
    str text;
} lane_event;

typedef VEC(lane_event) lane_events;

static int compare_lane_events(const void *a, const void *b) {
    const lane_event *x = a, *y = b;
    if (x->call != y->call) return x->call < y->call ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void add_lane_event(lane_events *all, uint32_t tx, uint64_t call, uint64_t answer, str text) {
    vec_push(all, (lane_event){call, answer, tx, all->len, text});
}

static str lane_word(const char *word) {
    str s = {0};
    str_add(&s, word);
    return s;
}

static str lane_op(const recorded *h, const recorded_op *o) {
    static const char *const words[] = {"read ", "write ", "append ", "read "};
    str s = lane_word(words[o->kind]);
    explain_value(h, o->key, o->value, o->kind == OP_READ_LIST, &s);
    return s;
}

static void collect_lanes(const recorded *h, lane_events *all) {
    for (uint32_t t = 0; t < h->txs.len; t++) {
        const recorded_tx *x = &h->txs.data[t];
        add_lane_event(all, t, x->begins, x->begins, lane_word("begin"));
        for (uint32_t i = x->first; i < x->first + x->count; i++) {
            recorded_op o = recorded_get(h, i);
            add_lane_event(all, t, o.call, o.answer, lane_op(h, &o));
        }
        if (x->outcome == TX_COMMITTED) add_lane_event(all, t, x->commits, x->ends, lane_word("commit"));
        if (x->outcome == TX_ABORTED) add_lane_event(all, t, x->ends, x->ends, lane_word("abort"));
        if (x->outcome == TX_PENDING)
            add_lane_event(all, t, x->commits, RECORDED_NEVER, lane_word("commit, no answer"));
    }
    if (all->len) qsort(all->data, all->len, sizeof *all->data, compare_lane_events);
}

static void lane_pad(str *line, size_t width) {
    size_t now = str_columns(str_get(line));
    str_pad(line, ' ', now < width ? width - now : 1);
}

static void say_lane_event(const lane_event *e, str *out) {
    str line = {0};
    str_printf(&line, "      %llu", (unsigned long long)e->call);
    if (e->answer == RECORDED_NEVER) str_add(&line, "..");
    else if (e->answer != e->call) str_printf(&line, "..%llu", (unsigned long long)e->answer);
    lane_pad(&line, 6 + TIME_WIDTH + (size_t)e->tx * LANE_WIDTH);
    str_add(&line, str_get(&e->text));
    str_printf(out, "%s\n", str_get(&line));
    str_free(&line);
}

static bool say_lanes(const level_report *x, str *out) {
    const recorded *h = &x->core.h;
    if (!h->has_times || h->txs.len > MOST_LANES || h->op_key.len > MOST_SHOWN) return false;
    lane_events all = {0};
    str head = {0};
    str_add(&head, "      time");
    for (uint32_t t = 0; t < h->txs.len; t++) {
        lane_pad(&head, 6 + TIME_WIDTH + (size_t)t * LANE_WIDTH);
        explain_tx_name(t, &head);
    }
    str_printf(out, "%s\n", str_get(&head));
    str_free(&head);
    collect_lanes(h, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        say_lane_event(&all.data[i], out);
        str_free(&all.data[i].text);
    }
    vec_free(&all);
    return true;
}

static void say_edges(const levels_run *r, const explanation *e, str *out) {
    for (uint32_t i = 0; i < e->edges.len; i++) {
        const explained_edge *x = &e->edges.data[i];
        str from = {0};
        explain_tx_name(x->from, &from);
        str_printf(out, "      %s %s ", str_get(&from), r->s->style.utf8 ? "→" : "->");
        explain_tx_name(x->to, out);
        str_printf(out, "  %s: %s\n", why_name(x->kind), str_get(&x->text));
        str_free(&from);
    }
}

static void say_violation(const levels_run *r, const level_report *x, str *out) {
    if (!x->has_core) {
        str_add(out, "    the transactions that show it were not found in time\n");
        return;
    }
    const explanation *e = &x->explanation;
    if (e->anomaly) str_printf(out, "    %s%s%s\n", e->anomaly, e->text.len ? ": " : "", str_get(&e->text));
    else if (e->text.len) str_printf(out, "    %s\n", str_get(&e->text));
    str lanes = {0};
    bool has_lanes = say_lanes(x, &lanes);
    say_members(r, x, has_lanes, out);
    str_add(out, str_get(&lanes));
    str_free(&lanes);
    if (e->edges.len) str_add(out, "    each must come before the next:\n");
    say_edges(r, e, out);
    if (x->core.kind == CORE_CONFIRMED && x->core.txs.len > 1)
        str_printf(out, "    these %s transactions alone show it: no order of them works, and all were tried\n",
                   str_count(x->core.txs.len));
}

static void say_order(const levels_run *r, const level_answer *a, str *out) {
    uint32_t n = a->witness.norder, shown = n < MOST_SHOWN ? n : MOST_SHOWN;
    style_flow flow;
    if (!n) return;
    str_add(out, level_is_snapshot(a->level) ? "    snapshots (s) and commits (c) " : "    order ");
    style_flow_begin(&flow, &r->s->style, out, 8, level_is_snapshot(a->level) ? 34 : 10);
    for (uint32_t i = 0; i < shown; i++) {
        uint32_t v = a->witness.order[i], tx = level_is_snapshot(a->level) ? v / 2 : v;
        str word = {0};
        if (level_is_snapshot(a->level)) str_add(&word, v & 1 ? "c:" : "s:");
        str name = {0};
        names_show(&r->h->sessions, r->h->txs.data[tx].session, &name);
        uint32_t k = 1;
        for (uint32_t t = 0; t < tx && r->h->txs.len < 100000; t++)
            k += r->h->txs.data[t].session == r->h->txs.data[tx].session;
        str_printf(&word, "%s.%u", str_get(&name), r->h->txs.len < 100000 ? k : tx + 1);
        style_flow_word(&flow, ROLE_PLAIN, str_get(&word));
        str_free(&word);
        str_free(&name);
    }
    if (shown < n) str_printf(out, " and %s more", str_count(n - shown));
    str_char(out, '\n');
}

static void say_level(const levels_run *r, level l, str *out) {
    const level_report *x = &r->of[l];
    bool is_quiet = options_has(&r->s->opt, OPT_QUIET), is_table = !options_has(&r->s->opt, OPT_LEVEL);
    verdict v = levels_verdict(x->answer.verdict);
    style_verdict(&r->s->style, level_name(l), text_verdict_role(v), verdict_text(v), out);
    if (v == VERDICT_VIOLATED && x->same_as != l) str_printf(out, ", as %s is", level_name(x->same_as));
    str_char(out, '\n');
    if (is_quiet) return;
    if (v == VERDICT_UNKNOWN) style_detail(&r->s->style, ROLE_PLAIN, x->answer.why ? x->answer.why : "", out);
    if (v == VERDICT_VIOLATED && x->same_as == l) say_violation(r, x, out);
    if (v == VERDICT_HOLDS && !is_table) say_order(r, &x->answer, out);
}

void levels_say_counts(uint64_t events, uint32_t sessions, const uint64_t *counts, bool has_times, str *out) {
    str_printf(out, "%s events", str_count(events));
    str_printf(out, " of %s sessions", str_count(sessions));
    str_printf(out, ": %s transactions committed, %s aborted", str_count(counts[TX_COMMITTED]),
               str_count(counts[TX_ABORTED]));
    if (counts[TX_PENDING]) str_printf(out, ", %s commit-pending", str_count(counts[TX_PENDING]));
    if (counts[TX_LIVE]) str_printf(out, ", %s live", str_count(counts[TX_LIVE]));
    if (!has_times) str_add(out, "; no times");
    str_char(out, '\n');
}

static void say_counts_of(const levels_run *r, str *out) {
    const recorded *h = r->h;
    uint64_t counts[TX_OUTCOMES] = {0};
    for (uint32_t t = 0; t < h->txs.len; t++) counts[h->txs.data[t].outcome]++;
    levels_say_counts(h->events, names_count(&h->sessions), counts, h->has_times, out);
}

// What holds first, the strongest first; then what is violated, and what is not known.
static void say_levels(const levels_run *r, str *out) {
    static const order_verdict parts[] = {ORDER_YES, ORDER_NO, ORDER_UNKNOWN};
    if (!options_has(&r->s->opt, OPT_QUIET)) say_counts_of(r, out);
    for (uint32_t p = 0; p < 3; p++)
        for (uint32_t l = 0; l < LEVEL_COUNT; l++)
            if (r->of[l].is_asked && r->of[l].answer.verdict == parts[p]) say_level(r, (level)l, out);
    for (uint32_t l = 0; l < LEVEL_COUNT; l++)
        if (r->of[l].is_absent) str_printf(out, "%s: not asked, this history has no times\n", level_name((level)l));
}

// ---- all of it

static int levels_code(const levels_run *r) {
    verdict v = VERDICT_HOLDS;
    for (uint32_t l = 0; l < LEVEL_COUNT; l++)
        if (r->of[l].is_asked) v = verdict_join(v, levels_verdict(r->of[l].answer.verdict));
    return session_exit_code(v);
}

// The core of the strongest level that is violated in its own way.
static bool levels_write_core(levels_run *r) {
    const char *path = r->s->opt.core;
    for (uint32_t l = 0; path && l < LEVEL_COUNT; l++) {
        const level_report *x = &r->of[l];
        if (!x->is_asked || !x->has_core) continue;
        str text = {0};
        str_printf(&text, "# %s does not hold%s%s\n", level_name((level)l), x->explanation.anomaly ? ": " : "",
                   x->explanation.anomaly ? x->explanation.anomaly : "");
        text_add_head(&x->core.h, &text);
        for (uint32_t i = 0; i < x->core.h.txs.len; i++) text_add_tx(&x->core.h, i, &text);
        bool good = session_write_file(r->s, path, &text);
        str_free(&text);
        return good;
    }
    return true;
}

static void levels_free(levels_run *r) {
    for (uint32_t l = 0; l < LEVEL_COUNT; l++) {
        level_answer_free(&r->of[l].answer);
        core_free(&r->of[l].core);
        explanation_free(&r->of[l].explanation);
    }
}

static int levels_report_all(levels_run *r) {
    int code = levels_code(r);
    str text = {0};
    if (session_wants_answer(r->s)) session_answer(r->s, levels_object(r));
    if (!session_is_json(r->s)) say_levels(r, &text);
    session_say_verdict(r->s, &text, code);
    bool written = levels_write_core(r);
    if (r->s->opt.certificate) written = levels_write_certificate(r, r->s->opt.certificate) && written;
    return session_saved(r->s, written, code);
}

int levels_check_history(session *s, const recorded *h) {
    levels_run *r = arena_alloc(s->opt.memory, sizeof *r);
    *r = (levels_run){.s = s, .h = h};
    int code = EXIT_BAD_INPUT;
    if (choose_levels(r)) {
        decide_levels(r);
        explain_levels(r);
        code = levels_report_all(r);
    }
    levels_free(r);
    return code;
}

int levels_check(session *s) {
    sources from = {0};
    recorded h = {0};
    int code = EXIT_BAD_INPUT;
    const format *by = s->opt.format ? levels_format(s, s->opt.format) : NULL;
    bool good = (!s->opt.format || by) && levels_open(s, &from);
    if (good && !levels_streamed(s, &from, by, &code) && levels_read(s, by, &from, &h))
        code = levels_check_history(s, &h);
    recorded_free(&h);
    sources_free(&from);
    return code;
}
