// SPDX-License-Identifier: Apache-2.0
// Letters: see letter.h. A table finds a letter by a key in which every part has its length or ends in a
// character that cannot be in it, so different letters have different keys; keys never leave this file.
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
    letter_table_name_sorts(copy, t->thread_sort, t->location_sort);
    return copy;
}

// ---- finding

static void letter_add_text(str *key, const char *text) { str_printf(key, "%zu:%s", strlen(text), text); }

// Arguments are grouped by what they are, elements by their sorts.
static int compare_groups(const letter_arg *a, const letter_arg *b) {
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->kind == LETTER_MEMBER) return 0;
    return strcmp(a->sort ? a->sort : "", b->sort ? b->sort : "");
}

// The first argument of the group that comes next after that of `last` (NULL: the first group); NULL: none does.
static const letter_arg *next_group(const letter_info *l, const letter_arg *last) {
    const letter_arg *next = NULL;
    for (uint32_t i = 0; i < l->nargs; i++) {
        const letter_arg *a = &l->args[i];
        if ((!last || compare_groups(last, a) < 0) && (!next || compare_groups(a, next) < 0)) next = a;
    }
    return next;
}

static void add_key(const letter_info *l, str *key) {
    letter_add_text(key, l->action);
    for (const letter_arg *g = next_group(l, NULL); g; g = next_group(l, g)) {
        str_char(key, "enlm"[g->kind]);
        letter_add_text(key, g->sort && g->kind != LETTER_MEMBER ? g->sort : "");
        for (uint32_t i = 0; i < l->nargs; i++) {
            const letter_arg *a = &l->args[i];
            if (compare_groups(a, g) != 0) continue;
            if (a->kind == LETTER_MEMBER) letter_add_text(key, a->sort ? a->sort : "");
            if (a->literal) letter_add_text(key, a->literal);
            else str_printf(key, "%d;", a->number);
        }
    }
}

uint32_t letter_find(const letter_table *t, const letter_info *l) {
    str key = {0};
    add_key(l, &key);
    uint32_t n = map_get(t->numbers, str_get(&key), key.len, LETTER_NONE);
    str_free(&key);
    return n;
}

static const char *own(letter_table *t, const char *text) { return arena_copy(t->memory, text, strlen(text) + 1); }

static letter_info owned(letter_table *t, const letter_info *l) {
    letter_arg *args = arena_alloc(t->memory, (l->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < l->nargs; i++) {
        args[i] = l->args[i];
        if (args[i].literal) args[i].literal = own(t, args[i].literal);
        if (args[i].sort) args[i].sort = own(t, args[i].sort);
    }
    return (letter_info){own(t, l->action), own(t, l->text), args, l->nargs};
}

void letter_table_name_sorts(letter_table *t, const char *threads, const char *locations) {
    t->thread_sort = threads ? own(t, threads) : NULL;
    t->location_sort = locations ? own(t, locations) : NULL;
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
    case TYPE_BOOL: return (letter_arg){LETTER_LITERAL, .literal = v ? "true" : "false"};
    case TYPE_ENUM: return (letter_arg){LETTER_LITERAL, .literal = info->literals[v]};
    case TYPE_REAL:  // no label has one
    case TYPE_RANGE: return (letter_arg){LETTER_NUMBER, .number = v};
    case TYPE_SORT: return (letter_arg){LETTER_ELEMENT, .number = v, .sort = info->name};
    case TYPE_UNION: break;
    }
    value own = 0;
    letter_arg a = arg_of(in, instance_member_of(in, ty, v, &own), own);
    a.kind = LETTER_MEMBER;
    return a;
}

// The arguments of a rule that are seen, the acting thread first.
static uint32_t add_args(const instance *in, type threads, rule id, const value *values, letter_arg *out) {
    const rule_info *r = rule_of(in->m, id);
    uint32_t actor = actor_param(in->m, id, threads), n = 0;
    if (actor != ACTOR_NONE) out[n++] = arg_of(in, var_of(in->m, r->params[actor])->ty, values[actor]);
    for (uint32_t i = 0; i < rule_nshown(r); i++)
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
