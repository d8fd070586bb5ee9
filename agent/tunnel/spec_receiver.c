#include "agent/tunnel/spec_receiver.h"

#include "shared/base/alloc.h"
#include "shared/link/blob.h"

struct spec_receiver {
    struct spec_receiver_port port;
    struct fl_blobs *blobs;
    struct fl_blob_reader reader; /* reads the only stream */
};

struct spec_receiver *spec_receiver_create(const struct spec_receiver_port *port)
{
    struct spec_receiver *receiver = fl_new(struct spec_receiver);

    receiver->port = *port;
    receiver->blobs = fl_blobs_create(true);
    fl_blob_reader_init(&receiver->reader);
    return receiver;
}

void spec_receiver_destroy(struct spec_receiver *receiver)
{
    if (!receiver) return;
    fl_blobs_destroy(receiver->blobs);
    fl_blob_reader_fini(&receiver->reader);
    fl_free(receiver);
}

void spec_receiver_begin(struct spec_receiver *receiver)
{
    fl_blobs_destroy(receiver->blobs);
    receiver->blobs = fl_blobs_create(true);
}

bool spec_receiver_find(const struct spec_receiver *receiver, struct fl_digest digest,
                        struct fl_str *ret_document)
{
    return fl_blobs_find(receiver->blobs, digest, ret_document);
}

/* ---- the stream ------------------------------------------------------------------------------ */

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    struct spec_receiver *receiver = ctx;

    (void)stream;
    (void)err;
    fl_blob_reader_fini(&receiver->reader);
    fl_blob_reader_init(&receiver->reader);
    return true;
}

/* Keeps each document when it is whole; credit returns when all bytes are read. */
static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    struct spec_receiver *receiver = ctx;
    uint32_t len = (uint32_t)bytes.len;
    struct fl_digest digest;
    struct fl_str document;

    for (;;) {
        switch (fl_blob_reader_next(&receiver->reader, &bytes, &digest, &document, err)) {
        case FL_BLOB_MORE:
            fl_stream_consumed(stream, len);
            return true;
        case FL_BLOB_BAD:
            return false;
        case FL_BLOB_READY:
            if (!receiver->port.is_right(receiver->port.ctx, digest, document)) {
                return fl_fail(err, FL_TORN, "a document does not have its digest");
            }
            fl_blobs_add(receiver->blobs, digest, document);
            break;
        }
    }
}

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    (void)ctx;
    (void)stream;
    (void)at;
    (void)bytes_max;
    return 0; /* this end sends nothing on it */
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    (void)ctx;
    (void)stream;
    (void)code;
    (void)text; /* the hub opens another when it has more to send */
}

struct fl_stream_kind spec_receiver_stream(struct spec_receiver *receiver)
{
    return (struct fl_stream_kind){
        .type = FL_FRAME_BLOB,
        .streams_max = 1,
        .ctx = receiver,
        .open = on_open,
        .data = on_data,
        .pull = on_pull,
        .close = on_close,
    };
}
