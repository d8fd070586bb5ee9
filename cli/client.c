#include "cli/client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cli/http.h"
#include "cli/interrupt.h"
#include "cli/json_read.h"
#include "cli/output.h"
#include "cli/problem.h"
#include "cli/status_line.h"
#include "shared/base/hex.h"
#include "shared/io/clock.h"

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
    char text[FL_HEX_MAX(sizeof bytes)];

    fl_assert(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    fl_hex_print(bytes, sizeof bytes, text);
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
    if (!key && (strcmp(request->method, "POST") == 0 || strcmp(request->method, "PATCH") == 0)) {
        key = random_key(cli);
    }
    if (request->if_match) cli_http_put_header(ret_http, "If-Match", request->if_match);
    if (key) cli_http_put_header(ret_http, "Idempotency-Key", key);
}

/* Asking again may help: the control plane is not there yet, or is starting anew. */
static bool may_pass(bool is_answered, unsigned status, const struct fl_err *err)
{
    if (is_answered) return status == 503 || status == 429;
    return err->code == FL_UNAVAILABLE || (err->code == FL_TORN && status);
}

/* A look is not worth a long wait where nothing listens; work in progress is. */
static int64_t patience_ms(const struct cli *cli, bool is_answered)
{
    return cli->args.verb && cli_verb_only_looks(cli->args.verb) && !is_answered ? CLI_LOOK_MS
                                                                                 : CLI_PATIENCE_MS;
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

/* Why it takes so long.  No answer: 'why' says what went wrong. */
static void say_later(struct cli *cli, const struct cli_http_answer *answer,
                      const struct fl_err *why)
{
    json_t *problem =
        answer ? json_loadb((const char *)answer->body.at, answer->body.len, 0, NULL) : NULL;
    const char *detail = cli_plain(cli, cli_text(problem, "detail"));
    const char *url = cli->settings.url;

    cli_status_line_clear();
    if (answer && answer->status == 429 && *detail) {
        fprintf(stderr, "fairlead: refused for now: %s; asking again for %d s\n", detail,
                CLI_PATIENCE_MS / 1000);
    } else {
        fprintf(stderr, "fairlead: %s does not answer (%s); asking again for %d s\n", url,
                !answer   ? why->text
                : *detail ? detail
                          : "not ready",
                CLI_PATIENCE_MS / 1000);
    }
    json_decref(problem);
}

bool cli_send(struct cli *cli, const struct cli_request *request, struct cli_reply *ret_reply,
              struct fl_err *err)
{
    int64_t started = fl_clock_mono(), wait = RETRY_FIRST_MS;
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
        now = fl_clock_mono();
        if (request->is_impatient || cli_is_interrupted() ||
            !may_pass(is_answered, answer.status, &why) ||
            now - started >= patience_ms(cli, is_answered)) {
            if (is_answered) take_answer(cli, &answer, &heads, ret_reply);
            fl_buf_fini(&answer.body);
            return is_answered || fail_send(cli, &why, err);
        }
        if (!has_said && now - started >= QUIET_MS) {
            say_later(cli, is_answered ? &answer : NULL, &why);
            has_said = true;
        }
        fl_buf_fini(&answer.body);
        if (heads.retry_after_s > 0 && heads.retry_after_s <= 5) {
            wait = (int64_t)heads.retry_after_s * 1000;
        }
        (void)cli_sleep_ms(wait);
        wait = wait * 2 < RETRY_MAX_MS ? wait * 2 : RETRY_MAX_MS;
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

int cli_call(struct cli *cli, const struct cli_request *request, json_t **ret_json)
{
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    if (ret_json) *ret_json = NULL;
    if (!cli_send(cli, request, &reply, &err)) return cli_fail_err(&err);
    if (reply.status < 200 || reply.status > 299) {
        return cli_problem(cli, request->path, reply.body, reply.status);
    }
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

json_t *cli_look(struct cli *cli, const char *fmt, ...)
{
    struct cli_request request = {.method = "GET", .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};
    va_list args;

    va_start(args, fmt);
    request.path = format_path(cli, fmt, args);
    va_end(args);
    if (!cli_send(cli, &request, &reply, &err) || reply.status != 200) return NULL;
    return json_loadb(reply.body, reply.len, 0, NULL);
}

static int call_with(struct cli *cli, const char *method, json_t *body, json_t **ret_json,
                     const char *fmt, va_list args)
{
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    struct cli_request request = {.method = method,
                                  .path = format_path(cli, fmt, args),
                                  .body = text,
                                  .body_len = text ? strlen(text) : 0};
    int code = cli_call(cli, &request, ret_json);

    free(text);
    json_decref(body);
    return code;
}

int cli_post(struct cli *cli, json_t **ret_json, json_t *body, const char *fmt, ...)
{
    va_list args;
    int code;

    va_start(args, fmt);
    code = call_with(cli, "POST", body, ret_json, fmt, args);
    va_end(args);
    return code;
}

int cli_patch(struct cli *cli, json_t **ret_json, json_t *body, const char *fmt, ...)
{
    va_list args;
    int code;

    va_start(args, fmt);
    code = call_with(cli, "PATCH", body, ret_json, fmt, args);
    va_end(args);
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
