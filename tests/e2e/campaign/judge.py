"""The judgement: compares the control plane's statements with the records that the tasks wrote themselves."""
import collections
import json
import os
import signal
import time

from fleet import equal, until
from load import DEADLINE_S
from workers import born, end_process

ENDED = ("succeeded", "failed", "cancelled")
FAILED = ("ReplicaFailed", "RetriesSpent")  # charged; the latter says that no retry is left
UNCHARGED = {"ReplicaLost", "StartRefused", "NeverArrived", "StartUnconfirmed"}
DAMAGED_BYTES_MAX = 1 << 20  # the most that one flipped bit costs one output


class Ledger:
    """The steps that the tasks of a job recorded: rows of words."""

    def __init__(self, h, job):
        self.rows = []
        folder = os.path.join(h.dir, "ledger")
        for name in h.ledgers.get(job, ()):
            with open(os.path.join(folder, name)) as file:
                self.rows += [line.split() for line in file]

    def of(self, word):
        """(element, attempt, replica): the rest of the row."""
        found = collections.defaultdict(list)
        for row in self.rows:
            if row[0] == word:
                found[tuple(map(int, row[2:5]))].append(row[5:])
        return found


def index(h):
    h.ledgers = collections.defaultdict(list)
    for name in os.listdir(os.path.join(h.dir, "ledger")):
        h.ledgers[name.rsplit(".", 1)[0]].append(name)


def truth(h, job, key):
    try:
        with open(os.path.join(h.dir, "truth", ".".join((job, *map(str, key)))), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def attempts_of(h, job):
    return json.loads(h.patient("GET", f"/v1/jobs/{job.id}/attempts"))["attempts"]


def history(h, job):
    """All events of a job that has ended, in order."""
    got = h.patient("GET", f"/v1/jobs/{job.id}/events", headers={"Accept": "application/x-ndjson"})
    return [json.loads(line) for line in got.splitlines() if line]


def replicas(job):
    return range(job.document.get("replicas", 1))


def judge_rows(h, job):
    """Rows, events and ledger say the same; each attempt ran at most once, each element has one end."""
    rows, events, ledger = attempts_of(h, job), history(h, job), Ledger(h, job.id)
    begun, ended, elements = ledger.of("begin"), ledger.of("end"), range(job.document.get("array", 1))
    equal(ledger.of("overlap"), {}, "attempts that lived side by side")
    equal([key for key, all_of in begun.items() if len(all_of) != 1], [], "replicas that began twice")
    by_element = collections.defaultdict(list)
    for row in rows:
        by_element[row["element"]].append(row)
    known = {(row["element"], row["attempt"]) for row in rows}
    equal({key[:2] for key in begun} - known, set(), "attempts that ran and have no row")
    final = {}
    for element, own in by_element.items():
        assert element in elements, own
        numbers = [row["attempt"] for row in own]
        equal(numbers, sorted(set(numbers)), f"attempts of element {element}")
        ends = [row for row in own if row.get("elementState")]
        equal(len(ends), 1, f"ends of element {element}: {own}")
        final[element] = ends[0]["elementState"]
        assert ends[0] is own[-1], own
        for row in own:
            judge_attempt(job, row, begun, ended)
        retries = job.document.get("retry", 0)
        charged = sum(row["reason"] in FAILED for row in own)
        assert charged <= retries + 1, f"element {element} failed {charged} times with {retries} retries: {own}"
        if own[-1]["reason"] == "RetriesSpent":
            equal(charged, retries + 1, f"charged attempts of element {element}")
    judge_state(job, final, elements)
    if job.first:
        judge_first_cause(job, rows, events)
    judge_events(job, rows, events, final, elements)


def judge_attempt(job, row, begun, ended):
    keys = [(row["element"], row["attempt"], replica) for replica in replicas(job)]
    codes = {int(ended[key][0][0]) for key in keys if key in ended}
    if row["reason"] == "Succeeded":
        equal([key for key in keys if key not in ended], [], "replicas that did not end, of an attempt that succeeded")
        equal(codes, {0}, "exit codes of an attempt that succeeded")
    elif row["reason"] in FAILED:
        assert row["exitCode"] in codes, f"the hub says exit code {row['exitCode']}, the tasks say {codes}: {row}"
    elif row["reason"] == "StartUnconfirmed":
        equal([key for key in keys if key in begun], [], "replicas that began without a GO")
    else:
        wanted = UNCHARGED | ({"Cancelled"} if job.is_cancelled else set()) | ({"DeadlineExceeded"} if job.kind == "deadline" else set())
        assert row["reason"] in wanted, f"{job.kind}: {row}"


def judge_state(job, final, elements):
    state = job.state["state"]
    if job.is_cancelled:
        assert state in ENDED, job.state
        return
    wanted = {"fail": "failed", "broken": "failed", "deadline": "failed"}.get(job.kind, "succeeded")
    equal(state, wanted, f"state of {job.id}, a {job.kind}")
    equal(final, {element: wanted for element in elements}, "states of its elements")
    counts = job.state["elements"]
    equal((counts["total"], counts[wanted]), (len(elements), len(elements)), f"counts of its elements: {counts}")


def cause(of):
    reason = "ReplicaFailed" if of["reason"] in FAILED else of["reason"]
    return reason, of.get("firstReplica"), of.get("exitCode")


def judge_first_cause(job, rows, events):
    """A broken gang ends by the rank that failed, not by those that were stopped for it, and its STOP has told the same.

    A killed supervisor or a lost start may end an attempt before its rank fails: that is not charged, and another follows."""
    for row in rows:
        if row["reason"] in FAILED:
            equal(cause(row)[1:], job.first, f"first failing rank and exit code of {row}")
    last = rows[-1]
    assert last["reason"] in FAILED, last
    equal((job.state["firstReplica"], job.state["exitCode"]), job.first, f"first failing rank and exit code of the job: {job.state}")
    ended = {row["attempt"]: cause(row) for row in rows}
    for event in events:
        if event["type"] in ("attempt.stopping", "attempt.ended", "element.ended") and event.get("attempt"):
            equal(cause(event), ended[event["attempt"]], f"the cause in {event}")


def judge_events(job, rows, events, final, elements):
    by_type = collections.defaultdict(list)
    for event in events:
        by_type[event["type"]].append(event)
    for kind in ("job.submitted", "job.ended"):
        equal(len(by_type[kind]), 1, kind)
    numbers = sorted((row["element"], row["attempt"]) for row in rows)
    equal(sorted((event["element"], event["attempt"]) for event in by_type["attempt.assigned"]), numbers, "attempt.assigned")
    ends = by_type["attempt.ended"] + by_type["element.ended"]  # the latter tells of the last attempt too
    told = {(event["element"], event["attempt"]): event["reason"] for event in ends if event.get("attempt")}
    equal(told, {(row["element"], row["attempt"]): row["reason"] for row in rows}, "reasons in events")
    told = sorted(event["element"] for event in by_type["element.ended"])
    equal(told, sorted(set(told)), "ends of elements")
    if not job.is_cancelled:
        equal(told, list(elements), "elements that ended")


def judge_deadline(h, job):
    """Not stopped before its time, by a clock that no fault can move.  Its first run counts, and all that come after."""
    ledger = Ledger(h, job.id)
    began = [float(rest[0][2]) for rest in ledger.of("begin").values()]
    stopped = [float(rest[0][0]) for rest in ledger.of("term").values()]
    if began and stopped:
        assert max(stopped) - min(began) > DEADLINE_S - 1, f"stopped {max(stopped) - min(began):.2f} s after it began, its deadline is {DEADLINE_S} s"


def judge_lines(h, job, lines, is_complete, may_be_damaged):
    """Lines that a reader was given, byte by byte: in order, none twice, and what is missing lies in a marked gap."""
    ledger = Ledger(h, job.id)
    begun, ended = ledger.of("begin"), ledger.of("end")
    at, has_gap = collections.defaultdict(int), set()
    truths = {}
    for line in lines:
        key = (line["element"], line["attempt"], line["replica"])
        if "gap" in line:
            has_gap.add(key)
            assert may_be_damaged and line["gap"] == "damaged" or line["gap"] == "lost" and key not in begun, f"a gap that no fault has made: {line}"
            assert line.get("bytes", 0) <= DAMAGED_BYTES_MAX, line
            continue
        if key not in truths:
            truths[key] = truth(h, job.id, key)
        data = line["text"].encode()
        if line["offset"] != at[key]:
            assert line["offset"] > at[key] and key in has_gap, f"wanted offset {at[key]}: {line}"
        wanted = truths[key][line["offset"]:line["offset"] + len(data)]
        assert data == wanted, f"{key} at {line['offset']}: got {data[:80]!r}, the task wrote {wanted[:80]!r}"
        at[key] = line["offset"] + len(data)
    never_ran = [line for line in lines if line.get("gap") == "lost"]  # its agent says nothing of it, and the hub cannot know
    assert is_complete or may_be_damaged or never_ran, "the control plane calls it incomplete, but it has no gap"
    if is_complete or never_ran:
        for key in ended:
            if key not in has_gap:
                equal(at[key], len(truth(h, job.id, key)), f"bytes of {job.id} {key}")


def judge_output(h, job, known_by, endless):
    """Compares all stored outputs whose end is known by then.  Returns the number of their bytes.

    A flipped bit may have hit the entry that says where an output ends: readers wait a day for that end.  It costs no byte,
    and at most one job for each flipped bit; these jobs come into 'endless'."""
    def whole():
        status, headers, _ = h.ask("GET", f"/v1/jobs/{job.id}/logs?count=1")
        return status == 200 and headers["X-Fairlead-Output"] != "more"

    try:
        until(f"the output of {job.id} is known", whole, max(0, known_by - time.monotonic()))
    except TimeoutError:
        if len(endless) == len(h.flips):
            raise
        print(f"# the end of {job.id} is not known: a flipped bit hit it", flush=True)
        endless.add(job.id)
    status, headers, got = h.ask("GET", f"/v1/jobs/{job.id}/logs?format=jsonl")
    equal(status, 200, f"the output of {job.id}")
    lines = [json.loads(line) for line in got.splitlines()]
    judge_lines(h, job, lines, headers["X-Fairlead-Output"] == "complete" or job.id in endless, bool(h.flips))
    return sum(len(line.get("text", "").encode()) for line in lines)


def judge_stream(events, jobs):
    """Followed by cursor over all jobs: each of those that began and ended in its time, whole, and nothing twice."""
    seen = collections.Counter((name, event["job"], event.get("element"), event.get("attempt")) for name, event in events
                               if "job" in event and name != "replica.changed")
    equal([key for key, times in seen.items() if times > 1], [], "events that came twice")
    for name in ("reset", "unknown"):
        equal([event for event in events if event[0] == name], [])
    for job in jobs:
        for kind in ("job.submitted", "job.ended"):
            equal(seen[kind, job.id, None, None], 1, f"{kind} of {job.id} in the stream of all")


def tasks(h):
    """The processes that a ledger names and that are still there."""
    for name in os.listdir(os.path.join(h.dir, "ledger")):
        with open(os.path.join(h.dir, "ledger", name)) as file:
            for row in map(str.split, file):
                if row[0] in ("begin", "child") and born(row[5]) == row[6] != "None":
                    yield int(row[5])


def folder_of(pid):
    """The replica's folder, in which the process began."""
    try:
        return os.path.basename(os.path.dirname(os.readlink(f"/proc/{pid}/cwd")))
    except OSError:  # it has just ended
        return ""


def known_attempts(h):
    """Those that the database has, as an agent's folders name them."""
    rows = h.run("psql -X -At -F - -c 'select job, element, n, incarnation from attempt' fairlead").split()
    return {f"job-{job_name(int(job))}-{rest}" for job, rest in (row.split("-", 1) for row in rows)}


def job_name(number):
    """As shared/base/job_name.c spells it."""
    return (job_name(number // 32) if number >= 32 else "") + "0123456789abcdefghjkmnpqrstvwxyz"[number % 32]


def attempt_of(folder):
    return folder.rsplit("-", 1)[0]


def nothing_is_left(h):
    """The agents keep what the database has forgotten, also of a job that it knows, for a quarter of an hour; its tasks are
    ended here."""
    known = known_attempts(h)
    for pid in tasks(h):
        folder = folder_of(pid)
        if folder and attempt_of(folder) not in known:
            end_process(pid, signal.SIGTERM)
    until("no supervisor is left", lambda: not h.supervisors(), 90)
    equal(list(tasks(h)), [], "tasks that live")

    def folders():
        """Those being removed, too, which begin with a dot."""
        there = [name for cluster in h.agents for name in os.listdir(os.path.join(h.dir, f"agent-{cluster}", "replicas"))]
        return [name for name in there if name.startswith(".") or attempt_of(name) in known]

    try:
        until("no replica has a folder", lambda: not folders(), 90)
    except TimeoutError as error:
        raise TimeoutError(f"{error}; there are {', '.join(sorted(folders())[:20])}") from error
