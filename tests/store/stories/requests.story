Paths, methods and headers.

# a path that is not there, and a method that it lacks
GET /v1/nothing
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 1>"
    }
GET /v1
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 2>"
    }
GET /v1/jobs/
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 3>"
    }
PATCH /v1/jobs
    405
    Allow: POST, GET, HEAD
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Method Not Allowed",
      "status":405,"code":"unsupported","detail":"this path is for POST, GET, HEAD",
      "traceId":"<trace 4>"
    }
DELETE /v1/jobs/job-1
    405
    Allow: GET, HEAD, PATCH
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Method Not Allowed",
      "status":405,"code":"unsupported","detail":"this path is for GET, HEAD, PATCH",
      "traceId":"<trace 5>"
    }
POST /v1/jobs/job-1:fly
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 6>"
    }
PUT /v1/queues/default
    405
    Allow: GET, HEAD, PATCH, DELETE
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Method Not Allowed",
      "status":405,"code":"unsupported","detail":"this path is for GET, HEAD, PATCH, DELETE",
      "traceId":"<trace 7>"
    }
BREW /v1/jobs
    501
    {
      "type":"https://fairlead.dev/docs/reference/api#unsupported","title":"Not Implemented",
      "status":501,"code":"unsupported","detail":"unknown method","traceId":"<trace 8>"
    }

# an unchanged answer is not sent again
GET /v1/queues/default
    200
    ETag: <etag 1>
    {
      "name":"default","paused":false,"defaultCpu":null,"jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
with If-None-Match: <etag 1>
GET /v1/queues/default
    304
    ETag: <etag 1>
. POST /v1/queues/default:pause
with If-None-Match: <etag 1>
only paused
GET /v1/queues/default
    200
    ETag: <etag 2>
    {"paused":true}
HEAD /v1/queues/default
    200
    ETag: <etag 2>

# a key counts for a queue as for a job, and not another token's
with Idempotency-Key: k
POST /v1/queues {"name":"ml"}
    201
    {
      "name":"ml","paused":false,"defaultCpu":null,"jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
with Idempotency-Key: k
POST /v1/queues {"name":"ml"}
    201
    Idempotent-Replayed: true
    {
      "name":"ml","paused":false,"defaultCpu":null,"jobs":0,
      "byState":{"held":0,"queued":0,"starting":0,"running":0,"stopping":0}
    }
rows
with Idempotency-Key: k
POST /v1/queues {"name":"other"}
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict",
      "detail":"this Idempotency-Key was used before, for another request; take a new key for a new one",
      "traceId":"<trace 1>"
    }
with Idempotency-Key: k
POST /v1/jobs {"command":["a"],"hold":true}
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict",
      "detail":"this Idempotency-Key was used before, for another request; take a new key for a new one",
      "traceId":"<trace 2>"
    }
. POST /v1/tokens {"name":"s","scopes":["submit"],"owner":"ann"}
as <token 1>
with Idempotency-Key: k
POST /v1/jobs {"command":["a"],"hold":true}
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict",
      "detail":"this Idempotency-Key was used before, for another request; take a new key for a new one",
      "traceId":"<trace 3>"
    }

# a header that is wrong is named, and so is an empty one
with Idempotency-Key:
POST /v1/jobs {"command":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this header is empty: give a value, or leave it out",
      "errors":[
        {
          "header":"Idempotency-Key","detail":"this header is empty: give a value, or leave it out",
          "allowed":"1 to 128 visible ASCII characters"
        }
      ],
      "traceId":"<trace 1>"
    }
with Idempotency-Key: a b
POST /v1/jobs {"command":["a"]}
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
with Fairlead-As:
POST /v1/jobs {"command":["a"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this header is empty: give a value, or leave it out",
      "errors":[
        {
          "header":"Fairlead-As","detail":"this header is empty: give a value, or leave it out",
          "allowed":"the name of a person"
        }
      ],
      "traceId":"<trace 3>"
    }
. POST /v1/jobs {"command":["a"]}
with Idempotency-Key:
POST /v1/jobs/job-1:cancel
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this header is empty: give a value, or leave it out",
      "errors":[
        {
          "header":"Idempotency-Key","detail":"this header is empty: give a value, or leave it out",
          "allowed":"1 to 128 visible ASCII characters"
        }
      ],
      "traceId":"<trace 4>"
    }
with If-Match:
PATCH /v1/jobs/job-1 {"priority":1}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this header is empty: give a value, or leave it out",
      "errors":[
        {
          "header":"If-Match","detail":"this header is empty: give a value, or leave it out",
          "allowed":"the ETag of the job, or its revision in double quotes"
        }
      ],
      "traceId":"<trace 5>"
    }
with Idempotency-Key:
only id
GET /v1/jobs?limit=1
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1"}]}
with If-Match: abc
PATCH /v1/jobs/job-1 {"priority":1}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"no list of ETags",
      "errors":[
        {
          "header":"If-Match","detail":"no list of ETags","got":"abc",
          "allowed":"the ETag of the job, or its revision in double quotes"
        }
      ],
      "traceId":"<trace 6>"
    }
with Last-Event-ID: x
GET /v1/events
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not the id of an event",
      "errors":[
        {
          "header":"Last-Event-ID","detail":"not the id of an event","got":"x",
          "allowed":"'id' of an event"
        }
      ],
      "traceId":"<trace 7>"
    }

# a parameter that a route does not take is refused
GET /v1/queues/default?verbose=true
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field in the query",
      "errors":[{"parameter":"verbose","detail":"unknown field in the query","got":"verbose"}],
      "traceId":"<trace 1>"
    }
POST /v1/jobs/job-1:cancel?force=true
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field in the query",
      "errors":[{"parameter":"force","detail":"unknown field in the query","got":"force"}],
      "traceId":"<trace 2>"
    }
GET /v1/whoami?x
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field in the query",
      "errors":[{"parameter":"x","detail":"unknown field in the query","got":"x"}],
      "traceId":"<trace 3>"
    }
GET /v1/jobs/job-1?attempts=3
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field in the query",
      "errors":[{"parameter":"attempts","detail":"unknown field in the query","got":"attempts"}],
      "traceId":"<trace 4>"
    }

# the state of the program, with and without a token
GET /readyz
    200
    {"ready":true}
GET /livez
    200
    | ok
as no token
GET /readyz?verbose=true
    200
    {"ready":true}

# a query is read by its names
GET /v1/jobs?state=
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this field is empty: give a value, or leave it out",
      "errors":[
        {
          "parameter":"state","detail":"this field is empty: give a value, or leave it out",
          "allowed":"string"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/jobs?=1
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"a field of the query has no name",
      "traceId":"<trace 2>"
    }
GET /v1/jobs?name=%00
    400
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Bad Request","status":400,
      "code":"invalid",
      "detail":"query parameter name is not text: it has a zero byte, or bytes that are no UTF-8",
      "traceId":"<trace 3>"
    }
GET /v1/throughput?queue=
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this field is empty: give a value, or leave it out",
      "errors":[
        {
          "parameter":"queue","detail":"this field is empty: give a value, or leave it out",
          "allowed":"string"
        }
      ],
      "traceId":"<trace 4>"
    }
GET /v1/events?topics=jobs,
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown topic",
      "errors":[{"parameter":"topics","detail":"unknown topic","allowed":"jobs, queues, clusters"}],
      "traceId":"<trace 5>"
    }
GET /v1/events?topics=
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this field is empty: give a value, or leave it out",
      "errors":[
        {
          "parameter":"topics","detail":"this field is empty: give a value, or leave it out",
          "allowed":"string"
        }
      ],
      "traceId":"<trace 6>"
    }

# the place of what is wrong is a pointer by RFC 6901, to the item that is wrong
POST /v1/queues {"a/b~c":1}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field",
      "errors":[{"pointer":"/a~1b~0c","detail":"unknown field","got":"a/b~c"}],"traceId":"<trace 1>"
    }
POST /v1/jobs:cancel {"labels":{"team.io/x":null}}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/labels/team.io~1x","detail":"this value is not allowed here","got":"null",
          "allowed":"string"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/jobs/job-1:retry {"elements":[0,"1"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/elements/1","detail":"this value is not allowed here","got":"1",
          "allowed":"integer"
        }
      ],
      "traceId":"<trace 3>"
    }
POST /v1/queues {"name":""}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/name","detail":"this value is not allowed here","got":"an empty string",
          "allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"
        }
      ],
      "traceId":"<trace 4>"
    }
