// SPDX-License-Identifier: Apache-2.0
// One table for the names of many scopes, each of which is a number: scopes of variables, members of records. Looking a
// name up takes the same time whatever else is declared.
#ifndef FRONT_SCOPES_H
#define FRONT_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct scopes scopes;

scopes *scopes_new(void);
void scopes_free(scopes *s);
uint32_t scopes_open(scopes *s);                                                // a new scope, without names
bool scopes_add(scopes *s, uint32_t scope, const char *name, uint32_t number);  // false: it is there already
uint32_t scopes_find(const scopes *s, uint32_t scope, const char *name);        // its number, or SCOPES_NONE

#define SCOPES_NONE UINT32_MAX

#endif
