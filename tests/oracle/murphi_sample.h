// SPDX-License-Identifier: Apache-2.0
// murphi_sample: a Murphi model from its text, ready to be explored, for tests of many small models.
#ifndef ORACLE_MURPHI_SAMPLE_H
#define ORACLE_MURPHI_SAMPLE_H

#include "front/murphi/murphi.h"
#include "model/instance.h"

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;     // with the sizes of the text
    VEC(prop) props;  // all of them
} murphi_sample;

// False: it is not read, and `messages` say why. To be freed in either case.
bool murphi_sample_read(murphi_sample *s, const char *text, const murphi_options *o);
// The same, and standard output gets the reason and the text.
bool murphi_sample_expect(murphi_sample *s, const char *text, const murphi_options *o);
void murphi_sample_free(murphi_sample *s);

#endif
