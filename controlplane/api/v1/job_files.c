/* Files out of a job, as a tar archive by a visit.  From a replica that runs its own 'tar' sends
 * them; from one that has ended its cluster's agent does, which may have kept them.  A reader that
 * was cut goes on behind the bytes that it has, where these are the same still. */
#include <inttypes.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/job_parts.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/api/v1/visit_call.h"
#include "controlplane/views/directory.h"
#include "shared/base/replica.h"

enum { PATH_BYTES_MAX = 4096, WORDS = 6 };

struct files {
    struct visit_asked asked; /* first */
    struct fl_str path;
    struct read_attempt newest; /* the newest whose files count; .cluster.n 0: none was found yet */
    enum job_state state;       /* the job's */
    uint16_t n;                 /* attempts up to this one were looked at */
};

/* ---- from a replica that runs ---------------------------------------------------------------- */

/* Splits at the last '/'; a path that ends with '.' or '..' is all folder. */
static void split(struct fl_str path, struct fl_str *ret_folder, struct fl_str *ret_name)
{
    size_t at;

    while (path.len > 1 && path.at[path.len - 1] == '/') {
        path.len--;
    }
    for (at = path.len; at > 0 && path.at[at - 1] != '/'; at--) {
    }
    *ret_name = (struct fl_str){path.at + at, path.len - at};
    *ret_folder = at == 0 ? FL_STR(".") : at == 1 ? FL_STR("/") : (struct fl_str){path.at, at - 1};
    if (ret_name->len > 0 && !fl_str_eq(*ret_name, FL_STR(".")) &&
        !fl_str_eq(*ret_name, FL_STR(".."))) {
        return;
    }
    *ret_folder = path;
    *ret_name = FL_STR(".");
}

static void from_running(struct api_call *call)
{
    struct files *files = call->state;
    struct fl_visit_open *open = &files->asked.open;
    struct fl_str *words = fl_arena_array(&call->arena, struct fl_str, WORDS), folder, name;

    if (open->offset > 0) {
        api_fail(call, FL_CONFLICT,
                 "the replica runs, and may have changed its files since: copy them again");
        return;
    }
    split(files->path, &folder, &name);
    words[0] = FL_STR("tar");
    words[1] = open->is_list ? FL_STR("-cvvf") : FL_STR("-cf");
    words[2] = open->is_list ? FL_STR("/dev/null") : FL_STR("-");
    words[3] = FL_STR("-C");
    words[4] = folder;
    words[5] = fl_str_c(fl_arena_printf(&call->arena, "./" FL_STR_FMT, FL_STR_ARG(name)));
    open->words = words;
    open->words_len = WORDS;
    open->is_list = false;
    visit_call_enter(call, "files", files->path);
}

/* ---- from one that has ended ----------------------------------------------------------------- */

static void from_ended(struct api_call *call)
{
    struct files *files = call->state;
    struct visit_asked *asked = &files->asked;
    struct directory_cluster cluster;

    if (files->newest.cluster.n == 0) {
        api_fail(call, FL_CONFLICT,
                 "element %" PRIu32
                 " of the job has no attempt that runs or has ended: the job is %s",
                 asked->open.attempt.element, job_state_name(files->state));
        return;
    }
    if (directory_cluster(call->parts->directory, files->newest.cluster, &cluster) &&
        cluster.is_removed) {
        api_fail(call, FL_CONFLICT, "it ran on cluster %s, which was removed", cluster.name);
        return;
    }
    asked->cluster = files->newest.cluster;
    asked->open.attempt = files->newest.attempt;
    asked->open.is_files = true;
    asked->open.words = &files->path;
    asked->open.words_len = 1;
    visit_call_enter(call, "files", files->path);
}

static void read_next(struct api_call *call);

static void on_attempts(struct api_call *call, const struct read_attempts *attempts)
{
    struct files *files = call->state;
    bool is_more = attempts->has_more;

    for (size_t i = 0; i < attempts->len; i++) {
        const struct read_attempt *one = &attempts->at[i];

        if (one->attempt.element != files->asked.open.attempt.element) {
            is_more = false;
            break;
        }
        files->n = one->attempt.n;
        if (one->is_ended) {
            files->newest = (struct read_attempt){.attempt = one->attempt, .cluster = one->cluster};
        }
    }
    if (is_more) {
        read_next(call);
    } else {
        from_ended(call);
    }
}

static void read_next(struct api_call *call)
{
    struct files *files = call->state;

    call_reads_attempts(call,
                        &(struct read_attempts_query){.job = files->asked.job,
                                                      .element = files->asked.open.attempt.element,
                                                      .n = files->n},
                        on_attempts);
}

/* The current attempt, where the replica that is meant has ended before the others. */
static bool has_ended_there(struct files *files, const struct core_answer *answer)
{
    const struct fl_visit_open *open = &files->asked.open;

    for (size_t i = 0; i < answer->elements_len; i++) {
        const struct core_element_view *element = &answer->elements[i];

        if (element->element != open->attempt.element) continue;
        if (open->replica >= element->replicas_len) return false;
        if (!fl_replica_state_is_last(element->replicas[open->replica])) return false;
        files->newest = (struct read_attempt){
            .attempt = {files->asked.job, element->element, element->attempt, element->incarnation},
            .cluster = element->cluster,
        };
        return true;
    }
    return false;
}

/* ---- which ----------------------------------------------------------------------------------- */

static void on_elements(struct api_call *call, const struct core_answer *answer)
{
    struct files *files = call->state;

    if (visit_call_choose(&files->asked, answer)) {
        from_running(call);
        return;
    }
    files->state = answer->jobs_len == 1 ? answer->jobs[0].state : 0;
    if (has_ended_there(files, answer)) {
        from_ended(call);
    } else {
        read_next(call);
    }
}

static void choose(struct api_call *call, struct fl_job job)
{
    visit_call_ask_elements(call, job, on_elements);
}

static void open_job(struct api_call *call, struct fl_job job)
{
    job_parts_check(call, job, choose);
}

static void look_for_ended(struct api_call *call, struct fl_job job)
{
    (void)job;
    read_next(call);
}

static void ended_job(struct api_call *call, const struct read_job *job)
{
    struct files *files = call->state;

    files->asked.job = job->job;
    files->state = job->state;
    job_parts_check(call, job->job, look_for_ended);
}

/* ---- GET .../files --------------------------------------------------------------------------- */

static void files_job(struct api_call *call)
{
    struct files *files = fl_arena_new(&call->arena, struct files);

    if (!visit_call_begin(call, &files->asked, FL_FRAME_EXEC)) return;
    files->path = api_query(call, "path");
    if (memchr(files->path.at, 0, files->path.len)) {
        api_fail_parameter(call, "path", "a path has no zero byte", files->path,
                           "a path, as out/model");
        return;
    }
    files->asked.open.is_list = api_query_flag(call, "list");
    files->asked.open.offset = api_query_u64(call, "offset");
    files->asked.open.crc = (uint32_t)api_query_u64(call, "crc");
    job_lookup(call, open_job, ended_job);
}

static const struct api_field files_query[] = {
    API_MUST("path", "string",
             "a file or a folder; below its own folder, if the replica has ended: out/model",
             .min = 1, .max = PATH_BYTES_MAX),
    API_MAY("element", "integer",
            "a replica of this element; else the first that runs, or element 0", .max = UINT32_MAX),
    API_MAY("replica", "integer", "this replica; without it, the first that runs, or replica 0",
            .max = UINT16_MAX),
    API_MAY("list", "boolean", "lines that say what is there, in place of the archive"),
    API_MAY("offset", "integer",
            "leave out so many bytes of the archive, which an earlier visit sent",
            .max = INT64_MAX),
    API_MAY("crc", "integer", "the CRC-32C of those bytes: if it is another now, 'conflict'",
            .max = UINT32_MAX),
    {0},
};

const struct api_route job_files_routes[] = {
    API_ROUTE(
        API_GET, "/v1/jobs/{job}/files", API_NEED_exec, files_job, "readFiles",
        "a WebSocket as that of exec, without input: a tar archive of files of a replica that "
        "runs, or that ended and left them in its own folder, as long as its cluster keeps "
        "them",
        .query = files_query, .status = 101, .gives = "application/octet-stream",
        .may_conflict = true),
    {0},
};
