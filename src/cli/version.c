// SPDX-License-Identifier: Apache-2.0
// parvis version
#include "cli/command.h"

static int version_run(session *s) {
    str text = {0};
    str_add(&text, "parvis " PARVIS_VERSION "\n");
    session_say(s, &text);
    session_answer(s, json_pack("{s:s}", "version", PARVIS_VERSION));
    return EXIT_HOLDS;
}

const command version_command = {
    .name = "version",
    .arguments = "",
    .summary = "print the version",
    .details = "Examples:\n"
               "  parvis version\n",
    .run = version_run,
};
