"""The folder that a command is for, and the project that it belongs to."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.places import OWNER, build_folder, program_folder

PYTHON_MARKERS = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "setup.py")


class Project(NamedTuple):
    """`kind`: swift, python or none, whose folder is the current one."""

    kind: str
    folder: Path


def find_project(folder: Path) -> Project:
    """The nearest one, in the folder or above it. A folder that is both is a Swift package."""
    for place in (folder, *folder.parents):
        if (place / "Package.swift").exists():
            return Project("swift", place)
        if any((place / marker).exists() for marker in PYTHON_MARKERS):
            return Project("python", place)
    return Project("none", folder)


def enter_folder(package: str | None, environment: MutableMapping[str, str]) -> Project:
    """Goes to the folder that --package names. The programs of a Swift package come first on the lab's PATH."""
    if package:
        os.chdir(package)
    project = find_project(Path.cwd())
    programs = [program_folder(environment)]
    if project.kind == "swift" and project.folder != OWNER:
        configuration = environment.get("LAB_CONFIG") or "debug"
        products = build_folder(project.folder) / ("debug" if configuration == "shipped" else configuration)
        programs.insert(0, products)
    environment["LAB_PROGRAMS"] = ":".join(map(str, programs))
    return project
