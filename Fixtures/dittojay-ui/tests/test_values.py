"""What the page shows of a sensor, and what it does with it, as a central sees it."""

import os


def test_shot(page, sensor, central):
    monitor = central("monitor", "--json")
    page.wait_for("Boolean(document.querySelector('.plot .curve'))", 60)
    import time
    time.sleep(20)
    out = os.environ["LAB_OUT"]
    page.click("#chirp button")
    time.sleep(1)
    for scheme in ("light", "dark"):
        page.session.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.resize(1280, 1000)
        time.sleep(1)
        page.screenshot(f"{out}/wide-{scheme}.png")
        page.resize(390, 844, 2)
        time.sleep(1)
        page.screenshot(f"{out}/small-{scheme}.png")
    print(page.console, page.errors, monitor.lines[-5:])
