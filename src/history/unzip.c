// SPDX-License-Identifier: Apache-2.0
// Decompresses gzip files in memory, by zlib. Several compressed files one after the other are their contents one after
// the other, as for gzip itself.
#include "history/sources.h"

#include <zlib.h>

enum { UNZIP_GZIP = 16 };

bool unzip_is(const char *text, size_t size) {
    return size >= 2 && (unsigned char)text[0] == 0x1F && (unsigned char)text[1] == 0x8B;
}

// What zlib takes at once has 32 bits.
static uInt unzip_piece(size_t left) { return left > 1 << 30 ? 1 << 30 : (uInt)left; }

static bool unzip_member(z_stream *z, size_t *left, str *out) {
    static const size_t step = 1 << 18;
    char *part = mem_alloc(step);
    int code = Z_OK;
    while (code == Z_OK) {
        uInt given = unzip_piece(*left);
        z->avail_in = given;
        z->next_out = (Bytef *)part;
        z->avail_out = (uInt)step;
        code = inflate(z, Z_NO_FLUSH);
        *left -= given - z->avail_in;
        str_addn(out, part, step - z->avail_out);
        if (code == Z_OK && z->avail_out > 0 && *left == 0) code = Z_BUF_ERROR;
    }
    free(part);
    return code == Z_STREAM_END;
}

static bool unzip_all(const char *text, size_t size, str *out) {
    z_stream z = {.next_in = (z_const Bytef *)text};
    size_t left = size;
    if (inflateInit2(&z, MAX_WBITS + UNZIP_GZIP) != Z_OK) return false;
    bool good = unzip_member(&z, &left, out);
    while (good && unzip_is((const char *)z.next_in, left))
        good = inflateReset(&z) == Z_OK && unzip_member(&z, &left, out);
    inflateEnd(&z);
    return good && left == 0;
}

bool unzip(char **text, size_t *size, const char **why) {
    str out = {0};
    if (!unzip_all(*text, *size, &out)) {
        str_free(&out);
        *why = "the compressed data is damaged, or ends too early";
        return false;
    }
    str_addn(&out, "", 0);
    free(*text);
    *text = out.text;
    *size = out.len;
    return true;
}
