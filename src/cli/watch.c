// SPDX-License-Identifier: Apache-2.0
// Explorations that the user watches: see watch.h. One time limit covers the whole command.
#include "cli/watch.h"

void watch_begin(watch *w, session *s) {
    const options *o = &s->opt;
    *w = (watch){.s = s};
    w->options = (explore_options){.threads = o->threads,
                                   .symmetry = o->symmetry,
                                   .needs_symmetry = options_has(o, OPT_SYMMETRY) && o->symmetry,
                                   .self_check = o->self_check,
                                   .checkpoint = o->checkpoint,
                                   .disk = o->disk,
                                   .is_compact = options_has(o, OPT_COMPACT),
                                   .engine = o->engine,
                                   .counts_idle = o->counts_idle,
                                   .stores_all = o->stores_all,
                                   .order = o->order,
                                   .finds_fastest = options_has(o, OPT_FASTEST),
                                   .limit_states = o->limit_states,
                                   .limit_depth = o->limit_depth,
                                   .limit_bytes = o->limit_bytes,
                                   .share_least = o->divide_from,
                                   .limits = s->limits,
                                   .line = session_line(s)};
}

void watch_end(watch *w) {
    progress_free(w->options.line);
    for (uint32_t i = 0; i < w->instances.len; i++) instance_free(w->instances.data[i]);
    vec_free(&w->instances);
}

instance *watch_keep(watch *w, instance *in) {
    if (in) vec_push(&w->instances, in);
    return in;
}

bool watch_next(watch *w, const char *title) {
    progress_clear(w->options.line);
    progress_title(w->options.line, title);
    session_phase(w->s, "exploring");
    return !limits_met(&w->s->limits);
}

bool watch_sizes(watch *w, sizes *z, bool (*one)(void *context), void *context) {
    bool ok;
    sizes_first(z);
    do ok = one(context);
    while (ok && sizes_next(z));
    progress_clear(w->options.line);
    return ok;
}
