// SPDX-License-Identifier: Apache-2.0
// Samples: the states of small instances, all of them where there are not too many, and random runs of larger
// ones.
//
// A clause that is false in any of them is not an invariant, so more samples mean fewer useless candidates; but
// nothing is ever proved from samples.
#include "infer/prover.h"

#include "explore/further.h"
#include "base/rng.h"
#include "model/eval.h"

#include <math.h>
#include <string.h>

enum { MOST_STATES = 400000, RUN_LENGTH = 8, MOST_STARTS = 256, BATCH = 4096, MOST_ROWS = 40000000 };
enum {
    WIDE_SIZE = 3,
    WIDE_LARGEST = 4,
    WIDE_STATES = 20000,
    WIDE_FEWEST = 200,
    WIDE_WORK = 60000000,
    WIDE_START_BITS = 24
};
enum { DEEP_LARGEST = 6, DEEP_WORK = 100000000, DEEP_STARTS = 64, DEEP_START_BITS = 72 };
enum { MOST_SEARCHED = 4000000 };  // states, for a run that a sample says is there

static sample *sample_explored(const instance *in, const explored *kept) {
    const space *sp = explored_space(kept);
    uint32_t n = (uint32_t)explored_count(kept);
    sample *s = sample_new(in, n);
    uint64_t *state = mem_zero(space_words(sp) + 1, sizeof *state);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells);
    explored_walk *walk = explored_walk_new(kept);
    while (explored_walk_next(walk, state)) {
        space_unpack(sp, state, cells);
        sample_add(s, cells);
    }
    explored_walk_free(walk);
    free(state);
    free(cells);
    return s;
}

static explore_options search_options(const prover *x) {
    explore_options e = {.threads = x->o->threads, .symmetry = SYMMETRY_EXACT, .engine = ENGINE_BYTECODE};
    e.self_check = SELF_CHECK_OFF;  // no proof rests on samples, and a run that is found is replayed
    e.limit_states = x->o->limit_states ? x->o->limit_states : MOST_STATES;
    e.limits = x->o->limits;
    return e;
}

bool survey_explore(prover *x, const sort_size *sizes, uint32_t nsizes) {
    prover_report(x, "exploring");
    instance *in = instance_new(x->m, x->system, sizes, nsizes);
    if (!in) return false;
    vec_push(&x->out->instances, in);
    explore_options options = search_options(x);
    options.finds_doubts = true;
    options.limits = limits_within(&x->o->limits, limits_left(&x->o->limits) / 2);  // a part of the states will do
    result *r = result_new();
    explored *kept = NULL;
    explore_end end = explore_run(in, &x->property, 1, &options, r, &kept);
    if (kept && explored_count(kept)) {
        vec_push(&x->samples, sample_explored(in, kept));
        x->out->stats.states = explored_count(kept);
        x->out->stats.explore_seconds = r->stats.seconds;
    }
    explored_free(kept);
    bool violated = r->verdict == VERDICT_VIOLATED, refused = result_with_trace(r) != NULL;
    proof_keep_small(x->out, r, in);
    if (violated) x->out->verdict = VERDICT_VIOLATED;
    bool is_cut = end == END_LIMIT && (!x->samples.len || prover_out_of_time(x));
    return !violated && !refused && !is_cut;
}

// About how many evaluations the successors of a state take: a guard for every choice of parameters, and in it every
// choice for quantifiers.
static double survey_state_cost(const prover *x, const instance *in, uint32_t size) {
    double all = 1;
    for (uint32_t r = 0; r < sys_of(x->m, x->walked)->rules.len; r++) {
        const rule_info *info = rule_of(x->m, sys_of(x->m, x->walked)->rules.data[r]);
        double n = info->guard.id ? pow(size, expr_of(x->m, info->guard)->nesting) : 1;
        for (uint32_t i = 0; i < info->nparams; i++) n *= instance_type_size(in, var_of(x->m, info->params[i])->ty);
        all += n;
    }
    return all;
}

static uint64_t survey_wide_states(const prover *x, const instance *in, uint32_t size) {
    double n = WIDE_WORK / survey_state_cost(x, in, size);
    return n > WIDE_STATES ? WIDE_STATES : n < WIDE_FEWEST ? WIDE_FEWEST : (uint64_t)n;
}

// How many bits say how an instance may start, where not all starts are alike.
static double survey_start_bits(const prover *x, const instance *in) {
    double n = 0;
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->funcs.len; i++) {
        func f = sys_of(x->m, x->system)->funcs.data[i];
        const func_info *info = func_of(x->m, f);
        if (info->starts_any) n += instance_func_cells(in, f) * log2(instance_type_size(in, info->result));
    }
    return n;
}

static uint32_t survey_all_of(const prover *x, uint32_t size, sort_size *sizes) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->pool->sorts.len; i++)
        if (!type_of(x->m, x->pool->sorts.data[i])->fixed_size) sizes[n++] = (sort_size){x->pool->sorts.data[i], size};
    return n;
}

// The first states of instances of growing sizes, until every rule has fired in one: what lemmas of frames must not
// exclude. An instance that is violated is no reason to stop: others look for that. Where there are too many starts to
// look at all of them, runs are drawn instead.
void survey_wide(prover *x) {
    for (uint32_t size = WIDE_SIZE; size <= WIDE_LARGEST; size++) {
        sort_size sizes[POOL_SORTS];
        uint32_t n = survey_all_of(x, size, sizes);
        instance *in = instance_try(x->m, x->walked, sizes, n);
        if (!in) return;
        vec_push(&x->out->instances, in);
        if (survey_start_bits(x, in) > WIDE_START_BITS) {
            sample *of = runs_sample(x, sizes, n, RUNS_STARTS);
            if (of) vec_push(&x->wide, of);
            return;
        }
        explore_options options = search_options(x);
        options.limit_states = survey_wide_states(x, in, size);
        options.finds_doubts = true;
        result *r = result_new();
        explored *kept = NULL;
        explore_run(in, NULL, 0, &options, r, &kept);
        if (kept && explored_count(kept)) vec_push(&x->wide, sample_explored(in, kept));
        bool is_tried = true;
        for (uint32_t i = 0; i < r->doubts.len; i++) is_tried &= r->doubts.data[i].kind != DOUBT_RULE;
        explored_free(kept);
        result_free(r);
        if (is_tried) return;
    }
}

static bool survey_can_run(const prover *x, uint32_t size, const sort_size *sizes, uint32_t n) {
    instance *in = instance_try(x->m, x->system, sizes, n);
    bool ok =
        in && survey_state_cost(x, in, size) * RUNS_STEPS <= DEEP_WORK && survey_start_bits(x, in) <= DEEP_START_BITS;
    if (in) instance_free(in);
    return ok;
}

// First states say little where a sort is used up by the way: of a lock that is handed on in epochs, three epochs allow
// one hand-over, and "there is one message" excludes nothing that was seen.
sample *survey_deep(prover *x) {
    sort_size sizes[POOL_SORTS];
    for (uint32_t size = DEEP_LARGEST; size >= WIDE_SIZE; size--) {
        uint32_t n = survey_all_of(x, size, sizes);
        if (!survey_can_run(x, size, sizes, n)) continue;
        return runs_sample(x, sizes, n, DEEP_STARTS);
    }
    return NULL;
}

// ---- random runs

typedef VEC(uint32_t) walk_group;

// States of a larger instance are sought by runs that start where something new was met before: states whose
// rows were not among the samples' are kept, and later runs start from them. All successors on the way count.
// With phases, starts are drawn evenly from the states of each choice of them: those with two threads in their commits
// are few, and most facts are about these.
typedef struct {
    prover *x;
    const instance *in;
    const space *sp;
    space_run *run;
    uint32_t words;
    VEC(uint64_t) pool;     // packed states to start from
    VEC(uint32_t) phases;   // cells that groups differ in
    VEC(value) key;         // what they are in one state
    map *numbers;           // of groups
    VEC(walk_group) fresh;  // states of the pool whose successors were not looked at, by group
    uint32_t nfresh;
    VEC(uint64_t) batch;  // states of this round
    uint64_t *state, *next;
    uint32_t *labels;
    value *cells;
    rng random;
    bool is_wrong;  // a state that violates the property was met, or a step that is refused or faults
} walk;

// One that differs in phases from all before makes a group.
static uint32_t walk_group_of(walk *w, const uint64_t *state) {
    vec_clear(&w->key);
    vec_push(&w->key, 0);
    if (w->phases.len) space_unpack(w->sp, state, w->cells);
    for (uint32_t i = 0; i < w->phases.len; i++) vec_push(&w->key, w->cells[w->phases.data[i]]);
    uint32_t g = map_intern(w->numbers, w->key.data, w->key.len * sizeof *w->key.data, w->fresh.len);
    if (g == w->fresh.len) vec_push(&w->fresh, (walk_group){0});
    return g;
}

static void push_fresh(walk *w, const uint64_t *state) {
    uint32_t g = walk_group_of(w, state), number = w->pool.len / w->words;
    vec_push(&w->fresh.data[g], number);
    w->nfresh++;
}

static void push_state(walk *w, bool to_pool, const uint64_t *state) {
    if (to_pool) push_fresh(w, state);
    for (uint32_t i = 0; i < w->words; i++) {
        if (to_pool) vec_push(&w->pool, state[i]);
        else vec_push(&w->batch, state[i]);
    }
}

static bool collect_start(const value *state, void *context) {
    walk *w = context;
    space_pack(w->sp, state, w->state);
    push_state(w, true, w->state);
    return w->pool.len / w->words < MOST_STARTS;
}

// Adds all successors to the round and goes to one of them; false when there is none.
static bool survey_walk_step(walk *w) {
    uint32_t n = space_next(w->run, w->state, w->next, w->labels), good = 0;
    for (uint32_t i = 0; i < n; i++) {
        w->is_wrong |= (w->labels[i] & SPACE_TROUBLE) != 0;
        if (w->labels[i] & SPACE_TROUBLE) continue;
        w->labels[good++] = i;
        push_state(w, false, w->next + (size_t)i * w->words);
    }
    if (!good) return false;
    uint32_t chosen = w->labels[rng_below(&w->random, good)];
    memcpy(w->state, w->next + (size_t)chosen * w->words, w->words * 8);
    return true;
}

// A state of the pool: one that was not looked at, as long as there are any.
static uint32_t choose_start(walk *w) {
    if (!w->nfresh) return rng_below(&w->random, w->pool.len / w->words);
    uint32_t g = w->fresh.len > 1 ? rng_below(&w->random, w->fresh.len) : 0;
    while (!w->fresh.data[g].len) g = (g + 1) % w->fresh.len;
    walk_group *of = &w->fresh.data[g];
    uint32_t i = rng_below(&w->random, of->len), from = of->data[i];
    of->data[i] = vec_last(of);
    of->len--;
    w->nfresh--;
    return from;
}

// A property that fails in a sampled state is not to be proved.
static void survey_check_batch(walk *w) {
    uint64_t failed = 0;
    for (uint32_t i = 0; i < w->batch.len && !w->is_wrong; i += w->words)
        w->is_wrong = !space_check(w->run, w->batch.data + i, &failed);
}

static void walk_batch(walk *w) {
    vec_clear(&w->batch);
    while (w->batch.len / w->words < BATCH) {
        uint32_t length = w->nfresh ? 1 : 1 + rng_below(&w->random, RUN_LENGTH);
        memcpy(w->state, w->pool.data + (size_t)choose_start(w) * w->words, w->words * 8);
        push_state(w, false, w->state);
        while (length && survey_walk_step(w)) length--;
    }
}

static sample *sample_packed(walk *w, const uint64_t *states, uint32_t n) {
    sample *s = sample_new(w->in, n);
    for (uint32_t i = 0; i < n; i++) {
        space_unpack(w->sp, states + (size_t)i * w->words, w->cells);
        sample_add(s, w->cells);
    }
    return s;
}

// The states of a round that gave something new go to the pool; how many.
static uint32_t walk_round(walk *w) {
    walk_batch(w);
    survey_check_batch(w);
    uint32_t n = w->batch.len / w->words, found = 0;
    sample *s = sample_packed(w, w->batch.data, n);
    valuation *v = valuation_new(w->x->pool, s);
    bits novel = {0};
    side_add_sample(w->x, v, &novel);
    for (uint32_t i = bits_next(&novel, 0); i != UINT32_MAX; i = bits_next(&novel, i + 1), found++)
        push_state(w, true, w->batch.data + (size_t)i * w->words);
    w->x->out->stats.sampled += n;
    bits_free(&novel);
    valuation_free(v);
    sample_free(s);
    return found;
}

// Are the states that gave something new those of an instance of the same sizes?
static bool is_found_in(const prover *x, const instance *in) {
    bool same = x->found_in != NULL;
    for (uint32_t i = 1; i < x->m->types.len && same; i++)
        if (x->m->types.data[i].kind == TYPE_SORT) same = x->found_in->sort_size[i] == in->sort_size[i];
    return same;
}

static void walk_rounds(walk *w, uint64_t states) {
    uint32_t labels = space_labels(w->sp), from = is_found_in(w->x, w->in) ? w->pool.len / w->words : 0;
    w->run = space_run_new(w->sp);
    w->next = mem_zero((size_t)labels * w->words + 1, 8);
    w->labels = mem_zero(labels + 1, sizeof *w->labels);
    for (uint64_t n = 0; n < states && !prover_out_of_time(w->x) && !w->is_wrong; n += BATCH)
        if (walk_round(w) < BATCH / 2000) break;
    uint32_t n = w->pool.len / w->words;
    if (n > from) vec_push(&w->x->samples, sample_packed(w, w->pool.data + (size_t)from * w->words, n - from));
    free(w->next);
    free(w->labels);
    space_run_free(w->run);
}

// How many rows a state of the instance gives: one for each binding of each schema's variables.
static uint64_t rows_a_state(const prover *x, const instance *in) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < x->schemas.len; i++) {
        const rows *r = x->schemas.data[i];
        uint64_t n = 1;
        for (uint32_t k = 0; k < r->nvars; k++)
            n *= instance_type_size(in, x->pool->sorts.data[r->vars[k] / POOL_PER_SORT]);
        all += n;
    }
    return all;
}

// The same instance again: its new states are where the next runs start.
static void resume(walk *w) {
    for (uint32_t i = 0; i < w->x->found_states.len; i++) vec_push(&w->pool, w->x->found_states.data[i]);
}

static void remember(walk *w) {
    vec_clear(&w->x->found_states);
    for (uint32_t i = 0; i < w->pool.len; i++) vec_push(&w->x->found_states, w->pool.data[i]);
    w->x->found_in = w->in;
}

// One element less of a sort, if that still goes wrong.
static bool survey_shrink(prover *x, const further_options *how, sort_size *one, result **r, instance **in) {
    instance *fewer;
    if (one->size < 2) return false;
    one->size--;
    result *found = further_at(x->m, x->system, x->property, how, &fewer);
    if (!found) {
        one->size++;
        return false;
    }
    result_free(*r);
    instance_free(*in);
    *r = found;
    *in = fewer;
    return true;
}

void survey_violation(prover *x, const sort_size *sizes, uint32_t nsizes) {
    instance *in;
    sort_size least[POOL_SORTS];
    memcpy(least, sizes, nsizes * sizeof *least);
    bool is_less = x->o->limit_states && x->o->limit_states < MOST_SEARCHED;
    uint64_t states = is_less ? x->o->limit_states : MOST_SEARCHED;
    further_options how = {.from = least, .nfrom = nsizes, .states = states, .threads = x->o->threads};
    how.limits = limits_within(&x->o->limits, limits_left(&x->o->limits) / 10);
    result *r = further_at(x->m, x->system, x->property, &how, &in);
    for (uint32_t i = 0; r && i < nsizes; i++)
        while (survey_shrink(x, &how, &least[i], &r, &in)) continue;
    if (r) prover_take_violation(x, r, in);
}

// What a function says that has a few named values.
static void walk_find_phases(walk *w) {
    const model *m = w->x->m;
    value args[MODEL_MOST_ARGS];
    for (uint32_t c = 0; c < w->in->ncells; c++) {
        type t = func_of(m, instance_cell_func(w->in, c, args))->result;
        if (type_of(m, t)->kind == TYPE_ENUM) vec_push(&w->phases, c);
    }
}

static void walk_free(walk *w) {
    for (uint32_t i = 0; i < w->fresh.len; i++) vec_free(&w->fresh.data[i]);
    vec_free(&w->fresh);
    vec_free(&w->phases);
    vec_free(&w->key);
    vec_free(&w->pool);
    vec_free(&w->batch);
    map_free(w->numbers);
    free(w->state);
    free(w->cells);
}

void survey_walk(prover *x, const sort_size *sizes, uint32_t nsizes, uint64_t states, bool by_phases) {
    prover_report(x, "sampling");
    instance *in = instance_new(x->m, x->system, sizes, nsizes);
    if (!in) return;
    vec_push(&x->out->instances, in);
    expr cond = prop_of(x->m, x->property)->cond;
    space_options options = {.checks = &cond, .nchecks = prop_of(x->m, x->property)->kind == PROP_INVARIANT};
    space *sp = space_new(in, &options);
    if (!sp) return;
    walk w = {.x = x, .in = in, .sp = sp, .words = space_words(sp), .random = {x->o->seed + x->nwalks++}};
    w.state = mem_zero(w.words + 1, 8);
    w.cells = mem_zero(in->ncells + 1, sizeof *w.cells);
    w.numbers = map_new();
    if (by_phases) walk_find_phases(&w);
    if (is_found_in(x, in)) resume(&w);
    else eval_initial_within(in, &x->o->limits, collect_start, &w, NULL);
    uint64_t most = MOST_ROWS / rows_a_state(x, in);
    if (w.pool.len) walk_rounds(&w, states < most ? states : most);
    remember(&w);
    if (w.is_wrong) survey_violation(x, sizes, nsizes);
    walk_free(&w);
    space_free(sp);
}

// ---- larger sizes

void survey_grown(const prover *x, uint32_t least, sort_size *sizes, uint32_t *n) {
    *n = 0;
    for (uint32_t i = 0; i < x->pool->sorts.len; i++) {
        type t = x->pool->sorts.data[i];
        uint32_t now = x->out->instances.data[0]->sort_size[t.id];
        if (!type_of(x->m, t)->fixed_size) sizes[(*n)++] = (sort_size){t, now > least ? now : least};
    }
}

bool survey_further(prover *x, uint64_t states) {
    sort_size sizes[POOL_SORTS];
    uint32_t n;
    survey_grown(x, 0, sizes, &n);
    if (x->o->limit_states && x->o->limit_states < states) states = x->o->limit_states;
    further_options how = {.from = sizes, .nfrom = n, .states = states, .threads = x->o->threads};
    how.limits = limits_within(&x->look, x->look_seconds);
    prover_report(x, "looking at larger sizes");
    instance *in;
    result *r = further_violation(x->m, x->system, x->property, &how, &in);
    if (r) prover_take_violation(x, r, in);
    x->has_looked = true;
    return r != NULL;
}
