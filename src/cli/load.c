// SPDX-License-Identifier: Apache-2.0
// Reading a model: see load.h. A new input language is a row of `languages`.
#include "cli/load.h"

#include "cli/command.h"
#include "front/ix/ix.h"
#include "front/murphi/murphi.h"
#include "front/pv/pv.h"
#include "front/pyv/pyv.h"
#include "front/xta/xta.h"
#include "history/spec.h"

#include <string.h>
#include <unistd.h>

static const span nowhere = {0};

// `text`: read instead of the file; NULL: none.
static bool read_pv_text(session *s, const char *path, const str *text, loaded *l) {
    pv_unit unit = {0};
    pv_options how = {.defines = s->opt.defines.data,
                      .ndefines = s->opt.defines.len,
                      .manager = s->opt.manager,
                      .allowed = s->opt.allowed.data,
                      .nallowed = s->opt.allowed.len};
    if (text) how.text = str_get(text), how.size = text->len;
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
    bool ok = read_pv_text(s, path, NULL, &probe) && load_main_system(s, &probe, &system) &&
              ix_load(&x, s->messages, s->opt.spec);
    const char *slash = strrchr(path, '/');
    if (ok) str_printf(text, "use \"%s\"\n", slash ? slash + 1 : path);
    if (ok) spec_property(&x, sys_of(probe.m, system)->name, text);
    interchange_free(&x);
    return ok;
}

static bool read_pv(session *s, const char *path, loaded *l) {
    if (!s->opt.spec) return read_pv_text(s, path, NULL, l);
    str text = {0};
    char *name = arena_printf(s->opt.memory, "%s --spec %s", path, s->opt.spec);
    bool ok = write_against(s, path, &text) && read_pv_text(s, name, &text, l);
    str_free(&text);
    return ok;
}

// One system a file; what it declares is all there is.
static void load_take_all(loaded *l, sys *system) {
    model *m = l->m;
    prop *props = arena_alloc(m->memory, m->props.len * sizeof *props);
    for (uint32_t i = 1; i < m->props.len; i++) props[l->nprops++] = (prop){i};
    l->systems = system;
    l->nsystems = 1;
    l->props = props;
}

static bool read_pyv(session *s, const char *path, loaded *l) {
    model *m = l->m;
    sys *system = arena_alloc(m->memory, sizeof *system);
    (void)s;
    if (!pyv_read(m, path, system)) return false;
    load_take_all(l, system);
    return true;
}

static bool load_read_murphi(session *s, const char *path, loaded *l) {
    model *m = l->m;
    murphi_options o = {.defines = s->opt.defines.data,
                        .ndefines = s->opt.defines.len,
                        .lemmas = s->opt.lemmas,
                        .copies_undefined = s->opt.semantics == SEMANTICS_CMURPHI};
    sys *system = arena_alloc(m->memory, sizeof *system);
    bool ok = murphi_read(m, path, &o, system);
    if (!ok) return false;
    load_take_all(l, system);
    l->deadlock = DEADLOCK_STUTTERING;
    l->errors = 1;
    return true;
}

// Queries: --query, else the second argument, else those of the file, else of the .q file beside it.
static const char *queries_beside(session *s, const char *path) {
    if (s->opt.queries.len) return NULL;
    if (s->opt.arguments.len > 2) return s->opt.arguments.data[2];
    const char *dot = strrchr(path, '.');
    char *beside = arena_printf(s->opt.memory, "%.*s.q", (int)(dot - path), path);
    return access(beside, R_OK) == 0 ? beside : NULL;
}

static bool read_xta(session *s, const char *path, loaded *l) {
    xta_options o = {.defines = s->opt.defines.data,
                     .ndefines = s->opt.defines.len,
                     .queries_path = queries_beside(s, path),
                     .queries = s->opt.queries.data,
                     .nqueries = s->opt.queries.len};
    sys *system = arena_alloc(l->m->memory, sizeof *system);
    bool is_taken = s->command->takes_timed, ok = is_taken && xta_read(l->m, path, &o, system);
    if (!is_taken) session_error(s, "'parvis %s' does not take timed automata; 'parvis check' does", s->command->name);
    if (ok) load_take_all(l, system);
    return ok;
}

typedef struct {
    const char *extension;
    bool (*read)(session *s, const char *path, loaded *l);
} language;

static const language languages[] = {{".pv", read_pv},         {".ix", read_pv},   {".pyv", read_pyv},
                                     {".m", load_read_murphi}, {".xta", read_xta}, {".ta", read_xta},
                                     {".xml", read_xta}};

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

bool load_file(session *s, const char *path, loaded *l) {
    *l = (loaded){0};
    const language *lang = language_of(path);
    if (!lang) {
        complain_language(s, path);
        return false;
    }
    if (s->opt.spec && lang->read != read_pv)
        return session_error(s, "--spec is for histories and for models in the language .pv");
    l->m = model_new(s->messages);
    vec_push(&s->models, l->m);
    session_phase(s, "reading the model");
    bool ok = lang->read(s, path, l) && !diag_failed(s->messages);
    session_phase(s, NULL);
    if (ok) session_show_messages(s);
    return ok;
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
