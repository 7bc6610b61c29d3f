// SPDX-License-Identifier: Apache-2.0
// The executable successor relation: puts layout, lowering, bytecode, native code and symmetry together.
#include "space/space.h"

#include "space/emit_c.h"
#include "space/interp.h"
#include "space/native.h"
#include "space/slow.h"
#include "space/symmetry.h"

#include <assert.h>
#include <string.h>

struct space {
    const instance *in;
    layout *l;
    lowering program;
    ir_code next_code, check_code;
    interp *next, *check;
    VEC(uint32_t) slow;   // labels left to the evaluator, ascending
    symmetry *symmetric;  // NULL: none
    bool is_heuristic;
    native *compiled;         // NULL: not started
    const char *start_error;  // why it could not be
    native_next native_next;  // NULL: bytecode
    native_check native_check;
    native_canonical native_canonical;  // NULL: none was made
};

struct space_run {
    const space *s;
    uint64_t *next_registers, *check_registers;
    symmetry_run *symmetric;
    slow *evaluator;  // NULL: no label needs it
    value *args;
    uint64_t *slow_next;  // successors of slow labels, before they are put in their places
    uint32_t *slow_labels;
};

// ---- making

static bool assemble(space *s) {
    ir_schedule_next(&s->program, &s->next_code);
    ir_schedule_checks(&s->program, &s->check_code);
    s->next = interp_new(&s->program, &s->next_code);
    s->check = interp_new(&s->program, &s->check_code);
    if (s->next && s->check) return true;
    const sys_info *system = sys_of(s->in->m, s->in->system);
    diag_error(s->in->m->messages, system->at, "'%s' is too large to compile at these sizes", system->name);
    return false;
}

static void find_slow(space *s) {
    for (uint32_t i = 0; i < s->program.labels.len; i++)
        if (s->program.labels.data[i].is_slow) vec_push(&s->slow, i);
}

space *space_new(const instance *in, const space_options *options) {
    space *s = mem_zero(1, sizeof *s);
    s->in = in;
    s->l = layout_new(in);
    if (lower_instance(s->l, options->checks, options->nchecks, &s->program) && assemble(s)) {
        if (options->symmetry) s->symmetric = symmetry_new(s->l, options->apart, options->napart);
        s->is_heuristic = options->symmetry == SYMMETRY_HEURISTIC;
        find_slow(s);
        return s;
    }
    space_free(s);
    return NULL;
}

void space_free(space *s) {
    if (!s) return;
    native_free(s->compiled);
    symmetry_free(s->symmetric);
    interp_free(s->next);
    interp_free(s->check);
    vec_free(&s->slow);
    vec_free(&s->next_code);
    vec_free(&s->check_code);
    lower_free(&s->program);
    layout_free(s->l);
    free(s);
}

const instance *space_instance(const space *s) { return s->in; }

// ---- states and labels

uint32_t space_words(const space *s) { return s->l->words; }
uint32_t space_bits(const space *s) { return s->l->bits; }
void space_pack(const space *s, const value *cells, uint64_t *state) { layout_pack(s->l, cells, state); }
void space_unpack(const space *s, const uint64_t *state, value *cells) { layout_unpack(s->l, state, cells); }

uint32_t space_labels(const space *s) { return s->program.labels.len; }

rule space_label(const space *s, uint32_t label, value *args) {
    uint32_t k = s->program.rules.len - 1;
    while (s->program.rules.data[k].first > label) k--;
    rule r = s->program.rules.data[k].r;
    const rule_info *info = rule_of(s->in->m, r);
    uint32_t rest = label - s->program.rules.data[k].first;
    for (uint32_t i = info->nparams; i-- > 0;) {
        type t = var_of(s->in->m, info->params[i])->ty;
        uint32_t size = instance_type_size(s->in, t);
        args[i] = instance_type_first(s->in, t) + (value)(rest % size);
        rest /= size;
    }
    return r;
}

// ---- running

static void make_slow(space_run *run) {
    const space *s = run->s;
    uint32_t most = 1;
    for (uint32_t i = 0; i < s->program.rules.len; i++) {
        uint32_t n = rule_of(s->in->m, s->program.rules.data[i].r)->nparams;
        if (n > most) most = n;
    }
    run->evaluator = slow_new(s->l);
    run->args = mem_zero(most, sizeof *run->args);
    run->slow_next = mem_zero((size_t)s->slow.len * s->l->words, sizeof *run->slow_next);
    run->slow_labels = mem_zero(s->slow.len, sizeof *run->slow_labels);
}

space_run *space_run_new(const space *s) {
    space_run *run = mem_zero(1, sizeof *run);
    run->s = s;
    run->next_registers = interp_registers(s->next);
    run->check_registers = interp_registers(s->check);
    if (s->symmetric) run->symmetric = symmetry_run_new(s->symmetric);
    if (s->slow.len) make_slow(run);
    return run;
}

void space_run_free(space_run *run) {
    if (!run) return;
    free(run->next_registers);
    free(run->check_registers);
    symmetry_run_free(run->symmetric);
    slow_free(run->evaluator);
    free(run->args);
    free(run->slow_next);
    free(run->slow_labels);
    free(run);
}

// The successors by slow labels, into the run's own lists; returns how many.
static uint32_t next_slow(space_run *run, const uint64_t *state) {
    const space *s = run->s;
    uint32_t n = 0, words = s->l->words;
    slow_state(run->evaluator, state);
    for (uint32_t i = 0; i < s->slow.len; i++) {
        rule r = space_label(s, s->slow.data[i], run->args);
        uint64_t *next = run->slow_next + (size_t)n * words;
        slow_result result = slow_fire(run->evaluator, r, run->args, next);
        if (result == SLOW_DISABLED) continue;
        if (result == SLOW_TROUBLE) memcpy(next, state, words * sizeof *next);
        run->slow_labels[n++] = s->slow.data[i] | (result == SLOW_TROUBLE ? SPACE_TROUBLE : 0);
    }
    return n;
}

// Puts the run's own list of k successors into a list of n, by label, from the end.
static void merge_slow(space_run *run, uint64_t *next, uint32_t *labels, uint32_t n, uint32_t k) {
    size_t words = run->s->l->words;
    while (k) {
        bool slow_first = !n || (labels[n - 1] & ~SPACE_TROUBLE) < (run->slow_labels[k - 1] & ~SPACE_TROUBLE);
        const uint64_t *from = slow_first ? run->slow_next + --k * words : next + --n * words;
        labels[n + k] = slow_first ? run->slow_labels[k] : labels[n];
        memcpy(next + (n + k) * words, from, words * sizeof *next);
    }
}

uint32_t space_next(space_run *run, const uint64_t *state, uint64_t *next, uint32_t *labels) {
    const space *s = run->s;
    uint32_t n = s->native_next ? s->native_next(state, next, labels)
                                : interp_next(s->next, run->next_registers, state, next, labels);
    if (!s->slow.len) return n;
    uint32_t k = next_slow(run, state);
    merge_slow(run, next, labels, n, k);
    return n + k;
}

bool space_check(space_run *run, const uint64_t *state, uint64_t *failed) {
    const space *s = run->s;
    uint32_t words = (s->program.checks.len + 63) / 64;
    memset(failed, 0, words * sizeof *failed);
    if (s->native_check) s->native_check(state, failed);
    else interp_check(s->check, run->check_registers, state, failed);
    for (uint32_t i = 0; i < words; i++)
        if (failed[i]) return false;
    return true;
}

void space_canonical(space_run *run, uint64_t *state) {
    if (run->s->native_canonical) run->s->native_canonical(state);
    else if (run->symmetric) symmetry_canonical(run->symmetric, state, run->s->is_heuristic);
}

void space_canonical_exact(space_run *run, uint64_t *state) {
    if (run->symmetric) symmetry_canonical(run->symmetric, state, false);
}

bool space_is_reduced(const space *s) { return s->symmetric != NULL; }

// ---- native code

bool space_native_start(space *s) {
    if (s->compiled) return true;
    str text = {0};
    emit_c(&s->program, &s->next_code, &s->check_code, &text);
    if (s->symmetric) symmetry_emit_c(s->symmetric, &text);
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
