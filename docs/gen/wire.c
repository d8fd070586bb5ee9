/* wire.c - prints docs/reference/wire.md from the tables of shared/wire. */
#include <inttypes.h>
#include <stdio.h>

#include "shared/wire/frame.h"
#include "shared/wire/message.h"

static void print_frames(void)
{
    printf("# The wire format of the tunnel\n\n"
           "Made by `docs/gen/wire.c` from `shared/wire/messages.def` and the tables of `frame.h` "
           "and\n"
           "`message.h`; change those, not this.\n\n"
           "This build speaks protocol %d to %d. Numbers are little endian; a *var* is LEB128 in "
           "its shortest\n"
           "form. Every byte sequence has one meaning and every message one byte sequence: "
           "anything else\n"
           "is refused, and the tunnel is closed with a reason.\n\n",
           FL_PROTOCOL_MIN, FL_PROTOCOL_MAX);
    printf("## Frames\n\n"
           "A header of %d bytes, then at most %d bytes of payload.\n\n"
           "| at | field | size | |\n|---|---|---|---|\n"
           "| 0 | stream | u32 | 0 is control |\n"
           "| 4 | type | u8 | see below |\n"
           "| 5 | flags | u8 | bit 0 is *may be ignored*; the others are 0 |\n"
           "| 6 | reserved | u16 | 0 |\n"
           "| 8 | length | u32 | bytes of the payload |\n"
           "| 12 | sequence | u32 | counts the frames of this stream and direction from 1 |\n\n",
           FL_FRAME_HEADER_BYTES, FL_FRAME_PAYLOAD_MAX);
    printf("| type | number | needs credit | payload |\n|---|---|---|---|\n");
#define PRINT_TYPE(name, number, carries)                                                          \
    printf("| %s | %d | %s | %s |\n", #name, number, fl_frame_type_is_data(number) ? "yes" : "no", \
           carries);
    FL_FRAME_TYPES(PRINT_TYPE)
#undef PRINT_TYPE
    printf("\nOn stream 0 there are only CONTROL and CREDIT; CONTROL goes nowhere else. On other "
           "streams CREDIT\n"
           "and CLOSE are not counted and have sequence 0. A type, or the number of a message, "
           "that is not\n"
           "known is skipped when its frame says *may be ignored*; else the tunnel is closed.\n\n");
}

static void print_kinds(void)
{
    printf("## Messages\n\n"
           "A message is its number (u16), the length of what follows (var), and its fields in "
           "this order.\n"
           "Numbers are never reused; a field is only ever added at the end, under a new protocol "
           "version.\n\n"
           "| kind of field | bytes |\n|---|---|\n");
    for (int kind = 0; kind < FL_FIELD_KINDS_LEN; kind++) {
        printf("| %s | %s |\n", fl_field_kind_name((enum fl_field_kind)kind),
               fl_field_kind_encoding((enum fl_field_kind)kind));
    }
    printf("\n| replica state | number | |\n|---|---|---|\n");
#define PRINT_STATE(name, number, is_last, meaning)                                                \
    printf("| %s | %d | %s |\n", #name, number, meaning);
    FL_REPLICA_STATES(PRINT_STATE)
#undef PRINT_STATE
}

static void print_message(const struct fl_msg_info *info)
{
    static const char *const goes[] = {"", "to the agent", "to the control plane", "either way"};

    printf("\n### %s\n\nNumber %d, %s, at most %zu bytes.\n\n| field | kind | at most "
           "|\n|---|---|---|\n",
           info->name, (int)info->kind, goes[info->to], fl_msg_bytes_max(info));
    for (size_t i = 0; i < info->fields_len; i++) {
        const struct fl_msg_field *field = &info->fields[i];

        printf("| %s | %s |", field->name, fl_field_kind_name(field->kind));
        if (field->max) printf(" %" PRIu32, field->max);
        printf(" |\n");
    }
}

int main(void)
{
    print_frames();
    print_kinds();
    for (size_t i = 0; fl_msg_info_at(i); i++) {
        print_message(fl_msg_info_at(i));
    }
    return fflush(stdout) != 0;
}
