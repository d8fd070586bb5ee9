#include "shared/tls/join_token.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/tls/base64.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"

enum { VERSION = 1, CRC_BYTES = 4 };
#define PREFIX "fl-join_"
enum { BYTES_MAX = 1 + 32 + 32 + 2 * (2 + FL_JOIN_TOKEN_ADDRESS_MAX) + CRC_BYTES };

_Static_assert(sizeof PREFIX + FL_BASE64_LEN(BYTES_MAX) <= FL_JOIN_TOKEN_TEXT_MAX, "the text fits");

static bool check_address(struct fl_str text, struct fl_err *err)
{
    if (text.len == 0 || text.len >= FL_JOIN_TOKEN_ADDRESS_MAX) {
        return fl_fail(err, FL_INVALID, "an address has 1 to %d bytes",
                       FL_JOIN_TOKEN_ADDRESS_MAX - 1);
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] <= ' ' || text.at[i] > '~') {
            return fl_fail(err, FL_INVALID, "an address has visible ASCII characters only");
        }
    }
    return true;
}

static void set_address(char at[FL_JOIN_TOKEN_ADDRESS_MAX], struct fl_str text)
{
    memset(at, 0, FL_JOIN_TOKEN_ADDRESS_MAX);
    memcpy(at, text.at, text.len);
}

bool fl_join_token_init(struct fl_join_token *token, struct fl_digest ca_sha256,
                        struct fl_str api_url, struct fl_str tunnel, struct fl_err *err)
{
    if (!check_address(api_url, err)) return fl_err_wrap(err, "API");
    if (!check_address(tunnel, err)) return fl_err_wrap(err, "tunnel");
    token->ca_sha256 = ca_sha256;
    set_address(token->api_url, api_url);
    set_address(token->tunnel, tunnel);
    fl_random(token->secret, sizeof token->secret);
    return true;
}

void fl_join_token_print(const struct fl_join_token *token, char out[FL_JOIN_TOKEN_TEXT_MAX])
{
    struct fl_buf buf;

    fl_buf_init(&buf, BYTES_MAX);
    fl_buf_put_u8(&buf, VERSION);
    fl_buf_put(&buf, token->secret, sizeof token->secret);
    fl_buf_put(&buf, token->ca_sha256.at, sizeof token->ca_sha256.at);
    fl_buf_put_str(&buf, fl_str_c(token->api_url));
    fl_buf_put_str(&buf, fl_str_c(token->tunnel));
    fl_buf_put_u32(&buf, fl_crc32c(0, buf.at, buf.len));
    fl_assert(!buf.is_over);
    memcpy(out, PREFIX, sizeof PREFIX - 1);
    fl_base64_print(buf.at, buf.len, out + sizeof PREFIX - 1);
    fl_secret_wipe(buf.at, buf.len);
    fl_buf_fini(&buf);
}

static bool read_bytes(const uint8_t *bytes, size_t len, struct fl_join_token *token,
                       struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes, len);
    uint8_t version = fl_read_u8(&reader);
    struct fl_str secret = fl_read_raw(&reader, sizeof token->secret);
    struct fl_str ca = fl_read_raw(&reader, sizeof token->ca_sha256.at);
    struct fl_str api_url = fl_read_bytes(&reader, FL_JOIN_TOKEN_ADDRESS_MAX - 1);
    struct fl_str tunnel = fl_read_bytes(&reader, FL_JOIN_TOKEN_ADDRESS_MAX - 1);
    uint32_t crc = fl_read_u32(&reader);

    if (len > 0 && version != VERSION) {
        return fl_fail(err, FL_UNSUPPORTED, "a join token of version %u; this program knows %d",
                       version, VERSION);
    }
    if (!fl_reader_is_done(&reader) || crc != fl_crc32c(0, bytes, len - CRC_BYTES)) {
        return fl_fail(err, FL_INVALID, "the join token is cut or mistyped");
    }
    if (!check_address(api_url, err) || !check_address(tunnel, err)) return false;
    memcpy(token->secret, secret.at, sizeof token->secret);
    memcpy(token->ca_sha256.at, ca.at, sizeof token->ca_sha256.at);
    set_address(token->api_url, api_url);
    set_address(token->tunnel, tunnel);
    return true;
}

bool fl_join_token_parse(struct fl_str s, struct fl_join_token *ret_token, struct fl_err *err)
{
    uint8_t bytes[BYTES_MAX];
    struct fl_join_token token;
    size_t len;
    bool is_good;

    if (s.len < sizeof PREFIX - 1 || memcmp(s.at, PREFIX, sizeof PREFIX - 1) != 0) {
        return fl_fail(err, FL_INVALID, "a join token begins with " PREFIX);
    }
    s = (struct fl_str){s.at + sizeof PREFIX - 1, s.len - (sizeof PREFIX - 1)};
    len = fl_base64_bytes(s.len);
    if (len > sizeof bytes) return fl_fail(err, FL_INVALID, "the join token is cut or too long");
    is_good = fl_base64_parse(s, bytes, len, err) ? read_bytes(bytes, len, &token, err)
                                                  : fl_err_wrap(err, "join token");
    fl_secret_wipe(bytes, sizeof bytes);
    if (is_good) *ret_token = token;
    return is_good;
}

struct fl_digest fl_join_token_sha256(const struct fl_join_token *token)
{
    return fl_sha256(token->secret, sizeof token->secret);
}
