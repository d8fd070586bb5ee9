/* Answers of the kubelet, one after another, each cut into pieces of every size: the story is all
 * the output, with a gap as "<HH:MM:SS.mmm>". */
#include "agent/kube/kube_log_cursor.h"

#include <stdlib.h>

#include "shared/base/assert.h"
#include "tests/fl_test.h"

#define DAY "2026-01-02T"
#define AT(time) DAY "03:" time "Z "
#define LINE(time, text) AT(time) text "\n"

enum { STEPS_MAX = 8, STORY_MAX = 4096 };

struct answer {
    const char *now; /* NULL: the last one; "settle": nothing came for some time */
    const char *text;
    const char *later; /* comes at this time, in the same answer, with the text that is next */
};

struct play {
    struct kube_log_reader reader;
    char story[STORY_MAX];
    size_t len;
};

static fl_ms time_of(const char *time)
{
    char text[FL_TIME_TEXT_MAX];
    fl_ms at;

    snprintf(text, sizeof text, DAY "03:%sZ", time);
    fl_assert(fl_time_parse(fl_str_c(text), &at));
    return at;
}

static void tell(struct play *play, const struct kube_log_piece *piece)
{
    char time[FL_TIME_TEXT_MAX];

    if (piece->kind == KUBE_LOG_GAP) {
        fl_time_print(piece->time, time);
        play->len +=
            (size_t)snprintf(play->story + play->len, STORY_MAX - play->len, "<%.12s>", time + 11);
    } else {
        play->len += (size_t)snprintf(play->story + play->len, STORY_MAX - play->len, FL_STR_FMT,
                                      FL_STR_ARG(piece->bytes));
    }
    assert_true(play->len < STORY_MAX);
}

static void feed(struct play *play, const char *text, size_t size, const char *now)
{
    size_t len = strlen(text);
    struct kube_log_piece piece;

    for (size_t at = 0; at < len; at += size) {
        size_t part = len - at < size ? len - at : size;
        char *copy = malloc(part); /* so that a read behind its end is seen */
        struct fl_str bytes = {copy, part};

        memcpy(copy, text + at, part);
        while (kube_log_reader_next(&play->reader, &bytes, time_of(now), &piece)) {
            tell(play, &piece);
        }
        assert_int_equal(bytes.len, 0);
        free(copy);
    }
}

static void settle(struct play *play, const char *now)
{
    struct kube_log_piece piece;
    struct fl_str none = {0};

    kube_log_reader_settle(&play->reader);
    while (kube_log_reader_next(&play->reader, &none, time_of(now), &piece)) {
        tell(play, &piece);
    }
}

/* The agent dies behind each answer, and the next one has what the cursor says alone. */
static void restart(struct play *play)
{
    uint8_t bytes[KUBE_LOG_CURSOR_BYTES];
    struct kube_log_cursor cursor;

    kube_log_cursor_encode(&play->reader.cursor, bytes);
    kube_log_reader_fini(&play->reader);
    assert_true(kube_log_cursor_decode((struct fl_str){(char *)bytes, sizeof bytes}, &cursor));
    kube_log_reader_init(&play->reader, &cursor);
}

static void expect_from(const char *started, const struct answer *answers, const char *story)
{
    static const size_t sizes[] = {1, 2, 3, 7, 16, 100, 1 << 20};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct play play = {0};
        struct kube_log_cursor cursor = {.started_at = started ? time_of(started) : 0};
        const struct answer *answer = answers;

        kube_log_reader_init(&play.reader, &cursor);
        for (; answer->now; answer++) {
            restart(&play);
            kube_log_reader_begin(&play.reader, time_of(answer->now));
            feed(&play, answer->text, sizes[i], answer->now);
            for (; answer->later; answer++) {
                feed(&play, answer[1].text, sizes[i], answer->later);
            }
            settle(&play, answer->now ? answer->now : "59:59");
        }
        assert_string_equal(play.story, story);
        kube_log_reader_fini(&play.reader);
    }
}

static void expect(const struct answer *answers, const char *story)
{
    expect_from(NULL, answers, story);
}

static void the_lines_that_an_answer_repeats_are_dropped(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:09", LINE("00:01.5", "one") LINE("00:02", "two"), NULL},
                             {"00:09", LINE("00:01.5", "one") LINE("00:02", "two"), NULL},
                             {"00:09", LINE("00:02", "two") LINE("00:03", "three"), NULL},
                             {"00:09", LINE("00:03", "three"), NULL},
                             {0}},
           "one\ntwo\nthree\n");
}

static void lines_that_share_a_time_are_counted(void **state)
{
    (void)state;
    expect(
        (struct answer[]){{"00:09", LINE("00:01", "x") LINE("00:02", "x") LINE("00:02", "x"), NULL},
                          {"00:09",
                           LINE("00:01", "x") LINE("00:02", "x") LINE("00:02", "x")
                               LINE("00:02", "x") LINE("00:02", "y"),
                           NULL},
                          {"00:09",
                           LINE("00:01", "x") LINE("00:02", "x") LINE("00:02", "x") LINE(
                               "00:02", "x") LINE("00:02", "y") LINE("00:02", "") LINE("00:03", ""),
                           NULL},
                          {0}},
        "x\nx\nx\nx\ny\n\n\n");
}

static void a_line_that_was_cut_goes_on(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:09", LINE("00:01", "one") AT("00:02") "tw", NULL},
                             {"00:09", LINE("00:01", "one") AT("00:02"), NULL},
                             {"00:09", LINE("00:01", "one") AT("00:02") "two th", NULL},
                             {"00:09", LINE("00:01", "one") LINE("00:02", "two three"), NULL},
                             {0}},
           "one\ntwo three\n");
}

static void a_time_that_was_cut_is_no_output(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:09", LINE("00:01", "one") DAY "03:0", NULL},
                             {"00:09", LINE("00:01", "one") LINE("00:02", "two"), NULL},
                             {0}},
           "one\ntwo\n");
}

/* stdout and stderr are two writers of the runtime. */
static void lines_out_of_order_are_taken_once(void **state)
{
    (void)state;
    expect(
        (struct answer[]){
            {"00:09", LINE("00:03", "b") LINE("00:02", "a"), NULL},
            {"00:09", LINE("00:03", "b") LINE("00:02", "a") LINE("00:02.5", "c"), NULL},
            {"00:09", LINE("00:03", "b") LINE("00:02", "a") LINE("00:02.5", "c") LINE("00:04", "d"),
             NULL},
            {0}},
        "b\na\nc\nd\n");
}

static void a_last_line_that_was_rotated_away_leaves_a_gap(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:09", LINE("00:01", "one") LINE("00:02", "two"), NULL},
                             {"00:20", LINE("00:15.25", "ten") LINE("00:16", "eleven"), NULL},
                             {"00:20", LINE("00:16", "eleven") LINE("00:17", "twelve"), NULL},
                             {0}},
           "one\ntwo\n<03:00:15.250>ten\neleven\ntwelve\n");
}

/* They are so near that the last line might still come. */
static void new_lines_wait_until_the_search_is_given_up(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:09", LINE("00:01", "one"), NULL},
                             {"00:09",
                              LINE("00:01", "other") LINE("00:01.1", "two") AT("00:02") "th", NULL},
                             {"00:09", LINE("00:02", "three"), NULL},
                             {0}},
           "one\n<03:00:01.100>two\nthree\n");
}

static void a_line_of_the_same_time_and_length_is_another(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:09", LINE("00:01", "one"), NULL},
                             {"00:09", LINE("00:01", "two") LINE("00:09", "three"), NULL},
                             {0}},
           "one\n<03:00:09.000>three\n");
}

static void a_clock_that_goes_back_repeats_nothing(void **state)
{
    (void)state;
    expect(
        (struct answer[]){
            {"00:30", LINE("00:20", "a") LINE("00:10", "b") LINE("00:11", "c"), NULL},
            {"00:30", LINE("00:20", "a") LINE("00:10", "b") LINE("00:11", "c") LINE("00:12", "d"),
             NULL},
            {0}},
        "a\nb\nc\nd\n");
}

static void a_log_that_begins_late_begins_with_a_gap(void **state)
{
    static const struct answer late[] = {{"00:09", LINE("00:05", "five"), NULL}, {0}};
    static const struct answer in_time[] = {{"00:01", LINE("00:05", "five"), NULL}, {0}};
    static const struct answer early[] = {{"00:09", LINE("00:01", "one"), NULL}, {0}};

    (void)state;
    expect_from("00:00", late, "<03:00:05.000>five\n");
    expect_from("00:00", in_time, "five\n");
    expect_from("00:00", early, "one\n");
    expect_from(NULL, late, "five\n");
}

/* The answer began at 1; the lines of 1 and 2 came at 20, so that two rotations were possible. */
static void behind_a_pause_in_lines_that_come_late_it_is_asked_again(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:01", LINE("00:01", "a"), "00:20"},
                             {NULL, LINE("00:02", "b") LINE("00:12", "c"), NULL},
                             {"00:30", LINE("00:12", "c"), NULL},
                             {0}},
           "a\nb\n<03:00:12.000>c\n");
    expect((struct answer[]){{"00:01", LINE("00:01", "a"), "00:20"},
                             {NULL, LINE("00:02", "b") LINE("00:12", "c"), NULL},
                             {"00:30", LINE("00:02", "b") LINE("00:12", "c"), NULL},
                             {0}},
           "a\nb\nc\n");
}

/* A kubelet that sends one event after another has sent all of a file when two rotations overtake
 * it, so no line is late. */
static void behind_a_pause_in_many_lines_it_is_asked_again(void **state)
{
    static char text[KUBE_LOG_ROTATED_BYTES_MIN];
    struct kube_log_cursor cursor = {0};
    struct play play = {0};
    struct fl_str bytes = {text, sizeof text};
    struct kube_log_piece piece;

    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\n';
    kube_log_reader_init(&play.reader, &cursor);
    kube_log_reader_begin(&play.reader, time_of("00:01"));
    feed(&play, AT("00:02"), 100, "00:02");
    while (kube_log_reader_next(&play.reader, &bytes, time_of("00:02"), &piece)) {
        assert_true(piece.kind == KUBE_LOG_BYTES);
    }
    feed(&play, LINE("00:05", "b"), 100, "00:05");
    assert_true(kube_log_reader_is_doubtful(&play.reader));
    assert_string_equal(play.story, "");
    /* Its file is the same, but its node's clock is ahead: it is asked only once. */
    kube_log_reader_begin(&play.reader, time_of("00:02"));
    assert_false(kube_log_reader_is_doubtful(&play.reader));
    feed(&play, AT("00:02"), 100, "00:03");
    bytes = (struct fl_str){text, sizeof text};
    assert_false(kube_log_reader_next(&play.reader, &bytes, time_of("00:05"), &piece));
    feed(&play, LINE("00:05", "b"), 100, "00:05");
    assert_string_equal(play.story, "b\n");
    kube_log_reader_fini(&play.reader);
}

static void a_pause_in_few_lines_that_come_at_once_is_no_doubt(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:01", LINE("00:01", "a"), "00:02"},
                             {NULL, LINE("00:02", "b"), "00:12"},
                             {NULL, LINE("00:12", "c"), NULL},
                             {0}},
           "a\nb\nc\n");
}

static void a_pause_before_the_answer_began_is_no_doubt(void **state)
{
    (void)state;
    expect((struct answer[]){{"00:30", LINE("00:01", "a") LINE("00:10", "b"), NULL}, {0}},
           "a\nb\n");
}

static void a_complaint_of_the_kubelet_is_no_output(void **state)
{
    static const char text[] = "unable to retrieve container logs for containerd://1";
    struct kube_log_cursor cursor = {0};
    struct play play = {0};

    (void)state;
    kube_log_reader_init(&play.reader, &cursor);
    kube_log_reader_begin(&play.reader, time_of("00:01"));
    feed(&play, LINE("00:01", "a"), 3, "00:01");
    assert_string_equal(play.reader.complaint, "");
    feed(&play, text, 5, "00:01");
    assert_string_equal(play.reader.complaint, text);
    feed(&play, "\n" LINE("00:02", "b") "\n" LINE("99:02", "x"), 5, "00:01");
    assert_string_equal(play.story, "a\nb\n");
    assert_string_equal(play.reader.complaint, DAY "03:99:02Z x");
    kube_log_reader_fini(&play.reader);
}

static void times_are_read_in_every_form_of_rfc_3339(void **state)
{
    static const char *const same[] = {
        "2026-01-02T03:04:05.12Z ",
        "2026-01-02T03:04:05.120000000Z ",
        "2026-01-02T04:34:05.120+01:30 ",
        "2026-01-01T22:04:05.12-05:00 ",
    };
    static const char *const bad[] = {
        "2026-01-02T03:04:05 ",         "2026-01-02T03:04:05.Z ",
        "2026-01-02T03:04:05.1+1:00 ",  "2026-01-02T03:04:05.1234567890Z ",
        "2026-13-02T03:04:05Z ",        "9999-01-02T03:04:05Z ",
        "2026-01-02T03:04:05.1+24:00 ", "2026-01-02 03:04:05Z ",
        "2026-01-02T03:04:05ZZ ",
    };
    struct kube_log_cursor cursor = {0};
    struct kube_log_reader reader;
    struct kube_log_piece piece;

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same + sizeof bad / sizeof *bad; i++) {
        bool is_good = i < sizeof same / sizeof *same;
        struct fl_str bytes = fl_str_c(is_good ? same[i] : bad[i - sizeof same / sizeof *same]);

        kube_log_reader_init(&reader, &cursor);
        kube_log_reader_begin(&reader, 1);
        assert_false(kube_log_reader_next(&reader, &bytes, 1, &piece));
        bytes = FL_STR("x");
        assert_int_equal(kube_log_reader_next(&reader, &bytes, 1, &piece), is_good);
        if (is_good) assert_int_equal(reader.cursor.at_ns, INT64_C(1767323045120000000));
        kube_log_reader_fini(&reader);
    }
}

static void what_is_held_in_a_search_is_bounded(void **state)
{
    size_t len = (size_t)3 * KUBE_LOG_HELD_BYTES_MAX;
    char *text = malloc(len + 1);
    struct play play = {0};
    struct kube_log_cursor cursor = {0};
    struct kube_log_piece piece;
    struct fl_str bytes = {text, len};
    uint64_t output = 0;
    unsigned gaps = 0;

    (void)state;
    memset(text, 'x', len);
    text[len] = 0;
    memcpy(text, AT("00:01.1"), sizeof AT("00:01.1") - 1);
    kube_log_reader_init(&play.reader, &cursor);
    kube_log_reader_begin(&play.reader, time_of("00:01"));
    feed(&play, LINE("00:01", "a"), 100, "00:01");
    kube_log_reader_begin(&play.reader, time_of("00:02"));
    while (kube_log_reader_next(&play.reader, &bytes, time_of("00:02"), &piece)) {
        gaps += piece.kind == KUBE_LOG_GAP;
        output += piece.bytes.len;
    }
    assert_int_equal(gaps, 1);
    assert_int_equal(output, len - (sizeof AT("00:01.1") - 1));
    kube_log_reader_fini(&play.reader);
    free(text);
}

static void an_answer_is_asked_for_some_seconds_back(void **state)
{
    struct kube_log_cursor cursor = {0};
    char since[FL_TIME_TEXT_MAX];

    (void)state;
    kube_log_cursor_since(&cursor, since);
    assert_string_equal(since, "");
    cursor.at_ns = INT64_C(1767323045120000000);
    kube_log_cursor_since(&cursor, since);
    assert_string_equal(since, "2026-01-02T03:04:00.000Z");
    cursor.at_ns = 5;
    kube_log_cursor_since(&cursor, since);
    assert_string_equal(since, "");
}

static void a_damaged_cursor_is_refused(void **state)
{
    struct kube_log_cursor cursor = {.at_ns = 7, .bytes = 8, .crc = 9, .started_at = 10, .pod = 11};
    struct kube_log_cursor again;
    uint8_t bytes[KUBE_LOG_CURSOR_BYTES];
    struct fl_str text = {(char *)bytes, sizeof bytes};

    (void)state;
    kube_log_cursor_encode(&cursor, bytes);
    assert_true(kube_log_cursor_decode(text, &again));
    assert_true(again.at_ns == 7 && again.bytes == 8 && again.crc == 9);
    assert_true(again.started_at == 10 && again.pod == 11);
    assert_false(kube_log_cursor_decode((struct fl_str){text.at, text.len - 1}, &again));
    bytes[0]++;
    assert_false(kube_log_cursor_decode(text, &again));
    cursor.bytes = 0;
    kube_log_cursor_encode(&cursor, bytes);
    assert_false(kube_log_cursor_decode(text, &again));
}

FL_TESTS(cmocka_unit_test(the_lines_that_an_answer_repeats_are_dropped),
         cmocka_unit_test(lines_that_share_a_time_are_counted),
         cmocka_unit_test(a_line_that_was_cut_goes_on),
         cmocka_unit_test(a_time_that_was_cut_is_no_output),
         cmocka_unit_test(lines_out_of_order_are_taken_once),
         cmocka_unit_test(a_last_line_that_was_rotated_away_leaves_a_gap),
         cmocka_unit_test(new_lines_wait_until_the_search_is_given_up),
         cmocka_unit_test(a_line_of_the_same_time_and_length_is_another),
         cmocka_unit_test(a_clock_that_goes_back_repeats_nothing),
         cmocka_unit_test(a_log_that_begins_late_begins_with_a_gap),
         cmocka_unit_test(behind_a_pause_in_lines_that_come_late_it_is_asked_again),
         cmocka_unit_test(behind_a_pause_in_many_lines_it_is_asked_again),
         cmocka_unit_test(a_pause_in_few_lines_that_come_at_once_is_no_doubt),
         cmocka_unit_test(a_pause_before_the_answer_began_is_no_doubt),
         cmocka_unit_test(a_complaint_of_the_kubelet_is_no_output),
         cmocka_unit_test(times_are_read_in_every_form_of_rfc_3339),
         cmocka_unit_test(what_is_held_in_a_search_is_bounded),
         cmocka_unit_test(an_answer_is_asked_for_some_seconds_back),
         cmocka_unit_test(a_damaged_cursor_is_refused))
