// SPDX-License-Identifier: Apache-2.0
// Trace files of any content: a reader that believes nothing ends with a trace that replays, or with a message.
// A true trace is changed at random, as text (bytes and pieces) and as JSON (members removed, swapped, replaced).
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/pv/pv.h"
#include "model/compose.h"
#include "oracle/part.h"
#include "report/object.h"
#include "report/tracefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "sort Thread\n"
                             "enum Phase { out, wants, in }\n"
                             "system Lock {\n"
                             "  var phase(Thread): Phase = out\n"
                             "  var n: 0..3 = 0\n"
                             "  action ask(t: Thread) when phase(t) = out { phase(t) := wants }\n"
                             "  action enter(t: Thread) when phase(t) = wants { phase(t) := in; n := n + 1 }\n"
                             "  action leave(t: Thread) when phase(t) = in { phase(t) := out; n := n - 1 }\n"
                             "}\n";

typedef struct {
    diag *d;
    model *m;
    instance *in;
    char *path;
} world;

static world begin(void) {
    world w = {.d = diag_new()};
    w.m = model_new(w.d);
    assert_true(pv_read(w.m, "lock.pv", &(pv_options){.text = source, .size = sizeof source - 1}, NULL));
    sort_size sizes[] = {{model_find_type(w.m, "Thread"), 2}};
    w.in = instance_new(w.m, model_find_system(w.m, "Lock"), sizes, 1);
    const char *folder = getenv("PARVIS_TMP");
    str path = {0};
    str_printf(&path, "%s/tracefile_fuzz.json", folder ? folder : "/tmp");
    w.path = path.text;
    return w;
}

static void end(world *w) {
    remove(w->path);
    free(w->path);
    instance_free(w->in);
    model_free(w->m);
    diag_free(w->d);
}

// A run of some steps, each the first or second enabled one.
static json_t *true_trace(const world *w, rng *r) {
    value state[8] = {0}, next[8], args[1];
    trace *t = trace_new(w->in, state);
    eval *ev = eval_new(w->in);
    const sys_info *s = sys_of(w->m, w->in->system);
    for (uint32_t i = 0, steps = rng_below(r, 6); i < 50 && t->steps.len < steps; i++) {
        rule id = s->rules.data[rng_below(r, s->rules.len)];
        args[0] = (value)rng_below(r, 2);
        const value *before = trace_state(t, t->steps.len);
        if (!eval_enabled(ev, before, id, args) || !eval_fire(ev, before, id, args, next)) continue;
        trace_add(t, id, args, next);
    }
    json_t *o = object_trace(t, NULL, rng_below(r, 2));
    eval_free(ev);
    trace_free(t);
    return o;
}

static json_t *random_value(rng *r) {
    switch (rng_below(r, 9)) {
    case 0: return json_null();
    case 1: return json_true();
    case 2: return json_integer((json_int_t)rng_next(r));
    case 3: return json_integer(rng_below(r, 4));
    case 4: return json_string("enter");
    case 5: return json_string("\xC3\x97");
    case 6: return json_real(1.5);
    case 7: return json_array();
    default: return json_object();
    }
}

// Walks down at random and changes what it meets.
static void change(json_t *node, rng *r) {
    size_t n = json_is_object(node) ? json_object_size(node) : json_array_size(node);
    if (!n) return;
    size_t at = rng_below(r, (uint32_t)n);
    if (json_is_array(node)) {
        json_t *child = json_array_get(node, at);
        if (rng_below(r, 3)) change(child, r);
        else if (rng_below(r, 2)) json_array_remove(node, at);
        else json_array_set_new(node, at, random_value(r));
        return;
    }
    void *i = json_object_iter(node);
    while (at-- > 0) i = json_object_iter_next(node, i);
    if (rng_below(r, 3)) change(json_object_iter_value(i), r);
    else if (rng_below(r, 2)) json_object_iter_set_new(node, i, random_value(r));
    else json_object_del(node, json_object_iter_key(i));
}

static void change_text(str *text, rng *r) {
    for (uint32_t i = 0, n = 1 + rng_below(r, 3); i < n && text->len; i++) {
        uint32_t at = rng_below(r, (uint32_t)text->len);
        if (rng_below(r, 2)) text->text[at] = (char)rng_next(r);
        else text->len = at;
    }
}

// True when the file holds a trace of the model.
static bool read_back(const world *w, const str *text) {
    FILE *out = fopen(w->path, "wb");
    assert_non_null(out);
    fwrite(str_get(text), 1, text->len, out);
    fclose(out);
    diag *d = diag_new();
    tracefile *f = tracefile_open(w->path, d);
    if (f) assert_true(json_is_object(tracefile_sizes(f)));
    trace *t = f ? tracefile_trace(f, w->in, d) : NULL;
    str why = {0};
    if (t) assert_true(trace_replay(t, &why));
    assert_true(t || diag_failed(d));
    bool is_read = t != NULL;
    str_free(&why);
    trace_free(t);
    tracefile_free(f);
    diag_free(d);
    return is_read;
}

static void any_file_is_read_or_refused(void **state) {
    (void)state;
    world w = begin();
    rng r = {part_seed(99)};
    uint32_t rounds = (uint32_t)part_rounds(4000, 200000), good = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        json_t *o = true_trace(&w, &r);
        str text = {0};
        uint32_t changes = rng_below(&r, 3);
        for (uint32_t k = 0; k < changes; k++) change(o, &r);
        object_print(o, &text);
        if (rng_below(&r, 4) == 0) change_text(&text, &r);
        good += read_back(&w, &text);
        str_free(&text);
        json_decref(o);
    }
    printf("# tally: changed trace files | %u cases | 0 wrong\n", rounds);
    assert_in_range(good, rounds / 4, rounds - 100);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_file_is_read_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
