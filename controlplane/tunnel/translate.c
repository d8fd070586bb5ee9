#include "controlplane/tunnel/translate.h"

#include <string.h>

#include "shared/base/assert.h"

enum { NODE_NUMBERS = 65536, BYE_TEXT_BYTES_MAX = 200 };

/* ---- out ------------------------------------------------------------------------------------- */

/* As much of the text as a BYE holds, cut between characters. */
static struct fl_str bye_text(const char *text)
{
    struct fl_str s = fl_str_c(text ? text : "");

    if (s.len > BYE_TEXT_BYTES_MAX) {
        s.len = BYE_TEXT_BYTES_MAX;
        while (s.len > 0 && ((uint8_t)s.at[s.len] & 0xc0) == 0x80) {
            s.len--;
        }
    }
    return s;
}

void translate_send(const struct core_send *send, const struct translate_config *config,
                    uint16_t protocol, struct fl_digest spec, struct fl_msg *ret_msg)
{
    struct fl_msg msg = {0};

    switch (send->kind) {
    case CORE_SEND_welcome:
        msg.kind = FL_MSG_welcome;
        msg.welcome = (struct fl_msg_welcome){
            .protocol = protocol,
            .session_epoch = send->session_epoch,
            .ping_ms = config->ping_ms,
            .dead_ms = config->dead_ms,
            .stream_credit_bytes = config->stream_credit_bytes,
            .tunnel_credit_bytes = config->tunnel_credit_bytes,
            .capabilities = config->capabilities,
        };
        break;
    case CORE_SEND_resync:
        msg.kind = FL_MSG_resync;
        msg.resync = (struct fl_msg_resync){send->session_epoch};
        break;
    case CORE_SEND_start:
        msg.kind = FL_MSG_start;
        msg.start = (struct fl_msg_start){
            .control_seq = send->control_seq,
            .attempt = send->attempt,
            .spec = spec,
            .nodes = {send->nodes, send->nodes_len},
        };
        break;
    case CORE_SEND_go:
        msg.kind = FL_MSG_go;
        msg.go = (struct fl_msg_go){send->control_seq, send->attempt};
        break;
    case CORE_SEND_stop:
        msg.kind = FL_MSG_stop;
        msg.stop = (struct fl_msg_stop){
            .control_seq = send->control_seq,
            .attempt = send->attempt,
            .grace_ms = config->stop_grace_ms,
            .reason = (uint16_t)send->reason,
        };
        break;
    case CORE_SEND_ack:
        msg.kind = FL_MSG_ack;
        msg.ack = (struct fl_msg_ack){send->report_seq};
        break;
    case CORE_SEND_bye:
        msg.kind = FL_MSG_bye;
        msg.bye = (struct fl_msg_bye){
            .code = (uint16_t)send->code,
            .retry_after_ms = config->retry_after_ms,
            .text = bye_text(send->text),
        };
        break;
    }
    fl_assert(msg.kind != 0);
    *ret_msg = msg;
}

/* ---- in -------------------------------------------------------------------------------------- */

static struct fl_str keep(struct fl_arena *arena, struct fl_str s)
{
    return s.len > 0 ? fl_arena_str(arena, s) : (struct fl_str){0}; /* most words are empty */
}

/* Whether a JSON array of strings names the capability.  A malformed list names none: capabilities
 * are only a hint for placement, since the agent refuses replicas that it cannot run. */
static bool has_capability(struct fl_str list, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i + len + 2 <= list.len; i++) {
        if (list.at[i] == '"' && memcmp(&list.at[i + 1], name, len) == 0 &&
            list.at[i + 1 + len] == '"') {
            return true;
        }
    }
    return false;
}

/* A newer agent may know causes that this build does not. */
static enum fl_cause cause_of(uint16_t number)
{
    return number < FL_CAUSES_LEN ? (enum fl_cause)number : FL_CAUSE_none;
}

static size_t run_length(const struct fl_msg *messages, size_t len, size_t pos, size_t max)
{
    size_t end = pos;

    while (end < len && end - pos < max && messages[end].kind == messages[pos].kind) {
        end++;
    }
    return end - pos;
}

static bool is_inventory(const struct fl_msg *msg)
{
    return msg->kind == FL_MSG_inventory_item || msg->kind == FL_MSG_inventory_end;
}

/* Makes one event from items and, if it follows, the end of the inventory. */
static void take_inventory(const struct fl_msg *messages, size_t len, size_t *pos,
                           struct fl_arena *arena, struct core_event *event)
{
    size_t items_len = messages[*pos].kind == FL_MSG_inventory_item
                           ? run_length(messages, len, *pos, CORE_INVENTORY_MAX)
                           : 0;
    struct core_replica_told *items = fl_arena_array(arena, struct core_replica_told, items_len);

    for (size_t i = 0; i < items_len; i++) {
        const struct fl_msg_inventory_item *item = &messages[*pos + i].inventory_item;

        items[i] = (struct core_replica_told){
            .attempt = item->attempt,
            .replica = item->replica,
            .state = item->state,
            .exit_code = item->exit_code,
            .cause = cause_of(item->cause),
            .words = keep(arena, item->words),
            .usage = fl_usage_read_one(item->usage),
        };
    }
    *pos += items_len;
    event->kind = CORE_EV_inventory;
    event->inventory.at = items;
    event->inventory.len = items_len;
    if (*pos < len && messages[*pos].kind == FL_MSG_inventory_end) {
        event->inventory.is_end = true;
        event->inventory.count = messages[*pos].inventory_end.count;
        event->inventory.digest = messages[*pos].inventory_end.digest;
        (*pos)++;
    }
}

/* The node's offers by name.  An agent that sends a malformed list is broken. */
static bool take_offers(struct fl_str text, struct fl_arena *arena, struct core_node_report *node,
                        struct fl_err *err)
{
    const struct fl_named_resource *offers;
    struct core_node_offer *named;
    size_t len;

    if (text.len == 0) return true;
    if (!fl_named_resources_read(keep(arena, text), arena, &offers, &len, err)) {
        return fl_err_wrap(err, "node " FL_STR_FMT, FL_STR_ARG(node->name));
    }
    named = fl_arena_array(arena, struct core_node_offer, len);
    for (size_t i = 0; i < len; i++) {
        named[i] = (struct core_node_offer){offers[i].name, offers[i].total, offers[i].free};
    }
    node->named = named;
    node->named_len = len;
    return true;
}

/* Makes one event from nodes and, if it follows, the end of the session's first list of them. */
static bool take_nodes(const struct fl_msg *messages, size_t len, size_t *pos,
                       struct fl_arena *arena, struct core_event *event, struct fl_err *err)
{
    size_t nodes_len =
        messages[*pos].kind == FL_MSG_node ? run_length(messages, len, *pos, CORE_NODES_MAX) : 0;
    struct core_node_report *nodes = fl_arena_array(arena, struct core_node_report, nodes_len);

    event->kind = CORE_EV_nodes;
    for (size_t i = 0; i < nodes_len; i++) {
        const struct fl_msg_node *node = &messages[*pos + i].node;

        if (node->number >= NODE_NUMBERS) {
            return fl_fail(err, FL_INVALID, "a node has the number %u", node->number);
        }
        /* The event has one mark: the lowest, so that no order counts as included too early. */
        if (i == 0 || node->mark < event->nodes.mark) event->nodes.mark = node->mark;
        event->nodes.report_seq = node->report_seq;
        nodes[i] = (struct core_node_report){
            .number = node->number,
            .is_ready = node->is_ready,
            .name = keep(arena, node->name),
            .labels = keep(arena, node->labels),
            .taints = keep(arena, node->taints),
            .total = node->total,
            .free = node->free,
        };
        if (!take_offers(node->offers, arena, &nodes[i], err)) return false;
    }
    *pos += nodes_len;
    event->nodes.at = nodes;
    event->nodes.len = nodes_len;
    if (*pos < len && messages[*pos].kind == FL_MSG_nodes_end) {
        event->nodes.is_end = true;
        event->nodes.is_whole = messages[*pos].nodes_end.is_whole;
        (*pos)++;
    }
    return true;
}

static void take_hello(const struct translate_origin *origin, const struct fl_msg_hello *hello,
                       struct core_event *event)
{
    event->kind = CORE_EV_session_open;
    event->session_open.cluster = origin->cluster;
    event->session_open.connection = origin->connection;
    event->session_open.seen = origin->seen;
    event->session_open.is_resync = origin->is_resync;
    event->session_open.generation = origin->generation;
    event->session_open.age_ms = origin->age_ms;
    event->session_open.boot = hello->boot;
    event->session_open.expired_ms = origin->expired_ms;
    event->session_open.ends_nodes = hello->protocol_max >= FL_PROTOCOL_NODES_END;
    event->session_open.has_images =
        has_capability(hello->capabilities, TRANSLATE_CAPABILITY_IMAGES);
}

bool translate_next(struct translate_origin *origin, const struct fl_msg *messages, size_t len,
                    size_t *pos, struct fl_arena *arena, struct core_event *ret_event,
                    struct fl_err *err)
{
    const struct fl_msg *first = &messages[*pos];
    struct core_event event = {0};

    fl_assert(*pos < len);
    if (first->kind != FL_MSG_hello && origin->session_epoch == 0) {
        return fl_fail(err, FL_INVALID, "'%s' before WELCOME", fl_msg_info(first->kind)->name);
    }
    switch (first->kind) {
    case FL_MSG_hello:
        take_hello(origin, &first->hello, &event);
        (*pos)++;
        break;
    case FL_MSG_inventory_begin:
        /* Messages that the agent sent before a RESYNC come before this one, under the old
         * epoch. */
        origin->heard_epoch = first->inventory_begin.session_epoch;
        (*pos)++;
        event.kind = CORE_EV_inventory;
        if (*pos < len && is_inventory(&messages[*pos])) {
            take_inventory(messages, len, pos, arena, &event);
        }
        event.inventory.cluster = origin->cluster;
        event.inventory.session_epoch = origin->heard_epoch;
        break;
    case FL_MSG_inventory_item:
    case FL_MSG_inventory_end:
        take_inventory(messages, len, pos, arena, &event);
        event.inventory.cluster = origin->cluster;
        event.inventory.session_epoch = origin->heard_epoch;
        break;
    case FL_MSG_replica:
        event.kind = CORE_EV_replica;
        event.replica.cluster = origin->cluster;
        event.replica.session_epoch = origin->heard_epoch;
        event.replica.report_seq = first->replica.report_seq;
        event.replica.told = (struct core_replica_told){
            .attempt = first->replica.attempt,
            .replica = first->replica.replica,
            .state = first->replica.state,
            .exit_code = first->replica.exit_code,
            .cause = cause_of(first->replica.cause),
            .words = keep(arena, first->replica.words),
            .usage = fl_usage_read_one(first->replica.usage),
        };
        (*pos)++;
        break;
    case FL_MSG_node:
    case FL_MSG_nodes_end:
        if (!take_nodes(messages, len, pos, arena, &event, err)) return false;
        event.nodes.cluster = origin->cluster;
        event.nodes.session_epoch = origin->heard_epoch;
        break;
    default:
        return fl_fail(err, FL_INVALID, "'%s' is not for the core", fl_msg_info(first->kind)->name);
    }
    *ret_event = event;
    return true;
}
