// SPDX-License-Identifier: Apache-2.0
// Claims about timed systems with any number of alike processes: a set of views of two of them (zone/every.h) that is
// closed, and in which an invariant holds.
//
// A view is a state of the system with four processes of which the first two are seen; the others are blank, their
// clocks have any value, and the fourth is the name of whoever is not seen. The set is closed if it has the views of
// the initial state, and whenever three processes can be such that the views of each two are in it, then after each
// step of one of them, or of a process that is not one of many, and any delay, so are the views of each two again.
// Steps are those of the reference evaluator, matrices are plain ones without abstraction, and all triples of views
// are tried.
//
// What this rests on is that the system says the same with any number of processes: which cells, clocks and names
// belong to which process is given by the caller, who has found it in the model.
//
// Data of the claim: the views by discrete state, each with its zones.
#ifndef CERTIFICATE_VIEWS_H
#define CERTIFICATE_VIEWS_H

#include "certificate/certfile.h"
#include "certificate/claim.h"
#include "model/instance.h"

enum { VIEWS_PROCESSES = 4, VIEWS_SHARED = 0xff };

// What belongs to which of the alike processes, 0 to 3, of the system with four of them.
typedef struct {
    const instance *in;
    const uint8_t *cell_of, *clock_of, *process_of;  // a process' number, or VIEWS_SHARED
    const uint8_t *is_name;                          // by cell: do its values name processes?
    value names[VIEWS_PROCESSES];
    const value *initial;  // the initial state
    const value *blank;    // what cells of a process that is not seen have: it holds nothing up
    expr holds;            // what the query says about the first two and what is shared
} views_parts;

// ---- writing: the claim, then each view by zones_write_state() with one zone, and zones_write_zone()

void views_write_claim(certfile_writer *w, const char *query, uint32_t clocks, uint64_t views);

// ---- rechecking

typedef struct {
    claim_verdict verdict;
    str why;  // not confirmed
    uint64_t views, triples, steps;
} views_answer;

// Reads the data of the present claim and checks it. False when the file is broken. Free `why` in either case.
bool views_check(certfile *file, const json_t *claim, const views_parts *parts, const claim_options *o,
                 views_answer *out);

#endif
