/* demo_relay.h - a wire between the agents and the control plane that can be cut: for 'demo
 * --chaos'.  A process of its own: bytes both ways, unread, until SIGUSR1, at which every
 * connection is reset. */
#pragma once

/* In a fresh child; 'listener' listens already.  Dies with the parent.  Never returns. */
void demo_relay_become(int listener, int port) __attribute__((noreturn));
