#include "cli/http.h"
#include "cli/interrupt.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/file.h"
#include "shared/io/loop.h"

enum { CONNECT_MS = 10000, CA_BYTES_MAX = 4 << 20 };

/* ---- the client ------------------------------------------------------------------------------ */

static bool is_https(const struct cli *cli)
{
    return cli->settings.url && strncmp(cli->settings.url, "https://", 8) == 0;
}

static const char *find_variable(const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);

        if (value && *value) return *names;
    }
    return NULL;
}

/* A CGI program gets HTTP_PROXY from its client's header 'Proxy:', so that name is not read. */
struct cli_http_proxy cli_http_proxy(const struct cli *cli)
{
    static const char *const of_https[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                                           NULL},
                             *const of_http[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    const char *found = find_variable(is_https(cli) ? of_https : of_http);

    return (struct cli_http_proxy){found, found ? getenv(found) : NULL};
}

static bool read_ca(const struct cli *cli, struct fl_buf *ca, struct fl_err *err)
{
    struct fl_err why = {0};

    if (!cli->settings.ca_file || !is_https(cli)) return true;
    if (fl_file_read(AT_FDCWD, cli->settings.ca_file, ca, &why)) return true;
    return fl_fail(err, FL_UNAVAILABLE, "the CA file: %s; name another with --ca-file", why.text);
}

bool cli_http(struct cli *cli, struct cli_http **ret_http, struct fl_err *err)
{
    static const char *const exempt[] = {"no_proxy", "NO_PROXY", NULL};
    struct fl_http_client_config config = {.proxy = cli_http_proxy(cli).value};
    const char *no_proxy = find_variable(exempt);
    struct cli_http http;
    struct fl_buf ca;
    bool is_made;

    *ret_http = cli->http;
    if (cli->http) return true;
    http.loop = fl_loop_create();
    fl_buf_init(&ca, CA_BYTES_MAX);
    is_made = read_ca(cli, &ca, err);
    config.no_proxy = no_proxy ? getenv(no_proxy) : NULL;
    config.tls.ca_pem = (struct fl_str){(const char *)ca.at, ca.len};
    is_made = is_made && fl_http_client_create(http.loop, &config, &http.client, err);
    fl_buf_fini(&ca);
    if (!is_made) {
        fl_loop_destroy(http.loop);
        return false;
    }
    *ret_http = cli->http = fl_new(struct cli_http);
    *cli->http = http;
    return true;
}

void cli_http_end(struct cli *cli)
{
    if (!cli->http) return;
    fl_loop_turn(cli->http->loop, 0); /* calls that were destroyed in a callback go now */
    fl_http_client_destroy(cli->http->client);
    fl_loop_destroy(cli->http->loop);
    fl_free(cli->http);
    cli->http = NULL;
}

/* ---- one request ----------------------------------------------------------------------------- */

void cli_http_request(struct cli *cli, const char *path, struct cli_http_request *ret_request)
{
    *ret_request = (struct cli_http_request){
        .http = {.method = "GET",
                 .url = fl_arena_printf(&cli->arena, "%s%s", cli->settings.url, path),
                 .connect_ms = CONNECT_MS}};
    if (cli->settings.token) {
        cli_http_put_header(ret_request, "Authorization",
                            fl_arena_printf(&cli->arena, "Bearer %s", cli->settings.token));
    }
    if (cli->settings.as) cli_http_put_header(ret_request, "Fairlead-As", cli->settings.as);
}

void cli_http_put_header(struct cli_http_request *request, const char *name, const char *value)
{
    size_t at = request->http.headers_len++;

    fl_assert(at < sizeof request->headers / sizeof *request->headers);
    request->headers[at] = (struct fl_http_header){name, value};
    request->http.headers = request->headers;
}

struct run {
    struct cli_http_answer *answer;
    struct fl_http_call *call;
    bool is_done, is_whole;
    struct fl_err err;
};

static void on_head(void *ctx)
{
    struct run *run = ctx;

    run->answer->status = fl_http_call_status(run->call);
    if (run->answer->head) run->answer->head(run->answer->ctx, run->call);
}

static void on_body(void *ctx, struct fl_str bytes)
{
    struct run *run = ctx;

    FL_IGNORE(
        fl_buf_put(&run->answer->body, bytes.at, bytes.len)); /* the caller looks at is_over */
}

static void on_done(void *ctx, const struct fl_err *err)
{
    struct run *run = ctx;

    run->is_done = true;
    run->is_whole = !err;
    if (err) run->err = *err;
}

bool cli_http_run(struct cli *cli, const struct cli_http_request *request,
                  struct cli_http_answer *answer, struct fl_err *err)
{
    struct run run = {.answer = answer};
    struct fl_http_port port = {.ctx = &run, .head = on_head, .body = on_body, .done = on_done};
    struct cli_http *http;

    answer->status = 0;
    if (!cli_http(cli, &http, err)) return false;
    run.call = fl_http_call_start(http->client, &request->http, &port);
    while (!run.is_done && !cli_is_interrupted()) {
        fl_loop_turn(http->loop, CLI_HTTP_TURN_MS);
    }
    fl_http_call_destroy(run.call);
    if (!run.is_done) return fl_fail(err, FL_UNAVAILABLE, "interrupted");
    if (!run.is_whole) *err = run.err;
    return run.is_whole;
}
