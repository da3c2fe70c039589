"""docs/works-with.md names what the tests install."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PEERS = ("PySide6", "SimplePyBLE", "Bumble", "Playwright", "bleak", "bless", "bluepy", "bluez-peripheral")


def test_names_the_versions_that_are_installed():
    lists = [ROOT / "Fixtures" / "peers" / name for name in ("requirements.txt", "nightly.txt")]
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)", "\n".join(each.read_text() for each in lists), re.M))
    versions = {name.lower().replace("_addons", ""): version for name, version in pinned.items()}
    rows = [line for line in (ROOT / "docs" / "works-with.md").read_text().splitlines() if line.startswith("|")]
    for peer in PEERS:
        of_peer = [row for row in rows if peer.lower() in row.split("|")[1].lower()]
        assert of_peer, peer
        assert all(versions[peer.lower()] in row for row in of_peer), peer
