/* known_addresses.h - the addresses from which members lately came: agents with a certificate that
 * counts.  One for all fronts.
 * An address is remembered for at least FRESH, and at most twice as long, unless more than
 * KNOWN_ADDRESSES_MAX came meanwhile.  Thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/types.h"
#include "shared/io/net.h"

struct known_addresses; /* opaque */

enum { KNOWN_ADDRESSES_MAX = 16384, KNOWN_ADDRESSES_FRESH_MS = 12 * 60 * 60 * 1000 };

struct known_addresses *known_addresses_create(void);
void known_addresses_destroy(struct known_addresses *known); /* NULL is fine */

/* The number of an address; all of an IPv6 network of 64 bits have the same, since a host may take
 * any of them. */
uint64_t known_addresses_number(const struct fl_net_address *address);

void known_addresses_put(struct known_addresses *known, uint64_t address, fl_ms now);
bool known_addresses_has(struct known_addresses *known, uint64_t address, fl_ms now);
