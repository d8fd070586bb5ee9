/* The head of an HTTP request, as any stranger might send it and any network cut it.
 * Input: two bytes that decide how it is cut, then the bytes.
 * Property: however they are cut, it is found whole at the same byte, or refused for the same
 * reason; a head that is taken is printed and read again and is the same; a framing header is there
 * at most once; path and query put together again are the target; each part decodes to text that is
 * not longer, or not at all; views are inside of the head.
 * The corpus was written by hand, a file for each rule: its name says which.
 * The planted bug (planted/http_head.patch) forgets where a line began when a read ends in its
 * middle. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "shared/wire/http_head.h"
#include "shared/wire/http_target.h"

enum { INPUT_BYTES_MAX = 1 << 16, HEADERS_MAX = 12 };

static const struct fl_http_head_limits limits = {
    .head_bytes_max = 2048, .target_bytes_max = 256, .headers_max = HEADERS_MAX};

struct outcome {
    enum fl_http_answer answer;
    size_t head_bytes;
    struct fl_http_refusal refusal;
};

static struct outcome scan(const uint8_t *data, size_t size, uint64_t seed, size_t piece_max)
{
    struct outcome outcome = {.answer = FL_HTTP_MORE};
    struct fl_http_head_scan state = {0};
    struct fl_prng prng;
    size_t len = 0;

    fl_prng_seed(&prng, seed);
    while (len < size && outcome.answer == FL_HTTP_MORE) {
        char *copy; /* elsewhere each time, and of its own, so that ASan sees a byte too far */

        len += 1 + fl_prng_below(&prng, piece_max);
        if (len > size) len = size;
        copy = fl_realloc_array(NULL, char, len);
        memcpy(copy, data, len);
        outcome.answer = fl_http_head_scan(&state, (struct fl_str){copy, len}, &limits,
                                           &outcome.head_bytes, &outcome.refusal);
        fl_free(copy);
    }
    return outcome;
}

static void put(struct fl_buf *out, struct fl_str s)
{
    fl_assert(fl_buf_put(out, s.at, s.len));
}

static void print(struct fl_buf *out, const struct fl_http_head *head)
{
    put(out, fl_str_c(fl_http_method_name(head->method)));
    put(out, FL_STR(" "));
    put(out, head->path);
    if (head->query.at) {
        put(out, FL_STR("?"));
        put(out, head->query);
    }
    put(out, FL_STR(" HTTP/1.1\r\n"));
    for (size_t i = 0; i < head->fields_len; i++) {
        put(out, head->fields[i].name);
        put(out, FL_STR(":"));
        put(out, head->fields[i].value);
        put(out, FL_STR("\r\n"));
    }
    put(out, FL_STR("\r\n"));
}

static void check_same(const struct fl_http_head *a, const struct fl_http_head *b)
{
    fl_assert(a->method == b->method && a->fields_len == b->fields_len);
    fl_assert(fl_str_eq(a->path, b->path) && fl_str_eq(a->query, b->query));
    fl_assert(fl_str_eq(a->host, b->host) && a->content_bytes == b->content_bytes);
    fl_assert(a->is_chunked == b->is_chunked && a->expects_continue == b->expects_continue);
    fl_assert(a->wants_close == b->wants_close);
    for (size_t i = 0; i < a->fields_len; i++) {
        fl_assert(fl_str_eq(a->fields[i].name, b->fields[i].name));
        fl_assert(fl_str_eq(a->fields[i].value, b->fields[i].value));
        fl_assert(fl_http_is_header_value(a->fields[i].value));
    }
}

static size_t count(const struct fl_http_head *head, const char *name)
{
    size_t found = 0;

    for (size_t i = 0; i < head->fields_len; i++) {
        struct fl_str have = head->fields[i].name;
        size_t same = 0;

        for (size_t j = 0; j < have.len; j++) {
            char c = have.at[j];

            fl_assert(c > ' ' && c < 0x7f && c != ':'); /* a lenient reader would drop it */
            if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
            if (same == j && name[same] == c) same++;
        }
        found += have.len > 0 && same == have.len && name[same] == 0;
    }
    return found;
}

static void check_target(const struct fl_http_head *head)
{
    struct fl_str path = head->path, query = head->query, segment, name, value, text;
    char out[256];
    size_t len = 0;

    fl_assert(head->path.len + head->query.len <= limits.target_bytes_max);
    while (fl_http_take_segment(&path, &segment)) {
        len += 1 + segment.len;
        fl_assert(!memchr(segment.at, '/', segment.len) && !memchr(segment.at, '?', segment.len));
        if (fl_http_decode(segment, FL_HTTP_IN_PATH, out, &text)) {
            fl_assert(text.len <= segment.len && fl_str_is_text(text));
        }
    }
    fl_assert(len == head->path.len);
    while (fl_http_take_pair(&query, &name, &value)) {
        fl_assert(name.len + value.len <= head->query.len);
        if (fl_http_decode(value, FL_HTTP_IN_QUERY, out, &text)) fl_assert(fl_str_is_text(text));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_http_field fields[HEADERS_MAX], again_fields[HEADERS_MAX];
    struct fl_http_head head, again;
    struct fl_http_refusal refusal = {0};
    struct outcome whole, cut;
    struct fl_buf printed;
    const struct fl_http_field *etags;
    char *copy;

    if (size < 2 || size > INPUT_BYTES_MAX) return 0;
    whole = scan(data + 2, size - 2, 0, (size_t)1 << 40);
    cut = scan(data + 2, size - 2, data[0], 1 + (size_t)data[1] * data[1] / 16);
    fl_assert(whole.answer == cut.answer && whole.head_bytes == cut.head_bytes);
    fl_assert(whole.refusal.status == cut.refusal.status && whole.refusal.why == cut.refusal.why);
    fl_assert(whole.head_bytes <= limits.head_bytes_max);
    if (whole.answer != FL_HTTP_READY) return 0;

    copy = fl_realloc_array(NULL, char, whole.head_bytes);
    memcpy(copy, data + 2, whole.head_bytes);
    if (!fl_http_head_parse((struct fl_str){copy, whole.head_bytes}, &limits, fields, &head,
                            &refusal)) {
        fl_assert(refusal.status >= 400 && refusal.why);
        fl_free(copy);
        return 0;
    }
    fl_assert(count(&head, "host") == 1);
    fl_assert(count(&head, "content-length") + count(&head, "transfer-encoding") <= 1);
    fl_assert(head.is_chunked == (count(&head, "transfer-encoding") == 1));
    fl_assert(!head.is_chunked || head.content_bytes == 0);
    fl_assert(count(&head, "content-encoding") == 0);
    check_target(&head);
    etags = fl_http_head_find(&head, FL_STR("if-none-match"));
    if (etags && fl_http_etag_is_listed(etags->value, FL_STR("\"e\""))) {
        fl_assert(fl_str_eq(etags->value, FL_STR("*")) ||
                  memmem(etags->value.at, etags->value.len, "\"e\"", 3));
    }

    fl_buf_init(&printed, INPUT_BYTES_MAX);
    print(&printed, &head);
    fl_assert(printed.len <= whole.head_bytes); /* only white space was lost */
    fl_assert(fl_http_head_parse((struct fl_str){(char *)printed.at, printed.len}, &limits,
                                 again_fields, &again, &refusal));
    check_same(&head, &again);
    fl_buf_fini(&printed);
    fl_free(copy);
    return 0;
}
