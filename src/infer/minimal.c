// SPDX-License-Identifier: Apache-2.0
// Rounds by the number of literals, in each a search over sorted literals: see minimal.h.
//
// A part of a clause that fails fails too, so what holds is found before all that extends it, and the literals that
// would complete something that holds are ruled out: for each list of literals there is the set of those that hold
// together with it. Of clauses that differ in the names of variables only the least is extended: without its last
// literal it is the least of its kind again. The last literals are tried all at once: each row in which all others
// are false takes out those that are false in it, and few rows leave next to none.
#include "infer/minimal.h"
#include "infer/narrow.h"

#include "base/clock.h"

#include <string.h>

enum { QUICK_ROWS = 64 };  // looked at one by one, before a literal that is left is tried on all rows

// Literals are over columns: twice the column, plus one if negated. A set of them has the plain ones in its first half.
typedef struct {
    filter *f;
    const rows *r;
    const filter_options *o;
    uint32_t words;            // of a set
    uint64_t *usable, *equal;  // what clauses are made of; of these, what does not count
    VEC(uint16_t *) images;    // columns under each renaming of the schema's variables
    map *ends;                 // of sorted literals: which of `closing`
    VEC(uint64_t) closing;     // sets: what holds, or is trivial, together with them
    uint32_t depth;            // literals of this round's clauses
    clause_list *held;         // by first literal
    clause_list found;         // over columns
} minimal;

// One thread's.
typedef struct {
    const minimal *m;
    narrowing left;  // rows in which the literals so far are false
    clause c;        // these literals
    uint32_t counted;
    uint32_t nodes;  // since the clock was read
    bool is_late;
    uint64_t *may;   // by number of literals: the set of those that may follow
    uint64_t *open;  // of these, what may hold
    clause_list *to;
} minimal_walk;

// ---- sets of literals

static uint64_t *minimal_word(const minimal *m, uint64_t *set, uint32_t lit) {
    return &set[lit % 2 * (m->words / 2) + lit / 128];
}

static void minimal_put(const minimal *m, uint64_t *set, uint32_t lit) {
    *minimal_word(m, set, lit) |= UINT64_C(1) << (lit / 2 % 64);
}

static void minimal_remove(const minimal *m, uint64_t *set, uint32_t lit) {
    *minimal_word(m, set, lit) &= ~(UINT64_C(1) << (lit / 2 % 64));
}

static uint32_t minimal_count(const minimal *m, const uint64_t *a, const uint64_t *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->words; i++) n += (uint32_t)__builtin_popcountll(a[i] & b[i]);
    return n;
}

// The next literal of the set in word `*at` or later; UINT32_MAX: there is none. The set loses it.
static uint32_t minimal_pop(const minimal *m, uint64_t *set, uint32_t *at) {
    for (; *at < m->words; ++*at) {
        if (!set[*at]) continue;
        uint32_t bit = (uint32_t)__builtin_ctzll(set[*at]), half = m->words / 2;
        set[*at] &= set[*at] - 1;
        return ((*at % half) * 64 + bit) * 2 + *at / half;
    }
    return UINT32_MAX;
}

// ---- renamings

// The columns in another order; false if some atom has no image.
static bool minimal_image(const minimal *m, const uint8_t *to, uint16_t *image) {
    for (uint32_t i = 0; i < m->r->natoms; i++) {
        uint32_t a = atoms_image(m->r->p, m->r->atoms[i], to);
        if (a == ATOM_NONE || m->r->column_of[a] == ATOM_NONE) return false;
        image[i] = m->r->column_of[a];
    }
    return true;
}

static void minimal_add_image(minimal *m, const uint8_t *to) {
    uint16_t *image = mem_zero(m->r->natoms + 1, sizeof *image);
    if (minimal_image(m, to, image)) vec_push(&m->images, image);
    else free(image);
}

// Every order of the schema's variables from number i on, each sort for itself.
static void minimal_permute(minimal *m, uint8_t *to, uint32_t i, uint32_t taken) {
    const rows *r = m->r;
    if (i == r->nvars) {
        minimal_add_image(m, to);
        return;
    }
    for (uint32_t k = 0; k < r->nvars; k++) {
        if (taken >> k & 1 || r->vars[k] / POOL_PER_SORT != r->vars[i] / POOL_PER_SORT) continue;
        to[r->vars[i]] = r->vars[k];
        minimal_permute(m, to, i + 1, taken | UINT32_C(1) << k);
    }
}

static void minimal_rename(const clause *c, const uint16_t *image, clause *out) {
    out->n = c->n;
    for (uint32_t i = 0; i < c->n; i++) out->lits[i] = (uint16_t)(image[c->lits[i] / 2] * 2u + c->lits[i] % 2);
    clause_sort(out);
}

static int minimal_compare(const void *a, const void *b) {
    const clause *x = a, *y = b;
    for (uint32_t i = 0; i < x->n && i < y->n; i++)
        if (x->lits[i] != y->lits[i]) return x->lits[i] < y->lits[i] ? -1 : 1;
    return (int)x->n - (int)y->n;
}

static bool minimal_is_least(const minimal *m, const clause *c) {
    clause image;
    for (uint32_t i = 0; i < m->images.len; i++) {
        minimal_rename(c, m->images.data[i], &image);
        if (minimal_compare(&image, c) < 0) return false;
    }
    return true;
}

// ---- what is ruled out

static uint64_t *minimal_closing(minimal *m, const clause *c) {
    uint32_t n = m->closing.len / m->words;
    uint32_t which = map_intern(m->ends, c, clause_bytes(c), n);
    for (uint32_t i = 0; which == n && i < m->words; i++) vec_push(&m->closing, 0);
    return m->closing.data + (size_t)which * m->words;
}

static void minimal_rule_out_one(minimal *m, const clause *c) {
    if (c->n == 1) minimal_remove(m, m->usable, c->lits[0]);
    for (uint32_t k = 0; k < c->n && c->n > 1; k++) {
        clause rest = {0};
        for (uint32_t i = 0; i < c->n; i++)
            if (i != k) rest.lits[rest.n++] = c->lits[i];
        minimal_put(m, minimal_closing(m, &rest), c->lits[k]);
    }
}

// What extends the clause, whatever its variables are called.
static void minimal_rule_out(minimal *m, const clause *c) {
    for (uint32_t i = 0; i < m->images.len; i++) {
        clause image;
        minimal_rename(c, m->images.data[i], &image);
        minimal_rule_out_one(m, &image);
    }
}

// Over atoms of the pool, from columns.
static clause minimal_over_atoms(const minimal *m, const clause *c) {
    clause out = {.n = c->n};
    for (uint32_t i = 0; i < c->n; i++) out.lits[i] = (uint16_t)(m->r->atoms[c->lits[i] / 2] * 2u + c->lits[i] % 2);
    return out;
}

static bool minimal_is_trivial(const minimal *m, const clause *c) {
    clause over = minimal_over_atoms(m, c);
    return clause_is_trivial(m->f->p, &over);
}

static const shape *minimal_shape(const minimal *m, uint32_t lit) {
    return &m->f->p->shapes.data[m->f->p->atoms.data[m->r->atoms[lit / 2]].shape];
}

static void minimal_rule_out_trivial(minimal *m) {
    uint32_t n = m->r->natoms * 2;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = (a | 1) + 1; b < n && minimal_shape(m, a)->group != UINT32_MAX; b++) {
            clause c = {.n = 2, .lits = {(uint16_t)a, (uint16_t)b}};
            if (minimal_shape(m, a)->group == minimal_shape(m, b)->group && minimal_is_trivial(m, &c))
                minimal_rule_out_one(m, &c);
        }
}

// What other schemas gave.
static void minimal_rule_out_known(minimal *m) {
    for (uint32_t i = 0; i < m->f->all.len; i++) {
        const clause *known = &m->f->all.data[i].c;
        clause c = {.n = known->n};
        bool is_here = true;
        for (uint32_t k = 0; k < c.n && is_here; k++) {
            uint16_t column = m->r->column_of[known->lits[k] / 2];
            is_here = column != ATOM_NONE;
            c.lits[k] = (uint16_t)(column * 2u + known->lits[k] % 2);
        }
        if (is_here) minimal_rule_out(m, &c);
    }
}

static bool minimal_can_use(const minimal *m, uint32_t lit) {
    clause one = {.n = 1, .lits = {(uint16_t)lit}};
    const shape *s = minimal_shape(m, lit);
    return !(m->o->plain && (s->is_quantified || s->is_on_demand)) && !minimal_is_trivial(m, &one);
}

// ---- one literal more

static uint64_t *minimal_may(const minimal_walk *w) { return w->may + (size_t)w->c.n * w->m->words; }

static bool minimal_counts(const minimal_walk *w, uint32_t lit) {
    return !w->m->o->free_equality || !minimal_shape(w->m, lit)->is_equality;
}

// Literals of columns up to this one come before.
static void minimal_only_after(const minimal *m, uint64_t *set, uint32_t column) {
    uint32_t half = m->words / 2;
    for (uint32_t i = 0; i <= column / 64; i++) {
        uint64_t keep = i < column / 64 || column % 64 == 63 ? 0 : ~UINT64_C(0) << (column % 64 + 1);
        set[i] &= keep;
        set[half + i] &= keep;
    }
}

// What would make some image begin with less than the first literal.
static void minimal_only_larger(const minimal *m, uint64_t *set, uint32_t first) {
    for (uint32_t lit = first; lit < m->r->natoms * 2; lit++)
        for (uint32_t i = 0; i < m->images.len; i++)
            if (m->images.data[i][lit / 2] * 2u + lit % 2 < first) minimal_remove(m, set, lit);
}

// Those that hold together with the last literal and some of the others.
static void minimal_leave_out(const minimal *m, const clause *c, uint64_t *set) {
    for (uint32_t with = 0; with < UINT32_C(1) << (c->n - 1); with++) {
        clause part = {0};
        for (uint32_t i = 0; i < c->n; i++)
            if (i + 1 == c->n || with >> i & 1) part.lits[part.n++] = c->lits[i];
        uint32_t which = map_get(m->ends, &part, clause_bytes(&part), UINT32_MAX);
        if (which == UINT32_MAX) continue;
        const uint64_t *closing = m->closing.data + (size_t)which * m->words;
        for (uint32_t i = 0; i < m->words; i++) set[i] &= ~closing[i];
    }
}

// False if no clause of this round can be made of what may follow.
static bool minimal_follow(minimal_walk *w, uint32_t lit) {
    const minimal *m = w->m;
    uint64_t *now = minimal_may(w);
    memcpy(now, now - m->words, m->words * 8);
    minimal_only_after(m, now, lit / 2);
    if (w->c.n == 1) minimal_only_larger(m, now, lit);
    for (uint32_t i = 0; i < m->words && w->counted == m->o->literals; i++) now[i] &= m->equal[i];
    minimal_leave_out(m, &w->c, now);
    return m->depth <= w->c.n + (m->o->literals - w->counted) + minimal_count(m, now, m->equal);
}

static bool minimal_push(minimal_walk *w, uint32_t lit) {
    if (++w->nodes % 1024 == 0) w->is_late |= limits_met(&w->m->o->limits) != LIMIT_NONE;
    w->c.lits[w->c.n++] = (uint16_t)lit;
    w->counted += minimal_counts(w, lit);
    narrow_take(&w->left, lit);
    return !w->is_late && minimal_is_least(w->m, &w->c) && !minimal_is_trivial(w->m, &w->c) && minimal_follow(w, lit);
}

static void minimal_undo(minimal_walk *w) {
    w->counted -= minimal_counts(w, w->c.lits[--w->c.n]);
    narrow_back(&w->left);
}

// ---- the last literal

// Literals that are false in the row go.
static void minimal_take_row(const minimal *m, const uint64_t *row, uint64_t *set) {
    for (uint32_t i = 0; i < m->words / 2; i++) {
        set[i] &= row[i];
        set[m->words / 2 + i] &= ~row[i];
    }
}

static void minimal_hold(minimal_walk *w, uint32_t lit) {
    clause c = w->c;
    c.lits[c.n++] = (uint16_t)lit;
    clause over = minimal_over_atoms(w->m, &c);
    if (!clause_is_trivial(w->m->f->p, &over) && clause_is_canonical(w->m->f->p, &over)) vec_push(w->to, c);
}

static void minimal_end(minimal_walk *w) {
    const minimal *m = w->m;
    memcpy(w->open, minimal_may(w), m->words * 8);
    uint32_t row = narrow_next(&w->left, 0);
    for (uint32_t i = 0; i < QUICK_ROWS && row != UINT32_MAX && minimal_count(m, w->open, w->open); i++) {
        minimal_take_row(m, tuples_get(m->r->rows, row), w->open);
        row = narrow_next(&w->left, row + 1);
    }
    uint32_t at = 0;
    for (uint32_t lit; (lit = minimal_pop(m, w->open, &at)) != UINT32_MAX;)
        if (row == UINT32_MAX || !narrow_some_false(&w->left, lit)) minimal_hold(w, lit);
}

// ---- rounds

static void minimal_descend(minimal_walk *w) {
    if (w->c.n + 1u == w->m->depth) {
        minimal_end(w);
        return;
    }
    uint64_t *next = mem_alloc(w->m->words * 8);
    memcpy(next, minimal_may(w), w->m->words * 8);
    uint32_t at = 0;
    for (uint32_t lit; (lit = minimal_pop(w->m, next, &at)) != UINT32_MAX;) {
        if (minimal_push(w, lit)) minimal_descend(w);
        minimal_undo(w);
    }
    free(next);
}

static bool minimal_is_usable(const minimal *m, uint32_t lit) {
    return *minimal_word(m, m->usable, lit) >> (lit / 2 % 64) & 1;
}

typedef struct {
    minimal *m;
    minimal_walk *by_thread;
} minimal_work;

static void minimal_begin_with(void *context, uint32_t lit, uint32_t number) {
    minimal_work *work = context;
    minimal_walk *w = &work->by_thread[number];
    if (!w->left.r) narrow_start(&w->left, work->m->r);
    w->to = &work->m->held[lit];
    memcpy(w->may, work->m->usable, work->m->words * 8);
    if (work->m->depth == 1) minimal_end(w);
    else if (minimal_is_usable(work->m, lit)) {
        if (minimal_push(w, lit)) minimal_descend(w);
        minimal_undo(w);
    }
}

// What was found in this round.
static void minimal_join(minimal *m) {
    for (uint32_t i = 0; i < m->r->natoms * 2; i++) {
        clause_list *held = &m->held[i];
        for (uint32_t k = 0; k < held->len; k++) {
            vec_push(&m->found, held->data[k]);
            minimal_rule_out(m, &held->data[k]);
        }
        vec_clear(held);
    }
}

static void minimal_run(minimal *m, crew *helpers) {
    uint32_t threads = helpers ? crew_size(helpers) : 1, most = m->o->literals + minimal_count(m, m->equal, m->equal);
    minimal_work work = {m, mem_zero(threads, sizeof *work.by_thread)};
    for (uint32_t i = 0; i < threads; i++) {
        work.by_thread[i] = (minimal_walk){.m = m};
        work.by_thread[i].may = mem_zero((CLAUSE_MOST + 1) * (size_t)m->words, 8);
        work.by_thread[i].open = mem_zero(m->words, 8);
    }
    most = most < CLAUSE_MOST ? most : CLAUSE_MOST;
    for (m->depth = 1; m->depth <= most; m->depth++) {
        crew_each(helpers, m->depth == 1 ? 1 : m->r->natoms * 2, minimal_begin_with, &work);
        minimal_join(m);
    }
    for (uint32_t i = 0; i < threads; i++) {
        narrow_stop(&work.by_thread[i].left);
        free(work.by_thread[i].may);
        free(work.by_thread[i].open);
    }
    free(work.by_thread);
}

static void minimal_start(minimal *m) {
    uint8_t to[POOL_SORTS * POOL_PER_SORT] = {0};
    uint32_t n = m->r->natoms * 2;
    m->words = m->r->row_words * 2;
    m->usable = mem_zero(m->words, 8);
    m->equal = mem_zero(m->words, 8);
    m->ends = map_new();
    m->held = mem_zero(n + 1, sizeof *m->held);
    for (uint32_t lit = 0; lit < n; lit++) {
        if (minimal_can_use(m, lit)) minimal_put(m, m->usable, lit);
        if (m->o->free_equality && minimal_shape(m, lit)->is_equality) minimal_put(m, m->equal, lit);
    }
    for (uint32_t i = 0; i < m->words; i++) m->equal[i] &= m->usable[i];
    minimal_permute(m, to, 0, 0);
    minimal_rule_out_trivial(m);
    minimal_rule_out_known(m);
}

static void minimal_stop(minimal *m) {
    for (uint32_t i = 0; i < m->images.len; i++) free(m->images.data[i]);
    for (uint32_t i = 0; i < m->r->natoms * 2; i++) vec_free(&m->held[i]);
    vec_free(&m->images);
    vec_free(&m->closing);
    vec_free(&m->found);
    map_free(m->ends);
    free(m->held);
    free(m->usable);
    free(m->equal);
}

void minimal_add(filter *f, const rows *r, const filter_options *o) {
    double start = clock_seconds();
    minimal m = {.f = f, .r = r, .o = o};
    minimal_start(&m);
    minimal_run(&m, filter_helpers(f, r));
    if (m.found.len) qsort(m.found.data, m.found.len, sizeof *m.found.data, minimal_compare);
    for (uint32_t i = 0; i < m.found.len; i++) {
        clause c = minimal_over_atoms(&m, &m.found.data[i]);
        filter_take(f, &c);
    }
    minimal_stop(&m);
    f->seconds += clock_seconds() - start;
}
