/* translate.h - between the frames of the tunnel and the events and commands of the agent's core.
 * Pure.  Uses the core's event and command types, shared/wire and shared/base. */
#pragma once

#include "agent/core/agent_command.h"
#include "agent/core/agent_event.h"
#include "shared/base/err.h"
#include "shared/wire/message.h"

struct fl_arena;

/* WELCOME, RESYNC, START, GO, STOP and ACK become events; 'now' stays 0.  The event borrows from
 * 'msg'.  A START's resources stay NULL, as without a spec: the shell finds the spec by its digest
 * and fills them in, one for each of its nodes.
 * False with FL_UNSUPPORTED: the message is not for the core (BYE, PING, PONG), or not for an
 * agent. */
FL_CHECK bool agent_translate_in(const struct fl_msg *msg, struct agent_event *ret_event,
                                 struct fl_err *err);

/* The command is a frame (agent_command_is_frame).  *ret_msg borrows from it and from the arena,
 * and passes fl_msg_check as long as nodes keep to the bounds of agent_event.h.  A control plane
 * whose WELCOME chose a 'protocol' below FL_PROTOCOL_OFFERS hears of no resources with names, and
 * one below FL_PROTOCOL_WORDS no words of ends, nor below FL_PROTOCOL_USAGE what was used; for one
 * below FL_PROTOCOL_TAINTS a node with taints is not ready.  False: it does not know the whole
 * message, and is not sent it (FL_PROTOCOL_NODES_END). */
FL_CHECK bool agent_translate_out(const struct agent_command *command, uint16_t protocol,
                                  struct fl_arena *arena, struct fl_msg *ret_msg);
