// SPDX-License-Identifier: Apache-2.0
// Does the result of a sequential loop depend on the order of its rounds? See rounds.h.
//
// Every function that the loop writes must be of one of these kinds, v being the loop's variable:
// - own:      all writes and reads have v at one and the same argument: no round sees another's cells. In place of v
//             there may be a private local to which nothing but v is assigned;
// - private:  a local that each round writes before it reads it, and that is not read after the loop before it is
//             written again;
// - constant: all writes put the same value, which is the same in every round, and the loop does not read it;
// - counter:  all writes add a fixed amount of one sign, and the loop reads it nowhere else.
// A loop that a flag ends ("return" in a loop) may end after any of the rounds that set it: then everything
// else but private locals must be constant and written together with the flag, and no condition may fault.
#include "explore/rounds.h"

#include "model/expr.h"
#include "model/stmt.h"

#include <stdlib.h>

enum { PRIVATE_UNKNOWN, PRIVATE_NO, PRIVATE_YES };
enum { LONGEST_CHAIN = 8 };  // of locals that hand the loop's variable to each other

typedef struct {
    const model *m;
    const stmt *whole, *loop;  // the rule's body, and the loop in it
    var v;
    func flag;            // that ends the loop; id 0: none
    uint8_t *is_private;  // by function
} judge;

// ---- walking expressions

static bool is_read(const expr_info *x) { return x->kind == E_APP || x->kind == E_DEFINED; }

static bool is_var(const model *m, expr e, var v) {
    const expr_info *x = expr_of(m, e);
    return x->kind == E_VAR && x->ref == v.id;
}

// How often f is read in e; shared parts count each time.
static uint32_t count_reads(const model *m, expr e, func f) {
    if (!e.id) return 0;
    const expr_info *x = expr_of(m, e);
    uint32_t n = is_read(x) && x->ref == f.id;
    if (x->kind == E_CALL) n += count_reads(m, def_of(m, (def){x->ref})->body, f);
    for (uint32_t i = 0; i < x->nargs; i++) n += count_reads(m, x->args[i], f);
    return n;
}

static uint32_t count_stmt_reads(const model *m, const stmt *s, func f) {
    uint32_t n = count_reads(m, s->cond, f) + count_reads(m, s->value, f);
    for (uint32_t i = 0; i < s->nargs; i++) n += count_reads(m, s->args[i], f);
    for (uint32_t i = 0; i < s->nbody; i++) n += count_stmt_reads(m, s->body[i], f);
    for (uint32_t i = 0; i < s->norelse; i++) n += count_stmt_reads(m, s->orelse[i], f);
    return n;
}

// Is e the same in every round: without v, and without anything that the loop writes?
static bool is_fixed(const judge *j, expr e) {
    const expr_info *x = expr_of(j->m, e);
    if (x->kind == E_CALL || is_var(j->m, e, j->v)) return false;
    if (is_read(x) && stmt_writes(j->loop, (func){x->ref})) return false;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!is_fixed(j, x->args[i])) return false;
    return true;
}

// ---- all writes of a function in the loop

typedef bool (*write_test)(const judge *j, const stmt *write, void *context);

static bool same_args(const expr *a, const expr *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!expr_same(a[i], b[i])) return false;
    return true;
}

// f := g, undefined where g is: if defined(g) { f := g } else { undefine f }, with a g that is the same in every round.
static bool is_plain_copy(const judge *j, const stmt *s) {
    if (s->kind != S_IF || s->nbody != 1 || s->norelse != 1 || !is_fixed(j, s->cond)) return false;
    const stmt *copy = s->body[0], *drop = s->orelse[0];
    if (copy->kind != S_ASSIGN || drop->kind != S_ASSIGN || !copy->value.id || drop->value.id) return false;
    const expr_info *asked = expr_of(j->m, s->cond), *from = expr_of(j->m, copy->value);
    return copy->target.id == drop->target.id && same_args(copy->args, drop->args, copy->nargs) &&
           asked->kind == E_DEFINED && from->kind == E_APP && asked->ref == from->ref &&
           same_args(asked->args, from->args, from->nargs);
}

static bool all_writes(const judge *j, const stmt *s, func f, write_test test, void *context) {
    if (s->kind == S_ASSIGN) return s->target.id != f.id || test(j, s, context);
    if (is_plain_copy(j, s)) return all_writes(j, s->body[0], f, test, context);
    for (uint32_t i = 0; i < s->nbody; i++)
        if (!all_writes(j, s->body[i], f, test, context)) return false;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (!all_writes(j, s->orelse[i], f, test, context)) return false;
    return true;
}

static bool has_fixed_place(const judge *j, const stmt *s) {
    for (uint32_t i = 0; i < s->nargs; i++)
        if (!is_fixed(j, s->args[i])) return false;
    return true;
}

typedef struct {
    bool is_known;
    expr e;
} one_value;

static bool puts_same(const judge *j, const stmt *s, void *context) {
    one_value *one = context;
    if (!has_fixed_place(j, s) || (s->value.id && !is_fixed(j, s->value))) return false;
    if (one->is_known && one->e.id != s->value.id) return false;
    *one = (one_value){true, s->value};
    return true;
}

static bool is_constant(const judge *j, func f) {
    one_value one = {0};
    return all_writes(j, j->loop, f, puts_same, &one) && !count_stmt_reads(j->m, j->loop, f);
}

// f(a) := f(a) + e with a fixed e of one sign.
typedef struct {
    int sign;
    uint32_t writes;
} increments;

static bool adds(const judge *j, const stmt *s, void *context) {
    increments *n = context;
    if (!s->value.id || !has_fixed_place(j, s)) return false;
    const expr_info *sum = expr_of(j->m, s->value);
    if (sum->kind != E_ADD) return false;
    const expr_info *old = expr_of(j->m, sum->args[0]);
    if (old->kind != E_APP || old->ref != s->target.id || !is_fixed(j, sum->args[1])) return false;
    if (!same_args(old->args, s->args, s->nargs)) return false;
    int64_t lo, hi;
    expr_bounds(j->m, sum->args[1], &lo, &hi);
    int sign = lo >= 0 ? 1 : hi <= 0 ? -1 : 0;
    if (!sign || n->sign == -sign) return false;
    *n = (increments){sign, n->writes + 1};
    return true;
}

static bool is_counter(const judge *j, func f) {
    increments n = {0};
    return all_writes(j, j->loop, f, adds, &n) && count_stmt_reads(j->m, j->loop, f) == n.writes;
}

// ---- private locals

// Does the statement write all of f, whatever happens? f() := e, or the same for all indices.
static bool writes_all(const model *m, const stmt *s, func f) {
    if (s->kind == S_ASSIGN) return s->target.id == f.id && s->nargs == 0;
    if (s->kind != S_FORALL || s->cond.id) return false;
    for (uint32_t i = 0; i < s->nbody; i++) {
        const stmt *a = s->body[i];
        bool all = a->kind == S_ASSIGN && a->target.id == f.id && a->nargs == s->nvars;
        for (uint32_t k = 0; all && k < a->nargs; k++) all = is_var(m, a->args[k], s->vars[k]);
        if (all) return true;
    }
    return false;
}

static bool is_written_first(const model *m, const stmt *const *body, uint32_t n, func f, bool *written);

// False if f may be read before it was written; *written tells whether it certainly was.
static bool writes_first(const model *m, const stmt *s, func f, bool *written) {
    if (*written) return true;
    uint32_t own = count_reads(m, s->cond, f) + count_reads(m, s->value, f);
    for (uint32_t i = 0; i < s->nargs; i++) own += count_reads(m, s->args[i], f);
    if (own) return false;
    if (writes_all(m, s, f)) return *written = true;
    bool then = false, other = false;
    if (!is_written_first(m, s->body, s->nbody, f, &then)) return false;
    if (!is_written_first(m, s->orelse, s->norelse, f, &other)) return false;
    *written = (s->kind == S_IF && then && other) || ((s->kind == S_SEQ || s->kind == S_PAR) && then);
    return true;
}

static bool is_written_first(const model *m, const stmt *const *body, uint32_t n, func f, bool *written) {
    for (uint32_t i = 0; i < n; i++)
        if (!writes_first(m, body[i], f, written)) return false;
    return true;
}

// What happens to f after the loop.
typedef enum { AFTER_ABSENT, AFTER_WRITTEN, AFTER_OPEN, AFTER_READ } after;

static after worse(after a, after b) { return a > b ? a : b; }

static after after_loop(const judge *j, const stmt *s, func f);

static after after_rest(const judge *j, const stmt *const *rest, uint32_t n, func f) {
    bool written = false;
    if (!is_written_first(j->m, rest, n, f, &written)) return AFTER_READ;
    return written ? AFTER_WRITTEN : AFTER_OPEN;
}

static after after_list(const judge *j, const stmt *const *body, uint32_t n, func f) {
    after all = AFTER_ABSENT;
    for (uint32_t i = 0; i < n; i++) {
        after here = after_loop(j, body[i], f);
        all = worse(all, here == AFTER_OPEN ? after_rest(j, body + i + 1, n - i - 1, f) : here);
    }
    return all;
}

// A loop around may go on with its next round.
static after after_loop(const judge *j, const stmt *s, func f) {
    if (s == j->loop) return AFTER_OPEN;
    after all = worse(after_list(j, s->body, s->nbody, f), after_list(j, s->orelse, s->norelse, f));
    if (all == AFTER_ABSENT) return all;
    if (s->kind == S_PAR) return AFTER_READ;
    if (all != AFTER_OPEN || (s->kind != S_FORALL && s->kind != S_WHILE)) return all;
    if (count_reads(j->m, s->cond, f) || after_rest(j, s->body, s->nbody, f) == AFTER_READ) return AFTER_READ;
    return AFTER_OPEN;
}

static bool find_private(const judge *j, func f) {
    bool written = false;
    return func_of(j->m, f)->is_scratch && !count_reads(j->m, j->loop->cond, f) &&
           is_written_first(j->m, j->loop->body, j->loop->nbody, f, &written) &&
           after_loop(j, j->whole, f) != AFTER_READ;
}

static bool is_private(const judge *j, func f) {
    uint8_t *known = &j->is_private[f.id];
    if (!*known) *known = find_private(j, f) ? PRIVATE_YES : PRIVATE_NO;
    return *known == PRIVATE_YES;
}

// ---- own cells

static bool stands_for_var(const judge *j, expr e, uint32_t chain);

static bool puts_var(const judge *j, const stmt *s, void *context) {
    const uint32_t *chain = context;
    return !s->value.id || stands_for_var(j, s->value, *chain);
}

// Is e the loop's variable in this round, or nothing at all?
static bool stands_for_var(const judge *j, expr e, uint32_t chain) {
    const expr_info *x = expr_of(j->m, e);
    if (is_var(j->m, e, j->v)) return true;
    if (x->kind == E_WIDEN || x->kind == E_NARROW) return stands_for_var(j, x->args[0], chain);
    if (x->kind != E_APP || x->nargs || !chain--) return false;
    return is_private(j, (func){x->ref}) && all_writes(j, j->loop, (func){x->ref}, puts_var, &chain);
}

static bool has_var_at(const judge *j, const expr *args, uint32_t nargs, uint32_t position) {
    return position < nargs && stands_for_var(j, args[position], LONGEST_CHAIN);
}

static bool reads_own(const judge *j, expr e, func f, uint32_t position) {
    if (!e.id) return true;
    const expr_info *x = expr_of(j->m, e);
    if (x->kind == E_CALL && count_reads(j->m, e, f)) return false;
    if (is_read(x) && x->ref == f.id && !has_var_at(j, x->args, x->nargs, position)) return false;
    if (expr_kind_binds(x->kind) && x->ref == j->v.id) return !count_reads(j->m, e, f);
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!reads_own(j, x->args[i], f, position)) return false;
    return true;
}

static bool touches_own(const judge *j, const stmt *s, func f, uint32_t position) {
    for (uint32_t i = 0; i < s->nvars; i++)
        if (s != j->loop && s->vars[i].id == j->v.id)
            return !stmt_writes(s, f) && !count_stmt_reads(j->m, s, f);
    if (s->kind == S_ASSIGN && s->target.id == f.id && !has_var_at(j, s->args, s->nargs, position))
        return false;
    if (!reads_own(j, s->cond, f, position) || !reads_own(j, s->value, f, position)) return false;
    for (uint32_t i = 0; i < s->nargs; i++)
        if (!reads_own(j, s->args[i], f, position)) return false;
    for (uint32_t i = 0; i < s->nbody; i++)
        if (!touches_own(j, s->body[i], f, position)) return false;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (!touches_own(j, s->orelse[i], f, position)) return false;
    return true;
}

static bool is_own(const judge *j, func f) {
    for (uint32_t i = 0; i < func_of(j->m, f)->nargs; i++)
        if (touches_own(j, j->loop, f, i)) return true;
    return false;
}

// ---- loops that a flag ends

static func flag_of(const model *m, const stmt *loop) {
    if (!loop->cond.id || expr_kind_of(m, loop->cond) != E_NOT) return (func){0};
    const expr_info *x = expr_of(m, expr_arg(m, loop->cond, 0));
    bool is_flag = x->kind == E_APP && !x->nargs && func_of(m, (func){x->ref})->is_scratch;
    return (func){is_flag && stmt_writes(loop, (func){x->ref}) ? x->ref : 0};
}

static bool sets_true(const judge *j, const stmt *s, void *context) {
    (void)context;
    return s->value.id == j->m->true_expr.id;
}

// The flag is read as the loop's condition only, and only ever set.
static bool is_plain_flag(const judge *j) {
    return all_writes(j, j->loop, j->flag, sets_true, NULL) && count_stmt_reads(j->m, j->loop, j->flag) == 1;
}

static bool may_fault(const model *m, expr e) {
    if (!e.id) return false;
    const expr_info *x = expr_of(m, e);
    if (x->kind == E_APP && !func_of(m, (func){x->ref})->may_be_undefined) {
        for (uint32_t i = 0; i < x->nargs; i++)
            if (may_fault(m, x->args[i]) ||
                !type_same(expr_type(m, x->args[i]), func_of(m, (func){x->ref})->args[i]))
                return true;
        return false;
    }
    if (x->kind == E_APP) return !func_of(m, (func){x->ref})->is_scratch;
    if (x->kind == E_DIV || x->kind == E_MOD || x->kind == E_NARROW || x->kind == E_CALL) return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (may_fault(m, x->args[i])) return true;
    return false;
}

static bool has_assign_to(const stmt *const *body, uint32_t n, func f) {
    for (uint32_t i = 0; i < n; i++)
        if (body[i]->kind == S_ASSIGN && body[i]->target.id == f.id) return true;
    return false;
}

// Every write to something that lasts stands beside one of the flag.
static bool writes_with_flag(const judge *j, const stmt *const *body, uint32_t n) {
    bool has_flag = has_assign_to(body, n, j->flag);
    for (uint32_t i = 0; i < n; i++) {
        const stmt *s = body[i];
        if (s->kind == S_ASSIGN && !has_flag && !is_private(j, s->target)) return false;
        if (s->kind == S_FAIL || s->kind == S_ASSUME || s->kind == S_WHILE) return false;
        if (may_fault(j->m, s->cond) || may_fault(j->m, s->value)) return false;
        if (!writes_with_flag(j, s->body, s->nbody) || !writes_with_flag(j, s->orelse, s->norelse))
            return false;
    }
    return true;
}

// ---- all of it

static bool is_harmless(const judge *j, func f) {
    if (j->flag.id) return f.id == j->flag.id || is_private(j, f) || is_constant(j, f);
    return is_own(j, f) || is_private(j, f) || is_constant(j, f) || is_counter(j, f);
}

static bool all_harmless(const judge *j, const stmt *s) {
    if (s->kind == S_ASSIGN) return is_harmless(j, s->target);
    for (uint32_t i = 0; i < s->nbody; i++)
        if (!all_harmless(j, s->body[i])) return false;
    for (uint32_t i = 0; i < s->norelse; i++)
        if (!all_harmless(j, s->orelse[i])) return false;
    return true;
}

bool rounds_any_order(const model *m, const stmt *whole, const stmt *loop, var v) {
    judge j = {.m = m, .whole = whole, .loop = loop, .v = v, .flag = flag_of(m, loop)};
    j.is_private = mem_zero(m->funcs.len, sizeof *j.is_private);
    bool ok = !j.flag.id || (is_plain_flag(&j) && writes_with_flag(&j, loop->body, loop->nbody));
    ok = ok && all_harmless(&j, loop);
    free(j.is_private);
    return ok;
}
