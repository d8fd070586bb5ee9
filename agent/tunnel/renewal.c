#include "agent/tunnel/renewal.h"

#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/tls/digest.h"
#include "shared/tls/key.h"

#define MODULE "tunnel"

enum {
    LOOK_MS = 3600000, /* looks at the wall clock at least this often, since it may step */
    WAIT_MS = 30000,   /* how long to wait for the answer */
    RETRY_MAX_MS = 600000,
};

struct agent_renewal {
    struct fl_loop *loop;
    struct identity_store store;
    struct agent_renewal_port port;
    struct agent_identity *identity;
    fl_ms at; /* when to ask, by the wall clock */
    struct fl_timer timer;
    struct fl_key *key; /* the key of the request that waits for its answer; NULL: none waits */
    uint64_t count;
};

static void plan(struct agent_renewal *renewal, bool is_fresh)
{
    const struct fl_cert *cert = agent_identity_cert(renewal->identity);

    renewal->at = agent_identity_renew_at(cert, is_fresh, fl_loop_wall(renewal->loop));
    fl_timer_in(&renewal->timer, 0);
}

static void drop_key(struct agent_renewal *renewal)
{
    fl_key_destroy(renewal->key);
    renewal->key = NULL;
}

static void retry(struct agent_renewal *renewal, const char *why)
{
    fl_ms left = agent_identity_cert(renewal->identity)->until - fl_loop_wall(renewal->loop);
    fl_ms wait = left / 4;

    drop_key(renewal);
    if (wait < FL_SECOND_MS) wait = FL_SECOND_MS;
    if (wait > RETRY_MAX_MS) wait = RETRY_MAX_MS;
    fl_log(FL_LOG_WARN, MODULE, "not_renewed", FL_LOG_S("why", why), FL_LOG_I("left_ms", left),
           FL_LOG_N("again_ms", wait));
    fl_timer_in(&renewal->timer, wait);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void ask(struct agent_renewal *renewal)
{
    struct fl_uuid cluster = agent_identity_cert(renewal->identity)->cluster;
    struct fl_msg msg = {.kind = FL_MSG_renew};
    struct fl_err err = {0};
    struct fl_buf csr;

    fl_buf_init(&csr, FL_CSR_BYTES_MAX);
    if (agent_identity_next_key(renewal->store, &renewal->key, &err) &&
        fl_csr_write(renewal->key, cluster, &csr, &err)) {
        msg.renew.csr = (struct fl_str){(const char *)csr.at, csr.len};
        renewal->port.put(renewal->port.ctx, &msg);
        fl_timer_in(&renewal->timer, WAIT_MS);
    } else {
        retry(renewal, err.text);
    }
    fl_buf_fini(&csr);
}

static void on_timer(void *ctx)
{
    struct agent_renewal *renewal = ctx;
    fl_ms wall = fl_loop_wall(renewal->loop);

    if (renewal->key) {
        retry(renewal, "no answer in time");
    } else if (wall < renewal->at) {
        fl_ms in = renewal->at - wall;

        fl_timer_in(&renewal->timer, in < LOOK_MS ? in : LOOK_MS);
    } else if (renewal->port.is_up(renewal->port.ctx)) {
        ask(renewal);
    } else {
        fl_timer_in(&renewal->timer, FL_SECOND_MS);
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

static bool take_chain(struct agent_renewal *renewal, struct fl_str chain, struct fl_err *err)
{
    struct agent_identity *identity;
    struct fl_buf key;
    bool is_stored;

    fl_buf_init(&key, FL_KEY_PEM_MAX);
    is_stored = fl_key_write(renewal->key, &key, err) &&
                agent_identity_store(renewal->store, (struct fl_str){(const char *)key.at, key.len},
                                     chain, (struct fl_str){0}, (struct fl_str){0}, err);
    if (key.at) fl_secret_wipe(key.at, key.len);
    fl_buf_fini(&key);
    if (!is_stored || !agent_identity_load(renewal->store, &identity, err)) return false;
    agent_identity_destroy(renewal->identity);
    renewal->identity = identity;
    return true;
}

void agent_renewal_answer(struct agent_renewal *renewal, const struct fl_msg_renewed *renewed)
{
    struct fl_err err = {0};

    if (!renewal->key) return; /* the answer came too late */
    if (renewed->code != FL_OK) {
        fl_fail(&err, FL_DENIED, FL_STR_FMT, FL_STR_ARG(renewed->text));
        retry(renewal, err.text);
    } else if (!take_chain(renewal, renewed->chain, &err)) {
        retry(renewal, err.text);
    } else {
        drop_key(renewal);
        renewal->count++;
        plan(renewal, true);
        fl_log(FL_LOG_INFO, MODULE, "renewed",
               FL_LOG_I("until", agent_identity_cert(renewal->identity)->until));
        renewal->port.renewed(renewal->port.ctx);
    }
}

void agent_renewal_hurry(struct agent_renewal *renewal)
{
    renewal->at = fl_loop_wall(renewal->loop);
    if (!renewal->key) fl_timer_in(&renewal->timer, FL_SECOND_MS);
}

bool agent_renewal_reload(struct agent_renewal *renewal, struct fl_err *err)
{
    struct agent_identity *identity;

    if (!agent_identity_load(renewal->store, &identity, err)) return false;
    drop_key(renewal);
    agent_identity_destroy(renewal->identity);
    renewal->identity = identity;
    plan(renewal, true);
    return true;
}

void agent_renewal_closed(struct agent_renewal *renewal)
{
    if (!renewal->key) return;
    drop_key(renewal);
    fl_timer_in(&renewal->timer, FL_SECOND_MS);
}

/* ---- its life -------------------------------------------------------------------------------- */

bool agent_renewal_create(struct fl_loop *loop, struct identity_store store,
                          const struct agent_renewal_port *port, struct agent_renewal **ret_renewal,
                          struct fl_err *err)
{
    struct agent_identity *identity;
    struct agent_renewal *renewal;

    if (!agent_identity_load(store, &identity, err)) return false;
    renewal = fl_new(struct agent_renewal);
    renewal->loop = loop;
    renewal->store = store;
    renewal->port = *port;
    renewal->identity = identity;
    fl_timer_init(&renewal->timer, loop, on_timer, renewal);
    plan(renewal, false);
    *ret_renewal = renewal;
    return true;
}

void agent_renewal_destroy(struct agent_renewal *renewal)
{
    if (!renewal) return;
    fl_timer_off(&renewal->timer);
    fl_key_destroy(renewal->key);
    agent_identity_destroy(renewal->identity);
    fl_free(renewal);
}

const struct agent_identity *agent_renewal_identity(const struct agent_renewal *renewal)
{
    return renewal->identity;
}

uint64_t agent_renewal_count(const struct agent_renewal *renewal)
{
    return renewal->count;
}
