// SPDX-License-Identifier: Apache-2.0
// Certificates as files: see certfile.h.
#include "certificate/certfile.h"

#include "base/mem.h"
#include "base/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

enum {
    BUFFER = 1 << 16,
    LARGEST_CLAIM = 1 << 26,
    GZIP_WINDOW = 15 + 16,  // zlib: the largest window, with gzip's head and check sum
    MARK_END = 0,
    MARK_CLAIM = 1
};

static const span nowhere = {0};

// ---- text that is not UTF-8

json_t *certfile_text(const char *text) { return json_stringn_nocheck(text, strlen(text)); }

static bool is_utf8(const char *text) {
    json_t *j = json_string(text);
    json_decref(j);
    return j;
}

static bool is_all_utf8(json_t *j) {
    const char *name;
    json_t *member;
    size_t i;
    bool ok = !json_is_string(j) || is_utf8(json_string_value(j));
    json_array_foreach(j, i, member) ok = ok && is_all_utf8(member);
    json_object_foreach(j, name, member) ok = ok && is_utf8(name) && is_all_utf8(member);
    return ok;
}

// Every byte as the character of that number.
static void spell_bytes(const char *text, str *out) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x80) str_char(out, (char)(0xc0 | c >> 6));
        str_char(out, (char)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
    }
}

// And back; a character beyond them, of valid UTF-8, is not one of ours and stays as it is.
static void unspell_bytes(const char *text, str *out) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool is_pair = c == 0xc2 || c == 0xc3;
        str_char(out, (char)(is_pair ? (c & 3) << 6 | (text[1] & 0x3f) : c));
        text += is_pair;
    }
}

typedef void (*respelling)(const char *text, str *out);

static json_t *respelled(json_t *j, respelling how) {
    const char *name;
    json_t *member, *copy;
    size_t i;
    str text = {0};
    if (json_is_string(j)) {
        how(json_string_value(j), &text);
        copy = certfile_text(str_get(&text));
    } else if (json_is_array(j)) {
        copy = json_array();
        json_array_foreach(j, i, member) json_array_append_new(copy, respelled(member, how));
    } else if (json_is_object(j)) {
        copy = json_object();
        json_object_foreach(j, name, member) {
            str_clear(&text);
            how(name, &text);
            json_object_set_new_nocheck(copy, str_get(&text), respelled(member, how));
        }
    } else {
        copy = json_incref(j);
    }
    str_free(&text);
    return copy;
}

// The object as text for a file. Takes it; NULL where there is no memory.
static char *print_object(json_t *object, size_t flags) {
    if (!is_all_utf8(object)) {
        json_t *spelled = respelled(object, spell_bytes);
        json_decref(object);
        object = spelled;
        json_object_set_new(object, "encoding", json_string("bytes"));
    }
    char *text = json_dumps(object, flags);
    json_decref(object);
    return text;
}

// The object that was read, as it was before it was printed. Takes it.
static json_t *restored(json_t *object) {
    const char *encoding = json_string_value(json_object_get(object, "encoding"));
    if (!encoding || strcmp(encoding, "bytes") != 0) return object;
    json_t *own = respelled(object, unspell_bytes);
    json_decref(object);
    return own;
}

// ---- the model in a certificate

static void hash_text(const char *text, char out[17]) {
    snprintf(out, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(text, strlen(text)));
}

void certfile_put_model(json_t *object, const certfile_model *m) {
    char hash[17];
    hash_text(m->text, hash);
    json_object_set_new(object, "language", certfile_text(m->language));
    json_object_set_new(object, "model_hash", json_string(hash));
    if (m->options) json_object_set_new(object, "options", json_deep_copy(m->options));
    json_object_set_new(object, "model", certfile_text(m->text));
}

bool certfile_get_model(const json_t *object, diag *messages, certfile_model *out) {
    char hash[17];
    const char *said = json_string_value(json_object_get(object, "model_hash"));
    out->language = json_string_value(json_object_get(object, "language"));
    out->text = json_string_value(json_object_get(object, "model"));
    out->options = json_object_get(object, "options");
    if (!out->language || !out->text || (out->options && !json_is_object(out->options))) {
        diag_error(messages, nowhere, "the certificate lacks its model");
        return false;
    }
    hash_text(out->text, hash);
    if (said && strcmp(said, hash) == 0) return true;
    diag_error(messages, nowhere, "the model in the certificate is not the one it was made for: its hash differs");
    return false;
}

// ---- writing

struct certfile_writer {
    char *path;
    diag *messages;
    outfile *file;
    z_stream stream;
    bool is_streaming;
    uint64_t claims;
    int error;  // errno of the first failure
    unsigned char out[BUFFER];
};

json_t *certfile_header_new(const char *kind) {
    return json_pack("{s:i, s:s}", "parvis_certificate", CERTFILE_FORMAT, "kind", kind);
}

static void note_failure(certfile_writer *w) {
    if (!w->error) w->error = errno ? errno : EIO;
}

static void write_plain(certfile_writer *w, const void *data, size_t size) {
    if (!w->error && fwrite(data, 1, size, outfile_stream(w->file)) != size) note_failure(w);
}

static void writer_free(certfile_writer *w) {
    if (w->is_streaming) deflateEnd(&w->stream);
    free(w->path);
    free(w);
}

certfile_writer *certfile_create(const char *path, json_t *header, diag *messages) {
    certfile_writer *w = mem_zero(1, sizeof *w);
    w->path = strdup(path);
    w->messages = messages;
    w->file = outfile_open(path);
    if (!w->file) note_failure(w);
    char *text = print_object(header, JSON_INDENT(1));
    errno = ENOMEM;
    if (!text) note_failure(w);
    write_plain(w, text, text ? strlen(text) : 0);
    write_plain(w, "\n", 1);
    free(text);
    return w;
}

static void deflate_some(certfile_writer *w, int flush) {
    int end;
    do {
        w->stream.next_out = w->out;
        w->stream.avail_out = BUFFER;
        end = deflate(&w->stream, flush);
        write_plain(w, w->out, BUFFER - w->stream.avail_out);
    } while (end == Z_OK && w->stream.avail_out == 0);
}

static void start_stream(certfile_writer *w) {
    if (w->is_streaming || w->error) return;
    errno = ENOMEM;
    w->is_streaming =
        deflateInit2(&w->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    if (!w->is_streaming) note_failure(w);
}

void certfile_put(certfile_writer *w, const void *data, size_t size) {
    start_stream(w);
    const unsigned char *next = data;
    while (size && !w->error) {
        uInt part = size < UINT32_MAX / 2 ? (uInt)size : UINT32_MAX / 2;
        w->stream.next_in = (unsigned char *)next;
        w->stream.avail_in = part;
        deflate_some(w, Z_NO_FLUSH);
        next += part;
        size -= part;
    }
}

void certfile_put_number(certfile_writer *w, uint64_t n) {
    unsigned char bytes[10];
    size_t size = 0;
    for (; n >= 0x80; n >>= 7) bytes[size++] = (unsigned char)(n | 0x80);
    bytes[size++] = (unsigned char)n;
    certfile_put(w, bytes, size);
}

void certfile_claim(certfile_writer *w, json_t *claim) {
    char *text = print_object(claim, JSON_COMPACT);
    certfile_put_number(w, MARK_CLAIM);
    certfile_put_number(w, text ? strlen(text) : 0);
    if (text) certfile_put(w, text, strlen(text));
    errno = ENOMEM;
    if (!text) note_failure(w);
    free(text);
    w->claims++;
}

static void drop_file(certfile_writer *w) {
    if (w->file) outfile_drop(w->file);
}

static bool end_file(certfile_writer *w) {
    if (w->claims) {
        certfile_put_number(w, MARK_END);
        certfile_put_number(w, w->claims);
        if (!w->error) deflate_some(w, Z_FINISH);
    }
    if (w->error) drop_file(w);
    else if (!outfile_commit(w->file)) note_failure(w);
    return !w->error;
}

bool certfile_finish(certfile_writer *w) {
    bool ok = end_file(w);
    if (!ok) diag_error(w->messages, nowhere, "cannot write '%s': %s", w->path, strerror(w->error));
    writer_free(w);
    return ok;
}

void certfile_abandon(certfile_writer *w) {
    if (!w) return;
    drop_file(w);
    writer_free(w);
}

// ---- reading

struct certfile {
    char *path;
    diag *messages;
    FILE *file;
    json_t *header, *claim;
    z_stream stream;
    bool is_streaming, has_ended, is_broken;  // has_ended: the gzip stream
    uint64_t claims;
    unsigned char in[BUFFER];
};

void certfile_complain(certfile *c, const char *format, ...) {
    str text = {0};
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    str_printf(&text, "'%s': %s", c->path, line);
    if (!c->is_broken) diag_error(c->messages, nowhere, "%s", str_get(&text));
    c->is_broken = true;
    str_free(&text);
}

static bool has_form(certfile *c) {
    const json_t *format = json_object_get(c->header, "parvis_certificate");
    if (!json_is_integer(format)) certfile_complain(c, "this is not a certificate");
    else if (json_integer_value(format) != CERTFILE_FORMAT)
        certfile_complain(c, "a certificate of another version of Parvis (%" JSON_INTEGER_FORMAT ", not %d)",
                          json_integer_value(format), CERTFILE_FORMAT);
    else if (!json_is_string(json_object_get(c->header, "kind")))
        certfile_complain(c, "the certificate does not say what kind it is");
    return !c->is_broken;
}

static bool certfile_read_header(certfile *c) {
    json_error_t error;
    c->header = json_loadf(c->file, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    if (!c->header) certfile_complain(c, "this is not a certificate: %s", error.text);
    else if (fseek(c->file, error.position, SEEK_SET)) certfile_complain(c, "cannot be read: %s", strerror(errno));
    c->header = restored(c->header);
    return !c->is_broken && has_form(c);
}

// A header alone may be followed by white space, a stream begins after a line end.
static bool start_reading(certfile *c) {
    int byte;
    while ((byte = getc(c->file)) == '\n' || byte == ' ' || byte == '\r') continue;
    if (byte == EOF) return true;
    ungetc(byte, c->file);
    c->is_streaming = inflateInit2(&c->stream, GZIP_WINDOW) == Z_OK;
    if (!c->is_streaming) certfile_complain(c, "there is not enough memory to read it");
    return c->is_streaming;
}

certfile *certfile_open(const char *path, diag *messages) {
    certfile *c = mem_zero(1, sizeof *c);
    c->path = strdup(path);
    c->messages = messages;
    c->file = fopen(path, "rbe");
    if (!c->file) certfile_complain(c, "cannot be read: %s", strerror(errno));
    if (c->file && certfile_read_header(c) && start_reading(c)) return c;
    certfile_close(c);
    return NULL;
}

void certfile_close(certfile *c) {
    if (!c) return;
    if (c->is_streaming) inflateEnd(&c->stream);
    if (c->file) fclose(c->file);
    json_decref(c->header);
    json_decref(c->claim);
    free(c->path);
    free(c);
}

const json_t *certfile_header(const certfile *c) { return c->header; }
const char *certfile_kind(const certfile *c) { return json_string_value(json_object_get(c->header, "kind")); }
bool certfile_is_broken(const certfile *c) { return c->is_broken; }

static bool certfile_fill(certfile *c) {
    if (c->stream.avail_in) return true;
    size_t n = fread(c->in, 1, BUFFER, c->file);
    c->stream.next_in = c->in;
    c->stream.avail_in = (uInt)n;
    if (!n) certfile_complain(c, "the file ends too early");
    return n > 0;
}

static bool inflate_some(certfile *c) {
    int end = certfile_fill(c) ? inflate(&c->stream, Z_NO_FLUSH) : Z_OK;
    if (c->is_broken) return false;
    c->has_ended = end == Z_STREAM_END;
    if (end != Z_OK && end != Z_STREAM_END && end != Z_BUF_ERROR) certfile_complain(c, "the file is damaged");
    return !c->is_broken;
}

bool certfile_get(certfile *c, void *data, size_t size) {
    unsigned char *to = data;
    size_t rest = size;
    if (!c->is_streaming) certfile_complain(c, "the file ends too early");
    while (rest && !c->is_broken) {
        uInt part = rest < UINT32_MAX / 2 ? (uInt)rest : UINT32_MAX / 2;
        c->stream.next_out = to;
        c->stream.avail_out = part;
        while (c->stream.avail_out && !c->has_ended && inflate_some(c)) continue;
        if (c->stream.avail_out && c->has_ended) certfile_complain(c, "the file ends too early");
        to += part;
        rest -= part;
    }
    if (c->is_broken) memset(data, 0, size);
    return !c->is_broken;
}

bool certfile_get_number(certfile *c, uint64_t most, uint64_t *out) {
    uint64_t n = 0;
    unsigned char byte = 0x80;
    for (unsigned shift = 0; byte & 0x80; shift += 7) {
        if (!certfile_get(c, &byte, 1)) return false;
        uint64_t bits = byte & 0x7f;
        if (shift > 63 || bits << shift >> shift != bits) {
            certfile_complain(c, "a number is too large");
            return false;
        }
        n |= bits << shift;
    }
    if (n > most) certfile_complain(c, "the number %" PRIu64 " is above %" PRIu64 ", the most it can be", n, most);
    *out = n;
    return !c->is_broken;
}

// After the last claim there is nothing more, neither in the stream nor in the file.
static bool check_end(certfile *c) {
    uint64_t said;
    unsigned char extra;
    if (!certfile_get_number(c, UINT64_MAX, &said)) return false;
    if (said != c->claims) certfile_complain(c, "the certificate does not have as many claims as it says");
    c->stream.next_out = &extra;
    c->stream.avail_out = 1;
    while (!c->is_broken && !c->has_ended && c->stream.avail_out && inflate_some(c)) continue;
    if (!c->stream.avail_out || c->stream.avail_in || getc(c->file) != EOF)
        certfile_complain(c, "something follows after the end");
    return !c->is_broken;
}

static bool read_claim(certfile *c) {
    uint64_t size;
    json_error_t error = {0};
    if (!certfile_get_number(c, LARGEST_CLAIM, &size)) return false;
    char *text = mem_alloc(size + 1);
    if (certfile_get(c, text, size)) c->claim = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!c->claim) certfile_complain(c, "a claim cannot be read: %s", error.text);
    c->claim = restored(c->claim);
    c->claims++;
    return c->claim;
}

const json_t *certfile_next(certfile *c) {
    uint64_t mark;
    json_decref(c->claim);
    c->claim = NULL;
    if (!c->is_streaming) return NULL;
    if (!certfile_get_number(c, MARK_CLAIM, &mark)) return NULL;
    if (mark == MARK_END) check_end(c);
    else if (read_claim(c)) return c->claim;
    return NULL;
}

// ---- members of claims

const char *certfile_string(certfile *c, const json_t *claim, const char *name) {
    const char *text = json_string_value(json_object_get(claim, name));
    if (!text) certfile_complain(c, "a claim lacks '%s'", name);
    return text;
}

bool certfile_member(certfile *c, const json_t *claim, const char *name, uint64_t most, uint64_t *out) {
    const json_t *j = json_object_get(claim, name);
    json_int_t n = json_integer_value(j);
    if (!json_is_integer(j) || n < 0 || (uint64_t)n > most)
        certfile_complain(c, "a claim lacks '%s', or it is out of bounds", name);
    *out = (uint64_t)n;
    return !c->is_broken;
}
