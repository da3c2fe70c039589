"""Measures how well the search (lab explore) finds the races of Fixtures/races, and writes a table.

Of each program: how often it fails when it is simply repeated in real time; how many runs and seconds the search takes
to its first failure, the median of several first seeds; how often the seed that was found fails again; what the failure
takes; and how often the corrected twin fails. Adds to what a folder has already, so that a table can be measured in
parts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from bluetooth_lab.explore.delays import Made
from bluetooth_lab.explore.reduction import Reduction
from bluetooth_lab.explore.runs import Run, Runner
from bluetooth_lab.explore.variation import ALL, Variation
from bluetooth_lab.messages import EXIT_LAB_FAILED, say
from bluetooth_lab.places import LAB_BUILDS, ROOT, SETUP, lab_home

FOLDER = ROOT / "Fixtures" / "races"
RACY, FIXED = "racy", "fixed"
SIMPLY = Variation.parse("none")
WITH_ALL = Variation.parse(ALL)
LIMIT = 120  # seconds by the lab's clock, of one run
MAXIMUM_RUNS = 200  # of one search
MAXIMUM_LAB_FAILURES = 10  # of one search: the lab does not work
BETWEEN_STARTS = 10_000  # seeds
SWIFT_BESIDE_SENSOR = """\
dittojay --quiet --profile Fixtures/races/sensor.yaml >/dev/null & "$@"; status=$?; kill $!; wait; exit $status"""


class Race(NamedTuple):
    """`command`: without the word that chooses the racy or the corrected program; `build`: what makes it."""

    name: str
    command: Sequence[str]
    words: Sequence[str] = ()
    build: Sequence[str] = ()


def races() -> dict[str, Race]:
    found = [python_race(file) for file in sorted(FOLDER.glob("*.py")) if file.stem != "racing"]
    found += [c_race(file) for file in sorted(FOLDER.glob("*.c"))]
    found += [swift_race(file.parent.name) for file in sorted(FOLDER.glob("*/main.swift"))]
    return {race.name: race for race in found}


def python_race(file: Path) -> Race:
    words = ["--controllers", "3"] if file.stem == "two_centrals" else []
    return Race(file.stem, ["bash", "-c", 'exec "$LAB_PYTHON" "$@"', "race", str(file)], words)


def c_race(file: Path) -> Race:
    program = lab_home(os.environ) / "races" / file.stem
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], capture_output=True, text=True, check=True)
    return Race(file.stem, [str(program)], (), ["cc", "-o", str(program), str(file), *flags.stdout.split()])


def swift_race(name: str) -> Race:
    program = f"race-{name}"
    build = [str(SETUP / "build-package"), program, "--package-path", str(ROOT / "Fixtures"), "--product", program]
    return Race(name, ["bash", "-c", SWIFT_BESIDE_SENSOR, "race", str(LAB_BUILDS / "debug" / program)], (), build)


class InRealTime(Runner):
    """Plain repetition: nothing is simulated, and no seed chosen."""

    def line(self, seed: int, variation: Variation) -> list[str]:
        return ["run", *self.words, "--time", "real", "--", "timeout", str(self.limit), *self.command]

    def status(self, ended: int, _out: Path) -> int | None:
        """None is noted in the folder of such a run."""
        return None if ended < 0 or ended == EXIT_LAB_FAILED else ended


class Results:
    """The measurements of all programs, in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "races.json"
        self.values: dict[str, dict[str, Any]] = {}
        with contextlib.suppress(FileNotFoundError):
            self.values = json.loads(self.file.read_text())

    def of(self, race: Race) -> dict[str, Any]:
        return self.values.setdefault(race.name, {})

    def write(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(self.values, indent=1) + "\n")
        (self.folder / "races.md").write_text(table(self.values))


class Measurement:
    """Of one race."""

    def __init__(self, race: Race, options: argparse.Namespace, results: Results) -> None:
        self.race, self.options, self.results = race, options, results
        self.values = results.of(race)

    def run(self) -> None:
        if self.race.build:
            (lab_home(os.environ) / "races").mkdir(parents=True, exist_ok=True)
            subprocess.run(self.race.build, env={**os.environ, "LAB_HOME": str(lab_home(os.environ))}, check=True)
        options = self.options
        self.tally("plain", InRealTime, RACY, SIMPLY, options.plain)
        for _ in range(options.starts):
            self.search()
        found = next((search for search in self.values.get("searches", []) if search["seed"] is not None), None)
        if found:
            self.tally("repeated", Runner, RACY, WITH_ALL, options.repeats, found["seed"])
            if options.reduces and "reduction" not in self.values:
                self.reduce(found["seed"])
        self.tally("twin", Runner, FIXED, WITH_ALL, options.twin)

    def runner(self, kind: type[Runner], twin: str) -> Runner:
        # Apart from a program of that name.
        folder = self.results.folder / "runs" / self.race.name
        return kind(self.race.words, [*self.race.command, twin], LIMIT, self.options.jobs, folder, os.environ)

    def tally(
        self, name: str, kind: type[Runner], twin: str, variation: Variation, runs: int, seed: int | None = None
    ) -> None:
        """Adds so many runs: with the seed, or with those that follow the last ones."""
        counts = self.values.setdefault(name, {"runs": 0, "failed": 0, "not made": 0, "seeds": []})
        first = counts["runs"] + counts["not made"] + 1
        seeds = range(first, first + runs) if seed is None else [seed] * runs
        runner = self.runner(kind, twin)

        def take(run: Run) -> bool:
            counts["not made" if run.status is None else "runs"] += 1
            if run.has_failed:
                counts["failed"] += 1
                if seed is None:
                    counts["seeds"].append(run.seed)
            self.keep(run, is_wanted=twin == FIXED)
            return False

        runner.run_all(((one, variation) for one in seeds), take)
        if runs:
            say(f"{self.race.name}, {name}: {counts['failed']} of {counts['runs']} runs failed")

    def search(self) -> None:
        searches = self.values.setdefault("searches", [])
        first = 1 + BETWEEN_STARTS * len(searches)
        runner = self.runner(Runner, RACY)
        ended = lab_failures = 0
        failed: list[int] = []
        begin = time.monotonic()

        def take(run: Run) -> bool:
            nonlocal ended, lab_failures
            ended += run.status is not None
            lab_failures += run.status is None
            if run.has_failed:
                failed.append(run.seed)
            self.keep(run)
            return run.has_failed or ended >= self.options.limit or lab_failures > MAXIMUM_LAB_FAILURES

        runner.run_all(((seed, WITH_ALL) for seed in count(first)), take)
        seconds = time.monotonic() - begin
        found = min(failed, default=None)
        searches.append({"first": first, "runs": ended, "seconds": round(seconds), "seed": found})
        self.results.write()
        say(f"{self.race.name}: seed {found} after {ended} runs in {seconds:.0f} s")

    def reduce(self, seed: int) -> None:
        runner = self.runner(Runner, RACY)
        run = runner.first([(seed, WITH_ALL)])
        if run is None:
            return
        reduction = Reduction(runner, run, say)
        reduction.reduce()
        smallest = reduction.run
        self.values["reduction"] = {
            "variation": str(smallest.variation),
            "kinds": sorted(smallest.variation.kinds),
            "delays": [description(made) for made in reduction.remaining()],
        }
        self.results.write()

    def keep(self, run: Run, is_wanted: bool = False) -> None:
        """What a run has left, if it is wanted and the run failed; all that was measured."""
        if not (is_wanted and run.has_failed):
            shutil.rmtree(run.out, ignore_errors=True)
        self.results.write()


def description(made: Made) -> dict[str, Any]:
    return {"program": made.program, "call": made.call, "milliseconds": made.delay.length / 1000}


def table(values: dict[str, dict[str, Any]]) -> str:
    head = ["program", "plain repetition", "search, runs", "search, seconds", "repeated", "what it takes", "twin"]
    rows = [head, ["---"] * len(head), *(row(name, values[name]) for name in sorted(values))]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(name: str, values: dict[str, Any]) -> list[str]:
    searches = values.get("searches", [])
    return [
        f"`{name}`",
        tallied(values.get("plain")),
        *(median([search[key] for search in searches], searches) for key in ("runs", "seconds")),
        tallied(values.get("repeated")),
        reduced(values.get("reduction")),
        tallied(values.get("twin")),
    ]


def tallied(counts: dict[str, Any] | None) -> str:
    return f"{counts['failed']} of {counts['runs']}" if counts and counts["runs"] else "–"


def median(numbers: Sequence[int], searches: Sequence[dict[str, Any]]) -> str:
    if not numbers:
        return "–"
    missed = sum(search["seed"] is None for search in searches)
    text = f"{statistics.median(numbers):.0f} ({', '.join(map(str, sorted(numbers)))})"
    return f"{text}; {missed} of {len(searches)} found none" if missed else text


def reduced(reduction: dict[str, Any] | None) -> str:
    if reduction is None:
        return "–"
    programs = Counter(delay["program"] for delay in reduction["delays"])
    parts = [f"{number} delay{'s' if number > 1 else ''} of {program}" for program, number in programs.items()]
    return ", ".join([*reduction["kinds"], *parts]) or "nothing"


def parse(words: Sequence[str]) -> argparse.Namespace:
    known = races()
    parser = argparse.ArgumentParser(prog="scripts/races", description=__doc__.replace("\n", " "))
    parser.add_argument("races", nargs="*", metavar="RACE", help=f"those to measure (default: all): {', '.join(known)}")
    for name, default, text in (
        ("plain", 200, "runs in real time"),
        ("starts", 5, "searches, each from another seed"),
        ("repeats", 20, "runs of the first seed that was found"),
        ("twin", 1000, "runs of the corrected twin"),
        ("limit", MAXIMUM_RUNS, "the most runs of a search"),
        ("jobs", os.cpu_count() or 1, "runs at a time"),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{text} (default: {default})")
    parser.add_argument(
        "--no-reduction", dest="reduces", action="store_false", help="do not make what was found smaller"
    )
    out = ROOT / ".lab" / "races"
    parser.add_argument("--out", type=Path, default=out, metavar="FOLDER", help="for races.md and races.json")
    options = parser.parse_args(words)
    unknown = [name for name in options.races if name not in known]
    if unknown:
        parser.error(f"unknown race {unknown[0]}; valid: {', '.join(known)}")
    options.races = [known[name] for name in options.races or known]
    return options


def main(words: list[str]) -> int:
    """1 if a twin failed, a search found nothing, what it found did not fail again, or the lab failed."""
    options = parse(words)
    os.chdir(ROOT)
    results = Results(options.out.absolute())
    for race in options.races:
        Measurement(race, options, results).run()
    print(table(results.values), end="")
    sys.stdout.flush()
    return int(any(is_disproved(results.of(race)) for race in options.races))


def is_disproved(values: dict[str, Any]) -> bool:
    tallies = [values[name] for name in ("plain", "repeated", "twin") if name in values]
    repeated = values.get("repeated", {"runs": 0, "failed": 0})
    return bool(
        values["twin"]["failed"]
        or repeated["failed"] < repeated["runs"]
        or any(search["seed"] is None for search in values.get("searches", []))
        or any(tally["not made"] > tally["runs"] for tally in tallies)
    )
