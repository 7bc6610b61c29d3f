// SPDX-License-Identifier: Apache-2.0
// parvis minimize: the minimal deterministic automaton of a system's visible language at a size.
#include "language/minimize.h"

#include "base/clock.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/sizes.h"
#include "cli/watch.h"
#include "report/dot.h"
#include "report/plot.h"
#include "report/object.h"
#include "report/style.h"
#include "report/table.h"
#include "report/text.h"

typedef struct {
    result *found;  // of the exploration
    bool is_deterministic;
    uint32_t deterministic_states;
    automaton *minimal;  // NULL when there is none: found->verdict says why
    double seconds;
} minimal_run;

typedef struct {
    session *s;
    loaded model;
    sys system;
    sizes sizes;
    watch watch;
    VEC(minimal_run) runs;
} minimizing;

// ---- running

static void minimize_give_up(minimal_run *r, const char *reason) {
    r->found->verdict = verdict_join(r->found->verdict, VERDICT_UNKNOWN);
    if (!r->found->reason) r->found->reason = result_text(r->found, "%s", reason);
}

static void minimise_explored(minimizing *z, const explored *x, minimal_run *r) {
    automaton *a = automaton_of(x, &z->s->limits), *d = NULL;
    r->is_deterministic = a && automaton_is_deterministic(a);
    if (a) d = r->is_deterministic ? a : automaton_determinise(a, z->s->opt.limit_states, &z->s->limits);
    if (d) {
        r->deterministic_states = d->nstates;
        r->minimal = minimize_dfa(d, &z->s->limits);
    }
    if (!r->minimal) {
        const char *why = limits_why(&z->s->limits);
        minimize_give_up(r, *why ? why : "the state limit was reached while determinising");
    }
    if (d != a) automaton_free(d);
    automaton_free(a);
}

static bool explore_and_minimise(minimizing *z, instance *in, minimal_run *r) {
    explored *x = NULL;
    explore_run(in, NULL, 0, &z->watch.options, r->found, &x);
    bool ok = !diag_failed(z->s->messages);
    if (ok && r->found->verdict == VERDICT_HOLDS && x) minimise_explored(z, x, r);
    explored_free(x);
    return ok;
}

static bool minimize_size(void *context) {
    minimizing *z = context;
    minimal_run r = {.found = result_new()};
    double began = clock_seconds();
    sizes_add(&z->sizes, r.found);
    instance *in = watch_keep(&z->watch, sizes_instance(&z->sizes, z->model.m, z->system));
    bool ok = in != NULL;
    if (ok && watch_next(&z->watch, r.found->scope)) ok = explore_and_minimise(z, in, &r);
    else if (ok) minimize_give_up(&r, limits_why(&z->s->limits));
    r.seconds = clock_seconds() - began;
    vec_push(&z->runs, r);
    return ok;
}

// ---- reporting

static void say_run(minimizing *z, const minimal_run *r, str *out) {
    const char *name = sys_of(z->model.m, z->system)->name;
    style_add(&z->s->style, ROLE_STRONG, name, out);
    str_printf(out, ": minimal automaton of %s state%s", str_count(r->minimal->nstates),
               r->minimal->nstates == 1 ? "" : "s");
    if (*r->found->scope) str_printf(out, " for %s", r->found->scope);
    str_char(out, '\n');
    if (options_has(&z->s->opt, OPT_QUIET)) return;
    str line = {0};
    str_printf(&line, "%s states explored, %s letters, ", str_count(r->found->stats.states),
               str_count(r->minimal->nletters));
    if (r->is_deterministic) str_add(&line, "deterministic");
    else str_printf(&line, "%s states after determinisation", str_count(r->deterministic_states));
    str_printf(&line, ", %s steps in the minimal automaton, %.2f s", str_count(r->minimal->edges.len), r->seconds);
    style_detail(&z->s->style, ROLE_DIM, str_get(&line), out);
    str_free(&line);
}

static void say_failed(minimizing *z, const minimal_run *r, str *out) {
    str_printf(out, "%s: %s", sys_of(z->model.m, z->system)->name, verdict_text(r->found->verdict));
    if (*r->found->scope) str_printf(out, " for %s", r->found->scope);
    if (r->found->reason) str_printf(out, ": %s", r->found->reason);
    str_char(out, '\n');
    text_result(r->found, &z->s->style, &(text_options){.quiet = options_has(&z->s->opt, OPT_QUIET)}, out);
}

static void minimize_add_row(const minimal_run *r, table *t) {
    str text = {0};
    table_add(t, ROLE_PLAIN, r->found->scope);
    table_add(t, ROLE_PLAIN, str_count(r->found->stats.states));
    table_add(t, ROLE_PLAIN, r->minimal ? str_count(r->deterministic_states) : "");
    table_add(t, r->minimal ? ROLE_STRONG : ROLE_UNSURE, r->minimal ? str_count(r->minimal->nstates) : "unknown");
    str_printf(&text, "%.2f", r->seconds);
    table_add(t, ROLE_PLAIN, str_get(&text));
    str_free(&text);
}

static void say_table(minimizing *z, str *out) {
    table *t = table_new();
    table_column(t, "size", false);
    const char *const titles[] = {"explored", "deterministic", "minimal", "seconds"};
    for (unsigned i = 0; i < 4; i++) table_column(t, titles[i], true);
    for (uint32_t i = 0; i < z->runs.len; i++) minimize_add_row(&z->runs.data[i], t);
    table_print(t, &z->s->style, 0, out);
    table_free(t);
}

static void put_dot(minimizing *z, const automaton *a, str *out) {
    dot_begin(sys_of(z->model.m, z->system)->name, out);
    for (uint32_t i = 0; i < a->nstates; i++) {
        str label = {0};
        str_printf(&label, "%u", i);
        dot_state(i, str_get(&label), i == a->initial.data[0], false, out);
        str_free(&label);
    }
    for (uint32_t i = 0; i < a->edges.len; i++)
        dot_edge(a->edges.data[i].from, a->edges.data[i].to, automaton_letter_text(a, a->edges.data[i].letter), true,
                 out);
    dot_end(out);
}

// The automaton for a page, drawn if Graphviz is there.
static json_t *drawn_automaton(const minimizing *z, const automaton *a) {
    plot *l = plot_new();
    for (uint32_t i = 0; i < a->nstates; i++) {
        str label = {0};
        str_printf(&label, "%u", i);
        plot_add_node(l, str_get(&label), i == a->initial.data[0], false);
        str_free(&label);
    }
    for (uint32_t i = 0; i < a->edges.len; i++)
        plot_add_edge(l, a->edges.data[i].from, a->edges.data[i].to, automaton_letter_text(a, a->edges.data[i].letter),
                      true);
    json_t *o = plot_object(l, &z->s->limits);
    plot_free(l);
    return o;
}

static void minimize_say(minimizing *z) {
    str text = {0};
    const minimal_run *first = &z->runs.data[0];
    bool dot = options_has(&z->s->opt, OPT_DOT);
    if (!dot) sizes_say_origin(&z->sizes, z->s, &text);
    if (sizes_is_range(&z->sizes)) say_table(z, &text);
    else if (!first->minimal) say_failed(z, first, &text);
    else if (dot) put_dot(z, first->minimal, &text);
    else say_run(z, first, &text);
    session_say(z->s, &text);
}

static json_t *run_object(minimizing *z, const minimal_run *r) {
    json_t *o = json_object();
    if (!r->minimal) json_object_set_new(o, "verdict", json_string(verdict_text(r->found->verdict)));
    json_object_set_new(o, "scope", object_string(r->found->scope));
    json_object_set_new(o, "system", object_string(sys_of(z->model.m, z->system)->name));
    json_object_update_new(o, object_stats(&r->found->stats));
    object_set_self_checks(o, (const result *const[]){r->found}, 1);
    json_object_set_new(o, "reason", object_string_or_null(r->found->reason));
    json_object_set_new(o, "deterministic", json_boolean(r->minimal && r->is_deterministic));
    static const char *const names[] = {"deterministic_states", "letters", "minimal_states", "minimal_transitions"};
    const automaton *a = r->minimal;
    uint32_t numbers[4] = {r->deterministic_states, a ? a->nletters : 0, a ? a->nstates : 0, a ? a->edges.len : 0};
    for (unsigned i = 0; i < 4; i++) json_object_set_new(o, names[i], a ? json_integer(numbers[i]) : json_null());
    return o;
}

static void minimize_answer(minimizing *z) {
    if (!sizes_is_range(&z->sizes)) {
        session_answer(z->s, run_object(z, &z->runs.data[0]));
        if (z->s->opt.report && z->runs.data[0].minimal)
            session_answer(z->s, json_pack("{s:o}", "graph", drawn_automaton(z, z->runs.data[0].minimal)));
        str dot = {0};
        if (!options_has(&z->s->opt, OPT_DOT) || !z->runs.data[0].minimal) return;
        put_dot(z, z->runs.data[0].minimal, &dot);
        session_answer(z->s, json_pack("{s:o}", "dot", object_take(&dot)));
        return;
    }
    json_t *list = json_array();
    str scope = {0};
    sizes_text(&z->sizes, &scope);
    for (uint32_t i = 0; i < z->runs.len; i++) json_array_append_new(list, run_object(z, &z->runs.data[i]));
    session_answer(z->s, json_pack("{s:o, s:o}", "scope", object_take(&scope), "runs", list));
}

static int minimize_report(minimizing *z) {
    verdict v = VERDICT_HOLDS;
    for (uint32_t i = 0; i < z->runs.len; i++) v = verdict_join(v, z->runs.data[i].found->verdict);
    if (session_wants_answer(z->s)) minimize_answer(z);
    if (!session_is_json(z->s)) minimize_say(z);
    return session_exit_code(v);
}

static bool check_dot(minimizing *z) {
    bool bad = options_has(&z->s->opt, OPT_DOT) && sizes_is_range(&z->sizes);
    if (bad) session_error(z->s, "--dot needs one size, not a range");
    return !bad;
}

static void minimize_end(minimizing *z) {
    for (uint32_t i = 0; i < z->runs.len; i++) {
        automaton_free(z->runs.data[i].minimal);
        result_free(z->runs.data[i].found);
    }
    vec_free(&z->runs);
    watch_end(&z->watch);
    sizes_free(&z->sizes);
}

static int minimize_run(session *s) {
    minimizing z = {.s = s};
    bool ok = load_file(s, s->file, &z.model) && load_main_system(s, &z.model, &z.system) &&
              sizes_choose(s, z.model.m, &z.system, 1, &z.sizes) && check_dot(&z);
    if (ok) session_show_messages(s);
    watch_begin(&z.watch, s);
    z.watch.options.symmetry = false;  // orbits have no letters
    ok = ok && watch_sizes(&z.watch, &z.sizes, minimize_size, &z);
    int code = ok ? minimize_report(&z) : EXIT_BAD_INPUT;
    minimize_end(&z);
    return code;
}

static const char minimize_details[] =
    "Explores the system, makes it deterministic where it is not, and merges states after which the same words\n"
    "of visible actions are possible. The number of states left depends only on the language, not on how\n"
    "it was written: two specifications that mean the same have minimal automata of the same size. The state in\n"
    "which nothing is allowed is not counted.\n"
    "Without --system it works on the system of the file's first property, else on the file's last system.\n"
    "\n"
    "Examples:\n"
    "  parvis minimize models/specs/strict_serializability.pv --size Thread=2,Loc=2\n"
    "  parvis minimize models/specs/opacity.pv --size Thread=2,Loc=1..3\n"
    "  parvis minimize models/tm/seq.pv --size Thread=2,Loc=1 --dot | dot -Tsvg > seq.svg\n";

const command minimize_command = {
    .name = "minimize",
    .arguments = "FILE",
    .least = 1,
    .most = 1,
    .summary = "the minimal automaton of a system's visible language",
    .details = minimize_details,
    .takes =
        OPTIONS_EXPLORE | OPTIONS_MODEL | OPTION_BIT(SIZE) | OPTION_BIT(SYSTEM) | OPTION_BIT(DOT) | OPTION_BIT(REPORT),
    .run = minimize_run,
};
