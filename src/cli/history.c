// SPDX-License-Identifier: Apache-2.0
// parvis check of histories by their recorded order of commits (--spec): reads the history and the set of admissible
// interchanges, decides, reports.
#include "cli/check.h"

#include "front/ix/ix.h"
#include "history/event.h"
#include "history/history.h"
#include "history/interchange.h"
#include "history/serialize.h"
#include "report/object.h"

#include <errno.h>
#include <string.h>

enum {
    MOST_SEQUENCES = 1000000,   // derived, unless --limit-states says otherwise
    MOST_SWAPS_SHOWN = 50,      // as text
    MOST_SWAPS_LISTED = 10000,  // as JSON
    MOST_EVENTS_SHOWN = 200,
};

typedef struct {
    session *s;
    history h;
    interchange x;
    history_counts counts;
    history_answer well_formed, atomic;
    serialization serial;
} asking;

bool history_is_file(const char *path) { return str_ends(path, ".hist") || str_ends(path, ".json"); }

// ---- reading

static bool read_history(asking *a) {
    size_t size;
    const char *path = a->s->file;
    char *text = str_read_file(path, &size);
    if (!text) return session_error(a->s, "cannot read '%s': %s", path, strerror(errno));
    // Messages are printed at the end of the session and quote the text.
    const char *kept = arena_copy(a->s->opt.memory, text, size + 1);
    free(text);
    session_phase(a->s, "reading the history");
    return str_ends(path, ".json") ? history_read_json(&a->h, a->s->messages, path, kept, size)
                                   : history_read_text(&a->h, a->s->messages, path, kept, size);
}

// ---- text

static verdict verdict_of(serialize_verdict v) {
    return v == SERIALIZE_HOLDS ? VERDICT_HOLDS : v == SERIALIZE_VIOLATED ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
}

static void say_line(const asking *a, const char *name, verdict v, const char *after, str *out) {
    style_verdict(&a->s->style, name, text_verdict_role(v), verdict_text(v), out);
    str_printf(out, "%s\n", after);
}

static void say_why(const asking *a, const str *why, str *out) {
    style_detail(&a->s->style, ROLE_PLAIN, str_get(why), out);
}

static void say_counts(const asking *a, str *out) {
    const history_counts *c = &a->counts;
    str_printf(out, "    %s events of %s clients", str_count(a->h.events.len), str_count(map_count(a->h.clients)));
    str_printf(out, ": %s transactions committed, %s aborted, %s unfinished; %s accesses outside\n",
               str_count(c->committed), str_count(c->aborted), str_count(c->unfinished), str_count(c->outside));
}

static void say_sequence(const asking *a, str *out) {
    style_flow flow;
    uint32_t n = a->serial.sequence.len, shown = n < MOST_EVENTS_SHOWN ? n : MOST_EVENTS_SHOWN;
    str_add(out, "    atomic sequence ");
    style_flow_begin(&flow, &a->s->style, out, 8, 20);
    for (uint32_t i = 0; i < shown; i++) {
        str word = {0};
        history_event_text(&a->h, &a->serial.sequence.data[i].e, &word);
        style_flow_word(&flow, ROLE_PLAIN, str_get(&word));
        str_free(&word);
    }
    if (shown < n) str_printf(out, " and %s events more", str_count(n - shown));
    str_char(out, '\n');
}

// The swaps are replayed from the purified sequence, so that each is shown with its events.
static void say_swaps(const asking *a, str *out) {
    purified p;
    str_printf(out, "    interchanges    %s\n", str_count(a->serial.nswaps));
    if (a->serial.nswaps > MOST_SWAPS_SHOWN || a->serial.nswaps > a->serial.swaps.len) return;
    history_purify(&a->h, &p);
    for (uint32_t k = 0; k < a->serial.swaps.len; k++) {
        pure_event *e = &p.events.data[a->serial.swaps.data[k]], moved = e[0];
        str_printf(out, "      %3u. ", k + 1);
        history_event_text(&a->h, &moved.e, out);
        str_add(out, " before ");
        history_event_text(&a->h, &e[-1].e, out);
        str_char(out, '\n');
        e[0] = e[-1];
        e[-1] = moved;
    }
    vec_free(&p.events);
}

static void say_serial(const asking *a, str *out) {
    str after = {0};
    str_printf(&after, " with respect to %s", a->x.name);
    say_line(a, "by recorded commit order", verdict_of(a->serial.verdict), str_get(&after), out);
    str_free(&after);
    if (options_has(&a->s->opt, OPT_QUIET)) return;
    if (a->serial.verdict != SERIALIZE_HOLDS) say_why(a, &a->serial.why, out);
    if (!a->serial.by_pairs) str_printf(out, "    %s sequences derived\n", str_count(a->serial.sequences));
    if (a->serial.verdict != SERIALIZE_HOLDS) return;
    say_sequence(a, out);
    say_swaps(a, out);
}

static void history_say(asking *a, str *out) {
    bool quiet = options_has(&a->s->opt, OPT_QUIET);
    say_line(a, "well_formed", a->well_formed.holds ? VERDICT_HOLDS : VERDICT_VIOLATED, "", out);
    if (!a->well_formed.holds) {
        say_why(a, &a->well_formed.why, out);
        return;
    }
    if (!quiet) say_counts(a, out);
    str_printf(out, "atomic: %s\n", a->atomic.holds ? "yes" : "no");
    if (!a->atomic.holds && !quiet) say_why(a, &a->atomic.why, out);
    say_serial(a, out);
}

// ---- JSON

static json_t *event_object(const asking *a, const event *e) {
    str text = {0};
    history_event_text(&a->h, e, &text);
    return object_take(&text);
}

static json_t *sequence_object(const asking *a) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < a->serial.sequence.len; i++)
        json_array_append_new(list, event_object(a, &a->serial.sequence.data[i].e));
    return list;
}

static json_t *swaps_object(const asking *a) {
    json_t *list = json_array();
    if (a->serial.nswaps > a->serial.swaps.len) return json_decref(list), json_null();
    for (uint32_t i = 0; i < a->serial.swaps.len; i++)
        json_array_append_new(list, json_integer(a->serial.swaps.data[i]));
    return list;
}

static verdict joint_verdict(const asking *a) {
    return a->well_formed.holds ? verdict_of(a->serial.verdict) : VERDICT_VIOLATED;
}

static json_t *answer_object(const asking *a) {
    const serialization *r = &a->serial;
    bool asked = a->well_formed.holds;
    json_t *o = json_pack("{s:s, s:s, s:b, s:I, s:I, s:o}", "verdict", verdict_text(joint_verdict(a)), "specification",
                          a->x.name, "well_formed", asked, "events", (json_int_t)a->h.events.len, "clients",
                          (json_int_t)map_count(a->h.clients), "reason",
                          object_string_or_null(asked ? r->why.text : a->well_formed.why.text));
    if (!asked) return o;
    json_object_set_new(o, "atomic", json_boolean(a->atomic.holds));
    json_object_set_new(o, "not_atomic_because", object_string_or_null(a->atomic.why.text));
    json_object_set_new(o, "by_recorded_commit_order", json_string(verdict_text(joint_verdict(a))));
    if (!r->by_pairs) json_object_set_new(o, "sequences_derived", json_integer((json_int_t)r->sequences));
    if (r->verdict != SERIALIZE_HOLDS) return o;
    json_object_set_new(o, "sequence", sequence_object(a));
    json_object_set_new(o, "interchange_count", json_integer((json_int_t)r->nswaps));
    json_object_set_new(o, "interchanges", swaps_object(a));
    return o;
}

// ---- all of it

static void history_decide(asking *a) {
    session_phase(a->s, "looking at the history");
    const options *o = &a->s->opt;
    a->well_formed = history_is_well_formed(&a->h, a->s->messages, &a->counts);
    if (!a->well_formed.holds) return;
    a->atomic = history_is_atomic(&a->h, a->s->messages);
    serialize_limits allowed = {.most_sequences = o->limit_states ? o->limit_states : MOST_SEQUENCES,
                                .limits = a->s->limits,
                                .most_swaps = session_is_json(a->s) ? MOST_SWAPS_LISTED : MOST_SWAPS_SHOWN};
    serialize(&a->h, a->s->messages, &a->x, &allowed, &a->serial);
}

static int history_report(asking *a) {
    int code = session_exit_code(joint_verdict(a));
    str text = {0};
    if (session_wants_answer(a->s)) session_answer(a->s, answer_object(a));
    if (!session_is_json(a->s)) history_say(a, &text);
    session_say_verdict(a->s, &text, code);
    return code;
}

static void history_end(asking *a) {
    str_free(&a->well_formed.why);
    str_free(&a->atomic.why);
    serialization_free(&a->serial);
    history_free(&a->h);
}

int history_check(session *s) {
    asking a = {.s = s};
    int code = EXIT_BAD_INPUT;
    history_begin(&a.h);
    interchange_begin(&a.x, s->opt.memory);
    if (read_history(&a) && ix_load(&a.x, s->messages, s->opt.spec)) {
        history_decide(&a);
        code = history_report(&a);
    }
    history_end(&a);
    interchange_free(&a.x);
    return code;
}
