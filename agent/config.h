/* config.h - the settings of fairlead-agent, by number.  config.def has them; main.c and the reference read
 * them. */
#pragma once

#include "shared/io/config.h"

enum agent_config {
#define SETTING(key, kind, preset, min, max, text) AGENT_CONFIG_##key,
#include "agent/config.def"
#undef SETTING
    AGENT_CONFIG_LEN
};

extern const struct fl_config_setting agent_config_settings[AGENT_CONFIG_LEN];
