"""Where the lab has its files."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

TOOLS = Path(__file__).resolve().parent.parent
ROOT = TOOLS.parent.parent
GUEST = ROOT / "scripts" / "lab" / "guest"
LAB_BUILDS = ROOT / ".build-lab"
PARENT = "--parent="  # before a tool's name: the process that has started it


def build_folder(package: Path) -> Path:
    """Where the lab builds a Swift package: those of this repository in one folder, others in their own."""
    return LAB_BUILDS if package.is_relative_to(ROOT) else package / ".build"


class Places(NamedTuple):
    """What `lab setup` has made. `prebuilt_machine`: the folder with all parts of one in user-mode Linux, if the lab
    came with it."""

    home: Path
    kernel: Path
    boot: Path
    prebuilt_machine: Path | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Places":
        home = Path(environment.get("LAB_HOME") or ROOT / ".lab")
        chosen = "-" + environment["LAB_KERNEL"] if environment.get("LAB_KERNEL") else ""
        prebuilt = Path(environment["LAB_PREBUILT"]) if environment.get("LAB_PREBUILT") else None
        machine = prebuilt if prebuilt and (prebuilt / "uml" / "linux").exists() else None
        return cls(home, home / f"kernel{chosen}", home / f"boot{chosen}", machine)

    @property
    def uml_kernel(self) -> Path:
        """The kernel for user-mode Linux, if `lab setup` has built it."""
        return self.home / "uml" / "linux"


def tool_command(name: str, *options: str) -> list[str]:
    """A command that runs another of these tools as this one was run."""
    flags = ["-I"] * sys.flags.isolated + ["-S"] * sys.flags.no_site
    flags += ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else ["-B"]
    return [sys.executable, *flags, str(TOOLS), *options, name]


def child_command(name: str) -> list[str]:
    """The same for a child of this process, which gets SIGTERM when this process is gone, however that came."""
    return tool_command(name, f"{PARENT}{os.getpid()}")
