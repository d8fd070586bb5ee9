A job is changed while it is open.

# an edit changes what it names, and nothing else
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"hold":true,"labels":{"a":"1","b":"2"}}
only name labels queue priority deadline revision
PATCH /v1/jobs/job-1 {"name":"n","labels":{"a":null,"c":"3"},"queue":"ml","deadline":60}
    200
    ETag: <etag 1>
    {
      "name":"n",
      "labels":{"b":"2","c":"3"},"queue":"ml","priority":0,"deadline":60,"revision":1,
      "spec":{"roles":[{"name":"main"}]}
    }
rows
    audit tenant=1 actor=token:<admin> first-admin body=edit job-1 queue=ml deadline=60 words peer=<peer>
    job_edit job=1 revision=1 queue=2 priority=0 deadline_s=60 name=n labels=(8 bytes) parallelism=0 queue_was=1
    mark_set job=1 kind=6 value=1
only name labels queue priority deadline revision
PATCH /v1/jobs/job-1 {"name":null,"deadline":null}
    200
    ETag: <etag 2>
    {
      "name":null,
      "labels":{"b":"2","c":"3"},"queue":"ml","priority":0,"deadline":null,"revision":2,
      "spec":{"roles":[{"name":"main"}]}
    }
only revision
PATCH /v1/jobs/job-1 {"queue":"ml"}
    200
    ETag: <etag 2>
    {"revision":2}
rows

# with If-Match an edit counts only for what was seen
. POST /v1/jobs {"command":["a"],"hold":true}
only revision
GET /v1/jobs/job-1
    200
    ETag: <etag 1>
    {"revision":0}
with If-Match: <etag 1>
only priority revision
PATCH /v1/jobs/job-1 {"priority":1}
    200
    ETag: <etag 2>
    {"priority":1,"revision":1}
with If-Match: <etag 1>
PATCH /v1/jobs/job-1 {"priority":2}
    412
    {
      "type":"https://fairlead.dev/docs/reference/api#changed","title":"Precondition Failed",
      "status":412,"code":"changed",
      "detail":"the job is not as If-Match says: its revision is 1 now; read it, and decide again",
      "traceId":"<trace 1>"
    }
rows
with If-Match: "1"
only priority revision
PATCH /v1/jobs/job-1 {"priority":3}
    200
    ETag: <etag 3>
    {"priority":3,"revision":2}
with If-Match: 2
PATCH /v1/jobs/job-1 {"priority":4}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"no list of ETags",
      "errors":[
        {
          "header":"If-Match","detail":"no list of ETags","got":"2",
          "allowed":"the ETag of the job, or its revision in double quotes"
        }
      ],
      "traceId":"<trace 2>"
    }
with If-Match: *
only priority revision
PATCH /v1/jobs/job-1 {"priority":5}
    200
    ETag: <etag 4>
    {"priority":5,"revision":3}

# an edit of a fixed field is refused, and the rest of the edit with it
. POST /v1/jobs {"command":["a"],"hold":true}
PATCH /v1/jobs/job-1 {}
    200
    ETag: <etag 1>
    {
      "id":"job-1","name":null,
      "labels":{},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"held","reason":"Held",
      "unknownSince":null,"priority":0,"deadline":null,"parallelism":null,"revision":0,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "live":[],"specDigest":"4549a82554c73a34c72d737efd8fdcd097d206f801cd85158fdcf3589c5cdbeb",
      "spec":{"roles":[{"name":"main","template":{"spec":{"containers":[{"command":["a"]}]}}}]},
      "attempts":[]
    }
PATCH /v1/jobs/job-1 {"command":["b"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid",
      "detail":"/command: a job that was accepted keeps this; submit another one",
      "errors":[
        {
          "pointer":"/command","detail":"a job that was accepted keeps this; submit another one",
          "got":"a list","line":1,"col":12
        }
      ],
      "traceId":"<trace 1>"
    }
PATCH /v1/jobs/job-1 {"priority":1,"queue":"none"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"this queue does not exist, or not for this token",
      "errors":[
        {
          "pointer":"/queue","detail":"this queue does not exist, or not for this token",
          "got":"none"
        }
      ],
      "traceId":"<trace 2>"
    }
PATCH /v1/jobs/job-1 {"priority":1,"deadline":-5}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"/deadline: this is not what deadline holds",
      "errors":[
        {
          "pointer":"/deadline","detail":"this is not what deadline holds","got":"-5",
          "allowed":"a time like 90s, 5m or 1h30m, or a number of seconds, from 1 to 31622400",
          "line":1,"col":26
        }
      ],
      "traceId":"<trace 3>"
    }
PATCH /v1/jobs/job-1 {"priority":1,"labels":{"a":1}}
    200
    ETag: <etag 2>
    {
      "id":"job-1","name":null,
      "labels":{"a":"1"},"submittedAt":"<time>","submittedBy":"first-admin","retryOf":null,
      "after":[],"singleton":false,"queue":"default","state":"held","reason":"Held",
      "unknownSince":null,"priority":1,"deadline":null,"parallelism":null,"revision":1,
      "elements":{"total":1,"started":0,"live":0,"unknown":0,"succeeded":0,"failed":0,"cancelled":0},
      "cluster":null,"endedAt":null,"attempt":null,"exitCode":null,"firstReplica":null,
      "live":[],"specDigest":"4549a82554c73a34c72d737efd8fdcd097d206f801cd85158fdcf3589c5cdbeb",
      "spec":{"roles":[{"name":"main","template":{"spec":{"containers":[{"command":["a"]}]}}}]},
      "attempts":[]
    }
only priority revision
GET /v1/jobs/job-1
    200
    ETag: <etag 2>
    {"priority":1,"revision":1}
