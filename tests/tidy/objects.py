"""Reads compiled objects: the symbols that pure libraries need, and circles of calls between files."""
import os
import re
import subprocess
import sys

from report import Report

# ---- the pure libraries --------------------------------------------------------------------------------------
# Their objects need only these symbols, and those of the libraries named.  A list of what is allowed: one of what
# is forbidden would always lack something.

PURE_LIBRARIES = {
    "fl_wire": "fl_base",
    "fl_json": "fl_base",
    "fl_spec": "fl_base fl_json",
    "fl_link": "fl_base fl_wire",
    "fl_core": "fl_base",
    "fl_agent_core": "fl_base",
    "fl_agent_kube_pure": "fl_base fl_json fl_spec fl_agent_core",
    "fl_tunnel_pure": "fl_base fl_wire fl_link",
}
PURE_SYMBOLS = set("""
    memcpy memmove memset memcmp memchr memrchr strlen strnlen strcmp strncmp strchr strrchr strcspn snprintf vsnprintf
    __memcpy_chk __memmove_chk __memset_chk __snprintf_chk __vsnprintf_chk
    malloc calloc realloc free abort __stack_chk_fail _GLOBAL_OFFSET_TABLE_ __popcountdi2
""".split())
# shared/base itself: an assertion speaks before it aborts, and the queue between threads waits.
BASE_SYMBOLS = PURE_SYMBOLS | set("""
    stderr fprintf __fprintf_chk fputs fwrite fflush
    pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_unlock
    pthread_cond_init pthread_cond_destroy pthread_cond_signal pthread_cond_broadcast
    pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait
    pthread_condattr_init pthread_condattr_destroy pthread_condattr_setclock clock_gettime
    aligned_alloc posix_memalign
""".split())
IMPURE_OF_BASE = re.compile(r"^fl_queue_")  # in shared/base, yet for threads: no pure library may call it


def nm(archive, *options):
    return subprocess.run(["nm", *options, archive], check=True, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL).stdout.splitlines()


def defined_in(archive):
    return {line.split()[-1] for line in nm(archive, "--defined-only", "--extern-only") if len(line.split()) == 3}


def undefined_in(archive):
    """Pairs of object file and symbol."""
    object_file = "?"
    for line in nm(archive, "--undefined-only"):
        if line.endswith(":"):
            object_file = line[:-1]
        elif line.split():
            yield object_file, line.split()[-1].split("@")[0]


def writable_in(archive):
    """Pairs of object file and variable that lives in .data, .bss or thread storage.  (.data.rel.ro is const.)"""
    object_file = "?"
    for line in nm(archive, "--format=sysv"):
        if found := re.match(r"Symbols from .*\[(.+)\]:", line):
            object_file = found[1]
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 7 and columns[3] != "SECTION":
            section = columns[6]
            if re.match(r"\.t?(data|bss)|\*COM\*", section) and not section.startswith(".data.rel.ro"):
                yield object_file, columns[0]


def check_symbols(archives):
    report = Report()
    by_name = {re.sub(r"^lib|\.a$", "", os.path.basename(a)): a for a in archives}
    for name, archive in by_name.items():
        if name != "fl_base" and name not in PURE_LIBRARIES:
            sys.exit(f"tidy: {name} has no row in PURE_LIBRARIES")
        plain, globals_ = f"{name} needs no world", f"{name} has no writable globals"
        report.rule(plain)
        report.rule(globals_)
        allowed = (BASE_SYMBOLS if name == "fl_base" else PURE_SYMBOLS) | defined_in(archive)
        for other in PURE_LIBRARIES.get(name, "").split():
            if other in by_name:
                allowed |= {s for s in defined_in(by_name[other]) if not IMPURE_OF_BASE.match(s)}
        for object_file, symbol in undefined_in(archive):
            if symbol not in allowed:
                report.breach(plain, object_file, f"needs {symbol}")
        for object_file, symbol in writable_in(archive):
            report.breach(globals_, object_file, f"{symbol} can be written")
    if not by_name:
        sys.exit("tidy: no library to look at")
    return report.finish()


# ---- circles of calls ----------------------------------------------------------------------------------------
# File A calls file B when A's object refers to a function or table that B defines.  Files that call each other in a
# circle are one file in pieces: none can be read, tested or moved alone.

PROGRAMS = ("shared/", "controlplane/", "agent/", "cli/")
CIRCLES_ALLOWED = "tests/tidy/circles_allowed"  # lines 'FILE FILE...: reason'; a line without a circle is a breach


def source_of_object(path):
    return os.path.normpath(path.split(".dir/", 1)[1])


def calls_of(objects):
    """{file: {other file: symbols}} of a build's objects, named as CMake names them: X.dir/shared/base/err.c.o"""
    source_of = {path: source_of_object(path).removesuffix(".o") for path in objects}
    homes, needs = {}, {}
    for path, source in source_of.items():
        needs.setdefault(source, set())
        for line in nm(path, "--extern-only"):
            symbol = line.split()[-1].split("@")[0]
            if re.search(r"\bU \S+$", line):
                needs[source].add(symbol)
            elif symbol != "main":
                homes.setdefault(symbol, source)
    calls = {source: {} for source in needs}
    for source, symbols in needs.items():
        for symbol in sorted(symbols & homes.keys()):
            if homes[symbol] != source:
                calls[source].setdefault(homes[symbol], []).append(symbol)
    return calls


def circles_of(calls):
    """The sets of files that reach each other: Tarjan's strongly connected components of more than one file."""
    order, lowest, stack, circles = {}, {}, [], []

    def visit(file):
        order[file] = lowest[file] = len(order)
        stack.append(file)
        for other in calls[file]:
            if other not in order:
                visit(other)
            if other in stack:
                lowest[file] = min(lowest[file], lowest[other])
        if lowest[file] == order[file]:
            circle = stack[stack.index(file):]
            del stack[stack.index(file):]
            if len(circle) > 1:
                circles.append(sorted(circle))

    for file in sorted(calls):
        if file not in order:
            visit(file)
    return circles


def allowed_circles():
    if not os.path.exists(CIRCLES_ALLOWED):
        return {}
    with open(CIRCLES_ALLOWED, encoding="utf-8") as file:
        rows = [line.split(": ", 1) for line in file.read().splitlines()]
    return {frozenset(files.split()): reason for files, reason in rows}


def check_calls(list_file):
    with open(list_file, encoding="utf-8") as file:
        objects = file.read().split()
    report = Report("no circle of calls between files")
    calls = calls_of([o for o in objects if source_of_object(o).startswith(PROGRAMS)])
    if not any(calls.values()):
        sys.exit(f"tidy: no object in {list_file} calls another")
    circles, allowed = circles_of(calls), allowed_circles()
    for files in allowed:
        if not any(files.issuperset(circle) for circle in circles):
            report.breach("no circle of calls between files", CIRCLES_ALLOWED, f"no circle: {' '.join(sorted(files))}")
    for circle in circles:
        if any(files.issuperset(circle) for files in allowed):
            continue
        for file in circle:
            for other in sorted(set(calls[file]) & set(circle)):
                report.breach("no circle of calls between files", file, f"calls {other} ({', '.join(calls[file][other])}), "
                                                                        "which comes back to it")
    return report.finish()
