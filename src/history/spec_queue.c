// SPDX-License-Identifier: Apache-2.0
// The specification with a queue, Fig. 1 of Cohen, Pnueli and Zuck (CAV 2008): see spec.h. It is the file
// models/interchange/queue.pv, kept inside the program, in which `forbidden` gets the formulas of the set: past
// temporal logic becomes formulas over places of the queue. Repairs, each of which doc/histories.md explains:
// - while a transaction has its mark, or an access outside transactions is in the queue, nothing else is put out;
// - an access outside transactions is put out when it leaves the queue, not when it enters it.
#include "history/spec.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const past *f;
    uint32_t bound;  // variables for places so far
    str *out;
} translation;

static void add_node(translation *t, uint32_t node, const char *place);

// ---- formulas

static void add_kinds(translation *t, uint8_t kinds, const char *place) {
    static const char *const names[] = {"opened", "reads", "writes"};
    const char *separator = "";
    str_char(t->out, '(');
    for (uint32_t k = EVENT_OPEN; k <= EVENT_WRITE; k++) {
        if (!(kinds >> k & 1)) continue;
        str_printf(t->out, "%skind(%s) = %s", separator, place, names[k]);
        separator = " | ";
    }
    if (kinds >> EVENT_COMMIT & 1)
        str_printf(t->out, "%skind(%s) = marked | kind(%s) = closed", separator, place, place);
    else if (!*separator) str_add(t->out, "false");
    str_char(t->out, ')');
}

static void spec_queue_add_event(translation *t, const past_node *n, const char *place) {
    str_char(t->out, '(');
    add_kinds(t, n->kinds, place);
    if (n->var[PAST_CLIENT] != PAST_ANY) str_printf(t->out, " & by(%s, %s_)", place, t->f->names[n->var[PAST_CLIENT]]);
    if (n->var[PAST_ADDRESS] != PAST_ANY)
        str_printf(t->out, " & on(%s, %s_)", place, t->f->names[n->var[PAST_ADDRESS]]);
    if (n->var[PAST_VALUE] != PAST_ANY) str_printf(t->out, " & val(%s) = %s_", place, t->f->names[n->var[PAST_VALUE]]);
    str_char(t->out, ')');
}

static void spec_queue_add_pair(translation *t, const past_node *n, const char *sign, const char *place) {
    str_char(t->out, '(');
    add_node(t, n->left, place);
    str_add(t->out, sign);
    add_node(t, n->right, place);
    str_char(t->out, ')');
}

static void add_one_place(translation *t, const past_node *n, const char *quantifier, const char *sign,
                          const char *place) {
    char j[16];
    snprintf(j, sizeof j, "j%u", t->bound++);
    str_printf(t->out, "(%s %s: 0..N - 1. %s <= %s %s ", quantifier, j, j, place, sign);
    add_node(t, n->left, j);
    str_char(t->out, ')');
}

static void add_since(translation *t, const past_node *n, const char *place) {
    char j[16], k[16];
    snprintf(j, sizeof j, "j%u", t->bound++);
    snprintf(k, sizeof k, "j%u", t->bound++);
    str_printf(t->out, "(exists %s: 0..N - 1. %s <= %s & ", j, j, place);
    add_node(t, n->right, j);
    str_printf(t->out, " & (forall %s: 0..N - 1. %s < %s & %s <= %s -> ", k, j, k, k, place);
    add_node(t, n->left, k);
    str_add(t->out, "))");
}

static void add_previously(translation *t, const past_node *n, const char *place) {
    str before = {0};
    str_printf(&before, "%s - 1", place);
    str_printf(t->out, "(%s > 0 & ", place);
    add_node(t, n->left, str_get(&before));
    str_char(t->out, ')');
    str_free(&before);
}

static void add_node(translation *t, uint32_t node, const char *place) {
    const past_node *n = &t->f->nodes[node];
    switch (n->kind) {
    case PAST_TRUE: str_add(t->out, "true"); break;
    case PAST_EVENT: spec_queue_add_event(t, n, place); break;
    case PAST_SAME: str_printf(t->out, "%s_ = %s_", t->f->names[n->var[0]], t->f->names[n->var[1]]); break;
    case PAST_NOT:
        str_add(t->out, "!(");
        add_node(t, n->left, place);
        str_char(t->out, ')');
        break;
    case PAST_AND: spec_queue_add_pair(t, n, " & ", place); break;
    case PAST_OR: spec_queue_add_pair(t, n, " | ", place); break;
    case PAST_PREVIOUSLY: add_previously(t, n, place); break;
    case PAST_ONCE: add_one_place(t, n, "exists", "&", place); break;
    case PAST_HISTORICALLY: add_one_place(t, n, "forall", "->", place); break;
    case PAST_SINCE: add_since(t, n, place); break;
    }
}

static void spec_queue_add_rule(const forbidden *r, str *out) {
    static const char *const sorts[] = {"Client", "Loc", "Value"};
    translation t = {.f = &r->formula, .out = out};
    str_printf(out, "  def %s_(i: 0..N - 1) = ", r->name);
    for (uint32_t v = 0; v < r->formula.nvars; v++)
        str_printf(out, "exists %s_: %s. ", r->formula.names[v], sorts[r->formula.sorts[v]]);
    add_node(&t, r->formula.nnodes - 1, "i");
    str_char(out, '\n');
}

static void add_rules(const interchange *x, str *out) {
    for (uint32_t i = 0; i < x->rules.len; i++) spec_queue_add_rule(x->rules.data[i], out);
    str_add(out, "  def forbidden(i: 0..N - 1) = ");
    for (uint32_t i = 0; i < x->rules.len; i++) str_printf(out, "%s%s_(i)", i ? " | " : "", x->rules.data[i]->name);
    str_add(out, x->rules.len ? "\n" : "false\n");
}

// ---- the rest

__asm__(".section .rodata\n"
        "queue_text: .incbin \"../models/interchange/queue.pv\"\n .byte 0\n"
        ".previous\n");

extern const char queue_text[];

// What the text has between `from` and `to`; both are in it.
static const char *spec_queue_between(const char *from, const char *to, size_t *size) {
    const char *begin = strstr(queue_text, from), *end = begin ? strstr(begin, to) : NULL;
    assert(end);
    *size = (size_t)(end - begin) - strlen(from);
    return begin + strlen(from);
}

void spec_queue(const interchange *x, const char *name, str *out) {
    size_t size;
    const char *state = spec_queue_between("system Queue {\n", "  def forbidden(", &size);
    str_printf(out, "system %sQueue {\n%.*s", name, (int)size, state);
    add_rules(x, out);
    str_add(out, spec_queue_between("= false\n", "  proc put(", &size));
}
