// SPDX-License-Identifier: Apache-2.0
// Certificates as JSON: see certificate.h. Formulas are trees of arrays: ["forall", [["t", "Thread"]], body],
// ["and", a, b], ["app", "TL2.rs", ["var", "t"]], ["const", "finished", "TL2.Phase"].
#include "result/certificate.h"

#include "model/expr.h"
#include "model/print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { FORMAT = 1 };

static void hash_text(const char *text, char out[17]) {
    snprintf(out, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(text, strlen(text)));
}

// ---- writing formulas

typedef struct {
    const model *m;
    VEC(uint32_t) bound;  // ids of variables, innermost last; named by place
} writer;

static json_t *write_expr(writer *w, expr e);

static json_t *text_of(const char *format, const char *a, const char *b) {
    str s = {0};
    str_printf(&s, format, a, b);
    json_t *j = json_string(str_get(&s));
    str_free(&s);
    return j;
}

static json_t *variable_name(const writer *w, uint32_t place) {
    char number[16];
    snprintf(number, sizeof number, "%u", place);
    return text_of("%s%s", var_of(w->m, (var){w->bound.data[place]})->name, number);
}

static json_t *type_name(const model *m, type t) {
    const type_info *info = type_of(m, t);
    if (info->kind == TYPE_ENUM && info->owner.id)
        return text_of("%s.%s", sys_of(m, info->owner)->name, info->name);
    if (info->kind == TYPE_BOOL) return json_string("bool");
    if (info->kind == TYPE_RANGE) return json_pack("[i, i]", info->lo, info->hi);
    return json_string(info->name);
}

static json_t *write_const(const model *m, const expr_info *x) {
    const type_info *t = type_of(m, x->ty);
    if (t->kind == TYPE_BOOL) return json_pack("[s]", x->ref ? "true" : "false");
    json_t *shown = t->kind == TYPE_ENUM ? json_string(t->literals[x->ref]) : json_integer((value)x->ref);
    return json_pack("[s, o, o]", "const", shown, type_name(m, x->ty));
}

static json_t *write_var(const writer *w, uint32_t id) {
    for (uint32_t i = w->bound.len; i-- > 0;)
        if (w->bound.data[i] == id) return json_pack("[s, o]", "var", variable_name(w, i));
    return json_pack("[s, s]", "var", "?");
}

static json_t *write_quantifier(writer *w, const expr_info *x) {
    vec_push(&w->bound, x->ref);
    json_t *binder = json_pack("[[o, o]]", variable_name(w, w->bound.len - 1),
                               type_name(w->m, var_of(w->m, (var){x->ref})->ty));
    json_t *j =
        json_pack("[s, o, o]", x->kind == E_FORALL ? "forall" : "exists", binder, write_expr(w, x->args[0]));
    w->bound.len--;
    return j;
}

static json_t *write_args(writer *w, json_t *j, const expr_info *x) {
    for (uint32_t i = 0; i < x->nargs; i++) json_array_append_new(j, write_expr(w, x->args[i]));
    return j;
}

static const struct {
    expr_kind kind;
    const char *name;
} operators[] = {{E_NOT, "not"}, {E_AND, "and"}, {E_OR, "or"},   {E_IMPLIES, "implies"}, {E_EQ, "="},
                 {E_LT, "<"},    {E_LE, "<="},   {E_ADD, "+"},   {E_SUB, "-"},           {E_MUL, "*"},
                 {E_DIV, "/"},   {E_MOD, "%"},   {E_NEG, "neg"}, {E_ITE, "ite"}};
enum { NOPERATORS = sizeof operators / sizeof *operators };

static json_t *write_expr(writer *w, expr e) {
    expr_info x = *expr_of(w->m, e);
    if (x.kind == E_CONST) return write_const(w->m, &x);
    if (x.kind == E_VAR) return write_var(w, x.ref);
    if (x.kind == E_FORALL || x.kind == E_EXISTS) return write_quantifier(w, &x);
    if (x.kind == E_APP) {
        const func_info *f = func_of(w->m, (func){x.ref});
        json_t *name = text_of("%s.%s", sys_of(w->m, f->owner)->name, f->name);
        return write_args(w, json_pack("[s, o]", "app", name), &x);
    }
    for (uint32_t i = 0; i < NOPERATORS; i++)
        if (operators[i].kind == x.kind) return write_args(w, json_pack("[s]", operators[i].name), &x);
    return json_pack("[s]", "?");
}

// ---- writing proofs

json_t *certificate_formula(const model *m, expr e) {
    writer w = {.m = m};
    json_t *j = write_expr(&w, e);
    vec_free(&w.bound);
    return j;
}

static const char *const kind_names[] = {"found", "assume", "property"};

static json_t *write_lemma(const proof *p, const proof_lemma *l) {
    str text = {0};
    print_expr_in(p->m, p->system, l->formula, &text);
    json_t *j =
        json_pack("{s:s, s:b, s:s, s:o}", "kind", kind_names[l->kind], "assumed", l->is_assumed, "formula",
                  str_get(&text), "tree", certificate_formula(p->m, expr_inline(p->m, l->formula)));
    if (l->name) json_object_set_new(j, "name", json_string(l->name));
    str_free(&text);
    return j;
}

static void write_obligations(const proof *p, json_t *out) {
    const sys_info *s = sys_of(p->m, p->system);
    for (uint32_t i = 0; i < p->nneeded; i++) {
        if (p->lemmas.data[i].is_assumed) continue;
        json_array_append_new(out, json_pack("{s:s, s:i}", "show", "initially", "lemma", i));
        for (uint32_t r = 0; r < s->rules.len; r++)
            json_array_append_new(out, json_pack("{s:s, s:s, s:i}", "show", "preserved", "rule",
                                                 rule_of(p->m, s->rules.data[r])->name, "lemma", i));
    }
    for (uint32_t r = 0; r < s->rules.len; r++)
        for (uint32_t k = 0; k < rule_of(p->m, s->rules.data[r])->nrequires; k++)
            json_array_append_new(out, json_pack("{s:s, s:s}", "show", "allowed", "rule",
                                                 rule_of(p->m, s->rules.data[r])->name));
}

static json_t *write_proof(const proof *p) {
    json_t *lemmas = json_array(), *obligations = json_array(), *sorts = json_array();
    type_list used = {0};
    instance_sorts(p->m, p->system, &used);
    for (uint32_t i = 0; i < used.len; i++)
        json_array_append_new(sorts, json_string(type_of(p->m, used.data[i])->name));
    for (uint32_t i = 0; i < p->nneeded; i++)
        json_array_append_new(lemmas, write_lemma(p, &p->lemmas.data[i]));
    write_obligations(p, obligations);
    vec_free(&used);
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "property", prop_of(p->m, p->property)->name, "system",
                     sys_of(p->m, p->system)->name, "sorts", sorts, "lemmas", lemmas, "obligations",
                     obligations);
}

void certificate_write(const char *model_text, const proof *const *proofs, uint32_t n, str *out) {
    char hash[17];
    hash_text(model_text, hash);
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        if (proofs[i]->verdict == VERDICT_HOLDS && !proofs[i]->is_theorem)
            json_array_append_new(list, write_proof(proofs[i]));
    json_t *j = json_pack("{s:i, s:s, s:s, s:o}", "parvis_certificate", FORMAT, "model_hash", hash, "model",
                          model_text, "proofs", list);
    char *text = json_dumps(j, JSON_INDENT(1));
    str_add(out, text ? text : "");
    str_char(out, '\n');
    free(text);
    json_decref(j);
}

// ---- reading

struct certificate {
    json_t *root;
};

static const span nowhere = {0};

static bool has_form(const json_t *root, diag *messages, const char *path) {
    const json_t *format = json_object_get(root, "parvis_certificate");
    if (!json_is_integer(format)) diag_error(messages, nowhere, "'%s' is no certificate", path);
    else if (json_integer_value(format) != FORMAT)
        diag_error(messages, nowhere, "'%s' is a certificate of another version", path);
    else if (!json_is_string(json_object_get(root, "model")) ||
             !json_is_array(json_object_get(root, "proofs")))
        diag_error(messages, nowhere, "'%s' lacks its model or its proofs", path);
    else return true;
    return false;
}

static bool has_hash(const json_t *root, diag *messages, const char *path) {
    char hash[17];
    hash_text(json_string_value(json_object_get(root, "model")), hash);
    const char *said = json_string_value(json_object_get(root, "model_hash"));
    if (said && strcmp(said, hash) == 0) return true;
    diag_error(messages, nowhere, "the model in '%s' is not the one that was proved: its hash differs", path);
    return false;
}

certificate *certificate_open(const char *path, diag *messages) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root) diag_error(messages, nowhere, "cannot read '%s': %s", path, error.text);
    if (!root || !has_form(root, messages, path) || !has_hash(root, messages, path)) {
        json_decref(root);
        return NULL;
    }
    certificate *c = mem_zero(1, sizeof *c);
    c->root = root;
    return c;
}

void certificate_free(certificate *c) {
    if (!c) return;
    json_decref(c->root);
    free(c);
}

const char *certificate_model(const certificate *c) {
    return json_string_value(json_object_get(c->root, "model"));
}

static const json_t *proofs_of(const certificate *c) { return json_object_get(c->root, "proofs"); }

uint32_t certificate_proofs(const certificate *c) { return (uint32_t)json_array_size(proofs_of(c)); }

const char *certificate_property(const certificate *c, uint32_t i) {
    const char *name = json_string_value(json_object_get(json_array_get(proofs_of(c), i), "property"));
    return name ? name : "";
}

// ---- reading formulas

typedef struct {
    const char *name;
    var v;
} named_var;

typedef struct {
    model *m;
    diag *messages;  // NULL: silent
    VEC(named_var) bound;
    bool failed;
    uint32_t depth;
} reader;

enum { DEEPEST = 200, MOST_ARGS = 64 };

static expr wrong(reader *r, const char *what, const char *name) {
    if (!r->failed && r->messages)
        diag_error(r->messages, nowhere, "certificate: %s '%s'", what, name ? name : "");
    r->failed = true;
    return r->m->true_expr;
}

static bool split_name(const model *m, const char *name, sys *owner, const char **rest) {
    const char *dot = name ? strrchr(name, '.') : NULL;
    if (!dot) return false;
    char *system = strndup(name, (size_t)(dot - name));
    *owner = model_find_system(m, system);
    *rest = dot + 1;
    free(system);
    return owner->id != 0;
}

static type read_range(model *m, const json_t *j) {
    return model_range(m, (int32_t)json_integer_value(json_array_get(j, 0)),
                       (int32_t)json_integer_value(json_array_get(j, 1)), nowhere);
}

static type read_type(reader *r, const json_t *j) {
    sys owner = {0};
    const char *name = json_string_value(j), *rest = name;
    if (json_is_array(j)) return read_range(r->m, j);
    if (name && strcmp(name, "bool") == 0) return r->m->bool_type;
    bool is_local = split_name(r->m, name, &owner, &rest);
    for (uint32_t i = 1; rest && i < r->m->types.len; i++)
        if (strcmp(r->m->types.data[i].name, rest) == 0 &&
            (!is_local || r->m->types.data[i].owner.id == owner.id))
            return (type){i};
    wrong(r, "there is no type", name);
    return r->m->bool_type;
}

static expr read_const(reader *r, const json_t *j) {
    type t = read_type(r, json_array_get(j, 2));
    const json_t *v = json_array_get(j, 1);
    const type_info *info = type_of(r->m, t);
    if (info->kind == TYPE_RANGE && json_is_integer(v))
        return expr_const(r->m, t, (value)json_integer_value(v));
    for (uint32_t i = 0; info->kind == TYPE_ENUM && json_is_string(v) && i < info->nliterals; i++)
        if (strcmp(info->literals[i], json_string_value(v)) == 0) return expr_const(r->m, t, (value)i);
    return wrong(r, "there is no value", json_string_value(v));
}

static expr read_expr(reader *r, const json_t *j);

static expr read_var(reader *r, const json_t *j) {
    const char *name = json_string_value(json_array_get(j, 1));
    for (uint32_t i = r->bound.len; name && i-- > 0;)
        if (strcmp(r->bound.data[i].name, name) == 0) return expr_var(r->m, r->bound.data[i].v);
    return wrong(r, "there is no variable", name);
}

static expr read_app(reader *r, const json_t *j) {
    const char *name = json_string_value(json_array_get(j, 1)), *rest;
    sys owner = {0};
    func f = split_name(r->m, name, &owner, &rest) ? model_find_func(r->m, owner, rest) : (func){0};
    if (!f.id) return wrong(r, "there is no function", name);
    func_info info = *func_of(r->m, f);
    expr args[MOST_ARGS];
    if (json_array_size(j) != info.nargs + 2 || info.nargs > MOST_ARGS)
        return wrong(r, "wrong arguments of", name);
    for (uint32_t i = 0; i < info.nargs; i++) {
        args[i] = read_expr(r, json_array_get(j, i + 2));
        type t = expr_type(r->m, args[i]);
        if (!type_same(t, info.args[i]) && !(type_is_number(r->m, t) && type_is_number(r->m, info.args[i])))
            return wrong(r, "wrong type of an argument of", name);
    }
    return expr_app(r->m, f, args);
}

static expr read_quantifier(reader *r, const json_t *j, expr_kind kind) {
    const json_t *binder = json_array_get(json_array_get(j, 1), 0);
    const char *name = json_string_value(json_array_get(binder, 0));
    if (!name) return wrong(r, "a quantifier lacks its variable", NULL);
    var v = model_add_var(r->m, name, read_type(r, json_array_get(binder, 1)), nowhere);
    vec_push(&r->bound, (named_var){name, v});
    expr body = read_expr(r, json_array_get(j, 2));
    r->bound.len--;
    bool is_bool = type_same(expr_type(r->m, body), r->m->bool_type);
    return is_bool ? expr_quantify(r->m, kind, v, body) : wrong(r, "no formula under", name);
}

static bool is_connective(expr_kind kind) {
    return kind == E_NOT || kind == E_AND || kind == E_OR || kind == E_IMPLIES;
}

static bool args_fit(const reader *r, expr_kind kind, const expr *args, uint32_t n) {
    uint32_t least = kind == E_NOT || kind == E_NEG ? 1 : kind == E_ITE ? 3 : 2;
    if (n < least || (n > least && kind != E_AND && kind != E_OR)) return false;
    for (uint32_t i = 0; i < n && is_connective(kind); i++)
        if (!type_same(expr_type(r->m, args[i]), r->m->bool_type)) return false;
    for (uint32_t i = 0; i < n && kind >= E_LT && kind <= E_NEG; i++)
        if (!type_is_number(r->m, expr_type(r->m, args[i])) &&
            !type_of(r->m, expr_type(r->m, args[i]))->is_ordered)
            return false;
    if (kind == E_ITE && !type_same(expr_type(r->m, args[0]), r->m->bool_type)) return false;
    type a = expr_type(r->m, args[n > 1 ? n - 2 : 0]), b = expr_type(r->m, args[n - 1]);
    bool alike = type_same(a, b) || (type_is_number(r->m, a) && type_is_number(r->m, b));
    return alike || is_connective(kind);
}

static expr build(reader *r, expr_kind kind, const expr *a, uint32_t n) {
    switch (kind) {
    case E_NOT: return expr_not(r->m, a[0]);
    case E_AND: return expr_and_all(r->m, a, n);
    case E_OR: return expr_or_all(r->m, a, n);
    case E_IMPLIES: return expr_implies(r->m, a[0], a[1]);
    case E_EQ: return expr_eq(r->m, a[0], a[1]);
    case E_ITE: return expr_ite(r->m, a[0], a[1], a[2]);
    default: return expr_arith(r->m, kind, a[0], n > 1 ? a[1] : a[0]);
    }
}

static expr read_operator(reader *r, const json_t *j, expr_kind kind) {
    VEC(expr) args = {0};
    for (size_t i = 1; i < json_array_size(j); i++) vec_push(&args, read_expr(r, json_array_get(j, i)));
    bool fits = !r->failed && args.len && args_fit(r, kind, args.data, args.len);
    expr e = fits ? build(r, kind, args.data, args.len) : wrong(r, "wrong operands of", "an operator");
    vec_free(&args);
    return e;
}

static expr read_node(reader *r, const json_t *j) {
    const char *name = json_string_value(json_array_get(j, 0));
    if (!name) return wrong(r, "no formula", NULL);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) return expr_bool(r->m, name[0] == 't');
    if (strcmp(name, "const") == 0) return read_const(r, j);
    if (strcmp(name, "var") == 0) return read_var(r, j);
    if (strcmp(name, "app") == 0) return read_app(r, j);
    if (strcmp(name, "forall") == 0) return read_quantifier(r, j, E_FORALL);
    if (strcmp(name, "exists") == 0) return read_quantifier(r, j, E_EXISTS);
    for (uint32_t i = 0; i < NOPERATORS; i++)
        if (strcmp(operators[i].name, name) == 0) return read_operator(r, j, operators[i].kind);
    return wrong(r, "unknown operator", name);
}

static expr read_expr(reader *r, const json_t *j) {
    if (r->failed || ++r->depth > DEEPEST) return wrong(r, "the formula is nested too deeply", NULL);
    expr e = read_node(r, j);
    r->depth--;
    return e;
}

expr certificate_formula_read(model *m, const json_t *tree) {
    reader r = {.m = m};
    expr e = read_expr(&r, tree);
    vec_free(&r.bound);
    return r.failed || !type_same(expr_type(m, e), m->bool_type) ? (expr){0} : e;
}

static certificate_lemma read_lemma(reader *r, const json_t *j) {
    certificate_lemma l = {.name = json_string_value(json_object_get(j, "name")),
                           .is_assumed = json_is_true(json_object_get(j, "assumed"))};
    const char *kind = json_string_value(json_object_get(j, "kind"));
    for (uint32_t i = 0; kind && i < 3; i++)
        if (strcmp(kind, kind_names[i]) == 0) l.kind = (lemma_kind)i;
    l.formula = read_expr(r, json_object_get(j, "tree"));
    if (!r->failed && !type_same(expr_type(r->m, l.formula), r->m->bool_type)) wrong(r, "no formula", l.name);
    return l;
}

bool certificate_read(const certificate *c, uint32_t i, model *m, diag *messages, certificate_lemmas *out) {
    reader r = {.m = m, .messages = messages};
    const json_t *list = json_object_get(json_array_get(proofs_of(c), i), "lemmas");
    for (size_t k = 0; k < json_array_size(list) && !r.failed; k++)
        vec_push(out, read_lemma(&r, json_array_get(list, k)));
    vec_free(&r.bound);
    return !r.failed;
}
