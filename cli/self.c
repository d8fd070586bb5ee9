/* self.c - what the tool says of itself: login, context, completion, version, help, wire dump. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/help.h"
#include "cli/output.h"
#include "shared/base/version.h"
#include "shared/wire/frame.h"
#include "shared/wire/message.h"

enum { FRAMES_BYTES_MAX = 256 << 20 };

/* --- contexts --------------------------------------------------------------------------------- */

/* "https://lab.example:8443" is "lab.example". */
static const char *name_of_url(struct cli *cli, const char *url)
{
    const char *host = strstr(url, "://") + 3;

    return fl_arena_printf(&cli->arena, "%.*s", (int)strcspn(host, ":/"), host);
}

static int keep_context(struct cli *cli, const char *name, const char *user)
{
    json_t *contexts = NULL, *context;
    struct fl_err err = {0};
    bool is_good;

    if (!cli_contexts_read(&cli->arena, &contexts, &err)) return cli_fail_err(&err);
    context = json_pack("{s:s, s:s}", "url", cli->settings.url, "token", cli->settings.token);
    if (cli->settings.ca_file)
        json_object_set_new(context, "ca_file", json_string(cli->settings.ca_file));
    json_object_set_new(json_object_get(contexts, "contexts"), name, context);
    json_object_set_new(contexts, "current", json_string(name));
    is_good = cli_contexts_write(&cli->arena, contexts, &err);
    json_decref(contexts);
    if (!is_good) return cli_fail_err(&err);
    fprintf(stderr, "logged in to %s as %s; context '%s' is the current one\n", cli->settings.url,
            user, name);
    return CLI_OK;
}

int verb_login(struct cli *cli)
{
    const char *name = cli_value(&cli->args, CLI_OPT_name);
    struct fl_err err = {0};
    json_t *me = NULL;
    int code;

    if (cli->args.words.len != 1)
        return cli_fail(CLI_USAGE, "usage: fairlead login URL [--token-file FILE] < TOKEN");
    if (!cli_url_check(cli->args.words.at[0], &cli->arena, &cli->settings.url, &err))
        return cli_fail_err(&err);
    if (!cli_has(&cli->args, CLI_OPT_token_file)) {
        if (isatty(0)) fputs("token: ", stderr);
        if (!cli_token_read("-", &cli->arena, &cli->settings.token, &err))
            return cli_fail_err(&err);
    }
    code = cli_get(cli, &me, "/v1/whoami");
    if (code) return code;
    code =
        keep_context(cli, name ? name : name_of_url(cli, cli->settings.url), cli_text(me, "name"));
    json_decref(me);
    return code;
}

static int list_contexts(struct cli *cli, const json_t *contexts)
{
    const char *current = cli_text(contexts, "current");
    const char *name;
    json_t *context;
    struct cli_table *table;

    if (cli_is_json(cli)) { /* without the tokens */
        json_t *list = json_array();

        json_object_foreach(json_object_get(contexts, "contexts"), name, context)
        {
            json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "name", name, "url",
                                                  cli_text(context, "url"), "current",
                                                  strcmp(name, current) == 0));
        }
        cli_print_json(cli, list);
        json_decref(list);
        return CLI_OK;
    }
    table = cli_table_create(cli, "CURRENT|NAME|URL");
    json_object_foreach(json_object_get(contexts, "contexts"), name, context)
    {
        cli_table_put(table, "%s", strcmp(name, current) == 0 ? "*" : " ");
        cli_table_put(table, "%s", name);
        cli_table_put(table, "%s", cli_text(context, "url"));
    }
    cli_table_print(table, stdout);
    return CLI_OK;
}

int verb_context(struct cli *cli)
{
    const char *word = cli->args.words.len ? cli->args.words.at[0] : "ls";
    const char *name = cli->args.words.len > 1 ? cli->args.words.at[1] : NULL;
    json_t *contexts = NULL;
    struct fl_err err = {0};
    bool is_use = strcmp(word, "use") == 0, is_rm = strcmp(word, "rm") == 0, is_there;
    int code = CLI_OK;

    if (!cli_contexts_read(&cli->arena, &contexts, &err)) return cli_fail_err(&err);
    is_there = name && json_object_get(json_object_get(contexts, "contexts"), name);
    if (strcmp(word, "ls") == 0 && !name) {
        code = list_contexts(cli, contexts);
    } else if ((!is_use && !is_rm) || !name) {
        code = cli_fail(CLI_USAGE, "usage: fairlead context [ls | use NAME | rm NAME]");
    } else if (!is_there) {
        code = cli_fail(CLI_FAILED, "no context '%s'; 'fairlead context ls' shows them", name);
    } else {
        if (is_use) json_object_set_new(contexts, "current", json_string(name));
        if (is_rm) json_object_del(json_object_get(contexts, "contexts"), name);
        if (!cli_contexts_write(&cli->arena, contexts, &err)) code = cli_fail_err(&err);
    }
    json_decref(contexts);
    return code;
}

/* --- help, completion, version ---------------------------------------------------------------- */

int verb_help(struct cli *cli)
{
    const char *first = cli->args.words.len ? cli->args.words.at[0] : NULL;
    const char *second = cli->args.words.len > 1 ? cli->args.words.at[1] : NULL;
    const char *words = second ? fl_arena_printf(&cli->arena, "%s %s", first, second) : first;

    if (first && strcmp(first, "man") == 0) {
        cli_help_man(stdout);
        return CLI_OK;
    }
    for (int i = 0; first && i < CLI_VERBS_LEN; i++) {
        const struct cli_verb *verb = &cli_verbs()[i];

        if (strcmp(verb->words, words) == 0 ||
            strcmp(verb->words, fl_arena_printf(&cli->arena, "%s dump", words)) == 0) {
            cli_help_verb(stdout, verb);
            return CLI_OK;
        }
    }
    for (int i = 0; first && !second && i < CLI_VERBS_LEN; i++) {
        size_t len = strlen(first);

        if (strncmp(cli_verbs()[i].words, first, len) == 0 && cli_verbs()[i].words[len] == ' ') {
            cli_help_group(stdout, first);
            return CLI_OK;
        }
    }
    if (first) return cli_fail(CLI_USAGE, "no verb '%s'; 'fairlead help' lists them", words);
    cli_help(stdout);
    return CLI_OK;
}

int verb_completion(struct cli *cli)
{
    if (cli->args.words.len != 1 || !cli_help_completion(stdout, cli->args.words.at[0])) {
        return cli_fail(CLI_USAGE, "usage: fairlead completion bash | zsh | fish");
    }
    return CLI_OK;
}

int verb_version(struct cli *cli)
{
    json_t *server = NULL;
    struct cli_request request = {.method = "GET", .path = "/version", .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    if (cli->settings.url && cli_send(cli, &request, &reply, &err) && reply.status == 200) {
        server = json_loadb(reply.body, reply.len, 0, NULL);
    }
    if (cli_is_json(cli)) {
        json_t *both = json_pack("{s:s}", "cli", FL_VERSION);

        if (server) json_object_set(both, "server", server);
        cli_print_json(cli, both);
        json_decref(both);
    } else {
        printf("fairlead %s, protocol %d to %d\n", FL_VERSION, FL_PROTOCOL_MIN, FL_PROTOCOL_MAX);
        if (server) {
            printf("control plane %s at %s\n", cli_plain(cli, cli_text(server, "version")),
                   cli->settings.url);
        } else if (cli->settings.url) {
            printf("control plane at %s: %s\n", cli->settings.url,
                   err.text[0] ? err.text : "no answer");
        }
    }
    json_decref(server);
    return CLI_OK;
}

/* --- the wire --------------------------------------------------------------------------------- */

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
            if (frame.type == FL_FRAME_CONTROL && !print_control(&frame, &arena))
                code = CLI_BAD_SPEC;
            fl_arena_reset(&arena);
        }
        if (answer == FL_FRAME_BAD) code = cli_fail(CLI_BAD_SPEC, "%s: %s", file, err.text);
        if (total > FRAMES_BYTES_MAX)
            code = cli_fail(CLI_BAD_SPEC, "%s is larger than 256 MiB", file);
    }
    fl_frame_decoder_fini(&decoder);
    fl_arena_fini(&arena);
    if (in != stdin) fclose(in);
    return code;
}
