"""Seats: neither a stranger nor the owner of one token takes those of all others; nor memory, time, or the room for jobs."""
import http.client
import json
import os
import re
import select
import socket
import subprocess

import fleet
import hub
from fleet import equal, shows, until

CONNECTIONS, STREAMS = 100, 40  # the limits of one front, and there are two
UNSENT, RATE = 16 << 20, 200  # the same
BODIES, BATCH, SENDERS = 16 << 20, 6 << 20, 16  # the same


def stranger(port):
    """A connection that asked once and stays."""
    sock = socket.create_connection(("127.0.0.1", port), 60)
    sock.settimeout(10)
    sock.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    return sock


def ask(h, token, path="/v1/jobs"):
    """A connection of this token, and the status of its first answer, which is not read to its end."""
    connection = http.client.HTTPConnection("127.0.0.1", h.ports["api"], timeout=60)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    return connection, connection.getresponse()


def refusals(h, limit):
    scrape = http.client.HTTPConnection("127.0.0.1", h.metrics, timeout=30)
    scrape.request("GET", "/metrics", headers={"Authorization": f"Bearer {h.token}"})
    text = scrape.getresponse().read().decode()
    scrape.close()
    return float(re.search(rf'^fairlead_http_token_refusals_total{{limit="{limit}"}} (.*)$', text, re.M)[1])


def leave_unread(h, token, path):
    """A connection that asks five times and takes only the first bytes; whether it was refused.  The kernel takes 2.6 MB."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.settimeout(20)
    sock.connect(("127.0.0.1", h.ports["api"]))
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode() * 5)
    head = sock.recv(1000).decode()
    status = int(head.split()[1])
    assert status in (200, 429), head
    if status == 429:
        assert "Retry-After: 1" in head and "http_unsent_bytes_max" in head, head
    return sock, status == 429


def hold_body(h, token):
    """A connection that sends half of a batch and then nothing, and the answer that it got; none while it is being received."""
    sock = socket.create_connection(("127.0.0.1", h.ports["api"]), 20)
    answer = b""
    try:
        sock.sendall(f"POST /v1/jobs:batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {BATCH}\r\n\r\n".encode())
        for _ in range(BATCH // 2 // 65536):
            sock.sendall(b" " * 65536)
            if select.select([sock], [], [], 0.01)[0]:
                answer = sock.recv(4096)
                break
    except ConnectionError:
        pass  # it sent on after the answer
    return sock, answer.decode()


def send_body(h, token):
    """The status of a batch of 100 jobs and 3 MB of white space."""
    connection = http.client.HTTPConnection("127.0.0.1", h.ports["api"], timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
    connection.request("POST", "/v1/jobs:batch", (b'{"command":["true"]}' + b" " * 30000 + b"\n") * 100, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def main_of_bodies():
    """Bodies that one token sends and does not end."""
    metrics = hub.free_port()
    with hub.Hub({"http_bodies_bytes_max": BODIES, "metrics_listen": f"127.0.0.1:{metrics}"}) as h:
        h.metrics = metrics
        sender = h.api("POST", "/v1/tokens", {"name": "sender", "scopes": ["read", "submit"]})["token"]
        with shows("one token that sends bodies and does not end them has a quarter of their memory, or one body"):
            held = [hold_body(h, sender) for _ in range(SENDERS)]
            answers = [answer for _, answer in held if answer]
            until("its refusals are counted", lambda: refusals(h, "bodies") >= SENDERS - 2, 30)
            equal({int(answer.split()[1]) for answer in answers}, {429})
            for want in ("Retry-After: 1", '"code":"full"', "http_token_percent of http_bodies_bytes_max", "send fewer at a time"):
                assert want in answers[0], answers[0]
        with shows("and others send theirs meanwhile"):
            for _ in range(10):
                equal(send_body(h, h.token), 200)
        with shows("and it may send again when those have ended"):
            for sock, _ in held:
                sock.close()
            until("the token's batch is taken", lambda: send_body(h, sender) == 200, 30)


def main_of_one_token():
    """Limits of one token: the answers that it leaves unread, and the requests a second."""
    metrics = hub.free_port()
    with hub.Hub({"http_unsent_bytes_max": UNSENT, "http_token_rate": RATE, "metrics_listen": f"127.0.0.1:{metrics}"}) as h:
        h.metrics = metrics
        reader = h.api("POST", "/v1/tokens", {"name": "reader", "scopes": ["read"]})["token"]
        labels = {f"label-{i}": "x" * 60 for i in range(16)}
        equal(h.ask("POST", "/v1/jobs:batch", [{"command": ["true"], "labels": labels}] * 500)[0], 200)
        page = "/v1/jobs?limit=500"
        size = len(h.ask("GET", page)[2])
        assert size > 400_000, size
        with shows("a token that reads none of its answers gets no further ones, beyond its share"):
            held = []
            for _ in range(100):
                held.append(leave_unread(h, reader, page))
            taken = sum(not refused for _, refused in held)
            assert 2 * UNSENT // 4 // size <= taken < 90, f"{taken} answers of {size} bytes"
            until("its refusals are counted", lambda: refusals(h, "unsent") >= 100 - taken, 60)
        with shows("and others get theirs meanwhile"):
            for _ in range(10):
                equal(h.ask("GET", page, timeout=60)[0], 200)
        with shows("and it may come again when it has read them"):
            for sock, _ in held:
                sock.close()
            until("the token is served", lambda: ask(h, reader)[1].status == 200, 30)
        with shows("one token that sends too many requests a second gets 429; others are served"):
            sock = socket.create_connection(("127.0.0.1", h.ports["api"]), 20)
            one = f"GET /v1/whoami HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {reader}\r\n"
            sock.sendall(((one + "\r\n") * (2 * RATE - 1) + one + "Connection: close\r\n\r\n").encode())
            equal(h.ask("GET", "/v1/jobs", timeout=60)[0], 200)
            got = b"".join(iter(lambda: sock.recv(1 << 16), b"")).decode()
            statuses = re.findall(r"HTTP/1.1 (\d+) ", got)
            equal((len(statuses), set(statuses)), (2 * RATE, {"200", "429"}))
            assert statuses.count("200") >= RATE - 10, statuses.count("200")
            assert "http_token_rate" in got and "Retry-After: 1" in got and '"code":"full"' in got
            until("its refusals are counted", lambda: refusals(h, "rate") >= statuses.count("429"), 60)
            until("the token is served", lambda: ask(h, reader)[1].status == 200, 60)


def submit_as(h, token, jobs):
    """The outcomes of a batch of this token, a line each."""
    status, _, body = h.ask("POST", "/v1/jobs:batch", jobs, {"Authorization": f"Bearer {token}"})
    equal(status, 200, body[:500])
    return [json.loads(line) for line in body.splitlines()]


def taken(outcomes):
    return ["id" in line for line in outcomes]


def main_of_open_jobs():
    """The open jobs of one owner: in how many shapes they come."""
    share = 16384 // 100
    with hub.Hub({"owner_percent": 1}) as h:
        token = {name: h.api("POST", "/v1/tokens", {"name": f"{name}-1", "owner": name, "scopes": ["read", "submit", "cancel"]})["token"] for name in ("ann", "bob")}
        second = h.api("POST", "/v1/tokens", {"name": "ann-2", "owner": "ann", "scopes": ["read", "submit", "cancel"]})["token"]
        h.api("POST", "/v1/queues", {"name": "other"})
        jobs = [{"command": ["true"], "resources": {"cpu": "1m", "memory": f"{100 + i}Mi"}, "hold": True, "queue": ("default", "other")[i % 2]} for i in range(share + 40)]
        with shows("one owner has a share of the shapes of open jobs, over all queues and tokens of that owner"):
            got = submit_as(h, token["ann"], jobs)
            equal(taken(got), [True] * share + [False] * 40)
            for want in ('"ann" has 163 different shapes', "may have 163", "owner_percent"):
                assert want in got[-1]["problem"]["detail"], got[-1]
            equal(taken(submit_as(h, second, jobs[share:share + 1])), [False])
        with shows("another owner still has room, and a job of a shape that is there still comes"):
            equal(taken(submit_as(h, token["bob"], jobs[share:])), [True] * 40)
            equal(taken(submit_as(h, token["ann"], jobs[:2])), [True] * 2)
        with shows("the CLI says why it asks again"):
            words = [f"{fleet.BIN}/fairlead", "run", "--hold", "--memory", "7Gi", "--", "true"]
            with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, "FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": token["ann"]}) as cli:
                line = cli.stderr.readline()
                cli.kill()
            assert line.startswith('fairlead: refused for now: "ann" has 163 different shapes'), line
        with shows("the share is as full after a crash, and has room when a shape is gone"):
            h.kill()
            h.start()
            equal(taken(submit_as(h, token["ann"], jobs[-1:])), [False])
            equal(h.ask("POST", f"/v1/jobs/{got[5]['id']}:cancel")[0], 200)
            equal(taken(submit_as(h, token["ann"], jobs[-2:])), [True, False])


def main():
    main_of_one_token()
    main_of_bodies()
    main_of_open_jobs()
    with hub.Hub({"http_connections_max": CONNECTIONS, "followers_max": STREAMS}) as h:
        reader = h.api("POST", "/v1/tokens", {"name": "reader", "scopes": ["read"]})["token"]
        with shows("a stranger who holds all connections keeps no token out, and closes no connection of one"):
            kept, answer = ask(h, reader)
            equal((answer.status, answer.read() is not None), (200, True))
            strangers = []
            for _ in range(5 * CONNECTIONS):
                strangers.append(stranger(h.ports["api"]))
                if len(strangers) % 50 == 0:
                    equal(h.ask("GET", "/v1/jobs", timeout=60)[0], 200)
            for _ in range(20):
                equal(h.ask("GET", "/v1/jobs", timeout=60)[0], 200)
            kept.request("GET", "/v1/jobs", headers={"Authorization": f"Bearer {reader}"})
            answer = kept.getresponse()
            equal((answer.status, answer.read() is not None), (200, True))
            for sock in strangers:
                sock.close()
        with shows("one token has a quarter of the streams at most, and more are refused"):
            streams, refused = [], 0
            for _ in range(4 * STREAMS):
                connection, answer = ask(h, reader, "/v1/events")
                if answer.status == 200:
                    streams.append((connection, answer))
                    continue
                equal(answer.status, 429)
                assert "http_token_percent" in json.loads(answer.read())["detail"]
                connection.close()
                refused += 1
            equal(len(streams) <= 2 * STREAMS // 4, True, f"{len(streams)} streams")
            assert refused > 0
        with shows("so another token's stream opens"):
            connection, answer = ask(h, h.token, "/v1/events")
            equal(answer.status, 200)
            connection.close()
        with shows("one token has a quarter of the connections at most"):
            for connection, _ in streams:
                connection.close()
            held, statuses = [], []
            for _ in range(2 * CONNECTIONS):
                connection, answer = ask(h, reader)
                answer.read()
                statuses.append(answer.status)
                held.append(connection)
            equal(set(statuses), {200, 429})
            assert statuses.count(200) <= 2 * CONNECTIONS // 4 + 2, statuses.count(200)
            equal(h.ask("GET", "/v1/jobs", timeout=60)[0], 200)
            for connection in held:
                connection.close()
        with shows("and may come again when it has closed them"):
            until("the token is served", lambda: ask(h, reader)[1].status == 200, 30)
    fleet.finish()


main()
