"""Shared by the tests of charts: the images that they need, disks for claims, the blocks of a page, a shell to run them in."""
import json
import os
import re
import subprocess

from kube import equal  # it comes first: it finds fleet.py
from fleet import BIN, ROOT


def load_images(c, folder, *names):
    """Builds them from this build's programs, and gives them to the nodes."""
    words = [os.path.join(ROOT, "deploy/images/build"), "--programs", BIN, "--out", folder, *names]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    equal(done.returncode, 0, done.stdout[-1500:])
    for name in names:
        c.load_image(f"{folder}/{name}.tar")


def add_disks(c, count):
    """Volumes for so many claims, in the folder of the cluster's first node."""
    place = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node1"]}]}]}}
    for i in range(count):
        path = f"{c.home}/node1/disks/{i}"
        os.makedirs(path)
        c.api("POST", "/api/v1/persistentvolumes", {
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"disk-{i}"},
            "spec": {"capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
                     "local": {"path": path}, "nodeAffinity": place}})


def helm(c, *words, code=0):
    """stdout and stderr of helm, whose exit code must be 'code'."""
    done = subprocess.run([f"{c.bin}/helm", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                          env=c.environment())
    equal(done.returncode, code, f"helm {' '.join(words)[:300]}: {done.stdout[-1500:]}")
    return done.stdout


def documents(text):
    """The objects that 'kubectl -o json' printed, one after the other or as lists."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text.rstrip()):
        one, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        found += one["items"] if one["kind"] == "List" else [one]
    return found


class Page:
    """A page of docs/, and a shell that follows it in a folder of its own, as a reader would in the root of the repository."""

    def __init__(self, c, name, test, folder):
        with open(os.path.join(ROOT, "docs", name)) as file:
            found = re.findall(rf"<!-- {re.escape(test)} runs: (.*?) -->\n```sh\n(.*?)```", file.read(), re.S)
        self.blocks, self.folder = dict(found), folder
        self.left = set(self.blocks)
        os.makedirs(f"{folder}/build")
        os.symlink(BIN, f"{folder}/build/release")
        os.symlink(os.path.join(ROOT, "deploy"), f"{folder}/deploy")
        self.env = {key: value for key, value in c.environment().items() if not key.startswith("FAIRLEAD_")}
        self.env.update(XDG_CONFIG_HOME=folder, PATH=f"{folder}/build/release:{self.env['PATH']}", NODE=f"10.250.{c.n}.2")

    def follow(self, name):
        """The output of that block."""
        self.left.discard(name)
        return self.run(self.blocks[name])

    def run(self, script):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder, env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=180)
        equal(done.returncode, 0, f"{script}: {done.stdout[-2500:]}")
        return done.stdout
