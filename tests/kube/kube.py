"""A Kubernetes cluster for one test, as tests/e2e/fleet.py is a fleet for one.

    with kube.Cluster(nodes=2) as c:              # a free number; real etcd, API server, kubelets, containers
        c.run_pod("hello", "echo hello")
        equal(c.logs("hello"), "hello\\n")

Nothing here waits for a fixed time: 'until' looks again and again, within a generous limit.
"""
import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

import cluster
import command
import programs
from audit import Audit
from cluster import NUMBERS, Refused
from fleet import equal, finish, shows
from node import read, until

__all__ = ["Cluster", "Refused", "equal", "finish", "need_programs", "shows", "until"]
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that 'with' takes the cluster away
BUSYBOX = "fairlead.test/busybox:1"


def need_programs():
    """Builds them, or ends the test with the reason: never skipped."""
    started = time.monotonic()
    try:
        programs.build()
    except (programs.Missing, RuntimeError) as error:
        print(f"not ok - the programs of a cluster are there: {' '.join(str(error).split())[:600]}", flush=True)
        sys.exit(1)
    print(f"ok - the programs of a cluster are there\n# built or found in {time.monotonic() - started:.1f} s", flush=True)


def take_number():
    """A number that no other test has, and the lock on it; it ends with this process."""
    os.makedirs(programs.CACHE, exist_ok=True)
    for n in NUMBERS:
        lock = open(f"{programs.CACHE}/cluster-{n}.lock", "w")
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.exists(f"/sys/class/net/flk{n}"):
                return n, lock
        lock.close()
    raise RuntimeError(f"all {len(NUMBERS)} clusters are up: tests/kube/down N")


class Cluster(cluster.Cluster):
    def __init__(self, nodes=1):
        n, self.lock = take_number()
        self.count = nodes
        super().__init__(n)
        self.audit = Audit(f"{self.home}/audit/log")

    def __enter__(self):
        started = time.monotonic()
        try:
            self.down()  # an earlier test may have been killed
            self.up(self.count)
        except BaseException:
            self.tell_logs()
            self.down()
            raise
        print(f"# cluster {self.n} with {self.count} nodes is ready after {time.monotonic() - started:.1f} s", flush=True)
        return self

    def __exit__(self, kind, error, trace):
        if kind:
            self.tell_logs()
        self.down()
        self.lock.close()

    def tell_logs(self):
        if os.path.isdir(f"{self.home}/log"):
            for name in sorted(os.listdir(f"{self.home}/log")):
                print(f"--- {name}, its end:", *read(f"{self.home}/log/{name}").splitlines()[-8:], sep="\n", flush=True)

    def fault(self, verb, what, node=1):
        """See tests/kube/fault."""
        command.fault(self, verb, what, node)

    def has_lost(self, node):
        """The controllers have given this node up."""
        found = self.find(f"/api/v1/nodes/{node}")
        return bool(found) and any(one["type"] == "Ready" and one["status"] != "True" for one in found["status"]["conditions"])

    def memory_mib(self):
        """The proportional share of all processes: shared pages count once."""
        total = 0
        for pid in [pid for node in self.nodes() for pid in node.pids()]:
            lines = read(f"/proc/{pid}/smaps_rollup").splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return total // 1024

    # ---- pods --------------------------------------------------------------------------------------------------

    def create_pod(self, name, script, node=None, limits=None, labels=None, image=BUSYBOX):
        """A pod of one container that runs a shell script once."""
        container = {"name": "main", "image": image, "command": ["sh", "-c", script]}
        if limits:
            container["resources"] = {"limits": limits}
        spec = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [container]}
        if node:
            spec["nodeSelector"] = {"kubernetes.io/hostname": node}
        return self.api("POST", "/api/v1/namespaces/default/pods",
                        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}}, "spec": spec})

    def pod(self, name):
        return self.find(f"/api/v1/namespaces/default/pods/{name}")

    def wait_phase(self, name, *phases):
        def look():
            pod = self.pod(name)
            return pod if pod and pod["status"].get("phase") in phases else None

        return until(f"pod {name} is {' or '.join(phases)}", look)

    def run_pod(self, name, script, **options):
        """Runs the pod to its end, which is returned."""
        self.create_pod(name, script, **options)
        return self.wait_phase(name, "Succeeded", "Failed")

    def start_pod(self, name, script, **options):
        self.create_pod(name, script, **options)
        return self.wait_phase(name, "Running")

    def logs(self, name, *words):
        return self.kubectl("logs", name, *words)

    def exec(self, name, *words, code=0):
        return self.kubectl("exec", name, "--", *words, code=code)

    def delete_pod(self, name):
        self.kubectl("delete", "pod", name, "--wait=true")

    def get(self, *words):
        """The object that 'kubectl get WORDS -o json' prints."""
        return json.loads(self.kubectl("get", *words, "-o", "json"))

    @contextlib.contextmanager
    def forward(self, what, port, environment=None, namespace="default"):
        """A local port that 'kubectl port-forward' carries to this port of a pod or service."""
        process = subprocess.Popen([f"{self.bin}/kubectl", "-n", namespace, "port-forward", what, f":{port}"], text=True,
                                   env={**self.environment(), **(environment or {})},
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            line = process.stdout.readline()  # Forwarding from 127.0.0.1:41234 -> 80
            if "127.0.0.1:" not in line:
                raise RuntimeError(f"port-forward {what}: {line or 'ended'}")
            yield int(line.split("127.0.0.1:")[1].split()[0])
        finally:
            process.terminate()
            process.wait(30)
            process.stdout.close()
