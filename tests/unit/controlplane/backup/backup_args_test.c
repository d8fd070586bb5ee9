#include "controlplane/backup/backup_args.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fl_test.h"

static char *const env[] = {"FAIRLEAD_DATABASE=host=/x dbname=d", NULL};

static bool read_words(struct backup_args *args, struct fl_err *err, const char *const *argv)
{
    char *copy[16];
    int argc = 0;

    for (; argv[argc]; argc++) {
        copy[argc] = (char *)argv[argc]; /* NOLINT: main's argv is not const either */
    }
    return backup_args_read(argc, copy, env, args, err);
}

static void refuses(const char *text, const char *const *argv)
{
    struct backup_args args;
    struct fl_err err = {0};

    assert_false(read_words(&args, &err, argv));
    assert_non_null(strstr(err.text, text));
    backup_args_fini(&args);
}

static void settings_and_words_stand_in_any_order(void **state)
{
    const char *argv[] = {"backup", "--fronts=3", "--without-logs", "/b/monday/", "--state-dir",
                          "/s",     NULL};
    struct backup_args args;
    struct fl_err err = {0};

    (void)state;
    assert_true(read_words(&args, &err, argv));
    assert_string_equal(args.folder, "/b/monday");
    assert_string_equal(args.database, "host=/x dbname=d");
    assert_string_equal(args.state_dir, "/s");
    assert_true(args.without_logs);
    backup_args_fini(&args);
}

static void folders_become_absolute_and_the_state_directory_has_a_preset(void **state)
{
    const char *argv[] = {"restore", "monday", NULL};
    struct backup_args args;
    struct fl_err err = {0};

    (void)state;
    assert_true(read_words(&args, &err, argv));
    assert_int_equal(args.folder[0], '/');
    assert_non_null(strstr(args.folder, "/monday"));
    assert_string_equal(args.state_dir, BACKUP_STATE_DIR);
    assert_false(args.without_logs);
    backup_args_fini(&args);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    refuses("name the folder of the backup: fairleadd backup FOLDER",
            (const char *const[]){"backup", NULL});
    refuses("b: one folder is enough, and a was named before",
            (const char *const[]){"backup", "a", "b", NULL});
    refuses("--state-dir: wants a value",
            (const char *const[]){"backup", "a", "--state-dir", NULL});
    refuses("without-logs", (const char *const[]){"restore", "a", "--without-logs", "x", NULL});
    refuses("--config: wants a value", (const char *const[]){"restore", "a", "--config", NULL});
    refuses("/nowhere: ", (const char *const[]){"restore", "a", "--config=/nowhere", NULL});
}

static void help_needs_nothing_else(void **state)
{
    struct backup_args args;
    struct fl_err err = {0};

    (void)state;
    assert_true(read_words(&args, &err, (const char *const[]){"restore", "-h", NULL}));
    assert_true(args.is_help);
    backup_args_fini(&args);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_and_words_stand_in_any_order),
        cmocka_unit_test(folders_become_absolute_and_the_state_directory_has_a_preset),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(help_needs_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
