// SPDX-License-Identifier: Apache-2.0
// A graph for a page: nodes, edges with all labels between two nodes together, and where they stand if Graphviz is
// installed to say so.
//
// Graphviz gets numbers and sizes only: no text of a model is given to it, and what it answers is read as numbers.
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "base/limits.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct plot plot;

plot *plot_new(void);
void plot_free(plot *l);
// Nodes are numbered from 0 in the order in which they are added; lines of a label end with '\n'.
void plot_add_node(plot *l, const char *label, bool is_initial, bool is_cut);
// An edge between nodes, which may be added later; UINT32_MAX: it leads nowhere, since it is refused.
void plot_add_edge(plot *l, uint32_t from, uint32_t to, const char *label, bool is_visible);

// nodes (label, initial, cut), edges (from, to or null, labels, visible), and places: null without Graphviz, above its
// limits or where there is too much to be looked at. In points of 1/72 inch from the top left: width, height, nodes
// (x, y, width, height), edges (points of Bézier curves, and where the label stands).
json_t *plot_object(const plot *l, const limits *until);

#endif
