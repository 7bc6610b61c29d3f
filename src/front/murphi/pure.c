// SPDX-License-Identifier: Apache-2.0
// Statements before an expression made part of it: symbolic execution of the locals.
//
// A function that is called in a guard or a property is inlined as statements on locals; here each local
// gets an expression over the state, so that the whole is an expression again. Loops over ranges and
// enumerations are unrolled. In a loop over a scalarset every local must change in one of two ways, which
// do not depend on the order of rounds: it gets a fixed value where a condition holds (then: where one
// exists), or grows by a fixed amount (then: by the number of elements). Otherwise the loop is unrolled,
// which tells elements apart, and symmetry is not used. A `while` is unrolled as far as it can go before its locals
// repeat.
//
// A read that fails is a fault also where the expression does not need its value: all reads are *noted*, with the
// condition under which they happen; for a summary (murphi/summary.c) the failure says them at once, in their order.
#include "front/murphi/lower.h"
#include "model/stmt.h"
#include "model/walk.h"
#include "model/welldefined.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPEN_ROUNDS = 16, MOST_CELLS = 64, MOST_SKIPPED = 16 };  // of a `while`; of a local array; see is_hopeless
enum { LARGEST_FAILURE = 1 << 21 };  // nodes of its tree, where statements can be run instead

typedef struct {
    func f;
    uint32_t cell;  // of an array, in row-major order
    expr value;     // where defined
    expr defined;
    bool is_open;  // an earlier round of a loop over a scalarset may have given it a value
} local;

// Where the path is taken, `where` must hold, or something failed.
typedef struct {
    expr path, where;
} pure_note;

typedef struct {
    VEC(pure_note) all;
    map *known;
} pure_notes;

typedef struct {
    lowering *l;
    model *m;
    VEC(local) locals;
    expr path;          // condition under which the present statement runs
    expr failed;        // condition under which something went wrong
    expr limited;       // condition under which more is needed than can be had
    pure_notes *notes;  // NULL: what is to be noted is part of `failed` at once
    bool ok;
    uint32_t steps;     // statements that may still be run
    bool is_one_round;  // of a loop over a scalarset: ranges are checked for all rounds together
} executor;

// ---- locals, and the cells of local arrays

static uint32_t murphi_cells_of(const executor *x, func f) {
    const func_info *info = func_of(x->m, f);
    uint64_t n = 1;
    for (uint32_t i = 0; i < info->nargs && n <= MOST_CELLS; i++) n *= type_known_size(x->m, info->args[i]);
    return n <= MOST_CELLS ? (uint32_t)n : 0;
}

// The indices of a cell.
static void indices_of(executor *x, func f, uint32_t cell, expr *out) {
    const func_info info = *func_of(x->m, f);
    for (uint32_t i = info.nargs; i-- > 0;) {
        uint32_t size = type_known_size(x->m, info.args[i]);
        out[i] = expr_const(x->m, info.args[i], type_first(x->m, info.args[i]) + (value)(cell % size));
        cell /= size;
    }
}

static local *murphi_find_local(executor *x, func f, uint32_t cell) {
    for (uint32_t i = 0; i < x->locals.len; i++)
        if (x->locals.data[i].f.id == f.id && x->locals.data[i].cell == cell) return &x->locals.data[i];
    return NULL;
}

static local *need_local(executor *x, func f, uint32_t cell) {
    local *found = murphi_find_local(x, f, cell);
    if (found) return found;
    expr indices[MURPHI_MOST_INDICES];
    indices_of(x, f, cell, indices);
    vec_push(&x->locals, (local){f, cell, expr_app(x->m, f, indices), x->m->false_expr, false});
    return &vec_last(&x->locals);
}

// Is it this cell that the indices name?
static expr is_cell(executor *x, func f, uint32_t cell, const expr *args) {
    expr indices[MURPHI_MOST_INDICES], all = x->m->true_expr;
    indices_of(x, f, cell, indices);
    for (uint32_t i = 0; i < func_of(x->m, f)->nargs; i++)
        all = expr_and(x->m, all, expr_eq(x->m, args[i], indices[i]));
    return all;
}

// ---- reading

// The cell that the indices name; e itself, which never has a value, where that is none of those written.
static expr read_array(executor *x, expr e, const expr_info *info) {
    model *m = x->m;
    expr all = e;
    for (uint32_t i = 0; i < x->locals.len; i++) {
        local v = x->locals.data[i];
        if (v.f.id != info->ref) continue;
        expr here = info->kind == E_DEFINED ? v.defined : expr_ite(m, v.defined, v.value, e);
        all = expr_ite(m, is_cell(x, v.f, v.cell, info->args), here, all);
    }
    return all;
}

// Where this condition itself has no value, what it is the condition for fails too: nothing more is to be said of it.
static void fails_as_a_whole(lowering *l, expr failed) {
    map_put(l->where, &failed.id, sizeof failed.id, l->m->true_expr.id);
}

// Reading a local that has no value stays a read of it, which is a fault in every state; a local of the
// statements around, which these do not write, stays as it is.
static expr read_visit(model *m, expr e, void *context) {
    executor *x = context;
    const expr_info info = *expr_of(m, e);
    if (info.kind == E_ITE && welldefined_is_said(m, e)) fails_as_a_whole(x->l, info.args[0]);
    if (info.kind != E_APP && info.kind != E_DEFINED) return e;
    if (!func_of(m, (func){info.ref})->is_scratch) return e;
    if (info.nargs) return read_array(x, e, &info);
    local *v = murphi_find_local(x, (func){info.ref}, 0);
    if (!v) return e;
    x->ok &= !v->is_open || expr_is_true(m, v->defined);
    return info.kind == E_DEFINED ? v->defined : expr_ite(m, v->defined, v->value, e);
}

static expr murphi_read_expr(executor *x, expr e) { return e.id ? expr_rewrite(x->m, e, read_visit, x) : e; }

static bool is_part_of(const model *m, expr part, const expr *all) {
    uint32_t n;
    const expr *parts = expr_conjuncts(m, all, &n);
    for (uint32_t i = 0; i < n; i++)
        if (expr_same(parts[i], part)) return true;
    return false;
}

static void note_where(executor *x, expr path, expr where) {
    uint32_t n, key[2] = {path.id};
    if (!x->notes) {
        x->failed = expr_or(x->m, x->failed, expr_and(x->m, path, expr_not(x->m, where)));
        return;
    }
    const expr *parts = expr_conjuncts(x->m, &where, &n);
    for (uint32_t i = 0; i < n; i++) {
        key[1] = parts[i].id;
        if (expr_is_true(x->m, parts[i]) || is_part_of(x->m, parts[i], &path)) continue;
        if (!map_put(x->notes->known, key, sizeof key, 1)) continue;
        vec_push(&x->notes->all, (pure_note){path, parts[i]});
    }
}

static void pure_notes_free(pure_notes *n) {
    vec_free(&n->all);
    map_free(n->known);
}

// Reads e, as a statement does: it is evaluated here, whatever becomes of it.
static expr evaluate_expr(executor *x, expr e) {
    expr now = murphi_read_expr(x, e);
    if (now.id && expr_can_fault(x->m, now)) note_where(x, x->path, welldefined_as_known(x->m, x->l->where, now));
    return now;
}

// ---- statements

static void murphi_run_all(executor *x, const stmt *const *body, uint32_t n);

static void fail_if(executor *x, expr cond) { x->failed = expr_or(x->m, x->failed, expr_and(x->m, x->path, cond)); }

static void check_range(executor *x, type t, expr e) {
    const type_info *info = type_of(x->m, t);
    int64_t lo, hi;
    expr_bounds(x->m, e, &lo, &hi);
    if (info->kind != TYPE_RANGE || (lo >= info->lo && hi <= info->hi) || x->is_one_round) return;
    int32_t low = info->lo, high = info->hi;
    fail_if(x, expr_arith(x->m, E_LT, e, murphi_int(x->l, low)));
    fail_if(x, expr_arith(x->m, E_LT, murphi_int(x->l, high), e));
}

// a where c holds, which was evaluated, else b. "Unless it returned there is a value, and there was one if it did" is
// plain truth.
static expr merge_defined(model *m, expr c, expr a, expr b) {
    bool is_always = (expr_is_true(m, a) && expr_same(b, expr_not(m, c))) || (expr_is_true(m, b) && expr_same(a, c));
    return is_always ? m->true_expr : expr_same(a, b) ? a : expr_ite(m, c, a, b);
}

static local murphi_merge(executor *x, expr c, const local *a, const local *b) {
    model *m = x->m;
    local r = *a;
    r.defined = merge_defined(m, c, a->defined, b->defined);
    if (expr_is_false(m, a->defined)) r.value = b->value;
    else if (!expr_is_false(m, b->defined) && !expr_same(a->value, b->value))
        r.value = expr_ite(m, c, a->value, b->value);
    return r;
}

// Every cell that the indices may name.
static void assign_cells(executor *x, const stmt *s, expr e) {
    const func_info info = *func_of(x->m, s->target);
    expr args[MURPHI_MOST_INDICES];
    for (uint32_t i = 0; i < s->nargs; i++) {
        args[i] = evaluate_expr(x, s->args[i]);
        check_range(x, info.args[i], args[i]);
    }
    uint32_t ncells = murphi_cells_of(x, s->target);
    x->ok &= ncells != 0;
    for (uint32_t cell = 0; cell < ncells; cell++) {
        expr here = is_cell(x, s->target, cell, args);
        if (expr_is_false(x->m, here)) continue;
        local *v = need_local(x, s->target, cell), after = *v;
        after.defined = expr_bool(x->m, e.id != 0);
        if (e.id) after.value = e;
        after = murphi_merge(x, here, &after, v);
        *murphi_find_local(x, s->target, cell) = after;
    }
}

static void run_assign(executor *x, const stmt *s) {
    if (!func_of(x->m, s->target)->is_scratch) {
        x->ok = false;
        return;
    }
    expr e = evaluate_expr(x, s->value);
    if (e.id) check_range(x, func_of(x->m, s->target)->result, e);
    assign_cells(x, s, e);
    // Rounds of loops put one into the other what no text nests.
    x->ok &= !(e.id && expr_too_deep(x->m, e)) && !expr_too_deep(x->m, x->failed);
}

// The branches of an if begin with the same locals, so that a number nearly always names the same one in both.
static local *local_like(executor *x, const local *as, uint32_t number) {
    local *here = number < x->locals.len ? &x->locals.data[number] : NULL;
    bool is_same = here && here->f.id == as->f.id && here->cell == as->cell;
    return is_same ? here : need_local(x, as->f, as->cell);
}

// Where a call fails, which says all of itself (murphi/summary.c).
static bool is_failure(const executor *x, const stmt *s) {
    bool is_fail = s->nbody == 1 && !s->norelse && s->body[0]->kind == S_FAIL;
    return is_fail && (x->notes || map_get(x->l->where, &s->cond.id, sizeof s->cond.id, 0) == x->m->true_expr.id);
}

static void murphi_run_if(executor *x, const stmt *s) {
    expr c = is_failure(x, s) ? murphi_read_expr(x, s->cond) : evaluate_expr(x, s->cond), path = x->path;
    if (expr_is_true(x->m, c) || expr_is_false(x->m, c)) {
        bool then = expr_is_true(x->m, c);
        murphi_run_all(x, then ? s->body : s->orelse, then ? s->nbody : s->norelse);
        return;
    }
    executor y = *x;
    memset(&y.locals, 0, sizeof y.locals);
    for (uint32_t i = 0; i < x->locals.len; i++) vec_push(&y.locals, x->locals.data[i]);
    x->path = expr_and(x->m, path, c);
    murphi_run_all(x, s->body, s->nbody);
    y.path = expr_and(x->m, path, expr_not(x->m, c));
    y.failed = x->failed;
    y.limited = x->limited;
    murphi_run_all(&y, s->orelse, s->norelse);
    for (uint32_t i = 0; i < y.locals.len; i++) local_like(x, &y.locals.data[i], i);
    for (uint32_t i = 0; i < x->locals.len; i++)
        x->locals.data[i] = murphi_merge(x, c, &x->locals.data[i], local_like(&y, &x->locals.data[i], i));
    x->failed = y.failed;
    x->limited = y.limited;
    x->ok &= y.ok;
    x->path = path;
    vec_free(&y.locals);
}

// ---- loops

// What a round is, apart from the value of the first variable: a loop over the others, or the body.
static const stmt *round_of(executor *x, const stmt *s) {
    if (s->nvars > 1) return model_forall(x->m, s->vars + 1, s->nvars - 1, s->cond, s->body, s->nbody, s->at);
    return model_if(x->m, s->cond.id ? s->cond : x->m->true_expr, s->body, s->nbody, NULL, 0, s->at);
}

// The result may depend on how many rounds there were, whether or not it names an element.
static void note_rounds(executor *x, type t) {
    type_info *info = &x->m->types.data[t.id];
    for (uint32_t i = 0; i < info->nmembers; i++) note_rounds(x, info->members[i]);
    if (info->kind == TYPE_SORT) info->size_is_used = true;
}

static void unroll(executor *x, const stmt *s) {
    var v = s->vars[0];
    type t = var_of(x->m, v)->ty;
    uint32_t size = type_known_size(x->m, t);
    if (!size || size > MURPHI_LONGEST_LOOP) x->ok = false;
    for (uint32_t i = 0; i < size && x->ok; i++) {
        expr c = expr_const(x->m, t, type_first(x->m, t) + (value)i);
        const stmt *now = stmt_subst(x->m, round_of(x, s), &v, &c, 1);
        murphi_run_all(x, &now, 1);
    }
    if (x->ok) note_rounds(x, t);
}

// What one round makes of a local whose value before is `old`: where cond holds it becomes `to`, or grows
// by `to`.
typedef struct {
    func f;
    var old;
    expr cond, to;
    bool grows, is_first;  // is_first: it had no value before; `old` is not used
} change;

typedef VEC(change) change_list;

static bool mentions_old(executor *x, expr e, const change_list *all) {
    for (uint32_t i = 0; i < all->len; i++)
        if (!all->data[i].is_first && expr_has_var(x->m, e, all->data[i].old)) return true;
    return false;
}

static bool is_old(executor *x, expr e, const change *c) {
    const expr_info *info = expr_of(x->m, e);
    return info->kind == E_VAR && info->ref == c->old.id;
}

// e as `if cond then to else old`.
static void find_change(executor *x, expr e, change *c) {
    const expr_info info = *expr_of(x->m, e);
    c->cond = x->m->true_expr;
    c->to = e;
    if (is_old(x, e, c)) c->cond = x->m->false_expr;
    else if (info.kind == E_ITE && is_old(x, info.args[2], c)) c->cond = info.args[0], c->to = info.args[1];
    else if (info.kind == E_ITE && is_old(x, info.args[1], c))
        c->cond = expr_not(x->m, info.args[0]), c->to = info.args[2];
    const expr_info to = *expr_of(x->m, c->to);
    c->grows = to.kind == E_ADD && is_old(x, to.args[0], c);
    if (c->grows) c->to = to.args[1];
}

// Values stay in range, or grow one way only, so that the last one tells whether some left it.
static bool is_checkable(executor *x, const change *c) {
    const type_info *t = type_of(x->m, func_of(x->m, c->f)->result);
    int64_t lo, hi;
    if (t->kind != TYPE_RANGE) return true;
    expr_bounds(x->m, c->to, &lo, &hi);
    return c->grows ? lo >= 0 || hi <= 0 : lo >= t->lo && hi <= t->hi;
}

static bool murphi_is_fixed(executor *x, const change *c, var v, const change_list *all) {
    return is_checkable(x, c) && !mentions_old(x, c->cond, all) && !mentions_old(x, c->to, all) &&
           !expr_has_var(x->m, c->to, v);
}

// The flag that ends the loop, if its condition is that the flag is not set.
static func stop_flag(executor *x, const stmt *s) {
    if (!s->cond.id || expr_kind_of(x->m, s->cond) != E_NOT) return (func){0};
    const expr_info *flag = expr_of(x->m, expr_arg(x->m, s->cond, 0));
    bool is_flag = flag->kind == E_APP && !flag->nargs && func_of(x->m, (func){flag->ref})->is_scratch;
    return (func){is_flag ? flag->ref : 0};
}

static bool murphi_is_written(const stmt *loop, func f) {
    for (uint32_t k = 0; k < loop->nbody; k++)
        if (stmt_writes(loop->body[k], f)) return true;
    return false;
}

// Of locals that have no value before the loop, what a round reads may be from an earlier one.
static void open_locals(executor *y, const stmt *s) {
    walk w = walk_stmt(y->m, s, WALK_STMTS);
    while (walk_next(&w)) {
        bool is_local = w.s->kind == S_ASSIGN && func_of(y->m, w.s->target)->is_scratch && !w.s->nargs;
        if (is_local) need_local(y, w.s->target, 0);
    }
    for (uint32_t i = 0; i < y->locals.len; i++) {
        local *v = &y->locals.data[i];
        v->is_open |= !expr_is_true(y->m, v->defined) && murphi_is_written(s, v->f);
    }
}

// The locals before a round: those with a value that the loop writes have one that stands for any. A round
// only happens while the flag that ends the loop is not set.
static void murphi_begin_round(executor *x, const stmt *s, func stop, executor *y, change_list *out) {
    *y = *x;
    memset(&y->locals, 0, sizeof y->locals);
    y->is_one_round = true;
    for (uint32_t i = 0; i < x->locals.len; i++) {
        local v = x->locals.data[i];
        if (murphi_is_written(s, v.f) && !expr_is_false(x->m, v.defined)) {
            if (!expr_is_true(x->m, v.defined)) y->ok = false;
            var old = model_add_var(x->m, "old", func_of(x->m, v.f)->result, s->at);
            vec_push(out, (change){.f = v.f, .old = old});
            v.value = v.f.id == stop.id ? x->m->false_expr : expr_var(x->m, old);
        }
        vec_push(&y->locals, v);
    }
    open_locals(y, s);
}

static change *change_of(change_list *all, func f) {
    for (uint32_t i = 0; i < all->len; i++)
        if (all->data[i].f.id == f.id) return &all->data[i];
    return NULL;
}

// What the round did to a local; one without a value before gets one where its new value is defined.
static bool note_change(executor *x, const local *after, func stop, change_list *all) {
    change *c = change_of(all, after->f);
    if (c && !expr_is_true(x->m, after->defined)) return false;
    if (c && c->f.id == stop.id) c->cond = after->value, c->to = x->m->true_expr;
    else if (c) find_change(x, after->value, c);
    else if (!expr_is_false(x->m, after->defined))
        vec_push(all, (change){.f = after->f, .cond = after->defined, .to = after->value, .is_first = true});
    return true;
}

// What all rounds read. Which rounds there are before the flag is set depends on their order: where none sets it, all
// are.
static bool note_rounds_reads(executor *x, const stmt *s, const pure_notes *of, func stop, change_list *all) {
    bool ok = true;
    const change *flag = stop.id ? change_of(all, stop) : NULL;
    expr ends = flag ? expr_quantify(x->m, E_EXISTS, s->vars[0], flag->cond) : x->m->false_expr;
    for (uint32_t i = 0; i < of->all.len && ok; i++) {
        expr where = expr_implies(x->m, of->all.data[i].path, of->all.data[i].where);
        ok = !mentions_old(x, where, all);
        if (ok) note_where(x, x->path, expr_or(x->m, ends, expr_quantify(x->m, E_FORALL, s->vars[0], where)));
    }
    return ok;
}

static bool find_changes(executor *x, const stmt *s, func stop, change_list *out) {
    executor y;
    pure_notes notes = {.known = map_new()};
    murphi_begin_round(x, s, stop, &y, out);
    y.notes = &notes;
    y.path = x->m->true_expr;
    stmt round = {.kind = S_IF, .cond = stop.id || !s->cond.id ? x->m->true_expr : s->cond, .body = s->body};
    round.nbody = s->nbody;
    murphi_run_if(&y, &round);
    bool ok = y.ok && expr_same(y.failed, x->failed) && expr_same(y.limited, x->limited);
    for (uint32_t i = 0; i < y.locals.len && ok; i++)
        if (murphi_is_written(s, y.locals.data[i].f)) ok = note_change(x, &y.locals.data[i], stop, out);
    for (uint32_t i = 0; i < out->len && ok; i++) ok = murphi_is_fixed(x, &out->data[i], s->vars[0], out);
    ok = ok && note_rounds_reads(x, s, &notes, stop, out);
    vec_free(&y.locals);
    pure_notes_free(&notes);
    return ok;
}

// Rounds after the one that sets the flag do not happen, so all must change under the condition that sets it.
static bool stops_alike(executor *x, change_list *all, func stop) {
    const change *flag = change_of(all, stop);
    for (uint32_t i = 0; flag && i < all->len; i++) {
        const change *c = &all->data[i];
        if (c->grows || (!expr_is_false(x->m, c->cond) && !expr_same(c->cond, flag->cond))) return false;
    }
    return flag && expr_is_true(x->m, flag->to);
}

// The local after all rounds; *ok is false if that cannot be said.
static local changed(executor *x, const change *c, var v, expr go_on, bool *ok) {
    model *m = x->m;
    local r = *need_local(x, c->f, 0);
    if (!c->grows) {
        expr some = expr_and(m, go_on, expr_quantify(m, E_EXISTS, v, c->cond));
        if (c->is_first) return (local){c->f, 0, c->to, some, r.is_open};
        r.value = expr_ite(m, some, c->to, r.value);
        return r;
    }
    expr n = expr_quantify(m, E_COUNT, v, c->cond);
    *ok = expr_arith_fits(m, E_MUL, n, c->to);
    expr more = *ok ? expr_arith(m, E_MUL, n, c->to) : n;
    *ok &= expr_arith_fits(m, E_ADD, r.value, more);
    if (*ok) r.value = expr_arith(m, E_ADD, r.value, more);
    return r;
}

static bool writes_array(const executor *x, const stmt *s) {
    walk w = walk_stmt(x->m, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN && func_of(x->m, w.s->target)->nargs) return walk_found(&w);
    return false;
}

static bool run_symmetric(executor *x, const stmt *s) {
    change_list all = {0};
    VEC(local) results = {0};
    func stop = stop_flag(x, s);
    bool ok = s->nvars == 1 && !writes_array(x, s) && find_changes(x, s, stop, &all) &&
              (!stop.id || stops_alike(x, &all, stop));
    expr go_on = stop.id ? murphi_read_expr(x, s->cond) : x->m->true_expr;
    for (uint32_t i = 0; i < all.len && ok; i++) vec_push(&results, changed(x, &all.data[i], s->vars[0], go_on, &ok));
    for (uint32_t i = 0; i < results.len && ok; i++) {
        local *v = need_local(x, results.data[i].f, 0);
        *v = results.data[i];
        if (all.data[i].grows) check_range(x, func_of(x->m, v->f)->result, v->value);
    }
    vec_free(&results);
    vec_free(&all);
    return ok;
}

static void murphi_run_forall(executor *x, const stmt *s) {
    const type_info *t = type_of(x->m, var_of(x->m, s->vars[0])->ty);
    bool is_symmetric = t->kind == TYPE_SORT || t->kind == TYPE_UNION;
    if (is_symmetric && run_symmetric(x, s)) return;
    if (is_symmetric && x->l->keeps_loops) x->ok = false;
    else unroll(x, s);
}

// ---- while

// Does the loop end as soon as f holds?
static bool murphi_ends_loop(const model *m, expr cond, func f) {
    uint32_t n;
    const expr *parts = expr_conjuncts(m, &cond, &n);
    for (uint32_t i = 0; i < n; i++) {
        const expr_info *x = expr_of(m, parts[i]);
        if (x->kind == E_NOT && expr_kind_of(m, x->args[0]) == E_APP && expr_reads(m, parts[i], f)) return true;
    }
    return false;
}

// The locals that decide how long the loop runs: those of its condition, and those that decide what is written
// there.
typedef struct {
    const executor *x;
    bool *decides;  // by number of the local
    bool has_grown;
} influence;

static void add_readers(influence *in, expr e) {
    for (uint32_t i = 0; e.id && i < in->x->locals.len; i++) {
        if (in->decides[i] || !expr_reads(in->x->m, e, in->x->locals.data[i].f)) continue;
        in->decides[i] = in->has_grown = true;
    }
}

static bool writes_deciding(const influence *in, const stmt *s) {
    for (uint32_t i = 0; i < in->x->locals.len; i++)
        if (in->decides[i] && stmt_writes(s, in->x->locals.data[i].f)) return true;
    return false;
}

static void spread_influence(influence *in, const stmt *s) {
    walk w = walk_stmt(in->x->m, s, WALK_STMTS);
    while (walk_next(&w)) {
        bool matters = writes_deciding(in, w.s);
        if (matters) add_readers(in, w.s->cond);
        if (matters) add_readers(in, w.s->value);
        if (!matters) walk_skip(&w);
    }
}

// After so many rounds the locals that decide have values that they had before, and the loop never ends: nothing
// else changes meanwhile.
static uint64_t rounds_at_most(const executor *x, const stmt *s) {
    influence in = {.x = x, .decides = mem_zero(x->locals.len + 1, sizeof *in.decides)};
    uint64_t n = 1;
    add_readers(&in, s->cond);
    do {
        in.has_grown = false;
        spread_influence(&in, s);
    } while (in.has_grown);
    for (uint32_t i = 0; i < x->locals.len && n <= MOST_OPEN_ROUNDS; i++) {
        func f = x->locals.data[i].f;
        if (!in.decides[i] || !murphi_is_written(s, f) || murphi_ends_loop(x->m, s->cond, f)) continue;
        n *= (uint64_t)type_known_size(x->m, func_of(x->m, f)->result) + 1;
    }
    free(in.decides);
    return n;
}

// A loop whose end depends on the state: round by round, each where the loop goes on.
static void run_open_while(executor *x, const stmt *s) {
    uint64_t most = rounds_at_most(x, s);
    stmt round = {.kind = S_IF, .at = s->at, .cond = s->cond, .body = s->body, .nbody = s->nbody};
    x->ok &= most <= MOST_OPEN_ROUNDS;
    for (uint64_t i = 0; i < most && x->ok; i++) murphi_run_if(x, &round);
    if (x->ok) fail_if(x, evaluate_expr(x, s->cond));
}

static void murphi_run_while(executor *x, const stmt *s) {
    for (uint32_t round = 0; x->ok; round++) {
        expr cond = evaluate_expr(x, s->cond);
        if (expr_is_false(x->m, cond)) return;
        if (!expr_is_true(x->m, cond)) {
            run_open_while(x, s);
            return;
        }
        x->ok &= round < MURPHI_LONGEST_LOOP;
        if (x->ok) murphi_run_all(x, s->body, s->nbody);
    }
}

static void murphi_run(executor *x, const stmt *s) {
    if (!x->steps--) {
        x->steps = 0;
        x->ok = false;
        return;
    }
    switch (s->kind) {
    case S_ASSIGN: run_assign(x, s); return;
    case S_IF: murphi_run_if(x, s); return;
    case S_FORALL: murphi_run_forall(x, s); return;
    case S_SEQ: murphi_run_all(x, s->body, s->nbody); return;
    case S_WHILE: murphi_run_while(x, s); return;
    case S_FAIL:
        if (s->is_limit) x->limited = expr_or(x->m, x->limited, x->path);
        else fail_if(x, x->m->true_expr);
        return;
    default: x->ok = false; return;
    }
}

static void murphi_run_all(executor *x, const stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n && x->ok; i++) murphi_run(x, body[i]);
}

// Where something failed, the value is that of a local that never has one.
static expr unless(lowering *l, expr failed, bool is_limit, expr e) {
    if (expr_is_false(l->m, failed)) return e;
    span at = expr_of(l->m, e)->at;
    place never = murphi_never(l, expr_type(l->m, e), is_limit ? NEVER_LIMITS : NEVER_FAILS, at);
    return expr_ite(l->m, failed, expr_at(l->m, murphi_read_place(l, &never), at), e);
}

// Bodies that are shared make far more statements than can be run: these are not tried. Some more than can be run are,
// since not all branches are.
static bool is_hopeless(const stmt_list *before, uint32_t steps) {
    uint32_t most = MOST_SKIPPED * steps, n = 0;
    for (uint32_t i = 0; i < before->len && n <= most; i++) n += stmt_tree(before->data[i], most);
    return n > most;
}

// Where the value fails anyway, nothing has to be said.
static bool is_noted_by(executor *x, const pure_note *n, const expr *where) {
    expr said = expr_is_true(x->m, n->path) ? n->where : expr_implies(x->m, n->path, n->where);
    return is_part_of(x->m, said, where);
}

// Where something that was read has no value.
static expr failed_reads(executor *x, expr e) {
    expr_list all = {0};
    expr where = welldefined_as_known(x->m, x->l->where, e);
    for (uint32_t i = 0; i < x->notes->all.len; i++) {
        const pure_note *n = &x->notes->all.data[i];
        if (!is_noted_by(x, n, &where)) vec_push(&all, expr_and(x->m, n->path, expr_not(x->m, n->where)));
    }
    expr any = expr_or_all(x->m, all.data, all.len);
    vec_free(&all);
    return any;
}

// What reads too much to say where that fails is run instead.
static void add_failed_reads(executor *x, expr e) {
    expr all = expr_or(x->m, x->failed, failed_reads(x, e));
    x->ok &= expr_of(x->m, all)->tree <= LARGEST_FAILURE || x->l->is_property || expr_same(all, x->failed);
    x->failed = all;
}

// Where the result has no value though there should be one.
static void add_failed_result(executor *x, expr e, expr defined) {
    expr where = expr_can_fault(x->m, e) ? welldefined_as_known(x->m, x->l->where, e) : x->m->true_expr;
    x->failed = expr_or(x->m, x->failed, expr_and(x->m, defined, expr_not(x->m, where)));
}

static murphi_parts run_before(executor *x, const stmt_list *before, uint32_t steps, expr e) {
    lowering *l = x->l;
    x->m = l->m;
    x->path = l->m->true_expr;
    x->failed = x->limited = l->m->false_expr;
    x->ok = true;
    x->steps = steps;
    murphi_run_all(x, before->data, before->len);
    const expr_info info = *expr_of(l->m, e);
    expr defined = info.kind == E_APP ? expr_defined(l->m, (func){info.ref}, info.args) : l->m->true_expr;
    defined = murphi_read_expr(x, defined);
    e = murphi_read_expr(x, e);
    if (x->ok && x->notes) add_failed_reads(x, e);
    if (x->ok && !x->notes) add_failed_result(x, e, defined);
    vec_free(&x->locals);
    return x->ok && !expr_too_deep(l->m, x->failed) ? (murphi_parts){e, x->failed, x->limited, defined}
                                                    : (murphi_parts){0};
}

murphi_parts murphi_pure_parts(lowering *l, const stmt_list *before, uint32_t steps, bool is_whole, expr e) {
    if (is_hopeless(before, steps)) return (murphi_parts){0};
    pure_notes notes = {.known = is_whole ? NULL : map_new()};
    executor x = {.l = l, .notes = is_whole ? NULL : &notes};
    murphi_parts parts = run_before(&x, before, steps, e);
    if (!is_whole) pure_notes_free(&notes);
    return parts;
}

void murphi_says_all(lowering *l, const murphi_parts *p) {
    fails_as_a_whole(l, p->failed);
    fails_as_a_whole(l, p->limited);
    if (l->is_property) fails_as_a_whole(l, p->defined);
}

expr murphi_pure(lowering *l, const stmt_list *before, uint32_t steps, expr e) {
    murphi_parts p = murphi_pure_parts(l, before, steps, false, e);
    if (!p.value.id) return p.value;
    murphi_says_all(l, &p);
    return unless(l, p.limited, true, unless(l, p.failed, false, p.value));
}
