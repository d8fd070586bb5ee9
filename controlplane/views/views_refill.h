/* views_refill.h - reads the rows of all views from the store when a term begins.
 * It repeats a read that failed after 500 ms, until it is done or the next term begins.
 * Uses the store's reader on the caller's loop.  Not thread-safe: the first front owns it. */
#pragma once

struct fl_loop;
struct reader;
struct views;
struct views_refill;

struct views_refill_config {
    struct fl_loop *loop;
    struct reader *reader;
    void (*asked)(void *ctx); /* after each question to the reader */
    void *asked_ctx;
    struct views *views;
    void (*done)(void *ctx); /* all views are filled */
    void *done_ctx;
};

struct views_refill *views_refill_create(const struct views_refill_config *config);
void views_refill_destroy(struct views_refill *refill); /* NULL is fine */

void views_refill_start(struct views_refill *refill);
