"""Descriptors run out: an agent with a low limit never takes a shut gate for an open one, refuses what it cannot watch,
loses no command, and finds again all that it held, even when that is more than it may open files."""
import os
import signal
import time

import fleet
import hub
from fleet import equal, shows, until

ELEMENTS = fleet.by_mode(150, 150, 400)
SMALL = {"cpu": "1m", "memory": "1Mi"}
ROOM = {"cpus": "64", "memory": "64GiB"}


def limited(soft, hard):
    return ("prlimit", f"--nofile={soft}:{hard}")


def array(h, cluster, ledger, sleep_s, elements=ELEMENTS):
    script = f"echo $FAIRLEAD_ELEMENT >> {ledger}; exec sleep {sleep_s}"
    return h.submit({"command": ["sh", "-c", script], "array": elements, "clusters": [cluster], "resources": SMALL})


def ran(ledger):
    try:
        with open(ledger) as file:
            return sorted(int(word) for word in file.read().split())
    except FileNotFoundError:
        return []


def check(h, job, ledger, elements=ELEMENTS, limit_s=240):
    equal(h.wait(job, limit_s=limit_s)["state"], "succeeded")
    equal(ran(ledger), list(range(elements)), "what ran")


def soft(h):
    ledger = os.path.join(h.dir, "soft")
    with shows("a shell's soft limit is no limit: the agent raises its own, and its jobs get the shell's"):
        h.agent("soft", h.join("soft"), wrap=limited(100, 4096), settings=ROOM)
        h.wait_cluster("soft", "ready")
        job = array(h, "soft", ledger, 30)
        until("all run at once", lambda: len(ran(ledger)) == ELEMENTS, 60)
        told = h.submit({"command": ["sh", "-c", "ulimit -Sn"], "clusters": ["soft"], "resources": SMALL})
        equal(h.wait(told)["state"], "succeeded")
        until("the job tells its limit", lambda: h.output(told).decode().strip() == "100")
        check(h, job, ledger)


def hard(h):
    ledger = os.path.join(h.dir, "hard")
    with shows("at the hard limit starts are refused, every element runs once, and none stays behind its gate"):
        h.agent("hard", h.join("hard"), wrap=limited(100, 100), settings=ROOM)
        h.wait_cluster("hard", "ready")
        job = array(h, "hard", ledger, 3)
        check(h, job, ledger)
        until("no supervisor is left", lambda: not [pid for pid in h.supervisors() if in_state_of(h, pid, "hard")], 60)


def in_state_of(h, pid, cluster):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return f"{h.dir}/agent-{cluster}/" in file.read().decode(errors="replace")
    except OSError:
        return False


def fewer(h):
    ledger = os.path.join(h.dir, "fewer")
    with shows("an agent that may open fewer files than it has replicas comes back, and finds them all"):
        agent = h.agent("fewer", h.join("fewer"), settings=ROOM)
        h.wait_cluster("fewer", "ready")
        job = array(h, "fewer", ledger, 20)
        until("all run", lambda: len(ran(ledger)) == ELEMENTS, 60)
        agent.send_signal(signal.SIGKILL)
        agent.wait()
        again = h.agent("fewer", wrap=limited(80, 80), settings=ROOM)
        check(h, job, ledger)
        equal(again.poll(), None, "the agent's end")
        late = array(h, "fewer", ledger + "-2", 600, elements=20)
        until("all run", lambda: len(ran(ledger + "-2")) == 20, 60)
        h.patient("POST", f"/v1/jobs/{late}:cancel")
        equal(h.wait(late)["state"], "cancelled")


def main():
    with hub.Hub({}) as h:
        began = time.monotonic()
        soft(h)
        hard(h)
        fewer(h)
        print(f"# {time.monotonic() - began:.0f} s", flush=True)


main()
fleet.finish()
