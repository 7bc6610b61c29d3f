// SPDX-License-Identifier: Apache-2.0
// Findings: what went wrong, where, and whether that decides what was asked.
//
// The compiled relation only says "trouble" at a label and "fails" at a check. The reference evaluator says
// what it is: a requirement refused, a condition false, or a fault. When it sees nothing wrong at all, the code is
// mistaken: the search ends and starts again without it (selfcheck.h).
//
// Each worker keeps the first finding of a block for each ask; the first over all workers counts. "First" is
// by position and id, so it does not depend on the number of threads.
#include "explore/search.h"

#include <assert.h>

#include "model/expr.h"
#include "result/cell.h"

// ---- what is asked

static uint32_t finding_add_ask(search *s, ask a) {
    vec_push(&s->asks, a);
    return s->asks.len - 1;
}

static uint32_t find_requirement(const search *s, prop p) {
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (s->asks.data[i].kind == ASK_REQUIREMENT && s->asks.data[i].property.id == p.id) return i;
    return UINT32_MAX;
}

static void ask_property(search *s, prop p) {
    static const ask_kind kinds[] = {[PROP_INVARIANT] = ASK_INVARIANT,
                                     [PROP_REFINES] = ASK_REQUIREMENT,
                                     [PROP_DEADLOCK_FREE] = ASK_DEADLOCK,
                                     [PROP_COVER] = ASK_COVER,
                                     [PROP_REACHES] = ASK_REACHES};
    const prop_info *info = prop_of(s->in->m, p);
    assert(!prop_is_liveness(info->kind));  // language/live.h answers these
    finding_add_ask(
        s, (ask){.kind = kinds[info->kind], .is_asked = true, .property = p, .name = info->name, .cond = info->cond});
}

// Requirements of properties that were not asked for still end runs, so they are watched.
static void ask_requirements(search *s) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const rule_info *r = rule_of(s->in->m, system->rules.data[i]);
        for (uint32_t k = 0; k < r->nrequires; k++) {
            prop p = r->requires[k].property;
            if (find_requirement(s, p) != UINT32_MAX) continue;
            finding_add_ask(s, (ask){.kind = ASK_REQUIREMENT, .property = p, .name = prop_of(s->in->m, p)->name});
        }
    }
}

static void ask_assumptions(search *s) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    for (uint32_t i = 0; i < system->assumes.len; i++)
        finding_add_ask(
            s,
            (ask){.kind = ASK_ASSUMPTION, .name = system->assumes.data[i].name, .cond = system->assumes.data[i].cond});
}

static bool has_kind(const search *s, ask_kind kind) {
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (s->asks.data[i].kind == kind) return true;
    return false;
}

// What is asked twice is answered once.
static void ask_properties(search *s, const prop *props, uint32_t nprops) {
    map *asked = map_new();
    for (uint32_t i = 0; i < nprops; i++)
        if (map_put(asked, &props[i].id, sizeof props[i].id, 1)) ask_property(s, props[i]);
    map_free(asked);
}

void finding_ask_all(search *s, const prop *props, uint32_t nprops) {
    ask_properties(s, props, nprops);
    if (s->options->check_deadlock && !has_kind(s, ASK_DEADLOCK))
        finding_add_ask(s, (ask){.kind = ASK_DEADLOCK, .is_asked = true, .name = "deadlock"});
    ask_requirements(s);
    ask_assumptions(s);
    s->nfault = finding_add_ask(s, (ask){.kind = ASK_FAULT, .name = "run-time error"});
}

// What is covered is no reason to stop looking for violations.
bool finding_all(const search *s) {
    uint32_t nwrong = 0;
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const ask *a = &s->asks.data[i];
        if (a->is_asked && !a->is_found) return false;
        nwrong += a->is_asked && a->kind != ASK_COVER;
    }
    return nwrong > 0;
}

uint32_t finding_count(const search *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->asks.len; i++) n += s->asks.data[i].is_found && s->asks.data[i].kind != ASK_COVER;
    return n;
}

bool finding_enough(const search *s) { return s->options->most_errors && finding_count(s) >= s->options->most_errors; }

// ---- noting

static void finding_note(worker *w, uint32_t i, uint64_t place, store_id id, bool is_step) {
    finding *f = &w->found[i];
    if (f->is_found && f->order <= place) return;
    *f = (finding){.is_found = true, .is_step = is_step, .order = place, .state = id};
}

static bool finding_is_settled(const search *s, const worker *w, uint32_t i) {
    return s->asks.data[i].is_found || w->found[i].is_found;
}

static void finding_note_broken(worker *w, uint64_t place, span at, const char *name) {
    selfcheck_note(w, place, TRIED_CODE, at, w->cells, "code makes something else of '%s' than the evaluator", name);
}

// ---- checks of states

static void check_failed(search *s, worker *w, uint32_t check, store_id id) {
    uint32_t i = s->check_ask[check];
    const ask *a = &s->asks.data[i];
    if (finding_is_settled(s, w, i) && !(expr_can_fault(s->in->m, a->cond) && !finding_is_settled(s, w, s->nfault)))
        return;
    bool holds = eval_expr(w->ev, w->cells, a->cond) != (a->kind == ASK_COVER);
    if (eval_fault(w->ev).kind != FAULT_NONE) finding_note(w, s->nfault, ORDER_PHASE_2 | id, id, false);
    else if (!holds && a->kind == ASK_REACHES) return;
    else if (!holds) finding_note(w, i, ORDER_PHASE_2 | id, id, false);
    else finding_note_broken(w, ORDER_PHASE_2 | id, expr_of(s->in->m, a->cond)->at, a->name);
}

void finding_check(search *s, worker *w, store_id id) {
    if (space_check(w->run, w->state, w->failed)) return;
    space_unpack(s->x->sp, w->state, w->cells);
    for (uint32_t i = 0; i < s->nchecks; i++)
        if (w->failed[i / 64] >> (i % 64) & 1) check_failed(s, w, i, id);
}

// ---- trouble in steps

bool finding_refuses(worker *w, const value *cells, rule r, const value *args, prop p) {
    const rule_info *info = rule_of(w->s->in->m, r);
    if (!eval_enabled(w->ev, cells, r, args)) return false;
    for (uint32_t k = 0; k < info->nrequires; k++) {
        if (info->requires[k].property.id != p.id) continue;
        bool holds = eval_expr(w->ev, cells, info->requires[k].cond);
        if (!holds && eval_fault(w->ev).kind == FAULT_NONE) return true;
    }
    return false;
}

void finding_fault_text(const search *s, const fault *f, const char *where, str *out) {
    cell_fault_text(s->in, f, out);
    if (f->at.file) str_add(out, " at ");
    if (f->at.file) diag_place_text(s->in->m->messages, f->at, out);
    str_printf(out, ", in %s", where);
}

static void note_refusals(search *s, worker *w, rule r, store_id id, uint64_t position) {
    const rule_info *info = rule_of(s->in->m, r);
    for (uint32_t k = 0; k < info->nrequires; k++) {
        uint32_t i = find_requirement(s, info->requires[k].property);
        if (finding_is_settled(s, w, i)) continue;
        if (finding_refuses(w, w->cells, r, w->args, info->requires[k].property))
            finding_note(w, i, position, id, true);
    }
}

void finding_trouble(search *s, worker *w, uint32_t i, uint64_t position) {
    store_id id = search_place_id(s, position);
    rule r = space_label(s->x->sp, w->labels[i] & ~SPACE_TROUBLE, w->args);
    space_unpack(s->x->sp, w->state, w->cells);
    prop refused;
    eval_end end = eval_step(w->ev, w->cells, r, w->args, w->after, &refused);
    if (end == EVAL_FAULTY) finding_note(w, s->nfault, position, id, true);
    else if (end == EVAL_REFUSED) note_refusals(s, w, r, id, position);
    else finding_note_broken(w, position, rule_of(s->in->m, r)->at, rule_of(s->in->m, r)->name);
}

// A step that only an assumption of the user's rules out still counts as a step.
static bool is_excluded(worker *w, rule r) {
    for (bool first = true; eval_next_binding(w->s->in, r, w->args, &first);)
        if (eval_enabled(w->ev, w->cells, r, w->args) && !eval_fire(w->ev, w->cells, r, w->args, w->after) &&
            eval_is_excluded(w->ev))
            return true;
    return false;
}

static bool is_any_excluded(search *s, worker *w) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    space_unpack(s->x->sp, w->state, w->cells);
    for (uint32_t i = 0; i < system->rules.len; i++)
        if (is_excluded(w, system->rules.data[i])) return true;
    return false;
}

void finding_deadlock(search *s, worker *w, uint64_t position) {
    for (uint32_t i = 0; i < s->asks.len; i++) {
        if (s->asks.data[i].kind != ASK_DEADLOCK || finding_is_settled(s, w, i)) continue;
        if (is_any_excluded(s, w)) return;
        finding_note(w, i, position, search_place_id(s, position), false);
    }
}

// ---- after a block

static const finding *first_finding(const search *s, uint32_t i) {
    const finding *first = NULL;
    for (uint32_t k = 0; k < s->nworkers; k++) {
        const finding *f = &s->workers[k]->found[i];
        if (f->is_found && (!first || f->order < first->order)) first = f;
    }
    return first;
}

// Which of two was first is which key is smaller; a key says where it was, and whether in a step.
uint64_t finding_key(const search *s, uint32_t i) {
    const finding *f = s->asks.data[i].is_found ? NULL : first_finding(s, i);
    if (!f) return UINT64_MAX;
    return (f->order & ORDER_PHASE_2) | (f->order & ~ORDER_PHASE_2) << 1 | f->is_step;
}

static void settle_ask(const search *s, ask *a, uint64_t key) {
    uint64_t place = (key & ~ORDER_PHASE_2) >> 1;
    a->is_found = true;
    a->is_step = key & 1;
    a->state = key & ORDER_PHASE_2 ? place : search_place_id(s, place);
}

void finding_settle(search *s, const uint64_t *keys) {
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (keys[i] != UINT64_MAX) settle_ask(s, &s->asks.data[i], keys[i]);
    for (uint32_t k = 0; k < s->nworkers; k++)
        for (uint32_t i = 0; i < s->asks.len; i++) s->workers[k]->found[i].is_found = false;
}

void finding_collect(search *s) {
    uint64_t *keys = mem_zero(s->asks.len + 1, sizeof *keys);
    for (uint32_t i = 0; i < s->asks.len; i++) keys[i] = finding_key(s, i);
    finding_settle(s, keys);
    free(keys);
}
