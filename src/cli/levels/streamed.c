// SPDX-License-Identifier: Apache-2.0
// parvis check of large histories by levels about real time, while they are read (history/stream.h): memory follows the
// transactions that overlap. What is not decided so is looked at as a whole.
#include "cli/levels/levels.h"

#include "history/stream.h"

#include <string.h>

enum { STREAM_FROM = 1 << 25, MOST_SHOWN = 30 };  // bytes of all files; transactions of an order

// The levels that are asked for, if these are strict and opaque alone.
static bool streamed_levels(session *s, bool *strict, bool *opaque) {
    bool good = s->opt.levels.len > 0;
    for (uint32_t i = 0; i < s->opt.levels.len; i++) {
        char *rest = arena_str(s->opt.memory, s->opt.levels.data[i]);
        for (char *part; (part = strsep(&rest, ","));) {
            bool is_strict = str_same(part, "strict"), is_opaque = str_same(part, "opaque");
            *strict |= is_strict;
            *opaque |= is_opaque;
            good &= is_strict || is_opaque;
        }
    }
    return good;
}

// Certificates and JSON have the whole order.
static bool streamed_is_for(const session *s, const sources *from, const format *by) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < from->files.len; i++) bytes += from->files.data[i].size;
    if (bytes < STREAM_FROM || session_wants_answer(s) || s->opt.certificate) return false;
    return stream_is_for(from->files.data, from->files.len, by);
}

static void say_streamed_order(const session *s, const stream_answer *a, level l, str *out) {
    uint64_t n = l == LEVEL_OPAQUE ? a->placed : a->committed, shown = 0;
    style_flow flow;
    str_add(out, "    order ");
    style_flow_begin(&flow, &s->style, out, 8, 10);
    for (uint32_t i = 0; i < a->shown.len && shown < MOST_SHOWN; i++) {
        const stream_tx *t = &a->shown.data[i];
        str word = {0};
        if (l != LEVEL_OPAQUE && !t->is_committed) continue;
        names_show(&a->sessions, t->session, &word);
        str_printf(&word, ".%u", t->number);
        style_flow_word(&flow, ROLE_PLAIN, str_get(&word));
        str_free(&word);
        shown++;
    }
    if (shown < n) str_printf(out, " and %s more", str_count(n - shown));
    str_char(out, '\n');
}

static void say_streamed(const session *s, const stream_answer *a, bool strict, bool opaque, str *out) {
    static const level levels[] = {LEVEL_OPAQUE, LEVEL_STRICT};
    bool is_quiet = options_has(&s->opt, OPT_QUIET);
    if (!is_quiet) levels_say_counts(a->events, names_count(&a->sessions), a->outcomes, true, out);
    for (uint32_t i = 0; i < 2; i++) {
        if (!(levels[i] == LEVEL_OPAQUE ? opaque : strict)) continue;
        style_verdict(&s->style, level_name(levels[i]), text_verdict_role(VERDICT_HOLDS), verdict_text(VERDICT_HOLDS),
                      out);
        str_char(out, '\n');
        if (!is_quiet) say_streamed_order(s, a, levels[i], out);
    }
}

bool levels_streamed(session *s, const sources *from, const format *by, int *code) {
    bool strict = false, opaque = false;
    if (!streamed_levels(s, &strict, &opaque) || !streamed_is_for(s, from, by)) return false;
    session_phase(s, "reading and checking");
    stream_how how = {.level = opaque ? LEVEL_OPAQUE : LEVEL_STRICT,
                      .stop = &s->limits,
                      .shown = 4 * MOST_SHOWN,
                      .is_mapped = from->mapped.data[0] > 0};
    stream_answer a;
    stream_check(from->files.data, from->files.len, &how, &a);
    bool holds = a.holds;
    if (holds) {
        str text = {0};
        *code = session_exit_code(VERDICT_HOLDS);
        say_streamed(s, &a, strict, opaque, &text);
        session_say_verdict(s, &text, *code);
    }
    stream_answer_free(&a);
    sources_rest(from);
    return holds;
}
