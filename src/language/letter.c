// SPDX-License-Identifier: Apache-2.0
// Letters: see letter.h. A table finds a letter by a key in which every part has its length or ends in a
// sign that cannot be in it, so different letters have different keys; keys never leave this file.
#include "language/letter.h"

#include "model/actor.h"
#include "result/trace.h"

#include <string.h>

letter_table *letter_table_new(void) {
    letter_table *t = mem_zero(1, sizeof *t);
    t->memory = arena_new();
    t->numbers = map_new();
    return t;
}

void letter_table_free(letter_table *t) {
    if (!t) return;
    map_free(t->numbers);
    vec_free(&t->all);
    arena_free(t->memory);
    free(t);
}

letter_table *letter_table_copy(const letter_table *t) {
    letter_table *copy = letter_table_new();
    for (uint32_t i = 0; i < t->all.len; i++) letter_intern(copy, &t->all.data[i]);
    return copy;
}

// ---- finding

static void add_text(str *key, const char *text) { str_printf(key, "%zu:%s", strlen(text), text); }

static void add_key(const letter_info *l, str *key) {
    add_text(key, l->action);
    for (uint32_t i = 0; i < l->nargs; i++) {
        const letter_arg *a = &l->args[i];
        str_printf(key, "%c%d;", "enlm"[a->kind], a -> number);
        if (a->literal) add_text(key, a->literal);
    }
}

uint32_t letter_find(const letter_table *t, const letter_info *l) {
    str key = {0};
    add_key(l, &key);
    uint32_t n = map_get(t->numbers, str_get(&key), key.len, LETTER_NONE);
    str_free(&key);
    return n;
}

static const char *own(letter_table *t, const char *text) {
    return arena_copy(t->memory, text, strlen(text) + 1);
}

static letter_info owned(letter_table *t, const letter_info *l) {
    letter_arg *args = arena_alloc(t->memory, (l->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < l->nargs; i++) {
        args[i] = l->args[i];
        if (args[i].literal) args[i].literal = own(t, args[i].literal);
    }
    return (letter_info){own(t, l->action), own(t, l->text), args, l->nargs};
}

uint32_t letter_intern(letter_table *t, const letter_info *l) {
    str key = {0};
    add_key(l, &key);
    uint32_t n = map_intern(t->numbers, str_get(&key), key.len, t->all.len);
    if (n == t->all.len) vec_push(&t->all, owned(t, l));
    str_free(&key);
    return n;
}

// ---- from steps

static letter_arg arg_of(const instance *in, type ty, value v) {
    const type_info *info = type_of(in->m, ty);
    switch (info->kind) {
    case TYPE_BOOL: return (letter_arg){LETTER_LITERAL, 0, v ? "true" : "false"};
    case TYPE_ENUM: return (letter_arg){LETTER_LITERAL, 0, info->literals[v]};
    case TYPE_RANGE: return (letter_arg){LETTER_NUMBER, v, NULL};
    case TYPE_SORT: return (letter_arg){LETTER_ELEMENT, v, NULL};
    case TYPE_UNION: break;
    }
    return (letter_arg){LETTER_MEMBER, v, NULL};
}

// The arguments of a rule, the acting thread first.
static uint32_t add_args(const instance *in, type threads, rule id, const value *values, letter_arg *out) {
    const rule_info *r = rule_of(in->m, id);
    uint32_t actor = actor_param(in->m, id, threads), n = 0;
    if (actor != ACTOR_NONE) out[n++] = arg_of(in, var_of(in->m, r->params[actor])->ty, values[actor]);
    for (uint32_t i = 0; i < r->nparams; i++)
        if (i != actor) out[n++] = arg_of(in, var_of(in->m, r->params[i])->ty, values[i]);
    return n;
}

uint32_t letter_intern_step(letter_table *t, const instance *in, type threads, rule r, const value *values) {
    letter_arg *args = mem_zero(rule_of(in->m, r)->nparams + 1, sizeof *args);
    str text = {0};
    trace_label_text(in, r, values, &text);
    letter_info l = {rule_of(in->m, r)->name, str_get(&text), args, add_args(in, threads, r, values, args)};
    uint32_t n = letter_intern(t, &l);
    str_free(&text);
    free(args);
    return n;
}
