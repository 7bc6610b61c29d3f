// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) of a text, for the policy of pages: a browser runs only scripts whose hash it says.
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/str.h"

#include <stdint.h>

enum { SHA256_BYTES = 32 };

void sha256(const void *text, size_t size, uint8_t hash[SHA256_BYTES]);
// The same in base 64, as browsers write it: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=".
void sha256_base64(const void *text, size_t size, str *out);

#endif
