"""The Debian packages in a clean Debian 12 with its own systemd: docs/install-debian.md, word by word; an upgrade under a
running job; removal."""
import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile

from fleet import BIN, ROOT, equal, finish, shows, until

SUITE = "bookworm"
BASE = ("systemd", "libnss-systemd")  # the packages of a server before ours
PACKAGES = ("fairlead", "fairlead-controlplane", "fairlead-agent")
PROGRAMS = ("fairlead", "fairleadd", "fairlead-agent", "fairlead-supervise")
NEWER = "99.0.0"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def commands(name):
    with open(os.path.join(ROOT, "docs/install-debian.md")) as file:
        block = re.search(re.escape(f"<!-- runs: {name} -->") + r"\n```sh\n(.*?)```", file.read(), re.S)
    assert block, f"docs/install-debian.md has no commands for {name}"
    return block.group(1)


def call(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)[:200]}: exit {done.returncode}: {done.stdout[-1500:]}")
    return done.stdout


class Machine:
    """A Debian in a folder: first only a tree of files, then booted."""

    def __init__(self, folder):
        self.root, self.log, self.process, self.leader = os.path.join(folder, "root"), os.path.join(folder, "boot.log"), None, None

    def make(self):
        quick = ["--skip=cleanup/apt", "--dpkgopt=force-unsafe-io", '--aptopt=Acquire::Languages "none"']  # this disk need not survive a crash
        call(["mmdebstrap", "--quiet", "--variant=apt", *quick, f"--include={','.join(BASE)}", SUITE, self.root])
        os.makedirs(f"{self.root}/srv", exist_ok=True)

    def boot(self):
        words = ["systemd-nspawn", "--quiet", "-D", self.root, "--register=no", "--keep-unit", "--private-network", "--machine=packages", "-b"]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.leader = until("the first process of the machine", self.first_process, 60)
        until("systemd is up", lambda: self.asks("systemctl is-system-running") in ("running", "degraded"), 120, 0.5)

    def first_process(self):
        assert self.process.poll() is None, f"the machine ended with {self.process.returncode}: {open(self.log).read()[-800:]}"
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            pids = file.read().split()
        return next((pid for pid in pids if open(f"/proc/{pid}/comm").read().strip() == "systemd"), None)

    def words(self, line):
        shell = ["env", "-i", f"PATH={PATH}", "HOME=/var/tmp", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "sh", "-ec", f"cd /srv; {line}"]
        if self.leader:
            return ["nsenter", "-t", self.leader, "-m", "-u", "-i", "-n", "-p", "--", *shell]
        return ["chroot", self.root, *shell]

    def run(self, line):
        return call(self.words(line))

    def asks(self, line):
        return subprocess.run(self.words(line), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, timeout=60).stdout.strip()

    def follow(self, name):
        return self.run(commands(name))

    def bring(self, files):
        for old in glob.glob(f"{self.root}/srv/*"):
            os.unlink(old)
        for file in files:
            shutil.copy(file, f"{self.root}/srv")

    def read(self, path):
        with open(self.root + path) as file:
            return file.read()

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)  # nspawn takes it as the order to power off
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def packages_of(folder):
    return sorted(glob.glob(f"{folder}/*.deb"))


def make_newer(folder):
    """As the target 'packages' does, but of a version to come."""
    call(["cpack", "-G", "DEB", "-B", folder, "-R", NEWER], cwd=BIN)
    return packages_of(folder)


def field(package, name):
    return call(["dpkg-deb", "-f", package, name]).strip()


def settings_of(program):
    """The names of its settings, from --help."""
    return {word.replace("-", "_") for word in re.findall(r"^  --([a-z0-9-]+)  \(", call([os.path.join(BIN, program), "--help"]), re.M)}


def build():
    with shows("three packages are made; each has the version of its programs"):
        made = os.path.join(BIN, "packages")
        shutil.rmtree(made, ignore_errors=True)
        assert "cmake --build build/release --target packages" in commands("build")
        call(["cmake", "--build", BIN, "--target", "packages"])
        packages = packages_of(made)
        version = call([os.path.join(BIN, "fairleadd"), "--version"]).split()[1]
        equal(sorted((field(package, "Package"), field(package, "Version")) for package in packages), sorted((name, version) for name in PACKAGES))
    return packages


def install(m, packages):
    with shows("a bare Debian takes them with apt-get, which brings what they need; nothing is started"):
        m.bring(packages)
        told = m.run("apt-get install -y ./*.deb")
        assert "systemctl enable --now fairleadd" in told and "systemctl enable --now fairlead-agent" in told, told[-1500:]
        for program in PROGRAMS:
            assert "not found" not in m.run(f"ldd /usr/bin/{program} || true"), program
        for program in ("fairleadd", "fairlead-agent"):
            m.run(f"{program} --version")
        refused = m.run("fairlead --url http://127.0.0.1:9 ps 2>&1 || true")
        assert "Couldn't connect" in refused, refused  # libcurl was found, and says so
    with shows("programs, manuals, completion, units and settings are where Debian has them"):
        for path in ("man/man1/fairlead.1", "man/man8/fairleadd.8", "man/man8/fairlead-agent.8", "bash-completion/completions/fairlead", "zsh/vendor-completions/_fairlead",
                     "fish/vendor_completions.d/fairlead.fish", "doc/fairlead/operations.md", *(f"doc/{name}/copyright" for name in PACKAGES)):
            assert os.path.getsize(f"{m.root}/usr/share/{path}") > 0, path
        m.run("systemd-analyze verify fairleadd.service fairlead-agent.service")
        for program, conf in (("fairleadd", "fairleadd"), ("fairlead-agent", "agent")):
            equal(set(re.findall(r"^#([a-z0-9_]+) =", m.read(f"/etc/fairlead/{conf}.conf"), re.M)), settings_of(program), f"settings in {conf}.conf")
        equal(m.run("stat -c '%U:%G %a' /etc/fairlead/fairleadd.conf /etc/fairlead/agent.conf").split(), ["root:root", "600", "root:fairlead-agent", "640"])
        m.run("getent passwd fairlead-agent")


def run_it(m):
    with shows("the documented installation gives a fleet that runs a job, under systemd's own eyes"):
        m.follow("install the control plane")
        m.boot()
        m.follow("install the control plane")  # all is there already, and nothing changes
        m.follow("start the control plane")
        m.follow("log in")
        m.follow("install the agent")
        assert "hello" in m.follow("start the agent").splitlines()
        equal(m.run("systemctl is-active fairleadd fairlead-agent").split(), ["active", "active"])
        equal(m.run("stat -c %U /proc/$(systemctl show -P MainPID fairlead-agent)").split(), ["fairlead-agent"])


def upgrade(m, folder):
    with shows("an upgrade restarts both services; a job goes on through it, and changed settings stay"):
        job = m.run("fairlead run --detach -- sh -c 'echo before; while [ ! -e /var/lib/fairlead-agent/go ]; do sleep 0.1; done; echo after'").strip()
        until("it runs", lambda: "before" in m.asks(f"fairlead logs {job}"))
        began = m.run("systemctl show -P MainPID fairleadd fairlead-agent").split()
        m.bring(make_newer(os.path.join(folder, "new")))
        m.follow("upgrade")
        now = m.run("systemctl show -P MainPID fairleadd fairlead-agent").split()
        equal(len({*began, *now}), 4, f"main processes before {began} and after {now}")
        equal(m.run("dpkg-query -W -f '${Version} ' " + " ".join(PACKAGES)).split(), [NEWER] * 3)
        assert "\ndatabase = " in m.read("/etc/fairlead/fairleadd.conf") and "\njoin_token = " in m.read("/etc/fairlead/agent.conf")
        m.run("touch /var/lib/fairlead-agent/go")
        m.run(f"fairlead wait {job}")
        equal(m.run(f"fairlead logs {job}").split(), ["before", "after"])
        equal(m.run(f"fairlead events {job} --output jsonl").count("attempt.assigned"), 1, "attempts")


def remove(m):
    with shows("removed, they leave settings, jobs' folders and the control plane's secrets; purged, only the secrets, and say why"):
        m.follow("remove")
        for path in ("/usr/bin/fairleadd", "/usr/bin/fairlead", "/usr/bin/fairlead-agent", "/usr/lib/systemd/system/fairleadd.service"):
            assert not os.path.exists(m.root + path), path
        assert os.path.exists(m.root + "/etc/fairlead/fairleadd.conf") and os.path.exists(m.root + "/var/lib/fairlead-agent")
        os.unlink(m.root + "/etc/fairlead/join.token")
        told = m.run("apt-get purge -y " + " ".join(PACKAGES))
        assert "/var/lib/private/fairleadd stays: it holds the CA and the pepper" in told, told[-1000:]
        assert os.path.exists(m.root + "/var/lib/private/fairleadd/ca.key")
        for path in ("/etc/fairlead", "/var/lib/fairlead-agent"):
            assert not os.path.exists(m.root + path), path
        equal(m.asks("getent passwd fairlead-agent"), "")


def main():
    folder = tempfile.mkdtemp(prefix="fl-packages-")
    m = Machine(folder)
    try:
        packages = build()
        m.make()
        install(m, packages)
        run_it(m)
        upgrade(m, folder)
        remove(m)
    finally:
        m.end()
        shutil.rmtree(folder, ignore_errors=True)
    finish()


if __name__ == "__main__":
    main()
