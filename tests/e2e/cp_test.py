"""Files out of a replica and into it: whole trees byte for byte, the names that a person means, what is refused and left out,
and an archive from a replica that means harm."""
import io
import os
import random
import stat
import subprocess
import tarfile
import tempfile

import fleet
from fleet import equal, shows

LONG = "a-name-of-forty-bytes-that-goes-on-and-on/" * 6 + "end"  # longer than a head's field
BIG = random.Random(7).randbytes(3 << 20)


def cp(f, *words, code=0, cwd=None):
    done = subprocess.run([os.path.join(fleet.BIN, "fairlead"), "cp", *words], env=f.env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    equal(done.returncode, code, done.stderr)
    equal(done.stdout, b"")
    return done.stderr.decode()


def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
    os.utime(path, (1_700_000_000, 1_700_000_000))


def make_tree(root):
    write(f"{root}/empty", b"")
    write(f"{root}/block", b"x" * 512)
    write(f"{root}/run me", b"#!/bin/sh\n", 0o755)
    write(f"{root}/deep/big", BIG)
    write(f"{root}/{LONG}", b"far down\n")
    write(f"{root}/ünï/-dash", b"-\n")
    os.makedirs(f"{root}/nothing")


def tree(root):
    """Path to bytes, mode and time of each file, and of each folder that it is there."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in folders:
            found[os.path.relpath(os.path.join(folder, name), root)] = None
        for name in names:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            assert stat.S_ISREG(info.st_mode), path
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = file.read(), info.st_mode & 0o777, int(info.st_mtime)
    return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


def both_ways(f, job, home):
    mine = f"{home}/mine"
    make_tree(mine)
    with shows("a folder goes into a replica and comes back, with every byte, mode and time"):
        cp(f, mine, f"{job}:theirs")
        cp(f, f"{job}:theirs", f"{home}/back")
        equal(tree(f"{home}/back"), tree(mine))
    with shows("into a folder that is there it goes by its own name, else it takes the name that was given, at both ends"):
        os.makedirs(f"{home}/box")
        cp(f, f"{job}:theirs/block", f"{home}/box")
        cp(f, f"{job}:theirs/block", f"{home}/box/other")
        cp(f, f"{job}:theirs/.", "box", cwd=home)
        equal(sorted(os.listdir(f"{home}/box")), sorted(["block", "other", *(name for name in os.listdir(mine) if name != "block")]))
        cp(f, f"{mine}/block", f"{job}:theirs/nothing/")
        cp(f, f"{mine}/block", f"{job}:theirs/nothing/renamed")
        cp(f, f"{job}:theirs/nothing", home)
        equal(sorted(os.listdir(f"{home}/nothing")), ["block", "renamed"])
    with shows("a file that is there is replaced at once, and one of the job's names may look like a flag"):
        write(f"{home}/box/other", b"old")
        cp(f, f"{job}:theirs/deep/big", f"{home}/box/other")
        equal(read(f"{home}/box/other"), BIG)
        cp(f, f"{job}:theirs/ünï/-dash", f"{home}/dash")
        equal(read(f"{home}/dash"), b"-\n")
    with shows("links go into a replica as links; from there they are left out, by name, and the exit code says it"):
        os.symlink("/etc/passwd", f"{mine}/link")
        cp(f, mine, f"{job}:linked")
        said = cp(f, f"{job}:linked", f"{home}/linked", code=1)
        assert "left out: ./linked/link: it is a link" in said, said
        equal(tree(f"{home}/linked"), tree(f"{home}/back"))


def wrong(f, job, home):
    with shows("a mistake is named: two local ends, two ends of jobs, an absent file, folder or job"):
        for words, code, said in (((f"{home}/mine", f"{home}/x"), 64, f"neither is of a job; write JOB:{home}/x"), ((f"{job}:a", f"{job}:b"), 64, "one of the two must be of this machine"),
                                  ((f"{job}:a",), 64, "usage: fairlead cp JOB:PATH LOCAL"), ((f"{home}/none", f"{job}:x"), None, f"{home}/none: No such file"),
                                  ((f"{job}:theirs", f"{home}/no/where"), None, f"{home}/no: No such file"), (("job-404:x", home), None, "job-404")):
            done = subprocess.run([os.path.join(fleet.BIN, "fairlead"), "cp", *words], env=f.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            assert done.returncode != 0 and (code is None or done.returncode == code), (words, done)
            assert said in done.stderr.decode(), (words, done.stderr)
    with shows("a file that the replica does not have is its tar's word, and nothing appears here"):
        assert "not-there" in cp(f, f"{job}:not-there", f"{home}/not-there", code=2)
        assert not os.path.exists(f"{home}/not-there")


def archive(*entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, data in entries:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind == tarfile.SYMTYPE:
                info.linkname = data
                tar.addfile(info)
            else:
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def hostile(f, home):
    """The job's own 'tar' sends what it likes."""
    cases = [("../over", "leads elsewhere"), ("./got/../../over", "leads elsewhere"), (f"{home}/over", "absolute"), ("./other/over", "not asked for"), ("x" * 300, "leads elsewhere"),
             ("./got/" + "d/" * 300 + "over", "leads elsewhere")]
    files = f"{home}/archives"
    write(f"{files}/bin/tar", f"#!/bin/sh\nexec cat {files}/now\n".encode(), 0o755)
    job = f.submit({"command": ["sleep", "600"], "env": {"PATH": f"{files}/bin:{os.environ['PATH']}"}})
    f.wait(job, "running")
    os.makedirs(f"{home}/in")

    def get(data, code, said):
        with open(f"{files}/now", "wb") as file:
            file.write(data)
        out = cp(f, f"{job}:got", f"{home}/in", code=code)
        assert said in out, (said, out)

    with shows("a path that leads out of the wanted folder in any way ends the copy"):
        for path, said in cases:
            get(archive((path, tarfile.REGTYPE, b"harm")), 77, said)
        equal(tree(f"{home}/in"), {})
    with shows("a link in an archive leads nothing out: it is left out, and what goes through it lands in a folder"):
        get(archive(("./got/door", tarfile.SYMTYPE, home), ("./got/door/over", tarfile.REGTYPE, b"harm")), 1, "left out: ./got/door: it is a link")
        equal(list(tree(f"{home}/in")), ["got", "got/door", "got/door/over"])
        assert not os.path.exists(f"{home}/over")
    with shows("a link that is here already is not followed"):
        os.symlink(home, f"{home}/in/got/out")
        get(archive(("./got/out/over", tarfile.REGTYPE, b"harm")), 74, "out is not a folder here")
        os.remove(f"{home}/in/got/out")
    with shows("an archive that is cut off, or is no archive, is an error; the old file stays, and no half of a new one is left"):
        whole = archive(("./got/door/over", tarfile.REGTYPE, b"new" * 5000))
        get(whole[:9000], 70, "the archive was cut off")
        get(b"Usage: tar" * 100, 70, "this is no tar archive")
        equal(read(f"{home}/in/got/door/over"), b"harm")
        equal(list(tree(f"{home}/in")), ["got", "got/door", "got/door/over"])
        get(whole, 0, "")
        equal(read(f"{home}/in/got/door/over"), b"new" * 5000)
    with shows("the error for a replica without tar says so"):
        os.remove(f"{files}/bin/tar")
        none = f.submit({"command": ["/bin/sleep", "600"], "env": {"PATH": f"{files}/bin"}})
        f.wait(none, "running")
        assert "needs the program 'tar'" in cp(f, f"{none}:got", f"{home}/in", code=127)


def main():
    with fleet.Fleet(clusters=1) as f, tempfile.TemporaryDirectory(prefix="fl-cp-") as home:
        job = f.submit({"command": ["sleep", "600"]})
        f.wait(job, "running")
        both_ways(f, job, home)
        wrong(f, job, home)
        hostile(f, home)
        f.api("POST", "/v1/jobs:cancel", {"state": ["running"]})
    fleet.finish()


if __name__ == "__main__":
    main()
