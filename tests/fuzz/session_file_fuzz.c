/* The sessions of an earlier process, in a file of the state directory.
 * Input: the bytes of the file.
 * Property: no key comes twice; no session lives longer than one that begins now; written, the file
 * is read as the same sessions; a damaged one leaves the table empty.
 * The planted bug (planted/session_file.patch) believes a clock that was set back.
 *
 *     tests/fuzz/planted.sh session_file */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controlplane/api/session_file.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum { INPUT_BYTES_MAX = 16 << 10, SESSIONS_COMPARED = 128 };

/* By the loops' clock and by the wall clock. */
static const struct session_times at = {50000000, 1700000000000};

int LLVMFuzzerInitialize(int *argc, char ***argv);

static int dir_fd = -1;
static char dir[] = "/tmp/fl-fuzz-sessions-XXXXXX";

static void remove_dir(void)
{
    unlinkat(dir_fd, SESSION_FILE, 0);
    close(dir_fd);
    rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fl_assert(mkdtemp(dir));
    dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fl_assert(dir_fd >= 0 && atexit(remove_dir) == 0);
    return 0;
}

static void put_file(const uint8_t *data, size_t size)
{
    int fd = openat(dir_fd, SESSION_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    fl_assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
}

static size_t sessions_of(struct session_table *table, struct session *ret_sessions)
{
    size_t len = session_table_copy(table, at.now, ret_sessions);

    fl_assert(len == session_table_len(table) && len <= SESSIONS_MAX);
    for (size_t i = 0; i < len; i++) {
        const struct session *session = &ret_sessions[i];

        fl_assert(session->ends_at > at.now && session->ends_at <= at.now + SESSION_LIFE_MS);
        fl_assert(session->used_at <= at.now && session->used_at > at.now - SESSION_IDLE_MS);
        for (size_t k = 0; k < i && k < SESSIONS_COMPARED; k++) {
            fl_assert(memcmp(&ret_sessions[k].key, &session->key, sizeof session->key) != 0);
        }
    }
    return len;
}

static int by_key(const void *a, const void *b)
{
    const struct session *one = a, *other = b;

    return memcmp(&one->key, &other->key, sizeof one->key);
}

static void read_again(struct session *sessions, size_t len)
{
    struct session *again = fl_new_array(struct session, SESSIONS_MAX);
    struct session_table *table = session_table_create();
    struct fl_err err = {0};

    fl_assert(session_file_read(dir_fd, table, at, &err));
    fl_assert(sessions_of(table, again) == len);
    qsort(sessions, len, sizeof *sessions, by_key);
    qsort(again, len, sizeof *again, by_key);
    for (size_t i = 0; i < len; i++) {
        fl_assert(by_key(&sessions[i], &again[i]) == 0);
        fl_assert(strcmp(sessions[i].token.id, again[i].token.id) == 0);
        fl_assert(sessions[i].token.expires_at == again[i].token.expires_at);
        fl_assert(sessions[i].ends_at == again[i].ends_at);
        fl_assert(sessions[i].used_at == again[i].used_at);
    }
    session_table_destroy(table);
    fl_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session_table *table;
    struct session *sessions;
    struct fl_err err = {0};
    size_t len;

    if (size > INPUT_BYTES_MAX) return 0;
    sessions = fl_new_array(struct session, SESSIONS_MAX);
    table = session_table_create();
    put_file(data, size);
    if (session_file_read(dir_fd, table, at, &err)) {
        len = sessions_of(table, sessions);
        fl_assert(session_file_write(dir_fd, table, at, &err));
        read_again(sessions, len);
    } else {
        fl_assert(err.code == FL_INVALID && session_table_len(table) == 0);
    }
    session_table_destroy(table);
    fl_free(sessions);
    return 0;
}
