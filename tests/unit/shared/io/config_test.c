#include "shared/io/config.h"

#include <stdlib.h>

#include "tests/fl_test.h"

enum { LISTEN, STATE, FRONTS, IDLE, BODY, CHATTY, NAMES, PASSWORD, NEEDED, ROWS };

static const struct fl_config_setting rows[ROWS] = {
    FL_CONFIG_ROW(api_listen, STRING, "127.0.0.1:8474", 1, 60, "Where the API listens.")
        FL_CONFIG_ROW(state_dir, PATH, "", 0, 0, "The folder of our own files.")
            FL_CONFIG_ROW(fronts, INT, "2", 1, 64, "Threads that serve connections.")
                FL_CONFIG_ROW(idle, DURATION, "30s", 1000, 3600000, "How long nothing may happen.")
                    FL_CONFIG_ROW(body_max, BYTES, "1MiB", 1024, 8388608, "The largest body.")
                        FL_CONFIG_ROW(chatty, BOOL, "false", 0, 0, "Whether more is said.")
                            FL_CONFIG_ROW(server_names, LIST, "", 0, 3, "Names of this host.")
                                FL_CONFIG_ROW(password, SECRET, "", 0, 0, "What nobody may see.")
                                    FL_CONFIG_ROW(needed, STRING, NULL, 1, 10, "Has to be said.")};

static void presets_hold_until_something_is_said(void **state)
{
    struct fl_config *config = fl_config_create(rows, ROWS);

    (void)state;
    assert_string_equal(fl_config_string(config, LISTEN), "127.0.0.1:8474");
    assert_int_equal(fl_config_int(config, IDLE), 30000);
    assert_int_equal(fl_config_int(config, BODY), 1 << 20);
    assert_false(fl_config_bool(config, CHATTY));
    assert_int_equal(fl_config_list(config, NAMES).len, 0);
    assert_false(fl_config_is_set(config, FRONTS));
    fl_config_destroy(config);
    fl_config_destroy(NULL);
}

static void a_file_is_read_with_comments_and_blanks(void **state)
{
    struct fl_config *config = fl_config_create(rows, ROWS);
    struct fl_err err = {0};

    (void)state;
    assert_true(fl_config_read_text(config, "f.conf",
                                    FL_STR("# ours\n\n  api_listen=[::1]:1  \r\n"
                                           "fronts = 3\nidle=5m\nbody_max = 64KiB\nchatty = true\n"
                                           "server_names = a, b ,c\npassword = x # y"),
                                    &err));
    assert_string_equal(fl_config_string(config, LISTEN), "[::1]:1");
    assert_int_equal(fl_config_int(config, FRONTS), 3);
    assert_int_equal(fl_config_int(config, IDLE), 300000);
    assert_int_equal(fl_config_int(config, BODY), 65536);
    assert_true(fl_config_bool(config, CHATTY));
    assert_int_equal(fl_config_list(config, NAMES).len, 3);
    assert_string_equal(fl_config_list(config, NAMES).at[1], "b");
    assert_string_equal(fl_config_string(config, PASSWORD), "x # y");
    fl_config_destroy(config);
}

static void a_refusal_names_line_setting_reason_and_the_nearest_one(void **state)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"\nfronts = many", "f.conf:2: fronts: is not a number"},
        {"fronts = 0", "f.conf:1: fronts: must be 1 to 64"},
        {"front = 2", "f.conf:1: 'front' is no setting; did you mean 'fronts'?"},
        {"server-names = a",
         "f.conf:1: 'server-names' is no setting; did you mean 'server_names'?"},
        {"elephant = 2", "f.conf:1: 'elephant' is no setting"},
        {"fronts", "f.conf:1: not 'key = value'"},
        {"fronts = 2\nidle = 5s\nfronts = 2", "f.conf:3: fronts is set in line 1 already"},
        {"idle = 10", "f.conf:1: idle: is not a time such as 500ms, 30s, 5m, 24h or 7d"},
        {"idle = 1ms", "f.conf:1: idle: must be 1s to 1h"},
        {"idle = 99999999999999999d",
         "f.conf:1: idle: is not a time such as 500ms, 30s, 5m, 24h or 7d"},
        {"body_max = 9MiB", "f.conf:1: body_max: must be 1KiB to 8MiB"},
        {"body_max = 1MB", "f.conf:1: body_max: is not a size such as 4096, 64KiB, 8MiB or 2GiB"},
        {"chatty = yes", "f.conf:1: chatty: must be true or false"},
        {"server_names = a,,b", "f.conf:1: server_names: has an empty word"},
        {"server_names = a,", "f.conf:1: server_names: has an empty word"},
        {"server_names = a,b,c,d", "f.conf:1: server_names: has over 3 words"},
        {"api_listen =", "f.conf:1: api_listen: must have 1 to 60 bytes"},
        {"api_listen = a\x01z", "f.conf:1: api_listen: has a control character"},
        {"api_listen = \xff", "f.conf:1: api_listen: is not UTF-8 text"},
        {"password = @/nowhere/at/all",
         "f.conf:1: password: open /nowhere/at/all: No such file or directory"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fl_config *config = fl_config_create(rows, ROWS);
        struct fl_err err = {0};

        assert_false(fl_config_read_text(config, "f.conf", fl_str_c(bad[i].text), &err));
        assert_string_equal(err.text, bad[i].error);
        fl_config_destroy(config);
    }
}

static void flags_win_over_environment_over_file(void **state)
{
    char path[] = "/tmp/fl_config_test.XXXXXX";
    char *argv[] = {"program", "--fronts", "9", "--config", path, "--idle=2m", NULL};
    char *env[] = {"FAIRLEAD_FRONTS=8",
                   "FAIRLEAD_BODY_MAX=2MiB",
                   "FAIRLEAD_JOB_ID=job-1",
                   "FAIRLEAD_NEEDED=yes",
                   "OTHER=1",
                   NULL};
    struct fl_config *config = fl_config_create(rows, ROWS);
    enum fl_config_action action = FL_CONFIG_HELP;
    struct fl_err err = {0};
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_true(dprintf(fd, "fronts = 7\nbody_max = 4MiB\nchatty = true\n") > 0);
    close(fd);
    assert_true(fl_config_load(config, 6, argv, env, &action, &err));
    assert_int_equal(action, FL_CONFIG_RUN);
    assert_int_equal(fl_config_int(config, FRONTS), 9);
    assert_int_equal(fl_config_int(config, BODY), 2 << 20);
    assert_true(fl_config_bool(config, CHATTY));
    assert_int_equal(fl_config_int(config, IDLE), 120000);
    assert_true(fl_config_is_set(config, NEEDED));
    unlink(path);
    fl_config_destroy(config);
}

static void load(int argc, char **argv, char **env, const char *error,
                 enum fl_config_action expected)
{
    struct fl_config *config = fl_config_create(rows, ROWS);
    enum fl_config_action action = FL_CONFIG_RUN;
    struct fl_err err = {0};

    if (error) {
        assert_false(fl_config_load(config, argc, argv, env, &action, &err));
        assert_string_equal(err.text, error);
    } else {
        assert_true(fl_config_load(config, argc, argv, env, &action, &err));
        assert_int_equal(action, expected);
    }
    fl_config_destroy(config);
}

static void what_main_is_asked_and_what_it_refuses(void **state)
{
    char *none[] = {NULL}, *needed[] = {"FAIRLEAD_NEEDED=x", NULL};
    char *bad_env[] = {"FAIRLEAD_FRONTS=x", NULL};

    (void)state;
    load(1, (char *[]){"p"}, needed, NULL, FL_CONFIG_RUN);
    load(2, (char *[]){"p", "--help"}, none, NULL, FL_CONFIG_HELP);
    load(2, (char *[]){"p", "--version"}, none, NULL, FL_CONFIG_VERSION);
    load(2, (char *[]){"p", "--print-config"}, none, NULL, FL_CONFIG_PRINT);
    load(1, (char *[]){"p"}, none, "needed is not set, and has no preset: Has to be said.", 0);
    load(1, (char *[]){"p"}, bad_env, "FAIRLEAD_FRONTS: fronts: is not a number", 0);
    load(2, (char *[]){"p", "--fronts"}, needed, "--fronts: needs a value", 0);
    load(2, (char *[]){"p", "now"}, needed, "'now' is no flag: --key value", 0);
    load(3, (char *[]){"p", "--front", "2"}, needed,
         "--front: 'front' is no setting; did you mean 'fronts'?", 0);
    load(3, (char *[]){"p", "--password", "x"}, needed,
         "--password: others see flags; give @FILE, or set it in the environment", 0);
    load(3, (char *[]){"p", "--config", "/nowhere/at/all"}, needed,
         "open /nowhere/at/all: No such file or directory", 0);
    load(3, (char *[]){"p", "--needed", "--help"}, none, NULL, FL_CONFIG_RUN);
}

static void a_secret_comes_from_a_file_and_is_never_printed(void **state)
{
    char path[] = "/tmp/fl_config_test.XXXXXX", text[64], *printed = NULL;
    struct fl_config *config = fl_config_create(rows, ROWS);
    struct fl_err err = {0};
    int fd = mkstemp(path), len;
    size_t printed_len;
    FILE *out = open_memstream(&printed, &printed_len);

    (void)state;
    assert_true(fd >= 0 && out);
    assert_true(dprintf(fd, "hunter2\n") > 0);
    close(fd);
    len = snprintf(text, sizeof text, "password = @%s", path);
    assert_true(fl_config_read_text(config, "f", (struct fl_str){text, (size_t)len}, &err));
    assert_string_equal(fl_config_string(config, PASSWORD), "hunter2");
    fl_config_print(config, out);
    fclose(out);
    assert_null(strstr(printed, "hunter2"));
    assert_non_null(strstr(printed, "# f:1\npassword = ***\n"));
    assert_non_null(strstr(printed, "# preset\nfronts = 2\n"));
    assert_non_null(strstr(printed, "# needed is not set\n"));
    free(printed);
    unlink(path);
    fl_config_destroy(config);
}

static void help_and_reference_come_from_the_rows(void **state)
{
    char *printed = NULL;
    size_t printed_len;
    FILE *out = open_memstream(&printed, &printed_len);

    (void)state;
    assert_non_null(out);
    fl_config_print_help(rows, ROWS, out);
    fl_config_print_markdown(rows, ROWS, out);
    fl_config_print_man(rows, ROWS, out);
    fclose(out);
    assert_non_null(strstr(printed, "  --body-max  (size, 1KiB to 8MiB; preset 1MiB)\n"
                                    "      The largest body.\n"));
    assert_non_null(strstr(printed, "| `needed` | text | must be set | Has to be said. |\n"));
    assert_non_null(strstr(printed, ".It Fl \\-body\\-max\nThe largest body.\n"
                                    "(size, 1KiB to 8MiB; preset 1MiB)\n"));
    assert_non_null(strstr(printed, "| `idle` | time, 1s to 1h | `30s` |"));
    free(printed);
}

FL_TESTS(cmocka_unit_test(presets_hold_until_something_is_said),
         cmocka_unit_test(a_file_is_read_with_comments_and_blanks),
         cmocka_unit_test(a_refusal_names_line_setting_reason_and_the_nearest_one),
         cmocka_unit_test(flags_win_over_environment_over_file),
         cmocka_unit_test(what_main_is_asked_and_what_it_refuses),
         cmocka_unit_test(a_secret_comes_from_a_file_and_is_never_printed),
         cmocka_unit_test(help_and_reference_come_from_the_rows))
