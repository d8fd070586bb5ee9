#include "tests/unit/agent/replica_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "agent/process/remove_tree.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void replica_dir_sleep(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static fl_ms mono_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (fl_ms)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* BUILD/tests/unit/... -> BUILD/fairlead-supervise */
void replica_dir_program(char ret_path[4096])
{
    ssize_t len = readlink("/proc/self/exe", ret_path, 3900);
    char *tests;

    assert_true(len > 0);
    ret_path[len] = 0;
    tests = strstr(ret_path, "/tests/");
    assert_non_null(tests);
    snprintf(tests, 100, "/fairlead-supervise");
}

void replica_dir_init(struct replica_dir *replica, const char *parent)
{
    static unsigned count;

    memset(replica, 0, sizeof(*replica));
    snprintf(replica->path, sizeof(replica->path), "%s/fl-replica-XXXXXX",
             parent ? parent : "/tmp");
    assert_non_null(mkdtemp(replica->path));
    replica->fd = open(replica->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(replica->fd >= 0);
    replica->lifeline = -1;
    replica->spec.attempt = (struct fl_attempt){{7}, 0, 1, 1};
    replica->spec.head_bytes = replica->spec.tail_bytes = 1 << 20;
    snprintf(replica->spec.run, sizeof(replica->spec.run), "test%08x%08x%08x", getpid(), count++,
             (unsigned)time(NULL));
    layout_boot_id(replica->spec.boot);
}

void replica_dir_fini(struct replica_dir *replica)
{
    char *name = (char *)base_name(replica->path);
    char parent[256];
    int dir;

    if (replica->supervisor) replica_dir_kill(replica);
    close(replica->fd);
    snprintf(parent, sizeof(parent), "%.*s", (int)(name - replica->path), replica->path);
    dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir >= 0);
    assert_true(remove_tree_some(dir, name, 100000));
    close(dir);
}

void replica_dir_write(struct replica_dir *replica, const char *script)
{
    char *argv[] = {"sh", "-c", (char *)script, NULL};
    char run[80];
    char *env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", run, NULL};
    struct fl_buf buf;
    int fd;

    snprintf(run, sizeof(run), "FAIRLEAD_RUN_ID=%s", replica->spec.run);
    if (replica->spec.argv.len == 0) replica->spec.argv = (struct layout_strings){argv, 3, 3};
    replica->spec.env = (struct layout_strings){env, 2, 2};
    fl_buf_init(&buf, LAYOUT_SPEC_BYTES_MAX);
    assert_true(layout_spec_encode(&replica->spec, &buf));
    fd = openat(replica->fd, LAYOUT_SPEC, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0 && layout_write_at(fd, buf.at, buf.len, 0));
    close(fd);
    fl_buf_fini(&buf);
    replica->spec.argv = replica->spec.env = (struct layout_strings){0};
    assert_int_equal(mkfifoat(replica->fd, LAYOUT_CONTROL, 0600), 0);
    assert_int_equal(mkfifoat(replica->fd, LAYOUT_NEWS, 0600), 0);
    assert_int_equal(mkdirat(replica->fd, LAYOUT_FILES, 0700), 0);
}

/* ---- the supervisor -------------------------------------------------------------------------- */

void replica_dir_start(struct replica_dir *replica)
{
    char program[4096];
    char number[16];
    char *plain[] = {program, replica->path, NULL};
    char *with_lifeline[] = {program, "--lifeline", number, replica->path, NULL};

    assert_int_equal(replica->supervisor, 0);
    replica_dir_program(program);
    snprintf(number, sizeof(number), "%d", replica->lifeline);
    replica->supervisor = fork();
    assert_true(replica->supervisor >= 0);
    if (replica->supervisor == 0) {
        execv(program, replica->lifeline >= 0 ? with_lifeline : plain);
        _exit(99);
    }
}

bool replica_dir_is_over(struct replica_dir *replica)
{
    if (!replica->supervisor) return true;
    if (waitpid(replica->supervisor, NULL, WNOHANG) == 0) return false;
    replica->supervisor = 0;
    return true;
}

int replica_dir_finish(struct replica_dir *replica)
{
    fl_ms until = mono_now() + REPLICA_DIR_WAIT_MS;
    int status = 0;

    assert_true(replica->supervisor > 0);
    while (waitpid(replica->supervisor, &status, WNOHANG) == 0) {
        assert_true(mono_now() < until);
        replica_dir_sleep();
    }
    replica->supervisor = 0;
    return status;
}

void replica_dir_kill(struct replica_dir *replica)
{
    kill(replica->supervisor, SIGKILL);
    replica_dir_finish(replica);
}

void replica_dir_command(struct replica_dir *replica, enum layout_command_kind kind,
                         uint32_t grace_ms)
{
    uint8_t bytes[LAYOUT_COMMAND_BYTES];
    fl_ms until = mono_now() + REPLICA_DIR_WAIT_MS;
    int fd;

    layout_command_encode((struct layout_command){kind, grace_ms}, bytes);
    while ((fd = openat(replica->fd, LAYOUT_CONTROL, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        if (replica_dir_is_over(replica)) return; /* it will not be read */
        assert_int_equal(errno, ENXIO);           /* not yet */
        assert_true(mono_now() < until);
        replica_dir_sleep();
    }
    assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
    close(fd);
}

static bool read_gate(struct replica_dir *replica, struct layout_gate *ret_gate)
{
    struct fl_err err = {0};
    struct fl_buf buf;
    bool is_read;

    fl_buf_init(&buf, LAYOUT_RECORD_BYTES);
    is_read = layout_read(replica->fd, LAYOUT_GATE, &buf, &err) &&
              layout_gate_decode((struct fl_str){(const char *)buf.at, buf.len}, ret_gate);
    fl_buf_fini(&buf);
    return is_read;
}

void replica_dir_wait_gate(struct replica_dir *replica, bool is_open)
{
    fl_ms until = mono_now() + REPLICA_DIR_WAIT_MS;
    struct layout_gate gate = {0};

    while (!read_gate(replica, &gate) || (is_open && !gate.is_open)) {
        assert_true(mono_now() < until);
        replica_dir_sleep();
    }
}

bool replica_dir_exit(struct replica_dir *replica, struct layout_exit *ret_end)
{
    struct fl_err err = {0};
    struct fl_buf buf;
    bool is_read;

    fl_buf_init(&buf, LAYOUT_RECORD_BYTES);
    is_read = layout_read(replica->fd, LAYOUT_EXIT, &buf, &err) &&
              layout_exit_decode((struct fl_str){(const char *)buf.at, buf.len}, ret_end);
    fl_buf_fini(&buf);
    return is_read;
}

struct layout_exit replica_dir_run(struct replica_dir *replica)
{
    struct layout_exit end = {0};

    replica_dir_start(replica);
    replica_dir_command(replica, LAYOUT_GO, 0);
    assert_int_equal(replica_dir_finish(replica), 0);
    assert_true(replica_dir_exit(replica, &end));
    return end;
}

/* ---- output ---------------------------------------------------------------------------------- */

uint64_t replica_dir_output(struct replica_dir *replica, const struct output_end *end,
                            struct fl_buf *bytes, char ret_gaps[256])
{
    struct output_place place = {0};
    struct runtime_output output = {.is_more = true};
    struct fl_err err = {0};
    struct fl_buf records;
    uint64_t missing = 0;
    uint64_t offset = 0;

    ret_gaps[0] = 0;
    fl_buf_init(&records, (size_t)4 * FL_LOG_RECORD_BYTES_MAX);
    while (output.is_more) {
        struct fl_log_record record;
        struct fl_str rest;

        fl_buf_clear(&records);
        assert_true(output_read(replica->fd, &place, offset, 100000, end, &records, &output, &err));
        rest = (struct fl_str){(const char *)records.at, records.len};
        while (fl_log_record_next(&rest, &record) == FL_LOG_READY) {
            assert_int_equal(record.offset, offset);
            offset = fl_log_record_end(&record);
            missing += record.gap_bytes;
            if (record.gap) {
                size_t len = strlen(ret_gaps);

                snprintf(ret_gaps + len, 256 - len, "%s ", fl_log_gap_name(record.gap));
            } else {
                assert_true(fl_buf_put(bytes, record.bytes.at, record.bytes.len));
            }
        }
        assert_int_equal(rest.len, 0);
        assert_int_equal(offset, output.next_offset);
    }
    fl_buf_fini(&records);
    return missing;
}

void replica_dir_wait_output(struct replica_dir *replica, const char *text)
{
    fl_ms until = mono_now() + REPLICA_DIR_WAIT_MS;
    bool is_there = false;

    while (!is_there) {
        struct fl_buf bytes;
        char gaps[256];

        fl_buf_init(&bytes, 64 << 20);
        replica_dir_output(replica, NULL, &bytes, gaps);
        is_there = bytes.len > 0 && memmem(bytes.at, bytes.len, text, strlen(text));
        fl_buf_fini(&bytes);
        assert_true(is_there || mono_now() < until);
        if (!is_there) replica_dir_sleep();
    }
}
