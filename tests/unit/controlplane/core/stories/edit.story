An open job is edited.

# another queue and another priority: it goes where they say, and what it does not name stays
. queue ml
. queue urgent
. submit ml cpu=1 prio=3 name=sweep
edit 1 queue=urgent name=sweep
    audit tenant=1 actor=ann body=edit job-1 queue=urgent words
    job_edit job=1 revision=1 queue=2 priority=3 name=sweep queue_was=1
    mark_set job=1 kind=6 value=1
    answer ok
edit 1 edits=1 prio=-2 name=sweep labels=team=a
    audit tenant=1 actor=ann body=edit job-1 priority=-2 words
    job_edit job=1 revision=2 queue=2 priority=-2 name=sweep labels=team=a queue_was=2
    mark_set job=1 kind=6 value=2
    answer ok
read 1
    answer ok
    | job-1 queued NoCluster priority=-2
list urgent
    answer ok
    | job-1 queued NoCluster priority=-2
list ml
    answer ok
reload
read 1
    answer ok
    | job-1 queued NoCluster priority=-2
list urgent
    answer ok
    | job-1 queued NoCluster priority=-2

# an order that changes nothing has no row
. queue ml
. submit ml cpu=1 prio=3 name=sweep
edit 1 queue=ml prio=3 released
    answer ok
edit 1 key=k prio=4
    audit tenant=1 actor=ann body=edit job-1 priority=4
    job_edit job=1 revision=1 queue=1 priority=4 queue_was=1
    mark_set job=1 kind=6 value=1
    idempotency tenant=1 body_sha=00000000 key=k answer=(12 bytes)
    answer ok
edit 1 prio=4
    answer changed: somebody else has edited it meanwhile
edit 1 edits=1 prio=4
    answer ok

# somebody else was faster
. queue ml
. submit ml cpu=1
. edit 1 prio=1
edit 1 prio=2
    answer changed: somebody else has edited it meanwhile
edit 1 edits=1 prio=2
    audit tenant=1 actor=ann body=edit job-1 priority=2
    job_edit job=1 revision=2 queue=1 priority=2 queue_was=1
    mark_set job=1 kind=6 value=2
    answer ok
edit 1 edits=9 prio=3
    answer changed: somebody else has edited it meanwhile

# it is more important now, and starts before an older one
. queue ml
. cluster east
. agent east up n1 cpu=1
. submit ml cpu=1
. submit ml cpu=1
. submit ml cpu=1
edit 3 prio=7
    audit tenant=1 actor=ann body=edit job-3 priority=7
    job_edit job=3 revision=1 queue=1 priority=7 queue_was=1
    mark_set job=3 kind=6 value=1
    answer ok
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    attempt_new job=3 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-3/0#1 seq=2 nodes=1
    east <- ack 2

# the oldest stays the oldest in the queue that it comes to
. queue ml
. queue urgent
. cluster east
. submit ml cpu=1
. submit urgent cpu=1
. edit 1 queue=urgent
list urgent
    answer ok
    | job-2 queued ClusterUnhealthy
    | job-1 queued ClusterUnhealthy
list urgent before=2
    answer ok
    | job-1 queued ClusterUnhealthy
agent east up n1 cpu=1
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- ack 1

# held and released beside other changes: a mark each, and the release starts it
. queue ml
. cluster east
. agent east up n1 cpu=8
. submit ml cpu=1 held
edit 1 prio=1 held
    audit tenant=1 actor=ann body=edit job-1 priority=1
    job_edit job=1 revision=1 queue=1 priority=1 queue_was=1
    mark_set job=1 kind=6 value=1
    answer ok
edit 1 edits=1 prio=2 released
    audit tenant=1 actor=ann body=edit job-1 priority=2 released
    job_edit job=1 revision=2 queue=1 priority=2 queue_was=1
    mark_set job=1 kind=6 value=2
    mark_clear job=1 kind=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/0#1 seq=1 nodes=1

# held by an edit alone: its mark says so, and no number of edits grows
. queue ml
. submit ml cpu=1
edit 1 held
    audit tenant=1 actor=ann body=edit job-1 held
    mark_set job=1 kind=1 value=1
    answer ok
read 1
    answer ok
    | job-1 held Held
edit 1 released
    audit tenant=1 actor=ann body=edit job-1 released
    mark_clear job=1 kind=1
    answer ok

# running elements go on, the rest starts from its new queue; its deadline counts already
. queue ml
. queue paused paused
. cluster east
. agent east up n1 cpu=1
. submit ml cpu=1 x3 deadline=60
edit 1 queue=paused deadline=60
    audit tenant=1 actor=ann body=edit job-1 queue=paused
    job_edit job=1 revision=1 queue=2 priority=0 deadline_s=60 queue_was=1
    mark_set job=1 kind=6 value=1
    answer ok
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    mark_set job=1 kind=3 value=1000
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    east <- ack 2
read 1
    answer ok
    | job-1 queued QueuePaused elements=3 started=1 live=0 succeeded=1 failed=0 cancelled=0
edit 1 edits=1 deadline=90
    answer conflict: its deadline counts from its first start, and it has started: nothing of it was changed
edit 1 edits=1 queue=ml
    audit tenant=1 actor=ann body=edit job-1 queue=ml
    job_edit job=1 revision=2 queue=1 priority=0 deadline_s=60 queue_was=2
    mark_set job=1 kind=6 value=2
    attempt_new job=1 element=1 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    east <- start job-1/1#1 seq=2 nodes=1

# a deadline is set, changed and taken away while nothing has started
. queue ml
. cluster east
. submit ml cpu=1
edit 1 deadline=30
    audit tenant=1 actor=ann body=edit job-1 deadline=30
    job_edit job=1 revision=1 queue=1 priority=0 deadline_s=30 queue_was=1
    mark_set job=1 kind=6 value=1
    answer ok
edit 1 edits=1 deadline=20
    audit tenant=1 actor=ann body=edit job-1 deadline=20
    job_edit job=1 revision=2 queue=1 priority=0 deadline_s=20 queue_was=1
    mark_set job=1 kind=6 value=2
    answer ok
edit 1 edits=2 deadline=99999999
    answer invalid: a deadline has at most 31622400 s
reload
agent east up n1 cpu=1
    cluster_put cluster=1 state=1 session_epoch=1 name=east uid=uid
    east <- welcome session=1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-1/0#1 seq=1 nodes=1
    east <- ack 1
agent east reports 1/0#1 r0 running
    replica_phase job=1 element=0 n=1 replica=0 running exit_code=0
    mark_set job=1 kind=3 value=1000
    east <- ack 2
tick 21s
  21.000s
    mark_set job=1 kind=2 value=36
    east <- stop job-1/0#1 seq=2 DeadlineExceeded
. submit ml cpu=1 deadline=5
edit 2 deadline=0
    audit tenant=1 actor=ann body=edit job-2 deadline=0
    job_edit job=2 revision=1 queue=1 priority=0 queue_was=1
    mark_set job=2 kind=6 value=1
    answer ok
read 2
    answer ok
    | job-2 queued InsufficientCapacity

# refused: an unknown queue, a job that ended or is being ended, another tenant's
. queue ml
. queue theirs tenant=2
. cluster east
. agent east up n1 cpu=1
. submit ml cpu=1
. submit ml cpu=1
. submit tenant=2 theirs cpu=1
edit 2 queue=nowhere
    answer invalid: queue "nowhere" does not exist; create it, or name another
edit 2 queue=theirs
    answer invalid: queue "theirs" does not exist; create it, or name another
edit 3 prio=1
    answer absent: no open job is called job-3; it may have ended
edit 9 prio=1
    answer absent: no open job is called job-9; it may have ended
. cancel 1
edit 1 prio=1
    answer conflict: it is being ended
edit 1 prio=1 held
    answer conflict: it is being ended
edit 1 held
    audit tenant=1 actor=ann body=edit job-1 held
    mark_set job=1 kind=1 value=1
    answer ok
edit 1 released
    audit tenant=1 actor=ann body=edit job-1 released
    mark_clear job=1 kind=1
    answer ok
. cancel 2
edit 2 prio=1
    answer absent: no open job is called job-2; it may have ended

# a job that waits for others is edited, and an edited one has its marks taken away at its end
. queue ml
. queue urgent
. submit ml cpu=1
. submit ml cpu=1 after=1
edit 2 queue=urgent prio=2
    audit tenant=1 actor=ann body=edit job-2 queue=urgent priority=2
    job_edit job=2 revision=1 queue=2 priority=2 queue_was=1
    mark_set job=2 kind=6 value=1
    answer ok
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0
    mark_set job=2 kind=2 value=52
    element_end job=2 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=2 cancelled NeverMet is_array=0 has_marks=1
    answer ok
cancel 2
    answer absent: no open job is called job-2; it may have ended
