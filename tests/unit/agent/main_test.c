/* fairlead-agent as a program: a real tunnel, real jobs, and kill -9 in the middle of a run. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>

#include "shared/base/alloc.h"
#include "shared/io/clock.h"
#include "shared/io/lifeline.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/replica_dir.h"
#include "tests/unit/controlplane/tunnel/tunnel_world.h"

enum { REPLICAS = 2, OUTPUT_MAX = 4 << 20 };

static const struct fl_attempt attempt = {{1}, 0, 1, 1};

/* A hub's copy of one replica's output. */
struct kept {
    struct fl_buf bytes;
    uint32_t chain;
    bool is_ended;
};

struct hub {
    struct tunnel_world world;
    char state_dir[TUNNEL_WORLD_PATH_MAX], program[4096];
    pid_t agent;
    int lifeline[2]; /* should this test die, so do agent and jobs */
    enum fl_replica_state states[REPLICAS];
    int32_t exit_codes[REPLICAS];
    uint32_t listed; /* in the inventory that ended last */
    struct kept kept[REPLICAS];
    struct {
        uint32_t source, replica;
    } sources[16]; /* this session's */
    size_t sources_len;
};

static void on_event(void *ctx, const struct core_event *event)
{
    struct hub *hub = ctx;

    if (event->kind == CORE_EV_session_open) hub->sources_len = 0;
    if (event->kind == CORE_EV_inventory && event->inventory.is_end) {
        hub->listed = event->inventory.count;
    }
    if (event->kind != CORE_EV_replica || event->replica.told.replica >= REPLICAS) return;
    hub->states[event->replica.told.replica] = event->replica.told.state;
    hub->exit_codes[event->replica.told.replica] = event->replica.told.exit_code;
}

static void answer(struct hub *hub, uint64_t connection, struct fl_log_message message)
{
    struct fl_buf out;
    struct fl_err err = {0};

    fl_buf_init(&out, 256);
    assert_true(fl_log_message_put(&out, &message));
    if (!log_stream_put(tunnel_server_streams(hub->world.server, connection),
                        (struct fl_str){(const char *)out.at, out.len}, &err)) {
        assert_int_equal(err.code, FL_ABSENT); /* it was killed */
    }
    fl_buf_fini(&out);
}

static struct kept *kept_of(struct hub *hub, uint32_t source)
{
    for (size_t i = 0; i < hub->sources_len; i++) {
        if (hub->sources[i].source == source) return &hub->kept[hub->sources[i].replica];
    }
    fail_msg("a source that was not opened");
    return NULL;
}

static void keep(struct kept *kept, struct fl_str records)
{
    struct fl_log_record record;

    while (fl_log_record_next(&records, &record) == FL_LOG_READY) {
        assert_int_equal(record.gap, FL_LOG_GAP_none);
        assert_int_equal(record.offset, kept->bytes.len);
        assert_true(fl_buf_put(&kept->bytes, record.bytes.at, record.bytes.len));
        kept->chain = fl_log_chain(kept->chain, &record);
    }
}

static void on_log(void *ctx, uint64_t connection, struct fl_str payload)
{
    struct fl_reader reader = fl_reader(payload.at, payload.len);
    struct hub *hub = ctx;

    while (!fl_reader_is_done(&reader)) {
        struct fl_log_message message;
        struct fl_err err = {0};
        struct kept *kept;

        assert_true(fl_log_message_next(&reader, &message, &err));
        if (message.kind == FL_LOG_open) {
            assert_true(hub->sources_len < 16 && message.replica < REPLICAS);
            hub->sources[hub->sources_len].source = message.source;
            hub->sources[hub->sources_len++].replica = message.replica;
        }
        kept = kept_of(hub, message.source);
        if (message.kind == FL_LOG_open) {
            answer(hub, connection,
                   (struct fl_log_message){.kind = FL_LOG_cursor,
                                           .source = message.source,
                                           .offset = kept->bytes.len,
                                           .chain = kept->chain});
        } else if (message.kind == FL_LOG_records) {
            keep(kept, message.records);
        } else if (message.kind == FL_LOG_end) {
            assert_int_equal(message.offset, kept->bytes.len);
            kept->is_ended = true;
            answer(hub, connection,
                   (struct fl_log_message){.kind = FL_LOG_end_ack, .source = message.source});
        }
    }
}

static void start_agent(struct hub *hub)
{
    char lifeline[16];

    snprintf(lifeline, sizeof(lifeline), "%d", hub->lifeline[0]);
    hub->agent = fork();
    assert_true(hub->agent >= 0);
    if (hub->agent > 0) return;
    setenv(FL_LIFELINE_VARIABLE, lifeline, 1);
    execl(hub->program, hub->program, "--state-dir", hub->state_dir, "--hub", hub->world.hub,
          "--cluster-uid", "uid-1", "--nodes", "4", "--cpus", "1", "--log-level", "warn", NULL);
    _exit(99);
}

static int end_agent(struct hub *hub, int number)
{
    int status = 0;
    pid_t ended = 0;

    kill(hub->agent, number);
    UNTIL(&hub->world, (ended = waitpid(hub->agent, &status, WNOHANG)) != 0);
    assert_int_equal(ended, hub->agent);
    return status;
}

static void begin(struct hub *hub, const char *document)
{
    struct fl_err err = {0};
    char *name;

    memset(hub, 0, sizeof(*hub));
    tunnel_world_init(&hub->world, 0);
    hub->world.hook_ctx = hub;
    hub->world.on_event = on_event;
    hub->world.on_log = on_log;
    fl_free(hub->world.spec.document);
    hub->world.spec.bytes = strlen(document);
    hub->world.spec.document = fl_alloc(hub->world.spec.bytes + 1);
    memcpy(hub->world.spec.document, document, hub->world.spec.bytes);
    snprintf(hub->state_dir, sizeof(hub->state_dir), "%.80s/agent", hub->world.dir);
    tunnel_world_identity(&hub->world, hub->state_dir, 1, hub->world.ca, FL_HOUR_MS);
    assert_true(fl_lifeline_pipe(&hub->lifeline[1], &hub->lifeline[0], &err));
    replica_dir_program(hub->program);
    name = strrchr(hub->program, '/');
    snprintf(name, 32, "/fairlead-agent");
    for (size_t i = 0; i < REPLICAS; i++) {
        fl_buf_init(&hub->kept[i].bytes, OUTPUT_MAX);
    }
    start_agent(hub);
    UNTIL(&hub->world, hub->world.inventories == 1);
}

static void end(struct hub *hub)
{
    for (size_t i = 0; i < REPLICAS; i++) {
        fl_buf_fini(&hub->kept[i].bytes);
    }
    close(hub->lifeline[0]);
    close(hub->lifeline[1]);
    tunnel_world_fini(&hub->world);
}

static bool are_all(const struct hub *hub, enum fl_replica_state state)
{
    for (size_t i = 0; i < REPLICAS; i++) {
        if (hub->states[i] != state) return false;
    }
    return true;
}

/* How many directories of replicas there are. */
static size_t directories(const struct hub *hub)
{
    char path[TUNNEL_WORLD_PATH_MAX + 16];
    struct dirent *entry;
    size_t found = 0;
    DIR *folder;

    snprintf(path, sizeof(path), "%s/replicas", hub->state_dir);
    folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        found += entry->d_name[0] != '.';
    }
    closedir(folder);
    return found;
}

static void a_killed_agent_loses_no_job_no_exit_code_and_no_byte(void **state)
{
    static const char document[] =
        "{\"replicas\":2,\"command\":[\"sh\",\"-c\",\"i=0; while [ $i -lt 20000 ]; do echo line $i;"
        "i=$((i+1)); [ $((i % 200)) = 0 ] && sleep 0.01; done;"
        "until [ -e ../go-on ]; do sleep 0.02; done; printf last; exit $((40 + "
        "FAIRLEAD_REPLICA))\"]}";
    struct hub hub;
    char line[64];

    (void)state;
    begin(&hub, document);
    tunnel_world_send(&hub.world, CORE_SEND_start, attempt);
    UNTIL(&hub.world, are_all(&hub, FL_REPLICA_created));
    tunnel_world_send(&hub.world, CORE_SEND_go, attempt);
    UNTIL(&hub.world, are_all(&hub, FL_REPLICA_running));
    for (uint64_t i = 1; i <= 3; i++) { /* while they write */
        UNTIL(&hub.world, hub.kept[0].bytes.len > i * 10000 && hub.kept[1].bytes.len > 100);
        end_agent(&hub, SIGKILL);
        start_agent(&hub);
        UNTIL(&hub.world, hub.world.inventories == 1 + i);
        assert_int_equal(hub.listed, REPLICAS);
    }
    for (uint32_t i = 0; i < REPLICAS; i++) {
        char path[TUNNEL_WORLD_PATH_MAX + 64];
        int fd;

        snprintf(path, sizeof(path), "%s/replicas/job-1-0-1-1-%u/go-on", hub.state_dir, i);
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        close(fd);
    }
    UNTIL(&hub.world, are_all(&hub, FL_REPLICA_exited));
    UNTIL(&hub.world, hub.kept[0].is_ended && hub.kept[1].is_ended);
    for (uint32_t i = 0; i < REPLICAS; i++) {
        const char *at = (const char *)hub.kept[i].bytes.at;

        assert_int_equal(hub.exit_codes[i], 40 + i);
        for (int n = 0; n < 20000; n++) {
            int len = snprintf(line, sizeof(line), "line %d\n", n);

            if (memcmp(at, line, (size_t)len) != 0) fail_msg("line %d of replica %u", n, i);
            at += len;
        }
        assert_int_equal(hub.kept[i].bytes.len - (size_t)(at - (const char *)hub.kept[i].bytes.at),
                         4);
        assert_memory_equal(at, "last", 4);
    }
    UNTIL(&hub.world, directories(&hub) == 0);
    assert_int_equal(end_agent(&hub, SIGTERM), 0);
    end(&hub);
}

FL_TESTS(cmocka_unit_test(a_killed_agent_loses_no_job_no_exit_code_and_no_byte))
