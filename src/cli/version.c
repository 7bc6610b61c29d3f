// SPDX-License-Identifier: Apache-2.0
// parvis version: the version, and the commit it was built from (given by the Makefile).
#include "cli/command.h"

const char *version_commit(void) { return PARVIS_COMMIT; }

static int version_run(session *s) {
    str text = {0};
    str_add(&text, "parvis " PARVIS_VERSION " (" PARVIS_COMMIT ")\n");
    session_say(s, &text);
    session_answer(s, json_pack("{s:s, s:s}", "version", PARVIS_VERSION, "commit", version_commit()));
    return EXIT_HOLDS;
}

const command version_command = {
    .name = "version",
    .arguments = "",
    .summary = "print the version and the commit",
    .details = "Examples:\n"
               "  parvis version\n",
    .run = version_run,
};
