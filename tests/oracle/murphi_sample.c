// SPDX-License-Identifier: Apache-2.0
// A Murphi model from its text: see murphi_sample.h.
#include "oracle/murphi_sample.h"

#include <stdio.h>
#include <string.h>

bool murphi_sample_read(murphi_sample *s, const char *text, const murphi_options *o) {
    *s = (murphi_sample){.messages = diag_new()};
    s->m = model_new(s->messages);
    if (!murphi_read_text(s->m, "sample.m", text, strlen(text), o, &s->system)) return false;
    s->in = instance_new(s->m, s->system, NULL, 0);
    for (uint32_t i = 1; i < s->m->props.len; i++) vec_push(&s->props, (prop){i});
    return s->in != NULL;
}

bool murphi_sample_expect(murphi_sample *s, const char *text, const murphi_options *o) {
    if (murphi_sample_read(s, text, o)) return true;
    str why = {0};
    diag_print(s->messages, &why, false);
    printf("%s\n%s\n", str_get(&why), text);
    str_free(&why);
    return false;
}

void murphi_sample_free(murphi_sample *s) {
    vec_free(&s->props);
    instance_free(s->in);
    model_free(s->m);
    diag_free(s->messages);
}
