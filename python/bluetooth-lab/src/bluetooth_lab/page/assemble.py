"""Puts a page together: the viewer's style and script, and the records' files, in one file of HTML.

What a record has is never part of the markup: its files are compressed, and written in base64. The page's Content
Security Policy allows the one style and the one script, by their checksums, and nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path

from bluetooth_lab.page.record import Record

WEB = Path(__file__).resolve().parent / "web"
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
LEVEL = 6  # of compression: more is hardly smaller, and slow


def script(main: str = "main.js") -> str:
    """A module and all that it imports as one, each after those that it needs. Their top-level names must differ."""
    parts: list[str] = []
    seen: set[str] = set()

    def add(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        text = (WEB / name).read_text()
        for needed in IMPORT.findall(text):
            add(needed)
        parts.append(f"// {name}\n{EXPORT.sub('', IMPORT.sub('', text))}")

    add(main)
    return "\n".join(parts)


def checksum(text: str) -> str:
    """As a Content Security Policy names what it allows."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def embedded(name: str, record: Record) -> str:
    """The elements of a record's files."""
    files = {"about.json": json.dumps(record.about).encode(), **record.files}
    return "".join(
        f'<script type="application/octet-stream" data-record="{name}" data-file="{file}">'
        f"{base64.b64encode(zlib.compress(content, LEVEL)).decode()}</script>\n"
        for file, content in files.items()
    )


def page(record: Record, other: Record | None = None) -> str:
    """`other`: the record of a run that passed, to compare with."""
    title = f"{record.about.get('title') or 'Record'} {record.about.get('status', '')}".strip()
    records = embedded("this", record) + (embedded("other", other) if other else "")
    return filled("page", "main.js", title, records)


def filled(name: str, main: str, title: str, records: str) -> str:
    """A page of `web`, with its own style and that of all pages."""
    style = "".join((WEB / file).read_text() for file in ("shared.css", f"{name}.css"))
    code = script(main)
    values = {
        "TITLE": html.escape(title),
        "STYLE": style,
        "STYLE_SUM": checksum(style),
        "SCRIPT": code,
        "SCRIPT_SUM": checksum(code),
        "RECORDS": records,
    }
    return re.sub(r"@([A-Z_]+)@", lambda match: values[match[1]], (WEB / f"{name}.html").read_text())
