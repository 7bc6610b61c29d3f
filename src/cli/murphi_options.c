// SPDX-License-Identifier: Apache-2.0
// Options of other Murphi checkers: see murphi_options.h.
#include "cli/murphi_options.h"

#include "base/str.h"
#include "base/vec.h"

#include <string.h>

// A pattern ends in '#' for a number, which stands for the '#' in the texts.
typedef struct {
    const char *theirs, *ours[2];  // ours NULL: nothing
    const char *note;              // NULL: none
} murphi_option;

static const murphi_option murphi_table[] = {
    {"-ndl", {"--deadlock", "none"}, NULL},
    {"-nosym", {"--symmetry", "off"}, NULL},
    {"-pr", {"--statistics", NULL}, NULL},
    {"-tf", {"--full-states", NULL}, NULL},
    {"-m#", {"--limit-memory", "#M"}, NULL},
    {"-k#", {"--limit-memory", "#K"}, NULL},
    {"-maxl#", {"--limit-depth", "#"}, NULL},
    {"-v", {NULL}, NULL},
    {"-vbfs", {NULL}, NULL},
    {"-tv", {NULL}, NULL},
    {"-td", {NULL}, NULL},
    {"-sym", {NULL}, NULL},
    {"-sym#", {NULL}, NULL},
    {"-permlimit#", {NULL}, NULL},
    {"-p#", {NULL}, NULL},
    {"-pn", {NULL}, NULL},
    {"-vdfs", {NULL}, "-vdfs: states are searched breadth first, so that traces are shortest"},
    {"-loop#", {NULL}, "-loop: a loop is taken for endless after 100,000 rounds"},
    {"-tn", {NULL}, "-tn: traces are always shown; --quiet shows only verdicts"},
    {"-ta", {NULL}, "-ta: to see all states, try 'parvis show FILE --dot'"},
    {"-nomultiset", {NULL}, "-nomultiset: multisets are always compared by their elements"},
};

// Those of Rumur, which have a value.
static const murphi_option murphi_valued[] = {
    {"--bound", {"--limit-depth", NULL}, NULL},
    {"--deadlock-detection", {"--deadlock", NULL}, NULL},
    {"--max-errors", {"--errors", NULL}, NULL},
    {"--symmetry-reduction", {"--symmetry", NULL}, NULL},
};

static bool is_number(const char *text) { return *text && text[strspn(text, "0123456789")] == '\0'; }

// The number that stands for '#', "" where there is none; NULL: it is another option.
static const char *match(const murphi_option *o, const char *word) {
    size_t n = strcspn(o->theirs, "#");
    if (strncmp(word, o->theirs, n) != 0) return NULL;
    if (!o->theirs[n]) return word[n] ? NULL : "";
    return is_number(word + n) ? word + n : NULL;
}

typedef struct {
    arena *memory;
    VEC(char *) words;
    diag *messages;
} translation;

static void put_ours(translation *t, const char *text, const char *number) {
    size_t n = strcspn(text, "#");
    vec_push(&t->words, text[n] ? arena_printf(t->memory, "%.*s%s%s", (int)n, text, number, text + n + 1)
                                : arena_str(t->memory, text));
}

static bool put_short(translation *t, const char *word) {
    for (size_t i = 0; i < sizeof murphi_table / sizeof *murphi_table; i++) {
        const murphi_option *o = &murphi_table[i];
        const char *number = match(o, word);
        if (!number) continue;
        for (int k = 0; k < 2 && o->ours[k]; k++) put_ours(t, o->ours[k], number);
        if (o->note) diag_note(t->messages, (span){0}, "%s", o->note);
        return true;
    }
    return false;
}

// Rumur's words for values are ours but for these.
static const struct {
    const char *option, *theirs, *ours;
} murphi_words[] = {
    {"--deadlock", "off", "none"},
    {"--symmetry", "exhaustive", "exact"},
};

static const char *our_word(const char *option, const char *word) {
    for (size_t i = 0; i < sizeof murphi_words / sizeof *murphi_words; i++)
        if (str_same(murphi_words[i].option, option) && str_same(murphi_words[i].theirs, word))
            return murphi_words[i].ours;
    return word;
}

// --deadlock-detection=off, or with the value in the next word, which is looked at by itself.
static bool put_valued(translation *t, const char *word) {
    for (size_t i = 0; i < sizeof murphi_valued / sizeof *murphi_valued; i++) {
        const murphi_option *o = &murphi_valued[i];
        size_t n = strlen(o->theirs);
        if (strncmp(word, o->theirs, n) != 0 || (word[n] && word[n] != '=')) continue;
        const char *given = word[n] ? our_word(o->ours[0], word + n + 1) : "";
        vec_push(&t->words, arena_printf(t->memory, "%s%s%s", o->ours[0], word[n] ? "=" : "", given));
        return true;
    }
    return false;
}

static bool has_murphi_file(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        size_t n = strlen(argv[i]);
        if (n > 2 && argv[i][0] != '-' && str_same(argv[i] + n - 2, ".m")) return true;
    }
    return false;
}

char **murphi_options_translate(arena *memory, int *argc, char **argv, diag *messages) {
    if (!has_murphi_file(*argc, argv)) return argv;
    translation t = {.memory = memory, .messages = messages};
    bool is_over = false;  // nothing after "--" is an option
    for (int i = 0; i < *argc; i++) {
        is_over |= str_same(argv[i], "--");
        if (i && !is_over && (put_short(&t, argv[i]) || put_valued(&t, argv[i]))) continue;
        const char *word = i && !is_over && t.words.len ? our_word(vec_last(&t.words), argv[i]) : argv[i];
        vec_push(&t.words, word == argv[i] ? argv[i] : arena_str(memory, word));
    }
    *argc = (int)t.words.len;
    vec_push(&t.words, NULL);
    char **out = arena_copy(memory, t.words.data, t.words.len * sizeof *out);
    vec_free(&t.words);
    return out;
}
