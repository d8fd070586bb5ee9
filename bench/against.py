"""CPU of a job, this build against another one, in pairs: bench/run --against FOLDER [--pairs N] ID...

Each pair starts both builds anew, in an order that changes from pair to pair, each on a database of its own and with
the bench tools of its own tree: a process that was started again may be 7 % faster or slower for as long as it lives,
by where its memory came to lie. Within a pair both take turns of a second of load: other work of the machine changes over
minutes, so it hits both, and the median of the turns counts. A figure is all CPU that a job costs here:
Postgres, the control plane, and the agents where there are some; the tool that submits is left out. Printed is the
median of the pairs' ratios with its interval: from N pairs the k-th smallest and k-th largest ratio that hold the true
median with a probability of at least 95 % (of 7 pairs the smallest and the largest).
"""
import contextlib
import itertools
import math
import statistics
from functools import partial

from live import Live, until

TURNS, TURN_S = 3, 1


@contextlib.contextmanager
def engine_cpu(verb, run, _):
    def turn():
        line = run.on_fresh("engine_bench", verb)
        return line["pg_cpu_us"] + line["own_cpu_us"]
    yield turn


def spent(before, after, jobs):
    return sum(after[key] - before[key] for key in after) * 1e6 / jobs


@contextlib.contextmanager
def submit_cpu(case, args, run, base):
    with run.pg.database(base) as conninfo, Live(run, conninfo) as live:
        def turn():
            before = live.cpu()
            line = live.load(case, *args, seconds=TURN_S, warm=0)
            return spent(before, live.cpu(), line["jobs"])
        turn()
        yield turn


@contextlib.contextmanager
def life_cpu(run, base):
    with run.pg.database(base) as conninfo, Live(run, conninfo) as live:
        def turn():
            before, ended = live.cpu(), live.figure("ended")
            live.load("life", f"--figures={live.figures_path}", seconds=TURN_S, warm=0)
            until("no job is left", lambda: live.figure("live") == 0, 60)
            return spent(before, live.cpu(), live.figure("ended") - ended)
        live.agents(10)
        turn()
        yield turn


@contextlib.contextmanager
def start_cpu(run, base):
    probes, names = 100 if run.is_quick else 500, itertools.count()
    with run.pg.database(base) as conninfo, Live(run, conninfo) as live:
        def turn():
            before = live.cpu()
            live.finish(live.begin("agents_bench", f"--hub=127.0.0.1:{live.ports['tunnel']}", f"--probe={probes}",
                                   "--seconds=200", f"--name=idle{next(names)}", f"--figures={live.figures_path}.idle"), 220)
            return spent(before, live.cpu(), probes)
        turn()
        yield turn


CASES = {"S-B1": partial(engine_cpu, "submit"), "S-B4": partial(engine_cpu, "life"), "B2": partial(submit_cpu, "single", ()),
         "B4": life_cpu, "B9": start_cpu, "B1": partial(submit_cpu, "batch", ()),
         "B1.distinct": partial(submit_cpu, "batch", ("--distinct=1",))}


def interval(ratios):
    """The order statistics around the median that hold it with at least 95 %."""
    ratios, n = sorted(ratios), len(ratios)
    k, outside = 0, 2 * math.comb(n, 0) / 2**n
    while k + 1 < n // 2 and outside + 2 * math.comb(n, k + 1) / 2**n <= 0.05:
        k += 1
        outside += 2 * math.comb(n, k) / 2**n
    return ratios[k], ratios[n - 1 - k]


def pair(case, runs):
    """A figure of each run."""
    with contextlib.ExitStack() as stack:
        turns = [stack.enter_context(case(run, f"bench_{i}")) for i, run in enumerate(runs)]
        figures = [[turn() for turn in turns] for _ in range(TURNS)]
    return [statistics.median(column) for column in zip(*figures)]


def pairs(ours, theirs, name, count, say):
    """Runs the pairs of one benchmark; its line as a dict."""
    mine, other = [], []
    for i in range(count):
        if i % 2:
            own, its = pair(CASES[name], [ours, theirs])
        else:
            its, own = pair(CASES[name], [theirs, ours])
        mine.append(own)
        other.append(its)
        say(f"  {name} pair {i + 1}: {own:.2f} us against {its:.2f} us, {own / its:.3f}")
    ratios = [a / b for a, b in zip(mine, other)]
    low, high = interval(ratios)
    return {"id": f"{name}.against", "value": statistics.median(mine), "unit": "us CPU/job",
            "other": statistics.median(other), "ratio": statistics.median(ratios), "interval": [low, high],
            "pairs": count, "values": mine, "others": other}
