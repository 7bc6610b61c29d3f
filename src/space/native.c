// SPDX-License-Identifier: Apache-2.0
// Compiling and loading native code; see native.h.
//
// Everything happens in a private temporary directory that is removed as soon as the code is loaded or has
// failed. A shell stands between us and the compiler: it holds the other end of a pipe, which is closed when we are
// killed, however that happens; then it ends the compiler with all its children and removes the directory. The
// directory is locked meanwhile: what is nevertheless left behind is not, and the next run removes it.
#include "space/native.h"

#include "base/mem.h"
#include "base/process.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The runtime's text, from native_rt.h.
__asm__(".section .rodata\n"
        ".global native_rt_text\n"
        ".global native_rt_end\n"
        "native_rt_text:\n"
        ".incbin \"space/native_rt.h\"\n"
        "native_rt_end:\n"
        ".byte 0\n"
        ".previous\n");
extern const char native_rt_text[], native_rt_end[];

extern char **environ;

enum { LONG_TEXT = 256 << 10, COMPILE_SECONDS = 120 };

struct native {
    str directory;  // empty: none
    int lock;       // of the directory: held as long as we live
    pid_t child;    // 0: not running
    int pipe;       // to the child, as long as it runs: that we live
    native_state state;
    void *library;
    size_t length;  // of the text
    str error;
};

static const char *const compilers[] = {"cc", "gcc", "clang"};

// ---- the directory

static const char prefix[] = "parvis-code-";

static char *path_in(const native *n, const char *name, str *path) {
    str_clear(path);
    str_printf(path, "%s/%s", str_get(&n->directory), name);
    return path->text;
}

// Whatever compilers left in it.
static void remove_files(int folder) {
    DIR *d = fdopendir(dup(folder));
    for (struct dirent *e; d && (e = readdir(d));) unlinkat(folder, e->d_name, 0);  // fails for . and ..
    if (d) closedir(d);
}

static void remove_directory(native *n) {
    if (!n->directory.len) return;
    remove_files(n->lock);
    rmdir(str_get(&n->directory));
    close(n->lock);
    str_free(&n->directory);
}

// A directory of ours is locked as long as its owner lives; a new one gets a moment to become so.
static bool is_abandoned(int folder) {
    struct stat st;
    return fstat(folder, &st) == 0 && st.st_uid == geteuid() && st.st_mtime + 1 < time(NULL) &&
           flock(folder, LOCK_EX | LOCK_NB) == 0;
}

// Removes what runs that were killed have left.
static void native_sweep(const char *base) {
    DIR *d = opendir(base);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!str_starts(e->d_name, prefix)) continue;
        int folder = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder >= 0 && is_abandoned(folder)) {
            remove_files(folder);
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
        }
        if (folder >= 0) close(folder);
    }
    if (d) closedir(d);
}

static bool make_directory(native *n) {
    str base = {0};
    process_temporary(&base);
    native_sweep(str_get(&base));
    str_printf(&n->directory, "%s/%sXXXXXX", str_get(&base), prefix);
    str_free(&base);
    bool ok = mkdtemp(n->directory.text) != NULL;
    n->lock = ok ? open(str_get(&n->directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (n->lock < 0) str_free(&n->directory);
    else flock(n->lock, LOCK_EX | LOCK_NB);
    return n->lock >= 0;
}

static bool write_source(const native *n, const str *text) {
    str path = {0};
    FILE *f = fopen(path_in(n, "space.c", &path), "wx");
    str_free(&path);
    if (!f) return false;
    size_t runtime = (size_t)(native_rt_end - native_rt_text);
    bool ok = fwrite(native_rt_text, 1, runtime, f) == runtime && fwrite(text->text, 1, text->len, f) == text->len;
    return fclose(f) == 0 && ok;
}

// ---- the compiler

// Input is the pipe, which shells take from what they run in the background: so it is 3. Of the group, only the two
// that watch do not mind the signal. The compiler's messages are the only output.
static const char guardian[] = "trap '' TERM; exec 3<&0 </dev/null\n"
                               "folder=$1; shift\n"
                               "(trap - TERM; exec \"$@\" 3<&-) & compiler=$!\n"
                               "(read -r x <&3; kill -TERM 0) & watcher=$!\n"
                               "wait $compiler; code=$?\n"
                               "[ $code -ne 143 ] || rm -rf \"$folder\"\n"
                               "kill -KILL $watcher; exit $code\n";

// Nobody waits for it forever.
static void limit_compiler(const void *context) {
    (void)context;
    setrlimit(RLIMIT_CPU, &(struct rlimit){COMPILE_SECONDS, COMPILE_SECONDS});
}

static bool start_compiler(native *n, char *const *argv, char **environment, int messages) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    n->child = process_start(argv, environment, ends[0], messages, limit_compiler, NULL);
    close(ends[0]);
    if (n->child) n->pipe = ends[1];
    else close(ends[1]);
    return n->child;
}

// Ours, except that temporary files go where the others are.
static char **environment_of(const native *n, str *temporary) {
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **copy = mem_zero(count + 2, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (!str_starts(environ[i], "TMPDIR=")) copy[kept++] = environ[i];
    str_printf(temporary, "TMPDIR=%s", str_get(&n->directory));
    copy[kept] = temporary->text;
    return copy;
}

static const char *compiler(void) {
    const char *own = getenv("CC");
    if (own && process_exists(own)) return own;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (process_exists(compilers[i])) return compilers[i];
    return NULL;
}

static bool spawn_compiler(native *n) {
    str source = {0}, library = {0}, messages = {0}, temporary = {0};
    // Beyond some length, what -O2 adds to -O1 is not worth the wait.
    const char *argv[] = {"/bin/sh",
                          "-c",
                          guardian,
                          "sh",
                          str_get(&n->directory),
                          compiler(),
                          n->length > LONG_TEXT ? "-O1" : "-O2",
                          "-w",
                          "-shared",
                          "-fPIC",
                          "-o",
                          path_in(n, "space.so", &library),
                          path_in(n, "space.c", &source),
                          NULL};
    char **environment = environment_of(n, &temporary);
    int out = open(path_in(n, "messages", &messages), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = out >= 0 && compiler() && start_compiler(n, (char *const *)argv, environment, out);
    if (out >= 0) close(out);
    free(environment);
    str_free(&source);
    str_free(&library);
    str_free(&messages);
    str_free(&temporary);
    return ok;
}

native *native_start(const str *text, const char **why) {
    native *n = mem_zero(1, sizeof *n);
    n->state = NATIVE_COMPILING;
    n->length = text->len;
    *why = NULL;
    if (!make_directory(n)) *why = "no temporary directory can be made (TMPDIR, else /tmp)";
    else if (!write_source(n, text)) *why = "the generated code cannot be written to the temporary directory";
    else if (!spawn_compiler(n)) *why = "no C compiler was found (cc, gcc, clang)";
    if (!*why) return n;
    native_free(n);
    return NULL;
}

// ---- the result

static native_state native_fail(native *n, const char *what, const char *detail) {
    str_printf(&n->error, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
    remove_directory(n);
    return n->state = NATIVE_FAILED;
}

static native_state compiler_failed(native *n) {
    str path = {0};
    size_t size;
    char *text = str_read_file(path_in(n, "messages", &path), &size);
    str_free(&path);
    char *end = text ? strchr(text, '\n') : NULL;
    if (end) *end = 0;
    native_state s = native_fail(n, "the C compiler failed", text && *text ? text : NULL);
    free(text);
    return s;
}

static native_state native_load(native *n) {
    str path = {0};
    n->library = dlopen(path_in(n, "space.so", &path), RTLD_NOW | RTLD_LOCAL);
    str_free(&path);
    if (!n->library) return native_fail(n, "the compiled code cannot be loaded", dlerror());
    remove_directory(n);
    return n->state = NATIVE_READY;
}

native_state native_poll(native *n, bool wait) {
    if (n->state != NATIVE_COMPILING) return n->state;
    int status;
    pid_t done;
    do done = waitpid(n->child, &status, wait ? 0 : WNOHANG);
    while (done < 0 && errno == EINTR);
    if (done == 0) return NATIVE_COMPILING;
    n->child = 0;
    close(n->pipe);
    if (done < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return compiler_failed(n);
    return native_load(n);
}

void native_free(native *n) {
    if (!n) return;
    if (n->child) process_end_group(n->child);
    if (n->child) close(n->pipe);
    remove_directory(n);
    if (n->library) dlclose(n->library);
    str_free(&n->error);
    free(n);
}

const char *native_error(const native *n) { return str_get(&n->error); }
void *native_symbol(const native *n, const char *name) { return dlsym(n->library, name); }
