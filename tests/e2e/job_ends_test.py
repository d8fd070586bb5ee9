"""How jobs end: by themselves, by a signal, by their deadline, by force, with their supervisor; and the effect of a full disk
on their output and on the control plane: both report it, lose nothing that was acknowledged, and recover by themselves."""
import glob
import hashlib
import json
import os
import signal
import subprocess
import time

import fleet
import hub
from fleet import equal, is_alive, shows, until
from workers import Worker, born, end_process

SMALL = {"cpu": "100m", "memory": "16Mi"}


def last_attempt(job):
    return job["attempts"][-1]


def read_pid(path):
    def look():
        try:
            with open(path) as file:
                return int(file.read() or 0)
        except FileNotFoundError:
            return 0

    return until(f"{path} tells a process", look)


def by_themselves(h):
    for code in (1, 127, 255):
        with shows(f"exit code {code} is {code}"):
            job = h.wait(h.submit({"command": ["sh", "-c", f"exit {code}"], "resources": SMALL}))
            equal((job["state"], job["exitCode"]), ("failed", code))
    with shows("a signal is 128 and its number"):
        job = h.wait(h.submit({"command": ["sh", "-c", "kill -SEGV $$"], "resources": SMALL}))
        equal((job["state"], job["exitCode"]), ("failed", 128 + signal.SIGSEGV))
    with shows("a program that is not there is 127, and the output says so"):
        job = h.wait(h.submit({"command": ["/no/such/program"], "resources": SMALL}))
        equal((job["state"], job["exitCode"]), ("failed", 127))
        until("its output tells why", lambda: b"/no/such/program" in h.output(job["id"]), 60)
    with shows("workingDir: it starts there, and what it leaves there stays; one that is not there is 127"):
        os.mkdir(f"{h.dir}/place")
        job = h.wait(h.submit({"command": ["sh", "-c", "pwd >out"], "workingDir": f"{h.dir}/place", "resources": SMALL}))
        equal(job["state"], "succeeded")
        with open(f"{h.dir}/place/out") as file:
            equal(file.read(), f"{h.dir}/place\n")
        job = h.wait(h.submit({"command": ["true"], "workingDir": f"{h.dir}/nowhere", "resources": SMALL}))
        equal((job["state"], job["exitCode"]), ("failed", 127))
    with shows("a job that fails is tried again as often as asked, and then has failed"):
        job = h.wait(h.submit({"command": ["sh", "-c", "exit 9"], "retry": 1, "resources": SMALL}))
        equal((job["state"], [one["exitCode"] for one in job["attempts"]]), ("failed", [9, 9]))
    with shows("each attempt keeps its usage: CPU and memory of all its processes, the largest replica's memory"):
        work = ("[ $FAIRLEAD_REPLICA = 0 ] || exit 0; dd if=/dev/zero of=/dev/null bs=64M count=1 2>/dev/null;"
                " (i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done) & wait; exit 9")
        document = {"command": ["sh", "-c", work], "retry": 1, "replicas": 2, "resources": SMALL}
        for one in h.wait(h.submit(document))["attempts"]:
            usage = one["usage"]
            assert usage["meter"] in ("processes", "group") and usage["replicas"] == 2, one
            assert 50 <= usage["cpuMillis"] < 60000, one
            assert 64 << 20 <= usage["memoryBytes"] < 512 << 20, one
            assert usage["readBytes"] >= 0 and usage["writtenBytes"] >= 0, one


# Leaves a process in the background that has left session and group, and one that is an orphan.
GRANDCHILDREN = "setsid sh -c 'echo $$ >DIR/gc1; exec sleep 600' & (sh -c 'echo $$ >DIR/gc2; trap \"\" TERM HUP; while :; do sleep 1; done' &) & "


def grandchildren(h, name):
    there = " && ".join(f"[ -s {h.dir}/{name}-gc{number} ]" for number in (1, 2))
    return GRANDCHILDREN.replace("DIR/gc", f"{h.dir}/{name}-gc") + f"until {there}; do sleep 0.1; done"


def by_force(h):
    with shows("when a job ends, its grandchildren end with it"):
        job = h.wait(h.submit({"command": ["sh", "-c", grandchildren(h, "own")], "resources": SMALL}))
        equal(job["state"], "succeeded")
        for number in (1, 2):
            pid = read_pid(f"{h.dir}/own-gc{number}")
            until(f"grandchild {number} is gone", lambda pid=pid: not is_alive(pid))
    with shows("a job that ignores TERM is killed after its grace, with its grandchildren"):
        script = grandchildren(h, "deaf") + f"; trap '' TERM; echo $$ >{h.dir}/deaf; while :; do sleep 1; done"
        role = {"name": "main", "template": {"spec": {"terminationGracePeriodSeconds": 2, "containers": [{"command": ["sh", "-c", script]}]}}}
        job = h.submit({"roles": [role]})
        pids = [read_pid(f"{h.dir}/{name}") for name in ("deaf", "deaf-gc1", "deaf-gc2")]
        since = time.monotonic()
        h.patient("POST", f"/v1/jobs/{job}:cancel")
        equal(h.wait(job)["state"], "cancelled")
        took = time.monotonic() - since
        print(f"# a deaf job with 2 s of grace was gone after {took:.1f} s", flush=True)
        assert took < 25, f"it took {took:.1f} s: as long as the preset of 30 s"
        for pid in pids:
            until(f"{pid} is gone", lambda pid=pid: not is_alive(pid))
    with shows("a job that is asked to end may clean up"):
        job = h.submit({"command": ["sh", "-c", f"trap 'echo cleaned; exit 0' TERM; echo $$ >{h.dir}/clean; while :; do sleep 0.1; done"], "resources": SMALL})
        read_pid(f"{h.dir}/clean")
        h.patient("POST", f"/v1/jobs/{job}:cancel")
        equal(h.wait(job)["state"], "cancelled")
        until("its last word is there", lambda: b"cleaned\n" in h.output(job), 60)
    with shows("a job that runs longer than its deadline has failed"):
        job = h.wait(h.submit({"command": ["sleep", "600"], "deadline": "2s", "resources": SMALL}))
        equal((job["state"], job["reason"]), ("failed", "DeadlineExceeded"))


def with_its_supervisor(h):
    with shows("a killed supervisor takes its job and all below it along; the attempt is lost and goes again"):
        script = grandchildren(h, "lost") + f"; echo $FAIRLEAD_ATTEMPT >>{h.dir}/lost; [ $FAIRLEAD_ATTEMPT != 1 ] || sleep 600"
        before = set(h.supervisors())
        job = h.submit({"command": ["sh", "-c", script], "resources": SMALL})
        read_pid(f"{h.dir}/lost")
        pids = [read_pid(f"{h.dir}/lost-gc{number}") for number in (1, 2)]
        for pid in set(h.supervisors()) - before:
            end_process(pid)
        job = h.wait(job)
        equal((job["state"], [one["reason"] for one in job["attempts"]]), ("succeeded", ["ReplicaLost", "Succeeded"]))
        equal(["usage" in one for one in job["attempts"]], [False, True])  # its supervisor was gone, so nothing measured it
        for pid in pids:
            until(f"{pid} is gone", lambda pid=pid: not is_alive(pid))
        with open(f"{h.dir}/lost") as file:
            equal(file.read(), "1\n2\n", "attempts that began")


def memory_group():
    """A control group of version 2 that the agent may divide, with limits of memory; None where this host has none."""
    path = f"/sys/fs/cgroup/fairlead-test-{os.getpid()}"
    try:
        os.mkdir(path)
    except OSError:
        return None
    try:
        with open(path + "/cgroup.controllers") as file:
            words = file.read().split()
        with open("/proc/swaps") as file:
            swaps = len(file.readlines()) - 1
        if {"memory", "cpu"} <= set(words) and swaps == 0:
            with open(path + "/cgroup.subtree_control", "w") as file:
                file.write("+memory +cpu")
            return path
    except OSError:
        pass
    os.rmdir(path)
    return None


def has_old_groups():
    """Control groups of version 1, which root may divide without more ado; memory that is full does not go to swap."""
    with open("/proc/swaps") as file:
        swaps = len(file.readlines()) - 1
    if swaps and not os.path.exists("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes"):
        return False
    return all(os.access(f"/sys/fs/cgroup/{tree}/cgroup.procs", os.W_OK) for tree in ("memory", "cpu"))


def old_groups(job):
    return [path for tree in ("memory", "cpu", "cpuacct", "blkio")
            for path in glob.glob(f"/sys/fs/cgroup/{tree}/**/{job}-*", recursive=True)]


GLUTTON = "b = [bytearray(1 << 20) for _ in range(2000)]"


def limits(h):
    """Limits by control groups.  The host has version 1 or 2 of them, and the test prints which."""
    is_root = os.geteuid() == 0
    if path := is_root and memory_group():
        print("# control groups of version 2", flush=True)
        keeps_limits(h, path)
        subprocess.run(["find", path, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"], check=False)
    elif is_root and has_old_groups():
        print("# control groups of version 1", flush=True)
        keeps_limits(h, "auto")
    else:
        print("# no control group with a limit of memory can be made here: no limit is shown", flush=True)


BUSY = "import time; end = time.monotonic() + 3\nwhile time.monotonic() < end: pass"


def keeps_limits(h, cgroup):
    agent = h.agent("limits", h.join("limits"), settings={"cgroup": cgroup})
    h.wait_cluster("limits", "ready")
    here = {"clusters": ["limits"]}
    with shows("a cluster says whether its nodes keep limits"):
        found = {name: h.api("GET", f"/v1/clusters/{name}") for name in ("limits", "east")}
        equal({name: (one["nodesReady"], one["nodesLimited"]) for name, one in found.items()}, {"limits": (1, 1), "east": (1, 0)})
    with shows("a job that takes more memory than its limit has failed, OutOfMemory, and its neighbour lives"):
        neighbour = Worker(h, "neighbour").began()
        job = h.wait(h.submit({"command": ["python3", "-c", GLUTTON], "resources": {"cpu": "500m", "memory": "64Mi"}, **here}))
        equal((job["state"], job["reason"], last_attempt(job)["reason"]), ("failed", "OutOfMemory", "OutOfMemory"))
        neighbour.untouched()
        neighbour.tell_end()
        neighbour.check("succeeded")
    with shows("a busy job gets the CPU of its limit; the agent measures the group's usage and removes the group"):
        before = set(old_groups("job"))  # others' on this host
        job = h.wait(h.submit({"command": ["python3", "-c", BUSY], "resources": {"cpu": "200m", "memory": "64Mi"}, **here}))
        usage = last_attempt(job)["usage"]
        equal((job["state"], usage["meter"]), ("succeeded", "group"))
        assert 100 <= usage["cpuMillis"] <= 1500, usage  # 3 s at a fifth of one, and the start of Python
        until("its groups are gone", lambda: not set(old_groups(job["id"])) - before, 60)
    with shows("processes that a job left running in its group are killed with it"):
        left = h.wait(h.submit({"command": ["sh", "-c", f"setsid sleep 1000 & echo $! >{h.dir}/left"], "resources": SMALL, **here}))
        equal(left["state"], "succeeded")
        pid = read_pid(f"{h.dir}/left")
        until(f"{pid} is gone", lambda: not is_alive(pid), 60)
    with shows("requireLimits: it goes where limits are kept, and nowhere else"):
        document = {"command": ["true"], "requireLimits": True, "resources": SMALL}
        equal(last_attempt(h.wait(h.submit(document)))["cluster"], "limits")
        kept_out = h.submit({**document, "clusters": ["east"]}, waits=True)
        until("explain says why it waits", lambda: {one["cluster"]: one["reason"] for one in h.api("GET", f"/v1/jobs/{kept_out}/explain")["clusters"]}
              .get("east") == "NodeSelectorUnmatched", 60)
        h.api("POST", f"/v1/jobs/{kept_out}:cancel", {})
    agent.terminate()
    agent.wait()


# ---- a node that is gone ---------------------------------------------------------------------------------------

# Another boot of the host, as far as what runs inside can tell.
BOOTED = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"'


def boot(h, number):
    path = f"{h.dir}/boot-{number}"
    with open(path, "w") as file:
        file.write(f"00000000-0000-4000-8000-{number:012d}\n")
    return ("unshare", "-m", "sh", "-c", BOOTED, path)


def below(pid):
    """That process and all its descendants."""
    found = [pid]
    for one in found:
        try:
            with open(f"/proc/{one}/task/{one}/children") as file:
                found += [int(word) for word in file.read().split()]
        except OSError:
            pass
    return found


def with_its_node(h):
    """The machine of an agent loses power, with all that runs on it: every process at once, and another boot id after."""
    with shows("a job whose node was booted anew goes again elsewhere, uncharged, and nothing runs twice"):
        job_script = f"echo begin $FAIRLEAD_ATTEMPT $$ >>{h.dir}/moved; [ $FAIRLEAD_ATTEMPT != 1 ] || sleep 600; echo end $FAIRLEAD_ATTEMPT $$ >>{h.dir}/moved"
        before = set(h.supervisors())
        agent = h.agent("node", h.join("node"), wrap=boot(h, 1))
        h.wait_cluster("node", "ready")
        job = h.submit({"command": ["sh", "-c", job_script], "clusters": ["node", "spare"], "retry": 0, "resources": SMALL})
        until("it runs", lambda: os.path.exists(f"{h.dir}/moved") and os.path.getsize(f"{h.dir}/moved"))
        h.wait(job, "running")
        supervisor, = set(h.supervisors()) - before
        dead = [agent.pid, *below(supervisor)]
        assert len(dead) >= 3, f"agent, supervisor and job: {dead}"
        for number in (signal.SIGSTOP, signal.SIGKILL):  # all stop first, so none sees another one die
            for pid in dead:
                os.kill(pid, number)
        agent.wait()
        for pid in dead:
            until(f"{pid} is gone", lambda pid=pid: not is_alive(pid))
        h.agent("spare", h.join("spare"))
        h.wait_cluster("spare", "ready")
        h.patient("POST", "/v1/clusters/node:cordon")
        equal(len(h.job(job)["attempts"]), 1, "attempts while the state of the node is unknown")
        h.agent("node", wrap=boot(h, 2))
        job = h.wait(job)
        equal(job["state"], "succeeded")
        equal([(one["cluster"], one["reason"]) for one in job["attempts"]], [("node", "NodeLost"), ("spare", "Succeeded")])
        with open(f"{h.dir}/moved") as file:
            equal([line.split()[:2] for line in file], [["begin", "1"], ["begin", "2"], ["end", "2"]], "what ran")


# ---- full disks ----------------------------------------------------------------------------------------------


# Writes that many lines, a burst at a time, and the SHA-256 of all.
BURSTS = r"""
import hashlib, os, sys, time
folder, name = sys.argv[1:]
sha, i = hashlib.sha256(), 0
while not os.path.exists(f'{folder}/end-{name}'):
    data = b''.join(b'%s %d %s\n' % (name.encode(), n, b'x' * 80) for n in range(i, i + 200))
    i += 200
    sha.update(data)
    sys.stdout.buffer.write(data); sys.stdout.flush()
    open(f'{folder}/bursts-{name}', 'ab').write(b'.')
    time.sleep(0.05)
open(f'{folder}/sha-{name}.new', 'w').write(f'{sha.hexdigest()} {i}')
os.rename(f'{folder}/sha-{name}.new', f'{folder}/sha-{name}')
"""


class Burst:
    def __init__(self, h, name, cluster):
        self.h, self.name = h, name
        self.job = h.submit({"name": name, "command": ["python3", "-c", BURSTS, h.dir, name], "clusters": [cluster], "resources": SMALL})

    def has_output(self):
        return len(self.h.output(self.job)) > 0

    def goes_on(self, bursts):
        """Waits until it has written so many more, wherever they are."""
        path = f"{self.h.dir}/bursts-{self.name}"
        end = os.path.getsize(path) + bursts
        until(f"{self.name} has written {bursts} more bursts", lambda: os.path.getsize(path) >= end)

    def end(self):
        """SHA-256 and lines of all that it wrote."""
        open(f"{self.h.dir}/end-{self.name}", "w").close()
        until(f"{self.name} has written all", lambda: os.path.exists(f"{self.h.dir}/sha-{self.name}"))
        with open(f"{self.h.dir}/sha-{self.name}") as file:
            sha, lines = file.read().split()
        return sha, int(lines)

    def is_whole(self, sha):
        return hashlib.sha256(self.h.output(self.job)).hexdigest() == sha


def full_log_store(h):
    with shows("a full disk under the log store: jobs run and end; with room again the output is exact"):
        ends, goes_on = Burst(h, "ends", "east"), Burst(h, "goes-on", "east")
        for burst in (ends, goes_on):
            until(f"{burst.name} has output", burst.has_output)
        filler = hub.fill(h.settings["state_dir"])
        until("the store says that the disk is full", lambda: "event=write_failed" in h.log("fairleadd"))
        sha, _ = ends.end()
        equal(h.wait(ends.job)["state"], "succeeded")
        equal(h.wait(h.submit({"command": ["true"], "clusters": ["east"], "resources": SMALL}))["state"], "succeeded")
        until("it is still full", lambda: os.statvfs(h.settings["state_dir"]).f_bavail < 256, 60)
        os.unlink(filler)
        until("the output of what has ended is exact", lambda: ends.is_whole(sha))
        goes_on.goes_on(20)
        sha, lines = goes_on.end()
        equal(h.wait(goes_on.job)["state"], "succeeded")
        until("the output of what went on is exact", lambda: goes_on.is_whole(sha))
        print(f"# {lines} lines of one job were written over a full disk of the control plane", flush=True)


def given_up(h):
    """The first agent gives up after 10 s; a more patient one then keeps the output that it still has to send."""
    with shows("output that the log store cannot take in time is given up: the agent says so, and the log ends with a gap of that size"):
        hasty = h.agent("hasty", h.join("hasty"), settings={"log_grace": "10s"})
        h.wait_cluster("hasty", "ready")
        filler = hub.fill(h.settings["state_dir"])
        lines = 1000000
        total = sum(len(f"{n}\n") for n in range(1, lines + 1))
        job = h.submit({"command": ["seq", "1", str(lines)], "clusters": ["hasty"], "resources": SMALL})
        equal(h.wait(job)["state"], "succeeded")
        until("the agent gives up", lambda: "event=output_given_up" in h.log("agent-hasty"))
        hasty.kill()
        hasty.wait()
        h.agent("hasty")
        os.unlink(filler)
        kept, gap = until("all of it is accounted for", lambda: accounted(h, job, total))
        assert f"bytes={total} " in h.log("agent-hasty"), "the agent says how much"
        reasons = {record["gap"] for record in records(h, job) if "gap" in record}
        equal(reasons, {"rotated"}, "why it is missing")
        print(f"# {kept} bytes were kept, {gap} given up, of {total}", flush=True)


def full_node(h):
    with shows("a full disk of a node: the job does not wait, its end is known, what is missing is a gap of known size"):
        burst = Burst(h, "node", "small")
        until("it has output", burst.has_output)
        filler = hub.fill(os.path.join(h.dir, "agent-small"))
        burst.goes_on(40)
        os.unlink(filler)
        burst.goes_on(20)
        _, lines = burst.end()
        equal(h.wait(burst.job)["state"], "succeeded")
        total = sum(len(f"node {n} ") + 81 for n in range(lines))
        line_bytes, gap_bytes = until("all of it is accounted for", lambda: accounted(h, burst.job, total))
        print(f"# {line_bytes} bytes kept and {gap_bytes} in gaps, of {total}", flush=True)


def records(h, job):
    return [json.loads(line) for line in h.patient("GET", f"/v1/jobs/{job}/logs?format=jsonl").splitlines()]


def accounted(h, job, total):
    kept = gap = 0
    for record in records(h, job):
        if "gap" in record:
            gap += record["bytes"]
        else:
            kept += len(record["text"])
    return (kept, gap) if kept + gap == total else None


def full_database(h):
    with shows("a full disk under Postgres: submits are refused with 507, jobs go on"):
        worker = Worker(h, "over-full", clusters=["east"]).began()
        accepted, refused = [], 0
        subprocess.run(["psql", "-X", "-q", "-h", h.pg, "-U", "postgres", "-c", "select pg_switch_wal()", "-c", "checkpoint"],
                       check=True, stdout=subprocess.DEVNULL, timeout=60)
        h.wait(h.submit({"command": ["true"], "resources": SMALL}))
        filler = hub.fill(os.path.join(h.dir, "pg"), spare=1 << 20)
        end = time.monotonic() + fleet.LONG_S
        while refused < 5 and time.monotonic() < end:
            # Large labels, so that the database soon needs another page.
            status, headers, got = h.ask("POST", "/v1/jobs", {"command": ["true"], "name": f"full-{len(accepted)}", "hold": True, "resources": SMALL,
                                                             "env": {f"K{i}": os.urandom(400).hex() for i in range(5)}})
            if status == 201:
                accepted.append(json.loads(got)["id"])
            elif status == 507:
                assert int(headers["Retry-After"]) > 0, headers
                refused += 1
            else:
                assert status in (429, 503), f"{status}: {got[:300]}"
                time.sleep(0.2)
            worker.untouched()
        assert refused >= 5, f"{len(accepted)} accepted, {refused} refused with 507"
        print(f"# {len(accepted)} jobs accepted while the disk filled up, then 507", flush=True)
        worker.tell_end(0)
        until("the job has ended", worker.is_over)
    with shows("with room again it goes on by itself, and nothing that was acknowledged is lost"):
        os.unlink(filler)
        since = time.monotonic()
        job = h.submit({"command": ["true"], "resources": SMALL})
        print(f"# submits again {time.monotonic() - since:.1f} s after there was room", flush=True)
        equal(h.wait(job)["state"], "succeeded")
        worker.check("succeeded", 0)
        for number, job in enumerate(accepted):
            one = h.job(job)
            equal((one["state"], one["name"]), ("held", f"full-{number}"))
            h.patient("POST", f"/v1/jobs/{job}:release")
        for job in accepted:
            equal(h.wait(job)["state"], "succeeded")


def main():
    with hub.Hub() as h:
        h.agent("east", h.join("east"), settings={"cpus": "64", "memory": "64GiB"})
        h.wait_cluster("east", "ready")
        by_themselves(h)
        by_force(h)
        with_its_supervisor(h)
        limits(h)
        if os.geteuid() == 0:
            with_its_node(h)
        else:
            print("# not root: no host can be made to look as if it was booted anew")
    if os.geteuid() == 0:
        with_small_disks()
    else:
        print("# not root: no disk can be made that fills up")
    fleet.finish()



def with_small_disks():
    h = hub.Hub({"log_segment": "1MiB"})
    h.settings["state_dir"] = os.path.join(h.small_disk("store", "96m"), "hub")
    # Without room for its journal Postgres itself panics: full_database begins a new segment of 16 MiB before.
    h.pg = os.path.join(h.small_disk("pg", "160m"), "p")
    h.pg_settings = ["min_wal_size=32MB", "max_wal_size=64MB"]
    h.small_disk("agent-small", "48m")
    with h:
        for name in ("east", "small"):
            h.agent(name, h.join(name), settings={"cpus": "64", "memory": "64GiB"})
            h.wait_cluster(name, "ready")
        full_log_store(h)
        given_up(h)
        full_node(h)
        full_database(h)


main()
