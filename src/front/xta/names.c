// SPDX-License-Identifier: Apache-2.0
// Whether a text treats the processes it has many of as names only: then it says the same with any number of them.
//
// Constants, quantifiers and calls are gone once a text is lowered: `id >= 5` with ids up to 4 is just false. So this
// is asked of the text. A *name* is what has a type whose range ends with the size. It may be compared with another
// by == and !=, or with a number that no other process has (0 or less), stored where names are, given to a parameter
// that is one, and be an index of what has an element for each. There is no sum and no loop over names, and at most
// two of them are quantified or selected at once: with those, the one of a template and 0 no formula can count beyond
// 4. The size itself is nothing but the end of ranges. What a query does is held against that query alone.
//
// A word has one type wherever it is declared; where it has two, nothing is known of it.
#include "front/xta/internal.h"

#include <string.h>

enum { MOST_QUANTIFIED = 2 };

typedef enum { PLAIN, LOW, NAME } names_kind;  // LOW: a number that is at most 0

// The type of a word, or of what a function of that name returns.
typedef struct {
    bool is_name;  // its numbers are names
    uint32_t ndims;
    bool by_name[XTA_MOST_INDICES];  // dimensions, outermost first
    const xta_decl *function;
} names_shape;

typedef struct {
    const xta_file *f;
    const char *size;
    span *use;
    map *words, *types;  // index of shapes
    VEC(names_shape) shapes;
    bool returns_name, in_function;
    uint32_t quantified;
} names_check;

static void names_note(names_check *k, span at) {
    if (!k->use->file) *k->use = at;
}

static const names_shape *names_find(const names_check *k, const map *in, const char *word) {
    uint32_t i = map_get_str(in, word, UINT32_MAX);
    return i == UINT32_MAX ? NULL : &k->shapes.data[i];
}

// ---- types

static bool is_end(const names_check *k, const xta_ast *a) {
    if (a && a->kind == X_BINARY && a->op == OP_SUB) a = a->args[0];
    return a && a->kind == X_NAME && strcmp(a->name, k->size) == 0;
}

static void names_declare(names_check *k, map *in, const xta_decl *d);

static names_shape names_type(names_check *k, const xta_type_ast *t) {
    if (t->kind == TA_NAME) {
        const names_shape *s = names_find(k, k->types, t->name);
        return s ? *s : (names_shape){0};
    }
    for (uint32_t i = 0; t->kind == TA_STRUCT && i < t->nfields; i++) names_declare(k, k->words, &t->fields[i]);
    return (names_shape){.is_name =
                             (t->kind == TA_INT && is_end(k, t->hi)) || (t->kind == TA_SCALAR && is_end(k, t->lo))};
}

static bool is_dim_by_name(names_check *k, const xta_dim *d) {
    if (d->type) return names_type(k, d->type).is_name;
    const names_shape *s = d->size->kind == X_NAME ? names_find(k, k->types, d->size->name) : NULL;
    return is_end(k, d->size) || (s && s->is_name);
}

static names_shape names_shape_of(names_check *k, const xta_decl *d) {
    names_shape s = {.function = d->kind == XD_FUNC ? d : NULL}, of = names_type(k, d->type);
    s.is_name = of.is_name;
    for (uint32_t i = 0; i < d->ndims + of.ndims; i++) {
        bool yes = i < d->ndims ? is_dim_by_name(k, &d->dims[i]) : of.by_name[i - d->ndims];
        if (i < XTA_MOST_INDICES) s.by_name[s.ndims++] = yes;
        else names_note(k, d->at);
    }
    return s;
}

static bool is_same_shape(const names_shape *a, const names_shape *b) {
    return a->is_name == b->is_name && a->ndims == b->ndims && memcmp(a->by_name, b->by_name, sizeof a->by_name) == 0 &&
           a->function == b->function;
}

static void names_put(names_check *k, map *in, const char *word, names_shape s, span at) {
    const names_shape *old = names_find(k, in, word);
    if (old && !is_same_shape(old, &s)) names_note(k, at);
    if (old) return;
    map_put_str(in, word, k->shapes.len);
    vec_push(&k->shapes, s);
}

static void names_declare(names_check *k, map *in, const xta_decl *d) {
    names_put(k, d->kind == XD_TYPE ? k->types : in, d->name, names_shape_of(k, d), d->at);
}

// ---- expressions

static names_kind names_expr(names_check *k, const xta_ast *a);

// May it be stored where a name is (or is not)?
static void must_be(names_check *k, const xta_ast *a, bool is_name) {
    names_kind is = names_expr(k, a);
    if (is_name ? is == PLAIN : is == NAME) names_note(k, a->at);
}

static void must_be_plain(names_check *k, const xta_ast *a) {
    if (a) must_be(k, a, false);
}

static names_kind names_both(names_check *k, const xta_ast *a, const xta_ast *b) {
    names_kind x = names_expr(k, a), y = names_expr(k, b);
    if ((x == NAME && y == PLAIN) || (x == PLAIN && y == NAME)) names_note(k, a->at);
    return x == NAME || y == NAME ? NAME : x == LOW && y == LOW ? LOW : PLAIN;
}

static names_kind names_index(names_check *k, const xta_ast *a) {
    uint32_t n = 0;
    const xta_ast *base = a;
    for (; base->kind == X_INDEX; base = base->args[0]) n++;
    if (base->kind != X_NAME) names_expr(k, base);
    const names_shape *s = base->kind == X_NAME || base->kind == X_FIELD ? names_find(k, k->words, base->name) : NULL;
    for (uint32_t i = n; i-- > 0; a = a->args[0]) {
        names_kind is = names_expr(k, a->args[1]);
        bool by_name = s && i < s->ndims && s->by_name[i];
        if ((is == NAME) != by_name) names_note(k, a->at);
    }
    return s && s->is_name && n >= s->ndims ? NAME : PLAIN;
}

static void names_arguments(names_check *k, const xta_ast *a, const xta_decl *params, uint32_t n) {
    for (uint32_t i = 0; i < a->nargs; i++) must_be(k, a->args[i], i < n && names_shape_of(k, &params[i]).is_name);
}

static names_kind names_call(names_check *k, const xta_ast *a) {
    const names_shape *s = names_find(k, k->words, a->name);
    if (a->of) names_expr(k, a->of);
    if (s && s->function) {
        bool is_name = s->is_name;
        names_arguments(k, a, s->function->params, s->function->nparams);
        return is_name ? NAME : PLAIN;
    }
    for (uint32_t i = 0; i < k->f->instances.len; i++) {
        const xta_instance *t = &k->f->instances.data[i];
        if (strcmp(t->name, a->name) != 0) continue;
        names_arguments(k, a, t->params, t->nparams);
        return PLAIN;
    }
    for (uint32_t i = 0; i < k->f->templates.len; i++) {
        const xta_template *t = &k->f->templates.data[i];
        if (strcmp(t->name, a->name) != 0) continue;
        names_arguments(k, a, t->params, t->nparams);
        return PLAIN;
    }
    names_arguments(k, a, NULL, 0);
    return PLAIN;
}

static void names_quantifier(names_check *k, const xta_ast *a) {
    bool is_name = names_type(k, a->type).is_name;
    k->quantified += is_name;
    if (is_name && (a->kind == X_SUM || k->in_function || k->quantified > MOST_QUANTIFIED)) names_note(k, a->at);
    must_be_plain(k, a->args[0]);
    k->quantified -= is_name;
}

static names_kind names_binary(names_check *k, const xta_ast *a) {
    if (a->op == OP_EQ || a->op == OP_NE) names_both(k, a->args[0], a->args[1]);
    else
        for (uint32_t i = 0; i < 2; i++) must_be_plain(k, a->args[i]);
    return PLAIN;
}

static names_kind names_word(names_check *k, const xta_ast *a) {
    if (strcmp(a->name, k->size) == 0) names_note(k, a->at);
    const names_shape *s = names_find(k, k->words, a->name);
    return s && s->is_name && !s->ndims ? NAME : PLAIN;
}

static names_kind names_expr(names_check *k, const xta_ast *a) {
    switch (a->kind) {
    case X_NUMBER: return a->number <= 0 ? LOW : PLAIN;
    case X_NAME: return names_word(k, a);
    case X_FIELD: names_expr(k, a->args[0]); return names_word(k, a);
    case X_INDEX: return names_index(k, a);
    case X_CALL: return names_call(k, a);
    case X_BINARY: return names_binary(k, a);
    case X_COND: must_be_plain(k, a->args[0]); return names_both(k, a->args[1], a->args[2]);
    case X_ASSIGN:
        if (a->op == OP_NONE) must_be(k, a->args[1], names_expr(k, a->args[0]) == NAME);
        else
            for (uint32_t i = 0; i < 2; i++) must_be_plain(k, a->args[i]);
        return PLAIN;
    case X_FORALL:
    case X_EXISTS:
    case X_SUM: names_quantifier(k, a); return PLAIN;
    case X_UNARY: must_be_plain(k, a->args[0]); return a->op == OP_NEG && a->args[0]->kind == X_NUMBER ? LOW : PLAIN;
    default:
        for (uint32_t i = 0; i < a->nargs; i++) must_be_plain(k, a->args[i]);
        return PLAIN;
    }
}

// ---- words that are declared anywhere

static void names_collect_expr(names_check *k, const xta_ast *a) {
    if (!a) return;
    if (a->kind == X_FORALL || a->kind == X_EXISTS || a->kind == X_SUM)
        names_put(k, k->words, a->name, names_type(k, a->type), a->at);
    if (a->of) names_collect_expr(k, a->of);
    for (uint32_t i = 0; i < a->nargs; i++) names_collect_expr(k, a->args[i]);
}

static void names_collect(names_check *k, const xta_decl *decls, uint32_t n);

static void names_collect_stmt(names_check *k, const xta_stmt *s) {
    if (!s) return;
    names_collect(k, s->decls, s->ndecls);
    names_collect_expr(k, s->expr);
    names_collect_expr(k, s->init);
    names_collect_expr(k, s->step);
    if (s->kind == XS_EACH) names_put(k, k->words, s->name, names_type(k, s->type), s->at);
    for (uint32_t i = 0; i < s->nbody; i++) names_collect_stmt(k, s->body[i]);
}

static void names_collect(names_check *k, const xta_decl *decls, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        names_declare(k, k->words, &decls[i]);
        names_collect_expr(k, decls[i].init);
        names_collect(k, decls[i].params, decls[i].nparams);
        names_collect_stmt(k, decls[i].body);
    }
}

static void names_collect_edge(names_check *k, const xta_edge *e) {
    names_collect(k, e->selects, e->nselects);
    names_collect_expr(k, e->guard);
    names_collect_expr(k, e->channel);
    for (uint32_t i = 0; i < e->nupdates; i++) names_collect_expr(k, e->updates[i]);
}

static void names_collect_query(names_check *k, const xta_query *q) {
    names_collect_expr(k, q->cond);
    names_collect_expr(k, q->then);
    for (uint32_t i = 0; i < q->nmeasured; i++) names_collect_expr(k, q->measured[i]);
}

static void names_collect_all(names_check *k) {
    const xta_file *f = k->f;
    names_collect(k, f->decls.data, f->decls.len);
    for (uint32_t i = 0; i < f->templates.len; i++) {
        const xta_template *t = &f->templates.data[i];
        names_collect(k, t->params, t->nparams);
        names_collect(k, t->decls, t->ndecls);
        for (uint32_t l = 0; l < t->locations.len; l++) names_collect_expr(k, t->locations.data[l].invariant);
        for (uint32_t e = 0; e < t->edges.len; e++) names_collect_edge(k, &t->edges.data[e]);
    }
    for (uint32_t i = 0; i < f->instances.len; i++)
        names_collect(k, f->instances.data[i].params, f->instances.data[i].nparams);
    for (uint32_t i = 0; i < f->queries.len; i++) names_collect_query(k, &f->queries.data[i]);
}

// ---- uses

static void names_decls(names_check *k, const xta_decl *decls, uint32_t n);

static void names_stmt(names_check *k, const xta_stmt *s) {
    if (!s) return;
    names_decls(k, s->decls, s->ndecls);
    if (s->kind == XS_EACH && names_type(k, s->type).is_name) names_note(k, s->at);
    if (s->expr) {
        if (s->kind == XS_RETURN) must_be(k, s->expr, k->returns_name);
        else must_be_plain(k, s->expr);
    }
    must_be_plain(k, s->init);
    must_be_plain(k, s->step);
    for (uint32_t i = 0; i < s->nbody; i++) names_stmt(k, s->body[i]);
}

static void names_decls(names_check *k, const xta_decl *decls, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        names_shape s = names_shape_of(k, &decls[i]);
        if (decls[i].init) must_be(k, decls[i].init, s.is_name && !s.ndims);
        if (decls[i].kind != XD_FUNC) continue;
        k->returns_name = s.is_name;
        k->in_function = true;
        names_stmt(k, decls[i].body);
        k->in_function = false;
    }
}

static void names_edge(names_check *k, const xta_edge *e) {
    for (uint32_t i = 0; i < e->nselects; i++) k->quantified += names_shape_of(k, &e->selects[i]).is_name;
    if (k->quantified > MOST_QUANTIFIED) names_note(k, e->at);
    must_be_plain(k, e->guard);
    must_be_plain(k, e->channel);
    for (uint32_t i = 0; i < e->nupdates; i++) must_be_plain(k, e->updates[i]);
    k->quantified = 0;
}

static void names_instance(names_check *k, const xta_instance *i) {
    xta_ast a = {.kind = X_CALL, .name = i->of, .at = i->at, .args = i->args, .nargs = i->nargs};
    names_call(k, &a);
}

static void names_template(names_check *k, const xta_template *t) {
    names_decls(k, t->decls, t->ndecls);
    for (uint32_t l = 0; l < t->locations.len; l++) must_be_plain(k, t->locations.data[l].invariant);
    for (uint32_t e = 0; e < t->edges.len; e++) names_edge(k, &t->edges.data[e]);
}

static void names_query(names_check *k, const xta_query *q) {
    must_be_plain(k, q->cond);
    must_be_plain(k, q->then);
    must_be_plain(k, q->deadline);
    for (uint32_t i = 0; i < q->nmeasured; i++) must_be_plain(k, q->measured[i]);
}

void xta_check_names(xta_file *f, const char *size, span *use) {
    names_check k = {.f = f, .size = size, .use = use, .words = map_new(), .types = map_new()};
    names_collect_all(&k);
    names_decls(&k, f->decls.data, f->decls.len);
    for (uint32_t i = 0; i < f->templates.len; i++) names_template(&k, &f->templates.data[i]);
    for (uint32_t i = 0; i < f->instances.len; i++) names_instance(&k, &f->instances.data[i]);
    for (uint32_t i = 0; i < f->queries.len; i++) {
        k.use = &f->queries.data[i].size_use;
        names_query(&k, &f->queries.data[i]);
    }
    map_free(k.words);
    map_free(k.types);
    vec_free(&k.shapes);
}
