#include "controlplane/logs/limit_share.h"

#include "shared/base/assert.h"

uint64_t log_limit_share(const uint64_t *lengths, size_t len, uint64_t bytes_max)
{
    uint64_t share;

    fl_assert(len > 0 && bytes_max >= len);
    share = bytes_max / len;
    for (;;) { /* each round raises the share: at most len rounds, as a rule two or three */
        uint64_t rest = bytes_max;
        uint64_t cut_len = 0;

        for (size_t i = 0; i < len; i++) {
            if (lengths[i] <= share) {
                rest -= lengths[i];
            } else {
                cut_len++;
            }
        }
        if (cut_len == 0) return LOG_LIMIT_SHARE_ALL;
        if (rest / cut_len == share) return share;
        share = rest / cut_len;
    }
}

struct log_middle log_limit_share_middle(uint64_t share, uint64_t length)
{
    if (length <= share) return (struct log_middle){0};
    return (struct log_middle){share / 2, length - share / 2};
}

bool log_middle_has(const struct log_middle *middle, uint64_t begin, uint64_t end)
{
    return begin >= middle->begin && end <= middle->end;
}

bool log_middle_meets(const struct log_middle *middle, uint64_t begin, uint64_t end)
{
    return begin < middle->end && end > middle->begin;
}
