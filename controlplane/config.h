/* config.h - the settings of fairleadd by number, from config.def and the table of HTTP limits, and
 * the description of the program, from which --help and its man page are made. */
#pragma once

#include "shared/io/program.h"

enum config_setting {
#define SETTING(key, kind, preset, min, max, text) CONFIG_##key,
#include "controlplane/config.def"
#undef SETTING
#define HTTP_LIMIT(name, type, value, least, text) CONFIG_http_##name,
#include "controlplane/http/http_limits.def"
#undef HTTP_LIMIT
    CONFIG_LEN
};

extern const struct fl_config_setting config_settings[CONFIG_LEN];
extern const struct fl_program fairleadd_program;
