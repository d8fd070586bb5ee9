/* doctor.c - is everything as it should be?  A line a question, each 'no' with its remedy. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/http.h"
#include "cli/output.h"
#include "shared/base/version.h"
#include "shared/io/clock.h"
#include "shared/tls/cert.h"

enum {
    SKEW_MAX_MS = 5000,
    CERTIFICATE_LEFT_MS = 7 * 86400 * 1000,
    DISK_LEFT_PERCENT = 1,
    ANSWER_MS = 15000,
    TUNNEL_MS = 10000,
};

struct doctor {
    struct cli *cli;
    json_t *findings;
    bool is_silent; /* the findings are printed at the end, as data */
    int bad;
};

static void found(struct doctor *doctor, bool is_good, const char *what, const char *text,
                  const char *remedy)
{
    json_array_append_new(doctor->findings,
                          json_pack("{s:s, s:b, s:s, s:s}", "check", what, "ok", is_good, "text",
                                    text, "remedy", is_good ? "" : remedy));
    doctor->bad += !is_good;
    if (doctor->is_silent) return;
    printf("%s%-4s%s  %-12s %s\n", cli_color(doctor->cli, is_good ? "ready" : "failed"),
           is_good ? "ok" : "NO", cli_color_off(doctor->cli), what, cli_plain(doctor->cli, text));
    if (!is_good && *remedy) printf("      %-12s -> %s\n", "", remedy);
}

#define SAY(...) fl_arena_printf(&doctor->cli->arena, __VA_ARGS__)

/* ---- here ------------------------------------------------------------------------------------ */

static void look_at_settings(struct doctor *doctor)
{
    const struct cli_settings *settings = &doctor->cli->settings;
    struct cli_http_proxy proxy = cli_http_proxy(doctor->cli);

    found(doctor, settings->url != NULL, "settings",
          settings->url ? SAY("%s%s%s%s", settings->url, settings->context ? ", context " : "",
                              settings->context ? settings->context : "",
                              settings->token ? ", with a token" : ", no token")
                        : "no control plane is named",
          "fairlead login URL, or --url, or FAIRLEAD_URL");
    if (settings->url && settings->ca_file) {
        bool is_good = access(settings->ca_file, R_OK) == 0;

        found(doctor, is_good, "ca-file", settings->ca_file,
              is_good ? "" : SAY("it cannot be read: %s", strerror(errno)));
    }
    found(doctor, true, "proxy",
          proxy.value ? SAY("%s=%s", proxy.variable, proxy.value) : "none is set", "");
}

/* ---- the way there --------------------------------------------------------------------------- */

struct meeting {
    int64_t date_ms;        /* the other side's clock; -1: not known */
    int64_t certificate_at; /* its end; -1: not known */
    char subject[200];
};

static int64_t parse_date(struct fl_str text)
{
    char copy[64];
    struct tm parts = {0};

    if (text.len >= sizeof copy) return -1;
    snprintf(copy, sizeof copy, FL_STR_FMT, FL_STR_ARG(text));
    if (!strptime(copy, "%a, %d %b %Y %H:%M:%S", &parts)) return -1;
    return (int64_t)timegm(&parts) * 1000;
}

static void on_head(void *ctx, const struct fl_http_call *call)
{
    struct meeting *meeting = ctx;
    X509 *certificate = fl_http_call_certificate(call);
    struct fl_cert read;

    meeting->date_ms = parse_date(fl_http_call_header(call, "date"));
    if (!certificate || !fl_cert_of(certificate, &read, NULL)) return;
    meeting->certificate_at = read.until;
    fl_cert_subject(certificate, meeting->subject, sizeof meeting->subject);
}

/* False: there is no answer, which was printed. */
static bool meet(struct doctor *doctor, struct meeting *meeting)
{
    struct cli_http_answer answer = {.head = on_head, .ctx = meeting}; /* no body is kept */
    struct cli_http_request request;
    struct cli_http *http;
    struct fl_err err = {0};
    int64_t started = fl_clock_mono();

    if (!cli_http(doctor->cli, &http, &err)) {
        found(doctor, false, "client", err.text, ""); /* it says what to do */
        return false;
    }
    cli_http_request(doctor->cli, "/livez", &request);
    request.http.whole_ms = ANSWER_MS;
    if (cli_http_run(doctor->cli, &request, &answer, &err)) {
        found(doctor, true, "connection",
              SAY("%s answers in %lld ms", doctor->cli->settings.url,
                  (long long)(fl_clock_mono() - started)),
              "");
        return true;
    }
    if (err.code == FL_DENIED) {
        found(doctor, false, "certificate", err.text,
              "give its CA with --ca-file; a corporate proxy that opens TLS needs an exception");
    } else if (err.code == FL_ABSENT) {
        found(doctor, false, "connection", err.text,
              "is the name right?  'fairlead context ls' shows what is remembered");
    } else {
        found(doctor, false, "connection", err.text,
              "does fairleadd run, and does it listen on that address?  journalctl -u fairleadd");
    }
    return false;
}

static void look_at_meeting(struct doctor *doctor, const struct meeting *meeting)
{
    int64_t skew = meeting->date_ms >= 0 ? cli_now_ms() - meeting->date_ms : 0;
    int64_t left_ms = meeting->certificate_at - cli_now_ms();

    if (meeting->certificate_at >= 0) {
        found(doctor, left_ms > CERTIFICATE_LEFT_MS, "certificate",
              SAY("%s, good for %s", meeting->subject, cli_ago(doctor->cli, left_ms)),
              "it ends soon: renew it");
    }
    if (meeting->date_ms >= 0) {
        found(doctor, llabs(skew) <= SKEW_MAX_MS, "clock",
              llabs(skew) <= SKEW_MAX_MS
                  ? "as the control plane's"
                  : SAY("%s the control plane's by %s", skew > 0 ? "ahead of" : "behind",
                        cli_ago(doctor->cli, llabs(skew))),
              "set it by NTP: certificates and times are wrong else");
    }
}

/* ---- there ----------------------------------------------------------------------------------- */

static json_t *ask(struct doctor *doctor, const char *path, unsigned *ret_status)
{
    struct cli_request request = {.method = "GET", .path = path, .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    *ret_status = 0;
    if (!cli_send(doctor->cli, &request, &reply, &err)) return NULL;
    *ret_status = reply.status;
    return json_loadb(reply.body, reply.len, 0, NULL);
}

static void look_at_version(struct doctor *doctor)
{
    unsigned status;
    json_t *version = ask(doctor, "/version", &status);
    const char *theirs = cli_text(version, "version");

    found(doctor, strcmp(theirs, FL_VERSION) == 0, "version",
          SAY("here %s, control plane %s", FL_VERSION, theirs),
          "use the same release at both ends");
    json_decref(version);
}

static void look_at_database(struct doctor *doctor, const json_t *database)
{
    const char *state = cli_text(database, "state");

    if (!database) return;
    if (strcmp(state, "ok") == 0) {
        found(doctor, true, "database",
              SAY("%lld commits, the slowest took %lld ms", (long long)cli_int(database, "commits"),
                  (long long)cli_int(database, "commitLongestMillis")),
              "");
    } else {
        found(doctor, false, "database", state,
              strcmp(state, "full") == 0
                  ? "make room on the disk of Postgres; it goes on by itself"
                  : "does Postgres run, and does it accept connections?  jobs that run go on");
    }
}

static void look_at_disk(struct doctor *doctor, const json_t *disk)
{
    uint64_t free = (uint64_t)cli_int(disk, "freeBytes"),
             total = (uint64_t)cli_int(disk, "totalBytes");

    if (!total) return;
    found(doctor,
          !json_is_true(json_object_get(disk, "full")) && free > total / 100 * DISK_LEFT_PERCENT,
          "disk",
          SAY("%s of %s are free for logs", cli_bytes(doctor->cli, free),
              cli_bytes(doctor->cli, total)),
          "make room where fairleadd's state_dir is, or keep logs for less long: log_retention");
}

/* Agents dial it; from here it can only be seen whether somebody listens. */
static void look_at_tunnel(struct doctor *doctor, const char *address)
{
    struct cli_http_answer answer = {0};
    struct cli_http_request request = {.http = {.method = "GET",
                                                .url = SAY("http://%s/", address),
                                                .is_connect_only = true,
                                                .connect_ms = TUNNEL_MS}};
    struct fl_err err = {0};
    bool is_good;

    if (!*address) return;
    is_good = cli_http_run(doctor->cli, &request, &answer, &err);
    found(doctor, is_good, "tunnel",
          is_good ? SAY("agents' address %s can be reached", address)
                  : SAY("agents' address %s cannot be reached from here: %s", address, err.text),
          "the setting tunnel_address, a firewall, or a proxy; agents need a way out to it");
}

static void look_at_history(struct doctor *doctor, const json_t *history)
{
    bool is_disputed = json_is_true(json_object_get(history, "disputed"));
    long long min = cli_int(history, "lostJobsMin"), max = cli_int(history, "lostJobsMax");

    if (!history || (!is_disputed && cli_int(history, "losses") == 0)) return;
    found(doctor, false, "history",
          is_disputed ? SAY("agents have worked for a later state of the database: nothing is "
                            "accepted or started")
                      : SAY("the database was restored: at least %lld and at most %lld jobs are "
                            "lost",
                            min, max),
          is_disputed ? "restore a newer backup, or 'fairlead admin accept-restore'; see "
                        "docs/operations.md"
                      : "nothing to do: their numbers are not given out again; submit them anew");
}

static void look_at_readiness(struct doctor *doctor)
{
    unsigned status;
    json_t *ready = ask(doctor, "/readyz?verbose", &status);
    const char *why = cli_text(ready, "why");
    bool has_figures = json_object_get(ready, "epoch") != NULL; /* not each token is shown them */

    found(doctor, status == 200, "ready",
          status != 200 ? SAY("status %u%s%s", status, *why ? ": " : "", why)
          : has_figures ? SAY("it decides, epoch %lld", (long long)cli_int(ready, "epoch"))
                        : "it decides",
          "the database, most often: does Postgres run, is its disk full?  the log of fairleadd "
          "says more");
    look_at_database(doctor, json_object_get(ready, "database"));
    look_at_disk(doctor, json_object_get(ready, "disk"));
    look_at_history(doctor, json_object_get(ready, "history"));
    look_at_tunnel(doctor, cli_text(ready, "tunnelAddress"));
    json_decref(ready);
}

static bool look_at_token(struct doctor *doctor)
{
    unsigned status;
    json_t *me = ask(doctor, "/v1/whoami", &status);

    found(doctor, status == 200, "token",
          status == 200 ? SAY("%s, until %s", cli_text(me, "name"),
                              cli_when(doctor->cli, cli_text(me, "expiresAt")))
                        : SAY("refused with status %u", status),
          "fairlead login again; an administrator makes tokens with 'fairlead token create'");
    json_decref(me);
    return status == 200;
}

static void look_at_clusters(struct doctor *doctor)
{
    unsigned status;
    json_t *clusters, *one;
    size_t i;

    clusters = ask(doctor, "/v1/clusters", &status);
    if (status == 200 && json_array_size(json_object_get(clusters, "clusters")) == 0) {
        found(doctor, false, "clusters", "none has joined", "fairlead cluster join NAME");
    }
    json_array_foreach(json_object_get(clusters, "clusters"), i, one)
    {
        const char *state = cli_text(one, "state");
        bool is_good = strcmp(state, "ready") == 0 || strcmp(state, "cordoned") == 0 ||
                       strcmp(state, "draining") == 0;

        bool is_unlimited = json_is_integer(json_object_get(one, "nodesLimited")) &&
                            cli_int(one, "nodesReady") > 0 && cli_int(one, "nodesLimited") == 0;

        if (is_unlimited) {
            state = SAY("%s; its nodes set no limits: a job may take more memory and CPU than it "
                        "asks for, unless it says requireLimits and goes elsewhere",
                        state);
        }
        found(doctor, is_good, SAY("%s", cli_text(one, "name")), state,
              "its agent does not hold its tunnel: look at its log, its clock, and its way out "
              "(proxy)");
    }
    json_decref(clusters);
}

int verb_doctor(struct cli *cli)
{
    struct doctor all = {.cli = cli, .findings = json_array(), .is_silent = cli_is_data(cli)},
                  *doctor = &all;
    struct meeting meeting = {.date_ms = -1, .certificate_at = -1};

    look_at_settings(doctor);
    if (cli->settings.url && meet(doctor, &meeting)) {
        look_at_meeting(doctor, &meeting);
        if (look_at_token(doctor)) { /* without one no further check is possible */
            look_at_version(doctor);
            look_at_readiness(doctor);
            look_at_clusters(doctor);
        }
    }
    FL_IGNORE(cli_answer_list(cli, doctor->findings, "check"));
    json_decref(doctor->findings);
    if (doctor->bad) fprintf(stderr, "%d of them want attention\n", doctor->bad);
    return doctor->bad ? CLI_FAILED : CLI_OK;
}
