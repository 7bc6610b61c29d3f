// SPDX-License-Identifier: Apache-2.0
// Rewriting and asking about statements.
#ifndef MODEL_STMT_H
#define MODEL_STMT_H

#include "model/model.h"

// Replaces vars[i] by with[i] in every expression of s.
const stmt *stmt_subst(model *m, const stmt *s, const var *vars, const expr *with, uint32_t n);
// s1 and s2 as one statement, for bodies that touch different functions.
const stmt *stmt_both(model *m, const stmt *s1, const stmt *s2);
bool stmt_writes(const stmt *s, func f);
bool stmt_changes(const model *m, const stmt *s, expr e);  // does s write what e reads?
// May two rounds of a loop write the same cell?
bool stmt_rounds_meet(const model *m, const stmt *loop);
// The same statement with every parallel loop whose rounds may write the same cell split into one loop per
// assignment. Running such loops round by round then means what model.h says about parallel statements: the later
// write in the text counts, whatever the order of elements. model_add_rule() does this to every body.
const stmt *stmt_in_text_order(model *m, const stmt *s);
// Statements may be shared (a body that serves several calls): how many there are, each as often as it occurs, counted
// no further than to most + 1. What goes through all of them asks this first.
uint32_t stmt_tree(const stmt *s, uint32_t most);

#endif
