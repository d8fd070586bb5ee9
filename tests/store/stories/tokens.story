Tokens of the API: what each may do, and for how long.

# a token is made, shown to itself, and counts no more once it is revoked
POST /v1/tokens {"name":"r","scopes":["read"],"owner":"ann","ttlSeconds":600}
    201
    {
      "id":"<id 1>","name":"r",
      "scopes":["read"],"queue":null,"maker":"<admin>","owner":"ann","createdAt":"<time>",
      "expiresAt":"<time>","lastUsedAt":null,"rotatedAt":null,"previousUntil":null,
      "token":"<token 1>"
    }
rows
    token_put tenant=1 scopes=1 made_at=<time> expires_at=<time> mac=<hash> id=<id 1> name=r maker=<admin> owner=ann old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=token:<admin> first-admin body=token_put <id 1> scopes=1 name=r peer=<peer>
as <token 1>
only id name scopes queue maker owner
GET /v1/whoami
    200
    ETag: <etag 1>
    {"id":"<id 1>","name":"r","scopes":["read"],"queue":null,"maker":"<admin>","owner":"ann"}
as admin
DELETE /v1/tokens/<id 1>
    200
    {"id":"<id 1>","revoked":1}
rows
    token_drop id=<id 1>
    audit tenant=1 actor=token:<admin> first-admin body=token_revoke <id 1> peer=<peer>
as <token 1>
only id name scopes queue maker owner
GET /v1/whoami
    401
    WWW-Authenticate: Bearer
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Unauthorized","status":401,
      "code":"denied","detail":"a token that counts is needed: Authorization: Bearer fl_...",
      "traceId":"<trace 1>"
    }
as admin
DELETE /v1/tokens/<id 1>
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 2>"
    }

# without a token, or with a wrong one, only the probes are answered
as no token
GET /v1/jobs
    401
    WWW-Authenticate: Bearer
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Unauthorized","status":401,
      "code":"denied","detail":"a token that counts is needed: Authorization: Bearer fl_...",
      "traceId":"<trace 1>"
    }
as fl_wrong
GET /v1/jobs
    401
    WWW-Authenticate: Bearer
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Unauthorized","status":401,
      "code":"denied","detail":"a token that counts is needed: Authorization: Bearer fl_...",
      "traceId":"<trace 2>"
    }
as no token
GET /livez
    200
    | ok
GET /readyz
    200
    {"ready":true}
GET /v1/whoami
    401
    WWW-Authenticate: Bearer
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Unauthorized","status":401,
      "code":"denied","detail":"a token that counts is needed: Authorization: Bearer fl_...",
      "traceId":"<trace 3>"
    }

# a token does what its scopes say
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/tokens {"name":"r","scopes":["read"]}
as <token 1>
only id
GET /v1/jobs/job-1
    200
    ETag: <etag 1>
    {"id":"job-1"}
POST /v1/jobs {"command":["a"]}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied","detail":"this token may not do that; the route needs the scope submit",
      "traceId":"<trace 1>"
    }
POST /v1/jobs/job-1:cancel
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied","detail":"this token may not do that; the route needs the scope cancel",
      "traceId":"<trace 2>"
    }
PATCH /v1/jobs/job-1 {"priority":1}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied","detail":"this token may not do that; the route needs the scope cancel",
      "traceId":"<trace 3>"
    }
POST /v1/queues {"name":"ml"}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"this token may not do that; the route needs the scope admin, for all queues",
      "traceId":"<trace 4>"
    }
POST /v1/tokens {"name":"x","scopes":["read"]}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied","detail":"this token may not do that; the route needs the scope admin",
      "traceId":"<trace 5>"
    }
GET /v1/audit
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"this token may not do that; the route needs the scope admin, for all queues",
      "traceId":"<trace 6>"
    }
POST /v1/restore:accept
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"this token may not do that; the route needs the scope admin, for all queues",
      "traceId":"<trace 7>"
    }

# a token of one queue sees only its queue
. POST /v1/queues {"name":"ml"}
. POST /v1/jobs {"command":["a"],"hold":true}
. POST /v1/jobs {"command":["a"],"hold":true,"queue":"ml"}
. POST /v1/tokens {"name":"m","scopes":["read","submit","cancel"],"queue":"ml"}
as <token 1>
only id queue
GET /v1/jobs
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-2","queue":"ml"}]}
GET /v1/jobs/job-1
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 1>"
    }
POST /v1/jobs/job-1:cancel
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 2>"
    }
only name
GET /v1/queues
    200
    ETag: <etag 2>
    {"queues":[{"name":"ml"}]}
GET /v1/queues/default
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 3>"
    }
GET /v1/jobs?queue=default
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"no queue has this name, or this token may not see it",
      "errors":[
        {
          "parameter":"queue","detail":"no queue has this name, or this token may not see it",
          "got":"default"
        }
      ],
      "traceId":"<trace 4>"
    }
POST /v1/jobs {"command":["a"],"queue":"default"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent",
      "detail":"queue \"default\" does not exist, or not for this token; its queue is \"ml\"",
      "errors":[
        {
          "pointer":"/queue",
          "detail":"queue \"default\" does not exist, or not for this token; its queue is \"ml\"",
          "got":"default"
        }
      ],
      "traceId":"<trace 5>"
    }
POST /v1/jobs {"command":["a"],"after":[{"job":"job-1"}],"hold":true}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"job-1, which it is to run after, does not exist",
      "errors":[
        {
          "pointer":"/after/0/job","detail":"job-1, which it is to run after, does not exist",
          "got":"job-1"
        }
      ],
      "traceId":"<trace 6>"
    }
only id queue
POST /v1/jobs {"command":["a"],"hold":true}
    201
    Location: /v1/jobs/job-3
    {"id":"job-3","queue":"ml"}
POST /v1/jobs:cancel {"state":"open"}
    200
    {"dryRun":false,"matched":2,"changed":2,"failed":0,"more":false}
as admin
only id state
GET /v1/jobs
    200
    ETag: <etag 3>
    {"jobs":[{"id":"job-1","state":"held"}]}

# a secret is replaced, and the one before counts for its grace
. POST /v1/tokens {"name":"turn","scopes":["read"]}
as <token 1>
only id name token rotatedAt previousUntil
POST /v1/tokens/<id 1>:rotate {}
    200
    {"id":"<id 1>","name":"turn","rotatedAt":"<time>","previousUntil":"<time>","token":"<token 2>"}
rows
    token_put tenant=1 scopes=1 made_at=<time> expires_at=<time> mac=<hash> id=<id 1> name=turn maker=<admin> old_mac=<hash> old_until=<time> rotated_at=<time>
    audit tenant=1 actor=token:<id 1> turn body=(41 bytes) peer=<peer>
only name
GET /v1/queues
    200
    ETag: <etag 1>
    {"queues":[{"name":"default"}]}
as <token 2>
only name
GET /v1/queues
    200
    ETag: <etag 1>
    {"queues":[{"name":"default"}]}
only id name token rotatedAt previousUntil
POST /v1/tokens/<id 1>:rotate {"graceSeconds":0}
    200
    {"id":"<id 1>","name":"turn","rotatedAt":"<time>","previousUntil":null,"token":"<token 3>"}
as <token 1>
GET /v1/queues
    401
    WWW-Authenticate: Bearer
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Unauthorized","status":401,
      "code":"denied","detail":"a token that counts is needed: Authorization: Bearer fl_...",
      "traceId":"<trace 1>"
    }
as <token 3>
POST /v1/tokens/<id 1>:rotate {"graceSeconds":604801}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/graceSeconds","detail":"this value is not allowed here","got":"604801",
          "allowed":"integer, 0 to 604800"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/tokens/<admin>:rotate
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied","detail":"a token without the scope admin rotates itself alone",
      "traceId":"<trace 3>"
    }
POST /v1/tokens/zzzzzzzzzzzz:rotate
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied","detail":"a token without the scope admin rotates itself alone",
      "traceId":"<trace 4>"
    }

# no token makes one with more than it has
. POST /v1/queues {"name":"ml"}
. POST /v1/tokens {"name":"boss","scopes":["admin"],"queue":"ml","ttlSeconds":600}
as <token 1>
POST /v1/tokens {"name":"x","scopes":["read"]}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"a token gives away no more than it has itself: its queue is \"ml\", and the scope outlive is given by those that have it",
      "traceId":"<trace 1>"
    }
POST /v1/tokens {"name":"x","scopes":["read"],"queue":"default"}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"a token gives away no more than it has itself: its queue is \"ml\", and the scope outlive is given by those that have it",
      "traceId":"<trace 2>"
    }
POST /v1/tokens {"name":"x","scopes":["outlive"],"queue":"ml"}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"a token gives away no more than it has itself: its queue is \"ml\", and the scope outlive is given by those that have it",
      "traceId":"<trace 3>"
    }
only name scopes queue
POST /v1/tokens {"name":"x","scopes":["read"],"queue":"ml","ttlSeconds":60}
    201
    {"name":"x","scopes":["read"],"queue":"ml"}

# with a token go those that it made, if so wished
. POST /v1/tokens {"name":"parent","scopes":["admin"]}
as <token 1>
. POST /v1/tokens {"name":"child","scopes":["read"]}
as admin
only id name scopes maker revoked
DELETE /v1/tokens/<id 1>?made=true&dryRun=true
    200
    {
      "id":"<id 1>","revoked":2,
      "tokens":[
        {"id":"<id 1>","name":"parent","scopes":["admin"],"maker":"<admin>"},
        {"id":"<id 2>","name":"child","scopes":["read"],"maker":"<id 1>"}
      ]
    }
rows
DELETE /v1/tokens/<id 1>?made=true
    200
    {"id":"<id 1>","revoked":2}
rows
    token_drop id=<id 1>
    audit tenant=1 actor=token:<admin> first-admin body=token_revoke <id 1> peer=<peer>
    token_drop id=<id 2>
    audit tenant=1 actor=token:<admin> first-admin body=(46 bytes) peer=<peer>
as <token 2>
GET /v1/whoami
    401
    WWW-Authenticate: Bearer
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Unauthorized","status":401,
      "code":"denied","detail":"a token that counts is needed: Authorization: Bearer fl_...",
      "traceId":"<trace 1>"
    }

# the answer names the mistake in a token
POST /v1/tokens {}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this is required",
      "errors":[
        {
          "pointer":"/name","detail":"this is required",
          "allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"
        }
      ],
      "traceId":"<trace 1>"
    }
POST /v1/tokens {"name":"x","scopes":[]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/scopes","detail":"this value is not allowed here","got":"an empty list",
          "allowed":"a list of read, submit, cancel, admin, outlive, exec, delegate"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/tokens {"name":"x","scopes":["write"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/scopes/0","detail":"this value is not allowed here","got":"write",
          "allowed":"read, submit, cancel, admin, outlive, exec, delegate"
        }
      ],
      "traceId":"<trace 3>"
    }
POST /v1/tokens {"name":"x","scopes":["read",3]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/scopes/1","detail":"this value is not allowed here","got":"3",
          "allowed":"read, submit, cancel, admin, outlive, exec, delegate"
        }
      ],
      "traceId":"<trace 4>"
    }
POST /v1/tokens {"name":"x","scopes":["read","submit","read"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"each scope at most once",
      "errors":[{"pointer":"/scopes/2","detail":"each scope at most once","got":"read"}],
      "traceId":"<trace 5>"
    }
POST /v1/tokens {"name":"x","scopes":["read"],"queue":"none"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"no queue has this name",
      "errors":[{"pointer":"/queue","detail":"no queue has this name","got":"none"}],
      "traceId":"<trace 6>"
    }
POST /v1/tokens {"name":"x","scopes":["read"],"ttlSeconds":0}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/ttlSeconds","detail":"this value is not allowed here","got":"0",
          "allowed":"integer, 1 to 315360000"
        }
      ],
      "traceId":"<trace 7>"
    }
POST /v1/tokens {"name":"x y","scopes":["read"]}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/name","detail":"this value is not allowed here","got":"x y",
          "allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"
        }
      ],
      "traceId":"<trace 8>"
    }
DELETE /v1/tokens/zzzzzzzzzzzz
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 9>"
    }

# a token with the scope delegate acts for another person, and that person owns the jobs
. POST /v1/tokens {"name":"portal","scopes":["read","submit","delegate"]}
as <token 1>
with Fairlead-As: ann
only id submittedBy
POST /v1/jobs {"command":["a"],"hold":true}
    201
    Location: /v1/jobs/job-1
    {"id":"job-1","submittedBy":"ann"}
rows
    shape_new shape=1 body=(11 bytes)
    spec_new job=0 digest=<hash> body=(82 bytes)
    job_new job=1 tenant=1 queue=1 shape=1 priority=0 elements=1 spec=<hash> retry_of=0 deadline_s=0 retries_max=0 owner=ann is_singleton=0 parallelism=0
    mark_set job=1 kind=1 value=1
    audit tenant=1 actor=token:<id 1> as ann body=submit job-1+1 peer=<peer>
with Fairlead-As: ann
only id
GET /v1/jobs?submittedBy=@me
    200
    ETag: <etag 1>
    {"jobs":[{"id":"job-1"}]}
with Fairlead-As: Ann B
GET /v1/jobs
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this is no owner's name",
      "errors":[
        {
          "header":"Fairlead-As","detail":"this is no owner's name","got":"Ann B",
          "allowed":"a name: a-z, 0-9 and '-', no '-' at an end, at most 63 bytes"
        }
      ],
      "traceId":"<trace 1>"
    }
as admin
. POST /v1/tokens {"name":"r","scopes":["read"]}
as <token 2>
with Fairlead-As: ann
GET /v1/jobs
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"this token may not act for others (Fairlead-As); that needs the scope delegate",
      "traceId":"<trace 2>"
    }
