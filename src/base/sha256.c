// SPDX-License-Identifier: Apache-2.0
// SHA-256: see sha256.h. The constants are the first 32 bits of the fractional parts of square and cube roots of the
// first primes, computed here from their definition by whole numbers, so that there is no table to mistype.
#include "base/sha256.h"

#include <string.h>

typedef struct {
    uint32_t state[8], round[64];
} sha;

static uint32_t turn(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

// The first 32 bits after the point of the root of a prime below 2^9: the largest r with r^power <= prime *
// 2^(32*power), of which the low word is kept.
static uint32_t root_bits(uint32_t prime, unsigned power) {
    uint64_t root = 0;
    for (unsigned bit = 37; bit-- > 0;) {
        unsigned __int128 r = root | UINT64_C(1) << bit;
        unsigned __int128 square = r * r;
        unsigned __int128 most = (unsigned __int128)prime << (32 * 2);
        // A cube may not fit: r^3 <= p * 2^96 is asked as r^2 <= floor(p * 2^96 / r).
        bool fits = power == 2 ? square <= most : square <= ((unsigned __int128)prime << 96) / r;
        if (fits) root = (uint64_t)r;
    }
    return (uint32_t)root;
}

static bool is_prime(uint32_t n) {
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return true;
}

static void sha_begin(sha *s) {
    for (uint32_t n = 2, i = 0; i < 64; n++) {
        if (!is_prime(n)) continue;
        if (i < 8) s->state[i] = root_bits(n, 2);
        s->round[i++] = root_bits(n, 3);
    }
}

static void sha_expand(const uint8_t *block, uint32_t w[64]) {
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

static void sha_block(sha *s, const uint8_t *block) {
    uint32_t w[64], v[8];
    sha_expand(block, w);
    memcpy(v, s->state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t one = (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6]));
        uint32_t two =
            (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        one += v[7] + s->round[i] + w[i];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++) s->state[i] += v[i];
}

// The rest of the text, a bit, zeros, and the number of bits.
static void sha_finish(sha *s, const uint8_t *rest, size_t left, uint64_t size) {
    uint8_t end[128] = {0};
    size_t length = left < 56 ? 64 : 128;
    if (left) memcpy(end, rest, left);
    end[left] = 0x80;
    for (unsigned i = 0; i < 8; i++) end[length - 1 - i] = (uint8_t)(size * 8 >> 8 * i);
    for (size_t at = 0; at < length; at += 64) sha_block(s, end + at);
}

void sha256(const void *text, size_t size, uint8_t hash[SHA256_BYTES]) {
    sha s;
    const uint8_t *bytes = text;
    size_t whole = size / 64 * 64;
    sha_begin(&s);
    for (size_t at = 0; at < whole; at += 64) sha_block(&s, bytes + at);
    sha_finish(&s, bytes + whole, size - whole, size);
    for (unsigned i = 0; i < SHA256_BYTES; i++) hash[i] = (uint8_t)(s.state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_base64(const void *text, size_t size, str *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t hash[SHA256_BYTES + 1] = {0};  // 33 bytes make 44 digits; the last stands for the padding
    sha256(text, size, hash);
    for (unsigned i = 0; i < sizeof hash; i += 3) {
        uint32_t word = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8 | hash[i + 2];
        for (unsigned k = 0; k < 4; k++) str_char(out, digits[word >> (18 - 6 * k) & 63]);
    }
    out->text[out->len - 1] = '=';
}
