"""A limit of output per attempt (log_attempt_max): which output of a job that writes more is kept, which gaps it reports, and
that both are the same after the control plane was killed.

Output is cut when its segment is sealed.  The first control plane keeps its segment open, so that what it has is whole;
the second one, which is to seal soon, finds it.  So nothing depends on how fast anybody writes."""
import json
import os
import re
import select
import subprocess

import fleet
import hub
from fleet import equal, shows, until

LIMIT = 1 << 20
RECORD_MAX = 32768  # the most output in a record, which is kept or left out whole

# A replica's output, made by the job and again by the test: numbered lines that hardly compress.
LINES = r"""
import hashlib
def lines(name, count):
    for i in range(count):
        yield b"%06d of %06d %s %s\n" % (i, count, name.encode(), hashlib.sha384(b"%d %s" % (i, name.encode())).hexdigest().encode())
"""
# argv: name, then how many lines each replica writes.
WRITER = LINES + r"""
import os, sys
name, count = sys.argv[1], int(sys.argv[2 + int(os.environ["FAIRLEAD_REPLICA"])])
sys.stdout.buffer.writelines(lines(name + os.environ["FAIRLEAD_REPLICA"], count))
"""
made = {}
exec(LINES, made)

# argv: name, count, folder.  Its first line; the others when there is a file 'write' in the folder, but for the last one,
# which waits for a file 'end'.
GROWER = LINES + r"""
import os, sys, time
name, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def wait(file):
    while not os.path.exists(os.path.join(folder, file)): time.sleep(0.05)
for i, line in enumerate(lines(name, count)):
    if i == 1: wait("write")
    if i == count - 1: sys.stdout.flush(); wait("end")
    sys.stdout.buffer.write(line)
    if i == 0: sys.stdout.flush()
"""

MIB = 8700  # lines of 121 bytes
JOBS = {"plain": [3 * MIB], "loud": [MIB] * 4, "mixed": [MIB, MIB, 150, MIB]}
GROWER_LINES = 16 * MIB  # more, as JSON, than a socket's two ends have room for


class Output:
    """The output that the replicas of a job wrote, and the control plane's account of it."""

    def __init__(self, h, name, counts):
        self.h, self.truth = h, [b"".join(made["lines"](f"{name}{i}", count)) for i, count in enumerate(counts)]
        self.job = h.submit({"name": name, "replicas": len(counts), "resources": {"cpu": "100m", "memory": "32Mi"},
                             "command": ["python3", "-c", WRITER, name, *map(str, counts)]})

    def read(self, replica):
        """The lines of one replica, as the API gives them."""
        return read_log(self.h, self.job, replica)

    def is_whole(self):
        return all(check(self.read(i), truth, has_all=False) == [] for i, truth in enumerate(self.truth))

    def is_cut(self):
        return any("gap" in line for i in range(len(self.truth)) for line in self.read(i))


def read_log(h, job, replica=0):
    return [json.loads(line) for line in h.patient("GET", f"/v1/jobs/{job}/logs?format=jsonl&replica={replica}").splitlines()]


def check(lines, truth, has_all=True):
    """Each byte that was written is in its place, once, or in a gap.  Answers the gaps, as (begin, end); None: something is to
    come yet."""
    at, gaps = 0, []
    for i, line in enumerate(lines):
        equal(line["offset"], at, f"offset of line {i} of {len(lines)}")
        if "gap" in line:
            equal(line["gap"], "limit", f"why {line['bytes']} bytes are missing at {at}")
            gaps.append((at, at + line["bytes"]))
            at += line["bytes"]
        else:
            text = line["text"].encode()
            equal(text, truth[at:at + len(text)], f"line {i} at {at}")
            at += len(text)
    if not has_all and at < len(truth):
        return None
    equal(at, len(truth), "bytes kept and missing")
    return gaps


def by_ranges(h, job, replica=0):
    """The lines of one replica, by one Range after the other; the gap, which may be in several, once."""
    def ask(first):
        status, headers, got = h.ask("GET", f"/v1/jobs/{job}/logs?format=jsonl&replica={replica}", headers={"Range": f"lines={first}-"})
        equal(status, 206, f"lines from {first} on: {got[:200]}")
        return *re.fullmatch(r"lines (\d+)-(\d+)/(\d+|\*)", headers["Content-Range"]).groups(), got

    lines, first, total = [], 0, None
    until("the end of the output is known", lambda: ask(0)[2] != "*")
    while first != total:
        begin, last, total, got = ask(first)
        begin, last, total = int(begin), int(last), int(total)
        equal(begin, first, "the first line that is given")
        lines += [line for line in map(json.loads, got.splitlines()) if not (lines and "gap" in line and line["offset"] == lines[-1]["offset"])]
        first = last + 1
    return lines


def asks_across_the_gap(h, output, gang):
    with shows("lines that are missing count: ranges one behind the other give each line once, and the gap"):
        equal(check(by_ranges(h, output.job), output.truth[0]), check(output.read(0), output.truth[0]), "the gaps")
    with shows("a tail that begins in the gap begins with the gap, and ends with the last lines"):
        for job, wanted in ((output.job, 2 * MIB), (gang.job, 3 * MIB // 2)):
            lines = [json.loads(line) for line in h.patient("GET", f"/v1/jobs/{job}/logs?format=jsonl&tail={wanted}").splitlines()]
            assert any("gap" in line for line in lines) and "text" in lines[-1], lines[-1:]
            assert kept_bytes(lines) > LIMIT // 16, f"{len(lines)} lines"
    with shows("a search for a pattern reports the gap"):
        found = follow(h, output.job, "--grep", "^000000 of .* plain0", "--regex").communicate(timeout=fleet.LONG_S)[0].splitlines()
        equal(found[0] + b"\n", next(made["lines"]("plain0", 3 * MIB)))
        assert len(found) == 2 and found[1].endswith(b" bytes are missing here: limit ~~~"), found


def share_of(lengths):
    """The share of LIMIT that each may keep: a replica that wrote less than an equal share leaves the rest to the others."""
    rest = LIMIT
    for i, length in enumerate(sorted(lengths)):
        if length > rest // (len(lengths) - i):
            return rest // (len(lengths) - i)
        rest -= length
    raise AssertionError(f"{lengths} are not over the limit")


def check_share(output):
    """A replica over its share keeps the first and the last half of the share, and one marked gap; any other keeps all."""
    share, kept = share_of([len(truth) for truth in output.truth]), 0
    for i, truth in enumerate(output.truth):
        lines = output.read(i)
        gaps, length = check(lines, truth), len(truth)
        kept += length - sum(end - begin for begin, end in gaps)
        if length <= share:
            equal(gaps, [], f"gaps of replica {i}, which wrote less than its share")
            continue
        equal(len(gaps), 1, f"gaps of replica {i}")
        begin, end = gaps[0]
        assert share // 2 <= begin < share // 2 + RECORD_MAX, f"replica {i} keeps {begin} bytes at its beginning, its share is {share}"
        assert share // 2 <= length - end < share // 2 + RECORD_MAX, f"replica {i} keeps {length - end} bytes at its end, its share is {share}"
        assert truth.startswith(lines[0]["text"].encode()) and truth.endswith(lines[-1]["text"].encode()), (lines[0], lines[-1])
    most = LIMIT + 2 * RECORD_MAX * len(output.truth)
    assert LIMIT - len(output.truth) <= kept < most, f"{kept} bytes are kept of {sum(map(len, output.truth))}"
    print(f"# {kept} bytes are kept of {sum(map(len, output.truth))}", flush=True)


def follow(h, job, *words):
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir)
    follower = subprocess.Popen([os.path.join(fleet.BIN, "fairlead"), "logs", job, "--follow", *words], env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, bufsize=0)  # a line that is read takes no more out of the pipe
    h.processes.append(follower)  # ended with the others, should this test fail
    return follower


def first_line(follower):
    assert select.select([follower.stdout], [], [], fleet.LONG_S)[0], "the follower shows nothing"
    return follower.stdout.readline()


def rest_of(follower):
    """All that it prints from now on; it ends by itself, and well."""
    out = follower.communicate(timeout=fleet.LONG_S)[0]
    equal(follower.returncode, 0, "exit code of 'fairlead logs --follow'")
    return out


def check_shown(out, truth):
    """Text as it was written, and in the place of each gap a line that says how much is missing."""
    parts = re.split(rb"~~~ (\d+) bytes are missing here: limit ~~~\n", out)
    assert len(parts) > 1, f"no gap is marked in {len(out)} bytes"
    ends = {0}  # a gap has a line of its own: a line that it cuts is ended first, and may have been at its end
    for i, part in enumerate(parts):
        if i % 2 == 1:
            ends = {end + int(part) for end in ends}
            continue
        cut = part[:-1] if i + 1 < len(parts) and part.endswith(b"\n") else part
        ends = {end + len(text) for end in ends for text in (part, cut) if truth.startswith(text, end)}
        assert ends, f"part {i} of {len(parts)} is not what was written: {part[:100]!r}"
    assert len(truth) in ends, f"bytes shown and missing: {ends}, written {len(truth)}"


def kept_bytes(lines):
    return sum(len(line.get("text", "")) for line in lines)


def grow(h, folder):
    """A job that goes on writing while what it wrote is cut, and two who follow it."""
    truth = b"".join(made["lines"]("grower", GROWER_LINES))
    job = h.submit({"name": "grower", "resources": {"cpu": "100m", "memory": "32Mi"},
                    "command": ["python3", "-c", GROWER, "grower", str(GROWER_LINES), folder]})
    with shows("a follower of a job over the limit sees the gap, the kept rest, and then new output"):
        early = follow(h, job, "-o", "jsonl")
        first = first_line(early)  # and no more for now: it falls behind
        tell(folder, "write")
        most = len(truth) - len(truth) // GROWER_LINES
        until("it has written all but its last line, and is cut",
              lambda: (lambda lines: reaches(lines, most) and any("gap" in line for line in lines))(read_log(h, job)), every_s=0.2)
        late = follow(h, job)
        begin = first_line(late)
        tell(folder, "end")
        equal(h.wait(job)["state"], "succeeded")
        check_shown(begin + rest_of(late), truth)
    with shows("a slow follower that began at the first line sees its gaps, and the end"):
        lines = [json.loads(line) for line in (first + rest_of(early)).splitlines()]
        gaps = check(lines, truth)
        assert gaps, "it was not behind: this shows nothing"
        print(f"# it has seen {kept_bytes(lines)} bytes of {len(truth)}, and {len(gaps)} gaps", flush=True)
    with shows("output that was kept earlier is given up: 16 MiB shrink to the limit and to the rests that older files may still have"):
        # A file keeps its middle when less than half of the file is dropped: so do the files at the two ends of the gap.
        until("older files are cut", lambda: kept_bytes(read_log(h, job)) < 3 * LIMIT, every_s=0.5)
        check_grown(h, job, truth)
    return job, truth


def check_grown(h, job, truth):
    lines = read_log(h, job)
    check(lines, truth)
    assert LIMIT <= kept_bytes(lines) < 3 * LIMIT, f"{kept_bytes(lines)} bytes are left"
    print(f"# {kept_bytes(lines)} bytes are kept of {len(truth)}", flush=True)


def stored_bytes(h):
    folder, found = os.path.join(h.dir, "hub", "logs"), 0
    for name in os.listdir(folder):
        try:
            found += os.path.getsize(os.path.join(folder, name))
        except FileNotFoundError:  # it was sealed just now
            pass
    return found


def tell(folder, file):
    with open(os.path.join(folder, file), "w"):
        pass


def reaches(lines, end):
    """All that was written until there is stored."""
    return bool(lines) and lines[-1]["offset"] + len(lines[-1].get("text", "")) >= end


def start_again(h, **settings):
    h.kill()
    h.settings.update(settings)
    h.start()


def main():
    with hub.Hub({"log_attempt_max": "1MiB"}) as h:
        h.agent("east", h.join("east"), settings={"cpus": "64", "memory": "64GiB"})
        outputs = {name: Output(h, name, counts) for name, counts in JOBS.items()}
        with shows("jobs run to their end with any amount of output"):
            for output in outputs.values():
                equal(h.wait(output.job)["state"], "succeeded")
        with shows("as long as a segment is open, all of their output is there"):
            for output in outputs.values():
                until("the output is whole", output.is_whole, every_s=0.2)
            written = stored_bytes(h)
        start_again(h, log_segment="1MiB", log_segment_age="1s")
        for output in outputs.values():
            until("the segment is sealed", output.is_cut, every_s=0.2)
        with shows("a plain job over the limit keeps the first and the last half of the limit, with one marked gap between"):
            check_share(outputs["plain"])
        with shows("the replicas of a gang share the limit: each one keeps its own beginning and end"):
            check_share(outputs["loud"])
        with shows("a replica that writes little beside loud ones loses nothing, and leaves them its rest"):
            check_share(outputs["mixed"])
        with shows("dropped output is gone from the disk"):
            until("the open segment is removed", lambda: stored_bytes(h) < written / 3)
        asks_across_the_gap(h, outputs["plain"], outputs["loud"])
        grower, truth = grow(h, h.dir)
        with shows("after kill -9 and a start the same is read"):
            before = {name: [output.read(i) for i in range(len(output.truth))] for name, output in outputs.items()}
            start_again(h)
            for name, output in outputs.items():
                for i, lines in enumerate(before[name]):
                    assert output.read(i) == lines, f"replica {i} of {name} is not what it was"
            check_grown(h, grower, truth)
    fleet.finish()


main()
