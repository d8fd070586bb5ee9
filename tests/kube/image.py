"""Writes container images: one layer, as 'docker save' would, without a daemon and without a registry."""
import hashlib
import io
import json
import os
import tarfile

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def add(tar, name, data=b"", mode=0o755, kind=tarfile.REGTYPE, target=""):
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.size, entry.linkname = kind, mode, len(data), target
    tar.addfile(entry, io.BytesIO(data))


def layer(files, links):
    """files: {path in the image: path here}; links: {path in the image: target}."""
    out = io.BytesIO()
    folders = {"tmp"}
    for path in [*files, *links]:
        while path := os.path.dirname(path):
            folders.add(path)
    with tarfile.open(fileobj=out, mode="w") as tar:
        for folder in sorted(folders):
            add(tar, folder, kind=tarfile.DIRTYPE, mode=0o1777 if folder == "tmp" else 0o755)
        for path, source in sorted(files.items()):
            with open(source, "rb") as file:
                add(tar, path, file.read())
        for path, target in sorted(links.items()):
            add(tar, path, kind=tarfile.SYMTYPE, mode=0o777, target=target)
    return out.getvalue()


def write(out, name, files, links=None, command=("/bin/sh",)):
    """The archive 'out' holds the image 'name:tag'.  The same input gives the same bytes."""
    data = layer(files, links or {})
    config = json.dumps({
        "architecture": ARCHITECTURES[os.uname().machine],
        "os": "linux",
        "config": {"Env": ["PATH=/usr/bin:/bin"], "Cmd": list(command)},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(data).hexdigest()]},
    }).encode()
    config_name = hashlib.sha256(config).hexdigest() + ".json"
    manifest = json.dumps([{"Config": config_name, "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(out, "w") as tar:
        add(tar, config_name, config, 0o644)
        add(tar, "layer.tar", data, 0o644)
        add(tar, "manifest.json", manifest, 0o644)
