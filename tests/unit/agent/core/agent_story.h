/* agent_story.h - scripts for the agent's core: events in plain words in, the story of what it did
 * out.  A script is lines of 'time event'; the harness is the shell around the core: it feeds a
 * tick whenever the deadline has come, between events and after each, and checks the core's state
 * after every step.
 *
 *   0 synced                              500 start 1 7.0.1 on 1,2 cpu 2 (control_seq 1)
 *   0 node 1 cpu 8 [foreign 2] [unready]  500 start 1 7.0.1 on 1 nospec
 *   0 nodegone 1                          510 go 2 7.0.1
 *   0 welcome 5                           520 stop 3 7.0.1 grace 5000
 *   0 resync 6                            530 ack 12
 *   0 down                                540 seen 7.0.1/0 exited 3 [on 1 cpu 2] [bytes 9]
 *   0 until                               550 gone 7.0.1/0
 *   0 restart (a fresh core; the lines after it are the runtime's)
 *
 * An attempt is job.element.number, with @incarnation when that is not 1. */
#pragma once

#include "agent/core/agent_core.h"
#include "tests/fl_test.h"

#include <inttypes.h>
#include <stdlib.h>

/* A synced agent with one node of 8 cpu in session 5, reported with #1. */
#define UP                                                                                         \
    "0 node 1 cpu 8\n"                                                                             \
    "0 synced\n"                                                                                   \
    "0 welcome 5\n"
#define UP_SAYS                                                                                    \
    "0 end 0\n"                                                                                    \
    "0 #1 node-1 free 8/8 mark 0\n"

struct agent_story {
    struct agent_core_config config;
    struct agent_core *core;
    struct agent_batch batch;
    char text[1 << 16]; /* the story so far */
    size_t len;
    uint64_t digest; /* over the items since the last inventory_end */
    uint32_t items;
    uint64_t session_epoch;
    bool has_begun; /* the inventory of this session */
    bool tells_nodes_end;
    uint32_t nodes_ends; /* in this session */
    uint64_t report_seq; /* newest seen: each is one more than the last */
};

static inline void agent_story_say(struct agent_story *story, const char *fmt, ...) FL_PRINTF(2, 3);

static inline void agent_story_say(struct agent_story *story, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(story->text + story->len, sizeof(story->text) - story->len, fmt, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < sizeof(story->text) - story->len);
    story->len += (size_t)len;
}

static inline void agent_story_say_attempt(struct agent_story *story, struct fl_attempt attempt)
{
    agent_story_say(story, "%" PRIu64 ".%u.%u", attempt.job.n, attempt.element, attempt.n);
    if (attempt.incarnation != 1) agent_story_say(story, "@%u", attempt.incarnation);
}

static inline void agent_story_say_replica(struct agent_story *story,
                                           const struct agent_command *command)
{
    agent_story_say_attempt(story, command->attempt);
    if (command->replica == AGENT_WHOLE_ATTEMPT) {
        agent_story_say(story, "/all");
    } else {
        agent_story_say(story, "/%u", command->replica);
    }
}

static inline void agent_story_say_state(struct agent_story *story,
                                         const struct agent_command *command)
{
    agent_story_say(story, " %s", fl_replica_state_name(command->report.state));
    if (command->report.state == FL_REPLICA_exited) {
        agent_story_say(story, " %d", command->report.exit_code);
    }
    if (command->report.cause) {
        agent_story_say(story, " (%s)", agent_cause_name(command->report.cause));
    }
    if (command->report.output_bytes) {
        agent_story_say(story, " %" PRIu64 " bytes", command->report.output_bytes);
    }
}

static inline void agent_story_say_report_seq(struct agent_story *story, uint64_t report_seq)
{
    assert_int_equal(report_seq, story->report_seq + 1);
    story->report_seq = report_seq;
    agent_story_say(story, "#%" PRIu64 " ", report_seq);
}

static inline void agent_story_say_command(struct agent_story *story, fl_ms now,
                                           const struct agent_command *command)
{
    if (command->kind ==
        AGENT_CMD_inventory_begin) { /* not told: it is before each inventory, or else */
        assert_true(command->inventory_begin.session_epoch == story->session_epoch);
        story->has_begun = true;
        story->nodes_ends = 0;
        return;
    }
    if (command->kind == AGENT_CMD_nodes_end && !story->tells_nodes_end) {
        /* Not told: once a session, and once more when a node is left out. */
        assert_true(story->nodes_ends++ == 0 || !command->nodes_end.is_whole);
        return;
    }
    if (agent_command_is_frame(command->kind)) assert_true(story->has_begun);
    agent_story_say(story, "%" PRId64 " ", now);
    switch (command->kind) {
    case AGENT_CMD_create:
        agent_story_say(story, "create ");
        agent_story_say_replica(story, command);
        agent_story_say(story, " on %u cpu %u", command->create.node,
                        command->create.resources.cpu_milli / 1000);
        for (size_t i = 0; i < command->create.named.len; i++) {
            agent_story_say(story, " %.*s %" PRIu64, FL_STR_ARG(command->create.named.at[i].name),
                            command->create.named.at[i].n);
        }
        assert_int_equal(command->create.spec.at[0], 0xab);
        break;
    case AGENT_CMD_stop:
        agent_story_say(story, "stop ");
        agent_story_say_replica(story, command);
        agent_story_say(story, " grace %u", command->stop.grace_ms);
        break;
    case AGENT_CMD_release:
    case AGENT_CMD_remove:
        agent_story_say(story, "%s ", agent_command_name(command->kind));
        agent_story_say_replica(story, command);
        break;
    case AGENT_CMD_inventory_begin:
        break;
    case AGENT_CMD_inventory_item:
        agent_story_say(story, "item ");
        agent_story_say_replica(story, command);
        agent_story_say_state(story, command);
        story->digest = fl_inventory_digest(story->digest, command->attempt, command->replica,
                                            command->report.state, command->report.exit_code);
        story->items++;
        break;
    case AGENT_CMD_inventory_end:
        agent_story_say(story, "end %u", command->inventory_end.count);
        assert_int_equal(command->inventory_end.count, story->items);
        assert_true(command->inventory_end.digest == story->digest);
        story->digest = story->items = 0;
        break;
    case AGENT_CMD_replica:
        agent_story_say_report_seq(story, command->report.report_seq);
        agent_story_say_replica(story, command);
        agent_story_say_state(story, command);
        break;
    case AGENT_CMD_node:
        agent_story_say_report_seq(story, command->node.report_seq);
        agent_story_say(story, "%.*s free %u/%u%s mark %" PRIu64, FL_STR_ARG(command->node.name),
                        command->node.free.cpu_milli / 1000, command->node.total.cpu_milli / 1000,
                        command->node.is_ready ? "" : " unready", command->node.mark);
        for (size_t i = 0; i < command->node.offers_len; i++) {
            const struct agent_offer *offer = &command->node.offers[i];

            agent_story_say(story, " %.*s %" PRIu64 "/%" PRIu64, FL_STR_ARG(offer->name),
                            offer->free, offer->total);
        }
        break;
    case AGENT_CMD_nodes_end:
        agent_story_say(story, "nodes end%s", command->nodes_end.is_whole ? "" : " cut");
        break;
    case AGENT_COMMANDS_LEN:
        fail();
    }
    agent_story_say(story, "\n");
}

static inline void agent_story_feed(struct agent_story *story, const struct agent_event *ev)
{
    if (ev->kind == AGENT_EV_session_up) {
        story->session_epoch = ev->session_up.session_epoch;
        story->has_begun = false;
    }
    agent_core_step(story->core, ev, &story->batch);
    agent_core_check(story->core);
    for (size_t i = 0; i < story->batch.commands.len; i++) {
        agent_story_say_command(story, ev->now, &story->batch.commands.at[i]);
    }
    agent_batch_reset(&story->batch);
}

/* Ticks until 'now', the one of 'now' itself included. */
static inline void agent_story_tick(struct agent_story *story, fl_ms last, fl_ms now)
{
    fl_ms deadline;

    while ((deadline = agent_core_next_deadline(story->core)) <= now) {
        if (deadline > last) last = deadline;
        agent_story_feed(story, &(struct agent_event){.kind = AGENT_EV_tick, .now = last});
        assert_true(agent_core_next_deadline(story->core) > last); /* nothing due is left undone */
    }
}

static inline struct fl_attempt agent_story_attempt(const char *word, uint32_t *ret_replica)
{
    struct fl_attempt attempt = {.incarnation = 1};
    char *end;

    attempt.job.n = strtoull(word, &end, 10);
    assert_int_equal(*end, '.');
    attempt.element = (uint32_t)strtoul(end + 1, &end, 10);
    assert_int_equal(*end, '.');
    attempt.n = (uint16_t)strtoul(end + 1, &end, 10);
    if (*end == '@') attempt.incarnation = (uint32_t)strtoul(end + 1, &end, 10);
    if (*end == '/' && ret_replica) *ret_replica = (uint32_t)strtoul(end + 1, &end, 10);
    assert_int_equal(*end, 0);
    return attempt;
}

static inline enum fl_replica_state agent_story_state(const char *word)
{
    int state = 0;

    while (strcmp(fl_replica_state_name(state), word) != 0) {
        state++;
    }
    return state;
}

static inline struct fl_resources agent_story_cpu(const char *word)
{
    return (struct fl_resources){.cpu_milli = (uint32_t)strtoul(word, NULL, 10) * 1000};
}

/* The word after 'key'; 'otherwise' if the line lacks that key. */
static inline const char *agent_story_option(char **words, const char *key, const char *otherwise)
{
    for (; **words; words++) {
        if (strcmp(*words, key) == 0) return words[1];
    }
    return otherwise;
}

/* Amounts of the resource "rdma/hca", for one event. */
struct agent_story_hca {
    struct fl_amount at[16];
    struct fl_amounts lists[16];
    size_t len;
};

static inline struct fl_amounts agent_story_hca(struct agent_story_hca *hca, char **words,
                                                const char *key)
{
    const char *number = agent_story_option(words, key, NULL);
    size_t i = hca->len++;

    if (!number) return (struct fl_amounts){0};
    assert_true(i < 16);
    hca->at[i] = (struct fl_amount){FL_STR("rdma/hca"), strtoull(number, NULL, 10)};
    return (struct fl_amounts){.at = &hca->at[i], .len = 1, .cap = 1};
}

static inline void agent_story_start(struct agent_event *ev, char **words, uint32_t *nodes,
                                     struct fl_resources *resources, struct agent_story_hca *hca)
{
    char *number = (char *)agent_story_option(words, "on", "");

    ev->kind = AGENT_EV_start;
    ev->start.control_seq = strtoull(words[1], NULL, 10);
    ev->start.attempt = agent_story_attempt(words[2], NULL);
    ev->start.spec.at[0] = 0xab;
    ev->start.nodes = nodes;
    while (*number) {
        resources[ev->start.replicas_len] = agent_story_cpu(agent_story_option(words, "cpu", "1"));
        hca->lists[ev->start.replicas_len] = agent_story_hca(hca, words, "hca");
        nodes[ev->start.replicas_len++] = (uint32_t)strtoul(number, &number, 10);
        number += *number == ',';
    }
    if (!agent_story_option(words, "nospec", NULL)) ev->start.resources = resources;
    if (agent_story_option(words, "hca", NULL)) ev->start.named = hca->lists;
}

static inline enum agent_command_kind agent_story_command(const char *word)
{
    int kind = 0;

    while (strcmp(agent_command_name((enum agent_command_kind)kind), word) != 0) {
        kind++;
        assert_true(kind < AGENT_COMMANDS_LEN);
    }
    return (enum agent_command_kind)kind;
}

static inline void agent_story_words(struct agent_event *ev, char **words, uint32_t *nodes,
                                     struct fl_resources *resources, char *name,
                                     struct agent_story_hca *hca)
{
    const char *verb = words[0];

    if (strcmp(verb, "synced") == 0) {
        ev->kind = AGENT_EV_synced;
    } else if (strcmp(verb, "welcome") == 0 || strcmp(verb, "resync") == 0) {
        ev->kind = AGENT_EV_session_up;
        ev->session_up.session_epoch = strtoull(words[1], NULL, 10);
        ev->session_up.is_new_connection = *verb == 'w';
    } else if (strcmp(verb, "down") == 0) {
        ev->kind = AGENT_EV_session_down;
    } else if (strcmp(verb, "start") == 0) {
        agent_story_start(ev, words, nodes, resources, hca);
    } else if (strcmp(verb, "go") == 0) {
        ev->kind = AGENT_EV_go;
        ev->go.control_seq = strtoull(words[1], NULL, 10);
        ev->go.attempt = agent_story_attempt(words[2], NULL);
    } else if (strcmp(verb, "stop") == 0) {
        ev->kind = AGENT_EV_stop;
        ev->stop.control_seq = strtoull(words[1], NULL, 10);
        ev->stop.attempt = agent_story_attempt(words[2], NULL);
        ev->stop.grace_ms = (uint32_t)strtoul(agent_story_option(words, "grace", "0"), NULL, 10);
    } else if (strcmp(verb, "ack") == 0) {
        ev->kind = AGENT_EV_ack;
        ev->ack.report_seq = strtoull(words[1], NULL, 10);
    } else if (strcmp(verb, "seen") == 0) {
        ev->kind = AGENT_EV_replica_seen;
        ev->replica_seen.attempt = agent_story_attempt(words[1], &ev->replica_seen.replica);
        ev->replica_seen.state = agent_story_state(words[2]);
        if (*words[3]) ev->replica_seen.exit_code = atoi(words[3]);
        ev->replica_seen.node = (uint32_t)atoi(agent_story_option(words, "on", "1"));
        ev->replica_seen.resources = agent_story_cpu(agent_story_option(words, "cpu", "0"));
        ev->replica_seen.named = agent_story_hca(hca, words, "hca");
        ev->replica_seen.output_bytes = (uint64_t)atoi(agent_story_option(words, "bytes", "0"));
    } else if (strcmp(verb, "gone") == 0) {
        ev->kind = AGENT_EV_replica_gone;
        ev->replica_gone.attempt = agent_story_attempt(words[1], &ev->replica_gone.replica);
    } else if (strcmp(verb, "undelivered") == 0) {
        ev->kind = AGENT_EV_undelivered;
        ev->undelivered.attempt = agent_story_attempt(words[1], &ev->undelivered.replica);
        ev->undelivered.command = agent_story_command(words[2]);
    } else if (strcmp(verb, "node") == 0) {
        ev->kind = AGENT_EV_node_seen;
        ev->node_seen.number = (uint32_t)atoi(words[1]);
        snprintf(name, 32, "node-%s", words[1]);
        ev->node_seen.name = fl_str_c(name);
        ev->node_seen.is_ready = !agent_story_option(words, "unready", NULL);
        ev->node_seen.total = agent_story_cpu(agent_story_option(words, "cpu", "0"));
        ev->node_seen.foreign = agent_story_cpu(agent_story_option(words, "foreign", "0"));
        ev->node_seen.named = agent_story_hca(hca, words, "hca");
        ev->node_seen.foreign_named = agent_story_hca(hca, words, "hcaforeign");
    } else if (strcmp(verb, "busy") == 0) {
        ev->kind = AGENT_EV_busy;
        ev->busy.is_on = atoi(words[1]) != 0;
    } else if (strcmp(verb, "nodegone") == 0) {
        ev->kind = AGENT_EV_node_gone;
        ev->node_gone.number = (uint32_t)atoi(words[1]);
    } else if (strcmp(verb, "leftout") == 0) {
        ev->kind = AGENT_EV_node_left_out;
    } else {
        fail_msg("no such event: %s", verb);
    }
}

static inline void agent_story_line(struct agent_story *story, char *line, fl_ms *last)
{
    char none[] = "";
    char *words[16];
    size_t words_len = 0;
    char *rest = NULL;
    uint32_t nodes[16];
    struct fl_resources resources[16];
    struct agent_story_hca hca = {0};
    char name[32];
    struct agent_event ev = {0};

    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(words_len < 15);
        words[words_len++] = word;
    }
    for (size_t i = words_len; i < 16; i++) {
        words[i] = none;
    }
    if (words_len == 0) return;
    assert_true(words_len > 1);
    ev.now = strtoll(words[0], NULL, 10);
    if (ev.now > *last) agent_story_tick(story, *last, ev.now - 1);
    *last = ev.now;
    if (strcmp(words[1], "restart") == 0) {
        agent_core_destroy(story->core);
        story->core = agent_core_create(&story->config);
        story->report_seq = 0;
        return;
    }
    if (strcmp(words[1], "until") != 0) {
        agent_story_words(&ev, &words[1], nodes, resources, name, &hca);
        agent_story_feed(story, &ev);
    }
    agent_story_tick(story, *last, *last);
}

/* Runs the script and compares; both end each line with a line break. */
static inline void agent_story_run(struct agent_core_config config, const char *script,
                                   const char *expected, bool tells_nodes_end)
{
    struct agent_story *story = fl_new(struct agent_story);
    char *copy = strdup(script);
    char *rest = NULL;
    fl_ms last = 0;

    story->config = config;
    story->tells_nodes_end = tells_nodes_end;
    story->core = agent_core_create(&config);
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        agent_story_line(story, line, &last);
    }
    assert_string_equal(story->text, expected);
    agent_core_destroy(story->core);
    agent_batch_fini(&story->batch);
    free(copy);
    fl_free(story);
}

static inline void agent_story_with(struct agent_core_config config, const char *script,
                                    const char *expected)
{
    agent_story_run(config, script, expected, false);
}

static inline void agent_story(const char *script, const char *expected)
{
    agent_story_with(agent_core_config_default(), script, expected);
}
