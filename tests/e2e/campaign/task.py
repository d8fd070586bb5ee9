"""The command of a campaign's job.  argv: folder, kind, seconds, lines.  It keeps a ledger and a copy of its output."""
import os
import signal
import sys
import time

folder, kind, seconds, lines = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
job, element, attempt, replica = (os.environ["FAIRLEAD_" + name] for name in ("JOB_ID", "ELEMENT", "ATTEMPT", "REPLICA"))
me = f"{job} {element} {attempt} {replica}"


def born(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return None if words[0] in "ZX" else words[19]
    except OSError:
        return None


def tell(word, *more):
    out = os.open(f"{folder}/ledger/{job}.{element}", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(out, (" ".join(map(str, (word, me, *more))) + "\n").encode())
    os.close(out)


def tell_of_others():
    """Another attempt of this element that still lives is one too many."""
    try:
        with open(f"{folder}/ledger/{job}.{element}") as file:
            rows = [line.split() for line in file]
    except FileNotFoundError:
        return
    for row in rows:
        if row[0] in ("begin", "child") and row[3] != attempt and born(row[5]) == row[6]:
            tell("overlap", row[3], row[5])


def terminated(*_):
    tell("term", time.monotonic())
    os._exit(143)


def leave_child():
    """A process in a session of its own, which only our supervisor, or the agent in its place, will end."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        for fd in range(3):
            os.close(fd)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        time.sleep(900)
        os._exit(0)
    tell("child", pid, born(pid))


def say(text):
    data = text.encode()
    with open(f"{folder}/truth/{me.replace(' ', '.')}", "ab", buffering=0) as truth:
        truth.write(data)
    while data:
        data = data[os.write(1, data):]


signal.signal(signal.SIGTERM, terminated)
tell_of_others()
tell("begin", os.getpid(), born(os.getpid()), time.monotonic())
if seconds >= 2:
    leave_child()
for i in range(lines):
    say(f"{me} {i} {'x' * (i * 7919 % 97)}{'é' * (i * 31 % 11) if i % 5 == 0 else ''}" + ("y" * 9000 if i % 50 == 49 else "") + ("\n" if i + 1 < lines or i % 2 else ""))
    time.sleep(seconds / lines)
if kind == "once":  # fails at its first run, which need not be attempt 1
    mark = f"{folder}/once/{job}.{element}"
    code = 0 if os.path.exists(mark) else 7
    open(mark, "w").close()
elif ":" in kind:  # "2:17": rank 2 fails with 17, and the others wait to be stopped
    rank, code = map(int, kind.split(":"))
    if int(replica) != rank:
        time.sleep(600)
        code = 0
else:
    code = int(kind)
tell("end", code)
sys.exit(code)
