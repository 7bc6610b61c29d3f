// SPDX-License-Identifier: Apache-2.0
// Files and the order of work: read and parse the main file, then every file that is used, each once by its real path;
// when all of them are there, collect names and lower into the model, also where the text has mistakes, so that all
// kinds of them are reported in one go. Nothing but the main file and the files named by `use` is ever opened.
#include "base/order.h"
#include "base/reach.h"
#include "front/ix/ix.h"
#include "front/pv/pv.h"
#include "front/pv/internal.h"
#include "front/scopes.h"
#include "front/source.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- files

static const char *real_path(pv_front *f, const char *path) {
    char *real = realpath(path, NULL);
    const char *kept = arena_str(f->memory, real ? real : path);
    free(real);
    return kept;
}

// "models/tm/../specs/x.pv" is shown to users as "models/specs/x.pv", unless a link makes that another file.
static const char *simplified(pv_front *f, const char *path) {
    const char *up = strstr(path, "/../"), *begin = up;
    while (begin && begin > path && begin[-1] != '/') begin--;
    if (!up || begin == up || *begin == '.') return path;
    const char *shorter = arena_printf(f->memory, "%.*s%s", (int)(begin - path), path, up + 4);
    return str_same(real_path(f, shorter), real_path(f, path)) ? simplified(f, shorter) : path;
}

static const char *pv_read_path_beside(pv_front *f, const char *file, const char *path) {
    return simplified(f, front_path_beside(f->memory, file, path));
}

// Where a file that another one uses is: beside that one, else on the search path.
static const char *path_of_used(pv_front *f, const char *file, const char *path) {
    const char *beside = pv_read_path_beside(f, file, path);
    struct stat st;
    const char *found = stat(beside, &st) == 0 ? NULL : front_find(f->memory, &f->options->search, path);
    return found ? simplified(f, found) : beside;
}

static bool pv_read_is_known(const pv_front *f, const char *real) {
    for (uint32_t i = 0; i < f->files.len; i++)
        if (str_same(f->files.data[i].real, real)) return true;
    return false;
}

static bool pv_read_add_text(pv_front *f, const char *path, const char *real, const char *text, size_t size,
                             bool is_named) {
    pv_file file = {.path = path, .real = real, .is_named = is_named};
    if (size > PV_LARGEST_FILE) return diag_error(f->messages, (span){0}, "cannot read '%s': it is too large", path);
    file.number = diag_add_file(f->messages, path, text, size);
    pv_parse_file(f, &file);
    vec_push(&f->files, file);
    return true;
}

// Files that the user names are read wherever they are; what they use has its bounds.
static bool may_read(pv_front *f, const char *path, span at) {
    reach r = {f->files.len ? f->files.data[0].path : path, f->options->allowed, f->options->nallowed};
    bool ok = !at.file || reach_allows(&r, path);
    for (uint32_t i = 1; !ok && i < f->files.len; i++)
        if (f->files.data[i].is_named) ok = reach_allows(&(reach){.from = f->files.data[i].path}, path);
    if (ok) return true;
    diag_error(f->messages, at, "'%s' is not read: it is not a model below this one's folder or in the library", path);
    diag_note(f->messages, (span){0}, "--allow DIR allows the models of another folder");
    return false;
}

static bool add_file(pv_front *f, const char *path, span at) {
    const char *real = real_path(f, path);
    if (pv_read_is_known(f, real)) return true;
    if (!may_read(f, path, at)) return false;
    size_t size;
    const char *text = front_read(f->m->memory, f->messages, path, at, PV_LARGEST_FILE, &size);
    if (text && str_ends(path, ".ix")) {
        text = ix_translate(path, text, size, f->messages, f->m->memory);
        path = arena_printf(f->m->memory, "%s (as .pv)", path);
        size = text ? strlen(text) : 0;
    }
    return text && pv_read_add_text(f, path, real, text, size, !at.file);
}

static bool add_main(pv_front *f, const char *path) {
    if (!f->options->text) return add_file(f, path, (span){0});
    size_t size = f->options->size;
    char *kept = arena_strn(f->m->memory, f->options->text, size);
    return pv_read_add_text(f, path, real_path(f, path), kept, size, true);
}

static bool add_used(pv_front *f, uint32_t file) {
    bool good = true;
    for (uint32_t i = 0; i < f->files.data[file].ndecls; i++) {
        const pv_decl *d = f->files.data[file].decls[i];
        if (d->kind != PD_USE) continue;
        if (f->options->alone) diag_error(f->messages, d->at, "'use' is not possible here: there are no other files");
        good &= !f->options->alone && add_file(f, path_of_used(f, f->files.data[file].path, d->name), d->at);
    }
    return good;
}

static bool add_all_used(pv_front *f, uint32_t from) {
    bool good = true;
    for (uint32_t i = from; i < f->files.len; i++) good &= add_used(f, i);
    return good;
}

// ---- the contention manager that the options name

static const pv_decl *manager_in(const pv_file *file, const char *name) {
    for (uint32_t i = 0; i < file->ndecls; i++) {
        const pv_decl *d = file->decls[i];
        if (d->kind == PD_MANAGER && (!name || strcasecmp(d->name, name) == 0)) return d;
    }
    return NULL;
}

static const pv_decl *manager_declared(const pv_front *f, const char *name) {
    const pv_decl *found = NULL;
    for (uint32_t i = 0; i < f->files.len && !found; i++) found = manager_in(&f->files.data[i], name);
    return found;
}

// A name stands for a file of the library, found from the files read or from the current directory.
static const char *manager_path(pv_front *f, const char *name) {
    if (strchr(name, '/') || str_ends(name, ".pv")) return name;
    const char *file = arena_printf(f->memory, "%s.pv", name);
    const char *places[] = {"../managers/", "managers/", "", "models/managers/"};
    struct stat st;
    for (uint32_t i = 0; i < 4 * f->files.len; i++) {
        const char *path = arena_printf(f->memory, "%s%s", places[i % 4], file);
        if (i % 4 < 3) path = pv_read_path_beside(f, f->files.data[i / 4].path, path);
        if (stat(path, &st) == 0) return path;
    }
    const char *found = front_find(f->memory, &f->options->search, arena_printf(f->memory, "managers/%s", file));
    if (found) return found;
    diag_error(f->messages, (span){0},
               "unknown contention manager '%s': none is declared in the files read, "
               "and there is no %s in ../managers or models/managers",
               name, file);
    return NULL;
}

static bool add_manager(pv_front *f) {
    const char *name = f->options->manager;
    if (!name || (f->manager = manager_declared(f, name))) return true;
    const char *path = f->options->alone ? NULL : manager_path(f, name);
    uint32_t old = f->files.len;
    if (!path || !add_file(f, path, (span){0}) || !add_all_used(f, old)) return false;
    const char *real = real_path(f, path);
    for (uint32_t i = 0; i < f->files.len; i++)
        if (str_same(f->files.data[i].real, real)) f->manager = manager_in(&f->files.data[i], NULL);
    if (!f->manager) diag_error(f->messages, (span){0}, "'%s' declares no contention manager", path);
    return f->manager != NULL;
}

static bool add_lemmas(pv_front *f) {
    const char *path = f->options->lemmas;
    size_t size;
    if (!path) return true;
    const char *text = front_read(f->m->memory, f->messages, path, (span){0}, PV_LARGEST_FILE, &size);
    if (!text) return false;
    pv_file file = {.path = path, .number = diag_add_file(f->messages, path, text, size)};
    return pv_parse_members_of(f, &file) && pv_lemmas_add(f, &file);
}

static bool read_all(pv_front *f, const char *path) {
    bool good = add_main(f, path);
    return add_all_used(f, 0) && good && add_manager(f) && add_lemmas(f);
}

// ---- what the main file declares

static void fill_unit(const pv_front *f, pv_unit *unit) {
    uint32_t file = f->files.data[0].number;
    VEC(sys) systems = {0};
    VEC(uint64_t) places = {0};  // of properties: the place, then the number
    VEC(prop) props = {0};
    for (uint32_t i = 1; i < f->scopes.len; i++)
        if (f->scopes.data[i]->decl->at.file == file) vec_push(&systems, f->scopes.data[i]->system);
    for (uint32_t i = 1; i < f->m->props.len; i++)
        if (f->m->props.data[i].at.file == file) vec_push(&places, (uint64_t)f->m->props.data[i].at.begin << 32 | i);
    if (places.len) qsort(places.data, places.len, sizeof *places.data, order_u64);
    for (uint32_t i = 0; i < places.len; i++) vec_push(&props, (prop){(uint32_t)places.data[i]});
    vec_keep(f->m->memory, &systems, &unit->systems, &unit->nsystems);
    vec_keep(f->m->memory, &props, &unit->props, &unit->nprops);
    vec_free(&places);
}

// ---- all of it

static void free_front(pv_front *f) {
    for (uint32_t i = 0; i < f->scopes.len; i++) vec_free(&f->scopes.data[i]->parts);
    vec_free(&f->scopes);
    scopes_free(f->names);
    scopes_free(f->literals);
    vec_free(&f->symbols);
    vec_free(&f->files);
    arena_free(f->memory);
}

bool pv_read(model *m, const char *path, const pv_options *o, pv_unit *unit) {
    static const pv_options none = {0};
    pv_front f = {.m = m, .messages = m->messages, .memory = arena_new(), .options = o ? o : &none};
    f.names = scopes_new();
    f.literals = scopes_new();
    uint32_t before = diag_errors(m->messages);
    vec_push(&f.symbols, (pv_symbol){.name = "", .state = PV_WRONG});
    if (unit) *unit = (pv_unit){0};
    if (read_all(&f, path) && pv_algorithm_expand(&f)) {
        uint32_t syntax = diag_errors(m->messages);
        pv_names_collect(&f);
        if (diag_errors(m->messages) == syntax) pv_lower(&f);
        if (unit) fill_unit(&f, unit);
        if (diag_errors(m->messages) == before) expr_all_shallow(m);
    }
    free_front(&f);
    return diag_errors(m->messages) == before;
}
