// SPDX-License-Identifier: Apache-2.0
// One run of the program: see session.h.
#include "cli/session.h"

#include "base/clock.h"
#include "base/outfile.h"
#include "base/reach.h"
#include "cli/command.h"
#include "cli/watchdog.h"
#include "report/object.h"
#include "report/page.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_UNLESS_KNOWN = 100, LEAST_WIDTH = 60, MOST_WIDTH = 160, PROOF_SECONDS = 300, PAGE_MOST_SOURCE = 1 << 20 };

// ---- style

static unsigned terminal_width(int fd) {
    struct winsize w;
    if (ioctl(fd, TIOCGWINSZ, &w) != 0 || !w.ws_col) return WIDTH_UNLESS_KNOWN;
    return w.ws_col < LEAST_WIDTH ? LEAST_WIDTH : w.ws_col > MOST_WIDTH ? MOST_WIDTH : w.ws_col;
}

// A launcher may put a terminal of its own between us and a file.
static bool session_is_terminal(const session *s, int fd) { return s->launch.count == 1 && isatty(fd); }

static bool wants_colour(const session *s, int fd) {
    color_choice choice = s->opt.color;
    if (choice != COLOR_AUTO) return choice == COLOR_ALWAYS;
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    return session_is_terminal(s, fd) && !(no && *no) && !(term && str_same(term, "dumb"));
}

void session_set_style(session *s) {
    bool is_terminal = session_is_terminal(s, STDOUT_FILENO);
    s->style.colour = wants_colour(s, STDOUT_FILENO);
    s->style.utf8 = str_same(nl_langinfo(CODESET), "UTF-8");
    s->style.width = is_terminal ? terminal_width(STDOUT_FILENO) : WIDTH_UNLESS_KNOWN;
    s->is_live = session_is_terminal(s, STDERR_FILENO) && !options_has(&s->opt, OPT_QUIET);
}

// ---- where models are

static void add_search_folders(session *s) {
    const char *folders = getenv("PARVIS_PATH");
    for (const char *at = folders ? folders : ""; *at;) {
        size_t n = strcspn(at, ":");
        if (n) vec_push(&s->search, arena_strn(s->opt.memory, at, n));
        at += n + (at[n] == ':');
    }
    for (uint32_t i = 0; i < s->search.len; i++) vec_push(&s->allowed, s->search.data[i]);
    for (uint32_t i = 0; i < s->opt.allowed.len; i++) vec_push(&s->allowed, s->opt.allowed.data[i]);
    str library = {0};
    if (reach_library(&library)) vec_push(&s->search, arena_str(s->opt.memory, str_get(&library)));
    str_free(&library);
}

// "FILE" or "FILE:SYSTEM"; NULL: it is not there.
static const char *found_model(session *s, const char *name) {
    const front_search where = {s->search.data, s->search.len};
    const char *colon = strrchr(name, ':'), *found = front_find(s->opt.memory, &where, name);
    if (found || !colon) return found;
    found = front_find(s->opt.memory, &where, arena_strn(s->opt.memory, name, (size_t)(colon - name)));
    return found ? arena_printf(s->opt.memory, "%s%s", found, colon) : NULL;
}

static bool is_there(const session *s, const char *name) {
    const char *colon = strrchr(name, ':');
    if (access(name, F_OK) == 0) return true;
    return colon && access(arena_strn(s->opt.memory, name, (size_t)(colon - name)), F_OK) == 0;
}

static void find_model(session *s, const char **name) {
    const char *found = !*name || is_there(s, *name) ? NULL : found_model(s, *name);
    if (found) *name = found;
}

void session_find_models(session *s) {
    add_search_folders(s);
    for (uint32_t i = 1; i < s->opt.arguments.len; i++) find_model(s, &s->opt.arguments.data[i]);
    if (s->opt.spec && str_ends(s->opt.spec, ".ix")) find_model(s, &s->opt.spec);  // else it is a name of the library
    find_model(s, &s->opt.lemmas);
}

// ---- limits

static json_t *head_object(const session *s) {
    json_t *o = json_object();
    json_object_set_new(o, "parvis", json_string(PARVIS_VERSION));
    json_object_set_new(o, "command", s->command ? json_string(s->command->name) : json_null());
    json_object_set_new(o, "file", s->file ? object_string(s->file) : json_null());
    return o;
}

void session_set_limits(session *s) {
    const options *o = &s->opt;
    s->limits = (limits){.seconds = o->limit_seconds,
                         .until = o->limit_seconds > 0 ? s->started + o->limit_seconds : 0,
                         .cpu_seconds = o->limit_cpu_seconds,
                         .bytes = o->limit_bytes};
    json_t *object = head_object(s);
    char *text = json_dumps(object, 0);
    json_decref(object);
    str head = {0};
    str_printf(&head, "%.*s, ", (int)strlen(text) - 2, text + 1);
    free(text);
    watchdog_start(&s->limits, str_get(&head), s->is_live);
    str_free(&head);
}

limits session_proof_limits(const session *s, uint32_t questions) {
    limits l = s->opt.limit_seconds > 0 ? s->limits : limits_within(&s->limits, PROOF_SECONDS);
    bool is_asked = s->opt.limit_seconds > 0 || s->opt.limit_cpu_seconds > 0;
    l.cpu_until = l.cpu_seconds;  // of this process; what children take, the watcher counts
    if (!is_asked || questions < 2) return l;
    l = limits_within(&l, limits_left(&l) / questions);
    l.is_share = true;
    return l;
}

void session_phase(session *s, const char *phase) { limits_set_phase(&s->limits, phase); }

// ---- beginning and end

void session_begin(session *s) {
    *s = (session){.messages = diag_new(), .started = clock_seconds()};
    setlocale(LC_CTYPE, "");
}

void session_end(session *s) {
    json_decref(s->answer);
    json_decref(s->sources);
    options_free(&s->opt);
    vec_free(&s->search);
    vec_free(&s->allowed);
    for (uint32_t i = 0; i < s->kept.len; i++) free(s->kept.data[i]);
    vec_free(&s->kept);
    for (uint32_t i = 0; i < s->models.len; i++) model_free(s->models.data[i]);
    vec_free(&s->models);
    diag_free(s->messages);
}

progress *session_line(const session *s) {
    struct winsize w;
    unsigned columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
    progress *line = progress_new(s->is_live ? stderr : NULL, columns);
    progress_limit(line, &(progress_limits){.started = s->limits.until - s->limits.seconds,
                                            .until = s->limits.until,
                                            .cpu_seconds = s->limits.cpu_seconds,
                                            .bytes = s->opt.limit_bytes,
                                            .states = s->opt.limit_states});
    return line;
}

bool session_is_json(const session *s) { return options_has(&s->opt, OPT_JSON); }

bool session_wants_answer(const session *s) { return session_is_json(s) || s->opt.report; }

object_detail session_detail(const session *s) {
    if (options_has(&s->opt, OPT_FULL_STATES)) return OBJECT_STATES;
    return s->opt.report ? OBJECT_DRAWN : OBJECT_CHANGES;
}

text_options session_text_options(const session *s) {
    return (text_options){.quiet = options_has(&s->opt, OPT_QUIET),
                          .full_states = options_has(&s->opt, OPT_FULL_STATES),
                          .statistics = options_has(&s->opt, OPT_STATISTICS)};
}

// The first failure counts: what comes after it says little about the cause.
static void note_output(session *s, bool ok) {
    if (!ok && !s->output_error) s->output_error = errno ? errno : EIO;
}

// The one sign beyond ASCII that names of ours have, that of products, where the terminal cannot show it.
static void spell_in_ascii(str *text) {
    char *p = text->len ? text->text : NULL;
    while (p && (p = strstr(p, "\xC3\x97"))) {
        *p = 'x';
        memmove(p + 1, p + 2, strlen(p + 2) + 1);
        text->len--;
    }
}

void session_say(session *s, str *text) {
    if (!s->style.utf8) spell_in_ascii(text);
    errno = 0;
    if (!session_is_json(s)) note_output(s, watchdog_write(STDOUT_FILENO, str_get(text), text->len));
    str_free(text);
}

void session_say_bytes(session *s, str *bytes) {
    errno = 0;
    if (!session_is_json(s)) note_output(s, watchdog_write(STDOUT_FILENO, str_get(bytes), bytes->len));
    str_free(bytes);
}

static void set_saving(session *s, bool is_on) {
    if (s->is_saving != is_on) limits_saving(&s->limits, is_on);
    s->is_saving = is_on;
}

void session_say_verdict(session *s, str *text, int code) {
    set_saving(s, true);
    if (session_is_json(s)) return;
    if (!s->style.utf8) spell_in_ascii(text);
    errno = 0;
    note_output(s, watchdog_write_answer(STDOUT_FILENO, str_get(text), text->len, code));
    str_free(text);
}

int session_saved(session *s, bool is_written, int code) {
    s->is_unsaved = !is_written;
    return is_written ? code : EXIT_BAD_INPUT;
}

bool session_say_limit(session *s) {
    if (!limits_met(&s->limits)) return false;
    str text = {0};
    str_printf(&text, "unknown: %s\n", limits_why(&s->limits));
    session_say(s, &text);
    return true;
}

// The texts of the files that were read, as far as they are of a size that people read.
static json_t *sources_object(const diag *d) {
    json_t *list = json_array();
    for (uint32_t i = 1; i <= diag_files(d); i++) {
        size_t size;
        const char *text = diag_file_text(d, i, &size);
        bool is_short = size <= PAGE_MOST_SOURCE;
        str copy = {0};
        str_addn(&copy, text, is_short ? size : 0);
        json_array_append_new(list, json_pack("{s:o, s:i, s:o}", "file", object_string(diag_file_path(d, i)), "line",
                                              (int)diag_file_line(d, i), "text",
                                              is_short ? object_string(str_get(&copy)) : json_null()));
        str_free(&copy);
    }
    return list;
}

void session_answer(session *s, json_t *members) {
    if (!s->answer) s->answer = json_object();
    json_object_update_new(s->answer, members);
    if (!s->opt.report) return;
    // Now: at the end of the session the texts may be gone.
    json_decref(s->sources);
    s->sources = sources_object(s->messages);
}

bool session_error(session *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(s->messages, (span){0}, format, args);
    va_end(args);
    return false;
}

bool session_write_file(session *s, const char *path, const str *text) {
    if (outfile_write(path, str_get(text), text->len)) return true;
    return session_error(s, "cannot write '%s': %s", path, strerror(errno));
}

bool session_write_trace(session *s, const result_property *p) {
    if (!s->opt.trace || !p) return true;
    str text = {0};
    json_t *o = object_trace(p->trace, p->name, options_has(&s->opt, OPT_FULL_STATES) ? OBJECT_STATES : OBJECT_CHANGES);
    json_object_set_new(o, "reason", object_string_or_null(p->reason));
    object_print(o, &text);
    json_decref(o);
    bool ok = session_write_file(s, s->opt.trace, &text);
    str_free(&text);
    return ok;
}

void session_show_messages(session *s) {
    if (session_is_json(s)) return;
    str text = {0};
    diag_print(s->messages, &text, wants_colour(s, STDERR_FILENO));
    fputs(str_get(&text), stderr);
    str_free(&text);
}

int session_exit_code(verdict v) {
    return v == VERDICT_HOLDS ? EXIT_HOLDS : v == VERDICT_VIOLATED ? EXIT_VIOLATED : EXIT_UNKNOWN;
}

// Where input was bad there is no verdict, whatever was found before; where only a file is missing there is.
static json_t *whole_answer(session *s, int code) {
    json_t *o = head_object(s);
    if ((code != EXIT_BAD_INPUT || s->is_unsaved) && s->answer) json_object_update(o, s->answer);
    if (code == EXIT_UNKNOWN && limits_met(&s->limits)) {
        if (!json_object_get(o, "verdict")) json_object_set_new(o, "verdict", json_string("unknown"));
        if (!json_object_get(o, "reason")) json_object_set_new(o, "reason", json_string(limits_why(&s->limits)));
    }
    if (code == EXIT_BAD_INPUT) json_object_set_new(o, "errors", object_messages(s->messages, DIAG_ERROR));
    json_object_set_new(o, "warnings", object_messages(s->messages, DIAG_WARNING));
    return o;
}

static void print_answer(session *s, int code) {
    json_t *o = whole_answer(s, code);
    str text = {0};
    object_print(o, &text);
    errno = 0;
    note_output(s, watchdog_write_answer(STDOUT_FILENO, str_get(&text), text.len, code));
    str_free(&text);
    json_decref(o);
}

// A reader that went away (`| head`) wanted no more; a full disk took the answer from somebody who did.
static int judge_output(const session *s, int code) {
    if (!s->output_error || s->output_error == EPIPE) return code;
    fprintf(stderr, "error: cannot write to standard output: %s\n", strerror(s->output_error));
    return EXIT_UNKNOWN;
}

// ---- the page

static json_t *arguments_object(const session *s) {
    json_t *list = json_array();
    for (int i = 0; i < s->argc; i++) json_array_append_new(list, object_string(i ? s->argv[i] : "parvis"));
    return list;
}

static json_t *without_trace(const json_t *o) {
    json_t *copy = json_copy((json_t *)o);
    json_object_del(copy, "trace");
    return copy;
}

// Without the traces of its properties.
static json_t *run_without_traces(const json_t *run) {
    size_t i;
    json_t *p, *list = json_array(), *copy = without_trace(run);
    json_array_foreach(json_object_get(run, "properties"), i, p) json_array_append_new(list, without_trace(p));
    json_object_set_new(copy, "properties", list);
    return copy;
}

// A run is in an answer several times, and may be long: a page needs those of the properties, which are of the sizes
// that decide them. What it does not need is left out of copies, since the answer may still be printed.
static void keep_each_trace_once(json_t *o) {
    size_t i;
    json_t *run, *runs = json_object_get(o, "runs");
    if (json_array_size(json_object_get(o, "properties"))) json_object_del(o, "trace");
    if (!runs) return;
    json_t *list = json_array();
    json_array_foreach(runs, i, run) json_array_append_new(list, run_without_traces(run));
    json_object_set_new(o, "runs", list);
}

// The answer with what else a page shows of the run. Where there is no answer there is no page, and one of an earlier
// run is left alone.
static int write_page(session *s, int code) {
    if (!s->opt.report || !s->command || (code == EXIT_BAD_INPUT && !s->is_unsaved)) return code;
    set_saving(s, true);
    json_t *o = whole_answer(s, code);
    keep_each_trace_once(o);
    json_object_set_new(o, "arguments", arguments_object(s));
    json_object_set_new(o, "exit_code", json_integer(code));
    json_object_set_new(o, "commit", json_string(version_commit()));
    json_object_set(o, "sources", s->sources ? s->sources : json_null());
    str text = {0};
    page_text(o, &text);
    json_decref(o);
    bool ok = session_write_file(s, s->opt.report, &text);
    str_free(&text);
    return ok ? code : session_saved(s, false, code);
}

int session_finish(session *s, int code) {
    code = write_page(s, code);
    if (session_is_json(s)) print_answer(s, code);
    session_show_messages(s);
    code = judge_output(s, code);
    watchdog_answered(code);
    set_saving(s, false);
    return code;
}
