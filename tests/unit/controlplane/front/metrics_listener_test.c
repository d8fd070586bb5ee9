/* The metrics listener as strangers and scrapers meet it: its answers and its limits. */
#include "controlplane/front/metrics_listener.h"

#include <ftw.h>
#include <stdlib.h>

#include "controlplane/core/core_event.h"
#include "controlplane/identity/api_token.h"
#include "controlplane/identity/identity.h"
#include "controlplane/views/token_table.h"
#include "shared/io/metrics.h"
#include "shared/io/state_dir.h"
#include "tests/unit/controlplane/http/http_world.h"

#define NOW ((fl_ms)1790000000000)
#define LINE "GET /metrics HTTP/1.1\r\nHost: a\r\n"

static const struct fl_metric_family families[] = {
    {"fairlead_test_total", FL_METRIC_COUNTER, NULL, "a count", 0, NULL, 0},
};

/* A world whose plain address is the metrics listener's. */
struct scraped {
    struct world *world;
    struct fl_state_dir *dir;
    struct identity *identity;
    struct token_table *tokens;
    struct fl_metrics *metrics;
    struct metrics_listener *listener;
    char folder[64];
};

static struct scraped *create(const struct http_limits *limits)
{
    struct scraped *scraped = fl_new(struct scraped);
    struct identity_config config = identity_config_default();
    struct metrics_listener_parts parts;
    struct fl_net_address any;
    struct fl_err err = {0};

    snprintf(scraped->folder, sizeof scraped->folder, "/tmp/fl_metrics_listener.XXXXXX");
    assert_non_null(mkdtemp(scraped->folder));
    assert_true(fl_state_dir_open(scraped->folder, &scraped->dir, &err));
    assert_true(identity_open(scraped->dir, &config, NOW, &scraped->identity, &err));
    scraped->world = world_create(NULL);
    scraped->tokens = token_table_create();
    scraped->metrics = fl_metrics_create();
    fl_metrics_add(scraped->metrics, families, 1);
    fl_metric_add(fl_metric(scraped->metrics, &families[0]), 7);
    parts = (struct metrics_listener_parts){.loop = scraped->world->loop,
                                            .metrics = scraped->metrics,
                                            .tokens = scraped->tokens,
                                            .identity = scraped->identity,
                                            .limits = *limits};
    assert_true(fl_net_parse(FL_STR("127.0.0.1:0"), &any, &err));
    assert_true(fl_net_listen(&any, (struct fl_net_listen){0}, &parts.listen_fd, &err));
    assert_true(fl_net_local(parts.listen_fd, &scraped->world->plain_at, &err));
    scraped->listener = metrics_listener_create(&parts, &err);
    assert_non_null(scraped->listener);
    return scraped;
}

static int remove_one(const char *name, const struct stat *found, int kind, struct FTW *walk)
{
    (void)found;
    (void)kind;
    (void)walk;
    return remove(name);
}

static void destroy(struct scraped *scraped)
{
    metrics_listener_destroy(scraped->listener);
    fl_metrics_destroy(scraped->metrics);
    token_table_destroy(scraped->tokens);
    world_destroy(scraped->world);
    identity_close(scraped->identity);
    fl_state_dir_close(scraped->dir);
    assert_int_equal(nftw(scraped->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    fl_free(scraped);
}

/* The head of a scrape by a new token. */
static const char *scrape_by(struct scraped *scraped, uint8_t scopes, const char *queue)
{
    static char head[256];
    struct api_token token = api_token_random();
    char id[API_TOKEN_ID_TEXT_MAX], text[API_TOKEN_TEXT_MAX];
    struct row row = {.kind = ROW_token_put};

    api_token_id_print(token.id, id);
    api_token_print(&token, text);
    row.token_put.tenant = 1;
    row.token_put.scopes = scopes;
    row.token_put.id = fl_str_c(id);
    row.token_put.name = FL_STR("n");
    row.token_put.queue = fl_str_c(queue);
    row.token_put.mac = api_token_mac(&token, identity_pepper(scraped->identity));
    token_table_apply(scraped->tokens, &row);
    snprintf(head, sizeof head, LINE "Authorization: Bearer %s\r\n\r\n", text);
    return head;
}

static void expect(struct scraped *scraped, const char *bytes, const char *outcome)
{
    struct client *client = client_open(scraped->world, false);

    client_send(client, fl_str_c(bytes));
    client_expect(client, outcome, bytes);
    client_close(client);
}

static void figures_are_for_readers_of_all_queues(void **state)
{
    struct http_limits limits = http_limits_default();
    struct scraped *scraped = create(&limits);
    struct client *client = client_open(scraped->world, false);

    (void)state;
    client_send(client, fl_str_c(scrape_by(scraped, CORE_SCOPE_read, "")));
    client_expect(client, "200", "a reader");
    assert_true(client_has(client, "\nfairlead_test_total 7\n"));
    client_close(client);
    expect(scraped, scrape_by(scraped, CORE_SCOPE_admin, ""), "200");
    expect(scraped, scrape_by(scraped, CORE_SCOPE_read, "ml"), "403");
    expect(scraped, scrape_by(scraped, CORE_SCOPE_admin, "ml"), "403");
    expect(scraped, scrape_by(scraped, CORE_SCOPE_submit | CORE_SCOPE_cancel, ""), "403");
    expect(scraped, LINE "\r\n", "401");
    expect(scraped, LINE "Authorization: Bearer fl_x\r\n\r\n", "401");
    destroy(scraped);
}

static void what_is_too_large_is_refused(void **state)
{
    struct http_limits limits = http_limits_default();
    struct scraped *scraped = create(&limits);
    struct fl_buf bytes;

    (void)state;
    fl_buf_init(&bytes, 1 << 20);
    fl_buf_put(&bytes, LINE "X: ", sizeof LINE "X: " - 1);
    while (bytes.len <= limits.head_bytes_max) {
        fl_buf_put_u8(&bytes, 'x');
    }
    fl_buf_put_u8(&bytes, 0);
    expect(scraped, (const char *)bytes.at, "431 close");
    fl_buf_clear(&bytes);
    fl_buf_put(&bytes, LINE, sizeof LINE - 1);
    for (size_t i = 0; i < limits.headers_max; i++) {
        fl_buf_put(&bytes, "X: x\r\n", 6);
    }
    fl_buf_put(&bytes, "\r\n", 3);
    expect(scraped, (const char *)bytes.at, "431 close");
    fl_buf_fini(&bytes);
    expect(scraped, LINE "Content-Length: 1000000\r\n\r\n", "401 close"); /* no body is read */
    destroy(scraped);
}

static void who_is_slow_is_cut(void **state)
{
    struct http_limits limits = http_limits_default();
    struct scraped *scraped;
    struct client *begun, *silent;

    (void)state;
    limits.head_ms = 50;
    limits.idle_ms = 50;
    scraped = create(&limits);
    begun = client_open(scraped->world, false);
    silent = client_open(scraped->world, false);
    client_send(begun, FL_STR("GET /metrics HTTP/1.1\r\nHo"));
    client_expect(begun, "408 close", "a head that does not end");
    client_expect(silent, "close", "no byte");
    client_close(begun);
    client_close(silent);
    destroy(scraped);
}

static void silent_strangers_make_room_for_a_scrape(void **state)
{
    struct http_limits limits = http_limits_default();
    struct scraped *scraped = create(&limits);
    struct client *silent[2 * METRICS_CONNECTIONS_MAX];
    size_t cut = 0;

    (void)state;
    for (size_t i = 0; i < 2 * METRICS_CONNECTIONS_MAX; i++) {
        silent[i] = client_open(scraped->world, false);
    }
    for (int i = 0; i < 3; i++) {
        expect(scraped, scrape_by(scraped, CORE_SCOPE_read, ""), "200");
    }
    for (size_t i = 0; i < 2 * METRICS_CONNECTIONS_MAX; i++) {
        client_read(silent[i], SIZE_MAX);
        cut += silent[i]->has_ended;
        client_close(silent[i]);
    }
    assert_true(cut >= METRICS_CONNECTIONS_MAX);
    destroy(scraped);
}

FL_TESTS(cmocka_unit_test(figures_are_for_readers_of_all_queues),
         cmocka_unit_test(what_is_too_large_is_refused), cmocka_unit_test(who_is_slow_is_cut),
         cmocka_unit_test(silent_strangers_make_room_for_a_scrape))
