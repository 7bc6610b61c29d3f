// SPDX-License-Identifier: Apache-2.0
// report: text, lanes, tables, JSON and trace files of hand-made results, against texts written by hand.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/pv/pv.h"
#include "model/compose.h"
#include "result/cell.h"
#include "report/dot.h"
#include "report/lanes.h"
#include "report/object.h"
#include "report/table.h"
#include "report/text.h"
#include "report/tracefile.h"
#include "result/refusal.h"
#include "result/rename.h"

#include <stdlib.h>
#include <string.h>

// A lock with one owner, walked by threads; `Spec` counts who entered. The second entry is refused.
static const char source[] = "sort Thread\n"
                             "enum Phase { out, wants, in }\n"
                             "system Lock {\n"
                             "  var phase(Thread): Phase = out\n"
                             "  rel taken\n"
                             "  internal action ask(t: Thread) when phase(t) = out { phase(t) := wants }\n"
                             "  action enter(t: Thread) when phase(t) = wants { phase(t) := in; taken := true }\n"
                             "  action leave(t: Thread) when phase(t) = in { phase(t) := out; taken := false }\n"
                             "  action tick\n"
                             "}\n"
                             "system Spec {\n"
                             "  var n: 0..1 = 0\n"
                             "  action enter(t: Thread)\n"
                             "    when n < 1\n"
                             "  { n := 1 }\n"
                             "  action leave(t: Thread) { n := 0 }\n"
                             "  action tick\n"
                             "}\n"
                             "property mutex: Lock refines Spec\n";

typedef struct {
    diag *d;
    model *m;
    instance *in;
} world;

static world begin(uint32_t threads, bool product) {
    world w = {.d = diag_new()};
    w.m = model_new(w.d);
    bool ok = pv_read(w.m, "lock.pv", &(pv_options){.text = source, .size = sizeof source - 1}, NULL);
    if (!ok) {
        str text = {0};
        diag_print(w.d, &text, false);
        fail_msg("%s", str_get(&text));
    }
    prop p = model_find_prop(w.m, "mutex");
    sys s = product ? compose_for(w.m, p) : model_find_system(w.m, "Lock");
    sort_size sizes[] = {{model_find_type(w.m, "Thread"), threads}};
    w.in = instance_new(w.m, s, sizes, 1);
    return w;
}

static void end(world *w) {
    instance_free(w->in);
    model_free(w->m);
    diag_free(w->d);
}

// Rule by name, thread by number from 1 (0: no parameter); the evaluator says what comes after.
static void step(trace *t, const char *name, value thread) {
    const sys_info *s = sys_of(t->in->m, t->in->system);
    value args[1] = {thread - 1}, next[128];
    const value *before = trace_state(t, t->steps.len);
    eval *ev = eval_new(t->in);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        rule r = s->rules.data[i];
        const rule_info *info = rule_of(t->in->m, r);
        if (!str_same(info->name, name)) continue;
        assert_true(eval_enabled(ev, before, r, args));
        bool refused = info->nrequires && !eval_expr(ev, before, info->requires[0].cond);
        if (!refused) assert_true(eval_fire(ev, before, r, args, next));
        trace_add(t, r, args, refused ? NULL : next);
    }
    eval_free(ev);
}

static trace *new_trace(const instance *in) {
    value room[128] = {0};  // every cell's initial value is the first of its type
    assert_true(in->ncells <= 128);
    return trace_new(in, room);
}

static trace *refused_trace(const instance *in) {
    trace *t = new_trace(in);
    step(t, "ask", 2);
    step(t, "enter", 2);
    step(t, "tick", 0);
    step(t, "ask", 1);
    step(t, "enter", 1);
    return t;
}

static const style plain = {.utf8 = true, .width = 100};
static const style ascii = {.width = 72};

static void same_text(str *got, const char *expected) {
    assert_string_equal(str_get(got), expected);
    str_free(got);
}

static void lanes_show_a_refused_step(void **state) {
    (void)state;
    world w = begin(2, true);
    trace *t = refused_trace(w.in);
    str out = {0}, why = {0};
    assert_true(trace_replay(t, &why));
    lanes_text(t, &plain, &(lanes_options){.reason = "Spec refuses it"}, &out);
    same_text(&out, "    word  enter(2) tick enter(1)\n"
                    "\n"
                    "    step  Thread 1    Thread 2    others      changes\n"
                    "       1              ask(2)                  phase(2): out → wants\n"
                    "       2              enter(2)                phase(2): wants → in  +taken\n"
                    "                                              Spec:  n: 0 → 1\n"
                    "       3                          tick        (nothing changes)\n"
                    "       4  ask(1)                              phase(1): out → wants\n"
                    "       5  enter(1) ✗                          Spec refuses it\n"
                    "\n"
                    "    state phase(1)=wants  phase(2)=in  taken\n"
                    "          Spec:  n=1\n");
    trace_free(t);
    end(&w);
}

// Too narrow for a lane per thread: only those that move; then one column of actions. ASCII without UTF-8.
static void lanes_give_way_when_there_are_many(void **state) {
    (void)state;
    world w = begin(30, false);
    trace *t = new_trace(w.in);
    str out = {0};
    step(t, "ask", 7);
    step(t, "ask", 30);
    lanes_text(t, &ascii, &(lanes_options){0}, &out);
    same_text(&out, "    word  (no visible step)\n"
                    "\n"
                    "    step  Thread 7   Thread 30  changes\n"
                    "       1  ask(7)                phase(7): out -> wants\n"
                    "       2             ask(30)    phase(30): out -> wants\n"
                    "\n"
                    "    state phase(7)=wants  phase(30)=wants\n");
    for (value i = 8; i < 16; i++) step(t, "ask", i);
    lanes_text(t, &ascii, &(lanes_options){0}, &out);
    assert_non_null(strstr(str_get(&out), "    step  action   changes\n       1  ask(7)   phase(7): out -> wants\n"));
    str_free(&out);
    trace_free(t);
    end(&w);
}

static void lanes_wrap_long_changes(void **state) {
    (void)state;
    world w = begin(30, false);
    trace *t = new_trace(w.in);
    str out = {0};
    for (value i = 1; i <= 30; i++) step(t, "ask", i);
    lanes_text(t, &ascii, &(lanes_options){0}, &out);
    for (char *line = strtok(out.text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(str_columns(line) <= ascii.width);
    str_free(&out);
    trace_free(t);
    end(&w);
}

static void full_states_replace_changes(void **state) {
    (void)state;
    world w = begin(2, false);
    trace *t = new_trace(w.in);
    str out = {0};
    step(t, "ask", 1);
    lanes_text(t, &plain, &(lanes_options){.full_states = true}, &out);
    same_text(&out, "    word  (no visible step)\n"
                    "\n"
                    "    step  Thread 1  Thread 2  state after the step\n"
                    "       0                      phase(1)=out  phase(2)=out\n"
                    "       1  ask(1)              phase(1)=wants  phase(2)=out\n");
    trace_free(t);
    end(&w);
}

// A relation of three elements, given by its nine cells; a chain is not listed too.
static void orders_are(const char *cells, const char *expected) {
    static const char text[] = "sort S\nsystem O {\n  rel le(S, S), mark(S)\n  action go\n}\n";
    diag *messages = diag_new();
    model *m = model_new(messages);
    pv_unit unit;
    assert_true(pv_read(m, "order.pv", &(pv_options){.text = text, .size = sizeof text - 1}, &unit));
    sort_size size = {model_find_type(m, "S"), 3};
    instance *in = instance_new(m, unit.systems[0], &size, 1);
    value state[16] = {0};
    str got = {0};
    for (uint32_t i = 0; i < 9; i++) {
        func le = sys_of(m, unit.systems[0])->funcs.data[0];
        state[instance_cell(in, le, (value[]){(value)(i / 3), (value)(i % 3)})] = cells[i] == '1';
    }
    lanes_drawn(in, state, &ascii, 2, &got);
    same_text(&got, expected);
    instance_free(in);
    model_free(m);
    diag_free(messages);
}

static void orders_are_chains(void **state) {
    (void)state;
    orders_are("011001000", "(but for its order, every cell has its declared initial value)\n  le: 1 < 2 < 3\n");
    orders_are("100110111", "(but for its order, every cell has its declared initial value)\n  le: 3 <= 2 <= 1\n");
    orders_are("000101100", "(but for its order, every cell has its declared initial value)\n  le: 2 < 3 < 1\n");
    orders_are("010001100", "le(1,2)  le(2,3)  le(3,1)\n");           // a cycle
    orders_are("001001000", "le(1,3)  le(2,3)\n");                    // 1 and 2 are not compared
    orders_are("111001000", "le(1,1)  le(1,2)  le(1,3)  le(2,3)\n");  // one element only is before itself
}

static void an_invariant_shows_its_last_state(void **state) {
    (void)state;
    world w = begin(1, false);
    trace *t = new_trace(w.in);
    str out = {0};
    step(t, "ask", 1);
    lanes_text(t, &plain, &(lanes_options){.reason = "calm does not hold"}, &out);
    same_text(&out, "    word  (no visible step)\n"
                    "\n"
                    "    step  Thread 1  changes\n"
                    "       1  ask(1)    phase(1): out → wants\n"
                    "    ✗               calm does not hold\n"
                    "\n"
                    "    state phase(1)=wants\n");
    trace_free(t);
    end(&w);
}

// ---- results

static result_stats figures(uint64_t states, double seconds) {
    return (result_stats){.states = states,
                          .transitions = 4 * states,
                          .depth = 14,
                          .seconds = seconds,
                          .memory_bytes = 3250586,
                          .state_bits = 40,
                          .threads = 2,
                          .is_reduced = true,
                          .engine = "native"};
}

// Without locations if there are none.
static result *sample(uint32_t threads, uint32_t locations, verdict second, const char *reason) {
    result *r = result_new();
    result_add_size(r, "Thread", threads);
    if (locations) result_add_size(r, "Loc", locations);
    result_stats stats = figures(47464, 0.32);
    result_explored(r, &stats);
    result_add(r, (result_property){.name = "mutex", .verdict = VERDICT_HOLDS, .stats = stats});
    result_add(r, (result_property){.name = "opaque",
                                    .verdict = second,
                                    .reason = reason ? result_text(r, "%s", reason) : NULL,
                                    .stats = stats});
    return r;
}

static void verdicts_then_the_shared_statistics_once(void **state) {
    (void)state;
    result *r = sample(2, 2, VERDICT_UNKNOWN, "time limit");
    str out = {0};
    text_result(r, &plain, &(text_options){0}, &out);
    same_text(&out, "mutex: holds for Thread=2, Loc=2\n"
                    "opaque: unknown for Thread=2, Loc=2: time limit\n"
                    "    47,464 states up to symmetry, 189,856 transitions, depth 14, 0.32 s, 3.1 MB "
                    "(native, 2 threads)\n");
    text_result(r, &plain, &(text_options){.quiet = true}, &out);
    same_text(&out, "mutex: holds for Thread=2, Loc=2\nopaque: unknown for Thread=2, Loc=2: time limit\n");
    result_free(r);
}

static void a_range_is_a_table(void **state) {
    (void)state;
    result *a = sample(1, 10, VERDICT_HOLDS, NULL), *b = sample(2, 10, VERDICT_UNKNOWN, "memory");
    const result *const runs[] = {a, b};
    str out = {0};
    text_table(runs, 2, &plain, &(text_options){0}, &out);
    same_text(&out, "Thread  Loc  property  verdict  states  transitions  depth  seconds  memory\n"
                    "     1   10  mutex     holds    47,464      189,856     14     0.32  3.1 MB\n"
                    "     1   10  opaque    holds    47,464      189,856     14     0.32  3.1 MB\n"
                    "     2   10  mutex     holds    47,464      189,856     14     0.32  3.1 MB\n"
                    "     2   10  opaque    unknown  47,464      189,856     14     0.32  3.1 MB\n"
                    "opaque: unknown for Thread=2, Loc=10: memory\n");
    result_free(a);
    result_free(b);
}

static void colour_only_when_asked(void **state) {
    (void)state;
    str out = {0};
    style coloured = {.colour = true, .width = 80};
    style_add(&coloured, ROLE_BAD, "x", &out);
    same_text(&out, "\033[31mx\033[0m");
    style_add(&plain, ROLE_BAD, "x", &out);
    same_text(&out, "x");
}

// ---- JSON

static const char *text_at(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void results_become_objects(void **state) {
    (void)state;
    result *r = sample(2, 0, VERDICT_UNKNOWN, "time");
    json_t *o = object_result(r, false);
    static const char *const members[] = {"verdict", "scope",        "states", "transitions", "depth",
                                          "seconds", "memory_bytes", "trace",  "reason",      "properties"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) assert_non_null(json_object_get(o, members[i]));
    assert_string_equal(text_at(o, "verdict"), "unknown");
    assert_string_equal(text_at(o, "reason"), "time");
    assert_int_equal(json_integer_value(json_object_get(o, "states")), 47464);
    const json_t *p = json_array_get(json_object_get(o, "properties"), 1);
    assert_string_equal(text_at(p, "name"), "opaque");
    assert_string_equal(text_at(p, "scope"), "Thread=2");
    assert_true(json_is_null(json_object_get(p, "trace")));
    json_decref(o);
    result_free(r);
}

static void ranges_join_their_runs(void **state) {
    (void)state;
    result *a = sample(1, 0, VERDICT_HOLDS, NULL), *b = sample(2, 0, VERDICT_UNKNOWN, "time");
    const result *const runs[] = {a, b};
    json_t *o = object_runs(runs, 2, "Thread=1..2", false);
    assert_string_equal(text_at(o, "verdict"), "unknown");
    assert_string_equal(text_at(o, "scope"), "Thread=1..2");
    assert_string_equal(text_at(o, "reason"), "time");
    assert_int_equal(json_integer_value(json_object_get(o, "states")), 2 * 47464);
    assert_int_equal(json_array_size(json_object_get(o, "runs")), 2);
    const json_t *list = json_object_get(o, "properties");
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(text_at(json_array_get(list, 0), "verdict"), "holds");
    assert_string_equal(text_at(json_array_get(list, 0), "scope"), "Thread=1..2");
    assert_string_equal(text_at(json_array_get(list, 1), "verdict"), "unknown");
    assert_string_equal(text_at(json_array_get(list, 1), "scope"), "Thread=2");
    json_decref(o);
    result_free(a);
    result_free(b);
}

static void any_bytes_become_a_string(void **state) {
    (void)state;
    rng r = {3};
    json_t *j = object_string("a\xFF\xC3(b\xE2\x82\xAC");
    assert_string_equal(json_string_value(j), "a\xEF\xBF\xBD\xEF\xBF\xBD(b\xE2\x82\xAC");
    json_decref(j);
    for (int round = 0; round < 20000; round++) {
        char text[12] = {0};
        for (int i = 0; i < 11; i++) text[i] = (char)(1 + rng_below(&r, 255));
        j = object_string(text);
        assert_non_null(j);
        json_decref(j);
    }
}

static void messages_keep_their_place_and_notes(void **state) {
    (void)state;
    diag *d = diag_new();
    uint32_t file = diag_add_file(d, "x.pv", "abc\ndef\n", 8);
    diag_warning(d, (span){file, 0, 1}, "odd");
    diag_error(d, (span){file, 5, 6}, "bad");
    diag_note(d, (span){0}, "because");
    json_t *errors = object_messages(d, DIAG_ERROR), *warnings = object_messages(d, DIAG_WARNING);
    assert_int_equal(json_array_size(errors), 1);
    const json_t *e = json_array_get(errors, 0);
    assert_string_equal(text_at(e, "file"), "x.pv");
    assert_int_equal(json_integer_value(json_object_get(e, "line")), 2);
    assert_int_equal(json_integer_value(json_object_get(e, "column")), 2);
    assert_string_equal(text_at(e, "message"), "bad");
    assert_int_equal(json_array_size(json_object_get(e, "notes")), 1);
    assert_int_equal(json_array_size(warnings), 1);
    json_decref(errors);
    json_decref(warnings);
    diag_free(d);
}

// ---- trace files

static char *write_object(const json_t *o) {
    str path = {0}, text = {0};
    const char *folder = getenv("PARVIS_TMP");
    str_printf(&path, "%s/report_test.json", folder ? folder : "/tmp");
    object_print(o, &text);
    FILE *f = fopen(str_get(&path), "w");
    assert_non_null(f);
    fputs(str_get(&text), f);
    fclose(f);
    str_free(&text);
    return path.text;
}

static trace *read_back(const json_t *o, const instance *in, diag *d) {
    char *path = write_object(o);
    tracefile *f = tracefile_open(path, d);
    trace *t = f ? tracefile_trace(f, in, d) : NULL;
    tracefile_free(f);
    remove(path);
    free(path);
    return t;
}

static void traces_survive_a_file(void **state) {
    (void)state;
    world w = begin(2, true);
    trace *t = refused_trace(w.in);
    json_t *o = object_trace(t, "mutex", true), *around = json_pack("{s:O}", "trace", o);
    trace *back = read_back(o, w.in, w.d), *again = read_back(around, w.in, w.d);
    assert_non_null(back);
    assert_non_null(again);
    assert_int_equal(back->steps.len, t->steps.len);
    json_t *o2 = object_trace(back, "mutex", true);
    assert_true(json_equal(o, o2));
    json_decref(o);
    json_decref(o2);
    json_decref(around);
    trace_free(t);
    trace_free(back);
    trace_free(again);
    end(&w);
}

static void expect_refusal(world *w, const json_t *o, const char *message) {
    diag *d = diag_new();
    trace *t = read_back(o, w->in, d);
    assert_null(t);
    assert_int_equal(diag_errors(d), 1);
    if (!strstr(diag_get(d, 0).text, message)) fail_msg("'%s' does not say '%s'", diag_get(d, 0).text, message);
    diag_free(d);
}

static json_t *nth_step(json_t *o, size_t i) { return json_array_get(json_object_get(o, "steps"), i); }

// One thing wrong at a time.
static void false_traces_are_refused(void **state) {
    (void)state;
    world w = begin(2, true);
    trace *t = refused_trace(w.in);
    json_t *good = object_trace(t, "mutex", false), *o;
    trace_free(t);
#define WRONG(change, message)      \
    o = json_deep_copy(good);       \
    change;                         \
    expect_refusal(&w, o, message); \
    json_decref(o)
    WRONG(json_object_set_new(nth_step(o, 0), "rule", json_string("jump")), "names no action");
    WRONG(json_object_set_new(nth_step(o, 0), "args", json_pack("[i]", 3)), "other arguments");
    WRONG(json_object_set_new(nth_step(o, 0), "args", json_pack("[s]", "2")), "other arguments");
    WRONG(json_object_set_new(nth_step(o, 1), "args", json_pack("[i]", 1)), "is not enabled");
    WRONG(json_object_set_new(nth_step(o, 0), "changes", json_array()), "changes other cells");
    WRONG((json_object_set_new(nth_step(o, 4), "refused", json_false()), json_object_del(nth_step(o, 4), "changes")),
          "is refused");
    WRONG(json_object_set_new(nth_step(o, 0), "refused", json_true()), "follows a refused step");
    WRONG(json_object_del(json_object_get(o, "initial"), "Spec.n"), "no value for 'Spec.n'");
    WRONG(json_object_set_new(json_object_get(o, "initial"), "taken", json_integer(3)), "no possible value");
    WRONG((json_object_set_new(json_object_get(o, "initial"), "taken", json_true()),
           json_array_clear(json_object_get(o, "steps"))),
          "first state is not");
    WRONG(json_object_del(o, "steps"), "contains no trace");
#undef WRONG
    json_decref(good);
    end(&w);
}

// ---- renaming, refusals, graphs

static void threads_are_renamed_by_appearance(void **state) {
    (void)state;
    world w = begin(2, true);
    trace *t = refused_trace(w.in), *renamed = rename_by_appearance(t);
    str word = {0};
    assert_non_null(renamed);
    trace_word_text(renamed, &word);
    assert_string_equal(str_get(&word), "enter(1) tick enter(2)");
    assert_null(rename_by_appearance(renamed));
    str_free(&word);
    trace_free(t);
    trace_free(renamed);
    end(&w);
}

static void refusals_quote_the_specification(void **state) {
    (void)state;
    world w = begin(2, true);
    const sys_info *s = sys_of(w.m, w.in->system);
    str out = {0};
    for (uint32_t i = 0; i < s->rules.len; i++)
        if (str_same(rule_of(w.m, s->rules.data[i])->name, "enter"))
            refusal_text(w.m, model_find_prop(w.m, "mutex"), s->rules.data[i], &out);
    same_text(&out, "Spec refuses this enter: it asks for `n < 1`, lock.pv:14:10");
    end(&w);
}

static void graphs_are_quoted(void **state) {
    (void)state;
    str out = {0};
    dot_begin("a \"b\"", &out);
    dot_state(0, "x\ny", true, false, &out);
    dot_edge(0, 0, "go\\", false, &out);
    dot_refused(0, "stop", &out);
    dot_end(&out);
    assert_non_null(strstr(str_get(&out), "digraph \"a \\\"b\\\"\" {"));
    assert_non_null(strstr(str_get(&out), "s0 [label=\"x\\ny\", peripheries=2];"));
    assert_non_null(strstr(str_get(&out), "s0 -> s0 [label=\"go\\\\\", color=gray50, fontcolor=gray50];"));
    str_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_show_a_refused_step),
        cmocka_unit_test(lanes_give_way_when_there_are_many),
        cmocka_unit_test(lanes_wrap_long_changes),
        cmocka_unit_test(full_states_replace_changes),
        cmocka_unit_test(orders_are_chains),
        cmocka_unit_test(an_invariant_shows_its_last_state),
        cmocka_unit_test(verdicts_then_the_shared_statistics_once),
        cmocka_unit_test(a_range_is_a_table),
        cmocka_unit_test(colour_only_when_asked),
        cmocka_unit_test(results_become_objects),
        cmocka_unit_test(ranges_join_their_runs),
        cmocka_unit_test(any_bytes_become_a_string),
        cmocka_unit_test(messages_keep_their_place_and_notes),
        cmocka_unit_test(traces_survive_a_file),
        cmocka_unit_test(false_traces_are_refused),
        cmocka_unit_test(threads_are_renamed_by_appearance),
        cmocka_unit_test(refusals_quote_the_specification),
        cmocka_unit_test(graphs_are_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
