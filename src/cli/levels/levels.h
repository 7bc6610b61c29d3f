// SPDX-License-Identifier: Apache-2.0
// Recorded histories on the command line.
//
//   levels.c       checks levels, reports
//   streamed.c     the same while a large history is read
//   object.c       the answer as JSON
//   drawn.c        what a page draws of a core, and around it
//   certificate.c  orders that were found, written and replayed
//   show.c         counts, and conversion to other formats
#ifndef CLI_LEVELS_LEVELS_H
#define CLI_LEVELS_LEVELS_H

#include "certificate/certfile.h"
#include "cli/session.h"
#include "history/core.h"
#include "history/format.h"
#include "history/level.h"
#include "history/level_check.h"
#include "history/points.h"
#include "history/recorded.h"
#include "history/sources.h"
#include "result/result.h"

// What was asked about one history, and what was found.
typedef struct {
    bool is_asked;
    bool is_absent;  // it needs times, which the history has not
    level_answer answer;
    bool has_core;  // violated: of this level itself…
    level same_as;  // …else it is violated as this weaker one is
    core core;
    explanation explanation;
} level_report;

typedef struct {
    session *s;
    const recorded *h;
    level_report of[LEVEL_COUNT];
} levels_run;

// Is the command about histories? By its options, or by the name of its first file.
bool levels_is_history(const session *s);
// All files that were given, as one history. False after messages. After mistakes the session keeps the texts, which
// messages quote.
bool levels_load(session *s, const char *format_name, sources *from, recorded *h);
// Until the end of the session: messages quote the texts.
void levels_keep_sources(session *s, sources *from);
// The format of that name; NULL after a message.
const format *levels_format(session *s, const char *name);
// parvis check of recorded histories: an exit code.
int levels_check(session *s);
// Large files and levels about real time: true if they hold, which was said then.
bool levels_streamed(session *s, const sources *from, const format *by, int *code);
// Of transactions, by outcome.
void levels_say_counts(uint64_t events, uint32_t sessions, const uint64_t *counts, bool has_times, str *out);
// The same for a history that is there already; --level and --core count.
int levels_check_history(session *s, const recorded *h);
// parvis show of histories.
int levels_show(session *s);

json_t *levels_object(const levels_run *r);
// The transactions of a core and those around them, with their operations and times.
json_t *levels_drawn(const levels_run *r, const level_report *x);
// For --certificate; false after a message.
bool levels_write_certificate(const levels_run *r, const char *path);
int levels_recheck(session *s, certfile *file);

verdict levels_verdict(order_verdict v);

#endif
