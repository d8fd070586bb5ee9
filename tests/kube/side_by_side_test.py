"""Three clusters at a time, one of them with a second node that fails; and nothing is left of them."""
import concurrent.futures

import kube
import leftovers
from kube import equal, shows, until


def main():
    kube.need_programs()
    before = leftovers.snapshot()
    clusters = [kube.Cluster(nodes=nodes) for nodes in (2, 1, 1)]
    try:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            with shows("three clusters come up side by side"):
                list(pool.map(kube.Cluster.__enter__, clusters))
                print(f"# {sum(c.memory_mib() for c in clusters)} MiB of memory: three clusters, four nodes", flush=True)
            with shows("each runs pods of its own"):
                equal(list(pool.map(hello, clusters)), [f"cluster {c.n}\n" for c in clusters])
        two_nodes(clusters[0])
    finally:
        for c in clusters:
            c.__exit__(None, None, None)
    with shows("no process, mount, cgroup, interface, namespace, file or sysctl is left or changed"):
        equal(leftovers.difference(before, leftovers.snapshot()), [])
    kube.finish()


def hello(c):
    c.run_pod("hello", f"echo cluster {c.n}")
    return c.logs("hello")


def two_nodes(c):
    with shows("a pod on one node reaches a pod on the other by its address"):
        c.start_pod("far", "echo over there >/tmp/index.html; exec httpd -f -p 8080 -h /tmp", node="node2")
        address = c.pod("far")["status"]["podIP"]
        near = c.run_pod("near", f"until wget -qO- http://{address}:8080; do sleep 0.2; done", node="node1")
        equal(near["status"]["phase"], "Succeeded")
        equal(c.logs("near"), "over there\n")
    with shows("a node that loses power is NotReady while the other runs on, and comes back"):
        c.fault("kill", "node", 2)
        until("node2 is not ready", lambda: c.has_lost("node2"))
        assert c.is_node_ready("node1")
        c.fault("start", "node", 2)
        until("node2 is ready", lambda: c.is_node_ready("node2"))
        equal(c.run_pod("after", "true", node="node2")["status"]["phase"], "Succeeded")


main()
