"""A database that goes back to an older state, by the very commands of docs/operations.md."""
import json
import os
import re
import shutil
import subprocess
import urllib.request

import fleet
import hub
from fleet import BIN, ROOT, equal, shows, until

PG_BIN = next(path for path in ("/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/17/bin", "/usr/bin") if os.path.exists(f"{path}/pg_basebackup"))
MARK = "<!-- tests/e2e/restore_test.py runs: {} -->"


def commands(name):
    """The lines of the block behind that mark."""
    with open(os.path.join(ROOT, "docs/operations.md")) as file:
        text = file.read()
    block = re.search(re.escape(MARK.format(name)) + r"\n```sh\n(.*?)```", text, re.S)
    assert block, f"docs/operations.md has no commands for {name}"
    return block.group(1).splitlines()


class Site(hub.Hub):
    """A control plane whose database is one that may be dropped."""

    def __enter__(self):
        self.data = os.path.join(self.pg, "data")
        self.here = os.path.join(self.dir, "work")
        os.mkdir(self.here)
        os.chmod(self.here, 0o777)
        self.metrics = hub.free_port()
        self.settings["metrics_listen"] = f"127.0.0.1:{self.metrics}"
        self.is_made = False
        return super().__enter__()

    def start(self):
        if not self.is_made:
            self.is_made = True
            self.run("createdb -T template0 fairlead")
            self.aim(self.pg)
        super().start()

    def aim(self, host):
        with open(self.database, "w") as file:
            file.write(f"host={host} user=postgres dbname=fairlead\n")

    def stop(self):
        self.process.terminate()
        equal(self.process.wait(timeout=60), 0, "the end of fairleadd")

    def run(self, line, host=None):
        env = dict(os.environ, PATH=f"{PG_BIN}:{os.environ['PATH']}", PGHOST=host or self.pg, PGUSER="postgres", PGDATA=self.data, STATE_DIR=self.settings["state_dir"])
        done = subprocess.run(["sh", "-ec", line], cwd=self.here, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"{line}: {done.stdout}")

    def follow(self, name, host=None):
        services = {"systemctl stop fairleadd": self.stop, "systemctl start fairleadd": self.start,
                    "systemctl stop postgresql": lambda: self.postgres("down"), "systemctl start postgresql": lambda: self.postgres("up")}
        for line in commands(name):
            services[line]() if line in services else self.run(line, host)

    def some_jobs(self, n):
        return [self.submit({"command": ["true"], "hold": True}) for _ in range(n)]

    def told(self):
        return [line for line in self.log("fairleadd").splitlines() if "what=history" in line]

    def figure(self, name):
        request = urllib.request.Request(f"http://127.0.0.1:{self.metrics}/metrics", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return float(re.search(rf"^{name} (\S+)$", answer.read().decode(), re.M).group(1))


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


def main():
    with Site() as h:
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
    with Site() as h:
        agent = h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        known = [h.submit({"command": ["true"]})]
        h.wait(known[0])
        with shows("where only agents know, nothing is accepted until a person accepts the database"):
            h.follow("back up")
            known += [h.submit({"command": ["true"]}) for _ in range(3)]
            for job in known:
                h.wait(job)
            h.stop()
            h.start()  # the agent gets the newest seal with its session
            h.wait_cluster("east", "ready")
            h.stop()
            h.run("dropdb fairlead; createdb -T template0 fairlead; pg_restore -d fairlead fairlead.dump")
            shutil.rmtree(h.settings["state_dir"])
            h.run("cp -a state-backup $STATE_DIR")
            h.start()
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
        assert agent.poll() is None


if __name__ == "__main__":
    main()
    fleet.finish()
