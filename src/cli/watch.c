// SPDX-License-Identifier: Apache-2.0
// Explorations that the user watches: see watch.h. One time limit covers the whole command.
#include "cli/watch.h"

#include <sys/ioctl.h>
#include <unistd.h>

static void show(const explore_progress *p, void *context) {
    watch *w = context;
    progress_show(w->line, &(progress_figures){.states = p->states,
                                               .frontier = p->frontier,
                                               .memory_bytes = p->memory_bytes,
                                               .depth = p->depth,
                                               .rate = p->rate,
                                               .seconds = p->seconds,
                                               .rest_seconds = p->rest_seconds});
}

static unsigned error_columns(void) {
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

void watch_begin(watch *w, session *s) {
    const options *o = &s->opt;
    *w = (watch){.s = s, .line = progress_new(s->is_live ? stderr : NULL, error_columns())};
    w->options = (explore_options){.threads = o->threads,
                                   .symmetry = o->symmetry,
                                   .needs_symmetry = options_has(o, OPT_SYMMETRY) && o->symmetry,
                                   .self_check = o->self_check,
                                   .checkpoint = o->checkpoint,
                                   .is_compact = options_has(o, OPT_COMPACT),
                                   .engine = o->engine,
                                   .counts_idle = o->counts_idle,
                                   .stores_all = o->stores_all,
                                   .limit_states = o->limit_states,
                                   .limit_bytes = o->limit_bytes,
                                   .limits = s->limits};
    if (s->is_live) {
        w->options.progress = show;
        w->options.progress_context = w;
    }
}

void watch_end(watch *w) { progress_free(w->line); }

bool watch_next(watch *w, const char *title, const char **reason) {
    progress_clear(w->line);
    progress_title(w->line, title);
    session_phase(w->s, "exploring");
    *reason = limits_why(&w->s->limits);
    return !limits_met(&w->s->limits);
}
