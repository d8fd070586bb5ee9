"""The load: jobs of all kinds, drawn from the seed, each with a key; some are cancelled, held, retried, some followed."""
import json
import os
import random
import threading
import time

import fleet
from follower import Follower

TASK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "task.py")
FOLLOWERS_MAX = 24  # at a time
DEADLINE_S = 6


class Job:
    def __init__(self, number, kind, document):
        self.number, self.kind, self.document, self.key = number, kind, document, f"campaign-{number}"
        self.id, self.retry_of, self.is_cancelled, self.follower = None, None, False, None
        self.is_weak = False  # a restore came over it
        self.is_lost = False  # a restore forgot it
        self.state = None     # its last answer, once it has ended
        self.first = None     # a broken gang's: the rank that fails, and its exit code


def drawn(folder, number, rng):
    kind = rng.choices(("plain", "fail", "once", "array", "gang", "broken", "cancel", "deadline", "held"), (8, 2, 3, 3, 3, 3, 2, 3, 1))[0]
    seconds, lines = rng.choice((0.05, 0.5, 2, 5)), rng.choice((1, 3, 40, 200))
    word, first = {"fail": "3", "once": "once"}.get(kind, "0"), None
    document = {"name": f"campaign-{number}", "resources": {"cpu": "50m", "memory": "8Mi"}}
    if kind == "fail":
        document["retry"] = rng.choice((0, 1))
    elif kind == "once":
        document["retry"] = 2
    elif kind == "array":
        document["array"], seconds, lines = rng.randrange(2, 25), rng.choice((0.05, 0.5)), 3
    elif kind == "gang":
        document["replicas"] = rng.randrange(2, 5)
    elif kind == "broken":  # a gang: one rank fails, and the others are stopped
        document["replicas"], document["retry"] = rng.randrange(3, 5), rng.choice((0, 1))
        first = rng.randrange(document["replicas"]), rng.randrange(2, 100)
        word = "{}:{}".format(*first)
    elif kind == "cancel":
        seconds, lines = 600, 6000
    elif kind == "deadline":
        seconds, lines, document["deadline"] = 600, 6000, f"{DEADLINE_S}s"
    elif kind == "held":
        document["hold"] = True
    document["command"] = ["/usr/bin/python3", "-SE", TASK, folder, word, str(seconds), str(lines)]
    job = Job(number, kind, document)
    job.first = first
    return job


class Load(threading.Thread):
    def __init__(self, h, seed):
        super().__init__(daemon=True)
        self.h, self.rng = h, random.Random(f"{seed} load")
        self.jobs, self.asked_again, self.error, self.is_over = [], 0, None, False
        self.lock = threading.Lock()  # held through each request, and by a backup or a restore
        self.cancels = []

    def run(self):
        number = 0
        try:
            while not self.is_over:
                number += 1
                self.submit(drawn(self.h.dir, number, self.rng))
                self.rest(self.rng.uniform(0.3, 1.2))
        except Exception as error:  # told to the test, which fails with it
            self.error = error

    def submit(self, job):
        with self.lock:
            job.id = self.h.submit(job.document, job.key, limit_s=180)
            self.jobs.append(job)
            if job.number % 5 == 0:
                fleet.equal(self.h.submit(job.document, job.key, limit_s=180), job.id, "the job of a repeated key")
                self.asked_again += 1
        alive = sum(1 for one in self.jobs if one.follower and one.follower.ended_at is None and not one.follower.is_stopped)
        if self.rng.random() < 0.5 and alive < FOLLOWERS_MAX:
            job.follower = Follower(self.h, job.id)
        if job.kind == "cancel":
            self.cancels.append((job, "cancel", job.number + self.rng.randrange(1, 8)))
        elif job.kind == "held":
            self.cancels.append((job, "release", job.number + self.rng.randrange(1, 8)))
        elif job.kind == "fail" and self.rng.random() < 0.5:
            self.cancels.append((job, "retry", job.number + 20))

    def rest(self, seconds):
        number = self.jobs[-1].number
        for one in [one for one in self.cancels if one[2] <= number or self.is_over]:
            self.cancels.remove(one)
            self.act(one[0], one[1])
        time.sleep(seconds)

    def act(self, job, verb):
        with self.lock:
            if job.is_lost or job.is_weak:
                return
            if verb == "retry":
                if self.h.job(job.id)["state"] != "failed":
                    return
                again = Job(-job.number, "fail", job.document)
                again.key, again.retry_of = f"campaign-retry-{job.number}", job.id
                answer = json.loads(self.h.patient("POST", f"/v1/jobs/{job.id}:retry", {}, {"Idempotency-Key": again.key}, limit_s=180))
                again.id = answer["id"]
                self.jobs.append(again)
                return
            try:
                self.h.patient("POST", f"/v1/jobs/{job.id}:{verb}", limit_s=180)
                job.is_cancelled |= verb == "cancel"
            except fleet.Problem as problem:
                if problem.status != 409:  # it has just ended; or our first asking was done, and its answer lost
                    raise

    def finish(self):
        """Ends the load: cancels long jobs, releases held ones, and all jobs end."""
        self.is_over = True
        self.join(200)
        if self.error:
            raise self.error
        for job in self.jobs:
            if job.kind in ("cancel", "held") and not job.is_lost:
                self.end(job)

    def end(self, job):
        """Ends the job in any state that a restore has left it in."""
        for verb in ("release", "cancel") if job.kind == "held" else ("cancel",):
            try:
                if job.kind == "cancel" or verb == "release":
                    self.h.patient("POST", f"/v1/jobs/{job.id}:{verb}", limit_s=180)
                    job.is_cancelled |= verb == "cancel"
            except fleet.Problem as problem:
                if problem.status != 409:
                    raise
