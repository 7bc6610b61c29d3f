// SPDX-License-Identifier: Apache-2.0
// See survey.h. Literals are evaluated as checks of a compiled space: all of them, for all choices of
// elements, at once.
#include "cmp/lemmas/survey.h"

#include "cmp/abstract/project.h"
#include "model/expr.h"

enum { SURVEY_MOST_LOOKED_AT = 60000, SURVEY_MOST_VIEWS = 2000000 };

// ---- views

static void open_views(survey *s) {
    model *m = s->a->m;
    sys system = model_add_system(m, "views", (span){0});
    for (uint32_t i = 0; i < s->a->state.len; i++) vec_push(&sys_of(m, system)->funcs, s->a->state.data[i]);
    s->view_in = instance_try(m, system, NULL, 0);
    space_options o = {.symmetry = SYMMETRY_EXACT};
    s->view_space = s->view_in ? space_new(s->view_in, &o) : NULL;
    s->view_run = s->view_space ? space_run_new(s->view_space) : NULL;
    s->views = s->view_space ? tuples_new(space_words(s->view_space)) : NULL;
}

static void pack_view(const survey *s, const value *cells, uint64_t *out) {
    space_pack(s->view_space, cells, out);
    space_canonical(s->view_run, out);
}

bool survey_has_view(survey *s, const value *cells) {
    uint64_t *state = mem_zero(space_words(s->view_space), 8);
    pack_view(s, cells, state);
    bool found = tuples_find(s->views, state) != TUPLES_NONE;
    free(state);
    return found;
}

static void add_views_at(survey *s, const instance *in, const explored *x, const projection *p) {
    uint32_t words = space_words(s->view_space);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells), *view = mem_zero(s->view_in->ncells + 1, sizeof *view);
    uint64_t *state = mem_zero(space_words(explored_space(x)) + 1, 8), *packed = mem_zero(words + 1, 8);
    explored_walk *walk = explored_walk_new(x);
    while (tuples_count(s->views) < SURVEY_MOST_VIEWS && explored_walk_next(walk, state)) {
        space_unpack(explored_space(x), state, cells);
        project_cells(p, cells, view);
        pack_view(s, view, packed);
        tuples_put(s->views, packed);
    }
    explored_walk_free(walk);
    free(cells);
    free(view);
    free(state);
    free(packed);
}

void survey_add(survey *s, const instance *in, const explored *x) {
    value elements[PROJECT_MOST_KEPT];
    bool first = true;
    while (project_next(s->a, in->sort_size[s->a->sort.id], elements, &first)) {
        projection *p = project_new(s->a, in, elements, s->view_in);
        add_views_at(s, in, x, p);
        project_free(p);
    }
}

// ---- literals

typedef struct {
    survey *s;
    uint32_t nbindings;
    uint32_t *premises, *literals;  // by binding and point or literal: check
    VEC(expr) checks;
    map *check_of;
    uint64_t *failed, *row;
} look;

static uint32_t check_of(look *l, expr e) {
    uint32_t number = map_intern(l->check_of, &e.id, sizeof e.id, l->checks.len);
    if (number == l->checks.len) vec_push(&l->checks, e);
    return number;
}

// What surely holds of kept elements: formals stand for variables of their type, these for constants.
static uint32_t check_at(look *l, expr e, const var *kept, const expr *elements) {
    const lemma_vocabulary *v = l->s->v;
    e = abstract_over(l->s->a, e, v->formals, kept, v->nformals);
    return check_of(l, expr_subst(v->m, e, kept, elements, v->nformals));
}

static void survey_add_binding(look *l, const var *kept, const value *elements) {
    const lemma_vocabulary *v = l->s->v;
    expr with[VOCABULARY_FORMALS];
    for (uint32_t k = 0; k < v->nformals; k++) with[k] = expr_const(v->m, l->s->a->kept, elements[k]);
    uint32_t *premises = l->premises + (size_t)l->nbindings * v->points.len;
    uint32_t *literals = l->literals + (size_t)l->nbindings * v->atoms.len * 2;
    for (uint32_t i = 0; i < v->points.len; i++)
        premises[i] = check_at(l, expr_not(v->m, v->points.data[i].premise), kept, with);
    for (uint32_t i = 0; i < v->atoms.len; i++) {
        literals[i * 2] = check_at(l, v->atoms.data[i], kept, with);
        literals[i * 2 + 1] = check_at(l, expr_not(v->m, v->atoms.data[i]), kept, with);
    }
    l->nbindings++;
}

// Elements that are different from each other.
static void add_bindings(look *l) {
    value size = (value)l->s->a->kept_count;
    const lemma_vocabulary *v = l->s->v;
    uint32_t n = v->nformals, most = (uint32_t)(n == 1 ? size : size * size);
    var kept[VOCABULARY_FORMALS];
    for (uint32_t k = 0; k < n; k++)
        kept[k] = model_add_var(v->m, var_of(v->m, v->formals[k])->name, l->s->a->kept, (span){0});
    l->premises = mem_zero((size_t)most * v->points.len + 1, sizeof *l->premises);
    l->literals = mem_zero((size_t)most * v->atoms.len * 2 + 1, sizeof *l->literals);
    for (value i = 0; i < size; i++)
        for (value j = 0; j < (n == 1 ? 1 : size); j++)
            if (n == 1 || i != j) survey_add_binding(l, kept, (value[]){i, j});
}

static bool survey_holds(const look *l, uint32_t check) { return !(l->failed[check / 64] >> (check % 64) & 1); }

static void look_at_point(look *l, uint32_t p) {
    survey *s = l->s;
    uint32_t natoms = s->v->atoms.len;
    if (!s->is_met[p]) bits_reserve(&s->holds[p], natoms * 2);
    for (uint32_t i = 0; !s->is_met[p] && i < natoms * 2; i++) bits_add(&s->holds[p], i);
    s->is_met[p] = true;
    for (uint32_t w = 0; w < (natoms * 2 + 63) / 64; w++) s->holds[p].words[w] &= l->row[w];
    if (map_count(s->rows[p]) < SURVEY_MOST_ROWS) map_put(s->rows[p], l->row, (natoms * 2 + 63) / 64 * 8, 1);
}

// A premise that may hold is met: the checks are of its negation.
static void look_at_binding(look *l, uint32_t b) {
    uint32_t npoints = l->s->v->points.len, n = l->s->v->atoms.len * 2;
    const uint32_t *premises = l->premises + (size_t)b * npoints, *literals = l->literals + (size_t)b * n;
    memset(l->row, 0, (n + 63) / 64 * 8);
    for (uint32_t i = 0; i < n; i++)
        if (survey_holds(l, literals[i])) l->row[i / 64] |= UINT64_C(1) << (i % 64);
    for (uint32_t p = 0; p < npoints; p++)
        if (!survey_holds(l, premises[p])) look_at_point(l, p);
}

static void look_at_views(look *l) {
    survey *s = l->s;
    space_options o = {.checks = l->checks.data, .nchecks = l->checks.len};
    space *sp = space_new(s->view_in, &o);
    if (!sp) return;
    space_run *run = space_run_new(sp);
    uint32_t stride = tuples_count(s->views) / SURVEY_MOST_LOOKED_AT + 1;
    l->failed = mem_zero(l->checks.len / 64 + 1, 8);
    l->row = mem_zero(s->v->atoms.len * 2 / 64 + 1, 8);
    for (uint32_t i = 0; i < tuples_count(s->views); i += stride) {
        space_check(run, tuples_get(s->views, i), l->failed);
        for (uint32_t b = 0; b < l->nbindings; b++) look_at_binding(l, b);
    }
    free(l->failed);
    free(l->row);
    space_run_free(run);
    space_free(sp);
}

void survey_look(survey *s) {
    look l = {.s = s, .check_of = map_new()};
    add_bindings(&l);
    look_at_views(&l);
    map_free(l.check_of);
    vec_free(&l.checks);
    free(l.premises);
    free(l.literals);
}

survey *survey_new(abstraction *a, lemma_vocabulary *v) {
    survey *s = mem_zero(1, sizeof *s);
    *s = (survey){.a = a, .v = v};
    s->holds = arena_alloc(a->m->memory, v->points.len * sizeof *s->holds);
    s->is_met = arena_alloc(a->m->memory, v->points.len * sizeof *s->is_met);
    s->rows = arena_alloc(a->m->memory, v->points.len * sizeof *s->rows);
    for (uint32_t i = 0; i < v->points.len; i++) s->rows[i] = map_new();
    open_views(s);
    return s;
}

void survey_free(survey *s) {
    if (!s) return;
    for (uint32_t i = 0; i < s->v->points.len; i++) {
        bits_free(&s->holds[i]);
        map_free(s->rows[i]);
    }
    tuples_free(s->views);
    space_run_free(s->view_run);
    space_free(s->view_space);
    instance_free(s->view_in);
    free(s);
}
