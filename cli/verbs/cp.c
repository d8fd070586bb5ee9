/* cp.c - 'cp': files out of a replica, or into one that runs.  At the other end is a 'tar': the
 * replica's own, so its image must have one; or, when the replica has ended, its cluster's agent's.
 * A copy from there that is cut goes on where it was, if the files are the same still. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/copy_in.h"
#include "cli/copy_out.h"
#include "cli/elements.h"
#include "cli/http.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/visit_status.h"
#include "cli/web_socket.h"
#include "shared/base/hash.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "shared/wire/visit.h"

enum {
    PIECE_BYTES = 16384,
    SHOWN_MS = 200,
    EXIT_CANNOT_RUN = 126,
    EXIT_NO_PROGRAM = 127,
    CUTS_MAX = 12, /* in a row, without a byte between them */
    CUT_MS_MIN = 500,
    CUT_MS_MAX = 10000,
};

/* One end of a copy. */
struct place {
    const char *job; /* NULL: this machine */
    const char *path;
};

struct copying {
    struct cli *cli;
    struct cli_web_socket *socket;
    struct cli_visit_status status;
    struct copy_in *in;
    struct copy_out *out;
    bool is_sent; /* the input has ended */
    bool is_over, is_failed, is_list;
    uint64_t offset; /* bytes of the archive that came, and their sum */
    uint32_t crc;
    struct fl_err err; /* if it failed at this end */
    char why[256];
    uint64_t left_out;
    int64_t shown_at;
};

/* ---- words for people ------------------------------------------------------------------------ */

static void on_left_out(void *ctx, const char *path, const char *why)
{
    struct copying *copying = ctx;

    copying->left_out++;
    cli_fail(CLI_OK, "left out: %s: %s", cli_plain(copying->cli, path), why);
}

/* On a terminal, on a line that is written over. */
static void show(struct copying *copying, bool is_last)
{
    uint64_t files = copying->in ? copy_in_files(copying->in) : copy_out_files(copying->out);
    uint64_t bytes = copying->in ? copy_in_bytes(copying->in) : copy_out_bytes(copying->out);
    int64_t now = fl_clock_mono();

    if (!isatty(STDERR_FILENO) || (!is_last && now - copying->shown_at < SHOWN_MS)) return;
    copying->shown_at = now;
    fprintf(stderr, "\r%llu file%s, %.1f MB%s", (unsigned long long)files, files == 1 ? "" : "s",
            (double)bytes / 1e6, is_last ? "\n" : "");
}

/* ---- a visit --------------------------------------------------------------------------------- */

static void fail(struct copying *copying)
{
    copying->is_failed = copying->is_over = true;
}

/* Names come from the job: on a terminal none steers it. */
static void put_list(struct fl_str bytes)
{
    bool is_terminal = isatty(STDOUT_FILENO);

    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.at[i];

        putchar(is_terminal && (c < ' ' || c == 127) && c != '\n' ? '?' : c);
    }
}

static void on_piece(void *ctx, uint8_t channel, struct fl_str bytes, bool is_last)
{
    struct copying *copying = ctx;

    if (channel == FL_VISIT_STATUS) cli_visit_status_put(&copying->status, bytes, is_last);
    if (channel == FL_VISIT_STDERR) {
        fwrite(bytes.at, 1, bytes.len, stderr);
    } else if (channel == FL_VISIT_STDOUT && copying->is_list) {
        put_list(bytes);
    } else if (channel == FL_VISIT_STDOUT && copying->in && !copying->is_failed) {
        copying->offset += bytes.len;
        copying->crc = fl_crc32c(copying->crc, bytes.at, bytes.len);
        if (!copy_in_put(copying->in, bytes, &copying->err)) fail(copying);
        show(copying, false);
    }
}

/* Sends while there is room. */
static void send_on(struct copying *copying)
{
    static const char stdin_ends[] = {FL_VISIT_STDIN};
    char bytes[PIECE_BYTES];

    while (!copying->is_sent && !copying->is_over &&
           cli_web_socket_waiting(copying->socket) < CLI_WEB_SOCKET_OUT_MAX / 2) {
        size_t len = copying->out ? copy_out_next(copying->out, bytes, sizeof bytes) : 0;

        if (len > 0) {
            cli_web_socket_put(copying->socket, FL_VISIT_STDIN, (struct fl_str){bytes, len});
            show(copying, false);
            continue;
        }
        cli_web_socket_put(copying->socket, FL_VISIT_CLOSE,
                           (struct fl_str){stdin_ends, sizeof stdin_ends});
        copying->is_sent = true;
    }
}

static void on_taken(void *ctx)
{
    send_on(ctx);
}

static void on_closed(void *ctx, const char *why)
{
    struct copying *copying = ctx;

    copying->is_over = true;
    snprintf(copying->why, sizeof copying->why, "%s", why);
}

/* Runs until the other end has ended; its exit code, or ours. */
static int visit_path(struct copying *copying, const char *path)
{
    struct cli_web_socket_port port = {copying, on_piece, on_taken, on_closed};
    struct cli *cli = copying->cli;
    int code;

    copying->is_over = copying->is_sent = false;
    copying->status = (struct cli_visit_status){0};
    code = cli_web_socket_open(cli, path, &port, &copying->socket);
    if (code != CLI_OK) return code;
    send_on(copying);
    while (!copying->is_over && !cli_is_interrupted()) {
        fl_loop_turn(cli_web_socket_loop(copying->socket), CLI_HTTP_TURN_MS);
    }
    if (copying->is_failed) {
        code = cli_fail_err(&copying->err);
    } else if (!copying->is_over) {
        code = CLI_CANCELLED;
    } else {
        code = cli_visit_status_end(cli, &copying->status, copying->why);
    }
    cli_web_socket_destroy(copying->socket);
    copying->socket = NULL;
    return code;
}

static int visit(struct copying *copying, const char *job, const char *const *words, size_t len)
{
    const char *path;
    int code = cli_visit_exec_path(copying->cli, job, words, len, false, &path);

    return code == CLI_OK ? visit_path(copying, path) : code;
}

/* From where the last one was cut. */
static int visit_files(struct copying *copying, struct place from)
{
    struct cli *cli = copying->cli;
    const char *path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/files?path=%s", from.job,
                                       cli_escape(cli, from.path));
    int code = cli_visit_query(cli, &path);

    if (copying->is_list) path = fl_arena_printf(&cli->arena, "%s&list=true", path);
    if (copying->offset > 0) {
        path = fl_arena_printf(&cli->arena, "%s&offset=%" PRIu64 "&crc=%" PRIu32, path,
                               copying->offset, copying->crc);
    }
    return code == CLI_OK ? visit_path(copying, path) : code;
}

static int copied(struct copying *copying, int code)
{
    show(copying, true);
    if (code == EXIT_NO_PROGRAM || code == EXIT_CANNOT_RUN) {
        return cli_fail(code, "cp needs the program 'tar' in the replica");
    }
    if (code == CLI_OK && copying->in && !copy_in_end(copying->in, &copying->err)) {
        return cli_fail_err(&copying->err);
    }
    return code == CLI_OK && copying->left_out > 0 ? CLI_FAILED : code;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* "JOB:PATH"; a word with a '/' before its ':' is a file of this machine. */
static struct place place_of(struct cli *cli, const char *word)
{
    const char *colon = strchr(word, ':'), *slash = strchr(word, '/');

    if (!colon || colon == word || (slash && slash < colon)) return (struct place){.path = word};
    return (struct place){fl_arena_printf(&cli->arena, "%.*s", (int)(colon - word), word),
                          colon[1] ? colon + 1 : "."};
}

/* The folder that a path lies in, and its name there; for a path that ends with '.' or '..' the
 * folder itself and ".". */
static void split(struct cli *cli, const char *path, const char **ret_folder, const char **ret_name)
{
    size_t len = strlen(path), at;

    while (len > 1 && path[len - 1] == '/') {
        len--;
    }
    for (at = len; at > 0 && path[at - 1] != '/'; at--) {
    }
    *ret_name = fl_arena_printf(&cli->arena, "%.*s", (int)(len - at), path + at);
    *ret_folder = at == 0   ? "."
                  : at == 1 ? "/"
                            : fl_arena_printf(&cli->arena, "%.*s", (int)at - 1, path);
    if (**ret_name && strcmp(*ret_name, ".") != 0 && strcmp(*ret_name, "..") != 0) return;
    *ret_folder = fl_arena_printf(&cli->arena, "%.*s", (int)len, path);
    *ret_name = ".";
}

static bool is_folder(const char *path)
{
    struct stat stat_of;

    return stat(path, &stat_of) == 0 && S_ISDIR(stat_of.st_mode);
}

/* ---- both ways ------------------------------------------------------------------------------- */

/* After a cut.  False: it is given up. */
static bool wait_for_next(struct copying *copying, unsigned cuts)
{
    int64_t ms = CUT_MS_MIN;

    if (cuts > CUTS_MAX) return false;
    for (unsigned i = 1; i < cuts && ms < CUT_MS_MAX; i++) {
        ms *= 2;
    }
    cli_fail(CLI_OK, "cut after %.1f MB; going on", (double)copying->offset / 1e6);
    return cli_sleep_ms(ms < CUT_MS_MAX ? ms : CUT_MS_MAX);
}

/* All of what was begun is dropped, and copied again. */
static bool begin_again(struct copying *copying, const struct copy_in_config *config)
{
    if (copying->in) copy_in_destroy(copying->in);
    copying->in = copying->is_list ? NULL : copy_in_create(config, &copying->err);
    copying->offset = copying->left_out = 0;
    copying->crc = 0;
    return copying->is_list || copying->in;
}

static int fetch(struct copying *copying, struct place from, const struct copy_in_config *config)
{
    bool is_again = false;
    uint64_t before = 0;
    unsigned cuts = 0;
    int code;

    for (;;) {
        code = visit_files(copying, from);
        if (copying->is_failed || copying->offset == 0) return code;
        cuts = copying->offset > before ? 1 : cuts + 1;
        if (code == CLI_UNREACHABLE) {
            if (!wait_for_next(copying, cuts)) return code;
        } else if (code == CLI_FAILED && copying->offset == before && !is_again) {
            is_again = true; /* the files are others now */
            cli_fail(CLI_OK, "copying from the beginning");
            if (!begin_again(copying, config)) return cli_fail_err(&copying->err);
        } else {
            return code;
        }
        before = copying->offset;
    }
}

static int copy_from(struct copying *copying, struct place from, struct place to)
{
    struct copy_in_config config = {.left_out = on_left_out, .left_out_ctx = copying};
    const char *unused;
    int code;

    split(copying->cli, from.path, &unused, &config.base);
    if (is_folder(to.path)) {
        config.folder = to.path;
        config.name = config.base;
    } else {
        split(copying->cli, to.path, &config.folder, &config.name);
    }
    if (!begin_again(copying, &config)) return cli_fail_err(&copying->err);
    code = copied(copying, fetch(copying, from, &config));
    copy_in_destroy(copying->in);
    return code;
}

static int list(struct copying *copying, const char *word)
{
    struct place from = place_of(copying->cli, word);
    int code = CLI_OK;

    if (!from.job) return cli_fail(CLI_USAGE, "cp --list: write JOB:PATH, or JOB: for all");
    from.job = cli_job_of_element(copying->cli, from.job, &code);
    copying->is_list = true;
    return from.job ? visit_files(copying, from) : code;
}

/* Whether the path is a folder there: 0, 1, or an exit code for what stands in the way. */
static int find_folder(struct copying *copying, struct place to)
{
    const char *words[] = {"test", "-d", to.path};

    return visit(copying, to.job, words, 3);
}

static int copy_to(struct copying *copying, struct place from, struct place to)
{
    struct copy_out_config config = {
        .path = from.path, .left_out = on_left_out, .left_out_ctx = copying};
    const char *words[] = {"tar", "-xof", "-", "-C", NULL}, *unused;
    int code = find_folder(copying, to);

    if (code == 0) {
        words[4] = to.path;
        split(copying->cli, from.path, &unused, &config.name);
    } else if (code == 1) {
        split(copying->cli, to.path, &words[4], &config.name);
    } else {
        return code;
    }
    copying->out = copy_out_create(&config, &copying->err);
    if (!copying->out) return cli_fail_err(&copying->err);
    code = copied(copying, visit(copying, to.job, words, 5));
    copy_out_destroy(copying->out);
    return code;
}

int verb_cp(struct cli *cli)
{
    struct copying copying = {.cli = cli};
    struct place from, to, *job;
    int code = CLI_OK;

    if (cli_has(&cli->args, CLI_OPT_list) && cli->args.words.len == 1) {
        return list(&copying, cli->args.words.at[0]);
    }
    if (cli->args.words.len != 2 || cli_has(&cli->args, CLI_OPT_list)) {
        return cli_fail(
            CLI_USAGE, "usage: fairlead cp JOB:PATH LOCAL, fairlead cp LOCAL JOB:PATH, or fairlead "
                       "cp --list JOB:PATH");
    }
    from = place_of(cli, cli->args.words.at[0]);
    to = place_of(cli, cli->args.words.at[1]);
    if (!from.job == !to.job) {
        return cli_fail(CLI_USAGE,
                        from.job ? "cp: one of the two must be of this machine; write ./%s if it is"
                                 : "cp: neither is of a job; write JOB:%s",
                        cli_plain(cli, cli->args.words.at[1]));
    }
    job = from.job ? &from : &to;
    job->job = cli_job_of_element(cli, job->job, &code);
    if (!job->job) return code;
    return from.job ? copy_from(&copying, from, to) : copy_to(&copying, from, to);
}
