// SPDX-License-Identifier: Apache-2.0
// See cover.h.
#include "oracle/cover.h"

#include "oracle/unit.h"

#include "base/bits.h"
#include "cmp/abstract/project.h"
#include "cmp/abstract/strengthen.h"
#include "cmp/cmp.h"
#include "front/murphi/murphi.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 60, MOST_ABSTRACT = 10, MOST_LABELS = 2000 };

cover_sample cover_read(const char *text) {
    cover_sample s = {.messages = diag_new()};
    s.m = model_new(s.messages);
    murphi_options o = {.copies_undefined = true};
    if (!murphi_read_text(s.m, "sample.m", text, strlen(text), &o, &s.system)) fail_msg("%s", text);
    s.sort = model_find_type(s.m, "node");
    s.m->types.data[s.sort.id].fixed_size = 0;
    return s;
}

void cover_close(cover_sample *s) {
    model_free(s->m);
    diag_free(s->messages);
}

explored *cover_explore(const instance *in, uint64_t most_states) {
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .limit_states = most_states};
    o.self_check = SELF_CHECK_OFF;
    explored *x = NULL;
    result *r = result_new();
    explore_run(in, NULL, 0, &o, r, &x);
    result_free(r);
    return x;
}

void cover_each(const cover_sample *s, model *m, uint32_t size, cover_look look, void *context) {
    sort_size sizes = {s->sort, size};
    instance *in = instance_new(m, s->system, &sizes, 1);
    eval *ev = eval_new(in);
    explored *x = cover_explore(in, 0);
    assert_int_equal(explored_end(x), END_COMPLETE);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells);
    uint64_t *state = mem_zero(space_words(explored_space(x)) + 1, 8);
    for (uint64_t i = 0; i < explored_count(x); i++) {
        explored_state(x, i, state);
        space_unpack(explored_space(x), state, cells);
        look(ev, cells, context);
    }
    free(cells);
    free(state);
    explored_free(x);
    eval_free(ev);
    instance_free(in);
}

// The successors of a state, packed one after the other.
typedef struct {
    const space *sp;
    space_run *run;
    uint64_t *next;
    uint32_t *labels, n, words;
} steps;

static void steps_open(steps *s, const space *sp) {
    *s = (steps){.sp = sp, .run = space_run_new(sp), .words = space_words(sp)};
    s->next = mem_zero((size_t)(space_labels(sp) + 1) * s->words, 8);
    s->labels = mem_zero(space_labels(sp) + 1, sizeof *s->labels);
}

static void steps_close(steps *s) {
    space_run_free(s->run);
    free(s->next);
    free(s->labels);
}

static bool steps_lead_to(const steps *s, const uint64_t *state) {
    for (uint32_t i = 0; i < s->n; i++)
        if (!(s->labels[i] & SPACE_TROUBLE) && memcmp(s->next + (size_t)i * s->words, state, s->words * 8) == 0)
            return true;
    return false;
}

typedef struct {
    const abstraction *a;
    const strengthened *st;
    const instance *in, *to;
    steps concrete, abstract;
    value *cells, *view;
    uint64_t before[64], after[64];
    cover_tally *tally;
} comparison;

static void view_of(comparison *c, const uint64_t *state, const value *elements, uint64_t *out) {
    space_unpack(c->concrete.sp, state, c->cells);
    projection *p = project_new(c->a, c->in, elements, c->to);
    project_cells(p, c->cells, c->view);
    project_free(p);
    memset(out, 0, c->abstract.words * 8);
    space_pack(c->abstract.sp, c->view, out);
}

typedef enum { TROUBLE_NONE, TROUBLE_KEPT, TROUBLE_OTHER } trouble;

// Whose rules fail in the abstract state?
static trouble abstract_trouble(const comparison *c) {
    const steps *s = &c->abstract;
    trouble found = TROUBLE_NONE;
    for (uint32_t i = 0; i < s->n; i++) {
        value args[64];
        if (!(s->labels[i] & SPACE_TROUBLE)) continue;
        rule r = space_label(s->sp, s->labels[i] & ~SPACE_TROUBLE, args);
        if (strengthened_rule(c->st, r)->c->nothers) return TROUBLE_OTHER;
        found = TROUBLE_KEPT;
    }
    return found;
}

// Is every step, seen at these elements, a step of the abstraction, or none at all? Others never fail. Rules of kept
// elements may, with a wrong guess of what they read of others: nothing is proved then, and every step is covered.
static bool steps_are_seen(comparison *c, const uint64_t *state, const value *elements) {
    steps *s = &c->concrete, *t = &c->abstract;
    view_of(c, state, elements, c->before);
    t->n = space_next(t->run, c->before, t->next, t->labels);
    trouble found = abstract_trouble(c);
    c->tally->views++;
    c->tally->excused += found == TROUBLE_KEPT;
    if (found != TROUBLE_NONE) return found == TROUBLE_KEPT;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->labels[i] & SPACE_TROUBLE) continue;
        view_of(c, s->next + (size_t)i * s->words, elements, c->after);
        if (memcmp(c->before, c->after, t->words * 8) != 0 && !steps_lead_to(t, c->after)) return false;
    }
    return true;
}

// ---- invariants

// Invariants, and what the abstraction must satisfy for them to hold.
typedef struct {
    VEC(expr) conds, abstract;
} claims;

static claims claims_of(abstraction *a) {
    claims c = {0};
    for (uint32_t i = 1, n = a->m->props.len; i < n; i++) {
        if (a->m->props.data[i].kind != PROP_INVARIANT) continue;
        vec_push(&c.conds, a->m->props.data[i].cond);
        vec_push(&c.abstract, abstract_formula(a, a->m->props.data[i].cond));
    }
    return c;
}

typedef struct {
    eval *concrete, *abstract;
    bits failed, seen_failing;  // in one state
} judge;

static void judge_close(judge *j) {
    eval_free(j->concrete);
    eval_free(j->abstract);
    bits_free(&j->failed);
    bits_free(&j->seen_failing);
}

static void fail_in(eval *ev, const value *cells, const expr *conds, uint32_t n, bits *failed) {
    for (uint32_t i = 0; i < n; i++)
        if (!eval_expr(ev, cells, conds[i])) bits_add(failed, i);
}

// All choices of different elements, in every order.
static bool choose_next(const abstraction *a, uint32_t size, value *elements) {
    for (bool is_right = false; !is_right;) {
        uint32_t i = a->kept_count;
        while (i > 0 && (uint32_t)++elements[i - 1] == size) elements[--i] = 0;
        if (i == 0) return false;
        is_right = true;
        for (i = 0; i < a->kept_count; i++)
            for (uint32_t k = 0; k < i; k++) is_right &= elements[i] != elements[k];
    }
    return true;
}

static bool views_are_covered_by(abstraction *a, const strengthened *st, const claims *asked, const instance *in,
                                 const explored *x, const instance *to, const explored *abstract, cover_tally *t) {
    comparison c = {.a = a, .st = st, .in = in, .to = to, .tally = t};
    c.cells = mem_zero(in->ncells + 1, sizeof *c.cells);
    c.view = mem_zero(to->ncells + 1, sizeof *c.view);
    steps_open(&c.concrete, explored_space(x));
    steps_open(&c.abstract, explored_space(abstract));
    assert_true(c.concrete.words <= 64 && c.abstract.words <= 64);
    bool ok = true;
    judge j = {.concrete = eval_new(in), .abstract = eval_new(to)};
    for (uint64_t i = 0; i < explored_count(x) && ok; i++) {
        value elements[4] = {0};
        elements[a->kept_count - 1] = -1;
        uint64_t state[64];
        explored_state(x, i, state);
        c.concrete.n = space_next(c.concrete.run, state, c.concrete.next, c.concrete.labels);
        bits_clear(&j.failed);
        bits_clear(&j.seen_failing);
        space_unpack(c.concrete.sp, state, c.cells);
        fail_in(j.concrete, c.cells, asked->conds.data, asked->conds.len, &j.failed);
        while (ok && choose_next(a, in->sort_size[a->sort.id], elements)) {
            ok = steps_are_seen(&c, state, elements);
            space_unpack(c.abstract.sp, c.before, c.view);
            fail_in(j.abstract, c.view, asked->abstract.data, asked->conds.len, &j.seen_failing);
            if (i >= explored_initial_count(x)) continue;
            uint64_t start = explored_find(abstract, c.before);
            ok &= start < explored_initial_count(abstract);
        }
        ok &= bits_subset(&j.failed, &j.seen_failing);
    }
    judge_close(&j);
    steps_close(&c.concrete);
    steps_close(&c.abstract);
    free(c.cells);
    free(c.view);
    return ok;
}

static bool instance_is_covered(abstraction *a, const strengthened *st, const claims *asked, const instance *to,
                                const explored *abstract, uint32_t size, cover_tally *t) {
    sort_size sizes = {a->sort, size};
    instance *in = instance_new(a->m, a->origin, &sizes, 1);
    explored *x = cover_explore(in, MOST_STATES);
    t->states += explored_count(x);
    bool ok = views_are_covered_by(a, st, asked, in, x, to, abstract, t);
    explored_free(x);
    instance_free(in);
    return ok;
}

// How many choices of parameters and unknowns its rules have.
static uint64_t count_labels(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(in->m, s->rules.data[i]);
        uint64_t n = 1;
        for (uint32_t k = 0; k < r->nparams && n < MOST_LABELS; k++)
            n *= instance_type_size(in, var_of(in->m, r->params[k])->ty);
        sum += n;
    }
    return sum;
}

static strengthened with_lemmas(abstraction *a) {
    const sys_info s = *sys_of(a->m, a->origin);
    lemma_list lemmas = {0};
    for (uint32_t i = 0; i < s.lemmas.len; i++) {
        lemma l = abstract_lemma_from(a, s.lemmas.data[i].name, s.lemmas.data[i].cond);
        vec_push(&lemmas, arena_copy(a->m->memory, &l, sizeof l));
    }
    strengthened made = strengthen(a, &lemmas);
    vec_free(&lemmas);
    return made;
}

bool cover_is_sound(const char *text, uint32_t kept, cover_tally *t) {
    cover_sample s = cover_read(text);
    bool ok = true;
    abstraction *a = abstract_new(s.m, s.system, s.sort, kept);
    t->refused += a->refusal != NULL;
    if (!a->refusal) {
        claims asked = claims_of(a);
        strengthened st = with_lemmas(a);
        instance *to = instance_new(st.m, st.system, NULL, 0);
        explored *abstract = count_labels(to) < MOST_LABELS ? cover_explore(to, MOST_ABSTRACT) : NULL;
        bool is_compiled = abstract && explored_space(abstract);
        t->compared += is_compiled;
        for (uint32_t size = kept + 1; size <= kept + 3 && ok && is_compiled; size++)
            ok = instance_is_covered(a, &st, &asked, to, abstract, size, t);
        explored_free(abstract);
        instance_free(to);
        strengthened_free(&st);
        vec_free(&asked.conds);
        vec_free(&asked.abstract);
    }
    abstract_free(a);
    cover_close(&s);
    return ok;
}

void cover_all(const cover_model *models, uint32_t n) {
    cover_tally t = {0};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t kept = 1; kept <= 2; kept++)
            if (!cover_is_sound(models[i].text, kept, &t)) fail_msg("%s, %u kept: not covered", models[i].what, kept);
    assert_int_equal(t.refused, 0);
    assert_int_equal(t.compared, 2 * n);
}

bool cover_knows(const char *text, uint32_t kept) {
    cover_sample s = cover_read(text);
    cmp_given given = {.sort = "node", .kept = kept};
    str scope = {0};
    bool ok = cmp_check_given(s.m, (prop){1}, &given, &scope);
    str_free(&scope);
    cover_close(&s);
    return ok;
}
