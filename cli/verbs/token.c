/* token.c - API tokens: make, list, rotate, revoke. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"

int verb_token_create(struct cli *cli)
{
    json_t *token = NULL, *body, *scopes = json_array();
    struct fl_err err = {0};
    int code;

    if (!cli_one_name(cli)) {
        json_decref(scopes);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < cli->args.values[CLI_OPT_scope].len; i++) {
        json_array_append_new(scopes, json_string(cli->args.values[CLI_OPT_scope].at[i]));
    }
    if (json_array_size(scopes) == 0) json_array_append_new(scopes, json_string("read"));
    body = json_pack("{s:s, s:o}", "name", cli->args.words.at[0], "scopes", scopes);
    if (cli_has(&cli->args, CLI_OPT_token_queue)) {
        json_object_set_new(body, "queue", json_string(cli_value(&cli->args, CLI_OPT_token_queue)));
    }
    if (cli_has(&cli->args, CLI_OPT_owner)) {
        json_object_set_new(body, "owner", json_string(cli_value(&cli->args, CLI_OPT_owner)));
    }
    if (!cli_put_seconds(cli, CLI_OPT_ttl, "ttlSeconds", body, &err)) {
        json_decref(body);
        return cli_fail_err(&err);
    }
    code = cli_post(cli, &token, body, "/v1/tokens");
    if (code) return code;
    if (!cli_answer(cli, token, NULL)) printf("%s\n", cli_text(token, "token"));
    fprintf(stderr, "token %s, good until %s; it is not shown again\n", cli_text(token, "id"),
            cli_when(cli, cli_text(token, "expiresAt")));
    json_decref(token);
    return CLI_OK;
}

static void put_token(struct cli *cli, struct cli_table *table, const json_t *token)
{
    cli_table_put(table, "%s", cli_text(token, "id"));
    cli_table_put(table, "%s", cli_text(token, "name"));
    cli_table_put(table, "%s", cli_words(cli, json_object_get(token, "scopes")));
    cli_table_put(table, "%s", cli_text(token, "queue"));
    cli_table_put(table, "%s", cli_when(cli, cli_text(token, "expiresAt")));
    cli_table_put(table, "%s", cli_text(token, "maker"));
    cli_table_put(table, "%s", cli_text(token, "owner"));
    cli_table_put(table, "%s", cli_when(cli, cli_text(token, "lastUsedAt")));
    cli_table_put(table, "%s", cli_when(cli, cli_text(token, "rotatedAt")));
}

static const struct cli_list tokens = {
    .group = "tokens",
    .name = "id",
    .header = "ID|~NAME|~SCOPES|~QUEUE|EXPIRES|MAKER|~OWNER|+LAST USED|+ROTATED",
    .put = put_token};

int verb_token_ls(struct cli *cli)
{
    return cli_list(cli, &tokens);
}

/* The tokens that it made go on to count unless they go with it: a person should know. */
static int revoke(struct cli *cli, const char *id)
{
    const char *path = fl_arena_printf(&cli->arena, "/v1/tokens/%s", cli_escape(cli, id));
    bool has_made = cli_has(&cli->args, CLI_OPT_with_made);
    struct cli_request request = {.method = "DELETE"};
    json_t *would = NULL, *done = NULL;
    int64_t all;
    int code;

    request.path = fl_arena_printf(&cli->arena, "%s?made=true&dryRun=true", path);
    code = cli_call(cli, &request, &would);
    if (code) return code;
    all = cli_int(would, "revoked");
    if (cli_has(&cli->args, CLI_OPT_dry_run)) {
        cli_print_list(cli, &tokens, json_object_get(would, "tokens"));
        json_decref(would);
        return CLI_OK;
    }
    json_decref(would);
    request.path = has_made ? fl_arena_printf(&cli->arena, "%s?made=true", path) : path;
    code = cli_call(cli, &request, &done);
    if (code) return code;
    fprintf(stderr, "%s is revoked", id);
    if (has_made) {
        fprintf(stderr, ", and %" PRId64 " made by it", cli_int(done, "revoked") - 1);
    } else if (all > 1) {
        fprintf(stderr, "; %" PRId64 " made by it still count: 'fairlead token ls' shows them",
                all - 1);
    }
    fputc('\n', stderr);
    json_decref(done);
    return CLI_OK;
}

/* The id behind a name that just one token has; else the word itself.  A name that several have is
 * refused: *ret_code. */
static const char *id_of(struct cli *cli, const char *word, int *ret_code)
{
    json_t *all = cli_get_all(cli, "/v1/tokens", "tokens", ret_code), *one;
    const char *id = NULL;
    size_t i;

    if (!all) return NULL;
    json_array_foreach(all, i, one)
    {
        if (strcmp(cli_text(one, "id"), word) == 0) {
            id = word;
            break;
        }
        if (strcmp(cli_text(one, "name"), word) != 0) continue;
        if (id) {
            *ret_code = cli_fail(
                CLI_USAGE,
                "several tokens have the name %s: take an id, 'fairlead token ls' shows them",
                word);
            break;
        }
        id = fl_arena_printf(&cli->arena, "%s", cli_text(one, "id"));
    }
    json_decref(all);
    if (*ret_code) return NULL;
    return id ? id : word;
}

/* Where the context in use has the text that asked, it gets the new one.  False: that failed, and
 * stderr says why. */
static bool keep_text(struct cli *cli, const char *text, bool *ret_is_kept)
{
    json_t *contexts = NULL, *context;
    struct fl_err err = {0};
    bool is_good = cli_contexts_read(&cli->arena, &contexts, &err);

    context = !is_good || !cli->settings.context
                  ? NULL
                  : json_object_get(json_object_get(contexts, "contexts"), cli->settings.context);
    *ret_is_kept = context && strcmp(cli_text(context, "token"), cli->settings.token) == 0;
    if (*ret_is_kept) {
        json_object_set_new(context, "token", json_string(text));
        is_good = cli_contexts_write(&cli->arena, contexts, &err);
    }
    json_decref(contexts);
    if (!is_good) cli_fail_err(&err);
    return is_good;
}

static int tell_rotated(struct cli *cli, const json_t *token, bool is_own)
{
    const char *id = cli_text(token, "id"), *until = cli_text(token, "previousUntil");
    bool is_kept = false, is_good = true;

    if (!cli_answer(cli, token, NULL)) printf("%s\n", cli_text(token, "token"));
    fflush(stdout);
    if (is_own) is_good = keep_text(cli, cli_text(token, "token"), &is_kept);
    fprintf(stderr, "token %s has a new text, good until %s; it is not shown again\n", id,
            cli_when(cli, cli_text(token, "expiresAt")));
    if (*until) {
        fprintf(stderr, "the one before it counts until %s; --grace 0 ends it at once\n",
                cli_when(cli, until));
    } else {
        fputs("the one before it counts no more\n", stderr);
    }
    if (is_kept && is_good) fprintf(stderr, "context %s uses it now\n", cli->settings.context);
    return is_good ? CLI_OK : CLI_FAILED;
}

int verb_token_rotate(struct cli *cli)
{
    json_t *me = NULL, *token = NULL, *body = json_object();
    struct fl_err err = {0};
    const char *id, *own;
    int code;

    if (cli->args.words.len > 1) {
        json_decref(body);
        return cli_fail(CLI_USAGE,
                        "usage: fairlead token rotate [ID|NAME] [--grace TIME] [--ttl TIME]");
    }
    if (!cli_put_seconds(cli, CLI_OPT_ttl, "ttlSeconds", body, &err) ||
        !cli_put_seconds(cli, CLI_OPT_grace, "graceSeconds", body, &err)) {
        json_decref(body);
        return cli_fail_err(&err);
    }
    code = cli_get(cli, &me, "/v1/whoami");
    if (code) {
        json_decref(body);
        return code;
    }
    id = fl_arena_printf(&cli->arena, "%s", cli_text(me, "id"));
    own = id;
    json_decref(me);
    if (cli->args.words.len && strcmp(cli->args.words.at[0], own) != 0) {
        id = id_of(cli, cli->args.words.at[0], &code);
    }
    if (!id) {
        json_decref(body);
        return code;
    }
    code = cli_post(cli, &token, body, "/v1/tokens/%s:rotate", cli_escape(cli, id));
    if (code) return code;
    code = tell_rotated(cli, token, strcmp(id, own) == 0);
    json_decref(token);
    return code;
}

int verb_token_revoke(struct cli *cli)
{
    int code = CLI_OK;

    if (!cli->args.words.len) return cli_fail(CLI_USAGE, "usage: fairlead token revoke ID|NAME...");
    for (size_t i = 0; i < cli->args.words.len; i++) {
        int one = CLI_OK;
        const char *id = id_of(cli, cli->args.words.at[i], &one);

        if (id) one = revoke(cli, id);
        if (one) code = one;
    }
    return code;
}
