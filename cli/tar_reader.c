#include "cli/tar_reader.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"

enum state {
    HEAD,      /* gathers a block */
    EXTENSION, /* gathers a long name, or pax's records */
    BYTES,     /* a file's */
    FILLER,
    OVER,
};

/* A field of the head. */
struct field {
    size_t at, len;
};

static const struct field NAME = {0, 100}, MODE = {100, 8}, SIZE = {124, 12}, MTIME = {136, 12},
                          CHECKSUM = {148, 8}, PREFIX = {345, 155};
enum { TYPE_AT = 156, MAGIC_AT = 257 };

void tar_reader_init(struct tar_reader *reader, const struct tar_reader_port *port)
{
    *reader = (struct tar_reader){.port = *port};
    fl_buf_init(&reader->extension, TAR_EXTENSION_BYTES_MAX);
}

void tar_reader_fini(struct tar_reader *reader)
{
    fl_buf_fini(&reader->extension);
}

/* ---- a head ---------------------------------------------------------------------------------- */

static struct fl_str text_of(const uint8_t *block, struct field field)
{
    const char *at = (const char *)block + field.at;

    return (struct fl_str){at, strnlen(at, field.len)};
}

/* Octal, with spaces around it; or, with the first bit set, 64 bits of a large number. */
static bool number_of(const uint8_t *block, struct field field, uint64_t *ret)
{
    const uint8_t *at = block + field.at;
    size_t i = 0;

    *ret = 0;
    if (at[0] & 0x80) {
        for (i = 1; i < field.len; i++) {
            if (*ret >> 55) return false;
            *ret = *ret << 8 | at[i];
        }
        return at[0] == 0x80;
    }
    while (i < field.len && at[i] == ' ') {
        i++;
    }
    for (; i < field.len && at[i] >= '0' && at[i] <= '7'; i++) {
        *ret = *ret << 3 | (at[i] & 7u);
    }
    return i == field.len || at[i] == 0 || at[i] == ' ';
}

static bool is_all_zero(const uint8_t *block)
{
    for (size_t i = 0; i < TAR_BLOCK_BYTES; i++) {
        if (block[i]) return false;
    }
    return true;
}

static bool has_its_checksum(const uint8_t *block)
{
    uint64_t wanted, sum = 0;

    for (size_t i = 0; i < TAR_BLOCK_BYTES; i++) {
        bool is_own = i >= CHECKSUM.at && i < CHECKSUM.at + CHECKSUM.len;

        sum += is_own ? ' ' : block[i];
    }
    return number_of(block, CHECKSUM, &wanted) && wanted == sum;
}

static bool set_path(struct tar_reader *reader, struct fl_str path, struct fl_err *err)
{
    path.len = strnlen(path.at, path.len);
    if (path.len == 0 || path.len > TAR_PATH_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "the archive has a path of %zu bytes; at most %d can be",
                       path.len, TAR_PATH_BYTES_MAX);
    }
    memcpy(reader->path, path.at, path.len);
    reader->path[path.len] = 0;
    return true;
}

static bool path_of(struct tar_reader *reader, struct fl_err *err)
{
    struct fl_str name = text_of(reader->block, NAME), prefix = {0};
    char joined[256 + 1];
    int len;

    if (reader->path[0]) return true;
    if (memcmp(reader->block + MAGIC_AT, "ustar\0", 6) == 0) {
        prefix = text_of(reader->block, PREFIX);
    }
    len = snprintf(joined, sizeof joined, "%.*s%s%.*s", (int)prefix.len, prefix.at,
                   prefix.len > 0 ? "/" : "", (int)name.len, name.at);
    return set_path(reader, (struct fl_str){joined, (size_t)len}, err);
}

static enum tar_kind kind_of(char type)
{
    switch (type) {
    case 0:
    case '0':
    case '7': /* contiguous: a file to us */
        return TAR_FILE;
    case '5':
        return TAR_FOLDER;
    case '1':
    case '2':
        return TAR_LINK;
    default:
        return TAR_OTHER;
    }
}

static bool is_extension(char type)
{
    return type == 'L' || type == 'K' || type == 'x' || type == 'g';
}

static void skip(struct tar_reader *reader, uint64_t bytes)
{
    reader->left = 0;
    reader->filler = bytes;
    reader->state = bytes > 0 ? FILLER : HEAD;
}

static bool begin_extension(struct tar_reader *reader, char type, uint64_t size, struct fl_err *err)
{
    if (size > TAR_EXTENSION_BYTES_MAX) {
        return fl_fail(err, FL_TOO_LARGE,
                       "the archive has an extension of %llu bytes; at most %d can be",
                       (unsigned long long)size, TAR_EXTENSION_BYTES_MAX);
    }
    fl_buf_clear(&reader->extension);
    reader->extension_type = type;
    if (size > 0) reader->state = EXTENSION;
    return true;
}

static bool begin_entry(struct tar_reader *reader, char type, uint64_t size, struct fl_err *err)
{
    struct tar_entry entry = {.kind = kind_of(type), .path = reader->path};
    uint64_t mode, mtime;

    if (!path_of(reader, err)) return false;
    if (!number_of(reader->block, MODE, &mode) || !number_of(reader->block, MTIME, &mtime)) {
        mode = 0644;
        mtime = 0;
    }
    if (reader->has_size) size = reader->size;
    reader->has_size = false;
    entry.mode = (uint32_t)(mode & 0777);
    entry.mtime = (int64_t)mtime;
    /* A link's size counts no bytes of this archive. */
    reader->left = entry.kind == TAR_LINK ? 0 : size;
    reader->filler = -reader->left % TAR_BLOCK_BYTES;
    if (entry.kind == TAR_FILE) entry.size = size;
    if (!reader->port.entry(reader->port.ctx, &entry, err)) return false;
    reader->path[0] = 0;
    if (entry.kind != TAR_FILE) {
        skip(reader, reader->left + reader->filler);
        return true;
    }
    if (size > 0) {
        reader->state = BYTES;
        return true;
    }
    return reader->port.end(reader->port.ctx, err);
}

static bool take_head(struct tar_reader *reader, struct fl_err *err)
{
    char type = (char)reader->block[TYPE_AT];
    uint64_t size;

    if (is_all_zero(reader->block)) {
        reader->state = OVER;
        return true;
    }
    if (!has_its_checksum(reader->block) || !number_of(reader->block, SIZE, &size) || size >> 62) {
        return fl_fail(err, FL_TORN, "this is no tar archive, or it is damaged");
    }
    if (!is_extension(type)) return begin_entry(reader, type, size, err);
    reader->left = size;
    reader->filler = -size % TAR_BLOCK_BYTES;
    return begin_extension(reader, type, size, err);
}

/* ---- extensions, which stand before a head --------------------------------------------------- */

static bool take_pax_value(struct tar_reader *reader, struct fl_str key, struct fl_str value,
                           struct fl_err *err)
{
    if (fl_str_eq(key, FL_STR("path"))) return set_path(reader, value, err);
    if (!fl_str_eq(key, FL_STR("size"))) return true;
    reader->has_size = fl_str_parse_u64(value, &reader->size) && reader->size >> 62 == 0;
    if (reader->has_size) return true;
    return fl_fail(err, FL_TORN, "the archive has a size that is no number");
}

/* "17 path=a/long/name\n": its own length, a key, a value. */
static bool take_pax(struct tar_reader *reader, struct fl_err *err)
{
    struct fl_str rest = {(const char *)reader->extension.at, reader->extension.len};

    while (rest.len > 0) {
        const char *space = memchr(rest.at, ' ', rest.len), *equals = NULL;
        uint64_t len = 0;

        if (!space ||
            !fl_str_parse_u64((struct fl_str){rest.at, (size_t)(space - rest.at)}, &len) ||
            len > rest.len || len < (size_t)(space - rest.at) + 3 || rest.at[len - 1] != '\n' ||
            !(equals = memchr(space, '=', (size_t)(rest.at + len - space)))) {
            return fl_fail(err, FL_TORN, "the archive has a malformed record of pax");
        }
        if (!take_pax_value(reader, (struct fl_str){space + 1, (size_t)(equals - space - 1)},
                            (struct fl_str){equals + 1, (size_t)(rest.at + len - 1 - (equals + 1))},
                            err)) {
            return false;
        }
        rest.at += len;
        rest.len -= len;
    }
    return true;
}

static bool take_extension(struct tar_reader *reader, struct fl_err *err)
{
    struct fl_str text = {(const char *)reader->extension.at, reader->extension.len};

    if (reader->extension_type == 'L') return set_path(reader, text, err);
    return reader->extension_type != 'x' || take_pax(reader, err);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static size_t min_of(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/* Takes some of the bytes; '*ret_len' is how many. */
static bool take(struct tar_reader *reader, struct fl_str bytes, size_t *ret_len,
                 struct fl_err *err)
{
    size_t len;

    switch ((enum state)reader->state) {
    case HEAD:
        len = min_of(TAR_BLOCK_BYTES - reader->block_len, bytes.len);
        memcpy(reader->block + reader->block_len, bytes.at, len);
        reader->block_len += len;
        *ret_len = len;
        if (reader->block_len < TAR_BLOCK_BYTES) return true;
        reader->block_len = 0;
        return take_head(reader, err);
    case EXTENSION:
        len = *ret_len = min_of(reader->left, bytes.len);
        if (!fl_buf_put(&reader->extension, bytes.at, len)) fl_unreachable("its length was seen");
        reader->left -= len;
        if (reader->left > 0) return true;
        skip(reader, reader->filler);
        return take_extension(reader, err);
    case BYTES:
        len = *ret_len = min_of(reader->left, bytes.len);
        reader->left -= len;
        if (!reader->port.bytes(reader->port.ctx, (struct fl_str){bytes.at, len}, err)) {
            return false;
        }
        if (reader->left > 0) return true;
        skip(reader, reader->filler);
        return reader->port.end(reader->port.ctx, err);
    case FILLER:
        len = *ret_len = min_of(reader->filler, bytes.len);
        skip(reader, reader->filler - len);
        return true;
    case OVER:
        *ret_len = bytes.len;
        return true;
    }
    fl_unreachable("all states are listed");
}

bool tar_reader_put(struct tar_reader *reader, struct fl_str bytes, struct fl_err *err)
{
    while (bytes.len > 0) {
        size_t len;

        if (!take(reader, bytes, &len, err)) return false;
        bytes.at += len;
        bytes.len -= len;
    }
    return true;
}

bool tar_reader_end(const struct tar_reader *reader, struct fl_err *err)
{
    if (reader->state == OVER) return true;
    return fl_fail(err, FL_TORN, "the archive was cut off");
}
