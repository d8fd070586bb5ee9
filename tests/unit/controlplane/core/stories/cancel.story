Cancel, hold, release and the deadline.

# cancelling a queued job ends it at once
. queue ml
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0
    answer ok
cancel 1
    answer absent: no open job is called job-1; it may have ended

# cancelling a starting job stops what is being created
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
agent east reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    east <- ack 2
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=2 Cancelled
    answer ok
read 1
    answer ok
    | job-1 stopping Cancelled on east attempt=1
agent east reports 1/0#1 r1 created
    replica_phase job=1 element=0 n=1 replica=1 created exit_code=0
    east <- ack 3
agent east reports 1/0#1 r0-1 refused
    replica_phase job=1 element=0 n=1 replica=0 refused exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 refused exit_code=0
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    east <- ack 5

# cancelling a running job stops it once, however often it is asked
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 retries=3
. agent east reports 1/0#1 r0 running
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=2 Cancelled
    answer ok
cancel 1
    answer ok
read 1
    answer ok
    | job-1 stopping Cancelled on east attempt=1
agent east reports 1/0#1 r0 exited 143
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=143
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=d
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    east <- ack 3

# a cancel that was accepted beats a success that is reported later
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=2 Cancelled
    answer ok
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=d
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    east <- ack 3

# cancelling a gang that is being stopped because one failed does not stop it twice
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1 retries=5
. agent east reports 1/0#1 r0-1 running
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_stop job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0
    east <- stop job-1/0#1 seq=2 ReplicaFailed
    east <- ack 4
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    answer ok
agent east reports 1/0#1 r1 exited 143
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=143
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=1 first_replica=0 outputs=dd
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    east <- ack 5

# cancelling an array with running, waiting and unstarted elements
. queue ml
. cluster east
. agent east up n1 cpu=3
. submit ml x9 cpu=1 retries=2
. agent east reports 1/0#1 r0 running, 1/1#1 r0 exited 1, 1/2#1 r0 exited 0
read 1
    answer ok
    | job-1 running elements=9 started=5 live=3 succeeded=1 failed=0 cancelled=0 on east attempt=1
    | element 0#1 running on east:n1 running
    | element 1#1 ended BackoffUntil failures=1
    | element 3#1 assigned on east:n1 pending
    | element 4#1 assigned on east:n1 pending
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    element_end job=1 element=1 n=1 cancelled Cancelled exit_code=1 first_replica=0
    east <- stop job-1/0#1 seq=6 Cancelled
    east <- stop job-1/3#1 seq=7 Cancelled
    east <- stop job-1/4#1 seq=8 Cancelled
    answer ok
read 1
    answer ok
    | job-1 stopping Cancelled elements=9 started=5 live=3 succeeded=1 failed=0 cancelled=1 on east attempt=1
    | element 0#1 stopping Cancelled on east:n1 running
    | element 3#1 stopping Cancelled on east:n1 pending
    | element 4#1 stopping Cancelled on east:n1 pending
agent east reports 1/0#1 r0 exited 143
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=143
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=d
    east <- ack 5
agent east reports 1/3#1 r0 refused
    replica_phase job=1 element=3 n=1 replica=0 refused exit_code=0
    element_end job=1 element=3 n=1 cancelled Cancelled exit_code=0
    east <- ack 6
agent east reports 1/4#1 r0 lost
    replica_phase job=1 element=4 n=1 replica=0 lost exit_code=0
    element_end job=1 element=4 n=1 cancelled Cancelled exit_code=0 outputs=d
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1
    east <- ack 7

# cancelling an array of which nothing lives ends it at once
. queue ml
. cluster east
. agent east up n1 cpu=2
. submit ml x2 cpu=1 retries=1
. agent east reports 1/0#1 r0 exited 1, 1/1#1 r0 exited 0
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=1 first_replica=0
    job_end job=1 cancelled Cancelled is_array=1 has_marks=1
    answer ok

# an agent answers a STOP of an attempt that it does not know, and the attempt ends
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/0#1 seq=2 Cancelled
    answer ok
agent east reports 1/0#1 all absent
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    east <- ack 2

# a STOP is repeated in each session until the attempt ends
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
. agent east lost
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    answer ok
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory 1/0#1 r0 running, end
    east <- stop job-1/0#1 seq=1 Cancelled

# cancelled while its cluster was away and gone when it came back: cancelled
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
. agent east lost
. cancel 1
. cancel 2
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory end
    element_end job=2 element=0 n=1 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0 has_marks=1
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=l
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1

# a held job waits for its release
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 held
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
read 1
    answer ok
    | job-1 held Held
explain 1
    answer ok: held; it waits for release
    | job-1 held Held
    | east Fits: fits on east now
release 1
    audit tenant=1 actor=ann body=release job-1
    mark_clear job=1 kind=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/0#1 seq=1 nodes=1
release 1
    answer ok

# holding a running job lets it run, and holds its retry
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 retries=1
. agent east reports 1/0#1 r0 running
hold 1
    audit tenant=1 actor=ann body=hold job-1
    mark_set job=1 kind=1 value=1
    answer ok
hold 1
    answer ok
read 1
    answer ok
    | job-1 running on east attempt=1
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=11812
    east <- ack 3
tick 60s
read 1
    answer ok
    | job-1 held Held
release 1
    audit tenant=1 actor=ann body=release job-1
    mark_clear job=1 kind=1
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/0#2 seq=2 nodes=1

# holding an array starts no further element
. queue ml
. cluster east
. agent east up n1 cpu=1
. submit ml x3 cpu=1
hold 1
    audit tenant=1 actor=ann body=hold job-1
    mark_set job=1 kind=1 value=1
    answer ok
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 2
read 1
    answer ok
    | job-1 held Held elements=3 started=1 live=0 succeeded=1 failed=0 cancelled=0
release 1
    audit tenant=1 actor=ann body=release job-1
    mark_clear job=1 kind=1
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/1#1 seq=2 nodes=1
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    east <- stop job-1/1#1 seq=3 Cancelled
    answer ok

# a held job can be cancelled
. queue ml
. submit ml cpu=1 held
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    answer ok

# the deadline runs from the first start of any replica, through retries
config start_ms=4000000
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 deadline=60 retries=5
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 deadline_s=60 retries_max=5
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
tick 100s
agent east reports 1/0#1 r0 created
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    east <- go job-1/0#1 seq=2
    east <- ack 2
agent east reports 1/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    mark_set job=1 kind=3 value=101000
    east <- ack 3
tick 30s
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=141812
    east <- ack 4
tick 12s
  141.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=3 nodes=1
agent east reports 1/0#2 r0 running
    replica_phase job=1 element=0 n=2 replica=0 running exit_code=0
    east <- ack 5
tick 17s
tick 1s
  161.000s
    mark_set job=1 kind=2 value=36
    east <- stop job-1/0#2 seq=4 DeadlineExceeded
read 1
    answer ok
    | job-1 stopping DeadlineExceeded on east attempt=2
agent east reports 1/0#2 r0 exited 143
    replica_phase job=1 element=0 n=2 replica=0 exited exit_code=143
    element_end job=1 element=0 n=2 failed DeadlineExceeded exit_code=0 outputs=d
    job_end job=1 failed DeadlineExceeded is_array=0 has_marks=1
    east <- ack 6

# the deadline is kept over a reload, and what it stopped stays stopped
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 deadline=60
. agent east reports 1/0#1 r0 running
. tick 40s
reload
agent east hello resync
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- resync session=2
agent east inventory 1/0#1 r0 running, end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
tick 20s
  61.000s
    mark_set job=1 kind=2 value=36
    east <- stop job-1/0#1 seq=1 DeadlineExceeded
reload
read 1
    answer ok
    | job-1 stopping DeadlineExceeded on east attempt=1
agent east hello resync
    cluster_put cluster=1 state=1 session_epoch=3 name=east uid=uid
    east <- resync session=3
agent east inventory 1/0#1 r0 running, end
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    east <- stop job-1/0#1 seq=1 DeadlineExceeded
agent east reports 1/0#1 r0 exited 143
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=143
    element_end job=1 element=0 n=1 failed DeadlineExceeded exit_code=0 outputs=d
    job_end job=1 failed DeadlineExceeded is_array=0 has_marks=1
    east <- ack 1

# a deadline that passed while no engine led is acted upon at once
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 deadline=60
. agent east reports 1/0#1 r0 running
100s reload
    mark_set job=1 kind=2 value=36

# a deadline that comes while the job waits for its retry ends it at once
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 deadline=5 retries=3
. agent east reports 1/0#1 r0 running
. agent east reports 1/0#1 r0 exited 1
tick 60s
  6.000s
    element_end job=1 element=0 n=1 failed DeadlineExceeded exit_code=1 first_replica=0
    job_end job=1 failed DeadlineExceeded is_array=0 has_marks=1

# a deadline that comes while a cancel is under way changes nothing
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 deadline=5
. agent east reports 1/0#1 r0 running
. cancel 1
tick 60s
  61.000s
    east <- stop job-1/0#1 seq=3 Cancelled
agent east reports 1/0#1 r0 exited 143
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=143
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=0 outputs=d
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    east <- ack 3
