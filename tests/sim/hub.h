/* hub.h - one control plane process: the real engine and core, the real links and translation, the
 * fake database and net.  It does what main.c does: fills in ports, keeps the lease, passes time
 * on.  The process can be killed and started, and stand still: then it is a leader that does not
 * know that it was deposed.
 * Single-threaded, in the sim's time; the hub's own clock is another. */
#pragma once

#include "controlplane/engine/engine.h"
#include "shared/link/flow.h"
#include "tests/sim/checks.h"
#include "tests/sim/db.h"
#include "tests/sim/fake_client.h"
#include "tests/sim/fake_log_store.h"
#include "tests/sim/net.h"
#include "tests/sim/sim.h"

struct hub;

struct hub_config {
    uint32_t host; /* in the net, from 0 */
    struct engine_config engine;
    uint32_t stop_grace_ms;
    struct fl_flow_limits flow; /* its tunnels' */
    fl_ms spec_ms_max;          /* reading a document takes at most this */
    struct fake_log_config logs;
    void *truth_ctx; /* for 'truth', which is as fake_log_ports.truth */
    const struct fake_output *(*truth)(void *ctx, struct fl_cluster cluster,
                                       struct fl_attempt attempt, uint32_t replica);
    uint32_t expired_ppm;  /* certificates that have */
    uint32_t look_us;      /* its turns take so long for each thing that the core looks at */
    uint32_t clusters_len; /* by the net's number of their agents */
};

struct hub *hub_create(struct sim *sim, struct net *net, struct db *db, struct fake_client *client,
                       struct checks *checks, const struct hub_config *config);
void hub_destroy(struct hub *hub);

void hub_start(struct hub *hub);
void hub_kill(struct hub *hub, bool is_silent);
void hub_stop(struct hub *hub); /* in good order: the lease is released */
/* Its state directory is what it was when that batch was the newest; it is not up. */
void hub_restore(struct hub *hub, uint64_t batch);
void hub_accept_restore(struct hub *hub); /* a person asks */
void hub_pause(struct hub *hub, fl_ms until);
/* It stands still for so long inside a turn, between two of its steps, and goes on with the clock
 * that it read before.  Not when that would end after 'before'. */
void hub_pause_in_turn(struct hub *hub, uint32_t steps, fl_ms for_ms, fl_ms before);
void hub_set_clock(struct hub *hub,
                   fl_ms offset); /* its host's wall clock, to the true time + this */
fl_ms hub_wall_offset(const struct hub *hub);
fl_ms hub_booted_at(const struct hub *hub); /* the newest boot of its host */
void hub_share_host(struct hub *hub);       /* with Postgres; its host is not booted any more */
bool hub_is_up(const struct hub *hub);
bool hub_is_paused(const struct hub *hub);
bool hub_leads(const struct hub *hub);
void hub_set_cluster(struct hub *hub, uint32_t agent, struct fl_cluster cluster);
void hub_room(struct hub *hub, uint64_t job_below);
/* True: its core was also compared with one loaded from the rows, as 'with_reload' wants; it cannot
 * be while something is in flight. */
bool hub_check(struct hub *hub, bool with_reload);
uint64_t hub_epoch(const struct hub *hub);
void hub_tell(const struct hub *hub);            /* how it stands, into the story */
size_t hub_requests_open(const struct hub *hub); /* taken in and not answered */

/* A request has arrived at a hub that is up and does not stand still. */
void hub_request(struct hub *hub, uint64_t request);

/* From the net. */
void hub_opened(struct hub *hub, uint64_t connection);
void hub_bytes(struct hub *hub, uint64_t connection, struct fl_str bytes);
void hub_closed(struct hub *hub, uint64_t connection);

/* A report that an agent sent in its session before this one, about an attempt of its own, arrives
 * now. */
void hub_stale_report(struct hub *hub, struct fl_attempt attempt, struct fl_cluster cluster);

/* A report of nodes from earlier in the newest session arrives once more.  False: none is kept. */
bool hub_report_again(struct hub *hub, struct fl_cluster cluster);
/* An agent with a copy of the cluster's identity, and with this boot number, says HELLO here.  It
 * says no more, and goes at 'until'. */
void hub_twin(struct hub *hub, struct fl_cluster cluster, uint64_t boot, fl_ms until);
/* The core hears now that the session before the newest is lost.  False: there was only one. */
bool hub_lost_late(struct hub *hub, struct fl_cluster cluster);

/* Its log store outlives its processes. */
struct fake_log_store *hub_logs(const struct hub *hub);

struct engine_stats hub_stats(const struct hub *hub);
