"""The names of tests: `Module.Suite/test()` in Swift Testing, `Module.Class/test` in XCTest, node identifiers in
pytest; and the classes that reports put them into."""

from __future__ import annotations

import re

# Names may be sentences between backticks, with slashes and dots in them. What follows the last parenthesis is a place.
SWIFT_TEST = re.compile(r"(?P<suite>.+?)[./](?P<test>`[^`]*`\([^/]*\)|[^/.`]+\([^/]*\))(?P<place>/[^/`]+:\d+:\d+)?$")


def swift_suite(name: str) -> str:
    """The suite of a test of Swift Testing: `Module.Suite`, with those that it is in, or the module."""
    match = SWIFT_TEST.match(name)
    return match["suite"] if match else name.rpartition("/")[0] or name


def swift_class(name: str) -> str:
    """The suite as reports have it: with dots, and without backticks."""
    return swift_suite(name).replace("/", ".").replace("`", "")


def xctest_parts(name: str) -> tuple[str, str]:
    """The class and the method of a test of XCTest, whose output has a dot between them and whose list has a slash."""
    suite, _, test = re.sub(r"/(?=[^/]*$)", ".", name).rpartition(".")
    return suite, test


def pytest_file(node: str) -> str:
    return node.partition("::")[0]


def pytest_class(node: str) -> str:
    """As pytest's own reports have it: the file, with dots, and the class."""
    path, *parts = node.partition("[")[0].split("::")
    return ".".join([path.removesuffix(".py").replace("/", "."), *parts[:-1]])
