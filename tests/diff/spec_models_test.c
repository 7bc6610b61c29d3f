// SPDX-License-Identifier: Apache-2.0
// The library of models against its own `expect` lines, with the reference evaluator and plain search alone: verdicts
// and numbers of states. Larger instances are left to tests/golden/models.t, which asks the program.
#include "oracle/unit.h"

#include <dirent.h>
#include <stdlib.h>

#include "front/pv/pv.h"
#include "model/compose.h"
#include "oracle/brute_explore.h"

typedef struct {
    diag *messages;
    model *m;
    pv_unit unit;
    const char *path;
    uint32_t most;  // states an instance may have here
    uint32_t checked;
} library_file;

static void file_open(library_file *f, const char *path, const expectation *e) {
    str text = {0};
    pv_options how = {.defines = e ? e->defines : NULL, .ndefines = e ? e->ndefines : 0};
    f->path = path;
    f->messages = diag_new();
    f->m = model_new(f->messages);
    if (pv_read(f->m, path, &how, &f->unit)) return;
    diag_print(f->messages, &text, false);
    fail_msg("%s", str_get(&text));
}

static void file_close(library_file *f) {
    model_free(f->m);
    diag_free(f->messages);
}

static instance *expected_instance(library_file *f, const expectation *e) {
    sort_size sizes[8];
    uint32_t n = 0;
    for (; n < e->sizes.len && n < 8; n++) sizes[n] = (sort_size){e->sizes.data[n].sort, e->sizes.data[n].size};
    instance *in = instance_new(f->m, compose_for(f->m, e->property), sizes, n);
    assert_non_null(in);
    return in;
}

static bool is_violated(const brute *b, const prop_info *p) {
    if (p->kind == PROP_DEADLOCK_FREE) return b->deadlock != BRUTE_NEVER;
    if (p->kind == PROP_INVARIANT) return b->invariants.data[0] != BRUTE_NEVER;
    return b->requirements.data[0] != BRUTE_NEVER;
}

static void no_assumption_fails(const library_file *f, const brute *b) {
    for (uint32_t i = 0; i < b->assumptions.len; i++)
        if (b->assumptions.data[i] != BRUTE_NEVER) fail_msg("%s: an assumption does not hold", f->path);
}

static void compare(library_file *f, const expectation *e, const brute *b) {
    const prop_info *p = prop_of(f->m, e->property);
    const char *verdict = is_violated(b, p) ? "violated" : "holds";
    if (!str_same(e->verdict, verdict)) fail_msg("%s: %s is %s", f->path, p->name, verdict);
    if (e->states && e->states != b->states)
        fail_msg("%s: %s has %llu states", f->path, p->name, (unsigned long long)b->states);
    no_assumption_fails(f, b);
    f->checked++;
}

static void check_as_read(library_file *f, uint32_t index) {
    const expectation e = f->m->expectations.data[index];
    if (e.states > f->most) return;
    instance *in = expected_instance(f, &e);
    brute b = brute_explore(in, &e.property, 1, f->most, false);
    if (b.is_complete) compare(f, &e, &b);
    brute_free(&b);
    instance_free(in);
}

// One that sets constants is about another model: the file is read once more, with these.
static void check_expectation(library_file *f, uint32_t index) {
    const expectation *e = &f->m->expectations.data[index];
    if (!e->ndefines) {
        check_as_read(f, index);
        return;
    }
    library_file other = {.most = f->most};
    file_open(&other, f->path, e);
    check_as_read(&other, index);
    f->checked += other.checked;
    file_close(&other);
}

// How many expectations were small enough to be checked.
static uint32_t check_file(const char *path, uint32_t most) {
    library_file f = {.most = most};
    file_open(&f, path, NULL);
    for (uint32_t i = 0; i < f.m->expectations.len; i++)
        if (str_same(diag_file_path(f.m->messages, f.m->expectations.data[i].at.file), path)) check_expectation(&f, i);
    file_close(&f);
    return f.checked;
}

static uint32_t check_folder(const char *folder, uint32_t most) {
    uint32_t checked = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        str path = {0};
        str_printf(&path, "%s/%s", folder, entry->d_name);
        if (str_ends(str_get(&path), ".pv")) checked += check_file(str_get(&path), most);
        str_free(&path);
    }
    closedir(d);
    return checked;
}

static uint32_t most_states(void) { return getenv("PARVIS_LONG") ? 1000000 : 100000; }

static void specifications(void **state) {
    (void)state;
    assert_true(check_folder("models/specs", most_states()) >= 20);
}

static void memories(void **state) {
    (void)state;
    assert_true(check_folder("models/tm", most_states()) >= 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(specifications), cmocka_unit_test(memories)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
