// SPDX-License-Identifier: Apache-2.0
// Lemmas about a specification, kept for other products with it.
//
// A lemma of a proof that is about the specification alone ("prs is part of pws") is likely to hold in every product
// with it. Such lemmas go to a file whose name has the hash of the specification's text. They come back as
// mere candidates: what does not hold initially or is not preserved is dropped like any other candidate. A
// file that cannot be read, or does not fit, is ignored.
#include "infer/prover.h"

#include "base/outfile.h"
#include "model/expr.h"
#include "model/print.h"
#include "model/walk.h"
#include "certificate/formula.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

enum { CACHE_FORMAT = 1, CACHE_MOST = 500 };

static sys specification(const prover *x) {
    const prop_info *p = prop_of(x->m, x->property);
    return p->kind == PROP_REFINES ? p->spec : (sys){0};
}

static bool file_name(const prover *x, str *out) {
    sys spec = specification(x);
    if (!x->o->cache || !spec.id) return false;
    str text = {0};
    print_system(x->m, spec, &text);
    uint64_t hash = XXH3_64bits(str_get(&text), text.len);
    str_printf(out, "%s/%s-%016" PRIx64 ".json", x->o->cache, sys_of(x->m, spec)->name, hash);
    str_free(&text);
    return true;
}

static bool cache_speaks_of(const model *m, expr e, sys owner) {
    bool only = true;
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w)) only &= w.x->kind != E_APP || func_of(m, (func){w.x->ref})->owner.id == owner.id;
    return only;
}

// ---- reading

bool cache_load(prover *x) {
    str path = {0};
    bits fresh = {0};
    json_t *root = file_name(x, &path) ? json_load_file(str_get(&path), 0, NULL) : NULL;
    const json_t *list = json_object_get(root, "lemmas");
    bool fits = json_integer_value(json_object_get(root, "parvis_cache")) == CACHE_FORMAT;
    for (size_t i = 0; fits && i < json_array_size(list) && i < CACHE_MOST; i++) {
        expr e = formula_read(x->m, json_array_get(list, i), NULL);
        if (e.id && cache_speaks_of(x->m, e, specification(x)))
            bits_add(&fresh, prover_add_lemma(x, e, (lemma){.kind = LEMMA_FOUND, .shown = e}));
    }
    prover_check_initially(x, &fresh);
    bool some = !bits_is_empty(&fresh);
    json_decref(root);
    bits_free(&fresh);
    str_free(&path);
    return some;
}

// ---- writing

static json_t *lemmas_about(const prover *x, sys spec) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < x->out->lemmas.len && json_array_size(list) < CACHE_MOST; i++) {
        const proof_lemma *l = &x->out->lemmas.data[i];
        expr e = expr_inline(x->m, l->formula);
        if (l->kind == LEMMA_FOUND && !l->is_assumed && cache_speaks_of(x->m, e, spec))
            json_array_append_new(list, formula_object(x->m, e));
    }
    return list;
}

static bool write_whole(const json_t *root, const char *path) {
    outfile *o = outfile_open(path);
    if (!o) return false;
    if (json_dumpf(root, outfile_stream(o), JSON_COMPACT) == 0) return outfile_commit(o);
    outfile_drop(o);
    return false;
}

void cache_store(prover *x) {
    str path = {0};
    if (file_name(x, &path)) {
        mkdir(x->o->cache, 0777);
        json_t *root =
            json_pack("{s:i, s:o}", "parvis_cache", CACHE_FORMAT, "lemmas", lemmas_about(x, specification(x)));
        if (!write_whole(root, str_get(&path)))
            diag_warning(x->m->messages, (span){0}, "cannot write '%s'", str_get(&path));
        json_decref(root);
    }
    str_free(&path);
}
