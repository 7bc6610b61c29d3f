// SPDX-License-Identifier: Apache-2.0
// parvis simulate: a walk through a model, step by step, or the replay of a trace file. Everything is computed by
// the reference evaluator. A walk goes on where a replayed trace ends.
#include "base/rng.h"
#include "base/units.h"
#include "cli/check.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/sizes.h"
#include "cli/simulate/lines.h"
#include "cli/simulate/shell.h"
#include "cli/simulate/timed.h"
#include "cli/simulate/walk.h"
#include "model/compose.h"
#include "model/eval.h"
#include "model/instance.h"
#include "report/lanes.h"
#include "report/object.h"
#include "report/style.h"
#include "report/tracefile.h"
#include "result/cell.h"
#include "result/trace.h"

#include <string.h>
#include <unistd.h>

typedef struct {
    shell shell;
    session *s;
    loaded model;
    sys system;
    sizes sizes;
    instance *in;
    walk walk;
    rng random;
    const char *property;  // of the product that is walked, else NULL
    str *out;              // the shell's
} simulation;

// ---- showing

static void move_text(const simulation *m, uint32_t i, str *out) {
    const walk_move *v = &m->walk.moves.data[i];
    str_printf(out, "%u ", i + 1);
    cell_label(m->in, v->r, v->args, out);
    if (v->kind == EVAL_REFUSED) str_printf(out, " (refused)");
    if (v->kind == EVAL_FAULTY) str_printf(out, " (%s)", fault_text(v->what.kind));
}

static style_role move_role(const simulation *m, uint32_t i) {
    const walk_move *v = &m->walk.moves.data[i];
    if (v->kind != EVAL_FIRES) return ROLE_BAD;
    return rule_of(m->in->m, v->r)->is_visible ? ROLE_PLAIN : ROLE_DIM;
}

static unsigned widest_move(const simulation *m) {
    unsigned width = 0;
    for (uint32_t i = 0; i < m->walk.moves.len; i++) {
        str text = {0};
        move_text(m, i, &text);
        if (str_columns(str_get(&text)) > width) width = (unsigned)str_columns(str_get(&text));
        str_free(&text);
    }
    return width;
}

// Numbered, in as many columns as fit.
static void show_moves(simulation *m) {
    unsigned width = widest_move(m) + 3, per_line = (m->s->style.width - 2) / width;
    if (!per_line) per_line = 1;
    for (uint32_t i = 0; i < m->walk.moves.len; i++) {
        str text = {0};
        move_text(m, i, &text);
        bool ends_line = i % per_line == per_line - 1 || i + 1 == m->walk.moves.len;
        if (i % per_line == 0) str_add(m->out, "  ");
        style_add(&m->s->style, move_role(m, i), str_get(&text), m->out);
        if (ends_line) str_char(m->out, '\n');
        else str_pad(m->out, ' ', width - str_columns(str_get(&text)));
        str_free(&text);
    }
    if (!m->walk.moves.len) str_add(m->out, "  no action is enabled: the walk is stuck here\n");
}

static void show_last_step(simulation *m) {
    uint32_t n = m->walk.steps.len;
    const trace_step *st = &m->walk.steps.data[n - 1];
    const value *before = n > 1 ? m->walk.steps.data[n - 2].after : m->walk.starts.data[m->walk.start];
    str label = {0};
    str_printf(&label, "step %u: ", n);
    cell_label(m->in, st->r, st->args, &label);
    style_add(&m->s->style, ROLE_STRONG, str_get(&label), m->out);
    str_add(m->out, "  ");
    lanes_changes(m->in, before, st->after, &m->s->style, (unsigned)str_columns(str_get(&label)) + 2, m->out);
    str_free(&label);
}

static void show_state(simulation *m) {
    str_printf(m->out, "state %u: ", m->walk.steps.len);
    lanes_state(m->in, walk_state(&m->walk), true, &m->s->style, 9, m->out);
}

static void show_starts(simulation *m) {
    for (uint32_t i = 0; i < m->walk.starts.len; i++) {
        str_printf(m->out, "%6u ", i + 1);
        lanes_state(m->in, m->walk.starts.data[i], false, &m->s->style, 7, m->out);
    }
}

static void show_title(simulation *m) {
    str text = {0};
    sizes_text(&m->sizes, &text);
    style_add(&m->s->style, ROLE_STRONG, sys_of(m->in->m, m->system)->name, m->out);
    str_printf(m->out, "%s%s. `help` lists the commands.\n", text.len ? ", " : "", str_get(&text));
    str_free(&text);
    if (m->walk.starts.len > 1)
        str_printf(m->out, "%s%u initial states; this is the first (`initial` lists them)\n",
                   m->walk.has_more_starts ? "over " : "", m->walk.starts.len);
}

// ---- commands of the walk

static void simulate_take(simulation *m, uint32_t number) {
    if (number < 1 || number > m->walk.moves.len) {
        shell_error(&m->shell, "there is no action with that number here");
        return;
    }
    const walk_move *v = &m->walk.moves.data[number - 1];
    if (v->kind == EVAL_REFUSED) {
        const prop_info *p = prop_of(m->in->m, v->refused_for);
        str_printf(m->out, "%s refuses it: taking this step violates %s\n", sys_of(m->in->m, p->spec)->name, p->name);
    } else if (v->kind == EVAL_FAULTY) {
        str_printf(m->out, "%s at ", fault_text(v->what.kind));
        diag_place_text(m->s->messages, v->what.at, m->out);
        str_char(m->out, '\n');
    } else if (walk_take(&m->walk, number - 1)) {
        show_last_step(m);
    }
    show_moves(m);
}

static void do_back(void *context, char *const *args) {
    simulation *m = context;
    uint32_t n = 1;
    if (args[0] && !shell_number(args[0], UINT32_MAX, &n)) {
        shell_error(&m->shell, "back takes a number of steps");
        return;
    }
    walk_back(&m->walk, n);
    show_state(m);
    show_moves(m);
}

static uint32_t random_move(simulation *m) {
    uint32_t n = 0, chosen = 0;
    for (uint32_t i = 0; i < m->walk.moves.len; i++) n += m->walk.moves.data[i].kind == EVAL_FIRES;
    if (!n) return UINT32_MAX;
    uint32_t skip = rng_below(&m->random, n);
    while (m->walk.moves.data[chosen].kind != EVAL_FIRES || skip-- > 0) chosen++;
    return chosen;
}

static void do_random(void *context, char *const *args) {
    simulation *m = context;
    uint32_t n = 1, seed = 0;
    if ((args[0] && !shell_number(args[0], 1000000, &n)) || (args[1] && !shell_number(args[1], UINT32_MAX, &seed))) {
        shell_error(&m->shell, "random takes a number of steps (at most a million) and a seed");
        return;
    }
    if (args[1]) m->random.state = seed;
    for (uint32_t i = 0; i < n && !limits_met(&m->s->limits); i++) {
        uint32_t move = random_move(m);
        if (move == UINT32_MAX) break;
        walk_take(&m->walk, move);
        show_last_step(m);
        shell_say(&m->shell);
    }
    show_moves(m);
}

static void show_trace(simulation *m) {
    trace *t = walk_trace(&m->walk);
    lanes_text(t, &m->s->style, &(lanes_options){.full_states = options_has(&m->s->opt, OPT_FULL_STATES)}, m->out);
    trace_free(t);
}

static json_t *trace_object(simulation *m) {
    trace *t = walk_trace(&m->walk);
    json_t *o = object_trace(t, m->property, session_detail(m->s));
    trace_free(t);
    return o;
}

static void do_save(void *context, char *const *args) {
    simulation *m = context;
    if (!args[0]) {
        shell_error(&m->shell, "save takes the name of a file");
        return;
    }
    json_t *o = trace_object(m);
    str text = {0};
    object_print(o, &text);
    json_decref(o);
    if (shell_save(&m->shell, args[0], &text)) str_printf(m->out, "saved %u steps to %s\n", m->walk.steps.len, args[0]);
    str_free(&text);
}

static void do_initial(void *context, char *const *args) {
    simulation *m = context;
    uint32_t n = 0;
    if (!args[0]) {
        show_starts(m);
        return;
    }
    if (!shell_number(args[0], m->walk.starts.len, &n) || !n) {
        shell_error(&m->shell, "there is no initial state with that number");
        return;
    }
    walk_start(&m->walk, n - 1);
    show_state(m);
    show_moves(m);
}

static void do_state(void *context, char *const *args) {
    (void)args;
    show_state(context);
}

static void do_actions(void *context, char *const *args) {
    (void)args;
    show_moves(context);
}

static void do_trace(void *context, char *const *args) {
    (void)args;
    show_trace(context);
}

static const shell_command walk_commands[] = {
    {"back", "[N]", "undo the last step, or the last N", do_back},
    {"random", "[N [SEED]]", "take N steps at random; the same seed gives the same steps", do_random},
    {"state", "", "the whole state", do_state},
    {"actions", "", "what can happen now", do_actions},
    {"trace", "", "the steps so far, in lanes", do_trace},
    {"save", "FILE", "save the steps so far as JSON, for --replay", do_save},
    {"initial", "[N]", "list the initial states, or start again in the N-th", do_initial},
};

// ---- moves by name

// Which moves the line names: by their labels, or by the name of their action alone.
typedef VEC(uint32_t) numbers;

static void find_named(const simulation *m, const char *line, bool loosely, numbers *out) {
    for (int by_rule = 0; by_rule < 2 && !out->len; by_rule++)
        for (uint32_t i = 0; i < m->walk.moves.len; i++) {
            const walk_move *v = &m->walk.moves.data[i];
            str label = {0};
            if (by_rule) str_add(&label, rule_of(m->in->m, v->r)->name);
            else cell_label(m->in, v->r, v->args, &label);
            if (shell_names(line, str_get(&label), loosely)) vec_push(out, i);
            str_free(&label);
        }
}

static bool simulate_is_action(const simulation *m, const char *line) {
    const sys_info *s = sys_of(m->in->m, m->system);
    for (uint32_t i = 0; i < s->rules.len; i++)
        if (shell_names(line, rule_of(m->in->m, s->rules.data[i])->name, false)) return true;
    return false;
}

static void say_several(simulation *m, const char *line, const numbers *found) {
    enum { LISTED = 8 };
    str list = {0};
    for (uint32_t i = 0; i < found->len && i < LISTED; i++) {
        str_add(&list, i ? ", " : "");
        move_text(m, found->data[i], &list);
    }
    shell_error(&m->shell, "'%s' may be %s%s", line, str_get(&list), found->len > LISTED ? ", ..." : "");
    str_free(&list);
}

static bool take_named(void *context, const char *line, bool loosely) {
    simulation *m = context;
    numbers found = {0};
    uint32_t number = 0;
    if (shell_number(line, UINT32_MAX, &number)) {
        simulate_take(m, number);
        return true;
    }
    find_named(m, line, loosely, &found);
    bool is_known = found.len || simulate_is_action(m, line);
    if (found.len == 1) simulate_take(m, found.data[0] + 1);
    else if (found.len) say_several(m, line, &found);
    else if (is_known) shell_error(&m->shell, "'%s' cannot happen now", line);
    vec_free(&found);
    return is_known;
}

static void offer_moves(void *context, lines_put *put, void *to) {
    const simulation *m = context;
    for (uint32_t i = 0; i < m->walk.moves.len; i++) {
        str label = {0};
        cell_label(m->in, m->walk.moves.data[i].r, m->walk.moves.data[i].args, &label);
        put(to, str_get(&label));
        str_free(&label);
    }
}

static int walk_by_hand(simulation *m) {
    show_moves(m);
    return shell_run(&m->shell);
}

static json_t *walk_object(simulation *m) {
    json_t *moves = json_array();
    for (uint32_t i = 0; i < m->walk.moves.len; i++) {
        str label = {0};
        const walk_move *v = &m->walk.moves.data[i];
        cell_label(m->in, v->r, v->args, &label);
        static const char *const kinds[] = {[EVAL_FIRES] = "free", [EVAL_REFUSED] = "refused", [EVAL_FAULTY] = "fault"};
        json_array_append_new(moves, json_pack("{s:o, s:s}", "action", object_take(&label), "kind", kinds[v->kind]));
    }
    str scope = {0};
    sizes_text(&m->sizes, &scope);
    return json_pack("{s:o, s:o, s:o, s:o}", "scope", object_take(&scope), "sizes", sizes_object(&m->sizes), "trace",
                     trace_object(m), "enabled", moves);
}

static bool simulate_choose_system(simulation *m) {
    const options *o = &m->s->opt;
    if (!o->properties.len) return load_main_system(m->s, &m->model, &m->system);
    prop p;
    if (!load_find_property(m->s, &m->model, o->properties.data[0], &p)) return false;
    m->system = compose_for(m->model.m, p);
    m->property = prop_of(m->model.m, p)->name;
    return m->system.id != 0;
}

static bool simulate_make_instance(simulation *m) {
    if (!sizes_choose(m->s, m->model.m, &m->system, 1, &m->sizes)) return false;
    if (sizes_is_range(&m->sizes)) return session_error(m->s, "a walk needs one size for each sort, not a range");
    m->in = sizes_instance(&m->sizes, m->model.m, m->system);
    return m->in != NULL;
}

static int simulate(simulation *m) {
    if (!simulate_choose_system(m) || !simulate_make_instance(m)) return EXIT_BAD_INPUT;
    session_show_messages(m->s);
    bool ok = walk_begin(&m->walk, m->in);
    if (ok) show_title(m);
    int code = ok ? walk_by_hand(m) : EXIT_BAD_INPUT;
    if (ok && session_wants_answer(m->s)) session_answer(m->s, walk_object(m));
    walk_end(&m->walk);
    return code;
}

// ---- replay

// The system of a trace: the product of the property it shows, else the one it names.
static bool find_traced_system(simulation *m, const tracefile *f) {
    const char *property = tracefile_property(f);
    prop p = property ? model_find_prop(m->model.m, property) : (prop){0};
    sys own = p.id ? prop_of(m->model.m, p)->system : (sys){0};
    bool is_product = p.id && !str_same(sys_of(m->model.m, own)->name, tracefile_system(f));
    if (is_product) m->system = compose_for(m->model.m, p);
    if (is_product && m->system.id) return true;
    return load_find_system(m->s, &m->model, tracefile_system(f), &m->system);
}

// Sizes come from the trace as if they had been given by --size.
static bool take_sizes(simulation *m, const tracefile *f) {
    const char *name;
    json_t *number;
    vec_clear(&m->s->opt.sizes);
    json_object_foreach((json_t *)tracefile_sizes(f), name, number) {
        json_int_t n = json_integer_value(number);
        if (n < 1 || n > INSTANCE_LARGEST_SORT)
            return session_error(m->s, "the trace has no usable size for '%s'", name);
        vec_push(&m->s->opt.sizes, (size_range){name, (uint32_t)n, (uint32_t)n});
    }
    return true;
}

static void show_replayed(simulation *m, const tracefile *f, const trace *t) {
    lanes_options how = {.full_states = options_has(&m->s->opt, OPT_FULL_STATES), .reason = tracefile_reason(f)};
    str_printf(m->out, "replayed: %u step%s of %s\n\n", t->steps.len, t->steps.len == 1 ? "" : "s",
               sys_of(m->in->m, m->system)->name);
    lanes_text(t, &m->s->style, &how, m->out);
    shell_say(&m->shell);
}

// The trace as it was read where nothing was done with it, which has its refused step and its loop too; else the walk.
static json_t *replay_object(simulation *m, const tracefile *f, const trace *t) {
    json_t *o = json_pack("{s:b}", "replayed", 1), *all = walk_object(m);
    if (walk_is_after(&m->walk, t))
        json_object_set_new(all, "trace", object_trace(t, tracefile_property(f), session_detail(m->s)));
    json_object_update(o, all);
    json_decref(all);
    return o;
}

// The walk goes on where the trace ends: before a step that is refused, after the last one of a loop.
static int replay_and_walk(simulation *m, const tracefile *f, const trace *t) {
    session_show_messages(m->s);
    if (!walk_begin(&m->walk, m->in)) return EXIT_BAD_INPUT;
    walk_follow(&m->walk, t);
    show_replayed(m, f, t);
    if (isatty(STDIN_FILENO)) str_add(m->out, "\nThe walk goes on from here. `help` lists the commands.\n");
    if (isatty(STDIN_FILENO)) show_moves(m);
    int code = shell_run(&m->shell);
    if (session_wants_answer(m->s)) session_answer(m->s, replay_object(m, f, t));
    return code;
}

static int replay(simulation *m) {
    session_phase(m->s, "reading the trace");
    tracefile *f = tracefile_open(m->s->opt.replay, m->s->messages);
    bool ok = f && find_traced_system(m, f) && take_sizes(m, f) && simulate_make_instance(m);
    trace *t = ok ? tracefile_trace(f, m->in, m->s->messages) : NULL;
    m->property = t ? tracefile_property(f) : NULL;
    int code = t ? replay_and_walk(m, f, t) : EXIT_BAD_INPUT;
    if (t) walk_end(&m->walk);
    trace_free(t);
    tracefile_free(f);
    return code;
}

static int simulate_run(session *s) {
    simulation m = {.s = s, .random = {1}};
    int code = EXIT_BAD_INPUT;
    m.shell = (shell){.s = s,
                      .walk = &m,
                      .commands = walk_commands,
                      .ncommands = sizeof walk_commands / sizeof *walk_commands,
                      .help = "  N                   take the action with that number\n"
                              "  NAME [ARGUMENTS]    take the action of that name; Tab completes it in a terminal\n",
                      .take = take_named,
                      .offer = offer_moves};
    m.out = &m.shell.out;
    if (!load_file(s, s->file, &m.model)) return code;
    if (timed_is_model(&m.model)) return simulate_timed(s, &m.model);
    code = s->opt.replay ? replay(&m) : simulate(&m);
    str_free(m.out);
    instance_free(m.in);
    sizes_free(&m.sizes);
    return code;
}

static const char simulate_details[] =
    "Lists what can happen next, numbered; a number takes that action, and so does its name, which Tab completes.\n"
    "`back` undoes it, `random 10` takes ten random steps, `state` and `trace` show where you are and how you got\n"
    "there, `save FILE` writes the trace as JSON; --replay takes such a file, and the walk goes on where it ends.\n"
    "Lines can be edited, and recalled by the arrow keys. Commands may be piped in.\n"
    "With --property the walk goes through the product with the specification, where steps that the\n"
    "specification does not allow are marked as refused.\n"
    "Of timed automata each step is listed with the delays at which it is possible; `2 @ 3/2` takes the\n"
    "second after a delay, `delay 1` lets time pass, `symbolic` goes on with zones. See doc/timed.md.\n"
    "\n"
    "Examples:\n"
    "  parvis simulate models/tm/tl2.pv --size Thread=2,Loc=1\n"
    "  parvis simulate models/tm/occ.pv --property opaque\n"
    "  echo 'random 20 7' | parvis simulate models/tm/dstm.pv\n"
    "  parvis simulate models/tm/tl2_swapped.pv --replay bug.json\n"
    "  parvis simulate models/timed/fischer.xta\n";

const command simulate_command = {
    .name = "simulate",
    .arguments = "FILE",
    .least = 1,
    .most = 1,
    .summary = "walk through a model step by step, or replay a trace",
    .details = simulate_details,
    .takes = OPTIONS_MODEL | OPTIONS_LIMITS | OPTION_BIT(SIZE) | OPTION_BIT(PROPERTY) | OPTION_BIT(SYSTEM) |
             OPTION_BIT(SEMANTICS) | OPTION_BIT(REPLAY) | OPTION_BIT(FULL_STATES) | OPTION_BIT(REPORT),
    .takes_timed = true,
    .run = simulate_run,
};
