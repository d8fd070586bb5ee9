"""The files that a job leaves in its folder are kept for a while after its end, and 'fairlead cp' fetches them.

Files and folders of ended jobs, elements, replicas and attempts; agents that restart; a copy that is cut; time and quotas;
links and paths that lead elsewhere; the rights, and the audit."""
import glob
import hashlib
import json
import os
import subprocess
import tempfile
import time

import fleet
import hub
from fleet import equal, shows, until

BIG_BYTES = 400 << 20


def cp(f, *words, code=0, env=None):
    done = subprocess.run([os.path.join(fleet.BIN, "fairlead"), "cp", *words], env=env or f.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if code is not None:
        equal(done.returncode, code, done.stderr)
    return done.stdout.decode() + done.stderr.decode()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def clusters(f):
    return [name for name in os.listdir(f"{f.dir}/agents") if os.path.isdir(f"{f.dir}/agents/{name}")]


def run(f, script, **more):
    job = f.submit({"command": ["sh", "-c", script], **more})
    f.wait(job, "succeeded", "failed")
    return job


def entries(f, folder="kept"):
    """The folder's entries at all agents; the content of replicas/ goes within a moment."""
    found = []
    for cluster in clusters(f):
        path = f"{f.dir}/agents/{cluster}/{folder}"
        found += os.listdir(path) if os.path.isdir(path) else []
    return found


def kept(f, job):
    return [name for name in entries(f) if name.startswith(f"{job}-")]


def until_kept(f, job, len_=1):
    until(f"{len_} folders of {job} are kept", lambda: len(kept(f, job)) == len_ and not [name for name in entries(f, "replicas") if name.startswith(f"{job}-")])


def after_the_end(f, home):
    job = run(f, "mkdir -p out/deep; echo 0.93 > out/accuracy; echo x > out/deep/x; ln -s /etc/passwd out/link; ln -s / out/root; mkdir empty; exit 3")
    with shows("a file and a folder of a job that has ended, and failed, are fetched, at once and when its replica was removed"):
        cp(f, f"{job}:out/accuracy", f"{home}/at-once")
        until_kept(f, job)
        cp(f, f"{job}:out/accuracy", f"{home}/later")
        equal((read(f"{home}/at-once"), read(f"{home}/later")), (b"0.93\n", b"0.93\n"))
        said = cp(f, f"{job}:out", f"{home}/out", code=1)
        assert "left out: ./out/link: it is a link" in said and "left out: ./out/root" in said, said
        equal(read(f"{home}/out/deep/x"), b"x\n")
        os.mkdir(f"{home}/all")
        cp(f, f"{job}:", f"{home}/all", code=1)
        equal(sorted(os.listdir(f"{home}/all")), ["empty", "out"])
    with shows("'cp --list' says what is there, with sizes"):
        said = cp(f, "--list", f"{job}:out")
        assert "./out/accuracy" in said and " 5 " in said and "link -> /etc/passwd" in said, said
        assert "./out/deep/x" in cp(f, "--list", f"{job}:")
    with shows("a path that leads out of the folder, by '..', from the root or by a link, is refused by name"):
        for path, word in (("../spec", "left no '../spec'"), ("out/../../spec", "left no"), ("/etc/passwd", "own folder is kept, and nothing else"), ("out/root/etc/passwd", "left no"),
                           ("out/root/.", "left no"), ("none", "left no 'none'")):
            said = cp(f, f"{job}:{path}", f"{home}/never", code=None)
            assert word in said, (path, said)
            assert not os.path.exists(f"{home}/never"), path
    with shows("'describe' says until when it is kept, and how to look at it"):
        said = f.cli("describe", job)
        assert "files        kept on " in said and f" at most: fairlead cp --list {job}:" in said, said
    with shows("nothing is written into it, and no command runs there"):
        assert "has ended" in cp(f, f"{home}/later", f"{job}:later", code=1)
        assert "has ended" in f.run("exec", job, "true").stderr
    with shows("the audit has both ends of each copy"):
        audit = lambda action: [row for row in f.api("GET", f"/v1/audit?limit=1000&action={action}")["audit"] if row["object"] == job]
        assert any("out/accuracy" in row["what"] for row in audit("files")), audit("files")
        until("the ends are there", lambda: any("exit code 0" in row["what"] for row in audit("end_files")))
    with shows("an agent that starts again has what an earlier one kept"):
        for cluster in clusters(f):
            f.kill(cluster)
        until("it is fetched", lambda: f.run("cp", f"{job}:out/accuracy", f"{home}/again").returncode == 0)
        equal(read(f"{home}/again"), b"0.93\n")


def which(f, home):
    with shows("--element names the element of an array, --replica the replica of a gang; without them it is the first"):
        array = run(f, "echo $FAIRLEAD_ELEMENT > mine; [ $FAIRLEAD_ELEMENT != 1 ]", array=3)
        gang = run(f, "echo $FAIRLEAD_REPLICA > mine", replicas=2)
        for words, said in (((array, ), b"0\n"), ((array, "--element", "2"), b"2\n"), ((array, "--element", "1"), b"1\n"), ((gang, ), b"0\n"), ((gang, "--replica", "1"), b"1\n")):
            cp(f, f"{words[0]}:mine", f"{home}/mine", *words[1:])
            equal(read(f"{home}/mine"), said, words)
        assert "3 elements" in cp(f, f"{array}:mine", f"{home}/mine", "--element", "7", code=65)
        assert "2 replicas" in cp(f, f"{gang}:mine", f"{home}/mine", "--replica", "7", code=65)
    with shows("an element that has ended is fetched while others of its job run; the newest attempt counts"):
        job = f.submit({"command": ["sh", "-c", "echo $FAIRLEAD_ATTEMPT > mine; [ $FAIRLEAD_ELEMENT = 1 ] && exec sleep 600; [ $FAIRLEAD_ATTEMPT = 2 ]"], "array": 2, "retry": 1})
        until("element 0 has had two attempts", lambda: f.job(job)["elements"]["succeeded"] == 1, 120)
        cp(f, f"{job}:mine", f"{home}/mine", "--element", "0")
        equal(read(f"{home}/mine"), b"2\n")
        cp(f, f"{job}:mine", f"{home}/mine")  # the first that runs
        equal(read(f"{home}/mine"), b"1\n")
        assert "./mine" in cp(f, "--list", f"{job}:.", "--element", "1")
        f.api("POST", f"/v1/jobs/{job}:cancel")
    with shows("a replica that ended while others of its attempt run gives its files, and not those of an earlier attempt"):
        job = f.submit({"command": ["sh", "-c", "echo $FAIRLEAD_ATTEMPT > mine; [ $FAIRLEAD_REPLICA = 0 ] && exit 0; until [ -e ../go-on ]; do sleep 0.1; done; exit 1"], "replicas": 2, "retry": 1})
        found = lambda pattern: [path for cluster in clusters(f) for path in glob.glob(f"{f.dir}/agents/{cluster}/{pattern}")]
        for attempt in (1, 2):
            until(f"replica 0 of attempt {attempt} has ended", lambda: found(f"replicas/{job}-0-{attempt}-*-0/exit") or found(f"kept/{job}-0-{attempt}-*-0@*"), 60)
            until("it is fetched", lambda: f.run("cp", f"{job}:mine", f"{home}/mine", "--replica", "0").returncode == 0 and read(f"{home}/mine") == b"%d\n" % attempt)
            open(found(f"replicas/{job}-0-{attempt}-*-1")[0] + "/go-on", "w").close()
        f.wait(job, "failed")
    with shows("a job with a working directory of its own keeps nothing, and one that left nothing has no folder"):
        os.makedirs(f"{home}/work")
        for job in (run(f, "echo > mine", workingDir=f"{home}/work"), run(f, "true")):
            until_kept(f, job, 0)
            assert "no files of it are kept" in cp(f, f"{job}:mine", f"{home}/mine", code=1)
        equal(os.listdir(f"{home}/work"), ["mine"])
    with shows("a job that never ran has none, and says why"):
        held = f.submit({"command": ["true"], "resources": {"cpu": 900}}, waits=True)
        assert "no attempt that runs or has ended: the job is queued" in cp(f, f"{held}:mine", f"{home}/mine", code=1)
        f.api("POST", f"/v1/jobs/{held}:cancel")
        assert "no attempt that runs or has ended: the job is cancelled" in cp(f, f"{held}:mine", f"{home}/mine", code=1)


def size(path):
    """A file that is renamed or removed meanwhile has none."""
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def cut(f, home):
    job = run(f, f"head -c {BIG_BYTES} /dev/urandom > big; sha256sum big > sum; echo more > zz")
    until_kept(f, job)
    with shows("a copy whose agent is killed in the middle goes on where it was, byte for byte"):
        cluster = f.api("GET", f"/v1/jobs/{job}/attempts")["attempts"][0]["cluster"]
        log = open(f"{home}/cut", "wb")
        copy = subprocess.Popen([os.path.join(fleet.BIN, "fairlead"), "cp", f"{job}:", f"{home}/got"], env=f.env, stderr=log)
        part = lambda: sum(size(f"{home}/got/{name}") for name in os.listdir(f"{home}/got")) if os.path.isdir(f"{home}/got") else 0
        until("a part is there", lambda: part() > 1 << 20, every_s=0.001)
        f.kill(cluster)
        equal(copy.wait(300), 0)
        said = read(f"{home}/cut").decode()
        assert "going on" in said and "beginning" not in said, said
        equal(hashlib.sha256(read(f"{home}/got/big")).hexdigest(), read(f"{home}/got/sum").split()[0].decode())
        equal(read(f"{home}/got/zz"), b"more\n")


def rights(f, home):
    job = run(f, "echo > mine")
    with shows("a token without the scope exec, and one of another queue, fetch nothing"):
        f.cli("queue", "create", "other")
        for words, code in ((("--scope", "read"), 77), (("--scope", "read", "--scope", "exec", "--token-queue", "other"), 1)):
            made = json.loads(f.cli("token", "create", f"t{len(words)}", *words, "-o", "json"))["token"]
            said = cp(f, f"{job}:mine", f"{home}/secret", code=code, env={**f.env, "FAIRLEAD_TOKEN": made})
            assert not os.path.exists(f"{home}/secret"), said


def quotas(home):
    env = {"FAIRLEAD_KEEP_RESULTS_BYTES": "3MiB", "FAIRLEAD_KEEP_RESULTS_JOB_BYTES": "2MiB"}
    with fleet.Fleet(clusters=1, env=env) as f:
        with shows("one that left more than its share is not kept, and the fetch says so"):
            job = run(f, "head -c 3000000 /dev/zero > big")
            until("only a note is there", lambda: [name.endswith("@large") for name in kept(f, job)] == [True])
            assert "over 2097152 bytes (agent setting keep_results_job_bytes)" in cp(f, f"{job}:big", f"{home}/big", code=1)
        with shows("the oldest make room for newer ones"):
            jobs = [run(f, "head -c 1400000 /dev/zero > big") for _ in range(3)]
            until("the first made room", lambda: [name.endswith("@room") for name in kept(f, jobs[0])] == [True])
            for job in jobs[1:]:
                cp(f, f"{job}:big", f"{home}/big")
            assert "made room for newer ones" in cp(f, f"{jobs[0]}:big", f"{home}/big", code=1)
        with shows("a link that a job leaves in place of its folder leads nowhere, and what it points to stays"):
            os.makedirs(f"{home}/prey")
            os.close(os.open(f"{home}/prey/mouse", os.O_CREAT))
            job = run(f, f"cd ..; rm -r files; ln -s {home}/prey files")
            assert "no files of it are kept" in cp(f, f"{job}:mouse", f"{home}/mouse", code=1)
            equal(os.listdir(f"{home}/prey"), ["mouse"])


def short(home):
    env = {"FAIRLEAD_KEEP_RESULTS": "6s", "FAIRLEAD_KEEP_RESULTS_JOB_BYTES": "2MiB"}
    with fleet.Fleet(clusters=1, env=env) as f:
        with shows("when its time is over a folder goes, notes too, and the fetch says so"):
            job = run(f, "echo > mine")
            run(f, "head -c 3000000 /dev/zero > big")
            until("all is gone", lambda: entries(f) == [] and entries(f, "replicas") == [], 60)
            assert "ended over 6 s ago (agent setting keep_results)" in cp(f, f"{job}:mine", f"{home}/mine", code=1)
            assert ", and gone since" in f.cli("describe", job)


def elsewhere(home):
    with hub.Hub() as h:
        with shows("an agent that joins another control plane than before forgets what it kept"):
            folder = f"{h.dir}/agent-east/kept"
            os.makedirs(f"{folder}/job-1-0-1-1-0@{int(time.time() * 1000)}")
            h.agent("east", h.join("east"))
            h.wait_cluster("east", "ready")
            equal(os.listdir(folder), [])


def main():
    with tempfile.TemporaryDirectory(prefix="fl-results-") as home:
        with fleet.Fleet(clusters=2) as f:
            after_the_end(f, home)
            which(f, home)
            rights(f, home)
            cut(f, home)
        quotas(home)
        short(home)
        elsewhere(home)
    fleet.finish()


if __name__ == "__main__":
    main()
