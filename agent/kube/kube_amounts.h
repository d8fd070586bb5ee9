/* kube_amounts.h - amounts of named resources: cpu, memory, nvidia.com/gpu.
 * Cpu counts in thousandths, everything else in whole units (bytes, devices); fractions are rounded
 * up, as the scheduler does.  Sums that pass 64 bits stay at the largest number.
 * Uses shared/base, shared/json and shared/spec.  Pure. */
#pragma once

#include <stdint.h>

#include "shared/base/amounts.h"
#include "shared/base/err.h"
#include "shared/base/resources.h"
#include "shared/base/str.h"

struct fl_arena;
struct fl_json;

enum { KUBE_AMOUNTS_MAX = 64, KUBE_RESOURCE_NAME_BYTES_MAX = 317 }; /* 253 + '/' + 63 */

struct kube_amount {
    struct fl_str name;
    uint64_t n;
};

struct kube_amounts {
    struct kube_amount *at; /* sorted by name, each name once */
    size_t len, cap;
    bool is_over; /* a name past KUBE_AMOUNTS_MAX was left out */
};

/* A map of names to quantities, as in resources.requests; NULL and null are empty.  Copies are made
 * in the arena.  FL_INVALID names the first that is no quantity, FL_TOO_LARGE a limit above. */
FL_CHECK bool kube_amounts_read(const struct fl_json *map, struct fl_arena *arena,
                                struct kube_amounts *ret_amounts, struct fl_err *err);

uint64_t kube_amounts_of(const struct kube_amounts *amounts, struct fl_str name); /* 0: absent */

/* For each name of 'from': the sum, the larger one, or just that number.  Names are not copied. */
void kube_amounts_add(struct kube_amounts *to, const struct kube_amounts *from,
                      struct fl_arena *arena);
void kube_amounts_raise(struct kube_amounts *to, const struct kube_amounts *from,
                        struct fl_arena *arena);
void kube_amounts_set(struct kube_amounts *to, struct kube_amount amount, struct fl_arena *arena);

/* ---- as the control plane counts them -------------------------------------------------------- */

/* The part that a job may ask for.  'usual.gpus' stays 0 until it is known which resource that is:
 * the accelerator has its own name in 'named' like all others.  No amount is over FL_AMOUNT_MAX. */
struct kube_share {
    struct fl_resources usual;
    struct fl_amounts named;
};

/* Names are not copied. */
struct kube_share kube_share_of(const struct kube_amounts *amounts, struct fl_arena *arena);

/* 'share' without 'less'; where that has more, nothing is left. */
struct kube_share kube_share_without(const struct kube_share *share, const struct kube_share *less,
                                     struct fl_arena *arena);

/* 'share' with the resource 'accelerator' (empty: none) as its gpus, and back again. */
struct kube_share kube_share_told(const struct kube_share *share, struct fl_str accelerator,
                                  struct fl_arena *arena);
struct kube_share kube_share_untold(const struct kube_share *told, struct fl_str accelerator,
                                    struct fl_arena *arena);

bool kube_share_is_same(const struct kube_share *a, const struct kube_share *b);
