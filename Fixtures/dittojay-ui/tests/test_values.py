"""What the page shows of a sensor, and what it does with it, as a central sees it."""

import json

import pytest

THERMOMETER = "../../profiles/thermometer.yaml"
CURVE = "document.querySelector('.plot .curve')?.getAttribute('d')"
# Nothing is lost by distance in ideal air.
SCENE = """
air: real
devices:
  sensor: {controller: hci1, at: [0 m, 0 m]}
  phone: {controller: hci0, at: [15 m, 0 m]}
  other: {controller: hci2, at: [0 m, 20 m]}
"""
MIDDLE = """(({{x, y, width, height}}) => ({{x: x + width / 2, y: y + height / 2}}))(
    [...document.querySelectorAll({selector})].find((one) => one.getAttribute("aria-label")?.startsWith({label}))
        .getBoundingClientRect())"""


def middle(page, selector, label):
    """The middle of the element with such a label, once it is in view."""
    page.wait_for(f"Boolean(document.querySelector({json.dumps(selector)}))")
    page.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
    return page.evaluate(MIDDLE.format(selector=json.dumps(selector), label=json.dumps(label)))


def drag(page, start, way):
    """Drags with the mouse from a place, in steps of a way in pixels."""
    mouse = {"button": "left", "buttons": 1, "clickCount": 1}
    page.session.call("Input.dispatchMouseEvent", type="mousePressed", **start, **mouse)
    for part in range(1, 11):
        place = {"x": start["x"] + way[0] * part / 10, "y": start["y"] + way[1] * part / 10}
        page.session.call("Input.dispatchMouseEvent", type="mouseMoved", **place, **mouse)
    page.session.call("Input.dispatchMouseEvent", type="mouseReleased", **place, **{**mouse, "buttons": 0})


def test_the_plot_moves_and_the_central_is_there(page, sensor, central):
    assert page.text("#name") == sensor.name
    page.wait_for_text("#connection", "advertising")
    central("monitor", "--json")
    page.wait_for_text("#centrals", "heart-rate-measurement", 60)
    page.wait_for_text("#centrals", "MTU 517")
    page.wait_for_text("#centrals", "−59 dBm")
    page.wait_for_text(".characteristic .value", "bpm")
    first = page.wait_for(CURVE)
    page.wait_for(f"{CURVE} !== {json.dumps(first)}")
    label = page.evaluate("document.querySelector('.plot').getAttribute('aria-label')")
    assert label.startswith("heart-rate-measurement: heart rate: ") and "in the last minute" in label
    page.wait_for_text("#log", "subscribed")


def test_a_chirp_reaches_the_central(page, sensor, central):
    listener = central("listen", "--json", sensor.address, "chirp")
    sensor.wait("subscribed", "chirp", timeout=60)
    page.type("#chirp-value", "good morning")
    page.click("#chirp button")
    page.wait_for_text("#result", "chirped to 1 subscriber")
    listener.wait_line(b"good morning".hex())


@pytest.mark.sensor(THERMOMETER)
def test_a_slider_that_is_dragged_reaches_the_central(page, sensor, central):
    listener = central("listen", "--raw", sensor.address, "battery-level")
    sensor.wait("subscribed", "battery-level", timeout=60)
    slider = "#main input[type=range]"
    page.wait_for(f"document.querySelectorAll({json.dumps(slider)}).length >= 3")
    page.evaluate("document.querySelector('[aria-label^=battery-level]').scrollIntoView({block: 'center'})")
    place = page.evaluate(MIDDLE.format(selector=json.dumps(slider), label='"battery-level"'))
    drag(page, place, (-200, 0))
    listener.wait_line("00")
    assert sensor.request("characteristics")["characteristics"][2]["value"] == "00"
    # And by the keyboard, to the other end.
    page.evaluate("document.querySelector('[aria-label^=battery-level]').focus()")
    for kind in ("rawKeyDown", "keyUp"):
        page.session.call("Input.dispatchKeyEvent", type=kind, key="End", windowsVirtualKeyCode=35)
    listener.wait_line("64", since=len(listener.lines))


@pytest.mark.sensor(THERMOMETER)
def test_numbers_have_their_units(page, sensor):
    page.wait_for_text("[aria-label='Environmental sensing']", "21.50 °C")
    page.wait_for_text("[aria-label='Environmental sensing']", "45.50 %")
    page.evaluate("""(() => {
        const field = document.querySelector("[aria-label='temperature in °C, as a number']");
        field.focus();
        field.value = "-12.34";
        field.form.requestSubmit();
    })()""")
    sensor.wait("set", "temperature")
    page.wait_for_text("[aria-label='Environmental sensing']", "−12.34 °C")
    assert sensor.request("characteristics")["characteristics"][0]["value"] == "2efb"


@pytest.mark.scene(SCENE)
def test_a_sensor_that_is_dragged_away_is_lost(page, sensor, central, bluetooth_lab):
    central("monitor", "--json")
    sensor.wait("subscribed", "heart-rate-measurement", timeout=60)
    page.wait_for_text("#map .devices", "phone")
    page.wait_for_text("#map .devices", "other")
    # To the edge of the map, which then shows more.
    for _ in range(3):
        page.click("#farther")
        drag(page, middle(page, "#map .device", "sensor"), (-400, 0))
        page.wait_for("!document.querySelector('#map .device:active')")
    sensor.wait("disconnected", timeout=60)
    page.wait_for_text("#centrals", "No central is connected")
    page.wait_for_text("#log", "disconnected")


def test_services_faults_and_links_are_changed(page, sensor, central):
    central("monitor", "--json")
    sensor.wait("subscribed", "heart-rate-measurement", timeout=60)
    page.evaluate("document.querySelector('[aria-label=\"chirp is published\"]').click()")
    sensor.wait("service-removed", "chirp")
    page.wait_for("document.querySelector('[aria-label=\"Chirp\"]').classList.contains('withdrawn')")
    page.evaluate("document.querySelector('[aria-label=\"chirp is published\"]').click()")
    sensor.wait("service-added", "chirp")

    page.evaluate("document.querySelector('#fault button').click()")
    page.wait_for_text("#faults", "on notify: disconnect")
    page.evaluate("document.querySelector('#faults button').click()")
    page.wait_for_text("#faults", "No faults injected")

    before = sensor.position
    page.click("#centrals button")
    sensor.wait("disconnected", since=before)
    page.evaluate("document.querySelectorAll('#switches input')[0].click()")
    sensor.wait("advertising-stopped")
    page.evaluate("document.querySelectorAll('#switches input')[1].click()")
    page.wait_for_text("#connection", "Bluetooth is off")


def test_the_log_is_filtered(page, sensor):
    sensor.power(False)
    page.wait_for_text("#log", "Bluetooth is off")
    sensor.power(True)
    sensor.wait("advertising", count=2)
    sensor.chirp(b"one")
    page.wait_for_text("#log", "chirped")
    page.type("#filter", "chirped 6f6e65")
    page.wait_for("[...document.querySelectorAll('#log li')].filter((one) => !one.hidden).length === 1")


def test_the_page_outlives_its_sensor_and_a_reload(page, sensor):
    page.reload()
    page.wait_for_text("#name", sensor.name)
    assert "#" not in page.evaluate("location.href")
    sensor.stop()
    page.wait_for_text("#notice", "No dittojay is running")


@pytest.mark.sensor(THERMOMETER, adapter="hci1")
@pytest.mark.sensor("lab", adapter="hci2")
@pytest.mark.bluetooth_lab(controllers=3)
def test_one_of_several_sensors_is_chosen(sensors, serve, web_bluetooth):
    chirp_by_the_second(web_bluetooth.open(serve(*sensors)), sensors)


@pytest.mark.bluetooth_lab(controllers=3)
def test_one_of_the_sensors_of_a_process_is_chosen(start_sensors, serve, web_bluetooth):
    sensors = start_sensors(2, "lab", name="Room {n}")
    chirp_by_the_second(web_bluetooth.open(serve(sensors[0])), sensors)


def chirp_by_the_second(page, sensors):
    page.wait_for("document.querySelectorAll('#peripherals option').length === 2")
    page.wait_for_text("#name", sensors[0].name)
    page.evaluate("""(() => {
        const select = document.querySelector("#peripherals");
        select.selectedIndex = 1;
        select.dispatchEvent(new Event("change"));
    })()""")
    page.wait_for_text("#about", sensors[1].adapter)
    page.click("#chirp button")
    sensors[1].wait("chirped")


def test_a_central_that_pairs_is_answered(start_sensor, serve, web_bluetooth, central, tmp_path):
    profile = tmp_path / "lock.yaml"
    profile.write_text(
        "pairing: {io: yes-no}\nservices:\n  - uuid: heart-rate\n"
        "    characteristics: [{uuid: body-sensor-location, properties: [read], authenticated: true}]\n"
    )
    sensor = start_sensor(str(profile))
    page = web_bluetooth.open(serve(sensor))
    page.wait_for("document.documentElement.dataset.ready")
    pair = central("pair", sensor.address, "--yes")
    page.wait_for_text("#log", "comparison-requested", 60)
    page.click("#log .answer button")
    assert pair.wait(timeout=60) == 0, pair.transcript
    sensor.wait("paired")
    assert page.errors == []
