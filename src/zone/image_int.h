// SPDX-License-Identifier: Apache-2.0
// Inside image*.c: one permutation, images of expressions and statements, rules in normal form.
#ifndef ZONE_IMAGE_INT_H
#define ZONE_IMAGE_INT_H

#include "base/str.h"
#include "model/instance.h"
#include "zone/image.h"
#include "zone/member.h"
#include "zone/slots.h"

enum { IMAGE_MOST_DEPTH = 4000 };  // of expressions; beyond it there is no image, which loses a symmetry but no answer

typedef struct {
    uint32_t stamp;  // of which question; another one: not known
    expr out;
} image_memo;

// One permutation.
typedef struct {
    int32_t v, w;                                          // the values that change places; equal: nothing changes
    uint8_t *params, *slots;                               // of the class
    uint32_t *funcs, *clocks, *processes, *types, *atoms;  // UINT32_MAX: without image
    image_memo *memo[2];                                   // where a constant keeps its value, and where it moves
    uint32_t closed, open;                                 // stamps: of expressions without variables, and with
    bool is_known;                                         // every function, clock and process has an image
} swap;

typedef struct {
    type ty;
    uint32_t number;
    var v;
} canonical_var;

typedef struct {
    uint32_t left, right, owner, is_strict;
    expr bound, when;
} flat_bound;

typedef struct {
    uint32_t clock;
    expr value, when;
} flat_reset;

// A rule, or its image, in normal form. The key has all of it except the order of statements.
typedef struct {
    const stmt *const *body;
    uint32_t nbody;
    uint32_t *key;
    size_t key_bytes;
} normal;

struct image {
    const instance *in;
    model *m;
    const sys_info *system;
    const timed_info *t;
    const slots *s;
    const members *all;
    uint32_t nexprs, nvars, ntypes, nslots;
    swap identity, current;
    map *made;            // rules by what they are made of and a number among those that agree in it
    uint32_t *rule_rank;  // that number
    arena *kept;          // as long as this: tables, and the rules' own normal forms
    normal *normals;      // by rule
    map *by_key;          // the first rule with a key
    uint32_t *next_like;  // with the same key; UINT32_MAX
    uint32_t *var_to;     // parameters of the rule looked at: ids of canonical variables
    uint32_t *atom_of;    // by variable: the number of the atom that it stands for, plus one
    VEC(canonical_var) pool;
    arena *memory;  // of one question
    const limits *within;
    uint32_t steps;
    uint32_t stamps, depth;
    bool gave_up;
    bool has_normals;  // every rule has a normal form; else nothing can be compared
    bool failed;       // there is no image
    span why;
};

// ---- image.c
bool image_moves_slot(const swap *p, uint32_t slot);
static inline int32_t image_moved(const swap *p, int32_t x) { return x == p->v ? p->w : x == p->w ? p->v : x; }
void image_begin(image *g,
                 swap *p);  // forgets what was remembered about expressions with variables
bool image_step(image *g);  // one more step; false: out of time

// ---- image_expr.c
expr image_fail(image *g, span at);
expr image_of(image *g, swap *p, expr e, uint32_t slot);
static inline expr image_if(image *g, swap *p, expr e) { return e.id ? image_of(g, p, e, SLOT_NONE) : e; }
var image_canonical(image *g, type ty, uint32_t number);

// ---- image_body.c
const stmt *const *image_stmts(image *g, swap *p, const stmt *const *body, uint32_t n, uint32_t *count);
// The same for bodies that are equal up to the order of statements.
uint64_t image_hash_body(const stmt *const *body, uint32_t n);
bool image_same_bodies(image *g, const stmt *const *a, uint32_t n, const stmt *const *b, uint32_t k);

// ---- image_rule.c
void image_index_rules(image *g);
// The rule that the chosen swap seems to make of rule number i, by its name; UINT32_MAX: none.
uint32_t image_namesake(const image *g, uint32_t i);
bool image_keeps_rules(image *g);
flat_bound image_bound(image *g, swap *p, const clock_bound *b);
void image_sort_bounds(flat_bound *list, uint32_t n);

#endif
