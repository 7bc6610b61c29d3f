// SPDX-License-Identifier: Apache-2.0
// Command lines to options, with getopt_long: options may come before and after other arguments, long ones
// may be abbreviated, and mistakes are explained rather than only refused.
#include "cli/options.h"

#include "base/units.h"
#include "cli/murphi_options.h"
#include "model/instance.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const option_info option_table[OPT_COUNT] = {
#define OPTION_ROW(id, name, letter, argument, text) {name, letter, argument, text},
    OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

enum { LONG_VALUE = 256, MOST_THREADS = 1024, LONGEST_WORD = 20, MOST_RECURSION = 2000 };

static const span nowhere = {0};

void options_text(option_id id, str *out) {
    const option_info *i = &option_table[id];
    if (i->letter) str_printf(out, "-%c, ", i->letter);
    else str_add(out, "    ");
    str_printf(out, "--%s", i->name);
    if (i->argument) str_printf(out, " %s", i->argument);
}

// ---- values

// A whole number in decimal; false if there is more or less.
static bool options_parse_number(const char *text, long low, long high, long *n) {
    char *end;
    errno = 0;
    *n = strtol(text, &end, 10);
    return end != text && !*end && !errno && *n >= low && *n <= high && *text != ' ' && *text != '+';
}

static bool is_name(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char c = s[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i && c >= '0' && c <= '9')) return false;
    }
    return n > 0;
}

// "2" or "1..3"
static bool parse_range(const char *text, uint32_t *low, uint32_t *high) {
    const char *dots = strstr(text, "..");
    char first[16];
    size_t n = dots ? (size_t)(dots - text) : strlen(text);
    long a, b;
    if (n >= sizeof first) return false;
    memcpy(first, text, n);
    first[n] = '\0';
    if (!options_parse_number(first, 1, INSTANCE_LARGEST_SORT, &a)) return false;
    b = a;
    if (dots && !options_parse_number(dots + 2, a, INSTANCE_LARGEST_SORT, &b)) return false;
    *low = (uint32_t)a;
    *high = (uint32_t)b;
    return true;
}

static bool options_parse_size(options *o, char *part, diag *d) {
    char *equals = strchr(part, '=');
    size_range r = {.sort = part};
    if (!equals || !is_name(part, (size_t)(equals - part))) {
        diag_error(d, nowhere, "'%s' is not a size: write --size Thread=2,Loc=3, or ranges: --size Thread=1..3", part);
        return false;
    }
    *equals = '\0';
    if (!parse_range(equals + 1, &r.low, &r.high)) {
        diag_error(d, nowhere, "'%s' is not a size for '%s': a number from 1 to %d, or a range such as 1..3",
                   equals + 1, part, INSTANCE_LARGEST_SORT);
        return false;
    }
    for (uint32_t i = 0; i < o->sizes.len; i++)
        if (str_same(o->sizes.data[i].sort, part)) {
            diag_error(d, nowhere, "two sizes for '%s'", part);
            return false;
        }
    vec_push(&o->sizes, r);
    return true;
}

static bool options_parse_sizes(options *o, const char *text, diag *d) {
    bool ok = true;
    char *rest = arena_str(o->memory, text);
    for (char *part; (part = strsep(&rest, ","));) ok &= options_parse_size(o, part + strspn(part, " "), d);
    return ok;
}

static bool parse_define(options *o, const char *text, diag *d) {
    const char *equals = strchr(text, '=');
    long n;
    if (!equals || !is_name(text, (size_t)(equals - text)) ||
        !options_parse_number(equals + 1, INT32_MIN, INT32_MAX, &n)) {
        diag_error(d, nowhere, "'%s' is not a definition: write --define N=5", text);
        return false;
    }
    vec_push(&o->defines, (front_define){arena_strn(o->memory, text, (size_t)(equals - text)), (int32_t)n});
    return true;
}

// One of the words of an option's argument "a|b|c"; its index, or -1 after a message.
static int options_choose(option_id id, const char *text, diag *d) {
    const char *p = option_table[id].argument;
    for (int i = 0;; i++) {
        size_t n = strcspn(p, "|");
        if (strlen(text) == n && strncmp(p, text, n) == 0) return i;
        if (!p[n]) break;
        p += n + 1;
    }
    diag_error(d, nowhere, "--%s takes %s, not '%s'", option_table[id].name, option_table[id].argument, text);
    return -1;
}

static bool options_expect(bool ok, option_id id, const char *text, const char *form, diag *d) {
    if (!ok) diag_error(d, nowhere, "--%s takes %s, not '%s'", option_table[id].name, form, text);
    return ok;
}

static bool set_number(uint32_t *to, option_id id, long most, const char *text, diag *d) {
    long n;
    bool ok = options_parse_number(text, 1, most, &n);
    if (ok) *to = (uint32_t)n;
    else diag_error(d, nowhere, "--%s takes a number from 1 to %ld, not '%s'", option_table[id].name, most, text);
    return ok;
}

static bool set_choice(options *o, option_id id, const char *text, diag *d) {
    int i = options_choose(id, text, d);
    if (i < 0) return false;
    if (id == OPT_STORE) o->stores_all = i == 0;
    if (id == OPT_IDLE_STEPS) o->counts_idle = i == 1;
    if (id == OPT_SEARCH) o->order = (search_order)i;
    if (id == OPT_SYMMETRY) o->symmetry = i == 0 ? SYMMETRY_EXACT : i == 1 ? SYMMETRY_HEURISTIC : SYMMETRY_OFF;
    if (id == OPT_SELF_CHECK) o->self_check = i == 0 ? SELF_CHECK_OFF : i == 1 ? SELF_CHECK_SAMPLE : SELF_CHECK_ALL;
    if (id == OPT_BY) o->by = (compare_kind)i;
    if (id == OPT_ENGINE) o->engine = (explore_engine)i;
    if (id == OPT_DEADLOCK) o->deadlock = (deadlock_choice)i;
    if (id == OPT_SEMANTICS) o->semantics = (semantics_choice)i;
    if (id == OPT_METHOD) o->method = (method_choice)i;
    if (id == OPT_COLOR) o->color = (color_choice)i;
    return true;
}

static bool set_limit(options *o, option_id id, const char *text, diag *d) {
    double *seconds = id == OPT_LIMIT_CPU ? &o->limit_cpu_seconds : &o->limit_seconds;
    uint64_t *states = id == OPT_DIVIDE_FROM ? &o->divide_from : &o->limit_states;
    if (id == OPT_LIMIT_STATES || id == OPT_DIVIDE_FROM)
        return options_expect(units_parse_count(text, states) && *states, id, text, "a number such as 5M", d);
    if (id == OPT_LIMIT_MEMORY)
        return options_expect(units_parse_bytes(text, &o->limit_bytes) && o->limit_bytes, id, text,
                              "a size such as 512M or 2G", d);
    return options_expect(units_parse_seconds(text, seconds) && *seconds > 0, id, text, "a time such as 90s or 10m", d);
}

// SORT or SORT,SORT
static bool set_over(options *o, const char *text, diag *d) {
    const char *comma = strchr(text, ',');
    o->over = comma ? arena_printf(o->memory, "%.*s", (int)(comma - text), text) : text;
    o->over_also = comma ? comma + 1 : NULL;
    bool ok = *o->over && (!comma || (comma[1] && !strchr(comma + 1, ',') && !str_same(o->over, o->over_also)));
    return options_expect(ok, OPT_OVER, text, "the name of a sort, or of two: client,lock", d);
}

static bool set(options *o, option_id id, const char *text, diag *d) {
    o->given |= (option_set)1 << id;
    if (text && strchr(option_table[id].argument, '|')) return set_choice(o, id, text, d);
    switch (id) {
    case OPT_SIZE: return options_parse_sizes(o, text, d);
    case OPT_DEFINE: return parse_define(o, text, d);
    case OPT_OVER: return set_over(o, text, d);
    case OPT_THREADS: return set_number(&o->threads, id, MOST_THREADS, text, d);
    case OPT_JOBS: return set_number(&o->jobs, id, MOST_THREADS, text, d);
    case OPT_ERRORS: return set_number(&o->errors, id, INT32_MAX, text, d);
    case OPT_LIMIT_DEPTH: return set_number(&o->limit_depth, id, INT32_MAX, text, d);
    case OPT_LIMIT_RECURSION: return set_number(&o->limit_recursion, id, MOST_RECURSION, text, d);
    case OPT_LONGEST: return set_number(&o->longest, id, LONGEST_WORD, text, d);
    case OPT_DIVIDE_FROM:
    case OPT_LIMIT_STATES:
    case OPT_LIMIT_MEMORY:
    case OPT_LIMIT_CPU:
    case OPT_LIMIT_TIME: return set_limit(o, id, text, d);
    case OPT_PROPERTY: vec_push(&o->properties, text); return true;
    case OPT_QUERY: vec_push(&o->queries, text); return true;
    case OPT_LEVEL: vec_push(&o->levels, text); return true;
    case OPT_ALLOW: vec_push(&o->allowed, text); return true;
#define OPTION_CASE(id, name) \
    case OPT_##id: o->name = text; return true;
        OPTIONS_TEXT(OPTION_CASE)
#undef OPTION_CASE
    default: return true;
    }
}

// ---- parsing

static void fill_tables(struct option *longs, char *letters) {
    *letters++ = ':';  // a missing argument is told apart from an unknown option
    for (int i = 0; i < OPT_COUNT; i++) {
        const option_info *info = &option_table[i];
        longs[i] = (struct option){info->name, info->argument ? required_argument : no_argument, NULL, LONG_VALUE + i};
        if (!info->letter) continue;
        *letters++ = info->letter;
        if (info->argument) *letters++ = ':';
    }
    longs[OPT_COUNT] = (struct option){0};
    *letters = '\0';
}

static int id_of(int c) {
    if (c >= LONG_VALUE) return c - LONG_VALUE;
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_table[i].letter == c) return i;
    return -1;
}

static const char *nearest_option(const char *name) {
    const char *names[OPT_COUNT];
    for (int i = 0; i < OPT_COUNT; i++) names[i] = option_table[i].name;
    return diag_nearest(name, names, OPT_COUNT);
}

// The options that begin with a shortened name: "--size, --symmetry".
static unsigned options_candidates(const char *name, str *out) {
    unsigned n = 0;
    for (int i = 0; i < OPT_COUNT; i++)
        if (str_starts(option_table[i].name, name)) str_printf(out, "%s--%s", n++ ? ", " : "", option_table[i].name);
    return n;
}

static void complain_long(const char *word, diag *d) {
    str name = {0}, list = {0};
    str_addn(&name, word + 2, strcspn(word + 2, "="));
    unsigned n = options_candidates(str_get(&name), &list);
    const char *near = nearest_option(str_get(&name));
    if (n == 1) diag_error(d, nowhere, "option '%s' takes no argument", str_get(&list));
    else if (n > 1) diag_error(d, nowhere, "option '--%s' is ambiguous: %s", str_get(&name), str_get(&list));
    else if (near) diag_error(d, nowhere, "unknown option '--%s', did you mean '--%s'?", str_get(&name), near);
    else diag_error(d, nowhere, "unknown option '--%s'", str_get(&name));
    str_free(&name);
    str_free(&list);
}

static void options_complain(int c, char **argv, diag *d) {
    const char *word = argv[optind - 1];
    int id = id_of(optopt);
    if (c == ':' && id >= 0)
        diag_error(d, nowhere, "option '--%s' needs an argument: --%s %s", option_table[id].name, option_table[id].name,
                   option_table[id].argument);
    else if (str_starts(word, "--")) complain_long(word, d);
    else diag_error(d, nowhere, "unknown option '-%c'", optopt);
}

bool options_parse(options *o, int argc, char **argv, diag *d) {
    struct option longs[OPT_COUNT + 1];
    char letters[2 * OPT_COUNT + 2];
    *o = (options){.memory = arena_new(), .symmetry = SYMMETRY_EXACT};
    argv = murphi_options_translate(o->memory, &argc, argv, d);
    fill_tables(longs, letters);
    bool ok = true;
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        bool known = c != '?' && c != ':';
        if (!known) options_complain(c, argv, d);
        ok &= known && set(o, (option_id)id_of(c), optarg, d);
    }
    for (int i = optind; i < argc; i++) vec_push(&o->arguments, argv[i]);
    return ok;
}

void options_free(options *o) {
    arena_free(o->memory);
    vec_free(&o->arguments);
    vec_free(&o->sizes);
    vec_free(&o->properties);
    vec_free(&o->levels);
    vec_free(&o->queries);
    vec_free(&o->allowed);
    vec_free(&o->defines);
}
