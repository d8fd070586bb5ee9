Join tokens, certificates and tokens of the API.

# a cluster joins once with a token, and the answer may be asked for again with the same key
. queue ml
join east token=a
    join_put token=61616161 tenant=1 expires_at=3601000 cluster=0 key=00000000 name=east
    audit tenant=1 actor=ann body=join_put east
    answer ok id=3601000
enrol token=a key=k
    cluster_put cluster=1 state=1 session_epoch=0 generation=1 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    join_put token=61616161 tenant=1 expires_at=3601000 cluster=1 key=6b6b6b6b name=east
    audit tenant=1 actor=ann body=enrol east generation=1
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=1
enrol token=a key=k
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=1
enrol token=a key=l
    answer denied: this join token is unknown, used or expired; make another
enrol token=b key=k
    answer denied: this join token is unknown, used or expired; make another
agent east hello generation=1
    cluster_put cluster=1 state=1 session_epoch=1 generation=1 seen=1 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=1
clusters
    answer ok
    | east uid=uid open connected attempts=0 nodes=0/0 cpu=0/0 generation=1

# a join token expires, is revoked, and is never good twice over
join east token=a ttl=10s
    join_put token=61616161 tenant=1 expires_at=11000 cluster=0 key=00000000 name=east
    audit tenant=1 actor=ann body=join_put east
    answer ok id=11000
join east token=a
    answer exists: this join token is there already
join west token=b ttl=25h
    answer invalid: a join token lives for longer than nothing, and for 24 hours at most
join west token=b
    join_put token=62626262 tenant=1 expires_at=3601000 cluster=0 key=00000000 name=west
    audit tenant=1 actor=ann body=join_put west
    answer ok id=3601000
unjoin token=b
    join_drop token=62626262
    audit tenant=1 actor=ann body=join_revoke west
    answer ok
unjoin token=b
    answer absent: this join token is unknown, used or expired
join Bad_Name token=c
    answer invalid: a cluster's name is 1 to 63 characters: a-z, 0-9 and '-', no '-' at an end
tick 20s
  11.000s
    join_drop token=61616161
enrol token=a key=k
    answer denied: this join token is unknown, used or expired; make another

# a cluster joins again under its name only when it is the same one
. join east token=a
. enrol token=a key=k uid=one
. join east token=b
enrol token=b key=l uid=two
    answer exists: a cluster of this name, but with another uid, is there already; remove it first, or take another name
enrol token=b key=l uid=one
    cluster_put cluster=1 state=1 session_epoch=0 generation=2 key=6c6c6c6c name=east uid=one uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    join_put token=62626262 tenant=1 expires_at=3601000 cluster=1 key=6c6c6c6c name=east
    audit tenant=1 actor=ann body=enrol east generation=2
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=2
clusters
    answer ok
    | east uid=one open attempts=0 nodes=0/0 cpu=0/0 generation=2

# one agent joins under one name only
. join east token=a
. enrol token=a key=k uid=one
. join third token=b
enrol token=b key=l uid=one
    answer exists: an agent of this uid is enrolled already, under another name; remove that cluster first, or give this agent a cluster_uid of its own
. forget east
enrol token=b key=l uid=one
    cluster_put cluster=2 state=1 session_epoch=0 generation=1 key=6c6c6c6c name=third uid=one uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    join_put token=62626262 tenant=1 expires_at=3601000 cluster=2 key=6c6c6c6c name=third
    audit tenant=1 actor=ann body=enrol third generation=1
    answer ok id=2 third 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=1

# a certificate is renewed, and a lost answer comes again with the same key
. join east token=a
. enrol token=a key=k
agent east hello generation=1
    cluster_put cluster=1 state=1 session_epoch=1 generation=1 seen=1 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=1
renew east generation=1 key=l
    cluster_put cluster=1 state=1 session_epoch=1 generation=2 seen=1 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=1 actor=ann body=renew east generation=2
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=2
renew east generation=1 key=l
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=2
agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=2 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=2
renew east generation=2 key=m
    cluster_put cluster=1 state=1 session_epoch=2 generation=3 seen=2 key=6d6d6d6d name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=1 actor=ann body=renew east generation=3
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=3
reload
renew east generation=2 key=m
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=3
agent east hello generation=3
    cluster_put cluster=1 state=1 session_epoch=3 generation=3 seen=3 key=6d6d6d6d name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=3

# an old generation that is renewed locks its cluster until a person has looked
. queue ml
. join east token=a
. enrol token=a key=k
. agent east up generation=1 n1 cpu=8
. renew east generation=1 key=l
renew east generation=1 key=x
    cluster_put cluster=1 state=1 access=1 session_epoch=1 generation=2 seen=1 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=1 actor=ann body=(42 bytes)
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
    answer denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
renew east generation=2 key=y
    answer denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
agent east hello generation=2
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
reload
agent east hello generation=2
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
unlock east
    cluster_put cluster=1 state=1 session_epoch=1 generation=2 seen=1 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=1 actor=ann body=cluster_unlock east
    answer ok id=1
unlock east
    answer ok id=1
agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=2 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=2

# an old certificate that comes once a newer one was used locks its cluster, too
. join east token=a
. enrol token=a key=k
. agent east hello generation=1
. renew east generation=1 key=l
agent east hello generation=1
    cluster_put cluster=1 state=1 session_epoch=2 generation=2 seen=1 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=2
agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=3 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=3
60s agent east hello generation=1
    cluster_put cluster=1 state=1 access=1 session_epoch=3 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=0 actor=agent body=(42 bytes)
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
agent east hello generation=1
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
agent east hello generation=2
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
reload
agent east hello generation=2
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
unlock east
    cluster_put cluster=1 state=1 session_epoch=3 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=1 actor=ann body=cluster_unlock east
    answer ok id=1
agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=4 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=4
70s agent east hello generation=1
    cluster_put cluster=1 state=1 access=1 session_epoch=4 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=0 actor=agent body=(42 bytes)
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it

# a HELLO that is older than the use of the newer certificate was only late
. join east token=a
. enrol token=a key=k
. agent east hello generation=1
. renew east generation=1 key=l
60s agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=2 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=2
70s agent east hello generation=1 age=10000
    east <- bye denied: this certificate was replaced by a newer one
agent east hello generation=1 age=60000
    east <- bye denied: this certificate was replaced by a newer one
agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=3 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=3
80s agent east hello resync generation=2
    cluster_put cluster=1 state=1 session_epoch=4 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- resync session=4
reload
90s agent east hello generation=1 age=40000
    east <- bye denied: this certificate was replaced by a newer one
agent east hello generation=1 age=5000
    cluster_put cluster=1 state=1 access=1 session_epoch=4 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=0 actor=agent body=(42 bytes)
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it

# a restored database learns of later generations from who has them
. join east token=a
. enrol token=a key=k
agent east hello generation=7
    cluster_put cluster=1 state=1 session_epoch=1 generation=7 seen=7 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=1
renew east generation=7 key=l
    cluster_put cluster=1 state=1 session_epoch=1 generation=8 seen=7 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=1 actor=ann body=renew east generation=8
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=8

# a revoked cluster is cut off at once, its work goes on, and it may join again
. queue ml
. join east token=a
. enrol token=a key=k
. agent east up generation=1 n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
revoke east
    cluster_put cluster=1 state=1 access=2 session_epoch=1 generation=1 seen=1 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=1 actor=ann body=cluster_revoke east
    east <- bye denied: this cluster's certificates were revoked; join it again
    answer ok id=1
revoke east
    answer ok id=1
unlock east
    answer conflict: its certificates were revoked; make a join token and let it join again
agent east hello generation=1
    east <- bye denied: this cluster's certificates were revoked; join it again
renew east generation=1 key=l
    answer denied: this cluster's certificates were revoked; join it again
. join east token=b
enrol token=b key=m
    cluster_put cluster=1 state=1 session_epoch=1 generation=2 seen=1 key=6d6d6d6d name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    join_put token=62626262 tenant=1 expires_at=3601000 cluster=1 key=6d6d6d6d name=east
    audit tenant=1 actor=ann body=enrol east generation=2
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=2
agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=2 generation=2 seen=2 key=6d6d6d6d name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=2
agent east inventory 1/0#1 r0 running end
read 1
    answer ok
    | job-1 running on east attempt=1

# a locked cluster comes back by a new join token, with its work
. queue ml
. join east token=a
. enrol token=a key=k
. agent east up generation=1 n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
. renew east generation=1 key=l
. agent east lost
. agent east hello generation=2
70s agent east hello generation=1
    cluster_put cluster=1 state=1 access=1 session_epoch=2 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=0 actor=agent body=(42 bytes)
    cluster_phase cluster=1 phase=0
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
    east <- bye denied: this cluster is locked, since an old certificate of it came back; 'fairlead cluster unlock NAME' or a new join token opens it
. join east token=b
enrol token=b key=m
    cluster_put cluster=1 state=1 session_epoch=2 generation=3 seen=2 key=6d6d6d6d name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    join_put token=62626262 tenant=1 expires_at=3670000 cluster=1 key=6d6d6d6d name=east
    audit tenant=1 actor=ann body=enrol east generation=3
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=3
enrol token=b key=m
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=3
agent east hello generation=3
    cluster_put cluster=1 state=1 session_epoch=3 generation=3 seen=3 key=6d6d6d6d name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=3
agent east inventory 1/0#1 r0 running end
    cluster_phase cluster=1 phase=1
read 1
    answer ok
    | job-1 running on east attempt=1

# tokens are made, listed by their rows, revoked, and go when they expire
token t1 name=ci queue=ml scopes=3 ttl=60s
    token_put tenant=1 scopes=3 made_at=1000 expires_at=61000 mac=6d6d6d6d id=t1 name=ci queue=ml old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put t1 scopes=3 queue=ml name=ci
    answer ok id=61000
token t1
    answer exists: token t1 is there already
token t2 scopes=0
    answer invalid: a token has some of the scopes read, submit, cancel, exec and admin
token t2 scopes=15
    token_put tenant=1 scopes=15 made_at=1000 expires_at=0 mac=6d6d6d6d id=t2 old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put t2 scopes=15
    answer ok
untoken t2
    token_drop id=t2
    audit tenant=1 actor=ann body=token_revoke t2
    answer ok id=1
untoken t2
    answer absent: no token has this id
tick 90s
  61.000s
    token_drop id=t1
untoken t1
    answer absent: no token has this id

# an expired certificate comes back for seven days if it is the newest, and locks nothing if it is not
. queue ml
. join east token=a
. enrol token=a key=k
. agent east up generation=1 n1 cpu=8
. submit ml cpu=1
. agent east reports 1/0#1 r0 running
. agent east lost
agent east hello generation=1 expired=604800000
    cluster_put cluster=1 state=1 session_epoch=2 generation=1 seen=1 key=6b6b6b6b name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=2
agent east inventory 1/0#1 r0 running, end
renew east generation=1 key=l
    cluster_put cluster=1 state=1 session_epoch=2 generation=2 seen=1 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    audit tenant=1 actor=ann body=renew east generation=2
    answer ok id=1 east 0e984725-c51c-4bf4-9960-e1c80e27aba0 generation=2
agent east lost
agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=3 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=3
agent east lost
agent east hello generation=1 expired=1000
    east <- bye denied: this certificate has expired, and was replaced by a newer one
agent east hello generation=2 expired=604800001
    east <- bye denied: the certificate of cluster east expired 168 h ago; until 168 h it comes back by itself, now 'fairlead cluster join east' makes a token that lets it in again
agent east hello generation=2 expired=100
    cluster_put cluster=1 state=1 session_epoch=4 generation=2 seen=2 key=6c6c6c6c name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=4

# an expired certificate of a revoked or locked cluster is refused like any other
. queue ml
. join east token=a
. enrol token=a key=k
. agent east up generation=1 n1 cpu=8
. revoke east
agent east hello generation=1 expired=1000
    east <- bye denied: this cluster's certificates were revoked; join it again
. join east token=b
. enrol token=b key=m
agent east hello generation=2
    cluster_put cluster=1 state=1 session_epoch=2 generation=2 seen=2 key=6d6d6d6d name=east uid=uid uuid=0e984725-c51c-4bf4-9960-e1c80e27aba0
    east <- welcome session=2

# no token exceeds the token that made it, nor outlives it without the scope outlive
token boss queue=ml scopes=15 ttl=60s
    token_put tenant=1 scopes=15 made_at=1000 expires_at=61000 mac=6d6d6d6d id=boss queue=ml old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put boss scopes=15 queue=ml
    answer ok id=61000
token free maker=boss scopes=1
    answer denied: the token that makes it counts no more, or has fewer rights
token all queue=ml maker=boss scopes=31
    answer denied: the token that makes it counts no more, or has fewer rights
token orphan maker=stranger scopes=1
    answer denied: the token that makes it counts no more, or has fewer rights
token child queue=ml maker=boss owner=ann scopes=15
    token_put tenant=1 scopes=15 made_at=1000 expires_at=61000 mac=6d6d6d6d id=child queue=ml maker=boss owner=ann old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put child scopes=15 queue=ml
    answer ok id=61000
token elder scopes=31 ttl=60s
    token_put tenant=1 scopes=31 made_at=1000 expires_at=61000 mac=6d6d6d6d id=elder old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put elder scopes=31
    answer ok id=61000
token heir maker=elder scopes=8
    token_put tenant=1 scopes=8 made_at=1000 expires_at=0 mac=6d6d6d6d id=heir maker=elder old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put heir scopes=8
    answer ok

# a revocation takes the tokens that a token made, to the last generation, when the caller asks for it
token a scopes=31
    token_put tenant=1 scopes=31 made_at=1000 expires_at=0 mac=6d6d6d6d id=a old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put a scopes=31
    answer ok
token b maker=a scopes=8
    token_put tenant=1 scopes=8 made_at=1000 expires_at=0 mac=6d6d6d6d id=b maker=a old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put b scopes=8
    answer ok
token c maker=b scopes=8
    token_put tenant=1 scopes=8 made_at=1000 expires_at=0 mac=6d6d6d6d id=c maker=b old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put c scopes=8
    answer ok
token d maker=c scopes=1
    token_put tenant=1 scopes=1 made_at=1000 expires_at=0 mac=6d6d6d6d id=d maker=c old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put d scopes=1
    answer ok
token e maker=a scopes=1
    token_put tenant=1 scopes=1 made_at=1000 expires_at=0 mac=6d6d6d6d id=e maker=a old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put e scopes=1
    answer ok
token x scopes=1
    token_put tenant=1 scopes=1 made_at=1000 expires_at=0 mac=6d6d6d6d id=x old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put x scopes=1
    answer ok
untoken b made
    token_drop id=b
    audit tenant=1 actor=ann body=token_revoke b
    token_drop id=c
    audit tenant=1 actor=ann body=token_revoke c made_by=b
    token_drop id=d
    audit tenant=1 actor=ann body=token_revoke d made_by=b
    answer ok id=3
untoken d
    answer absent: no token has this id
untoken e
    token_drop id=e
    audit tenant=1 actor=ann body=token_revoke e
    answer ok id=1
untoken a made
    token_drop id=a
    audit tenant=1 actor=ann body=token_revoke a
    answer ok id=1
untoken x
    token_drop id=x
    audit tenant=1 actor=ann body=token_revoke x
    answer ok id=1

# a token gets a new secret: it asks itself, and its old one counts for a while, or another that could have made it
token boss scopes=15
    token_put tenant=1 scopes=15 made_at=1000 expires_at=0 mac=6d6d6d6d id=boss old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put boss scopes=15
    answer ok
token ci queue=ml maker=boss scopes=3 ttl=60s
    token_put tenant=1 scopes=3 made_at=1000 expires_at=61000 mac=6d6d6d6d id=ci queue=ml maker=boss old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put ci scopes=3 queue=ml
    answer ok id=61000
token peer queue=ml scopes=8 ttl=30s
    token_put tenant=1 scopes=8 made_at=1000 expires_at=31000 mac=6d6d6d6d id=peer queue=ml old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put peer scopes=8 queue=ml
    answer ok id=31000
token low scopes=1
    token_put tenant=1 scopes=1 made_at=1000 expires_at=0 mac=6d6d6d6d id=low old_mac=00000000 old_until=0 rotated_at=0
    audit tenant=1 actor=ann body=token_put low scopes=1
    answer ok
retoken ci to=n by=ci with=x
    answer denied: the secret that asks counts no more
retoken ci to=n by=ci with=m grace=10s
    token_put tenant=1 scopes=3 made_at=1000 expires_at=61000 mac=6e6e6e6e id=ci queue=ml maker=boss old_mac=6d6d6d6d old_until=11000 rotated_at=1000
    audit tenant=1 actor=ann body=token_rotate ci grace_ms=10000
    answer ok id=61000
5s retoken ci to=o by=ci with=m grace=10s
    token_put tenant=1 scopes=3 made_at=1000 expires_at=61000 mac=6f6f6f6f id=ci queue=ml maker=boss old_mac=6d6d6d6d old_until=11000 rotated_at=5000
    audit tenant=1 actor=ann body=token_rotate ci grace_ms=10000
    answer ok id=61000
retoken ci to=p by=ci with=n
    answer denied: the secret that asks counts no more
6s retoken ci to=q by=ci with=o grace=10s
    token_put tenant=1 scopes=3 made_at=1000 expires_at=61000 mac=71717171 id=ci queue=ml maker=boss old_mac=6f6f6f6f old_until=16000 rotated_at=6000
    audit tenant=1 actor=ann body=token_rotate ci grace_ms=10000
    answer ok id=61000
retoken ci to=q by=ci with=o
    token_put tenant=1 scopes=3 made_at=1000 expires_at=61000 mac=71717171 id=ci queue=ml maker=boss old_mac=00000000 old_until=0 rotated_at=6000
    audit tenant=1 actor=ann body=token_rotate ci grace_ms=0
    answer ok id=61000
12s retoken ci to=r by=ci with=m
    answer denied: the secret that asks counts no more
retoken ci to=r by=ci with=q ttl=120s
    token_put tenant=1 scopes=3 made_at=1000 expires_at=61000 mac=72727272 id=ci queue=ml maker=boss old_mac=00000000 old_until=0 rotated_at=12000
    audit tenant=1 actor=ann body=token_rotate ci grace_ms=0
    answer ok id=61000
retoken ci to=s by=low
    answer denied: the token that asks counts no more, or could not have made this one
retoken ci to=s by=stranger
    answer denied: the token that asks counts no more, or could not have made this one
retoken ci to=s by=peer
    token_put tenant=1 scopes=3 made_at=1000 expires_at=31000 mac=73737373 id=ci queue=ml maker=boss old_mac=00000000 old_until=0 rotated_at=12000
    audit tenant=1 actor=ann body=token_rotate ci grace_ms=0
    answer ok id=31000
retoken boss to=t by=peer
    answer denied: the token that asks counts no more, or could not have made this one
retoken ci to=u by=boss grace=604801s
    answer invalid: an old secret counts for 7 days beside the new one, at most
retoken ci to=u by=boss ttl=3600s
    token_put tenant=1 scopes=3 made_at=1000 expires_at=3612000 mac=75757575 id=ci queue=ml maker=boss old_mac=00000000 old_until=0 rotated_at=12000
    audit tenant=1 actor=ann body=token_rotate ci grace_ms=0
    answer ok id=3612000
retoken stranger to=v by=boss
    answer absent: no token has this id
tick 3700s
  31.000s
    token_drop id=peer
  3612.000s
    token_drop id=ci
retoken ci to=w by=boss
    answer absent: no token has this id

# a refusal has a row, and those without one have their number
denied createToken from=10.0.0.9:7 trace=4bf92f3577b34da6
    audit tenant=1 actor=ann body=createToken outcome=denied peer=10.0.0.9:7 trace=4bf92f3577b34da6
    answer ok
denied unwritten=812
    audit tenant=1 actor=ann body=denials_unwritten 812
    answer ok

# a visit has a row when it begins and one when it ends
visit exec from=10.0.0.9:7
    audit tenant=1 actor=ann body=exec peer=10.0.0.9:7
    answer ok
5s visit end_exec from=10.0.0.9:7
    audit tenant=1 actor=ann body=end_exec peer=10.0.0.9:7
    answer ok
