/* cli_story_test.c - every story in stories/: command lines in plain words, and below each,
 * indented, the requests that it sent and what it printed.
 *
 *   fairlead cancel job-7          a command line, with '...' around words that have blanks; \ff in
 *                                  it is the byte 0xff, which no UTF-8 has
 *   < 409 {"detail":"..."}         the answer to its first request; the next line, to the next one
 *   | command: [true]              a line of its standard input
 *
 * A request is shown with its body, and with the headers that not every request has.  Then come the
 * lines on stdout behind '|', those on stderr behind '!', and the exit code, if it is not 0.
 * There is no network: the functions of cli/http.h are those below, and the linker takes them
 * instead.  A request for which the story has no answer ends the run, and the story says so.  Each
 * command line has a process of its own, as it has in life. */
#include "cli/http.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "tests/story_files.h"

int fairlead_main(int argc, char **argv);

#define main fairlead_main
/* NOLINTNEXTLINE(bugprone-suspicious-include): each command line takes the whole way */
#include "cli/main.c"
#undef main

enum { TOLD_MAX = 1 << 20, WORDS_MAX = 64, UNANSWERED = 99 };

/* The command that the child runs. */
static struct command {
    struct fl_arena arena;
    char *words[WORDS_MAX + 1];
    int words_len;
    FL_VEC(const char *) answers; /* "409 {...}" */
    size_t answers_taken;
    struct fl_buf input;
    int in, out, err, requests; /* files in memory */
} command;

/* ---- instead of cli/http.c ------------------------------------------------------------------- */

bool cli_http(struct cli *cli, struct cli_http **ret_http, struct fl_err *err)
{
    static struct cli_http http;

    (void)cli, (void)err;
    *ret_http = &http;
    return true;
}

void cli_http_end(struct cli *cli)
{
    (void)cli;
}

struct cli_http_proxy cli_http_proxy(const struct cli *cli)
{
    (void)cli;
    return (struct cli_http_proxy){0};
}

void cli_http_request(struct cli *cli, const char *path, struct cli_http_request *ret_request)
{
    (void)cli;
    *ret_request = (struct cli_http_request){.http = {.method = "GET", .url = path}};
    if (cli->settings.as) cli_http_put_header(ret_request, "Fairlead-As", cli->settings.as);
}

void cli_http_put_header(struct cli_http_request *request, const char *name, const char *value)
{
    size_t at = request->http.headers_len++;

    fl_assert(at < sizeof request->headers / sizeof *request->headers);
    request->headers[at] = (struct fl_http_header){name, value};
}

/* Every request has these, or a key by chance. */
static bool says_nothing(const struct fl_http_header *header)
{
    return strcmp(header->value, "application/json") == 0 || strncmp(header->value, "cli-", 4) == 0;
}

static void tell_request(const struct cli_http_request *request)
{
    struct fl_str body = request->http.body;
    bool has_lines = body.len > 0 && memchr(body.at, '\n', body.len);

    dprintf(command.requests, "    %s %s%s", request->http.method, request->http.url,
            body.len > 0 && !has_lines ? " " : "\n");
    while (body.len > 0) {
        struct fl_str line = fl_str_cut(&body, '\n');

        dprintf(command.requests, "%s" FL_STR_FMT "\n", has_lines ? "        | " : "",
                FL_STR_ARG(line));
    }
    for (size_t i = 0; i < request->http.headers_len; i++) {
        const struct fl_http_header *header = &request->headers[i];

        if (says_nothing(header)) continue;
        dprintf(command.requests, "        with %s: %s\n", header->name, header->value);
    }
}

bool cli_http_run(struct cli *cli, const struct cli_http_request *request,
                  struct cli_http_answer *answer, struct fl_err *err)
{
    const char *text;
    char *body;

    (void)cli, (void)err;
    tell_request(request);
    if (command.answers_taken == command.answers.len) {
        fflush(NULL);
        _exit(UNANSWERED);
    }
    text = command.answers.at[command.answers_taken++];
    answer->status = (unsigned)strtoul(text, &body, 10);
    body += *body == ' ';
    return fl_buf_put(&answer->body, body, strlen(body));
}

/* ---- a command ------------------------------------------------------------------------------- */

static void split(const char *line)
{
    char *at = fl_arena_copy(&command.arena, line, strlen(line)), *to = at;

    command.words_len = 0;
    while (*at) {
        bool is_quoted = false;

        assert_true(command.words_len < WORDS_MAX);
        command.words[command.words_len++] = to;
        for (; *at && (is_quoted || *at != ' '); at++) {
            if (*at == '\'') {
                is_quoted = !is_quoted;
            } else if (strncmp(at, "\\ff", 3) == 0) {
                *to++ = (char)0xff;
                at += 2;
            } else {
                *to++ = *at;
            }
        }
        at += strspn(at, " ");
        *to++ = '\0';
    }
    command.words[command.words_len] = NULL;
}

static void run(void *arg)
{
    (void)arg;
    if (dup2(command.in, STDIN_FILENO) < 0 || dup2(command.out, STDOUT_FILENO) < 0 ||
        dup2(command.err, STDERR_FILENO) < 0) {
        _exit(UNANSWERED);
    }
    _exit((fairlead_main(command.words_len, command.words) & 0xff) | (fflush(NULL) & 0));
}

static int memory_file(void)
{
    int fd = memfd_create("story", MFD_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

/* Each line of the file behind the mark, if there is one. */
static void tell_file(struct fl_buf *out, int fd, const char *mark)
{
    FILE *in = fdopen(fd, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    assert_non_null(in);
    rewind(in);
    while ((len = getline(&line, &size, in)) > 0) {
        fl_buf_put(out, mark, strlen(mark));
        if (*mark && len > 1) fl_buf_put_u8(out, ' ');
        fl_buf_put(out, line, (size_t)len);
    }
    free(line);
    fclose(in);
}

static void tell_run(struct fl_buf *out)
{
    char end[64] = "";
    int status;

    command.in = memory_file();
    command.out = memory_file();
    command.err = memory_file();
    command.requests = memory_file();
    assert_int_equal(write(command.in, command.input.at, command.input.len), command.input.len);
    lseek(command.in, 0, SEEK_SET);
    status = fl_test_child(run, NULL);
    assert_true(WIFEXITED(status));
    close(command.in);
    tell_file(out, command.requests, "");
    tell_file(out, command.out, "    |");
    tell_file(out, command.err, "    !");
    if (WEXITSTATUS(status) == UNANSWERED) {
        snprintf(end, sizeof end, "    it waits for an answer\n");
    } else if (WEXITSTATUS(status) != 0) {
        snprintf(end, sizeof end, "    exit %d\n", WEXITSTATUS(status));
    }
    fl_buf_put(out, end, strlen(end));
}

/* ---- a story --------------------------------------------------------------------------------- */

static const char *take_line(const char **text)
{
    size_t len = strcspn(*text, "\n");
    const char *line = *text;

    if (!*line) return NULL;
    *text += len + (line[len] == '\n');
    return fl_arena_printf(&command.arena, "%.*s", (int)len, line);
}

static void put_line(struct fl_buf *out, const char *line)
{
    fl_buf_put(out, line, strlen(line));
    fl_buf_put_u8(out, '\n');
}

static void play(struct fl_buf *out, const char *line, const char **text)
{
    split(line);
    command.answers.len = command.answers_taken = 0;
    fl_buf_clear(&command.input);
    while (strncmp(*text, "< ", 2) == 0 || strncmp(*text, "| ", 2) == 0) {
        const char *more = take_line(text);

        put_line(out, more);
        if (*more == '<') fl_vec_push(&command.answers, more + 2);
        if (*more == '|') put_line(&command.input, more + 2);
    }
    tell_run(out);
}

static char *tell(const char *text)
{
    struct fl_buf out;
    char *told;

    fl_buf_init(&out, TOLD_MAX);
    fl_buf_init(&command.input, TOLD_MAX);
    for (const char *line; (line = take_line(&text));) {
        if (line[0] == ' ') continue;
        put_line(&out, line);
        if (strncmp(line, "fairlead ", 9) == 0) {
            play(&out, line, &text);
        } else if (line[0] != '#' && line[0] != '\0') {
            fail_msg("no such verb: %s", line);
        }
    }
    fl_buf_put_u8(&out, 0);
    told = strcpy(fl_alloc(out.len), (char *)out.at);
    fl_buf_fini(&out);
    fl_buf_fini(&command.input);
    fl_vec_fini(&command.answers);
    fl_arena_fini(&command.arena);
    return told;
}

int main(void)
{
    static const struct story_teller teller = {"stories of the command line", tell, NULL};

    setenv("FAIRLEAD_URL", "https://hub.example:8443", 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    setenv("TERM", "dumb", 1);
    setenv("TZ", "UTC", 1);
    unsetenv("FAIRLEAD_CONTEXT");
    unsetenv("FAIRLEAD_TOKEN");
    unsetenv("FAIRLEAD_CA_FILE");
    return story_files_main("tests/unit/cli/stories", &teller);
}
