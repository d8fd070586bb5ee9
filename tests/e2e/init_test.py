"""fairleadd init: a database made, found, refused; and a control plane that starts from what it printed."""
import os
import re
import shutil
import subprocess
import tempfile

import fleet
from fleet import BIN, ROOT, equal, shows, until

PG = os.path.join(ROOT, "tests/store/pg.sh")


class Server:
    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="fl-init-", dir="/tmp")
        os.chmod(self.dir, 0o755)
        self.pg = os.path.join(self.dir, "pg")
        subprocess.run([PG, "start", self.pg], check=True, stdout=subprocess.DEVNULL, timeout=120, env={**os.environ, "FL_PG_LIFELINE": str(os.getpid())})
        return self

    def __exit__(self, *_):
        subprocess.run([PG, "stop", self.pg], check=True, timeout=120)
        shutil.rmtree(self.dir)

    def sql(self, text, database="postgres"):
        done = subprocess.run(["psql", "-h", self.pg, "-U", "postgres", "-At", "-v", "ON_ERROR_STOP=1", database, "-c", text], capture_output=True, text=True, timeout=60)
        equal(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def init(self, *words, code=0, admin="postgres"):
        flags = ("--host", self.pg) + (("--admin", admin) if admin else ())
        done = subprocess.run([os.path.join(BIN, "fairleadd"), "init", *flags, *words], capture_output=True, text=True, timeout=60)
        equal(done.returncode, code, f"exit code of init {words}: {done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stderr


def words_of(out):
    return [line.split()[0] for line in out.split("\n\n")[0].splitlines()]


def made(server):
    with shows("a dry run says what it would make, and makes nothing"):
        assert server.init("--dry-run", "true").count("would make") == 3
        equal(server.sql("select count(*) from pg_roles where rolname = 'fairleadd'"), ["0"])
    with shows("role, database and tables are made, and belong to the role, which may do nothing else"):
        equal(words_of(server.init()), ["made", "made", "made"])
        equal(server.sql("select distinct tableowner from pg_tables where schemaname = 'public'", "fairlead"), ["fairleadd"])
        equal(server.sql("select rolsuper or rolcreatedb or rolcreaterole from pg_roles where rolname = 'fairleadd'"), ["f"])
    with shows("a second run finds all of it, and changes nothing"):
        out = server.init()
        equal(words_of(out), ["ok", "ok", "ok"])
    return re.search(r'echo "database = (.*)" >>', out)[1]


def starts(server, database):
    with shows("a control plane starts with the line that it printed, and makes its first token"):
        state, conf = os.path.join(server.dir, "state"), os.path.join(server.dir, "conf")
        with open(conf, "w") as file:
            file.write(f"database = {database}\nstate_dir = {state}\napi_listen = 127.0.0.1:0\ntunnel_listen = 127.0.0.1:0\nmetrics_listen =\n")
        daemon = subprocess.Popen([os.path.join(BIN, "fairleadd"), "--config", conf], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("the token is there", lambda: os.path.exists(os.path.join(state, "admin-token")), 60)
        daemon.terminate()
        equal(daemon.wait(timeout=60), 0)


def refused(server):
    cases = (
        (("--name", "a;b"), 64, "postgres", "--name a;b"),
        (("--role", "Big"), 64, "postgres", "--role Big"),
        (("--nmae", "x"), 64, "postgres", "nmae"),
        (("--password", "secret"), 64, "postgres", "@FILE"),
        (("--name", "other", "--role", "other"), 77, "fairleadd", "--admin"),
        (("--name", "user"), 64, "postgres", 'alter database "user" owner to "fairleadd"'),
        (("--name", "ascii"), 64, "postgres", "UTF8"),
        (("--name", "some", "--role", "dormant"), 64, "postgres", 'alter role "dormant" login'),
        ((), 69, "stranger", "su postgres"),
        (("--port", "1"), 69, "postgres", "socket"),
    )
    server.sql('create database "user"')
    server.sql("create database ascii owner fairleadd encoding 'SQL_ASCII' locale 'C' template template0")
    server.sql("create role dormant")
    for words, code, admin, part in cases:
        with shows(f"init {' '.join(words)} as {admin} is refused, with the next step"):
            text = server.init(*words, code=code, admin=admin)
            assert part in text, text
    with shows("refused runs left nothing behind"):
        equal(sorted(server.sql("select datname from pg_database where not datistemplate")), ["ascii", "fairlead", "postgres", "user"])


def elsewhere(server):
    with shows("a role with a password, for a Postgres elsewhere: the password is not printed"):
        path = os.path.join(server.dir, "password")
        with open(path, "w") as file:
            file.write("it's \\ secret\n")
        out = server.init("--name", "second", "--role", "select", "--password", f"@{path}")
        equal(words_of(out), ["made", "made", "made"])
        assert "secret" not in out and "password=..." in out, out
        equal(server.sql("select rolpassword like 'SCRAM%' from pg_authid where rolname = 'select'"), ["t"])


def main():
    with Server() as server:
        starts(server, made(server))
        refused(server)
        elsewhere(server)
    fleet.finish()


main()
