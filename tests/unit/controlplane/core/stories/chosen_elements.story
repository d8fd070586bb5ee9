Jobs that run chosen elements only, and why an attempt ended.

# a retry of chosen elements runs those, under their numbers
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=4 retry_of=9 picks=3,7-8
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 retry_of=9 picked=(4 bytes)
    mark_set job=1 kind=4 value=3 body=(4 bytes)
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=7 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/3#1 seq=1 nodes=1
    east <- start job-1/7#1 seq=2 nodes=1
read 1
    answer ok
    | job-1 starting Dispatching elements=3 started=2 live=2 succeeded=0 failed=0 cancelled=0 picked on east attempt=1
    | element 3#1 assigned on east:n1 pending
    | element 7#1 assigned on east:n1 pending
agent east reports 1/3#1 r0 exited 0, 1/7#1 r0 running
    replica_phase job=1 element=3 n=1 replica=0 exited exit_code=0
    element_end job=1 element=3 n=1 succeeded Succeeded exit_code=0 outputs=d
    replica_phase job=1 element=7 n=1 replica=0 running exit_code=0
    attempt_new job=1 element=8 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/8#1 seq=3 nodes=1
    east <- ack 3
reload
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/7#1 r0 running, 1/8#1 r0 running end
    replica_phase job=1 element=7 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=8 n=1 replica=0 running exit_code=0
agent east reports 1/7#1 r0 exited 0, 1/8#1 r0 exited 1
    replica_phase job=1 element=7 n=1 replica=0 exited exit_code=0
    element_end job=1 element=7 n=1 succeeded Succeeded exit_code=0 outputs=d
    replica_phase job=1 element=8 n=1 replica=0 exited exit_code=1
    element_end job=1 element=8 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    job_end job=1 failed ElementsFailed is_array=1 has_marks=1
    east <- ack 2

# a retry of one element of an array is an array of one
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 retries=1 picks=5
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 picked=(2 bytes) retries_max=1
    mark_set job=1 kind=4 value=1 body=(2 bytes)
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=5 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/5#1 seq=1 nodes=1
agent east reports 1/5#1 r0 exited 1
    replica_phase job=1 element=5 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=5 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=11812
    east <- ack 2
reload
read 1
    answer ok
    | job-1 queued BackoffUntil picked
    | element 5#1 ended BackoffUntil failures=1
agent east up n1 cpu=8
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
    east <- ack 1
tick 15s
  11.812s
    attempt_new job=1 element=5 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/5#2 seq=1 nodes=1
agent east reports 1/5#2 r0 exited 0
    replica_phase job=1 element=5 n=2 replica=0 exited exit_code=0
    element_end job=1 element=5 n=2 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=1 has_marks=1
    east <- ack 2

# chosen elements that are queued end with their job
. queue ml
submit ml held cpu=1 picks=5-6
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 picked=(2 bytes)
    mark_set job=1 kind=1 value=1
    mark_set job=1 kind=4 value=2 body=(2 bytes)
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
read 1
    answer ok
    | job-1 held Held elements=2 started=0 live=0 succeeded=0 failed=0 cancelled=0 picked
reload
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1
    answer ok

# an invalid set of elements is refused
. queue ml
submit ml cpu=1 picks=5-6 x3 | ml cpu=1 picks=16777216
    answer ok
    | invalid: the job has not as many elements as were chosen, or one has a number past 16777215
    | invalid: the job has not as many elements as were chosen, or one has a number past 16777215

# memory that ran out is a failure of the job, a node that is gone is not
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 | ml cpu=1 retries=1 | ml cpu=1
agent east reports 1/0#1 r0 exited 137 out_of_memory
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=137
    element_end job=1 element=0 n=1 failed OutOfMemory exit_code=137 first_replica=0 outputs=d
    job_end job=1 failed OutOfMemory is_array=0
    east <- ack 2
agent east reports 2/0#1 r0 exited 137 out_of_memory
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=137
    attempt_end job=2 element=0 n=1 OutOfMemory exit_code=137 first_replica=0 outputs=d ready_at=11812
    east <- ack 3
agent east reports 3/0#1 r0 lost node_lost
    replica_phase job=3 element=0 n=1 replica=0 lost exit_code=0
    attempt_end job=3 element=0 n=1 NodeLost exit_code=0 first_replica=0 outputs=d ready_at=1000
    attempt_new job=3 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#2 seq=4 nodes=1
    east <- ack 4

# an image that is not there is a failure of the job, a full cluster is not
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 | ml cpu=1 retries=1 | ml cpu=1
agent east reports 1/0#1 r0 refused image
    replica_phase job=1 element=0 n=1 replica=0 refused exit_code=0
    element_end job=1 element=0 n=1 failed ImageUnavailable exit_code=0 first_replica=0
    job_end job=1 failed ImageUnavailable is_array=0
    east <- ack 2
agent east reports 2/0#1 r0 refused container
    replica_phase job=2 element=0 n=1 replica=0 refused exit_code=0
    attempt_end job=2 element=0 n=1 ContainerRefused exit_code=0 first_replica=0 ready_at=11812
    east <- ack 3
agent east reports 3/0#1 r0 refused unscheduled
    replica_phase job=3 element=0 n=1 replica=0 refused exit_code=0
    attempt_end job=3 element=0 n=1 Unscheduled exit_code=0 first_replica=0 ready_at=11082
    east <- ack 4

# lists come in pages
. queue ml
. queue prod paused
. cluster east
. cluster west
. agent east up n1 cpu=8, n2 cpu=4 notready
. submit ml cpu=1
clusters max=1
    answer ok next=2
    | east uid=uid open connected attempts=1 nodes=1/2 cpu=7/8 generation=0
clusters from=2
    answer ok
    | west uid=uid open attempts=0 nodes=0/0 cpu=0/0 generation=0
queues
    answer ok
    | queue ml jobs=1 starting=1
    | queue prod paused jobs=0
nodes east
    answer ok
    | node n1 number=1 cpu=7/8
    | node n2 number=2 notready cpu=4/4
nodes west
    answer ok
