/* tunnel_world.h - a real tunnel server and real dialers on one loop, over loopback and real TLS;
 * in place of the engine a fake one, which welcomes everybody and acknowledges everything, and in
 * place of the agent's a fake one, which obeys at once.  For tests and benchmarks of the tunnel. */
#pragma once

#include "agent/tunnel/dialer.h"
#include "controlplane/tunnel/log_stream.h"
#include "controlplane/tunnel/server.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"
#include "shared/tls/ca.h"

enum { TUNNEL_WORLD_PATH_MAX = 128, TUNNEL_WORLD_WAIT_MS = 60000 };

struct tunnel_world;

/* One end of EXEC in place of a visit: a row in the table of each end.  It holds the tunnel, sends
 * 'total' bytes and counts what comes. */
struct fake_shell {
    struct fl_stream *stream; /* NULL: none is open */
    uint64_t total, sent, got;
    uint32_t opens, closes;
    bool is_stalled; /* gives no credit back */
    enum fl_code code;
    char text[128]; /* with the newest close */
};

struct fake_agent {
    struct tunnel_world *world;
    struct agent_dialer *dialer;
    char state_dir[TUNNEL_WORLD_PATH_MAX];
    char uid[64];
    uint64_t welcomes, resyncs, starts, gos, stops, acks, closes;
    bool is_busy;
    uint64_t report_seq;
    char spec[256], params[64]; /* the last START's */
    size_t spec_bytes;
    struct fl_attempt last;
    char order[4096];                      /* a letter for each message, as it came: W R S G T A */
    struct fl_stream *log;                 /* NULL: no tunnel */
    uint64_t log_sent, log_total, log_got; /* log_total: see fake_agent_log */
    struct fake_shell shell;
};

struct fake_spec {
    char *document;
    size_t bytes;
    bool is_late; /* told by tunnel_server_spec, when the test says so */
};

struct tunnel_world {
    char dir[TUNNEL_WORLD_PATH_MAX];
    struct fl_loop *loop;
    struct fl_ca *ca;
    struct tunnel_server *server;
    uint16_t port;
    char hub[32]; /* "127.0.0.1:port" */

    /* The fake engine. */
    FL_VEC(struct core_send) sends; /* to be sent at the end of the turn */
    struct fl_after send;
    uint64_t session_epoch, opens, resyncs, losts, inventories, replicas, nodes, peers;
    uint64_t control_seq;
    uint64_t generation; /* the last certificate's */
    struct core_event last_open;
    bool refuses_peers;
    bool is_bounded; /* its inbox has room for so many events only: */
    size_t room;

    struct log_stream_ports log_stream;
    struct fl_stream_kind streams[2];
    struct fake_shell shell;

    /* A test's own hooks; NULL: no hook.  A log frame's credit is returned in any case. */
    void *hook_ctx;
    void (*on_event)(void *ctx, const struct core_event *event);
    void (*on_log)(void *ctx, uint64_t connection, struct fl_str payload);

    struct fake_spec spec;
    uint64_t ticket;              /* the last spec's that was asked for */
    uint64_t renews, renews_lost; /* answered; so many of the next ones are not */
    struct fl_digest renew_key;   /* the last request's key */
    uint64_t log_bytes;
};

/* The defaults, but a handshake may take long unless a test says otherwise: the machine is busy. */
void tunnel_world_init(struct tunnel_world *world, uint32_t handshake_ms);
void tunnel_world_fini(struct tunnel_world *world);

#define UNTIL(world, condition)                                                                    \
    do {                                                                                           \
        fl_ms until_ = fl_clock_mono() + TUNNEL_WORLD_WAIT_MS;                                     \
        while (!(condition)) {                                                                     \
            fl_loop_turn((world)->loop, 20);                                                       \
            if (fl_clock_mono() > until_) fail_msg("never: %s", #condition);                       \
        }                                                                                          \
    } while (0)

/* An identity of cluster 'n' in a state directory of its own, good until 'lifetime_ms' from now. */
void tunnel_world_identity(struct tunnel_world *world, const char *state_dir, uint8_t n,
                           const struct fl_ca *signer, fl_ms lifetime_ms);

void fake_agent_init(struct tunnel_world *world, struct fake_agent *agent, uint8_t n);
void fake_agent_dial(struct fake_agent *agent, const char *proxy);
void fake_agent_fini(struct fake_agent *agent);
void fake_agent_log(struct fake_agent *agent, uint64_t bytes); /* so many are there to be sent */

/* Opens EXEC on these streams, of either end, and sends so many bytes. */
void fake_shell_open(struct fake_shell *shell, struct fl_streams *streams, fl_ms now,
                     uint64_t total);

struct fl_uuid tunnel_world_uuid(uint8_t n);

/* To the session that opened last, as the core would. */
void tunnel_world_send(struct tunnel_world *world, enum core_send_kind kind,
                       struct fl_attempt attempt);
