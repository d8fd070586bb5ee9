#include "controlplane/identity/api_token.h"

#include <string.h>

#include "shared/base/hash.h"
#include "shared/tls/base64.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"

enum { ID_LEN = API_TOKEN_ID_TEXT_MAX - 1, ID_BITS = 60, SECRET_LEN = 52, CRC_LEN = 7 };
#define PREFIX "fl_"
#define DIGITS "0123456789abcdefghjkmnpqrstvwxyz"
enum { SECRET_AT = sizeof PREFIX - 1 + ID_LEN + 1, CRC_AT = SECRET_AT + SECRET_LEN };

_Static_assert(CRC_AT + CRC_LEN + 1 == API_TOKEN_TEXT_MAX, "as the header says");
_Static_assert(FL_BASE32_LEN(32) == SECRET_LEN && FL_BASE32_LEN(4) == CRC_LEN, "digits");

struct api_token api_token_random(void)
{
    struct api_token token;

    do {
        token.id = fl_random_u64() >> (64 - ID_BITS);
    } while (token.id == 0);
    fl_random(token.secret, sizeof token.secret);
    return token;
}

void api_token_id_print(uint64_t id, char out[API_TOKEN_ID_TEXT_MAX])
{
    for (size_t i = 0; i < ID_LEN; i++) {
        out[i] = DIGITS[id >> 5 * (ID_LEN - 1 - i) & 31];
    }
    out[ID_LEN] = '\0';
}

bool api_token_id_parse(struct fl_str s, uint64_t *ret_id, struct fl_err *err)
{
    uint64_t id = 0;

    if (s.len != ID_LEN) return fl_fail(err, FL_INVALID, "a token's id has %d digits", ID_LEN);
    for (size_t i = 0; i < ID_LEN; i++) {
        const char *digit = memchr(DIGITS, s.at[i], sizeof DIGITS - 1);

        if (!digit) return fl_fail(err, FL_INVALID, "a token's id has digits of base32 only");
        id = id << 5 | (uint64_t)(digit - DIGITS);
    }
    if (id == 0) return fl_fail(err, FL_INVALID, "no token has the id 0");
    *ret_id = id;
    return true;
}

static void print_checksum(const char *text, size_t len, char out[CRC_LEN + 1])
{
    uint32_t crc = fl_crc32c(0, text, len);
    uint8_t bytes[4] = {(uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8),
                        (uint8_t)crc};

    fl_base32_print(bytes, sizeof bytes, out);
}

void api_token_print(const struct api_token *token, char out[API_TOKEN_TEXT_MAX])
{
    memcpy(out, PREFIX, sizeof PREFIX - 1);
    api_token_id_print(token->id, out + sizeof PREFIX - 1);
    out[SECRET_AT - 1] = '_';
    fl_base32_print(token->secret, sizeof token->secret, out + SECRET_AT);
    print_checksum(out, CRC_AT, out + CRC_AT);
}

bool api_token_parse(struct fl_str s, struct api_token *ret_token, struct fl_err *err)
{
    struct api_token token;
    char checksum[CRC_LEN + 1];

    if (s.len != API_TOKEN_TEXT_MAX - 1 || memcmp(s.at, PREFIX, sizeof PREFIX - 1) != 0 ||
        s.at[SECRET_AT - 1] != '_') {
        return fl_fail(err, FL_INVALID, "an API token is fl_, 12 digits, _ and 59 digits");
    }
    print_checksum(s.at, CRC_AT, checksum);
    if (!fl_str_eq(fl_str_c(checksum), (struct fl_str){s.at + CRC_AT, CRC_LEN})) {
        return fl_fail(err, FL_INVALID, "the API token is cut or mistyped");
    }
    if (!api_token_id_parse((struct fl_str){s.at + sizeof PREFIX - 1, ID_LEN}, &token.id, err) ||
        !fl_base32_parse((struct fl_str){s.at + SECRET_AT, SECRET_LEN}, token.secret,
                         sizeof token.secret, err)) {
        return fl_err_wrap(err, "API token");
    }
    *ret_token = token;
    return true;
}

struct fl_digest api_token_mac(const struct api_token *token, struct fl_str pepper)
{
    uint8_t bytes[8 + sizeof token->secret];
    struct fl_digest mac;

    for (size_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(token->id >> 8 * (7 - i));
    }
    memcpy(bytes + 8, token->secret, sizeof token->secret);
    mac = fl_hmac_sha256(pepper.at, pepper.len, bytes, sizeof bytes);
    fl_secret_wipe(bytes, sizeof bytes);
    return mac;
}
