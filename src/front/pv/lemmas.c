// SPDX-License-Identifier: Apache-2.0
// --lemmas FILE: lemmas and schemas from a file of their own, read as if they stood at the end of the system that the
// main file's first property is about (without one: the last system of that file).
#include "front/pv/internal.h"

#include <string.h>

// The file that declares the system, and its place there.
typedef struct {
    pv_file *file;
    uint32_t at;
} pv_place;

static bool has_members(const pv_decl *d) { return d->kind == PD_SYSTEM || d->kind == PD_ALGORITHM; }

static const char *lemmas_system_name(const pv_front *f) {
    const pv_file *first = &f->files.data[0];
    const char *last = NULL;
    for (uint32_t i = 0; i < first->ndecls; i++) {
        const pv_decl *d = first->decls[i];
        if (d->kind == PD_PROPERTY && d->nitems) return d->items[0].name;
        if (has_members(d)) last = d->name;
    }
    return last;
}

static bool lemmas_find_system(pv_front *f, const char *name, pv_place *out) {
    for (uint32_t i = 0; i < f->files.len && name; i++)
        for (uint32_t k = 0; k < f->files.data[i].ndecls; k++) {
            const pv_decl *d = f->files.data[i].decls[k];
            if (!has_members(d) || !str_same(d->name, name)) continue;
            *out = (pv_place){&f->files.data[i], k};
            return true;
        }
    return false;
}

static bool lemmas_are_all(pv_front *f, const pv_file *lemmas) {
    for (uint32_t i = 0; i < lemmas->ndecls; i++) {
        pv_decl_kind kind = lemmas->decls[i]->kind;
        if (kind != PD_LEMMA && kind != PD_SCHEMA)
            return diag_error(f->messages, lemmas->decls[i]->at, "only lemmas and schemas are expected in this file");
    }
    return true;
}

bool pv_lemmas_add(pv_front *f, const pv_file *lemmas) {
    const char *name = lemmas_system_name(f);
    pv_place to;
    if (!lemmas_are_all(f, lemmas)) return false;
    if (!lemmas_find_system(f, name, &to))
        return diag_error(f->messages, (span){0}, "there is no system that the lemmas of '%s' could be about%s%s",
                          lemmas->path, name ? ": not " : "", name ? name : "");
    pv_decl_list members = {0}, decls = {0};
    pv_decl *system = arena_copy(f->memory, to.file->decls[to.at], sizeof *system);
    for (uint32_t i = 0; i < system->ndecls; i++) vec_push(&members, system->decls[i]);
    for (uint32_t i = 0; i < lemmas->ndecls; i++) vec_push(&members, lemmas->decls[i]);
    vec_keep(f->memory, &members, &system->decls, &system->ndecls);
    for (uint32_t i = 0; i < to.file->ndecls; i++) vec_push(&decls, i == to.at ? system : to.file->decls[i]);
    vec_keep(f->memory, &decls, &to.file->decls, &to.file->ndecls);
    return true;
}
