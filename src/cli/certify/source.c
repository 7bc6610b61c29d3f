// SPDX-License-Identifier: Apache-2.0
// The model in a certificate: see source.h.
#include "cli/certify/source.h"

#include "model/print.h"

#include <errno.h>
#include <string.h>

static const span nowhere = {0};

// ---- taking

// The file's name too: systems of some languages are called after it.
static json_t *options_object(const options *o, const char *path) {
    json_t *defines = json_object();
    for (uint32_t i = 0; i < o->defines.len; i++)
        json_object_set_new_nocheck(defines, o->defines.data[i].name, json_integer(o->defines.data[i].value));
    const char *slash = strrchr(path, '/');
    json_t *all = json_pack("{s:o, s:o, s:s}", "name", certfile_text(slash ? slash + 1 : path), "defines", defines,
                            "semantics", o->semantics == SEMANTICS_RUMUR ? "rumur" : "cmurphi");
    if (o->manager) json_object_set_new(all, "manager", certfile_text(o->manager));
    if (o->spec) json_object_set_new(all, "spec", certfile_text(o->spec));
    return all;
}

static bool is_printed(const char *path) {
    return str_ends(path, ".pv") || str_ends(path, ".ix") || str_ends(path, ".pyv");
}

static bool take_file(session *s, const char *path, source *out) {
    size_t size;
    char *text = str_read_file(path, &size);
    bool ok = text && strlen(text) == size;
    if (!text) session_error(s, "cannot read '%s': %s", path, strerror(errno));
    else if (!ok) session_error(s, "'%s' has a zero byte in it", path);
    if (ok) str_add(&out->text, text);
    free(text);
    return ok;
}

bool source_take(session *s, const char *path, const loaded *l, source *out) {
    *out = (source){.options = options_object(&s->opt, path)};
    const char *dot = strrchr(path, '.');
    out->language = is_printed(path) ? ".pv" : arena_str(s->opt.memory, dot ? dot : "");
    if (!is_printed(path)) return take_file(s, path, out);
    print_model(l->m, &out->text);
    return true;
}

void source_free(source *x) {
    str_free(&x->text);
    json_decref(x->options);
    *x = (source){0};
}

certfile_model source_model(const source *x) {
    return (certfile_model){.language = x->language, .text = str_get(&x->text), .options = x->options};
}

// ---- reading

// The options that a certificate was made with take the place of those of this run.
static bool set_options(session *s, const certfile_model *c) {
    const char *name;
    json_t *number, *defines = json_object_get(c->options, "defines");
    const char *semantics = json_string_value(json_object_get(c->options, "semantics"));
    const json_t *queries = json_object_get(c->options, "queries");
    vec_clear(&s->opt.defines);
    json_object_foreach(defines, name, number) {
        json_int_t n = json_integer_value(number);
        if (!json_is_integer(number) || n < INT32_MIN || n > INT32_MAX)
            return session_error(s, "certificate: the value of '%s' is not a number", name);
        vec_push(&s->opt.defines, (front_define){arena_str(s->opt.memory, name), (int32_t)n});
    }
    vec_clear(&s->opt.queries);
    for (size_t i = 0; i < json_array_size(queries); i++) {
        const char *query = json_string_value(json_array_get(queries, i));
        if (query) vec_push(&s->opt.queries, arena_str(s->opt.memory, query));
    }
    s->opt.semantics = semantics && strcmp(semantics, "rumur") == 0 ? SEMANTICS_RUMUR : SEMANTICS_CMURPHI;
    s->opt.manager = json_string_value(json_object_get(c->options, "manager"));
    s->opt.spec = json_string_value(json_object_get(c->options, "spec"));
    return true;
}

bool source_read(session *s, const certfile_model *c, loaded *l) {
    const char *text = arena_str(s->opt.memory, c->text);  // diagnostics quote it
    const char *said = json_string_value(json_object_get(c->options, "name"));
    const char *name = arena_str(s->opt.memory, said ? said : "model");
    return set_options(s, c) && load_text(s, c->language, name, text, l);
}

// ---- the user's own file

bool source_is_of_file(session *s, const certfile_model *c, const char *path) {
    loaded l = {0};
    source own = {0};
    if (!set_options(s, c)) return false;
    bool ok = (!is_printed(path) || load_file(s, path, &l)) && source_take(s, path, &l, &own);
    bool is_same = ok && strcmp(own.language, c->language) == 0 && strcmp(str_get(&own.text), c->text) == 0;
    if (ok && !is_same) {
        session_error(s, "the certificate is not about '%s': its model is another one", path);
        size_t at = 0, line = 1;
        const char *text = str_get(&own.text);
        for (; text[at] && text[at] == c->text[at]; at++) line += text[at] == '\n';
        diag_note(s->messages, nowhere, "they differ from line %zu of the %s", line,
                  is_printed(path) ? "canonical text (parvis show) on" : "file on");
    }
    source_free(&own);
    return is_same;
}
