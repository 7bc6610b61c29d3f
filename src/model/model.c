// SPDX-License-Identifier: Apache-2.0
// The model's tables: see model.h. Entry 0 of every table is unused, so that id 0 can mean none.
#include "model/model.h"

#include "model/expr.h"
#include "model/stmt.h"

#include <assert.h>
#include <string.h>

#define START_AT_ONE(table)                                \
    vec_reserve(&m->table, 1);                             \
    memset(&m->table.data[0], 0, sizeof m->table.data[0]); \
    m->table.len = 1;
#define NEW_MAP(map) m->map = map_new();

model *model_new(diag *messages) {
    model *m = mem_zero(1, sizeof *m);
    m->memory = arena_new();
    m->messages = messages;
    m->most_params = MODEL_MOST_ARGS;
    MODEL_MAPS(NEW_MAP)
    MODEL_TABLES(START_AT_ONE)
    m->bool_type = model_add_type(m, (type_info){.kind = TYPE_BOOL, .name = "bool"});
    m->false_expr = expr_const(m, m->bool_type, 0);
    m->true_expr = expr_const(m, m->bool_type, 1);
    return m;
}

#define FREE_TIMED_LIST(list) vec_free(&s->timed->list);
#define FREE_LIST(list)       vec_free(&s->list);
#define FREE_TABLE(table)     vec_free(&m->table);
#define FREE_MAP(map)         map_free(m->map);

static void free_system(sys_info *s) {
    if (s->timed) { MODEL_TIMED_LISTS(FREE_TIMED_LIST) }
    MODEL_SYSTEM_LISTS(FREE_LIST)
}

void model_free(model *m) {
    if (!m) return;
    for (uint32_t i = 0; i < m->systems.len; i++) free_system(&m->systems.data[i]);
    for (uint32_t i = 0; i < m->expectations.len; i++) vec_free(&m->expectations.data[i].sizes);
    MODEL_TABLES(FREE_TABLE)
    vec_free(&m->expectations);
    MODEL_MAPS(FREE_MAP)
    arena_free(m->memory);
    free(m);
}

// A copy of n elements in the model's memory; NULL for none.
static const void *model_keep(model *m, const void *data, uint32_t n, size_t size) {
    return n ? arena_copy(m->memory, data, n * size) : NULL;
}

const char *model_keep_name(model *m, const char *name) {
    size_t n = name ? strlen(name) : 0;
    if (str_is_visible(name ? name : "", n)) return arena_str(m->memory, name ? name : "");
    str shown = {0};
    str_add_visible(&shown, name, n);
    const char *kept = arena_str(m->memory, str_get(&shown));
    str_free(&shown);
    return kept;
}

type model_add_type(model *m, type_info info) {
    info.name = model_keep_name(m, info.name);
    const char **literals = arena_alloc(m->memory, (info.nliterals + 1) * sizeof *literals);
    for (uint32_t i = 0; i < info.nliterals; i++) literals[i] = arena_str(m->memory, info.literals[i]);
    info.literals = literals;
    info.members = model_keep(m, info.members, info.nmembers, sizeof *info.members);
    if (info.kind == TYPE_RANGE && !info.name[0])
        map_put(m->range_table, (int32_t[]){info.lo, info.hi}, 2 * sizeof info.lo, m->types.len);
    vec_push(&m->types, info);
    return (type){m->types.len - 1};
}

type model_range(model *m, int32_t lo, int32_t hi, span at) {
    int32_t key[] = {lo, hi};
    uint32_t known = map_get(m->range_table, key, sizeof key, 0);
    if (known) return (type){known};
    return model_add_type(m, (type_info){.kind = TYPE_RANGE, .name = "", .lo = lo, .hi = hi, .at = at});
}

func model_add_func(model *m, func_info info) {
    assert(info.nargs <= MODEL_MOST_ARGS);
    info.name = model_keep_name(m, info.name);
    info.args = model_keep(m, info.args, info.nargs, sizeof *info.args);
    vec_push(&m->funcs, info);
    func f = {m->funcs.len - 1};
    if (info.owner.id) vec_push(&sys_of(m, info.owner)->funcs, f);
    return f;
}

var model_add_var(model *m, const char *name, type ty, span at) {
    vec_push(&m->vars, (var_info){.name = model_keep_name(m, name), .ty = ty, .at = at});
    return (var){m->vars.len - 1};
}

def model_add_def(model *m, def_info info) {
    if (info.body.id && expr_too_deep(m, info.body))
        diag_error(m->messages, info.at,
                   "definition '%s' is too deep: more than %d levels, with the definitions it uses", info.name,
                   EXPR_DEEPEST);
    assert(info.nparams <= MODEL_MOST_ARGS);
    info.name = model_keep_name(m, info.name);
    info.params = model_keep(m, info.params, info.nparams, sizeof *info.params);
    vec_push(&m->defs, info);
    def d = {m->defs.len - 1};
    if (info.owner.id) vec_push(&sys_of(m, info.owner)->defs, d);
    return d;
}

static rule_role role_of(const char *name) {
    static const char *const names[] = {[ROLE_READ] = "read", "write", "commit", "abort"};
    for (rule_role i = ROLE_READ; i <= ROLE_ABORT; i++)
        if (strcmp(name, names[i]) == 0) return i;
    return ROLE_OTHER;
}

rule model_add_rule(model *m, rule_info info) {
    info.role = role_of(info.name);
    if (info.nparams > m->most_params) m->most_params = info.nparams;
    info.name = model_keep_name(m, info.name);
    info.params = model_keep(m, info.params, info.nparams, sizeof *info.params);
    info.body = stmt_in_text_order(m, info.body);
    info.chosen = model_keep(m, info.chosen, info.nchosen, sizeof *info.chosen);
    info.requires = model_keep(m, info.requires, info.nrequires, sizeof *info.requires);
    info.bounds = model_keep(m, info.bounds, info.nbounds, sizeof *info.bounds);
    info.resets = model_keep(m, info.resets, info.nresets, sizeof *info.resets);
    info.moves = model_keep(m, info.moves, info.nmoves, sizeof *info.moves);
    info.listeners = model_keep(m, info.listeners, info.nlisteners, sizeof *info.listeners);
    vec_push(&m->rules, info);
    return (rule){m->rules.len - 1};
}

sys model_add_system(model *m, const char *name, span at) {
    vec_push(&m->systems, (sys_info){.name = model_keep_name(m, name), .at = at});
    return (sys){m->systems.len - 1};
}

prop model_add_prop(model *m, prop_info info) {
    info.name = model_keep_name(m, info.name);
    vec_push(&m->props, info);
    map_intern(m->prop_table, info.name, strlen(info.name), m->props.len - 1);
    return (prop){m->props.len - 1};
}

// The statement in the model's memory, with its lists.
static stmt *model_keep_stmt(model *m, stmt s) {
    s.args = model_keep(m, s.args, s.nargs, sizeof *s.args);
    s.vars = model_keep(m, s.vars, s.nvars, sizeof *s.vars);
    s.body = model_keep(m, s.body, s.nbody, sizeof *s.body);
    s.orelse = model_keep(m, s.orelse, s.norelse, sizeof *s.orelse);
    return arena_copy(m->memory, &s, sizeof s);
}

stmt *model_assign(model *m, func target, const expr *args, uint32_t nargs, expr written, span at) {
    return model_keep_stmt(m, (stmt){S_ASSIGN, at, .target = target, .args = args, .nargs = nargs, .value = written});
}

stmt *model_if(model *m, expr cond, const stmt *const *then, uint32_t nthen, const stmt *const *orelse,
               uint32_t norelse, span at) {
    return model_keep_stmt(
        m, (stmt){S_IF, at, .cond = cond, .body = then, .nbody = nthen, .orelse = orelse, .norelse = norelse});
}

stmt *model_forall(model *m, const var *vars, uint32_t nvars, expr cond, const stmt *const *body, uint32_t nbody,
                   span at) {
    return model_keep_stmt(
        m, (stmt){S_FORALL, at, .vars = vars, .nvars = nvars, .cond = cond, .body = body, .nbody = nbody});
}

stmt *model_while(model *m, expr cond, const stmt *const *body, uint32_t nbody, span at) {
    return model_keep_stmt(m, (stmt){S_WHILE, at, .cond = cond, .body = body, .nbody = nbody});
}

stmt *model_assume(model *m, expr cond, span at) { return model_keep_stmt(m, (stmt){S_ASSUME, at, .cond = cond}); }

stmt *model_fail(model *m, const char *text, span at) {
    return model_keep_stmt(m, (stmt){S_FAIL, at, .text = model_keep_name(m, text)});
}

stmt *model_block(model *m, stmt_kind kind, const stmt *const *body, uint32_t nbody, span at) {
    assert(kind == S_PAR || kind == S_SEQ);
    return model_keep_stmt(m, (stmt){kind, at, .body = body, .nbody = nbody});
}

bool type_contains(const model *m, type t, type member) {
    const type_info *info = type_of(m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        if (type_same(info->members[i], member)) return true;
    return type_same(t, member);
}

uint32_t type_known_size(const model *m, type t) {
    const type_info *info = type_of(m, t);
    switch (info->kind) {
    case TYPE_BOOL: return 2;
    case TYPE_ENUM: return info->nliterals;
    case TYPE_REAL:
    case TYPE_RANGE: return (uint32_t)((int64_t)info->hi - info->lo + 1);
    case TYPE_SORT: return info->fixed_size;
    case TYPE_UNION: {
        uint32_t size = 0;
        for (uint32_t i = 0; i < info->nmembers; i++) size += type_known_size(m, info->members[i]);
        return size;
    }
    }
    return 0;
}

type model_find_type(const model *m, const char *name) {
    for (uint32_t i = 1; i < m->types.len; i++)
        if (strcmp(m->types.data[i].name, name) == 0) return (type){i};
    return (type){0};
}

sys model_find_system(const model *m, const char *name) {
    for (uint32_t i = 1; i < m->systems.len; i++)
        if (strcmp(m->systems.data[i].name, name) == 0) return (sys){i};
    return (sys){0};
}

prop model_find_prop(const model *m, const char *name) { return (prop){map_get_str(m->prop_table, name, 0)}; }

rule model_find_rule(const model *m, sys s, const char *name) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->rules.len; i++)
        if (strcmp(rule_of(m, info->rules.data[i])->name, name) == 0) return info->rules.data[i];
    return (rule){0};
}

func model_find_func(const model *m, sys s, const char *name) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->funcs.len; i++)
        if (strcmp(func_of(m, info->funcs.data[i])->name, name) == 0) return info->funcs.data[i];
    return (func){0};
}
