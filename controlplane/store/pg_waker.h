/* pg_waker.h - the owner's loop, for connections that never wait (pg_conn.h).
 * 'wake' is called on the loop when a socket is ready.  It only notes that a turn is due: from
 * inside it nothing of the store may be called. */
#pragma once

struct fl_loop;

struct pg_waker {
    struct fl_loop *loop;
    void (*wake)(void *ctx);
    void *ctx;
};
