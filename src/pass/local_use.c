// SPDX-License-Identifier: Apache-2.0
// Reads and writes of locals in the order of the text: see local_use.h.
//
// Bodies have no jumps: a list of statements (a *region*: the body, a branch, the body of a loop) is done from its
// beginning to its end unless the step fails. So a write that covers all of a local ends the life of its old value for
// everything further on in its region. A question goes through the local's events behind the statement, and for each
// loop around it through those of the whole loop, since another round may come.
#include "pass/local_use.h"

#include "model/expr.h"
#include "model/walk.h"
#include "pass/effects.h"

enum { MOST_EVENTS = 4096 };  // looked at for one question

typedef struct {
    uint32_t at;  // number of the statement; of a loop that writes all cells: one behind its last
    uint32_t region;
    uint32_t loop;  // number of the loop that writes all cells, else UINT32_MAX
    bool is_write;  // of all cells; else a read
} event;

typedef VEC(event) event_list;

typedef struct {
    uint32_t begin, end;  // numbers of statements; end is one behind the last
} region;

typedef struct {
    uint32_t end;         // one behind its last statement
    uint32_t parent;      // UINT32_MAX: none
    uint32_t else_begin;  // of an `if`: the number at which its else branch begins
    stmt_kind kind;
} node;

struct local_use {
    const model *m;
    VEC(node) nodes;  // by number
    VEC(region) regions;
    event_list *events;     // by function
    VEC(uint32_t) touched;  // functions that have events
    uint32_t region;
};

// ---- going through the body

static void local_use_add_event(local_use *u, func f, event e) {
    if (!func_of(u->m, f)->is_scratch) return;
    if (!u->events[f.id].len) vec_push(&u->touched, f.id);
    e.region = u->region;
    vec_push(&u->events[f.id], e);
}

static void note_reads(local_use *u, expr e, uint32_t at) {
    walk w = walk_expr(u->m, e, WALK_CALLS);
    while (walk_next(&w))
        if (w.x->kind == E_APP || w.x->kind == E_DEFINED)
            local_use_add_event(u, (func){w.x->ref}, (event){.at = at, .loop = UINT32_MAX});
}

static void local_use_note_stmt(local_use *u, const stmt *s, uint32_t parent);

// Statements that are done all or not at all.
static void note_region(local_use *u, const stmt *const *list, uint32_t n, uint32_t parent) {
    uint32_t was = u->region, now = u->regions.len;
    vec_push(&u->regions, ((region){u->nodes.len, 0}));
    u->region = now;
    for (uint32_t i = 0; i < n; i++) local_use_note_stmt(u, list[i], parent);
    u->region = was;
    u->regions.data[now].end = u->nodes.len;
}

static void note_write(local_use *u, const stmt *s, uint32_t at) {
    if (!s->nargs) local_use_add_event(u, s->target, (event){.at = at, .loop = UINT32_MAX, .is_write = true});
}

static void note_covers(local_use *u, const stmt *s, uint32_t number) {
    func_list all = {0};
    effects_covers(u->m, s, &all);
    for (uint32_t i = 0; i < all.len; i++)
        local_use_add_event(u, all.data[i], (event){.at = u->nodes.len, .loop = number, .is_write = true});
    vec_free(&all);
}

static void note_parts(local_use *u, const stmt *s, uint32_t number) {
    bool is_list = s->kind == S_SEQ || s->kind == S_PAR;
    for (uint32_t i = 0; is_list && i < s->nbody; i++) {
        if (s->kind == S_SEQ) local_use_note_stmt(u, s->body[i], number);
        else note_region(u, &s->body[i], 1, number);  // what is written here is not read by those behind it
    }
    if (!is_list) note_region(u, s->body, s->nbody, number);
    u->nodes.data[number].else_begin = u->nodes.len;
    if (s->norelse) note_region(u, s->orelse, s->norelse, number);
    u->nodes.data[number].end = u->nodes.len;
}

static void local_use_note_stmt(local_use *u, const stmt *s, uint32_t parent) {
    uint32_t number = u->nodes.len;
    vec_push(&u->nodes, ((node){.parent = parent, .kind = s->kind}));
    note_reads(u, s->cond, number);
    note_reads(u, s->value, number);
    for (uint32_t i = 0; i < s->nargs; i++) note_reads(u, s->args[i], number);
    note_parts(u, s, number);
    if (s->kind == S_ASSIGN) note_write(u, s, number);
    else if (s->kind == S_FORALL) note_covers(u, s, number);
    else if (effects_is_copy(u->m, s)) note_write(u, s->body[0], number);
}

local_use *local_use_new(const model *m) {
    local_use *u = mem_zero(1, sizeof *u);
    u->m = m;
    u->events = mem_zero(m->funcs.len, sizeof *u->events);
    return u;
}

void local_use_look_at(local_use *u, const stmt *body) {
    for (uint32_t i = 0; i < u->touched.len; i++) vec_clear(&u->events[u->touched.data[i]]);
    vec_clear(&u->touched);
    vec_clear(&u->nodes);
    vec_clear(&u->regions);
    note_region(u, &body, 1, UINT32_MAX);
}

void local_use_free(local_use *u) {
    if (!u) return;
    for (uint32_t i = 0; i < u->m->funcs.len; i++) vec_free(&u->events[i]);
    free(u->events);
    vec_free(&u->touched);
    vec_free(&u->nodes);
    vec_free(&u->regions);
    free(u);
}

// ---- questions

typedef enum { LIFE_GOES_ON, LIFE_ENDS, LIFE_READ } life;

typedef struct {
    const local_use *u;
    const event_list *events;
    uint32_t statement, nlooked;
} question;

static uint32_t first_from(const event_list *events, uint32_t at) {
    uint32_t lo = 0, hi = events->len;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (events->data[mid].at < at) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

static bool contains(const region *r, uint32_t number) { return r->begin <= number && number < r->end; }

// Is the statement the loop of the event, or part of it? What it leaves behind may come after the loop's own write.
static bool local_use_is_inside(const question *q, const event *e) {
    return e->loop <= q->statement && q->statement < e->at;
}

// What happens to the value between two numbers, to one who was at `point` before.
static life local_use_between(question *q, uint32_t from, uint32_t to, uint32_t point) {
    for (uint32_t i = first_from(q->events, from); i < q->events->len; i++) {
        const event *e = &q->events->data[i];
        const region *r = &q->u->regions.data[e->region];
        if (e->at >= to) break;
        if (++q->nlooked > MOST_EVENTS) return LIFE_READ;
        if (e->at < from || local_use_is_inside(q, e)) continue;
        if (!e->is_write) return LIFE_READ;
        if (contains(r, point)) return LIFE_ENDS;
        if (r->end > from) from = r->end;
    }
    return LIFE_GOES_ON;
}

// Within the node a around the statement, from number *from on, which becomes the first behind a.
static life local_use_within(question *q, uint32_t a, uint32_t *from) {
    const node *n = &q->u->nodes.data[a];
    if (n->kind != S_IF && n->kind != S_FORALL && n->kind != S_WHILE) return LIFE_GOES_ON;
    bool is_then = n->kind == S_IF && q->statement < n->else_begin;
    life l = local_use_between(q, *from, is_then ? n->else_begin : n->end, q->statement);
    *from = n->end;
    if (l != LIFE_GOES_ON || n->kind == S_IF) return l;
    return local_use_between(q, a, n->end, a + 1) == LIFE_READ ? LIFE_READ : LIFE_GOES_ON;
}

bool local_use_after(const local_use *u, uint32_t statement, func f) {
    question q = {u, &u->events[f.id], statement, 0};
    uint32_t from = u->nodes.data[statement].end;
    for (uint32_t a = u->nodes.data[statement].parent; a != UINT32_MAX; a = u->nodes.data[a].parent) {
        if (u->nodes.data[a].kind == S_PAR) return true;
        life l = local_use_within(&q, a, &from);
        if (l != LIFE_GOES_ON) return l == LIFE_READ;
    }
    return local_use_between(&q, from, UINT32_MAX, statement) == LIFE_READ;
}
