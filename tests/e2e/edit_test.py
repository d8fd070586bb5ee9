"""An open job is edited: by PATCH with and without If-Match, under keys and by several at once, by the command line.  The test
checks where the job then starts, the events and records of an edit, and the refusals."""
import json
import os
import pty
import subprocess
import threading

import fleet
import hub
from fleet import BIN, equal, shows, until
from follower import Stream

SLEEP = ["sleep", "600"]
SMALL = {"cpu": "100m", "memory": "16Mi"}
HELD = {"command": SLEEP, "hold": True, "resources": SMALL}


def cli(h, *words, code=0):
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir, XDG_STATE_HOME=h.dir)
    out = subprocess.run([os.path.join(BIN, "fairlead"), *words], env=env, capture_output=True, text=True, timeout=60)
    equal(out.returncode, code, f"exit code of {words}: {out.stdout} {out.stderr}")
    return out


def in_editor(h, job, editor, *answers, code=0):
    """All that the terminal shows of 'fairlead edit JOB' with this editor, asked questions answered so."""
    master, slave = pty.openpty()
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir, XDG_STATE_HOME=h.dir, TMPDIR=h.dir, EDITOR=editor, TERM="dumb")
    env.pop("VISUAL", None)
    process = subprocess.Popen([os.path.join(BIN, "fairlead"), "edit", job], env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    text, answers = "", list(answers)
    while True:
        try:
            piece = os.read(master, 4096).decode()
        except OSError:  # the other side is closed
            break
        text += piece
        if "y/N? " in piece and answers:
            os.write(master, answers.pop(0).encode() + b"\n")
    os.close(master)
    equal(process.wait(timeout=60), code, text)
    return text


def many(h):
    with shows("fairlead edit --where counts the jobs that it chooses, and changes them all"):
        chosen = [h.submit(dict(HELD, name=f"many-{i}", labels={"team": "many"})) for i in range(3)]
        other = h.submit(dict(HELD, name="other"))
        where = ("--where", "name=many-*", "--where", "label=team=many")
        assert "3 jobs would be edited" in cli(h, "edit", *where, "--priority", "9", "--dry-run").stdout
        assert "nothing was changed" in cli(h, "edit", *where, "--priority", "9", code=64).stderr
        equal({h.job(job)["priority"] for job in chosen}, {0})
        assert "3 of 3 jobs are edited" in cli(h, "edit", *where, "--priority", "9", "--deadline", "1h", "--yes").stdout
        equal([(job["priority"], job["deadline"], job["name"], job["labels"]) for job in map(h.job, chosen)], [(9, 3600, f"many-{i}", {"team": "many"}) for i in range(3)])
        equal((h.job(other)["priority"], h.job(other)["revision"]), (0, 0))
    with shows("hold and release take a filter, too"):
        assert "3 of 3 jobs are released" in cli(h, "release", "--name", "many-*", "--yes").stdout
        until("they may start", lambda: all(h.job(job)["state"] != "held" for job in chosen))
        equal(h.job(other)["state"], "held")
        for job in (*chosen, other):
            cli(h, "cancel", job)


def texts(h):
    return [name for name in os.listdir(h.dir) if name.startswith("fairlead-job-")]


def editor(h):
    with shows("without flags a job is edited as a text, in the editor of the person"):
        job = h.submit(dict(HELD, name="sweep", labels={"team": "a"}))
        assert f"{job} is edited" in in_editor(h, job, "sed -i -e 's/^priority: .*/priority: 7/' -e 's/team: a/team: b/' -e /^name:/d")
        got = h.job(job)
        equal((got["priority"], got["labels"], got["name"], got["queue"], got["state"]), (7, {"team": "b"}, None, "default", "held"))
        equal(texts(h), [])
    with shows("a text that stays as it is, or is emptied, edits nothing"):
        for command in ("true", "truncate -s 0"):
            assert "nothing was changed" in in_editor(h, job, command)
        equal((h.job(job)["revision"], texts(h)), (got["revision"], []))
    with shows("a refused text is opened again, or kept; an edit that came meanwhile is not written over"):
        wrong = "sed -i -e 's/^priority: .*/priority: 5000/' -e 's/^priority: 7/&/'"
        said = in_editor(h, job, wrong, "n", code=65)
        assert "fairlead: priority: wants a whole number, from -1000 to 1000" in said and "the text is kept: " in said, said
        assert "line 1" not in said, said  # the command made that body, so its lines are not the user's
        equal(len(texts(h)), 1)
        os.remove(os.path.join(h.dir, texts(h)[0]))
        said = in_editor(h, job, f"sh -c 'if grep -q 5000 \"$1\"; then sed -i s/5000/8/ \"$1\"; else sed -i \"s/^priority: .*/priority: 5000/\" \"$1\"; fi' sh", "y")
        equal((h.job(job)["priority"], texts(h)), (8, []), said)
        said = in_editor(h, job, f"sh -c 'sed -i s/priority:.*/priority:\\ 1/ \"$1\"; FAIRLEAD_TOKEN={h.token} {BIN}/fairlead edit {job} --priority 9' sh", code=1)
        assert "the text is kept: " in said, said
        equal(h.job(job)["priority"], 9)
    with shows("an editor that is not there, or fails, is named"):
        assert "the editor 'absent-editor' is not there" in in_editor(h, job, "absent-editor", code=1)
        assert "the editor 'false' did not end well; nothing is edited" in in_editor(h, job, "false", code=74)


def edit(h, job, body, code=200, headers=None):
    """The answer's object and its ETag."""
    status, answered, text = h.ask("PATCH", f"/v1/jobs/{job}", body, headers=headers)
    equal(status, code, text)
    return json.loads(text), answered.get("ETag")


def listed(h, path):
    return [job["id"] for job in h.api("GET", path)["jobs"]]


def members(h):
    with shows("each member changes, and the rest stays; the answer is the job"):
        job = h.submit(dict(HELD, name="sweep", labels={"team": "a", "try": "1"}, deadline="1h", priority=2))
        got, _ = edit(h, job, {"queue": "urgent", "priority": -5})
        equal((got["id"], got["queue"], got["priority"], got["revision"]), (job, "urgent", -5, 1))
        equal((got["name"], got["labels"], got["deadline"], got["state"]), ("sweep", {"team": "a", "try": "1"}, 3600, "held"))
        got, _ = edit(h, job, {"name": "other", "labels": {"try": None, "team": "b", "new": "x"}, "deadline": 90})
        equal((got["name"], got["labels"], got["deadline"], got["revision"]), ("other", {"new": "x", "team": "b"}, 90, 2))
        got, _ = edit(h, job, {"name": None, "labels": None, "deadline": None})
        equal((got["name"], got["labels"], got["deadline"], got["queue"]), (None, {}, None, "urgent"))
        edit(h, job, {"labels": {"team": "b"}})
    with shows("a request that changes nothing is no edit"):
        got, _ = edit(h, job, {"priority": -5, "queue": "urgent", "labels": {"team": "b"}, "hold": True})
        equal(got["revision"], 4)
        equal(edit(h, job, {})[0]["revision"], 4)
    with shows("lists find it where it is now, by queue, by label and by name"):
        assert job in listed(h, "/v1/jobs?queue=urgent") and job not in listed(h, "/v1/jobs?queue=default")
        assert job in listed(h, "/v1/jobs?label=team%3Db") and job not in listed(h, "/v1/jobs?label=team%3Da")
    with shows("it is held, and released, by the same means"):
        equal(edit(h, job, {"hold": False})[0]["state"], "queued")
        equal(edit(h, job, {"hold": True, "priority": 0})[0]["state"], "held")
    with shows("it is durable, and so is its revision: a stale one is refused after a kill too"):
        h.kill()
        h.start()
        got = h.job(job)
        equal((got["queue"], got["priority"], got["labels"], got["state"], got["revision"]), ("urgent", 0, {"team": "b"}, "held", 5))
        edit(h, job, {"priority": 1}, 412, {"If-Match": '"4"'})
        h.api("POST", f"/v1/jobs/{job}:cancel", {})
        h.wait(job, "cancelled")
        got = h.job(job)
        equal((got["queue"], got["labels"], got["deadline"]), ("urgent", {"team": "b"}, None))
        assert job in listed(h, "/v1/jobs?queue=urgent&state=cancelled&label=team%3Db")


def conditions(h):
    job = h.submit(dict(HELD, labels={"a": "1"}))
    with shows("If-Match takes the ETag of a read or of an edit, the revision in quotes, a list of these, and *"):
        status, headers, _ = h.ask("GET", f"/v1/jobs/{job}")
        equal((status, headers["ETag"][:3]), (200, '"0.'))
        _, tag = edit(h, job, {"priority": 1}, headers={"If-Match": headers["ETag"]})
        equal(tag[:3], '"1.')
        edit(h, job, {"priority": 2}, headers={"If-Match": tag})
        edit(h, job, {"priority": 3}, headers={"If-Match": '"2"'})
        edit(h, job, {"priority": 4}, headers={"If-Match": '"9", "3.abc" , "1"'})
        edit(h, job, {"priority": 5}, headers={"If-Match": "*"})
        edit(h, job, {"priority": 5}, headers={"If-Match": 'W/"9.a",W/"5.abc"'})
    with shows("an older one is refused with 412 and changes nothing, and says the revision"):
        got, _ = edit(h, job, {"priority": 9}, 412, {"If-Match": tag})
        assert got["code"] == "changed" and "revision is 5" in got["detail"], got
        equal(h.job(job)["priority"], 5)
        for wrong in ('"50"', '"5', "5", '"5" "6"', 'W/', "W", ""):
            status, _, text = h.ask("PATCH", f"/v1/jobs/{job}", {"priority": 9}, headers={"If-Match": wrong})
            equal(status, 412 if wrong == '"50"' else 422, f"{wrong}: {text}")
    with shows("a job's state changes without its revision: the condition holds"):
        _, tag = edit(h, job, {"hold": False})
        h.api("POST", f"/v1/jobs/{job}:hold", {})
        edit(h, job, {"priority": 6}, headers={"If-Match": tag})
    with shows("a key keeps its one outcome, also after later edits"):
        key = {"Idempotency-Key": "edit-once"}
        equal(edit(h, job, {"priority": 7}, headers=key)[0]["priority"], 7)
        edit(h, job, {"priority": 8})
        status, headers, text = h.ask("PATCH", f"/v1/jobs/{job}", {"priority": 7}, headers=key)
        equal((status, headers.get("Idempotent-Replayed"), json.loads(text)["priority"]), (200, "true", 8))
        equal(h.ask("PATCH", f"/v1/jobs/{job}", {"priority": 9}, headers=key)[0], 409)
        h.api("POST", "/v1/queues", {"name": "passing"})
        key = {"Idempotency-Key": "edit-away"}
        edit(h, job, {"queue": "passing"}, headers=key)
        edit(h, job, {"queue": "default"})
        h.api("DELETE", "/v1/queues/passing")
        equal(edit(h, job, {"queue": "passing"}, headers=key)[0]["queue"], "default")
        edit(h, job, {"queue": "passing"}, 422)
    with shows("each of many edits at once takes effect: no label of another is lost"):
        before = h.job(job)["revision"]
        done = []

        def label(number):
            for _ in range(20):
                status, _, _ = h.ask("PATCH", f"/v1/jobs/{job}", {"labels": {f"k{number}": "v"}})
                if status == 200:
                    done.append(number)
                    return
                equal(status, 412)

        threads = [threading.Thread(target=label, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(sorted(done), list(range(16)))
        got = h.job(job)
        equal((got["labels"], got["revision"]), ({"a": "1", **{f"k{number}": "v" for number in range(16)}}, before + 16))
    h.api("POST", f"/v1/jobs/{job}:cancel", {})


def told(h):
    with shows("events, history and audit tell of it"):
        job = h.submit(dict(HELD, name="told"))
        stream = Stream(h, "/v1/events")
        until("it follows", lambda: stream.status == 200)
        edit(h, job, {"priority": 3, "labels": {"a": "b"}, "deadline": "2m"})
        event = until("the event", lambda: next((data for name, data in list(stream.events) if name == "job.edited"), None))
        stream.stop()
        equal({name: event[name] for name in ("job", "revision", "queue", "name", "labels", "priority", "deadline")},
              {"job": job, "revision": 1, "queue": "default", "name": "told", "labels": {"a": "b"}, "priority": 3, "deadline": 120})
        h.api("POST", f"/v1/jobs/{job}:cancel", {})
        h.wait(job, "cancelled")
        history = Stream(h, f"/v1/jobs/{job}/events")
        until("its history", lambda: "job.ended" in [name for name, _ in list(history.events)])
        history.stop()
        assert "job.edited" in [name for name, _ in history.events], history.events
        records = h.api("GET", f"/v1/audit?action=edit&object={job}")["audit"]
        equal([record["object"] for record in records], [job], records)
    with shows("the history of an ended job has holds, releases and stops that came alone, and who did them"):
        job = h.submit(dict(HELD, name="deeds", resources={"cpu": "1000"}), waits=True)
        for verb in ("release", "hold", "release", "cancel"):
            h.api("POST", f"/v1/jobs/{job}:{verb}", {})
        h.wait(job, "cancelled")
        history = Stream(h, f"/v1/jobs/{job}/events")
        until("its history", lambda: "job.ended" in [name for name, _ in list(history.events)])
        history.stop()
        deeds = [(name, data.get("by")) for name, data in history.events if name in ("job.held", "job.released", "job.stopping")]
        equal([name for name, _ in deeds][:4], ["job.held", "job.released", "job.held", "job.released"])
        actor = h.api("GET", f"/v1/audit?action=hold&object={job}")["audit"][0]["actor"]
        equal({by for _, by in deeds[1:]}, {actor})


def starts(h):
    with shows("among equal jobs the one with raised priority starts first, from its new queue"):
        jobs = [h.submit({"command": SLEEP, "resources": {"cpu": "1"}}) for _ in range(3)]
        runs = lambda job: h.job(job)["state"] == "running"
        until("one runs, as many as fit", lambda: runs(jobs[0]))
        edit(h, jobs[2], {"priority": 10})
        h.api("POST", f"/v1/jobs/{jobs[0]}:cancel", {})
        until("the last is next", lambda: runs(jobs[2]))
        equal(h.job(jobs[1])["state"], "queued")
        h.api("POST", "/v1/queues/default:pause", {})
        h.api("POST", f"/v1/jobs/{jobs[2]}:cancel", {})
        h.wait(jobs[2], "cancelled")
        equal(h.job(jobs[1])["reason"], "QueuePaused")
        edit(h, jobs[1], {"queue": "urgent"})
        until("it starts there", lambda: runs(jobs[1]))
    with shows("a running job is edited too, except its deadline, and goes on"):
        edit(h, jobs[1], {"queue": "default", "name": "renamed"})
        got, _ = edit(h, jobs[1], {"deadline": "1h", "priority": 4}, 409)
        assert "has started" in got["detail"], got
        got = h.job(jobs[1])
        equal((got["state"], got["name"], got["queue"], got["priority"]), ("running", "renamed", "default", 0))
        h.api("POST", f"/v1/jobs/{jobs[1]}:cancel", {})
        h.wait(jobs[1], "cancelled")
        h.api("POST", "/v1/queues/default:resume", {})
    with shows("a retry has the deadline, name, labels and queue of the edit"):
        job = h.submit(dict(HELD, deadline="1h"))
        edit(h, job, {"deadline": "2h", "name": "again", "labels": {"x": "y"}, "queue": "urgent", "priority": 3})
        h.api("POST", f"/v1/jobs/{job}:cancel", {})
        h.wait(job, "cancelled")
        again = h.job(h.api("POST", f"/v1/jobs/{job}:retry", {})["id"])
        equal((again["deadline"], again["name"], again["labels"], again["queue"], again["priority"]), (7200, "again", {"x": "y"}, "urgent", 3))
        h.api("POST", f"/v1/jobs/{again['id']}:cancel", {})
    with shows("a deadline that an edit set ends the job"):
        job = h.submit({"command": SLEEP, "hold": True, "resources": SMALL})
        edit(h, job, {"deadline": 2, "hold": False})
        equal(h.wait(job, "failed")["reason"], "DeadlineExceeded")


def refusals(h):
    job = h.submit(dict(HELD, name="as it was"))
    with shows("an invalid edit is refused by name, and changes nothing"):
        for body, pointer in (({"command": ["x"]}, "/command"), ({"nmae": "x"}, "/nmae"), ({"priority": "high"}, "/priority"),
                              ({"deadline": "soon"}, "/deadline"), ({"labels": {"a": [7]}}, "/labels/a"), ({"queue": "none-such"}, "/queue"),
                              ({"name": "new", "hold": "yes"}, "/hold"), ({"params": {}}, "/params")):
            got, _ = edit(h, job, body, 422)
            equal(got["errors"][0]["pointer"], pointer, got)
        equal(h.ask("PATCH", f"/v1/jobs/{job}", [1])[0], 422)
        got = h.job(job)
        equal((got["name"], got["revision"]), ("as it was", 0))
    with shows("a job that has ended, one that is not there, and one that a token may not see"):
        h.api("POST", f"/v1/jobs/{job}:cancel", {})
        h.wait(job, "cancelled")
        for headers in (None, {"Idempotency-Key": "late"}):
            got, _ = edit(h, job, {"priority": 1}, 409, headers)
            assert "was cancelled" in got["detail"], got
        edit(h, "job-999999", {"priority": 1}, 404)
        mine = h.submit(dict(HELD, queue="urgent"))
        other = h.submit(HELD)
        token = h.api("POST", "/v1/tokens", {"name": "of-urgent", "scopes": ["read", "cancel"], "queue": "urgent"})["token"]
        bearer = {"Authorization": f"Bearer {token}"}
        edit(h, other, {"priority": 1}, 404, bearer)
        edit(h, mine, {"priority": 1}, 200, bearer)
        edit(h, mine, {"queue": "urgent"}, 403, bearer)
        token = h.api("POST", "/v1/tokens", {"name": "submits", "scopes": ["read", "cancel", "submit"], "queue": "urgent"})["token"]
        got, _ = edit(h, mine, {"queue": "default"}, 422, {"Authorization": f"Bearer {token}"})
        equal((got["code"], got["errors"][0]["pointer"]), ("absent", "/queue"))
        token = h.api("POST", "/v1/tokens", {"name": "reads", "scopes": ["read"]})["token"]
        edit(h, mine, {"priority": 1}, 403, {"Authorization": f"Bearer {token}"})


def by_command(h):
    with shows("the command line edits several jobs, says so of each, and describes what became of them"):
        jobs = [h.submit(dict(HELD, labels={"try": "1"})) for _ in range(2)]
        out = cli(h, "edit", *jobs, "--priority", "4", "--label", "team=vision", "--label", "try-", "--deadline", "2h", "--name", "long", "--queue", "urgent")
        equal(out.stderr.splitlines(), [f"{job} is edited" for job in jobs])
        for job in jobs:
            got = h.job(job)
            equal((got["priority"], got["labels"], got["deadline"], got["name"], got["queue"]), (4, {"team": "vision"}, 7200, "long", "urgent"))
        text = cli(h, "describe", jobs[0]).stdout
        assert "7200 s from its first start" in text and "revision     1" in text, text
        cli(h, "edit", jobs[0], "--deadline", "none", "--name", "", "--release")
        got = h.job(jobs[0])
        equal((got["deadline"], got["name"], got["state"] != "held"), (None, None, True))
        equal(json.loads(cli(h, "edit", jobs[1], "--priority", "5", "-o", "json").stdout)["priority"], 5)
    with shows("--revision keeps from writing over another's edit; errors name the flag"):
        out = cli(h, "edit", jobs[1], "--priority", "6", "--revision", "1", code=1)
        assert "revision is 2 now" in out.stderr, out.stderr
        cli(h, "edit", jobs[1], "--priority", "6", "--revision", "2")
        for words, said in ((("--deadline", "soon"), "--deadline"), (("--priority", "many"), "--priority"), (("--label", "x"), "--label x"),
                            (("--queue", "none-such"), "--queue"), (("--hold", "--release"), "exclude each other"), ((), "say what to change"),
                            (("--priority", "1", "--revision", "x"), "--revision")):
            out = subprocess.run([os.path.join(BIN, "fairlead"), "edit", jobs[1], *words], capture_output=True, text=True, timeout=60,
                                 env=dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token, XDG_CONFIG_HOME=h.dir))
            assert out.returncode in (1, 64, 65) and said in out.stderr, (words, out.returncode, out.stderr)
        equal(h.job(jobs[1])["priority"], 6)
        out = cli(h, "edit", "job-999999", jobs[1], "--priority", "7", code=1)
        assert f"{jobs[1]} is edited" in out.stderr, out.stderr


def main():
    with hub.Hub() as h:
        h.api("POST", "/v1/queues", {"name": "urgent"})
        members(h)
        conditions(h)
        told(h)
        refusals(h)
        by_command(h)
        editor(h)
        many(h)
        for queue in ("default", "urgent"):
            for job in listed(h, f"/v1/jobs?queue={queue}&state=held"):
                h.api("POST", f"/v1/jobs/{job}:cancel", {})
            for job in listed(h, f"/v1/jobs?queue={queue}&state=queued"):
                h.api("POST", f"/v1/jobs/{job}:cancel", {})
        h.agent("east", h.join("east"), settings={"cpus": 1})
        h.wait_cluster("east", "ready")
        starts(h)
    fleet.finish()


main()
