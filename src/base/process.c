// SPDX-License-Identifier: Apache-2.0
// Child processes: see process.h. Input goes through a socket, so that a child which closes it early gives an
// error here and no SIGPIPE; between fork and exec only async-signal-safe calls are made.
#include "base/process.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OUTPUT = 64 << 20, SLICE_MS = 50, NOT_FOUND = 127 };

const char *process_end_text(process_end end) {
    switch (end) {
    case PROCESS_EXITED: return "ended";
    case PROCESS_TIMED_OUT: return "out of time";
    case PROCESS_FLOODED: return "too much output";
    case PROCESS_STOPPED: return "stopped";
    case PROCESS_CRASHED: return "crashed or out of memory";
    case PROCESS_UNSTARTED: return "could not be started";
    }
    return "";
}

// ---- finding the program

static bool is_program(const char *path) { return access(path, X_OK) == 0; }

// The path of a program, or false.
static bool find_program(const char *name, str *path) {
    str_clear(path);
    if (strchr(name, '/')) {
        str_add(path, name);
        return is_program(name);
    }
    const char *dirs = getenv("PATH");
    for (const char *at = dirs ? dirs : "/usr/bin:/bin"; *at;) {
        size_t n = strcspn(at, ":");
        str_clear(path);
        str_addn(path, n ? at : ".", n ? n : 1);
        str_printf(path, "/%s", name);
        if (is_program(str_get(path))) return true;
        at += n + (at[n] == ':');
    }
    return false;
}

bool process_exists(const char *program) {
    str path = {0};
    bool found = find_program(program, &path);
    str_free(&path);
    return found;
}

void process_temporary(str *out) {
    const char *folder = getenv("TMPDIR");
    str_add(out, folder && *folder == '/' ? folder : "/tmp");
}

// ---- the child

static void limit_memory(uint64_t bytes) {
    struct rlimit core = {0, 0}, space = {bytes, bytes};
    setrlimit(RLIMIT_CORE, &core);
    if (bytes) setrlimit(RLIMIT_AS, &space);
}

static void become(const char *path, const char *const *argv, int in, int out, const process_limits *allowed) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody is left running when we are killed
    limit_memory(allowed->memory_bytes);
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(NOT_FOUND);
    execv(path, (char *const *)argv);
    _exit(NOT_FOUND);
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
static void exchange(talk *t) {
    struct pollfd fds[2] = {{t->out, POLLIN, 0}, {t->in, POLLOUT, 0}};
    if (poll(fds, t->in >= 0 ? 2 : 1, SLICE_MS) <= 0) return;
    if (t->in >= 0 && fds[1].revents) send_some(t);
    if (fds[0].revents) read_some(t);
}

static process_end converse(talk *t, const process_limits *allowed, double started) {
    while (t->out >= 0) {
        exchange(t);
        if (t->text->len - t->start > t->most) return PROCESS_FLOODED;
        if (limits_met(&allowed->outer)) return PROCESS_STOPPED;
        if (allowed->seconds > 0 && clock_seconds() - started > allowed->seconds) return PROCESS_TIMED_OUT;
    }
    return PROCESS_EXITED;
}

// The child closed its output; it may still run for a while. It is not reaped yet, so its group's number is ours.
static process_end wait_for(const talk *t, const process_limits *allowed, double started) {
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == t->pid)
            return PROCESS_EXITED;
        if (limits_met(&allowed->outer)) return PROCESS_STOPPED;
        if (allowed->seconds > 0 && clock_seconds() - started > allowed->seconds) return PROCESS_TIMED_OUT;
        poll(NULL, 0, 1);
    }
}

static process_result finish(talk *t, const process_limits *allowed, double started) {
    int status = 0;
    process_result r = {.end = converse(t, allowed, started)};
    if (r.end == PROCESS_EXITED) r.end = wait_for(t, allowed, started);
    kill(-t->pid, SIGKILL);
    while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR) {}
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

process_result process_run(const char *const *argv, const char *input, size_t size,
                           const process_limits *allowed, str *out) {
    process_limits none = {0};
    process_result failed = {.end = PROCESS_UNSTARTED};
    str path = {0};
    int in[2], back[2];
    if (!allowed) allowed = &none;
    double started = clock_seconds();
    if (!find_program(argv[0], &path) || !open_ends(in, back)) {
        str_free(&path);
        return failed;
    }
    pid_t pid = fork();
    if (pid == 0) become(str_get(&path), argv, in[1], back[1], allowed);
    str_free(&path);
    close(in[1]);
    close(back[1]);
    talk t = {pid,  in[0], back[0],  input,
              size, out,   out->len, allowed->most_output ? allowed->most_output : MOST_OUTPUT};
    if (pid < 0 || size == 0) close_end(&t.in);
    if (pid < 0) close_end(&t.out);
    if (pid < 0) return failed;
    setpgid(pid, pid);  // whoever comes first; the kill below needs it
    return finish(&t, allowed, started);
}
