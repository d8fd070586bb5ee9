#include "controlplane/identity/identity.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/file.h"
#include "shared/tls/cert.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"

enum { PEPPER_BYTES = 32, NAMES_MAX = 64, NAME_MAX_BYTES = 256, PATH_BYTES_MAX = 4096 };
#define BACKDATED_MS (5 * FL_MINUTE_MS)
#define CA_KEY "ca.key"
#define CA_CERT "ca.crt"
#define SERVER_KEY "server.key"
#define SERVER_CERT "server.crt"
#define SERVER_NAMES "server.names" /* the CA and names that the certificate was made for */
#define PEPPER "pepper"
#define TICKETS "tickets"

struct identity {
    const struct fl_state_dir *dir;
    struct identity_config config;
    char names[NAMES_MAX][NAME_MAX_BYTES];
    const char *name_pointers[NAMES_MAX];
    char ca_path[PATH_BYTES_MAX], cert_path[PATH_BYTES_MAX], key_path[PATH_BYTES_MAX];
    struct fl_ca *ca;
    uint8_t pepper[PEPPER_BYTES];
    bool has_new_pepper;
    uint8_t tickets[FL_TICKET_SECRET_BYTES];

    pthread_mutex_t mutex; /* guards the fields below */
    uint64_t version;
    struct fl_buf server_cert, server_key; /* PEM */
    fl_ms server_renew_at;
};

struct identity_config identity_config_default(void)
{
    return (struct identity_config){
        .client_lifetime_ms = FL_DAY_MS,
        .server_lifetime_ms = 90 * FL_DAY_MS,
        .ca_lifetime_ms = 3650 * FL_DAY_MS,
    };
}

/* ---- files: each is whole or absent ---------------------------------------------------------- */

static bool read_file(const struct identity *identity, const char *name, struct fl_buf *ret,
                      bool *ret_is_there, struct fl_err *err)
{
    struct fl_err why = {0};

    *ret_is_there = fl_file_read(fl_state_dir_fd(identity->dir), name, ret, &why);
    if (*ret_is_there || why.code == FL_ABSENT) return true;
    *err = why;
    return fl_err_wrap(err, "%s", fl_state_dir_path(identity->dir));
}

static bool write_file(const struct identity *identity, const char *name, const void *ptr,
                       size_t len, mode_t mode, struct fl_err *err)
{
    return fl_file_write(fl_state_dir_fd(identity->dir), name, ptr, len, mode, err) ||
           fl_err_wrap(err, "%s", fl_state_dir_path(identity->dir));
}

static struct fl_str text_of(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void wipe(struct fl_buf *buf)
{
    if (buf->len > 0) fl_secret_wipe(buf->at, buf->len);
    fl_buf_fini(buf);
}

/* ---- random files ---------------------------------------------------------------------------- */

/* Reads so many bytes, or makes them at the first start. */
static bool open_random(struct identity *identity, const char *name, uint8_t *bytes, size_t len,
                        bool *ret_is_new, struct fl_err *err)
{
    struct fl_buf read;
    bool is_there, is_good;

    fl_buf_init(&read, len + 1);
    is_good = read_file(identity, name, &read, &is_there, err);
    if (is_good && !is_there) {
        fl_random(bytes, len);
        is_good = write_file(identity, name, bytes, len, 0600, err);
    } else if (is_good && read.len != len) {
        is_good = fl_fail(err, FL_TORN, "%s/%s has not %zu bytes; restore it from a backup",
                          fl_state_dir_path(identity->dir), name, len);
    } else if (is_good) {
        memcpy(bytes, read.at, len);
    }
    wipe(&read);
    *ret_is_new = is_good && !is_there;
    return is_good;
}

/* ---- CA -------------------------------------------------------------------------------------- */

/* Writes the key first: a crash in between leaves a key without a certificate, which has issued no
 * certificate yet, and the next start makes both anew. */
static bool make_ca(struct identity *identity, fl_ms now, struct fl_err *err)
{
    struct fl_buf key;
    struct fl_str cert;
    bool is_good;

    fl_buf_init(&key, FL_KEY_PEM_MAX);
    is_good = fl_ca_create("fairlead", now, identity->config.ca_lifetime_ms, &identity->ca, err) &&
              fl_ca_write_key(identity->ca, &key, err) &&
              write_file(identity, CA_KEY, key.at, key.len, 0600, err);
    if (is_good) {
        cert = fl_ca_cert_pem(identity->ca);
        is_good = write_file(identity, CA_CERT, cert.at, cert.len, 0644, err);
    }
    wipe(&key);
    return is_good;
}

static bool open_ca(struct identity *identity, fl_ms now, struct fl_err *err)
{
    struct fl_buf cert, key;
    bool has_cert = false, has_key = false, is_good;
    /* The server's certificate is written after the CA.  If it is there, a CA has been, and
     * clusters may have its certificates. */
    bool had_ca = faccessat(fl_state_dir_fd(identity->dir), SERVER_CERT, F_OK, 0) == 0;

    fl_buf_init(&cert, FL_CERT_PEM_MAX);
    fl_buf_init(&key, FL_KEY_PEM_MAX);
    is_good = read_file(identity, CA_CERT, &cert, &has_cert, err) &&
              read_file(identity, CA_KEY, &key, &has_key, err);
    if (is_good && !has_cert && had_ca) {
        is_good = fl_fail(err, FL_TORN, "%s has " SERVER_CERT " and no " CA_CERT "; restore it",
                          fl_state_dir_path(identity->dir));
    } else if (is_good && !has_cert) {
        is_good = make_ca(identity, now, err);
    } else if (is_good && !has_key) {
        is_good = fl_fail(err, FL_TORN, "%s has " CA_CERT " and no " CA_KEY "; restore it",
                          fl_state_dir_path(identity->dir));
    } else if (is_good) {
        is_good = fl_ca_read(text_of(&cert), text_of(&key), &identity->ca, err) ||
                  fl_err_wrap(err, "%s: " CA_CERT " and " CA_KEY, fl_state_dir_path(identity->dir));
    }
    if (is_good && fl_ca_ends_at(identity->ca) <= now) {
        is_good = fl_fail(err, FL_INVALID, "%s/" CA_CERT " has expired",
                          fl_state_dir_path(identity->dir));
    }
    fl_buf_fini(&cert);
    wipe(&key);
    return is_good;
}

/* ---- the listeners' certificate -------------------------------------------------------------- */

/* The CA and the names that our certificate depends on, as text. */
static void print_names(const struct identity *identity, struct fl_buf *out)
{
    char ca[FL_DIGEST_TEXT_MAX];

    fl_digest_print(fl_ca_sha256(identity->ca), ca);
    fl_buf_put(out, ca, strlen(ca));
    fl_buf_put(out, "\n", 1);
    for (size_t i = 0; i < identity->config.names.len; i++) {
        fl_buf_put(out, identity->names[i], strlen(identity->names[i]));
        fl_buf_put(out, "\n", 1);
    }
}

static fl_ms half_way(fl_ms from, fl_ms until)
{
    return from + (until - from) / 2;
}

static fl_ms earlier(fl_ms a, fl_ms b)
{
    return a < b ? a : b;
}

/* Whether key and certificate belong together: a crash may have left a new key beside an old
 * certificate. */
static bool do_fit(const struct fl_buf *cert_pem, const struct fl_buf *key_pem, fl_ms *ret_renew_at)
{
    struct fl_cert cert;
    struct fl_key *key;
    struct fl_digest sha256;

    if (!fl_cert_read(text_of(cert_pem), &cert, NULL)) return false;
    if (!fl_key_read(text_of(key_pem), &key, NULL)) return false;
    sha256 = fl_key_sha256(key);
    fl_key_destroy(key);
    *ret_renew_at = half_way(cert.from, cert.until);
    return fl_digest_eq(sha256, cert.key_sha256);
}

/* Reads the files; *ret_is_good is false if the certificate must be made anew. */
static bool load_server(struct identity *identity, bool *ret_is_good, struct fl_err *err)
{
    struct fl_buf names, wanted;
    bool has_cert = false, has_key = false, has_names = false, is_read;

    fl_buf_init(&names, NAMES_MAX * NAME_MAX_BYTES);
    fl_buf_init(&wanted, NAMES_MAX * NAME_MAX_BYTES);
    fl_buf_clear(&identity->server_cert);
    fl_buf_clear(&identity->server_key);
    print_names(identity, &wanted);
    is_read = read_file(identity, SERVER_CERT, &identity->server_cert, &has_cert, err) &&
              read_file(identity, SERVER_KEY, &identity->server_key, &has_key, err) &&
              read_file(identity, SERVER_NAMES, &names, &has_names, err);
    if (is_read) {
        *ret_is_good =
            has_cert && has_key && has_names && fl_str_eq(text_of(&names), text_of(&wanted)) &&
            do_fit(&identity->server_cert, &identity->server_key, &identity->server_renew_at);
    }
    fl_buf_fini(&names);
    fl_buf_fini(&wanted);
    return is_read;
}

static bool make_server(struct identity *identity, fl_ms now, struct fl_err *err)
{
    fl_ms from = now - BACKDATED_MS;
    fl_ms until = earlier(now + identity->config.server_lifetime_ms, fl_ca_ends_at(identity->ca));
    struct fl_key *key = fl_key_create();
    struct fl_buf names, cert_pem, key_pem;
    bool is_good;

    fl_buf_init(&names, NAMES_MAX * NAME_MAX_BYTES);
    fl_buf_init(&cert_pem, FL_CERT_PEM_MAX);
    fl_buf_init(&key_pem, FL_KEY_PEM_MAX);
    print_names(identity, &names);
    is_good =
        fl_ca_sign_server(identity->ca, key, identity->config.names, from, until, &cert_pem, err) &&
        fl_key_write(key, &key_pem, err) &&
        write_file(identity, SERVER_KEY, key_pem.at, key_pem.len, 0600, err) &&
        write_file(identity, SERVER_CERT, cert_pem.at, cert_pem.len, 0644, err) &&
        write_file(identity, SERVER_NAMES, names.at, names.len, 0644, err);
    fl_key_destroy(key);
    fl_buf_fini(&names);
    if (!is_good) {
        fl_buf_fini(&cert_pem);
        wipe(&key_pem);
        return false;
    }
    pthread_mutex_lock(&identity->mutex);
    fl_buf_fini(&identity->server_cert);
    wipe(&identity->server_key);
    identity->server_cert = cert_pem;
    identity->server_key = key_pem;
    identity->server_renew_at = half_way(from, until);
    identity->version++;
    pthread_mutex_unlock(&identity->mutex);
    return true;
}

static bool open_server(struct identity *identity, fl_ms now, struct fl_err *err)
{
    bool is_good;

    if (!load_server(identity, &is_good, err)) return false;
    if (is_good && now < identity->server_renew_at) return true;
    return make_server(identity, now, err);
}

bool identity_renew(struct identity *identity, fl_ms now, struct fl_err *err)
{
    fl_ms renew_at;

    pthread_mutex_lock(&identity->mutex);
    renew_at = identity->server_renew_at;
    pthread_mutex_unlock(&identity->mutex);
    return now < renew_at || make_server(identity, now, err);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool take_names(struct identity *identity, struct fl_ca_names names, struct fl_err *err)
{
    static const char *const presets[] = {"localhost", "127.0.0.1", "::1"};
    char host[NAME_MAX_BYTES] = "";
    size_t len = 0;

    if (names.len > NAMES_MAX) {
        return fl_fail(err, FL_TOO_LARGE, "a listener has at most %d names", NAMES_MAX);
    }
    for (size_t i = 0; i < names.len; i++) {
        snprintf(identity->names[len++], NAME_MAX_BYTES, "%s", names.at[i]);
    }
    for (size_t i = 0; names.len == 0 && i < sizeof presets / sizeof *presets; i++) {
        snprintf(identity->names[len++], NAME_MAX_BYTES, "%s", presets[i]);
    }
    if (names.len == 0 && gethostname(host, sizeof host - 1) == 0 && host[0] != '\0' &&
        strcmp(host, "localhost") != 0) {
        memcpy(identity->names[len++], host, sizeof host);
    }
    for (size_t i = 0; i < len; i++) {
        identity->name_pointers[i] = identity->names[i];
    }
    identity->config.names = (struct fl_ca_names){identity->name_pointers, len};
    return true;
}

static bool set_path(const struct identity *identity, const char *name, char out[PATH_BYTES_MAX],
                     struct fl_err *err)
{
    int len = snprintf(out, PATH_BYTES_MAX, "%s/%s", fl_state_dir_path(identity->dir), name);

    if (len < PATH_BYTES_MAX) return true;
    return fl_fail(err, FL_TOO_LARGE, "the state directory's path is too long");
}

bool identity_open(const struct fl_state_dir *dir, const struct identity_config *config, fl_ms now,
                   struct identity **ret_identity, struct fl_err *err)
{
    bool is_new;
    struct identity *identity = fl_new(struct identity);

    fl_assert(config->client_lifetime_ms > 0 && config->server_lifetime_ms > 0 &&
              config->ca_lifetime_ms > 0);
    identity->dir = dir;
    identity->config = *config;
    pthread_mutex_init(&identity->mutex, NULL);
    fl_buf_init(&identity->server_cert, FL_CERT_PEM_MAX);
    fl_buf_init(&identity->server_key, FL_KEY_PEM_MAX);
    if (!take_names(identity, config->names, err) ||
        !set_path(identity, CA_CERT, identity->ca_path, err) ||
        !set_path(identity, SERVER_CERT, identity->cert_path, err) ||
        !set_path(identity, SERVER_KEY, identity->key_path, err) ||
        !open_random(identity, PEPPER, identity->pepper, PEPPER_BYTES, &identity->has_new_pepper,
                     err) ||
        !open_random(identity, TICKETS, identity->tickets, sizeof identity->tickets, &is_new,
                     err) ||
        !open_ca(identity, now, err) || !open_server(identity, now, err)) {
        identity_close(identity);
        return false;
    }
    identity->version = 0;
    *ret_identity = identity;
    return true;
}

void identity_close(struct identity *identity)
{
    if (!identity) return;
    fl_ca_destroy(identity->ca);
    fl_buf_fini(&identity->server_cert);
    wipe(&identity->server_key);
    fl_secret_wipe(identity->pepper, sizeof identity->pepper);
    fl_secret_wipe(identity->tickets, sizeof identity->tickets);
    pthread_mutex_destroy(&identity->mutex);
    fl_free(identity);
}

/* ---- asking ---------------------------------------------------------------------------------- */

uint64_t identity_version(struct identity *identity)
{
    uint64_t version;

    pthread_mutex_lock(&identity->mutex);
    version = identity->version;
    pthread_mutex_unlock(&identity->mutex);
    return version;
}

const char *identity_ca_path(const struct identity *identity)
{
    return identity->ca_path;
}

const char *identity_server_cert_path(const struct identity *identity)
{
    return identity->cert_path;
}

const char *identity_server_key_path(const struct identity *identity)
{
    return identity->key_path;
}

bool identity_server(struct identity *identity, struct fl_buf *ret_cert_pem,
                     struct fl_buf *ret_key_pem, struct fl_err *err)
{
    bool is_good;

    pthread_mutex_lock(&identity->mutex);
    is_good = fl_buf_put(ret_cert_pem, identity->server_cert.at, identity->server_cert.len) &&
              fl_buf_put(ret_key_pem, identity->server_key.at, identity->server_key.len);
    pthread_mutex_unlock(&identity->mutex);
    return is_good || fl_fail(err, FL_TOO_LARGE, "the listeners' certificate does not fit");
}

struct fl_str identity_ca_pem(const struct identity *identity)
{
    return fl_ca_cert_pem(identity->ca);
}

struct fl_digest identity_ca_sha256(const struct identity *identity)
{
    return fl_ca_sha256(identity->ca);
}

bool identity_has_new_pepper(const struct identity *identity)
{
    return identity->has_new_pepper;
}

void identity_forget_new_pepper(struct identity *identity)
{
    struct fl_err err;

    if (identity->has_new_pepper) {
        FL_IGNORE(fl_file_remove(fl_state_dir_fd(identity->dir), PEPPER, &err));
    }
}

struct fl_ticket_key identity_ticket_key(const struct identity *identity)
{
    return fl_ticket_key_of(identity->tickets, identity_ca_sha256(identity));
}

struct fl_str identity_pepper(const struct identity *identity)
{
    return (struct fl_str){(const char *)identity->pepper, PEPPER_BYTES};
}

bool identity_issue(const struct identity *identity, const struct fl_csr *csr,
                    struct fl_uuid cluster, uint64_t generation, fl_ms now, struct fl_buf *ret_pem,
                    struct identity_issued *ret_issued, struct fl_err *err)
{
    struct identity_issued issued = {
        .until = earlier(now + identity->config.client_lifetime_ms, fl_ca_ends_at(identity->ca)),
    };

    if (!fl_uuid_is_zero(csr->cluster) && !fl_uuid_eq(csr->cluster, cluster)) {
        return fl_fail(err, FL_DENIED, "the request is for another cluster");
    }
    if (issued.until <= now) return fl_fail(err, FL_UNAVAILABLE, "the CA has expired");
    issued.from = now - earlier(BACKDATED_MS, (issued.until - now) / 10);
    issued.renew_at = half_way(issued.from, issued.until);
    if (!fl_ca_sign_cluster(identity->ca, csr->key, cluster, generation, issued.from, issued.until,
                            ret_pem, err)) {
        return false;
    }
    *ret_issued = issued;
    return true;
}
