"""Which table of value formats scripts/names/compare has compared last, for a test that needs no network."""

import hashlib
import json
from pathlib import Path

from bluetooth_lab.places import ROOT
from repository.names.differences import SUPPLEMENT, XML

FORMATS = ROOT / "Sources/GATTProfiles/Decoding/FormatTable.swift"
RECORD = Path(__file__).with_name("compared.sha256")


def digest() -> str:
    """Of the table, and of the differences that are intended."""
    compared = [FORMATS.read_text(encoding="utf-8"), SUPPLEMENT, XML]
    return hashlib.sha256(json.dumps(compared, sort_keys=True).encode()).hexdigest()


def record() -> None:
    RECORD.write_text(digest() + "\n", encoding="utf-8")


def is_recorded() -> bool:
    return RECORD.read_text(encoding="utf-8").strip() == digest()
