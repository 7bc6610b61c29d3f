// SPDX-License-Identifier: Apache-2.0
// The Murphi reader on damaged files: bytes flipped, parts cut out, doubled and moved. It must say what is
// wrong or read it, and neither crash nor leak. A fixed seed, or that of PARVIS_SEED; PARVIS_LONG makes it long,
// PARVIS_SECONDS goes on for so many seconds of processor time.
#include "oracle/unit.h"

#include "base/clock.h"
#include "base/rng.h"
#include "front/murphi/murphi.h"
#include "oracle/damage.h"
#include "oracle/part.h"
#include "oracle/random_murphi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sample[] =
    "const N : 2; M : N + 1;\n"
    "type node : scalarset(N); none : enum { nobody }; link : union { node, none }; small : 0 .. M;\n"
    "  packet : record what : enum { a, b }; dest : link; end;\n"
    "var net : multiset [2] of packet; head : link; x, y : small; row : array [small] of boolean;\n"
    "  per : array [node] of packet;\n"
    "function is_big(v : small) : boolean; var k : small; begin k := 0;\n"
    "  for i := 0 to 2 by 2 do if i > v then return false; end; k := 1; end; return v > k; end;\n"
    "procedure put_in(var p : packet; n : node); begin p.dest := n; p.what := a; end;\n"
    "function down(n : small) : small; begin if n = 0 then return 00; end; return down(n - 1); end;\n"
    "startstate \"go\" head := nobody; clear x; y := 1; for i : small do row[i] := false; end;\n"
    "  for n : node do undefine per[n]; end; undefine net; end;\n"
    "ruleset n : node do rule \"r\" is_big(x) | isundefined(per[n].dest) ==> var p : packet; begin\n"
    "  put_in(p, n); multisetadd(p, net); per[n] := p; head := n;\n"
    "  switch per[n].what case a: x := 0; case b: y := x; else error \"no\"; end;\n"
    "  alias q : per[n] do if q.dest = head then q.what := b; elsif !row[x] then clear y; else return; end; "
    "end;\n"
    "  while x > 2 do x := x - 1; end; assert x <= M; assume true; put x; end; end;\n"
    "choose c : net do rule \"take\" ismember(net[c].dest, node) ==> begin multisetremove(c, net); end; "
    "end;\n"
    "function at_end(n : small) : boolean; var i : small; begin i := n; while i != M do i := i + 1; end; "
    "return i = M; "
    "end;\n"
    "function note(v : small) begin for i : small; j := 0 to 1 do row[i] := j = 0; end; end;\n"
    "rule at_end(x) ==> begin note(x); alias r : per2() s : x do put r.what; s := 0; end; end;\n"
    "function per2() : packet; var p : packet; begin undefine p; p.what := b; return p; end;\n"
    "rule multisetcount(i : net, is_big(x)) = 0 ==> begin x := (x * 2147483647 + 1) % 2; end;\n"
    "rule \"skip\" end; rule down(x) = 0 ==> begin y := down(y); end;\n"
    "alias z : x + 1 do rule z < 3 & (x = 1 ? true : y != 0) -> x >= 0 ==> begin x := z; end; end;\n"
    "rule begin multisetremovepred(i : net, net[i].what = a); undefine head; head := nobody; end;\n"
    "invariant \"few\" multisetcount(i : net, true) <= 2;\n"
    "cover exists i : small do row[i] & (x << 1) % 2 = 0 end;\nliveness x = 0; assume y < 9 | 0x10 > 3;\n";

static const char marks[] = "()[]{}&|!.,:;<>=-+*/%?\"09";

static bool read(const char *text, size_t size) {
    diag *d = diag_new();
    model *m = model_new(d);
    sys s = {0};
    murphi_options o = {.copies_undefined = true};
    bool ok = murphi_read_text(m, "fuzz.m", text, size, &o, &s);
    str out = {0};
    diag_print(d, &out, false);
    assert_int_equal(ok, !diag_failed(d));
    str_free(&out);
    model_free(m);
    diag_free(d);
    return ok;
}

static void sample_is_read(void **context) {
    (void)context;
    assert_true(read(sample, strlen(sample)));
}

static void damage_and_read(rng *r, const char *text, size_t size, unsigned rounds, unsigned *read_well) {
    size_t room = size + 200;
    for (unsigned i = 0; i < rounds; i++) {
        char *copy = mem_alloc(room + 1);
        size_t now = size;
        memcpy(copy, text, size);
        for (uint32_t k = 1 + rng_below(r, 4); k > 0 && now > 1; k--) damage(r, marks, copy, &now, room);
        *read_well += read(copy, now);
        free(copy);
    }
}

static void damage_random_models(rng *r, uint64_t first_seed, unsigned rounds, unsigned *read_well) {
    for (uint64_t seed = first_seed; seed < first_seed + 20; seed++) {
        str text = {0};
        bits none = {0};
        random_murphi(seed, &none, &text);
        damage_and_read(r, text.text, text.len, rounds / 20, read_well);
        str_free(&text);
    }
}

static void damaged_texts(void **context) {
    (void)context;
    uint64_t seed = part_seed(2026);
    double seconds = getenv("PARVIS_SECONDS") ? strtod(getenv("PARVIS_SECONDS"), NULL) : 0;
    rng r = {seed};
    unsigned rounds = seconds > 0 ? 1000 : (unsigned)part_rounds(1000, 500000), read_well = 0, passes = 0;
    do {
        damage_and_read(&r, sample, strlen(sample), rounds, &read_well);
        damage_random_models(&r, seed + 20 * passes++, rounds, &read_well);
    } while (clock_cpu_seconds() < seconds);
    printf("# tally: damaged Murphi files | %u cases | 0 wrong\n", passes * 2 * rounds);
    assert_true(read_well > 0);
}

static void deep_nesting(void **context) {
    (void)context;
    enum { DEEP = 50000 };
    static const char *const openers[] = {"invariant (",
                                          "invariant !",
                                          "invariant a -> ",
                                          "invariant a ? ",
                                          "var x : array [boolean] of ",
                                          "var x : record a : ",
                                          "ruleset i : 0..1 do ",
                                          "rule begin if a then ",
                                          "rule begin for i : 0..1 do ",
                                          "invariant forall i : 0..1 do ",
                                          "invariant - ",
                                          "invariant f("};
    for (size_t k = 0; k < sizeof openers / sizeof *openers; k++) {
        str s = {0};
        const char *part = openers[k], *space = strchr(part, ' ');
        str_addn(&s, part, (size_t)(space - part));
        if (strncmp(part, "rule ", 5) == 0) str_add(&s, " begin"), space = strchr(space + 1, ' ');
        if (strncmp(part, "var ", 4) == 0) str_add(&s, " x :"), space = strchr(part, ':') + 1;
        for (int i = 0; i < DEEP; i++) str_add(&s, strncmp(part, "ruleset", 7) == 0 ? part : space);
        assert_false(read(s.text, s.len));
        str_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_is_read),
        cmocka_unit_test(damaged_texts),
        cmocka_unit_test(deep_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
