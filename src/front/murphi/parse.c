// SPDX-License-Identifier: Apache-2.0
// Murphi's syntax, as Rumur and CMurphi accept it: recursive descent into murphi/internal.h.
//
// Words of the language are read in any case; every `endX` may be `end`; most semicolons may be left out.
// Precedence, loosest first: ?:, ->, || or |, && or &, !, comparisons, << >>, + -, * / %, unary - ~ (so !x
// = y is !(x = y)). `|`, `^` and `&` between numbers are bit operations: what they are is decided by their
// types. After an error, reading goes on at the next word that begins a declaration or a rule.
#include "base/cursor.h"
#include "front/depth.h"
#include "front/murphi/internal.h"
#include "front/operators.h"

#include <ctype.h>
#include <string.h>

// ---- tokens

static const char *const symbols[] = {"==>", ":=", "..", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", NULL};

static const char *const reserved[] = {
    "alias", "array", "assert", "assume", "begin", "boolean", "by", "case", "choose", "clear", "const", "cover", "do",
    "else", "elsif", "enum", "error", "exists", "false", "for", "forall", "function", "if", "invariant", "ismember",
    "isundefined", "liveness", "multiset", "multisetadd", "multisetcount", "multisetremove", "multisetremovepred", "of",
    "procedure", "put", "record", "return", "rule", "ruleset", "scalarset", "startstate", "switch", "then", "to",
    "true", "type", "undefine", "union", "var", "while",
    // what ends something
    "end", "endalias", "endchoose", "endexists", "endfor", "endforall", "endfunction", "endif", "endprocedure",
    "endrecord", "endrule", "endruleset", "endstartstate", "endswitch", "endwhile", NULL};

// 2.5, 1.0e-3
static size_t murphi_read_real(cursor *p, size_t begin, size_t i) {
    while (i < p->size && (isdigit((unsigned char)p->text[i]) || p->text[i] == '.')) i++;
    size_t e = i + 1;
    if (e < p->size && (p->text[e] == '+' || p->text[e] == '-')) e++;
    bool has_exponent = e < p->size && tolower((unsigned char)p->text[i]) == 'e' && isdigit((unsigned char)p->text[e]);
    for (i = has_exponent ? e : i; has_exponent && i < p->size && isdigit((unsigned char)p->text[i]);) i++;
    cursor_put(p, TOKEN_NUMBER, begin, i, arena_strn(p->memory, p->text + begin, i - begin));
    return i;
}

static int digit_value(char c) { return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10; }

// Digits from i to end as a number; false: 64 bits are too few.
static bool digits_value(const cursor *p, size_t i, size_t end, int base, uint64_t *n) {
    *n = 0;
    for (; i < end; i++)
        if (__builtin_mul_overflow(*n, (uint64_t)base, n) ||
            __builtin_add_overflow(*n, (uint64_t)digit_value(p->text[i]), n))
            return false;
    return true;
}

// A leading 0 makes a number octal for Rumur, not for CMurphi.
static bool leading_zero(cursor *p, size_t begin, size_t end, uint64_t *n) {
    uint64_t decimal, octal;
    bool is_octal = *(const bool *)p->owner;
    bool fits = digits_value(p, begin, end, 10, &decimal), fits_octal = digits_value(p, begin, end, 8, &octal);
    for (size_t i = begin; i < end; i++)
        if (is_octal && p->text[i] > '7')
            diag_error(p->messages, cursor_span(p, i, i + 1),
                       "this is not an octal digit, and a leading 0 makes the number octal");
    if (!is_octal && decimal != octal)
        diag_warning(p->messages, cursor_span(p, begin, end),
                     "a number with a leading 0 is decimal, as for CMurphi; for Rumur it is octal");
    *n = is_octal ? octal : decimal;
    return is_octal ? fits_octal : fits;
}

static size_t murphi_read_number(cursor *p, size_t i) {
    size_t begin = i;
    bool hex = i + 1 < p->size && p->text[i] == '0' && (p->text[i + 1] == 'x' || p->text[i + 1] == 'X');
    if (hex) i += 2;
    while (i < p->size && (hex ? isxdigit((unsigned char)p->text[i]) : isdigit((unsigned char)p->text[i]))) i++;
    if (i + 1 < p->size && p->text[i] == '.' && isdigit((unsigned char)p->text[i + 1]))
        return murphi_read_real(p, begin, i);
    bool has_zero = !hex && p->text[begin] == '0' && i > begin + 1;
    uint64_t n;
    bool fits = has_zero ? leading_zero(p, begin, i, &n) : digits_value(p, begin + (hex ? 2 : 0), i, hex ? 16 : 10, &n);
    if (!fits) diag_error(p->messages, cursor_span(p, begin, i), "this number is too large: the limit is 2^64 - 1");
    const char *text = arena_strn(p->memory, p->text + begin, i - begin);
    cursor_put(p, TOKEN_NUMBER, begin, i, text)->number = (int64_t)n;  // as bits
    return i;
}

// Quotes, plain or typographic: their length at i, or 0.
static size_t quote_length(const cursor *p, size_t i) {
    static const char *const quotes[] = {"\"", "“", "”"};
    for (size_t k = 0; k < sizeof quotes / sizeof *quotes; k++) {
        size_t n = strlen(quotes[k]);
        if (i + n <= p->size && memcmp(p->text + i, quotes[k], n) == 0) return n;
    }
    return 0;
}

static size_t read_string(cursor *p, size_t i) {
    size_t begin = i, first = i + quote_length(p, i);
    i = first;
    while (i < p->size && !quote_length(p, i) && p->text[i] != '\n') i += p->text[i] == '\\' && i + 1 < p->size ? 2 : 1;
    if (i >= p->size || !quote_length(p, i)) {
        diag_error(p->messages, cursor_span(p, begin, begin + 1), "this string does not end");
        i = i < p->size ? i : p->size;
        cursor_put(p, TOKEN_STRING, begin, i, "");
        return i;
    }
    const char *word = arena_strn(p->memory, p->text + first, i - first);
    i += quote_length(p, i);
    cursor_put(p, TOKEN_STRING, begin, i, word);
    return i;
}

static const struct {
    const char *sign, *plain;
} mathematical[] = {{"≔", ":="}, {"≥", ">="}, {"→", "->"}, {"≤", "<="}, {"≠", "!="}, {"⇒", "==>"}, {"¬", "!"},
                    {"∧", "&"},  {"∨", "|"},  {"÷", "/"},  {"−", "-"},  {"∕", "/"},  {"×", "*"}};

static size_t murphi_sign(cursor *p, size_t i) {
    for (size_t k = 0; k < sizeof mathematical / sizeof *mathematical; k++) {
        size_t n = strlen(mathematical[k].sign);
        if (i + n > p->size || memcmp(p->text + i, mathematical[k].sign, n) != 0) continue;
        const char *plain = mathematical[k].plain;
        cursor_put(p, TOKEN_SYMBOL, i, i + n, plain)->key = plain;
        return i + n;
    }
    return i;
}

static size_t murphi_special(cursor *p, size_t i) {
    if (isdigit((unsigned char)p->text[i])) return murphi_read_number(p, i);
    if (quote_length(p, i)) return read_string(p, i);
    return murphi_sign(p, i);
}

static const cursor_language murphi_language = {.symbols = symbols,
                                                .characters = "()[]{},.:;=<>|&!~+-*/%^?",
                                                .reserved = reserved,
                                                .comment = "--",
                                                .has_comments = true,
                                                .ignores_case = true,
                                                .deepest = FRONT_DEEPEST,
                                                .special = murphi_special};

static bool is_one_of(const token *t, const char *const *words) {
    while (*words && !token_is(t, *words)) words++;
    return *words;
}

static void semicolons(cursor *p) {
    while (cursor_accept(p, ";")) {}
}

// `endrule` or `end`.
static void expect_end(cursor *p, const char *word) {
    const char *whole = arena_printf(p->memory, "end%s", word);
    if (!cursor_accept(p, whole) && !cursor_accept(p, "end")) cursor_wrong(p, arena_printf(p->memory, "'%s'", whole));
}

// ---- nodes

static murphi_node *murphi_parse_node(cursor *p, murphi_kind kind, span at) {
    murphi_node *n = arena_alloc(p->memory, sizeof *n);
    n->kind = kind;
    n->at = at;
    n->name = "";
    return n;
}

static murphi_node *with_kids(cursor *p, murphi_node *n, murphi_node *const *kids, uint32_t nkids) {
    n->kids = arena_copy(p->memory, kids, nkids * sizeof *kids);
    n->nkids = nkids;
    n->has_call = n->kind == MX_CALL;
    n->has_return = n->kind == MS_RETURN;
    for (uint32_t i = 0; i < nkids; i++) {
        if (!kids[i]) continue;
        if (kids[i]->depth >= n->depth) n->depth = kids[i]->depth + 1;
        n->has_call |= kids[i]->has_call;
        n->has_return |= kids[i]->has_return;
    }
    if (n->depth > FRONT_LONGEST_CHAIN) cursor_fail(p, n->at, FRONT_TOO_DEEP, FRONT_LONGEST_CHAIN);
    return n;
}

#define KIDS(...) (murphi_node *[]){__VA_ARGS__}, sizeof((murphi_node *[]){__VA_ARGS__}) / sizeof(murphi_node *)

static murphi_node *node_at(cursor *p, murphi_kind kind, span at, murphi_node *const *kids, uint32_t nkids) {
    return with_kids(p, murphi_parse_node(p, kind, at), kids, nkids);
}

// From `at` to the end of the last kid.
static murphi_node *murphi_make(cursor *p, murphi_kind kind, span at, murphi_node *const *kids, uint32_t nkids) {
    for (uint32_t i = 0; i < nkids; i++)
        if (kids[i]) at = span_join(at, kids[i]->at);
    return node_at(p, kind, at, kids, nkids);
}

static murphi_node *from_list(cursor *p, murphi_kind kind, span at, murphi_list *l) {
    murphi_node *n = node_at(p, kind, at, l->data, l->len);
    vec_free(l);
    return n;
}

static murphi_node *with_name(murphi_node *n, const token *t) {
    n->name = t->kind == TOKEN_WORD ? t->text : "";
    return n;
}

static murphi_node *murphi_named(cursor *p, murphi_kind kind, const token *t, murphi_node *kid) {
    return with_name(node_at(p, kind, t->at, &kid, 1), t);
}

// ---- expressions

static murphi_node *murphi_expression(cursor *p);
static murphi_node *type_node(cursor *p);

static murphi_node *murphi_quantified(cursor *p) {
    const token *t = cursor_name(p, "a variable");
    if (cursor_accept(p, ":")) return murphi_named(p, MQ_TYPE, t, type_node(p));
    cursor_expect(p, ":=");
    murphi_node *from = murphi_expression(p);
    cursor_expect(p, "to");
    murphi_node *to = murphi_expression(p), *by = cursor_accept(p, "by") ? murphi_expression(p) : NULL;
    return with_name(node_at(p, MQ_RANGE, t->at, KIDS(from, to, by)), t);
}

// i : T; j : T do
static void quantified_list(cursor *p, murphi_list *out) {
    do {
        if (out->len && cursor_sees(p, "do")) break;
        vec_push(out, murphi_quantified(p));
    } while (!p->failed && cursor_accept(p, ";"));
    cursor_expect(p, "do");
}

// `forall i : T; j : T do e end`, which CMurphi reads, is two quantifiers.
static murphi_node *murphi_quantifier(cursor *p, murphi_kind kind, const char *word) {
    span at = cursor_take(p)->at;
    murphi_list variables = {0};
    quantified_list(p, &variables);
    murphi_node *body = murphi_expression(p);
    cursor_accept(p, ";");
    expect_end(p, word);
    for (uint32_t i = variables.len; i-- > 0;) body = murphi_make(p, kind, at, KIDS(variables.data[i], body));
    vec_free(&variables);
    return body;
}

static murphi_node *builtin(cursor *p, murphi_kind kind) {
    span at = cursor_take(p)->at;
    cursor_expect(p, "(");
    murphi_node *first = murphi_expression(p);
    murphi_node *second = kind == MX_ISMEMBER && cursor_expect(p, ",") ? type_node(p) : NULL;
    cursor_expect(p, ")");
    return murphi_make(p, kind, at, (murphi_node *[]){first, second}, second ? 2 : 1);
}

// multisetcount(i: m, e), multisetremovepred(i: m, e)
static murphi_node *with_member(cursor *p, murphi_kind kind) {
    span at = cursor_take(p)->at;
    cursor_expect(p, "(");
    const token *t = cursor_name(p, "a variable");
    cursor_expect(p, ":");
    murphi_node *set = murphi_expression(p);
    cursor_expect(p, ",");
    murphi_node *e = murphi_expression(p);
    cursor_expect(p, ")");
    return with_name(murphi_make(p, kind, at, KIDS(set, e)), t);
}

static void murphi_arguments(cursor *p, murphi_list *out) {
    if (cursor_sees(p, ")")) return;
    do vec_push(out, murphi_expression(p));
    while (!p->failed && cursor_accept(p, ","));
}

static murphi_node *call_or_name(cursor *p) {
    const token *t = cursor_name(p, "an expression");
    if (p->failed || !cursor_accept(p, "(")) { return with_name(murphi_parse_node(p, MX_NAME, t->at), t); }
    murphi_list args = {0};
    murphi_arguments(p, &args);
    cursor_expect(p, ")");
    return with_name(from_list(p, MX_CALL, t->at, &args), t);
}

static murphi_node *designator(cursor *p) {
    murphi_node *n = call_or_name(p);
    while (!p->failed) {
        if (cursor_accept(p, ".")) {
            const token *t = cursor_name(p, "a field");
            n = with_name(murphi_make(p, MX_FIELD, span_join(n->at, t->at), &n, 1), t);
        } else if (cursor_accept(p, "[")) {
            do {
                murphi_node *index = murphi_expression(p);
                n = murphi_make(p, MX_INDEX, n->at, KIDS(n, index));
            } while (!p->failed && cursor_accept(p, ","));
            n->at = span_join(n->at, cursor_peek(p)->at);
            cursor_expect(p, "]");
        } else {
            break;
        }
    }
    return n;
}

static murphi_node *murphi_primary(cursor *p) {
    const token *t = cursor_peek(p);
    if (t->kind == TOKEN_NUMBER || t->kind == TOKEN_STRING) {
        murphi_node *n = murphi_parse_node(p, t->kind == TOKEN_NUMBER ? MX_NUMBER : MX_STRING, cursor_take(p)->at);
        n->number = t->number;
        n->text = t->text;
        if (n->kind == MX_NUMBER && strchr(n->text, '.')) n->kind = MX_REAL;
        return n;
    }
    if (cursor_sees(p, "forall")) return murphi_quantifier(p, MX_FORALL, "forall");
    if (cursor_sees(p, "exists")) return murphi_quantifier(p, MX_EXISTS, "exists");
    if (cursor_sees(p, "isundefined")) return builtin(p, MX_ISUNDEFINED);
    if (cursor_sees(p, "ismember")) return builtin(p, MX_ISMEMBER);
    if (cursor_sees(p, "multisetcount")) return with_member(p, MX_COUNT);
    if (cursor_accept(p, "true") || cursor_accept(p, "false")) {
        murphi_node *n = murphi_parse_node(p, MX_NAME, t->at);
        n->name = t->key;
        return n;
    }
    if (cursor_accept(p, "(")) {
        murphi_node *n = murphi_expression(p);
        cursor_expect(p, ")");
        return n;
    }
    return designator(p);
}

static murphi_node *murphi_unary(cursor *p) {
    static const struct {
        const char *symbol;
        murphi_kind kind;
    } ops[] = {{"-", MX_NEG}, {"~", MX_BITNOT}, {"+", MX_PLUS}, {"!", MX_NOT}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (cursor_sees(p, ops[i].symbol)) {
            span at = cursor_take(p)->at;
            murphi_node *n = cursor_enter(p) ? murphi_unary(p) : murphi_parse_node(p, MX_NUMBER, at);
            p->depth--;
            return murphi_make(p, ops[i].kind, at, &n, 1);
        }
    return murphi_primary(p);
}

enum { NEGATED = 6 };  // `!` binds less than operators of this level and higher ones on its right

#define OPERATOR(name, text, level, associates, kind) {text, MX_##name, level, associates},

static const front_operator binary_ops[] = {MURPHI_OPERATORS(OPERATOR){"==", MX_EQ, 6, false}, {0}};

static void *murphi_join(cursor *p, int op, void *a, void *b) {
    return murphi_make(p, (murphi_kind)op, ((murphi_node *)a)->at, KIDS(a, b));
}

static void *murphi_operand(cursor *p, int level);

static const front_operators operators = {binary_ops, murphi_operand, murphi_join};

static void *murphi_operand(cursor *p, int level) {
    if (level > NEGATED || !cursor_sees(p, "!")) return murphi_unary(p);
    span at = cursor_take(p)->at;
    murphi_node *n =
        cursor_enter(p) ? front_parse_operators(p, &operators, NEGATED) : murphi_parse_node(p, MX_NUMBER, at);
    p->depth--;
    return murphi_make(p, MX_NOT, at, &n, 1);
}

static murphi_node *murphi_implication(cursor *p) {
    murphi_node *n = front_parse_operators(p, &operators, 1);
    if (p->failed || !cursor_accept(p, "->")) return n;
    murphi_node *right = cursor_enter(p) ? murphi_implication(p) : n;
    p->depth--;
    return murphi_make(p, MX_IMPLIES, n->at, KIDS(n, right));
}

static murphi_node *murphi_expression(cursor *p) {
    murphi_node *n = cursor_enter(p) ? murphi_implication(p) : murphi_parse_node(p, MX_NUMBER, cursor_peek(p)->at);
    if (!p->failed && cursor_accept(p, "?")) {
        murphi_node *then = murphi_expression(p);
        cursor_expect(p, ":");
        murphi_node *orelse = murphi_expression(p);
        n = murphi_make(p, MX_CHOICE, n->at, KIDS(n, then, orelse));
    }
    p->depth--;
    return n;
}

// ---- types and declarations

static void murphi_parse_declare(cursor *p, murphi_kind kind, murphi_list *out) {
    murphi_list names = {0};
    do vec_push(&names, murphi_named(p, kind, cursor_name(p, "a name"), NULL));
    while (!p->failed && cursor_accept(p, ","));
    cursor_expect(p, ":");
    murphi_node *kid = kind == MD_CONST ? murphi_expression(p) : type_node(p);
    for (uint32_t i = 0; i < names.len; i++) {
        names.data[i]->kids[0] = kid;
        vec_push(out, names.data[i]);
    }
    vec_free(&names);
}

// Types with commas between them.
static void type_list(cursor *p, const char *open, const char *close, murphi_list *out) {
    cursor_expect(p, open);
    do vec_push(out, type_node(p));
    while (!p->failed && cursor_accept(p, ","));
    cursor_expect(p, close);
}

static murphi_node *enumeration(cursor *p, span at) {
    murphi_list l = {0};
    cursor_expect(p, "{");
    do {
        if (cursor_sees(p, "}")) break;
        const token *t = cursor_name(p, "a name");
        vec_push(&l, with_name(murphi_parse_node(p, MX_NAME, t->at), t));
    } while (!p->failed && cursor_accept(p, ","));
    cursor_expect(p, "}");
    return from_list(p, MT_ENUM, at, &l);
}

static murphi_node *murphi_record(cursor *p, span at) {
    murphi_list l = {0};
    semicolons(p);
    while (!p->failed && !cursor_sees(p, "end") && !cursor_sees(p, "endrecord")) {
        murphi_parse_declare(p, MD_VAR, &l);
        semicolons(p);
    }
    expect_end(p, "record");
    return from_list(p, MT_RECORD, at, &l);
}

static murphi_node *array(cursor *p, span at) {
    murphi_list indices = {0};
    type_list(p, "[", "]", &indices);
    cursor_expect(p, "of");
    murphi_node *t = type_node(p);
    for (uint32_t i = indices.len; i-- > 0;) t = murphi_make(p, MT_ARRAY, at, KIDS(indices.data[i], t));
    vec_free(&indices);
    return t;
}

static murphi_node *union_type(cursor *p, span at) {
    murphi_list l = {0};
    type_list(p, "{", "}", &l);
    return from_list(p, MT_UNION, at, &l);
}

static murphi_node *sized(cursor *p, span at) {
    cursor_expect(p, "(");
    murphi_node *size = murphi_expression(p);
    cursor_expect(p, ")");
    return murphi_make(p, MT_SCALARSET, at, &size, 1);
}

static murphi_node *murphi_real(cursor *p, span at) {
    cursor_expect(p, "(");
    murphi_node *digits = murphi_expression(p);
    cursor_expect(p, ",");
    murphi_node *exponent = murphi_expression(p);
    cursor_expect(p, ")");
    return murphi_make(p, MT_REAL, at, KIDS(digits, exponent));
}

static murphi_node *multiset(cursor *p, span at) {
    cursor_expect(p, "[");
    murphi_node *size = murphi_expression(p);
    cursor_expect(p, "]");
    cursor_expect(p, "of");
    murphi_node *element = type_node(p);
    return murphi_make(p, MT_MULTISET, at, KIDS(size, element));
}

static murphi_node *range_or_name(cursor *p) {
    const token *t = cursor_peek(p);
    bool alone = t->kind == TOKEN_WORD && !t->is_reserved && !token_is(cursor_ahead(p, 1), "..");
    for (uint32_t i = 1; alone && token_is(cursor_ahead(p, i), "+"); i += 2) alone = false;
    if (alone && !token_is(cursor_ahead(p, 1), "-") && !token_is(cursor_ahead(p, 1), "*")) {
        return with_name(murphi_parse_node(p, MT_NAME, cursor_take(p)->at), t);
    }
    murphi_node *low = murphi_expression(p);
    cursor_expect(p, "..");
    murphi_node *high = murphi_expression(p);
    return murphi_make(p, MT_RANGE, low->at, KIDS(low, high));
}

static murphi_node *type_node(cursor *p) {
    const token *t = cursor_peek(p);
    murphi_node *n;
    if (!cursor_enter(p)) n = murphi_parse_node(p, MT_BOOLEAN, t->at);
    else if (cursor_accept(p, "boolean")) n = murphi_parse_node(p, MT_BOOLEAN, t->at);
    else if (cursor_accept(p, "real")) n = murphi_real(p, t->at);
    else if (cursor_accept(p, "enum")) n = enumeration(p, t->at);
    else if (cursor_accept(p, "record")) n = murphi_record(p, t->at);
    else if (cursor_accept(p, "array")) n = array(p, t->at);
    else if (cursor_accept(p, "union")) n = union_type(p, t->at);
    else if (cursor_accept(p, "scalarset")) n = sized(p, t->at);
    else if (cursor_accept(p, "multiset")) n = multiset(p, t->at);
    else n = range_or_name(p);
    p->depth--;
    return n;
}

// const, type and var parts, as many as there are.
static bool declarations(cursor *p, murphi_list *out) {
    murphi_kind kind = cursor_sees(p, "const") ? MD_CONST : cursor_sees(p, "type") ? MD_TYPE : MD_VAR;
    if (!cursor_sees(p, "const") && !cursor_sees(p, "type") && !cursor_sees(p, "var")) return false;
    p->next++;
    semicolons(p);
    while (!p->failed && cursor_sees_name(p)) {
        murphi_parse_declare(p, kind, out);
        semicolons(p);
    }
    return true;
}

static murphi_node *locals(cursor *p) {
    murphi_list l = {0};
    span at = cursor_peek(p)->at;
    while (!p->failed && declarations(p, &l)) {}
    return from_list(p, MD_LOCALS, at, &l);
}

// ---- statements

static murphi_node *murphi_parse_block(cursor *p);

// After the first `if`. An `elsif` is an `if` in the else part; the chain is put together from its end.
static murphi_node *if_rest(cursor *p, span at) {
    murphi_list tests = {0};
    VEC(span) places = {0};
    do {
        vec_push(&places, at);
        vec_push(&tests, murphi_expression(p));
        cursor_expect(p, "then");
        vec_push(&tests, murphi_parse_block(p));
        at = cursor_peek(p)->at;
    } while (!p->failed && cursor_accept(p, "elsif"));
    murphi_node *n = !p->failed && cursor_accept(p, "else") ? murphi_parse_block(p) : NULL;
    expect_end(p, "if");
    for (uint32_t i = places.len; i-- > 0;)
        n = node_at(p, MS_IF, places.data[i], KIDS(tests.data[2 * i], tests.data[2 * i + 1], n));
    vec_free(&tests);
    vec_free(&places);
    return n;
}

static murphi_node *switch_case(cursor *p, bool is_else) {
    murphi_list values = {0};
    span at = cursor_peek(p)->at;
    vec_push(&values, NULL);
    if (!is_else) {
        do vec_push(&values, murphi_expression(p));
        while (!p->failed && cursor_accept(p, ","));
        cursor_accept(p, ":");
    }
    values.data[0] = murphi_parse_block(p);
    return from_list(p, MS_CASE, at, &values);
}

static murphi_node *switch_statement(cursor *p, span at) {
    murphi_list kids = {0};
    vec_push(&kids, murphi_expression(p));
    semicolons(p);
    while (!p->failed && cursor_accept(p, "case")) vec_push(&kids, switch_case(p, false));
    if (cursor_accept(p, "else")) vec_push(&kids, switch_case(p, true));
    expect_end(p, "switch");
    return from_list(p, MS_SWITCH, at, &kids);
}

// For Rumur the semicolons between aliases may be left out.
static void aliases(cursor *p, murphi_list *out) {
    while (!p->failed && !cursor_sees(p, "do")) {
        const token *t = cursor_name(p, "a name");
        cursor_expect(p, ":");
        vec_push(out, murphi_named(p, MD_ALIAS, t, murphi_expression(p)));
        bool is_next = cursor_accept(p, ";") || token_is(cursor_ahead(p, 1), ":");
        if (!is_next) break;
    }
    cursor_expect(p, "do");
}

static murphi_node *murphi_message(cursor *p, murphi_node *n) {
    if (cursor_peek(p)->kind == TOKEN_STRING) n->text = cursor_take(p)->text;
    return n;
}

// assert "text" e, or assert e "text".
static murphi_node *condition(cursor *p, murphi_kind kind, span at) {
    murphi_node *n = murphi_message(p, murphi_parse_node(p, kind, at));
    murphi_node *e = murphi_expression(p);
    with_kids(p, n, &e, 1);
    n->at = span_join(n->at, e->at);
    return murphi_message(p, n);
}

static murphi_node *two_arguments(cursor *p, murphi_kind kind, span at) {
    cursor_expect(p, "(");
    murphi_node *a = murphi_expression(p);
    cursor_expect(p, ",");
    murphi_node *b = murphi_expression(p);
    cursor_expect(p, ")");
    return murphi_make(p, kind, at, KIDS(a, b));
}

// `for i : T; j : T do`, which CMurphi reads, is two loops.
static murphi_node *for_statement(cursor *p, span at) {
    murphi_list variables = {0};
    quantified_list(p, &variables);
    murphi_node *body = murphi_parse_block(p);
    expect_end(p, "for");
    for (uint32_t i = variables.len; i-- > 0;) {
        if (body->kind == MS_FOR) body = node_at(p, MS_BLOCK, at, &body, 1);
        body = node_at(p, MS_FOR, at, KIDS(variables.data[i], body));
    }
    vec_free(&variables);
    return body;
}

static murphi_node *while_statement(cursor *p, span at) {
    murphi_node *cond = murphi_expression(p);
    cursor_expect(p, "do");
    murphi_node *body = murphi_parse_block(p);
    expect_end(p, "while");
    return node_at(p, MS_WHILE, at, KIDS(cond, body));
}

// What comes before `do`, what is inside, and its end.
static murphi_node *group(cursor *p, murphi_kind kind, span at, void (*before)(cursor *, murphi_list *),
                          murphi_node *(*inner)(cursor *), const char *word) {
    murphi_list l = {0};
    before(p, &l);
    vec_push(&l, inner(p));
    expect_end(p, word);
    return from_list(p, kind, at, &l);
}

static murphi_node *return_statement(cursor *p, span at) {
    static const char *const begins[] = {"true",        "false",    "forall",        "exists",
                                         "isundefined", "ismember", "multisetcount", NULL};
    const token *t = cursor_peek(p);
    bool bare = token_is(t, ";") || (t->is_reserved && !is_one_of(t, begins));
    murphi_node *e = bare ? NULL : murphi_expression(p);
    return node_at(p, MS_RETURN, at, &e, 1);
}

static murphi_node *assignment_or_call(cursor *p) {
    murphi_node *d = designator(p);
    if (d->kind == MX_CALL && !cursor_sees(p, ":=")) {
        d->kind = MS_CALL;
        return d;
    }
    cursor_expect(p, ":=");
    murphi_node *e = murphi_expression(p);
    return murphi_make(p, MS_ASSIGN, d->at, KIDS(d, e));
}

static murphi_node *one_operand(cursor *p, murphi_kind kind, span at, murphi_node *(*read)(cursor *)) {
    murphi_node *d = read(p);
    return murphi_make(p, kind, at, &d, 1);
}

static murphi_node *murphi_statement(cursor *p) {
    span at = cursor_peek(p)->at;
    if (cursor_accept(p, "if")) return if_rest(p, at);
    if (cursor_accept(p, "switch")) return switch_statement(p, at);
    if (cursor_accept(p, "for")) return for_statement(p, at);
    if (cursor_accept(p, "while")) return while_statement(p, at);
    if (cursor_accept(p, "alias")) return group(p, MS_ALIAS, at, aliases, murphi_parse_block, "alias");
    if (cursor_accept(p, "clear")) return one_operand(p, MS_CLEAR, at, designator);
    if (cursor_accept(p, "undefine")) return one_operand(p, MS_UNDEFINE, at, designator);
    if (cursor_accept(p, "error")) return one_operand(p, MS_ERROR, at, murphi_primary);
    if (cursor_accept(p, "put")) return one_operand(p, MS_PUT, at, murphi_expression);
    if (cursor_accept(p, "assert")) return condition(p, MS_ASSERT, at);
    if (cursor_accept(p, "assume")) return condition(p, MS_ASSUME, at);
    if (cursor_accept(p, "cover")) return condition(p, MS_COVER, at);
    if (cursor_accept(p, "return")) return return_statement(p, at);
    if (cursor_accept(p, "multisetadd")) return two_arguments(p, MS_ADD, at);
    if (cursor_accept(p, "multisetremove")) return two_arguments(p, MS_REMOVE, at);
    if (cursor_sees(p, "multisetremovepred")) return with_member(p, MS_REMOVEPRED);
    return assignment_or_call(p);
}

static bool ends_block(const cursor *p) {
    static const char *const enders[] = {"elsif", "else", "case", NULL};
    const token *t = cursor_peek(p);
    return t->kind == TOKEN_END || (t->is_reserved && strncmp(t->key, "end", 3) == 0) || is_one_of(t, enders);
}

static bool starts_part(const cursor *p);

static int nesting_by(const token *t) {
    static const char *const openers[] = {"if", "for", "while", "switch", "alias", NULL};
    if (t->is_reserved && strncmp(t->key, "end", 3) == 0) return -1;
    return is_one_of(t, openers);
}

// After a mistake in a statement that began there: on to the ';' behind it, or to the end of its block. Where the next
// rule comes before that, the block is not closed either, and what is around it has failed with it.
static void skip_statement(cursor *p, uint32_t from) {
    int depth = 0;
    if (starts_part(p)) return;
    for (uint32_t i = from; i < p->next; i++) depth += nesting_by(&p->tokens.data[i]);
    for (; !starts_part(p); p->next++) {
        int by = nesting_by(cursor_peek(p));
        if (depth <= 0 && (by < 0 || token_is(cursor_peek(p), ";"))) {
            p->failed = false;
            return;
        }
        depth += by;
    }
}

static murphi_node *murphi_parse_block(cursor *p) {
    murphi_list l = {0};
    span at = cursor_peek(p)->at;
    if (cursor_enter(p)) {
        semicolons(p);
        while (!p->failed && !ends_block(p)) {
            uint32_t from = p->next;
            vec_push(&l, murphi_statement(p));
            if (p->failed) {
                l.len--;
                skip_statement(p, from);
            }
            semicolons(p);
        }
    }
    p->depth--;
    return from_list(p, MS_BLOCK, at, &l);
}

// ---- functions and rules

static void parameters(cursor *p, murphi_list *out) {
    cursor_expect(p, "(");
    semicolons(p);
    while (!p->failed && !cursor_sees(p, ")")) {
        bool is_var = cursor_accept(p, "var");
        uint32_t first = out->len;
        murphi_parse_declare(p, MD_PARAM, out);
        for (uint32_t i = first; i < out->len; i++) out->data[i]->is_var = is_var;
        if (!cursor_accept(p, ";")) cursor_accept(p, ",");
        semicolons(p);
    }
    cursor_expect(p, ")");
}

// Declarations, and statements up to `end` or `endWORD`.
static void declared_body(cursor *p, const char *word, murphi_node **declared, murphi_node **block) {
    *declared = locals(p);
    cursor_accept(p, "begin");
    *block = murphi_parse_block(p);
    expect_end(p, word);
}

static murphi_node *function(cursor *p) {
    span at = cursor_peek(p)->at;
    bool is_function = cursor_sees(p, "function");
    p->next++;
    const token *t = cursor_name(p, "a name");
    murphi_list kids = {0};
    for (int i = 0; i < 3; i++) vec_push(&kids, NULL);
    parameters(p, &kids);
    if (is_function && cursor_accept(p, ":")) kids.data[0] = type_node(p);  // without: a procedure, says Rumur
    semicolons(p);
    declared_body(p, is_function ? "function" : "procedure", &kids.data[2], &kids.data[1]);
    return with_name(from_list(p, MD_FUNCTION, at, &kids), t);
}

static murphi_node *start_state(cursor *p) {
    murphi_node *n = murphi_message(p, murphi_parse_node(p, MR_START, cursor_take(p)->at)), *l, *b;
    semicolons(p);
    declared_body(p, "startstate", &l, &b);
    return with_kids(p, n, KIDS(l, b));
}

// A rule has a guard if ==> comes before anything that belongs to a body. Quantifiers in a guard may contain `:=`
// (forall i := 0 to 3 do …), and end.
static bool guard_ahead(const cursor *p) {
    static const char *const others[] = {"begin", "endrule", "rule", "ruleset", "startstate", NULL};
    uint32_t depth = 0;
    for (uint32_t i = 0;; i++) {
        const token *t = cursor_ahead(p, i);
        if (token_is(t, "==>")) return true;
        if (t->kind == TOKEN_END || is_one_of(t, others)) return false;
        if (token_is(t, "forall") || token_is(t, "exists")) depth++;
        if (!depth && (token_is(t, "end") || token_is(t, ":="))) return false;
        if (depth && (token_is(t, "end") || token_is(t, "endforall") || token_is(t, "endexists"))) depth--;
    }
}

static bool is_operator(const token *t) {
    for (const front_operator *o = binary_ops; o->text; o++)
        if (token_is(t, o->text)) return true;
    return false;
}

// A number at the beginning of a rule is CMurphi's priority, which orders the search, not the steps. Where an operator
// follows it is the beginning of the guard.
static void skip_priority(cursor *p) {
    if (cursor_peek(p)->kind == TOKEN_NUMBER && !is_operator(cursor_ahead(p, 1))) cursor_take(p);
}

static murphi_node *rule_node(cursor *p) {
    span at = cursor_take(p)->at;
    skip_priority(p);
    murphi_node *n = murphi_message(p, murphi_parse_node(p, MR_RULE, at));
    murphi_node *guard = NULL, *l, *b;
    semicolons(p);
    if (guard_ahead(p)) {
        guard = murphi_expression(p);
        cursor_expect(p, "==>");
    }
    declared_body(p, "rule", &l, &b);
    return with_kids(p, n, KIDS(guard, l, b));
}

static murphi_node *rules(cursor *p);

static murphi_node *murphi_choose(cursor *p) {
    span at = cursor_take(p)->at;
    const token *t = cursor_name(p, "a variable");
    cursor_expect(p, ":");
    murphi_node *set = designator(p);
    cursor_expect(p, "do");
    murphi_node *inner = rules(p);
    expect_end(p, "choose");
    return with_name(node_at(p, MR_CHOOSE, at, KIDS(set, inner)), t);
}

// One rule or property, or NULL when none begins here.
static murphi_node *one_rule(cursor *p) {
    span at = cursor_peek(p)->at;
    if (cursor_sees(p, "startstate")) return start_state(p);
    if (cursor_sees(p, "rule")) return rule_node(p);
    if (cursor_accept(p, "ruleset")) return group(p, MR_RULESET, at, quantified_list, rules, "ruleset");
    if (cursor_accept(p, "alias")) return group(p, MR_ALIAS, at, aliases, rules, "alias");
    if (cursor_sees(p, "choose")) return murphi_choose(p);
    if (cursor_accept(p, "invariant")) return condition(p, MR_INVARIANT, at);
    if (cursor_accept(p, "assert")) return condition(p, MR_ASSERT, at);
    if (cursor_accept(p, "assume")) return condition(p, MR_ASSUME, at);
    if (cursor_accept(p, "cover")) return condition(p, MR_COVER, at);
    if (cursor_accept(p, "liveness")) return condition(p, MR_LIVENESS, at);
    if (cursor_accept(p, "lemma")) return condition(p, MR_LEMMA, at);
    return NULL;
}

static murphi_node *rules(cursor *p) {
    murphi_list l = {0};
    span at = cursor_peek(p)->at;
    if (cursor_enter(p)) {
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

static bool starts_part(const cursor *p) {
    static const char *const starts[] = {"const", "type",    "var",       "function", "procedure", "startstate",
                                         "rule",  "ruleset", "invariant", "liveness", NULL};
    return cursor_peek(p)->kind == TOKEN_END || is_one_of(cursor_peek(p), starts);
}

static void murphi_part(cursor *p, murphi_list *out) {
    if (declarations(p, out)) return;
    if (cursor_sees(p, "function") || cursor_sees(p, "procedure")) {
        vec_push(out, function(p));
        return;
    }
    murphi_node *n = one_rule(p);
    if (n) vec_push(out, n);
    else cursor_wrong(p, "a declaration or a rule");
}

// What a part with a mistake would have declared is not unknown.
static void hush_words(const cursor *p, uint32_t from) {
    for (uint32_t i = from; i < p->next; i++)
        if (p->tokens.data[i].kind == TOKEN_WORD) diag_hush(p->messages, p->tokens.data[i].text);
}

bool murphi_parse(model *m, uint32_t file, const char *text, size_t size, bool has_octal, murphi_list *out) {
    cursor p = {.language = &murphi_language, .messages = m->messages, .memory = m->memory, .owner = &has_octal};
    p.file = file;
    p.text = text;
    p.size = size;
    cursor_read(&p, 0);
    semicolons(&p);
    while (cursor_peek(&p)->kind != TOKEN_END) {
        uint32_t begin = p.next, before = out->len;
        p.depth = 0;
        murphi_part(&p, out);
        semicolons(&p);
        if (!p.failed) continue;
        p.failed = false;
        out->len = before;
        if (p.next == begin) p.next++;
        while (!starts_part(&p)) p.next++;
        hush_words(&p, begin);
    }
    cursor_free(&p);
    return !diag_failed(m->messages);
}
