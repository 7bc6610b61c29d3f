// SPDX-License-Identifier: Apache-2.0
// rumur: see rumur.h.
#include "oracle/unit.h"

#include "oracle/rumur.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool rumur_is_here(void) {
    return system("rumur --version > /dev/null 2>&1") == 0 && system("cc --version > /dev/null 2>&1") == 0;
}

void rumur_open(char folder[64]) {
    strcpy(folder, "/tmp/parvis-rumur-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

void rumur_close(const char *folder) {
    str command = {0};
    str_printf(&command, "rm -rf '%s'", folder);
    assert_int_equal(system(str_get(&command)), 0);
    str_free(&command);
}

static void write_model(const char *folder, const str *text) {
    str path = {0};
    str_printf(&path, "%s/random.m", folder);
    FILE *f = fopen(str_get(&path), "w");
    assert_non_null(f);
    fputs(str_get(text), f);
    fclose(f);
    str_free(&path);
}

bool rumur_ask(const char *folder, const str *text, rumur_answer *x) {
    str command = {0};
    unsigned long long states = 0, fired = 0;
    char line[256];
    write_model(folder, text);
    str_printf(&command,
               "cd '%s' && rumur --symmetry-reduction off --threads 1 --output r.c random.m 2>/dev/null || exit 9; "
               "cc -w -O0 -mcx16 r.c -o r -lpthread -latomic 2>/dev/null || exit 9; timeout 60 ./r > out 2>&1; s=$?; "
               "cat out 2>/dev/null; exit $s",
               folder);
    FILE *from = popen(str_get(&command), "r");
    while (from && fgets(line, sizeof line, from)) sscanf(line, " %llu states, %llu rules fired", &states, &fired);
    int status = from ? pclose(from) : -1;
    str_free(&command);
    *x = (rumur_answer){WEXITSTATUS(status) != 0, states, fired};
    return WIFEXITED(status) && (WEXITSTATUS(status) == 1 || (WEXITSTATUS(status) == 0 && states));
}
