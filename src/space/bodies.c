// SPDX-License-Identifier: Apache-2.0
// Bodies of rules as code: statements, subroutines, and what belongs to a set of bodies; see bodies.h.
//
// A statement that occurs in several places, and is not small, is a subroutine. Subroutines are compiled one after the
// other, each with registers behind those of all others, so that a caller's are still there after a call.
#include "space/bodies_int.h"

#include "model/eval.h"
#include "model/walk.h"

#include <assert.h>

enum { SMALL_STATEMENT = 4, LARGEST_TREE = 4096, MOST_INSTRUCTIONS = 1 << 22 };

bodies *bodies_new(const layout *l) {
    bodies *b = mem_zero(1, sizeof *b);
    b->l = l;
    b->registers_of = map_new();
    b->times = map_new();
    b->subroutine = map_new();
    return b;
}

void bodies_free(bodies *b) {
    if (!b) return;
    body_machine_free(b->machine);
    map_free(b->registers_of);
    map_free(b->times);
    map_free(b->subroutine);
    vec_free(&b->subroutines);
    vec_free(&b->entry);
    vec_free(&b->code);
    vec_free(&b->constants);
    vec_free(&b->constant_at);
    vec_free(&b->starts);
    vec_free(&b->first_param);
    vec_free(&b->params_of);
    vec_free(&b->readings);
    vec_free(&b->clears);
    vec_free(&b->first_clear);
    free(b);
}

// ---- which statements are subroutines, and which rules can be compiled here

// Expressions are written out: shared parts must not make them large.
static bool body_fits_expr(const model *m, expr e) {
    if (e.id && expr_of(m, e)->tree > LARGEST_TREE) return false;
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w))
        if (w.x->kind == E_CALL || w.x->kind == E_NEXT || w.x->kind == E_REAL) return !walk_found(&w);
    return true;
}

static bool body_fits_own(const model *m, const stmt *s) {
    bool ok = s->kind != S_PAR && body_fits_expr(m, s->cond) && body_fits_expr(m, s->value);
    for (uint32_t i = 0; ok && i < s->nargs; i++) ok = body_fits_expr(m, s->args[i]);
    return ok;
}

// Counts the statement, and says whether it and all below it can be compiled; each is looked at once.
static bool body_note(bodies *b, const stmt *s) {
    uint32_t times = map_get(b->times, &s, sizeof s, 0);
    map_put(b->times, &s, sizeof s, times + 1);
    if (times) return !(times & BODY_UNFIT);
    bool ok = body_fits_own(b->l->in->m, s);
    for (uint32_t i = 0; i < s->nbody; i++) ok &= body_note(b, s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) ok &= body_note(b, s->orelse[i]);
    if (!ok) map_put(b->times, &s, sizeof s, 1 | BODY_UNFIT);
    return ok;
}

static bool body_is_subroutine(const bodies *b, const stmt *s) {
    return s->nbody + s->norelse >= SMALL_STATEMENT && map_get(b->times, &s, sizeof s, 0) > 1;
}

// ---- statements

static void body_stmt(body_maker *k, const stmt *s);

static void body_all(body_maker *k, const stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n && !k->b->is_full; i++) body_stmt(k, body[i]);
}

// The bits of a value that is known now; false: it is not.
static bool body_known_bits(body_maker *k, const stmt *s, const layout_cell *p, int64_t *bits) {
    const expr_info *x = s->value.id ? expr_of(k->m, s->value) : NULL;
    *bits = 0;
    if (!x) return true;
    if (x->kind != E_CONST) return false;
    uint32_t n = instance_type_size(k->in, func_of(k->m, s->target)->result);
    *bits = (int64_t)(value)x->ref - p->first;
    if (*bits < 0 || *bits >= n) body_put(k, (body_ins){.op = BODY_TROUBLED}), *bits = 0;
    *bits += p->above;
    return true;
}

static void bodies_assign(body_maker *k, const stmt *s) {
    body_cell c = body_find(k, s->target, s->args, s->nargs);
    const layout_cell *p = &k->b->l->cells[c.cell];
    type t = func_of(k->m, s->target)->result;
    int64_t bits;
    body_ins i = {.shift = p->shift, .bits = p->bits, .dst = p->word};
    if (body_known_bits(k, s, p, &bits)) {
        i.op = c.is_known ? BODY_SET : BODY_SETX;
        i.imm = bits;
    } else {
        i.op = c.is_known ? BODY_STORE : BODY_STOREX;
        i.a = body_expr(k, s->value);
        i.lo = p->first;
        i.n = instance_type_size(k->in, t);
        i.imm = c.is_known ? (int64_t)p->above - p->first : i.n;
    }
    if (!c.is_known) i.b = c.index, i.lo = (int32_t)c.cell;
    body_put(k, i);
}

static void bodies_branch(body_maker *k, const stmt *s) {
    body_jumps no = {0};
    if (s->cond.id) body_unless(k, s->cond, &no);
    body_all(k, s->body, s->nbody);
    uint32_t done = s->norelse ? body_put(k, (body_ins){.op = BODY_JUMP}) : 0;
    body_land_all(k, &no);
    body_all(k, s->orelse, s->norelse);
    if (s->norelse) body_land(k, done);
}

// Rounds for the variables from number i on, the last one innermost.
static void body_rounds(body_maker *k, const stmt *s, uint32_t i) {
    body_jumps no = {0};
    if (i == s->nvars) {
        if (s->cond.id) body_unless(k, s->cond, &no);
        body_all(k, s->body, s->nbody);
        body_land_all(k, &no);
        return;
    }
    type t = var_of(k->m, s->vars[i])->ty;
    uint32_t v = body_variable(k, s->vars[i]), was = body_temp(k), size = instance_type_size(k->in, t);
    int64_t first = instance_type_first(k->in, t);
    if (!size) return;
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = was, .a = v});
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = v, .a = body_constant(k, first)});
    uint32_t begin = body_here(k);
    body_rounds(k, s, i + 1);
    body_put(k, (body_ins){.op = BODY_NEXT, .a = v, .b = body_constant(k, first + size), .imm = begin});
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = v, .a = was});
}

// A loop that does not end is trouble: the evaluator says so.
static void bodies_loop(body_maker *k, const stmt *s) {
    body_jumps no = {0};
    uint32_t left = body_temp(k);
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = left, .a = body_constant(k, EVAL_MOST_ROUNDS)});
    uint32_t begin = body_here(k);
    body_unless(k, s->cond, &no);
    body_put(k, (body_ins){.op = BODY_WITHIN, .a = left, .lo = 1, .n = EVAL_MOST_ROUNDS});
    body_put(k, (body_ins){.op = BODY_SUB, .dst = left, .a = left, .b = body_constant(k, 1)});
    body_all(k, s->body, s->nbody);
    body_put(k, (body_ins){.op = BODY_JUMP, .imm = begin});
    body_land_all(k, &no);
}

static void body_assume(body_maker *k, const stmt *s) {
    body_jumps no = {0};
    body_unless(k, s->cond, &no);
    uint32_t done = body_put(k, (body_ins){.op = BODY_JUMP});
    body_land_all(k, &no);
    body_put(k, (body_ins){.op = BODY_STOP});
    body_land(k, done);
}

static void body_inline(body_maker *k, const stmt *s) {
    switch (s->kind) {
    case S_ASSIGN: bodies_assign(k, s); return;
    case S_IF: bodies_branch(k, s); return;
    case S_FORALL: body_rounds(k, s, 0); return;
    case S_PAR: assert(!"body_note() refuses it"); return;
    case S_SEQ: body_all(k, s->body, s->nbody); return;
    case S_WHILE: bodies_loop(k, s); return;
    case S_ASSUME: body_assume(k, s); return;
    case S_FAIL: body_put(k, (body_ins){.op = BODY_TROUBLED}); return;
    }
}

// With the subroutine's number, until all are compiled.
static void body_call(body_maker *k, const stmt *s) {
    bodies *b = k->b;
    uint32_t number = map_intern(b->subroutine, &s, sizeof s, b->subroutines.len);
    if (number == b->subroutines.len) {
        vec_push(&b->subroutines, s);
        vec_push(&b->entry, 0);
    }
    body_put(k, (body_ins){.op = BODY_CALL, .imm = number});
}

static void body_stmt(body_maker *k, const stmt *s) {
    uint32_t top = k->top;
    k->b->is_full |= body_here(k) > MOST_INSTRUCTIONS;
    if (k->b->is_full) return;
    if (body_is_subroutine(k->b, s)) body_call(k, s);
    else body_inline(k, s);
    k->top = top;
}

// ---- rules

static void body_begin(body_maker *k) { k->top = k->b->ntemps; }

// A body, and the subroutines from number `i` on that it brought with it.
static void body_compile(body_maker *k, const stmt *body, uint32_t i) {
    bodies *b = k->b;
    uint32_t first = body_here(k);
    body_begin(k);
    if (body) body_inline(k, body);
    body_put(k, (body_ins){.op = BODY_END});
    for (; i < b->subroutines.len && !b->is_full; i++) {
        body_begin(k);
        b->entry.data[i] = body_here(k);
        body_inline(k, b->subroutines.data[i]);
        body_put(k, (body_ins){.op = BODY_RETURN});
    }
    for (uint32_t at = first; at < b->code.len; at++)
        if (b->code.data[at].op == BODY_CALL) b->code.data[at].imm = b->entry.data[b->code.data[at].imm];
}

static void body_set_entry(body_maker *k, rule r, uint32_t start) {
    bodies *b = k->b;
    const rule_info *info = rule_of(k->m, r);
    while (b->starts.len <= r.id) {
        vec_push(&b->starts, 0);
        vec_push(&b->first_param, 0);
    }
    b->starts.data[r.id] = start + 1;
    b->first_param.data[r.id] = b->params_of.len;
    for (uint32_t i = 0; i < info->nparams; i++) vec_push(&b->params_of, body_variable(k, info->params[i]));
}

bool bodies_add(bodies *b, rule r) {
    const rule_info *info = rule_of(b->l->in->m, r);
    if (b->is_full || info->nrequires || (info->body && !body_note(b, info->body))) return false;
    body_maker k = {.b = b, .in = b->l->in, .m = b->l->in->m};
    uint32_t start = b->code.len;
    body_compile(&k, info->body, b->subroutines.len);
    if (!b->is_full) body_set_entry(&k, r, start);
    return !b->is_full;
}

bool bodies_has(const bodies *b, rule r) { return b && r.id < b->starts.len && b->starts.data[r.id]; }

static void body_settle(const bodies *b, uint32_t *r) {
    if (*r & BODY_TEMP) *r = b->nfixed + (*r & ~BODY_TEMP);
}

void bodies_seal(bodies *b) {
    for (uint32_t i = 0; i < b->code.len; i++) {
        body_settle(b, &b->code.data[i].dst);
        body_settle(b, &b->code.data[i].a);
        body_settle(b, &b->code.data[i].b);
    }
    body_find_clears(b);
}

void bodies_assemble(bodies *b) {
    if (!b->machine) b->machine = body_machine_new(b);
}

void bodies_interpret(bodies *b) {
    body_machine_free(b->machine);
    b->machine = NULL;
}
