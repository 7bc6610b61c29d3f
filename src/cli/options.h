// SPDX-License-Identifier: Apache-2.0
// The options of all commands: one table, from which parsing, help and the tests of completions are made.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/diag.h"
#include "base/vec.h"
#include "explore/explore.h"
#include "front/source.h"
#include "language/compare.h"
#include "space/space.h"

// id, long name, letter or 0, argument or NULL, what it does
#define OPTIONS(X)                                                                                                     \
    X(SIZE, "size", 's', "SORT=N,...", "sizes of the sorts; for a table, ranges: Thread=1..3,Loc=2")                   \
    X(PROPERTY, "property", 'p', "NAME", "only this property (may be given several times)")                            \
    X(SYSTEM, "system", 0, "NAME", "the system to work on, when the file has several")                                 \
    X(DEADLOCK, "deadlock", 0, "none|stuck|stuttering",                                                                \
      "look for states in which nothing can happen, or nothing that changes the state")                                \
    X(ERRORS, "errors", 0, "N", "stop after this many violated properties (default for Murphi: 1)")                    \
    X(ALL_INVARIANTS, "all-invariants", 0, NULL, "go on until every property is decided")                              \
    X(SEMANTICS, "semantics", 0, "cmurphi|rumur", "whose rules Murphi models follow where the two differ")             \
    X(SYMMETRY, "symmetry", 0, "exact|heuristic|off", "keep one of the states that differ only in names of elements")  \
    X(SELF_CHECK, "self-check", 0, "off|sample|all",                                                                   \
      "test symmetry, code and packing on states of this search (default: sample)")                                    \
    X(STRICT, "strict", 0, NULL,                                                                                       \
      "answer unknown if a property holds only because nothing was tried (rules that never fire, ...)")                \
    X(STATISTICS, "statistics", 0, NULL, "say how often each rule fired")                                              \
    X(THREADS, "threads", 't', "N", "cores to use (default: all)")                                                     \
    X(ENGINE, "engine", 0, "auto|bytecode|machine|native", "how successors are computed (default: auto)")              \
    X(LIMIT_STATES, "limit-states", 0, "N", "give up after this many states (10k, 5M)")                                \
    X(LIMIT_DEPTH, "limit-depth", 0, "N", "search states up to this many steps from the start")                        \
    X(LIMIT_MEMORY, "limit-memory", 0, "SIZE", "give up when this much memory is in use (512M, 2G)")                   \
    X(LIMIT_TIME, "limit-time", 0, "TIME", "give up after this much time (90s, 10m, 1h30m)")                           \
    X(LIMIT_CPU, "limit-cpu", 0, "TIME", "give up after this much processor time of all threads (90s, 10m)")           \
    X(COMPACT, "compact", 0, NULL, "keep only hashes of states; the answer gives the probability that one was missed") \
    X(CHECKPOINT, "checkpoint", 0, "FILE", "save the search there from time to time; continue from it if it exists")   \
    X(DISK, "disk", 0, "FOLDER", "keep states there that do not fit into memory; continue from there if interrupted")  \
    X(DIVIDE_FROM, "divide-from", 0, "N", "under mpirun: ranks divide the search from this many states on (100k)")     \
    X(DEFINE, "define", 'D', "NAME=N", "another value for a `const` of the model")                                     \
    X(LIMIT_RECURSION, "limit-recursion", 0, "N",                                                                      \
      "Murphi: functions may call themselves so many times over (default: by their size)")                             \
    X(QUERY, "query", 0, "FORMULA", "a query about a timed model, instead of the file's (may be given several times)") \
    X(IDLE_STEPS, "idle-steps", 0, "ignore|count",                                                                     \
      "timed models, liveness: whether steps that change neither state nor clock count (default: ignore)")             \
    X(STORE, "store", 0, "all|timed",                                                                                  \
      "timed models: store every state, or not those in which time stands still (default)")                            \
    X(SEARCH, "search", 0, "bfs|dfs|random",                                                                           \
      "timed models: which state is looked at next (default: bfs, level by level)")                                    \
    X(FASTEST, "fastest", 0, NULL, "timed models: show runs that take the least time")                                 \
    X(MANAGER, "manager", 0, "NAME", "the contention manager of every TM algorithm (a name or a file)")                \
    X(ALLOW, "allow", 0, "DIR", "another folder from which a model may `use` files (may be given several times)")      \
    X(SPEC, "spec", 0, "NAME", "a set of admissible interchanges to check against: a name or a file")                  \
    X(STRUCTURAL, "structural", 0, NULL, "check the premises of the reduction to two threads")                         \
    X(VALUES, "values", 0, NULL, "give values to words without them, and try whether a torn or stale read shows")      \
    X(LONGEST, "longest", 0, "N", "length of the words tried for monotonicity, in statements (default: 6)")            \
    X(BY, "by", 0, "inclusion|equivalence|simulation", "how to compare (default: inclusion)")                          \
    X(CERTIFICATE, "certificate", 0, "FILE", "write why it holds, for `parvis recheck`")                               \
    X(CACHE, "cache", 0, "DIR", "keep lemmas about specifications there, and try them first next time")                \
    X(ALL_CANDIDATES, "all-candidates", 0, NULL, "try all candidates of the first schema, as in the PLDI 2010 paper")  \
    X(GIVEN, "given", 0, NULL, "check the invariants and relations given in the file, without a search")               \
    X(METHOD, "method", 0, "auto|first-order|cmp", "how to prove (default: whatever suits the model)")                 \
    X(OVER, "over", 0, "SORT[,SORT]",                                                                                  \
      "cmp: the scalarset, or range, of any number of elements, or two of them; timed: their constant")                \
    X(LEMMAS, "lemmas", 0, "FILE", "lemmas and schemas to try, from a file (in .pyv: invariants, also with `_`)")      \
    X(ABSTRACT, "abstract", 0, NULL, "the abstract model that proves a property, in Murphi")                           \
    X(LEVEL, "level", 'l', "NAME,...",                                                                                 \
      "the level that a recorded history must have: opaque, strict, session, ... (default: all, as a table)")          \
    X(FORMAT, "format", 0, "NAME",                                                                                     \
      "the format of a recorded history: of what is read, with show of what is written (default: seen in the file)")   \
    X(CORE, "core", 0, "FILE", "write the few transactions that already show a violation as a history (.hist)")        \
    X(STATS, "stats", 0, NULL, "count the sessions, transactions, keys and overlaps of a recorded history")            \
    X(PROVER, "prover", 0, "NAME", "the prover that rechecks (default: z3, then those installed)")                     \
    X(TRACE, "trace", 0, "FILE", "write the trace of the first violation as JSON (timed: .xml: as UPPAAL does)")       \
    X(PICTURE, "picture", 0, "FILE", "timed models: draw a run (.svg), or all verdicts and runs (.html)")              \
    X(REPORT, "report", 0, "FILE", "write the answer as a page to look at, step through and send on (.html)")          \
    X(OUTPUT, "output", 'o', "FILE",                                                                                   \
      "where it goes: a history (record: recording.parvis, show: standard output), a model")                           \
    X(FULL_STATES, "full-states", 0, NULL, "show whole states in traces, not only what changed")                       \
    X(REPLAY, "replay", 0, "FILE", "replay a trace written by --trace or --json")                                      \
    X(JOBS, "jobs", 'j', "N", "how many expectations to decide at the same time (default: one per core)")              \
    X(JUNIT, "junit", 0, "FILE", "write what became of each expectation in JUnit's XML")                               \
    X(GITHUB, "github", 0, NULL, "annotations for GitHub's runners")                                                   \
    X(PRODUCT, "product", 0, "NAME", "the product of system and specification that decides a property")                \
    X(DOT, "dot", 0, NULL, "a graph for Graphviz")                                                                     \
    X(LTS, "lts", 0, NULL, "the transition system in the Aldebaran format (.aut)")                                     \
    X(JSON, "json", 0, NULL, "one JSON object on standard output (see doc/json.md)")                                   \
    X(QUIET, "quiet", 'q', NULL, "verdicts only; no progress")                                                         \
    X(COLOR, "color", 0, "auto|always|never", "colours (default: auto, on a terminal)")                                \
    X(HELP, "help", 'h', NULL, "explain the command")                                                                  \
    X(VERSION, "version", 'V', NULL, "print the version")

typedef enum {
#define OPTION_ID(id, name, letter, argument, text) OPT_##id,
    OPTIONS(OPTION_ID)
#undef OPTION_ID
        OPT_COUNT
} option_id;

typedef struct {
    const char *name;
    char letter;
    const char *argument, *text;
} option_info;

extern const option_info option_table[OPT_COUNT];

// Options as bits.
typedef unsigned __int128 option_set;
_Static_assert(OPT_COUNT <= 128, "an option_set has 128 bits");
#define OPTION_BIT(id) ((option_set)1 << OPT_##id)
// Every command has these.
#define OPTIONS_COMMON \
    (OPTION_BIT(JSON) | OPTION_BIT(QUIET) | OPTION_BIT(COLOR) | OPTION_BIT(HELP) | OPTION_BIT(VERSION))

// Every command that may take long has these.
#define OPTIONS_LIMITS (OPTION_BIT(LIMIT_TIME) | OPTION_BIT(LIMIT_CPU) | OPTION_BIT(LIMIT_MEMORY))

// Every command that reads models in the language .pv has these, and every one that explores those.
#define OPTIONS_MODEL (OPTION_BIT(DEFINE) | OPTION_BIT(ALLOW) | OPTION_BIT(MANAGER) | OPTION_BIT(LIMIT_RECURSION))
#define OPTIONS_EXPLORE \
    (OPTIONS_LIMITS | OPTION_BIT(LIMIT_STATES) | OPTION_BIT(THREADS) | OPTION_BIT(ENGINE) | OPTION_BIT(SELF_CHECK))

typedef enum { DEADLOCK_NONE, DEADLOCK_STUCK, DEADLOCK_STUTTERING } deadlock_choice;
typedef enum { SEMANTICS_CMURPHI, SEMANTICS_RUMUR } semantics_choice;
typedef enum { METHOD_AUTO, METHOD_FIRST_ORDER, METHOD_CMP } method_choice;
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_choice;

typedef struct {
    const char *sort;
    uint32_t low, high;
} size_range;

// Options whose argument is a text, and its name below; NULL unless given.
#define OPTIONS_TEXT(X)         \
    X(SYSTEM, system)           \
    X(MANAGER, manager)         \
    X(SPEC, spec)               \
    X(TRACE, trace)             \
    X(PICTURE, picture)         \
    X(REPORT, report)           \
    X(CHECKPOINT, checkpoint)   \
    X(DISK, disk)               \
    X(CERTIFICATE, certificate) \
    X(CACHE, cache)             \
    X(PROVER, prover)           \
    X(LEMMAS, lemmas)           \
    X(REPLAY, replay)           \
    X(OUTPUT, output)           \
    X(JUNIT, junit)             \
    X(FORMAT, format)           \
    X(CORE, core)               \
    X(PRODUCT, product)

typedef struct {
    arena *memory;
    VEC(const char *) arguments;  // the command's name first
    option_set given;             // which options, as bits
    VEC(size_range) sizes;
    VEC(const char *) properties, queries, allowed, levels;
    VEC(front_define) defines;
#define OPTION_FIELD(id, name) const char *name;
    OPTIONS_TEXT(OPTION_FIELD)
#undef OPTION_FIELD
    const char *over, *over_also;  // NULL unless given
    compare_kind by;
    uint32_t longest;  // 0: the default
    uint32_t limit_depth, limit_recursion;
    space_symmetry symmetry;
    self_check_rate self_check;
    uint32_t threads, jobs;
    explore_engine engine;
    uint64_t limit_states, limit_bytes, divide_from;
    double limit_seconds, limit_cpu_seconds;
    color_choice color;
    method_choice method;
    deadlock_choice deadlock;
    bool counts_idle, stores_all;
    search_order order;
    uint32_t errors;
    semantics_choice semantics;
} options;

static inline bool options_has(const options *o, option_id id) { return o->given >> id & 1; }

// False after mistakes, which are in `messages`. Options may stand anywhere.
bool options_parse(options *o, int argc, char **argv, diag *messages);
void options_free(options *o);

// "-s, --size SORT=N,..."
void options_text(option_id id, str *out);

#endif
