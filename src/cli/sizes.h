// SPDX-License-Identifier: Apache-2.0
// Which size each sort has: from --size, else from the file, else 2. A range makes several runs.
#ifndef CLI_SIZES_H
#define CLI_SIZES_H

#include "cli/session.h"
#include "model/instance.h"
#include "result/result.h"

typedef enum { SIZE_ASKED, SIZE_DECLARED, SIZE_ASSUMED } size_origin;

typedef struct {
    const model *m;
    type sort;  // of that model
    uint32_t low, high, now;
    size_origin origin;
} chosen_size;

typedef struct {
    VEC(chosen_size) sorts;  // in order of declaration
} sizes;

// The sorts of these systems. False, with messages, when --size names a sort that the model does not have.
bool sizes_choose(session *s, model *m, const sys *systems, uint32_t nsystems, sizes *out);
// The sorts of one system each of two models; those of one name have one size, if need be the one that the second says.
bool sizes_choose_two(session *s, model *const models[2], const sys systems[2], sizes *out);
void sizes_free(sizes *z);

bool sizes_is_range(const sizes *z);
// Runs through all combinations, the last sort fastest: first call sizes_first().
void sizes_first(sizes *z);
bool sizes_next(sizes *z);

// An instance at the present combination, of any of the models; NULL with messages.
instance *sizes_instance(const sizes *z, model *m, sys system);

void sizes_add(const sizes *z, result *r);  // as the scope of a result
void sizes_text(const sizes *z, str *out);  // "Thread=1..3, Loc=2"
// Where sizes came from, when not all were given: "sizes from the file: Thread=2; …"; else, and with --quiet,
// nothing.
void sizes_say_origin(const sizes *z, const session *s, str *out);
json_t *sizes_object(const sizes *z);         // {"Thread": 2} or {"Thread": "1..3"}
json_t *sizes_origin_object(const sizes *z);  // {"Thread": "option", "Loc": "file"}

#endif
