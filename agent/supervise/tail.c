#include "agent/supervise/tail.h"

#include <string.h>

void tail_put(struct tail *tail, const char *ptr, size_t len)
{
    if (len > sizeof tail->at) {
        tail->bytes += len - sizeof tail->at;
        ptr += len - sizeof tail->at;
        len = sizeof tail->at;
    }
    while (len > 0) {
        size_t place = tail->bytes % sizeof tail->at, room = sizeof tail->at - place;
        size_t part = len < room ? len : room;

        memcpy(tail->at + place, ptr, part);
        tail->bytes += part;
        ptr += part;
        len -= part;
    }
}

struct fl_str tail_line(const struct tail *tail, char ret_text[FL_WORDS_BYTES_MAX + 1])
{
    char bytes[sizeof tail->at];
    size_t place = tail->bytes % sizeof tail->at;
    bool is_cut = tail->bytes > sizeof tail->at;

    if (!is_cut) {
        return fl_last_line((struct fl_str){tail->at, (size_t)tail->bytes}, false, ret_text);
    }
    memcpy(bytes, tail->at + place, sizeof bytes - place);
    memcpy(bytes + sizeof bytes - place, tail->at, place);
    return fl_last_line((struct fl_str){bytes, sizeof bytes}, true, ret_text);
}
