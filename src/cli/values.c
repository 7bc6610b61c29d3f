// SPDX-License-Identifier: Apache-2.0
// parvis check --values: tries whether words without values hide a torn or a stale read. Nothing is proved here: what
// is not found after all runs stays unknown.
#include "cli/check.h"
#include "cli/load.h"
#include "cli/sizes.h"
#include "language/placement.h"
#include "cli/watch.h"
#include "history/level.h"
#include "report/object.h"
#include "report/text.h"

enum { RUNS = 1500, SEED = 15 };

typedef struct {
    session *s;
    loaded file;
    sys system;
    sizes sizes;
    watch watch;
    instance *in;
    level level;
    result *found;
} valuing;

static bool values_find_level(valuing *c) {
    c->level = LEVEL_OPAQUE;
    if (!c->s->opt.levels.len) return true;
    if (c->s->opt.levels.len > 1) return session_error(c->s, "--values takes one level");
    bool is_known = level_find(c->s->opt.levels.data[0], &c->level) && !level_is_weak(c->level);
    return is_known ||
           session_error(
               c->s, "--values is for the levels opaque, strict, session, serializable, strong_si, session_si and si");
}

static bool values_make_instance(valuing *c) {
    if (sizes_is_range(&c->sizes)) return session_error(c->s, "--values takes one size, no ranges");
    sizes_first(&c->sizes);
    c->in = watch_keep(&c->watch, sizes_instance(&c->sizes, c->file.m, c->system));
    if (!c->in) return false;
    return placement_suits(c->in) ||
           session_error(c->s,
                         "--values is for memories with actions read(t, v), write(t, v) and commit(t): '%s' has others",
                         sys_of(c->file.m, c->system)->name);
}

static void values_add(valuing *c, placement_way way, const placement_found *f) {
    result *r = c->found;
    result_property p = {.name = placement_way_text(way), .verdict = f->wrong ? VERDICT_VIOLATED : VERDICT_UNKNOWN};
    const char *unit = f->runs == 1 ? "run" : "runs";
    if (f->trouble) p.reason = result_text(r, "%s", f->trouble);
    else if (f->wrong) p.reason = result_text(r, "not %s:%s", level_name(c->level), str_get(&f->word));
    else if (f->is_stopped)
        p.reason = result_text(r, "stopped at a limit; no wrong read in %s random %s", str_count(f->runs), unit);
    else p.reason = result_text(r, "no wrong read in %s random %s", str_count(f->runs), unit);
    result_add(r, p);
}

static void values_try(valuing *c) {
    c->found = result_new();
    sizes_add(&c->sizes, c->found);
    for (uint32_t way = 0; way < PLACED_WAYS; way++) {
        placement_found f;
        watch_next(&c->watch, placement_way_text((placement_way)way));
        placement_try(c->in, (placement_way)way, c->level, RUNS, SEED, &c->s->limits, &f);
        values_add(c, (placement_way)way, &f);
        str_free(&f.word);
    }
}

static void values_say(valuing *c, int code) {
    text_options how = session_text_options(c->s);
    str text = {0};
    sizes_say_origin(&c->sizes, c->s, &text);
    text_result(c->found, &c->s->style, &how, &text);
    session_say_verdict(c->s, &text, code);
}

static int values_report(valuing *c) {
    int code = session_exit_code(c->found->verdict);
    if (session_wants_answer(c->s)) {
        session_answer(c->s, object_result(c->found, session_detail(c->s)));
        session_answer(c->s, json_pack("{s:o, s:o}", "sizes", sizes_object(&c->sizes), "sizes_from",
                                       sizes_origin_object(&c->sizes)));
    }
    if (session_is_json(c->s)) session_say_verdict(c->s, NULL, code);
    else values_say(c, code);
    return code;
}

int values_check(session *s) {
    valuing c = {.s = s};
    watch_begin(&c.watch, s);
    bool good = load_file(s, s->file, &c.file) && values_find_level(&c) && load_main_system(s, &c.file, &c.system) &&
                sizes_choose(s, c.file.m, &c.system, 1, &c.sizes) && values_make_instance(&c);
    if (good) {
        session_show_messages(s);
        values_try(&c);
    }
    int code = good && !diag_failed(s->messages) ? values_report(&c) : EXIT_BAD_INPUT;
    result_free(c.found);
    watch_end(&c.watch);
    sizes_free(&c.sizes);
    return code;
}
