"""What single numbers and bits of a field mean, from the supplement's text."""

import re
from collections.abc import Mapping
from typing import Any

# Longer ones are sentences, not names.
LONGEST = 96

QUOTES = "\"'“”‘’"


def meanings(structure: Mapping[str, Any], field: Mapping[str, Any], type_name: str) -> str:
    """The meanings as written in the table: 0=Other|1=Chest, or FFFF!not known for a special value."""
    if type_name.startswith("b"):
        return "|".join(f"{bits}={name}" for bits, name in sorted(bit_names(structure, field).items(), key=first_bit))
    width = int(re.sub(r"\D", "", type_name) or 0)
    special, named = special_numbers(field, width), number_names(structure, field)
    entries = {number: f"!{meaning}" for number, meaning in special.items() if meaning}
    # Where the other numbers are quantities, the one with a name is none.
    mark = "!" if len(named) == 1 and has_range(structure, field) else "="
    entries |= {number: mark + name for number, name in named.items() if number not in entries}
    return "|".join(f"{number:X}{entries[number]}" for number in sorted(entries))


# Numbers.


def special_numbers(field: Mapping[str, Any], width: int) -> dict[int, str]:
    """Those with a meaning of their own: A value of 0xFFFF represents "value is not known"."""
    found: dict[int, str] = {}
    text = flat(field["description"])
    pattern = (
        r"value (?:of )?(0x[0-9A-F]+|-?\d+):? (?:(?:for User ID )?represents|means|indicates|is used when)"
        rf":?(?: that)?:? ?[{QUOTES}]?((?:(?! A value of | Present if )(?:[^{QUOTES}.]|\.\d))+)"
    )
    for value, text_of_meaning in re.findall(pattern, text):
        number = int(value, 0)
        if width and number < 0:
            number += 1 << width
        found[number] = meaning(text_of_meaning)
    return found


def number_names(structure: Mapping[str, Any], field: Mapping[str, Any]) -> dict[int, str]:
    lines = re.findall(r"(?m)^(0x[0-9A-Fa-f]+|\d+): (.+)$", str(field["description"]))
    lines += [(str(value.get("value")), str(value.get("description", ""))) for value in values_of(structure, field)]
    found: dict[int, str] = {}
    for value, text in lines:
        if re.fullmatch(r"0x[0-9A-Fa-f]+|\d+", value) and (name := meaning(text)):
            found.setdefault(int(value, 0), name)
    return found


def has_range(structure: Mapping[str, Any], field: Mapping[str, Any]) -> bool:
    """Whether there are numbers that are quantities: 1–254: Group Number."""
    numbers = r"(?:0x)?[0-9A-Fa-f]+ ?(?:[–-]|to) ?(?:0x)?[0-9A-Fa-f]+"
    lines = re.findall(rf"(?m)^{numbers}: (.+)$", str(field["description"]))
    for value in values_of(structure, field):
        if re.fullmatch(numbers, str(value.get("value"))):
            lines.append(str(value.get("description", "")))
    return any(meaning(line) for line in lines)


# Bits.


def bit_names(structure: Mapping[str, Any], field: Mapping[str, Any]) -> dict[str, str]:
    """What bits mean that are set, by their number, and numbers of several bits: 5-6.1 if bits 5 and 6 are 1."""
    found: dict[str, str] = {}
    for value in values_of(structure, field):
        text, bit = str(value.get("description", "")), str(value.get("bit"))
        if bit.isdigit():
            if name := name_of_bit(text):
                found[bit] = name
        elif match := re.fullmatch(r"(\d+) ?[–-] ?(\d+)", bit):
            found |= names_of_several(f"{match[1]}-{match[2]}", text)
    return found


def first_bit(entry: tuple[str, str]) -> tuple[int, int]:
    match = re.match(r"(\d+)(?:-\d+\.(\d+))?", entry[0])
    return (int(match[1]), int(match[2] or 0)) if match else (0, 0)


def name_of_bit(text: str) -> str:
    """What a bit means when it is set."""
    if match := re.search(r"(?m)^1 ?= ?(.+)$", text):
        first = text.split("\n")[0].rstrip(":. ")
        set_means = match[1].rstrip(". ")
        return meaning(first if re.match(r"(True|Yes)\b", set_means) else set_means)
    return meaning(text)


def names_of_several(bits: str, text: str) -> dict[str, str]:
    """Names of what a number of several bits means, and of single ones among them (Bit 12: Battery)."""
    title = meaning(text)
    width = len(range(*map(int, bits.split("-")))) + 1
    found = {}
    for number, name in re.findall(r"(?m)^Bit (\d+): ?(.+)$", text):
        found[number] = f"{title}: {meaning(name)}"
    for digits, name in re.findall(r"(?m)^(0b[01]+|\d+) ?= ?(.+)$", text):
        is_binary = len(digits) == width and set(digits) <= {"0", "1"}
        number, name = int(digits, 2 if is_binary else 0), meaning(name)
        # Nothing is set.
        if number and name:
            found[f"{bits}.{number}"] = title if re.match(r"(True|Yes)\b", name) else f"{title}: {name}"
    return found


# Text.


def values_of(structure: Mapping[str, Any], field: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The values of a field that are listed apart from it."""
    if match := re.search(r"/field/([a-z0-9_-]+)", flat(field["description"])):
        for other in structure.get("fields", []):
            if plain(other["name"]) == plain(match[1]):
                return list(other.get("values", []))
    return []


def plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def flat(text: object) -> str:
    return " ".join(str(text).split())


def meaning(text: str) -> str:
    """A meaning in one line; nothing if it says that there is none."""
    line = re.sub(r"\\text[a-z]+\{([^}]*)\}", r"\1", text.strip().split("\n")[0])
    line = re.sub(r"\(.*?\)", "", line)
    line = " ".join(re.sub(r"[~;|=!\\]", " ", line.split(". ")[0]).split()).rstrip(".: ")
    line = line.removeprefix("value is ").removeprefix("the value is ")
    if re.match(r"Reserved|RFU|Prohibited|N/A", line) or not 0 < len(line) <= LONGEST:
        return ""
    return line.replace("Head_", "Head ").replace("_", " ")
