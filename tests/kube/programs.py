"""The programs of a cluster: those of Debian are found, the others are built from Go modules, once, into a cache.

The cache is $XDG_CACHE_HOME/fairlead-kube/KEY; KEY is a hash of all that the build reads.  A cold build takes about
ten CPU minutes and 4.3 GB of disk, most of it Go's own cache.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

import image

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "programs")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "fairlead-kube")
KEPT_BUILDS = 3

VERSION = "v1.36.3"  # as in go.mod; a server that is not told would call itself v0.0.0
STAMP = "k8s.io/component-base/version"
LINKED = f"-s -w -X {STAMP}.gitVersion={VERSION} -X {STAMP}.gitMajor=1 -X {STAMP}.gitMinor=36 -X {STAMP}.gitTreeState=clean"
PACKAGES = ["./kubernetes", "./coredns", "sigs.k8s.io/kwok/cmd/kwok", "helm.sh/helm/v3/cmd/helm"]
NAMES = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl"]

TOOLCHAIN = "go1.26.8"  # the version to download where the machine's Go is too old
GO_OUTSIDE_PATH = "/usr/local/go/bin/go"  # where Go's own archive goes
CNI = "/usr/lib/cni"
DEBIAN = {"containerd": "containerd", "ctr": "containerd", "runc": "runc", "busybox": "busybox-static",
          "iptables": "iptables", "ip": "iproute2", "nsenter": "util-linux", "openssl": "openssl", "gcc": "gcc"}


class Missing(Exception):
    """This machine cannot run a cluster, and why."""


def run(*words, **options):
    out = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if out.returncode != 0:
        raise RuntimeError(f"{' '.join(words)[:200]}: exit code {out.returncode}: {out.stdout[-2000:]}")
    return out.stdout


def find(name):
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"])
    return shutil.which(name, path=path)


def check_machine():
    """Raises Missing with everything that is lacking, and how to get it."""
    lacking = []
    if os.geteuid() != 0:
        lacking.append("root: namespaces, bridges and cgroups are made")
    absent = sorted({package for name, package in DEBIAN.items() if not find(name)})
    if not os.path.exists(f"{CNI}/bridge"):
        absent.append("containernetworking-plugins")
    if absent:
        lacking.append(f"packages: apt-get install {' '.join(absent)}")
    with open("/proc/filesystems") as file:
        if "overlay" not in file.read():
            lacking.append("the file system 'overlay' in the kernel")
    if lacking:
        raise Missing("a test cluster needs " + "; ".join(lacking))


# ---- Go --------------------------------------------------------------------------------------------------------


def version_of(words):
    """(1, 26, 8) of 'go1.26.8'; (0,) where there is no version in it."""
    found = re.search(r"\bgo(\d+(?:\.\d+)*)", words)
    return tuple(int(part) for part in found[1].split(".")) if found else (0,)


def wanted_version():
    with open(os.path.join(SOURCES, "go.mod")) as file:
        return version_of("go" + re.search(r"^go (\S+)$", file.read(), re.M)[1])


def environment():
    """Go must not fetch another toolchain by itself: find_go downloads one where it is needed."""
    return dict(os.environ, GOTOOLCHAIN="local", GOWORK="off", CGO_ENABLED="0")


def find_go():
    """A Go that is new enough: this machine's, or one that an older Go downloads as a module and verifies."""
    present = [go for go in (find("go"), GO_OUTSIDE_PATH) if go and os.path.exists(go)]
    for go in present:
        if version_of(run(go, "version", env=environment())) >= wanted_version():
            return go
    if not present:
        raise Missing("a test cluster is built with Go, and 'go' is not in PATH: apt-get install golang-go (any version: it "
                      f"brings {TOOLCHAIN})")
    return bring_go(present[0])


def bring_go(go):
    """Go's module cache keeps no execute bits, so they are set here, as newer versions of Go do themselves."""
    architecture = image.ARCHITECTURES[os.uname().machine]
    with tempfile.TemporaryDirectory() as outside:  # outside of any module: an older Go cannot read our go.mod
        out = run(go, "mod", "download", "-json", f"golang.org/toolchain@v0.0.1-{TOOLCHAIN}.linux-{architecture}",
                  cwd=outside, env=environment())
    root = json.loads(out[out.index("{"):])["Dir"]
    for folder in (f"{root}/bin", f"{root}/pkg/tool/linux_{architecture}"):
        for name in os.listdir(folder):
            os.chmod(f"{folder}/{name}", 0o755)
    return f"{root}/bin/go"


# ---- the build -------------------------------------------------------------------------------------------------


def key():
    digest = hashlib.sha256(LINKED.encode())
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(SOURCES) for name in names if name != "README.md"]
    for path in [*sorted(paths), os.path.join(HERE, "image.py"), find("busybox")]:
        with open(path, "rb") as file:
            digest.update(os.path.basename(path).encode() + hashlib.sha256(file.read()).digest())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def locked(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build_go(out):
    go = find_go()
    run("nice", go, "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-tags", "grpcnotrace,notest",
        "-ldflags", LINKED, "-o", f"{out}/", *PACKAGES, cwd=SOURCES, env=environment())
    for name in NAMES:
        os.symlink("kubernetes", f"{out}/{name}")


def build_images(bin_folder, out):
    busybox = find("busybox")
    applets = {f"bin/{name}": "busybox" for name in run(busybox, "--list").split() if name != "busybox"}
    image.write(f"{out}/pause.tar", "fairlead.test/pause:1", {"pause": f"{bin_folder}/pause"}, command=["/pause"])
    image.write(f"{out}/busybox.tar", "fairlead.test/busybox:1", {"bin/busybox": busybox}, applets)
    image.write(f"{out}/coredns.tar", "fairlead.test/coredns:1", {"coredns": f"{bin_folder}/coredns"}, command=["/coredns"])


def build():
    """The folder with bin/ and images/, built if it is not there."""
    check_machine()
    folder = os.path.join(CACHE, key())
    with locked(os.path.join(CACHE, "lock")):
        if os.path.isdir(folder):
            os.utime(folder)
            return folder
        part = f"{folder}.part"
        shutil.rmtree(part, ignore_errors=True)
        for name in ("bin", "images"):
            os.makedirs(f"{part}/{name}")
        run("gcc", "-Wall", "-Wextra", "-Werror", "-O2", "-static", "-o", f"{part}/bin/pause", os.path.join(SOURCES, "pause.c"))
        build_go(f"{part}/bin")
        build_images(f"{part}/bin", f"{part}/images")
        os.rename(part, folder)
        forget_old_builds()
    return folder


def forget_old_builds():
    folders = [entry.path for entry in os.scandir(CACHE) if entry.is_dir()]
    for folder in sorted(folders, key=os.path.getmtime, reverse=True)[KEPT_BUILDS:]:
        shutil.rmtree(folder, ignore_errors=True)
