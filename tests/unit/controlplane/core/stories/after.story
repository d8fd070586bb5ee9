Jobs that run after others.

# a job starts once the job that it waits for has succeeded
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    east <- start job-1/0#1 seq=1 nodes=1
submit ml cpu=1 after=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=5 value=1 body=(9 bytes)
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
explain 2
    answer ok: it waits for the success of job-1 (starting)
    | job-2 queued WaitsForJobs
    | east Fits: fits on east now
read 2
    answer ok: it waits for the success of job-1 (starting)
    | job-2 queued WaitsForJobs
agent east reports 1/0#1 r0 exited 0
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=0
    element_end job=1 element=0 n=1 succeeded Succeeded exit_code=0 outputs=d
    job_end job=1 succeeded Succeeded is_array=0
    mark_clear job=2 kind=5
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-2/0#1 seq=2 nodes=1
    east <- ack 2

# a job whose condition can never be met ends, and those that wait for it with it
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml cpu=1 | ml cpu=1 after=line1 | ml cpu=1 after=line2 | ml cpu=1 after=line2:any | ml cpu=1 after=line1:failure
    shape_new shape=1 body=(12 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=5 value=1 body=(9 bytes)
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=3 kind=5 value=1 body=(9 bytes)
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=4 kind=5 value=1 body=(9 bytes)
    job_new job=5 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=5 kind=5 value=1 body=(9 bytes)
    audit tenant=1 actor=ann body=submit job-1+5
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    answer ok
    | job-1
    | job-2
    | job-3
    | job-4
    | job-5
    east <- start job-1/0#1 seq=1 nodes=1
agent east reports 1/0#1 r0 exited 1
    replica_phase job=1 element=0 n=1 replica=0 exited exit_code=1
    element_end job=1 element=0 n=1 failed ReplicaFailed exit_code=1 first_replica=0 outputs=d
    job_end job=1 failed ReplicaFailed is_array=0
    mark_set job=2 kind=2 value=52
    mark_clear job=5 kind=5
    element_end job=2 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=2 cancelled NeverMet is_array=0 has_marks=1
    mark_set job=3 kind=2 value=52
    mark_clear job=4 kind=5
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=3 cancelled NeverMet is_array=0 has_marks=1
    attempt_new job=4 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    attempt_new job=5 element=0 n=1 incarnation=1 cluster=1 nodes=n1
    east <- start job-4/0#1 seq=2 nodes=1
    east <- start job-5/0#1 seq=3 nodes=1
    east <- ack 2

# several ends: each is noted, and the last one lets it start
. queue ml
. cluster east
. agent east up n1 cpu=8
submit ml held | ml held | ml held | ml held | ml cpu=1 after=1:any,2:failure,3:any,4:any
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=3 kind=1 value=1
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=4 kind=1 value=1
    shape_new shape=2 body=(12 bytes)
    job_new job=5 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000 after=(36 bytes)
    mark_set job=5 kind=5 value=4 body=(36 bytes)
    audit tenant=1 actor=ann body=submit job-1+5
    answer ok
    | job-1
    | job-2
    | job-3
    | job-4
    | job-5
explain 5
    answer ok: it waits for the end of job-1 (held), the failure of job-2 (held), the end of job-3 (held) and 1 more
    | job-5 queued WaitsForJobs
    | east Fits: fits on east now
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=5 kind=5 value=3 body=(27 bytes)
    answer ok
reload
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=5 kind=5 value=2 body=(18 bytes)
    answer ok
cancel 3
    audit tenant=1 actor=ann body=cancel job-3
    element_end job=3 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=3 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=5 kind=5 value=1 body=(9 bytes)
    answer ok
cancel 4
    audit tenant=1 actor=ann body=cancel job-4
    element_end job=4 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=4 cancelled Cancelled is_array=0 has_marks=1
    mark_clear job=5 kind=5
    answer ok

# a job that waits no more for several, since one ended otherwise
. queue ml
submit ml held | ml held | ml held after=1,2
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(18 bytes)
    mark_set job=3 kind=5 value=2 body=(18 bytes)
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+3
    answer ok
    | job-1
    | job-2
    | job-3
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=3 kind=2 value=52
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=3 cancelled NeverMet is_array=0 has_marks=1
    answer ok
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0 has_marks=1
    answer ok

# a job that waits can be held, released and cancelled
. queue ml
submit ml held | ml held after=1 | ml held after=2:any
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=5 value=1 body=(9 bytes)
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=3 kind=5 value=1 body=(9 bytes)
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+3
    answer ok
    | job-1
    | job-2
    | job-3
release 2
    audit tenant=1 actor=ann body=release job-2
    mark_clear job=2 kind=1
    answer ok
explain 2
    answer ok: it waits for the success of job-1 (held)
    | job-2 queued WaitsForJobs
hold 2
    audit tenant=1 actor=ann body=hold job-2
    mark_set job=2 kind=1 value=1
    answer ok
explain 2
    answer ok: held; it waits for release
    | job-2 held Held
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0 has_marks=1
    mark_clear job=3 kind=5
    answer ok
explain 3
    answer ok: held; it waits for release
    | job-3 held Held

# an array and a job of chosen elements wait too, and end without having begun
. queue ml
submit ml held | ml x3 after=1 | ml x3 retry_of=99 picks=4-6 after=1 | ml retry_of=99 picks=7 after=1
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=5 value=1 body=(9 bytes)
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=3 spec=00000000 retry_of=99 picked=(2 bytes) after=(9 bytes)
    mark_set job=3 kind=5 value=1 body=(9 bytes)
    mark_set job=3 kind=4 value=3 body=(2 bytes)
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 retry_of=99 picked=(2 bytes) after=(9 bytes)
    mark_set job=4 kind=5 value=1 body=(9 bytes)
    mark_set job=4 kind=4 value=1 body=(2 bytes)
    audit tenant=1 actor=ann body=submit job-1+4
    answer ok
    | job-1
    | job-2
    | job-3
    | job-4
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=2 kind=2 value=52
    mark_set job=3 kind=2 value=52
    mark_set job=4 kind=2 value=52
    job_end job=2 cancelled NeverMet is_array=1 has_marks=1
    job_end job=3 cancelled NeverMet is_array=1 has_marks=1
    job_end job=4 cancelled NeverMet is_array=1 has_marks=1
    answer ok

# an end that has come is enough, or refused
. queue ml
submit ml held after=7=succeeded,8:any=failed,9:failure=cancelled
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(27 bytes)
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
submit ml held after=7=failed
    answer ok
    | conflict: job-7 has ended, failed: a job that is to run after its success would never start
submit ml held after=7=absent
    answer ok
    | absent: job-7, which it is to run after, does not exist
submit ml held after=7:failure=succeeded
    answer ok
    | conflict: job-7 has ended, succeeded: a job that is to run after its failure would never start
submit ml held after=7
    answer ok
    | unavailable: job-7, which it is to run after, has just ended: submit it again

# lines of a request name those before them
. queue ml
submit ml held after=line1
    answer ok
    | invalid: a job can run after the jobs of lines before it only
submit nowhere held | ml held after=line1
    answer ok
    | absent: queue "nowhere" does not exist; create it, or name another
    | conflict: a job that it is to run after, of a line before it, was refused
submit ml held | ml held after=line1:any,line1
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
    | invalid: it is to run after job-1 twice
submit ml held | ml held after=line3
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
    | invalid: a job can run after the jobs of lines before it only

# jobs of another tenant are as if they were not there
. queue ml
. queue ml tenant=2
. submit ml held
submit tenant=2 ml held after=1
    answer ok
    | unavailable: job-1, which it is to run after, has just ended: submit it again

# a reload between the end of a job and that of those that waited for it
config slice_max=1
. queue ml
submit ml held | ml held after=1 | ml held after=2 | ml held after=3
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=2 kind=5 value=1 body=(9 bytes)
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=3 kind=5 value=1 body=(9 bytes)
    mark_set job=3 kind=1 value=1
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 after=(9 bytes)
    mark_set job=4 kind=5 value=1 body=(9 bytes)
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+4
    answer ok
    | job-1
    | job-2
    | job-3
    | job-4
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=2 kind=2 value=52
    element_end job=2 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=2 cancelled NeverMet is_array=0 has_marks=1
    mark_set job=3 kind=2 value=52
    answer ok
reload
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=3 cancelled NeverMet is_array=0 has_marks=1
    mark_set job=4 kind=2 value=52
tick
  1.000s
    element_end job=4 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=4 cancelled NeverMet is_array=0 has_marks=1
tick
