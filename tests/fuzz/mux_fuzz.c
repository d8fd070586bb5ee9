/* Two multiplexers back to back, with anything done to them in any order, and their bytes cut
 * anywhere.  Input: three bytes a step: the action, its end and stream, its size.
 * Property: control messages arrive in order, each once; the bytes of each stream arrive whole and
 * in order, and never more of them are under way or unread than its credit allows; neither end ever
 * takes the other for a breaker of rules; and when all sinks take what came, everything arrives.
 * The corpus was written by hand: control, bulk, stalled sinks, both ways, in small pieces.
 * The planted bug (planted/mux.patch) does not count small amounts that a sink has taken.
 *
 *     cmake --workflow --preset fuzz
 *     build/fuzz/tests/fuzz/mux_fuzz -max_total_time=60 DIR tests/fuzz/corpus/mux
 *     tests/fuzz/planted.sh mux */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/link/mux.h"

enum {
    STREAMS = 4, /* for each end: ids 1 3 5 7, and 2 4 6 8 */
    STREAM_BYTES = 3000,
    TUNNEL_BYTES = 8000,
    STEPS_MAX = 2000,
};

struct line {
    uint64_t wanted, sent, got, taken;
    bool is_open, is_stalled;
};

struct end {
    struct fl_mux *mux;
    struct line lines[STREAMS]; /* the streams that this end opened */
    uint64_t put, heard;        /* control messages */
    struct fl_buf wire;         /* bytes that it wrote and the other end has not got yet */
    size_t wire_pos;
    size_t pull_max;
};

struct run {
    struct end ends[2]; /* hub, agent */
    fl_ms now;
};

static uint8_t byte_at(size_t line, uint64_t place)
{
    return (uint8_t)(line * 57 + place * 13 + (place >> 7));
}

static size_t line_of(uint32_t stream)
{
    return (stream - 1) / 2;
}

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct end *end = ctx;
    struct line *line = &end->lines[line_of(stream)];
    size_t len = bytes_max;

    fl_assert(line->is_open);
    if (line->wanted - line->sent < len) len = line->wanted - line->sent;
    if (end->pull_max && end->pull_max < len) len = end->pull_max;
    for (size_t i = 0; i < len; i++) {
        at[i] = byte_at(line_of(stream), line->sent + i);
    }
    line->sent += len;
    return len;
}

static void take_item(struct end *to, struct end *from, const struct fl_mux_item *item)
{
    struct line *line;

    switch (item->kind) {
    case FL_MUX_ANSWER:
        fl_assert(item->answer == FL_LINK_DO_GREET || item->answer == FL_LINK_DO_BEGIN);
        break;
    case FL_MUX_MESSAGE:
        for (size_t i = 0; i < item->messages_len; i++) {
            const struct fl_msg *msg = &item->messages[i];
            uint64_t seq =
                msg->kind == FL_MSG_ack ? msg->ack.report_seq : msg->inventory_begin.session_epoch;

            fl_assert(msg->kind == FL_MSG_ack || msg->kind == FL_MSG_inventory_begin);
            fl_assert(seq == ++to->heard);
        }
        break;
    case FL_MUX_DATA:
        line = &from->lines[line_of(item->stream)];
        fl_assert(item->is_new == (line->got == 0));
        for (size_t i = 0; i < item->bytes.len; i++) {
            fl_assert((uint8_t)item->bytes.at[i] == byte_at(line_of(item->stream), line->got + i));
        }
        line->got += item->bytes.len;
        fl_assert(line->got <= line->sent);
        fl_assert(line->got - line->taken <= STREAM_BYTES);
        if (line->is_stalled) break;
        fl_mux_consumed(to->mux, item->stream, (uint32_t)(line->got - line->taken));
        line->taken = line->got;
        break;
    case FL_MUX_CLOSED:
        fl_unreachable("nobody closes a stream");
    }
}

/* Up to 'len' bytes of what 'from' wrote reach 'to'. */
static void carry(struct run *run, struct end *from, struct end *to, size_t len)
{
    size_t left = from->wire.len - from->wire_pos;
    struct fl_str bytes;
    struct fl_mux_item item;
    struct fl_err err = {0};
    char *copy;

    if (len > left) len = left;
    copy = malloc(len ? len : 1); /* so that AddressSanitizer sees who reads past its end */
    fl_assert(copy);
    if (len) memcpy(copy, from->wire.at + from->wire_pos, len);
    from->wire_pos += len;
    bytes = (struct fl_str){copy, len};
    while (fl_mux_receive(to->mux, &bytes, run->now, &item, &err)) {
        take_item(to, from, &item);
    }
    fl_assert(err.code == FL_OK);
    free(copy);
    if (from->wire_pos < from->wire.len) return;
    fl_buf_clear(&from->wire);
    from->wire_pos = 0;
}

static void write_some(struct run *run, struct end *end)
{
    if (end->wire.len > (1 << 20)) return;
    fl_assert(fl_mux_write(end->mux, run->now, &end->wire) <= FL_MUX_WRITE_BYTES_MAX);
}

static void say(struct end *end, bool is_hub)
{
    struct fl_msg msg = {.kind = is_hub ? FL_MSG_ack : FL_MSG_inventory_begin};

    end->put++;
    if (is_hub) msg.ack.report_seq = end->put;
    if (!is_hub) msg.inventory_begin.session_epoch = end->put;
    fl_mux_put(end->mux, &msg);
}

static void open_line(struct run *run, struct end *end)
{
    struct fl_err err = {0};
    uint32_t stream;

    for (size_t i = 0; i < STREAMS; i++) {
        bool is_open;

        if (end->lines[i].is_open) continue;
        is_open = fl_mux_open(end->mux, FL_FRAME_LOG, run->now, &stream, &err);
        fl_assert(is_open && line_of(stream) == i);
        end->lines[i].is_open = true;
        return;
    }
}

static void resume(struct end *from, struct end *to, uint32_t stream)
{
    struct line *line = &from->lines[line_of(stream)];

    line->is_stalled = false;
    if (line->got == line->taken) return;
    fl_mux_consumed(to->mux, stream, (uint32_t)(line->got - line->taken));
    line->taken = line->got;
}

static void greet(struct run *run)
{
    struct fl_flow_limits limits = fl_flow_limits();
    struct end *hub = &run->ends[0];
    struct end *agent = &run->ends[1];

    limits.stream_bytes = limits.stream_bytes_max = STREAM_BYTES;
    limits.tunnel_bytes = limits.tunnel_bytes_max = TUNNEL_BYTES;
    for (size_t i = 0; i < 2; i++) {
        struct fl_mux_config config = {.side = i ? FL_LINK_AGENT : FL_LINK_HUB,
                                       .flow = limits,
                                       .ping_ms = FL_LINK_PING_MS,
                                       .dead_ms = FL_LINK_DEAD_MS,
                                       .ctx = &run->ends[i],
                                       .pull = pull};

        run->ends[i].mux = fl_mux_create(&config, run->now);
        fl_buf_init(&run->ends[i].wire, 4 << 20);
    }
    fl_assert(fl_mux_step(agent->mux, FL_LINK_EV_tick, run->now) == FL_LINK_DO_DIAL);
    fl_assert(fl_mux_step(agent->mux, FL_LINK_EV_opened, run->now) == FL_LINK_DO_HELLO);
    fl_mux_put(agent->mux, &(struct fl_msg){.kind = FL_MSG_hello,
                                            .hello = {.protocol_min = 1, .protocol_max = 1}});
    write_some(run, agent);
    carry(run, agent, hub, SIZE_MAX);
    fl_assert(fl_mux_step(hub->mux, FL_LINK_EV_welcome, run->now) == FL_LINK_DO_WAIT);
    fl_mux_put(hub->mux, &(struct fl_msg){.kind = FL_MSG_welcome,
                                          .welcome = {.protocol = 1,
                                                      .ping_ms = 10000,
                                                      .dead_ms = 30000,
                                                      .stream_credit_bytes = STREAM_BYTES,
                                                      .tunnel_credit_bytes = TUNNEL_BYTES}});
    write_some(run, hub);
    carry(run, hub, agent, SIZE_MAX);
}

static void do_step(struct run *run, const uint8_t *step)
{
    size_t which = step[1] & 1;
    struct end *end = &run->ends[which];
    struct end *other = &run->ends[!which];
    size_t i = step[1] >> 1 & 3;
    uint32_t stream = (uint32_t)(2 * i + (which ? 1 : 2));
    size_t n = step[2];

    switch (step[0] % 9) {
    case 0:
        for (size_t k = 0; k <= n; k++) {
            say(end, which == 0);
        }
        break;
    case 1:
        open_line(run, end);
        break;
    case 2:
        if (!end->lines[i].is_open) break;
        end->lines[i].wanted += n * 40;
        fl_mux_wants(end->mux, stream, end->lines[i].wanted - end->lines[i].sent);
        break;
    case 3:
        write_some(run, end);
        break;
    case 4:
        carry(run, end, other, n < 128 ? n : n * n);
        break;
    case 5:
        end->lines[i].is_stalled = true;
        break;
    case 6:
        resume(end, other, stream);
        break;
    case 7:
        end->pull_max = n;
        break;
    case 8:
        run->now += (fl_ms)n; /* below ping_ms in all: no end is silent here */
        break;
    default:
        break;
    }
}

static void finish(struct run *run)
{
    for (size_t which = 0; which < 2; which++) {
        for (size_t i = 0; i < STREAMS; i++) {
            resume(&run->ends[which], &run->ends[!which], (uint32_t)(2 * i + (which ? 1 : 2)));
        }
        run->ends[which].pull_max = 0;
    }
    for (size_t round = 0; round < 100000; round++) {
        for (size_t which = 0; which < 2; which++) {
            write_some(run, &run->ends[which]);
            carry(run, &run->ends[which], &run->ends[!which], SIZE_MAX);
        }
        if (!fl_mux_has_output(run->ends[0].mux) && !fl_mux_has_output(run->ends[1].mux)) break;
    }
    for (size_t which = 0; which < 2; which++) {
        fl_assert(run->ends[!which].heard == run->ends[which].put);
        for (size_t i = 0; i < STREAMS; i++) {
            fl_assert(run->ends[which].lines[i].got == run->ends[which].lines[i].wanted);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run = {.now = 1000};

    if (size > (size_t)3 * STEPS_MAX) size = (size_t)3 * STEPS_MAX;
    greet(&run);
    for (size_t i = 0; i + 3 <= size; i += 3) {
        do_step(&run, data + i);
    }
    finish(&run);
    for (size_t i = 0; i < 2; i++) {
        fl_mux_destroy(run.ends[i].mux);
        fl_buf_fini(&run.ends[i].wire);
    }
    return 0;
}
