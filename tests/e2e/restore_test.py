"""A database that goes back to an older state, by the very commands of docs/operations.md."""
import glob
import json
import os
import re
import shutil
import subprocess

import fleet
import operations
from fleet import BIN, equal, shows, until


class Jobs(operations.Site):
    def some_jobs(self, n):
        return [self.submit({"command": ["true"], "hold": True}) for _ in range(n)]


def new_jobs_are_new(h, known):
    new = h.some_jobs(3)
    assert not set(new) & set(known), f"{new} were given out before: {known}"
    known += new


def loss_is_told(h, lost, times):
    line = until("the log tells of the loss", lambda: h.told()[times - 1:times], 30)[0]
    least, most = map(int, re.search(r"at least (\d+) and at most (\d+) jobs", line).groups())
    assert least <= lost <= most, f"{lost} were lost: {line}"
    until("the metrics have it", lambda: h.figure("fairlead_history_lost_jobs_min") == least and h.figure("fairlead_history_losses_total") == 1, 30)
    audit = until("the audit has it", lambda: [a for a in h.api("GET", "/v1/audit?limit=1000")["audit"] if f"history_lost jobs={least}..{most}" in json.dumps(a)], 30)
    assert audit


LOST = "said into the void"


def output_with_agent(h, job):
    """Whether the agent still has the output of that job."""
    found = glob.glob(os.path.join(h.dir, "agent-east", "replicas", f"{job}-0-*", "out.*"))
    for path in found:
        with open(path, "rb") as file:
            if f"{LOST}\n".encode() in file.read():
                return True
    return False


def output_waits(h, job):
    told = [line for line in h.log("fairleadd").splitlines() if f" job={job.split('-')[1]} " in line]
    assert not any("output_refused" in line for line in told), told
    return any("event=output_waits" in line for line in told)


def main():
    with Jobs() as h:
        known = h.some_jobs(3)
        with shows("pg_dump: a restored dump is noticed, counted, and gives no number again"):
            h.follow("back up")
            known += h.some_jobs(5)
            h.follow("restore a dump")
            loss_is_told(h, 5, 1)
            new_jobs_are_new(h, known)
        with shows("the same after kill -9, when the last second is not known"):
            h.follow("back up")
            known += h.some_jobs(4)
            h.kill()
            h.start()
            known += h.some_jobs(2)
            h.follow("restore a dump")
            loss_is_told(h, 6, 2)
            new_jobs_are_new(h, known)
        with shows("a snapshot of a data directory, which has the same system identifier and timeline, is noticed too"):
            h.follow("snapshot")
            known += h.some_jobs(6)
            h.follow("restore a snapshot")
            loss_is_told(h, 6, 3)
            new_jobs_are_new(h, known)
        with shows("a standby that lagged and was promoted is noticed"):
            standby = os.path.join(h.dir, "s")
            h.run(f"pg_basebackup -X stream -c fast -D {h.here}/standby")
            known += h.some_jobs(7)
            h.stop()
            h.postgres("down")
            os.mkdir(standby)
            h.run(f"touch {h.here}/standby/standby.signal; echo \"unix_socket_directories = '{standby}'\" >>{h.here}/standby/postgresql.conf")
            h.run(f"rm -rf $PGDATA; mv {h.here}/standby $PGDATA")
            if os.geteuid() == 0:
                h.run(f"chown -R postgres $PGDATA {standby}")
            h.postgres("up")
            h.aim(standby)
            h.follow("promote a standby", standby)
            loss_is_told(h, 7, 4)
            new_jobs_are_new(h, known)
    with Jobs() as h:
        agent = h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        known = [h.submit({"command": ["true"]})]
        h.wait(known[0])
        with shows("where only agents know, nothing is accepted until a person accepts the database"):
            h.follow("back up")
            known += [h.submit({"command": ["true"]}) for _ in range(3)]
            for job in known:
                h.wait(job)
            silent = h.submit({"command": ["sh", "-c", f"until [ -e {h.here}/gone ]; do sleep 0.1; done; echo {LOST}"]})
            h.wait(silent, "running")
            known.append(silent)
            h.stop()
            h.start()  # the agent gets the newest seal with its session
            h.wait_cluster("east", "ready")
            agent.kill()  # the one that comes has it from its store
            agent.wait()
            h.stop()
            h.run("touch gone")  # the last job ends, and its output stays with the host
            h.run("dropdb fairlead; createdb -T template0 fairlead; pg_restore -d fairlead fairlead.dump")
            shutil.rmtree(h.settings["state_dir"])
            h.run("cp -a state-backup $STATE_DIR")
            h.start()
            agent = h.agent("east")
            until("the log asks for a person", lambda: [line for line in h.told() if "accept-restore" in line], 60)
            status, _, body = h.ask("POST", "/v1/jobs", {"command": ["true"]})
            equal(status, 503)
            assert b"accept-restore" in body, body
        with shows("fairlead admin accept-restore lets it go on, above all numbers that agents know of"):
            env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=h.token)
            done = subprocess.run([os.path.join(BIN, "fairlead"), "admin", "accept-restore"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
            equal(done.returncode, 0, done.stdout)
            new_jobs_are_new(h, known)
            h.wait_cluster("east", "ready")
            equal(h.wait(h.submit({"command": ["true"]}))["state"], "succeeded")
            status, _, _ = h.ask("POST", "/v1/restore:accept")
            equal(status, 409)
            assert any("accept_restore" in json.dumps(a) for a in h.api("GET", "/v1/audit?limit=1000")["audit"])
        with shows("output of a job that the database has forgotten stays with its agent"):
            until("the log tells that output waits", lambda: output_waits(h, silent), 30)
            equal(h.wait(h.submit({"command": ["echo", "other"]}))["state"], "succeeded")
            assert output_with_agent(h, silent)
            assert output_waits(h, silent)
        assert agent.poll() is None


if __name__ == "__main__":
    main()
    fleet.finish()
