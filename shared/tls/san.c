#include "shared/tls/san.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "fairlead://cluster/"

_Static_assert(sizeof PREFIX - 1 + FL_UUID_TEXT_MAX <= FL_SAN_TEXT_MAX, "the text fits");

void fl_san_print(struct fl_uuid cluster, char out[FL_SAN_TEXT_MAX])
{
    memcpy(out, PREFIX, sizeof PREFIX - 1);
    fl_uuid_print(cluster, out + sizeof PREFIX - 1);
}

bool fl_san_parse(struct fl_str s, struct fl_uuid *ret_cluster, struct fl_err *err)
{
    struct fl_uuid cluster;

    if (s.len < sizeof PREFIX - 1 || memcmp(s.at, PREFIX, sizeof PREFIX - 1) != 0) {
        return fl_fail(err, FL_INVALID, "the name is not " PREFIX "<uuid>");
    }
    s = (struct fl_str){s.at + sizeof PREFIX - 1, s.len - (sizeof PREFIX - 1)};
    if (!fl_uuid_parse(s, &cluster, err)) return fl_err_wrap(err, "the name's cluster");
    if (fl_uuid_is_zero(cluster)) return fl_fail(err, FL_INVALID, "the name's uuid is zero");
    *ret_cluster = cluster;
    return true;
}
