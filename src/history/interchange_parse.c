// SPDX-License-Identifier: Apache-2.0
// The language of interchange specifications (.ix): see interchange.h. Tokens are taken from the text one
// at a time; a formula becomes nodes in the order in which its parts end. Takes any bytes.
#include "history/interchange.h"

#include "base/cursor.h"
#include "base/reach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 200, MOST_FILES = 16, LARGEST_FILE = 1 << 20, SORT_UNKNOWN = PAST_SORTS };

typedef struct {
    cursor c;
    interchange *x;
    const char *path;
    const char *named;  // the file that the user named
    past *f;            // being built
    span var_at[PAST_MOST_VARS];
    uint32_t files;  // that use one another
} parser;

static bool read_unit(parser *p, bool is_used);

// ---- tokens

static size_t ix_string(cursor *c, size_t begin) {
    if (c->text[begin] != '"') return begin;
    size_t i = begin + 1;
    while (i < c->size && c->text[i] != '"' && c->text[i] != '\n') i++;
    size_t end = i < c->size && c->text[i] == '"' ? i + 1 : i;
    cursor_put(c, TOKEN_STRING, begin, end, arena_strn(c->memory, c->text + begin + 1, i - begin - 1));
    return end;
}

static const cursor_language ix_language = {.symbols = (const char *const[]){"!=", "->", NULL},
                                            .characters = "()&|!=,:",
                                            .reserved = (const char *const[]){NULL},
                                            .comment = "//",
                                            .deepest = MOST_DEPTH,
                                            .special = ix_string};

static const token *interchange_here(const parser *p) { return cursor_peek(&p->c); }
static bool interchange_at(const parser *p, const char *key) { return cursor_sees(&p->c, key); }
static bool accept(parser *p, const char *key) { return cursor_accept(&p->c, key); }
static bool interchange_expect(parser *p, const char *key) { return cursor_expect(&p->c, key); }

// One message per file: what follows a mistake is guesswork.
static bool interchange_wrong(parser *p, span where, const char *what, const char *name) {
    cursor_fail(&p->c, where, what, name);
    return false;
}

static bool ix_missing(parser *p, const char *wanted) {
    cursor_wrong(&p->c, wanted);
    return false;
}

// ---- variables

static const char *const sort_names[] = {"a client", "an address", "a value"};

static bool find_var(parser *p, const char *name, span where, uint8_t *out) {
    past *f = p->f;
    for (uint32_t v = 0; v < f->nvars; v++)
        if (str_same(f->names[v], name)) return *out = (uint8_t)v, true;
    if (f->nvars == PAST_MOST_VARS) return interchange_wrong(p, where, "too many variables in one formula%s", "");
    f->names[f->nvars] = arena_str(p->x->memory, name);
    f->sorts[f->nvars] = (past_sort)SORT_UNKNOWN;
    p->var_at[f->nvars] = where;
    *out = (uint8_t)f->nvars++;
    return true;
}

static bool set_sort(parser *p, uint8_t v, past_sort s, span where) {
    if (p->f->sorts[v] == (past_sort)SORT_UNKNOWN) p->f->sorts[v] = s;
    if (p->f->sorts[v] == s) return true;
    char what[96];
    snprintf(what, sizeof what, "'%%s' is %s elsewhere in this formula, here %s", sort_names[p->f->sorts[v]],
             sort_names[s]);
    return interchange_wrong(p, where, what, p->f->names[v]);
}

// Variables that are compared are of one sort.
static bool share_sort(parser *p, const past_node *n, bool *changed) {
    past_sort *a = &p->f->sorts[n->var[0]], *b = &p->f->sorts[n->var[1]], unknown = (past_sort)SORT_UNKNOWN;
    if (*a == *b) return true;
    if (*a != unknown && *b != unknown) return set_sort(p, n->var[1], *a, p->var_at[n->var[1]]);
    *changed = true;
    *(*a == unknown ? a : b) = *a == unknown ? *b : *a;
    return true;
}

static bool interchange_sorts_known(parser *p) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->f->nnodes; i++)
            if (p->f->nodes[i].kind == PAST_SAME && !share_sort(p, &p->f->nodes[i], &changed)) return false;
    }
    for (uint32_t v = 0; v < p->f->nvars; v++)
        if (p->f->sorts[v] == (past_sort)SORT_UNKNOWN)
            return interchange_wrong(p, p->var_at[v], "'%s' does not occur in any event of the formula",
                                     p->f->names[v]);
    return true;
}

// ---- formulas

static bool interchange_add(parser *p, past_node n) {
    if (p->f->nnodes == PAST_MOST_NODES)
        return interchange_wrong(p, interchange_here(p)->at, "this formula is too large%s", "");
    p->f->nodes[p->f->nnodes++] = n;
    return true;
}

static uint8_t last_node(const parser *p) { return (uint8_t)(p->f->nnodes - 1); }

static bool interchange_formula(parser *p);
static bool interchange_unary(parser *p);

static bool kinds_of(const char *name, uint8_t *kinds) {
    event_kind k = event_kind_find(name, strlen(name));
    *kinds = 0;
    if (k < EVENT_NT_READ) *kinds = (uint8_t)(1 << k);
    if (str_same(name, "event")) *kinds = (1 << EVENT_NT_READ) - 1;
    if (str_same(name, "access")) *kinds = 1 << EVENT_READ | 1 << EVENT_WRITE;
    if (str_same(name, "close")) *kinds = 1 << EVENT_COMMIT | 1 << EVENT_ABORT;
    return *kinds != 0;
}

static bool interchange_argument(parser *p, past_node *n, uint32_t sort) {
    span where = interchange_here(p)->at;
    if (accept(p, "_")) return true;
    if (interchange_here(p)->kind != TOKEN_WORD) return ix_missing(p, "a variable or '_'");
    if (!find_var(p, interchange_here(p)->text, where, &n->var[sort]) ||
        !set_sort(p, n->var[sort], (past_sort)sort, where))
        return false;
    cursor_take(&p->c);
    return true;
}

static bool event_pattern(parser *p, const char *name, span where) {
    past_node n = {.kind = PAST_EVENT, .var = {PAST_ANY, PAST_ANY, PAST_ANY}};
    if (event_is_outside(event_kind_find(name, strlen(name))))
        return interchange_wrong(
            p, where, "'%s' is never met: it stands for an open, an access and a commit in the sequence", name);
    if (!kinds_of(name, &n.kinds)) {
        static const char *const known[] = {"open", "read", "write", "commit", "abort", "event", "access", "close"};
        const char *near = diag_nearest(name, known, 8);
        interchange_wrong(p, where, "unknown event '%s'", name);
        if (near) diag_note(p->c.messages, (span){0}, "did you mean '%s'?", near);
        return false;
    }
    bool has_address = !(n.kinds & ~(1 << EVENT_READ | 1 << EVENT_WRITE));
    if (!interchange_expect(p, "(") || !interchange_argument(p, &n, PAST_CLIENT)) return false;
    for (uint32_t s = PAST_ADDRESS; s < PAST_SORTS && interchange_at(p, ","); s++) {
        if (!has_address) return interchange_wrong(p, interchange_here(p)->at, "'%s' has no address", name);
        cursor_take(&p->c);
        if (!interchange_argument(p, &n, s)) return false;
    }
    return interchange_expect(p, ")") && interchange_add(p, n);
}

static bool interchange_comparison(parser *p, uint8_t first) {
    bool differs = interchange_at(p, "!=");
    uint8_t second;
    cursor_take(&p->c);
    if (interchange_here(p)->kind != TOKEN_WORD) return ix_missing(p, "a variable");
    if (!find_var(p, interchange_here(p)->text, interchange_here(p)->at, &second)) return false;
    cursor_take(&p->c);
    if (!interchange_add(p, (past_node){.kind = PAST_SAME, .var = {first, second}})) return false;
    return !differs || interchange_add(p, (past_node){.kind = PAST_NOT, .left = last_node(p)});
}

static bool interchange_constant(parser *p, bool holds) {
    if (!interchange_add(p, (past_node){.kind = PAST_TRUE})) return false;
    return holds || interchange_add(p, (past_node){.kind = PAST_NOT, .left = last_node(p)});
}

static bool is_future(const char *name) {
    static const char *const operators[] = {"next", "eventually", "always", "until", "henceforth", "release"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (str_same(name, operators[i])) return true;
    return false;
}

static bool name_or_event(parser *p) {
    const char *name = interchange_here(p)->text;
    span where = interchange_here(p)->at;
    uint8_t v;
    if (is_future(name)) {
        interchange_wrong(p, where, "'%s' is about what comes later", name);
        diag_note(p->c.messages, (span){0},
                  "an interchange is judged by the history that leads to it: "
                  "previously, once, historically and since are the operators");
        return false;
    }
    cursor_take(&p->c);
    if (!interchange_at(p, "=") && !interchange_at(p, "!=")) return event_pattern(p, name, where);
    return find_var(p, name, where, &v) && interchange_comparison(p, v);
}

static bool interchange_primary(parser *p) {
    if (accept(p, "(")) return interchange_formula(p) && interchange_expect(p, ")");
    if (accept(p, "true")) return interchange_constant(p, true);
    if (accept(p, "false")) return interchange_constant(p, false);
    if (interchange_here(p)->kind == TOKEN_WORD) return name_or_event(p);
    return ix_missing(p, "an event, such as read(p, x)");
}

static bool interchange_prefixed(parser *p, past_kind kind) {
    return interchange_unary(p) && interchange_add(p, (past_node){.kind = kind, .left = last_node(p)});
}

static bool unary_inside(parser *p) {
    if (accept(p, "!") || accept(p, "not")) return interchange_prefixed(p, PAST_NOT);
    if (accept(p, "previously")) return interchange_prefixed(p, PAST_PREVIOUSLY);
    if (accept(p, "once")) return interchange_prefixed(p, PAST_ONCE);
    if (accept(p, "historically")) return interchange_prefixed(p, PAST_HISTORICALLY);
    return interchange_primary(p);
}

static bool interchange_unary(parser *p) {
    bool good = cursor_enter(&p->c) && unary_inside(p);
    p->c.depth--;
    return good;
}

// Parts with a sign, in either spelling, between them; to the left.
static bool ix_series(parser *p, bool (*part)(parser *), past_kind kind, const char *sign, const char *word) {
    if (!part(p)) return false;
    while (accept(p, sign) || accept(p, word)) {
        uint8_t left = last_node(p);
        if (!part(p) || !interchange_add(p, (past_node){.kind = kind, .left = left, .right = last_node(p)}))
            return false;
    }
    return true;
}

static bool since(parser *p) { return ix_series(p, interchange_unary, PAST_SINCE, "since", "since"); }
static bool interchange_conjunction(parser *p) { return ix_series(p, since, PAST_AND, "&", "and"); }
static bool interchange_disjunction(parser *p) { return ix_series(p, interchange_conjunction, PAST_OR, "|", "or"); }

static bool interchange_formula(parser *p) {
    if (!interchange_disjunction(p)) return false;
    if (!accept(p, "->")) return true;
    if (!interchange_add(p, (past_node){.kind = PAST_NOT, .left = last_node(p)})) return false;
    uint8_t left = last_node(p);
    return interchange_formula(p) &&
           interchange_add(p, (past_node){.kind = PAST_OR, .left = left, .right = last_node(p)});
}

// ---- declarations

static bool read_forbid(parser *p) {
    forbidden *r = arena_alloc(p->x->memory, sizeof *r);
    r->at = interchange_here(p)->at;
    if (interchange_here(p)->kind != TOKEN_WORD) return ix_missing(p, "a name for the rule");
    r->name = interchange_here(p)->text;
    if (!map_put_str(p->x->names, r->name, 1))
        return interchange_wrong(p, r->at, "there is a rule '%s' already", r->name);
    cursor_take(&p->c);
    p->f = &r->formula;
    if (!interchange_expect(p, ":") || !interchange_formula(p) || !interchange_sorts_known(p)) return false;
    vec_push(&p->x->rules, r);
    return true;
}

// A text of its own, whose rules join. Each is read once.
static bool interchange_read_text(parser *p, const char *path, const char *text, size_t size, bool is_used) {
    for (uint32_t i = 0; i < p->x->texts.len; i++)
        if (str_same(p->x->texts.data[i], path)) return true;
    vec_push(&p->x->texts, path);
    parser inner = {.x = p->x, .path = path, .named = is_used ? p->named : path, .files = p->files + 1};
    inner.c = (cursor){.language = &ix_language, .messages = p->c.messages, .memory = p->x->memory};
    inner.c.file = diag_add_file(p->c.messages, path, text, size);
    inner.c.text = text;
    inner.c.size = size;
    bool good = cursor_read(&inner.c, 0) && read_unit(&inner, is_used);
    cursor_free(&inner.c);
    return good;
}

static bool unknown_set(parser *p, const char *name, span where) {
    const char *names[LIBRARY_MOST], *refused = library_refused(name);
    uint32_t n = library_names(names);
    if (refused) return interchange_wrong(p, where, "%s", refused);
    const char *near = diag_nearest(name, names, n);
    interchange_wrong(p, where, "unknown interchange specification '%s'", name);
    if (near) diag_note(p->c.messages, (span){0}, "did you mean '%s'?", near);
    else
        diag_note(p->c.messages, (span){0},
                  "known: structural, overlap, eager_wr, lazy_invalidation, eager_invalidation, "
                  "or a file, \"mine.ix\"");
    return false;
}

static const char *interchange_path_beside(parser *p, const char *name) {
    const char *slash = p->path ? strrchr(p->path, '/') : NULL;
    if (name[0] == '/' || !slash) return arena_str(p->x->memory, name);
    return arena_printf(p->x->memory, "%.*s%s", (int)(slash - p->path + 1), p->path, name);
}

static bool interchange_read_file(parser *p, const char *path, span where, bool is_used) {
    size_t size;
    if (is_used && !reach_allows(&(reach){.from = p->named}, path))
        return interchange_wrong(p, where, "'%s' is not read: it is not below this model's folder or in the library",
                                 path);
    char *text = str_read_file(path, &size);
    if (!text) {
        diag_error(p->c.messages, where, "cannot read '%s': %s", path, strerror(errno));
        p->c.failed = true;
        return false;
    }
    const char *kept = arena_copy(p->x->memory, text, size + 1);
    free(text);
    if (size > LARGEST_FILE) return interchange_wrong(p, where, "'%s' is too large", path);
    return interchange_read_text(p, arena_str(p->x->memory, path), kept, size, is_used);
}

static bool interchange_read_use(parser *p) {
    span where = interchange_here(p)->at;
    size_t size;
    const char *name = interchange_here(p)->text;
    bool is_file = interchange_here(p)->kind == TOKEN_STRING;
    if (interchange_here(p)->kind != TOKEN_WORD && interchange_here(p)->kind != TOKEN_STRING)
        return ix_missing(p, "a name or a file after 'use'");
    if (p->files >= MOST_FILES)
        return interchange_wrong(p, where, "'%s' is used too deeply: do files use one another?", name);
    cursor_take(&p->c);
    if (is_file) return interchange_read_file(p, interchange_path_beside(p, name), where, true);
    const char *text = library_find(name, &size);
    if (!text) return unknown_set(p, name, where);
    return interchange_read_text(p, arena_printf(p->x->memory, "%s (library)", name), text, size, true);
}

static bool interchange_read_header(parser *p, bool is_used) {
    if (!interchange_expect(p, "interchange")) return false;
    if (interchange_here(p)->kind != TOKEN_WORD) return ix_missing(p, "a name after 'interchange'");
    if (!is_used) p->x->name = interchange_here(p)->text;
    cursor_take(&p->c);
    return true;
}

static bool read_unit(parser *p, bool is_used) {
    bool good = interchange_read_header(p, is_used);
    while (good && interchange_here(p)->kind != TOKEN_END) {
        if (accept(p, "use")) good = interchange_read_use(p);
        else if (accept(p, "forbid")) good = read_forbid(p);
        else good = ix_missing(p, "'use' or 'forbid'");
    }
    return good && !p->c.failed;
}

// ---- entry

void interchange_begin(interchange *x, arena *memory) {
    *x = (interchange){.memory = memory, .name = "", .names = map_new()};
}

void interchange_free(interchange *x) {
    vec_free(&x->rules);
    vec_free(&x->texts);
    map_free(x->names);
}

bool interchange_parse(interchange *x, diag *messages, const char *path, const char *text, size_t size) {
    parser p = {.x = x, .c.messages = messages, .path = path};
    return interchange_read_text(&p, path, arena_strn(x->memory, text, size), size, false);
}

bool interchange_load(interchange *x, diag *messages, const char *name) {
    parser p = {.x = x, .c.messages = messages};
    size_t size;
    const char *text = library_find(name, &size);
    if (text) return interchange_read_text(&p, arena_printf(x->memory, "%s (library)", name), text, size, false);
    if (strchr(name, '/') || str_ends(name, ".ix")) return interchange_read_file(&p, name, (span){0}, false);
    return unknown_set(&p, name, (span){0});
}
