// SPDX-License-Identifier: Apache-2.0
// Reading a model: see load.h. A new input language is a row of `languages`.
#include "cli/load.h"

#include "cli/command.h"
#include "front/ix/ix.h"
#include "front/murphi/murphi.h"
#include "front/pv/pv.h"
#include "front/pyv/pyv.h"
#include "front/xta/xta.h"
#include "history/interchange.h"
#include "history/spec.h"
#include "pass/symmetric.h"

#include <string.h>
#include <unistd.h>

static const span nowhere = {0};

// Of a text that is read instead of the file: where it is NULL, the file is.
typedef struct {
    const char *text;
    bool is_alone;              // of a certificate: nothing but the text is read
    const char *const *ranges;  // of Murphi: types to read as scalarsets
    uint32_t nranges;
} text_source;

static bool read_pv_text(session *s, const char *path, text_source from, loaded *l) {
    pv_unit unit = {0};
    pv_options how = {.text = from.text, .size = from.text ? strlen(from.text) : 0, .alone = from.is_alone};
    if (!from.is_alone) {
        how.defines = s->opt.defines.data;
        how.ndefines = s->opt.defines.len;
        how.manager = s->opt.manager;
        how.lemmas = s->opt.lemmas;
        how.allowed = s->allowed.data;
        how.nallowed = s->allowed.len;
        how.search = (front_search){s->search.data, s->search.len};
    }
    bool ok = pv_read(l->m, path, &how, &unit);
    l->systems = unit.systems;
    l->nsystems = unit.nsystems;
    l->props = unit.props;
    l->nprops = unit.nprops;
    return ok;
}

// --spec: the file's main system refines the specification that a set of interchanges is. A text of one
// property uses the file, which is read twice, since the system's name is not known before.
static bool write_against(session *s, const char *path, str *text) {
    interchange x;
    sys system;
    loaded probe = {.m = model_new(s->messages)};
    vec_push(&s->models, probe.m);
    interchange_begin(&x, probe.m->memory);
    bool ok = read_pv_text(s, path, (text_source){0}, &probe) && load_main_system(s, &probe, &system) &&
              ix_load(&x, s->messages, s->opt.spec);
    const char *slash = strrchr(path, '/');
    if (ok) str_printf(text, "use \"%s\"\n", slash ? slash + 1 : path);
    if (ok) spec_property(&x, sys_of(probe.m, system)->name, text);
    interchange_free(&x);
    return ok;
}

static bool read_pv(session *s, const char *path, text_source from, loaded *l, sys *system) {
    (void)system;
    if (!s->opt.spec || from.is_alone) return read_pv_text(s, path, from, l);
    str text = {0};
    char *name = arena_printf(s->opt.memory, "%s --spec %s", path, s->opt.spec);
    bool ok = write_against(s, path, &text) && read_pv_text(s, name, (text_source){.text = str_get(&text)}, l);
    str_free(&text);
    return ok;
}

static bool read_pyv(session *s, const char *path, text_source from, loaded *l, sys *system) {
    (void)from;
    return pyv_read(l->m, path, s->opt.lemmas, system);
}

static murphi_options as_asked(const session *s) {
    return (murphi_options){.defines = s->opt.defines.data,
                            .ndefines = s->opt.defines.len,
                            .lemmas = s->opt.lemmas,
                            .deepest_recursion = s->opt.limit_recursion,
                            .copies_undefined = s->opt.semantics == SEMANTICS_CMURPHI};
}

static bool read_murphi(session *s, const char *path, text_source from, loaded *l, sys *system) {
    murphi_options o = as_asked(s);
    o.names_only = from.ranges;
    o.nnames_only = from.nranges;
    l->deadlock = DEADLOCK_STUTTERING;
    l->errors = 1;
    if (!from.text) return murphi_read(l->m, path, &o, system);
    return murphi_read_text(l->m, path, from.text, strlen(from.text), &o, system);
}

// Queries: --query, else the .q files given, else those of the .q file beside it, else of the file.
static const char *const *queries_beside(session *s, const char *path, uint32_t *n) {
    *n = 0;
    if (s->opt.queries.len) return NULL;
    if (s->command->takes_queries && s->opt.arguments.len > 2) {
        *n = s->opt.arguments.len - 2;
        return s->opt.arguments.data + 2;
    }
    const char *dot = strrchr(path, '.');
    const char *beside = arena_printf(s->opt.memory, "%.*s.q", (int)(dot - path), path);
    *n = access(beside, R_OK) == 0;
    return arena_copy(s->opt.memory, &beside, sizeof beside);
}

static bool read_xta(session *s, const char *path, text_source from, loaded *l, sys *system) {
    xta_options o = {.defines = s->opt.defines.data,
                     .ndefines = s->opt.defines.len,
                     .queries = s->opt.queries.data,
                     .nqueries = s->opt.queries.len,
                     .size = s->timed_size,
                     .size_use = &s->timed_size_use,
                     .tells_time = options_has(&s->opt, OPT_FASTEST)};
    if (!from.text) o.paths = queries_beside(s, path, &o.npaths);
    if (!s->command->takes_timed)
        return session_error(s, "'parvis %s' does not take timed automata; 'parvis check' does", s->command->name);
    if (!from.text) return xta_read(l->m, path, &o, system);
    if (!o.nqueries) return session_error(s, "certificate: there is no query in it");
    return xta_read_text(l->m, path, from.text, strlen(from.text), &o, system);
}

bool load_counts_processes(const session *s, const model *m, prop query, str *why) {
    if (!s->timed_size_use.file && !prop_of(m, query)->size_use.file) return false;
    str_printf(why, "%s is used as a number, or the name of a process is", s->timed_size);
    return true;
}

typedef struct {
    const char *extension;
    // The system of a file goes to *system; where a file may have several, *l has them.
    bool (*read)(session *s, const char *path, text_source from, loaded *l, sys *system);
    bool is_certified;  // texts of it are in certificates
} language;

static const language languages[] = {{".pv", read_pv, true},    {".ix", read_pv, false},  {".pyv", read_pyv, false},
                                     {".m", read_murphi, true}, {".xta", read_xta, true}, {".ta", read_xta, true},
                                     {".xml", read_xta, true}};

static const language *language_of(const char *path) {
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (str_ends(path, languages[i].extension)) return &languages[i];
    return NULL;
}

static void complain_language(session *s, const char *path) {
    str known = {0};
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        str_printf(&known, "%s%s", i ? ", " : "", languages[i].extension);
    session_error(s, "cannot tell the language of '%s' from its name (known: %s)", path, str_get(&known));
    str_free(&known);
}

// Where there is one system, what it declares is all there is.
static void load_take_all(loaded *l, sys *system) {
    model *m = l->m;
    prop *props = arena_alloc(m->memory, m->props.len * sizeof *props);
    for (uint32_t i = 1; i < m->props.len; i++) props[l->nprops++] = (prop){i};
    l->systems = system;
    l->nsystems = 1;
    l->props = props;
}

static bool load_as(session *s, const language *lang, const char *path, text_source from, loaded *l) {
    *l = (loaded){.m = model_new(s->messages)};
    vec_push(&s->models, l->m);
    sys *system = arena_alloc(l->m->memory, sizeof *system);
    bool ok = lang->read(s, path, from, l, system) && !diag_failed(s->messages);
    if (ok && system->id) load_take_all(l, system);
    return ok;
}

bool load_file(session *s, const char *path, loaded *l) {
    const language *lang = language_of(path);
    if (!lang) {
        complain_language(s, path);
        return false;
    }
    if (s->opt.spec && lang->read != read_pv)
        return session_error(s, "--spec is for histories and for models in the language .pv");
    session_phase(s, "reading the model");
    bool ok = load_as(s, lang, path, (text_source){0}, l);
    session_phase(s, NULL);
    if (ok) session_show_messages(s);
    return ok;
}

static bool names_sort(const loaded *l, const char *name) {
    type t = model_find_type(l->m, name);
    return t.id && type_of(l->m, t)->kind == TYPE_SORT;
}

// Is there a scalarset to abstract, those named or any?
static bool has_sort(const session *s, const loaded *l) {
    if (!s->opt.over) return symmetric_main_sort(l->m, l->systems[0]).id;
    return names_sort(l, s->opt.over) && (!s->opt.over_also || names_sort(l, s->opt.over_also));
}

bool load_sort(session *s, loaded *l, const char **why) {
    const char *path = s->file;
    const language *lang = language_of(path);
    *why = NULL;
    if (lang->read != read_murphi || s->opt.method == METHOD_FIRST_ORDER || has_sort(s, l)) return true;
    size_t size;
    const char *text = diag_file_text(s->messages, sys_of(l->m, l->systems[0])->at.file, &size);
    murphi_options o = as_asked(s);
    session_phase(s, "looking for ranges that could be scalarsets");
    const char *const named[2] = {s->opt.over, s->opt.over_also};
    murphi_ranges r = murphi_find_ranges(path, text, size, &o, named, s->opt.memory);
    text_source from = {.text = text, .ranges = r.names, .nranges = r.n};
    bool ok = !r.n || load_as(s, lang, path, from, l);
    session_phase(s, NULL);
    if (r.refused) *why = arena_printf(s->opt.memory, "the numbers of '%s' are told apart, %s", r.refused, r.why);
    return ok;
}

bool load_text(session *s, const char *extension, const char *name, const char *text, loaded *l) {
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (str_same(languages[i].extension, extension) && languages[i].is_certified)
            return load_as(s, &languages[i], name, (text_source){.text = text, .is_alone = true}, l);
    return session_error(s, "certificate: there is no language '%s'", extension);
}

// ---- names

typedef VEC(const char *) name_list;

static void complain_name(session *s, const char *kind, const char *name, const name_list *known) {
    const char *near = diag_nearest(name, known->data, known->len);
    if (near) session_error(s, "no %s '%s' in '%s', did you mean '%s'?", kind, name, s->file, near);
    else session_error(s, "no %s '%s' in '%s'", kind, name, s->file);
    str list = {0};
    for (uint32_t i = 0; i < known->len; i++) str_printf(&list, "%s%s", i ? ", " : "", known->data[i]);
    if (known->len && !near) diag_note(s->messages, nowhere, "it has: %s", str_get(&list));
    str_free(&list);
}

bool load_find_property(session *s, const loaded *l, const char *name, prop *p) {
    *p = model_find_prop(l->m, name);
    if (p->id) return true;
    name_list known = {0};
    for (uint32_t i = 0; i < l->nprops; i++) vec_push(&known, prop_of(l->m, l->props[i])->name);
    complain_name(s, "property", name, &known);
    vec_free(&known);
    return false;
}

bool load_find_system(session *s, const loaded *l, const char *name, sys *found) {
    *found = model_find_system(l->m, name);
    if (found->id) return true;
    name_list known = {0};
    for (uint32_t i = 1; i < l->m->systems.len; i++)
        if (*l->m->systems.data[i].name) vec_push(&known, l->m->systems.data[i].name);
    complain_name(s, "system", name, &known);
    vec_free(&known);
    return false;
}

bool load_main_system(session *s, const loaded *l, sys *found) {
    if (s->opt.system) return load_find_system(s, l, s->opt.system, found);
    if (l->nprops) *found = prop_of(l->m, l->props[0])->system;
    else if (l->nsystems) *found = l->systems[l->nsystems - 1];
    else return session_error(s, "'%s' declares no system", s->file);
    return true;
}
