Arrays that limit how many of their elements run at the same time.

# no more elements than the limit are live, and each that ends lets the next one start
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x5 limit=2
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=5 spec=00000000 parallelism=2
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
read 1
    answer ok
    | job-1 starting Dispatching elements=5 started=2 live=2 succeeded=0 failed=0 cancelled=0 limit=2 on east attempt=1
    | element 0#1 assigned on east:n1 pending
    | element 1#1 assigned on east:n1 pending
. agent east reports 1/0#1 r0 running, 1/1#1 r0 created
explain 1
    answer ok: at most 2 elements run at the same time, its parallelism: 2 run or start now, 3 wait; to change it: fairlead edit job-1 --parallelism N
    | job-1 running ArrayThrottle elements=5 started=2 live=2 succeeded=0 failed=0 cancelled=0 limit=2 on east attempt=1
    | east Fits: fits on east now
agent east reports 1/1#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/2#1 seq=4 nodes=1
    east <- ack 4
agent east reports 1/0#1 r0 exited 0, 1/2#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    replica_phase job=1 element=2 n=1 replica=0 exited exit_code=0
    element_end job=1 element=2 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=4 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/3#1 seq=5 nodes=1
    east <- start job-1/4#1 seq=6 nodes=1
    east <- ack 6
agent east reports 1/3#1 r0 running
    replica_phase job=1 element=3 n=1 replica=0 running exit_code=0
    east <- ack 7
read 1
    answer ok
    | job-1 running elements=5 started=5 live=2 succeeded=3 failed=0 cancelled=0 limit=2
    | element 3#1 running on east:n1 running
    | element 4#1 assigned on east:n1 pending
agent east reports 1/4#1 r0 running
    replica_phase job=1 element=4 n=1 replica=0 running exit_code=0
    east <- ack 8
read 1
    answer ok
    | job-1 running elements=5 started=5 live=2 succeeded=3 failed=0 cancelled=0 limit=2
    | element 3#1 running on east:n1 running
    | element 4#1 running on east:n1 running

# jobs behind it go on: it waits for its own elements, not for room
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 x3 limit=1
. agent east reports 1/0#1 r0 running
submit ml cpu=1 | ml cpu=4
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    shape_new shape=2 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+2
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    | job-3
    east <- start job-2/0#1 seq=2 nodes=1
    east <- start job-3/0#1 seq=3 nodes=1
submit ml prio=5 cpu=1
    job_new job=4 tenant=1 queue=1 shape=1 priority=5 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-4+1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-4
    east <- start job-4/0#1 seq=4 nodes=1

# it claims no room at its limit
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=5 x3 limit=1
. agent east reports 1/0#1 r0 running
submit ml cpu=2 | ml cpu=1
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+2
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    | job-3
    east <- start job-2/0#1 seq=2 nodes=1
    east <- start job-3/0#1 seq=3 nodes=1

# a limit over the number of elements limits nothing, and a plain job may have one
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x2 limit=9 | ml cpu=1 limit=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 parallelism=9
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 parallelism=1
    audit tenant=1 actor=ann body=submit job-1+2
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- start job-2/0#1 seq=3 nodes=1

# a limit that no array can have is refused
. queue ml
submit ml cpu=1 x2 limit=4000000000
    answer ok
    | invalid: parallelism is at most 16777216 elements

# an element in its pause does not count, and takes its place again after it
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 x3 limit=1 retries=1
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=11812
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- ack 2
tick 20s
agent east reports 1/1#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=3 nodes=1
    east <- ack 3
read 1
    answer ok
    | job-1 starting Dispatching elements=3 started=2 live=1 succeeded=1 failed=0 cancelled=0 limit=1 on east attempt=2
    | element 0#2 assigned on east:n1 pending failures=1

# an element of several replicas counts as one
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml replicas=2 cpu=1 x3 limit=2
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 parallelism=2
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=(5 bytes)
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=(5 bytes)
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1,1
    east <- start job-1/1#1 seq=2 nodes=1,1

# a START that is refused gives its place back
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 x3 limit=1
agent east reports 1/0#1 r0 refused
    replica_phase job=1 element=0 n=1 replica=0 refused exit_code=0
    attempt_end job=1 element=0 n=1 StartRefused exit_code=0 first_replica=0 ready_at=11812
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- ack 2

# an element on a silent cluster counts, since it may run
. queue ml
. cluster east
. cluster west
. agent east up n1 cpu=1
. agent west up w1 cpu=1
. submit ml cpu=1 x4 limit=2
. agent west reports 1/1#1 r0 running
. agent east lost
tick 70s
  61.000s
    cluster_phase cluster=1 phase=0
agent west reports 1/1#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=2 nodes=w1
    west <- start job-1/2#1 seq=2 nodes=1
    west <- ack 3
read 1
    answer ok: cluster east is silent: its part of this job (unknown: 1 of 2 live elements) may well be running there, so it is not started elsewhere by itself; once the cluster is back it goes on, or ends as it did, and if the cluster is removed it starts again elsewhere
    | job-1 starting ClusterSilent elements=4 started=3 live=2 succeeded=1 failed=0 cancelled=0 unknown=1 limit=2 on east attempt=1 unknown since 61s
    | element 0#1 unknown since 61s on east:n1 pending
    | element 2#1 assigned on west:w1 pending

# the limit holds over a reload, as it was edited
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 x6 limit=2
. agent east reports 1/0#1 r0 running, 1/1#1 r0 running
reload
. agent east hello
agent east inventory 1/0#1 r0 running, 1/1#1 r0 running, end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=1 n=1 replica=0 running exit_code=0
. agent east nodes n1 cpu=8 free=6
read 1
    answer ok: at most 2 elements run at the same time, its parallelism: 2 run or start now, 4 wait; to change it: fairlead edit job-1 --parallelism N
    | job-1 running ArrayThrottle elements=6 started=2 live=2 succeeded=0 failed=0 cancelled=0 limit=2 on east attempt=1
    | element 0#1 running on east:n1 running
    | element 1#1 running on east:n1 running
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/2#1 seq=1 nodes=1
    east <- ack 2
edit 1 limit=3
    audit tenant=1 actor=ann body=edit job-1 parallelism=3
    job_edit job=1 revision=1 queue=1 priority=0 parallelism=3 queue_was=1
    mark_set job=1 kind=6 value=1
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/3#1 seq=2 nodes=1
reload
. agent east hello
agent east inventory 1/1#1 r0 running, 1/2#1 r0 running, 1/3#1 r0 running, end
    replica_phase job=1 element=1 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=2 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=3 n=1 replica=0 running exit_code=0
. agent east nodes n1 cpu=8 free=5
agent east reports 1/1#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=4 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/4#1 seq=1 nodes=1
    east <- ack 2

# a smaller limit stops nothing, and no limit starts all
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 x6 limit=3
. agent east reports 1/0#1 r0 running, 1/1#1 r0 running, 1/2#1 r0 running
edit 1 limit=1
    audit tenant=1 actor=ann body=edit job-1 parallelism=1
    job_edit job=1 revision=1 queue=1 priority=0 parallelism=1 queue_was=1
    mark_set job=1 kind=6 value=1
    answer ok
explain 1
    answer ok: at most 1 elements run at the same time, its parallelism: 3 run or start now, 3 wait; to change it: fairlead edit job-1 --parallelism N
    | job-1 running ArrayThrottle elements=6 started=3 live=3 succeeded=0 failed=0 cancelled=0 limit=1 on east attempt=1
    | east Fits: fits on east now
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 5
agent east reports 1/1#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 6
agent east reports 1/2#1 r0 exited 0
    replica_phase job=1 element=2 n=1 replica=0 exited exit_code=0
    element_end job=1 element=2 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/3#1 seq=4 nodes=1
    east <- ack 7
edit 1 edits=1 limit=1
    answer ok
edit 1 edits=1 limit=0
    audit tenant=1 actor=ann body=edit job-1
    job_edit job=1 revision=2 queue=1 priority=0 queue_was=1
    mark_set job=1 kind=6 value=2
    attempt_new job=1 element=4 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=5 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/4#1 seq=5 nodes=1
    east <- start job-1/5#1 seq=6 nodes=1

# an edit of a limit that cannot be is refused
. queue ml
. submit ml cpu=1 | ml cpu=1 x2
edit 1 limit=1
    answer conflict: it has one element, and parallelism is for arrays: nothing of it was changed
edit 2 limit=4000000000
    answer invalid: parallelism is at most 16777216 elements
edit 1 limit=0
    answer ok

# at its limit it is cancelled and held as others
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 x4 limit=1
. agent east reports 1/0#1 r0 running
hold 1
    audit tenant=1 actor=ann body=hold job-1
    mark_set job=1 kind=1 value=1
    answer ok
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 3
release 1
    audit tenant=1 actor=ann body=release job-1
    mark_clear job=1 kind=1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/1#1 seq=2 nodes=1
agent east reports 1/1#1 r0 running
    replica_phase job=1 element=1 n=1 replica=0 running exit_code=0
    east <- ack 4
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/1#1 seq=3 Cancelled
    answer ok
agent east reports 1/1#1 r0 exited 143
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=143
    element_end job=1 element=1 n=1 cancelled Cancelled exit_code=0 outputs=d
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1
    east <- ack 5

# two arrays of the same kind, each at its own limit
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x3 limit=1 | ml cpu=1 x3 limit=2
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 parallelism=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 parallelism=2
    audit tenant=1 actor=ann body=submit job-1+2
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=2 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-2/0#1 seq=2 nodes=1
    east <- start job-2/1#1 seq=3 nodes=1
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=2 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/2#1 seq=4 nodes=1
    east <- ack 2
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/1#1 seq=5 nodes=1
    east <- ack 3

# a limit that keeps the rest of a job from starting ends the job's claim: others have the room at once
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml cpu=3 prio=9
. submit ml cpu=6 x3
. agent east reports 1/0#1 r0 running, 2/0#1 r0 running
submit ml cpu=4
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
explain 3
    answer ok: there is room, and jobs that were first and wait for more have claimed it
    | job-3 queued Claimed
    | east Claimed: needs 4.000 CPU, 0 MiB; east has 7.000 CPU, 131072 MiB free, of which earlier jobs (1) have claimed 6.000 CPU, 0 MiB
edit 2 limit=1
    audit tenant=1 actor=ann body=edit job-2 parallelism=1
    job_edit job=2 revision=1 queue=1 priority=0 parallelism=1 queue_was=1
    mark_set job=2 kind=6 value=1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-3/0#1 seq=3 nodes=1

# the cancel of a job ends its claim at once, too, while its elements are being stopped
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml cpu=3 prio=9
. submit ml cpu=6 x3
. agent east reports 1/0#1 r0 running, 2/0#1 r0 running
submit ml cpu=4
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    mark_set job=2 kind=2 value=35
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- stop job-2/0#1 seq=3 Cancelled
    answer ok
    east <- start job-3/0#1 seq=4 nodes=1
