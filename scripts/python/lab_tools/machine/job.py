"""What the guest finds of a run: its environment, its command, and what its start needs."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab_tools.messages import fail
from lab_tools.places import GUEST, ROOT, Places

# Of the caller's environment: the lab's own, what CI sets, and what runners of tests go by. `lab help environment`
# lists them.
PASSED_PREFIXES = (
    *("LAB_", "BLUEJAY_", "DITTOJAY_", "BLUETOOTH_"),
    *("CI_", "GITHUB_", "GITLAB_", "RUNNER_", "PYTEST_", "PYTHON", "COV_", "COVERAGE_", "LC_"),
)
PASSED_NAMES = ("CI", "VIRTUAL_ENV", "TERM", "TZ", "LANG", "COLORTERM", "NO_COLOR", "FORCE_COLOR")
BOOT_VARIABLES = ("export LAB_OUT", "export LAB_MODULES")  # what guest/boot needs, in a shell with a PATH of its own


def kernel_image(places: Places) -> Path:
    images = sorted((places.kernel / "boot").glob("vmlinuz-*"))
    if not images:
        fail(f"there is no kernel in {places.kernel}: run ./lab setup")
    return images[-1]


def program_folders(environment: Mapping[str, str]) -> str:
    """As in PATH: where dittojay and bluejay are, before all others."""
    return environment.get("LAB_PROGRAMS") or str(ROOT / ".build" / environment.get("LAB_CONFIG", "debug"))


def job_environment(
    kernel: Path, out: Path, controllers: int, capture: str | None, host: str, caller: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """What the command finds in its environment: little of the caller's, so that a run does not depend on it."""
    places = Places.of(caller)
    home = places.home
    named = caller.get("LAB_ENV", "").split()
    values = {
        name: value
        for name, value in caller.items()
        if name.startswith(PASSED_PREFIXES) or name in PASSED_NAMES or name in named
    }
    values.setdefault("DITTOJAY_ADAPTER", "hci0")
    if controllers > 1:
        values.setdefault("BLUETOOTH_ADAPTER", "hci1")
    values.update(
        PATH=f"{program_folders(caller)}:{GUEST / 'bin'}:{home / 'bin'}:{caller.get('PATH', os.defpath)}",
        BLUETOOTH_LAB="1",
        LAB_CONTROLLERS=str(controllers),
        LAB_OUT=str(out),
        LAB_CWD=os.getcwd(),
        LAB_GUEST=str(GUEST),
        LAB_MODULES=str(places.kernel / "lib" / "modules" / kernel.name.removeprefix("vmlinuz-")),
        LAB_PYTHON=str(home / "venv" / "bin" / "python"),
    )
    if (home / "radio_timing.so").exists():
        values["LAB_RADIO_TIMING"] = str(home / "radio_timing.so")
    values["LAB_RADIO_LINK"] = str(home / "radio_link")
    for name in ("LAB_HOST", "LAB_BLUETOOTHD"):
        values.pop(name, None)
    if host:
        values["LAB_HOST"] = host
    if capture:
        values["LAB_CAPTURE"] = str(out / "capture.btsnoop")
    return values


def write_job(
    folder: Path, environment: Mapping[str, str], command: Sequence[str], size: tuple[int, int] | None
) -> None:
    """`size`: the terminal's rows and columns, if there is one."""
    folder.mkdir(parents=True)
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in environment.items()]
    for part in ("init", "modules"):
        (folder / part).symlink_to(GUEST / part)
    (folder / "environment").write_text("".join(lines))
    (folder / "boot").write_text("".join(line for line in lines if line.split("=")[0] in BOOT_VARIABLES))
    (folder / "command").write_text(f"command=({shlex.join(command)})\n")
    if size:
        (folder / "tty").write_text(f"{size[0]} {size[1]}\n")
