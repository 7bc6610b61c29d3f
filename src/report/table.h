// SPDX-License-Identifier: Apache-2.0
// A table of text: columns as wide as their widest entry, numbers to the right.
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "report/style.h"

typedef struct table table;

table *table_new(void);
void table_free(table *t);
void table_column(table *t, const char *title, bool is_number);
// Entries row by row, from left to right; a full row starts the next.
void table_add(table *t, style_role role, const char *text);
void table_print(const table *t, const style *s, unsigned indent, str *out);

#endif
