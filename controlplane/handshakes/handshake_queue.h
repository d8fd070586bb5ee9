/* handshake_queue.h - which connections may begin a TLS handshake, and which are dropped instead.
 * A handshake costs us more than the stranger who begins one, so handshakes have a budget of CPU.
 * A connection is silent until its first message is whole, then it waits for its turn, and then its
 * handshake has begun.
 *
 * - There are ranks: peers that show a ticket of ours, peers at an address from which a member
 *   lately came, and strangers.  Each stage of each rank has a limit of its own, and at that limit
 *   the longest in it is dropped.  So those who stay silent, or leave a handshake unfinished, push
 *   out each other, and none with another rank.
 * - While the budget lasts, each that waits begins at once.  When it is spent, tickets have one
 *   of their own, and the others take turns: known addresses three times, strangers once.  Among
 *   strangers the address with the fewest in the queue comes first; at the limit the address with
 *   the most loses its oldest.  So a single address cannot keep the others out, and as long as the
 *   budget lasts, it may bring thousands.
 *
 * Pure: time and cost come in.  An owner is the caller's own pointer; a dropped one is out of the
 * queue when the caller gets it.  Uses shared/base only.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/types.h"

struct handshake_queue; /* opaque */

enum handshake_rank { HANDSHAKE_TICKET, HANDSHAKE_KNOWN, HANDSHAKE_STRANGER, HANDSHAKE_RANKS };

struct handshake_limits {
    uint32_t silent_max, waiting_max, begun_max; /* for each rank */
    uint32_t cpu_percent;                        /* share of one CPU, without tickets; over 0 */
    uint32_t ticket_cpu_percent;                 /* share of one CPU, with tickets; over 0 */
    fl_ms silent_ms; /* how long a connection may be silent, and how long it may wait */
};

struct handshake_queue *handshake_queue_create(const struct handshake_limits *limits, fl_ms now);
void handshake_queue_destroy(struct handshake_queue *queue); /* NULL is fine */

/* A connection came.  Returns its number, which is over 0.  *ret_dropped: the owner that lost its
 * place, or NULL; so for the calls below. */
uint32_t handshake_queue_add(struct handshake_queue *queue, void *owner, uint64_t address,
                             bool is_known, fl_ms now, void **ret_dropped);

/* Others need what it holds: the one that goes first, or NULL.  The longest list pays with the one
 * that its limit would drop; if some are equal, the silent.  *ret_has_begun: its handshake has
 * begun (NULL: these stay).  One with a ticket of ours stays. */
void *handshake_queue_make_room(struct handshake_queue *queue, bool *ret_has_begun);

/* The longest silent one, or NULL: perhaps its message is here and was not read. */
void *handshake_queue_longest(const struct handshake_queue *queue);

/* Its first message is whole. */
void handshake_queue_said_hello(struct handshake_queue *queue, uint32_t number, bool has_ticket,
                                fl_ms now, void **ret_dropped);

/* The owner whose handshake begins now, or NULL: none waits, or the budget is spent. */
void *handshake_queue_next(struct handshake_queue *queue, fl_ms now, uint32_t *ret_number,
                           void **ret_dropped);

/* From now on this is the owner. */
void handshake_queue_own(struct handshake_queue *queue, uint32_t number, void *owner);

/* Takes the cost of a handshake, with a ticket or without, from its budget. */
void handshake_queue_charge(struct handshake_queue *queue, bool has_ticket, int64_t cpu_us);

/* The connection is gone, or its handshake is over. */
void handshake_queue_remove(struct handshake_queue *queue, uint32_t number);

/* The owner that has been silent, or has waited, for too long, and is dropped; or NULL. */
void *handshake_queue_late(struct handshake_queue *queue, fl_ms now);

/* When to call 'next' and 'late' again, at the latest; INT64_MAX: not before one is added. */
fl_ms handshake_queue_due(const struct handshake_queue *queue);

bool handshake_queue_has_ticket(const struct handshake_queue *queue, uint32_t number);
uint64_t handshake_queue_address(const struct handshake_queue *queue, uint32_t number);
size_t handshake_queue_len(const struct handshake_queue *queue); /* connections, of all stages */
