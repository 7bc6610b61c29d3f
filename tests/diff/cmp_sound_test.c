// SPDX-License-Identifier: Apache-2.0
// The abstraction is sound: every step of an instance of size c+1, c+2 or c+3 of a random parameterized model, seen
// at any c of its elements, is a step of the abstract model without lemmas, or changes nothing there; and so are
// the starts. An invariant that fails in a state fails in the abstract one at some c elements. A model for which
// this does not hold is made smaller before it is shown.
#include "oracle/unit.h"

#include "cmp/abstract/project.h"
#include "cmp/abstract/strengthen.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "model/eval.h"
#include "oracle/random_param.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 60, MOST_ABSTRACT = 10, MOST_LABELS = 2000 };

typedef struct {
    diag *messages;
    model *m;
    sys system;
    type sort;
} sample;

static bool read_model(sample *s, const str *text) {
    *s = (sample){.messages = diag_new()};
    s->m = model_new(s->messages);
    murphi_options o = {.copies_undefined = true};
    if (!murphi_read_text(s->m, "random.m", str_get(text), text->len, &o, &s->system)) return false;
    s->sort = model_find_type(s->m, "node");
    s->m->types.data[s->sort.id].fixed_size = 0;
    return true;
}

static void sample_free(sample *s) {
    model_free(s->m);
    diag_free(s->messages);
}

static explored *explore(const instance *in, uint64_t most) {
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .limit_states = most};
    o.self_check = SELF_CHECK_OFF;
    explored *x = NULL;
    result *r = result_new();
    explore_run(in, NULL, 0, &o, r, &x);
    result_free(r);
    return x;
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
} comparison;

static void view_of(comparison *c, const uint64_t *state, const value *elements, uint64_t *out) {
    space_unpack(c->concrete.sp, state, c->cells);
    project_state(c->a, c->in, c->cells, elements, c->to, c->view);
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
        if (strengthened_case(c->st, c->a, r)->nothers) return TROUBLE_OTHER;
        found = TROUBLE_KEPT;
    }
    return found;
}

// Others never fail. Rules of kept elements may, with a wrong guess of what they read of others: nothing is proved
// then, and every step is covered.
// Is every step, seen at these elements, a step of the abstraction, or none at all?
static bool steps_are_seen(comparison *c, const uint64_t *state, const value *elements) {
    steps *s = &c->concrete, *t = &c->abstract;
    view_of(c, state, elements, c->before);
    t->n = space_next(t->run, c->before, t->next, t->labels);
    trouble found = abstract_trouble(c);
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

static bool views_are_covered_by(abstraction *a, const strengthened *st, const claims *asked, const instance *in,
                                 const explored *x, const instance *to, const explored *abstract) {
    comparison c = {.a = a, .st = st, .in = in, .to = to};
    c.cells = mem_zero(in->ncells + 1, sizeof *c.cells);
    c.view = mem_zero(to->ncells + 1, sizeof *c.view);
    steps_open(&c.concrete, explored_space(x));
    steps_open(&c.abstract, explored_space(abstract));
    assert_true(c.concrete.words <= 64 && c.abstract.words <= 64);
    bool ok = true;
    judge j = {.concrete = eval_new(in), .abstract = eval_new(to)};
    for (uint64_t i = 0; i < explored_count(x) && ok; i++) {
        value elements[4];
        bool first = true;
        uint64_t state[64];
        explored_state(x, i, state);
        c.concrete.n = space_next(c.concrete.run, state, c.concrete.next, c.concrete.labels);
        bits_clear(&j.failed);
        bits_clear(&j.seen_failing);
        space_unpack(c.concrete.sp, state, c.cells);
        fail_in(j.concrete, c.cells, asked->conds.data, asked->conds.len, &j.failed);
        while (ok && project_next(a, in->sort_size[a->sort.id], elements, &first)) {
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

typedef struct {
    uint32_t refused, compared;
    uint64_t states;
} tally;

static bool instance_is_covered(abstraction *a, const strengthened *st, const claims *asked, const instance *to,
                                const explored *abstract, uint32_t size, tally *t) {
    sort_size sizes = {a->sort, size};
    instance *in = instance_new(a->m, a->origin, &sizes, 1);
    explored *x = explore(in, MOST_STATES);
    t->states += explored_count(x);
    bool ok = views_are_covered_by(a, st, asked, in, x, to, abstract);
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

static bool is_sound(const str *text, uint32_t kept, tally *t) {
    sample s;
    bool ok = true;
    if (!read_model(&s, text)) fail_msg("%s", str_get(text));
    abstraction *a = abstract_new(s.m, s.system, s.sort, kept);
    t->refused += a->refusal != NULL;
    if (!a->refusal) {
        claims asked = claims_of(a);
        strengthened st = strengthen(a, NULL, 0);
        instance *to = instance_new(st.m, st.system, NULL, 0);
        explored *abstract = count_labels(to) < MOST_LABELS ? explore(to, MOST_ABSTRACT) : NULL;
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
    sample_free(&s);
    return ok;
}

static void show_smaller(uint64_t seed, uint32_t kept) {
    bits skip = {0};
    str text = {0};
    tally t = {0};
    uint32_t n = random_param(seed, &skip, &text);
    for (uint32_t i = 0; i < n; i++) {
        bits_add(&skip, i);
        str_clear(&text);
        random_param(seed, &skip, &text);
        if (is_sound(&text, kept, &t)) bits_remove(&skip, i);
    }
    str_clear(&text);
    random_param(seed, &skip, &text);
    printf("# seed %llu, %u kept: not covered\n%s\n", (unsigned long long)seed, kept, str_get(&text));
    bits_free(&skip);
    str_free(&text);
}

static void views_are_covered(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 5000 : 450;
    tally t = {0};
    for (uint64_t seed = 1; seed <= n; seed++) {
        str text = {0};
        bits none = {0};
        uint32_t kept = 1 + seed % 2;
        random_param(seed, &none, &text);
        bool ok = is_sound(&text, kept, &t);
        if (!ok) show_smaller(seed, kept);
        assert_true(ok);
        str_free(&text);
    }
    printf("# %u compared, %u refused, %llu states\n", t.compared, t.refused, (unsigned long long)t.states);
    assert_true(t.compared > n / 2);
}

// ---- models that a certain mistake would get wrong

typedef struct {
    const char *what, *text;
} directed;

#define HEAD                                                                                      \
    "type node : scalarset(3); none : enum { nobody }; maybe : union { node, none };\n"           \
    "var x, y : boolean; who, top : node; place : maybe; full, late : array [node] of boolean;\n" \
    "  link : array [node] of node; next : array [node] of maybe;\n"
#define START                                                                                            \
    "ruleset s : node; t : node do startstate x := false; y := false; who := s; top := t; place := s;\n" \
    "  for n : node do full[n] := false; late[n] := false; link[n] := t; next[n] := nobody; end; end; "  \
    "end;\n"

static const directed directed_models[] = {
    {"a cell that the body wrote before it reads it",
     HEAD START "rule !full[who] ==> begin full[who] := true; if full[who] then x := true; end; end;\n"},
    {"a variable that the body wrote before it reads through it",
     HEAD START "ruleset n : node; p : node do rule who = n & n != p & !x ==> begin who := p;\n"
                "  if who = n then x := false; else x := true; end; end; end;\n"},
    {"what one branch writes is unknown after it",
     HEAD START "rule !full[who] ==> begin if y then full[who] := true; end;\n"
                "  if full[who] then x := true; end; y := !y; end;\n"},
    {"what a loop writes is unknown in it",
     HEAD START "ruleset n : node do rule !full[n] ==> begin for a : node do if a = n then full[a] := true; end; end;\n"
                "  if full[n] then x := true; end; end; end;\n"},
    {"an index that may be any element is not the case's other",
     HEAD START "ruleset n : node do rule !full[n] ==> begin full[n] := true;\n"
                "  if full[who] then x := true; else y := true; end; end; end;\n"},
    {"an index that may be any element may be the case's other",
     HEAD START "ruleset n : node do rule !full[n] ==> begin full[who] := true;\n"
                "  if full[n] then x := true; else y := true; end; end; end;\n"},
    {"two variables hold the same element or different ones",
     HEAD START "rule who = top ==> begin x := !x; end; rule who != top ==> begin y := !y; end;\n"
                "ruleset n : node do rule true ==> begin top := n; end; end;\n"},
    {"a variable holds one other, not two",
     HEAD START "ruleset n : node; p : node do rule who = n & who != p ==> begin x := true; end;\n"
                "  rule who = n & who = p ==> begin y := true; end; end;\n"},
    {"an element that is chosen by a condition",
     HEAD START "ruleset n : node; p : node do rule n != p ==> begin\n"
                "  if (x ? n : p) = (y ? n : p) then x := !x; else y := !y; end; end;\n"
                "  rule full[x ? n : p] != full[y ? n : p] ==> begin x := true; y := true; end;\n"
                "  rule true ==> begin full[n] := !full[n]; end; end;\n"},
    {"an other that is a condition away from no value",
     HEAD "ruleset s : node do startstate x := false; y := false; undefine who; top := s; place := nobody;\n"
          "  for n : node do full[n] := false; late[n] := false; link[n] := n; next[n] := n; end; end; end;\n"
          "ruleset n : node do rule full[n] & who = n ==> begin x := true; end; end;\n"},
    {"a start that changes only state that is dropped",
     HEAD "var set : array [node] of boolean;\n"
          "ruleset s : node do startstate set[s] := true; end; end;\n"
          "ruleset n : node do rule isundefined(set[n]) ==> begin set[n] := false; end; end;\n"},
    {"a union's value: an element, another member",
     HEAD START "ruleset n : node do rule place = n ==> begin place := next[n]; x := place = nobody; end;\n"
                "  rule next[n] = nobody ==> begin next[n] := who; end; rule next[n] != place ==> begin y := !y; end;\n"
                "  rule place != nobody ==> begin full[place] := true; if full[n] then x := true; end; end; end;\n"},
    {"an array over a union",
     HEAD "var old : array [maybe] of boolean;\n"
          "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s;\n"
          "  for m : maybe do old[m] := m != s; end;\n"
          "  for n : node do full[n] := false; late[n] := false; link[n] := s; next[n] := nobody; end; end; end;\n"
          "rule old[nobody] ==> begin x := true; old[place] := true; end;\n"
          "rule old[place] ==> begin y := !y; old[nobody] := false; place := nobody; end;\n"
          "ruleset n : node do rule !old[n] ==> begin old[next[who]] := true; next[who] := n; x := old[n]; end; "
          "end;\n"},
    {"a parameter that ranges over a union",
     HEAD START "ruleset m : maybe do rule place != m ==> begin place := m; x := m = nobody; end;\n"
                "  rule place = m ==> begin next[who] := m; y := !y; end; end;\n"
                "ruleset n : node; m : maybe do rule next[n] = m & m != n ==> begin\n"
                "  if ismember(m, node) then full[m] := true; end; if full[n] then x := !x; end; end; end;\n"
                "rule exists m : maybe do m = place & m != nobody end ==> begin y := !y; end;\n"},
    {"some element, in a loop over all", HEAD START
     "ruleset n : node do rule !full[n] ==> begin full[n] := true; end; end;\n"
     "rule true ==> begin for a : node do full[a] := !full[a]; end; end;\n"
     "rule true ==> begin for a : node do if full[a] then late[a] := true; full[a] := false; end; end; end;\n"
     "rule forall n : node do !late[n] end ==> begin x := !x; end;\n"
     "invariant \"some\" x -> exists n : node do full[n] end;\n"},
    {"some element, and guards about all",
     HEAD START "ruleset n : node do rule true ==> begin full[n] := true; late[n] := true; end; end;\n"
                "rule forall n : node do !late[n] end ==> begin x := !x; end;\n"
                "rule forall n : node do !late[n] | full[n] end ==> begin y := !y; end;\n"
                "invariant \"some\" x -> exists n : node do full[n] end;\n"},
    {"some element, in loops with a write through a variable between them",
     HEAD "var seen : array [node] of boolean;\n" START
          "rule true ==> begin for a : node do full[a] := late[a]; end; late[who] := !late[who];\n"
          "  for a : node do seen[a] := late[a]; end; end;\n"
          "ruleset n : node do rule true ==> begin who := n; end; end;\n"
          "invariant \"some\" x -> exists n : node do full[n] & !isundefined(seen[n]) & !seen[n] end;\n"},
    {"a variable and an element that is chosen by a condition",
     HEAD "ruleset s : node; t : node do startstate x := false; y := false; who := s; top := t; place := s;\n"
          "  for n : node do full[n] := false; late[n] := n != t; link[n] := t; next[n] := nobody; end; end; "
          "end;\n"
          "ruleset n : node; p : node do rule n != p & late[n] & late[p] & who != (x ? n : p) ==>\n"
          "  begin y := true; end; end;\n"},
    {"some element, through a variable",
     HEAD START "ruleset n : node do rule true ==> begin full[who] := !full[who]; who := n; end; end;\n"
                "invariant \"some\" x -> exists n : node do full[n] end;\n"},
    {"some element, by shared state",
     HEAD START "ruleset n : node do rule true ==> begin who := n; end; rule true ==> begin full[n] := !full[n]; end;\n"
                "end;\ninvariant \"some\" x -> exists n : node do full[n] & who != n end;\n"},
    {"some element, at a start",
     HEAD "ruleset s : node do startstate x := false; y := false; who := s; top := s; place := s;\n"
          "  for n : node do full[n] := false; late[n] := n != s; link[n] := n; next[n] := n; end; full[s] "
          ":= true;\n"
          "end; end;\nruleset n : node do rule late[n] ==> begin late[n] := false; end; end;\n"
          "invariant \"some\" x -> exists n : node do full[n] end;\n"
          "invariant \"late\" x -> exists n : node do late[n] end;\n"},
    {"variables of all elements, compared",
     HEAD START "rule forall k : node do link[k] != who end ==> begin x := true; end;\n"
                "ruleset n : node do rule true ==> begin who := n; end; end;\n"},
    {"what all elements hold is not one unknown",
     HEAD "ruleset s : node; t : node; u : node do startstate x := false; y := false; who := s; top := t; "
          "place := s;\n"
          "  for n : node do full[n] := false; late[n] := n = s; next[n] := n; if n = s then link[n] := t;\n"
          "    else link[n] := u; end; end; end; end;\n"
          "ruleset n : node do rule forall k : node do late[k] = (link[k] = n) end ==> begin x := true; end; "
          "end;\n"},
    {"a variable that is chosen by a condition",
     HEAD START "rule full[x ? who : top] != full[y ? who : top] ==> begin x := true; y := true; end;\n"
                "rule (x ? who : top) != (y ? who : top) ==> begin x := false; y := false; end;\n"
                "ruleset n : node do rule true ==> begin full[n] := !full[n]; x := !x; end; end;\n"},
    {"some element, in a loop that takes values away",
     HEAD START "ruleset n : node do rule true ==> begin full[n] := true; late[n] := !late[n]; end; end;\n"
                "rule true ==> begin for a : node do if late[a] then undefine full[a]; end; end; end;\n"
                "invariant \"some\" x -> exists n : node do !isundefined(full[n]) & full[n] end;\n"},
    {"some element, in a loop that reads what was written",
     HEAD START "rule true ==> begin x := !x; for a : node do full[a] := x; end; end;\n"
                "invariant \"some\" y -> exists n : node do full[n] end;\n"},
};

// Where an abstraction would have to know more than it does.
static const directed refused_models[] = {
    {"a loop that changes shared state",
     HEAD START "rule true ==> begin for a : node do if full[a] then x := true; end; end; end;\n"},
    {"a loop that reads what other rounds write",
     HEAD START "rule true ==> begin for a : node do late[a] := full[who]; full[a] := true; end; end;\n"},
};

static void refused_models_are_refused(void **state) {
    (void)state;
    tally t = {0};
    uint32_t n = sizeof refused_models / sizeof *refused_models;
    for (uint32_t i = 0; i < n; i++) {
        str text = {0};
        str_add(&text, refused_models[i].text);
        is_sound(&text, 1, &t);
        if (t.refused != i + 1) fail_msg("%s: not refused", refused_models[i].what);
        str_free(&text);
    }
}

static void directed_models_are_covered(void **state) {
    (void)state;
    tally t = {0};
    for (uint32_t i = 0; i < sizeof directed_models / sizeof *directed_models; i++)
        for (uint32_t kept = 1; kept <= 2; kept++) {
            str text = {0};
            str_add(&text, directed_models[i].text);
            if (!is_sound(&text, kept, &t)) fail_msg("%s, %u kept: not covered", directed_models[i].what, kept);
            str_free(&text);
        }
    assert_int_equal(t.refused, 0);
    assert_int_equal(t.compared, 2 * sizeof directed_models / sizeof *directed_models);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(directed_models_are_covered),
                                       cmocka_unit_test(refused_models_are_refused),
                                       cmocka_unit_test(views_are_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
