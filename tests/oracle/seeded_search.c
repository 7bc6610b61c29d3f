// SPDX-License-Identifier: Apache-2.0
// See seeded_search.h. Counts, verdicts, reasons, traces to the last state, how often each rule fired, doubts, and what
// the self-check tried.
#include "oracle/seeded_search.h"

#include "oracle/random_model.h"
#include "result/trace.h"

typedef VEC(prop) prop_list;

static void collect_props(const random_model *r, prop_list *out) {
    const sys_info *system = sys_of(r->m, r->system);
    for (uint32_t i = 0; i < system->invariants.len; i++) vec_push(out, system->invariants.data[i]);
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const rule_info *info = rule_of(r->m, system->rules.data[i]);
        for (uint32_t k = 0; k < info->nrequires; k++) vec_push(out, info->requires[k].property);
    }
}

static void trace_text(const trace *t, str *out) {
    for (uint32_t i = 0; i <= t->steps.len; i++) {
        const value *cells = trace_state(t, i);
        if (i) trace_label_text(t->in, t->steps.data[i - 1].r, t->steps.data[i - 1].args, out);
        for (uint32_t c = 0; cells && c < t->in->ncells; c++) str_printf(out, " %d", (int)cells[c]);
        str_char(out, '\n');
    }
}

// How much the self-check tries depends on which states a rank has; with files it is the same.
static void result_as_text(const result *r, explore_end end, bool shows_samples, str *out) {
    const result_stats *st = &r->stats;
    str_printf(out, "end %d, %llu states, %llu transitions, depth %u\n", end, (unsigned long long)st->states,
               (unsigned long long)st->transitions, st->depth);
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *p = &r->properties.data[i];
        str_printf(out, "%s %s %s\n", p->name, verdict_text(p->verdict), p->reason ? p->reason : "");
        if (p->trace) trace_text(p->trace, out);
    }
    for (uint32_t i = 0; i < r->rules.len; i++)
        str_printf(out, "%s fired %llu times\n", r->rules.data[i].name, (unsigned long long)r->rules.data[i].fired);
    for (uint32_t i = 0; i < r->doubts.len; i++) str_printf(out, "doubt: %s\n", r->doubts.data[i].text);
    for (uint32_t i = 0; i < r->self_checks.len; i++) {
        const char *failure = r->self_checks.data[i].failure;
        unsigned long long samples = shows_samples ? r->self_checks.data[i].samples : 0;
        str_printf(out, "%s tried %llu %s\n", r->self_checks.data[i].what, samples, failure ? failure : "");
    }
}

static explore_options options_of(const seeded_search *s, ranks_job *with) {
    uint64_t x = s->seed, limit = x % 5 == 0 ? 1 + x % 300 : SEEDED_MOST_STATES;
    explore_options o = {.threads = 1 + (uint32_t)(x / 7 % 2),
                         .symmetry = x % 2,
                         .engine = x % 11 ? ENGINE_MACHINE : ENGINE_BYTECODE,
                         .parallel_least = 1,
                         .batch_states = 1 + x / 13 % 40,
                         .self_check = (self_check_rate)(x % 3),
                         .check_deadlock = x % 4 == 0,
                         .most_errors = x % 6 == 0,
                         .finds_doubts = true,
                         .doubts_of_part = x % 5 == 0,
                         .limit_states = s->limit ? s->limit : limit,
                         .checkpoint = s->checkpoint,
                         .disk = s->folder,
                         .disk_least = 1 + x / 3 % 40,
                         .ranks = with->count > 1 ? with : NULL,
                         .share_least = 1 + x % 12};
    if (s->adapt) s->adapt(s, with->count, &o);
    return o;
}

void seeded_search_on_rank(ranks_job *with, void *search) {
    seeded_search *s = search;
    random_model r = random_model_new(s->seed, 3 + s->seed % 8, s->features);
    instance *in = random_model_instance(&r, 4);
    prop_list props = {0};
    if (s->seed % 3) collect_props(&r, &props);  // else nothing ends the search before its end
    explore_options o = options_of(s, with);
    result *out = result_new();
    explore_end end = explore_run(in, props.data, props.len, &o, out, NULL);
    if (with->mine == 0) s->stats = out->stats;
    result_as_text(out, end, !s->adapt, &s->texts[with->mine]);
    vec_free(&props);
    result_free(out);
    instance_free(in);
    random_model_free(&r);
}

void seeded_search_free(seeded_search *s) {
    for (uint32_t i = 0; i < SEEDED_MOST_RANKS; i++) str_free(&s->texts[i]);
}
