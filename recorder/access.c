// SPDX-License-Identifier: Apache-2.0
// Reads and writes in transactions, of every size and kind that the compiler uses: each is done word by word (8 bytes,
// aligned), so that the history has one kind of key. A part of a word is read as the whole word; it is written as a part,
// after a read of the word, which says what the word is then. There is one function per type and purpose in the ABI
// ("read", "read after write" …); the purpose makes no difference here.
#include "itm.h"

#include <immintrin.h>

static uint64_t real_read(uint64_t address) {
    static uint64_t (*real)(const void *);
    if (!real) *(void **)&real = itm_real("_ITM_RU8");
    return real((const void *)(uintptr_t)address);
}

static void real_write(uint64_t address, uint64_t value) {
    static void (*real)(void *, uint64_t);
    if (!real) *(void **)&real = itm_real("_ITM_WU8");
    real((void *)(uintptr_t)address, value);
}

static void real_write_byte(uint64_t address, uint8_t value) {
    static void (*real)(void *, uint8_t);
    if (!real) *(void **)&real = itm_real("_ITM_WU1");
    real((void *)(uintptr_t)address, value);
}

static bool is_recorded(const itm_thread *t, uint64_t word) {
    return t->log && (word < t->stack_begin || word >= t->stack_end || words_is_known(word));
}

// ---- words

static uint64_t read_word(itm_thread *t, uint64_t word) {
    if (!is_recorded(t, word)) return real_read(word);
    uint64_t key = words_key(t, word), value = real_read(word);
    parvis_read(t->log, key, value);
    return value;
}

static void write_word(itm_thread *t, uint64_t word, uint64_t value) {
    bool recorded = is_recorded(t, word);
    uint64_t key = recorded ? words_key(t, word) : 0;
    real_write(word, value);
    if (recorded) parvis_write(t->log, key, value);
}

// `n` bytes from the byte `from` of the word on.
static void write_part(itm_thread *t, uint64_t word, unsigned from, unsigned n, const uint8_t *bytes) {
    bool recorded = is_recorded(t, word);
    uint64_t value = read_word(t, word);
    memcpy((uint8_t *)&value + from, bytes, n);
    for (unsigned i = 0; i < n; i++) real_write_byte(word + from + i, bytes[i]);
    if (recorded) parvis_write(t->log, words_key(t, word), value);
}

// ---- bytes

static void read_bytes(const void *from, void *to, size_t size) {
    itm_thread *t = itm_self();
    uint64_t at = (uint64_t)(uintptr_t)from;
    uint8_t *out = to;
    while (size > 0) {
        unsigned skip = at & 7, n = size < 8 - skip ? (unsigned)size : 8 - skip;
        uint64_t value = read_word(t, at - skip);
        memcpy(out, (const uint8_t *)&value + skip, n);
        at += n, out += n, size -= n;
    }
}

static void write_bytes(void *to, const void *from, size_t size) {
    itm_thread *t = itm_self();
    uint64_t at = (uint64_t)(uintptr_t)to;
    const uint8_t *in = from;
    while (size > 0) {
        unsigned skip = at & 7, n = size < 8 - skip ? (unsigned)size : 8 - skip;
        uint64_t value;
        memcpy(&value, in, n == 8 ? 8 : 0);
        if (n == 8) write_word(t, at, value);
        else write_part(t, at - skip, skip, n, in);
        at += n, in += n, size -= n;
    }
}

// ---- the functions of the ABI

#define READ(how, T, name)                              \
    T _ITM_##how##name(const T *from);                  \
    T _ITM_##how##name(const T *from) {                 \
        T value;                                        \
        read_bytes(from, &value, sizeof value);         \
        return value;                                   \
    }
#define WRITE(how, T, name)                             \
    void _ITM_##how##name(T *to, T value);              \
    void _ITM_##how##name(T *to, T value) { write_bytes(to, &value, sizeof value); }

#define ACCESSES(T, name) \
    READ(R, T, name)      \
    READ(RaR, T, name)    \
    READ(RaW, T, name)    \
    READ(RfW, T, name)    \
    WRITE(W, T, name)     \
    WRITE(WaR, T, name)   \
    WRITE(WaW, T, name)

typedef float _Complex complex_float;
typedef double _Complex complex_double;
typedef long double _Complex complex_long_double;

ACCESSES(uint8_t, U1)
ACCESSES(uint16_t, U2)
ACCESSES(uint32_t, U4)
ACCESSES(uint64_t, U8)
ACCESSES(float, F)
ACCESSES(double, D)
ACCESSES(long double, E)
ACCESSES(complex_float, CF)
ACCESSES(complex_double, CD)
ACCESSES(complex_long_double, CE)
ACCESSES(__m64, M64)
ACCESSES(__m128, M128)
#pragma GCC push_options
#pragma GCC target("avx")
ACCESSES(__m256, M256)
#pragma GCC pop_options

// ---- copying and filling

// In pieces, so that source and target may overlap only where memmove is asked for: whole copies first.
static void copy(void *to, const void *from, size_t size, bool reads, bool writes) {
    uint8_t small[512], *buffer = size <= sizeof small ? small : malloc(size);
    if (!buffer) abort();
    if (reads) read_bytes(from, buffer, size);
    else memcpy(buffer, from, size);
    if (writes) write_bytes(to, buffer, size);
    else memcpy(to, buffer, size);
    if (buffer != small) free(buffer);
}

#define COPY(what, how, reads, writes)                                                     \
    void _ITM_##what##how(void *to, const void *from, size_t size);                        \
    void _ITM_##what##how(void *to, const void *from, size_t size) { copy(to, from, size, reads, writes); }

#define COPIES(what)                  \
    COPY(what, RnWt, false, true)     \
    COPY(what, RnWtaR, false, true)   \
    COPY(what, RnWtaW, false, true)   \
    COPY(what, RtWn, true, false)     \
    COPY(what, RtWt, true, true)      \
    COPY(what, RtWtaR, true, true)    \
    COPY(what, RtWtaW, true, true)    \
    COPY(what, RtaRWn, true, false)   \
    COPY(what, RtaRWt, true, true)    \
    COPY(what, RtaRWtaR, true, true)  \
    COPY(what, RtaRWtaW, true, true)  \
    COPY(what, RtaWWn, true, false)   \
    COPY(what, RtaWWt, true, true)    \
    COPY(what, RtaWWtaR, true, true)  \
    COPY(what, RtaWWtaW, true, true)

COPIES(memcpy)
COPIES(memmove)

static void fill(void *to, int byte, size_t size) {
    uint8_t part[512];
    memset(part, byte, size < sizeof part ? size : sizeof part);
    for (size_t n; size > 0; to = (uint8_t *)to + n, size -= n) {
        n = size < sizeof part ? size : sizeof part;
        write_bytes(to, part, n);
    }
}

#define FILL(how)                                            \
    void _ITM_memset##how(void *to, int byte, size_t size);  \
    void _ITM_memset##how(void *to, int byte, size_t size) { fill(to, byte, size); }

FILL(W)
FILL(WaR)
FILL(WaW)
