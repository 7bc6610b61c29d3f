// SPDX-License-Identifier: Apache-2.0
// Every format to every other: a random history is written in one format, read, written in another and read again. It
// is the same, as far as both formats have a place for it; what one has no place for is refused, not left out.
#include "oracle/unit.h"

#include "history/format.h"
#include "history/level_check.h"
#include "oracle/part.h"
#include "oracle/random_recorded.h"
#include "oracle/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FILES = 16 };

// ---- a history as text that does not depend on names of sessions, nor on the order of transactions

typedef enum { WITHOUT_TIMES, WITH_TX_TIMES, WITH_TIMES } detail;

static void describe_value(const recorded *h, bool is_read, uint32_t key, uint32_t value, str *out) {
    if (is_read && value == recorded_initial(h, key)) str_add(out, "initial");
    else names_add(&h->values, value, out);
}

static void describe_op(const recorded *h, uint32_t op, detail d, str *out) {
    recorded_op o = recorded_get(h, op);
    str_printf(out, " %c ", "rwaR"[o.kind]);
    names_add(&h->keys, o.key, out);
    str_char(out, '=');
    if (o.kind != OP_READ_LIST) {
        describe_value(h, o.kind == OP_READ, o.key, o.value, out);
    } else {
        uint32_t *elements, n;
        recorded_list_elements(h, o.value, &elements, &n);
        for (uint32_t i = 0; i < n; i++) str_char(out, ' '), names_add(&h->values, elements[i], out);
        free(elements);
    }
    if (d == WITH_TIMES) str_printf(out, "@%" PRIu64 "..%" PRIu64, o.call, o.answer);
}

static void describe_tx(const recorded *h, const recorded_tx *x, detail d, str *out) {
    str_printf(out, "[%c", "capl"[x->outcome]);
    if (d != WITHOUT_TIMES) str_printf(out, "@%" PRIu64 "..%" PRIu64, x->begins, x->ends);
    if (d == WITH_TIMES && x->outcome != TX_ABORTED) str_printf(out, " commits %" PRIu64, x->commits);
    for (uint32_t i = x->first; i < x->first + x->count; i++) describe_op(h, i, d, out);
    str_add(out, "]");
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(((const str *)a)->text, ((const str *)b)->text);
}

static void describe(const recorded *h, detail d, str *out) {
    uint32_t n = names_count(&h->sessions);
    str *sessions = calloc(n + 1, sizeof *sessions);
    for (uint32_t s = 0; s < n; s++) str_add(&sessions[s], "session");
    for (uint32_t t = 0; t < h->txs.len; t++) describe_tx(h, &h->txs.data[t], d, &sessions[h->txs.data[t].session]);
    qsort(sessions, n, sizeof *sessions, compare_texts);
    for (uint32_t s = 0; s < n; s++) str_printf(out, "%s\n", str_get(&sessions[s])), str_free(&sessions[s]);
    free(sessions);
}

// ---- written and read

typedef struct {
    format_source files[MOST_FILES];
    uint32_t n;
    recorded h;
    diag *messages;
    bool is_written;
} converted;

static bool keep_file(void *to, const char *name, const char *bytes, size_t size) {
    converted *c = to;
    assert_true(c->n < MOST_FILES);
    char *kept = malloc(size + 1);
    memcpy(kept, bytes, size);
    c->files[c->n++] = (format_source){strdup(name), kept, size};
    return true;
}

static bool convert_write(const recorded *h, const format *f, converted *c) {
    const char *why = NULL;
    if (f->write_folder) {
        c->is_written = f->write_folder(h, &(format_folder){keep_file, c}, &why);
    } else {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        c->is_written = f->write(h, out, &why);
        fclose(out);
        if (c->is_written) keep_file(c, f->name, text, size);
        free(text);
    }
    assert_true(c->is_written || why);
    return c->is_written;
}

static converted convert(const recorded *h, const format *f) {
    converted c = {.messages = diag_new()};
    recorded_begin(&c.h);
    if (!convert_write(h, f, &c)) return c;
    recording *r = recording_begin(&c.h, c.messages);
    for (uint32_t i = 0; i < c.n; i++) {
        if (h->txs.len) assert_ptr_equal(format_recognise(&c.files[i]), f);
        assert_true(f->read(r, &c.files[i]));
    }
    bool good = recording_end(r);
    str said = {0};
    diag_print(c.messages, &said, false);
    if (!good) fail_msg("%s: %s\n%.*s", f->name, str_get(&said), (int)c.files[0].size, c.files[0].text);
    str_free(&said);
    return c;
}

static void converted_free(converted *c) {
    for (uint32_t i = 0; i < c->n; i++) free((char *)c->files[i].path), free((char *)c->files[i].text);
    recorded_free(&c->h);
    diag_free(c->messages);
}

static detail detail_of(const recorded *h, const format *f) {
    bool has_all = !f->leaves_out, has_some = str_same(f->name, "jepsen");
    return !h->has_times ? WITHOUT_TIMES : has_all ? WITH_TIMES : has_some ? WITH_TX_TIMES : WITHOUT_TIMES;
}

// Cobra's numbers of writes stand for values that are written to several keys: the same up to their names, which the
// levels tell.
static bool same_up_to_values(const recorded *a, const recorded *b) {
    bool same = a->txs.len == b->txs.len && a->op_key.len == b->op_key.len;
    for (uint32_t l = 0; same && l < LEVEL_COUNT; l++) {
        level_answer x, y;
        if (level_needs_times((level)l)) continue;
        level_check(a, (level)l, NULL, &x);
        level_check(b, (level)l, NULL, &y);
        same = x.verdict == y.verdict;
        level_answer_free(&x);
        level_answer_free(&y);
    }
    return same;
}

static bool has_new_values(const recorded *h) {
    for (uint32_t i = 0; i < h->op_value.len; i++) {
        uint64_t number;
        bool is_number =
            recorded_kind(h, i) != OP_READ_LIST && names_is_number(&h->values, h->op_value.data[i], &number);
        if (is_number && number >> 32) return true;
    }
    return false;
}

static void must_be_same(const recorded *a, const recorded *b, detail d, const format *f) {
    str first = {0}, second = {0};
    describe(a, d, &first);
    describe(b, d, &second);
    bool same = has_new_values(b) ? same_up_to_values(a, b) : str_same(str_get(&first), str_get(&second));
    if (!same) fail_msg("%s: was\n%sand is\n%s", f->name, str_get(&first), str_get(&second));
    str_free(&first);
    str_free(&second);
}

// Random ones have names "s1" and "k2": numbers instead.
static void use_numbers(str *text) {
    size_t n = 0;
    for (size_t i = 0; i < text->len; i++)
        if (!i ||
            !((text->text[i - 1] == '(' && text->text[i] == 's') || (text->text[i - 1] == ',' && text->text[i] == 'k')))
            text->text[n++] = text->text[i];
    text->text[text->len = n] = '\0';
}

typedef struct {
    uint32_t once[16], twice[16];  // by format: histories that were written
    uint32_t pairs;
} counts;

static void try_pairs(const recorded *h, counts *c) {
    for (uint32_t i = 0; i < format_count; i++) {
        const format *f = &format_table[i];
        converted a = convert(h, f);
        detail d = detail_of(h, f);
        if (a.is_written) must_be_same(h, &a.h, d, f);
        c->once[i] += a.is_written;
        for (uint32_t k = 0; a.is_written && k < format_count; k++) {
            const format *g = &format_table[k];
            converted b = convert(&a.h, g);
            detail e = detail_of(&a.h, g);
            if (b.is_written) must_be_same(h, &b.h, d < e ? d : e, g);
            c->twice[k] += b.is_written;
            c->pairs += b.is_written;
            converted_free(&b);
        }
        converted_free(&a);
    }
}

static void every_pair(void **state) {
    (void)state;
    rng r = {part_seed(210)};
    counts c = {0};
    uint32_t rounds = (uint32_t)part_rounds(1500, 30000);
    for (uint32_t i = 0; i < rounds; i++) {
        random_recorded_shape shape = random_recorded_pick(&r);
        shape.has_unfinished &= i % 4 == 0;
        shape.has_repeats &= i % 4 == 1;
        shape.has_lists &= i % 4 == 2;
        str text = {0};
        random_recorded(&r, &shape, &text);
        use_numbers(&text);
        reading x = reading_of("hist", "random", str_get(&text), text.len);
        assert_true(x.good);
        try_pairs(&x.h, &c);
        reading_free(&x);
        str_free(&text);
    }
    for (uint32_t i = 0; i < format_count; i++)
        if (c.once[i] < rounds / 50 || c.twice[i] < rounds / 50)
            fail_msg("%s is hardly ever written", format_table[i].name);
    printf("# tally: histories from one format to another | %u cases | 0 wrong\n", c.pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
