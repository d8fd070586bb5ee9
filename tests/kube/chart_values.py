"""The input of tests/kube/render_test.py: each chart, with another value than the chart's own for each of its settings, and the
values that it refuses."""
import os
import typing

from fleet import ROOT


class Chart(typing.NamedTuple):
    name: str
    least: dict  # the values that it needs
    count: int  # objects that this makes
    every: list  # (subject, values, which paths they are for)
    elsewhere: set  # paths that have a test of their own
    refused: list  # (values, a part of the error)

    @property
    def path(self):
        return os.path.join(ROOT, "deploy/charts", self.name)


TRIAL = ["--set", "postgresql.enabled=true"]
DIGEST = "sha256:" + "0" * 64

ALL = {
    "global": {"imageRegistry": "registry.test/all"},
    "image": {"registry": "registry.test/own", "repository": "other", "tag": "2", "digest": "", "pullPolicy": "Always"},
    "imagePullSecrets": [{"name": "pull"}],
    "database": {"existingSecret": "theirs", "key": "dsn", "connection": ""},
    "postgresql": {"enabled": False, "image": {"registry": "registry.test/pg", "repository": "pg", "tag": "3", "digest": "",
                                               "pullPolicy": "Never"},
                   "storage": {"size": "3Gi", "className": "slow"}, "resources": {"requests": {"cpu": "1"}}},
    "keys": {"existingSecret": "mine"},
    "addresses": {"api": "https://api.test:443", "tunnel": "[fd00::1]:8443", "names": ["more.test"]},
    "tls": {"existingSecret": "certificate"},
    "service": {"type": "LoadBalancer", "annotations": {"a.test/b": "c"}, "apiPort": 443, "tunnelPort": 8443, "metricsPort": 9000,
                "apiNodePort": 30001, "tunnelNodePort": 30002},
    "settings": {"log_level": "warn,tunnel=debug", "log_retention": "7d", "fronts": 4},
    "storage": {"size": "50Gi", "className": "fast"},
    "resources": {"requests": {"cpu": "2"}, "limits": {"memory": "8Gi"}},
    "networkPolicy": {"enabled": True, "databasePort": 6432, "apiFrom": [{"podSelector": {}}],
                      "tunnelFrom": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]},
    "serviceAccount": {"annotations": {"d.test/e": "f"}},
    "podAnnotations": {"g.test/h": "i"}, "podLabels": {"team": "ml"}, "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "only", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "preference": {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}}]}},
    "priorityClassName": "system-cluster-critical",
    "extraEnv": [{"name": "MALLOC_ARENA_MAX", "value": "2"}],
    "extraVolumes": [{"name": "extra", "emptyDir": {}}], "extraVolumeMounts": [{"name": "extra", "mountPath": "/extra"}],
    "terminationGracePeriodSeconds": 90,
}
WITH_TRIAL = {**ALL, "database": {"existingSecret": "", "key": "dsn", "connection": ""},
              "postgresql": {**ALL["postgresql"], "enabled": True}}

REFUSED = [  # values, and a part of the error
    ([], "needs one Postgres, and none is named"),
    ([*TRIAL, "--set", "database.connection=host=x"], "database.connection and postgresql.enabled are named"),
    ([*TRIAL, "--set", "imgae.tag=2"], "imgae"),
    ([*TRIAL, "--set", "service.type=Node"], "/service/type"),
    ([*TRIAL, "--set", "addresses.api=http://plain.test:80"], "/addresses/api"),
    ([*TRIAL, "--set", "addresses.tunnel=no-port.test"], "/addresses/tunnel"),
    ([*TRIAL, "--set", "image.digest=sha256:12"], "/image/digest"),
    ([*TRIAL, "--set", "settings.api_url=https://x"], "settings.api_url: the chart sets it"),
]

CONTROL_PLANE = Chart(
    "fairlead", {"postgresql": {"enabled": True}}, 9,
    [("every option", ALL, lambda path: path[0] != "postgresql"),
     ("every option and the trial Postgres", WITH_TRIAL, lambda path: path[0] == "postgresql")],
    {("global", "imageRegistry"), ("image", "digest"), ("postgresql", "image", "digest"), ("postgresql", "enabled"),
     ("database", "existingSecret"), ("database", "connection")},
    REFUSED)

# ---- the agent -----------------------------------------------------------------------------------------------------------

TOKEN = "fl-join_" + "A" * 100
JOBS = "work"  # a namespace of jobs that is there
JOIN = ["--set", f"joinToken={TOKEN}"]

AGENT_ALL = {
    **{key: ALL[key] for key in (
        "global", "image", "imagePullSecrets", "resources", "serviceAccount", "podAnnotations", "podLabels", "nodeSelector",
        "tolerations", "affinity", "priorityClassName", "extraEnv", "extraVolumes", "extraVolumeMounts")},
    "joinToken": TOKEN, "existingSecret": "",
    "jobsNamespace": {"name": JOBS, "create": False, "podSecurity": "restricted"},
    "hub": {"apiUrl": "https://api.test:443", "tunnel": "[fd00::1]:8443", "serverName": "hub.test", "proxy": "http://proxy.test:3128",
            "noProxy": "a.test,b.test"},
    "clusterUid": "the-one", "visits": {"enabled": False},
    "settings": {"log_level": "warn,kube=debug", "kube_image": "busybox:1", "kube_output_all": "1GiB"},
    "storage": {"size": "9Gi", "className": "fast", "existingClaim": ""},
    "networkPolicy": {"enabled": True, "ports": [443, 9443]},
    "uninstall": {"timeoutSeconds": 60},
    "terminationGracePeriodSeconds": 90,
}
AGENT_MADE = {**AGENT_ALL, "jobsNamespace": {**AGENT_ALL["jobsNamespace"], "create": True}}

AGENT = Chart(
    "fairlead-agent", {"joinToken": TOKEN}, 16,
    [("every option", AGENT_ALL, lambda path: path != ("jobsNamespace", "podSecurity")),
     ("every option and a namespace of jobs", AGENT_MADE, lambda path: path == ("jobsNamespace", "podSecurity"))],
    {("global", "imageRegistry"), ("image", "digest"), ("joinToken",), ("existingSecret",), ("storage", "existingClaim")},
    [
        ([], "the agent needs a join token, and none is named"),
        (["--set", "joinToken=fl_abc"], "/joinToken"),
        ([*JOIN, "--set", "existingSecret=theirs"], "joinToken and existingSecret are named"),
        ([*JOIN, "--set", "jobsNamespace.name=default"], "jobsNamespace.name is default, the agent's own namespace"),
        ([*JOIN, "--set", "jobsNamespace.podSecurity=none"], "/jobsNamespace/podSecurity"),
        ([*JOIN, "--set", "imgae.tag=2"], "imgae"),
        ([*JOIN, "--set", "replicas=2"], "replicas"),
        ([*JOIN, "--set", "hub.apiUrl=http://plain.test:80"], "/hub/apiUrl"),
        ([*JOIN, "--set", "networkPolicy.ports={}"], "/networkPolicy/ports"),
        ([*JOIN, "--set", "settings.kube_namespace=x"], "settings.kube_namespace: the chart sets it"),
        ([*JOIN, "--set", "settings.clear=true"], "settings.clear: the chart sets it"),
    ])

CHARTS = [CONTROL_PLANE, AGENT]
