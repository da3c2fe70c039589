"""axe-core finds nothing that keeps people from using the page."""

import json
import os
from pathlib import Path

import pytest

LAB = Path(os.environ.get("LAB_HOME") or Path(__file__).parents[3] / ".lab")
AXE = LAB / "axe/axe_playwright_python/axe.min.js"
RUN = "axe.run().then(({violations}) => violations.map(({id, nodes}) => [id, nodes.map(({html}) => html)]))"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page, sensor, central, scheme):
    central("monitor", "--json")
    sensor.wait("subscribed", "chirp", timeout=60)
    page.wait_for("Boolean(document.querySelector('#map .device') && document.querySelector('.plot .curve'))")
    page.session.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for width in (1280, 390):
        page.resize(width, 900)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off"
        found = page.evaluate(RUN)
        assert found == [], json.dumps(found, indent=1)


def test_axe_finds_nothing_on_a_page_that_is_locked(sensor, serve, web_bluetooth):
    page = web_bluetooth.open(serve(sensor).split("#")[0])
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate(RUN) == []
