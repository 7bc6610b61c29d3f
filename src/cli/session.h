// SPDX-License-Identifier: Apache-2.0
// One run of the program: its options, its messages, where its answer goes. Text goes to standard output as
// it comes; with --json nothing is printed until the end, when one object is.
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "base/limits.h"
#include "base/progress.h"
#include "cli/options.h"
#include "model/model.h"
#include "ranks/ranks.h"
#include "report/object.h"
#include "report/style.h"
#include "report/text.h"
#include "result/result.h"

#include <jansson.h>

#define PARVIS_VERSION "0.1.0"

// Exit codes.
enum { EXIT_HOLDS = 0, EXIT_VIOLATED = 1, EXIT_BAD_INPUT = 2, EXIT_UNKNOWN = 3 };

struct command;

// Which of the processes that a launcher started this is (launch.h).
typedef struct {
    uint32_t rank, count;  // count 1: there is no launcher, or it started one process
    uint32_t neighbours;   // ranks on this machine, if known, else 1
} launch;

typedef struct {
    options opt;
    diag *messages;
    VEC(model *) models;            // freed last: messages quote their texts
    VEC(void *) kept;               // and these
    const struct command *command;  // NULL until known
    const char *file;               // first argument, NULL if none
    style style;                    // of standard output
    bool is_live;                   // standard error is a terminal that may show progress
    json_t *sources;                // with --report: the files that were read, as of the last part of the answer
    json_t *answer;                 // with --json or --report: its object
    int output_error;               // errno of the first failure to write the answer
    bool is_saving;                 // the verdict is known; files are written, and the watchdog waits for them
    bool is_unsaved;                // a file that was asked for could not be written: the verdict stands
    int argc;                       // the command line
    char *const *argv;
    double started;
    VEC(const char *) search;   // folders in which models are looked for: PARVIS_PATH, then the library
    VEC(const char *) allowed;  // from which models may use files: PARVIS_PATH and --allow
    limits limits;              // of the whole run
    launch launch;              // which process of a run this is
    ranks_job *ranks;           // those that work together; NULL: this one works alone
    const char *timed_size;     // the constant that says how many processes a timed model has; NULL: nobody asks
    span timed_size_use;        // where it is used for something else
} session;

void session_begin(session *s);
void session_end(session *s);
// After the options are known: terminal, locale, colours.
void session_set_style(session *s);
// The same: where models are looked for; arguments that name one there become its path.
void session_find_models(session *s);

progress *session_line(const session *s);  // a live line on standard error, if it may have one
bool session_is_json(const session *s);
bool session_wants_answer(const session *s);  // as an object: for --json or --report
object_detail session_detail(const session *s);
text_options session_text_options(const session *s);
// Writes text to standard output (not with --json) and frees it.
void session_say(session *s, str *text);
// The same, byte by byte: a file that may be binary.
void session_say_bytes(session *s, str *bytes);
// The last text of a verdict. The run has answered with it: whatever ends the run later adds nothing, and files that
// are still to be written are written first. With --json the text may be NULL: the answer is printed at the end.
void session_say_verdict(session *s, str *text, int code);
// After the files that go with a verdict: the exit code, and whether the answer reports missing files.
int session_saved(session *s, bool is_written, int code);
// If a limit was met, says which, and returns true.
bool session_say_limit(session *s);
// Members for the object that --json prints; takes the reference.
void session_answer(session *s, json_t *members);
// Writes a file that was asked for, whole or not at all; a message, and false, when that fails.
bool session_write_file(session *s, const char *path, const str *text);
// The same for --trace: the run that decides a property (NULL: there is none, and nothing to write).
bool session_write_trace(session *s, const result_property *p);
// A message without a place; false.
bool session_error(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Warnings so far, to standard error.
void session_show_messages(session *s);
// Prints what is left to print; returns the exit code to end with.
int session_finish(session *s, int code);

int session_exit_code(verdict v);

// After the options are known: from here on the limits apply in every phase (watchdog.h).
void session_set_limits(session *s);
// Those of a proof: of the run, and if the user gave it no time, five minutes. What the user gave is shared with the
// other questions that are still open.
limits session_proof_limits(const session *s, uint32_t questions);
// What is being done now, for the answer of a run that is ended by force: "reading the model".
void session_phase(session *s, const char *phase);

#endif
