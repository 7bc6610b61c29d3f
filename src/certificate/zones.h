// SPDX-License-Identifier: Apache-2.0
// Claims about timed systems: zones that contain everything reachable, and in which what is claimed holds.
//
// A set of pairs (discrete state, zone) contains every reachable state if the initial ones are in it, with the time
// that passes there, and for every pair and every step what the step makes of the zone, with the time that passes after
// it, is within the zones of the state it leads to, or simulated by one of them: then every reachable state is
// simulated by one in the set. Which state simulates which follows from the numbers that clocks are compared with
// (zones_bounds.c); these are found here, from the places and moves themselves. Nothing is abstracted in checking
// this, so it does not matter how the zones were found. What is then claimed about each pair:
// - `A[] p`, and `E<> p` not to be possible: p (not p) holds in the whole zone; `deadlock` is where no step is
//   possible now or after a delay;
// - `A<> q` and `p --> q`, and `E[] p` not to be possible: there is no maximal run without q (within p). For this a
//   second set, whose zones have ranks: it contains the initial states (every part of a pair of the first set in which
//   p holds) as long as q does not hold; from each of its zones time cannot pass for ever without q, no run ends in
//   it, and every step that does not meet q leads to zones of *lower* rank. Ranks are numbers: no run goes down for
//   ever;
// - `sup{p}: e` and `inf{p}: e`: where p holds in a zone, e is not beyond the number that is claimed. That it is
//   reached, or approached, is not claimed.
// A run-time error anywhere refutes the claim.
//
// With symmetry, pairs stand for all their images under some swaps of cells, values and clocks, which are in the file.
// All images are made and all of them are checked, so the swaps need not be trusted: they only say which set it is.
//
// Data of the claim: the swaps (for every cell where it goes, and two values that change places in it; for every clock
// where it goes), then the pairs by discrete state, then for each query with ranks its pairs, each zone after its rank.
#ifndef CERTIFICATE_ZONES_H
#define CERTIFICATE_ZONES_H

#include "certificate/certfile.h"
#include "certificate/claim.h"
#include "model/eval.h"
#include "model/instance.h"

// ---- writing

// A bound that no state exceeds: not attained if it is strict; `is_there` is false where no state counts at all.
typedef struct {
    bool is_there, is_strict;
    int64_t number;
} zones_extreme;

// How many states follow for each query that has ranks, in the order of the queries.
typedef struct {
    const char *query;  // the property's name
    bool is_ranked;
    uint32_t states;
    bool is_measured;  // sup, inf
    zones_extreme extreme;
} zones_query;

typedef struct {
    uint32_t clocks;  // with clock 0
    uint32_t swaps, states;
    bool counts_idle;
    const zones_query *queries;
    uint32_t nqueries;
} zones_claim;

void zones_write_claim(certfile_writer *w, const zones_claim *c);
void zones_write_swap(certfile_writer *w, const instance *in, uint32_t clocks, const uint32_t *cell_to, const value *a,
                      const value *b, const uint32_t *clock_to);
void zones_write_state(certfile_writer *w, const instance *in, const value *cells, uint32_t nzones);
// After its rank, if it has one: certfile_put_number().
void zones_write_zone(certfile_writer *w, uint32_t clocks, const int32_t *d);  // bounds as in plaindbm.h

// ---- rechecking

typedef struct {
    const char *query;
    claim_verdict verdict;
    char *why;          // in the answer's memory; NULL: confirmed
    const char *shown;  // of sup and inf: "never above 5"; else NULL
} zones_finding;

typedef struct {
    arena *memory;
    VEC(zones_finding) queries;
    bool counts_idle;                      // the reading of doc/timed.md that queries about runs are for
    uint64_t given, states, zones, steps;  // zones in the file; checked, with all images
} zones_answer;

// Reads the data of the present claim and checks it on the instance, whose model has the queries as properties. False
// when the file is broken. Free the answer in either case.
bool zones_check(certfile *file, const json_t *claim, const instance *in, const claim_options *o, zones_answer *out);
void zones_answer_free(zones_answer *a);

#endif
