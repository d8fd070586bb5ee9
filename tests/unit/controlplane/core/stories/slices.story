# a cancel is answered with its mark, its STOPs follow in slices, and events are served between them
config slice_max=4
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x8 cpu=1
. next
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=9 Cancelled
    east <- stop job-1/1#1 seq=10 Cancelled
    east <- stop job-1/2#1 seq=11 Cancelled
    east <- stop job-1/3#1 seq=12 Cancelled
    answer ok
    east <- stop job-1/4#1 seq=13 Cancelled
    east <- stop job-1/5#1 seq=14 Cancelled
    east <- stop job-1/6#1 seq=15 Cancelled
    east <- stop job-1/7#1 seq=16 Cancelled
read 1
    answer ok
    | job-1 stopping Cancelled elements=8 started=8 live=8 succeeded=0 failed=0 cancelled=0 on east attempt=1
    | element 0#1 stopping Cancelled on east:n1 pending
    | element 1#1 stopping Cancelled on east:n1 pending
    | element 2#1 stopping Cancelled on east:n1 pending
    | element 3#1 stopping Cancelled on east:n1 pending
    | element 4#1 stopping Cancelled on east:n1 pending
    | element 5#1 stopping Cancelled on east:n1 pending
    | element 6#1 stopping Cancelled on east:n1 pending
    | element 7#1 stopping Cancelled on east:n1 pending
submit ml cpu=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2

# an element that a cancel has not reached yet gets no GO, and its failure counts for nothing
config slice_max=1
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x4 cpu=1 retries=3
. next
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=5 Cancelled
    answer ok
    east <- stop job-1/1#1 seq=6 Cancelled
agent east reports 1/3#1 r0 created
    replica_phase job=1 element=3 n=1 replica=0 created exit_code=0
    east <- stop job-1/2#1 seq=7 Cancelled
    east <- ack 2
agent east reports 1/3#1 r0 exited 1
    replica_phase job=1 element=3 n=1 replica=0 exited exit_code=1
    element_end job=1 element=3 n=1 cancelled Cancelled exit_code=0 outputs=d
    east <- ack 3

# a cancel that is cut by a reload goes on: waiting elements end, live ones are stopped once their agent is back
config slice_max=6
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x8 cpu=1 retries=3
. next
. agent east reports 1/4#1 r0 exited 1
. agent east reports 1/5#1 r0 exited 1
. agent east reports 1/6#1 r0 exited 1
. agent east reports 1/7#1 r0 exited 1
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    element_end job=1 element=4 n=1 cancelled Cancelled exit_code=1 first_replica=0
    element_end job=1 element=5 n=1 cancelled Cancelled exit_code=1 first_replica=0
    element_end job=1 element=6 n=1 cancelled Cancelled exit_code=1 first_replica=0
    east <- stop job-1/0#1 seq=9 Cancelled
    east <- stop job-1/1#1 seq=10 Cancelled
    east <- stop job-1/2#1 seq=11 Cancelled
    east <- stop job-1/3#1 seq=12 Cancelled
    answer ok
reload
    element_end job=1 element=7 n=1 cancelled Cancelled exit_code=0
read 1
    answer ok
    | job-1 stopping Cancelled elements=8 started=8 live=4 succeeded=0 failed=0 cancelled=4 on east attempt=1
    | element 0#1 stopping Cancelled on east:n1 pending
    | element 1#1 stopping Cancelled on east:n1 pending
    | element 2#1 stopping Cancelled on east:n1 pending
    | element 3#1 stopping Cancelled on east:n1 pending
. agent east hello
agent east inventory 1/0#1 r0 running, 1/1#1 r0 running, 1/2#1 r0 running, 1/3#1 r0 running end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=1 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=2 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=3 n=1 replica=0 running exit_code=0
    east <- stop job-1/3#1 seq=1 Cancelled
    east <- stop job-1/2#1 seq=2 Cancelled
    east <- stop job-1/1#1 seq=3 Cancelled
    east <- stop job-1/0#1 seq=4 Cancelled

# a job of which nothing lives ends in slices too, from a mark on
config slice_max=4
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x3 cpu=1 retries=3
. agent east reports 1/0#1 r0 exited 1
. agent east reports 1/1#1 r0 exited 1
. agent east reports 1/2#1 r0 exited 1
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=1 first_replica=0
    element_end job=1 element=1 n=1 cancelled Cancelled exit_code=1 first_replica=0
    answer ok
next
    element_end job=1 element=2 n=1 cancelled Cancelled exit_code=1 first_replica=0
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1

# the last that lives ends before its job's walk has come to it
config slice_max=1
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x2 cpu=1
. next
cancel 1 &
agent east reports 1/0#1 r0 exited 1 &
agent east reports 1/1#1 r0 exited 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=d
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=1
    element_end job=1 element=1 n=1 cancelled Cancelled exit_code=0 outputs=d
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1
    east <- stop job-1/0#1 seq=3 Cancelled
    answer ok
    east <- ack 3

# due timers fire in slices, the oldest first, and what comes meanwhile is served
config slice_max=6
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 deadline=5
. submit ml cpu=1 deadline=5
. submit ml cpu=1 deadline=5
. submit ml cpu=1 deadline=5
. agent east reports 1/0#1 r0 running
. 1s agent east reports 2/0#1 r0 running
. agent east reports 3/0#1 r0 running
. agent east reports 4/0#1 r0 running
20s submit ml cpu=1
    job_new job=5 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-5+1
    mark_set job=1 kind=2 value=36
    answer ok
    | job-5
    east <- stop job-1/0#1 seq=5 DeadlineExceeded
next
    mark_set job=2 kind=2 value=36
    east <- stop job-2/0#1 seq=6 DeadlineExceeded
next
    mark_set job=3 kind=2 value=36
    east <- stop job-3/0#1 seq=7 DeadlineExceeded

# nothing starts while due timers are left, so that the older ones come first
config slice_max=6 start_ms=4000000 inventory_ms=4000000
. queue ml
. cluster east
. agent east up n1 cpu=2
. submit ml cpu=1 retries=1
. submit ml cpu=1 retries=1
. agent east reports 1/0#1 r0 exited 1
. agent east reports 2/0#1 r0 exited 1
60s submit ml cpu=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
next
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    attempt_new job=2 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=3 nodes=1
    east <- start job-2/0#2 seq=4 nodes=1

# a drain is answered at once and stops in slices; a reload in between loses none
config slice_max=2
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x4 cpu=1
. next
drain east stop
    cluster_put cluster=1 state=1 is_draining=1 session_epoch=1 name=east uid=uid cordon=drained
    audit tenant=1 actor=ann body=cluster_drain east stop attempts=4
    east <- stop job-1/3#1 seq=5 Drained
    east <- stop job-1/2#1 seq=6 Drained
    answer ok id=4
    east <- stop job-1/1#1 seq=7 Drained
    east <- stop job-1/0#1 seq=8 Drained
uncordon east
    answer conflict: it is being drained; wait until what is stopped there has ended
reload
. agent east hello
agent east inventory 1/0#1 r0 running, 1/1#1 r0 running, 1/2#1 r0 running, 1/3#1 r0 running end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=1 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=2 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=3 n=1 replica=0 running exit_code=0
    east <- stop job-1/3#1 seq=1 Drained
    east <- stop job-1/2#1 seq=2 Drained
next
    east <- stop job-1/1#1 seq=3 Drained
next
    east <- stop job-1/0#1 seq=4 Drained

# an inventory is compared in slices, and nothing starts there before all of it is
config slice_max=3
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x3 cpu=1
. next
. agent east reports 1/0#1 r0 running
. agent east reports 1/1#1 r0 created
. agent east lost
. submit ml cpu=1
. agent east hello
. agent east nodes n1 cpu=6
agent east inventory 1/0#1 r0 running, 1/1#1 r0 created end
    east <- go job-1/1#1 seq=1
next
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=2 nodes=1

# a cluster that falls silent makes what it holds unknown in slices, and known again
config slice_max=2
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x3 cpu=1
. next
. agent east lost
tick 60s
  61.000s
    cluster_phase cluster=1 phase=0
read 1
    answer ok: cluster east is silent: its part of this job (unknown: 3 of 3 live elements) may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 starting ClusterSilent elements=3 started=3 live=3 succeeded=0 failed=0 cancelled=0 unknown=3 on east attempt=1 unknown since 61s
    | element 0#1 unknown since 61s on east:n1 pending
    | element 1#1 unknown since 61s on east:n1 pending
    | element 2#1 unknown since 61s on east:n1 pending
next
read 1
    answer ok: cluster east is silent: its part of this job (unknown: 3 of 3 live elements) may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 starting ClusterSilent elements=3 started=3 live=3 succeeded=0 failed=0 cancelled=0 unknown=3 on east attempt=1 unknown since 61s
    | element 0#1 unknown since 61s on east:n1 pending
    | element 1#1 unknown since 61s on east:n1 pending
    | element 2#1 unknown since 61s on east:n1 pending
. agent east hello
agent east inventory 1/0#1 r0 running, 1/1#1 r0 running, 1/2#1 r0 running end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=1 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=2 n=1 replica=0 running exit_code=0
    cluster_phase cluster=1 phase=1
next
next
next
read 1
    answer ok
    | job-1 running elements=3 started=3 live=3 succeeded=0 failed=0 cancelled=0 on east attempt=1
    | element 0#1 running on east:n1 running
    | element 1#1 running on east:n1 running
    | element 2#1 running on east:n1 running

# a cluster that falls silent while its drain is walked is walked once more: all that lives there is unknown
config slice_max=1
. queue ml
. cluster east
. agent east up n1 cpu=16
. submit ml x12 cpu=1
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
drain east stop
    cluster_put cluster=1 state=1 is_draining=1 session_epoch=1 name=east uid=uid cordon=drained
    audit tenant=1 actor=ann body=cluster_drain east stop attempts=12
    east <- stop job-1/11#1 seq=13 Drained
    answer ok id=12
    east <- stop job-1/10#1 seq=14 Drained
. agent east lost
tick 60s
    cluster_phase cluster=1 phase=0
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
. next
read 1
    answer ok: cluster east is silent: its part of this job (unknown: 12 of 12 live elements) may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 starting ClusterSilent elements=12 started=12 live=12 succeeded=0 failed=0 cancelled=0 unknown=12 on east attempt=1 unknown since 61s
    | element 0#1 unknown since 61s Drained on east:n1 pending
    | element 1#1 unknown since 61s Drained on east:n1 pending
    | element 2#1 unknown since 61s Drained on east:n1 pending
    | element 3#1 unknown since 61s Drained on east:n1 pending
    | element 4#1 unknown since 61s Drained on east:n1 pending
    | element 5#1 unknown since 61s Drained on east:n1 pending
    | element 6#1 unknown since 61s Drained on east:n1 pending
    | element 7#1 unknown since 61s Drained on east:n1 pending
    | element 8#1 unknown since 61s Drained on east:n1 pending
    | element 9#1 unknown since 61s Drained on east:n1 pending
    | element 10#1 unknown since 61s Drained on east:n1 pending
    | element 11#1 unknown since 61s Drained on east:n1 pending

# a removed cluster's work goes elsewhere in slices, and a reload in between loses none
config slice_max=4
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=8
. submit ml x4 cpu=1
. next
. agent east lost
forget east
    audit tenant=1 actor=ann body=cluster_forget east attempts=4
    cluster_put cluster=1 state=2 session_epoch=1 name=east uid=uid
    attempt_end job=1 element=3 n=1 ClusterForgotten exit_code=0 ready_at=1000
    attempt_end job=1 element=2 n=1 ClusterForgotten exit_code=0 ready_at=1000
    answer ok
reload
    attempt_end job=1 element=1 n=1 ClusterForgotten exit_code=0 outputs=l ready_at=1000
agent west up n2 cpu=8
    cluster_put cluster=2 state=1 session_epoch=1 name=west uid=uid
    attempt_end job=1 element=0 n=1 ClusterForgotten exit_code=0 outputs=l ready_at=1000
    west <- welcome session=1
    attempt_new job=1 element=1 n=2 incarnation=1 cluster=2 nodes=n2
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=2 nodes=n2
    west <- start job-1/1#2 seq=1 nodes=1
    west <- start job-1/0#2 seq=2 nodes=1
    west <- ack 1
next

# elements that waited before a reload keep their wait, and their timers are set in slices
config slice_max=4
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml x6 cpu=1 retries=1
. next
. agent east reports 1/0#1 r0 exited 1, 1/1#1 r0 exited 1, 1/2#1 r0 exited 1, 1/3#1 r0 exited 1, 1/4#1 r0 exited 1, 1/5#1 r0 exited 1
. next
reload
next
. agent east up n1 cpu=8
read 1
    answer ok
    | job-1 queued BackoffUntil elements=6 started=6 live=0 succeeded=0 failed=0 cancelled=0
    | element 0#1 ended BackoffUntil failures=1
    | element 1#1 ended BackoffUntil failures=1
    | element 2#1 ended BackoffUntil failures=1
    | element 3#1 ended BackoffUntil failures=1
    | element 4#1 ended BackoffUntil failures=1
    | element 5#1 ended BackoffUntil failures=1
tick 11s
  9.574s
    attempt_new job=1 element=5 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/5#2 seq=1 nodes=1
  10.565s
    attempt_new job=1 element=3 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/3#2 seq=2 nodes=1
  11.082s
    attempt_new job=1 element=1 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/1#2 seq=3 nodes=1
  11.296s
    attempt_new job=1 element=2 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/2#2 seq=4 nodes=1
  11.789s
    attempt_new job=1 element=4 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/4#2 seq=5 nodes=1
  11.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=6 nodes=1
next
read 1
    answer ok
    | job-1 starting Dispatching elements=6 started=6 live=6 succeeded=0 failed=0 cancelled=0 on east attempt=2
    | element 0#2 assigned on east:n1 pending failures=1
    | element 1#2 assigned on east:n1 pending failures=1
    | element 2#2 assigned on east:n1 pending failures=1
    | element 3#2 assigned on east:n1 pending failures=1
    | element 4#2 assigned on east:n1 pending failures=1
    | element 5#2 assigned on east:n1 pending failures=1
