#include "controlplane/front/attempt_owner_cache.h"

#include <string.h>

#include "controlplane/front/front_reader.h"
#include "controlplane/store/read_attempts.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

enum {
    QUESTIONS_MAX = 64, /* out at once: the API asks the same reader */
    RETRY_MS = 500,
};

struct want {
    uint64_t ticket;
    struct fl_attempt attempt;
};

struct question {
    struct attempt_owner_cache *owners;
    struct want want;
    bool is_out;
};

struct attempt_owner_cache {
    struct front_reader *reader;
    attempt_owner_cache_fn *tell;
    void *ctx;
    /* Attempt to cluster.  A full 'young' becomes 'old', and what was old is forgotten. */
    struct fl_map young, old;
    FL_VEC(struct want) wants; /* in order, from wants_pos on; log_front bounds how many */
    size_t wants_pos;
    struct question questions[QUESTIONS_MAX];
    struct fl_after ask;
    struct fl_timer retry;
};

static void ask(void *ctx);

struct attempt_owner_cache *attempt_owner_cache_create(struct fl_loop *loop,
                                                       struct front_reader *reader,
                                                       attempt_owner_cache_fn *tell, void *ctx)
{
    struct attempt_owner_cache *owners = fl_new(struct attempt_owner_cache);

    owners->reader = reader;
    owners->tell = tell;
    owners->ctx = ctx;
    fl_after_init(&owners->ask, loop, ask, owners);
    fl_timer_init(&owners->retry, loop, ask, owners);
    for (size_t i = 0; i < QUESTIONS_MAX; i++) {
        owners->questions[i].owners = owners;
    }
    return owners;
}

void attempt_owner_cache_destroy(struct attempt_owner_cache *owners)
{
    if (!owners) return;
    fl_after_off(&owners->ask);
    fl_timer_off(&owners->retry);
    fl_vec_fini(&owners->wants);
    fl_map_fini(&owners->young);
    fl_map_fini(&owners->old);
    fl_free(owners);
}

/* ---- the cache ------------------------------------------------------------------------------- */

struct key {
    uint64_t job;
    uint32_t element, n, incarnation, zero;
};

static struct key key_of(struct fl_attempt attempt)
{
    return (struct key){attempt.job.n, attempt.element, attempt.n, attempt.incarnation, 0};
}

static void remember(struct attempt_owner_cache *owners, struct fl_attempt attempt,
                     struct fl_cluster cluster)
{
    struct key key = key_of(attempt);

    if (owners->young.len >= ATTEMPT_OWNER_CACHE_MAX / 2) {
        fl_map_fini(&owners->old);
        owners->old = owners->young;
        owners->young = (struct fl_map){0};
    }
    fl_map_put(&owners->young, &key, sizeof key, cluster.n);
}

static bool find(struct attempt_owner_cache *owners, struct fl_attempt attempt,
                 struct log_owner *ret_owner)
{
    struct key key = key_of(attempt);
    uint64_t cluster;

    if (!fl_map_find(&owners->young, &key, sizeof key, &cluster)) {
        if (!fl_map_find(&owners->old, &key, sizeof key, &cluster)) return false;
    }
    *ret_owner = (struct log_owner){{(uint32_t)cluster}, FL_TENANT_ONLY};
    return true;
}

void attempt_owner_cache_started(struct attempt_owner_cache *owners, struct fl_attempt attempt,
                                 struct fl_cluster cluster)
{
    remember(owners, attempt, cluster);
}

/* ---- reads ----------------------------------------------------------------------------------- */

static void on_attempts(void *ctx, const struct read_attempts *attempts)
{
    struct question *question = ctx;
    struct attempt_owner_cache *owners = question->owners;
    struct want want = question->want;
    struct log_owner owner = {0};

    question->is_out = false;
    if (attempts->err) {
        fl_log(FL_LOG_WARN, "front", "owner_not_read", FL_LOG_ERR(attempts->err));
        fl_vec_push(&owners->wants, want);
        if (!fl_timer_is_on(&owners->retry)) fl_timer_in(&owners->retry, RETRY_MS);
        return;
    }
    if (attempts->len > 0 && fl_attempt_is_same(attempts->at[0].attempt, want.attempt)) {
        owner = (struct log_owner){attempts->at[0].cluster, FL_TENANT_ONLY};
        remember(owners, want.attempt, owner.cluster);
    }
    fl_after_put(&owners->ask); /* there is a place for the next */
    owners->tell(owners->ctx, want.ticket, &owner);
}

static struct question *free_question(struct attempt_owner_cache *owners)
{
    for (size_t i = 0; i < QUESTIONS_MAX; i++) {
        if (!owners->questions[i].is_out) return &owners->questions[i];
    }
    return NULL;
}

/* False: the reader takes no more. */
static bool put_question(struct attempt_owner_cache *owners, struct question *question,
                         struct want want)
{
    struct read_attempts_query query = {.job = want.attempt.job,
                                        .element = want.attempt.element,
                                        .n = (uint16_t)(want.attempt.n - 1),
                                        .len_max = 1};
    struct fl_err err = {0};

    question->want = want;
    question->is_out =
        read_attempts(front_reader(owners->reader), &query, on_attempts, question, &err) > 0;
    return question->is_out;
}

static void drop_asked(struct attempt_owner_cache *owners)
{
    size_t left = owners->wants.len - owners->wants_pos;

    if (left > 0) {
        memmove(owners->wants.at, owners->wants.at + owners->wants_pos,
                left * sizeof *owners->wants.at);
    }
    owners->wants.len = left;
    owners->wants_pos = 0;
}

static void ask(void *ctx)
{
    struct attempt_owner_cache *owners = ctx;
    struct question *question;
    struct log_owner owner;

    while (owners->wants_pos < owners->wants.len && (question = free_question(owners))) {
        struct want want = owners->wants.at[owners->wants_pos];

        if (find(owners, want.attempt, &owner)) { /* another replica of it was asked for first */
            owners->tell(owners->ctx, want.ticket, &owner);
        } else if (!put_question(owners, question, want)) {
            if (!fl_timer_is_on(&owners->retry)) fl_timer_in(&owners->retry, RETRY_MS);
            break;
        }
        owners->wants_pos++;
    }
    if (owners->wants_pos * 2 >= owners->wants.len) drop_asked(owners);
    front_reader_asked(owners->reader);
}

bool attempt_owner_cache_find(struct attempt_owner_cache *owners, uint64_t ticket,
                              struct fl_attempt attempt, struct log_owner *ret_owner)
{
    if (find(owners, attempt, ret_owner)) return true;
    if (attempt.n == 0) { /* numbers start at 1 */
        *ret_owner = (struct log_owner){0};
        return true;
    }
    fl_vec_push(&owners->wants, (struct want){ticket, attempt});
    fl_after_put(&owners->ask);
    return false;
}
