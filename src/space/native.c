// SPDX-License-Identifier: Apache-2.0
// Compiling and loading native code; see native.h.
//
// Everything happens in a private temporary directory that is removed as soon as the code is loaded or has
// failed.
#include "space/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
    char directory[32];
    pid_t child;  // 0: not running
    native_state state;
    void *library;
    size_t length;  // of the text
    str error;
};

static const char *const compilers[] = {"cc", "gcc", "clang"};

// ---- the directory

static void path_in(const native *n, const char *name, char path[64]) {
    snprintf(path, 64, "%s/%s", n->directory, name);
}

static void remove_directory(native *n) {
    static const char *const files[] = {"space.c", "space.so", "messages"};
    char path[64];
    if (!n->directory[0]) return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        path_in(n, files[i], path);
        unlink(path);
    }
    rmdir(n->directory);
    n->directory[0] = 0;
}

static bool write_source(const native *n, const str *text) {
    char path[64];
    path_in(n, "space.c", path);
    FILE *f = fopen(path, "w");
    if (!f) return false;
    size_t runtime = (size_t)(native_rt_end - native_rt_text);
    bool ok =
        fwrite(native_rt_text, 1, runtime, f) == runtime && fwrite(text->text, 1, text->len, f) == text->len;
    return fclose(f) == 0 && ok;
}

// ---- the compiler

// Nobody waits for a compiler forever, and none is left running when we are killed.
static void limit_processor(pid_t child) {
    struct rlimit limit = {COMPILE_SECONDS, COMPILE_SECONDS};
    prlimit(child, RLIMIT_CPU, &limit, NULL);
}

static bool spawn_one(native *n, const char *compiler) {
    char source[64], library[64], messages[64];
    path_in(n, "space.c", source);
    path_in(n, "space.so", library);
    path_in(n, "messages", messages);
    // Beyond some length, what -O2 adds to -O1 is not worth the wait.
    char *optimise = n->length > LONG_TEXT ? "-O1" : "-O2";
    char *const argv[] = {(char *)compiler, optimise, "-w", "-shared", "-fPIC", "-o", library, source, NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    // A group of its own: the compiler's own children are ended with it.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int failed = posix_spawnp(&n->child, compiler, &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failed) n->child = 0;
    else limit_processor(n->child);
    return !failed;
}

static bool spawn_compiler(native *n) {
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (spawn_one(n, compilers[i])) return true;
    return false;
}

native *native_start(const str *text, const char **why) {
    native *n = mem_zero(1, sizeof *n);
    n->state = NATIVE_COMPILING;
    n->length = text->len;
    strcpy(n->directory, "/tmp/parvis-XXXXXX");
    *why = NULL;
    if (!mkdtemp(n->directory)) {
        n->directory[0] = 0;
        *why = "no temporary directory can be made under /tmp";
    } else if (!write_source(n, text)) *why = "the generated code cannot be written under /tmp";
    else if (!spawn_compiler(n)) *why = "no C compiler was found (cc, gcc, clang)";
    if (!*why) return n;
    native_free(n);
    return NULL;
}

// ---- the result

static native_state fail(native *n, const char *what, const char *detail) {
    str_printf(&n->error, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
    remove_directory(n);
    return n->state = NATIVE_FAILED;
}

static native_state compiler_failed(native *n) {
    char path[64];
    path_in(n, "messages", path);
    size_t size;
    char *text = str_read_file(path, &size);
    char *end = text ? strchr(text, '\n') : NULL;
    if (end) *end = 0;
    native_state s = fail(n, "the C compiler failed", text && *text ? text : NULL);
    free(text);
    return s;
}

static native_state load(native *n) {
    char path[64];
    path_in(n, "space.so", path);
    n->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!n->library) return fail(n, "the compiled code cannot be loaded", dlerror());
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
    if (done < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return compiler_failed(n);
    return load(n);
}

void native_free(native *n) {
    if (!n) return;
    if (n->child) {
        kill(-n->child, SIGKILL);
        while (waitpid(n->child, NULL, 0) < 0 && errno == EINTR) {}
    }
    remove_directory(n);
    if (n->library) dlclose(n->library);
    str_free(&n->error);
    free(n);
}

const char *native_error(const native *n) { return str_get(&n->error); }
void *native_symbol(const native *n, const char *name) { return dlsym(n->library, name); }
