// SPDX-License-Identifier: Apache-2.0
// The language of interchange specifications (.ix): see interchange.h. Tokens are taken from the text one
// at a time; a formula becomes nodes in the order in which its parts end. Takes any bytes.
#include "history/interchange.h"

#include "base/reach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 200, MOST_FILES = 16, LARGEST_FILE = 1 << 20, SORT_UNKNOWN = PAST_SORTS };

typedef struct {
    interchange *x;
    diag *messages;
    const char *path, *text;
    const char *named;  // the file that the user named
    size_t size, pos;
    uint32_t file;
    size_t begin;    // of the token at hand
    char token[64];  // "" at the end of the text
    bool is_name, is_string;
    past *f;  // being built
    span var_at[PAST_MOST_VARS];
    uint32_t depth;  // of the formula
    uint32_t files;  // that use one another
    bool failed;
} parser;

static bool read_unit(parser *p, bool is_used);

// ---- tokens

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool starts(const parser *p, const char *text) {
    size_t n = strlen(text);
    return n <= p->size - p->pos && memcmp(p->text + p->pos, text, n) == 0;
}

static void skip_blank(parser *p) {
    for (;;) {
        while (p->pos < p->size && memchr(" \t\r\n", p->text[p->pos], 4)) p->pos++;
        if (!starts(p, "//")) return;
        while (p->pos < p->size && p->text[p->pos] != '\n') p->pos++;
    }
}

static void keep_token(parser *p, size_t begin, size_t end) {
    size_t n = end - begin < sizeof p->token ? end - begin : sizeof p->token - 1;
    memcpy(p->token, p->text + begin, n);
    p->token[n] = '\0';
}

static void take_string(parser *p) {
    size_t begin = ++p->pos;
    while (p->pos < p->size && p->text[p->pos] != '"' && p->text[p->pos] != '\n') p->pos++;
    keep_token(p, begin, p->pos);
    if (p->pos < p->size && p->text[p->pos] == '"') p->pos++;
    p->is_string = true;
}

static void next(parser *p) {
    skip_blank(p);
    p->begin = p->pos;
    p->is_name = p->is_string = false;
    p->token[0] = '\0';
    if (p->pos >= p->size) return;
    if (p->text[p->pos] == '"') {
        take_string(p);
        return;
    }
    p->is_name = is_letter(p->text[p->pos]);
    if (p->is_name)
        while (p->pos < p->size && (is_letter(p->text[p->pos]) || is_digit(p->text[p->pos]))) p->pos++;
    else p->pos += starts(p, "!=") || starts(p, "->") ? 2 : 1;
    keep_token(p, p->begin, p->pos);
}

static bool at(const parser *p, const char *token) { return !p->is_string && str_same(p->token, token); }

static bool accept(parser *p, const char *token) {
    if (!at(p, token)) return false;
    next(p);
    return true;
}

static span here(const parser *p) {
    size_t end = p->pos > p->begin ? p->pos : p->begin + 1;
    return (span){p->file, (uint32_t)p->begin, (uint32_t)(end <= p->size ? end : p->size)};
}

// One message a file: what follows a mistake is guesswork.
static bool wrong(parser *p, span where, const char *what, const char *name) {
    if (!p->failed) diag_error(p->messages, where, what, name);
    p->failed = true;
    return false;
}

static bool expect(parser *p, const char *token) {
    char what[96];
    if (accept(p, token)) return true;
    snprintf(what, sizeof what, "'%s' expected, found '%%s'", token);
    return wrong(p, here(p), what, p->token[0] ? p->token : "the end of the file");
}

// ---- variables

static const char *const sort_names[] = {"a client", "an address", "a value"};

static bool find_var(parser *p, const char *name, span where, uint8_t *out) {
    past *f = p->f;
    for (uint32_t v = 0; v < f->nvars; v++)
        if (str_same(f->names[v], name)) return *out = (uint8_t)v, true;
    if (f->nvars == PAST_MOST_VARS) return wrong(p, where, "too many variables in one formula%s", "");
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
    return wrong(p, where, what, p->f->names[v]);
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

static bool sorts_known(parser *p) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->f->nnodes; i++)
            if (p->f->nodes[i].kind == PAST_SAME && !share_sort(p, &p->f->nodes[i], &changed)) return false;
    }
    for (uint32_t v = 0; v < p->f->nvars; v++)
        if (p->f->sorts[v] == (past_sort)SORT_UNKNOWN)
            return wrong(p, p->var_at[v], "'%s' is in no event of the formula", p->f->names[v]);
    return true;
}

// ---- formulas

static bool add(parser *p, past_node n) {
    if (p->f->nnodes == PAST_MOST_NODES) return wrong(p, here(p), "this formula is too large%s", "");
    p->f->nodes[p->f->nnodes++] = n;
    return true;
}

static uint8_t last_node(const parser *p) { return (uint8_t)(p->f->nnodes - 1); }

static bool formula(parser *p);
static bool unary(parser *p);

static bool kinds_of(const char *name, uint8_t *kinds) {
    event_kind k = event_kind_find(name, strlen(name));
    *kinds = 0;
    if (k < EVENT_NT_READ) *kinds = (uint8_t)(1 << k);
    if (str_same(name, "event")) *kinds = (1 << EVENT_NT_READ) - 1;
    if (str_same(name, "access")) *kinds = 1 << EVENT_READ | 1 << EVENT_WRITE;
    if (str_same(name, "close")) *kinds = 1 << EVENT_COMMIT | 1 << EVENT_ABORT;
    return *kinds != 0;
}

static bool argument(parser *p, past_node *n, uint32_t sort) {
    span where = here(p);
    if (accept(p, "_")) return true;
    if (!p->is_name) return wrong(p, where, "a variable or '_' expected, found '%s'", p->token);
    if (!find_var(p, p->token, where, &n->var[sort]) || !set_sort(p, n->var[sort], (past_sort)sort, where))
        return false;
    next(p);
    return true;
}

static bool event_pattern(parser *p, const char *name, span where) {
    past_node n = {.kind = PAST_EVENT, .var = {PAST_ANY, PAST_ANY, PAST_ANY}};
    if (event_is_outside(event_kind_find(name, strlen(name))))
        return wrong(p, where,
                     "'%s' is never met: it stands for an open, an access and a commit in the sequence",
                     name);
    if (!kinds_of(name, &n.kinds)) {
        static const char *const known[] = {"open",  "read",  "write",  "commit",
                                            "abort", "event", "access", "close"};
        const char *near = diag_nearest(name, known, 8);
        wrong(p, where, "unknown event '%s'", name);
        if (near) diag_note(p->messages, (span){0}, "did you mean '%s'?", near);
        return false;
    }
    bool has_address = !(n.kinds & ~(1 << EVENT_READ | 1 << EVENT_WRITE));
    if (!expect(p, "(") || !argument(p, &n, PAST_CLIENT)) return false;
    for (uint32_t s = PAST_ADDRESS; s < PAST_SORTS && at(p, ","); s++) {
        if (!has_address) return wrong(p, here(p), "'%s' has no address", name);
        next(p);
        if (!argument(p, &n, s)) return false;
    }
    return expect(p, ")") && add(p, n);
}

static bool comparison(parser *p, uint8_t first) {
    bool differs = at(p, "!=");
    uint8_t second;
    next(p);
    if (!p->is_name) return wrong(p, here(p), "a variable expected, found '%s'", p->token);
    if (!find_var(p, p->token, here(p), &second)) return false;
    next(p);
    if (!add(p, (past_node){.kind = PAST_SAME, .var = {first, second}})) return false;
    return !differs || add(p, (past_node){.kind = PAST_NOT, .left = last_node(p)});
}

static bool constant(parser *p, bool holds) {
    if (!add(p, (past_node){.kind = PAST_TRUE})) return false;
    return holds || add(p, (past_node){.kind = PAST_NOT, .left = last_node(p)});
}

static bool is_future(const char *name) {
    static const char *const operators[] = {"next", "eventually", "always", "until", "henceforth", "release"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (str_same(name, operators[i])) return true;
    return false;
}

static bool name_or_event(parser *p) {
    char name[sizeof p->token];
    span where = here(p);
    uint8_t v;
    memcpy(name, p->token, sizeof name);
    if (is_future(name)) {
        wrong(p, where, "'%s' speaks of what comes later", name);
        diag_note(p->messages, (span){0},
                  "an interchange is judged by the history that leads to it: "
                  "previously, once, historically and since are the operators");
        return false;
    }
    next(p);
    if (!at(p, "=") && !at(p, "!=")) return event_pattern(p, name, where);
    return find_var(p, name, where, &v) && comparison(p, v);
}

static bool primary(parser *p) {
    if (accept(p, "(")) return formula(p) && expect(p, ")");
    if (accept(p, "true")) return constant(p, true);
    if (accept(p, "false")) return constant(p, false);
    if (p->is_name) return name_or_event(p);
    return wrong(p, here(p), "an event expected, such as read(p, x), found '%s'",
                 p->token[0] ? p->token : "the end of the file");
}

static bool prefixed(parser *p, past_kind kind) {
    return unary(p) && add(p, (past_node){.kind = kind, .left = last_node(p)});
}

static bool unary_inside(parser *p) {
    if (accept(p, "!") || accept(p, "not")) return prefixed(p, PAST_NOT);
    if (accept(p, "previously")) return prefixed(p, PAST_PREVIOUSLY);
    if (accept(p, "once")) return prefixed(p, PAST_ONCE);
    if (accept(p, "historically")) return prefixed(p, PAST_HISTORICALLY);
    return primary(p);
}

static bool unary(parser *p) {
    if (++p->depth > MOST_DEPTH) return wrong(p, here(p), "this formula is nested too deeply%s", "");
    bool good = unary_inside(p);
    p->depth--;
    return good;
}

static bool since(parser *p) {
    if (!unary(p)) return false;
    while (accept(p, "since")) {
        uint8_t left = last_node(p);
        if (!unary(p) || !add(p, (past_node){.kind = PAST_SINCE, .left = left, .right = last_node(p)}))
            return false;
    }
    return true;
}

static bool conjunction(parser *p) {
    if (!since(p)) return false;
    while (accept(p, "&") || accept(p, "and")) {
        uint8_t left = last_node(p);
        if (!since(p) || !add(p, (past_node){.kind = PAST_AND, .left = left, .right = last_node(p)}))
            return false;
    }
    return true;
}

static bool disjunction(parser *p) {
    if (!conjunction(p)) return false;
    while (accept(p, "|") || accept(p, "or")) {
        uint8_t left = last_node(p);
        if (!conjunction(p) || !add(p, (past_node){.kind = PAST_OR, .left = left, .right = last_node(p)}))
            return false;
    }
    return true;
}

static bool formula(parser *p) {
    if (!disjunction(p)) return false;
    if (!accept(p, "->")) return true;
    if (!add(p, (past_node){.kind = PAST_NOT, .left = last_node(p)})) return false;
    uint8_t left = last_node(p);
    return formula(p) && add(p, (past_node){.kind = PAST_OR, .left = left, .right = last_node(p)});
}

// ---- declarations

static const forbidden *find_rule(const interchange *x, const char *name) {
    for (uint32_t i = 0; i < x->rules.len; i++)
        if (str_same(x->rules.data[i]->name, name)) return x->rules.data[i];
    return NULL;
}

static bool read_forbid(parser *p) {
    forbidden *r = arena_alloc(p->x->memory, sizeof *r);
    r->at = here(p);
    if (!p->is_name) return wrong(p, here(p), "a name for the rule expected, found '%s'", p->token);
    if (find_rule(p->x, p->token)) return wrong(p, here(p), "there is a rule '%s' already", p->token);
    r->name = arena_str(p->x->memory, p->token);
    next(p);
    p->f = &r->formula;
    if (!expect(p, ":") || !formula(p) || !sorts_known(p)) return false;
    vec_push(&p->x->rules, r);
    return true;
}

// A text of its own, whose rules join. Each is read once.
static bool read_text(parser *p, const char *path, const char *text, size_t size, bool is_used) {
    for (uint32_t i = 0; i < p->x->texts.len; i++)
        if (str_same(p->x->texts.data[i], path)) return true;
    vec_push(&p->x->texts, path);
    parser inner = {
        .x = p->x, .messages = p->messages, .path = path, .text = text, .size = size, .files = p->files + 1};
    inner.named = is_used ? p->named : path;
    inner.file = diag_add_file(p->messages, path, text, size);
    return read_unit(&inner, is_used);
}

static bool unknown_set(parser *p, const char *name, span where) {
    const char *names[LIBRARY_MOST], *refused = library_refused(name);
    uint32_t n = library_names(names);
    if (refused) return wrong(p, where, "%s", refused);
    const char *near = diag_nearest(name, names, n);
    wrong(p, where, "unknown interchange specification '%s'", name);
    if (near) diag_note(p->messages, (span){0}, "did you mean '%s'?", near);
    else
        diag_note(p->messages, (span){0},
                  "known: structural, overlap, eager_wr, lazy_invalidation, eager_invalidation, "
                  "or a file, \"mine.ix\"");
    return false;
}

static const char *path_beside(parser *p, const char *name) {
    const char *slash = p->path ? strrchr(p->path, '/') : NULL;
    if (name[0] == '/' || !slash) return arena_str(p->x->memory, name);
    return arena_printf(p->x->memory, "%.*s%s", (int)(slash - p->path + 1), p->path, name);
}

static bool read_file(parser *p, const char *path, span where, bool is_used) {
    size_t size;
    if (is_used && !reach_allows(&(reach){.from = p->named}, path))
        return wrong(p, where, "'%s' is not read: it is no model below this one's folder or in the library", path);
    char *text = str_read_file(path, &size);
    if (!text) {
        diag_error(p->messages, where, "cannot read '%s': %s", path, strerror(errno));
        p->failed = true;
        return false;
    }
    const char *kept = arena_copy(p->x->memory, text, size + 1);
    free(text);
    if (size > LARGEST_FILE) return wrong(p, where, "'%s' is too large", path);
    return read_text(p, arena_str(p->x->memory, path), kept, size, is_used);
}

static bool read_use(parser *p) {
    span where = here(p);
    size_t size;
    char name[sizeof p->token];
    memcpy(name, p->token, sizeof name);
    bool is_file = p->is_string;
    if (!p->is_name && !p->is_string)
        return wrong(p, where, "a name or a file expected after 'use', found '%s'", name);
    if (p->files >= MOST_FILES)
        return wrong(p, where, "'%s' is used too deeply: do files use one another?", name);
    next(p);
    if (is_file) return read_file(p, path_beside(p, name), where, true);
    const char *text = library_find(name, &size);
    if (!text) return unknown_set(p, name, where);
    return read_text(p, arena_printf(p->x->memory, "%s (library)", name), text, size, true);
}

static bool read_header(parser *p, bool is_used) {
    next(p);
    if (!expect(p, "interchange")) return false;
    if (!p->is_name) return wrong(p, here(p), "a name expected after 'interchange', found '%s'", p->token);
    if (!is_used) p->x->name = arena_str(p->x->memory, p->token);
    next(p);
    return true;
}

static bool read_unit(parser *p, bool is_used) {
    bool good = read_header(p, is_used);
    while (good && p->token[0]) {
        if (accept(p, "use")) good = read_use(p);
        else if (accept(p, "forbid")) good = read_forbid(p);
        else good = wrong(p, here(p), "'use' or 'forbid' expected, found '%s'", p->token);
    }
    return good && !p->failed;
}

// ---- entry

void interchange_begin(interchange *x, arena *memory) { *x = (interchange){.memory = memory, .name = ""}; }

void interchange_free(interchange *x) {
    vec_free(&x->rules);
    vec_free(&x->texts);
}

bool interchange_parse(interchange *x, diag *messages, const char *path, const char *text, size_t size) {
    parser p = {.x = x, .messages = messages, .path = path};
    return read_text(&p, path, arena_strn(x->memory, text, size), size, false);
}

bool interchange_load(interchange *x, diag *messages, const char *name) {
    parser p = {.x = x, .messages = messages};
    size_t size;
    const char *text = library_find(name, &size);
    if (text) return read_text(&p, arena_printf(x->memory, "%s (library)", name), text, size, false);
    if (strchr(name, '/') || str_ends(name, ".ix")) return read_file(&p, name, (span){0}, false);
    return unknown_set(&p, name, (span){0});
}
