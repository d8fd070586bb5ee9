"""A cluster that was away for longer than its certificate lasts comes back by itself; one that was cut off never does, but a
new join token lets any of them in again, with its jobs; and the agent's log says in words why it is refused."""
import time

import fleet
import hub
from fleet import equal, shows, until

LIFETIME = {"api_tls": "on", "agent_certificate_lifetime": "20s"}
SMALL = {"cpu": "10m"}


def lasting(h, cluster, seconds):
    job = h.submit({"command": ["sh", "-c", f"sleep {seconds}; echo done"], "clusters": [cluster], "resources": SMALL})
    h.wait(job, "running")
    return job


def leave(agent):
    agent.kill()
    agent.wait()


def check(h, job):
    done = h.wait(job)
    equal((done["state"], len(done["attempts"])), ("succeeded", 1))
    until("its output is whole", lambda: h.output(job) == b"done\n")


def expired(h):
    with shows("a cluster whose certificate expired while it was away comes back by itself, with its jobs"):
        agent = h.agent("away", h.join("away"))
        h.wait_cluster("away", "ready")
        job = lasting(h, "away", 45)
        leave(agent)
        time.sleep(25)
        h.agent("away")
        h.wait_cluster("away", "ready", limit_s=60)
        check(h, job)
        before = h.api("GET", "/v1/clusters/away")["certificateGeneration"]
        until("it renews on", lambda: h.api("GET", "/v1/clusters/away")["certificateGeneration"] > before, 60)
        h.wait_cluster("away", "ready", limit_s=60)


def revoked(h):
    with shows("a revoked cluster never comes back by itself, expired or not, and its agent says why"):
        agent = h.agent("cut", h.join("cut"))
        h.wait_cluster("cut", "ready")
        job = lasting(h, "cut", 60)
        h.api("POST", "/v1/clusters/cut:revoke")
        h.wait_cluster("cut", "revoked")
        words = "cluster cut is revoked; 'fairlead cluster join cut' makes a token that lets it in again"
        until("the agent says so", lambda: any("event=refused" in line and words in line for line in h.log("agent-cut").splitlines()))
        leave(agent)
        time.sleep(22)
        told = h.log("agent-cut").count("event=refused")
        agent = h.agent("cut")
        until("it is refused again", lambda: h.log("agent-cut").count("event=refused") > told)
        equal(h.state("cut"), "revoked")
    with shows("a new join token lets it in again, and its job is kept"):
        leave(agent)
        h.agent("cut", h.join("cut"))
        h.wait_cluster("cut", "ready")
        check(h, job)


def too_late(h):
    with shows("beyond agent_rejoin an expired certificate is refused in words, and a join token lets the cluster in"):
        agent = h.agent("late", h.join("late"))
        h.wait_cluster("late", "ready")
        leave(agent)
        time.sleep(25)
        agent = h.agent("late")
        until("the agent says so", lambda: any(
            "event=refused" in line and "certificate of cluster late expired" in line and "fairlead cluster join late" in line
            for line in h.log("agent-late").splitlines()))
        leave(agent)
        used = h.join("late")
        h.agent("late", used)
        h.wait_cluster("late", "ready")


def main():
    with hub.Hub(LIFETIME) as h:
        expired(h)
        revoked(h)
    with hub.Hub({**LIFETIME, "agent_rejoin": "1s"}) as h:
        too_late(h)
    fleet.finish()


main()
