// SPDX-License-Identifier: Apache-2.0
// parvis record: runs a program and keeps the history of its transactions. The program finds a new folder in the
// environment (PARVIS_RECORD), and our recorder is loaded before libitm; threads leave their logs in the folder, which
// are there however the program ends. Then the logs become one file.
#include "base/outfile.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/levels/levels.h"
#include "history/log.h"
#include "history/sources.h"
#include "cli/options.h"
#include "cli/session.h"
#include "history/format.h"
#include "history/names.h"
#include "history/recorded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char default_output[] = "recording.parvis";

enum { RECORD_SLICE_MS = 10, RECORD_PATIENCE_MS = 2000 };

typedef struct {
    session *s;
    str folder;  // of the logs
    int status;  // of the program, as waitpid gives it
    bool was_stopped;
    bool has_library;  // the recorder for libitm is here
    sources logs;
    recorded h;
} record_run_state;

// ---- the folder

static bool record_make_folder(record_run_state *x) {
    process_temporary(&x->folder);
    str_add(&x->folder, "/parvis-record-XXXXXX");
    return mkdtemp(x->folder.text) ||
           session_error(x->s, "cannot make a folder for the logs, '%s': %s", str_get(&x->folder), strerror(errno));
}

static void record_remove_folder(const record_run_state *x) {
    DIR *folder = opendir(str_get(&x->folder));
    str path = {0};
    for (struct dirent *e; folder && (e = readdir(folder)) != NULL;) {
        str_clear(&path);
        str_printf(&path, "%s/%s", str_get(&x->folder), e->d_name);
        if (e->d_name[0] != '.') unlink(str_get(&path));
    }
    if (folder) closedir(folder);
    rmdir(str_get(&x->folder));
    str_free(&path);
}

// ---- the program

// The recorder is beside the program when it was built, and below lib when it was installed.
static bool record_find_library(str *out) {
    static const char *const places[] = {"/build/libparvis-record.so", "/libparvis-record.so",
                                         "/../libparvis-record.so", "/../lib/parvis/libparvis-record.so"};
    return process_beside(places, sizeof places / sizeof *places, out);
}

static void record_set_environment(record_run_state *x) {
    const char *before = getenv("LD_PRELOAD");
    str library = {0}, run = {0};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    str_printf(&run, "%llu", (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec);
    setenv("PARVIS_RECORD", str_get(&x->folder), 1);
    setenv("PARVIS_RECORD_RUN", str_get(&run), 1);
    x->has_library = record_find_library(&library);
    if (x->has_library) {
        if (before && *before) str_printf(&library, ":%s", before);
        setenv("LD_PRELOAD", str_get(&library), 1);
    }
    str_free(&library);
    str_free(&run);
}

// In our own process group, so that it may use the terminal; signals are handled as a shell would start it.
static pid_t record_start(record_run_state *x, char *const *argv) {
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t files;
    sigset_t defaults, mask;
    pid_t child = 0;
    sigemptyset(&mask);
    sigemptyset(&defaults);
    for (int i = 0; i < 5; i++) sigaddset(&defaults, (int[]){SIGINT, SIGTERM, SIGXCPU, SIGPIPE, SIGXFSZ}[i]);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attr, &defaults);
    posix_spawnattr_setsigmask(&attr, &mask);
    posix_spawn_file_actions_init(&files);
    // Our answer has standard output for itself when it is an object.
    if (session_is_json(x->s)) posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    int failed = posix_spawnp(&child, argv[0], &files, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    if (failed) session_error(x->s, "cannot run '%s': %s", argv[0], strerror(failed));
    return failed ? 0 : child;
}

static bool record_has_ended(record_run_state *x, pid_t child) {
    pid_t found = waitpid(child, &x->status, WNOHANG);
    return found == child || (found < 0 && errno != EINTR);
}

static void record_sleep(void) { nanosleep(&(struct timespec){0, RECORD_SLICE_MS * 1000000L}, NULL); }

// A limit ends the program, politely first; what it recorded so far is kept.
static void record_wait(record_run_state *x, pid_t child) {
    for (int patience = 0; !record_has_ended(x, child); record_sleep()) {
        if (!x->was_stopped && limits_met(&x->s->limits) == LIMIT_NONE) continue;
        if (!x->was_stopped) kill(child, SIGTERM);
        x->was_stopped = true;
        patience += RECORD_SLICE_MS;
        if (patience > RECORD_PATIENCE_MS) kill(child, SIGKILL);
    }
}

static bool record_run_program(record_run_state *x) {
    const options *o = &x->s->opt;
    char **argv = mem_zero(o->arguments.len, sizeof *argv);
    for (uint32_t i = 1; i < o->arguments.len; i++) argv[i - 1] = (char *)o->arguments.data[i];
    session_phase(x->s, "running the program");
    record_set_environment(x);
    fflush(stdout);
    pid_t child = record_start(x, argv);
    if (child) record_wait(x, child);
    free(argv);
    return child != 0;
}

// ---- the file

static const format *record_format_of(const char *path) {
    static const struct {
        const char *ending, *format;
    } endings[] = {{".hist", "hist"}, {".json", "json"}, {".edn", "jepsen"}, {".txt", "plume"}, {".bincode", "dbcop"}};
    for (uint32_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(path, endings[i].ending)) return format_find(endings[i].format);
    return NULL;
}

static bool record_write_to(record_run_state *x, const format *f, FILE *out, const char *path) {
    const char *why = NULL;
    if (f ? f->write(&x->h, out, &why) : log_join(x->logs.files.data, x->logs.files.len, out)) return true;
    if (why) return session_error(x->s, "'%s' is not written: this format has no place for %s", path, why);
    return session_error(x->s, "cannot write '%s': %s", path, strerror(errno));
}

static bool record_write(record_run_state *x, const char *path) {
    outfile *file = outfile_open(path);
    if (!file) return session_error(x->s, "cannot write '%s': %s", path, strerror(errno));
    bool good = record_write_to(x, record_format_of(path), outfile_stream(file), path);
    if (!good) outfile_drop(file);
    else if (!(good = outfile_commit(file))) session_error(x->s, "cannot write '%s': %s", path, strerror(errno));
    return good;
}

static void record_note_nothing(const record_run_state *x) {
    struct utsname machine;
    if (x->has_library) {
        diag_note(x->s->messages, (span){0},
                  "it must be built by gcc -fgnu-tm, with libitm as a shared library, or use parvis/record.h");
        return;
    }
    bool is_known = uname(&machine) == 0;
    diag_note(x->s->messages, (span){0},
              "only programs that use parvis/record.h can be recorded here: the recorder for libitm "
              "(libparvis-record.so) is not beside this program; it is built on x86_64, and this machine is %s",
              is_known ? machine.machine : "unknown");
}

// Logs are kept even if they cannot be read: they say why. Without a path nothing is.
static bool record_keep(record_run_state *x, const char *path) {
    bool is_log = path && !record_format_of(path);
    diag_silence(x->s->messages);
    bool has_logs = sources_add(&x->logs, x->s->messages, str_get(&x->folder));
    diag_speak(x->s->messages);
    if (!has_logs) {
        session_error(x->s, "the program recorded nothing");
        record_note_nothing(x);
        return false;
    }
    session_phase(x->s, "reading the recording");
    if (is_log && !record_write(x, path)) return false;
    return sources_load(&x->logs, NULL, &x->h, x->s->messages) && (!path || is_log || record_write(x, path));
}

// ---- the answer

static void record_say_end(const record_run_state *x, str *out) {
    if (x->was_stopped) str_printf(out, "the program was stopped: %s\n", limits_why(&x->s->limits));
    else if (WIFSIGNALED(x->status))
        str_printf(out, "the program was ended by signal %d (%s)\n", WTERMSIG(x->status),
                   strsignal(WTERMSIG(x->status)));
    else str_printf(out, "the program ended with exit code %d\n", WEXITSTATUS(x->status));
}

static void record_say(record_run_state *x, const char *path) {
    str out = {0};
    record_say_end(x, &out);
    str_printf(&out, "%s: %s transactions of %s sessions, %s events\n", path ? path : "recorded",
               str_count(x->h.txs.len), str_count(names_count(&x->h.sessions)), str_count(x->h.events));
    session_say(x->s, &out);
}

static json_t *record_object(const record_run_state *x, const char *path) {
    bool by_signal = WIFSIGNALED(x->status);
    return json_pack("{s:s?, s:I, s:I, s:I, s:o, s:o, s:b}", "file", path, "sessions",
                     (json_int_t)names_count(&x->h.sessions), "transactions", (json_int_t)x->h.txs.len, "events",
                     (json_int_t)x->h.events, "exit_code",
                     by_signal ? json_null() : json_integer(WEXITSTATUS(x->status)), "signal",
                     by_signal ? json_integer(WTERMSIG(x->status)) : json_null(), "stopped", x->was_stopped);
}

// The limit of time was for the program; a signal is for us, too.
static int record_check(record_run_state *x) {
    session *s = x->s;
    if (x->was_stopped && limits_met(&s->limits) != LIMIT_TIME) {
        session_error(s, "the recording was not checked: %s", limits_why(&s->limits));
        return EXIT_UNKNOWN;
    }
    if (x->was_stopped) s->limits = (limits){0};
    return levels_check_history(s, &x->h);
}

static int record_answer(record_run_state *x, const char *path) {
    record_say(x, path);
    session_answer(x->s, record_object(x, path));
    return options_has(&x->s->opt, OPT_LEVEL) ? record_check(x) : EXIT_HOLDS;
}

static int record_run(session *s) {
    record_run_state x = {.s = s};
    bool is_checked = options_has(&s->opt, OPT_LEVEL);
    const char *path = s->opt.output ? s->opt.output : is_checked ? NULL : default_output;
    const limits outer = s->limits;
    bool has_folder = record_make_folder(&x);
    // A limit ends the program, not what is kept of it: nobody else may end us while it runs, and after it was stopped.
    limits_saving(&outer, true);
    bool has_run = has_folder && record_run_program(&x);
    if (!x.was_stopped) limits_saving(&outer, false);
    bool is_kept = has_run && record_keep(&x, path);
    if (has_folder) record_remove_folder(&x);
    int code = is_kept ? record_answer(&x, path) : EXIT_BAD_INPUT;
    if (x.was_stopped) limits_saving(&outer, false);
    session_show_messages(s);
    recorded_free(&x.h);
    sources_free(&x.logs);
    str_free(&x.folder);
    return code;
}

static const char record_details[] =
    "Runs the program with our recorder loaded before libitm, so that what its transactions read and\n"
    "write is recorded if it was built by gcc -fgnu-tm; or lets it record by itself, through the header\n"
    "parvis/record.h. What was recorded is kept however the program ends: by itself, by a signal, or at\n"
    "a limit of time. FILE's ending names its format: .hist, .json, .edn (Jepsen), .txt (PolySI), .bincode\n"
    "(dbcop); else it has the logs as they are. With --level the recording is checked at once, and FILE\n"
    "is written only if it is given. How the program ended is said; it does not change our exit code.\n"
    "doc/histories.md has more.\n"
    "\n"
    "Examples:\n"
    "  parvis record --level opaque -- ./bank --threads 4\n"
    "  parvis record -o bank.parvis -- ./bank\n"
    "  parvis record --limit-time 10s -o server.hist -- ./server\n";

const command record_command = {
    .name = "record",
    .arguments = "-- PROGRAM [ARGUMENT]...",
    .least = 1,
    .most = UINT32_MAX - 1,
    .summary = "run a program and keep the history of its transactions",
    .details = record_details,
    .takes = OPTION_BIT(OUTPUT) | OPTION_BIT(LEVEL) | OPTION_BIT(CORE) | OPTION_BIT(REPORT) | OPTIONS_LIMITS,
    .run = record_run,
};
