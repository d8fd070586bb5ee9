#include "agent/kube/kube_channel.h"

#include <string.h>

#include "agent/kube/kube_json.h"
#include "agent/kube/kube_status.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/json/json_out.h"

enum { PATH_BYTES_MAX = 256 << 10, STATUS_NODES_MAX = 256 };

/* Its words are the mark, TERM and the command. */
#define BEGIN_SCRIPT                                                                               \
    "FAIRLEAD_VISIT=$1; export FAIRLEAD_VISIT; "                                                   \
    "if [ -n \"$2\" ]; then TERM=$2; export TERM; fi; shift 2; "                                   \
    "if [ $# -gt 0 ]; then exec \"$@\"; fi; "                                                      \
    "if [ -x \"$SHELL\" ]; then exec \"$SHELL\"; fi; exec /bin/sh"

/* Its word is the mark, which its own environment does not have. */
#define HANGUP_SCRIPT                                                                              \
    "m=FAIRLEAD_VISIT=$1; each() { for f in /proc/[0-9]*/environ; do "                             \
    "if grep -qs $m $f; then p=${f#/proc/}; kill -$1 ${p%/*}; fi; done 2>/dev/null; }; "           \
    "each HUP; each CONT; sleep 3; each KILL"

/* ---- asking ---------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '~';
}

static void put_query(struct fl_buf *out, const char *name, struct fl_str value)
{
    static const char digits[] = "0123456789ABCDEF";

    fl_buf_put(out, "&", 1);
    fl_buf_put(out, name, strlen(name));
    fl_buf_put(out, "=", 1);
    for (size_t i = 0; i < value.len; i++) {
        uint8_t byte = (uint8_t)value.at[i];
        char escaped[3] = {'%', digits[byte >> 4], digits[byte & 15]};

        fl_buf_put(out, is_plain(value.at[i]) ? &value.at[i] : escaped,
                   is_plain(value.at[i]) ? 1 : 3);
    }
}

static const char *path_of(const struct kube_channel_target *target, const char *streams,
                           const struct fl_str *words, size_t words_len, struct fl_arena *arena)
{
    const char *head = fl_arena_printf(arena, "/api/v1/namespaces/%s/pods/%s/exec?stdout=true%s",
                                       target->namespace, target->pod, streams);
    struct fl_buf out;

    fl_buf_init_in(&out, PATH_BYTES_MAX, arena);
    fl_buf_put(&out, head, strlen(head));
    put_query(&out, "container", target->container);
    for (size_t i = 0; i < words_len; i++) {
        put_query(&out, "command", words[i]);
    }
    fl_buf_put_u8(&out, 0);
    fl_assert(!out.is_over); /* a record of a visit bounds the words */
    return fl_buf_take(&out).at;
}

bool kube_channel_has_mark(const struct fl_visit_open *open)
{
    return open->has_tty || open->words_len == 0;
}

const char *kube_channel_path(const struct kube_channel_target *target,
                              const struct fl_visit_open *open, const char *mark,
                              struct fl_arena *arena)
{
    const struct fl_str begin[] = {FL_STR("/bin/sh"),    FL_STR("-c"),
                                   FL_STR(BEGIN_SCRIPT), FL_STR("sh"),
                                   fl_str_c(mark),       open->has_tty ? open->term : FL_STR("")};
    size_t begin_len = kube_channel_has_mark(open) ? sizeof begin / sizeof *begin : 0;
    struct fl_str *words = fl_arena_array(arena, struct fl_str, begin_len + open->words_len);

    for (size_t i = 0; i < begin_len; i++) {
        words[i] = begin[i];
    }
    for (size_t i = 0; i < open->words_len; i++) {
        words[begin_len + i] = open->words[i];
    }
    /* The errors of a terminal are its output. */
    return path_of(target, open->has_tty ? "&stdin=true&tty=true" : "&stdin=true&stderr=true",
                   words, begin_len + open->words_len, arena);
}

const char *kube_channel_hangup_path(const struct kube_channel_target *target, const char *mark,
                                     struct fl_arena *arena)
{
    const struct fl_str words[] = {FL_STR("/bin/sh"), FL_STR("-c"), FL_STR(HANGUP_SCRIPT),
                                   FL_STR("sh"), fl_str_c(mark)};

    return path_of(target, "", words, sizeof words / sizeof *words, arena);
}

void kube_channel_put_size(struct fl_buf *out, struct fl_visit_size size)
{
    struct fl_json_out json = fl_json_out(out);

    fl_json_open(&json, NULL, '{');
    fl_json_put_u64(&json, "Width", size.columns);
    fl_json_put_u64(&json, "Height", size.rows);
    fl_json_close(&json, '}');
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool read_exit_code(const struct fl_json *status, int32_t *ret_exit_code)
{
    const struct fl_json *details = kube_json_at(status, "details");
    const struct fl_json *cause =
        kube_json_find(kube_json_list(details, "causes"), "reason", FL_STR("ExitCode"));
    uint64_t code;

    if (!kube_json_says(status, "reason", "NonZeroExitCode") ||
        !fl_str_parse_u64(kube_json_string(cause, "message"), &code) || code > INT32_MAX) {
        return false;
    }
    *ret_exit_code = (int32_t)code;
    return true;
}

static bool has(struct fl_str text, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++) {
        if (memcmp(text.at + i, word, len) == 0) return true;
    }
    return false;
}

/* A command that cannot begin is the visitor's matter, and not the server's, which says 500. */
static void read_refusal(const struct fl_json *status, struct fl_err *err)
{
    struct fl_str message = kube_json_string(status, "message"),
                  words = kube_status_last_words(message);
    struct kube_failure failure;

    if (has(message, "exec failed") || has(message, "executable file")) {
        fl_fail(err, FL_INVALID, "the command cannot begin: " FL_STR_FMT, FL_STR_ARG(words));
    } else if (words.len < message.len) {
        fl_fail(err, FL_UNAVAILABLE, "the cluster says: " FL_STR_FMT, FL_STR_ARG(words));
    } else {
        kube_status_of(status, &failure);
        *err = failure.err;
    }
    for (char *at = err->text; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) *at = ' ';
    }
}

bool kube_channel_status(struct fl_str text, int32_t *ret_exit_code, struct fl_err *err)
{
    const struct fl_json *status;
    struct fl_arena arena = {0};
    bool has_ended = true;

    if (!fl_json_parse_few(text, STATUS_NODES_MAX, &arena, &status, NULL, err)) {
        fl_arena_fini(&arena);
        return fl_err_wrap(err, "the API server's last word is no Status");
    }
    if (kube_json_says(status, "status", "Success")) {
        *ret_exit_code = 0;
    } else if (!read_exit_code(status, ret_exit_code)) {
        read_refusal(status, err);
        has_ended = false;
    }
    fl_arena_fini(&arena);
    return has_ended;
}
