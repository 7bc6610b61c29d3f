// SPDX-License-Identifier: Apache-2.0
// murphi_mutate: see murphi_mutate.h. Works on the text, with tokens as the only structure: a model is
// copied but for the piece that is dropped, so a mutant's lines are the model's.
#include "oracle/murphi_mutate.h"

#include "base/vec.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct {
    uint32_t at, end;  // in the text
} token;

typedef struct {
    uint32_t at, end;
    const char *instead;
} site;

typedef struct {
    const char *text;
    VEC(token) tokens;
    VEC(site) sites;
} mutator;

// ---- tokens

static uint32_t skip_comment(const char *s, uint32_t i) {
    if (!strncmp(s + i, "--", 2)) return i + (uint32_t)strcspn(s + i, "\n");
    const char *close = strncmp(s + i, "/*", 2) ? NULL : strstr(s + i, "*/");
    return close ? (uint32_t)(close - s) + 2 : i;
}

static uint32_t token_end(const char *s, uint32_t i) {
    static const char *const longer[] = {"==>", ":=", "!=", "<=", ">=", "->", "&&", "||", ".."};
    if (s[i] == '"') return i + 2 + (uint32_t)strcspn(s + i + 1, "\"");
    if (isalnum((unsigned char)s[i])) {
        while (isalnum((unsigned char)s[i]) || s[i] == '_') i++;
        return i;
    }
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++)
        if (!strncmp(s + i, longer[k], strlen(longer[k]))) return i + (uint32_t)strlen(longer[k]);
    return i + 1;
}

static void tokenize(mutator *m) {
    for (uint32_t i = 0; m->text[i];) {
        uint32_t after = skip_comment(m->text, i);
        if (after > i || isspace((unsigned char)m->text[i])) {
            i = after > i ? after : i + 1;
            continue;
        }
        vec_push(&m->tokens, (token){i, token_end(m->text, i)});
        i = vec_last(&m->tokens).end;
    }
}

static bool is(const mutator *m, uint32_t k, const char *word) {
    if (k >= m->tokens.len) return false;
    token t = m->tokens.data[k];
    return t.end - t.at == strlen(word) && !strncasecmp(m->text + t.at, word, t.end - t.at);
}

static bool is_one_of(const mutator *m, uint32_t k, const char *const *words) {
    for (; *words; words++)
        if (is(m, k, *words)) return true;
    return false;
}

// +1 for what is closed later, -1 for what closes it.
static int nesting(const mutator *m, uint32_t k) {
    static const char *const open[] = {"(", "[", "forall", "exists", "if", "for", "while", "switch", "alias", NULL};
    static const char *const close[] = {")",         "]",        "end",       "endif",    "endfor",  "endforall",
                                        "endexists", "endwhile", "endswitch", "endalias", "endrule", "endprocedure",
                                        NULL};
    return is_one_of(m, k, open) - is_one_of(m, k, close);
}

// The first token from k on that is `word` and not within something.
static uint32_t find(const mutator *m, uint32_t k, const char *word) {
    int depth = 0;
    while (k < m->tokens.len && (depth > 0 || !is(m, k, word))) depth += nesting(m, k++);
    return k;
}

// ---- sites

static void add_site(mutator *m, uint32_t first, uint32_t after, const char *instead) {
    if (first >= after) return;
    vec_push(&m->sites, (site){m->tokens.data[first].at, m->tokens.data[after - 1].end, instead});
}

static bool has_weaker(const mutator *m, uint32_t first, uint32_t after) {
    static const char *const weaker[] = {"|", "||", "->", "?", NULL};
    int depth = 0;
    for (uint32_t k = first; k < after; depth += nesting(m, k++))
        if (depth == 0 && is_one_of(m, k, weaker)) return true;
    return false;
}

static void add_conjuncts(mutator *m, uint32_t first, uint32_t after) {
    int depth = 0;
    uint32_t start = first;
    bool is_split = !has_weaker(m, first, after);
    for (uint32_t k = first; k < after; depth += nesting(m, k++)) {
        if (!is_split || depth > 0 || !(is(m, k, "&") || is(m, k, "&&"))) continue;
        add_site(m, start, k, "true");
        start = k + 1;
    }
    add_site(m, start, after, "true");
}

// `if` or `elsif` at k: where its branch begins.
static uint32_t add_condition(mutator *m, uint32_t k) {
    uint32_t then = find(m, k + 1, "then");
    add_conjuncts(m, k + 1, then);
    add_site(m, k + 1, then, "false");
    return then + 1;
}

static uint32_t add_simple(mutator *m, uint32_t k) {
    uint32_t end = find(m, k, ";");
    add_site(m, k, end + 1, "");
    return end + 1;
}

// The statements from k on, to the `end` of the rule or procedure.
static uint32_t add_statements(mutator *m, uint32_t k) {
    static const char *const heads[] = {"for", "while", "switch", "alias", NULL};
    static const char *const filler[] = {";", "else", "begin", NULL};
    for (int depth = 1; depth > 0 && k < m->tokens.len;) {
        depth += nesting(m, k);
        if (nesting(m, k) < 0 || is_one_of(m, k, filler)) k++;
        else if (is(m, k, "if") || is(m, k, "elsif")) k = add_condition(m, k);
        else if (is_one_of(m, k, heads)) k = find(m, k + 1, "do") + 1;
        else k = add_simple(m, k);
    }
    return k;
}

static void find_sites(mutator *m) {
    for (uint32_t k = 0; k < m->tokens.len;) {
        if (is(m, k, "rule")) {
            uint32_t arrow = find(m, k, "==>"), guard = k + 1 + (m->text[m->tokens.data[k + 1].at] == '"');
            add_conjuncts(m, guard, arrow);
            k = add_statements(m, arrow + 1);
        } else if (is(m, k, "procedure")) {
            k = add_statements(m, find(m, k, "begin"));
        } else {
            k++;
        }
    }
}

// ---- mutants

static void describe(const char *text, site s, str *what) {
    uint32_t line = 1;
    for (uint32_t i = 0; i < s.at; i++) line += text[i] == '\n';
    str_printf(what, "line %u: %s instead of ", line, *s.instead ? s.instead : "nothing");
    for (uint32_t i = s.at; i < s.end; i++) str_char(what, text[i] == '\n' ? ' ' : text[i]);
}

bool murphi_mutate(const char *text, uint32_t k, str *mutant, str *what) {
    mutator m = {.text = text};
    tokenize(&m);
    find_sites(&m);
    bool found = k < m.sites.len;
    if (found) {
        site s = m.sites.data[k];
        str_addn(mutant, text, s.at);
        str_add(mutant, s.instead);
        str_add(mutant, text + s.end);
        describe(text, s, what);
    }
    vec_free(&m.tokens);
    vec_free(&m.sites);
    return found;
}
