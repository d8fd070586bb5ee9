/* key_filter.h - which keys are surely not in a sealed file: a Bloom filter in blocks.
 * All bits of a key are in one block of 64 bytes, which has a checksum of its own.  So a question
 * reads 64 bytes of a file, however many keys it has, and a damaged block only costs the search
 * that it should have saved.  Uses shared/base only.  No I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controlplane/logs/key.h"

#define LOG_KEY_FILTER_BLOCK_BYTES 64
#define LOG_KEY_FILTER_BLOCK_KEYS 32 /* on average: about 1 of 200 other keys seems to be there */

uint64_t log_key_filter_hash(const struct log_key *key);

/* How many blocks a filter of so many keys has: 1 or more. */
uint32_t log_key_filter_blocks(size_t keys_len);

/* Which block the key's bits are in. */
uint32_t log_key_filter_block(uint64_t hash, uint32_t blocks_len);

/* To make one: blocks are zeroed at first; each key is added to its block; blocks are sealed once
 * all keys are in. */
void log_key_filter_add(uint8_t block[LOG_KEY_FILTER_BLOCK_BYTES], uint64_t hash);
void log_key_filter_seal(uint8_t *blocks, uint32_t blocks_len);

/* True: the key may be there, or the block is damaged. */
bool log_key_filter_may_have(const uint8_t block[LOG_KEY_FILTER_BLOCK_BYTES], uint64_t hash);
