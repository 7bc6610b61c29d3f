// SPDX-License-Identifier: Apache-2.0
// Writing claims about zones: see zones.h. A value of a cell is its distance from the least one of its type, plus one
// (0: undefined). A bound is 0 for none, else 1 + its number folded to one without a sign.
#include "certificate/zones_int.h"

#include <string.h>

void zones_write_claim(certfile_writer *w, const zones_claim *c) {
    json_t *queries = json_array();
    for (uint32_t i = 0; i < c->nqueries; i++) {
        json_t *q = json_pack("{s:o}", "query", certfile_text(c->queries[i].query));
        if (c->queries[i].is_ranked) json_object_set_new(q, "ranked_states", json_integer(c->queries[i].states));
        const zones_extreme *e = &c->queries[i].extreme;
        if (c->queries[i].is_measured)
            json_object_set_new(q, "extreme", e->is_there ? json_integer((json_int_t)e->number) : json_null());
        if (c->queries[i].is_measured && e->is_there) json_object_set_new(q, "strict", json_boolean(e->is_strict));
        json_array_append_new(queries, q);
    }
    certfile_claim(w, json_pack("{s:s, s:I, s:I, s:I, s:i, s:o}", "kind", "zones", "clocks", (json_int_t)c->clocks,
                                "swaps", (json_int_t)c->swaps, "states", (json_int_t)c->states, "counts_idle",
                                c->counts_idle, "queries", queries));
}

static void zones_file_put_value(certfile_writer *w, const zones_cell *k, value v) {
    certfile_put_number(w, v == VALUE_UNDEFINED ? 0 : (uint64_t)((int64_t)v - k->first) + 1);
}

void zones_write_swap(certfile_writer *w, const instance *in, uint32_t clocks, const uint32_t *cell_to, const value *a,
                      const value *b, const uint32_t *clock_to) {
    zones_cell *k = zones_cells(in);
    for (uint32_t i = 0; i < in->ncells; i++) {
        if (k[i].is_local) continue;
        certfile_put_number(w, cell_to[i]);
        zones_file_put_value(w, &k[i], a[i]);
        zones_file_put_value(w, &k[i], b[i]);
    }
    for (uint32_t i = 0; i < clocks; i++) certfile_put_number(w, clock_to[i]);
    free(k);
}

void zones_write_state(certfile_writer *w, const instance *in, const value *cells, uint32_t nzones) {
    zones_cell *k = zones_cells(in);
    for (uint32_t i = 0; i < in->ncells; i++)
        if (!k[i].is_local) zones_file_put_value(w, &k[i], cells[i]);
    certfile_put_number(w, nzones);
    free(k);
}

void zones_write_zone(certfile_writer *w, uint32_t clocks, const int32_t *d) {
    for (uint32_t i = 0; i < clocks * clocks; i++) {
        int64_t b = d[i];
        certfile_put_number(w, d[i] == PLAIN_NONE ? 0 : 1 + (uint64_t)(b < 0 ? -2 * b - 1 : 2 * b));
    }
}

// ---- cells, for reading and writing

zones_cell *zones_cells(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    zones_cell *k = mem_zero(in->ncells + 1, sizeof *k);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(in->m, s->funcs.data[i]);
        uint32_t begin = in->first_cell[s->funcs.data[i].id], count = instance_func_cells(in, s->funcs.data[i]);
        zones_cell one = {instance_type_first(in, f->result), instance_type_size(in, f->result), f->is_scratch};
        for (uint32_t c = begin; c < begin + count; c++) k[c] = one;
    }
    return k;
}

bool zones_read_value(certfile *file, const zones_cell *k, value *out) {
    uint64_t code;
    if (!certfile_get_number(file, k->size, &code)) return false;
    *out = code ? (value)(k->first + (int64_t)code - 1) : VALUE_UNDEFINED;
    return true;
}

bool zones_read_zone(certfile *file, uint32_t clocks, int32_t *d) {
    for (uint32_t i = 0; i < clocks * clocks; i++) {
        uint64_t code;
        if (!certfile_get_number(file, UINT64_C(4) * PLAIN_LARGEST, &code)) return false;
        uint64_t folded = code - 1;
        if (!code) d[i] = PLAIN_NONE;
        else d[i] = folded & 1 ? -(int32_t)((folded + 1) / 2) : (int32_t)(folded / 2);
    }
    return true;
}
