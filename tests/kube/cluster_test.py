"""One cluster, as a later test uses it: pods, streams, DNS, services, the audit log, faults, fake nodes, kept data."""
import contextlib
import http.client
import os
import ssl
import subprocess
import urllib.request

import image
import kube
import leftovers
import programs
import settings
from kube import equal, shows, until

HERE = os.path.dirname(os.path.abspath(__file__))
HTTP = "mkdir /tmp/www && echo page >/tmp/www/index.html && exec httpd -f -p 8080 -h /tmp/www"


def pods(c):
    with shows("a pod says hello, and its output is read back"):
        equal(c.run_pod("hello", "echo hello; echo bad >&2; exit 3")["status"]["phase"], "Failed")
        equal(sorted(c.logs("hello").split()), ["bad", "hello"])  # between the two streams there is no order
        ended = c.pod("hello")["status"]["containerStatuses"][0]["state"]["terminated"]
        equal((ended["exitCode"], ended["reason"]), (3, "Error"))
    with shows("a pod that takes more memory than its limit is named OOMKilled"):
        ended = c.run_pod("greedy", "exec tail /dev/zero", limits={"memory": "32Mi"})
        ended = ended["status"]["containerStatuses"][0]["state"]["terminated"]
        equal((ended["exitCode"], ended["reason"]), (137, "OOMKilled"))
    with shows("a name of the cluster's DNS resolves in a pod"):
        script = "nslookup kubernetes.default.svc.cluster.local | grep -q 'Address.* 10.96.0.1$'"
        equal(c.run_pod("names", script)["status"]["phase"], "Succeeded")
    with shows("a pod whose image does not exist has a reason that says so"):
        c.create_pod("absent", "true", image="fairlead.test/absent:1")
        until("the reason is there", lambda: waits_for(c.pod("absent")) in ("ErrImagePull", "ImagePullBackOff"))
        c.delete_pod("absent")


def waits_for(pod):
    states = [one["state"] for one in pod["status"].get("containerStatuses", [])]
    return states[0].get("waiting", {}).get("reason") if states else None


def read_page(port, host="127.0.0.1"):
    with urllib.request.urlopen(f"http://{host}:{port}/", timeout=5) as answer:
        return answer.read().decode()


def services(c):
    c.start_pod("web", HTTP, labels={"app": "web"})
    c.kubectl("expose", "pod", "web", "--port=80", "--target-port=8080", "--type=NodePort")
    with shows("exec gives output and exit code back"):
        equal(c.exec("web", "cat", "/tmp/www/index.html"), "page\n")
        c.exec("web", "sh", "-c", "exit 7", code=7)
    with shows("a NodePort serves the page to this machine, a name to another pod"):
        port = c.get("service", "web")["spec"]["ports"][0]["nodePort"]
        until("the NodePort answers", lambda: page_or_none(port, "10.250.%d.2" % c.n) == "page\n")
        equal(c.run_pod("reader", "wget -qO- http://web.default.svc.cluster.local")["status"]["phase"], "Succeeded")
        equal(c.logs("reader"), "page\n")
    with shows("port-forward carries the page"):
        with c.forward("pod/web", 8080) as port:
            equal(read_page(port), "page\n")


def page_or_none(port, host):
    try:
        return read_page(port, host)
    except OSError:
        return None


ROLE = """apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: streams-{verb}}}
rules: [{{apiGroups: [""], resources: [pods/exec, pods/attach, pods/portforward], verbs: [{verb}]}},
        {{apiGroups: [""], resources: [pods], verbs: [get]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: streams-{verb}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: streams-{verb}}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: {user}}}]
"""
SOCKET = {}
SPDY = {"KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "false", "KUBECTL_PORT_FORWARD_WEBSOCKETS": "false"}


def status_of_exec(c, user, method, upgrade):
    """The API server's answer to this user's first request of an exec."""
    context = ssl.create_default_context(cafile=f"{c.home}/pki/ca.crt")
    connection = http.client.HTTPSConnection(settings.api_address(c.n), 6443, context=context, timeout=30)
    with contextlib.closing(connection):
        connection.request(method, "/api/v1/namespaces/default/pods/web/exec?command=true&stdout=true", headers={
            "Authorization": "Bearer admin-token", "Impersonate-User": user, "Connection": "Upgrade", "Upgrade": upgrade,
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
            "Sec-WebSocket-Protocol": "v5.channel.k8s.io", "X-Stream-Protocol-Version": "v4.channel.k8s.io"})
        return connection.getresponse().status


def statuses_of_exec(c, user):
    return status_of_exec(c, user, "GET", "websocket"), status_of_exec(c, user, "POST", "SPDY/3.1")


def streams(c):
    """A WebSocket is a GET: the server asks for 'get', and since 1.35 for 'create' as well.  SPDY is a POST: 'create'."""
    for verb in ("get", "create"):
        c.kubectl("apply", "-f", "-", stdin=ROLE.format(verb=verb, user=verb))
        c.kubectl("create", "clusterrolebinding", f"both-{verb}", f"--clusterrole=streams-{verb}", "--user=both")
    with shows("a WebSocket needs both verbs, get and create; SPDY needs create"):
        found = {user: statuses_of_exec(c, user) for user in ("get", "create", "both")}
        equal(found, {"get": (403, 403), "create": (403, 101), "both": (101, 101)})
    with shows("the audit log names exec, attach and port-forward: 'get' by WebSocket, 'create' by SPDY"):
        for protocol, verb, before in ((SOCKET, "get", SPDY), (SPDY, "create", SOCKET)):
            with c.forward("pod/web", 8080, before):  # the log tells its end after the mark
                c.audit.mark()
            use_streams(c, protocol)
            wanted = {(verb, "", f"pods/{name}") for name in ("exec", "attach", "portforward")}
            until("all three are there", lambda: wanted <= c.audit.uses(user="admin", agent="kubectl"), 30)
            other = "create" if verb == "get" else "get"
            equal({use for use in c.audit.uses(user="admin") if use in {(other, *rest) for _, *rest in wanted}}, set())
    with shows("the audit log says who was refused"):
        c.audit.mark()
        equal(statuses_of_exec(c, "stranger"), (403, 403))
        until("both refusals are there", lambda: {("get", 403), ("create", 403)} == {
            (one["verb"], one["code"]) for one in c.audit.entries(user="stranger", subresource="exec", is_granted=False)}, 30)


def use_streams(c, protocol):
    environment = {**c.environment(), **protocol}
    subprocess.run([f"{c.bin}/kubectl", "exec", "web", "--", "true"], env=environment, check=True, timeout=60)
    attach = subprocess.Popen([f"{c.bin}/kubectl", "attach", "web"], env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        until("attach is in the audit log", lambda: c.audit.entries(subresource="attach"), 30)
    finally:
        attach.terminate()
        attach.wait(30)
    with c.forward("pod/web", 8080, protocol) as port:
        equal(read_page(port), "page\n")


def faults(c):
    with shows("a killed API server serves again after its start, and running pods did not notice"):
        c.fault("kill", "kube-apiserver")
        assert not c.is_ready()
        c.fault("start", "kube-apiserver")
        equal(c.exec("web", "cat", "/tmp/www/index.html"), "page\n")
        equal(c.pod("web")["status"]["containerStatuses"][0]["restartCount"], 0)
    with shows("without its controller manager a Deployment makes no pods; with it again, it does"):
        c.fault("stop", "kube-controller-manager")
        c.kubectl("create", "deployment", "later", f"--image={kube.BUSYBOX}", "--", "sleep", "1000")
        equal(c.get("pods", "-l", "app=later")["items"], [])
        c.fault("start", "kube-controller-manager")
        until("the Deployment has its pod", lambda: c.has_available("default", "later"))
    with shows("a node whose kubelet is stopped becomes NotReady, and Ready with it again"):
        c.fault("kill", "kubelet")
        until("the node is not ready", lambda: c.has_lost("node1"))
        c.fault("start", "kubelet")
        until("the node is ready", lambda: c.is_node_ready("node1"))


def by_hand(c, *words):
    return subprocess.run([os.path.join(HERE, words[0]), str(c.n), *words[1:]], stdout=subprocess.PIPE, check=True, text=True,
                          timeout=120).stdout


def scripts(c):
    with shows("an image is loaded into the nodes, and runs"):
        path = f"{c.home}/own.tar"
        image.write(path, "fairlead.test/own:1", {"bin/sh": programs.find("busybox")})
        by_hand(c, "load", path)
        equal(c.run_pod("own", "exit 0", image="fairlead.test/own:1")["status"]["phase"], "Succeeded")
    with shows("kubectl and helm reach the cluster by its number"):
        equal(by_hand(c, "kubectl", "get", "nodes", "-o", "name"), "node/node1\n")
        equal(by_hand(c, "helm", "list", "-o", "json").strip(), "[]")
    with shows("a command that cannot be done says why"):
        out = subprocess.run([os.path.join(HERE, "fault"), str(c.n), "kill", "nothing"], stderr=subprocess.PIPE, text=True)
        equal((out.returncode, "cannot kill nothing" in out.stderr), (1, True), out.stderr)


def fake_nodes(c):
    with shows("twenty fake nodes are ready, and a pod lands there only if it asks"):
        by_hand(c, "nodes", "20")
        equal(c.run_pod("real", "true")["spec"]["nodeName"], "node1")
        c.api("POST", "/api/v1/namespaces/default/pods", {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "fake"},
            "spec": {"containers": [{"name": "main", "image": "any"}], "nodeSelector": {"type": "kwok"},
                     "tolerations": [{"key": "kwok.x-k8s.io/node", "operator": "Exists"}]}})
        assert c.wait_phase("fake", "Running")["spec"]["nodeName"].startswith("fake-")


def kept_data(c):
    with shows("a cluster comes back with its data after 'down --keep'"):
        uid = c.pod("web")["metadata"]["uid"]
        c.down(keep=True)
        c.up(1)
        equal(c.pod("web")["metadata"]["uid"], uid)
        equal(c.run_pod("again", "echo again")["status"]["phase"], "Succeeded")


def main():
    kube.need_programs()
    before = leftovers.snapshot()
    with kube.Cluster() as c:
        for part in (pods, services, streams, scripts, faults, fake_nodes, kept_data):
            part(c)
        print(f"# {c.memory_mib()} MiB of memory: one cluster, one node, 20 fake ones", flush=True)
        with shows("the comparison sees the parts of a running cluster"):
            seen = {line.split(":")[0] for line in leftovers.difference(before, leftovers.snapshot())}
            equal(seen >= {"processes", "cgroups", "interfaces", "files"}, True, seen)
    with shows("no process, mount, cgroup, interface, namespace, file or sysctl is left or changed"):
        equal(leftovers.difference(before, leftovers.snapshot()), [])
    kube.finish()


main()
