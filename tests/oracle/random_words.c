// SPDX-License-Identifier: Apache-2.0
// Random files of systems to compare: see random_words.h. A system is kept as a list of actions with guards and bodies
// as text, over parameter names that belong to types, so that a relative is a copy with changes.
#include "oracle/random_words.h"

#include "base/rng.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum { THREAD, LOC, NUMBER, MODE, TRUTH, NTYPES };
enum { MOST_PARAMS = 3, MOST_ACTIONS = 12, MOST_NAMES = 4, MOST_SYSTEMS = 3, TEXT = 160 };

static const char *const type_text[NTYPES] = {"Thread", "Loc", "0..2", "Mode", "bool"};
static const char *const variables[NTYPES][2] = {{"t", "u"}, {"v", "w"}, {"n", "k"}, {"e", "d"}, {"b", "c"}};
static const char *const action_names[] = {"read",   "write", "r1_1", "w2_1",   "c_1",         "commit", "abort",
                                           "read_1", "x",     "go",   "`when`", "`read(1,1)`", "`a b`"};

// What a system's state is made of, as bits.
enum { HAS_X = 1, HAS_F = 2, HAS_G = 4, HAS_H = 8, HAS_MODE = 16, HAS_OWNER = 32 };

typedef struct {
    const char *name;
    uint32_t nparams, types[MOST_PARAMS];
    uint32_t order[MOST_PARAMS];  // as they are written
    uint32_t by;                  // a parameter by its place in `types`; MOST_PARAMS: not said
    bool is_internal, is_also;
    char guard[TEXT], body[TEXT];
} action;

typedef struct {
    char name;
    unsigned state;
    uint32_t nactions, ninits;
    action actions[MOST_ACTIONS];
    char inits[2][TEXT];
} system_text;

typedef struct {
    rng r;
    bool is_transactional;  // commit and abort are among the names
    bool mixes_order;
    uint32_t nnames;
    action signatures[MOST_NAMES + 2];  // name and parameters only
    uint32_t nsystems;
    system_text systems[MOST_SYSTEMS];
} maker;

static uint32_t below(maker *k, uint32_t n) { return rng_below(&k->r, n); }
static bool chance(maker *k, uint32_t percent) { return below(k, 100) < percent; }

// ---- expressions over an action's parameters and a system's state

// A bound variable of the type, or NULL.
static const char *bound(maker *k, const action *a, uint32_t type) {
    uint32_t n = 0, pick;
    for (uint32_t i = 0; i < a->nparams; i++) n += a->types[i] == type;
    if (!n) return NULL;
    pick = below(k, n);
    return variables[type][pick];
}

static void add_cell(maker *k, const action *a, unsigned which, str *out) {
    const char *t = bound(k, a, THREAD), *v = bound(k, a, LOC);
    bool all = chance(k, 50);
    const char *sign = chance(k, 40) ? "!" : "", *every = all ? "forall" : "exists";
    if (which == HAS_F && t) str_printf(out, "%sf(%s)", sign, t);
    else if (which == HAS_F) str_printf(out, "(%s s: Thread. %sf(s))", every, sign);
    else if (which == HAS_H && v) str_printf(out, "%sh(%s)", sign, v);
    else if (which == HAS_H) str_printf(out, "(%s y: Loc. %sh(y))", every, sign);
    else if (t && v) str_printf(out, "%sg(%s, %s)", sign, t, v);
    else if (t) str_printf(out, "(%s y: Loc. %sg(%s, y))", every, sign, t);
    else str_printf(out, "(%s s: Thread, y: Loc. %sg(s, y))", every, sign);
}

static unsigned some_function(maker *k, unsigned state) {
    unsigned all[6], n = 0;
    for (unsigned bit = 1; bit <= HAS_OWNER; bit *= 2)
        if (state & bit) all[n++] = bit;
    return n ? all[below(k, n)] : 0;
}

static void add_mode(maker *k, const action *a, str *out) {
    const char *e = bound(k, a, MODE);
    str_printf(out, "mode %s %s", chance(k, 60) ? "=" : "!=", e && chance(k, 60) ? e : chance(k, 50) ? "up" : "down");
}

static void add_number(maker *k, const action *a, str *out) {
    const char *n = bound(k, a, NUMBER);
    static const char *const compare[] = {"=", "!=", "<", "<="};
    if (n && chance(k, 70)) str_printf(out, "x %s %s", compare[below(k, 4)], n);
    else str_printf(out, "x %s %u", compare[below(k, 4)], below(k, 3));
}

static void add_parameter_atom(maker *k, const action *a, str *out) {
    const char *b = bound(k, a, TRUTH), *n = bound(k, a, NUMBER), *e = bound(k, a, MODE);
    uint32_t threads = 0;
    for (uint32_t i = 0; i < a->nparams; i++) threads += a->types[i] == THREAD;
    if (threads > 1) str_printf(out, "t %s u", chance(k, 70) ? "!=" : "=");
    else if (b) str_printf(out, "%s%s", chance(k, 50) ? "!" : "", b);
    else if (n) str_printf(out, "%s < %u", n, 1 + below(k, 2));
    else if (e) str_printf(out, "%s = up", e);
    else str_add(out, chance(k, 85) ? "true" : "false");
}

static void add_atom(maker *k, const action *a, unsigned state, str *out) {
    unsigned which = chance(k, 85) ? some_function(k, state) : 0;
    const char *t = bound(k, a, THREAD);
    if (which == HAS_X) add_number(k, a, out);
    else if (which == HAS_MODE) add_mode(k, a, out);
    else if (which == HAS_OWNER && t) str_printf(out, "owner %s %s", chance(k, 70) ? "=" : "!=", t);
    else if (which == HAS_OWNER) str_printf(out, "(exists s: Thread. owner %s s)", chance(k, 70) ? "=" : "!=");
    else if (which) add_cell(k, a, which, out);
    else add_parameter_atom(k, a, out);
}

static void make_guard(maker *k, const action *a, unsigned state, char *out) {
    str s = {0};
    uint32_t n = (uint32_t[]){0, 1, 1, 1, 2, 2}[below(k, 6)];
    const char *joint = chance(k, 70) ? " & " : " | ";
    for (uint32_t i = 0; i < n; i++) {
        str_add(&s, i ? joint : "");
        add_atom(k, a, state, &s);
    }
    snprintf(out, TEXT, "%s", str_get(&s));
    str_free(&s);
}

// ---- statements

static void assign_cell(maker *k, const action *a, unsigned which, str *out) {
    const char *t = bound(k, a, THREAD), *v = bound(k, a, LOC), *b = bound(k, a, TRUTH);
    const char *value = b && chance(k, 50) ? b : chance(k, 65) ? "true" : "false";
    if (which == HAS_F && t && chance(k, 25)) str_printf(out, "f(%s) := !f(%s)", t, t);
    else if (which == HAS_F && t && chance(k, 15))
        str_printf(out, "forall s: Thread where s != %s { f(s) := false }", t);
    else if (which == HAS_F && t) str_printf(out, "f(%s) := %s", t, value);
    else if (which == HAS_F) str_add(out, "clear f(_)");
    else if (which == HAS_H && v) str_printf(out, "h(%s) := %s", v, value);
    else if (which == HAS_H) str_printf(out, "h(_) := %s", value);
    else if (t && v) str_printf(out, "g(%s, %s) := %s", t, v, value);
    else if (t) str_printf(out, "clear g(%s, _)", t);
    else str_add(out, "clear g(_, _)");
}

static void add_statement(maker *k, const action *a, unsigned state, str *out) {
    unsigned which = some_function(k, state);
    const char *t = bound(k, a, THREAD), *n = bound(k, a, NUMBER), *e = bound(k, a, MODE);
    if (which == HAS_X && n && chance(k, 60)) str_printf(out, "x := %s", n);
    else if (which == HAS_X) str_add(out, chance(k, 60) ? "x := (x + 1) % 3" : "x := 0");
    else if (which == HAS_MODE && e) str_printf(out, "mode := %s", e);
    else if (which == HAS_MODE) str_add(out, chance(k, 50) ? "mode := up" : "if mode = up { mode := down }");
    else if (which == HAS_OWNER && t) str_printf(out, "owner := %s", t);
    else if (which && which != HAS_OWNER) assign_cell(k, a, which, out);
}

static void make_body(maker *k, const action *a, unsigned state, char *out) {
    str s = {0};
    uint32_t n = below(k, 3);
    for (uint32_t i = 0; i < n; i++) {
        str_add(&s, i ? "; " : "");
        add_statement(k, a, state, &s);
    }
    snprintf(out, TEXT, "%s", str_get(&s));
    str_free(&s);
}

// ---- systems

static void make_signature(maker *k, action *a, const char *name, bool is_of_thread) {
    *a = (action){.name = name, .by = MOST_PARAMS};
    uint32_t most = chance(k, 15) ? 3 : 2;
    a->nparams = is_of_thread ? 1 : below(k, most + 1);
    for (uint32_t i = 0; i < a->nparams; i++) {
        a->types[i] = is_of_thread ? THREAD : (uint32_t[]){THREAD, THREAD, LOC, LOC, NUMBER, MODE, TRUTH}[below(k, 7)];
        a->order[i] = i;
    }
    for (uint32_t i = 2; i < a->nparams; i++)  // two names a type
        if (a->types[0] == a->types[1] && a->types[1] == a->types[2]) a->types[2] = (a->types[2] + 1) % NTYPES;
    if (is_of_thread && chance(k, 10)) a->types[0] = LOC;
    if (is_of_thread && chance(k, 15)) {
        a->nparams = 2;
        a->order[1] = 1;
        a->types[1] = chance(k, 50) ? LOC : THREAD;
    }
    for (uint32_t i = 0; i < a->nparams; i++)
        if (a->types[i] <= LOC && chance(k, 10)) a->by = i;
}

static void make_signatures(maker *k) {
    const uint32_t all = sizeof action_names / sizeof *action_names;
    k->nnames = 1 + below(k, MOST_NAMES);
    uint32_t first = below(k, all);
    for (uint32_t i = 0; i < k->nnames; i++) {
        const char *name = action_names[(first + i * 3) % all];  // 3 and 13 have no common divisor: no name twice
        bool ends = strcmp(name, "commit") == 0 || strcmp(name, "abort") == 0;
        make_signature(k, &k->signatures[i], name, ends && chance(k, 70));
    }
    for (uint32_t i = 0; k->is_transactional && i < 2; i++) {
        const char *name = i ? "abort" : "commit";
        bool has = false;
        for (uint32_t j = 0; j < k->nnames; j++) has |= strcmp(k->signatures[j].name, name) == 0;
        if (!has) make_signature(k, &k->signatures[k->nnames++], name, true);
    }
}

static void reorder(maker *k, action *a) {
    for (uint32_t i = 1; i < a->nparams; i++) {
        uint32_t j = below(k, i + 1), old = a->order[i];
        a->order[i] = a->order[j];
        a->order[j] = old;
    }
}

static void add_action(maker *k, system_text *s, const action *signature) {
    if (s->nactions == MOST_ACTIONS) return;
    action *a = &s->actions[s->nactions++];
    *a = *signature;
    a->is_internal = chance(k, 12);
    if (k->mixes_order && chance(k, 40)) reorder(k, a);
    if (k->mixes_order && a->nparams && chance(k, 15)) a->by = below(k, a->nparams);
    if (a->by < a->nparams && a->types[a->by] > LOC) a->by = MOST_PARAMS;
    make_guard(k, a, s->state, a->guard);
    make_body(k, a, s->state, a->body);
    for (uint32_t i = 0; i + 1 < s->nactions; i++) a->is_also |= strcmp(s->actions[i].name, a->name) == 0;
}

// Another way to do an action: the same head.
static void add_also(maker *k, system_text *s) {
    if (!s->nactions || s->nactions == MOST_ACTIONS) return;
    action *a = &s->actions[s->nactions];
    *a = s->actions[below(k, s->nactions)];
    a->is_also = true;
    make_guard(k, a, s->state, a->guard);
    make_body(k, a, s->state, a->body);
    s->nactions++;
}

static void add_internal(maker *k, system_text *s) {
    action signature;
    make_signature(k, &signature, chance(k, 50) ? "tau" : "step", false);
    uint32_t at = s->nactions;
    for (uint32_t i = 0; i < s->nactions; i++)
        if (strcmp(s->actions[i].name, signature.name) == 0) return;
    add_action(k, s, &signature);
    if (at < s->nactions) s->actions[at].is_internal = true;
}

static void add_init(maker *k, system_text *s) {
    if (s->ninits == 2) return;
    action none = {.by = MOST_PARAMS};
    bool has_parameter = chance(k, 40);
    none.nparams = has_parameter;
    none.types[0] = THREAD;
    char guard[TEXT], body[TEXT];
    make_guard(k, &none, s->state, guard);
    make_body(k, &none, s->state, body);
    if (strlen(guard) + strlen(body) + 40 > TEXT) return;
    str text = {0};
    str_printf(&text, "init%s%s%s { %s }", has_parameter ? "(t: Thread)" : "", *guard ? " when " : "", guard, body);
    snprintf(s->inits[s->ninits++], TEXT, "%s", str_get(&text));
    str_free(&text);
}

static void make_stranger(maker *k, system_text *s) {
    for (unsigned bit = 1; bit <= HAS_OWNER; bit *= 2)
        if (chance(k, bit == HAS_G ? 20 : 35)) s->state |= bit;
    for (uint32_t i = 0; i < k->nnames; i++)
        if (chance(k, 90)) add_action(k, s, &k->signatures[i]);
    if (chance(k, 25)) add_internal(k, s);
    if (chance(k, 25)) add_also(k, s);
    while (chance(k, 35) && s->ninits < 2) add_init(k, s);
}

// Shapes that nobody has in mind.
static void make_odd(maker *k, system_text *s) {
    uint32_t n = s->nactions;
    switch (below(k, 4)) {
    case 0: s->nactions = 0; return;
    case 1: snprintf(s->inits[0], TEXT, "init when false { }"), s->ninits = 1; return;
    case 2:
        for (uint32_t i = 0; i < n; i++) s->actions[i].is_internal = true;
        return;
    default:
        for (uint32_t i = 0; i < n && s->nactions < MOST_ACTIONS; i++) {
            s->actions[s->nactions] = s->actions[i];
            s->actions[s->nactions++].is_also = true;
        }
    }
}

static void change(maker *k, system_text *s) {
    action *a = s->nactions ? &s->actions[below(k, s->nactions)] : NULL;
    switch (below(k, 8)) {
    case 0:
    case 1:
        if (a) a->guard[0] = 0;
        return;
    case 2:
        if (a) make_guard(k, a, s->state, a->guard);
        return;
    case 3:
        if (a) make_body(k, a, s->state, a->body);
        return;
    case 4: add_also(k, s); return;
    case 5: add_internal(k, s); return;
    case 6: add_init(k, s); return;
    default:
        if (s->ninits && chance(k, 50)) s->ninits--;
        return;
    }
}

static void make_relative(maker *k, const system_text *of, system_text *s) {
    char name = s->name;
    *s = *of;
    s->name = name;
    for (uint32_t n = below(k, 4); n > 0; n--) change(k, s);
    for (uint32_t i = 0; k->mixes_order && i < s->nactions; i++)
        if (chance(k, 40)) reorder(k, &s->actions[i]);
}

// ---- text

// The first action of the name: it has the head that a refinement must have.
static const action *head_of(const system_text *s, const action *a) {
    for (uint32_t i = 0; i < s->nactions; i++)
        if (strcmp(s->actions[i].name, a->name) == 0) return &s->actions[i];
    return a;
}

static void add_params(const action *a, str *out) {
    for (uint32_t i = 0; i < a->nparams; i++) {
        uint32_t p = a->order[i], nth = 0;
        for (uint32_t j = 0; j < p; j++) nth += a->types[j] == a->types[p];
        str_printf(out, "%s%s%s: %s", i ? ", " : "(", a->by == p ? "by " : "", variables[a->types[p]][nth],
                   type_text[a->types[p]]);
    }
    str_add(out, a->nparams ? ")" : "");
}

static void add_system(const system_text *s, str *out) {
    static const char *const functions[] = {"var x: 0..2", "rel f(Thread)",       "rel g(Thread, Loc)",
                                            "rel h(Loc)",  "var mode: Mode = up", "var owner: Thread = any"};
    str_printf(out, "system %c {\n", s->name);
    for (uint32_t i = 0; i < 6; i++)
        if (s->state >> i & 1) str_printf(out, "  %s\n", functions[i]);
    for (uint32_t i = 0; i < s->ninits; i++) str_printf(out, "  %s\n", s->inits[i]);
    for (uint32_t i = 0; i < s->nactions; i++) {
        const action *a = &s->actions[i];
        str_printf(out, "  %s%saction %s", a->is_also ? "also " : "", a->is_internal ? "internal " : "", a->name);
        add_params(a, out);
        if (*a->guard) str_printf(out, " when %s", a->guard);
        if (*a->body) str_printf(out, " { %s }", a->body);
        str_add(out, "\n");
    }
    str_add(out, "}\n");
}

// Where, as it is written, an acting parameter stands that is not the first of its type; MOST_PARAMS: nowhere.
static uint32_t moved(const action *a) {
    for (uint32_t i = 0, before = 0; i < a->nparams; i++) {
        uint32_t p = a->order[i];
        if (p == a->by) return before ? i : MOST_PARAMS;
        before += a->by < a->nparams && a->types[p] == a->types[a->by];
    }
    return MOST_PARAMS;
}

static bool same_head(const action *a, const action *b) {
    if (a->nparams != b->nparams) return false;
    for (uint32_t i = 0; i < a->nparams; i++)
        if (a->types[a->order[i]] != b->types[b->order[i]]) return false;
    return moved(a) == moved(b);
}

// Does the front end take `a refines b`?
static bool is_comparable(const system_text *a, const system_text *b) {
    for (uint32_t i = 0; i < a->nactions; i++) {
        const action *x = &a->actions[i], *y = head_of(b, &a->actions[i]);
        if (a->actions[i].is_internal) continue;
        bool has = false;
        for (uint32_t j = 0; j < b->nactions; j++) has |= strcmp(b->actions[j].name, x->name) == 0;
        if (!has || !same_head(x, y)) return false;
    }
    return true;
}

static void add_properties(const maker *k, str *out) {
    for (uint32_t i = 0; i < k->nsystems; i++) {
        char s = k->systems[i].name;
        str_printf(out, "property live_%c: %c deadlock_free\n", s, s);
        for (uint32_t j = 0; j < k->nsystems; j++)
            if (i != j && is_comparable(&k->systems[i], &k->systems[j]))
                str_printf(out, "property refines_%c%c: %c refines %c\n", s, k->systems[j].name, s, k->systems[j].name);
        if (!k->is_transactional) continue;
        str_printf(out, "property of_%c: %c obstruction_free\nproperty lf_%c: %c livelock_free\n", s, s, s, s);
        str_printf(out, "property wf_%c: %c wait_free\n", s, s);
    }
}

void random_words_text(uint64_t seed, str *out) {
    maker k = {.r = {seed}};
    k.is_transactional = chance(&k, 55);
    k.mixes_order = chance(&k, 35);
    k.nsystems = 2 + below(&k, 2);
    make_signatures(&k);
    for (uint32_t i = 0; i < k.nsystems; i++) {
        k.systems[i].name = (char)('A' + i);
        if (i && chance(&k, 65)) make_relative(&k, &k.systems[below(&k, i)], &k.systems[i]);
        else make_stranger(&k, &k.systems[i]);
        if (chance(&k, 8)) make_odd(&k, &k.systems[i]);
    }
    uint32_t threads = 1 + below(&k, 3), locations = 1 + below(&k, 2);
    str_printf(out, "sort Thread, Loc\nsize Thread = %u, Loc = %u\nenum Mode { up, down }\n", threads, locations);
    for (uint32_t i = 0; i < k.nsystems; i++) add_system(&k.systems[i], out);
    add_properties(&k, out);
}
