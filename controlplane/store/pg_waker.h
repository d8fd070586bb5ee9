/* pg_waker.h - the owner's loop, for connections that never wait (pg_conn.h).
 * A connection calls 'wake' on the loop when its socket is ready.  'wake' only notes that a turn is
 * due and may call nothing of the store. */
#pragma once

struct fl_loop;

struct pg_waker {
    struct fl_loop *loop;
    void (*wake)(void *ctx);
    void *ctx;
};
