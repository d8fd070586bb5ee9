Jobs that run one at a time under their name and owner.

# each waits for the end of those before it, however they end, and takes its turn in order
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 name=sync alone
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=1 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
submit ml cpu=1 name=sync alone | ml cpu=1 name=sync alone | ml cpu=1 name=other alone | ml cpu=1 name=sync
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=2 kind=7 value=1 body=(5 bytes)
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=3 kind=7 value=1 body=(5 bytes)
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=other is_singleton=1
    mark_set job=4 kind=7 value=1 body=(6 bytes)
    job_new job=5 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync
    audit tenant=1 actor=ann body=submit job-2+4
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=5 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    | job-3
    | job-4
    | job-5
    east <- start job-4/0#1 seq=2 nodes=1
    east <- start job-5/0#1 seq=3 nodes=1
explain 2
    answer ok: singletons of its name and owner run one at a time: it waits for the end of job-1 (starting)
    | job-2 queued WaitsForTurn
    | east Fits: fits on east now
explain 3
    answer ok: singletons of its name and owner run one at a time: it waits for the end of job-1 (starting) and of 1 more before it
    | job-3 queued WaitsForTurn
    | east Fits: fits on east now
read 3
    answer ok: singletons of its name and owner run one at a time: it waits for the end of job-1 (starting) and of 1 more before it
    | job-3 queued WaitsForTurn
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    element_end job=1 element=0 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    job_end job=1 failed ReplicaFailed is_array=0 has_marks=1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=4 nodes=1
    east <- ack 2
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 succeeded Succeeded is_array=0 has_marks=1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=5 nodes=1
    east <- ack 3

# one that ends before its turn leaves the line, and no other starts by that
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 name=sync alone | ml cpu=1 name=sync alone | ml cpu=1 name=sync alone
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=1 kind=7 value=1 body=(5 bytes)
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=2 kind=7 value=1 body=(5 bytes)
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=3 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-1+3
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    | job-3
    east <- start job-1/0#1 seq=1 nodes=1
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0 has_marks=1
    answer ok
explain 3
    answer ok: singletons of its name and owner run one at a time: it waits for the end of job-1 (starting)
    | job-3 queued WaitsForTurn
    | east Fits: fits on east now
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0 has_marks=1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=2 nodes=1
    east <- ack 2

# a first job that is held keeps the others waiting; its release, and its end, let them go on
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 name=sync alone held | ml cpu=1 name=sync alone
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=1 kind=1 value=1
    mark_set job=1 kind=7 value=1 body=(5 bytes)
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=2 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-1+2
    answer ok
    | job-1
    | job-2
explain 2
    answer ok: singletons of its name and owner run one at a time: it waits for the end of job-1 (held)
    | job-2 queued WaitsForTurn
    | east Fits: fits on east now
release 1
    audit tenant=1 actor=ann body=release job-1
    mark_clear job=1 kind=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/0#1 seq=1 nodes=1
hold 1
    audit tenant=1 actor=ann body=hold job-1
    mark_set job=1 kind=1 value=1
    answer ok
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=2 Cancelled
    answer ok
agent east reports 1/0#1 r0 absent
    replica_phase job=1 element=0 n=1 replica=0 absent exit_code=0
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=l
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=3 nodes=1
    east <- ack 2

# between its attempts a job keeps its turn, also over a reload
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 name=sync alone retries=1 | ml cpu=1 name=sync alone | ml cpu=1 name=sync alone
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync retries_max=1 is_singleton=1
    mark_set job=1 kind=7 value=1 body=(5 bytes)
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=2 kind=7 value=1 body=(5 bytes)
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=3 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-1+3
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    | job-3
    east <- start job-1/0#1 seq=1 nodes=1
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=11812
    east <- ack 2
reload
agent east up n1 cpu=8
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
    east <- ack 1
explain 2
    answer ok: singletons of its name and owner run one at a time: it waits for the end of job-1 (queued)
    | job-2 queued WaitsForTurn
    | east Fits: fits on east now
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-2/0#1 seq=1 nodes=1
reload
agent east up n1 cpu=8
    cluster_put cluster=1 state=1 session_epoch=3 name=east uid=uid
    east <- welcome session=3
    attempt_end job=2 element=0 n=1 NeverArrived exit_code=0 outputs=l ready_at=1000
    attempt_new job=2 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#2 seq=1 nodes=1
    east <- ack 1
read 2
    answer ok
    | job-2 starting Dispatching on east attempt=2
read 3
    answer ok: singletons of its name and owner run one at a time: it waits for the end of job-2 (starting)
    | job-3 queued WaitsForTurn

# an array is one job; it ends, and the next one starts
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 name=sync alone x2 | ml cpu=1 name=sync alone
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 name=sync is_singleton=1
    mark_set job=1 kind=7 value=1 body=(5 bytes)
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=2 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-1+2
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 2
agent east reports 1/1#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=1 has_marks=1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=3 nodes=1
    east <- ack 3

# one that waits for jobs, too, says so first
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 name=sync alone | ml cpu=1 | ml cpu=1 name=sync alone after=line2
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=1 kind=7 value=1 body=(5 bytes)
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync after=(9 bytes) is_singleton=1
    mark_set job=3 kind=5 value=1 body=(9 bytes)
    mark_set job=3 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-1+3
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    | job-3
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-2/0#1 seq=2 nodes=1
explain 3
    answer ok: it waits for the success of job-2 (starting)
    | job-3 queued WaitsForJobs
    | east Fits: fits on east now
agent east reports 2/0#1 r0 exited 1
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=1
    element_end job=2 element=0 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    job_end job=2 failed ReplicaFailed is_array=0
    mark_set job=3 kind=2 value=52
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=3 cancelled NeverMet is_array=0 has_marks=1
    east <- ack 2

# the same name in another tenant, or of another owner, is another line
. queue ml
. queue ml tenant=2
. cluster east
. agent east up n1 cpu=8
submit owner=ann ml cpu=1 name=sync alone
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync owner=ann is_singleton=1
    mark_set job=1 kind=7 value=1 body=(8 bytes)
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
submit owner=ann tenant=2 ml cpu=1 name=sync alone
    job_new job=2 tenant=2 queue=2 shape=1 priority=0 elements=1 spec=00000000 name=sync owner=ann is_singleton=1
    mark_set job=2 kind=7 value=1 body=(8 bytes)
    audit tenant=2 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    east <- start job-2/0#1 seq=2 nodes=1
submit owner=bob ml cpu=1 name=sync alone | ml cpu=1 name=syn alone
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync owner=bob is_singleton=1
    mark_set job=3 kind=7 value=1 body=(8 bytes)
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=syn owner=bob is_singleton=1
    mark_set job=4 kind=7 value=1 body=(7 bytes)
    audit tenant=1 actor=ann body=submit job-3+2
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-3
    | job-4
    east <- start job-3/0#1 seq=3 nodes=1
    east <- start job-4/0#1 seq=4 nodes=1
submit owner=ann ml cpu=1 name=sync alone
    job_new job=5 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync owner=ann is_singleton=1
    mark_set job=5 kind=7 value=1 body=(8 bytes)
    audit tenant=1 actor=ann body=submit job-5+1
    answer ok
    | job-5

# it needs a name, which an edit leaves as it is
. queue ml
submit ml alone
    answer ok
    | invalid: a singleton needs a name: it runs alone under its name and owner
submit ml held name=sync alone
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=1 kind=1 value=1
    mark_set job=1 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
edit 1 name=else
    answer conflict: the name of a singleton decides its turn and cannot be changed: cancel the job and submit it anew
edit 1 name=sync labels=a=b
    audit tenant=1 actor=ann body=edit job-1 words
    job_edit job=1 revision=1 queue=1 priority=0 name=sync labels=a=b queue_was=1
    mark_set job=1 kind=6 value=1
    answer ok
edit 1 edits=1 prio=4
    audit tenant=1 actor=ann body=edit job-1 priority=4
    job_edit job=1 revision=2 queue=1 priority=4 queue_was=1
    mark_set job=1 kind=6 value=2
    answer ok

# a line goes through all queues, and the sentence names no job of another one
. queue ml
. queue night
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 name=sync alone
submit night cpu=1 name=sync alone
    job_new job=2 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000 name=sync is_singleton=1
    mark_set job=2 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
explain 2
    answer ok: singletons of its name and owner run one at a time: it waits for the end of one in another queue
    | job-2 queued WaitsForTurn
    | east Fits: fits on east now

# one that waits for its turn ends element by element when it is stopped, since another array waits for it
config slice_max=1
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 name=sync alone
. submit ml cpu=1 x3 name=sync alone | ml cpu=1 x3 after=line1:each
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    mark_set job=2 kind=2 value=35
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    element_end job=2 element=1 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=1 n=0 cancelled NeverMet exit_code=0
    answer ok
reload
    element_end job=2 element=2 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=2 n=0 cancelled NeverMet exit_code=0
    job_end job=3 cancelled NeverMet is_array=1 has_marks=1
    job_end job=2 cancelled Cancelled is_array=1 has_marks=1
list
    answer ok
    | job-1 starting Dispatching on east attempt=1
