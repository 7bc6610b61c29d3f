// SPDX-License-Identifier: Apache-2.0
// Property-directed frames on the unbounded system: see frames.c.
#ifndef INFER_FRAMES_H
#define INFER_FRAMES_H

#include "infer/diagram.h"
#include "infer/prover.h"

enum { FRAME_NONE = 0, FRAME_ALWAYS = UINT32_MAX };

typedef struct {
    prover *x;
    diagram_maker d;
    VEC(uint32_t) level_of;  // by lemma: 1 + the last frame it is in; FRAME_NONE: in none
    uint32_t frontier;
    limits limits;
    uint64_t queries, questions;  // budget: see frames_search()
    uint32_t failing;             // the rule that broke a candidate last: asked first
    bool is_spurious;             // a cube that must be blocked is met by an initial or a sampled state
    bool is_undecided;            // some question had no answer
} frames;

// The lemmas of frame k; what is given is in every frame.
void frames_at(const frames *f, uint32_t k, bits *out);
bool frames_stops(frames *f);
uint32_t frames_add(frames *f, expr e, expr shown, uint32_t level);

// ---- general.c: the cube with few literals, that no rule leads to from frame `level` - 1 (level 0: initial states);
// `keep` has literals that suffice, and gets those that are left;
// the cube may get further variables. The number of the lemma, which is in frame `level`.
uint32_t general_block(frames *f, cube *c, bits *keep, uint32_t level);

#endif
