// SPDX-License-Identifier: Apache-2.0
// See both.h.
//
// The abstraction of the first sort is a text, the same for every number of elements of the second: so all that it
// shows (the property and each lemma) is proved for any number of these, as it would be for a model of the user's. It
// is about more elements of the first sort than are kept; with as many or fewer, the user's system is proved.
//
// A text with numbers of elements of the second sort would not be the same: what is unknown of a number has the range
// that it has in the file (abstract/translate.c). A system that counts them is refused with the first of the small
// sizes, before the abstraction is looked at.
#include "cmp/both.h"

#include "model/expr.h"
#include "model/overlay.h"

// Everything that was checked in the abstraction.
static prop both_claim(model *m, const proof_abstract *shown) {
    prop_info p = {.kind = PROP_INVARIANT, .name = "all that the abstraction shows", .cond = m->true_expr};
    for (uint32_t i = 0; i < shown->nchecked; i++) p.cond = expr_and(m, p.cond, prop_of(m, shown->checked[i])->cond);
    p.system = shown->system;
    return model_add_prop(m, p);
}

static proof *both_part(const model *m, prop p, const cmp_options *o, bool is_ours) {
    cmp_options own = *o;
    own.sort = o->also;
    own.also = NULL;
    own.is_part = true;
    own.is_ours = is_ours;
    return cmp_prove(m, p, &own);
}

static bool both_refuse(proof *out, const char *what, const proof *found) {
    const char *why = found->reason ? found->reason : "a lemma or the property fails with more elements";
    out->verdict = VERDICT_UNKNOWN;
    out->reason = arena_printf(out->memory, "%s: %s", what, why);
    return false;
}

static bool abstraction_holds(const cmp_options *o, proof *out) {
    model *m = overlay_new(out->shown.m);
    proof *found = both_part(m, both_claim(m, &out->shown), o, true);
    bool ok = found->verdict == VERDICT_HOLDS;
    const char *what =
        arena_printf(out->memory, "it holds for %s, not seen for every number of %s", out->scope, o->also);
    if (!ok) both_refuse(out, what, found);
    proof_free(found);
    model_free(m);
    return ok;
}

// What is violated then is the user's system: its run is the answer.
static void both_keep_run(proof *out, proof *found) {
    result_free(out->small);
    out->verdict = VERDICT_VIOLATED;
    out->small = found->small;
    found->small = NULL;
    for (uint32_t i = 0; i < found->instances.len; i++) vec_push(&out->instances, found->instances.data[i]);
    for (uint32_t i = 0; i < found->overlays.len; i++) vec_push(&out->overlays, found->overlays.data[i]);
    found->instances.len = found->overlays.len = 0;
}

// With so many elements of the first sort.
static bool size_holds(const model *below, prop p, type sort, uint32_t size, const cmp_options *o, proof *out) {
    model *m = overlay_new(below);
    overlay_set_size(m, sort, size);
    vec_push(&out->overlays, m);
    proof *found = both_part(m, p, o, false);
    bool ok = found->verdict == VERDICT_HOLDS;
    const char *what = arena_printf(out->memory, "with %s=%u", out->sort, size);
    if (found->verdict == VERDICT_VIOLATED) both_keep_run(out, found);
    else if (!ok) both_refuse(out, what, found);
    proof_free(found);
    return ok;
}

bool both_hold(const model *m, prop p, type sort, const cmp_options *options, proof *out) {
    for (uint32_t size = 1; size <= out->kept; size++)
        if (!size_holds(m, p, sort, size, options, out)) return false;
    return abstraction_holds(options, out);
}
