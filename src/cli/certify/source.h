// SPDX-License-Identifier: Apache-2.0
// The model in a certificate: what is written of a file and of the options, and how it is read again. A .pv model
// (and what is translated to one) is its canonical text, which stands alone; of other languages it is the file itself,
// with the options that its reading depends on.
#ifndef CLI_CERTIFY_SOURCE_H
#define CLI_CERTIFY_SOURCE_H

#include "certificate/certfile.h"
#include "cli/load.h"
#include "cli/session.h"

typedef struct {
    const char *language;
    str text;
    json_t *options;
} source;

// For a file that was just loaded: call it before products are added to the model. False with a message.
bool source_take(session *s, const char *path, const loaded *l, source *out);
void source_free(source *x);
certfile_model source_model(const source *x);

// The model of a certificate, read as the certificate says; false with messages.
bool source_read(session *s, const certfile_model *c, loaded *l);
// Is it what the user's own file says, read with the options of the certificate? False with a message.
bool source_is_of_file(session *s, const certfile_model *c, const char *path);

#endif
