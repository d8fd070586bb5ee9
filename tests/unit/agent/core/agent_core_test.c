/* Stories of the agent's core, one for each rule of agent_core.h. */
#include "tests/unit/agent/core/agent_story.h"

static void a_plain_life_start_created_go_exit_ack_remove(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 2\n"
                   "1050 seen 7.0.1/0 created\n"
                   "1060 go 2 7.0.1\n"
                   "1100 seen 7.0.1/0 pulling\n"
                   "1150 seen 7.0.1/0 running\n"
                   "9000 seen 7.0.1/0 exited 0 bytes 120\n"
                   "9010 ack 8\n"
                   "9020 gone 7.0.1/0\n"
                   "9999 until\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 2\n"
                        "1000 #2 node-1 free 6/8 mark 1\n"
                        "1050 #3 7.0.1/0 created\n"
                        "1060 release 7.0.1/0\n"
                        "1100 #4 7.0.1/0 pulling\n"
                        "1150 #5 7.0.1/0 running\n"
                        "9000 #6 7.0.1/0 exited 0 120 bytes\n"
                        "9000 #7 node-1 free 8/8 mark 2\n");
    /* The ack of 8 was beyond what was sent, so nothing followed from it. */
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 2\n"
                   "1050 seen 7.0.1/0 created\n"
                   "1060 go 2 7.0.1\n"
                   "9000 seen 7.0.1/0 exited 0\n"
                   "9010 ack 3\n"
                   "9020 ack 4\n"
                   "9030 gone 7.0.1/0\n"
                   "9040 stop 3 7.0.1\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 2\n"
                        "1000 #2 node-1 free 6/8 mark 1\n"
                        "1050 #3 7.0.1/0 created\n"
                        "1060 release 7.0.1/0\n"
                        "9000 #4 7.0.1/0 exited 0\n"
                        "9000 #5 node-1 free 8/8 mark 2\n"
                        "9020 remove 7.0.1/0\n"
                        "9040 #6 7.0.1/all absent\n");
}

static void a_gang_is_released_as_one(void **state)
{
    (void)state;
    agent_story(UP "0 node 2 cpu 4\n"
                   "1000 start 1 7.3.2 on 1,2,1 cpu 2\n"
                   "1010 seen 7.3.2/2 created\n"
                   "1020 seen 7.3.2/0 created\n"
                   "1030 go 2 7.3.2\n" /* the control plane counts; GO holds for a late one too */
                   "1040 seen 7.3.2/1 created\n",
                UP_SAYS "0 #2 node-2 free 4/4 mark 0\n"
                        "1000 create 7.3.2/0 on 1 cpu 2\n"
                        "1000 create 7.3.2/1 on 2 cpu 2\n"
                        "1000 create 7.3.2/2 on 1 cpu 2\n"
                        "1000 #3 node-1 free 4/8 mark 1\n"
                        "1000 #4 node-2 free 2/4 mark 1\n"
                        "1010 #5 7.3.2/2 created\n"
                        "1020 #6 7.3.2/0 created\n"
                        "1030 release 7.3.2/0\n"
                        "1030 release 7.3.2/2\n"
                        "1040 #7 7.3.2/1 created\n"
                        "1040 release 7.3.2/1\n");
}

static void applied_twice_is_applied_once(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 2\n"
                   "2000 start 2 7.0.1 on 1 cpu 2\n" /* known: only the mark moves */
                   "2010 seen 7.0.1/0 created\n"
                   "2011 seen 7.0.1/0 created\n"
                   "2020 go 3 7.0.1\n"
                   "2030 go 4 7.0.1\n"
                   "2040 seen 7.0.1/0 running\n"
                   "2041 seen 7.0.1/0 pulling\n" /* older than what is known */
                   "2050 stop 5 7.0.1 grace 100\n"
                   "2060 stop 6 7.0.1 grace 9\n"
                   "2065 go 7 7.0.1\n"
                   "2070 seen 7.0.1/0 exited 143\n"
                   "2071 seen 7.0.1/0 lost\n" /* one end is as good as another */
                   "2080 stop 8 7.0.1 grace 100\n"
                   "3000 ack 6\n"
                   "3001 ack 6\n"
                   "3002 stop 9 7.0.1 grace 100\n"
                   "3010 gone 7.0.1/0\n"
                   "3011 gone 7.0.1/0\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 2\n"
                        "1000 #2 node-1 free 6/8 mark 1\n"
                        "2000 #3 node-1 free 6/8 mark 2\n"
                        "2010 #4 7.0.1/0 created\n"
                        "2020 release 7.0.1/0\n"
                        "2040 #5 7.0.1/0 running\n"
                        "2050 stop 7.0.1/0 grace 100\n"
                        "2070 #6 7.0.1/0 exited 143\n"
                        "2070 #7 node-1 free 8/8 mark 7\n"
                        "3000 remove 7.0.1/0\n");
}

static void an_older_attempt_of_the_same_element_is_refused(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.3 on 1 cpu 1\n"
                   "1010 start 2 7.0.2 on 1 cpu 1\n"
                   "1020 start 3 7.1.2 on 1 cpu 1\n"   /* another element */
                   "1030 start 4 7.0.1@2 on 1 cpu 1\n" /* numbers start again with an incarnation */
                   "1040 start 5 7.0.9@1 on 1 cpu 1\n"
                   "1999 until\n",
                UP_SAYS "1000 create 7.0.3/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "1010 #3 7.0.2/0 refused (older)\n"
                        "1010 #4 node-1 free 7/8 mark 2\n"
                        "1020 create 7.1.2/0 on 1 cpu 1\n"
                        "1030 create 7.0.1@2/0 on 1 cpu 1\n"
                        "1040 #5 7.0.9/0 refused (older)\n"
                        "1040 #6 node-1 free 5/8 mark 5\n");
}

static void a_start_that_cannot_be_held_is_refused_whole(void **state)
{
    struct agent_core_config config = agent_core_config_default();

    (void)state;
    config.attempts_max = 2;
    config.replicas_max = 3;
    agent_story_with(config,
                     UP "1000 start 1 1.0.1 on 1,1 cpu 1\n"
                        "1010 start 2 2.0.1 on 1,1 cpu 1\n" /* 4 replicas */
                        "1020 start 3 3.0.1 on 1 cpu 1\n"
                        "1030 start 4 4.0.1 on 1 cpu 1\n", /* 3 attempts, and 4 replicas */
                     UP_SAYS "1000 create 1.0.1/0 on 1 cpu 1\n"
                             "1000 create 1.0.1/1 on 1 cpu 1\n"
                             "1000 #2 node-1 free 6/8 mark 1\n"
                             "1010 #3 2.0.1/0 refused (full)\n"
                             "1010 #4 2.0.1/1 refused (full)\n"
                             "1010 #5 node-1 free 6/8 mark 2\n"
                             "1020 create 3.0.1/0 on 1 cpu 1\n"
                             "1030 #6 4.0.1/0 refused (full)\n"
                             "1030 #7 node-1 free 5/8 mark 4\n");
    config.replicas_max = 100;
    agent_story_with(config,
                     UP "1000 start 1 1.0.1 on 1 cpu 1\n"
                        "1010 start 2 2.0.1 on 1 cpu 1\n"
                        "1030 start 4 4.0.1 on 1 cpu 1\n",
                     UP_SAYS "1000 create 1.0.1/0 on 1 cpu 1\n"
                             "1000 #2 node-1 free 7/8 mark 1\n"
                             "1010 create 2.0.1/0 on 1 cpu 1\n"
                             "1030 #3 4.0.1/0 refused (full)\n"
                             "1030 #4 node-1 free 6/8 mark 4\n");
    agent_story(UP "1000 start 1 1.0.1 on 1,9 cpu 1\n"
                   "1010 start 2 2.0.1 on 1 nospec\n",
                UP_SAYS "1000 #2 1.0.1/0 refused (no_node)\n"
                        "1000 #3 1.0.1/1 refused (no_node)\n"
                        "1000 #4 node-1 free 8/8 mark 1\n"
                        "1010 #5 2.0.1/0 refused (no_spec)\n"
                        "1010 #6 node-1 free 8/8 mark 2\n");
}

static void a_stop_beats_what_comes_after_it(void **state)
{
    (void)state;
    agent_story(UP "1000 stop 1 7.0.2 grace 10\n"
                   "1010 start 2 7.0.2 on 1 cpu 1\n"
                   "1020 start 3 7.0.1 on 1 cpu 1\n"
                   "1030 resync 6\n" /* the same connection: still remembered */
                   "1040 start 1 7.0.2 on 1 cpu 1\n"
                   "1300 start 2 7.0.3 on 1 cpu 1\n" /* the next attempt is another one */
                   "1310 down\n"
                   "1320 welcome 7\n" /* nothing of the old connection can come any more */
                   "1600 start 1 7.0.2 on 1 cpu 1\n",
                UP_SAYS "1000 #2 7.0.2/all absent\n"
                        "1010 #3 7.0.2/0 refused (stopped)\n"
                        "1010 #4 node-1 free 8/8 mark 2\n"
                        "1020 #5 7.0.1/0 refused (stopped)\n"
                        "1020 #6 node-1 free 8/8 mark 3\n"
                        "1030 end 0\n"
                        "1030 #7 node-1 free 8/8 mark 0\n"
                        "1040 #8 7.0.2/0 refused (stopped)\n"
                        "1040 #9 node-1 free 8/8 mark 1\n"
                        "1300 create 7.0.3/0 on 1 cpu 1\n"
                        "1300 #10 node-1 free 7/8 mark 2\n"
                        "1320 item 7.0.3/0 pending\n"
                        "1320 end 1\n"
                        "1320 #11 node-1 free 7/8 mark 0\n"
                        "1600 #12 7.0.2/0 refused (older)\n"
                        "1600 #13 node-1 free 7/8 mark 1\n");
    /* Also after the attempt it stopped was here and is forgotten. */
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 1\n"
                   "1300 stop 2 7.0.1 grace 10\n"
                   "1310 seen 7.0.1/0 created\n"
                   "1320 gone 7.0.1/0\n"
                   "1330 ack 4\n"
                   "1600 start 3 7.0.1 on 1 cpu 1\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "1310 #3 7.0.1/0 created\n"
                        "1310 remove 7.0.1/0\n"
                        "1320 #4 7.0.1/0 refused (stopped)\n"
                        "1320 #5 node-1 free 8/8 mark 2\n"
                        "1600 #6 7.0.1/0 refused (stopped)\n"
                        "1600 #7 node-1 free 8/8 mark 3\n");
}

static void of_the_stopped_the_oldest_is_forgotten_first(void **state)
{
    struct agent_core_config config = agent_core_config_default();

    (void)state;
    config.stopped_max = 2;
    agent_story_with(config,
                     UP "1000 stop 1 1.0.1\n"
                        "1001 stop 2 2.0.1\n"
                        "1002 stop 3 1.0.1\n" /* touched again: 2 is the oldest now */
                        "1003 stop 4 3.0.1\n"
                        "1300 start 5 1.0.1 on 1 cpu 1\n"
                        "1600 start 6 3.0.1 on 1 cpu 1\n"
                        "1900 start 7 2.0.1 on 1 cpu 1\n",
                     UP_SAYS "1000 #2 1.0.1/all absent\n"
                             "1001 #3 2.0.1/all absent\n"
                             "1002 #4 1.0.1/all absent\n"
                             "1003 #5 3.0.1/all absent\n"
                             "1300 #6 1.0.1/0 refused (stopped)\n"
                             "1300 #7 node-1 free 8/8 mark 5\n"
                             "1600 #8 3.0.1/0 refused (stopped)\n"
                             "1600 #9 node-1 free 8/8 mark 6\n"
                             "1900 create 2.0.1/0 on 1 cpu 1\n"
                             "1900 #10 node-1 free 7/8 mark 7\n");
}

static void a_stop_before_the_replica_exists_waits_for_it(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1,1 cpu 1\n"
                   "1010 go 2 7.0.1\n"
                   "1020 stop 3 7.0.1 grace 10\n"
                   "1030 seen 7.0.1/0 created\n" /* never released */
                   "1040 seen 7.0.1/1 refused\n"
                   "1050 gone 7.0.1/0\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 create 7.0.1/1 on 1 cpu 1\n"
                        "1000 #2 node-1 free 6/8 mark 1\n"
                        "1030 #3 7.0.1/0 created\n"
                        "1030 remove 7.0.1/0\n"
                        "1040 #4 7.0.1/1 refused (runtime)\n"
                        "1040 #5 node-1 free 7/8 mark 3\n"
                        "1050 #6 7.0.1/0 refused (stopped)\n"
                        "1050 #7 node-1 free 8/8 mark 3\n");
}

static void a_stop_of_a_later_attempt_has_a_grace_of_its_own(void **state)
{
    (void)state;
    agent_story(UP "500 stop 1 7.0.1 grace 5\n"
                   "510 stop 2 7.0.2 grace 9\n"
                   "520 stop 3 7.0.1 grace 1\n"
                   "530 seen 7.0.2/0 running on 1 cpu 1\n",
                UP_SAYS "500 #2 7.0.1/all absent\n"
                        "510 #3 7.0.2/all absent\n"
                        "520 #4 7.0.1/all absent\n"
                        "530 #5 7.0.2/0 running\n"
                        "530 stop 7.0.2/0 grace 9\n"
                        "530 #6 node-1 free 7/8 mark 3\n");
}

static void a_stop_after_the_release_stops(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 1\n"
                   "1010 seen 7.0.1/0 created\n"
                   "1020 go 2 7.0.1\n"
                   "1030 stop 3 7.0.1 grace 10\n" /* it may have passed its gate by now */
                   "1040 seen 7.0.1/0 running\n"
                   "1050 seen 7.0.1/0 exited 143\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "1010 #3 7.0.1/0 created\n"
                        "1020 release 7.0.1/0\n"
                        "1030 stop 7.0.1/0 grace 10\n"
                        "1040 #4 7.0.1/0 running\n"
                        "1050 #5 7.0.1/0 exited 143\n"
                        "1050 #6 node-1 free 8/8 mark 3\n");
}

static void a_gate_without_go_is_removed_after_a_minute_of_session(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 1\n"
                   "2000 seen 7.0.1/0 created\n"
                   "62005 go 2 7.0.1\n" /* too late */
                   "62010 gone 7.0.1/0\n"
                   "62020 ack 4\n"
                   "62030 stop 3 7.0.1 grace 1\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "2000 #3 7.0.1/0 created\n"
                        "62000 remove 7.0.1/0\n"
                        "62010 #4 7.0.1/0 refused (no_go)\n"
                        "62010 #5 node-1 free 8/8 mark 2\n"
                        "62030 #6 7.0.1/all absent\n");
    /* 50 s with a session, ten minutes without, 10 s with one. */
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 1\n"
                   "2000 seen 7.0.1/0 created\n"
                   "52000 down\n"
                   "652000 welcome 6\n"
                   "661999 until\n"
                   "662000 until\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "2000 #3 7.0.1/0 created\n"
                        "652000 item 7.0.1/0 created\n"
                        "652000 end 1\n"
                        "652000 #4 node-1 free 7/8 mark 0\n"
                        "662000 remove 7.0.1/0\n");
}

static void what_got_past_its_gate_after_all_runs_on(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 7.0.1 on 1 cpu 1\n"
                   "2000 seen 7.0.1/0 created\n"
                   "62010 seen 7.0.1/0 running\n" /* a release of the agent before this one */
                   "70000 stop 2 7.0.1 grace 5\n"
                   "71000 seen 7.0.1/0 exited 0\n"
                   "71010 ack 5\n",
                UP_SAYS "1000 create 7.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "2000 #3 7.0.1/0 created\n"
                        "62000 remove 7.0.1/0\n"
                        "62010 #4 7.0.1/0 running\n"
                        "70000 stop 7.0.1/0 grace 5\n"
                        "71000 #5 7.0.1/0 exited 0\n"
                        "71000 #6 node-1 free 8/8 mark 2\n"
                        "71010 remove 7.0.1/0\n");
}

static void capacity_counts_what_may_run_until_its_end_is_told(void **state)
{
    (void)state;
    agent_story(UP "1000 node 1 cpu 8 foreign 3\n"
                   "2000 start 1 7.0.1 on 1 cpu 4\n"
                   "2010 start 2 8.0.1 on 1 cpu 4\n" /* more than there is: no less than nothing */
                   "2300 down\n"
                   "2310 seen 7.0.1/0 exited 0\n"
                   "2320 node 1 cpu 9 foreign 1\n"
                   "3000 welcome 6\n" /* the end is reported first, then the node without it */
                   "3300 node 1 cpu 9 foreign 1\n" /* no news */
                   "3400 node 1 cpu 9 foreign 1 unready\n"
                   "9999 until\n",
                UP_SAYS "1000 #2 node-1 free 5/8 mark 0\n"
                        "2000 create 7.0.1/0 on 1 cpu 4\n"
                        "2000 #3 node-1 free 1/8 mark 1\n"
                        "2010 create 8.0.1/0 on 1 cpu 4\n"
                        "2200 #4 node-1 free 0/8 mark 2\n"
                        "3000 item 7.0.1/0 exited 0\n"
                        "3000 item 8.0.1/0 pending\n"
                        "3000 end 2\n"
                        "3000 #5 7.0.1/0 exited 0\n"
                        "3000 #6 node-1 free 4/9 mark 0\n"
                        "3400 #7 node-1 free 4/9 unready mark 0\n");
}

static void resources_with_names_are_counted_as_cpu_is(void **state)
{
    (void)state;
    agent_story(UP "1000 node 1 cpu 8 hca 8 hcaforeign 3\n"
                   "2000 start 1 7.0.1 on 1 cpu 1 hca 4\n"
                   "2010 start 2 8.0.1 on 1 cpu 1 hca 4\n" /* more than there is */
                   "2020 start 3 9.0.1 on 1 cpu 1\n"
                   "2300 down\n"
                   "2310 seen 7.0.1/0 exited 0\n"
                   "2320 node 1 cpu 8 hca 9 hcaforeign 1\n"
                   "3000 welcome 6\n"
                   "3300 node 1 cpu 8 hca 9 hcaforeign 1\n" /* no news */
                   "3400 node 1 cpu 8\n",                   /* its plugin has gone */
                UP_SAYS "1000 #2 node-1 free 8/8 mark 0 rdma/hca 5/8\n"
                        "2000 create 7.0.1/0 on 1 cpu 1 rdma/hca 4\n"
                        "2000 #3 node-1 free 7/8 mark 1 rdma/hca 1/8\n"
                        "2010 create 8.0.1/0 on 1 cpu 1 rdma/hca 4\n"
                        "2020 create 9.0.1/0 on 1 cpu 1\n"
                        "2200 #4 node-1 free 5/8 mark 3 rdma/hca 0/8\n"
                        "3000 item 7.0.1/0 exited 0\n"
                        "3000 item 8.0.1/0 pending\n"
                        "3000 item 9.0.1/0 pending\n"
                        "3000 end 3\n"
                        "3000 #5 7.0.1/0 exited 0\n"
                        "3000 #6 node-1 free 6/8 mark 0 rdma/hca 4/9\n"
                        "3400 #7 node-1 free 6/8 mark 0\n");
}

static void an_adopted_replica_has_what_it_was_made_with(void **state)
{
    (void)state;
    agent_story("0 seen 7.0.1/0 running on 1 cpu 2 hca 3\n" /* before its node is known */
                "0 node 1 cpu 8 hca 4\n"
                "0 synced\n"
                "0 welcome 5\n"
                "1000 seen 7.0.1/0 exited 0\n"
                "9999 until\n",
                "0 item 7.0.1/0 running\n"
                "0 end 1\n"
                "0 #1 node-1 free 6/8 mark 0 rdma/hca 1/4\n"
                "1000 #2 7.0.1/0 exited 0\n"
                "1000 #3 node-1 free 8/8 mark 0 rdma/hca 4/4\n");
}

static void a_node_is_reported_at_most_each_200_ms_but_at_once_after_an_end(void **state)
{
    (void)state;
    agent_story(UP "1000 start 1 1.0.1 on 1 cpu 1\n"
                   "1010 start 2 2.0.1 on 1 cpu 1\n"
                   "1020 start 3 3.0.1 on 1 cpu 1\n"
                   "1030 go 4 3.0.1\n"
                   "1250 seen 1.0.1/0 refused\n"
                   "1260 start 5 4.0.1 on 1 cpu 1\n"
                   "1270 seen 2.0.1/0 refused\n" /* says what was due at 1450, too */
                   "9999 until\n",
                UP_SAYS "1000 create 1.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "1010 create 2.0.1/0 on 1 cpu 1\n"
                        "1020 create 3.0.1/0 on 1 cpu 1\n"
                        "1200 #3 node-1 free 5/8 mark 4\n"
                        "1250 #4 1.0.1/0 refused (runtime)\n"
                        "1250 #5 node-1 free 6/8 mark 4\n"
                        "1260 create 4.0.1/0 on 1 cpu 1\n"
                        "1270 #6 2.0.1/0 refused (runtime)\n"
                        "1270 #7 node-1 free 6/8 mark 5\n");
    /* A report at once puts off the one that waited for its time. */
    agent_story(UP "1000 start 1 1.0.1 on 1 cpu 1\n"
                   "1010 start 2 2.0.1 on 1 cpu 1\n"
                   "1100 seen 1.0.1/0 refused\n"
                   "1150 start 3 3.0.1 on 1 cpu 1\n"
                   "9999 until\n",
                UP_SAYS "1000 create 1.0.1/0 on 1 cpu 1\n"
                        "1000 #2 node-1 free 7/8 mark 1\n"
                        "1010 create 2.0.1/0 on 1 cpu 1\n"
                        "1100 #3 1.0.1/0 refused (runtime)\n"
                        "1100 #4 node-1 free 7/8 mark 2\n"
                        "1150 create 3.0.1/0 on 1 cpu 1\n"
                        "1300 #5 node-1 free 6/8 mark 3\n");
}

static void a_node_that_goes_is_told_and_comes_back_with_what_is_on_it(void **state)
{
    struct agent_core_config config = agent_core_config_default();

    (void)state;
    config.nodes_max = 2;
    agent_story_with(config,
                     UP "0 node 2 cpu 4\n"
                        "0 node 3 cpu 4\n" /* beyond nodes_max */
                        "1000 start 1 7.0.1 on 2 cpu 1\n"
                        "2000 nodegone 2\n"
                        "2001 nodegone 2\n"
                        "2002 nodegone 3\n"
                        "2010 start 2 8.0.1 on 2 cpu 1\n"
                        "2300 resync 6\n"
                        "3000 node 2 cpu 4\n"
                        "4000 nodegone 1\n"
                        "4000 node 3 cpu 4\n"
                        "4000 down\n"
                        "4010 nodegone 3\n"
                        "5000 welcome 7\n",
                     UP_SAYS "0 #2 node-2 free 4/4 mark 0\n"
                             "1000 create 7.0.1/0 on 2 cpu 1\n"
                             "1000 #3 node-2 free 3/4 mark 1\n"
                             "2000 #4 node-2 free 0/0 unready mark 1\n"
                             "2010 #5 8.0.1/0 refused (no_node)\n"
                             "2300 item 7.0.1/0 pending\n"
                             "2300 end 1\n"
                             "2300 #6 node-1 free 8/8 mark 0\n"
                             "3000 #7 node-2 free 3/4 mark 0\n"
                             "4000 #8 node-1 free 0/0 unready mark 0\n"
                             "4000 #9 node-3 free 4/4 mark 0\n"
                             "5000 item 7.0.1/0 pending\n"
                             "5000 end 1\n"
                             "5000 #10 node-2 free 3/4 mark 0\n");
}

static void a_clock_that_steps_back_stands(void **state)
{
    (void)state;
    agent_story(UP "50000 start 1 7.0.1 on 1 cpu 1\n"
                   "50000 seen 7.0.1/0 created\n"
                   "10000 node 1 cpu 9\n"
                   "50199 until\n"
                   "110000 until\n",
                UP_SAYS "50000 create 7.0.1/0 on 1 cpu 1\n"
                        "50000 #2 node-1 free 7/8 mark 1\n"
                        "50000 #3 7.0.1/0 created\n"
                        "50200 #4 node-1 free 8/9 mark 1\n"
                        "110000 remove 7.0.1/0\n");
}

static void a_command_that_was_not_delivered_is_due_again(void **state)
{
    (void)state;
    agent_story(UP "100 start 1 7.0.1 on 1 cpu 1\n"
                   "200 seen 7.0.1/0 created\n"
                   "300 go 2 7.0.1\n"
                   "310 undelivered 7.0.1/0 release\n"
                   "320 undelivered 7.0.1/0 release\n" /* told twice: due once */
                   "330 go 3 7.0.1\n"
                   "1400 undelivered 7.0.1/0 release\n"
                   "1500 down\n" /* the runtime is there without a session, too */
                   "2500 seen 7.0.1/0 running\n"
                   "2600 welcome 6\n"
                   "2700 stop 1 7.0.1 grace 9\n"
                   "2710 undelivered 7.0.1/0 stop\n"
                   "3800 undelivered 7.0.1/0 stop\n"
                   "3900 seen 7.0.1/0 exited 0\n" /* meanwhile it ended by itself */
                   "9000 until\n",
                UP_SAYS "100 create 7.0.1/0 on 1 cpu 1\n"
                        "200 #2 7.0.1/0 created\n"
                        "200 #3 node-1 free 7/8 mark 1\n"
                        "300 release 7.0.1/0\n"
                        "1310 release 7.0.1/0\n"
                        "2400 release 7.0.1/0\n"
                        "2600 item 7.0.1/0 running\n"
                        "2600 end 1\n"
                        "2600 #4 node-1 free 7/8 mark 0\n"
                        "2700 stop 7.0.1/0 grace 9\n"
                        "3710 stop 7.0.1/0 grace 9\n"
                        "3900 #5 7.0.1/0 exited 0\n"
                        "3900 #6 node-1 free 8/8 mark 1\n");
}

static void a_go_that_was_not_delivered_never_ran(void **state)
{
    (void)state;
    agent_story(UP "100 start 1 7.0.1 on 1 cpu 1\n"
                   "200 seen 7.0.1/0 created\n"
                   "300 go 2 7.0.1\n"
                   "310 undelivered 7.0.1/0 release\n"
                   "320 stop 3 7.0.1\n"
                   "330 undelivered 7.0.1/0 remove\n"
                   "1400 gone 7.0.1/0\n",
                UP_SAYS "100 create 7.0.1/0 on 1 cpu 1\n"
                        "200 #2 7.0.1/0 created\n"
                        "200 #3 node-1 free 7/8 mark 1\n"
                        "300 release 7.0.1/0\n"
                        "320 remove 7.0.1/0\n"
                        "1330 remove 7.0.1/0\n"
                        "1400 #4 7.0.1/0 refused (stopped)\n"
                        "1400 #5 node-1 free 8/8 mark 3\n");
}

static void feed_pending(void *arg)
{
    struct agent_batch batch = {0};
    struct agent_event seen = {
        .kind = AGENT_EV_replica_seen,
        .replica_seen = {.attempt = {{70}, 0, 1, 3}, .state = FL_REPLICA_pending}};

    agent_core_step(arg, &seen, &batch);
}

static void a_replica_seen_as_pending_is_a_bug_of_the_shell(void **state)
{
    struct agent_core_config config = agent_core_config_default();
    struct agent_core *core = agent_core_create(&config);

    (void)state;
    assert_true(fl_test_aborts(feed_pending, core));
    agent_core_destroy(core);
}

FL_TESTS(cmocka_unit_test(a_plain_life_start_created_go_exit_ack_remove),
         cmocka_unit_test(a_gang_is_released_as_one),
         cmocka_unit_test(applied_twice_is_applied_once),
         cmocka_unit_test(an_older_attempt_of_the_same_element_is_refused),
         cmocka_unit_test(a_start_that_cannot_be_held_is_refused_whole),
         cmocka_unit_test(a_stop_beats_what_comes_after_it),
         cmocka_unit_test(of_the_stopped_the_oldest_is_forgotten_first),
         cmocka_unit_test(a_stop_before_the_replica_exists_waits_for_it),
         cmocka_unit_test(a_stop_of_a_later_attempt_has_a_grace_of_its_own),
         cmocka_unit_test(a_stop_after_the_release_stops),
         cmocka_unit_test(a_gate_without_go_is_removed_after_a_minute_of_session),
         cmocka_unit_test(what_got_past_its_gate_after_all_runs_on),
         cmocka_unit_test(capacity_counts_what_may_run_until_its_end_is_told),
         cmocka_unit_test(resources_with_names_are_counted_as_cpu_is),
         cmocka_unit_test(an_adopted_replica_has_what_it_was_made_with),
         cmocka_unit_test(a_node_is_reported_at_most_each_200_ms_but_at_once_after_an_end),
         cmocka_unit_test(a_node_that_goes_is_told_and_comes_back_with_what_is_on_it),
         cmocka_unit_test(a_clock_that_steps_back_stands),
         cmocka_unit_test(a_command_that_was_not_delivered_is_due_again),
         cmocka_unit_test(a_go_that_was_not_delivered_never_ran),
         cmocka_unit_test(a_replica_seen_as_pending_is_a_bug_of_the_shell))
