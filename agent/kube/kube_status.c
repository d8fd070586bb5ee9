#include "agent/kube/kube_status.h"

#include <stdio.h>
#include <string.h>

#include "agent/kube/kube_json.h"
#include "shared/base/arena.h"

enum { RETRY_AFTER_S_MAX = 86400, LAST_WORDS_BYTES_MAX = 160 };

static enum fl_code code_for(unsigned status, const char *reason)
{
    if (status >= 500 && status != 501) return FL_UNAVAILABLE;
    switch (status) {
    case 400:
    case 422:
        return FL_INVALID;
    case 401:
    case 403:
        return FL_DENIED;
    case 404:
    case 410:
        return FL_ABSENT;
    case 409:
        return strcmp(reason, "AlreadyExists") == 0 ? FL_EXISTS : FL_CONFLICT;
    case 413:
        return FL_TOO_LARGE;
    case 429:
        return FL_UNAVAILABLE;
    case 405:
    case 406:
    case 415:
    case 501:
        return FL_UNSUPPORTED;
    default:
        return FL_IO;
    }
}

/* On one line, and no longer than an error may be. */
static void copy_words(struct fl_str words, char *out, size_t out_bytes)
{
    size_t len = words.len < out_bytes ? words.len : out_bytes - 1;

    if (len > 0) memcpy(out, words.at, len);
    out[len] = 0;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)out[i] < ' ' || out[i] == 0x7f) out[i] = ' ';
    }
}

static fl_ms retry_after_in(const struct fl_json *status)
{
    const struct fl_json *details = kube_json_at(status, "details");
    const struct fl_json *seconds = kube_json_at(details, "retryAfterSeconds");

    if (!seconds || seconds->kind != FL_JSON_INT || seconds->n <= 0) return -1;
    return (seconds->n < RETRY_AFTER_S_MAX ? seconds->n : RETRY_AFTER_S_MAX) * FL_SECOND_MS;
}

static void fill(unsigned status, const struct fl_json *object, struct kube_failure *ret_failure)
{
    struct kube_failure failure = {.status = status, .retry_after_ms = retry_after_in(object)};
    char words[sizeof failure.err.text];

    copy_words(kube_json_string(object, "reason"), failure.reason, sizeof failure.reason);
    copy_words(kube_json_string(object, "message"), words, sizeof words);
    fl_fail(&failure.err, code_for(status, failure.reason), "the API server answers %u%s%s%s%s",
            status, failure.reason[0] ? " " : "", failure.reason, words[0] ? ": " : "", words);
    *ret_failure = failure;
}

void kube_status_read(unsigned status, struct fl_str body, struct kube_failure *ret_failure)
{
    const struct fl_json *root = NULL;
    struct fl_arena arena = {0};

    if (body.len > KUBE_STATUS_BYTES_MAX || !fl_json_parse(body, &arena, &root, NULL, NULL) ||
        !kube_json_says(root, "kind", "Status")) {
        root = NULL;
    }
    fill(status, root, ret_failure);
    fl_arena_fini(&arena);
}

void kube_status_of(const struct fl_json *object, struct kube_failure *ret_failure)
{
    const struct fl_json *code = kube_json_at(object, "code");
    bool is_good = code && code->kind == FL_JSON_INT && code->n >= 400 && code->n <= 599;

    fill(is_good ? (unsigned)code->n : 500, object, ret_failure);
}

struct fl_str kube_status_last_words(struct fl_str text)
{
    size_t from = text.len > LAST_WORDS_BYTES_MAX ? text.len - LAST_WORDS_BYTES_MAX : 0;

    if (from == 0) return text;
    for (size_t i = from; i + 2 < text.len; i++) {
        if (text.at[i] != ':' || text.at[i + 1] != ' ') continue;
        from = i + 2;
        break;
    }
    return (struct fl_str){text.at + from, text.len - from};
}

fl_ms kube_status_retry_after(struct fl_str header)
{
    uint64_t seconds;

    if (!fl_str_parse_u64(header, &seconds) || seconds > RETRY_AFTER_S_MAX) return -1;
    return (fl_ms)seconds * FL_SECOND_MS;
}
