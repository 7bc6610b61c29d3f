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
#include <sys/stat.h>

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

// ---- conversion

static bool convert_failed(session *s, const char *path, const char *why) {
    if (why) return session_error(s, "this history cannot be written so: the format has no place for %s", why);
    if (!path) return session_error(s, "cannot write the history: %s", strerror(errno));
    return session_error(s, "cannot write '%s': %s", path, strerror(errno));
}

typedef struct {
    const char *path;
    bool is_made;
} convert_folder;

// The folder is made when the first file is known: a history that cannot be written leaves nothing.
static bool convert_add_file(void *context, const char *name, const char *bytes, size_t size) {
    convert_folder *f = context;
    if (!f->is_made && mkdir(f->path, 0777) != 0) return false;
    f->is_made = true;
    str path = {0};
    str_printf(&path, "%s/%s", f->path, name);
    bool good = outfile_write(str_get(&path), bytes, size);
    str_free(&path);
    return good;
}

static bool convert_to_folder(session *s, const recorded *h, const format *f) {
    convert_folder to = {.path = s->opt.output};
    const char *why = NULL;
    return f->write_folder(h, &(format_folder){convert_add_file, &to}, &why) || convert_failed(s, to.path, why);
}

static bool convert_to_file(session *s, const recorded *h, const format *f) {
    const char *why = NULL;
    outfile *file = outfile_open(s->opt.output);
    if (!file) return convert_failed(s, s->opt.output, NULL);
    bool good = f->write(h, outfile_stream(file), &why);
    if (!good) outfile_drop(file);
    else good = outfile_commit(file);
    return good || convert_failed(s, s->opt.output, why);
}

// As JSON it is a member, which binary files cannot be.
static bool convert_to_output(session *s, const recorded *h, const format *f) {
    const char *why = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool good = out && f->write(h, out, &why);
    if (out && fclose(out) != 0) good = false;
    if (!good) convert_failed(s, NULL, why);
    bool is_binary = good && memchr(text, '\0', size);
    if (is_binary && session_is_json(s))
        good = session_error(s, "this format is binary, and no member of JSON: -o names a file for it");
    str all = {0};
    if (good) str_addn(&all, text, size);
    free(text);
    if (good && session_is_json(s)) session_answer(s, json_pack("{s:o}", "text", object_string(str_get(&all))));
    if (good) session_say_bytes(s, &all);
    str_free(&all);
    return good;
}

static bool show_converted(session *s, const recorded *h) {
    const format *f = levels_format(s, s->opt.format);
    if (!f) return false;
    const char *path = s->opt.output;
    bool good = !path             ? convert_to_output(s, h, f)
                : f->write_folder ? convert_to_folder(s, h, f)
                                  : convert_to_file(s, h, f);
    if (good && h->has_times && f->leaves_out)
        diag_warning(s->messages, (span){0}, "%s are left out: the format has no place for them", f->leaves_out);
    if (good && path) session_answer(s, json_pack("{s:s}", "file", path));
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
    if (good && !is_conversion && s->opt.output) good = session_error(s, "-o is for a history that --format converts");
    if (good && is_conversion) good = show_converted(s, &h);
    else if (good) show_stats(s, &h);
    recorded_free(&h);
    sources_free(&from);
    return good ? EXIT_HOLDS : EXIT_BAD_INPUT;
}
