// SPDX-License-Identifier: Apache-2.0
// One state, tried: see selfcheck.h for what and why, selfcheck.c for when.
//
// The permutation g comes from the state's hash: half of the time it exchanges two elements of one sort, else it
// permutes all sorts at random; where all states are tried, exchanges of neighbours, one after the other, are tried
// too, some at once: what a label does in s is computed once for them. Rules are tried label by label, from a label
// that also comes from the hash on, as far as the steps of the evaluator reach: the code of all that lead somewhere,
// the symmetry of rules with loops, and of the rest a part, another one in each state. Where a rule does not do exactly
// g of what it did in s (a slot of a multiset may be another one in g(s), a loop may take the first element that it
// meets), the orbits of all successors of s and g(s) are compared: that relation is what the search needs.
#include "explore/search.h"

#include "base/order.h"
#include "base/rng.h"
#include "explore/sameorbit.h"
#include "explore/share.h"
#include "model/renaming.h"
#include "model/walk.h"
#include "result/cell.h"

#include <string.h>

enum {
    MOST_PROMISES = 16,   // successors of a state looked up in the store
    SUCCESSOR_EVERY = 4,  // of this many states, one has the representative of a successor tried
    ORBIT_STEPS = 20000,  // to compare the orbits of all successors
    LABEL_EVERY = 4,      // of this many labels, one is tried in a state in any case
    MOST_AT_ONCE = 8,     // permutations
};

// What a label does in a state; an excluded step is none, but not a deadlock.
typedef enum { STEP_NONE, STEP_EXCLUDED, STEP_FIRES, STEP_FAULT, STEP_LIMIT, STEP_REFUSED, STEP_CUT } step_kind;

typedef struct {
    step_kind kind;
    prop refused;  // STEP_REFUSED: by the first requirement of this one
} step;

// A permutation that is tried.
typedef struct {
    renaming *g;
    value *image;              // g(s)
    bool is_fixed;             // g(s) is s
    bool has_compared_orbits;  // of all successors: they agree
} permuted;

struct selfcheck {
    arena *memory;
    eval *ev;
    permuted at_once[MOST_AT_ONCE], *p;  // one of them
    uint32_t npermuted;
    type_list sorts;
    value *cells;                // s
    value *after, *image_after;  // a successor of s, and of g(s)
    value *expected, *args, *image_args;
    uint64_t *packed, *representative, *failed;
    VEC(uint64_t) orbits[2];
    VEC(uint64_t) promises;  // a state, a successor of it, the position: for each
    selfcheck_counts done;
};

// A state that is tried.
typedef struct {
    search *s;
    worker *w;
    selfcheck *c;
    uint64_t position;
    uint32_t n;  // successors in w->next
    rng random;
    uint32_t turn;           // which labels are tried
    uint64_t more;           // steps given beyond the plan
    bool is_broken;          // something failed
    bool has_code;           // there is code to try, and it was not tried yet
    bool has_chosen;         // a permutation of this state's own was tried
    uint32_t sort, element;  // the next two neighbours to exchange
} sample;

// Rounds of a loop in a sequence see what earlier ones did.
static bool has_sequential_loop(const stmt *s) {
    walk w = walk_stmt(NULL, s, WALK_STMTS);
    while (walk_next(&w)) {
        if (w.s->kind == S_FORALL || w.s->kind == S_WHILE) return walk_found(&w);
        if (w.s->kind == S_PAR) walk_skip(&w);
    }
    return false;
}

bool selfcheck_find_suspects(search *s) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    bool *out = s->tried.is_suspect = mem_zero(s->in->m->rules.len, sizeof *out), any = false;
    for (uint32_t i = 0; i < system->rules.len && s->is_reduced; i++) {
        const stmt *body = rule_of(s->in->m, system->rules.data[i])->body;
        any |= out[system->rules.data[i].id] = body && has_sequential_loop(body);
    }
    return any;
}

static selfcheck *selfcheck_new(search *s) {
    arena *memory = arena_new();
    selfcheck *c = arena_alloc(memory, sizeof *c);
    c->memory = memory;
    c->ev = eval_new(s->in);
    for (uint32_t k = 0; k < MOST_AT_ONCE; k++) {
        c->at_once[k].g = renaming_new(s->in);
        c->at_once[k].image = arena_alloc(memory, s->in->ncells * sizeof(value));
    }
    c->p = c->at_once;
    space_permuted(s->x->sp, &c->sorts);
    value **const states[] = {&c->cells, &c->after, &c->image_after, &c->expected};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        *states[i] = arena_alloc(memory, s->in->ncells * sizeof(value));
    c->args = arena_alloc(memory, s->nparams * sizeof *c->args);
    c->image_args = arena_alloc(memory, s->nparams * sizeof *c->image_args);
    c->packed = arena_alloc(memory, s->words * sizeof *c->packed);
    c->representative = arena_alloc(memory, s->words * sizeof *c->representative);
    c->failed = arena_alloc(memory, (s->nchecks / 64 + 1) * sizeof *c->failed);
    return c;
}

void selfcheck_free(selfcheck *c) {
    if (!c) return;
    eval_free(c->ev);
    for (uint32_t k = 0; k < MOST_AT_ONCE; k++) renaming_free(c->at_once[k].g);
    vec_free(&c->sorts);
    vec_free(&c->orbits[0]);
    vec_free(&c->orbits[1]);
    vec_free(&c->promises);
    arena_free(c->memory);
}

void selfcheck_count(search *s, selfcheck *c) {
    s->tried.done.steps += c->done.steps;
    s->tried.done.states += c->done.states;
    for (uint32_t i = 0; i < TRIED_KINDS; i++) s->tried.done.tried[i] += c->done.tried[i];
    c->done = (selfcheck_counts){0};
}

// Work other than the evaluator's is paid for with the same steps.
static void charge(selfcheck *c, uint64_t steps) {
    uint64_t left = eval_steps_left(c->ev);
    eval_set_limit(c->ev, left > steps ? left - steps : 0);
}

static bool is_same_packed(const search *s, const uint64_t *a, const uint64_t *b) {
    return !memcmp(a, b, s->words * sizeof *a);
}

static bool is_same_state(const search *s, const value *a, const value *b) {
    return !memcmp(a, b, s->in->ncells * sizeof *a);
}

// ---- failures, in the user's words

static const char *const engine_names[] = {[SPACE_EVALUATOR] = "the evaluator",
                                           [SPACE_BYTECODE] = "bytecode",
                                           [SPACE_MACHINE] = "machine code",
                                           [SPACE_NATIVE] = "native code"};

static void fail_sample(sample *x, tried_kind kind, const char *what) {
    selfcheck_note(x->w, x->position, kind, (span){0}, x->c->cells, "%s", what);
    x->is_broken = true;
}

// `how`: what g(s) shows that s does not.
static void fail_about(sample *x, tried_kind kind, span at, const char *who, const char *how) {
    str g = {0};
    renaming_text(x->c->p->g, &g);
    if (kind == TRIED_CODE)
        selfcheck_note(x->w, x->position, kind, at, x->c->cells, "%s makes something else of %s than the evaluator",
                       engine_names[space_engine_of(x->s->x->sp)], who);
    else selfcheck_note(x->w, x->position, kind, at, x->c->cells, "with %s, %s %s", str_get(&g), who, how);
    str_free(&g);
    x->is_broken = true;
}

static void fail_label(sample *x, tried_kind kind, rule r) {
    str who = {0};
    str_char(&who, '\'');
    cell_label(x->s->in, r, x->c->args, &who);
    str_char(&who, '\'');
    fail_about(x, kind, rule_of(x->s->in->m, r)->at, str_get(&who), "does something else");
    str_free(&who);
}

// ---- packing

// A state in a file is read again: it is looked for among those in memory only.
static bool is_found_again(const sample *x, store_id id) {
    const store *states = x->s->x->states;
    if (store_id_local(id) >= store_on_disk(states, store_id_part(id))) return store_find(states, x->w->state) == id;
    return store_read(states, id, 1, x->c->packed) && is_same_packed(x->s, x->c->packed, x->w->state);
}

static void try_packing(sample *x, store_id id) {
    const search *s = x->s;
    selfcheck *c = x->c;
    c->done.tried[TRIED_PACKING]++;
    charge(c, 2 * s->in->ncells);
    space_unpack(s->x->sp, x->w->state, c->cells);
    space_pack(s->x->sp, c->cells, c->packed);
    if (!is_same_packed(s, c->packed, x->w->state)) fail_sample(x, TRIED_PACKING, "packing changes a state");
    else if (!is_found_again(x, id)) fail_sample(x, TRIED_PACKING, "the store does not find a state again");
}

// Packed into c->packed, and back: the same?
static void try_packing_after(sample *x) {
    const search *s = x->s;
    selfcheck *c = x->c;
    charge(c, 2 * s->in->ncells);
    space_pack(s->x->sp, c->after, c->packed);
    space_unpack(s->x->sp, c->packed, c->expected);
    if (!is_same_state(s, c->expected, c->after)) fail_sample(x, TRIED_PACKING, "packing changes a successor");
}

static bool is_same_but_locals(const instance *in, const value *a, const value *b) {
    const sys_info *system = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < system->funcs.len; i++) {
        func f = system->funcs.data[i];
        size_t first = in->first_cell[f.id], n = instance_func_cells(in, f);
        if (!func_of(in->m, f)->is_scratch && memcmp(a + first, b + first, n * sizeof *a)) return false;
    }
    return true;
}

// The first, second, fourth, … initial state.
void selfcheck_initial(search *s, const value *cells, const uint64_t *packed) {
    uint64_t n = ++s->tried.ninitial;
    bool is_wanted = s->options->self_check == SELF_CHECK_ALL || !(n & (n - 1));
    if (s->options->self_check == SELF_CHECK_OFF || !is_wanted) return;
    worker *w = s->workers[0];
    s->tried.done.tried[TRIED_PACKING]++;
    space_unpack(s->x->sp, packed, w->cells);
    if (!is_same_but_locals(s->in, cells, w->cells))
        selfcheck_note(w, 0, TRIED_PACKING, (span){0}, cells, "packing changes something that an initial state has");
}

// ---- permutations

static void exchange_two(sample *x, type t, uint32_t a, uint32_t b) {
    value *to = renaming_open(x->c->p->g, t), kept = to[a];
    to[a] = to[b];
    to[b] = kept;
}

static void choose_exchange(sample *x) {
    type t = x->c->sorts.data[rng_below(&x->random, x->c->sorts.len)];
    uint32_t n = instance_type_size(x->s->in, t), a = rng_below(&x->random, n), b = rng_below(&x->random, n - 1);
    exchange_two(x, t, a, b < a ? b : b + 1);
}

static bool shuffle(sample *x, type t) {
    value *to = renaming_open(x->c->p->g, t);
    bool is_identity = true;
    for (uint32_t i = instance_type_size(x->s->in, t); i-- > 1;) exchange_two(x, t, i, rng_below(&x->random, i + 1));
    for (uint32_t i = 0; i < instance_type_size(x->s->in, t); i++) is_identity &= to[i] == (value)i;
    return !is_identity;
}

static void forget_permutation(sample *x) {
    for (uint32_t k = 0; k < x->c->sorts.len; k++) {
        value *to = renaming_open(x->c->p->g, x->c->sorts.data[k]);
        for (uint32_t i = 0; i < instance_type_size(x->s->in, x->c->sorts.data[k]); i++) to[i] = (value)i;
    }
}

// Never the identity.
static void choose_permutation(sample *x) {
    bool is_changed = false;
    forget_permutation(x);
    if (rng_next(&x->random) & 1)
        for (uint32_t k = 0; k < x->c->sorts.len; k++) is_changed |= shuffle(x, x->c->sorts.data[k]);
    if (!is_changed) choose_exchange(x);
}

// Exchanges of neighbours generate all permutations; one after the other. False: there are no more.
static bool next_neighbours(sample *x) {
    if (x->sort == x->c->sorts.len) return false;
    type t = x->c->sorts.data[x->sort];
    forget_permutation(x);
    exchange_two(x, t, x->element, x->element + 1);
    if (++x->element + 1 < instance_type_size(x->s->in, t)) return true;
    x->sort++;
    x->element = 0;
    return true;
}

static bool next_permutation(sample *x) {
    if (x->has_chosen) return x->s->tried.is_all && next_neighbours(x);
    choose_permutation(x);
    return x->has_chosen = true;
}

static void make_image(sample *x) {
    selfcheck *c = x->c;
    charge(c, 2 * x->s->in->ncells);
    renaming_close(c->p->g);
    renaming_state(c->p->g, c->cells, c->p->image);
    c->p->is_fixed = is_same_state(x->s, c->cells, c->p->image);
    c->p->has_compared_orbits = false;
}

// Those that are tried next, with their images. False: there are no more, or no steps for them.
static bool next_permutations(sample *x) {
    selfcheck *c = x->c;
    for (c->npermuted = 0; c->npermuted < MOST_AT_ONCE && eval_steps_left(c->ev); c->npermuted++) {
        c->p = &c->at_once[c->npermuted];
        if (!next_permutation(x)) break;
        make_image(x);
    }
    return c->npermuted;
}

// ---- what a label does, by the evaluator

static step do_step(sample *x, const value *cells, rule r, const value *args, value *after) {
    eval *ev = x->c->ev;
    step out = {STEP_NONE, {0}};
    charge(x->c, 2 + x->s->in->ncells / 8);
    switch (eval_step(ev, cells, r, args, after, &out.refused)) {
    case EVAL_NONE: out.kind = eval_is_excluded(ev) ? STEP_EXCLUDED : STEP_NONE; break;
    case EVAL_FIRES: out.kind = STEP_FIRES; break;
    case EVAL_REFUSED: out.kind = STEP_REFUSED; break;
    case EVAL_FAULTY: out.kind = eval_fault(ev).kind == FAULT_LIMIT ? STEP_LIMIT : STEP_FAULT; break;
    }
    if (eval_is_cut(ev)) out.kind = STEP_CUT;
    if (out.kind != STEP_REFUSED) out.refused = (prop){0};
    return out;
}

// ---- code

// The place of a label among the successors, or n. They are in order of their labels.
static uint32_t find_successor(const sample *x, uint32_t label) {
    uint32_t low = 0, high = x->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((x->w->labels[middle] & ~SPACE_TROUBLE) < label) low = middle + 1;
        else high = middle;
    }
    return low < x->n && (x->w->labels[low] & ~SPACE_TROUBLE) == label ? low : x->n;
}

static bool is_code_right(sample *x, uint32_t label, step e) {
    uint32_t i = find_successor(x, label);
    bool is_there = i < x->n, is_trouble = is_there && x->w->labels[i] & SPACE_TROUBLE;
    if (e.kind == STEP_NONE || e.kind == STEP_EXCLUDED) return !is_there;
    if (e.kind != STEP_FIRES) return is_trouble;
    if (!is_there || is_trouble) return false;
    try_packing_after(x);
    return x->is_broken || is_same_packed(x->s, x->c->packed, x->w->next + (size_t)i * x->s->words);
}

// Successors come in order, each label once.
static bool are_labels_in_order(const sample *x) {
    for (uint32_t i = 1; i < x->n; i++)
        if ((x->w->labels[i - 1] & ~SPACE_TROUBLE) >= (x->w->labels[i] & ~SPACE_TROUBLE)) return false;
    return true;
}

// ---- orbits of all successors

enum { ORBIT_OF_STEP = 16 };  // codes below are kinds of steps

static void add_orbit(sample *x, uint32_t side, step e, const value *from, const value *after) {
    selfcheck *c = x->c;
    uint64_t code = e.kind + ((uint64_t)e.refused.id << 8);
    if (e.kind == STEP_FIRES) {
        charge(c, 2 * x->s->in->ncells);
        space_pack(x->s->x->sp, after, c->representative);
        space_canonical_exact(x->w->run, c->representative);
        code = store_hash(x->s->x->states, c->representative) | ORBIT_OF_STEP;
        if (!is_same_state(x->s, from, after)) vec_push(&c->orbits[side], ORBIT_OF_STEP - 1);  // a change
    }
    if (e.kind != STEP_NONE) vec_push(&c->orbits[side], code);
}

static uint32_t sort_codes(uint64_t *codes, uint32_t n) {
    uint32_t kept = 0;
    if (n) qsort(codes, n, sizeof *codes, order_u64);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || codes[kept - 1] != codes[i]) codes[kept++] = codes[i];
    return kept;
}

// False when it takes too long.
static bool collect_orbits(sample *x, uint32_t side, const value *cells) {
    selfcheck *c = x->c;
    value *args = x->w->args;
    c->orbits[side].len = 0;
    for (uint32_t label = 0; label < x->s->nlabels; label++) {
        rule r = space_label(x->s->x->sp, label, args);
        step e = do_step(x, cells, r, args, c->expected);
        if (e.kind == STEP_CUT) return false;
        add_orbit(x, side, e, cells, c->expected);
    }
    c->orbits[side].len = sort_codes(c->orbits[side].data, c->orbits[side].len);
    return true;
}

// Do s and g(s) lead to the same orbits? A suspicion is worth more steps than a sample has; later samples pay for them.
// If they run out nevertheless, nothing is known and nothing is reported.
static bool are_orbits_same(sample *x) {
    selfcheck *c = x->c;
    x->more += ORBIT_STEPS;
    eval_set_limit(c->ev, eval_steps_left(c->ev) + ORBIT_STEPS);
    if (!collect_orbits(x, 0, c->cells) || !collect_orbits(x, 1, c->p->image)) return true;
    return c->orbits[0].len == c->orbits[1].len &&
           !memcmp(c->orbits[0].data, c->orbits[1].data, c->orbits[0].len * sizeof *c->orbits[0].data);
}

// ---- labels

static bool has_multisets(const instance *in) { return sys_of(in->m, in->system)->bags.len > 0; }

static bool is_ordered_image(sample *x) {
    charge(x->c, 3 * x->s->in->ncells);
    renaming_state(x->c->p->g, x->c->after, x->c->expected);
    return is_same_state(x->s, x->c->expected, x->c->image_after);
}

// Is c->image_after the image of c->after? Most cells did not change, and their images are known.
static bool is_image_state(sample *x) {
    const selfcheck *c = x->c;
    const instance *in = x->s->in;
    if (has_multisets(in)) return is_ordered_image(x);
    charge(x->c, in->ncells / 4);
    for (uint32_t i = 0; i < in->ncells; i++) {
        uint32_t to = c->p->g->cell_to[i];
        bool is_changed = c->after[i] != c->cells[i];
        value expected = is_changed ? renaming_value(c->p->g, cell_type(in, i), c->after[i]) : c->p->image[to];
        if (c->image_after[to] != expected) return false;
    }
    return true;
}

static bool is_image(sample *x, step e, step image) {
    if (e.kind != image.kind || e.refused.id != image.refused.id) return false;
    return e.kind != STEP_FIRES || is_image_state(x);
}

// What the label's image does in g(s); where both are the same, it is what was computed.
static step do_image(sample *x, rule r, step e) {
    const selfcheck *c = x->c;
    renaming_args(c->p->g, r, c->args, c->image_args);
    bool is_same =
        c->p->is_fixed && !memcmp(c->args, c->image_args, rule_of(x->s->in->m, r)->nparams * sizeof *c->args);
    if (!is_same) return do_step(x, c->p->image, r, c->image_args, c->image_after);
    if (e.kind == STEP_FIRES) memcpy(c->image_after, c->after, x->s->in->ncells * sizeof *c->after);
    return e;
}

static bool try_permuted(sample *x, rule r, step e) {
    if (x->c->p->has_compared_orbits) return true;
    step image = do_image(x, r, e);
    if (image.kind == STEP_CUT) return false;
    if (is_image(x, e, image)) return true;
    x->c->p->has_compared_orbits = true;
    if (!are_orbits_same(x)) fail_label(x, TRIED_SYMMETRY, r);
    return true;
}

// False when steps run out.
static bool try_symmetry_of(sample *x, rule r, step e) {
    selfcheck *c = x->c;
    for (uint32_t k = 0; k < c->npermuted && !x->is_broken; k++) {
        c->p = &c->at_once[k];
        if (!try_permuted(x, r, e)) return false;
    }
    return true;
}

// Other states try other labels.
static bool is_turn(const sample *x, uint32_t label) {
    return x->s->tried.is_all || (label + x->turn) % LABEL_EVERY == 0;
}

// False when steps run out. The code of labels that lead somewhere is tried in every state, and so is the symmetry of
// suspects.
static bool try_label(sample *x, uint32_t label) {
    selfcheck *c = x->c;
    rule r = space_label(x->s->x->sp, label, c->args);
    bool is_code = x->has_code && (is_turn(x, label) || find_successor(x, label) < x->n);
    bool is_symmetry = x->s->is_reduced && (is_turn(x, label) || x->s->tried.is_suspect[r.id]);
    if (!is_code && !is_symmetry) return true;
    step e = do_step(x, c->cells, r, c->args, c->after);
    if (e.kind == STEP_CUT) return false;
    if (is_code && !is_code_right(x, label, e)) fail_label(x, TRIED_CODE, r);
    return !is_symmetry || x->is_broken || try_symmetry_of(x, r, e);
}

static void try_labels(sample *x) {
    uint32_t n = x->s->nlabels, first = n ? rng_below(&x->random, n) : 0;
    x->turn = rng_below(&x->random, LABEL_EVERY);
    if (x->has_code && !are_labels_in_order(x)) fail_about(x, TRIED_CODE, (span){0}, "the order of labels", "");
    for (uint32_t i = 0; i < n && !x->is_broken; i++)
        if (!try_label(x, (first + i) % n)) return;
}

// ---- conditions

typedef enum { COND_HOLDS, COND_FAILS, COND_FAULTS, COND_CUT } cond_value;

static cond_value value_in(sample *x, const ask *a, const value *cells) {
    bool holds = eval_expr(x->c->ev, cells, a->cond);
    if (eval_is_cut(x->c->ev)) return COND_CUT;
    if (eval_fault(x->c->ev).kind) return COND_FAULTS;
    return holds ? COND_HOLDS : COND_FAILS;
}

static void fail_condition(sample *x, tried_kind kind, const ask *a) {
    str who = {0};
    str_printf(&who, "'%s'", a->name);
    fail_about(x, kind, expr_of(x->s->in->m, a->cond)->at, str_get(&who), "has another value");
    str_free(&who);
}

// False when steps run out.
static bool try_condition_in(sample *x, const ask *a, cond_value v) {
    cond_value image = x->c->p->is_fixed ? v : value_in(x, a, x->c->p->image);
    if (image == COND_CUT) return false;
    if (image != v) fail_condition(x, TRIED_SYMMETRY, a);
    return true;
}

static bool try_condition(sample *x, uint32_t check) {
    selfcheck *c = x->c;
    const ask *a = &x->s->asks.data[x->s->check_ask[check]];
    cond_value v = value_in(x, a, c->cells);
    if (v == COND_CUT) return false;
    bool is_failed = v == COND_FAULTS || (a->kind == ASK_COVER) == (v == COND_HOLDS);
    bool is_failed_in_code = c->failed[check / 64] >> (check % 64) & 1;
    if (x->has_code && is_failed != is_failed_in_code) fail_condition(x, TRIED_CODE, a);
    for (uint32_t k = 0; k < c->npermuted && !x->is_broken; k++) {
        c->p = &c->at_once[k];
        if (!try_condition_in(x, a, v)) return false;
    }
    return true;
}

static void try_conditions(sample *x) {
    if (x->has_code) space_check(x->w->run, x->w->state, x->c->failed);
    for (uint32_t i = 0; i < x->s->nchecks && !x->is_broken; i++)
        if (!try_condition(x, i)) return;
}

// ---- representatives

static void try_image_representative(sample *x) {
    const search *s = x->s;
    selfcheck *c = x->c;
    bool is_exact = s->options->symmetry == SYMMETRY_EXACT;
    charge(c, 2 * s->in->ncells);
    memcpy(c->packed, x->w->state, s->words * sizeof *c->packed);
    space_pack(s->x->sp, c->p->image, c->representative);
    if (is_exact) space_canonical(x->w->run, c->representative);
    else space_canonical_exact(x->w->run, c->representative);
    if (!is_exact) space_canonical_exact(x->w->run, c->packed);
    if (!is_same_packed(s, c->packed, c->representative))
        fail_about(x, TRIED_SYMMETRY, (span){0}, "the same state", "has another representative");
}

static void try_image_representatives(sample *x) {
    for (uint32_t k = 0; k < x->c->npermuted && !x->is_broken; k++) {
        x->c->p = &x->c->at_once[k];
        try_image_representative(x);
    }
}

static const uint64_t *choose_successor(sample *x, uint32_t *i) {
    for (uint32_t k = 0; k < x->n; k++, *i = (*i + 1) % x->n)
        if (!(x->w->labels[*i] & SPACE_TROUBLE)) return x->w->next + (size_t)*i * x->s->words;
    return NULL;
}

// Is the representative of a successor a renaming of it?
static void try_successor_representative(sample *x) {
    const search *s = x->s;
    selfcheck *c = x->c;
    uint32_t i = x->n ? rng_below(&x->random, x->n) : 0;
    const uint64_t *next = choose_successor(x, &i);
    if (!next) return;
    memcpy(c->representative, next, s->words * sizeof *next);
    space_canonical(x->w->run, c->representative);
    space_unpack(s->x->sp, next, c->after);
    space_unpack(s->x->sp, c->representative, c->image_after);
    uint64_t steps = eval_steps_left(c->ev), before = steps;
    sameorbit_answer answer = sameorbit(s->in, &c->sorts, c->after, c->image_after, &steps);
    charge(c, before - steps);
    if (answer == ORBIT_OTHER)
        fail_sample(x, TRIED_SYMMETRY, "the representative of a successor is not a renaming of it");
}

// ---- the store

static void add_promise(sample *x, const uint64_t *next) {
    const search *s = x->s;
    selfcheck *c = x->c;
    charge(c, 8);
    memcpy(c->representative, next, s->words * sizeof *next);
    if (s->is_reduced) space_canonical(x->w->run, c->representative);
    for (uint32_t k = 0; k < s->words; k++) vec_push(&c->promises, x->w->state[k]);
    for (uint32_t k = 0; k < s->words; k++) vec_push(&c->promises, c->representative[k]);
    vec_push(&c->promises, x->position);
}

static void add_promises(sample *x) {
    uint32_t i = x->n ? rng_below(&x->random, x->n) : 0;
    for (uint32_t k = 0; k < x->n && k < MOST_PROMISES; k++, i = (i + 1) % x->n)
        if (!(x->w->labels[i] & SPACE_TROUBLE)) add_promise(x, x->w->next + (size_t)i * x->s->words);
}

uint32_t selfcheck_promise_words(const search *s) { return 2 * s->words + 1; }

const uint64_t *selfcheck_promised(const search *s, const uint64_t *promise) { return promise + s->words; }

const uint64_t *selfcheck_promises(const worker *w, uint32_t *words) {
    *words = w->check ? w->check->promises.len : 0;
    return w->check ? w->check->promises.data : NULL;
}

static bool is_kept_here(const search *s, const uint64_t *promise) {
    return share_owns(s, store_hash_part(store_hash(s->x->states, selfcheck_promised(s, promise))));
}

static void keep_promise(search *s, worker *w, const uint64_t *promise) {
    selfcheck *c = w->check;
    uint64_t position = promise[selfcheck_promise_words(s) - 1];
    if (store_find(s->x->states, selfcheck_promised(s, promise)) != STORE_NONE) return;
    if (settle_expect(s, selfcheck_promised(s, promise))) return;
    space_unpack(s->x->sp, promise, c->cells);
    sample x = {.s = s, .w = w, .c = c, .position = position};
    fail_sample(&x, TRIED_PACKING, "the store does not have a successor");
}

void selfcheck_keep_promises(search *s, worker *w) {
    selfcheck *c = w->check;
    for (uint32_t i = 0; i < c->promises.len; i += selfcheck_promise_words(s))
        if (is_kept_here(s, c->promises.data + i)) keep_promise(s, w, c->promises.data + i);
    c->promises.len = 0;
}

void selfcheck_keep_given(search *s, const uint64_t *promises, uint64_t words) {
    worker *w = s->workers[0];
    if (words && !w->check) w->check = selfcheck_new(s);
    for (uint64_t i = 0; i < words; i += selfcheck_promise_words(s)) keep_promise(s, w, promises + i);
}

// ---- all of it

// With the permutations chosen, if there is symmetry.
static void try_all(sample *x) {
    try_conditions(x);
    try_image_representatives(x);
    if (!x->is_broken) try_labels(x);
    x->has_code = false;
}

static void try_state(sample *x, store_id id) {
    x->c->npermuted = 0;
    try_packing(x, id);
    if (x->is_broken) return;
    if (!x->s->is_reduced) try_all(x);
    while (x->s->is_reduced && !x->is_broken && next_permutations(x)) try_all(x);
    bool is_wanted = x->s->tried.is_all || rng_below(&x->random, SUCCESSOR_EVERY) == 0;
    if (!x->is_broken && x->s->is_reduced && is_wanted) try_successor_representative(x);
    if (!x->is_broken && !x->s->tried.is_over) add_promises(x);
}

void selfcheck_state(search *s, worker *w, store_id id, uint64_t position, uint32_t n) {
    if (!w->check) w->check = selfcheck_new(s);
    selfcheck *c = w->check;
    sample x = {.s = s, .w = w, .c = c, .position = position, .n = n};
    x.has_code = space_engine_of(s->x->sp) != SPACE_EVALUATOR;
    x.random.state = store_hash(s->x->states, w->state);
    eval_set_limit(c->ev, s->tried.cap);
    c->done.tried[TRIED_CODE] += x.has_code;
    c->done.tried[TRIED_SYMMETRY] += s->is_reduced;
    try_state(&x, id);
    c->done.steps += s->tried.cap + x.more - eval_steps_left(c->ev);
    c->done.states++;
}
