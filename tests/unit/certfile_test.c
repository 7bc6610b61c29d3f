// SPDX-License-Identifier: Apache-2.0
// Certificate files: what is written is read back; cut at any byte, changed in any byte, lengthened or with counts
// beyond all bounds they are refused with one message.
#include "oracle/unit.h"

#include "base/mem.h"
#include "certificate/certfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *path_of(const char *name) {
    const char *folder = getenv("PARVIS_TMP");
    str path = {0};
    str_printf(&path, "%s/%s", folder ? folder : "/tmp", name);
    return path.text;
}

static void put_file(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

static json_t *sample_header(void) {
    json_t *header = certfile_header_new("check");
    certfile_put_model(header, &(certfile_model){.language = ".pv", .text = "sort T\n"});
    return header;
}

static char *write_sample(const char *name, uint32_t nclaims) {
    char *path = path_of(name);
    diag *d = diag_new();
    certfile_writer *w = certfile_create(path, sample_header(), d);
    assert_non_null(w);
    for (uint32_t i = 0; i < nclaims; i++) {
        certfile_claim(w, json_pack("{s:s, s:i}", "kind", "closed set", "number", (int)i));
        certfile_put_number(w, UINT64_MAX - i);
        certfile_put(w, "some bytes", 10);
    }
    assert_true(certfile_finish(w));
    diag_free(d);
    return path;
}

// Reads the whole sample; true if nothing was wrong with it.
static bool read_sample(const char *path, uint32_t *nclaims) {
    diag *d = diag_new();
    certfile *c = certfile_open(path, d);
    certfile_model m;
    bool ok = c && certfile_get_model(certfile_header(c), d, &m);
    bool is_same = true;
    *nclaims = 0;
    for (const json_t *claim; ok && (claim = certfile_next(c)); ++*nclaims) {
        char bytes[10];
        uint64_t n = 0, number;
        ok = certfile_member(c, claim, "number", 1000, &number) && certfile_string(c, claim, "kind");
        ok = ok && certfile_get_number(c, UINT64_MAX, &n) && certfile_get(c, bytes, sizeof bytes);
        is_same = is_same && n == UINT64_MAX - *nclaims && memcmp(bytes, "some bytes", 10) == 0;
    }
    ok = ok && !certfile_is_broken(c);
    assert_true(is_same || !ok);  // a changed byte may be read, but not to the end
    assert_true(ok == !diag_failed(d));
    assert_true(diag_errors(d) <= 1);
    certfile_close(c);
    diag_free(d);
    return ok;
}

static void round_trip(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 300; n += 1 + n * 10) {
        uint32_t found;
        char *path = write_sample("certfile_round.cert", n);
        assert_true(read_sample(path, &found));
        assert_int_equal(found, n);
        remove(path);
        free(path);
    }
}

static void damaged(void **state) {
    (void)state;
    uint32_t found, wrong = 0, cases = 0;
    char *path = write_sample("certfile_damaged.cert", 3);
    size_t size;
    char *whole = str_read_file(path, &size);
    size_t head = (size_t)(strstr(whole, "\n}\n") - whole) + 3;
    for (size_t cut = 0; cut < size; cut++, cases++) {
        put_file(path, whole, cut);
        wrong += read_sample(path, &found) && found == 3;
    }
    for (size_t at = 0; at < size * 8; at++, cases++) {
        whole[at / 8] ^= (char)(1 << at % 8);
        put_file(path, whole, size);
        bool ok = read_sample(path, &found);
        // gzip's own head has a time and a system that mean nothing
        if (ok && at / 8 >= head + 10) wrong++;
        whole[at / 8] ^= (char)(1 << at % 8);
    }
    char *longer = mem_alloc(size + 1);
    memcpy(longer, whole, size);
    longer[size] = 'x';
    put_file(path, longer, size + 1);
    assert_false(read_sample(path, &found));
    printf("# tally: damaged certificate files | %u cases | %u wrong\n", cases, wrong);
    assert_int_equal(wrong, 0);
    remove(path);
    free(longer);
    free(whole);
    free(path);
}

static void huge_counts(void **state) {
    (void)state;
    char *path = path_of("certfile_huge.cert");
    diag *d = diag_new();
    certfile_writer *w = certfile_create(path, sample_header(), d);
    certfile_claim(w, json_pack("{s:I}", "states", (json_int_t)INT64_MAX));
    certfile_put_number(w, UINT64_MAX);
    certfile_put(w, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
    assert_true(certfile_finish(w));
    uint64_t n;
    certfile *c = certfile_open(path, d);
    const json_t *claim = certfile_next(c);
    assert_false(certfile_member(c, claim, "states", 1000000, &n));
    assert_int_equal(diag_errors(d), 1);
    certfile_close(c);
    c = certfile_open(path, d);
    certfile_next(c);
    assert_false(certfile_get_number(c, 5, &n));
    assert_int_equal(diag_errors(d), 2);
    certfile_close(c);
    c = certfile_open(path, d);
    certfile_next(c);
    assert_true(certfile_get_number(c, UINT64_MAX, &n));
    assert_false(certfile_get_number(c, UINT64_MAX, &n));  // more than 64 bits
    assert_int_equal(diag_errors(d), 3);
    certfile_close(c);
    remove(path);
    free(path);
    diag_free(d);
}

static void failures(void **state) {
    (void)state;
    diag *d = diag_new();
    certfile_writer *w = certfile_create("/no/such/folder/x.cert", sample_header(), d);
    certfile_claim(w, json_object());
    certfile_put(w, "data", 4);
    assert_int_equal(diag_errors(d), 0);  // told at the end
    assert_false(certfile_finish(w));
    certfile_abandon(certfile_create("/no/such/folder/x.cert", sample_header(), d));
    assert_int_equal(diag_errors(d), 1);
    char *path = write_sample("certfile_kept.cert", 1);
    certfile_abandon(certfile_create(path, sample_header(), d));  // the old file stays
    uint32_t found;
    assert_true(read_sample(path, &found));
    assert_int_equal(found, 1);
    put_file(path, "{\"parvis_certificate\": 1, \"kind\": \"proof\"}", 42);
    assert_false(read_sample(path, &found));
    put_file(path, "[1]", 3);
    assert_false(read_sample(path, &found));
    remove(path);
    free(path);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(damaged),
                                       cmocka_unit_test(huge_counts), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
