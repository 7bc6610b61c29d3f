// SPDX-License-Identifier: Apache-2.0
// Past formulas as text, parentheses where needed: see past_print.h.
#include "oracle/past_print.h"

enum { LEVEL_OR, LEVEL_AND, LEVEL_SINCE, LEVEL_UNARY };

static void print_node(const past *f, uint32_t i, int level, str *out);

static void print_var(const past *f, uint8_t v, str *out) { str_add(out, v == PAST_ANY ? "_" : f->names[v]); }

static void print_event(const past *f, const past_node *n, str *out) {
    const char *name = NULL;
    uint8_t all = (1 << EVENT_NT_READ) - 1, close = 1 << EVENT_COMMIT | 1 << EVENT_ABORT;
    for (uint32_t k = 0; k < EVENT_KINDS; k++)
        if (n->kinds == 1 << k) name = event_kind_name((event_kind)k);
    str_printf(out, "%s(", name ? name : n->kinds == all ? "event" : n->kinds == close ? "close" : "access");
    print_var(f, n->var[PAST_CLIENT], out);
    for (uint32_t s = PAST_ADDRESS; s < PAST_SORTS; s++) {
        bool more = s == PAST_ADDRESS && n->var[PAST_VALUE] != PAST_ANY;
        if (n->var[s] == PAST_ANY && !more) continue;
        str_add(out, ", ");
        print_var(f, n->var[s], out);
    }
    str_char(out, ')');
}

static void print_binary(const past *f, const past_node *n, const char *sign, int own, int level, str *out) {
    if (own < level) str_char(out, '(');
    print_node(f, n->left, own == LEVEL_SINCE ? LEVEL_UNARY : own, out);
    str_add(out, sign);
    print_node(f, n->right, own + 1, out);
    if (own < level) str_char(out, ')');
}

static void print_unary(const past *f, const past_node *n, const char *sign, str *out) {
    str_add(out, sign);
    print_node(f, n->left, LEVEL_UNARY, out);
}

static void print_same(const past *f, const past_node *n, const char *sign, str *out) {
    str_printf(out, "%s %s %s", f->names[n->var[0]], sign, f->names[n->var[1]]);
}

static void print_node(const past *f, uint32_t i, int level, str *out) {
    const past_node *n = &f->nodes[i];
    switch (n->kind) {
    case PAST_TRUE: str_add(out, "true"); break;
    case PAST_EVENT: print_event(f, n, out); break;
    case PAST_SAME: print_same(f, n, "=", out); break;
    case PAST_NOT:
        if (f->nodes[n->left].kind == PAST_SAME) print_same(f, &f->nodes[n->left], "!=", out);
        else print_unary(f, n, "!", out);
        break;
    case PAST_AND: print_binary(f, n, " & ", LEVEL_AND, level, out); break;
    case PAST_OR: print_binary(f, n, " | ", LEVEL_OR, level, out); break;
    case PAST_PREVIOUSLY: print_unary(f, n, "previously ", out); break;
    case PAST_ONCE: print_unary(f, n, "once ", out); break;
    case PAST_HISTORICALLY: print_unary(f, n, "historically ", out); break;
    case PAST_SINCE: print_binary(f, n, " since ", LEVEL_SINCE, level, out); break;
    }
}

void past_print(const past *f, str *out) { print_node(f, f->nnodes - 1, LEVEL_OR, out); }
