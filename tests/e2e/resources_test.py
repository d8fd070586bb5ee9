"""Resources with names: nodes offer them, jobs ask for them, and a job that waits for one gets its reason in numbers."""
import json
import os
import subprocess

import fleet
import hub
from fleet import BIN, equal, shows, until

LICENSE, SCRATCH = "fairlead.test/license", "ephemeral-storage"
SMALL = {"cpu": "100m", "memory": "16Mi"}
OFFERS = {"node_resources": f"{LICENSE}=2, {SCRATCH}=10Gi"}
WAITS = ["sh", "-c", 'until [ -e "$0" ]; do sleep 0.1; done']


def cli(h, *words, code=0):
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir)
    out = subprocess.run([os.path.join(BIN, "fairlead"), *words], env=env, capture_output=True, text=True, timeout=60)
    equal(out.returncode, code, f"exit code of {words}: {out.stderr}")
    return out.stdout


def named(h, which):
    """The named resources of the cluster east, by the API: {name: amount}."""
    return h.api("GET", "/v1/clusters/east")[which]["named"]


def explained(h, job):
    return [one["detail"] for one in h.api("GET", f"/v1/jobs/{job}/explain")["clusters"]]


def submit(h, name, amounts, waits=False):
    return h.submit({"name": name, "command": [*WAITS, f"{h.dir}/end-{name}"], "resources": {**SMALL, **amounts}}, waits=waits)


def end(h, name):
    open(f"{h.dir}/end-{name}", "w").close()


def offered(h):
    with shows("a cluster, its nodes and the CLI show what has a name"):
        until("the node's offers are there", lambda: named(h, "total") == {SCRATCH: 10 << 30, LICENSE: 2})
        equal(named(h, "free"), {SCRATCH: 10 << 30, LICENSE: 2})
        node, = h.api("GET", "/v1/clusters/east/nodes")["nodes"]
        equal((node["free"]["named"], node["taints"]), ({SCRATCH: 10 << 30, LICENSE: 2}, []))
        for words in (("cluster", "ls"), ("cluster", "get", "east")):
            text = cli(h, *words)
            assert f"{LICENSE} 0/2" in text and f"{SCRATCH} 0 B/10 GiB" in text, text


def awaited(h):
    with shows("two of three jobs that want a license run, and the third waits, with the license as the reason"):
        jobs = {name: submit(h, name, {LICENSE: 1, SCRATCH: "1Gi"}) for name in ("one", "two")}
        for job in jobs.values():
            h.wait(job, "running")
        jobs["three"] = submit(h, "three", {LICENSE: 1})
        until("both are counted", lambda: named(h, "free") == {SCRATCH: 8 << 30, LICENSE: 0})
        until("it is judged", lambda: h.job(jobs["three"])["state"] == "queued" and explained(h, jobs["three"]))
        why, = explained(h, jobs["three"])
        assert f"1 {LICENSE}" in why and f"0 {LICENSE}" in why and f"2 {LICENSE}" in why, why
        assert LICENSE in cli(h, "explain", jobs["three"])
        plain = h.wait(h.submit({"command": ["true"], "resources": SMALL}))
        equal(plain["state"], "succeeded", "one that wants none")
    with shows("a job with tolerations runs where there are no taints as one without them"):
        tolerant = cli(h, "run", "-d", "--tolerate", "nvidia.com/gpu=present:NoSchedule", "--tolerate", "team", "--cpus", "100m", "--", "true").strip()
        equal(h.wait(tolerant)["state"], "succeeded")
    with shows("an affinity is judged on hosts, too, and refused where no node will ever match, with its terms"):
        def asks(**requirement):
            return {"command": ["true"], "resources": SMALL, "affinity": {"nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}}}

        equal(h.wait(h.submit(asks(key="spot", operator="DoesNotExist")))["state"], "succeeded")
        zoned = asks(key="zone", operator="In", values=["b", "a"])
        status, _, refused = h.ask("POST", "/v1/jobs", zoned)
        equal(status, 422, refused)
        assert "its affinity asks for nodes with zone in (a,b), and none matches; change it, or leave it out" in refused.decode(), refused
        waits = h.submit(zoned, waits=True)
        until("it is judged", lambda: explained(h, waits))
        assert "none of 1 nodes of east has labels that match the affinity: zone in (a,b)" in cli(h, "explain", waits)
        h.api("POST", f"/v1/jobs/{waits}:cancel", {})
    return jobs


def adopted(h, agent, jobs):
    with shows("an agent that starts again counts what its replicas hold"):
        agent.kill()
        agent.wait()
        again = h.agent("east", settings=OFFERS)
        h.wait_cluster("east", "ready")
        until("both are counted again", lambda: named(h, "free") == {SCRATCH: 8 << 30, LICENSE: 0})
        equal(h.job(jobs["three"])["state"], "queued")
    with shows("a control plane that starts again does, too"):
        h.kill()
        h.start()
        h.wait_cluster("east", "ready")
        until("both are counted again", lambda: named(h, "free") == {SCRATCH: 8 << 30, LICENSE: 0})
        equal(h.job(jobs["three"])["state"], "queued")
    with shows("once a license is free the third job gets it"):
        end(h, "one")
        equal(h.wait(jobs["one"])["state"], "succeeded")
        h.wait(jobs["three"], "running")
        for name in ("two", "three"):
            end(h, name)
            equal(h.wait(jobs[name])["state"], "succeeded")
        until("all is free", lambda: named(h, "free") == {SCRATCH: 10 << 30, LICENSE: 2})
    return again


def unknown(h):
    with shows("a resource that no node offers makes its job wait, with the reason"):
        job = submit(h, "nobody", {"fairlead.test/quantum": 1}, waits=True)
        until("it is judged", lambda: explained(h, job))
        why, = explained(h, job)
        assert "1 fairlead.test/quantum" in why and "0 fairlead.test/quantum" in why, why
        equal(h.job(job)["reason"], "NoMatchingCluster")
        h.patient("POST", f"/v1/jobs/{job}:cancel")
    with shows("a name that cannot be, and an amount that is no whole number, are refused"):
        status, _, got = h.ask("POST", "/v1/jobs", {"command": ["true"], "resources": {"licence": 1, LICENSE: "0.5"}})
        equal(status, 422)
        equal([(one["pointer"], one["detail"]) for one in json.loads(got)["errors"]],
              [("/resources/licence", "unknown field"), ("/resources/fairlead.test~1license", "this is not what DOMAIN/NAME holds")])
    with shows("the flag --resource asks for one, and the document shows it"):
        job = cli(h, "run", "--detach", "--hold", "--resource", f"{LICENSE}=1", "--resource", f"{SCRATCH}=2Gi", "--", "true").split()[0]
        request = h.job(job)["spec"]["roles"][0]["template"]["spec"]["containers"][0]["resources"]["requests"]
        equal(request, {SCRATCH: "2Gi", LICENSE: "1"})


def misconfigured(h):
    with shows("an agent whose setting names no resource does not start, and says what is allowed"):
        agent = h.agent("west", h.join("west"), settings={"node_resources": "license=4"})
        until("it ends", lambda: agent.poll() is not None)
        assert agent.returncode != 0
        assert "node_resources: 'license=4' is no NAME=AMOUNT" in h.log("agent-west"), h.log("agent-west")


def main():
    with hub.Hub() as h:
        agent = h.agent("east", h.join("east"), settings=OFFERS)
        h.wait_cluster("east", "ready")
        offered(h)
        adopted(h, agent, awaited(h))
        unknown(h)
        misconfigured(h)
    fleet.finish()


main()
