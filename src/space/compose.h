// SPDX-License-Identifier: Apache-2.0
// Successors of rules that are taken apart: every option of each factor that is possible, with every one of the others
// (factor.h). They come in the order of their bindings, as if each had been compiled.
#ifndef SPACE_COMPOSE_H
#define SPACE_COMPOSE_H

#include "base/mem.h"
#include "space/lower.h"
#include "space/space.h"

typedef struct composer composer;

composer *composer_new(const lowering *p, arena *memory);
// Room for what the compiled code says: successors and labels, as many as are compiled.
uint64_t *composer_next(composer *c);
uint32_t *composer_labels(composer *c);
// Makes the n successors there into those of bindings that the sieve (NULL: none) keeps; returns how many.
uint32_t composer_run(composer *c, uint32_t n, const space_sieve *sieve, uint64_t *next, uint32_t *labels);

// How many rules are taken apart? If some are, the numbers of what is compiled are not those of bindings.
uint32_t compose_count(const lowering *p);
// The binding of a label that is compiled, of a rule that is not taken apart.
uint32_t compose_binding(const lowering *p, uint32_t compiled);
const lower_rule *compose_source(const lowering *p, uint32_t compiled, uint32_t *end);  // its rule, and where that ends

#endif
