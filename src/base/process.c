// SPDX-License-Identifier: Apache-2.0
// Child processes: see process.h. Input goes through a socket, so that a child that closes it early causes an
// error here instead of a SIGPIPE. Signals wait while a child is made: a handler of ours must not run in it.
#include "base/process.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_OUTPUT = 64 << 20, SLICE_MS = 50, NOT_FOUND = 127 };

const char *process_end_text(process_end end) {
    static const char *const texts[] = {[PROCESS_EXITED] = "ended",
                                        [PROCESS_TIMED_OUT] = "out of time",
                                        [PROCESS_FLOODED] = "too much output",
                                        [PROCESS_STOPPED] = "stopped",
                                        [PROCESS_CRASHED] = "crashed or out of memory",
                                        [PROCESS_UNSTARTED] = "could not be started"};
    return texts[end];
}

// ---- finding the program

// Where /proc is not mounted, the path that we were started with.
char *process_self(void) {
    char *self = realpath("/proc/self/exe", NULL);
    const char *given = (const char *)getauxval(AT_EXECFN);
    return self || !given ? self : realpath(given, NULL);
}

bool process_beside(const char *const *places, uint32_t count, str *out) {
    char *self = process_self(), *slash = self ? strrchr(self, '/') : NULL;
    bool found = false;
    for (uint32_t i = 0; slash && i < count && !found; i++) {
        str_clear(out);
        str_addn(out, self, (size_t)(slash - self));
        str_add(out, places[i]);
        found = access(str_get(out), R_OK) == 0;
    }
    if (!found) str_clear(out);
    free(self);
    return found;
}

bool process_exists(const char *program) {
    const char *dirs = getenv("PATH");
    str path = {0};
    bool found = strchr(program, '/') && access(program, X_OK) == 0;
    for (const char *at = dirs ? dirs : "/usr/bin:/bin"; *at && !found && !strchr(program, '/');) {
        size_t n = strcspn(at, ":");
        str_clear(&path);
        str_printf(&path, "%.*s/%s", n ? (int)n : 1, n ? at : ".", program);
        found = access(str_get(&path), X_OK) == 0;
        at += n + (at[n] == ':');
    }
    str_free(&path);
    return found;
}

void process_temporary(str *out) {
    const char *folder = getenv("TMPDIR");
    str_add(out, folder && *folder == '/' ? folder : "/tmp");
}

// ---- the child

// The child of a process with gigabytes must not begin as a copy of it: it shares our memory until it is the program.
pid_t process_start(char *const *argv, char *const *environment, int in, int out, void (*before)(const void *),
                    const void *context) {
    static const int ours[] = {SIGINT, SIGTERM, SIGXCPU, SIGPIPE, SIGXFSZ};
    volatile bool is_started = true;
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    pid_t child = vfork();
    if (child == 0) {
        setpgid(0, 0);
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) signal(ours[i], SIG_DFL);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        if (before) before(context);
        if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
            execvpe(argv[0], argv, environment ? environment : environ);
        is_started = false;
        _exit(NOT_FOUND);
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (child > 0 && !is_started) waitpid(child, NULL, 0);
    return child > 0 && is_started ? child : 0;
}

int process_end_group(pid_t group) {
    int status = -1;
    kill(-group, SIGKILL);
    while (waitpid(group, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

typedef struct {
    pid_t parent;
    uint64_t memory_bytes;
} child_limits;

// Nobody is left running when we are killed, be it only just now.
static void limit_child(const void *context) {
    const child_limits *l = context;
    struct rlimit core = {0, 0}, space = {l->memory_bytes, l->memory_bytes};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != l->parent) _exit(NOT_FOUND);
    setrlimit(RLIMIT_CORE, &core);
    if (l->memory_bytes) setrlimit(RLIMIT_AS, &space);
}

// ---- talking to it

typedef struct {
    pid_t pid;
    int in, out;  // our ends; -1: closed
    const char *input;
    size_t left;
    str *text;
    size_t start, most;  // of the text
} talk;

static void close_end(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void send_some(talk *t) {
    ssize_t n = send(t->in, t->input, t->left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
        t->input += n;
        t->left -= (size_t)n;
    } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0 || !t->left) close_end(&t->in);
}

static void read_some(talk *t) {
    char buffer[1 << 14];
    ssize_t n = read(t->out, buffer, sizeof buffer);
    if (n > 0) str_addn(t->text, buffer, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR)) close_end(&t->out);
}

// Moves what can be moved within a slice of time.
static void process_exchange(talk *t) {
    struct pollfd fds[2] = {{t->out, POLLIN, 0}, {t->in, POLLOUT, 0}};
    if (poll(fds, t->in >= 0 ? 2 : 1, SLICE_MS) <= 0) return;
    if (t->in >= 0 && fds[1].revents) send_some(t);
    if (fds[0].revents) read_some(t);
}

// PROCESS_EXITED: it may go on.
static process_end must_end(const process_limits *allowed, double started) {
    if (limits_met(&allowed->outer)) return PROCESS_STOPPED;
    bool is_late = allowed->seconds > 0 && clock_seconds() - started > allowed->seconds;
    return is_late ? PROCESS_TIMED_OUT : PROCESS_EXITED;
}

static process_end converse(talk *t, const process_limits *allowed, double started) {
    process_end end = PROCESS_EXITED;
    while (t->out >= 0 && end == PROCESS_EXITED) {
        process_exchange(t);
        end = t->text->len - t->start > t->most ? PROCESS_FLOODED : must_end(allowed, started);
    }
    return end;
}

// The child closed its output; it may still run for a while. It is not reaped yet, so its group's number is ours.
static process_end wait_for(const talk *t, const process_limits *allowed, double started) {
    process_end end = PROCESS_EXITED;
    for (; end == PROCESS_EXITED; end = must_end(allowed, started)) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == t->pid) break;
        poll(NULL, 0, 1);
    }
    return end;
}

static process_result process_finish(talk *t, const process_limits *allowed, double started) {
    int status;
    process_result r = {.end = converse(t, allowed, started)};
    if (r.end == PROCESS_EXITED) r.end = wait_for(t, allowed, started);
    status = process_end_group(t->pid);
    close_end(&t->in);
    close_end(&t->out);
    r.seconds = clock_seconds() - started;
    if (r.end != PROCESS_EXITED) return r;
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    if (!WIFEXITED(status)) r.end = PROCESS_CRASHED;
    return r;
}

static bool open_ends(int in[2], int out[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0) return false;
    if (pipe2(out, O_CLOEXEC) == 0) return true;
    close(in[0]);
    close(in[1]);
    return false;
}

process_result process_run(const char *const *argv, const char *input, size_t size, const process_limits *allowed,
                           str *out) {
    process_limits none = {0};
    int in[2], back[2];
    if (!allowed) allowed = &none;
    double started = clock_seconds();
    if (!open_ends(in, back)) return (process_result){.end = PROCESS_UNSTARTED};
    child_limits l = {getpid(), allowed->memory_bytes};
    pid_t pid = process_start((char *const *)argv, NULL, in[1], back[1], limit_child, &l);
    close(in[1]);
    close(back[1]);
    talk t = {pid,  in[0], back[0],  input,
              size, out,   out->len, allowed->most_output ? allowed->most_output : MOST_OUTPUT};
    if (!pid || size == 0) close_end(&t.in);
    if (pid) return process_finish(&t, allowed, started);
    close_end(&t.out);
    return (process_result){.end = PROCESS_UNSTARTED};
}
