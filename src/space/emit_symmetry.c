// SPDX-License-Identifier: Apache-2.0
// The walk through a small group as straight-line C: `void parvis_canonical(word *state)`.
//
// It does what canonical.c does for such groups, with the state in local variables and all swaps of one
// exchange computed side by side. Larger groups and long states are left to canonical.c.
#include "space/symmetry_int.h"

enum { MOST_WORDS = 8, MOST_SWAPS = 2000 };

#define HEX "0x%llxull"

static void put_differences(const symmetry *y, const exchange_list *list, str *out) {
    for (uint32_t i = 0; i < list->n; i++) {
        const exchange *x = &y->exchanges.data[list->first + i];
        str_printf(out, "        const word d%u = (c%u ^ c%u >> %u) & " HEX ";\n", i, x->a, x->b, x->shift,
                   (unsigned long long)x->mask);
    }
}

static void put_swaps(const symmetry *y, const exchange_list *list, str *out) {
    for (uint32_t w = 0; w < y->words; w++) {
        bool any = false;
        for (uint32_t i = 0; i < list->n; i++) {
            const exchange *x = &y->exchanges.data[list->first + i];
            if (x->a != w && x->b != w) continue;
            if (!any) str_printf(out, "        c%u ^= 0", w);
            any = true;
            if (x->a == w) str_printf(out, " ^ d%u", i);
            if (x->b == w) str_printf(out, " ^ d%u << %u", i, x->shift);
        }
        if (any) str_add(out, ";\n");
    }
}

static void put_equal(const value_fields *f, uint32_t v, str *out) {
    unsigned long long highest = f->lowest << (f->bits - 1), below = highest - f->lowest, all = v * f->lowest;
    str_printf(out, "~(((c%u ^ " HEX ") & " HEX ") + " HEX " | c%u ^ " HEX ") & " HEX, f->word, all, below,
               below, f->word, all, highest);
}

// As rename_values() of canonical.c.
static void put_renaming(const sorted *s, uint32_t a, uint32_t b, str *out) {
    for (uint32_t i = 0; i < s->valued.len; i++) {
        const value_fields *f = &s->valued.data[i];
        str_printf(out, "        c%u ^= ((", f->word);
        put_equal(f, f->offset + a, out);
        str_add(out, " | ");
        put_equal(f, f->offset + b, out);
        str_printf(out, ") >> %u) * %u;\n", f->bits - 1, (f->offset + a) ^ (f->offset + b));
    }
}

// less: the words c are before the words b, the first one counting most.
static void put_least(const symmetry *y, str *out) {
    str_printf(out, "        const word less = ");
    for (uint32_t w = 0; w + 1 < y->words; w++) str_printf(out, "c%u < b%u | c%u == b%u & (", w, w, w, w);
    str_printf(out, "c%u < b%u", y->words - 1, y->words - 1);
    str_pad(out, ')', y->words - 1);
    str_add(out, ";\n");
    for (uint32_t w = 0; w < y->words; w++) str_printf(out, "        b%u = less ? c%u : b%u;\n", w, w, w);
}

static void put_step(const symmetry *y, uint32_t step, str *out) {
    const sorted *s = &y->sorts.data[step >> 24];
    uint32_t a = step >> 12 & 0xfff, b = step & 0xfff;
    const exchange_list *list = a < b ? symmetry_pair(y, s, a, b) : symmetry_pair(y, s, b, a);
    str_add(out, "    {\n");
    put_differences(y, list, out);
    put_swaps(y, list, out);
    put_renaming(s, a, b, out);
    put_least(y, out);
    str_add(out, "    }\n");
}

static bool is_small(const symmetry *y) {
    if (!y->walk_step.len || y->words > MOST_WORDS) return false;
    uint64_t swaps = 0;
    for (uint32_t i = 0; i < y->pairs.len; i++) swaps += y->pairs.data[i].n;
    for (uint32_t i = 0; i < y->sorts.len; i++) swaps += y->sorts.data[i].valued.len;
    return swaps * y->walk_step.len <= MOST_SWAPS;
}

void symmetry_emit_c(const symmetry *y, str *out) {
    if (!is_small(y)) return;
    str_add(out, "\nvoid parvis_canonical(word *s);\nvoid parvis_canonical(word *s) {\n");
    for (uint32_t w = 0; w < y->words; w++) str_printf(out, "    word c%u = s[%u], b%u = c%u;\n", w, w, w, w);
    for (uint32_t i = 0; i < y->walk_step.len; i++) put_step(y, y->walk_step.data[i], out);
    for (uint32_t w = 0; w < y->words; w++) str_printf(out, "    s[%u] = b%u;\n", w, w);
    str_add(out, "}\n");
}
