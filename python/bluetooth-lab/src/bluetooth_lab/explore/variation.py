"""What differs between runs with different seeds, by kinds that can be switched off.

programs    a thread is held up before a system call, as when others have the processor or a container has used up its
            share: at most 100 ms, the period of such shares (cpu.max, CFS bandwidth control), and half of the time that
            passes meanwhile; so another process runs next. Never the radio, whose controllers are no processes
bluetoothd  the same of bluetoothd, and so its answers
bus         the same of dbus-daemon, and so all messages
costs       how long each system call takes: half to twice of 20 us
radio       the radio's chance: advertising delays as the specification has them, and with --air real strengths and
            losses
numbers     random numbers and addresses in memory, and so the order in hash tables

The first three together are `delays`. The kernel of user-mode Linux makes these and the costs
(setup/uml/variation.patch).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

DELAYED = ("programs", "bluetoothd", "bus")
KINDS = (*DELAYED, "costs", "radio", "numbers")
ALL, NONE, DELAYS, ONLY = "all", "none", "delays", "only="
DEFAULT_VARIATION = "radio,numbers"
FIXED_SEED = 1  # of what does not vary
MAXIMUM_SEED = 10**18 - 1
# Of a million system calls by which a process can learn of others, or they of it, so many are delayed (of others a
# thirtieth; of some processes none, and of some ten times as many), by at most so many microseconds: each seed has one
# of each, because some mistakes need many short delays, and others a single long one.
RATES = (1_000, 3_000, 10_000, 30_000)
LONGEST = (5_000, 100_000)
LONGEST_LINE = 3000  # of a parameter
MAXIMUM_CHUNKS = 14
MAXIMUM_DELAYS = 2048  # that the kernel keeps (setup/uml/variation.patch)
LENGTH = 60_000  # of the parameters, for guest/agent


class Delay(NamedTuple):
    """Before the system call with that number of the process; in microseconds. `host`: one of several."""

    process: int
    call: int
    length: int
    host: str = ""

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it is, whatever its length."""
        return self.host, self.process, self.call

    @property
    def text(self) -> str:
        """As the kernel of the host takes it."""
        return f"{self.process}:{self.call}:{self.length}"

    def __str__(self) -> str:
        return f"{self.host}:{self.text}" if self.host else self.text

    @classmethod
    def parse(cls, text: str) -> Delay:
        """Raises ValueError if it is not PROCESS:CALL:MICROSECONDS, with HOST: before it for one of several."""
        host, _, rest = text.partition(":") if text[:1].isalpha() else ("", "", text)
        process, call, length = (int(part) for part in rest.split(":"))
        if min(process, call, length) < 0 or len(host) > 1:
            raise ValueError("negative, or no such host")
        return cls(process, call, length, host)


class Variation(NamedTuple):
    """`kinds` vary with the seed, the others do not. `only`: just these delays, instead of the seed's."""

    kinds: frozenset[str]
    only: Sequence[Delay] | None = None

    @classmethod
    def parse(cls, text: str) -> Variation:
        """Raises ValueError with what is expected."""
        kinds: set[str] = set()
        delays: list[Delay] = []
        words = text.split(",") if text else [""]
        for word in words:
            if word == ALL:
                kinds.update(KINDS)
            elif word == DELAYS:
                kinds.update(DELAYED)
            elif word in KINDS:
                kinds.add(word)
            elif word.startswith(ONLY) or delays:
                try:
                    delays.append(Delay.parse(word.removeprefix(ONLY)))
                except ValueError:
                    raise ValueError("only=[HOST:]PROCESS:CALL:MICROSECONDS,…, last") from None
            elif word != NONE or len(words) > 1:
                raise ValueError(f"{ALL}, {NONE}, or some of {DELAYS}, {', '.join(KINDS)}")
        if len(delays) > MAXIMUM_DELAYS:
            raise ValueError(f"at most {MAXIMUM_DELAYS} delays")
        return cls(frozenset(kinds.difference(DELAYED) if delays else kinds), delays or None)

    def __str__(self) -> str:
        words = [kind for kind in KINDS if kind in self.kinds]
        if words[: len(DELAYED)] == list(DELAYED):
            words[: len(DELAYED)] = [DELAYS]
        words += [ONLY + ",".join(map(str, self.only))] if self.only else []
        return ALL if len(self.kinds) == len(KINDS) else ",".join(words) or NONE

    def without(self, kind: str) -> Variation:
        return self._replace(kinds=self.kinds - {kind})

    def without_delays(self) -> Variation:
        return self._replace(kinds=self.kinds.difference(DELAYED), only=None)

    @property
    def has_delays(self) -> bool:
        """Those of the seed."""
        return not self.kinds.isdisjoint(DELAYED)

    def seed_of(self, kind: str, seed: int) -> int:
        return seed if kind in self.kinds else FIXED_SEED

    def parameters(self, seed: int, host: str = "") -> str:
        """The parameters of the machine's kernel when the command begins: a name and a value on each line. `host`: one
        of several.

        Texts of different variations differ in nothing that takes the guest longer. Raises ValueError if there are too
        many delays."""
        rate = RATES[seed % len(RATES)] if self.has_delays and not self.only else 0
        whose = sum(1 << index for index, kind in enumerate(DELAYED) if kind in self.kinds)
        longest = max(LONGEST) if self.only else LONGEST[seed // len(RATES) % len(LONGEST)]
        own = [delay.text for delay in self.only or () if delay.host == host]
        parts = chunks(own)
        if len(parts) > MAXIMUM_CHUNKS or len(own) > MAXIMUM_DELAYS:
            raise ValueError(f"too many delays: {len(own)} (limit {MAXIMUM_DELAYS})")
        lines = [
            f"seed {seed_of_host(seed, host)}",
            f"delays {rate}",
            f"whose {whose}",
            f"longest {longest}",
            f"costs {int('costs' in self.kinds)}",
            *(f"only {part or '-'}" for part in [*parts, *[""] * (MAXIMUM_CHUNKS - len(parts))]),
            "on 1",
        ]
        return "\n".join(lines).ljust(LENGTH, "\n")


def seed_of_host(seed: int, host: str) -> int:
    """Of one of several hosts, a, b, …: two machines do not have the same random numbers."""
    return seed + (MAXIMUM_SEED + 1) * (ord(host) - ord("a") if host else 0)


def chunks(words: Iterable[str]) -> list[str]:
    """Joined by commas, none of them longer than what the kernel takes at once."""
    parts = [""]
    for word in words:
        if len(parts[-1]) + len(word) > LONGEST_LINE:
            parts.append("")
        parts[-1] += f",{word}" if parts[-1] else word
    return parts


def new_seed() -> str:
    return str(random.randrange(1, 10**9))


def checked(text: str) -> str:
    """Of an option. Raises ValueError with what is expected."""
    Variation.parse(text)
    return text
