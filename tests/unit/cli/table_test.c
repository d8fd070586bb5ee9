#include "cli/table.h"

#include <stdlib.h>

#include "tests/fl_test.h"

static void a_table_lines_up_and_hides_what_is_for_wide(void **state)
{
    struct cli cli = {0};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    struct cli_table *table = cli_table_create(&cli, "JOB|>N|+ID|NOTE");

    (void)state;
    cli_table_put(table, "job-1");
    cli_table_put(table, "7");
    cli_table_put(table, "hidden");
    cli_table_put(table, "a\033b");
    cli_table_put(table, "j\xc3\xb6"
                         "b");
    cli_table_put(table, "100");
    cli_table_put(table, "hidden");
    cli_table_put(table, "%s", "");
    cli_table_print(table, out);
    fclose(out);
    assert_string_equal(text, "JOB      N  NOTE\n"
                              "job-1    7  a?b\n"
                              "j\xc3\xb6"
                              "b    100  -\n");
    free(text);
}

static void is_printed(struct cli *cli, const char *columns, const char *const *cells, size_t len,
                       const char *want)
{
    struct cli_table *table = cli_table_create(cli, columns);
    char *text = NULL;
    size_t text_len = 0;
    FILE *out = open_memstream(&text, &text_len);

    for (size_t i = 0; i < len; i++) {
        cli_table_put(table, "%s", cells[i]);
    }
    cli_table_print(table, out);
    fclose(out);
    assert_string_equal(text, want);
    free(text);
}

static void a_row_fits_the_terminal_where_columns_may_be_cut(void **state)
{
    static const char *const cells[] = {"job-1", "a name that goes on", "a note that is as long"};
    struct cli cli = {.width = 40};

    (void)state;
    is_printed(&cli, "JOB|~NAME|~NOTE", cells, 3,
               "JOB    NAME             NOTE\n"
               "job-1  a name that go\u2026  a note that is \u2026\n");
    is_printed(&cli, "JOB|NAME|~NOTE", cells, 3,
               "JOB    NAME                 NOTE\n"
               "job-1  a name that goes on  a note that\u2026\n");
    cli.width = 10; /* nothing is cut below eight characters */
    is_printed(&cli, "JOB|~NAME|~NOTE", cells, 3,
               "JOB    NAME      NOTE\n"
               "job-1  a name \u2026  a note \u2026\n");
    cli.width = 0; /* not known */
    is_printed(&cli, "JOB|~NAME|~NOTE", cells, 3,
               "JOB    NAME                 NOTE\n"
               "job-1  a name that goes on  a note that is as long\n");
    cli.width = 10;
    cli.format = CLI_FORMAT_wide;
    is_printed(&cli, "JOB|~NAME|~NOTE", cells, 3,
               "JOB    NAME                 NOTE\n"
               "job-1  a name that goes on  a note that is as long\n");
}

static void a_cut_falls_between_characters(void **state)
{
    static const char *const cells[] = {
        "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"};
    struct cli cli = {.width = 8};

    (void)state;
    is_printed(&cli, "~X", cells, 1, "X\n\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u2026\n");
}

FL_TESTS(cmocka_unit_test(a_table_lines_up_and_hides_what_is_for_wide),
         cmocka_unit_test(a_row_fits_the_terminal_where_columns_may_be_cut),
         cmocka_unit_test(a_cut_falls_between_characters))
