/* Archives as tar programs write them, and as none should, whole and cut anywhere. */
#include "cli/tar_reader.h"

#include <stdio.h>
#include <string.h>

#include "tests/fl_test.h"

enum { ARCHIVE_BYTES_MAX = 1 << 18, TEXT_BYTES_MAX = 1 << 16 };

/* ---- archives -------------------------------------------------------------------------------- */

static void put_block(struct fl_buf *bytes, const void *at, size_t len)
{
    static const char zeros[TAR_BLOCK_BYTES] = {0};

    assert_true(fl_buf_put(bytes, at, len));
    assert_true(fl_buf_put(bytes, zeros, -len % TAR_BLOCK_BYTES));
}

/* For the next head, in a field of its own; empty: none. */
static const char *prefix = "";

/* A head with its checksum; 'size' is the field as it stands. */
static void put_head(struct fl_buf *bytes, const char *name, char type, const char size[12])
{
    char head[TAR_BLOCK_BYTES] = {0};
    unsigned sum = 8 * ' ';

    memcpy(head, name, strnlen(name, 100));
    memcpy(head + 100, "0000755", sizeof "0000755");
    memcpy(head + 124, size, 12);
    memcpy(head + 136, "14524770400", 12);
    head[156] = type;
    memcpy(head + 257, "ustar", sizeof "ustar");
    memcpy(head + 345, prefix, strnlen(prefix, 155));
    prefix = "";
    for (size_t i = 0; i < sizeof head; i++) {
        sum += i >= 148 && i < 156 ? 0 : (uint8_t)head[i];
    }
    snprintf(head + 148, 8, "%06o", sum);
    assert_true(fl_buf_put(bytes, head, sizeof head));
}

static void put_entry(struct fl_buf *bytes, const char *name, char type, const char *data)
{
    char size[24];

    snprintf(size, sizeof size, "%011zo", strlen(data));
    put_head(bytes, name, type, size);
    put_block(bytes, data, strlen(data));
}

static void put_end(struct fl_buf *bytes)
{
    char zeros[2 * TAR_BLOCK_BYTES] = {0};

    assert_true(fl_buf_put(bytes, zeros, sizeof zeros));
}

/* ---- reading --------------------------------------------------------------------------------- */

struct heard {
    struct fl_buf text;
    struct fl_err err;
    bool is_whole;
};

static void say(struct heard *heard, const char *text)
{
    assert_true(fl_buf_put(&heard->text, text, strlen(text)));
}

static bool on_entry(void *ctx, const struct tar_entry *entry, struct fl_err *err)
{
    static const char *const kinds[] = {"file", "folder", "link", "other"};
    char text[TAR_PATH_BYTES_MAX + 100];

    snprintf(text, sizeof text, "%s %s %o %lld %llu{", kinds[entry->kind], entry->path, entry->mode,
             (long long)entry->mtime, (unsigned long long)entry->size);
    say(ctx, text);
    if (strcmp(entry->path, "refused") == 0) return fl_fail(err, FL_DENIED, "not this one");
    return true;
}

static bool on_bytes(void *ctx, struct fl_str bytes, struct fl_err *err)
{
    struct heard *heard = ctx;

    (void)err;
    assert_true(bytes.len > 0);
    assert_true(fl_buf_put(&heard->text, bytes.at, bytes.len));
    return true;
}

static bool on_end(void *ctx, struct fl_err *err)
{
    (void)err;
    say(ctx, "}");
    return true;
}

static void hear(struct heard *heard, const struct fl_buf *bytes, size_t step)
{
    struct tar_reader_port port = {heard, on_entry, on_bytes, on_end};
    struct tar_reader reader;
    bool is_fine = true;

    *heard = (struct heard){0};
    fl_buf_init(&heard->text, TEXT_BYTES_MAX);
    tar_reader_init(&reader, &port);
    for (size_t at = 0; at < bytes->len && is_fine; at += step) {
        size_t len = bytes->len - at < step ? bytes->len - at : step;

        is_fine = tar_reader_put(&reader, (struct fl_str){(const char *)bytes->at + at, len},
                                 &heard->err);
    }
    heard->is_whole = is_fine && tar_reader_end(&reader, &heard->err);
    assert_true(fl_buf_put_u8(&heard->text, 0));
    tar_reader_fini(&reader);
}

/* 'bytes' is read in pieces of any size, and then freed. */
static void expect(struct fl_buf *bytes, const char *text, const char *error)
{
    for (size_t step = 1; step <= 1024; step = step < 16 ? step + 1 : step * 2 - 1) {
        struct heard heard;

        hear(&heard, bytes, step);
        assert_string_equal((const char *)heard.text.at, text);
        assert_string_equal(heard.err.text, error);
        assert_int_equal(heard.is_whole, error[0] == 0);
        fl_buf_fini(&heard.text);
    }
    fl_buf_fini(bytes);
}

static struct fl_buf archive(void)
{
    struct fl_buf bytes;

    fl_buf_init(&bytes, ARCHIVE_BYTES_MAX);
    return bytes;
}

/* ---- tests ----------------------------------------------------------------------------------- */

#define SAYS " 755 1700000000 "

static void each_entry_comes_with_its_bytes(void **state)
{
    struct fl_buf bytes = archive();

    (void)state;
    put_entry(&bytes, "a/", '5', "");
    put_entry(&bytes, "a/one", '0', "hello");
    put_entry(&bytes, "a/none", 0, "");
    put_entry(&bytes, "a/link", '2', "");
    put_entry(&bytes, "a/pipe", '6', "");
    put_end(&bytes);
    expect(&bytes,
           "folder a/" SAYS "0{file a/one" SAYS "5{hello}file a/none" SAYS "0{}link a/link" SAYS
           "0{other a/pipe" SAYS "0{",
           "");
}

static void what_stands_behind_the_end_is_dropped(void **state)
{
    struct fl_buf bytes = archive();

    (void)state;
    put_entry(&bytes, "one", '0', "1");
    put_end(&bytes);
    put_entry(&bytes, "two", '0', "2");
    expect(&bytes, "file one" SAYS "1{1}", "");
}

static void long_names_come_as_gnu_writes_them_and_as_pax_does(void **state)
{
    char name[301], text[400], pax[400];
    struct fl_buf bytes = archive();

    (void)state;
    memset(name, 'n', 300);
    name[300] = 0;
    put_entry(&bytes, "././@LongLink", 'K', "a long target");
    put_entry(&bytes, "././@LongLink", 'L', name);
    put_entry(&bytes, name, '0', "x");
    put_end(&bytes);
    snprintf(text, sizeof text, "file %s" SAYS "1{x}", name);
    expect(&bytes, text, "");
    bytes = archive();
    put_entry(&bytes, "global", 'g', "27 path=this is not for us\n");
    snprintf(pax, sizeof pax, "11 uid=100\n310 path=%s\n9 size=2\n", name);
    put_entry(&bytes, "PaxHeaders/x", 'x', pax);
    put_head(&bytes, "short", '0', "00000000000");
    put_block(&bytes, "ok", 2);
    put_entry(&bytes, "next", '0', "");
    put_end(&bytes);
    snprintf(text, sizeof text, "file %s" SAYS "2{ok}file next" SAYS "0{}", name);
    expect(&bytes, text, "");
}

static void a_prefix_is_the_names_first_part(void **state)
{
    struct fl_buf bytes = archive();

    (void)state;
    prefix = "a/b";
    put_entry(&bytes, "one", '0', "1");
    put_entry(&bytes, "two", '0', "2");
    put_end(&bytes);
    expect(&bytes, "file a/b/one" SAYS "1{1}file two" SAYS "1{2}", "");
}

static void a_large_number_has_bits_instead_of_digits(void **state)
{
    struct fl_buf bytes = archive();

    (void)state;
    put_head(&bytes, "five", '0', "\x80\0\0\0\0\0\0\0\0\0\0\5");
    put_block(&bytes, "12345", 5);
    put_end(&bytes);
    expect(&bytes, "file five" SAYS "5{12345}", "");
    bytes = archive();
    put_head(&bytes, "huge", '0', "\x80\0\0\0\xff\0\0\0\0\0\0\0");
    expect(&bytes, "", "this is no tar archive, or it is damaged");
    bytes = archive();
    put_head(&bytes, "negative", '0', "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
    expect(&bytes, "", "this is no tar archive, or it is damaged");
}

static void what_is_no_archive_ends_it(void **state)
{
    static const char *const records[] = {"",         "x",        "5 a=b",      "99 path=x\n",
                                          "3 =\n",    "6 path\n", "0 path=x\n", "12 size=none\n",
                                          "8 path=\n"};
    struct fl_buf bytes = archive();

    (void)state;
    put_entry(&bytes, "good", '0', "1");
    put_entry(&bytes, "bad", '0', "2");
    bytes.at[2 * TAR_BLOCK_BYTES + 5] ^= 1;
    expect(&bytes, "file good" SAYS "1{1}", "this is no tar archive, or it is damaged");
    bytes = archive();
    put_head(&bytes, "digits", '0', "0000000000x");
    expect(&bytes, "", "this is no tar archive, or it is damaged");
    for (size_t i = 1; i < sizeof records / sizeof *records; i++) {
        struct heard heard;

        bytes = archive();
        put_entry(&bytes, "pax", 'x', records[i]);
        put_entry(&bytes, "one", '0', "");
        put_end(&bytes);
        hear(&heard, &bytes, 100);
        assert_false(heard.is_whole);
        fl_buf_fini(&heard.text);
        fl_buf_fini(&bytes);
    }
}

static void a_cut_is_seen_wherever_it_is(void **state)
{
    struct fl_buf bytes = archive();
    size_t len;

    (void)state;
    put_entry(&bytes, "one", '0', "1");
    len = bytes.len;
    put_end(&bytes);
    for (size_t cut = 0; cut <= len; cut += 100) {
        struct heard heard;

        fl_buf_truncate(&bytes, cut);
        hear(&heard, &bytes, 64);
        assert_string_equal(heard.err.text, "the archive was cut off");
        fl_buf_fini(&heard.text);
        fl_buf_truncate(&bytes, 0);
        put_entry(&bytes, "one", '0', "1");
        put_end(&bytes);
    }
    fl_buf_fini(&bytes);
}

static void limits_hold(void **state)
{
    char name[TAR_PATH_BYTES_MAX + 2];
    struct fl_buf bytes = archive();

    (void)state;
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    put_entry(&bytes, "long", 'L', name);
    expect(&bytes, "", "the archive has a path of 4097 bytes; at most 4096 can be");
    bytes = archive();
    put_head(&bytes, "pax", 'x', "00000200001");
    expect(&bytes, "", "the archive has an extension of 65537 bytes; at most 65536 can be");
    bytes = archive();
    put_entry(&bytes, "", '0', "");
    expect(&bytes, "", "the archive has a path of 0 bytes; at most 4096 can be");
}

static void the_caller_may_end_it(void **state)
{
    struct fl_buf bytes = archive();

    (void)state;
    put_entry(&bytes, "refused", '0', "1");
    put_end(&bytes);
    expect(&bytes, "file refused" SAYS "1{", "not this one");
}

FL_TESTS(cmocka_unit_test(each_entry_comes_with_its_bytes),
         cmocka_unit_test(what_stands_behind_the_end_is_dropped),
         cmocka_unit_test(long_names_come_as_gnu_writes_them_and_as_pax_does),
         cmocka_unit_test(a_prefix_is_the_names_first_part),
         cmocka_unit_test(a_large_number_has_bits_instead_of_digits),
         cmocka_unit_test(what_is_no_archive_ends_it),
         cmocka_unit_test(a_cut_is_seen_wherever_it_is), cmocka_unit_test(limits_hold),
         cmocka_unit_test(the_caller_may_end_it))
