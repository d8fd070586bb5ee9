#include "tests/sim/pg_table.h"

#include <endian.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"

struct row_key pg_key_add_bytes(struct row_key key, const void *ptr, size_t len)
{
    fl_assert(key.len + len <= sizeof key.at);
    if (len > 0) memcpy(&key.at[key.len], ptr, len);
    key.len += (uint32_t)len;
    return key;
}

struct row_key pg_key_add(struct row_key key, uint64_t v, size_t bytes)
{
    uint64_t be = htobe64(v);

    return pg_key_add_bytes(key, (const char *)&be + sizeof be - bytes, bytes);
}

/* Without the fields that the row's table has no columns for, or that open_job has none for. */
static struct row kept_of(const struct row *row, bool is_open_job)
{
    static const struct fl_digest none;
    struct row_info info = row_info(row->kind);
    struct row kept = *row;

    for (size_t i = 0; i < info.len; i++) {
        const struct row_field *field = &info.fields[i];
        bool is_digest = field->type == ROW_TYPE_digest;

        if (is_open_job ? field->is_in_open_job : field->is_in_table) continue;
        if (row_number_bytes(field) > 0) {
            row_set_number(&kept, field, 0);
        } else if (field->type < ROW_TYPE_COUNT) {
            fl_assert(row_set_bytes(&kept, field,
                                    (struct fl_str){(const char *)none.at, is_digest ? 32 : 0}));
        }
    }
    return kept;
}

static int entry_cmp(const struct pg_entry *entry, const struct row_key *key)
{
    uint32_t len = entry->key_len < key->len ? entry->key_len : key->len;
    int diff = memcmp(entry->at, key->at, len);

    if (diff) return diff;
    return (entry->key_len > key->len) - (entry->key_len < key->len);
}

size_t pg_table_seek(const struct pg_table *table, const struct row_key *key, bool *ret_is_there)
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

bool pg_table_has(const struct pg_table *table, const struct row_key *key)
{
    bool is_there;

    pg_table_seek(table, key, &is_there);
    return is_there;
}

struct row_key pg_entry_key(const struct pg_entry *entry)
{
    return pg_key_add_bytes((struct row_key){0}, entry->at, entry->key_len);
}

struct row pg_entry_row(const struct pg_entry *entry)
{
    struct fl_reader reader = fl_reader(entry->at + entry->key_len, entry->row_len);
    struct fl_err err = {0};
    struct row row;

    fl_assert(row_decode(&reader, &row, &err) && fl_reader_is_done(&reader));
    return row;
}

bool pg_table_find(const struct pg_table *table, const struct row_key *key, struct row *ret_row)
{
    bool is_there;
    size_t i = pg_table_seek(table, key, &is_there);

    if (is_there && ret_row) *ret_row = pg_entry_row(&table->entries.at[i]);
    return is_there;
}

struct pg_entry pg_entry_make(const struct row_key *key, const struct row *row, bool is_open_job)
{
    struct pg_entry entry = {.key_len = key->len};
    struct row kept = row ? kept_of(row, is_open_job) : (struct row){0};
    struct fl_buf bytes;

    fl_buf_init(&bytes, (size_t)16 << 20);
    fl_assert(fl_buf_put(&bytes, key->at, key->len) && (!row || row_encode(&bytes, &kept)));
    entry.row_len = (uint32_t)(bytes.len - key->len);
    entry.at = fl_realloc_array(bytes.at, uint8_t, bytes.len + 1);
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

struct pg_entry pg_table_set(struct pg_table *table, struct pg_entry entry)
{
    struct row_key key = pg_entry_key(&entry);
    bool is_there;
    size_t i = pg_table_seek(table, &key, &is_there);
    struct pg_entry old = is_there ? table->entries.at[i] : pg_entry_make(&key, NULL, false);

    if (entry.row_len == 0) {
        fl_free(entry.at);
        if (is_there) fl_vec_remove(&table->entries, i);
    } else if (is_there) {
        table->entries.at[i] = entry;
    } else {
        fl_vec_insert(&table->entries, i, entry);
    }
    return old;
}

void pg_table_fini(struct pg_table *table)
{
    for (size_t i = 0; i < table->entries.len; i++) {
        fl_free(table->entries.at[i].at);
    }
    fl_vec_fini(&table->entries);
}
