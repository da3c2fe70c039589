"""A plugin for pytest, which `lab test` loads: it lists the tests that match, and deselects those of other shards.

It runs with the Python and the pytest of any project, and so imports nothing else. LAB_TESTS_LIST names a file that
gets the node identifiers of the tests. LAB_TESTS_CHOSEN names one that has those of this shard and of the others; a
test that is in neither runs in the first shard.
"""

from __future__ import annotations  # older releases of pytest have no pytest.Config

import json
import os

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    listed, chosen = os.environ.get("LAB_TESTS_LIST"), os.environ.get("LAB_TESTS_CHOSEN")
    if listed:
        with open(listed, "w", encoding="utf-8") as file:
            json.dump([item.nodeid for item in items], file)
    if not chosen:
        return
    with open(chosen, encoding="utf-8") as file:
        choice = json.load(file)
    mine, others = set(choice["mine"]), set(choice["others"])

    def runs(node: str) -> bool:
        return node in mine or (choice["is_first"] and node not in others)

    kept = [item for item in items if runs(item.nodeid)]
    dropped = [item for item in items if not runs(item.nodeid)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept
