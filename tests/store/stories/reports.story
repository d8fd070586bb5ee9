Audit, usage and throughput.

# the audit says who did what, and who was refused what
. POST /v1/queues {"name":"ml"}
. POST /v1/tokens {"name":"r","scopes":["read"],"owner":"ann"}
as <token 1>
POST /v1/queues {"name":"mine"}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"this token may not do that; the route needs the scope admin, for all queues",
      "traceId":"<trace 1>"
    }
as admin
. POST /v1/queues {"name":"later"}
only actor what action object outcome peer traceId
GET /v1/audit
    200
    ETag: <etag 1>
    {
      "audit":[
        {
          "actor":"token:<admin> first-admin","what":"queue_put later","action":"queue_put",
          "object":"later","outcome":"done","peer":"<peer>"
        },
        {
          "actor":"token:<id 1> r","what":"createQueue /v1/queues","action":"createQueue",
          "object":"/v1/queues","outcome":"denied","peer":"<peer>","traceId":"<trace 1>"
        },
        {
          "actor":"token:<admin> first-admin","what":"token_put <id 1> scopes=1 name=r",
          "action":"token_put","object":"<id 1>","outcome":"done","peer":"<peer>"
        },
        {
          "actor":"token:<admin> first-admin","what":"queue_put ml","action":"queue_put",
          "object":"ml","outcome":"done","peer":"<peer>"
        },
        {
          "actor":"fairleadd","what":"token_put <admin> scopes=24 name=first-admin",
          "action":"token_put","object":"<admin>","outcome":"done"
        },
        {
          "actor":"fairleadd","what":"queue_put default","action":"queue_put","object":"default",
          "outcome":"done"
        }
      ]
    }

# the audit is filtered, and goes on page by page
. POST /v1/queues {"name":"a"}
. POST /v1/queues {"name":"b"}
only what
GET /v1/audit?action=queue_put
    200
    ETag: <etag 1>
    {"audit":[{"what":"queue_put b"},{"what":"queue_put a"},{"what":"queue_put default"}]}
only what
GET /v1/audit?object=b
    200
    ETag: <etag 2>
    {"audit":[{"what":"queue_put b"}]}
only what
GET /v1/audit?subject=fairleadd
    200
    ETag: <etag 3>
    {"audit":[{"what":"token_put <admin> scopes=24 name=first-admin"},{"what":"queue_put default"}]}
only what
GET /v1/audit?limit=1
    200
    ETag: <etag 4>
    {"audit":[{"what":"queue_put b"}]}
GET /v1/audit?outcome=wrong
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"outcome","detail":"this value is not allowed here","got":"wrong",
          "allowed":"done, unauthenticated, denied, hidden"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/audit?since=yesterday
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a time",
      "errors":[{"parameter":"since","detail":"not a time","got":"yesterday","allowed":"<time>"}],
      "traceId":"<trace 2>"
    }
GET /v1/audit?cursor=x
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a cursor of the audit",
      "errors":[
        {
          "parameter":"cursor","detail":"not a cursor of the audit","got":"x",
          "allowed":"'cursor' of the page before"
        }
      ],
      "traceId":"<trace 3>"
    }
only what
GET /v1/audit?until=2020-01-01T00:00:00Z
    200
    ETag: <etag 5>
    {}

# usage before anything ran
only since until hasMore usage
GET /v1/usage?by=&since=2026-01-01&until=2026-01-02
    200
    ETag: <etag 1>
    {"since":"2026-01-01","until":"2026-01-02","hasMore":false,"usage":[]}
only usage
GET /v1/usage?by=day,queue,label:team&since=2026-01-01&until=2026-01-02
    200
    ETag: <etag 1>
    {"usage":[]}
GET /v1/usage?by=week
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"nothing to add up by",
      "errors":[
        {
          "parameter":"by","detail":"nothing to add up by","got":"week",
          "allowed":"day, queue, submittedBy, and one label as label:KEY, separated by commas"
        }
      ],
      "traceId":"<trace 1>"
    }
only since until usage
GET /v1/usage?until=2020-01-31
    200
    ETag: <etag 2>
    {"since":"2020-01-02","until":"2020-01-31","usage":[]}
GET /v1/usage?since=today
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a day",
      "errors":[
        {
          "parameter":"since","detail":"not a day","got":"today",
          "allowed":"a day of UTC, as 2026-01-31"
        }
      ],
      "traceId":"<trace 2>"
    }
GET /v1/usage?since=2026-01-02&until=2026-01-01
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"behind 'until'",
      "errors":[
        {
          "parameter":"since","detail":"behind 'until'","got":"2026-01-02",
          "allowed":"a day up to 'until', which is today unless it is given"
        }
      ],
      "traceId":"<trace 3>"
    }
GET /v1/usage?queue=none
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"no queue has this name, or this token may not see it",
      "errors":[
        {
          "parameter":"queue","detail":"no queue has this name, or this token may not see it",
          "got":"none"
        }
      ],
      "traceId":"<trace 4>"
    }
GET /v1/usage?label=team
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a label that can be searched for",
      "errors":[
        {
          "parameter":"label","detail":"not a label that can be searched for","got":"team",
          "allowed":"key=value"
        }
      ],
      "traceId":"<trace 5>"
    }

# throughput of a day, by the day, and what is no step
only since until step total at submitted
GET /v1/throughput?step=day&since=2026-01-01&until=2026-01-02
    200
    ETag: <etag 1>
    {
      "since":"<time>","until":"<time>","step":"day",
      "total":{
        "submitted":0,"started":0,"succeeded":0,"failed":0,"cancelled":0,
        "waits":{"count":0,"p50Millis":null,"p95Millis":null,"maxMillis":null},
        "runs":{"count":0,"p50Millis":null,"p95Millis":null,"maxMillis":null}
      },
      "steps":[{"at":"<time>","submitted":0},{"at":"<time>","submitted":0}]
    }
GET /v1/throughput?step=week
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "parameter":"step","detail":"this value is not allowed here","got":"week",
          "allowed":"hour, day"
        }
      ],
      "traceId":"<trace 1>"
    }
GET /v1/throughput?since=2026-01-02&until=2026-01-01
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not before 'until'",
      "errors":[
        {
          "parameter":"since","detail":"not before 'until'","got":"2026-01-02",
          "allowed":"a time before 'until', which is now unless it is given"
        }
      ],
      "traceId":"<trace 2>"
    }
GET /v1/throughput?queue=none
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Unprocessable Content",
      "status":422,"code":"absent","detail":"no queue has this name, or this token may not see it",
      "errors":[
        {
          "parameter":"queue","detail":"no queue has this name, or this token may not see it",
          "got":"none"
        }
      ],
      "traceId":"<trace 3>"
    }
GET /v1/throughput?since=soon
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a time",
      "errors":[
        {
          "parameter":"since","detail":"not a time","got":"soon",
          "allowed":"a time, as <time>, or a day of UTC, as 2026-01-31"
        }
      ],
      "traceId":"<trace 4>"
    }
