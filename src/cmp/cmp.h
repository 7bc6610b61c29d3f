// SPDX-License-Identifier: Apache-2.0
// `prove --method cmp`: invariants of systems with any number of threads or nodes, by the compositional method.
//
// C.-T. Chou, P. Mannava, S. Park (FMCAD 2004); S. Krstic (AVIS 2005); D. Sethi, M. Talupur, D. Schwartz-Narbonne,
// S. Malik (SPIN 2012). The stages, in the order of the data:
//
//   abstract.c, translate.c, body.c   the system with c elements and Other
//   survey.c, join.c, views.c         views: what instances show of the kept elements
//   lexicon.c, candidates.c           what lemmas are made of, and those that were considered
//   strengthen.c                      guards with lemmas
//   block.c, witness.c                which candidates exclude a step
//   closure.c, steps.c                candidates that keep the abstraction within the views
//   refine.c                          the loop, and the exploration that is the proof
//   prove.c                           the whole
//   murphi.c                          abstract models and lemmas as Murphi
#ifndef CMP_CMP_H
#define CMP_CMP_H

#include "base/progress.h"
#include "cmp/refine.h"
#include "result/proof.h"

typedef struct {
    const char *sort;       // to abstract; NULL: the one that most rules have a parameter of
    limits limits;
    uint64_t limit_states;  // of one exploration; 0: a default
    uint32_t threads;
    progress *line;         // may be NULL
} cmp_options;

// The sort that is abstracted; id 0, with a message, when there is none.
type cmp_choose_sort(model *m, sys s, const cmp_options *options);

// Is the property proved with `kept` elements by the lemmas of the system alone, each checked, none searched for?
bool cmp_check_given(model *m, prop p, const char *sort, uint32_t kept);

// Never NULL. The lemmas of the system (sys_info.lemmas) are the user's.
proof *cmp_prove(model *m, prop p, const cmp_options *options);

#endif
