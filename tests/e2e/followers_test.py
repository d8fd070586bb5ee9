"""When a follower hears the end: not before the first byte of an output that is still to come, not later than 5 s once it
cannot come any more, and with a word when its token ends.  A read before the end says that more is to come."""
import os
import re
import signal
import subprocess
import time
import urllib.request

import fleet
import hub
from fleet import BIN, equal, shows, until
from follower import Follower, Stream

SMALL = {"cpu": "100m", "memory": "16Mi"}


def read(path):
    with open(path) as file:
        return file.read()


def extent(h, job):
    status, headers, body = h.ask("GET", f"/v1/jobs/{job}/logs")
    equal(status, 200)
    return headers["X-Fairlead-Output"], body


def gauge(h, name):
    """A figure of the control plane's own."""
    request = urllib.request.Request(f"http://127.0.0.1:{h.metrics}/metrics", headers={"Authorization": f"Bearer {h.token}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return float(re.search(rf"^{name} (.*)$", answer.read().decode(), re.M)[1])


def killed_hub(h):
    with shows("followers that wait through a kill -9 of the control plane hear every output before the end"):
        jobs = [h.submit({"command": ["sh", "-c", f"sleep 20; echo {number}"], "resources": {"cpu": "10m", "memory": "1Mi"}}) for number in range(40)]
        followers = [Follower(h, job) for job in jobs]
        # An attempt that was placed and never arrived leaves a gap; that is another case.
        until("all run", lambda: all(h.api("GET", f"/v1/jobs/{job}")["state"] == "running" for job in jobs), 60)
        h.kill()
        time.sleep(1.5)
        h.start()
        for number, follower in enumerate(followers):
            equal(follower.wait(60), "complete")
            equal(follower.text(), f"{number}\n")


def long_journal(h):
    """Followers of all events come to a front that has just begun, with a place that is the last row of a batch."""
    h.kill()
    subprocess.run(["psql", "-q", "-h", h.pg, "-U", "postgres", "-c", "update journal set batch = batch + 50000, prev = prev + 50000"], check=True, timeout=60)
    h.start()
    with shows("followers of all events that come back while the control plane starts miss nothing, and are not told to look anew"):
        streams = [Stream(h, "/v1/events") for _ in range(16)]
        jobs = []
        for _ in range(4):
            until("all follow", lambda: all(stream.status == 200 for stream in streams))
            jobs.append(h.submit({"command": ["true"], "resources": SMALL}))
            h.wait(jobs[-1])
            until("each stream has its end", lambda: all(("job.ended", jobs[-1]) in [(name, event.get("job")) for name, event in stream.events] for stream in streams))
            for stream in streams:
                stream.status = None
            h.kill()
            h.start()
        for stream in streams:
            equal([event for name, event in stream.events if name == "reset"], [])
            equal([event["job"] for name, event in stream.events if name == "job.ended"], jobs)
            stream.stop()


def still_to_come(h):
    with shows("output that is still with its agent when its job ends is awaited, by a read, a follower and the CLI"):
        before = gauge(h, "fairlead_log_sources")
        filler = hub.fill(h.settings["state_dir"])
        job = h.submit({"command": ["sh", "-c", "yes | head -c 300000"], "resources": SMALL})
        follower = Follower(h, job)
        equal(h.wait(job)["state"], "succeeded")
        equal(extent(h, job)[0], "more")
        equal([gauge(h, f"fairlead_log_sources{which}") for which in ("", "_max")], [before + 1, 262144])
        said = os.path.join(h.dir, "said")
        with open(said, "wb") as err:
            cli = subprocess.Popen([os.path.join(BIN, "fairlead"), "logs", "-f", job, "--raw"], stdout=subprocess.PIPE, stderr=err,
                                   env={**os.environ, "FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": h.token})
        until("the follower sees the output that it waits for", lambda: "waiting" in dict(follower.events), 60)
        told = dict(follower.events)["waiting"]
        equal((told["outputs"], told["element"], told["attempt"], told["replica"], told["cluster"]), (1, 0, 1, 0, "east"))
        until("the CLI says what it waits for", lambda: "waiting for the end of 1 output: element 0, attempt 1, replica 0 on east" in read(said), 60)
        assert follower.ended_at is None and cli.poll() is None
        os.remove(filler)
        equal(follower.wait(60), "complete")
        equal(len(follower.text()), 300000)
        out, _ = cli.communicate(timeout=60)
        equal((cli.returncode, len(out)), (0, 300000))
        equal((extent(h, job)[0], len(extent(h, job)[1])), ("complete", 300000))


def remove(h, agent):
    agent.kill()
    until("its connection is lost", lambda: h.state("west") != "ready")
    h.api("DELETE", "/v1/clusters/west")


def removed_clusters(h):
    with shows("an attempt whose cluster is removed ends with a gap, and followers hear the end at most 5 s behind the job's"):
        west = h.agent("west", h.join("west"))
        h.wait_cluster("west", "ready")
        job = h.submit({"command": ["sh", "-c", f"echo begun; [ -e {h.dir}/again ] || sleep 600"], "resources": SMALL, "clusters": ["west"]})
        h.wait(job, "running")
        until("its output has begun", lambda: h.output(job) == b"begun\n")
        follower = Follower(h, job)
        west.send_signal(signal.SIGSTOP)  # nothing more comes from it, and then it is gone for good
        with open(f"{h.dir}/again", "w"):
            pass
        remove(h, west)
        west = h.agent("west2", h.join("west"))
        equal(h.wait(job)["state"], "succeeded")
        ended_at = time.monotonic()
        equal(follower.wait(30), "incomplete")
        print(f"# the follower heard it {follower.ended_at - ended_at:.1f} s behind the job's end", flush=True)
        assert follower.ended_at - ended_at < 5
        equal((follower.text(), follower.gaps()), ("begun\nbegun\n", ["lost"]))
        equal(extent(h, job)[0], "incomplete")
    with shows("so does a job that had ended, and whose output was still to come"):
        filler = hub.fill(h.settings["state_dir"])
        job = h.submit({"command": ["sh", "-c", "yes | head -c 300000"], "resources": SMALL, "clusters": ["west"]})
        follower = Follower(h, job)
        equal(h.wait(job)["state"], "succeeded")
        time.sleep(3)
        assert follower.ended_at is None
        remove(h, west)
        removed_at = time.monotonic()
        equal(follower.wait(30), "incomplete")
        print(f"# the follower heard it {follower.ended_at - removed_at:.1f} s behind the removal", flush=True)
        assert follower.ended_at - removed_at < 5
        equal(follower.gaps(), ["lost"])
        os.remove(filler)


def past_its_grace(h):
    with shows("output that its agent does not bring within log_grace ends with a gap; should it come after all, it is whole"):
        h.kill()
        h.settings["log_grace"] = "6s"
        h.start()
        h.wait_cluster("east", "ready")
        filler = hub.fill(h.settings["state_dir"])
        job = h.submit({"command": ["sh", "-c", "yes | head -c 300000"], "resources": SMALL})
        follower = Follower(h, job)
        equal(h.wait(job)["state"], "succeeded")
        ended_at = time.monotonic()
        equal(extent(h, job)[0], "more")
        equal(follower.wait(30), "incomplete")
        print(f"# the follower heard it {follower.ended_at - ended_at:.1f} s behind the job's end", flush=True)
        assert 4 < follower.ended_at - ended_at < 12
        equal(follower.gaps(), ["lost"])
        os.remove(filler)
        until("all of it is there", lambda: extent(h, job) == ("complete", b"y\n" * 150000), 60)
        h.kill()
        h.settings["log_grace"] = "24h"
        h.start()
        h.wait_cluster("east", "ready")


def late(h):
    with shows("a follower that comes while a job runs sees once that it runs"):
        job = h.submit({"command": ["sleep", "600"], "resources": SMALL})
        h.wait(job, "running")
        runs = lambda stream: any(name == "replica.changed" and event["state"] == "running" for name, event in stream.events)
        stream = Stream(h, f"/v1/jobs/{job}/events")
        until("the stream says that it runs", lambda: runs(stream), 20)
        equal([name for name, _ in stream.events if name == "attempt.assigned"], ["attempt.assigned"])
        h.api("POST", f"/v1/jobs/{job}:cancel")
        until("the stream has its end", lambda: any(name == "job.ended" for name, _ in stream.events))
        changes = [(event["state"], event["replica"]) for name, event in stream.events if name == "replica.changed"]
        equal(len(changes), len(set(changes)), "each change comes once")


def ended_tokens(h):
    with shows("the streams of a revoked token end within 5 s, and the CLI says why"):
        job = h.submit({"command": ["sleep", "600"], "resources": SMALL})
        token = h.api("POST", "/v1/tokens", {"name": "reader", "scopes": ["read"]})
        env = {**os.environ, "FAIRLEAD_URL": h.url, "FAIRLEAD_TOKEN": token["token"]}
        clis = [subprocess.Popen([os.path.join(BIN, "fairlead"), *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
                for words in (["events"], ["events", job], ["logs", "-f", job])]
        time.sleep(2)
        assert all(cli.poll() is None for cli in clis)
        h.api("DELETE", f"/v1/tokens/{token['id']}")
        revoked_at = time.monotonic()
        for cli in clis:
            _, err = cli.communicate(timeout=60)
            assert cli.returncode != 0 and b"the token of this stream was revoked" in err, err
        assert time.monotonic() - revoked_at < 15, "far more than 5 s, even where the machine is busy"
    with shows("so do those of a token that expires"):
        token = h.api("POST", "/v1/tokens", {"name": "brief", "scopes": ["read"], "ttlSeconds": 3})["token"]
        status, _, body = h.ask("GET", f"/v1/jobs/{job}/logs/stream", headers={"Authorization": f"Bearer {token}"})
        equal(status, 200)
        assert b"event: closed\n" in body and b'"reason":"TokenExpired"' in body, body
        h.api("POST", f"/v1/jobs/{job}:cancel")


def run():
    metrics = hub.free_port()
    h = hub.Hub({"metrics_listen": f"127.0.0.1:{metrics}"})
    h.metrics = metrics
    h.settings["state_dir"] = os.path.join(h.small_disk("store", "96m"), "hub")
    with h:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        killed_hub(h)
        long_journal(h)
        still_to_come(h)
        past_its_grace(h)
        late(h)
        ended_tokens(h)
        removed_clusters(h)


if __name__ == "__main__":
    run()
    fleet.finish()
