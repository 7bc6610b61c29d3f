// SPDX-License-Identifier: Apache-2.0
// See survey.h. Literals are evaluated as checks of a compiled space: all of them, for all choices of
// elements, at once.
#include "cmp/survey.h"

#include "cmp/project.h"
#include "model/expr.h"

enum { SURVEY_MOST_LOOKED_AT = 60000, SURVEY_MOST_VIEWS = 2000000 };

// ---- views

static void open_views(survey *s) {
    model *m = s->a->m;
    sys system = model_add_system(m, "views", (span){0});
    for (uint32_t i = 0; i < s->a->state.len; i++) vec_push(&sys_of(m, system)->funcs, s->a->state.data[i]);
    s->view_in = instance_new(m, system, NULL, 0);
    space_options o = {.symmetry = SYMMETRY_EXACT};
    s->view_space = s->view_in ? space_new(s->view_in, &o) : NULL;
    s->view_run = s->view_space ? space_run_new(s->view_space) : NULL;
    s->views = map_new();
}

static void pack_view(const survey *s, const value *cells, uint64_t *out) {
    space_pack(s->view_space, cells, out);
    space_canonical(s->view_run, out);
}

bool survey_has_view(survey *s, const value *cells) {
    uint64_t *state = mem_zero(space_words(s->view_space), 8);
    pack_view(s, cells, state);
    bool found = map_get(s->views, state, space_words(s->view_space) * 8, 0);
    free(state);
    return found;
}

static void add_views_at(survey *s, const instance *in, const explored *x, const projection *p) {
    uint32_t words = space_words(s->view_space);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells),
          *view = mem_zero(s->view_in->ncells + 1, sizeof *view);
    uint64_t *state = mem_zero(space_words(explored_space(x)) + 1, 8), *packed = mem_zero(words + 1, 8);
    for (uint64_t i = 0; i < explored_count(x) && map_count(s->views) < SURVEY_MOST_VIEWS; i++) {
        explored_state(x, i, state);
        space_unpack(explored_space(x), state, cells);
        project_cells(p, cells, view);
        pack_view(s, view, packed);
        map_put(s->views, packed, words * 8, 1);
    }
    free(cells);
    free(view);
    free(state);
    free(packed);
}

static void add_views(survey *s, const instance *in, const explored *x) {
    value elements[PROJECT_MOST_KEPT];
    bool first = true;
    while (project_next(s->a, in->sort_size[s->a->sort.id], elements, &first)) {
        projection *p = project_new(s->a, in, elements, s->view_in);
        add_views_at(s, in, x, p);
        project_free(p);
    }
    s->has_all_views &= explored_end(x) == END_COMPLETE && map_count(s->views) < SURVEY_MOST_VIEWS;
}

// ---- literals

typedef struct {
    survey *s;
    const instance *in;
    uint32_t nitems, nbindings;  // items: points, then atoms
    VEC(expr) checks;
    map *check_of;
    uint32_t *table;  // by binding and item: check
    uint64_t *failed, *row;
} look;

static uint32_t check_of(look *l, expr e) {
    uint32_t number = map_intern(l->check_of, &e.id, sizeof e.id, l->checks.len);
    if (number == l->checks.len) vec_push(&l->checks, e);
    return number;
}

static expr item(const look *l, uint32_t i) {
    const lexicon *v = l->s->v;
    return i < v->points.len ? v->points.data[i].premise : v->atoms.data[i - v->points.len];
}

static void add_binding(look *l, const value *elements) {
    const lexicon *v = l->s->v;
    expr with[LEXICON_FORMALS];
    for (uint32_t k = 0; k < v->nformals; k++) with[k] = expr_const(v->m, v->sort, elements[k]);
    for (uint32_t i = 0; i < l->nitems; i++)
        l->table[l->nbindings * l->nitems + i] =
            check_of(l, expr_subst(v->m, item(l, i), v->formals, with, v->nformals));
    l->nbindings++;
}

// Elements that are different from each other.
static void add_bindings(look *l) {
    value size = (value)l->in->sort_size[l->s->v->sort.id];
    uint32_t n = l->s->v->nformals;
    l->table = mem_zero((size_t)(n == 1 ? size : size * size) * l->nitems + 1, sizeof *l->table);
    for (value i = 0; i < size; i++)
        for (value j = 0; j < (n == 1 ? 1 : size); j++)
            if (n == 1 || i != j) add_binding(l, (value[]){i, j});
}

static bool holds(const look *l, uint32_t check) { return !(l->failed[check / 64] >> (check % 64) & 1); }

static void look_at_point(look *l, uint32_t p, const uint32_t *table) {
    survey *s = l->s;
    uint32_t natoms = s->v->atoms.len;
    if (!holds(l, table[p])) return;
    if (!s->is_met[p]) bits_reserve(&s->holds[p], natoms * 2);
    for (uint32_t i = 0; !s->is_met[p] && i < natoms * 2; i++) bits_add(&s->holds[p], i);
    s->is_met[p] = true;
    for (uint32_t w = 0; w < (natoms * 2 + 63) / 64; w++) s->holds[p].words[w] &= l->row[w];
    if (map_count(s->rows[p]) < SURVEY_MOST_ROWS) map_put(s->rows[p], l->row, (natoms * 2 + 63) / 64 * 8, 1);
}

static void look_at_binding(look *l, uint32_t b) {
    const uint32_t *table = l->table + (size_t)b * l->nitems;
    uint32_t npoints = l->s->v->points.len, natoms = l->s->v->atoms.len;
    memset(l->row, 0, (natoms * 2 + 63) / 64 * 8);
    for (uint32_t i = 0; i < natoms; i++) {
        uint32_t literal = i * 2 + !holds(l, table[npoints + i]);
        l->row[literal / 64] |= UINT64_C(1) << (literal % 64);
    }
    for (uint32_t p = 0; p < npoints; p++) look_at_point(l, p, table);
}

static void look_at_states(look *l, const explored *x) {
    space_options o = {.checks = l->checks.data, .nchecks = l->checks.len};
    space *sp = space_new(l->in, &o);
    if (!sp) return;
    space_run *run = space_run_new(sp);
    uint64_t *state = mem_zero(space_words(sp) + 1, 8);
    uint64_t stride = explored_count(x) / SURVEY_MOST_LOOKED_AT + 1;
    l->failed = mem_zero(l->checks.len / 64 + 1, 8);
    l->row = mem_zero(l->s->v->atoms.len * 2 / 64 + 1, 8);
    for (uint64_t i = 0; i < explored_count(x); i += stride, l->s->states++) {
        explored_state(x, i, state);
        space_check(run, state, l->failed);
        for (uint32_t b = 0; b < l->nbindings; b++) look_at_binding(l, b);
    }
    free(l->failed);
    free(l->row);
    free(state);
    space_run_free(run);
    space_free(sp);
}

void survey_add(survey *s, const instance *in, const explored *x) {
    look l = {.s = s, .in = in, .nitems = s->v->points.len + s->v->atoms.len, .check_of = map_new()};
    add_views(s, in, x);
    add_bindings(&l);
    look_at_states(&l, x);
    map_free(l.check_of);
    vec_free(&l.checks);
    free(l.table);
}

survey *survey_new(abstraction *a, lexicon *v) {
    survey *s = mem_zero(1, sizeof *s);
    *s = (survey){.a = a, .v = v, .has_all_views = true};
    s->holds = mem_zero(v->points.len + 1, sizeof *s->holds);
    s->is_met = mem_zero(v->points.len + 1, sizeof *s->is_met);
    s->rows = mem_zero(v->points.len + 1, sizeof *s->rows);
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
    free(s->rows);
    free(s->holds);
    free(s->is_met);
    map_free(s->views);
    if (s->view_run) space_run_free(s->view_run);
    if (s->view_space) space_free(s->view_space);
    if (s->view_in) instance_free(s->view_in);
    free(s);
}
