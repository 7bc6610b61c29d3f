// SPDX-License-Identifier: Apache-2.0
// Certificates of levels: the history as .hist text, and for every level that holds the order that shows it, which
// `recheck` replays with the small interpreter (history/replay.h). Nothing of the checker is needed for that.
#include "cli/levels/levels.h"

#include "history/replay.h"
#include "report/object.h"

#include <string.h>

enum { MOST_POINTS = 2000000000 };

// ---- writing

static void put_history(certfile_writer *w, const recorded *h) {
    str text = {0};
    text_add_head(h, &text);
    for (uint32_t t = 0; t < h->txs.len; t++) text_add_tx(h, t, &text);
    certfile_claim(w, json_pack("{s:s, s:I}", "claim", "history", "bytes", (json_int_t)text.len));
    certfile_put(w, str_get(&text), text.len);
    str_free(&text);
}

static void put_level(certfile_writer *w, const recorded *h, const level_answer *a) {
    certfile_claim(w, json_pack("{s:s, s:s, s:I}", "claim", "level", "level", level_name(a->level), "points",
                                (json_int_t)a->witness.norder));
    for (uint32_t i = 0; i < a->witness.norder; i++) certfile_put_number(w, a->witness.order[i]);
    certfile_put(w, a->witness.committed, h->txs.len);
    if (!level_is_weak(a->level)) return;
    for (uint32_t t = 0; t < h->txs.len; t++)
        for (uint32_t i = 0; i < h->txs.data[t].count; i++)
            certfile_put_number(w, a->witness.writers[h->txs.data[t].first + i]);
}

bool levels_write_certificate(const levels_run *r, const char *path) {
    uint32_t holds = 0;
    for (uint32_t l = 0; l < LEVEL_COUNT; l++) holds += r->of[l].is_asked && r->of[l].answer.verdict == ORDER_YES;
    if (!holds) return true;
    certfile_writer *w = certfile_create(path, certfile_header_new("history"), r->s->messages);
    put_history(w, r->h);
    for (uint32_t l = 0; l < LEVEL_COUNT; l++)
        if (r->of[l].is_asked && r->of[l].answer.verdict == ORDER_YES) put_level(w, r->h, &r->of[l].answer);
    return certfile_finish(w);
}

// ---- reading

static bool get_history(session *s, certfile *file, recorded *h) {
    const json_t *claim = certfile_next(file);
    uint64_t size;
    recorded_begin(h);
    if (!claim || !certfile_member(file, claim, "bytes", UINT32_MAX - 1, &size)) return false;
    str text = {0};
    char part[65536];
    for (uint64_t left = size; left; left -= left < sizeof part ? left : sizeof part) {
        size_t n = left < sizeof part ? (size_t)left : sizeof part;
        if (!certfile_get(file, part, n)) return str_free(&text), false;
        str_addn(&text, part, n);
    }
    str_addn(&text, "", 0);
    vec_push(&s->kept, text.text);
    recording *r = recording_begin(h, s->messages);
    bool good = text_read_recorded(r, &(format_source){"the history in the certificate", str_get(&text), text.len});
    return recording_end(r) && good;
}

static bool get_witness(certfile *file, const recorded *h, level l, uint64_t n, witness *w) {
    uint64_t number, most = (uint64_t)h->txs.len * 2;
    *w = (witness){.norder = (uint32_t)n};
    if (n > most) return certfile_complain(file, "the order of '%s' is too long", level_name(l)), false;
    w->order = mem_alloc((n + 1) * sizeof *w->order);
    w->committed = mem_zero((size_t)h->txs.len + 1, 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!certfile_get_number(file, most, &number)) return false;
        w->order[i] = (uint32_t)number;
    }
    if (!certfile_get(file, w->committed, h->txs.len)) return false;
    if (!level_is_weak(l)) return true;
    w->writers = mem_zero((size_t)h->op_key.len + 1, sizeof *w->writers);
    for (uint32_t t = 0; t < h->txs.len; t++)
        for (uint32_t i = 0; i < h->txs.data[t].count; i++) {
            if (!certfile_get_number(file, h->txs.len, &number)) return false;
            w->writers[h->txs.data[t].first + i] = (uint32_t)number;
        }
    return true;
}

typedef struct {
    session *s;
    certfile *file;
    const recorded *h;
    json_t *list;
    bool has_refused;
    uint32_t confirmed;
} level_recheck;

static void say_rechecked(level_recheck *x, level l, bool good, const str *why) {
    str text = {0};
    x->has_refused |= !good;
    x->confirmed += good;
    json_array_append_new(x->list, json_pack("{s:s, s:b, s:o}", "level", level_name(l), "confirmed", good, "reason",
                                             object_string_or_null(why->text)));
    style_verdict(&x->s->style, level_name(l), good ? ROLE_GOOD : ROLE_BAD, good ? "confirmed" : "refused", &text);
    if (!good) str_printf(&text, ": %s", str_get(why));
    str_char(&text, '\n');
    session_say(x->s, &text);
}

static bool recheck_level(level_recheck *x, const json_t *claim) {
    const char *name = certfile_string(x->file, claim, "level");
    uint64_t n;
    level l;
    if (!name || !certfile_member(x->file, claim, "points", MOST_POINTS, &n)) return false;
    if (!level_find(name, &l)) return certfile_complain(x->file, "there is no level '%s'", name), false;
    if (level_needs_times(l) && !x->h->has_times)
        return certfile_complain(x->file, "'%s' is about real time, and the history has no times", name), false;
    witness w;
    bool good = get_witness(x->file, x->h, l, n, &w);
    if (good) {
        str why = {0};
        bool is_confirmed = replay_witness(x->h, l, &w, &why);
        say_rechecked(x, l, is_confirmed, &why);
        str_free(&why);
    }
    witness_free(&w);
    return good;
}

// With files, the certificate must be about their history.
static bool is_history_of(session *s, const recorded *h) {
    sources from = {0};
    recorded other;
    if (s->opt.arguments.len < 3) return true;
    recorded_begin(&other);
    bool good = true;
    for (uint32_t i = 2; good && i < s->opt.arguments.len; i++)
        good = sources_add(&from, s->messages, s->opt.arguments.data[i]);
    if (good) recorded_free(&other);
    good = good && sources_load(&from, NULL, &other, s->messages);
    str a = {0}, b = {0};
    if (good) {
        text_add_head(h, &a);
        text_add_head(&other, &b);
        for (uint32_t t = 0; t < h->txs.len; t++) text_add_tx(h, t, &a);
        for (uint32_t t = 0; t < other.txs.len; t++) text_add_tx(&other, t, &b);
        if (!str_same(str_get(&a), str_get(&b))) good = session_error(s, "the certificate is about another history");
    }
    str_free(&a);
    str_free(&b);
    levels_keep_sources(s, &from);
    recorded_free(&other);
    return good;
}

int levels_recheck(session *s, certfile *file) {
    recorded h;
    level_recheck x = {.s = s, .file = file, .h = &h, .list = json_array()};
    bool good = get_history(s, file, &h) && is_history_of(s, &h);
    for (const json_t *claim; good && (claim = certfile_next(file));) good = recheck_level(&x, claim);
    good = good && !certfile_is_broken(file);
    if (good && !x.confirmed && !x.has_refused) certfile_complain(file, "there is no level in it"), good = false;
    session_answer(s, json_pack("{s:b, s:O}", "confirmed", good && !x.has_refused, "levels", x.list));
    json_decref(x.list);
    recorded_free(&h);
    return !good ? EXIT_BAD_INPUT : x.has_refused ? EXIT_VIOLATED : EXIT_HOLDS;
}
