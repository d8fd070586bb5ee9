#include "controlplane/config.h"

#include "shared/base/job_limits.h" /* FL_JOB_GRACE_S */
#include "shared/base/str.h"

const struct fl_config_setting config_settings[CONFIG_LEN] = {
#define SETTING FL_CONFIG_ROW
#include "controlplane/config.def"
#undef SETTING
/* Limits in milliseconds are plain numbers too, as in their table. */
#define HTTP_LIMIT(name, type, value, least, text)                                                 \
    {"http_" #name, FL_CONFIG_INT, #value, least, (int64_t)1000 * (value), text},
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
};

static const char *const about[] = {
    "Accepts jobs by its REST API, decides which cluster runs them, and keeps their output.  "
    "Agents "
    "dial its tunnel; everything that is decided is in a Postgres database.",
    "At its first start it makes the tables, its CA and the first token, in the file admin-token "
    "of "
    "its state directory.",
    NULL,
};

static const struct fl_program_group groups[] = {
    {CONFIG_http_head_bytes_max, "Limits of HTTP"},
    {0, NULL},
};

static const struct fl_program_item verbs[] = {
    {"init", "prepares a Postgres database, and says what comes next; init --help"},
    {"backup", "writes database and state directory into a folder; backup --help"},
    {"restore", "brings that folder back; restore --help"},
    {NULL, NULL},
};

static const struct fl_program_item files[] = {
    {"/etc/fairlead/fairleadd.conf", "The settings, where the unit of systemd looks for them."},
    {"/var/lib/fairleadd", "Its state directory there: CA and pepper, which must be backed up, and "
                           "logs of jobs."},
    {NULL, NULL},
};

static const char *const see_also[] = {"fairlead 1", "fairlead\\-agent 8", NULL};

const struct fl_program fairleadd_program = {
    .name = "fairleadd",
    .line = "control plane of Fairlead",
    .about = about,
    .settings = config_settings,
    .settings_len = CONFIG_LEN,
    .log_level = CONFIG_log_level,
    .groups = groups,
    .verbs = verbs,
    .files = files,
    .see_also = see_also,
};
