// SPDX-License-Identifier: Apache-2.0
// Binary operators: see operators.h. Precedence climbing, where operands of the same operator are collected first, so
// that a long chain becomes a tree of little depth.
#include "front/operators.h"
#include "front/depth.h"

static const front_operator *sees_operator(const cursor *p, const front_operators *how, int level) {
    for (const front_operator *o = how->table; !p->failed && o->text; o++)
        if (o->level >= level && cursor_sees(p, o->text)) return o;
    return NULL;
}

// The operands of one operator, in their order: see FRONT_FEW.
static void *join_operands(cursor *p, const front_operators *how, const front_operator *o, void *const *list,
                           uint32_t n) {
    uint32_t half = n / 2;
    if (n > FRONT_FEW && o->associates)
        return how->join(p, o->op, join_operands(p, how, o, list, half),
                         join_operands(p, how, o, list + half, n - half));
    void *a = list[0];
    for (uint32_t i = 1; i < n; i++) a = how->join(p, o->op, a, list[i]);
    return a;
}

void *front_parse_operators(cursor *p, const front_operators *how, int level) {
    VEC(void *) operands = {0};
    const front_operator *before = NULL, *o;
    vec_push(&operands, how->operand(p, level));
    while ((o = sees_operator(p, how, level))) {
        if (before && before->op != o->op) {
            operands.data[0] = join_operands(p, how, before, operands.data, operands.len);
            operands.len = 1;
        }
        p->next++;
        vec_push(&operands, front_parse_operators(p, how, o->level + 1));
        before = o;
    }
    void *a = before ? join_operands(p, how, before, operands.data, operands.len) : operands.data[0];
    vec_free(&operands);
    return a;
}
