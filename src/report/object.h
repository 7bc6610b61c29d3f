// SPDX-License-Identifier: Apache-2.0
// Results as JSON objects, in the form of doc/json.md. Names of fields never change their meaning.
#ifndef REPORT_OBJECT_H
#define REPORT_OBJECT_H

#include "model/instance.h"
#include "result/result.h"
#include "result/trace.h"

#include <jansson.h>

// How much traces hold: what changes; also what a page needs to draw it (which thread takes a step, where its rule is
// written, how cells form functions); also every state.
typedef enum { OBJECT_CHANGES, OBJECT_DRAWN, OBJECT_STATES } object_detail;

// What makes an answer say less than it seems to (result/doubt.h).
json_t *object_doubts(const result *r);
// The members of a result: verdict, scope, states … properties.
json_t *object_result(const result *r, object_detail detail);
// Several results, one per size: the members of the whole, and each in `runs`.
json_t *object_runs(const result *const *runs, uint32_t count, const char *scope, object_detail detail);
// The member `self_check` of these results together; absent where nothing was checked.
void object_set_self_checks(json_t *o, const result *const *runs, uint32_t count);
json_t *object_stats(const result_stats *stats);
json_t *object_trace(const trace *t, const char *property, object_detail detail);
json_t *object_value(const instance *in, type ty, value v);
json_t *object_state(const instance *in, const value *state);
// The functions of a state, each with its cells: what tells how a state may be laid out.
json_t *object_functions(const instance *in);
// Where something is written: file, line, column; null if it is nowhere.
json_t *object_place(const diag *d, span at);
json_t *object_sizes(const instance *in);
// One message of the user's input: level, file, line, column, message; notes belong to the message before
// them.
json_t *object_messages(const diag *d, diag_level level);

// A value from JSON: true, "finished", 3; elements of sorts count from 1. False if it is not a value of the type.
bool object_read_value(const instance *in, type ty, const json_t *j, value *v);

// A string of any bytes; what is not UTF-8 becomes U+FFFD.
json_t *object_string(const char *text);
json_t *object_string_or_null(const char *text);  // NULL: null
json_t *object_take(str *text);                   // and frees it
// As text, with a newline at the end.
void object_print(const json_t *object, str *out);

#endif
