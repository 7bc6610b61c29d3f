// SPDX-License-Identifier: Apache-2.0
// An instance: a system of a model with a size for every sort it uses.
//
// A state of an instance, as the reference evaluator and traces hold it, is an array of values, one per cell:
// the cells of a function stand together, in row-major order of its arguments, functions in the order of
// the system's list.
#ifndef MODEL_INSTANCE_H
#define MODEL_INSTANCE_H

#include "model/model.h"

enum { INSTANCE_LARGEST_SORT = 64, INSTANCE_MOST_CELLS = 1 << 16 };

// Of a type: how many values, and the least (range: lo, else 0).
typedef struct {
    uint32_t size;
    value first;
} instance_values;

typedef struct {
    model *m;
    sys system;
    uint32_t *sort_size;         // by type id; 0 for types that are not sorts
    instance_values *values_of;  // by type id
    uint32_t ntypes;
    uint32_t *first_cell;  // by func id; UINT32_MAX for functions of other systems
    uint32_t ncells;
} instance;

typedef struct {
    type sort;
    uint32_t size;
} sort_size;

// Sizes come from `sizes`, else the declaration, else 2. NULL, with a message, when it would be too large
// or a size contradicts the declaration.
instance *instance_new(model *m, sys s, const sort_size *sizes, uint32_t nsizes);
// The same without messages, for systems that an engine made: NULL means a limit there, not a mistake of the user's.
instance *instance_try(model *m, sys s, const sort_size *sizes, uint32_t nsizes);
void instance_free(instance *in);

// Of a type that the model got after the instance was made (a range of values, say; no sort).
instance_values instance_values_later(const instance *in, type t);
static inline instance_values instance_values_of(const instance *in, type t) {
    return t.id < in->ntypes ? in->values_of[t.id] : instance_values_later(in, t);
}
static inline uint32_t instance_type_size(const instance *in, type t) { return instance_values_of(in, t).size; }
static inline value instance_type_first(const instance *in, type t) { return instance_values_of(in, t).first; }
// Where the values of a member begin among those of a union; UINT32_MAX if it is not a member.
uint32_t instance_member_start(const instance *in, type u, type member);
// The member that a union's value belongs to, and the value there.
type instance_member_of(const instance *in, type u, value v, value *own);
uint32_t instance_func_cells(const instance *in, func f);
// The cell of f(args), or UINT32_MAX if an argument is outside its type.
uint32_t instance_cell(const instance *in, func f, const value *args);
// Which function and arguments a cell belongs to; args has room for every argument.
func instance_cell_func(const instance *in, uint32_t cell, value *args);
// The sorts that the system's state, rules or properties mention, in order of declaration; slots do not count.
typedef VEC(type) type_list;
void instance_sorts(const model *m, sys s, type_list *out);
// "Thread=2, Loc=2"
void instance_sizes_text(const instance *in, str *out);
// A value as the user writes it: true, finished, 3; sort elements count from 1: Thread "2" is t2 in the papers.
void instance_value_text(const instance *in, type t, value v, str *out);

#endif
