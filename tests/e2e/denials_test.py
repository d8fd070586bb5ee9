"""Refusals are in the audit: the actor, its address, the request and the object.  A minute has a limited number of rows, and a
count of the rest.  And the revocation of a token revokes the tokens that it made, if the caller asks for that."""
import http.client
import json
import os
import subprocess

import fleet
import hub
from fleet import equal, shows, until

ROWS_MAX = 30  # a minute
FLOOD = 300
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
WRONG = "A" * 43


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def main():
    metrics = hub.free_port()
    with hub.Hub({"audit_denials": ROWS_MAX, "metrics_listen": f"127.0.0.1:{metrics}"}) as h:
        def counted():
            """By the metric: refusals with a row, and without."""
            scrape = http.client.HTTPConnection("127.0.0.1", metrics, timeout=30)
            scrape.request("GET", "/metrics", headers=bearer(h.token))
            text = scrape.getresponse().read().decode()
            scrape.close()
            found = {line.split()[0]: int(float(line.split()[1])) for line in text.splitlines() if line.startswith("fairlead_http_denials_total{")}
            return tuple(found.get('fairlead_http_denials_total{audit="%s"}' % word, 0) for word in ("row", "count"))

        sent = sum(counted())  # before it was ready

        def make(name, scopes, maker=None, **more):
            body = {"name": name, "scopes": scopes, **more}
            status, _, answer = h.ask("POST", "/v1/tokens", body, bearer(maker) if maker else None)
            return json.loads(answer) if status == 201 else status

        def refused(status, method, path, body=None, headers=None):
            nonlocal sent
            got, _, answer = h.ask(method, path, body, headers)
            equal(got, status, answer)
            sent += 1
            return json.loads(answer)

        def audit(query=""):
            rows, cursor = [], ""
            while True:
                page = h.api("GET", f"/v1/audit?limit=1000&cursor={cursor}{query}")
                rows += page["audit"]
                cursor = page.get("cursor", "")
                if not cursor:
                    return rows

        def row(**fits):
            return until(f"a row with {fits}", lambda: next((r for r in audit() if all(r.get(k) == v for k, v in fits.items())), None), 30)

        h.api("POST", "/v1/queues", {"name": "ml"})
        h.api("POST", "/v1/queues", {"name": "web"})
        reader = make("reader", ["read"])
        stranger = {"Authorization": ""}
        with shows("no token, a wrong secret and a revoked token are refused, and each has its row"):
            refused(401, "GET", "/v1/jobs", headers={**stranger, "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
            found = row(actor="stranger", action="listJobs")
            equal((found["object"], found["outcome"], found["traceId"]), ("/v1/jobs", "unauthenticated", TRACE))
            assert found["peer"].startswith("127.0.0.1:"), found
            gone = make("gone", ["read"])
            h.api("DELETE", f"/v1/tokens/{gone['id']}")
            refused(401, "GET", "/v1/queues", headers=bearer(gone["token"]))
            equal(row(actor=f"unproved:{gone['id']}", action="listQueues")["outcome"], "unauthenticated")
        with shows("a wrong scope names the token; an unknown path is refused to a stranger, too"):
            refused(403, "POST", "/v1/queues", {"name": "x"}, bearer(reader["token"]))
            equal(row(actor=f"token:{reader['id']} reader", action="createQueue")["outcome"], "denied")
            refused(401, "GET", "/v1/nothing", headers=stranger)
            row(actor="stranger", action="GET", object="/v1/nothing")
        with shows("another queue's object is absent to its caller, and a row says that it was asked for"):
            web = make("web", ["read", "submit"], queue="web")
            job = h.api("POST", "/v1/jobs", {"command": ["true"], "queue": "ml", "hold": True})["id"]
            refused(404, "GET", f"/v1/jobs/{job}", headers=bearer(web["token"]))
            equal(row(actor=f"token:{web['id']} web", action="getJob", object=f"/v1/jobs/{job}")["outcome"], "hidden")
            refused(404, "GET", "/v1/queues/ml", headers=bearer(web["token"]))
            row(action="getQueue", object="/v1/queues/ml", outcome="hidden")
        with shows("a refused enrolment has a row; its token is asked for before the signature of its request"):
            refused(403, "POST", "/v1/enrol", {"token": WRONG, "uid": "u", "csr": "no"}, stranger)
            row(actor="stranger", action="enrol", outcome="denied")
        with shows("a deed has its address, and the trace that it brought"):
            found = row(action="queue_put", object="ml")
            equal(found["outcome"], "done")
            assert found["peer"].startswith("127.0.0.1:") and "traceId" not in found, found  # its answer told of none
            status, _, _ = h.ask("POST", "/v1/queues", {"name": "traced"}, {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
            equal((status, row(action="queue_put", object="traced")["traceId"]), (201, TRACE))
        with shows("the audit is read by subject, action, object, outcome and time, in pages"):
            equal({r["actor"] for r in audit(f"&subject={reader['id']}")}, {f"token:{reader['id']} reader"})
            equal({r["action"] for r in audit("&action=queue_put")}, {"queue_put"})
            equal({r["object"] for r in audit("&object=ml")}, {"ml"})
            equal({r["outcome"] for r in audit("&outcome=hidden")}, {"hidden"})
            equal(len(audit("&outcome=hidden")), 2)
            every = audit()
            middle = every[len(every) // 2]["at"]
            equal([r["id"] for r in audit(f"&since={middle}")], [r["id"] for r in every if r["at"] >= middle])
            equal([r["id"] for r in audit(f"&until={middle}")], [r["id"] for r in every if r["at"] < middle])
            paged, cursor = [], ""
            while True:
                page = h.api("GET", f"/v1/audit?limit=1&outcome=hidden&cursor={cursor}")
                paged += page["audit"]
                cursor = page.get("cursor", "")
                if not cursor:
                    break
            equal([r["id"] for r in paged], [r["id"] for r in audit("&outcome=hidden")])
            refused_query = h.ask("GET", "/v1/audit?outcome=perhaps")[0]
            equal(refused_query, 422)
        with shows("'fairlead audit' takes the same filters"):
            def cli(*words):
                environment = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token)
                return subprocess.run([os.path.join(fleet.BIN, "fairlead"), *words], env=environment, check=True, capture_output=True,
                                      text=True, timeout=60)

            lines = cli("audit", "--outcome", "hidden", "--since", "1h", "-o", "wide").stdout.splitlines()
            equal(len(lines), 3)
            assert "PEER" in lines[0] and "127.0.0.1:" in lines[1], lines
            equal(len(cli("audit", "--limit", "4", "-o", "jsonl").stdout.splitlines()), 4)
        with shows("a token says which token made it, and whose it is; none exceeds its maker or outlives it"):
            boss = make("boss", ["admin"], owner="ann", ttlSeconds=600)
            child = make("child", ["admin"], boss["token"])
            grandchild = make("grandchild", ["read"], child["token"], owner="bob")
            equal((child["maker"], child["owner"], grandchild["maker"], grandchild["owner"]), (boss["id"], "ann", child["id"], "bob"))
            assert child["expiresAt"] <= boss["expiresAt"] and grandchild["expiresAt"] <= child["expiresAt"]
            equal(make("more", ["outlive"], boss["token"]), 403)
            sent += 1
            listed = {t["id"]: t for t in h.api("GET", "/v1/tokens")["tokens"]}
            equal(listed[grandchild["id"]]["maker"], child["id"])
        with shows("a revocation lists what the token made and, if told so, takes it along, to the last generation"):
            dry = h.api("DELETE", f"/v1/tokens/{boss['id']}?made=true&dryRun=true")
            equal((dry["revoked"], {t["id"] for t in dry["tokens"]}), (3, {boss["id"], child["id"], grandchild["id"]}))
            equal(h.ask("GET", "/v1/whoami", None, bearer(boss["token"]))[0], 200)
            said = cli("token", "revoke", boss["id"], "--with-made").stderr
            assert "and 2 made by it" in said, said
            for token in (boss, child, grandchild):
                refused(401, "GET", "/v1/whoami", headers=bearer(token["token"]))
        with shows("a flood gets one minute's rows, and all others are counted"):
            connection = http.client.HTTPConnection("127.0.0.1", h.ports["api"], timeout=30)
            for _ in range(FLOOD):
                connection.request("GET", "/v1/flood")
                answer = connection.getresponse()
                answer.read()
                equal(answer.status, 401)
                sent += 1
            connection.close()

            def tally():
                denials = [r for r in audit() if r["outcome"] != "done"]
                unwritten = sum(int(r["object"]) for r in denials if r["action"] == "denials_unwritten")
                return sum(r["action"] != "denials_unwritten" for r in denials), unwritten

            equal(sum(counted()), sent)
            until("every refusal has a row or is counted", lambda: tally() == counted(), 150)
            rows, unwritten = tally()
            assert rows <= 4 * ROWS_MAX and unwritten >= FLOOD - 2 * ROWS_MAX, (rows, unwritten)
    fleet.finish()


main()
