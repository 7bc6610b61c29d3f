// SPDX-License-Identifier: Apache-2.0
// A cube that cannot be reached, made general: literals go as long as no initial state, no sampled state and no step
// from the frame before meets what is left. What is left excludes more states, and says more.
//
// First all literals about one element go at once, so that lemmas have few variables; then single ones, quantified
// ones first. At last pairs of variables are let be the same element, and a variable that stands in several places
// gets another one there, so that "sent(x, x)" becomes "sent(x, y)".
#include "infer/frames.h"

#include "model/expr.h"

typedef struct {
    frames *f;
    cube *c;
    uint32_t level;
    bits before;  // the frame before
} generalisation;

static bool general_rule_keeps_out(generalisation *g, uint32_t r, const bits *assumed, const logic_cube *q,
                                   bits *core) {
    bits used = {0};
    answer a = logic_reaches(g->f->x->logic, r, assumed, q, &used);
    if (a == ANSWER_PROVED) bits_join(core, &used);
    bits_free(&used);
    return a == ANSWER_PROVED;
}

// Does no step from the frame before, outside the cube, lead into it? `core` gets the literals needed, by their number
// in the part.
static bool general_is_kept_out(generalisation *g, const cube *part, const bits *keep, bits *core) {
    prover *x = g->f->x;
    logic_cube q = {part->vars.data, part->vars.len, part->lits.data, part->lits.len};
    bits assumed = {0};
    bool ok = general_rule_keeps_out(g, LOGIC_START, &assumed, &q, core);
    if (ok && g->level > 0) {
        bits_copy(&assumed, &g->before);
        uint32_t self = logic_add_lemma(x->logic, diagram_clause(&g->f->d, g->c, keep, NULL));
        bits_add(&assumed, self);
        uint32_t first = g->f->failing < x->nrules ? g->f->failing : 0;
        for (uint32_t i = 0; i < x->nrules && ok; i++) {
            uint32_t r = i == 0 ? first : i <= first ? i - 1 : i;
            ok = general_rule_keeps_out(g, r, &assumed, &q, core);
            if (!ok) g->f->failing = r;
        }
        logic_retire(x->logic, self);
    }
    bits_free(&assumed);
    return ok;
}

// Takes the literals out of `keep` if what is left still cannot be met; then it may lose even more.
static bool general_try_without(generalisation *g, bits *keep, const bits *gone) {
    bits rest = {0}, core = {0};
    bits_copy(&rest, keep);
    bits_minus(&rest, gone);
    bool ok = !bits_is_empty(&rest) && !frames_stops(g->f) && !diagram_is_seen(&g->f->d, g->c, &rest, NULL);
    if (ok) {
        cube part;
        diagram_part(g->c, &rest, &part);
        ok = general_is_kept_out(g, &part, &rest, &core);
        cube_free(&part);
    }
    if (ok) {
        bits smaller = {0};
        uint32_t n = 0;
        BITS_EACH(i, &rest)
            if (bits_has(&core, n++)) bits_add(&smaller, i);
        if (bits_is_empty(&smaller) || diagram_is_seen(&g->f->d, g->c, &smaller, NULL)) bits_copy(keep, &rest);
        else bits_copy(keep, &smaller);
        bits_free(&smaller);
    }
    bits_free(&rest);
    bits_free(&core);
    return ok;
}

static void general_drop_elements(generalisation *g, bits *keep) {
    for (uint32_t v = g->c->vars.len; v-- > 0;) {
        bits gone = {0};
        BITS_EACH(i, keep)
            if (g->c->masks.data[i] >> v & 1) bits_add(&gone, i);
        if (!bits_is_empty(&gone)) general_try_without(g, keep, &gone);
        bits_free(&gone);
    }
}

static void general_drop_literals(generalisation *g, bits *keep, bool quantified) {
    for (uint32_t i = bits_next(keep, 0); i != UINT32_MAX; i = bits_next(keep, i + 1)) {
        if (g->f->d.words.data[g->c->facts.data[i].word].is_quantified != quantified) continue;
        bits gone = {0};
        bits_add(&gone, i);
        if (bits_count(keep) > 1) general_try_without(g, keep, &gone);
        bits_free(&gone);
    }
}

// A core may be met by samples, since frames know only so many steps: literals come back until it is not.
static void general_unsee(generalisation *g, bits *keep) {
    for (uint32_t i = 0; i < g->c->facts.len && diagram_is_seen(&g->f->d, g->c, keep, NULL); i++) bits_add(keep, i);
}

// ---- variables that may be the same element

static bool general_holds(generalisation *g, uint32_t number) {
    prover *x = g->f->x;
    bits one = {0}, assumed = {0}, failed = {0};
    bits_add(&one, number);
    bits_copy(&assumed, &g->before);
    bits_add(&assumed, number);
    bool ok = logic_initially(x->logic, &one, &failed) == ANSWER_PROVED;
    for (uint32_t r = 0; r < x->nrules && ok && g->level > 0; r++)
        ok = logic_preserved(x->logic, r, &assumed, &one, &failed) == ANSWER_PROVED;
    bits_free(&one);
    bits_free(&assumed);
    bits_free(&failed);
    return ok;
}

static bool general_try_same(generalisation *g, const bits *keep, const bits *same) {
    prover *x = g->f->x;
    if (diagram_is_seen(&g->f->d, g->c, keep, same)) return false;
    uint32_t n = logic_add_lemma(x->logic, diagram_clause(&g->f->d, g->c, keep, same));
    bool ok = general_holds(g, n);
    logic_retire(x->logic, n);
    return ok;
}

static void general_join_variables(generalisation *g, const bits *keep, bits *same) {
    uint32_t mask = diagram_vars(g->c, keep);
    const model *m = g->f->x->m;
    for (uint32_t i = 0; i < g->c->vars.len; i++)
        for (uint32_t k = i + 1; k < g->c->vars.len; k++) {
            type a = var_of(m, g->c->vars.data[i])->ty, b = var_of(m, g->c->vars.data[k])->ty;
            if (!(mask >> i & 1) || !(mask >> k & 1) || !type_same(a, b) || frames_stops(g->f)) continue;
            bits_add(same, i * CUBE_MOST_VARS + k);
            if (!general_try_same(g, keep, same)) bits_remove(same, i * CUBE_MOST_VARS + k);
        }
}

// ---- variables that stand in several places

static uint32_t general_places_of(const generalisation *g, const bits *keep, uint32_t variable) {
    uint32_t n = 0;
    BITS_EACH(i, keep) {
        const fact *f = &g->c->facts.data[i];
        for (uint32_t k = 0; k < g->f->d.words.data[f->word].nformals; k++) n += f->args[k] == variable;
    }
    return n;
}

static void general_split_at(generalisation *g, const bits *keep, bits *same, uint32_t number, uint32_t arg) {
    fact before = g->c->facts.data[number];
    expr lit = g->c->lits.data[number];
    uint32_t mask = g->c->masks.data[number], nvars = g->c->vars.len;
    bits more = {0};
    if (!diagram_split(&g->f->d, g->c, number, arg, nvars)) return;
    bits_copy(&more, same);
    for (uint32_t i = 0; i < nvars; i++) bits_add(&more, i * CUBE_MOST_VARS + nvars);
    if (general_try_same(g, keep, &more)) bits_copy(same, &more);
    else {
        g->c->facts.data[number] = before;
        g->c->lits.data[number] = lit;
        g->c->masks.data[number] = mask;
        g->c->vars.len = nvars;
    }
    bits_free(&more);
}

static void general_split_variables(generalisation *g, const bits *keep, bits *same) {
    BITS_EACH(i, keep)
        for (uint32_t k = 0; k < g->f->d.words.data[g->c->facts.data[i].word].nformals && !frames_stops(g->f); k++)
            if (general_places_of(g, keep, g->c->facts.data[i].args[k]) > 1) general_split_at(g, keep, same, i, k);
}

uint32_t general_block(frames *f, cube *c, bits *keep, uint32_t level) {
    generalisation g = {.f = f, .c = c, .level = level};
    bits same = {0};
    if (level > 0) frames_at(f, level - 1, &g.before);
    general_unsee(&g, keep);
    general_drop_elements(&g, keep);
    general_drop_literals(&g, keep, true);
    general_drop_literals(&g, keep, false);
    general_join_variables(&g, keep, &same);
    general_split_variables(&g, keep, &same);
    uint32_t n = frames_add(f, diagram_clause(&f->d, c, keep, &same), diagram_readable(&f->d, c, keep, &same), level);
    bits_free(&g.before);
    bits_free(&same);
    return n;
}
