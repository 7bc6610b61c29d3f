// SPDX-License-Identifier: Apache-2.0
// Bytecode: linear code with registers allocated, and its interpreter. Instructions are twelve bytes and
// dispatched by computed goto.
#include "space/interp_int.h"

#include "space/space.h"

#include <string.h>

enum { MOST_REGISTERS = 65536, NO_REGISTER = UINT32_MAX };

// ---- assembling

typedef struct {
    interp *x;
    const lowering *p;
    const ir_code *code;
    uint32_t *reg;   // by node
    uint8_t *ends;   // by instruction: bit i is set if its i-th use is the last of that node
    bool *is_live;   // by node, while looking for last uses
    map *constants;  // value -> register
    VEC(uint16_t) spare;
    VEC(uint32_t) leaves;  // jumps to the end of the label
    VEC(uint32_t) skips;   // jumps to the ends of skips, the innermost last
    bool is_full;
} assembler;

static uint32_t new_register(assembler *s) {
    if (s->spare.len) return vec_pop(&s->spare);
    if (s->x->nregisters >= MOST_REGISTERS) s->is_full = true;
    return s->is_full ? 0 : s->x->nregisters++;
}

static uint16_t interp_constant(assembler *s, uint64_t v) {
    return (uint16_t)map_get(s->constants, &v, sizeof v, NO_REGISTER);
}

static void add_constant(assembler *s, uint64_t v) {
    uint32_t next = s->x->words + s->x->constants.len;
    if (map_intern(s->constants, &v, sizeof v, next) == next) vec_push(&s->x->constants, v);
}

// Immediate operands of a node are constants too.
static void interp_add_constants(assembler *s, node n) {
    const dag_node *x = dag_at(&s->p->d, n);
    if (x->op == N_FIELD || x->op == N_TEST || x->op == N_DIFFER || x->op == N_SPREAD) add_constant(s, x->imm);
    if (x->op == N_TEST || x->op == N_DIFFER) add_constant(s, x->imm2);
    if (x->op == N_FIELD && x->imm == 1) add_constant(s, UINT64_C(1) << x->imm2);
    if (x->op == N_CONST) add_constant(s, x->imm);
    for (unsigned i = 0; i < dag_arity(x->op); i++) {
        const dag_node *a = dag_at(&s->p->d, dag_operand(x, i));
        if (a->op == N_CONST) add_constant(s, a->imm);
    }
}

// The nodes whose registers an instruction reads.
static unsigned uses(const assembler *s, const ir_ins *i, node out[3]) {
    const dag_node *x = dag_at(&s->p->d, i->n);
    switch ((ir_op)i->op) {
    case IR_COMPUTE:
        for (unsigned k = 0; k < dag_arity(x->op); k++) out[k] = dag_operand(x, k);
        return dag_arity(x->op);
    case IR_UNLESS:
    case IR_SKIP:
    case IR_TROUBLE:
    case IR_OUT:
    case IR_CHECK: out[0] = i->op == IR_UNLESS && i->at ? x->a : i->n; return 1;
    default: return 0;
    }
}

// From the end to the beginning: a use of a node that is not live is its last.
static void find_ends(assembler *s) {
    for (uint32_t k = s->code->len; k-- > 0;) {
        const ir_ins *i = &s->code->data[k];
        node used[3];
        unsigned n = uses(s, i, used);
        if (n) interp_add_constants(s, i->n);
        if (i->op == IR_COMPUTE) s->is_live[i->n] = false;
        for (unsigned j = 0; j < n; j++) {
            if (!s->is_live[used[j]]) s->ends[k] |= (uint8_t)(1 << j);
            s->is_live[used[j]] = true;
        }
    }
}

static uint16_t operand(assembler *s, node n) {
    const dag_node *x = dag_at(&s->p->d, n);
    if (x->op == N_CONST) return interp_constant(s, x->imm);
    if (x->op == N_WORD) return (uint16_t)x->imm;
    return (uint16_t)s->reg[n];
}

static void release_ended(assembler *s, uint32_t k) {
    node used[3];
    unsigned n = uses(s, &s->code->data[k], used);
    for (unsigned j = 0; j < n; j++)
        if (s->ends[k] >> j & 1 && dag_at(&s->p->d, used[j])->op > N_WORD)
            vec_push(&s->spare, (uint16_t)s->reg[used[j]]);
}

static interp_ins encode(assembler *s, const dag_node *x) {
    interp_ins i = {.op = (uint16_t)(x->op - N_FIELD + OP_FIELD)};
    unsigned arity = dag_arity(x->op);
    i.a = operand(s, x->a);
    if (arity > 1) i.b = operand(s, x->b);
    if (arity > 2) i.c = operand(s, x->c);
    if (x->op == N_FIELD) i.b = interp_constant(s, x->imm), i.shift = (uint16_t)x->imm2;
    if (x->op == N_SHL) i.shift = (uint16_t)x->imm;
    if (x->op == N_SPREAD) i.b = interp_constant(s, x->imm);
    if (x->op == N_TEST || x->op == N_DIFFER) i.b = interp_constant(s, x->imm), i.c = interp_constant(s, x->imm2);
    return i;
}

static void interp_put(assembler *s, interp_ins i) { vec_push(&s->x->code, i); }

static void put_compute(assembler *s, node n, uint32_t k) {
    const dag_node *x = dag_at(&s->p->d, n);
    interp_ins i = encode(s, x);
    release_ended(s, k);
    s->reg[n] = new_register(s);
    i.dst = (uint16_t)s->reg[n];
    interp_put(s, i);
}

static void interp_put_jump(assembler *s, interp_ins i) {
    vec_push(&s->leaves, s->x->code.len);
    interp_put(s, i);
}

// A test of bits that was not computed is tested by the branch itself.
static void interp_put_unless(assembler *s, node n, bool tests_bits) {
    const dag_node *x = dag_at(&s->p->d, n);
    interp_ins i = {.op = OP_UNLESS};
    if (!tests_bits) i.a = operand(s, n);
    else {
        bool is_field = x->op == N_FIELD;
        uint64_t bit = is_field ? UINT64_C(1) << x->imm2 : 0;
        i.op = x->op == N_DIFFER ? OP_UNLESS_DIFFER : OP_UNLESS_TEST;
        i.a = operand(s, x->a);
        i.b = interp_constant(s, is_field ? bit : x->imm);
        i.dst = interp_constant(s, is_field ? bit : x->imm2);
    }
    interp_put_jump(s, i);
}

static void interp_put_skip(assembler *s, const ir_ins *i) {
    vec_push(&s->skips, s->x->code.len);
    interp_put(s, (interp_ins){.op = i->at ? OP_SKIP_UNLESS : OP_SKIP_IF, .a = operand(s, i->n)});
}

static void interp_put_end(assembler *s) {
    uint32_t skip = vec_pop(&s->skips);
    s->x->code.data[skip].target = s->x->code.len;
}

static void interp_put_trouble(assembler *s, node n, uint32_t label) {
    interp_put(s, (interp_ins){.op = OP_TROUBLE, .a = operand(s, n)});
    interp_put(s, (interp_ins){.op = OP_REFUSE, .target = label | SPACE_TROUBLE});
    interp_put_jump(s, (interp_ins){.op = OP_JUMP});
}

static void interp_leave(assembler *s) {
    for (uint32_t i = 0; i < s->leaves.len; i++) s->x->code.data[s->leaves.data[i]].target = s->x->code.len;
    vec_clear(&s->leaves);
}

// Copies the words that no OUT writes, all at once where it matters.
static void interp_put_copies(assembler *s, uint32_t k) {
    bool *written = mem_zero(s->p->words, sizeof *written);
    uint32_t n = 0;
    for (uint32_t i = k; s->code->data[i].op != IR_LEAVE; i++)
        if (s->code->data[i].op == IR_OUT) written[s->code->data[i].at] = true, n++;
    if (s->p->words - n > 2) interp_put(s, (interp_ins){.op = OP_COPY});
    else
        for (uint32_t w = 0; w < s->p->words; w++)
            if (!written[w]) interp_put(s, (interp_ins){.op = OP_OUT, .a = (uint16_t)w, .c = (uint16_t)w});
    free(written);
}

static void assemble_one(assembler *s, uint32_t k, uint32_t *label) {
    const ir_ins *i = &s->code->data[k];
    switch ((ir_op)i->op) {
    case IR_COMPUTE: put_compute(s, i->n, k); break;
    case IR_ENTER: *label = i->n; break;
    case IR_UNLESS: interp_put_unless(s, i->n, i->at); break;
    case IR_SKIP: interp_put_skip(s, i); break;
    case IR_END: interp_put_end(s); break;
    case IR_TROUBLE: interp_put_trouble(s, i->n, *label); break;
    case IR_OUT: interp_put(s, (interp_ins){.op = OP_OUT, .a = operand(s, i->n), .c = (uint16_t)i->at}); break;
    case IR_FIRE: interp_put(s, (interp_ins){.op = i->at ? OP_REPORT : OP_FIRE, .target = i->n}); break;
    case IR_LEAVE: interp_leave(s); break;
    case IR_CHECK: interp_put(s, (interp_ins){.op = OP_CHECK, .a = operand(s, i->n), .target = i->at}); break;
    case IR_CHUNK: break;
    }
    if (i->op != IR_COMPUTE) release_ended(s, k);
}

// COPY must come before the first OUT of a label, and needs no register.
static void interp_assemble(assembler *s) {
    uint32_t label = 0;
    bool copied = false;
    for (uint32_t k = 0; k < s->code->len && !s->is_full; k++) {
        ir_op op = s->code->data[k].op;
        if (op == IR_ENTER) copied = false;
        if ((op == IR_OUT || (op == IR_FIRE && !s->code->data[k].at)) && !copied) {
            interp_put_copies(s, k);
            copied = true;
        }
        assemble_one(s, k, &label);
    }
    interp_put(s, (interp_ins){.op = OP_END});
}

interp *interp_new(const lowering *p, const ir_code *code) {
    interp *x = mem_zero(1, sizeof *x);
    x->words = p->words;
    assembler s = {.x = x, .p = p, .code = code, .constants = map_new()};
    arena *memory = arena_new();
    s.reg = arena_alloc(memory, p->d.nodes.len * sizeof *s.reg);
    s.ends = arena_alloc(memory, code->len * sizeof *s.ends);
    s.is_live = arena_alloc(memory, p->d.nodes.len * sizeof *s.is_live);
    find_ends(&s);
    x->nregisters = x->words + x->constants.len;
    if (x->nregisters > MOST_REGISTERS) s.is_full = true;
    else interp_assemble(&s);
    map_free(s.constants);
    arena_free(memory);
    vec_free(&s.spare);
    vec_free(&s.leaves);
    vec_free(&s.skips);
    if (!s.is_full) return x;
    interp_free(x);
    return NULL;
}

void interp_free(interp *x) {
    if (!x) return;
    vec_free(&x->constants);
    vec_free(&x->code);
    free(x);
}

uint64_t *interp_registers(const interp *x, arena *memory) {
    uint64_t *r = arena_alloc(memory, x->nregisters * sizeof *r);
    if (x->constants.len) memcpy(r + x->words, x->constants.data, x->constants.len * sizeof *r);
    return r;
}

// ---- running

typedef struct {
    const uint64_t *state;
    uint64_t *next, *failed;
    uint32_t *labels;
} interp_target;

static uint32_t interp_run(const interp *x, uint64_t *restrict r, interp_target t) {
    static const void *const jump[] = {
#define X(name) &&do_##name,
        INTERP_OPS(X)
#undef X
    };
    const interp_ins *i = x->code.data, *const code = i;
    const uint32_t words = x->words;
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++) r[w] = t.state[w];
#define GO() goto *jump[i->op]
#define DO(name, value)              \
    do_##name : r[i->dst] = (value); \
    i++;                             \
    GO();
#define A r[i->a]
#define B r[i->b]
#define C r[i->c]
    GO();
    DO(FIELD, A >> i->shift & B)
    DO(SHL, A << i->shift)
    DO(AND, A & B)
    DO(OR, A | B)
    DO(XOR, A ^ B)
    DO(TEST, (A & B) == C)
    DO(DIFFER, (A & B) != C)
    DO(ADD, A + B)
    DO(SUB, A - B)
    DO(MUL, A * B)
    DO(DIV, (uint64_t)((int64_t)A / (int64_t)B))
    DO(MOD, (uint64_t)((int64_t)A % (int64_t)B))
    DO(EQ, A == B)
    DO(LT, (int64_t)A < (int64_t)B)
    DO(LE, (int64_t)A <= (int64_t)B)
    DO(SELECT, A ? B : C)
    DO(SHLV, A << (B & 63))
    DO(SHRV, A >> (B & 63))
    DO(SARV, (uint64_t)((int64_t)A >> (B & 63)))
    DO(SPREAD, (0 - A) & B)
do_UNLESS:
    i = A ? i + 1 : code + i->target;
    GO();
do_SKIP_UNLESS:
    i = A ? i + 1 : code + i->target;
    GO();
do_SKIP_IF:
    i = A ? code + i->target : i + 1;
    GO();
do_UNLESS_TEST:
    i = (A & B) == r[i->dst] ? i + 1 : code + i->target;
    GO();
do_UNLESS_DIFFER:
    i = (A & B) != r[i->dst] ? i + 1 : code + i->target;
    GO();
do_TROUBLE:
    i += A ? 1 : 3;
    GO();
do_REFUSE:
    memcpy(t.next, t.state, words * sizeof *t.next);
    t.next += words;
    t.labels[n++] = i->target;
    i++;
    GO();
do_JUMP:
    i = code + i->target;
    GO();
do_OUT:
    t.next[i->c] = A;
    i++;
    GO();
do_COPY:
    memcpy(t.next, t.state, words * sizeof *t.next);
    i++;
    GO();
do_FIRE:
    t.next += words;
    t.labels[n++] = i->target;
    i++;
    GO();
do_REPORT:
    t.labels[n++] = i->target;
    i++;
    GO();
do_CHECK:
    t.failed[i->target / 64] |= (uint64_t)!A << i->target % 64;
    i++;
    GO();
do_END:
    return n;
#undef GO
#undef DO
#undef A
#undef B
#undef C
}

uint32_t interp_next(const interp *x, uint64_t *r, const uint64_t *state, uint64_t *next, uint32_t *labels) {
    return interp_run(x, r, (interp_target){.state = state, .next = next, .labels = labels});
}

void interp_check(const interp *x, uint64_t *r, const uint64_t *state, uint64_t *failed) {
    interp_run(x, r, (interp_target){.state = state, .failed = failed});
}
