"""Brings a cluster up and down: its bridge, its nodes, the order of its programs, and what 'ready' means."""
import concurrent.futures
import contextlib
import datetime
import functools
import glob
import http.client
import json
import os
import shutil
import ssl
import subprocess
import time

import programs
import settings
from node import Node, until

STATE = "/var/tmp/fairlead-kube"  # short, for sockets, and no tmpfs, for overlays; numbers are the whole machine's
NUMBERS = range(1, 10)
DNS = os.path.join(programs.HERE, "dns.yaml")


class Refused(Exception):
    """The API server's answer is no 2xx."""

    def __init__(self, status, body):
        self.status, self.body = status, body
        super().__init__(f"status {status}: {body[:500]}")


class Cluster:
    """Cluster N, whether it runs or not."""

    def __init__(self, n):
        if n not in NUMBERS:
            raise ValueError(f"cluster {n}: clusters have the numbers {NUMBERS[0]} to {NUMBERS[-1]}")
        self.n, self.home, self.bridge = n, f"{STATE}/{n}", f"flk{n}"
        self.kubeconfig = f"{self.home}/admin.kubeconfig"

    @functools.cached_property
    def build(self):
        """The folder of its programs: those it was brought up with, else today's."""
        with contextlib.suppress(OSError):
            with open(f"{self.home}/about.json") as file:
                folder = json.load(file)["build"]
            if os.path.isdir(folder):
                return folder
        return programs.build()

    @property
    def bin(self):
        return f"{self.build}/bin"

    def node(self, i):
        return Node(self.n, i, self.home, self.bin)

    def nodes(self):
        """Those it was brought up with."""
        with open(f"{self.home}/about.json") as file:
            return [self.node(i) for i in range(1, max(1, json.load(file)["nodes"]) + 1)]

    def is_up(self):
        return os.path.exists(f"/sys/class/net/{self.bridge}")

    # ---- up and down -------------------------------------------------------------------------------------------

    def up(self, nodes=1):
        """nodes: real ones; 0: a control plane alone.  Data that 'down(keep=True)' left are taken up again."""
        if not 0 <= nodes <= settings.NODES_MAX:
            raise ValueError(f"{nodes} nodes: a test cluster has 0 to {settings.NODES_MAX}")
        if self.is_up():
            raise RuntimeError(f"cluster {self.n} is up already: tests/kube/down {self.n}")
        started = time.time()
        if not os.path.exists(f"{self.home}/about.json"):
            shutil.rmtree(self.home, ignore_errors=True)
            settings.write_cluster(self.n, self.home)
            settings.write(f"{self.home}/about.json", {"nodes": nodes, "build": self.build})
        for words in (f"link add {self.bridge} type bridge", f"addr add 10.250.{self.n}.1/24 dev {self.bridge}",
                      f"link set {self.bridge} up"):
            programs.run("ip", *words.split())
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(Node.switch_on, self.nodes()))
            waits = [pool.submit(self.start_control_plane)]
            if nodes:
                waits += [pool.submit(node.start_containerd, self.images()) for node in self.nodes()]
            for wait in waits:
                wait.result()
            list(pool.map(self.start_kubelet, self.nodes() if nodes else []))
        self.wait_ready(nodes, started)

    def images(self):
        return sorted(glob.glob(f"{self.build}/images/*.tar"))

    def load_image(self, path):
        """Gives an image to every node: there is no registry."""
        for node in self.nodes():
            node.load_image(os.path.abspath(path))

    def start_control_plane(self):
        first = self.node(1)
        first.start("etcd")
        first.start("kube-apiserver")
        until("the API server is ready", self.is_ready)  # a program that starts before it waits for a back-off
        first.start("kube-controller-manager")
        first.start("kube-scheduler")

    def start_kubelet(self, node):
        node.start("kubelet")
        node.start("kube-proxy")

    def wait_ready(self, nodes, since):
        until("the default service account is there",
              lambda: self.find("/api/v1/namespaces/default/serviceaccounts/default"))
        if nodes:
            self.kubectl("apply", "-f", DNS)
            for node in self.nodes():
                until(f"{node.name} is ready", lambda name=node.name: self.is_node_ready(name, since))
            until("the cluster's DNS answers", lambda: self.has_available("kube-system", "coredns"))

    def down(self, keep=False):
        """Stops the cluster in any state; 'keep' keeps its data for the next 'up'."""
        for i in range(1, settings.NODES_MAX + 1):
            Node(self.n, i, self.home, bin_folder=None).switch_off()
        if self.is_up():
            programs.run("ip", "link", "del", self.bridge)
        if not keep:
            shutil.rmtree(self.home, ignore_errors=True)
            self.__dict__.pop("build", None)  # the next 'up' starts anew
            with contextlib.suppress(OSError):
                os.rmdir(STATE)

    # ---- questions ---------------------------------------------------------------------------------------------

    def ask(self, method, path, body=None, token="admin-token", content="application/json"):
        """status, text"""
        context = ssl.create_default_context(cafile=f"{self.home}/pki/ca.crt")
        connection = http.client.HTTPSConnection(settings.api_address(self.n), 6443, context=context, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, json.dumps(body) if body is not None else None,
                               {"Authorization": f"Bearer {token}", "Content-Type": content, "User-Agent": "fairlead-test"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")

    def api(self, method, path, body=None, **options):
        status, text = self.ask(method, path, body, **options)
        if not 200 <= status < 300:
            raise Refused(status, text)
        return json.loads(text)

    def find(self, path):
        """The object, or None: it is not there, or the API server does not answer."""
        try:
            return self.api("GET", path)
        except (Refused, OSError, http.client.HTTPException):
            return None

    def is_ready(self):
        try:
            return self.ask("GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def is_node_ready(self, name, since=0.0):
        """Ready by a heartbeat after 'since': kept data would say Ready at once."""
        lease = self.find(f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{name}")
        node = self.find(f"/api/v1/nodes/{name}")
        if not lease or not node or seconds_of(lease["spec"]["renewTime"]) < since:
            return False
        return any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"].get("conditions", []))

    def has_available(self, namespace, deployment):
        found = self.find(f"/apis/apps/v1/namespaces/{namespace}/deployments/{deployment}")
        return bool(found and found["status"].get("availableReplicas"))

    def environment(self):
        return dict(os.environ, KUBECONFIG=self.kubeconfig, PATH=f"{self.bin}{os.pathsep}{os.environ['PATH']}")

    def kubectl(self, *words, code=0, stdin=None, limit_s=120):
        """stdout of a command, whose exit code must be 'code' (None: any)."""
        out = subprocess.run([f"{self.bin}/kubectl", *words], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, timeout=limit_s, env=self.environment())
        if code is not None and out.returncode != code:
            raise RuntimeError(f"kubectl {' '.join(words)[:200]}: exit code {out.returncode}: {out.stderr[-1000:]}")
        return out.stdout

    # ---- fake nodes --------------------------------------------------------------------------------------------

    def add_fake_nodes(self, count, first=1):
        """A taint keeps away every pod that does not ask for them."""
        self.node(1).start("kwok")
        for i in range(first, first + count):
            self.api("POST", "/api/v1/nodes", fake_node(i))
        names = [f"fake-{i}" for i in range(first, first + count)]
        until("the fake nodes are ready", lambda: all(self.is_node_ready(name) for name in names))


def fake_node(i):
    room = {"cpu": "32", "memory": "256Gi", "pods": "110"}
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": f"fake-{i}", "annotations": {"kwok.x-k8s.io/node": "fake"},
                     "labels": {"type": "kwok", "kubernetes.io/hostname": f"fake-{i}", "kubernetes.io/os": "linux"}},
        "spec": {"taints": [{"key": "kwok.x-k8s.io/node", "value": "fake", "effect": "NoSchedule"}]},
        "status": {"capacity": room, "allocatable": room},
    }


def seconds_of(time_text):
    return datetime.datetime.fromisoformat(time_text.replace("Z", "+00:00")).timestamp()
