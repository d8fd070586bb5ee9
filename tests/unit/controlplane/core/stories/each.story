Arrays of which each element waits for the same element of another one.

# elements start as those of the other array succeed, in any order; one that failed ends the element that waits for it
. queue ml
. cluster east
. agent east up n1 cpu=3
submit ml cpu=1 x4 | ml cpu=1 x4 after=line1:each
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=4 spec=00000000
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=4 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- start job-1/2#1 seq=3 nodes=1
agent east reports 1/1#1 r0 exited 0, 1/2#1 r0 exited 1
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    replica_phase job=1 element=2 n=1 replica=0 exited exit_code=1
    element_end job=1 element=2 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    element_end job=2 element=2 n=0 cancelled NeverMet exit_code=0
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=2 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/3#1 seq=4 nodes=1
    east <- start job-2/1#1 seq=5 nodes=1
    east <- ack 3
read 2
    answer ok
    | job-2 starting Dispatching elements=4 started=1 live=1 succeeded=0 failed=0 cancelled=1
    | element 1#1 assigned on east:n1 pending
explain 2
    answer ok: placed; its cluster is creating it
    | job-2 starting Dispatching elements=4 started=1 live=1 succeeded=0 failed=0 cancelled=1
    | east InsufficientCapacity: needs 1.000 CPU, 0 MiB; east has 0.000 CPU, 65536 MiB free of 3.000 CPU, 65536 MiB
reload
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r0 running, 1/3#1 r0 running, 2/1#1 r0 running end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=3 n=1 replica=0 running exit_code=0
    replica_phase job=2 element=1 n=1 replica=0 running exit_code=0
agent east nodes n1 cpu=3
    east <- ack 1
agent east reports 2/1#1 r0 exited 0
    replica_phase job=2 element=1 n=1 replica=0 exited exit_code=0
    element_end job=2 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 2
read 2
    answer ok: 2 of 4 elements wait for the success of the same element of job-1 (running)
    | job-2 queued WaitsForElements elements=4 started=1 live=0 succeeded=1 failed=0 cancelled=1
agent east reports 1/3#1 r0 exited 0
    replica_phase job=1 element=3 n=1 replica=0 exited exit_code=0
    element_end job=1 element=3 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=2 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/3#1 seq=1 nodes=1
    east <- ack 3
reload
agent east hello
    cluster_put cluster=1 state=1 session_epoch=3 name=east uid=uid
    east <- welcome session=3
agent east inventory 1/0#1 r0 running, 2/3#1 r0 running end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=2 element=3 n=1 replica=0 running exit_code=0
agent east nodes n1 cpu=3
    east <- ack 1
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 failed ElementsFailed is_array=1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=1 nodes=1
    east <- ack 2
agent east reports 2/0#1 r0 exited 0, 2/3#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    replica_phase job=2 element=3 n=1 replica=0 exited exit_code=0
    element_end job=2 element=3 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 cancelled NeverMet is_array=1 has_marks=1
    east <- ack 4

# an array of which no element failed, and some were never to be, is cancelled
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x2 | ml cpu=1 x2 after=line1:each | ml cpu=1 x2 after=line2:each | ml cpu=1 after=line3:any
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=9 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 after=(9 bytes)
    mark_set job=3 kind=9 value=2
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=4 kind=5 value=1 body=(9 bytes)
    audit tenant=1 actor=ann body=submit job-1+4
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    | job-3
    | job-4
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
agent east reports 1/0#1 r0 exited 0, 1/1#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=1
    element_end job=1 element=1 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    element_end job=2 element=1 n=0 cancelled NeverMet exit_code=0
    element_end job=3 element=1 n=0 cancelled NeverMet exit_code=0
    job_end job=1 failed ElementsFailed is_array=1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=3 nodes=1
    east <- ack 3
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 cancelled NeverMet is_array=1 has_marks=1
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=4 nodes=1
    east <- ack 4
reload
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 3/0#1 r0 running end
    replica_phase job=3 element=0 n=1 replica=0 running exit_code=0
agent east nodes n1 cpu=8
    east <- ack 1
agent east reports 3/0#1 r0 exited 0
    replica_phase job=3 element=0 n=1 replica=0 exited exit_code=0
    element_end job=3 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=3 cancelled NeverMet is_array=1 has_marks=1
    mark_clear job=4 kind=5
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-4/0#1 seq=1 nodes=1
    east <- ack 2

# an element that goes on after a failure is waited for
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x2 retries=1 | ml cpu=1 x2 after=line1:each
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 retries_max=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
agent east reports 1/0#1 r0 exited 1, 1/1#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=11812
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=2 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/1#1 seq=3 nodes=1
    east <- ack 3
tick 30s
  11.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=4 nodes=1
agent east reports 1/0#2 r0 exited 0
    replica_phase job=1 element=0 n=2 replica=0 exited exit_code=0
    element_end job=1 element=0 n=2 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=5 nodes=1
    east <- ack 4

# a job that is cancelled ends its elements one by one, so that those that wait for them end
. queue ml
. cluster east
. agent east up n1 cpu=2
submit ml cpu=1 x4 | ml cpu=1 x4 after=line1:each
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=4 spec=00000000
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=4 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=9 value=1
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
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/2#1 seq=3 nodes=1
    east <- ack 2
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    element_end job=1 element=3 n=0 cancelled Cancelled exit_code=0
    element_end job=2 element=3 n=0 cancelled NeverMet exit_code=0
    east <- stop job-1/1#1 seq=4 Cancelled
    east <- stop job-1/2#1 seq=5 Cancelled
    answer ok
reload
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/1#1 r0 running, 1/2#1 r0 running end
    replica_phase job=1 element=1 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=2 n=1 replica=0 running exit_code=0
    east <- stop job-1/2#1 seq=1 Cancelled
    east <- stop job-1/1#1 seq=2 Cancelled
agent east nodes n1 cpu=2
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=3 nodes=1
    east <- ack 1
agent east reports 1/1#1 r0 exited 137, 1/2#1 r0 exited 137
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=137
    element_end job=1 element=1 n=1 cancelled Cancelled exit_code=0 outputs=d
    element_end job=2 element=1 n=0 cancelled NeverMet exit_code=0
    replica_phase job=1 element=2 n=1 replica=0 exited exit_code=137
    element_end job=1 element=2 n=1 cancelled Cancelled exit_code=0 outputs=d
    element_end job=2 element=2 n=0 cancelled NeverMet exit_code=0
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1
    east <- ack 3
agent east reports 2/0#1 r0 exited 0
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=0
    element_end job=2 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=2 cancelled NeverMet is_array=1 has_marks=1
    east <- ack 4

# one that never started is cancelled
. queue ml
. cluster east
submit ml cpu=1 x3 | ml cpu=1 x3 after=line1:each | ml cpu=1 x3 after=line2:each
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=9 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 after=(9 bytes)
    mark_set job=3 kind=9 value=2
    audit tenant=1 actor=ann body=submit job-1+3
    answer ok
    | job-1
    | job-2
    | job-3
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    element_end job=2 element=0 n=0 cancelled NeverMet exit_code=0
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    element_end job=1 element=1 n=0 cancelled Cancelled exit_code=0
    element_end job=2 element=1 n=0 cancelled NeverMet exit_code=0
    element_end job=3 element=1 n=0 cancelled NeverMet exit_code=0
    element_end job=1 element=2 n=0 cancelled Cancelled exit_code=0
    element_end job=2 element=2 n=0 cancelled NeverMet exit_code=0
    element_end job=3 element=2 n=0 cancelled NeverMet exit_code=0
    job_end job=3 cancelled NeverMet is_array=1 has_marks=1
    job_end job=2 cancelled NeverMet is_array=1 has_marks=1
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1
    answer ok

# the array that waits is cancelled, and the other goes on
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x2 | ml cpu=1 x2 after=line1:each
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=9 value=1
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
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=3 nodes=1
    east <- ack 2
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    mark_set job=2 kind=2 value=35
    east <- stop job-2/0#1 seq=4 Cancelled
    answer ok
agent east reports 1/1#1 r0 exited 1
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=1
    element_end job=1 element=1 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    job_end job=1 failed ElementsFailed is_array=1
    east <- ack 3
reload

# chosen elements wait for the same chosen ones
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 retry_of=9 picks=3,7-8 | ml cpu=1 picks=3,7-8 after=line1:each
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 retry_of=9 picked=(4 bytes)
    mark_set job=1 kind=4 value=3 body=(4 bytes)
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 picked=(4 bytes) after=(9 bytes)
    mark_set job=2 kind=4 value=3 body=(4 bytes)
    mark_set job=2 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    attempt_new job=1 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=7 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=8 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    east <- start job-1/3#1 seq=1 nodes=1
    east <- start job-1/7#1 seq=2 nodes=1
    east <- start job-1/8#1 seq=3 nodes=1
agent east reports 1/7#1 r0 exited 0
    replica_phase job=1 element=7 n=1 replica=0 exited exit_code=0
    element_end job=1 element=7 n=1 succeeded Succeeded exit_code=0 outputs=d
    attempt_new job=2 element=7 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/7#1 seq=4 nodes=1
    east <- ack 2
reload
read 2
    answer ok
    | job-2 starting Dispatching elements=3 started=1 live=1 succeeded=0 failed=0 cancelled=0 picked
    | element 7#1 assigned on east:n1 pending

# elements that have succeeded before do not keep it waiting
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x3
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- start job-1/2#1 seq=3 nodes=1
agent east reports 1/1#1 r0 exited 0
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=0
    element_end job=1 element=1 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 2
submit ml cpu=1 x3 after=1:each
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-2
    east <- start job-2/1#1 seq=4 nodes=1
reload

# it is refused where the core does not know the ends of single elements
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 x3
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=2 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
    east <- start job-1/2#1 seq=3 nodes=1
submit ml cpu=1 x2 after=1:each
    answer ok
    | invalid: elements wait for the same elements of job-1, so both are arrays of one size: it has 3, and this job 2
submit ml cpu=1 after=1:each
    answer ok
    | invalid: elements wait for the same elements of job-1, so both are arrays of one size: it has 3, and this job 1
submit ml cpu=1 picks=1,3,5 after=1:each
    answer ok
    | invalid: elements of job-1 have other numbers, and only a whole array can be waited for element by element: run after the job itself, with success or any
submit ml cpu=1 x3 after=1:each,9:each
    answer ok
    | invalid: the elements of a job wait for those of one other job only; name the others with success, any or failure
submit ml cpu=1 x3 after=1:each=indexes
    answer ok
    | invalid: elements wait for the same elements of job-1, so both have the same indexes: give this job those of job-1, or run after the job itself, with success or any
submit ml cpu=1 x3 after=9:each=succeeded
    answer ok
    | conflict: job-9 has ended, so its elements cannot be waited for one by one; run after the job itself, with success or any
submit ml cpu=1 x3 after=9:each
    answer ok
    | unavailable: job-9 has ended, so its elements cannot be waited for one by one; run after the job itself, with success or any
agent east reports 1/1#1 r0 exited 1
    replica_phase job=1 element=1 n=1 replica=0 exited exit_code=1
    element_end job=1 element=1 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    east <- ack 2
submit ml cpu=1 x3 after=1:each
    answer ok
    | conflict: elements of job-1 have failed or are being stopped, so they cannot be waited for one by one any more; run after the job itself, or after a retry of all of it

# a stopped array for which no array waits any more ends after a load, although none of its elements is open
config slice_max=1
. queue ml
. submit ml cpu=1 x8 | ml cpu=1 x8 after=line1:each | ml cpu=1 x8 after=line2:each
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    element_end job=2 element=0 n=0 cancelled NeverMet exit_code=0
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    element_end job=1 element=1 n=0 cancelled Cancelled exit_code=0
    element_end job=2 element=1 n=0 cancelled NeverMet exit_code=0
    element_end job=3 element=1 n=0 cancelled NeverMet exit_code=0
    answer ok
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    mark_set job=2 kind=2 value=35
    element_end job=2 element=2 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=2 n=0 cancelled NeverMet exit_code=0
    element_end job=1 element=2 n=0 cancelled Cancelled exit_code=0
    answer ok
next
    element_end job=2 element=3 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=3 n=0 cancelled NeverMet exit_code=0
cancel 3
    audit tenant=1 actor=ann body=cancel job-3
    job_end job=3 cancelled Cancelled is_array=1 has_marks=1
    element_end job=1 element=3 n=0 cancelled Cancelled exit_code=0
    answer ok
reload
    element_end job=1 element=4 n=0 cancelled Cancelled exit_code=0
next
    job_end job=2 cancelled Cancelled is_array=1 has_marks=1
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1
list
    answer ok

# an element has ended since its fellow failed, and then the job can never start since another one was cancelled
. queue ml
. cluster east
. agent east up n1 cpu=2
submit ml cpu=1 x2 | ml cpu=1 held | ml cpu=1 x2 after=line1:each,line2:success
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 after=(18 bytes)
    mark_set job=3 kind=5 value=1 body=(9 bytes)
    mark_set job=3 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-1+3
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    | job-3
    east <- start job-1/0#1 seq=1 nodes=1
    east <- start job-1/1#1 seq=2 nodes=1
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    element_end job=1 element=0 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    east <- ack 2
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=3 kind=2 value=52
    job_end job=3 cancelled NeverMet is_array=1 has_marks=1
    answer ok

# a third array waits for a second one under way: those that have succeeded there are met, and no others
. queue ml
. cluster east
. agent east up n1 cpu=16
. submit ml cpu=1 x5 | ml cpu=1 x5 after=line1:each
. agent east reports 1/0#1 r0 exited 0, 1/3#1 r0 exited 0, 1/4#1 r0 exited 0
. agent east reports 2/3#1 r0 exited 0
submit ml cpu=1 x5 after=2:each
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=5 spec=00000000 after=(9 bytes)
    mark_set job=3 kind=9 value=2
    audit tenant=1 actor=ann body=submit job-3+1
    attempt_new job=3 element=3 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-3
    east <- start job-3/3#1 seq=9 nodes=1
reload
read 3
    answer ok
    | job-3 starting Dispatching elements=5 started=1 live=1 succeeded=0 failed=0 cancelled=0
    | element 3#1 assigned on east:n1 pending

# an element that ended without an attempt has not started: the deadline may be changed
. queue ml
. cluster east
. agent east up n1 cpu=2
. submit ml cpu=1 x3 | ml cpu=1 x3 after=line1:each
. agent east reports 1/1#1 r0 exited 1
read 2
    answer ok: 2 of 3 elements wait for the success of the same element of job-1 (starting)
    | job-2 queued WaitsForElements elements=3 started=0 live=0 succeeded=0 failed=0 cancelled=1
edit 2 deadline=60
    audit tenant=1 actor=ann body=edit job-2 deadline=60
    job_edit job=2 revision=1 queue=1 priority=0 deadline_s=60 queue_was=1
    mark_set job=2 kind=6 value=1
    answer ok
reload
read 2
    answer ok: 2 of 3 elements wait for the success of the same element of job-1 (starting)
    | job-2 queued WaitsForElements elements=3 started=0 live=0 succeeded=0 failed=0 cancelled=1
edit 2 edits=1 deadline=90
    audit tenant=1 actor=ann body=edit job-2 deadline=90
    job_edit job=2 revision=2 queue=1 priority=0 deadline_s=90 queue_was=1
    mark_set job=2 kind=6 value=2
    answer ok
. agent east hello
. agent east inventory 1/0#1 r0 running, 1/2#1 r0 running, end
. agent east nodes n1 cpu=2
. agent east reports 1/0#1 r0 exited 0
edit 2 edits=2 deadline=60
    answer conflict: its deadline counts from its first start, and it has started: nothing of it was changed

# where the deadline stops an array, its elements that never began are cancelled: none of them failed
. queue ml
. cluster east
. agent east up n1 cpu=1
. submit ml cpu=1 x3 deadline=60 | ml cpu=1 x3 after=line1:each
. agent east reports 1/0#1 r0 running
tick 61s
  61.000s
    mark_set job=1 kind=2 value=36
    element_end job=1 element=1 n=0 cancelled DeadlineExceeded exit_code=0
    element_end job=2 element=1 n=0 cancelled NeverMet exit_code=0
    element_end job=1 element=2 n=0 cancelled DeadlineExceeded exit_code=0
    element_end job=2 element=2 n=0 cancelled NeverMet exit_code=0
    east <- stop job-1/0#1 seq=2 DeadlineExceeded
read 1
    answer ok
    | job-1 stopping DeadlineExceeded elements=3 started=1 live=1 succeeded=0 failed=0 cancelled=2 on east attempt=1
    | element 0#1 stopping DeadlineExceeded on east:n1 running
agent east reports 1/0#1 r0 exited 137
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=137
    element_end job=1 element=0 n=1 failed DeadlineExceeded exit_code=0 outputs=d
    element_end job=2 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=2 cancelled NeverMet is_array=1 has_marks=1
    job_end job=1 failed DeadlineExceeded is_array=1 has_marks=1
    east <- ack 3

# a stopped array waits for no other job any more, so neither a load nor the end of that job changes its reason
config slice_max=1
. queue ml
. submit ml cpu=1 | ml cpu=1 x6 after=line1:success | ml cpu=1 x6 after=line2:each
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    mark_set job=2 kind=2 value=35
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    element_end job=2 element=1 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=1 n=0 cancelled NeverMet exit_code=0
    answer ok
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0
    element_end job=2 element=2 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=2 n=0 cancelled NeverMet exit_code=0
    answer ok
next
    element_end job=2 element=3 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=3 n=0 cancelled NeverMet exit_code=0
reload
    element_end job=2 element=4 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=4 n=0 cancelled NeverMet exit_code=0
next
    element_end job=2 element=5 n=0 cancelled Cancelled exit_code=0
    element_end job=3 element=5 n=0 cancelled NeverMet exit_code=0
    job_end job=3 cancelled NeverMet is_array=1 has_marks=1
    job_end job=2 cancelled Cancelled is_array=1 has_marks=1
next
list
    answer ok
