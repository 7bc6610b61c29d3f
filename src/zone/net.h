// SPDX-License-Identifier: Apache-2.0
// A timed system made executable: discrete steps by src/space, their clock conditions as bounds on matrices.
//
// Conditions that depend on the discrete state alone (where time stands still, which invariants apply, the
// formulas of queries) are compiled as checks of the space and come as bits. Bounds that are constants are
// kept as such; the reference evaluator computes the others.
#ifndef ZONE_NET_H
#define ZONE_NET_H

#include "model/eval.h"
#include "model/instance.h"
#include "space/space.h"
#include "zone/cover.h"
#include "zone/dbm.h"

// Conditions of the form cell = value and ... are tested without the evaluator; n = 0: always.
typedef struct {
    uint32_t first, n;  // in net.tests
} net_tests;

typedef struct {
    uint32_t cell;
    value is;
} net_test;

typedef struct {
    uint32_t left, right;
    bound b;  // if is_constant
    net_tests when;
    bool is_constant;
    const clock_bound *from;
    uint32_t check;  // of an invariant: which check says that it applies; UINT32_MAX: always
    uint32_t known;  // of a label: how many parameters must be known, up to the last that it mentions
} net_bound;

typedef struct {
    uint32_t clock;
    int32_t value;
    bool is_constant;
    net_tests when;
    const clock_reset *from;
} net_reset;

typedef struct {
    rule r;
    value *args;
    uint32_t first_bound, nbounds, first_reset, nresets;
    uint32_t known;  // the most that one of its bounds needs
    bool can_fault;  // its clock conditions or values: see net_label_faults()
    bool is_one_of;  // several of its rule, whose effects are asked for by net_effect()
} net_label;

// An expression that can fault, compiled as two checks: where both fail, it does.
typedef struct {
    expr e;
    uint32_t check, negated;
    uint32_t formula;  // of which query's formula; UINT32_MAX: it is evaluated in every state
} net_suspect;

// What is said of a clock's rate somewhere: checks, UINT32_MAX: never.
typedef struct {
    uint32_t clock;
    uint32_t stops;  // it is 0
    uint32_t runs;   // it is 1: asked only where others speak of the same clock
    uint32_t odd;    // it is something else
} net_rate;

// The largest numbers with which a clock is compared; -1: none.
typedef struct {
    uint32_t clock;
    int32_t lower, upper;
} net_limit;

// left - right within b, somewhere in the system or in a query.
typedef struct {
    uint32_t left, right;
    bound b;
    int32_t limit;  // net_difference_limit() of its number
} net_diagonal;

enum { NET_MOST_ATOMS = 64, NET_MOST_EXPANDED = 6, FORMULA_MOST_NODES = 4096 };

// A node of a formula that is a tree; kinds are those of expressions, E_CONST is a check, E_VAR an atom.
typedef struct {
    uint8_t kind;
    uint32_t first, n;  // below it; the check's number, the atom's
} formula_node;

// A formula over the discrete state and clock atoms (formula.c): a tree, or one check for each choice of truth values
// of its atoms, which are NET_MOST_EXPANDED at most.
typedef struct {
    expr e;
    uint32_t atoms[NET_MOST_ATOMS];  // numbers of timed_info.atoms
    uint32_t natoms, first_check;    // the first of its checks; without atoms: the formula itself
    const formula_node *nodes;       // NULL: it is no tree; what is below a node comes before it
    const uint32_t *below;
    uint32_t nnodes;
} net_formula;

typedef struct {
    arena *memory;
    const instance *in;
    const model *m;
    const timed_info *t;
    space *s;
    eval *ev;
    uint32_t n;      // dimension of matrices
    uint32_t words;  // of a packed state
    uint32_t check_words;
    VEC(net_label) labels;
    uint32_t most_bounds;   // of a label
    VEC(net_bound) bounds;  // of labels
    VEC(net_reset) resets;
    VEC(net_test) tests;
    VEC(net_bound) invariants;
    VEC(net_rate) rates;  // none: all clocks always run
    VEC(net_formula) formulas;
    VEC(expr) checks;
    VEC(net_suspect) suspects;
    uint32_t still, valid;     // checks
    uint32_t *location_cells;  // by process
    int32_t **lower, **upper;  // by process: location * n + clock
    uint32_t **first_limit;    // by process and location: where its limits begin
    VEC(net_limit) limits;
    int32_t *least_lower, *least_upper;  // for every state: from queries and bounds without a process
    const clock_bound *diagonal;         // one between two clocks, in a guard, invariant or query; NULL: none
    int64_t largest_set;                 // the largest number that a clock is set to, if there are diagonals
    VEC(net_diagonal) diagonals;         // along which zones are cut before they are abstracted (diagonals.c)
    bool keeps_regions;                  // lower = upper: for deadlocks and liveness
    bool is_abstract;                    // matrices are abstracted: they may be, and nobody forbids it
    int32_t most;                        // the largest bound of a clock
    bool needs_evaluator;                // some bound or value given to a clock is not constant
} net;

typedef struct net_sieve net_sieve;

// The steps of a state.
typedef struct {
    const net *x;
    net_sieve *sieve;  // NULL: no rule is taken apart
    uint64_t *state, *next;
    value *cells;
    uint32_t *labels;
    uint32_t count;
} net_steps;

static inline const uint64_t *net_step_to(const net_steps *s, uint32_t i) { return s->next + (size_t)i * s->x->words; }
static inline bool net_step_fails(const net_steps *s, uint32_t i) { return s->labels[i] & SPACE_TROUBLE; }
static inline uint32_t net_step_number(const net_steps *s, uint32_t i) { return s->labels[i] & ~SPACE_TROUBLE; }
static inline const net_label *net_step_label(const net_steps *s, uint32_t i) {
    return &s->x->labels.data[net_step_number(s, i)];
}

// One thread's room to work in.
typedef struct {
    arena *memory;
    const net *x;
    space_run *run;
    uint64_t *bits;  // which checks fail, of the state looked at last
    value *cells;
    net_steps steps;  // of whoever wants to know some
    int32_t *lower, *upper;
    bool is_far;       // a matrix that is not abstracted had bounds too large to be kept: it was left out
    bool *stands;      // clocks that stand still in the state looked at; the clock that is always 0 among them
    bool has_stops;    // ... and others
    bool met_stop;     // when time passed last, one of them stood still that some condition still asks for
    bool is_odd;       // a clock had a rate other than 0 and 1, or two different ones: the state was left out
    bool is_loose;     // what was found last is a matrix around what is meant, not just that (rates.c)
    uint32_t forgets;  // abstracted matrices say nothing about this clock; 0: about none
} net_room;

// What a net may rely on.
typedef struct {
    bool keeps_regions;  // as in net
    bool is_abstract;    // matrices are abstracted
    bool splits;         // who uses matrices cuts them by net_split(): otherwise differences forbid abstraction
    bool by_evaluator;   // discrete steps only by the evaluator, in states with one word per cell
    space_apart taken_apart;
} net_how;

// NULL, with a message, for what the engine does not accept. Formulas: by number, in the order given.
net *net_new(const instance *in, const expr *formulas, uint32_t nformulas, net_how how);
void net_free(net *x);
net_room *net_room_new(const net *x);
void net_room_free(net_room *w);

// Looks at a state: its bits, and its cells if they are needed for bounds.
void net_look(net_room *w, const uint64_t *state);
static inline bool net_bit(const net_room *w, uint32_t check) { return !(w->bits[check / 64] >> (check % 64) & 1); }
static inline bool net_is_still(const net_room *w) { return net_bit(w, w->x->still); }

// The guard of a label on a closed matrix; `cells` is the state before. False: impossible.
bool net_guard(const net *x, const net_label *l, const value *cells, bound *d);
// Is it made of and, or, not and the like above its clock conditions, and cannot fault?
bool formula_is_tree(const model *m, const timed_info *t, expr e);
void formula_make_tree(net *x, net_formula *f);
// In the state looked at, with some atoms known to be true or false: 0, 1, or FORMULA_WAITS + an atom that must be
// known first.
enum { FORMULA_WAITS = 2 };
uint32_t formula_value(const net_room *w, const net_formula *f, uint64_t known, uint64_t truth);
// The clocks that a label sets. False: one becomes negative.
bool net_resets(const net *x, const net_label *l, const value *cells, bound *d);
// What a label that is one of several does to clocks in a state: its bounds, and what it sets each clock to. Of
// labels of one rule, equal effects change a matrix in the same way. False: a clock becomes negative.
static inline uint32_t net_effect_size(const net *x, const net_label *l) { return l->nbounds + x->n; }
bool net_effect(const net *x, const net_label *l, const value *cells, int32_t *effect);
// One bound of a label in a state; BOUND_INF: it does not apply.
bound net_label_bound(const net *x, const net_label *l, const net_bound *b, const value *cells);
// What a label sets each clock to, the last value counts; NET_UNSET: nothing. As the evaluator says, with the
// parameters bound.
#define NET_UNSET INT32_MIN
void net_settings(const net *x, const net_label *l, const value *cells, int32_t *set);
void net_plain_settings(const net *x, const rule_info *r, const value *cells, int32_t *set);
// Enters the state looked at: its invariants hold, time passes if it may, the matrix is abstracted. False:
// impossible, or it cannot be kept.
bool net_enter(net_room *w, bound *d, bool abstract);
// ---- differences of clocks (diagonals.c)
// False: there are too many, or they cannot be listed.
bool net_find_diagonals(net *x);
// What the bounds of both clocks are at least where their difference may still be compared with c.
int32_t net_difference_limit(const net *x, int64_t c);
// The parts of a matrix of the state looked at that are each on one side of every difference; to be abstracted one by
// one. Without differences: d itself.
void net_split(net_room *w, const bound *d, dbm_list *out);
// On which sides it is, by the room's bounds of the state.
uint64_t net_sign(const net_room *w, const bound *d);
// Abstracts such a part by the room's bounds.
void net_abstract_part(const net_room *w, bound *d);

// The clocks as the system starts: a matrix of one point.
void net_first_zone(const net *x, bound *d);

// ---- clocks that stand still (rates.c)
void net_add_rates(net *x);
// Which clocks stand still in the state looked at. By the evaluator: false: a rate is neither 0 nor 1.
void net_find_stops(net_room *w);
bool net_plain_stops(const net *x, const value *cells, bool *stands);
// Time passes in the state looked at, if it may; is_loose: the matrix is more than what is reached.
void net_let_pass(net_room *w, bound *d, bool abstract);
// From where time leads to d while these clocks stand still, or some of that; then is_loose is set.
void net_come_from(net_room *w, const bool *stands, bound *d);

// Abstracts a matrix of the state looked at, if matrices are. False: it cannot be kept (is_far).
bool net_abstract(net_room *w, bound *d);
// The part of d from which the label leads to the state looked at (with its invariants).
bool net_before(net_room *w, const net_label *l, const value *cells, bound *d);

// Finds what can fault, before checks are compiled (faults.c).
void net_find_suspects(net *x);
bool net_label_can_fault(const net *x, const net_label *l);
// Does something that the state looked at asks for fault in it: its invariants (UINT32_MAX), or a query's formula?
bool net_faults(net_room *w, uint32_t formula, fault *out);
// ... or a clock condition or value of a label?
bool net_label_faults(const net *x, const net_label *l, const value *cells, fault *out);

// The steps of a state, which may be s->state.
net_steps net_steps_new(const net *x, arena *memory);
void net_steps_look(net_steps *s, const uint64_t *state);  // the state alone
void net_steps_find(net_steps *s, net_room *w, const uint64_t *state);
// ... perhaps without some that are not possible from any point of d (sieve.c).
void net_steps_within(net_steps *s, net_room *w, const uint64_t *state, const bound *d);
net_sieve *net_sieve_new(const net *x, arena *memory);
// Does step i change neither the state nor a clock?
bool net_step_is_idle(const net_steps *s, uint32_t i);

// The parts of d from which step i may be taken: its guard holds, and no step of higher priority is possible.
// Leaves w looking at some other state.
void net_parts(net_room *w, const net_steps *s, uint32_t i, const bound *d, dbm_list *out);

// An expression that space computes in every state; its number.
uint32_t net_add_check(net *x, expr e);
// A label's values for the parameters of its rule, in the evaluator.
void net_bind_label(const net *x, const net_label *l);
value net_priority(const net *x, const net_label *l, const value *cells);

// A bound of an invariant or atom in a state; as the evaluator says.
bound net_plain_bound(const net *x, const clock_bound *b, const value *cells);
bound net_bound_in(const net *x, const net_bound *b, const value *cells);
bound net_atom_bound(const net *x, uint32_t atom, const value *cells);

// Do the bounds of abstracted matrices fit into narrow ones (cover.h)?
static inline bool net_is_narrow(const net *x) { return x->is_abstract && x->most <= COVER_NARROW; }
// Tells values of a clock apart up to a limit in every state; clock 0: nothing. From above: a smaller value is as good.
void net_watch_clock(net *x, uint32_t clock, int32_t limit, bool from_above);
// Fills lower and upper of every process and location (bounds.c).
void net_find_bounds(net *x);
// The bounds of the state whose cells are given, into w->lower and w->upper.
void net_bounds_in(net_room *w, const value *cells);

#endif
