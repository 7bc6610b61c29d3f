// SPDX-License-Identifier: Apache-2.0
// Layout of packed states; see layout.h.
//
// Cells are gathered into *runs* that stay side by side: a group of functions with the same first argument
// that fits into a word, or what belongs to one element, or one function's slice for one element, else a row,
// else a cell. Runs are then put into words first-fit, the longest first.
#include "space/layout.h"

#include "base/order.h"

#include <string.h>

typedef struct {
    uint32_t first, ncells, bits;  // its cells in `order`
} run;

typedef struct {
    layout *l;
    VEC(uint32_t) order;  // cells, run by run
    VEC(run) runs;
    VEC(uint32_t) used;    // bits by word
    uint32_t from[65];     // by bits: all words before are too full for this many
    uint32_t base;         // number of the first word
    bool scratch;          // locals of bodies, or the state
    order_groups by_type;  // functions of the system by their first argument
} placer;

static uint32_t layout_bits_for(uint64_t size) {
    uint32_t bits = 0;
    while ((UINT64_C(1) << bits) < size) bits++;
    return bits;
}

static uint32_t func_above(const instance *in, func f) {
    return func_of(in->m, f)->may_be_undefined || func_of(in->m, f)->is_scratch;
}

static uint32_t func_bits(const instance *in, func f) {
    return layout_bits_for((uint64_t)instance_type_size(in, func_of(in->m, f)->result) + func_above(in, f));
}

// ---- runs

static void run_begin(placer *p) { vec_push(&p->runs, (run){.first = p->order.len}); }

static void run_add(placer *p, uint32_t first, uint32_t n) {
    run *r = &vec_last(&p->runs);
    for (uint32_t c = first; c < first + n; c++) {
        vec_push(&p->order, c);
        r->ncells++;
        r->bits += p->l->cells[c].bits;
    }
}

// Cells first .. first+n-1 in the largest pieces that fit: all, else parts of `inner`, else single cells.
static void add_pieces(placer *p, uint32_t first, uint32_t n, uint32_t bits, uint32_t inner) {
    uint32_t step = (uint64_t)n * bits <= 64 ? n : (uint64_t)inner * bits <= 64 ? inner : 1;
    for (uint32_t c = first; c < first + n; c += step) {
        run_begin(p);
        run_add(p, c, step);
    }
}

static void add_large(placer *p, func f, uint32_t slices) {
    const instance *in = p->l->in;
    const func_info *info = func_of(in->m, f);
    uint32_t slice = instance_func_cells(in, f) / slices;
    uint32_t row = info->nargs ? instance_type_size(in, info->args[info->nargs - 1]) : 1;
    for (uint32_t e = 0; e < slices; e++) add_pieces(p, in->first_cell[f.id] + e * slice, slice, func_bits(in, f), row);
}

static void layout_add_group(placer *p, const func *funcs, uint32_t n, uint32_t slices) {
    const instance *in = p->l->in;
    if (!n) return;
    run_begin(p);
    for (uint32_t e = 0; e < slices; e++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t slice = instance_func_cells(in, funcs[i]) / slices;
            run_add(p, in->first_cell[funcs[i].id] + e * slice, slice);
        }
}

// One row f(·): side by side, not spread over the elements.
static bool is_single_row(const instance *in, func f) { return func_of(in->m, f)->nargs == 1 && func_bits(in, f) == 1; }

// Functions whose first argument is of type t (id 0: those without arguments): single rows or the others.
// By their first argument, in their order.
static order_groups sort_functions(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    uint32_t *first_type = mem_zero(s->funcs.len + 1, sizeof *first_type);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(in->m, s->funcs.data[i]);
        first_type[i] = f->nargs ? f->args[0].id : 0;
    }
    order_groups g = order_group(first_type, sizeof *first_type, 0, s->funcs.len, in->m->types.len);
    free(first_type);
    return g;
}

static void find_functions(const placer *p, type t, bool rows, func_list *out) {
    for (uint32_t i = p->by_type.first[t.id]; i < p->by_type.first[t.id + 1]; i++) {
        func f = sys_of(p->l->in->m, p->l->in->system)->funcs.data[p->by_type.at[i]];
        if (func_of(p->l->in->m, f)->is_scratch != p->scratch) continue;
        if (is_single_row(p->l->in, f) == rows) vec_push(out, f);
    }
}

// Groups that fit into a word each, element by element inside.
static void add_groups(placer *p, const func_list *funcs, uint32_t slices) {
    const instance *in = p->l->in;
    uint32_t first = 0;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < funcs->len; i++) {
        uint64_t own = (uint64_t)instance_func_cells(in, funcs->data[i]) * func_bits(in, funcs->data[i]);
        if (bits + own > 64) {
            layout_add_group(p, funcs->data + first, i - first, slices);
            first = i;
            bits = 0;
        }
        bits += own;
        if (own <= 64) continue;
        add_large(p, funcs->data[i], slices);
        first = i + 1;
        bits = 0;
    }
    layout_add_group(p, funcs->data + first, funcs->len - first, slices);
}

// All that belongs to one element side by side, each element on its own.
static void add_blocks(placer *p, const func_list *funcs, uint32_t slices) {
    const instance *in = p->l->in;
    for (uint32_t e = 0; e < slices; e++) {
        run_begin(p);
        for (uint32_t i = 0; i < funcs->len; i++) {
            func f = funcs->data[i];
            uint32_t slice = instance_func_cells(in, f) / slices, bits = slice * func_bits(in, f);
            if (vec_last(&p->runs).bits + bits > 64 && vec_last(&p->runs).ncells) run_begin(p);
            if (bits <= 64) run_add(p, in->first_cell[f.id] + e * slice, slice);
            else if (e == 0) add_large(p, f, slices), run_begin(p);
        }
    }
}

static void add_slices(placer *p, const func_list *funcs, uint32_t slices) {
    for (uint32_t i = 0; i < funcs->len; i++) add_large(p, funcs->data[i], slices);
}

typedef void (*arrangement)(placer *p, const func_list *funcs, uint32_t slices);

static void add_functions(placer *p, type t, bool rows, arrangement arrange) {
    func_list funcs = {0};
    find_functions(p, t, rows, &funcs);
    if (funcs.len) arrange(p, &funcs, t.id && !rows ? instance_type_size(p->l->in, t) : 1);
    vec_free(&funcs);
}

// ---- words

static int longer_first(const void *x, const void *y) {
    const run *a = x, *b = y;
    if (a->bits != b->bits) return a->bits < b->bits ? 1 : -1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// The first with room. Words only become fuller, so a search for so many bits goes on where the last one ended.
static uint32_t find_word(placer *p, uint32_t bits) {
    uint32_t w = p->from[bits];
    while (w < p->used.len && p->used.data[w] + bits > 64) w++;
    if (w == p->used.len) vec_push(&p->used, 0);
    return p->from[bits] = w;
}

static void place_run(placer *p, const run *r) {
    uint32_t w = find_word(p, r->bits);
    for (uint32_t i = 0; i < r->ncells; i++) {
        layout_cell *c = &p->l->cells[p->order.data[r->first + i]];
        if (!c->bits) continue;
        c->word = p->base + w;
        c->shift = (uint8_t)p->used.data[w];
        p->used.data[w] += c->bits;
    }
    if (!p->scratch) p->l->bits += r->bits;
}

static void describe_cells(layout *l) {
    const instance *in = l->in;
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        func f = s->funcs.data[i];
        uint32_t first = in->first_cell[f.id], n = instance_func_cells(in, f);
        for (uint32_t c = first; c < first + n; c++) {
            l->cells[c].bits = (uint8_t)func_bits(in, f);
            l->cells[c].above = (uint8_t)func_above(in, f);
            l->cells[c].first = instance_type_first(in, func_of(in->m, f)->result);
        }
    }
}

// Places all cells of the state or all locals from word `base` on; returns the number of words.
static uint32_t arrange_cells(layout *l, arrangement arrange, uint32_t base, bool scratch) {
    placer p = {.l = l, .base = base, .scratch = scratch, .by_type = sort_functions(l->in)};
    if (!scratch) l->bits = 0;
    for (uint32_t t = 0; t < l->in->m->types.len; t++) {
        add_functions(&p, (type){t}, false, arrange);
        add_functions(&p, (type){t}, true, arrange == add_blocks ? add_slices : arrange);
    }
    if (p.runs.len) qsort(p.runs.data, p.runs.len, sizeof *p.runs.data, longer_first);
    for (uint32_t i = 0; i < p.runs.len; i++) place_run(&p, &p.runs.data[i]);
    uint32_t words = p.used.len;
    order_groups_free(&p.by_type);
    vec_free(&p.order);
    vec_free(&p.runs);
    vec_free(&p.used);
    return words;
}

// One word per cell, the state's first.
static void arrange_plainly(layout *l) {
    const instance *in = l->in;
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t scratch = 0; scratch < 2; scratch++) {
        uint32_t n = 0, base = scratch ? l->words : 0;
        for (uint32_t i = 0; i < s->funcs.len; i++) {
            func f = s->funcs.data[i];
            if (func_of(in->m, f)->is_scratch != scratch) continue;
            uint32_t first = in->first_cell[f.id], cells = instance_func_cells(in, f);
            for (uint32_t c = first; c < first + cells; c++) l->cells[c].word = base + n++;
            l->bits += scratch ? 0 : cells * func_bits(in, f);
        }
        if (scratch) l->scratch_words = n;
        else l->words = n ? n : 1;
    }
}

layout *layout_new(const instance *in, bool is_plain) {
    static const arrangement arrangements[] = {add_groups, add_blocks, add_slices};
    layout *l = mem_zero(1, sizeof *l);
    l->in = in;
    l->cells = mem_zero(in->ncells + 1, sizeof *l->cells);
    describe_cells(l);
    if (is_plain) {
        arrange_plainly(l);
        return l;
    }
    uint32_t best = 0, fewest = arrange_cells(l, arrangements[0], 0, false);
    for (uint32_t i = 1; i < 3 && fewest > (l->bits + 63) / 64; i++) {
        uint32_t words = arrange_cells(l, arrangements[i], 0, false);
        if (words < fewest) best = i, fewest = words;
    }
    arrange_cells(l, arrangements[best], 0, false);
    l->words = fewest ? fewest : 1;
    l->scratch_words = arrange_cells(l, add_slices, l->words, true);
    return l;
}

void layout_free(layout *l) {
    if (!l) return;
    free(l->cells);
    free(l);
}

void layout_pack(const layout *l, const value *cells, uint64_t *state) {
    memset(state, 0, l->words * sizeof *state);
    for (uint32_t c = 0; c < l->in->ncells; c++) {
        const layout_cell *p = &l->cells[c];
        if (p->word >= l->words || (p->above && cells[c] == VALUE_UNDEFINED)) continue;
        uint64_t bits = (uint64_t)((int64_t)cells[c] - p->first + p->above);
        state[p->word] |= (bits & layout_mask(p->bits)) << p->shift;
    }
}

void layout_unpack(const layout *l, const uint64_t *state, value *cells) {
    for (uint32_t c = 0; c < l->in->ncells; c++) {
        const layout_cell *p = &l->cells[c];
        uint64_t bits = p->word < l->words ? state[p->word] >> p->shift & layout_mask(p->bits) : 0;
        bool undefined = p->above && !bits;
        cells[c] = undefined ? VALUE_UNDEFINED : (value)((int64_t)bits - p->above + p->first);
    }
}

uint32_t layout_stride(const layout *l, uint32_t first, uint32_t n) {
    const layout_cell *p = &l->cells[first];
    uint32_t stride = n > 1 && p[1].shift > p->shift ? p[1].shift - (uint32_t)p->shift : p->bits;
    for (uint32_t i = 1; i < n; i++)
        if (p[i].word != p->word || p[i].shift != p->shift + i * stride) return 0;
    return stride;
}

bool layout_is_row(const layout *l, uint32_t first, uint32_t n) {
    const layout_cell *p = &l->cells[first];
    return !p->bits || layout_stride(l, first, n) == p->bits;
}
