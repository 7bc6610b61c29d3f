// SPDX-License-Identifier: Apache-2.0
// Reading a model: the file's extension determines the language.
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/options.h"
#include "cli/session.h"
#include "model/model.h"

typedef struct {
    model *m;
    const sys *systems;  // what the file itself declares, in the order of its text
    uint32_t nsystems;
    const prop *props;
    uint32_t nprops;
    uint32_t errors;           // after how many violations its checkers stop; 0: when all is decided
    deadlock_choice deadlock;  // what is looked for in this language by default
} loaded;

// False, with messages, when it cannot be read or has mistakes. The model lives as long as the session.
bool load_file(session *s, const char *path, loaded *l);
// For proofs about any number of elements, after load_file(): where the model has no scalarset for that, it is read
// once more, with scalarsets in place of the ranges that are used like them. *why: what speaks against one; NULL:
// nothing.
bool load_sort(session *s, loaded *l, const char **why);
// The same for the text of a certificate, in the language of that extension; it must outlive the session's messages.
bool load_text(session *s, const char *extension, const char *name, const char *text, loaded *l);

// Of a timed model that was read with s->timed_size: is that constant, or the name of a process, used as a number, in
// the model or in the query? Then `why` says so.
bool load_counts_processes(const session *s, const model *m, prop query, str *why);

// By name, with a message and a hint if there is none. The property may belong to a used file.
bool load_find_property(session *s, const loaded *l, const char *name, prop *p);
bool load_find_system(session *s, const loaded *l, const char *name, sys *found);
// The system that a command works on when none is named: that of the first property, else the last of the
// file.
bool load_main_system(session *s, const loaded *l, sys *found);

#endif
