// SPDX-License-Identifier: Apache-2.0
// See overlay.h. Tables are copied, what their entries point to (names, arguments, bodies) is shared: a copy costs
// about a hundred bytes per expression. Lists that a system owns are copied too: what is added to a system is added
// to them.
#include "model/overlay.h"

#include <string.h>

#define COPY_LIST(list)                                                        \
    do {                                                                       \
        const void *shared = (list).data;                                      \
        uint32_t length = (list).len;                                          \
        (list).data = NULL;                                                    \
        (list).len = (list).cap = 0;                                           \
        vec_reserve(&(list), length);                                          \
        if (length) memcpy((list).data, shared, length * sizeof *(list).data); \
        (list).len = length;                                                   \
    } while (0);
#define COPY_TIMED_LIST(list)  COPY_LIST(t->list)
#define COPY_SYSTEM_LIST(list) COPY_LIST(s->list)
#define COPY_TABLE(table)      COPY_LIST(m->table)
#define COPY_MAP(map)          m->map = map_copy(m->map);

static timed_info *copy_timed(model *m, const timed_info *from) {
    timed_info *t = arena_copy(m->memory, from, sizeof *t);
    MODEL_TIMED_LISTS(COPY_TIMED_LIST)
    return t;
}

static void copy_system(model *m, sys_info *s) {
    MODEL_SYSTEM_LISTS(COPY_SYSTEM_LIST)
    if (s->timed) s->timed = copy_timed(m, s->timed);
}

model *overlay_new(const model *below) {
    model *m = mem_alloc(sizeof *m);
    *m = *below;
    m->memory = arena_new();
    MODEL_MAPS(COPY_MAP)
    memset(&m->expectations, 0, sizeof m->expectations);
    MODEL_TABLES(COPY_TABLE)
    for (uint32_t i = 0; i < m->systems.len; i++) copy_system(m, &m->systems.data[i]);
    return m;
}

model *overlay_with_any_size(const model *below, type sort) {
    model *m = overlay_new(below);
    overlay_set_size(m, sort, 0);
    return m;
}

void overlay_set_size(model *m, type sort, uint32_t size) { m->types.data[sort.id].fixed_size = size; }
