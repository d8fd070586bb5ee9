#include "tests/sim/pg_table.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/buf.h"

static void key_add(struct pg_key *key, uint64_t v, uint32_t bytes)
{
    fl_assert(key->len + bytes <= PG_KEY_BYTES_MAX);
    for (uint32_t i = 0; i < bytes; i++) {
        key->at[key->len++] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
    }
}

struct pg_key pg_key(uint64_t a, uint32_t a_bytes, uint64_t b, uint32_t b_bytes)
{
    struct pg_key key;

    key.len = 0;
    key_add(&key, a, a_bytes);
    key_add(&key, b, b_bytes);
    return key;
}

static void key_add_bytes(struct pg_key *key, const void *ptr, size_t len)
{
    fl_assert(key->len + len <= PG_KEY_BYTES_MAX);
    if (len > 0) memcpy(&key->at[key->len], ptr, len);
    key->len += (uint32_t)len;
}

struct pg_key pg_key_bytes(const void *ptr, size_t len)
{
    struct pg_key key = {.len = 0};

    key_add_bytes(&key, ptr, len);
    return key;
}

#define KEY_NUMBER(name) key_add(&key, r->name, sizeof r->name);
#define KEY_job KEY_NUMBER
#define KEY_u8 KEY_NUMBER
#define KEY_u16 KEY_NUMBER
#define KEY_u32 KEY_NUMBER
#define KEY_digest(name) key_add_bytes(&key, r->name.at, sizeof r->name.at);

struct pg_key pg_key_of(const struct row *row)
{
    struct pg_key key;

    key.len = 0;
    switch (row->kind) {
#define K(type, name) KEY_##type(name)
#define KB(type, name, max) key_add_bytes(&key, r->name.at, r->name.len);
#define F(type, name)
#define B(type, name, max)
#define ROW ROW_CASE
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    return key;
}

#define DROP(name) memset(&r->name, 0, sizeof r->name)

struct row pg_kept(const struct row *row, bool is_open_job)
{
    struct row kept = *row;

    switch (kept.kind) {
#define K(type, name)
#define KB(type, name, max)
#define L(type, name)
#define O(type, name)                                                                              \
    if (!is_open_job) DROP(name);
#define J(type, name) DROP(name);
#define F(type, name)                                                                              \
    if (is_open_job) DROP(name);
#define B(type, name, max)                                                                         \
    if (is_open_job) DROP(name);
#define ROW(name_, number, fold, table, fields)                                                    \
    case ROW_##name_: {                                                                            \
        struct row_##name_ *r = &kept.name_;                                                       \
        (void)r;                                                                                   \
        fields                                                                                     \
    } break;
#include "controlplane/core/rows.def"
    case ROW_unknown:
        break;
    }
    return kept;
}

static int entry_cmp(const struct pg_entry *entry, const struct pg_key *key)
{
    uint32_t len = entry->key_len < key->len ? entry->key_len : key->len;
    int diff = memcmp(entry->at, key->at, len);

    if (diff) return diff;
    return (entry->key_len > key->len) - (entry->key_len < key->len);
}

size_t pg_table_seek(const struct pg_table *table, const struct pg_key *key, bool *ret_is_there)
{
    size_t low = 0;
    size_t end = table->entries.len;

    /* Keys are mostly counted up: look at the end first. */
    if (end && entry_cmp(&table->entries.at[end - 1], key) < 0) low = end;
    while (low < end) {
        size_t mid = low + (end - low) / 2;

        if (entry_cmp(&table->entries.at[mid], key) < 0) {
            low = mid + 1;
        } else {
            end = mid;
        }
    }
    *ret_is_there = low < table->entries.len && entry_cmp(&table->entries.at[low], key) == 0;
    return low;
}

bool pg_table_has(const struct pg_table *table, const struct pg_key *key)
{
    bool is_there;

    pg_table_seek(table, key, &is_there);
    return is_there;
}

struct row pg_entry_row(const struct pg_entry *entry)
{
    struct fl_reader reader = fl_reader(entry->at + entry->key_len, entry->row_len);
    struct fl_err err = {0};
    struct row row;

    fl_assert(row_decode(&reader, &row, &err) && fl_reader_is_done(&reader));
    return row;
}

bool pg_table_find(const struct pg_table *table, const struct pg_key *key, struct row *ret_row)
{
    bool is_there;
    size_t i = pg_table_seek(table, key, &is_there);

    if (is_there && ret_row) *ret_row = pg_entry_row(&table->entries.at[i]);
    return is_there;
}

struct pg_entry pg_entry_make(const struct pg_key *key, const void *row, size_t row_len)
{
    struct pg_entry entry = {.key_len = key->len, .row_len = (uint32_t)row_len};

    entry.at = malloc(key->len + row_len);
    fl_assert(entry.at);
    memcpy(entry.at, key->at, key->len);
    if (row_len) memcpy(entry.at + key->len, row, row_len);
    return entry;
}

uint64_t pg_entry_job(const struct pg_entry *entry)
{
    uint64_t job = 0;

    for (uint32_t i = 0; i < 8; i++) {
        job = job << 8 | entry->at[i];
    }
    return job;
}

void pg_table_put(struct pg_table *table, const struct pg_key *key, const void *row, size_t row_len)
{
    bool is_there;
    size_t i = pg_table_seek(table, key, &is_there);

    if (is_there) {
        free(table->entries.at[i].at);
        table->entries.at[i] = pg_entry_make(key, row, row_len);
    } else {
        fl_vec_insert(&table->entries, i, pg_entry_make(key, row, row_len));
    }
}

void pg_table_remove(struct pg_table *table, const struct pg_key *key)
{
    bool is_there;
    size_t i = pg_table_seek(table, key, &is_there);

    if (!is_there) return;
    free(table->entries.at[i].at);
    fl_vec_remove(&table->entries, i);
}

void pg_table_fini(struct pg_table *table)
{
    for (size_t i = 0; i < table->entries.len; i++) {
        free(table->entries.at[i].at);
    }
    fl_vec_fini(&table->entries);
}
