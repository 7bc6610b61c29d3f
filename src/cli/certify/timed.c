// SPDX-License-Identifier: Apache-2.0
// Certificates of timed models: see timed.h. The header has the user's file as it is, the constants defined
// on the command line, and the queries; reading it again makes the same cells and clocks.
#include "cli/certify/timed.h"

#include "certificate/certfile.h"
#include "certificate/zones.h"
#include "cli/certify/certify.h"

#include <string.h>

static const span nowhere = {0};

struct timed_certificate {
    session *s;
    const instance *in;
    zone_keeper keeper;
    certify *file;
    certfile_writer *out;  // NULL until something is told
    uint32_t clocks;
    VEC(prop) covered;
};

// ---- writing

// All that were asked, not only what is claimed: a bound on time has a clock of its own, which must be there again.
static json_t *queries_object(const model *m) {
    json_t *queries = json_array();
    for (uint32_t i = 1; i < m->props.len; i++) {
        const prop_info *p = &m->props.data[i];
        if (p->kind == PROP_TIMED && !p->refused && str_same(p->text, p->name))
            json_array_append_new(queries, certfile_text(p->name));
    }
    return queries;
}

static zones_query timed_certificate_query_of(const timed_certificate *y, const zone_kept_query *q) {
    return (zones_query){.query = prop_of(y->in->m, q->p)->text,
                         .is_ranked = q->is_ranked,
                         .states = q->states,
                         .is_measured = q->is_measured,
                         .extreme = {q->has_extreme, q->is_strict, q->extreme}};
}

static void on_begin(const zone_kept *k, void *context) {
    timed_certificate *y = context;
    VEC(zones_query) queries = {0};
    y->clocks = k->clocks;
    for (uint32_t i = 0; i < k->nqueries; i++) vec_push(&y->covered, k->queries[i].p);
    y->out = certify_queries(y->file, queries_object(y->in->m));
    if (!y->out) return;
    for (uint32_t i = 0; i < k->nqueries; i++) vec_push(&queries, timed_certificate_query_of(y, &k->queries[i]));
    zones_claim c = {k->clocks, k->swaps, k->states, y->s->opt.counts_idle, queries.data, queries.len};
    zones_write_claim(y->out, &c);
    vec_free(&queries);
}

static void on_swap(const uint32_t *cell_to, const value *a, const value *b, const uint32_t *clock_to, void *context) {
    const timed_certificate *y = context;
    if (y->out) zones_write_swap(y->out, y->in, y->clocks, cell_to, a, b, clock_to);
}

static void on_state(const value *cells, uint32_t nzones, void *context) {
    const timed_certificate *y = context;
    if (y->out) zones_write_state(y->out, y->in, cells, nzones);
}

static void on_zone(const int32_t *bounds, const uint32_t *rank, void *context) {
    const timed_certificate *y = context;
    if (!y->out) return;
    if (rank) certfile_put_number(y->out, *rank);
    zones_write_zone(y->out, y->clocks, bounds);
}

timed_certificate *timed_certificate_new(session *s, const instance *in) {
    timed_certificate *y = mem_zero(1, sizeof *y);
    y->s = s;
    y->in = in;
    y->file = certify_begin_timed(s);
    y->keeper = (zone_keeper){on_begin, on_swap, on_state, on_zone, y};
    return y;
}

const zone_keeper *timed_certificate_keeper(timed_certificate *y) { return &y->keeper; }

// A run is an answer that needs no certificate; `unknown` is not an answer.
static bool lacks_cover(const timed_certificate *y, const result_property *p) {
    if (!p->property.id || p->verdict == VERDICT_UNKNOWN || p->trace) return false;
    for (uint32_t i = 0; i < y->covered.len; i++)
        if (y->covered.data[i].id == p->property.id) return false;
    return true;
}

// Where clocks stand still a zone may have more than is reached: there is nothing to confirm.
static const char *why_uncovered(const timed_certificate *y) {
    const timed_info *t = sys_of(y->in->m, y->in->system)->timed;
    return t->rates.len ? "systems in which clocks stand still have no certificates"
                        : "a query without a bound has none";
}

bool timed_certificate_end(timed_certificate *y, const result *r, bool is_doubted) {
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (lacks_cover(y, &r->properties.data[i]))
            diag_warning(y->s->messages, nowhere, "the certificate does not cover '%s': %s", r->properties.data[i].name,
                         why_uncovered(y));
    if (is_doubted) certify_doubt(y->file);
    bool ok = certify_end(y->file);
    vec_free(&y->covered);
    free(y);
    return ok;
}
