// SPDX-License-Identifier: Apache-2.0
// The live line: carriage return, text, erase to the end of the line. A line never wraps: it is made to fit the
// terminal's width, the title first, since a wrapped line could not be redrawn in place.
#include "base/progress.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"

#include <stdlib.h>

struct progress {
    FILE *terminal;
    unsigned columns;
    bool is_drawn;
    progress_limits most;
    str title, line;
};

progress *progress_new(FILE *terminal, unsigned columns) {
    progress *p = mem_zero(1, sizeof *p);
    p->terminal = terminal;
    p->columns = columns;
    return p;
}

void progress_free(progress *p) {
    if (!p) return;
    progress_clear(p);
    str_free(&p->title);
    str_free(&p->line);
    free(p);
}

void progress_limit(progress *p, const progress_limits *most) { p->most = *most; }

bool progress_is_live(const progress *p) { return p && p->terminal; }

void progress_title(progress *p, const char *title) {
    str_clear(&p->title);
    if (title) str_printf(&p->title, "%s: ", title);
}

static void progress_put_count(const char *what, uint64_t n, str *out) {
    if (n) str_printf(out, "  %s %s", str_count(n), what);
}

static void put_number(const char *what, uint32_t n, str *out) {
    if (n) str_printf(out, "  %s %u", what, n);
}

static void proof_figures_text(const progress_figures *f, str *out) {
    str_add(out, f->phase);
    progress_put_count("states", f->states, out);
    progress_put_count("kept", f->kept, out);
    progress_put_count("candidates", f->candidates, out);
    progress_put_count("lemmas", f->lemmas, out);
    progress_put_count("dropped", f->dropped, out);
    put_number("round", f->round, out);
    progress_put_count("queries", f->queries, out);
    put_number("schema", f->level, out);
}

static void exploration_text(const progress_figures *f, str *out) {
    units_count_text((double)f->states, out);
    str_add(out, " states  ");
    units_count_text(f->rate, out);
    str_add(out, "/s  frontier ");
    units_count_text((double)f->frontier, out);
    str_printf(out, "  depth %u  ", f->depth);
    units_bytes_text(f->memory_bytes, out);
    str_add(out, "  ");
    units_seconds_text(f->seconds, out);
    if (f->rest_seconds < 0) return;
    str_add(out, ", about ");
    units_seconds_text(f->rest_seconds, out);
    str_add(out, " more");
}

void progress_text(const progress_figures *f, str *out) {
    if (f->phase) proof_figures_text(f, out);
    else exploration_text(f, out);
}

// Cuts UTF-8 text to a number of columns.
static void progress_cut(str *s, unsigned columns) {
    size_t i = 0;
    for (unsigned n = 0; i < s->len; i++) {
        if (((unsigned char)s->text[i] & 0xC0) == 0x80) continue;
        if (n++ == columns) break;
    }
    if (i < s->len) s->text[s->len = i] = '\0';
}

// ---- shares of limits

static void put_share(const char *what, double used, double most, str *out) {
    if (most <= 0 || used < 0) return;
    double share = 100 * used / most;
    str_printf(out, "  %s %.0f %%", what, share < 100 ? share : 100);
}

static void put_shares(const progress *p, const progress_figures *f, str *out) {
    const progress_limits *l = &p->most;
    if (l->until > 0) put_share("time", clock_seconds() - l->started, l->until - l->started, out);
    put_share("processor time", clock_cpu_seconds() + clock_children_seconds(), l->cpu_seconds, out);
    if (f && f->memory_bytes) put_share("memory", (double)f->memory_bytes, (double)l->bytes, out);
    if (f && f->states) put_share("states", (double)f->states, (double)l->states, out);
}

// ---- the line

static bool progress_fits(const progress *p, const str *text, const str *shares) {
    size_t columns = str_columns(str_get(&p->title)) + str_columns(str_get(text)) + str_columns(str_get(shares));
    return p->columns < 2 || columns < p->columns;
}

// Figures stand apart by two blanks. False: there is only one.
static bool drop_last_figure(str *line) {
    for (size_t i = line->len; i-- > 1;)
        if (line->text[i] == ' ' && line->text[i - 1] == ' ') {
            line->text[line->len = i - 1] = '\0';
            return true;
        }
    return false;
}

// Less of the figures, so that the shares are seen too.
static void shorten_figures(const progress *p, const progress_figures *f, str *text, const str *shares) {
    if (!f->phase) {
        str_clear(text);
        units_count_text((double)f->states, text);
        str_printf(text, " states  depth %u", f->depth);
    }
    while (!progress_fits(p, text, shares) && f->phase && drop_last_figure(text)) {}
}

// Figures are worth more than the name of what is done: it is cut first, down to a few letters.
static void put_title(const progress *p, size_t figures, str *out) {
    enum { LEAST = 10 };
    size_t whole = str_columns(str_get(&p->title)), room = p->columns - 1 > figures ? p->columns - 1 - figures : 0;
    str_add(out, str_get(&p->title));
    if (p->columns < 2 || whole <= room || whole <= LEAST) return;
    progress_cut(out, (unsigned)(room > LEAST ? room : LEAST) - 3);
    str_add(out, "…: ");
}

// Cut to the width, and no figure in its middle.
static void cut_line(str *line, unsigned columns) {
    if (str_columns(str_get(line)) <= columns) return;
    progress_cut(line, columns);
    drop_last_figure(line);
}

static void progress_draw(progress *p, const char *text, const char *shares) {
    str_clear(&p->line);
    put_title(p, str_columns(text) + str_columns(shares), &p->line);
    str_printf(&p->line, "%s%s", text, shares);
    if (p->columns > 1) cut_line(&p->line, p->columns - 1);
    fprintf(p->terminal, "\r%s\033[K", str_get(&p->line));
    fflush(p->terminal);
    p->is_drawn = true;
}

void progress_show(progress *p, const progress_figures *figures) {
    if (!progress_is_live(p)) return;
    str text = {0}, shares = {0};
    progress_text(figures, &text);
    put_shares(p, figures, &shares);
    if (shares.len && !progress_fits(p, &text, &shares)) shorten_figures(p, figures, &text, &shares);
    progress_draw(p, str_get(&text), str_get(&shares));
    str_free(&text);
    str_free(&shares);
}

void progress_note(progress *p, const char *text) {
    if (!progress_is_live(p)) return;
    str shares = {0};
    put_shares(p, NULL, &shares);
    progress_draw(p, text, str_get(&shares));
    str_free(&shares);
}

void progress_clear(progress *p) {
    if (!p->is_drawn) return;
    fputs("\r\033[K", p->terminal);
    fflush(p->terminal);
    p->is_drawn = false;
}
