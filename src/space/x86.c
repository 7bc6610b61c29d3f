// SPDX-License-Identifier: Apache-2.0
// Memory for machine code; see x86.h. It is written first and run then, never both at once.
#include "space/x86.h"

#include <string.h>
#include <sys/mman.h>

void *x86_load(const x86_code *c) {
    void *code = mmap(NULL, c->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) return NULL;
    memcpy(code, c->data, c->len);
    if (!mprotect(code, c->len, PROT_READ | PROT_EXEC)) return code;
    munmap(code, c->len);
    return NULL;
}

void x86_unload(void *code, size_t size) { munmap(code, size); }
