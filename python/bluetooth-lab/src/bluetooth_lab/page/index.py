"""The failed tests of a run on one page, each with what was wrong and a link to its own page."""

from __future__ import annotations

import html
import os
from pathlib import Path

from bluetooth_lab.page.assemble import WEB, checksum
from bluetooth_lab.page.command import PAGE
from bluetooth_lab.page.record import summary_of

INDEX = "failures.html"


def failed_tests(out: Path) -> list[Path]:
    """The folders of a run's failed tests, without those that fail on purpose. Links may lead to some of them."""
    found = {page.parent.resolve() for page in out.glob(f"**/failures/*/{PAGE}")}
    return sorted(folder for folder in found if "on-purpose" not in folder.parts)


def row(out: Path, folder: Path) -> str:
    about = summary_of((folder / "summary.txt").read_text(errors="replace"))
    link = html.escape(os.path.relpath(folder / PAGE, out.resolve()), quote=True)
    took = f"{about['end'] - about['start']:.1f} s" if "start" in about else ""
    title, issues = html.escape(about["title"] or folder.name), html.escape(about["issues"])
    return f'<li><a href="{link}">{title}</a> <span>{took}</span><pre>{issues}</pre></li>\n'


def write_index(out: Path) -> Path | None:
    """Writes the page, and returns its path; None if nothing has failed. Raises OSError if it cannot be written."""
    folders = failed_tests(out)
    if not folders:
        return None
    style = (WEB / "index.css").read_text()
    noun = "test" if len(folders) == 1 else "tests"
    policy = f"default-src 'none'; style-src '{checksum(style)}'; base-uri 'none'; form-action 'none'"
    text = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{len(folders)} failed {noun}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<h1>{len(folders)} failed {noun}</h1>\n<ol>\n{''.join(row(out, folder) for folder in folders)}</ol>\n"
        "</body>\n</html>\n"
    )
    target = out / INDEX
    target.write_text(text)
    return target
