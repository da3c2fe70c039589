"""Nobody without the page's address can see or do anything."""

import http.client
import json
from urllib.parse import urlsplit

import pytest

CHIRP = {"peripheral": "0/hci0", "request": {"command": "chirp"}}
ATTEMPT = """(async () => {{
    const results = [];
    for (const headers of [{{}}, {{"Content-Type": "application/json", "Authorization": "Bearer {token}"}}]) {{
        for (const mode of ["cors", "no-cors"]) {{
            try {{
                const body = {body};
                const response = await fetch("{base}api/command", {{method: "POST", mode, headers, body}});
                results.push(response.type);
            }} catch (error) {{
                results.push("refused");
            }}
        }}
    }}
    return results;
}})()"""


@pytest.fixture
def address(sensor, serve):
    return serve(sensor)


def post(address, message=None, **fields):
    """Asks for a chirp with other header fields; None leaves one out."""
    parts = urlsplit(address)
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "Authorization": f"Bearer {parts.fragment}",
        "Origin": f"http://{parts.netloc}",
    }
    headers.update({name.replace("_", "-"): value for name, value in fields.items()})
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.putrequest("POST", "/api/command", skip_host=True, skip_accept_encoding=True)
    body = json.dumps(message or CHIRP).encode()
    for name, value in headers.items():
        if value is not None:
            connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    response = connection.getresponse()
    return response.status, response.read()


def chirps(sensor):
    """How often it has chirped so far: no event comes after that of a later chirp."""
    sensor.chirp(b"end")
    sensor.wait("chirped", b"end".hex())
    return len([event for event in sensor.events if event.kind == "chirped"]) - 1


def test_requests_take_the_token_the_host_and_the_origin(address, sensor):
    assert post(address) == (200, b'{"ok":true,"subscribers":0}')
    assert post(address, Origin=None)[0] == 200
    port = urlsplit(address).port
    refused: list[tuple[int, dict[str, str | None]]] = [
        (401, {"Authorization": None}),
        (401, {"Authorization": "Bearer " + "0" * 64}),
        (401, {"Authorization": urlsplit(address).fragment}),
        (421, {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}),
        (421, {"Host": "127.0.0.1"}),
        (421, {"Host": None}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Origin": f"https://127.0.0.1:{port}"}),
        (403, {"Origin": "null"}),
        (403, {"Sec_Fetch_Site": "same-site"}),
        (400, {"Content_Type": "text/plain"}),
    ]
    for status, fields in refused:
        assert post(address, **fields)[0] == status, fields
    assert post(address, {"peripheral": "0/hci0", "request": {"command": "quit"}})[1].startswith(b'{"ok":false')
    assert chirps(sensor) == 2


def test_a_page_of_another_origin_does_nothing(address, sensor, web_bluetooth, tmp_path):
    (tmp_path / "index.html").write_text("<!doctype html><title>another</title>")
    page = web_bluetooth.open(web_bluetooth.serve(tmp_path))
    parts = urlsplit(address)
    script = ATTEMPT.format(
        base=f"{parts.scheme}://{parts.netloc}/", token=parts.fragment, body=json.dumps(json.dumps(CHIRP))
    )
    assert set(page.evaluate(script)) <= {"refused", "opaque"}
    # Nor can it show the page inside of itself.
    page.evaluate(f"""new Promise((done) => {{
        const frame = document.createElement("iframe");
        frame.onload = done;
        frame.src = {json.dumps(address)};
        document.body.append(frame);
    }})""")
    assert page.evaluate("document.querySelector('iframe').contentDocument") is None
    assert chirps(sensor) == 0


def test_the_page_without_its_token_is_locked(address, web_bluetooth):
    page = web_bluetooth.open(address.split("#")[0])
    page.wait_for_text("#notice", "Open the address")
    page = web_bluetooth.open(address.split("#")[0] + "#" + "0" * 64)
    page.wait_for_text("#notice", "Open the address")
    assert page.evaluate("sessionStorage.length") == 0
