"""The charts rendered with all their options: a real API server takes every object, and what is wrong is refused before
that."""
import base64
import json
import os
import re
import subprocess
import tempfile

import kube
import programs
from chart_values import AGENT, CHARTS, CONTROL_PLANE, DIGEST, JOBS, TOKEN, ALL, AGENT_ALL, WITH_TRIAL
from charts import documents, helm
from fleet import BIN, ROOT
from kube import equal, finish, shows

class Rendered:
    def __init__(self, c, folder, chart, values):
        path = f"{folder}/values.json"
        with open(path, "w") as file:
            json.dump(values, file)
        self.text = helm(c, "template", "one", chart.path, "--kube-version", programs.VERSION, "--values", path)

    def objects(self, c):
        """As an API server with its strictest eye takes them."""
        out = c.kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-o", "json", "-f", "-",
                        stdin=self.text)
        return {f"{one['kind']}/{one['metadata']['name']}": one for one in documents(out)}


def pods_of(objects):
    for name, one in objects.items():
        if one["kind"] in ("Pod", "StatefulSet", "Deployment", "Job"):
            yield name, one["spec"] if one["kind"] == "Pod" else one["spec"]["template"]["spec"]


def check_restricted(name, pod, asks_server):
    """A token of the API server is there for who asks it, and for no other."""
    equal((pod["automountServiceAccountToken"], pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["seccompProfile"]),
          (asks_server, True, {"type": "RuntimeDefault"}), name)
    for container in pod["containers"]:
        equal(container["securityContext"], {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                             "capabilities": {"drop": ["ALL"]}}, name)


def leaves(values, path=()):
    """Yields the path of each value: a mapping that the chart takes as a whole is one."""
    for key, value in values.items():
        if isinstance(value, dict) and key not in ("annotations", "resources", "settings") and value and path + (key,) not in WHOLE:
            yield from leaves(value, path + (key,))
        else:
            yield path + (key,)


WHOLE = {("podAnnotations",), ("podLabels",), ("nodeSelector",), ("affinity",)}


def without(values, path):
    """The same values but for one, which is left to the chart."""
    copy = json.loads(json.dumps(values))
    one = copy
    for key in path[:-1]:
        one = one[key]
    del one[path[-1]]
    return copy


def rendering(c, folder, chart):
    with shows(f"{chart.name}: helm lint has nothing to say against the chart"):
        least = [word for key, value in leaves_of(chart.least) for word in ("--set", f"{key}={value}")]
        assert "0 chart(s) failed" in helm(c, "lint", "--strict", chart.path, *least)
    with shows(f"{chart.name}: the chart is of the version that the programs have"):
        with open(os.path.join(ROOT, "shared/base/version.h")) as file:
            version = re.search(r'FL_VERSION "(.*)"', file.read())[1]
        with open(f"{chart.path}/Chart.yaml") as file:
            equal(re.findall(r'^(?:appV|v)ersion: "?([^"\n]*)', file.read(), re.M), [version, version])
    with shows(f"{chart.name}: values that contradict each other, or are invalid, are refused with the reason"):
        for words, reason in chart.refused:
            said = helm(c, "template", "one", chart.path, "--kube-version", programs.VERSION, *words, code=1)
            assert reason in said, f"{words}: {said[-500:]}"
    for what, values in (("the values as delivered", chart.least), *((what, values) for what, values, _ in chart.every)):
        with shows(f"{chart.name}: an API server takes every object with {what}"):
            objects = Rendered(c, folder, chart, values).objects(c)
            for name, pod in pods_of(objects):
                check_restricted(name, pod, chart is AGENT)
            assert values is not chart.least or len(objects) == chart.count, str(sorted(objects))


def leaves_of(values):
    for path in leaves(values):
        one = values
        for key in path:
            one = one[key]
        yield ".".join(path), str(one).lower() if isinstance(one, bool) else one


def options(c, folder, chart):
    with shows(f"{chart.name}: every value of the chart changes what is rendered"):
        for _, values, is_mine in chart.every:
            values = {**values, "global": {"imageRegistry": ""}}  # else it stands before the images' own
            whole = plain(Rendered(c, folder, chart, values).text)
            for path in leaves(values):
                if is_mine(path) and path not in chart.elsewhere:
                    assert plain(Rendered(c, folder, chart, without(values, path)).text) != whole, f"{'.'.join(path)} has no effect"


def plain(text):
    """Without what is drawn anew at each rendering."""
    return re.sub(r"^  (password|connection): .*$", "", text, flags=re.M)


def images(c, folder):
    with shows("a registry for all images, a digest and a connection are used where they are given"):
        text = Rendered(c, folder, CONTROL_PLANE, {**WITH_TRIAL, "image": {"digest": DIGEST}}).text
        assert f"image: registry.test/all/fairleadd@{DIGEST}" in text and "image: registry.test/all/pg:3" in text
        text = Rendered(c, folder, CONTROL_PLANE, {"database": {"connection": "host=there"}}).text
        assert "connection: aG9zdD10aGVyZQ==" in text and "secretName: one-fairlead-database" in text
    with shows("an agent takes a Secret and a claim that are there, and the chart then makes none"):
        text = Rendered(c, folder, AGENT, {"existingSecret": "theirs", "storage": {"existingClaim": "mine"}, "image": {"digest": DIGEST}}).text
        assert "secretName: theirs" in text and "claimName: mine" in text and f"image: localhost/fairlead-agent@{DIGEST}" in text
        assert "kind: Secret\n" not in text and "kind: PersistentVolumeClaim\n" not in text
    with shows("a token that comes from a file is used without the end of its line"):
        with open(f"{folder}/token", "w") as file:
            file.write(f"{TOKEN}\n")
        said = helm(c, "template", "one", AGENT.path, "--kube-version", programs.VERSION, "--set-file", f"joinToken={folder}/token")
        assert f"token: {base64.b64encode(TOKEN.encode()).decode()}\n" in said


def configuration(c, folder, chart, program, key, values, put, wanted):
    """'put' is what the pod has in place of a file."""
    with shows(f"{program} takes the configuration that the chart writes"):
        lines = re.search(key + r": \|\n((?:    .*\n)+)", Rendered(c, folder, chart, values).text)[1]
        with open(f"{folder}/program.conf", "w") as file:
            file.write(re.sub(r"^    ", "", lines, flags=re.M).replace(*put))
        done = subprocess.run([os.path.join(BIN, program), "--config", f"{folder}/program.conf", "--print-config"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        equal(done.returncode, 0, done.stdout)
        for line in wanted:
            assert line in done.stdout, f"{line}: {done.stdout}"


def main():
    kube.need_programs()
    with tempfile.TemporaryDirectory() as folder, kube.Cluster(nodes=0) as c:
        for name in (JOBS, "fairlead-jobs"):
            c.kubectl("create", "namespace", name)
        for chart in CHARTS:
            rendering(c, folder, chart)
            options(c, folder, chart)
        images(c, folder)
        configuration(c, folder, CONTROL_PLANE, "fairleadd", "fairleadd.conf", ALL, ("@/etc/fairlead/database/connection", "host=there"), (
            "names = one-fairlead,one-fairlead.default,one-fairlead.default.svc,one-fairlead.default.svc.cluster.local,"
            "api.test,fd00::1,more.test", "fronts = 4", "log_level = warn,tunnel=debug", "tunnel_address = [fd00::1]:8443"))
        configuration(c, folder, AGENT, "fairlead-agent", "agent.conf", AGENT_ALL, ("@/etc/fairlead/join/token", TOKEN), (
            "runtime = kubernetes", f"kube_namespace = {JOBS}", "api_url = https://api.test:443", "hub = [fd00::1]:8443",
            "server_name = hub.test", "proxy = http://proxy.test:3128", "no_proxy = a.test,b.test", "cluster_uid = the-one",
            "log_level = warn,kube=debug", "kube_image = busybox:1", "kube_output_all = 1GiB"))
    finish()


main()
