"""The command line's answers to mistakes: the words typed, the exit code, and a part of the text, a row each.

A text names the flag or object as the person wrote it, the reason, and what to write instead."""
import os
import subprocess
import tempfile

import fleet
from fleet import equal, shows

USAGE, SPEC, FAILED, DENIED, AWAY = 64, 65, 1, 77, 69

# JOB is a job that has ended, HELD one that is held, FILE a document whose command is a text.
WRONG = [
    ("run --cpus two true", SPEC, "--cpus two: wants cores like 2, 1.5 or 500m"),
    ("run --memory lots true", SPEC, "--memory lots: wants"),
    ("run --gpus many true", USAGE, "--gpus many"),
    ("run --replicas 0 true", USAGE, "--replicas 0"),
    ("run --array 10-1 true", USAGE, "--array 10-1: '10-1' ends before it begins"),
    ("run --env FAIRLEAD_X=1 true", SPEC, "--env FAIRLEAD_X: names that begin with FAIRLEAD_ are reserved"),
    ("run --env 9=1 true", SPEC, "--env"),
    ("run --env A true", USAGE, "--env A: wants NAME=VALUE"),
    ("run --label a=b --label =c true", USAGE, "--label =c: wants KEY=VALUE"),
    ("run --label a/b/c=d true", SPEC, "--label a"),
        ("run --queue No_Queue true", SPEC, "--queue No_Queue"),
    ("run --queue nosuch true", SPEC, "--queue nosuch: queue \"nosuch\" does not exist; create it, or name another"),
    ("run --deadline soon true", SPEC, "--deadline soon: wants"),
    ("run --priority 5000 true", USAGE, "--priority 5000"),
    ("run --retries -1 true", USAGE, "--retries"),
    ("run --cluster East! true", SPEC, "--cluster East!"),
    ("run --node-label x true", USAGE, "--node-label x: wants"),
    ("run --resource rdma/hca=half true", SPEC, "--resource rdma/hca: wants a whole number"),
    ("run --resource licence=1 true", SPEC, "--resource licence: unknown field"),
    ("run --resource rdma/hca true", USAGE, "--resource rdma/hca: wants"),
    ("run --as Ann true", USAGE, "--as Ann: wants the name of an owner"),
    ("run --gpu 1 true", USAGE, "no flag --gpu here; did you mean --gpus?"),
    ("run --name", USAGE, "--name wants a value"),
    ("run --name a --name b true", USAGE, "--name is given twice"),
    ("run --detach=yes true", USAGE, "--detach takes no value"),
    ("run -Z true", USAGE, "no flag -Z here"),
    ("run", USAGE, "the command is missing"),
    ("run --script /no/such/file", None, "/no/such/file cannot be read"),
    ("submit", USAGE, "usage: fairlead submit"),
    ("submit /no/such.yaml", None, "/no/such.yaml cannot be read"),
    ("submit FILE", SPEC, "/command"),
    ("submit --key k FILE FILE", USAGE, "--key is for one document"),
    ("get job-nope", FAILED, "job-nope: not found, or this token may not see it"),
    ("get JOB job-nope", FAILED, "job-nope: not found"),
    ("get", USAGE, "usage: fairlead get"),
    ("describe job-nope", FAILED, "job-nope: not found"),
    ("describe JOB --state running", USAGE, "--state running: wants one of succeeded"),
    ("describe JOB --state failed --state cancelled", USAGE, "wants one of succeeded, failed and cancelled"),
    ("describe JOB --element x", USAGE, "x"),
    ("describe JOB --limit 0", USAGE, "--limit 0"),
    ("explain job-nope", FAILED, "job-nope: not found"),
    ("logs job-nope", FAILED, "job-nope: not found"),
    ("logs JOB --element 4", SPEC, "--element 4: the job has one element, number 0"),
    ("logs JOB --replica 7", SPEC, "--replica 7: the job has one replica, number 0"),
    ("logs JOB --replica x", None, "x"),
    ("logs JOB --since yesterday", USAGE, "--since yesterday: wants a span, as 10m, or a time"),
    ("logs JOB --grep ( --regex", None, "missing closing parenthesis, at byte 1"),
    ("logs JOB --tail many", USAGE, "--tail many"),
    ("exec JOB", USAGE, "usage: fairlead exec"),
    ("exec JOB true", FAILED, "JOB: "),
    ("exec job-nope true", FAILED, "job-nope: not found"),
    ("cp JOB:a JOB:b", USAGE, "one of the two must be of this machine"),
    ("forward JOB", USAGE, "usage: fairlead forward"),
    ("forward JOB web", USAGE, "web is no port: [LOCAL:]PORT, as 8888 or 9000:8888"),
    ("wait", USAGE, "usage: fairlead wait"),
    ("wait JOB --for lunch", USAGE, "--for lunch: wants done, succeeded or running"),
    ("wait JOB --timeout soon", USAGE, "soon"),
    ("cancel JOB", FAILED, "JOB: the job has ended already: it succeeded"),
    ("cancel JOB job-nope", FAILED, "job-nope: not found"),
    ("cancel", USAGE, "usage: fairlead cancel"),
    ("cancel --state held", USAGE, "nothing was changed; say --yes"),
    ("cancel --state sleeping --yes", SPEC, "--state sleeping: wants held, queued"),
    ("hold JOB", FAILED, "JOB: "),
    ("release", USAGE, "usage: fairlead release"),
    ("retry HELD", FAILED, "HELD: "),
    ("retry JOB --element 9", SPEC, ""),
    ("events job-nope", FAILED, "job-nope: not found"),
    ("ps extra", USAGE, "'ps' takes no further word, and there is 'extra'"),
    ("ps --limit 0", USAGE, "--limit 0"),
    ("ps --state sleeping", SPEC, "sleeping"),
    ("ps -o xml", USAGE, "--output xml: wants table, wide"),
    ("ps -o xml=1", USAGE, "--output xml=1: wants table, wide"),
    ("ps -o jsonpath", USAGE, "--output jsonpath: the template is missing"),
    ("ps -o jsonpath={.id", USAGE, "--output jsonpath: '}' is missing behind '{.id'"),
    ("ps -o jsonpath={.a[}", USAGE, "--output jsonpath: '.a[' is no path, at '['"),
    ("ps -o jsonpath={range}", USAGE, "applied to each item"),
    ("ps -o custom-columns", USAGE, "is no column: wants HEAD:PATH"),
    ("ps -o custom-columns=A:.id,", USAGE, "--output custom-columns: '' is no column"),
    ("ps -o custom-columns=A:.b[x]", USAGE, "--output custom-columns, A: '.b[x]' is no path"),
    ("ps --sort .a[", USAGE, "--sort .a[: '.a[' is no path"),
    ("ps --sort -", USAGE, "--sort -: a path is empty"),
    ("get JOB --sort name", USAGE, "no flag --sort here"),
    ("cluster", USAGE, "'cluster' wants one more word"),
    ("cluster jion x", USAGE, "did you mean 'cluster join'?"),
    ("cluster get nosuch", FAILED, "nosuch: not found"),
    ("cluster cordon nosuch", FAILED, "nosuch: not found"),
    ("cluster join East!", SPEC, "East!"),
    ("cluster join north --ttl 1y", USAGE, "1y"),
    ("queue get nosuch", FAILED, "nosuch: not found"),
    ("queue create Bad_Name", SPEC, "Bad_Name"),
    ("queue rm nosuch", FAILED, "nosuch: this queue does not exist"),
    ("queue ls extra", USAGE, "'queue ls' takes no further word"),
    ("token create x --scope write", SPEC, "--scope write: wants read, submit, cancel, admin, outlive, exec"),
    ("token create x --token-queue nosuch", SPEC, "--token-queue nosuch: "),
    ("token create", USAGE, "NAME"),
    ("token revoke nosuch", FAILED, "nosuch: not found"),
    ("token rotate nosuch", FAILED, "nosuch: not found"),
    ("token rotate one two", USAGE, "[ID|NAME]"),
    ("token rotate --grace 8d", SPEC, "--grace 8d: "),
    ("token rotate --grace never", USAGE, "--grace never: "),
    ("token rotate --ttl 0", SPEC, "--ttl 0: "),
    ("context use nosuch", None, "nosuch"),
    ("completion tcsh", USAGE, ""),
    ("demo --detach --keep", USAGE, "take one"),
    ("demo --clusters 0", USAGE, "--clusters 0"),
    ("runn", USAGE, "no verb 'runn'; did you mean 'run'?"),
    ("jobs", USAGE, "no verb 'jobs'; did you mean 'ps'?"),
    ("squeue", USAGE, "did you mean 'ps'?"),
    ("sbatch x.sh", USAGE, "did you mean 'run --script'?"),
    ("scancel job-1", USAGE, "did you mean 'cancel'?"),
    ("apply -f x", USAGE, "did you mean 'submit'?"),
    ("delete job-1", USAGE, "did you mean 'cancel'?"),
    ("port-forward job-1 80", USAGE, "did you mean 'forward'?"),
    ("frobnicate", USAGE, "no verb 'frobnicate'; see 'fairlead help'"),
    ("ps --token-file /no/file", None, "/no/file"),
    ("ps --ca-file /no/file --url https://127.0.0.1:9", None, "/no/file"),
    ("ps --url ftp://x", USAGE, "ftp://x"),
    ("ps --url http://example.org:80", USAGE, "in the clear"),
    ("ps --url http://127.0.0.1:9", AWAY, "http://127.0.0.1:9 cannot be reached"),
    ("ps --color sometimes", USAGE, "sometimes"),
    ("wire dump /no/file", None, "/no/file"),
]


def main():
    with fleet.Fleet(clusters=1) as f, tempfile.TemporaryDirectory(prefix="fl-wrong-") as folder:
        file = os.path.join(folder, "text.yaml")
        with open(file, "w") as out:
            out.write("command: python train.py\n")
        job = f.cli("run", "-d", "true").strip()
        f.wait(job)
        held = f.cli("run", "-d", "--hold", "true").strip()

        def filled(text):
            return text.replace("JOB", job).replace("HELD", held).replace("FILE", file)

        for words, code, said in WRONG:
            with shows(f"fairlead {words}: {said or 'refused'}"):
                out = f.run(*map(filled, words.split()))
                assert out.returncode == code if code is not None else out.returncode not in (0, 70), (out.returncode, out.stderr)
                assert filled(said) in out.stderr, out.stderr
                assert out.stderr.startswith("fairlead: ") or out.stderr.startswith("usage"), out.stderr
        with shows("an invalid token gets a plain sentence, and no jargon"):
            out = subprocess.run([os.path.join(fleet.BIN, "fairlead"), "ps"], env={**f.env, "FAIRLEAD_TOKEN": "fl_none"}, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, timeout=60)
            equal(out.returncode, DENIED)
            equal(out.stderr, "fairlead: the token is not valid: it is unknown, expired, replaced or revoked\n  'fairlead login' again\n")
        with shows("with several jobs, those that are there are printed, and the others named"):
            out = f.run("get", job, "job-nope", held, "-o", "name")
            equal(out.stdout.split(), [job, held])
        with shows("a token is revoked by a name that only one has"):
            f.cli("token", "create", "alone")
            f.cli("token", "create", "twin")
            f.cli("token", "create", "twin")
            f.cli("token", "revoke", "alone")
            assert "several tokens have the name twin" in f.run("token", "revoke", "twin").stderr
        with shows("--version is the verb"):
            assert f.cli("--version").startswith("fairlead ")
    fleet.finish()


if __name__ == "__main__":
    main()
