// SPDX-License-Identifier: Apache-2.0
// The model as canonical `.pv` text: see print.h.
//
// Operators are printed with the parentheses that their binding strength needs; what reaches as far right as
// it can (quantifiers, if) goes without them where nothing follows. Variables keep their names unless a name
// is taken by another variable in scope or by something else that the same text mentions; then a number is
// added. Lines that would be too long are broken at a quantifier's body, an implication, or into a list that
// begins with & or |. What would be too long as a tree has its shared parts named (shared.h): they are definitions
// of the system, printed before its own. Statements cannot be named: from a certain length of a body on, those that
// are there already are left out, with the line where they are, and the text cannot be read back.
#include "model/print.h"

#include "model/expr.h"
#include "model/keywords.h"
#include "model/real.h"
#include "model/shared.h"
#include "model/walk.h"

#include <string.h>

enum { WIDTH = 100, MOST_STATEMENTS = 2000 };

typedef struct {
    uint32_t id;  // of the variable
    const char *name;
} binding;

typedef struct {
    const model *m;
    str *out;
    VEC(binding) bound;  // innermost last
    map *taken;          // names that stand for functions, definitions and enum values in this text
    arena *memory;
    sys home;             // of a composition: functions of other systems get their system's name; id 0: none does
    const shared *parts;  // those that have names; NULL: none
    expr whole;           // the part whose definition this is, if it is one
    map *lines;           // of a body: where each statement is, in lines from the beginning
    uint32_t nstatements, nlines, first_line;
    size_t begun, counted;
} printer;

// How tightly operators bind, as in src/front/pv/term.c.
enum { OPEN, IFF, IMPLIES, OR, AND, NOT, COMPARE, SUM, PRODUCT, NEGATE, ATOM };

static void print_at(printer *p, expr e, int least, bool open);

// ---- names

static bool is_keyword(const char *name) {
    static const char *const words[] = {
#define X(id, text) text,
        PV_KEYWORDS(X) PV_WORD_SYMBOLS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_same(words[i], name)) return true;
    return str_same(name, "_");
}

static bool is_identifier(const char *name) {
    bool ok = *name && !(*name >= '0' && *name <= '9');
    for (; ok && *name; name++)
        ok = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') ||
             *name == '_';
    return ok;
}

static char *quoted(const model *m, const char *name) {
    str out = {0};
    str_char(&out, '`');
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c == '`' || c == '\\') str_printf(&out, "\\%c", c);
        else if (c == '\n') str_add(&out, "\\n");
        else if (c < ' ' || c == 0x7f) str_printf(&out, "\\x%02x", c);
        else str_char(&out, (char)c);
    }
    str_char(&out, '`');
    char *kept = arena_str(m->memory, str_get(&out));
    str_free(&out);
    return kept;
}

// A name as it is written (keywords.h).
static const char *print_written(const model *m, const char *name) {
    return is_identifier(name) && !is_keyword(name) ? name : quoted(m, name);
}

// All names that a walk meets.
static void take_names(printer *p, walk w) {
    while (walk_next(&w)) {
        const expr_info *x = w.x;
        if (!x) {
            if (w.s->kind == S_ASSIGN) map_put_str(p->taken, func_of(p->m, w.s->target)->name, 1);
            continue;
        }
        const type_info *t = type_of(p->m, x->ty);
        if (x->kind == E_APP) map_put_str(p->taken, func_of(p->m, (func){x->ref})->name, 1);
        if (x->kind == E_CALL) map_put_str(p->taken, def_of(p->m, (def){x->ref})->name, 1);
        if (x->kind == E_CONST && t->kind == TYPE_ENUM) map_put_str(p->taken, t->literals[x->ref], 1);
    }
}

static void take_expr(printer *p, expr e) { take_names(p, walk_expr(p->m, e, 0)); }

static bool print_is_taken(const printer *p, const char *name) {
    if (map_get_str(p->taken, name, 0)) return true;
    for (uint32_t i = 0; i < p->bound.len; i++)
        if (str_same(p->bound.data[i].name, name)) return true;
    return false;
}

static const char *print_bind(printer *p, var v) {
    const char *base = var_of(p->m, v)->name, *name = base;
    for (unsigned i = 1; print_is_taken(p, name); i++) name = arena_printf(p->memory, "%s_%u", base, i);
    vec_push(&p->bound, (binding){v.id, name});
    return name;
}

static void print_unbind(printer *p, uint32_t n) { p->bound.len -= n; }

static const char *var_name(const printer *p, uint32_t id) {
    for (uint32_t i = p->bound.len; i-- > 0;)
        if (p->bound.data[i].id == id) return p->bound.data[i].name;
    return var_of(p->m, (var){id})->name;
}

static printer print_start(const model *m, const shared *parts, str *out) {
    return (printer){.m = m,
                     .parts = parts,
                     .out = out,
                     .taken = map_new(),
                     .memory = arena_new(),
                     .lines = map_new(),
                     .begun = out->len,
                     .counted = out->len};
}

static void print_finish(printer *p) {
    vec_free(&p->bound);
    map_free(p->taken);
    map_free(p->lines);
    arena_free(p->memory);
}

// ---- types and variables

static void print_type(const model *m, type t, str *out) {
    const type_info *info = type_of(m, t);
    if (info->kind == TYPE_RANGE && !info->name[0]) str_printf(out, "%d..%d", info->lo, info->hi);
    else str_add(out, info->kind == TYPE_BOOL ? "bool" : print_written(m, info->name));
}

static void print_value(const model *m, type t, value v, str *out) {
    const type_info *info = type_of(m, t);
    switch (info->kind) {
    case TYPE_BOOL: str_add(out, v ? "true" : "false"); break;
    case TYPE_ENUM: str_add(out, print_written(m, info->literals[v])); break;
    case TYPE_RANGE: str_printf(out, "%d", v); break;
    case TYPE_REAL: real_text(info, v, out); break;
    case TYPE_SORT:
    case TYPE_UNION: str_printf(out, "%s#%d", info->name, v + 1); break;  // no element can be written in a model
    }
}

// t, u: Thread, v: Loc
// Variables with their types; `actor` is 1 + the number of the one that is the acting thread, or 0.
// With an acting thread (0: none), and some at the end hidden.
static void print_action_binders(printer *p, const var *vars, uint32_t n, uint32_t actor, uint32_t nhidden) {
    for (uint32_t i = 0; i < n; i++) {
        if (i + nhidden == n) str_add(p->out, "; ");
        else if (i) str_add(p->out, ", ");
        if (i + 1 == actor) str_add(p->out, "by ");
        str_add(p->out, print_written(p->m, print_bind(p, vars[i])));
        type ty = var_of(p->m, vars[i])->ty;
        if (i + 1 < n && i + 1 + nhidden != n && type_same(ty, var_of(p->m, vars[i + 1])->ty)) continue;
        str_add(p->out, ": ");
        print_type(p->m, ty, p->out);
    }
}

static void print_binders(printer *p, const var *vars, uint32_t n) { print_action_binders(p, vars, n, 0, 0); }

// ---- expressions

static bool is_named(const printer *p, expr e) { return shared_number(p->parts, e) && !expr_same(e, p->whole); }

static bool is_quantifier(const printer *p, expr e) {
    return !is_named(p, e) && expr_kind_binds(expr_kind_of(p->m, e));
}

// Operators between their operands, and how tightly these must bind: the first, the others.
typedef struct {
    const char *text;
    int strong, first, others;
} infix;

static const infix infixes[] = {[E_IMPLIES] = {"->", IMPLIES, OR, IMPLIES},
                                [E_OR] = {"|", OR, AND, AND},
                                [E_AND] = {"&", AND, NOT, NOT},
                                [E_EQ] = {"=", COMPARE, SUM, SUM},
                                [E_LT] = {"<", COMPARE, SUM, SUM},
                                [E_LE] = {"<=", COMPARE, SUM, SUM},
                                [E_ADD] = {"+", SUM, SUM, PRODUCT},
                                [E_SUB] = {"-", SUM, SUM, PRODUCT},
                                [E_MUL] = {"*", PRODUCT, PRODUCT, NEGATE},
                                [E_DIV] = {"/", PRODUCT, PRODUCT, NEGATE},
                                [E_MOD] = {"%", PRODUCT, PRODUCT, NEGATE},
                                [E_COUNT] = {0}};
static const infix iff = {"<->", IFF, IMPLIES, IMPLIES}, unequal = {"!=", COMPARE, SUM, SUM};

// NULL: none. !(a = b) is a != b, but not for bool, where it is !(a <-> b).
static const infix *infix_of(const model *m, const expr_info *x) {
    const expr_info *inner = x->kind == E_NOT ? expr_of(m, x->args[0]) : x;
    bool is_iff = inner->kind == E_EQ && expr_is_bool(m, inner->args[0]);
    if (x->kind == E_NOT) return inner->kind == E_EQ && !is_iff ? &unequal : NULL;
    return is_iff ? &iff : infixes[x->kind].text ? &infixes[x->kind] : NULL;
}

static int strength(const model *m, const expr_info *x) {
    const infix *op = infix_of(m, x);
    if (op) return op->strong;
    if (x->kind == E_NOT) return NOT;
    if (x->kind == E_NEG || (x->kind == E_CONST && type_is_number(m, x->ty) && (value)x->ref < 0)) return NEGATE;
    return x->kind == E_ITE || expr_kind_binds(x->kind) ? OPEN : ATOM;
}

static void print_args(printer *p, const expr *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        str_add(p->out, i ? ", " : "(");
        print_at(p, args[i], OPEN, true);
    }
    if (n) str_char(p->out, ')');
}

static void print_applied(printer *p, const char *name, const expr_info *x) {
    str_add(p->out, name);
    print_args(p, x->args, x->nargs);
}

// The name of what a system declares.
static const char *name_of(printer *p, const char *name, sys owner) {
    name = print_written(p->m, name);
    if (!p->home.id || !owner.id || owner.id == p->home.id) return name;
    return arena_printf(p->memory, "%s.%s", print_written(p->m, sys_of(p->m, owner)->name), name);
}

static const char *func_name(printer *p, uint32_t f) {
    return name_of(p, p->m->funcs.data[f].name, p->m->funcs.data[f].owner);
}

static void print_infix(printer *p, const infix *op, const expr_info *x, bool open) {
    for (uint32_t i = 0; i < x->nargs; i++) {
        if (i) str_printf(p->out, " %s ", op->text);
        print_at(p, x->args[i], i ? op->others : op->first, open && i + 1 == x->nargs);
    }
}

// Prints "forall t, u: Thread, v: Loc." for a chain of one kind; the number of variables, and the body in *e.
static uint32_t print_prefix(printer *p, expr *e) {
    expr_kind kind = expr_kind_of(p->m, *e);
    VEC(var) vars = {0};
    do {
        vec_push(&vars, (var){expr_of(p->m, *e)->ref});
        *e = expr_arg(p->m, *e, 0);
    } while (expr_kind_of(p->m, *e) == kind && kind != E_COUNT && !is_named(p, *e));
    str_add(p->out, kind == E_FORALL ? "forall " : kind == E_EXISTS ? "exists " : "count ");
    print_binders(p, vars.data, vars.len);
    str_char(p->out, '.');
    uint32_t n = vars.len;
    vec_free(&vars);
    return n;
}

static void print_bound(printer *p, expr e) {
    uint32_t n = print_prefix(p, &e);
    str_char(p->out, ' ');
    print_at(p, e, OPEN, true);
    print_unbind(p, n);
}

static void print_not(printer *p, const expr_info *x, bool open) {
    str_char(p->out, '!');
    print_at(p, x->args[0], is_quantifier(p, x->args[0]) ? OPEN : ATOM, open);
}

static void print_ite(printer *p, const expr_info *x) {
    str_add(p->out, "if ");
    print_at(p, x->args[0], OPEN, true);
    str_add(p->out, " then ");
    print_at(p, x->args[1], OPEN, true);
    str_add(p->out, " else ");
    print_at(p, x->args[2], OPEN, true);
}

// What only other input languages have, named so that a message can be read.
static const char *const foreign[] = {[E_BITAND] = "bit_and", [E_BITOR] = "bit_or",   [E_BITXOR] = "bit_xor",
                                      [E_BITNOT] = "bit_not", [E_SHL] = "shift_left", [E_SHR] = "shift_right",
                                      [E_WIDEN] = "widen",    [E_NARROW] = "narrow",  [E_IS] = "is_member"};

static void print_by_kind(printer *p, expr e, const expr_info *x, bool open) {
    switch (x->kind) {
    case E_CONST: print_value(p->m, x->ty, (value)x->ref, p->out); break;
    case E_VAR: str_add(p->out, print_written(p->m, var_name(p, x->ref))); break;
    case E_APP: print_applied(p, func_name(p, x->ref), x); break;
    case E_NEXT:  // has no place in a model file
        print_applied(p, arena_printf(p->memory, "%s'", print_written(p->m, func_of(p->m, (func){x->ref})->name)), x);
        break;
    case E_CALL: print_applied(p, name_of(p, p->m->defs.data[x->ref].name, p->m->defs.data[x->ref].owner), x); break;
    case E_NOT: print_not(p, x, open); break;
    case E_NEG:
        str_char(p->out, '-');
        print_at(p, x->args[0], ATOM, open);
        break;
    case E_REAL:
        if (real_is_literal(p->m, e)) str_printf(p->out, "%.7g", real_const(p->m, e));
        else print_applied(p, real_op_name((real_op)x->ref), x);
        break;
    case E_ITE: print_ite(p, x); break;
    case E_FORALL:
    case E_EXISTS:
    case E_COUNT: print_bound(p, e); break;
    case E_DEFINED:
        print_applied(p, func_name(p, x->ref), x);
        str_add(p->out, "?");
        break;
    default: print_applied(p, foreign[x->kind], x); break;
    }
}

static void print_node(printer *p, expr e, const expr_info *x, bool open) {
    const infix *op = infix_of(p->m, x);
    if (op) print_infix(p, op, op == &unequal ? expr_of(p->m, x->args[0]) : x, open);
    else print_by_kind(p, e, x, open);
}

// part_3(t, u)
static void print_part(printer *p, expr e) {
    const var_set of = expr_frees(p->m, e);
    str_printf(p->out, "%s%u", p->parts->prefix, shared_number(p->parts, e));
    for (uint32_t i = 0; i < of.n; i++)
        str_printf(p->out, "%s%s", i ? ", " : "(", print_written(p->m, var_name(p, of.vars[i].id)));
    if (of.n) str_char(p->out, ')');
}

// e where an operator of strength `least` is needed; `open`: nothing follows that e could swallow.
static void print_at(printer *p, expr e, int least, bool open) {
    const expr_info *x = expr_of(p->m, e);
    if (is_named(p, e)) {
        print_part(p, e);
        return;
    }
    int strong = strength(p->m, x);
    bool reaches = strong == OPEN;
    bool parens = reaches ? !open || least >= SUM : strong < least;
    if (parens) str_char(p->out, '(');
    print_node(p, e, x, open || parens);
    if (parens) str_char(p->out, ')');
}

// ---- long lines

static size_t column(const str *out) {
    size_t i = out->len;
    while (i > 0 && out->text[i - 1] != '\n') i--;
    return str_columns(out->text ? out->text + i : "");
}

static void new_line(str *out, unsigned indent) {
    str_char(out, '\n');
    str_pad(out, ' ', indent);
}

static bool print_fits(printer *p, expr e) {
    str text = {0}, *out = p->out;
    p->out = &text;
    print_at(p, e, OPEN, true);
    p->out = out;
    bool fitting = column(out) + str_columns(str_get(&text)) <= WIDTH;
    str_free(&text);
    return fitting;
}

static void print_below(printer *p, const expr_info *x, unsigned indent) {
    const infix *op = &infixes[x->kind];
    for (uint32_t i = 0; i < x->nargs; i++) {
        if (i) new_line(p->out, indent);
        str_printf(p->out, "%s ", op->text);
        print_at(p, x->args[i], op->others, i + 1 == x->nargs);
    }
}

// e to the end of a line or of several; `indent` is where further lines begin.
static void print_long(printer *p, expr e, unsigned indent) {
    const expr_info *x = expr_of(p->m, e);
    if (print_fits(p, e)) {
        print_at(p, e, OPEN, true);
    } else if (is_named(p, e)) {
        print_part(p, e);
    } else if (is_quantifier(p, e)) {
        uint32_t n = print_prefix(p, &e);
        new_line(p->out, indent);
        print_long(p, e, indent + 2);
        print_unbind(p, n);
    } else if (x->kind == E_AND || x->kind == E_OR) {
        print_below(p, x, (unsigned)column(p->out));
    } else if (x->kind == E_IMPLIES) {
        print_at(p, x->args[0], OR, false);
        str_add(p->out, " ->");
        new_line(p->out, indent);
        if (strength(p->m, expr_of(p->m, x->args[1])) == IFF) print_at(p, x->args[1], IMPLIES, true);
        else print_long(p, x->args[1], indent + 2);
    } else {
        print_at(p, e, OPEN, true);
    }
}

static void bind_free(printer *p, expr e) {
    const var_set of = expr_frees(p->m, e);
    for (uint32_t i = 0; i < of.n; i++) print_bind(p, of.vars[i]);
}

void print_expr(const model *m, expr e, str *out) { print_expr_in(m, (sys){0}, e, out); }

static void print_equation(const printer *of, uint32_t number, str *out) {
    expr e = of->parts->parts.data[number];
    printer p = print_start(of->m, of->parts, out);
    p.home = of->home;
    take_expr(&p, e);
    bind_free(&p, e);
    str_add(out, number ? "; " : " where ");
    print_part(&p, e);
    p.whole = e;
    str_add(out, " = ");
    print_at(&p, e, OPEN, true);
    print_finish(&p);
}

void print_expr_in(const model *m, sys composition, expr e, str *out) {
    shared parts = {0};
    if (expr_of(m, e)->tree > SHARED_LARGE) {
        walk w = walk_expr(m, e, 0);
        parts = shared_find(&w, true);
    }
    printer p = print_start(m, &parts, out);
    if (composition.id && sys_of(m, composition)->funcs.len)
        p.home = func_of(m, sys_of(m, composition)->funcs.data[0])->owner;
    take_expr(&p, e);
    bind_free(&p, e);
    print_at(&p, e, OPEN, true);
    for (uint32_t i = 0; i < parts.parts.len; i++) print_equation(&p, i, out);
    print_finish(&p);
    shared_free(&parts);
}

// ---- statements

static void print_body(printer *p, const stmt *const *list, uint32_t n, unsigned indent);

// New lines from the beginning of what this printer prints to here.
static uint32_t lines_here(printer *p) {
    for (; p->counted < p->out->len; p->counted++) p->nlines += p->out->text[p->counted] == '\n';
    return p->nlines;
}

// The number of the line in which it begins.
static uint32_t first_line(printer *p) {
    uint32_t n = 1;
    for (size_t i = 0; i < p->begun && !p->first_line; i++) n += p->out->text[i] == '\n';
    return p->first_line ? p->first_line : (p->first_line = n);
}

static bool print_is_long(const printer *p) { return p->nstatements > MOST_STATEMENTS; }

// Is it in a long body, and was printed there before? Then it says where.
static bool print_as_before(printer *p, const stmt *s) {
    if (s->kind == S_ASSIGN) return false;
    uint32_t here = lines_here(p), before = map_intern(p->lines, &s, sizeof s, here);
    p->nstatements++;
    if (before == here || !print_is_long(p)) return false;
    str_printf(p->out, "… // as in line %u", first_line(p) + before);
    return true;
}

// A parallel block in a parallel block is the same as its statements.
static bool dissolves(const stmt *s) { return s->kind == S_PAR; }

static bool is_empty(const stmt *const *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!dissolves(list[i]) || !is_empty(list[i]->body, list[i]->nbody)) return false;
    return true;
}

static void print_block(printer *p, const stmt *const *list, uint32_t n, unsigned indent) {
    if (is_empty(list, n)) {
        str_add(p->out, "{ }");
        return;
    }
    str_add(p->out, "{\n");
    print_body(p, list, n, indent + 2);
    str_pad(p->out, ' ', indent);
    str_char(p->out, '}');
}

// The least element of an ordered sort has no name: only `clear` can write it.
static bool is_clear(const model *m, const stmt *a) {
    const expr_info *x = expr_of(m, a->value);
    const func_info *f = func_of(m, a->target);
    return x->kind == E_CONST && type_of(m, x->ty)->kind == TYPE_SORT && !f->starts_any && (value)x->ref == f->initial;
}

// forall v: Loc { rs(t, v) := false } is rs(t, _) := false: each variable is one whole argument, in their
// order, and occurs nowhere else.
static bool is_hole(const model *m, const stmt *s, uint32_t *next, uint32_t arg) {
    const stmt *a = s->body[0];
    const expr_info *x = expr_of(m, a->args[arg]);
    if (*next >= s->nvars || x->kind != E_VAR || x->ref != s->vars[*next].id) return false;
    if (!type_same(x->ty, func_of(m, a->target)->args[arg])) return false;
    ++*next;
    return true;
}

// With a loop around it, whose variables are holes; else NULL.
static void print_assign(printer *p, const stmt *s, const stmt *loop, unsigned indent) {
    bool clears = is_clear(p->m, s);
    uint32_t next = 0;
    str_printf(p->out, "%s%s", clears ? "clear " : "", print_written(p->m, func_of(p->m, s->target)->name));
    for (uint32_t i = 0; i < s->nargs; i++) {
        str_add(p->out, i ? ", " : "(");
        if (loop && is_hole(p->m, loop, &next, i)) str_char(p->out, '_');
        else print_at(p, s->args[i], OPEN, true);
    }
    if (s->nargs) str_char(p->out, ')');
    if (clears) return;
    str_add(p->out, " := ");
    print_long(p, s->value, indent + 4);
}

static void print_if(printer *p, const stmt *s, unsigned indent) {
    str_add(p->out, "if ");
    print_at(p, s->cond, OPEN, true);
    str_char(p->out, ' ');
    print_block(p, s->body, s->nbody, indent);
    if (is_empty(s->orelse, s->norelse)) return;
    str_add(p->out, " else ");
    if (s->norelse == 1 && s->orelse[0]->kind == S_IF && !print_is_long(p)) print_if(p, s->orelse[0], indent);
    else print_block(p, s->orelse, s->norelse, indent);
}

static bool print_mentions_any(const model *m, expr e, const var *vars, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (expr_has_var(m, e, vars[i])) return true;
    return false;
}

static bool is_fill(const model *m, const stmt *s) {
    bool plain = !s->cond.id || expr_is_true(m, s->cond);
    if (!plain || s->nbody != 1 || s->body[0]->kind != S_ASSIGN) return false;
    const stmt *a = s->body[0];
    if (print_mentions_any(m, a->value, s->vars, s->nvars)) return false;
    uint32_t next = 0;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!is_hole(m, s, &next, i) && print_mentions_any(m, a->args[i], s->vars, s->nvars)) return false;
    return next == s->nvars;
}

static void print_forall(printer *p, const stmt *s, unsigned indent) {
    if (is_fill(p->m, s)) {
        print_assign(p, s->body[0], s, indent);
        return;
    }
    str_add(p->out, "forall ");
    print_binders(p, s->vars, s->nvars);
    if (s->cond.id && !expr_is_true(p->m, s->cond)) {
        str_add(p->out, " where ");
        print_at(p, s->cond, OPEN, true);
    }
    str_char(p->out, ' ');
    print_block(p, s->body, s->nbody, indent);
    print_unbind(p, s->nvars);
}

static void print_one(printer *p, const stmt *s, unsigned indent) {
    switch (s->kind) {
    case S_ASSIGN: print_assign(p, s, NULL, indent); break;
    case S_IF: print_if(p, s, indent); break;
    case S_FORALL: print_forall(p, s, indent); break;
    case S_PAR:
    case S_SEQ:
        str_add(p->out, s->kind == S_PAR ? "parallel " : "sequence ");
        print_block(p, s->body, s->nbody, indent);
        break;
    case S_WHILE:
        str_add(p->out, "while ");
        print_at(p, s->cond, OPEN, true);
        str_char(p->out, ' ');
        print_block(p, s->body, s->nbody, indent);
        break;
    case S_ASSUME:
        str_add(p->out, "assume ");
        print_at(p, s->cond, OPEN, true);
        break;
    case S_FAIL: str_printf(p->out, "fail \"%s\"", s->text); break;
    }
}

static void print_body(printer *p, const stmt *const *list, uint32_t n, unsigned indent) {
    for (uint32_t i = 0; i < n; i++) {
        if (dissolves(list[i])) {
            print_body(p, list[i]->body, list[i]->nbody, indent);
            continue;
        }
        str_pad(p->out, ' ', indent);
        if (!print_as_before(p, list[i])) print_one(p, list[i], indent);
        str_char(p->out, '\n');
    }
}

// ---- rules

static void print_params(printer *p, const var *params, uint32_t n, uint32_t actor, uint32_t nhidden) {
    if (!n) return;
    str_char(p->out, '(');
    print_action_binders(p, params, n, actor, nhidden);
    str_char(p->out, ')');
}

static bool print_has_guard(const model *m, const rule_info *r) { return r->guard.id && !expr_is_true(m, r->guard); }

// True when the guard went on lines of its own.
static bool print_guard(printer *p, const rule_info *r, unsigned indent) {
    if (!print_has_guard(p->m, r)) return false;
    size_t before = p->out->len;
    str_add(p->out, " when ");
    if (print_fits(p, r->guard)) {
        print_at(p, r->guard, OPEN, true);
        return false;
    }
    p->out->len = before;
    new_line(p->out, indent + 4);
    str_add(p->out, "when ");
    print_long(p, r->guard, indent + 9);
    return true;
}

// What a model file cannot say about a rule, as comments.
static void print_relation(printer *p, const rule_info *r, unsigned indent) {
    for (uint32_t i = 0; i < r->nchosen; i++) {
        if (!i) str_pad(p->out, ' ', indent);
        str_printf(p->out, "%s%s", i ? ", " : "// chooses ", func_of(p->m, r->chosen[i])->name);
    }
    if (r->nchosen) str_char(p->out, '\n');
    if (!r->relation.id) return;
    str_pad(p->out, ' ', indent);
    str_add(p->out, "// such that ");
    if (expr_of(p->m, r->relation)->tree > SHARED_LARGE) str_add(p->out, "… (too long to be written out)");
    else print_at(p, r->relation, OPEN, true);
    str_char(p->out, '\n');
}

static void print_requirements(printer *p, const rule_info *r, unsigned indent) {
    for (uint32_t i = 0; i < r->nrequires; i++) {
        str_pad(p->out, ' ', indent);
        str_printf(p->out, "// '%s' requires: ", prop_of(p->m, r->requires[i].property)->name);
        print_at(p, r->requires[i].cond, OPEN, true);
        str_char(p->out, '\n');
    }
}

static void print_rule_body(printer *p, const rule_info *r, unsigned indent, bool on_new_line, bool needed) {
    const stmt *b = r->body;
    if (b && is_empty(&b, 1)) b = NULL;
    if (!b && !needed) return;
    if (on_new_line) new_line(p->out, indent);
    else str_char(p->out, ' ');
    if (!b) str_add(p->out, "{ }");
    else if (b->kind == S_PAR) print_block(p, b->body, b->nbody, indent);
    else print_block(p, &b, 1, indent);
}

static void print_rule_as(const model *m, const shared *parts, rule r, const char *word, str *out) {
    const unsigned indent = 2;
    const rule_info *info = rule_of(m, r);
    printer p = print_start(m, parts, out);
    take_expr(&p, info->guard);
    take_names(&p, walk_stmt(p.m, info->body, 0));
    str_pad(out, ' ', indent);
    bool is_init = strcmp(word, "init") == 0;
    str_add(out, word);
    if (!is_init) str_printf(out, "%saction %s", info->is_visible ? "" : "internal ", print_written(m, info->name));
    print_params(&p, info->params, info->nparams, info->actor, info->nhidden);
    bool broken = print_guard(&p, info, indent);
    print_rule_body(&p, info, indent, broken, is_init);
    str_char(out, '\n');
    print_relation(&p, info, indent);
    print_requirements(&p, info, indent);
    print_finish(&p);
}

// ---- systems

// The rest of a line is an expression.
static void print_rest(printer p, expr e, unsigned indent) {
    take_expr(&p, e);
    print_long(&p, e, indent);
    str_char(p.out, '\n');
    print_finish(&p);
}

static void print_named(const model *m, const shared *parts, const char *word, const char *name, expr e, str *out) {
    str_printf(out, "  %s %s: ", word, print_written(m, name));
    print_rest(print_start(m, parts, out), e, 6);
}

static void print_def(printer p, const def_info *info, unsigned indent) {
    const model *m = p.m;
    str *out = p.out;
    take_expr(&p, info->body);
    str_pad(out, ' ', indent);
    str_printf(out, "def %s", print_written(m, info->name));
    print_params(&p, info->params, info->nparams, 0, 0);
    if (!expr_is_bool(m, info->body)) {
        str_add(out, ": ");
        print_type(m, expr_type(m, info->body), out);
    }
    str_add(out, " = ");
    print_rest(p, info->body, indent + 4);
}

// The definition of a part.
static void print_part_def(const shared *x, uint32_t number, str *out) {
    const var_set of = expr_frees(x->m, x->parts.data[number]);
    str name = {0};
    str_printf(&name, "%s%u", x->prefix, number + 1);
    def_info d = {.name = str_get(&name), .params = of.vars, .nparams = of.n, .body = x->parts.data[number]};
    printer p = print_start(x->m, x, out);
    p.whole = d.body;
    print_def(p, &d, 2);
    str_free(&name);
}

static void print_enum(const model *m, const type_info *t, unsigned indent, str *out) {
    str_pad(out, ' ', indent);
    str_printf(out, "enum %s { ", print_written(m, t->name));
    for (uint32_t i = 0; i < t->nliterals; i++)
        str_printf(out, "%s%s", i ? ", " : "", print_written(m, t->literals[i]));
    str_add(out, " }\n");
}

static void print_enums(const model *m, sys owner, unsigned indent, str *out) {
    for (uint32_t i = 1; i < m->types.len; i++)
        if (m->types.data[i].kind == TYPE_ENUM && m->types.data[i].owner.id == owner.id)
            print_enum(m, &m->types.data[i], indent, out);
}

static void print_head(const model *m, const func_info *f, str *out) {
    str_add(out, print_written(m, f->name));
    for (uint32_t i = 0; i < f->nargs; i++) {
        str_add(out, i ? ", " : "(");
        print_type(m, f->args[i], out);
    }
    if (f->nargs) str_char(out, ')');
}

static bool is_plain_relation(const model *m, const func_info *f) {
    return f->nargs && f->result.id == m->bool_type.id && !f->starts_any && !f->initial;
}

static void print_func(const model *m, const func_info *f, str *out) {
    str_add(out, f->is_rigid ? "  const " : "  var ");
    print_head(m, f, out);
    str_add(out, ": ");
    print_type(m, f->result, out);
    if (f->is_rigid) return;
    if (f->starts_any) str_add(out, " = any");
    else if (f->initial != VALUE_UNDEFINED && type_of(m, f->result)->kind != TYPE_SORT) {
        str_add(out, " = ");
        print_value(m, f->result, f->initial, out);
    }
}

// Functions one per line, plain relations together.
static void print_funcs(const model *m, const sys_info *s, str *out) {
    bool in_rel = false;
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(m, s->funcs.data[i]);
        bool is_rel = is_plain_relation(m, f);
        if (is_rel && in_rel && column(out) < WIDTH - 20) str_add(out, ", ");
        else if (i) str_char(out, '\n');
        if (!is_rel) print_func(m, f, out);
        else {
            if (column(out) == 0) str_add(out, "  rel ");
            print_head(m, f, out);
        }
        in_rel = is_rel;
    }
    if (s->funcs.len) str_char(out, '\n');
}

// A blank line between groups and actions.
static void print_gap(str *out) {
    if (out->len > 1 && out->text[out->len - 2] != '{') str_char(out, '\n');
}

static void print_facts(const model *m, const sys_info *s, const shared *parts, str *out) {
    for (uint32_t i = 0; i < parts->parts.len; i++) print_part_def(parts, i, out);
    for (uint32_t i = 0; i < s->axioms.len; i++)
        print_named(m, parts, "axiom", s->axioms.data[i].name, s->axioms.data[i].cond, out);
    for (uint32_t i = 0; i < s->defs.len; i++) print_def(print_start(m, parts, out), def_of(m, s->defs.data[i]), 2);
    for (uint32_t i = 0; i < s->assumes.len; i++)
        print_named(m, parts, "assume", s->assumes.data[i].name, s->assumes.data[i].cond, out);
}

// Fixed literals first, then the holes.
static void print_schema(const model *m, const schema_info *x, str *out) {
    str_printf(out, "  schema %s: forall ", print_written(m, x->name));
    for (uint32_t i = 0; i < x->nvars; i++)
        str_printf(out, "%s%s: %s", i ? ", " : "", print_written(m, var_of(m, x->vars[i])->name),
                   print_written(m, type_of(m, var_of(m, x->vars[i])->ty)->name));
    str_add(out, ". ");
    for (uint32_t i = 0; i < x->nfixed; i++) {
        str_char(out, '(');
        print_expr(m, x->fixed[i], out);
        str_add(out, ") | ");
    }
    for (uint32_t i = 0; i < x->nholes; i++) str_add(out, i ? " | _" : "_");
    str_char(out, '\n');
}

// The parts of all that is printed of a system, and of what is said about it elsewhere.
static shared system_parts(const model *m, sys s) {
    const sys_info *info = sys_of(m, s);
    walk w = walk_expr(m, (expr){0}, 0);
    for (uint32_t i = 0; i < info->axioms.len; i++) walk_add(&w, info->axioms.data[i].cond, 0);
    for (uint32_t i = 0; i < info->defs.len; i++) walk_add(&w, def_of(m, info->defs.data[i])->body, 0);
    for (uint32_t i = 0; i < info->assumes.len; i++) walk_add(&w, info->assumes.data[i].cond, 0);
    for (uint32_t i = 0; i < info->hints.len; i++) walk_add(&w, info->hints.data[i].cond, 0);
    for (uint32_t i = 0; i < info->inits.len; i++) walk_add_rule(&w, info->inits.data[i]);
    for (uint32_t i = 0; i < info->rules.len; i++) walk_add_rule(&w, info->rules.data[i]);
    for (uint32_t i = 1; i < m->props.len; i++)
        if (m->props.data[i].system.id == s.id) walk_add(&w, m->props.data[i].cond, 0);
    return shared_find(&w, false);
}

void print_system(const model *m, sys s, str *out) {
    const sys_info *info = sys_of(m, s);
    shared parts = system_parts(m, s);
    str_printf(out, "system %s {\n", print_written(m, info->name));
    print_enums(m, s, 2, out);
    print_funcs(m, info, out);
    if (parts.parts.len + info->axioms.len + info->defs.len + info->assumes.len) print_gap(out);
    print_facts(m, info, &parts, out);
    if (info->schemas.len) print_gap(out);
    for (uint32_t i = 0; i < info->schemas.len; i++) print_schema(m, &info->schemas.data[i], out);
    if (info->hints.len) print_gap(out);
    for (uint32_t i = 0; i < info->hints.len; i++)
        print_named(m, &parts, "lemma", info->hints.data[i].name, info->hints.data[i].cond, out);
    for (uint32_t i = 0; i < info->inits.len; i++) {
        print_gap(out);
        print_rule_as(m, &parts, info->inits.data[i], "init", out);
    }
    map *before = map_new();
    for (uint32_t i = 0; i < info->rules.len; i++) {
        bool is_first = map_put_str(before, rule_of(m, info->rules.data[i])->name, i);
        print_gap(out);
        print_rule_as(m, &parts, info->rules.data[i], is_first ? "" : "also ", out);
    }
    map_free(before);
    if (info->invariants.len) print_gap(out);
    for (uint32_t i = 0; i < info->invariants.len; i++) {
        const prop_info *x = prop_of(m, info->invariants.data[i]);
        print_named(m, &parts, "invariant", x->name, x->cond, out);
    }
    str_add(out, "}\n");
    shared_free(&parts);
}

// ---- the whole model

static bool print_is_written(const sys_info *s) { return s->name[0] && !s->refinement.id; }

static bool is_mergeable(const type_info *t) { return t->kind == TYPE_SORT && !t->is_ordered && !t->fixed_size; }

static void print_sorts(const model *m, str *out) {
    bool merging = false;
    for (uint32_t i = 1; i < m->types.len; i++) {
        const type_info *t = &m->types.data[i];
        if (t->kind != TYPE_SORT) continue;
        if (merging && is_mergeable(t)) str_add(out, ", ");
        else str_printf(out, "%s%ssort ", column(out) ? "\n" : "", t->is_ordered ? "ordered " : "");
        str_add(out, print_written(m, t->name));
        if (t->fixed_size) str_printf(out, " = %u", t->fixed_size);
        merging = is_mergeable(t);
    }
    if (column(out)) str_char(out, '\n');
}

static void print_sizes(const model *m, str *out) {
    bool some = false;
    for (uint32_t i = 1; i < m->types.len; i++) {
        const type_info *t = &m->types.data[i];
        if (t->kind != TYPE_SORT || !t->default_size) continue;
        str_printf(out, "%s%s = %u", some ? ", " : "size ", print_written(m, t->name), t->default_size);
        some = true;
    }
    if (some) str_char(out, '\n');
}

// The parts of a composition; a part without a name is an inner pair of A || B || C.
static void print_parts(const model *m, sys s, str *out) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->parts.len; i++) {
        if (i) str_add(out, " || ");
        const sys_info *part = sys_of(m, info->parts.data[i]);
        if (part->name[0]) str_add(out, print_written(m, part->name));
        else print_parts(m, info->parts.data[i], out);
    }
}

static void print_systems(const model *m, str *out) {
    for (uint32_t i = 1; i < m->systems.len; i++) {
        const sys_info *s = &m->systems.data[i];
        if (!print_is_written(s) || s->parts.len) continue;
        if (out->len) str_char(out, '\n');
        print_system(m, (sys){i}, out);
    }
    for (uint32_t i = 1; i < m->systems.len; i++) {
        const sys_info *s = &m->systems.data[i];
        if (!print_is_written(s) || !s->parts.len) continue;
        str_printf(out, "\ncompose %s = ", print_written(m, s->name));
        print_parts(m, (sys){i}, out);
        str_char(out, '\n');
    }
}

static bool print_is_inside(const model *m, prop p) {
    const sys_info *s = sys_of(m, prop_of(m, p)->system);
    for (uint32_t i = 0; i < s->invariants.len; i++)
        if (s->invariants.data[i].id == p.id) return true;
    return false;
}

static void print_conjunct(const model *m, sys system, const named_expr *e, const char *word, str *out) {
    printer p = print_start(m, NULL, out);
    p.home = system;
    str_printf(out, "  %s%s: ", word, print_written(m, e->name));
    print_rest(p, e->cond, 6);
}

static void print_abstraction(const model *m, const prop_info *p, str *out) {
    str_add(out, " by {\n");
    for (uint32_t i = 0; i < p->nrelation; i++) print_conjunct(m, p->system, &p->relation[i], "", out);
    for (uint32_t i = 0; i < p->njustice; i++) print_conjunct(m, p->system, &p->justice[i], "justice ", out);
    str_char(out, '}');
}

// t, v; n
static void print_witness_names(printer *p, const rule_info *r) {
    for (uint32_t i = 0; i < r->nparams; i++) {
        str_add(p->out, i == rule_nshown(r) ? "; " : i ? ", " : "");
        str_add(p->out, print_written(p->m, print_bind(p, r->params[i])));
    }
}

static void print_witness(const model *m, sys system, const prop_witness *w, str *out) {
    const rule_info *r = rule_of(m, w->r), *s = rule_of(m, w->answer);
    printer p = print_start(m, NULL, out);
    p.home = system;
    for (uint32_t i = 0; i < w->nargs; i++) take_expr(&p, w->args[i]);
    str_printf(out, "\n  with %s%s", print_written(m, r->name), r->nparams ? "(" : "");
    print_witness_names(&p, r);
    str_printf(out, "%s: ", r->nparams ? ")" : "");
    if (!s->is_visible) str_printf(out, "%s%s", print_written(m, s->name), w->nargs ? "(" : "");
    for (uint32_t i = 0; i < w->nargs; i++) {
        if (i) str_add(out, ", ");
        if (s->is_visible) str_printf(out, "%s = ", print_written(m, var_of(m, s->params[rule_nshown(s) + i])->name));
        print_at(&p, w->args[i], OPEN, true);
    }
    if (!s->is_visible && w->nargs) str_char(out, ')');
    print_finish(&p);
}

// A clause is about all rules of a name, unless they were found to be answered differently.
static void print_witnesses(const model *m, const prop_info *x, str *out) {
    for (uint32_t i = 0; i < x->nwitnesses; i++) {
        str one = {0}, other = {0};
        print_witness(m, x->system, &x->witnesses[i], &one);
        for (uint32_t k = 0; k < i && one.len; k++) {
            str_clear(&other);
            print_witness(m, x->system, &x->witnesses[k], &other);
            if (str_same(str_get(&one), str_get(&other))) str_clear(&one);
        }
        str_add(out, str_get(&one));
        str_free(&one);
        str_free(&other);
    }
}

void print_choices(const model *m, prop p, str *out) { print_witnesses(m, prop_of(m, p), out); }

static void print_property(const model *m, prop p, str *out) {
    static const char *const words[] = {[PROP_DEADLOCK_FREE] = "deadlock_free",
                                        [PROP_OBSTRUCTION_FREE] = "obstruction_free",
                                        [PROP_LIVELOCK_FREE] = "livelock_free",
                                        [PROP_WAIT_FREE] = "wait_free"};
    const prop_info *x = prop_of(m, p);
    str_printf(out, "property %s: %s ", print_written(m, x->name), print_written(m, sys_of(m, x->system)->name));
    if (x->kind == PROP_REFINES) {
        str_printf(out, "refines %s", print_written(m, sys_of(m, x->spec)->name));
        print_witnesses(m, x, out);
        if (x->nrelation + x->njustice) print_abstraction(m, x, out);
        str_char(out, '\n');
    } else if (words[x->kind]) {
        str_printf(out, "%s\n", words[x->kind]);
    } else {
        shared parts = {0};
        if (expr_of(m, x->cond)->tree > SHARED_LARGE) parts = system_parts(m, x->system);
        str_add(out, "invariant ");
        print_rest(print_start(m, &parts, out), x->cond, 4);
        shared_free(&parts);
    }
}

// One about other constants is about another model: this one has its values in it.
static void print_expectation(const model *m, const expectation *x, str *out) {
    if (x->ndefines) return;
    str_printf(out, "expect %s", print_written(m, prop_of(m, x->property)->name));
    for (uint32_t i = 0; i < x->sizes.len; i++)
        str_printf(out, "%s%s=%u", i ? ", " : " at ", print_written(m, type_of(m, x->sizes.data[i].sort)->name),
                   x->sizes.data[i].size);
    str_printf(out, ": %s", x->verdict);
    if (x->states) str_printf(out, ", %llu states", (unsigned long long)x->states);
    if (x->length) str_printf(out, ", length %u", x->length);
    str_char(out, '\n');
}

static void print_claims(const model *m, str *out) {
    bool first = true;
    for (uint32_t i = 1; i < m->props.len; i++) {
        if (print_is_inside(m, (prop){i})) continue;
        if (first && out->len) str_char(out, '\n');
        first = false;
        print_property(m, (prop){i}, out);
    }
    for (uint32_t i = 0; i < m->expectations.len; i++) {
        if (!i && out->len) str_char(out, '\n');
        print_expectation(m, &m->expectations.data[i], out);
    }
}

void print_model(const model *m, str *out) {
    print_sorts(m, out);
    print_sizes(m, out);
    print_enums(m, (sys){0}, 0, out);
    for (uint32_t i = 1; i < m->defs.len; i++)
        if (!m->defs.data[i].owner.id) print_def(print_start(m, NULL, out), &m->defs.data[i], 0);
    print_systems(m, out);
    print_claims(m, out);
}
