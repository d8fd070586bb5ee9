#include "shared/io/exits.h"

const struct fl_exit_row fl_exits[] = {
#define EXIT(name, number, daemon, cli) {#number, daemon, cli},
#define EXIT_NOTE(codes, cli) {codes, "", cli},
#include "shared/io/exits.def"
#undef EXIT
#undef EXIT_NOTE
};
const size_t fl_exits_len = sizeof fl_exits / sizeof *fl_exits;

enum fl_exit fl_exit_of(const struct fl_err *err)
{
    switch (err->code) {
    case FL_INVALID:
    case FL_TOO_LARGE:
    case FL_UNSUPPORTED:
    case FL_IMPOSSIBLE:
        return FL_EXIT_USAGE;
    case FL_DENIED:
        return FL_EXIT_DENIED;
    case FL_UNAVAILABLE:
    case FL_NO_SPACE:
    case FL_FULL:
        return FL_EXIT_UNREACHABLE;
    case FL_IO:
        return FL_EXIT_IO;
    case FL_TORN:
    case FL_BUG:
        return FL_EXIT_INTERNAL;
    case FL_OK:
    case FL_EXISTS:
    case FL_ABSENT:
    case FL_CONFLICT:
    case FL_CHANGED:
    case FL_DEPOSED:
        break;
    }
    return FL_EXIT_FAILED;
}
