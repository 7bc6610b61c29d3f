// SPDX-License-Identifier: Apache-2.0
// parvis check --structural: explores the system at the chosen size, with one thread fewer and with one location
// fewer, checks the premises and says what follows from them. Never says "for all sizes" itself: it names the
// premises.
#include "cli/check.h"

#include "cli/load.h"
#include "cli/sizes.h"
#include "cli/watch.h"
#include "language/compare.h"
#include "language/structural.h"
#include "model/overlay.h"
#include "report/object.h"
#include "report/text.h"

enum { LONGEST_UNLESS_SAID = 6 };

typedef struct {
    session *s;
    loaded file;
    sys system;
    model *own;  // on top of the file's: the system with aborts at any time
    sizes sizes;
    watch watch;
    structural_input input;
    verdict serializability, opacity;
    result *two;  // specifications, for two threads and two locations
    result *found;
} checking;

// The sizes as chosen, except those of some sorts.
static instance *with_sizes(checking *c, model *m, sys system, const sort_size *other, uint32_t n) {
    sizes changed = {0};
    for (uint32_t i = 0; i < c->sizes.sorts.len; i++) {
        vec_push(&changed.sorts, c->sizes.sorts.data[i]);
        for (uint32_t k = 0; k < n; k++)
            if (type_same(other[k].sort, vec_last(&changed.sorts).sort)) vec_last(&changed.sorts).now = other[k].size;
    }
    instance *in = watch_keep(&c->watch, sizes_instance(&changed, m, system));
    sizes_free(&changed);
    return in;
}

// One element of a sort fewer; NULL: it has only one, or no other size.
static instance *smaller(checking *c, type sort) {
    uint32_t n = instance_type_size(c->input.in, sort);
    if (n < 2 || type_of(c->file.m, sort)->fixed_size) return NULL;
    return with_sizes(c, c->file.m, c->system, &(sort_size){sort, n - 1}, 1);
}

static bool structural_make_instances(checking *c) {
    type thread, location;
    if (sizes_is_range(&c->sizes)) return session_error(c->s, "--structural takes one size, no ranges");
    sizes_first(&c->sizes);
    c->input.in = with_sizes(c, c->file.m, c->system, NULL, 0);
    if (c->input.in && structural_sorts(c->file.m, c->system, &thread, &location)) {
        c->input.fewer_threads = smaller(c, thread);
        c->input.fewer_locations = smaller(c, location);
    }
    return c->input.in && !diag_failed(c->s->messages);
}

// ---- two threads and two locations

// Two of each, the other sorts as chosen.
static instance *two_by_two(checking *c, sys system) {
    sort_size two[2] = {{.size = 2}, {.size = 2}};
    bool is_tm = structural_sorts(c->file.m, c->system, &two[0].sort, &two[1].sort);
    return with_sizes(c, c->own, system, two, is_tm ? 2 : 0);
}

// What the premises carry over: the specifications that the file names, with aborts at any time.
static void check_specifications(checking *c, sys freed) {
    compare_stats stats[2];
    for (uint32_t i = 0; i < c->file.nprops; i++) {
        const prop_info *p = prop_of(c->file.m, c->file.props[i]);
        if (p->kind != PROP_REFINES || p->system.id != c->system.id) continue;
        instance *left = two_by_two(c, freed), *right = two_by_two(c, p->spec);
        if (left && right) compare_run(left, right, COMPARE_INCLUSION, &c->watch.options, c->two, stats, NULL);
    }
}

static void structural_decide(checking *c) {
    c->input.longest = c->s->opt.longest ? c->s->opt.longest : LONGEST_UNLESS_SAID;
    c->found = result_new();
    sizes_add(&c->sizes, c->found);
    watch_next(&c->watch, "structural premises");
    c->serializability = structural_run(&c->input, false, &c->watch.options, c->found);
    c->own = overlay_new(c->file.m);
    structural_input freed = structural_freed(c->own, &c->input);
    watch_keep(&c->watch, (instance *)freed.in);
    watch_keep(&c->watch, (instance *)freed.fewer_threads);
    watch_keep(&c->watch, (instance *)freed.fewer_locations);
    c->opacity = structural_run(&freed, true, &c->watch.options, c->found);
    c->two = result_new();
    c->two->scope = result_text(c->two, "two threads and two locations");
    check_specifications(c, freed.in->system);
}

// ---- reporting

static void say_summary(const checking *c, const char *what, verdict v, str *out) {
    const char *name = sys_of(c->file.m, c->system)->name;
    if (v == VERDICT_HOLDS)
        str_printf(out,
                   "%s: if %s has these premises for every size, as it has for %s,\n"
                   "    then it is right for every size if it is for two threads and two locations.\n",
                   what, name, c->found->scope);
    else
        str_printf(out, "%s: the reduction does not apply: a premise %s.\n", what,
                   v == VERDICT_VIOLATED ? "fails" : "is not decided");
}

static void structural_say(checking *c, int code) {
    text_options how = session_text_options(c->s);
    str text = {0};
    text_result(c->found, &c->s->style, &how, &text);
    text_result(c->two, &c->s->style, &how, &text);
    say_summary(c, "strict serializability", c->serializability, &text);
    say_summary(c, "opacity", c->opacity, &text);
    session_say_verdict(c->s, &text, code);
}

static void structural_answer(checking *c) {
    session_answer(c->s, object_result(c->found, session_detail(c->s)));
    json_t *two = object_result(c->two, session_detail(c->s));
    session_answer(c->s, json_pack("{s:o}", "two", two));
    session_answer(c->s,
                   json_pack("{s:o, s:{s:s, s:s}}", "sizes", sizes_object(&c->sizes), "premises", "serializability",
                             verdict_text(c->serializability), "opacity", verdict_text(c->opacity)));
}

static int structural_report(checking *c) {
    int code = session_exit_code(verdict_join(c->found->verdict, c->two->verdict));
    if (session_wants_answer(c->s)) structural_answer(c);
    if (!session_is_json(c->s)) structural_say(c, code);
    return code;
}

static void structural_end(checking *c) {
    result_free(c->found);
    result_free(c->two);
    watch_end(&c->watch);
    model_free(c->own);
    sizes_free(&c->sizes);
}

int structural_check(session *s) {
    checking c = {.s = s};
    watch_begin(&c.watch, s);
    bool good = load_file(s, s->file, &c.file) && load_main_system(s, &c.file, &c.system) &&
                sizes_choose(s, c.file.m, &c.system, 1, &c.sizes) && structural_make_instances(&c);
    if (good) {
        session_show_messages(s);
        structural_decide(&c);
    }
    int code = good && !diag_failed(s->messages) ? structural_report(&c) : EXIT_BAD_INPUT;
    structural_end(&c);
    return code;
}
