/* dump DIR - writes DIR/NAME.sql, NAME.txt and NAME.rows, NAME that of the newest migration: a
 * database of this release in which a batch for each row of a life was committed, and what this
 * release's store says of it.  Run from the root, once a release; needs pg_dump. */
#include <stdlib.h>

#include "controlplane/store/migrations.h"
#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/upgrade/upgrade_help.h"
#include "tests/upgrade/upgrade_rows.h"

static void live(struct help *help)
{
    bool has_kind[ROW_KINDS_LEN] = {false};

    for (size_t i = 0; i < upgrade_life_len(); i++) {
        struct core_batch *batch = core_batch_create(i + 1);
        struct row row = upgrade_life_row(1, i);

        batch->at = (fl_ms)(i + 1) * UPGRADE_AT_MS;
        core_batch_row(batch, &row);
        has_kind[row.kind] = true;
        if (help_commit(help, batch) != ENGINE_COMMITTED) {
            fail_msg("row %zu: %s", i, help->results.at[help->results.len - 1].text);
        }
        core_batch_destroy(batch);
    }
    for (size_t i = 0; i < row_kinds_len; i++) {
        bool is_load_only = row_kinds[i] == ROW_pair_end || row_kinds[i] == ROW_array_ends;

        if (!is_load_only && !has_kind[row_kinds[i]]) {
            fail_msg("add a row of kind %s to the life", row_kind_name(row_kinds[i]));
        }
    }
}

/* DIR/NAME.SUFFIX */
static void write_file(const char *dir, const char *suffix, const struct fl_buf *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s.%s", dir, migrations[migrations_len - 1].name, suffix);
    file = fopen(path, "w");
    if (!file || fwrite(text->at, 1, text->len, file) != text->len || fclose(file) != 0) {
        fail_msg("%s cannot be written", path);
    }
}

int main(int argc, char **argv)
{
    char *conninfo = diff_database(), command[1024];
    struct help *help = upgrade_lead(conninfo);
    struct fl_buf text;

    if (argc != 2) fail_msg("usage: dump DIR");
    live(help);
    fl_buf_init(&text, UPGRADE_TEXT_MAX);
    upgrade_tell(help, conninfo, &text);
    help_destroy(help);
    write_file(argv[1], "txt", &text);
    fl_buf_clear(&text);
    upgrade_rows_list(&text);
    write_file(argv[1], "rows", &text);
    snprintf(command, sizeof command,
             "pg_dump --inserts --no-owner --no-privileges -f '%s/%s.sql' '%s'", argv[1],
             migrations[migrations_len - 1].name, conninfo);
    if (system(command) != 0) fail_msg("failed: %s", command);
    fl_buf_fini(&text);
    fl_free(conninfo);
    return 0;
}
