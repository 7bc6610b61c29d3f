// SPDX-License-Identifier: Apache-2.0
// parvis lsp: a language server for .pv and Murphi files, on standard input and output.
//
// A document is read by the same front ends as any other command's, whole, whenever it changes; the model that they
// leave, also after mistakes, answers what names stand for (cli/lsp/names.h). Nothing a client sends ends the server
// but `exit`, the end of its input, and a message that is none.
#include "cli/command.h"
#include "cli/lsp/format.h"
#include "cli/lsp/names.h"
#include "cli/lsp/text.h"
#include "cli/lsp/uses.h"
#include "front/murphi/murphi.h"
#include "front/pv/pv.h"
#include "model/keywords.h"
#include "report/object.h"

#include <string.h>

enum { LARGEST_MESSAGE = 1 << 26, SAME_FILE = 1 };

typedef struct {
    char *uri, *path, *text;
    size_t size;
    lsp_lines lines;
    diag *messages;
    model *m;
} document;

typedef struct {
    session *s;
    VEC(document) documents;
    bool is_over, was_shut;
} server;

// ---- documents

static void document_forget(document *d) {
    model_free(d->m);
    diag_free(d->messages);
    free(d->uri);
    free(d->path);
    free(d->text);
    vec_free(&d->lines);
}

static document *document_find(server *v, const char *uri) {
    for (uint32_t i = 0; uri && i < v->documents.len; i++)
        if (str_same(v->documents.data[i].uri, uri)) return &v->documents.data[i];
    return NULL;
}

static pv_options document_options(const server *v, const document *d) {
    pv_options how = {.text = d->text, .size = d->size, .allowed = v->s->allowed.data, .nallowed = v->s->allowed.len};
    how.search = (front_search){v->s->search.data, v->s->search.len};
    return how;
}

static void document_read(server *v, document *d) {
    sys system;
    model_free(d->m);
    diag_free(d->messages);
    d->messages = diag_new();
    d->m = model_new(d->messages);
    murphi_options as = {.copies_undefined = true};
    pv_options how = document_options(v, d);
    if (str_ends(d->path, ".m")) murphi_read_text(d->m, d->path, d->text, d->size, &as, &system);
    else pv_read(d->m, d->path, &how, NULL);
}

// ---- messages

static void lsp_send(json_t *message) {
    json_object_set_new(message, "jsonrpc", json_string("2.0"));
    char *text = json_dumps(message, JSON_COMPACT);
    printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    fflush(stdout);
    free(text);
    json_decref(message);
}

static void lsp_notify(const char *method, json_t *params) {
    lsp_send(json_pack("{s:s, s:o}", "method", method, "params", params));
}

// What is wrong elsewhere, in a file that is used, is said at the beginning.
static json_t *lsp_diagnostic(const document *d, const diag_message *x) {
    str text = {0};
    bool is_here = x->at.file == SAME_FILE;
    if (!is_here && x->at.file) {
        diag_place_text(d->messages, x->at, &text);
        str_add(&text, ": ");
    }
    str_add(&text, x->text);
    span at = is_here ? x->at : (span){0};
    return json_pack("{s:o, s:i, s:s, s:o}", "range", lsp_text_range(d->text, d->size, &d->lines, at), "severity",
                     x->level == DIAG_ERROR ? 1 : 2, "source", "parvis", "message", object_take(&text));
}

static void append_note(json_t *diagnostic, const char *note) {
    str text = {0};
    str_printf(&text, "%s\n%s", json_string_value(json_object_get(diagnostic, "message")), note);
    json_object_set_new(diagnostic, "message", object_take(&text));
}

static void publish(const document *d) {
    json_t *list = json_array();
    for (uint32_t i = 0; d->messages && i < diag_count(d->messages); i++) {
        diag_message x = diag_get(d->messages, i);
        size_t n = json_array_size(list);
        if (x.level != DIAG_NOTE) json_array_append_new(list, lsp_diagnostic(d, &x));
        else if (n) append_note(json_array_get(list, n - 1), x.text);
    }
    lsp_notify("textDocument/publishDiagnostics", json_pack("{s:s, s:o}", "uri", d->uri, "diagnostics", list));
}

static const char *lsp_string(const json_t *o, const char *name) { return json_string_value(json_object_get(o, name)); }

static void document_set(server *v, const char *uri, const char *text) {
    char *path = uri && text ? lsp_text_path(uri) : NULL;
    if (!path) return;
    document *d = document_find(v, uri);
    if (!d) {
        vec_push(&v->documents, (document){.uri = strdup(uri)});
        d = &vec_last(&v->documents);
    }
    free(d->path);
    free(d->text);
    d->path = path;
    d->text = strdup(text);
    d->size = strlen(text);
    lsp_text_lines(d->text, d->size, &d->lines);
    document_read(v, d);
    publish(d);
}

static void document_close(server *v, const char *uri) {
    document *d = document_find(v, uri);
    if (!d) return;
    lsp_notify("textDocument/publishDiagnostics", json_pack("{s:s, s:[]}", "uri", uri, "diagnostics"));
    document_forget(d);
    *d = vec_last(&v->documents);
    v->documents.len--;
}

// ---- questions

typedef struct {
    document *d;
    size_t begin, end;
    lsp_name name;
} place_asked;

static bool find_asked(server *v, const json_t *params, place_asked *out) {
    const json_t *position = json_object_get(params, "position");
    document *d = document_find(v, lsp_string(json_object_get(params, "textDocument"), "uri"));
    if (!d) return false;
    json_int_t line = json_integer_value(json_object_get(position, "line"));
    json_int_t column = json_integer_value(json_object_get(position, "character"));
    if (line < 0 || column < 0 || line > INT32_MAX || column > INT32_MAX) return false;
    size_t at = lsp_text_offset(d->text, d->size, (uint32_t)line, (uint32_t)column);
    *out = (place_asked){.d = d};
    if (!lsp_text_word(d->text, d->size, at, &out->begin, &out->end)) return false;
    span here = {SAME_FILE, (uint32_t)out->begin, (uint32_t)out->end};
    return lsp_names_find(d->m, d->text + out->begin, out->end - out->begin, here, &out->name);
}

static json_t *answer_definition(server *v, const json_t *params) {
    place_asked a;
    size_t size;
    if (!find_asked(v, params, &a)) return json_null();
    const char *text = diag_file_text(a.d->messages, a.name.at.file, &size);
    str uri = {0};
    if (a.name.at.file == SAME_FILE) str_add(&uri, a.d->uri);
    else lsp_text_uri(diag_file_path(a.d->messages, a.name.at.file), &uri);
    return json_pack("{s:o, s:o}", "uri", object_take(&uri), "range", lsp_text_range(text, size, NULL, a.name.at));
}

static json_t *answer_hover(server *v, const json_t *params) {
    place_asked a;
    if (!find_asked(v, params, &a)) return json_null();
    str text = {0};
    str_add(&text, "```parvis\n");
    lsp_names_text(a.d->m, &a.name, &text);
    str_add(&text, "\n```");
    span word = {SAME_FILE, (uint32_t)a.begin, (uint32_t)a.end};
    return json_pack("{s:{s:s, s:o}, s:o}", "contents", "kind", "markdown", "value", object_take(&text), "range",
                     lsp_text_range(a.d->text, a.d->size, &a.d->lines, word));
}

typedef struct {
    const document *d;
    json_t *list;
    map *known;
    const char *place;  // what a use is given as: "uri" with it, or its range alone
    span left_out;
} listing;

static void list_use(void *context, span at) {
    listing *l = context;
    if (at.file == l->left_out.file && at.begin == l->left_out.begin) return;
    json_t *o = json_pack("{s:o}", "range", lsp_text_range(l->d->text, l->d->size, &l->d->lines, at));
    if (l->place) json_object_set_new(o, "uri", json_string(l->place));
    json_array_append_new(l->list, o);
}

static json_t *list_uses(const place_asked *a, const char *uri, span left_out) {
    uses_text text = {a->d->text, a->d->size, str_ends(a->d->path, ".m")};
    listing l = {.d = a->d, .list = json_array(), .place = uri, .left_out = left_out};
    uses_each(&text, a->d->m, &a->name, list_use, &l);
    return l.list;
}

// In this document; others that use it are not known to be open or read.
static json_t *answer_references(server *v, const json_t *params) {
    place_asked a;
    const json_t *declared = json_object_get(json_object_get(params, "context"), "includeDeclaration");
    if (!find_asked(v, params, &a)) return json_null();
    return list_uses(&a, a.d->uri, json_is_false(declared) ? a.name.at : (span){0});
}

static json_t *answer_highlights(server *v, const json_t *params) {
    place_asked a;
    return find_asked(v, params, &a) ? list_uses(&a, NULL, (span){0}) : json_null();
}

static void list_symbol(void *context, const lsp_name *n) {
    // File, class, function, variable and so on, as the protocol numbers them.
    static const int kinds[] = {[NAME_SORT] = 10,  [NAME_FUNCTION] = 8, [NAME_DEFINITION] = 12, [NAME_VARIABLE] = 13,
                                [NAME_ACTION] = 6, [NAME_SYSTEM] = 5,   [NAME_PROPERTY] = 14};
    listing *l = context;
    if (n->at.file != SAME_FILE || n->kind == NAME_VARIABLE || !*n->name) return;
    str text = {0};
    lsp_names_text(l->d->m, n, &text);
    json_t *range = lsp_text_range(l->d->text, l->d->size, &l->d->lines, n->at);
    json_array_append_new(l->list, json_pack("{s:o, s:o, s:i, s:O, s:o}", "name", object_string(n->name), "detail",
                                             object_take(&text), "kind", kinds[n->kind], "range", range,
                                             "selectionRange", range));
}

static json_t *answer_symbols(server *v, const json_t *params) {
    document *d = document_find(v, lsp_string(json_object_get(params, "textDocument"), "uri"));
    listing l = {.d = d, .list = json_array()};
    if (d) lsp_names_each(d->m, list_symbol, &l);
    return l.list;
}

static void offer(listing *l, const char *label, int kind, str *detail) {
    bool is_new = *label && map_put_str(l->known, label, 1);
    if (is_new)
        json_array_append_new(l->list, json_pack("{s:o, s:i, s:o}", "label", object_string(label), "kind", kind,
                                                 "detail", object_take(detail)));
    else str_free(detail);
}

static void offer_name(void *context, const lsp_name *n) {
    static const int kinds[] = {[NAME_SORT] = 13,  [NAME_FUNCTION] = 5, [NAME_DEFINITION] = 3, [NAME_VARIABLE] = 6,
                                [NAME_ACTION] = 2, [NAME_SYSTEM] = 7,   [NAME_PROPERTY] = 10};
    listing *l = context;
    str text = {0};
    lsp_names_text(l->d->m, n, &text);
    offer(l, n->name, kinds[n->kind], &text);
}

static json_t *answer_completion(server *v, const json_t *params) {
    static const char *const words[] = {
#define X(id, text) text,
        PV_KEYWORDS(X)
#undef X
    };
    document *d = document_find(v, lsp_string(json_object_get(params, "textDocument"), "uri"));
    listing l = {.d = d, .list = json_array(), .known = map_new()};
    if (d) lsp_names_each(d->m, offer_name, &l);
    for (size_t i = 0; d && str_ends(d->path, ".pv") && i < sizeof words / sizeof *words; i++) {
        str text = {0};
        str_add(&text, "keyword");
        offer(&l, words[i], 14, &text);
    }
    map_free(l.known);
    return l.list;
}

// The whole text, if it is a .pv file without mistakes; null: nothing can be said, no edits: it is as it should be.
static json_t *answer_formatting(server *v, const json_t *params) {
    document *d = document_find(v, lsp_string(json_object_get(params, "textDocument"), "uri"));
    if (!d || !str_ends(d->path, ".pv") || diag_failed(d->messages)) return json_null();
    pv_options how = document_options(v, d);
    str text = {0};
    json_t *edits = NULL;
    if (lsp_format(d->m, d->path, &how, &text))
        edits = str_same(str_get(&text), d->text)
                    ? json_array()
                    : json_pack("[{s:o, s:s}]", "range",
                                lsp_text_range(d->text, d->size, &d->lines, (span){SAME_FILE, 0, (uint32_t)d->size}),
                                "newText", str_get(&text));
    str_free(&text);
    return edits ? edits : json_null();
}

static json_t *answer_initialize(server *v, const json_t *params) {
    (void)v, (void)params;
    return json_pack("{s:{s:i, s:b, s:b, s:b, s:b, s:b, s:b, s:{}}, s:{s:s, s:s}}", "capabilities", "textDocumentSync",
                     1, "hoverProvider", 1, "definitionProvider", 1, "referencesProvider", 1,
                     "documentHighlightProvider", 1, "documentSymbolProvider", 1, "documentFormattingProvider", 1,
                     "completionProvider", "serverInfo", "name", "parvis", "version", PARVIS_VERSION);
}

static json_t *answer_shutdown(server *v, const json_t *params) {
    (void)params;
    v->was_shut = true;
    return json_null();
}

static const struct {
    const char *method;
    json_t *(*answer)(server *v, const json_t *params);
} requests[] = {{"initialize", answer_initialize},
                {"shutdown", answer_shutdown},
                {"textDocument/definition", answer_definition},
                {"textDocument/references", answer_references},
                {"textDocument/documentHighlight", answer_highlights},
                {"textDocument/hover", answer_hover},
                {"textDocument/formatting", answer_formatting},
                {"textDocument/documentSymbol", answer_symbols},
                {"textDocument/completion", answer_completion}};

static void take_request(server *v, json_t *id, const char *method, const json_t *params) {
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (str_same(requests[i].method, method)) {
            lsp_send(json_pack("{s:O, s:o}", "id", id, "result", requests[i].answer(v, params)));
            return;
        }
    lsp_send(json_pack("{s:O, s:{s:i, s:s}}", "id", id, "error", "code", -32601, "message", "unknown method"));
}

static void take_notification(server *v, const char *method, const json_t *params) {
    const json_t *of = json_object_get(params, "textDocument"), *changes = json_object_get(params, "contentChanges");
    const char *uri = lsp_string(of, "uri");
    if (str_same(method, "textDocument/didOpen")) document_set(v, uri, lsp_string(of, "text"));
    if (str_same(method, "textDocument/didChange") && json_array_size(changes))
        document_set(v, uri, lsp_string(json_array_get(changes, json_array_size(changes) - 1), "text"));
    if (str_same(method, "textDocument/didClose")) document_close(v, uri);
    if (str_same(method, "exit")) v->is_over = true;
}

// ---- the loop

// The length of the next message; 0: there is none.
static size_t read_header(void) {
    char line[256];
    size_t length = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == '\r' || line[0] == '\n') return length;
        if (strncasecmp(line, "Content-Length:", 15) == 0) length = strtoul(line + 15, NULL, 10);
    }
    return 0;
}

static json_t *read_message(void) {
    size_t length = read_header();
    if (!length || length > LARGEST_MESSAGE) return NULL;
    char *text = mem_alloc(length);
    json_t *message = fread(text, 1, length, stdin) == length ? json_loadb(text, length, 0, NULL) : NULL;
    free(text);
    return message;
}

static int lsp_run(session *s) {
    server v = {.s = s};
    json_t *message;
    while (!v.is_over && (message = read_message())) {
        const char *method = lsp_string(message, "method");
        json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
        if (method && id) take_request(&v, id, method, params);
        else if (method) take_notification(&v, method, params);
        json_decref(message);
    }
    for (uint32_t i = 0; i < v.documents.len; i++) document_forget(&v.documents.data[i]);
    vec_free(&v.documents);
    return v.was_shut ? EXIT_HOLDS : EXIT_VIOLATED;
}

const command lsp_command = {
    .name = "lsp",
    .arguments = "",
    .summary = "a language server for editors, on standard input and output",
    .details =
        "Editors start it by themselves (editors/README.md): mistakes in .pv and Murphi files as you type, what a\n"
        "name stands for, where it is declared (also in files that are used) and used, completion, an outline;\n"
        ".pv files can be formatted: the same lines, indented and spaced as in the library.\n"
        "\n"
        "Examples:\n"
        "  parvis lsp\n",
    .takes = OPTION_BIT(ALLOW),
    .run = lsp_run,
};
