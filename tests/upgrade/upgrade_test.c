/* Each released schema, as a store of its day filled it (NAME.sql, and in NAME.txt what that
 * store said of it): a program of today migrates it, reads the same state and the same events,
 * and goes on. */
#include <glob.h>
#include <stdlib.h>

#include "controlplane/core/core_state.h"
#include "controlplane/store/migrate.h"
#include "shared/base/alloc.h"
#include "tests/fl_test.h"
#include "tests/upgrade/upgrade_help.h"

/* The file's text, for free(). */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t cap = 0;

    if (!file || getdelim(&text, &cap, 0, file) <= 0) fail_msg("%s cannot be read", path);
    fclose(file);
    return text;
}

/* A dump is SQL, but for lines that begin with a backslash: those are for psql. */
static char *restore(const char *path)
{
    char *conninfo = help_database_empty(), *sql = read_file(path);
    struct partition_config config = partition_config_default();
    struct fl_err err = {0};
    char *meta;

    while ((meta = strstr(sql, "\n\\")) != NULL) {
        meta[1] = meta[2] = '-';
    }
    help_run(conninfo, sql);
    free(sql);
    if (!migrate(conninfo, &config, &err)) fail_msg("%s: %s", path, err.text);
    return conninfo;
}

/* " name=0 other=(none)": fields that a later release added are there with their presets. */
static bool is_preset(const char *from, const char *end)
{
    while (from < end) {
        const char *value = memchr(from, '=', (size_t)(end - from));

        if (*from != ' ' || !value) return false;
        from = ++value;
        while (from < end && *from == '0') {
            from++;
        }
        if (from == value || (from < end && *from != ' ')) return false;
    }
    return true;
}

/* Before 0025 no load had the owners of open jobs, which the migration brings there. */
static void cut_loaded_owners(char *text)
{
    for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char *owner = strstr(line, " owner="), *end = line + strcspn(line, "\n");

        if (strncmp(line, "load job_new ", 13) != 0 || !owner || owner > end) continue;
        end = owner + 1 + strcspn(owner + 1, " \n");
        memmove(owner, end, strlen(end) + 1);
    }
}

static void must_say_as_much(const char *path, const char *then, const char *now)
{
    while (*then || *now) {
        size_t old = strcspn(then, "\n"), new = strcspn(now, "\n");

        if (new < old || memcmp(then, now, old) != 0 || !is_preset(now + old, now + new)) {
            fail_msg("%s: it was\n  %.*s\nand is\n  %.*s", path, (int)old, then, (int)new, now);
        }
        then += old + (then[old] != 0);
        now += new + (now[new] != 0);
    }
}

static void load_row(void *ctx, const struct row *row)
{
    struct fl_err err = {0};

    if (!core_load(ctx, row, &err)) fail_msg("%s", err.text);
}

/* A core takes it all, and the tables are what the journal says they should be, old rows and
 * new. */
static void must_be_its_journal(struct help *help, const char *conninfo)
{
    PGconn *pg = help_connect(conninfo);
    struct fake_pg *fold = diff_fold_journal(pg);
    struct core_config config = core_config_default();
    struct core *core = core_create(&config), *folded = core_create(&config);
    struct fl_err err = {0};

    if (!diff_tables(pg, fold, &err) || !diff_fold(pg, &err)) fail_msg("%s", err.text);
    help->on_row = load_row;
    help->on_row_ctx = core;
    help_reload(help);
    core_check(core);
    fake_pg_load(fold, load_row, folded);
    assert_int_equal(core_hash(core), core_hash(folded));
    core_destroy(core);
    core_destroy(folded);
    fake_pg_destroy(fold);
    PQfinish(pg);
}

/* One batch with a whole life in it. */
static void go_on(struct help *help)
{
    struct core_batch *batch = core_batch_create(help->taken.batch_newest + 1);

    batch->at = help->taken.at_newest + UPGRADE_AT_MS;
    for (size_t i = 0; i < upgrade_life_len(); i++) {
        help_row(batch, upgrade_life_row(2, i));
    }
    if (help_commit(help, batch) != ENGINE_COMMITTED) {
        fail_msg("%s", help->results.at[help->results.len - 1].text);
    }
    core_batch_destroy(batch);
}

/* The jobs of the life of release 0001 have three retries and no deadline, as their shape says. */
static void jobs_keep_their_retries(struct help *help)
{
    struct core_config config = core_config_default();
    struct core *core = core_create(&config);
    struct job_slot slot;

    help->on_row = load_row;
    help->on_row_ctx = core;
    help_reload(help);
    assert_true(core->jobs.jobs.len > 0);
    for (uint64_t from = 0; (slot = job_table_next(&core->jobs, from)).n;) {
        const struct job *job = job_table_at(&core->jobs, slot);

        assert_int_equal(job->retries_max, 3);
        assert_int_equal(job_table_deadline_s(&core->jobs, job), 0);
        from = job->id + 1;
    }
    core_destroy(core);
}

static void upgrade_from(const char *sql)
{
    char *conninfo = restore(sql);
    char path[256];
    struct help *help = upgrade_lead(conninfo);
    struct fl_buf now;
    char *then;

    snprintf(path, sizeof path, "%.*s.txt", (int)(strlen(sql) - 4), sql);
    then = read_file(path);
    fl_buf_init(&now, UPGRADE_TEXT_MAX);
    upgrade_tell(help, conninfo, &now);
    fl_assert(fl_buf_put_u8(&now, 0));
    if (strcmp(strrchr(sql, '/') + 1, "0025") < 0) cut_loaded_owners((char *)now.at);
    must_say_as_much(path, then, (const char *)now.at);
    if (strstr(sql, "0001_init")) jobs_keep_their_retries(help);
    /* The life's shape: before 0010 a job's row did not hold it. */
    help_run(conninfo, "update job set shape = 11 where shape = 0");
    must_be_its_journal(help, conninfo);
    go_on(help);
    must_be_its_journal(help, conninfo);
    help_destroy(help);
    fl_buf_fini(&now);
    free(then);
    fl_free(conninfo);
}

static void every_release_is_read_and_gone_on_with(void **state)
{
    glob_t dumps;

    (void)state;
    assert_int_equal(glob("tests/upgrade/0*.sql", 0, NULL, &dumps), 0);
    for (size_t i = 0; i < dumps.gl_pathc; i++) {
        upgrade_from(dumps.gl_pathv[i]);
    }
    globfree(&dumps);
}

FL_TESTS(cmocka_unit_test(every_release_is_read_and_gone_on_with))
