// SPDX-License-Identifier: Apache-2.0
// parvis show: the model as it was understood, as text that parses back to the same model, or a state graph.
#include "cli/show.h"

#include "cli/command.h"
#include "cli/levels/levels.h"
#include "cli/load.h"
#include "cli/sizes.h"
#include "cmp/cmp.h"
#include "model/compose.h"
#include "model/print.h"
#include "report/murphi.h"
#include "report/object.h"
#include "result/proof.h"

enum { GRAPH_STATES_UNLESS_SAID = 500, GRAPH_MOST_STATES = 1000000 };

static const span nowhere = {0};

// --product NAME and --property NAME are the same here; else --system; else the file's own.
static bool show_choose_system(session *s, const loaded *l, sys *system) {
    const char *name = s->opt.product ? s->opt.product : NULL;
    if (!name) return load_main_system(s, l, system);
    prop p;
    if (!load_find_property(s, l, name, &p)) return false;
    if (prop_of(l->m, p)->kind != PROP_REFINES)
        diag_error(s->messages, prop_of(l->m, p)->at, "'%s' states no refinement, so it has no product", name);
    *system = compose_for(l->m, p);
    return system->id && !diag_failed(s->messages);
}

// ---- state graphs

static void answer_graph(session *s, const sizes *z, const graph_size *size, const str *dot) {
    str scope = {0};
    sizes_text(z, &scope);
    session_answer(s, json_pack("{s:o, s:i, s:i, s:b, s:o}", "scope", object_take(&scope), "states", (int)size->states,
                                "transitions", (int)size->transitions, "complete", !size->is_cut && !size->is_stopped,
                                "dot", size->is_stopped ? json_null() : object_string(str_get(dot))));
}

// Instead of a graph that would be another one in the next run.
static void say_stopped(session *s, const graph_size *size, str *out) {
    str_clear(out);
    str_printf(out, "unknown: %s, after %s states and %s steps\n", limits_why(&s->limits), str_count(size->states),
               str_count(size->transitions));
    session_say(s, out);
}

static int show_draw(session *s, const sizes *z, const instance *in) {
    uint64_t limit = s->opt.limit_states ? s->opt.limit_states : GRAPH_STATES_UNLESS_SAID;
    if (limit > GRAPH_MOST_STATES) limit = GRAPH_MOST_STATES;
    str dot = {0};
    graph_size size;
    plot *drawn = s->opt.report ? plot_new() : NULL;
    bool ok = graph_dot(in, (uint32_t)limit, &s->limits, &dot, drawn, &size);
    if (ok) answer_graph(s, z, &size, &dot);
    if (ok && drawn && !size.is_stopped) session_answer(s, json_pack("{s:o}", "graph", plot_object(drawn, &s->limits)));
    plot_free(drawn);
    if (ok && size.is_stopped) say_stopped(s, &size, &dot);
    else if (ok) session_say(s, &dot);
    if (ok && size.is_cut && !size.is_stopped)
        diag_warning(s->messages, nowhere,
                     "over %s states: the graph is cut there (dashed); choose a smaller --size or a larger "
                     "--limit-states",
                     str_count(limit));
    str_free(&dot);
    return !ok ? EXIT_BAD_INPUT : size.is_cut || size.is_stopped ? EXIT_UNKNOWN : EXIT_HOLDS;
}

static int show_graph(session *s, const loaded *l) {
    sys system;
    sizes z = {0};
    int code = EXIT_BAD_INPUT;
    instance *in = NULL;
    bool ok = show_choose_system(s, l, &system) && sizes_choose(s, l->m, &system, 1, &z);
    if (ok && sizes_is_range(&z)) session_error(s, "a graph needs one size for each sort, not a range");
    else if (ok) in = sizes_instance(&z, l->m, system);
    if (in) code = options_has(&s->opt, OPT_LTS) ? lts_command(s, in) : show_draw(s, &z, in);
    instance_free(in);
    sizes_free(&z);
    return code;
}

// ---- text

static json_t *functions_object(const model *m, const sys_info *info) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < info->funcs.len; i++)
        json_array_append_new(list, object_string(func_of(m, info->funcs.data[i])->name));
    return list;
}

static json_t *actions_object(const model *m, const sys_info *info) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < info->rules.len; i++) {
        const rule_info *r = rule_of(m, info->rules.data[i]);
        json_array_append_new(list, json_pack("{s:o, s:b}", "name", object_string(r->name), "visible", r->is_visible));
    }
    return list;
}

static json_t *systems_object(const model *m) {
    json_t *list = json_array();
    for (uint32_t i = 1; i < m->systems.len; i++) {
        const sys_info *info = &m->systems.data[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "name", object_string(info->name), "functions",
                                              functions_object(m, info), "actions", actions_object(m, info)));
    }
    return list;
}

static json_t *properties_object(const loaded *l) {
    static const char *const kinds[] = {[PROP_INVARIANT] = "invariant",
                                        [PROP_REFINES] = "refines",
                                        [PROP_DEADLOCK_FREE] = "deadlock_free",
                                        [PROP_COVER] = "cover",
                                        [PROP_REACHES] = "reaches",
                                        [PROP_OBSTRUCTION_FREE] = "obstruction_free",
                                        [PROP_LIVELOCK_FREE] = "livelock_free",
                                        [PROP_WAIT_FREE] = "wait_free"};
    json_t *list = json_array();
    for (uint32_t i = 0; i < l->nprops; i++) {
        const prop_info *p = prop_of(l->m, l->props[i]);
        json_array_append_new(list, json_pack("{s:o, s:s, s:o}", "name", object_string(p->name), "kind", kinds[p->kind],
                                              "system", object_string(sys_of(l->m, p->system)->name)));
    }
    return list;
}

static int show_text(session *s, const loaded *l) {
    str text = {0};
    sys system;
    bool whole = !s->opt.product && !s->opt.system;
    if (!whole && !show_choose_system(s, l, &system)) return EXIT_BAD_INPUT;
    if (whole) print_model(l->m, &text);
    else print_system(l->m, system, &text);
    if (session_wants_answer(s))
        session_answer(s, json_pack("{s:o, s:o, s:o}", "text", object_string(str_get(&text)), "systems",
                                    systems_object(l->m), "properties", properties_object(l)));
    session_say(s, &text);
    return EXIT_HOLDS;
}

// ---- the abstract model

static bool choose_invariant(session *s, const loaded *l, prop *p) {
    if (s->opt.properties.len) return load_find_property(s, l, s->opt.properties.data[0], p);
    for (uint32_t i = 0; i < l->nprops; i++) {
        *p = l->props[i];
        if (prop_of(l->m, *p)->kind == PROP_INVARIANT) return true;
    }
    return session_error(s, "'%s' states no invariant", s->file);
}

// There is none of what is violated, and without a proof there may be none.
static int say_no_abstract(session *s, const prop_info *p, const proof *found) {
    if (found->verdict == VERDICT_VIOLATED)
        diag_error(s->messages, p->at, "'%s' is violated for %s: there is no abstract model of it", p->name,
                   found->small->scope);
    if (diag_failed(s->messages)) return EXIT_BAD_INPUT;
    str text = {0};
    style_verdict(&s->style, p->name, ROLE_UNSURE, "unknown", &text);
    str_printf(&text, ": %s\n", found->reason);
    session_say(s, &text);
    session_answer(s, json_pack("{s:s, s:o}", "verdict", "unknown", "reason", object_string(found->reason)));
    return EXIT_UNKNOWN;
}

static int show_abstract(session *s, loaded *l) {
    prop p;
    str text = {0};
    cmp_options how = {.sort = s->opt.over, .limits = session_proof_limits(s, 1), .limit_states = s->opt.limit_states};
    if (!load_sort(s, l, &how.no_sort) || !choose_invariant(s, l, &p)) return EXIT_BAD_INPUT;
    proof *found = cmp_prove(l->m, p, &how);
    bool is_made = found->shown.m && !diag_failed(s->messages);
    int code = is_made ? session_exit_code(found->verdict) : say_no_abstract(s, prop_of(l->m, p), found);
    if (is_made) {
        murphi_print_abstract(&found->shown, &text);
        session_answer(s, json_pack("{s:o}", "text", object_string(str_get(&text))));
        session_say(s, &text);
    }
    proof_free(found);
    return code;
}

static int show_run(session *s) {
    if (levels_is_history(s)) return levels_show(s);
    if (s->opt.arguments.len > 2) return command_refuse(s, s->opt.arguments.data[2]), EXIT_BAD_INPUT;
    if (s->opt.output) return session_error(s, "-o is for a history that --format converts"), EXIT_BAD_INPUT;
    loaded l;
    int code = EXIT_BAD_INPUT;
    bool ok = load_file(s, s->file, &l);
    if (ok && options_has(&s->opt, OPT_ABSTRACT)) code = show_abstract(s, &l);
    else if (ok) code = s->opt.given & (OPTION_BIT(DOT) | OPTION_BIT(LTS)) ? show_graph(s, &l) : show_text(s, &l);
    return code;
}

static const char show_details[] =
    "Prints the model, with the files it uses, in a canonical form that parses back to the same model.\n"
    "With --product, the system whose exploration decides a refinement: system and specification moving\n"
    "together. With --dot, the graph of all states at a small size; it is cut off at 500 states, unless\n"
    "--limit-states says otherwise. With --lts, the whole transition system in the Aldebaran format, for\n"
    "CADP, mCRL2 and LTSmin. With --abstract, the model with a few elements and Other that proves an\n"
    "invariant for any number of them, in Murphi for other checkers (see doc/cmp.md).\n"
    "\n"
    "Of a recorded history: what is in it (--stats), or the same history in another format (--format: hist,\n"
    "json, log, jepsen, plume, awdit, dbcop, cobra), on standard output or in FILE (-o). Cobra's is a folder.\n"
    "What a format has no place for is said, and nothing is written.\n"
    "\n"
    "Examples:\n"
    "  parvis show models/tm/tl2.pv\n"
    "  parvis show models/histories/write_skew.hist --stats\n"
    "  parvis show models/histories/write_skew.hist --format jepsen\n"
    "  parvis show models/histories/write_skew.hist --format json -o skew.json\n"
    "  parvis show models/tm/tl2.pv --system TL2\n"
    "  parvis show models/tm/tl2.pv --product opaque\n"
    "  parvis show models/tm/tpl.pv --dot --size Thread=2,Loc=1 | dot -Tsvg > tpl.svg\n"
    "  parvis show models/murphi/mcs.m --define PROCS=2 --lts > mcs.aut\n"
    "  parvis show models/murphi/german.m --abstract --property control\n";

const command show_command = {
    .name = "show",
    .arguments = "FILE | HISTORY...",
    .least = 1,
    .most = UINT32_MAX - 1,
    .summary = "the model as it was understood, or its state graph",
    .details = show_details,
    .takes = OPTION_BIT(STATS) | OPTION_BIT(FORMAT) | OPTION_BIT(OUTPUT) | OPTIONS_MODEL | OPTIONS_LIMITS |
             OPTION_BIT(SIZE) | OPTION_BIT(SYSTEM) | OPTION_BIT(SEMANTICS) | OPTION_BIT(PRODUCT) | OPTION_BIT(DOT) |
             OPTION_BIT(LTS) | OPTION_BIT(LIMIT_STATES) | OPTION_BIT(ABSTRACT) | OPTION_BIT(PROPERTY) |
             OPTION_BIT(OVER) | OPTION_BIT(LEMMAS) | OPTION_BIT(REPORT),
    .run = show_run,
};
