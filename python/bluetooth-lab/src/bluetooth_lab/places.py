"""Where the lab has its files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent
GUEST = PACKAGE / "guest"
SETUP = PACKAGE / "setup"
VERSION = PACKAGE / "VERSION"  # an installed lab has its version there, and its programs beside it
IS_INSTALLED = VERSION.exists()
# The repository; an installed lab has what it needs of it in itself.
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
    written to."""
    chosen = environment.get("LAB_HOME")
    if chosen:
        return Path(chosen).absolute()
    if IS_INSTALLED or not os.access(OWNER, os.W_OK):
        return user_cache(environment) / "bluejay-linux"
    return OWNER / ".lab"


class Places(NamedTuple):
    """What `lab setup` has made."""

    home: Path
    kernel: Path
    boot: Path

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Places:
        home = lab_home(environment)
        chosen = "-" + environment["LAB_KERNEL"] if environment.get("LAB_KERNEL") else ""
        return cls(home, home / f"kernel{chosen}", home / f"boot{chosen}")

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
