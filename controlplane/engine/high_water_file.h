/* high_water_file.h - the file of the marks, "high-water" in the state directory, and its copy,
 * written on a thread of its own: a disk may take long, and the engine thread never waits for one.
 * A process makes both anew, whole, and then writes them over once a second or more often, one
 * after the other: that costs a disk less than a new file each time.  A crash may tear one of them:
 * the other is whole, and has all whose result was there.  One write at a time.
 * put and take_result are the engine thread's. */
#pragma once

#include "controlplane/engine/high_water.h"

#define HIGH_WATER_FILE "high-water"
#define HIGH_WATER_COPY "high-water.copy"

/* The copy counts where the file is damaged or absent.  Both absent: all 0.  Two damaged ones, or
 * one of another release, are refused by name: a person decides what this replica may forget. */
FL_CHECK bool high_water_file_read(int dir_fd, struct high_water *ret_water, struct fl_err *err);
/* Both, each whole or not at all. */
FL_CHECK bool high_water_file_write(int dir_fd, const struct high_water *water, struct fl_err *err);

struct high_water_file;

/* 'done' is called on the writer's thread when a result is there. */
struct high_water_file *high_water_file_create(int dir_fd, void (*done)(void *ctx), void *ctx);
/* Waits for the write under way; NULL is fine. */
void high_water_file_destroy(struct high_water_file *file);

void high_water_file_put(struct high_water_file *file, const struct high_water *water);
bool high_water_file_has_result(struct high_water_file *file);
/* False: no write has ended since the last result.  '*ret_is_good' false: 'err' says why. */
FL_CHECK bool high_water_file_take_result(struct high_water_file *file, bool *ret_is_good,
                                          struct fl_err *err);
