// SPDX-License-Identifier: Apache-2.0
// Between the files that read Jepsen's histories (foreign.h): operations as they were found in the text, and what
// they do.
#ifndef HISTORY_JEPSEN_INT_H
#define HISTORY_JEPSEN_INT_H

#include "history/edn.h"
#include "history/recorded.h"

typedef enum { JEPSEN_INVOKE, JEPSEN_OK, JEPSEN_FAIL, JEPSEN_INFO, JEPSEN_TYPES } jepsen_type;

typedef struct {
    jepsen_type type;
    bool has_time;
    uint64_t time;
    uint32_t session;   // JEPSEN_ALONE: it names no process
    size_t value;       // where :value begins in the text; 0: nil, or none
    size_t place, end;  // of its map
} jepsen_op;

#define JEPSEN_ALONE UINT32_MAX

// What it does when `invoked` (NULL: not known) has ended so. Values of list-append histories: nil is an empty list.
bool jepsen_record_ops(edn *e, recording *r, recording_tx t, const jepsen_op *by, bool is_lists, bool reads_nil,
                       uint64_t call, uint64_t answer);

#endif
