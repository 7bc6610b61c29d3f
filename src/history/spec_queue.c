// SPDX-License-Identifier: Apache-2.0
// The specification with a queue, Fig. 1 of Cohen, Pnueli and Zuck (CAV 2008): see spec.h. Formulas of past
// temporal logic become formulas over places of the queue. Repairs, each of which doc/histories.md
// explains: - while a transaction has its mark, or an access outside transactions is in the queue, nothing
// else is put out; - an access outside transactions is put out when it leaves the queue, not when it enters
// it. Deleting takes one silent step an event; nothing else happens meanwhile.
#include "history/spec.h"

#include <stdio.h>

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

static void add_event(translation *t, const past_node *n, const char *place) {
    str_char(t->out, '(');
    add_kinds(t, n->kinds, place);
    if (n->var[PAST_CLIENT] != PAST_ANY)
        str_printf(t->out, " & by(%s, %s_)", place, t->f->names[n->var[PAST_CLIENT]]);
    if (n->var[PAST_ADDRESS] != PAST_ANY)
        str_printf(t->out, " & on(%s, %s_)", place, t->f->names[n->var[PAST_ADDRESS]]);
    if (n->var[PAST_VALUE] != PAST_ANY)
        str_printf(t->out, " & val(%s) = %s_", place, t->f->names[n->var[PAST_VALUE]]);
    str_char(t->out, ')');
}

static void add_pair(translation *t, const past_node *n, const char *sign, const char *place) {
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
    case PAST_EVENT: add_event(t, n, place); break;
    case PAST_SAME: str_printf(t->out, "%s_ = %s_", t->f->names[n->var[0]], t->f->names[n->var[1]]); break;
    case PAST_NOT:
        str_add(t->out, "!(");
        add_node(t, n->left, place);
        str_char(t->out, ')');
        break;
    case PAST_AND: add_pair(t, n, " & ", place); break;
    case PAST_OR: add_pair(t, n, " | ", place); break;
    case PAST_PREVIOUSLY: add_previously(t, n, place); break;
    case PAST_ONCE: add_one_place(t, n, "exists", "&", place); break;
    case PAST_HISTORICALLY: add_one_place(t, n, "forall", "->", place); break;
    case PAST_SINCE: add_since(t, n, place); break;
    }
}

static void add_rule(const forbidden *r, str *out) {
    static const char *const sorts[] = {"Client", "Loc", "Value"};
    translation t = {.f = &r->formula, .out = out};
    str_printf(out, "  def %s_(i: 0..N - 1) = ", r->name);
    for (uint32_t v = 0; v < r->formula.nvars; v++)
        str_printf(out, "exists %s_: %s. ", r->formula.names[v], sorts[r->formula.sorts[v]]);
    add_node(&t, r->formula.nnodes - 1, "i");
    str_char(out, '\n');
}

static void add_rules(const interchange *x, str *out) {
    for (uint32_t i = 0; i < x->rules.len; i++) add_rule(x->rules.data[i], out);
    str_add(out, "  def forbidden(i: 0..N - 1) = ");
    for (uint32_t i = 0; i < x->rules.len; i++)
        str_printf(out, "%s%s_(i)", i ? " | " : "", x->rules.data[i]->name);
    str_add(out, x->rules.len ? "\n" : "false\n");
}

// ---- the rest

static const char state_text[] =
    "  const N = 11                             // the queue's greatest length: Client * (1 + 2 * Loc) + 1 "
    "is enough\n"
    "  enum Kind { none, opened, reads, writes, marked, closed }\n"
    "  rel holds(Loc, Value)                    // persistent memory, where it was written\n"
    "  var len: 0..N = 0                        // the queue: kinds, clients, addresses and values of its "
    "events\n"
    "  var kind(0..N - 1): Kind = none\n"
    "  rel by(0..N - 1, Client), on(0..N - 1, Loc)\n"
    "  var val(0..N - 1): Value\n"
    "  rel doomed(Client), leaving(Client)      // leaving: its events are being deleted\n"
    "\n"
    "  def is_least(u: Value) = forall v: Value. u <= v\n"
    "  def in_memory(x: Loc, u: Value) = holds(x, u) | (forall v: Value. !holds(x, v)) & is_least(u)\n"
    "  def has(p: Client, k: Kind, x: Loc) = exists i: 0..N - 1. kind(i) = k & by(i, p) & on(i, x)\n"
    "  def queued(p: Client) = exists i: 0..N - 1. by(i, p)\n"
    "  def pending(p: Client) = doomed(p) | queued(p)\n"
    "  def closing = exists i: 0..N - 1. kind(i) = marked | kind(i) = closed\n"
    "  def deleting = exists p: Client. leaving(p)\n"
    "  def quiet = !closing & !deleting\n"
    "  // All of p's events are at the front, and the last is of kind k.\n"
    "  def at_front(p: Client, k: Kind) =\n"
    "    exists i: 0..N - 1. kind(i) = k & by(i, p) & forall j: 0..N - 1. j < i -> by(j, p)\n"
    "  def consistent(p: Client) = forall i: 0..N - 1, x: Loc.\n"
    "    kind(i) = reads & by(i, p) & on(i, x) -> in_memory(x, val(i))\n"
    "\n";

static const char step_text[] =
    "\n"
    "  proc put(p: Client, k: Kind) { kind(len) := k; by(len, p) := true; len := len + 1 }\n"
    "  proc put_access(p: Client, k: Kind, x: Loc, u: Value) { put(p, k); on(len, x) := true; val(len) := u "
    "}\n"
    "  proc update(p: Client) {\n"
    "    forall x: Loc, u: Value where has(p, writes, x) {\n"
    "      holds(x, u) := exists i: 0..N - 1. kind(i) = writes & by(i, p) & on(i, x) & val(i) = u\n"
    "    }\n"
    "  }\n"
    "  proc enter(p: Client, k: Kind, x: Loc, u: Value) {\n"
    "    kind(len) := opened; kind(len + 1) := k; kind(len + 2) := closed\n"
    "    by(len, p) := true; by(len + 1, p) := true; by(len + 2, p) := true\n"
    "    on(len + 1, x) := true; val(len + 1) := u; len := len + 3\n"
    "  }\n"
    "\n"
    "  action open(p: Client)\n"
    "    when quiet & !pending(p) & len < N\n"
    "    { put(p, opened) }\n"
    "  action read(p: Client, x: Loc, u: Value)\n"
    "    when quiet & pending(p) & (doomed(p) | len < N & !has(p, reads, x) & !has(p, writes, x))\n"
    "    { if !doomed(p) { put_access(p, reads, x, u) } }\n"
    "  action write(p: Client, x: Loc, u: Value)\n"
    "    when quiet & pending(p) & (doomed(p) | len < N & !has(p, writes, x))\n"
    "    { if !doomed(p) { put_access(p, writes, x, u) } }\n"
    "  action abort(p: Client)\n"
    "    when quiet & pending(p)\n"
    "    { doomed(p) := false; leaving(p) := queued(p) }\n"
    "  action commit(p: Client)\n"
    "    when !deleting & at_front(p, marked) & consistent(p)\n"
    "    { update(p); leaving(p) := true }\n"
    "  action nt_read(p: Client, x: Loc, u: Value)\n"
    "    when !deleting & at_front(p, closed) & kind(1) = reads & on(1, x) & val(1) = u & consistent(p)\n"
    "    { leaving(p) := true }\n"
    "  action nt_write(p: Client, x: Loc, u: Value)\n"
    "    when !deleting & at_front(p, closed) & kind(1) = writes & on(1, x) & val(1) = u\n"
    "    { update(p); leaving(p) := true }\n"
    "\n"
    "  internal action enter_read(p: Client, x: Loc, u: Value)\n"
    "    when quiet & !pending(p) & len + 3 <= N\n"
    "    { enter(p, reads, x, u) }\n"
    "  internal action enter_write(p: Client, x: Loc, u: Value)\n"
    "    when quiet & !pending(p) & len + 3 <= N\n"
    "    { enter(p, writes, x, u) }\n"
    "  internal action mark(p: Client)\n"
    "    when quiet & queued(p) & len < N\n"
    "    { put(p, marked) }\n"
    "  internal action doom(p: Client)\n"
    "    when !deleting & queued(p) & !(exists i: 0..N - 1. by(i, p) & kind(i) = closed)\n"
    "    { doomed(p) := true; leaving(p) := true }\n"
    "  internal action swap(i: 0..N - 1)\n"
    "    when !deleting & i > 0 & i < len & !forbidden(i)\n"
    "  {\n"
    "    kind(i) := kind(i - 1); kind(i - 1) := kind(i)\n"
    "    val(i) := val(i - 1); val(i - 1) := val(i)\n"
    "    forall c: Client { by(i, c) := by(i - 1, c); by(i - 1, c) := by(i, c) }\n"
    "    forall x: Loc { on(i, x) := on(i - 1, x); on(i - 1, x) := on(i, x) }\n"
    "  }\n"
    "  // Deletes the event at i, the first of its client; those behind it move up.\n"
    "  internal action delete(p: Client, i: 0..N - 1)\n"
    "    when leaving(p) & by(i, p) & forall j: 0..N - 1. j < i -> !by(j, p)\n"
    "  {\n"
    "    len := len - 1\n"
    "    leaving(p) := exists j: 0..N - 1. j > i & by(j, p)\n"
    "    forall j: 0..N - 1 where j >= i {\n"
    "      if j < N - 1 { kind(j) := kind(j + 1); val(j) := val(j + 1) } else { clear kind(j); clear val(j) "
    "}\n"
    "    }\n"
    "    forall j: 0..N - 1, c: Client where j >= i { by(j, c) := j < N - 1 & by(j + 1, c) }\n"
    "    forall j: 0..N - 1, x: Loc where j >= i { on(j, x) := j < N - 1 & on(j + 1, x) }\n"
    "  }\n";

void spec_queue(const interchange *x, const char *name, str *out) {
    str_printf(out, "system %sQueue {\n%s", name, state_text);
    add_rules(x, out);
    str_printf(out, "%s}\n", step_text);
}
