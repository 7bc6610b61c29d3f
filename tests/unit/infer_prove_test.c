// SPDX-License-Identifier: Apache-2.0
// The search for proofs: clauses that a stronger one hides in a small instance come back; verdicts are what
// they are.
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "infer/infer.h"

#include <stdlib.h>
#include <string.h>

// In an instance with one node, x = y and has(x) hold, and hide the two lemmas that the property needs.
static const char token[] = "sort Node\n"
                            "system Token {\n"
                            "  rel has(Node), crit(Node)\n"
                            "  init(n: Node) { has(n) := true }\n"
                            "  action pass(n, m: Node) when has(n) & !crit(n) { has(n) := false; has(m) := true }\n"
                            "  action enter(n: Node) when has(n) { crit(n) := true }\n"
                            "  action leave(n: Node) { crit(n) := false }\n"
                            "}\n"
                            "property mutex: Token invariant forall a, b: Node. crit(a) & crit(b) -> a = b\n"
                            "property idle: Token invariant forall a: Node. !crit(a)\n";

static verdict prove(const char *property, uint32_t nodes, infer_options o, uint32_t *lemmas) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    pv_options how = {.text = token, .size = strlen(token), .alone = true};
    assert_true(pv_read(m, "token.pv", &how, NULL));
    sort_size size = {model_find_type(m, "Node"), nodes};
    o.sizes = &size;
    o.nsizes = 1;
    proof *p = infer_prove(m, model_find_prop(m, property), &o);
    verdict v = p->verdict;
    if (lemmas) *lemmas = p->nneeded;
    proof_free(p);
    model_free(m);
    diag_free(messages);
    return v;
}

// The trap of Emmi et al. (2010): without the clauses that were redundant, nothing is left that suffices.
static void parked_clauses_come_back(void **state) {
    (void)state;
    infer_options o = {.weaken_all = true, .only_weaken = true, .only_minimal = true};
    assert_int_equal(prove("mutex", 1, o, NULL), VERDICT_UNKNOWN);
    o.only_minimal = false;
    assert_int_equal(prove("mutex", 1, o, NULL), VERDICT_HOLDS);
}

static void lemmas_on_demand(void **state) {
    (void)state;
    uint32_t lemmas = 0;
    for (uint32_t nodes = 1; nodes <= 3; nodes++) {
        assert_int_equal(prove("mutex", nodes, (infer_options){0}, &lemmas), VERDICT_HOLDS);
        assert_int_equal(lemmas, 3);  // the property, crit -> has, one has
    }
}

static void violations_end_the_search(void **state) {
    (void)state;
    assert_int_equal(prove("idle", 1, (infer_options){0}, NULL), VERDICT_VIOLATED);
    assert_int_equal(prove("mutex", 2, (infer_options){.limits = limits_of_seconds(1e-9)}, NULL), VERDICT_UNKNOWN);
}

// ---- which states the random runs meet does not matter

static verdict prove_file(const char *file, const char *property, uint64_t seed) {
    diag *messages = diag_new();
    model *m = model_new(messages);
    assert_true(pv_read(m, file, &(pv_options){0}, NULL));
    infer_options o = {.most_level = INFER_LEVELS - 1, .seed = seed, .query_seconds = 5};
    proof *p = infer_prove(m, model_find_prop(m, property), &o);
    verdict v = p->verdict;
    proof_free(p);
    model_free(m);
    diag_free(messages);
    return v;
}

static void any_seed_will_do(void **state) {
    (void)state;
    bool is_long = getenv("PARVIS_LONG") != NULL;
    for (uint64_t seed = 0; seed < 3000; seed += 1000) {
        assert_int_equal(prove_file("models/tm/norec.pv", "strictly_serializable", seed), VERDICT_HOLDS);
        if (!is_long) break;
        assert_int_equal(prove_file("models/tm/tl2_split.pv", "strictly_serializable", seed), VERDICT_HOLDS);
        assert_int_equal(prove_file("models/tm/tl2.pv", "opaque", seed), VERDICT_HOLDS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parked_clauses_come_back),
        cmocka_unit_test(lemmas_on_demand),
        cmocka_unit_test(violations_end_the_search),
        cmocka_unit_test(any_seed_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
