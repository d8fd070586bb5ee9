#include "controlplane/front_specs.h"

#include <pthread.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum { COMPACT_LEN = 4096 };

struct kept {
    uint8_t key[32];
    size_t key_len;
    uint8_t *bytes;
    size_t len;
};

/* Key to bytes; the oldest go when there are too many bytes. */
struct fifo {
    struct fl_map places; /* key -> first + index */
    FL_VEC(struct kept) at;
    size_t head;    /* of 'at': before it, all are gone */
    uint64_t first; /* number of at[0] */
    size_t bytes, bytes_max;
};

struct front_specs {
    pthread_mutex_t mutex;
    struct fifo documents; /* by digest */
    struct fifo jobs;      /* by number: digest, then params */
};

static void fifo_fini(struct fifo *fifo)
{
    for (size_t i = fifo->head; i < fifo->at.len; i++)
        fl_free(fifo->at.at[i].bytes);
    fl_vec_fini(&fifo->at);
    fl_map_fini(&fifo->places);
}

static void fifo_drop_oldest(struct fifo *fifo)
{
    struct kept *kept = &fifo->at.at[fifo->head++];

    fl_map_remove(&fifo->places, kept->key, kept->key_len);
    fifo->bytes -= kept->len + sizeof *kept;
    fl_free(kept->bytes);
    if (fifo->head < COMPACT_LEN || fifo->head * 2 < fifo->at.len) return;
    memmove(fifo->at.at, fifo->at.at + fifo->head,
            (fifo->at.len - fifo->head) * sizeof *fifo->at.at);
    fifo->at.len -= fifo->head;
    fifo->first += fifo->head;
    fifo->head = 0;
}

static void fifo_put(struct fifo *fifo, const void *key, size_t key_len, const void *first,
                     size_t first_len, struct fl_str rest)
{
    struct kept kept = {.key_len = key_len, .len = first_len + rest.len};

    if (fl_map_find(&fifo->places, key, key_len, NULL) || kept.len > fifo->bytes_max / 4) return;
    memcpy(kept.key, key, key_len);
    kept.bytes = fl_alloc(kept.len);
    if (first_len > 0) memcpy(kept.bytes, first, first_len);
    if (rest.len > 0) memcpy(kept.bytes + first_len, rest.at, rest.len);
    fl_map_put(&fifo->places, key, key_len, fifo->first + fifo->at.len);
    fl_vec_push(&fifo->at, kept);
    fifo->bytes += kept.len + sizeof kept;
    while (fifo->bytes > fifo->bytes_max)
        fifo_drop_oldest(fifo);
}

static const struct kept *fifo_find(const struct fifo *fifo, const void *key, size_t key_len)
{
    uint64_t place;

    if (!fl_map_find(&fifo->places, key, key_len, &place)) return NULL;
    return &fifo->at.at[place - fifo->first];
}

struct front_specs *front_specs_create(size_t bytes_max)
{
    struct front_specs *specs = fl_new(struct front_specs);

    pthread_mutex_init(&specs->mutex, NULL);
    specs->documents.bytes_max = bytes_max / 2;
    specs->jobs.bytes_max = bytes_max / 2;
    return specs;
}

void front_specs_destroy(struct front_specs *specs)
{
    if (!specs) return;
    fifo_fini(&specs->documents);
    fifo_fini(&specs->jobs);
    pthread_mutex_destroy(&specs->mutex);
    fl_free(specs);
}

void front_specs_put_job(struct front_specs *specs, struct fl_job job, struct fl_digest digest,
                         struct fl_str params)
{
    pthread_mutex_lock(&specs->mutex);
    fifo_put(&specs->jobs, &job.n, sizeof job.n, digest.at, sizeof digest.at, params);
    pthread_mutex_unlock(&specs->mutex);
}

void front_specs_put_document(struct front_specs *specs, struct fl_digest digest,
                              struct fl_str document)
{
    pthread_mutex_lock(&specs->mutex);
    fifo_put(&specs->documents, digest.at, sizeof digest.at, NULL, 0, document);
    pthread_mutex_unlock(&specs->mutex);
}

void front_specs_apply(struct front_specs *specs, const struct row *row)
{
    if (row->kind == ROW_job_new) {
        front_specs_put_job(specs, (struct fl_job){row->job_new.job}, row->job_new.spec,
                            row->job_new.params);
    } else if (row->kind == ROW_spec_new) {
        front_specs_put_document(specs, row->spec_new.digest, row->spec_new.body);
    }
}

bool front_specs_find(struct front_specs *specs, struct fl_job job, struct fl_digest *ret_digest,
                      struct fl_buf *ret_document, struct fl_buf *ret_params)
{
    const struct kept *own, *document = NULL;
    struct fl_digest digest;
    bool is_good = false;

    pthread_mutex_lock(&specs->mutex);
    own = fifo_find(&specs->jobs, &job.n, sizeof job.n);
    if (own) {
        memcpy(digest.at, own->bytes, sizeof digest.at);
        document = fifo_find(&specs->documents, digest.at, sizeof digest.at);
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
