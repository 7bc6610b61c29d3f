// SPDX-License-Identifier: Apache-2.0
// parvis check of timed automata: all queries on one zone graph where they can share it, one table of
// verdicts.
#include "cli/check.h"

#include "cli/launch.h"
#include "cli/certify/timed.h"
#include "cli/watch.h"
#include "report/object.h"
#include "report/picture.h"
#include "report/text.h"
#include "report/uppaal.h"
#include "result/doubt.h"
#include "result/zones.h"
#include "zone/timewalk.h"
#include "zone/zone.h"

#include <string.h>

bool timed_is_model(const loaded *l) { return l->nsystems && sys_of(l->m, l->systems[0])->timed; }

typedef VEC(prop) prop_list;

static bool timed_choose(session *s, const loaded *l, prop_list *out) {
    for (uint32_t i = 0; i < s->opt.properties.len; i++) {
        prop p;
        if (!load_find_property(s, l, s->opt.properties.data[i], &p)) return false;
        vec_push(out, p);
    }
    for (uint32_t i = 0; !s->opt.properties.len && i < l->nprops; i++) vec_push(out, l->props[i]);
    return true;
}

static bool is_page(const char *path) { return str_ends(path, ".html") || str_ends(path, ".htm"); }

static bool check_picture(session *s) {
    const char *path = s->opt.picture;
    if (!path || is_page(path) || str_ends(path, ".svg")) return true;
    return session_error(s, "a picture is a file .svg or .html, not '%s'", path);
}

// The clock by which runs are compared is not one of the model in a certificate.
static bool check_fastest(session *s) {
    return !options_has(&s->opt, OPT_FASTEST) || !s->opt.certificate ||
           session_error(s, "--certificate is about what holds, --fastest about runs: ask for one of them");
}

static bool write_picture(session *s, const result *r) {
    const char *path = s->opt.picture;
    const result_property *p = result_with_trace(r);
    if (!path || (!p && !is_page(path))) return true;
    str text = {0};
    if (is_page(path)) picture_page(r, s->file, &text);
    else picture_svg(p, &text);
    bool ok = session_write_file(s, path, &text);
    str_free(&text);
    return ok;
}

// As UPPAAL's XML if the file is called .xml, else as JSON.
static bool timed_write_trace(session *s, const result *r) {
    const result_property *p = result_with_trace(r);
    str text = {0}, why = {0};
    trace_zones zones = {0};
    if (!p || !s->opt.trace || !str_ends(s->opt.trace, ".xml")) return session_write_trace(s, p);
    bool ok = timewalk_zones(p->trace, &zones, &why);
    if (ok) uppaal_trace(p->trace, &zones, &text);
    else session_error(s, "the run cannot be written as a trace of UPPAAL: %s", str_get(&why));
    ok = ok && session_write_file(s, s->opt.trace, &text);
    vec_free(&zones.bounds);
    str_free(&text);
    str_free(&why);
    return ok;
}

static void say_nothing_asked(const result *r, const style *s, const text_options *how, str *out) {
    str_add(out, "no query is stated: looked for run-time errors only\n    ");
    text_stats(&r->stats, out);
    str_char(out, '\n');
    text_result(r, s, how, out);
}

static int timed_report(session *s, result *r, bool is_certified) {
    text_options how = session_text_options(s);
    int code = session_exit_code(r->verdict);
    str text = {0};
    if (session_wants_answer(s)) session_answer(s, object_result(r, session_detail(s)));
    if (session_is_json(s)) str_clear(&text);
    else if (r->properties.len) text_result(r, &s->style, &how, &text);
    else say_nothing_asked(r, &s->style, &how, &text);
    session_say_verdict(s, &text, code);
    bool is_traced = timed_write_trace(s, r), is_drawn = write_picture(s, r);
    return session_saved(s, is_traced && is_drawn && is_certified, code);
}

// False: something is wrong with the model. That the certificate could not be written takes nothing from the answer.
static bool timed_decide(session *s, const instance *in, const prop_list *props, const explore_options *o, result *r,
                         bool *is_certified) {
    timed_certificate *y = s->opt.certificate ? timed_certificate_new(s, in) : NULL;
    zone_run(in, props->data, props->len, o, y ? timed_certificate_keeper(y) : NULL, r);
    bool ok = !diag_failed(s->messages);
    bool is_doubted = options_has(&s->opt, OPT_STRICT) && doubt_be_strict(r);
    *is_certified = !y || timed_certificate_end(y, r, is_doubted);
    return ok;
}

// On several ranks all decide, and rank 0 reports.
static int timed_run(session *s, const loaded *l, const prop_list *props, const instance *in) {
    int code = s->launch.rank ? EXIT_HOLDS : EXIT_BAD_INPUT;
    watch w = {0};
    result *r = result_new();
    r->scope = result_text(r, "%s", "");
    watch_begin(&w, s);
    bool is_divided = s->ranks && !s->opt.certificate && zone_is_divisible(l->m, props->data, props->len, &w.options);
    bool takes_part = is_divided || launch_goes_alone(s, "what is asked of this timed model");
    session_show_messages(s);
    w.options.ranks = is_divided ? s->ranks : NULL;
    w.options.finds_doubts = true;
    watch_next(&w, sys_of(l->m, l->systems[0])->name);
    bool is_certified, ok = takes_part && timed_decide(s, in, props, &w.options, r, &is_certified);
    watch_end(&w);
    if (ok && !s->launch.rank) code = timed_report(s, r, is_certified);
    result_free(r);
    return code;
}

int timed_check(session *s, const loaded *l) {
    prop_list props = {0};
    int code = s->launch.rank ? EXIT_HOLDS : EXIT_BAD_INPUT;
    instance *in = check_picture(s) && check_fastest(s) && timed_choose(s, l, &props)
                       ? instance_new(l->m, l->systems[0], NULL, 0)
                       : NULL;
    if (in) code = timed_run(s, l, &props, in);
    instance_free(in);
    vec_free(&props);
    return code;
}
