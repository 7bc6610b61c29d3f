// SPDX-License-Identifier: Apache-2.0
// parvis test: runs the expectations of model files, several at a time, and compares.
//
// Files are read here, for what they expect; each expectation is decided by a run of this program of its own
// (cli/expected.h), so that none can harm another and as many go on as there are cores. Lines are printed in the order
// of the files, as soon as those before them are. An interrupted run leaves the rest unknown.
#include "base/process.h"
#include "cli/command.h"
#include "cli/expected.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/session.h"
#include "base/crew.h"
#include "front/expect.h"
#include "report/tests.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A row that is run has an expectation.
typedef struct {
    const model *m;
    const expectation *x;
    const char *const *command;
    json_t *answer;  // NULL: none came
} test_case;

typedef struct {
    session *s;
    char *self;  // our own program
    VEC(const char *) files;
    VEC(diag *) messages;  // of each file
    VEC(test_row) rows;
    VEC(test_case) cases;  // of the same number as the rows
    uint32_t jobs, with_any, with_mistakes;
    _Atomic uint32_t next;
    pthread_mutex_t lock;  // of what follows
    uint32_t shown;
    progress *line;
} testing;

// ---- finding files

typedef struct {
    const char *ending, *leader;  // of comments; NULL: the language has `expect`
} tested_language;

static const tested_language tested[] = {{".pv", NULL},  {".m", "--"},  {".pyv", "#"},
                                         {".xta", "//"}, {".ta", "//"}, {".xml", "//"}};

static const tested_language *tested_as(const char *path) {
    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++)
        if (str_ends(path, tested[i].ending)) return &tested[i];
    return NULL;
}

// Files of UPPAAL also have what it answered: <result outcome="success"/>.
static bool has_word_expect(const char *path) {
    size_t size;
    char *text = str_read_file(path, &size);
    bool has = text && (memmem(text, size, "expect", strlen("expect")) ||
                        (str_ends(path, ".xml") && memmem(text, size, "outcome=", strlen("outcome="))));
    free(text);
    return has;
}

// In a folder there are other files of these names too: those that expect nothing are not even read as models. What is
// called .pv is ours.
static bool is_tested(const char *path) {
    const tested_language *l = tested_as(path);
    if (!l || !l->leader || has_word_expect(path)) return l != NULL;
    const char *dot = strrchr(path, '.');
    str beside = {0};
    str_printf(&beside, "%.*s.q", (int)(dot - path), path);
    bool has = has_word_expect(str_get(&beside));
    str_free(&beside);
    return has;
}

static bool test_add_path(testing *t, const char *path, bool is_named);

// In the order of names; hidden ones are left out, and links to folders are not followed.
static bool test_add_folder(testing *t, const char *path) {
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    if (n < 0) return session_error(t->s, "cannot read the folder '%s': %s", path, strerror(errno));
    bool ok = true;
    size_t length = strlen(path);
    const char *slash = length && path[length - 1] == '/' ? "" : "/";
    bool is_here = str_same(path, ".");
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        char *inside =
            is_here ? arena_str(t->s->opt.memory, name) : arena_printf(t->s->opt.memory, "%s%s%s", path, slash, name);
        if (*name != '.') ok &= test_add_path(t, inside, false);
        free(names[i]);
    }
    free(names);
    return ok;
}

static bool test_add_path(testing *t, const char *path, bool is_named) {
    struct stat st;
    if ((is_named ? stat : lstat)(path, &st) != 0)
        return !is_named || session_error(t->s, "cannot read '%s': %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode)) return test_add_folder(t, path);
    if (is_named && !tested_as(path)) return session_error(t->s, "'%s' is no model that can expect something", path);
    if (is_named || is_tested(path)) vec_push(&t->files, path);
    return true;
}

static bool find_files(testing *t) {
    const options *o = &t->s->opt;
    bool ok = true;
    for (uint32_t i = 1; i < o->arguments.len; i++) ok &= test_add_path(t, o->arguments.data[i], true);
    return o->arguments.len > 1 ? ok : test_add_path(t, ".", true);
}

// ---- what they expect

static bool read_comments(model *m, const tested_language *l) {
    bool ok = true;
    for (uint32_t i = 1, n = diag_files(m->messages); l->leader && i <= n; i++)
        ok &= front_expectations(m, i, l->leader, str_ends(diag_file_path(m->messages, i), ".q"));
    return ok;
}

static bool is_chosen(const testing *t, const model *m, const expectation *x) {
    const options *o = &t->s->opt;
    const char *name = x->property.id ? prop_of(m, x->property)->name : x->name;
    bool chosen = !o->properties.len;
    for (uint32_t i = 0; i < o->properties.len; i++) chosen |= name && str_same(o->properties.data[i], name);
    return chosen;
}

static void add_row(testing *t, test_row row, test_case c) {
    vec_push(&t->rows, row);
    vec_push(&t->cases, c);
}

// The first mistake of a file stands for it among the rows; all of them are shown.
static void add_mistake(testing *t, const diag *d, const char *path) {
    test_row row = {.file = path, .name = "", .outcome = TEST_WRONG, .found = "it cannot be read"};
    for (uint32_t i = 0; i < diag_count(d); i++) {
        diag_message message = diag_get(d, i);
        if (message.level != DIAG_ERROR) continue;
        if (message.at.file) diag_place(d, message.at, &row.line, &row.column);
        row.found = message.text;
        break;
    }
    add_row(t, row, (test_case){0});
    t->with_mistakes++;
}

// Expectations of used files belong to those.
static void add_expectations(testing *t, const model *m, const char *path, bool is_pv, uint32_t threads) {
    uint32_t before = t->rows.len;
    for (uint32_t i = 0; i < m->expectations.len; i++) {
        const expectation *x = &m->expectations.data[i];
        if ((is_pv && x->at.file != 1) || !is_chosen(t, m, x)) continue;
        test_case c = {m, x, expected_command(&t->s->opt, t->self, m, x, path, threads), NULL};
        add_row(t, expected_row(t->s->opt.memory, m, x, path), c);
    }
    t->with_any += t->rows.len > before;
}

static void read_file(testing *t, const char *path, uint32_t threads) {
    session *s = t->s;
    diag *outer = s->messages;
    loaded l;
    s->messages = diag_new();
    s->file = path;
    vec_push(&t->messages, s->messages);
    bool ok = load_file(s, path, &l) && read_comments(l.m, tested_as(path));
    session_show_messages(s);
    if (ok) add_expectations(t, l.m, path, !tested_as(path)->leader, threads);
    else add_mistake(t, s->messages, path);
    s->messages = outer;
}

// ---- running them

static void show_ready(testing *t) {
    bool is_quiet = options_has(&t->s->opt, OPT_QUIET), is_github = options_has(&t->s->opt, OPT_GITHUB);
    str text = {0};
    for (; t->shown < t->rows.len && t->rows.data[t->shown].found; t->shown++) {
        const test_row *row = &t->rows.data[t->shown];
        if (!is_quiet || row->outcome != TEST_MET) tests_line(row, &t->s->style, &text);
        if (is_github) tests_github(row, &text);
    }
    if (text.len) progress_clear(t->line);
    if (text.len) session_say(t->s, &text);
    str note = {0};
    str_printf(&note, "%u of %u expectations", t->shown, t->rows.len);
    progress_note(t->line, str_get(&note));
    str_free(&note);
    str_free(&text);
}

static void run_case(testing *t, test_case *c, test_row *row) {
    str answer = {0};
    process_limits allowed = {.outer = t->s->limits};
    process_result r = process_run(c->command, NULL, 0, &allowed, &answer);
    test_row done = *row;
    done.seconds = r.seconds;
    if (r.end == PROCESS_EXITED) {
        c->answer = expected_judge(c->m, c->x, str_get(&answer), answer.len, &done);
    } else {
        str why = {0};
        const char *limit = limits_met(&t->s->limits) ? limits_why(&t->s->limits) : process_end_text(r.end);
        str_printf(&why, "no answer: %s", limit);
        done.outcome = TEST_UNKNOWN;
        done.found = why.text;
    }
    str_free(&answer);
    pthread_mutex_lock(&t->lock);
    *row = done;
    show_ready(t);
    pthread_mutex_unlock(&t->lock);
}

static void run_cases(void *context, uint32_t number) {
    (void)number;
    testing *t = context;
    for (uint32_t i; (i = atomic_fetch_add(&t->next, 1)) < t->rows.len;)
        if (t->cases.data[i].x) run_case(t, &t->cases.data[i], &t->rows.data[i]);
}

// A rule that fires in none of a file's expectations is a mistake in one or the other; no line says it, so a row does.
static void judge_rules(testing *t) {
    VEC(json_t *) answers = {0};
    uint32_t n = t->rows.len;
    for (uint32_t i = 0, end; i < n; i = end) {
        bool all_met = true;
        vec_clear(&answers);
        for (end = i; end < n && str_same(t->rows.data[end].file, t->rows.data[i].file); end++) {
            all_met &= t->rows.data[end].outcome == TEST_MET;
            if (t->cases.data[end].answer) vec_push(&answers, t->cases.data[end].answer);
        }
        const char *idle = all_met ? expected_idle(answers.data, answers.len) : NULL;
        if (!idle) continue;
        const char *why = arena_printf(t->s->opt.memory, "'%s' never happened in any of the runs", idle);
        test_row row = {.file = t->rows.data[i].file, .name = "rules", .outcome = TEST_FAILED, .found = why};
        add_row(t, row, (test_case){0});
    }
    vec_free(&answers);
}

static void run_all(testing *t) {
    crew *c = crew_new(t->jobs);
    session_phase(t->s, "testing");
    t->line = session_line(t->s);
    crew_run(c, run_cases, t);
    if (!t->s->opt.properties.len) judge_rules(t);
    show_ready(t);
    progress_free(t->line);
    t->line = NULL;
    crew_free(c);
}

// ---- the command

static int test_code(const testing *t) {
    const test_row *rows = t->rows.data;
    uint32_t n = t->rows.len;
    if (tests_count(rows, n, TEST_WRONG)) return EXIT_BAD_INPUT;
    if (tests_count(rows, n, TEST_FAILED)) return EXIT_VIOLATED;
    return tests_count(rows, n, TEST_UNKNOWN) ? EXIT_UNKNOWN : EXIT_HOLDS;
}

static bool write_junit(const testing *t, double seconds) {
    if (!t->s->opt.junit) return true;
    str text = {0};
    tests_junit(t->rows.data, t->rows.len, seconds, &text);
    bool ok = session_write_file(t->s, t->s->opt.junit, &text);
    str_free(&text);
    return ok;
}

static int test_report(testing *t) {
    double seconds = clock_seconds() - t->s->started;
    const test_row *rows = t->rows.data;
    uint32_t n = t->rows.len;
    int code = test_code(t);
    str text = {0};
    tests_summary(rows, n, t->with_any + t->with_mistakes, seconds, &t->s->style, &text);
    session_answer(t->s,
                   json_pack("{s:o, s:i, s:i, s:i, s:i, s:i, s:f}", "tests", tests_object(rows, n), "files",
                             (int)t->with_any, "met", (int)tests_count(rows, n, TEST_MET), "failed",
                             (int)tests_count(rows, n, TEST_FAILED), "unknown", (int)tests_count(rows, n, TEST_UNKNOWN),
                             "wrong", (int)tests_count(rows, n, TEST_WRONG), "seconds", seconds));
    session_say_verdict(t->s, &text, code);
    str_free(&text);
    bool written = write_junit(t, seconds);
    t->s->is_unsaved = code == EXIT_BAD_INPUT || !written;  // the answer is there in any case
    return written ? code : EXIT_BAD_INPUT;
}

static void test_end(testing *t) {
    for (uint32_t i = 0; i < t->rows.len; i++)
        if (t->cases.data[i].x) free((char *)t->rows.data[i].found), json_decref(t->cases.data[i].answer);
    for (uint32_t i = 0; i < t->messages.len; i++) diag_free(t->messages.data[i]);
    vec_free(&t->messages);
    vec_free(&t->rows);
    vec_free(&t->cases);
    vec_free(&t->files);
    free(t->self);
    pthread_mutex_destroy(&t->lock);
}

static int test_run(session *s) {
    testing t = {.s = s};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    t.jobs = s->opt.jobs ? s->opt.jobs : cores > 0 ? (uint32_t)cores : 1;
    uint32_t threads = t.jobs < cores ? (uint32_t)cores / t.jobs : 1;
    pthread_mutex_init(&t.lock, NULL);
    const char *first = s->file;
    t.self = process_self();
    bool ok = t.self ? find_files(&t) : session_error(s, "our own program cannot be found, to run it");
    for (uint32_t i = 0; ok && i < t.files.len; i++) read_file(&t, t.files.data[i], threads);
    s->file = first;
    if (ok && !t.rows.len) ok = session_error(s, "nothing is expected: there is no `expect` in what was given");
    int code = EXIT_BAD_INPUT;
    if (ok) {
        run_all(&t);
        code = test_report(&t);
    }
    test_end(&t);
    return code;
}

static const char test_details[] =
    "Every `expect` of the files is decided by `parvis check` and compared with what it says: verdict, number\n"
    "of states, length of the shortest trace. Folders are searched for models; without an argument, the\n"
    "current one is. A verdict that is unknown, a property that holds only because nothing was tried, and a\n"
    "rule that never fires in any of a file's runs are not what was expected. In languages without `expect`,\n"
    "a comment says it (doc/manual.md):\n"
    "\n"
    "  -- expect \"one writer\" at PROCS=3: violated\n"
    "\n"
    "Exit codes: 0 all were met, 1 one was not, 2 a file has mistakes, 3 one is unknown.\n"
    "\n"
    "Examples:\n"
    "  parvis test models/tm/tl2.pv\n"
    "  parvis test models/tm models/specs -j 4\n"
    "  parvis test models/tm --property opaque --junit results.xml\n"
    "  parvis test models/murphi/msi_bug.m --github\n";

const command test_command = {
    .name = "test",
    .arguments = "[FILE|FOLDER]...",
    .takes_timed = true,
    .most = UINT32_MAX - 1,
    .summary = "compare what models expect with what is found",
    .details = test_details,
    .takes = OPTION_BIT(JOBS) | OPTION_BIT(JUNIT) | OPTION_BIT(GITHUB) | OPTION_BIT(PROPERTY) | OPTION_BIT(ALLOW) |
             OPTION_BIT(LIMIT_TIME) | OPTION_BIT(LIMIT_MEMORY) | OPTION_BIT(REPORT),
    .run = test_run,
};
