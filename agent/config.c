#include "agent/config.h"

const struct fl_config_setting agent_config_settings[AGENT_CONFIG_LEN] = {
#define SETTING FL_CONFIG_ROW
#include "agent/config.def"
#undef SETTING
};
