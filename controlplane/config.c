#include "controlplane/config.h"

const struct fl_config_setting config_settings[CONFIG_LEN] = {
#define SETTING FL_CONFIG_ROW
#include "controlplane/config.def"
#undef SETTING
/* Those of milliseconds are plain numbers too, as in their table. */
#define HTTP_LIMIT(name, type, value, text)                                                        \
    {"http_" #name, FL_CONFIG_INT, #value, 1, (int64_t)1000 * (value), text},
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
};
