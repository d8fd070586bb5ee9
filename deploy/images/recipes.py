"""The content of each image.  The table comes first; 'fill' makes it a tree of files."""
import glob
import os
import re
import tempfile
import typing

import debian
import oci

HERE = os.path.dirname(os.path.abspath(__file__))
POSTGRES = "/usr/lib/postgresql/15"
POSTGRES_SHARE = "/usr/share/postgresql/15"

# Opened by name while a program runs, so that no linker tells of them.
LATE = ("libwebsockets-evlib_ev.so", "libcurl.so.4", "libgcc_s.so.1")


class Recipe(typing.NamedTuple):
    text: str
    start: list  # the first words of its command line
    programs: tuple = ()  # ours, from the build
    late: tuple = ()  # libraries opened by name
    debian: tuple = ()  # patterns of files that come with a package, left where they are
    links: dict = {}
    scripts: tuple = ()  # ours, from this folder
    folders: tuple = ()  # that belong to the user
    environment: dict = {}


# Descriptions of terminals, for 'fairlead top': Debian's choice of the common ones.
TERMINALS = ("/usr/lib/terminfo/*/*",)

CLIENT = {"HOME": "/tmp", "PATH": "/usr/bin"}

RECIPES = {
    "fairleadd": Recipe(
        "The control plane of Fairlead, and its command line.", ["/usr/bin/fairleadd"],
        programs=("fairleadd", "fairlead"), late=LATE, debian=TERMINALS, folders=("/var/lib/fairleadd",), environment=CLIENT),
    "fairlead-agent": Recipe(
        "The agent of Fairlead: runs the work of one cluster.", ["/usr/bin/fairlead-agent"],
        programs=("fairlead-agent", "fairlead-supervise"), late=LATE, folders=("/var/lib/fairlead-agent",), environment=CLIENT),
    "fairlead": Recipe(
        "The command line of Fairlead.", ["/usr/bin/fairlead"], programs=("fairlead",), late=LATE[1:], debian=TERMINALS, environment=CLIENT),
    # For trials.  It has a shell, which initdb needs.
    "fairlead-postgres": Recipe(
        "Postgres for a trial of Fairlead: made at its first start, one database, one user.", ["/usr/bin/postgres-start"],
        late=("libgcc_s.so.1",),
        debian=(*(f"{POSTGRES}/bin/{name}" for name in ("initdb", "postgres", "pg_isready")),
                *(f"{POSTGRES}/lib/{name}.so" for name in ("dict_snowball", "plpgsql")),
                f"{POSTGRES_SHARE}/*.*", f"{POSTGRES_SHARE}/timezonesets/*", f"{POSTGRES_SHARE}/tsearch_data/*",
                f"{POSTGRES_SHARE}/extension/plpgsql*", "/usr/share/zoneinfo/Etc/UTC", "/usr/bin/busybox"),
        links={"/usr/bin/sh": "busybox", "/usr/bin/mv": "busybox", "/usr/bin/rm": "busybox", "/usr/bin/chmod": "busybox",
               "/usr/share/zoneinfo/UTC": "Etc/UTC"},
        scripts=("postgres-start",), folders=("/var/lib/postgresql",),
        environment={"PATH": f"/usr/bin:{POSTGRES}/bin", "PGDATA": "/var/lib/postgresql/data", "TZ": "UTC"}),
}


def version(root):
    with open(os.path.join(root, "shared/base/version.h")) as file:
        return re.search(r'FL_VERSION "(.*)"', file.read())[1]


def read(path):
    with open(path, "rb") as file:
        return file.read()


# ---- from a recipe to files --------------------------------------------------------------------------------------


class Filled(oci.Tree):
    """A tree that knows where its files come from."""

    def __init__(self):
        super().__init__()
        self.ours = []  # paths of files that no package has
        self.packages = set()


def fill(recipe, programs, root):
    tree = Filled()
    for path in ("bin", "lib", "lib64", "sbin"):
        tree.link(path, f"usr/{path}")
        tree.folder(f"usr/{path}")
    tree.folder("tmp", 0o1777)
    for path in recipe.folders:
        tree.folder(path, 0o700, oci.USER)
    needed = add_programs(tree, recipe, programs)
    for script in recipe.scripts:
        add_ours(tree, f"usr/bin/{script}", read(os.path.join(HERE, script)), 0o755)
    add_debian(tree, recipe, needed)
    add_certificates(tree)
    add_names(tree)
    for path, target in recipe.links.items():
        tree.link(path, target)
    add_papers(tree, root)
    return tree


def add_ours(tree, path, data, mode=0o644):
    tree.file(path, data, mode)
    tree.ours.append(path)


def add_programs(tree, recipe, folder):
    """Ours, without what only a debugger reads.  The libraries that they need."""
    needed = set()
    for name in recipe.programs:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            raise debian.Missing(f"{path} is not there: cmake --preset release && cmake --build build/release --target {name}")
        with tempfile.NamedTemporaryFile() as plain:
            debian.run("strip", "--strip-all", "-o", plain.name, path)
            add_ours(tree, f"usr/bin/{name}", read(plain.name), 0o755)
        needed.update(debian.libraries(path))
    return needed


def add_debian(tree, recipe, needed):
    """Files of packages, their libraries, and links to those by the names that are asked for."""
    paths = set(needed)
    for pattern in recipe.debian:
        found = [path for path in glob.glob(pattern) if os.path.isfile(path)]
        if not found:
            raise debian.Missing(f"{pattern} is not there: apt-get install postgresql-15 busybox-static tzdata ncurses-base")
        paths.update(debian.merged(path) for path in found)
    for name in recipe.late:
        path = f"/usr/lib/{debian.triplet()}/{name}"
        if not os.path.exists(path):
            raise debian.Missing(f"{path} is not there: ./check --only packages installs it")
        paths.add(path)
    for path in list(paths):
        if ".so" in os.path.basename(path) or "/bin/" in path:
            paths.update(debian.libraries(path))
    real = {path: debian.merged(os.path.realpath(path)) for path in paths}
    tree.packages.update(debian.owners(set(real.values())).values())
    for path, where in real.items():
        tree.file(where, read(where), 0o755 if os.access(where, os.X_OK) else 0o644)
        if path != where:
            tree.link(path, where)


def add_certificates(tree):
    """Adds Mozilla's certificates, as Debian packs them, and none that this machine alone trusts."""
    paths = sorted(glob.glob("/usr/share/ca-certificates/mozilla/*.crt"))
    if not paths:
        raise debian.Missing("no certificate authorities are here: apt-get install ca-certificates")
    tree.packages.add("ca-certificates")
    tree.file("etc/ssl/certs/ca-certificates.crt", b"".join(read(path).rstrip(b"\n") + b"\n" for path in paths))
    tree.link("usr/lib/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt")


def add_names(tree):
    add_ours(tree, "etc/passwd", b"root:x:0:0:root:/:/none\nfairlead:x:%d:%d:fairlead:/tmp:/none\n" % (oci.USER, oci.USER))
    add_ours(tree, "etc/group", b"root:x:0:\nfairlead:x:%d:\n" % oci.USER)
    add_ours(tree, "etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files dns\n")


def add_papers(tree, root):
    """Licences, which travel with what they are for, and the list of packages that scanners read."""
    add_ours(tree, "usr/share/doc/fairlead/LICENSE", read(os.path.join(root, "LICENSE")))
    for package in sorted(tree.packages):
        text = debian.copyright_of(package)
        tree.file(f"usr/share/doc/{package}/copyright", text.encode())
        tree.file(f"var/lib/dpkg/status.d/{package}", debian.status_of(package).encode())
        for path in debian.common_licences(text):
            tree.file(path, read(path))
