"""The longest turn of a front under hostile requests: one real fairleadd with one front, over TLS.

Each case has a fairleadd of its own, on the same database, and ends with its metric
fairlead_front_turn_longest_seconds: CPU time, so that other work on the machine is hardly in it.  Median of three.
"""
import contextlib
import http.client
import io
import json
import os
import re
import socket
import ssl
import threading
import time

import live

LABELS = {f"label-{i}": "x" * 60 for i in range(16)}
LINES = {"Content-Type": "application/x-ndjson"}
YAML = {"Content-Type": "application/yaml"}
MIB = 1 << 20
ANSWER_S = 60


def tls():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE # it was started by us, on loopback
    return context


class TlsSocket(io.RawIOBase):
    """A connection that one thread writes and another reads: an SSLSocket does not survive that."""

    def __init__(self, address):
        super().__init__()
        self.sock = socket.create_connection(address, ANSWER_S)
        self.sent, self.heard, self.lock = ssl.MemoryBIO(), ssl.MemoryBIO(), threading.Lock()
        self.tls = tls().wrap_bio(self.heard, self.sent)
        while self.step(self.tls.do_handshake) is None:
            self.hear()

    def step(self, deed, *args):
        """None: more must be heard first."""
        with self.lock:
            try:
                done = deed(*args) or True
            except ssl.SSLWantReadError:
                done = None
            out = self.sent.read()
        self.sock.sendall(out)
        return done

    def hear(self):
        got = self.sock.recv(1 << 16)
        with self.lock:
            if got:
                self.heard.write(got)
            else:
                self.heard.write_eof()

    def sendall(self, bytes_):
        for at in range(0, len(bytes_), 1 << 16):
            self.step(self.tls.write, bytes_[at:at + (1 << 16)])

    def readable(self):
        return True

    def readinto(self, buffer):
        try:
            while (done := self.step(self.tls.read, len(buffer), buffer)) is None:
                self.hear()
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return 0
        return done

    def settimeout(self, seconds):
        self.sock.settimeout(seconds)

    def close(self):
        self.sock.close()
        super().close()


class Client:
    """One connection over TLS that sends requests and reads answers."""

    def __init__(self, hub):
        self.token = hub.token
        self.sock = TlsSocket(("127.0.0.1", hub.ports["api"]))
        self.input = io.BufferedReader(self.sock, 1 << 16)

    def close(self):
        self.input.close()

    def request(self, method, path, body=None, headers=None):
        lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {self.token}"]
        lines += [f"{key}: {value}" for key, value in (headers or {}).items()]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + (body or b"")

    def answer(self):
        """The status; the body is read and thrown away."""
        status, length, chunked = int(self.input.readline().split()[1]), 0, False
        while (line := self.input.readline().strip().lower()):
            if line.startswith(b"content-length:"):
                length = int(line.split()[1])
            chunked = chunked or line == b"transfer-encoding: chunked"
        if not chunked:
            self.input.read(length)
        while chunked and (size := int(self.input.readline(), 16)) >= 0:
            self.input.read(size + 2)
            if size == 0:
                break
        return status

    def ask(self, method, path, body=None, headers=None, times=1):
        """All requests at once, as far as they are taken; the statuses that came, each once."""
        bytes_ = self.request(method, path, body, headers) * times
        sender = threading.Thread(target=self.send, args=(bytes_,))
        sender.start()
        statuses = {self.answer() for _ in range(times)}
        sender.join()
        return sorted(statuses)

    def send(self, bytes_):
        with contextlib.suppress(OSError): # it was answered and closed before it came
            self.sock.sendall(bytes_)

    def follow(self, path, seconds, headers=None):
        """Reads a stream for so long, or until it is silent; its bytes."""
        self.sock.sendall(self.request("GET", path, None, headers))
        status, end, count = int(self.input.readline().split()[1]), time.monotonic() + seconds, 0
        assert status == 200, f"{path} {headers}: {status}"
        self.sock.settimeout(0.5)
        with contextlib.suppress(TimeoutError):
            while time.monotonic() < end and (got := self.input.read1()):
                count += len(got)
        return count


def lines_of(items):
    return "".join(json.dumps(item) + "\n" for item in items).encode()


def job(i=0, **more):
    return {"queue": live.QUEUE, "command": ["true", str(i)], **more}


def largest_lines():
    """1,000 different documents in nearly 8 MiB."""
    return lines_of(job(i, env={f"V{k}": "x" * 74 for k in range(90)}) for i in range(1000))


def largest_definitions():
    """1,000 definitions and their uses, with 199,000 values in all."""
    defined = [{"spec": f"s{i}", "job": job(i, env={f"V{k}": str(k) for k in range(180)})} for i in range(1000)]
    return lines_of(defined + [{"use": f"s{i}", "params": {"a": "b"}} for i in range(1000)])


def bad_lines():
    """2,000 lines with 20 faults each."""
    return lines_of({f"wrong-{k}": k for k in range(90)} for _ in range(2000))


def largest_list():
    items = [job(i, labels=LABELS) for i in range(700)]
    return json.dumps(items).encode()[:MIB]


def deep_json():
    return ("[" * 32 + "]" * 32).encode()


def wide_json():
    """Nearly 25,000 values in nearly 1 MiB."""
    return json.dumps(job(env={f"V{k}": "x" * 20 for k in range(24900)})).encode()


def wide_yaml():
    return ("queue: bench\ncommand: [true]\nenv:\n" + "".join(f"  V{k}: x\n" for k in range(4900))).encode()


def deep_yaml():
    return ("command: " + "[" * 5000 + "]" * 5000).encode()


def long_yaml():
    return ("command: [\"" + "\\x41" * 60000 + "\"]\n").encode() + b"# " + b"x" * (700 << 10) + b"\n"


def many_headers():
    return {f"X-{i}": "v" * 240 for i in range(60)}


def crowd(method, path, body=None, headers=None, count=50):
    """The same request over so many connections at once."""
    def run(hub, _, output):
        clients = [Client(hub) for _ in range(count)]
        bytes_ = clients[0].request(method, path.format(job=output), body and body(), headers)
        senders = [threading.Thread(target=client.send, args=(bytes_,)) for client in clients]
        for sender in senders:
            sender.start()
        statuses = {client.answer() for client in clients}
        for sender, client in zip(senders, clients):
            sender.join()
            client.close()
        return f"{count} x {sorted(statuses)}"
    return run


def storm(hub, count=200):
    """So many handshakes at once."""
    context = tls()
    socks = [context.wrap_socket(socket.create_connection(("127.0.0.1", hub.ports["api"]), ANSWER_S),
                                 do_handshake_on_connect=False) for _ in range(count)]
    for sock in socks:
        sock.setblocking(False)
    for sock in socks:
        with contextlib.suppress(ssl.SSLWantReadError):
            sock.do_handshake()
    done = 0
    for sock in socks:
        sock.settimeout(ANSWER_S)
        with contextlib.suppress(OSError): # it was too silent, and made room
            sock.do_handshake()
            done += 1
        sock.close()
    return f"{done} of {count} connections"


def posts(body, headers=None, path="/v1/jobs:batch", times=3):
    def run(hub, client, _):
        bytes_ = body()
        statuses = set()
        for _ in range(times):
            own = Client(hub)
            statuses |= set(own.ask("POST", path, bytes_, headers or LINES))
            own.close()
        return f"{len(bytes_):,} bytes: {sorted(statuses)}"
    return run


def gets(path, times=1, headers=None):
    def run(hub, client, output):
        statuses = client.ask("GET", path.format(job=output), None, headers() if headers else None, times)
        assert statuses == [200], f"{path}: {statuses}"
        return f"{times} x 200"
    return run


def follows(path, seconds=3, headers=None, least=1):
    """A stream that brings at least so many bytes: one that is refused, or does not replay, is no measurement."""
    def run(hub, client, output):
        count = client.follow(path.format(job=output), seconds, headers)
        assert count >= least, f"{path}: {count} bytes"
        return f"{count:,} bytes"
    return run


def acts(path, **filter_):
    """An action on many jobs, which finds some."""
    def run(hub, client, _):
        told = hub.api("POST", path, {"queue": live.QUEUE, **filter_})
        assert told["changed"] > 0, told
        return f"{told['changed']:,} of {told['matched']:,} jobs"
    return run


def fill(hub, batches):
    """So many thousand waiting jobs."""
    for _ in range(batches):
        client = Client(hub)
        assert client.ask("POST", "/v1/jobs:batch", lines_of(job(i, labels=LABELS) for i in range(1000)), LINES) == [200]
        client.close()


def fill_and_cancel(hub, batches):
    fill(hub, batches)
    hub.api("POST", "/v1/jobs:cancel", {"queue": live.QUEUE})


JSON = {"Content-Type": "application/json"}
CASES = {
    "idle": lambda hub, client, output: "",
    "lines": posts(largest_lines),
    "definitions": posts(largest_definitions),
    "bad-lines": posts(bad_lines),
    "one-line": posts(lambda: b"[" * (8 * MIB - 1)),
    "list": posts(largest_list, JSON),
    "deep-json": posts(deep_json, JSON, "/v1/jobs"),
    "wide-json": posts(wide_json, JSON, "/v1/jobs"),
    "wide-yaml": posts(wide_yaml, YAML, "/v1/jobs"),
    "deep-yaml": posts(deep_yaml, YAML, "/v1/jobs"),
    "long-yaml": posts(long_yaml, YAML, "/v1/jobs"),
    "page": gets("/v1/jobs?limit=1000", 20),
    "label": gets("/v1/jobs?limit=1000&label=label-1%3Dnone", 20),
    "logs": gets("/v1/jobs/{job}/logs?count=10000", 20),
    "grep": gets("/v1/jobs/{job}/logs?grep=99999", 5),
    "grep-stream": follows("/v1/jobs/{job}/logs/stream?grep=99999"),
    "log-stream": follows("/v1/jobs/{job}/logs/stream"),
    "events": follows("/v1/events", 5, {"Last-Event-ID": "1.0"}, 1 << 18), # all of the journal's
    "openapi": gets("/v1/openapi.json", 50),
    "headers": gets("/v1/whoami", 1000, many_headers),
    "pipelined": gets("/v1/whoami", 1000),
    "pipelined-pages": gets("/v1/jobs", 1000),
    "audit": gets("/v1/audit?limit=1000", 20),
    "usage": gets("/v1/usage?by=day,queue,submittedBy,label:project", 20),
    "throughput": gets("/v1/throughput?since=2026-01-01&until=2026-02-10", 20),
    "many-batches": crowd("POST", "/v1/jobs:batch", bad_lines, LINES, 4),
    "many-yaml": crowd("POST", "/v1/jobs", wide_yaml, YAML),
    "many-openapi": crowd("GET", "/v1/openapi.json"),
    "many-pages": crowd("GET", "/v1/jobs?limit=1000"),
    "many-logs": crowd("GET", "/v1/jobs/{job}/logs?count=10000"),
    "handshakes": lambda hub, client, output: storm(hub),
    "cancel": acts("/v1/jobs:cancel"),
    "retry": acts("/v1/jobs:retry", state=["cancelled"]),
}
BEFORE = {"cancel": fill, "retry": fill_and_cancel} # each time, by a process of its own


def longest_ms(hub):
    scrape = http.client.HTTPConnection("127.0.0.1", hub.ports["metrics"], timeout=ANSWER_S)
    scrape.request("GET", "/metrics", headers={"Authorization": f"Bearer {hub.token}"})
    text = scrape.getresponse().read().decode()
    scrape.close()
    return 1000 * max(map(float, re.findall(r"^fairlead_front_turn_longest_seconds\S* (\S+)$", text, re.M)))


def output_of(hub, run, lines):
    """A job that has written so many lines, behind a real agent that is gone again."""
    token = hub.api("POST", "/v1/clusters/real/join-tokens", {})["token"]
    path = os.path.join(hub.dir, "join")
    with open(path, "w", encoding="utf-8") as file:
        file.write(token + "\n")
    agent = hub.spawn("agents-real", [os.path.join(run.folder, "fairlead-agent"), "--state-dir", os.path.join(hub.dir, "agent"),
                                      "--join-token", "@" + path, "--cgroup", "off", "--log-level", "warn"])
    made = hub.api("POST", "/v1/jobs", job(command=["seq", str(lines)]))["id"]

    def is_over():
        hub.check(agent)
        return hub.api("GET", f"/v1/jobs/{made}")["state"] == "succeeded"

    live.until("the job that writes", is_over, 120)
    time.sleep(2) # its output is stored
    hub.end(agent)
    return made


def restart(hub):
    hub.end(hub.hub)
    hub.processes.remove(hub.hub)
    hub.start()


def fronts(figure, say):
    def run_one(run):
        figures = []
        with run.pg.database() as conninfo, live.Live(run, conninfo, settings=["--fronts", "1"]) as hub:
            output = output_of(hub, run, 20000 if run.is_quick else 200000)
            batches = 2 if run.is_quick else 20
            fill(hub, batches)
            for name, case in CASES.items():
                values = []
                for _ in range(1 if run.is_quick else 3):
                    if name in BEFORE:
                        BEFORE[name](hub, batches)
                    restart(hub)
                    client = Client(hub)
                    told = case(hub, client, output)
                    client.close()
                    time.sleep(1.2)
                    values.append(longest_ms(hub))
                value = max(values)
                say(f"  {name}: {value:.2f} ms; {told}")
                figures.append(figure(f"fronts.{name}", value, "ms CPU", ratio=value / 10, goal=("<=", 10), values=values))
        return figures
    return run_one
