#include "agent/tunnel/identity.h"

#include <stdlib.h>
#include <unistd.h>

#include "agent/tunnel/identity_folder.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"
#include "shared/tls/ca.h"
#include "shared/tls/digest.h"
#include "shared/tls/key.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/tunnel/memory_store.h"

#define NOW ((fl_ms)1800000000000)
static const struct fl_cert cert = {.from = NOW, .until = NOW + FL_DAY_MS};

static void it_is_renewed_at_half_of_its_life_however_often_the_agent_begins(void **state)
{
    static const fl_ms starts[] = {NOW, NOW + FL_HOUR_MS, NOW + 11 * FL_HOUR_MS,
                                   NOW + 13 * FL_HOUR_MS, NOW + 2 * FL_DAY_MS};

    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        assert_int_equal(agent_identity_renew_at(&cert, false, starts[i]), NOW + FL_DAY_MS / 2);
    }
}

static void a_fresh_one_is_renewed_at_half_of_its_life_too(void **state)
{
    struct fl_cert backdated = {.from = NOW - 5 * FL_MINUTE_MS, .until = NOW + FL_DAY_MS};

    (void)state;
    assert_int_equal(agent_identity_renew_at(&cert, true, NOW), NOW + FL_DAY_MS / 2);
    assert_int_equal(agent_identity_renew_at(&backdated, true, NOW + FL_SECOND_MS),
                     (backdated.from + backdated.until) / 2);
}

static void a_clock_that_is_wrong_neither_renews_without_end_nor_too_late(void **state)
{
    (void)state;
    assert_int_equal(agent_identity_renew_at(&cert, true, NOW + FL_DAY_MS),
                     NOW + FL_DAY_MS * 3 / 2);
    assert_int_equal(agent_identity_renew_at(&cert, false, NOW - FL_HOUR_MS), NOW - FL_HOUR_MS);
    assert_int_equal(agent_identity_renew_at(&cert, true, NOW + FL_DAY_MS / 2), NOW + FL_DAY_MS);
    assert_int_equal(agent_identity_renew_at(&cert, true, NOW - 10 * FL_DAY_MS),
                     NOW - 10 * FL_DAY_MS + FL_DAY_MS / 2);
}

/* A certificate for 'key' of cluster 1, of this generation, goes into the store. */
static bool store_certificate(struct identity_store store, const struct fl_key *key,
                              uint64_t generation, struct fl_err *err)
{
    struct fl_ca *ca;
    struct fl_buf pem, chain;
    bool is_stored;

    assert_true(fl_ca_create("test", NOW, FL_DAY_MS, &ca, err));
    fl_buf_init(&pem, FL_KEY_PEM_MAX);
    fl_buf_init(&chain, FL_CERT_PEM_MAX);
    assert_true(fl_key_write(key, &pem, err));
    assert_true(fl_ca_sign_cluster(ca, key, (struct fl_uuid){.at = {1}}, generation, NOW,
                                   NOW + FL_DAY_MS, &chain, err));
    is_stored = agent_identity_store(
        store, (struct fl_str){(const char *)pem.at, pem.len},
        (struct fl_str){(const char *)chain.at, chain.len},
        generation == 1 ? fl_ca_cert_pem(ca) : (struct fl_str){0},
        generation == 1 ? FL_STR("hub.example:8475") : (struct fl_str){0}, err);
    fl_buf_fini(&pem);
    fl_buf_fini(&chain);
    fl_ca_destroy(ca);
    return is_stored;
}

static uint64_t loaded_generation(struct identity_store store)
{
    struct agent_identity *identity;
    struct fl_err err = {0};
    uint64_t generation;

    if (!agent_identity_load(store, &identity, &err)) return 0;
    assert_string_equal(agent_identity_hub(identity), "hub.example:8475");
    generation = agent_identity_cert(identity)->generation;
    agent_identity_destroy(identity);
    return generation;
}

static void a_store_keeps_the_newest_certificate_and_nothing_older(struct identity_store store)
{
    struct fl_key *first, *again, *second;
    struct fl_err err = {0};

    assert_int_equal(loaded_generation(store), 0);
    assert_true(agent_identity_next_key(store, &first, &err));
    assert_true(agent_identity_next_key(store, &again, &err)); /* after a kill: the same */
    assert_true(fl_digest_eq(fl_key_sha256(first), fl_key_sha256(again)));
    assert_true(store_certificate(store, first, 1, &err));
    assert_int_equal(loaded_generation(store), 1);
    assert_true(agent_identity_next_key(store, &second, &err));
    assert_false(fl_digest_eq(fl_key_sha256(first), fl_key_sha256(second)));
    assert_true(store_certificate(store, second, 2, &err));
    assert_int_equal(loaded_generation(store), 2);
    fl_key_destroy(first);
    fl_key_destroy(again);
    fl_key_destroy(second);
}

static void any_store_keeps_an_identity(void **state)
{
    char dir[] = "/tmp/fl-identity-XXXXXX", command[64];
    struct memory_store memory = {0};

    (void)state;
    a_store_keeps_the_newest_certificate_and_nothing_older(
        (struct identity_store){&memory_store_ops, &memory});
    assert_int_equal(memory.texts.len, 3); /* ca.pem, hub, agent-2.pem */
    memory_store_fini(&memory);
    assert_non_null(mkdtemp(dir));
    a_store_keeps_the_newest_certificate_and_nothing_older(identity_folder(dir));
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

static void a_renewal_that_cannot_be_stored_leaves_the_identity_as_it_was(void **state)
{
    struct memory_store memory = {0};
    struct identity_store store = {&memory_store_ops, &memory};
    struct fl_key *key = fl_key_create();
    struct fl_err err = {0};

    (void)state;
    assert_true(store_certificate(store, key, 1, &err));
    memory.is_full = true;
    assert_false(store_certificate(store, key, 2, &err));
    assert_int_equal(err.code, FL_IO);
    assert_int_equal(loaded_generation(store), 1);
    memory.is_full = false;
    memory.is_away = true; /* without a list, the number after the highest is not known */
    assert_false(store_certificate(store, key, 2, &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    memory.is_away = false;
    assert_true(store_certificate(store, key, 2, &err));
    fl_buf_truncate(&memory_store_find(&memory, "agent-2.pem")->bytes, 300);
    assert_int_equal(loaded_generation(store), 0); /* torn, and it was the only one */
    fl_key_destroy(key);
    memory_store_fini(&memory);
}

/* The control plane may have answered for that key already: another one would be a thief's. */
static void a_next_key_that_cannot_be_read_now_is_not_replaced(void **state)
{
    struct memory_store memory = {0};
    struct identity_store store = {&memory_store_ops, &memory};
    struct fl_key *first, *later;
    struct fl_err err = {0};

    (void)state;
    assert_true(agent_identity_next_key(store, &first, &err));
    memory.unreadable = "next.pem";
    assert_false(agent_identity_next_key(store, &later, &err));
    assert_int_equal(err.code, FL_IO);
    memory.unreadable = NULL;
    assert_true(agent_identity_next_key(store, &later, &err));
    assert_true(fl_digest_eq(fl_key_sha256(first), fl_key_sha256(later)));
    fl_key_destroy(later);
    fl_buf_truncate(&memory_store_find(&memory, "next.pem")->bytes, 30); /* it is worth nothing */
    assert_true(agent_identity_next_key(store, &later, &err));
    assert_false(fl_digest_eq(fl_key_sha256(first), fl_key_sha256(later)));
    fl_key_destroy(first);
    fl_key_destroy(later);
    memory_store_fini(&memory);
}

static void an_older_certificate_does_not_stand_in_for_one_that_cannot_be_read_now(void **state)
{
    struct memory_store memory = {0};
    struct identity_store store = {&memory_store_ops, &memory};
    struct fl_key *key = fl_key_create();
    struct agent_identity *identity;
    struct fl_buf older;
    struct fl_err err = {0};

    (void)state;
    fl_buf_init(&older, 1 << 20);
    assert_true(store_certificate(store, key, 1, &err));
    assert_true(memory_store_read(&memory, "agent-1.pem", &older, &err));
    fl_assert(older.at);
    assert_true(store_certificate(store, key, 2, &err));
    assert_true(memory_store_write(&memory, "agent-1.pem", /* it could not be removed */
                                   (struct fl_str){(const char *)older.at, older.len}, &err));
    assert_int_equal(loaded_generation(store), 2);
    memory.unreadable = "agent-2.pem";
    assert_false(agent_identity_load(store, &identity, &err));
    assert_int_equal(err.code, FL_IO);
    memory.unreadable = NULL;
    fl_buf_truncate(&memory_store_find(&memory, "agent-2.pem")->bytes, 300);
    assert_int_equal(loaded_generation(store), 1); /* the highest whole one */
    fl_buf_fini(&older);
    fl_key_destroy(key);
    memory_store_fini(&memory);
}

FL_TESTS(cmocka_unit_test(a_next_key_that_cannot_be_read_now_is_not_replaced),
         cmocka_unit_test(an_older_certificate_does_not_stand_in_for_one_that_cannot_be_read_now),
         cmocka_unit_test(it_is_renewed_at_half_of_its_life_however_often_the_agent_begins),
         cmocka_unit_test(a_fresh_one_is_renewed_at_half_of_its_life_too),
         cmocka_unit_test(a_clock_that_is_wrong_neither_renews_without_end_nor_too_late),
         cmocka_unit_test(any_store_keeps_an_identity),
         cmocka_unit_test(a_renewal_that_cannot_be_stored_leaves_the_identity_as_it_was))
