Problems: what is printed, with the next step, and the exit code.

# without a token, and with one that does not count
fairlead ps
< 401 {"detail":"a token that counts is needed"}
    GET /v1/jobs?limit=50&state=open
    ! fairlead: no token was given
    !   'fairlead login URL', --token-file or FAIRLEAD_TOKEN
    exit 77

# a right that is missing
fairlead queue create ml
< 403 {"detail":"this token may not do that; the route needs the scope admin, for all queues"}
    POST /v1/queues {"name":"ml"}
    ! fairlead: this token may not do that; the route needs the scope admin, for all queues
    exit 77

# --as names the other person in each request
fairlead ps --as ann
< 403 {"detail":"this token may not act for others"}
    GET /v1/jobs?limit=50&state=open
        with Fairlead-As: ann
    ! fairlead: this token may not act for others
    exit 77
fairlead ps --as 'Ann B'
    ! fairlead: --as Ann B: wants the name of an owner: a-z, 0-9 and '-', no '-' at an end
    exit 64

# an answer that is no problem, and none that is JSON
fairlead get job-7
< 502 <html>bad gateway</html>
    GET /v1/jobs/job-7
    ! fairlead: https://hub.example:8443 answered with status 502
    exit 1
fairlead get job-7
< 200 <html>welcome</html>
    GET /v1/jobs/job-7
    ! fairlead: the answer of https://hub.example:8443 is no JSON; is it a Fairlead control plane?
    exit 70
fairlead get job-7
< 500 {"title":"Internal Server Error"}
    GET /v1/jobs/job-7
    ! fairlead: Internal Server Error
    exit 1

# verbs and flags that are not there
fairlead pss
    ! fairlead: no verb 'pss'; did you mean 'ps'?
    exit 64
fairlead queue
    ! fairlead: 'queue' wants one more word; see 'fairlead help queue'
    exit 64
fairlead queue list
    ! fairlead: no verb 'queue list'; did you mean 'queue ls'?
    exit 64
fairlead ps --lable a=b
    ! fairlead: no flag --lable here; did you mean --label?
    exit 64
fairlead ps --queue
    ! fairlead: --queue wants a value: --queue QUEUE
    exit 64
fairlead ps extra
    ! fairlead: 'ps' takes no further word, and there is 'extra'
    exit 64

# a URL that would send the token in the clear is refused
fairlead ps --url http://hub.example
    ! fairlead: 'http://hub.example' would send the token in the clear: write https://
    exit 64
fairlead ps --url hub.example
    ! fairlead: 'hub.example' is no URL of a control plane: write https://host:port
    exit 64
fairlead ps --context lab
    ! fairlead: no context 'lab'; 'fairlead context ls' shows them
    exit 64

# several faults of a document that no flag made
fairlead submit -
| queue: 7
| array: -1
< 422 {"detail":"/queue: this is not what queue holds (and 1 more)","errors":[{"pointer":"/queue","detail":"this is not what queue holds","got":"7","allowed":"the name of a queue","line":1,"col":8},{"pointer":"/array","detail":"this is not what array holds","got":"-1","allowed":"a whole number","line":2,"col":8}]}
    POST /v1/jobs
        | queue: 7
        | array: -1
        with Content-Type: application/yaml
    ! fairlead: /queue: this is not what queue holds (and 1 more)
    !   line 1, column 8: /queue: this is not what queue holds (got 7) (allowed: the name of a queue)
    !   line 2, column 8: /array: this is not what array holds (got -1) (allowed: a whole number)
    !   in -
    exit 65

# usage and throughput are asked for in days and hours
fairlead usage --by queue,label:team --since 2026-01-01 --until 2026-01-31 -o json
< 200 {"since":"2026-01-01","until":"2026-01-31","countedTo":null,"hasMore":false,"usage":[]}
    GET /v1/usage?by=queue%2Clabel%3Ateam&since=2026-01-01&until=2026-01-31&limit=1000
    | []
    ! nothing ended from 2026-01-01 to 2026-01-31 that is like that
fairlead usage --since yesterday
    ! fairlead: --since yesterday: wants a day, as 2026-01-31, or a span, as 7d
    exit 64
fairlead throughput ml --step day -o json
< 200 {"steps":[]}
    GET /v1/throughput?queue=ml&step=day
    | []
    ! together: 0 submitted, 0 started, 0 succeeded, 0 failed, 0 cancelled
fairlead throughput --step week
    ! fairlead: --step week: wants hour or day
    exit 64

# jobs are counted by the value of a label, and stderr has the sums that no row shows
fairlead counts team --queue ml --label a=b --user ann --name 'train-*' --sort -failed
< 200 {"values":[{"value":"vision","jobs":2,"open":1,"succeeded":0,"failed":0,"cancelled":1},{"value":"audio","jobs":3,"open":0,"succeeded":1,"failed":2,"cancelled":0}],"without":{"jobs":4},"others":{"jobs":1},"total":{"jobs":10},"isWhole":false}
    GET /v1/jobs:counts?by=label%3Ateam&queue=ml&label=a%3Db&submittedBy=ann&name=train-%2A
    | VALUE   JOBS  OPEN  SUCCEEDED  FAILED  CANCELLED
    | audio      3     0          1       2          0
    | vision     2     1          0       0          1
    ! 4 of 10 jobs do not have the label team
    ! 1 of 10 jobs have a further value
    ! only the newest 10 jobs were counted: -q, -l, -u or --name to choose
fairlead counts team -o jsonl
< 200 {"values":[{"value":"vision","jobs":2}],"without":{"jobs":0},"others":{"jobs":0},"total":{"jobs":2},"isWhole":true}
    GET /v1/jobs:counts?by=label%3Ateam
    | {"value":"vision","jobs":2}
fairlead counts team
< 200 {"values":[],"without":{"jobs":0},"others":{"jobs":0},"total":{"jobs":0},"isWhole":true}
    GET /v1/jobs:counts?by=label%3Ateam
    | VALUE  JOBS  OPEN  SUCCEEDED  FAILED  CANCELLED
    ! no job has this label
fairlead counts
    ! fairlead: usage: fairlead counts KEY
    exit 64

# the audit is filtered
fairlead audit --subject token:abc --action queue_put --object ml --outcome denied --limit 3 -o jsonl
< 200 {"audit":[{"id":"1.0","what":"queue_put ml"}]}
    GET /v1/audit?limit=3&cursor=&subject=token%3Aabc&action=queue_put&object=ml&outcome=denied
    | {"id":"1.0","what":"queue_put ml"}
fairlead audit --since whenever
    ! fairlead: --since whenever: wants a span, as 10m, or a time, as 2026-01-31T09:00:00Z
    exit 64
