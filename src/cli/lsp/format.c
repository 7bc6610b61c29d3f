// SPDX-License-Identifier: Apache-2.0
// Formatting: see format.h. The layout of a text keeps its tokens; that it keeps its meaning, which hangs on lines and
// columns too, is seen by reading it again and comparing the models as canonical text.
#include "cli/lsp/format.h"

#include "model/print.h"

bool lsp_format(const model *m, const char *path, const pv_options *how, str *out) {
    if (!pv_layout(how->text, how->size, out)) return false;
    diag *messages = diag_new();
    model *again = model_new(messages);
    pv_options now = *how;
    now.text = str_get(out);
    now.size = out->len;
    str before = {0}, after = {0};
    bool ok = pv_read(again, path, &now, NULL);
    print_model(m, &before);
    if (ok) print_model(again, &after);
    ok = ok && str_same(str_get(&before), str_get(&after));
    str_free(&before);
    str_free(&after);
    model_free(again);
    diag_free(messages);
    return ok;
}
