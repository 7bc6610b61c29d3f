// SPDX-License-Identifier: Apache-2.0
// Frames (IC3 by Bradley, VMCAI 2011; on the unbounded system as in UPDR by Karbyshev et al., CAV 2015).
//
// Frame k is a set of lemmas that hold in every state reached by at most k steps: frame 0 has lemmas true initially,
// and a lemma is in frame k + 1 only if every rule leads from frame k to states where it holds. Frames shrink: what
// is in k + 1 is in k. While some state of the last frame has a step that breaks what is to be shown, its diagram is
// kept out of that frame: if frame k - 1 has a step into it, the state before that step is kept out first. Lemmas are
// pushed to later frames; when two frames in a row are the same, they are an invariant.
//
// A cube that initial or sampled states meet cannot be kept out: then no conjunction of clauses over these words is
// an invariant, and the search ends without an answer.
#include "infer/frames.h"

#include "model/expr.h"

enum { FRAMES_PATTERNS = 20 };  // queries of a question that count

void frames_at(const frames *f, uint32_t k, bits *out) {
    bits_clear(out);
    for (uint32_t i = 0; i < f->level_of.len; i++)
        if (f->level_of.data[i] > k) bits_add(out, i);
}

bool frames_stops(frames *f) {
    const logic_stats *s = logic_statistics(f->x->logic);
    return limits_met(&f->limits) || (s->queries >= f->queries && s->questions >= f->questions);
}

static void frames_set_level(frames *f, uint32_t lemma_number, uint32_t level) {
    while (f->level_of.len <= lemma_number) vec_push(&f->level_of, FRAME_NONE);
    if (f->level_of.data[lemma_number] < level) f->level_of.data[lemma_number] = level;
}

uint32_t frames_add(frames *f, expr e, expr shown, uint32_t level) {
    prover *x = f->x;
    uint32_t n = map_get(x->by_formula, &e.id, sizeof e.id, UINT32_MAX);
    if (n == UINT32_MAX) {
        n = prover_add_lemma(x, e, (lemma){.kind = LEMMA_FOUND, .shown = shown});
        map_put(x->by_formula, &e.id, sizeof e.id, n);
    }
    frames_set_level(f, n, level + 1);
    return n;
}

// ---- keeping states out

// Is the lemma preserved from frame k on?
static bool frames_keep(frames *f, uint32_t number, uint32_t k) {
    prover *x = f->x;
    bits one = {0}, assumed = {0}, failed = {0};
    frames_at(f, k, &assumed);
    bits_add(&assumed, number);
    bits_add(&one, number);
    bool ok = true;
    for (uint32_t r = 0; r < x->nrules && ok; r++)
        ok = logic_preserved(x->logic, r, &assumed, &one, &failed) == ANSWER_PROVED;
    bits_free(&one);
    bits_free(&assumed);
    bits_free(&failed);
    return ok;
}

static void frames_raise(frames *f, uint32_t number) {
    while (f->level_of.data[number] <= f->frontier && !frames_stops(f) &&
           frames_keep(f, number, f->level_of.data[number] - 1))
        f->level_of.data[number]++;
}

static bool frames_block(frames *f, const instance *in, const value *state, uint32_t level);

// The states before steps into the cube are kept out; `keep` gets the literals that refutations use. False when that
// cannot be done.
static bool frames_block_before(frames *f, const cube *c, uint32_t level, bits *keep) {
    prover *x = f->x;
    bits all = {0}, assumed = {0}, used = {0};
    for (uint32_t i = 0; i < c->facts.len; i++) bits_add(&all, i);
    uint32_t self = logic_add_lemma(x->logic, diagram_clause(&f->d, c, &all, NULL));
    logic_cube q = {c->vars.data, c->vars.len, c->lits.data, c->lits.len};
    bool ok = true;
    for (uint32_t r = 0; r < x->nrules && ok;) {
        frames_at(f, level - 1, &assumed);
        bits_add(&assumed, self);
        answer a = logic_reaches(x->logic, r, &assumed, &q, &used);
        countermodel before = {0};
        if (a == ANSWER_PROVED) {
            bits_join(keep, &used);
            r++;
        } else if (a == ANSWER_REFUTED && prover_countermodel(x, &before)) {
            ok = frames_block(f, before.in, before.before, level - 1);
        } else {
            f->is_undecided = true;
            ok = false;
        }
        countermodel_free(&before);
        ok = ok && !frames_stops(f);
    }
    logic_retire(x->logic, self);
    bits_free(&all);
    bits_free(&assumed);
    bits_free(&used);
    return ok;
}

static bool frames_block_cube(frames *f, cube *c, uint32_t level) {
    bits keep = {0}, all = {0}, none = {0};
    logic_cube q = {c->vars.data, c->vars.len, c->lits.data, c->lits.len};
    for (uint32_t i = 0; i < c->facts.len; i++) bits_add(&all, i);
    answer start = logic_reaches(f->x->logic, LOGIC_START, &none, &q, &keep);
    bool ok = start == ANSWER_PROVED && !diagram_is_seen(&f->d, c, &all, NULL);
    f->is_spurious |= !ok && start != ANSWER_UNKNOWN;
    f->is_undecided |= start == ANSWER_UNKNOWN;
    ok = ok && (level == 0 || frames_block_before(f, c, level, &keep));
    if (ok) frames_raise(f, general_block(f, c, &keep, level));
    bits_free(&keep);
    bits_free(&all);
    return ok;
}

static bool frames_block(frames *f, const instance *in, const value *state, uint32_t level) {
    cube c;
    bool ok = diagram_of(&f->d, in, state, &c);
    f->is_undecided |= !ok;
    ok = ok && frames_block_cube(f, &c, level);
    cube_free(&c);
    f->x->out->stats.blocked += ok;
    prover_report(f->x, "frames");
    return ok;
}

// ---- the last frame

// Keeps the state of the last countermodel out of the last frame; false when that cannot be done.
static bool frames_answer(frames *f) {
    countermodel c;
    bool known = prover_countermodel(f->x, &c);
    f->is_undecided |= !known;
    bool ok = known && frames_block(f, c.in, c.before, f->frontier);
    countermodel_free(&c);
    return ok && !frames_stops(f);
}

static bool frames_meet_goals(frames *f) {
    prover *x = f->x;
    bits assumed = {0};
    bool ok = true;
    for (uint32_t i = 0; i < x->goals.len && ok;) {
        frames_at(f, f->frontier, &assumed);
        answer a = logic_implied(x->logic, UINT32_MAX, &assumed, x->goals.data[i].cond);
        if (a == ANSWER_PROVED) i++;
        else ok = a == ANSWER_REFUTED && frames_answer(f);
        f->is_undecided |= a == ANSWER_UNKNOWN;
    }
    bits_free(&assumed);
    return ok;
}

// What is given must be preserved by every rule.
static bool frames_keep_given(frames *f) {
    prover *x = f->x;
    bits assumed = {0}, given = {0}, failed = {0};
    bool ok = true;
    BITS_EACH(i, &x->asked)
        if (x->lemmas.data[i].kind != LEMMA_FOUND) bits_add(&given, i);
    for (uint32_t r = 0; r < x->nrules && ok && !bits_is_empty(&given);) {
        frames_at(f, f->frontier, &assumed);
        answer a = logic_preserved(x->logic, r, &assumed, &given, &failed);
        if (a == ANSWER_PROVED) r++;
        else ok = a == ANSWER_REFUTED && frames_answer(f);
        f->is_undecided |= a == ANSWER_UNKNOWN;
    }
    bits_free(&assumed);
    bits_free(&given);
    bits_free(&failed);
    return ok;
}

// ---- pushing

static bool frames_is_empty_between(const frames *f, uint32_t k) {
    for (uint32_t i = 0; i < f->level_of.len; i++)
        if (f->level_of.data[i] == k + 1) return false;
    return true;
}

// Lemmas go to the next frame where they are preserved. The first frame that is the same as the next is an invariant:
// its number, or UINT32_MAX.
static uint32_t frames_push(frames *f) {
    for (uint32_t k = 0; k <= f->frontier; k++) {
        for (uint32_t i = 0; i < f->level_of.len && !frames_stops(f); i++)
            if (f->level_of.data[i] == k + 1 && frames_keep(f, i, k)) f->level_of.data[i]++;
        if (frames_stops(f)) return UINT32_MAX;
        if (frames_is_empty_between(f, k)) return k + 1;
    }
    return UINT32_MAX;
}

// The lemmas of a frame stand, and what is given.
static void frames_let_stand(frames *f, uint32_t k) {
    prover *x = f->x;
    bits found = {0};
    for (uint32_t i = 0; i < x->lemmas.len; i++)
        if (x->lemmas.data[i].kind == LEMMA_FOUND) bits_add(&found, i);
    bits_minus(&x->stands, &found);
    bits_minus(&x->asked, &found);
    frames_at(f, k, &found);
    BITS_EACH(i, &found)
        if (x->lemmas.data[i].kind == LEMMA_FOUND) {
            bits_add(&x->stands, i);
            bits_add(&x->asked, i);
        }
    bits_free(&found);
    prover_unsettle(x);
}

static outcome frames_run(frames *f) {
    for (f->frontier = 1;; f->frontier++) {
        f->x->out->stats.iterations++;
        if (!frames_meet_goals(f) || !frames_keep_given(f)) break;
        uint32_t same = frames_push(f);
        if (same != UINT32_MAX) {
            frames_let_stand(f, same);
            return OUTCOME_PROVED;
        }
        if (frames_stops(f)) break;
    }
    frames_let_stand(f, 1);
    return prover_out_of_time(f->x) ? OUTCOME_STOPPED : OUTCOME_STUCK;
}

outcome frames_search(prover *x, uint64_t queries, bool with_quantified, bool *is_spurious) {
    const logic_stats *s = logic_statistics(x->logic);
    frames f = {.x = x, .queries = s->queries + queries, .questions = s->questions + queries / FRAMES_PATTERNS};
    f.limits = limits_within(&x->o->limits, limits_left(&x->o->limits) / 3);
    proof_take_way(x->out, WAY_FRAMES);
    diagram_start(&f.d, x->pool, with_quantified);
    for (uint32_t i = 0; i < x->samples.len; i++) vec_push(&f.d.samples, x->samples.data[i]);
    for (uint32_t i = 0; i < x->wide.len; i++) vec_push(&f.d.samples, x->wide.data[i]);
    BITS_EACH(i, &x->stands)
        if (x->lemmas.data[i].kind != LEMMA_FOUND || bits_has(&x->kept, i)) frames_set_level(&f, i, FRAME_ALWAYS);
    for (uint32_t i = 0; i < x->hints.len; i++) {
        const hint *h = &x->hints.data[i];
        if (h->is_false || h->is_late || bits_has(&x->kept, h->lemma)) continue;
        uint32_t n = frames_add(&f, h->e, h->shown, 0);
        x->lemmas.data[n].name = h->name;
    }
    logic_set_small(x->logic, true);
    logic_set_alone(x->logic, true);
    outcome end = frames_run(&f);
    logic_set_alone(x->logic, false);
    logic_set_small(x->logic, false);
    *is_spurious = f.is_spurious;
    diagram_stop(&f.d);
    vec_free(&f.level_of);
    return end;
}
