// SPDX-License-Identifier: Apache-2.0
// The state graph of a small instance, breadth first by the reference evaluator, as DOT.
#ifndef CLI_GRAPH_H
#define CLI_GRAPH_H

#include "cli/session.h"
#include "model/eval.h"

typedef struct {
    uint32_t states, transitions;
    bool is_cut;      // there are more than `limit` states; those with successors left out are dashed
    bool is_stopped;  // by the session's limits: nothing is drawn
} graph_size;

// False, with a message, when there is no initial state.
bool graph_dot(const instance *in, uint32_t limit, const limits *l, str *out, graph_size *size);

#endif
