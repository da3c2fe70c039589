"""Rewrites the tables of Sources/AssignedNumbers: the Bluetooth SIG's assigned numbers with their names.

The SIG publishes them as YAML files at https://bitbucket.org/bluetooth-SIG/public. The Python package bluetooth-sig
carries those files; this downloads it from PyPI, or takes what --wheel names. Only numbers and names are taken, which
are facts."""

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bluetooth_lab.places import ROOT
from repository.names.compared import FORMATS
from repository.names.formats import Formats
from repository.names.tables import WITHDRAWN

try:
    import yaml
except ImportError:
    sys.exit("scripts/names/update needs PyYAML: apt install python3-yaml, or pip install pyyaml")

PACKAGE, VERSION = "bluetooth-sig", "0.6.0"
OUTPUT = ROOT / "Sources/AssignedNumbers/AssignedNames.swift"
INSIDE = "bluetooth_sig/bluetooth_sig/"
NUMBERS = INSIDE + "assigned_numbers/"

HEADER = """\
// swift-format-ignore-file
// Made by scripts/names/update; not to be edited.
//
// What the Bluetooth SIG calls the numbers that it assigns. Source: the SIG's "Assigned Numbers", published as YAML
// files at https://bitbucket.org/bluetooth-SIG/public, in the copy that the Python package {package} {version} carries
// (https://pypi.org/project/{package}/, MIT licence, copyright 2025 Ronan Byrne; SHA-256 of the wheel
// {digest}).
// Only numbers and names were taken, not the text of a document. The Bluetooth word mark is owned by Bluetooth SIG,
// Inc.
"""


# Where the list has an abbreviation, and the specifications the name.
FULL_NAMES = {"GAP": "Generic Access", "GATT": "Generic Attribute"}


def clean(name: object) -> str:
    """A name without the markup of the SIG's typesetting, on one line."""
    text = re.sub(r"\\text[a-z]+\{([^}]*)\}", r"\1", str(name))
    text = " ".join(text.replace("\\", "").split())
    return FULL_NAMES.get(text, text)


# The name of a table, its comment, and the names by their numbers.
Table = tuple[str, str, dict[int, str]]


class Source:
    """The package's files."""

    def __init__(self, wheel: Path) -> None:
        self.archive = zipfile.ZipFile(wheel)
        self.digest = hashlib.sha256(Path(wheel).read_bytes()).hexdigest()

    def read(self, path: str) -> Any:
        return yaml.safe_load(self.archive.read(path))

    def uuids(self, name: str) -> dict[int, str]:
        entries = self.read(f"{NUMBERS}uuids/{name}.yaml")["uuids"]
        return {entry["uuid"]: clean(entry["name"]) for entry in entries}

    def companies(self) -> dict[int, str]:
        entries = self.read(NUMBERS + "company_identifiers/company_identifiers.yaml")["company_identifiers"]
        return {entry["value"]: clean(entry["name"]) for entry in entries}

    def appearances(self) -> dict[int, str]:
        """A category is a number's upper ten bits, what is in it the lower six."""
        names: dict[int, str] = {}
        for category in self.read(NUMBERS + "core/appearance_values.yaml")["appearance_values"]:
            base = category["category"] << 6
            names[base] = clean(category["name"])
            for entry in category.get("subcategory", []):
                names[base | entry["value"]] = clean(entry["name"])
        return names

    def formats(self) -> dict[int, str]:
        structures, numbers = self.structures()
        missing = sorted(set(structures) - set(numbers))
        if missing:
            print("without a number:", ", ".join(missing), file=sys.stderr)
        return Formats(structures, numbers).table()

    def structures(self) -> tuple[dict[str, Any], dict[str, int]]:
        """The characteristics' structures and numbers by their identifiers, without what all have in common."""
        prefix = "org.bluetooth.characteristic."
        structures: dict[str, Any] = {}
        for path in sorted(self.archive.namelist()):
            if path.startswith(INSIDE + "gss/") and path.endswith(".yaml"):
                structure = self.read(path)["characteristic"]
                structures[structure["identifier"].removeprefix(prefix)] = structure
        numbers = {}
        names = {structure["name"].lower(): identifier for identifier, structure in structures.items()}
        for entry in self.read(NUMBERS + "uuids/characteristic_uuids.yaml")["uuids"]:
            identifier = entry["id"].removeprefix(prefix)
            identifier = identifier if identifier in structures else names.get(entry["name"].lower(), identifier)
            numbers[identifier] = entry["uuid"]
        return structures, numbers

    def tables(self) -> list[Table]:
        return [
            ("services", "Services, by the UUID's 16 bits.", self.uuids("service_uuids")),
            ("characteristics", "Characteristics.", WITHDRAWN | self.uuids("characteristic_uuids")),
            ("descriptors", "Descriptors.", self.uuids("descriptors")),
            ("declarations", "The declarations of services and characteristics.", self.uuids("declarations")),
            ("units", "Units, as in the descriptor Characteristic Presentation Format.", self.uuids("units")),
            ("appearances", "What a device looks like.", self.appearances()),
            (
                "members",
                "Whose UUIDs of 16 bits these are: members of the SIG, and specifications of others.",
                self.uuids("member_uuids") | self.uuids("sdo_uuids"),
            ),
            ("companies", "Companies, as in manufacturer data.", self.companies()),
        ]


def swift(tables: Sequence[Table], digest: str) -> str:
    lines = [HEADER.format(package=PACKAGE, version=VERSION, digest=digest)]
    lines.append("/// The tables: a number in four digits and its name on each line, in the order of the numbers.")
    lines.append("enum AssignedNames {")
    for index, (name, comment, names) in enumerate(tables):
        if index:
            lines.append("")
        lines.append(f"    /// {comment}")
        lines.append(f'    static let {name}: StaticString = #"""')
        lines += [f"{number:04X} {names[number]}" for number in sorted(names)]
        # What ends with a line end is simpler to search.
        lines += ["", '"""#']
    lines += ["}", ""]
    return "\n".join(lines)


def swift_formats(formats: Mapping[int, str], digest: str) -> str:
    lines = [HEADER.format(package=PACKAGE, version=VERSION, digest=digest)]
    lines.append(
        "/// The formats of characteristics' and descriptors' values (scripts/python/repository/names/formats.py)."
    )
    lines.append("enum FormatTable {")
    lines.append('    static let text: StaticString = #"""')
    lines += [f"{number:04X} {formats[number]}" for number in sorted(formats)]
    lines += ["", '"""#', "}", ""]
    return "\n".join(lines)


def download(folder: str) -> Path:
    requirement = f"{PACKAGE}=={VERSION}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, requirement]
    subprocess.run(command, check=True)
    return next(Path(folder).glob("*.whl"))


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/names/update", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", type=Path, help=f"the wheel of {PACKAGE} {VERSION}; downloaded unless it is given")
    wheel = parser.parse_args(words).wheel
    with tempfile.TemporaryDirectory() as folder:
        source = Source(wheel or download(folder))
        tables = source.tables()
        OUTPUT.write_text(swift(tables, source.digest), encoding="utf-8")
        formats = source.formats()
        FORMATS.write_text(swift_formats(formats, source.digest), encoding="utf-8")
    for name, _, names in tables:
        print(f"{len(names):5} {name}")
    print(f"{len(formats):5} formats")
    return 0
