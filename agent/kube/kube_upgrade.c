#include "agent/kube/kube_upgrade.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/version.h"

#define SCHEME "https://"
#define VERSION_TEXT "HTTP/1.1 "

/* ---- asking ---------------------------------------------------------------------------------- */

/* Cuts the server into "HOST[:PORT]" and "/PATH", which may be empty. */
static struct fl_str cut_server(struct fl_str server, struct fl_str *ret_prefix)
{
    size_t from = sizeof SCHEME - 1, len = 0;
    struct fl_str place;

    fl_assert(server.len > from); /* kube_config has checked it */
    place = (struct fl_str){server.at + from, server.len - from};
    while (len < place.len && place.at[len] != '/') {
        len++;
    }
    *ret_prefix = (struct fl_str){place.at + len, place.len - len};
    return (struct fl_str){place.at, len};
}

const char *kube_upgrade_place(struct fl_str server, struct fl_arena *arena)
{
    struct fl_str prefix, place = cut_server(server, &prefix);
    bool has_port = false;

    for (size_t i = 0; i < place.len; i++) {
        if (place.at[i] == ':') has_port = true;
        if (place.at[i] == ']') has_port = false; /* those before stood in an address */
    }
    return fl_arena_printf(arena, FL_STR_FMT "%s", FL_STR_ARG(place), has_port ? "" : ":443");
}

static bool put(struct fl_buf *out, const char *text)
{
    return fl_buf_put(out, text, strlen(text));
}

static bool put_str(struct fl_buf *out, struct fl_str text)
{
    return fl_buf_put(out, text.at, text.len);
}

bool kube_upgrade_write(const struct kube_upgrade *upgrade, struct fl_buf *out)
{
    struct fl_str prefix, place = cut_server(upgrade->server, &prefix);

    (void)(put(out, "GET ") && put_str(out, prefix) && put(out, upgrade->path) &&
           put(out, " HTTP/1.1\r\nHost: ") && put_str(out, place) &&
           put(out, "\r\nUser-Agent: fairlead-agent/" FL_VERSION
                    "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                    "\r\nSec-WebSocket-Key: ") &&
           put(out, upgrade->key) && put(out, "\r\nSec-WebSocket-Protocol: ") &&
           put(out, upgrade->protocol));
    if (upgrade->token.len > 0) {
        (void)(put(out, "\r\nAuthorization: Bearer ") && put_str(out, upgrade->token));
    }
    (void)put(out, "\r\n\r\n");
    return !out->is_over;
}

/* ---- the answer ------------------------------------------------------------------------------ */

enum header { ACCEPT, PROTOCOL, LENGTH, ENCODING, HEADERS };

static const char *const names[HEADERS] = {"sec-websocket-accept", "sec-websocket-protocol",
                                           "content-length", "transfer-encoding"};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool says(struct fl_str text, const char *word) /* in any case; 'word' is in lower case */
{
    if (text.len != strlen(word)) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (lower(text.at[i]) != word[i]) return false;
    }
    return true;
}

/* The length of the head, or 0. */
static size_t find_end(struct fl_str bytes)
{
    for (size_t i = 3; i < bytes.len; i++) {
        if (memcmp(bytes.at + i - 3, "\r\n\r\n", 4) == 0) return i + 1;
    }
    return 0;
}

/* Takes a line and its end off the front; it holds no other control character. */
static bool take_line(struct fl_str *head, struct fl_str *ret_line)
{
    for (size_t i = 0; i + 1 < head->len; i++) {
        if (head->at[i] == '\r' && head->at[i + 1] == '\n') {
            *ret_line = (struct fl_str){head->at, i};
            *head = (struct fl_str){head->at + i + 2, head->len - i - 2};
            return true;
        }
        if ((unsigned char)head->at[i] < ' ' && head->at[i] != '\t') return false;
    }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_status(struct fl_str line, unsigned *ret_status)
{
    const size_t at = sizeof VERSION_TEXT - 1;
    unsigned status = 0;

    if (line.len < at + 3 || memcmp(line.at, VERSION_TEXT, at) != 0) return false;
    for (size_t i = at; i < at + 3; i++) {
        if (!is_digit(line.at[i])) return false;
        status = status * 10 + (unsigned)(line.at[i] - '0');
    }
    *ret_status = status;
    return status >= 100 && (line.len == at + 3 || line.at[at + 3] == ' ');
}

static struct fl_str trim(struct fl_str text)
{
    while (text.len > 0 && (text.at[0] == ' ' || text.at[0] == '\t')) {
        text.at++;
        text.len--;
    }
    while (text.len > 0 && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t')) {
        text.len--;
    }
    return text;
}

/* Keeps the line's value if it is one that counts.  False: it is no header, or a second one. */
static bool read_header(struct fl_str line, struct fl_str values[HEADERS])
{
    struct fl_str name = {line.at, 0};

    while (name.len < line.len && line.at[name.len] != ':') {
        if (line.at[name.len] == ' ' || line.at[name.len] == '\t') return false;
        name.len++;
    }
    if (name.len == 0 || name.len == line.len) return false;
    for (size_t i = 0; i < HEADERS; i++) {
        if (!says(name, names[i])) continue;
        if (values[i].at) return false;
        values[i] = trim((struct fl_str){line.at + name.len + 1, line.len - name.len - 1});
    }
    return true;
}

static enum kube_upgrade_answer bad(struct fl_err *err, const char *why)
{
    fl_fail(err, FL_TORN, "the API server's answer is no HTTP that we know: %s", why);
    return KUBE_UPGRADE_BAD;
}

static enum kube_upgrade_answer check_proof(const struct fl_str values[HEADERS],
                                            const struct kube_upgrade_proof *proof,
                                            struct fl_err *err)
{
    if (!fl_str_eq(values[ACCEPT], fl_str_c(proof->accept))) {
        return bad(err, "it does not belong to our handshake");
    }
    if (!fl_str_eq(values[PROTOCOL], fl_str_c(proof->protocol))) {
        fl_fail(err, FL_UNSUPPORTED,
                "the API server does not speak %s; this needs Kubernetes %s or newer",
                proof->protocol, proof->since);
        return KUBE_UPGRADE_BAD;
    }
    return KUBE_UPGRADE_OPEN;
}

static enum kube_upgrade_answer check_body(const struct fl_str values[HEADERS],
                                           struct kube_upgrade_head *head, struct fl_err *err)
{
    head->has_length = values[LENGTH].at != NULL;
    head->is_chunked = values[ENCODING].at != NULL;
    if (head->has_length && head->is_chunked) return bad(err, "its body has two lengths");
    if (head->is_chunked && !says(values[ENCODING], "chunked")) {
        return bad(err, "its body has a strange coding");
    }
    if (head->has_length && !fl_str_parse_u64(values[LENGTH], &head->body_bytes)) {
        return bad(err, "the length of its body is no number");
    }
    return KUBE_UPGRADE_REFUSED;
}

enum kube_upgrade_answer kube_upgrade_read(struct fl_str bytes,
                                           const struct kube_upgrade_proof *proof,
                                           struct kube_upgrade_head *ret_head, struct fl_err *err)
{
    size_t len = find_end(bytes);
    struct fl_str head = {bytes.at, len}, line, values[HEADERS] = {{0}};
    enum kube_upgrade_answer answer;

    if (len > KUBE_UPGRADE_HEAD_BYTES_MAX || (!len && bytes.len >= KUBE_UPGRADE_HEAD_BYTES_MAX)) {
        return bad(err, "its head is over 16 KiB");
    }
    if (!len) return KUBE_UPGRADE_MORE;
    *ret_head = (struct kube_upgrade_head){.head_bytes = len};
    if (!take_line(&head, &line) || !read_status(line, &ret_head->status)) {
        return bad(err, "it has no status");
    }
    for (;;) {
        if (!take_line(&head, &line)) return bad(err, "a line of its head is broken");
        if (line.len == 0) break;
        if (!read_header(line, values)) return bad(err, "a line of its head is broken");
    }
    answer = ret_head->status == 101 ? check_proof(values, proof, err)
                                     : check_body(values, ret_head, err);
    if (answer == KUBE_UPGRADE_REFUSED && ret_head->status < 200) {
        return bad(err, "its status is below 200");
    }
    return answer;
}
