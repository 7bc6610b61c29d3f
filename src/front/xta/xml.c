// SPDX-License-Identifier: Apache-2.0
// UPPAAL's XML files, read with libxml2: no external entities, no network, no files but the one given.
//
// The text of each element becomes a piece of source of its own, with the path and the line that it has in the file.
#include "front/xta/internal.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

typedef struct {
    xta_file *f;
    const char *path;
    bool ok;
} reader;

static bool is(const xmlNode *n, const char *name) {
    return n->type == XML_ELEMENT_NODE && str_same((const char *)n->name, name);
}

static uint32_t line_of(const xmlNode *n) {
    long line = xmlGetLineNo(n);
    return line > 0 ? (uint32_t)line : 1;
}

static span line_span(reader *r, const xmlNode *n) {
    const char *text = arena_printf(r->f->memory, "<%s>", (const char *)n->name);
    size_t size = strlen(text);
    return (span){diag_add_part(r->f->messages, r->path, text, size, line_of(n)), 0, (uint32_t)size};
}

static void xta_wrong(reader *r, const xmlNode *n, const char *text) {
    diag_error(r->f->messages, line_span(r, n), "%s", text);
    r->ok = false;
}

static const char *attribute(reader *r, xmlNode *n, const char *name) {
    xmlChar *v = xmlGetProp(n, (const xmlChar *)name);
    const char *kept = v ? arena_str(r->f->memory, (const char *)v) : NULL;
    xmlFree(v);
    return kept;
}

static xta_piece content(reader *r, xmlNode *n) {
    xmlChar *v = xmlNodeGetContent(n);
    xta_piece p = {.text = arena_str(r->f->memory, v ? (const char *)v : "")};
    xmlFree(v);
    p.size = strlen(p.text);
    p.file = diag_add_part(r->f->messages, r->path, p.text, p.size, line_of(n));
    return p;
}

// Without white space around it.
static const char *trimmed(reader *r, xmlNode *n) {
    xmlChar *v = xmlNodeGetContent(n);
    const char *s = v ? (const char *)v : "";
    s += strspn(s, " \t\r\n");
    size_t len = strlen(s);
    while (len && strchr(" \t\r\n", s[len - 1])) len--;
    const char *kept = arena_strn(r->f->memory, s, len);
    xmlFree(v);
    return kept;
}

// The kind of a label; "": it is none.
static const char *label_kind(reader *r, xmlNode *n) {
    const char *kind = is(n, "label") ? attribute(r, n, "kind") : NULL;
    return kind ? kind : "";
}

static void read_location(reader *r, xmlNode *n, xta_template *t) {
    xta_location l = {.id = attribute(r, n, "id"), .at = line_span(r, n)};
    if (!l.id) {
        xta_wrong(r, n, "a location has an id");
        return;
    }
    l.name = l.id;
    for (xmlNode *k = n->children; k; k = k->next) {
        const char *kind = label_kind(r, k);
        xta_edge e = {0};
        if (is(k, "name") && *trimmed(r, k)) l.name = trimmed(r, k);
        if (is(k, "urgent")) l.is_urgent = true;
        if (is(k, "committed")) l.is_committed = true;
        if (str_same(kind, "exponentialrate") && *trimmed(r, k)) xta_warn_once(r->f, LEFT_RATES, line_span(r, k));
        if (!str_same(kind, "invariant")) continue;
        r->ok &= xta_parse_label(r->f, content(r, k), LABEL_CONDITION, &e);
        l.invariant = e.guard;
    }
    vec_push(&t->locations, l);
}

static void read_label(reader *r, xmlNode *n, xta_edge *e) {
    static const struct {
        const char *kind;
        xta_label which;
    } kinds[] = {{"select", LABEL_SELECT},
                 {"guard", LABEL_CONDITION},
                 {"synchronisation", LABEL_SYNC},
                 {"assignment", LABEL_ASSIGN}};
    const char *kind = label_kind(r, n);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_same(kind, kinds[i].kind)) r->ok &= xta_parse_label(r->f, content(r, n), kinds[i].which, e);
    if (str_same(kind, "probability") && *trimmed(r, n)) xta_warn_once(r->f, LEFT_PROBABILITIES, line_span(r, n));
}

static void read_edge(reader *r, xmlNode *n, xta_template *t) {
    xta_edge e = {.at = line_span(r, n)};
    e.from_at = e.to_at = e.at;
    for (xmlNode *k = n->children; k; k = k->next) {
        if (is(k, "source")) e.from = attribute(r, k, "ref");
        if (is(k, "target")) e.to = attribute(r, k, "ref");
        read_label(r, k, &e);
    }
    if (e.from && e.to) vec_push(&t->edges, e);
    else xta_wrong(r, n, "a transition has a source and a target");
}

static void read_template(reader *r, xmlNode *n) {
    xta_template t = {.name = "", .at = line_span(r, n)};
    for (xmlNode *k = n->children; k; k = k->next) {
        if (is(k, "name")) t.name = trimmed(r, k);
        else if (is(k, "parameter")) r->ok &= xta_parse_params(r->f, content(r, k), &t);
        else if (is(k, "declaration")) r->ok &= xta_parse_decls(r->f, content(r, k), &t.decls, &t.ndecls);
        else if (is(k, "location")) read_location(r, k, &t);
        else if (is(k, "branchpoint") && attribute(r, k, "id")) vec_push(&t.branchpoints, attribute(r, k, "id"));
        else if (is(k, "lsc") || is(k, "instance")) xta_wrong(r, k, "live sequence charts are not supported");
        else if (is(k, "init")) {
            t.init = attribute(r, k, "ref");
            t.init_at = line_span(r, k);
        } else if (is(k, "transition")) read_edge(r, k, &t);
    }
    if (!*t.name) xta_wrong(r, n, "a template has a name");
    if (r->ok) r->ok = xta_join_branches(r->f, &t);
    vec_push(&r->f->templates, t);
}

// What UPPAAL answered when the file was saved, or was told to expect: <result outcome="success"/>, <expect …/>.
static const char *stored_outcome(reader *r, xmlNode *query) {
    const char *said = NULL;
    for (xmlNode *x = query->children; x; x = x->next) {
        const char *outcome = is(x, "result") || is(x, "expect") ? attribute(r, x, "outcome") : NULL;
        if (outcome && (!said || is(x, "expect"))) said = outcome;
    }
    return !said ? NULL : str_same(said, "success") ? "holds" : str_same(said, "failure") ? "violated" : NULL;
}

static void read_queries(reader *r, xmlNode *n) {
    for (xmlNode *k = n->children; k; k = k->next)
        for (xmlNode *x = is(k, "query") ? k->children : NULL; x; x = x->next) {
            if (!is(x, "formula") || !*trimmed(r, x)) continue;
            xta_piece p = content(r, x);
            char *text = arena_strn(r->f->memory, p.text, p.size);
            // A formula may go over several lines: after its first word a line break is a blank.
            for (char *c = text + strspn(text, " \t\r\n"); *c; c++)
                if (*c == '\n') *c = ' ';
            uint32_t first = r->f->queries.len;
            r->ok &= xta_parse_queries(r->f, (xta_piece){p.file, text, p.size});
            for (uint32_t i = first; i < r->f->queries.len; i++) r->f->queries.data[i].expects = stored_outcome(r, k);
        }
}

static void read_global(reader *r, xmlNode *n) {
    xta_decl *decls;
    uint32_t count;
    r->ok &= xta_parse_decls(r->f, content(r, n), &decls, &count);
    for (uint32_t i = 0; i < count; i++) vec_push(&r->f->decls, decls[i]);
}

static void read_nta(reader *r, xmlNode *root) {
    for (xmlNode *k = root->children; k; k = k->next) {
        if (is(k, "declaration")) read_global(r, k);
        else if (is(k, "template")) read_template(r, k);
        else if (is(k, "instantiation") || is(k, "system")) r->ok &= xta_parse_file(r->f, content(r, k));
        else if (is(k, "queries") && !r->f->skips_queries) read_queries(r, k);
    }
}

static void complain_xml(xta_file *f, uint32_t file, xmlParserCtxt *context) {
    const xmlError *e = xmlCtxtGetLastError(context);
    size_t size, at = 0;
    const char *text = diag_file_text(f->messages, file, &size);
    for (int line = 1; e && line < e->line && at < size; at++)
        if (text[at] == '\n') line++;
    str message = {0};
    str_add(&message, e && e->message ? e->message : "this is no XML");
    while (message.len && strchr(" \n\r", message.text[message.len - 1])) message.text[--message.len] = '\0';
    diag_error(f->messages, (span){file, (uint32_t)at, (uint32_t)(at < size ? at + 1 : at)}, "%s", str_get(&message));
    str_free(&message);
}

// Messages of libxml2 go nowhere: the last error is asked for.
static void silent(void *context, const char *format, ...) {
    (void)context;
    (void)format;
}

bool xta_parse_xml(xta_file *f, const char *path, const char *text, size_t size) {
    xmlParserCtxt *context = xmlNewParserCtxt();
    xmlSetGenericErrorFunc(NULL, silent);
    // NOENT is not given: entities are not replaced; LOAD_EXTERNAL and DTDLOAD neither: no other file is
    // read.
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;
    xmlDoc *doc = xmlCtxtReadMemory(context, text, (int)size, path, NULL, options);
    reader r = {f, path, doc != NULL};
    if (!doc) complain_xml(f, f->file, context);
    else {
        xmlNode *root = xmlDocGetRootElement(doc);
        if (root && is(root, "nta")) read_nta(&r, root);
        else {
            diag_error(f->messages, (span){f->file, 0, 0}, "this is not a UPPAAL model: its root is not <nta>");
            r.ok = false;
        }
    }
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(context);
    return r.ok;
}
