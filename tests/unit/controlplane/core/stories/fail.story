Failing, retrying, and who is charged for it.

# the first failing replica is named, and the others of its gang are stopped
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=3 cpu=1
. agent east reports 1/0#1 r0-2 created
. agent east reports 1/0#1 r0-2 running
agent east reports 1/0#1 r1 exited 3
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=3
    attempt_stop job=1 element=0 n=1 ReplicaFailed exit_code=3 first_replica=1
    east <- stop job-1/0#1 seq=3 ReplicaFailed
    east <- ack 8
agent east reports 1/0#1 r2 exited 143
    replica_phase job=1 element=0 n=1 replica=2 exited exit_code=143
    east <- ack 9
read 1
    answer ok
    | job-1 running on east attempt=1
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 failed ReplicaFailed exit_code=3 first_replica=1 outputs=ddd
    job_end job=1 failed ReplicaFailed is_array=0
    east <- ack 10

# the core keeps the cluster's words for the first failing replica, once, and for no other
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
. agent east reports 1/0#1 r0-1 created
agent east reports 1/0#1 r0 refused image saying ErrImagePull
    replica_phase job=1 element=0 n=1 replica=0 refused exit_code=0
    attempt_words job=1 element=0 n=1 words=ErrImagePull
    attempt_stop job=1 element=0 n=1 ImageUnavailable exit_code=0 first_replica=0
    east <- stop job-1/0#1 seq=3 ImageUnavailable
    east <- ack 4
agent east reports 1/0#1 r1 refused deadline saying Stopped
    replica_phase job=1 element=0 n=1 replica=1 refused exit_code=0
    element_end job=1 element=0 n=1 failed ImageUnavailable exit_code=0 first_replica=0
    job_end job=1 failed ImageUnavailable is_array=0
    east <- ack 5

# the end of a gang keeps the usage that its replicas report; the usage of a silent one is unknown
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1 retries=1
. agent east reports 1/0#1 r0-1 created
. agent east reports 1/0#1 r0-1 running
. agent east reports 1/0#1 r0 exited 0 using 700
agent east reports 1/0#1 r1 exited 1 using 300
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=1 outputs=dd ready_at=11812 usage=(37 bytes)
    east <- ack 7
tick 20s
  11.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=(5 bytes)
    east <- start job-1/0#2 seq=3 nodes=1,1
. agent east reports 1/0#2 r0-1 created
. agent east reports 1/0#2 r0-1 running
. agent east reports 1/0#2 r0 exited 0
agent east reports 1/0#2 r1 exited 0
    replica_phase job=1 element=0 n=2 replica=1 exited exit_code=0
    element_end job=1 element=0 n=2 succeeded Succeeded exit_code=0 outputs=dd
    job_end job=1 succeeded Succeeded is_array=0
    east <- ack 13

# a fresh core knows why a gang is being stopped: its lost node is not the fault of those it stopped
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml cpu=2 replicas=3
. agent east reports 1/0#1 r0-2 created
. agent east reports 1/0#1 r0-2 running
agent east reports 1/0#1 r2 lost node_lost
    replica_phase job=1 element=0 n=1 replica=2 lost exit_code=0
    attempt_stop job=1 element=0 n=1 NodeLost exit_code=0 first_replica=2
    east <- stop job-1/0#1 seq=3 NodeLost
    east <- ack 8
reload
. agent east hello resync
agent east inventory 1/0#1 r0-1 exited 143, 1/0#1 r2 lost node_lost, end
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=143
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=143
    replica_phase job=1 element=0 n=1 replica=2 lost exit_code=0
    attempt_end job=1 element=0 n=1 NodeLost exit_code=0 first_replica=2 outputs=ddd ready_at=1000

# and which rank failed first, with its own exit code
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml cpu=2 replicas=3
. agent east reports 1/0#1 r0-2 created
. agent east reports 1/0#1 r0-2 running
agent east reports 1/0#1 r2 exited 7
    replica_phase job=1 element=0 n=1 replica=2 exited exit_code=7
    attempt_stop job=1 element=0 n=1 ReplicaFailed exit_code=7 first_replica=2
    east <- stop job-1/0#1 seq=3 ReplicaFailed
    east <- ack 8
reload
. agent east hello resync
agent east inventory 1/0#1 r0-1 exited 143, 1/0#1 r2 exited 7, end
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=143
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=143
    replica_phase job=1 element=0 n=1 replica=2 exited exit_code=7
    element_end job=1 element=0 n=1 failed ReplicaFailed exit_code=7 first_replica=2 outputs=ddd
    job_end job=1 failed ReplicaFailed is_array=0

# a job that is cancelled then ends as cancelled, and still names the rank that failed before
. queue ml
. cluster east
. agent east up n1 cpu=8, n2 cpu=8
. submit ml cpu=2 replicas=2
. agent east reports 1/0#1 r0-1 created
. agent east reports 1/0#1 r0-1 running
agent east reports 1/0#1 r1 exited 7
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=7
    attempt_stop job=1 element=0 n=1 ReplicaFailed exit_code=7 first_replica=1
    east <- stop job-1/0#1 seq=3 ReplicaFailed
    east <- ack 6
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    mark_set job=1 kind=2 value=35
    answer ok
reload
. agent east hello resync
agent east inventory 1/0#1 r0 exited 143, 1/0#1 r1 exited 7, end
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=143
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=7
    element_end job=1 element=0 n=1 cancelled Cancelled exit_code=7 first_replica=1 outputs=dd
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1

# a replica of a gang that is refused ends the attempt too, uncharged
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
agent east reports 1/0#1 r0 created, 1/0#1 r1 refused
    replica_phase job=1 element=0 n=1 replica=0 created exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 refused exit_code=0
    attempt_stop job=1 element=0 n=1 StartRefused exit_code=0 first_replica=1
    east <- stop job-1/0#1 seq=2 StartRefused
    east <- ack 3
agent east reports 1/0#1 r0 refused
    replica_phase job=1 element=0 n=1 replica=0 refused exit_code=0
    attempt_end job=1 element=0 n=1 StartRefused exit_code=0 first_replica=1 ready_at=11812
    east <- ack 4
tick 20s
  11.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=(5 bytes)
    east <- start job-1/0#2 seq=3 nodes=1,1

# a single replica that is absent ends only itself: its fellows are stopped before anything starts again
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
agent east reports 1/0#1 r0-1 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=0 n=1 replica=1 running exit_code=0
    east <- ack 3
agent east reports 1/0#1 r0 absent
    replica_phase job=1 element=0 n=1 replica=0 absent exit_code=0
    attempt_stop job=1 element=0 n=1 NeverArrived exit_code=0 first_replica=0
    east <- stop job-1/0#1 seq=2 NeverArrived
    east <- ack 4
agent east reports 1/0#1 r1 exited 143
    replica_phase job=1 element=0 n=1 replica=1 exited exit_code=143
    attempt_end job=1 element=0 n=1 NeverArrived exit_code=0 first_replica=0 outputs=ld ready_at=1000
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=(5 bytes)
    east <- start job-1/0#2 seq=3 nodes=1,1
    east <- ack 5

# failures are charged, and wait twice as long each time, at most five minutes
config start_ms=4000000
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 retries=7
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 retries_max=7
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=11812
    east <- ack 2
read 1
    answer ok
    | job-1 queued BackoffUntil
explain 1
    answer ok: it failed and waits before its next attempt
    | job-1 queued BackoffUntil
    | east Fits: fits on east now
tick 12s
  11.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=2 nodes=1
agent east reports 1/0#2 r0 exited 1
    replica_phase job=1 element=0 n=2 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=2 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=33164
    east <- ack 3
tick 24s
  33.164s
    attempt_new job=1 element=0 n=3 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#3 seq=3 nodes=1
agent east reports 1/0#3 r0 exited 1
    replica_phase job=1 element=0 n=3 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=3 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=78186
    east <- ack 4
tick 48s
  78.186s
    attempt_new job=1 element=0 n=4 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#4 seq=4 nodes=1
agent east reports 1/0#4 r0 exited 1
    replica_phase job=1 element=0 n=4 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=4 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=161522
    east <- ack 5
tick 96s
  161.522s
    attempt_new job=1 element=0 n=5 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#5 seq=5 nodes=1
agent east reports 1/0#5 r0 exited 1
    replica_phase job=1 element=0 n=5 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=5 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=353620
    east <- ack 6
tick 192s
  353.620s
    attempt_new job=1 element=0 n=6 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#6 seq=6 nodes=1
agent east reports 1/0#6 r0 exited 1
    replica_phase job=1 element=0 n=6 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=6 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=630228
    east <- ack 7
tick 360s
  630.228s
    attempt_new job=1 element=0 n=7 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#7 seq=7 nodes=1
agent east reports 1/0#7 r0 exited 1
    replica_phase job=1 element=0 n=7 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=7 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=981525
    east <- ack 8
tick 360s
  981.525s
    attempt_new job=1 element=0 n=8 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#8 seq=8 nodes=1
agent east reports 1/0#8 r0 exited 9
    replica_phase job=1 element=0 n=8 replica=0 exited exit_code=9
    element_end job=1 element=0 n=8 failed RetriesSpent exit_code=9 first_replica=0 outputs=d
    job_end job=1 failed RetriesSpent is_array=0
    east <- ack 9

# a failure that is not the replica's own is not charged: refused, lost, and a cluster that is forgotten
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 retries=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 retries_max=1
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
agent east reports 1/0#1 r0 refused
    replica_phase job=1 element=0 n=1 replica=0 refused exit_code=0
    attempt_end job=1 element=0 n=1 StartRefused exit_code=0 first_replica=0 ready_at=11812
    east <- ack 2
tick 12s
  11.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=2 nodes=1
agent east reports 1/0#2 r0 lost
    replica_phase job=1 element=0 n=2 replica=0 lost exit_code=0
    attempt_end job=1 element=0 n=2 ReplicaLost exit_code=0 first_replica=0 outputs=d ready_at=33164
    east <- ack 3
tick 24s
  33.164s
    attempt_new job=1 element=0 n=3 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#3 seq=3 nodes=1
agent east reports 1/0#3 r0 running
    replica_phase job=1 element=0 n=3 replica=0 running exit_code=0
    east <- ack 4
agent east lost
. cluster west
. agent west up n1 cpu=8
forget east
    audit tenant=1 actor=ann body=cluster_forget east attempts=1
    cluster_put cluster=1 state=2 session_epoch=1 name=east uid=uid
    attempt_end job=1 element=0 n=3 ClusterForgotten exit_code=0 outputs=l ready_at=78186
    answer ok
tick 48s
  78.186s
    attempt_new job=1 element=0 n=4 incarnation=1 cluster=2 nodes=n1
    west <- start job-1/0#4 seq=1 nodes=1
agent west reports 1/0#4 r0 exited 1
    replica_phase job=1 element=0 n=4 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=4 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=94565
    west <- ack 2
tick 12s
  94.565s
    attempt_new job=1 element=0 n=5 incarnation=1 cluster=2 nodes=n1
    west <- start job-1/0#5 seq=2 nodes=1
agent west reports 1/0#5 r0 exited 1
    replica_phase job=1 element=0 n=5 replica=0 exited exit_code=1
    element_end job=1 element=0 n=5 failed RetriesSpent exit_code=1 first_replica=0 outputs=d
    job_end job=1 failed RetriesSpent is_array=0
    west <- ack 3

# the first loss is repaired at once, a second one in a row waits
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
agent east reports 1/0#1 r0 running, 1/0#1 r0 lost
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=1 element=0 n=1 replica=0 lost exit_code=0
    attempt_end job=1 element=0 n=1 ReplicaLost exit_code=0 first_replica=0 outputs=d ready_at=1000
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=2 nodes=1
    east <- ack 3
agent east reports 1/0#2 r0 running, 1/0#2 r0 lost
    replica_phase job=1 element=0 n=2 replica=0 running exit_code=0
    replica_phase job=1 element=0 n=2 replica=0 lost exit_code=0
    attempt_end job=1 element=0 n=2 ReplicaLost exit_code=0 first_replica=0 outputs=d ready_at=22624
    east <- ack 5
tick 24s
  22.624s
    attempt_new job=1 element=0 n=3 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#3 seq=3 nodes=1

# a failure after a loss counts from one: losses do not lengthen its wait
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 retries=2
. agent east reports 1/0#1 r0 lost
. agent east reports 1/0#2 r0 lost
. tick 24s
agent east reports 1/0#3 r0 exited 1
    replica_phase job=1 element=0 n=3 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=3 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=35082
    east <- ack 4
tick 12s
  35.082s
    attempt_new job=1 element=0 n=4 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#4 seq=4 nodes=1

# without retries one failure is the end
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1
agent east reports 1/0#1 r0 exited -9
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=-9
    element_end job=1 element=0 n=1 failed ReplicaFailed exit_code=-9 first_replica=0 outputs=d
    job_end job=1 failed ReplicaFailed is_array=0
    east <- ack 2

# when every started element waits for its next attempt, the limit of started elements does not block them
config elements_max=2
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 retries=1
. submit ml cpu=1 retries=1
. submit ml cpu=1 retries=1
agent east reports 1/0#1 r0 exited 1, 2/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=11812
    replica_phase job=2 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=2 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=11082
    east <- ack 3
tick 12s
  11.082s
    attempt_new job=2 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#2 seq=3 nodes=1
  11.812s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=4 nodes=1
agent east reports 1/0#2 r0 exited 0
    replica_phase job=1 element=0 n=2 replica=0 exited exit_code=0
    element_end job=1 element=0 n=2 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=5 nodes=1
    east <- ack 4

# how often it was lost in a row is known after a reload, and so is what was charged
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 retries=1
. agent east reports 1/0#1 r0 exited 1
. tick 12s
. agent east reports 1/0#2 r0 lost
reload
agent east hello resync
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- resync session=2
agent east inventory 1/0#3 r0 running, end
    replica_phase job=1 element=0 n=3 replica=0 running exit_code=0
agent east reports 1/0#3 r0 lost
    replica_phase job=1 element=0 n=3 replica=0 lost exit_code=0
    attempt_end job=1 element=0 n=3 ReplicaLost exit_code=0 first_replica=0 outputs=d ready_at=29817
    east <- ack 1
agent east nodes n1 cpu=8
    east <- ack 2
tick 24s
  29.817s
    attempt_new job=1 element=0 n=4 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#4 seq=1 nodes=1
agent east reports 1/0#4 r0 exited 2
    replica_phase job=1 element=0 n=4 replica=0 exited exit_code=2
    element_end job=1 element=0 n=4 failed RetriesSpent exit_code=2 first_replica=0 outputs=d
    job_end job=1 failed RetriesSpent is_array=0
    east <- ack 3

# a gang of which one failed, and the rest went with its cluster: it failed
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml replicas=2 cpu=1
. agent east reports 1/0#1 r0-1 running
. agent east reports 1/0#1 r1 exited 4
agent east hello
    cluster_put cluster=1 state=1 session_epoch=2 name=east uid=uid
    east <- welcome session=2
agent east inventory end
    element_end job=1 element=0 n=1 failed ReplicaFailed exit_code=4 first_replica=1 outputs=ld
    job_end job=1 failed ReplicaFailed is_array=0

# the deadline and the retries of a job that has not started hold over a reload
. queue ml
. cluster east
. submit ml cpu=1 retries=1
. submit ml cpu=1 deadline=60
reload
. agent east up n1 cpu=8
agent east reports 1/0#1 r0 running, 2/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    replica_phase job=2 element=0 n=1 replica=0 running exit_code=0
    mark_set job=2 kind=3 value=1000
    east <- ack 3
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    attempt_end job=1 element=0 n=1 ReplicaFailed exit_code=1 first_replica=0 outputs=d ready_at=9408
    east <- ack 4
tick 30s
  9.408s
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=3 nodes=1
agent east reports 1/0#2 r0 exited 1
    replica_phase job=1 element=0 n=2 replica=0 exited exit_code=1
    element_end job=1 element=0 n=2 failed RetriesSpent exit_code=1 first_replica=0 outputs=d
    job_end job=1 failed RetriesSpent is_array=0
    east <- ack 5
tick 31s
  61.000s
    mark_set job=2 kind=2 value=36
    east <- stop job-2/0#1 seq=4 DeadlineExceeded

# the third node that is lost under an element counts as a failure of its own
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml
. agent east reports 1/0#1 r0 running
agent east reports 1/0#1 r0 lost node_lost
    replica_phase job=1 element=0 n=1 replica=0 lost exit_code=0
    attempt_end job=1 element=0 n=1 NodeLost exit_code=0 first_replica=0 outputs=d ready_at=1000
    attempt_new job=1 element=0 n=2 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#2 seq=2 nodes=1
    east <- ack 3
. agent east reports 1/0#2 r0 created
agent east reports 1/0#2 r0 lost node_lost
    replica_phase job=1 element=0 n=2 replica=0 lost exit_code=0
    attempt_end job=1 element=0 n=2 NodeLost exit_code=0 first_replica=0 outputs=d ready_at=22624
    east <- ack 5
. reload
. agent east hello
. agent east inventory end
. agent east nodes n1 cpu=8
. tick 1min
. agent east reports 1/0#3 r0 running
agent east reports 1/0#3 r0 lost node_lost
    replica_phase job=1 element=0 n=3 replica=0 lost exit_code=0
    element_end job=1 element=0 n=3 failed NodeLost exit_code=0 first_replica=0 outputs=d
    job_end job=1 failed NodeLost is_array=0
    east <- ack 3
