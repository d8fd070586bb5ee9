#include "shared/base/amounts.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/hash.h"
#include "shared/base/resource_name.h"

/* The first place whose name is not less; lists are short. */
static size_t place_of(const struct fl_amounts *amounts, struct fl_str name)
{
    size_t i = 0;

    while (i < amounts->len && fl_str_cmp(amounts->at[i].name, name) < 0) {
        i++;
    }
    return i;
}

static bool is_at(const struct fl_amounts *amounts, size_t i, struct fl_str name)
{
    return i < amounts->len && fl_str_eq(amounts->at[i].name, name);
}

uint64_t fl_amounts_of(const struct fl_amounts *amounts, struct fl_str name)
{
    size_t i = place_of(amounts, name);

    return is_at(amounts, i, name) ? amounts->at[i].n : 0;
}

void fl_amounts_set(struct fl_amounts *amounts, struct fl_amount amount, struct fl_arena *arena)
{
    size_t i = place_of(amounts, amount.name);
    bool is_there = is_at(amounts, i, amount.name);

    if (is_there && amount.n > 0) {
        amounts->at[i].n = amount.n;
    } else if (is_there) {
        amounts->len--;
        memmove(&amounts->at[i], &amounts->at[i + 1], (amounts->len - i) * sizeof *amounts->at);
    } else if (amount.n > 0) {
        fl_arena_push(arena, amounts, amount);
        memmove(&amounts->at[i + 1], &amounts->at[i], (amounts->len - 1 - i) * sizeof *amounts->at);
        amounts->at[i] = amount;
    }
}

bool fl_amounts_are_same(const struct fl_amounts *a, const struct fl_amounts *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        if (a->at[i].n != b->at[i].n || !fl_str_eq(a->at[i].name, b->at[i].name)) return false;
    }
    return true;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static size_t bytes_of(const struct fl_amounts *amounts)
{
    size_t bytes = amounts->len * sizeof *amounts->at;

    for (size_t i = 0; i < amounts->len; i++) {
        bytes += amounts->at[i].name.len;
    }
    return bytes;
}

/* Into a block of bytes_of: the list, and the names behind it. */
static struct fl_amounts copy_into(void *block, const struct fl_amounts *amounts)
{
    struct fl_amounts copy = {.at = block, .len = amounts->len, .cap = amounts->len};
    char *names = (char *)(copy.at + copy.len);

    for (size_t i = 0; i < copy.len; i++) {
        struct fl_str name = amounts->at[i].name;

        memcpy(names, name.at, name.len);
        copy.at[i] = (struct fl_amount){{names, name.len}, amounts->at[i].n};
        names += name.len;
    }
    return copy;
}

struct fl_amounts fl_amounts_copy(const struct fl_amounts *amounts, struct fl_arena *arena)
{
    if (amounts->len == 0) return (struct fl_amounts){0};
    return copy_into(fl_arena_alloc(arena, bytes_of(amounts)), amounts);
}

struct fl_amounts fl_amounts_clone(const struct fl_amounts *amounts)
{
    if (amounts->len == 0) return (struct fl_amounts){0};
    return copy_into(fl_alloc(bytes_of(amounts)), amounts);
}

void fl_amounts_free(struct fl_amounts *clone)
{
    fl_free(clone->at);
    *clone = (struct fl_amounts){0};
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A list with the names of both; it has only one when there is nothing new. */
static void take_names(struct fl_amounts *sum, const struct fl_amounts *more)
{
    struct fl_arena arena = {0};
    struct fl_amounts all = {0}, clone;

    for (size_t i = 0; i < sum->len; i++) {
        fl_amounts_set(&all, sum->at[i], &arena);
    }
    for (size_t i = 0; i < more->len; i++) {
        struct fl_amount none = {more->at[i].name, 1};
        size_t at = place_of(&all, none.name);

        if (is_at(&all, at, none.name)) continue;
        fl_amounts_set(&all, none, &arena);
        all.at[place_of(&all, none.name)].n = 0;
    }
    clone = fl_amounts_clone(&all);
    fl_arena_fini(&arena);
    fl_amounts_free(sum);
    *sum = clone;
}

static bool has_names(const struct fl_amounts *sum, const struct fl_amounts *more)
{
    for (size_t i = 0; i < more->len; i++) {
        if (!is_at(sum, place_of(sum, more->at[i].name), more->at[i].name)) return false;
    }
    return true;
}

static void drop_nothing(struct fl_amounts *sum)
{
    size_t kept = 0;

    for (size_t i = 0; i < sum->len; i++) {
        if (sum->at[i].n > 0) sum->at[kept++] = sum->at[i];
    }
    sum->len = kept;
    if (kept == 0) fl_amounts_free(sum);
}

void fl_amounts_sum_add(struct fl_amounts *sum, const struct fl_amounts *more)
{
    if (more->len == 0) return;
    if (!has_names(sum, more)) take_names(sum, more);
    for (size_t i = 0; i < more->len; i++) {
        sum->at[place_of(sum, more->at[i].name)].n += more->at[i].n;
    }
    drop_nothing(sum);
}

void fl_amounts_sum_take(struct fl_amounts *sum, const struct fl_amounts *less)
{
    if (less->len == 0) return;
    if (!has_names(sum, less)) take_names(sum, less);
    for (size_t i = 0; i < less->len; i++) {
        sum->at[place_of(sum, less->at[i].name)].n -= less->at[i].n;
    }
    drop_nothing(sum);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

void fl_amounts_put(struct fl_buf *out, const struct fl_amounts *amounts)
{
    fl_buf_put_var(out, amounts->len);
    for (size_t i = 0; i < amounts->len; i++) {
        fl_buf_put_str(out, amounts->at[i].name);
        fl_buf_put_var(out, amounts->at[i].n);
    }
}

bool fl_amounts_read(struct fl_reader *reader, size_t len_max, struct fl_arena *arena,
                     struct fl_amounts *ret_amounts)
{
    struct fl_amounts amounts = {0};
    uint64_t len = fl_read_var(reader);

    for (uint64_t i = 0; i < len; i++) {
        struct fl_str name = fl_read_bytes(reader, FL_RESOURCE_NAME_BYTES_MAX);
        uint64_t n = fl_read_var(reader);

        if (reader->is_bad || i == len_max || n == 0 || n > FL_AMOUNT_MAX ||
            !fl_is_resource_name(name) ||
            (i > 0 && fl_str_cmp(amounts.at[i - 1].name, name) >= 0)) {
            return false;
        }
        fl_arena_push(arena, &amounts, (struct fl_amount){name, n});
    }
    if (reader->is_bad) return false;
    *ret_amounts = amounts;
    return true;
}

uint64_t fl_amounts_hash(uint64_t so_far, const struct fl_amounts *amounts)
{
    for (size_t i = 0; i < amounts->len; i++) {
        so_far = fl_hash64(so_far, amounts->at[i].name.at, amounts->at[i].name.len);
        so_far = fl_hash_u64(so_far, amounts->at[i].n);
    }
    return so_far;
}
