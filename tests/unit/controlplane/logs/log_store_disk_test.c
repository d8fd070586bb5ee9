#include "controlplane/logs/log_store.h"

#include <errno.h>
#include <stdio.h>

#include "controlplane/logs/segment.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/controlplane/logs/log_world.h"

#define JOB 77

/* A disk that fails: asked by the worker alone, changed only between steps. */
static _Atomic int writes_left = -1; /* below 0: without end */
static _Atomic int syncs_to_fail;
static _Atomic long room_bytes = -1; /* the most that one call may write; below 0: all */
static _Atomic int writes_refused;

static size_t iov_bytes(const struct iovec *iov, int iov_len)
{
    size_t bytes = 0;

    for (int i = 0; i < iov_len; i++) {
        bytes += iov[i].iov_len;
    }
    return bytes;
}

static ssize_t fake_writev(int fd, const struct iovec *iov, int iov_len, off_t pos)
{
    if (writes_left == 0 || (room_bytes >= 0 && iov_bytes(iov, iov_len) > (size_t)room_bytes)) {
        writes_refused++;
        errno = ENOSPC;
        return -1;
    }
    if (writes_left > 0 && --writes_left == 0 && iov[0].iov_len > 1) { /* the last is cut */
        return pwrite(fd, iov[0].iov_base, iov[0].iov_len / 2, pos);
    }
    return pwritev(fd, iov, iov_len, pos);
}

static int fake_sync(int fd)
{
    if (syncs_to_fail > 0) {
        syncs_to_fail--;
        errno = EIO;
        return -1;
    }
    return fdatasync(fd);
}

static const struct log_disk fake_disk = {.writev = fake_writev, .sync = fake_sync};

static void a_full_disk_pauses_and_recovers_by_itself(void **state)
{
    static struct log_world world;
    fl_ms until = fl_clock_mono() + 60000;

    (void)state;
    log_world_init(&world, 10);
    world.config.disk = &fake_disk;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_add(&world, JOB, 0, 1, 1);
    writes_left = 2; /* the segment's header, and half of what comes first */
    log_world_write_random(&world, 0, 500000, 1000);
    log_world_write_random(&world, 1, 500000, 1000);
    while (!log_store_stats(world.store).is_full) {
        assert_true(fl_clock_mono() < until);
        log_world_step(&world);
    }
    for (int i = 0; i < 20; i++) {
        log_world_step(&world);
    }
    writes_left = -1; /* space returns */
    log_world_end(&world, 0);
    log_world_end(&world, 1);
    log_world_settle(&world);
    assert_false(log_store_stats(world.store).is_full);
    log_world_check_all(&world, JOB);
    log_world_crash(&world);
    log_world_check_all(&world, JOB);
    log_world_fini(&world);
}

static void a_full_disk_is_tried_with_what_waits_and_less_and_less_often(void **state)
{
    static struct log_world world;
    fl_ms until;

    (void)state;
    log_world_init(&world, 23);
    world.config.disk = &fake_disk;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    log_world_write_random(&world, 0, 100000, 1000);
    room_bytes = 100; /* enough for an empty segment, not for the output */
    writes_refused = 0;
    while (!log_store_stats(world.store).is_full) {
        log_world_step(&world);
    }
    until = fl_clock_mono() + 3200;
    while (fl_clock_mono() < until) {
        assert_true(log_store_stats(world.store).is_full); /* it does not begin in vain */
        log_world_step(&world);
    }
    assert_in_range(writes_refused, 2, 3); /* the output, and trials after 0.5 s and 1.5 s */
    room_bytes = -1;
    log_world_end(&world, 0);
    log_world_settle(&world);
    log_world_check_all(&world, JOB);
    log_world_fini(&world);
}

/* Writes, and steps until some of it is synced: then there is a segment. */
static void write_and_sync(struct log_world *world)
{
    uint64_t syncs = log_store_stats(world->store).syncs;
    fl_ms until = fl_clock_mono() + 60000;

    log_world_write_random(world, 0, 50000, 1000);
    while (log_store_stats(world->store).syncs == syncs) {
        assert_true(fl_clock_mono() < until);
        log_world_step(world);
    }
}

/* Steps until the next sync has failed. */
static void fail_a_sync(struct log_world *world)
{
    uint64_t failed = log_store_stats(world->store).syncs_failed;
    fl_ms until = fl_clock_mono() + 60000;

    syncs_to_fail = 1;
    while (log_store_stats(world->store).syncs_failed == failed) {
        assert_true(fl_clock_mono() < until);
        log_world_step(world);
    }
}

static void a_failed_sync_acknowledges_nothing_that_it_covered(void **state)
{
    static struct log_world world;

    (void)state;
    log_world_init(&world, 11);
    world.config.disk = &fake_disk;
    log_world_restart(&world);
    log_world_add(&world, JOB, 0, 1, 0);
    for (int round = 0; round < 6; round++) {
        write_and_sync(&world);
        log_world_write_random(&world, 0, 1000, 1000 + round);
        fail_a_sync(&world);
    }
    write_and_sync(&world);
    log_world_end(&world, 0);
    fail_a_sync(&world);
    log_world_settle(&world);
    log_world_check_all(&world, JOB);
    log_world_crash(&world);
    log_world_check_all(&world, JOB);
    log_world_fini(&world);
}

FL_TESTS(cmocka_unit_test(a_full_disk_pauses_and_recovers_by_itself),
         cmocka_unit_test(a_full_disk_is_tried_with_what_waits_and_less_and_less_often),
         cmocka_unit_test(a_failed_sync_acknowledges_nothing_that_it_covered))
