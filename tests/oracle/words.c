// SPDX-License-Identifier: Apache-2.0
// words: parsing, printing, random words, and all words up to a length, depth first.
#include "oracle/words.h"

#include <ctype.h>
#include <string.h>

static const char letters[] = "rwca";

static bool has_loc(step_kind k) { return k == STEP_READ || k == STEP_WRITE; }

// ---- text

// A number from 1 on; false when there is none or it is too large to be meant.
static bool parse_number(const char **p, uint32_t *out) {
    uint32_t n = 0;
    while (isdigit((unsigned char)**p) && n < 1000) n = 10 * n + (uint32_t)(*(*p)++ - '0');
    if (n == 0 || n > 1000) return false;
    *out = n - 1;
    return true;
}

static bool parse_step(const char **p, step *out) {
    const char *letter = **p ? strchr(letters, **p) : NULL;
    if (!letter) return false;
    (*p)++;
    *out = (step){.kind = (step_kind)(letter - letters)};
    if (has_loc(out->kind) && !parse_number(p, &out->loc)) return false;
    if (*(*p)++ != '_' || !parse_number(p, &out->thread)) return false;
    return **p == ' ' || **p == '\0';
}

bool words_parse(const char *text, word *out) {
    out->len = 0;
    for (;;) {
        while (*text == ' ') text++;
        if (*text == '\0') return true;
        if (out->len == WORD_LONGEST || !parse_step(&text, &out->at[out->len++])) return false;
    }
}

void words_print(const word *w, str *out) {
    for (uint32_t i = 0; i < w->len; i++) {
        const step *s = &w->at[i];
        if (i) str_char(out, ' ');
        str_char(out, letters[s->kind]);
        if (has_loc(s->kind)) str_printf(out, "%u", s->loc + 1);
        str_printf(out, "_%u", s->thread + 1);
    }
}

// ---- random words

static step random_step(rng *r, uint32_t threads, uint32_t locs) {
    uint32_t pick = rng_below(r, 4 * locs + 2);
    step s = {.thread = rng_below(r, threads)};
    if (pick < 4 * locs) {
        s.kind = pick % 2 ? STEP_READ : STEP_WRITE;
        s.loc = pick / 4;
    } else {
        s.kind = pick % 2 ? STEP_COMMIT : STEP_ABORT;
    }
    return s;
}

void words_random(rng *r, uint32_t threads, uint32_t locs, uint32_t len, word *out) {
    out->len = len;
    for (uint32_t i = 0; i < len; i++) out->at[i] = random_step(r, threads, locs);
}

// ---- all words

typedef struct {
    uint32_t threads, locs, longest;
    words_visit visit;
    void *context;
    word w;
} walk;

static void walk_from(walk *k, uint32_t threads_used, uint32_t locs_used);

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void walk_step(walk *k, step s, uint32_t threads_used, uint32_t locs_used) {
    k->w.at[k->w.len++] = s;
    if (k->visit(&k->w, k->context)) {
        uint32_t locs = has_loc(s.kind) ? larger(locs_used, s.loc + 1) : locs_used;
        walk_from(k, larger(threads_used, s.thread + 1), locs);
    }
    k->w.len--;
}

// One new thread and one new location may come at a time: the next in order.
static void walk_from(walk *k, uint32_t threads_used, uint32_t locs_used) {
    if (k->w.len == k->longest) return;
    for (uint32_t t = 0; t < k->threads && t <= threads_used; t++) {
        for (uint32_t v = 0; v < k->locs && v <= locs_used; v++) {
            walk_step(k, (step){STEP_READ, t, v}, threads_used, locs_used);
            walk_step(k, (step){STEP_WRITE, t, v}, threads_used, locs_used);
        }
        walk_step(k, (step){STEP_COMMIT, t, 0}, threads_used, locs_used);
        walk_step(k, (step){STEP_ABORT, t, 0}, threads_used, locs_used);
    }
}

void words_each(uint32_t threads, uint32_t locs, uint32_t longest, words_visit visit, void *context) {
    walk k = {.threads = threads, .locs = locs, .longest = longest, .visit = visit, .context = context};
    walk_from(&k, 0, 0);
}
