// SPDX-License-Identifier: Apache-2.0
// The readers of recorded histories take any bytes, in every format: they end with a history, which every writer then
// takes or refuses, or with a message that can be printed. True files are damaged at random. So is what gzip made.
#include "oracle/unit.h"

#include "base/rng.h"
#include "history/sources.h"
#include "oracle/damage.h"
#include "oracle/part.h"

#include <parvis/record.h>

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { ROOM = 4096 };

typedef struct {
    char bytes[ROOM];
    size_t size;
} bytes;

static void add_words(bytes *b, uint32_t n, const uint64_t *words) {
    for (uint32_t i = 0; i < n; i++, b->size += 8) memcpy(b->bytes + b->size, &words[i], 8);
}

static void make_log(bytes *b) {
    parvis_log_header h = {.magic = "PARVISLG", .version = 1, .byte_order = 0x01020304, .clock = 1, .session = 3};
    memcpy(b->bytes, PARVIS_LOG_MAGIC, 8);
    memcpy(b->bytes, &h, sizeof h);
    b->size = sizeof h;
    for (uint64_t i = 1; i < 8; i++) {
        add_words(b, 1, (uint64_t[]){i << 12 | PARVIS_BEGIN});
        add_words(b, 3, (uint64_t[]){((i << 12) + 16) | PARVIS_READ, i % 3, i - 1});
        add_words(b, 3, (uint64_t[]){((i << 12) + 32) | PARVIS_WRITE, i % 3, i});
        add_words(b, 1, (uint64_t[]){((i << 12) + 48) | PARVIS_COMMIT});
        if (i < 7) add_words(b, 1, (uint64_t[]){((i << 12) + 64) | (i % 2 ? PARVIS_COMMITTED : PARVIS_ABORTED)});
    }
}

static void make_dbcop(bytes *b) {
    add_words(b, 9, (uint64_t[]){0, 2, 2, 1, 2, 0, 0, 0, 2});
    for (uint32_t s = 0; s < 2; s++) {
        add_words(b, 2, (uint64_t[]){1, 2});
        for (uint64_t i = 0; i < 2; i++) {
            b->bytes[b->size++] = (char)i;
            add_words(b, 2, (uint64_t[]){i, 5});
            b->bytes[b->size++] = 1;
        }
        b->bytes[b->size++] = 1;
    }
}

static void make_cobra(bytes *b) {
    static const char letters[] = "SWRCSRWC";
    for (uint32_t i = 0; letters[i]; i++) {
        uint32_t words = letters[i] == 'W' ? 3 : letters[i] == 'R' ? 4 : 1;
        b->bytes[b->size++] = letters[i];
        for (uint32_t k = 0; k < words; k++) add_words(b, 1, (uint64_t[]){(uint64_t)(i / 4) << 56});
    }
}

static void make_text(bytes *b, const char *text) { memcpy(b->bytes, text, b->size = strlen(text)); }

static void make(const char *name, bytes *b) {
    *b = (bytes){0};
    if (str_same(name, "log")) make_log(b);
    else if (str_same(name, "dbcop")) make_dbcop(b);
    else if (str_same(name, "cobra")) make_cobra(b);
    else if (str_same(name, "plume")) make_text(b, "w(0,1,1,1)\nw(0,2,1,1)\nr(0,2,2,8)\nw(1,0,2,8)\nr(1,0,1,2)\n");
    else if (str_same(name, "awdit")) make_text(b, "w 0 0\nw 1 0\n=====\nr 0 0\n-----\nr 1 0\n");
    else if (str_same(name, "jepsen"))
        make_text(
            b, "{:type :invoke, :f :txn, :process 1, :time 5, :value [[:append 1 2] [:r \"k\" nil]]}\n"
               "; comment\n#_ [1] {:type :ok, :f :txn, :process 1, :time 6, :value [[:append 1 2] [:r \"k\" [1 2]]]}\n"
               "{:type :info, :process :nemesis, :f :kill, :value #{1}}\n"
               "{:type :invoke, :process 2, :time 7, :value [[:r 1 nil]]}\n"
               "{:type :fail, :process 2, :time 8, :value [[:r 1 nil]]}\n");
    else if (str_same(name, "json"))
        make_text(b,
                  "{\"initial\": 0, \"events\": [{\"event\": \"open\", \"client\": 1, \"call\": 1, \"answer\": 2},"
                  "{\"event\": \"read\", \"client\": 1, \"address\": \"x\", \"value\": 0, \"call\": 3, \"answer\": 4},"
                  "{\"event\": \"commit\", \"client\": 1, \"call\": 5, \"answer\": 6}]}");
    else
        make_text(
            b, "initial 0 initial x = 5\nopen(1)@100..105 read(1,x,5)@110..112 append(1,\"a \\x01\",4)@119\n"
               "read(1,l,[1 2])@120..121 commit(1)@140..\nopen(2)@1 write(2,y,1)@2 abort(2)@3..4 open(3)@5 left(3)@6");
}

static void write_everywhere(const recorded *h) {
    FILE *nowhere = fopen("/dev/null", "w");
    for (uint32_t i = 0; i < format_count; i++) {
        const char *why = NULL;
        if (format_table[i].write) assert_true(format_table[i].write(h, nowhere, &why) || why);
    }
    fclose(nowhere);
}

static bool read_damaged(const format *f, const bytes *b) {
    diag *messages = diag_new();
    recorded h;
    str text = {0};
    char *copy = malloc(b->size + 1);  // so that a sanitizer sees what is read beyond
    memcpy(copy, b->bytes, b->size);
    copy[b->size] = '\0';
    format_source from = {"fuzz", copy, b->size};
    recorded_begin(&h);
    format_recognise(&from);
    recording *r = recording_begin(&h, messages);
    bool good = f->read(r, &from);
    good = recording_end(r) && good;
    if (good) write_everywhere(&h);
    diag_print(messages, &text, false);
    assert_true(good || text.len > 0);
    str_free(&text);
    recorded_free(&h);
    diag_free(messages);
    free(copy);
    return good;
}

static void every_format(void **state) {
    (void)state;
    rng r = {part_seed(5)};
    uint32_t count = (uint32_t)part_rounds(3000, 400000);
    for (uint32_t k = 0; k < format_count; k++) {
        uint32_t read_well = 0;
        bytes whole, b;
        make(format_table[k].name, &whole);
        assert_true(read_damaged(&format_table[k], &whole));
        for (uint32_t i = 0; i < count; i++) {
            b = whole;
            for (uint32_t n = 1 + rng_below(&r, 3); n > 0; n--)
                damage(&r, "[]{}(),:\"#_;\n \\@.-=rw0", b.bytes, &b.size, ROOM);
            read_well += read_damaged(&format_table[k], &b);
        }
        printf("# tally: damaged recordings as %s | %u cases | 0 wrong\n", format_table[k].name, count);
        assert_true(read_well > 0 && read_well < count);
    }
}

static size_t compress_sample(char *out, size_t room) {
    static char text[1000];
    z_stream z = {0};
    memset(text, 'x', sizeof text);
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)text, z.avail_in = sizeof text;
    z.next_out = (Bytef *)out, z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static void damaged_gzip(void **state) {
    (void)state;
    rng r = {part_seed(6)};
    bytes whole = {0}, b;
    uint32_t count = (uint32_t)part_rounds(3000, 300000), good = 0;
    whole.size = compress_sample(whole.bytes, ROOM / 2);
    whole.size += compress_sample(whole.bytes + whole.size, ROOM / 2);
    for (uint32_t i = 0; i < count; i++) {
        const char *why = NULL;
        b = whole;
        if (i) damage(&r, "\x1f\x8b\xff", b.bytes, &b.size, ROOM);
        size_t size = b.size;
        char *text = malloc(size + 1);
        memcpy(text, b.bytes, size);
        bool is_good = unzip(&text, &size, &why);
        if (i == 0) assert_true(is_good && size == 2000 && text[1999] == 'x');
        assert_true(is_good || why);
        good += is_good;
        free(text);
    }
    printf("# tally: damaged gzip files | %u cases | 0 wrong\n", count);
    assert_true(good > 0 && good < count);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_format), cmocka_unit_test(damaged_gzip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
