#include "controlplane/front/spec_cache.h"

#include <pthread.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum {
    COMPACT_LEN = 4096,
    RING_MIN = 64,
    OWN_BYTES_USUAL = 128, /* a job's own part usually takes so many; it sizes the ring */
};

struct kept {
    struct fl_digest digest;
    uint8_t *bytes;
    size_t len;
};

/* Digest to document; the oldest go when there are too many bytes. */
struct fifo {
    struct fl_map places; /* digest -> first + index */
    FL_VEC(struct kept) at;
    size_t head;    /* index of the oldest; the places before it are empty */
    uint64_t first; /* number of at[0] */
    size_t bytes, bytes_max;
};

static void fifo_fini(struct fifo *fifo)
{
    for (size_t i = fifo->head; i < fifo->at.len; i++) {
        fl_free(fifo->at.at[i].bytes);
    }
    fl_vec_fini(&fifo->at);
    fl_map_fini(&fifo->places);
}

static void fifo_drop_oldest(struct fifo *fifo)
{
    struct kept *kept = &fifo->at.at[fifo->head++];

    fl_map_remove(&fifo->places, kept->digest.at, sizeof kept->digest.at);
    fifo->bytes -= kept->len + sizeof *kept;
    fl_free(kept->bytes);
    if (fifo->head < COMPACT_LEN || fifo->head * 2 < fifo->at.len) return;
    memmove(fifo->at.at, fifo->at.at + fifo->head,
            (fifo->at.len - fifo->head) * sizeof *fifo->at.at);
    fifo->at.len -= fifo->head;
    fifo->first += fifo->head;
    fifo->head = 0;
}

static void fifo_put(struct fifo *fifo, struct fl_digest digest, struct fl_str document)
{
    struct kept kept = {.digest = digest, .len = document.len};

    if (fl_map_find(&fifo->places, digest.at, sizeof digest.at, NULL)) return;
    if (kept.len > fifo->bytes_max / 4) return;
    kept.bytes = fl_alloc(kept.len);
    if (kept.len > 0) memcpy(kept.bytes, document.at, kept.len);
    fl_map_put(&fifo->places, digest.at, sizeof digest.at, fifo->first + fifo->at.len);
    fl_vec_push(&fifo->at, kept);
    fifo->bytes += kept.len + sizeof kept;
    while (fifo->bytes > fifo->bytes_max) {
        fifo_drop_oldest(fifo);
    }
}

static const struct kept *fifo_find(const struct fifo *fifo, struct fl_digest digest)
{
    uint64_t place;

    if (!fl_map_find(&fifo->places, digest.at, sizeof digest.at, &place)) return NULL;
    return &fifo->at.at[place - fifo->first];
}

struct own {
    uint64_t job; /* 0: empty */
    uint8_t *bytes;
    size_t len;
};

/* Job to its own bytes, at the place that its number says: numbers come in order, so a job pushes
 * out only one that is older by as many jobs as there are places.  When there are too many bytes,
 * the hand goes round and frees. */
struct ring {
    struct own *at;
    size_t mask, hand;
    size_t bytes, bytes_max;
};

static void ring_init(struct ring *ring, size_t bytes_max)
{
    size_t len = RING_MIN;

    while (len * OWN_BYTES_USUAL < bytes_max) {
        len *= 2;
    }
    *ring =
        (struct ring){.at = fl_new_array(struct own, len), .mask = len - 1, .bytes_max = bytes_max};
}

static void ring_drop(struct ring *ring, struct own *own)
{
    if (own->job == 0) return;
    ring->bytes -= own->len + sizeof *own;
    fl_free(own->bytes);
    *own = (struct own){0};
}

static void ring_fini(struct ring *ring)
{
    for (size_t i = 0; i <= ring->mask; i++) {
        ring_drop(ring, &ring->at[i]);
    }
    fl_free(ring->at);
}

static void ring_put(struct ring *ring, struct fl_job job, struct fl_digest digest,
                     struct fl_str params)
{
    struct own *own = &ring->at[job.n & ring->mask];
    size_t len = sizeof digest.at + params.len;

    if (own->job == job.n || len > ring->bytes_max / 4) return;
    ring_drop(ring, own);
    *own = (struct own){job.n, fl_realloc_array(NULL, uint8_t, len), len};
    memcpy(own->bytes, digest.at, sizeof digest.at);
    if (params.len > 0) memcpy(own->bytes + sizeof digest.at, params.at, params.len);
    ring->bytes += len + sizeof *own;
    for (; ring->bytes > ring->bytes_max; ring->hand = (ring->hand + 1) & ring->mask) {
        if (&ring->at[ring->hand] != own) ring_drop(ring, &ring->at[ring->hand]);
    }
}

static const struct own *ring_find(const struct ring *ring, struct fl_job job)
{
    const struct own *own = &ring->at[job.n & ring->mask];

    return own->job == job.n && job.n != 0 ? own : NULL;
}

struct spec_cache {
    pthread_mutex_t mutex;
    struct fifo documents; /* by digest */
    struct ring jobs;      /* digest, then params */
};

struct spec_cache *spec_cache_create(size_t bytes_max)
{
    struct spec_cache *specs = fl_new(struct spec_cache);

    pthread_mutex_init(&specs->mutex, NULL);
    specs->documents.bytes_max = bytes_max / 2;
    ring_init(&specs->jobs, bytes_max / 2);
    return specs;
}

void spec_cache_destroy(struct spec_cache *specs)
{
    if (!specs) return;
    fifo_fini(&specs->documents);
    ring_fini(&specs->jobs);
    pthread_mutex_destroy(&specs->mutex);
    fl_free(specs);
}

void spec_cache_put_job(struct spec_cache *specs, struct fl_job job, struct fl_digest digest,
                        struct fl_str params)
{
    pthread_mutex_lock(&specs->mutex);
    ring_put(&specs->jobs, job, digest, params);
    pthread_mutex_unlock(&specs->mutex);
}

void spec_cache_put_document(struct spec_cache *specs, struct fl_digest digest,
                             struct fl_str document)
{
    pthread_mutex_lock(&specs->mutex);
    fifo_put(&specs->documents, digest, document);
    pthread_mutex_unlock(&specs->mutex);
}

void spec_cache_apply(struct spec_cache *specs, const struct row *row)
{
    if (row->kind == ROW_job_new) {
        spec_cache_put_job(specs, (struct fl_job){row->job_new.job}, row->job_new.spec,
                           row->job_new.params);
    } else if (row->kind == ROW_spec_new) {
        spec_cache_put_document(specs, row->spec_new.digest, row->spec_new.body);
    }
}

bool spec_cache_find(struct spec_cache *specs, struct fl_job job, struct fl_digest *ret_digest,
                     struct fl_buf *ret_document, struct fl_buf *ret_params)
{
    const struct own *own;
    const struct kept *document = NULL;
    struct fl_digest digest;
    bool is_good = false;

    pthread_mutex_lock(&specs->mutex);
    own = ring_find(&specs->jobs, job);
    if (own) {
        memcpy(digest.at, own->bytes, sizeof digest.at);
        document = fifo_find(&specs->documents, digest);
    }
    if (document) {
        is_good =
            fl_buf_put(ret_document, document->bytes, document->len) &&
            fl_buf_put(ret_params, own->bytes + sizeof digest.at, own->len - sizeof digest.at);
    }
    pthread_mutex_unlock(&specs->mutex);
    if (is_good) *ret_digest = digest;
    return is_good;
}
