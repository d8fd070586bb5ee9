#include "controlplane/front/bootstrap_token.h"

#include <string.h>

#include "controlplane/identity/api_token.h"
#include "controlplane/identity/identity.h"
#include "shared/io/file.h"
#include "shared/io/state_dir.h"
#include "shared/tls/digest.h"

static const fl_ms lifetime_ms = 90 * 24 * FL_HOUR_MS;

bool bootstrap_token_make(const struct fl_state_dir *dir, const struct identity *identity,
                          struct engine_event **ret_event, struct fl_err *err)
{
    struct api_token token = api_token_random();
    struct engine_event *event;
    char text[API_TOKEN_TEXT_MAX + 1], id[API_TOKEN_ID_TEXT_MAX];
    bool is_written;

    api_token_print(&token, text);
    api_token_id_print(token.id, id);
    memcpy(text + strlen(text), "\n", 2);
    is_written =
        fl_file_write(fl_state_dir_fd(dir), BOOTSTRAP_TOKEN_FILE, text, strlen(text), 0600, err);
    fl_secret_wipe(text, sizeof text);
    if (!is_written) return false;
    event = engine_event_create();
    event->event.kind = CORE_EV_token_put;
    event->event.tenant = FL_TENANT_ONLY;
    event->event.actor = FL_STR("fairleadd");
    event->event.token_put.id = fl_str_c(fl_arena_printf(&event->arena, "%s", id));
    event->event.token_put.mac = api_token_mac(&token, identity_pepper(identity));
    event->event.token_put.name = FL_STR("first-admin");
    event->event.token_put.scopes = CORE_SCOPE_admin | CORE_SCOPE_outlive;
    event->event.token_put.ttl_ms = lifetime_ms;
    fl_secret_wipe(&token, sizeof token);
    *ret_event = event;
    return true;
}
