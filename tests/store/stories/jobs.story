One job: accepted, shown, held, changed, cancelled and run again.

# a job is accepted, shown, changed and cancelled
POST /v1/jobs {"command":["true"],"hold":true,"name":"a","labels":{"team":"red"}}
    201
    Location: /v1/jobs/job-1
    {
      "id":"job-1","name":"a",
      "labels":{"team":"red"},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"held","reason":"Held",
      "unknownSince":null,"priority":0,"deadline":null,"parallelism":null,"revision":0,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "specDigest":"a29d562c2e16701870b85f0f50bfd2b2098992c7b040c01b11ec761ef2f42450"
    }
rows
    shape_new shape=1 body=(11 bytes)
    spec_new job=0 digest=<hash> body=(85 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 name=a labels=(9 bytes) deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=token:<admin> first-admin body=submit job-1+1 peer=<peer>
GET /v1/jobs/job-1
    200
    ETag: <etag 1>
    {
      "id":"job-1","name":"a",
      "labels":{"team":"red"},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"held","reason":"Held",
      "unknownSince":null,"priority":0,"deadline":null,"parallelism":null,"revision":0,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "live":[],"specDigest":"a29d562c2e16701870b85f0f50bfd2b2098992c7b040c01b11ec761ef2f42450",
      "spec":{"roles":[{"name":"main","template":{"spec":{"containers":[{"command":["true"]}]}}}]},
      "attempts":[]
    }
PATCH /v1/jobs/job-1 {"priority":5}
    200
    ETag: <etag 2>
    {
      "id":"job-1","name":"a",
      "labels":{"team":"red"},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"held","reason":"Held",
      "unknownSince":null,"priority":5,"deadline":null,"parallelism":null,"revision":1,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "live":[],"specDigest":"a29d562c2e16701870b85f0f50bfd2b2098992c7b040c01b11ec761ef2f42450",
      "spec":{"roles":[{"name":"main","template":{"spec":{"containers":[{"command":["true"]}]}}}]},
      "attempts":[]
    }
rows
    audit tenant=1 actor=token:<admin> first-admin body=edit job-1 priority=5 peer=<peer>
    job_edit job=1 revision=1 queue=1 priority=5 deadline_s=0 name=a labels=(9 bytes) parallelism=0 queue_was=1
    mark_set job=1 kind=6 value=1
POST /v1/jobs/job-1:cancel
    200
    {
      "id":"job-1","name":"a",
      "labels":{"team":"red"},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"cancelled","reason":"Cancelled",
      "unknownSince":null,"priority":5,"deadline":null,"parallelism":null,
      "elements":{"total":1,"succeeded":0,"failed":0,"cancelled":1},"cluster":null,
      "endedAt":"<time>","attempt":null,"exitCode":0,"firstReplica":null,
      "specDigest":"a29d562c2e16701870b85f0f50bfd2b2098992c7b040c01b11ec761ef2f42450",
      "spec":{"roles":[{"name":"main","template":{"spec":{"containers":[{"command":["true"]}]}}}]},
      "attempts":[]
    }
rows
    audit tenant=1 actor=token:<admin> first-admin body=cancel job-1 peer=<peer>
    element_end job=1 element=0 n=0 state=18 reason=35 exit_code=0 first_replica=4294967295
    job_end job=1 state=18 reason=35 is_array=0 has_marks=1
only state elements
GET /v1/jobs/job-1
    200
    ETag: <etag 3>
    {"state":"cancelled","elements":{"total":1,"succeeded":0,"failed":0,"cancelled":1}}

# a held job may start once it is released, and each of the two is recorded once
. POST /v1/jobs {"command":["true"]}
only state reason
POST /v1/jobs/job-1:hold
    200
    {"state":"held","reason":"Held"}
rows
    audit tenant=1 actor=token:<admin> first-admin body=hold job-1 peer=<peer>
    mark_set job=1 kind=1 value=1
only state reason
POST /v1/jobs/job-1:hold
    200
    {"state":"held","reason":"Held"}
rows
only state reason
POST /v1/jobs/job-1:release
    200
    {"state":"queued","reason":"NoCluster"}
rows
    audit tenant=1 actor=token:<admin> first-admin body=release job-1 peer=<peer>
    mark_clear job=1 kind=1
only state reason
POST /v1/jobs/job-1:release
    200
    {"state":"queued","reason":"NoCluster"}
rows

# an ended job is neither held, released, changed nor cancelled twice
. POST /v1/jobs {"command":["true"],"hold":true}
. POST /v1/jobs/job-1:cancel
POST /v1/jobs/job-1:hold
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict","detail":"the job has ended already: it was cancelled","traceId":"<trace 1>"
    }
POST /v1/jobs/job-1:release
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict","detail":"the job has ended already: it was cancelled","traceId":"<trace 2>"
    }
PATCH /v1/jobs/job-1 {"priority":1}
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict","detail":"the job has ended already: it was cancelled","traceId":"<trace 3>"
    }
only id state
POST /v1/jobs/job-1:cancel
    200
    {"id":"job-1","state":"cancelled"}
rows

# an ended job is run again as a new one, with its spec
. POST /v1/jobs {"command":["true"],"name":"a","labels":{"team":"red"},"priority":3,"hold":true}
. POST /v1/jobs/job-1:cancel
POST /v1/jobs/job-1:retry
    201
    {
      "id":"job-2","name":"a",
      "labels":{"team":"red"},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":"job-1",
      "after":[],"singleton":false,"queue":"default","state":"queued","reason":"NoCluster",
      "unknownSince":null,"priority":3,"deadline":null,"parallelism":null,"revision":0,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "live":[],"specDigest":"a29d562c2e16701870b85f0f50bfd2b2098992c7b040c01b11ec761ef2f42450",
      "spec":{"roles":[{"name":"main","template":{"spec":{"containers":[{"command":["true"]}]}}}]},
      "attempts":[]
    }
rows
    job_new job=2 tenant=1 queue=1 shape=1 priority=3 elements=1 spec=<hash> retry_of=1 name=a labels=(9 bytes) deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    audit tenant=1 actor=token:<admin> first-admin body=submit job-2+1 peer=<peer>
POST /v1/jobs/job-2:retry
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict","detail":"the job has not ended; cancel it or wait for its end",
      "traceId":"<trace 1>"
    }
POST /v1/jobs/job-1:retry {"only":"failed"}
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict","detail":"it did not fail","traceId":"<trace 2>"
    }
POST /v1/jobs/job-1:retry {"elements":[1]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"the job has elements 0 to 0","traceId":"<trace 3>"
    }
POST /v1/jobs/job-1:retry {"elements":[]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/elements","detail":"this value is not allowed here","got":"an empty list",
          "allowed":"array of integer, 1 to 50000 of them"
        }
      ],
      "traceId":"<trace 4>"
    }

# elements of an array are run again under their numbers
. POST /v1/jobs {"command":["true"],"array":5,"hold":true}
. POST /v1/jobs/job-1:cancel
only id elements
POST /v1/jobs/job-1:retry {"elements":[1,3]}
    201
    {
      "id":"job-2",
      "elements":{"total":2,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0}
    }
rows
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=2 spec=<hash> retry_of=1 picked=(4 bytes) deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    mark_set job=2 kind=4 value=2 body=(4 bytes)
    audit tenant=1 actor=token:<admin> first-admin body=submit job-2+1 peer=<peer>
POST /v1/jobs/job-1:retry {"elements":[7]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"the job has elements 0 to 4","traceId":"<trace 1>"
    }
POST /v1/jobs/job-1:retry {"elements":[3,1]}
    201
    {
      "id":"job-3","name":null,
      "labels":{},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":"job-1",
      "after":[],"singleton":false,"queue":"default","state":"queued","reason":"NoCluster",
      "unknownSince":null,"priority":0,"deadline":null,"parallelism":null,"revision":0,
      "elements":{"total":2,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "live":[],"specDigest":"a29d562c2e16701870b85f0f50bfd2b2098992c7b040c01b11ec761ef2f42450",
      "spec":{"roles":[{"name":"main","template":{"spec":{"containers":[{"command":["true"]}]}}}]},
      "attempts":[]
    }

# every request for an unknown job answers absent
GET /v1/jobs/job-7
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 1>"
    }
GET /v1/jobs/nothing
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 2>"
    }
POST /v1/jobs/job-7:cancel
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 3>"
    }
POST /v1/jobs/job-7:retry
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 4>"
    }
PATCH /v1/jobs/job-7 {"priority":1}
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 5>"
    }
GET /v1/jobs/job-7/explain
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 6>"
    }
GET /v1/jobs/job-7/logs
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 7>"
    }

# a dry run checks a job, answers with its long form, and makes nothing
POST /v1/jobs?dryRun=true {"command":["a"],"resources":{"cpu":2,"memory":"1Gi"},"env":{"A":"b"}}
    200
    {
      "dryRun":true,"specDigest":"0dada52c4a7cdfdbf007ac80279ef79c7ccffa52d52fe9b3aea930e44e5abe3a",
      "job":{
        "roles":[
          {
            "name":"main",
            "template":{
              "spec":{
                "containers":[
                  {
                    "command":["a"],
                    "env":[{"name":"A","value":"b"}],
                    "resources":{
                      "requests":{"cpu":"2","memory":"1Gi"},
                      "limits":{"cpu":"2","memory":"1Gi"}
                    }
                  }
                ]
              }
            }
          }
        ]
      }
    }
rows
only placement
POST /v1/jobs?dryRun=true&placement=true {"command":["a"]}
    200
    {"placement":{"possible":true,"enrolled":0,"clusters":[]}}
rows
POST /v1/jobs?placement=true {"command":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"only a dry run says where the job could go",
      "errors":[
        {
          "parameter":"placement","detail":"only a dry run says where the job could go",
          "got":"true","allowed":"dryRun=true beside it"
        }
      ],
      "traceId":"<trace 1>"
    }
POST /v1/jobs?dryRun=true {"command":["a"],"queue":"none"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent",
      "detail":"queue \"none\" does not exist; create it, or name another",
      "errors":[
        {
          "pointer":"/queue","detail":"queue \"none\" does not exist; create it, or name another",
          "got":"none"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs?dryRun=yes {"command":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"dryRun","detail":"this value is not allowed here","got":"yes",
          "allowed":"boolean"
        }
      ],
      "traceId":"<trace 3>"
    }
only jobs
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[]}

# a token that may only submit is not told what the clusters say
. POST /v1/tokens {"name":"submits","scopes":["submit"]}
as <token 1>
only placement
POST /v1/jobs?dryRun=true&placement=true {"command":["a"]}
    200
    {"placement":{"possible":true}}

# the query goes over the document
. POST /v1/queues {"name":"ml"}
only queue state
POST /v1/jobs?queue=ml&hold=true {"command":["a"],"queue":"default"}
    201
    Location: /v1/jobs/job-1
    {"queue":"ml","state":"held"}
only queue state after
POST /v1/jobs?after=job-1,job-1:any {"command":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"named twice, here or in the document",
      "errors":[
        {"parameter":"after","detail":"named twice, here or in the document","got":"job-1:any"}
      ],
      "traceId":"<trace 1>"
    }
only queue state after sentence
POST /v1/jobs?after=job-1:any {"command":["a"],"hold":true}
    201
    Location: /v1/jobs/job-2
    {"after":[{"job":"job-1","on":"any"}],"queue":"default","state":"held"}
POST /v1/jobs?after=job-1:always {"command":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not an end of a job",
      "errors":[
        {
          "parameter":"after","detail":"not an end of a job","got":"job-1:always",
          "allowed":"ids of jobs with commas between them, each with :success, :any, :failure or :each behind it or none"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs {"command":["a"],"after":[{"job":"job-1"},{"job":"job-9"}]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"job-9, which it is to run after, does not exist",
      "errors":[
        {
          "pointer":"/after/1/job","detail":"job-9, which it is to run after, does not exist",
          "got":"job-9"
        }
      ],
      "traceId":"<trace 3>"
    }
POST /v1/jobs?after=job-9 {"command":["a"],"after":[{"job":"job-1"}]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"job-9, which it is to run after, does not exist",
      "errors":[
        {
          "parameter":"after","detail":"job-9, which it is to run after, does not exist",
          "got":"job-9"
        }
      ],
      "traceId":"<trace 4>"
    }
POST /v1/jobs:batch [{"command":["a"],"after":[{"job":"job-1"},{"job":"job-9"}]}]
    200
    {
      "line":1,
      "problem":{
        "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
        "status":422,"code":"absent","detail":"job-9, which it is to run after, does not exist",
        "errors":[
          {"pointer":"/after/1/job","detail":"job-9, which it is to run after, does not exist"}
        ]
      }
    }
POST /v1/jobs?after=job-9 {"command":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"job-9, which it is to run after, does not exist",
      "errors":[
        {
          "parameter":"after","detail":"job-9, which it is to run after, does not exist",
          "got":"job-9"
        }
      ],
      "traceId":"<trace 5>"
    }

# a job runs after another, and ends with it where its condition cannot be met
. POST /v1/jobs {"command":["a"],"hold":true}
only id state reason after sentence
POST /v1/jobs {"command":["b"],"after":[{"job":"job-1"}]}
    201
    Location: /v1/jobs/job-2
    {"id":"job-2","after":[{"job":"job-1","on":"success"}],"state":"queued","reason":"WaitsForJobs"}
rows
    spec_new job=0 digest=<hash> body=(82 bytes)
    job_new job=2 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 deadline_s=0 retries_max=0 owner=first-admin after=(9 bytes) is_singleton=0 parallelism=0
    mark_set job=2 kind=5 value=1 body=(9 bytes)
    audit tenant=1 actor=token:<admin> first-admin body=submit job-2+1 peer=<peer>
only id state reason
POST /v1/jobs {"command":["c"],"after":[{"job":"job-1","on":"any"}]}
    201
    Location: /v1/jobs/job-3
    {"id":"job-3","state":"queued","reason":"WaitsForJobs"}
. POST /v1/jobs/job-1:cancel
rows
    audit tenant=1 actor=token:<admin> first-admin body=cancel job-1 peer=<peer>
    element_end job=1 element=0 n=0 state=18 reason=35 exit_code=0 first_replica=4294967295
    job_end job=1 state=18 reason=35 is_array=0 has_marks=1
    mark_set job=2 kind=2 value=52
    mark_clear job=3 kind=5
    element_end job=2 element=0 n=0 state=18 reason=52 exit_code=0 first_replica=4294967295
    job_end job=2 state=18 reason=52 is_array=0 has_marks=1
only id state reason
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-3","state":"queued","reason":"NoCluster"}]}

# the same key makes a job once, and another body under it is refused
with Idempotency-Key: once
only id
POST /v1/jobs {"command":["true"],"hold":true}
    201
    Location: /v1/jobs/job-1
    {"id":"job-1"}
rows
    shape_new shape=1 body=(11 bytes)
    spec_new job=0 digest=<hash> body=(85 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 deadline_s=0 retries_max=0 owner=first-admin is_singleton=0 parallelism=0
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=token:<admin> first-admin body=submit job-1+1 peer=<peer>
    idempotency tenant=1 body_sha=<hash> key=once answer=(23 bytes)
with Idempotency-Key: once
only id
POST /v1/jobs {"command":["true"],"hold":true}
    201
    Idempotent-Replayed: true
    Location: /v1/jobs/job-1
    {"id":"job-1"}
rows
with Idempotency-Key: once
POST /v1/jobs {"command":["false"],"hold":true}
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict",
      "detail":"this Idempotency-Key was used before, for another request; take a new key for a new one",
      "traceId":"<trace 1>"
    }
with Idempotency-Key: a b
POST /v1/jobs {"command":["true"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a key",
      "errors":[
        {
          "header":"Idempotency-Key","detail":"not a key","got":"a b",
          "allowed":"1 to 128 visible ASCII characters"
        }
      ],
      "traceId":"<trace 2>"
    }
only id
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1"}]}

# explain says why a job waits, and why it ended
. POST /v1/jobs {"command":["true"]}
GET /v1/jobs/job-1/explain
    200
    ETag: <etag 1>
    {
      "id":"job-1","state":"queued","reason":"NoCluster","whoCanAct":"admin",
      "sentence":"no cluster is enrolled; it starts once one has joined (fairlead cluster join NAME)",
      "clusters":[]
    }
. POST /v1/jobs {"command":["true"],"hold":true}
GET /v1/jobs/job-2/explain
    200
    ETag: <etag 2>
    {
      "id":"job-2","state":"held","reason":"Held","whoCanAct":"user",
      "sentence":"held; it waits for release",
      "clusters":[]
    }
. POST /v1/jobs {"command":["true"],"clusters":["east"]}
GET /v1/jobs/job-3/explain
    200
    ETag: <etag 3>
    {
      "id":"job-3","state":"queued","reason":"NoCluster","whoCanAct":"admin",
      "sentence":"no cluster is enrolled; it starts once one has joined (fairlead cluster join NAME)",
      "clusters":[]
    }
. POST /v1/jobs/job-1:cancel
GET /v1/jobs/job-1/explain
    200
    ETag: <etag 4>
    {
      "id":"job-1","state":"cancelled","reason":"Cancelled","whoCanAct":"user",
      "sentence":"cancelled on request",
      "clusters":[]
    }
. POST /v1/queues/default:pause
only sentence reason
GET /v1/jobs/job-3/explain
    200
    ETag: <etag 5>
    {"reason":"QueuePaused","sentence":"its queue is paused"}
