"""Programs are killed and stopped at random moments under load; then everything heals, and the promises are
counted: every acknowledged job has one end, nothing ran twice, no output is missing or doubled.

The jobs themselves write a ledger of their runs, a line at their start and one at their end: the control plane
cannot lie about it."""
import collections
import contextlib
import json
import os
import random
import signal
import threading
import time

import fleet
from fleet import equal, shows, until

SEED = int(os.environ.get("FL_SEED", "0")) or int(time.time())
KILLS = fleet.by_mode(10, 200, 3000)
LINES = 40
# A job: says in the ledger that it runs, writes its lines, says that it ended.
JOB = ("import os,sys,time\n"
       "me=' '.join(os.environ['FAIRLEAD_'+n] for n in ('JOB_ID','ELEMENT','ATTEMPT'))\n"
       "def tell(w):\n f=os.open(sys.argv[1],os.O_WRONLY|os.O_APPEND|os.O_CREAT,0o600); os.write(f,(w+' '+me+'\\n').encode()); os.close(f)\n"
       "tell('begin')\n"
       f"for i in range({LINES}):\n print(me,i,flush=True); time.sleep(float(sys.argv[2])/{LINES})\n"
       "tell('end')\n")


class Load(threading.Thread):
    """Submits until told to end; an unclear answer is asked again with the same key."""

    def __init__(self, f, ledger):
        super().__init__(daemon=True)
        self.f, self.ledger, self.is_over, self.jobs, self.error = f, ledger, False, {}, None

    def run(self):
        number = 0
        try:
            while not self.is_over:
                document = {"command": ["python3", "-c", JOB, self.ledger, random.choice(["0.1", "0.5", "2"])],
                            "resources": {"cpu": "100m", "memory": "16Mi"}, "retry": 5, "name": f"load-{number}"}
                key = f"load-{SEED}-{number}"
                first = self.f.submit(document, key)
                self.jobs[first] = key
                if number % 7 == 0:  # asked again, it is the same one
                    equal(self.f.submit(document, key), first, "the job of a repeated key")
                number += 1
                time.sleep(0.2)
        except Exception as error:
            self.error = error


def supervisors(f):
    """Their pids.  A job that has not become its own program yet looks like one: it is known by its parent."""
    found, parents = [], {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if words[0].endswith("fairlead-supervise") and any(word.startswith(f.dir) for word in words[1:]):
            found.append(int(name))
    return [pid for pid in found if parents[pid] not in found]


def fault(f, rng, counts):
    kind = rng.choices(["fairleadd", "agent", "postgres", "supervisor", "stop"], [4, 5, 1, 2, 3])[0]
    name = rng.choice(["east", "west", "edge"]) if kind in ("agent", "stop") else kind
    if kind == "stop" and rng.random() < 0.4:
        name = "fairleadd"
    if kind == "supervisor":
        there = supervisors(f)
        if there:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(there), signal.SIGKILL)
                counts["kill supervisor"] += 1
        return
    pid = until(f"{name} runs", lambda: f.pid_of(name))
    try:
        if kind == "stop":
            os.kill(pid, signal.SIGSTOP)
            time.sleep(rng.uniform(0.1, 3))
            os.kill(pid, signal.SIGCONT)
            counts[f"stop and go on {name}"] += 1
        else:
            os.kill(pid, signal.SIGQUIT if kind == "postgres" else signal.SIGKILL)
            counts["immediate stop postgres" if kind == "postgres" else f"kill {kind}"] += 1
            until(f"{name} is back", lambda: f.pid_of(name) not in (0, pid))
    except ProcessLookupError:
        pass


def read_ledger(path):
    begun, ended = collections.Counter(), collections.Counter()
    with open(path) as file:
        for line in file:
            word, job, element, attempt = line.split()
            (begun if word == "begin" else ended)[job, int(element), int(attempt)] += 1
    return begun, ended


def main():
    rng = random.Random(SEED)
    print(f"# seed {SEED}: FL_SEED={SEED} repeats the choices, not the timing")
    with fleet.Fleet() as f:
        ledger = os.path.join(f.dir, "ledger")
        load = Load(f, ledger)
        counts = collections.Counter()
        load.start()
        with shows(f"the fleet lives through {KILLS} kills and stops under load"):
            while sum(counts.values()) < KILLS:
                fault(f, rng, counts)
                time.sleep(rng.uniform(0.05, 0.8))
                if load.error:
                    raise load.error
        load.is_over = True
        load.join(fleet.LONG_S)
        print(f"# {len(load.jobs)} jobs; " + ", ".join(f"{n} x {what}" for what, n in sorted(counts.items())))

        states = {}
        with shows("every acknowledged job ends, once"):
            for job in load.jobs:
                states[job] = f.wait(job, limit_s=400)["state"]
        begun, ended = read_ledger(ledger)
        with shows("no attempt ran twice"):
            equal([key for key, n in begun.items() if n != 1], [])
        with shows("no attempt began before the one before it was over"):
            # A supervisor that was killed takes its job with it: that attempt wrote no end.
            by_job = collections.defaultdict(list)
            with open(ledger) as file:
                for line in file:
                    word, job, _, attempt = line.split()
                    by_job[job].append((word, int(attempt)))
            for job, story in by_job.items():
                newest = 0
                for word, attempt in story:
                    if word == "end" and attempt < newest:
                        raise AssertionError(f"{job}: attempt {attempt} was still alive after {newest} had begun: {story}")
                    newest = max(newest, attempt)
        attempts = {job: f.job(job)["attempts"] for job in states}
        with shows("a job that succeeded has run to its end in its last attempt"):
            for job, state in states.items():
                if state == "succeeded":
                    last = attempts[job][-1]
                    equal((last["reason"], ended[job, 0, last["attempt"]]), ("Succeeded", 1), f"last of {attempts[job]}")
        with shows("attempts before that were lost with their supervisors, and no more of them than were killed"):
            reasons = collections.Counter(one["reason"] for job in states for one in attempts[job][:-1])
            print("# attempts that went again: " + (", ".join(f"{n} x {reason}" for reason, n in reasons.items()) or "none"))
            # A job has run to its end, and its supervisor was killed before it could say so: it runs again, and says so.
            assert reasons["ReplicaLost"] <= counts["kill supervisor"], reasons
            equal(set(reasons) - {"ReplicaLost", "StartRefused", "NeverArrived"}, set(), "other reasons")
        with shows("the control plane and the ledger agree that all jobs succeeded"):
            wrong = {job: state for job, state in states.items() if state != "succeeded"}
            equal(wrong, {}, "jobs that did not succeed: " + json.dumps({job: f.job(job) for job in list(wrong)[:2]})[:500] if wrong else "")
        with shows("no line of output is missing or comes twice"):
            for job in states:
                attempt = attempts[job][-1]["attempt"]
                wanted = "".join(f"{job} 0 {attempt} {i}\n" for i in range(LINES)).encode()
                until(f"the log of {job} is whole", lambda job=job, attempt=attempt, wanted=wanted: f.log(job, attempt=attempt) == wanted, 60)
    fleet.finish()


main()
