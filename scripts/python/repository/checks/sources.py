"""Lists the repository's files in a language, one a line.

usage: sources swift|c|python|shell|yaml
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from bluetooth_lab.places import ROOT

ENDINGS = {
    "swift": (".swift",),
    "c": (".c", ".h"),
    "python": (".py",),
    "shell": (".sh", ".bash"),
    "yaml": (".yaml", ".yml"),
}
# In the first line of a script whose name says nothing.
INTERPRETERS = {"python": ("python",), "shell": ("bash", "/sh")}
HINTS = {"shell": "# shellcheck shell="}


def is_written_in(language: str, name: str, first_line: str) -> bool:
    """By the name's ending, or for scripts without one by the interpreter."""
    if name.endswith(ENDINGS[language]):
        return True
    if "." in name.rsplit("/", 1)[-1][1:]:
        return False
    if language in HINTS and first_line.startswith(HINTS[language]):
        return True
    return first_line.startswith("#!") and any(word in first_line for word in INTERPRETERS.get(language, ()))


def first_line(path: Path) -> str:
    with open(path, "rb") as file:
        return file.readline(200).decode(errors="replace").strip()


def known_files() -> list[Path]:
    """Those that git knows or would add, and that are there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode()
    paths = [ROOT / name for name in dict.fromkeys(listed.split("\0")) if name]
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def sources(languages: Iterable[str]) -> list[Path]:
    """Without those that another program makes."""
    languages = list(languages)
    return [
        path
        for path in known_files()
        if any(is_written_in(language, str(path.relative_to(ROOT)), first_line(path)) for language in languages)
    ]


def main(words: list[str]) -> int:
    if not words or any(word not in ENDINGS for word in words):
        print(__doc__, file=sys.stderr)
        return 2
    for path in sources(words):
        print(path.relative_to(ROOT))
    return 0
