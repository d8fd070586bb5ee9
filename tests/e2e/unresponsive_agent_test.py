"""A connected agent that does not answer in time: a START, an inventory and a STOP each have a limit, and what follows is
named.

The runtime is wedged in three ways: supervisors that do not get going, a tunnel through which an inventory stops midway, a
supervisor that stands still."""
import os
import signal
import subprocess

import fleet
import hub
import relay
from fleet import BIN, equal, shows, until

SMALL = {"cpu": "10m", "memory": "8Mi"}
LIMITS = {"start_timeout": "5s", "inventory_timeout": "5s", "stop_timeout": "35s"}
ROOM = {"cpus": "16", "memory": "16GiB"}
HELD = 40  # replicas that an inventory lists
# Stands before the supervisor as long as that file is there.
SLOW = "#!/bin/sh\nwhile [ -e {wedge} ]; do sleep 0.1; done\nexec {supervisor} \"$@\"\n"


def slow_supervisor(h):
    path = os.path.join(h.dir, "slow-start")
    with open(path, "w") as file:
        file.write(SLOW.format(wedge=os.path.join(h.dir, "wedge"), supervisor=os.path.join(BIN, "fairlead-supervise")))
    os.chmod(path, 0o755)
    return path


def describe(h, job):
    env = {**os.environ, "FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": h.token}
    return subprocess.run([os.path.join(BIN, "fairlead"), "describe", job], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60).stdout


def starts(h):
    wedge, ledger = os.path.join(h.dir, "wedge"), os.path.join(h.dir, "starts")
    with shows("a START that is not confirmed within start_timeout ends the attempt, uncharged, and the cluster stays"):
        h.agent("slow", h.join("slow"), settings={"supervisor": slow_supervisor(h), **ROOM})
        h.wait_cluster("slow", "ready")
        with open(wedge, "w"):
            pass
        job = h.submit({"command": ["sh", "-c", f"echo $FAIRLEAD_ATTEMPT >> {ledger}"], "clusters": ["slow"], "resources": SMALL})
        first = until("its attempt has ended", lambda: [one for one in h.job(job)["attempts"] if one.get("reason")], 60)[0]
        equal((first["attempt"], first["reason"]), (1, "StartUnconfirmed"))
        equal(h.state("slow"), "ready")
        assert h.job(job)["state"] not in ("failed", "cancelled"), h.job(job)
    with shows("once the runtime answers again the job runs, once, and succeeds without a retry"):
        os.remove(wedge)
        done = h.wait(job)
        equal(done["state"], "succeeded")
        reasons = [one["reason"] for one in done["attempts"]]
        equal((reasons[-1], set(reasons[:-1])), ("Succeeded", {"StartUnconfirmed"}))
        with open(ledger) as file:
            equal(file.read().split(), [str(done["attempts"][-1]["attempt"])], "attempts that ran")
        until("no supervisor is left", lambda: not h.supervisors(), 60)


def closed(h):
    return [line for line in h.log("agent-far").splitlines() if "the inventory did not end within 5 s; connect again" in line]


def connected(h):
    return h.log("agent-far").count("event=connected")


def inventories(h):
    with shows("a session whose inventory stops midway is closed after inventory_timeout, in words"):
        far = relay.Relay(h.ports["tunnel"])
        h.agent("far", h.join("far"), settings={"hub": f"127.0.0.1:{far.port}", **ROOM})
        h.wait_cluster("far", "ready")
        job = h.submit({"command": ["sleep", "600"], "array": HELD, "clusters": ["far"], "resources": SMALL})
        until("all run", lambda: h.job(job)["elements"]["live"] == HELD and h.job(job)["state"] == "running")
        sessions = connected(h)
        far.go_slow(100, 0.05)
        far.cut()
        until("the next session begins", lambda: connected(h) > sessions, every_s=0.01)
        far.freeze(down=False)
        until("it is closed", lambda: closed(h), 60)
    with shows("over a network that lets it through the next session lists all, and nothing was touched"):
        far.go_at_speed()
        h.wait_cluster("far", "ready")
        equal([one["attempt"] for one in h.job(job)["attempts"]], [1] * HELD)
        h.patient("POST", f"/v1/jobs/{job}:cancel")
        equal(h.wait(job)["state"], "cancelled")


def stops(h):
    with shows("a STOP that is not carried out within stop_timeout is named in describe, and the attempt is not ended"):
        h.agent("still", h.join("still"), settings=ROOM)
        h.wait_cluster("still", "ready")
        job = h.submit({"command": ["sleep", "600"], "clusters": ["still"], "resources": SMALL})
        h.wait(job, "running")
        pid = until("its supervisor is there", h.supervisors)[0]
        os.kill(pid, signal.SIGSTOP)
        try:
            h.patient("POST", f"/v1/jobs/{job}:cancel")
            until("it is named", lambda: h.job(job)["reason"] == "StopUnanswered", 90)
            assert "StopUnanswered" in describe(h, job), describe(h, job)
            equal([one.get("reason") for one in h.job(job)["attempts"]], [None], "ends of its attempt")
        finally:
            os.kill(pid, signal.SIGCONT)
    with shows("once its supervisor goes on, the job is cancelled"):
        done = h.wait(job, limit_s=90)
        equal((done["state"], [one["reason"] for one in done["attempts"]]), ("cancelled", ["Cancelled"]))
        until("no supervisor is left", lambda: not h.supervisors(), 60)


def main():
    with hub.Hub(LIMITS) as h:
        starts(h)
        inventories(h)
        stops(h)


main()
fleet.finish()
