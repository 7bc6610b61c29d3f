// SPDX-License-Identifier: Apache-2.0
// The effects of a round of a loop: see effects.h.
//
// An abstract interpretation of the loop's body, once, in the order of the text. It keeps for each local whether this
// round has written it and whether its value is v or a fixed one; branches are joined, and what an inner loop writes is
// forgotten before it and after it, since it may have any number of rounds. A variable of an inner loop is never fixed.
// The work is linear in the text for each loop, and bounded by EFFECTS_MOST_STEPS.
#include "pass/effects_int.h"

#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"

static void effects_run(effects *fx, const stmt *s);

static void effects_run_all(effects *fx, const stmt *const *body, uint32_t n) {
    for (uint32_t i = 0; i < n && !fx->refusal; i++) effects_run(fx, body[i]);
}

static void effects_look(effects *fx, expr e) {
    effects_new_stamp(fx);
    effects_read(fx, e);
}

bool effects_is_outside(const model *m, expr e, type t) {
    if (!type_is_number(m, t)) return false;
    int64_t lo, hi;
    expr_bounds(m, e, &lo, &hi);
    return lo < type_of(m, t)->lo || hi > type_of(m, t)->hi;
}

// ---- touches

static effect_key *effects_key_of(effects *fx, const expr *args, uint32_t position) {
    const expr_info *x = expr_of(fx->m, args[position]);
    for (uint32_t i = fx->work->keys.len; x->kind == E_VAR && i-- > 0;) {
        effect_key *k = &fx->work->keys.data[i];
        if (k->x.id == x->ref && k->position == position && effects_same_args(k->args, args, position)) return k;
    }
    return NULL;
}

static effect_index effects_index_of(effects *fx, const effect_touch *t, const expr *args, uint32_t i) {
    const effect_key *k = fx->work->nopaque ? NULL : effects_key_of(fx, args, i);
    if (k && !t->is_unkeyed) return (effect_index){.kind = INDEX_KEYED, .e = {k->g.id}};
    effect_index is = effects_resolve(fx, args[i]);
    if (is.kind == INDEX_FIXED && !fx->work->nopaque)
        is.held = slot_use_held(fx->work->slots, fx->work->number, t->f, args, i + 1);
    return is;
}

void effects_add_touch(effects *fx, effect_touch t, const expr *args, uint32_t nargs) {
    t.indices = fx->indices.len;
    t.fact = fx->work->fact;
    t.region = fx->work->region;
    for (uint32_t i = 0; i < nargs; i++) {
        effect_index x = effects_index_of(fx, &t, args, i);
        vec_push(&fx->indices, x);
    }
    vec_push(&fx->touches, t);
}

static bool is_constant_pair(const model *m, expr a, expr b) {
    const expr_info *x = expr_of(m, a), *y = expr_of(m, b);
    return x->kind == E_CONST && y->kind == E_CONST && type_same(x->ty, y->ty) && x->ref != y->ref;
}

static bool has_fact(const effects *fx, uint32_t fact, bool is_equal, expr e) {
    for (; fact; fact = fx->facts.data[fact].before) {
        const effect_fact *f = &fx->facts.data[fact];
        if (f->is_equal == is_equal && expr_same(f->e, e)) return true;
    }
    return false;
}

// Only the round for e does both.
static bool excludes_another(const effects *fx, uint32_t a, uint32_t b) {
    for (; a; a = fx->facts.data[a].before)
        if (fx->facts.data[a].is_equal && has_fact(fx, b, true, fx->facts.data[a].e)) return true;
    return false;
}

// The own element of the round of `a` and the fixed e of the round of `b`.
static bool own_is_not(const effects *fx, const effect_touch *a, const effect_touch *b, expr e) {
    return has_fact(fx, a->fact, false, e) || has_fact(fx, b->fact, true, e);
}

// A slot that was free until a round took it, and one that holds an element all the time.
static bool is_held_and_fresh(effect_index x, effect_index y) {
    return x.kind == INDEX_FIXED && y.kind == INDEX_FRESH && x.held.id && x.held.id == y.e.id;
}

static bool differs_at(const effects *fx, const effect_touch *a, const effect_touch *b, uint32_t i) {
    effect_index x = fx->indices.data[a->indices + i], y = fx->indices.data[b->indices + i];
    if (x.kind == INDEX_OWN && y.kind == INDEX_OWN) return true;
    if (x.kind == INDEX_FRESH && y.kind == INDEX_FRESH) return true;
    if (x.kind == INDEX_KEYED && y.kind == INDEX_KEYED) return x.e.id == y.e.id;
    if (x.kind == INDEX_FIXED && y.kind == INDEX_FIXED) return is_constant_pair(fx->m, x.e, y.e);
    if (x.kind == INDEX_OWN && y.kind == INDEX_FIXED) return own_is_not(fx, a, b, y.e);
    if (y.kind == INDEX_OWN && x.kind == INDEX_FIXED) return own_is_not(fx, b, a, x.e);
    if (is_held_and_fresh(x, y) || is_held_and_fresh(y, x)) return true;
    // A new element has its round's own key, if all new ones have; setting slots free changes which are taken.
    if (x.kind == INDEX_FRESH && y.kind == INDEX_KEYED) return b->kind == TOUCH_READ && bits_has(&fx->keyed, y.e.id);
    if (y.kind == INDEX_FRESH && x.kind == INDEX_KEYED) return a->kind == TOUCH_READ && bits_has(&fx->keyed, x.e.id);
    return false;
}

bool effects_meet(const effects *fx, const effect_touch *a, const effect_touch *b) {
    if (excludes_another(fx, a->fact, b->fact)) return false;
    for (uint32_t i = 0; i < func_of(fx->m, a->f)->nargs; i++)
        if (differs_at(fx, a, b, i)) return false;
    return true;
}

// ---- locals

static void set_local(effects *fx, func f, effect_local now) {
    effects_work *w = fx->work;
    vec_push(&w->trail, ((effects_undo){f, w->locals[f.id]}));
    w->locals[f.id] = now;
}

static void undo(effects *fx, uint32_t mark) {
    effects_work *w = fx->work;
    while (w->trail.len > mark) {
        effects_undo u = w->trail.data[--w->trail.len];
        w->locals[u.f.id] = u.before;
    }
}

static bool is_plain(const model *m, expr e) { return expr_kind_of(m, e) == E_CONST || expr_kind_of(m, e) == E_VAR; }

const effect_part *effects_part_of(const effects *fx, func f, const expr *args, uint32_t nargs) {
    const effects_work *w = fx->work;
    for (uint32_t i = w->parts.len; nargs && !w->nopaque && i-- > 0;) {
        const effect_part *p = &w->parts.data[i];
        if (p->f.id == f.id && effects_same_args(p->args, args, nargs)) return p;
    }
    return NULL;
}

static void forget_values(effects *fx, func f) {
    for (uint32_t i = 0; i < fx->work->parts.len; i++)
        if (fx->work->parts.data[i].f.id == f.id) fx->work->parts.data[i].is_defined = false;
}

static void remember_part(effects *fx, const stmt *s, bool is_defined) {
    effects_work *w = fx->work;
    for (uint32_t i = 0; i < s->nargs; i++)
        if (!is_plain(fx->m, s->args[i])) return;
    if (w->parts.len < EFFECTS_MOST_PARTS) vec_push(&w->parts, ((effect_part){s->target, s->args, is_defined}));
}

// is_defined: what is written is a value.
static void write_local(effects *fx, const stmt *s, bool is_defined, effect_index is) {
    effects_work *w = fx->work;
    if (!func_of(fx->m, s->target)->is_scratch) return;
    if (!s->nargs) {
        effect_local now = {true, is_defined, is, s->value, fx->touches.len};
        set_local(fx, s->target, w->nparallel ? (effect_local){0} : now);
        return;
    }
    if (!is_defined) {
        effect_local l = w->locals[s->target.id];
        l.is_defined = false;
        set_local(fx, s->target, l);
        forget_values(fx, s->target);
    }
    if (!w->nparallel) remember_part(fx, s, is_defined);
}

// ---- branches

static effect_local join_locals(effect_local a, effect_local b) {
    effect_local both = {.is_written = a.is_written && b.is_written, .is_defined = a.is_defined && b.is_defined};
    if (a.is.kind == b.is.kind && a.is.e.id == b.is.e.id) both.is = a.is;
    return both;
}

typedef VEC(effects_undo) changes;

// What the first of two branches changed, as it is now; what it was before is put back.
static changes take_changes(effects *fx, uint32_t mark) {
    effects_work *w = fx->work;
    changes out = {0};
    for (uint32_t i = mark; i < w->trail.len; i++) {
        func f = w->trail.data[i].f;
        vec_push(&out, ((effects_undo){f, w->locals[f.id]}));
    }
    undo(fx, mark);
    return out;
}

// After the second branch: a local that one of them changed meets what it was in the other.
static void effects_join(effects *fx, const changes *first, uint32_t mark) {
    effects_work *w = fx->work;
    uint32_t end = w->trail.len, stamp = ++w->join_mark;
    for (uint32_t i = 0; i < first->len + (end - mark); i++) {
        effects_undo u = i < first->len ? first->data[i] : w->trail.data[mark + i - first->len];
        if (w->joined[u.f.id] == stamp) continue;
        w->joined[u.f.id] = stamp;
        set_local(fx, u.f, join_locals(u.before, w->locals[u.f.id]));
    }
}

static uint32_t enter_region(effects *fx, bool is_loop) {
    uint32_t was = fx->work->region;
    vec_push(&fx->regions, ((effect_region){.parent = was, .is_loop = is_loop}));
    fx->work->region = fx->regions.len - 1;
    return was;
}

static void run_branch(effects *fx, expr cond, bool is_true, const stmt *const *body, uint32_t n) {
    effects_work *w = fx->work;
    uint32_t nparts = w->parts.len, region = enter_region(fx, false);
    effects_scope was = effects_enter(fx);
    effects_learn(fx, cond, is_true, true);
    effects_run_all(fx, body, n);
    effects_leave(fx, was);
    w->region = region;
    w->parts.len = nparts;
}

static void effects_run_if(effects *fx, const stmt *s) {
    uint32_t mark = fx->work->trail.len;
    effects_look(fx, s->cond);
    run_branch(fx, s->cond, true, s->body, s->nbody);
    changes then = take_changes(fx, mark);
    run_branch(fx, s->cond, false, s->orelse, s->norelse);
    effects_join(fx, &then, mark);
    vec_free(&then);
}

// ---- assignments

static void find_value(effects *fx, effect_touch *t, expr e) {
    effect_index is = effects_resolve(fx, e);
    t->is_same = is.kind == INDEX_FIXED;
    t->is_same_first = t->is_same || effects_is_fixed(fx, e, true);
    t->value = t->is_same ? is.e : e;
}

// f(a) := f(a) op e: the kind, and e.
static touch_kind find_operation(effects *fx, const stmt *s, expr *operand) {
    const expr_info *x = expr_of(fx->m, s->value);
    bool is_sum = x->kind == E_ADD || x->kind == E_SUB, is_junction = x->kind == E_OR || x->kind == E_AND;
    if ((!is_sum && !is_junction) || x->nargs != 2) return TOUCH_WRITE;
    const expr_info *old = expr_of(fx->m, x->args[0]);
    if (old->kind != E_APP || old->ref != s->target.id || !effects_same_args(old->args, s->args, s->nargs))
        return TOUCH_WRITE;
    *operand = x->args[1];
    if (is_junction) {
        if (effects_faults(fx, x->args[1])) return TOUCH_WRITE;
        return x->kind == E_OR ? TOUCH_OR : TOUCH_AND;
    }
    int64_t lo, hi;
    expr_bounds(fx->m, x->args[1], &lo, &hi);
    if (lo < 0 && hi > 0) return TOUCH_WRITE;
    return (lo >= 0) == (x->kind == E_ADD) ? TOUCH_ADD : TOUCH_SUBTRACT;
}

// A round that adds to a cell that it did not write sees only what it adds.
static void accumulate(effects *fx, const stmt *s, touch_kind kind, expr operand) {
    const func_info *f = func_of(fx->m, s->target);
    effects_look(fx, operand);
    if (f->may_be_undefined) fx->aborts |= ABORT_FAULT;
    if (f->is_scratch) bits_add(&fx->exposed, s->target.id);
    effects_add_touch(fx, (effect_touch){.kind = kind, .f = s->target}, s->args, s->nargs);
    if (f->is_scratch && !s->nargs) set_local(fx, s->target, (effect_local){0});
}

static bool can_accumulate(const effects *fx, const stmt *s) {
    const effects_work *w = fx->work;
    return s->value.id && !w->is_parallel && !w->locals[s->target.id].is_written &&
           !effects_part_of(fx, s->target, s->args, s->nargs);
}

static void set_flag(effects *fx, const stmt *s) {
    fx->regions.data[fx->work->region].sets_flag = true;
    fx->is_flag_plain &= expr_same(s->value, fx->m->true_expr);
}

static void drop_key(effects *fx, const effect_key *k, func test) {
    vec_push(&fx->work->dropped, ((effect_keyless){k->g, test}));
}

static void write_test(effects *fx, const stmt *s, effect_key *k) {
    bool is_free = expr_same(s->value, fx->m->false_expr);
    k->freed = is_free ? fx->work->region + 1 : 0;
    if (!is_free) drop_key(fx, k, (func){0});  // it may have lost its value before
}

// A slot keeps its round's key, or is set free before it loses it.
static bool keeps_key(effects *fx, const stmt *s) {
    for (uint32_t i = 0; i < s->nargs; i++) {
        effect_key *k = effects_key_of(fx, s->args, i);
        if (!k) continue;
        if (s->target.id != k->g.id) {
            if (s->target.id == k->test.id) write_test(fx, s, k);
            continue;
        }
        bool is_own = s->value.id && effects_resolve(fx, s->value).kind == INDEX_OWN;
        bool is_freed = k->freed == fx->work->region + 1;
        bool is_keyless = !s->value.id && (k->asked.id || is_freed);
        if (!is_own && !is_keyless) return false;
        if (is_keyless) drop_key(fx, k, is_freed ? k->test : (func){0});
    }
    return true;
}

// New elements of a multiset whose value of f is not the round's own.
static void effects_note_fresh(effects *fx, const stmt *s, bool is_own) {
    for (uint32_t i = 0; i < s->nargs; i++)
        if (effects_resolve(fx, s->args[i]).kind == INDEX_FRESH) {
            if (!is_own) bits_add(&fx->unkeyed, s->target.id);
            else bits_add(&fx->keyed, s->target.id);
        }
}

static void look_at_place(effects *fx, const stmt *s) {
    const func_info *f = func_of(fx->m, s->target);
    for (uint32_t i = 0; i < s->nargs; i++) {
        effects_look(fx, s->args[i]);
        if (effects_is_outside(fx->m, s->args[i], f->args[i])) fx->aborts |= ABORT_FAULT;
    }
    if (s->value.id && effects_is_outside(fx->m, s->value, f->result)) fx->aborts |= ABORT_FAULT;
}

static void write_cell(effects *fx, const stmt *s, bool is_defined) {
    effect_touch t = {.kind = TOUCH_WRITE, .f = s->target};
    effect_index is = {.kind = INDEX_ANY};
    t.is_unkeyed = !keeps_key(fx, s);
    t.is_same = t.is_same_first = true;
    if (s->value.id) {
        find_value(fx, &t, s->value);
        is = effects_resolve(fx, s->value);
    }
    effects_note_fresh(fx, s, s->value.id && is_defined && is.kind == INDEX_OWN);
    effects_add_touch(fx, t, s->args, s->nargs);
    write_local(fx, s, is_defined, is);
}

static void effects_assign(effects *fx, const stmt *s) {
    expr operand = {0};
    if (s->target.id == fx->flag.id) {
        set_flag(fx, s);
        return;
    }
    look_at_place(fx, s);
    touch_kind kind = can_accumulate(fx, s) ? find_operation(fx, s, &operand) : TOUCH_WRITE;
    if (kind != TOUCH_WRITE) {
        accumulate(fx, s, kind, operand);
        return;
    }
    if (s->value.id) effects_look(fx, s->value);
    write_cell(fx, s, s->value.id != 0);
}

bool effects_is_copy(const model *m, const stmt *s) {
    if (s->kind != S_IF || s->nbody != 1 || s->norelse != 1) return false;
    const stmt *copy = s->body[0], *drop = s->orelse[0];
    if (copy->kind != S_ASSIGN || drop->kind != S_ASSIGN || !copy->value.id || drop->value.id) return false;
    const expr_info *asked = expr_of(m, s->cond), *from = expr_of(m, copy->value);
    return copy->target.id == drop->target.id && effects_same_args(copy->args, drop->args, copy->nargs) &&
           asked->kind == E_DEFINED && from->kind == E_APP && asked->ref == from->ref &&
           effects_same_args(asked->args, from->args, from->nargs);
}

static void effects_run_copy(effects *fx, const stmt *s) {
    effects_look(fx, s->cond);
    look_at_place(fx, s->body[0]);
    func from = {expr_of(fx->m, s->cond)->ref};
    const effect_local *l = &fx->work->locals[from.id];
    bool is_defined = !func_of(fx->m, from)->may_be_undefined || (l->is_written && l->is_defined);
    write_cell(fx, s->body[0], is_defined);
}

// ---- inner loops

// Before a round of an inner loop, what the loop writes has its value from before the loop or from another round.
static void forget_written(effects *fx, const stmt *body) {
    walk w = walk_stmt(fx->m, body, WALK_STMTS);
    while (walk_next(&w)) {
        func f = w.s->target;
        if (w.s->kind != S_ASSIGN || !func_of(fx->m, f)->is_scratch) continue;
        effect_local l = fx->work->locals[f.id];
        l.is_defined &= w.s->value.id != 0;
        l.is = (effect_index){.kind = INDEX_ANY};
        l.from = (expr){0};
        set_local(fx, f, l);
        if (!w.s->value.id) forget_values(fx, f);
    }
}

static bool is_among(const model *m, expr e, const var *vars, uint32_t nvars, type t, uint32_t *which) {
    const expr_info *x = expr_of(m, e);
    for (uint32_t i = 0; x->kind == E_VAR && i < nvars; i++)
        if (vars[i].id == x->ref && type_same(var_of(m, vars[i])->ty, t)) {
            *which = i;
            return true;
        }
    return false;
}

static bool covers_every_cell(const model *m, const stmt *a, const var_list *vars) {
    uint64_t used = 0;
    for (uint32_t i = 0; i < a->nargs; i++) {
        uint32_t which = 0;
        type t = func_of(m, a->target)->args[i];
        if (!is_among(m, a->args[i], vars->data, vars->len, t, &which) || which >= 64 || used >> which & 1)
            return false;
        used |= UINT64_C(1) << which;
    }
    return a->nargs > 0;
}

// Loops in loops, as deep as the text has them.
static void find_covers(const model *m, const stmt *loop, var_list *vars, func_list *out) {
    uint32_t nvars = vars->len;
    if (loop->kind != S_FORALL || loop->cond.id) return;
    for (uint32_t i = 0; i < loop->nvars; i++) vec_push(vars, loop->vars[i]);
    for (uint32_t i = 0; i < loop->nbody; i++) {
        const stmt *s = loop->body[i];
        const stmt *a = effects_is_copy(m, s) ? s->body[0] : s;
        if (a->kind == S_ASSIGN && covers_every_cell(m, a, vars)) vec_push(out, a->target);
        else find_covers(m, s, vars, out);
    }
    vars->len = nvars;
}

void effects_covers(const model *m, const stmt *loop, func_list *out) {
    var_list vars = {0};
    find_covers(m, loop, &vars, out);
    vec_free(&vars);
}

// May s take away a value of f?
static bool undefines(const stmt *s, func f) {
    walk w = walk_stmt(NULL, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN && w.s->target.id == f.id && !w.s->value.id) return walk_found(&w);
    return false;
}

static void cover(effects *fx, const stmt *loop) {
    func_list all = {0};
    effects_covers(fx->m, loop, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        func f = all.data[i];
        if (!func_of(fx->m, f)->is_scratch || fx->work->nparallel) continue;
        set_local(fx, f, (effect_local){.is_written = true, .is_defined = !undefines(loop, f)});
    }
    vec_free(&all);
}

static bool changes_place(const effects *fx, const stmt *s, const expr *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (stmt_changes(fx->m, s, args[i])) return true;
    return false;
}

static bool effects_bind_vars(effects *fx, const stmt *s) {
    for (uint32_t i = 0; i < s->nvars; i++)
        if (!effects_bind(fx, s->vars[i])) return false;
    return true;
}

// A loop over slots that does something only to those with the round's own key.
static void find_selection(effects *fx, const stmt *s) {
    effect_key key;
    if (s->kind != S_FORALL || s->nvars != 1 || s->nbody != 1 || s->body[0]->kind != S_IF || s->body[0]->norelse)
        return;
    if (effects_find_key(fx, s->cond, s->body[0]->cond, s->vars[0], &key) &&
        !changes_place(fx, s->body[0], key.args, key.position))
        vec_push(&fx->work->keys, key);
}

static void effects_run_loop(effects *fx, const stmt *s) {
    effects_work *w = fx->work;
    if (!effects_bind_vars(fx, s)) return;
    for (uint32_t i = 0; i < s->nbody; i++) forget_written(fx, s->body[i]);
    uint32_t mark = w->trail.len, nparts = w->parts.len, region = enter_region(fx, true);
    effects_scope was = effects_enter(fx);
    find_selection(fx, s);
    if (s->cond.id) {
        effects_look(fx, s->cond);
        effects_learn(fx, s->cond, true, true);
    }
    effects_run_all(fx, s->body, s->nbody);
    effects_leave(fx, was);
    w->region = region;
    w->parts.len = nparts;
    undo(fx, mark);
    for (uint32_t i = 0; i < s->nvars; i++) bits_remove(&w->bound, s->vars[i].id);
    if (s->kind == S_WHILE) fx->aborts |= ABORT_FAULT;
    else cover(fx, s);
}

// ---- multisets

// The slots of which the loop takes one that is free:
// for x with !done & !taken(…, x) { …; taken(…, x) := true; done := true }
static const expr_info *free_slot_test(const effects *fx, const stmt *s) {
    const expr_info *all = s->cond.id ? expr_of(fx->m, s->cond) : NULL;
    for (uint32_t i = 0; all && all->kind == E_AND && i < all->nargs; i++) {
        const expr_info *no = expr_of(fx->m, all->args[i]);
        if (no->kind != E_NOT) continue;
        const expr_info *taken = expr_of(fx->m, no->args[0]);
        if (taken->kind != E_APP || !taken->nargs) continue;
        const expr_info *last = expr_of(fx->m, taken->args[taken->nargs - 1]);
        if (last->kind == E_VAR && last->ref == s->vars[0].id) return taken;
    }
    return NULL;
}

static bool sets_true(const effects *fx, const stmt *s, func f, const expr *args, uint32_t nargs) {
    for (uint32_t i = 0; i < s->nbody; i++) {
        const stmt *a = s->body[i];
        if (a->kind == S_ASSIGN && a->target.id == f.id && a->nargs == nargs &&
            effects_same_args(a->args, args, nargs) && expr_same(a->value, fx->m->true_expr))
            return true;
    }
    return false;
}

// Does the loop stop as soon as one slot was taken?
static bool stops_at_first(const effects *fx, const stmt *s) {
    const expr_info *all = expr_of(fx->m, s->cond);
    for (uint32_t i = 0; i < all->nargs; i++) {
        const expr_info *no = expr_of(fx->m, all->args[i]);
        if (no->kind != E_NOT) continue;
        const expr_info *done = expr_of(fx->m, no->args[0]);
        if (done->kind == E_APP && !done->nargs && sets_true(fx, s, (func){done->ref}, NULL, 0)) return true;
    }
    return false;
}

static effects_limit *limit_of(effects *fx, func taken) {
    effects_work *w = fx->work;
    for (uint32_t i = 0; i < w->limits.len; i++)
        if (w->limits.data[i].taken.id == taken.id) return &w->limits.data[i];
    vec_push(&w->limits, (effects_limit){.taken = taken});
    return &vec_last(&w->limits);
}

// Is what names the multiset the same as when its elements were counted?
static bool effects_is_unchanged(const effects *fx, const effect_check *c, uint32_t nargs) {
    if (fx->touches.len - c->since > EFFECTS_LONGEST_CHECK || fx->flag.id) return false;
    for (uint32_t i = c->since; i < fx->touches.len; i++)
        for (uint32_t k = 0; fx->touches.data[i].kind != TOUCH_READ && k < nargs; k++)
            if (expr_reads(fx->m, c->args[k], fx->touches.data[i].f)) return false;
    return true;
}

// Is the place `now` what `then` was: by its text, by its value, or as a local that `then` was assigned to since?
static bool is_same_place(effects *fx, expr then, expr now, uint32_t since) {
    if (expr_same(then, now)) return true;
    effect_index a = effects_resolve(fx, then), b = effects_resolve(fx, now);
    if (a.kind == b.kind && (a.kind == INDEX_OWN || a.kind == INDEX_FIXED)) return expr_same(a.e, b.e);
    const expr_info *x = expr_of(fx->m, now);
    const effect_local *l = &fx->work->locals[x->kind == E_APP && !x->nargs ? x->ref : 0];
    return l->is_written && l->since > since && expr_same(l->from, then);
}

static bool are_same_places(effects *fx, const effect_check *c, const expr *now, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!is_same_place(fx, c->args[i], now[i], c->since)) return false;
    return true;
}

static void match_check(effects *fx, const expr_info *taken) {
    effects_work *w = fx->work;
    effects_limit *l = limit_of(fx, (func){taken->ref});
    effect_check *c = &w->check;
    bool is_checked = c->taken.id == taken->ref && c->region == w->region &&
                      are_same_places(fx, c, taken->args, taken->nargs - 1) &&
                      effects_is_unchanged(fx, c, taken->nargs - 1);
    is_checked = is_checked && (!l->limit.id || expr_same(l->limit, c->limit));
    if (is_checked) l->limit = c->limit;
    l->nadds++;
    l->nmatched += is_checked;
    w->check = (effect_check){0};
}

static void effects_add_element(effects *fx, const stmt *s) {
    const expr_info *taken = s->nvars == 1 ? free_slot_test(fx, s) : NULL;
    var was = fx->work->fresh;
    func was_taken = fx->work->fresh_taken;
    if (taken && sets_true(fx, s, (func){taken->ref}, taken->args, taken->nargs) && stops_at_first(fx, s)) {
        match_check(fx, taken);
        fx->work->fresh = s->vars[0];
        fx->work->fresh_taken = (func){taken->ref};
        bits_add(&fx->slots, var_of(fx->m, s->vars[0])->ty.id);
    }
    effects_run_loop(fx, s);
    fx->work->fresh = was;
    fx->work->fresh_taken = was_taken;
}

// assert count(x: taken(…, x)) < limit, before an element is added. Elements only become more: whether some check
// fails depends on how many are added in all, if each is added after a check of its own.
static bool run_check(effects *fx, const stmt *s) {
    if (s->nbody || s->norelse != 1 || s->orelse[0]->kind != S_FAIL || s->orelse[0]->is_limit) return false;
    const expr_info *less = expr_of(fx->m, s->cond);
    if (less->kind != E_LT || expr_kind_of(fx->m, less->args[0]) != E_COUNT || fx->work->is_parallel) return false;
    const expr_info *count = expr_of(fx->m, less->args[0]), *taken = expr_of(fx->m, count->args[0]);
    if (taken->kind != E_APP || !taken->nargs || func_of(fx->m, (func){taken->ref})->may_be_undefined) return false;
    const expr_info *last = expr_of(fx->m, taken->args[taken->nargs - 1]);
    if (last->kind != E_VAR || last->ref != count->ref || !effects_is_fixed(fx, less->args[1], false)) return false;
    for (uint32_t i = 0; i + 1 < taken->nargs; i++) {
        if (expr_has_var(fx->m, taken->args[i], (var){count->ref})) return false;
        effects_look(fx, taken->args[i]);
    }
    effects_look(fx, less->args[1]);
    fx->aborts |= ABORT_FAULT;
    limit_of(fx, (func){taken->ref})->nchecks++;
    fx->work->check = (effect_check){{taken->ref}, taken->args, less->args[1], fx->work->region, fx->touches.len};
    return true;
}

// Checks that do not belong to an element each read how many there are.
static void finish_limits(effects *fx) {
    for (uint32_t i = 0; i < fx->work->limits.len; i++) {
        const effects_limit *l = &fx->work->limits.data[i];
        if (!l->nchecks || (l->nchecks == l->nmatched && l->nadds == l->nmatched)) continue;
        effect_touch t = {.kind = TOUCH_READ, .f = l->taken, .indices = fx->indices.len};
        for (uint32_t k = 0; k < func_of(fx->m, l->taken)->nargs; k++) vec_push(&fx->indices, ((effect_index){0}));
        vec_push(&fx->touches, t);
    }
    bits_minus(&fx->keyed, &fx->unkeyed);
}

// A slot that lost its key is passed over by all who look for theirs, or one of them fails.
static void finish_keys(effects *fx) {
    const effects_work *w = fx->work;
    for (uint32_t i = 0; i < w->dropped.len; i++)
        for (uint32_t k = 0; k < w->unasked.len && !fx->refusal; k++) {
            effect_keyless d = w->dropped.data[i], u = w->unasked.data[k];
            if (d.g.id == u.g.id && d.test.id != u.test.id) fx->refusal = "a round may undefine what another one reads";
        }
}

// ---- the rest

static void run_parallel(effects *fx, const stmt *s) {
    fx->work->nparallel++;
    effects_run_all(fx, s->body, s->nbody);
    fx->work->nparallel--;
}

static void effects_run(effects *fx, const stmt *s) {
    switch (s->kind) {
    case S_ASSIGN: effects_assign(fx, s); return;
    case S_IF:
        if (effects_is_copy(fx->m, s)) effects_run_copy(fx, s);
        else if (!run_check(fx, s)) effects_run_if(fx, s);
        return;
    case S_FORALL:
        if (s->any_order) effects_add_element(fx, s);
        else effects_run_loop(fx, s);
        return;
    case S_WHILE: effects_run_loop(fx, s); return;
    case S_PAR: run_parallel(fx, s); return;
    case S_SEQ: effects_run_all(fx, s->body, s->nbody); return;
    case S_ASSUME:
        effects_look(fx, s->cond);
        fx->aborts |= s->is_guard ? ABORT_GUARD : ABORT_ASSUMPTION;
        return;
    case S_FAIL: fx->aborts |= s->is_limit ? ABORT_LIMIT : ABORT_FAULT; return;
    }
}

// ---- the loop

static func flag_in(const effects *fx, expr cond) {
    uint32_t n;
    const expr *parts = expr_conjuncts(fx->m, &cond, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (expr_kind_of(fx->m, parts[i]) != E_NOT) continue;
        const expr_info *flag = expr_of(fx->m, expr_arg(fx->m, parts[i], 0));
        bool is_flag = flag->kind == E_APP && !flag->nargs && func_of(fx->m, (func){flag->ref})->is_scratch;
        if (is_flag && bits_has(&fx->written, flag->ref)) return (func){flag->ref};
    }
    return (func){0};
}

static void reset(effects *fx, const effects_loop *loop, var v) {
    effects_work *w = fx->work;
    EFFECTS_LISTS(vec_clear, fx, w);
    EFFECTS_SETS(bits_clear, fx, w);
    vec_push(&fx->facts, (effect_fact){0});
    vec_push(&fx->regions, (effect_region){0});
    fx->aborts = 0;
    fx->refusal = NULL;
    fx->is_flag_plain = true;
    w->v = v, w->around = loop->around, w->slots = loop->slots, w->number = loop->number;
    w->nparallel = w->is_parallel = loop->is_parallel;
    w->loop_number++;
    w->steps = w->fact = w->region = 0;
    w->check = (effect_check){0};
}

void effects_find(effects *fx, const effects_loop *which, var v) {
    const stmt *loop = which->loop;
    reset(fx, which, v);
    walk w = walk_stmt(fx->m, loop, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN) bits_add(&fx->written, w.s->target.id);
    fx->flag = loop->cond.id && !which->is_parallel ? flag_in(fx, loop->cond) : (func){0};
    for (uint32_t i = 0; i < loop->nvars; i++)
        if (loop->vars[i].id != v.id) effects_bind(fx, loop->vars[i]);
    if (loop->cond.id) {
        effects_look(fx, loop->cond);
        effects_learn(fx, loop->cond, true, true);
    }
    effects_run_all(fx, loop->body, loop->nbody);
    finish_limits(fx);
    finish_keys(fx);
    undo(fx, 0);
}

effects *effects_new(const model *m) {
    arena *memory = arena_new();
    effects *fx = arena_alloc(memory, sizeof *fx);
    effects_work *w = fx->work = arena_alloc(memory, sizeof *w);
    fx->m = m;
    w->memory = memory;
    w->seen = arena_alloc(memory, m->exprs.len * sizeof *w->seen);
    w->fixed = arena_alloc(memory, m->exprs.len * sizeof *w->fixed);
    w->fixed_first = arena_alloc(memory, m->exprs.len * sizeof *w->fixed_first);
    w->locals = arena_alloc(memory, m->funcs.len * sizeof *w->locals);
    w->joined = arena_alloc(memory, m->funcs.len * sizeof *w->joined);
    return fx;
}

void effects_free(effects *fx) {
    if (!fx) return;
    EFFECTS_LISTS(vec_free, fx, fx->work);
    EFFECTS_SETS(bits_free, fx, fx->work);
    arena_free(fx->work->memory);
}
