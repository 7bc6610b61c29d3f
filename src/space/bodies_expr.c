// SPDX-License-Identifier: Apache-2.0
// Expressions of bodies as code; see bodies_int.h.
//
// The value of a constant or a variable is where it is; any other gets a register that is free again after the
// statement. Quantifiers are loops: all rounds are done where one may fault, since then the evaluator does them too.
// What is bound inside has its old value back afterwards, for inner binders of a variable shadow outer ones.
#include "space/bodies_int.h"

#include "model/expr.h"

uint32_t body_put(body_maker *k, body_ins i) {
    vec_push(&k->b->code, i);
    return k->b->code.len - 1;
}

uint32_t body_temp(body_maker *k) {
    uint32_t t = k->top++;
    if (k->top > k->b->ntemps) k->b->ntemps = k->top;
    return t | BODY_TEMP;
}

// A register that is never free again, for a key of its own.
static uint32_t body_register_for(body_maker *k, int64_t what, bool is_variable, bool *is_new) {
    int64_t key[2] = {what, is_variable};
    uint32_t known = map_get(k->b->registers_of, key, sizeof key, UINT32_MAX);
    *is_new = known == UINT32_MAX;
    if (!*is_new) return known;
    map_put(k->b->registers_of, key, sizeof key, k->b->nfixed);
    return k->b->nfixed++;
}

uint32_t body_constant(body_maker *k, int64_t v) {
    bool is_new;
    uint32_t r = body_register_for(k, v, false, &is_new);
    if (!is_new) return r;
    vec_push(&k->b->constants, v);
    vec_push(&k->b->constant_at, r);
    return r;
}

uint32_t body_variable(body_maker *k, var v) {
    bool is_new;
    return body_register_for(k, v.id, true, &is_new);
}

void body_land_all(body_maker *k, body_jumps *jumps) {
    for (uint32_t i = 0; i < jumps->len; i++) body_land(k, jumps->data[i]);
    vec_free(jumps);
}

static uint32_t body_two(body_maker *k, body_op op, uint32_t a, uint32_t b) {
    uint32_t dst = body_temp(k);
    body_put(k, (body_ins){.op = (uint8_t)op, .dst = dst, .a = a, .b = b});
    return dst;
}

// ---- cells

static bool body_all_constant(const body_maker *k, const expr *args, uint32_t n, value *out) {
    for (uint32_t i = 0; i < n; i++) {
        const expr_info *x = expr_of(k->m, args[i]);
        if (x->kind != E_CONST) return false;
        out[i] = (value)x->ref;
    }
    return true;
}

body_cell body_find(body_maker *k, func f, const expr *args, uint32_t nargs) {
    value known[MODEL_MOST_ARGS];
    body_cell c = {.is_known = body_all_constant(k, args, nargs, known)};
    if (c.is_known) {
        c.cell = instance_cell(k->in, f, known);
        if (c.cell != UINT32_MAX) return c;
        body_put(k, (body_ins){.op = BODY_TROUBLED});
        c.cell = k->in->first_cell[f.id];
        return c;
    }
    c.cell = k->in->first_cell[f.id];
    c.index = body_constant(k, 0);
    for (uint32_t i = 0; i < nargs; i++) {
        type t = func_of(k->m, f)->args[i];
        uint32_t a = body_expr(k, args[i]), dst = body_temp(k);
        body_put(k, (body_ins){.op = BODY_INDEX,
                               .dst = dst,
                               .a = a,
                               .b = c.index,
                               .lo = instance_type_first(k->in, t),
                               .n = instance_type_size(k->in, t)});
        c.index = dst;
    }
    return c;
}

// The instruction that comes next reads this cell: of a local, it is noted where that may be.
static void body_note_reading(body_maker *k, func f, const body_cell *c) {
    const layout *l = k->b->l;
    uint32_t n = c->is_known ? 1 : instance_func_cells(k->in, f);
    body_reading r = {body_here(k), UINT32_MAX, 0};
    if (!n || l->cells[c->cell].word < l->words) return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t word = l->cells[c->cell + i].word;
        if (word < r.first) r.first = word;
        if (word > r.last) r.last = word;
    }
    vec_push(&k->b->readings, r);
}

static uint32_t body_read_cell(body_maker *k, const expr_info *x) {
    body_cell c = body_find(k, (func){x->ref}, x->args, x->nargs);
    const layout_cell *p = &k->b->l->cells[c.cell];
    bool is_question = x->kind == E_DEFINED;
    if (is_question && !p->above) return body_constant(k, 1);
    uint32_t dst = body_temp(k);
    body_note_reading(k, (func){x->ref}, &c);
    body_op op = is_question ? BODY_KNOWN : p->above ? BODY_LOAD_SURE : BODY_LOAD;
    if (c.is_known)
        body_put(k, (body_ins){.op = (uint8_t)op,
                               .shift = p->shift,
                               .bits = p->bits,
                               .dst = dst,
                               .a = p->word,
                               .imm = (int64_t)p->first - p->above});
    else
        body_put(k,
                 (body_ins){
                     .op = (uint8_t)(op + (BODY_LOADX - BODY_LOAD)), .dst = dst, .b = c.index, .lo = (int32_t)c.cell});
    return dst;
}

// ---- numbers

// E_WIDEN, E_NARROW, E_IS: the values of a union are those of its members, one member after the other.
static uint32_t body_conversion(body_maker *k, const expr_info *x) {
    uint32_t a = body_expr(k, x->args[0]);
    type from = expr_type(k->m, x->args[0]), member = x->kind == E_WIDEN ? from : (type){x->ref};
    int64_t start = instance_member_start(k->in, x->kind == E_WIDEN ? x->ty : from, member);
    int64_t first = instance_type_first(k->in, member);
    body_ins i = {.op = x->kind == E_IS ? BODY_IS : BODY_WITHIN,
                  .a = a,
                  .lo = (int32_t)start,
                  .n = instance_type_size(k->in, member)};
    if (x->kind == E_WIDEN) return start == first ? a : body_two(k, BODY_ADD, a, body_constant(k, start - first));
    i.dst = body_temp(k);
    body_put(k, i);
    if (x->kind == E_IS) return i.dst;
    return start == first ? a : body_two(k, BODY_ADD, a, body_constant(k, first - start));
}

static uint32_t body_binary(body_maker *k, const expr_info *x) {
    uint32_t a = body_expr(k, x->args[0]), b = x->nargs > 1 ? body_expr(k, x->args[1]) : 0;
    switch (x->kind) {
    case E_EQ: return body_two(k, BODY_EQ, a, b);
    case E_LT: return body_two(k, BODY_LT, a, b);
    case E_LE: return body_two(k, BODY_LE, a, b);
    case E_ADD: return body_two(k, BODY_ADD, a, b);
    case E_SUB: return body_two(k, BODY_SUB, a, b);
    case E_MUL: return body_two(k, BODY_MUL, a, b);
    case E_DIV: return body_two(k, BODY_DIV, a, b);
    case E_MOD: return body_two(k, BODY_MOD, a, b);
    case E_NEG: return body_two(k, BODY_SUB, body_constant(k, 0), a);
    case E_BITAND: return body_two(k, BODY_AND, a, b);
    case E_BITOR: return body_two(k, BODY_OR, a, b);
    case E_BITXOR: return body_two(k, BODY_XOR, a, b);
    case E_BITNOT: return body_two(k, BODY_XOR, a, body_constant(k, -1));
    case E_SHL: return body_two(k, BODY_SHIFT, a, body_two(k, BODY_SUB, body_constant(k, 0), b));
    case E_SHR: return body_two(k, BODY_SHIFT, a, b);
    default: return body_two(k, BODY_EQ, a, body_constant(k, 0));  // E_NOT
    }
}

// ---- quantifiers

// Keeps what the variable is bound to, counts through its values, and binds it back.
typedef struct {
    uint32_t v, was, beyond, begin;
} body_round;

static body_round body_begin_rounds(body_maker *k, var v) {
    type t = var_of(k->m, v)->ty;
    int64_t first = instance_type_first(k->in, t);
    body_round r = {.v = body_variable(k, v), .was = body_temp(k)};
    r.beyond = body_constant(k, first + instance_type_size(k->in, t));
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = r.was, .a = r.v});
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = r.v, .a = body_constant(k, first)});
    r.begin = body_here(k);
    return r;
}

static void body_next_round(body_maker *k, const body_round *r) {
    body_put(k, (body_ins){.op = BODY_NEXT, .a = r->v, .b = r->beyond, .imm = r->begin});
}

static void body_end_rounds(body_maker *k, const body_round *r) {
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = r->v, .a = r->was});
}

// How many values satisfy it, or, where nothing can fault, whether one does (E_FORALL: does not).
static uint32_t body_count(body_maker *k, const expr_info *x) {
    bool is_count = x->kind == E_COUNT, stops = !is_count && !expr_can_fault(k->m, x->args[0]);
    uint32_t size = instance_type_size(k->in, var_of(k->m, (var){x->ref})->ty), n = body_temp(k);
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = n, .a = body_constant(k, 0)});
    if (!size) return is_count || x->kind == E_EXISTS ? n : body_constant(k, 1);
    body_round r = body_begin_rounds(k, (var){x->ref});
    uint32_t is = body_expr(k, x->args[0]), found = 0;
    if (x->kind == E_FORALL) is = body_two(k, BODY_EQ, is, body_constant(k, 0));
    body_put(k, (body_ins){.op = BODY_ADD, .dst = n, .a = n, .b = is});
    if (stops) found = body_put(k, (body_ins){.op = BODY_IF, .a = is});
    body_next_round(k, &r);
    if (stops) body_land(k, found);
    body_end_rounds(k, &r);
    if (is_count) return n;
    return body_two(k, x->kind == E_EXISTS ? BODY_LT : BODY_EQ, body_constant(k, 0), n);
}

// ---- truth values

static uint32_t body_truth(body_maker *k, expr e) {
    body_jumps no = {0};
    uint32_t dst = body_temp(k);
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = dst, .a = body_constant(k, 0)});
    body_unless(k, e, &no);
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = dst, .a = body_constant(k, 1)});
    body_land_all(k, &no);
    return dst;
}

static uint32_t body_choice(body_maker *k, const expr_info *x) {
    body_jumps no = {0};
    uint32_t dst = body_temp(k);
    body_unless(k, x->args[0], &no);
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = dst, .a = body_expr(k, x->args[1])});
    uint32_t done = body_put(k, (body_ins){.op = BODY_JUMP});
    body_land_all(k, &no);
    body_put(k, (body_ins){.op = BODY_MOVE, .dst = dst, .a = body_expr(k, x->args[2])});
    body_land(k, done);
    return dst;
}

static void body_if(body_maker *k, expr e, body_jumps *out);

static void body_compare_unless(body_maker *k, const expr_info *x, bool negated, body_jumps *out) {
    uint32_t a = body_expr(k, x->args[0]), b = body_expr(k, x->args[1]);
    body_op yes = x->kind == E_EQ ? BODY_IF_EQ : x->kind == E_LT ? BODY_IF_LT : BODY_IF_LE;
    body_op no = x->kind == E_EQ ? BODY_IF_NE : x->kind == E_LT ? BODY_IF_LE : BODY_IF_LT;
    bool is_swapped = !negated && x->kind != E_EQ;
    vec_push(
        out,
        body_put(k, (body_ins){.op = (uint8_t)(negated ? yes : no), .a = is_swapped ? b : a, .b = is_swapped ? a : b}));
}

// Any of them holding (or not) leads out.
static void body_each(body_maker *k, const expr_info *x, bool holding, body_jumps *out) {
    for (uint32_t i = 0; i < x->nargs; i++)
        if (holding) body_if(k, x->args[i], out);
        else body_unless(k, x->args[i], out);
}

// All but the last, holding (or not), go on at once; the last decides.
static void body_any(body_maker *k, const expr_info *x, bool holding, body_jumps *out) {
    body_jumps on = {0};
    for (uint32_t i = 0; i + 1 < x->nargs; i++)
        if (holding) body_if(k, x->args[i], &on);
        else body_unless(k, x->args[i], &on);
    if (holding) body_unless(k, x->args[x->nargs - 1], out);
    else body_if(k, x->args[x->nargs - 1], out);
    body_land_all(k, &on);
}

static bool body_is_simple(const expr_info *x) { return x->kind == E_EQ || x->kind == E_LT || x->kind == E_LE; }

void body_unless(body_maker *k, expr e, body_jumps *out) {
    const expr_info *x = expr_of(k->m, e);
    if (x->kind == E_NOT) body_if(k, x->args[0], out);
    else if (x->kind == E_AND) body_each(k, x, false, out);
    else if (x->kind == E_OR) body_any(k, x, true, out);
    else if (x->kind == E_IMPLIES) {
        body_jumps on = {0};
        body_unless(k, x->args[0], &on);
        body_unless(k, x->args[1], out);
        body_land_all(k, &on);
    } else if (body_is_simple(x)) body_compare_unless(k, x, false, out);
    else vec_push(out, body_put(k, (body_ins){.op = BODY_UNLESS, .a = body_expr(k, e)}));
}

static void body_if(body_maker *k, expr e, body_jumps *out) {
    const expr_info *x = expr_of(k->m, e);
    if (x->kind == E_NOT) body_unless(k, x->args[0], out);
    else if (x->kind == E_OR) body_each(k, x, true, out);
    else if (x->kind == E_AND) body_any(k, x, false, out);
    else if (x->kind == E_IMPLIES) {
        body_unless(k, x->args[0], out);
        body_if(k, x->args[1], out);
    } else if (body_is_simple(x)) body_compare_unless(k, x, true, out);
    else vec_push(out, body_put(k, (body_ins){.op = BODY_IF, .a = body_expr(k, e)}));
}

uint32_t body_expr(body_maker *k, expr e) {
    const expr_info *x = expr_of(k->m, e);
    switch (x->kind) {
    case E_CONST: return body_constant(k, (value)x->ref);
    case E_VAR: return body_variable(k, (var){x->ref});
    case E_APP:
    case E_DEFINED: return body_read_cell(k, x);
    case E_WIDEN:
    case E_NARROW:
    case E_IS: return body_conversion(k, x);
    case E_AND:
    case E_OR:
    case E_IMPLIES: return body_truth(k, e);
    case E_ITE: return body_choice(k, x);
    case E_FORALL:
    case E_EXISTS:
    case E_COUNT: return body_count(k, x);
    default: return body_binary(k, x);
    }
}
