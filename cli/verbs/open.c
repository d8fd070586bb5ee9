/* open.c - 'open': the dashboard in a browser, signed in by a code that counts once. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/job_selector.h"
#include "cli/page_link.h"

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

/* BROWSER names one; else, where there is a screen, the desktop knows. */
static const char *name_of_browser(void)
{
    if (is_set("BROWSER")) return getenv("BROWSER");
    return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") ? "xdg-open" : NULL;
}

/* Its own words are thrown away.  False: it is not there, or did not end well. */
static bool start_browser(const char *browser, const char *link)
{
    char *words[] = {(char *)browser, (char *)link, NULL};
    posix_spawn_file_actions_t actions;
    int status = 0;
    pid_t pid, ended;
    bool is_started;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    is_started = posix_spawnp(&pid, browser, &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!is_started) return false;
    do {
        ended = waitpid(pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    return ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int print_link(struct cli *cli, const char *link)
{
    json_t *answer = json_pack("{s:s}", "link", link);

    if (!cli_answer(cli, answer, "link")) puts(link);
    json_decref(answer);
    fprintf(stderr, "it counts once, within %d seconds\n", CLI_PAGE_LINK_S);
    return CLI_OK;
}

/* The path of a job's page, once it is known that there is one.  0, or an exit code. */
static int find_page(struct cli *cli, const char *word, const char **ret_path)
{
    json_t *job = NULL;
    int code = CLI_OK;
    const char *id = cli_job_id(cli, word, &code);

    if (!id || (code = cli_get(cli, &job, "/v1/jobs/%s", id)) != 0) return code;
    *ret_path = fl_arena_printf(&cli->arena, "/jobs/%s", cli_text(job, "id"));
    json_decref(job);
    return CLI_OK;
}

int verb_open(struct cli *cli)
{
    const char *path = "/", *browser = name_of_browser(), *link;
    bool must_print = cli_has(&cli->args, CLI_OPT_print) || cli_is_data(cli);
    int code = CLI_OK;

    if (cli->args.words.len > 1) return cli_fail(CLI_USAGE, "usage: fairlead open [JOB]");
    if (cli->args.words.len == 1) code = find_page(cli, cli->args.words.at[0], &path);
    if (code) return code;
    code = cli_page_link(cli, path, CLI_PAGE_LINK_S, &link);
    if (code) return code;
    if (!must_print && browser && start_browser(browser, link)) {
        fprintf(stderr, "opened %s%s\n", cli->settings.url, path);
        return CLI_OK;
    }
    return print_link(cli, link);
}
