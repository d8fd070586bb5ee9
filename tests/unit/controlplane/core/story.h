/* story.h - the core's rules told as stories: events in plain words, and below them, indented, the
 * core's answer.
 *
 *   5s submit ml x3 cpu=2      at five seconds; without a time, when the line before was
 *   submit ... &               the next line is stepped into the same batch
 *   . queue ml                 quietly: the outcome is not shown
 *   tick 60s                   a minute passes, tick by tick as the core asks for them
 *   config slice_max=4         each batch has one slice of so many looks; first line of a story
 *   next                       a batch for what is left, in which nothing else happens
 *   reload                     a fresh core from the rows so far; agents have to come again
 *   agent east up n1 cpu=8     hello, an empty inventory and a node report in one
 *
 * After every line the core is whole (core_check) and its rows are such as the schema takes; after
 * the last one a core loaded from them has the same hash.  Every error fails the test that runs.
 *
 *   story_tell(lines, &hash)
 *
 * All of it is in headers, since a unit test is one source: story_teller.h has the state,
 * story_requests.h and story_agents.h the verbs. */
#pragma once

#include "tests/unit/controlplane/core/story_agents.h"
#include "tests/unit/controlplane/core/story_requests.h"

static void configure(struct teller *teller)
{
    struct core_config *config = &teller->config;

    while (peek(teller)) {
        if (take_u32(teller, "jobs_max", &config->jobs_max)) continue;
        if (take_u32(teller, "elements_max", &config->elements_max)) continue;
        if (take_u32(teller, "queues_max", &config->queues_max)) continue;
        if (take_u32(teller, "clusters_max", &config->clusters_max)) continue;
        if (take_u32(teller, "shapes_max", &config->shapes_max)) continue;
        if (take_u32(teller, "queue_percent", &config->queue_percent)) continue;
        if (take_u32(teller, "owner_percent", &config->owner_percent)) continue;
        if (take_u32(teller, "nodes_max", &config->nodes_max)) continue;
        if (take_u32(teller, "unconfirmed_max", &config->unconfirmed_max)) continue;
        if (take_u32(teller, "starts_max", &config->round_starts_max)) continue;
        if (take_u32(teller, "start_ms", &config->start_ms)) continue;
        if (take_u32(teller, "stop_ms", &config->stop_ms)) continue;
        if (take_u32(teller, "inventory_ms", &config->inventory_ms)) continue;
        if (take_u32(teller, "slice_max", &config->slice_max)) {
            teller->is_in_slices = true;
            continue;
        }
        if (take(teller, "impossible_jobs=wait")) {
            config->refuses_impossible = false;
            continue;
        }
        wrong(teller, "no such limit");
    }
}

static void reload(struct teller *teller)
{
    struct core *fresh = loaded(teller);

    (void)take_u32(teller, "incarnation", &teller->incarnation);
    core_destroy(teller->core);
    teller->core = fresh;
    begin(teller);
}

/* The takeover found a loss: "lost ids=41 jobs=30 unsure=4 batches=7". */
static void lose(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_history, .actor = FL_STR("fairleadd")};

    event.history.is_lost = event.history.is_raised = true;
    event.history.incarnation = teller->incarnation;
    while (take_number(teller, "ids", &event.history.job_from) ||
           take_number(teller, "jobs", &event.history.jobs) ||
           take_number(teller, "unsure", &event.history.jobs_unsure) ||
           take_number(teller, "batches", &event.history.batches)) {
    }
    step(teller, &event);
}

static void accept_restore(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_accept_restore};

    ask(teller, &event);
}

static void room(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_room,
                               .room.job_below = strtoull(next(teller), NULL, 10)};

    step(teller, &event);
}

static void database(struct teller *teller)
{
    struct core_event event = {.kind = CORE_EV_db_back};

    if (take(teller, "away")) {
        event.kind = CORE_EV_db_away;
    } else if (!take(teller, "back")) {
        wrong(teller, "away or back");
    }
    step(teller, &event);
}

static void tick(struct teller *teller)
{
    fl_ms by = 0;

    if (peek(teller) && !is_time(next(teller), &by)) wrong(teller, "no time");
    pass_time(teller, teller->now + by);
}

static void play(struct teller *teller)
{
    const char *verb = next(teller);

    if (!teller->core) {
        if (strcmp(verb, "config") == 0) {
            configure(teller);
            return;
        }
        teller->core = core_create(&teller->config);
        begin(teller);
    }
    if (strcmp(verb, "submit") == 0) {
        submit(teller);
    } else if (strcmp(verb, "cancel") == 0) {
        job_request(teller, CORE_EV_cancel);
    } else if (strcmp(verb, "hold") == 0) {
        job_request(teller, CORE_EV_hold);
    } else if (strcmp(verb, "release") == 0) {
        job_request(teller, CORE_EV_release);
    } else if (strcmp(verb, "edit") == 0) {
        edit(teller);
    } else if (strcmp(verb, "read") == 0) {
        job_request(teller, CORE_EV_read_job);
    } else if (strcmp(verb, "explain") == 0) {
        job_request(teller, CORE_EV_explain);
    } else if (strcmp(verb, "list") == 0) {
        list(teller);
    } else if (strcmp(verb, "queue") == 0) {
        queue(teller);
    } else if (strcmp(verb, "cluster") == 0) {
        cluster(teller);
    } else if (strcmp(verb, "cordon") == 0) {
        cordon(teller, true);
    } else if (strcmp(verb, "uncordon") == 0) {
        cordon(teller, false);
    } else if (strcmp(verb, "forget") == 0) {
        of_cluster(teller, CORE_EV_cluster_forget);
    } else if (strcmp(verb, "revoke") == 0) {
        of_cluster(teller, CORE_EV_cluster_revoke);
    } else if (strcmp(verb, "unlock") == 0) {
        of_cluster(teller, CORE_EV_cluster_unlock);
    } else if (strcmp(verb, "drain") == 0) {
        drain(teller);
    } else if (strcmp(verb, "join") == 0) {
        join(teller);
    } else if (strcmp(verb, "unjoin") == 0) {
        unjoin(teller);
    } else if (strcmp(verb, "enrol") == 0) {
        enrol(teller);
    } else if (strcmp(verb, "renew") == 0) {
        renew(teller);
    } else if (strcmp(verb, "token") == 0) {
        token(teller);
    } else if (strcmp(verb, "denied") == 0) {
        denied(teller);
    } else if (strcmp(verb, "visit") == 0) {
        visit(teller);
    } else if (strcmp(verb, "untoken") == 0) {
        untoken(teller);
    } else if (strcmp(verb, "retoken") == 0) {
        retoken(teller);
    } else if (strcmp(verb, "clusters") == 0) {
        page(teller, CORE_EV_list_clusters);
    } else if (strcmp(verb, "queues") == 0) {
        page(teller, CORE_EV_list_queues);
    } else if (strcmp(verb, "nodes") == 0) {
        nodes(teller);
    } else if (strcmp(verb, "agent") == 0) {
        agent(teller);
    } else if (strcmp(verb, "tick") == 0) {
        tick(teller);
    } else if (strcmp(verb, "db") == 0) {
        database(teller);
    } else if (strcmp(verb, "lost") == 0) {
        lose(teller);
    } else if (strcmp(verb, "accept-restore") == 0) {
        accept_restore(teller);
    } else if (strcmp(verb, "room") == 0) {
        room(teller);
    } else if (strcmp(verb, "next") == 0) {
        ; /* a batch in which nothing happens */
    } else if (strcmp(verb, "reload") == 0) {
        reload(teller);
    } else {
        teller->word--;
        wrong(teller, "no such verb");
    }
    if (peek(teller)) wrong(teller, "too many words");
}

static void play_line(struct teller *teller, const char *line)
{
    char *copy = fl_arena_copy(&teller->arena, line, strlen(line)), *save = NULL;
    fl_ms at;
    bool goes_on = false;

    tell(teller, "%s\n", line);
    teller->words_len = teller->word = 0;
    for (char *at_word = strtok_r(copy, " ", &save); at_word;
         at_word = strtok_r(NULL, " ", &save)) {
        size_t len = strlen(at_word);
        bool has_comma = len > 1 && at_word[len - 1] == ',';

        assert_true(teller->words_len + 2 < WORDS_MAX);
        if (has_comma) at_word[len - 1] = '\0';
        teller->words[teller->words_len++] = at_word;
        if (has_comma) teller->words[teller->words_len++] = ",";
    }
    if (teller->words_len > 0 && strcmp(teller->words[teller->words_len - 1], "&") == 0) {
        goes_on = true;
        teller->words_len--;
    }
    teller->is_quiet = take(teller, ".");
    if (peek(teller) && is_time(peek(teller), &at)) {
        if (at < teller->now) wrong(teller, "time does not go back");
        teller->now = at;
        teller->word++;
    }
    play(teller);
    if (!goes_on && teller->core) close_batch(teller);
    fl_arena_reset(&teller->arena);
}

/* The story with what the core makes of it; 'lines' may hold an older telling, which is left out.
 * 'is_cpu_named': as it is when all cpu is a resource with a name.  *ret_hash is over all rows; the
 * caller frees the text. */
static char *story_tell_as(const char *lines, bool is_cpu_named, uint64_t *ret_hash)
{
    struct teller teller = {.config = core_config_default(),
                            .now = 1000,
                            .incarnation = 1,
                            .is_cpu_named = is_cpu_named};
    struct core *again;

    teller.out = fl_alloc(TEXT_MAX);
    teller.out[0] = '\0';
    while (*lines) {
        const char *end = strchr(lines, '\n');
        size_t len = end ? (size_t)(end - lines) : strlen(lines);
        char line[LINE_MAX_BYTES];

        assert_true(len < sizeof line);
        memcpy(line, lines, len);
        line[len] = '\0';
        lines += len + (end ? 1 : 0);
        if (line[0] == ' ') continue;
        if (line[0] == '#' || line[0] == '\0' || line[0] == '-') {
            tell(&teller, "%s\n", line);
        } else {
            play_line(&teller, line);
        }
    }
    assert_non_null(teller.core);
    again = loaded(&teller);
    *ret_hash = teller.fold.hash;
    core_destroy(again);
    core_destroy(teller.core);
    core_fold_fini(&teller.fold);
    fl_arena_fini(&teller.arena);
    return teller.out;
}

static char *story_tell(const char *lines, uint64_t *ret_hash)
{
    return story_tell_as(lines, false, ret_hash);
}
