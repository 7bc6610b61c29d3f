// SPDX-License-Identifier: Apache-2.0
// TM algorithms as Guerraoui, Henzinger and Singh define them (CONCUR 2008, section 4), written like their
// pseudo-code and turned into plain systems before names are looked at:
//
//   algorithm DSTM with Aggressive {
//     ...state, definitions...
//     command write(t: Thread, v: Loc) {
//       done when os(t, v)                    // response 1: the statement
//       step own when !os(t, v)               // response ⊥: the command is pending
//         against u: Thread where os(u, v) { os(t, v) := true; ... }
//     }
//     abort(t: Thread) { ... }                // response 0
//   }
//   algorithm Other = DSTM with Universal
//   manager Polite {
//     var tries(Thread): 0..2
//     def proceed(t, u: Thread) = ...
//     on wait(t: Thread) { ... }
//   }
//
// A `done` becomes a visible action of the command's name, a `step` an internal one; between them the command
// is pending (`pending_write(t, v)`) and the thread runs no other. `abort` is possible where some command of
// the thread can take no step, and where a step has an enemy and the manager lets the thread give up. A step
// with enemies needs that the manager lets it proceed against all of them. Without a manager everything is
// allowed.
#include "front/pv/internal.h"

#include <string.h>

// ---- parsing

// [with MANAGER] { members }   or   = DSTM with Universal
bool pv_algorithm_rest(pv_parser *p, pv_decl *d) {
    pv_item items[2] = {{0}};  // the manager, the algorithm after '='
    bool is_alias = pv_parse_have(p, TOK_EQ);
    if (is_alias && !pv_parse_item(p, "the name of an algorithm after '='", &items[1])) return false;
    bool has_manager = pv_parse_word(p, "with");
    if (is_alias && !has_manager) return pv_parse_wrong(p, "'with' and a contention manager");
    if (has_manager && !pv_parse_item(p, "the name of a contention manager after 'with'", &items[0])) return false;
    d->items = arena_copy(p->f->memory, items, sizeof items);
    d->nitems = 2;
    return is_alias || pv_parse_members(p, d);
}

static bool parse_enemy(pv_parser *p, pv_decl *d) {
    if (!pv_parse_word(p, "against")) return true;
    if (!pv_parse_binders(p, &d->enemy)) return false;
    if (d->enemy.len != 1)
        return diag_error(p->f->messages, d->enemy.data[1].at,
                          "a conflict is with one thread: against u: Thread where ...");
    return pv_parse_need(p, TOK_WHERE, "and when there is a conflict") && (d->conflict = pv_parse_expr(p));
}

// done [when …] [against …] [{ … }]   or   step NAME[(params)] …
static bool parse_clause(pv_parser *p, pv_decl_list *out) {
    pv_item name = {.at = p->tok->at};
    pv_decl d = {.kind = PD_CLAUSE, .is_done = pv_parse_word(p, "done")};
    if (!d.is_done && !pv_parse_word(p, "step")) return pv_parse_wrong(p, "'done', 'step' or '}'");
    if (!d.is_done && (!pv_parse_item(p, "the name of the step", &name) || !pv_parse_params(p, &d))) return false;
    d.name = name.name;
    d.at = name.at;
    if (pv_parse_have(p, TOK_WHEN) && !(d.expr = pv_parse_expr(p))) return false;
    if (!parse_enemy(p, &d)) return false;
    if (p->tok->kind == TOK_LBRACE && !pv_parse_block(p, &d.body)) return false;
    vec_push(out, arena_copy(p->f->memory, &d, sizeof d));
    return true;
}

bool pv_algorithm_command(pv_parser *p, pv_decl *d) {
    if (!pv_parse_params(p, d) || !pv_parse_need(p, TOK_LBRACE, "before the steps of the command")) return false;
    pv_decl_list clauses = {0};
    bool good = true;
    while (good && p->tok->kind != TOK_RBRACE) good = pv_parse_have(p, TOK_SEMICOLON) || parse_clause(p, &clauses);
    vec_keep(p->f->memory, &clauses, &d->decls, &d->ndecls);
    return good && pv_parse_have(p, TOK_RBRACE);
}

bool pv_algorithm_reaction(pv_parser *p, pv_decl *d) {
    d->name = arena_printf(p->f->memory, "on_%s", d->name);
    return pv_parse_params(p, d) && pv_parse_block(p, &d->body);
}

// ---- building syntax. NULL stands for "true".

typedef struct {
    pv_front *f;
    const pv_decl *algorithm, *manager;
    const pv_decl *abort;
    pv_decl_list out;
    span at;  // of what is being made
} expansion;

typedef VEC(const pv_expr *) terms;

static const pv_expr *tm_make(expansion *x, pv_expr e, const pv_expr *const *args, uint32_t n) {
    e.at = e.name_at = x->at;
    for (uint32_t i = 0; i < n; i++)
        if (args[i]->depth >= e.depth) e.depth = args[i]->depth + 1;
    e.args = arena_copy(x->f->memory, args, n * sizeof *args);
    e.nargs = n;
    return arena_copy(x->f->memory, &e, sizeof e);
}

static const pv_expr *tm_bool(expansion *x, bool b) {
    return tm_make(x, (pv_expr){.kind = PE_BOOL, .number = b}, NULL, 0);
}

static const pv_expr *tm_name(expansion *x, const char *name) {
    return tm_make(x, (pv_expr){.kind = PE_NAME, .name = name}, NULL, 0);
}

static const pv_expr *tm_call(expansion *x, const char *name, const pv_expr *const *args, uint32_t n) {
    return tm_make(x, (pv_expr){.kind = PE_NAME, .name = name, .has_parens = n > 0}, args, n);
}

static const pv_expr *tm_not(expansion *x, const pv_expr *e) {
    return e ? tm_make(x, (pv_expr){.kind = PE_NOT}, &e, 1) : tm_bool(x, false);
}

static const pv_expr *tm_junction(expansion *x, pv_expr_kind kind, terms *list) {
    const pv_expr *e = NULL;
    if (list->len == 1) e = list->data[0];
    else if (list->len) e = tm_make(x, (pv_expr){.kind = kind}, list->data, list->len);
    else if (kind == PE_OR) e = tm_bool(x, false);
    vec_free(list);
    return e;
}

static const pv_expr *tm_both(expansion *x, const pv_expr *a, const pv_expr *b) {
    if (!a || !b) return a ? a : b;
    return tm_make(x, (pv_expr){.kind = PE_AND}, (const pv_expr *[]){a, b}, 2);
}

static const pv_expr *tm_quantified(expansion *x, pv_tok op, pv_binders b, const pv_expr *where, const pv_expr *e) {
    if (!e) e = tm_bool(x, true);
    if (!b.len) return op == TOK_EXISTS ? tm_both(x, where, e) : e;
    const pv_expr *args[] = {e, where};
    return tm_make(x, (pv_expr){.kind = PE_QUANTIFIER, .op = op, .binders = b}, args, where ? 2 : 1);
}

static void tm_add(expansion *x, pv_decl d) { vec_push(&x->out, arena_copy(x->f->memory, &d, sizeof d)); }

static const pv_stmt *tm_statement(expansion *x, pv_stmt s) {
    s.at = x->at;
    return arena_copy(x->f->memory, &s, sizeof s);
}

// ---- what there is

static const pv_decl *member(const pv_decl *d, pv_decl_kind kind, const char *name) {
    for (uint32_t i = 0; d && i < d->ndecls; i++)
        if (d->decls[i]->kind == kind && str_same(d->decls[i]->name, name)) return d->decls[i];
    return NULL;
}

static bool can_wait(const expansion *x) { return member(x->manager, PD_DEF, "wait") != NULL; }

static bool can_be_pending(const expansion *x, const pv_decl *command) {
    bool can = false;
    for (uint32_t i = 0; i < command->ndecls; i++)
        can |= !command->decls[i]->is_done || (command->decls[i]->conflict && can_wait(x));
    return can;
}

static bool has_conflict(const pv_decl *command) {
    bool has = false;
    for (uint32_t i = 0; i < command->ndecls; i++) has |= command->decls[i]->conflict != NULL;
    return has;
}

static const char *pending_name(expansion *x, const pv_decl *command) {
    return arena_printf(x->f->memory, "pending_%s", command->name);
}

#define EACH_COMMAND(x, c)                                            \
    for (uint32_t i_##c = 0; i_##c < (x)->algorithm->ndecls; i_##c++) \
        for (const pv_decl *c = (x)->algorithm->decls[i_##c]; c && c->kind == PD_COMMAND; c = NULL)

#define EACH_CLAUSE(command, c)                                  \
    for (uint32_t i_##c = 0; i_##c < (command)->ndecls; i_##c++) \
        for (const pv_decl *c = (command)->decls[i_##c]; c; c = NULL)

static pv_binders tail(pv_binders b) { return (pv_binders){b.data + 1, b.len - 1}; }

// pending_write(t, v), or for another thread with other names of what follows; NULL: with '_' for all of them.
static const pv_expr *pending_of(expansion *x, const pv_decl *command, const char *thread, const pv_binder *others) {
    uint32_t n = command->params.len;
    const pv_expr **args = arena_alloc(x->f->memory, n * sizeof *args);
    args[0] = tm_name(x, thread);
    for (uint32_t i = 1; i < n; i++)
        args[i] = others ? tm_name(x, others[i - 1].name) : tm_make(x, (pv_expr){.kind = PE_HOLE}, NULL, 0);
    return tm_call(x, pending_name(x, command), args, n);
}

static const pv_expr *pending(expansion *x, const pv_decl *command) {
    return pending_of(x, command, command->params.data[0].name, tail(command->params).data);
}

// ---- the state that shows what is pending

static void add_pending(expansion *x, const pv_decl *command) {
    pv_decl d = {.kind = PD_FUNC, .name = pending_name(x, command), .at = command->at};
    const pv_type **types = arena_alloc(x->f->memory, (command->params.len + 1) * sizeof *types);
    for (uint32_t i = 0; i < command->params.len; i++) types[i] = command->params.data[i].ty;
    d.args = types;
    d.nargs = command->params.len;
    tm_add(x, d);
}

// No command of this kind is pending for t: forall any_v: Loc. !pending_write(t, any_v)
static const pv_expr *nothing_pending(expansion *x, const pv_decl *command, const char *thread) {
    pv_binders fresh = tail(command->params);
    pv_binder *names = arena_copy(x->f->memory, fresh.data, fresh.len * sizeof *names);
    for (uint32_t i = 0; i < fresh.len; i++) {
        names[i].name = arena_printf(x->f->memory, "any_%s", names[i].name);
        if (str_same(names[i].name, thread)) names[i].name = "another";
    }
    fresh.data = names;
    return tm_quantified(x, TOK_FORALL, fresh, NULL, tm_not(x, pending_of(x, command, thread, names)));
}

static bool has_pending(const expansion *x) {
    EACH_COMMAND(x, c) if (can_be_pending(x, c)) return true;
    return false;
}

// def idle(t: Thread) = nothing is pending for t
static void add_idle(expansion *x) {
    terms none = {0};
    EACH_COMMAND(x, c) {
        if (!can_be_pending(x, c)) continue;
        add_pending(x, c);
        vec_push(&none, nothing_pending(x, c, x->abort->params.data[0].name));
    }
    pv_decl d = {.kind = PD_DEF, .name = "idle", .at = x->abort->at, .params = x->abort->params};
    d.expr = tm_junction(x, PE_AND, &none);
    if (d.expr) tm_add(x, d);
}

// A command is enabled if it is pending itself or nothing is.
static const pv_expr *tm_enabled(expansion *x, const pv_decl *command) {
    if (!has_pending(x)) return NULL;
    const pv_expr *thread = tm_name(x, command->params.data[0].name), *idle = tm_call(x, "idle", &thread, 1);
    if (!can_be_pending(x, command)) return idle;
    return tm_make(x, (pv_expr){.kind = PE_OR}, (const pv_expr *[]){pending(x, command), idle}, 2);
}

// ---- the manager

// A member of the manager, as it is called in the system: see tm_add_members().
static const char *of_manager(expansion *x, const char *name) {
    return arena_printf(x->f->memory, "%s_%s", x->manager->name, name);
}

// What the manager says about t and its enemy; `otherwise` when it says nothing of the kind.
static const pv_expr *asked(expansion *x, const char *what, const char *t, const char *u, bool otherwise) {
    if (!member(x->manager, PD_DEF, what)) return otherwise ? NULL : tm_bool(x, false);
    return tm_call(x, of_manager(x, what), (const pv_expr *[]){tm_name(x, t), tm_name(x, u)}, 2);
}

// A manager that does not say when to give up gives up where it neither proceeds nor waits.
static const pv_expr *gives_up(expansion *x, const char *t, const char *u) {
    if (!x->manager || member(x->manager, PD_DEF, "give_up")) return asked(x, "give_up", t, u, true);
    return tm_both(x, tm_not(x, asked(x, "proceed", t, u, false)), tm_not(x, asked(x, "wait", t, u, false)));
}

static const pv_expr *proceeds(expansion *x, const pv_decl *command, const pv_decl *clause) {
    if (!clause->conflict || !x->manager) return NULL;
    const char *t = command->params.data[0].name, *u = clause->enemy.data[0].name;
    return tm_quantified(x, TOK_FORALL, clause->enemy, clause->conflict, asked(x, "proceed", t, u, false));
}

typedef const pv_expr *(*verdict_of)(expansion *x, const char *t, const char *u);

static const pv_expr *waits(expansion *x, const char *t, const char *u) { return asked(x, "wait", t, u, false); }

// Some step of the command has an enemy about whom the manager says so.
static const pv_expr *contested(expansion *x, const pv_decl *command, verdict_of verdict) {
    terms any = {0};
    EACH_CLAUSE(command, c) {
        if (!c->conflict) continue;
        x->at = c->at;
        const pv_expr *said = verdict(x, command->params.data[0].name, c->enemy.data[0].name);
        const pv_expr *some = tm_quantified(x, TOK_EXISTS, c->enemy, c->conflict, said);
        vec_push(&any, tm_quantified(x, TOK_EXISTS, c->params, NULL, tm_both(x, c->expr, some)));
    }
    return tm_junction(x, PE_OR, &any);
}

// ---- actions

typedef VEC(const pv_stmt *) statements;

static void react(expansion *x, const char *event, const char *thread, statements *body) {
    const char *name = arena_printf(x->f->memory, "on_%s", event);
    if (!member(x->manager, PD_PROC, name)) return;
    const pv_expr *t = tm_name(x, thread);
    vec_push(body, tm_statement(x, (pv_stmt){.kind = PS_CALL, .target = tm_call(x, of_manager(x, name), &t, 1)}));
}

static void set_pending(expansion *x, const pv_decl *command, bool now, statements *body) {
    if (!can_be_pending(x, command)) return;
    pv_stmt s = {.kind = PS_ASSIGN, .target = pending(x, command), .value = tm_bool(x, now)};
    vec_push(body, tm_statement(x, s));
}

static statements copy_of(pv_stmts user) {
    statements body = {0};
    for (uint32_t i = 0; i < user.len; i++) vec_push(&body, user.data[i]);
    return body;
}

static void add_action(expansion *x, pv_decl d, statements *body) {
    d.kind = PD_ACTION;
    d.is_clause = true;
    d.at = x->at;
    vec_keep(x->f->memory, body, &d.body.data, &d.body.len);
    tm_add(x, d);
}

static pv_binders joined(expansion *x, pv_binders a, pv_binders b) {
    pv_binder *all = arena_alloc(x->f->memory, (a.len + b.len + 1) * sizeof *all);
    memcpy(all, a.data, a.len * sizeof *all);
    if (b.len) memcpy(all + a.len, b.data, b.len * sizeof *all);
    return (pv_binders){all, a.len + b.len};
}

static const char *event_of(expansion *x, const pv_decl *command, const pv_decl *clause) {
    if (clause->is_done) return command->name;
    const char *name = arena_printf(x->f->memory, "on_%s", clause->name);
    return member(x->manager, PD_PROC, name) ? clause->name : "step";
}

static void tm_add_clause(expansion *x, const pv_decl *command, const pv_decl *clause) {
    x->at = clause->at;
    const pv_expr *may = tm_both(x, tm_enabled(x, command), tm_both(x, clause->expr, proceeds(x, command, clause)));
    statements body = copy_of(clause->body);
    set_pending(x, command, !clause->is_done, &body);
    react(x, event_of(x, command, clause), command->params.data[0].name, &body);
    pv_decl d = {.name = clause->is_done ? command->name : clause->name, .expr = may, .is_internal = !clause->is_done};
    d.params = joined(x, command->params, clause->params);
    add_action(x, d, &body);
}

// A thread that waits has its command pending.
static void add_wait(expansion *x, const pv_decl *command) {
    const pv_expr *may = tm_both(x, tm_enabled(x, command), contested(x, command, waits));
    statements body = {0};
    x->at = command->at;
    set_pending(x, command, true, &body);
    react(x, "wait", command->params.data[0].name, &body);
    pv_decl d = {.name = "wait", .expr = may, .is_internal = true, .params = command->params};
    add_action(x, d, &body);
}

// No step of the command is possible: it is abort enabled.
static const pv_expr *is_stuck(expansion *x, const pv_decl *command) {
    terms none = {0};
    EACH_CLAUSE(command, c)
    vec_push(&none, tm_not(x, tm_quantified(x, TOK_EXISTS, c->params, NULL, c->expr)));
    return tm_junction(x, PE_AND, &none);
}

// def may_abort_write(p: Thread) = …, over the command's own names: that of the thread in `abort` may be one of them.
static const pv_expr *call_may_abort(expansion *x, const pv_decl *command, const pv_expr *may) {
    pv_decl d = {.kind = PD_DEF, .at = command->at, .params = {command->params.data, 1}};
    d.name = arena_printf(x->f->memory, "may_abort_%s", command->name);
    d.expr = may ? may : tm_bool(x, true);
    tm_add(x, d);
    const pv_expr *thread = tm_name(x, x->abort->params.data[0].name);
    return tm_call(x, d.name, &thread, 1);
}

// Over the command's own parameter names; its thread is the one that aborts.
static const pv_expr *can_abort(expansion *x, const pv_decl *command) {
    const pv_expr *stuck = is_stuck(x, command), *contest = contested(x, command, gives_up), *e = stuck;
    if (stuck && contest) e = tm_make(x, (pv_expr){.kind = PE_OR}, (const pv_expr *[]){stuck, contest}, 2);
    e = tm_quantified(x, TOK_EXISTS, tail(command->params), NULL, tm_both(x, tm_enabled(x, command), e));
    bool is_same = str_same(x->abort->params.data[0].name, command->params.data[0].name);
    return is_same ? e : call_may_abort(x, command, e);
}

// clear pending_write(t, _)
static void forget_pending(expansion *x, const pv_decl *command, statements *body) {
    const pv_expr *target = pending_of(x, command, x->abort->params.data[0].name, NULL);
    vec_push(body, tm_statement(x, (pv_stmt){.kind = PS_CLEAR, .target = target}));
}

static void add_abort(expansion *x) {
    terms any = {0};
    statements body = copy_of(x->abort->body);
    EACH_COMMAND(x, c) vec_push(&any, can_abort(x, c));
    x->at = x->abort->at;
    EACH_COMMAND(x, c) if (can_be_pending(x, c)) forget_pending(x, c, &body);
    react(x, "abort", x->abort->params.data[0].name, &body);
    pv_decl d = {.name = "abort", .expr = tm_junction(x, PE_OR, &any), .params = x->abort->params};
    add_action(x, d, &body);
}

// ---- checks

static bool tm_same_type(const pv_type *a, const pv_type *b) {
    return a->name && b->name && str_same(a->name, b->name);
}

static bool check_command(expansion *x, const pv_decl *c) {
    diag *d = x->f->messages;
    uint32_t before = diag_errors(d);
    if (!c->params.len || !tm_same_type(c->params.data[0].ty, x->abort->params.data[0].ty))
        diag_error(d, c->at, "the first parameter of a command is the thread, of the type that 'abort' has");
    if (member(x->algorithm, PD_COMMAND, c->name) != c) diag_error(d, c->at, "command '%s' is declared twice", c->name);
    if (str_same(c->name, "abort"))
        diag_error(d, c->at, "'abort' is not a command: it is written abort(t: Thread) { ... }");
    if (!c->ndecls) diag_error(d, c->at, "command '%s' has no 'done' and no 'step'", c->name);
    return diag_errors(d) == before;
}

static bool check_algorithm(expansion *x) {
    diag *d = x->f->messages;
    uint32_t before = diag_errors(d);
    x->abort = member(x->algorithm, PD_ABORT, "abort");
    if (!x->abort) diag_error(d, x->algorithm->at, "an algorithm says what an abort does: abort(t: Thread) { ... }");
    else if (x->abort->params.len != 1) diag_error(d, x->abort->at, "'abort' has one parameter, the thread");
    for (uint32_t i = 0; i < x->algorithm->ndecls; i++) {
        const pv_decl *m = x->algorithm->decls[i];
        if (m->kind == PD_ACTION)
            diag_error(d, m->at, "an algorithm has commands, not actions: command %s(...) { ... }", m->name);
        if (m->kind == PD_ABORT && m != x->abort) diag_error(d, m->at, "'abort' is declared twice");
    }
    if (diag_errors(d) != before) return false;
    EACH_COMMAND(x, c) if (!check_command(x, c)) return false;
    return true;
}

// ---- everything

// Functions, definitions and procs of the manager are called after it, so that they can be put together with the
// algorithm's; constants keep their names, for --define. A second algorithm made from the same text does not state its
// invariants again: properties have one name.
static void tm_add_members(expansion *x, const pv_decl *from, bool is_copy, const char *prefix) {
    for (uint32_t i = 0; from && i < from->ndecls; i++) {
        pv_decl d = *from->decls[i];
        bool is_called = d.kind == PD_FUNC || d.kind == PD_DEF || d.kind == PD_PROC;
        if (d.kind == PD_COMMAND || d.kind == PD_ABORT || (is_copy && d.kind == PD_INVARIANT)) continue;
        if (prefix && is_called) d.name = arena_printf(x->f->memory, "%s%s", prefix, d.name);
        d.prefix = prefix;
        tm_add(x, d);
    }
}

static const pv_decl *tm_find(pv_front *f, pv_decl_kind kind, const pv_item *item, const char *what) {
    const pv_decl *found = NULL;
    VEC(const char *) names = {0};
    PV_EACH_TOP(f, d) {
        if (d->kind == kind) vec_push(&names, d->name);
        if (d->kind == kind && !found && str_same(d->name, item->name)) found = d;
    }
    if (!found) diag_unknown(f->messages, item->at, what, item->name, names.data, names.len);
    vec_free(&names);
    return found;
}

// The algorithm that has the text: itself, or the one after '='.
static const pv_decl *tm_text_of(pv_front *f, const pv_decl *d) {
    if (!d->items[1].name) return d;
    const pv_decl *base = tm_find(f, PD_ALGORITHM, &d->items[1], "algorithm");
    if (!base || !base->items[1].name) return base;
    diag_error(f->messages, d->items[1].at, "'%s' has no text of its own; name the algorithm that has", base->name);
    return NULL;
}

static bool find_parts(expansion *x, const pv_decl *d) {
    x->algorithm = tm_text_of(x->f, d);
    x->manager = x->f->manager;
    if (!x->algorithm || x->manager || !d->items[0].name) return x->algorithm != NULL;
    x->manager = tm_find(x->f, PD_MANAGER, &d->items[0], "contention manager");
    return x->manager != NULL;
}

static const pv_decl *expand_algorithm(pv_front *f, const pv_decl *d) {
    expansion x = {.f = f, .at = d->at};
    pv_decl made = {.kind = PD_SYSTEM, .name = d->name, .at = d->at};
    if (!find_parts(&x, d) || !check_algorithm(&x)) return NULL;
    tm_add_members(&x, x.algorithm, x.algorithm != d, NULL);
    if (x.manager) tm_add_members(&x, x.manager, true, of_manager(&x, ""));
    add_idle(&x);
    EACH_COMMAND(&x, command) {
        EACH_CLAUSE(command, clause) tm_add_clause(&x, command, clause);
        if (can_wait(&x) && has_conflict(command)) add_wait(&x, command);
    }
    add_abort(&x);
    vec_keep(f->memory, &x.out, &made.decls, &made.ndecls);
    return arena_copy(f->memory, &made, sizeof made);
}

bool pv_algorithm_expand(pv_front *f) {
    uint32_t before = diag_errors(f->messages), n = f->files.len;
    const pv_decl ***fresh = arena_alloc(f->memory, (n + 1) * sizeof *fresh);
    for (uint32_t i = 0; i < n; i++) {
        pv_file *file = &f->files.data[i];
        fresh[i] = arena_alloc(f->memory, (file->ndecls + 1) * sizeof **fresh);
        for (uint32_t k = 0; k < file->ndecls; k++) {
            const pv_decl *d = file->decls[k];
            fresh[i][k] = d->kind == PD_ALGORITHM ? expand_algorithm(f, d) : d;
        }
    }
    for (uint32_t i = 0; i < n; i++) f->files.data[i].decls = fresh[i];  // after all: they refer to each other
    return diag_errors(f->messages) == before;
}
