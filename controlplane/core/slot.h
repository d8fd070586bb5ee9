/* slot.h - where a record is in its table of the core.
 * Each table has a type of slot, as each kind of id has a type, so that the compiler tells the slot
 * of a job from that of an element, and a slot from an id.  A slot is good until its record is
 * removed, and may mean another record then.  Zero is "none" for every type.  Only where a generic
 * structure keeps a slot (fl_slab, fl_map, fl_page_map, fl_heap) is it a bare number.
 * A cluster and a queue need no slot: they are never removed, and found by their ids.
 * Uses libc only. */
#pragma once

#include <stdint.h>

struct bucket_slot {
    uint32_t n;
};

struct dependency_slot {
    uint32_t n;
};

struct element_slot {
    uint32_t n;
};

struct job_slot {
    uint32_t n;
};

struct owner_slot {
    uint32_t n;
};

struct run_slot {
    uint32_t n;
};

struct shape_slot {
    uint32_t n;
};

struct singleton_slot {
    uint32_t n;
};

/* A line of singletons. */
struct singleton_line_slot {
    uint32_t n;
};

/* The reply that its cluster owes for a live attempt, in this session. */
enum element_reply {
    ELEMENT_REPLY_nothing,
    ELEMENT_REPLY_start, /* its START was sent: that all replicas are there */
    ELEMENT_REPLY_stop,  /* its STOP was sent: that it has ended */
    ELEMENT_REPLY_LEN
};
