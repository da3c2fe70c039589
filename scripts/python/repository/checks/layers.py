"""Checks that the Swift sources keep to the layers.

usage: layers

It reports:

- an import of a target or product that Package.swift does not declare as a dependency of the file's target;
- a dependency that Package.swift declares and no file imports;
- folders of a target that use each other, in a cycle;
- a name of BlueZ's or of D-Bus's own in a string outside of the targets BlueZ and DBus.

Folders are those directly in a target's folder, with all that is below. A folder uses another one if a file in it
names a type that is declared there, at the beginning of a line. This is an approximation: it does not see a use of a
member of an extension, nor of a type whose name is declared in several folders. Files directly in a target's folder,
such as a library's main class, may use all folders and be used by all.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bluetooth_lab.places import ROOT
from repository.checks.swift import Source, line_of, read

# Modules that come with the toolchain.
TOOLCHAIN = {
    *("Darwin", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Glibc"),
    *("Musl", "Observation", "RegexBuilder", "Swift", "Synchronization", "Testing", "XCTest"),
}
# What a product brings besides the module of its name.
MODULES = {"Yams": {"CYaml"}}
# What only those import who use the library that depends on it.
FOR_USERS = {"CoreBluetoothSubmodules"}

# The targets that may write names of the bus.
BUS_TARGETS = {"BlueZ", "DBus"}
BUS_NAME = re.compile(r"\borg[./](?:bluez|freedesktop/DBus|freedesktop\.DBus)\b")


class Agreed(NamedTuple):
    """A use of one folder by another that may close a cycle, and why."""

    target: str
    user: str
    used: str
    why: str


AGREED = [
    Agreed("CoreBluetooth", "Attributes", "Central", "a service has its peripheral, as in Apple's API"),
    Agreed("CoreBluetooth", "Attributes", "Peripheral", "a local characteristic has its centrals, as in Apple's API"),
    Agreed("Bluejay", "Time", "Async", "a deadline ends the call that a task awaits"),
    Agreed("Bluejay", "Peripheral", "Listening", "a peripheral has the table of its listeners"),
    Agreed("Dittojay", "Peripheral", "Control", "a peripheral carries out the commands of the control socket"),
    Agreed("Dittojay", "Profiles", "ProfileFile", "a profile is summed up in the words of its file"),
]

ATTRIBUTES = r"(?:@\w+(?:\([^)\n]*\))?\s+)*"
IMPORT = re.compile(
    rf"^[ \t]*{ATTRIBUTES}(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:actor|class|enum|func|let|protocol|struct|typealias|var)\s+)?(\w+)",
    re.MULTILINE,
)
DECLARATION = re.compile(
    rf"^{ATTRIBUTES}(?:(?:public|open|package|internal|final|indirect|nonisolated)\s+)*"
    r"(?:actor|class|enum|protocol|struct|typealias)\s+(\w+)",
    re.MULTILINE,
)
# A type's name, and no member's: `Swift.Sendable` is none of this package's.
TYPE = re.compile(r"(?<![.\w])[A-Z]\w*")


class Target(NamedTuple):
    name: str
    folder: Path
    # As Package.swift declares them.
    declared: set[str]
    # The modules that it may import.
    dependencies: set[str]
    is_test: bool


def targets(package: dict[str, Any], root: Path) -> list[Target]:
    """The package's Swift targets."""
    found = []
    for target in package["targets"]:
        if target["type"] in ("system", "plugin", "binary"):
            continue
        declared = {entry[0] for dependency in target["dependencies"] for entry in dependency.values()}
        names = declared.union(*(MODULES.get(name, set()) for name in declared))
        is_test = target["type"] == "test"
        path = target.get("path") or f"{'Tests' if is_test else 'Sources'}/{target['name']}"
        found.append(Target(target["name"], root / path, declared, names, is_test))
    return found


def undeclared(target: Target, path: Path, source: Source, above: dict[str, set[str]]) -> Iterator[str]:
    for match in IMPORT.finditer(source.code):
        module = match[1]
        if module in TOOLCHAIN or module in target.dependencies:
            continue
        layers = f", which is above it ({module} uses {target.name})" if target.name in above.get(module, set()) else ""
        line = line_of(source.code, match.start(1))
        yield f"{path}:{line}: {target.name} imports {module}{layers}: Package.swift does not declare that"


def unused(target: Target, sources: Iterable[Source]) -> Iterator[str]:
    imported = {match[1] for source in sources for match in IMPORT.finditer(source.code)}
    for name in sorted(target.declared - FOR_USERS):
        if not imported & ({name} | MODULES.get(name, set())):
            yield f"Package.swift: {target.name} depends on {name}, and no file of it imports that"


def reachable(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """All that can be reached from each node."""
    reach = {}
    for node in edges:
        seen: set[str] = set()
        waiting = [node]
        while waiting:
            for other in edges.get(waiting.pop(), set()) - seen:
                seen.add(other)
                waiting.append(other)
        reach[node] = seen
    return reach


def cycle(edges: dict[str, set[str]]) -> list[str] | None:
    """The nodes of a shortest cycle, the first again at the end; None if there is none."""
    found = [path for start in sorted(edges) if (path := way_back(start, edges))]
    return min(found, key=len, default=None)


def way_back(start: str, edges: dict[str, set[str]]) -> list[str] | None:
    """A shortest way from a node to itself."""
    ways, seen = deque([[start]]), {start}
    while ways:
        way = ways.popleft()
        followers = edges.get(way[-1], set())
        if start in followers:
            return [*way, start]
        ways.extend([*way, other] for other in sorted(followers - seen))
        seen |= followers
    return None


def cycles(target: Target, sources: dict[Path, Source], agreed: Sequence[Agreed]) -> Iterator[str]:
    def folder(path: Path) -> str | None:
        parts = path.relative_to(target.folder).parts
        return parts[0] if len(parts) > 1 else None

    homes: dict[str, set[str | None]] = defaultdict(set)
    for path, source in sources.items():
        for match in DECLARATION.finditer(source.code):
            homes[match[1]].add(folder(path))
    # What shows that one folder uses another.
    examples: dict[tuple[str, str], str] = {}
    for path, source in sorted(sources.items()):
        user = folder(path)
        for word in sorted(set(TYPE.findall(source.code))):
            home = homes.get(word, set())
            if user is None or len(home) != 1:
                continue
            (used,) = home
            if used is not None and used != user:
                examples.setdefault((user, used), f"{user} uses {word} of {used} ({path.name})")
    edges: dict[str, set[str]] = defaultdict(set)
    for user, used in examples:
        edges[user].add(used)
    for use in agreed:
        edges[use.user].discard(use.used)
    while found := cycle(edges):
        steps = [(found[index], found[index + 1]) for index in range(len(found) - 1)]
        yield f"{target.name}: folders use each other: " + ", ".join(examples[step] for step in steps)
        for user, used in steps:  # one report for each cycle
            edges[user].discard(used)


def bus_names(path: Path, source: Source) -> Iterator[str]:
    for line, text in source.strings:
        for match in BUS_NAME.finditer(text):
            here = line_of(text, match.start()) + line - 1
            yield f"{path}:{here}: {match[0]}: only BlueZ and DBus write names of the bus"


def check(root: Path, package: dict[str, Any], agreed: Sequence[Agreed]) -> Iterator[str]:
    all_targets = targets(package, root)
    above = reachable({target.name: target.dependencies for target in all_targets})
    for target in all_targets:
        sources = {path: read(path.read_text("utf-8")) for path in sorted(target.folder.rglob("*.swift"))}
        for path, source in sources.items():
            shown = path.relative_to(root)
            yield from undeclared(target, shown, source, above)
            if shown.parts[0] == "Sources" and target.name not in BUS_TARGETS:
                yield from bus_names(shown, source)
        if sources:
            yield from unused(target, sources.values())
        if not target.is_test:
            yield from cycles(target, sources, [use for use in agreed if use.target == target.name])


def main(words: list[str]) -> int:
    if words:
        print(__doc__, file=sys.stderr)
        return 2
    command = ["swift", "package", "dump-package"]
    dump = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    problems = list(check(ROOT, json.loads(dump.stdout), AGREED))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0
