"""The tests of a Python project, by pytest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bluetooth_lab.messages import say
from bluetooth_lab.testing.choice import Choice
from bluetooth_lab.testing.runner import Runner, run_tests

PLUGIN = Path(__file__).parent / "pytest_plugin"
# In the lab, the folder for the output may be another one than here. What is kept is in $LAB_OUT.
IN_GUEST = ["bash", "-c", 'exec "$1" -m pytest --junit-xml "$LAB_OUT/junit.xml" "${@:2}"', "pytest"]
NO_TESTS = 5  # pytest's exit status


def with_plugin(environment: Mapping[str, str], **more: str) -> dict[str, str]:
    """The environment in which pytest finds the plugin."""
    path = os.pathsep.join(part for part in (str(PLUGIN), environment.get("PYTHONPATH", "")) if part)
    return {"PYTHONPATH": path, **more}


def list_nodes(
    python: str | Path, folder: Path, words: Sequence[str], environment: Mapping[str, str], records: Path
) -> list[str]:
    """The node identifiers of the tests that match. Ends this process if pytest cannot collect them."""
    listed = records / "nodes.json"
    listed.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", "-p", "lab_choice", "-q", "--collect-only", *words]
    more = with_plugin(environment, LAB_TESTS_LIST=str(listed), PYTHONDONTWRITEBYTECODE="1")
    collected = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**environment, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    if collected.returncode not in (0, NO_TESTS) or (collected.returncode == 0 and not listed.exists()):
        sys.stderr.write(collected.stdout + collected.stderr)
        say(f"pytest cannot collect the tests of {folder}")
        sys.exit(1)
    nodes = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else []
    return [str(node) for node in nodes]


class PythonTests:
    """Of one project. `part`: what its results are called. `out`: the folder for the lab's output."""

    def __init__(self, part: str, python: str | Path, folder: Path, words: Sequence[str], out: Path) -> None:
        self.part, self.python, self.folder, self.words, self.out = part, python, folder, words, out

    def nodes(self, environment: Mapping[str, str], records: Path) -> list[str]:
        return list_nodes(self.python, self.folder, self.words, environment, records)

    def arguments(self, choice: Choice | None) -> tuple[list[str], dict[str, str]]:
        """pytest's for the chosen tests, and what it needs in the environment for that."""
        words = ["-p", "no:cacheprovider"]
        if choice is None or choice.shard is None:
            return [*words, *self.words], {}
        mine = choice.names(self.part)
        others = [test.name for test in choice.every if test.part == self.part and test.name not in set(mine)]
        self.out.mkdir(parents=True, exist_ok=True)
        chosen = self.out / "chosen.json"  # where the lab can read it
        content = {"mine": mine, "others": others, "is_first": choice.shard.index == 1}
        chosen.write_text(json.dumps(content), encoding="utf-8")
        return [*words, "-p", "lab_choice", *self.words], {"LAB_TESTS_CHOSEN": str(chosen)}

    def run_in_lab(
        self, runner: Runner, options: Sequence[str], choice: Choice | None, folder: Path | None = None
    ) -> None:
        """In the current folder unless one is given."""
        words, chosen = self.arguments(choice)
        more = with_plugin(runner.environment, **chosen) if chosen else {}
        command = run_tests("pytest", "--", *runner.limit(), *IN_GUEST, self.python, *words)
        runner.repeat_in_lab(
            self.out,
            [(self.part, "junit.xml")],
            lambda batch: runner.run_in_lab(
                [*options, "--out", str(self.out)], batch.in_guest(command), folder=folder, **more
            ),
        )

    def run_here(self, runner: Runner, record: Path, choice: Choice | None) -> None:
        words, chosen = self.arguments(choice)
        more = with_plugin(runner.environment, **chosen) if chosen else {}

        def run(file: Path) -> int:
            command = [self.python, "-m", "pytest", "-q", "--junit-xml", file, *words]
            return runner.run(command, self.folder, **more)

        runner.repeat(self.part, run, record)


def find_python(project: Path, home: Path) -> str | None:
    """One with pytest: the active environment's, the project's, the system's, the lab's."""
    active = os.environ.get("VIRTUAL_ENV", "/nowhere")
    for candidate in (f"{active}/bin/python", f"{project}/.venv/bin/python", "python3", f"{home}/venv/bin/python"):
        try:
            found = subprocess.run([candidate, "-c", "import pytest"], capture_output=True, check=False).returncode == 0
        except OSError:
            continue
        if found:
            return candidate
    return None
