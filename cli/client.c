#include "cli/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cli/output.h"
#include "shared/base/buf.h"

enum { CONNECT_S = 10, ANSWER_S = 120, RETRY_FIRST_MS = 200, RETRY_MAX_MS = 3000, QUIET_MS = 2000 };

struct answer {
    struct fl_buf body;
    char content_range[128];
    long retry_after_s;
};

/* ---- libcurl --------------------------------------------------------------------------------- */

static size_t on_body(char *bytes, size_t one, size_t len, void *ctx)
{
    struct answer *answer = ctx;

    (void)one;
    return fl_buf_put(&answer->body, bytes, len) ? len : 0;
}

static size_t on_header(char *line, size_t one, size_t len, void *ctx)
{
    static const char range[] = "content-range: ", later[] = "retry-after: ";
    struct answer *answer = ctx;

    (void)one;
    if (len > sizeof range && strncasecmp(line, range, sizeof range - 1) == 0) {
        snprintf(answer->content_range, sizeof answer->content_range, "%.*s",
                 (int)strcspn(line + sizeof range - 1, "\r\n"), line + sizeof range - 1);
    }
    if (len > sizeof later && strncasecmp(line, later, sizeof later - 1) == 0) {
        answer->retry_after_s = strtol(line + sizeof later - 1, NULL, 10);
    }
    return len;
}

static int on_progress(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)ctx, (void)a, (void)b, (void)c, (void)d;
    return cli_is_interrupted();
}

void *cli_curl_create(struct cli *cli, const char *path, struct curl_slist **headers)
{
    static bool is_ready;
    CURL *curl;

    if (!is_ready) curl_global_init(CURL_GLOBAL_DEFAULT);
    is_ready = true;
    curl = curl_easy_init();
    fl_assert(curl);
    curl_easy_setopt(curl, CURLOPT_URL,
                     fl_arena_printf(&cli->arena, "%s%s", cli->settings.url, path));
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_SSL_EC_CURVES, "X25519:P-256"); /* as fl_tls_limit has it */
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    if (cli->settings.ca_file) curl_easy_setopt(curl, CURLOPT_CAINFO, cli->settings.ca_file);
    if (cli->settings.token) {
        *headers =
            curl_slist_append(*headers, fl_arena_printf(&cli->arena, "Authorization: Bearer %s",
                                                        cli->settings.token));
    }
    *headers = curl_slist_append(*headers, "Expect:");
    return curl;
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

static CURLcode send_once(struct cli *cli, const struct cli_request *request, const char *key,
                          struct answer *answer, long *ret_status, char error[CURL_ERROR_SIZE])
{
    struct curl_slist *headers = NULL;
    CURL *curl = cli_curl_create(cli, request->path, &headers);
    CURLcode result;

    headers = curl_slist_append(
        headers, fl_arena_printf(&cli->arena, "Accept: %s",
                                 request->accept ? request->accept : "application/json"));
    if (request->body) {
        headers =
            curl_slist_append(headers, fl_arena_printf(&cli->arena, "Content-Type: %s",
                                                       request->content_type ? request->content_type
                                                                             : "application/json"));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    } else if (strcmp(request->method, "POST") == 0) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, 0L);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
        headers = curl_slist_append(headers, "Content-Type:");
    }
    if (key) {
        headers =
            curl_slist_append(headers, fl_arena_printf(&cli->arena, "Idempotency-Key: %s", key));
    }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, answer);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)ANSWER_S);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    error[0] = 0;
    result = curl_easy_perform(curl);
    if (result != CURLE_OK && !error[0]) {
        snprintf(error, CURL_ERROR_SIZE, "%s", curl_easy_strerror(result));
    }
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, ret_status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return result;
}

/* Asking again may help: nobody listens yet, or any more. */
static bool may_pass(CURLcode result, long status)
{
    switch (result) {
    case CURLE_OK:
        return status == 503 || status == 429;
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
        return true;
    default:
        return false;
    }
}

static bool fail_result(struct cli *cli, CURLcode result, const char *error, struct fl_err *err)
{
    const char *url = cli->settings.url;

    if (cli_is_interrupted()) return fl_fail(err, FL_UNAVAILABLE, "interrupted");
    if (result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE) {
        return fl_fail(err, FL_UNAVAILABLE,
                       "%s: its certificate is not trusted (%s); give its CA with --ca-file, or "
                       "'fairlead login' again",
                       url, error);
    }
    if (result == CURLE_WRITE_ERROR) {
        return fl_fail(err, FL_TORN, "%s: the answer is larger than %d MiB", url,
                       CLI_ANSWER_BYTES_MAX >> 20);
    }
    return fl_fail(err, FL_UNAVAILABLE,
                   "%s cannot be reached: %s; nothing was changed that was not answered, 'fairlead "
                   "doctor' looks closer",
                   url, error);
}

bool cli_send(struct cli *cli, const struct cli_request *request, struct cli_reply *ret_reply,
              struct fl_err *err)
{
    int64_t started = cli_monotonic_ms(), wait = RETRY_FIRST_MS;
    const char *key = request->key;
    bool has_said = false;

    if (!cli->settings.url) {
        return fl_fail(err, FL_UNAVAILABLE,
                       "which control plane?  'fairlead login URL' remembers one, or give --url or "
                       "FAIRLEAD_URL");
    }
    if (!key && strcmp(request->method, "POST") == 0) key = random_key(cli);
    while (true) {
        struct answer answer = {0};
        char error[CURL_ERROR_SIZE];
        long status = 0;
        CURLcode result;
        int64_t now;

        fl_buf_init(&answer.body, CLI_ANSWER_BYTES_MAX);
        result = send_once(cli, request, key, &answer, &status, error);
        now = cli_monotonic_ms();
        if (request->is_impatient || cli_is_interrupted() || !may_pass(result, status) ||
            now - started >= CLI_PATIENCE_MS) {
            if (result == CURLE_OK) {
                ret_reply->status = status;
                ret_reply->len = answer.body.len;
                ret_reply->body =
                    fl_arena_copy(&cli->arena, answer.body.at ? (const char *)answer.body.at : "",
                                  answer.body.len);
                ret_reply->content_range =
                    *answer.content_range ? fl_arena_printf(&cli->arena, "%s", answer.content_range)
                                          : NULL;
            }
            fl_buf_fini(&answer.body);
            return result == CURLE_OK || fail_result(cli, result, error, err);
        }
        fl_buf_fini(&answer.body);
        if (!has_said && now - started >= QUIET_MS) {
            fprintf(stderr, "fairlead: %s does not answer (%s); asking again for %d s\n",
                    cli->settings.url, result == CURLE_OK ? "not ready" : error,
                    CLI_PATIENCE_MS / 1000);
            has_said = true;
        }
        if (answer.retry_after_s > 0 && answer.retry_after_s <= 5) {
            wait = answer.retry_after_s * 1000;
        }
        (void)cli_sleep_ms(wait);
        wait = wait * 2 < RETRY_MAX_MS ? wait * 2 : RETRY_MAX_MS;
    }
}

/* ---- problems -------------------------------------------------------------------------------- */

static int code_of_status(long status)
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

int cli_problem(struct cli *cli, const char *body, long status)
{
    json_t *problem = json_loads(body, 0, NULL), *one;
    const char *detail = cli_text(problem, "detail"), *title = cli_text(problem, "title");
    size_t i;
    int code = code_of_status(status);

    if (!*detail) detail = title;
    if (!*detail) {
        cli_fail(code, "%s answered with status %ld", cli->settings.url, status);
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
