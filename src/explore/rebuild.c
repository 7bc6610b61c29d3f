// SPDX-License-Identifier: Apache-2.0
// The trace of a finding, rebuilt from the chain of parents.
//
// The store keeps no labels, and with symmetry only representatives. So the run is found again: from a
// concrete initial state, take at each step the first label whose successor has the next stored state as its
// representative. There is one, since permuting elements maps steps to steps. The end is judged by the
// reference evaluator, and the whole trace is replayed by it; a trace that fails there is not shown, and the
// search starts again without what failed. A compact store has only the states of the last level: there
// the representatives are computed first, from the initial one on, each the first successor of the one before it
// with the right hash.
#include "explore/share.h"

#include "result/refusal.h"
#include "result/rename.h"

#include <string.h>

typedef struct {
    search *s;
    worker *w;
    arena *memory;
    VEC(uint64_t) chain;         // hashes, from the finding's state back to the initial one
    VEC(uint64_t) kept;          // their states, unless the store is compact
    uint64_t *stored;            // the representatives of the chain, in its order
    uint64_t *current, *wanted;  // packed: the concrete state, the next stored one
    value *cells;                // the concrete state
    bool has_start, is_restoring;
} builder;

// On ranks: each link from the one that has it.
static void follow_parents(builder *b, store_id id) {
    search *s = b->s;
    uint32_t words = store_is_compact(s->x->states) ? 0 : s->words;
    for (store_number parent;; id = order_id(&s->x->numbers, parent)) {
        uint64_t hash;
        share_state(s, id, &parent, &hash, b->current);
        vec_push(&b->chain, hash);
        for (uint32_t k = 0; k < words; k++) vec_push(&b->kept, b->current[k]);
        if (parent == STORE_NONE) return;
    }
}

static size_t state_size(const builder *b) { return b->s->words * sizeof *b->current; }

static bool rebuild_is_wanted(builder *b, const uint64_t *state) {
    memcpy(b->w->forms, state, state_size(b));
    if (b->s->is_reduced) space_canonical_exact(b->w->run, b->w->forms);
    return memcmp(b->w->forms, b->wanted, state_size(b)) == 0;
}

// A stored state as what others are compared with: heuristic representatives of one orbit may differ.
static void want(builder *b, uint32_t i) {
    memcpy(b->wanted, b->stored + (size_t)i * b->s->words, state_size(b));
    if (b->s->is_reduced) space_canonical_exact(b->w->run, b->wanted);
}

// ---- representatives of a compact store

// Is the representative of the state the one whose hash is at place i of the chain? Then it is kept.
static bool rebuild_is_stored(builder *b, uint32_t i, const uint64_t *state) {
    uint64_t *kept = b->stored + (size_t)i * b->s->words;
    memcpy(kept, state, state_size(b));
    if (b->s->is_reduced) space_canonical(b->w->run, kept);
    return store_hash(b->s->x->states, kept) == b->chain.data[i];
}

// The initial state that the chain begins with: by its hash while the chain is restored, else by its representative.
static bool take_start(const value *cells, void *context) {
    builder *b = context;
    uint32_t first = b->chain.len - 1;
    space_pack(b->s->x->sp, cells, b->current);
    b->has_start = b->is_restoring ? rebuild_is_stored(b, first, b->current) : rebuild_is_wanted(b, b->current);
    if (b->has_start) memcpy(b->cells, cells, b->s->in->ncells * sizeof *cells);
    return !b->has_start;
}

static bool find_start(builder *b, bool is_restoring) {
    b->has_start = false;
    b->is_restoring = is_restoring;
    if (!is_restoring) want(b, b->chain.len - 1);
    eval_initial(b->s->in, take_start, b);
    return b->has_start;
}

static bool restore_next(builder *b, uint32_t i) {
    worker *w = b->w;
    const uint64_t *before = b->stored + (size_t)(i + 1) * b->s->words;
    uint32_t n = space_next(w->run, before, w->next, w->labels);
    for (uint32_t k = 0; k < n; k++)
        if (!(w->labels[k] & SPACE_TROUBLE) && rebuild_is_stored(b, i, w->next + (uint64_t)k * b->s->words))
            return true;
    return false;
}

static bool restore_chain(builder *b) {
    b->stored = b->kept.data;
    if (!store_is_compact(b->s->x->states)) return true;
    b->stored = arena_alloc(b->memory, b->chain.len * state_size(b));
    bool is_whole = find_start(b, true);
    for (uint32_t i = b->chain.len - 1; is_whole && i-- > 0;) is_whole = restore_next(b, i);
    return is_whole;
}

// ---- steps

static bool rebuild_add_step(builder *b, trace *t) {
    worker *w = b->w;
    uint32_t words = b->s->words, n = space_next(w->run, b->current, w->next, w->labels);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *next = w->next + (uint64_t)i * words;
        if (w->labels[i] & SPACE_TROUBLE || !rebuild_is_wanted(b, next)) continue;
        memcpy(b->current, next, words * sizeof *next);
        space_unpack(b->s->x->sp, b->current, b->cells);
        rule r = space_label(b->s->x->sp, w->labels[i], w->args);
        trace_add(t, r, w->args, b->cells);
        return true;
    }
    return false;
}

static bool rebuild_add_steps(builder *b, trace *t) {
    for (uint32_t i = b->chain.len - 1; i-- > 0;) {
        want(b, i);
        if (!rebuild_add_step(b, t)) return false;
    }
    return true;
}

// ---- the end of a trace

static void end_in_fault(builder *b, const char *where, str *reason) {
    fault f = eval_fault(b->w->ev);
    b->s->is_at_limit = f.kind == FAULT_LIMIT;
    finding_fault_text(b->s, &f, where, reason);
}

static bool judge_label(builder *b, const ask *a, rule r, str *reason) {
    worker *w = b->w;
    if (a->kind == ASK_REQUIREMENT) {
        if (!finding_refuses(w, b->cells, r, w->args, a->property)) return false;
        refusal_text(b->s->in->m, a->property, r, reason);
        return true;
    }
    prop refused;
    if (eval_step(w->ev, b->cells, r, w->args, w->after, &refused) != EVAL_FAULTY) return false;
    end_in_fault(b, rule_of(b->s->in->m, r)->name, reason);
    return true;
}

// The step that goes wrong: the first in order of labels.
static bool end_in_step(builder *b, const ask *a, trace *t, str *reason) {
    worker *w = b->w;
    uint32_t n = space_next(w->run, b->current, w->next, w->labels);
    for (uint32_t i = 0; i < n; i++) {
        if (!(w->labels[i] & SPACE_TROUBLE)) continue;
        rule r = space_label(b->s->x->sp, w->labels[i] & ~SPACE_TROUBLE, w->args);
        if (!judge_label(b, a, r, reason)) continue;
        trace_add(t, r, w->args, NULL);
        return true;
    }
    return false;
}

// No step at all: neither enabled nor faulty, or only until an assumption in the body makes it impossible. Also a step
// that changes nothing, if that is asked for.
static bool is_no_step(worker *w, const value *cells, rule r) {
    if (!eval_enabled(w->ev, cells, r, w->args)) return eval_fault(w->ev).kind == FAULT_NONE;
    if (!eval_fire(w->ev, cells, r, w->args, w->after)) return eval_is_impossible(w->ev) && !eval_is_excluded(w->ev);
    return w->s->options->is_stuttering_stuck && memcmp(cells, w->after, w->s->in->ncells * sizeof *cells) == 0;
}

static bool is_rule_stuck(worker *w, const value *cells, rule r) {
    for (bool first = true; eval_next_binding(w->s->in, r, w->args, &first);)
        if (!is_no_step(w, cells, r)) return false;
    return true;
}

static bool end_in_deadlock(builder *b, str *reason) {
    const sys_info *system = sys_of(b->s->in->m, b->s->in->system);
    for (uint32_t i = 0; i < system->rules.len; i++)
        if (!is_rule_stuck(b->w, b->cells, system->rules.data[i])) return false;
    str_add(reason, b->s->options->is_stuttering_stuck ? "nothing changes any more" : "no action is enabled");
    return true;
}

// A condition that is false there; one that is covered is true.
static bool end_in_condition(builder *b, const ask *a, str *reason) {
    bool holds = eval_expr(b->w->ev, b->cells, a->cond);
    if (eval_fault(b->w->ev).kind != FAULT_NONE || holds != (a->kind == ASK_COVER)) return false;
    if (a->kind == ASK_REACHES) str_printf(reason, "no state that satisfies %s can be reached from here", a->name);
    else if (!holds) str_printf(reason, "%s does not hold", a->name);
    return true;
}

static bool end_in_faulty_check(builder *b, str *reason) {
    for (uint32_t i = 0; i < b->s->nchecks; i++) {
        const ask *a = &b->s->asks.data[b->s->check_ask[i]];
        eval_expr(b->w->ev, b->cells, a->cond);
        if (eval_fault(b->w->ev).kind == FAULT_NONE) continue;
        end_in_fault(b, a->name, reason);
        return true;
    }
    return false;
}

static bool rebuild_add_end(builder *b, const ask *a, trace *t, str *reason) {
    if (a->is_step) return end_in_step(b, a, t, reason);
    if (a->kind == ASK_DEADLOCK) return end_in_deadlock(b, reason);
    if (a->kind == ASK_FAULT) return end_in_faulty_check(b, reason);
    return end_in_condition(b, a, reason);
}

// The trace with its elements numbered as they will be shown, and what goes wrong at its end in these names.
static trace *rebuild_name_fault(builder *b, const ask *a, trace *t, str *reason) {
    trace *shown = rename_by_appearance(t);
    if (!shown) return t;
    const trace_step *last = shown->steps.len ? &vec_last(&shown->steps) : NULL;
    memcpy(b->cells, trace_state(shown, shown->steps.len - (a->is_step ? 1 : 0)), b->s->in->ncells * sizeof *b->cells);
    str text = {0};
    bool is_same = false;
    if (!a->is_step) is_same = end_in_faulty_check(b, &text);
    else {
        memcpy(b->w->args, last->args, rule_of(b->s->in->m, last->r)->nparams * sizeof *b->w->args);
        is_same = judge_label(b, a, last->r, &text);
    }
    if (is_same) str_clear(reason), str_add(reason, str_get(&text));
    str_free(&text);
    trace_free(is_same ? t : shown);
    return is_same ? shown : t;
}

static trace *rebuild_build(builder *b, const ask *a, str *reason, str *why) {
    follow_parents(b, a->state);
    if (!restore_chain(b) || !find_start(b, false)) {
        str_add(why, "the trace has no initial state");
        return NULL;
    }
    trace *t = trace_new(b->s->in, b->cells);
    bool is_right = false;
    if (!rebuild_add_steps(b, t)) str_add(why, "the trace has no step to a stored state");
    else if (!rebuild_add_end(b, a, t, reason)) str_add(why, "the end of the trace shows nothing wrong");
    else is_right = trace_replay(t, why);
    if (is_right) return a->kind == ASK_FAULT ? rebuild_name_fault(b, a, t, reason) : t;
    trace_free(t);
    return NULL;
}

// The replayed trace of an ask that was found, with its reason; NULL, with a reason in `why`, if that fails.
static trace *rebuild_trace(search *s, const ask *a, str *reason, str *why) {
    builder b = {.s = s, .w = s->workers[0], .memory = arena_new()};
    b.current = arena_alloc(b.memory, s->words * sizeof *b.current);
    b.wanted = arena_alloc(b.memory, s->words * sizeof *b.wanted);
    b.cells = arena_alloc(b.memory, s->in->ncells * sizeof *b.cells);
    trace *t = rebuild_build(&b, a, reason, why);
    vec_free(&b.chain);
    vec_free(&b.kept);
    arena_free(b.memory);
    return t;
}

void rebuild_all(search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++) {
        ask *a = &s->asks.data[i];
        if (!a->is_found || (a->kind == ASK_FAULT && s->start_fault.what.kind)) continue;
        a->run = rebuild_trace(s, a, &a->reason, &a->why);
        if (!a->run) selfcheck_note_trace(s, str_get(&a->why));
    }
}
