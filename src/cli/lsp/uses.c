// SPDX-License-Identifier: Apache-2.0
// Where a name is used: see uses.h. Words outside comments and strings are looked at one after the other; the few
// declarations of that name are collected first, so that a use costs no walk through the model.
#include "cli/lsp/uses.h"

#include "base/order.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(lsp_name) lsp_list;

typedef struct {
    const char *name;
    size_t length;
    lsp_list variables;  // of this document, by their places; those up to `passed` are before the present place
    uint32_t passed;
    lsp_list others;  // the last one is room for a variable
} collecting;

// Systems too: which one is around a place decides.
static void collect_name(void *context, const lsp_name *n) {
    collecting *c = context;
    bool is_called = strlen(n->name) == c->length && memcmp(n->name, c->name, c->length) == 0;
    if (is_called && n->kind == NAME_VARIABLE && n->at.file == 1) vec_push(&c->variables, *n);
    else if (n->kind == NAME_SYSTEM || (is_called && n->kind != NAME_VARIABLE)) vec_push(&c->others, *n);
}

static int by_place(const void *a, const void *b) {
    const lsp_name *x = a, *y = b;
    int order = order_u32(&x->at.begin, &y->at.begin);
    return order ? order : order_u32(&x->id, &y->id);
}

// A front end may make several of one declaration: the first counts, as in lsp_names_find.
static void sort_variables(lsp_list *list) {
    uint32_t kept = 0;
    if (list->len) qsort(list->data, list->len, sizeof *list->data, by_place);
    for (uint32_t i = 0; i < list->len; i++)
        if (!kept || list->data[kept - 1].at.begin != list->data[i].at.begin) list->data[kept++] = list->data[i];
    list->len = kept;
}

// There may be thousands of variables of a name; a use means the last one before it, or something else.
static bool is_meant(collecting *c, const model *m, span at, const lsp_name *of) {
    lsp_name found;
    while (c->passed < c->variables.len && c->variables.data[c->passed].at.begin <= at.begin) c->passed++;
    if (c->passed) vec_last(&c->others) = c->variables.data[c->passed - 1];
    uint32_t n = c->others.len - (c->passed ? 0 : 1);
    return lsp_names_among(m, c->others.data, n, c->name, c->length, at, &found) && found.kind == of->kind &&
           found.id == of->id;
}

static bool has_sign(const uses_text *t, size_t i, const char *sign) {
    return strlen(sign) <= t->size - i && memcmp(t->text + i, sign, strlen(sign)) == 0;
}

static size_t after(const uses_text *t, size_t i, char end) {
    const char *found = i < t->size ? memchr(t->text + i, end, t->size - i) : NULL;
    return found ? (size_t)(found - t->text) + 1 : t->size;
}

static size_t after_block(const uses_text *t, size_t i) {
    for (i += 2; i < t->size && !has_sign(t, i, "*/"); i++) {}
    return i < t->size ? i + 2 : t->size;
}

// Past a comment or a string that begins here; the same place: none does.
static size_t skipped(const uses_text *t, size_t i) {
    if (has_sign(t, i, t->is_murphi ? "--" : "//")) return after(t, i, '\n');
    if (has_sign(t, i, "/*")) return after_block(t, i);
    if (t->text[i] != '"') return i;
    size_t line = after(t, i, '\n'), end = after(t, i + 1, '"');
    return end < line ? end : line;
}

static size_t word_end(const uses_text *t, size_t i) {
    while (i < t->size && (isalnum((unsigned char)t->text[i]) || t->text[i] == '_')) i++;
    return i;
}

void uses_each(const uses_text *t, const model *m, const lsp_name *of, void (*take)(void *context, span at),
               void *context) {
    collecting c = {.name = of->name, .length = strlen(of->name)};
    lsp_names_each(m, collect_name, &c);
    vec_push(&c.others, (lsp_name){0});
    sort_variables(&c.variables);
    for (size_t i = 0, next; i < t->size; i = next) {
        size_t end = word_end(t, i);
        next = end > i ? end : skipped(t, i);
        if (next == i) next++;
        if (end - i != c.length || memcmp(t->text + i, c.name, c.length) != 0) continue;
        span at = {1, (uint32_t)i, (uint32_t)end};
        if (is_meant(&c, m, at, of)) take(context, at);
    }
    vec_free(&c.variables);
    vec_free(&c.others);
}
