/* top_keys.h - what a key does to the model, and what it asks of the program.
 * Pure but for memory. */
#pragma once

#include "cli/top/top_model.h"

/* A key is a character, or one of these. */
enum top_key {
    TOP_KEY_NONE = 0,
    TOP_KEY_TAB = '\t',
    TOP_KEY_ENTER = '\n',
    TOP_KEY_ESC = 27,
    TOP_KEY_BACKSPACE = 127,
    TOP_KEY_UP = 0x110000, /* beyond Unicode */
    TOP_KEY_DOWN,
    TOP_KEY_LEFT,
    TOP_KEY_RIGHT,
    TOP_KEY_PAGE_UP,
    TOP_KEY_PAGE_DOWN,
    TOP_KEY_HOME,
    TOP_KEY_END,
    TOP_KEY_BACK_TAB,
    TOP_KEY_F1,
    TOP_KEY_F10 = TOP_KEY_F1 + 9,
    TOP_KEY_RESIZE,
};

enum top_effect {
    TOP_NOTHING,
    TOP_QUIT,
    TOP_LOOK,   /* the data is wanted now, by the terms that the model has */
    TOP_SEND,   /* send model->order */
    TOP_FOLLOW, /* show the output of the job top_model_job names */
};

enum top_effect top_keys_press(struct top_model *model, uint32_t key);

/* The job that the panel or the cursor is on; NULL: none. */
const char *top_model_job(const struct top_model *model);
