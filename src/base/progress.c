// SPDX-License-Identifier: Apache-2.0
// The live line: carriage return, text, erase to the end of the line. A line never wraps: it is cut to the
// terminal's width, since a wrapped line could not be redrawn in place.
#include "base/progress.h"

#include "base/mem.h"
#include "base/units.h"

#include <stdlib.h>

struct progress {
    FILE *terminal;
    unsigned columns;
    bool is_drawn;
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

void progress_show(progress *p, const progress_figures *figures) {
    if (!progress_is_live(p)) return;
    str text = {0};
    progress_text(figures, &text);
    progress_note(p, str_get(&text));
    str_free(&text);
}

void progress_note(progress *p, const char *text) {
    if (!progress_is_live(p)) return;
    str_clear(&p->line);
    str_printf(&p->line, "%s%s", str_get(&p->title), text);
    if (p->columns > 1) progress_cut(&p->line, p->columns - 1);
    fprintf(p->terminal, "\r%s\033[K", str_get(&p->line));
    fflush(p->terminal);
    p->is_drawn = true;
}

void progress_clear(progress *p) {
    if (!p->is_drawn) return;
    fputs("\r\033[K", p->terminal);
    fflush(p->terminal);
    p->is_drawn = false;
}
