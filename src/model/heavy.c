// SPDX-License-Identifier: Apache-2.0
// Values of heavy expressions: see heavy.h. The key is the expression, the tag and the values.
#include "model/heavy.h"

enum { KEY_MOST = 67, VALUES_OLD = 1 << 14, VALUES_MOST = 1 << 20, ABSENT = -INT32_MAX };

// Its size in bytes; 0: too many variables.
static size_t heavy_make_key(const heavy_values *h, const model *m, expr e, uint32_t tag, const value *env,
                             uint32_t *key) {
    const var_set of = expr_frees(m, e);
    if (of.n + 3 > KEY_MOST) return 0;
    key[0] = e.id;
    key[1] = tag;
    key[2] = h->when;
    for (uint32_t i = 0; i < of.n; i++) key[3 + i] = (uint32_t)env[of.vars[i].id];
    return (3 + of.n) * sizeof *key;
}

bool heavy_get(const heavy_values *h, const model *m, expr e, uint32_t tag, const value *env, value *is) {
    uint32_t key[KEY_MOST];
    size_t size = h->table ? heavy_make_key(h, m, e, tag, env, key) : 0;
    *is = size ? (value)map_get(h->table, key, size, (uint32_t)ABSENT) : ABSENT;
    return *is != ABSENT;
}

void heavy_put(heavy_values *h, const model *m, expr e, uint32_t tag, const value *env, value is) {
    uint32_t key[KEY_MOST];
    size_t size = heavy_make_key(h, m, e, tag, env, key);
    if (h->table && map_count(h->table) == VALUES_MOST) heavy_free(h);
    if (!h->table) h->table = map_new();
    if (size) map_put(h->table, key, size, (uint32_t)is);
}

void heavy_forget(heavy_values *h) {
    bool is_full = h->table && map_count(h->table) > VALUES_OLD;
    if (!++h->when || is_full) heavy_free(h);
}

void heavy_free(heavy_values *h) {
    map_free(h->table);
    h->table = NULL;
}
