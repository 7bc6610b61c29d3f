// SPDX-License-Identifier: Apache-2.0
// A stack of known size, whatever the shell's limit is.
//
// Walking expressions and statements recurses, so nesting needs stack. The front ends refuse what is nested
// deeper than their limits (front/depth.h, EXPR_DEEPEST in model/expr.h), and STACK_BYTES is enough for those: together
// they are the reason why no input overflows the stack.
#ifndef BASE_STACK_H
#define BASE_STACK_H

#include <stdbool.h>

enum { STACK_BYTES = 256 << 20 };  // address space only: pages that are never touched cost nothing

typedef void (*stack_work)(void *context);

// Where a limit of address space leaves no room for it: enough for what people write.
enum { STACK_LEAST = 16 << 20 };

// Runs the work on a stack of STACK_BYTES, or of STACK_LEAST, in this thread, and returns when it is done. Where a
// limit leaves no room for either, the stack of the process is widened to STACK_LEAST, as far as that is allowed.
void stack_run(stack_work work, void *context);

#endif
