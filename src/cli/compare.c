// SPDX-License-Identifier: Apache-2.0
// parvis compare: two systems by their words, at one size or over a range of sizes.
#include "language/compare.h"

#include "cli/certify/certify.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/sizes.h"
#include "cli/watch.h"
#include "report/object.h"
#include "report/style.h"
#include "report/text.h"
#include "result/doubt.h"

#include <string.h>
#include <unistd.h>

enum { MOST_DIRECTIONS = 2 };

typedef struct {
    result *found;
    compare_stats stats[MOST_DIRECTIONS];
    uint32_t count;
} compared;

typedef struct {
    session *s;
    loaded files[2];
    model *models[2];  // the second may be the first's
    sys systems[2];
    sizes sizes;  // of the sorts of both
    watch watch;
    certify *certificate;  // NULL: none is wanted
    const char *paths[2];
    VEC(compared) runs;
} comparing;

// ---- which systems

// "FILE:SYSTEM" into its parts; NULL: no system is named. A name alone is a system of the first file.
static const char *compare_split(comparing *c, const char *argument, const char **system) {
    const char *colon = strrchr(argument, ':');
    *system = NULL;
    if (access(argument, R_OK) == 0 || !colon) return argument;
    *system = colon + 1;
    return arena_strn(c->s->opt.memory, argument, (size_t)(colon - argument));
}

static bool is_plain_name(const char *text) { return !strpbrk(text, "./:") && access(text, F_OK) != 0; }

static bool compare_choose_system(comparing *c, uint32_t side, const char *name) {
    const loaded *l = &c->files[side];
    c->models[side] = l->m;
    if (name) return load_find_system(c->s, l, name, &c->systems[side]);
    return load_main_system(c->s, l, &c->systems[side]);
}

static bool load_side(comparing *c, uint32_t side, const char *argument) {
    const char *system, *path = compare_split(c, argument, &system);
    c->s->file = path;  // messages name it
    c->paths[side] = path;
    return load_file(c->s, path, &c->files[side]) && compare_choose_system(c, side, system);
}

static bool load_both(comparing *c) {
    const char *left = c->s->opt.arguments.data[1], *right = c->s->opt.arguments.data[2];
    if (!load_side(c, 0, left)) return false;
    if (!is_plain_name(right)) return load_side(c, 1, right);
    c->models[1] = c->models[0];
    return load_find_system(c->s, &c->files[0], right, &c->systems[1]);
}

// ---- running

static void compare_give_up(result *r, const char *reason) {
    r->verdict = VERDICT_UNKNOWN;
    r->reason = result_text(r, "%s", reason);
}

static bool compare_size(void *context) {
    comparing *c = context;
    compared x = {.found = result_new()};
    sizes_add(&c->sizes, x.found);
    instance *left = watch_keep(&c->watch, sizes_instance(&c->sizes, c->models[0], c->systems[0]));
    instance *right = watch_keep(&c->watch, sizes_instance(&c->sizes, c->models[1], c->systems[1]));
    compare_sink sink = certify_sink(c->certificate);
    bool good = left && right;
    if (good && watch_next(&c->watch, x.found->scope))
        x.count =
            compare_run(left, right, c->s->opt.by, &c->watch.options, x.found, x.stats, c->certificate ? &sink : NULL);
    else if (good) compare_give_up(x.found, limits_why(&c->s->limits));
    if (options_has(&c->s->opt, OPT_STRICT) && doubt_be_strict(x.found)) certify_doubt(c->certificate);
    vec_push(&c->runs, x);
    return good && !diag_failed(c->s->messages);
}

// ---- reporting

static void say_stats(const comparing *c, const compare_stats *s, str *out) {
    str line = {0};
    if (str_same(s->method, "none")) return;
    str_printf(&line, "by %s: %s and %s states, %s pairs", s->method, str_count(s->left_states),
               str_count(s->right_states), str_count(s->pairs));
    if (s->sets && !str_same(s->method, "product")) str_printf(&line, ", %s sets", str_count(s->sets));
    str_printf(&line, ", %.2f s", s->seconds);
    style_detail(&c->s->style, ROLE_DIM, str_get(&line), out);
    str_free(&line);
}

static void say_one(const comparing *c, const compared *x, const text_options *how, str *out) {
    text_result(x->found, &c->s->style, how, out);
    for (uint32_t i = 0; i < x->count && !how->quiet; i++) say_stats(c, &x->stats[i], out);
}

static void compare_say(comparing *c, int code) {
    text_options how = session_text_options(c->s);
    str text = {0};
    for (uint32_t i = 0; i < c->runs.len; i++) say_one(c, &c->runs.data[i], &how, &text);
    session_say_verdict(c->s, &text, code);
}

static json_t *compare_stats_object(const compared *x) {
    json_t *all = json_array();
    for (uint32_t i = 0; i < x->count; i++) {
        const compare_stats *s = &x->stats[i];
        json_array_append_new(all, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f}", "name", s->name, "method",
                                             s->method, "left_states", (json_int_t)s->left_states, "right_states",
                                             (json_int_t)s->right_states, "pairs", (json_int_t)s->pairs, "sets",
                                             (json_int_t)s->sets, "seconds", s->seconds));
    }
    return all;
}

static void compare_answer(comparing *c) {
    object_detail detail = session_detail(c->s);
    VEC(const result *) runs = {0};
    json_t *stats = json_array();
    for (uint32_t i = 0; i < c->runs.len; i++) {
        vec_push(&runs, c->runs.data[i].found);
        json_t *one = compare_stats_object(&c->runs.data[i]);
        json_array_extend(stats, one);
        json_decref(one);
    }
    if (runs.len == 1) session_answer(c->s, object_result(runs.data[0], detail));
    else session_answer(c->s, object_runs(runs.data, runs.len, "several sizes", detail));
    session_answer(c->s, json_pack("{s:o}", "comparisons", stats));
    vec_free(&runs);
}

static int compare_report(comparing *c) {
    verdict v = VERDICT_HOLDS;
    for (uint32_t i = 0; i < c->runs.len; i++) v = verdict_join(v, c->runs.data[i].found->verdict);
    int code = session_exit_code(v);
    if (session_wants_answer(c->s)) compare_answer(c);
    if (session_is_json(c->s)) session_say_verdict(c->s, NULL, code);
    else compare_say(c, code);
    bool written = certify_end(c->certificate);
    c->certificate = NULL;
    return session_saved(c->s, written, code);
}

static void compare_end(comparing *c) {
    for (uint32_t i = 0; i < c->runs.len; i++) result_free(c->runs.data[i].found);
    vec_free(&c->runs);
    watch_end(&c->watch);
    sizes_free(&c->sizes);
    certify_abandon(c->certificate);
}

static int cli_compare_run(session *s) {
    comparing c = {.s = s};
    bool good = load_both(&c) && sizes_choose_two(s, c.models, c.systems, &c.sizes);
    if (good) session_show_messages(s);
    if (good)
        c.certificate = certify_begin_pair(s, c.paths[0], &c.files[0], c.paths[1] ? c.paths[1] : "",
                                           c.paths[1] ? &c.files[1] : NULL);
    watch_begin(&c.watch, s);
    c.watch.options.finds_doubts = true;
    good = good && watch_sizes(&c.watch, &c.sizes, compare_size, &c);
    int code = good ? compare_report(&c) : EXIT_BAD_INPUT;
    compare_end(&c);
    return code;
}

static const char compare_details[] =
    "Is every word of the first system, the sequence of its visible actions, a word of the second?\n"
    "If the second system is deterministic, the product is searched, otherwise antichains. A difference is shown\n"
    "as a run of the first system with a shortest word that the second refuses. Equivalence asks both ways;\n"
    "simulation asks for more: the second must be able to answer step by step. The system is the one named\n"
    "after the colon, else that of the file's first property, else the file's last; the second argument may\n"
    "also be the name of a system that the first file declares or uses.\n"
    "\n"
    "Examples:\n"
    "  parvis compare models/tm-algorithms/dstm.pv models/specs/sigma_op.pv\n"
    "  parvis compare models/tm-algorithms/occ.pv Opacity\n"
    "  parvis compare models/specs/a_ss.pv models/specs/sigma_ss.pv:SigmaSS --certificate ss.cert\n"
    "  parvis compare models/specs/a_ss.pv models/specs/sigma_ss.pv:SigmaSS --by equivalence\n"
    "  parvis compare models/tm-algorithms/tl2.pv models/specs/a_op.pv --by simulation --manager polite\n";

const command compare_command = {
    .name = "compare",
    .arguments = "FILE[:SYSTEM] FILE[:SYSTEM]",
    .least = 2,
    .most = 2,
    .summary = "compare two systems by their words",
    .details = compare_details,
    .takes = OPTIONS_EXPLORE | OPTIONS_MODEL | OPTION_BIT(BY) | OPTION_BIT(SIZE) | OPTION_BIT(STRICT) |
             OPTION_BIT(CERTIFICATE) | OPTION_BIT(FULL_STATES) | OPTION_BIT(REPORT),
    .run = cli_compare_run,
};
