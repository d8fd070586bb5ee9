/* Stories of the agent's core about sessions: a hub that goes and comes back, an agent that starts
 * again. */
#include "tests/unit/agent/core/agent_story.h"

static void a_hub_that_is_away_kills_nothing(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1,1 cpu 1\n"
                   "1010 seen 7.0.1/0 created\n"
                   "1020 seen 7.0.1/1 created\n"
                   "1030 go 2 7.0.1\n"
                   "1040 seen 7.0.1/0 running\n"
                   "1050 down\n"
                   "1060 seen 7.0.1/1 running\n"
                   "1070 stop 3 7.0.1 grace 5\n" /* without a session this is ignored */
                   "1080 start 4 8.0.1 on 1 cpu 1\n"
                   "90000000 seen 7.0.1/0 exited 4\n"
                   "90000000 until\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 create 7.0.1/1 on 1 cpu 1\n"
                        "1000 #2 node-1 free 6/8 mark 1\n"
                        "1010 #3 7.0.1/0 created\n"
                        "1020 #4 7.0.1/1 created\n"
                        "1030 release 7.0.1/0\n"
                        "1030 release 7.0.1/1\n"
                        "1040 #5 7.0.1/0 running\n");
}

static void an_end_that_was_not_acknowledged_is_told_in_each_new_session(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1,1 cpu 1\n"
                   "1010 seen 7.0.1/0 created\n"
                   "1020 go 2 7.0.1\n"
                   "2000 seen 7.0.1/0 exited 3\n"
                   "2300 down\n"
                   "2310 seen 7.0.1/1 refused\n"
                   "3000 ack 4\n" /* without a session: nothing */
                   "3010 welcome 6\n"
                   "4000 resync 7\n"
                   "4010 ack 9\n" /* a late one, from session 6: its report was sent anew */
                   "4020 ack 10\n"
                   "4030 gone 7.0.1/0\n"
                   "4040 down\n"
                   "5000 welcome 8\n"
                   "5010 ack 13\n"
                   "5020 gone 7.0.1/1\n"
                   "6000 resync 9\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 create 7.0.1/1 on 1 cpu 1\n"
                        "1000 #2 node-1 free 6/8 mark 1\n"
                        "1010 #3 7.0.1/0 created\n"
                        "1020 release 7.0.1/0\n"
                        "2000 #4 7.0.1/0 exited 3\n"
                        "2000 #5 node-1 free 7/8 mark 2\n"
                        "3010 item 7.0.1/0 exited 3\n"
                        "3010 item 7.0.1/1 refused (runtime)\n"
                        "3010 end 2\n"
                        "3010 #6 7.0.1/0 exited 3\n"
                        "3010 #7 7.0.1/1 refused (runtime)\n"
                        "3010 #8 node-1 free 8/8 mark 0\n"
                        "4000 item 7.0.1/0 exited 3\n"
                        "4000 item 7.0.1/1 refused (runtime)\n"
                        "4000 end 2\n"
                        "4000 #9 7.0.1/0 exited 3\n"
                        "4000 #10 7.0.1/1 refused (runtime)\n"
                        "4000 #11 node-1 free 8/8 mark 0\n"
                        "4020 remove 7.0.1/0\n" /* not before the end of all is durable */
                        "4020 remove 7.0.1/1\n"
                        "5000 item 7.0.1/1 refused (runtime)\n" /* still there: still listed */
                        "5000 end 1\n"
                        "5000 #12 7.0.1/1 refused (runtime)\n"
                        "5000 #13 node-1 free 8/8 mark 0\n"
                        "6000 end 0\n"
                        "6000 #14 node-1 free 8/8 mark 0\n");
}

/* A control plane that was loaded anew would take a replica that the inventory leaves out for
 * lost. */
static void who_of_a_gang_has_ended_is_listed_until_all_have(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1,1 cpu 1\n"
                   "1010 seen 7.0.1/0 created\n"
                   "1010 seen 7.0.1/1 created\n"
                   "1020 go 2 7.0.1\n"
                   "1030 seen 7.0.1/0 running\n"
                   "1030 seen 7.0.1/1 running\n"
                   "2000 seen 7.0.1/0 exited 0\n"
                   "2010 ack 8\n"
                   "3000 resync 6\n"
                   "3010 ack 10\n"
                   "4000 seen 7.0.1/1 exited 0\n"
                   "4010 ack 12\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 create 7.0.1/1 on 1 cpu 1\n"
                        "1000 #2 node-1 free 6/8 mark 1\n"
                        "1010 #3 7.0.1/0 created\n"
                        "1010 #4 7.0.1/1 created\n"
                        "1020 release 7.0.1/0\n"
                        "1020 release 7.0.1/1\n"
                        "1030 #5 7.0.1/0 running\n"
                        "1030 #6 7.0.1/1 running\n"
                        "2000 #7 7.0.1/0 exited 0\n"
                        "2000 #8 node-1 free 7/8 mark 2\n"
                        "3000 item 7.0.1/0 exited 0\n"
                        "3000 item 7.0.1/1 running\n"
                        "3000 end 2\n"
                        "3000 #9 7.0.1/0 exited 0\n"
                        "3000 #10 node-1 free 7/8 mark 0\n"
                        "4000 #11 7.0.1/1 exited 0\n"
                        "4000 #12 node-1 free 8/8 mark 0\n"
                        "4010 remove 7.0.1/0\n"
                        "4010 remove 7.0.1/1\n");
}

static void an_ack_of_an_earlier_session_acknowledges_nothing_of_this_one(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 1\n"
                   "2000 seen 7.0.1/0 refused\n"
                   "3000 resync 6\n"
                   "3010 ack 3\n"
                   "3020 ack 99\n"
                   "3030 ack 5\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "2000 #3 7.0.1/0 refused (runtime)\n"
                        "2000 #4 node-1 free 8/8 mark 1\n"
                        "3000 item 7.0.1/0 refused (runtime)\n"
                        "3000 end 1\n"
                        "3000 #5 7.0.1/0 refused (runtime)\n"
                        "3000 #6 node-1 free 8/8 mark 0\n"
                        "3030 remove 7.0.1/0\n");
}

/* In pages: reports_test.c. */
static void the_first_list_of_nodes_of_a_session_has_an_end(void **state)
{
    (void)state;
    agent_story_run(agent_core_config_default(),
                    "0 node 1 cpu 8\n"
                    "0 node 2 cpu 4\n"
                    "0 synced\n"
                    "1 welcome 5\n"
                    "1000 node 3 cpu 2\n"
                    "2000 resync 6\n"
                    "2000 nodegone 2\n"
                    "3000 until\n",
                    "1 end 0\n"
                    "1 #1 node-1 free 8/8 mark 0\n"
                    "1 #2 node-2 free 4/4 mark 0\n"
                    "1 nodes end\n"
                    "1000 #3 node-3 free 2/2 mark 0\n"
                    "2000 end 0\n"
                    "2000 #4 node-1 free 8/8 mark 0\n"
                    "2000 #5 node-2 free 4/4 mark 0\n"
                    "2000 #6 node-3 free 2/2 mark 0\n"
                    "2000 nodes end\n"
                    "2200 #7 node-2 free 0/0 unready mark 0\n",
                    true);
}

static void a_cluster_without_nodes_says_so(void **state)
{
    (void)state;
    agent_story_run(agent_core_config_default(),
                    "0 welcome 5\n"
                    "1000 synced\n" /* not before the runtime has listed them */
                    "2000 node 1 cpu 8\n",
                    "1000 end 0\n"
                    "1000 nodes end\n"
                    "2000 #1 node-1 free 8/8 mark 0\n",
                    true);
}

static void a_busy_tunnel_ends_no_list(void **state)
{
    (void)state;
    agent_story_run(agent_core_config_default(),
                    "0 node 1 cpu 8\n"
                    "0 welcome 5\n"
                    "10 busy 1\n"
                    "20 synced\n"
                    "9000 busy 0\n",
                    "9000 end 0\n"
                    "9000 #1 node-1 free 8/8 mark 0\n"
                    "9000 nodes end\n",
                    true);
}

static void a_list_that_is_cut_says_so_once_in_each_session(void **state)
{
    struct agent_core_config config = agent_core_config_default();

    (void)state;
    config.nodes_max = 1;
    agent_story_run(config,
                    "0 node 1 cpu 8\n"
                    "0 synced\n"
                    "0 welcome 5\n"
                    "1000 node 2 cpu 8\n"
                    "1010 node 2 cpu 4\n"
                    "2000 resync 6\n",
                    "0 end 0\n"
                    "0 #1 node-1 free 8/8 mark 0\n"
                    "0 nodes end\n"
                    "1000 nodes end cut\n"
                    "2000 end 0\n"
                    "2000 #2 node-1 free 8/8 mark 0\n"
                    "2000 nodes end cut\n",
                    true);
    agent_story_run(agent_core_config_default(),
                    "0 node 1 cpu 8\n"
                    "0 leftout\n"
                    "0 synced\n"
                    "0 welcome 5\n"
                    "1000 leftout\n",
                    "0 end 0\n"
                    "0 #1 node-1 free 8/8 mark 0\n"
                    "0 nodes end cut\n",
                    true);
}

static void a_fresh_core_learns_its_replicas_from_the_runtime(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 1\n"
                   "1010 seen 7.0.1/0 created\n"
                   "2000 restart\n"
                   "2010 welcome 6\n" /* not synced: no inventory */
                   "2020 seen 9.0.1/0 exited 3 on 1 cpu 2\n"
                   "2030 seen 7.0.1/0 created on 1 cpu 1\n"
                   "2040 seen 8.0.2/1 running on 1 cpu 3\n"
                   "2045 start 1 6.0.1 on 1 cpu 1\n" /* before the inventory: not heard */
                   "2046 go 2 7.0.1\n"
                   "2050 node 1 cpu 8\n"
                   "2060 synced\n"
                   "2061 synced\n"
                   "2070 ack 1\n"
                   "2080 go 1 7.0.1\n"
                   "2300 start 2 8.0.2 on 1,1 cpu 3\n", /* known, however it came to be */
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "1010 #3 7.0.1/0 created\n"
                        "2060 item 9.0.1/0 exited 3\n"
                        "2060 item 7.0.1/0 created\n"
                        "2060 item 8.0.2/1 running\n"
                        "2060 end 3\n"
                        "2060 #1 9.0.1/0 exited 3\n"
                        "2060 #2 node-1 free 4/8 mark 0\n"
                        "2070 remove 9.0.1/0\n"
                        "2080 release 7.0.1/0\n"
                        "2300 #3 node-1 free 4/8 mark 2\n");
}

static void a_stop_before_the_inventory_takes_effect(void **state)
{
    (void)state;
    agent_story("0 node 1 cpu 8\n"
                "0 welcome 5\n"
                "10 seen 7.0.1/0 running on 1 cpu 1\n"
                "20 stop 1 7.0.1 grace 7\n"
                "30 stop 2 8.0.1 grace 8\n" /* not seen yet */
                "40 stop 3 9.0.1 grace 9\n" /* never seen */
                "50 seen 8.0.1/0 running on 1 cpu 1\n"
                "60 synced\n"
                "70 seen 7.0.1/0 exited 0\n",
                "20 stop 7.0.1/0 grace 7\n"
                "50 stop 8.0.1/0 grace 8\n"
                "60 item 7.0.1/0 running\n"
                "60 item 8.0.1/0 running\n"
                "60 end 2\n"
                "60 #1 node-1 free 6/8 mark 3\n"
                "70 #2 7.0.1/0 exited 0\n"
                "70 #3 node-1 free 7/8 mark 3\n");
}

static void what_is_adopted_may_pass_the_bounds(void **state)
{
    struct agent_core_config config = agent_core_config_default();

    (void)state;
    config.attempts_max = config.replicas_max = 1;
    agent_story_with(config,
                     "0 node 1 cpu 8\n"
                     "0 seen 7.0.1/0 running on 1 cpu 1\n"
                     "0 seen 8.0.1/0 running on 1 cpu 1\n"
                     "0 synced\n"
                     "0 welcome 5\n"
                     "300 start 1 9.0.1 on 1 cpu 1\n",
                     "0 item 7.0.1/0 running\n"
                     "0 item 8.0.1/0 running\n"
                     "0 end 2\n"
                     "0 #1 node-1 free 6/8 mark 0\n"
                     "300 #2 9.0.1/0 refused (full)\n"
                     "300 #3 node-1 free 6/8 mark 1\n");
}

static void what_vanishes_is_lost_unless_it_never_ran(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1,1,1,1 cpu 1\n"
                   "1010 seen 7.0.1/0 created\n"
                   "1011 seen 7.0.1/1 created\n"
                   "1012 gone 7.0.1/0\n"
                   "1013 gone 7.0.1/2\n"
                   "1014 go 2 7.0.1\n"
                   "1015 gone 7.0.1/1\n"
                   "1016 seen 7.0.1/3 running\n"
                   "1017 gone 7.0.1/3\n"
                   "1018 ack 99\n"
                   "1019 ack 10\n"
                   "1020 stop 3 7.0.1\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 create 7.0.1/1 on 1 cpu 1\n"
                        "1000 create 7.0.1/2 on 1 cpu 1\n"
                        "1000 create 7.0.1/3 on 1 cpu 1\n"
                        "1000 #2 node-1 free 4/8 mark 1\n"
                        "1010 #3 7.0.1/0 created\n"
                        "1011 #4 7.0.1/1 created\n"
                        "1012 #5 7.0.1/0 refused (vanished)\n"
                        "1012 #6 node-1 free 5/8 mark 1\n"
                        "1013 #7 7.0.1/2 refused (vanished)\n"
                        "1013 #8 node-1 free 6/8 mark 1\n"
                        "1014 release 7.0.1/1\n"
                        "1015 #9 7.0.1/1 lost (vanished)\n"
                        "1015 #10 node-1 free 7/8 mark 2\n"
                        "1016 #11 7.0.1/3 running\n"
                        "1017 #12 7.0.1/3 lost (vanished)\n"
                        "1017 #13 node-1 free 8/8 mark 2\n");
}

FL_TESTS(cmocka_unit_test(a_hub_that_is_away_kills_nothing),
         cmocka_unit_test(an_end_that_was_not_acknowledged_is_told_in_each_new_session),
         cmocka_unit_test(who_of_a_gang_has_ended_is_listed_until_all_have),
         cmocka_unit_test(an_ack_of_an_earlier_session_acknowledges_nothing_of_this_one),
         cmocka_unit_test(the_first_list_of_nodes_of_a_session_has_an_end),
         cmocka_unit_test(a_cluster_without_nodes_says_so),
         cmocka_unit_test(a_busy_tunnel_ends_no_list),
         cmocka_unit_test(a_list_that_is_cut_says_so_once_in_each_session),
         cmocka_unit_test(a_fresh_core_learns_its_replicas_from_the_runtime),
         cmocka_unit_test(a_stop_before_the_inventory_takes_effect),
         cmocka_unit_test(what_is_adopted_may_pass_the_bounds),
         cmocka_unit_test(what_vanishes_is_lost_unless_it_never_ran))
