#include "cli/client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cli/http.h"
#include "cli/output.h"

enum { ANSWER_MS = 120000, RETRY_FIRST_MS = 200, RETRY_MAX_MS = 3000, QUIET_MS = 2000 };

struct heads {
    struct cli *cli;
    const char *content_range; /* NULL: none */
    uint64_t retry_after_s;
};

/* ---- one request ----------------------------------------------------------------------------- */

static void on_head(void *ctx, const struct fl_http_call *call)
{
    struct heads *heads = ctx;
    struct fl_str range = fl_http_call_header(call, "content-range");

    if (range.len) {
        heads->content_range = fl_arena_printf(&heads->cli->arena, FL_STR_FMT, FL_STR_ARG(range));
    }
    if (!fl_str_parse_u64(fl_http_call_header(call, "retry-after"), &heads->retry_after_s)) {
        heads->retry_after_s = 0; /* a date, or none */
    }
}

static const char *random_key(struct cli *cli)
{
    uint8_t bytes[16];
    char text[33];

    fl_assert(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    return fl_arena_printf(&cli->arena, "cli-%s", text);
}

static void make_request(struct cli *cli, const struct cli_request *request,
                         struct cli_http_request *ret_http)
{
    const char *key = request->key, *type = request->content_type;

    cli_http_request(cli, request->path, ret_http);
    ret_http->http.method = request->method;
    ret_http->http.body = (struct fl_str){request->body, request->body ? request->body_len : 0};
    ret_http->http.head_ms = ret_http->http.idle_ms = ret_http->http.whole_ms = ANSWER_MS;
    ret_http->http.body_bytes_max = CLI_ANSWER_BYTES_MAX;
    cli_http_put_header(ret_http, "Accept", request->accept ? request->accept : "application/json");
    if (request->body && !type) type = "application/json";
    if (request->body) cli_http_put_header(ret_http, "Content-Type", type);
    if (!key && strcmp(request->method, "POST") == 0) key = random_key(cli);
    if (key) cli_http_put_header(ret_http, "Idempotency-Key", key);
}

/* Asking again may help: the control plane is not there yet, or is starting anew. */
static bool may_pass(bool is_answered, unsigned status, const struct fl_err *err)
{
    if (is_answered) return status == 503 || status == 429;
    return err->code == FL_UNAVAILABLE || (err->code == FL_TORN && status);
}

static bool fail_send(struct cli *cli, const struct fl_err *why, struct fl_err *err)
{
    const char *url = cli->settings.url;

    if (cli_is_interrupted()) return fl_fail(err, FL_UNAVAILABLE, "interrupted");
    if (why->code == FL_DENIED) {
        return fl_fail(err, FL_UNAVAILABLE,
                       "%s is not trusted: %s; give its CA with --ca-file, or 'fairlead login' "
                       "again",
                       url, why->text);
    }
    if (why->code == FL_TOO_LARGE) {
        return fl_fail(err, FL_TORN, "%s: the answer is larger than %d MiB", url,
                       CLI_ANSWER_BYTES_MAX >> 20);
    }
    return fl_fail(err, FL_UNAVAILABLE,
                   "%s cannot be reached: %s; nothing was changed that was not answered, 'fairlead "
                   "doctor' looks closer",
                   url, why->text);
}

static void take_answer(struct cli *cli, const struct cli_http_answer *answer,
                        const struct heads *heads, struct cli_reply *ret_reply)
{
    const char *body = answer->body.len ? (const char *)answer->body.at : "";

    ret_reply->status = answer->status;
    ret_reply->len = answer->body.len;
    ret_reply->body = fl_arena_copy(&cli->arena, body, answer->body.len);
    ret_reply->content_range = heads->content_range;
}

bool cli_send(struct cli *cli, const struct cli_request *request, struct cli_reply *ret_reply,
              struct fl_err *err)
{
    int64_t started = cli_monotonic_ms(), wait = RETRY_FIRST_MS;
    struct cli_http_request http;
    struct cli_http *client;
    bool has_said = false;

    if (!cli->settings.url) {
        return fl_fail(err, FL_UNAVAILABLE,
                       "which control plane?  'fairlead login URL' remembers one, or give --url or "
                       "FAIRLEAD_URL");
    }
    if (!cli_http(cli, &client, err)) return false;
    make_request(cli, request, &http); /* tries share its key */
    while (true) {
        struct heads heads = {.cli = cli};
        struct cli_http_answer answer = {.head = on_head, .ctx = &heads};
        struct fl_err why = {0};
        bool is_answered;
        int64_t now;

        fl_buf_init(&answer.body, CLI_ANSWER_BYTES_MAX);
        is_answered = cli_http_run(cli, &http, &answer, &why);
        now = cli_monotonic_ms();
        if (request->is_impatient || cli_is_interrupted() ||
            !may_pass(is_answered, answer.status, &why) || now - started >= CLI_PATIENCE_MS) {
            if (is_answered) take_answer(cli, &answer, &heads, ret_reply);
            fl_buf_fini(&answer.body);
            return is_answered || fail_send(cli, &why, err);
        }
        fl_buf_fini(&answer.body);
        if (!has_said && now - started >= QUIET_MS) {
            fprintf(stderr, "fairlead: %s does not answer (%s); asking again for %d s\n",
                    cli->settings.url, is_answered ? "not ready" : why.text,
                    CLI_PATIENCE_MS / 1000);
            has_said = true;
        }
        if (heads.retry_after_s > 0 && heads.retry_after_s <= 5) {
            wait = (int64_t)heads.retry_after_s * 1000;
        }
        (void)cli_sleep_ms(wait);
        wait = wait * 2 < RETRY_MAX_MS ? wait * 2 : RETRY_MAX_MS;
    }
}

/* ---- problems -------------------------------------------------------------------------------- */

static int code_of_status(unsigned status)
{
    switch (status) {
    case 400:
    case 413:
    case 422:
        return CLI_BAD_SPEC;
    case 401:
    case 403:
        return CLI_DENIED;
    case 429:
    case 503:
    case 507:
        return CLI_UNREACHABLE;
    default:
        return CLI_FAILED;
    }
}

static void say_error(struct cli *cli, const json_t *one)
{
    const json_t *allowed = json_object_get(one, "allowed"), *line = json_object_get(one, "line");

    fputs("  ", stderr);
    if (json_is_integer(line)) {
        fprintf(stderr, "line %lld, column %lld: ", (long long)cli_int(one, "line"),
                (long long)cli_int(one, "col"));
    }
    if (*cli_text(one, "pointer")) {
        fprintf(stderr, "%s: ", cli_plain(cli, cli_text(one, "pointer")));
    }
    fputs(cli_plain(cli, cli_text(one, "detail")), stderr);
    if (*cli_text(one, "got")) fprintf(stderr, " (got %s)", cli_plain(cli, cli_text(one, "got")));
    if (json_is_string(allowed) && *json_string_value(allowed)) {
        fprintf(stderr, " (allowed: %s)", cli_plain(cli, json_string_value(allowed)));
    }
    fputc('\n', stderr);
}

int cli_problem(struct cli *cli, const char *body, unsigned status)
{
    json_t *problem = json_loads(body, 0, NULL), *one;
    const char *detail = cli_text(problem, "detail"), *title = cli_text(problem, "title");
    size_t i;
    int code = code_of_status(status);

    if (!*detail) detail = title;
    if (!*detail) {
        cli_fail(code, "%s answered with status %u", cli->settings.url, status);
    } else {
        cli_fail(code, "%s", cli_plain(cli, detail));
    }
    if (status == 401) {
        fprintf(stderr, "  %s\n",
                cli->settings.token
                    ? "the token is unknown, expired or revoked: 'fairlead login' again"
                    : "no token: 'fairlead login URL', --token-file or FAIRLEAD_TOKEN");
    }
    json_array_foreach(json_object_get(problem, "errors"), i, one) say_error(cli, one);
    json_decref(problem);
    return code;
}

/* "job-7m2k" of "/v1/jobs/job-7m2k/logs?tail=1"; "" when the path names nothing. */
static const char *named_by(struct cli *cli, const char *path)
{
    const char *at = path;

    for (int slashes = 0; slashes < 3; at++) {
        if (!*at || *at == '?') return "";
        slashes += *at == '/';
    }
    return fl_arena_printf(&cli->arena, "%.*s", (int)strcspn(at, "/:?"), at);
}

int cli_call(struct cli *cli, const struct cli_request *request, json_t **ret_json)
{
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    if (ret_json) *ret_json = NULL;
    if (!cli_send(cli, request, &reply, &err)) return cli_fail_err(&err);
    if (reply.status == 404 && *named_by(cli, request->path)) {
        return cli_fail(code_of_status(404), "%s: not found, or this token may not see it",
                        cli_plain(cli, named_by(cli, request->path)));
    }
    if (reply.status < 200 || reply.status > 299) return cli_problem(cli, reply.body, reply.status);
    if (ret_json && reply.len) {
        *ret_json = json_loadb(reply.body, reply.len, JSON_REJECT_DUPLICATES, NULL);
        if (!*ret_json) {
            return cli_fail(CLI_INTERNAL,
                            "the answer of %s is no JSON; is it a Fairlead control plane?",
                            cli->settings.url);
        }
    }
    return 0;
}

static const char *format_path(struct cli *cli, const char *fmt, va_list args)
{
    char *text = NULL;
    const char *path;

    fl_assert(vasprintf(&text, fmt, args) >= 0);
    path = fl_arena_copy(&cli->arena, text, strlen(text));
    free(text);
    return path;
}

int cli_get(struct cli *cli, json_t **ret_json, const char *fmt, ...)
{
    struct cli_request request = {.method = "GET"};
    va_list args;

    va_start(args, fmt);
    request.path = format_path(cli, fmt, args);
    va_end(args);
    return cli_call(cli, &request, ret_json);
}

int cli_post(struct cli *cli, json_t **ret_json, json_t *body, const char *fmt, ...)
{
    struct cli_request request = {.method = "POST"};
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    va_list args;
    int code;

    va_start(args, fmt);
    request.path = format_path(cli, fmt, args);
    va_end(args);
    request.body = text;
    request.body_len = text ? strlen(text) : 0;
    code = cli_call(cli, &request, ret_json);
    free(text);
    json_decref(body);
    return code;
}

const char *cli_escape(struct cli *cli, const char *text)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t len = strlen(text), out = 0;
    char *escaped = fl_arena_alloc(&cli->arena, 3 * len + 1);

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';

        if (is_plain) {
            escaped[out++] = (char)c;
        } else {
            escaped[out++] = '%';
            escaped[out++] = hex[c >> 4];
            escaped[out++] = hex[c & 15];
        }
    }
    return escaped;
}

const char *cli_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

int64_t cli_int(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}
