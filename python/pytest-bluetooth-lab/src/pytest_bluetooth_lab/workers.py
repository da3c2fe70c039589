"""`pytest --bluetooth-lab -n N`: the session stays here, and each worker of pytest-xdist has a machine of its own.

xdist talks to a worker over its standard input and output, which the lab passes through."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from . import launch


def are_wanted(config: pytest.Config) -> bool:
    """Whether xdist is to run the tests in processes of their own."""
    if config.getoption("usepdb", default=False):
        return False
    has_several = config.getoption("dist", default="no") != "no" and config.getoption("tx", default=None)
    return bool(config.getoption("numprocesses", default=None) or has_several)


class Workers:
    """The machines of a session, each with a folder for its output."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._script = launch.find_lab(config.getoption("bluetooth_lab_path"))
        chosen = config.getoption("bluetooth_lab_out")
        self._is_chosen = bool(chosen)
        self.out = config.invocation_params.dir / chosen if chosen else Path(tempfile.mkdtemp(prefix="bluetooth-lab-"))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Sequence[Any]) -> None:
        """The workers' interpreter is one in a machine. Those that are not on this computer stay as they are."""
        for spec in specs:
            if spec.popen:
                python = shlex.split(spec.python) if spec.python else [sys.executable]
                spec.python = shlex.join([*self._words(self.out / spec.id), "--", *python])

    def _words(self, out: Path) -> list[str]:
        values = {name: value for name, value in launch.environment().items() if os.environ.get(name) != value}
        # A lab that is up would be the machine of whichever worker comes first.
        words = [*launch.lab_words(self._config, self._script, out), "--fresh"]
        return ["env", "-u", "BLUETOOTH_LAB", *(f"{name}={value}" for name, value in values.items()), *words]

    def pytest_report_header(self) -> str:
        return f"bluetooth lab: a machine for each worker, with its output in {self.out}"

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """What has nothing of interest in it is removed, as after a session without workers."""
        kept = (entry for name in ("failures", "passed", "crashes") for entry in self.out.glob(f"*/{name}"))
        if not self._is_chosen and not any(kept):
            shutil.rmtree(self.out, ignore_errors=True)
