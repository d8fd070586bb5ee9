#include "shared/base/last_line.h"

#include "tests/fl_test.h"

static char picked[FL_WORDS_BYTES_MAX + 1];

static const char *pick_bytes(const char *at, size_t len, bool is_cut)
{
    struct fl_str line = fl_last_line((struct fl_str){at, len}, is_cut, picked);

    assert_ptr_equal(line.at, picked);
    assert_true(line.len <= FL_WORDS_BYTES_MAX && strlen(picked) == line.len);
    assert_true(fl_str_is_utf8(line));
    return picked;
}

static const char *pick(const char *tail)
{
    return pick_bytes(tail, strlen(tail), false);
}

static void the_last_line_that_looks_like_an_error_is_picked(void **state)
{
    (void)state;
    assert_string_equal(pick("step 1\nERROR: disk is full\nstep 2\nbye\n"), "ERROR: disk is full");
    assert_string_equal(pick("error: one\nerror: two\n"), "error: two");
    assert_string_equal(pick("x.c:3:5: error: no ';'\nmake: *** [all] Error 1\n"),
                        "x.c:3:5: error: no ';'");
    assert_string_equal(pick("terminate called after throwing an instance of 'E'\n"
                             "  what():  boom\nAborted (core dumped)\n"),
                        "what():  boom");
}

static void without_one_it_is_the_last_line_with_a_letter_or_digit(void **state)
{
    (void)state;
    assert_string_equal(pick("reading\nsh: 1: train: not found\n\n  ----\n"),
                        "sh: 1: train: not found");
    assert_string_equal(pick("no newline at its end"), "no newline at its end");
    assert_string_equal(pick("\xe5\xa4\xb1\xe6\x95\x97\n====\n"), "\xe5\xa4\xb1\xe6\x95\x97");
    assert_string_equal(pick(""), "");
    assert_string_equal(pick("\n\n ===\r\n\xe2\x94\x80\xe2\x94\x80\n"), "");
}

static void a_traceback_of_python_tells_its_exception(void **state)
{
    (void)state;
    assert_string_equal(pick("ERROR: it is tried again\n"
                             "Traceback (most recent call last):\n"
                             "  File \"a.py\", line 3, in <module>\n"
                             "    assert x\n"
                             "AssertionError\n"
                             "done with it\n"),
                        "AssertionError");
    assert_string_equal(pick("Traceback (most recent call last):\n  File \"a.py\", line 1\n"
                             "KeyError: 'lr'\n\nDuring handling of the above exception, another "
                             "exception occurred:\n\n"
                             "Traceback (most recent call last):\n  File \"a.py\", line 9\n"
                             "team.Stop: no lr\n"),
                        "team.Stop: no lr");
}

static void separators_and_summaries_of_torch_are_passed_over(void **state)
{
    (void)state;
    assert_string_equal(
        pick("[rank0]: Traceback (most recent call last):\n"
             "[rank0]:   File \"t.py\", line 2, in <module>\n"
             "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n"
             "Traceback (most recent call last):\n"
             "  File \"run.py\", line 5, in <module>\n"
             "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
             "============================================================\n"
             "t.py FAILED\n"
             "------------------------------------------------------------\n"
             "  exitcode  : 1 (pid: 1234)\n"
             "============================================================\n"),
        "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB");
    assert_string_equal(pick("RuntimeError: CUDA error: device-side assert triggered\n"
                             "CUDA kernel errors might be reported later.\n"
                             "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"),
                        "RuntimeError: CUDA error: device-side assert triggered");
}

static void panics_of_go_and_rust_tell_their_message(void **state)
{
    (void)state;
    assert_string_equal(pick("panic: runtime error: index out of range [5] with length 3\n\n"
                             "goroutine 1 [running]:\nmain.main()\n\t/t/x.go:8 +0x1d\n"
                             "exit status 2\n"),
                        "panic: runtime error: index out of range [5] with length 3");
    assert_string_equal(pick("fatal error: all goroutines are asleep - deadlock!\n\n"
                             "goroutine 1 [chan receive]:\nmain.main()\nexit status 2\n"),
                        "fatal error: all goroutines are asleep - deadlock!");
    assert_string_equal(pick("thread 'main' panicked at src/main.rs:2:5:\n"
                             "index out of bounds: the len is 3\n"
                             "note: run with `RUST_BACKTRACE=1`\n"),
                        "index out of bounds: the len is 3");
    assert_string_equal(pick("thread 'main' panicked at 'boom', src/main.rs:2:5\nnote: run\n"),
                        "thread 'main' panicked at 'boom', src/main.rs:2:5");
}

static void a_progress_bar_counts_by_its_last_state(void **state)
{
    (void)state;
    assert_string_equal(pick("  5%|#   |\r 60%|### |\r 61%|### |"), "61%|### |");
    assert_string_equal(pick(" 61%|### |\rOSError: gone\r\n"), "OSError: gone");
}

static void colours_and_control_characters_are_left_out(void **state)
{
    (void)state;
    assert_string_equal(pick("\033[1;31mERROR\033[0m \tno\a\b data\033[K\n"), "ERROR  no data");
    assert_string_equal(pick("\033]8;;http://x\033\\log\033]8;;\033\\ \033]0;t\a\302\205end\n"),
                        "log end");
    assert_string_equal(pick("a\033"), "a");
    assert_string_equal(pick("a\033["), "a");
    assert_string_equal(pick("a\033]t"), "a");
}

static void bytes_that_are_no_text_are_question_marks(void **state)
{
    char junk[FL_LAST_LINE_TAIL_MAX + 100];

    (void)state;
    assert_string_equal(pick("bad \xff\xc3 byte\n"), "bad ?? byte");
    assert_string_equal(pick_bytes("a\0b", 3, false), "ab");
    for (size_t i = 0; i < sizeof junk; i++) {
        junk[i] = (char)(i * 7919 >> 3);
    }
    (void)pick_bytes(junk, sizeof junk, false);
    memset(junk, 0xe4, sizeof junk);
    assert_string_equal(pick_bytes(junk, sizeof junk, false), "");
}

static void put(char *at, struct fl_str text)
{
    memcpy(at, text.at, text.len);
}

static void a_long_line_is_cut_between_two_characters(void **state)
{
    char line[FL_WORDS_BYTES_MAX + 40];

    (void)state;
    memset(line, 'x', sizeof line);
    put(line + FL_WORDS_BYTES_MAX - 1, FL_STR("\xc3\xa4"));
    assert_int_equal(strlen(pick_bytes(line, sizeof line, false)), FL_WORDS_BYTES_MAX - 1);
    put(line + FL_WORDS_BYTES_MAX - 2, FL_STR("\xc3\xa4"));
    assert_int_equal(strlen(pick_bytes(line, sizeof line, false)), FL_WORDS_BYTES_MAX);
}

static void a_line_without_its_beginning_counts_last(void **state)
{
    char tail[FL_LAST_LINE_TAIL_MAX + 4];

    (void)state;
    assert_string_equal(pick_bytes("Error: cut\nplain\n===\n", 21, true), "plain");
    assert_string_equal(pick_bytes("\xa4 half of it\n", 13, true), "? half of it");
    memset(tail, 'y', sizeof tail);
    put(tail, FL_STR("\nError: "));
    put(tail + sizeof tail - 6, FL_STR("\nlast\n"));
    assert_string_equal(pick_bytes(tail, sizeof tail, false), "last");
}

FL_TESTS(cmocka_unit_test(the_last_line_that_looks_like_an_error_is_picked),
         cmocka_unit_test(without_one_it_is_the_last_line_with_a_letter_or_digit),
         cmocka_unit_test(a_traceback_of_python_tells_its_exception),
         cmocka_unit_test(separators_and_summaries_of_torch_are_passed_over),
         cmocka_unit_test(panics_of_go_and_rust_tell_their_message),
         cmocka_unit_test(a_progress_bar_counts_by_its_last_state),
         cmocka_unit_test(colours_and_control_characters_are_left_out),
         cmocka_unit_test(bytes_that_are_no_text_are_question_marks),
         cmocka_unit_test(a_long_line_is_cut_between_two_characters),
         cmocka_unit_test(a_line_without_its_beginning_counts_last))
