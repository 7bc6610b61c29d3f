// SPDX-License-Identifier: Apache-2.0
// Clauses with sets of phases: see related.h.
#include "infer/related.h"

#include "model/expr.h"

#include <string.h>

enum { RELATED_CHANCE = 5000, RELATED_ENOUGH = 20 };    // of so many rows, more than one; more than this are enough
enum { RELATED_EXTENDED = 3, RELATED_MOST = 200000 };   // literals of what takes the place of another; all candidates
enum { RELATED_RELATIONS = 72, RELATED_ROWS = 40000 };  // of a schema, for rests of four
enum { RELATED_ASKED = 8 };  // times that two literals are false is asked for, before it is remembered
enum { RELATED_CROWDED = 400, RELATED_LITERALS = 800 };  // of a schema; with more of them, not all are tried together

static void pairs_add(phase_pairs *p, uint32_t i) { p->w[i / 64] |= UINT64_C(1) << (i % 64); }
static bool pairs_has(const phase_pairs *p, uint32_t i) { return p->w[i / 64] >> (i % 64) & 1; }
static bool pairs_same(const phase_pairs *a, const phase_pairs *b) { return !memcmp(a, b, sizeof *a); }

static uint32_t pairs_count(const phase_pairs *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < PAIR_WORDS; i++) n += (uint32_t)__builtin_popcountll(p->w[i]);
    return n;
}

static phase_pairs pairs_both(const phase_pairs *a, const phase_pairs *b) {
    phase_pairs both;
    for (uint32_t i = 0; i < PAIR_WORDS; i++) both.w[i] = a->w[i] & b->w[i];
    return both;
}

// ---- phases

static bool is_phase(const prover *x, const shape *s, uint32_t number) {
    const expr_info *e = expr_of(x->m, s->body);
    if (s->group != number || s->group_size > RELATED_PHASES || s->nformals != 1 || e->kind != E_EQ) return false;
    return expr_kind_of(x->m, e->args[0]) == E_APP && expr_kind_of(x->m, e->args[1]) == E_CONST;
}

static void related_find_phases(related_set *w) {
    const atom_pool *p = w->x->pool;
    w->sort = UINT32_MAX;
    for (uint32_t i = 0; i < p->shapes.len; i++) {
        const shape *s = &p->shapes.data[i];
        if (!is_phase(w->x, s, i) || s->group_size <= w->nphases) continue;
        w->sort = s->sorts[0];
        w->first = i;
        w->nphases = s->group_size;
    }
}

static const rows *related_rows(const related_set *w, uint32_t schema) { return w->x->schemas.data[schema]; }

static uint32_t related_threads(const related_set *w, const rows *r) {
    return w->sort == UINT32_MAX ? 0 : r->counts[w->sort];
}

// The atom phase(t) = a for thread number `thread`.
static uint32_t phase_atom(const related_set *w, uint32_t thread, uint32_t a) {
    return w->x->pool->shapes.data[w->first + a].table[thread % POOL_PER_SORT];
}

// ---- the clause of a candidate

// phase(t) in the set, as literals; false if the set is everything or the clause becomes too long.
static bool add_phases(const related_set *w, clause *c, uint32_t thread, uint32_t set) {
    uint32_t n = (uint32_t)__builtin_popcount(set);
    if (n == w->nphases) return false;
    if (n + 1 == w->nphases) {
        if (c->n == CLAUSE_MOST) return false;
        uint32_t other = (uint32_t)__builtin_ctz(~set);
        c->lits[c->n++] = (uint16_t)(phase_atom(w, thread, other) * 2 + 1);
        return true;
    }
    if (c->n + n > CLAUSE_MOST) return false;
    for (uint32_t a = 0; a < w->nphases; a++)
        if (set >> a & 1) c->lits[c->n++] = (uint16_t)(phase_atom(w, thread, a) * 2);
    return true;
}

// The phases of the second thread that may not be bad beside one of the first.
static uint32_t phases_beside(const related_set *w, const phase_pairs *bad, uint32_t first) {
    uint32_t found = 0;
    for (uint32_t b = 0; b < w->nphases; b++)
        if (!pairs_has(bad, first + b * w->nphases)) found |= UINT32_C(1) << b;
    return found;
}

// A rectangle of good pairs: the columns that two rows share, and all rows that have them.
typedef struct {
    uint32_t lines, columns;
} phase_rectangle;

static phase_rectangle rectangle_of(const related_set *w, const phase_pairs *bad, const uint8_t row[2]) {
    phase_rectangle r = {.columns = phases_beside(w, bad, row[0]) & phases_beside(w, bad, row[1])};
    for (uint32_t a = 0; a < w->nphases; a++)
        if ((phases_beside(w, bad, a) & r.columns) == r.columns) r.lines |= UINT32_C(1) << a;
    return r;
}

bool related_clause(const related_set *w, const related *c, clause *out) {
    uint32_t threads = related_threads(w, related_rows(w, c->schema)), set[2] = {0};
    uint32_t all = (UINT32_C(1) << w->nphases) - 1;
    *out = c->rest;
    if (!threads) return out->n && !c->bad.w[0];
    if (threads == 1) set[0] = (uint32_t)c->bad.w[0];
    if (threads == 2) {
        phase_rectangle r = rectangle_of(w, &c->bad, c->row);
        if (!r.columns) return false;
        set[0] = all & ~r.lines;
        set[1] = all & ~r.columns;
    }
    for (uint32_t t = 0; t < threads; t++)
        if (!add_phases(w, out, w->sort * POOL_PER_SORT + t, set[t])) return false;
    clause_sort(out);
    return out->n > 0;
}

// ---- candidates that the samples allow

// The rows of a schema whose variables of one sort are different elements, sorted by phases: those of one group begin
// with a word of their own, so that the phases in which some literals are all false are found in one pass.
//
// Of three literals, many have the first two in common: the words in which these are false are found once, where they
// are asked for often, and are few.
typedef struct {
    uint64_t rows;
    uint32_t word, group;
} rests_left;

typedef struct rests_kind {
    uint32_t vars;
    bool is_premise, is_conclusion, is_relation, is_value;
    bool is_alone;  // quantified, with variables
} rests_kind;

typedef struct {
    related_set *w;
    uint32_t schema;
    const rows *r;
    uint32_t threads;  // mask of their variables
    uint32_t pair;     // of the two variables of one sort; 0: there are none
    uint32_t ngroups, nwords;
    uint32_t *begin;       // by group: its first word; one more at the end
    uint32_t *count;       // by group: how many rows
    uint64_t *some;        // rows that there are
    uint64_t *columns;     // by atom
    clause distinct;       // x = y for the variables of one sort
    VEC(uint32_t) lits;    // over columns
    phase_pairs *one;      // by number of literal: where it may be false
    phase_pairs *two;      // and by two of them
    VEC(rests_left) left;  // where the two literals looked at now are false
    rests_kind *kinds;     // of literals
    bool is_crowded;       // there are many of them
} rests;

static uint32_t equality_atom(const rows *r, uint32_t sort) {
    for (uint32_t i = 0; i < r->natoms; i++) {
        const shape *s = &r->p->shapes.data[r->p->atoms.data[r->atoms[i]].shape];
        if (s->is_equality && s->sorts[0] == sort) return r->atoms[i];
    }
    return ATOM_NONE;
}

static void rests_find_distinct(rests *e) {
    for (uint32_t s = 0; s < e->r->p->sorts.len; s++) {
        uint32_t same = e->r->counts[s] > 1 ? equality_atom(e->r, s) : ATOM_NONE;
        if (same != ATOM_NONE) e->distinct.lits[e->distinct.n++] = (uint16_t)(same * 2);
    }
}

static bool row_has(const rows *r, uint32_t number, uint32_t row) {
    return rows_column(r, r->column_of[number])[row / 64] >> (row % 64) & 1;
}

// UINT32_MAX: two variables are the same element.
static uint32_t row_group(const rests *e, uint32_t row) {
    const related_set *w = e->w;
    uint32_t group = 0;
    for (uint32_t i = 0; i < e->distinct.n; i++)
        if (row_has(e->r, e->distinct.lits[i] / 2, row)) return UINT32_MAX;
    for (uint32_t t = 0; t < related_threads(w, e->r); t++)
        for (uint32_t a = 0; a < w->nphases; a++)
            if (row_has(e->r, phase_atom(w, w->sort * POOL_PER_SORT + t, a), row)) group += t ? a * w->nphases : a;
    return group;
}

static void rests_set(uint64_t *words, uint32_t bit) { words[bit / 64] |= UINT64_C(1) << (bit % 64); }

// Where each row goes: a bit number, or UINT32_MAX.
static uint32_t *rests_places(rests *e) {
    const rows *r = e->r;
    uint32_t *place = mem_alloc((r->nrows + 1) * sizeof *place), *count = mem_zero(e->ngroups + 1, sizeof *count);
    for (uint32_t i = 0; i < r->nrows; i++) {
        place[i] = row_group(e, i);
        if (place[i] != UINT32_MAX) count[place[i]]++;
    }
    e->begin = mem_zero(e->ngroups + 1, sizeof *e->begin);
    for (uint32_t g = 0; g < e->ngroups; g++) e->begin[g + 1] = e->begin[g] + (count[g] + 63) / 64;
    memset(count, 0, e->ngroups * sizeof *count);
    for (uint32_t i = 0; i < r->nrows; i++)
        if (place[i] != UINT32_MAX) place[i] = e->begin[place[i]] * 64 + count[place[i]]++;
    e->count = count;
    return place;
}

static void rests_sort_rows(rests *e) {
    const rows *r = e->r;
    uint32_t *place = rests_places(e);
    e->nwords = e->begin[e->ngroups];
    e->some = mem_zero(e->nwords + 1, 8);
    e->columns = mem_zero((size_t)e->nwords * r->natoms + 1, 8);
    for (uint32_t i = 0; i < r->nrows; i++)
        if (place[i] != UINT32_MAX) rests_set(e->some, place[i]);
    for (uint32_t a = 0; a < r->natoms; a++)
        for (uint32_t word = 0; word * 64 < r->nrows; word++)
            for (uint64_t left = rows_column(r, a)[word]; left; left &= left - 1) {
                uint32_t to = place[word * 64 + (uint32_t)__builtin_ctzll(left)];
                if (to != UINT32_MAX) rests_set(e->columns + (size_t)a * e->nwords, to);
            }
    free(place);
}

static uint64_t rests_false(const rests *e, uint32_t lit, uint32_t word) {
    uint64_t column = e->columns[(size_t)(lit / 2) * e->nwords + word];
    return lit % 2 ? column : ~column;
}

static bool group_has(const rests *e, uint32_t group, const uint32_t *lits, uint32_t n) {
    for (uint32_t word = e->begin[group]; word < e->begin[group + 1]; word++) {
        uint64_t left = e->some[word];
        for (uint32_t i = 0; i < n && left; i++) left &= rests_false(e, lits[i], word);
        if (left) return true;
    }
    return false;
}

// Of these phases, those in which all literals may be false.
static phase_pairs rests_phases(const rests *e, const phase_pairs *within, const uint32_t *lits, uint32_t n) {
    phase_pairs found = {0};
    for (uint32_t k = 0; k < PAIR_WORDS; k++)
        for (uint64_t left = within->w[k]; left; left &= left - 1) {
            uint32_t group = k * 64 + (uint32_t)__builtin_ctzll(left);
            if (group_has(e, group, lits, n)) pairs_add(&found, group);
        }
    return found;
}

static const shape *rests_shape(const rests *e, uint32_t lit) {
    return &e->r->p->shapes.data[e->r->p->atoms.data[e->r->atoms[lit / 2]].shape];
}

static bool is_phase_literal(const rests *e, uint32_t lit) {
    uint32_t s = e->r->p->atoms.data[e->r->atoms[lit / 2]].shape;
    return e->w->sort != UINT32_MAX && s >= e->w->first && s < e->w->first + e->w->nphases;
}

static bool is_premise(const rests *e, uint32_t lit) {
    const shape *s = rests_shape(e, lit);
    return !s->is_value && (s->in_long >> (lit % 2) & 1);
}

static bool is_conclusion(const rests *e, uint32_t lit) {
    const shape *s = rests_shape(e, lit);
    return s->is_value ? s->in_long >> (lit % 2) & 1 : s->in_last >> (lit % 2) & 1;
}

static uint32_t rests_vars(const rests *e, uint32_t lit) { return e->r->p->atoms.data[e->r->atoms[lit / 2]].vars; }

static bool is_of_variables(const model *m, expr body) {
    return expr_kind_of(m, expr_arg(m, body, 0)) == E_VAR && expr_kind_of(m, expr_arg(m, body, 1)) == E_VAR;
}

// A relation, or as a premise that a term is the element that a variable stands for, or that one is less than another.
static bool is_relation(const rests *e, uint32_t lit) {
    const model *m = e->r->p->m;
    expr body = rests_shape(e, lit)->body;
    if (expr_kind_of(m, body) == E_LT) return lit % 2 && is_of_variables(m, body);
    if (expr_kind_of(m, body) != E_EQ || lit % 2 == 0) return expr_kind_of(m, body) == E_APP;
    return is_premise(e, lit) &&
           (expr_kind_of(m, expr_arg(m, body, 0)) == E_VAR) != (expr_kind_of(m, expr_arg(m, body, 1)) == E_VAR);
}

static void rests_find_kinds(rests *e) {
    bool is_known = e->w->kinds[e->schema] != NULL;
    if (!is_known) e->w->kinds[e->schema] = mem_zero(e->r->natoms * 2 + 1, sizeof *e->kinds);
    e->kinds = e->w->kinds[e->schema];
    if (is_known) return;
    for (uint32_t lit = 0; lit < e->r->natoms * 2; lit++) {
        rests_kind *k = &e->kinds[lit];
        *k = (rests_kind){.vars = rests_vars(e, lit), .is_premise = is_premise(e, lit)};
        k->is_conclusion = is_conclusion(e, lit);
        k->is_relation = is_relation(e, lit);
        k->is_value = rests_shape(e, lit)->is_value;
        k->is_alone = rests_shape(e, lit)->is_quantified && k->vars;
    }
}

// Of two variables of a sort and of others, what is said is about both.
static bool is_about_both(const rests *e, uint32_t n) { return n > 1 && e->pair && e->pair != e->r->mask; }

// Of two threads alone, where there are many literals, they are about both only if one is: of three a relation, from
// which a value follows.
static bool is_connected(const rests *e, const uint32_t *lits, uint32_t n) {
    if (n < 2 || !e->is_crowded || !e->pair || e->pair != e->r->mask) return true;
    uint32_t relations = 0, values = 0, both = 0;
    for (uint32_t i = 0; i < n; i++) {
        const rests_kind *k = &e->kinds[lits[i]];
        relations += k->is_relation;
        values += k->is_value;
        both += (k->vars & e->pair) == e->pair && (n < 3 || k->is_relation);
    }
    return both && (n < 3 || values || relations == n);
}

// Premises and a conclusion, or relations alone; quantified literals with variables are alone.
static bool rests_fits(const rests *e, const uint32_t *lits, uint32_t n) {
    uint32_t premises = 0, relations = 0, conclusions = 0, last = UINT32_MAX;
    if (!is_connected(e, lits, n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        const rests_kind *k = &e->kinds[lits[i]];
        if (n > 1 && k->is_alone) return false;
        bool concludes = k->is_conclusion && (!is_about_both(e, n) || (k->vars & e->pair) == e->pair);
        relations += k->is_relation;
        conclusions += concludes;
        premises += k->is_premise;
        if (!k->is_premise) last = concludes && last == UINT32_MAX ? lits[i] : UINT32_MAX - 1;
    }
    if (n < 2 || relations == n) return true;
    return last < UINT32_MAX - 1 || (premises == n && conclusions > 0);
}

static bool rests_make(const rests *e, const uint32_t *lits, uint32_t n, clause *out) {
    *out = e->distinct;
    for (uint32_t i = 0; i < n; i++) out->lits[out->n++] = (uint16_t)(e->r->atoms[lits[i] / 2] * 2u + lits[i] % 2);
    clause_sort(out);
    return !clause_is_trivial(e->r->p, out);
}

// A rest speaks of all variables; of the threads, phases may speak.
static bool has_all_variables(const rests *e, const uint32_t *lits, uint32_t n) {
    uint32_t vars = is_about_both(e, n) ? 0 : e->threads;
    for (uint32_t i = 0; i < n; i++) vars |= e->kinds[lits[i]].vars;
    return vars == e->r->mask;
}

// Is one literal the only one that is true in more than so many rows of phases that the set leaves?
static bool rests_support(const rests *e, const uint32_t *lits, uint32_t n, uint32_t only, const phase_pairs *bad,
                          uint64_t least) {
    uint64_t found = 0;
    for (uint32_t g = 0; g < e->ngroups && found <= least; g++)
        for (uint32_t word = e->begin[g]; word < e->begin[g + 1] && found <= least && !pairs_has(bad, g); word++) {
            uint64_t left = e->some[word];
            for (uint32_t i = 0; i < n && left; i++) left &= rests_false(e, i == only ? lits[i] ^ 1 : lits[i], word);
            found += (uint64_t)__builtin_popcountll(left);
        }
    return found > least;
}

static uint64_t rests_good_rows(const rests *e, const phase_pairs *bad) {
    uint64_t found = 0;
    for (uint32_t g = 0; g < e->ngroups; g++) found += pairs_has(bad, g) ? 0 : e->count[g];
    return found;
}

// A clause that only a few rows speak for, for each of its literals, holds by chance more often than not.
static bool is_supported(const rests *e, const uint32_t *lits, uint32_t n, const phase_pairs *bad) {
    uint64_t least = n ? rests_good_rows(e, bad) / RELATED_CHANCE : 0;
    if (least > RELATED_ENOUGH) least = RELATED_ENOUGH;
    for (uint32_t i = 0; i < n; i++)
        if (!rests_support(e, lits, n, i, bad, least)) return false;
    return true;
}

typedef struct {
    uint32_t schema;
    uint8_t row[2];
    clause rest;
} related_key;

// Each rest once, of two threads once for each pair of rows; false: it is there.
static bool related_push(related_set *w, const related *c) {
    related_key key;
    memset(&key, 0, sizeof key);
    key.schema = c->schema;
    memcpy(key.row, c->row, sizeof key.row);
    memcpy(&key.rest, &c->rest, clause_bytes(&c->rest));
    bool is_new = map_put(w->known, &key, sizeof key, w->all.len);
    if (is_new) vec_push(&w->all, *c);
    return is_new;
}

// One candidate for each rectangle of good pairs that no other contains.
static void rests_take_pairs(rests *e, related *c) {
    VEC(uint32_t) seen = {0};
    for (uint8_t a = 0; a < e->w->nphases; a++)
        for (uint8_t b = a; b < e->w->nphases; b++) {
            c->row[0] = a;
            c->row[1] = b;
            phase_rectangle r = rectangle_of(e->w, &c->bad, c->row);
            bool is_new = r.columns != 0;
            for (uint32_t i = 0; i < seen.len; i++) is_new &= seen.data[i] != r.lines;
            if (!is_new) continue;
            vec_push(&seen, r.lines);
            related_push(e->w, c);
        }
    vec_free(&seen);
}

static void rests_take(rests *e, const uint32_t *lits, uint32_t n, const phase_pairs *bad) {
    related c = {.schema = e->schema, .bad = *bad};
    if (pairs_count(bad) == e->ngroups || !has_all_variables(e, lits, n) || !rests_fits(e, lits, n)) return;
    if (!is_supported(e, lits, n, bad)) return;
    if (!rests_make(e, lits, n, &c.rest) || !clause_is_canonical(e->r->p, &c.rest)) return;
    if (related_threads(e->w, e->r) == 2) rests_take_pairs(e, &c);
    else related_push(e->w, &c);
}

static phase_pairs *rests_pair(const rests *e, uint32_t i, uint32_t k) {
    return &e->two[(size_t)(i < k ? i : k) * e->lits.len + (i < k ? k : i)];
}

static void rests_singles(rests *e) {
    phase_pairs every = {0};
    for (uint32_t g = 0; g < e->ngroups; g++) pairs_add(&every, g);
    phase_pairs none = rests_phases(e, &every, NULL, 0);
    rests_take(e, NULL, 0, &none);
    for (uint32_t i = 0; i < e->lits.len; i++) {
        e->one[i] = rests_phases(e, &none, &e->lits.data[i], 1);
        if (!pairs_same(&e->one[i], &none)) rests_take(e, &e->lits.data[i], 1, &e->one[i]);
    }
}

static void rests_doubles(rests *e, uint32_t i) {
    for (uint32_t k = i + 1; k < e->lits.len; k++) {
        uint32_t lits[] = {e->lits.data[i], e->lits.data[k]};
        phase_pairs within = pairs_both(&e->one[i], &e->one[k]), *found = rests_pair(e, i, k);
        if (lits[0] / 2 == lits[1] / 2) continue;
        *found = rests_phases(e, &within, lits, 2);
        if (!pairs_same(found, &e->one[i]) && !pairs_same(found, &e->one[k])) rests_take(e, lits, 2, found);
    }
}

// The rows in which two literals are false.
static void rests_find_left(rests *e, uint32_t a, uint32_t b, const phase_pairs *within) {
    vec_clear(&e->left);
    for (uint32_t g = 0; g < e->ngroups; g++)
        for (uint32_t word = e->begin[g]; word < e->begin[g + 1] && pairs_has(within, g); word++) {
            uint64_t left = e->some[word] & rests_false(e, a, word) & rests_false(e, b, word);
            if (left) vec_push(&e->left, (rests_left){left, word, g});
        }
}

// Of these phases, those in which another literal may be false in such a row.
static phase_pairs rests_phases_left(const rests *e, const phase_pairs *within, uint32_t lit) {
    phase_pairs found = {0};
    for (uint32_t i = 0; i < e->left.len; i++) {
        const rests_left *x = &e->left.data[i];
        if (pairs_has(within, x->group) && (x->rows & rests_false(e, lit, x->word))) pairs_add(&found, x->group);
    }
    return found;
}

static void rests_triples(rests *e, uint32_t i, uint32_t k) {
    uint32_t asked = 0;
    if (!pairs_count(rests_pair(e, i, k))) return;
    for (uint32_t l = k + 1; l < e->lits.len; l++) {
        uint32_t lits[] = {e->lits.data[i], e->lits.data[k], e->lits.data[l]};
        if (lits[0] / 2 == lits[1] / 2 || lits[1] / 2 == lits[2] / 2) continue;
        if (!has_all_variables(e, lits, 3) || !rests_fits(e, lits, 3)) continue;
        const phase_pairs *a = rests_pair(e, i, k), *b = rests_pair(e, i, l), *c = rests_pair(e, k, l);
        phase_pairs within = pairs_both(a, b);
        within = pairs_both(&within, c);
        if (++asked == RELATED_ASKED) rests_find_left(e, lits[0], lits[1], a);
        phase_pairs found =
            asked < RELATED_ASKED ? rests_phases(e, &within, lits, 3) : rests_phases_left(e, &within, lits[2]);
        if (!pairs_same(&found, a) && !pairs_same(&found, b) && !pairs_same(&found, c)) rests_take(e, lits, 3, &found);
    }
}

// Is the clause of four stronger than those of three of its literals?
static bool is_least_of_four(const rests *e, const uint32_t *lits, const phase_pairs *within,
                             const phase_pairs *found) {
    for (uint32_t without = 0; without < 4; without++) {
        uint32_t three[3], n = 0;
        for (uint32_t i = 0; i < 4; i++)
            if (i != without) three[n++] = lits[i];
        phase_pairs bad = rests_phases(e, within, three, 3);
        if (pairs_same(&bad, found)) return false;
    }
    return true;
}

// Numbers of literals, of e->lits.
static void rests_four(rests *e, const uint32_t *numbers) {
    uint32_t lits[4];
    for (uint32_t i = 0; i < 4; i++) lits[i] = e->lits.data[numbers[i]];
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < i; k++)
            if (lits[i] / 2 == lits[k] / 2) return;
    if (!has_all_variables(e, lits, 4) || !rests_fits(e, lits, 4)) return;
    phase_pairs within = *rests_pair(e, numbers[0], numbers[1]);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < i; k++) within = pairs_both(&within, rests_pair(e, numbers[k], numbers[i]));
    phase_pairs found = rests_phases(e, &within, lits, 4);
    if (!pairs_same(&found, &within) && is_least_of_four(e, lits, &within, &found)) rests_take(e, lits, 4, &found);
}

typedef VEC(uint32_t) literal_list;  // numbers of literals

// Three of the first with one of the last, which comes after them where both are the same list.
static void rests_each_four(rests *e, const literal_list *first, const literal_list *last) {
    for (uint32_t i = 0; i < first->len; i++)
        for (uint32_t k = i + 1; k < first->len; k++)
            for (uint32_t l = k + 1; l < first->len && !prover_out_of_time(e->w->x); l++)
                for (uint32_t m = first == last ? l + 1 : 0; m < last->len; m++)
                    rests_four(e, (uint32_t[]){first->data[i], first->data[k], first->data[l], last->data[m]});
}

// Three premises of an equality of values. Three relations from which an order of times follows: done(t, v) & wf(n, v)
// & !complete(n) -> wt(t) <= n. Of two threads, or of two times, relations alone.
static void rests_fours(rests *e) {
    literal_list premises = {0}, values = {0}, relations = {0}, orders = {0};
    for (uint32_t i = 0; i < e->lits.len; i++) {
        uint32_t lit = e->lits.data[i];
        bool is_order = expr_kind_of(e->r->p->m, rests_shape(e, lit)->body) == E_LT;
        const rests_kind *k = &e->kinds[lit];
        if (k->is_premise) vec_push(&premises, i);
        if (k->is_conclusion && k->is_value) vec_push(&values, i);
        if (k->is_conclusion && is_order) vec_push(&orders, i);
        if (k->is_relation) vec_push(&relations, i);
    }
    bool is_little = relations.len <= RELATED_RELATIONS;
    if (e->pair && is_little) rests_each_four(e, &relations, &relations);
    if (!e->pair && e->r->nrows <= RELATED_ROWS) rests_each_four(e, &premises, &values);
    if (!e->pair && is_little) rests_each_four(e, &relations, &orders);
    vec_free(&premises);
    vec_free(&values);
    vec_free(&relations);
    vec_free(&orders);
}

// Where there are too many literals: of two threads and a place, relations and what is about both threads.
static void rests_keep_few(rests *e) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->lits.len; i++) {
        const rests_kind *k = &e->kinds[e->lits.data[i]];
        if (!e->pair || (!k->is_relation && (k->vars & e->pair) != e->pair)) continue;
        e->one[kept] = e->one[i];
        e->lits.data[kept++] = e->lits.data[i];
    }
    e->lits.len = kept;
}

static void rests_enumerate(rests *e) {
    rests_singles(e);
    if (e->lits.len > RELATED_LITERALS) rests_keep_few(e);
    if (e->lits.len > RELATED_LITERALS) return;
    e->two = mem_zero((size_t)e->lits.len * e->lits.len + 1, sizeof *e->two);
    for (uint32_t i = 0; i < e->lits.len && e->w->literals > 1 && !prover_out_of_time(e->w->x); i++)
        rests_doubles(e, i);
    for (uint32_t i = 0; i < e->lits.len && e->w->literals > 2; i++)
        for (uint32_t k = i + 1; k < e->lits.len && !prover_out_of_time(e->w->x); k++) rests_triples(e, i, k);
    if (e->w->literals > 3) rests_fours(e);
}

static rests rests_of(related_set *w, uint32_t schema) {
    rests e = {.w = w, .schema = schema, .r = related_rows(w, schema)};
    uint32_t threads = related_threads(w, e.r);
    e.ngroups = threads == 2 ? w->nphases * w->nphases : threads ? w->nphases : 1;
    for (uint32_t t = 0; t < threads; t++) e.threads |= UINT32_C(1) << (w->sort * POOL_PER_SORT + t);
    for (uint32_t s = 0; s < e.r->p->sorts.len; s++)
        if (e.r->counts[s] == 2) e.pair |= UINT32_C(3) << (s * POOL_PER_SORT);
    rests_find_distinct(&e);
    rests_find_kinds(&e);
    for (uint32_t lit = 0; lit < e.r->natoms * 2; lit++)
        if (!rests_shape(&e, lit)->is_equality && !is_phase_literal(&e, lit)) vec_push(&e.lits, lit);
    e.is_crowded = e.lits.len > RELATED_CROWDED;
    return e;
}

static void rests_end(rests *e) {
    vec_free(&e->lits);
    vec_free(&e->left);
    free(e->begin);
    free(e->count);
    free(e->some);
    free(e->columns);
    free(e->one);
    free(e->two);
}

static void related_of_schema(related_set *w, uint32_t schema) {
    rests e = rests_of(w, schema);
    rests_sort_rows(&e);
    e.one = mem_zero(e.lits.len + 1, sizeof *e.one);
    rests_enumerate(&e);
    rests_end(&e);
}

// ---- weakening

static void related_add_phase(const related_set *w, phased_rows *p, uint32_t thread, uint32_t a) {
    const rows *r = p->of;
    uint32_t add = thread ? a * w->nphases : a;
    const uint64_t *column = rows_column(r, r->column_of[phase_atom(w, w->sort * POOL_PER_SORT + thread, a)]);
    for (uint32_t word = 0; word * 64 < r->nrows; word++)
        for (uint64_t left = column[word]; left; left &= left - 1)
            p->pair[word * 64 + (uint32_t)__builtin_ctzll(left)] += add;
}

phased_rows related_phased(const related_set *w, const rows *of) {
    phased_rows p = {of, mem_zero(of->nrows + 1, 1)};
    for (uint32_t t = 0; t < related_threads(w, of); t++)
        for (uint32_t a = 0; a < w->nphases; a++) related_add_phase(w, &p, t, a);
    return p;
}

void related_free_phased(phased_rows *p) { free(p->pair); }

// The rows from 64 * word on in which all of the rest is false.
static uint64_t related_false(const related *c, const rows *state, uint32_t word) {
    uint32_t here = state->nrows - word * 64;
    uint64_t left = here >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << here) - 1;
    for (uint32_t i = 0; i < c->rest.n && left; i++) {
        uint64_t column = rows_column(state, state->column_of[c->rest.lits[i] / 2])[word];
        left &= c->rest.lits[i] % 2 ? column : ~column;
    }
    return left;
}

bool related_weaken(related *c, const phased_rows *state) {
    bool changed = false;
    for (uint32_t word = 0; word * 64 < state->of->nrows; word++)
        for (uint64_t left = related_false(c, state->of, word); left; left &= left - 1) {
            uint32_t pair = state->pair[word * 64 + (uint32_t)__builtin_ctzll(left)];
            changed |= !pairs_has(&c->bad, pair);
            pairs_add(&c->bad, pair);
        }
    return changed;
}

// The rows that a candidate excluded, and that speak against it.
static uint64_t *related_against(const related *c, const phased_rows *state) {
    uint64_t *found = mem_zero(state->of->nrows / 64 + 1, 8);
    for (uint32_t word = 0; word * 64 < state->of->nrows; word++)
        for (uint64_t left = related_false(c, state->of, word); left; left &= left - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(left);
            if (!pairs_has(&c->bad, state->pair[word * 64 + bit])) found[word] |= UINT64_C(1) << bit;
        }
    return found;
}

static bool is_true_in(const rows *state, const uint64_t *in, uint32_t lit) {
    const uint64_t *column = rows_column(state, lit / 2);
    for (uint32_t word = 0; word * 64 < state->nrows; word++)
        if (in[word] & (lit % 2 ? column[word] : ~column[word])) return false;
    return true;
}

// The literals of a rest, over columns, without x = y; how many.
static uint32_t rests_literals(const rests *e, const clause *rest, uint32_t *lits) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rest->n; i++) {
        uint32_t lit = e->r->column_of[rest->lits[i] / 2] * 2u + rest->lits[i] % 2;
        if (!rests_shape(e, lit)->is_equality) lits[n++] = lit;
    }
    return n;
}

void related_extend(related_set *w, const related *c, const phased_rows *state) {
    rests e = rests_of(w, c->schema);
    uint32_t lits[CLAUSE_MOST + 1], n = rests_literals(&e, &c->rest, lits);
    uint64_t *against = related_against(c, state);
    for (uint32_t i = 0; i < e.lits.len && n < RELATED_EXTENDED && w->all.len < RELATED_MOST; i++) {
        related more = *c;
        bool is_there = false;
        lits[n] = e.lits.data[i];
        for (uint32_t k = 0; k < n; k++) is_there |= lits[k] / 2 == lits[n] / 2;
        if (is_there || !is_true_in(state->of, against, lits[n]) || !rests_fits(&e, lits, n + 1)) continue;
        if (has_all_variables(&e, lits, n + 1) && rests_make(&e, lits, n + 1, &more.rest)) related_push(w, &more);
    }
    free(against);
    rests_end(&e);
}

// ---- all of them

// Two variables of what has phases, or of times.
static bool related_is_small(const related_set *w, const rows *r) {
    uint32_t pairs = 0;
    for (uint32_t s = 0; s < r->p->sorts.len; s++) {
        bool may = s == w->sort || type_of(w->x->m, r->p->sorts.data[s])->is_ordered;
        if (r->counts[s] > 2 || (r->counts[s] == 2 && !may)) return false;
        pairs += r->counts[s] == 2;
    }
    return pairs < 2;
}

void related_find(related_set *w) {
    const prover *x = w->x;
    w->known = map_new();
    w->kinds = mem_zero(x->schemas.len + 1, sizeof *w->kinds);
    related_find_phases(w);
    for (uint32_t i = 0; i < x->schemas.len; i++)
        if (!x->schemas.data[i]->nholes && related_is_small(w, x->schemas.data[i])) related_of_schema(w, i);
}

void related_free(related_set *w) {
    for (uint32_t i = 0; w->kinds && i < w->x->schemas.len; i++) free(w->kinds[i]);
    free(w->kinds);
    vec_free(&w->all);
    map_free(w->known);
}
