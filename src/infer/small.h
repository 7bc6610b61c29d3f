// SPDX-License-Identifier: Apache-2.0
// An invariant of an instance of fixed sizes, as orbits of cubes that it excludes: see small.c. Candidates for all
// sizes are made of it by orbit.c, and shown by grow.c.
#ifndef INFER_SMALL_H
#define INFER_SMALL_H

#include "infer/diagram.h"
#include "infer/prover.h"
#include "logic/bounded.h"
#include "model/eval.h"
#include "model/instance.h"

// A word at elements; a literal is its number times two, and one more where it is false.
typedef struct {
    uint32_t word;
    uint8_t args[WORD_MOST_FORMALS];  // elements, of the sorts of the word's formals
} small_place;

typedef VEC(uint32_t) small_cube;  // literals that are all true, in order

typedef struct {
    small_cube c;
    uint32_t level;  // the last frame it is in
    int act;         // under which its orbit is excluded, or what loosen.c made of it
    int met;         // a step leads into what loosen.c made of it; 0: it made nothing
    expr loose;      // that, as a formula
    bool is_needed;  // for the property, in the end
} small_lemma;

typedef struct {
    prover *x;
    const instance *in;
    bounded *b;
    diagram_maker d;
    eval *ev;
    VEC(small_place) places;
    VEC(uint32_t) first;  // by word: its first place
    int *lits[3];         // by bounded_when and literal; 0: none yet
    type_list sorts;
    uint32_t *offset;       // by type id: the first variable of a diagram that stands for an element of it
    uint32_t nvars;         // of a diagram: all elements
    VEC(type) type_of_var;  // by variable
    int initial;            // literal: frame 0 is the initial states; 0: its lemmas are all that is known
    uint32_t nsame;         // the first samples are of these sizes
    bool is_forall;         // the others say something of the present cube, too: see small_is_seen()
    bits rigid;             // words
    VEC(small_lemma) lemmas;
    uint32_t frontier;
    bool is_exact;  // frame 0 is the initial states, and so on: more work for each lemma, and better ones
    limits limits;
    uint64_t most_work;
} small;

// `property` holds in every state; `known` are other invariants, of all sizes. False: no answer.
bool small_search(small *s, expr property, const expr *known, uint32_t nknown);
// Words come from the present pool. False if there are too many places.
bool small_start(small *s, prover *x, const instance *in, const grow_options *o);
void small_stop(small *s);
// The literal at other elements: to[v] is the variable of a diagram in the place of v.
uint32_t small_image(const small *s, uint32_t literal, const uint8_t *to);
// The elements that a cube is about, as variables of a diagram.
uint32_t small_elements(const small *s, const small_cube *c);
uint32_t small_elements_of(const small *s, uint32_t literal);
bool small_has_whole_sort(const small *s, uint32_t elements);
bool small_stops(const small *s);  // at a limit
// Does a sampled state meet the cube?
bool small_is_seen(small *s, const small_cube *c);
// Is it not seen, not met by an initial state nor by a step from the frame before `level`, outside the cube's orbit?
// Then `used` gets literals that keep it out. False as well where that is not known.
bool small_is_out(small *s, const small_cube *c, uint32_t level, bits *used);
// The same of one member of something that is excluded under `self`, whatever was sampled.
bool small_is_out_given(small *s, const small_cube *c, uint32_t level, int self, bits *used);
void small_insert(small_cube *c, uint32_t literal);
void small_restrict(const small_cube *c, const bits *keep, small_cube *out);
int small_literal(small *s, bounded_when when, uint32_t literal);  // the solver's
// The cube as a diagram's, over all elements; freed by cube_free().
void small_to_cube(small *s, const small_cube *c, cube *out);

// ---- widen.c: takes out of a cube that is out of the frame what is not needed for that.
void widen_cube(small *s, small_cube *c, uint32_t level);

// ---- loosen.c: a cube over variables, of which some may be the same element
typedef struct {
    cube q;
    bits same, all;  // pairs of variables as in diagram.c; all facts
} loose_cube;

// What is as far out of the frame as the cube is, and excludes more; false if there is nothing.
bool loosen_cube(small *s, const small_cube *c, uint32_t level, loose_cube *out);
// Literals: no state before a step meets it; the state after it does. False if it has too many members.
bool loose_state(small *s, const loose_cube *l, int *excluded, int *met);
expr loose_formula(small *s, const loose_cube *l);  // no state meets it
void loose_free(loose_cube *l);

// ---- orbit.c
bool orbit_has(const small_cube *c, uint32_t literal);
uint32_t orbit_swapped(const small *s, uint32_t literal, uint32_t a, uint32_t b);  // the literal, a and b exchanged
// Elements that can be exchanged with v, and v; by a filter: what it rejects of the cube does not tell elements apart.
uint32_t orbit_class(const small *s, const small_cube *c, uint32_t v, bool (*counts)(const small *s, uint32_t literal));
// Formulas, for every size, that say of an instance of this size what the lemma says, or its cube's orbit, are
// appended: `out` with ∀ only, `mixed` with ∃ where that is possible.
void orbit_formulas(small *s, const small_lemma *l, expr_list *out, expr_list *mixed);

#endif
