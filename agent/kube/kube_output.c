#include "agent/kube/kube_output.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/kube/kube_log.h"
#include "agent/kube/log_spool.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/map.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

struct output {
    struct kube_outputs *outputs;
    struct fl_attempt attempt;
    uint32_t replica;
    char name[POD_NAME_BYTES_MAX + 1]; /* names pod and spool */
    struct log_spool *spool;           /* NULL: it could not be opened */
    struct kube_log *log;              /* NULL with the spool */
    unsigned tries_left;               /* problems until the log is given up; 0: no limit */
    struct fl_after give_up;
    struct output *next, *prev;
};

struct kube_outputs {
    struct kube_client *client;
    struct kube_outputs_port port;
    struct fl_arena texts;
    const char *path;
    struct fl_str namespace;
    uint64_t seed;
    struct log_spools *spools;
    struct output *first;
    struct fl_map by_id;   /* the address of the output */
    struct fl_map by_name; /* the same */
};

struct id_key {
    uint64_t job;
    uint32_t element, n, incarnation, replica;
};

static struct id_key key_of(struct fl_attempt attempt, uint32_t replica)
{
    return (struct id_key){attempt.job.n, attempt.element, attempt.n, attempt.incarnation, replica};
}

static struct output *find(const struct kube_outputs *outputs, struct fl_attempt attempt,
                           uint32_t replica)
{
    struct id_key key = key_of(attempt, replica);
    uint64_t address;

    if (!fl_map_find(&outputs->by_id, &key, sizeof key, &address)) return NULL;
    return (struct output *)(uintptr_t)address;
}

static void log_problem(const struct output *output, const struct fl_err *err)
{
    fl_log(FL_LOG_WARN, "kube", "output_problem", FL_LOG_S("pod", output->name), FL_LOG_ERR(err));
}

/* ---- from its log ---------------------------------------------------------------------------- */

static void on_output(void *ctx)
{
    const struct output *output = ctx;

    output->outputs->port.output(output->outputs->port.ctx, output->attempt, output->replica);
}

static void on_problem(void *ctx, const struct kube_failure *failure)
{
    struct output *output = ctx;

    log_problem(output, &failure->err);
    if (output->tries_left > 0 && --output->tries_left == 0) fl_after_put(&output->give_up);
}

static void on_give_up(void *ctx)
{
    const struct output *output = ctx;

    kube_log_give_up(output->log);
}

/* ---- opening --------------------------------------------------------------------------------- */

static struct output *add(struct kube_outputs *outputs, const struct kube_output_pod *pod)
{
    struct id_key key = key_of(pod->identity.attempt, pod->identity.replica);
    struct output *output = fl_new(struct output);

    output->outputs = outputs;
    output->attempt = pod->identity.attempt;
    output->replica = pod->identity.replica;
    pod_identity_name(&pod->identity, output->name);
    fl_after_init(&output->give_up, kube_client_loop(outputs->client), on_give_up, output);
    output->next = outputs->first;
    if (output->next) output->next->prev = output;
    outputs->first = output;
    fl_map_put(&outputs->by_id, &key, sizeof key, (uint64_t)(uintptr_t)output);
    fl_map_put(&outputs->by_name, output->name, strlen(output->name), 1);
    return output;
}

static struct output *need(struct kube_outputs *outputs, const struct kube_output_pod *pod)
{
    struct output *output = find(outputs, pod->identity.attempt, pod->identity.replica);
    struct kube_log_config config = {
        .namespace = outputs->namespace,
        .pod = pod->name,
        .uid = pod->uid,
        .container = pod->identity.role,
        .seed = outputs->seed,
    };
    struct kube_log_port port = {.output = on_output, .problem = on_problem};
    struct fl_err err = {0};

    if (!output) output = add(outputs, pod);
    if (output->spool) return output;
    if (!log_spool_open(outputs->spools, output->name, &output->spool, &err)) {
        log_problem(output, &err);
        return output;
    }
    port.ctx = output;
    output->log = kube_log_open(outputs->client, output->spool, &config, &port);
    return output;
}

void kube_outputs_follow(struct kube_outputs *outputs, const struct kube_output_pod *pod)
{
    FL_IGNORE(need(outputs, pod)); /* a failure is logged, and seen by the reader */
}

void kube_outputs_end(struct kube_outputs *outputs, const struct kube_output_pod *pod, bool has_log)
{
    const struct output *output = need(outputs, pod);

    if (!output->log) return;
    if (has_log) {
        kube_log_container_ended(output->log);
    } else {
        kube_log_give_up(output->log);
    }
}

void kube_outputs_deleted(struct kube_outputs *outputs, struct fl_attempt attempt, uint32_t replica)
{
    struct output *output = find(outputs, attempt, replica);

    if (output && output->tries_left == 0) output->tries_left = KUBE_OUTPUT_TRIES;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool kube_outputs_read(struct kube_outputs *outputs, struct fl_attempt attempt, uint32_t replica,
                       uint64_t offset, size_t bytes_max, struct fl_buf *records,
                       struct runtime_output *ret_output, struct fl_err *err)
{
    const struct output *output = find(outputs, attempt, replica);

    if (!output) {
        *ret_output = (struct runtime_output){.next_offset = offset};
        return true;
    }
    if (!output->spool) return fl_fail(err, FL_IO, "its spool is not open");
    return log_spool_read(output->spool, offset, bytes_max, records, ret_output, err);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void close_output(struct output *output)
{
    fl_after_off(&output->give_up);
    kube_log_close(output->log);
    log_spool_close(output->spool);
    if (output->prev) {
        output->prev->next = output->next;
    } else {
        output->outputs->first = output->next;
    }
    if (output->next) output->next->prev = output->prev;
    fl_free(output);
}

static void remove_spool(struct kube_outputs *outputs, const char *name)
{
    struct fl_err err = {0};

    if (log_spool_remove(outputs->spools, name, &err)) return;
    fl_log(FL_LOG_WARN, "kube", "spool_left", FL_LOG_S("pod", name), FL_LOG_ERR(&err));
}

void kube_outputs_drop(struct kube_outputs *outputs, struct fl_attempt attempt, uint32_t replica)
{
    struct output *output = find(outputs, attempt, replica);
    struct id_key key = key_of(attempt, replica);
    char name[POD_NAME_BYTES_MAX + 1];

    if (!output) return;
    memcpy(name, output->name, sizeof name);
    fl_map_remove(&outputs->by_id, &key, sizeof key);
    fl_map_remove(&outputs->by_name, name, strlen(name));
    close_output(output);
    remove_spool(outputs, name);
}

void kube_outputs_sweep(struct kube_outputs *outputs)
{
    DIR *folder = opendir(outputs->path);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.') continue;
        if (fl_map_find(&outputs->by_name, entry->d_name, strlen(entry->d_name), NULL)) continue;
        remove_spool(outputs, entry->d_name);
    }
    if (folder) closedir(folder);
}

/* ---- life ------------------------------------------------------------------------------------ */

bool kube_outputs_create(struct kube_client *client, const struct kube_outputs_config *config,
                         const struct kube_outputs_port *port, struct kube_outputs **ret_outputs,
                         struct fl_err *err)
{
    struct log_spools_config spools = {.path = config->path,
                                       .each_bytes_max = config->each_bytes_max,
                                       .all_bytes_max = config->all_bytes_max};
    struct kube_outputs *outputs;
    struct log_spools *opened;

    if (mkdir(config->path, 0700) != 0 && errno != EEXIST) {
        return fl_fail(err, FL_IO, "cannot make %s: %s", config->path, strerror(errno));
    }
    if (!log_spools_create(&spools, &opened, err)) return false;
    outputs = fl_new(struct kube_outputs);
    outputs->client = client;
    outputs->port = *port;
    outputs->path = fl_arena_printf(&outputs->texts, "%s", config->path);
    outputs->namespace = fl_arena_str(&outputs->texts, config->namespace);
    outputs->seed = config->seed;
    outputs->spools = opened;
    *ret_outputs = outputs;
    return true;
}

void kube_outputs_destroy(struct kube_outputs *outputs)
{
    if (!outputs) return;
    while (outputs->first) {
        close_output(outputs->first);
    }
    log_spools_destroy(outputs->spools);
    fl_map_fini(&outputs->by_id);
    fl_map_fini(&outputs->by_name);
    fl_arena_fini(&outputs->texts);
    fl_free(outputs);
}
