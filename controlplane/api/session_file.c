#include "controlplane/api/session_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "shared/io/file.h"
#include "shared/tls/digest.h"

/* A line each: key, token, the MAC of its secret, when the token expires, when the session ends,
 * and when it was used. */
#define HEAD "fairlead sessions 1\n"
enum { WORDS = 6, LINE_BYTES_MAX = 320, FILE_BYTES_MAX = 64 + SESSIONS_MAX * LINE_BYTES_MAX };

static void write_line(struct fl_buf *buf, const struct session *session, struct session_times at)
{
    fl_ms ahead = at.wall - at.now;
    char key[FL_DIGEST_TEXT_MAX], shown[FL_DIGEST_TEXT_MAX], line[LINE_BYTES_MAX];
    int len;

    fl_digest_print(session->key, key);
    fl_digest_print(session->token.shown, shown);
    len = snprintf(line, sizeof line, "%s %s %s %" PRId64 " %" PRId64 " %" PRId64 "\n", key,
                   session->token.id, shown, session->token.expires_at, session->ends_at + ahead,
                   session->used_at + ahead);
    fl_buf_put(buf, line, (size_t)len);
}

bool session_file_write(int dir_fd, struct session_table *table, struct session_times at,
                        struct fl_err *err)
{
    struct session *sessions = fl_new_array(struct session, SESSIONS_MAX);
    size_t len = session_table_copy(table, at.now, sessions);
    struct fl_buf buf;
    bool is_good;

    fl_buf_init(&buf, FILE_BYTES_MAX);
    fl_buf_put(&buf, HEAD, sizeof HEAD - 1);
    for (size_t i = 0; i < len; i++) {
        write_line(&buf, &sessions[i], at);
    }
    is_good = fl_file_write(dir_fd, SESSION_FILE, buf.at, buf.len, 0600, err) ||
              fl_err_wrap(err, "%s in the state directory", SESSION_FILE);
    fl_buf_fini(&buf);
    fl_free(sessions);
    return is_good;
}

static bool read_time(struct fl_str word, fl_ms *ret_at)
{
    uint64_t n;

    if (!fl_str_parse_u64(word, &n) || n > INT64_MAX) return false;
    *ret_at = (fl_ms)n;
    return true;
}

static bool read_line(struct fl_str line, struct session *ret_session)
{
    struct fl_str words[WORDS];
    struct fl_err err = {0};

    for (size_t i = 0; i < WORDS; i++) {
        words[i] = fl_str_cut(&line, ' ');
    }
    *ret_session = (struct session){0};
    if (line.len > 0 || words[1].len == 0 || words[1].len >= sizeof ret_session->token.id ||
        memchr(words[1].at, '\0', words[1].len)) {
        return false;
    }
    memcpy(ret_session->token.id, words[1].at, words[1].len);
    return fl_digest_parse(words[0], &ret_session->key, &err) &&
           fl_digest_parse(words[2], &ret_session->token.shown, &err) &&
           read_time(words[3], &ret_session->token.expires_at) &&
           read_time(words[4], &ret_session->ends_at) && read_time(words[5], &ret_session->used_at);
}

/* A clock that was set back makes no session live longer than one that begins now. */
static bool take(struct session_table *table, struct session session, struct session_times at)
{
    fl_ms left = session.ends_at - at.wall, idle = at.wall - session.used_at;

    if (left <= 0 || idle >= SESSION_IDLE_MS) return false;
    session.ends_at = at.now + (left < SESSION_LIFE_MS ? left : SESSION_LIFE_MS);
    session.used_at = idle > 0 ? at.now - idle : at.now;
    session_table_add(table, &session, at.now);
    return true;
}

/* Each key once. */
static bool read_lines(struct fl_str text, struct fl_map *keys, struct session *sessions)
{
    while (text.len > 0) {
        struct session *session = &sessions[keys->len];

        if (keys->len == SESSIONS_MAX || !read_line(fl_str_cut(&text, '\n'), session) ||
            fl_map_find(keys, &session->key, sizeof session->key, NULL)) {
            return false;
        }
        fl_map_put(keys, &session->key, sizeof session->key, 0);
    }
    return true;
}

static bool read_all(struct fl_str text, struct session *sessions, size_t *ret_len)
{
    struct fl_str head = FL_STR(HEAD);
    struct fl_map keys = {0};
    bool is_good;

    if (text.len < head.len || memcmp(text.at, head.at, head.len) != 0) return false;
    text.at += head.len;
    text.len -= head.len;
    is_good = read_lines(text, &keys, sessions);
    *ret_len = keys.len;
    fl_map_fini(&keys);
    return is_good;
}

bool session_file_read(int dir_fd, struct session_table *table, struct session_times at,
                       struct fl_err *err)
{
    struct session *sessions = fl_new_array(struct session, SESSIONS_MAX);
    struct fl_buf buf;
    size_t len = 0;
    bool is_good;

    fl_buf_init(&buf, FILE_BYTES_MAX);
    is_good = fl_file_read(dir_fd, SESSION_FILE, &buf, err);
    if (is_good && !read_all((struct fl_str){(const char *)buf.at, buf.len}, sessions, &len)) {
        is_good = fl_fail(err, FL_INVALID, "%s in the state directory is damaged", SESSION_FILE);
    }
    for (size_t i = 0; is_good && i < len; i++) {
        FL_IGNORE(take(table, sessions[i], at));
    }
    fl_buf_fini(&buf);
    fl_free(sessions);
    return is_good;
}
