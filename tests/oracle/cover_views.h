// SPDX-License-Identifier: Apache-2.0
// cover_views: an abstraction of a model of cover.h, with the views of some of its instances.
#ifndef ORACLE_COVER_VIEWS_H
#define ORACLE_COVER_VIEWS_H

#include "cmp/lemmas/survey.h"
#include "oracle/cover.h"

typedef struct {
    cover_sample of;
    abstraction *a;
    lemma_vocabulary *v;
    survey *s;
} cover_views;

// False if the model is refused.
bool cover_views_open(cover_views *x, const char *text, uint32_t kept);
void cover_views_close(cover_views *x);
// Adds those of an instance, of as many of its states as are said.
void cover_views_add(cover_views *x, survey *s, uint32_t size, uint64_t most_states);

#endif
