/* The records of an EXEC or FORWARD stream. */
#include "shared/wire/visit.h"

#include "tests/fl_test.h"

static struct fl_visit_reader reader;

static void records_are_read_as_they_were_written_however_they_are_cut(void **state)
{
    struct fl_str words[] = {FL_STR("ls"), FL_STR(""), FL_STR("-l")}, got[FL_VISIT_WORDS_MAX];
    struct fl_visit_open open = {.attempt = {{77}, 3, 2, 1},
                                 .replica = 5,
                                 .has_tty = true,
                                 .size = {24, 80},
                                 .term = FL_STR("xterm"),
                                 .words = words,
                                 .words_len = 3};
    struct fl_visit_status status = {FL_OK, 7, FL_STR("")};
    struct fl_buf out;

    (void)state;
    fl_buf_init(&out, 1 << 16);
    assert_true(fl_visit_put_open(&out, &open));
    assert_true(fl_visit_put(&out, FL_VISIT_STDIN, FL_STR("hello")));
    assert_true(fl_visit_put_size(&out, (struct fl_visit_size){50, 132}));
    assert_true(fl_visit_put_status(&out, &status));
    for (size_t step = 1; step <= out.len; step++) {
        unsigned records = 0;

        reader.len = 0;
        for (size_t at = 0; at < out.len; at += step) {
            struct fl_str part = {(const char *)out.at + at,
                                  out.len - at < step ? out.len - at : step};
            struct fl_visit_record record;
            struct fl_visit_open read_open;
            struct fl_visit_size size;
            struct fl_visit_status read_status;
            struct fl_err err = {0};
            enum fl_visit_answer answer;

            while ((answer = fl_visit_next(&reader, &part, &record, &err)) == FL_VISIT_READY) {
                switch (records++) {
                case 0:
                    assert_true(fl_visit_read_open(record.bytes, got, &read_open, &err));
                    assert_true(fl_attempt_is_same(read_open.attempt, open.attempt));
                    assert_int_equal(read_open.words_len, 3);
                    assert_true(fl_str_eq(got[2], FL_STR("-l")));
                    assert_true(fl_str_eq(read_open.term, FL_STR("xterm")));
                    assert_true(read_open.has_tty && read_open.replica == 5);
                    break;
                case 1:
                    assert_true(fl_str_eq(record.bytes, FL_STR("hello")));
                    break;
                case 2:
                    assert_true(fl_visit_read_size(record.bytes, &size, &err));
                    assert_true(size.rows == 50 && size.columns == 132);
                    break;
                default:
                    assert_true(fl_visit_read_status(record.bytes, &read_status, &err));
                    assert_int_equal(read_status.exit_code, 7);
                }
            }
            assert_int_equal(answer, FL_VISIT_MORE);
        }
        assert_int_equal(records, 4);
    }
    fl_buf_fini(&out);
}

static void an_unknown_channel_and_a_record_that_is_too_long_are_refused(void **state)
{
    static const char *const bad[] = {"\x05\x00\x00", "\xfe\x01\x00", "\x00\x01\x80"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fl_str bytes = {bad[i], 3};
        struct fl_visit_record record;
        struct fl_err err = {0};

        reader.len = 0;
        assert_int_equal(fl_visit_next(&reader, &bytes, &record, &err), FL_VISIT_BAD);
        assert_int_equal(err.code, FL_INVALID);
    }
}

static void an_open_with_a_zero_byte_in_a_word_or_too_many_words_is_refused(void **state)
{
    struct fl_str word = {"a\0b", 3}, words[FL_VISIT_WORDS_MAX + 1], got[FL_VISIT_WORDS_MAX];
    struct fl_visit_open open = {.words = &word, .words_len = 1}, read;
    struct fl_err err = {0};
    struct fl_buf out;

    (void)state;
    fl_buf_init(&out, 1 << 16);
    assert_true(fl_visit_put_open(&out, &open));
    assert_false(fl_visit_read_open((struct fl_str){(const char *)out.at + 3, out.len - 3}, got,
                                    &read, &err));
    for (size_t i = 0; i <= FL_VISIT_WORDS_MAX; i++) {
        words[i] = FL_STR("x");
    }
    open.words = words;
    open.words_len = FL_VISIT_WORDS_MAX + 1;
    fl_buf_clear(&out);
    assert_true(fl_visit_put_open(&out, &open));
    assert_false(fl_visit_read_open((struct fl_str){(const char *)out.at + 3, out.len - 3}, got,
                                    &read, &err));
    fl_buf_fini(&out);
}

static void files_are_asked_for_by_one_path_and_nothing_else(void **state)
{
    struct fl_str words[2] = {FL_STR("out/model"), FL_STR("x")}, got[FL_VISIT_WORDS_MAX];
    struct fl_visit_open open = {.words = words,
                                 .words_len = 1,
                                 .is_files = true,
                                 .is_list = true,
                                 .offset = (uint64_t)5 << 40,
                                 .crc = 0xfffffff1},
                         bad[] = {open, open, open, open}, read;
    struct fl_err err = {0};
    struct fl_buf out;

    (void)state;
    fl_buf_init(&out, 1 << 16);
    assert_true(fl_visit_put_open(&out, &open));
    assert_true(fl_visit_read_open((struct fl_str){(const char *)out.at + 3, out.len - 3}, got,
                                   &read, &err));
    assert_true(read.is_files && read.is_list && !read.has_tty);
    assert_true(read.offset == open.offset && read.crc == open.crc);
    bad[0].words_len = 2;
    bad[1].has_tty = true;
    bad[2].port = 80;
    bad[3].is_files = false; /* a list of nothing */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fl_buf_clear(&out);
        assert_true(fl_visit_put_open(&out, &bad[i]));
        assert_false(fl_visit_read_open((struct fl_str){(const char *)out.at + 3, out.len - 3}, got,
                                        &read, &err));
    }
    fl_buf_fini(&out);
}

FL_TESTS(cmocka_unit_test(files_are_asked_for_by_one_path_and_nothing_else),
         cmocka_unit_test(records_are_read_as_they_were_written_however_they_are_cut),
         cmocka_unit_test(an_unknown_channel_and_a_record_that_is_too_long_are_refused),
         cmocka_unit_test(an_open_with_a_zero_byte_in_a_word_or_too_many_words_is_refused))
