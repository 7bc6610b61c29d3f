// SPDX-License-Identifier: Apache-2.0
// Formulas in words: see words.h. Sentences are made by the shape of the formula, top down; what has no words of its
// own is printed as it is. Formulas are walked as trees, so large ones are left alone.
#include "report/words.h"

#include "model/print.h"
#include "report/murphi.h"
#include "result/cell.h"

#include <ctype.h>
#include <string.h>

enum { WORDS_LARGEST = 300, MOST_LITERALS = 40, MOST_ELEMENTS = 4, PROPOSED_CELLS = 24 };

typedef struct {
    const proof *p;
    const model *m;
    str *out;
} words;

// Abstractions are of Murphi models.
void words_formula(const proof *p, expr e, str *out) {
    if (p->method) murphi_print_expr(p->m, e, out);
    else print_expr_in(p->m, p->system, e, out);
}

static const expr_info *words_of(const words *w, expr e) { return expr_of(w->m, e); }

typedef struct {
    const char *names[WORDS_LARGEST + 1];
    uint32_t n;
    bool keeps;  // names of binders that are over count too
} binders;

// Does a binder have the name of one around it (or, if they are kept, of any before it)?
static bool has_twin(const model *m, expr e, binders *b) {
    const expr_info *x = expr_of(m, e);
    bool binds = expr_kind_binds(x->kind), found = false;
    const char *own = binds ? var_of(m, (var){x->ref})->name : NULL;
    for (uint32_t i = 0; i < b->n && binds && !found; i++) found = str_same(b->names[i], own);
    if (binds) b->names[b->n++] = own;
    for (uint32_t i = 0; i < x->nargs && !found; i++) found = has_twin(m, x->args[i], b);
    if (binds && !b->keeps) b->n--;
    return found;
}

// Printing renames a variable within one of the same name, and where binders are left out even one beside it would be
// taken for it.
static bool has_no_words(const model *m, expr e, bool without_binders) {
    binders b = {.keeps = without_binders};
    return expr_of(m, e)->tree > WORDS_LARGEST || has_twin(m, e, &b);
}

// ---- sentences

static void words_put(words *w, expr e);

// Binders of one kind, those of a sort together: "Thread t and u, Loc v". The body is what is left.
static expr put_binders(words *w, expr e, expr_kind kind) {
    const char *joint = kind == E_FORALL ? " and every " : " and a ";
    type last = {0};
    for (; words_of(w, e)->kind == kind; e = words_of(w, e)->args[0]) {
        const var_info *v = var_of(w->m, (var){words_of(w, e)->ref});
        const char *name = type_of(w->m, v->ty)->name;
        bool is_same = last.id && type_same(last, v->ty);
        str_add(w->out, is_same ? " and " : last.id ? joint : "");
        if (!is_same) str_printf(w->out, "%s ", *name ? name : "number");
        str_add(w->out, v->name);
        last = v->ty;
    }
    return e;
}

static bool is_simple(const words *w, expr e) {
    expr_kind k = words_of(w, e)->kind;
    return k != E_AND && k != E_OR && k != E_IMPLIES && k != E_FORALL && k != E_EXISTS &&
           (k != E_NOT || is_simple(w, words_of(w, e)->args[0]));
}

static void put_part(words *w, expr e) {
    bool is_plain = is_simple(w, e);
    if (!is_plain) str_char(w->out, '(');
    words_put(w, e);
    if (!is_plain) str_char(w->out, ')');
}

static void put_joined(words *w, expr e, const char *word) {
    for (uint32_t i = 0; i < words_of(w, e)->nargs; i++) {
        if (i) str_add(w->out, word);
        put_part(w, words_of(w, e)->args[i]);
    }
}

// In the quotes of code, unless it has such quotes itself.
static void put_quoted_expr(words *w, expr e) {
    str text = {0};
    words_formula(w->p, e, &text);
    bool is_plain = !strchr(str_get(&text), '`');
    str_printf(w->out, "%s%s%s", is_plain ? "`" : "", str_get(&text), is_plain ? "`" : "");
    str_free(&text);
}

static void put_some(words *w, expr e, const char *some) {
    str_add(w->out, some);
    e = put_binders(w, e, E_EXISTS);
    str_add(w->out, " with ");
    words_put(w, e);
}

static void words_put_not(words *w, expr e) {
    const expr_info *x = words_of(w, e);
    if (x->kind == E_EXISTS) {
        put_some(w, e, "there is no ");
        return;
    }
    if (x->kind == E_EQ && !type_same(words_of(w, x->args[0])->ty, x->ty)) {
        put_quoted_expr(w, x->args[0]);
        str_add(w->out, " is not ");
        put_quoted_expr(w, x->args[1]);
        return;
    }
    str_add(w->out, "not ");
    put_part(w, e);
}

static void words_put_pair(words *w, expr e, const char *between) {
    put_part(w, words_of(w, e)->args[0]);
    str_add(w->out, between);
    put_part(w, words_of(w, e)->args[1]);
}

// The two commas stand for parentheses around a list of conditions, and around one of conclusions.
static void put_implication(words *w, expr e) {
    expr if_part = words_of(w, e)->args[0], then_part = words_of(w, e)->args[1];
    str_add(w->out, "if ");
    if (words_of(w, if_part)->kind == E_AND) put_joined(w, if_part, " and ");
    else put_part(w, if_part);
    str_add(w->out, ", then ");
    if (words_of(w, then_part)->kind == E_OR) put_joined(w, then_part, " or ");
    else put_part(w, then_part);
}

static void words_put(words *w, expr e) {
    const expr_info *x = words_of(w, e);
    switch (x->kind) {
    case E_FORALL:
        str_add(w->out, "for every ");
        e = put_binders(w, e, E_FORALL);
        str_add(w->out, ": ");
        words_put(w, e);
        return;
    case E_EXISTS: put_some(w, e, "there is a "); return;
    case E_AND: put_joined(w, e, " and "); return;
    case E_OR: put_joined(w, e, " or "); return;
    case E_IMPLIES: put_implication(w, e); return;
    case E_NOT: words_put_not(w, x->args[0]); return;
    case E_EQ:
        if (type_of(w->m, words_of(w, x->args[0])->ty)->kind == TYPE_BOOL) words_put_pair(w, e, " exactly if ");
        else put_quoted_expr(w, x->args[0]), str_add(w->out, " is "), put_quoted_expr(w, x->args[1]);
        return;
    default: put_quoted_expr(w, e);
    }
}

bool words_sentence(const proof *p, expr e, str *out) {
    words w = {p, p->m, out};
    size_t begin = out->len;
    if (has_no_words(p->m, e, false)) return false;
    words_put(&w, e);
    if (out->len > begin) out->text[begin] = (char)toupper((unsigned char)out->text[begin]);
    return true;
}

// ---- what is excluded

typedef struct {
    words w;
    json_t *list;
} cube;

static json_t *printed(const words *w, expr e) {
    str text = {0};
    words_formula(w->p, e, &text);
    return object_take(&text);
}

static bool is_atom(const words *w, expr e) { return words_of(w, e)->kind == E_VAR || words_of(w, e)->kind == E_CONST; }

// A state function of variables and constants: a cell that can be drawn.
static bool is_drawn_cell(const words *w, expr e) {
    const expr_info *x = words_of(w, e);
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!is_atom(w, x->args[i])) return false;
    return x->kind == E_APP;
}

// "Opacity.ws(t, v)" is a cell of Opacity.ws, "cache[i].mode" one of cache[].mode.
static void cell_function_name(const char *cell, str *out) {
    for (; *cell && *cell != '('; cell++) {
        str_char(out, *cell);
        if (*cell == '[') cell += strcspn(cell, "]") - 1;
    }
}

// `function`, as it is written before its arguments, `arguments` and their `sorts`.
static void set_cell(json_t *o, const words *w, expr e) {
    const expr_info *x = words_of(w, e);
    const func_info *f = func_of(w->m, (func){x->ref});
    str text = {0}, name = {0};
    json_t *args = json_array(), *sorts = json_array();
    words_formula(w->p, e, &text);
    cell_function_name(str_get(&text), &name);
    json_object_set_new(o, "function", object_take(&name));
    for (uint32_t i = 0; i < x->nargs; i++) {
        json_array_append_new(args, printed(w, x->args[i]));
        json_array_append_new(sorts, object_string(type_of(w->m, f->args[i])->name));
    }
    json_object_set_new(o, "arguments", args);
    json_object_set_new(o, "sorts", sorts);
    str_free(&text);
}

// A literal that is a cell, a cell with a value, or two variables that are the same can be drawn.
static void set_drawable(json_t *o, const words *w, expr e) {
    const expr_info *x = words_of(w, e);
    if (is_drawn_cell(w, e)) set_cell(o, w, e);
    if (x->kind != E_EQ) return;
    expr a = x->args[0], b = x->args[1];
    if (is_atom(w, a) && is_atom(w, b))
        json_object_set_new(o, "same", json_pack("[o, o]", printed(w, a), printed(w, b)));
    else if (is_drawn_cell(w, a) && is_atom(w, b)) set_cell(o, w, a), json_object_set_new(o, "value", printed(w, b));
    else if (is_drawn_cell(w, b) && is_atom(w, a)) set_cell(o, w, b), json_object_set_new(o, "value", printed(w, a));
}

static void add_literal(cube *c, expr e, bool holds) {
    if (json_array_size(c->list) >= MOST_LITERALS) return;
    json_t *o = json_pack("{s:o, s:b}", "text", printed(&c->w, e), "holds", holds);
    set_drawable(o, &c->w, e);
    json_array_append_new(c->list, o);
}

// That e is true (or false): literals that must all be so; what is a choice between several is one literal.
static void add_excluded(cube *c, expr e, bool holds) {
    const expr_info *x = words_of(&c->w, e);
    bool is_split = x->kind == (holds ? E_AND : E_OR), is_bound = x->kind == (holds ? E_EXISTS : E_FORALL);
    if (x->kind == E_NOT) add_excluded(c, x->args[0], !holds);
    else if (is_bound) add_excluded(c, x->args[0], holds);
    else if (x->kind == E_IMPLIES && !holds) add_excluded(c, x->args[0], true), add_excluded(c, x->args[1], false);
    else if (!is_split) add_literal(c, e, holds);
    else
        for (uint32_t i = 0; i < x->nargs; i++) add_excluded(c, x->args[i], holds);
}

json_t *words_rules_out(const proof *p, expr lemma) {
    if (has_no_words(p->m, lemma, true)) return json_null();
    cube c = {{p, p->m, NULL}, json_array()};
    add_excluded(&c, lemma, false);
    return c.list;
}

// ---- what to try next

typedef struct {
    const instance *in;
    bool *is_used;    // by type and element: [ty * widest + element]
    uint32_t widest;  // elements of the largest sort
    str literals, tie;
    uint32_t count;
} proposal;

static bool is_element(const instance *in, type ty) {
    return type_of(in->m, ty)->kind == TYPE_SORT && !type_of(in->m, ty)->is_slot;
}

// Is no other sort's name like this one in its first letter?
static bool is_known_by_letter(const instance *in, type ty) {
    int letter = tolower((unsigned char)type_of(in->m, ty)->name[0]);
    for (uint32_t i = 1; i < in->m->types.len; i++)
        if (i != ty.id && is_element(in, (type){i}) && tolower((unsigned char)in->m->types.data[i].name[0]) == letter)
            return false;
    return true;
}

// "t1", or "thread_1" where there are several sorts of that letter.
static void put_element(const instance *in, type ty, value v, str *out) {
    const char *name = type_of(in->m, ty)->name;
    bool is_short = is_known_by_letter(in, ty);
    for (size_t i = 0; name[i] && (i == 0 || !is_short); i++) str_char(out, (char)tolower((unsigned char)name[i]));
    str_printf(out, "%s%d", is_short ? "" : "_", v + 1);
}

static void put_argument(proposal *p, type ty, value v, str *out) {
    if (!is_element(p->in, ty)) {
        instance_value_text(p->in, ty, v, out);
        return;
    }
    p->is_used[ty.id * p->widest + (uint32_t)v] = true;
    put_element(p->in, ty, v, out);
}

// "rs(t1, l1)", "!live(t1)", "phase(t1) = aborted"
static void put_cell_literal(proposal *p, uint32_t cell, value v, str *out) {
    value args[MODEL_MOST_ARGS];
    const func_info *f = func_of(p->in->m, instance_cell_func(p->in, cell, args));
    bool is_bool = cell_is_bool(p->in, cell);
    if (is_bool && !v) str_char(out, '!');
    if (cell_is_foreign(p->in, cell)) str_printf(out, "%s.", sys_of(p->in->m, f->owner)->name);
    str_add(out, f->name);
    for (uint32_t i = 0; i < f->nargs; i++) {
        str_add(out, i ? ", " : "(");
        put_argument(p, f->args[i], args[i], out);
    }
    if (f->nargs) str_char(out, ')');
    if (is_bool) return;
    str_add(out, " = ");
    put_argument(p, f->result, v, out);
}

static void take_cell(proposal *p, uint32_t cell, value v) {
    value args[MODEL_MOST_ARGS];
    const func_info *f = func_of(p->in->m, instance_cell_func(p->in, cell, args));
    if (f->is_scratch || v == VALUE_UNDEFINED || cell_is_initial(p->in, cell, v)) return;
    str one = {0};
    put_cell_literal(p, cell, v, &one);
    str_printf(&p->literals, "%s%s", p->count ? " & " : "", str_get(&one));
    if (!p->tie.len && f->nargs > 1 && v) str_add(&p->tie, str_get(&one));
    p->count++;
    str_free(&one);
}

// "t1, t2: Thread, l1: Loc"; how many of one sort at most.
static uint32_t put_elements(const proposal *p, str *out) {
    uint32_t most = 0;
    for (uint32_t ty = 1; ty < p->in->m->types.len; ty++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < p->widest; i++) {
            if (!p->is_used[ty * p->widest + i]) continue;
            str_add(out, out->len ? ", " : "");
            put_element(p->in, (type){ty}, (value)i, out);
            n++;
        }
        if (n) str_printf(out, ": %s", type_of(p->in->m, (type){ty})->name);
        if (n > most) most = n;
    }
    return most;
}

// Different elements are different: "t1 != t2".
static void put_differences(proposal *p) {
    for (uint32_t ty = 1; ty < p->in->m->types.len; ty++)
        for (uint32_t i = 0; i < p->widest; i++)
            for (uint32_t j = i + 1; j < p->widest; j++) {
                if (!p->is_used[ty * p->widest + i] || !p->is_used[ty * p->widest + j]) continue;
                str_add(&p->literals, " & ");
                put_element(p->in, (type){ty}, (value)i, &p->literals);
                str_add(&p->literals, " != ");
                put_element(p->in, (type){ty}, (value)j, &p->literals);
            }
}

static json_t *proposal_object(proposal *p) {
    str elements = {0};
    uint32_t most = put_elements(p, &elements);
    put_differences(p);
    str lemma = {0}, schema = {0};
    str_printf(&lemma, elements.len ? "forall %s. !(%s)" : "%s!(%s)", str_get(&elements), str_get(&p->literals));
    bool has_schema = p->tie.len && elements.len && most <= MOST_ELEMENTS;
    const model *m = p->in->m;
    bool is_pyv = str_ends(diag_file_path(m->messages, sys_of(m, p->in->system)->at.file), ".pyv");
    if (has_schema)
        str_printf(&schema, "%s forall %s. %s & _ -> _ | _",
                   is_pyv ? "invariant [guess]" : "schema guess:", str_get(&elements), str_get(&p->tie));
    json_t *o = json_pack("{s:o, s:o}", "lemma", object_take(&lemma), "schema",
                          has_schema ? object_string(str_get(&schema)) : json_null());
    str_free(&schema);
    str_free(&elements);
    return o;
}

json_t *words_proposal(const instance *in, const value *state) {
    proposal p = {.in = in, .widest = 1};
    for (uint32_t ty = 1; ty < in->m->types.len; ty++)
        if (is_element(in, (type){ty}) && in->sort_size[ty] > p.widest) p.widest = in->sort_size[ty];
    p.is_used = mem_zero((size_t)in->m->types.len * p.widest + 1, sizeof *p.is_used);
    for (uint32_t c = 0; c < in->ncells; c++) take_cell(&p, c, state[c]);
    json_t *o = p.count && p.count <= PROPOSED_CELLS ? proposal_object(&p) : json_null();
    str_free(&p.literals);
    str_free(&p.tie);
    free(p.is_used);
    return o;
}
