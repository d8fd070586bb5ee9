/* The handshake of a WebSocket with an API server. */
#include "agent/kube/kube_upgrade.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
#define GOOD                                                                                       \
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nConnection: Upgrade\r\n"            \
    "SEC-WebSocket-Accept: " ACCEPT "\r\nSec-WebSocket-Protocol:  v5.channel.k8s.io \r\n\r\n"

static const struct kube_upgrade_proof proof = {ACCEPT, "v5.channel.k8s.io", "1.30"};

static void a_server_is_a_place_with_a_port(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    assert_string_equal(kube_upgrade_place(FL_STR("https://a.b"), &arena), "a.b:443");
    assert_string_equal(kube_upgrade_place(FL_STR("https://a.b:6443/x:1/y"), &arena), "a.b:6443");
    assert_string_equal(kube_upgrade_place(FL_STR("https://[fd00::1]"), &arena), "[fd00::1]:443");
    assert_string_equal(kube_upgrade_place(FL_STR("https://[::1]:99/p"), &arena), "[::1]:99");
    fl_arena_fini(&arena);
}

static void the_request_has_the_servers_path_and_our_token(void **state)
{
    struct kube_upgrade upgrade = {FL_STR("https://h:1/prefix"), "/api?x=1", "a2V5", "v5",
                                   FL_STR("secret")};
    struct fl_buf out;
    char text[1024];

    (void)state;
    fl_buf_init(&out, sizeof text - 1);
    assert_true(kube_upgrade_write(&upgrade, &out));
    memcpy(text, out.at, out.len);
    text[out.len] = 0;
    assert_memory_equal(text, "GET /prefix/api?x=1 HTTP/1.1\r\nHost: h:1\r\n", 41);
    assert_non_null(strstr(text, "\r\nSec-WebSocket-Key: a2V5\r\nSec-WebSocket-Protocol: v5\r\n"));
    assert_non_null(strstr(text, "\r\nAuthorization: Bearer secret\r\n\r\n"));
    fl_buf_fini(&out);
    fl_buf_init(&out, 100);
    assert_false(kube_upgrade_write(&upgrade, &out));
    fl_buf_fini(&out);
    upgrade.token = (struct fl_str){0};
    fl_buf_init(&out, sizeof text - 1);
    assert_true(kube_upgrade_write(&upgrade, &out));
    memcpy(text, out.at, out.len);
    text[out.len] = 0;
    assert_null(strstr(text, "Authorization"));
    assert_non_null(strstr(text, "v5\r\n\r\n"));
    fl_buf_fini(&out);
}

static const char *told(const char *text)
{
    static char out[400];
    static const char *const words[] = {"more", "open", "refused", "bad"};
    struct kube_upgrade_head head = {0};
    struct fl_err err = {0};
    enum kube_upgrade_answer answer = kube_upgrade_read(fl_str_c(text), &proof, &head, &err);

    if (answer == KUBE_UPGRADE_REFUSED) {
        snprintf(out, sizeof out, "refused %u, head %zu%s%s %d", head.status, head.head_bytes,
                 head.is_chunked ? " chunked" : "", head.has_length ? " length" : "",
                 (int)head.body_bytes);
    } else {
        snprintf(out, sizeof out, "%s%s%s", words[answer], err.text[0] ? ": " : "", err.text);
    }
    return out;
}

static void an_answer_opens_only_with_proof(void **state)
{
    (void)state;
    assert_string_equal(told(GOOD "frames"), "open");
    assert_string_equal(told("HTTP/1.1 101 S\r\nSec-WebSocket-Accept: " ACCEPT "\r\n\r"), "more");
    assert_string_equal(told("HTTP/1.1 101 S\r\nSec-WebSocket-Accept: " ACCEPT "\r\n\r\n"),
                        "bad: the API server does not speak v5.channel.k8s.io; this needs "
                        "Kubernetes 1.30 or newer");
    assert_string_equal(told("HTTP/1.1 101 S\r\nSec-WebSocket-Accept: " ACCEPT
                             "\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n"),
                        "bad: the API server does not speak v5.channel.k8s.io; this needs "
                        "Kubernetes 1.30 or newer");
    assert_string_equal(told("HTTP/1.1 101 S\r\nSec-WebSocket-Accept: other\r\n\r\n"),
                        "bad: the API server's answer is no HTTP that we know: "
                        "it does not belong to our handshake");
}

static void a_refusal_says_how_long_its_words_are(void **state)
{
    (void)state;
    assert_string_equal(told("HTTP/1.1 403 No\r\nContent-Length: 12\r\n\r\n"),
                        "refused 403, head 39 length 12");
    assert_string_equal(told("HTTP/1.1 500\r\nTransfer-Encoding: chunked\r\n\r\n"),
                        "refused 500, head 44 chunked 0");
    assert_string_equal(told("HTTP/1.1 200 OK\r\n\r\n"), "refused 200, head 19 0");
}

static void a_broken_head_is_refused(void **state)
{
    static const char *const heads[] = {
        "HTTP/1.0 101 S\r\n\r\n",
        "SSH-2.0-x\r\n\r\n",
        "HTTP/1.1 1x1 S\r\n\r\n",
        "HTTP/1.1 1011\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 403 No\r\nno colon\r\n\r\n",
        "HTTP/1.1 403 No\r\n folded: 1\r\n\r\n",
        "HTTP/1.1 403 No\r\na: 1\nb: 2\r\n\r\n",
        "HTTP/1.1 403 No\r\n: 1\r\n\r\n",
        "HTTP/1.1 403 No\r\nContent-Length: 1\r\nContent-length: 1\r\n\r\n",
        "HTTP/1.1 403 No\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 403 No\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 403 No\r\nTransfer-Encoding: gzip\r\n\r\n",
    };
    static char long_head[KUBE_UPGRADE_HEAD_BYTES_MAX + 1];

    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (strncmp(told(heads[i]), "bad: ", 5) != 0) fail_msg("%s: %s", heads[i], told(heads[i]));
    }
    memset(long_head, 'a', sizeof long_head - 1);
    assert_non_null(strstr(told(long_head), "over 16 KiB"));
}

FL_TESTS(cmocka_unit_test(a_server_is_a_place_with_a_port),
         cmocka_unit_test(the_request_has_the_servers_path_and_our_token),
         cmocka_unit_test(an_answer_opens_only_with_proof),
         cmocka_unit_test(a_refusal_says_how_long_its_words_are),
         cmocka_unit_test(a_broken_head_is_refused))
