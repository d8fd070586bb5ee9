"""A token of one queue follows events: those of jobs while they are in its queue, and nothing of others.  The test compares its
stream with the administrator's, live, after a restart, and behind each id."""
import itertools
import json
import os
import subprocess
import threading
import time
import types

import fleet
import hub
from fleet import BIN, equal, shows, until
from follower import Stream

SMALL = {"cpu": "100m", "memory": "16Mi"}
MARKS = itertools.count(1)
HELD = {"command": ["true"], "hold": True, "resources": SMALL}


class Watch(Stream):
    """Keeps the id of each event."""

    def take(self, name, data, id_):
        self.events.append((id_, name, data))


def watch(h, token, path="/v1/events"):
    stream = Watch(types.SimpleNamespace(token=token, connection=h.connection), path)
    until("it follows", lambda: stream.status == 200)
    return stream


def behind(h, token, last, count, limit_s=60, path="/v1/events", told=None):
    """The first events behind that id, and the id of the sign of life that comes after them.  'told' gets their data."""
    connection = h.connection(timeout=limit_s)
    deadline = time.monotonic() + limit_s
    got, id_, name, data = [], None, None, None
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}", "Last-Event-ID": last})
        answer = connection.getresponse()
        equal(answer.status, 200)
        while True:
            line = answer.readline()
            if not line or time.monotonic() > deadline:
                raise AssertionError(f"{path} behind {last}: {'late' if line else 'it ended'} with {got}, wanted {count} events")
            word, _, value = line.decode().rstrip("\n").partition(": ")
            if word == "id":
                id_ = value
            elif word == "event":
                name = value
            elif word == "data":
                data = value
            elif not word:
                if data is not None:
                    got.append((id_, name))
                    if told is not None:
                        told.append(json.loads(data))
                elif id_ is not None and len(got) >= count:
                    return got, id_
                id_, name, data = None, None, None
    finally:
        connection.close()


def place(id_):
    return tuple(int(part) for part in id_.split("."))


def seen_by(queue, events):
    """The part of all these events that a token of that queue gets; a second statement of the rule."""
    queues, told = {}, []
    for id_, name, data in events:
        job = data.get("job")
        if name == "queue.changed":
            wanted = data["queue"] == queue
        elif job is None:
            wanted = True
        else:
            was = data["queue"] if name == "job.submitted" else queues.get(job)
            becomes = data.get("queue", was)
            wanted = queue in (was, becomes)
            if wanted and becomes != queue:
                name = "job.left"
            queues[job] = becomes
        if wanted:
            told.append((id_, name))
    return told


def ids(stream):
    return [(id_, name) for id_, name, _ in list(stream.events)]


def mark(h, everything):
    """Two events that all may see, behind all others."""
    reason = f"mark {next(MARKS)}"
    h.api("POST", "/v1/clusters/east:cordon", {"reason": reason})
    h.api("POST", "/v1/clusters/east:uncordon", {})
    until(reason, lambda: reason in [data.get("cordon") for data in texts(everything)[:-1]])


def agree(h, everything, streams):
    """Behind a mark, where all streams stand still, each limited one has exactly its part."""
    mark(h, everything)
    for queue, stream in streams.items():
        until(f"{queue}'s stream has its part", lambda: ids(stream) == seen_by(queue, list(everything.events)), 60)


def submits(h, queue, count, **more):
    return [h.submit(dict(HELD, queue=queue, name=f"{queue}-{number}", **more)) for number in range(count)]


def move(h, job, queue, **more):
    h.api("PATCH", f"/v1/jobs/{job}", {"queue": queue, **more})


def texts(stream):
    return [data for _, _, data in list(stream.events)]


def lives(h, everything, streams):
    with shows("each token follows its queue's jobs, and no others"):
        a, b = submits(h, "team-a", 3), submits(h, "team-b", 3)
        h.api("POST", f"/v1/jobs/{a[0]}:release", {})
        h.wait(a[0], "succeeded")
        h.api("POST", f"/v1/jobs/{b[0]}:cancel", {})
        h.wait(b[0], "cancelled")
        agree(h, everything, streams)
        for queue, stream in streams.items():
            own = {"team-a": a, "team-b": b}.get(queue, [])
            equal({data["job"] for data in texts(stream) if "job" in data}, set(own))
        assert any(name == "replica.changed" for _, name, _ in streams["team-a"].events), ids(streams["team-a"])
        assert not any("team-b" in str(data) for data in texts(streams["team-a"])), texts(streams["team-a"])
    with shows("a move is an event of both queues, and later events are the new one's alone"):
        move(h, a[1], "team-b", name="moved", labels={"of": "b"})
        h.api("POST", f"/v1/jobs/{a[1]}:release", {})
        h.wait(a[1], "succeeded")
        agree(h, everything, streams)
        equal([name for _, name, data in streams["team-a"].events if data.get("job") == a[1]], ["job.submitted", "job.held", "job.left"])
        left = next(data for data in texts(streams["team-a"]) if data["type"] == "job.left")
        equal(sorted(left), ["at", "job", "type"])
        names = [name for _, name, data in streams["team-b"].events if data.get("job") == a[1]]
        equal((names[0], names[-1]), ("job.edited", "job.ended"))
    with shows("many jobs move to and fro at once, and each stream has its part"):
        jobs = submits(h, "team-a", 4) + submits(h, "team-b", 4)

        def wander(job, start):
            for step in range(6):
                move(h, job, ("team-a", "team-b")[(start + step) % 2])

        threads = [threading.Thread(target=wander, args=(job, number)) for number, job in enumerate(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for job in jobs:
            h.api("POST", f"/v1/jobs/{job}:cancel", {})
        for job in jobs:
            h.wait(job, "cancelled")
        agree(h, everything, streams)
    return a[2], b[2]


def restart(h, everything, streams, own, other):
    with shows("after a restart nothing is missing and nothing leaks, of jobs that this process never saw submitted too"):
        h.kill()
        h.start()
        for job in (own, other):
            h.api("POST", f"/v1/jobs/{job}:release", {})
            h.wait(job, "succeeded")
        agree(h, everything, streams)


def resumes(h, everything, tokens):
    with shows("behind each id a token goes on with exactly what its queue has there"):
        events = list(everything.events)
        for at in range(0, len(events) - 1):
            for queue in ("team-a", "team-b"):
                wanted = [item for item in seen_by(queue, events) if place(item[0]) > place(events[at][0])]
                got, life = behind(h, tokens[queue], events[at][0], len(wanted))
                equal(got, wanted, f"{queue} behind {events[at][0]}")
                assert place(life) >= place(events[-1][0]), (life, events[-1])
    with shows("a silent stream says the id from which to go on, past rows that are not its own"):
        job = submits(h, "team-a", 1)[0]
        until("its event", lambda: everything.events[-1][2].get("job") == job)
        got, life = behind(h, tokens["team-b"], events[-1][0], 0)
        deadline = time.monotonic() + 20
        while place(life) < place(everything.events[-1][0]) and time.monotonic() < deadline:
            got, life = behind(h, tokens["team-b"], events[-1][0], 0)
        equal(got, [])
        assert place(life) >= place(everything.events[-1][0]), (life, everything.events[-1])
        h.api("POST", f"/v1/jobs/{job}:cancel", {})


def one_job(h, tokens):
    with shows("a stream of one job ends where the job leaves the token's queue, and does not name the other"):
        job = submits(h, "team-a", 1)[0]
        stream = watch(h, tokens["team-a"], path=f"/v1/jobs/{job}/events")
        until("its beginning", lambda: stream.events)
        move(h, job, "team-b")
        until("the job left", lambda: stream.events[-1][1] == "job.left")
        h.api("POST", f"/v1/jobs/{job}:cancel", {})
        h.wait(job, "cancelled")
        until("the token does not see it any more", lambda: stream.status == 404)
        stream.stop()
        assert "team-b" not in str(texts(stream)), stream.events
        later = watch(h, tokens["team-b"], path=f"/v1/jobs/{job}/events")
        until("its end", lambda: later.events and later.events[-1][1] == "job.ended")
        later.stop()
        equal({data.get("queue") for data in texts(later)}, {None, "team-b"})


def members(h):
    """A token of each team that may do things, by its name."""
    return {name: h.api("POST", "/v1/tokens", {"name": name, "scopes": ["read", "submit", "cancel"], "queue": queue})["token"]
            for queue, name in (("team-a", "ann"), ("team-b", "bob"))}


def comes_back(h, members):
    with shows("a job that left and came back is followed behind each id, and who did it while it was elsewhere is not told"):
        job = h.submit(dict(HELD, queue="team-a", name="back", resources={"cpu": "1000"}), waits=True)

        def deed(verb, who):
            h.api("POST", f"/v1/jobs/{job}:{verb}", {}, token=members[who])

        def patch(**change):
            h.api("PATCH", f"/v1/jobs/{job}", change)

        patch(priority=-1000)
        deed("release", "ann")
        deed("hold", "ann")
        move(h, job, "team-b")
        deed("release", "bob")
        deed("hold", "bob")
        move(h, job, "team-a", hold=False)
        deed("hold", "ann")
        path = f"/v1/jobs/{job}/events"
        whole, own = watch(h, h.token, path), watch(h, members["ann"], path)
        wanted = ["job.submitted", "job.held", "job.edited", "job.released", "job.held", "job.edited", "job.released", "job.held", "job.edited",
                  "job.released", "job.held"]
        for stream in (whole, own):
            until("its history", lambda stream=stream: len(stream.events) >= len(wanted))
            stream.stop()
            equal([name for _, name, _ in stream.events], wanted)
        deeds = [data["by"].split()[1] for data in texts(whole)[2:] if "by" in data]
        equal(deeds, ["ann", "ann", "bob", "bob", "first-admin", "ann"])
        equal([data.get("by") for data in texts(own)], [None, None, None, "ann", "ann", None, None, None, None, "first-admin", "ann"])
        for at, (id_, _, _) in enumerate(own.events[:-1]):
            told = []
            got, _ = behind(h, members["ann"], id_, len(wanted) - at - 1, path=path, told=told)
            equal(got, ids(own)[at + 1:], f"behind {id_}")
            equal(told, texts(own)[at + 1:], f"behind {id_}")
        got = []
        last = threading.Thread(target=lambda: got.extend(behind(h, members["ann"], own.events[-1][0], 1, path=path)[0]))
        last.start()
        deed("release", "ann")
        last.join()
        equal([name for _, name in got], ["job.released"])
        h.api("POST", f"/v1/jobs/{job}:cancel", {})


def command_line(h, token):
    with shows("the command line says that a job has moved to another queue, and ends"):
        env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=token, XDG_CONFIG_HOME=h.dir, XDG_STATE_HOME=h.dir)

        def begin(*words):
            return subprocess.Popen([os.path.join(BIN, "fairlead"), *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def queued():
            return [job["id"] for job in h.api("GET", "/v1/jobs?queue=team-a&name=waits&state=open")["jobs"]]

        run = begin("run", "--queue", "team-a", "--name", "waits", "--cpus", "1000", "--wait-for-cluster", "true")
        job = until("it is submitted", queued)[0]
        events, wait = begin("events", job), begin("wait", job)
        until("its events are followed", lambda: "job.submitted" in events.stdout.readline())
        move(h, job, "team-b")
        said = [(program.communicate(timeout=60), program.returncode) for program in (run, events, wait)]
        (_, run_said), run_code = said[0]
        equal(run_code, 1, run_said)
        assert f"{job} moved to another queue, which this token does not see" in run_said, run_said
        (events_told, events_said), events_code = said[1]
        equal((events_code, events_said), (0, ""))
        assert events_told.splitlines()[-1].split()[-2:] == ["job.left", job], events_told
        equal(said[2][1], 1, said[2])
        h.api("POST", f"/v1/jobs/{job}:cancel", {})


def main():
    with hub.Hub({"heartbeat": "100ms"}) as h:
        for queue in ("team-a", "team-b", "team-c"):
            h.api("POST", "/v1/queues", {"name": queue})
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        tokens = {queue: h.api("POST", "/v1/tokens", {"name": queue, "scopes": ["read"], "queue": queue})["token"]
                  for queue in ("team-a", "team-b", "team-c")}
        everything = watch(h, h.token)
        streams = {queue: watch(h, token) for queue, token in tokens.items()}
        mark(h, everything)
        own, other = lives(h, everything, streams)
        with shows("a queue that is removed and made again is followed as before"):
            h.api("DELETE", "/v1/queues/team-c")
            h.api("POST", "/v1/queues", {"name": "team-c"})
            submits(h, "team-c", 1)
            agree(h, everything, streams)
            equal([name for _, name in ids(streams["team-c"])][-6:],
                  ["queue.changed", "queue.changed", "job.submitted", "job.held", "cluster.changed", "cluster.changed"])
        restart(h, everything, streams, own, other)
        resumes(h, everything, tokens)
        one_job(h, tokens)
        team = members(h)
        comes_back(h, team)
        command_line(h, team["ann"])
        for stream in (everything, *streams.values()):
            stream.stop()
    fleet.finish()


main()
