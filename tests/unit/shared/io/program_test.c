#include "shared/io/program.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/io/lifeline.h"
#include "shared/io/loop.h"
#include "tests/fl_test.h"

enum { ROW_nodes, ROW_log_level, ROW_depth, ROWS };

static const struct fl_config_setting rows[ROWS] = {
    {"nodes", FL_CONFIG_INT, "3", 1, 9, "how many nodes"},
    {"log_level", FL_CONFIG_STRING, "error", 1, 100, "levels of the log"},
    {"depth", FL_CONFIG_INT, "2", 1, 9, "how deep"},
};

static const char *const about[] = {"Watches the sea.", "It never sleeps.", NULL};
static const struct fl_program_group groups[] = {{ROW_depth, "Below the water"}, {0, NULL}};
static const struct fl_program_item files[] = {{"/etc/whale.conf", "The settings."}, {NULL, NULL}};
static const char *const see_also[] = {"fairlead 1", "krill 8", NULL};

static const struct fl_program whale = {
    .name = "whale",
    .line = "watches the sea",
    .about = about,
    .settings = rows,
    .settings_len = ROWS,
    .log_level = ROW_log_level,
    .groups = groups,
    .files = files,
    .see_also = see_also,
};

struct life {
    enum fl_code refusal; /* FL_OK: it starts */
    int signal;           /* that it sends itself; 0: none */
    int *lifeline;        /* it closes this starter's end; NULL: none */
    struct fl_timer timer;
    bool is_second_try; /* the first try of its start has failed */
    int stops;
};

static void on_timer(void *ctx)
{
    struct life *life = ctx;

    if (life->signal) kill(getpid(), life->signal);
    if (life->lifeline) close(*life->lifeline);
}

static bool start(void *ctx, const struct fl_program_run *run, struct fl_err *err)
{
    struct life *life = ctx;

    if (fl_config_int(run->config, ROW_nodes) != 3) return fl_fail(err, FL_INVALID, "not three");
    if (fl_program_should_stop(run)) return fl_fail(err, FL_DEPOSED, "asked to stop at once");
    fl_timer_init(&life->timer, run->loop, on_timer, life);
    fl_timer_in(&life->timer, 1);
    if (life->is_second_try && !fl_fail(err, FL_UNAVAILABLE, "not yet")) return true;
    return life->refusal == FL_OK || fl_fail(err, life->refusal, "no sea");
}

static void stop(void *ctx)
{
    struct life *life = ctx;

    life->stops++;
    if (life->timer.loop) fl_timer_off(&life->timer);
}

/* The program in a child of its own, which ends with 99 unless 'stop' was called so many times. */
static int exit_code(struct life life, int stops, char *flag)
{
    char *argv[] = {(char *)"whale", flag, NULL};
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        struct fl_program_steps steps = {&life, start, stop, NULL};
        int code;

        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(98);
        code = fl_program_main(&whale, &steps, flag ? 2 : 1, argv);
        _exit(life.stops == stops ? code : 99);
    }
    if (life.lifeline) close(*life.lifeline); /* the child's is the last that is open */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void it_runs_until_a_signal_asks_it_to_end(void **state)
{
    (void)state;
    assert_int_equal(exit_code((struct life){.signal = SIGTERM}, 1, NULL), FL_EXIT_OK);
    assert_int_equal(exit_code((struct life){.signal = SIGINT}, 1, NULL), FL_EXIT_OK);
}

static void a_start_that_failed_at_first_is_a_start(void **state)
{
    struct life life = {.signal = SIGTERM, .is_second_try = true};

    (void)state;
    assert_int_equal(exit_code(life, 1, NULL), FL_EXIT_OK);
}

/* *ret_ours is the end that the starter keeps. */
static void give_lifeline(int *ret_ours, int *ret_theirs)
{
    struct fl_err err = {0};
    char number[16];

    assert_true(fl_lifeline_pipe(ret_ours, ret_theirs, &err));
    snprintf(number, sizeof number, "%d", *ret_theirs);
    setenv(FL_LIFELINE_VARIABLE, number, 1);
}

static void it_ends_with_its_starter(void **state)
{
    int ours, theirs;

    (void)state;
    give_lifeline(&ours, &theirs);
    assert_int_equal(exit_code((struct life){.lifeline = &ours}, 1, NULL), FL_EXIT_OK);
    close(theirs);
    give_lifeline(&ours, &theirs);
    close(ours); /* a start that waits sees it too */
    assert_int_equal(exit_code((struct life){0}, 1, NULL), FL_EXIT_FAILED);
    close(theirs);
    setenv(FL_LIFELINE_VARIABLE, "77777", 1); /* names no pipe */
    assert_int_equal(exit_code((struct life){0}, 0, NULL), FL_EXIT_USAGE);
    unsetenv(FL_LIFELINE_VARIABLE);
}

static void the_exit_code_says_why_it_did_not_start(void **state)
{
    (void)state;
    assert_int_equal(exit_code((struct life){0}, 0, (char *)"--sea=9"), FL_EXIT_USAGE);
    assert_int_equal(exit_code((struct life){0}, 0, (char *)"--nodes=0"), FL_EXIT_USAGE);
    assert_int_equal(exit_code((struct life){0}, 0, (char *)"--log-level=loud"), FL_EXIT_USAGE);
    assert_int_equal(exit_code((struct life){.refusal = FL_INVALID}, 1, NULL), FL_EXIT_USAGE);
    assert_int_equal(exit_code((struct life){.refusal = FL_UNAVAILABLE}, 1, NULL),
                     FL_EXIT_UNREACHABLE);
    assert_int_equal(exit_code((struct life){.refusal = FL_DENIED}, 1, NULL), FL_EXIT_DENIED);
    assert_int_equal(exit_code((struct life){.refusal = FL_IO}, 1, NULL), FL_EXIT_IO);
    assert_int_equal(exit_code((struct life){.refusal = FL_ABSENT}, 1, NULL), FL_EXIT_FAILED);
}

static void questions_are_answered_without_a_start(void **state)
{
    (void)state;
    assert_int_equal(exit_code((struct life){.refusal = FL_IO}, 0, (char *)"--help"), FL_EXIT_OK);
    assert_int_equal(exit_code((struct life){.refusal = FL_IO}, 0, (char *)"--version"),
                     FL_EXIT_OK);
    assert_int_equal(exit_code((struct life){.refusal = FL_IO}, 0, (char *)"--print-config"),
                     FL_EXIT_OK);
    assert_int_equal(exit_code((struct life){.refusal = FL_IO}, 0, (char *)"--print-sample"),
                     FL_EXIT_OK);
}

static void help_and_man_page_are_made_from_the_description(void **state)
{
    char *help = NULL, *man = NULL;
    size_t len;
    FILE *out = open_memstream(&help, &len);

    (void)state;
    assert_non_null(out);
    fl_program_print_help(&whale, out);
    fclose(out);
    out = open_memstream(&man, &len);
    assert_non_null(out);
    fl_program_print_man(&whale, out);
    fclose(out);
    assert_non_null(strstr(help, "usage: whale [--config FILE]"));
    assert_non_null(strstr(help, "\nWatches the sea.\n\nIt never sleeps.\n\n"));
    assert_true(strstr(help, "  --nodes") < strstr(help, "\nBelow the water:\n  --depth"));
    assert_non_null(strstr(man, ".Dt WHALE 8\n.Os\n.Sh NAME\n.Nm whale\n.Nd watches the sea\n"));
    assert_non_null(strstr(man, ".El\n.Ss Below the water\n.Bl -tag -width Ds\n.It Fl \\-depth\n"));
    assert_non_null(strstr(man, ".It Pa /etc/whale.conf\nThe settings.\n"));
    assert_non_null(strstr(man, ".It 64\na setting is wrong\n"));
    assert_null(strstr(man, ".It 65\n")); /* a code of the CLI alone */
    assert_non_null(strstr(man, ".Sh SEE ALSO\n.Xr fairlead 1 ,\n.Xr krill 8\n"));
    free(help);
    free(man);
}

/* With each '#' in front of a setting taken away, it is a file that says what is preset. */
static void a_sample_is_a_file_of_presets(void **state)
{
    struct fl_config *config = fl_config_create(whale.settings, whale.settings_len);
    char *sample = NULL, *at;
    struct fl_err err = {0};
    size_t len;
    FILE *out = open_memstream(&sample, &len);

    (void)state;
    assert_non_null(out);
    fl_program_print_sample(&whale, out);
    fclose(out);
    assert_non_null(strstr(sample, "# Settings of whale "));
    assert_non_null(strstr(sample, "\n# ---- Below the water ----\n\n# "));
    for (size_t i = 0; i < whale.settings_len; i++) {
        char line[200];

        snprintf(line, sizeof line, "\n#%s =", whale.settings[i].key);
        at = strstr(sample, line);
        assert_non_null(at);
        at[1] = ' ';
    }
    if (!fl_config_read_text(config, "sample", fl_str_c(sample), &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < whale.settings_len; i++) {
        assert_true(fl_config_is_set(config, i));
    }
    fl_config_destroy(config);
    free(sample);
}

FL_TESTS(cmocka_unit_test(it_runs_until_a_signal_asks_it_to_end),
         cmocka_unit_test(a_start_that_failed_at_first_is_a_start),
         cmocka_unit_test(it_ends_with_its_starter),
         cmocka_unit_test(the_exit_code_says_why_it_did_not_start),
         cmocka_unit_test(questions_are_answered_without_a_start),
         cmocka_unit_test(help_and_man_page_are_made_from_the_description),
         cmocka_unit_test(a_sample_is_a_file_of_presets))
