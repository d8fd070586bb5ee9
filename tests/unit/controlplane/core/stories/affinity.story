A node runs a job only if its labels match one term of the job's affinity.

# a job waits while no node matches, with its terms in the reason; it starts once the labels change
. queue ml
. cluster east
. agent east up n1 cpu=4 labels=zone:a, n2 cpu=8 labels=zone:b;old:yes
submit waits ml cpu=1 affinity=!old,zone_in_(b,c);zone_in_(d)
    shape_new shape=1 body=(46 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-1+1
    answer ok
    | job-1
explain 1
    answer ok: no cluster could run it, even when empty
    | job-1 queued NoMatchingCluster
    | east NodeSelectorUnmatched: none of 2 nodes of east has labels that match the affinity: !old,zone in (b,c) or zone in (d)
agent east nodes n1 cpu=4 labels=zone:a, n2 cpu=8 labels=zone:b mark=0
    attempt_new job=1 element=0 n=1 incarnation=1 cluster=1 nodes=n2
    east <- start job-1/0#1 seq=1 nodes=2
    east <- ack 2
nodes east
    answer ok
    | node n1 number=1 cpu=4/4
    | node n2 number=2 cpu=7/8
submit ml cpu=1 affinity=zone_notin_(a)
    shape_new shape=2 body=(30 bytes)
    job_new job=2 tenant=1 queue=1 shape=2 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-2+1
    attempt_new job=2 element=0 n=1 incarnation=1 cluster=1 nodes=n2
    answer ok
    | job-2
    east <- start job-2/0#1 seq=2 nodes=2
submit ml cpu=1 affinity=zone_in_(c)
    shape_new shape=3 body=(27 bytes)
    job_new job=3 tenant=1 queue=1 shape=3 priority=0 elements=1 spec=00000000
    audit tenant=1 actor=ann body=submit job-3+1
    answer ok
    | job-3
explain 3
    answer ok: no cluster could run it, even when empty
    | job-3 queued NoMatchingCluster
    | east NodeSelectorUnmatched: none of 2 nodes of east has labels that match the affinity: zone in (c)
