"""The campaign's judgement of a broken gang: the right end passes, and each wrong one is found."""
import copy
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "campaign"))

import fleet  # noqa: E402
from fleet import shows  # noqa: E402
from judge import judge_first_cause  # noqa: E402
from load import Job  # noqa: E402

RANK, CODE = 2, 41
LOST = {"reason": "ReplicaLost", "firstReplica": 1, "exitCode": 0}
FAILED = {"reason": "ReplicaFailed", "firstReplica": RANK, "exitCode": CODE}
SPENT = {**FAILED, "reason": "RetriesSpent"}


def told(kind, attempt, cause):
    return {"type": kind, "element": 0, "attempt": attempt, **cause}


class Told:
    """A gang whose first attempt was lost, and whose third one was its last."""

    def __init__(self):
        self.job = Job(1, "broken", {"replicas": 3, "retry": 1})
        self.job.first = RANK, CODE
        self.job.state = {"firstReplica": RANK, "exitCode": CODE}
        self.rows = [{"element": 0, "attempt": n, **cause} for n, cause in ((1, LOST), (2, FAILED), (3, SPENT))]
        self.events = [told("attempt.stopping", 1, LOST), told("attempt.ended", 1, LOST), told("attempt.stopping", 2, FAILED), told("attempt.ended", 2, FAILED),
                       told("attempt.stopping", 3, FAILED), told("element.ended", 3, SPENT)]


def verdict(change):
    one = copy.deepcopy(Told())
    change(one)
    try:
        judge_first_cause(one.job, one.rows, one.events)
    except AssertionError as error:
        return str(error)
    return None


WRONG = {
    "an attempt's exit code is that of a rank that was stopped": lambda one: one.rows[1].update(exitCode=143),
    "an attempt's first rank is one that was stopped": lambda one: one.rows[2].update(firstReplica=0),
    "the job's exit code is another": lambda one: one.job.state.update(exitCode=143),
    "the job's first rank is another": lambda one: one.job.state.update(firstReplica=0),
    "the gang ended for a cause that is not charged": lambda one: one.rows[2].update(LOST),
    "the end has another cause than its STOP": lambda one: one.events[2].update(exitCode=143),
    "a lost attempt's STOP named a failed rank": lambda one: one.events[0].update(FAILED),
    "the element's end names another rank": lambda one: one.events[5].update(firstReplica=1),
}


def main():
    with shows("a gang that ended by the rank that failed passes"):
        fleet.equal(verdict(lambda one: None), None)
    for what, change in WRONG.items():
        with shows(f"it is found: {what}"):
            assert verdict(change), "it passed"
    fleet.finish()


main()
