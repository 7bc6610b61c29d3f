// SPDX-License-Identifier: Apache-2.0
// `A || B` and `A || B || C` of random files (oracle/random_words.h) against their parts, which the reference evaluator
// runs side by side: the same starts, and from every reachable state the same steps, visible or not, to the same
// states. An action happens in all parts that have it, in each by any of its rules of that name, with the same
// arguments, and in the others nothing happens.
#include "base/map.h"
#include "oracle/part.h"
#include "oracle/random_words.h"
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "model/compose.h"
#include "model/eval.h"
#include "model/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 3, MOST_STATES = 300, MOST_ARGS = 8 };

typedef struct {
    diag *messages;
    model *m;
    pv_unit unit;
    uint32_t nparts;
    instance *parts[MOST_PARTS];
    eval *evals[MOST_PARTS];
    instance *whole;
    eval *ev;
    map *seen;                 // states of the composition
    VEC(const value *) queue;  // these, in order
    arena *memory;
    bool is_faulty;  // some step or start is: nothing is compared
} sample;

// What happens in a state, as texts that can be put in order.
typedef VEC(char *) happenings;

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void happenings_free(happenings *all) {
    for (uint32_t i = 0; i < all->len; i++) free(all->data[i]);
    vec_free(all);
}

static void note(happenings *all, const char *name, bool is_visible, const value *args, uint32_t nargs,
                 const value *cells, uint32_t ncells) {
    str text = {0};
    str_printf(&text, "%s%s(", is_visible ? "" : "internal ", name);
    for (uint32_t i = 0; i < nargs; i++) str_printf(&text, " %d", (int)args[i]);
    str_add(&text, ")");
    for (uint32_t i = 0; i < ncells; i++) str_printf(&text, " %d", (int)cells[i]);
    vec_push(all, text.text);
}

static bool is_same(happenings *a, happenings *b) {
    bool same = a->len == b->len;
    if (a->len) qsort(a->data, a->len, sizeof *a->data, by_text);
    if (b->len) qsort(b->data, b->len, sizeof *b->data, by_text);
    for (uint32_t i = 0; same && i < a->len; i++) same = str_same(a->data[i], b->data[i]);
    return same;
}

// ---- cells of a part within those of the whole

static void move_cells(const sample *s, uint32_t part, value *of_part, value *of_whole, bool is_back) {
    const instance *in = s->parts[part];
    const sys_info *system = sys_of(s->m, in->system);
    for (uint32_t i = 0; i < system->funcs.len; i++) {
        func f = system->funcs.data[i];
        value *a = of_part + in->first_cell[f.id], *b = of_whole + s->whole->first_cell[f.id];
        size_t size = instance_func_cells(in, f) * sizeof *a;
        memcpy(is_back ? b : a, is_back ? a : b, size);
    }
}

// ---- side by side

typedef struct {
    sample *s;
    const value *from;
    const char *name;
    value args[MOST_ARGS];
    uint32_t nargs;
    happenings *out;
} together;

static bool part_has(const sample *s, uint32_t part, const char *name) {
    const sys_info *system = sys_of(s->m, s->parts[part]->system);
    for (uint32_t i = 0; i < system->rules.len; i++)
        if (str_same(rule_of(s->m, system->rules.data[i])->name, name)) return true;
    return false;
}

static void do_together(together *x, uint32_t part, const value *to, bool is_visible);

// The part does it by this rule, and the parts after it do what they have for it; `to` is what those before have made
// of it.
static void do_rule(together *x, uint32_t part, rule r, const value *to, bool is_visible) {
    sample *s = x->s;
    size_t size = (s->whole->ncells + 1) * sizeof(value);
    value *before = mem_zero(1, size), *after = mem_zero(1, size), *all = mem_zero(1, size);
    move_cells(s, part, before, (value *)x->from, false);
    bool is_enabled = eval_enabled(s->evals[part], before, r, x->args);
    s->is_faulty |= eval_fault(s->evals[part]).kind != FAULT_NONE;
    if (is_enabled) {
        s->is_faulty |= !eval_fire(s->evals[part], before, r, x->args, after);
        memcpy(all, to, s->whole->ncells * sizeof *all);
        move_cells(s, part, after, all, true);
        do_together(x, part + 1, all, is_visible || rule_of(s->m, r)->is_visible);
    }
    free(before), free(after), free(all);
}

static void do_together(together *x, uint32_t part, const value *to, bool is_visible) {
    sample *s = x->s;
    while (part < s->nparts && !part_has(s, part, x->name)) part++;
    if (part == s->nparts) {
        note(x->out, x->name, is_visible, x->args, x->nargs, to, s->whole->ncells);
        return;
    }
    const sys_info *system = sys_of(s->m, s->parts[part]->system);
    for (uint32_t i = 0; i < system->rules.len; i++)
        if (str_same(rule_of(s->m, system->rules.data[i])->name, x->name))
            do_rule(x, part, system->rules.data[i], to, is_visible);
}

static bool is_first_with(const sample *s, uint32_t part, const char *name) {
    for (uint32_t i = 0; i < part; i++)
        if (part_has(s, i, name)) return false;
    return true;
}

// The first part that has the action says how: by each of its rules, which may have parameters of their own if no other
// part has it.
static void expect_steps(sample *s, const value *from, happenings *out) {
    for (uint32_t part = 0; part < s->nparts; part++) {
        const sys_info *system = sys_of(s->m, s->parts[part]->system);
        for (uint32_t i = 0; i < system->rules.len; i++) {
            const rule_info *info = rule_of(s->m, system->rules.data[i]);
            together x = {s, from, info->name, {0}, info->nparams, out};
            if (!is_first_with(s, part, info->name)) continue;
            for (bool first = true; eval_next_binding(s->parts[part], system->rules.data[i], x.args, &first);)
                do_rule(&x, part, system->rules.data[i], from, false);
        }
    }
}

// ---- the composition

static void reach(sample *s, const value *state) {
    size_t size = s->whole->ncells * sizeof *state;
    if (!map_put(s->seen, state, size, s->queue.len)) return;
    value *copy = arena_alloc(s->memory, size + 1);
    memcpy(copy, state, size);
    vec_push(&s->queue, copy);
}

static void take_steps(sample *s, const value *from, happenings *out) {
    value args[MOST_ARGS], *next = mem_zero(s->whole->ncells + 1, sizeof *next);
    const sys_info *system = sys_of(s->m, s->whole->system);
    for (uint32_t i = 0; i < system->rules.len; i++) {
        rule r = system->rules.data[i];
        const rule_info *info = rule_of(s->m, r);
        for (bool first = true; eval_next_binding(s->whole, r, args, &first);) {
            if (!eval_enabled(s->ev, from, r, args)) continue;
            if (!eval_fire(s->ev, from, r, args, next)) continue;
            note(out, info->name, info->is_visible, args, info->nparams, next, s->whole->ncells);
            reach(s, next);
        }
    }
    free(next);
}

// ---- starts

typedef struct {
    sample *s;
    uint32_t part;
    value *made;  // of the parts before
    happenings *out;
} starting;

static void start_parts(starting x);

static bool start_part(const value *state, void *context) {
    starting *x = context;
    starting next = *x;
    next.part++;
    move_cells(x->s, x->part, (value *)state, x->made, true);
    start_parts(next);
    return true;
}

static void start_parts(starting x) {
    if (x.part == x.s->nparts) note(x.out, "start", true, NULL, 0, x.made, x.s->whole->ncells);
    else if (!eval_initial(x.s->parts[x.part], start_part, &x)) x.s->is_faulty = true;
}

typedef struct {
    sample *s;
    happenings *out;
} keeping;

static bool keep_start(const value *state, void *context) {
    keeping *k = context;
    note(k->out, "start", true, NULL, 0, state, k->s->whole->ncells);
    reach(k->s, state);
    return true;
}

// ---- a file

static bool sample_new(sample *s, uint64_t seed, str *text) {
    *s = (sample){.messages = diag_new(), .seen = map_new(), .memory = arena_new()};
    s->m = model_new(s->messages);
    random_words_text(seed, text);
    pv_options o = {.text = str_get(text), .size = text->len, .alone = true};
    assert_true(pv_read(s->m, "random.pv", &o, &s->unit));
    s->nparts = s->unit.nsystems < MOST_PARTS ? s->unit.nsystems : MOST_PARTS;
    sys both = compose_parallel(s->m, "Together", s->unit.systems, s->nparts, (span){0});
    if (!both.id) return false;
    s->whole = instance_new(s->m, both, NULL, 0);
    s->ev = eval_new(s->whole);
    for (uint32_t i = 0; i < s->nparts; i++) {
        s->parts[i] = instance_new(s->m, s->unit.systems[i], NULL, 0);
        s->evals[i] = eval_new(s->parts[i]);
    }
    return true;
}

static void sample_free(sample *s) {
    for (uint32_t i = 0; i < s->nparts; i++) {
        eval_free(s->evals[i]);
        instance_free(s->parts[i]);
    }
    eval_free(s->ev);
    instance_free(s->whole);
    vec_free(&s->queue);
    map_free(s->seen);
    arena_free(s->memory);
    model_free(s->m);
    diag_free(s->messages);
}

typedef struct {
    uint32_t files, refused, faulty, joined, states, wrong;
} tally;

// False: they differ; what faults is not compared.
static bool same_starts(sample *s) {
    happenings expected = {0}, got = {0};
    value *made = mem_zero(s->whole->ncells + 1, sizeof *made);
    start_parts((starting){s, 0, made, &expected});
    if (!s->is_faulty && !eval_initial(s->whole, keep_start, &(keeping){s, &got})) s->is_faulty = true;
    bool same = s->is_faulty || is_same(&expected, &got);
    happenings_free(&expected);
    happenings_free(&got);
    free(made);
    return same;
}

static bool same_steps(sample *s, const value *from) {
    happenings expected = {0}, got = {0};
    expect_steps(s, from, &expected);
    if (!s->is_faulty) take_steps(s, from, &got);
    bool same = s->is_faulty || is_same(&expected, &got);
    happenings_free(&expected);
    happenings_free(&got);
    return same;
}

static bool is_joined(const sample *s) {
    const sys_info *first = sys_of(s->m, s->parts[0]->system);
    for (uint32_t i = 0; i < first->rules.len; i++)
        if (part_has(s, 1, rule_of(s->m, first->rules.data[i])->name)) return true;
    return false;
}

static void try_file(uint64_t seed, tally *t) {
    sample s;
    str text = {0};
    if (!sample_new(&s, seed, &text)) t->refused++;
    else {
        bool same = same_starts(&s);
        for (uint32_t q = 0; same && q < s.queue.len && q < MOST_STATES && !s.is_faulty; q++, t->states++)
            same = same_steps(&s, s.queue.data[q]);
        if (!same) printf("# seed %llu: differs\n%s\n", (unsigned long long)seed, str_get(&text));
        t->files++;
        t->wrong += !same;
        t->faulty += s.is_faulty;
        t->joined += is_joined(&s);
    }
    sample_free(&s);
    str_free(&text);
}

static void compositions_agree(void **state) {
    (void)state;
    tally t = {0};
    uint64_t count = part_rounds(1500, 30000), first = part_seed(1);
    for (uint64_t seed = first; seed < first + count && t.wrong < 4; seed++) try_file(seed, &t);
    printf("# %u files: %u refused, %u with faults, %u with actions in common\n", (uint32_t)count, t.refused, t.faulty,
           t.joined);
    printf("# tally: states of parallel compositions, step by step against their parts | %u cases | %u wrong\n",
           t.states, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.files > count / 2 && t.joined > t.files / 2 && t.faulty < t.files / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(compositions_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
