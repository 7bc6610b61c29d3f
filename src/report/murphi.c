// SPDX-License-Identifier: Apache-2.0
// Murphi text: see murphi.h. Kept elements are the numbers 1..c, Other is c+1, values of other members of a union
// follow: what is a union here is a range there. A step that an assumption makes impossible puts back what it wrote.
#include "report/murphi.h"

#include "base/bits.h"
#include "model/expr.h"
#include "model/shared.h"
#include "model/stmt.h"
#include "model/walk.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    const model *m;
    const proof_abstract *a;  // NULL: the original model's own notation
    const sys_info *system;
    uint32_t kept;  // how many elements are
    str *out;
    VEC(var) named;  // variables in scope, innermost last
    VEC(const char *) names;
    bits in_union;  // types that are members of a union in the text
    bits saved;     // functions that a step may have to put back
    const char *possible;
    shared parts;  // functions of the text
    expr whole;    // the one that is written
    arena *memory;
} printer;

static void murphi_add(printer *p, const char *text) { str_add(p->out, text); }

static void begin_line(printer *p, uint32_t indent) {
    str_char(p->out, '\n');
    str_pad(p->out, ' ', indent * 2);
}

#define line(p, indent, ...) (begin_line(p, indent), str_printf((p)->out, __VA_ARGS__))

// ---- names

// The same once characters that Murphi does not have are replaced?
static bool same_name(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if (*a != *b && !(*a == '_' && !isalnum((unsigned char)*b))) return false;
    return *a == *b;
}

static bool murphi_is_taken(const printer *p, const char *name) {
    for (uint32_t i = 0; i < p->names.len; i++)
        if (strcmp(p->names.data[i], name) == 0) return true;
    for (uint32_t i = 1; i < p->m->funcs.len; i++)
        if (same_name(name, p->m->funcs.data[i].name)) return true;
    for (uint32_t i = 1; i < p->m->types.len; i++) {
        const type_info *t = &p->m->types.data[i];
        if (strcmp(t->name, name) == 0) return true;
        for (uint32_t k = 0; k < t->nliterals; k++)
            if (strcmp(t->literals[k], name) == 0) return true;
    }
    return false;
}

static char *identifier(printer *p, const char *name) {
    char *s = arena_str(p->memory, name);
    for (char *c = s; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') *c = '_';
    return isalpha((unsigned char)*s) ? s : arena_printf(p->memory, "v%s", s);
}

static const char *free_name(printer *p, const char *base) {
    const char *name = base;
    for (uint32_t i = 1; murphi_is_taken(p, name); i++) name = arena_printf(p->memory, "%s_%u", base, i);
    return name;
}

static void push_name(printer *p, var v, const char *name) {
    vec_push(&p->named, v);
    vec_push(&p->names, name);
}

static void pop_names(printer *p, uint32_t n) { p->named.len = p->names.len = n; }

static const char *murphi_name_of(printer *p, uint32_t v) {
    for (uint32_t i = p->named.len; i-- > 0;)
        if (p->named.data[i].id == v) return p->names.data[i];
    return var_of(p->m, (var){v})->name;
}

static void put_type(printer *p, type t) {
    const type_info *x = type_of(p->m, t);
    if (x->kind == TYPE_BOOL) murphi_add(p, "boolean");
    else if (x->kind == TYPE_RANGE) str_printf(p->out, "%d..%d", x->lo, x->hi);
    else murphi_add(p, *x->name ? identifier(p, x->name) : arena_printf(p->memory, "type_%u", t.id));
}

// "name : type" of a variable, which is in scope from here on.
static void put_variable(printer *p, var v) {
    push_name(p, v, free_name(p, identifier(p, var_of(p->m, v)->name)));
    str_printf(p->out, "%s : ", vec_last(&p->names));
    put_type(p, var_of(p->m, v)->ty);
}

// ---- expressions

enum { PREC_ITE, PREC_IMPLIES, PREC_OR, PREC_AND, PREC_NOT, PREC_COMPARE, PREC_SHIFT, PREC_ADD, PREC_MUL, PREC_ATOM };

// Of the operators that stand between their arguments. Bitwise ones are always in parentheses.
static const struct {
    const char *sign;
    int prec;
} infix[] = {
    [E_AND] = {" & ", PREC_AND},    [E_OR] = {" | ", PREC_OR},      [E_IMPLIES] = {" -> ", PREC_IMPLIES},
    [E_EQ] = {" = ", PREC_COMPARE}, [E_LT] = {" < ", PREC_COMPARE}, [E_LE] = {" <= ", PREC_COMPARE},
    [E_ADD] = {" + ", PREC_ADD},    [E_SUB] = {" - ", PREC_ADD},    [E_MUL] = {" * ", PREC_MUL},
    [E_DIV] = {" / ", PREC_MUL},    [E_MOD] = {" % ", PREC_MUL},    [E_SHL] = {" << ", PREC_SHIFT},
    [E_SHR] = {" >> ", PREC_SHIFT}, [E_BITAND] = {" & ", PREC_MUL}, [E_BITOR] = {" | ", PREC_MUL},
    [E_BITXOR] = {" ^ ", PREC_MUL}, [E_COUNT] = {NULL, 0},
};

static void murphi_put(printer *p, expr e, int least);

static bool is_other(const printer *p, expr e) {
    const expr_info *x = expr_of(p->m, e);
    return p->a && x->kind == E_CONST && type_same(x->ty, p->a->other);
}

// Elements that have numbers, from 1: those that are kept, and the only one of a sort.
static bool is_numbered(const printer *p, type t) {
    const type_info *x = type_of(p->m, t);
    return type_same(t, p->a->kept) || (x->kind == TYPE_SORT && x->fixed_size == 1 && !x->is_slot);
}

static void murphi_put_value(const printer *p, type ty, value v, str *out) {
    const type_info *t = type_of(p->m, ty);
    if (t->kind == TYPE_BOOL) str_add(out, v ? "true" : "false");
    else if (t->kind == TYPE_ENUM) str_add(out, t->literals[v]);
    else str_printf(out, "%d", p->a && is_numbered(p, ty) ? v + 1 : v);
}

// ---- unions as ranges

// The number of the member's first value; what is kept and Other come first.
static int member_first(const printer *p, type u, type member) {
    const type_info *x = type_of(p->m, u);
    int next = (int)p->kept + 2;
    for (uint32_t i = 0; i < x->nmembers; i++) {
        type t = x->members[i];
        if (type_same(t, p->a->kept) || type_same(t, p->a->other)) continue;
        if (type_same(t, member)) return next;
        next += (int)type_known_size(p->m, t);
    }
    return next;
}

static bool is_plain_member(const printer *p, type t) {
    return !p->a || type_same(t, p->a->kept) || type_same(t, p->a->other);
}

// A member's value as the union's (is_wider), or back. Elements of a scalarset are numbers from 1 here; names of an
// enumeration are compared with one by one.
static void put_converted(printer *p, expr e, type member, int first, bool is_wider) {
    const type_info *x = type_of(p->m, member);
    murphi_add(p, "(");
    if (x->kind != TYPE_ENUM) {
        murphi_put(p, e, PREC_ADD);
        str_printf(p->out, " %c %d)", is_wider ? '+' : '-', first - 1);
        return;
    }
    for (uint32_t i = 0; i < x->nliterals; i++) {
        bool is_last = i + 1 == x->nliterals;
        const char *number = arena_printf(p->memory, "%d", first + (int)i);
        if (!is_last) murphi_put(p, e, PREC_COMPARE + 1);
        if (!is_last) str_printf(p->out, " = %s ? ", is_wider ? x->literals[i] : number);
        str_printf(p->out, "%s%s", is_wider ? number : x->literals[i], is_last ? ")" : " : ");
    }
}

static void put_widened(printer *p, type u, expr e) {
    type t = expr_type(p->m, e);
    value v;
    if (is_other(p, e)) murphi_add(p, "Other");
    else if (is_plain_member(p, t)) murphi_put(p, e, PREC_ATOM);
    else if (expr_is_const(p->m, e, &v)) str_printf(p->out, "%d", member_first(p, u, t) + v);
    else put_converted(p, e, t, member_first(p, u, t), true);
}

static void put_narrowed(printer *p, type t, expr e) {
    if (is_plain_member(p, t)) murphi_put(p, e, PREC_ATOM);
    else put_converted(p, e, t, member_first(p, expr_type(p->m, e), t), false);
}

static void put_is(printer *p, type t, expr e) {
    if (!p->a) {
        murphi_add(p, "ismember(");
        murphi_put(p, e, 0);
        str_printf(p->out, ", %s)", type_of(p->m, t)->name);
        return;
    }
    bool is_other = type_same(t, p->a->other), is_kept = type_same(t, p->a->kept);
    int first = member_first(p, expr_type(p->m, e), t), n = (int)type_known_size(p->m, t);
    murphi_add(p, "(");
    murphi_put(p, e, PREC_COMPARE + 1);
    if (is_other || is_kept) murphi_add(p, is_other ? " = Other" : " < Other");
    else str_printf(p->out, " >= %d & ", first);
    if (!is_other && !is_kept) murphi_put(p, e, PREC_COMPARE + 1);
    if (!is_other && !is_kept) str_printf(p->out, " < %d", first + n);
    murphi_add(p, ")");
}

// The parts of the spelling with arguments between them; without one, name[arg][arg].
static void murphi_put_cell(printer *p, const func_info *f, const expr *args) {
    const char *s = f->spelling;
    uint32_t n = 0;
    if (!s) murphi_add(p, identifier(p, f->name));
    for (; s && *s; s++) {
        str_char(p->out, *s);
        if (*s == '[') murphi_put(p, args[n++], 0);
    }
    for (; n < f->nargs; n++) {
        str_char(p->out, '[');
        murphi_put(p, args[n], 0);
        str_char(p->out, ']');
    }
}

static void murphi_put_infix(printer *p, const expr_info *x, const char *sign, int prec) {
    for (uint32_t i = 0; i < x->nargs; i++) {
        if (i) murphi_add(p, sign);
        murphi_put(p, x->args[i], prec + 1);
    }
}

static void put_binder(printer *p, const expr_info *x) {
    uint32_t n = p->named.len;
    murphi_add(p, x->kind == E_FORALL ? "forall " : "exists ");
    put_variable(p, (var){x->ref});
    murphi_add(p, " do ");
    murphi_put(p, x->args[0], 0);
    murphi_add(p, " end");
    pop_names(p, n);
}

static void put_undefined(printer *p, const expr_info *x) {
    murphi_add(p, "isundefined(");
    murphi_put_cell(p, func_of(p->m, (func){x->ref}), x->args);
    murphi_add(p, ")");
}

static void put_not(printer *p, expr inner) {
    const expr_info *x = expr_of(p->m, inner);
    if (x->kind == E_EQ) murphi_put_infix(p, x, " != ", PREC_COMPARE);
    else if (x->kind == E_DEFINED) put_undefined(p, x);
    else {
        murphi_add(p, "!");
        murphi_put(p, inner, PREC_ATOM);
    }
}

// Counting goes through all values, each written in place of the variable: a sum of ones.
static void murphi_put_count(printer *p, const expr_info *x) {
    var v = {x->ref};
    type ty = var_of(p->m, v)->ty;
    uint32_t n = p->named.len;
    murphi_add(p, "(0");
    for (uint32_t i = 0; i < type_known_size(p->m, ty); i++) {
        str text = {0};
        murphi_put_value(p, ty, type_first(p->m, ty) + (value)i, &text);
        push_name(p, v, arena_str(p->memory, str_get(&text)));
        str_free(&text);
        murphi_add(p, " + (");
        murphi_put(p, x->args[0], PREC_IMPLIES);
        murphi_add(p, " ? 1 : 0)");
        pop_names(p, n);
    }
    murphi_add(p, ")");
}

static int precedence(const printer *p, const expr_info *x) {
    expr_kind inner = x->kind == E_NOT ? expr_kind_of(p->m, x->args[0]) : x->kind;
    if (x->kind == E_ITE) return PREC_ITE;
    if (x->kind == E_NOT) return inner == E_EQ ? PREC_COMPARE : inner == E_DEFINED ? PREC_ATOM : PREC_NOT;
    if (x->kind == E_DEFINED) return PREC_NOT;
    return infix[x->kind].sign ? infix[x->kind].prec : PREC_ATOM;
}

static void murphi_put_node(printer *p, const expr_info *x) {
    switch (x->kind) {
    case E_CONST: murphi_put_value(p, x->ty, (value)x->ref, p->out); return;
    case E_VAR: murphi_add(p, murphi_name_of(p, x->ref)); return;
    case E_APP: murphi_put_cell(p, func_of(p->m, (func){x->ref}), x->args); return;
    case E_DEFINED:
        murphi_add(p, "!");
        put_undefined(p, x);
        return;
    case E_WIDEN: put_widened(p, x->ty, x->args[0]); return;
    case E_NARROW: put_narrowed(p, x->ty, x->args[0]); return;
    case E_IS: put_is(p, (type){x->ref}, x->args[0]); return;
    case E_NOT: put_not(p, x->args[0]); return;
    case E_NEG:
    case E_BITNOT:
        murphi_add(p, x->kind == E_NEG ? "-" : "~");
        murphi_put(p, x->args[0], PREC_ATOM);
        return;
    case E_ITE:
        murphi_put(p, x->args[0], PREC_IMPLIES);
        murphi_add(p, " ? ");
        murphi_put(p, x->args[1], PREC_IMPLIES);
        murphi_add(p, " : ");
        murphi_put(p, x->args[2], PREC_IMPLIES);
        return;
    case E_FORALL:
    case E_EXISTS: put_binder(p, x); return;
    case E_COUNT: murphi_put_count(p, x); return;
    case E_CALL:
    case E_NEXT: return;  // definitions are inlined, and there are no relations
    default: murphi_put_infix(p, x, infix[x->kind].sign, infix[x->kind].prec);
    }
}

static void murphi_put_part(printer *p, expr e) {
    const var_set of = expr_frees(p->m, e);
    str_printf(p->out, "%s%u(", p->parts.prefix, shared_number(&p->parts, e));
    for (uint32_t i = 0; i < of.n; i++) str_printf(p->out, "%s%s", i ? ", " : "", murphi_name_of(p, of.vars[i].id));
    murphi_add(p, ")");
}

static void murphi_put(printer *p, expr e, int least) {
    if (shared_number(&p->parts, e) && !expr_same(e, p->whole)) {
        murphi_put_part(p, e);
        return;
    }
    const expr_info x = *expr_of(p->m, e);
    bool is_bits = x.kind >= E_BITAND && x.kind <= E_BITXOR;
    bool parens = precedence(p, &x) < least || is_bits;
    if (parens) murphi_add(p, "(");
    murphi_put_node(p, &x);
    if (parens) murphi_add(p, ")");
}

static void printer_free(printer *p) {
    shared_free(&p->parts);
    bits_free(&p->in_union);
    bits_free(&p->saved);
    vec_free(&p->named);
    vec_free(&p->names);
    arena_free(p->memory);
}

void murphi_print_expr(const model *m, expr e, str *out) {
    printer p = {.m = m, .out = out, .memory = arena_new()};
    murphi_put(&p, e, 0);
    printer_free(&p);
}

// ---- statements

static bool has_assume(const stmt *s) {
    walk w = walk_stmt(NULL, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSUME) return walk_found(&w);
    return false;
}

static void murphi_put_stmt(printer *p, const stmt *s, uint32_t indent);

// What follows an assumption happens only where it held.
static void murphi_put_all(printer *p, const stmt *const *body, uint32_t n, uint32_t indent) {
    for (uint32_t i = 0; i < n; i++) {
        murphi_put_stmt(p, body[i], indent);
        if (!p->possible || i + 1 == n || !has_assume(body[i])) continue;
        line(p, indent, "if %s then", p->possible);
        murphi_put_all(p, body + i + 1, n - i - 1, indent + 1);
        line(p, indent, "end;");
        return;
    }
}

static void put_assign(printer *p, const stmt *s, uint32_t indent) {
    line(p, indent, "%s", s->value.id ? "" : "undefine ");
    murphi_put_cell(p, func_of(p->m, s->target), s->args);
    if (s->value.id) murphi_add(p, " := ");
    if (s->value.id) murphi_put(p, s->value, 0);
    murphi_add(p, ";");
}

// A line with a condition: "if … then".
static void put_condition(printer *p, uint32_t indent, const char *before, expr cond, const char *after) {
    line(p, indent, "%s ", before);
    murphi_put(p, cond, 0);
    str_printf(p->out, " %s", after);
}

static void put_if(printer *p, const stmt *s, uint32_t indent) {
    put_condition(p, indent, "if", s->cond, "then");
    murphi_put_all(p, s->body, s->nbody, indent + 1);
    if (s->norelse) line(p, indent, "else");
    murphi_put_all(p, s->orelse, s->norelse, indent + 1);
    line(p, indent, "end;");
}

static void put_for(printer *p, const stmt *s, uint32_t indent) {
    uint32_t n = p->named.len, depth = indent;
    for (uint32_t i = 0; i < s->nvars; i++) {
        line(p, depth++, "for ");
        put_variable(p, s->vars[i]);
        murphi_add(p, " do");
    }
    if (s->cond.id) put_condition(p, depth++, "if", s->cond, "then");
    murphi_put_all(p, s->body, s->nbody, depth);
    while (depth > indent) line(p, --depth, "end;");
    pop_names(p, n);
}

static void murphi_put_stmt(printer *p, const stmt *s, uint32_t indent) {
    switch (s->kind) {
    case S_ASSIGN: put_assign(p, s, indent); return;
    case S_IF: put_if(p, s, indent); return;
    case S_FORALL: put_for(p, s, indent); return;
    case S_PAR:
    case S_SEQ: murphi_put_all(p, s->body, s->nbody, indent); return;
    case S_WHILE:
        put_condition(p, indent, "while", s->cond, "do");
        murphi_put_all(p, s->body, s->nbody, indent + 1);
        line(p, indent, "end;");
        return;
    case S_ASSUME:
        line(p, indent, "if !(");
        murphi_put(p, s->cond, 0);
        str_printf(p->out, ") then %s := false; end;", p->possible);
        return;
    case S_FAIL: line(p, indent, "error \"%s\";", s->text ? s->text : "");
    }
}

// ---- rules

static bool touches(const printer *p, const stmt *s, func f) {
    walk w = walk_stmt(p->m, s, 0);
    while (walk_next(&w))
        if (w.s ? w.s->kind == S_ASSIGN && w.s->target.id == f.id
                : (w.x->kind == E_APP || w.x->kind == E_DEFINED) && w.x->ref == f.id)
            return walk_found(&w);
    return false;
}

static void put_array(printer *p, const func_info *x) {
    for (uint32_t i = 0; i < x->nargs; i++) {
        murphi_add(p, "array [");
        put_type(p, x->args[i]);
        murphi_add(p, "] of ");
    }
    put_type(p, x->result);
}

static const char *murphi_fresh(printer *p, const char *base, const char *name) {
    return free_name(p, arena_printf(p->memory, "%s_%s", base, identifier(p, name)));
}

// An array that is put back has a type with a name: CMurphi compares types by that.
static void put_func(printer *p, func f, const char *name, uint32_t indent) {
    const func_info *x = func_of(p->m, f);
    line(p, indent, "%s : ", name);
    if (x->nargs && bits_has(&p->saved, f.id)) murphi_add(p, murphi_fresh(p, "cells_of", x->name));
    else put_array(p, x);
    murphi_add(p, ";");
}

// A guard or invariant may read a local that has no value: an argument is outside of its parameter's range, which
// is an error.
static bool is_read_outside(const printer *p, func f) {
    bool found = false;
    for (uint32_t i = 0; i < p->system->rules.len && !found; i++)
        found = expr_reads(p->m, rule_of(p->m, p->system->rules.data[i])->guard, f);
    for (uint32_t i = 0; i < p->a->nchecked && !found; i++)
        found = expr_reads(p->m, prop_of(p->m, p->a->checked[i])->cond, f);
    return found;
}

static void put_locals(printer *p, const stmt *body) {
    bool any = p->possible != NULL;
    if (any) str_printf(p->out, "\n  var\n    %s : boolean;", p->possible);
    for (uint32_t i = 0; body && i < p->system->funcs.len; i++) {
        func f = p->system->funcs.data[i];
        const func_info *x = func_of(p->m, f);
        bool is_saved = p->possible && !x->is_scratch && stmt_writes(body, f);
        if (!is_saved && (!x->is_scratch || !touches(p, body, f) || is_read_outside(p, f))) continue;
        if (!any) murphi_add(p, "\n  var");
        any = true;
        put_func(p, f, is_saved ? murphi_fresh(p, "before", x->name) : identifier(p, x->name), 2);
    }
}

// Reading a simple value that is undefined is an error in Rumur; copying an array is not.
static void put_copy(printer *p, const func_info *x, const char *to, const char *from, uint32_t indent) {
    begin_line(p, indent);
    if (x->nargs) str_printf(p->out, "%s := %s;", to, from);
    else str_printf(p->out, "if isundefined(%s) then undefine %s; else %s := %s; end;", from, to, to, from);
}

static void murphi_put_copies(printer *p, const stmt *body, bool is_saving) {
    for (uint32_t i = 0; i < p->system->funcs.len; i++) {
        func f = p->system->funcs.data[i];
        const func_info *x = func_of(p->m, f);
        if (x->is_scratch || !stmt_writes(body, f)) continue;
        const char *name = identifier(p, x->name), *before = murphi_fresh(p, "before", x->name);
        put_copy(p, x, is_saving ? before : name, is_saving ? name : before, is_saving ? 1 : 2);
    }
}

static void put_body(printer *p, const stmt *body) {
    if (!p->possible) {
        murphi_put_stmt(p, body, 1);
        return;
    }
    line(p, 1, "%s := true;", p->possible);
    murphi_put_copies(p, body, true);
    murphi_put_stmt(p, body, 1);
    line(p, 1, "if !%s then", p->possible);
    murphi_put_copies(p, body, false);
    line(p, 1, "end;");
}

static void put_rule(printer *p, rule r, bool is_start) {
    const rule_info info = *rule_of(p->m, r);
    const stmt *body = rule_of(p->m, r)->body;
    uint32_t n = p->named.len;
    p->possible = body && has_assume(body) ? murphi_fresh(p, "is", "possible") : NULL;
    for (uint32_t i = 0; i < info.nparams; i++) {
        murphi_add(p, i ? "; " : "\nruleset ");
        put_variable(p, info.params[i]);
    }
    if (info.nparams) murphi_add(p, " do");
    str_printf(p->out, "\n%s \"%s\"", is_start ? "startstate" : "rule", info.name);
    if (!is_start) {
        murphi_add(p, "\n  ");
        murphi_put(p, info.guard, PREC_IMPLIES);
        murphi_add(p, " ==>");
    }
    put_locals(p, body);
    murphi_add(p, "\nbegin");
    if (body) put_body(p, body);
    murphi_add(p, info.nparams ? "\nend; end;\n" : "\nend;\n");
    pop_names(p, n);
}

// ---- the model

static void note_type(bits *used, type t) { bits_add(used, t.id); }

static void note_types_of(walk w, bits *used) {
    while (walk_next(&w)) {
        for (uint32_t i = 0; w.s && i < w.s->nvars; i++) note_type(used, var_of(w.m, w.s->vars[i])->ty);
        if (w.x) note_type(used, w.x->ty);
        if (w.x && expr_kind_binds(w.x->kind)) note_type(used, var_of(w.m, (var){w.x->ref})->ty);
    }
}

static void note_rule(const printer *p, rule r, bits *used) {
    const rule_info *x = rule_of(p->m, r);
    for (uint32_t i = 0; i < x->nparams; i++) note_type(used, var_of(p->m, x->params[i])->ty);
    note_types_of(walk_expr(p->m, x->guard, 0), used);
    note_types_of(walk_stmt(p->m, x->body, 0), used);
}

static void note_all(const printer *p, bits *used) {
    const sys_info *s = p->system;
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(p->m, s->funcs.data[i]);
        note_type(used, f->result);
        for (uint32_t k = 0; k < f->nargs; k++) note_type(used, f->args[k]);
    }
    for (uint32_t i = 0; i < s->inits.len; i++) note_rule(p, s->inits.data[i], used);
    for (uint32_t i = 0; i < s->rules.len; i++) note_rule(p, s->rules.data[i], used);
    for (uint32_t i = 0; i < p->a->nchecked; i++)
        note_types_of(walk_expr(p->m, prop_of(p->m, p->a->checked[i])->cond, 0), used);
}

static void note_members(printer *p, const bits *used) {
    for (uint32_t i = bits_next(used, 1); i != UINT32_MAX; i = bits_next(used, i + 1)) {
        const type_info *x = type_of(p->m, (type){i});
        for (uint32_t k = 0; k < x->nmembers; k++) note_type(&p->in_union, x->members[k]);
    }
}

static void note_saved(printer *p, rule r) {
    const stmt *body = rule_of(p->m, r)->body;
    if (!body || !has_assume(body)) return;
    for (uint32_t i = 0; i < p->system->funcs.len; i++)
        if (stmt_writes(body, p->system->funcs.data[i])) bits_add(&p->saved, p->system->funcs.data[i].id);
}

static void put_type_decl(printer *p, type t) {
    const type_info *x = type_of(p->m, t);
    if (x->kind == TYPE_BOOL || x->kind == TYPE_RANGE || type_same(t, p->a->other)) return;
    begin_line(p, 1);
    put_type(p, t);
    if (type_same(t, p->a->kept)) str_printf(p->out, " : 1..%u;", p->kept);
    else if (type_same(t, p->a->id)) murphi_add(p, " : 1..Other;");
    else if (x->kind == TYPE_SORT && (bits_has(&p->in_union, t.id) || is_numbered(p, t)))
        str_printf(p->out, " : 1..%u;", type_known_size(p->m, t));
    else if (x->kind == TYPE_SORT)
        str_printf(p->out, " : scalarset(%u);", x->fixed_size ? x->fixed_size : x->default_size);
    else if (x->kind == TYPE_UNION) str_printf(p->out, " : 1..%d;", member_first(p, t, t) - 1);
    else {
        for (uint32_t i = 0; i < x->nliterals; i++) str_printf(p->out, "%s%s", i ? ", " : " : enum { ", x->literals[i]);
        murphi_add(p, " };");
    }
}

static void put_saved_types(printer *p, const sys_info *s) {
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(p->m, s->funcs.data[i]);
        if (!f->nargs || f->is_scratch || !bits_has(&p->saved, s->funcs.data[i].id)) continue;
        line(p, 1, "%s : ", murphi_fresh(p, "cells_of", f->name));
        put_array(p, f);
        murphi_add(p, ";");
    }
}

static void put_head(printer *p, const sys_info *s, const bits *used) {
    str_printf(p->out,
               "-- %s, seen at %u of its %s elements; all others are Other.\n"
               "const\n  Other : %u;\n\ntype",
               sys_of(p->m, p->a->origin)->name, p->kept, type_of(p->m, p->a->kept)->name, p->kept + 1);
    for (uint32_t i = bits_next(used, 1); i != UINT32_MAX; i = bits_next(used, i + 1)) put_type_decl(p, (type){i});
    put_saved_types(p, s);
    murphi_add(p, "\n\nvar");
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(p->m, s->funcs.data[i]);
        if (f->is_scratch && !is_read_outside(p, s->funcs.data[i])) continue;
        put_func(p, s->funcs.data[i], identifier(p, f->name), 1);
    }
    murphi_add(p, "\n");
}

// ---- shared parts are functions, but for those that read the locals of a rule, which a function cannot see

static bool reads_local(const printer *p, expr e) {
    walk w = walk_expr(p->m, e, 0);
    while (walk_next(&w)) {
        bool reads = w.x->kind == E_APP || w.x->kind == E_DEFINED;
        if (reads && func_of(p->m, (func){w.x->ref})->is_scratch) return walk_found(&w);
    }
    return false;
}

static void murphi_find_parts(printer *p) {
    walk w = walk_expr(p->m, (expr){0}, 0);
    walk_add_system(&w, p->a->system);
    for (uint32_t i = 0; i < p->a->nchecked; i++) walk_add(&w, prop_of(p->m, p->a->checked[i])->cond, 0);
    p->parts = shared_find(&w, false);
    for (uint32_t i = 0; i < p->parts.parts.len; i++) {
        expr e = p->parts.parts.data[i];
        if (reads_local(p, e)) p->parts.number[e.id] = 0;
    }
}

static void put_parts(printer *p) {
    for (uint32_t i = 0; i < p->parts.parts.len; i++) {
        expr e = p->parts.parts.data[i];
        const var_set of = expr_frees(p->m, e);
        if (!shared_number(&p->parts, e)) continue;
        str_printf(p->out, "\nfunction %s%u(", p->parts.prefix, i + 1);
        for (uint32_t k = 0; k < of.n; k++) {
            if (k) murphi_add(p, "; ");
            put_variable(p, of.vars[k]);
        }
        murphi_add(p, ") : ");
        put_type(p, expr_type(p->m, e));
        murphi_add(p, ";\nbegin\n  return ");
        p->whole = e;
        murphi_put(p, e, 0);
        murphi_add(p, ";\nend;\n");
        pop_names(p, 0);
    }
    p->whole = (expr){0};
}

void murphi_print_abstract(const proof_abstract *what, str *out) {
    const model *m = what->m;
    const sys_info *info = sys_of(m, what->system);
    printer p = {.m = m, .a = what, .system = info, .out = out, .memory = arena_new()};
    bits used = {0};
    p.kept = type_of(m, what->kept)->fixed_size;
    note_all(&p, &used);
    note_members(&p, &used);
    for (uint32_t i = 0; i < info->inits.len; i++) note_saved(&p, info->inits.data[i]);
    for (uint32_t i = 0; i < info->rules.len; i++) note_saved(&p, info->rules.data[i]);
    put_head(&p, info, &used);
    murphi_find_parts(&p);
    put_parts(&p);
    for (uint32_t i = 0; i < info->inits.len; i++) put_rule(&p, info->inits.data[i], true);
    for (uint32_t i = 0; i < info->rules.len; i++) put_rule(&p, info->rules.data[i], false);
    for (uint32_t i = 0; i < what->nchecked; i++) {
        str_printf(out, "\ninvariant \"%s\"\n  ", prop_of(m, what->checked[i])->name);
        murphi_put(&p, prop_of(m, what->checked[i])->cond, 0);
        murphi_add(&p, ";\n");
    }
    bits_free(&used);
    printer_free(&p);
}
