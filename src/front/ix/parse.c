// SPDX-License-Identifier: Apache-2.0
// Sets of admissible interchanges, from text: see ix.h. A formula becomes nodes in the order in which its parts end.
// One message per file: what follows a mistake is guesswork. Takes any bytes.
#include "base/cursor.h"
#include "base/reach.h"
#include "front/ix/ix.h"
#include "front/source.h"
#include "history/event.h"
#include "history/interchange.h"
#include "history/past.h"
#include "history/spec.h"

#include <string.h>

enum { MOST_DEPTH = 200, MOST_FILES = 16, LARGEST_FILE = 1 << 20, SORT_UNKNOWN = PAST_SORTS };

// A text, the owner of its cursor.
typedef struct {
    interchange *x;
    const char *path;
    const char *named;  // the file that the user named
    past *f;            // being built
    span var_at[PAST_MOST_VARS];
    uint32_t files;  // that use one another
} ix_unit;

static ix_unit *unit_of(const cursor *c) { return c->owner; }

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

// ---- variables

static uint8_t ix_variable(cursor *c, const token *t) {
    ix_unit *u = unit_of(c);
    past *f = u->f;
    for (uint32_t v = 0; v < f->nvars; v++)
        if (str_same(f->names[v], t->text)) return (uint8_t)v;
    if (f->nvars == PAST_MOST_VARS) {
        cursor_fail(c, t->at, "too many variables in one formula");
        return 0;
    }
    f->names[f->nvars] = t->text;
    f->sorts[f->nvars] = (past_sort)SORT_UNKNOWN;
    u->var_at[f->nvars] = t->at;
    return (uint8_t)f->nvars++;
}

static void set_sort(cursor *c, uint8_t v, past_sort s, span at) {
    static const char *const sorts[] = {"a client", "an address", "a value"};
    past *f = unit_of(c)->f;
    if (f->sorts[v] == (past_sort)SORT_UNKNOWN) f->sorts[v] = s;
    if (f->sorts[v] != s)
        cursor_fail(c, at, "'%s' is %s elsewhere in this formula, here %s", f->names[v], sorts[f->sorts[v]], sorts[s]);
}

// Variables that are compared are of one sort; true if one of them has got it now.
static bool share_sort(cursor *c, const past_node *n) {
    ix_unit *u = unit_of(c);
    if (n->kind != PAST_SAME) return false;
    past_sort *a = &u->f->sorts[n->var[0]], *b = &u->f->sorts[n->var[1]], unknown = (past_sort)SORT_UNKNOWN;
    if (*a == *b) return false;
    if (*a != unknown && *b != unknown) {
        set_sort(c, n->var[1], *a, u->var_at[n->var[1]]);
        return false;
    }
    *(*a == unknown ? a : b) = *a == unknown ? *b : *a;
    return true;
}

static void ix_find_sorts(cursor *c) {
    ix_unit *u = unit_of(c);
    for (bool changed = true; changed && !c->failed;) {
        changed = false;
        for (uint32_t i = 0; i < u->f->nnodes; i++) changed |= share_sort(c, &u->f->nodes[i]);
    }
    for (uint32_t v = 0; v < u->f->nvars; v++)
        if (u->f->sorts[v] == (past_sort)SORT_UNKNOWN)
            cursor_fail(c, u->var_at[v], "'%s' does not occur in any event of the formula", u->f->names[v]);
}

// ---- formulas

static void ix_add(cursor *c, past_node n) {
    past *f = unit_of(c)->f;
    if (f->nnodes == PAST_MOST_NODES) cursor_fail(c, cursor_peek(c)->at, "this formula is too large");
    if (!c->failed) f->nodes[f->nnodes++] = n;
}

static uint8_t last_node(const cursor *c) { return (uint8_t)(unit_of(c)->f->nnodes - 1); }

static void ix_add_above(cursor *c, past_kind kind) { ix_add(c, (past_node){.kind = kind, .left = last_node(c)}); }

static void ix_add_pair(cursor *c, past_kind kind, uint8_t left) {
    ix_add(c, (past_node){.kind = kind, .left = left, .right = last_node(c)});
}

static void ix_formula(cursor *c);
static void ix_unary(cursor *c);

static bool kinds_of(const char *name, uint8_t *kinds) {
    event_kind k = event_kind_find(name, strlen(name));
    *kinds = 0;
    if (k < EVENT_NT_READ) *kinds = (uint8_t)(1 << k);
    if (str_same(name, "event")) *kinds = (1 << EVENT_NT_READ) - 1;
    if (str_same(name, "access")) *kinds = 1 << EVENT_READ | 1 << EVENT_WRITE;
    if (str_same(name, "close")) *kinds = 1 << EVENT_COMMIT | 1 << EVENT_ABORT;
    return *kinds != 0;
}

static void ix_argument(cursor *c, past_node *n, uint32_t sort) {
    if (cursor_accept(c, "_")) return;
    const token *t = cursor_name(c, "a variable or '_'");
    if (c->failed) return;
    n->var[sort] = ix_variable(c, t);
    if (!c->failed) set_sort(c, n->var[sort], (past_sort)sort, t->at);
}

static void event_pattern(cursor *c, const token *name) {
    static const char *const known[] = {"open", "read", "write", "commit", "abort", "event", "access", "close"};
    past_node n = {.kind = PAST_EVENT, .var = {PAST_ANY, PAST_ANY, PAST_ANY}};
    if (event_is_outside(event_kind_find(name->text, strlen(name->text))))
        cursor_fail(c, name->at, "'%s' is never met: it stands for an open, an access and a commit in the sequence",
                    name->text);
    else if (!kinds_of(name->text, &n.kinds)) {
        diag_unknown(c->messages, name->at, "event", name->text, known, 8);
        c->failed = true;
    }
    bool has_address = !(n.kinds & ~(1 << EVENT_READ | 1 << EVENT_WRITE));
    cursor_expect(c, "(");
    ix_argument(c, &n, PAST_CLIENT);
    for (uint32_t s = PAST_ADDRESS; s < PAST_SORTS && cursor_sees(c, ","); s++) {
        if (!has_address) cursor_fail(c, cursor_peek(c)->at, "'%s' has no address", name->text);
        cursor_take(c);
        ix_argument(c, &n, s);
    }
    cursor_expect(c, ")");
    ix_add(c, n);
}

static void ix_comparison(cursor *c, const token *name) {
    uint8_t first = ix_variable(c, name), second = 0;
    bool differs = cursor_accept(c, "!=") || !cursor_accept(c, "=");
    const token *t = cursor_name(c, "a variable");
    if (!c->failed) second = ix_variable(c, t);
    ix_add(c, (past_node){.kind = PAST_SAME, .var = {first, second}});
    if (differs) ix_add_above(c, PAST_NOT);
}

static bool is_future(const char *name) {
    static const char *const operators[] = {"next", "eventually", "always", "until", "henceforth", "release"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (str_same(name, operators[i])) return true;
    return false;
}

static void name_or_event(cursor *c) {
    const token *name = cursor_take(c);
    if (is_future(name->text)) {
        cursor_fail(c, name->at, "'%s' is about what comes later", name->text);
        diag_note(c->messages, (span){0},
                  "an interchange is judged by the history that leads to it: "
                  "previously, once, historically and since are the operators");
    } else if (cursor_sees(c, "=") || cursor_sees(c, "!=")) ix_comparison(c, name);
    else event_pattern(c, name);
}

static void ix_primary(cursor *c) {
    if (cursor_accept(c, "(")) {
        ix_formula(c);
        cursor_expect(c, ")");
    } else if (cursor_sees(c, "true") || cursor_sees(c, "false")) {
        ix_add(c, (past_node){.kind = PAST_TRUE});
        if (token_is(cursor_take(c), "false")) ix_add_above(c, PAST_NOT);
    } else if (cursor_sees_name(c)) name_or_event(c);
    else cursor_wrong(c, "an event, such as read(p, x)");
}

static void ix_unary(cursor *c) {
    static const struct {
        const char *word;
        past_kind kind;
    } prefixes[] = {{"!", PAST_NOT},
                    {"not", PAST_NOT},
                    {"previously", PAST_PREVIOUSLY},
                    {"once", PAST_ONCE},
                    {"historically", PAST_HISTORICALLY}};
    uint32_t i = 0;
    bool is_shallow = cursor_enter(c);
    while (i < 5 && !cursor_accept(c, prefixes[i].word)) i++;
    if (is_shallow && i < 5) {
        ix_unary(c);
        ix_add_above(c, prefixes[i].kind);
    } else if (is_shallow) ix_primary(c);
    c->depth--;
}

// Parts with a sign, in either spelling, between them; to the left.
static void ix_series(cursor *c, void (*part)(cursor *), past_kind kind, const char *sign, const char *word) {
    part(c);
    while (cursor_accept(c, sign) || cursor_accept(c, word)) {
        uint8_t left = last_node(c);
        part(c);
        ix_add_pair(c, kind, left);
    }
}

static void ix_since(cursor *c) { ix_series(c, ix_unary, PAST_SINCE, "since", "since"); }
static void ix_conjunction(cursor *c) { ix_series(c, ix_since, PAST_AND, "&", "and"); }

static void ix_formula(cursor *c) {
    ix_series(c, ix_conjunction, PAST_OR, "|", "or");
    if (!cursor_accept(c, "->")) return;
    ix_add_above(c, PAST_NOT);
    uint8_t left = last_node(c);
    ix_formula(c);
    ix_add_pair(c, PAST_OR, left);
}

// ---- declarations

static void read_forbid(cursor *c) {
    ix_unit *u = unit_of(c);
    const token *name = cursor_name(c, "a name for the rule");
    if (!c->failed && !map_put_str(u->x->names, name->text, 1))
        cursor_fail(c, name->at, "there is a rule '%s' already", name->text);
    forbidden *r = arena_alloc(c->memory, sizeof *r);
    r->name = name->text;
    r->at = name->at;
    u->f = &r->formula;
    cursor_expect(c, ":");
    ix_formula(c);
    if (!c->failed) ix_find_sorts(c);
    if (!c->failed) vec_push(&u->x->rules, r);
}

static bool read_unit(cursor *c, bool is_used);

// A text of its own, whose rules join. Each is read once.
static bool ix_read_text(const ix_unit *from, diag *messages, const char *path, const char *text, size_t size,
                         bool is_used) {
    interchange *x = from->x;
    for (uint32_t i = 0; i < x->texts.len; i++)
        if (str_same(x->texts.data[i], path)) return true;
    vec_push(&x->texts, path);
    ix_unit u = {.x = x, .path = path, .named = is_used ? from->named : path, .files = from->files + 1};
    cursor c = {.language = &ix_language, .messages = messages, .memory = x->memory, .owner = &u};
    c.file = diag_add_file(messages, path, text, size);
    c.text = text;
    c.size = size;
    bool good = cursor_read(&c, 0) && read_unit(&c, is_used);
    cursor_free(&c);
    return good;
}

static bool ix_read_file(const ix_unit *from, diag *messages, const char *path, span at, bool is_used) {
    size_t size;
    if (is_used && !reach_allows(&(reach){.from = from->named}, path))
        return diag_error(messages, at, "'%s' is not read: it is not below this model's folder or in the library",
                          path);
    const char *text = front_read(from->x->memory, messages, path, at, LARGEST_FILE, &size);
    return text && ix_read_text(from, messages, arena_str(from->x->memory, path), text, size, is_used);
}

static bool ix_read_set(const ix_unit *from, diag *messages, const char *name, span at, bool is_used) {
    const char *text = ix_library_find(name), *refused = ix_library_refused(name), *names[IX_LIBRARY_MOST];
    const char *path = arena_printf(from->x->memory, "%s (library)", name);
    if (text) return ix_read_text(from, messages, path, text, strlen(text), is_used);
    if (refused) return diag_error(messages, at, "%s", refused);
    if (!diag_unknown(messages, at, "interchange specification", name, names, ix_library_names(names)))
        diag_note(messages, (span){0},
                  "known: structural, overlap, eager_wr, lazy_invalidation, eager_invalidation, "
                  "or a file, \"mine.ix\"");
    return false;
}

static void ix_read_use(cursor *c) {
    const ix_unit *u = unit_of(c);
    const token *t = cursor_take(c);
    const char *path = front_path_beside(c->memory, u->path, t->text);
    if (t->kind != TOKEN_WORD && t->kind != TOKEN_STRING) {
        c->next -= t->kind != TOKEN_END;
        cursor_wrong(c, "a name or a file after 'use'");
    } else if (u->files >= MOST_FILES)
        cursor_fail(c, t->at, "'%s' is used too deeply: do files use one another?", t->text);
    else if (t->kind == TOKEN_STRING) c->failed |= !ix_read_file(u, c->messages, path, t->at, true);
    else c->failed |= !ix_read_set(u, c->messages, t->text, t->at, true);
}

static bool read_unit(cursor *c, bool is_used) {
    cursor_expect(c, "interchange");
    const token *name = cursor_name(c, "a name after 'interchange'");
    if (!is_used) unit_of(c)->x->name = name->text;
    while (!c->failed && cursor_peek(c)->kind != TOKEN_END) {
        if (cursor_accept(c, "use")) ix_read_use(c);
        else if (cursor_accept(c, "forbid")) read_forbid(c);
        else cursor_wrong(c, "'use' or 'forbid'");
    }
    return !c->failed;
}

// ---- entry

bool ix_parse(interchange *x, diag *messages, const char *path, const char *text, size_t size) {
    return ix_read_text(&(ix_unit){.x = x}, messages, path, arena_strn(x->memory, text, size), size, false);
}

bool ix_load(interchange *x, diag *messages, const char *name) {
    ix_unit nobody = {.x = x};
    bool is_file = !ix_library_find(name) && (strchr(name, '/') || str_ends(name, ".ix"));
    return is_file ? ix_read_file(&nobody, messages, name, (span){0}, false)
                   : ix_read_set(&nobody, messages, name, (span){0}, false);
}

const char *ix_translate(const char *path, const char *text, size_t size, diag *messages, arena *memory) {
    interchange x;
    str out = {0};
    interchange_begin(&x, memory);
    bool good = ix_parse(&x, messages, path, text, size);
    if (good) spec_text(&x, &out);
    interchange_free(&x);
    const char *kept = good ? arena_str(memory, str_get(&out)) : NULL;
    str_free(&out);
    return kept;
}
