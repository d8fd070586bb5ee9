#include "agent/tunnel/identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"
#include "shared/io/file.h"
#include "shared/tls/ca.h"
#include "shared/tls/digest.h"
#include "shared/tls/key.h"

#define FOLDER "identity"
#define NEXT "next.pem"
#define CERT_BEGIN "-----BEGIN CERTIFICATE-----"

enum { FILE_BYTES_MAX = FL_KEY_PEM_MAX + FL_CERT_PEM_MAX, NAME_MAX_BYTES = 40 };

struct agent_identity {
    struct fl_buf file, ca, hub; /* each ends with a zero byte behind its len */
    size_t key_len;              /* of the file: the chain follows */
    struct fl_cert cert;
};

/* ---- the folder -------------------------------------------------------------------------------- */

static bool open_folder(const char *state_dir, bool is_made, int *ret_fd, struct fl_err *err)
{
    int parent = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd;

    if (parent < 0) return fl_fail(err, FL_IO, "%s: %s", state_dir, strerror(errno));
    if (is_made && mkdirat(parent, FOLDER, 0700) < 0 && errno != EEXIST) {
        fl_fail(err, FL_IO, "%s/" FOLDER ": %s", state_dir, strerror(errno));
        close(parent);
        return false;
    }
    fd = openat(parent, FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        fl_fail(err, errno == ENOENT ? FL_ABSENT : FL_IO, "%s/" FOLDER ": %s", state_dir,
                strerror(errno));
    }
    close(parent);
    *ret_fd = fd;
    return fd >= 0;
}

static void print_name(uint64_t number, char out[NAME_MAX_BYTES])
{
    snprintf(out, NAME_MAX_BYTES, "agent-%" PRIu64 ".pem", number);
}

/* 0: it is none of ours. */
static uint64_t number_of(const char *name)
{
    char again[NAME_MAX_BYTES];
    uint64_t number;
    struct fl_str digits;

    if (strncmp(name, "agent-", 6) != 0) return 0;
    digits = (struct fl_str){name + 6, strspn(name + 6, "0123456789")};
    if (!fl_str_parse_u64(digits, &number)) return 0;
    print_name(number, again);
    return strcmp(name, again) == 0 ? number : 0;
}

struct numbers {
    uint64_t *at;
    size_t len, cap;
};

static int highest_first(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? 1 : x > y ? -1 : 0;
}

static struct numbers list(int folder)
{
    struct numbers numbers = {0};
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        uint64_t number = number_of(entry->d_name);

        if (number) fl_vec_push(&numbers, number);
    }
    if (dir) closedir(dir);
    if (numbers.len) qsort(numbers.at, numbers.len, sizeof *numbers.at, highest_first);
    return numbers;
}

/* ---- what is in a file ------------------------------------------------------------------------- */

/* Key and first certificate belong together. */
static bool check(struct fl_str key_pem, struct fl_str chain, struct fl_cert *ret_cert,
                  struct fl_err *err)
{
    struct fl_key *key = NULL;
    bool is_same;

    if (!fl_cert_read(chain, ret_cert, err)) return false;
    if (!fl_key_read(key_pem, &key, err)) return false;
    is_same = fl_digest_eq(fl_key_sha256(key), ret_cert->key_sha256);
    fl_key_destroy(key);
    return is_same || fl_fail(err, FL_INVALID, "the key is not the certificate's");
}

static bool read_text(int folder, const char *name, size_t bytes_max, struct fl_buf *text,
                      struct fl_err *err)
{
    fl_buf_fini(text);
    fl_buf_init(text, bytes_max);
    if (!fl_file_read(folder, name, text, err)) return fl_err_wrap(err, FOLDER "/%s", name);
    if (fl_buf_put_u8(text, 0)) {
        text->len--;
        return true;
    }
    return fl_fail(err, FL_TOO_LARGE, FOLDER "/%s: too large", name);
}

static bool read_file(struct agent_identity *identity, int folder, uint64_t number,
                      struct fl_err *err)
{
    char name[NAME_MAX_BYTES];
    const char *chain;

    print_name(number, name);
    if (!read_text(folder, name, FILE_BYTES_MAX, &identity->file, err)) return false;
    chain = strstr((const char *)identity->file.at, CERT_BEGIN);
    if (!chain) return fl_fail(err, FL_TORN, FOLDER "/%s: has no certificate", name);
    identity->key_len = (size_t)(chain - (const char *)identity->file.at);
    if (check(agent_identity_key(identity), agent_identity_chain(identity), &identity->cert, err))
        return true;
    err->code = FL_TORN;
    return fl_err_wrap(err, FOLDER "/%s", name);
}

static bool load(struct agent_identity *identity, int folder, struct fl_err *err)
{
    struct numbers numbers = list(folder);
    struct fl_err why = {FL_ABSENT, "no certificate is stored"};
    bool is_read = false;

    for (size_t i = 0; i < numbers.len && !is_read; i++)
        is_read = read_file(identity, folder, numbers.at[i], &why);
    fl_vec_fini(&numbers);
    if (!is_read) {
        *err = why;
        return false;
    }
    return read_text(folder, "ca.pem", FL_CERT_PEM_MAX, &identity->ca, err) &&
           read_text(folder, "hub", FL_CERT_PEM_MAX, &identity->hub, err);
}

bool agent_identity_load(const char *state_dir, struct agent_identity **ret_identity,
                         struct fl_err *err)
{
    struct agent_identity *identity;
    struct fl_err why = {0};
    int folder = -1;

    if (!open_folder(state_dir, false, &folder, err)) return false;
    identity = fl_new(struct agent_identity);
    if (!load(identity, folder, &why)) {
        close(folder);
        agent_identity_destroy(identity);
        if (err) *err = why;
        return false;
    }
    close(folder);
    *ret_identity = identity;
    return true;
}

void agent_identity_destroy(struct agent_identity *identity)
{
    if (!identity) return;
    if (identity->file.at) fl_secret_wipe(identity->file.at, identity->file.len);
    fl_buf_fini(&identity->file);
    fl_buf_fini(&identity->ca);
    fl_buf_fini(&identity->hub);
    fl_free(identity);
}

struct fl_str agent_identity_key(const struct agent_identity *identity)
{
    return (struct fl_str){(const char *)identity->file.at, identity->key_len};
}

struct fl_str agent_identity_chain(const struct agent_identity *identity)
{
    return (struct fl_str){(const char *)identity->file.at + identity->key_len,
                           identity->file.len - identity->key_len};
}

struct fl_str agent_identity_ca(const struct agent_identity *identity)
{
    return (struct fl_str){(const char *)identity->ca.at, identity->ca.len};
}

const char *agent_identity_hub(const struct agent_identity *identity)
{
    return (const char *)identity->hub.at;
}

const struct fl_cert *agent_identity_cert(const struct agent_identity *identity)
{
    return &identity->cert;
}

fl_ms agent_identity_renew_at(const struct fl_cert *cert, bool is_fresh, fl_ms now)
{
    fl_ms half_ms = (cert->until - cert->from) / 2;
    fl_ms half = cert->from + half_ms;

    if (is_fresh && (half <= now || half > now + half_ms)) return now + half_ms;
    return half;
}

/* ---- the next key ------------------------------------------------------------------------------ */

static bool write_next_key(int folder, const struct fl_key *key, struct fl_buf *pem,
                           struct fl_err *err)
{
    fl_buf_clear(pem);
    return fl_key_write(key, pem, err) && fl_file_write(folder, NEXT, pem->at, pem->len, 0600, err);
}

bool agent_identity_next_key(const char *state_dir, struct fl_key **ret_key, struct fl_err *err)
{
    struct fl_key *key = NULL;
    struct fl_err none = {0};
    struct fl_buf pem;
    int folder = -1;
    bool is_there;

    if (!open_folder(state_dir, true, &folder, err)) return false;
    fl_buf_init(&pem, FL_KEY_PEM_MAX);
    is_there = fl_file_read(folder, NEXT, &pem, &none) &&
               fl_key_read((struct fl_str){(const char *)pem.at, pem.len}, &key, &none);
    if (!is_there) {
        key = fl_key_create();
        is_there = write_next_key(folder, key, &pem, err);
    }
    if (pem.at) fl_secret_wipe(pem.at, pem.len);
    fl_buf_fini(&pem);
    close(folder);
    if (is_there) {
        *ret_key = key;
    } else {
        fl_key_destroy(key);
    }
    return is_there;
}

/* ---- a newer one ------------------------------------------------------------------------------- */

static bool write_next(int folder, struct fl_str key, struct fl_str chain, struct fl_err *err)
{
    struct numbers numbers = list(folder);
    char name[NAME_MAX_BYTES];
    struct fl_buf file;
    bool is_written;

    print_name(numbers.len ? numbers.at[0] + 1 : 1, name);
    fl_buf_init(&file, FILE_BYTES_MAX);
    (void)fl_buf_put(&file, key.at, key.len);
    (void)fl_buf_put(&file, chain.at, chain.len);
    is_written = file.is_over ? fl_fail(err, FL_TOO_LARGE, "key and chain are too long")
                              : fl_file_write(folder, name, file.at, file.len, 0600, err);
    if (file.at) fl_secret_wipe(file.at, file.len);
    fl_buf_fini(&file);
    /* The newest counts; what is left behind, should this fail, goes the next time. */
    for (size_t i = 0; is_written && i < numbers.len; i++) {
        struct fl_err ignored = {0};

        print_name(numbers.at[i], name);
        if (!fl_file_remove(folder, name, &ignored)) break;
    }
    fl_vec_fini(&numbers);
    return is_written;
}

/* It has its certificate: the one after that gets another. */
static bool forget_next_key(int folder, struct fl_err *err)
{
    return fl_file_remove(folder, NEXT, err);
}

bool agent_identity_store(const char *state_dir, struct fl_str key, struct fl_str chain,
                          struct fl_str ca, struct fl_str hub, struct fl_err *err)
{
    struct fl_cert cert;
    int folder = -1;
    bool is_done;

    if (!check(key, chain, &cert, err)) return false;
    if (!open_folder(state_dir, true, &folder, err)) return false;
    /* What tells that enrolment is done comes last. */
    is_done = (ca.len == 0 || fl_file_write(folder, "ca.pem", ca.at, ca.len, 0600, err)) &&
              (hub.len == 0 || fl_file_write(folder, "hub", hub.at, hub.len, 0600, err)) &&
              write_next(folder, key, chain, err) && forget_next_key(folder, err);
    close(folder);
    return is_done;
}
