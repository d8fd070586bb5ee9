#include "agent/tunnel/translate.h"

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/wire/named_resources.h"

bool agent_translate_in(const struct fl_msg *msg, struct agent_event *ret_event, struct fl_err *err)
{
    struct agent_event event = {0};

    switch (msg->kind) {
    case FL_MSG_welcome:
        event.kind = AGENT_EV_session_up;
        event.session_up.session_epoch = msg->welcome.session_epoch;
        event.session_up.is_new_connection = true;
        break;
    case FL_MSG_resync:
        event.kind = AGENT_EV_session_up;
        event.session_up.session_epoch = msg->resync.session_epoch;
        break;
    case FL_MSG_start:
        event.kind = AGENT_EV_start;
        event.start.control_seq = msg->start.control_seq;
        event.start.attempt = msg->start.attempt;
        event.start.spec = msg->start.spec;
        event.start.nodes = msg->start.nodes.at;
        event.start.replicas_len = msg->start.nodes.len;
        break;
    case FL_MSG_go:
        event.kind = AGENT_EV_go;
        event.go.control_seq = msg->go.control_seq;
        event.go.attempt = msg->go.attempt;
        break;
    case FL_MSG_stop:
        event.kind = AGENT_EV_stop;
        event.stop.control_seq = msg->stop.control_seq;
        event.stop.attempt = msg->stop.attempt;
        event.stop.grace_ms = msg->stop.grace_ms;
        break;
    case FL_MSG_ack:
        event.kind = AGENT_EV_ack;
        event.ack.report_seq = msg->ack.report_seq;
        break;
    default: {
        const struct fl_msg_info *info = fl_msg_info(msg->kind);

        return fl_fail(err, FL_UNSUPPORTED, "'%s' is not for the agent's core",
                       info ? info->name : "?");
    }
    }
    *ret_event = event;
    return true;
}

static struct fl_str offers_text(const struct agent_command *command, struct fl_arena *arena)
{
    struct fl_named_resource *offers =
        fl_arena_array(arena, struct fl_named_resource, command->node.offers_len);
    struct fl_buf buf;

    for (size_t i = 0; i < command->node.offers_len; i++) {
        const struct agent_offer *offer = &command->node.offers[i];

        offers[i] = (struct fl_named_resource){offer->name, offer->total, offer->free};
    }
    fl_buf_init_in(&buf, FL_NAMED_RESOURCES_BYTES_MAX, arena);
    fl_assert(fl_named_resources_write(&buf, offers, command->node.offers_len));
    return fl_buf_take(&buf);
}

static struct fl_str used(const struct agent_command *command, uint16_t protocol,
                          struct fl_arena *arena)
{
    if (protocol < FL_PROTOCOL_USAGE) return (struct fl_str){0};
    return fl_usage_write(&command->report.usage, fl_arena_alloc(arena, FL_USAGE_BYTES));
}

bool agent_translate_out(const struct agent_command *command, uint16_t protocol,
                         struct fl_arena *arena, struct fl_msg *ret_msg)
{
    struct fl_msg msg = {0};

    switch (command->kind) {
    case AGENT_CMD_inventory_begin:
        msg.kind = FL_MSG_inventory_begin;
        msg.inventory_begin.session_epoch = command->inventory_begin.session_epoch;
        break;
    case AGENT_CMD_inventory_item:
        msg.kind = FL_MSG_inventory_item;
        msg.inventory_item = (struct fl_msg_inventory_item){
            .attempt = command->attempt,
            .replica = command->replica,
            .state = command->report.state,
            .exit_code = command->report.exit_code,
            .output_bytes = command->report.output_bytes,
            .cause = (uint16_t)agent_cause_told(command->report.cause),
        };
        if (protocol >= FL_PROTOCOL_WORDS) msg.inventory_item.words = command->report.words;
        msg.inventory_item.usage = used(command, protocol, arena);
        break;
    case AGENT_CMD_inventory_end:
        msg.kind = FL_MSG_inventory_end;
        msg.inventory_end = (struct fl_msg_inventory_end){
            .count = command->inventory_end.count,
            .digest = command->inventory_end.digest,
        };
        break;
    case AGENT_CMD_replica:
        msg.kind = FL_MSG_replica;
        msg.replica = (struct fl_msg_replica){
            .report_seq = command->report.report_seq,
            .attempt = command->attempt,
            .replica = command->replica,
            .state = command->report.state,
            .exit_code = command->report.exit_code,
            .cause = (uint16_t)agent_cause_told(command->report.cause),
            .output_bytes = command->report.output_bytes,
        };
        if (protocol >= FL_PROTOCOL_WORDS) msg.replica.words = command->report.words;
        msg.replica.usage = used(command, protocol, arena);
        break;
    case AGENT_CMD_node:
        msg.kind = FL_MSG_node;
        msg.node = (struct fl_msg_node){
            .report_seq = command->node.report_seq,
            .mark = command->node.mark,
            .number = command->node.number,
            .is_ready = command->node.is_ready,
            .total = command->node.total,
            .free = command->node.free,
            .name = command->node.name,
            .labels = command->node.labels,
        };
        if (command->node.offers_len > 0 && protocol >= FL_PROTOCOL_OFFERS) {
            msg.node.offers = offers_text(command, arena);
        }
        if (protocol >= FL_PROTOCOL_TAINTS) {
            msg.node.taints = command->node.taints;
        } else if (command->node.taints.len > 0) {
            msg.node.is_ready = false;
        }
        break;
    case AGENT_CMD_nodes_end:
        if (protocol < FL_PROTOCOL_NODES_END) return false;
        msg.kind = FL_MSG_nodes_end;
        msg.nodes_end.is_whole = command->nodes_end.is_whole;
        break;
    default:
        fl_unreachable("commands for the runtime do not travel");
    }
    *ret_msg = msg;
    return true;
}
