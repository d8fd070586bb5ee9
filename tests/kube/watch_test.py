"""The agent's list and watch against a real API server: each change once, over cuts, hangs and compaction.

The client is tests/kube/watch_tool.c of $FL_BIN (build/release).  Each line that it prints is applied to a copy of the
cluster's objects; a version that comes twice, and a removal of what is not there, is noted as a breach.
"""
import contextlib
import os
import signal
import statistics
import subprocess
import threading
import time

import kube
from fleet import BIN
from kube import equal, shows, until

TOOL = os.path.join(BIN, "tests", "kube", "watch_tool")
WATCH_S = 10  # a watch asks for its end after 10 to 15 s, and is hung 2 s later
HUNG_S = 15 + 2 + 10
COMPACT = """
import json, urllib.request
def ask(what, body):
    request = urllib.request.Request("http://127.0.0.1:2379/v3/kv/" + what, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)
revision = ask("range", {"key": "AA=="})["header"]["revision"]
ask("compaction", {"revision": revision, "physical": True})
print(revision)
"""


class Watch:
    """One watch_tool, and what it has told so far."""

    def __init__(self, kubeconfig, resource, page):
        self.objects, self.breaches, self.problems, self.synced = {}, [], [], 0
        self.seen, self.counts, self.lock = {}, {}, threading.Lock()
        self.process = subprocess.Popen([TOOL, kubeconfig, resource, str(page), str(WATCH_S)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.lock:
                self.apply(line.split(), time.monotonic())

    def apply(self, words, now):
        if words[0] == "put":
            name, uid, version = words[1:4]
            before = self.objects.get(name)
            if before and (before[0] != uid or int(before[1]) >= int(version)):
                self.breaches.append(f"{' '.join(words)} after {before}")
            self.objects[name] = (uid, version, *words[5:])
            self.seen[name, version] = now
        elif words[0] == "remove":
            if self.objects.get(words[1], ("",))[0] != words[2]:
                self.breaches.append(f"{' '.join(words)}: not there")
            self.objects.pop(words[1], None)
        elif words[0] == "synced":
            self.synced += 1
        elif words[0] == "problem":
            self.problems.append(" ".join(words[1:]))
        else:
            self.counts = dict(word.split("=") for word in words[1:])

    def versions(self):
        with self.lock:
            return {name: one[:2] for name, one in self.objects.items()}

    def agrees(self, c, path):
        """Its objects are those that a list gives; pods and nodes change meanwhile, so look again and again."""
        def look():
            listed = {f"{one['metadata'].get('namespace', '')}/{one['metadata']['name']}":
                      (one["metadata"]["uid"], one["metadata"]["resourceVersion"]) for one in c.api("GET", path)["items"]}
            return listed == self.versions()

        until(f"the watch has what a list of {path} has", look, 60)
        equal(self.breaches, [], "breaches")

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.reader.join(20)
        equal(self.process.wait(20), 0, "exit code")
        return {name: int(n) for name, n in self.counts.items()}


def fake_pod(name):
    """For the fake nodes, where KWOK says that it runs."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"nodeSelector": {"type": "kwok"}, "terminationGracePeriodSeconds": 0,
                     "tolerations": [{"key": "kwok.x-k8s.io/node", "operator": "Exists"}],
                     "initContainers": [{"name": "side", "image": "any", "restartPolicy": "Always",
                                         "resources": {"requests": {"cpu": "50m"}}}],
                     "containers": [{"name": "main", "image": "any",
                                     "resources": {"requests": {"cpu": "100m", "memory": "1Mi"}}}]}}


def create(c, *names):
    for name in names:
        c.api("POST", "/api/v1/namespaces/default/pods", fake_pod(name))


def delete(c, *names):
    for name in names:
        c.api("DELETE", f"/api/v1/namespaces/default/pods/{name}")


def touch(c, name, value, path="/api/v1/namespaces/default/pods"):
    """A new version; returns it."""
    return c.api("PATCH", f"{path}/{name}", {"metadata": {"labels": {"touched": str(value)}}},
                 content="application/merge-patch+json")["metadata"]["resourceVersion"]


def agree(c, pods, nodes):
    pods.agrees(c, "/api/v1/pods")
    nodes.agrees(c, "/api/v1/nodes")


def changes(c, pods, nodes):
    with shows("adds, updates and removals of pods and nodes arrive, in pages and then as events"):
        create(c, *(f"p{i}" for i in range(30)))
        until("30 pods run", lambda: sum(one[2] == "Running" for name, one in list(pods.objects.items())
                                         if name.startswith("default/p")) == 30)
        for i in range(10):
            touch(c, f"p{i}", "first")
        delete(c, *(f"p{i}" for i in range(10, 20)))
        c.add_fake_nodes(5, 21)
        c.api("DELETE", "/api/v1/nodes/fake-25")
        agree(c, pods, nodes)
    with shows("a pod counts with its effective requests, a node with its room"):
        pod, node = pods.objects["default/p0"], nodes.objects["/fake-1"]
        equal((pod[2], pod[3][:5], pod[4:]), ("Running", "fake-", ("150", "1048576")))
        equal(node[2:], ("ready", "32000", "110"))
    with shows("a pod of the same name is another pod"):
        delete(c, "p0")
        create(c, "p0")
        pods.agrees(c, "/api/v1/pods")
    with shows("a change is there within a second"):
        delays = []
        for i in range(30):
            version = touch(c, "p1", i)
            since = time.monotonic()
            until("it arrives", lambda: pods.seen.get(("default/p1", version)), 20, 0.001)
            delays.append(max(0.0, pods.seen["default/p1", version] - since))
        print(f"# from the answer to the event: {statistics.median(delays) * 1000:.1f} ms, at most {max(delays) * 1000:.1f} ms",
              flush=True)
        assert statistics.median(delays) < 1, delays  # a stall of the machine may hold up a few


def killed(c, pods, nodes):
    with shows("an API server that is killed and started again costs nothing: none missed, none twice"):
        for round_ in range(2):
            create(c, f"before{round_}")
            c.fault("kill", "kube-apiserver")
            time.sleep(2)
            c.fault("start", "kube-apiserver")
            create(c, f"after{round_}")
            delete(c, f"p{20 + round_}", f"before{round_}")
            touch(c, "p2", round_)
            agree(c, pods, nodes)


def paused(c, pods, nodes):
    with shows("a watch over a server that hangs is noticed, and goes on over a new connection"):
        # One that still rests after the kill has nothing that could hang: both must have asked the new server.
        touch(c, "p2", "watched")
        touch(c, "fake-2", "watched", "/api/v1/nodes")
        agree(c, pods, nodes)
        c.fault("pause", "kube-apiserver")
        try:
            until("both are noticed", lambda: all(any("in time" in one for one in w.problems) for w in (pods, nodes)), HUNG_S)
        finally:
            c.fault("resume", "kube-apiserver")
        until("the API server is ready", c.is_ready)
        create(c, "resumed")
        agree(c, pods, nodes)


def compacted(c, pods, nodes):
    with shows("after a version that etcd has forgotten the agent lists anew, and reports only the difference"):
        synced, removed = pods.synced, "default/p3"
        pods.process.send_signal(signal.SIGSTOP)
        delete(c, "p3", "p4")
        create(c, "p4", "new")
        touch(c, "p5", "late")
        kept = pods.versions()["default/p6"]
        for i in range(3):  # so that the newest version is not a pod's
            c.api("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": f"later{i}"}})
        c.fault("kill", "kube-apiserver")  # its own memory of events goes too, and the watch is cut
        revision = int(c.node(1).inside("python3", "-c", COMPACT))
        c.fault("start", "kube-apiserver")
        assert all(int(version) < revision for _, version in pods.versions().values())
        pods.process.send_signal(signal.SIGCONT)
        until("it has listed anew", lambda: pods.synced > synced, 60)
        agree(c, pods, nodes)
        assert any("410" in one for one in pods.problems), pods.problems
        assert removed not in pods.versions() and pods.versions()["default/p6"][0] == kept[0]


def main():
    if not os.path.exists(TOOL):
        print(f"not ok - {TOOL} is built: cmake --build build/release", flush=True)
        raise SystemExit(1)
    kube.need_programs()
    with kube.Cluster() as c, contextlib.ExitStack() as ends:
        c.add_fake_nodes(20)
        pods = Watch(f"{c.home}/certificate.kubeconfig", "pods", 7)
        nodes = Watch(c.kubeconfig, "nodes", 7)
        for watch in (pods, nodes):
            ends.callback(watch.process.kill)
        for part in (changes, killed, paused, compacted):
            part(c, pods, nodes)
        with shows("kubectl lists the same objects at the end"):
            agree(c, pods, nodes)
            names = c.kubectl("get", "pods", "-A", "-o", "jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {end}")
            equal(sorted(names.split()), sorted(pods.versions()))
        with shows("the watches end when they are asked to"):
            for name, watch in (("pods", pods), ("nodes", nodes)):
                counts = watch.end()
                print(f"# {name}: {' '.join(f'{key}={n}' for key, n in counts.items())}", flush=True)
                assert counts["hung"] >= 1 and counts["dropped"] == 0, counts
                for problem in sorted(set(watch.problems)):
                    print(f"# {name}, {watch.problems.count(problem)} times: {problem}", flush=True)
    kube.finish()


main()
