// SPDX-License-Identifier: Apache-2.0
// random_murphi_whole: see random_murphi_whole.h.
//
// Types are made first, then everything else by type: what is in scope is a list of *things*, each with its text and
// type, from which places and values of a wanted type are taken by walking down at random.
#include "oracle/random_murphi_whole.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"

#include <string.h>

enum { MOST_PARTS = 3, MOST_DEPTH = 3, NO_TYPE = UINT32_MAX, MOST_WEIGHT = 14, MOST_REPEATS = 2 };

typedef enum { K_BOOL, K_RANGE, K_ENUM, K_SET, K_UNION, K_RECORD, K_ARRAY, K_BAG } kind;

typedef struct {
    kind k;
    const char *name;
    uint32_t size;                      // values of a simple type; slots
    uint32_t part[MOST_PARTS], nparts;  // members, fields; index and element; element
    uint32_t weight;                    // cells, more or less
} ty;

// Something with a name: a variable, a value, an element of a multiset.
typedef struct {
    const char *text;
    uint32_t t;
    bool is_fixed;  // may not be written
} thing;

typedef struct {
    const char *name, *set;
    uint32_t t;  // of the elements
} slot;

typedef struct {
    const char *name;
    uint32_t params[MOST_PARTS], nparams, result;  // NO_TYPE: a procedure
    bool is_var[MOST_PARTS];
} routine;

typedef struct {
    rng r;
    whole_options o;
    const bits *skip;
    arena *memory;
    str *out;
    uint32_t nparts, depth, names;
    VEC(ty) types;
    VEC(thing) things;
    VEC(slot) slots;
    VEC(routine) routines;
    uint32_t result;    // what the body returns; NO_TYPE: nothing
    uint32_t nrepeats;  // loops around
    bool is_close;      // few types, so that what is done meets
    bool may_return, has_no_calls;
    uint32_t few[3], nfew;  // things of which a body is mostly made, for the same reason
} writer;

#define TEXT(w, ...) arena_printf((w)->memory, __VA_ARGS__)

static uint32_t below(writer *w, uint32_t n) { return rng_below(&w->r, n); }
static bool chance(writer *w, uint32_t percent) { return below(w, 100) < percent; }
static const ty *type_at(const writer *w, uint32_t t) { return &w->types.data[t]; }
static bool is_simple(const writer *w, uint32_t t) { return type_at(w, t)->k <= K_UNION; }
static bool has_elements(const writer *w, uint32_t t) {
    return type_at(w, t)->k == K_SET || type_at(w, t)->k == K_UNION;
}

// ---- types

static uint32_t add_type(writer *w, ty t, const char *text) {
    t.name = TEXT(w, "T%u", w->types.len);
    str_printf(w->out, "  %s : %s;\n", t.name, text);
    vec_push(&w->types, t);
    return w->types.len - 1;
}

// A type made already, of a kind; NO_TYPE if there is none.
static uint32_t some_type(writer *w, kind from, kind to) {
    uint32_t first = below(w, w->types.len);
    for (uint32_t i = 0; i < w->types.len; i++) {
        uint32_t t = (first + i) % w->types.len;
        if (type_at(w, t)->k >= from && type_at(w, t)->k <= to) return t;
    }
    return NO_TYPE;
}

static void make_enum(writer *w) {
    uint32_t n = 1 + below(w, 3), id = w->types.len;
    const char *text = TEXT(w, "enum { e%u_0", id);
    for (uint32_t i = 1; i < n; i++) text = TEXT(w, "%s, e%u_%u", text, id, i);
    add_type(w, (ty){.k = K_ENUM, .size = n, .weight = 1}, TEXT(w, "%s }", text));
}

static bool has_part(const ty *t, uint32_t part) {
    for (uint32_t i = 0; i < t->nparts; i++)
        if (t->part[i] == part) return true;
    return false;
}

static void make_union(writer *w) {
    ty u = {.k = K_UNION, .weight = 1};
    const char *text = "union {";
    for (uint32_t i = 0; i < MOST_PARTS; i++) {
        uint32_t t = some_type(w, K_ENUM, K_SET);
        if (t == NO_TYPE || has_part(&u, t) || u.size + type_at(w, t)->size > 6) continue;
        text = TEXT(w, "%s%s %s", text, u.nparts ? "," : "", type_at(w, t)->name);
        u.size += type_at(w, t)->size;
        u.part[u.nparts++] = t;
    }
    if (u.nparts) add_type(w, u, TEXT(w, "%s }", text));
}

static void make_record(writer *w) {
    ty r = {.k = K_RECORD};
    const char *text = "record";
    for (uint32_t i = 0, n = 1 + below(w, MOST_PARTS); i < n; i++) {
        uint32_t t = below(w, w->types.len);
        if (r.weight + type_at(w, t)->weight > MOST_WEIGHT) continue;
        text = TEXT(w, "%s f%u : %s;", text, r.nparts, type_at(w, t)->name);
        r.weight += type_at(w, t)->weight;
        r.part[r.nparts++] = t;
    }
    if (r.nparts) add_type(w, r, TEXT(w, "%s end", text));
}

static uint32_t array_of(writer *w, uint32_t index, uint32_t element) {
    uint32_t weight = type_at(w, index)->size * type_at(w, element)->weight;
    ty a = {.k = K_ARRAY, .part = {index, element}, .nparts = 2, .weight = weight};
    return add_type(w, a, TEXT(w, "array [%s] of %s", type_at(w, index)->name, type_at(w, element)->name));
}

static uint32_t bag_of(writer *w, uint32_t size, uint32_t element) {
    ty b = {.k = K_BAG, .size = size, .part = {element}, .nparts = 1};
    b.weight = size * (type_at(w, element)->weight + 1);
    return add_type(w, b, TEXT(w, "multiset [%u] of %s", size, type_at(w, element)->name));
}

static void make_array(writer *w) {
    uint32_t index = some_type(w, K_RANGE, K_UNION), element = below(w, w->types.len);
    if (type_at(w, index)->size * type_at(w, element)->weight <= MOST_WEIGHT) array_of(w, index, element);
}

static void make_bag(writer *w) {
    uint32_t size = 1 + below(w, 3), element = below(w, w->types.len);
    if (size * (type_at(w, element)->weight + 1) <= MOST_WEIGHT) bag_of(w, size, element);
}

static void make_type(writer *w) {
    bool plain = w->o & WHOLE_PLAIN;
    switch (below(w, 10)) {
    case 0: {
        uint32_t lo = below(w, 2), n = 1 + below(w, 3);
        add_type(w, (ty){.k = K_RANGE, .size = n, .weight = 1}, TEXT(w, "%u .. %u", lo, lo + n - 1));
        w->types.data[w->types.len - 1].part[0] = lo;
        return;
    }
    case 1: make_enum(w); return;
    case 2:
    case 3: {
        uint32_t n = chance(w, 75) ? 2 + below(w, 2) : 1 + below(w, 4);
        add_type(w, (ty){.k = K_SET, .size = n, .weight = 1}, TEXT(w, "scalarset(%u)", n));
        return;
    }
    case 4:
        if (!plain) make_union(w);
        return;
    case 5: make_record(w); return;
    case 6:
    case 7: make_array(w); return;
    default:
        if (!plain) make_bag(w);
        else make_array(w);
    }
}

// Types around one scalarset.
static void make_close_types(writer *w) {
    uint32_t set = 1, other = set;
    w->is_close = true;
    if (chance(w, 50)) array_of(w, set, 0);
    if (chance(w, 30)) array_of(w, set, set);
    if (chance(w, 30)) make_enum(w);
    if (!(w->o & WHOLE_PLAIN) && chance(w, 40)) make_union(w), other = w->types.len - 1;
    if (is_simple(w, other) && chance(w, 40)) array_of(w, other, 0);
    if (chance(w, 40)) make_record(w);
    if (w->o & WHOLE_PLAIN) return;
    uint32_t element = chance(w, 50) ? set : below(w, w->types.len);
    if (type_at(w, element)->weight > 3) element = set;
    uint32_t bag = chance(w, 60) ? bag_of(w, 1 + below(w, 3), element) : set;
    if (chance(w, 50) && type_at(w, bag)->weight < 7) array_of(w, set, bag);
}

static void make_types(writer *w) {
    str_add(w->out, "type\n");
    vec_push(&w->types, (ty){.k = K_BOOL, .name = "boolean", .size = 2, .weight = 1});
    uint32_t size = chance(w, 80) ? 2 + below(w, 2) : 1 + below(w, 4);
    add_type(w, (ty){.k = K_SET, .size = size, .weight = 1}, TEXT(w, "scalarset(%u)", size));
    if (w->o & WHOLE_MEETING || chance(w, 50)) make_close_types(w);
    for (uint32_t i = 0, n = w->is_close ? below(w, 2) : 3 + below(w, 6); i < n; i++) make_type(w);
}

// ---- scope

typedef struct {
    uint32_t things, slots;
} mark;

static mark scope(const writer *w) { return (mark){w->things.len, w->slots.len}; }
static void leave(writer *w, mark m) { w->things.len = m.things, w->slots.len = m.slots; }

static const char *new_name(writer *w, const char *like) { return TEXT(w, "%s%u", like, w->names++); }

static void add_thing(writer *w, const char *text, uint32_t t, bool is_fixed) {
    vec_push(&w->things, (thing){text, t, is_fixed});
}

// ---- places: walking down from something in scope

static const char *value_of(writer *w, uint32_t t);
static const char *bound_value(writer *w, uint32_t t);

// Mostly one that is surely there; NULL if there is none in scope.
static const char *index_value(writer *w, uint32_t t) {
    const char *v = chance(w, 12) ? value_of(w, t) : bound_value(w, t);
    return v || chance(w, 90) ? v : value_of(w, t);
}

static const char *walk_down(writer *w, const thing *from, uint32_t goal, kind least, uint32_t *t) {
    const char *text = from->text;
    *t = from->t;
    while (*t != goal && !is_simple(w, *t)) {
        const ty *x = type_at(w, *t);
        if (x->k == K_BAG || (goal == NO_TYPE && x->k >= least && least && chance(w, 40))) return text;
        uint32_t k = below(w, x->nparts);
        const char *index = x->k == K_RECORD ? NULL : index_value(w, x->part[0]);
        if (x->k == K_RECORD) text = TEXT(w, "%s.f%u", text, k);
        else if (!index) return NULL;
        else text = TEXT(w, "%s[%s]", text, index);
        x = type_at(w, *t);
        *t = type_at(w, *t)->part[x->k == K_RECORD ? k : 1];
    }
    return text;
}

static bool is_wanted(const writer *w, uint32_t t, uint32_t goal, kind least) {
    return goal != NO_TYPE ? t == goal : type_at(w, t)->k >= least && (least || is_simple(w, t));
}

// A place of type `goal`, or, if that is NO_TYPE, a simple one, or one of kind `least` and above; NULL: none found.
static const char *place_of(writer *w, uint32_t goal, kind least, bool is_written, uint32_t *t) {
    if (++w->depth > 8) return w->depth--, NULL;
    const char *found = NULL;
    for (uint32_t tries = 0; tries < 8 && !found && w->things.len; tries++) {
        bool is_few = w->nfew && chance(w, 65);
        thing from = w->things.data[is_few ? w->few[below(w, w->nfew)] : below(w, w->things.len)];
        if (is_written && from.is_fixed) continue;
        const char *text = walk_down(w, &from, goal, least, t);
        if (text && is_wanted(w, *t, goal, least)) found = text;
    }
    w->depth--;
    return found;
}

// ---- expressions

static const char *condition(writer *w);

static const char *literal(writer *w, uint32_t t) {
    const ty *x = type_at(w, t);
    switch (x->k) {
    case K_BOOL: return chance(w, 50) ? "true" : "false";
    case K_RANGE: return TEXT(w, "%u", x->part[0] + below(w, x->size));
    case K_ENUM: return TEXT(w, "e%u_%u", t, below(w, x->size));
    case K_UNION: return value_of(w, x->part[below(w, x->nparts)]);
    default: return NULL;
    }
}

static const char *call(writer *w, const routine *f);

static const char *call_for(writer *w, uint32_t t) {
    for (uint32_t tries = 0; tries < 3 && w->routines.len && w->depth < 4 && !w->has_no_calls; tries++) {
        routine f = w->routines.data[below(w, w->routines.len)];
        if (f.result == t) return call(w, &f);
    }
    return NULL;
}

// A value that is surely there, if possible: of a bound variable or a literal. Scalarsets may have none.
static const char *bound_value(writer *w, uint32_t t) {
    for (uint32_t tries = 0; tries < 12 && w->things.len; tries++) {
        const thing *x = &w->things.data[below(w, w->things.len)];
        if (x->is_fixed && x->t == t) return x->text;
    }
    return literal(w, t);
}

static const char *value_of(writer *w, uint32_t t) {
    uint32_t unused;
    const char *found = NULL;
    w->depth++;
    if (w->depth > 6) found = bound_value(w, t);
    else if (t == 0 && chance(w, 50)) found = condition(w);
    else if (chance(w, 50)) found = bound_value(w, t);
    else if (chance(w, w->o & WHOLE_MEETING ? 25 : 10)) found = call_for(w, t);
    if (!found) found = place_of(w, t, K_BOOL, false, &unused);
    if (!found) found = bound_value(w, t);
    if (!found) found = TEXT(w, "u%u", t);  // a variable without a value
    if (type_at(w, t)->k == K_RANGE && chance(w, 3)) found = TEXT(w, "(%s %c 1)", found, chance(w, 50) ? '+' : '-');
    w->depth--;
    return found;
}

// A value whose own type is t: not a member's, which cannot be compared with every other.
static const char *own_value(writer *w, uint32_t t) {
    uint32_t unused;
    const char *p = place_of(w, t, K_BOOL, false, &unused);
    if (p) return p;
    return type_at(w, t)->k != K_UNION ? value_of(w, t) : TEXT(w, "u%u", t);
}

static const char *comparison(writer *w) {
    uint32_t t = some_type(w, K_BOOL, K_UNION);
    const char *a = own_value(w, t), *b = value_of(w, t);
    for (uint32_t i = 0; i < 4 && !strcmp(a, b); i++) b = value_of(w, t);
    bool is_range = type_at(w, t)->k == K_RANGE;
    static const char *const signs[] = {"=", "!=", "<", "<=", ">", ">="};
    return TEXT(w, "(%s %s %s)", a, signs[below(w, is_range ? 6 : 2)], b);
}

static const char *quantifier(writer *w) {
    uint32_t t = some_type(w, K_RANGE, K_UNION);
    mark m = scope(w);
    if (t == NO_TYPE) return "true";
    const char *v = new_name(w, "q");
    add_thing(w, v, t, true);
    const char *body = condition(w);
    leave(w, m);
    return TEXT(w, "(%s %s : %s do %s end)", chance(w, 50) ? "forall" : "exists", v, type_at(w, t)->name, body);
}

// multisetcount(i : m, …), or another thing with the same head.
static const char *count(writer *w, const char *head, bool is_written) {
    uint32_t t;
    const char *set = place_of(w, NO_TYPE, K_BAG, is_written, &t);
    if (!set) return NULL;
    mark m = scope(w);
    const char *i = new_name(w, "i");
    vec_push(&w->slots, (slot){i, set, type_at(w, t)->part[0]});
    add_thing(w, TEXT(w, "%s[%s]", set, i), type_at(w, t)->part[0], true);
    const char *body = chance(w, 30) ? "true" : condition(w);
    leave(w, m);
    return TEXT(w, "%s(%s : %s, %s)", head, i, set, body);
}

static const char *count_test(writer *w) {
    const char *n = count(w, "multisetcount", false);
    static const char *const signs[] = {"<", "=", ">"};
    return n ? TEXT(w, "(%s %s %u)", n, signs[below(w, 3)], below(w, 3)) : "true";
}

static const char *same_aggregates(writer *w) {
    uint32_t t = NO_TYPE, unused;
    const char *a = place_of(w, NO_TYPE, K_RECORD, false, &t);
    const char *b = a ? place_of(w, t, K_BOOL, false, &unused) : NULL;
    return b ? TEXT(w, "(%s %s %s)", a, chance(w, 50) ? "=" : "!=", b) : comparison(w);
}

static const char *membership(writer *w) {
    uint32_t t = some_type(w, K_UNION, K_UNION);
    if (t == NO_TYPE) return comparison(w);
    const char *v = own_value(w, t);
    return TEXT(w, "ismember(%s, %s)", v, type_at(w, type_at(w, t)->part[below(w, type_at(w, t)->nparts)])->name);
}

static const char *undefinedness(writer *w) {
    uint32_t t;
    const char *p = place_of(w, NO_TYPE, K_BOOL, false, &t);
    for (uint32_t i = 0; p && i < w->things.len; i++)
        if (w->things.data[i].is_fixed && !strcmp(w->things.data[i].text, p)) p = NULL;
    return p ? TEXT(w, "%sisundefined(%s)", chance(w, 60) ? "!" : "", p) : comparison(w);
}

// p is there and has a value for which something holds.
static const char *guarded(writer *w) {
    uint32_t t;
    const char *p = place_of(w, NO_TYPE, K_BOOL, false, &t);
    for (uint32_t i = 0; p && i < w->things.len; i++)
        if (w->things.data[i].is_fixed && !strcmp(w->things.data[i].text, p)) p = NULL;
    if (!p) return comparison(w);
    mark m = scope(w);
    const char *other = value_of(w, t);
    leave(w, m);
    return TEXT(w, "(!isundefined(%s) & %s %s %s)", p, p, chance(w, 50) ? "=" : "!=", other);
}

static const char *condition(writer *w) {
    const char *a, *b;
    w->depth++;
    switch (w->depth > 5 ? below(w, 4) : below(w, 15)) {
    case 0: a = chance(w, 50) ? "true" : "false"; break;
    case 1: a = undefinedness(w); break;
    case 2:
    case 3: a = w->depth > 6 ? "true" : guarded(w); break;
    case 4:
    case 5: a = comparison(w); break;
    case 6: a = quantifier(w); break;
    case 7: a = membership(w); break;
    case 8: a = same_aggregates(w); break;
    case 9:
    case 10: a = count_test(w); break;
    case 11: a = TEXT(w, "!(%s)", condition(w)); break;
    case 12:
        a = condition(w), b = condition(w);
        a = TEXT(w, "(%s ? %s : %s)", condition(w), a, b);
        break;
    default:
        a = condition(w), b = condition(w);
        a = TEXT(w, "(%s %s %s)", a, chance(w, 45) ? "&" : chance(w, 70) ? "|" : "->", b);
    }
    w->depth--;
    return a;
}

// ---- calls

// Text of a call; an argument for a `var` parameter is a place.
static const char *call(writer *w, const routine *f) {
    const char *text = TEXT(w, "%s(", f->name);
    for (uint32_t i = 0; i < f->nparams; i++) {
        uint32_t unused;
        bool is_place = f->is_var[i] || !is_simple(w, f->params[i]);
        const char *a = is_place ? place_of(w, f->params[i], K_BOOL, f->is_var[i], &unused) : value_of(w, f->params[i]);
        if (!a) return NULL;
        text = TEXT(w, "%s%s%s", text, i ? ", " : "", a);
    }
    return TEXT(w, "%s)", text);
}

// ---- statements

static void statement(writer *w);

static void statements(writer *w, uint32_t most) {
    mark m = scope(w);
    for (uint32_t i = 0, n = below(w, most + 1); i < n; i++) {
        str dropped = {0}, *out = w->out;
        if (bits_has(w->skip, w->nparts++)) w->out = &dropped;
        statement(w);
        w->out = out;
        str_free(&dropped);
    }
    leave(w, m);
}

static void block(writer *w, uint32_t most, const char *end) {
    statements(w, most);
    str_add(w->out, end);
}

static void assign(writer *w) {
    uint32_t t;
    const char *to = place_of(w, NO_TYPE, K_BOOL, true, &t);
    if (!to) return;
    str_printf(w->out, "    %s := %s;\n", to, value_of(w, t));
}

static void assign_aggregate(writer *w) {
    uint32_t t, unused;
    const char *to = place_of(w, NO_TYPE, K_RECORD, true, &t);
    const char *from = to ? place_of(w, t, K_BOOL, false, &unused) : NULL;
    if (!from) from = to ? call_for(w, t) : NULL;
    if (from) str_printf(w->out, "    %s := %s;\n", to, from);
}

static void wipe(writer *w) {
    uint32_t t;
    const char *p = place_of(w, NO_TYPE, chance(w, 50) ? K_RECORD : K_BOOL, true, &t);
    bool is_gone = p && (has_elements(w, t) || type_at(w, t)->k == K_BAG ? chance(w, 80) : chance(w, 10));
    if (p) str_printf(w->out, "    %s %s;\n", is_gone ? "undefine" : "clear", p);
}

static void choice(writer *w) {
    str_printf(w->out, "    if %s then\n", condition(w));
    block(w, 2, "");
    if (chance(w, 25)) {
        str_printf(w->out, "    elsif %s then\n", condition(w));
        block(w, 1, "");
    }
    if (chance(w, 40)) {
        str_add(w->out, "    else\n");
        block(w, 2, "");
    }
    str_add(w->out, "    end;\n");
}

// What follows knows that the place has a value.
static void known(writer *w) {
    uint32_t t;
    const char *p = place_of(w, NO_TYPE, K_BOOL, false, &t);
    for (uint32_t i = 0; p && i < w->things.len; i++)
        if (w->things.data[i].is_fixed && !strcmp(w->things.data[i].text, p)) p = NULL;
    if (!p) return;
    mark m = scope(w);
    str_printf(w->out, "    if !isundefined(%s) then\n", p);
    add_thing(w, p, t, true);
    block(w, 2, "    end;\n");
    leave(w, m);
}

static void cases(writer *w) {
    uint32_t t = some_type(w, K_RANGE, K_UNION);
    if (t == NO_TYPE) return;
    str_printf(w->out, "    switch %s\n", own_value(w, t));
    for (uint32_t i = 0, n = 1 + below(w, 2); i < n; i++) {
        str_printf(w->out, "    case %s:\n", value_of(w, t));
        block(w, 1, "");
    }
    if (chance(w, 40)) {
        str_add(w->out, "    else\n");
        block(w, 1, "");
    }
    str_add(w->out, "    end;\n");
}

static void add(writer *w);
static void remove_one(writer *w);

// Changes the state, if it can: few steps would otherwise.
static void lively(writer *w) {
    uint32_t t;
    if (chance(w, 40)) add(w);
    const char *to = place_of(w, NO_TYPE, K_BOOL, true, &t), *v = to ? bound_value(w, t) : NULL;
    if (to && t == 0 && chance(w, 50)) v = TEXT(w, "!%s", to);
    if (v) str_printf(w->out, "    %s := %s;\n", to, v);
    if (chance(w, 30)) remove_one(w);
}

// A name for a variable of the type: mostly a new one, or one that hides another of its type.
static const char *loop_name(writer *w, uint32_t t) {
    for (uint32_t i = 0; i < w->things.len && chance(w, 10); i++) {
        const thing *x = &w->things.data[below(w, w->things.len)];
        bool is_bound = strchr("nqr", x->text[0]) && !strpbrk(x->text, "[.(");
        if (x->is_fixed && x->t == t && is_bound) return x->text;
    }
    return new_name(w, "n");
}

static void loop(writer *w) {
    bool plain = w->o & WHOLE_NO_LOOPS;
    uint32_t t = some_type(w, K_RANGE, plain ? K_ENUM : K_UNION);
    if (w->o & WHOLE_MEETING && chance(w, 50)) t = 1;
    if (t == NO_TYPE) return;
    mark m = scope(w);
    const char *v = loop_name(w, t);
    if (type_at(w, t)->k == K_RANGE && chance(w, 40)) {
        uint32_t lo = type_at(w, t)->part[0];
        str_printf(w->out, "    for %s := %u to %u do\n", v, lo, lo + type_at(w, t)->size - 1);
    } else str_printf(w->out, "    for %s : %s do\n", v, type_at(w, t)->name);
    add_thing(w, v, t, true);
    bool is_under = chance(w, 40);
    if (is_under) str_printf(w->out, "    if %s then\n", condition(w));
    if (chance(w, 60)) lively(w);
    if (is_under) str_add(w->out, "    end;\n");
    block(w, 3, "    end;\n");
    leave(w, m);
}

static void aliased(writer *w) {
    uint32_t t;
    const char *p = place_of(w, NO_TYPE, chance(w, 60) ? K_RECORD : K_BOOL, true, &t);
    if (!p) return;
    mark m = scope(w);
    const char *a = new_name(w, "a");
    str_printf(w->out, "    alias %s : %s do\n", a, p);
    add_thing(w, a, t, false);
    block(w, 2, "    end;\n");
    leave(w, m);
}

static void add(writer *w) {
    uint32_t t, unused;
    const char *set = place_of(w, NO_TYPE, K_BAG, true, &t);
    if (!set) return;
    uint32_t element = type_at(w, t)->part[0];
    bool is_value = is_simple(w, element) && chance(w, 70);
    const char *what = is_value ? value_of(w, element) : place_of(w, element, K_BOOL, false, &unused);
    if (!what) return;
    bool is_safe = chance(w, 85);
    if (is_safe) str_printf(w->out, "    if multisetcount(z : %s, true) < %u then\n", set, type_at(w, t)->size);
    str_printf(w->out, "    multisetadd(%s, %s);\n%s", what, set, is_safe ? "    end;\n" : "");
}

static void remove_one(writer *w) {
    if (!w->slots.len) return;
    const slot *s = &w->slots.data[below(w, w->slots.len)];
    str_printf(w->out, "    multisetremove(%s, %s);\n", s->name, s->set);
}

static bool is_open(const writer *w, uint32_t t) { return !(w->o & WHOLE_NO_LOOPS) || !has_elements(w, t); }

// An array, as a place and its type; NULL: none found.
static const char *some_array(writer *w, bool is_written, uint32_t *t) {
    for (uint32_t i = 0; i < 4; i++) {
        const char *p = place_of(w, NO_TYPE, K_ARRAY, is_written, t);
        if (p && type_at(w, *t)->k == K_ARRAY && is_open(w, type_at(w, *t)->part[0])) return p;
    }
    return NULL;
}

// Every element is written, and more may happen meanwhile.
static void write_all(writer *w) {
    uint32_t t;
    const char *p = some_array(w, true, &t), *v = new_name(w, "n");
    if (!p || !is_simple(w, type_at(w, t)->part[1])) return;
    mark m = scope(w);
    str_printf(w->out, "    for %s : %s do\n", v, type_at(w, type_at(w, t)->part[0])->name);
    add_thing(w, v, type_at(w, t)->part[0], true);
    str_printf(w->out, "    %s[%s] := %s;\n", p, v, value_of(w, type_at(w, t)->part[1]));
    add_thing(w, TEXT(w, "%s[%s]", p, v), type_at(w, t)->part[1], false);
    block(w, 2, "    end;\n");
    leave(w, m);
}

// The elements that have a value which is known, mostly that of a round.
static void select_some(writer *w) {
    uint32_t t;
    const char *p = some_array(w, true, &t), *v = new_name(w, "n");
    uint32_t element = p ? type_at(w, t)->part[1] : NO_TYPE;
    const char *key = p && is_simple(w, element) ? bound_value(w, element) : NULL;
    if (!key) return;
    mark m = scope(w);
    str_printf(w->out, "    for %s : %s do if ", v, type_at(w, type_at(w, t)->part[0])->name);
    add_thing(w, v, type_at(w, t)->part[0], true);
    if (chance(w, 20)) str_printf(w->out, "%s & ", condition(w));
    if (chance(w, 70)) str_printf(w->out, "!isundefined(%s[%s]) & ", p, v);
    str_printf(w->out, "%s[%s] = %s then\n", p, v, key);
    add_thing(w, TEXT(w, "%s[%s]", p, v), element, false);
    block(w, 2, "    end; end;\n");
    leave(w, m);
}

// The largest, the number of those so far, whether there was one.
static void accumulate(writer *w) {
    uint32_t t = some_type(w, K_BOOL, K_RANGE), unused;
    const char *p = place_of(w, t, K_BOOL, true, &unused), *e = value_of(w, t);
    if (!p) return;
    if (t == 0) str_printf(w->out, "    %s := %s %c %s;\n", p, p, chance(w, 50) ? '|' : '&', e);
    else if (chance(w, 40)) str_printf(w->out, "    if %s < %s then %s := %s; end;\n", p, e, p, e);
    else if (chance(w, 50)) str_printf(w->out, "    if %s < %s then %s := %s + 1; end;\n", p, e, p, p);
    else str_printf(w->out, "    %s := %s %c 1;\n", p, p, chance(w, 50) ? '+' : '-');
}

static void say(writer *w) {
    uint32_t t = some_type(w, K_BOOL, K_RANGE);
    const char *f = call_for(w, t);
    if (chance(w, 50)) str_printf(w->out, "    put %s;\n", f ? f : "\"x\"");
    else str_printf(w->out, "    assume %s | %s;\n", condition(w), condition(w));
}

static void remove_some(writer *w) {
    const char *text = count(w, "multisetremovepred", true);
    if (text) str_printf(w->out, "    %s;\n", text);
}

static void call_some(writer *w) {
    if (!w->routines.len) return;
    routine f = w->routines.data[below(w, w->routines.len)];
    const char *text = f.result == NO_TYPE ? call(w, &f) : NULL;
    if (text) str_printf(w->out, "    %s;\n", text);
}

static void leave_body(writer *w) {
    if (!w->may_return) return;
    uint32_t unused;
    const char *what = NULL;
    if (w->result != NO_TYPE)
        what = is_simple(w, w->result) ? value_of(w, w->result) : place_of(w, w->result, K_BOOL, false, &unused);
    if (w->result != NO_TYPE && !what) return;
    str_printf(w->out, "    if %s then return%s%s; end;\n", condition(w), what ? " " : "", what ? what : "");
}

static void complain(writer *w) {
    const char *a = condition(w), *b = condition(w), *c = condition(w);
    if (chance(w, 50)) str_printf(w->out, "    if %s & %s & %s then error \"wrong\"; end;\n", a, b, c);
    else str_printf(w->out, "    assert %s | %s | %s \"must\";\n", a, b, c);
}

// At most three rounds.
static void repeat(writer *w) {
    uint32_t k = w->nrepeats;
    if (k == MOST_REPEATS) return;
    str_printf(w->out, "    k%u := 0; while k%u < 3 & %s do\n    k%u := k%u + 1;\n", k, k, condition(w), k, k);
    w->nrepeats++;
    block(w, 2, "    end;\n");
    w->nrepeats--;
}

static void statement(writer *w) {
    w->depth++;
    switch (w->depth > MOST_DEPTH ? below(w, 6) : below(w, w->o & WHOLE_MEETING ? 30 : 22)) {
    case 0:
    case 1:
    case 2: assign(w); break;
    case 3: add(w); break;
    case 4: wipe(w); break;
    case 5: assign_aggregate(w); break;
    case 6:
    case 7: choice(w); break;
    case 8: cases(w); break;
    case 9:
    case 10:
    case 11: loop(w); break;
    case 12: aliased(w); break;
    case 13: remove_one(w); break;
    case 14: remove_some(w); break;
    case 15: call_some(w); break;
    case 16: leave_body(w); break;
    case 17: complain(w); break;
    case 18: repeat(w); break;
    case 19: add(w); break;
    case 22:
    case 23: write_all(w); break;
    case 24:
    case 25: select_some(w); break;
    case 26:
    case 27: accumulate(w); break;
    case 28: leave_body(w); break;
    case 29: say(w); break;
    default: known(w);
    }
    w->depth--;
}

// ---- bodies

// Some of any type, and the counter of `while`.
static void locals(writer *w) {
    str_add(w->out, "  var k0, k1 : 0 .. 3;");
    for (uint32_t i = 0, n = below(w, 3); i < n; i++) {
        uint32_t t = below(w, w->types.len);
        const char *name = new_name(w, "l");
        str_printf(w->out, " %s : %s;", name, type_at(w, t)->name);
        add_thing(w, name, t, false);
    }
    str_add(w->out, "\n");
}

// Locals have no value; mostly they get one.
static void begin_body(writer *w, uint32_t first) {
    str_add(w->out, "  begin\n");
    for (uint32_t i = first; i < w->things.len; i++) {
        thing x = w->things.data[i];
        const char *v = is_simple(w, x.t) && chance(w, 80) ? bound_value(w, x.t) : NULL;
        if (v) str_printf(w->out, "    %s := %s;\n", x.text, v);
        else if (chance(w, 95)) str_printf(w->out, "    %s %s;\n", chance(w, 90) ? "clear" : "undefine", x.text);
    }
}

static void choose_few(writer *w) {
    for (w->nfew = 0; w->o & WHOLE_MEETING && w->nfew < 3;) w->few[w->nfew++] = below(w, w->things.len);
}

static void body(writer *w, uint32_t most, uint32_t nlively) {
    mark m = scope(w);
    uint32_t first = w->things.len;
    if (chance(w, w->o & WHOLE_MEETING ? 80 : 55)) locals(w);
    else str_add(w->out, "  var k0, k1 : 0 .. 3;\n");
    begin_body(w, first);
    choose_few(w);
    while (nlively--) lively(w);
    w->depth++;
    if (w->is_close && chance(w, w->o & WHOLE_MEETING ? 85 : 50)) loop(w);
    w->depth--;
    statements(w, most);
    w->nfew = 0;
    leave(w, m);
}

static void make_params(writer *w, routine *f) {
    for (uint32_t i = 0, n = below(w, MOST_PARTS); i < n; i++) {
        uint32_t t = below(w, w->types.len);
        const char *name = new_name(w, "p");
        f->is_var[i] = chance(w, 50);
        f->params[f->nparams++] = t;
        str_printf(w->out, "%s%s%s : %s", i ? "; " : "", f->is_var[i] ? "var " : "", name, type_at(w, t)->name);
        add_thing(w, name, t, !f->is_var[i]);
    }
}

static void make_routine(writer *w) {
    bool has_result = chance(w, 50);
    routine f = {.name = new_name(w, has_result ? "fun" : "proc"), .result = NO_TYPE};
    mark m = scope(w);
    if (has_result) f.result = some_type(w, K_BOOL, chance(w, 80) ? K_UNION : K_RECORD);
    w->result = f.result;
    w->may_return = true;
    str_printf(w->out, "%s %s(", has_result ? "function" : "procedure", f.name);
    make_params(w, &f);
    str_printf(w->out, ")%s%s;\n", has_result ? " : " : "", has_result ? type_at(w, f.result)->name : "");
    body(w, 3, 0);
    if (has_result && is_simple(w, f.result)) str_printf(w->out, "    return %s;\n", value_of(w, f.result));
    else if (has_result) {
        uint32_t unused;
        const char *p = place_of(w, f.result, K_BOOL, false, &unused);
        str_printf(w->out, p ? "    return %s;\n" : "    error \"no result\";\n", p ? p : "");
    }
    str_add(w->out, "  end;\n");
    leave(w, m);
    vec_push(&w->routines, f);
}

// ---- the model

static void variables(writer *w) {
    str_add(w->out, "var\n");
    uint32_t weight = 0;
    for (uint32_t i = 0, n = 2 + below(w, 4); i < n; i++) {
        uint32_t t = w->types.len - 1 - below(w, (w->types.len + 1) / 2 + (i > 0) * (w->types.len / 2));
        if (i && weight + type_at(w, t)->weight > MOST_WEIGHT) continue;
        weight += type_at(w, t)->weight;
        const char *name = new_name(w, "g");
        str_printf(w->out, "  %s : %s;\n", name, type_at(w, t)->name);
        add_thing(w, name, t, false);
    }
    for (uint32_t t = 0; t < w->types.len; t++)
        if (has_elements(w, t)) str_printf(w->out, "  u%u : %s;\n", t, type_at(w, t)->name);
}

// The type of an index of some variable, if one is found.
static uint32_t index_type(writer *w) {
    for (uint32_t tries = 0; tries < 8; tries++) {
        const ty *x = type_at(w, w->things.data[below(w, w->things.len)].t);
        if (x->k == K_RECORD) x = type_at(w, x->part[below(w, x->nparts)]);
        if (x->k == K_ARRAY) return x->part[0];
    }
    return some_type(w, K_RANGE, K_UNION);
}

static uint32_t alias_around(writer *w) {
    uint32_t t;
    const char *p = place_of(w, NO_TYPE, chance(w, 70) ? K_RECORD : K_BOOL, true, &t), *a = new_name(w, "b");
    if (!p) return 0;
    str_printf(w->out, "alias %s : %s do ", a, p);
    add_thing(w, a, t, false);
    return 1;
}

// Rulesets, aliases and choose around a rule; how many ends they need.
static uint32_t around(writer *w, bool may_choose) {
    uint32_t n = 0, sets = chance(w, 15) ? 0 : 1 + below(w, 2);
    for (uint32_t i = 0; i < sets; i++, n++) {
        uint32_t t = chance(w, 60) ? some_type(w, K_SET, K_UNION) : index_type(w);
        if (t == NO_TYPE) break;
        const char *v = new_name(w, "r");
        str_printf(w->out, "ruleset %s : %s do ", v, type_at(w, t)->name);
        add_thing(w, v, t, true);
    }
    uint32_t t = NO_TYPE;
    w->has_no_calls = true;
    if (chance(w, 15)) n += alias_around(w);
    const char *set =
        may_choose && !(w->o & WHOLE_PLAIN) && chance(w, 25) ? place_of(w, NO_TYPE, K_BAG, false, &t) : NULL;
    w->has_no_calls = false;
    if (!set) return n;
    const char *i = new_name(w, "c");
    str_printf(w->out, "choose %s : %s do ", i, set);
    vec_push(&w->slots, (slot){i, set, type_at(w, t)->part[0]});
    add_thing(w, TEXT(w, "%s[%s]", set, i), type_at(w, t)->part[0], false);
    return n + 1;
}

static void end_around(writer *w, uint32_t n) {
    while (n--) str_add(w->out, "end; ");
    str_add(w->out, "\n");
}

static void make_rule(writer *w) {
    mark m = scope(w);
    w->result = NO_TYPE;
    w->may_return = true;
    uint32_t n = around(w, true);
    str_printf(w->out, "rule \"r%u\" ", w->names++);
    w->has_no_calls = w->slots.len > 0;
    if (chance(w, 40)) str_printf(w->out, "%s ==>\n", condition(w));
    w->has_no_calls = false;
    body(w, 3, 1 + below(w, 3));
    str_add(w->out, "  end; ");
    end_around(w, n);
    leave(w, m);
}

static void make_start(writer *w) {
    mark m = scope(w);
    w->result = NO_TYPE;
    w->may_return = false;
    uint32_t n = around(w, false);
    str_printf(w->out, "startstate \"s%u\"\n  var k0, k1 : 0 .. 3;\n  begin\n", w->names++);
    for (uint32_t i = 0; i < m.things; i++) {
        thing x = w->things.data[i];
        if (is_simple(w, x.t) && chance(w, 80)) {
            const char *v = bound_value(w, x.t);
            if (v) str_printf(w->out, "    %s := %s;\n", x.text, v);
        } else str_printf(w->out, "    %s %s;\n", chance(w, 90) ? "clear" : "undefine", x.text);
    }
    statements(w, 1);
    str_add(w->out, "  end; ");
    end_around(w, n);
    leave(w, m);
}

static void make_property(writer *w) {
    mark m = scope(w);
    uint32_t n = around(w, false);
    static const char *const kinds[] = {"invariant", "invariant", "invariant", "cover", "liveness"};
    uint32_t k = below(w, chance(w, 15) && !(w->o & WHOLE_PLAIN) ? 5 : 4);
    w->has_no_calls = true;
    const char *a = condition(w), *b = condition(w), *c = chance(w, 50) ? condition(w) : "false";
    w->has_no_calls = false;
    str_printf(w->out, "%s \"p%u\" %s | %s | %s; ", kinds[k], w->names++, a, b, c);
    end_around(w, n);
    leave(w, m);
}

static void several(writer *w, uint32_t n, void (*make)(writer *)) {
    for (uint32_t i = 0; i < n; i++) {
        str dropped = {0}, *out = w->out;
        if (bits_has(w->skip, w->nparts++)) w->out = &dropped;
        uint32_t from = w->out->len;
        w->depth = 0;
        make(w);
        if (chance(w, 3) && make == make_rule) str_add(w->out, arena_str(w->memory, w->out->text + from));
        w->out = out;
        str_free(&dropped);
    }
}

uint32_t random_murphi_whole(uint64_t seed, whole_options o, const bits *skip, str *out) {
    writer w = {.r = {seed}, .o = o, .skip = skip, .memory = arena_new(), .out = out};
    make_types(&w);
    variables(&w);
    several(&w, below(&w, 3), make_routine);
    make_start(&w);
    if (chance(&w, 25)) several(&w, 1, make_start);
    several(&w, chance(&w, 3) ? 0 : 2 + below(&w, 4), make_rule);
    several(&w, below(&w, 4), make_property);
    arena_free(w.memory);
    vec_free(&w.types);
    vec_free(&w.things);
    vec_free(&w.slots);
    vec_free(&w.routines);
    return w.nparts;
}
