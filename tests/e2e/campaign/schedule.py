"""The faults of a run, in order, drawn from the seed: no clock and no outcome changes what comes next."""
import random

CLUSTERS = ("east", "west", "edge")
DAY_S = 86400
# How many of each kind lie in a deck.  A deck is shuffled and dealt to its last card before the next one begins.
DECK = {"kill hub": 4, "kill agent": 5, "kill supervisor": 6, "crash postgres": 1, "kill backend": 2, "stop hub": 2, "stop agent": 3, "stop supervisor": 2,
        "cut tunnels": 3, "freeze tunnel": 2, "short hub": 2, "short agent": 2, "flip a bit": 2, "step hub": 3, "step agent": 3, "step postgres": 3, "second hub": 1}


class Fault:
    def __init__(self, number, kind, rng):
        self.number, self.kind = number, kind
        self.pause_s = rng.uniform(0.2, 2.5)  # before it
        self.cluster = rng.choice(CLUSTERS)
        self.seconds = rng.uniform(0.2, 6)
        self.share = rng.random()  # which of many: supervisors, files, bytes
        self.second_share = rng.random()
        self.step_s = rng.choice((-DAY_S, -600, 0, 600, DAY_S))
        self.spare = rng.randrange(4)  # descriptors

    def __str__(self):
        return (f"{self.number}: {self.kind} cluster={self.cluster} seconds={self.seconds:.1f} share={self.share:.3f} second_share={self.second_share:.3f} "
                f"step_s={self.step_s} spare={self.spare}")


def faults(seed):
    """Without an end."""
    rng = random.Random(f"{seed} faults")
    number = 0
    while True:
        deck = [kind for kind, times in DECK.items() for _ in range(times)]
        rng.shuffle(deck)
        for kind in deck:
            number += 1
            yield Fault(number, kind, rng)
