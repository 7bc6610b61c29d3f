// SPDX-License-Identifier: Apache-2.0
// Images of states under permutations of the elements of sorts, for certificates: only exchanges of neighbouring
// elements, since these generate all permutations. Written to be plainly right; shares nothing with
// space/symmetry.h.
#ifndef CERTIFICATE_IMAGES_H
#define CERTIFICATE_IMAGES_H

#include "model/instance.h"

typedef struct images images;

images *images_new(const instance *in, const type *sorts, uint32_t nsorts);
void images_free(images *y);
uint32_t images_count(const images *y);  // of exchanges
// The state with the two elements of an exchange in each other's place, everywhere; to may not be from.
void images_make(const images *y, uint32_t exchange, const value *from, value *to);

#endif
