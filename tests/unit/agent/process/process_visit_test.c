/* Visits of a replica that is a process: commands, terminals and connections, without a hub. */
#include "agent/process/process_visit.h"

#include "tests/unit/agent/process/process_visit_world.h"

/* ---- commands -------------------------------------------------------------------------------- */

static void a_command_reads_writes_and_ends_with_its_code(void **state)
{
    struct guest guest;
    struct world world;

    (void)state;
    begin(&world);
    command(&world, &guest, "echo $FAIRLEAD_JOB_ID; cat; echo after; exit 7", false);
    until_out(&guest, "job-5\n");
    assert_int_equal(guest.visit.ops->write(guest.visit.self, FL_STR("typed\n")), 6);
    until_out(&guest, "typed\n");
    guest.visit.ops->end_input(guest.visit.self);
    until_over(&guest);
    assert_int_equal(guest.status.code, FL_OK);
    assert_int_equal(guest.status.exit_code, 7);
    assert_non_null(strstr(guest.out, "typed\nafter\n"));
    leave(&guest);
    command(&world, &guest, "kill -9 $$", false);
    until_over(&guest);
    assert_int_equal(guest.status.exit_code, 128 + SIGKILL);
    leave(&guest);
    end(&world);
}

static void a_terminal_has_a_size_and_hears_a_new_one(void **state)
{
    struct guest guest;
    struct world world;

    (void)state;
    begin(&world);
    command(&world, &guest, "stty size; echo $TERM; read line; stty size", true);
    until_out(&guest, "33 101");
    until_out(&guest, "vt220");
    guest.visit.ops->resize(guest.visit.self, (struct fl_visit_size){40, 120});
    assert_int_equal(guest.visit.ops->write(guest.visit.self, FL_STR("\n")), 1);
    until_out(&guest, "40 120");
    until_over(&guest);
    leave(&guest);
    end(&world);
}

static void a_command_whose_visitor_left_is_hung_up_and_then_killed(void **state)
{
    struct guest guest;
    struct world world;
    pid_t plain, stubborn;

    (void)state;
    begin(&world);
    command(&world, &guest, "echo $$ .; sleep 1000", false);
    until_out(&guest, " .");
    plain = (pid_t)strtol(guest.out, NULL, 10);
    leave(&guest);
    command(&world, &guest, "trap '' HUP; echo $$ .; while :; do sleep 0.02; done", false);
    until_out(&guest, " .");
    stubborn = (pid_t)strtol(guest.out, NULL, 10);
    leave(&guest);
    while (is_alive(plain)) {
        turn(&world);
    }
    assert_true(is_alive(stubborn));
    while (is_alive(stubborn)) {
        turn(&world);
    }
    end(&world);
}

static void commands_end_with_the_agent(void **state)
{
    struct guest guest;
    struct world world;
    pid_t pid;

    (void)state;
    begin(&world);
    command(&world, &guest, "trap '' HUP; echo $$ .; while :; do sleep 0.02; done", false);
    until_out(&guest, " .");
    pid = (pid_t)strtol(guest.out, NULL, 10);
    end(&world);
    assert_false(is_alive(pid));
}

static void a_visit_ends_with_its_replica(void **state)
{
    struct guest guest;
    struct world world;

    (void)state;
    begin(&world);
    command(&world, &guest, "echo in; sleep 1000", false);
    until_out(&guest, "in");
    stop_replica(&world);
    until_over(&guest);
    assert_int_equal(guest.status.code, FL_UNAVAILABLE);
    assert_string_equal(guest.text, "the replica has ended, and with it what ran here");
    leave(&guest);
    end(&world);
}

static void what_cannot_be_entered_is_refused(void **state)
{
    struct fl_visit_open open = {.replica = 3};
    struct fl_err err = {0};
    struct guest guest;
    struct world world;

    (void)state;
    begin(&world);
    assert_false(enter(&world, &guest, &open, &err));
    assert_int_equal(err.code, FL_ABSENT);
    stop_replica(&world);
    open.replica = 0;
    assert_false(enter(&world, &guest, &open, &err));
    assert_int_equal(err.code, FL_CONFLICT);
    end(&world);
}

/* ---- connections ----------------------------------------------------------------------------- */

static int listen_somewhere(int queue, uint16_t *ret_port)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, queue), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    *ret_port = ntohs(at.sin_port);
    return fd;
}

static void connect_to(struct world *world, struct guest *guest, uint16_t port)
{
    struct fl_visit_open open = {.port = port};
    struct fl_err err = {0};

    if (!enter(world, guest, &open, &err)) fail_msg("%s", err.text);
}

static int accept_one(struct world *world, int listener)
{
    int fd;

    while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) < 0) {
        turn(world);
    }
    return fd;
}

static void a_connection_that_nobody_takes_is_refused_by_name(void **state)
{
    struct guest guest;
    struct world world;
    uint16_t port;

    (void)state;
    begin(&world);
    close(listen_somewhere(1, &port));
    {
        struct fl_visit_open open = {.port = port};
        struct fl_err err = {0};

        if (enter(&world, &guest, &open, &err)) {
            until_over(&guest);
            assert_int_equal(guest.status.code, FL_UNAVAILABLE);
            leave(&guest);
        } else {
            assert_int_equal(err.code, FL_UNAVAILABLE);
            snprintf(guest.text, sizeof guest.text, "%s", err.text);
        }
    }
    assert_non_null(strstr(guest.text, "of the replica: Connection refused"));
    end(&world);
}

/* As the stream does: input first, then output, when there is news. */
static void look_at_all(struct world *world, struct guest guests[GUESTS])
{
    turn(world);
    for (size_t i = 0; i < GUESTS; i++) {
        struct guest *guest = &guests[i];

        if (!guest->has_news) continue;
        guest->has_news = false;
        if (guest->input && guest->visit.ops->write(guest->visit.self, fl_str_c(guest->input))) {
            guest->input = NULL;
        }
        take(guest);
    }
}

/* The port's queue is full, so the last connections are made a second later: by then their input
 * waits, and goes out without a further word of the visitor. */
static void input_goes_out_once_a_slow_connection_is_made(void **state)
{
    struct guest guests[GUESTS];
    struct world world;
    size_t waiting = 0, served = 0;
    uint16_t port;
    int listener, fds[GUESTS];

    (void)state;
    begin(&world);
    listener = listen_somewhere(0, &port);
    for (size_t i = 0; i < GUESTS; i++) {
        connect_to(&world, &guests[i], port);
        guests[i].input = "hello";
        guests[i].has_news = true;
    }
    for (int i = 0; i < 20; i++) {
        look_at_all(&world, guests);
    }
    for (size_t i = 0; i < GUESTS; i++) {
        waiting += guests[i].input != NULL;
    }
    assert_true(waiting > 0); /* else this shows nothing */
    assert_int_equal(listen(listener, 2 * GUESTS), 0);
    while (served < GUESTS) {
        char bytes[16];

        fds[served] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fds[served] >= 0) {
            while (recv(fds[served], bytes, sizeof bytes, MSG_DONTWAIT) != 5) {
                look_at_all(&world, guests);
            }
            served++;
        }
        look_at_all(&world, guests);
    }
    for (size_t i = 0; i < GUESTS; i++) {
        leave(&guests[i]);
        close(fds[i]);
    }
    close(listener);
    end(&world);
}

static void a_connection_carries_bytes_and_both_ends(void **state)
{
    struct guest guest;
    struct world world;
    char bytes[16] = "";
    uint16_t port;
    int listener, fd;

    (void)state;
    begin(&world);
    listener = listen_somewhere(5, &port);
    connect_to(&world, &guest, port);
    fd = accept_one(&world, listener);
    while (guest.visit.ops->write(guest.visit.self, FL_STR("ping")) == 0) {
        turn(&world);
        take(&guest);
    }
    guest.visit.ops->end_input(guest.visit.self);
    while (recv(fd, bytes, sizeof bytes, 0) != 4) {
        turn(&world);
    }
    assert_string_equal(bytes, "ping");
    assert_int_equal(send(fd, "pong", 4, 0), 4);
    until_out(&guest, "pong");
    close(fd);
    until_over(&guest);
    assert_int_equal(guest.status.code, FL_OK);
    leave(&guest);
    close(listener);
    end(&world);
}

FL_TESTS(cmocka_unit_test(a_command_reads_writes_and_ends_with_its_code),
         cmocka_unit_test(a_terminal_has_a_size_and_hears_a_new_one),
         cmocka_unit_test(a_command_whose_visitor_left_is_hung_up_and_then_killed),
         cmocka_unit_test(commands_end_with_the_agent),
         cmocka_unit_test(a_visit_ends_with_its_replica),
         cmocka_unit_test(what_cannot_be_entered_is_refused),
         cmocka_unit_test(a_connection_that_nobody_takes_is_refused_by_name),
         cmocka_unit_test(input_goes_out_once_a_slow_connection_is_made),
         cmocka_unit_test(a_connection_carries_bytes_and_both_ends))
