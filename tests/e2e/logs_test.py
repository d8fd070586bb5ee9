"""A reader gets the jobs' output byte for byte, while the connections in between are cut and both ends are killed.

Writers go on all the time: a mebibyte in one line, zero bytes, bad UTF-8, no newline at the end, one fast, one a
line at a time.  The test makes each output again from its seed, so nothing has to be believed.  A follower of each
job is attached from its first moment and resumes by Last-Event-ID, in runs, as docs/api.md says.  Faults come at
random, some while agents are still dialling; before every tenth, output has flowed."""
import collections
import hashlib
import http.client
import json
import os
import random
import signal
import threading
import time
import urllib.parse

import fleet
from fleet import equal, shows, until

SEED = int(os.environ.get("FL_SEED", "0")) or int(time.time())
# How often: the relay between agents and control plane cuts all connections, an agent dies, the control plane dies.
CUTS, AGENT_KILLS, HUB_KILLS = fleet.by_mode((3, 1, 1), (38, 11, 5), (600, 200, 100))
PIECES_MAX = 1000000  # more than they write: the file 'stop-writing' ends the writers

# 'pieces' is run by the writer and by the test.
PIECES = r'''
import random
def pieces(kind, seed, n):
    r = random.Random(seed)
    yield b"first line of %s\n" % kind.encode()
    for i in range(n):
        if kind == "big" and i % 20 == 0: yield bytes([97 + i // 20 % 26]) * (1 << 20) + b"\n"
        elif kind == "binary": yield b"%d nul \0 bad \xff\xfe\xc3 cr \r " % i + bytes(r.randrange(256) for _ in range(r.randrange(300))) + b"\n"
        elif kind == "fast": yield b"".join(b"%d %d %016x\n" % (i, k, r.getrandbits(64)) for k in range(200))
        elif kind == "torn": yield b"%d " % i + b"part" * r.randrange(1, 40) + (b"\n" if i % 3 == 0 else b"")
        else: yield b"%d %s\n" % (i, kind.encode())
    yield b"no newline at the end"
'''
WRITER = PIECES + r'''
import hashlib, itertools, os, sys, time
kind, seed, n_max, stop, told, every = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5], float(sys.argv[6])
out = sys.stdout.buffer; sha = hashlib.sha256(); n = 0
def put(data):
    sha.update(data); out.write(data); out.flush()
source = pieces(kind, seed, n_max)
put(next(source))
for n in range(1, n_max):
    put(next(source))
    if os.path.exists(stop): break
    time.sleep(every)
put(b"no newline at the end")
with open(told + ".part", "w") as file: file.write(f"{n} {sha.hexdigest()}")
os.rename(told + ".part", told)
'''
KINDS = {"big": 0.25, "binary": 0.05, "fast": 0.2, "torn": 0.05, "slow": 0.5}

made = {}
exec(PIECES, made)


class Follower(threading.Thread):
    """Everything that a job writes, as a client shows it: a run of lines once its last one, with an id, has come."""

    def __init__(self, f, job):
        super().__init__(daemon=True)
        self.f, self.job, self.lines, self.id = f, job, [], None
        self.is_over, self.is_done, self.connections, self.trouble = False, False, 0, ""

    def run(self):
        while not self.is_over and not self.is_done:
            try:
                self.follow()
            except (OSError, http.client.HTTPException) as error:
                self.trouble = repr(error)
            except Exception as error:  # the test that waits for this thread shows it
                self.trouble, self.is_over = repr(error), True
            time.sleep(0.1)

    def follow(self):
        where = urllib.parse.urlsplit(self.f.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=45)
        headers = {"Authorization": f"Bearer {self.f.token}"}
        if self.id:
            headers["Last-Event-ID"] = self.id
        try:
            connection.request("GET", f"/v1/jobs/{self.job}/logs/stream", headers=headers)
            answer = connection.getresponse()
            if answer.status != 200:
                if answer.status not in (429, 503):
                    raise ValueError(f"status {answer.status}: {answer.read()[:300]}")
                return
            self.connections += 1
            self.read(answer)
        finally:
            connection.close()

    def read(self, answer):
        run, event = [], {}
        while not self.is_over:
            line = answer.readline()
            if not line.endswith(b"\n"):
                return  # cut: a run that was not whole comes again
            line = line.rstrip(b"\n").decode()
            if line:
                name, _, value = line.partition(": ")
                event[name] = value
                continue
            if event.get("event") == "end":
                self.is_done = True
                return
            if "data" in event:
                run.append(json.loads(event["data"]))
            if "id" in event:
                self.lines, self.id, run = self.lines + run, event["id"], []
            event = {}

    def progress(self):
        return len(self.lines)


def shown(data):
    """Bytes as text: bytes that are no UTF-8 are replaced; the server chooses by how many signs."""
    return squeezed(data.decode(errors="replace"))


def squeezed(text):
    while "\ufffd\ufffd" in text:
        text = text.replace("\ufffd\ufffd", "\ufffd")
    return text


def check_lines(lines, truth):
    """The lines follow each other without a hole or a repetition, and are what was written."""
    for i, line in enumerate(lines):
        assert "text" in line, f"line {i} of {len(lines)} is a gap: {json.dumps(line)[:200]}"
        equal((line["element"], line["attempt"], line["replica"]), (0, 1, 0), f"the source of line {i}")
        begin, end = line["offset"], lines[i + 1]["offset"] if i + 1 < len(lines) else len(truth)
        if i == 0:
            equal(begin, 0, "the first offset")
        assert begin < end <= len(truth), f"line {i} at {begin}, the next at {end} of {len(truth)}: {json.dumps(line)[:200]}"
        if squeezed(line["text"]) != shown(truth[begin:end]):
            raise AssertionError(f"line {i} at {begin}: {line['text'][:100]!r} is not {truth[begin:end][:100]!r}")


def do_fault(f, rng, kind):
    if kind == "cut":
        os.kill(f.pids["relay"], signal.SIGUSR1)
        return
    name = "fairleadd" if kind == "hub" else rng.choice(["east", "west", "edge"])
    pid = f.kill(name)
    until(f"{name} is back", lambda: f.pid_of(name) not in (0, pid))


def main():
    rng = random.Random(SEED)
    faults = ["cut"] * CUTS + ["agent"] * AGENT_KILLS + ["hub"] * HUB_KILLS
    rng.shuffle(faults)
    print(f"# seed {SEED}: FL_SEED={SEED} repeats the choices, not the timing")
    with fleet.Fleet() as f:
        stop, jobs, followers = os.path.join(f.dir, "stop-writing"), {}, {}
        for kind, every in KINDS.items():
            jobs[kind] = f.submit({"name": f"writer-{kind}", "resources": {"cpu": "100m", "memory": "64Mi"},
                                   "command": ["python3", "-c", WRITER, kind, str(SEED), str(PIECES_MAX), stop, f"{f.dir}/wrote-{kind}", str(every)]})
            followers[kind] = Follower(f, jobs[kind])
            followers[kind].start()
        counts = collections.Counter()
        with shows(f"output flows on through {len(faults)} cuts and kills of both ends"):
            before = {}
            for i, kind in enumerate(faults):
                if i % 10 == 0:
                    until("output has flowed since", lambda before=before: any(
                        follower.progress() > before.get(name, 0) for name, follower in followers.items()))
                before.update((name, follower.progress()) for name, follower in followers.items())
                do_fault(f, rng, kind)
                counts[kind] += 1
                time.sleep(rng.uniform(0.2, 1.2))  # the pace of faults, which nothing relies on
        with open(stop, "w"):
            pass
        print(f"# {counts['cut']} cuts, {counts['agent']} agents and {counts['hub']} control planes killed")
        truth = {}
        for kind, job in jobs.items():
            with shows(f"the {kind} writer has run to its end, in one attempt"):
                equal(f.wait(job)["state"], "succeeded")
                with open(f"{f.dir}/wrote-{kind}") as file:
                    n, sha = file.read().split()
                source = made["pieces"](kind, SEED, PIECES_MAX)
                truth[kind] = b"".join(next(source) for _ in range(int(n) + 1)) + b"no newline at the end"
                equal(hashlib.sha256(truth[kind]).hexdigest(), sha, "the output made here and the output written")
            with shows(f"the {kind} writer's output has the SHA-256 of the answer over HTTP"):
                try:
                    until("the log is whole", lambda job=job, kind=kind: hashlib.sha256(f.log(job)).digest() == hashlib.sha256(truth[kind]).digest(), 60, 0.5)
                except TimeoutError:
                    got = f.log(job)
                    same = next((i for i, (a, b) in enumerate(zip(got, truth[kind])) if a != b), min(len(got), len(truth[kind])))
                    raise AssertionError(f"{len(got)} bytes, {len(truth[kind])} were written; they differ from byte {same} on: "
                                         f"{got[same:same + 60]!r}, {truth[kind][same:same + 60]!r}") from None
            with shows(f"the follower of the {kind} writer saw each line once and whole"):
                follower = followers[kind]
                until("the stream has ended", lambda follower=follower: not follower.is_alive())
                assert follower.is_done, follower.trouble
                check_lines(follower.lines, truth[kind])
                print(f"# {len(truth[kind])} bytes, {len(follower.lines)} lines, {follower.connections} connections")
        for follower in followers.values():
            follower.is_over = True
    fleet.finish()


main()
