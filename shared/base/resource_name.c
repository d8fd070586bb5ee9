#include "shared/base/resource_name.h"

#include <string.h>

enum { PREFIX_BYTES_MAX = 253, NAME_BYTES_MAX = 63 };

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_name(struct fl_str text)
{
    if (text.len == 0 || text.len > NAME_BYTES_MAX) return false;
    for (size_t i = 0; i < text.len; i++) {
        bool is_inner = i > 0 && i + 1 < text.len;
        char c = text.at[i];

        if (!is_alnum(c) && !(is_inner && (c == '-' || c == '_' || c == '.'))) return false;
    }
    return true;
}

/* Names of DNS with dots between them. */
static bool is_prefix(struct fl_str text)
{
    size_t start = 0;

    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.at[i] != '.') continue;
        if (!fl_str_is_name((struct fl_str){text.at + start, i - start})) return false;
        start = i + 1;
    }
    return text.len <= PREFIX_BYTES_MAX;
}

bool fl_is_resource_name(struct fl_str text)
{
    const char *slash = text.len > 0 ? memchr(text.at, '/', text.len) : NULL;
    size_t prefix = slash ? (size_t)(slash - text.at) : 0;

    if (!slash) {
        return is_name(text) && !fl_str_eq(text, FL_STR("cpu")) &&
               !fl_str_eq(text, FL_STR("memory")) && !fl_str_eq(text, FL_STR("gpus"));
    }
    return is_prefix((struct fl_str){text.at, prefix}) &&
           is_name((struct fl_str){slash + 1, text.len - prefix - 1});
}

uint64_t fl_resource_page_bytes(struct fl_str name)
{
    if (fl_str_eq(name, FL_STR("hugepages-2Mi"))) return (uint64_t)2 << 20;
    if (fl_str_eq(name, FL_STR("hugepages-1Gi"))) return (uint64_t)1 << 30;
    return 0;
}

bool fl_is_bytes_resource(struct fl_str name)
{
    return fl_str_eq(name, FL_STR("ephemeral-storage")) || fl_resource_page_bytes(name) > 0;
}

bool fl_is_job_resource(struct fl_str name)
{
    return fl_is_bytes_resource(name) ||
           (name.len > 0 && memchr(name.at, '/', name.len) && fl_is_resource_name(name));
}

bool fl_is_accelerator_resource(struct fl_str name)
{
    static const char *const others[] = {"gpu.intel.com/i915",
                                         "gpu.intel.com/xe",
                                         "habana.ai/gaudi",
                                         "aws.amazon.com/neuron",
                                         "aws.amazon.com/neurondevice",
                                         "google.com/tpu"};
    const struct fl_str gpu = FL_STR("/gpu");

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (fl_str_eq(name, fl_str_c(others[i]))) return true;
    }
    return name.len > gpu.len && memcmp(name.at + name.len - gpu.len, gpu.at, gpu.len) == 0;
}
