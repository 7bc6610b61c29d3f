// SPDX-License-Identifier: Apache-2.0
// Formulas for people who read a proof: a sentence, what a lemma excludes, and what to try next.
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "model/instance.h"
#include "report/object.h"
#include "result/proof.h"

// A formula as the proof's text shows it: in the language of the model.
void words_formula(const proof *p, expr e, str *out);
// "For every Thread t and every Loc v: if ws(t, v), then Opacity.ws(t, v)". False, with nothing added, for a formula
// that is large, or has variables of the same name within each other.
bool words_sentence(const proof *p, expr e, str *out);
// What a lemma forbids to be together, as a list of `text` and `holds`: the literals of its negation. Those that are
// cells also have `function`, `arguments`, `sorts` and, unless they are Boolean, `value`; those about variables `same`.
json_t *words_rules_out(const proof *p, expr lemma);
// For a state that stands in the way: the lemma that excludes it and whatever is like it, to be cut down by hand, and a
// schema over the same elements, as `lemma` and `schema`; null where there is nothing to say.
json_t *words_proposal(const instance *in, const value *state);

#endif
