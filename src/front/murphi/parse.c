// SPDX-License-Identifier: Apache-2.0
// Murphi's syntax, as Rumur and CMurphi accept it: recursive descent into murphi/internal.h.
//
// Words of the language are read in any case; every `endX` may be `end`; most semicolons may be left out.
// Precedence, loosest first: ?:, ->, || or |, && or &, !, comparisons, << >>, + -, * / %, unary - ~ (so !x
// = y is !(x = y)). `|`, `^` and `&` between numbers are bit operations: what they are is decided by their
// types. After an error, reading goes on at the next word that begins a declaration or a rule.
#include "front/depth.h"
#include "front/murphi/internal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef enum { T_END, T_WORD, T_NUMBER, T_STRING, T_SYMBOL } token_kind;

typedef struct {
    token_kind kind;
    span at;
    char symbol[4];
    const char *word;  // words as written, strings without their quotes
    int64_t number;
} token;


typedef struct {
    model *m;
    const char *text;
    size_t size;
    uint32_t file;
    VEC(token) tokens;
    uint32_t next;
    uint32_t depth;
    bool failed;  // in the part being read
    bool has_octal;
} parser;

static span place(const parser *p, size_t begin, size_t end) {
    return (span){p->file, (uint32_t)begin, (uint32_t)end};
}

// ---- tokens

static size_t skip_comment(parser *p, size_t i) {
    size_t begin = i;
    for (i += 2; i + 1 < p->size; i++)
        if (p->text[i] == '*' && p->text[i + 1] == '/') return i + 2;
    diag_error(p->m->messages, place(p, begin, begin + 2), "this comment does not end");
    return p->size;
}

static size_t skip_blank(parser *p, size_t i) {
    while (i < p->size) {
        char c = p->text[i], d = i + 1 < p->size ? p->text[i + 1] : '\0';
        if (c == '-' && d == '-') {
            while (i < p->size && p->text[i] != '\n') i++;
        } else if (c == '/' && d == '*') {
            i = skip_comment(p, i);
        } else if (isspace((unsigned char)c)) {
            i++;
        } else {
            break;
        }
    }
    return i;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t read_word(parser *p, size_t i) {
    size_t begin = i;
    while (i < p->size && is_word(p->text[i])) i++;
    const char *word = arena_strn(p->m->memory, p->text + begin, i - begin);
    vec_push(&p->tokens, (token){.kind = T_WORD, .at = place(p, begin, i), .word = word});
    return i;
}

static size_t skip_real(parser *p, size_t i) {
    size_t begin = i;
    while (i < p->size && (isalnum((unsigned char)p->text[i]) || p->text[i] == '.')) i++;
    diag_error(
        p->m->messages, place(p, begin, i),
        "there are no real numbers here, only whole ones: scale it, as in 25 for 0.25 and a unit of 1/100");
    vec_push(&p->tokens, (token){.kind = T_NUMBER, .at = place(p, begin, i)});
    return i;
}

static int digit_value(char c) {
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

#define TOO_LARGE INT64_MAX

// Digits from i to end as a number; anything too large stays too large.
static int64_t digits_value(const parser *p, size_t i, size_t end, int base) {
    int64_t n = 0;
    for (; i < end; i++)
        if (n != TOO_LARGE &&
            (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, digit_value(p->text[i]), &n)))
            n = TOO_LARGE;
    return n;
}

// A leading 0 makes a number octal for Rumur, not for CMurphi: unless one is asked for, both must agree.
static int64_t leading_zero(parser *p, size_t begin, size_t end) {
    int64_t decimal = digits_value(p, begin, end, 10), octal = digits_value(p, begin, end, 8);
    for (size_t i = begin; i < end; i++)
        if (p->has_octal && p->text[i] > '7')
            diag_error(p->m->messages, place(p, i, i + 1),
                       "this is no octal digit, and a leading 0 makes it octal");
    if (!p->has_octal && decimal != octal)
        diag_error(p->m->messages, place(p, begin, end),
                   "a number with a leading 0 is octal for Rumur and decimal for CMurphi: write it without");
    return p->has_octal ? octal : decimal;
}

static size_t read_number(parser *p, size_t i) {
    size_t begin = i;
    bool hex = i + 1 < p->size && p->text[i] == '0' && (p->text[i + 1] == 'x' || p->text[i + 1] == 'X');
    if (hex) i += 2;
    while (i < p->size && (hex ? isxdigit((unsigned char)p->text[i]) : isdigit((unsigned char)p->text[i])))
        i++;
    if (i + 1 < p->size && p->text[i] == '.' && isdigit((unsigned char)p->text[i + 1]))
        return skip_real(p, begin);
    int64_t n = hex                                      ? digits_value(p, begin + 2, i, 16)
                : p->text[begin] == '0' && i > begin + 1 ? leading_zero(p, begin, i)
                                                         : digits_value(p, begin, i, 10);
    if (n == TOO_LARGE)
        diag_error(p->m->messages, place(p, begin, i), "this number is too large: the limit is 2^63 - 2");
    vec_push(&p->tokens, (token){.kind = T_NUMBER, .at = place(p, begin, i), .number = n});
    return i;
}

// Quotes, plain or typographic: their length at i, or 0.
static size_t quote_length(const parser *p, size_t i) {
    static const char *const quotes[] = {"\"", "“", "”"};
    for (size_t k = 0; k < sizeof quotes / sizeof *quotes; k++) {
        size_t n = strlen(quotes[k]);
        if (i + n <= p->size && memcmp(p->text + i, quotes[k], n) == 0) return n;
    }
    return 0;
}

static size_t read_string(parser *p, size_t i) {
    size_t begin = i, first = i + quote_length(p, i);
    i = first;
    while (i < p->size && !quote_length(p, i) && p->text[i] != '\n')
        i += p->text[i] == '\\' && i + 1 < p->size ? 2 : 1;
    if (i >= p->size || !quote_length(p, i)) {
        diag_error(p->m->messages, place(p, begin, begin + 1), "this string does not end");
        i = i < p->size ? i : p->size;
        vec_push(&p->tokens, (token){.kind = T_STRING, .at = place(p, begin, i), .word = ""});
        return i;
    }
    const char *word = arena_strn(p->m->memory, p->text + first, i - first);
    i += quote_length(p, i);
    vec_push(&p->tokens, (token){.kind = T_STRING, .at = place(p, begin, i), .word = word});
    return i;
}

static const struct {
    const char *sign, *plain;
} mathematical[] = {{"≔", ":="}, {"≥", ">="}, {"→", "->"}, {"≤", "<="}, {"≠", "!="}, {"⇒", "==>"}, {"¬", "!"},
                    {"∧", "&"},  {"∨", "|"},  {"÷", "/"},  {"−", "-"},  {"∕", "/"},  {"×", "*"}};

static size_t symbol_length(const parser *p, size_t i) {
    static const char *const symbols[] = {
        "==>", ":=", "..", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||"};
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        size_t n = strlen(symbols[k]);
        if (i + n <= p->size && memcmp(p->text + i, symbols[k], n) == 0) return n;
    }
    if (p->text[i] && strchr("()[]{},.:;=<>|&!~+-*/%^?", p->text[i])) return 1;
    for (size_t k = 0; k < sizeof mathematical / sizeof *mathematical; k++) {
        size_t n = strlen(mathematical[k].sign);
        if (i + n <= p->size && memcmp(p->text + i, mathematical[k].sign, n) == 0) return n;
    }
    return 0;
}

// The symbol that a mathematical sign at i stands for, or NULL.
static const char *plain_symbol(const parser *p, size_t i, size_t n) {
    for (size_t k = 0; k < sizeof mathematical / sizeof *mathematical; k++)
        if (strlen(mathematical[k].sign) == n && memcmp(p->text + i, mathematical[k].sign, n) == 0)
            return mathematical[k].plain;
    return NULL;
}

static size_t read_symbol(parser *p, size_t i) {
    size_t n = symbol_length(p, i);
    if (!n) {
        diag_error(p->m->messages, place(p, i, i + 1), "a character that has no meaning in Murphi");
        return i + 1;
    }
    token t = {.kind = T_SYMBOL, .at = place(p, i, i + n)};
    const char *plain = plain_symbol(p, i, n);
    memcpy(t.symbol, plain ? plain : p->text + i, plain ? strlen(plain) : n);
    vec_push(&p->tokens, t);
    return i + n;
}

static void read_tokens(parser *p) {
    size_t i = 0;
    while ((i = skip_blank(p, i)) < p->size) {
        char c = p->text[i];
        if (isdigit((unsigned char)c)) i = read_number(p, i);
        else if (is_word(c)) i = read_word(p, i);
        else if (quote_length(p, i)) i = read_string(p, i);
        else i = read_symbol(p, i);
    }
    vec_push(&p->tokens, (token){.kind = T_END, .at = place(p, p->size, p->size)});
}

// ---- looking and taking

static const token *peek(const parser *p) { return &p->tokens.data[p->next]; }

static const token *ahead(const parser *p, uint32_t n) {
    uint32_t i = p->next + n;
    return &p->tokens.data[i < p->tokens.len ? i : p->tokens.len - 1];
}

static bool token_is(const token *t, const char *text) {
    if (t->kind == T_SYMBOL) return strcmp(t->symbol, text) == 0;
    return t->kind == T_WORD && strcasecmp(t->word, text) == 0;
}

static bool sees(const parser *p, const char *text) { return token_is(peek(p), text); }

static const token *take(parser *p) {
    const token *t = peek(p);
    if (t->kind != T_END) p->next++;
    return t;
}

static bool accept(parser *p, const char *text) {
    if (!sees(p, text)) return false;
    p->next++;
    return true;
}

static void wrong(parser *p, const char *wanted) {
    if (!p->failed) {
        const token *t = peek(p);
        if (t->kind == T_END) diag_error(p->m->messages, t->at, "%s expected, but the file ends", wanted);
        else diag_error(p->m->messages, t->at, "%s expected", wanted);
    }
    p->failed = true;
}

static bool expect(parser *p, const char *text) {
    if (accept(p, text)) return true;
    wrong(p, arena_printf(p->m->memory, "'%s'", text));
    return false;
}

static void semicolons(parser *p) {
    while (accept(p, ";")) {}
}

// `endrule` or `end`.
static void expect_end(parser *p, const char *word) {
    const char *whole = arena_printf(p->m->memory, "end%s", word);
    if (!accept(p, whole) && !accept(p, "end")) wrong(p, arena_printf(p->m->memory, "'%s'", whole));
}

static const char *const reserved[] = {"alias",
                                       "array",
                                       "assert",
                                       "assume",
                                       "begin",
                                       "boolean",
                                       "by",
                                       "case",
                                       "choose",
                                       "clear",
                                       "const",
                                       "cover",
                                       "do",
                                       "else",
                                       "elsif",
                                       "end",
                                       "endalias",
                                       "endchoose",
                                       "endexists",
                                       "endfor",
                                       "endforall",
                                       "endfunction",
                                       "endif",
                                       "endprocedure",
                                       "endrecord",
                                       "endrule",
                                       "endruleset",
                                       "endstartstate",
                                       "endswitch",
                                       "endwhile",
                                       "enum",
                                       "error",
                                       "exists",
                                       "false",
                                       "for",
                                       "forall",
                                       "function",
                                       "if",
                                       "invariant",
                                       "ismember",
                                       "isundefined",
                                       "liveness",
                                       "multiset",
                                       "multisetadd",
                                       "multisetcount",
                                       "multisetremove",
                                       "multisetremovepred",
                                       "of",
                                       "procedure",
                                       "put",
                                       "record",
                                       "return",
                                       "rule",
                                       "ruleset",
                                       "scalarset",
                                       "startstate",
                                       "switch",
                                       "then",
                                       "to",
                                       "true",
                                       "type",
                                       "undefine",
                                       "union",
                                       "var",
                                       "while"};

static bool is_reserved(const char *word) {
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcasecmp(reserved[i], word) == 0) return true;
    return false;
}

static const token *name(parser *p, const char *what) {
    const token *t = peek(p);
    if (t->kind == T_WORD && !is_reserved(t->word)) return take(p);
    wrong(p, what);
    return t;
}

// ---- nodes

static void deep(parser *p, span at, int most) {
    if (!p->failed) diag_error(p->m->messages, at, FRONT_TOO_DEEP, most);
    p->failed = true;
}

static span join(span a, span b) { return (span){a.file, a.begin, b.end > a.end ? b.end : a.end}; }

static murphi_node *node(parser *p, murphi_kind kind, span at) {
    murphi_node *n = arena_alloc(p->m->memory, sizeof *n);
    n->kind = kind;
    n->at = at;
    n->name = "";
    return n;
}

static murphi_node *with_kids(parser *p, murphi_node *n, murphi_node *const *kids, uint32_t nkids) {
    n->kids = nkids ? arena_copy(p->m->memory, kids, nkids * sizeof *kids) : NULL;
    n->nkids = nkids;
    for (uint32_t i = 0; i < nkids; i++)
        if (kids[i] && kids[i]->depth >= n->depth) n->depth = kids[i]->depth + 1;
    if (n->depth > FRONT_LONGEST_CHAIN) deep(p, n->at, FRONT_LONGEST_CHAIN);
    return n;
}

static murphi_node *make(parser *p, murphi_kind kind, span at, murphi_node *const *kids, uint32_t nkids) {
    for (uint32_t i = 0; i < nkids; i++)
        if (kids[i]) at = join(at, kids[i]->at);
    return with_kids(p, node(p, kind, at), kids, nkids);
}

static murphi_node *from_list(parser *p, murphi_kind kind, span at, murphi_list *l) {
    murphi_node *n = with_kids(p, node(p, kind, at), l->data, l->len);
    vec_free(l);
    return n;
}

static murphi_node *named(parser *p, murphi_kind kind, const token *t, murphi_node *kid) {
    murphi_node *n = with_kids(p, node(p, kind, t->at), &kid, 1);
    n->name = t->kind == T_WORD ? t->word : "";
    return n;
}

static bool too_deep(parser *p) {
    if (++p->depth > FRONT_DEEPEST) deep(p, peek(p)->at, FRONT_DEEPEST);
    return p->failed;
}

// ---- expressions

static murphi_node *expression(parser *p);
static murphi_node *type_node(parser *p);

static murphi_node *quantified(parser *p) {
    const token *t = name(p, "a variable");
    if (accept(p, ":")) return named(p, MQ_TYPE, t, type_node(p));
    expect(p, ":=");
    murphi_node *from = expression(p);
    expect(p, "to");
    murphi_node *to = expression(p), *by = accept(p, "by") ? expression(p) : NULL;
    murphi_node *n = with_kids(p, node(p, MQ_RANGE, t->at), (murphi_node *[]){from, to, by}, 3);
    n->name = t->kind == T_WORD ? t->word : "";
    return n;
}

// i : T; j : T do
static void quantified_list(parser *p, murphi_list *out) {
    do {
        if (out->len && sees(p, "do")) break;
        vec_push(out, quantified(p));
    } while (!p->failed && accept(p, ";"));
    expect(p, "do");
}

// `forall i : T; j : T do e end`, which CMurphi reads, is two quantifiers.
static murphi_node *quantifier(parser *p, murphi_kind kind, const char *word) {
    span at = take(p)->at;
    murphi_list variables = {0};
    quantified_list(p, &variables);
    murphi_node *body = expression(p);
    accept(p, ";");
    expect_end(p, word);
    for (uint32_t i = variables.len; i-- > 0;)
        body = make(p, kind, at, (murphi_node *[]){variables.data[i], body}, 2);
    vec_free(&variables);
    return body;
}

static murphi_node *builtin(parser *p, murphi_kind kind) {
    span at = take(p)->at;
    expect(p, "(");
    murphi_node *first = expression(p);
    murphi_node *second = kind == MX_ISMEMBER && expect(p, ",") ? type_node(p) : NULL;
    expect(p, ")");
    return make(p, kind, at, (murphi_node *[]){first, second}, second ? 2 : 1);
}

// multisetcount(i: m, e), multisetremovepred(i: m, e)
static murphi_node *with_member(parser *p, murphi_kind kind) {
    span at = take(p)->at;
    expect(p, "(");
    const token *t = name(p, "a variable");
    expect(p, ":");
    murphi_node *set = expression(p);
    expect(p, ",");
    murphi_node *e = expression(p);
    expect(p, ")");
    murphi_node *n = make(p, kind, at, (murphi_node *[]){set, e}, 2);
    n->name = t->kind == T_WORD ? t->word : "";
    return n;
}

static void arguments(parser *p, murphi_list *out) {
    if (sees(p, ")")) return;
    do vec_push(out, expression(p));
    while (!p->failed && accept(p, ","));
}

static murphi_node *call_or_name(parser *p) {
    const token *t = name(p, "an expression");
    if (p->failed || !accept(p, "(")) {
        murphi_node *n = node(p, MX_NAME, t->at);
        n->name = t->kind == T_WORD ? t->word : "";
        return n;
    }
    murphi_list args = {0};
    arguments(p, &args);
    expect(p, ")");
    murphi_node *n = from_list(p, MX_CALL, t->at, &args);
    n->name = t->word;
    return n;
}

static murphi_node *designator(parser *p) {
    murphi_node *n = call_or_name(p);
    while (!p->failed) {
        if (accept(p, ".")) {
            const token *t = name(p, "a field");
            murphi_node *f = make(p, MX_FIELD, join(n->at, t->at), &n, 1);
            f->name = t->kind == T_WORD ? t->word : "";
            n = f;
        } else if (accept(p, "[")) {
            do {
                murphi_node *index = expression(p);
                n = make(p, MX_INDEX, n->at, (murphi_node *[]){n, index}, 2);
            } while (!p->failed && accept(p, ","));
            n->at = join(n->at, peek(p)->at);
            expect(p, "]");
        } else {
            break;
        }
    }
    return n;
}

static murphi_node *primary(parser *p) {
    const token *t = peek(p);
    if (t->kind == T_NUMBER) {
        murphi_node *n = node(p, MX_NUMBER, take(p)->at);
        n->number = t->number;
        return n;
    }
    if (t->kind == T_STRING) {
        murphi_node *n = node(p, MX_STRING, take(p)->at);
        n->text = t->word;
        return n;
    }
    if (sees(p, "forall")) return quantifier(p, MX_FORALL, "forall");
    if (sees(p, "exists")) return quantifier(p, MX_EXISTS, "exists");
    if (sees(p, "isundefined")) return builtin(p, MX_ISUNDEFINED);
    if (sees(p, "ismember")) return builtin(p, MX_ISMEMBER);
    if (sees(p, "multisetcount")) return with_member(p, MX_COUNT);
    if (accept(p, "true") || accept(p, "false")) {
        murphi_node *n = node(p, MX_NAME, t->at);
        n->name = strcasecmp(t->word, "true") == 0 ? "true" : "false";
        return n;
    }
    if (accept(p, "(")) {
        murphi_node *n = expression(p);
        expect(p, ")");
        return n;
    }
    return designator(p);
}

static murphi_node *unary(parser *p) {
    static const struct {
        const char *symbol;
        murphi_kind kind;
    } ops[] = {{"-", MX_NEG}, {"~", MX_BITNOT}, {"+", MX_PLUS}, {"!", MX_NOT}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (sees(p, ops[i].symbol)) {
            span at = take(p)->at;
            murphi_node *n = too_deep(p) ? node(p, MX_NUMBER, at) : unary(p);
            p->depth--;
            return make(p, ops[i].kind, at, &n, 1);
        }
    return primary(p);
}

typedef struct {
    const char *symbol;
    murphi_kind kind;
} binary_op;

static murphi_node *two(parser *p, murphi_kind kind, murphi_node *a, murphi_node *b) {
    return make(p, kind, a->at, (murphi_node *[]){a, b}, 2);
}

static bool associates(murphi_kind kind) {
    return kind == MX_ADD || kind == MX_MUL || kind == MX_AND || kind == MX_OR || kind == MX_BITAND ||
           kind == MX_BITOR || kind == MX_BITXOR;
}

// The operands of one operator, in their order: see FRONT_FEW.
static murphi_node *tree(parser *p, murphi_kind kind, murphi_node *const *operands, uint32_t n) {
    if (n > FRONT_FEW && associates(kind))
        return two(p, kind, tree(p, kind, operands, n / 2), tree(p, kind, operands + n / 2, n - n / 2));
    murphi_node *a = operands[0];
    for (uint32_t i = 1; i < n; i++) a = two(p, kind, a, operands[i]);
    return a;
}

static const binary_op *accept_one(parser *p, const binary_op *ops, size_t nops) {
    for (size_t i = 0; !p->failed && i < nops; i++)
        if (accept(p, ops[i].symbol)) return &ops[i];
    return NULL;
}

// One level of left-associative operators. `run` has the operands of the operator before.
static murphi_node *level(parser *p, const binary_op *ops, size_t nops, murphi_node *(*below)(parser *)) {
    murphi_list run = {0};
    vec_push(&run, below(p));
    const binary_op *before = NULL, *op;
    while ((op = accept_one(p, ops, nops))) {
        if (before && before->kind != op->kind) {
            run.data[0] = tree(p, before->kind, run.data, run.len);
            run.len = 1;
        }
        vec_push(&run, below(p));
        before = op;
    }
    murphi_node *n = before ? tree(p, before->kind, run.data, run.len) : run.data[0];
    vec_free(&run);
    return n;
}

#define LEVEL(name, below, ...)                                \
    static murphi_node *name(parser *p) {                      \
        static const binary_op ops[] = {__VA_ARGS__};          \
        return level(p, ops, sizeof ops / sizeof *ops, below); \
    }

LEVEL(product, unary, {"*", MX_MUL}, {"/", MX_DIV}, {"%", MX_MOD})
LEVEL(sum, product, {"+", MX_ADD}, {"-", MX_SUB})
LEVEL(shift, sum, {"<<", MX_SHL}, {">>", MX_SHR})
LEVEL(comparison, shift, {"=", MX_EQ}, {"==", MX_EQ}, {"!=", MX_NE}, {"<=", MX_LE}, {">=", MX_GE},
      {"<", MX_LT}, {">", MX_GT})

static murphi_node *negation(parser *p) {
    if (!sees(p, "!")) return comparison(p);
    span at = take(p)->at;
    murphi_node *n = too_deep(p) ? node(p, MX_NUMBER, at) : negation(p);
    p->depth--;
    return make(p, MX_NOT, at, &n, 1);
}

LEVEL(bit_and, negation, {"&", MX_BITAND})
LEVEL(bit_xor, bit_and, {"^", MX_BITXOR})
LEVEL(bit_or, bit_xor, {"|", MX_BITOR})
LEVEL(conjunction, bit_or, {"&&", MX_AND})
LEVEL(disjunction, conjunction, {"||", MX_OR})

static murphi_node *implication(parser *p) {
    murphi_node *n = disjunction(p);
    if (p->failed || !accept(p, "->")) return n;
    murphi_node *right = too_deep(p) ? n : implication(p);
    p->depth--;
    return make(p, MX_IMPLIES, n->at, (murphi_node *[]){n, right}, 2);
}

static murphi_node *expression(parser *p) {
    murphi_node *n = too_deep(p) ? node(p, MX_NUMBER, peek(p)->at) : implication(p);
    if (!p->failed && accept(p, "?")) {
        murphi_node *then = expression(p);
        expect(p, ":");
        murphi_node *orelse = expression(p);
        n = make(p, MX_CHOICE, n->at, (murphi_node *[]){n, then, orelse}, 3);
    }
    p->depth--;
    return n;
}

// ---- types and declarations

static void declare(parser *p, murphi_kind kind, murphi_list *out) {
    murphi_list names = {0};
    do vec_push(&names, named(p, kind, name(p, "a name"), NULL));
    while (!p->failed && accept(p, ","));
    expect(p, ":");
    murphi_node *kid = kind == MD_CONST ? expression(p) : type_node(p);
    for (uint32_t i = 0; i < names.len; i++) {
        names.data[i]->kids[0] = kid;
        vec_push(out, names.data[i]);
    }
    vec_free(&names);
}

static murphi_node *enumeration(parser *p, span at) {
    murphi_list l = {0};
    expect(p, "{");
    do {
        if (sees(p, "}")) break;
        const token *t = name(p, "a name");
        murphi_node *n = node(p, MX_NAME, t->at);
        n->name = t->kind == T_WORD ? t->word : "";
        vec_push(&l, n);
    } while (!p->failed && accept(p, ","));
    expect(p, "}");
    return from_list(p, MT_ENUM, at, &l);
}

static murphi_node *record(parser *p, span at) {
    murphi_list l = {0};
    semicolons(p);
    while (!p->failed && !sees(p, "end") && !sees(p, "endrecord")) {
        declare(p, MD_VAR, &l);
        semicolons(p);
    }
    expect_end(p, "record");
    return from_list(p, MT_RECORD, at, &l);
}

static murphi_node *array(parser *p, span at) {
    murphi_list indices = {0};
    expect(p, "[");
    do vec_push(&indices, type_node(p));
    while (!p->failed && accept(p, ","));
    expect(p, "]");
    expect(p, "of");
    murphi_node *t = type_node(p);
    for (uint32_t i = indices.len; i-- > 0;)
        t = make(p, MT_ARRAY, at, (murphi_node *[]){indices.data[i], t}, 2);
    vec_free(&indices);
    return t;
}

static murphi_node *union_type(parser *p, span at) {
    murphi_list l = {0};
    expect(p, "{");
    do vec_push(&l, type_node(p));
    while (!p->failed && accept(p, ","));
    expect(p, "}");
    return from_list(p, MT_UNION, at, &l);
}

static murphi_node *sized(parser *p, span at) {
    expect(p, "(");
    murphi_node *size = expression(p);
    expect(p, ")");
    return make(p, MT_SCALARSET, at, &size, 1);
}

static murphi_node *multiset(parser *p, span at) {
    expect(p, "[");
    murphi_node *size = expression(p);
    expect(p, "]");
    expect(p, "of");
    murphi_node *element = type_node(p);
    return make(p, MT_MULTISET, at, (murphi_node *[]){size, element}, 2);
}

static murphi_node *range_or_name(parser *p) {
    const token *t = peek(p);
    bool alone = t->kind == T_WORD && !is_reserved(t->word) && !token_is(ahead(p, 1), "..");
    for (uint32_t i = 1; alone && token_is(ahead(p, i), "+"); i += 2) alone = false;
    if (alone && !token_is(ahead(p, 1), "-") && !token_is(ahead(p, 1), "*")) {
        murphi_node *n = node(p, MT_NAME, take(p)->at);
        n->name = t->word;
        return n;
    }
    murphi_node *low = expression(p);
    expect(p, "..");
    murphi_node *high = expression(p);
    return make(p, MT_RANGE, low->at, (murphi_node *[]){low, high}, 2);
}

static murphi_node *type_node(parser *p) {
    const token *t = peek(p);
    murphi_node *n;
    if (too_deep(p)) n = node(p, MT_BOOLEAN, t->at);
    else if (accept(p, "boolean")) n = node(p, MT_BOOLEAN, t->at);
    else if (accept(p, "real")) n = node(p, MT_REAL, t->at);
    else if (accept(p, "enum")) n = enumeration(p, t->at);
    else if (accept(p, "record")) n = record(p, t->at);
    else if (accept(p, "array")) n = array(p, t->at);
    else if (accept(p, "union")) n = union_type(p, t->at);
    else if (accept(p, "scalarset")) n = sized(p, t->at);
    else if (accept(p, "multiset")) n = multiset(p, t->at);
    else n = range_or_name(p);
    p->depth--;
    return n;
}

// const, type and var parts, as many as there are.
static bool declarations(parser *p, murphi_list *out) {
    murphi_kind kind = sees(p, "const") ? MD_CONST : sees(p, "type") ? MD_TYPE : MD_VAR;
    if (!sees(p, "const") && !sees(p, "type") && !sees(p, "var")) return false;
    p->next++;
    semicolons(p);
    while (!p->failed && peek(p)->kind == T_WORD && !is_reserved(peek(p)->word)) {
        declare(p, kind, out);
        semicolons(p);
    }
    return true;
}

static murphi_node *locals(parser *p) {
    murphi_list l = {0};
    span at = peek(p)->at;
    while (!p->failed && declarations(p, &l)) {}
    return from_list(p, MD_LOCALS, at, &l);
}

// ---- statements

static murphi_node *block(parser *p);

// After the first `if`. An `elsif` is an `if` in the else part; the chain is put together from its end.
static murphi_node *if_rest(parser *p, span at) {
    murphi_list tests = {0};
    VEC(span) places = {0};
    do {
        vec_push(&places, at);
        vec_push(&tests, expression(p));
        expect(p, "then");
        vec_push(&tests, block(p));
        at = peek(p)->at;
    } while (!p->failed && accept(p, "elsif"));
    murphi_node *n = !p->failed && accept(p, "else") ? block(p) : NULL;
    expect_end(p, "if");
    for (uint32_t i = places.len; i-- > 0;)
        n = with_kids(p, node(p, MS_IF, places.data[i]),
                      (murphi_node *[]){tests.data[2 * i], tests.data[2 * i + 1], n}, 3);
    vec_free(&tests);
    vec_free(&places);
    return n;
}

static murphi_node *switch_case(parser *p, bool is_else) {
    murphi_list values = {0};
    span at = peek(p)->at;
    vec_push(&values, NULL);
    if (!is_else) {
        do vec_push(&values, expression(p));
        while (!p->failed && accept(p, ","));
        accept(p, ":");
    }
    values.data[0] = block(p);
    return from_list(p, MS_CASE, at, &values);
}

static murphi_node *switch_statement(parser *p, span at) {
    murphi_list kids = {0};
    vec_push(&kids, expression(p));
    semicolons(p);
    while (!p->failed && accept(p, "case")) vec_push(&kids, switch_case(p, false));
    if (accept(p, "else")) vec_push(&kids, switch_case(p, true));
    expect_end(p, "switch");
    return from_list(p, MS_SWITCH, at, &kids);
}

// For Rumur the semicolons between aliases may be left out.
static void aliases(parser *p, murphi_list *out) {
    while (!p->failed && !sees(p, "do")) {
        const token *t = name(p, "a name");
        expect(p, ":");
        vec_push(out, named(p, MD_ALIAS, t, expression(p)));
        bool is_next = accept(p, ";") || token_is(ahead(p, 1), ":");
        if (!is_next) break;
    }
    expect(p, "do");
}

static murphi_node *message(parser *p, murphi_node *n) {
    if (peek(p)->kind == T_STRING) n->text = take(p)->word;
    return n;
}

// assert "text" e, or assert e "text".
static murphi_node *condition(parser *p, murphi_kind kind, span at) {
    murphi_node *n = message(p, node(p, kind, at));
    murphi_node *e = expression(p);
    with_kids(p, n, &e, 1);
    n->at = join(n->at, e->at);
    return message(p, n);
}

static murphi_node *two_arguments(parser *p, murphi_kind kind, span at) {
    expect(p, "(");
    murphi_node *a = expression(p);
    expect(p, ",");
    murphi_node *b = expression(p);
    expect(p, ")");
    return make(p, kind, at, (murphi_node *[]){a, b}, 2);
}

// `for i : T; j : T do`, which CMurphi reads, is two loops.
static murphi_node *for_statement(parser *p, span at) {
    murphi_list variables = {0};
    quantified_list(p, &variables);
    murphi_node *body = block(p);
    expect_end(p, "for");
    for (uint32_t i = variables.len; i-- > 0;) {
        if (body->kind == MS_FOR) body = with_kids(p, node(p, MS_BLOCK, at), &body, 1);
        body = with_kids(p, node(p, MS_FOR, at), (murphi_node *[]){variables.data[i], body}, 2);
    }
    vec_free(&variables);
    return body;
}

static murphi_node *while_statement(parser *p, span at) {
    murphi_node *cond = expression(p);
    expect(p, "do");
    murphi_node *body = block(p);
    expect_end(p, "while");
    return with_kids(p, node(p, MS_WHILE, at), (murphi_node *[]){cond, body}, 2);
}

static murphi_node *alias_statement(parser *p, span at) {
    murphi_list l = {0};
    aliases(p, &l);
    vec_push(&l, block(p));
    expect_end(p, "alias");
    return from_list(p, MS_ALIAS, at, &l);
}

static murphi_node *return_statement(parser *p, span at) {
    bool bare =
        sees(p, ";") || (peek(p)->kind == T_WORD && is_reserved(peek(p)->word) && !sees(p, "true") &&
                         !sees(p, "false") && !sees(p, "forall") && !sees(p, "exists") &&
                         !sees(p, "isundefined") && !sees(p, "ismember") && !sees(p, "multisetcount"));
    murphi_node *e = bare ? NULL : expression(p);
    return with_kids(p, node(p, MS_RETURN, at), &e, 1);
}

static murphi_node *assignment_or_call(parser *p) {
    murphi_node *d = designator(p);
    if (d->kind == MX_CALL && !sees(p, ":=")) {
        d->kind = MS_CALL;
        return d;
    }
    expect(p, ":=");
    murphi_node *e = expression(p);
    return make(p, MS_ASSIGN, d->at, (murphi_node *[]){d, e}, 2);
}

static murphi_node *one_operand(parser *p, murphi_kind kind, span at, murphi_node *(*read)(parser *)) {
    murphi_node *d = read(p);
    return make(p, kind, at, &d, 1);
}

static murphi_node *statement(parser *p) {
    span at = peek(p)->at;
    if (accept(p, "if")) return if_rest(p, at);
    if (accept(p, "switch")) return switch_statement(p, at);
    if (accept(p, "for")) return for_statement(p, at);
    if (accept(p, "while")) return while_statement(p, at);
    if (accept(p, "alias")) return alias_statement(p, at);
    if (accept(p, "clear")) return one_operand(p, MS_CLEAR, at, designator);
    if (accept(p, "undefine")) return one_operand(p, MS_UNDEFINE, at, designator);
    if (accept(p, "error")) return one_operand(p, MS_ERROR, at, primary);
    if (accept(p, "put")) return one_operand(p, MS_PUT, at, expression);
    if (accept(p, "assert")) return condition(p, MS_ASSERT, at);
    if (accept(p, "assume")) return condition(p, MS_ASSUME, at);
    if (accept(p, "cover")) return condition(p, MS_COVER, at);
    if (accept(p, "return")) return return_statement(p, at);
    if (accept(p, "multisetadd")) return two_arguments(p, MS_ADD, at);
    if (accept(p, "multisetremove")) return two_arguments(p, MS_REMOVE, at);
    if (sees(p, "multisetremovepred")) return with_member(p, MS_REMOVEPRED);
    return assignment_or_call(p);
}

static bool ends_block(const parser *p) {
    static const char *const enders[] = {"end", "elsif", "else", "case"};
    const token *t = peek(p);
    if (t->kind == T_END) return true;
    if (t->kind == T_WORD && strncasecmp(t->word, "end", 3) == 0 && is_reserved(t->word)) return true;
    for (size_t i = 0; i < sizeof enders / sizeof *enders; i++)
        if (sees(p, enders[i])) return true;
    return false;
}

static murphi_node *block(parser *p) {
    murphi_list l = {0};
    span at = peek(p)->at;
    if (!too_deep(p)) {
        semicolons(p);
        while (!p->failed && !ends_block(p)) {
            vec_push(&l, statement(p));
            semicolons(p);
        }
    }
    p->depth--;
    return from_list(p, MS_BLOCK, at, &l);
}

// ---- functions and rules

static void parameters(parser *p, murphi_list *out) {
    expect(p, "(");
    semicolons(p);
    while (!p->failed && !sees(p, ")")) {
        bool is_var = accept(p, "var");
        uint32_t first = out->len;
        declare(p, MD_PARAM, out);
        for (uint32_t i = first; i < out->len; i++) out->data[i]->is_var = is_var;
        if (!accept(p, ";")) accept(p, ",");
        semicolons(p);
    }
    expect(p, ")");
}

static murphi_node *function(parser *p) {
    span at = peek(p)->at;
    bool is_function = sees(p, "function");
    p->next++;
    const token *t = name(p, "a name");
    murphi_list kids = {0};
    vec_push(&kids, NULL);
    vec_push(&kids, NULL);
    vec_push(&kids, NULL);
    parameters(p, &kids);
    if (is_function && accept(p, ":")) kids.data[0] = type_node(p);  // without: a procedure, says Rumur
    semicolons(p);
    kids.data[2] = locals(p);
    accept(p, "begin");
    kids.data[1] = block(p);
    expect_end(p, is_function ? "function" : "procedure");
    murphi_node *n = from_list(p, MD_FUNCTION, at, &kids);
    n->name = t->kind == T_WORD ? t->word : "";
    return n;
}

static murphi_node *start_state(parser *p) {
    murphi_node *n = message(p, node(p, MR_START, take(p)->at));
    semicolons(p);
    murphi_node *l = locals(p);
    accept(p, "begin");
    murphi_node *b = block(p);
    expect_end(p, "startstate");
    return with_kids(p, n, (murphi_node *[]){l, b}, 2);
}

// A rule has a guard if ==> comes before anything that belongs to a body.
static bool has_guard(const parser *p) {
    for (uint32_t i = 0;; i++) {
        const token *t = ahead(p, i);
        if (token_is(t, "==>")) return true;
        if (t->kind == T_END || token_is(t, "begin") || token_is(t, ":=") || token_is(t, "endrule") ||
            token_is(t, "rule") || token_is(t, "ruleset") || token_is(t, "startstate"))
            return false;
    }
}

static bool guard_ahead(parser *p) {
    // Quantifiers in a guard may contain `:=` (forall i := 0 to 3 do …), so a plain scan is not enough: try
    // to read an expression and look for ==> after it.
    if (has_guard(p)) return true;
    uint32_t depth = 0;
    for (uint32_t i = 0;; i++) {
        const token *t = ahead(p, i);
        if (t->kind == T_END || token_is(t, "begin") || token_is(t, "endrule")) return false;
        if (token_is(t, "forall") || token_is(t, "exists")) depth++;
        if (!depth && token_is(t, "end")) return false;  // a rule that does nothing
        if (depth && (token_is(t, "end") || token_is(t, "endforall") || token_is(t, "endexists"))) depth--;
        if (!depth && token_is(t, ":=")) return false;
        if (token_is(t, "==>")) return true;
    }
}

static murphi_node *rule_node(parser *p) {
    span at = take(p)->at;
    if (peek(p)->kind == T_NUMBER) take(p);  // CMurphi's priority: it orders the search, not the steps
    murphi_node *n = message(p, node(p, MR_RULE, at));
    murphi_node *guard = NULL;
    semicolons(p);
    if (guard_ahead(p)) {
        guard = expression(p);
        expect(p, "==>");
    }
    murphi_node *l = locals(p);
    accept(p, "begin");
    murphi_node *b = block(p);
    expect_end(p, "rule");
    return with_kids(p, n, (murphi_node *[]){guard, l, b}, 3);
}

static murphi_node *rules(parser *p);

static murphi_node *ruleset(parser *p) {
    span at = take(p)->at;
    murphi_list l = {0};
    quantified_list(p, &l);
    vec_push(&l, rules(p));
    expect_end(p, "ruleset");
    return from_list(p, MR_RULESET, at, &l);
}

static murphi_node *rule_alias(parser *p) {
    span at = take(p)->at;
    murphi_list l = {0};
    aliases(p, &l);
    vec_push(&l, rules(p));
    expect_end(p, "alias");
    return from_list(p, MR_ALIAS, at, &l);
}

static murphi_node *choose(parser *p) {
    span at = take(p)->at;
    const token *t = name(p, "a variable");
    expect(p, ":");
    murphi_node *set = designator(p);
    expect(p, "do");
    murphi_node *inner = rules(p);
    expect_end(p, "choose");
    murphi_node *n = with_kids(p, node(p, MR_CHOOSE, at), (murphi_node *[]){set, inner}, 2);
    n->name = t->kind == T_WORD ? t->word : "";
    return n;
}

// One rule or property, or NULL when none begins here.
static murphi_node *one_rule(parser *p) {
    span at = peek(p)->at;
    if (sees(p, "startstate")) return start_state(p);
    if (sees(p, "rule")) return rule_node(p);
    if (sees(p, "ruleset")) return ruleset(p);
    if (sees(p, "alias")) return rule_alias(p);
    if (sees(p, "choose")) return choose(p);
    if (accept(p, "invariant")) return condition(p, MR_INVARIANT, at);
    if (accept(p, "assert")) return condition(p, MR_ASSERT, at);
    if (accept(p, "assume")) return condition(p, MR_ASSUME, at);
    if (accept(p, "cover")) return condition(p, MR_COVER, at);
    if (accept(p, "liveness")) return condition(p, MR_LIVENESS, at);
    if (accept(p, "lemma")) return condition(p, MR_LEMMA, at);
    return NULL;
}

static murphi_node *rules(parser *p) {
    murphi_list l = {0};
    span at = peek(p)->at;
    if (!too_deep(p)) {
        semicolons(p);
        for (murphi_node *n; !p->failed && (n = one_rule(p));) {
            vec_push(&l, n);
            semicolons(p);
        }
    }
    p->depth--;
    return from_list(p, MR_RULES, at, &l);
}

// ---- the file

static bool starts_part(const parser *p) {
    static const char *const starts[] = {"const",      "type", "var",     "function",  "procedure",
                                         "startstate", "rule", "ruleset", "invariant", "liveness"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (sees(p, starts[i])) return true;
    return peek(p)->kind == T_END;
}

static void part(parser *p, murphi_list *out) {
    if (declarations(p, out)) return;
    if (sees(p, "function") || sees(p, "procedure")) {
        vec_push(out, function(p));
        return;
    }
    murphi_node *n = one_rule(p);
    if (n) vec_push(out, n);
    else wrong(p, "a declaration or a rule");
}

bool murphi_parse(model *m, uint32_t file, const char *text, size_t size, bool has_octal, murphi_list *out) {
    parser p = {.m = m, .text = text, .size = size, .file = file, .has_octal = has_octal};
    read_tokens(&p);
    semicolons(&p);
    while (peek(&p)->kind != T_END) {
        uint32_t begin = p.next;
        p.failed = false;
        p.depth = 0;
        part(&p, out);
        semicolons(&p);
        if (!p.failed) continue;
        if (p.next == begin) p.next++;
        while (!starts_part(&p)) p.next++;
    }
    vec_free(&p.tokens);
    return !diag_failed(m->messages);
}
