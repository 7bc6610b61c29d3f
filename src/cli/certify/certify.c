// SPDX-License-Identifier: Apache-2.0
// Certificates of `check`: see certify.h.
#include "cli/certify/certify.h"

#include "certificate/relation.h"
#include "certificate/stateset.h"
#include "model/eval.h"

#include <string.h>

struct certify {
    session *s;
    const char *kind;     // of the file: "check", "compare", "timed"
    source model, right;  // right: of a comparison of two files
    bool has_right;
    const model *left_model;
    prop about;            // of a comparison: the refinement
    certfile_writer *out;  // NULL until there is a claim
    bool has_failed, is_doubted;
};

static certify *cli_certify_begin(session *s, const char *kind, const char *path, const loaded *l) {
    if (!s->opt.certificate) return NULL;
    certify *y = mem_zero(1, sizeof *y);
    y->s = s;
    y->kind = kind;
    y->has_failed = !source_take(s, path, l, &y->model);
    return y;
}

certify *certify_begin(session *s, const loaded *l) { return cli_certify_begin(s, "check", s->file, l); }

certify *certify_begin_pair(session *s, const char *left_path, const loaded *left, const char *right_path,
                            const loaded *right) {
    certify *y = cli_certify_begin(s, "compare", left_path, left);
    if (!y) return NULL;
    y->left_model = left->m;
    y->has_right = right != NULL;
    y->has_failed |= right && !source_take(s, right_path, right, &y->right);
    return y;
}

certify *certify_begin_timed(session *s) { return cli_certify_begin(s, "timed", s->file, NULL); }

certify *certify_begin_views(session *s, const char *size) {
    certify *y = cli_certify_begin(s, "views", s->file, NULL);
    if (y && !y->has_failed) json_object_set_new(y->model.options, "over", certfile_text(size));
    return y;
}

static void certify_put_right(const certify *y, json_t *header) {
    json_t *object = json_object();
    certfile_model m = source_model(&y->right);
    certfile_put_model(object, &m);
    json_object_set_new(header, "right", object);
}

static bool is_open(certify *y) {
    if (y->out || y->has_failed) return y->out;
    json_t *header = certfile_header_new(y->kind);
    certfile_model m = source_model(&y->model);
    certfile_put_model(header, &m);
    if (y->has_right) certify_put_right(y, header);
    y->out = certfile_create(y->s->opt.certificate, header, y->s->messages);
    return y->out;
}

certfile_writer *certify_queries(certify *y, json_t *queries) {
    json_object_set_new(y->model.options, "queries", queries);
    return is_open(y) ? y->out : NULL;
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
                     y->is_doubted                ? "--strict leaves an answer unknown"
                     : str_same(y->kind, "timed") ? "no query was decided by a complete search"
                     : str_same(y->kind, "views") ? "nothing was proved"
                                                  : "nothing holds",
                     y->s->opt.certificate);
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

static void certify_collect(const result *r, uint32_t first, answers *out) {
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

static const value *certify_cells_of(reading *r, uint64_t number) {
    explored_state(r->x, number, r->state);
    space_unpack(r->sp, r->state, r->cells);
    return r->cells;
}

static void write_states(certify *y, const explored *x) {
    reading r = reading_new(x);
    stateset_writer *w = stateset_writer_new(y->out, space_instance(r.sp));
    for (uint64_t i = 0; i < explored_count(x); i++) stateset_write(w, certify_cells_of(&r, i));
    stateset_writer_free(w);
    reading_free(&r);
}

// ---- ranks of PROP_REACHES: 0 where the condition holds, elsewhere some step leads to a lower one

#define UNRANKED UINT32_MAX

typedef struct {
    reading from;
    space_run *run;
    uint64_t *next;
    uint32_t *labels;
} stepping;

static stepping stepping_new(const explored *x) {
    stepping t = {.from = reading_new(x)};
    t.run = space_run_new(t.from.sp);
    t.next = mem_zero((size_t)space_labels(t.from.sp) * space_words(t.from.sp) + 1, sizeof *t.next);
    t.labels = mem_zero(space_labels(t.from.sp) + 1, sizeof *t.labels);
    return t;
}

static void stepping_free(stepping *t) {
    reading_free(&t->from);
    space_run_free(t->run);
    free(t->next);
    free(t->labels);
}

// One more than the least rank among the successors; UNRANKED: none has any.
static uint32_t rank_before(stepping *t, uint64_t number, const uint32_t *rank) {
    uint32_t least = UNRANKED, words = space_words(t->from.sp);
    explored_state(t->from.x, number, t->from.state);
    uint32_t n = space_next(t->run, t->from.state, t->next, t->labels);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t *next = t->next + (size_t)k * words;
        if (t->labels[k] & SPACE_TROUBLE) continue;
        if (space_is_reduced(t->from.sp)) space_canonical(t->run, next);
        uint64_t to = explored_find(t->from.x, next);
        if (to != UINT64_MAX && rank[to] < least) least = rank[to];
    }
    return least == UNRANKED ? UNRANKED : least + 1;
}

// Most successors have higher numbers than their state, so few sweeps from the last state to the first are needed.
static uint32_t *ranks_of(stepping *t, expr cond) {
    uint64_t n = explored_count(t->from.x);
    uint32_t *rank = mem_alloc((n + 1) * sizeof *rank);
    eval *ev = eval_new(space_instance(t->from.sp));
    for (uint64_t i = 0; i < n; i++) rank[i] = eval_expr(ev, certify_cells_of(&t->from, i), cond) ? 0 : UNRANKED;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint64_t i = n; i-- > 0;) {
            if (rank[i] != UNRANKED) continue;
            rank[i] = rank_before(t, i, rank);
            has_changed |= rank[i] != UNRANKED;
        }
    }
    eval_free(ev);
    return rank;
}

static void write_reaches(certify *y, const explored *x, const answers *a) {
    stepping t = stepping_new(x);
    for (uint32_t i = 0; i < a->props.len; i++) {
        const prop_info *p = prop_of(space_instance(t.from.sp)->m, a->props.data[i]);
        if (p->kind != PROP_REACHES) continue;
        uint32_t *rank = ranks_of(&t, p->cond);
        for (uint64_t k = 0; k < explored_count(x); k++) certfile_put_number(y->out, rank[k]);
        free(rank);
    }
    stepping_free(&t);
}

// ---- claims

void certify_explored(certify *y, const explored *x, closed_stuck stuck, const result *r, uint32_t first) {
    answers a = {0};
    type_list permuted = {0};
    VEC(uint32_t) tables = {0};
    certify_collect(r, first, &a);
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
    certify_collect(r, first, &a);
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
