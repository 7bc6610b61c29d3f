// SPDX-License-Identifier: Apache-2.0
// Views of one element up to permutations of other sorts (the nodes of a list): one shared state stands for all that
// differ by names. Its views are there in all the ways that these names allow, so that any two of them may meet.
#ifndef CMP_LEMMAS_ORBITS_H
#define CMP_LEMMAS_ORBITS_H

#include "cmp/lemmas/survey.h"
#include "cmp/lemmas/views.h"

typedef struct orbits orbits;

// Takes over the survey's views. Never NULL: without symmetric sorts each view stands for itself.
orbits *orbits_new(survey *s, views *v);
// The survey's views are representatives again.
void orbits_free(orbits *o);
bool orbits_are_few(const orbits *o);  // else nothing may be added
void orbits_add(orbits *o, const uint64_t *view);

#endif
