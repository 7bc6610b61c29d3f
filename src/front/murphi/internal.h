// SPDX-License-Identifier: Apache-2.0
// Inside the Murphi front end: the syntax tree that parse.c makes and the files of lower.h read.
// One node type serves expressions, types, statements, rules and declarations; what a kind uses is said
// beside it.
#ifndef FRONT_MURPHI_INT_H
#define FRONT_MURPHI_INT_H

#include "model/model.h"

// Binary operators: name, text, strength, do they associate, and what they are in the model if that is arithmetic.
// clang-format off
#define MURPHI_OPERATORS(X) \
    X(OR, "||", 1, true, 0)             X(AND, "&&", 2, true, 0)            X(BITOR, "|", 3, true, E_BITOR) \
    X(BITXOR, "^", 4, true, E_BITXOR)   X(BITAND, "&", 5, true, E_BITAND)   X(EQ, "=", 6, false, 0) \
    X(NE, "!=", 6, false, 0)            X(LT, "<", 6, false, E_LT)          X(LE, "<=", 6, false, E_LE) \
    X(GT, ">", 6, false, E_LT)          X(GE, ">=", 6, false, E_LE)         X(SHL, "<<", 7, false, E_SHL) \
    X(SHR, ">>", 7, false, E_SHR)       X(ADD, "+", 8, true, E_ADD)         X(SUB, "-", 8, false, E_SUB) \
    X(MUL, "*", 9, true, E_MUL)         X(DIV, "/", 9, false, E_DIV)        X(MOD, "%", 9, false, E_MOD)
// clang-format on
#define MURPHI_OPERATOR_KIND(name, text, level, associates, kind) MX_##name,

typedef enum {
    // types
    MT_NAME,  // name
    MT_BOOLEAN,
    MT_RANGE,      // kids: low, high
    MT_ENUM,       // kids: MX_NAME each
    MT_RECORD,     // kids: MD_VAR each
    MT_ARRAY,      // kids: index type, element type
    MT_SCALARSET,  // kids: size
    MT_UNION,      // kids: member types
    MT_MULTISET,   // kids: size, element type
    MT_REAL,       // kids: digits, exponent
    // expressions
    MX_NUMBER,  // number, as a uint64_t
    MX_REAL,    // text
    MX_NAME,    // name
    MX_FIELD,   // kids: record; name
    MX_INDEX,   // kids: array, index
    MX_CALL,    // name; kids: arguments
    MX_NOT,
    MX_NEG,
    MX_BITNOT,
    MX_PLUS,  // kids: operand
    // kids: both sides
    MURPHI_OPERATORS(MURPHI_OPERATOR_KIND) MX_IMPLIES,
    MX_CHOICE,  // kids: condition, then, else
    MX_FORALL,
    MX_EXISTS,       // kids: MQ_*, body
    MX_ISUNDEFINED,  // kids: designator
    MX_ISMEMBER,     // kids: expression, type
    MX_COUNT,        // multisetcount(name: kids[0], kids[1])
    MX_STRING,       // text
    // quantified variables
    MQ_TYPE,   // name; kids: type
    MQ_RANGE,  // name; kids: from, to, by (NULL: 1)
    // statements
    MS_ASSIGN,  // kids: designator, expression
    MS_IF,      // kids: condition, MS_BLOCK, else (MS_BLOCK, MS_IF or NULL)
    MS_SWITCH,  // kids: expression, then MS_CASE each
    MS_CASE,    // kids: MS_BLOCK, then the values (none: else)
    MS_FOR,     // kids: MQ_*, MS_BLOCK
    MS_WHILE,   // kids: condition, MS_BLOCK
    MS_ALIAS,   // kids: MD_ALIAS each, last MS_BLOCK
    MS_CALL,    // name; kids: arguments
    MS_CLEAR,
    MS_UNDEFINE,  // kids: designator
    MS_ERROR,     // kids: MX_STRING
    MS_ASSERT,
    MS_ASSUME,
    MS_COVER,       // kids: condition; text
    MS_PUT,         // kids: expression or string
    MS_RETURN,      // kids: expression or NULL
    MS_ADD,         // multisetadd(kids[0], kids[1])
    MS_REMOVE,      // multisetremove(kids[0], kids[1])
    MS_REMOVEPRED,  // multisetremovepred(name: kids[0], kids[1])
    MS_BLOCK,       // kids: statements
    // declarations
    MD_CONST,     // name; kids: expression
    MD_TYPE,      // name; kids: type
    MD_VAR,       // name; kids: type
    MD_ALIAS,     // name; kids: expression
    MD_PARAM,     // name; kids: type; is_var
    MD_FUNCTION,  // name; kids: result type (NULL: procedure), MS_BLOCK body, MD_LOCALS, then MD_PARAM each
    MD_LOCALS,    // kids: MD_CONST, MD_TYPE, MD_VAR
    // rules
    MR_START,    // text; kids: MD_LOCALS, MS_BLOCK
    MR_RULE,     // text; kids: guard (NULL: true), MD_LOCALS, MS_BLOCK
    MR_RULESET,  // kids: MQ_* each, last MR_RULES
    MR_ALIAS,    // kids: MD_ALIAS each, last MR_RULES
    MR_CHOOSE,   // name; kids: multiset, MR_RULES
    MR_RULES,    // kids: rules
    MR_INVARIANT,
    MR_ASSERT,
    MR_ASSUME,
    MR_COVER,
    MR_LEMMA,
    MR_LIVENESS  // text; kids: condition
} murphi_kind;

typedef __int128 murphi_wide;  // numbers of a text have 64 bits, and are not negative; what is made of them has a sign

typedef struct murphi_node murphi_node;
struct murphi_node {
    murphi_kind kind;
    bool is_var;                // MD_PARAM: by reference and may be written
    bool has_call, has_return;  // MX_CALL, MS_RETURN in it
    span at;
    const char *name, *text;  // text: a message or a rule's name, may be NULL
    int64_t number;
    murphi_node **kids;
    uint32_t nkids;
    uint32_t depth;      // levels below it
    const void *memo;    // for the lowering: the type it was resolved to
    const func *funcs;   // for the lowering: the leaves of a local
    murphi_node *again;  // for the lowering: a copy, for a call of a function from within itself
};

typedef VEC(murphi_node *) murphi_list;

// The declarations and rules of a file, in order; false, with messages, on a syntax error. Nodes live as
// long as the model. has_octal: numbers with a leading 0 are octal.
bool murphi_parse(model *m, uint32_t file, const char *text, size_t size, bool has_octal, murphi_list *out);

#endif
