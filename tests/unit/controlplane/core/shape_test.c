#include "controlplane/core/shape.h"

#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "tests/fl_test.h"

static struct shape small(void)
{
    return (struct shape){.roles_len = 1,
                          .roles = {{.replicas = 1, .replicas_min = 1, .each = {1, 2, 3}}}};
}

static struct shape large(void)
{
    return (struct shape){
        .roles_len = 2,
        .roles = {{2, 1, {(uint64_t)1 << 40, 96000, 8}}, {1000, 1000, {0, 0, 0}}},
        .node_labels_len = 2,
        .node_labels = {{FL_STR("disk"), FL_STR("")}, {FL_STR("zone"), FL_STR("a")}},
        .clusters_len = 2,
        .clusters = {FL_STR("east"), FL_STR("west")},
        .not_clusters_len = 1,
        .not_clusters = {FL_STR("north")},
        .affinity = FL_STR("!slow\ncores>8,zone in (a,b)\n"),
        .tolerations = FL_STR("a=b:NoSchedule\nc\n"),
        .has_image = true,
    };
}

static bool encodes(const struct shape *shape, struct fl_buf *buf)
{
    fl_buf_init(buf, FL_JOB_SHAPE_BYTES_MAX);
    return shape_encode(buf, shape);
}

static bool is_taken(const struct shape *shape)
{
    struct fl_buf buf;
    bool is = encodes(shape, &buf);

    fl_buf_fini(&buf);
    return is;
}

static void what_was_encoded_decodes_to_the_same(void **state)
{
    struct shape shape = large(), back;
    struct fl_buf buf;
    struct fl_err err = {0};

    (void)state;
    assert_true(encodes(&shape, &buf));
    assert_true(shape_decode((struct fl_str){(const char *)buf.at, buf.len}, &back, &err));
    assert_int_equal(back.roles_len, 2);
    assert_int_equal(back.roles[0].replicas_min, 1);
    assert_int_equal(back.roles[0].each.memory_bytes, (uint64_t)1 << 40);
    assert_int_equal(back.roles[0].each.cpu_milli, 96000);
    assert_int_equal(back.roles[0].each.gpus, 8);
    assert_int_equal(back.roles[1].replicas, 1000);
    assert_true(fl_str_eq(back.node_labels[1].key, FL_STR("zone")));
    assert_true(fl_str_eq(back.node_labels[1].value, FL_STR("a")));
    assert_true(fl_str_eq(back.clusters[1], FL_STR("west")));
    assert_true(fl_str_eq(back.not_clusters[0], FL_STR("north")));
    assert_true(fl_str_eq(back.tolerations, shape.tolerations));
    assert_true(back.has_image);
    assert_int_equal(shape_replicas(&back), 1002);
    fl_buf_fini(&buf);
}

/* One meaning, one spelling: a changed, cut or lengthened encoding is refused, or means something
 * else and is the encoding of that. */
static void no_other_bytes_mean_the_same_shape(void **state)
{
    struct shape shape = large(), back;
    struct fl_buf buf, again;
    unsigned refused = 0;

    (void)state;
    assert_true(encodes(&shape, &buf));
    for (size_t i = 0; i < buf.len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            struct fl_str bytes = {(const char *)buf.at, buf.len};

            buf.at[i] ^= (uint8_t)(1u << bit);
            if (!shape_decode(bytes, &back, NULL)) {
                refused++;
            } else {
                assert_true(encodes(&back, &again));
                assert_int_equal(again.len, buf.len);
                assert_memory_equal(again.at, buf.at, buf.len);
                fl_buf_fini(&again);
            }
            buf.at[i] ^= (uint8_t)(1u << bit);
        }
        assert_false(shape_decode((struct fl_str){(const char *)buf.at, i}, &back, NULL));
    }
    assert_true(refused > 100);
    fl_buf_put_u8(&buf, 0);
    assert_false(shape_decode((struct fl_str){(const char *)buf.at, buf.len}, &back, NULL));
    fl_buf_fini(&buf);
}

/* One replica of one core, 300 s, two retries: as release 0001 wrote it. */
static const char OLD[] = {1, 1, 1, 1, (char)0xe8, 7, 0, 0, 0, 0, 0, (char)0xac, 2, 2, 0};

static void a_shape_of_before_0003_is_read_with_its_deadline_and_retries(void **state)
{
    struct fl_str bytes = {OLD, sizeof OLD};
    uint32_t deadline_s, retries_max;
    char cut[sizeof OLD];
    struct shape shape;
    struct fl_err err;

    (void)state;
    assert_true(shape_is_old(bytes));
    assert_true(shape_decode(bytes, &shape, &err));
    assert_int_equal(shape.roles[0].each.cpu_milli, 1000);
    assert_false(shape.has_image);
    shape_read_old(bytes, &deadline_s, &retries_max);
    assert_int_equal(deadline_s, 300);
    assert_int_equal(retries_max, 2);
    for (size_t len = 0; len < sizeof OLD; len++) {
        assert_false(shape_decode((struct fl_str){OLD, len}, &shape, NULL));
    }
    memcpy(cut, OLD, sizeof cut);
    cut[0] = 3; /* a layout of a release to come */
    assert_false(shape_decode((struct fl_str){cut, sizeof cut}, &shape, NULL));
}

static void a_shape_of_today_is_not_old(void **state)
{
    struct shape shape = large();
    struct fl_buf buf;

    (void)state;
    assert_true(encodes(&shape, &buf));
    assert_false(shape_is_old((struct fl_str){(const char *)buf.at, buf.len}));
    assert_false(shape_is_old((struct fl_str){0}));
    fl_buf_fini(&buf);
}

static void what_is_not_sorted_or_repeats_is_refused(void **state)
{
    struct shape shape = large();

    (void)state;
    shape.clusters[1] = FL_STR("east");
    assert_false(is_taken(&shape));
    shape.clusters[1] = FL_STR("a");
    assert_false(is_taken(&shape));
    shape = large();
    shape.not_clusters_len = 2;
    shape.not_clusters[1] = FL_STR("n");
    assert_false(is_taken(&shape));
    shape = large();
    shape.node_labels[1].key = FL_STR("disk");
    assert_false(is_taken(&shape));
    shape = large();
    shape.affinity = FL_STR("zone in (b,a)\n");
    assert_false(is_taken(&shape));
}

/* Each has the oldest layout that can hold it, so shapes of before keep their bytes. */
static void the_layout_goes_by_what_is_in_it(void **state)
{
    static const struct {
        struct fl_str kind, tolerations, affinity;
        char format;
    } cases[] = {
        {{0}, {0}, {0}, SHAPE_FORMAT_plain},
        {{"rdma/hca", 8}, {0}, {0}, SHAPE_FORMAT_kinds},
        {{0}, {"a\n", 2}, {0}, SHAPE_FORMAT_tolerations},
        {{"rdma/hca", 8}, {"a\n", 2}, {0}, SHAPE_FORMAT_tolerations},
        {{0}, {0}, {"a\n", 2}, SHAPE_FORMAT_affinity},
        {{"rdma/hca", 8}, {"a\n", 2}, {"!a\n", 3}, SHAPE_FORMAT_affinity},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shape shape = small(), back;
        struct fl_buf buf;

        shape.kinds_len = cases[i].kind.len > 0;
        shape.kinds[0] = cases[i].kind;
        shape.roles[0].named[0] = cases[i].kind.len;
        shape.tolerations = cases[i].tolerations;
        shape.affinity = cases[i].affinity;
        assert_true(encodes(&shape, &buf));
        assert_int_equal(buf.at[0], cases[i].format);
        assert_true(shape_decode((struct fl_str){(const char *)buf.at, buf.len}, &back, NULL));
        assert_true(fl_str_eq(back.tolerations, shape.tolerations));
        assert_true(fl_str_eq(back.affinity, shape.affinity));
        assert_int_equal(back.roles[0].named[0], cases[i].kind.len);
        fl_buf_fini(&buf);
    }
}

static void what_is_no_name_or_no_label_is_refused(void **state)
{
    static const char key_of_318[] = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
                                     "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
                                     "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
                                     "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
                                     "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
                                     "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";
    static const struct shape_label bad[] = {
        {{"", 0}, {"x", 1}},    {{"a=b", 3}, {"x", 1}},        {{"a\n", 2}, {"x", 1}},
        {{"a", 1}, {"x\n", 2}}, {{key_of_318, 318}, {"x", 1}}, {{"a", 1}, {key_of_318, 64}},
    };
    struct shape shape = small();

    (void)state;
    assert_int_equal(strlen(key_of_318), 318);
    shape.node_labels_len = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        shape.node_labels[0] = bad[i];
        assert_false(is_taken(&shape));
    }
    shape.node_labels[0] = (struct shape_label){{key_of_318, 317}, {key_of_318, 63}};
    assert_true(is_taken(&shape));
    shape = small();
    shape.clusters_len = 1;
    shape.clusters[0] = FL_STR("East");
    assert_false(is_taken(&shape));
}

static void every_limit_holds_at_its_edge(void **state)
{
    struct shape shape = small();

    (void)state;
    assert_true(is_taken(&shape));
    shape.roles_len = 0;
    assert_false(is_taken(&shape));
    shape.roles_len = FL_JOB_ROLES_MAX;
    for (int i = 0; i < FL_JOB_ROLES_MAX; i++) {
        shape.roles[i] = (struct shape_role){64, 0, {0, 0, 0}};
    }
    assert_true(is_taken(&shape)); /* 1024 in all */
    shape.roles[7].replicas++;
    assert_false(is_taken(&shape));
    shape = small();
    shape.roles[0].replicas = UINT32_MAX; /* no sum may wrap round */
    assert_false(is_taken(&shape));
    shape.roles[0].replicas = 0;
    assert_false(is_taken(&shape));
    shape.roles[0].replicas_min = 2;
    shape.roles[0].replicas = 1;
    assert_false(is_taken(&shape));
    shape = small();
    shape.roles[0].each = (struct fl_resources){(uint64_t)1 << 50, 100000000, 100000};
    assert_true(is_taken(&shape));
    shape.roles[0].each.memory_bytes++;
    assert_false(is_taken(&shape));
    shape.roles[0].each = (struct fl_resources){0, 100000001, 0};
    assert_false(is_taken(&shape));
    shape.roles[0].each = (struct fl_resources){0, 0, 100001};
    assert_false(is_taken(&shape));
}

static void names_and_labels_have_a_most(void **state)
{
    static char names[FL_JOB_CLUSTERS_MAX + 1][16];
    struct shape shape = small();

    (void)state;
    for (int i = 0; i <= FL_JOB_CLUSTERS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "c%02d", i);
        if (i == FL_JOB_CLUSTERS_MAX) continue;
        shape.clusters[i] = shape.not_clusters[i] = fl_str_c(names[i]);
        if (i < FL_JOB_NODE_LABELS_MAX) shape.node_labels[i].key = fl_str_c(names[i]);
    }
    shape.clusters_len = shape.not_clusters_len = FL_JOB_CLUSTERS_MAX;
    shape.node_labels_len = FL_JOB_NODE_LABELS_MAX;
    assert_true(is_taken(&shape));
    shape.clusters_len++;
    assert_false(is_taken(&shape));
    shape.clusters_len--;
    shape.not_clusters_len++;
    assert_false(is_taken(&shape));
    shape.not_clusters_len--;
    shape.node_labels_len++;
    assert_false(is_taken(&shape));
}

static struct shape with_kinds(void)
{
    struct shape shape = large();

    shape.kinds_len = 2;
    shape.kinds[0] = FL_STR("nvidia.com/mig-1g.5gb");
    shape.kinds[1] = FL_STR("rdma/hca");
    shape.roles[0].named[1] = 1;
    shape.roles[1].named[0] = NAMED_AMOUNT_MAX;
    return shape;
}

static void resources_by_name_are_told_role_by_role(void **state)
{
    struct shape shape = with_kinds(), back;
    struct fl_buf buf;
    struct fl_err err = {0};

    (void)state;
    assert_true(encodes(&shape, &buf));
    assert_true(shape_decode((struct fl_str){(const char *)buf.at, buf.len}, &back, &err));
    assert_int_equal(back.kinds_len, 2);
    assert_true(fl_str_eq(back.kinds[0], shape.kinds[0]));
    assert_true(fl_str_eq(back.kinds[1], shape.kinds[1]));
    for (uint32_t r = 0; r < 2; r++) {
        assert_memory_equal(back.roles[r].named, shape.roles[r].named, 16);
    }
    assert_int_equal(back.kind_numbers[0], 0);
    assert_true(back.has_image);
    fl_buf_fini(&buf);
}

/* Each name once, in order, asked for by some role, and no more of it than can be. */
static void resources_by_name_are_canonical_and_bounded(void **state)
{
    static char names[SHAPE_KINDS_MAX][16];
    struct shape shape = with_kinds();

    (void)state;
    assert_true(is_taken(&shape));
    shape.kinds[1] = shape.kinds[0];
    assert_false(is_taken(&shape));
    shape.kinds[1] = FL_STR("a/b");
    assert_false(is_taken(&shape));
    shape.kinds[1] = FL_STR("no name");
    assert_false(is_taken(&shape));
    shape = with_kinds();
    shape.roles[0].named[1] = 0;
    assert_false(is_taken(&shape));
    shape = with_kinds();
    shape.roles[0].named[0] = NAMED_AMOUNT_MAX + 1;
    assert_false(is_taken(&shape));
    shape = small();
    for (uint32_t k = 0; k < SHAPE_KINDS_MAX; k++) {
        snprintf(names[k], sizeof names[k], "x.io/r%u", k);
        shape.kinds[k] = fl_str_c(names[k]);
        shape.roles[0].named[k] = 1;
    }
    shape.kinds_len = SHAPE_KINDS_MAX;
    assert_true(is_taken(&shape));
    shape.kinds_len++;
    assert_false(is_taken(&shape));
}

/* All jobs of before have the bytes that they had. */
static void a_shape_without_names_has_its_old_layout(void **state)
{
    static const uint8_t layout = 2, layout_of_kinds = 3;
    struct shape shape = large();
    struct fl_buf buf;

    (void)state;
    shape.tolerations = shape.affinity = (struct fl_str){0};
    assert_true(encodes(&shape, &buf));
    assert_int_equal(buf.at[0], layout);
    buf.at[0] = layout_of_kinds;
    assert_false(shape_decode((struct fl_str){(const char *)buf.at, buf.len}, &shape, NULL));
    fl_buf_fini(&buf);
    shape = with_kinds();
    shape.tolerations = shape.affinity = (struct fl_str){0};
    assert_true(encodes(&shape, &buf));
    assert_int_equal(buf.at[0], layout_of_kinds);
    buf.at[0] = layout;
    assert_false(shape_decode((struct fl_str){(const char *)buf.at, buf.len}, &shape, NULL));
    fl_buf_fini(&buf);
}

static void encoding_into_too_little_room_fails(void **state)
{
    struct shape shape = with_kinds();
    struct fl_buf buf;
    size_t len;

    (void)state;
    assert_true(encodes(&shape, &buf));
    len = buf.len;
    fl_buf_fini(&buf);
    for (size_t room = 0; room < len; room++) {
        fl_buf_init(&buf, room);
        assert_false(shape_encode(&buf, &shape));
        fl_buf_fini(&buf);
    }
}

static void a_flat_replica_number_belongs_to_the_role_that_holds_it(void **state)
{
    struct shape shape = {.roles_len = 3,
                          .roles = {{.replicas = 1}, {.replicas = 3}, {.replicas = 2}}};
    static const int role_of[] = {0, 1, 1, 1, 2, 2};

    (void)state;
    assert_int_equal(shape_replicas(&shape), 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_ptr_equal(shape_role_of(&shape, i), &shape.roles[role_of[i]]);
    }
}

static void random_bytes_are_refused_or_canonical(void **state)
{
    struct fl_prng prng;
    struct shape shape;
    unsigned taken = 0;

    (void)state;
    fl_prng_seed(&prng, 3);
    for (int i = 0; i < 200000; i++) {
        char bytes[16] = {2, 1, 1};
        struct fl_str at = {bytes, 8 + fl_prng_below(&prng, 8)};
        struct fl_buf again;

        for (size_t b = 2; b < at.len; b++) {
            bytes[b] = (char)fl_prng_below(&prng, fl_prng_chance(&prng, 900000) ? 3 : 256);
        }
        if (!shape_decode(at, &shape, NULL)) continue;
        assert_true(encodes(&shape, &again));
        assert_int_equal(again.len, at.len);
        assert_memory_equal(again.at, bytes, at.len);
        fl_buf_fini(&again);
        taken++;
    }
    assert_true(taken > 100);
}

/* With them a shape has a layout of its own; without them it has the bytes it always had. */
static void tolerations_are_behind_all_that_was_there_before(void **state)
{
    struct shape shape = small(), back;
    struct fl_buf plain, buf;
    struct fl_err err = {0};

    (void)state;
    assert_true(encodes(&shape, &plain));
    assert_int_equal(plain.at[0], 2);
    shape.tolerations = FL_STR("*:NoExecute\na=b\n");
    assert_true(encodes(&shape, &buf));
    assert_int_equal(buf.at[0], 4);
    assert_memory_equal(buf.at + 1, plain.at + 1, plain.len - 1);
    assert_true(shape_decode((struct fl_str){(const char *)buf.at, buf.len}, &back, &err));
    assert_true(fl_str_eq(back.tolerations, shape.tolerations));
    assert_int_equal(back.kinds_len, 0);
    fl_buf_fini(&buf);
    shape.kinds[0] = FL_STR("x.io/fpga");
    shape.kinds_len = 1;
    shape.roles[0].named[0] = 5;
    assert_true(encodes(&shape, &buf));
    assert_int_equal(buf.at[0], 4);
    assert_true(shape_decode((struct fl_str){(const char *)buf.at, buf.len}, &back, &err));
    assert_int_equal(back.roles[0].named[0], 5);
    assert_true(fl_str_eq(back.tolerations, shape.tolerations));
    fl_buf_fini(&buf);
    plain.at[0] = 4; /* the layout with tolerations, and none */
    fl_buf_put_u8(&plain, 0);
    fl_buf_put_u8(&plain, 0);
    assert_false(shape_decode((struct fl_str){(const char *)plain.at, plain.len}, &back, NULL));
    fl_buf_fini(&plain);
    shape.tolerations = FL_STR("b\na\n");
    assert_false(is_taken(&shape));
    shape.tolerations = FL_STR("a");
    assert_false(is_taken(&shape));
}

FL_TESTS(cmocka_unit_test(what_was_encoded_decodes_to_the_same),
         cmocka_unit_test(no_other_bytes_mean_the_same_shape),
         cmocka_unit_test(a_shape_of_before_0003_is_read_with_its_deadline_and_retries),
         cmocka_unit_test(a_shape_of_today_is_not_old),
         cmocka_unit_test(what_is_not_sorted_or_repeats_is_refused),
         cmocka_unit_test(the_layout_goes_by_what_is_in_it),
         cmocka_unit_test(what_is_no_name_or_no_label_is_refused),
         cmocka_unit_test(every_limit_holds_at_its_edge),
         cmocka_unit_test(names_and_labels_have_a_most),
         cmocka_unit_test(resources_by_name_are_told_role_by_role),
         cmocka_unit_test(resources_by_name_are_canonical_and_bounded),
         cmocka_unit_test(a_shape_without_names_has_its_old_layout),
         cmocka_unit_test(encoding_into_too_little_room_fails),
         cmocka_unit_test(a_flat_replica_number_belongs_to_the_role_that_holds_it),
         cmocka_unit_test(random_bytes_are_refused_or_canonical),
         cmocka_unit_test(tolerations_are_behind_all_that_was_there_before))
