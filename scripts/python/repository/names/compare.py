"""Compares the table of value formats with two descriptions of the same characteristics: the Bluetooth SIG's supplement
(the YAML files that the table is made of, read again without its rules), and the XML files that the SIG published
before, in the copy at https://github.com/oesmith/gatt-xml.

Compared are the fields in their order: the width, the sign, the factor, and the flags that say whether a field is
there. Each difference is intended, and listed with its reason in scripts/python/repository/names/differences.py. Any
other one fails, and so does a listed one that is none. When none fails, it is recorded that this table was compared
(compared.sha256, which a test looks at)."""

import argparse
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repository.names import compared
from repository.names.compared import FORMATS
from repository.names.differences import SUPPLEMENT, XML
from repository.names.update import Source, download

XML_SOURCE, XML_COMMIT = "https://github.com/oesmith/gatt-xml", "4fd2ede"
PREFIX = "org.bluetooth.characteristic."

# Of what bytes the table's own types consist.
COMPOUND = {
    "date7": "u16 u8 u8 u8 u8 u8",
    "date4": "u16 u8 u8",
    "days": "u24",
    "bcd": "u16",
    "pnp": "u8 u16",
    "appearance": "u16",
    "unit": "u16",
    "format": "u8",
    "textz": "text",
    "float32": "f32",
}


@dataclass(frozen=True)
class Part:
    """A field, or a number of it. An unknown type is the same as any."""

    type: str
    factor: str = ""
    condition: str = ""

    def fits(self, other: "Part", *, conditions: bool) -> bool:
        kinds = "?" in (self.type, other.type) or self.type == other.type
        return kinds and self.factor == other.factor and (not conditions or self.condition == other.condition)

    def __str__(self) -> str:
        return self.type + (f"({self.factor})" if self.factor else "") + self.condition


def factor(m: object, d: object, b: object) -> str:
    numbers = [int(str(number).replace(" ", "") or 0) for number in (m, d, b)]
    return "" if numbers == [1, 0, 0] else ",".join(map(str, numbers))


def sorted_condition(text: str) -> str:
    return "".join(sorted(re.findall(r"[+-]\d+", text)))


# The table.


def table() -> dict[str, list[list[Part]]]:
    """The forms of each characteristic."""
    lines = re.findall(r"(?m)^([0-9A-F]{4}) (.+)$", FORMATS.read_text(encoding="utf-8"))
    return {number: forms(text) for number, text in lines}


def forms(text: str) -> list[list[Part]]:
    """Those that devices send, each with a quantity's units as fields of their own, and as one field."""
    return [list(parts_of_table(text, form, merged=merged)) for form in (0, -1) for merged in (False, True)]


def parts_of_table(text: str, form: int, *, merged: bool) -> Iterator[Part]:
    known: list[tuple[str, str]] = []
    for field in text.split(";"):
        name, kind, scale, unit, _, condition = (field.split("~") + [""] * 6)[:6]
        kind, scale = kind.split(" or ")[form], scale.split(" or ")[form]
        # A quantity in another unit.
        units = re.sub(r"[+-]0\b", "", condition)
        if merged and (name, units) in known and re.search(r"[+-]0\b", condition):
            continue
        known.append((name, units))
        kind = re.sub(r"^[bx](\d+)", r"u\1", kind)
        kind = re.sub(r"^hex(\d+)$", lambda match: f"u{8 * int(match[1])}", re.sub(r"^text\d+$", "text", kind))
        if unit in ("kPa", "kJ"):
            scale = "1,3,0"
        for single in COMPOUND.get(kind, kind).split():
            yield Part(single, "exp" if scale == "exp11" else scale, sorted_condition(condition))


# The supplement.


class Supplement:
    def __init__(self, source: Source) -> None:
        self.structures, self.numbers = source.structures()

    def forms(self) -> dict[str, list[Part]]:
        found = {}
        for identifier, number in self.numbers.items():
            parts = joined(list(self.parts(identifier))) if identifier in self.structures else []
            if parts:
                found[f"{number:04X}"] = parts
        return found

    def parts(self, identifier: str, condition: str = "") -> Iterator[Part]:
        structure = self.structures[identifier]
        for field in structure.get("structure", []):
            text = " ".join(str(field["description"]).split())
            present = condition or self.condition(text)
            refers = re.search(r"Refer to .*characteristic\.([a-z0-9_.]+)[}]", text)
            inner = re.search(r"/field/([a-z0-9_-]+)[}]", text)
            if refers and refers[1] in self.structures and refers[1] != identifier:
                yield from self.parts(refers[1], present)
            elif field["type"] == "struct" and inner:
                yield from self.inner(structure, inner[1], present)
            else:
                yield Part(self.type(str(field["type"])), self.factor(text), present)

    def inner(self, structure: Mapping[str, Any], name: str, condition: str) -> Iterator[Part]:
        for field in structure.get("fields", []):
            if re.sub(r"\W", "", field["name"].lower()) == re.sub(r"[\W_]", "", name):
                for value in field.get("values", []):
                    kind, text = str(value.get("data_type", "?")), str(value.get("description", ""))
                    yield Part(self.type(kind), self.factor(" ".join(text.split())), condition)

    @staticmethod
    def type(kind: str) -> str:
        if match := re.fullmatch(r"(u|s)int(\d+)( ?\[.*\])?", kind):
            return match[1] + match[2] + ("*" if match[3] else "")
        if match := re.fullmatch(r"boolean\[(\d+)\]", kind):
            return f"u{match[1]}"
        if kind.startswith("utf8s"):
            return "text"
        return {"medfloat16": "sfloat", "medfloat32": "float", "float32": "f32", "int16": "s16"}.get(kind, "?")

    @staticmethod
    def factor(text: str) -> str:
        if "1.1\\textsuperscript" in text:
            return "exp"
        match = re.search(r"M ?= ?(\d+),? ?d ?= ?(-? ?\d+),?(?: and)? ?b ?= ?(-? ?\d+)", text)
        return factor(match[1], match[2], match[3]) if match else ""

    @staticmethod
    def condition(text: str) -> str:
        if match := re.search(r"[Pp]resent if bits (\d+) and (\d+) of", text):
            return sorted_condition(f"+{match[1]}+{match[2]}")
        match = re.search(r"[Pp]resent if bit (\d+) of (?:the )?(?:Presence )?Flags field is set to ([01])", text)
        return ("+" if match[2] == "1" else "-") + match[1] if match else ""


# The XML.


class OlderFiles:
    def __init__(self, folder: Path) -> None:
        self.trees = {}
        for path in sorted(folder.glob("*.xml")):
            root = ElementTree.parse(path).getroot()
            if root.tag == "Characteristic" and "declaration" not in path.name:
                self.trees[str(root.get("type")).lower()] = root

    def forms(self) -> dict[str, list[Part]]:
        found = {}
        for identifier, root in self.trees.items():
            parts = joined(list(self.parts(identifier)))
            if parts:
                found[str(root.get("uuid")).upper()] = parts
        return found

    def parts(self, identifier: str, condition: str = "") -> Iterator[Part]:
        required: dict[str, str] = {}
        for field in self.trees[identifier].iter("Field"):
            for bit in field.iter("Bit"):
                for entry in bit.iter("Enumeration"):
                    if entry.get("requires") and bit.get("size") == "1":
                        sign = "+" if entry.get("key") == "1" else "-"
                        required.setdefault(str(entry.get("requires")), sign + str(bit.get("index")))
            kinds = [element.text or "" for element in field.findall("Requirement")]
            present = condition or sorted_condition("".join(required.get(kind.strip(), "") for kind in kinds))
            reference = field.findtext("Reference", "").strip().lower()
            if reference in self.trees and reference != identifier:
                yield from self.parts(reference, present)
            elif (kind := field.findtext("Format")) is not None:
                scale = [field.findtext(name, default) for name, default in
                         (("Multiplier", "1"), ("DecimalExponent", "0"), ("BinaryExponent", "0"))]  # fmt: skip
                yield Part(
                    self.type(kind) + ("*" if field.find("Repeated") is not None else ""), factor(*scale), present
                )

    @staticmethod
    def type(kind: str) -> str:
        if match := re.fullmatch(r"(u|s)int(\d+)", kind):
            return match[1] + match[2]
        if match := re.fullmatch(r"(\d+)bit", kind):
            return f"u{match[1]}"
        return {"SFLOAT": "sfloat", "FLOAT": "float", "utf8s": "text", "nibble": "u4"}.get(kind, "?")


# Comparing.


def same(ours: list[Part], theirs: list[Part]) -> bool:
    # Without flags in a description it says nothing of conditions.
    conditions = any(part.condition for part in theirs)
    return len(ours) == len(theirs) and all(
        own.fits(other, conditions=conditions) for own, other in zip(ours, theirs, strict=True)
    )


def compare(title: str, theirs: Mapping[str, list[Part]], intended: Mapping[str, str]) -> tuple[int, list[str]]:
    """How many are the same, and what is wrong."""
    ours, equal, wrong = table(), 0, []
    for number in sorted(ours.keys() & theirs.keys()):
        if any(same(form, theirs[number]) for form in ours[number]):
            equal += 1
            if number in intended:
                wrong.append(f"{title} {number}: listed as a difference, but there is none")
        elif number not in intended:
            wrong.append(
                f"{title} {number}: {text(ours[number][0])}\n{' ' * len(title)}    not: {text(theirs[number])}"
            )
    wrong += [
        f"{title} {number}: listed as a difference, but not compared" for number in intended.keys() - theirs.keys()
    ]
    return equal, wrong


def joined(parts: list[Part]) -> list[Part]:
    """With numbers of less than a byte as the bytes that they are in."""
    whole: list[Part] = []
    for part in parts:
        if whole and (part.type, whole[-1].type) in (("u4", "u4"), ("u12", "u12")):
            whole[-1] = Part(f"u{2 * int(part.type[1:])}", part.factor, part.condition)
        else:
            whole.append(part)
    return whole


def text(parts: list[Part]) -> str:
    return " ".join(map(str, parts))


def clone(folder: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", XML_SOURCE, str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "checkout", "--quiet", XML_COMMIT], check=True)
    return folder


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/names/compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", type=Path, help="as with scripts/names/update")
    parser.add_argument("--xml", type=Path, help="a copy of the XML files; cloned unless it is given")
    options = parser.parse_args(words)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Source(options.wheel or download(folder))
        older = OlderFiles(options.xml or clone(Path(folder) / "xml"))
        for title, theirs, intended in (
            ("supplement", Supplement(source).forms(), SUPPLEMENT),
            ("xml", older.forms(), XML),
        ):
            equal, wrong = compare(title, theirs, intended)
            for line in wrong:
                print(line)
            print(f"{title}: {equal} the same, {len(intended)} intended differences, {len(wrong)} others")
            failures += len(wrong)
    if failures:
        return 1
    compared.record()
    return 0
