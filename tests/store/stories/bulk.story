Many jobs by one request.

# a filter cancels what it names, and a dry run only counts
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"set":"x"}}
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"set":"x"}}
. POST /v1/jobs {"command":["a"],"hold":true}
POST /v1/jobs:cancel {"labels":{"set":"x"},"dryRun":true}
    200
    {"dryRun":true,"matched":2,"changed":0,"failed":0,"more":false}
rows
POST /v1/jobs:cancel {"labels":{"set":"x"}}
    200
    {"dryRun":false,"matched":2,"changed":2,"failed":0,"more":false}
rows
    audit tenant=1 actor=token:<admin> first-admin body=cancel job-2 peer=<peer>
    element_end job=2 element=0 n=0 state=18 reason=35 exit_code=0 first_replica=4294967295
    job_end job=2 state=18 reason=35 is_array=0 has_marks=1
    audit tenant=1 actor=token:<admin> first-admin body=cancel job-1 peer=<peer>
    element_end job=1 element=0 n=0 state=18 reason=35 exit_code=0 first_replica=4294967295
    job_end job=1 state=18 reason=35 is_array=0 has_marks=1
POST /v1/jobs:cancel {"labels":{"set":"x"}}
    200
    {"dryRun":false,"matched":0,"changed":0,"failed":0,"more":false}
only id state
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-3","state":"held"}]}

# a limit leaves the rest to a cursor
. POST /v1/jobs {"command":["a"],"hold":true,"name":"a-1"}
. POST /v1/jobs {"command":["a"],"hold":true,"name":"a-2"}
. POST /v1/jobs {"command":["a"],"hold":true,"name":"b-1"}
POST /v1/jobs:cancel {"name":"a-*","limit":1}
    200
    {"dryRun":false,"matched":1,"changed":1,"failed":0,"more":true,"cursor":"o2"}
POST /v1/jobs:cancel {"name":"a-*","limit":1}
    200
    {"dryRun":false,"matched":1,"changed":1,"failed":0,"more":false}
only id state
GET /v1/jobs?state=open
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-3","state":"held"}]}

# an edit is of all open jobs that a filter names, and a dry run only counts
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"hold":true,"name":"a-1","labels":{"set":"x"}}
. POST /v1/jobs {"command":["a"],"hold":true,"name":"b-1"}
. POST /v1/jobs {"command":["a"],"hold":true,"name":"a-2","priority":3}
POST /v1/jobs:edit {"name":"a-*","edit":{"queue":"ml","priority":7},"dryRun":true}
    200
    {"dryRun":true,"matched":2,"changed":0,"unchanged":0,"failed":0,"more":false}
rows
POST /v1/jobs:edit {"name":"a-*","edit":{"queue":"ml","priority":7}}
    200
    {"dryRun":false,"matched":2,"changed":2,"unchanged":0,"failed":0,"more":false}
rows
    audit tenant=1 actor=token:<admin> first-admin body=edit job-3 queue=ml priority=7 peer=<peer>
    job_edit job=3 revision=1 queue=2 priority=7 deadline_s=0 name=a-2 parallelism=0 queue_was=1
    mark_set job=3 kind=6 value=1
    audit tenant=1 actor=token:<admin> first-admin body=edit job-1 queue=ml priority=7 peer=<peer>
    job_edit job=1 revision=1 queue=2 priority=7 deadline_s=0 name=a-1 labels=(6 bytes) parallelism=0 queue_was=1
    mark_set job=1 kind=6 value=1
only id name queue priority labels
GET /v1/jobs?state=open
    200
    ETag: <etag 1>
    {
      "jobs":[
        {"id":"job-3","name":"a-2","labels":{},"queue":"ml","priority":7},
        {"id":"job-2","name":"b-1","labels":{},"queue":"default","priority":0},
        {"id":"job-1","name":"a-1","labels":{"set":"x"},"queue":"ml","priority":7}
      ]
    }
POST /v1/jobs:edit {"queue":"ml","edit":{"parallelism":2}}
    200
    {
      "dryRun":false,"matched":2,"changed":0,"unchanged":0,"failed":2,
      "firstFailure":{
        "code":"conflict",
        "detail":"it has one element, and parallelism is for arrays: nothing of it was changed"
      },
      "more":false
    }
POST /v1/jobs:edit {"queue":"ml","edit":{"deadline":"1h"},"limit":1}
    200
    {"dryRun":false,"matched":1,"changed":1,"unchanged":0,"failed":0,"more":true,"cursor":"o3"}
POST /v1/jobs:edit {"queue":"ml"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this is required",
      "errors":[{"pointer":"/edit","detail":"this is required","allowed":"JobEdit"}],
      "traceId":"<trace 1>"
    }
POST /v1/jobs:edit {"queue":"ml","edit":{}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this changes nothing",
      "errors":[
        {
          "pointer":"/edit","detail":"this changes nothing",
          "allowed":"queue, priority, deadline, parallelism, hold"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs:edit {"queue":"ml","edit":{"labels":{"a":"b"}}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid",
      "detail":"name and labels are edited job by job: PATCH /v1/jobs/{job}",
      "errors":[
        {
          "pointer":"/edit/labels",
          "detail":"name and labels are edited job by job: PATCH /v1/jobs/{job}",
          "allowed":"queue, priority, deadline, parallelism, hold"
        }
      ],
      "traceId":"<trace 3>"
    }
POST /v1/jobs:edit {"queue":"ml","edit":{"priority":1001}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/edit/priority: this is not what priority holds",
      "errors":[
        {
          "pointer":"/edit/priority","detail":"this is not what priority holds","got":"1001",
          "allowed":"a whole number, from -1000 to 1000","line":1,"col":34
        }
      ],
      "traceId":"<trace 4>"
    }
POST /v1/jobs:edit {"queue":"ml","edit":{"queue":"none"}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"this queue does not exist, or not for this token",
      "errors":[
        {
          "pointer":"/edit/queue","detail":"this queue does not exist, or not for this token",
          "got":"none"
        }
      ],
      "traceId":"<trace 5>"
    }
POST /v1/jobs:edit {"edit":{"priority":1}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid",
      "detail":"name at least one of queue, state, labels, submittedBy and name",
      "traceId":"<trace 6>"
    }
POST /v1/jobs:cancel {"queue":"ml","edit":{"priority":1}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field",
      "errors":[{"pointer":"/edit","detail":"unknown field","got":"edit"}],"traceId":"<trace 7>"
    }

# to move jobs by an edit of many a token needs the scope submit; one of a queue sees that alone
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs {"command":["a"],"hold":true,"queue":"ml"}
only token
POST /v1/tokens {"name":"c","scopes":["read","cancel"],"ttlSeconds":600}
    201
    {"token":"<token 1>"}
only token
POST /v1/tokens {"name":"m","scopes":["read","cancel","submit"],"queue":"ml","ttlSeconds":600}
    201
    {"token":"<token 2>"}
as <token 1>
POST /v1/jobs:edit {"queue":"default","edit":{"queue":"ml"}}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"this token may not do that; to move a job into a queue it needs the scope submit",
      "traceId":"<trace 1>"
    }
POST /v1/jobs:edit {"queue":"default","edit":{"priority":1}}
    200
    {"dryRun":false,"matched":1,"changed":1,"unchanged":0,"failed":0,"more":false}
as <token 2>
POST /v1/jobs:edit {"state":"open","edit":{"queue":"default"}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"this queue does not exist, or not for this token",
      "errors":[
        {
          "pointer":"/edit/queue","detail":"this queue does not exist, or not for this token",
          "got":"default"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs:edit {"queue":"default","edit":{"priority":2}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"no queue has this name, or this token may not see it",
      "errors":[
        {
          "pointer":"/queue","detail":"no queue has this name, or this token may not see it",
          "got":"default"
        }
      ],
      "traceId":"<trace 3>"
    }
POST /v1/jobs:edit {"state":"open","edit":{"priority":3}}
    200
    {"dryRun":false,"matched":1,"changed":1,"unchanged":0,"failed":0,"more":false}
POST /v1/jobs:edit {"state":"open","edit":{"priority":3}}
    200
    {"dryRun":false,"matched":1,"changed":0,"unchanged":1,"failed":0,"more":false}
as admin
only id queue priority revision
GET /v1/jobs?state=open
    200
    ETag: <etag 1>
    {
      "jobs":[
        {"id":"job-2","queue":"ml","priority":3,"revision":1},
        {"id":"job-1","queue":"default","priority":1,"revision":1}
      ]
    }

# ended jobs are run again by a filter, without a state those that failed
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"set":"x"}}
. POST /v1/jobs/job-1:cancel
POST /v1/jobs:retry {"labels":{"set":"x"}}
    200
    {"dryRun":false,"matched":0,"changed":0,"failed":0,"more":false}
POST /v1/jobs:retry {"labels":{"set":"x"},"state":"cancelled"}
    200
    {"dryRun":false,"matched":1,"changed":1,"failed":0,"more":false}
rows
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=1 labels=(6 bytes) deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    audit tenant=1 actor=token:<admin> first-admin body=submit job-2+1 peer=<peer>
only id state
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-2","state":"queued"}]}

# a retry of many says why the first one cannot run again
. POST /v1/queues {"name":"gone"}
. POST /v1/jobs {"command":["a"],"hold":true,"queue":"gone","labels":{"set":"x"}}
. POST /v1/jobs {"command":["a"],"hold":true,"queue":"gone","labels":{"set":"x"}}
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"set":"x"}}
. POST /v1/jobs:cancel {"labels":{"set":"x"}}
. DELETE /v1/queues/gone
POST /v1/jobs:retry {"labels":{"set":"x"},"state":"cancelled","waitForCluster":true}
    200
    {
      "dryRun":false,"matched":3,"changed":1,"failed":2,
      "firstFailure":{
        "job":"job-2","code":"conflict",
        "detail":"queue \"gone\" does not exist; create it, or name another"
      },
      "more":false
    }
POST /v1/jobs:cancel {"labels":{"set":"x"},"waitForCluster":true}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field",
      "errors":[{"pointer":"/waitForCluster","detail":"unknown field","got":"waitForCluster"}],
      "traceId":"<trace 1>"
    }

# a filter that names nothing, or not what it means, is refused
POST /v1/jobs:cancel {}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid",
      "detail":"name at least one of queue, state, labels, submittedBy and name",
      "traceId":"<trace 1>"
    }
POST /v1/jobs:cancel {"queue":""}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/queue","detail":"this value is not allowed here","got":"an empty string",
          "allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs:cancel {"state":[]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this names no jobs",
      "errors":[{"pointer":"/state","detail":"this names no jobs","allowed":"a list of states"}],
      "traceId":"<trace 3>"
    }
POST /v1/jobs:cancel {"labels":{}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this names no jobs",
      "errors":[{"pointer":"/labels","detail":"this names no jobs","allowed":"an object of texts"}],
      "traceId":"<trace 4>"
    }
POST /v1/jobs:cancel {"labels":["a=b"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/labels","detail":"this value is not allowed here","got":"a list",
          "allowed":"map of string"
        }
      ],
      "traceId":"<trace 5>"
    }
POST /v1/jobs:cancel {"queue":"default","dryRun":1}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/dryRun","detail":"this value is not allowed here","got":"1",
          "allowed":"boolean"
        }
      ],
      "traceId":"<trace 6>"
    }
POST /v1/jobs:retry {"queue":"default","state":"held"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this names no jobs",
      "errors":[
        {
          "pointer":"/state","detail":"this names no jobs","got":"held",
          "allowed":"succeeded, failed, cancelled, ended"
        }
      ],
      "traceId":"<trace 7>"
    }
POST /v1/jobs:cancel {"que":"default"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field",
      "errors":[{"pointer":"/que","detail":"unknown field","got":"que"}],"traceId":"<trace 8>"
    }

# each line of a batch has its result, and a wrong one spoils no other
with Content-Type: application/x-ndjson
POST /v1/jobs:batch
| {"command":["true"],"hold":true}
| {"comand":["true"]}
| no json
| {"command":["true"],"hold":true,"after":[{"line":1}]}
| {"command":["true"],"after":[{"line":2}]}
    200
    | {"line":1,"id":"job-1","state":"held"}
    | {"line":2,"problem":{"type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content","status":422,"code":"invalid","detail":"/comand: unknown field; did you mean command? (and 1 more)","errors":[{"pointer":"/comand","detail":"unknown field; did you mean command?","got":"\"comand\"","allowed":"command","line":2,"col":2},{"pointer":"","detail":"there is neither a command nor an image: nothing to run","allowed":"command: [\"sh\", \"-c\", \"...\"]"}]}}
    | {"line":3,"problem":{"type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content","status":422,"code":"invalid","detail":"a value cannot begin like this","errors":[{"pointer":"","detail":"a value cannot begin like this","line":3,"col":1}]}}
    | {"line":4,"id":"job-2","state":"held"}
    | {"line":5,"problem":{"type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,"code":"conflict","detail":"the job of line 2, which it is to run after, was refused"}}
rows
    shape_new shape=1 body=(11 bytes)
    spec_new job=0 digest=<hash> body=(85 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 deadline_s=0 retries_max=0 owner=first-admin after=(9 bytes) is_singleton=0 parallelism=0
    mark_set job=2 kind=5 value=1 body=(9 bytes)
    mark_set job=2 kind=1 value=1
    audit tenant=1 actor=token:<admin> first-admin body=submit job-1+2 peer=<peer>
only id state after job on
GET /v1/jobs
    200
    ETag: <etag 1>
    {
      "jobs":[
        {"id":"job-2","after":[{"job":"job-1","on":"success"}],"state":"held"},
        {"id":"job-1","after":[],"state":"held"}
      ]
    }

# a batch defines a spec once, and uses it with its parameters
with Content-Type: application/x-ndjson
POST /v1/jobs:batch
| {"spec":"s","job":{"command":["true"],"hold":true,"labels":{"set":"x"}}}
| {"use":"s","params":{"lr":"0.1"}}
| {"use":"s","params":{"lr":0.2}}
| {"use":"s","name":"named"}
| {"use":"t"}
| {"spec":"s","job":{"command":["other"]}}
    200
    | {"line":1,"spec":"s"}
    | {"line":2,"id":"job-1","state":"held"}
    | {"line":3,"id":"job-2","state":"held"}
    | {"line":4,"id":"job-3","state":"held"}
    | {"line":5,"problem":{"type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content","status":422,"code":"absent","detail":"no earlier line defines a good spec of that name"}}
    | {"line":6,"problem":{"type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content","status":422,"code":"invalid","detail":"that spec is defined already, in an earlier line"}}
rows
    shape_new shape=1 body=(11 bytes)
    spec_new job=0 digest=<hash> body=(85 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 labels=(6 bytes) params={"lr":"0.1"} deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    mark_set job=1 kind=1 value=1
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 labels=(6 bytes) params={"lr":"0.2"} deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    mark_set job=2 kind=1 value=1
    job_new job=3 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 name=named labels=(6 bytes) deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    mark_set job=3 kind=1 value=1
    audit tenant=1 actor=token:<admin> first-admin body=submit job-1+3 peer=<peer>
only id labels params specDigest
GET /v1/jobs/job-1
    200
    ETag: <etag 1>
    {
      "id":"job-1",
      "labels":{"set":"x"},
      "specDigest":"a29d562c2e16701870b85f0f50bfd2b2098992c7b040c01b11ec761ef2f42450",
      "params":{"lr":"0.1"}
    }

# elements wait for those of an array with the same indexes; the rest of the two specs may differ
. POST /v1/jobs {"command":["a"],"hold":true,"indexes":"1-3"}
. POST /v1/jobs {"command":["b"],"hold":true,"indexes":"1-3"}
. POST /v1/jobs {"command":["a"],"hold":true,"indexes":"2-4"}
. POST /v1/jobs {"command":["a"],"hold":true,"indexes":"1-3"}
with Content-Type: application/x-ndjson
POST /v1/jobs:batch
| {"command":["c"],"indexes":"1-3","after":[{"job":"job-1","on":"each"}]}
| {"command":["c"],"indexes":"1-3","after":[{"job":"job-3","on":"each"}]}
| {"command":["a"],"indexes":"1-3","after":[{"job":"job-4","on":"each"}]}
| {"command":["d"],"indexes":"2-4","after":[{"job":"job-2","on":"each"}]}
| {"command":["d"],"indexes":"2-4","after":[{"job":"job-4","on":"each"}]}
| {"command":["d"],"indexes":"2-4","after":[{"job":"job-3","on":"each"},{"job":"job-2","on":"any"}]}
| {"command":["d"],"indexes":"2-4","after":[{"job":"job-3","on":"each"},{"job":"job-2","on":"each"}]}
| {"command":["e"],"array":3,"after":[{"line":1,"on":"each"}]}
| {"command":["e"],"indexes":"1-3","after":[{"line":1,"on":"each"}]}
| {"command":["e"],"indexes":"1-3","after":[{"job":"job-77","on":"each"}]}
    200
    | {"line":1,"id":"job-5","state":"queued"}
    | {"line":2,"problem":{"type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content","status":422,"code":"invalid","detail":"elements wait for the same elements of job-3, so both have the same indexes: give this job those of job-3, or run after the job itself, with success or any"}}
    | {"line":3,"id":"job-6","state":"queued"}
    | {"line":4,"problem":{"type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content","status":422,"code":"invalid","detail":"elements wait for the same elements of job-2, so both have the same indexes: give this job those of job-2, or run after the job itself, with success or any"}}
    | {"line":5,"problem":{"type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content","status":422,"code":"invalid","detail":"elements wait for the same elements of job-4, so both have the same indexes: give this job those of job-4, or run after the job itself, with success or any"}}
    | {"line":6,"id":"job-7","state":"queued"}
    | {"line":7,"problem":{"type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content","status":422,"code":"invalid","detail":"the elements of a job wait for those of one other job only; name the others with success, any or failure"}}
    | {"line":8,"problem":{"type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content","status":422,"code":"invalid","detail":"elements wait for the same elements of job-5, so both have the same indexes: give this job those of job-5, or run after the job itself, with success or any"}}
    | {"line":9,"id":"job-8","state":"queued"}
    | {"line":10,"problem":{"type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content","status":422,"code":"absent","detail":"job-77, which it is to run after, does not exist","errors":[{"pointer":"/after/0/job","detail":"job-77, which it is to run after, does not exist"}]}}

# a batch may be a list, and one under a key is made once
with Idempotency-Key: all
POST /v1/jobs:batch [{"command":["a"],"hold":true},{"command":["b"],"hold":true}]
    200
    | {"line":1,"id":"job-1","state":"held"}
    | {"line":2,"id":"job-2","state":"held"}
with Idempotency-Key: all
POST /v1/jobs:batch [{"command":["a"],"hold":true},{"command":["b"],"hold":true}]
    200
    Idempotent-Replayed: true
    | {"line":1,"id":"job-1","state":"held"}
    | {"line":2,"id":"job-2","state":"held"}
rows
POST /v1/jobs:batch []
    200
POST /v1/jobs:batch {"command":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid",
      "detail":"a batch is a JSON list, or lines of JSON as application/x-ndjson",
      "traceId":"<trace 1>"
    }
only id
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-2"},{"id":"job-1"}]}
