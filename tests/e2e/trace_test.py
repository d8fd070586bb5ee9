"""Each refusal can be found again: its traceId is in the control plane's log, with who asked, from where and what."""
import json
import socket

import fleet
import hub
from fleet import equal, shows, until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
OTHER = "0bf92f3577b34da6a3ce929d0e0e4736"


def main():
    with hub.Hub() as h:
        reader = h.api("POST", "/v1/tokens", {"name": "reader", "scopes": ["read"]})

        def refused(status, method, path, body=None, headers=None):
            got, _, answer = h.ask(method, path, body, headers)
            equal(got, status)
            trace = json.loads(answer)["traceId"]
            line = until(f"a line with {trace}", lambda: next((x for x in h.log("fairleadd").splitlines() if f"trace={trace}" in x), None), 60)
            for word in ("mod=api", "event=problem", f"status={status}", "peer=127.0.0.1:", f"method={method}", f"path={path.split('?')[0]}"):
                assert word in line, (word, line)
            return trace, line

        with shows("the traceId of every refusal is in the log"):
            refused(401, "GET", "/v1/jobs", headers={"Authorization": "Bearer nothing"})
            refused(404, "GET", "/v1/jobs/job-zzzz")
            refused(422, "GET", "/v1/jobs?nothing=1")
            refused(422, "POST", "/v1/enrol", {"nothing": 1})
        with shows("and of those that the listener refuses itself"):
            for words, status, own in ((b"TRACE /ok HTTP/1.1\r\nHost: x\r\n\r\n", 501, False), (b"GET /ok HTTP/1.1\r\n\r\n", 400, False),
                                       (b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + h.token.encode() + b"\r\nContent-Type: application/json\r\n"
                                        b"Transfer-Encoding: chunked\r\ntraceparent: 00-" + OTHER.encode() + b"-00f067aa0ba902b7-01\r\n\r\nx\r\n", 400, True)):
                with socket.create_connection(("127.0.0.1", h.ports["api"]), 20) as sock:
                    sock.sendall(words)
                    head, _, answer = b"".join(iter(lambda sock=sock: sock.recv(1 << 16), b"")).partition(b"\r\n\r\n")
                equal(int(head.split()[1]), status)
                trace = json.loads(answer)["traceId"]
                equal(trace == OTHER, own)
                until(f"a line with {trace}", lambda trace=trace, status=status: any(
                    f"mod=http event=refused trace={trace} peer=127.0.0.1:" in line and f"status={status}" in line for line in h.log("fairleadd").splitlines()), 60)
        with shows("a denial names the token that was denied"):
            _, line = refused(403, "POST", "/v1/queues", {"name": "x"}, {"Authorization": f"Bearer {reader['token']}"})
            assert f"token={reader['id']}" in line, line
        with shows("a trace of the caller's own is taken over, a malformed one is not"):
            trace, _ = refused(404, "GET", "/v1/jobs/job-zzzy", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
            equal(trace, TRACE)
            trace, _ = refused(404, "GET", "/v1/jobs/job-zzzx", headers={"traceparent": f"00-{TRACE}x-00f067aa0ba902b7-01"})
            equal(len(trace), 16)
    fleet.finish()


main()
