// SPDX-License-Identifier: Apache-2.0
// What `parvis show` draws of an instance.
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "cli/session.h"
#include "model/instance.h"
#include "report/plot.h"

typedef struct {
    uint32_t states, transitions;
    bool is_cut;      // there are more than `limit` states; those with successors left out are dashed
    bool is_stopped;  // by the session's limits: nothing is drawn
} graph_size;

// The state graph of a small instance, breadth first by the reference evaluator, as DOT. False, with a message, when
// there is no initial state.
// The same for a page goes to `drawn`, unless it is NULL.
bool graph_dot(const instance *in, uint32_t limit, const limits *l, str *out, plot *drawn, graph_size *size);

// The whole transition system as text in the Aldebaran format. Explores without symmetry, so that labels name the
// elements that take part. An exit code.
int lts_command(session *s, const instance *in);

#endif
