// SPDX-License-Identifier: Apache-2.0
// Certificates of `check` of timed models (certificate/zones.h): written from what the search kept.
#ifndef CLI_CERTIFY_TIMED_H
#define CLI_CERTIFY_TIMED_H

#include "cli/load.h"
#include "cli/session.h"
#include "model/instance.h"
#include "result/result.h"
#include "zone/keep.h"

typedef struct timed_certificate timed_certificate;

timed_certificate *timed_certificate_new(session *s, const instance *in);
const zone_keeper *timed_certificate_keeper(timed_certificate *y);
// Ends the file; warnings say which results it does not cover; is_doubted: --strict made an answer unknown,
// so none is written. False with a message. Frees y.
bool timed_certificate_end(timed_certificate *y, const result *r, bool is_doubted);

#endif
