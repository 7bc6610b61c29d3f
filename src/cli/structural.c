// SPDX-License-Identifier: Apache-2.0
// parvis check --structural: explores the system at the chosen size, with one thread fewer and with one location
// fewer, checks the premises and says what follows from them. Never says "for all sizes" itself: it names the
// premises.
#include "cli/structural.h"

#include "cli/load.h"
#include "cli/sizes.h"
#include "cli/watch.h"
#include "language/compare.h"
#include "language/structural.h"
#include "report/object.h"
#include "report/text.h"

enum { LONGEST_UNLESS_SAID = 6 };

typedef struct {
    session *s;
    loaded file;
    sys system;
    sizes sizes;
    watch watch;
    instance *whole, *fewer_threads, *fewer_locations;
    instance *freed[3];  // the same with aborts at any time
    verdict serializability, opacity;
    VEC(instance *) instances;
    result *two;  // specifications, for two threads and two locations
    result *found;
} checking;

// The same sizes with one element of a sort fewer; NULL: it has only one.
static instance *smaller(const checking *c, type sort) {
    VEC(sort_size) list = {0};
    bool is_possible = true;
    for (uint32_t i = 0; i < c->sizes.sorts.len; i++) {
        const chosen_size *z = &c->sizes.sorts.data[i];
        bool is_meant = type_same(z->sort, sort);
        vec_push(&list, (sort_size){z->sort, z->now - is_meant});
        is_possible &= z->now > is_meant && !(is_meant && type_of(c->file.m, sort)->fixed_size);
    }
    instance *in = is_possible ? instance_new(c->file.m, c->system, list.data, list.len) : NULL;
    vec_free(&list);
    return in;
}

static bool structural_make_instances(checking *c) {
    type thread, location;
    if (sizes_is_range(&c->sizes)) {
        diag_error(c->s->messages, (span){0}, "--structural takes one size, no ranges");
        return false;
    }
    sizes_first(&c->sizes);
    c->whole = sizes_instance(&c->sizes, c->file.m, c->system);
    if (c->whole && structural_sorts(c->file.m, c->system, &thread, &location)) {
        c->fewer_threads = smaller(c, thread);
        c->fewer_locations = smaller(c, location);
    }
    return c->whole && !diag_failed(c->s->messages);
}

// ---- two threads and two locations

// Two of each, the other sorts as chosen.
static instance *two_by_two(checking *c, sys system) {
    type thread, location;
    VEC(sort_size) list = {0};
    bool is_tm = structural_sorts(c->file.m, c->system, &thread, &location);
    for (uint32_t i = 0; i < c->sizes.sorts.len; i++) {
        type t = c->sizes.sorts.data[i].sort;
        bool is_two = is_tm && (type_same(t, thread) || type_same(t, location));
        vec_push(&list, (sort_size){t, is_two ? 2 : c->sizes.sorts.data[i].now});
    }
    instance *in = instance_new(c->file.m, system, list.data, list.len);
    vec_free(&list);
    if (in) vec_push(&c->instances, in);
    return in;
}

// What the premises carry over: the specifications that the file names, with aborts at any time.
static void check_specifications(checking *c, sys freed) {
    compare_stats stats[2];
    for (uint32_t i = 0; i < c->file.nprops; i++) {
        const prop_info *p = prop_of(c->file.m, c->file.props[i]);
        if (p->kind != PROP_REFINES || p->system.id != c->system.id) continue;
        sys spec = p->spec;
        instance *left = two_by_two(c, freed), *right = two_by_two(c, spec);
        if (left && right) compare_run(left, right, COMPARE_INCLUSION, &c->watch.options, c->two, stats, NULL);
    }
}

static void structural_check(checking *c) {
    const char *reason;
    str scope = {0};
    uint32_t longest = c->s->opt.longest ? c->s->opt.longest : LONGEST_UNLESS_SAID;
    structural_input input = {c->whole, c->fewer_threads, c->fewer_locations, longest};
    c->found = result_new();
    sizes_text(&c->sizes, &scope);
    c->found->scope = result_text(c->found, "%s", str_get(&scope));
    str_free(&scope);
    watch_begin(&c->watch, c->s);
    watch_next(&c->watch, "structural premises", &reason);
    c->serializability = structural_run(&input, false, &c->watch.options, c->found);
    structural_input freed = structural_freed(&input);
    c->freed[0] = (instance *)freed.in;
    c->freed[1] = (instance *)freed.fewer_threads;
    c->freed[2] = (instance *)freed.fewer_locations;
    c->opacity = structural_run(&freed, true, &c->watch.options, c->found);
    c->two = result_new();
    c->two->scope = result_text(c->two, "two threads and two locations");
    check_specifications(c, freed.in->system);
    watch_end(&c->watch);
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
    text_options how = {.quiet = options_has(&c->s->opt, OPT_QUIET),
                        .full_states = options_has(&c->s->opt, OPT_FULL_STATES)};
    str text = {0};
    text_result(c->found, &c->s->style, &how, &text);
    text_result(c->two, &c->s->style, &how, &text);
    say_summary(c, "strict serializability", c->serializability, &text);
    say_summary(c, "opacity", c->opacity, &text);
    session_say_verdict(c->s, &text, code);
    str_free(&text);
}

static void structural_answer(checking *c) {
    session_answer(c->s, object_result(c->found, options_has(&c->s->opt, OPT_FULL_STATES)));
    json_t *two = object_result(c->two, options_has(&c->s->opt, OPT_FULL_STATES));
    session_answer(c->s, json_pack("{s:o}", "two", two));
    session_answer(c->s,
                   json_pack("{s:o, s:{s:s, s:s}}", "sizes", sizes_object(&c->sizes), "premises", "serializability",
                             verdict_text(c->serializability), "opacity", verdict_text(c->opacity)));
}

static int structural_report(checking *c) {
    int code = session_exit_code(verdict_join(c->found->verdict, c->two->verdict));
    if (session_is_json(c->s)) structural_answer(c);
    else structural_say(c, code);
    return code;
}

static void structural_end(checking *c) {
    result_free(c->found);
    result_free(c->two);
    for (uint32_t i = 0; i < c->instances.len; i++) instance_free(c->instances.data[i]);
    vec_free(&c->instances);
    instance_free(c->whole);
    instance_free(c->fewer_threads);
    instance_free(c->fewer_locations);
    for (uint32_t i = 0; i < 3; i++) instance_free(c->freed[i]);
    sizes_free(&c->sizes);
}

int structural_command(session *s) {
    checking c = {.s = s};
    bool good = load_file(s, s->file, &c.file) && load_main_system(s, &c.file, &c.system) &&
                sizes_choose(s, c.file.m, &c.system, 1, &c.sizes) && structural_make_instances(&c);
    if (good) {
        session_show_messages(s);
        structural_check(&c);
    }
    int code = good && !diag_failed(s->messages) ? structural_report(&c) : EXIT_BAD_INPUT;
    structural_end(&c);
    return code;
}
