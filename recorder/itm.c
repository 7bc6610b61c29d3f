// SPDX-License-Identifier: Apache-2.0
// Transactions of libitm: see itm.h. Begin returns to us, by begin.S, each time that a transaction is started or restarted.
// A restart is known only after libitm has begun the new attempt, so it is recorded as PARVIS_RESTARTED: between the
// record before and this one, the attempt ended and the next began. Nested transactions are part of the outermost.
#include "itm.h"

#include <dlfcn.h>
#include <pthread.h>

enum { PROPERTY_INSTRUMENTED = 1 };                                       // of a transaction
enum { ACTION_INSTRUMENTED = 1, ACTION_PLAIN = 2, ACTION_CANCELLED = 16 };  // answers of begin

static __thread itm_thread self __attribute__((tls_model("initial-exec")));
static __thread bool has_self __attribute__((tls_model("initial-exec")));
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void *itm_real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found) return found;
    fprintf(stderr, "libparvis-record: there is no function %s after this library\n", name);
    abort();
}

// ---- the method

// While a program has one thread, libitm uses its method without instrumentation, and changes to another when the second
// thread begins. With instrumented code, which recording needs, that change loses or repeats updates: libitm 12.2, made to
// run instrumented code by nothing but a cleared bit of _ITM_beginTransaction's properties, freed memory twice in 552 of
// 2,400 runs of examples/stm/itm_bank.c (20,000 rounds, two cores, six at once), and in none of 1,600 with each of its
// methods all the time. So there is one, libitm's own choice for several threads, unless the user names another.
__attribute__((constructor)) static void choose_method(void) { setenv("ITM_DEFAULT_METHOD", "ml_wt", 0); }

// ---- threads

static void close_log(void *log) { parvis_log_close(log); }
static void make_key(void) { pthread_key_create(&at_exit, close_log); }

static void find_stack(itm_thread *t) {
    pthread_attr_t attr;
    void *begin;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attr)) return;
    if (pthread_attr_getstack(&attr, &begin, &size) == 0) {
        t->stack_begin = (uint64_t)(uintptr_t)begin;
        t->stack_end = t->stack_begin + size;
    }
    pthread_attr_destroy(&attr);
}

itm_thread *itm_self(void) {
    if (has_self) return &self;
    has_self = true;
    pthread_once(&once, make_key);
    find_stack(&self);
    self.log = parvis_log_open(NULL, 1);
    if (!self.log && errno) perror("libparvis-record: this thread is not recorded");
    if (self.log) pthread_setspecific(at_exit, self.log);
    return &self;
}

void itm_unseen(itm_thread *t) {
    if (t->log) t->log->header->state = PARVIS_LOG_UNSEEN;
}

// ---- beginning

// Called by begin.S; gives the function that begins.
__attribute__((visibility("hidden"))) void *itm_begins(uint32_t properties, uint64_t stack, void *back) {
    static void *real;
    itm_thread *t = itm_self();
    if (!real) real = itm_real("_ITM_beginTransaction");
    if (t->depth >= ITM_MOST_LEVELS) {
        fprintf(stderr, "libparvis-record: transactions are nested more than %d deep\n", ITM_MOST_LEVELS);
        abort();
    }
    if (t->depth == 0) {
        parvis_begin(t->log);
        t->has_landed = false;
    }
    if (!(properties & PROPERTY_INSTRUMENTED)) itm_unseen(t);
    t->levels[t->depth++] = (itm_level){stack, back};
    return real;
}

typedef struct {
    void *back;
    uint64_t action;
} itm_landing;

static void landed_outermost(itm_thread *t, uint32_t action) {
    if (action & ACTION_CANCELLED) {
        parvis_aborted(t->log);
        t->depth = 0;
    } else if (t->has_landed) {
        parvis_restarted(t->log);
    }
    t->has_landed = true;
}

// Called by begin.S: libitm's begin has returned, for the first time or again. Levels above this one are gone then. The
// program is sent through the code that tells of its accesses, if it has such code.
__attribute__((visibility("hidden"))) itm_landing itm_landed(uint64_t stack, uint32_t action) {
    itm_thread *t = &self;
    uint32_t i = t->depth;
    while (i > 0 && t->levels[i - 1].stack != stack) i--;
    if (i == 0) abort();
    itm_level level = t->levels[i - 1];
    t->depth = i;
    if (i == 1) landed_outermost(t, action);
    else if (action & ACTION_CANCELLED) itm_unseen(t), t->depth--;  // writes of the inner one were undone
    if ((action & ACTION_PLAIN) && !(action & ACTION_INSTRUMENTED) && t->log &&
        t->log->header->state != PARVIS_LOG_UNSEEN)
        action = (action & ~(uint32_t)ACTION_PLAIN) | ACTION_INSTRUMENTED;
    return (itm_landing){level.back, action};
}

// ---- committing

void _ITM_commitTransaction(void) {
    static void (*real)(void);
    itm_thread *t = itm_self();
    if (!real) *(void **)&real = itm_real("_ITM_commitTransaction");
    if (t->depth == 1) parvis_commit(t->log);
    real();
    if (t->depth == 1) parvis_committed(t->log);
    if (t->depth) t->depth--;
}

void _ITM_commitTransactionEH(void *exception) {
    static void (*real)(void *);
    itm_thread *t = itm_self();
    if (!real) *(void **)&real = itm_real("_ITM_commitTransactionEH");
    if (t->depth == 1) parvis_commit(t->log);
    real(exception);
    if (t->depth == 1) parvis_committed(t->log);
    if (t->depth) t->depth--;
}

// From now on the transaction may run code that tells nothing.
void _ITM_changeTransactionMode(int mode) {
    static void (*real)(int);
    if (!real) *(void **)&real = itm_real("_ITM_changeTransactionMode");
    itm_unseen(itm_self());
    real(mode);
}

// A function without an instrumented form: libitm makes the transaction irrevocable and gives the function itself.
void *_ITM_getTMCloneOrIrrevocable(void *function) {
    static void *(*real)(void *);
    if (!real) *(void **)&real = itm_real("_ITM_getTMCloneOrIrrevocable");
    void *found = real(function);
    if (found == function) itm_unseen(itm_self());
    return found;
}
