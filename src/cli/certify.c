// SPDX-License-Identifier: Apache-2.0
// Certificates of `check`: see certify.h.
#include "cli/certify.h"

#include "certificate/relation.h"
#include "certificate/stateset.h"
#include "model/eval.h"

#include <string.h>

struct certify {
    session *s;
    source model, right;    // right: of a comparison of two files
    bool is_pair, has_right;
    const model *left_model;
    prop about;             // of a comparison: the refinement
    certfile_writer *out;  // NULL until there is a claim
    bool has_failed, is_doubted;
};

certify *certify_begin(session *s, const loaded *l) {
    if (!s->opt.certificate) return NULL;
    certify *y = mem_zero(1, sizeof *y);
    y->s = s;
    y->has_failed = !source_take(s, s->file, l, &y->model);
    return y;
}

certify *certify_begin_pair(session *s, const char *left_path, const loaded *left, const char *right_path,
                            const loaded *right) {
    if (!s->opt.certificate) return NULL;
    certify *y = mem_zero(1, sizeof *y);
    y->s = s;
    y->is_pair = true;
    y->left_model = left->m;
    y->has_right = right != NULL;
    y->has_failed = !source_take(s, left_path, left, &y->model) ||
                    (right && !source_take(s, right_path, right, &y->right));
    return y;
}

static void put_right(const certify *y, json_t *header) {
    json_t *object = json_object();
    certfile_model m = source_model(&y->right);
    certfile_put_model(object, &m);
    json_object_set_new(header, "right", object);
}

static bool is_open(certify *y) {
    if (y->out || y->has_failed) return y->out;
    json_t *header = certfile_header_new(y->is_pair ? "compare" : "check");
    certfile_model m = source_model(&y->model);
    certfile_put_model(header, &m);
    if (y->has_right) put_right(y, header);
    y->out = certfile_create(y->s->opt.certificate, header, y->s->messages);
    return y->out;
}

void certify_doubt(certify *y) {
    if (y) y->is_doubted = true;
}

bool certify_end(certify *y) {
    if (!y) return true;
    bool is_written = y->out && !y->is_doubted, ok = !y->has_failed;
    if (ok && is_written) ok = certfile_finish(y->out);
    else if (ok)
        diag_warning(y->s->messages, (span){0}, "%s: no certificate is written to '%s'",
                     y->is_doubted ? "--strict leaves an answer unknown" : "nothing holds", y->s->opt.certificate);
    if (is_written) y->out = NULL;
    certify_abandon(y);
    return ok;
}

void certify_abandon(certify *y) {
    if (!y) return;
    certfile_abandon(y->out);
    source_free(&y->model);
    source_free(&y->right);
    free(y);
}

// ---- what holds

typedef struct {
    VEC(prop) props;
    bool has_error, has_failed_assumption, has_deadlock_answer;
} answers;

static void collect(const result *r, uint32_t first, answers *out) {
    for (uint32_t i = first; i < r->properties.len; i++) {
        const result_property *p = &r->properties.data[i];
        bool holds = p->verdict == VERDICT_HOLDS;
        if (p->property.id && holds) vec_push(&out->props, p->property);
        else if (str_same(p->name, "run-time error")) out->has_error = true;
        else if (str_same(p->name, "deadlock")) out->has_deadlock_answer |= holds;
        else if (!p->property.id) out->has_failed_assumption = true;
    }
}

// ---- states

typedef struct {
    const explored *x;
    const space *sp;
    uint64_t *state;
    value *cells;
} reading;

static reading reading_new(const explored *x) {
    reading r = {.x = x, .sp = explored_space(x)};
    r.state = mem_zero(space_words(r.sp) + 1, sizeof *r.state);
    r.cells = mem_zero(space_instance(r.sp)->ncells + 1, sizeof *r.cells);
    return r;
}

static void reading_free(reading *r) {
    free(r->state);
    free(r->cells);
}

static const value *cells_of(reading *r, uint64_t number) {
    explored_state(r->x, number, r->state);
    space_unpack(r->sp, r->state, r->cells);
    return r->cells;
}

static void write_states(certify *y, const explored *x) {
    reading r = reading_new(x);
    stateset_writer *w = stateset_writer_new(y->out, space_instance(r.sp));
    for (uint64_t i = 0; i < explored_count(x); i++) stateset_write(w, cells_of(&r, i));
    stateset_writer_free(w);
    reading_free(&r);
}

// ---- ranks of PROP_REACHES: how far a state is from one that satisfies the condition

typedef struct {
    uint32_t from, to;
} step;

typedef VEC(step) step_list;

static int by_target(const void *a, const void *b) {
    const step *x = a, *y = b;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void find_steps(const explored *x, step_list *out) {
    const space *sp = explored_space(x);
    space_run *run = space_run_new(sp);
    uint32_t words = space_words(sp), nlabels = space_labels(sp);
    uint64_t *state = mem_zero(words + 1, sizeof *state), *next = mem_zero((size_t)nlabels * words + 1, sizeof *next);
    uint32_t *labels = mem_zero(nlabels + 1, sizeof *labels);
    for (uint64_t i = 0; i < explored_count(x); i++) {
        explored_state(x, i, state);
        uint32_t n = space_next(run, state, next, labels);
        for (uint32_t k = 0; k < n; k++) {
            if (labels[k] & SPACE_TROUBLE) continue;
            if (space_is_reduced(sp)) space_canonical(run, next + (size_t)k * words);
            uint64_t to = explored_find(x, next + (size_t)k * words);
            if (to != UINT64_MAX) vec_push(out, (step){(uint32_t)i, (uint32_t)to});
        }
    }
    space_run_free(run);
    free(state);
    free(next);
    free(labels);
    if (out->len) qsort(out->data, out->len, sizeof *out->data, by_target);
}

// The first step to a state or beyond, in order of targets.
static uint32_t first_to(const step_list *steps, uint32_t state) {
    uint32_t low = 0, high = steps->len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (steps->data[middle].to < state) low = middle + 1;
        else high = middle;
    }
    return low;
}

static uint32_t *ranks_of(const explored *x, const step_list *steps, expr cond) {
    const instance *in = space_instance(explored_space(x));
    uint64_t n = explored_count(x);
    uint32_t *rank = mem_alloc((n + 1) * sizeof *rank);
    VEC(uint32_t) queue = {0};
    reading r = reading_new(x);
    eval *ev = eval_new(in);
    memset(rank, 0xff, n * sizeof *rank);
    for (uint64_t i = 0; i < n; i++) {
        if (!eval_expr(ev, cells_of(&r, i), cond)) continue;
        rank[i] = 0;
        vec_push(&queue, (uint32_t)i);
    }
    for (uint32_t i = 0; i < queue.len; i++)
        for (uint32_t k = first_to(steps, queue.data[i]); k < steps->len && steps->data[k].to == queue.data[i]; k++) {
            uint32_t from = steps->data[k].from;
            if (rank[from] != UINT32_MAX) continue;
            rank[from] = rank[queue.data[i]] + 1;
            vec_push(&queue, from);
        }
    eval_free(ev);
    reading_free(&r);
    vec_free(&queue);
    return rank;
}

static void write_reaches(certify *y, const explored *x, const answers *a) {
    const model *m = space_instance(explored_space(x))->m;
    step_list steps = {0};
    for (uint32_t i = 0; i < a->props.len; i++) {
        const prop_info *p = prop_of(m, a->props.data[i]);
        if (p->kind != PROP_REACHES) continue;
        if (!steps.len) find_steps(x, &steps);
        uint32_t *rank = ranks_of(x, &steps, p->cond);
        for (uint64_t k = 0; k < explored_count(x); k++) certfile_put_number(y->out, rank[k]);
        free(rank);
    }
    vec_free(&steps);
}

// ---- claims

void certify_explored(certify *y, const explored *x, closed_stuck stuck, const result *r, uint32_t first) {
    answers a = {0};
    type_list permuted = {0};
    VEC(uint32_t) tables = {0};
    collect(r, first, &a);
    if (explored_space(x)) space_permuted(explored_space(x), &permuted);
    closed_claim c = {.in = explored_space(x) ? space_instance(explored_space(x)) : NULL,
                      .props = a.props.data,
                      .nprops = a.props.len,
                      .stuck = a.has_deadlock_answer ? stuck : STUCK_ALLOWED,
                      .checks_assumptions = !a.has_failed_assumption,
                      .permuted = permuted.data,
                      .npermuted = permuted.len};
    for (uint32_t i = 0; i < a.props.len; i++)
        vec_push(&tables, prop_of(c.in->m, a.props.data[i])->kind == PROP_REACHES ? 1 : 0);
    bool is_ground = explored_end(x) == END_COMPLETE && explored_initial_count(x) && !a.has_error;
    if (is_ground && is_open(y)) {
        certfile_claim(y->out, closed_claim_object(&c, explored_count(x), tables.data));
        write_states(y, x);
        write_reaches(y, x, &a);
    }
    vec_free(&a.props);
    vec_free(&permuted);
    vec_free(&tables);
}

static const live_tables *tables_of(const live_ranks *ranks, prop p) {
    for (uint32_t i = 0; i < ranks->props.len; i++)
        if (ranks->props.data[i].id == p.id) return &ranks->tables.data[i];
    return NULL;
}

void certify_live(certify *y, const live_ranks *ranks, const result *r, uint32_t first) {
    answers a = {0};
    VEC(uint32_t) counts = {0};
    collect(r, first, &a);
    for (uint32_t i = 0; i < a.props.len; i++) {
        const live_tables *t = tables_of(ranks, a.props.data[i]);
        vec_push(&counts, t ? t->len : 0);
    }
    if (ranks->x && a.props.len && is_open(y)) {
        closed_claim c = {.in = space_instance(explored_space(ranks->x)),
                          .props = a.props.data,
                          .nprops = a.props.len,
                          .checks_assumptions = true};
        certfile_claim(y->out, closed_claim_object(&c, explored_count(ranks->x), counts.data));
        write_states(y, ranks->x);
        for (uint32_t i = 0; i < a.props.len; i++)
            for (uint32_t t = 0; t < counts.data[i]; t++)
                for (uint64_t k = 0; k < explored_count(ranks->x); k++)
                    certfile_put_number(y->out, tables_of(ranks, a.props.data[i])->data[t][k]);
    }
    vec_free(&a.props);
    vec_free(&counts);
}

// ---- comparisons

static void write_sets(certify *y, const inclusion_kept *k) {
    for (uint32_t i = 0; i + 1 < k->first.len; i++)
        relation_write_set(y->out, k->members.data + k->first.data[i], k->first.data[i + 1] - k->first.data[i]);
}

static void certify_relation(const compare_witness *w, void *context) {
    certify *y = context;
    if (!is_open(y)) return;
    const instance *left = space_instance(explored_space(w->left));
    relation_claim c = {.left = left,
                        .right = space_instance(explored_space(w->right)),
                        .is_swapped = y->has_right && left->m != y->left_model,
                        .property = y->about,
                        .is_simulation = w->is_simulation,
                        .left_states = explored_count(w->left),
                        .right_states = explored_count(w->right),
                        .nsets = w->sets ? w->sets->first.len - 1 : 0,
                        .npairs = w->npairs};
    relation_write_claim(y->out, &c);
    write_states(y, w->left);
    write_states(y, w->right);
    if (w->sets) write_sets(y, w->sets);
    for (uint32_t i = 0; i < w->npairs; i++) relation_write_pair(y->out, w->pairs[2 * i], w->pairs[2 * i + 1]);
}

compare_sink certify_sink(certify *y) { return (compare_sink){certify_relation, y}; }

void certify_about(certify *y, prop p) {
    if (y) y->about = p;
}
