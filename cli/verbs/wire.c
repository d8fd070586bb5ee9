/* wire.c - 'wire dump': prints the tunnel's messages in a file of frames. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "shared/wire/frame.h"
#include "shared/wire/message.h"

enum { FRAMES_BYTES_MAX = 256 << 20 };

static bool print_control(const struct fl_frame *frame, struct fl_arena *arena)
{
    struct fl_reader reader = fl_reader(frame->payload.at, frame->payload.len);

    while (reader.pos < reader.len) {
        char text[FL_MSG_TEXT_MAX];
        struct fl_msg message;
        struct fl_err to_agent = {0}, to_hub = {0};
        size_t pos = reader.pos;

        if (!fl_msg_decode(&reader, FL_TO_AGENT, arena, &message, &to_agent)) {
            reader = fl_reader(frame->payload.at, frame->payload.len);
            reader.pos = pos;
            if (!fl_msg_decode(&reader, FL_TO_CONTROLPLANE, arena, &message, &to_hub)) {
                printf("    ? %s\n", to_hub.text);
                if (to_hub.code != FL_UNSUPPORTED) return false;
                continue;
            }
        }
        fl_msg_print(&message, text);
        printf("    %s\n", text);
    }
    return true;
}

int verb_wire(struct cli *cli)
{
    const char *file = cli->args.words.len == 1 ? cli->args.words.at[0] : NULL;
    struct fl_frame_decoder decoder;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    static char bytes[65536];
    FILE *in;
    size_t len, total = 0;
    int code = CLI_OK;

    if (!file) return cli_fail(CLI_USAGE, "usage: fairlead wire dump FILE | -");
    in = strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
    if (!in) return cli_fail(CLI_IO, "%s cannot be read: %m", file);
    fl_frame_decoder_init(&decoder);
    while (code == CLI_OK && (len = fread(bytes, 1, sizeof bytes, in)) > 0) {
        struct fl_str left = {bytes, len};
        struct fl_frame frame;
        enum fl_frame_answer answer;

        total += len;
        while ((answer = fl_frame_decoder_next(&decoder, &left, &frame, &err)) == FL_FRAME_READY) {
            printf("stream %u  %s  %zu bytes  sequence %u%s\n", frame.stream,
                   fl_frame_type_name(frame.type), frame.payload.len, frame.sequence,
                   frame.flags & FL_FRAME_MAY_IGNORE ? "  may be ignored" : "");
            if (frame.type == FL_FRAME_CONTROL && !print_control(&frame, &arena)) {
                code = CLI_BAD_SPEC;
            }
            fl_arena_reset(&arena);
        }
        if (answer == FL_FRAME_BAD) code = cli_fail(CLI_BAD_SPEC, "%s: %s", file, err.text);
        if (total > FRAMES_BYTES_MAX) {
            code = cli_fail(CLI_BAD_SPEC, "%s is larger than 256 MiB", file);
        }
    }
    fl_frame_decoder_fini(&decoder);
    fl_arena_fini(&arena);
    if (in != stdin) fclose(in);
    return code;
}
