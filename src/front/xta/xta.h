// SPDX-License-Identifier: Apache-2.0
// UPPAAL's languages: networks of timed automata as XML (.xml) or text (.xta), queries (.q). See
// doc/timed.md.
//
// The network becomes one system with clocks (model/model.h): a location function a process, its variables as state
// functions, one rule an edge, pair of edges that synchronise, or broadcast. Queries become PROP_TIMED
// properties.
#ifndef FRONT_XTA_H
#define FRONT_XTA_H

#include "front/source.h"

typedef struct {
    const front_define *defines;  // other values for constants
    uint32_t ndefines;
    const char *const *paths;  // .q files in place of the queries of the model file
    uint32_t npaths;
    const char *const *queries;  // more queries, as text
    uint32_t nqueries;
    // A constant that may only say how many there are: as the end of a range that begins at most at 2, N or N - 1. The
    // first other use of it, or of a value of such a range as more than a name, goes to *size_use, of a query
    // to the property's own. NULL: nobody asks.
    const char *size;
    span *size_use;
    bool tells_time;  // add the clock that is never set, also if no query needs it
} xta_options;

// Reads a file; the language is told by its extension. False, with messages, on any error. The properties of
// the system are all that the model has.
bool xta_read(model *m, const char *path, const xta_options *options, sys *system);
// The same from memory; `text` must outlive the model's diagnostics. `path` names it in messages.
bool xta_read_text(model *m, const char *path, const char *text, size_t size, const xta_options *options, sys *system);

#endif
