// SPDX-License-Identifier: Apache-2.0
// What tells an answer from an empty one: how often each rule fired, and doubts, which are facts that make a
// `holds` say less than it seems to. A doubt changes no verdict unless the user asks for that (--strict).
#ifndef RESULT_DOUBT_H
#define RESULT_DOUBT_H

#include "result/result.h"

const char *doubt_kind_text(doubt_kind k);  // "no step", "rule", …: the same for ever, for JSON

// Adds to the count of the rule of that name and place.
void doubt_count_rule(result *r, const char *name, span at, uint64_t fired);
// Each subject once a kind, and a property once a premise; name and text are copied.
void doubt_add(result *r, doubt_kind kind, const char *subject, const char *text);
bool doubt_has(const result *r, const doubt *d);
void doubt_keep_common(result *r, const result *with);  // those that the other has too
void doubt_forget(result *r);                           // all doubts
void doubt_join(result *r, const result *from);  // counts and doubts
// What holds becomes unknown where there is a doubt: then it is true.
bool doubt_be_strict(result *r);

#endif
