// SPDX-License-Identifier: Apache-2.0
// Sets of admissible interchanges, given by what they forbid: formulas of past temporal logic that hold at
// the second of two neighbouring events when these must not be swapped (Cohen, Pnueli and Zuck, CAV 2008,
// section 2.2).
//
//   interchange lazy_invalidation
//   use structural
//   forbid lazy_invalidation: p != q & commit(q) & previously (read(p, x) & !commit(q) since write(q, x))
//
// `use` names a set of the library or a file ("mine.ix"). See doc/histories.md for the language.
#ifndef HISTORY_INTERCHANGE_H
#define HISTORY_INTERCHANGE_H

#include "base/map.h"
#include "history/past.h"

typedef struct {
    const char *name;
    span at;
    past formula;
} forbidden;

typedef struct {
    arena *memory;  // names and formulas; not owned
    const char *name;
    VEC(const forbidden *) rules;
    map *names;               // of the rules
    VEC(const char *) texts;  // paths of what was read
} interchange;

// From text. False after mistakes, which go to `messages`.
bool interchange_parse(interchange *x, diag *messages, const char *path, const char *text, size_t size);
// From the library when the name is one of its sets, else from a file.
bool interchange_load(interchange *x, diag *messages, const char *name_or_path);
// The memory must outlive `messages`, which quote the texts.
void interchange_begin(interchange *x, arena *memory);
void interchange_free(interchange *x);

// ---- the library

enum { LIBRARY_MOST = 16 };

// The text of a set; NULL if there is none with that name.
const char *library_find(const char *name, size_t *size);
uint32_t library_names(const char *names[LIBRARY_MOST]);
// Why a set of that name cannot be stated, or NULL.
const char *library_refused(const char *name);

// ---- shapes

// A rule whose truth depends only on the two events and their transactions, wherever they are: whoever
// reorders events without swapping such a pair may do so freely. p != q; `last` is q's event, `previous`
// p's.
typedef enum { SHAPE_OTHER, SHAPE_SAME_CLIENT, SHAPE_STRICT_ORDER, SHAPE_PAIR } shape_kind;

typedef struct {
    shape_kind kind;
    uint8_t last, previous;  // bits of event kinds
    bool by_address;         // the pair shares an address: that of `previous`, and…
    uint8_t inside;          // …if not 0, of an event of these kinds that q's transaction has before `last`,
                             // else that of `last`
} shape;

shape shape_of(const past *f);
// All rules have a shape, and the events of one client and the order of commits are kept: then the order of
// the transactions is known, and serializability is a matter of pairs.
bool shape_all_pairs(const interchange *x);

#endif
