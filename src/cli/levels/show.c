// SPDX-License-Identifier: Apache-2.0
// parvis show of recorded histories: what is in them (--stats), or the same history in another format (--format).
#include "cli/levels/levels.h"

#include "base/outfile.h"
#include "history/format.h"
#include "history/stats.h"
#include "report/object.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static json_t *stats_object(const history_stats *x) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:f, s:I}", "sessions",
                     (json_int_t)x->sessions, "transactions", (json_int_t)x->transactions, "committed",
                     (json_int_t)x->outcomes[TX_COMMITTED], "aborted", (json_int_t)x->outcomes[TX_ABORTED], "pending",
                     (json_int_t)x->outcomes[TX_PENDING], "live", (json_int_t)x->outcomes[TX_LIVE], "events",
                     (json_int_t)x->events, "reads", (json_int_t)x->reads, "writes", (json_int_t)x->writes, "keys",
                     (json_int_t)x->keys, "repeated_values", (json_int_t)x->repeated, "times", x->has_times,
                     "most_overlapping", (json_int_t)x->most_open, "mean_overlapping", x->mean_overlap,
                     "longest_transaction", (json_int_t)x->longest);
}

static void stats_say(const history_stats *x, str *out) {
    str_printf(out, "sessions      %s\n", str_count(x->sessions));
    str_printf(out, "transactions  %s: %s committed", str_count(x->transactions), str_count(x->outcomes[TX_COMMITTED]));
    str_printf(out, ", %s aborted, %s commit-pending", str_count(x->outcomes[TX_ABORTED]),
               str_count(x->outcomes[TX_PENDING]));
    str_printf(out, ", %s live\n", str_count(x->outcomes[TX_LIVE]));
    str_printf(out, "operations    %s reads, %s writes", str_count(x->reads), str_count(x->writes));
    str_printf(out, "; at most %s in a transaction\n", str_count(x->longest));
    str_printf(out, "keys          %s\n", str_count(x->keys));
    str_printf(out, "values        %s writes wrote what was written to the same key before\n", str_count(x->repeated));
    if (!x->has_times) {
        str_add(out, "overlaps      not known: there are no times\n");
        return;
    }
    str_printf(out, "overlaps      at most %s transactions at a time; a transaction overlaps %.1f others on average\n",
               str_count(x->most_open), x->mean_overlap);
}

static bool show_converted(session *s, const recorded *h) {
    const format *f = format_find(s->opt.format);
    const char *why = NULL;
    if (!f) return session_error(s, "unknown format '%s'", s->opt.format);
    if (!f->write) return session_error(s, "histories are not written in the format '%s', only read", f->name);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool good = out && f->write(h, out, &why);
    if (out && fclose(out) != 0) good = false;
    if (!good && why) session_error(s, "this history cannot be written so: the format has no place for %s", why);
    else if (!good) session_error(s, "cannot write the history: %s", strerror(errno));
    str all = {0};
    if (good) str_addn(&all, text, size);
    free(text);
    if (good && session_is_json(s)) session_answer(s, json_pack("{s:o}", "text", object_string(str_get(&all))));
    if (good) session_say(s, &all);
    str_free(&all);
    return good;
}

static void show_stats(session *s, const recorded *h) {
    history_stats x;
    str text = {0};
    stats_count(h, &x);
    session_answer(s, stats_object(&x));
    stats_say(&x, &text);
    session_say(s, &text);
}

int levels_show(session *s) {
    sources from = {0};
    recorded h;
    bool good = levels_load(s, NULL, &from, &h), is_conversion = options_has(&s->opt, OPT_FORMAT);
    if (good && is_conversion) good = show_converted(s, &h);
    else if (good) show_stats(s, &h);
    recorded_free(&h);
    sources_free(&from);
    return good ? EXIT_HOLDS : EXIT_BAD_INPUT;
}
