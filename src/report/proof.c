// SPDX-License-Identifier: Apache-2.0
// Proofs as text and JSON: see proof.h.
#include "report/proof.h"

#include "base/units.h"
#include "model/print.h"
#include "report/lanes.h"
#include "report/murphi.h"
#include "report/object.h"
#include "report/words.h"
#include "result/cell.h"

#include <string.h>

enum { MOST_SHOWN = 30 };  // lemmas of an invariant that is not enough

// ---- text

static void put_assuming(const proof *p, str *out) {
    const char *separator = ", assuming ";
    for (uint32_t i = 0; i < p->lemmas.len; i++) {
        if (!p->lemmas.data[i].is_assumed) continue;
        str_printf(out, "%s%s", separator, p->lemmas.data[i].name);
        separator = ", ";
    }
}

static void proof_put_verdict(const proof *p, const style *s, str *out) {
    style_verdict(s, prop_of(p->m, p->property)->name, text_verdict_role(p->verdict), verdict_text(p->verdict), out);
    if (p->verdict == VERDICT_HOLDS && p->method) str_printf(out, " for all sizes (%s, by %s)", p->scope, p->method);
    else if (p->verdict == VERDICT_HOLDS) str_add(out, " for all sizes");
    if (p->verdict == VERDICT_HOLDS) put_assuming(p, out);
    else str_printf(out, ": %s", p->reason);
    str_char(out, '\n');
}

static const char *way_text(proof_way way) {
    static const char *const names[] = {
        [WAY_CANDIDATES] = "candidates",     [WAY_RELATIONS] = "relations",   [WAY_CUTS] = "functions as relations",
        [WAY_INSTANCES] = "small instances", [WAY_SEPARATORS] = "separators", [WAY_FRAMES] = "frames"};
    return names[way];
}

// By what the proof was found, unless by the first way; else what was tried.
static void put_ways(const proof *p, str *out) {
    bool holds = p->verdict == VERDICT_HOLDS;
    if (holds && p->way > WAY_RELATIONS) str_printf(out, ", by %s", way_text(p->way));
    for (uint32_t i = 0; i < p->ways.len && !holds; i++)
        str_printf(out, "%s%s", i ? ", " : "; tried: ", way_text(p->ways.data[i]));
}

static void put_things(uint64_t count, const char *thing, str *out) {
    units_things_text(count, thing, out);
    str_add(out, ", ");
}

static void put_figures(const proof *p, const style *s, str *out) {
    const proof_stats *st = &p->stats;
    str line = {0};
    str_add(&line, "    ");
    if (p->small->scope) {
        units_things_text(st->states, "state", &line);
        str_printf(&line, " of %s, ", p->small->scope);
        put_things(st->candidates, "candidate", &line);
        if (!p->method) str_printf(&line, "%s hold there, ", str_count(st->invariants));
    }
    if (p->kept) {
        units_things_text(p->kept, "element", &line);
        str_add(&line, " kept, ");
    }
    if (p->abstract.states) put_things(p->abstract.states, "abstract state", &line);
    if (p->verdict == VERDICT_HOLDS && !p->is_theorem) put_things(p->nneeded, "lemma", &line);
    else if (p->small->scope && !p->method) str_printf(&line, "%u inductive, ", p->lemmas.len);
    if (p->method) put_things(st->iterations, "round", &line);
    else put_things(st->queries, "query", &line);
    units_seconds_text(st->seconds, &line);
    put_ways(p, &line);
    style_add(s, ROLE_DIM, str_get(&line), out);
    str_char(out, '\n');
    str_free(&line);
}

static void put_lemma(const proof *p, const proof_lemma *l, const style *s, str *out) {
    str text = {0};
    words_formula(p, l->formula, &text);
    str_pad(out, ' ', 6);
    if (l->name) style_add(s, ROLE_DIM, l->name, out);
    if (l->name) str_add(out, ": ");
    for (const char *c = str_get(&text); *c; c++) {
        str_char(out, *c);
        if (*c == '\n') str_pad(out, ' ', 6);
    }
    if (l->tried) {
        str note = {0};
        str_printf(&note, "  -- needed in %u of %u views", l->uses, l->tried);
        style_add(s, ROLE_DIM, str_get(&note), out);
        str_free(&note);
    }
    str_char(out, '\n');
    str_free(&text);
}

static void put_lemmas(const proof *p, const style *s, str *out) {
    uint32_t n = p->verdict == VERDICT_HOLDS ? p->nneeded : p->lemmas.len;
    if (!n) return;
    style_add(s, ROLE_STRONG, p->verdict == VERDICT_HOLDS ? "    invariant" : "    inductive, but not enough", out);
    str_char(out, '\n');
    uint32_t shown = p->verdict == VERDICT_HOLDS || n <= MOST_SHOWN ? n : MOST_SHOWN;
    for (uint32_t i = 0; i < shown; i++) put_lemma(p, &p->lemmas.data[i], s, out);
    if (shown < n) str_printf(out, "      and %u more (all: --json)\n", n - shown);
}

static void put_obstacle(const proof *p, const proof_obstacle *o, const style *s, str *out) {
    str label = {0};
    str_printf(out, "    counterexample%s: %s\n", p->is_theorem ? "" : " to induction", o->what);
    str_pad(out, ' ', 6);
    lanes_drawn(o->in, o->before, s, 6, out);
    if (o->r.id) {
        cell_label(o->in, o->r, o->args, &label);
        str_printf(out, "      %s %s%s\n", style_arrow(s), str_get(&label), o->after ? "" : " (refused)");
    }
    if (o->after) {
        str_pad(out, ' ', 6);
        lanes_changes(o->in, o->before, o->after, s, 6, out);
    }
    str_free(&label);
}

// A lemma that says nothing but that this one large state is not there helps nobody.
static bool has_proposal(const proof *p) {
    enum { READABLE = 120 };
    return p->proposal.id && expr_of(p->m, p->proposal)->tree <= READABLE;
}

// A lemma that would exclude the state above.
static void put_proposal(const proof *p, const style *s, str *out) {
    proof_lemma l = {.formula = p->proposal};
    style_add(s, ROLE_STRONG, "    a lemma that would exclude it, and holds in all states seen (try it: --lemmas)",
              out);
    str_char(out, '\n');
    put_lemma(p, &l, s, out);
}

// Of which nothing is known but that it speaks of the state: none were seen, or what would exclude it is large.
static void put_guess(const proof *p, const style *s, str *out) {
    json_t *j = words_proposal(p->obstacle->in, p->obstacle->before);
    const char *schema = json_string_value(json_object_get(j, "schema"));
    const char *lemma = json_string_value(json_object_get(j, "lemma"));
    if (schema) style_add(s, ROLE_STRONG, "    a schema to try (--lemmas)\n", out);
    else if (lemma)
        style_add(s, ROLE_STRONG, "    a lemma that excludes this state, or take a part of it (--lemmas)\n", out);
    if (schema || lemma) style_detail(s, ROLE_PLAIN, schema ? schema : lemma, out);
    json_decref(j);
}

static json_t *proposed_lemma(const proof *p) {
    str text = {0};
    words_formula(p, p->proposal, &text);
    json_t *j = object_string(str_get(&text));
    str_free(&text);
    return j;
}

// What the abstract model can do and, as far as is known, no instance.
static void put_spurious(const proof *p, const style *s, const text_options *options, str *out) {
    style_add(s, ROLE_STRONG, "    a run of the abstract model that no lemma excludes\n", out);
    for (uint32_t i = 0; i < p->spurious->properties.len; i++) {
        const result_property *r = &p->spurious->properties.data[i];
        if (r->verdict != VERDICT_VIOLATED || !r->trace) continue;
        str_printf(out, "    %s\n", r->name);
        lanes_options how = {.full_states = options->full_states, .reason = r->reason};
        lanes_text(r->trace, s, &how, out);
        return;
    }
}

static void proof_choices(const proof *p, const style *s, str *out) {
    str text = {0};
    print_choices(p->m, p->property, &text);
    if (text.len) style_add(s, ROLE_STRONG, "    the specification follows", out);
    for (const char *at = str_get(&text); *at; at++) str_add(out, *at == '\n' ? "\n    " : (char[]){*at, 0});
    if (text.len) str_char(out, '\n');
    str_free(&text);
}

void proof_text(const proof *p, const style *s, const text_options *options, str *out) {
    if (p->verdict == VERDICT_VIOLATED && !p->is_theorem) {
        text_result(p->small, s, options, out);
        return;
    }
    proof_put_verdict(p, s, out);
    if (options->quiet) return;
    put_figures(p, s, out);
    if (p->note) style_detail(s, ROLE_PLAIN, p->note, out);
    proof_choices(p, s, out);
    text_doubts(p->tried, s, out);
    if (!p->is_stratified) str_printf(out, "    outside the decidable fragment: %s\n", p->fragment);
    put_lemmas(p, s, out);
    if (p->obstacle) put_obstacle(p, p->obstacle, s, out);
    if (has_proposal(p)) put_proposal(p, s, out);
    else if (p->obstacle && !p->method) put_guess(p, s, out);
    for (uint32_t i = 0; i < p->others.len; i++) put_obstacle(p, p->others.data[i], s, out);
    if (p->spurious) put_spurious(p, s, options, out);
}

// ---- JSON

// Which rules need it, in the order of the system.
static json_t *needing_rules(const proof *p, const proof_lemma *l) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < l->nrules; i++)
        json_array_append_new(list, object_string(rule_of(p->m, l->rules[i])->name));
    return list;
}

// What a page shows of a lemma besides the formula.
static void set_explained(json_t *j, const proof *p, const proof_lemma *l) {
    str words = {0};
    if (words_sentence(p, l->formula, &words)) json_object_set_new(j, "words", object_string(str_get(&words)));
    str_clear(&words);
    words_formula(p, l->formula, &words);
    json_object_set_new(j, "shown", object_take(&words));
    json_object_set_new(j, "rules_out", words_rules_out(p, l->formula));
    if (!l->is_examined) return;
    json_object_set_new(j, "rules", needing_rules(p, l));
    json_object_set_new(j, "for_property", json_boolean(l->is_for_property));
}

static json_t *lemma_object(const proof *p, const proof_lemma *l, object_detail detail) {
    str text = {0};
    print_expr_in(p->m, p->system, l->formula, &text);
    static const char *const kinds[] = {"found", "assume", "property"};
    json_t *j = json_pack("{s:s, s:o, s:b, s:b}", "kind", kinds[l->kind], "formula", object_take(&text), "needed",
                          l->is_needed, "assumed", l->is_assumed);
    if (l->name) json_object_set_new(j, "name", object_string(l->name));
    if (l->tried)
        json_object_set_new(j, "views", json_pack("{s:i, s:i}", "needed", (int)l->uses, "tried", (int)l->tried));
    if (detail >= OBJECT_DRAWN) set_explained(j, p, l);
    return j;
}

// The columns of Table 1 of Emmi, Majumdar, Manevich (PLDI 2010) come first.
static json_t *proof_stats_object(const proof_stats *s) {
    double per_candidate = s->nonredundant ? s->query_seconds / (double)s->nonredundant : 0;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
                     "s:f, s:f, s:f, s:f, s:f, s:f}",
                     "states", (json_int_t)s->states, "candidates", (json_int_t)s->candidates, "invariants",
                     (json_int_t)s->invariants, "nonredundant", (json_int_t)s->nonredundant, "validated",
                     (json_int_t)s->validated, "iterations", (json_int_t)s->iterations, "queries",
                     (json_int_t)s->queries, "sampled", (json_int_t)s->sampled, "blocked", (json_int_t)s->blocked,
                     "dropped", (json_int_t)s->dropped, "literal_evaluations", (json_int_t)s->evaluations, "level",
                     (json_int_t)s->level, "variables", (json_int_t)s->variables, "literals", (json_int_t)s->literals,
                     "explore_seconds", s->explore_seconds, "seconds_per_candidate", per_candidate, "seconds",
                     s->seconds, "filter_seconds", s->filter_seconds, "query_seconds", s->query_seconds,
                     "shrink_seconds", s->shrink_seconds);
}

// A lemma that was found is proposed; else one that says no more than that the state is not reached.
static json_t *obstacle_object(const proof *p, const proof_obstacle *o, object_detail detail) {
    str label = {0};
    json_t *j = json_pack("{s:o, s:o, s:o}", "what", object_string(o->what), "sizes", object_sizes(o->in), "before",
                          object_state(o->in, o->before));
    if (o->r.id) cell_label(o->in, o->r, o->args, &label);
    if (o->r.id) json_object_set_new(j, "step", object_take(&label));
    if (o->after) json_object_set_new(j, "after", object_state(o->in, o->after));
    if (detail < OBJECT_DRAWN) return j;
    json_object_set_new(j, "functions", object_functions(o->in));
    if (o->r.id) json_object_set_new(j, "at", object_place(o->in->m->messages, rule_of(o->in->m, o->r)->at));
    json_object_set_new(j, "proposal", has_proposal(p) ? json_null() : words_proposal(o->in, o->before));
    return j;
}

static json_t *ways_object(const proof *p) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->ways.len; i++) json_array_append_new(list, json_string(way_text(p->ways.data[i])));
    return list;
}

static json_t *others_object(const proof *p, object_detail detail) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->others.len; i++)
        json_array_append_new(list, obstacle_object(p, p->others.data[i], detail));
    return list;
}

// The trace of a violation, or null.
static json_t *proof_violation(const proof *p, object_detail detail) {
    const result_property *r = result_with_trace(p->small);
    return r ? object_trace(r->trace, r->name, detail) : json_null();
}

static const char *scope_of(const proof *p) {
    if (p->verdict == VERDICT_HOLDS) return p->scope ? p->scope : "all sizes";
    return p->small->scope ? p->small->scope : "";
}

static json_t *choices_object(const proof *p) {
    str text = {0};
    json_t *list = json_array();
    print_choices(p->m, p->property, &text);
    for (char *rest = NULL, *line = strtok_r(text.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        json_array_append_new(list, object_string(line + strspn(line, " ")));
    str_free(&text);
    return list;
}

static json_t *proof_object(const proof *p, object_detail detail) {
    json_t *lemmas = json_array();
    for (uint32_t i = 0; i < p->lemmas.len; i++)
        json_array_append_new(lemmas, lemma_object(p, &p->lemmas.data[i], detail));
    json_t *j =
        json_pack("{s:o, s:s, s:s, s:o, s:o, s:b, s:o, s:o}", "name", object_string(prop_of(p->m, p->property)->name),
                  "verdict", verdict_text(p->verdict), "scope", scope_of(p), "reason", object_string_or_null(p->reason),
                  "trace", proof_violation(p, detail), "stratified", p->is_stratified, "statistics",
                  proof_stats_object(&p->stats), "lemmas", lemmas);
    if (p->ways.len) json_object_set_new(j, "ways", ways_object(p));
    if (p->ways.len && p->verdict == VERDICT_HOLDS) json_object_set_new(j, "found_by", json_string(way_text(p->way)));
    if (p->tried->doubts.len) json_object_set_new(j, "doubts", object_doubts(p->tried));
    if (p->note) json_object_set_new(j, "rests_on", object_string(p->note));
    if (prop_of(p->m, p->property)->nwitnesses) json_object_set_new(j, "choices", choices_object(p));
    if (!p->is_stratified) json_object_set_new(j, "fragment", object_string(p->fragment));
    if (p->small->scope) json_object_set_new(j, "instance", object_result(p->small, detail));
    if (p->obstacle) json_object_set_new(j, "obstacle", obstacle_object(p, p->obstacle, detail));
    if (has_proposal(p)) json_object_set_new(j, "proposed_lemma", proposed_lemma(p));
    if (p->others.len) json_object_set_new(j, "further_obstacles", others_object(p, detail));
    return j;
}

json_t *proof_answer(const proof *const *proofs, uint32_t count, object_detail detail) {
    verdict joint = VERDICT_HOLDS;
    result sum = {0};  // only its statistics
    json_t *list = json_array();
    double seconds = 0;
    const proof *telling = NULL;  // the first that has the joint verdict: its reason and trace are the answer's
    for (uint32_t i = 0; i < count; i++) {
        joint = verdict_join(joint, proofs[i]->verdict);
        result_add_stats(&sum, &proofs[i]->small->stats);
        seconds += proofs[i]->stats.seconds;
        json_array_append_new(list, proof_object(proofs[i], detail));
    }
    for (uint32_t i = count; i-- > 0;)
        if (proofs[i]->verdict == joint) telling = proofs[i];
    json_t *j = json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:I}", "verdict", verdict_text(joint), "scope",
                          telling ? scope_of(telling) : "", "states", (json_int_t)sum.stats.states, "transitions",
                          (json_int_t)sum.stats.transitions, "depth", (json_int_t)sum.stats.depth, "seconds", seconds,
                          "memory_bytes", (json_int_t)sum.stats.memory_bytes);
    json_object_set_new(j, "reason", object_string_or_null(telling ? telling->reason : NULL));
    json_object_set_new(j, "trace", telling ? proof_violation(telling, detail) : json_null());
    json_object_set_new(j, "properties", list);
    return j;
}
