// SPDX-License-Identifier: Apache-2.0
// Names of scopes: see scopes.h. Names are numbered; the table is about pairs of a scope and a name's number.
#include "front/scopes.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct scopes {
    map *names, *members;
    uint32_t count;
};

typedef struct {
    uint32_t scope, name;
} member_key;

scopes *scopes_new(void) {
    scopes *s = mem_zero(1, sizeof *s);
    s->names = map_new();
    s->members = map_new();
    return s;
}

void scopes_free(scopes *s) {
    if (!s) return;
    map_free(s->names);
    map_free(s->members);
    free(s);
}

uint32_t scopes_open(scopes *s) { return s->count++; }

bool scopes_add(scopes *s, uint32_t scope, const char *name, uint32_t number) {
    member_key key = {scope, map_intern(s->names, name, strlen(name), map_count(s->names))};
    uint32_t before = map_count(s->members);
    map_intern(s->members, &key, sizeof key, number);
    return map_count(s->members) > before;
}

uint32_t scopes_find(const scopes *s, uint32_t scope, const char *name) {
    member_key key = {scope, map_get_str(s->names, name, SCOPES_NONE)};
    return key.name == SCOPES_NONE ? SCOPES_NONE : map_get(s->members, &key, sizeof key, SCOPES_NONE);
}
