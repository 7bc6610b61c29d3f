// SPDX-License-Identifier: Apache-2.0
// See cmp.h.
#include "cli/certify/cmp.h"

#include "base/clock.h"
#include "base/units.h"
#include "cmp/cmp.h"
#include "explore/explore.h"
#include "front/murphi/murphi.h"
#include "report/murphi.h"
#include "report/object.h"

#include <string.h>

// ---- writing

// Types that are ranges in the text and were read as scalarsets.
static json_t *ranges_taken(const model *m) {
    json_t *names = json_array();
    for (uint32_t i = 1; i < m->types.len; i++)
        if (m->types.data[i].is_range) json_array_append_new(names, certfile_text(m->types.data[i].name));
    return names;
}

static json_t *proof_entry(const proof *p) {
    json_t *lemmas = json_array();
    str text = {0};
    for (uint32_t i = 0; i < p->nneeded; i++) {
        str_clear(&text);
        murphi_print_expr(p->m, p->lemmas.data[i].formula, &text);
        json_array_append_new(lemmas, certfile_text(str_get(&text)));
    }
    str_clear(&text);
    murphi_print_abstract(&p->shown, &text);
    json_t *entry =
        json_pack("{s:o, s:o, s:i, s:o, s:o}", "property", certfile_text(prop_of(p->m, p->property)->name), "sort",
                  certfile_text(p->sort), "kept", p->kept, "lemmas", lemmas, "abstract", certfile_text(str_get(&text)));
    if (p->also) json_object_set_new(entry, "also", certfile_text(p->also));
    json_t *ranges = ranges_taken(p->m);
    if (json_array_size(ranges)) json_object_set(entry, "ranges", ranges);
    json_decref(ranges);
    str_free(&text);
    return entry;
}

bool cmp_certificate_write(session *s, const source *of, const char *path, const proof *const *proofs, uint32_t n) {
    json_t *list = json_array(), *header = certfile_header_new("cmp");
    certfile_model m = source_model(of);
    for (uint32_t i = 0; i < n; i++)
        if (proofs[i]->verdict == VERDICT_HOLDS) json_array_append_new(list, proof_entry(proofs[i]));
    certfile_put_model(header, &m);
    json_object_set_new(header, "proofs", list);
    return certfile_finish(certfile_create(path, header, s->messages));
}

// ---- reading

static model *cmp_certificate_read_text(session *s, const char *name, const char *text, const murphi_options *o,
                                        sys *system) {
    model *m = model_new(s->messages);
    vec_push(&s->models, m);
    const char *kept = arena_str(m->memory, text);
    return murphi_read_text(m, name, kept, strlen(kept), o, system) ? m : NULL;
}

// The printed model on its own: all its invariants hold.
static bool explore_printed(session *s, const char *text) {
    sys system;
    murphi_options o = {.copies_undefined = true};
    model *m = cmp_certificate_read_text(s, "abstract model", text, &o, &system);
    instance *in = m ? instance_new(m, system, NULL, 0) : NULL;
    explore_options how = {.symmetry = SYMMETRY_EXACT, .limits = s->limits};
    result *r = result_new();
    VEC(prop) props = {0};
    for (uint32_t i = 1; m && i < m->props.len; i++) vec_push(&props, (prop){i});
    bool ok = in && explore_run(in, props.data, props.len, &how, r, NULL) == END_COMPLETE;
    ok = ok && props.len && r->verdict == VERDICT_HOLDS;
    vec_free(&props);
    result_free(r);
    instance_free(in);
    return ok;
}

// Returns how many there are.
static uint32_t cmp_certificate_add_lemmas(str *text, const json_t *lemmas) {
    uint32_t n = 0;
    for (size_t i = 0; i < json_array_size(lemmas); i++) {
        const char *one = json_string_value(json_array_get(lemmas, i));
        if (one) str_printf(text, "\nlemma \"lemma %u\" %s;\n", ++n, one);
    }
    return n;
}

static const char *text_of(const json_t *entry, const char *member) {
    return json_string_value(json_object_get(entry, member));
}

static void read_ranges(session *s, const json_t *entry, murphi_options *o) {
    const json_t *names = json_object_get(entry, "ranges");
    size_t n = json_array_size(names);
    const char **list = arena_alloc(s->opt.memory, (n + 1) * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name) list[o->nnames_only++] = arena_str(s->opt.memory, name);
    }
    o->names_only = list;
}

// The model with the lemmas: its abstraction is made again, and everything holds there. The lemmas are read on their
// own, so that one whose text declares something else, an assumption say, is refused. source_read() has set the options
// to those of the certificate.
static bool derive_again(session *s, const certfile_model *c, const json_t *entry, str *scope) {
    cmp_given given = {.sort = text_of(entry, "sort"), .also = text_of(entry, "also"), .limits = s->limits};
    murphi_options o = {.defines = s->opt.defines.data, .ndefines = s->opt.defines.len};
    o.copies_undefined = s->opt.semantics == SEMANTICS_CMURPHI;
    str lemmas = {0};
    given.nlemmas = cmp_certificate_add_lemmas(&lemmas, json_object_get(entry, "lemmas"));
    o.lemma_text = arena_str(s->opt.memory, str_get(&lemmas));
    read_ranges(s, entry, &o);
    sys system;
    model *m = cmp_certificate_read_text(s, "model", c->text, &o, &system);
    const char *property = text_of(entry, "property");
    prop p = m && property ? model_find_prop(m, property) : (prop){0};
    json_int_t kept = json_integer_value(json_object_get(entry, "kept"));
    given.kept = kept > 0 && kept < 8 ? (uint32_t)kept : 0;
    bool ok = p.id && given.sort && given.kept && cmp_check_given(m, p, &given, scope);
    str_free(&lemmas);
    return ok;
}

static bool recheck_entry(session *s, const certfile_model *whole, const json_t *entry, json_t *list) {
    const char *property = text_of(entry, "property");
    const char *abstract = text_of(entry, "abstract");
    const char *sort = text_of(entry, "sort");
    double start = clock_seconds();
    str text = {0}, scope = {0};
    bool printed = abstract && explore_printed(s, abstract), derived = printed && derive_again(s, whole, entry, &scope);
    json_t *j =
        json_pack("{s:o, s:o, s:b, s:b, s:b}", "property", object_string(property ? property : ""), "sort",
                  object_string(sort ? sort : ""), "confirmed", derived, "printed", printed, "derived", derived);
    if (derived) json_object_set_new(j, "scope", object_string(str_get(&scope)));
    json_array_append_new(list, j);
    style_verdict(&s->style, property ? property : "?", derived ? ROLE_GOOD : ROLE_BAD,
                  derived ? "confirmed" : "not confirmed", &text);
    if (derived) str_printf(&text, " for %s", str_get(&scope));
    else if (!limits_met(&s->limits))
        str_printf(&text, ", %s",
                   printed ? "it does not follow from the model and the lemmas" : "the abstract model does not hold");
    str_add(&text, ", ");
    units_seconds_text(clock_seconds() - start, &text);
    str_char(&text, '\n');
    session_say(s, &text);
    str_free(&scope);
    return derived;
}

int cmp_certificate_recheck(session *s, certfile *file) {
    certfile_model whole;
    loaded plain;
    const json_t *proofs = json_object_get(certfile_header(file), "proofs");
    if (!certfile_get_model(certfile_header(file), s->messages, &whole) || !source_read(s, &whole, &plain))
        return EXIT_BAD_INPUT;
    if (!json_array_size(proofs)) {
        certfile_complain(file, "there is no proof in it");
        return EXIT_BAD_INPUT;
    }
    json_t *list = json_array();
    bool all = true;
    for (size_t i = 0; i < json_array_size(proofs) && !limits_met(&s->limits); i++)
        all &= recheck_entry(s, &whole, json_array_get(proofs, i), list);
    bool is_over = session_say_limit(s);
    session_answer(s, json_pack("{s:b, s:o}", "confirmed", all && !is_over, "proofs", list));
    if (diag_failed(s->messages)) return EXIT_BAD_INPUT;
    if (is_over) return EXIT_UNKNOWN;
    return all ? EXIT_HOLDS : EXIT_VIOLATED;
}
