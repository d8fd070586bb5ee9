"""The control plane, its database, agents and tunnels go away for a while, under jobs that run: none of them is touched,
what happened meanwhile is known afterwards, and nothing is acknowledged that does not come true.

The same jobs live through all of it; that they did is known from their process and from the ledger they write."""
import json
import os
import random
import subprocess
import threading
import time

import fleet
import hub
import relay
from fleet import equal, shows, until
from workers import Worker, watch

CLUSTERS = ("east", "west", "north")
SILENT = "south"  # it takes a minute until silence is called so, and the other tests go on meanwhile
DOWN_S = fleet.by_mode(4, 20, 120)


class World:
    def __init__(self, h):
        self.h = h
        self.relays = {name: relay.Relay(h.ports["tunnel"]) for name in (*CLUSTERS, SILENT)}
        self.agents = {}
        for name in CLUSTERS:
            self.start_agent(name, h.join(name))
        self.ready()
        self.lasting = [Worker(h, f"lasting-{name}", clusters=[name]) for name in CLUSTERS]
        for worker in self.lasting:
            worker.began()
        self.number = 0

    def start_agent(self, name, token=None):
        self.agents[name] = self.h.agent(name, token, settings={"hub": f"127.0.0.1:{self.relays[name].port}", "cpus": "64", "memory": "64GiB"})

    def ready(self):
        for name in CLUSTERS:
            self.h.wait_cluster(name, "ready")

    def worker(self, cluster):
        self.number += 1
        return Worker(self.h, f"passing-{self.number}", clusters=[cluster]).began()


def timed(what, since):
    print(f"# {what}: {time.monotonic() - since:.1f} s", flush=True)


def without_control_plane(w):
    passing = [w.worker("east"), w.worker("west")]
    late = w.h.submit({"command": ["sleep", "600"], "deadline": "2s", "hold": True})
    twice = w.h.submit({"command": ["sh", "-c", "exit 9"], "retry": 1, "hold": True})
    with shows(f"{DOWN_S} s without the control plane touch no job"):
        w.h.kill()
        watch(w.lasting + passing, DOWN_S / 4)
        passing[0].tell_end(0)
        passing[1].tell_end(3)
        watch(w.lasting, DOWN_S * 3 / 4)
        until("both have ended", lambda: all(worker.is_over() for worker in passing))
    with shows("the ends of jobs meanwhile are known afterwards: exit codes and all of the output"):
        since = time.monotonic()
        w.h.start()
        timed("control plane ready after its start", since)
        passing[0].check("succeeded", 0)
        passing[1].check("failed", 3)
        timed("all known after its start", since)
        w.ready()
        watch(w.lasting, 1)
    with shows("it schedules again"):
        equal(w.h.wait(w.h.submit({"command": ["true"]}))["state"], "succeeded")
        timed("a new job has run after its start", since)
    with shows("a job that had not started has the deadline and the retries that it came with"):
        for job in (late, twice):
            w.h.patient("POST", f"/v1/jobs/{job}:release")
        equal(w.h.wait(late)["reason"], "DeadlineExceeded")
        equal([one["exitCode"] for one in w.h.wait(twice)["attempts"]], [9, 9])


def without_database(w):
    passing = [w.worker("east"), w.worker("west")]
    with shows(f"{DOWN_S} s without Postgres touch no job, and answers ask clients to come back"):
        w.h.postgres("down")
        end = time.monotonic() + DOWN_S
        watch(w.lasting + passing, DOWN_S / 4)
        passing[0].tell_end(0)
        passing[1].tell_end(4)
        answers = 0
        while time.monotonic() < end or answers < 2:
            for method, path, body in (("POST", "/v1/jobs", {"command": ["true"]}), ("GET", f"/v1/jobs/{passing[0].job}", None)):
                status, headers, got = w.h.ask(method, path, body, {"Idempotency-Key": "down"} if body else None)
                equal(status, 503, f"{method} {path}: {got[:200]}")
                assert int(headers["Retry-After"]) > 0, headers
                answers += 1
            equal(w.h.ask("GET", "/livez")[0], 200)
            watch(w.lasting, 0.5)
        print(f"# {answers} requests answered with 503 and Retry-After", flush=True)
    with shows("after it everything is known, and the refused request was not done behind our back"):
        since = time.monotonic()
        w.h.postgres("up")
        job = w.h.submit({"command": ["true"]}, "down")
        timed("submits again after Postgres came", since)
        passing[0].check("succeeded", 0)
        passing[1].check("failed", 4)
        equal(w.h.wait(job)["state"], "succeeded")
        timed("all known after Postgres came", since)
        w.ready()
        watch(w.lasting, 1)


def without_agents(w):
    with shows("agents that are killed and started again adopt their jobs, and report those that ended meanwhile"):
        passing = [w.worker("east"), w.worker("east")]
        for agent in w.agents.values():
            agent.kill()
            agent.wait()
        passing[0].tell_end(5)
        until("it has ended", lambda: passing[0].is_over())
        watch(w.lasting + passing[1:], 1)
        since = time.monotonic()
        for name in CLUSTERS:
            w.start_agent(name)
        passing[0].check("failed", 5)
        timed("known after the agents' start", since)
        w.ready()
        watch(w.lasting + passing[1:], 1)
        passing[1].tell_end(0)
        passing[1].check("succeeded", 0)


def fall_silent(w):
    w.start_agent(SILENT, w.h.join(SILENT))
    w.h.wait_cluster(SILENT, "ready")
    worker = w.worker(SILENT)
    w.h.wait(worker.job, "running")
    w.agents[SILENT].kill()
    w.agents[SILENT].wait()
    return worker


def cli(w, *words):
    env = dict(os.environ, FAIRLEAD_URL=w.h.url, FAIRLEAD_TOKEN=w.h.token, XDG_CONFIG_HOME=w.h.dir)
    return subprocess.run([os.path.join(fleet.BIN, "fairlead"), *words], env=env, stdout=subprocess.PIPE, check=True, text=True,
                          timeout=fleet.LONG_S).stdout


def while_silent(w, worker):
    with shows("a job on a silent cluster says that it is unknown, since when, and what will come of it"):
        job = until("it says so", lambda: (lambda j: j if j["reason"] == "ClusterSilent" else None)(w.h.job(worker.job)))
        live = job["live"][0]
        equal((job["state"], job["elements"]["unknown"], live["state"], live["cluster"]), ("running", 1, "unknown", SILENT))
        equal(live["unknownSince"], job["unknownSince"])
        assert f"cluster {SILENT} is silent" in job["sentence"], job["sentence"]
        why = json.loads(w.h.patient("GET", f"/v1/jobs/{worker.job}/explain"))
        equal((why["reason"], why["sentence"], why["unknownSince"]), (job["reason"], job["sentence"], job["unknownSince"]))
        for words in (("describe", worker.job), ("explain", worker.job)):
            told, at = " ".join(cli(w, *words, "--utc").split()), job["unknownSince"]
            assert job["sentence"] in told and f"since {at[:10]} {at[11:19]} UTC" in told, told
        for words in (("ps",), ("get", worker.job)):
            told = cli(w, *words)
            assert "ClusterSilent, unknown for " in told, told
        worker.untouched()
    with shows("when the cluster is back it is known again, and was not touched"):
        w.start_agent(SILENT)
        until("it is known again", lambda: w.h.job(worker.job)["reason"] is None)
        job = w.h.job(worker.job)
        equal((job.get("sentence"), job["unknownSince"]), (None, None))
        equal((job["elements"]["unknown"], job["live"][0]["state"]), (0, "running"))
        worker.tell_end(6)
        worker.check("failed", 6)


def with_bad_tunnels(w):
    with shows("half-open tunnels, each way and both, are found and replaced, and touch no job"):
        ways = dict(zip(CLUSTERS, ((True, False), (False, True), (True, True))))
        passing = {name: w.worker(name) for name in CLUSTERS}
        since = time.monotonic()
        frozen = {name: w.relays[name].freeze(*ways[name]) for name in CLUSTERS}
        for name in CLUSTERS:
            equal(len(frozen[name]), 1, f"tunnels of {name}")
            passing[name].tell_end(6)
        later = {name: w.h.submit({"command": ["true"], "clusters": [name]}) for name in CLUSTERS}
        waiting = set(CLUSTERS)

        def look():
            for name in list(waiting):
                if any(wire not in frozen[name] for wire in w.relays[name].now()):
                    waiting.remove(name)
                    timed(f"{name}, without {' and '.join(way for way, is_shut in zip(('up', 'down'), ways[name]) if is_shut)}, dials again", since)
            return not waiting

        until("all have dialed again", look)
        for name in CLUSTERS:
            passing[name].check("failed", 6)
            equal(w.h.wait(later[name])["state"], "succeeded")
            relay.thaw(frozen[name])  # the bytes on their way come now, too late
        w.ready()
        watch(w.lasting, 1)
    with shows("tunnels that are cut again and again touch no job"):
        for _ in range(3):
            for name in CLUSTERS:
                w.relays[name].cut()
            watch(w.lasting, 0.5)
        w.ready()


# Lines that tell their place, and take seconds to come through.
TALKER = "for i in range({lines}): print(i, 'x' * 90, flush=i % 100 == 0)"
TALKER_LINES = fleet.by_mode(6000, 10000, 30000)


def over_a_slow_tunnel(w):
    with shows("over a tunnel of 128 KiB/s a job runs and its output is all there, while other clusters are as fast as ever"):
        wires = w.relays["east"].now()
        w.relays["east"].go_slow(4096, 1 / 32)
        passing = [w.worker("east"), w.worker("west")]
        since = time.monotonic()
        talker = w.h.submit({"command": ["python3", "-c", TALKER.format(lines=TALKER_LINES)], "clusters": ["east"]})
        equal(w.h.wait(w.h.submit({"command": ["true"], "clusters": ["west"]}))["state"], "succeeded")
        timed("a job of another cluster", since)
        for worker in passing:
            worker.tell_end(0)
        passing[1].check("succeeded")
        timed("output of another cluster", since)
        equal(w.h.wait(talker)["state"], "succeeded")
        timed("the job's end", since)
        wanted = "".join(f"{i} {'x' * 90}\n" for i in range(TALKER_LINES)).encode()
        until("its output is whole", lambda: w.h.output(talker) == wanted)
        timed(f"{len(wanted)} bytes of output", since)
        passing[0].check("succeeded")
        now = w.relays["east"].now()
        assert now and set(now) <= set(wires), "the tunnel was slow, and taken for dead"
        w.relays["east"].go_at_speed()
        w.ready()
        watch(w.lasting, 1)


def one_key(w):
    with shows("100 submits at once with one key are one job"):
        found, wrong = [], []

        def one():
            try:
                found.append(w.h.submit({"command": ["true"], "name": "once"}, "one-key", also=(409,)))
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=one) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(fleet.LONG_S)
        equal(wrong, [])
        equal((len(found), len(set(found))), (100, 1), "answers and jobs")
        page = json.loads(w.h.patient("GET", "/v1/jobs?limit=1000"))
        named = [job["id"] for job in page["jobs"] if job.get("name") == "once"]
        assert set(named) <= {found[0]}, named
        equal(w.h.wait(found[0])["state"], "succeeded")


CANCELS = fleet.by_mode(20, 120, 2000)
# It is attempted again and again, so that an attempt is about to start at any time.
RESTLESS = "echo $FAIRLEAD_JOB_ID $FAIRLEAD_ATTEMPT >>DIR/storm; sleep 0.$((RANDOM % 3)); exit 1"


def attempts_of(job):
    known = {one["attempt"] for one in job["attempts"]} | {one["attempt"] for one in job.get("live", [])}
    return max(known, default=0)


def storm(w):
    at_cancel, wrong, lock = {}, [], threading.Lock()

    def one(number):
        try:
            rng = random.Random(number)
            for turn in range(CANCELS // 10):
                job = w.h.submit({"command": ["bash", "-c", RESTLESS.replace("DIR", w.h.dir)], "retry": 20,
                                  "resources": {"cpu": "100m", "memory": "16Mi"}}, f"storm-{number}-{turn}")
                time.sleep(rng.choice([0, 0.01, 0.05, 0.3, 1.5, 4]) * rng.random())
                w.h.patient("POST", f"/v1/jobs/{job}:cancel")
                known = attempts_of(w.h.job(job))
                with lock:
                    at_cancel[job] = known
        except Exception as error:
            wrong.append(error)

    with shows(f"{CANCELS} jobs are cancelled while they start: each ends, cancelled"):
        threads = [threading.Thread(target=one, args=(number,)) for number in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * fleet.LONG_S)
        equal(wrong, [])
        for job in at_cancel:
            equal(w.h.wait(job)["state"], "cancelled", job)
    with shows("after a cancel was acknowledged no new attempt began, says the ledger"):
        begun = {}
        with open(f"{w.h.dir}/storm") as file:
            for line in file:
                job, attempt = line.split()
                begun.setdefault(job, []).append(int(attempt))
        for job, known in at_cancel.items():
            attempts = begun.get(job, [])
            assert max(attempts, default=0) <= known, f"{job}: attempts {attempts} began, {known} were known at the cancel"
            equal(len(set(attempts)), len(attempts), f"attempts of {job} that began: {attempts}")
            equal(attempts_of(w.h.job(job)), known, f"attempts of {job} now, and at the cancel")
        never = sum(1 for job in at_cancel if job not in begun)
        print(f"# {len(at_cancel)} cancelled: {never} of them never began, {sum(map(len, begun.values()))} attempts of the others", flush=True)


def main():
    with hub.Hub() as h:
        w = World(h)
        without_control_plane(w)
        without_database(w)
        without_agents(w)
        silent = fall_silent(w)
        with_bad_tunnels(w)
        over_a_slow_tunnel(w)
        one_key(w)
        storm(w)
        while_silent(w, silent)
        with shows("the jobs that lived through all of it end as ordered, with all of their output"):
            for worker in w.lasting:
                worker.tell_end(0)
            for worker in w.lasting:
                worker.check("succeeded", 0)
    fleet.finish()


main()
