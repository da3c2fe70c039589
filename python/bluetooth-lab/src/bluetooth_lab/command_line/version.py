"""The version of this package, which its programs have, too."""

from __future__ import annotations

import re

from bluetooth_lab.places import IS_INSTALLED, ROOT, VERSION


def version() -> str:
    if IS_INSTALLED:
        return VERSION.read_text().strip()
    source = (ROOT / "Sources/ProgramSupport/PackageVersion.swift").read_text()
    found = re.search(r'packageVersion = "(.*)"', source)
    return found[1] if found else "unknown"
