"""What a session in the lab writes: its files go away with the machine, but for those in the lab's output folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

_REPORTS = {"xml": "coverage.xml", "html": "htmlcov", "json": "coverage.json", "lcov": "coverage.lcov"}
"""The reports of pytest-cov that are files, and coverage's own names for them."""


class Results:
    """The places of a session's results, inside and outside."""

    def __init__(self, config: pytest.Config, out: Path) -> None:
        self._config = config
        self._out = out
        self._here = config.invocation_params.dir
        self._folder = out / "pytest"
        self.arguments: list[str] = []
        """What the session in the lab gets in addition, so that it writes where it is kept."""
        self.environment: dict[str, str] = {}
        self.are_kept = False
        """Whether the output folder has the records of failed tests."""
        self._moves: list[tuple[Path, Path]] = []
        self._cache: Path | None = None
        self._coverage = self._here / os.environ.get("COVERAGE_FILE", ".coverage")

    def carry_in(self) -> None:
        """Prepares the folder and the arguments."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        junit = self._config.getoption("xmlpath", default=None)
        if junit:
            self._moves.append((self._folder / "junit.xml", self._here / os.path.expanduser(junit)))
            self.arguments.append(f"--junit-xml={self._folder / 'junit.xml'}")
        log = self._config.getoption("log_file", default=None)
        if log:
            self._moves.append((self._folder / "log.txt", self._here / log))
            self.arguments.append(f"--log-file={self._folder / 'log.txt'}")
        if self._config.pluginmanager.hasplugin("cacheprovider"):
            self._cache = self._config.rootpath / os.path.expandvars(self._config.getini("cache_dir"))
            if self._cache.is_dir():
                shutil.copytree(self._cache, self._folder / "cache")
            self.arguments += ["-o", f"cache_dir={self._folder / 'cache'}"]
        (self._folder / "coverage").mkdir()
        self.environment["COVERAGE_FILE"] = str(self._folder / "coverage" / self._coverage.name)
        reports = self._config.getoption("cov_report", default=None)
        for kind, place in reports.items() if isinstance(reports, dict) else ():
            if kind in _REPORTS:
                inside = self._folder / _REPORTS[kind]
                self._moves.append((inside, self._here / (place or _REPORTS[kind])))
                self.arguments.append(f"--cov-report={kind}:{inside}")

    def carry_out(self, status: int) -> None:
        """Brings back what is there."""
        for inside, outside in self._moves:
            bring(inside, outside)
        for file in (self._folder / "coverage").iterdir():
            bring(file, self._coverage.parent / file.name)
        if self._cache is not None:
            bring(self._folder / "cache", self._cache)
        shutil.rmtree(self._folder, ignore_errors=True)
        self.are_kept = self.are_kept or self._keep_failures(status)

    def _keep_failures(self, status: int) -> bool:
        """The records of failed tests stay where their messages say; the logs stay when the lab itself has failed."""
        return (self._out / "failures").is_dir() or status == 125


def bring(inside: Path, outside: Path) -> None:
    """Moves a file or a folder, which takes the place of what is there."""
    if not inside.exists():
        return
    outside.parent.mkdir(parents=True, exist_ok=True)
    if outside.is_dir():
        shutil.rmtree(outside)
    # Not by renaming: the two may be on different file systems.
    if inside.is_dir():
        shutil.copytree(inside, outside)
    else:
        shutil.copyfile(inside, outside)
