/* hash.h - fast hashes of bytes, the same on every machine and in every release.
 * fl_hash64 is for tables and for comparing states; it withstands accidents, not attackers.
 * fl_crc32c (Castagnoli) is for finding damaged bytes in stored and received records.
 * Uses libc only.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t fl_hash64(uint64_t seed, const void *ptr, size_t len);
uint64_t fl_hash_u64(uint64_t seed, uint64_t v); /* for chaining: h = fl_hash_u64(h, v) */

/* Goes on from 'crc', which is 0 at first: the crc of two pieces is that of the whole. */
uint32_t fl_crc32c(uint32_t crc, const void *ptr, size_t len);
