#include "agent/tunnel/history_seal.h"

#include "tests/unit/agent/tunnel/memory_store.h"

static struct memory_store memory;
static const struct identity_store store = {&memory_store_ops, &memory};

static const char *stored(void)
{
    static char text[HISTORY_SEAL_BYTES_MAX + 1];
    struct memory_text *found = memory_store_find(&memory, "history");

    if (!found) return "";
    memcpy(text, found->bytes.at, found->bytes.len);
    text[found->bytes.len] = '\0';
    return text;
}

static void an_agent_that_starts_again_knows_the_stored_one(void **state)
{
    struct history_seal seal, again;

    (void)state;
    history_seal_load(&seal, store);
    assert_int_equal(history_seal_bytes(&seal).len, 0);
    history_seal_connected(&seal);
    history_seal_hear(&seal, FL_STR("first"), 1000);
    history_seal_load(&again, store);
    assert_true(fl_str_eq(history_seal_bytes(&again), FL_STR("first")));
    memory_store_fini(&memory);
}

static void it_is_stored_at_first_then_now_and_then_and_at_the_end(void **state)
{
    struct history_seal seal;

    (void)state;
    history_seal_load(&seal, store);
    history_seal_connected(&seal);
    history_seal_hear(&seal, FL_STR("a"), 1000);
    assert_string_equal(stored(), "a");
    history_seal_hear(&seal, FL_STR("b"), 1000 + HISTORY_SEAL_STORE_MS - 1);
    assert_string_equal(stored(), "a");
    assert_true(fl_str_eq(history_seal_bytes(&seal), FL_STR("b")));
    history_seal_hear(&seal, FL_STR("c"), 1000 + HISTORY_SEAL_STORE_MS);
    assert_string_equal(stored(), "c");
    history_seal_hear(&seal, FL_STR("d"), 1001 + HISTORY_SEAL_STORE_MS);
    history_seal_connected(&seal);
    history_seal_hear(&seal, FL_STR("e"), 1002 + HISTORY_SEAL_STORE_MS);
    assert_string_equal(stored(), "e");
    history_seal_hear(&seal, FL_STR("f"), 1003 + HISTORY_SEAL_STORE_MS);
    history_seal_end(&seal);
    assert_string_equal(stored(), "f");
    memory_store_fini(&memory);
}

static void one_that_cannot_be_stored_counts_all_the_same(void **state)
{
    struct history_seal seal;

    (void)state;
    history_seal_load(&seal, store);
    memory.is_full = true;
    history_seal_hear(&seal, FL_STR("a"), 1000);
    assert_true(fl_str_eq(history_seal_bytes(&seal), FL_STR("a")));
    memory.is_full = false;
    history_seal_end(&seal);
    assert_string_equal(stored(), "a");
    memory_store_fini(&memory);
}

static void what_is_no_seal_is_neither_kept_nor_read(void **state)
{
    char large[HISTORY_SEAL_BYTES_MAX + 1] = {0};
    struct history_seal seal;
    struct fl_err err = {0};

    (void)state;
    history_seal_load(&seal, store);
    history_seal_hear(&seal, (struct fl_str){large, sizeof large}, 1000);
    assert_int_equal(history_seal_bytes(&seal).len, 0);
    assert_true(memory_store_write(&memory, "history", (struct fl_str){large, sizeof large}, &err));
    history_seal_load(&seal, store);
    assert_int_equal(history_seal_bytes(&seal).len, 0);
    memory_store_fini(&memory);
}

FL_TESTS(cmocka_unit_test(an_agent_that_starts_again_knows_the_stored_one),
         cmocka_unit_test(it_is_stored_at_first_then_now_and_then_and_at_the_end),
         cmocka_unit_test(one_that_cannot_be_stored_counts_all_the_same),
         cmocka_unit_test(what_is_no_seal_is_neither_kept_nor_read))
