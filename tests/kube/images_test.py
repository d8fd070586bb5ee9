"""The images of deploy/images: built twice alike, small, without a shell, with a bill of materials that is valid and complete.

containerd imports them and runs each as a pod under the Pod Security standard 'restricted'.  spdx-tools, which reads the bill
of materials, comes from PyPI into build/spdx, once.
"""
import gzip
import hashlib
import io
import json
import os
import re
import stat
import subprocess
import sys
import tarfile
import tempfile

import kube
from fleet import BIN, ROOT
from kube import equal, finish, shows

SIZE_MAX = 40 << 20
SPDX_TOOLS = "spdx-tools==0.8.3"
IMAGES = {  # image: the programs in it, and the first words of its answer to --version
    "fairleadd": ({"fairleadd", "fairlead"}, "fairleadd"),
    "fairlead-agent": ({"fairlead-agent", "fairlead-supervise"}, "fairlead-agent"),
    "fairlead": ({"fairlead"}, "fairlead"),
    "fairlead-postgres": ({"busybox", "postgres-start"}, "postgres (PostgreSQL) 15"),
}
TRIAL = "fairlead-postgres"


def build(out, *words):
    done = subprocess.run([os.path.join(ROOT, "deploy/images/build"), "--programs", BIN, "--out", out, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.returncode, done.stdout


class Image:
    """Reads the layout with nothing of what wrote it."""

    def __init__(self, path):
        self.path = path
        with tarfile.open(path) as tar:
            self.members = {one.name: tar.extractfile(one).read() for one in tar if one.isfile()}
        self.index = json.loads(self.members["index.json"])
        self.manifest = json.loads(self.blob(self.index["manifests"][0]))
        self.config = json.loads(self.blob(self.manifest["config"]))
        self.packed = self.blob(self.manifest["layers"][0])
        self.layer = tarfile.open(fileobj=io.BytesIO(gzip.decompress(self.packed)))

    def blob(self, descriptor):
        data = self.members["blobs/" + descriptor["digest"].replace(":", "/")]
        equal((len(data), "sha256:" + hashlib.sha256(data).hexdigest()), (descriptor["size"], descriptor["digest"]))
        return data

    def files(self):
        return {one.name: self.layer.extractfile(one).read() for one in self.layer if one.isfile()}


def check_layout(name, image):
    equal(json.loads(image.members["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
    equal(len(image.members), 5)  # two of the layout, three blobs: nothing that no descriptor names
    equal(image.config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(gzip.decompress(image.packed)).hexdigest()])
    equal(image.config["config"]["User"], "65532:65532")
    assert len(image.packed) < SIZE_MAX or name == TRIAL, f"{len(image.packed)} bytes"


def check_entries(name, image):
    for one in image.layer:
        assert one.isfile() or one.isdir() or one.issym(), f"{one.name} is of type {one.type}"
        equal(one.mode & (stat.S_ISUID | stat.S_ISGID), 0, one.name)
        assert one.issym() or one.name == "tmp" or not one.mode & 0o022, f"{one.name} may be written by others"
        assert one.uid == 0 or (one.isdir() and one.mode == 0o700), f"{one.name} belongs to {one.uid}"
    found = {os.path.basename(one.name) for one in image.layer if one.isfile() and one.name.startswith("usr/bin/")}
    equal(found, IMAGES[name][0])
    shells = {one.name for one in image.layer if os.path.basename(one.name) in ("sh", "bash", "dash", "ash", "zsh", "busybox")}
    equal(bool(shells), name == TRIAL, str(shells))


# ---- the bill of materials ---------------------------------------------------------------------------------------


def check_complete(image, bill):
    """Each file of the image is one of ours, with that hash, or a named package has it, or it says whose licence it is."""
    ours = {row["fileName"].removeprefix("./"): row["checksums"][1]["checksumValue"] for row in bill["files"]}
    packages = {row["name"]: row for row in bill["packages"] if row.get("supplier") == "Organization: Debian"}
    listed = set()
    for package in packages:
        out = subprocess.run(["dpkg-query", "-L", package], stdout=subprocess.PIPE, text=True, check=True).stdout
        listed.update(re.sub(r"^/(bin|sbin|lib\w*)/", r"/usr/\1/", line) for line in out.splitlines())
    papers = re.compile(r"usr/share/(doc/[^/]+/copyright|common-licenses/.*)|var/lib/dpkg/status.d/.*|etc/ssl/certs/ca-certificates.crt")
    for path, data in image.files().items():
        if path in ours:
            equal(ours.pop(path), hashlib.sha256(data).hexdigest(), path)
        else:
            assert papers.fullmatch(path) or f"/{path}" in listed, f"the bill names nothing that brings {path}"
    equal(ours, {}, "files in the bill alone")
    for name, row in packages.items():
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], stdout=subprocess.PIPE, text=True).stdout
        equal(row["versionInfo"], version, name)
        assert row["licenseDeclared"] not in ("", "NOASSERTION", "NONE"), row


def spdx_tools():
    """The folder of its programs; made once."""
    home = os.path.join(ROOT, "build", "spdx")
    if not os.path.exists(f"{home}/made"):
        for words in ([sys.executable, "-m", "venv", "--clear", home], [f"{home}/bin/pip", "install", "-q", SPDX_TOOLS]):
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
            assert done.returncode == 0, f"{' '.join(words)}: {done.stdout[-1000:]}"
        open(f"{home}/made", "w").close()
    return f"{home}/bin"


# ---- containerd --------------------------------------------------------------------------------------------------


def run_pod(c, name, image):
    """Runs '--version' by the image's own first words; its output."""
    container = {"name": "main", "image": image.index["manifests"][0]["annotations"]["io.containerd.image.name"],
                 "imagePullPolicy": "Never", "args": ["--version"],
                 "securityContext": {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False,
                                     "capabilities": {"drop": ["ALL"]}}}
    if name == "fairlead":
        container["args"] = ["version"]
    if name == TRIAL:
        container["command"] = ["/usr/lib/postgresql/15/bin/postgres"]
    spec = {"restartPolicy": "Never", "containers": [container],
            "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}}
    c.api("POST", "/api/v1/namespaces/default/pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
    equal(c.wait_phase(name, "Succeeded", "Failed")["status"]["phase"], "Succeeded", c.logs(name))
    return c.logs(name)


def main():
    kube.need_programs()
    with tempfile.TemporaryDirectory() as folder:
        with shows("two builds are the same, byte for byte"):
            for out in ("one", "two"):
                code, said = build(f"{folder}/{out}")
                equal(code, 0, said[-1500:])
            print("".join(f"# {line}\n" for line in said.splitlines()), end="", flush=True)
            equal(sorted(os.listdir(f"{folder}/one")), sorted(f"{name}.{end}" for name in IMAGES for end in ("tar", "spdx.json")))
            for name in os.listdir(f"{folder}/one"):
                with open(f"{folder}/one/{name}", "rb") as one, open(f"{folder}/two/{name}", "rb") as two:
                    assert one.read() == two.read(), f"{name} differs"
        with shows("an error names the image that cannot be built, and nothing is written"):
            code, said = build(f"{folder}/none", "--programs", "/nowhere", "fairlead")
            equal((code, "/nowhere/fairlead is not there" in said, os.listdir(f"{folder}/none")), (1, True, []), said)
            code, said = build(f"{folder}/none", "nothing")
            equal((code, "no image nothing" in said), (2, True), said)
        images = {name: Image(f"{folder}/one/{name}.tar") for name in IMAGES}
        for name, image in images.items():
            with shows(f"{name}: every digest of the layout holds, it is small, its user is not root"):
                check_layout(name, image)
            with shows(f"{name}: no setuid, nothing that others may write, no program but its own{', a shell' if name == TRIAL else ''}"):
                check_entries(name, image)
            with shows(f"{name}: the bill of materials names every file or its package, with version and licence"):
                with open(f"{folder}/one/{name}.spdx.json") as file:
                    check_complete(image, json.load(file))
            with shows(f"{name}: spdx-tools calls the bill of materials valid"):
                done = subprocess.run([f"{spdx_tools()}/pyspdxtools", "-i", f"{folder}/one/{name}.spdx.json", "--version", "SPDX-2.3"],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
                equal(done.returncode, 0, done.stdout[:1500])
        with kube.Cluster() as c:
            c.kubectl("label", "namespace", "default", "pod-security.kubernetes.io/enforce=restricted")
            for name, image in images.items():
                with shows(f"{name}: containerd imports it, and a restricted pod runs it"):
                    c.load_image(image.path)
                    said = run_pod(c, name, image)
                    assert said.startswith(IMAGES[name][1]), said
    finish()


main()
