# one queue has its share of open jobs, and another queue still has room
config jobs_max=8
. queue ml
. queue dev
submit ml jobs=3 held | dev held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+3
    answer ok
    | job-1
    | job-2
    | full: queue "ml" has 2 open jobs, the most that one queue may have; wait until some have ended, or make alike ones elements of one job (setting queue_percent)
    | job-3
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    answer ok
submit ml jobs=2 held
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-4+1
    answer ok
    | job-4
    | full: queue "ml" has 2 open jobs, the most that one queue may have; wait until some have ended, or make alike ones elements of one job (setting queue_percent)
reload
submit ml held
    answer ok
    | full: queue "ml" has 2 open jobs, the most that one queue may have; wait until some have ended, or make alike ones elements of one job (setting queue_percent)

# one queue has its share of shapes and priorities, and another queue still has room
config shapes_max=8
. queue ml
. queue dev
. submit ml cpu=1 held | ml cpu=2 held
submit ml cpu=3 held | ml cpu=1 prio=1 held | ml cpu=1 held | dev cpu=3 held
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=3 kind=1 value=1
    shape_new shape=3 body=(12 bytes)
    job_new job=4 tenant=1 queue=2 shape=3 priority=0 elements=1 spec=00000000
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-3+2
    answer ok
    | full: open jobs of queue "ml" have 2 different shapes and priorities, the most that one queue may have; jobs that ask for the same are alike (setting queue_percent)
    | full: open jobs of queue "ml" have 2 different shapes and priorities, the most that one queue may have; jobs that ask for the same are alike (setting queue_percent)
    | job-3
    | job-4

# one queue has its share of open jobs, for those that come by an edit too
config jobs_max=4
. queue ml
. queue urgent
. submit urgent cpu=1
. submit ml cpu=1
edit 2 queue=urgent
    answer full: queue "urgent" has 1 open jobs, the most that one queue may have; wait until some have ended, or make alike ones elements of one job (setting queue_percent)
edit 1 prio=1
    audit tenant=1 actor=ann body=edit job-1 priority=1
    job_edit job=1 revision=1 queue=2 priority=1 queue_was=2
    mark_set job=1 kind=6 value=1
    answer ok
. cancel 1
edit 2 queue=urgent
    audit tenant=1 actor=ann body=edit job-2 queue=urgent
    job_edit job=2 revision=1 queue=2 priority=0 queue_was=1
    mark_set job=2 kind=6 value=1
    answer ok

# one queue has its share of kinds of jobs, for those that come by an edit too
config shapes_max=8
. queue ml
. queue urgent
. submit urgent cpu=1
. submit urgent cpu=2
. submit ml cpu=3
. submit ml cpu=2
edit 3 queue=urgent
    answer full: open jobs of queue "urgent" have 2 different shapes and priorities, the most that one queue may have; jobs that ask for the same are alike (setting queue_percent)
edit 4 queue=urgent
    audit tenant=1 actor=ann body=edit job-4 queue=urgent
    job_edit job=4 revision=1 queue=2 priority=0 queue_was=1
    mark_set job=4 kind=6 value=1
    answer ok
edit 4 edits=1 prio=1
    answer full: open jobs of queue "urgent" have 2 different shapes and priorities, the most that one queue may have; jobs that ask for the same are alike (setting queue_percent)

# one owner has its share of open jobs in all queues, and another owner still has room
config jobs_max=8 queue_percent=100
. queue ml
. queue dev
submit owner=ann ml held | dev held | ml held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    answer ok
    | job-1
    | job-2
    | full: "ann" has 2 open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
submit owner=bob ml held
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=bob
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
submit tenant=1 ml held
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-4+1
    answer ok
    | job-4
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    answer ok
submit owner=ann dev jobs=2 held
    job_new job=5 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=5 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-5+1
    answer ok
    | job-5
    | full: "ann" has 2 open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
reload
submit owner=ann dev held
    answer ok
    | full: "ann" has 2 open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
submit owner=bob dev held
    job_new job=6 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000 owner=bob
    mark_set job=6 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-6+1
    answer ok
    | job-6

# a queue's share is one matter, and an owner's another
config jobs_max=8 queue_percent=50
. queue ml
submit owner=ann ml jobs=3 held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    answer ok
    | job-1
    | job-2
    | full: "ann" has 2 open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
submit owner=bob ml jobs=3 held
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=bob
    mark_set job=3 kind=1 value=1
    job_new job=4 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=bob
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-3+2
    answer ok
    | job-3
    | job-4
    | full: queue "ml" has 4 open jobs, the most that one queue may have; wait until some have ended, or make alike ones elements of one job (setting queue_percent)

# an owner of another tenant has the same name, and a share of its own
config jobs_max=8 queue_percent=100
. queue ml
. queue ml tenant=2
submit owner=ann ml jobs=3 held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+2
    answer ok
    | job-1
    | job-2
    | full: "ann" has 2 open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
submit owner=ann tenant=2 ml jobs=3 held
    job_new job=3 tenant=2 queue=2 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=3 kind=1 value=1
    job_new job=4 tenant=2 queue=2 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=4 kind=1 value=1
    audit tenant=2 actor=ann body=submit job-3+2
    answer ok
    | job-3
    | job-4
    | full: "ann" has 2 open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)

# one owner has its share of kinds: a kind that somebody else has is still one more of its own
config shapes_max=8 queue_percent=100
. queue ml
. queue dev
. submit owner=bob ml cpu=3 held
submit owner=ann ml cpu=1 held | ml cpu=2 held | ml cpu=3 held | dev cpu=1 held | ml cpu=1 held
    shape_new shape=2 body=(12 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=2 kind=1 value=1
    shape_new shape=3 body=(12 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=3 kind=1 value=1
    job_new job=4 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-2+3
    answer ok
    | job-2
    | job-3
    | full: "ann" has 2 different shapes and priorities of open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
    | full: "ann" has 2 different shapes and priorities of open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
    | job-4
reload
submit owner=ann ml cpu=3 held | ml cpu=2 held
    job_new job=5 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=5 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-5+1
    answer ok
    | full: "ann" has 2 different shapes and priorities of open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
    | job-5
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0 has_marks=1
    answer ok
submit owner=ann ml cpu=3 held
    answer ok
    | full: "ann" has 2 different shapes and priorities of open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
cancel 4
    audit tenant=1 actor=ann body=cancel job-4
    element_end job=4 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=4 cancelled Cancelled is_array=0 has_marks=1
    answer ok
submit owner=ann ml cpu=3 held
    job_new job=6 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=6 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-6+1
    answer ok
    | job-6

# an edit changes an owner's kinds, and is refused where it would make one too many
config shapes_max=8 queue_percent=100
. queue ml
. queue dev
. submit owner=ann ml cpu=1 held | ml cpu=1 held | dev cpu=1 held
edit 1 prio=1
    answer full: "ann" has 2 different shapes and priorities of open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
edit 3 queue=ml
    audit tenant=1 actor=ann body=edit job-3 queue=ml
    job_edit job=3 revision=1 queue=1 priority=0 queue_was=2
    mark_set job=3 kind=6 value=1
    answer ok
edit 1 prio=1
    audit tenant=1 actor=ann body=edit job-1 priority=1
    job_edit job=1 revision=1 queue=1 priority=1 queue_was=1
    mark_set job=1 kind=6 value=1
    answer ok
edit 2 prio=1
    audit tenant=1 actor=ann body=edit job-2 priority=1
    job_edit job=2 revision=1 queue=1 priority=1 queue_was=1
    mark_set job=2 kind=6 value=1
    answer ok
edit 3 edits=1 prio=1
    audit tenant=1 actor=ann body=edit job-3 priority=1
    job_edit job=3 revision=2 queue=1 priority=1 queue_was=1
    mark_set job=3 kind=6 value=2
    answer ok
submit owner=ann dev cpu=1 held
    job_new job=4 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-4+1
    answer ok
    | job-4

# an owner has as many waits, and as many singletons, as are its own
config owner_percent=100
. queue ml
. submit owner=ann ml held
. submit owner=ann ml held after=1
. submit owner=ann ml held after=1 | ml held after=2
. submit owner=ann ml held name=sync alone | ml held name=sync alone
cancel 2
    audit tenant=1 actor=ann body=cancel job-2
    element_end job=2 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=2 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=4 kind=2 value=52
    element_end job=4 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=4 cancelled NeverMet is_array=0 has_marks=1
    answer ok
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=3 kind=2 value=52
    element_end job=3 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=3 cancelled NeverMet is_array=0 has_marks=1
    answer ok
cancel 5
    audit tenant=1 actor=ann body=cancel job-5
    element_end job=5 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=5 cancelled Cancelled is_array=0 has_marks=1
    answer ok
reload
cancel 6
    audit tenant=1 actor=ann body=cancel job-6
    element_end job=6 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=6 cancelled Cancelled is_array=0 has_marks=1
    answer ok

# jobs whose rows an older program wrote have no owner, and no share binds them
config jobs_max=8
. queue ml
. queue dev
submit ml jobs=2 held | dev jobs=2 held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=3 kind=1 value=1
    job_new job=4 tenant=1 queue=2 shape=1 priority=0 elements=1 spec=00000000
    mark_set job=4 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+4
    answer ok
    | job-1
    | job-2
    | job-3
    | job-4

# a dry run is bound by the share, too
config jobs_max=4 queue_percent=100
. queue ml
. submit owner=ann ml held
submit owner=ann dry ml held
    answer ok
    | full: "ann" has 1 open jobs, this job has 1 more, and one owner may have 1; wait until some have ended (setting owner_percent)

# one owner has its share of the waits for other jobs, and another owner still has room
config owner_percent=1
. queue ml
. submit owner=ann ml jobs=11 held
. submit owner=ann ml jobs=1000 held after=1
. submit owner=ann ml jobs=1000 held after=1
. submit owner=ann ml jobs=1000 held after=1
. submit owner=ann ml jobs=1000 held after=1
. submit owner=ann ml jobs=1000 held after=2
. submit owner=ann ml jobs=1000 held after=2
. submit owner=ann ml jobs=1000 held after=2
. submit owner=ann ml jobs=1000 held after=2
. submit owner=ann ml jobs=1000 held after=3
. submit owner=ann ml jobs=1000 held after=3
. submit owner=ann ml jobs=1000 held after=3
. submit owner=ann ml jobs=1000 held after=3
. submit owner=ann ml jobs=1000 held after=4
. submit owner=ann ml jobs=1000 held after=4
. submit owner=ann ml jobs=1000 held after=4
. submit owner=ann ml jobs=1000 held after=4
. submit owner=ann ml jobs=1000 held after=5
. submit owner=ann ml jobs=1000 held after=5
. submit owner=ann ml jobs=1000 held after=5
. submit owner=ann ml jobs=1000 held after=5
. submit owner=ann ml jobs=1000 held after=6
. submit owner=ann ml jobs=1000 held after=6
. submit owner=ann ml jobs=1000 held after=6
. submit owner=ann ml jobs=1000 held after=6
. submit owner=ann ml jobs=1000 held after=7
. submit owner=ann ml jobs=1000 held after=7
. submit owner=ann ml jobs=1000 held after=7
. submit owner=ann ml jobs=1000 held after=7
. submit owner=ann ml jobs=1000 held after=8
. submit owner=ann ml jobs=1000 held after=8
. submit owner=ann ml jobs=1000 held after=8
. submit owner=ann ml jobs=1000 held after=8
. submit owner=ann ml jobs=1000 held after=9
. submit owner=ann ml jobs=1000 held after=9
. submit owner=ann ml jobs=1000 held after=9
. submit owner=ann ml jobs=1000 held after=9
. submit owner=ann ml jobs=1000 held after=10
. submit owner=ann ml jobs=1000 held after=10
. submit owner=ann ml jobs=1000 held after=10
. submit owner=ann ml jobs=1000 held after=10
submit owner=ann ml held after=11
    answer ok
    | full: "ann" has 40000 waits of open jobs for others, this job has 1 more, and one owner may have 40000; wait until some have ended (setting owner_percent)
submit owner=bob ml held after=11
    job_new job=40012 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=bob after=(9 bytes)
    mark_set job=40012 kind=5 value=1 body=(9 bytes)
    mark_set job=40012 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-172c+1
    answer ok
    | job-172c
cancel 20000
    audit tenant=1 actor=ann body=cancel job-kh0
    element_end job=20000 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=20000 cancelled Cancelled is_array=0 has_marks=1
    answer ok
submit owner=ann ml held after=11
    job_new job=40013 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann after=(9 bytes)
    mark_set job=40013 kind=5 value=1 body=(9 bytes)
    mark_set job=40013 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-172d+1
    answer ok
    | job-172d
submit owner=ann ml held after=11
    answer ok
    | full: "ann" has 40000 waits of open jobs for others, this job has 1 more, and one owner may have 40000; wait until some have ended (setting owner_percent)
reload
submit owner=ann ml held after=11
    answer ok
    | full: "ann" has 40000 waits of open jobs for others, this job has 1 more, and one owner may have 40000; wait until some have ended (setting owner_percent)
cancel 11
    audit tenant=1 actor=ann body=cancel job-b
    element_end job=11 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=11 cancelled Cancelled is_array=0 has_marks=1
    mark_set job=40012 kind=2 value=52
    mark_set job=40013 kind=2 value=52
    element_end job=40012 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=40012 cancelled NeverMet is_array=0 has_marks=1
    element_end job=40013 element=0 n=0 cancelled NeverMet exit_code=0
    job_end job=40013 cancelled NeverMet is_array=0 has_marks=1
    answer ok
submit owner=ann ml held after=10
    job_new job=40014 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann after=(9 bytes)
    mark_set job=40014 kind=5 value=1 body=(9 bytes)
    mark_set job=40014 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-172e+1
    answer ok
    | job-172e

# one owner has its share of singletons, and another owner still has room
config owner_percent=1
. queue ml
. submit owner=ann ml jobs=1000 held name=a alone
. submit owner=ann ml jobs=1000 held name=a alone
. submit owner=ann ml jobs=1000 held name=a alone
. submit owner=ann ml jobs=1000 held name=a alone
. submit owner=ann ml jobs=1000 held name=b alone
. submit owner=ann ml jobs=1000 held name=b alone
. submit owner=ann ml jobs=1000 held name=b alone
. submit owner=ann ml jobs=1000 held name=b alone
. submit owner=ann ml jobs=1000 held name=c alone
. submit owner=ann ml jobs=1000 held name=c alone
submit owner=ann ml held name=d alone
    answer ok
    | full: "ann" has 10000 open singletons, this job has 1 more, and one owner may have 10000; wait until some have ended (setting owner_percent)
submit owner=bob ml held name=d alone
    job_new job=10001 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=d owner=bob is_singleton=1
    mark_set job=10001 kind=1 value=1
    mark_set job=10001 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-9rh+1
    answer ok
    | job-9rh
cancel 1
    audit tenant=1 actor=ann body=cancel job-1
    element_end job=1 element=0 n=0 cancelled Cancelled exit_code=0
    job_end job=1 cancelled Cancelled is_array=0 has_marks=1
    answer ok
submit owner=ann ml held name=d alone
    job_new job=10002 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 name=d owner=ann is_singleton=1
    mark_set job=10002 kind=1 value=1
    mark_set job=10002 kind=7 value=1 body=(5 bytes)
    audit tenant=1 actor=ann body=submit job-9rj+1
    answer ok
    | job-9rj
reload
submit owner=ann ml held name=d alone
    answer ok
    | full: "ann" has 10000 open singletons, this job has 1 more, and one owner may have 10000; wait until some have ended (setting owner_percent)

# one owner has its share of arrays that wait for another one element by element
config owner_percent=1
. queue ml
. submit owner=ann ml x2 held
. submit owner=ann ml jobs=10 x2 held after=1:each
submit owner=ann ml x2 held after=1:each
    answer ok
    | full: "ann" has 10 arrays that wait for another one element by element, this job has 1 more, and one owner may have 10; wait until some have ended (setting owner_percent)
submit owner=bob ml x2 held after=1:each
    job_new job=12 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 owner=bob after=(9 bytes)
    mark_set job=12 kind=1 value=1
    mark_set job=12 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-c+1
    answer ok
    | job-c
cancel 11
    audit tenant=1 actor=ann body=cancel job-b
    job_end job=11 cancelled Cancelled is_array=1 has_marks=1
    answer ok
submit owner=ann ml x2 held after=1:each
    job_new job=13 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 owner=ann after=(9 bytes)
    mark_set job=13 kind=1 value=1
    mark_set job=13 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-d+1
    answer ok
    | job-d
reload
submit owner=ann ml x2 held after=1:each
    answer ok
    | full: "ann" has 10 arrays that wait for another one element by element, this job has 1 more, and one owner may have 10; wait until some have ended (setting owner_percent)

# and of their elements; a single one may be as large as it is
config owner_percent=1
. queue ml
. submit owner=ann ml x1000000 held
submit owner=ann ml x1000000 held after=1:each
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1000000 spec=00000000 owner=ann after=(9 bytes)
    mark_set job=2 kind=1 value=1
    mark_set job=2 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-2+1
    answer ok
    | job-2
submit owner=ann ml x1000000 held after=1:each
    answer ok
    | full: "ann" has 1000000 elements of arrays that wait for another one element by element, this job has 1000000 more, and one owner may have 671088; wait until some have ended (setting owner_percent)
submit owner=bob ml x1000000 held after=1:each
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1000000 spec=00000000 owner=bob after=(9 bytes)
    mark_set job=3 kind=1 value=1
    mark_set job=3 kind=9 value=1
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3

# an owner at its share still moves a kind that goes with its only job, and so does a queue
config shapes_max=8 queue_percent=25
. queue ml
. queue dev
. submit owner=ann ml cpu=1 held | ml cpu=2 held
edit 1 prio=1
    audit tenant=1 actor=ann body=edit job-1 priority=1
    job_edit job=1 revision=1 queue=1 priority=1 queue_was=1
    mark_set job=1 kind=6 value=1
    answer ok
edit 2 queue=dev
    audit tenant=1 actor=ann body=edit job-2 queue=dev
    job_edit job=2 revision=1 queue=2 priority=0 queue_was=1
    mark_set job=2 kind=6 value=1
    answer ok
. submit owner=ann dev cpu=2 held
edit 2 edits=1 prio=3
    answer full: "ann" has 2 different shapes and priorities of open jobs, this job has 1 more, and one owner may have 2; wait until some have ended (setting owner_percent)
edit 1 edits=1 queue=dev
    audit tenant=1 actor=ann body=edit job-1 queue=dev
    job_edit job=1 revision=2 queue=2 priority=1 queue_was=1
    mark_set job=1 kind=6 value=2
    answer ok

# waits are counted that come about: a job after ended ones, or after elements, is no more of them
config owner_percent=1
. queue ml
. submit owner=ann ml jobs=10 held
. submit owner=ann ml jobs=1000 held after=1
. submit owner=ann ml jobs=1000 held after=1
. submit owner=ann ml jobs=1000 held after=1
. submit owner=ann ml jobs=1000 held after=1
. submit owner=ann ml jobs=1000 held after=2
. submit owner=ann ml jobs=1000 held after=2
. submit owner=ann ml jobs=1000 held after=2
. submit owner=ann ml jobs=1000 held after=2
. submit owner=ann ml jobs=1000 held after=3
. submit owner=ann ml jobs=1000 held after=3
. submit owner=ann ml jobs=1000 held after=3
. submit owner=ann ml jobs=1000 held after=3
. submit owner=ann ml jobs=1000 held after=4
. submit owner=ann ml jobs=1000 held after=4
. submit owner=ann ml jobs=1000 held after=4
. submit owner=ann ml jobs=1000 held after=4
. submit owner=ann ml jobs=1000 held after=5
. submit owner=ann ml jobs=1000 held after=5
. submit owner=ann ml jobs=1000 held after=5
. submit owner=ann ml jobs=1000 held after=5
. submit owner=ann ml jobs=1000 held after=6
. submit owner=ann ml jobs=1000 held after=6
. submit owner=ann ml jobs=1000 held after=6
. submit owner=ann ml jobs=1000 held after=6
. submit owner=ann ml jobs=1000 held after=7
. submit owner=ann ml jobs=1000 held after=7
. submit owner=ann ml jobs=1000 held after=7
. submit owner=ann ml jobs=1000 held after=7
. submit owner=ann ml jobs=1000 held after=8
. submit owner=ann ml jobs=1000 held after=8
. submit owner=ann ml jobs=1000 held after=8
. submit owner=ann ml jobs=1000 held after=8
. submit owner=ann ml jobs=1000 held after=9
. submit owner=ann ml jobs=1000 held after=9
. submit owner=ann ml jobs=1000 held after=9
. submit owner=ann ml jobs=1000 held after=9
. submit owner=ann ml jobs=1000 held after=10
. submit owner=ann ml jobs=1000 held after=10
. submit owner=ann ml jobs=1000 held after=10
. submit owner=ann ml jobs=1000 held after=10
. submit owner=ann ml x2 held
submit owner=ann ml held after=9999999
    answer ok
    | unavailable: job-9h5kz, which it is to run after, has just ended: submit it again
submit owner=ann ml held after=1
    answer ok
    | full: "ann" has 40000 waits of open jobs for others, this job has 1 more, and one owner may have 40000; wait until some have ended (setting owner_percent)
submit owner=ann ml x2 held after=40011:each
    job_new job=40012 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=00000000 owner=ann after=(9 bytes)
    mark_set job=40012 kind=1 value=1
    mark_set job=40012 kind=9 value=40011
    audit tenant=1 actor=ann body=submit job-172c+1
    answer ok
    | job-172c

# a whole share binds no owner: only the tables do
config jobs_max=3 shapes_max=1 queue_percent=100 owner_percent=100
. queue ml
submit owner=ann ml held | ml prio=1 held | ml prio=2 held | ml held
    shape_new shape=1 body=(11 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000 owner=ann
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=1 elements=1 spec=00000000 owner=ann
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=2 elements=1 spec=00000000 owner=ann
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=ann body=submit job-1+3
    answer ok
    | job-1
    | job-2
    | job-3
    | full: 3 jobs are open, the most there can be
