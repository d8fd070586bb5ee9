"""fairlead admin backup and restore: made beside a busy control plane, refused where it would do harm, brought back whole."""
import json
import os
import shutil
import subprocess
import threading

import operations
from fleet import BIN, equal, finish, shows


class Kept(operations.Site):
    """With a file of settings, by which the verbs find database and state directory."""

    def __enter__(self):
        self.backups = os.path.join(self.dir, "backups")
        os.mkdir(self.backups)
        self.config = os.path.join(self.dir, "fairleadd.conf")
        with open(self.config, "w") as file:
            file.write(f"database = @{os.path.join(self.dir, 'database')}\nstate_dir = {self.settings['state_dir']}\n")
        more = {"BACKUPS": self.backups, "FAIRLEAD_CONFIG": self.config, "PATH": f"{BIN}:{operations.PG_BIN}:{os.environ['PATH']}"}
        super().__enter__()
        self.more.update(more)
        return self

    def admin(self, *words, code=0, env=None):
        done = subprocess.run([os.path.join(BIN, "fairlead"), "admin", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **self.more, **(env or {})})
        equal(done.returncode, code, f"admin {words}: {done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stderr

    def refused(self, words, code, *texts, env=None):
        said = self.admin(*words, code=code, env=env)
        for text in texts:
            assert text in said, (text, said)

    def folder(self, name):
        return os.path.join(self.backups, name)

    def manifest(self, name):
        with open(os.path.join(self.folder(name), "manifest.json")) as file:
            return json.load(file)

    def jobs(self):
        return sorted(job["id"] for state in ("open", "ended") for job in self.api("GET", f"/v1/jobs?state={state}&limit=1000")["jobs"])

    def new_database(self):
        self.run("dropdb fairlead; createdb -T template0 fairlead")


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names)


def is_made(h):
    with shows("a backup is made while the control plane runs, as docs/operations.md says, and is for its owner alone"):
        h.follow("make a backup")
        made = h.folder("monday")
        equal(sorted(os.listdir(made)), ["database.dump", "manifest.json", "state"])
        equal(os.stat(made).st_mode & 0o777, 0o700)
        assert {"ca.crt", "pepper", "high-water"} <= set(os.listdir(os.path.join(made, "state"))), os.listdir(os.path.join(made, "state"))
        told = h.manifest("monday")
        equal((told["format"], told["database"]["bytes"], told["state"]["hasLogs"]), (1, os.path.getsize(os.path.join(made, "database.dump")), True))
        equal(told["state"]["files"], len(files_below(os.path.join(made, "state"))))
    with shows("without the logs of jobs it is smaller"):
        out = h.admin("backup", h.folder("small"), "--without-logs")
        assert "without the logs" in out, out
        equal(h.manifest("small")["state"]["hasLogs"], False)
        assert not os.path.exists(h.folder("small/state/logs"))
    with shows("one made under load is whole, too"):
        ends = threading.Event()

        def load():
            while not ends.is_set():
                h.submit({"command": ["true"], "hold": True})

        thread = threading.Thread(target=load)
        thread.start()
        h.admin("backup", h.folder("busy"))
        ends.set()
        thread.join()


def is_not_made(h):
    with shows("a backup goes into no folder that is there, nor beside one that is being made"):
        h.refused(["backup", h.folder("monday")], 1, "is there already", "name a new folder")
        os.mkdir(h.folder("cut.part"))
        h.refused(["backup", h.folder("cut")], 1, "cut.part is there", "rm -r")
    with shows("a backup that fails leaves nothing behind, and says why"):
        h.refused(["backup", h.folder("none")], 1, "psql is not on this machine", "postgresql-client", env={"PATH": "/nowhere"})
        h.refused(["backup", os.path.join(h.dir, "absent", "deep")], 74, "No such file")
        h.refused(["backup", h.folder("none"), "--config", "/nowhere.conf"], 1, "/nowhere.conf")
        h.refused(["backup"], 64, "fairlead admin backup FOLDER")
        with open(os.path.join(h.dir, "other.conf"), "w") as file:
            file.write(f"database = host={h.pg} user=postgres dbname=postgres\nstate_dir = {h.settings['state_dir']}\n")
        h.refused(["backup", h.folder("none"), "--config", os.path.join(h.dir, "other.conf")], 74, "no tables of Fairlead")
        equal([name for name in os.listdir(h.backups) if name.startswith("none")], [])


def is_not_restored(h):
    with shows("nothing is restored beside a control plane that runs, nor over a database that is in use"):
        h.refused(["restore", h.folder("monday")], 1, "a control plane is connected", "stop it first")
        h.stop()
        h.refused(["restore", h.folder("monday")], 1, "database fairlead is not empty", "rename to", "fairleadd init")
    with shows("a backup that is not whole, damaged or of a newer release changes nothing"):
        h.refused(["restore", h.folder("cut.part")], 1, "is no whole backup")
        shutil.copytree(h.folder("monday"), h.folder("bad"))
        with open(h.folder("bad/database.dump"), "r+b") as file:
            file.seek(1000)
            byte = file.read(1)
            file.seek(1000)
            file.write(bytes([byte[0] ^ 1]))
        h.refused(["restore", h.folder("bad")], 70, "database.dump is damaged")
        told = h.manifest("bad")
        for change, code, text in (({"schema": 9999}, 64, "install that one or a newer one"), ({"format": 2}, 64, "its format is 2"), ({"database": {}}, 70, "lacks a good 'bytes'")):
            with open(h.folder("bad/manifest.json"), "w") as file:
                json.dump({**told, **change}, file)
            h.refused(["restore", h.folder("bad")], code, text)
    with shows("a state directory of another control plane is not mixed with it"):
        pepper = os.path.join(h.settings["state_dir"], "pepper")
        os.rename(pepper, pepper + ".kept")
        with open(pepper, "wb") as file:
            file.write(bytes(32))
        h.refused(["restore", h.folder("monday")], 1, "belongs to another control plane", "mv ")
        os.rename(pepper + ".kept", pepper)


def is_restored(h, known, ended):
    with shows("a restore into a new database, by the words of docs/operations.md: later jobs are reported as lost, tokens count"):
        h.start()
        lost = [h.submit({"command": ["true"], "hold": True}) for _ in range(4)]
        h.follow("restore a backup")
        equal(h.jobs(), known)
        assert h.told(), "the loss is not told"
        assert not {h.submit({"command": ["true"], "hold": True}) for _ in range(3)} & {*known, *lost}, "a number was given twice"
        equal(h.output(ended), b"kept\n")
    with shows("with the state directory lost, and a database that fairleadd init has just made, keys, tokens and logs come back"):
        h.stop()
        h.run("dropdb fairlead")
        h.run(f"{BIN}/fairleadd init --host {h.pg} --admin postgres")
        with open(h.folder("monday/state/ca.crt"), "rb") as file:
            authority = file.read()
        shutil.rmtree(h.settings["state_dir"])
        out = h.admin("restore", h.folder("monday"))
        assert "restored    state directory" in out and "restored    database fairlead" in out, out
        h.start()
        equal(h.jobs(), known)
        equal(h.output(ended), b"kept\n")
        with open(os.path.join(h.settings["state_dir"], "ca.crt"), "rb") as file:
            equal(file.read(), authority)
    with shows("one made under load is restored as well"):
        h.stop()
        h.new_database()
        shutil.rmtree(h.settings["state_dir"])
        h.admin("restore", h.folder("busy"))
        h.start()
        assert set(known) <= set(h.jobs())


def main():
    with Kept() as h:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        ended = h.submit({"command": ["sh", "-c", "echo kept"]})
        h.wait(ended)
        known = sorted([ended, *(h.submit({"command": ["true"], "hold": True}) for _ in range(3))])
        is_made(h)
        is_not_made(h)
        is_not_restored(h)
        is_restored(h, known, ended)


if __name__ == "__main__":
    main()
    finish()
