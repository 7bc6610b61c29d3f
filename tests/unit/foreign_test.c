// SPDX-License-Identifier: Apache-2.0
// Formats of other checkers: random histories, printed by the test in each of them, are read as what they are; what
// our writers write reads back as the same; formats are recognised by what is in the file; mistakes are told with
// their place.
#include "oracle/unit.h"

#include "base/rng.h"
#include "history/format.h"
#include "oracle/part.h"
#include "oracle/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static reading read_as(const char *name, const char *text, size_t size) {
    return reading_of(name, "T7.log", text, size);
}

static const char *recognised(const char *text, size_t size) {
    const format *f = format_recognise(&(format_source){"input", text, size});
    return f ? f->name : "nothing";
}

// ---- histories as the test knows them

enum { MOST_TXS = 12, MOST_OPS = 4 };

typedef struct {
    bool is_write;
    uint64_t key, value;
} sample_op;

typedef struct {
    uint32_t session;
    tx_outcome outcome;
    uint64_t begin, end;
    uint32_t nops;
    sample_op ops[MOST_OPS];
} sample_tx;

typedef struct {
    uint32_t n;
    sample_tx txs[MOST_TXS];  // those of a session in order, and together
} sample;

static sample random_sample(rng *r, bool may_fail, uint64_t least_value) {
    sample s = {.n = 1 + rng_below(r, MOST_TXS)};
    uint64_t value = least_value, time = 10;
    uint32_t session = 1;
    for (uint32_t i = 0; i < s.n; i++) {
        sample_tx *t = &s.txs[i];
        if (i && rng_below(r, 3) == 0) session++, time = 10 + rng_below(r, 5);
        *t = (sample_tx){.session = session, .begin = time, .nops = 1 + rng_below(r, MOST_OPS)};
        t->end = time + rng_below(r, 20);
        time = t->end + rng_below(r, 5);
        t->outcome = may_fail && rng_below(r, 3) == 0 ? TX_ABORTED : TX_COMMITTED;
        for (uint32_t k = 0; k < t->nops; k++) {
            bool is_write = rng_below(r, 2);
            t->ops[k] = (sample_op){is_write, 1 + rng_below(r, 3), is_write ? value++ : 1 + rng_below(r, 9)};
        }
    }
    return s;
}

static uint64_t number_of(const names *n, uint32_t name) {
    str text = {0};
    names_add(n, name, &text);
    uint64_t number = strtoull(str_get(&text), NULL, 10);
    str_free(&text);
    return number;
}

// Transactions of `h` in the order of sessions, then of time, as the sample has them.
static void same_tx(const recorded *h, const recorded_tx *x, const sample_tx *t, bool has_times) {
    assert_int_equal(x->outcome, t->outcome);
    assert_int_equal(x->count, t->nops);
    if (has_times) assert_true(x->begins == t->begin && x->ends == t->end);
    for (uint32_t k = 0; k < t->nops; k++) {
        recorded_op o = recorded_get(h, x->first + k);
        assert_int_equal(o.kind, t->ops[k].is_write ? OP_WRITE : OP_READ);
        assert_true(number_of(&h->keys, o.key) == t->ops[k].key);
        assert_true(number_of(&h->values, o.value) == t->ops[k].value);
    }
}

static void same_history(const recorded *h, const sample *s, bool has_times) {
    uint32_t *done = calloc(names_count(&h->sessions) + 1, sizeof *done);
    assert_int_equal(h->has_times, has_times);
    assert_int_equal(h->txs.len, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t found = 0, session = 0;
        while (number_of(&h->sessions, session) != s->txs[i].session) session++;
        for (uint32_t t = 0; t < h->txs.len; t++)
            if (h->txs.data[t].session == session && found++ == done[session])
                same_tx(h, &h->txs.data[t], &s->txs[i], has_times);
        done[session]++;
        assert_true(found >= done[session]);
    }
    free(done);
}

// ---- the test's own printers

static void print_plume(const sample *s, str *out) {
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->txs[i].nops; k++) {
            const sample_op *o = &s->txs[i].ops[k];
            str_printf(out, "%c(%" PRIu64 ",%" PRIu64 ",%u,%u)\n", o->is_write ? 'w' : 'r', o->key, o->value,
                       s->txs[i].session, i);
        }
}

static void print_awdit(const sample *s, str *out) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (i) str_add(out, s->txs[i].session != s->txs[i - 1].session ? "=====\n" : "-----\n");
        for (uint32_t k = 0; k < s->txs[i].nops; k++) {
            const sample_op *o = &s->txs[i].ops[k];
            str_printf(out, "%c %" PRIu64 " %" PRIu64 "\n", o->is_write ? 'w' : 'r', o->key, o->value);
        }
    }
}

static void little(str *out, uint64_t word) { str_addn(out, (const char *)&word, 8); }

static uint32_t count_session(const sample *s, uint32_t session) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) n += s->txs[i].session == session;
    return n;
}

static void print_dbcop(const sample *s, str *out) {
    for (uint64_t i = 0; i < 5; i++) little(out, i + 7);
    little(out, 4), str_add(out, "test");
    little(out, 0);
    little(out, 2), str_add(out, "12");
    little(out, s->txs[s->n - 1].session);
    for (uint32_t i = 0; i < s->n; i++) {
        const sample_tx *t = &s->txs[i];
        if (i == 0 || t->session != t[-1].session) little(out, count_session(s, t->session));
        little(out, t->nops + 1);
        for (uint32_t k = 0; k < t->nops; k++) {
            str_char(out, t->ops[k].is_write);
            little(out, t->ops[k].key), little(out, t->ops[k].value);
            str_char(out, 1);
        }
        str_char(out, 1), little(out, 1), little(out, 99), str_char(out, 0);  // failed: it had no effect
        str_char(out, t->outcome == TX_COMMITTED);
    }
}

static void print_jepsen_line(const sample_tx *t, bool is_end, str *out) {
    const char *end = t->outcome == TX_COMMITTED ? ":ok" : ":fail";
    str_printf(out, "{:process %u :type %s, :f :txn :time %" PRIu64 ", :extra {\"a\" [1 2]} :value [", t->session,
               is_end ? end : ":invoke", is_end ? t->end : t->begin);
    for (uint32_t k = 0; k < t->nops; k++) {
        str_printf(out, "[:%s %" PRIu64 " ", t->ops[k].is_write ? "w" : "r", t->ops[k].key);
        if (!is_end && !t->ops[k].is_write) str_add(out, "nil]");
        else str_printf(out, "%" PRIu64 "] ", t->ops[k].value);
    }
    str_add(out, "]}\n");
}

// Not in the order of time, which :time says.
static void print_jepsen(const sample *s, str *out) {
    for (uint32_t i = 0; i < s->n; i++) {
        print_jepsen_line(&s->txs[i], false, out);
        str_add(out, "; a comment\n#_{:type} {:type :info, :process :nemesis, :f :kill, :value \"}\"}\n");
        print_jepsen_line(&s->txs[i], true, out);
    }
}

static void big(str *out, char kind, uint32_t n, const uint64_t *words) {
    str_char(out, kind);
    for (uint32_t i = 0; i < n; i++)
        for (int k = 56; k >= 0; k -= 8) str_char(out, (char)(words[i] >> k & 255));
}

static void print_cobra(const sample *s, str *out) {
    for (uint32_t i = 0; i < s->n; i++) {
        const sample_tx *t = &s->txs[i];
        big(out, 'S', 1, (uint64_t[]){i});
        for (uint32_t k = 0; k < t->nops; k++) {
            const sample_op *o = &t->ops[k];
            if (o->is_write) big(out, 'W', 3, (uint64_t[]){o->value, o->key, 5});
            else big(out, 'R', 4, (uint64_t[]){1, o->value, o->key, 5});
        }
        big(out, 'C', 1, (uint64_t[]){i});
    }
}

// ---- comparing

typedef struct {
    const char *name;
    void (*print)(const sample *, str *);
    bool may_fail, has_times, is_one_session;
} kind;

static const kind kinds[] = {{"plume", print_plume, .may_fail = false},
                             {"awdit", print_awdit, .may_fail = false},
                             {"dbcop", print_dbcop, .may_fail = true},
                             {"jepsen", print_jepsen, .may_fail = true, .has_times = true},
                             {"cobra", print_cobra, .is_one_session = true}};

static void same_session(const recorded *h, const sample *s) {
    assert_int_equal(names_count(&h->sessions), 1);
    assert_int_equal(h->txs.len, s->n);
    for (uint32_t i = 0; i < s->n; i++) same_tx(h, &h->txs.data[i], &s->txs[i], false);
}

static void read_back(const kind *k, const recorded *h, const sample *s) {
    FILE *f = tmpfile();
    const char *why = NULL;
    char text[20000];
    assert_true(format_find(k->name)->write(h, f, &why));
    rewind(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_string_equal(recognised(text, n), k->name);
    reading x = read_as(k->name, text, n);
    assert_true(x.good);
    if (k->is_one_session) same_session(&x.h, s);
    else same_history(&x.h, s, k->has_times);
    reading_free(&x);
}

static void compare_one(const kind *k, rng *r) {
    sample s = random_sample(r, k->may_fail, 1);
    str text = {0};
    for (uint32_t i = 0; k->is_one_session && i < s.n; i++) s.txs[i].session = 7;
    k->print(&s, &text);
    assert_string_equal(recognised(str_get(&text), text.len), k->name);
    reading x = read_as(k->name, str_get(&text), text.len);
    assert_true(x.good);
    if (k->is_one_session) same_session(&x.h, &s);
    else same_history(&x.h, &s, k->has_times);
    read_back(k, &x.h, &s);
    reading_free(&x);
    str_free(&text);
}

static void what_is_printed_is_read(void **state) {
    (void)state;
    rng r = {part_seed(21)};
    uint32_t rounds = (uint32_t)part_rounds(300, 20000), n = sizeof kinds / sizeof *kinds;
    for (uint32_t i = 0; i < rounds; i++)
        for (uint32_t k = 0; k < n; k++) compare_one(&kinds[k], &r);
    printf("# tally: histories of other checkers' formats, read and written | %u cases | 0 wrong\n", rounds * n);
}

// ---- what formats leave open

static void zero_is_initial_unless_somebody_writes_it(void **state) {
    (void)state;
    static const char text[] = "w(1,0,1,1)\nr(1,0,2,2)\nr(2,0,2,2)\n";
    reading x = read_as("plume", text, strlen(text));
    assert_true(x.good);
    str first = {0};
    names_add(&x.h.values, recorded_initial(&x.h, 0), &first);
    assert_string_equal(str_get(&first), "initial");
    assert_true(number_of(&x.h.values, recorded_initial(&x.h, 1)) == 0);
    str_free(&first);
    reading_free(&x);
}

static void numbers_of_64_bits_are_written(void **state) {
    (void)state;
    static const char text[] = "w(18446744073709551615,9223372036854775809,1,0)\n";
    reading x = read_as("plume", text, strlen(text));
    char out[200];
    const char *why = NULL;
    FILE *f = tmpfile();
    assert_true(x.good && format_find("plume")->write(&x.h, f, &why));
    rewind(f);
    out[fread(out, 1, sizeof out - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(out, text);
    reading_free(&x);
}

static void lists_and_ends_of_jepsen(void **state) {
    (void)state;
    static const char text[] = "[{:type :invoke, :process 0, :time 5, :value [[:append x 1] [:r y nil]]}\n"
                               " {:type :ok, :process 0, :time 9, :value [[:append x 1] [:r y nil]]}\n"
                               " {:type :invoke, :process 1, :time 6, :value [[:r x nil] [:append \"y\" 2]]}\n"
                               " {:type :info, :process 1, :time 8, :value [[:r x nil] [:append \"y\" 2]]}\n"
                               " {:type :invoke, :process 2, :time 7, :value [[:append x 3]]}\n"
                               " #jepsen.history.Op{:type :invoke, :process 0, :time 9, :value [[:r x nil]]},\n"
                               " {:type :ok, :process 0, :time 10, :value [[:r x [1 3]]]}]";
    reading x = read_as("jepsen", text, strlen(text));
    assert_string_equal(recognised(text, strlen(text)), "jepsen");
    assert_true(x.good && x.h.has_times);
    static const uint32_t outcomes[] = {TX_COMMITTED, TX_PENDING, TX_PENDING, TX_COMMITTED}, counts[] = {2, 1, 1, 1};
    assert_int_equal(x.h.txs.len, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(x.h.txs.data[i].outcome, outcomes[i]);
        assert_int_equal(x.h.txs.data[i].count, counts[i]);
    }
    recorded_op empty = recorded_get(&x.h, x.h.txs.data[0].first + 1), last = recorded_get(&x.h, x.h.txs.data[3].first);
    uint32_t *elements, n;
    assert_true(empty.kind == OP_READ_LIST && empty.value == 0 && empty.call == 5 && empty.answer == 9);
    recorded_list_elements(&x.h, last.value, &elements, &n);
    assert_int_equal(n, 2);
    free(elements);
    reading_free(&x);
}

static void order_of_jepsen_without_times(void **state) {
    (void)state;
    static const char lines[] = "{:type :invoke :value [[:w 1 1]]}\n{:type :ok :value [[:w 1 1]]}\n"
                                "{:type :invoke :value [[:r 1 nil]]}\n{:type :ok :value [[:r 1 1]]}\n";
    reading x = read_as("jepsen", lines, strlen(lines));
    assert_true(x.good && x.h.has_times && names_count(&x.h.sessions) == 2);
    assert_true(x.h.txs.data[0].ends < x.h.txs.data[1].begins);
    reading_free(&x);
    static const char ends[] = "{:type :ok :process 1 :value [[:w 1 1]]}\n{:type :ok :process 2 :value [[:r 1 nil]]}\n";
    x = read_as("jepsen", ends, strlen(ends));
    assert_true(x.good && !x.h.has_times && x.h.txs.len == 2);
    reading_free(&x);
}

static void cobra_without_a_commit(void **state) {
    (void)state;
    str text = {0};
    big(&text, 'S', 1, (uint64_t[]){1});
    big(&text, 'R', 4, (uint64_t[]){0xBEBEEBEE, 0xBEBEEBEE, 5, 77});
    big(&text, 'R', 4, (uint64_t[]){0xDEADBEEF, 0xDEADBEEF, 6, 0});
    reading x = read_as("cobra", str_get(&text), text.len);
    assert_true(x.good && x.h.txs.len == 1 && x.h.txs.data[0].outcome == TX_PENDING);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(x.h.op_value.data[i], recorded_initial(&x.h, recorded_key(&x.h, i)));
    reading_free(&x);
    str_free(&text);
}

// ---- mistakes

static void refuses(const char *name, const char *text, size_t size, const char *words) {
    reading x = read_as(name, text, size);
    str said = {0};
    diag_print(x.messages, &said, false);
    assert_false(x.good);
    if (!strstr(str_get(&said), words)) fail_msg("no '%s' in: %s", words, str_get(&said));
    str_free(&said);
    reading_free(&x);
}

static void refuses_text(const char *name, const char *text, const char *words) {
    refuses(name, text, strlen(text), words);
}

static void mistakes_have_places(void **state) {
    (void)state;
    refuses_text("plume", "w(1,2,3,4)\nr(1,x,3,4)\n", "T7.log:2:5: error: a number of 64 bits expected");
    refuses_text("plume", "w(1,2,3,4)\nq(1,2,3,4)\n", "T7.log:2:1: error: r(…) or w(…) expected");
    refuses_text("plume", "w(1,99999999999999999999,3,4)\n", "T7.log:1:5: error: a number of 64 bits expected");
    refuses_text("plume", "w(1,1,3,4)\nw(1,2,3,5)\nw(1,3,3,4)\n", "T7.log:3:1: error: the operations of transaction 4");
    refuses_text("awdit", "w 1 1\n--\n", "T7.log:2:1: error: 'r KEY VALUE'");
    refuses_text("awdit", "w 1 1 1\n", "T7.log:1:6: error: the end of the line expected");
    refuses_text("jepsen", "{:type :invoke :value [[:r 1 nil]}\n",
                 "T7.log:1:34: error: this bracket closes another kind");
    refuses_text("jepsen", "{:type :maybe :value [[:r 1 nil]]}\n",
                 "T7.log:1:8: error: :invoke, :ok, :fail or :info expected");
    refuses_text("jepsen", "{:type :ok :value [[:inc 1 nil]]}\n", "T7.log:1:21: error: :r, :w or :append expected");
    refuses_text("jepsen", "{:type :invoke, :process 1}\n{:type :invoke, :process 1}",
                 "T7.log:2:1: error: this process has not ended what it did before");
    refuses_text("jepsen", "{:type :invoke, :process 1 \"abc}\n", "error: this string has no end");
    refuses_text("jepsen", "{:type :invoke, :process 1, :f :write}\n", "there is no transaction (:f :txn)");
    refuses("dbcop", "1234", 4, "T7.log: byte 0: the file ends too early");
    refuses("cobra", "X", 1, "T7.log: byte 0: a record expected");
    refuses("cobra", "S\0\0\0\0\0\0\0\1C\0\0\0\0\0\0\0\2", 18,
            "T7.log: byte 9: this is the commit of another transaction");
}

static void writers_say_what_has_no_place(void **state) {
    (void)state;
    static const struct {
        const char *format, *text, *why;
    } cases[] = {
        {"plume", "open(1) write(1,x,1) commit(1)", "names that are not numbers"},
        {"plume", "open(1) write(1,2,1) abort(1)", "transactions that did not commit"},
        {"dbcop", "open(1) write(1,2,1)", "transactions that neither committed nor aborted"},
        {"dbcop", "initial 3 open(1) read(1,2,3) commit(1)", "initial values other than 0"},
        {"dbcop", "open(1) append(1,2,3) commit(1)", "lists"},
        {"jepsen", "open(1) write(1,2,0) commit(1)", "writes of a key's initial value"},
        {"jepsen", "open(1) write(1,2,1)", "transactions that never called commit"},
        {"jepsen", "open(1) read(1,2,0) abort(1)", "reads of initial values by transactions that did not commit"},
        {"plume", "open(1) read(1,2,0) write(1,2,0) commit(1)", "writes of a key's initial value"},
        {"awdit", "open(1) commit(1)", "transactions without operations"},
        {"awdit", "initial a open(1) read(1,2,a) write(1,2,0) commit(1)", "initial values other than 0"},
        {"cobra", "open(1) write(1,2,1) abort(1)", "transactions that aborted, or never called commit"},
        {"cobra", "open(1) write(1,2,1) write(1,2,1) commit(1)",
         "values that are written twice to one key: it must say who wrote what was read"},
        {"cobra", "open(1) write(1,2,0) commit(1)", "writes of a key's initial value"},
        {"log", "untimed open(1) write(1,2,1) commit(1)", "histories without times"},
        {"log", "open(1)@1 read(1,2,0)@2..4 read(1,3,0)@3..5 commit(1)@6",
         "operations of a transaction that overlap, or times of more than 60 bits"}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reading x = read_as("hist", cases[i].text, strlen(cases[i].text));
        const char *why = "";
        FILE *f = tmpfile();
        assert_true(x.good);
        assert_false(format_find(cases[i].format)->write(&x.h, f, &why));
        assert_string_equal(why, cases[i].why);
        fclose(f);
        reading_free(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read),       cmocka_unit_test(zero_is_initial_unless_somebody_writes_it),
        cmocka_unit_test(lists_and_ends_of_jepsen),      cmocka_unit_test(order_of_jepsen_without_times),
        cmocka_unit_test(cobra_without_a_commit),        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(writers_say_what_has_no_place), cmocka_unit_test(numbers_of_64_bits_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
