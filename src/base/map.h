// SPDX-License-Identifier: Apache-2.0
// Hash maps from a string or from a run of bytes to a 32-bit number. Keys are copied.
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct map map;

map *map_new(void);
void map_free(map *m);
map *map_copy(const map *m);  // shares the keys, which must live as long
uint32_t map_count(const map *m);

// The value of a key, or `absent`.
uint32_t map_get(const map *m, const void *key, size_t size, uint32_t absent);
// Sets the key's value; true if the key is new.
bool map_put(map *m, const void *key, size_t size, uint32_t value);
// The key's value; if it has none, `value`, which it then gets.
uint32_t map_intern(map *m, const void *key, size_t size, uint32_t value);

uint32_t map_get_str(const map *m, const char *key, uint32_t absent);
bool map_put_str(map *m, const char *key, uint32_t value);

// Keys in the order in which they were added.
const void *map_key(const map *m, uint32_t index, size_t *size);

#endif
