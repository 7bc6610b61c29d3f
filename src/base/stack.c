// SPDX-License-Identifier: Apache-2.0
// A stack of known size: see stack.h. A context of its own (makecontext) rather than a thread: signals, locale and the
// allocator's arena stay those of the caller. The lowest page is never mapped, so that an overflow would still be one.
// AddressSanitizer does not follow contexts, and says so on standard error: in its build the work runs in a thread.
#include "base/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

enum { STACK_GUARD = 1 << 16 };

typedef struct {
    stack_work work;
    void *context;
    ucontext_t outer, inner;
} stack_task;

#ifdef PARVIS_ASAN

static void *stack_thread(void *task) {
    stack_task *t = task;
    t->work(t->context);
    return NULL;
}

// Frames with red zones between their variables are several times as large.
static bool run_within(stack_work work, void *context, size_t bytes, bool *has_room) {
    stack_task t = {.work = work, .context = context};
    pthread_attr_t how;
    pthread_t thread;
    pthread_attr_init(&how);
    pthread_attr_setstacksize(&how, 4 * bytes);
    *has_room = pthread_create(&thread, &how, stack_thread, &t) == 0;
    pthread_attr_destroy(&how);
    return *has_room && pthread_join(thread, NULL) == 0;
}

#else

// makecontext() passes numbers only: a pointer comes in two halves.
static void stack_main(unsigned high, unsigned low) {
    stack_task *t = (stack_task *)(uintptr_t)((uint64_t)high << 32 | low);
    t->work(t->context);
}

static void *stack_take(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
}

static bool run_on(stack_work work, void *context, void *memory, size_t bytes) {
    stack_task t = {.work = work, .context = context};
    uint64_t self = (uintptr_t)&t;
    if (mprotect(memory, STACK_GUARD, PROT_NONE) != 0 || getcontext(&t.inner) != 0) return false;
    t.inner.uc_stack.ss_sp = memory;
    t.inner.uc_stack.ss_size = bytes;
    t.inner.uc_link = &t.outer;
    makecontext(&t.inner, (void (*)(void))stack_main, 2, (unsigned)(self >> 32), (unsigned)self);
    return swapcontext(&t.outer, &t.inner) == 0;
}

static bool run_within(stack_work work, void *context, size_t bytes, bool *has_room) {
    void *memory = stack_take(bytes);
    *has_room = memory != MAP_FAILED;
    bool ok = *has_room && run_on(work, context, memory, bytes);
    if (*has_room) munmap(memory, bytes);
    return ok;
}

#endif

// The stack that the process has grows as it is used, so a limit of data does not count what is not used.
static void widen_own(void) {
    struct rlimit own;
    if (getrlimit(RLIMIT_STACK, &own) != 0 || own.rlim_cur == RLIM_INFINITY || own.rlim_cur >= STACK_LEAST) return;
    own.rlim_cur = own.rlim_max == RLIM_INFINITY || own.rlim_max > STACK_LEAST ? STACK_LEAST : own.rlim_max;
    setrlimit(RLIMIT_STACK, &own);
}

void stack_run(stack_work work, void *context) {
    bool has_room, ok = run_within(work, context, STACK_BYTES, &has_room);
    if (!has_room) ok = run_within(work, context, STACK_LEAST, &has_room);
    if (has_room && ok) return;
    widen_own();
    work(context);
}
