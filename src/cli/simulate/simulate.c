// SPDX-License-Identifier: Apache-2.0
// parvis simulate: a walk through a model, step by step, or the replay of a trace file. Everything is computed by
// the reference evaluator. Commands are read line by line, from a terminal or from a pipe; a piped walk
// echoes them.
#include "base/outfile.h"
#include "base/rng.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/sizes.h"
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

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    session *s;
    loaded model;
    sys system;
    sizes sizes;
    instance *in;
    walk walk;
    rng random;
    const char *property;  // of the product that is walked, else NULL
    bool is_terminal;      // standard input
    bool failed;           // a piped command made no sense
    str out;
} simulation;

// ---- showing

// What was put into `out` is said before the next command is read.
static void simulate_say(simulation *m) { session_say(m->s, &m->out); }

static void say_error(simulation *m, const char *text) {
    m->failed = true;
    style_add(&m->s->style, ROLE_BAD, "error: ", &m->out);
    str_printf(&m->out, "%s\n", text);
}

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
        if (i % per_line == 0) str_add(&m->out, "  ");
        style_add(&m->s->style, move_role(m, i), str_get(&text), &m->out);
        if (ends_line) str_char(&m->out, '\n');
        else str_pad(&m->out, ' ', width - str_columns(str_get(&text)));
        str_free(&text);
    }
    if (!m->walk.moves.len) str_add(&m->out, "  no action is enabled: the walk is stuck here\n");
}

static void show_last_step(simulation *m) {
    uint32_t n = m->walk.steps.len;
    const trace_step *st = &m->walk.steps.data[n - 1];
    const value *before = n > 1 ? m->walk.steps.data[n - 2].after : m->walk.starts.data[m->walk.start];
    str label = {0};
    str_printf(&label, "step %u: ", n);
    cell_label(m->in, st->r, st->args, &label);
    style_add(&m->s->style, ROLE_STRONG, str_get(&label), &m->out);
    str_add(&m->out, "  ");
    lanes_changes(m->in, before, st->after, &m->s->style, (unsigned)str_columns(str_get(&label)) + 2, &m->out);
    str_free(&label);
}

static void show_state(simulation *m) {
    str_printf(&m->out, "state %u: ", m->walk.steps.len);
    lanes_state(m->in, walk_state(&m->walk), true, &m->s->style, 9, &m->out);
}

static void show_starts(simulation *m) {
    for (uint32_t i = 0; i < m->walk.starts.len; i++) {
        str_printf(&m->out, "%6u ", i + 1);
        lanes_state(m->in, m->walk.starts.data[i], false, &m->s->style, 7, &m->out);
    }
}

static void show_title(simulation *m) {
    str text = {0};
    sizes_text(&m->sizes, &text);
    style_add(&m->s->style, ROLE_STRONG, sys_of(m->in->m, m->system)->name, &m->out);
    str_printf(&m->out, "%s%s. `help` lists the commands.\n", text.len ? ", " : "", str_get(&text));
    str_free(&text);
    if (m->walk.starts.len > 1)
        str_printf(&m->out, "%s%u initial states; this is the first (`initial` lists them)\n",
                   m->walk.has_more_starts ? "over " : "", m->walk.starts.len);
}

// ---- commands of the walk

static bool simulate_read_number(const char *text, uint32_t most, uint32_t *n) {
    uint64_t count;
    bool ok = *text >= '0' && *text <= '9' && units_parse_count(text, &count) && count <= most;
    if (ok) *n = (uint32_t)count;
    return ok;
}

static void simulate_take(simulation *m, uint32_t number) {
    if (number < 1 || number > m->walk.moves.len) {
        say_error(m, "there is no action with that number here");
        return;
    }
    const walk_move *v = &m->walk.moves.data[number - 1];
    if (v->kind == EVAL_REFUSED) {
        const prop_info *p = prop_of(m->in->m, v->refused_for);
        str_printf(&m->out, "%s refuses it: taking this step violates %s\n", sys_of(m->in->m, p->spec)->name, p->name);
    } else if (v->kind == EVAL_FAULTY) {
        str_printf(&m->out, "%s at ", fault_text(v->what.kind));
        diag_place_text(m->s->messages, v->what.at, &m->out);
        str_char(&m->out, '\n');
    } else if (walk_take(&m->walk, number - 1)) {
        show_last_step(m);
    }
    show_moves(m);
}

static void do_back(simulation *m, char *const *args) {
    uint32_t n = 1;
    if (args[0] && !simulate_read_number(args[0], UINT32_MAX, &n)) {
        say_error(m, "back takes a number of steps");
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

static void do_random(simulation *m, char *const *args) {
    uint32_t n = 1, seed = 0;
    if ((args[0] && !simulate_read_number(args[0], 1000000, &n)) ||
        (args[1] && !simulate_read_number(args[1], UINT32_MAX, &seed))) {
        say_error(m, "random takes a number of steps (at most a million) and a seed");
        return;
    }
    if (args[1]) m->random.state = seed;
    for (uint32_t i = 0; i < n && !limits_met(&m->s->limits); i++) {
        uint32_t move = random_move(m);
        if (move == UINT32_MAX) break;
        walk_take(&m->walk, move);
        show_last_step(m);
        simulate_say(m);
    }
    show_moves(m);
}

static void show_trace(simulation *m) {
    trace *t = walk_trace(&m->walk);
    lanes_text(t, &m->s->style, &(lanes_options){.full_states = options_has(&m->s->opt, OPT_FULL_STATES)}, &m->out);
    trace_free(t);
}

static json_t *trace_object(simulation *m) {
    trace *t = walk_trace(&m->walk);
    json_t *o = object_trace(t, m->property, session_detail(m->s));
    trace_free(t);
    return o;
}

static void do_save(simulation *m, char *const *args) {
    if (!args[0]) {
        say_error(m, "save takes the name of a file");
        return;
    }
    json_t *o = trace_object(m);
    str text = {0};
    object_print(o, &text);
    json_decref(o);
    bool ok = outfile_write(args[0], str_get(&text), text.len);
    str_free(&text);
    if (ok) str_printf(&m->out, "saved %u steps to %s\n", m->walk.steps.len, args[0]);
    else say_error(m, strerror(errno));
}

static void do_initial(simulation *m, char *const *args) {
    uint32_t n = 0;
    if (!args[0]) {
        show_starts(m);
        return;
    }
    if (!simulate_read_number(args[0], m->walk.starts.len, &n) || !n) {
        say_error(m, "there is no initial state with that number");
        return;
    }
    walk_start(&m->walk, n - 1);
    show_state(m);
    show_moves(m);
}

static void show_help(simulation *m);

typedef struct {
    const char *name, *arguments, *text;
    void (*show)(simulation *m);                    // one of these two; none: it ends the walk
    void (*run)(simulation *m, char *const *args);  // two arguments, NULL where there are fewer
} walk_command;

static const walk_command walk_commands[] = {
    {"back", "[N]", "undo the last step, or the last N", .run = do_back},
    {"random", "[N [SEED]]", "take N steps at random; the same seed gives the same steps", .run = do_random},
    {"state", "", "the whole state", .show = show_state},
    {"actions", "", "what can happen now", .show = show_moves},
    {"trace", "", "the steps so far, in lanes", .show = show_trace},
    {"save", "FILE", "save the steps so far as JSON, for --replay", .run = do_save},
    {"initial", "[N]", "list the initial states, or start again in the N-th", .run = do_initial},
    {"help", "", "this list", .show = show_help},
    {.name = "quit", .arguments = "", .text = "end (so does the end of input)"},
};
enum { WALK_COMMANDS = sizeof walk_commands / sizeof *walk_commands };

static void show_help(simulation *m) {
    str_add(&m->out, "  N                   take the action with that number\n");
    for (unsigned i = 0; i < WALK_COMMANDS; i++) {
        const walk_command *c = &walk_commands[i];
        str_printf(&m->out, "  %s %-*s%s\n", c->name, 19 - (int)strlen(c->name), c->arguments, c->text);
    }
}

static const walk_command *find_command(const char *name) {
    for (unsigned i = 0; i < WALK_COMMANDS; i++)
        if (str_same(walk_commands[i].name, name)) return &walk_commands[i];
    // A beginning is enough, as in debuggers; the first that fits.
    for (unsigned i = 0; i < WALK_COMMANDS; i++)
        if (str_starts(walk_commands[i].name, name)) return &walk_commands[i];
    return NULL;
}

static void simulate_complain_command(simulation *m, const char *name) {
    const char *names[WALK_COMMANDS];
    for (unsigned i = 0; i < WALK_COMMANDS; i++) names[i] = walk_commands[i].name;
    const char *near = diag_nearest(name, names, WALK_COMMANDS);
    str text = {0};
    if (near) str_printf(&text, "unknown command '%s', did you mean '%s'?", name, near);
    else str_printf(&text, "unknown command '%s'; `help` lists them", name);
    say_error(m, str_get(&text));
    str_free(&text);
}

// One line; false to end.
static bool obey(simulation *m, char *line) {
    char *rest = line, *words[3] = {0};
    uint32_t n = 0, number;
    for (char *word; (word = strsep(&rest, " \t\r\n")) && n < 3;)
        if (*word) words[n++] = word;
    if (!n) return true;
    if (simulate_read_number(words[0], UINT32_MAX, &number)) {
        simulate_take(m, number);
        return true;
    }
    const walk_command *c = find_command(words[0]);
    if (!c) simulate_complain_command(m, words[0]);
    else if (c->show) c->show(m);
    else if (c->run) c->run(m, words + 1);
    return !c || c->show || c->run;
}

static bool read_line(simulation *m, char **line, size_t *room) {
    if (m->is_terminal) str_add(&m->out, "> ");
    simulate_say(m);
    const limits *l = &m->s->limits;
    if (limits_met(l) || getline(line, room, stdin) < 0 || limits_met(l)) return false;
    if (m->is_terminal) return true;
    (*line)[strcspn(*line, "\n")] = '\0';
    str_printf(&m->out, "> %s\n", *line);
    return true;
}

static int walk_by_hand(simulation *m) {
    char *line = NULL;
    size_t room = 0;
    m->is_terminal = isatty(STDIN_FILENO);
    show_title(m);
    show_moves(m);
    while (read_line(m, &line, &room) && obey(m, line)) continue;
    free(line);
    simulate_say(m);
    if (session_say_limit(m->s)) return EXIT_UNKNOWN;
    return m->failed && !m->is_terminal ? EXIT_BAD_INPUT : EXIT_HOLDS;
}

static void answer_walk(simulation *m) {
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
    session_answer(m->s, json_pack("{s:o, s:o, s:o, s:o}", "scope", object_take(&scope), "sizes",
                                   sizes_object(&m->sizes), "trace", trace_object(m), "enabled", moves));
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
    int code = ok ? walk_by_hand(m) : EXIT_BAD_INPUT;
    if (ok && session_wants_answer(m->s)) answer_walk(m);
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

static void report_replay(simulation *m, const tracefile *f, const trace *t) {
    lanes_options how = {.full_states = options_has(&m->s->opt, OPT_FULL_STATES), .reason = tracefile_reason(f)};
    str_printf(&m->out, "replayed: %u step%s of %s\n\n", t->steps.len, t->steps.len == 1 ? "" : "s",
               sys_of(m->in->m, m->system)->name);
    lanes_text(t, &m->s->style, &how, &m->out);
    simulate_say(m);
    session_answer(m->s, json_pack("{s:b, s:o, s:o}", "replayed", 1, "sizes", sizes_object(&m->sizes), "trace",
                                   object_trace(t, tracefile_property(f), session_detail(m->s))));
}

static int replay(simulation *m) {
    session_phase(m->s, "reading the trace");
    tracefile *f = tracefile_open(m->s->opt.replay, m->s->messages);
    bool ok = f && find_traced_system(m, f) && take_sizes(m, f) && simulate_make_instance(m);
    trace *t = ok ? tracefile_trace(f, m->in, m->s->messages) : NULL;
    if (t) report_replay(m, f, t);
    trace_free(t);
    tracefile_free(f);
    return t ? EXIT_HOLDS : EXIT_BAD_INPUT;
}

static int simulate_run(session *s) {
    simulation m = {.s = s, .random = {1}};
    int code = EXIT_BAD_INPUT;
    if (load_file(s, s->file, &m.model)) code = s->opt.replay ? replay(&m) : simulate(&m);
    str_free(&m.out);
    instance_free(m.in);
    sizes_free(&m.sizes);
    return code;
}

static const char simulate_details[] =
    "Lists what can happen next, numbered; a number takes that action. `back` undoes it, `random 10` takes\n"
    "ten random steps, `state` and `trace` show where you are and how you got there, `save FILE` writes the\n"
    "trace as JSON.\n"
    "Commands may be piped in. With --property the walk goes through the product with the specification, where\n"
    "steps that the specification does not allow are marked as refused.\n"
    "\n"
    "Examples:\n"
    "  parvis simulate models/tm/tl2.pv --size Thread=2,Loc=1\n"
    "  parvis simulate models/tm/occ.pv --property opaque\n"
    "  echo 'random 20 7' | parvis simulate models/tm/dstm.pv\n"
    "  parvis simulate models/tm/tl2_swapped.pv --replay bug.json\n";

const command simulate_command = {
    .name = "simulate",
    .arguments = "FILE",
    .least = 1,
    .most = 1,
    .summary = "walk through a model step by step, or replay a trace",
    .details = simulate_details,
    .takes = OPTIONS_MODEL | OPTIONS_LIMITS | OPTION_BIT(SIZE) | OPTION_BIT(PROPERTY) | OPTION_BIT(SYSTEM) |
             OPTION_BIT(SEMANTICS) | OPTION_BIT(REPLAY) | OPTION_BIT(FULL_STATES) | OPTION_BIT(REPORT),
    .run = simulate_run,
};
