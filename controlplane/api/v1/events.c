/* Events: committed rows, live, and from the journal those that a follower has not seen.  A
 * follower knows the place behind the last row it was given.  A notice that goes on exactly there
 * is given at once; otherwise, or when the peer had no room, it is read from the journal until it
 * is there again.  So nothing is kept for a follower but that place, and none is skipped.
 * A token of one queue sees the events of jobs while they are in it.  Live, job_queue_map has the
 * queues; a follower that meets a job without one reads the journal, and the queues with it. */
#include "controlplane/api/v1/events.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/stream.h"
#include "controlplane/api/v1/event_json.h"
#include "controlplane/api/v1/event_page.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/job_queue_map.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/core/row_deed.h"
#include "controlplane/store/read_events.h"
#include "controlplane/store/read_job_queues.h"
#include "controlplane/views/directory.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"

enum {
    EVENT_BYTES_MAX = 8192,
    RETRY_MS = 1000,
    NEWEST_RETRY_MS = 500,
    AHEAD_MAX = 10000,
    LIVE_ROWS_MAX = 2000,
    NEWS_BATCHES_MAX = 100
};
_Static_assert(EVENT_BYTES_MAX <= HTTP_STREAM_PIECE_BYTES, "an event is one piece");

/* A record of the audit about a job. */
struct deed {
    uint64_t batch;
    struct row_deed what;
    size_t by_len;
    char by[ROW_ACTOR_BYTES_MAX];
};

struct follower {
    struct api_stream stream; /* first */
    struct event_filter filter;
    struct event_place next;   /* not given yet; batch 0: not known, live from now on */
    bool is_placed;            /* the newest batch was known, see 'place' */
    struct event_place passed; /* the row that was given or passed over last; batch 0: none yet */
    bool is_of_ended;          /* the job had ended before the follower came */
    bool must_walk;            /* a past is read by the whole journal, not by the job's tables */
    bool must_ask_queue;       /* before the past is read: that of its job */
    struct fl_queue_id in;     /* in a past: its job's queue at 'next'; 0: not known */
    uint64_t live_from;        /* the past ends here, and it is live then; 0: the job has ended */
    bool is_over;              /* its job's last event was sent */
    bool must_reset;           /* sent before all else, once there is room */
    uint64_t ask;              /* a read that has not been answered; 0: none */
    struct fl_timer retry;     /* after a read that failed */
    struct fl_buf event;
    struct event_page *page; /* its queues are asked for */
    char sign[EVENT_PLACE_TEXT_MAX + 16];
    struct deed deed; /* the newest */
};

static void catch_up(struct follower *follower);

static struct api *api_of(struct follower *follower)
{
    return follower->stream.api;
}

/* Follows the jobs of one queue, so that the queue of each job must be known. */
static bool is_of_queue(const struct follower *follower)
{
    return follower->filter.is_limited && follower->filter.job.n == 0;
}

/* ---- giving ---------------------------------------------------------------------------------- */

static bool is_before(struct event_place a, struct event_place b)
{
    return a.batch < b.batch || (a.batch == b.batch && a.row < b.row);
}

/* True: the row only says who did those behind it. */
static bool take_deed(struct follower *follower, uint64_t batch, const struct row *row)
{
    struct row_deed what = row_deed(row);

    if (what.job.n == 0) return false;
    fl_assert(row->audit.actor.len <= sizeof follower->deed.by);
    follower->deed.batch = batch;
    follower->deed.what = what;
    follower->deed.by_len = row->audit.actor.len;
    memcpy(follower->deed.by, row->audit.actor.at, row->audit.actor.len);
    return true;
}

/* The actor that set or cleared this mark; empty: it is no mark, or a deadline set it. */
static struct fl_str doer(const struct follower *follower, uint64_t batch, const struct row *row)
{
    const struct deed *deed = &follower->deed;
    bool is_mark = row->kind == ROW_mark_set || row->kind == ROW_mark_clear;
    uint8_t kind = row->kind == ROW_mark_set ? row->mark_set.kind : row->mark_clear.kind;

    if (!is_mark || deed->batch != batch || kind != deed->what.mark ||
        row_job(row) != deed->what.job.n) {
        return (struct fl_str){0};
    }
    return (struct fl_str){deed->by, deed->by_len};
}

/* The queue of the follower's job just before this row of its past; live, the job is in the token's
 * queue until the stream ends. */
static struct fl_queue_id queue_before(struct follower *follower, const struct row *row)
{
    struct fl_queue_id queue = follower->in;

    if (row_job(row) != follower->filter.job.n) return queue;
    if (row->kind == ROW_job_new) queue.n = row->job_new.queue;
    follower->in = queue;
    if (row->kind == ROW_job_edit) follower->in.n = row->job_edit.queue;
    return follower->filter.is_past ? queue : follower->filter.queue;
}

/* False: the peer has no room, and 'next' is that row. */
static bool give_row(struct follower *follower, uint64_t batch, uint32_t n, fl_ms at,
                     const struct row *row, struct fl_queue_id queue)
{
    struct event_place place = {batch, n};
    struct event_note note = {.queue = queue, .by = doer(follower, batch, row)};

    if (follower->filter.job.n != 0) note.queue = queue_before(follower, row);
    if (take_deed(follower, batch, row) || is_before(place, follower->next)) return true;
    fl_buf_clear(&follower->event);
    if (event_write(&follower->event, place, at, row, &note, &follower->filter,
                    api_of(follower)->parts.directory) &&
        !follower->event.is_over) {
        struct fl_str piece = {(const char *)follower->event.at, follower->event.len};
        const char *data = memmem(piece.at, piece.len, "data: ", 6);

        /* Lines are the data alone. */
        if (!follower->stream.is_sse) {
            piece.len -= (size_t)(data + 6 - piece.at) + 1;
            piece.at = data + 6;
        }
        if (!api_stream_put(&follower->stream, piece)) {
            follower->next = place;
            return false;
        }
    }
    follower->next = (struct event_place){batch, n + 1};
    follower->passed = place;
    if (event_is_end(row, &follower->filter)) follower->is_over = true;
    return true;
}

static void reset(struct follower *follower)
{
    struct fl_str text = follower->stream.is_sse
                             ? FL_STR("event: reset\ndata: {\"type\":\"reset\"}\n\n")
                             : FL_STR("{\"type\":\"reset\"}\n");

    follower->next = (struct event_place){api_of(follower)->batch_newest + 1, 0};
    follower->passed = (struct event_place){0};
    follower->must_reset = !api_stream_put(&follower->stream, text);
}

/* All that was before the follower came has been given. */
static bool is_history_over(const struct follower *follower, const struct read_events *events)
{
    return !events->has_more ||
           (follower->live_from != 0 && events->batch + 1 >= follower->live_from);
}

/* Where a job's past ends for the follower, whose rows up to 'batch' it has been given.  Later news
 * without a row in the job's tables, above all that a replica runs, are in the journal alone: they
 * are read there as long as that is short.  A past that was read there goes on at its end. */
static struct event_place behind_history(const struct follower *follower, uint64_t batch)
{
    struct event_place live = {follower->live_from, 0}, behind = {batch + 1, 0};
    bool is_short = is_before(behind, live) && live.batch - behind.batch <= NEWS_BATCHES_MAX;

    if (follower->must_walk && is_before(follower->next, live)) return follower->next;
    return is_short && !follower->must_walk ? behind : live;
}

/* True: it is gone. */
static bool end_if_over(struct follower *follower)
{
    bool is_over = follower->is_over;

    if (is_over) api_stream_end(&follower->stream);
    return is_over;
}

/* ---- from the journal ------------------------------------------------------------------------ */

static void retry(void *ctx)
{
    catch_up(ctx);
}

/* All rows up to 'batch', and the first 'row' of the next one, were given. */
static void finish_page(struct follower *follower, uint64_t batch, uint32_t row)
{
    struct event_place behind = {batch + 1, row};

    if (is_before(follower->next, behind)) follower->next = behind;
}

static void drop_page(struct follower *follower)
{
    if (!follower->page) return;
    event_page_fini(follower->page);
    fl_free(follower->page);
    follower->page = NULL;
}

/* A page that ends with a batch tells how its jobs stand there. */
static void teach_map(const struct event_page *page, struct job_queue_map *map)
{
    if (page->row > 0) return;
    for (size_t i = 0; i < page->jobs.len; i++) {
        struct fl_job job = {page->jobs.at[i]};
        struct fl_queue_id queue = {event_page_queue(page, job.n)};

        if (queue.n != 0) job_queue_map_learn(map, job, queue, page->batch);
    }
}

static void give_page(struct follower *follower)
{
    struct event_page *page = follower->page;
    const struct event_page_row *row;
    bool had_room = true;

    while (had_room && (row = event_page_next(page))) {
        had_room = give_row(follower, row->batch, row->n, row->at, &row->row,
                            (struct fl_queue_id){row->queue});
    }
    if (had_room) {
        teach_map(page, api_of(follower)->job_queues);
        finish_page(follower, page->batch, page->row);
    }
    drop_page(follower);
    if (had_room) catch_up(follower); /* else it goes on with on_room */
}

static void on_queues(void *ctx, const struct read_job_queues *queues)
{
    struct follower *follower = ctx;

    follower->ask = 0;
    if (queues->err) {
        fl_log(FL_LOG_WARN, "api", "job_queues_not_read", FL_LOG_ERR(queues->err));
        drop_page(follower);
        fl_timer_in(&follower->retry, RETRY_MS);
        return;
    }
    for (size_t i = 0; i < queues->len; i++) {
        event_page_learn(follower->page, queues->at[i].job.n, queues->at[i].queue.n);
    }
    give_page(follower);
}

static void take_page(struct follower *follower, const struct read_events *events)
{
    struct api *api = api_of(follower);
    struct event_page *page = fl_new(struct event_page);
    struct fl_err err = {0};

    event_page_init(page);
    event_page_take(page, events);
    follower->page = page;
    if (page->unknown.len == 0) {
        give_page(follower);
        return;
    }
    follower->ask = read_job_queues(api->parts.reader, page->unknown.at, page->unknown.len,
                                    page->first, on_queues, follower, &err);
    api->parts.asked(api->parts.asked_ctx);
    if (follower->ask != 0) return;
    drop_page(follower);
    fl_timer_in(&follower->retry, RETRY_MS);
}

/* False: the peer had no room. */
static bool give_events(struct follower *follower, const struct read_events *events)
{
    bool had_room = true;

    for (size_t i = 0; i < events->len && had_room && !follower->is_over; i++) {
        const struct read_event *event = &events->at[i];

        if (follower->filter.is_past && follower->live_from != 0 &&
            event->batch >= follower->live_from) {
            continue;
        }
        had_room = give_row(follower, event->batch, event->n, event->at, &event->row,
                            (struct fl_queue_id){0});
    }
    return had_room;
}

/* Takes note of rows in the batch before the first one that was asked for. */
static void take_passed(struct follower *follower, const struct read_events *events)
{
    FL_IGNORE(take_deed(follower, follower->next.batch, &events->deed));
    for (size_t i = 0; i < events->edits_len; i++) {
        if (events->edits[i].job == follower->filter.job.n) {
            follower->in.n = events->edits[i].queue;
        }
    }
}

static void on_events(void *ctx, const struct read_events *events)
{
    struct follower *follower = ctx;

    follower->ask = 0;
    if (events->unknown > 0) {
        fl_log(FL_LOG_WARN, "api", "rows_of_a_newer_program", FL_LOG_N("rows", events->unknown),
               FL_LOG_N("up_to_batch", events->batch));
    }
    if (events->err) {
        fl_log(FL_LOG_WARN, "api", "events_not_read", FL_LOG_ERR(events->err));
        fl_timer_in(&follower->retry, RETRY_MS);
        return;
    }
    if (follower->filter.job.n == 0 && events->first > follower->next.batch) {
        reset(follower); /* the journal does not go back so far any more */
        catch_up(follower);
        return;
    }
    take_passed(follower, events);
    if (is_of_queue(follower)) {
        take_page(follower, events);
        return;
    }
    if (!give_events(follower, events)) return; /* goes on with on_room */
    if (end_if_over(follower)) return;
    finish_page(follower, events->batch, events->row);
    if (events->must_walk) follower->must_walk = true;
    if (follower->filter.is_past && is_history_over(follower, events)) {
        follower->is_over = follower->live_from == 0;
        follower->filter.is_past = false;
        follower->next = behind_history(follower, events->batch);
        if (end_if_over(follower)) return;
    }
    catch_up(follower);
}

/* Decides which part is history for the follower, once the newest batch is known: a front that has
 * just begun to serve must ask for it. */
static void place(struct follower *follower)
{
    uint64_t newest = api_of(follower)->batch_newest;
    bool is_new = follower->next.batch == 0;

    if (newest == 0 || follower->is_placed) return;
    follower->is_placed = true;
    if (follower->filter.job.n != 0 && (is_new || follower->is_of_ended)) {
        follower->filter.is_past = true;
        follower->live_from = follower->is_of_ended ? 0 : newest + 1;
        follower->must_ask_queue = !is_new && follower->filter.is_limited;
        if (is_new) follower->next = (struct event_place){1, 0};
    } else if (follower->filter.job.n != 0 && follower->filter.is_limited &&
               follower->next.batch <= newest) {
        /* Moves of this past may lead back to the token's queue, where the job is now. */
        follower->filter.is_past = follower->must_walk = follower->must_ask_queue = true;
        follower->live_from = newest + 1;
    } else if (follower->next.batch > newest + AHEAD_MAX) {
        /* A place far from being there is one of another history; a few batches may be on their way
         * here. */
        reset(follower);
    }
}

static void on_queue_of_past(void *ctx, const struct read_job_queues *queues)
{
    struct follower *follower = ctx;

    follower->ask = 0;
    if (queues->err) {
        fl_log(FL_LOG_WARN, "api", "job_queues_not_read", FL_LOG_ERR(queues->err));
        fl_timer_in(&follower->retry, RETRY_MS);
        return;
    }
    follower->must_ask_queue = false;
    if (queues->len > 0) follower->in = queues->at[0].queue;
    catch_up(follower);
}

static void catch_up(struct follower *follower)
{
    struct api *api = api_of(follower);
    struct fl_err err = {0};

    place(follower);
    if (!follower->is_placed || follower->ask != 0 || follower->next.batch == 0) return;
    if (follower->must_reset) reset(follower);
    if (!follower->filter.is_past && follower->next.batch > api->batch_newest) {
        return; /* it is live */
    }
    if (follower->must_ask_queue) {
        follower->ask = read_job_queues(api->parts.reader, &follower->filter.job.n, 1,
                                        follower->next.batch, on_queue_of_past, follower, &err);
    } else if (follower->filter.is_past && !follower->must_walk) {
        follower->ask =
            read_events_of_job(api->parts.reader, follower->filter.job, follower->next.batch - 1,
                               follower->next.row, on_events, follower, &err);
    } else {
        follower->ask =
            read_events_since(api->parts.reader, follower->next.batch - 1, follower->next.row,
                              follower->filter.job, on_events, follower, &err);
    }
    api->parts.asked(api->parts.asked_ctx);
    if (follower->ask == 0) fl_timer_in(&follower->retry, RETRY_MS);
}

/* ---- live ------------------------------------------------------------------------------------ */

/* The row's job has a queue that the map does not know. */
static bool must_look_up(const struct follower *follower, const struct row *row, uint32_t queue)
{
    return is_of_queue(follower) && queue == 0 && row_job(row) != 0 && event_tells(row);
}

/* 'left' is how many rows may still be given in this turn: a follower that gets no more
 * reads them from the journal, as does one that needs a queue that is not known. */
static void notice_to(struct follower *follower, uint64_t batch, fl_ms at, struct fl_str rows,
                      const uint32_t *queues, uint32_t *left)
{
    struct fl_reader reader = fl_reader(rows.at, rows.len);
    struct fl_err err = {0};

    if (!follower->is_placed) catch_up(follower);
    if (follower->ask != 0 || follower->filter.is_past || follower->must_reset) return;
    if (follower->next.batch == 0) follower->next = (struct event_place){batch, 0};
    if (batch < follower->next.batch) return;
    if (batch > follower->next.batch || rows.len == 0) {
        catch_up(follower);
        return;
    }
    for (uint32_t n = 0; reader.pos < reader.len; n++) {
        struct row row;

        if (*left == 0) {
            catch_up(follower);
            return;
        }
        --*left;
        /* The engine of this process wrote them. */
        if (!row_decode(&reader, &row, &err)) fl_unreachable("a batch's own rows can be read");
        if (must_look_up(follower, &row, queues[n])) {
            catch_up(follower);
            return;
        }
        if (!give_row(follower, batch, n, at, &row, (struct fl_queue_id){queues[n]})) return;
        if (end_if_over(follower)) return;
    }
    follower->next = (struct event_place){batch + 1, 0};
}

/* A reader of an ended job's output learns that nothing else will come. */
static void settle_ended(struct api *api, struct fl_str rows)
{
    struct fl_reader reader = fl_reader(rows.at, rows.len);
    struct fl_err err = {0};
    struct row row;

    while (reader.pos < reader.len) {
        if (!row_decode(&reader, &row, &err)) fl_unreachable("a batch's own rows can be read");
        if (row.kind == ROW_job_end) api_logs_settle(api, (struct fl_job){row.job_end.job});
    }
}

void api_turn(struct api *api)
{
    if (api->job_queues) job_queue_map_turn(api->job_queues);
}

static void notice_followers(struct api *api, uint64_t batch, fl_ms at, struct fl_str rows)
{
    uint32_t left = LIVE_ROWS_MAX, queues[LIVE_ROWS_MAX] = {0};

    if (api->job_queues) {
        job_queue_map_notice(api->job_queues, batch, rows, queues, LIVE_ROWS_MAX);
    }
    /* One that ends leaves the list: walked from its end. */
    for (size_t i = api->followers.len; i > 0; i--) {
        notice_to(api->followers.at[i - 1], batch, at, rows, queues, &left);
    }
}

void api_notice(struct api *api, uint64_t batch, fl_ms at, struct fl_str rows)
{
    if (batch > api->batch_newest) api->batch_newest = batch;
    if (api->tails.len > 0 && rows.len == 0) {
        api_logs_catch_up(api);
    } else if (api->tails.len > 0) {
        settle_ended(api, rows);
    }
    if (api->job_queues || api->followers.len > 0) notice_followers(api, batch, at, rows);
}

/* The newest batch, before the first notice tells it. */
static void on_newest(void *ctx, const struct read_events *events)
{
    struct api *api = ctx;

    if (events->err) {
        fl_timer_in(&api->newest, NEWEST_RETRY_MS);
        return;
    }
    if (events->batch > api->batch_newest) api->batch_newest = events->batch;
    api_events_catch_up(api);
    api_logs_catch_up(api);
}

void api_ask_newest(void *ctx)
{
    struct api *api = ctx;
    struct fl_err err = {0};

    if (read_events_newest(api->parts.reader, on_newest, api, &err) == 0) {
        fl_timer_in(&api->newest, NEWEST_RETRY_MS);
    }
    api->parts.asked(api->parts.asked_ctx);
}

/* ---- a follower's life ----------------------------------------------------------------------- */

static void on_room(struct api_stream *stream)
{
    catch_up((struct follower *)stream);
}

/* A comment, and the id from which to go on: a filter may pass over rows for long. */
static struct fl_str sign(struct api_stream *stream)
{
    struct follower *follower = (struct follower *)stream;
    char id[EVENT_PLACE_TEXT_MAX];

    if (follower->passed.batch == 0) return FL_STR(":\n\n");
    event_place_print(follower->passed, id);
    snprintf(follower->sign, sizeof follower->sign, ":\nid: %s\n\n", id);
    return fl_str_c(follower->sign);
}

/* The map is there while a front has followers of one queue. */
static void count_limited(struct api *api, bool is_more)
{
    api->limited = is_more ? api->limited + 1 : api->limited - 1;
    if (api->limited > 0 && !api->job_queues) api->job_queues = job_queue_map_create();
    if (api->limited > 0) return;
    job_queue_map_destroy(api->job_queues);
    api->job_queues = NULL;
}

static void on_gone(struct api_stream *stream)
{
    struct follower *follower = (struct follower *)stream;
    struct api *api = stream->api;

    for (size_t i = 0; i < api->followers.len; i++) {
        if (api->followers.at[i] != follower) continue;
        api->followers.at[i] = api->followers.at[api->followers.len - 1];
        api->followers.len--;
        break;
    }
    if (is_of_queue(follower)) count_limited(api, false);
    if (follower->ask != 0) reader_forget(api->parts.reader, follower->ask);
    drop_page(follower);
    fl_timer_off(&follower->retry);
    fl_buf_fini(&follower->event);
    fl_free(follower);
}

/* Where the peer says it is; false: the call was answered. */
static bool read_place(struct api_call *call, struct event_place *ret_next)
{
    struct fl_str id = api_header(call, "last-event-id");

    *ret_next = (struct event_place){0};
    if (id.len == 0) return true;
    if (!event_place_parse(id, ret_next) || ret_next->batch == 0) {
        api_fail_header(call, "Last-Event-ID", "not the id of an event", id, "'id' of an event");
        return false;
    }
    ret_next->row++;
    return true;
}

/* A token's queue was there when the token was made, and its row stays. */
static void limit(struct api_call *call, struct event_filter *filter)
{
    filter->is_limited = call->token.queue[0] != 0;
    if (!filter->is_limited) return;
    if (!directory_queue_id(call->parts->directory, fl_str_c(call->token.queue), &filter->queue)) {
        filter->queue = (struct fl_queue_id){0}; /* the follower gets nothing of it */
    }
}

static void follow(struct api_call *call, const struct event_filter *filter, bool is_ended)
{
    struct api *api = call->api;
    struct follower *follower;
    struct event_place next;
    bool is_sse;

    if (!read_place(call, &next) || !api_stream_form(call, &is_sse)) return;
    api_want_rows(api);
    follower = fl_new(struct follower);
    follower->filter = *filter;
    follower->next = next;
    limit(call, &follower->filter);
    follower->stream.sign = sign;
    follower->stream.on_room = on_room;
    follower->stream.on_gone = on_gone;
    follower->is_of_ended = is_ended;
    fl_buf_init(&follower->event, EVENT_BYTES_MAX);
    fl_timer_init(&follower->retry, api->parts.loop, retry, follower);
    if (!api_stream_open(&follower->stream, call,
                         is_sse ? "text/event-stream" : "application/x-ndjson")) {
        fl_buf_fini(&follower->event);
        fl_free(follower);
        return;
    }
    fl_vec_push(&api->followers, follower);
    if (is_of_queue(follower)) count_limited(api, true);
    if (api_drop(call)) fl_unreachable("a call that gave its request away has none");
    /* The head goes out at once, with a first sign of life. */
    if (is_sse && !api_stream_put(&follower->stream, FL_STR(": fairlead\n\n"))) return;
    catch_up(follower);
}

static void follow_job(struct api_call *call, struct fl_job job)
{
    struct event_filter filter = {.job = job};

    follow(call, &filter, false);
}

static void follow_ended(struct api_call *call, const struct read_job *job)
{
    struct event_filter filter = {.job = job->job};

    follow(call, &filter, true);
}

static void job_events(struct api_call *call)
{
    api_want_rows(call->api);
    job_lookup(call, follow_job, follow_ended);
}

static bool read_topics(struct api_call *call, struct event_filter *filter)
{
    struct fl_str list = api_query(call, "topics"), word;

    if (list.len == 0) {
        filter->jobs = filter->queues = filter->clusters = true;
        return true;
    }
    while (fl_str_next_word(&list, ',', &word)) {
        if (fl_str_eq(word, FL_STR("jobs"))) {
            filter->jobs = true;
        } else if (fl_str_eq(word, FL_STR("queues"))) {
            filter->queues = true;
        } else if (fl_str_eq(word, FL_STR("clusters"))) {
            filter->clusters = true;
        } else {
            api_fail_parameter(call, "topics", "unknown topic", word, "jobs, queues, clusters");
            return false;
        }
    }
    return true;
}

static void all_events(struct api_call *call)
{
    struct event_filter filter = {0};

    if (read_topics(call, &filter)) follow(call, &filter, false);
}

void api_events_catch_up(struct api *api)
{
    for (size_t i = api->followers.len; i > 0; i--) {
        catch_up(api->followers.at[i - 1]);
    }
}

void api_events_fini(struct api *api)
{
    while (api->followers.len > 0) {
        api_stream_end(&api->followers.at[api->followers.len - 1]->stream);
    }
    fl_vec_fini(&api->followers);
    api_logs_fini(api);
}

static const struct api_field topic_query[] = {
    API_MAY("topics", "string", "jobs, queues, clusters, separated by commas; without it, all"),
    {0},
};

static const struct api_also lines_also[] = {
    {200, "application/x-ndjson", "Event", "with Accept: an object a line"},
    {0},
};

const struct api_route event_routes[] = {
    API_ROUTE(API_GET, "/v1/jobs/{job}/events", API_NEED_read, job_events, "followJob",
              "follows one job, from its beginning or from behind Last-Event-ID; ends with the job",
              .headers = API_TAKES_event_id, .gives = "text/event-stream", .answer = "Event",
              .also = lines_also),
    API_ROUTE(
        API_GET, "/v1/events", API_NEED_read, all_events, "followEvents",
        "follows everything that happens, for a token of one queue there and on clusters, from "
        "now on or from behind Last-Event-ID; 'reset' says that what was missed is not kept "
        "any more: look anew",
        .query = topic_query, .headers = API_TAKES_event_id, .gives = "text/event-stream",
        .answer = "Event", .also = lines_also),
    {0},
};
