"""Makes a run that failed smaller: what need not vary is switched off, and of the delays those stay that it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from bluetooth_lab.explore.delays import Made
from bluetooth_lab.explore.runs import Run, Runner
from bluetooth_lab.explore.variation import KINDS, LONGEST, MAXIMUM_DELAYS, Delay, Variation

Item = TypeVar("Item")
MAXIMUM_RUNS = 150
MAXIMUM_PARTS = 8  # of the delays, for fewer and longer ones
SHORTEST = 100  # microseconds: shorter delays say no more


class Reduction:
    """Of one run. `say` gets a line for people about each step that has brought something. `run`: the smallest one
    that fails in the same way, so far."""

    def __init__(self, runner: Runner, run: Run, say: Callable[[str], None]) -> None:
        self.runner, self.run, self.say = runner, run, say
        self.left = MAXIMUM_RUNS
        self.is_done = False  # all was tried

    def reduce(self) -> None:
        self.leave_out_kinds()
        if self.run.variation.has_delays:
            self.reduce_delays()
            self.leave_out_kinds()  # which moved the many delays elsewhere, but not the few
        self.is_done = self.left > 0
        if not self.is_done:
            self.say(f"the limit of {MAXIMUM_RUNS} runs is reached")

    def remaining(self) -> list[Made]:
        """The delays of the run, if they are all that varies in time."""
        return self.run.delays if self.run.variation.only else []

    # Steps

    def leave_out_kinds(self) -> None:
        for kind in KINDS:
            if kind in self.run.variation.kinds:
                self.try_one(self.run.variation.without(kind), f"without {kind} it still fails")

    def try_one(self, variation: Variation, text: str) -> bool:
        found = self.first_failing([variation])
        if found is not None:
            self.say(text)
        return found is not None

    def first_failing(self, variations: Sequence[Variation]) -> int | None:
        """Which of them fails; that becomes the run."""
        wanted = variations[: self.left]
        found = self.runner.first([(self.run.seed, variation) for variation in wanted], like=self.run)
        if found is None:
            self.left -= len(wanted)
            return None
        self.run = found
        place = [str(variation) for variation in wanted].index(str(found.variation))
        self.left -= place + 1
        return place

    def reduce_delays(self) -> None:
        delays = [made.delay for made in self.run.delays]
        if len(delays) > MAXIMUM_DELAYS:
            self.say(f"it has too many delays to leave some out: {len(delays)} (limit {MAXIMUM_DELAYS})")
        if not 0 < len(delays) <= MAXIMUM_DELAYS:
            return
        variation = self.run.variation.without_delays()
        what = "delay" if len(delays) == 1 else f"{len(delays)} delays"
        if not self.try_one(variation._replace(only=delays), f"it fails with its {what} alone"):
            return

        def first_failing(parts: Sequence[Sequence[Delay]]) -> int | None:
            return self.first_failing([variation._replace(only=part) for part in parts])

        longer(delays, first_failing)
        delays = self.made(variation)
        smaller(delays, first_failing)
        delays = self.made(variation)
        self.say("a single delay is enough" if len(delays) == 1 else f"{len(delays) or 'no'} delays are enough")
        for index in range(len(delays)):
            delays = self.shorten(variation, delays, index)
        self.made(variation)

    def made(self, variation: Variation) -> list[Delay]:
        """The delays of the run that were made. Without the others it is the same."""
        delays = [made.delay for made in self.run.delays]
        self.run = self.run._replace(variation=variation._replace(only=delays))
        return delays

    def shorten(self, variation: Variation, delays: Sequence[Delay], index: int) -> list[Delay]:
        """By halves."""
        shortest = list(delays)
        while shortest[index].length // 2 >= SHORTEST:
            tried = list(shortest)
            tried[index] = tried[index]._replace(length=tried[index].length // 2)
            if self.first_failing([variation._replace(only=tried)]) is None:
                break
            shortest = tried
        return shortest


def longer(delays: Sequence[Delay], first_failing: Callable[[list[list[Delay]]], int | None]) -> list[Delay]:
    """Some of them, as much longer as there are fewer, within what a seed makes: often a single one does what many
    do together. `first_failing` says which of several lists fails, or None."""
    kept, parts = list(delays), 2
    length = sum(delay.length for delay in delays)
    while len(kept) > 1:
        candidates = [lengthened(part, length) for part in divided(kept, parts)]
        found = first_failing(candidates)
        if found is not None:
            kept, parts = candidates[found], 2
        elif parts < min(len(kept), MAXIMUM_PARTS):
            parts *= 2
        else:
            break
    return kept


def lengthened(delays: Sequence[Delay], length: int) -> list[Delay]:
    """So that they have that length together, if none has to exceed the longest of a seed."""
    own = sum(delay.length for delay in delays)
    return [delay._replace(length=min(delay.length * length // max(own, 1), max(LONGEST))) for delay in delays]


def divided(items: Sequence[Item], parts: int) -> list[list[Item]]:
    size = -(-len(items) // parts)
    return [list(items[start : start + size]) for start in range(0, len(items), size)]


def smaller(items: Sequence[Item], first_failing: Callable[[list[list[Item]]], int | None]) -> list[Item]:
    """The least of the items that still fail, of which none can be left out (Zeller, Hildebrandt: Simplifying and
    isolating failure-inducing input, 2002). `first_failing` says which of several lists fails, or None."""
    kept, parts = list(items), 2
    while len(kept) > 1:
        chunks = divided(kept, parts)
        others = [[item for chunk in chunks[:i] + chunks[i + 1 :] for item in chunk] for i in range(len(chunks))]
        candidates = chunks + (others if len(chunks) > 2 else [])
        found = first_failing(candidates)
        if found is None:
            if parts >= len(kept):
                break
            parts = min(len(kept), 2 * parts)
        else:
            is_chunk = found < len(chunks)
            kept, parts = candidates[found], 2 if is_chunk else max(parts - 1, 2)
    return kept
