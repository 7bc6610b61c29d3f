// SPDX-License-Identifier: Apache-2.0
// Tables of text: see table.h.
#include "report/table.h"

#include "base/vec.h"

typedef struct {
    const char *text;
    style_role role;
} entry;

typedef struct {
    const char *title;
    bool is_number;
    unsigned width;
} column;

struct table {
    arena *memory;
    VEC(column) columns;
    VEC(entry) entries;
};

table *table_new(void) {
    table *t = mem_zero(1, sizeof *t);
    t->memory = arena_new();
    return t;
}

void table_free(table *t) {
    if (!t) return;
    arena_free(t->memory);
    vec_free(&t->columns);
    vec_free(&t->entries);
    free(t);
}

void table_column(table *t, const char *title, bool is_number) {
    vec_push(&t->columns, (column){arena_str(t->memory, title), is_number, (unsigned)str_columns(title)});
}

void table_add(table *t, style_role role, const char *text) {
    column *c = &t->columns.data[t->entries.len % t->columns.len];
    if (str_columns(text) > c->width) c->width = (unsigned)str_columns(text);
    vec_push(&t->entries, (entry){arena_str(t->memory, text), role});
}

// The last column is not padded: lines have no trailing spaces.
static void table_put(const table *t, uint32_t i, style_role role, const char *text, const style *s, str *out) {
    const column *c = &t->columns.data[i];
    unsigned space = c->width - (unsigned)str_columns(text);
    if (i) str_add(out, "  ");
    if (c->is_number) str_pad(out, ' ', space);
    style_add(s, role, text, out);
    if (i + 1 == t->columns.len) str_char(out, '\n');
    else if (!c->is_number) str_pad(out, ' ', space);
}

void table_print(const table *t, const style *s, unsigned indent, str *out) {
    for (uint32_t i = 0; i < t->columns.len; i++) {
        if (i == 0) str_pad(out, ' ', indent);
        table_put(t, i, ROLE_STRONG, t->columns.data[i].title, s, out);
    }
    for (uint32_t i = 0; i < t->entries.len; i++) {
        if (i % t->columns.len == 0) str_pad(out, ' ', indent);
        table_put(t, i % t->columns.len, t->entries.data[i].role, t->entries.data[i].text, s, out);
    }
}
