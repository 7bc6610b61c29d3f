// SPDX-License-Identifier: Apache-2.0
// The file format of all certificates: a header and, for what is too large for JSON, a stream of claims.
//
//   {"parvis_certificate": 2, "kind": "check", "language": ".pv", "model_hash": "…", "model": "…", …}
//   gzip( 1 claim data  1 claim data … 0 number-of-claims )
//
// The header is one JSON object: format version, kind, the model's text with its hash and what else is needed to read
// it. A certificate of proofs ends there. All others go on with one gzip stream: for every claim a 1, a JSON object
// (with its length before it) and the data that its kind writes after it; at the end a 0 and the number of claims.
// Numbers are unsigned, seven bits per byte, the lowest first (LEB128).
//
// Writing goes to a file beside the wanted one, which takes its name at the end: a certificate is complete or absent.
// Reading trusts nothing: every number has a bound given by the reader, text must be valid JSON, the stream must
// end where it says it ends, with nothing after it. A mistake is one message and no further data.
//
//   certfile.c      the file
//   closed.c        sets of states that no step leaves
//   closed_claim.c  claims about them as JSON
//   stateset.c      sets of states in memory and in files
//   cellcode.c      a state as bits
//   stepper.c       steps by the reference evaluator
//   ranking.c       liveness by ranks
//   relation.c      comparisons of two systems
//   proofs.c        proofs for all sizes
//   formula.c       lemmas as trees
//   plaindbm.c      matrices without abstraction
//   timedstep.c     steps of timed systems by the reference evaluator
//   zones_file.c    claims about zones, written
//   zones_set.c     read, with all images
//   zones_bounds.c  which valuations do what others do
//   zones_check.c   and checked
//   views.c         views of two of any number of processes
#ifndef CERTIFICATE_CERTFILE_H
#define CERTIFICATE_CERTFILE_H

#include "base/diag.h"

#include <jansson.h>

enum { CERTFILE_FORMAT = 2 };

// ---- names and texts of users, which need not be UTF-8

// As a string of an object that goes into a file (keys: json_object_set_new_nocheck). Where something in a header or a
// claim is not UTF-8, all its texts are written with every byte as the character of that number, and the member
// "encoding" is "bytes"; reading gives the texts back.
json_t *certfile_text(const char *text);

// ---- the model in a certificate

typedef struct {
    const char *language;   // ".pv", ".m", ".xta": how the text is read
    const char *text;       // canonical .pv text, or the user's file
    const json_t *options;  // an object: what else reading depends on (defines, semantics, queries); NULL: nothing
} certfile_model;

// Puts a model into an object (the header, or one side of a comparison), and gets it back: false, with a message, when
// something is missing or the text does not have its hash. What is got belongs to the object.
void certfile_put_model(json_t *object, const certfile_model *m);
bool certfile_get_model(const json_t *object, diag *messages, certfile_model *out);

// ---- writing

json_t *certfile_header_new(const char *kind);

typedef struct certfile_writer certfile_writer;

// Takes the header. If the file cannot be made, that is reported at the end: it is no reason to lose the answer that
// the file belongs to.
certfile_writer *certfile_create(const char *path, json_t *header, diag *messages);
void certfile_claim(certfile_writer *w, json_t *claim);  // takes the claim; its data follow
void certfile_put(certfile_writer *w, const void *data, size_t size);
void certfile_put_number(certfile_writer *w, uint64_t n);
// Ends the file and gives it its name; false, with a message, when not all could be written: what was there before
// stays. Frees w in either case.
bool certfile_finish(certfile_writer *w);
void certfile_abandon(certfile_writer *w);

// ---- reading

typedef struct certfile certfile;

// NULL, with a message, when it is not a certificate or one of another version.
certfile *certfile_open(const char *path, diag *messages);
void certfile_close(certfile *c);

const json_t *certfile_header(const certfile *c);
const char *certfile_kind(const certfile *c);

// The next claim, valid until the next call; NULL at the end, or, with a message, where the file is broken.
const json_t *certfile_next(certfile *c);
bool certfile_is_broken(const certfile *c);
// Of the present claim's data; false where the file is broken.
bool certfile_get(certfile *c, void *data, size_t size);
bool certfile_get_number(certfile *c, uint64_t most, uint64_t *out);
// For readers of kinds: the data is invalid. One message per file, and from here on the file counts as broken.
void certfile_complain(certfile *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- members of claims: false, with a message, when they are missing or of another type

const char *certfile_string(certfile *c, const json_t *claim, const char *name);  // NULL with a message
bool certfile_member(certfile *c, const json_t *claim, const char *name, uint64_t most, uint64_t *out);

#endif
