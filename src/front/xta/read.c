// SPDX-License-Identifier: Apache-2.0
// Reading UPPAAL's files: syntax, then the network, then the queries: see xta.h.
#include "front/xta/internal.h"

#include <string.h>

static void xta_lower_free(xlower *w) {
    for (uint32_t i = 0; i < w->processes.len; i++) {
        xprocess *p = w->processes.data[i];
        for (uint32_t k = 0; k < p->edges.len; k++) {
            xedge *e = &p->edges.data[k];
            vec_free(&e->params);
            vec_free(&e->bounds);
            vec_free(&e->body);
            vec_free(&e->resets);
        }
        vec_free(&p->edges);
    }
    scopes_free(w->names);
    map_free(w->process_numbers);
    map_free(w->query_counts);
    map_free(w->atoms);
    vec_free(&w->syms);
    vec_free(&w->processes);
    vec_free(&w->channel_types);
    free(w->channel_levels);
    vec_free(&w->starts);
    vec_free(&w->locals);
    map_free(w->results);
}

static bool xta_check_defines(xta_file *f, const xta_options *o) {
    for (uint32_t i = 0; i < o->ndefines; i++) {
        bool found = false;
        for (uint32_t k = 0; k < f->decls.len; k++)
            found |= f->decls.data[k].kind == XD_VAR && f->decls.data[k].type->is_const &&
                     strcmp(f->decls.data[k].name, o->defines[i].name) == 0;
        if (!found) diag_error(f->messages, (span){0}, "there is no constant '%s' to define", o->defines[i].name);
    }
    return !diag_failed(f->messages);
}

// A text that lives as long as the model.
static bool add_query_text(xta_file *f, const char *path, const char *text, size_t size) {
    const char *kept = arena_strn(f->memory, text, size);
    return xta_parse_queries(f, (xta_piece){diag_add_file(f->messages, path, kept, size), kept, size});
}

static bool add_queries(xta_file *f, const xta_options *o) {
    bool ok = true;
    for (uint32_t i = 0; i < o->npaths; i++) {
        size_t size;
        const char *text = front_read_file(f->m, o->paths[i], &size);
        ok &= text && add_query_text(f, o->paths[i], text, size);
    }
    f->gives_queries = true;
    for (uint32_t i = 0; i < o->nqueries; i++) ok &= add_query_text(f, "--query", o->queries[i], strlen(o->queries[i]));
    return ok;
}

static bool xta_lower(xta_file *f, const xta_options *o, const char *path, sys *system) {
    const char *slash = strrchr(path, '/');
    xlower w = {
        .file = f, .m = f->m, .defines = o->defines, .ndefines = o->ndefines, .size = o->size, .size_use = o->size_use};
    w.system = *system = model_add_system(f->m, slash ? slash + 1 : path, (span){f->file, 0, 0});
    w.timed = arena_alloc(f->memory, sizeof *w.timed);
    sys_of(f->m, w.system)->timed = w.timed;
    vec_push(&w.timed->clocks, ((timed_clock){.name = "0", .member = "0"}));
    w.names = scopes_new();
    w.process_numbers = map_new();
    w.query_counts = map_new();
    w.atoms = map_new();
    w.results = map_new();
    xscope *known = xscope_new(&w, NULL);
    xdeclare_known(&w, known);
    w.globals = xscope_new(&w, known);
    w.scope = w.globals;
    bool ok = xnetwork(&w);
    if (ok && o->tells_time) xtime_clock(&w);
    ok = ok && xqueries(&w) && expr_all_shallow(f->m);
    xta_lower_free(&w);
    return ok && !diag_failed(f->messages);
}

static bool is_xml(const char *path, const char *text, size_t size) {
    if (str_ends(path, ".xml")) return true;
    size_t i = 0;
    while (i < size && strchr(" \t\r\n", text[i])) i++;
    return !str_ends(path, ".xta") && i < size && text[i] == '<';
}

bool xta_read_text(model *m, const char *path, const char *text, size_t size, const xta_options *options, sys *system) {
    xta_file f = {.m = m, .memory = m->memory, .messages = m->messages};
    f.skips_queries = options->npaths || options->nqueries;
    f.file = diag_add_file(m->messages, path, text, size);
    bool ok = is_xml(path, text, size) ? xta_parse_xml(&f, path, text, size)
                                       : xta_parse_file(&f, (xta_piece){f.file, text, size});
    ok = ok && add_queries(&f, options) && xta_check_defines(&f, options);
    if (ok && options->size) xta_check_names(&f, options->size, options->size_use);
    ok = ok && xta_lower(&f, options, path, system);
    xta_file_free(&f);
    return ok;
}

bool xta_read(model *m, const char *path, const xta_options *options, sys *system) {
    size_t size;
    const char *text = front_read_file(m, path, &size);
    return text && xta_read_text(m, path, text, size, options, system);
}
