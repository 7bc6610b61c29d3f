// SPDX-License-Identifier: Apache-2.0
// Structural premises. Each but monotonicity says that words of the TM, changed in some way, are words of the
// TM: so change its automaton and ask for inclusion. For strict serializability they are about words whose
// transactions commit or are unfinished. Opacity is about aborted transactions as well, and a changed word does not
// preserve the reason why a TM aborts one; so for opacity the premises are checked for the TM with one more
// liberty, that any transaction may abort at any time, and that larger TM has to be opaque for two
// threads and two locations.
#include "language/structural.h"

#include "language/automaton.h"
#include "language/graph.h"
#include "language/inclusion.h"
#include "language/monotone.h"
#include "language/reached.h"
#include "language/statement.h"
#include "language/transform.h"
#include "language/word.h"

// One TM with its smaller brothers.
typedef struct {
    reached whole, fewer_threads, fewer_locations;
    statement *letters;
} family;

typedef struct {
    const structural_input *input;
    const explore_options *options;
    result *out;
    family tm;
    bool for_opacity;
    type thread, location;
    verdict joint;  // of the premises so far
} checking;

// ---- what is looked at

bool structural_sorts(const model *m, sys s, type *thread, type *location) {
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        const rule_info *r = rule_of(m, sys_of(m, s)->rules.data[i]);
        if (r->role != ROLE_READ || rule_nshown(r) != 2) continue;
        *thread = var_of(m, r->params[0])->ty;
        *location = var_of(m, r->params[1])->ty;
        return type_of(m, *thread)->kind == TYPE_SORT && type_of(m, *location)->kind == TYPE_SORT;
    }
    return false;
}

// NULL: there is none to explore.
static reached subject_new(const instance *in, const explore_options *options, result *out) {
    if (!in) return (reached){0};
    reached s = reached_explore(in, options, true, false, out);
    result_explored(out, &s.stats);
    if (!s.trouble && !s.a->initial.len) s.trouble = "there is no initial state, so nothing was tried";
    return s;
}

// ---- aborts at any time

static sys with_free_aborts(model *m, sys s) {
    const char *name = arena_printf(m->memory, "%s with aborts at any time", sys_of(m, s)->name);
    sys made = model_add_system(m, name, sys_of(m, s)->at);
    sys_info *to = sys_of(m, made), *from = sys_of(m, s);
    for (uint32_t i = 0; i < from->funcs.len; i++) vec_push(&to->funcs, from->funcs.data[i]);
    for (uint32_t i = 0; i < from->bags.len; i++) vec_push(&to->bags, from->bags.data[i]);
    for (uint32_t i = 0; i < from->inits.len; i++) vec_push(&to->inits, from->inits.data[i]);
    for (uint32_t i = 0; i < from->axioms.len; i++) vec_push(&to->axioms, from->axioms.data[i]);
    for (uint32_t i = 0; i < from->rules.len; i++) {
        rule_info r = *rule_of(m, from->rules.data[i]);
        if (r.role == ROLE_ABORT) r.guard = (expr){0};
        vec_push(&to->rules, model_add_rule(m, r));
    }
    return made;
}

static instance *freed_instance(model *own, const instance *in, sys freed) {
    VEC(sort_size) sizes = {0};
    for (uint32_t i = 1; in && i < in->m->types.len; i++)
        if (in->sort_size[i]) vec_push(&sizes, (sort_size){{i}, in->sort_size[i]});
    instance *made = in ? instance_new(own, freed, sizes.data, sizes.len) : NULL;
    vec_free(&sizes);
    return made;
}

structural_input structural_freed(model *own, const structural_input *input) {
    sys freed = with_free_aborts(own, input->in->system);
    return (structural_input){freed_instance(own, input->in, freed), freed_instance(own, input->fewer_threads, freed),
                              freed_instance(own, input->fewer_locations, freed), input->longest};
}

// ---- entries

static void structural_add_entry(checking *c, const char *name, result_property p) {
    p.name = result_text(c->out, "%s: %s", c->for_opacity ? "opacity" : "serializability", name);
    p.stats = c->tm.whole.stats;
    c->joint = verdict_join(c->joint, p.verdict);
    result_add(c->out, p);
}

static void structural_add_unknown(checking *c, const char *name, const char *reason) {
    structural_add_entry(c, name,
                         (result_property){.verdict = VERDICT_UNKNOWN, .reason = result_text(c->out, "%s", reason)});
}

static void add_holds(checking *c, const char *name) {
    structural_add_entry(c, name, (result_property){.verdict = VERDICT_HOLDS});
}

// The run is one of the TM; the text says what should be one, too.
static void structural_add_violated(checking *c, const char *name, const automaton_edge *run, uint32_t n,
                                    const char *text) {
    str trouble = {0};
    result_property p = {.name = name, .verdict = VERDICT_VIOLATED, .reason = result_text(c->out, "%s", text)};
    p.trace = graph_run_trace(c->tm.whole.x, c->tm.whole.a, run, n, &trouble);
    if (!p.trace) {
        p.verdict = VERDICT_UNKNOWN;
        p.reason = result_text(c->out, "internal error: %s", str_get(&trouble));
    }
    structural_add_entry(c, name, p);
    str_free(&trouble);
}

// ---- premises by inclusion

static void word_text(const automaton *a, const automaton_edge *run, uint32_t n, str *out) {
    for (uint32_t i = 0; i < n; i++)
        if (run[i].letter != AUTOMATON_SILENT)
            str_printf(out, "%s%s", out->len ? " " : "", automaton_letter_text(a, run[i].letter));
}

static void structural_judge(checking *c, const char *name, const transformed *t, const reached *within) {
    inclusion_options options = {.limits = c->options->limits};
    inclusion i = inclusion_check(t->made, within->a, &options);
    if (i.answer == INCLUSION_HOLDS) add_holds(c, name);
    if (i.answer == INCLUSION_STOPPED) structural_add_unknown(c, name, limits_why(&c->options->limits));
    if (i.answer == INCLUSION_FAILS) {
        automaton_edge *original = mem_alloc((i.run.len + 1) * sizeof *original);
        uint32_t length = transform_original(t, i.run.data, i.run.len, original);
        str word = {0}, sizes = {0};
        word_text(t->made, i.run.data, i.run.len, &word);
        instance_sizes_text(within->in, &sizes);
        char *text =
            result_text(c->out, "then '%s' must be a word for %s, and it is not", str_get(&word), str_get(&sizes));
        structural_add_violated(c, name, original, length, text);
        str_free(&word);
        str_free(&sizes);
        free(original);
    }
    inclusion_free(&i);
}

typedef transformed *(*transformation)(const transform_input *in);

static transformed *change_words(checking *c, transformation change) {
    transform_input in = {.a = c->tm.whole.a,
                          .letters = c->tm.letters,
                          .threads = instance_type_size(c->tm.whole.in, c->thread),
                          .locations = instance_type_size(c->tm.whole.in, c->location),
                          .aborts = c->for_opacity,
                          .limit_states = c->options->limit_states ? c->options->limit_states : 1u << 26,
                          .limits = c->options->limits};
    return change(&in);
}

// There is nothing to check against a smaller size when there is none.
static void structural_check_closed(checking *c, const char *name, transformation change, const reached *within) {
    if (!within->in || within->trouble) {
        if (within->trouble) structural_add_unknown(c, name, within->trouble);
        return;
    }
    transformed *t = change_words(c, change);
    if (t) structural_judge(c, name, t, within);
    else structural_add_unknown(c, name, "the changed words need too many states");
    transform_free(t);
}

// ---- monotonicity

static void show_word(checking *c, const char *name, const monotone_answer *m) {
    word_run run = {0};
    if (word_find(c->tm.whole.a, m->word, m->length, &run))
        structural_add_violated(c, name, run.data, run.len, "no more sequential word allows the last statement");
    else structural_add_unknown(c, name, "internal error: not a word of the system");
    vec_free(&run);
}

static void check_monotone(checking *c) {
    char *name = result_text(c->out, "monotonicity, words of up to %u statements", c->input->longest);
    monotone_input in = {c->tm.whole.a, c->tm.letters, c->for_opacity, true, c->input->longest, c->options->limits};
    monotone_answer m = monotone_check(&in);
    if (m.is_stopped) structural_add_unknown(c, name, limits_why(&c->options->limits));
    else if (m.holds) add_holds(c, name);
    else show_word(c, name, &m);
}

// ---- all of them

static void check_premises(checking *c) {
    structural_check_closed(c, "transactional projection", transform_drop_transactions, &c->tm.whole);
    structural_check_closed(c, "thread symmetry", transform_change_threads, &c->tm.whole);
    structural_check_closed(c, "variable projection", transform_drop_location, &c->tm.whole);
    structural_check_closed(c, "fewer threads", transform_without_thread, &c->tm.fewer_threads);
    structural_check_closed(c, "fewer locations", transform_without_location, &c->tm.fewer_locations);
    if (c->for_opacity) structural_check_closed(c, "added aborts", transform_add_abort, &c->tm.whole);
    check_monotone(c);
}

static const char *cannot_check(checking *c) {
    const model *m = c->tm.whole.in->m;
    if (c->tm.whole.trouble) return c->tm.whole.trouble;
    if (!structural_sorts(m, c->tm.whole.in->system, &c->thread, &c->location) ||
        !(c->tm.letters = statement_letters(c->tm.whole.a)))
        return "its visible actions are not read, write, commit and abort of threads";
    if (type_of(m, c->thread)->is_ordered || type_of(m, c->location)->is_ordered)
        return "its threads or locations are ordered: they cannot be renamed";
    return instance_type_size(c->tm.whole.in, c->thread) > TRANSFORM_MOST_THREADS ? "there are too many threads" : NULL;
}

verdict structural_run(const structural_input *input, bool for_opacity, const explore_options *options, result *out) {
    checking c = {.input = input, .options = options, .out = out, .for_opacity = for_opacity, .joint = VERDICT_HOLDS};
    c.tm.whole = subject_new(input->in, options, out);
    c.tm.fewer_threads = subject_new(input->fewer_threads, options, out);
    c.tm.fewer_locations = subject_new(input->fewer_locations, options, out);
    const char *trouble = cannot_check(&c);
    if (trouble) structural_add_unknown(&c, "premises", trouble);
    else check_premises(&c);
    free(c.tm.letters);
    reached_free(&c.tm.whole);
    reached_free(&c.tm.fewer_threads);
    reached_free(&c.tm.fewer_locations);
    return c.joint;
}
