"""Clocks that are wrong: a day forward and back at the hub, at Postgres and at an agent, the second at which 32 bits end, an
agent that believes in 2038, and a hub that was off when it was installed.  Deadlines, tokens, tunnels and jobs go by elapsed
time; the log names the skew."""
import time

import clocks
import fleet
import hub
from fleet import equal, shows, until

DAY_S = 86400
SMALL = {"cpu": "10m", "memory": "8Mi"}
ROOM = {"cpus": "8", "memory": "8GiB"}
DEADLINE_S = 12
BITS_31 = 1 << 31
# Prints the time from its start to its SIGTERM, by the monotonic clock, which the test does not set.
PATIENT = ("import signal,time,sys\n"
           "began=time.monotonic()\n"
           "def end(*_):\n print(time.monotonic()-began,flush=True)\n sys.exit(1)\n"
           "signal.signal(signal.SIGTERM,end)\n"
           "print('begun',flush=True)\n"
           "time.sleep(600)\n")


class World(clocks.Clocked, hub.Hub):
    def __init__(self, ahead_s=0, settings=None):
        super().__init__({"api_tls": "on", **(settings or {})})
        self.make_clocks("fairleadd", "postgres", "east")
        self.began = int(time.time())
        self.set(ahead_s)
        self.agents = {}

    def set(self, seconds, *names):
        for name in names or self.clocks:
            self.clocks[name].step(seconds)

    def begin(self, token=None):
        self.agents["east"] = self.agent("east", token, settings=ROOM)
        self.wait_cluster("east", "ready")

    def agent_again(self):
        self.agents["east"].kill()
        self.agents["east"].wait()
        self.begin()

    def hub_again(self):
        self.kill()
        self.start()
        self.wait_cluster("east", "ready")


def runs(h):
    equal(h.wait(h.submit({"command": ["true"], "resources": SMALL}))["state"], "succeeded")


def patient(h):
    job = h.submit({"command": ["/usr/bin/python3", "-SE", "-c", PATIENT], "deadline": f"{DEADLINE_S}s", "resources": SMALL})
    until("it runs", lambda: h.output(job) == b"begun\n")
    return job


def in_time(h, job):
    """Neither early nor never."""
    done = h.wait(job)
    equal(done["reason"], "DeadlineExceeded")
    until("its output is whole", lambda: len(h.output(job).split()) == 2)
    ran_s = float(h.output(job).split()[1])
    print(f"# a deadline of {DEADLINE_S} s came after {ran_s:.1f} s", flush=True)
    assert ran_s > DEADLINE_S - 1.5, f"its deadline of {DEADLINE_S} s came after {ran_s:.1f} s"


def steps(h):
    lasting = h.submit({"command": ["sleep", "600"], "resources": SMALL})
    h.wait(lasting, "running")
    token = h.api("POST", "/v1/tokens", {"name": "brief", "scopes": ["read"], "ttlSeconds": 600})["token"]
    for name, again in (("fairleadd", h.hub_again), ("postgres", h.hub_again), ("east", h.agent_again)):
        for seconds in (DAY_S, -DAY_S):
            with shows(f"a step of {seconds // 3600:+d} h of the clock of {name}, and a restart: no deadline is early, no token void, no job touched"):
                job = patient(h)
                h.set(seconds, name)
                again()
                in_time(h, job)
                h.api("GET", "/v1/jobs", token=token)
                runs(h)
                until("the tunnel can be made anew", lambda: h.state("east") == "ready", 30)
                h.set(0, name)
                again()
                runs(h)
                one = h.job(lasting)
                equal((one["state"], len(one["attempts"])), ("running", 1))
    with shows("the log names a certificate that begins in the future of an agent's clock"):
        h.set(-2 * DAY_S, "east")
        h.agent_again()
        until("the agent names it", lambda: "event=clock_skew" in h.log("agent-east"))
        h.set(0, "east")
        h.agent_again()


def far_ahead(h):
    with shows("an agent that believes in 2038 refuses what has ended by its clock, and comes back with its jobs when it is set right"):
        job = h.submit({"command": ["sh", "-c", f"until [ -e {h.dir}/go ]; do sleep 0.1; done; echo done"], "resources": SMALL})
        h.wait(job, "running")
        h.set(BITS_31 - int(time.time()) + 60, "east")
        agent = h.agents["east"]
        agent.kill()
        agent.wait()
        h.agents["east"] = h.agent("east", settings=ROOM)
        until("it says that a certificate has expired", lambda: "expired" in h.log("agent-east"), 60)
        assert h.state("east") != "ready"
        h.set(0, "east")
        h.wait_cluster("east", "ready", limit_s=60)
        with open(f"{h.dir}/go", "w"):
            pass
        done = h.wait(job)
        equal((done["state"], len(done["attempts"])), ("succeeded", 1))
        until("its output is whole", lambda: h.output(job) == b"done\n")


def end_of_31_bits():
    with World(BITS_31 - int(time.time()) - 20) as h:
        with shows("a whole fleet lives over the second at which 31 bits end: a deadline, a restart of each, a new enrolment"):
            h.begin(h.join("east"))
            job = patient(h)
            assert h.job(job)["submittedAt"].startswith("2038-01-19T03:1"), h.job(job)["submittedAt"]
            in_time(h, job)
            until("it is over", lambda: time.time() + BITS_31 - h.began - 20 > BITS_31 + 2, 60)
            h.agent_again()
            h.hub_again()
            runs(h)
            h.agent("west", h.join("west"), settings=ROOM)
            h.wait_cluster("west", "ready")
            assert h.job(h.submit({"command": ["true"], "hold": True}))["submittedAt"] > "2038-01-19T03:14:07"


def installed(ahead_s):
    """The CA and the first certificates have times that all others take for wrong."""
    h = World()
    h.set(ahead_s, "fairleadd")

    def generation():
        return h.api("GET", "/v1/clusters/east")["certificateGeneration"]

    with h:
        with shows(f"a hub that was {ahead_s // 3600:+d} h off when it was installed and an agent enrolled, and is set right: both come back, and another enrols"):
            h.begin(h.join("east"))
            job = h.submit({"command": ["sh", "-c", f"until [ -e {h.dir}/go ]; do sleep 0.1; done; echo done"], "resources": SMALL})
            h.wait(job, "running")
            h.set(0, "fairleadd")
            h.hub_again()
            h.agent_again()
            with open(f"{h.dir}/go", "w"):
                pass
            done = h.wait(job)
            equal((done["state"], len(done["attempts"])), ("succeeded", 1))
            runs(h)
            h.agent("west", h.join("west"), settings=ROOM)
            h.wait_cluster("west", "ready")
        if ahead_s > 0:
            with shows("the hub's log names a certificate that begins in the future of its clock, which counts until its agent has the next one"):
                until("the hub names it", lambda: "event=clock_skew" in h.log("fairleadd"))
                until("it is renewed", lambda: generation() == 2)
                h.wait_cluster("east", "ready")
        else:
            with shows("the agent's certificate, which had expired, is renewed"):
                until("it is renewed", lambda: generation() == 2)
                h.wait_cluster("east", "ready")


def main():
    with World() as h:
        h.begin(h.join("east"))
        steps(h)
        far_ahead(h)
    for ahead_s in (DAY_S, -2 * DAY_S):  # the certificate lasts for a day
        installed(ahead_s)
    end_of_31_bits()


main()
fleet.finish()
