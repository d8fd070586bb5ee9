"""docs/install-kubernetes.md, followed on a real cluster: install, join, run, lose pods, upgrade, roll back, leave, uninstall.

The rights of the agent are compared three ways: docs/security.md, the chart, and the audit log of the API server.
"""
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request

import charts
import kube
from fleet import ROOT
from kube import equal, finish, shows, until

NAMESPACE, AGENT, JOBS = "fairlead", "fairlead-agent", "fairlead-jobs"
ACCOUNTS = {"agent": f"system:serviceaccount:{AGENT}:{AGENT}", "uninstall": f"system:serviceaccount:{AGENT}:{AGENT}-uninstall"}
SERVE = "sh -c 'httpd -p 8080 -h /etc; trap \"exit 0\" TERM; sleep 600 & wait'"
# The API server checks 'create' for these, and writes 'get' into its audit log.
CHECKED = {("agent", "the jobs' namespace", resource, "create") for resource in ("pods/exec", "pods/portforward")}


class Site(charts.Page):
    def __init__(self, c, folder):
        super().__init__(c, "install-kubernetes.md", "tests/kube/chart_test.py", folder)
        self.c, self.env["IMAGE"] = c, kube.BUSYBOX

    def jobs(self):
        """The jobs as people see them: every job, and the whole output of the first."""
        listed = json.loads(self.run("fairlead ps --all -o json"))
        return listed, self.run("fairlead logs job-1")

    def pod(self):
        return self.c.get("-n", NAMESPACE, "pod", "fairlead-0")

    def is_ready(self):
        return self.pod()["status"]["containerStatuses"][0]["ready"]

    def keys(self):
        return self.c.get("-n", NAMESPACE, "secret", "fairlead-keys")["data"]

    def config(self):
        return self.c.get("-n", NAMESPACE, "configmap", "fairlead")["data"]["fairleadd.conf"]

    def wait_east(self):
        until("the cluster east is ready", lambda: "ready" in self.run("fairlead cluster ls | grep east || true"))

    def agent_pods(self):
        return self.c.get("-n", AGENT, "pods", "-l", f"app.kubernetes.io/name={AGENT}")["items"]

    def job_pods(self):
        return self.c.get("-n", JOBS, "pods")["items"]

    def agent_config(self):
        return self.c.get("-n", AGENT, "configmap", AGENT)["data"]["agent.conf"]

    def identity(self):
        return json.loads(self.run("fairlead cluster get east -o json"))["id"]

    def start(self, script, replicas=1):
        """A job that runs; its id and its pods."""
        job = self.run(f"fairlead run --detach --replicas {replicas} --image $IMAGE -- {script}").strip()
        self.wait_running(replicas)
        return job, [one["metadata"] for one in self.job_pods()]

    def through_forward(self, job, path):
        """The answer of the server at port 8080 of the job's replica."""
        words = [f"{self.folder}/build/release/fairlead", "forward", job, "0:8080"]
        process = subprocess.Popen(words, cwd=self.folder, env=self.env, stderr=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r":(\d+) leads", process.stderr.readline())[1])
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
                return answer.read()
        finally:
            process.terminate()
            process.wait(30)

    def wait_running(self, count):
        until(f"{count} pods of jobs run", lambda: [one["status"]["phase"] for one in self.job_pods()] == ["Running"] * count)

    def tell(self):
        for words in (["get", "pods,pvc,events", "-A"], ["-n", AGENT, "logs", f"deployment/{AGENT}", "--tail=30"],
                      ["-n", AGENT, "logs", f"job/{AGENT}-uninstall", "--tail=20"],
                      ["-n", NAMESPACE, "logs", "fairlead-0", "--tail=20"],
                      ["-n", NAMESPACE, "logs", "fairlead-postgresql-0", "--tail=20"], ["-n", NAMESPACE, "logs", "fairlead-doctor"]):
            print(f"--- kubectl {' '.join(words)}", self.c.kubectl(*words, code=None)[-3000:], sep="\n", flush=True)


def install(site):
    with shows("the control plane and its trial Postgres are installed in a namespace of restricted pods, and are ready"):
        said = site.follow("install")
        assert "fairlead token create" in said and "state-fairlead-0" in said, said
        equal([one["ready"] for one in site.pod()["status"]["containerStatuses"]], [True])
    with shows("the first token makes another inside the pod, and a person logs in from outside"):
        site.follow("log in")
    with shows("one line installs an agent in a namespace of restricted pods; it joins, each step is ticked, and it runs a job as a pod"):
        said = site.follow("join")
        equal(re.findall(r"^ok  (\w+)", said, re.M), ["enrolled", "connected", "nodes", "ready"], said)
        assert "hello from a cluster" in site.follow("run a job")
    with shows("helm test: doctor finds everything as it should be"):
        said = site.follow("test")
        assert "Succeeded" in said and "NO  " not in said, said


def agent_life(site):
    with shows("an upgrade and a rollback of the agent replace its pod; its identity and the pod of a running job stay"):
        job, [pod] = site.start(SERVE)
        identity = site.identity()
        before = {one["metadata"]["uid"] for one in site.agent_pods()}
        site.follow("upgrade the agent")
        assert f"kube_image = {kube.BUSYBOX}" in site.agent_config()
        assert before.isdisjoint(one["metadata"]["uid"] for one in site.agent_pods())
        site.wait_east()
        site.follow("roll the agent back")
        assert "kube_image" not in site.agent_config()
        site.wait_east()
        equal([one["metadata"]["uid"] for one in site.job_pods()], [pod["uid"]])
        equal(site.identity(), identity)
    with shows("a command and a forward reach a pod of a job"):
        equal(site.run(f"fairlead exec {job} -- echo entered"), "entered\n")
        assert b"localhost" in site.through_forward(job, "/hosts")
        site.run(f"fairlead cancel {job}")
    with shows("a pod of another that has the name of a job's is left alone, and the job runs all the same"):
        held = site.run("fairlead run --detach --hold --image $IMAGE -- echo mine").strip()
        name = f"fl-{held.removeprefix('job-')}-0-1-main-0"
        site.run(f"kubectl -n {JOBS} run {name} --image $IMAGE --restart Never -- sleep 600")
        uid = site.c.get("-n", JOBS, "pod", name)["metadata"]["uid"]
        site.run(f"fairlead release {held}; fairlead wait {held} --for succeeded --timeout 60s")
        equal(site.c.get("-n", JOBS, "pod", name)["metadata"]["uid"], uid)
        site.run(f"kubectl -n {JOBS} delete pod {name} --grace-period 1")
    with shows("a Service of another that has the name of a gang's is waited out"):
        held = site.run("fairlead run --detach --hold --replicas 2 --image $IMAGE -- true").strip()
        name = f"fl-{held.removeprefix('job-')}-0-1"
        site.run(f"kubectl -n {JOBS} create service clusterip {name} --tcp=80")
        site.run(f"fairlead release {held}")
        user = f"system:serviceaccount:{AGENT}:{AGENT}"
        until("the agent has looked at it", lambda: site.c.audit.entries(user=user, resource="services", verb="get"))
        site.run(f"kubectl -n {JOBS} delete service {name}")
        site.run(f"fairlead wait {held} --for succeeded --timeout 60s")


# ---- rights: written, granted, asked for ---------------------------------------------------------------------------


def written():
    """(account, where, resource, verb) of the table in docs/security.md."""
    with open(os.path.join(ROOT, "docs/security.md")) as file:
        rows = re.findall(r"^\| `(agent|uninstall)` \| (the cluster|the jobs' namespace) \| `([a-z/]+)` \| `([a-z]+)` \| \S", file.read(), re.M)
    equal(len(rows), len(set(rows)), "rows that stand twice")
    return set(rows)


def granted(site):
    """The same of the release's Roles, as its account has them."""
    manifest = "\n---\n".join(charts.helm(site.c, "get", kind, AGENT, "--namespace", AGENT) for kind in ("manifest", "hooks"))
    objects = charts.documents(site.c.kubectl("create", "--dry-run=client", "-o", "json", "-f", "-", stdin=manifest))
    roles = {(one["kind"], one["metadata"]["name"]): one for one in objects if one["kind"] in ("Role", "ClusterRole")}
    found = set()
    for binding in (one for one in objects if one["kind"] in ("RoleBinding", "ClusterRoleBinding")):
        role = roles.pop((binding["roleRef"]["kind"], binding["roleRef"]["name"]))
        where = "the cluster" if binding["kind"] == "ClusterRoleBinding" else "the jobs' namespace"
        equal(binding["metadata"].get("namespace"), None if where == "the cluster" else JOBS)
        [subject] = binding["subjects"]
        account = f"system:serviceaccount:{subject['namespace']}:{subject['name']}"
        for rule in role["rules"]:
            equal(rule["apiGroups"], [""])
            found |= {(account, where, resource, verb) for resource in rule["resources"] for verb in rule["verbs"]}
    equal(roles, {}, "Roles without a binding")
    return {(account, *rest) for one, *rest in found for account, name in ACCOUNTS.items() if name == one}


def asked_for(site):
    """The same rights, from the audit log; refusals while the test had taken an account's rights away do not count."""
    found, wheres = set(), {"": "the cluster", JOBS: "the jobs' namespace"}
    for account, user in ACCOUNTS.items():
        for one in site.c.audit.entries(user=user):
            if one["is_granted"]:
                resource = "/".join(filter(None, (one["resource"], one["subresource"])))
                found.add((account, wheres.get(one["namespace"], one["namespace"]), resource, one["verb"]))
    return found


def losses(site):
    before, keys = site.jobs(), site.keys()
    with shows("a deleted pod comes back with every job, its output and its agent"):
        uid = site.pod()["metadata"]["uid"]
        site.c.kubectl("-n", NAMESPACE, "delete", "pod", "fairlead-0", "--wait=true")
        site.c.kubectl("-n", NAMESPACE, "rollout", "status", "statefulset/fairlead", "--timeout=100s")
        assert site.pod()["metadata"]["uid"] != uid
        equal(site.jobs(), before)
        site.wait_east()
    with shows("while its database is away the pod is not ready and is not restarted; it is ready when the database is back"):
        site.c.kubectl("-n", NAMESPACE, "scale", "statefulset/fairlead-postgresql", "--replicas=0")
        until("the pod is not ready", lambda: not site.is_ready())
        site.c.kubectl("-n", NAMESPACE, "scale", "statefulset/fairlead-postgresql", "--replicas=1")
        until("the pod is ready", site.is_ready)
        equal((site.pod()["status"]["containerStatuses"][0]["restartCount"], site.jobs()), (0, before))
    with shows("an upgrade changes a setting, a rollback takes it back, and neither touches jobs or keys"):
        site.follow("upgrade")
        assert "log_retention = 7d" in site.config()
        equal(site.jobs(), before)
        site.follow("roll back")
        assert "log_retention" not in site.config()
        equal((site.jobs(), site.keys()), (before, keys))


def own_database(site):
    """Makes another database in the trial Postgres: another server would differ in its address alone."""
    password = site.run("kubectl -n fairlead get secret fairlead-postgresql -o jsonpath='{.data.password}' | base64 -d")
    words = "createdb -h 127.0.0.1 -U fairlead -E UTF8 -T template0 production"
    with site.c.forward("service/fairlead-postgresql", 5432, namespace=NAMESPACE) as port:
        subprocess.run([*words.split(), "-p", str(port)], env={**os.environ, "PGPASSWORD": password}, check=True, timeout=60)
    site.env["DATABASE"] = f"host=fairlead-postgresql.fairlead.svc dbname=production user=fairlead password={password}"
    with shows("a Secret names the database of a second control plane"):
        site.follow("install with a database")
        said = site.run("kubectl -n production exec fairlead-0 -- fairlead ps --token-file /var/lib/fairleadd/admin-token -o json")
        equal(json.loads(said), [], said)
        ours, theirs = site.keys(), site.c.get("-n", "production", "secret", "fairlead-keys")["data"]
        equal([name for name in ours if ours[name] == theirs[name]], [], "keys that two installations share")


def leave(site):
    with shows("docs/security.md has the rights that the chart grants, and no other"):
        equal(granted(site), written())
    job, [pod, _] = site.start(SERVE, replicas=2)
    with shows("without its agent a deleted pod of a job stays; the uninstallation releases it, ends the other, and leaves an empty namespace"):
        site.run(f"kubectl -n {AGENT} scale deployment {AGENT} --replicas 0")
        until("the agent is gone", lambda: not site.agent_pods())
        refused = [one for one in site.c.audit.entries(user=ACCOUNTS["agent"]) if not one["is_granted"]]
        equal(refused, [], "requests of the agent that were refused while it lived")
        site.run(f"kubectl -n {JOBS} delete pod {pod['name']} --wait=false")
        until("its container has ended", lambda: "terminated" in
              site.c.get("-n", JOBS, "pod", pod["name"])["status"]["containerStatuses"][0]["state"])
        equal([one["metadata"]["finalizers"] for one in site.job_pods()], [["fairlead.dev/report"]] * 2)
        site.follow("uninstall the agent")
        check_nothing_left(site)
    with shows("the same cluster joins again under its name, and the job that was lost with its pod runs again"):
        said = site.run(site.blocks["join"].splitlines()[-1])
        assert "ok  ready" in said, said
        site.wait_running(2)
    with shows("a cluster that leaves is drained, its job waits elsewhere, and its uninstallation leaves nothing"):
        said = site.follow("leave")
        equal(re.findall(r"^ok  (\w+(?: \w+)*)", said, re.M), ["cordoned", "empty", "cut off", "forgotten"], said)
        site.follow("uninstall the agent")
        check_nothing_left(site)
        equal(json.loads(site.run(f"fairlead get {job} -o json"))["state"], "queued")
        assert "east" not in site.run("fairlead cluster ls 2>&1")
    with shows("agent and uninstallation asked the API server for what the table has, for each of it, and for nothing else"):
        equal(asked_for(site), written() - CHECKED)


def check_nothing_left(site):
    """But for the two namespaces, and what Kubernetes itself puts into each."""
    equal(site.job_pods(), [])
    found = []
    for where in (AGENT, JOBS):
        found += site.c.get("-n", where, "secret,persistentvolumeclaim,configmap,serviceaccount,role,rolebinding,deployment,job")["items"]
    found += [one for one in site.c.get("clusterrole,clusterrolebinding")["items"] if "fairlead" in one["metadata"]["name"]]
    equal({f"{one['kind']}/{one['metadata']['name']}" for one in found}, {"ServiceAccount/default", "ConfigMap/kube-root-ca.crt"})
    until("the pods of the agent and of the last Job are gone", lambda: not site.c.get("-n", AGENT, "pods")["items"], 30)


def uninstall(site):
    before, keys = site.jobs(), site.keys()
    with shows("an uninstalled release leaves its keys and claims, the pod of its last test, and nothing else"):
        said = site.follow("uninstall")
        left = {f"{one['kind']}/{one['metadata']['name']}" for one in site.c.get(
            "-n", NAMESPACE, "all,secret,persistentvolumeclaim,configmap,serviceaccount")["items"]}
        equal(left - {"ServiceAccount/default", "ConfigMap/kube-root-ca.crt", "Secret/fairlead-test", "Pod/fairlead-doctor"},
              {"Secret/fairlead-keys", "Secret/fairlead-postgresql", "PersistentVolumeClaim/state-fairlead-0",
               "PersistentVolumeClaim/data-fairlead-postgresql-0"})
        assert "fairlead-keys" in said and "state-fairlead-0" in said, said
    with shows("installed again under its name it is the same control plane: keys, jobs, output, agent"):
        site.run(site.blocks["install"][site.blocks["install"].index("helm install"):])
        equal((site.jobs(), site.keys()), (before, keys))
        site.wait_east()
        assert "hello from a cluster" in site.follow("run a job")


def main():
    kube.need_programs()
    with tempfile.TemporaryDirectory(prefix="fl-chart-") as folder, kube.Cluster() as c:
        charts.load_images(c, f"{folder}/images", "fairleadd", "fairlead-postgres", "fairlead-agent")
        charts.add_disks(c, 5)
        started, site = time.monotonic(), Site(c, f"{folder}/site")
        try:
            for part in (install, agent_life, losses, own_database, uninstall, leave):
                began = time.monotonic()
                part(site)
                if part is install:  # the pods of these tests share one small node
                    site.run("fairlead queue edit default --default-cpu 0")
                print(f"# {part.__name__}: {time.monotonic() - began:.0f} s", flush=True)
            with shows("every command of the page was run"):
                equal(site.left, set())
        except BaseException:
            site.tell()
            raise
        print(f"# {time.monotonic() - started:.0f} s from the first command to the last", flush=True)
    finish()


main()
