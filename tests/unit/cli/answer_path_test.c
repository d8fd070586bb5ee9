#include "cli/answer_path.h"

#include "tests/fl_test.h"

static const char answer_text[] =
    "{\"id\":\"job-7\",\"n\":3,\"none\":null,\"labels\":{\"a.b/c\":\"x\",\"it's\":\"y\"},"
    "\"nodes\":[\"n1\",\"n2\",\"n3\"],\"live\":[{\"state\":\"running\"},{\"state\":\"held\"}],"
    "\"is\":true,\"empty\":\"\"}";

struct world {
    struct fl_arena arena;
    json_t *answer;
    struct fl_buf buf;
};

static void setup(struct world *world)
{
    *world = (struct world){.answer = json_loads(answer_text, 0, NULL)};
    assert_non_null(world->answer);
    fl_buf_init(&world->buf, 4096);
}

static void teardown(struct world *world)
{
    fl_buf_fini(&world->buf);
    json_decref(world->answer);
    fl_arena_fini(&world->arena);
}

static void gives(struct world *world, const char *template, const char *want)
{
    struct fl_err err = {0};
    const struct cli_template *parsed = cli_template_parse(fl_str_c(template), &world->arena, &err);

    if (!parsed) fail_msg("%s: %s", template, err.text);
    fl_buf_clear(&world->buf);
    cli_template_put(parsed, world->answer, &world->buf);
    fl_buf_put_u8(&world->buf, 0);
    assert_string_equal((const char *)world->buf.at, want);
}

static void is_refused(struct world *world, const char *template, const char *why)
{
    struct fl_err err = {0};

    assert_null(cli_template_parse(fl_str_c(template), &world->arena, &err));
    assert_int_equal(err.code, FL_INVALID);
    if (!strstr(err.text, why)) fail_msg("%s: '%s' is not in '%s'", template, why, err.text);
}

static void a_path_finds_members_items_and_all(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    gives(&world, "id", "job-7");
    gives(&world, ".id", "job-7");
    gives(&world, "$.id", "job-7");
    gives(&world, "{@.id}", "job-7");
    gives(&world, ".n", "3");
    gives(&world, ".is", "true");
    gives(&world, ".none", "");
    gives(&world, ".nothing.at.all", "");
    gives(&world, ".id.deeper", "");
    gives(&world, ".nodes[0]", "n1");
    gives(&world, ".nodes[-1]", "n3");
    gives(&world, ".nodes[3]", "");
    gives(&world, ".nodes[-4]", "");
    gives(&world, ".nodes[*]", "n1 n2 n3");
    gives(&world, ".nodes", "[\"n1\",\"n2\",\"n3\"]");
    gives(&world, ".live[*].state", "running held");
    gives(&world, ".live[1]['state']", "held");
    gives(&world, ".labels.*", "x y");
    gives(&world, ".labels['a.b/c']", "x");
    gives(&world, ".labels[\"a.b/c\"]", "x");
    gives(&world, ".labels.a\\.b/c", "x");
    gives(&world, ".labels['it\\'s']", "y");
    gives(&world, "{.}", answer_text);
    teardown(&world);
}

static void a_template_has_text_paths_and_quoted_text(void **state)
{
    struct world world;

    (void)state;
    setup(&world);
    gives(&world, "{.id} is {.live[0].state}!", "job-7 is running!");
    gives(&world, "{.id}{\"\\t\"}{.n}{\"\\n\"}", "job-7\t3\n");
    gives(&world, "{\"a}b\\\"c\"}", "a}b\"c");
    gives(&world, "{.labels['it\\'s']}{.empty}-", "y-");
    teardown(&world);
}

static void what_is_no_path_is_shown(void **state)
{
    char many[3 * 40 + 1] = "", parts[CLI_TEMPLATE_PARTS_MAX * 4 + 8] = "";
    struct world world;

    (void)state;
    setup(&world);
    is_refused(&world, "", "a path is empty");
    is_refused(&world, "{}", "a path is empty");
    is_refused(&world, ".a[", "'.a[' is no path, at '['");
    is_refused(&world, ".a[x]", "at '[x]'");
    is_refused(&world, ".a['x", "at '['x'");
    is_refused(&world, ".a[0]b", "at 'b'");
    is_refused(&world, "a b", "at ' b'");
    is_refused(&world, "..a", "is no path");
    is_refused(&world, "{.id", "'}' is missing behind '{.id'");
    is_refused(&world, "{.labels['}']", "'}' is missing");
    is_refused(&world, "{range .items[*]}{.id}{end}", "applied to each item");
    for (int i = 0; i < 40; i++) {
        strcat(many, ".a");
    }
    is_refused(&world, many, "at most 32 steps");
    for (int i = 0; i <= CLI_TEMPLATE_PARTS_MAX; i++) {
        strcat(parts, "{.}");
    }
    is_refused(&world, parts, "at most 128 parts");
    teardown(&world);
}

FL_TESTS(cmocka_unit_test(a_path_finds_members_items_and_all),
         cmocka_unit_test(a_template_has_text_paths_and_quoted_text),
         cmocka_unit_test(what_is_no_path_is_shown))
