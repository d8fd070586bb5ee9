/* The texts of API tokens, of their ids, and of join tokens: typed, pasted, sent by strangers.
 * Property: a text that is read is printed as the very same text; after a single changed character
 * it is refused, since each has a checksum.  Bytes are also taken as a token: its text is read as
 * the same token.
 * The planted bug (planted/token.patch) leaves the checksum of an API token unread.
 *
 *     tests/fuzz/planted.sh token */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "controlplane/identity/api_token.h"
#include "shared/base/assert.h"
#include "shared/tls/join_token.h"

static bool reads_api(const char *text, size_t len, struct api_token *ret_token)
{
    struct fl_err err = {0};
    bool is_read = api_token_parse((struct fl_str){text, len}, ret_token, &err);

    fl_assert(is_read || err.code == FL_INVALID);
    return is_read;
}

static bool reads_join(const char *text, size_t len, struct fl_join_token *ret_token)
{
    struct fl_err err = {0};
    bool is_read = fl_join_token_parse((struct fl_str){text, len}, ret_token, &err);

    fl_assert(is_read || err.code == FL_INVALID || err.code == FL_UNSUPPORTED);
    return is_read;
}

static void read_text(const char *text, size_t len)
{
    struct fl_str s = {text, len};
    struct api_token token;
    struct fl_join_token join;
    struct fl_err err = {0};
    uint64_t id;

    if (reads_api(text, len, &token)) {
        char again[API_TOKEN_TEXT_MAX];

        api_token_print(&token, again);
        fl_assert(fl_str_eq(s, fl_str_c(again)));
    }
    if (api_token_id_parse(s, &id, &err)) {
        char again[API_TOKEN_ID_TEXT_MAX];

        api_token_id_print(id, again);
        fl_assert(fl_str_eq(s, fl_str_c(again)));
    }
    if (reads_join(text, len, &join)) {
        char again[FL_JOIN_TOKEN_TEXT_MAX];

        fl_join_token_print(&join, again);
        fl_assert(fl_str_eq(s, fl_str_c(again)));
    }
}

/* The bytes give a place in the text, another character for it, and the token. */
static void print_api(const uint8_t *data, size_t size)
{
    struct api_token token = {.id = 1}, again;
    char text[API_TOKEN_TEXT_MAX];

    memcpy(token.secret, data + 2, size - 2 < 32 ? size - 2 : 32);
    for (size_t i = 2; i < size && i < 9; i++) {
        token.id = token.id << 8 | data[i];
    }
    api_token_print(&token, text);
    fl_assert(reads_api(text, strlen(text), &again));
    fl_assert(again.id == token.id && memcmp(again.secret, token.secret, 32) == 0);
    if (text[data[0] % strlen(text)] == (char)data[1]) return;
    text[data[0] % strlen(text)] = (char)data[1];
    fl_assert(!reads_api(text, sizeof text - 1, &again));
}

static void print_join(const uint8_t *data, size_t size)
{
    struct fl_join_token token, again;
    struct fl_digest ca = {{0}};
    struct fl_err err = {0};
    size_t half = (size - 2) / 2, len;
    char text[FL_JOIN_TOKEN_TEXT_MAX];

    memcpy(ca.at, data, size < sizeof ca.at ? size : sizeof ca.at);
    if (!fl_join_token_init(&token, ca, (struct fl_str){(const char *)data + 2, half},
                            (struct fl_str){(const char *)data + 2 + half, size - 2 - half},
                            &err)) {
        fl_assert(err.code == FL_INVALID);
        return;
    }
    memcpy(token.secret, ca.at, sizeof token.secret); /* not a random one: a run must repeat */
    fl_join_token_print(&token, text);
    len = strlen(text);
    fl_assert(reads_join(text, len, &again));
    fl_assert(memcmp(token.secret, again.secret, 32) == 0);
    fl_assert(memcmp(ca.at, again.ca_sha256.at, sizeof ca.at) == 0);
    fl_assert(strcmp(token.api_url, again.api_url) == 0 && strcmp(token.tunnel, again.tunnel) == 0);
    if (text[data[0] % len] == (char)data[1]) return;
    text[data[0] % len] = (char)data[1];
    fl_assert(!reads_join(text, len, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_text((const char *)data, size);
    if (size < 4) return 0;
    print_api(data, size);
    print_join(data, size);
    return 0;
}
