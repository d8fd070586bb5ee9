/* pg_table.h - one table of the fake Postgres: encoded rows, sorted by a key of bytes.
 * Numbers in a key are big endian, so that the order of bytes is that of numbers, and a prefix
 * stands just before the keys that begin with it.
 * Single-threaded. */
#pragma once

#include "controlplane/core/row_table.h"
#include "shared/base/vec.h"

struct pg_entry {
    uint8_t *at; /* key, then the encoded row; the entry's holder frees it */
    uint32_t key_len, row_len;
};

struct pg_table {
    FL_VEC(struct pg_entry) entries; /* sorted by key */
};

/* A longer key: with a big-endian number of so many bytes, with bytes. */
struct row_key pg_key_add(struct row_key key, uint64_t v, size_t bytes);
struct row_key pg_key_add_bytes(struct row_key key, const void *ptr, size_t len);

/* Keeps the row's fields that are columns of its table, or of open_job.  A NULL row makes an entry
 * that says that the key has no row: its row_len is 0. */
struct pg_entry pg_entry_make(const struct row_key *key, const struct row *row, bool is_open_job);
struct row_key pg_entry_key(const struct pg_entry *entry);
struct row pg_entry_row(const struct pg_entry *entry); /* its strings are the entry's */
uint64_t pg_entry_job(const struct pg_entry *entry);   /* the key begins with a job */

/* The place of the key, or where it would go. */
size_t pg_table_seek(const struct pg_table *table, const struct row_key *key, bool *ret_is_there);
bool pg_table_has(const struct pg_table *table, const struct row_key *key);
bool pg_table_find(const struct pg_table *table, const struct row_key *key, struct row *ret_row);

/* Puts an entry in place of the key's old one, which is the caller's now; one without a row takes
 * the key's away. */
struct pg_entry pg_table_set(struct pg_table *table, struct pg_entry entry);
void pg_table_fini(struct pg_table *table);
