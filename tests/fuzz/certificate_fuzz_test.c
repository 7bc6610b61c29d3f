// SPDX-License-Identifier: Apache-2.0
// Certificates of any content: a true closed set with ranks, a simulation and an inclusion are unpacked, changed at
// random (bytes, pieces, numbers in the claims) and packed again with a right check sum, so that the readers of claims
// see them. Each ends confirmed, refused or broken with a message; nothing crashes or runs away.
#include "oracle/unit.h"

#include "base/rng.h"
#include "certificate/closed.h"
#include "certificate/relation.h"
#include "certificate/stateset.h"
#include "front/pv/pv.h"
#include "language/compare.h"
#include "oracle/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ROOM = 1 << 16 };

static const char source[] = "sort P\n"
                             "system A {\n"
                             "  var n: 0..3 = 0\n"
                             "  var mark(P): bool = false\n"
                             "  action up(p: P) when n < 3 & !mark(p) { n := n + 1; mark(p) := true }\n"
                             "  action down(p: P) when n > 0 & mark(p) { n := n - 1; mark(p) := false }\n"
                             "  invariant low: n <= 3\n"
                             "}\n"
                             "system B {\n"
                             "  var n: 0..3 = 0\n"
                             "  var busy: bool = false\n"
                             "  internal action work when !busy { busy := true }\n"
                             "  action up(p: P) when busy & n < 3 { n := n + 1; busy := false }\n"
                             "  action down(p: P) when n > 0 { n := n - 1 }\n"
                             "}\n";

typedef struct {
    diag *d;
    model *m;
    instance *a, *b;
    char *path;
    certfile_writer *out;
} world;

static world begin(void) {
    world w = {.d = diag_new()};
    w.m = model_new(w.d);
    assert_true(pv_read(w.m, "ab.pv", &(pv_options){.text = source, .size = sizeof source - 1}, NULL));
    w.a = instance_new(w.m, model_find_system(w.m, "A"), NULL, 0);
    w.b = instance_new(w.m, model_find_system(w.m, "B"), NULL, 0);
    const char *folder = getenv("PARVIS_TMP");
    str path = {0};
    str_printf(&path, "%s/certificate_fuzz.cert", folder ? folder : "/tmp");
    w.path = path.text;
    return w;
}

static void end(world *w) {
    remove(w->path);
    free(w->path);
    instance_free(w->a);
    instance_free(w->b);
    model_free(w->m);
    diag_free(w->d);
}

// ---- true certificates

static void write_states(world *w, const explored *x) {
    uint64_t state[8];
    value cells[16];
    const space *sp = explored_space(x);
    stateset_writer *out = stateset_writer_new(w->out, space_instance(sp));
    for (uint64_t i = 0; i < explored_count(x); i++) {
        explored_state(x, i, state);
        space_unpack(sp, state, cells);
        stateset_write(out, cells);
    }
    stateset_writer_free(out);
}

static void write_closed(world *w) {
    explored *x;
    result *r = result_new();
    prop low = model_find_prop(w->m, "low");
    explore_options o = {.threads = 1, .symmetry = SYMMETRY_EXACT};
    explore_run(w->a, &low, 1, &o, r, &x);
    type p = model_find_type(w->m, "P");
    closed_claim c = {.in = w->a, .props = &low, .nprops = 1, .stuck = STUCK_REFUSED, .permuted = &p, .npermuted = 1};
    certfile_claim(w->out, closed_claim_object(&c, explored_count(x), NULL));
    write_states(w, x);
    explored_free(x);
    result_free(r);
}

static void write_relation(const compare_witness *k, void *context) {
    world *w = context;
    relation_claim c = {.left = w->a,
                        .right = w->b,
                        .is_simulation = k->is_simulation,
                        .left_states = explored_count(k->left),
                        .right_states = explored_count(k->right),
                        .nsets = k->sets ? k->sets->first.len - 1 : 0,
                        .npairs = k->npairs};
    relation_write_claim(w->out, &c);
    write_states(w, k->left);
    write_states(w, k->right);
    for (uint32_t i = 0; i < c.nsets; i++)
        relation_write_set(w->out, k->sets->members.data + k->sets->first.data[i],
                           k->sets->first.data[i + 1] - k->sets->first.data[i]);
    for (uint32_t i = 0; i < k->npairs; i++) relation_write_pair(w->out, k->pairs[2 * i], k->pairs[2 * i + 1]);
}

static void write_relations(world *w, compare_kind kind) {
    explore_options o = {.threads = 1};
    compare_stats stats[2];
    compare_sink sink = {write_relation, w};
    result *r = result_new();
    compare_run(w->a, w->b, kind, &o, r, stats, &sink);
    assert_int_equal(r->verdict, VERDICT_HOLDS);
    result_free(r);
}

// The stream of a certificate, unpacked; the header is "{…}\n".
static size_t true_stream(world *w, unsigned which, unsigned char *stream) {
    w->out = certfile_create(w->path, certfile_header_new("check"), w->d);
    if (which == 0) write_closed(w);
    else write_relations(w, which == 1 ? COMPARE_INCLUSION : COMPARE_SIMULATION);
    assert_true(certfile_finish(w->out));
    size_t size;
    char *file = str_read_file(w->path, &size);
    size_t head = (size_t)(strstr(file, "}\n") - file) + 2;
    z_stream z = {.next_in = (unsigned char *)file + head, .avail_in = (uInt)(size - head)};
    z.next_out = stream;
    z.avail_out = ROOM;
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    free(file);
    return ROOM - z.avail_out;
}

// ---- changing

static size_t changed(rng *r, unsigned char *s, size_t n) {
    for (uint32_t k = 0, times = 1 + rng_below(r, 3); k < times && n > 4; k++) {
        size_t at = rng_below(r, (uint32_t)n), length = 1 + rng_below(r, 6);
        switch (rng_below(r, 5)) {
        case 0: s[at] ^= (unsigned char)(1 << rng_below(r, 8)); break;
        case 1: s[at] = (unsigned char)rng_below(r, 256); break;
        case 2:
            if (s[at] >= '0' && s[at] <= '9') s[at] = (unsigned char)('0' + rng_below(r, 10));
            break;
        case 3:
            if (at + length < n) memmove(s + at, s + at + length, n - at - length), n -= length;
            break;
        default:
            if (n + length < ROOM) memmove(s + at + length, s + at, n - at), n += length;
        }
    }
    return n;
}

static void put_stream(const world *w, const unsigned char *s, size_t n) {
    static const char head[] = "{\"parvis_certificate\": 2, \"kind\": \"check\"}\n";
    unsigned char *packed = mem_alloc(2 * ROOM);
    z_stream z = {.next_in = (unsigned char *)s, .avail_in = (uInt)n, .next_out = packed, .avail_out = 2 * ROOM};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    FILE *f = fopen(w->path, "wb");
    assert_non_null(f);
    fputs(head, f);
    fwrite(packed, 1, 2 * ROOM - z.avail_out, f);
    fclose(f);
    free(packed);
}

// ---- reading

static bool read_claim(world *w, certfile *file, const json_t *claim, const claim_options *o) {
    const char *kind = certfile_string(file, claim, "kind");
    if (!kind) return false;
    if (strcmp(kind, "closed set") == 0) {
        closed_read r;
        closed_answer a = {.verdict = CLAIM_REFUSED};
        if (closed_read_claim(file, claim, w->m, &r)) a = closed_check(file, claim, &r.claim, o);
        closed_read_free(&r);
        str_free(&a.why);
        return a.verdict == CLAIM_CONFIRMED;
    }
    relation_answer a = relation_check(file, claim, w->m, w->m, o);
    bool ok = a.verdict == CLAIM_CONFIRMED;
    relation_answer_free(&a);
    return ok;
}

static bool read_file(world *w) {
    diag *messages = diag_new(), *before = w->m->messages;
    claim_options o = {.threads = 1, .most_states = 100000, .limits = limits_of_seconds(20)};
    certfile *file = certfile_open(w->path, messages);
    const json_t *claim;
    bool ok = file != NULL;
    uint32_t claims = 0;
    w->m->messages = messages;  // instances complain there
    for (; ok && (claim = certfile_next(file)); claims++) ok = read_claim(w, file, claim, &o);
    ok = ok && claims && !certfile_is_broken(file);
    assert_true(ok || !file || diag_failed(messages) || !certfile_is_broken(file));
    w->m->messages = before;
    certfile_close(file);
    diag_free(messages);
    return ok;
}

static void changed_certificates(void **state) {
    (void)state;
    world w = begin();
    rng r = {part_seed(77)};
    uint32_t rounds = (uint32_t)part_rounds(3000, 200000), confirmed = 0;
    unsigned char *good = mem_alloc(ROOM), *bad = mem_alloc(ROOM);
    for (unsigned which = 0; which < 3; which++) {
        size_t n = true_stream(&w, which, good);
        assert_true(read_file(&w));
        for (uint32_t i = 0; i < rounds / 3; i++) {
            memcpy(bad, good, n);
            put_stream(&w, bad, changed(&r, bad, n));
            confirmed += read_file(&w);
        }
    }
    printf("# tally: fuzzed certificates, %u still true | %u cases | 0 wrong\n", confirmed, rounds);
    assert_true(confirmed < rounds / 2);
    free(good);
    free(bad);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_certificates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
