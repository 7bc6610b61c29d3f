// SPDX-License-Identifier: Apache-2.0
// `prove --method cmp`: invariants of systems with any number of threads or nodes, by the compositional method.
//
// C.-T. Chou, P. Mannava, S. Park (FMCAD 2004); S. Krstic (AVIS 2005); D. Sethi, M. Talupur, D. Schwartz-Narbonne,
// S. Malik (SPIN 2012). The stages, in the order of the data:
//
//   abstract/   the system with c elements and Other, lemmas in its guards
//   lemmas/     which lemmas: views of instances, candidates, the exploration that is the proof
//   reading.c   the system as it is, or with what counts elements, or nobody reads, left out
//   prove.c     the whole
//   both.c      any number of elements of two sorts at once
#ifndef CMP_CMP_H
#define CMP_CMP_H

#include "base/limits.h"
#include "base/progress.h"
#include "result/proof.h"

typedef struct {
    const char *sort;     // to abstract; NULL: symmetric_main_sort()
    const char *also;     // another sort of any number of elements, at the same time; NULL: none
    bool is_part;         // of a larger proof: says nothing besides (doubts, what is violated further on, other sorts)
    bool is_ours;         // such a part about a system that is an abstraction already: it is read as it is
    const char *no_sort;  // what to say besides if there is none; may be NULL
    limits limits;
    uint64_t limit_states;  // of one exploration; 0: a default
    uint32_t threads;
    progress *line;  // may be NULL
} cmp_options;

// What a certificate says of a proof.
typedef struct {
    const char *sort, *also;  // as in cmp_options
    uint32_t kept;            // elements of `sort`
    uint32_t nlemmas;         // the last ones of the system are the proof's, not the user's
    limits limits;
} cmp_given;

// Is the property proved with these elements by the lemmas of the system alone, each checked, none searched for? With
// `also`, the abstraction that they give and its small sizes are proved for any number of elements of that sort, as
// cmp_prove() does it. If so, `scope` gets of how many elements of which sorts.
bool cmp_check_given(const model *m, prop p, const cmp_given *given, str *scope);

// Never NULL. The lemmas of the system (sys_info.lemmas) are the user's. What the proof speaks about is on top of the
// model (model/overlay.h), which must live as long.
proof *cmp_prove(const model *m, prop p, const cmp_options *options);

#endif
