// SPDX-License-Identifier: Apache-2.0
// Provers as child processes: see external.h; Z3 as a library where its program is not installed. SMT solvers get all
// goals of a set in one script and answer line by line; the others get one problem per goal.
#include "logic/external.h"

#include "logic/fol.h"
#include "logic/z3_int.h"

#include <string.h>

enum { DEFAULT_SECONDS = 60, MOST_ARGS = 10 };

#define LIMIT "LIMIT"  // the place of the limit of time among the arguments

static const struct {
    const char *name, *limit;  // milliseconds for SMT solvers, seconds for the others
    const char *command[MOST_ARGS];
} provers[EXTERNAL_PROVERS] = {
    {"z3", "-t:%u", {"z3", "-in", "-smt2", LIMIT}},
    {"cvc5", "--tlimit-per=%u", {"cvc5", "--lang=smt2", "--incremental", "--full-saturate-quant", LIMIT, "-"}},
    {"spass", "-TimeLimit=%u", {"SPASS", "-Stdin", "-PGiven=0", "-PProblem=0", "-Select=2", LIMIT}},
    {"eprover", "--cpu-limit=%u", {"eprover", "--auto", "--silent", "--tstp-in", LIMIT, "-"}}};

static bool is_smt(external_prover p) { return p == EXTERNAL_Z3 || p == EXTERNAL_CVC5; }

const char *external_name(external_prover p) { return provers[p].name; }

// Where there is no program, the library that we are linked with does.
static bool is_library(external_prover p) { return p == EXTERNAL_Z3 && !process_exists(provers[p].command[0]); }

bool external_is_installed(external_prover p) { return p == EXTERNAL_Z3 || process_exists(provers[p].command[0]); }

bool external_find(const char *name, external_prover *out) {
    for (int p = 0; p < EXTERNAL_PROVERS; p++)
        if (str_same(name, provers[p].name)) {
            *out = (external_prover)p;
            return true;
        }
    return false;
}

static double external_seconds_of(const external_limits *allowed) {
    return allowed->seconds > 0 ? allowed->seconds : DEFAULT_SECONDS;
}

static process_result external_run(external_prover p, const str *problem, const external_limits *allowed,
                                   uint32_t goals, str *out) {
    const char *argv[MOST_ARGS];
    str limit = {0};
    double seconds = external_seconds_of(allowed);
    if (is_library(p)) {
        z3_script(problem->text, seconds, &allowed->limits, out);
        return (process_result){.end = limits_met(&allowed->limits) ? PROCESS_STOPPED : PROCESS_EXITED};
    }
    process_limits child = {.outer = allowed->limits, .seconds = seconds * goals + 5};
    child.memory_bytes = allowed->memory_bytes ? allowed->memory_bytes : UINT64_C(4) << 30;
    str_printf(&limit, provers[p].limit, (unsigned)(is_smt(p) ? seconds * 1000 : seconds + 0.999));
    for (uint32_t i = 0; i < MOST_ARGS; i++) {
        const char *arg = provers[p].command[i];
        argv[i] = arg && str_same(arg, LIMIT) ? str_get(&limit) : arg;
    }
    process_result r = process_run(argv, problem->text, problem->len, &child, out);
    str_free(&limit);
    return r;
}

static void external_explain(str *why, const char *name, process_result r, const str *out) {
    if (!why) return;
    str_clear(why);
    if (r.end != PROCESS_EXITED) str_printf(why, "%s %s", name, process_end_text(r.end));
    else str_printf(why, "%s gave no answer", name);
    const char *error = strstr(str_get(out), "rror");
    if (!error) return;
    while (error > str_get(out) && error[-1] != '\n') error--;
    str_add(why, ": ");
    str_addn(why, error, strcspn(error, "\n") < 200 ? strcspn(error, "\n") : 200);
}

// ---- SMT solvers

// One answer per line; anything else on a line (an error above all) voids what follows.
static uint32_t read_lines(const char *text, answer *answers, uint32_t n) {
    uint32_t k = 0;
    while (*text && k < n) {
        size_t len = strcspn(text, "\n");
        if (len == 5 && !strncmp(text, "unsat", 5)) answers[k++] = ANSWER_PROVED;
        else if (len == 3 && !strncmp(text, "sat", 3)) answers[k++] = ANSWER_REFUTED;
        else if ((len == 7 && !strncmp(text, "unknown", 7)) || (len == 7 && !strncmp(text, "timeout", 7))) k++;
        else return k;
        text += len + (text[len] == '\n');
    }
    return k;
}

static void ask_smt(external_prover p, const obligations *o, const obligation_set *s, const external_limits *allowed,
                    answer *answers, str *why) {
    str script = {0}, out = {0};
    smtlib_script(o, s, &script);
    process_result r = external_run(p, &script, allowed, s->ngoals, &out);
    if (strstr(str_get(&out), "(error")) external_explain(why, provers[p].name, r, &out);
    else if (read_lines(str_get(&out), answers, s->ngoals) < s->ngoals) external_explain(why, provers[p].name, r, &out);
    str_free(&script);
    str_free(&out);
}

// ---- provers of first-order logic

static bool says(const str *out, const char *phrase) { return strstr(str_get(out), phrase) != NULL; }

static answer read_words(external_prover p, process_result r, const str *out) {
    if (r.end != PROCESS_EXITED) return ANSWER_UNKNOWN;
    if (p == EXTERNAL_SPASS)
        return says(out, "SPASS beiseite: Proof found.")        ? ANSWER_PROVED
               : says(out, "SPASS beiseite: Completion found.") ? ANSWER_REFUTED
                                                                : ANSWER_UNKNOWN;
    return says(out, "SZS status Theorem\n") || says(out, "SZS status ContradictoryAxioms\n") ? ANSWER_PROVED
           : says(out, "SZS status CounterSatisfiable\n")                                     ? ANSWER_REFUTED
                                                                                              : ANSWER_UNKNOWN;
}

static answer ask_one(external_prover p, const obligations *o, const obligation_set *s, uint32_t number,
                      const external_limits *allowed, str *why) {
    str problem = {0}, out = {0};
    if (p == EXTERNAL_SPASS) dfg_problem(o, s, number, &problem);
    else tptp_problem(o, s, number, &problem);
    process_result r = external_run(p, &problem, allowed, 1, &out);
    answer a = read_words(p, r, &out);
    if (a == ANSWER_UNKNOWN) external_explain(why, provers[p].name, r, &out);
    str_free(&problem);
    str_free(&out);
    return a;
}

// ---- all

static obligation_set part_of(const obligation_set *s, uint32_t first, uint32_t n) {
    obligation_set part = *s;
    part.goals += first;
    part.ngoals = n;
    return part;
}

void external_ask(external_prover p, const obligations *o, const obligation_set *s, uint32_t first, uint32_t n,
                  const external_limits *allowed, answer *answers, str *why) {
    external_limits none = {0};
    if (!allowed) allowed = &none;
    obligation_set part = part_of(s, first, n);
    for (uint32_t i = 0; i < n; i++) answers[i] = ANSWER_UNKNOWN;
    if (is_smt(p)) ask_smt(p, o, &part, allowed, answers, why);
    else
        for (uint32_t i = 0; i < n && !limits_met(&allowed->limits); i++)
            answers[i] = ask_one(p, o, &part, i, allowed, why);
}
