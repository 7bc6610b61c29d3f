// SPDX-License-Identifier: Apache-2.0
// Names of events: see event.h.
#include "history/event.h"

#include <string.h>

static const char *const names[EVENT_KINDS] = {"open", "read", "write", "commit", "abort", "nt_read", "nt_write"};

const char *event_kind_name(event_kind k) { return names[k]; }

event_kind event_kind_find(const char *name, size_t size) {
    for (uint32_t k = 0; k < EVENT_KINDS; k++)
        if (strlen(names[k]) == size && memcmp(names[k], name, size) == 0) return (event_kind)k;
    return EVENT_KINDS;
}
