"""`pytest --bluetooth-lab`: the same session in the lab, and what it has written brought back."""

from __future__ import annotations

import json
import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from types import FrameType
from urllib.parse import unquote, urlparse

import pytest

from .results import Results

_OWN_COMMANDS = ("help", "version", "showfixtures", "show_fixtures_per_test", "markers", "collectonly")


def is_wanted(config: pytest.Config) -> bool:
    """Whether the session is to run in the lab: what only lists something needs none."""
    if not config.getoption("bluetooth_lab") and not config.getoption("bluetooth_lab_explore"):
        return False
    return not any(config.getoption(name, default=False) for name in _OWN_COMMANDS)


def find_lab(option: str | None) -> Path:
    """The lab's script."""
    named = option or os.environ.get("BLUETOOTH_LAB")
    if named:
        path = Path(named).expanduser()
        script = path / "lab" if path.is_dir() else path
        if not os.access(script, os.X_OK):
            raise pytest.UsageError(f"no lab at {path}")
        return script.absolute()
    for name in ("bluetooth-lab", "lab"):  # as the Debian package has it, and as a checkout does
        on_path = shutil.which(name)
        # Others may have a program of this name.
        if on_path and is_lab(Path(on_path)):
            return Path(on_path)
    try:
        for file in metadata.files("bluetooth-lab") or []:
            if file.name == "bluetooth-lab":
                return Path(str(file.locate())).resolve()
    except metadata.PackageNotFoundError:
        pass
    for folder in checkouts():
        script = folder / "lab"
        if is_lab(script):
            return script
    raise pytest.UsageError(
        "no lab found: pip install bluetooth-lab, or install bluejay-linux's package, or name a checkout's script "
        "`lab` by --bluetooth-lab-path or by the variable BLUETOOTH_LAB"
    )


def is_lab(script: Path) -> bool:
    """Whether it has the lab's package beside it, as in a checkout or in the Debian package, or is a script of pip's in
    an environment that has it, which need not be that of the tests."""
    folder = script.resolve().parent
    places = [folder / "python/bluetooth-lab/src/bluetooth_lab", folder / "bluetooth_lab"]
    places += folder.parent.glob("lib/python3*/site-packages/bluetooth_lab")
    return os.access(script, os.X_OK) and any(place.is_dir() for place in places)


def checkouts() -> list[Path]:
    """Where this package was installed from, or is."""
    folders = [Path(__file__).resolve().parents[4]]  # CHECKOUT/python/pytest-bluetooth-lab/src/pytest_bluetooth_lab
    try:
        text = metadata.distribution("pytest-bluetooth-lab").read_text("direct_url.json")
        record = json.loads(text or "{}")
        url = urlparse(str(record.get("url", "")))
    except (metadata.PackageNotFoundError, ValueError):
        return folders
    if url.scheme in ("file", "git+file"):
        path = Path(unquote(url.path))
        folders += [path] if record.get("subdirectory") else [path.parent.parent, path]
    return folders


def run_in_lab(config: pytest.Config) -> int:
    """Runs this session in the lab and returns its exit status."""
    script = find_lab(config.getoption("bluetooth_lab_path"))
    if config.getoption("bluetooth_lab_explore"):
        return explore(config, script)
    chosen = config.getoption("bluetooth_lab_out")
    out = config.invocation_params.dir / chosen if chosen else Path(tempfile.mkdtemp(prefix="bluetooth-lab-"))
    results = Results(config, out)
    results.are_kept = bool(chosen)
    try:
        results.carry_in()
        pytest_words = [sys.executable, "-m", "pytest", *config.invocation_params.args, *results.arguments]
        command = [*lab_words(config, script, out), "--", *pytest_words]
        status = run(command, {**environment(), **results.environment}, config.invocation_params.dir)
        results.carry_out(status)
    finally:
        if not results.are_kept:
            shutil.rmtree(out, ignore_errors=True)
    return status


def explore(config: pytest.Config, script: Path) -> int:
    """Runs this session in the lab with one seed after another."""
    time = config.getoption("bluetooth_lab_time")
    if time not in (None, "simulated"):
        raise pytest.UsageError(f"--bluetooth-lab-explore needs simulated time, not --bluetooth-lab-time={time}")
    controllers = config.getoption("bluetooth_lab_controllers") or config.getini("bluetooth_lab_controllers")
    out = config.getoption("bluetooth_lab_out")
    runs = config.getoption("bluetooth_lab_explore")
    words = [str(script), "explore", "--runs", str(runs), "--controllers", str(controllers)]
    words += ["--env", "LAB_EXPLORED=1", "--limit", "1800"]
    for status in (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR):
        words += ["--no-tests", str(status.value)]
    words += seed_words(config)
    words += ["--out", str(out)] if out else []
    session = [sys.executable, "-m", "pytest", *config.invocation_params.args]
    if config.option.xmlpath:
        words += ["--junit", str(config.invocation_params.dir / config.option.xmlpath)]
        session.append(f"--junit-xml={os.devnull}")  # a test is a seed in the file, and your files are read-only there
    return run([*words, "--", *session], environment(), config.invocation_params.dir)


def lab_words(config: pytest.Config, script: Path, out: Path) -> list[str]:
    """The lab with its options, which a command follows."""
    controllers = config.getoption("bluetooth_lab_controllers") or config.getini("bluetooth_lab_controllers")
    time = config.getoption("bluetooth_lab_time")
    words = [str(script), "run", "--controllers", str(controllers), "--out", str(out)]
    words += ["--time", time] if time else []
    # By its seed, which the lab prints, a run that failed can be repeated.
    return words + seed_words(config, otherwise="random" if time == "simulated" else None)


def seed_words(config: pytest.Config, otherwise: str | None = None) -> list[str]:
    """The options of the lab for a seed and what varies with it."""
    seed, vary = config.getoption("bluetooth_lab_seed") or otherwise, config.getoption("bluetooth_lab_vary")
    return [*(["--seed", seed] if seed else []), *(["--vary", vary] if vary else [])]


def environment() -> dict[str, str]:
    """What the same interpreter needs in the lab, where the home folder is another one."""
    values = dict(os.environ)
    values.pop("BLUETOOTH_LAB", None)
    if site.ENABLE_USER_SITE:
        values.setdefault("PYTHONUSERBASE", site.getuserbase())
    values.setdefault("PYTHONDONTWRITEBYTECODE", "1")  # what is written there goes away with the machine
    values.setdefault("LAB_DEFAULT_CLOCK", "counted")  # as for `lab test`: a busy host makes nothing late
    return values


def run(command: Sequence[str], values: dict[str, str], folder: Path) -> int:
    """Runs a command to its end, whatever signals come: they are passed on to it."""
    process: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, _: FrameType | None) -> None:
        if process is not None and process.poll() is None:
            process.send_signal(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    former = {number: signal.signal(number, pass_on) for number in numbers}
    try:
        process = subprocess.Popen(list(command), env=values, cwd=folder)
        status = process.wait()
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
    return status if status >= 0 else 128 - status
