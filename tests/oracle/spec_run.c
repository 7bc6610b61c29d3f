// SPDX-License-Identifier: Apache-2.0
// spec_run: see spec_run.h.
#include "oracle/unit.h"

#include "oracle/spec_run.h"

#include <stdlib.h>
#include <string.h>

static bool copy_start(const value *state, void *context) {
    spec_run *s = context;
    memcpy(s->states, state, s->in->ncells * sizeof *state);
    return true;
}

static rule find_rule(const model *m, sys s, const char *name) {
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++)
        if (str_same(rule_of(m, sys_of(m, s)->rules.data[i])->name, name)) return sys_of(m, s)->rules.data[i];
    fail_msg("no action %s", name);
    return (rule){0};
}

// A set of interchanges is two systems; that with a queue has a length.
static sys deterministic(const model *m, const pv_unit *unit) {
    for (uint32_t i = unit->nsystems; i-- > 0;)
        if (!model_find_func(m, unit->systems[i], "len").id) return unit->systems[i];
    fail_msg("no specification");
    return (sys){0};
}

void spec_run_open(spec_run *s, const char *path, const pv_options *o, const uint32_t sizes[3],
                   const char *const *names, uint32_t nnames, uint32_t longest) {
    pv_unit unit;
    *s = (spec_run){.messages = diag_new()};
    s->m = model_new(s->messages);
    assert_true(pv_read(s->m, path, o, &unit));
    sys system = deterministic(s->m, &unit);
    const sort_size given[] = {{model_find_type(s->m, "Client"), sizes[0]},
                               {model_find_type(s->m, "Loc"), sizes[1]},
                               {model_find_type(s->m, "Value"), sizes[2]}};
    s->in = instance_new(s->m, system, given, 3);
    assert_non_null(s->in);
    s->ev = eval_new(s->in);
    s->states = mem_zero((longest + 1) * s->in->ncells, sizeof(value));
    for (uint32_t k = 0; k < nnames; k++) s->rules[k] = find_rule(s->m, system, names[k]);
    assert_true(eval_initial(s->in, copy_start, s));
}

void spec_run_close(spec_run *s) {
    free(s->states);
    eval_free(s->ev);
    instance_free(s->in);
    model_free(s->m);
    diag_free(s->messages);
}

bool spec_run_step(spec_run *s, uint32_t i, uint32_t name, const value args[3]) {
    const value *from = s->states + i * s->in->ncells;
    return eval_enabled(s->ev, from, s->rules[name], args) &&
           eval_fire(s->ev, from, s->rules[name], args, s->states + (i + 1) * s->in->ncells);
}
