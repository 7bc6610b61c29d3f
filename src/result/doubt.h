// SPDX-License-Identifier: Apache-2.0
// What distinguishes an answer from an empty one: how often each rule fired, and doubts, which are facts that make a
// `holds` say less than it seems to. A doubt changes no verdict unless the user asks for that (--strict).
#ifndef RESULT_DOUBT_H
#define RESULT_DOUBT_H

#include "result/result.h"

const char *doubt_kind_text(doubt_kind k);  // "no step", "rule", …: these never change, for JSON

// Adds to the count of the rule of that name and place.
void doubt_count_rule(result *r, const char *name, span at, uint64_t fired);
// Each subject once per kind, and a property once per premise; name and text are copied.
void doubt_add(result *r, doubt_kind kind, const char *subject, const char *text);
// `where`, "" or " in the states looked at", is said behind the text and makes it no other doubt.
void doubt_add_in(result *r, doubt_kind kind, const char *subject, const char *text, const char *where);
void doubt_add_again(result *r, const doubt *d);  // one of another result
bool doubt_has(const result *r, const doubt *d);
void doubt_keep_common(result *r, const result *with);  // keeps those that the other has too
void doubt_forget(result *r);                           // all doubts
void doubt_join(result *r, const result *from);         // counts and doubts
// Where there is a doubt, `holds` becomes unknown; returns whether there is one.
bool doubt_be_strict(result *r);

#endif
