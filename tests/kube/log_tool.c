/* Follows the log of one container into a spool, and from there into a file, as a hub would store
 * it: on and on over kills of this program, of the API server and of the kubelet.
 *
 *     log_tool KUBECONFIG FOLDER NAMESPACE POD CONTAINER [QUIET_MS]
 *
 * FOLDER/spool is the spool, FOLDER/store has the records.  "ended" on standard input says that the
 * container has ended.  Prints
 *
 *     problem TEXT
 *     ended bytes=N answers=N failures=N gaps=N pauses=N quiets=N       the last line
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/kube/kube_client.h"
#include "agent/kube/kube_log.h"
#include "agent/kube/log_spool.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/io/file.h"
#include "shared/io/loop.h"
#include "tests/kube/tool_config.h"

enum { TURN_BYTES = 256 << 10, SPOOL_BYTES = 64 << 20 };

struct tool {
    struct fl_loop *loop;
    struct log_spool *spool;
    struct kube_log *log;
    struct fl_timer store_timer;
    struct fl_buf records;
    int store;
    uint64_t stored; /* bytes of output */
    bool is_ended;
};

/* ---- the store ------------------------------------------------------------------------------- */

/* Cuts off a torn end, and goes on behind it. */
static void open_store(struct tool *tool)
{
    uint8_t *piece = fl_alloc(TURN_BYTES);
    struct fl_log_record record;
    struct fl_log_scan scan;
    ssize_t len;

    tool->store = open("store", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    fl_assert(tool->store >= 0);
    fl_log_scan_init(&scan, 0);
    while ((len = read(tool->store, piece, TURN_BYTES)) > 0) {
        struct fl_str bytes = {(const char *)piece, (size_t)len};

        while (fl_log_scan_next(&scan, &bytes, &record) == FL_LOG_READY) {
        }
    }
    fl_assert(!scan.is_bad && ftruncate(tool->store, (off_t)scan.good_bytes) == 0);
    fl_assert(lseek(tool->store, 0, SEEK_END) == (off_t)scan.good_bytes);
    tool->stored = scan.next_offset;
    fl_log_scan_fini(&scan);
    fl_free(piece);
}

static void on_store(void *ctx)
{
    struct tool *tool = ctx;
    struct runtime_output output;
    struct fl_err err = {0};

    fl_buf_clear(&tool->records);
    if (!log_spool_read(tool->spool, tool->stored, TURN_BYTES, &tool->records, &output, &err)) {
        fprintf(stderr, "log_tool: %s\n", err.text);
        exit(1);
    }
    fl_assert(write(tool->store, tool->records.at, tool->records.len) ==
              (ssize_t)tool->records.len);
    tool->stored = output.next_offset;
    log_spool_taken(tool->spool, tool->stored);
    if (output.is_more) fl_timer_in(&tool->store_timer, 0);
    tool->is_ended = output.is_ended;
    if (tool->is_ended) fl_loop_stop(tool->loop);
}

/* ---- the log --------------------------------------------------------------------------------- */

static void on_output(void *ctx)
{
    struct tool *tool = ctx;

    fl_timer_in(&tool->store_timer, 0);
}

static void on_problem(void *ctx, const struct kube_failure *failure)
{
    (void)ctx;
    printf("problem %s\n", failure->err.text);
}

static void on_input(void *ctx, unsigned events)
{
    struct tool *tool = ctx;
    char text[64];
    ssize_t len = read(STDIN_FILENO, text, sizeof text - 1);

    (void)events;
    if (len <= 0) {
        fl_loop_stop(tool->loop);
        return;
    }
    text[len] = 0;
    if (strstr(text, "ended")) kube_log_container_ended(tool->log);
}

static void run(struct tool *tool, struct kube_client *client, const struct kube_log_config *config)
{
    struct kube_log_counts counts;
    struct fl_watch input;

    open_store(tool);
    fl_buf_init(&tool->records, TURN_BYTES + FL_LOG_RECORD_BYTES_MAX);
    fl_timer_init(&tool->store_timer, tool->loop, on_store, tool);
    tool->log = kube_log_open(client, tool->spool, config,
                              &(struct kube_log_port){tool, on_output, on_problem});
    fl_timer_in(&tool->store_timer, 0);
    fl_watch_init(&input, tool->loop, STDIN_FILENO, on_input, tool);
    fl_watch_set(&input, FL_WATCH_READ);
    fl_loop_run(tool->loop);
    fl_watch_off(&input);
    fl_timer_off(&tool->store_timer);
    counts = kube_log_counts(tool->log);
    printf("%s bytes=%" PRIu64 " answers=%" PRIu64 " failures=%" PRIu64 " gaps=%" PRIu64
           " pauses=%" PRIu64 " quiets=%" PRIu64 "\n",
           tool->is_ended ? "ended" : "stopped", tool->stored, counts.answers, counts.failures,
           counts.gaps, counts.pauses, counts.quiets);
    kube_log_close(tool->log);
    fl_buf_fini(&tool->records);
}

/* ---- its needs ------------------------------------------------------------------------------- */

static bool open_spool(const char *folder, struct log_spools **ret_spools,
                       struct log_spool **ret_spool, struct fl_err *err)
{
    struct log_spools_config config = {".", SPOOL_BYTES, SPOOL_BYTES};

    if (chdir(folder) != 0) return fl_fail(err, FL_ABSENT, "%s: no such folder", folder);
    return log_spools_create(&config, ret_spools, err) &&
           log_spool_open(*ret_spools, "spool", ret_spool, err);
}

int main(int argc, char **argv)
{
    struct tool tool = {0};
    struct fl_arena arena = {0};
    struct kube_config kube = {0};
    struct kube_client *client = NULL;
    struct log_spools *spools = NULL;
    struct kube_log_config config = {.seed = (uint64_t)getpid()};
    struct fl_err err = {0};

    if (argc < 6) {
        fprintf(stderr, "usage: log_tool KUBECONFIG FOLDER NAMESPACE POD CONTAINER [QUIET_MS]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    config.namespace = fl_str_c(argv[3]);
    config.pod = config.uid = fl_str_c(argv[4]);
    config.container = fl_str_c(argv[5]);
    if (argc > 6) config.quiet_ms = (fl_ms)strtoul(argv[6], NULL, 10);
    tool.loop = fl_loop_create();
    if (!tool_config(argv[1], &arena, &kube, &err) ||
        !kube_client_create(tool.loop, &(struct kube_client_config){.kube = &kube}, &client,
                            &err) ||
        !open_spool(argv[2], &spools, &tool.spool, &err)) {
        fprintf(stderr, "log_tool: %s\n", err.text);
        return 1;
    }
    run(&tool, client, &config);
    log_spool_close(tool.spool);
    log_spools_destroy(spools);
    kube_client_destroy(client);
    fl_loop_destroy(tool.loop);
    fl_arena_fini(&arena);
    return 0;
}
