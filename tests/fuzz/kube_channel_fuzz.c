/* The Status that ends a command in a pod.
 * Property: it is an exit code from 0 on, or an error with a text of one line; the word Success
 * means 0, and only a NonZeroExitCode may mean another one.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/kube_channel.patch) does not look at the reason beside the code. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "agent/kube/kube_channel.h"
#include "shared/base/assert.h"

static bool has(struct fl_str text, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++) {
        if (memcmp(text.at + i, word, len) == 0) return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str text = {(const char *)data, size};
    struct fl_err err = {0};
    int32_t code = -1;

    if (size > KUBE_CHANNEL_STATUS_BYTES_MAX || has(text, "\\")) return 0; /* words plain to see */
    if (kube_channel_status(text, &code, &err)) {
        fl_assert(code >= 0);
        fl_assert(has(text, "\"Success\"") || has(text, "\"NonZeroExitCode\""));
        fl_assert(code == 0 || has(text, "\"ExitCode\""));
    } else {
        fl_assert(err.code != FL_OK && err.text[0] && !strchr(err.text, '\n'));
    }
    return 0;
}
