// SPDX-License-Identifier: Apache-2.0
// Runs of several processes: see launch.h.
//
// A launcher says in the environment which process this is. If the plug-in then finds another number of ranks, it was
// built for another MPI than the launcher's: each process would be a job of its own, and as many searches would run.
#include "cli/launch.h"

#include "base/process.h"

#include "cli/command.h"
#include "explore/store.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

// ---- what the launcher says

typedef struct {
    const char *count, *rank;
} launcher_names;

// Open MPI; MPICH, Intel MPI and srun --mpi=pmi2; MVAPICH; srun --mpi=pmix, and srun without any.
static const launcher_names launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"},
                                           {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                           {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
static const char *const neighbour_names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                              "MV2_COMM_WORLD_LOCAL_SIZE"};

static bool environment_number(const char *name, uint32_t *out) {
    const char *text = getenv(name);
    char *end;
    if (!text || *text < '0' || *text > '9') return false;
    unsigned long n = strtoul(text, &end, 10);
    *out = (uint32_t)n;
    return !*end && n < UINT32_MAX;
}

launch launch_find(void) {
    launch l = {.count = 1, .neighbours = 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        uint32_t count, rank;
        if (!environment_number(launchers[i].count, &count) || !environment_number(launchers[i].rank, &rank)) continue;
        if (count > 1 && rank < count) l = (launch){rank, count, 1};
        break;
    }
    for (size_t i = 0; i < sizeof neighbour_names / sizeof *neighbour_names; i++)
        if (environment_number(neighbour_names[i], &l.neighbours)) break;
    if (!l.neighbours || l.count == 1) l.neighbours = 1;
    return l;
}

// ---- the process that waits

enum { LAST_WORDS = 400 };

static void add_last_words(int heard, str *out) {
    char text[LAST_WORDS + 1];
    off_t size = lseek(heard, 0, SEEK_END);
    ssize_t n = pread(heard, text, LAST_WORDS, size > LAST_WORDS ? size - LAST_WORDS : 0);
    while (n > 0 && text[n - 1] == '\n') n--;
    if (n > 0) str_add(out, ": ");
    if (n > 0) str_add_visible(out, text, (size_t)n);
}

// Rank 0 has said itself why it ends.
static _Noreturn void end_as(const launch *l, int status, int heard) {
    if (WIFEXITED(status) && (!WEXITSTATUS(status) || !l->rank)) _exit(WEXITSTATUS(status));
    str text = {0};
    str_printf(&text, "parvis: rank %u ", l->rank);
    if (WIFSIGNALED(status))
        str_printf(&text, "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else str_add(&text, "cannot go on");
    if (heard >= 0) add_last_words(heard, &text);
    str_add(&text, ": the job ends without an answer\n");
    for (size_t at = 0; at < text.len;) {
        ssize_t n = write(STDERR_FILENO, str_get(&text) + at, text.len - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    _exit(EXIT_UNKNOWN);
}

// When the launcher is gone, so is the job: the one that works would see that itself, unless it is stopped.
static void end_with(pid_t parent, pid_t child) {
    if (getppid() != parent) kill(child, SIGKILL);
}

static _Noreturn void launch_wait(const launch *l, pid_t parent, pid_t child, const sigset_t *signals, int heard) {
    for (int number, status;;) {
        number = sigtimedwait(signals, NULL, &(struct timespec){.tv_sec = 1});
        if (number < 0) end_with(parent, child);
        else if (number != SIGCHLD) kill(child, number);
        else if (waitpid(child, &status, WNOHANG) == child && (WIFEXITED(status) || WIFSIGNALED(status)))
            end_as(l, status, heard);
    }
}

// It has a process group of its own: what the launcher sends to ours, we pass on, once.
static void become_worker(pid_t parent, const sigset_t *before, int heard) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_UNKNOWN);
    setpgid(0, 0);
    if (heard >= 0) dup2(heard, STDOUT_FILENO), dup2(heard, STDERR_FILENO), close(heard);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void launch_supervise(const launch *l) {
    sigset_t signals, before;
    if (l->count == 1) return;
    int heard = l->rank ? memfd_create("parvis", MFD_CLOEXEC) : -1;
    if (l->rank && heard < 0) heard = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    pid_t launcher = getppid(), parent = getpid(), child = fork();
    if (child > 0) launch_wait(l, launcher, child, &signals, heard);
    if (child == 0) become_worker(parent, &before, heard);
    else pthread_sigmask(SIG_SETMASK, &before, NULL);  // it works itself
}

// ---- joining

// Beside the program, or where it is installed.
static bool find_plugin(str *path) {
    static const char *const places[] = {"/parvis-mpi.so", "/../lib/parvis/parvis-mpi.so"};
    return process_beside(places, sizeof places / sizeof *places, path);
}

// Of the program that runs here; 0 if it cannot be read.
static uint64_t program_print(void) {
    char piece[1 << 16];
    FILE *in = fopen("/proc/self/exe", "rb");
    uint64_t print = 0;
    for (size_t n; in && (n = fread(piece, 1, sizeof piece, in)) > 0;) print = XXH3_64bits_withSeed(piece, n, print);
    if (in) fclose(in);
    return print;
}

// Another build may number states otherwise, cut blocks elsewhere, or simply err where this one does not.
static bool is_same_program(session *s) {
    uint64_t own = program_print(), *all = mem_zero(s->ranks->count, sizeof *all);
    s->ranks->gather(s->ranks, &own, all, sizeof own);
    uint32_t other = 0;
    while (other < s->ranks->count && all[other] == all[0]) other++;
    bool is_same = other == s->ranks->count;
    if (!is_same)
        session_error(s, "rank %u runs another build of parvis than rank 0: install the same one on all machines",
                      other);
    free(all);
    return is_same;
}

static bool join_others(session *s) {
    str path = {0}, why = {0};
    uint32_t count = s->launch.count;
    bool is_there = find_plugin(&path);
    s->ranks = is_there ? ranks_load(str_get(&path), &why) : NULL;
    if (!is_there)
        session_error(s, "%u processes were started, but there is no parvis-mpi.so beside parvis to connect them",
                      count);
    else if (!s->ranks) session_error(s, "cannot use '%s': %s", str_get(&path), str_get(&why));
    else if (s->ranks->count != count)
        session_error(s,
                      "the launcher started %u processes, but MPI knows of %u: parvis-mpi.so was built for another MPI",
                      count, s->ranks->count);
    if (!is_there)
        diag_note(s->messages, (span){0},
                  "`make` builds it where mpicc is found (Debian: libopenmpi-dev); see doc/ranks.md");
    bool ok = s->ranks && s->ranks->count == count && is_same_program(s);
    if (s->ranks && !ok) launch_leave(s);
    str_free(&path);
    str_free(&why);
    return ok;
}

// Programs that this one starts, such as parvis itself, are no ranks.
static void forget_launcher(void) {
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        unsetenv(launchers[i].count);
        unsetenv(launchers[i].rank);
    }
}

static bool launch_join(session *s) {
    const launch *l = &s->launch;
    if (!s->command->uses_ranks) {
        if (!l->rank)
            diag_warning(s->messages, (span){0}, "'parvis %s' runs on rank 0 alone; the other %u have nothing to do",
                         s->command->name, l->count - 1);
        return !l->rank;
    }
    if (l->count > STORE_PARTS)
        return session_error(s, "%u ranks are too many: parvis uses up to %d", l->count, STORE_PARTS);
    return join_others(s);
}

bool launch_enter(session *s) {
    bool ok = s->launch.count == 1 || launch_join(s);
    forget_launcher();
    return ok;
}

bool launch_goes_alone(session *s, const char *what) {
    if (s->ranks && !s->launch.rank)
        diag_warning(s->messages, (span){0}, "%s: rank 0 does it alone, the other %u have nothing to do", what,
                     s->launch.count - 1);
    return !s->launch.rank;
}

void launch_leave(session *s) {
    if (s->ranks) s->ranks->leave(s->ranks);
    s->ranks = NULL;
}
