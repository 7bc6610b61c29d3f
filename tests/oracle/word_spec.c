// SPDX-License-Identifier: Apache-2.0
// Specifications that read words: see word_spec.h.
#include "oracle/unit.h"

#include "oracle/word_spec.h"

#include "base/mem.h"

#include <stdlib.h>

static const char *const kind_names[WORD_SPEC_KINDS] = {"read", "write", "commit", "abort"};

static rule find_rule(const model *m, sys s, const char *name) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->rules.len; i++)
        if (str_same(rule_of(m, info->rules.data[i])->name, name)) return info->rules.data[i];
    fail_msg("%s has no action %s", info->name, name);
    return (rule){0};
}

static bool copy_start(const value *state, void *context) {
    word_spec *a = context;
    for (uint32_t i = 0; i < a->in->ncells; i++) a->states[i] = state[i];
    return true;
}

static void word_spec_instantiate(word_spec *a, const char *system, uint32_t threads, uint32_t locs) {
    sys s = model_find_system(a->m, system);
    assert_int_not_equal(s.id, 0);
    const sort_size sizes[] = {{model_find_type(a->m, "Thread"), threads}, {model_find_type(a->m, "Loc"), locs}};
    a->in = instance_new(a->m, s, sizes, 2);
    assert_non_null(a->in);
    a->ev = eval_new(a->in);
    a->states = mem_zero((WORD_LONGEST + 1) * a->in->ncells, sizeof(value));
    for (int k = 0; k < WORD_SPEC_KINDS; k++) a->rules[k] = find_rule(a->m, s, kind_names[k]);
    assert_true(eval_initial(a->in, copy_start, a));
}

void word_spec_open(word_spec *a, const char *file, const pv_options *o, const char *system, uint32_t threads,
                    uint32_t locs) {
    str path = {0}, text = {0};
    str_printf(&path, "models/specs/%s.pv", file);
    a->messages = diag_new();
    a->m = model_new(a->messages);
    if (!pv_read(a->m, str_get(&path), o, NULL)) {
        diag_print(a->messages, &text, false);
        fail_msg("%s", str_get(&text));
    }
    str_free(&path);
    word_spec_instantiate(a, system, threads, locs);
}

void word_spec_close(word_spec *a) {
    free(a->states);
    eval_free(a->ev);
    instance_free(a->in);
    model_free(a->m);
    diag_free(a->messages);
}

bool word_spec_step(word_spec *a, const word *w, uint32_t i) {
    const step *s = &w->at[i];
    const value args[] = {(value)s->thread, (value)s->loc};
    const value *from = a->states + i * a->in->ncells;
    rule r = a->rules[s->kind];
    return eval_enabled(a->ev, from, r, args) && eval_fire(a->ev, from, r, args, a->states + (i + 1) * a->in->ncells);
}

uint32_t word_spec_read(word_spec *a, const word *w) {
    uint32_t i = 0;
    while (i < w->len && word_spec_step(a, w, i)) i++;
    return i;
}
