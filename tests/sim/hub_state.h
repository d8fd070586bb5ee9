/* hub_state.h - the state of a hub's process, for hub.c and hub_front.c only.
 * hub.c keeps engine, lease and clock; hub_front.c the tunnels, as controlplane/tunnel/server.c
 * does. */
#pragma once

#include "controlplane/tunnel/log_stream.h"
#include "controlplane/tunnel/session.h"
#include "shared/base/vec.h"
#include "tests/sim/hub.h"
#include "tests/sim/tunnel_end.h"

/* The end of something that an agent told, until it is acknowledged. */
struct hub_told {
    uint64_t report_seq;
    struct fl_attempt attempt;
    uint32_t replica;
};

/* A connection: the session that ships, over the fake socket. */
struct hub_session {
    struct session *session;
    struct tunnel_end tunnel;
    uint32_t agent;       /* in the net */
    struct fl_buf socket; /* bytes that came while the session was not read */
    FL_VEC(struct hub_told) told;
    /* a report of one node, with the most free of those heard in that session, to tell it again */
    struct core_event old_report;
    struct core_node_report old_node;
    uint64_t old_epoch; /* 0: none */
    char old_name[64], old_labels[128], old_taints[128];
};

/* The connection of an agent that is not there: see hub_twin. */
struct hub_twin {
    struct fl_cluster cluster;
    uint64_t connection, session_epoch, generation, boot;
};

/* The marks on the disk, and the newest batch of the database at that time. */
struct hub_water {
    uint64_t batch;
    struct high_water water;
};

struct hub {
    FL_VEC(struct hub_twin) twins;
    uint64_t twins_told;
    struct sim *sim;
    struct net *net;
    struct db *db;
    struct fake_client *client;
    struct checks *checks;
    struct hub_config config;
    struct session_shared shared; /* for all sessions */
    struct log_stream_ports log_stream;
    struct fl_stream_kind streams[1]; /* as front_tunnel.c has it */
    struct hub_session *speaking;     /* the session that reads bytes now */
    struct fake_log_store *logs;      /* its disk, and while it is up, the thread */
    uint64_t *epoch_newest;           /* each agent's newest session in this process */
    bool turns_away;                  /* an agent came while this hub does not lead */
    char instance[16];
    struct fl_cluster *clusters; /* by agent */
    uint64_t boot;
    bool is_up;
    fl_ms paused_until;
    fl_ms clock_offset;
    int64_t drift_ppm;
    uint64_t host_boot; /* its uptime goes on as long as this stays */
    fl_ms host_booted_at;
    bool shares_host;  /* ... and it stays */
    fl_ms wall_offset; /* its wall clock: ahead of the true time */
    fl_ms wake_at;

    struct db_client *db_client;
    struct engine *engine;
    uint64_t takes;      /* attempts of its engine, as last seen */
    uint64_t reloads;    /* by its engine, as last seen */
    bool is_storing;     /* the store takes its turn */
    bool may_stop;       /* in a turn that nothing else waits for */
    uint32_t stop_after; /* it stands still at so many a step from now; 0: no */
    fl_ms stop_ms, stop_before;
    fl_ms turn_at;            /* the engine's turn began then, and read the clock */
    uint64_t looked, cost_us; /* by its core, as last seen; and the time that is not taken yet */
    FL_VEC(struct hub_session *) sessions; /* by connection */
    FL_VEC(struct core_event) lost;        /* ends of sessions that the engine had no room for */
    size_t lost_max;                       /* so many at most, since they began to wait */
    size_t requests_open;
    uint64_t turns;
    struct high_water water, water_next; /* its state directory's; the write under way */
    bool is_keeping;
    FL_VEC(struct hub_water) waters; /* by time: older copies of the state directory */
};

/* ---- hub.c ----------------------------------------------------------------------------------- */
fl_ms hub_clock(const struct hub *hub); /* the hub's own: not the true time, not at the true pace */
bool hub_stands_still(const struct hub *hub);
void hub_work(struct hub *hub);        /* the end of every turn */
void hub_before_send(struct hub *hub); /* it may stand still here */
FL_CHECK bool hub_adopt(struct hub *hub, struct engine_event *event, struct fl_err *err);

/* ---- hub_front.c ----------------------------------------------------------------------------- */
void hub_front_init(struct hub *hub);
void hub_front_send(void *ctx, const struct core_send *send);         /* the engine's port */
void hub_front_began(void *ctx, uint64_t epoch, fl_ms core_ahead_ms); /* the same */
void hub_front_mind(struct hub *hub,
                    fl_ms *due);           /* ticks and flushes; *due no later than the next */
void hub_front_turn_away(struct hub *hub); /* agents do better elsewhere */
void hub_front_drop(struct hub *hub);      /* the process is gone */
