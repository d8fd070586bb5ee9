#include "controlplane/tunnel/session_seal.h"

#include <string.h>

#include "shared/base/buf.h"

enum { SEAL_BYTES = SESSION_SEAL_BYTES, CLAIM_BYTES = SEAL_BYTES - TUNNEL_MAC_BYTES };

static void put_u32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(v >> (8 * i));
    }
}

static void put_u64(uint8_t *at, uint64_t v)
{
    put_u32(at, (uint32_t)v);
    put_u32(at + 4, (uint32_t)(v >> 32));
}

static void make(const struct tunnel_server_ports *ports, struct fl_cluster cluster,
                 const struct core_seen *seen, uint8_t ret_seal[SEAL_BYTES])
{
    uint8_t claim[16 + CLAIM_BYTES] = "fl-history:1";

    put_u32(claim + 12, cluster.n);
    put_u32(claim + 16, seen->incarnation);
    put_u64(claim + 20, seen->batch);
    put_u64(claim + 28, seen->job_below);
    memcpy(ret_seal, claim + 16, CLAIM_BYTES);
    ports->mac(ports->ctx, claim, sizeof claim, ret_seal + CLAIM_BYTES);
}

static bool is_equal(const uint8_t *a, const uint8_t *b) /* as long wherever they differ */
{
    uint8_t sum = 0;

    for (int i = 0; i < SEAL_BYTES; i++) {
        sum |= a[i] ^ b[i];
    }
    return sum == 0;
}

struct core_seen session_seal_hear(const struct tunnel_server_ports *ports,
                                   struct fl_cluster cluster, struct fl_str back)
{
    struct core_seen none = {0}, seen;
    struct fl_reader reader = fl_reader(back.at, back.len);
    uint8_t own[SESSION_SEAL_BYTES];

    if (!ports->mac || back.len != sizeof own) return none;
    seen.incarnation = fl_read_u32(&reader);
    seen.batch = fl_read_u64(&reader);
    seen.job_below = fl_read_u64(&reader);
    make(ports, cluster, &seen, own);
    return is_equal(own, (const uint8_t *)back.at) ? seen : none;
}

bool session_seal_tell(struct session_seal *seal, const struct tunnel_server_ports *ports,
                       struct fl_cluster cluster, fl_ms now, struct fl_msg *ret_msg)
{
    struct core_seen seen;

    if (!ports->seen) return false;
    if (seal->told_at && now < seal->told_at + SESSION_SEAL_MS) return false;
    if (!ports->seen(ports->ctx, &seen)) return false;
    if (seal->told_at && seen.incarnation == seal->told.incarnation &&
        seen.batch == seal->told.batch && seen.job_below == seal->told.job_below) {
        return false;
    }
    make(ports, cluster, &seen, seal->sealed);
    seal->told = seen;
    seal->told_at = now > 0 ? now : 1;
    *ret_msg = (struct fl_msg){.kind = FL_MSG_history};
    ret_msg->history.seal = (struct fl_str){(const char *)seal->sealed, SEAL_BYTES};
    return true;
}
