/* The answer to a WebSocket's handshake, as an API server or a proxy before it might send it.
 * Properties: a whole head stays the same without the bytes behind it, and is not whole without
 * its last one; it opens only with our key's answer and our protocol in it; a refusal has one
 * length.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/kube_upgrade.patch) takes a protocol whose name begins like ours. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "agent/kube/kube_upgrade.h"
#include "shared/base/assert.h"

static const struct kube_upgrade_proof proof = {"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "v5.channel.k8s.io",
                                                "1.30"};

/* A line that is "NAME: VALUE", with any white space around the value. */
static bool has_line(struct fl_str head, const char *value)
{
    size_t len = strlen(value);

    for (size_t i = 1; i + len < head.len; i++) {
        char before = head.at[i - 1], behind = head.at[i + len];

        if (memcmp(head.at + i, value, len) == 0 && strchr(": \t", before) &&
            strchr("\r \t", behind)) {
            return true;
        }
    }
    return false;
}

static enum kube_upgrade_answer look(struct fl_str bytes, struct kube_upgrade_head *ret_head)
{
    struct fl_err err = {0};
    enum kube_upgrade_answer answer = kube_upgrade_read(bytes, &proof, ret_head, &err);

    fl_assert((answer == KUBE_UPGRADE_BAD) == (err.code != FL_OK));
    return answer;
}

static bool is_same(const struct kube_upgrade_head *a, const struct kube_upgrade_head *b)
{
    return a->head_bytes == b->head_bytes && a->status == b->status &&
           a->is_chunked == b->is_chunked && a->has_length == b->has_length &&
           a->body_bytes == b->body_bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str bytes = {(const char *)data, size};
    struct kube_upgrade_head head = {0}, again = {0};
    enum kube_upgrade_answer answer;

    if (size > 1 << 15) return 0;
    answer = look(bytes, &head);
    if (answer != KUBE_UPGRADE_OPEN && answer != KUBE_UPGRADE_REFUSED) return 0;
    fl_assert(head.head_bytes <= size && head.head_bytes <= KUBE_UPGRADE_HEAD_BYTES_MAX);
    bytes.len = head.head_bytes;
    fl_assert(look(bytes, &again) == answer && is_same(&head, &again));
    if (answer == KUBE_UPGRADE_OPEN) {
        fl_assert(head.status == 101);
        fl_assert(has_line(bytes, proof.accept) && has_line(bytes, proof.protocol));
    } else {
        fl_assert(head.status >= 200 && !(head.is_chunked && head.has_length));
    }
    bytes.len--;
    fl_assert(look(bytes, &again) == KUBE_UPGRADE_MORE);
    return 0;
}
