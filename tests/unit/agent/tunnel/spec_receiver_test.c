#include "agent/tunnel/spec_receiver.h"

#include "shared/link/blob.h"
#include "tests/fl_test.h"
#include "tests/unit/shared/link/stream_pair.h"

/* The hub's end sends what stands in 'out'. */
struct world {
    struct stream_pair tunnel;
    struct spec_receiver *receiver;
    struct fl_buf out;
    size_t pos;
};

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    return fl_fail(err, FL_UNSUPPORTED, "the hub opens it");
}

static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    (void)bytes;
    return fl_fail(err, FL_INVALID, "the hub sends");
}

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct world *world = ctx;
    size_t len = world->out.len - world->pos;

    (void)stream;
    if (len > 1000) len = 1000; /* documents are cut anywhere */
    if (len > bytes_max) len = bytes_max;
    memcpy(at, world->out.at + world->pos, len);
    world->pos += len;
    return len;
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    (void)ctx;
    (void)stream;
    (void)code;
    (void)text;
}

/* The digest of a document here: its first byte, repeated. */
static struct fl_digest digest_of(char first)
{
    struct fl_digest digest;

    memset(&digest, first, sizeof digest);
    return digest;
}

static bool is_right(void *ctx, struct fl_digest digest, struct fl_str document)
{
    struct fl_digest right = digest_of(document.at[0]);

    (void)ctx;
    return memcmp(&digest, &right, sizeof digest) == 0;
}

static void init(struct world *world)
{
    struct spec_receiver_port port = {world, is_right};
    struct fl_stream_kind hub = {FL_FRAME_BLOB, 1, world, on_open, on_data, on_pull, on_close};
    struct fl_stream_kind agent;

    *world = (struct world){.receiver = spec_receiver_create(&port)};
    fl_buf_init(&world->out, 4 << 20);
    stream_pair_init(&world->tunnel);
    agent = spec_receiver_stream(world->receiver);
    fl_streams_add(world->tunnel.hub.streams, &hub, 1);
    fl_streams_add(world->tunnel.agent.streams, &agent, 1);
}

static void fini(struct world *world)
{
    stream_pair_fini(&world->tunnel);
    spec_receiver_destroy(world->receiver);
    fl_buf_fini(&world->out);
}

static void put_document(struct world *world, struct fl_digest digest, char letter, uint32_t len)
{
    uint8_t header[FL_BLOB_HEADER_BYTES];

    fl_blob_header(digest, len, header);
    assert_true(fl_buf_put(&world->out, header, sizeof header));
    for (uint32_t i = 0; i < len; i++) {
        assert_true(fl_buf_put_u8(&world->out, (uint8_t)letter));
    }
}

static void send_all(struct world *world)
{
    struct fl_streams *streams = world->tunnel.hub.streams;
    struct fl_stream *stream = fl_streams_first(streams, FL_FRAME_BLOB);
    struct fl_err err = {0};

    if (!stream) assert_true(fl_streams_open(streams, FL_FRAME_BLOB, 0, &stream, &err));
    fl_stream_wants(stream, world->out.len - world->pos);
    stream_pair_settle(&world->tunnel);
}

static void documents_come_whole_behind_each_other_until_the_next_connection(void **state)
{
    struct world world;
    struct fl_str document;

    (void)state;
    init(&world);
    put_document(&world, digest_of('a'), 'a', 5);
    put_document(&world, digest_of('b'), 'b', 700000); /* more than the stream's credit */
    send_all(&world);
    assert_true(spec_receiver_find(world.receiver, digest_of('a'), &document));
    assert_true(fl_str_eq(document, FL_STR("aaaaa")));
    assert_true(spec_receiver_find(world.receiver, digest_of('b'), &document));
    assert_int_equal(document.len, 700000);
    assert_false(spec_receiver_find(world.receiver, digest_of('c'), &document));
    assert_int_equal(world.tunnel.agent.fails, 0);
    spec_receiver_begin(world.receiver);
    assert_false(spec_receiver_find(world.receiver, digest_of('a'), &document));
    fini(&world);
}

static void half_a_document_is_forgotten_with_its_stream(void **state)
{
    struct world world;
    struct fl_str document;

    (void)state;
    init(&world);
    put_document(&world, digest_of('a'), 'a', 3000);
    world.out.len -= 1000;
    send_all(&world);
    fl_stream_close(fl_streams_first(world.tunnel.hub.streams, FL_FRAME_BLOB), FL_CONFLICT,
                    FL_STR("a new term"));
    fl_buf_clear(&world.out);
    world.pos = 0;
    put_document(&world, digest_of('b'), 'b', 3);
    send_all(&world);
    assert_false(spec_receiver_find(world.receiver, digest_of('a'), &document));
    assert_true(spec_receiver_find(world.receiver, digest_of('b'), &document));
    fini(&world);
}

static void a_document_with_another_digest_ends_the_tunnel(void **state)
{
    struct world world;
    struct fl_str document;

    (void)state;
    init(&world);
    put_document(&world, digest_of('a'), 'b', 3);
    send_all(&world);
    assert_int_equal(world.tunnel.agent.fails, 1);
    assert_int_equal(world.tunnel.agent.err.code, FL_TORN);
    assert_false(spec_receiver_find(world.receiver, digest_of('a'), &document));
    fini(&world);

    init(&world);
    put_document(&world, digest_of('a'), 'a', 3);
    world.out.at[35] = 0x7f; /* a length beyond the limit */
    send_all(&world);
    assert_int_equal(world.tunnel.agent.fails, 1);
    fini(&world);
}

FL_TESTS(cmocka_unit_test(documents_come_whole_behind_each_other_until_the_next_connection),
         cmocka_unit_test(half_a_document_is_forgotten_with_its_stream),
         cmocka_unit_test(a_document_with_another_digest_ends_the_tunnel))
