#include "shared/base/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/fl_test.h"

#define PRODUCERS 4
#define CONSUMERS 3
#define ITEMS_EACH 5000

/* One item: its producer and its number; the tests take it apart again. */
struct item {
    uint32_t producer, n;
};

static struct item items[PRODUCERS][ITEMS_EACH];

struct world {
    struct fl_queue *queue;
    atomic_uint refused;
    atomic_uint taken[PRODUCERS][ITEMS_EACH];
    atomic_uint out_of_order;
};

struct producer {
    struct world *world;
    uint32_t n;
};

static fl_ms now_ms(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * FL_SECOND_MS + at.tv_nsec / 1000000;
}

static void *produce(void *arg)
{
    struct producer *self = arg;

    for (uint32_t i = 0; i < ITEMS_EACH; i++) {
        items[self->n][i] = (struct item){self->n, i};
        while (!fl_queue_put(self->world->queue, &items[self->n][i])) {
            atomic_fetch_add(&self->world->refused, 1);
            nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        }
    }
    return NULL;
}

static void note(struct world *world, const struct item *item, int64_t last[PRODUCERS])
{
    atomic_fetch_add(&world->taken[item->producer][item->n], 1);
    if (item->n <= last[item->producer]) atomic_fetch_add(&world->out_of_order, 1);
    last[item->producer] = item->n;
}

static void *consume(void *arg)
{
    struct world *world = arg;
    int64_t last[PRODUCERS] = {-1, -1, -1, -1};
    void *some[7];
    struct item *item;

    while ((item = fl_queue_take(world->queue, -1))) {
        size_t len = fl_queue_take_many(world->queue, some, 7);

        note(world, item, last);
        for (size_t i = 0; i < len; i++) {
            note(world, some[i], last);
        }
    }
    return NULL;
}

static void *take_for_ever(void *arg)
{
    return fl_queue_take(arg, -1);
}

static void put_null(void *arg)
{
    FL_IGNORE(fl_queue_put(arg, NULL));
}

static void create_without_room(void *arg)
{
    (void)arg;
    fl_queue_create(0);
}

static void create_with_too_much(void *arg)
{
    volatile size_t n = SIZE_MAX / 8;

    (void)arg;
    fl_queue_create(n);
}

static void the_oldest_comes_first_around_the_end_of_the_ring(void **state)
{
    struct fl_queue *queue = fl_queue_create(5);
    int numbers[1000];
    int put = 0;
    int taken = 0;

    (void)state;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < round % 5 + 1 && put < 1000; i++) {
            if (fl_queue_put(queue, &numbers[put])) put++;
        }
        for (int i = 0; i < round % 4 + 1; i++) {
            int *number = fl_queue_take(queue, 0);

            if (!number) break;
            assert_ptr_equal(number, &numbers[taken]);
            taken++;
        }
        assert_int_equal(fl_queue_len(queue), put - taken);
    }
    assert_true(taken > 400);
    while (fl_queue_take(queue, 0)) {
        taken++;
    }
    assert_int_equal(taken, put);
    fl_queue_destroy(queue);
}

static void a_full_queue_refuses_and_goes_on_when_there_is_room(void **state)
{
    struct fl_queue *queue = fl_queue_create(3);
    int numbers[4];
    void *taken[8];

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(fl_queue_put(queue, &numbers[i]));
    }
    assert_false(fl_queue_put(queue, &numbers[3]));
    assert_int_equal(fl_queue_len(queue), 3);
    assert_ptr_equal(fl_queue_take(queue, 0), &numbers[0]);
    assert_true(fl_queue_put(queue, &numbers[3]));
    assert_false(fl_queue_put(queue, &numbers[0]));
    assert_int_equal(fl_queue_take_many(queue, taken, 2), 2);
    assert_ptr_equal(taken[0], &numbers[1]);
    assert_ptr_equal(taken[1], &numbers[2]);
    assert_int_equal(fl_queue_take_many(queue, taken, 8), 1);
    assert_ptr_equal(taken[0], &numbers[3]);
    assert_int_equal(fl_queue_take_many(queue, taken, 8), 0);
    assert_int_equal(fl_queue_take_many(queue, taken, 0), 0);
    fl_queue_destroy(queue);
}

static void a_take_waits_as_long_as_it_was_told(void **state)
{
    struct fl_queue *queue = fl_queue_create(1);
    fl_ms start = now_ms();

    (void)state;
    assert_null(fl_queue_take(queue, 0));
    assert_true(now_ms() - start < 60000); /* its event never comes */
    start = now_ms();
    assert_null(fl_queue_take(queue, 60));
    assert_true(now_ms() - start >= 59);
    assert_true(fl_queue_put(queue, &start));
    assert_ptr_equal(fl_queue_take(queue, INT64_MAX), &start); /* no time overflows */
    fl_queue_destroy(queue);
}

static void close_refuses_puts_gives_what_is_left_and_wakes_all(void **state)
{
    struct fl_queue *queue = fl_queue_create(4);
    struct fl_queue *empty = fl_queue_create(4);
    pthread_t threads[3];
    int number;

    (void)state;
    assert_true(fl_queue_put(queue, &number));
    fl_queue_close(queue);
    fl_queue_close(queue);
    assert_false(fl_queue_put(queue, &number));
    assert_ptr_equal(fl_queue_take(queue, -1), &number);
    assert_null(fl_queue_take(queue, -1)); /* does not wait */
    assert_null(fl_queue_take(queue, 100000));
    fl_queue_destroy(queue);

    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_for_ever, empty), 0);
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    fl_queue_close(empty);
    for (int i = 0; i < 3; i++) {
        void *taken = &number;

        assert_int_equal(pthread_join(threads[i], &taken), 0);
        assert_null(taken);
    }
    fl_queue_destroy(empty);
    fl_queue_destroy(NULL);
}

static void many_threads_lose_nothing_and_keep_each_ones_order(void **state)
{
    static struct world world;
    pthread_t producers[PRODUCERS];
    pthread_t consumers[CONSUMERS];
    struct producer selves[PRODUCERS];

    (void)state;
    world.queue = fl_queue_create(16);
    for (int i = 0; i < CONSUMERS; i++) {
        assert_int_equal(pthread_create(&consumers[i], NULL, consume, &world), 0);
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        selves[i] = (struct producer){&world, i};
        assert_int_equal(pthread_create(&producers[i], NULL, produce, &selves[i]), 0);
    }
    for (int i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(producers[i], NULL), 0);
    }
    fl_queue_close(world.queue);
    for (int i = 0; i < CONSUMERS; i++) {
        assert_int_equal(pthread_join(consumers[i], NULL), 0);
    }
    for (int p = 0; p < PRODUCERS; p++) {
        for (int i = 0; i < ITEMS_EACH; i++) {
            if (atomic_load(&world.taken[p][i]) != 1) fail();
        }
    }
    assert_int_equal(fl_queue_len(world.queue), 0);
    fl_queue_destroy(world.queue);
}

/* With one consumer the order in which each producer put is the order in which they come. */
static void one_consumer_sees_each_producers_order(void **state)
{
    static struct world world;
    pthread_t producers[PRODUCERS];
    pthread_t consumer;
    struct producer selves[PRODUCERS];

    (void)state;
    world.queue = fl_queue_create(16);
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        selves[i] = (struct producer){&world, i};
        assert_int_equal(pthread_create(&producers[i], NULL, produce, &selves[i]), 0);
    }
    while (!atomic_load(&world.refused)) { /* no consumer takes, so it gets full */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(fl_queue_len(world.queue), 16);
    assert_int_equal(pthread_create(&consumer, NULL, consume, &world), 0);
    for (int i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(producers[i], NULL), 0);
    }
    fl_queue_close(world.queue);
    assert_int_equal(pthread_join(consumer, NULL), 0);
    assert_int_equal(atomic_load(&world.out_of_order), 0);
    fl_queue_destroy(world.queue);
}

static void no_pointer_and_no_room_are_bugs(void **state)
{
    struct fl_queue *queue = fl_queue_create(1);

    (void)state;
    assert_true(fl_test_aborts(put_null, queue));
    assert_true(fl_test_aborts(create_without_room, NULL));
    assert_true(fl_test_aborts(create_with_too_much, NULL));
    fl_queue_destroy(queue);
}

FL_TESTS(cmocka_unit_test(the_oldest_comes_first_around_the_end_of_the_ring),
         cmocka_unit_test(a_full_queue_refuses_and_goes_on_when_there_is_room),
         cmocka_unit_test(a_take_waits_as_long_as_it_was_told),
         cmocka_unit_test(close_refuses_puts_gives_what_is_left_and_wakes_all),
         cmocka_unit_test(many_threads_lose_nothing_and_keep_each_ones_order),
         cmocka_unit_test(one_consumer_sees_each_producers_order),
         cmocka_unit_test(no_pointer_and_no_room_are_bugs))
