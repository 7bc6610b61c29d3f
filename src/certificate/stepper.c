// SPDX-License-Identifier: Apache-2.0
// Steps by the reference evaluator: see stepper.h.
#include "certificate/stepper.h"

#include "result/cell.h"
#include "result/trace.h"

enum { LONGEST_STATE = 400 };

struct stepper {
    const instance *in;
    eval *ev;
    value *args, *next;
    bool is_excluded;
};

stepper *stepper_new(const instance *in) {
    stepper *s = mem_zero(1, sizeof *s);
    s->in = in;
    s->ev = eval_new(in);
    s->args = mem_zero(model_most_params(in->m) + 1, sizeof *s->args);
    s->next = mem_zero(in->ncells + 1, sizeof *s->next);
    return s;
}

void stepper_free(stepper *s) {
    if (!s) return;
    eval_free(s->ev);
    free(s->args);
    free(s->next);
    free(s);
}

eval *stepper_eval(stepper *s) { return s->ev; }
bool stepper_is_excluded(const stepper *s) { return s->is_excluded; }

static bool stepper_fail(const stepper *s, rule r, const char *what, str *why) {
    str_add(why, "step ");
    trace_label_text(s->in, r, s->args, why);
    str_printf(why, ": %s", what);
    return false;
}

static bool stepper_is_sound(const stepper *s, rule r, str *why) {
    fault f = eval_fault(s->ev);
    return f.kind == FAULT_NONE || stepper_fail(s, r, f.text ? f.text : fault_text(f.kind), why);
}

static bool stepper_take(stepper *s, const value *state, rule r, stepper_found found, void *context, str *why) {
    prop refused;
    switch (eval_step(s->ev, state, r, s->args, s->next, &refused)) {
    case EVAL_NONE: s->is_excluded |= eval_is_excluded(s->ev); return true;
    case EVAL_FIRES: return found(r, s->args, s->next, context);
    case EVAL_REFUSED: return stepper_fail(s, r, "the specification refuses it", why);
    default: return stepper_is_sound(s, r, why);
    }
}

bool stepper_each(stepper *s, const value *state, stepper_found found, void *context, str *why) {
    const sys_info *system = sys_of(s->in->m, s->in->system);
    s->is_excluded = false;
    for (uint32_t i = 0; i < system->rules.len; i++)
        for (bool first = true; eval_next_binding(s->in, system->rules.data[i], s->args, &first);)
            if (!stepper_take(s, state, system->rules.data[i], found, context, why)) return false;
    return true;
}

void stepper_state_text(const instance *in, const value *state, str *out) {
    size_t begin = out->len;
    for (uint32_t c = 0; c < in->ncells && out->len - begin <= LONGEST_STATE; c++) {
        if (cell_is_local(in, c) || cell_is_initial(in, c, state[c])) continue;
        if (out->len > begin) str_add(out, ", ");
        cell_shown_name(in, c, out);
        str_char(out, '=');
        cell_value(in, c, state[c], out);
    }
    if (out->len - begin > LONGEST_STATE) str_add(out, ", …");
    if (out->len == begin) str_add(out, "all as before the start");
}
