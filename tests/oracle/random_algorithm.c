// SPDX-License-Identifier: Apache-2.0
// Random algorithms with managers: see random_algorithm.h. Conditions and statements are small structures; each has one
// function that makes it, one that prints it and one that interprets it.
#include "oracle/random_algorithm.h"

#include "base/map.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 2, MOST_LOCS = 2, MOST_COMMANDS = 3, MOST_CLAUSES = 3 };
enum { MOST_EVENTS = 4, MOST_STATEMENTS = 2 };

// ---- what there is

// Of an algorithm: own(p, l), bad(p), x = k, free(l): nobody owns l. Of a manager: tries(p) < k, hot(p). Of both:
// t = u.
typedef enum { IS_TRUE, IS_OWN, IS_BAD, IS_X, IS_FREE, IS_TRIES, IS_HOT, IS_SAME } atom_kind;

typedef struct {
    atom_kind kind;
    bool is_negated, of_enemy, of_second;  // of u, not t; of the step's location w, not the command's v
    uint32_t number;
} atom;

typedef struct {
    uint32_t natoms;
    bool is_or;
    atom atoms[2];
} condition;

// own(t, l) := b, bad(t) := b, x := x + 1, clear own(t, _), everyone else who owns l is bad; tries(t) := …,
// hot(t) := …
typedef enum { SET_OWN, SET_BAD, STEP_X, CLEAR_OWN, DOOM, STEP_TRIES, CLEAR_TRIES, SET_HOT, FLIP_HOT } statement_kind;

typedef struct {
    statement_kind kind;
    bool value, of_second;
} statement_text;

typedef struct {
    uint32_t n;
    statement_text statements[MOST_STATEMENTS];
} body;

typedef struct {
    bool is_done, has_when, has_second, has_enemy;
    const char *name;  // of a step
    condition when, conflict;
    body effect;
} clause;

typedef struct {
    const char *name, *thread, *location;  // names of the parameters; location NULL: none
    uint32_t nclauses;
    clause clauses[MOST_CLAUSES];
} command;

typedef struct {
    const char *name;
    body effect;
} event;

typedef struct {
    bool has_proceed, has_wait, has_give_up;
    condition proceed, wait, give_up;
    uint32_t nevents;
    event events[MOST_EVENTS];
} manager;

struct random_algorithm {
    rng r;
    uint32_t nthreads, nlocs, ncommands;
    command commands[MOST_COMMANDS];
    const char *abort_thread;
    body abort;
    bool has_manager;
    manager managers[2];
};

// ---- making

static uint32_t below(random_algorithm *a, uint32_t n) { return rng_below(&a->r, n); }
static bool chance(random_algorithm *a, uint32_t percent) { return below(a, 100) < percent; }

typedef struct {
    bool enemy, first, second;  // what may be mentioned
    bool is_manager;
} scope;

static atom make_atom(random_algorithm *a, scope s) {
    atom x = {.is_negated = chance(a, 40), .of_enemy = s.enemy && chance(a, 60), .number = below(a, 3)};
    x.of_second = s.second && (!s.first || chance(a, 50));
    bool has_location = s.first || s.second;
    uint32_t pick = below(a, 10);
    if (pick == 0) return (atom){.kind = IS_TRUE, .is_negated = chance(a, 25)};
    if (pick <= 2 && s.enemy) x.kind = IS_SAME;
    else if (s.is_manager) x.kind = chance(a, 50) ? IS_TRIES : IS_HOT;
    else if (pick <= 5 && has_location) x.kind = IS_OWN;
    else if (pick <= 6 && has_location) x.kind = IS_FREE;
    else x.kind = pick <= 8 ? IS_BAD : IS_X;
    return x;
}

static condition make_condition(random_algorithm *a, scope s) {
    condition c = {.natoms = 1 + chance(a, 45), .is_or = chance(a, 30)};
    for (uint32_t i = 0; i < c.natoms; i++) c.atoms[i] = make_atom(a, s);
    return c;
}

static body make_body(random_algorithm *a, scope s) {
    body b = {.n = below(a, MOST_STATEMENTS + 1)};
    bool has_location = s.first || s.second;
    for (uint32_t i = 0; i < b.n; i++) {
        statement_text *x = &b.statements[i];
        x->value = chance(a, 65);
        x->of_second = s.second && (!s.first || chance(a, 50));
        if (s.is_manager) x->kind = STEP_TRIES + below(a, 4);
        else if (has_location && chance(a, 65)) x->kind = chance(a, 70) ? SET_OWN : DOOM;
        else x->kind = (statement_kind[]){SET_BAD, SET_BAD, CLEAR_OWN, STEP_X}[below(a, 4)];
    }
    return b;
}

static void make_clause(random_algorithm *a, const command *c, clause *x, uint32_t number) {
    static const char *const names[] = {"own", "lock", "wait", "write", "check"};
    *x = (clause){.is_done = number == 0 ? chance(a, 70) : chance(a, 30), .has_when = chance(a, 80)};
    x->name = names[below(a, 5)];
    x->has_second = !x->is_done && chance(a, 20);
    x->has_enemy = chance(a, 40);
    scope s = {false, c->location != NULL, x->has_second, false};
    x->when = make_condition(a, s);
    x->effect = make_body(a, s);
    s.enemy = true;
    x->conflict = make_condition(a, s);
    if (chance(a, 60)) {  // as they are usually written
        x->conflict.natoms = 2;
        x->conflict.is_or = false;
        x->conflict.atoms[1] = (atom){.kind = IS_SAME, .is_negated = true, .of_enemy = true};
    }
}

static void make_command(random_algorithm *a, uint32_t number) {
    static const char *const names[][3] = {
        {"commit", "commit", "commit"}, {"write", "read", "step"}, {"go", "wait", "own"}};
    static const char *const threads[] = {"t", "t", "any_v", "p"}, *const locations[] = {"v", "v", "any_t", "y"};
    command *c = &a->commands[number];
    c->name = names[number][below(a, 3)];
    c->thread = threads[below(a, 4)];
    c->location = number == 0 || chance(a, 25) ? NULL : locations[below(a, 4)];
    c->nclauses = 1 + below(a, MOST_CLAUSES);
    for (uint32_t i = 0; i < c->nclauses; i++) make_clause(a, c, &c->clauses[i], i);
}

static void make_manager(random_algorithm *a, manager *m) {
    scope both = {true, false, false, true}, one = {false, false, false, true};
    m->has_proceed = chance(a, 80);
    m->has_wait = chance(a, 50);
    m->has_give_up = chance(a, 40);
    m->proceed = make_condition(a, both);
    m->wait = make_condition(a, both);
    m->give_up = make_condition(a, both);
    static const char *const names[] = {"step", "wait", "abort", "commit", "write", "own", "lock", "go"};
    uint32_t first = below(a, 8);
    m->nevents = below(a, MOST_EVENTS + 1);
    for (uint32_t i = 0; i < m->nevents; i++) m->events[i] = (event){names[(first + i * 3) % 8], make_body(a, one)};
}

random_algorithm *random_algorithm_new(uint64_t seed) {
    static const char *const threads[] = {"t", "t", "p", "v", "any_v"};
    random_algorithm *a = calloc(1, sizeof *a);
    a->r = (rng){seed};
    a->nthreads = 1 + chance(a, 75);
    a->nlocs = 1 + chance(a, 40);
    a->ncommands = 1 + below(a, MOST_COMMANDS);
    for (uint32_t i = 0; i < a->ncommands; i++) make_command(a, i);
    a->abort_thread = threads[below(a, 5)];
    a->abort = make_body(a, (scope){0});
    a->has_manager = chance(a, 80);
    for (uint32_t i = 0; i < 2; i++) make_manager(a, &a->managers[i]);
    return a;
}

void random_algorithm_free(random_algorithm *a) { free(a); }

// ---- printing

typedef struct {
    const char *t, *u, *v, *w;
} names;

static const char *location_name(const names *n, bool of_second) { return of_second ? n->w : n->v; }

static void print_atom(const atom *x, const names *n, str *out) {
    const char *p = x->of_enemy ? n->u : n->t, *l = location_name(n, x->of_second);
    str_add(out, x->is_negated ? "!" : "");
    switch (x->kind) {
    case IS_TRUE: str_add(out, "true"); break;
    case IS_OWN: str_printf(out, "own(%s, %s)", p, l); break;
    case IS_BAD: str_printf(out, "bad(%s)", p); break;
    case IS_X: str_printf(out, "(x = %u)", x->number); break;
    case IS_FREE: str_printf(out, "free(%s)", l); break;
    case IS_TRIES: str_printf(out, "(tries(%s) < %u)", p, x->number); break;
    case IS_HOT: str_printf(out, "bad(%s)", p); break;  // named like the algorithm's, and not the same
    case IS_SAME: str_printf(out, "(%s = %s)", n->t, n->u); break;
    }
}

static void print_condition(const condition *c, const names *n, str *out) {
    for (uint32_t i = 0; i < c->natoms; i++) {
        str_add(out, i ? (c->is_or ? " | " : " & ") : "");
        print_atom(&c->atoms[i], n, out);
    }
}

static void print_body(const body *b, const names *n, str *out) {
    str_add(out, " {");
    for (uint32_t i = 0; i < b->n; i++) {
        const statement_text *s = &b->statements[i];
        const char *truth = s->value ? "true" : "false", *l = location_name(n, s->of_second);
        str_add(out, i ? "; " : " ");
        switch (s->kind) {
        case SET_OWN: str_printf(out, "own(%s, %s) := %s", n->t, l, truth); break;
        case SET_BAD: str_printf(out, "bad(%s) := %s", n->t, truth); break;
        case STEP_X: str_add(out, "x := (x + 1) % 3"); break;
        case CLEAR_OWN: str_printf(out, "clear own(%s, _)", n->t); break;
        case DOOM:
            str_printf(out, "forall q: Thread where q != %s & own(q, %s) { bad(q) := true; own(q, %s) := false }", n->t,
                       l, l);
            break;
        case STEP_TRIES: str_printf(out, "tries(%s) := (tries(%s) + 1) %% 3", n->t, n->t); break;
        case CLEAR_TRIES: str_printf(out, "tries(%s) := 0", n->t); break;
        case SET_HOT: str_printf(out, "bad(%s) := %s", n->t, truth); break;
        case FLIP_HOT: str_printf(out, "bad(%s) := !bad(%s)", n->t, n->t); break;
        }
    }
    str_add(out, " }");
}

static void print_clause(const command *c, const clause *x, str *out) {
    names n = {c->thread, "u", c->location, "w"};
    if (x->is_done) str_add(out, "    done");
    else str_printf(out, "    step %s%s", x->name, x->has_second ? "(w: Loc)" : "");
    if (x->has_when) {
        str_add(out, " when ");
        print_condition(&x->when, &n, out);
    }
    if (x->has_enemy) {
        str_add(out, " against u: Thread where ");
        print_condition(&x->conflict, &n, out);
    }
    print_body(&x->effect, &n, out);
    str_add(out, "\n");
}

static void print_says(const char *name, const condition *c, str *out) {
    str_printf(out, "  def %s(t, u: Thread) = ", name);
    print_condition(c, &(names){"t", "u", NULL, NULL}, out);
    str_add(out, "\n");
}

static void print_manager(const manager *m, const char *name, str *out) {
    str_printf(out, "manager %s {\n  var tries(Thread): 0..2\n  rel bad(Thread)\n", name);
    if (m->has_proceed) print_says("proceed", &m->proceed, out);
    if (m->has_wait) print_says("wait", &m->wait, out);
    if (m->has_give_up) print_says("give_up", &m->give_up, out);
    for (uint32_t i = 0; i < m->nevents; i++) {
        str_printf(out, "  on %s(t: Thread)", m->events[i].name);
        print_body(&m->events[i].effect, &(names){"t", NULL, NULL, NULL}, out);
        str_add(out, "\n");
    }
    str_add(out, "}\n");
}

void random_algorithm_text(const random_algorithm *a, str *out) {
    str_printf(out, "sort Thread, Loc\nsize Thread = %u, Loc = %u\n", a->nthreads, a->nlocs);
    str_printf(out, "algorithm Base%s {\n", a->has_manager ? " with First" : "");
    str_add(out, "  rel own(Thread, Loc), bad(Thread)\n  var x: 0..2\n");
    str_add(out, "  def free(l: Loc) = forall s: Thread. !own(s, l)\n");
    for (uint32_t i = 0; i < a->ncommands; i++) {
        const command *c = &a->commands[i];
        str_printf(out, "  command %s(%s: Thread", c->name, c->thread);
        if (c->location) str_printf(out, ", %s: Loc", c->location);
        str_add(out, ") {\n");
        for (uint32_t j = 0; j < c->nclauses; j++) print_clause(c, &c->clauses[j], out);
        str_add(out, "  }\n");
    }
    str_printf(out, "  abort(%s: Thread)", a->abort_thread);
    print_body(&a->abort, &(names){a->abort_thread, NULL, NULL, NULL}, out);
    str_add(out, "\n}\nalgorithm Other = Base with Second\n");
    print_manager(&a->managers[0], "First", out);
    print_manager(&a->managers[1], "Second", out);
    static const char *const promises[] = {"deadlock_free", "obstruction_free", "livelock_free", "wait_free"};
    for (uint32_t i = 0; i < 4; i++)
        str_printf(out, "property base%u: Base %s\nproperty other%u: Other %s\n", i, promises[i], i, promises[i]);
}

// ---- interpreting

enum { NO_COMMAND = 255 };

typedef struct {
    uint8_t own[MOST_THREADS][MOST_LOCS], bad[MOST_THREADS], x;
    uint8_t tries[MOST_THREADS], hot[MOST_THREADS];
    uint8_t pending[MOST_THREADS], location[MOST_THREADS];  // which command, and of which location; NO_COMMAND: none
} memory;

typedef struct {
    uint32_t t, u, v, w;
} binding;

typedef struct {
    const random_algorithm *a;
    const manager *m;  // NULL: none
    bool sees_internal;
    naive_letters *letters;
    naive_graph *g;
    map *numbers;
    VEC(memory) states;
    uint32_t from;
    bool is_good;
} walk;

static bool atom_holds(const random_algorithm *a, const memory *s, const atom *x, const binding *b) {
    uint32_t p = x->of_enemy ? b->u : b->t, l = x->of_second ? b->w : b->v;
    bool holds = true;
    switch (x->kind) {
    case IS_TRUE: break;
    case IS_OWN: holds = s->own[p][l]; break;
    case IS_BAD: holds = s->bad[p]; break;
    case IS_X: holds = s->x == x->number; break;
    case IS_FREE:
        for (uint32_t q = 0; q < a->nthreads; q++) holds = holds && !s->own[q][l];
        break;
    case IS_TRIES: holds = s->tries[p] < x->number; break;
    case IS_HOT: holds = s->hot[p]; break;
    case IS_SAME: holds = b->t == b->u; break;
    }
    return holds != x->is_negated;
}

static bool condition_holds(const random_algorithm *a, const memory *s, const condition *c, const binding *b) {
    bool all = true, any = false;
    for (uint32_t i = 0; i < c->natoms; i++) {
        bool holds = atom_holds(a, s, &c->atoms[i], b);
        all = all && holds;
        any = any || holds;
    }
    return c->is_or ? any : all;
}

// Reads the state before the step and writes the one after it.
static void do_statement(const random_algorithm *a, const memory *s, const statement_text *x, const binding *b,
                         memory *next) {
    uint32_t l = x->of_second ? b->w : b->v;
    switch (x->kind) {
    case SET_OWN: next->own[b->t][l] = x->value; break;
    case SET_BAD: next->bad[b->t] = x->value; break;
    case STEP_X: next->x = (uint8_t)((s->x + 1) % 3); break;
    case CLEAR_OWN: memset(next->own[b->t], 0, sizeof next->own[b->t]); break;
    case DOOM:
        for (uint32_t q = 0; q < a->nthreads; q++)
            if (q != b->t && s->own[q][l]) {
                next->bad[q] = 1;
                next->own[q][l] = 0;
            }
        break;
    case STEP_TRIES: next->tries[b->t] = (uint8_t)((s->tries[b->t] + 1) % 3); break;
    case CLEAR_TRIES: next->tries[b->t] = 0; break;
    case SET_HOT: next->hot[b->t] = x->value; break;
    case FLIP_HOT: next->hot[b->t] = !s->hot[b->t]; break;
    }
}

static void do_body(const random_algorithm *a, const memory *s, const body *x, const binding *b, memory *next) {
    for (uint32_t i = 0; i < x->n; i++) do_statement(a, s, &x->statements[i], b, next);
}

static const event *event_named(const walk *k, const char *name) {
    for (uint32_t i = 0; k->m && i < k->m->nevents; i++)
        if (str_same(k->m->events[i].name, name)) return &k->m->events[i];
    return NULL;
}

static void note(const walk *k, const memory *s, const event *e, const binding *b, memory *next) {
    if (e) do_body(k->a, s, &e->effect, b, next);
}

// ---- what the manager says

static bool may_proceed(const walk *k, const memory *s, const binding *b) {
    if (!k->m) return true;
    return k->m->has_proceed && condition_holds(k->a, s, &k->m->proceed, b);
}

static bool says_wait(const walk *k, const memory *s, const binding *b) {
    return k->m && k->m->has_wait && condition_holds(k->a, s, &k->m->wait, b);
}

static bool says_give_up(const walk *k, const memory *s, const binding *b) {
    if (!k->m) return true;
    if (k->m->has_give_up) return condition_holds(k->a, s, &k->m->give_up, b);
    return !may_proceed(k, s, b) && !says_wait(k, s, b);
}

typedef bool (*opinion)(const walk *k, const memory *s, const binding *b);

static bool is_enemy(const walk *k, const memory *s, const clause *c, binding b, uint32_t u) {
    b.u = u;
    return c->has_enemy && condition_holds(k->a, s, &c->conflict, &b);
}

static bool of_some_enemy(const walk *k, const memory *s, const clause *c, binding b, opinion says) {
    for (b.u = 0; b.u < k->a->nthreads; b.u++)
        if (is_enemy(k, s, c, b, b.u) && says(k, s, &b)) return true;
    return false;
}

static bool of_every_enemy(const walk *k, const memory *s, const clause *c, binding b, opinion says) {
    for (b.u = 0; b.u < k->a->nthreads; b.u++)
        if (is_enemy(k, s, c, b, b.u) && !says(k, s, &b)) return false;
    return true;
}

// ---- steps

static bool can_run(const walk *k, const memory *s, const command *c, const binding *b) {
    uint32_t number = (uint32_t)(c - k->a->commands);
    if (s->pending[b->t] == NO_COMMAND) return true;
    return s->pending[b->t] == number && (!c->location || s->location[b->t] == b->v);
}

static bool is_possible(const walk *k, const memory *s, const clause *c, const binding *b) {
    return !c->has_when || condition_holds(k->a, s, &c->when, b);
}

static void set_pending(const walk *k, const command *c, const binding *b, memory *next) {
    next->pending[b->t] = (uint8_t)(c - k->a->commands);
    next->location[b->t] = (uint8_t)(c->location ? b->v : 0);
}

static void forget_pending(const binding *b, memory *next) {
    next->pending[b->t] = NO_COMMAND;
    next->location[b->t] = 0;
}

static uint32_t number_of(walk *k, const memory *s, uint32_t depth) {
    uint32_t n = map_intern(k->numbers, s, sizeof *s, k->states.len);
    if (n < k->states.len) return n;
    if (n == NAIVE_MOST_STATES) {
        k->is_good = false;
        return n;
    }
    vec_push(&k->states, *s);
    k->g->depth[n] = depth;
    return n;
}

static void add_edge(walk *k, const char *action, bool is_internal, const uint32_t *locations, uint32_t nlocations,
                     uint32_t t, naive_kind kind, const memory *next) {
    naive_letter l = {.action = action, .is_internal = is_internal};
    for (uint32_t i = 0; i < nlocations; i++) l.args[l.nargs++] = (naive_arg){"Loc", NULL, (int32_t)locations[i]};
    l.args[l.nargs++] = (naive_arg){"Thread", NULL, (int32_t)t};
    uint32_t letter = is_internal && !k->sees_internal ? NAIVE_SILENT : naive_intern(k->letters, &l);
    uint32_t to = number_of(k, next, k->g->depth[k->from] + 1);
    if (k->is_good) vec_push(&k->g->edges, (naive_edge){k->from, letter, to, t, kind});
}

static void take_clause(walk *k, const memory *s, const command *c, const clause *x, const binding *b) {
    if (!is_possible(k, s, x, b) || !of_every_enemy(k, s, x, *b, may_proceed)) return;
    memory next = *s;
    do_body(k->a, s, &x->effect, b, &next);
    if (x->is_done) forget_pending(b, &next);
    else set_pending(k, c, b, &next);
    const event *own = event_named(k, x->name);
    note(k, s, x->is_done ? event_named(k, c->name) : own ? own : event_named(k, "step"), b, &next);
    uint32_t locations[2], n = 0;
    if (c->location) locations[n++] = b->v;
    if (x->has_second) locations[n++] = b->w;
    bool commits = str_same(c->name, "commit");
    naive_kind kind = !x->is_done ? NAIVE_STEP : commits ? NAIVE_COMMIT : NAIVE_DONE;
    add_edge(k, x->is_done ? c->name : x->name, !x->is_done, locations, n, b->t, kind, &next);
}

static uint32_t seconds(const walk *k, const clause *x) { return x->has_second ? k->a->nlocs : 1; }

static void take_wait(walk *k, const memory *s, const command *c, binding b) {
    bool waits = false;
    for (uint32_t i = 0; i < c->nclauses; i++)
        for (b.w = 0; b.w < seconds(k, &c->clauses[i]); b.w++)
            waits |= is_possible(k, s, &c->clauses[i], &b) && of_some_enemy(k, s, &c->clauses[i], b, says_wait);
    if (!waits) return;
    memory next = *s;
    set_pending(k, c, &b, &next);
    note(k, s, event_named(k, "wait"), &b, &next);
    add_edge(k, "wait", true, &b.v, c->location ? 1 : 0, b.t, NAIVE_STEP, &next);
}

// May the thread abort for this command?
static bool is_abort_enabled(const walk *k, const memory *s, const command *c, binding b) {
    bool is_stuck = true, gives_up = false;
    for (uint32_t i = 0; i < c->nclauses; i++)
        for (b.w = 0; b.w < seconds(k, &c->clauses[i]); b.w++) {
            if (!is_possible(k, s, &c->clauses[i], &b)) continue;
            is_stuck = false;
            gives_up |= of_some_enemy(k, s, &c->clauses[i], b, says_give_up);
        }
    return is_stuck || gives_up;
}

static void take_abort(walk *k, const memory *s, uint32_t t) {
    memory next = *s;
    binding b = {.t = t};
    do_body(k->a, s, &k->a->abort, &b, &next);
    forget_pending(&b, &next);
    note(k, s, event_named(k, "abort"), &b, &next);
    add_edge(k, "abort", false, NULL, 0, t, NAIVE_ABORT, &next);
}

static void move_thread(walk *k, const memory *s, uint32_t t) {
    bool may_abort = false;
    for (uint32_t i = 0; i < k->a->ncommands; i++) {
        const command *c = &k->a->commands[i];
        for (uint32_t v = 0; v < (c->location ? k->a->nlocs : 1); v++) {
            binding b = {.t = t, .v = v};
            if (!can_run(k, s, c, &b)) continue;
            may_abort |= is_abort_enabled(k, s, c, b);
            take_wait(k, s, c, b);
            for (uint32_t j = 0; j < c->nclauses; j++)
                for (b.w = 0; b.w < seconds(k, &c->clauses[j]); b.w++) take_clause(k, s, c, &c->clauses[j], &b);
        }
    }
    if (may_abort) take_abort(k, s, t);
}

static const manager *manager_of(const random_algorithm *a, random_which which) {
    if (which == RANDOM_OTHER) return &a->managers[1];
    return which == RANDOM_FIRST || a->has_manager ? &a->managers[0] : NULL;
}

bool random_algorithm_graph(const random_algorithm *a, random_which which, bool sees_internal, naive_letters *letters,
                            naive_graph *g) {
    *g = (naive_graph){0};
    walk k = {a, manager_of(a, which), sees_internal, letters, g, .numbers = map_new(), .is_good = true};
    bool commits = false;
    for (uint32_t i = 0; i < a->ncommands; i++)
        for (uint32_t j = 0; j < a->commands[i].nclauses; j++)
            commits |= a->commands[i].clauses[j].is_done && str_same(a->commands[i].name, "commit");
    g->nthreads = commits ? a->nthreads : 0;  // liveness is asked of memories that commit
    memory start;
    memset(&start, 0, sizeof start);
    memset(start.pending, NO_COMMAND, sizeof start.pending);
    naive_set_add(&g->initial, number_of(&k, &start, 0));
    for (k.from = 0; k.is_good && k.from < k.states.len; k.from++) {
        memory s = k.states.data[k.from];
        for (uint32_t t = 0; t < a->nthreads; t++) move_thread(&k, &s, t);
    }
    g->nstates = k.states.len;
    vec_free(&k.states);
    map_free(k.numbers);
    return k.is_good;
}
