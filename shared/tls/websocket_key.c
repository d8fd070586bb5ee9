#include "shared/tls/websocket_key.h"

#include <openssl/evp.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/tls/random.h"

enum { KEY_BYTES = 16, KEY_LEN = FL_WEBSOCKET_KEY_MAX - 1, SHA1_BYTES = 20 };

static const char suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

void fl_websocket_key(char ret_key[FL_WEBSOCKET_KEY_MAX])
{
    uint8_t bytes[KEY_BYTES];

    fl_random(bytes, sizeof bytes);
    EVP_EncodeBlock((unsigned char *)ret_key, bytes, sizeof bytes);
}

bool fl_websocket_accept(struct fl_str key, char ret_accept[FL_WEBSOCKET_ACCEPT_MAX])
{
    unsigned char text[KEY_LEN + sizeof suffix], bytes[KEY_LEN], digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;
    int is_made;

    if (key.len != KEY_LEN || memcmp(key.at + KEY_LEN - 2, "==", 2) != 0 ||
        EVP_DecodeBlock(bytes, (const unsigned char *)key.at, KEY_LEN) < 0) {
        return false;
    }
    memcpy(text, key.at, KEY_LEN);
    memcpy(text + KEY_LEN, suffix, sizeof suffix - 1);
    is_made = EVP_Digest(text, sizeof text - 1, digest, &digest_len, EVP_sha1(), NULL);
    fl_assert(is_made == 1 && digest_len == SHA1_BYTES);
    EVP_EncodeBlock((unsigned char *)ret_accept, digest, SHA1_BYTES);
    return true;
}
