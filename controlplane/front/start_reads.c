#include "controlplane/front/start_reads.h"

#include "controlplane/front/spec_cache.h"
#include "shared/base/alloc.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"

enum { READS_MAX = 60 }; /* for one START, when all fail */

struct start {
    uint64_t ticket;
    struct fl_job job;
    unsigned tries; /* reads that failed */
};

struct start_reads {
    struct spec_cache *specs;
    struct start_reads_ports ports;
    fl_ms again_ms;
    FL_VEC(struct start) starts; /* gathered until the end of the turn */
    FL_VEC(struct start) again;  /* those of which a read failed */
    struct fl_after read;
    struct fl_timer timer; /* when it fires, those are read again */
};

/* Those whose own part is known, but not their document; or not even that. */
struct question {
    struct start_reads *reads;
    size_t len;
    struct start at[READ_SPECS_MAX];
    struct read_spec specs[READ_SPECS_MAX];
};

static void tell(struct question *question)
{
    const struct start_reads_ports *ports = &question->reads->ports;

    for (size_t i = 0; i < question->len; i++) {
        ports->tell(ports->ctx, question->at[i].ticket, question->at[i].job);
    }
    fl_free(question);
}

/* The store could not be asked just now: that says nothing of the documents. */
static void put_off(struct question *question)
{
    struct start_reads *reads = question->reads;

    for (size_t i = 0; i < question->len; i++) {
        struct start start = question->at[i];

        if (++start.tries < READS_MAX) {
            fl_vec_push(&reads->again, start);
        } else {
            reads->ports.tell(reads->ports.ctx, start.ticket, start.job);
        }
    }
    if (!fl_timer_is_on(&reads->timer)) fl_timer_in(&reads->timer, reads->again_ms);
    fl_free(question);
}

static void read_again(void *ctx)
{
    struct start_reads *reads = ctx;

    for (size_t i = 0; i < reads->again.len; i++) {
        fl_vec_push(&reads->starts, reads->again.at[i]);
    }
    fl_vec_clear(&reads->again);
    fl_after_put(&reads->read);
}

static void on_documents(void *ctx, const struct read_specs *specs)
{
    struct question *question = ctx;

    if (specs->err) {
        put_off(question);
        return;
    }
    for (size_t i = 0; i < specs->len; i++) {
        if (!specs->bodies[i].at) continue;
        spec_cache_put_document(question->reads->specs, question->specs[i].digest,
                                specs->bodies[i]);
    }
    tell(question);
}

static void on_jobs(void *ctx, const struct read_jobs *jobs)
{
    struct question *question = ctx;
    const struct start_reads_ports *ports = &question->reads->ports;
    struct fl_err err = {0};

    for (size_t i = 0; !jobs->err && i < jobs->len; i++) {
        spec_cache_put_job(question->reads->specs, jobs->at[i].job, jobs->at[i].row.spec,
                           jobs->at[i].row.params);
        question->specs[i] = (struct read_spec){jobs->at[i].job, jobs->at[i].row.spec};
    }
    if (jobs->err) {
        put_off(question);
    } else if (jobs->len == 0) {
        tell(question);
    } else if (ports->documents(ports->ctx, question->specs, jobs->len, on_documents, question,
                                &err) == 0) {
        put_off(question);
    }
    ports->asked(ports->ctx);
}

/* All that one turn gathered, in as few questions as it takes. */
static void read_all(void *ctx)
{
    struct start_reads *reads = ctx;
    const struct start_reads_ports *ports = &reads->ports;

    for (size_t from = 0; from < reads->starts.len; from += READ_SPECS_MAX) {
        struct question *question = fl_new(struct question);
        struct fl_job jobs[READ_SPECS_MAX];
        struct fl_err err = {0};

        question->reads = reads;
        while (question->len < READ_SPECS_MAX && from + question->len < reads->starts.len) {
            question->at[question->len] = reads->starts.at[from + question->len];
            jobs[question->len] = question->at[question->len].job;
            question->len++;
        }
        if (ports->jobs(ports->ctx, jobs, question->len, on_jobs, question, &err) == 0) {
            put_off(question);
        }
    }
    ports->asked(ports->ctx);
    fl_vec_clear(&reads->starts);
}

void start_reads_add(struct start_reads *reads, uint64_t ticket, struct fl_job job)
{
    fl_vec_push(&reads->starts, (struct start){.ticket = ticket, .job = job});
    fl_after_put(&reads->read);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct start_reads *start_reads_create(struct fl_loop *loop, struct spec_cache *specs,
                                       const struct start_reads_ports *ports, fl_ms again_ms)
{
    struct start_reads *reads = fl_new(struct start_reads);

    reads->specs = specs;
    reads->ports = *ports;
    reads->again_ms = again_ms;
    fl_after_init(&reads->read, loop, read_all, reads);
    fl_timer_init(&reads->timer, loop, read_again, reads);
    return reads;
}

void start_reads_destroy(struct start_reads *reads)
{
    if (!reads) return;
    fl_after_off(&reads->read);
    fl_timer_off(&reads->timer);
    fl_vec_fini(&reads->starts);
    fl_vec_fini(&reads->again);
    fl_free(reads);
}
