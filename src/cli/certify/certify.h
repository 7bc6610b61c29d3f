// SPDX-License-Identifier: Apache-2.0
// Certificates of `check`: what was explored is written down as claims (certificate/closed.h), one for each exploration
// in which something holds. The folder has whatever is written and read again as a certificate:
//
//   certify.c   claims of check and compare
//   timed.c     of timed models
//   cmp.c       of the compositional method
//   source.c    the model in a certificate
//   recheck.c   the command
//   claims.c    rechecks claims about states
#ifndef CLI_CERTIFY_CERTIFY_H
#define CLI_CERTIFY_CERTIFY_H

#include "certificate/certfile.h"
#include "certificate/closed.h"
#include "cli/load.h"
#include "cli/session.h"
#include "cli/certify/source.h"
#include "explore/explore.h"
#include "language/compare.h"
#include "language/live.h"
#include "result/result.h"

typedef struct certify certify;

// NULL without --certificate. Call it before products are added to the model; what is wrong is in the messages.
certify *certify_begin(session *s, const loaded *l);
// The same for a comparison of two systems; right is NULL where both are in one file.
certify *certify_begin_pair(session *s, const char *left_path, const loaded *left, const char *right_path,
                            const loaded *right);

// The same for a model with clocks (cli/certify/timed.h writes it), and its file once there are queries to claim,
// which it takes; NULL: it cannot be made.
certify *certify_begin_timed(session *s);
certfile_writer *certify_queries(certify *y, json_t *queries);
// The same for a proof about every number of processes, which the constant says.
certify *certify_begin_views(session *s, const char *size);

// An exploration that was kept, whose answers are the entries of r from `first` on.
void certify_explored(certify *y, const explored *x, closed_stuck stuck, const result *r, uint32_t first);
// The same for liveness, with the ranks that prove it.
void certify_live(certify *y, const live_ranks *ranks, const result *r, uint32_t first);

// Comparisons: a sink that writes what holds, and which refinement that is about (id 0: none).
compare_sink certify_sink(certify *y);
void certify_about(certify *y, prop p);

// --strict made an answer unknown: only what holds has a certificate, so none is written.
void certify_doubt(certify *y);
// Ends the file; false with a message. Without any claim there is no file, and a note says so. Frees y.
bool certify_end(certify *y);
void certify_abandon(certify *y);

#endif
