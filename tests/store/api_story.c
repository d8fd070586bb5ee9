#include "tests/store/api_story.h"

#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdlib.h>

#include "controlplane/core/row.h"
#include "controlplane/store/journal.h"
#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"
#include "shared/json/json_out.h"
#include "tests/fl_test.h"
#include "tests/store/api_help.h"
#include "tests/store/store_help.h"

enum {
    TOLD_MAX = 1 << 20,
    LINE_BYTES_MAX = 4096,
    COLUMNS_MAX = 100,
    BATCHES_MAX = 1000,
    NAMED_MIN = 8
};

/* A value that differs each time, and its name in the story. */
struct named {
    const char *name, *value;
};

struct teller {
    struct fl_arena arena;
    struct fl_buf out;
    FL_VEC(struct named) named;
    FL_VEC(const char *) headers; /* for the next request */
    FL_VEC(const char *) only;    /* members that the next answer shows */
    const char *token;            /* NULL: none */
    uint64_t batch;               /* the newest before the last request */
};

static struct help_hub *hub; /* a story that fails a check leaves it */
static PGconn *pg;           /* to the database of all stories */

/* ---- a control plane on an empty database ---------------------------------------------------- */

/* The rows of a new schema are kept, and each story begins with them: a schema made anew takes
 * longer than most stories. */
static const char keep_rows[] =
    "create schema kept;"
    "do $$ declare t text; begin for t in select relname from pg_class where relnamespace ="
    " 'public'::regnamespace and relkind in ('r', 'p') and not relispartition loop"
    " execute format('create table kept.%I as table public.%I', t, t); end loop; end $$";
static const char restore_rows[] =
    "do $$ declare t text; begin"
    " for t in select relname from pg_class where relnamespace = 'kept'::regnamespace loop"
    " execute format('delete from public.%I', t);"
    " execute format('insert into public.%I select * from kept.%I', t, t); end loop; end $$";

static PGresult *ask(const char *sql)
{
    PGresult *result = PQexecParams(pg, sql, 0, NULL, NULL, NULL, NULL, 1);

    if (PQresultStatus(result) == PGRES_FATAL_ERROR) fail_msg("%s", PQerrorMessage(pg));
    return result;
}

static void start_hub(void)
{
    static char *database;

    if (hub) help_hub_stop(hub);
    hub = NULL;
    if (!database) {
        database = help_database();
        pg = help_connect(database);
        PQclear(PQexec(pg, keep_rows));
    } else {
        PQclear(ask(restore_rows));
    }
    hub = help_hub_start_on(strcpy(fl_alloc(strlen(database) + 1), database));
}

/* ---- values that differ each time ------------------------------------------------------------ */

static const struct {
    const char *member, *kind;
} named_members[] = {{"token", "token"},   {"id", "id"},         {"maker", "id"},
                     {"traceId", "trace"}, {"cursor", "cursor"}, {"attemptsCursor", "cursor"},
                     {"etag", "etag"},     {"uuid", "uuid"}};

static void tell(struct teller *teller, const char *fmt, ...) FL_PRINTF(2, 3);

static void tell(struct teller *teller, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    assert_true(vasprintf(&text, fmt, args) >= 0);
    va_end(args);
    assert_true(fl_buf_put(&teller->out, text, strlen(text)));
    free(text);
}

static void learn(struct teller *teller, const char *kind, struct fl_str value)
{
    struct named named = {.value = fl_arena_printf(&teller->arena, FL_STR_FMT, FL_STR_ARG(value))};
    int n = 1;

    if (value.len < NAMED_MIN) return; /* as the numbers of audit rows */
    for (size_t i = 0; i < teller->named.len; i++) {
        if (strcmp(teller->named.at[i].value, named.value) == 0) return;
        n += strncmp(teller->named.at[i].name + 1, kind, strlen(kind)) == 0;
    }
    named.name = fl_arena_printf(&teller->arena, "<%s %d>", kind, n);
    fl_vec_push(&teller->named, named);
}

static bool is_open(const struct fl_json *json)
{
    return json->kind == FL_JSON_LIST || json->kind == FL_JSON_OBJECT;
}

static void learn_members(struct teller *teller, const struct fl_json *json)
{
    for (size_t i = 0; i < sizeof named_members / sizeof *named_members; i++) {
        if (json->kind == FL_JSON_STRING &&
            fl_str_eq(json->key, fl_str_c(named_members[i].member))) {
            learn(teller, named_members[i].kind, json->text);
        }
    }
    if (!is_open(json)) return;
    FL_JSON_EACH (item, json) {
        learn_members(teller, item);
    }
}

/* 2026-01-31T10:00:00.123Z, or a number of milliseconds of these years. */
static size_t time_len(const char *at)
{
    static const char form[] = "2ddd-dd-ddTdd:dd:dd";
    size_t i = 0;

    while (form[i] && (form[i] == 'd' ? isdigit((unsigned char)at[i]) : at[i] == form[i])) {
        i++;
    }
    if (!form[i]) {
        if (at[i] == '.') i += 4;
        return at[i] == 'Z' ? i + 1 : 0;
    }
    i = strspn(at, "0123456789");
    return i == 13 && *at == '1' ? i : 0;
}

/* Each value under its name; from_name: each name as its value, for a request. */
static const char *rename_all(struct teller *teller, const char *text, bool from_name)
{
    static const char peer[] = "127.0.0.1:";
    struct fl_buf out;
    struct fl_str all;

    fl_buf_init_in(&out, TOLD_MAX, &teller->arena);
    while (*text) {
        const char *to = NULL;
        size_t len = from_name ? 0 : time_len(text);

        if (len > 0) to = "<time>";
        if (strncmp(text, peer, sizeof peer - 1) == 0) {
            len = sizeof peer - 1 + strspn(text + sizeof peer - 1, "0123456789");
            to = "<peer>";
        }
        for (size_t i = 0; !to && i < teller->named.len; i++) {
            const struct named *one = &teller->named.at[i];
            const char *from = from_name ? one->name : one->value;

            if (strncmp(text, from, strlen(from)) != 0) continue;
            to = from_name ? one->value : one->name;
            len = strlen(from);
        }
        if (!to) to = text, len = 1;
        fl_buf_put(&out, to, to == text ? 1 : strlen(to));
        text += len;
    }
    fl_buf_put_u8(&out, 0);
    all = fl_buf_take(&out);
    return all.at;
}

/* ---- an answer ------------------------------------------------------------------------------- */

/* With its key, if it is a member. */
static const char *compact(struct teller *teller, const struct fl_json *json)
{
    struct fl_json_out out;
    struct fl_buf text;
    struct fl_str all;

    fl_buf_init_in(&text, TOLD_MAX, &teller->arena);
    if (json->key.at) {
        fl_json_quote(&text, json->key);
        fl_buf_put_u8(&text, ':');
    }
    out = fl_json_out(&text);
    fl_json_put_tree(&out, json);
    fl_buf_put_u8(&text, 0);
    all = fl_buf_take(&text);
    return rename_all(teller, all.at, false);
}

/* Whether 'only' names it; without 'only', all is wanted. */
static bool is_named(const struct teller *teller, const struct fl_json *json)
{
    for (size_t i = 0; i < teller->only.len; i++) {
        if (fl_str_eq(json->key, fl_str_c(teller->only.at[i]))) return true;
    }
    return teller->only.len == 0;
}

/* Whether 'only' names it, or something in it. */
static bool is_wanted(const struct teller *teller, const struct fl_json *json)
{
    if (is_named(teller, json) || !is_open(json)) return is_named(teller, json);
    FL_JSON_EACH (item, json) {
        if (is_wanted(teller, item)) return true;
    }
    return false;
}

static void write_wanted(struct teller *teller, struct fl_json_out *out, const struct fl_json *json)
{
    const char *brackets = json->kind == FL_JSON_LIST ? "[]" : "{}";

    if (!is_open(json) || is_named(teller, json)) {
        fl_json_put_tree(out, json);
        return;
    }
    fl_json_open(out, NULL, brackets[0]);
    FL_JSON_EACH (item, json) {
        if (!is_wanted(teller, item)) continue;
        if (json->kind == FL_JSON_OBJECT) fl_json_put_key(out, item->key);
        write_wanted(teller, out, item);
    }
    fl_json_close(out, brackets[1]);
}

static void tell_json(struct teller *teller, const struct fl_json *json, size_t indent,
                      const char *after);

/* The members, as many on a line as fit; one that fits on none has lines of its own. */
static void tell_members(struct teller *teller, const struct fl_json *json, size_t indent)
{
    size_t column = 0;

    FL_JSON_EACH (item, json) {
        const char *line = compact(teller, item), *comma = item->next ? "," : "";
        size_t len = strlen(line) + strlen(comma);

        if (column > 0 && (column + len > COLUMNS_MAX || is_open(item))) {
            tell(teller, "\n");
            column = 0;
        }
        if (indent + len > COLUMNS_MAX && is_open(item)) {
            tell_json(teller, item, indent, comma);
            continue;
        }
        tell(teller, "%*s%s%s", column == 0 ? (int)indent : 0, "", line, comma);
        column = (column == 0 ? indent : column) + len;
    }
    if (column > 0) tell(teller, "\n");
}

/* On one line where it fits. */
static void tell_json(struct teller *teller, const struct fl_json *json, size_t indent,
                      const char *after)
{
    const char *line = compact(teller, json), *end = strpbrk(line, "[{");

    if (!is_open(json) || indent + strlen(line) <= COLUMNS_MAX) {
        tell(teller, "%*s%s%s\n", (int)indent, "", line, after);
        return;
    }
    tell(teller, "%*s%.*s\n", (int)indent, "", (int)(end + 1 - line), line);
    tell_members(teller, json, indent + 2);
    tell(teller, "%*s%c%s\n", (int)indent, "", json->kind == FL_JSON_LIST ? ']' : '}', after);
}

static void tell_body(struct teller *teller, const struct fl_json *json)
{
    struct fl_buf text;
    struct fl_json_out out;
    struct fl_err err = {0};

    fl_buf_init_in(&text, TOLD_MAX, &teller->arena);
    out = fl_json_out(&text);
    write_wanted(teller, &out, json);
    assert_true(fl_json_parse(fl_buf_take(&text), &teller->arena, &json, NULL, &err));
    tell_json(teller, json, 4, "");
}

static void tell_lines(struct teller *teller, struct fl_str body)
{
    const char *text =
        rename_all(teller, fl_arena_printf(&teller->arena, FL_STR_FMT, FL_STR_ARG(body)), false);

    while (*text) {
        size_t len = strcspn(text, "\n");

        tell(teller, "    |%s%.*s\n", len > 0 ? " " : "", (int)len, text);
        text += len + (text[len] == '\n');
    }
}

static void tell_headers(struct teller *teller, const struct help_reply *reply)
{
    static const char *const told[] = {
        "Location:",      "ETag:",       "Idempotent-Replayed:", "Allow:",   "WWW-Authenticate:",
        "Content-Range:", "Retry-After", "X-Fairlead-",          "Warning:", "Deprecation"};
    char *head = fl_arena_printf(&teller->arena, FL_STR_FMT, FL_STR_ARG(reply->head));
    char *save = NULL;

    for (char *line = strtok_r(head, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
        for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
            if (strncasecmp(line, told[i], strlen(told[i])) != 0) continue;
            if (i == 1) learn(teller, "etag", fl_str_c(line + 6));
            tell(teller, "    %s\n", rename_all(teller, line, false));
        }
    }
}

static void tell_answer(struct teller *teller, const struct help_reply *reply)
{
    if (reply->json) learn_members(teller, reply->json);
    if (reply->status >= 400) teller->only.len = 0;
    tell(teller, "    %d\n", reply->status);
    tell_headers(teller, reply);
    if (reply->json) {
        tell_body(teller, reply->json);
    } else {
        tell_lines(teller, reply->body);
    }
}

/* ---- the lines of a story -------------------------------------------------------------------- */

static uint64_t newest_batch(void)
{
    PGresult *result = ask("select max(batch) from journal");
    uint64_t batch;

    memcpy(&batch, PQgetvalue(result, 0, 0), sizeof batch);
    PQclear(result);
    return be64toh(batch);
}

static void request(struct teller *teller, char *line, const char *body, bool is_quiet)
{
    struct fl_buf headers;
    struct help_reply reply;
    char *method = strtok_r(line, " ", &line), *path = strtok_r(line, " ", &line);

    assert_non_null(path);
    fl_buf_init_in(&headers, LINE_BYTES_MAX, &teller->arena);
    for (size_t i = 0; i < teller->headers.len; i++) {
        fl_buf_put(&headers, teller->headers.at[i], strlen(teller->headers.at[i]));
        fl_buf_put(&headers, "\r\n", 2);
    }
    fl_buf_put_u8(&headers, 0);
    if (!body && *line) body = line;
    teller->batch = newest_batch();
    reply = help_call(hub, &teller->arena, teller->token, method, path, fl_buf_take(&headers).at,
                      body, NULL);
    if (is_quiet && reply.json) learn_members(teller, reply.json);
    if (is_quiet && (reply.status < 200 || reply.status > 299)) {
        fail_msg("%s %s: %d " FL_STR_FMT, method, path, reply.status, FL_STR_ARG(reply.body));
    }
    if (!is_quiet) tell_answer(teller, &reply);
    teller->headers.len = teller->only.len = 0;
}

static void tell_row(struct teller *teller, const struct row *row)
{
    char text[1024], *save = NULL;

    row_print(row, text, sizeof text);
    tell(teller, "   ");
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        size_t key = strcspn(word, "=");
        bool is_hash = word[key] && strspn(word + key + 1, "0123456789abcdef") == 8 &&
                       strlen(word + key + 1) == 8 && strcmp(word + key + 1, "00000000") != 0;

        if (is_hash) {
            tell(teller, " %.*s=<hash>", (int)key, word);
        } else {
            tell(teller, " %s", rename_all(teller, word, false));
        }
    }
    tell(teller, "\n");
}

static void tell_rows(struct teller *teller)
{
    char *sql =
        fl_arena_printf(&teller->arena,
                        "select body from journal where batch > %" PRIu64 " and length(body) > 0"
                        " order by batch limit %d",
                        teller->batch, BATCHES_MAX);
    PGresult *result = ask(sql);
    struct fl_err err = {0};

    for (int i = 0; i < PQntuples(result); i++) {
        struct fl_str body = {PQgetvalue(result, i, 0), (size_t)PQgetlength(result, i, 0)}, rows;
        struct fl_reader reader;
        struct row row;

        if (!journal_unpack(body, &teller->arena, &rows, &err)) fail_msg("%s", err.text);
        reader = fl_reader(rows.at, rows.len);
        while (!fl_reader_is_done(&reader)) {
            if (!row_decode(&reader, &row, &err)) fail_msg("%s", err.text);
            tell_row(teller, &row);
        }
    }
    PQclear(result);
}

static void change_token(struct teller *teller, const char *name)
{
    teller->token = strcmp(name, "no token") == 0 ? NULL
                    : strcmp(name, "admin") == 0  ? help_hub_admin(hub)
                                                  : rename_all(teller, name, true);
}

/* 'body': the lines below, or NULL. */
static void play(struct teller *teller, const char *line, const char *body)
{
    bool is_quiet = strncmp(line, ". ", 2) == 0;
    char *used = (char *)rename_all(teller, line + 2 * is_quiet, true);

    if (strncmp(used, "with ", 5) == 0) {
        fl_vec_push(&teller->headers, used + 5);
    } else if (strncmp(used, "only ", 5) == 0) {
        for (char *word = strtok_r(used + 5, " ", &used); word; word = strtok_r(NULL, " ", &used)) {
            fl_vec_push(&teller->only, word);
        }
    } else if (strncmp(used, "as ", 3) == 0) {
        change_token(teller, used + 3);
    } else if (strcmp(used, "rows") == 0) {
        tell_rows(teller);
    } else if (isupper((unsigned char)*used)) {
        request(teller, used, body, is_quiet);
    } else {
        fail_msg("no such verb: %s", line);
    }
}

/* The next line, without its end; NULL behind the last. */
static const char *take_line(struct teller *teller, const char **text)
{
    size_t len = strcspn(*text, "\n");
    const char *line = *text;

    if (!*line) return NULL;
    *text += len + (line[len] == '\n');
    return fl_arena_printf(&teller->arena, "%.*s", (int)len, line);
}

/* The lines of a body, which begin with "| ", stay in the story as they are; NULL: there is none.
 */
static const char *take_body(struct teller *teller, const char **text)
{
    struct fl_buf body;

    if (strncmp(*text, "| ", 2) != 0) return NULL;
    fl_buf_init_in(&body, TOLD_MAX, &teller->arena);
    while (strncmp(*text, "| ", 2) == 0) {
        const char *line = take_line(teller, text), *used = rename_all(teller, line + 2, true);

        tell(teller, "%s\n", line);
        fl_buf_put(&body, used, strlen(used));
        fl_buf_put_u8(&body, '\n');
    }
    fl_buf_put_u8(&body, 0);
    return fl_buf_take(&body).at;
}

/* <admin>: the first token's id. */
static void learn_admin(struct teller *teller)
{
    struct help_reply reply =
        help_call(hub, &teller->arena, help_hub_admin(hub), "GET", "/v1/whoami", NULL, NULL, NULL);
    const char *id =
        fl_arena_printf(&teller->arena, FL_STR_FMT, FL_STR_ARG(help_text(reply.json, "id")));

    teller->token = help_hub_admin(hub);
    fl_vec_push(&teller->named, ((struct named){"<admin>", id}));
}

char *api_story_tell(const char *text)
{
    struct teller teller = {0};
    char *told;

    start_hub();
    fl_buf_init(&teller.out, TOLD_MAX);
    learn_admin(&teller);
    for (const char *line; (line = take_line(&teller, &text));) {
        if (line[0] == ' ') continue;
        tell(&teller, "%s\n", line);
        if (line[0] == '#' || line[0] == '\0' || line[0] == '-') continue;
        play(&teller, line, take_body(&teller, &text));
    }
    fl_buf_put_u8(&teller.out, 0);
    told = strcpy(fl_alloc(teller.out.len), (char *)teller.out.at);
    fl_buf_fini(&teller.out);
    fl_vec_fini(&teller.named);
    fl_vec_fini(&teller.headers);
    fl_vec_fini(&teller.only);
    fl_arena_fini(&teller.arena);
    help_hub_stop(hub);
    hub = NULL;
    return told;
}
