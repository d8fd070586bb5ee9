"""Jobs as pods of a real cluster: a control plane, and an agent outside of the cluster with a kubeconfig.

Compares the control plane's account of the pods with kubectl's.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import kube
import visits
from kube import BUSYBOX, equal, shows, until

import fleet
import hub

NAMESPACE = "jobs"
GATE, FINALIZER = "fairlead.dev/go", "fairlead.dev/report"
IMAGE_WAIT_S = 4
VOLUME_WAIT_S = 8
TOOL = os.path.join(fleet.BIN, "tests", "kube", "contract_tool")


class Site:
    """One cluster, one control plane, one agent between them."""

    def __init__(self, c, h):
        self.c, self.h = c, h
        c.kubectl("create", "namespace", NAMESPACE)
        until("its service account is there", lambda: c.find(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default"))
        self.token = h.join("real")
        self.start_agent()

    def start_agent(self, **more):
        self.agent = self.h.agent("real", self.token, settings={
            "runtime": "kubernetes", "kubeconfig": self.c.kubeconfig, "kube_namespace": NAMESPACE,
            "kube_image_wait": f"{IMAGE_WAIT_S}s", "kube_volume_wait": f"{VOLUME_WAIT_S}s",
            "kube_pull_secrets": "registry", "kube_grants": "claim/datasets configMap/* secret/hf-*", "log_level": "debug,http=info", **more})
        until("the cluster is ready", lambda: self.h.state("real") == "ready" and self.h.api("GET", "/v1/clusters/real")["nodesReady"])

    def kill_agent(self):
        self.agent.kill()
        self.agent.wait()

    def pods(self, job=None):
        """Fairlead's pods in the cluster, or those of that job."""
        selector = f"fairlead.dev/job={job}" if job else "app.kubernetes.io/managed-by=fairlead"
        return json.loads(self.c.kubectl("get", "pods", "-n", NAMESPACE, "-l", selector, "-o", "json"))["items"]

    def cli(self, *words, stdin=None):
        env = dict(os.environ, FAIRLEAD_URL=self.h.url, FAIRLEAD_TOKEN=self.h.token, XDG_CONFIG_HOME=self.h.dir)
        return subprocess.run([os.path.join(fleet.BIN, "fairlead"), *words], env=env, input=stdin, stdout=subprocess.PIPE, text=True,
                              timeout=60, check=True).stdout

    def run(self, script, waits=False, **more):
        return self.h.submit({"image": BUSYBOX, "command": ["sh", "-c", script], "resources": {"cpu": "20m", "memory": "16Mi"},
                              **more}, waits=waits)

    def ends(self, job, state, reason=None):
        found = self.h.wait(job)
        equal(found["state"], state, f"{job}: {json.dumps(found)[:300]}")
        if reason:
            equal(found["reason"], reason)
        return found

    def wait_gone(self, job):
        until(f"no pod of {job} is left", lambda: not self.pods(job), 30)


def runs(pod):
    return any("running" in one["state"] for one in pod["status"].get("containerStatuses", []))


def contract(c):
    """Before there is an agent: the runtime alone, from C, in a namespace of its own."""
    with shows("pods keep the contract of all runtimes"):
        c.kubectl("create", "namespace", "contract")
        until("its service account is there", lambda: c.find("/api/v1/namespaces/contract/serviceaccounts/default"))
        with tempfile.TemporaryDirectory() as folder:
            out = subprocess.run([TOOL, c.kubeconfig, "contract", BUSYBOX, f"{folder}/output"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, timeout=240)
            left = os.listdir(f"{folder}/output")
        equal(out.returncode, 0, out.stdout[-2000:])
        equal((c.get("pods", "-n", "contract")["items"], left), ([], []))


def plain(s):
    with shows("a job runs as a pod and succeeds; the pod is as it should be, and goes when its end is acknowledged"):
        job = s.run("echo hello; sleep 1")
        pod = until("its pod runs", lambda: next((one for one in s.pods(job) if runs(one)), None))
        equal(pod["metadata"]["name"], f"fl-{job.removeprefix('job-')}-0-1-main-0")
        equal(pod["metadata"]["finalizers"], [FINALIZER])
        equal(pod["metadata"]["annotations"]["karpenter.sh/do-not-disrupt"], "true")
        equal(pod["spec"]["imagePullSecrets"], [{"name": "registry"}])
        equal(pod["spec"].get("schedulingGates"), None)
        equal(pod["spec"]["nodeName"], pod["metadata"]["annotations"]["fairlead.dev/node"])
        s.ends(job, "succeeded")
        s.wait_gone(job)
        equal((s.h.output(job), s.cli("logs", job)), (b"hello\n", "hello\n"))
    seven, eater = s.run("exit 7"), s.run("exec tail /dev/zero")
    words = s.run('test "$1" = \'$(FAIRLEAD_JOB_ID)\' && test "$A" = \'$$(B)\' && test $FAIRLEAD_ELEMENT = 0', args=["x", "$(FAIRLEAD_JOB_ID)"],
                  env={"A": "$$(B)"})
    with shows("the exit code is the container's, and it does not restart"):
        s.ends(seven, "failed", "ReplicaFailed")
        s.wait_gone(seven)
    with shows("a container that takes more memory than its limit is named OutOfMemory"):
        s.ends(eater, "failed", "OutOfMemory")
    with shows("words reach the container as they were written"):
        s.ends(words, "succeeded")


def manifests(s):
    with shows("a Job's manifest that kubectl prints is submitted, and its pod runs"):
        words = ("create", "job", "hello", f"--image={BUSYBOX}", "--dry-run=client", "-o", "yaml")
        job = s.cli("submit", "-d", "-", stdin=s.c.kubectl(*words, "--", "echo", "hi")).strip()
        s.ends(job, "succeeded")
        s.wait_gone(job)
        equal((s.h.job(job)["name"], s.h.output(job)), ("hello", b"hi\n"))
    with shows("an Indexed Job finds the same numbers in its environment as in Kubernetes"):
        spec = {"completions": 3, "parallelism": 3, "completionMode": "Indexed", "template": {"spec": {"restartPolicy": "Never", "containers": [
            {"name": "a", "image": BUSYBOX, "command": ["sh", "-c", "echo $JOB_COMPLETION_INDEX"]}]}}}
        job = s.h.submit({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "indexed"}, "spec": spec})
        s.ends(job, "succeeded")
        s.wait_gone(job)
        equal(sorted(s.h.output(job).split()), [b"0", b"1", b"2"])


# Replica 0 asks each of the others by its name, they ask it by MASTER_ADDR; all leave when all have answered.
# The image's programs are linked statically: they search no domains.
MEET = '''names=${MASTER_ADDR#*.}; mkdir /tmp/w; echo rank $RANK of $WORLD_SIZE > /tmp/w/rank; httpd -p $MASTER_PORT -h /tmp/w
ask() { timeout 2 wget -qO- http://$1.jobs.svc.cluster.local:$MASTER_PORT/$2 2>/dev/null; }
if [ $RANK = 0 ]
then for i in 1 2 3; do until ask main-$i.$names rank; do sleep 0.1; done; done; touch /tmp/w/go
     for i in 1 2 3; do while ask main-$i.$names rank >/dev/null; do sleep 0.1; done; done
else until ask $MASTER_ADDR go; do sleep 0.1; done
fi'''


def many(s):
    meeting = s.run(MEET, replicas=4)
    with shows("a gang of 4 finds itself by host names; its Service goes with its first pod"):
        pods = until("4 run", lambda: [one for one in s.pods(meeting) if runs(one)][3:] and s.pods(meeting))
        first = next(one["metadata"] for one in pods if one["metadata"]["name"].endswith("-main-0"))
        service = s.c.get("-n", NAMESPACE, "service", f"fl-{meeting.removeprefix('job-')}-0-1")
        equal([one["uid"] for one in service["metadata"]["ownerReferences"]], [first["uid"]])
        equal((service["spec"]["clusterIP"], service["spec"]["publishNotReadyAddresses"]), ("None", True))
        equal(sorted(one["spec"]["hostname"] for one in pods), [f"main-{i}" for i in range(4)])
        s.ends(meeting, "succeeded")
        s.wait_gone(meeting)
        equal(s.h.output(meeting), b"".join(b"rank %d of 4\n" % i for i in (1, 2, 3)))
        until("no Service is left", lambda: not s.c.get("-n", NAMESPACE, "services", "-l", "app.kubernetes.io/managed-by=fairlead")["items"], 60)
    gang = s.run("test $FAIRLEAD_REPLICAS = 3 && test $FAIRLEAD_REPLICA -lt 3 && sleep 2", replicas=3)
    failing = s.run("[ $FAIRLEAD_REPLICA = 1 ] && exit 3; trap 'exit 0' TERM; sleep 600 & wait", replicas=3)
    with shows("a gang of 3 starts together, each with its number"):
        until("3 run at once", lambda: sum(map(runs, s.pods(gang))) == 3)
        s.ends(gang, "succeeded")
    with shows("the first failing replica ends its gang"):
        s.ends(failing, "failed", "ReplicaFailed")
        s.wait_gone(failing)
    with shows("an array of 12 runs all of its elements"):
        job = s.run("echo element $FAIRLEAD_ELEMENT", array=12)
        s.ends(job, "succeeded")
        s.wait_gone(job)  # so its output is durable
        equal(sorted(s.h.output(job).decode().split("\n")[:-1]), sorted(f"element {i}" for i in range(12)))


CLAIM = '''apiVersion: v1
kind: PersistentVolume
metadata: {name: datasets}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], storageClassName: "", hostPath: {path: /var/tmp/fl-datasets, type: DirectoryOrCreate}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: datasets, namespace: jobs}
spec: {accessModes: [ReadWriteMany], storageClassName: "", volumeName: datasets, resources: {requests: {storage: 1Gi}}}
'''


def mounts(s):
    s.c.kubectl("apply", "-f", "-", stdin=CLAIM)
    s.c.kubectl("-n", NAMESPACE, "create", "secret", "generic", "hf-token", "--from-literal=token=s3cret")
    s.c.kubectl("-n", NAMESPACE, "create", "secret", "generic", "admin", "--from-literal=token=no")
    s.c.kubectl("-n", NAMESPACE, "create", "configmap", "train", "--from-literal=lr=0.1")
    run = lambda *words: s.cli("run", "-d", "--image", BUSYBOX, "--cpus", "20m", "--memory", "32Mi", *words).strip()
    with shows("a job finds its claim, ConfigMap, Secret and empty directories where it mounts them; files in a claim stay"):
        words = ("--mount", "/data=claim/datasets", "--mount", "/view=claim/datasets/sub,ro", "--mount", "/conf=configMap/train", "--mount",
                 "/run/hf=secret/hf-token", "--mount", "/dev/shm=memory:8Mi", "--mount", "/scratch=disk")
        job = run(*words, "--", "sh", "-c", "mkdir -p /data/sub && echo kept >/data/sub/f && cat /view/f /conf/lr /run/hf/token && echo x >/scratch/x && "
                                            "! echo x 2>/dev/null >/view/x && df /dev/shm | grep -c tmpfs; df -k /dev/shm | awk 'NR==2{print $2}'")
        s.ends(job, "succeeded")
        s.wait_gone(job)
        equal(s.h.output(job), b"kept\n0.1s3cret1\n8192\n")
        again = run("--mount", "/d=claim/datasets/sub,ro", "--", "cat", "/d/f")
        s.ends(again, "succeeded")
        s.wait_gone(again)
        equal(s.h.output(again), b"kept\n")
    with shows("a Pod's manifest with volumes finds them, too"):
        volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "datasets"}}, {"name": "e", "emptyDir": {}}]
        places = [{"name": "d", "mountPath": "/d", "subPath": "sub", "readOnly": True}, {"name": "e", "mountPath": "/e"}]
        words = ["sh", "-c", "cp /d/f /e/f && cat /e/f"]
        spec = {"volumes": volumes, "containers": [{"name": "a", "image": BUSYBOX, "command": words, "volumeMounts": places}]}
        job = s.h.submit({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "reader"}, "spec": spec})
        s.ends(job, "succeeded")
        s.wait_gone(job)
        equal(s.h.output(job), b"kept\n")
    with shows("a mount that the cluster does not grant is refused by name, and no pod is made"):
        job = run("--mount", "/a=secret/admin", "--", "cat", "/a/token")
        s.ends(job, "failed", "ContainerRefused")
        assert "it uses secret/admin, which this cluster's setting kube_grants does not grant" in s.cli("describe", job)
        equal(s.pods(job), [])
    with shows("a variable has its value from a Secret, and only from one that is granted"):
        job = run("--secret-env", "HF_TOKEN=hf-token/token", "--", "sh", "-c", "echo $HF_TOKEN")
        s.ends(job, "succeeded")
        s.wait_gone(job)
        equal(s.h.output(job), b"s3cret\n")
        s.ends(run("--secret-env", "A=admin/token", "--", "true"), "failed", "ContainerRefused")
    with shows("a job whose Secret is not there goes elsewhere, uncharged, and starts when it is there"):
        job = run("--mount", "/k=secret/hf-late", "--", "cat", "/k/token")
        tried = lambda: json.dumps(s.h.api("GET", f"/v1/jobs/{job}")["attempts"])
        until("an attempt is withdrawn", lambda: "its volumes or its network are not ready on its node" in tried(), 60)
        s.c.kubectl("-n", NAMESPACE, "create", "secret", "generic", "hf-late", "--from-literal=token=there")
        s.ends(job, "succeeded")
        s.wait_gone(job)


def stops(s):
    cut = s.run("trap 'exit 0' TERM; sleep 600 & wait")
    deleted = s.run("trap 'exit 0' TERM; if [ $FAIRLEAD_ATTEMPT = 1 ]; then sleep 600 & wait; fi")
    with shows("a cancel ends a running pod within its grace"):
        s.h.wait(cut, "running")
        s.h.api("POST", f"/v1/jobs/{cut}:cancel")
        s.ends(cut, "cancelled")
        s.wait_gone(cut)
    with shows("a pod deleted behind our back is lost, and the job runs again without a charge"):
        pod = until("its pod runs", lambda: next((one for one in s.pods(deleted) if runs(one)), None))
        s.c.kubectl("delete", "pod", "-n", NAMESPACE, pod["metadata"]["name"], "--wait=false")
        s.ends(deleted, "succeeded")
        s.wait_gone(deleted)


def trouble(s):
    absent, none = (s.run("true", image=image) for image in ("fairlead.test/absent:1", "UPPER/case:1"))
    missing = s.h.submit({"command": ["true"]})
    spoke = s.run("echo 'ValueError: no lr'; echo bye; exit 4")
    with shows("a container that failed leaves its last error line"):
        s.ends(spoke, "failed", "ReplicaFailed")
        equal(s.h.api("GET", f"/v1/jobs/{spoke}")["attempts"][-1]["words"], "ValueError: no lr")
    with shows("an invalid image name fails at once"):
        s.ends(none, "failed", "ImageUnavailable")
    with shows("a job without an image says what is missing"):
        s.ends(missing, "failed", "ContainerRefused")
    with shows("an image that is not there fails the job by name, and with the cluster's words"):
        s.ends(absent, "failed", "ImageUnavailable")
        told = s.cli("describe", absent)
        assert "ImageUnavailable" in told and " failed with:" in told and "absent:1" in told.split(" failed with:")[1], told
        words = s.h.api("GET", f"/v1/jobs/{absent}")["attempts"][-1]["words"]
        assert words.startswith(("ErrImagePull", "ImagePullBackOff")) and len(words.encode()) <= 200, words
        assert any("absent:1" in line for line in s.h.log("agent-real").splitlines() if "cause=image" in line)
        s.wait_gone(absent)


def restart(s):
    with shows("an agent that is killed and started again adopts what runs and what ended meanwhile"):
        long, short = s.run("echo on; trap 'exit 5' TERM; sleep 600 & wait"), s.run("echo one; sleep 3; echo two; exit 9")
        for job in (long, short):
            s.h.wait(job, "running")
        s.kill_agent()
        until("the short one has ended", lambda: s.pods(short)[0]["status"]["phase"] == "Failed")
        uid = s.pods(long)[0]["metadata"]["uid"]
        s.start_agent()
        s.ends(short, "failed", "ReplicaFailed")
        equal([one["metadata"]["uid"] for one in s.pods(long)], [uid])
        s.wait_gone(short)
        equal(s.h.output(short), b"one\ntwo\n")
        s.h.api("POST", f"/v1/jobs/{long}:cancel")
        s.ends(long, "cancelled")
        s.wait_gone(long)


def room(s):
    with shows("the agent subtracts the resources of others' pods, and adds them again when the pods are gone"):
        def free():
            return s.h.api("GET", "/v1/clusters/real")["free"]["cpuMilli"]

        before = free()
        s.c.create_pod("stranger", "sleep 600", limits={"cpu": "300m", "memory": "16Mi"})
        s.c.wait_phase("stranger", "Running")
        since = time.monotonic()
        until("it is counted", lambda: free() != before, 60)
        print(f"# {time.monotonic() - since:.2f} s after it was seen to run", flush=True)
        s.c.kubectl("delete", "pod", "stranger", "--wait=true", "--grace-period=1")
        until("it counts no more", lambda: free() == before, 60)


DONGLE = "example.com/dongle"


def advertise(s, resource, amount):
    """As a device plugin would: the kubelet keeps it, and it is allocatable.  The node."""
    node = s.c.get("nodes")["items"][0]["metadata"]["name"]
    path = "/status/%s/" + resource.replace("/", "~1")
    s.c.kubectl("patch", "node", node, "--subresource=status", "--type=json", "-p", json.dumps(
        [{"op": "add", "path": path % key, "value": str(amount)} for key in ("capacity", "allocatable")]))
    return node


def named(s):
    def free(resource=DONGLE):
        return s.h.api("GET", "/v1/clusters/real")["free"]["named"].get(resource)

    def wants(script="trap 'exit 0' TERM; sleep 600 & wait"):
        return s.run(script, resources={"cpu": "20m", "memory": "16Mi", DONGLE: 1, "ephemeral-storage": "8Mi"})

    with shows("the agent offers the nodes' resources by name, less the requests of others' pods"):
        advertise(s, DONGLE, 3)
        until("three are free", lambda: free() == 3)
        assert free("ephemeral-storage") > 0
        s.c.create_pod("stranger", "sleep 600", limits={"cpu": "20m", "memory": "16Mi", DONGLE: "1"})
        s.c.wait_phase("stranger", "Running")
        until("one is taken", lambda: free() == 2)
    with shows("two jobs get a device each, their pods ask for it and are limited to it, and the third waits for one"):
        jobs = [wants() for _ in range(2)]
        for job in jobs:
            s.h.wait(job, "running")
            asked = s.pods(job)[0]["spec"]["containers"][0]["resources"]
            equal([asked[key][DONGLE] for key in ("requests", "limits")], ["1", "1"])
            equal([asked[key]["ephemeral-storage"] for key in ("requests", "limits")], ["8388608", "8388608"])
        until("none is free", lambda: free() == 0)
        third = wants("true")
        why = until("it is judged", lambda: s.h.api("GET", f"/v1/jobs/{third}/explain")["clusters"])[0]["detail"]
        assert f"1 {DONGLE}" in why and f"0 {DONGLE}" in why, why
    with shows("an agent that starts again counts the devices of the pods that it adopts"):
        s.kill_agent()
        s.start_agent()
        until("none is free", lambda: free() == 0)
        equal(s.h.job(third)["state"], "queued")
    with shows("the third job gets the first device that is free"):
        s.h.api("POST", f"/v1/jobs/{jobs[0]}:cancel")
        s.ends(jobs[0], "cancelled")
        s.ends(third, "succeeded")
        s.h.api("POST", f"/v1/jobs/{jobs[1]}:cancel")
        s.ends(jobs[1], "cancelled")
        s.c.delete_pod("stranger")
        until("all are free", lambda: free() == 3)


def accelerators(s):
    def gpus():
        return s.h.api("GET", "/v1/clusters/real")["free"]["gpus"]

    with shows("with one kind of accelerator, gpus are of that kind, and its pods ask for it by its name"):
        advertise(s, "amd.com/gpu", 2)
        s.kill_agent()  # which kind it is, is looked up once in an agent's life
        s.start_agent()
        until("they are its gpus", lambda: gpus() == 2)
        job = s.run("sleep 2", resources={"cpu": "20m", "memory": "16Mi", "gpus": 1})
        limits = until("its pod is there", lambda: s.pods(job))[0]["spec"]["containers"][0]["resources"]["limits"]
        equal((limits["amd.com/gpu"], "nvidia.com/gpu" in limits), ("1", False))
        s.ends(job, "succeeded")
    with shows("with two kinds and no setting there are no gpus: both are offered by name, and the reason of a job that wants gpus says so"):
        advertise(s, "nvidia.com/gpu", 4)
        s.kill_agent()
        s.start_agent()
        until("no gpus are left", lambda: gpus() == 0)
        shown = s.h.api("GET", "/v1/clusters/real")["free"]["named"]
        equal((shown["amd.com/gpu"], shown["nvidia.com/gpu"]), (2, 4))
        assert "kinds=\"amd.com/gpu, nvidia.com/gpu\"" in s.h.log("agent-real")
        job = s.run("true", waits=True, resources={"cpu": "20m", "memory": "16Mi", "gpus": 1})
        why = until("it is judged", lambda: s.h.api("GET", f"/v1/jobs/{job}/explain")["clusters"])[0]["detail"]
        assert "(amd.com/gpu, nvidia.com/gpu)" in why and "kube_accelerator" in why, why
        s.h.api("POST", f"/v1/jobs/{job}:cancel")
    with shows("the setting kube_accelerator says which of them gpus are"):
        s.kill_agent()
        s.start_agent(kube_accelerator="nvidia.com/gpu")
        until("they are its gpus", lambda: gpus() == 4)
        s.kill_agent()
        s.start_agent()


def taints(s):
    node, taint = advertise(s, DONGLE, 3), "team=vision:NoSchedule"

    def shown():
        return s.h.api("GET", "/v1/clusters/real/nodes")["nodes"][0]["taints"]

    with shows("a node with a taint is ready and shows it; a job that does not tolerate it waits, and the reason names both"):
        s.c.kubectl("taint", "node", node, taint)
        until("it is shown", lambda: shown() == [taint])
        equal(s.h.api("GET", "/v1/clusters/real")["nodesReady"], 1)
        assert taint in s.cli("cluster", "get", "real")
        plain = s.run("true", waits=True)
        verdict, = until("it is judged", lambda: s.h.api("GET", f"/v1/jobs/{plain}/explain")["clusters"])
        equal(verdict["reason"], "TaintNotTolerated")
        assert f"node {node} has the taint {taint}, which the job does not tolerate" in verdict["detail"], verdict
    with shows("a job that tolerates the taint runs there, as does a Pod's manifest that does"):
        tolerations = [{"key": "team", "operator": "Equal", "value": "vision", "effect": "NoSchedule"}]
        job = s.run("sleep 1", tolerations=tolerations)
        asked = until("its pod is there", lambda: s.pods(job))[0]["spec"]["tolerations"]
        assert tolerations[0] in asked, asked
        s.ends(job, "succeeded")
        s.ends(s.h.submit({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tolerant"}, "spec": {
            "restartPolicy": "Never", "tolerations": [{"key": "team", "operator": "Exists"}],
            "containers": [{"name": "a", "image": BUSYBOX, "command": ["true"]}]}}), "succeeded")
        equal(s.h.job(plain)["state"], "queued")
    with shows("a replica that asks for a device tolerates the taint of its name"):
        s.c.kubectl("taint", "node", node, f"{DONGLE}=present:NoSchedule", "team-")
        until("it is shown", lambda: shown() == [f"{DONGLE}=present:NoSchedule"])
        s.ends(s.run("true", resources={"cpu": "20m", "memory": "16Mi", DONGLE: 1}), "succeeded")
        equal(s.h.job(plain)["state"], "queued")
    with shows("the job that waits starts once the taint is gone"):
        s.c.kubectl("taint", "node", node, f"{DONGLE}-")
        s.ends(plain, "succeeded")


def required(*terms):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": list(term)} for term in terms]}}}


def affinity(s):
    node = s.c.get("nodes")["items"][0]["metadata"]["name"]
    six = [{"key": "cores", "operator": "Gt", "values": ["31"]}, {"key": "cores", "operator": "Lt", "values": ["33"]},
           {"key": "old", "operator": "DoesNotExist"}, {"key": "zone", "operator": "Exists"},
           {"key": "zone", "operator": "In", "values": ["a", "b"]}, {"key": "zone", "operator": "NotIn", "values": ["c"]}]
    never = [{"key": "zone", "operator": "In", "values": ["c"]}]

    with shows("a job whose affinity no node matches waits, and the reason shows it"):
        waits = s.run("sleep 2", waits=True, affinity=required(six, never))
        verdict, = until("it is judged", lambda: s.h.api("GET", f"/v1/jobs/{waits}/explain")["clusters"])
        equal(verdict["reason"], "NodeSelectorUnmatched")
        assert "!old,cores<33,cores>31,zone,zone in (a,b),zone notin (c) or zone in (c)" in verdict["detail"], verdict
    with shows("it starts once a node has the labels, and the cluster's scheduler judges the same terms"):
        s.c.kubectl("label", "node", node, "zone=b", "cores=32")
        pod = until("its pod is there", lambda: s.pods(waits))[0]
        terms = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        equal([term["matchExpressions"] for term in terms], [six[2:3] + six[1::-1] + six[3:], never])
        equal([term["matchFields"][0]["values"] for term in terms], [[node]] * 2)
        s.ends(waits, "succeeded")
    with shows("a Pod's manifest with an affinity runs there too"):
        s.ends(s.h.submit({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "placed"}, "spec": {
            "restartPolicy": "Never", "affinity": required(six[4:5]),
            "containers": [{"name": "a", "image": BUSYBOX, "command": ["true"]}]}}), "succeeded")
    with shows("a label that changes brings no further job there"):
        s.c.kubectl("label", "--overwrite", "node", node, "zone=d")
        until("it is known", lambda: s.h.api("GET", "/v1/clusters/real/nodes")["nodes"][0]["labels"].get("zone") == "d")
        waits = s.run("true", waits=True, affinity=required(six))
        verdict, = until("it is judged", lambda: s.h.api("GET", f"/v1/jobs/{waits}/explain")["clusters"])
        equal(verdict["reason"], "NodeSelectorUnmatched")
        s.c.kubectl("label", "node", node, "zone-", "cores-")
        s.h.api("POST", f"/v1/jobs/{waits}:cancel")


def end(s):
    with shows("nothing of ours is left in the cluster"):
        until("no pod of ours is left", lambda: not s.pods(), 30)


def main():
    if not os.path.exists(TOOL):
        print(f"not ok - {TOOL} is built: cmake --build build/release", flush=True)
        sys.exit(1)
    kube.need_programs()
    with kube.Cluster() as c, hub.Hub() as h:
        contract(c)
        s = Site(c, h)
        for part in (plain, manifests, many, mounts, stops, trouble, restart, room, named, accelerators, affinity, taints, visits.visits, end):
            part(s)
    kube.finish()


main()
