// SPDX-License-Identifier: Apache-2.0
// Names, types, constants and declarations of UPPAAL's languages. A variable of a structured type becomes one
// state function a leaf, whose arguments are the arrays on the way to it; clocks and channels are numbered.
#include "front/xta/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 1 << 16 };  // of a type, and of a value that is not written down
#define VALUES_ENOUGH (UINT64_C(1) << 32)
enum { MOST_ELEMENTS = 1 << 14, LEAST_INT = -32768, LARGEST_INT = 32767 };
enum { LARGEST_START = 1000000 };  // of a clock

bool xfail(xlower *w, span at, const char *format, ...) {
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!w->failed) diag_error(w->file->messages, at, "%s", text);
    w->failed = true;
    return false;
}

// ---- scopes

xscope *xscope_new(xlower *w, const xscope *outer) {
    xscope *s = arena_alloc(w->file->memory, sizeof *s);
    s->outer = outer;
    s->number = scopes_open(w->names);
    s->until = UINT32_MAX;
    return s;
}

static xsym *xscope_add(xlower *w, xscope *s, const char *name, span at) {
    xsym *sym = arena_alloc(w->file->memory, sizeof *sym);
    sym->at = at;
    sym->number = w->syms.len;
    if (!scopes_add(w->names, s->number, name, w->syms.len)) xfail(w, at, "'%s' is declared twice", name);
    vec_push(&w->syms, sym);
    return sym;
}

xsym *xscope_bind(xlower *w, xscope *s, const char *name, span at, xplace p) {
    xsym *sym = xscope_add(w, s, name, at);
    sym->kind = SYM_PLACE;
    sym->ty = p.ty;
    sym->place = p;
    return sym;
}

xsym *xscope_own(const xlower *w, const xscope *s, const char *name) {
    uint32_t i = scopes_find(w->names, s->number, name);
    return i == SCOPES_NONE ? NULL : w->syms.data[i];
}

xsym *xscope_find(const xlower *w, const xscope *s, const char *name) {
    uint32_t until = UINT32_MAX;
    for (; s; s = s->outer) {
        xsym *found = xscope_own(w, s, name);
        if (found && found->number <= until) return found;
        if (s->until < until) until = s->until;
    }
    return NULL;
}

// ---- types

static xtype *xta_new_type(xlower *w, xtype_kind kind) {
    xtype *t = arena_alloc(w->file->memory, sizeof *t);
    t->kind = kind;
    t->nparts = 1;
    t->nvalues = kind != Y_STRUCT;
    return t;
}

const xtype *xtype_int(xlower *w, int32_t lo, int32_t hi) {
    xtype *t = xta_new_type(w, Y_INT);
    t->lo = lo;
    t->hi = hi;
    return t;
}

const xtype *xtype_of_expr(xlower *w, expr e) {
    const type_info *t = type_of(w->m, expr_type(w->m, e));
    return t->kind == TYPE_BOOL ? xta_new_type(w, Y_BOOL) : xtype_int(w, t->lo, t->hi);
}

enum { LATEST_BEGIN = 2 };

// N or N - 1, where N says how many there are.
static bool is_size_end(const xlower *w, const xta_ast *a) {
    if (a->kind == X_BINARY && a->op == OP_SUB && a->args[1]->kind == X_NUMBER && a->args[1]->number == 1)
        a = a->args[0];
    return w->size && a->kind == X_NAME && strcmp(a->name, w->size) == 0;
}

static bool last_of_range(xlower *w, const xta_ast *a, int32_t lo, int32_t *out) {
    bool is_size = is_size_end(w, a) && lo <= LATEST_BEGIN;
    w->size_end += is_size;
    bool ok = xconstant(w, a, out);
    w->size_end -= is_size;
    return ok;
}

// -2^31 is no value here, and nothing becomes that small: the range begins one above.
static bool range_end(xlower *w, const xta_ast *a, int32_t *out) {
    bool is_least = a->kind == X_UNARY && a->op == OP_NEG && a->args[0]->kind == X_NUMBER &&
                    a->args[0]->number == -(int64_t)INT32_MIN;
    if (!is_least) return xconstant(w, a, out);
    *out = -INT32_MAX;
    return true;
}

static const xtype *int_type(xlower *w, const xta_type_ast *ast) {
    int32_t lo = LEAST_INT, hi = LARGEST_INT;
    if (!ast->lo) return ast->is_const ? xtype_int(w, -INT32_MAX, INT32_MAX) : xtype_int(w, lo, hi);
    if (!range_end(w, ast->lo, &lo) || !last_of_range(w, ast->hi, lo, &hi)) return xtype_int(w, 0, 0);
    if (lo > hi) xfail(w, ast->at, "the range %d..%d is empty", lo, hi);
    return w->failed ? xtype_int(w, 0, 0) : xtype_int(w, lo, hi);
}

static const xtype *sized_type(xlower *w, const xta_ast *size, const char *what) {
    int32_t n = 1;
    if (last_of_range(w, size, 0, &n) && (n < 1 || n > MOST_ELEMENTS))
        xfail(w, size->at, "%d is not a valid size for %s", n, what);
    return xtype_int(w, 0, w->failed ? 0 : n - 1);
}

static const xtype *struct_type(xlower *w, const xta_type_ast *ast) {
    xtype *t = xta_new_type(w, Y_STRUCT);
    t->nmembers = ast->nfields;
    xscope *scope = xscope_new(w, NULL);
    t->scope = scope;
    t->names = arena_alloc(w->file->memory, (ast->nfields + 1) * sizeof *t->names);
    t->members = arena_alloc(w->file->memory, (ast->nfields + 1) * sizeof *t->members);
    for (uint32_t i = 0; i < ast->nfields; i++) {
        const xta_decl *d = &ast->fields[i];
        if (d->kind != XD_VAR) xfail(w, d->at, "a struct has variables only");
        t->names[i] = d->name;
        xscope_add(w, scope, d->name, d->at)->member = i;
        t->members[i] = xtype_with_dims(w, xtype_of(w, d->type), d->dims, d->ndims);
        t->nparts += t->members[i]->nparts;
        t->nvalues += t->members[i]->nvalues;
        if (t->nparts <= MOST_PARTS) continue;
        xfail(w, d->at, "a value of this type has more than %d parts", MOST_PARTS);
        return xtype_int(w, 0, 0);
    }
    return t;
}

static const xtype *named_type(xlower *w, const xta_type_ast *ast) {
    const xsym *sym = xscope_find(w, w->scope, ast->name);
    if (sym && sym->kind == SYM_TYPE) return sym->ty;
    xfail(w, ast->at, "there is no type '%s'", ast->name);
    return xtype_int(w, 0, 0);
}

const xtype *xtype_of(xlower *w, const xta_type_ast *ast) {
    xtype *t;
    switch (ast->kind) {
    case TA_INT: return int_type(w, ast);
    case TA_BOOL: return xta_new_type(w, Y_BOOL);
    case TA_CLOCK: return xta_new_type(w, Y_CLOCK);
    case TA_CHAN:
        t = xta_new_type(w, Y_CHAN);
        t->is_urgent = ast->is_urgent;
        t->is_broadcast = ast->is_broadcast;
        return t;
    case TA_VOID: return xta_new_type(w, Y_VOID);
    case TA_SCALAR: return sized_type(w, ast->lo, "a type");
    case TA_STRUCT: return struct_type(w, ast);
    case TA_DOUBLE: return xta_new_type(w, Y_DOUBLE);
    case TA_NAME: return named_type(w, ast);
    }
    return NULL;
}

// The index type of one dimension: a size, or a type (also by its name).
static const xtype *dim_type(xlower *w, const xta_dim *d) {
    if (d->type) return xtype_of(w, d->type);
    const xsym *sym = d->size->kind == X_NAME ? xscope_find(w, w->scope, d->size->name) : NULL;
    if (sym && sym->kind == SYM_TYPE) return sym->ty;
    return sized_type(w, d->size, "an array");
}

const xtype *xtype_with_dims(xlower *w, const xtype *ty, const xta_dim *dims, uint32_t n) {
    while (n-- > 0) {
        const xtype *index = dim_type(w, &dims[n]);
        span at = dims[n].type ? dims[n].type->at : dims[n].size->at;
        xtype *t = xta_new_type(w, Y_ARRAY);
        if (index->kind != Y_INT) xfail(w, at, "an array is indexed by numbers");
        else if (xtype_count(index) > MOST_ELEMENTS) xfail(w, at, "the array is too large");
        else {
            t->lo = index->lo;
            t->hi = index->hi;
        }
        t->element = ty;
        t->nparts += ty->nparts;
        t->nvalues = (uint64_t)(t->hi - t->lo + 1) * ty->nvalues;
        if (t->nvalues > VALUES_ENOUGH) t->nvalues = VALUES_ENOUGH;
        ty = t;
    }
    return ty;
}

bool xtype_is_scalar(const xtype *ty) { return ty->kind == Y_INT || ty->kind == Y_BOOL; }

type xtype_model(xlower *w, const xtype *ty) {
    return ty->kind == Y_BOOL ? w->m->bool_type : model_range(w->m, ty->lo, ty->hi, (span){0});
}

// ---- stores

static value xta_first_value(const xtype *ty) {
    return ty->kind == Y_BOOL || (ty->lo <= 0 && ty->hi >= 0) ? 0 : ty->lo;
}

expr xdefault(xlower *w, const xtype *ty) { return expr_const(w->m, xtype_model(w, ty), xta_first_value(ty)); }

typedef struct {
    const char *name;    // with its process, "P(1).x"
    const char *member;  // without
    uint32_t process;    // 1 + its number; 0: none
    span at;
    bool is_scratch;
    const xtype *dims[XTA_MOST_INDICES];
    uint32_t ndims;
} maker;

static void make_func(xlower *w, xstore *s, const maker *k) {
    type args[XTA_MOST_INDICES];
    for (uint32_t i = 0; i < k->ndims; i++) args[i] = model_range(w->m, k->dims[i]->lo, k->dims[i]->hi, k->at);
    s->f = model_add_func(w->m, (func_info){.name = k->name,
                                            .process = k->process,
                                            .member = k->member,
                                            .at = k->at,
                                            .args = args,
                                            .nargs = k->ndims,
                                            .result = xtype_model(w, s->ty),
                                            .is_scratch = k->is_scratch,
                                            .initial = xta_first_value(s->ty),
                                            .owner = w->system});
}

static void make_clock(xlower *w, const maker *k, const value *index) {
    str name = {0};
    str_add(&name, k->name);
    for (uint32_t i = 0; i < k->ndims; i++) str_printf(&name, "[%d]", index[i]);
    vec_push(&w->timed->clocks, ((timed_clock){.name = arena_str(w->m->memory, str_get(&name)),
                                               .process = k->process,
                                               .member = k->member,
                                               .index = arena_copy(w->m->memory, index, k->ndims * sizeof *index),
                                               .nindices = k->ndims}));
    str_free(&name);
}

// Makes each element of an array, x[0][2].
static void make_elements(xlower *w, xstore *s, const maker *k, uint32_t dim, value *index) {
    if (dim < k->ndims) {
        for (int32_t i = k->dims[dim]->lo; i <= k->dims[dim]->hi && !w->failed; i++) {
            index[dim] = i;
            make_elements(w, s, k, dim + 1, index);
        }
        return;
    }
    if (s->ty->kind == Y_CLOCK) make_clock(w, k, index);
    else vec_push(&w->channel_types, s->ty);
    if (w->channel_types.len > MOST_ELEMENTS || w->timed->clocks.len > MOST_ELEMENTS)
        xfail(w, k->at, "there are too many");
}

static xstore *xta_make_store(xlower *w, const xtype *ty, maker k) {
    xstore *s = arena_alloc(w->file->memory, sizeof *s);
    s->ty = ty;
    s->dims = arena_copy(w->file->memory, k.dims, sizeof k.dims);
    s->ndims = k.ndims;
    if (w->failed) return s;
    switch (ty->kind) {
    case Y_INT:
    case Y_BOOL: make_func(w, s, &k); break;
    case Y_CLOCK:
    case Y_CHAN:
        if (k.is_scratch) xfail(w, k.at, "a clock or channel cannot be declared here");
        s->base = ty->kind == Y_CLOCK ? w->timed->clocks.len : w->channel_types.len;
        make_elements(w, s, &k, 0, (value[XTA_MOST_INDICES]){0});
        break;
    case Y_VOID: xfail(w, k.at, "a variable has a type"); break;
    case Y_DOUBLE: break;
    case Y_STRUCT:
        s->kids = arena_alloc(w->file->memory, (ty->nmembers + 1) * sizeof *s->kids);
        for (uint32_t i = 0; i < ty->nmembers; i++) {
            maker m = k;
            m.name = arena_printf(w->m->memory, "%s.%s", k.name, ty->names[i]);
            m.member = arena_printf(w->m->memory, "%s.%s", k.member, ty->names[i]);
            s->kids[i] = xta_make_store(w, ty->members[i], m);
        }
        break;
    case Y_ARRAY:
        s->kids = arena_alloc(w->file->memory, sizeof *s->kids);
        if (k.ndims == XTA_MOST_INDICES) xfail(w, k.at, "the array has too many dimensions");
        else k.dims[k.ndims++] = ty;
        s->kids[0] = xta_make_store(w, ty->element, k);
        break;
    }
    return s;
}

xstore *xstore_new(xlower *w, const xtype *ty, const xprocess *of, const char *name, span at, bool is_scratch) {
    maker k = {.at = at, .is_scratch = is_scratch};
    k.process = of ? of->index + 1 : 0;
    k.member = arena_str(w->m->memory, name);
    k.name = of ? arena_printf(w->m->memory, "%s.%s", of->name, name) : k.member;
    return xta_make_store(w, ty, k);
}

// ---- constants

static xconst *new_const(xlower *w, const xtype *ty, int32_t number, uint32_t nkids) {
    xconst *c = arena_alloc(w->file->memory, sizeof *c);
    c->ty = ty;
    c->number = number;
    c->nkids = nkids;
    c->kids = arena_alloc(w->file->memory, (nkids + 1) * sizeof *c->kids);
    return c;
}

static int32_t within_type(xlower *w, const xtype *ty, int32_t n, span at) {
    if (ty->kind == Y_BOOL) return n != 0;
    if (n < ty->lo || n > ty->hi) xfail(w, at, "%d is not within %d..%d", n, ty->lo, ty->hi);
    return n;
}

static xconst *scalar_const(xlower *w, const xtype *ty, const xta_ast *init, span at) {
    int32_t n = xta_first_value(ty);
    if (init && !xconstant(w, init, &n)) n = xta_first_value(ty);
    return new_const(w, ty, within_type(w, ty, n, init ? init->at : at), 0);
}

// A constant given by another one: `const S a = b[1]`.
static xconst *copied_const(xlower *w, const xtype *ty, const xta_ast *init) {
    xplace p = xis_place(init) ? xplace_of(w, init) : (xplace){0};
    if (!w->failed && p.kind == P_CONST && !p.nindex && p.ty->kind == ty->kind) return (xconst *)p.constant;
    xfail(w, init->at, "a list in braces is expected here");
    return new_const(w, ty, 0, 0);
}

// Item i of a list, for the part of the type that it is for: members of a struct may be given by name.
static void add_const_part(xlower *w, xconst *c, const xta_ast *item, uint32_t i, span at) {
    const xtype *ty = c->ty;
    if (item && item->kind == X_MEMBER) {
        const xsym *sym = ty->kind == Y_STRUCT ? xscope_own(w, ty->scope, item->name) : NULL;
        if (!sym) xfail(w, item->at, "this has no member '%s'", item->name);
        else i = sym->member;
        item = item->args[0];
    }
    if (c->kids[i]) xfail(w, item->at, "this member has a value already");
    if (!w->failed) c->kids[i] = xconst_of(w, ty->kind == Y_ARRAY ? ty->element : ty->members[i], item, at);
}

xconst *xconst_of(xlower *w, const xtype *ty, const xta_ast *init, span at) {
    if (ty->kind == Y_DOUBLE) return new_const(w, ty, 0, 0);
    if (xtype_is_scalar(ty)) return scalar_const(w, ty, init, at);
    if (init && init->kind != X_LIST) return copied_const(w, ty, init);
    uint32_t n = ty->kind == Y_ARRAY ? (uint32_t)(ty->hi - ty->lo + 1) : ty->nmembers;
    if (ty->kind != Y_ARRAY && ty->kind != Y_STRUCT) xfail(w, at, "this cannot have a value");
    else if (init && init->nargs != n) xfail(w, init->at, "%u values are expected, not %u", n, init->nargs);
    else if (!init && ty->nvalues > MOST_PARTS) xfail(w, at, "a value of this type has more than %d parts", MOST_PARTS);
    if (w->failed) return new_const(w, ty, 0, 0);
    xconst *c = new_const(w, ty, 0, n);
    for (uint32_t i = 0; i < n && !w->failed; i++) add_const_part(w, c, init ? init->args[i] : NULL, i, at);
    return c;
}

// ---- what there is without a declaration

// `cost` of UPPAAL CORA and `reward` of its relatives: they grow in locations and on edges.
static void declare_costs(xlower *w, xscope *s) {
    static const char *const names[] = {"cost", "reward"};
    xtype *ty = xta_new_type(w, Y_DOUBLE);
    ty->is_cost = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        xscope_bind(w, s, names[i], (span){0}, (xplace){.kind = P_VALUE, .ty = ty});
}

// Names that UPPAAL knows; those of the file hide them.
void xdeclare_known(xlower *w, xscope *s) {
    static const struct {
        const char *name;
        int32_t lo, hi;  // a type, or where both are the same, a constant
    } known[] = {{"int8_t", -128, 127},
                 {"uint8_t", 0, 255},
                 {"int16_t", LEAST_INT, LARGEST_INT},
                 {"uint16_t", 0, 65535},
                 {"int32_t", -INT32_MAX, INT32_MAX},
                 {"INT8_MIN", -128, -128},
                 {"INT8_MAX", 127, 127},
                 {"UINT8_MAX", 255, 255},
                 {"INT16_MIN", LEAST_INT, LEAST_INT},
                 {"INT16_MAX", LARGEST_INT, LARGEST_INT},
                 {"UINT16_MAX", 65535, 65535},
                 {"INT32_MAX", INT32_MAX, INT32_MAX}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const xtype *ty = xtype_int(w, known[i].lo, known[i].hi);
        xsym *sym = xscope_add(w, s, known[i].name, (span){0});
        bool is_type = known[i].lo != known[i].hi;
        sym->kind = is_type ? SYM_TYPE : SYM_PLACE;
        sym->ty = ty;
        sym->is_const = true;
        if (!is_type) sym->place = (xplace){.kind = P_VALUE, .ty = ty, .value = xint(w, known[i].lo)};
    }
    declare_costs(w, s);
}

// ---- declarations

// A variable's value in the initial state, from one that is constant. Cells of arrays are set by the rule that starts
// the system.
void xset_initial(xlower *w, const xplace *to, const xplace *from, span at) {
    value v = 0;
    if (w->failed) return;
    if (to->ty->kind == Y_DOUBLE) return;
    if (xtype_is_scalar(to->ty)) {
        expr_is_const(w->m, xread(w, from, at), &v);
        w->m->funcs.data[to->store->f.id].initial = v;
    } else {
        w->out = &w->starts;
        xcopy(w, to, from, at);
        w->out = NULL;
    }
}

bool xtype_is_valued(const xtype *ty) {
    if (ty->kind == Y_ARRAY) return xtype_is_valued(ty->element);
    if (ty->kind == Y_STRUCT) {
        for (uint32_t i = 0; i < ty->nmembers; i++)
            if (!xtype_is_valued(ty->members[i])) return false;
        return true;
    }
    return xtype_is_scalar(ty) || ty->kind == Y_DOUBLE;
}

static void xta_declare_const(xlower *w, xsym *sym, const xta_decl *d, const xtype *ty, bool is_global) {
    sym->place.kind = P_CONST;
    sym->is_const = true;
    xconst *c = xconst_of(w, ty, d->init, d->at);
    const front_define *other = is_global ? front_defined(w->defines, w->ndefines, d->name) : NULL;
    if (other && xtype_is_scalar(ty)) c->number = within_type(w, ty, other->value, d->at);
    sym->place.constant = c;
}

// ---- clocks that do not start at 0

// A number with a point that has no fraction: 5.0
static bool is_whole(const xta_ast *a, int32_t *number) {
    double x = a->kind == X_DOUBLE && a->name ? strtod(a->name, NULL) : 0.5;
    if (x < 0 || x > LARGEST_START || x != (int32_t)x) return false;
    *number = (int32_t)x;
    return true;
}

// Does a floating-point number decide its value, so that it cannot be known here?
static bool is_floating(xlower *w, const xta_ast *a) {
    int32_t whole;
    if (a->kind == X_DOUBLE) return !is_whole(a, &whole);
    const xtype *ty = xis_place(a) || a->kind == X_CALL ? xtype_of_value(w, a) : NULL;
    if (ty && ty->kind == Y_DOUBLE) return true;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (is_floating(w, a->args[i]) || (a->kind == X_BINARY && a->args[i]->kind == X_DOUBLE)) return true;
    return false;
}

static bool is_clock(const xtype *ty) {
    while (ty->kind == Y_ARRAY) ty = ty->element;
    return ty->kind == Y_CLOCK;
}

static const xstore *leaf_store(const xstore *s) {
    while (s->ty->kind == Y_ARRAY) s = s->kids[0];
    return s;
}

// `clock` is the first of those that the type has, in their order.
static void start_clocks(xlower *w, const xtype *ty, uint32_t clock, const xta_ast *init) {
    int32_t first = 0;
    if (w->failed) return;
    if (ty->kind == Y_ARRAY) {
        if (init->kind != X_LIST || init->nargs != xtype_count(ty))
            xfail(w, init->at, "a list of %d numbers in braces is expected here", (int)xtype_count(ty));
        for (uint32_t i = 0; i < init->nargs && !w->failed; i++)
            start_clocks(w, ty->element, clock + i * (uint32_t)ty->element->nvalues, init->args[i]);
        return;
    }
    if (!is_whole(init, &first) && !xconstant(w, init, &first)) return;
    if (first < 0 || first > LARGEST_START) xfail(w, init->at, "a clock starts with a number of 0..%d", LARGEST_START);
    else w->timed->clocks.data[clock].initial = first;
}

static void xta_declare_var(xlower *w, xscope *s, const xta_decl *d, const xprocess *of) {
    const xtype *ty = xtype_with_dims(w, xtype_of(w, d->type), d->dims, d->ndims);
    if (!w->failed && d->init && ty->kind == Y_CLOCK && is_floating(w, d->init)) {
        xta_warn_once(w->file, LEFT_DOUBLES, d->at);
        ty = xta_new_type(w, Y_DOUBLE);
    }
    xsym *sym = xscope_bind(w, s, d->name, d->at, (xplace){.ty = ty});
    if (w->failed) return;
    if (d->type->is_const) {
        xta_declare_const(w, sym, d, ty, s == w->globals);
        return;
    }
    sym->place.kind = P_STORE;
    sym->place.store = xstore_new(w, ty, of, d->name, d->at, false);
    if (d->init && is_clock(ty)) {
        start_clocks(w, ty, leaf_store(sym->place.store)->base, d->init);
        return;
    }
    if (d->init && !xtype_is_valued(ty)) xfail(w, d->init->at, "this cannot have an initial value");
    if (!d->init || w->failed) return;
    xplace from = {.kind = P_CONST, .ty = ty, .constant = xconst_of(w, ty, d->init, d->at)};
    xset_initial(w, &sym->place, &from, d->at);
}

bool xdeclare(xlower *w, xscope *s, const xta_decl *decls, uint32_t n, const xprocess *of) {
    const xscope *outer = w->scope;
    w->scope = s;
    for (uint32_t i = 0; i < n && !w->failed; i++) {
        const xta_decl *d = &decls[i];
        if (d->kind == XD_VAR) {
            xta_declare_var(w, s, d, of);
            continue;
        }
        const xtype *ty = d->kind == XD_TYPE ? xtype_with_dims(w, xtype_of(w, d->type), d->dims, d->ndims) : NULL;
        xsym *sym = xscope_add(w, s, d->name, d->at);
        sym->kind = d->kind == XD_TYPE ? SYM_TYPE : SYM_FUNC;
        sym->ty = ty;
        sym->function = d;
        sym->defined_in = s;
    }
    w->scope = outer;
    return !w->failed;
}
