// SPDX-License-Identifier: Apache-2.0
// Names of levels and which implies which: see level.h.
#include "history/level.h"

static const char *const level_names[] = {"opaque",     "strict", "session", "serializable", "strong_si",
                                          "session_si", "si",     "causal",  "read_atomic",  "read_committed"};

// The levels directly below, as bits.
#define BELOW(x) (1u << LEVEL_##x)
static const uint32_t level_below[] = {
    [LEVEL_OPAQUE] = BELOW(STRICT),
    [LEVEL_STRICT] = BELOW(SESSION) | BELOW(STRONG_SI),
    [LEVEL_SESSION] = BELOW(SERIALIZABLE) | BELOW(SESSION_SI),
    [LEVEL_SERIALIZABLE] = BELOW(SI),
    [LEVEL_STRONG_SI] = BELOW(SESSION_SI),
    [LEVEL_SESSION_SI] = BELOW(SI) | BELOW(CAUSAL),
    [LEVEL_CAUSAL] = BELOW(READ_ATOMIC),
    [LEVEL_READ_ATOMIC] = BELOW(READ_COMMITTED),
    [LEVEL_READ_COMMITTED] = 0,
};

const char *level_name(level l) { return level_names[l]; }

bool level_find(const char *name, level *out) {
    for (uint32_t l = 0; l < LEVEL_COUNT; l++)
        if (str_same(level_names[l], name)) return *out = (level)l, true;
    return false;
}

bool level_needs_times(level l) { return l == LEVEL_OPAQUE || l == LEVEL_STRICT || l == LEVEL_STRONG_SI; }

bool level_has_sessions(level l) { return l != LEVEL_SERIALIZABLE && l != LEVEL_SI; }

bool level_implies(level strong, level weak) {
    uint32_t known = 1u << strong;
    for (uint32_t l = strong; l < LEVEL_COUNT; l++)
        if (known >> l & 1) known |= level_below[l];
    return known >> weak & 1;
}
