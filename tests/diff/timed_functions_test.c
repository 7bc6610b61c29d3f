// SPDX-License-Identifier: Apache-2.0
// Functions of timed models against a direct interpreter. Two random functions, which call one another, are written as
// XTA text, which the front end inlines (constants are propagated, loops unrolled, conditions merged), and are run here
// statement by statement. What they leave in the variables, and whether a value leaves its range or an index its array,
// must be the same.
#include "base/rng.h"
#include "base/str.h"
#include "front/xta/xta.h"
#include "model/eval.h"
#include "oracle/part.h"
#include "oracle/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLOBALS = 3, CELLS = 3, MOST_NODES = 4096, MOST_SLOTS = 64, LARGEST = 20, FUEL = 3000 };

typedef enum {
    N_CONST,    // n
    N_VAR,      // n: below GLOBALS a global, else a slot of the function
    N_ELEMENT,  // n: the array; kid[0]: index
    N_BINARY,   // op; kid[0], kid[1]
    N_NOT,
    N_SAME,  // n, op: two arrays are equal
    N_COND,
    N_STEP,         // n: the variable; op: ++x, x++, --x, x--
    N_CALL,         // kid[0]: a variable; kid[1]: a value; n: the array
    N_SET,          // n: the variable; op: = += -=; kid[0]: an expression, N_STEP or N_CALL
    N_COPY,         // n: the array that becomes op
    N_SET_ELEMENT,  // n: the array; kid[0]: index; kid[1]: value
    N_IF,           // kid[0]: condition; kid[1], kid[2] (NULL: none)
    N_FOR,          // n: the variable; op: the bound; kid[0]: body
    N_WHILE,        // kid[0]: condition; kid[1]: body
    N_DO,
    N_EACH,    // n: the slot; kid[0]: body
    N_BLOCK,   // kid[0]: the first statement
    N_LOCAL,   // n: the slot; kid[0]: what it is set to; op: it is const
    N_RETURN,  // kid[0]: expression
    N_EXPR     // kid[0]: N_STEP or N_CALL
} kind;

typedef enum { ARRAY_GLOBAL, ARRAY_PARAM, ARRAY_LOCAL, ARRAYS } array_name;

typedef struct node node;
struct node {
    kind k;
    int n, op;
    node *kid[3], *next;
};

typedef struct {
    node *body;
    int nslots;
    bool calls;            // the other function
    bool has_local;        // an array of its own
    bool refs, ref_array;  // the second function: is its first parameter a reference, is its array?
} function;

typedef struct {
    rng *r;
    node *pool;
    int nnodes;
    bool is_pure;
    function f[2];
    // being made
    int which;
    int visible[MOST_SLOTS], nvisible, writable[MOST_SLOTS];
    int globals[GLOBALS], cells[CELLS];
} program;

static int below(program *p, int n) { return (int)rng_below(p->r, (uint32_t)n); }

static node *new_node(program *p, kind k, int n, int op) {
    assert_true(p->nnodes < MOST_NODES);
    node *x = &p->pool[p->nnodes++];
    *x = (node){.k = k, .n = n, .op = op};
    return x;
}

// ---- random programs

static int any_var(program *p) {
    int n = GLOBALS + p->nvisible, k = below(p, n);
    return k < GLOBALS ? k : GLOBALS + p->visible[k - GLOBALS];
}

// One that may be written; -1: there is none.
static int target(program *p) {
    for (int tries = 0; tries < 8; tries++) {
        int v = any_var(p);
        if (v < GLOBALS ? !p->is_pure : p->writable[v - GLOBALS]) return v;
    }
    return -1;
}

static bool has_array(const program *p, int a) {
    return a == ARRAY_GLOBAL || (a == ARRAY_PARAM && p->which == 1) || (a == ARRAY_LOCAL && p->f[p->which].has_local);
}

static int any_array(program *p) {
    int a = below(p, ARRAYS);
    return has_array(p, a) ? a : ARRAY_GLOBAL;
}

// One that may be written; -1: there is none.
static int target_array(program *p) {
    int a = any_array(p);
    return a == ARRAY_GLOBAL && p->is_pure ? -1 : a;
}

static node *random_index(program *p) {
    return below(p, 3) ? new_node(p, N_CONST, below(p, CELLS), 0) : new_node(p, N_VAR, any_var(p), 0);
}

static node *random_expr(program *p, int depth) {
    int k = below(p, depth ? 10 : 4);
    node *x;
    if (k == 9) return new_node(p, N_SAME, any_array(p), any_array(p));
    if (k == 0) return new_node(p, N_CONST, below(p, 7) - 3, 0);
    if (k <= 2) return new_node(p, N_VAR, any_var(p), 0);
    if (k == 3) {
        x = new_node(p, N_ELEMENT, any_array(p), 0);
        x->kid[0] = random_index(p);
        return x;
    }
    x = k == 4 ? new_node(p, N_NOT, 0, 0) : k == 5 ? new_node(p, N_COND, 0, 0) : new_node(p, N_BINARY, 0, below(p, 8));
    for (int i = 0; i < (x->k == N_NOT ? 1 : x->k == N_COND ? 3 : 2); i++) x->kid[i] = random_expr(p, depth - 1);
    return x;
}

static node *random_step(program *p, int v) { return new_node(p, N_STEP, v, below(p, 4)); }

static node *random_call(program *p) {
    bool is_ref = p->f[1].refs;
    int v = is_ref ? target(p) : any_var(p);
    if (p->which == 1 || v < 0) return NULL;
    node *x = new_node(p, N_CALL, any_array(p), 0);
    x->kid[0] = new_node(p, N_VAR, v, 0);
    x->kid[1] = random_expr(p, 1);
    p->f[0].calls = true;
    return x;
}

// What is put into a variable: sometimes with an effect of its own.
static node *random_source(program *p) {
    int k = below(p, 8), v = k ? -1 : target(p);
    if (v >= 0 && !p->is_pure) return random_step(p, v);
    node *call = k == 1 ? random_call(p) : NULL;
    return call ? call : random_expr(p, 2);
}

static node *random_block(program *p, int depth);

static int declare(program *p, bool is_writable) {
    function *f = &p->f[p->which];
    assert_true(f->nslots < MOST_SLOTS);
    p->writable[f->nslots] = is_writable;
    p->visible[p->nvisible++] = f->nslots;
    return f->nslots++;
}

static node *random_loop(program *p, int depth, int k) {
    int seen = p->nvisible, v = target(p);
    node *x;
    if (k == 0 && v >= 0) {
        x = new_node(p, N_FOR, v, 1 + below(p, 4));
        x->kid[0] = random_block(p, depth - 1);
    } else if (k <= 1) {
        x = new_node(p, N_EACH, 0, 0);
        x->n = declare(p, false);
        x->kid[0] = random_block(p, depth - 1);
    } else {
        x = new_node(p, k == 2 ? N_WHILE : N_DO, 0, 0);
        x->kid[0] = random_expr(p, 2);
        x->kid[1] = random_block(p, depth - 1);
    }
    p->nvisible = seen;
    return x;
}

static node *random_stmt(program *p, int depth) {
    int k = below(p, depth ? 14 : 6), v = target(p), a = target_array(p);
    node *x = NULL;
    if (k == 0) {
        x = new_node(p, N_RETURN, 0, 0);
        x->kid[0] = random_expr(p, 1);
    } else if (k == 1 && a >= 0 && below(p, 4) == 0) {
        x = new_node(p, N_COPY, a, any_array(p));
    } else if (k == 1 && a >= 0) {
        x = new_node(p, N_SET_ELEMENT, a, 0);
        x->kid[0] = random_index(p);
        x->kid[1] = random_expr(p, 1);
    } else if (k == 2 && (v >= 0 || p->f[1].refs == false)) {
        node *effect = v >= 0 && below(p, 2) ? random_step(p, v) : random_call(p);
        x = effect ? new_node(p, N_EXPR, 0, 0) : NULL;
        if (x) x->kid[0] = effect;
    } else if (k <= 9 && k >= 6) {
        x = new_node(p, N_IF, 0, 0);
        x->kid[0] = random_expr(p, 2);
        x->kid[1] = random_block(p, depth - 1);
        if (below(p, 2)) x->kid[2] = random_block(p, depth - 1);
    } else if (k > 9) {
        return random_loop(p, depth, k - 10);
    }
    if (x || v < 0) return x;
    x = new_node(p, N_SET, v, below(p, 4) ? 0 : 1 + below(p, 2));
    x->kid[0] = x->op ? random_expr(p, 1) : random_source(p);
    return x;
}

static node *random_block(program *p, int depth) {
    node *b = new_node(p, N_BLOCK, 0, 0), **last = &b->kid[0];
    int seen = p->nvisible;
    for (int i = below(p, 2); i > 0; i--) {
        node *x = new_node(p, N_LOCAL, 0, below(p, 3) == 0);
        x->kid[0] = random_source(p);
        x->n = declare(p, !x->op);
        *last = x;
        last = &x->next;
    }
    for (int i = 1 + below(p, 3); i > 0; i--) {
        node *x = random_stmt(p, depth);
        if (!x) continue;
        *last = x;
        last = &x->next;
    }
    p->nvisible = seen;
    return b;
}

// The first function has a number, the second a number or a reference, a number and an array.
static void random_function(program *p, int which) {
    function *f = &p->f[which];
    p->which = which;
    p->nvisible = 0;
    f->has_local = below(p, 2);
    declare(p, true);
    if (which == 1) declare(p, true);
    f->body = random_block(p, 3);
    node *end = new_node(p, N_RETURN, 0, 0), **last = &f->body->kid[0];
    end->kid[0] = random_expr(p, 1);
    while (*last) last = &(*last)->next;
    *last = end;
}

static void random_program(program *p) {
    p->is_pure = below(p, 3) == 0;
    p->f[1].refs = !p->is_pure && below(p, 2);
    p->f[1].ref_array = !p->is_pure && below(p, 2);
    random_function(p, 1);
    random_function(p, 0);
    for (int i = 0; i < GLOBALS; i++) p->globals[i] = below(p, 5) - 1;
    for (int i = 0; i < CELLS; i++) p->cells[i] = below(p, 5) - 1;
}

// ---- as text

static const char *const binaries[] = {"+", "-", "*", "<", "==", "&&", "||", ">="};
static const char *const arrays[] = {"ga", "q", "la"};

static void text_of(const program *p, int which, const node *x, str *out);

static void var_text(int which, int v, str *out) {
    if (v < GLOBALS) str_printf(out, "g%d", v);
    else str_printf(out, "%c%d", which ? 'b' : 'a', v - GLOBALS);
}

static void list_text(const program *p, int which, const node *x, str *out) {
    for (; x; x = x->next) text_of(p, which, x, out);
}

// %v: the variable, %a: the array, %n, %o: numbers, %0 %1 %2: kids
static void format(const program *p, int which, const node *x, const char *text, str *out) {
    for (; *text; text++) {
        if (*text != '%') {
            str_char(out, *text);
            continue;
        }
        char c = *++text;
        if (c == 'v') var_text(which, x->n, out);
        else if (c == 's') var_text(which, x->n + GLOBALS, out);
        else if (c == 'a') str_add(out, arrays[x->n]);
        else if (c == 'n') str_printf(out, "%d", x->n);
        else if (c == 'o') str_printf(out, "%d", x->op);
        else text_of(p, which, x->kid[c - '0'], out);
    }
}

static void text_of(const program *p, int which, const node *x, str *out) {
    static const char *const steps[] = {"++%v", "%v++", "--%v", "%v--"};
    static const char *const sets[] = {"%v = %0; ", "%v += %0; ", "%v -= %0; "};
    switch (x->k) {
    case N_CONST: format(p, which, x, "(%n)", out); return;
    case N_VAR: format(p, which, x, "%v", out); return;
    case N_ELEMENT: format(p, which, x, "%a[%0]", out); return;
    case N_BINARY:
        format(p, which, x, "(%0 ", out);
        str_add(out, binaries[x->op]);
        format(p, which, x, " %1)", out);
        return;
    case N_NOT: format(p, which, x, "!(%0)", out); return;
    case N_COND: format(p, which, x, "((%0) ? (%1) : (%2))", out); return;
    case N_SAME: str_printf(out, "(%s %s %s)", arrays[x->n], "==", arrays[x->op]); return;
    case N_COPY: str_printf(out, "%s = %s; ", arrays[x->n], arrays[x->op]); return;
    case N_STEP: format(p, which, x, steps[x->op], out); return;
    case N_CALL: format(p, which, x, "f1(%0, %1, %a)", out); return;
    case N_SET: format(p, which, x, sets[x->op], out); return;
    case N_SET_ELEMENT: format(p, which, x, "%a[%0] = %1; ", out); return;
    case N_IF: format(p, which, x, x->kid[2] ? "if (%0) %1 else %2" : "if (%0) %1", out); return;
    case N_FOR: format(p, which, x, "for (%v = 0; %v < %o; %v++) %0", out); return;
    case N_WHILE: format(p, which, x, "while (%0) %1", out); return;
    case N_DO: format(p, which, x, "do %1 while (%0); ", out); return;
    case N_EACH: format(p, which, x, "for (%s : int[0,2]) %0", out); return;
    case N_BLOCK:
        str_add(out, "{ ");
        list_text(p, which, x->kid[0], out);
        str_add(out, "} ");
        return;
    case N_LOCAL: format(p, which, x, x->op ? "const T %s = %0; " : "T %s = %0; ", out); return;
    case N_RETURN: format(p, which, x, "return %0; ", out); return;
    case N_EXPR: format(p, which, x, "%0; ", out); return;
    }
}

static void function_text(const program *p, int which, str *out) {
    const function *f = &p->f[which];
    if (which) str_printf(out, "T f1(T %sb0, T b1, T %sq[3]) { ", f->refs ? "&" : "", f->ref_array ? "&" : "");
    else str_add(out, "T f0(T a0) { ");
    if (f->has_local) str_add(out, "T la[3]; ");
    list_text(p, which, f->body->kid[0], out);
    str_add(out, p->is_pure ? "}\n" : "done = 1; }\n");  // never reached, but so it is a function that writes
}

static void program_text(const program *p, str *out) {
    str_printf(out, "typedef int[-%d,%d] T;\nT g0 = %d, g1 = %d, g2 = %d;\nT ga[3] = {%d, %d, %d}, done;\n", LARGEST,
               LARGEST, p->globals[0], p->globals[1], p->globals[2], p->cells[0], p->cells[1], p->cells[2]);
    function_text(p, 1, out);
    function_text(p, 0, out);
    str_add(out, "process P() { state s, t; init s; trans s -> t { assign g0 = f0(g1); }; }\nsystem P;\n");
}

// ---- run

typedef enum { GOES_ON, RETURNS, FAULTS, TIRED } outcome;

typedef struct {
    int *slots[MOST_SLOTS], own[MOST_SLOTS];
    int *array[ARRAYS], local[CELLS], param[CELLS];
    int result;
} frame;

typedef struct {
    program *p;
    int fuel;
    outcome now;
} machine;

static int *var_of_frame(machine *m, frame *f, int v) {
    return v < GLOBALS ? &m->p->globals[v] : f->slots[v - GLOBALS];
}

static void store(machine *m, int *to, int n) {
    if (m->now != GOES_ON) return;
    if (n < -LARGEST || n > LARGEST) m->now = FAULTS;
    else *to = n;
}

static int evaluate(machine *m, frame *f, const node *x);
static void run_list(machine *m, frame *f, const node *x);

static int *element(machine *m, frame *f, const node *x) {
    int i = evaluate(m, f, x->kid[0]);
    if (m->now == GOES_ON && (i < 0 || i >= CELLS)) m->now = FAULTS;
    return &f->array[x->n][m->now == GOES_ON ? i : 0];
}

static int binary(machine *m, frame *f, const node *x) {
    int a = evaluate(m, f, x->kid[0]);
    if (x->op == 5 && !a) return 0;
    if (x->op == 6 && a) return 1;
    int b = evaluate(m, f, x->kid[1]);
    switch (x->op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a < b;
    case 4: return a == b;
    case 7: return a >= b;
    default: return b != 0;
    }
}

static int step(machine *m, frame *f, const node *x) {
    int *v = var_of_frame(m, f, x->n), before = *v;
    store(m, v, x->op < 2 ? before + 1 : before - 1);
    return x->op % 2 ? before : *v;
}

static int call(machine *m, frame *f, const node *x) {
    const function *callee = &m->p->f[1];
    frame *inner = calloc(1, sizeof *inner);
    int *first = var_of_frame(m, f, x->kid[0]->n);
    for (int i = 0; i < MOST_SLOTS; i++) inner->slots[i] = &inner->own[i];
    if (callee->refs) inner->slots[0] = first;
    else inner->own[0] = *first;
    store(m, inner->slots[1], evaluate(m, f, x->kid[1]));
    memcpy(inner->param, f->array[x->n], sizeof inner->param);
    inner->array[ARRAY_GLOBAL] = m->p->cells;
    inner->array[ARRAY_PARAM] = callee->ref_array ? f->array[x->n] : inner->param;
    inner->array[ARRAY_LOCAL] = inner->local;
    run_list(m, inner, callee->body->kid[0]);
    if (m->now == RETURNS) m->now = GOES_ON;
    int result = inner->result;
    free(inner);
    return result;
}

static int evaluate(machine *m, frame *f, const node *x) {
    if (m->now != GOES_ON) return 0;
    if (--m->fuel < 0) m->now = TIRED;
    switch (x->k) {
    case N_CONST: return x->n;
    case N_VAR: return *var_of_frame(m, f, x->n);
    case N_ELEMENT: return *element(m, f, x);
    case N_BINARY: return binary(m, f, x);
    case N_NOT: return !evaluate(m, f, x->kid[0]);
    case N_COND: return evaluate(m, f, evaluate(m, f, x->kid[0]) ? x->kid[1] : x->kid[2]);
    case N_SAME: return memcmp(f->array[x->n], f->array[x->op], CELLS * sizeof(int)) == 0;
    case N_STEP: return step(m, f, x);
    default: return call(m, f, x);
    }
}

static void run(machine *m, frame *f, const node *x);

static void run_for(machine *m, frame *f, const node *x) {
    int *v = var_of_frame(m, f, x->n);
    for (store(m, v, 0); m->now == GOES_ON && *v < x->op; store(m, v, *v + 1)) {
        if (--m->fuel < 0) m->now = TIRED;
        run(m, f, x->kid[0]);
    }
}

static void set(machine *m, frame *f, const node *x) {
    int n = evaluate(m, f, x->kid[0]), *to = var_of_frame(m, f, x->n);
    store(m, to, x->op == 0 ? n : x->op == 1 ? *to + n : *to - n);
}

static void run(machine *m, frame *f, const node *x) {
    if (m->now != GOES_ON) return;
    if (--m->fuel < 0) m->now = TIRED;
    switch (x->k) {
    case N_SET: set(m, f, x); return;
    case N_LOCAL: store(m, f->slots[x->n], evaluate(m, f, x->kid[0])); return;
    case N_SET_ELEMENT: {
        int *to = element(m, f, x);
        store(m, to, evaluate(m, f, x->kid[1]));
        return;
    }
    case N_COPY: memmove(f->array[x->n], f->array[x->op], CELLS * sizeof(int)); return;
    case N_IF:
        if (evaluate(m, f, x->kid[0])) run(m, f, x->kid[1]);
        else if (x->kid[2]) run(m, f, x->kid[2]);
        return;
    case N_FOR: run_for(m, f, x); return;
    case N_DO: run(m, f, x->kid[1]);  // fall through
    case N_WHILE:
        while (evaluate(m, f, x->kid[0]) && m->now == GOES_ON) run(m, f, x->kid[1]);
        return;
    case N_EACH:
        for (int i = 0; i < CELLS; i++) {
            f->own[x->n] = i;
            run(m, f, x->kid[0]);
        }
        return;
    case N_BLOCK: run_list(m, f, x->kid[0]); return;
    case N_RETURN:
        store(m, &f->result, evaluate(m, f, x->kid[0]));
        if (m->now == GOES_ON) m->now = RETURNS;
        return;
    default: evaluate(m, f, x->kid[0]); return;
    }
}

static void run_list(machine *m, frame *f, const node *x) {
    for (; x; x = x->next) run(m, f, x);
}

static outcome run_program(program *p) {
    machine m = {.p = p, .fuel = FUEL};
    frame *f = calloc(1, sizeof *f);
    for (int i = 0; i < MOST_SLOTS; i++) f->slots[i] = &f->own[i];
    f->array[ARRAY_GLOBAL] = p->cells;
    f->array[ARRAY_PARAM] = f->param;
    f->array[ARRAY_LOCAL] = f->local;
    f->own[0] = p->globals[1];
    run_list(&m, f, p->f[0].body->kid[0]);
    if (m.now == RETURNS) m.now = GOES_ON;
    store(&m, &p->globals[0], f->result);
    free(f);
    return m.now;
}

// ---- compared

typedef struct {
    uint64_t same, faults, refused, tired, wrong;
} tally;

typedef struct {
    instance *in;
    eval *ev;
    value *next;
    bool fired;
} step_taken;

static bool take_step(const value *state, void *context) {
    step_taken *s = context;
    rule r = sys_of(s->in->m, s->in->system)->rules.data[0];
    s->fired = eval_fire(s->ev, state, r, NULL, s->next);
    return false;
}

static bool has_value(const step_taken *s, model *m, sys system, const char *name, const int *want, uint32_t n) {
    func f = model_find_func(m, system, name);
    bool same = true;
    for (uint32_t i = 0; i < n; i++) same &= s->next[s->in->first_cell[f.id] + i] == want[i];
    return same;
}

static bool same_values(const step_taken *s, model *m, sys system, const program *p) {
    static const char *const names[] = {"g0", "g1", "g2"};
    bool same = has_value(s, m, system, "ga", p->cells, CELLS);
    for (int i = 0; i < GLOBALS; i++) same &= has_value(s, m, system, names[i], &p->globals[i], 1);
    return same;
}

static void compare(program *p, outcome o, const str *text, model *m, sys system, tally *t) {
    step_taken s = {.in = instance_new(m, system, NULL, 0)};
    assert_non_null(s.in);
    s.ev = eval_new(s.in);
    s.next = calloc(s.in->ncells + 1, sizeof *s.next);
    eval_initial(s.in, take_step, &s);
    fault_kind k = s.fired ? FAULT_NONE : eval_fault(s.ev).kind;
    bool is_same = o == FAULTS ? !s.fired : s.fired && same_values(&s, m, system, p);
    // A function that writes nothing is an expression: an error in a part whose value nobody needs is not met.
    if (o == FAULTS && p->is_pure) is_same = true;
    if (o == TIRED || k == FAULT_LOOP || k == FAULT_LIMIT) t->tired++;
    else if (!is_same) t->wrong++;
    else if (o == FAULTS) t->faults++;
    else t->same++;
    if (!is_same && o != TIRED && k != FAULT_LOOP && k != FAULT_LIMIT && t->wrong < 4) print_error("%s\n", text->text);
    free(s.next);
    eval_free(s.ev);
    instance_free(s.in);
}

static void try_one(uint64_t seed, tally *t) {
    rng r = {seed};
    program *p = calloc(1, sizeof *p);
    p->pool = calloc(MOST_NODES, sizeof *p->pool);
    p->r = &r;
    random_program(p);
    str text = {0};
    program_text(p, &text);
    outcome o = run_program(p);
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    if (xta_read_text(m, "functions.xta", text.text, text.len, &(xta_options){0}, &system))
        compare(p, o, &text, m, system, t);
    else t->refused++;
    model_free(m);
    diag_free(messages);
    str_free(&text);
    free(p->pool);
    free(p);
}

static void test_functions(void **state) {
    (void)state;
    tally t = {0};
    uint64_t tries = part_rounds(500, 100000), first = part_seed(0);
    for (uint64_t i = 0; i < tries; i++) try_one(first + i, &t);
    printf("# %llu the same, %llu with run-time errors, %llu refused, %llu too long\n", (unsigned long long)t.same,
           (unsigned long long)t.faults, (unsigned long long)t.refused, (unsigned long long)t.tired);
    printf("# tally: functions of timed models against a direct interpreter | %llu cases | %llu wrong\n",
           (unsigned long long)(t.same + t.faults + t.wrong), (unsigned long long)t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.same > tries / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
