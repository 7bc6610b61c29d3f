// SPDX-License-Identifier: Apache-2.0
// Why a specification does not allow a step: see refusal.h. The guard is quoted from the user's file.
#include "result/refusal.h"

#include <ctype.h>

enum { LONGEST_QUOTE = 120 };

static expr guard_of(const model *m, sys spec, const char *action) {
    const sys_info *s = sys_of(m, spec);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(m, s->rules.data[i]);
        if (str_same(r->name, action)) return r->guard;
    }
    return (expr){0};
}

// On one line, whatever its layout was.
static void add_squeezed(const char *text, str *out) {
    for (bool gap = false; *text; text++) {
        bool space = isspace((unsigned char)*text);
        if (space && !gap) str_char(out, ' ');
        else if (!space) str_char(out, *text);
        gap = space;
    }
}

static void quote(const diag *d, span at, str *out) {
    str source = {0};
    diag_source_text(d, at, &source);
    bool is_short = source.len && source.len <= LONGEST_QUOTE;
    str_add(out, is_short ? ": it asks for `" : ": see ");
    if (is_short) {
        add_squeezed(str_get(&source), out);
        str_add(out, "`, ");
    }
    diag_place_text(d, at, out);
    str_free(&source);
}

span refusal_place(const model *m, prop property, rule r) {
    expr guard = guard_of(m, prop_of(m, property)->spec, rule_of(m, r)->name);
    return guard.id ? expr_of(m, guard)->at : (span){0};
}

void refusal_text(const model *m, prop property, rule r, str *out) {
    const char *action = rule_of(m, r)->name;
    sys spec = prop_of(m, property)->spec;
    str_printf(out, "%s refuses this %s", sys_of(m, spec)->name, action);
    expr guard = guard_of(m, spec, action);
    if (guard.id && expr_of(m, guard)->at.file) quote(m->messages, expr_of(m, guard)->at, out);
}
