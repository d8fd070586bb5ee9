#include "controlplane/identity/identity.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "shared/io/file.h"
#include "shared/tls/cert.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"
#include "tests/fl_test.h"

#define NOW ((fl_ms)1790000000000)
static char folder[] = "/tmp/fl_identity_test.XXXXXX";
static struct fl_state_dir *dir;

static int set_up(void **state)
{
    struct fl_err err = {0};

    (void)state;
    snprintf(folder, sizeof folder, "/tmp/fl_identity_test.XXXXXX");
    return mkdtemp(folder) && fl_state_dir_open(folder, &dir, &err) ? 0 : -1;
}

static int remove_one(const char *name, const struct stat *found, int kind, struct FTW *walk)
{
    (void)found;
    (void)kind;
    (void)walk;
    return remove(name);
}

static int tear_down(void **state)
{
    (void)state;
    fl_state_dir_close(dir);
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static struct identity *open_with(const char *name, fl_ms now)
{
    struct identity_config config = identity_config_default();
    struct identity *identity = NULL;
    struct fl_err err = {0};

    if (name) config.names = (struct fl_ca_names){&name, 1};
    assert_true(identity_open(dir, &config, now, &identity, &err));
    return identity;
}

static struct fl_cert server_cert(struct identity *identity)
{
    struct fl_err err = {0};
    struct fl_buf cert, key;
    struct fl_cert parsed;

    fl_buf_init(&cert, FL_CERT_PEM_MAX);
    fl_buf_init(&key, FL_KEY_PEM_MAX);
    assert_true(identity_server(identity, &cert, &key, &err));
    assert_true(fl_cert_read((struct fl_str){(const char *)cert.at, cert.len}, &parsed, &err));
    fl_buf_fini(&cert);
    fl_buf_fini(&key);
    return parsed;
}

static void the_first_start_makes_all_and_the_next_finds_it(void **state)
{
    static const char *const secret[] = {"ca.key", "server.key", "pepper"};
    struct identity *identity = open_with(NULL, NOW);
    struct fl_digest ca = identity_ca_sha256(identity);
    struct fl_cert server = server_cert(identity);
    char pepper[32];
    struct stat found;

    (void)state;
    memcpy(pepper, identity_pepper(identity).at, sizeof pepper);
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++) {
        assert_int_equal(fstatat(fl_state_dir_fd(dir), secret[i], &found, 0), 0);
        assert_int_equal(found.st_mode & 0777, 0600);
    }
    assert_int_equal(stat(identity_ca_path(identity), &found), 0);
    assert_int_equal(stat(identity_server_cert_path(identity), &found), 0);
    assert_int_equal(stat(identity_server_key_path(identity), &found), 0);
    identity_close(identity);
    identity_close(NULL);

    identity = open_with(NULL, NOW + FL_DAY_MS);
    assert_true(fl_digest_eq(ca, identity_ca_sha256(identity)));
    assert_true(fl_digest_eq(server.sha256, server_cert(identity).sha256));
    assert_memory_equal(pepper, identity_pepper(identity).at, sizeof pepper);
    assert_int_equal(identity_version(identity), 0);
    identity_close(identity);
}

static void the_listeners_certificate_is_renewed_at_half_of_its_life(void **state)
{
    struct identity *identity = open_with(NULL, NOW);
    struct fl_cert first = server_cert(identity), second;
    struct fl_err err = {0};

    (void)state;
    assert_true(identity_renew(identity, NOW + 44 * FL_DAY_MS, &err));
    assert_int_equal(identity_version(identity), 0);
    assert_true(identity_renew(identity, NOW + 46 * FL_DAY_MS, &err));
    assert_int_equal(identity_version(identity), 1);
    second = server_cert(identity);
    assert_false(fl_digest_eq(first.key_sha256, second.key_sha256));
    assert_int_equal(second.until, NOW + 136 * FL_DAY_MS);
    identity_close(identity);
    identity = open_with(NULL, NOW + 47 * FL_DAY_MS);
    assert_true(fl_digest_eq(second.sha256, server_cert(identity).sha256));
    identity_close(identity);
}

static void other_names_or_a_torn_pair_make_a_new_listeners_certificate(void **state)
{
    struct identity *identity = open_with("hub.example", NOW);
    struct fl_cert first = server_cert(identity), second;
    struct fl_key *key = fl_key_create();
    struct fl_err err = {0};
    struct fl_buf pem;

    (void)state;
    identity_close(identity);
    identity = open_with("other.example", NOW);
    second = server_cert(identity);
    assert_false(fl_digest_eq(first.sha256, second.sha256));
    identity_close(identity);

    /* As a crash between the two writes leaves it. */
    fl_buf_init(&pem, FL_KEY_PEM_MAX);
    assert_true(fl_key_write(key, &pem, &err));
    assert_true(fl_file_write(fl_state_dir_fd(dir), "server.key", pem.at, pem.len, 0600, &err));
    identity = open_with("other.example", NOW);
    assert_false(fl_digest_eq(second.sha256, server_cert(identity).sha256));
    identity_close(identity);
    fl_buf_fini(&pem);
    fl_key_destroy(key);
}

static void refused(const char *why)
{
    struct identity_config config = identity_config_default();
    struct identity *identity = NULL;
    struct fl_err err = {0};

    assert_false(identity_open(dir, &config, NOW, &identity, &err));
    assert_non_null(strstr(err.text, why));
}

static void what_is_broken_or_half_lost_is_refused_and_not_replaced(void **state)
{
    int fd = fl_state_dir_fd(dir);
    struct fl_err err = {0};
    struct fl_buf key;

    (void)state;
    identity_close(open_with(NULL, NOW));
    fl_buf_init(&key, FL_KEY_PEM_MAX);
    assert_true(fl_file_read(fd, "ca.key", &key, &err));

    assert_true(fl_file_write(fd, "ca.key", key.at, key.len / 2, 0600, &err));
    refused("ca.key");
    assert_true(fl_file_remove(fd, "ca.key", &err));
    refused("no ca.key");
    assert_true(fl_file_write(fd, "ca.key", key.at, key.len, 0600, &err));
    identity_close(open_with(NULL, NOW));

    assert_true(fl_file_write(fd, "pepper", "short", 5, 0600, &err));
    refused("pepper");
    assert_true(fl_file_remove(fd, "pepper", &err));
    assert_true(fl_file_remove(fd, "ca.crt", &err));
    refused("no ca.crt");
    fl_buf_fini(&key);
}

static void a_certificate_is_issued_for_the_cluster_the_core_says(void **state)
{
    struct identity *identity = open_with(NULL, NOW);
    struct fl_uuid cluster = fl_random_uuid(), other = fl_random_uuid();
    struct fl_key *key = fl_key_create();
    struct identity_issued issued;
    struct fl_csr csr = {0};
    struct fl_cert cert;
    struct fl_err err = {0};
    struct fl_buf request, pem;

    (void)state;
    fl_buf_init(&request, FL_CSR_BYTES_MAX);
    fl_buf_init(&pem, FL_CERT_PEM_MAX);
    assert_true(fl_csr_write(key, cluster, &request, &err));
    assert_true(fl_csr_read((struct fl_str){(const char *)request.at, request.len}, &csr, &err));
    assert_true(identity_issue(identity, &csr, cluster, 3, NOW, &pem, &issued, &err));
    assert_true(fl_cert_read((struct fl_str){(const char *)pem.at, pem.len}, &cert, &err));
    assert_true(fl_uuid_eq(cert.cluster, cluster));
    assert_int_equal(cert.generation, 3);
    assert_true(fl_digest_eq(cert.key_sha256, fl_key_sha256(key)));
    assert_int_equal(cert.from, NOW - 5 * FL_MINUTE_MS);
    assert_int_equal(cert.until, NOW + FL_DAY_MS);
    assert_int_equal(issued.until, cert.until);
    assert_int_equal(issued.renew_at, (issued.from + issued.until) / 2);
    assert_false(identity_issue(identity, &csr, other, 3, NOW, &pem, &issued, &err));
    assert_int_equal(err.code, FL_DENIED);
    /* Never beyond the CA. */
    assert_true(identity_issue(identity, &csr, cluster, 4, NOW + 3650 * FL_DAY_MS - FL_HOUR_MS,
                               &pem, &issued, &err));
    assert_int_equal(issued.until, NOW + 3650 * FL_DAY_MS);
    assert_false(
        identity_issue(identity, &csr, cluster, 5, NOW + 3650 * FL_DAY_MS, &pem, &issued, &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    fl_csr_fini(&csr);
    fl_buf_fini(&request);
    fl_buf_fini(&pem);
    fl_key_destroy(key);
    identity_close(identity);
}

FL_TESTS(cmocka_unit_test_setup_teardown(the_first_start_makes_all_and_the_next_finds_it, set_up,
                                         tear_down),
         cmocka_unit_test_setup_teardown(the_listeners_certificate_is_renewed_at_half_of_its_life,
                                         set_up, tear_down),
         cmocka_unit_test_setup_teardown(
             other_names_or_a_torn_pair_make_a_new_listeners_certificate, set_up, tear_down),
         cmocka_unit_test_setup_teardown(what_is_broken_or_half_lost_is_refused_and_not_replaced,
                                         set_up, tear_down),
         cmocka_unit_test_setup_teardown(a_certificate_is_issued_for_the_cluster_the_core_says,
                                         set_up, tear_down))
