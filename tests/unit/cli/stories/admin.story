Queues, tokens and clusters.

# a queue is made, changed, paused and removed
fairlead queue create ml --paused --default-cpu 500m
< 201 {"name":"ml","paused":true}
    POST /v1/queues {"paused":true,"defaultCpu":"500m","name":"ml"}
    ! queue ml is there, paused
fairlead queue edit ml --default-cpu preset
< 200 {"name":"ml"}
    PATCH /v1/queues/ml {"defaultCpu":null}
    ! queue ml is changed
fairlead queue edit ml
    ! fairlead: say what to change: --default-cpu CPUS
    exit 64
fairlead queue pause ml
< 200 {"name":"ml","paused":true}
    POST /v1/queues/ml:pause
    ! ml is paused: nothing more of it starts
fairlead queue rm ml
< 409 {"detail":"3 jobs of queue ml have not ended; cancel them or wait for their end"}
    DELETE /v1/queues/ml
    ! fairlead: ml: 3 jobs of queue ml have not ended; cancel them or wait for their end
    exit 1
fairlead queue rm
    ! fairlead: usage: fairlead queue rm NAME
    exit 64
fairlead queue create Ml
< 422 {"detail":"this value is not allowed here","errors":[{"pointer":"/name","detail":"this value is not allowed here","got":"Ml","allowed":"1 to 63 characters: a-z, 0-9 and '-', no '-' at an end"}]}
    POST /v1/queues {"name":"Ml"}
    ! fairlead: this value is not allowed here
    !   /name: this value is not allowed here (got Ml) (allowed: 1 to 63 characters: a-z, 0-9 and '-', no '-' at an end)
    exit 65

# a token is made with its rights, and shown once
fairlead token create ci --scope read --scope submit --token-queue ml --ttl 30d --owner ann
< 201 {"id":"abc","token":"fl_secret","expiresAt":"2026-05-01T10:00:00.000Z"}
    POST /v1/tokens {"name":"ci","scopes":["read","submit"],"queue":"ml","owner":"ann","ttlSeconds":2592000}
    | fl_secret
    ! token abc, good until 2026-05-01 10:00:00 UTC; it is not shown again
fairlead token create ci --ttl soon
    ! fairlead: --ttl soon: wants a time, as 90s, 30m, 2h or 1h30m
    exit 64
fairlead token create ci --scope write
< 422 {"detail":"this value is not allowed here","errors":[{"pointer":"/scopes","detail":"this value is not allowed here","got":"a list","allowed":"a list of read, submit"}]}
    POST /v1/tokens {"name":"ci","scopes":["write"]}
    ! fairlead: --scope write: wants a list of read, submit
    exit 65

# a token that is revoked names those that it made
fairlead token revoke abc
< 200 {"tokens":[{"id":"abc","name":"ci"}]}
< 200 {"id":"abc","revoked":3}
< 200 {"id":"abc","revoked":1}
    GET /v1/tokens
    DELETE /v1/tokens/abc?made=true&dryRun=true
    DELETE /v1/tokens/abc
    ! abc is revoked; 2 made by it still count: 'fairlead token ls' shows them
fairlead token revoke abc --with-made
< 200 {"tokens":[{"id":"abc","name":"ci"}]}
< 200 {"id":"abc","revoked":3}
< 200 {"id":"abc","revoked":3}
    GET /v1/tokens
    DELETE /v1/tokens/abc?made=true&dryRun=true
    DELETE /v1/tokens/abc?made=true
    ! abc is revoked, and 2 made by it

# a cluster is cordoned and drained
fairlead cluster cordon east --reason 'new disks'
< 200 {"name":"east"}
    POST /v1/clusters/east:cordon {"reason":"new disks"}
    ! east takes no new work
fairlead cluster drain east --detach --stop-jobs
< 200 {"name":"east"}
    POST /v1/clusters/east:drain {"running":"stop"}
    ! east is draining: it takes no new work
fairlead cluster uncordon east
< 409 {"detail":"it is being drained; wait until what is stopped there has ended"}
    POST /v1/clusters/east:uncordon
    ! fairlead: east: it is being drained; wait until what is stopped there has ended
    exit 1
fairlead cluster cordon west
< 404 {"detail":"not found, or this token may not see it"}
    POST /v1/clusters/west:cordon {}
    ! fairlead: west: not found, or this token may not see it
    exit 1
