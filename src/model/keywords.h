// SPDX-License-Identifier: Apache-2.0
// The words of the .pv language that are not names, for its lexer and for what prints it (print.h): a name that is one
// of them, or no identifier at all, is written in backquotes: `init`, `two-phase`. Inside, \` \\ \n and \xHH stand
// for the characters that cannot be written.
#ifndef MODEL_KEYWORDS_H
#define MODEL_KEYWORDS_H

// clang-format off
#define PV_KEYWORDS(X)                                                                                    \
    X(SORT, "sort")                                                                                       \
    X(ORDERED, "ordered")                                                                                 \
    X(SIZE, "size")                                                                                       \
    X(ENUM, "enum")                                                                                       \
    X(SYSTEM, "system")                                                                                   \
    X(VAR, "var") X(REL, "rel") X(CONST, "const") X(DEF, "def") X(PROC, "proc") X(INIT, "init")           \
        X(ACTION, "action") X(INTERNAL, "internal") X(WHEN, "when") X(ASSUME, "assume") X(AXIOM, "axiom") \
            X(INVARIANT, "invariant") X(PROPERTY, "property") X(REFINES, "refines")                       \
                X(DEADLOCK_FREE, "deadlock_free") X(COMPOSE, "compose") X(USE, "use") X(EXPECT, "expect") \
                    X(AT, "at") X(FORALL, "forall") X(EXISTS, "exists") X(WHERE, "where") X(IF, "if")     \
                        X(THEN, "then") X(ELSE, "else") X(TRUE, "true") X(FALSE, "false") X(BOOL, "bool") \
                            X(MEETS, "meets") X(CLEAR, "clear")
// clang-format on

// Further spellings of symbols.
#define PV_WORD_SYMBOLS(X) X(AND, "and") X(OR, "or") X(NOT, "not")

#endif
