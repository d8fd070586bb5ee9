/* doctor.c - is everything as it should be?  A line a question, each 'no' with its remedy. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

#include "cli/client.h"
#include "cli/output.h"
#include "shared/base/version.h"

enum {
    SKEW_MAX_MS = 5000,
    CERTIFICATE_LEFT_S = 7 * 86400,
    DISK_LEFT_PERCENT = 1,
    TUNNEL_MS = 10000,
};

struct doctor {
    struct cli *cli;
    json_t *findings;
    int bad;
};

static void found(struct doctor *doctor, bool is_good, const char *what, const char *text,
                  const char *remedy)
{
    json_array_append_new(doctor->findings,
                          json_pack("{s:s, s:b, s:s, s:s}", "check", what, "ok", is_good, "text",
                                    text, "remedy", is_good ? "" : remedy));
    doctor->bad += !is_good;
    if (cli_is_json(doctor->cli)) return;
    printf("%s%-4s%s  %-12s %s\n", cli_color(doctor->cli, is_good ? "ready" : "failed"),
           is_good ? "ok" : "NO", cli_color_off(doctor->cli), what, cli_plain(doctor->cli, text));
    if (!is_good && *remedy) printf("      %-12s -> %s\n", "", remedy);
}

#define SAY(...) fl_arena_printf(&doctor->cli->arena, __VA_ARGS__)

/* ---- here ------------------------------------------------------------------------------------ */

static void look_at_settings(struct doctor *doctor)
{
    const struct cli_settings *settings = &doctor->cli->settings;
    const char *proxy = getenv("https_proxy");

    found(doctor, settings->url != NULL, "settings",
          settings->url ? SAY("%s%s%s%s", settings->url, settings->context ? ", context " : "",
                              settings->context ? settings->context : "",
                              settings->token ? ", with a token" : ", no token")
                        : "no control plane is named",
          "fairlead login URL, or --url, or FAIRLEAD_URL");
    if (settings->url && settings->ca_file) {
        found(doctor, access(settings->ca_file, R_OK) == 0, "ca-file", settings->ca_file,
              SAY("it cannot be read: %s", strerror(errno)));
    }
    found(doctor, true, "proxy", proxy && *proxy ? SAY("https_proxy=%s", proxy) : "none is set",
          "");
}

/* ---- the way there --------------------------------------------------------------------------- */

struct meeting {
    int64_t date_ms; /* the other side's clock; -1 */
    long verify;
    int64_t certificate_left_s; /* -1: not known */
    char subject[200];
};

static size_t on_header(char *line, size_t one, size_t len, void *ctx)
{
    struct meeting *meeting = ctx;

    (void)one;
    if (len > 6 && len < 100 && strncasecmp(line, "date:", 5) == 0) {
        char text[100];

        snprintf(text, sizeof text, "%.*s", (int)strcspn(line + 6, "\r\n"), line + 6);
        meeting->date_ms = (int64_t)curl_getdate(text, NULL) * 1000;
    }
    return len;
}

static size_t on_body(char *bytes, size_t one, size_t len, void *ctx)
{
    (void)bytes, (void)one, (void)ctx;
    return len;
}

static void read_certificate(CURL *curl, struct meeting *meeting)
{
    struct curl_certinfo *chain = NULL;

    if (curl_easy_getinfo(curl, CURLINFO_CERTINFO, &chain) != CURLE_OK || !chain ||
        chain->num_of_certs < 1) {
        return;
    }
    for (struct curl_slist *line = chain->certinfo[0]; line; line = line->next) {
        if (strncmp(line->data, "Subject:", 8) == 0) {
            snprintf(meeting->subject, sizeof meeting->subject, "%s", line->data + 8);
        }
        if (strncmp(line->data, "Expire date:", 12) == 0) {
            meeting->certificate_left_s =
                (int64_t)curl_getdate(line->data + 12, NULL) - cli_now_ms() / 1000;
        }
    }
}

/* False: there is no answer, which was printed. */
static bool meet(struct doctor *doctor, struct meeting *meeting)
{
    struct curl_slist *headers = NULL;
    CURL *curl = cli_curl_create(doctor->cli, "/livez", &headers);
    char error[CURL_ERROR_SIZE] = "";
    int64_t started = cli_monotonic_ms();
    CURLcode result;

    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, meeting);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_CERTINFO, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 15L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    result = curl_easy_perform(curl);
    if (result == CURLE_OK) read_certificate(curl, meeting);
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    if (result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE) {
        found(doctor, false, "certificate", error,
              "give its CA with --ca-file; a corporate proxy that opens TLS needs an exception");
    } else if (result == CURLE_COULDNT_RESOLVE_HOST || result == CURLE_COULDNT_RESOLVE_PROXY) {
        found(doctor, false, "connection", error,
              "is the name right?  'fairlead context ls' shows what is remembered");
    } else if (result != CURLE_OK) {
        found(doctor, false, "connection", *error ? error : curl_easy_strerror(result),
              "does fairleadd run, and does it listen on that address?  journalctl -u fairleadd");
    } else {
        found(doctor, true, "connection",
              SAY("%s answers in %lld ms", doctor->cli->settings.url,
                  (long long)(cli_monotonic_ms() - started)),
              "");
    }
    return result == CURLE_OK;
}

static void look_at_meeting(struct doctor *doctor, const struct meeting *meeting)
{
    int64_t skew = meeting->date_ms >= 0 ? cli_now_ms() - meeting->date_ms : 0;

    if (meeting->certificate_left_s >= 0) {
        found(doctor, meeting->certificate_left_s > CERTIFICATE_LEFT_S, "certificate",
              SAY("%s, good for %s", meeting->subject,
                  cli_ago(doctor->cli, meeting->certificate_left_s * 1000)),
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

static json_t *ask(struct doctor *doctor, const char *path, long *ret_status)
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
    long status;
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
                  : "does Postgres run, and does it accept connections?  what runs goes on");
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
    const char *proxy = getenv("https_proxy"), *what;
    char error[CURL_ERROR_SIZE] = "";
    CURL *curl;
    CURLcode result;

    if (!*address) return;
    curl = curl_easy_init();
    fl_assert(curl);
    curl_easy_setopt(curl, CURLOPT_URL, SAY("http://%s", address));
    curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)TUNNEL_MS);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, proxy ? proxy : "");
    result = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    what = result == CURLE_OK ? SAY("agents' address %s can be reached", address)
                              : SAY("agents' address %s cannot be reached from here: %s", address,
                                    *error ? error : curl_easy_strerror(result));
    found(doctor, result == CURLE_OK, "tunnel", what,
          "the setting tunnel_address, a firewall, or a proxy; agents need a way out to it");
}

static void look_at_readiness(struct doctor *doctor)
{
    long status;
    json_t *ready = ask(doctor, "/readyz?verbose", &status);
    const char *why = cli_text(ready, "why");

    found(doctor, status == 200, "ready",
          status == 200 ? SAY("it decides, epoch %lld", (long long)cli_int(ready, "epoch"))
                        : SAY("status %ld%s%s", status, *why ? ": " : "", why),
          "the database, most often: does Postgres run, is its disk full?  the log of fairleadd "
          "says more");
    look_at_database(doctor, json_object_get(ready, "database"));
    look_at_disk(doctor, json_object_get(ready, "disk"));
    look_at_tunnel(doctor, cli_text(ready, "tunnelAddress"));
    json_decref(ready);
}

static bool look_at_token(struct doctor *doctor)
{
    long status;
    json_t *me = ask(doctor, "/v1/whoami", &status);

    found(doctor, status == 200, "token",
          status == 200 ? SAY("%s, until %s", cli_text(me, "name"), cli_text(me, "expiresAt"))
                        : SAY("refused with status %ld", status),
          "fairlead login again; an administrator makes tokens with 'fairlead token create'");
    json_decref(me);
    return status == 200;
}

static void look_at_clusters(struct doctor *doctor)
{
    long status;
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

        found(doctor, is_good, SAY("%s", cli_text(one, "name")), state,
              "its agent does not hold its tunnel: look at its log, its clock, and its way out "
              "(proxy)");
    }
    json_decref(clusters);
}

int verb_doctor(struct cli *cli)
{
    struct doctor all = {.cli = cli, .findings = json_array()}, *doctor = &all;
    struct meeting meeting = {.date_ms = -1, .certificate_left_s = -1};

    look_at_settings(doctor);
    if (cli->settings.url && meet(doctor, &meeting)) {
        look_at_meeting(doctor, &meeting);
        if (look_at_token(doctor)) { /* without one no further check is possible */
            look_at_version(doctor);
            look_at_readiness(doctor);
            look_at_clusters(doctor);
        }
    }
    if (cli_is_json(cli)) cli_print_json(cli, doctor->findings);
    json_decref(doctor->findings);
    if (doctor->bad && !cli_is_json(cli)) {
        fprintf(stderr, "%d of them want attention\n", doctor->bad);
    }
    return doctor->bad ? CLI_FAILED : CLI_OK;
}
