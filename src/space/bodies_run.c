// SPDX-License-Identifier: Apache-2.0
// Running bodies: an interpreter, for where there is no machine code; see bodies.h.
#include "space/bodies_int.h"

#include <string.h>

struct bodies_run {
    const bodies *b;
    int64_t *registers;
    uint64_t *work;
    uint32_t *returns;
};

bodies_run *bodies_run_new(const bodies *b) {
    bodies_run *run = mem_zero(1, sizeof *run);
    run->b = b;
    run->registers = mem_zero(b->nfixed + b->ntemps + 1, sizeof *run->registers);
    run->work = mem_zero(b->l->words + b->l->scratch_words + 1, sizeof *run->work);
    run->returns = mem_zero(b->subroutines.len + 1, sizeof *run->returns);
    for (uint32_t i = 0; i < b->constants.len; i++) run->registers[b->constant_at.data[i]] = b->constants.data[i];
    return run;
}

void bodies_run_free(bodies_run *run) {
    if (!run) return;
    free(run->registers);
    free(run->work);
    free(run->returns);
    free(run);
}

// Numbers of 32 bits, as the evaluator shifts them.
static int64_t body_shift(int64_t x, int64_t by) {
    int32_t a = (int32_t)x;
    if (by < 0) return by <= -32 ? 0 : (int32_t)((uint32_t)a << -by);
    return by >= 32 ? (a < 0 ? -1 : 0) : a >> by;
}

static uint64_t bits_at(const uint64_t *work, const layout_cell *p) {
    return work[p->word] >> p->shift & layout_mask(p->bits);
}

static void body_write(uint64_t *work, uint32_t word, uint32_t shift, uint32_t bits, uint64_t v) {
    work[word] = (work[word] & ~(layout_mask(bits) << shift)) | v << shift;
}

static bool lies_within(int64_t v, int64_t lo, uint32_t n) { return (uint64_t)(v - lo) < n; }

// Instructions that compute one number from others; false: trouble.
static bool body_compute(const body_ins *i, int64_t *r) {
    int64_t a = r[i->a], b = r[i->b];
    switch ((body_op)i->op) {
    case BODY_MOVE: r[i->dst] = a; return true;
    case BODY_INDEX: r[i->dst] = b * i->n + (a - i->lo); return lies_within(a, i->lo, i->n);
    case BODY_WITHIN: return lies_within(a, i->lo, i->n);
    case BODY_IS: r[i->dst] = lies_within(a, i->lo, i->n); return true;
    case BODY_ADD: r[i->dst] = a + b; return true;
    case BODY_SUB: r[i->dst] = a - b; return true;
    case BODY_MUL: r[i->dst] = a * b; return true;
    case BODY_DIV: r[i->dst] = b ? a / b : 0; return b;
    case BODY_MOD: r[i->dst] = b ? a % b : 0; return b;
    case BODY_AND: r[i->dst] = a & b; return true;
    case BODY_OR: r[i->dst] = a | b; return true;
    case BODY_XOR: r[i->dst] = a ^ b; return true;
    case BODY_SHIFT: r[i->dst] = body_shift(a, b); return true;
    case BODY_EQ: r[i->dst] = a == b; return true;
    case BODY_LT: r[i->dst] = a < b; return true;
    default: r[i->dst] = a <= b; return true;
    }
}

// Instructions that read or write a cell; false: trouble.
static bool body_access(const layout *l, const body_ins *i, int64_t *r, uint64_t *work) {
    bool is_far = i->op == BODY_LOADX || i->op == BODY_LOADX_SURE || i->op == BODY_KNOWNX || i->op == BODY_STOREX ||
                  i->op == BODY_SETX;
    bool is_write = i->op == BODY_STORE || i->op == BODY_STOREX || i->op == BODY_SET || i->op == BODY_SETX;
    layout_cell here = {.word = is_write ? i->dst : i->a, .shift = i->shift, .bits = i->bits};
    const layout_cell *p = is_far ? &l->cells[i->lo + r[i->b]] : &here;
    uint64_t bits = bits_at(work, p);
    switch ((body_op)i->op) {
    case BODY_LOAD:
    case BODY_LOAD_SURE: r[i->dst] = (int64_t)bits + i->imm; return bits || i->op == BODY_LOAD;
    case BODY_LOADX:
    case BODY_LOADX_SURE: r[i->dst] = (int64_t)bits + p->first - p->above; return bits || i->op == BODY_LOADX;
    case BODY_KNOWN:
    case BODY_KNOWNX: r[i->dst] = bits != 0; return true;
    case BODY_STORE:
        body_write(work, p->word, p->shift, p->bits, (uint64_t)(r[i->a] + i->imm) & layout_mask(p->bits));
        return lies_within(r[i->a], i->lo, i->n);
    case BODY_STOREX:
        body_write(work, p->word, p->shift, p->bits, (uint64_t)(r[i->a] - p->first + p->above) & layout_mask(p->bits));
        return lies_within(r[i->a], p->first, (uint32_t)i->imm);
    default: body_write(work, p->word, p->shift, p->bits, (uint64_t)i->imm); return true;
    }
}

static bool body_jumps_at(const body_ins *i, int64_t *r) {
    switch ((body_op)i->op) {
    case BODY_JUMP: return true;
    case BODY_UNLESS: return !r[i->a];
    case BODY_IF: return r[i->a] != 0;
    case BODY_IF_EQ: return r[i->a] == r[i->b];
    case BODY_IF_NE: return r[i->a] != r[i->b];
    case BODY_IF_LT: return r[i->a] < r[i->b];
    case BODY_IF_LE: return r[i->a] <= r[i->b];
    default: return ++r[i->a] < r[i->b];
    }
}

static body_end body_interpret(bodies_run *run, uint32_t at) {
    const body_ins *code = run->b->code.data;
    uint32_t depth = 0;
    for (;; at++) {
        const body_ins *i = &code[at];
        bool is_access = i->op >= BODY_LOAD && i->op <= BODY_SETX && i->op != BODY_INDEX;
        if (i->op == BODY_END) return BODY_FIRES;
        if (i->op == BODY_STOP) return BODY_NONE;
        if (i->op == BODY_TROUBLED) return BODY_TROUBLE;
        if (i->op == BODY_CALL) {
            run->returns[depth++] = at;
            at = (uint32_t)i->imm - 1;
        } else if (i->op == BODY_RETURN) at = run->returns[--depth];
        else if (i->op >= BODY_JUMP) at = body_jumps_at(i, run->registers) ? (uint32_t)i->imm - 1 : at;
        else if (is_access ? !body_access(run->b->l, i, run->registers, run->work) : !body_compute(i, run->registers))
            return BODY_TROUBLE;
    }
}

static void body_clear_locals(const bodies *b, rule r, uint64_t *locals) {
    for (uint32_t i = b->first_clear.data[r.id]; i < b->first_clear.data[r.id + 1]; i++)
        memset(locals + b->clears.data[i].first, 0, b->clears.data[i].n * sizeof *locals);
}

body_end bodies_fire(bodies_run *run, rule r, const value *args, const uint64_t *state, uint64_t *next) {
    const bodies *b = run->b;
    const layout *l = b->l;
    const rule_info *info = rule_of(l->in->m, r);
    memcpy(run->work, state, l->words * sizeof *state);
    body_clear_locals(b, r, run->work + l->words);
    const uint32_t *params = info->nparams ? b->params_of.data + b->first_param.data[r.id] : NULL;
    for (uint32_t i = 0; i < info->nparams; i++) run->registers[params[i]] = args[i];
    body_end end = b->machine ? body_machine_run(b->machine, r, run->registers, run->work)
                              : body_interpret(run, b->starts.data[r.id] - 1);
    if (end == BODY_FIRES) memcpy(next, run->work, l->words * sizeof *next);
    return end;
}
