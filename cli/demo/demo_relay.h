/* demo_relay.h - a relay between the agents and the control plane, for 'demo --chaos'.  It is a
 * process of its own, which passes bytes both ways; SIGUSR1 makes it reset every connection. */
#pragma once

/* In a fresh child; 'listener' listens already.  Dies with the parent.  Never returns. */
void demo_relay_become(int listener, int port) __attribute__((noreturn));
