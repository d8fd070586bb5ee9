"""CPU of a job, this build against another one, in pairs: bench/run --against FOLDER [--pairs N] ID...

Each pair runs both builds right after each other, in an order that changes from pair to pair, each on a fresh
database and with the bench tools of its own tree.  A figure is all CPU that a job costs here: Postgres, the control
plane, and the agents where there are some; the tool that submits is left out.  Printed is the median of the pairs'
ratios with its interval: from N pairs the k-th smallest and k-th largest ratio that hold the true median with a
probability of at least 95 % (of 7 pairs the smallest and the largest).
"""
import math
import statistics

from live import Live


def engine_cpu(verb):
    def once(run):
        line = run.on_fresh("engine_bench", verb)
        return line["pg_cpu_us"] + line["own_cpu_us"]
    return once


def spent(before, after, jobs):
    return sum(after[key] - before[key] for key in after) * 1e6 / jobs


def single_cpu(run):
    seconds = 3 if run.is_quick else 5
    with run.pg.database() as conninfo, Live(run, conninfo) as live:
        live.load("single", seconds=1, warm=0)
        before = live.cpu()
        line = live.load("single", seconds=seconds, warm=0)
        return spent(before, live.cpu(), line["jobs"])


def batch_cpu(*more):
    def once(run):
        seconds = 3 if run.is_quick else 5
        with run.pg.database() as conninfo, Live(run, conninfo) as live:
            live.load("batch", *more, seconds=1, warm=0)
            before = live.cpu()
            line = live.load("batch", *more, seconds=seconds, warm=0)
            return spent(before, live.cpu(), line["jobs"])
    return once


def life_cpu(run):
    seconds = 3 if run.is_quick else 8
    with run.pg.database() as conninfo, Live(run, conninfo) as live:
        live.agents(10)
        live.load("life", f"--figures={live.figures_path}", seconds=2)
        before, ended = live.cpu(), live.figure("ended")
        live.load("life", f"--figures={live.figures_path}", seconds=seconds, warm=0)
        return spent(before, live.cpu(), live.figure("ended") - ended)


def start_cpu(run):
    probes = 300 if run.is_quick else 1000
    with run.pg.database() as conninfo, Live(run, conninfo) as live:
        before = live.cpu()
        live.finish(live.begin("agents_bench", f"--hub=127.0.0.1:{live.ports['tunnel']}", f"--probe={probes}",
                               "--seconds=200", "--name=idle", f"--figures={live.figures_path}.idle"), 220)
        return spent(before, live.cpu(), probes)


CASES = {"S-B1": engine_cpu("submit"), "S-B4": engine_cpu("life"), "B2": single_cpu, "B4": life_cpu, "B9": start_cpu,
         "B1": batch_cpu(), "B1.distinct": batch_cpu("--distinct=1")}


def interval(ratios):
    """The order statistics around the median that hold it with at least 95 %."""
    ratios, n = sorted(ratios), len(ratios)
    k, outside = 0, 2 * math.comb(n, 0) / 2**n
    while k + 1 < n // 2 and outside + 2 * math.comb(n, k + 1) / 2**n <= 0.05:
        k += 1
        outside += 2 * math.comb(n, k) / 2**n
    return ratios[k], ratios[n - 1 - k]


def pairs(ours, theirs, name, count, say):
    """Runs the pairs of one benchmark; its line as a dict."""
    mine, other = [], []
    for i in range(count):
        for run, figures in ((ours, mine), (theirs, other)) if i % 2 else ((theirs, other), (ours, mine)):
            figures.append(CASES[name](run))
        say(f"  {name} pair {i + 1}: {mine[-1]:.2f} us against {other[-1]:.2f} us, {mine[-1] / other[-1]:.3f}")
    ratios = [a / b for a, b in zip(mine, other)]
    low, high = interval(ratios)
    return {"id": f"{name}.against", "value": statistics.median(mine), "unit": "us CPU/job",
            "other": statistics.median(other), "ratio": statistics.median(ratios), "interval": [low, high],
            "pairs": count, "values": mine, "others": other}
