"""docs/architecture.md names files: they exist, and each name means one file."""

import re

from bluetooth_lab.places import ROOT

NAME = re.compile(r"`((?:[\w+]+/)*[\w+]+\.swift)`")


def test_each_file_that_the_page_names_exists() -> None:
    names = set(NAME.findall((ROOT / "docs/architecture.md").read_text()))
    assert len(names) > 30
    sources = [path.relative_to(ROOT / "Sources").as_posix() for path in (ROOT / "Sources").rglob("*.swift")]
    found = {name: [path for path in sources if path == name or path.endswith("/" + name)] for name in names}
    # Three files of a profile have the same name, so the page writes their folders.
    assert {name: paths for name, paths in found.items() if len(paths) != 1} == {}
