// SPDX-License-Identifier: Apache-2.0
// See stronger.h. The file is read into a model of its own, each time that it is asked.
#include "cli/stronger.h"

#include "front/pv/pv.h"
#include "infer/stronger.h"

#include <string.h>
#include <unistd.h>

typedef struct {
    str path;
    diag *messages;
    model *m;
    prop stated;  // id 0: nothing that is of use
} stronger_file;

// False: there is none.
static bool find_path(const model *m, sys spec, str *out) {
    const char *path = diag_file_path(m->messages, sys_of(m, spec)->at.file), *end = path ? strrchr(path, '.') : NULL;
    if (!end || strcmp(end, ".pv") != 0) return false;
    str_printf(out, "%.*s_is_stronger.pv", (int)(end - path), path);
    return access(str_get(out), R_OK) == 0;
}

static stronger_file read_stronger(session *s, const model *m, prop by, prop wanted) {
    stronger_file f = {0};
    if (!stronger_fits(m, by, wanted) || !find_path(m, prop_of(m, by)->spec, &f.path)) return f;
    f.messages = diag_new();
    f.m = model_new(f.messages);
    pv_unit unit = {0};
    pv_options how = {.allowed = s->allowed.data, .nallowed = s->allowed.len};
    how.search = (front_search){s->search.data, s->search.len};
    if (pv_read(f.m, str_get(&f.path), &how, &unit))
        f.stated = stronger_stated(f.m, unit.props, unit.nprops, m, by, wanted);
    return f;
}

static void stronger_file_free(stronger_file *f) {
    if (f->m) model_free(f->m);
    if (f->messages) diag_free(f->messages);
    str_free(&f->path);
}

bool stronger_file_states(session *s, model *m, prop by, prop wanted) {
    stronger_file f = read_stronger(s, m, by, wanted);
    bool found = f.stated.id;
    stronger_file_free(&f);
    return found;
}

proof *stronger_file_conclude(session *s, model *m, prop by, prop wanted, const infer_options *how) {
    stronger_file f = read_stronger(s, m, by, wanted);
    proof *p = f.stated.id ? stronger_conclude(f.m, f.stated, str_get(&f.path), m, by, wanted, how) : NULL;
    stronger_file_free(&f);
    return p;
}
