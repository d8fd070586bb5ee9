Clusters and the tokens with which they join.

# a join token is made for a cluster, and shown once
POST /v1/clusters/east/join-tokens {"ttlSeconds":60}
    201
    {"cluster":"east","id":"<id 1>","token":"<token 1>","expiresAt":"<time>"}
rows
    join_put token=<hash> tenant=1 expires_at=<time> cluster=0 key=00000000 name=east
    audit tenant=1 actor=token:<admin> first-admin body=join_put east peer=<peer>
GET /v1/clusters
    200
    ETag: <etag 1>
    {"clusters":[]}
GET /v1/clusters/east
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 1>"
    }
DELETE /v1/clusters/east/join-tokens/<id 1>
    200
    {"id":"<id 1>"}
rows
    join_drop token=<hash>
    audit tenant=1 actor=token:<admin> first-admin body=join_revoke east peer=<peer>
DELETE /v1/clusters/east/join-tokens/<id 1>
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"this join token is unknown, used or expired","traceId":"<trace 2>"
    }

# the answer names the mistake in a join token
POST /v1/clusters/East/join-tokens
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"not a cluster name",
      "errors":[
        {
          "parameter":"cluster","detail":"not a cluster name","got":"East",
          "allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"
        }
      ],
      "traceId":"<trace 1>"
    }
POST /v1/clusters/east/join-tokens {"ttlSeconds":86401}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/ttlSeconds","detail":"this value is not allowed here","got":"86401",
          "allowed":"integer, 1 to 86400"
        }
      ],
      "traceId":"<trace 2>"
    }
POST /v1/clusters/east/join-tokens {"ttl":1}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"unknown field",
      "errors":[{"pointer":"/ttl","detail":"unknown field","got":"ttl"}],"traceId":"<trace 3>"
    }
as no token
POST /v1/enrol {"token":"x","uid":"u","csr":"c"}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"the join token is wrong, already used or expired; make a new one with 'fairlead cluster join NAME'",
      "traceId":"<trace 4>"
    }
POST /v1/enrol {"token":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","uid":"u","csr":"c"}
    403
    {
      "type":"https://fairlead.dev/docs/reference/api#denied","title":"Forbidden","status":403,
      "code":"denied",
      "detail":"the join token is wrong, already used or expired; make a new one with 'fairlead cluster join NAME'",
      "traceId":"<trace 5>"
    }
POST /v1/enrol {"uid":"u"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this is required",
      "errors":[{"pointer":"/token","detail":"this is required","allowed":"string, 1 to 64 bytes"}],
      "traceId":"<trace 6>"
    }

# every request for an unknown cluster answers absent
GET /v1/clusters/east
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 1>"
    }
GET /v1/clusters/east/nodes
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 2>"
    }
POST /v1/clusters/east:cordon
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 3>"
    }
POST /v1/clusters/east:uncordon
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 4>"
    }
POST /v1/clusters/east:drain {"running":"stop"}
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 5>"
    }
POST /v1/clusters/east:drain {"running":"kill"}
    422
    {
      "type":"https://fairlead.dev/docs/reference/api#invalid","title":"Unprocessable Content",
      "status":422,"code":"invalid","detail":"this value is not allowed here",
      "errors":[
        {
          "pointer":"/running","detail":"this value is not allowed here","got":"kill",
          "allowed":"wait, stop"
        }
      ],
      "traceId":"<trace 6>"
    }
POST /v1/clusters/east:revoke
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 7>"
    }
POST /v1/clusters/east:unlock
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 8>"
    }
DELETE /v1/clusters/east
    404
    {
      "type":"https://fairlead.dev/docs/reference/api#absent","title":"Not Found","status":404,
      "code":"absent","detail":"not found, or this token may not see it","traceId":"<trace 9>"
    }

# a database that is as new as its agents know has nothing to accept
POST /v1/restore:accept
    409
    {
      "type":"https://fairlead.dev/docs/reference/api#conflict","title":"Conflict","status":409,
      "code":"conflict",
      "detail":"there is nothing to accept: no agent has seen a later history than this database's",
      "traceId":"<trace 1>"
    }
rows
