"""Where the lab has its files."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent
GUEST = PACKAGE / "guest"
SETUP = PACKAGE / "setup"
# The repository; a lab that was installed without it has what it needs of it in its package.
IS_INSTALLED = not (PACKAGE.parents[3] / "Package.swift").exists()
ROOT = PACKAGE if IS_INSTALLED else PACKAGE.parents[3]
# SwiftPM checks out dependencies into .build, which may be removed at any time. There the lab belongs to the package
# that depends on it. So do the programs, because that package has built most of their parts.
OWNER = Path(str(ROOT).partition("/.build/checkouts/")[0])
LAB_BUILDS = ROOT / ".build-lab"
PLUGIN = ROOT / "python" / "pytest-bluetooth-lab"
PARENT = "--parent="  # before a tool's name: the process that has started it


def build_folder(package: Path) -> Path:
    """Where the lab builds a Swift package: those of this repository in one folder, others in their own."""
    return LAB_BUILDS if OWNER == ROOT and package.is_relative_to(ROOT) else package / ".build"


def program_folder(environment: Mapping[str, str]) -> Path:
    """Where dittojay and bluejay are, or will be when they are built."""
    configuration = environment.get("LAB_CONFIG") or "debug"
    has_machine = (Path(environment.get("LAB_PREBUILT") or "/nowhere") / "uml" / "linux").exists()
    if has_machine and (IS_INSTALLED or not environment.get("LAB_CONFIG")):
        return lab_home(environment) / "programs"  # links that setup makes
    if IS_INSTALLED:
        return ROOT / "bin"
    if configuration == "shipped":
        return ROOT / ".build-release" / "release"
    return build_folder(OWNER) / configuration


def user_cache(environment: Mapping[str, str]) -> Path:
    """By the rules of XDG, which have a relative path ignored."""
    chosen = environment.get("XDG_CACHE_HOME", "")
    return Path(chosen) if chosen.startswith("/") else Path.home() / ".cache"


def lab_home(environment: Mapping[str, str]) -> Path:
    """What this lab has made: in the clone, or in the user's cache if the lab was installed or its folder cannot be
    written to, or in a temporary folder if the cache cannot be either."""
    chosen = environment.get("LAB_HOME")
    if chosen:
        return Path(chosen).absolute()
    if not IS_INSTALLED and os.access(OWNER, os.W_OK):
        return OWNER / ".lab"
    home = user_cache(environment) / "bluejay-linux"
    return home if may_be_made(home) else temporary_home(environment)


def may_be_made(folder: Path) -> bool:
    """Whether it is there, or can be, and files in it."""
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)


def temporary_home(environment: Mapping[str, str]) -> Path:
    """Ends this process if another user has made it."""
    home = Path(environment.get("TMPDIR") or "/tmp") / f"bluejay-linux-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        home.mkdir(mode=0o700)
    if home.is_symlink() or home.stat().st_uid != os.getuid():
        sys.exit(f"lab: {home} is not this user's own folder: LAB_HOME names another one")
    return home


class Places(NamedTuple):
    """What `lab setup` has made. `prebuilt_machine`: the folder with all parts of one in user-mode Linux, if the lab
    came with it."""

    home: Path
    kernel: Path
    boot: Path
    prebuilt_machine: Path | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Places:
        home = lab_home(environment)
        chosen = "-" + environment["LAB_KERNEL"] if environment.get("LAB_KERNEL") else ""
        prebuilt = Path(environment["LAB_PREBUILT"]) if environment.get("LAB_PREBUILT") else None
        machine = prebuilt if prebuilt and (prebuilt / "uml" / "linux").exists() else None
        return cls(home, home / f"kernel{chosen}", home / f"boot{chosen}", machine)

    @property
    def uml_kernel(self) -> Path:
        """The kernel for user-mode Linux, if `lab setup` has built it."""
        return self.home / "uml" / "linux"


def python_command() -> list[str]:
    """Python as this process was started."""
    flags = ["-I"] * sys.flags.isolated + ["-S"] * sys.flags.no_site
    flags += ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else ["-B"]
    return [sys.executable, *flags]


def tool_command(name: str, *options: str) -> list[str]:
    """A command that runs another of these tools."""
    return [*python_command(), str(PACKAGE), *options, name]


def child_command(name: str) -> list[str]:
    """The same for a child of this process, which gets SIGTERM when this process is gone, however that came."""
    return tool_command(name, f"{PARENT}{os.getpid()}")
