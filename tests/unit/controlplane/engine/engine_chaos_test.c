#include "shared/base/prng.h"
#include "tests/unit/controlplane/engine/engine_world.h"

/* Anything may happen in any order, seed by seed.  Always: each request is answered once, no answer
 * names a job that is not durable, a key stands for one job, and in the end all is quiet. */

enum { SEEDS = 400, STEPS = 300, REQUESTS_MAX = 1000, KEYS = 8 };

struct ledger {
    uint64_t adopted, answered;
    uint8_t answers[REQUESTS_MAX]; /* by request */
    uint8_t key_of[REQUESTS_MAX];  /* 0: none */
    uint64_t job_of_key[KEYS + 1];
    uint64_t oks, poisoned, reloads, refused;
};

static bool is_durable(const struct world *world, uint64_t job)
{
    for (size_t i = 0; i < world->rows->rows.len; i++) {
        const struct row *row = &world->rows->rows.at[i];

        if (row->kind == ROW_job_new && row->job_new.job == job) return true;
    }
    return false;
}

static void hear(struct world *world, const struct core_answer *given)
{
    struct ledger *ledger = world->ctx;
    uint64_t request = given->request;
    uint64_t job;

    assert_in_range(request, 1, REQUESTS_MAX - 1);
    assert_int_equal(ledger->answers[request], 0);
    ledger->answers[request] = 1;
    ledger->answered++;
    if (given->code == FL_BUG) ledger->poisoned++;
    if (given->code != FL_OK || given->outcomes_len == 0) return;
    if (given->outcomes[0].code != FL_OK) return;
    job = given->outcomes[0].job.n;
    ledger->oks++;
    assert_true(is_durable(world, job));
    if (ledger->key_of[request] > 0) {
        uint64_t *first = &ledger->job_of_key[ledger->key_of[request]];

        if (*first == 0) *first = job;
        assert_int_equal(*first, job);
    }
}

static void send_request(struct world *world, struct fl_prng *prng, uint64_t request)
{
    struct ledger *ledger = world->ctx;
    struct engine_event *event;
    struct fl_err err = {0};
    char key[2] = "";
    bool is_poisonous = fl_prng_chance(prng, 30000);

    if (fl_prng_chance(prng, 300000)) {
        event = new_event(CORE_EV_read_job, request);
        event->event.job.job.n = 1;
    } else {
        event = new_submit(request, is_poisonous ? "poison" : "fine", 1 + fl_prng_below(prng, 3));
        if (!is_poisonous && fl_prng_chance(prng, 500000)) {
            ledger->key_of[request] = (uint8_t)(1 + fl_prng_below(prng, KEYS));
            key[0] = (char)('a' + ledger->key_of[request]);
            event->event.key = copied(event, key);
        }
    }
    if (engine_adopt(world->engine, event, world->now, &err)) {
        ledger->adopted++;
    } else {
        ledger->refused++;
    }
}

/* The server or the connection does something with the oldest batch. */
static void end_a_batch(struct world *world, struct fl_prng *prng)
{
    const struct core_batch *batch = world->sent[0].batch;
    uint64_t dice = fl_prng_below(prng, 100);

    if (dice < 5) {
        size_t landing = fl_prng_below(prng, world->sent_len + 1);

        for (size_t i = 0; i < landing && !is_poison(world->sent[i].batch); i++) {
            land(world, world->sent[i].batch, world->sent[i].epoch);
            world->sent[i].has_landed = true;
        }
        if (dice < 2) {
            world->results.lease_lost(world->engine, world->now);
        } else {
            finish(world, batch->number, ENGINE_UNKNOWN);
        }
    } else if (is_poison(batch)) {
        finish(world, batch->number, ENGINE_POISONED);
    } else if (dice < 9) {
        static const enum engine_commit refusals[] = {ENGINE_DEPOSED, ENGINE_NO_SPACE,
                                                      ENGINE_RELOAD, ENGINE_POISONED};

        finish(world, batch->number, refusals[dice - 5]);
    } else {
        finish(world, batch->number, ENGINE_COMMITTED);
    }
}

static void end_a_take(struct world *world, struct fl_prng *prng)
{
    static const enum fl_code failures[] = {FL_DEPOSED, FL_UNAVAILABLE, FL_NO_SPACE};

    if (fl_prng_chance(prng, 300000)) {
        world->is_taking = false;
        world->results.take_failed(world->engine, failures[fl_prng_below(prng, 3)], world->now);
        return;
    }
    if (fl_prng_chance(prng, 100000)) { /* somebody else led in between */
        world->journal[world->journal_len++] =
            (struct engine_journal_key){newest(world) + 1, ++world->epoch};
    }
    let_take(world);
}

static void end_a_load(struct world *world, struct fl_prng *prng)
{
    bool is_good = !fl_prng_chance(prng, 100000);

    load_rows(world);
    world->results.loaded(world->engine, is_good, world->now);
}

static void step_once(struct world *world, struct fl_prng *prng, uint64_t *request)
{
    switch (fl_prng_below(prng, 8)) {
    case 0:
    case 1:
        send_request(world, prng, (*request)++);
        break;
    case 2:
        play(world, fl_prng_chance(prng, 500000) ? "hello 1 1\n" : "bye 1 1\n");
        break;
    case 3:
        if (world->is_taking) end_a_take(world, prng);
        if (world->is_loading) end_a_load(world, prng);
        break;
    case 4:
        if (world->lookups_len > 0) find_oldest_key(world, fl_prng_chance(prng, 900000));
        break;
    case 5:
        if (world->sent_len > 0) end_a_batch(world, prng);
        break;
    case 6:
        world->now += (fl_ms)fl_prng_below(prng, fl_prng_chance(prng, 50000) ? 12000 : 100);
        break;
    default:
        engine_turn(world->engine, world->now);
        break;
    }
}

/* Nothing goes wrong any more: waiting events get their time. */
static void heal(struct world *world)
{
    run(world);
    for (int i = 0; i < 100 && engine_state(world->engine) != ENGINE_LEADING; i++) {
        world->now = engine_deadline(world->engine);
        run(world);
    }
}

static void play_seed(uint64_t seed, struct ledger *ret_ledger)
{
    struct engine_config config = config_of_tests();
    struct ledger ledger = {0};
    struct world *world;
    struct fl_prng prng;
    uint64_t request = 3;

    config.core.jobs_max = 2000;
    config.inbox_max = 20;
    config.batch_jobs_max = 4;
    config.turn_work_max = 5;
    config.keys_max = 4;
    config.inflight_max = 1 + seed % 3;
    if (seed % 2 == 0) config.beside_bytes_min = 500;
    world = leader_with(config);
    world->is_quiet = true;
    world->on_answer = hear;
    world->ctx = &ledger;
    fl_prng_seed(&prng, seed);
    for (int i = 0; i < STEPS; i++) {
        step_once(world, &prng, &request);
    }
    heal(world);
    assert_int_equal(engine_state(world->engine), ENGINE_LEADING);
    assert_int_equal(ledger.answered, ledger.adopted);
    assert_int_equal(engine_stats(world->engine).keys_len, 0);
    assert_int_equal(engine_stats(world->engine).inbox_len, 0);
    assert_int_equal(engine_stats(world->engine).inflight_len, 0);
    core_check(engine_core(world->engine));
    ledger.reloads = engine_stats(world->engine).reloads;
    *ret_ledger = ledger;
    end(world);
}

static void whatever_happens_each_request_is_answered_once_and_truly(void **state)
{
    struct ledger sum = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct ledger ledger;

        play_seed(seed, &ledger);
        sum.adopted += ledger.adopted;
        sum.refused += ledger.refused;
        sum.oks += ledger.oks;
        sum.poisoned += ledger.poisoned;
        sum.reloads += ledger.reloads;
    }
    /* A situation that never happened was not tested. */
    print_message("adopted %" PRIu64 ", refused %" PRIu64 ", ok %" PRIu64 ", poisoned %" PRIu64
                  ", reloads %" PRIu64 "\n",
                  sum.adopted, sum.refused, sum.oks, sum.poisoned, sum.reloads);
    assert_true(sum.oks > 4000);
    assert_true(sum.refused > 1000);
    assert_true(sum.poisoned > 50);
    assert_true(sum.reloads > 1000);
}

FL_TESTS(cmocka_unit_test(whatever_happens_each_request_is_answered_once_and_truly))
