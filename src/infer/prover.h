// SPDX-License-Identifier: Apache-2.0
// The prover's state, shared by the stages of infer.h.
//
// Every lemma that `stands` holds in all sampled states. `asked` are those of them whose preservation must be
// shown; the others are taken for granted. A rule is `settled` for a lemma when it preserves it given those
// that stand; that stays so while lemmas are added, and is void when one falls.
#ifndef INFER_PROVER_H
#define INFER_PROVER_H

#include "base/crew.h"
#include "explore/explore.h"
#include "infer/atoms.h"
#include "infer/block.h"
#include "infer/clause.h"
#include "infer/filter.h"
#include "infer/infer.h"
#include "infer/rows.h"
#include "infer/sample.h"
#include "infer/valuation.h"
#include "logic/logic.h"
#include "model/instance.h"
#include "result/proof.h"
#include "result/result.h"

typedef struct {
    lemma_kind kind;
    const char *name;
    clause c;        // of LEMMA_FOUND
    expr shown;      // readable form
    uint32_t depth;  // 0: given or for the property; else one more than what it was brought in for
    bits purpose;    // lemmas whose preservation it was brought in for; empty at depth 0
} lemma;

// A lemma that the user offers.
typedef struct {
    const char *name;  // NULL: of a proof before
    expr e, shown;
    span at;
    uint32_t lemma;
    bool is_false, is_late;  // in a sampled state; initially
} hint;

// A lemma of a try that did not suffice.
typedef struct {
    expr e, shown;
} noted_lemma;

typedef struct {
    uint32_t rule;  // index in the system's list; UINT32_MAX: an invariant property
    expr cond;
    bool is_met;
} goal;

// A parameter that the rule's guard determines, by its index in the system's list.
typedef struct {
    uint32_t rule;
    var param;
    expr given;
} determined_param;

typedef struct {
    uint32_t variables, literals;
    atom_kind atoms;      // up to this kind
    uint64_t sample;      // states of larger instances
    uint32_t clauses;     // at most this many are added for one countermodel
    uint32_t eager;       // all minimal clauses of this many literals are tried at first; 0: none
    bool plain;           // those without quantifiers
    bool is_trial;        // nothing of it is kept if it does not suffice
    bool for_invariants;  // skipped for refinements, whose questions are too expensive for a trial
    uint32_t patience;    // this many countermodels are answered with lemmas, then the next level is tried
} level_info;

typedef struct {
    model *m;
    sys system;   // the product, or the system of an invariant
    sys guarded;  // the same, where what rules require is part of their guards, and determined.c left parameters out
    sys walked;   // whose steps samples are made of (walked.c)
    prop property;
    expr property_formula;    // of an invariant, without definitions
    const infer_options *o;   // their limits are those of the search
    limits run;               // when work must end: first theirs, then what is kept to say what is missing
    limits whole;             // as the caller gave them
    double obstacle_seconds;  // of these, to say what stands in the way
    limits look;              // of looks at larger sizes: a tenth of the time is kept for them
    double look_seconds;      // each
    bool has_looked;
    proof *out;
    double started;
    logic *logic;
    atom_pool *pool, *first_pool;  // of the present try; of the first
    uint32_t nrules;
    VEC(sample *) samples;    // reached states, by instance
    VEC(sample *) wide;       // of larger instances, for frames
    VEC(valuation *) values;  // of the samples
    uint32_t level;
    VEC(rows *) schemas;  // of this level
    uint32_t nplain;      // the first ones: every choice of the level's number of variables
    block_limits limits;
    clause_list minimal;  // clauses of this level: see weaken_find_minimal()
    VEC(lemma) lemmas;    // by number in `logic`
    map *by_clause;       // lemma of a clause
    map *by_formula;      // lemma of a formula, of frames
    bits stands, asked, banned;
    bits kept;          // inductive by themselves: found in the levels before, never asked again
    VEC(bits) settled;  // by rule
    VEC(goal) goals;
    VEC(hint) hints;
    VEC(noted_lemma) noted;
    VEC(uint64_t) found_states;  // of the largest instance sampled: packed states that gave something new
    uint32_t nwalks;             // walks so far: their seeds
    const instance *found_in;    // that instance; NULL: none
    uint64_t blocked_before;     // countermodels answered in the levels before
    order_list orders;           // of sorts, that were tried
    order_list wide_orders;      // the same, with more shapes
    VEC(determined_param) determined;
    uint64_t most_shrink;  // making a proof smaller ends there; 0: no limit
    uint64_t most_work;    // of the present try: it ends there; 0: no limit
    crew *crew;            // made when first needed; NULL: not yet, or one thread
    bool takes_as_found;   // separators in the order in which they are found, not the strongest first
    bool is_shown;         // what stands is a proof: cuts.c has all of it from another system
    uint32_t stuck_on;     // the given lemma that could not be shown, or UINT32_MAX
} prover;

// The logic's last countermodel, copied: further questions may be asked.
typedef struct {
    instance *in;
    value *before, *after, *args;  // after, args: NULL unless it is a step
    rule r;
} countermodel;

typedef enum { OUTCOME_PROVED, OUTCOME_STUCK, OUTCOME_STOPPED, OUTCOME_VIOLATED } outcome;

// The last one is not reached by growing: tries.c has the order of the sorts for it.
enum { LEVEL_SEPARATORS = INFER_LEVELS };
extern const level_info prover_levels[INFER_LEVELS + 1];

// ---- prover.c
logic *prover_new_logic(const prover *x);  // of the guarded system, without lemmas; NULL: outside what it can handle
bool prover_out_of_time(const prover *x);
void prover_report(const prover *x, const char *phase);
uint32_t prover_add_lemma(prover *x, expr e, lemma is);  // both stand and are asked; not checked initially
uint32_t prover_add_clause(prover *x, const clause *c);
void prover_drop(prover *x, uint32_t number);
void prover_unsettle(prover *x);
bool prover_goals_hold(prover *x);              // given what stands
bool prover_is_false(const prover *x, expr e);  // in a sampled state
// A state joins the samples of every schema of this level.
void prover_join_samples(prover *x, const instance *in, const value *state);
// Drops asked lemmas of `fresh` that are not true initially.
void prover_check_initially(prover *x, const bits *fresh);
// False if there is none to copy.
bool prover_countermodel(prover *x, countermodel *out);
void countermodel_free(countermodel *c);
// What stands in the way; takes the countermodel over.
void prover_remember_obstacle(prover *x, countermodel *c, const char *what);
void prover_forget_obstacle(prover *x);

enum { BLOCK_CLAUSES = 40, BLOCK_NODES = 20000 };

// A run of an instance that violates the property: the answer. Takes both.
void prover_take_violation(prover *x, result *r, instance *in);

// ---- schema.c: the schemas of the present level, with the rows of all samples
void schema_make(prover *x);
// Those with at most so many variables of each sort, and of all.
void schema_make_of(prover *x, const uint32_t *most, uint32_t variables);
// What the property speaks about together with what quantified atoms do.
void schema_make_separators(prover *x);
// The fixed literals of the model's schemas, as shapes; before atoms_make().
void schema_add_atoms(model *m, sys s, atom_pool *p);

// ---- side.c: what threads do side by side; the outcome does not depend on how many there are
filter *side_filter(prover *x);
// The states of a sample join the rows of every schema of this level; `novel` as in rows_add_sample().
void side_add_sample(prover *x, valuation *v, bits *novel);

// ---- determined.c: the parameters that the guard determines are left out of a rule, and put back into a step
void determined_leave_out(prover *x, uint32_t number, rule_info *r);
void determined_put_back(const prover *x, countermodel *c);

// ---- walked.c: the rule of the guarded system, with few parameters where only states are asked for
rule walked_rule(prover *x, uint32_t number);

// ---- survey.c
// Explores the instance of the given sizes and samples it; false if the search for a proof ends here.
bool survey_explore(prover *x, const sort_size *sizes, uint32_t nsizes);
void survey_wide(prover *x);
// A sample of long runs of an instance as large as can be; NULL: there is none, or a run went wrong: the answer.
sample *survey_deep(prover *x);
// Random runs of an instance of the given sizes; by_phases: as many from each choice of what has a few named values.
void survey_walk(prover *x, const sort_size *sizes, uint32_t nsizes, uint64_t states, bool by_phases);
// A sampled run went wrong: which is the shortest that does, with as few elements as can be?
void survey_violation(prover *x, const sort_size *sizes, uint32_t nsizes);
// The sizes of the first instance, or this one where it is larger.
void survey_grown(const prover *x, uint32_t least, sort_size *sizes, uint32_t *n);
// A look at the next sizes, before a long search and after one in vain: a property that fails there needs no lemmas.
enum { FURTHER_FEW = 100000, FURTHER_MANY = 20000000 };  // states of each
bool survey_further(prover *x, uint64_t states);
// runs.c: states of long runs of an instance, from so many initial states; NULL: there is none, or a run went wrong.
enum { RUNS = 1500, RUNS_STEPS = 60000, RUNS_STARTS = 512 };
sample *runs_sample(prover *x, const sort_size *sizes, uint32_t nsizes, uint32_t starts);

// ---- bring.c Adds lemmas that are false in the state, for the sake of others (NULL: of the property); false
// if the schema has none. Where those found do not hold initially, the samples know it now, and the question
// that led here may be asked again.
bool bring_in(prover *x, const instance *in, const value *state, const bits *purpose);

// ---- unknown.c What was found stands no longer, but may be said of it in the end that it is inductive.
void prover_note_lemmas(prover *x);

// ---- cache.c: lemmas about the specification, read as candidates (false: there are none) and written after a proof
bool cache_load(prover *x);
void cache_store(prover *x);

// ---- hints.c: lemmas of the user, read as candidates (false: there are none); what became of them
bool hints_load(prover *x);
void hints_report(prover *x);

// ---- weaken.c, guide.c, shrink.c
void weaken_all(prover *x, filter *f);
// The minimal clauses of the present schemas, up to a number of literals.
void weaken_find_minimal(prover *x, uint32_t literals, bool plain);
// These, but for what samples have shown false since; what is not inductive goes.
void weaken_minimal(prover *x, uint32_t literals, bool plain);
void weaken_rest(prover *x);  // what stands, without adding anything
outcome guide_level(prover *x);
// frames.c: at most so many queries (more where a question is very many), and a third of the time left. What stands at
// the end is inductive only if it is proved; is_spurious: no clauses over these words suffice.
outcome frames_search(prover *x, uint64_t queries, bool with_quantified, bool *is_spurious);
// tries.c: other ways, before larger schemas; and all there is where no instance can be explored.
outcome tries_run(prover *x);
outcome tries_unexplored(prover *x);
// cuts.c: functions into an order as relations, where they are what makes questions undecidable.
outcome cuts_search(prover *x);
// grow.c: invariants of small instances as candidates, with so much work for all of them. is_thorough: those that the
// property does not need on the instance, too; with_quantified: words with quantifiers. Without a proof it leaves
// nothing behind.
typedef struct {
    uint64_t work;
    bool is_thorough, with_quantified, is_exact;
    uint64_t checks;  // work for questions about all sizes; 0: no limit
} grow_options;
outcome grow_search(prover *x, grow_options o);
// own.c: a logic of its own for a try, with what stands; and back to what was before, unless there is a proof.
typedef struct {
    logic *logic;
    uint32_t nlemmas;
    bits stands, asked, kept, banned;
} own_before;
bool own_enter(prover *x, own_before *b);  // false: there is no such logic
void own_leave(prover *x, own_before *b, bool is_proved);
// separate.c: a sample of long runs (NULL: one of them went wrong, or there is none), and lemmas about some element
// that hold in it, once it is among the samples. Without a proof it leaves nothing behind.
sample *separate_sample(prover *x);
outcome separate_search(prover *x, const sort_order *order, uint64_t work);
void tries_use_pool(prover *x, const sort_order *order);  // NULL: as at the beginning
void tries_reset(prover *x);                              // to what is known to be inductive
void tries_take_pool(prover *x, atom_pool *p);            // which the prover then owns
void tries_return(prover *x);                             // to the first pool, and to what is inductive
// relate.c: clauses over the present schemas of so many literals and sets of phases, and what the user offers, as far
// as they are inductive together: first in an instance of the first sizes, then in all, and where that shows that they
// are too few, in one of the next sizes of the same sorts. Without a proof nothing is kept.
typedef struct {
    sort_size of[POOL_SORTS];
    uint32_t n;
} relate_sizes;
outcome relate_search(prover *x, uint32_t literals, const relate_sizes *stages, uint32_t nstages);
// terms.c: comparisons of terms, for refinements whose times are compared; stuck where there are none.
outcome terms_search(prover *x);
// The countermodel is what stands in the way of a goal, or breaks a given lemma.
void guide_blame_goal(prover *x, const goal *g, countermodel *c);
void guide_blame_lemma(prover *x, uint32_t number, countermodel *c);
void shrink_proof(prover *x);

// ---- needs.c: for each needed lemma of the answer, the rules that need it
void needs_find(prover *x);

#endif
