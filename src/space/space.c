// SPDX-License-Identifier: Apache-2.0
// The executable successor relation: puts layout, lowering, bytecode, native code and symmetry together.
#include "space/space.h"

#include "model/eval.h"
#include "space/bags.h"
#include "space/bodies.h"
#include "space/compose.h"
#include "space/emit_c.h"
#include "space/interp.h"
#include "space/ir.h"
#include "space/layout.h"
#include "space/lower.h"
#include "space/machine.h"
#include "space/native.h"
#include "space/slow.h"
#include "space/symmetry.h"

#include <assert.h>
#include <string.h>

// Linear code, and what runs it.
typedef struct {
    ir_code code;
    interp *bytecode;
    machine *machine;  // NULL: none
} routine;

struct space {
    const instance *in;
    layout *l;
    lowering program, walk_program;
    routine next, check;
    routine walk;           // to the least state of an orbit; without bytecode: not made
    bodies *code;           // bodies of labels that are called
    uint32_t ncalled;       // how many
    VEC(uint32_t) slow;     // labels left to the evaluator, ascending
    bags *multisets;        // NULL: none
    VEC(expr) slow_checks;  // all of them, or none
    uint32_t nchecks;
    bool by_evaluator;
    symmetry *symmetric;  // NULL: none
    bool is_heuristic;
    uint32_t napart;          // rules that are taken apart
    native *compiled;         // NULL: not started
    const char *start_error;  // why it could not be
    native_next native_next;  // NULL: bytecode
    native_check native_check;
    native_canonical native_canonical;  // NULL: none was made
};

struct space_run {
    arena *memory;
    const space *s;
    uint64_t *next_registers, *check_registers, *walk_registers;
    uint64_t *least;  // where the walk leads to
    symmetry_run *symmetric;
    bodies_run *code;  // NULL: no label is called
    slow *evaluator;   // NULL: no label needs it
    composer *parts;   // NULL: no rule is taken apart
    value *args;
    uint64_t *slow_next;  // successors of slow labels, before they are put in their places
    uint32_t *slow_labels;
    const lower_rule *called;  // the rule of the label that was called last, whose labels end there
    uint32_t called_end;
    VEC(uint64_t) called_next;  // as many states as called_labels has labels
    VEC(uint32_t) called_labels;
};

// ---- routines

static bool routine_make(routine *r, const lowering *p) {
    r->bytecode = interp_new(p, &r->code);
    return r->bytecode != NULL;
}

static void routine_interpret(routine *r) {
    machine_free(r->machine);
    r->machine = NULL;
}

static void routine_free(routine *r) {
    routine_interpret(r);
    interp_free(r->bytecode);
    vec_free(&r->code);
}

// ---- making

static bool space_assemble(space *s) {
    ir_schedule_next(&s->program, &s->next.code);
    ir_schedule_checks(&s->program, &s->check.code);
    if (routine_make(&s->next, &s->program) && routine_make(&s->check, &s->program)) return true;
    const sys_info *system = sys_of(s->in->m, s->in->system);
    diag_error(s->in->m->messages, system->at, "'%s' is too large to compile at these sizes", system->name);
    return false;
}

void space_interpret(space *s) {
    routine_interpret(&s->next);
    routine_interpret(&s->check);
    routine_interpret(&s->walk);
    bodies_interpret(s->code);
}

// All or none. The walk needs none: canonical.c walks faster than bytecode does.
static void make_machines(space *s) {
    s->next.machine = machine_new(s->next.bytecode);
    s->check.machine = machine_new(s->check.bytecode);
    if (s->walk.bytecode) s->walk.machine = machine_new(s->walk.bytecode);
    bodies_assemble(s->code);
    if (!s->next.machine || !s->check.machine) space_interpret(s);
}

static void make_symmetry(space *s, const space_options *o) {
    if (o->symmetry) s->symmetric = symmetry_new(s->l, s->multisets, o->apart, o->napart);
    s->is_heuristic = o->symmetry == SYMMETRY_HEURISTIC;
    if (!s->symmetric || !symmetry_lower(s->symmetric, &s->walk_program)) return;
    ir_schedule_next(&s->walk_program, &s->walk.code);
    routine_make(&s->walk, &s->walk_program);
}

static void find_slow(space *s, const space_options *o) {
    bool is_slow = s->by_evaluator || s->program.has_slow_checks;
    for (uint32_t i = 0; is_slow && i < o->nchecks; i++) vec_push(&s->slow_checks, o->checks[i]);
    for (uint32_t i = 0; i < s->program.labels.len; i++) {
        if (s->program.labels.data[i].is_slow) vec_push(&s->slow, compose_binding(&s->program, i));
        s->ncalled += s->program.labels.data[i].is_called;
    }
}

space *space_new(const instance *in, const space_options *options) {
    space *s = mem_zero(1, sizeof *s);
    s->in = in;
    s->l = layout_new(in, options->is_plain);
    s->multisets = bags_new(s->l);
    s->nchecks = options->nchecks;
    s->by_evaluator = options->by_evaluator;
    s->code = bodies_new(s->l);
    lower_how how = {.by_evaluator = options->by_evaluator,
                     .calls_bodies = options->calls_bodies,
                     .is_expanded = options->taken_apart == SPACE_NONE_APART,
                     .is_apart = options->taken_apart == SPACE_ALL_APART};
    if (lower_instance(s->l, options->checks, options->nchecks, how, s->code, &s->program) && space_assemble(s)) {
        s->napart = compose_count(&s->program);
        bodies_seal(s->code);
        make_symmetry(s, options);
        if (!s->by_evaluator) make_machines(s);
        find_slow(s, options);
        return s;
    }
    space_free(s);
    return NULL;
}

void space_free(space *s) {
    if (!s) return;
    native_free(s->compiled);
    symmetry_free(s->symmetric);
    bags_free(s->multisets);
    bodies_free(s->code);
    routine_free(&s->next);
    routine_free(&s->check);
    routine_free(&s->walk);
    vec_free(&s->slow);
    vec_free(&s->slow_checks);
    lower_free(&s->program);
    lower_free(&s->walk_program);
    layout_free(s->l);
    free(s);
}

const instance *space_instance(const space *s) { return s->in; }

// ---- states and labels

uint32_t space_words(const space *s) { return s->l->words; }
uint32_t space_bits(const space *s) { return s->l->bits; }
void space_pack(const space *s, const value *cells, uint64_t *state) { layout_pack(s->l, cells, state); }
void space_unpack(const space *s, const uint64_t *state, value *cells) { layout_unpack(s->l, state, cells); }

// Cells that have a value for each combination of their bits need no look.
struct space_shape {
    uint32_t words, ncells;
    uint64_t *used;  // by word
    struct {
        uint32_t word, shift;
        uint64_t mask, most;
    } cells[];
};

static void shape_add(space_shape *h, const layout_cell *p, uint64_t most) {
    uint64_t mask = layout_mask(p->bits);
    h->used[p->word] |= mask << p->shift;
    if (most == mask) return;
    h->cells[h->ncells].word = p->word;
    h->cells[h->ncells].shift = p->shift;
    h->cells[h->ncells].mask = mask;
    h->cells[h->ncells++].most = most;
}

space_shape *space_shape_new(const space *s) {
    const instance *in = s->in;
    space_shape *h = mem_zero(1, sizeof *h + in->ncells * sizeof *h->cells);
    value *args = mem_zero(MODEL_MOST_ARGS + 1, sizeof *args);
    h->words = s->l->words;
    h->used = mem_zero(h->words + 1, sizeof *h->used);
    for (uint32_t c = 0; c < in->ncells; c++) {
        const layout_cell *p = &s->l->cells[c];
        const func_info *f = func_of(in->m, instance_cell_func(in, c, args));
        if (p->word < h->words && p->bits) shape_add(h, p, instance_type_size(in, f->result) - 1 + p->above);
    }
    free(args);
    return h;
}

void space_shape_free(space_shape *h) {
    free(h->used);
    free(h);
}

bool space_shape_fits(const space_shape *h, const uint64_t *state) {
    for (uint32_t k = 0; k < h->words; k++)
        if (state[k] & ~h->used[k]) return false;
    for (uint32_t i = 0; i < h->ncells; i++)
        if ((state[h->cells[i].word] >> h->cells[i].shift & h->cells[i].mask) > h->cells[i].most) return false;
    return true;
}

// The model may have got functions since the instance was made.
static bool has_function(const space *s, func f) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    for (uint32_t i = 0; i < system->funcs.len; i++)
        if (system->funcs.data[i].id == f.id) return true;
    return false;
}

void space_mask(const space *s, func f, uint64_t *mask) {
    if (!has_function(s, f)) return;
    uint32_t first = s->in->first_cell[f.id], n = instance_func_cells(s->in, f);
    for (uint32_t c = first; c < first + n; c++) {
        const layout_cell *p = &s->l->cells[c];
        if (p->word < s->l->words) mask[p->word] |= layout_mask(p->bits) << p->shift;
    }
}

uint32_t space_called(const space *s) { return s->ncalled; }
uint32_t space_rules_apart(const space *s) { return s->napart; }
uint32_t space_labels(const space *s) { return s->program.bindings; }

// The last rule that begins at the label or before it: rules without a binding begin where the next one does.
static uint32_t rule_with(const space *s, uint32_t label) {
    uint32_t first = 0, beyond = s->program.rules.len;
    while (beyond - first > 1) {
        uint32_t middle = first + (beyond - first) / 2;
        if (s->program.rules.data[middle].first <= label) first = middle;
        else beyond = middle;
    }
    return first;
}

// The values of a rule's parameters in the binding with that number.
static rule space_bind(const space *s, rule r, uint32_t rest, value *args) {
    const rule_info *info = rule_of(s->in->m, r);
    for (uint32_t i = info->nparams; i-- > 0;) {
        type t = var_of(s->in->m, info->params[i])->ty;
        uint32_t size = instance_type_size(s->in, t);
        args[i] = instance_type_first(s->in, t) + (value)(rest % size);
        rest /= size;
    }
    return r;
}

rule space_label(const space *s, uint32_t label, value *args) {
    const lower_rule *of = &s->program.rules.data[rule_with(s, label)];
    return space_bind(s, of->r, label - of->first, args);
}

// ---- running

static void make_slow(space_run *run) {
    const space *s = run->s;
    run->evaluator = slow_new(s->l);
    run->slow_next = arena_alloc(run->memory, (size_t)s->slow.len * s->l->words * sizeof *run->slow_next);
    run->slow_labels = arena_alloc(run->memory, s->slow.len * sizeof *run->slow_labels);
}

space_run *space_run_new(const space *s) {
    arena *memory = arena_new();
    space_run *run = arena_alloc(memory, sizeof *run);
    *run = (space_run){.memory = memory, .s = s};
    run->next_registers = interp_registers(s->next.bytecode, memory);
    run->check_registers = interp_registers(s->check.bytecode, memory);
    if (s->walk.bytecode) run->walk_registers = interp_registers(s->walk.bytecode, memory);
    run->least = arena_alloc(memory, s->l->words * sizeof *run->least);
    if (s->symmetric) run->symmetric = symmetry_run_new(s->symmetric);
    run->args = arena_alloc(memory, model_most_params(s->in->m) * sizeof *run->args);
    if (s->ncalled) run->code = bodies_run_new(s->code);
    if (s->slow.len || s->slow_checks.len) make_slow(run);
    if (s->napart) run->parts = composer_new(&s->program, memory);
    return run;
}

void space_run_free(space_run *run) {
    if (!run) return;
    symmetry_run_free(run->symmetric);
    slow_free(run->evaluator);
    bodies_run_free(run->code);
    vec_free(&run->called_next);
    vec_free(&run->called_labels);
    arena_free(run->memory);
}

// The successors by slow labels, into the run's own lists; returns how many.
static uint32_t next_slow(space_run *run, const uint64_t *state) {
    const space *s = run->s;
    uint32_t n = 0, words = s->l->words;
    slow_state(run->evaluator, state);
    for (uint32_t i = 0; i < s->slow.len; i++) {
        rule r = space_label(s, s->slow.data[i], run->args);
        uint64_t *next = run->slow_next + (size_t)n * words;
        eval_end end = slow_fire(run->evaluator, r, run->args, next);
        if (end == EVAL_NONE) continue;
        if (end != EVAL_FIRES) memcpy(next, state, words * sizeof *next);
        run->slow_labels[n++] = s->slow.data[i] | (end == EVAL_FIRES ? 0 : SPACE_TROUBLE);
    }
    return n;
}

// Puts a list of k steps into a list of n, by label, from the end.
static void merge_steps(space_run *run, uint64_t *next, uint32_t *labels, uint32_t n, const uint64_t *more,
                        const uint32_t *more_labels, uint32_t k) {
    size_t words = run->s->l->words;
    while (k) {
        bool is_more = !n || (labels[n - 1] & ~SPACE_TROUBLE) < (more_labels[k - 1] & ~SPACE_TROUBLE);
        const uint64_t *from = is_more ? more + --k * words : next + --n * words;
        labels[n + k] = is_more ? more_labels[k] : labels[n];
        memcpy(next + (n + k) * words, from, words * sizeof *next);
    }
}

static uint32_t next_quick(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels) {
    const space *s = run->s;
    if (s->native_next) return s->native_next(state, next, labels);
    if (s->next.machine) return machine_next(s->next.machine, run->next_registers, state, next, labels);
    return interp_next(s->next.bytecode, run->next_registers, state, next, labels);
}

static bool space_is_called(const space *s, uint32_t label) {
    return !(label & SPACE_TROUBLE) && s->program.labels.data[label].is_called;
}

// Most labels that are called belong to the rule of the one before.
static rule called_label(space_run *run, uint32_t label) {
    if (!run->called || label < run->called->compiled || label >= run->called_end)
        run->called = compose_source(&run->s->program, label, &run->called_end);
    return space_bind(run->s, run->called->r, label - run->called->compiled, run->args);
}

// The step by a label that is called, after n steps of a list; how many the list has then.
static uint32_t fire_called(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels, uint32_t n,
                            uint32_t label) {
    size_t words = run->s->l->words;
    uint64_t *to = next + n * words;
    rule r = called_label(run, label);
    body_end end = bodies_fire(run->code, r, run->args, state, to);
    if (end == BODY_NONE) return n;
    if (end == BODY_TROUBLE) memcpy(to, state, words * sizeof *to);
    labels[n] = label | (end == BODY_TROUBLE ? SPACE_TROUBLE : 0);
    return n + 1;
}

// Takes the labels that are called out of a list of n, which has no states for them, and runs their bodies: the steps
// are in the run's own lists then, as many as this returns.
static uint32_t take_called(space_run *run, const uint64_t *state, uint32_t *labels, uint32_t *n) {
    size_t words = run->s->l->words;
    uint32_t steps = 0, kept = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (!space_is_called(run->s, labels[i])) {
            labels[kept++] = labels[i];
            continue;
        }
        vec_reserve(&run->called_next, (steps + 1) * words);
        vec_reserve(&run->called_labels, steps + 1);
        steps = fire_called(run, state, run->called_next.data, run->called_labels.data, steps, labels[i]);
    }
    *n = kept;
    return steps;
}

// Runs the bodies of labels that are called. Steps that turn out to be impossible are left out.
static uint32_t next_called(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels, uint32_t n) {
    uint32_t called = 0, steps = 0;
    for (uint32_t i = 0; i < n; i++) called += space_is_called(run->s, labels[i]);
    if (called < n) {
        steps = take_called(run, state, labels, &n);
        merge_steps(run, next, labels, n, run->called_next.data, run->called_labels.data, steps);
        return n + steps;
    }
    for (uint32_t i = 0; i < n; i++) steps = fire_called(run, state, next, labels, steps, labels[i]);
    return steps;
}

// The evaluator's successors are in order already.
static void order_multisets(const space *s, const uint64_t *state, uint64_t *next, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) bags_order(s->multisets, state, next + (size_t)i * s->l->words);
}

// What was compiled: the numbers are those of `program`.
static uint32_t next_compiled(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels) {
    const space *s = run->s;
    uint32_t n = next_quick(run, state, next, labels);
    return s->ncalled ? next_called(run, state, next, labels, n) : n;
}

static uint32_t next_composed(space_run *run, const uint64_t *state, const space_sieve *sieve, uint64_t *next,
                              uint32_t *labels) {
    uint32_t n = next_compiled(run, state, composer_next(run->parts), composer_labels(run->parts));
    return composer_run(run->parts, n, sieve, next, labels);
}

uint32_t space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels) {
    return space_next_sifted(run, state, NULL, next, labels);
}

uint32_t space_next_sifted(space_run *run, const uint64_t *state, const space_sieve *sieve, uint64_t *next,
                           uint32_t *labels) {
    const space *s = run->s;
    uint32_t n = s->napart ? next_composed(run, state, sieve, next, labels) : next_compiled(run, state, next, labels);
    if (s->multisets) order_multisets(s, state, next, n);
    if (!s->slow.len) return n;
    uint32_t k = next_slow(run, state);
    merge_steps(run, next, labels, n, run->slow_next, run->slow_labels, k);
    return n + k;
}

bool space_check(space_run *run, const uint64_t *state, uint64_t *failed) {
    const space *s = run->s;
    uint32_t words = (s->nchecks + 63) / 64;
    if (words == 1) *failed = 0;  // memset() may write it in a way that whoever reads it next must wait for
    else memset(failed, 0, words * sizeof *failed);
    if (s->slow_checks.len) slow_check(run->evaluator, state, s->slow_checks.data, s->nchecks, failed);
    else if (s->native_check) s->native_check(state, failed);
    else if (s->check.machine) machine_check(s->check.machine, run->check_registers, state, failed);
    else interp_check(s->check.bytecode, run->check_registers, state, failed);
    for (uint32_t i = 0; i < words; i++)
        if (failed[i]) return false;
    return true;
}

static void walk_by_machine(space_run *run, uint64_t *state) {
    uint32_t label;
    machine_next(run->s->walk.machine, run->walk_registers, state, run->least, &label);
    memcpy(state, run->least, run->s->l->words * sizeof *state);
}

void space_canonical(space_run *run, uint64_t *state) {
    if (run->s->native_canonical) run->s->native_canonical(state);
    else if (run->s->walk.machine) walk_by_machine(run, state);
    else if (run->symmetric) symmetry_canonical(run->symmetric, state, run->s->is_heuristic);
}

void space_canonical_exact(space_run *run, uint64_t *state) {
    if (run->symmetric) symmetry_canonical(run->symmetric, state, false);
}

bool space_is_reduced(const space *s) { return s->symmetric != NULL; }

void space_permuted(const space *s, type_list *out) {
    if (s->symmetric) symmetry_sorts(s->symmetric, out);
}

// ---- engines

space_engine space_engine_of(const space *s) {
    if (s->by_evaluator) return SPACE_EVALUATOR;
    return s->native_next ? SPACE_NATIVE : s->next.machine ? SPACE_MACHINE : SPACE_BYTECODE;
}

// As measured with GCC 12: starting it, and what it needs for an instruction.
double space_native_seconds(const space *s) {
    uint64_t instructions = (uint64_t)s->next.code.len + s->check.code.len + s->walk.code.len;
    return 0.1 + 250e-6 * (double)instructions;
}

bool space_native_start(space *s) {
    if (s->compiled) return true;
    str text = {0};
    emit_c(&s->program, &s->next.code, &s->check.code, &text);
    if (s->walk.bytecode) emit_c_canonical(&s->walk_program, &s->walk.code, &text);
    s->compiled = native_start(&text, &s->start_error);
    str_free(&text);
    return s->compiled != NULL;
}

static void switch_to_native(space *s) {
    void *next = native_symbol(s->compiled, "parvis_next");
    void *check = native_symbol(s->compiled, "parvis_check");
    void *canonical = native_symbol(s->compiled, "parvis_canonical");
    assert(next && check);
    memcpy(&s->native_next, &next, sizeof next);
    memcpy(&s->native_check, &check, sizeof check);
    memcpy(&s->native_canonical, &canonical, sizeof canonical);
}

native_state space_native_poll(space *s, bool wait) {
    if (!s->compiled) return s->start_error ? NATIVE_FAILED : NATIVE_NONE;
    native_state state = native_poll(s->compiled, wait);
    if (state == NATIVE_READY && !s->native_next) switch_to_native(s);
    return state;
}

const char *space_native_error(const space *s) {
    return s->compiled ? native_error(s->compiled) : s->start_error ? s->start_error : "";
}
