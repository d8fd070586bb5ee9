/* config.h - the settings of fairlead-agent by number, from config.def, and the description of the
 * program, from which --help and its man page are made. */
#pragma once

#include "shared/io/program.h"

enum agent_config {
#define SETTING(key, kind, preset, min, max, text) AGENT_CONFIG_##key,
#include "agent/config.def"
#undef SETTING
    AGENT_CONFIG_LEN
};

extern const struct fl_config_setting agent_config_settings[AGENT_CONFIG_LEN];
extern const struct fl_program agent_program;
