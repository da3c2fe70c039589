"""Makes the table of value formats from the structures that the Bluetooth SIG publishes with its assigned numbers.

It takes only facts from the structures: fields, types, exponents, units, the meanings of numbers, and when a field is
present. One line for each characteristic: its number, then fields separated by ;, each with parts separated by ~:

    name~type~factor~unit~names~condition

type       u8 … u64, s8 … s64, x8 … x64 (in hexadecimal), b8 … b32 (bits), sfloat, float (IEEE 11073), float32,
           text, textN, textz (up to a zero), hex, hexN, date7 (year to second), date4 (year to day), days (since
           1970), bcd (a version), pnp (a vendor and whose number that is), appearance, unit, format; followed by *
           as many as there are
factor     M,d,b: the number is multiplied by M, 10 to the power d and 2 to the power b; exp11: 1.1 to the power N - 64
names      the meanings of numbers or of bits that are set: 0=Other|1=Chest, numbers in hexadecimal, bits in decimal,
           5-6.1=Charging if bits 5 and 6 are the number 1; FFFF!not known where a number is no quantity
condition  when the field is present: +3 if bit 3 of the flags, the first field, is set, -0 if bit 0 is not, =2 if they
           are 2, ? if there are bytes left

Where devices differ, type, factor and unit have two forms, as in "u8 or s16": a value is read in the first form of all
fields, or else in the second, whichever has its length.
"""

import re
from collections.abc import Mapping
from typing import Any

from repository.names.meanings import meanings
from repository.names.tables import CORRECTED, LEFT_OUT, TYPES, UNAVAILABLE, UNITS, WRITTEN

# A characteristic, and one of its fields, as published.
Structure = Mapping[str, Any]
Field = Mapping[str, Any]


class Formats:
    """The formats by number, made of the structures of all characteristics."""

    def __init__(self, structures: Mapping[str, Structure], numbers: Mapping[str, int]) -> None:
        """structures: by the characteristics' identifier; numbers: their numbers by the same."""
        self.structures, self.numbers = structures, numbers
        self.by_name = {structure["name"].lower(): identifier for identifier, structure in structures.items()}

    def table(self) -> dict[int, str]:
        table: dict[int, str] = {}
        for identifier in self.structures:
            number = self.numbers.get(identifier)
            if number is None or f"{number:04X}" in WRITTEN or identifier in LEFT_OUT:
                continue
            fields = self.fields(identifier)
            if fields:
                table[number] = ";".join(self.completed(f"{number:04X}", fields))
        for digits, text in WRITTEN.items():
            table[int(digits, 16)] = text
        # What is said of another characteristic's field.
        return {number: re.sub(r"@([0-9A-F]{4})(?:[.]([A-Za-z ]+))?", lambda match: self.names_of(table, match), text)
                for number, text in sorted(table.items())}  # fmt: skip

    @staticmethod
    def names_of(table: Mapping[int, str], match: re.Match[str]) -> str:
        """Of its first field, or of the one that is named: @2A09, @2A35.status."""
        for field in table[int(match[1], 16)].split(";"):
            parts = field.split("~")
            if match[2] in (None, parts[0]):
                return parts[4] if len(parts) > 4 else ""
        raise ValueError(f"no field of that name: {match[0]}")

    def fields(self, identifier: str, outer: str | None = None, condition: str | None = None) -> list[str] | None:
        """The fields of a characteristic; None if they are not known."""
        structure = self.structures[identifier].get("structure", [])
        number = self.numbers.get(identifier)
        if number is not None and f"{number:04X}" in WRITTEN:
            fields = WRITTEN[f"{number:04X}"].split(";")
            return [self.renamed(fields[0], outer, condition)] if len(fields) == 1 else fields
        fields = []
        for field in structure:
            made = self.field(identifier, field, outer if len(structure) == 1 else None, condition)
            if made is None:
                return None
            fields += made
        return fields

    @classmethod
    def completed(cls, number: str, fields: list[str]) -> list[str]:
        """With what is known from elsewhere, and without names of the flags that only say which fields follow."""
        parts = [(field.split("~") + [""] * 6)[:6] for field in fields]
        conditions = [field[5] for field in parts]
        for field in parts:
            name, type_name = field[:2]
            if name in UNAVAILABLE.get(number, ()):
                bits = int(type_name[1:]) - (type_name[0] == "s")
                field[4] = f"{(1 << bits) - 1:X}!not available"
            for index, text in CORRECTED.get((number, name), {}).items():
                field[index] = text
        used = {bit for condition in conditions for bit in re.findall(r"[+-](\d+)", condition)}
        if parts[0][0].endswith("flags"):
            entries = [entry.split("=") for entry in parts[0][4].split("|") if entry]
            says = re.compile("present|flag|units|format", re.IGNORECASE)
            parts[0][4] = "|".join(f"{bit}={name}" for bit, name in entries if bit not in used or not says.search(name))
        return [cls.joined(*field) for field in parts]

    @staticmethod
    def renamed(field: str, name: str | None, condition: str | None) -> str:
        parts = (field.split("~") + [""] * 6)[:6]
        parts[0] = name or parts[0]
        parts[5] = condition or parts[5]
        return "~".join(parts).rstrip("~")

    def field(self, identifier: str, field: Field, outer: str | None, condition: str | None) -> list[str] | None:
        text = " ".join(str(field["description"]).split())
        name = outer or self.name(field["field"])
        condition = condition or self.condition(text, field)
        kind = str(field["type"])
        if kind == "struct" or (
            (match := re.search(r"Refer to (?:the )?(.*?) characteristic", text)) and "uint" in kind
        ):
            match = re.search(r"characteristic\.([a-z0-9_.]+)[}]", text)
            target = match and match[1].split("/")[0]
            if not target or target == identifier or target not in self.structures:
                return [self.joined(name, "hex" + self.size(field), "", "", "", condition)]
            return self.fields(target, name, condition)
        type_name = self.type_name(kind)
        if type_name is None:
            return None
        names = meanings(self.structures[identifier], field, type_name)
        factor, unit = self.factor(text), self.unit(text)
        if "1.1\\textsuperscript" in text:
            # That 0 is 0 s is in the factor.
            factor, names = "exp11", re.sub(r"^0![^|]*[|]", "", names)
        if "15-minute increments" in text:
            factor, unit = "15,0,0", "min"
        if type_name in ("sfloat", "float", "float32"):
            if unit == "Pa" and "d = 3" in text:
                unit = "kPa"
            factor = ""
        if type_name == "u24" and unit == "d" and "date" in name:
            type_name, unit, factor = "days", "", ""
        if "CRC" in name:
            type_name = "x" + type_name[1:]
        return [self.joined(name, type_name, factor, unit, names, condition)]

    @staticmethod
    def joined(*parts: str) -> str:
        return "~".join(parts).rstrip("~")

    @staticmethod
    def size(field: Field) -> str:
        return str(field.get("size")) if re.fullmatch(r"\d+", str(field.get("size"))) else ""

    @staticmethod
    def name(name: str) -> str:
        """A field's name in the middle of a line: without what it shares with the characteristic's."""
        name = re.sub(r"\\text[a-z]+\{([^}]*)\}", r"\1", re.sub(r"\(.*?\)", "", name)).strip()
        name = name.rsplit(" - ", 1)[-1] if " - " in name else name
        words = [word if re.search(r"[A-Z].*[A-Z]", word) else word.lower() for word in name.split()]
        return re.sub(r"[~;|=]", " ", " ".join(words)).strip()

    @staticmethod
    def type_name(kind: str) -> str | None:
        if kind in TYPES:
            return TYPES[kind]
        if match := re.fullmatch(r"(u|s)int(\d+)", kind):
            if int(match[2]) % 8:
                return None
            return match[1] + match[2]
        if match := re.fullmatch(r"boolean\[(\d+)\]", kind):
            return "b" + match[1]
        if match := re.fullmatch(r"utf8s\\\{(\d+)\\\}", kind):
            return "text" + match[1]
        if kind == "utf8s":
            return "text"
        if match := re.fullmatch(r"(u|s)int(\d+) ?\[.*\]", kind):
            return f"{match[1]}{match[2]}*"
        return None

    @staticmethod
    def condition(text: str, field: Field) -> str:
        if match := re.search(r"[Pp]resent if bits (\d+) and (\d+) of", text):
            return f"+{match[1]}+{match[2]}"
        if match := re.search(r"[Pp]resent if bit (\d+) of (?:the )?(?:Presence )?Flags field is set to ([01])", text):
            return ("+" if match[2] == "1" else "-") + match[1]
        if match := re.search(r"Present if value of Field Selector field is (\d+)", text):
            return "=" + match[1]
        return "?" if re.match(r"0[ –-]", str(field.get("size"))) else ""

    @staticmethod
    def factor(text: str) -> str:
        match = re.search(r"M ?= ?(\d+),? ?d ?= ?(- ?)?(\d+),?(?: and)? ?b ?= ?(- ?)?(\d+)", text)
        if not match:
            return ""
        m, d, b = int(match[1]), int(match[3]), int(match[5])
        d, b = -d if match[2] else d, -b if match[4] else b
        # FTMS has "unit is 1" with d = 1, and "resolution of 1 m" is d = 0.
        if d == 1 and re.search(r"Unit is 1 |Unit is 1$|resolution of 1 m", text):
            d = 0
        if re.search(r"1/10 of an Ohm", text):
            d = -1
        return "" if (m, d, b) == (1, 0, 0) else f"{m},{d},{b}"

    @staticmethod
    def unit(text: str) -> str:
        match = re.search(r"org\.bluetooth\.unit\.? ?([a-z0-9_.]+)", text)
        if not match:
            return ""
        fitting = [unit for unit in UNITS if match[1].rstrip(".").endswith(unit)]
        return UNITS[max(fitting, key=len)] if fitting else ""
