"""The agent's way of reading logs against a real kubelet: each line once, over kills, cuts and rotations.

The reader is tests/kube/log_tool.c of $FL_BIN (build/release), which stores records as the hub does.  Node 1 never rotates a
log in this test, node 2 does so every 3 s.  Each pod writes numbered lines, so the store itself shows which are missing.

A kubelet gives only a log's newest file: lines that it rotated away while no reader could ask are lost.  So the API server is
away for longer than a rotation takes, and lines are missing from that time.  At other times a rotation costs few: those of a
moment without a reader.  It is longer than it seems, since a kubelet sends some 20,000 lines/s, and first those of the last 5 s
again; so the pods write 3,000 lines/s.  (One that writes faster than its kubelet sends loses lines at every rotation.)
"""
import contextlib
import os
import struct
import subprocess
import tempfile
import threading
import time

import kube
import settings
from fleet import BIN
from kube import equal, shows, until

TOOL = os.path.join(BIN, "tests", "kube", "log_tool")
AWAY_S = 4
GAPS = {1: "limit", 2: "disk_full", 3: "rotated", 4: "damaged", 6: "unknown"}
LOG_BYTES = {1: "500Mi", 2: "256Ki"}
COUNT = "i=0; while [ $i -lt {steps} ]; do seq $((i * {lines} + 1)) $(((i + 1) * {lines})); i=$((i + 1)); sleep {pause}; done"
MIXED = "head -c 100000 /dev/zero | tr '\\0' x; echo; echo to stderr >&2; echo; printf 'no end'"

usual_kubelet = settings.kubelet
settings.kubelet = lambda n, i, home: {**usual_kubelet(n, i, home), "containerLogMaxSize": LOG_BYTES[i]}


class Log:
    """The log of one pod, read by one log_tool after another."""

    def __init__(self, c, pod, folder):
        self.c, self.pod, self.folder = c, pod, f"{folder}/{pod}"
        self.problems, self.kills, self.last = [], 0, ""
        os.mkdir(self.folder)
        self.start()

    def start(self):
        self.process = subprocess.Popen([TOOL, f"{self.c.home}/certificate.kubeconfig", self.folder, "default", self.pod, "main",
                                         "3000"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reader = threading.Thread(target=self.read, args=(self.process,), daemon=True)
        self.reader.start()

    def read(self, process):
        for line in process.stdout:
            if line.startswith("problem"):
                self.problems.append(line[8:].strip())
            else:
                self.last = line.strip()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.kills += 1

    def end(self):
        """Tells log_tool that the container has ended; returns the stored output, as text and the kinds of gaps."""
        self.process.stdin.write("ended\n")
        self.process.stdin.flush()
        try:
            equal(self.process.wait(120), 0, f"exit code of log_tool for {self.pod}")
            self.reader.join()
        finally:
            print(f"# {self.pod}: {self.last} kills={self.kills} stored={self.size()}", flush=True)
            for problem in sorted(set(self.problems)):
                print(f"# {self.pod}, {self.problems.count(problem)} times: {problem}", flush=True)
        return list(self.parts())

    def size(self):
        with contextlib.suppress(FileNotFoundError):
            return os.path.getsize(f"{self.folder}/store")
        return 0

    def parts(self):
        """Text, gap, text ...: (text, None) or (kind, times), without a hole in the offsets.

        A gap's times are those of the record before it and of what follows it.
        """
        with open(f"{self.folder}/store", "rb") as file:
            data = file.read()
        at, expected, before, text = 0, 0, 0, []
        while at < len(data):
            offset, time_ms, length, _ = struct.unpack_from("<QqII", data, at)
            equal(offset, expected, f"offset of a record of {self.pod}")
            body = data[at + 24:at + 24 + (length & 0x7fffffff)]
            at += 24 + len(body)
            if length >> 31:
                missing, kind = struct.unpack("<QB", body)
                yield b"".join(text).decode(), None
                yield GAPS[kind], (before, time_ms)
                text, expected = [], expected + missing
            else:
                text.append(body)
                expected += len(body)
            before = time_ms
        yield b"".join(text).decode(), None


def count(c, name, node, steps, lines, pause):
    c.create_pod(name, COUNT.format(steps=steps, lines=lines, pause=pause), node=node)
    return steps * lines


def check_numbers(name, parts, lines):
    """Each number comes at most once and in order, and is missing only in a gap: returns the count and the times of each
    gap."""
    last, holes, times = 0, [], None
    for i, (text, gap) in enumerate(parts):
        if gap:
            times = (times[0] if times else gap[0], gap[1])
            continue
        if i + 1 < len(parts) and not text.endswith("\n"):
            text = text[:text.rfind("\n") + 1]  # the gap is within a line
        numbers = [int(line) for line in text.split()]
        if not numbers:
            continue
        assert numbers[0] > last, f"{name}: {numbers[0]} after {last}"
        assert numbers[0] == last + 1 or times, f"{name}: {last + 1} to {numbers[0] - 1} are missing without a gap"
        wrong = [(one, next_) for one, next_ in zip(numbers, numbers[1:]) if next_ != one + 1]
        assert not wrong, f"{name}: {len(wrong)} times no gap between two lines, first {wrong[0]}"
        if times:
            holes.append((numbers[0] - last - 1, *times))
        last, times = numbers[-1], None
    assert last == lines or times, f"{name}: {last + 1} to {lines} are missing without a gap"
    return holes + ([(lines - last, *times)] if times else [])


def follow_over_kills(c, logs, pods):
    """Kills readers again and again, and the API server once, until the pods have ended.  When the server was away, in ms."""
    cut_at, away = time.monotonic() + 4, None
    while not all(c.pod(name)["status"]["phase"] in ("Succeeded", "Failed") for name in pods):
        time.sleep(2)
        for log in logs:
            log.kill()
            log.start()
        if not away and time.monotonic() > cut_at:
            killed_at = time.time()
            c.fault("kill", "kube-apiserver")
            time.sleep(AWAY_S)
            c.fault("start", "kube-apiserver")
            away = killed_at * 1000, time.time() * 1000
    return away


def main():
    if not os.path.exists(TOOL):
        print(f"not ok - {TOOL} is built: cmake --build build/release", flush=True)
        raise SystemExit(1)
    kube.need_programs()
    with tempfile.TemporaryDirectory() as folder, kube.Cluster(nodes=2) as c, contextlib.ExitStack() as ends:
        def log_of(name):
            log = Log(c, name, folder)
            ends.callback(lambda: log.process.kill())
            return log

        with shows("long lines, both streams and an end without a newline are what kubectl logs gives"):
            c.run_pod("mixed", MIXED)
            (text, _), = log_of("mixed").end()
            equal(text, c.logs("mixed"))
        still = count(c, "still", "node1", 60, 1000, 0.3)
        turning = count(c, "turning", "node2", 60, 1000, 0.3)
        logs = [log_of("still"), log_of("turning")]
        until("both are read", lambda: all(log.size() for log in logs))
        away = follow_over_kills(c, logs, ("still", "turning"))
        with shows("without a rotation each line comes once, and there is no gap"):
            parts = logs[0].end()
            equal([gap for _, gap in parts if gap], [])
            equal(check_numbers("still", parts, still), [])
        with shows("with rotations no line comes twice, and a missing one has a gap in its place"):
            holes = check_numbers("turning", logs[1].end(), turning)
            for lost, begin, end in holes:
                print(f"# {lost} of {turning} lines are missing, {begin - away[0]:.0f} to {end - away[0]:.0f} ms after the API server's end",
                      flush=True)
        with shows("lines are missing from the time when the API server was away, and hardly from any other"):
            then = sum(lost for lost, begin, end in holes if begin < away[1] and end > away[0])
            assert then > 0, holes
            others = sum(lost for lost, _, _ in holes) - then
            assert others < turning / 10, (others, holes)
        assert all(log.kills >= 2 for log in logs), [log.kills for log in logs]
    kube.finish()


main()
