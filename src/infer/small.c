// SPDX-License-Identifier: Apache-2.0
// IC3 on an instance of fixed sizes (Goel and Sakallah, NFM 2021: "On Symmetry and Quantification").
//
// Frames as in frames.c, but every question is one call of a SAT solver, whatever quantifiers the words have. Elements
// of a sort can be renamed in all that is asked, so a cube that cannot be reached has an orbit that cannot be
// reached: a lemma is the orbit, of a cube that widen.c makes as general as it can.
#include "infer/small.h"

#include "model/eval.h"
#include "model/expr.h"

#include <string.h>

enum { SMALL_MOST_PLACES = 6000, SMALL_MOST_ORBIT = 5000, SMALL_SELF_ORBIT = 64 };

// ---- places

static void small_add_places(small *s, small_place *at, uint32_t i) {
    const word *w = &s->d.words.data[at->word];
    if (i == w->nformals) {
        vec_push(&s->places, *at);
        return;
    }
    uint32_t size = instance_type_size(s->in, var_of(s->x->m, w->formals[i])->ty);
    for (uint32_t e = 0; e < size && s->places.len <= SMALL_MOST_PLACES; e++) {
        at->args[i] = (uint8_t)e;
        small_add_places(s, at, i + 1);
    }
}

static void small_count_elements(small *s) {
    s->offset = mem_zero(s->x->m->types.len, sizeof *s->offset);
    instance_sorts(s->x->m, s->in->system, &s->sorts);
    for (uint32_t i = 0; i < s->sorts.len; i++) {
        s->offset[s->sorts.data[i].id] = s->nvars;
        s->nvars += instance_type_size(s->in, s->sorts.data[i]);
        while (s->type_of_var.len < s->nvars) vec_push(&s->type_of_var, s->sorts.data[i]);
    }
}

static bool small_has_sizes(const small *s, const instance *in) {
    for (uint32_t i = 0; i < s->sorts.len; i++)
        if (in->sort_size[s->sorts.data[i].id] != s->in->sort_size[s->sorts.data[i].id]) return false;
    return true;
}

static void small_take_samples(small *s, bool same) {
    for (uint32_t i = 0; i < s->x->samples.len + s->x->wide.len; i++) {
        const sample *of = i < s->x->samples.len ? s->x->samples.data[i] : s->x->wide.data[i - s->x->samples.len];
        if (small_has_sizes(s, of->in) == same) vec_push(&s->d.samples, of);
    }
}

// Words that no step changes.
static void small_find_rigid(small *s) {
    for (uint32_t w = 0; w < s->d.words.len; w++) {
        bool changes = s->d.words.data[w].is_quantified;
        for (uint32_t i = 0; i < sys_of(s->x->m, s->in->system)->funcs.len; i++) {
            func f = sys_of(s->x->m, s->in->system)->funcs.data[i];
            changes |= !func_of(s->x->m, f)->is_rigid && expr_reads(s->x->m, s->d.words.data[w].body, f);
        }
        if (!changes) bits_add(&s->rigid, w);
    }
}

bool small_start(small *s, prover *x, const instance *in, const grow_options *o) {
    *s = (small){.x = x, .in = in, .most_work = o->work};
    s->limits = x->o->limits;
    diagram_start(&s->d, x->pool, o->with_quantified);
    small_count_elements(s);
    small_take_samples(s, true);
    s->nsame = s->d.samples.len;
    small_take_samples(s, false);
    for (uint32_t w = 0; w < s->d.words.len; w++) {
        vec_push(&s->first, s->places.len);
        small_add_places(s, &(small_place){.word = w}, 0);
    }
    if (s->nvars > CUBE_MOST_VARS || s->places.len > SMALL_MOST_PLACES) return false;
    small_find_rigid(s);
    s->b = bounded_new(in, &s->limits);
    s->ev = eval_new(in);
    for (uint32_t k = 0; k < 3; k++) s->lits[k] = mem_zero(s->places.len * 2 + 1, sizeof **s->lits);
    s->is_exact = o->is_exact;
    if (s->b && s->is_exact) s->initial = bounded_initial(s->b);
    return s->b != NULL;
}

void small_stop(small *s) {
    for (uint32_t i = 0; i < s->lemmas.len; i++) vec_free(&s->lemmas.data[i].c);
    vec_free(&s->lemmas);
    vec_free(&s->places);
    vec_free(&s->first);
    vec_free(&s->sorts);
    vec_free(&s->type_of_var);
    bits_free(&s->rigid);
    for (uint32_t k = 0; k < 3; k++) free(s->lits[k]);
    free(s->offset);
    if (s->ev) eval_free(s->ev);
    bounded_free(s->b);
    diagram_stop(&s->d);
}

static type small_type(const small *s, uint32_t place, uint32_t arg) {
    return var_of(s->x->m, s->d.words.data[s->places.data[place].word].formals[arg])->ty;
}

static uint32_t small_nargs(const small *s, uint32_t place) {
    return s->d.words.data[s->places.data[place].word].nformals;
}

uint32_t small_image(const small *s, uint32_t literal, const uint8_t *to) {
    const small_place *p = &s->places.data[literal / 2];
    uint32_t at = 0;
    for (uint32_t i = 0; i < small_nargs(s, literal / 2); i++) {
        type t = small_type(s, literal / 2, i);
        at = at * instance_type_size(s->in, t) + to[s->offset[t.id] + p->args[i]] - s->offset[t.id];
    }
    return (s->first.data[p->word] + at) * 2 + literal % 2;
}

uint32_t small_elements_of(const small *s, uint32_t literal) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < small_nargs(s, literal / 2); i++)
        mask |= UINT32_C(1) << (s->offset[small_type(s, literal / 2, i).id] + s->places.data[literal / 2].args[i]);
    return mask;
}

uint32_t small_elements(const small *s, const small_cube *c) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < c->len; i++) mask |= small_elements_of(s, c->data[i]);
    return mask;
}

bool small_has_whole_sort(const small *s, uint32_t elements) {
    for (uint32_t i = 0; i < s->sorts.len; i++) {
        uint32_t all = (UINT32_C(1) << instance_type_size(s->in, s->sorts.data[i])) - 1;
        if ((elements >> s->offset[s->sorts.data[i].id] & all) == all) return true;
    }
    return false;
}

// ---- literals and states

int small_literal(small *s, bounded_when when, uint32_t literal) {
    int *known = &s->lits[when][literal];
    if (*known) return *known;
    const small_place *p = &s->places.data[literal / 2];
    const word *w = &s->d.words.data[p->word];
    value at[WORD_MOST_FORMALS];
    for (uint32_t i = 0; i < w->nformals; i++) at[i] = p->args[i];
    return *known = bounded_literal(s->b, when, w->body, literal % 2, w->formals, at, w->nformals);
}

// A quantified word that is true has witnesses, with literals of their own, unless there are quantifiers inside.
static bool small_counts(const small *s, const word *w, bool holds) {
    return !holds || !w->is_quantified || expr_of(s->x->m, w->body)->nesting > 1;
}

static void small_read(small *s, small_cube *out) {
    value *state = mem_zero(s->in->ncells + 1, sizeof *state);
    bounded_state(s->b, BOUNDED_BEFORE, state);
    vec_clear(out);
    for (uint32_t i = 0; i < s->places.len; i++) {
        const word *w = &s->d.words.data[s->places.data[i].word];
        for (uint32_t k = 0; k < w->nformals; k++) eval_bind(s->ev, w->formals[k], s->places.data[i].args[k]);
        bool holds = eval_expr(s->ev, state, w->body) != 0;
        if (small_counts(s, w, holds)) vec_push(out, i * 2 + !holds);
    }
    free(state);
}

// The literals of the state before the last step found that lead, by the same step, to where `escapes` is false;
// `after` was true there. The state itself where these few say too much: a sampled state meets them.
static void small_lift(small *s, const lit_list *after, int escapes, small_cube *state) {
    lit_list lits = {0};
    bits needed = {0};
    small_cube few = {0};
    for (uint32_t i = 0; i < state->len; i++) vec_push(&lits, small_literal(s, BOUNDED_BEFORE, state->data[i]));
    bool ok = s->is_exact && bounded_lift(s->b, lits.data, lits.len, after->data, after->len, escapes, &needed);
    for (uint32_t i = 0; i < state->len && ok; i++)
        if (bits_has(&needed, i)) vec_push(&few, state->data[i]);
    bool was = s->is_forall;
    s->is_forall = true;
    ok = ok && few.len && !small_is_seen(s, &few);
    s->is_forall = was;
    for (uint32_t i = 0; i < few.len && ok; i++) state->data[i] = few.data[i];
    if (ok) state->len = few.len;
    vec_free(&lits);
    vec_free(&few);
    bits_free(&needed);
}

// The state before the last step found into the cube, or the part of it that matters.
static void small_before(small *s, const small_cube *c, small_cube *out) {
    lit_list after = {0}, out_of_it = {0};
    small_read(s, out);
    int escapes = bounded_var(s->b, BOUNDED_BEFORE);
    vec_push(&out_of_it, -escapes);
    for (uint32_t i = 0; i < c->len; i++) {
        vec_push(&after, small_literal(s, BOUNDED_AFTER, c->data[i]));
        vec_push(&out_of_it, small_literal(s, BOUNDED_AFTER, c->data[i] ^ 1));
    }
    bounded_clause(s->b, BOUNDED_BEFORE, out_of_it.data, out_of_it.len);
    small_lift(s, &after, escapes, out);
    vec_free(&after);
    vec_free(&out_of_it);
}

bool small_stops(const small *s) { return limits_met(&s->limits) || bounded_work(s->b) > s->most_work; }

// ---- samples

void small_to_cube(small *s, const small_cube *c, cube *out) {
    *out = (cube){0};
    for (uint32_t v = 0; v < s->nvars; v++) {
        type t = s->type_of_var.data[v];
        vec_push(&out->vars, diagram_var(&s->d, t, v - s->offset[t.id]));
    }
    for (uint32_t i = 0; i < c->len; i++) {
        const small_place *p = &s->places.data[c->data[i] / 2];
        const word *w = &s->d.words.data[p->word];
        fact f = {.word = p->word, .negated = c->data[i] % 2};
        expr with[WORD_MOST_FORMALS];
        for (uint32_t k = 0; k < w->nformals; k++) {
            f.args[k] = (uint8_t)(s->offset[var_of(s->x->m, w->formals[k])->ty.id] + p->args[k]);
            with[k] = expr_var(s->x->m, out->vars.data[f.args[k]]);
        }
        expr e = expr_subst(s->x->m, w->body, w->formals, with, w->nformals);
        vec_push(&out->facts, f);
        vec_push(&out->lits, f.negated ? expr_not(s->x->m, e) : e);
        vec_push(&out->masks, small_elements_of(s, c->data[i]));
    }
}

// Larger instances say nothing of a cube about all elements of a sort, if its lemma may get an ∃. It will not where
// they do not meet the cube to begin with.
bool small_is_seen(small *s, const small_cube *c) {
    cube q;
    bits all = {0};
    uint32_t nsamples = s->d.samples.len;
    small_to_cube(s, c, &q);
    for (uint32_t i = 0; i < c->len; i++) bits_add(&all, i);
    if (!s->is_forall && small_has_whole_sort(s, small_elements(s, c))) s->d.samples.len = s->nsame;
    bool seen = diagram_is_seen(&s->d, &q, &all, NULL);
    s->d.samples.len = nsamples;
    bits_free(&all);
    cube_free(&q);
    return seen;
}

// ---- orbits

typedef struct {
    small *s;
    const small_cube *c;
    VEC(uint8_t) used;  // variables of the cube
    uint8_t to[CUBE_MOST_VARS];
    uint32_t taken;
    int act;
} orbit_walk;

static void orbit_exclude(const orbit_walk *o) {
    lit_list lits = {0};
    vec_push(&lits, -o->act);
    for (uint32_t i = 0; i < o->c->len; i++)
        vec_push(&lits, small_literal(o->s, BOUNDED_BEFORE, small_image(o->s, o->c->data[i], o->to) ^ 1));
    bounded_clause(o->s->b, BOUNDED_BEFORE, lits.data, lits.len);
    vec_free(&lits);
}

static void orbit_each(orbit_walk *o, uint32_t i) {
    if (i == o->used.len) {
        orbit_exclude(o);
        return;
    }
    uint32_t v = o->used.data[i];
    type t = o->s->type_of_var.data[v];
    uint32_t from = o->s->offset[t.id];
    for (uint32_t e = from; e < from + instance_type_size(o->s->in, t); e++) {
        if (o->taken >> e & 1) continue;
        o->taken |= UINT32_C(1) << e;
        o->to[v] = (uint8_t)e;
        orbit_each(o, i + 1);
        o->taken &= ~(UINT32_C(1) << e);
    }
}

// At most: some members may be the same.
static uint64_t orbit_size(const small *s, uint32_t elements) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < s->sorts.len; i++) {
        uint32_t size = instance_type_size(s->in, s->sorts.data[i]);
        uint32_t used = elements >> s->offset[s->sorts.data[i].id] & ((UINT32_C(1) << size) - 1);
        for (uint32_t k = 0; k < (uint32_t)__builtin_popcount(used); k++) n *= size - k;
    }
    return n;
}

// Excludes the orbit under `act`, or only the cube itself where the orbit has more than `most` members: false.
static bool small_exclude(small *s, const small_cube *c, int act, uint64_t most) {
    orbit_walk o = {.s = s, .c = c, .act = act};
    uint32_t used = small_elements(s, c);
    bool fits = orbit_size(s, used) <= most;
    for (uint32_t v = 0; v < s->nvars; v++) {
        o.to[v] = (uint8_t)v;
        if (fits && used >> v & 1) vec_push(&o.used, (uint8_t)v);
    }
    if (fits) orbit_each(&o, 0);
    else orbit_exclude(&o);
    vec_free(&o.used);
    return fits;
}

// ---- questions

typedef enum { SMALL_NO, SMALL_YES, SMALL_UNKNOWN } small_answer;

// The literals of the cube that the refutation needs.
static void small_core(small *s, bounded_when when, const small_cube *c, bits *used) {
    for (uint32_t i = 0; i < c->len; i++)
        if (bounded_needs(s->b, when, small_literal(s, when, c->data[i]))) bits_add(used, c->data[i]);
}

static void small_assume_frame(const small *s, uint32_t level, lit_list *out) {
    if (!level && s->initial) vec_push(out, s->initial);
    for (uint32_t i = 0; i < s->lemmas.len; i++)
        if (s->lemmas.data[i].level >= level) vec_push(out, s->lemmas.data[i].act);
}

static small_answer small_answer_of(sat_answer a) {
    return a == SAT_YES ? SMALL_YES : a == SAT_NO ? SMALL_NO : SMALL_UNKNOWN;
}

// Does an initial state meet the cube? If not, `used` gets literals that keep it out.
static small_answer small_starts(small *s, const small_cube *c, bits *used) {
    lit_list assumed = {0};
    for (uint32_t i = 0; i < c->len; i++) vec_push(&assumed, small_literal(s, BOUNDED_START, c->data[i]));
    sat_answer a = bounded_solve(s->b, BOUNDED_START, assumed.data, assumed.len);
    if (a == SAT_NO) small_core(s, BOUNDED_START, c, used);
    vec_free(&assumed);
    return small_answer_of(a);
}

// Marks the lemmas that the last refutation needs.
static void small_mark(const small *s, bits *needed) {
    for (uint32_t i = 0; i < s->lemmas.len; i++)
        if (bounded_needs(s->b, BOUNDED_BEFORE, s->lemmas.data[i].act)) bits_add(needed, i);
}

// Does a step lead from the frame before, where `self` is true, into the cube? If not, `used` gets literals that keep
// it out.
static small_answer small_reaches_from(small *s, const small_cube *c, uint32_t level, int self, bits *used) {
    lit_list assumed = {0};
    small_assume_frame(s, level - 1, &assumed);
    vec_push(&assumed, self);
    for (uint32_t i = 0; i < c->len; i++) vec_push(&assumed, small_literal(s, BOUNDED_AFTER, c->data[i]));
    sat_answer a = bounded_solve(s->b, BOUNDED_BEFORE, assumed.data, assumed.len);
    if (a == SAT_NO) small_core(s, BOUNDED_AFTER, c, used);
    vec_free(&assumed);
    return small_answer_of(a);
}

// The same, from outside the cube's orbit.
static small_answer small_reaches(small *s, const small_cube *c, uint32_t level, bits *used) {
    int self = bounded_var(s->b, BOUNDED_BEFORE);
    small_exclude(s, c, self, SMALL_SELF_ORBIT);
    small_answer a = small_reaches_from(s, c, level, self, used);
    bounded_clause(s->b, BOUNDED_BEFORE, (int[]){-self}, 1);
    return a;
}

// Does a step lead from the frame before, which the lemma is in, to where the lemma is false? If not, `needed`, unless
// it is NULL, gets lemmas that prevent it.
static small_answer small_breaks(small *s, const small_lemma *l, uint32_t level, bits *needed) {
    lit_list assumed = {0};
    small_assume_frame(s, level - 1, &assumed);
    if (l->met) vec_push(&assumed, l->met);
    for (uint32_t i = 0; i < l->c.len && !l->met; i++)
        vec_push(&assumed, small_literal(s, BOUNDED_AFTER, l->c.data[i]));
    sat_answer a = bounded_solve(s->b, BOUNDED_BEFORE, assumed.data, assumed.len);
    if (a == SAT_NO && needed) small_mark(s, needed);
    vec_free(&assumed);
    return small_answer_of(a);
}

bool small_is_out(small *s, const small_cube *c, uint32_t level, bits *used) {
    return !small_stops(s) && !small_is_seen(s, c) && small_starts(s, c, used) == SMALL_NO &&
           (!level || small_reaches(s, c, level, used) == SMALL_NO);
}

bool small_is_out_given(small *s, const small_cube *c, uint32_t level, int self, bits *used) {
    return small_starts(s, c, used) == SMALL_NO && (!level || small_reaches_from(s, c, level, self, used) == SMALL_NO);
}

void small_insert(small_cube *c, uint32_t literal) {
    vec_push(c, literal);
    for (uint32_t i = c->len - 1; i > 0 && c->data[i - 1] > literal; i--) {
        c->data[i] = c->data[i - 1];
        c->data[i - 1] = literal;
    }
}

void small_restrict(const small_cube *c, const bits *keep, small_cube *out) {
    vec_clear(out);
    for (uint32_t i = 0; i < c->len; i++)
        if (bits_has(keep, c->data[i])) vec_push(out, c->data[i]);
}

// ---- frames

// What the cube can be loosened to; false if it cannot.
static bool small_loosen(small *s, small_lemma *l) {
    loose_cube wide = {0};
    bool ok = s->is_exact && loosen_cube(s, &l->c, l->level, &wide) && loose_state(s, &wide, &l->act, &l->met);
    if (ok) l->loose = loose_formula(s, &wide);
    else l->met = 0;
    loose_free(&wide);
    return ok;
}

static bool small_add_lemma(small *s, const small_cube *c, uint32_t level, uint32_t *number) {
    small_lemma l = {.level = level};
    for (uint32_t i = 0; i < c->len; i++) vec_push(&l.c, c->data[i]);
    bool is_loose = small_loosen(s, &l);
    if (!is_loose) l.act = bounded_var(s->b, BOUNDED_BEFORE);
    *number = s->lemmas.len;
    vec_push(&s->lemmas, l);
    return is_loose || small_exclude(s, c, l.act, SMALL_MOST_ORBIT);
}

static void small_raise(small *s, uint32_t number) {
    small_lemma *l = &s->lemmas.data[number];
    while (l->level <= s->frontier && !small_stops(s) && small_breaks(s, l, l->level + 1, NULL) == SMALL_NO) l->level++;
}

static bool small_block(small *s, const small_cube *c, uint32_t level);

// States before steps into the cube are kept out of the frame before.
static bool small_block_before(small *s, const small_cube *c, uint32_t level, bits *used) {
    small_cube before = {0};
    small_answer a = SMALL_YES;
    bool ok = true;
    while (ok && a == SMALL_YES) {
        a = small_reaches(s, c, level, used);
        if (a != SMALL_YES) break;
        small_before(s, c, &before);
        ok = small_block(s, &before, level - 1) && !small_stops(s);
    }
    vec_free(&before);
    return ok && a == SMALL_NO;
}

// The literals in `used` become a lemma of the frame, as general as can be; all of them if these are not enough.
static bool small_learn(small *s, const small_cube *c, const bits *used, uint32_t level) {
    small_cube rest = {0};
    bool was = s->is_forall;
    s->is_forall = s->is_exact;
    s->is_forall = s->is_exact && !small_is_seen(s, c);
    small_restrict(c, used, &rest);
    bool ok = rest.len && !small_is_seen(s, &rest);
    if (!ok) {
        vec_clear(&rest);
        for (uint32_t i = 0; i < c->len; i++) vec_push(&rest, c->data[i]);
        ok = !small_is_seen(s, &rest);
    }
    if (ok) {
        widen_cube(s, &rest, level);
        uint32_t number;
        ok = small_add_lemma(s, &rest, level, &number);
        if (ok) small_raise(s, number);
    }
    s->is_forall = was;
    vec_free(&rest);
    return ok;
}

// Keeps the cube out of the frame; false when that cannot be done.
static bool small_block(small *s, const small_cube *c, uint32_t level) {
    bits used = {0};
    bool ok = small_starts(s, c, &used) == SMALL_NO && (level == 0 || small_block_before(s, c, level, &used)) &&
              small_learn(s, c, &used, level);
    bits_free(&used);
    return ok;
}

static bool small_push(small *s) {
    for (uint32_t k = s->initial ? 1 : 0; k <= s->frontier; k++) {  // frame 0 may say more than its lemmas
        bool is_empty = true;
        for (uint32_t i = 0; i < s->lemmas.len && !small_stops(s); i++) {
            small_lemma *l = &s->lemmas.data[i];
            if (l->level == k && small_breaks(s, l, k + 1, NULL) == SMALL_NO) l->level++;
            is_empty &= l->level != k;
        }
        if (small_stops(s)) return false;
        if (!is_empty) continue;
        uint32_t n = 0;
        for (uint32_t i = 0; i < s->lemmas.len; i++) {
            if (s->lemmas.data[i].level > k) s->lemmas.data[n++] = s->lemmas.data[i];
            else vec_free(&s->lemmas.data[i].c);
        }
        s->lemmas.len = n;
        return true;
    }
    return false;
}

// No state of the last frame has a step that violates the property.
static bool small_clear_frontier(small *s, int violated, int kept) {
    small_cube bad = {0};
    lit_list wrong = {0};
    vec_push(&wrong, violated);
    bool ok = true;
    sat_answer a = SAT_YES;
    while (ok && a == SAT_YES) {
        lit_list assumed = {0};
        small_assume_frame(s, s->frontier, &assumed);
        vec_push(&assumed, violated);
        a = bounded_solve(s->b, BOUNDED_BEFORE, assumed.data, assumed.len);
        vec_free(&assumed);
        if (a != SAT_YES) break;
        small_read(s, &bad);
        small_lift(s, &wrong, kept, &bad);
        ok = small_block(s, &bad, s->frontier) && !small_stops(s);
    }
    vec_free(&bad);
    vec_free(&wrong);
    return ok && a == SAT_NO;
}

// ---- the lemmas that matter

// All lemmas are an invariant: those that the property needs, and those that these need, are one too.
static void small_find_needed(small *s, int violated) {
    bits needed = {0}, done = {0};
    lit_list assumed = {0};
    small_assume_frame(s, 0, &assumed);
    vec_push(&assumed, violated);
    bool ok = bounded_solve(s->b, BOUNDED_BEFORE, assumed.data, assumed.len) == SAT_NO;
    if (ok) small_mark(s, &needed);
    while (ok && !bits_subset(&needed, &done)) {
        bits todo = {0};
        bits_copy(&todo, &needed);
        bits_minus(&todo, &done);
        uint32_t i = bits_next(&todo, 0);
        ok = small_breaks(s, &s->lemmas.data[i], 1, &needed) == SMALL_NO;
        bits_add(&done, i);
        bits_free(&todo);
    }
    for (uint32_t i = 0; i < s->lemmas.len; i++) s->lemmas.data[i].is_needed = !ok || bits_has(&needed, i);
    vec_free(&assumed);
    bits_free(&needed);
    bits_free(&done);
}

// All lemmas are an invariant: with all of them some can be loosened that could not be when they were found.
static void small_loosen_all(small *s) {
    for (uint32_t i = 0; i < s->lemmas.len && !small_stops(s); i++) {
        small_lemma *l = &s->lemmas.data[i];
        small_lemma wider = {.c = l->c, .level = 1};
        if (!l->is_needed || !small_loosen(s, &wider)) continue;
        l->act = wider.act;
        l->met = wider.met;
        l->loose = wider.loose;
    }
}

static void small_assert(small *s, expr e) {
    int lit = bounded_literal(s->b, BOUNDED_BEFORE, e, false, NULL, NULL, 0);
    bounded_clause(s->b, BOUNDED_BEFORE, &lit, 1);
}

bool small_search(small *s, expr property, const expr *known, uint32_t nknown) {
    for (uint32_t i = 0; i < nknown; i++) small_assert(s, known[i]);
    small_assert(s, property);
    int violated = bounded_literal(s->b, BOUNDED_AFTER, property, true, NULL, NULL, 0);
    int kept = bounded_literal(s->b, BOUNDED_AFTER, property, false, NULL, NULL, 0);
    for (s->frontier = 1; !small_stops(s); s->frontier++) {
        if (!small_clear_frontier(s, violated, kept)) return false;
        if (small_push(s)) {
            s->initial = 0;
            if (s->is_exact) {
                small_find_needed(s, violated);
                small_loosen_all(s);
            }
            small_find_needed(s, violated);
            return true;
        }
        prover_report(s->x, "small instance");
    }
    return false;
}
