"""Writes an image of one layer as a tar in OCI image layout.  Nothing in it depends on the clock, the user or the order of
files."""
import gzip
import hashlib
import io
import json
import os
import tarfile

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
USER = 65532  # no user of any host; the same in every image
MEDIA = "application/vnd.oci.image"


class Tree:
    """The content of an image: path without the first '/' -> its tar entry."""

    def __init__(self):
        self.entries = {}

    def folder(self, path, mode=0o755, user=0):
        self.entries[path.strip("/")] = (tarfile.DIRTYPE, mode, user, b"")

    def file(self, path, data, mode=0o644):
        self.entries[path.strip("/")] = (tarfile.REGTYPE, mode, 0, data)

    def link(self, path, target):
        self.entries[path.strip("/")] = (tarfile.SYMTYPE, 0o777, 0, target)

    def files(self):
        """{path: bytes} of the regular files."""
        return {path: entry[3] for path, entry in self.entries.items() if entry[0] == tarfile.REGTYPE}

    def whole(self):
        """All entries by path, with the folders above them."""
        entries = dict(self.entries)
        for path in self.entries:
            while path := os.path.dirname(path):
                entries.setdefault(path, (tarfile.DIRTYPE, 0o755, 0, b""))
        return sorted(entries.items())


def add(tar, path, kind, mode, user, content):
    entry = tarfile.TarInfo(path)
    entry.type, entry.mode, entry.uid, entry.gid = kind, mode, user, user
    if kind == tarfile.SYMTYPE:
        entry.linkname, content = content, b""
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def layer(tree):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, entry in tree.whole():
            add(tar, path, *entry)
    return out.getvalue()


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def encode(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class Image:
    def __init__(self, name, tree, start, labels, environment):
        plain = layer(tree)
        packed = gzip.compress(plain, 6, mtime=0)
        config = encode({
            "architecture": ARCHITECTURES[os.uname().machine], "os": "linux", "created": "1970-01-01T00:00:00Z",
            "config": {"User": f"{USER}:{USER}", "Entrypoint": start, "WorkingDir": "/", "Labels": labels,
                       "Env": [f"{key}={value}" for key, value in sorted(environment.items())]},
            "rootfs": {"type": "layers", "diff_ids": [digest(plain)]},
        })
        manifest = encode({
            "schemaVersion": 2, "mediaType": f"{MEDIA}.manifest.v1+json", "annotations": labels,
            "config": {"mediaType": f"{MEDIA}.config.v1+json", "digest": digest(config), "size": len(config)},
            "layers": [{"mediaType": f"{MEDIA}.layer.v1.tar+gzip", "digest": digest(packed), "size": len(packed)}],
        })
        self.name, self.digest, self.size = name, digest(manifest), len(packed)
        self.blobs, self.manifest = [packed, config, manifest], manifest

    def index(self):
        """Both names of an image's name: containerd reads the first, others the second."""
        return encode({"schemaVersion": 2, "mediaType": f"{MEDIA}.index.v1+json", "manifests": [{
            "mediaType": f"{MEDIA}.manifest.v1+json", "digest": self.digest, "size": len(self.manifest),
            "platform": {"architecture": ARCHITECTURES[os.uname().machine], "os": "linux"},
            "annotations": {"io.containerd.image.name": self.name, "org.opencontainers.image.ref.name": self.name.rpartition(":")[2]},
        }]})

    def write(self, path):
        """Whole or not at all."""
        with tarfile.open(f"{path}.part", "w", format=tarfile.GNU_FORMAT) as tar:
            for folder in ("blobs", "blobs/sha256"):
                add(tar, folder, tarfile.DIRTYPE, 0o755, 0, b"")
            for blob in sorted(self.blobs, key=digest):
                add(tar, f"blobs/sha256/{digest(blob).removeprefix('sha256:')}", tarfile.REGTYPE, 0o644, 0, blob)
            add(tar, "index.json", tarfile.REGTYPE, 0o644, 0, self.index())
            add(tar, "oci-layout", tarfile.REGTYPE, 0o644, 0, encode({"imageLayoutVersion": "1.0.0"}))
        os.rename(f"{path}.part", path)
