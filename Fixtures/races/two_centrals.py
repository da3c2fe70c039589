"""Two centrals add one to the same number."""

import asyncio
import fcntl
import sys
import tempfile
from pathlib import Path

from racing import NUMBER, connection, race

FIRST, SECOND = "hci1", "hci2"
HEAD_START = 0.03  # seconds: what adding one takes, and some more


async def add_one(adapter, is_racy):
    """Prints a line when it is connected, and begins when it has got one."""
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with connection(adapter) as client:
        print("connected", flush=True)
        await lines.readline()
        with open(Path(tempfile.gettempdir()) / "race.lock", "w") as lock:
            if not is_racy:
                fcntl.flock(lock, fcntl.LOCK_EX)
            number = (await client.read_gatt_char(NUMBER))[0]
            await client.write_gatt_char(NUMBER, bytes([number + 1]), response=True)


async def main(is_racy):
    centrals = []
    for adapter in (FIRST, SECOND):
        words = [sys.executable, *sys.argv, adapter]
        pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
        centrals.append(await asyncio.create_subprocess_exec(*words, **pipes))
        assert await centrals[-1].stdout.readline() == b"connected\n"
    for central in centrals:
        central.stdin.write(b"\n")
        await asyncio.sleep(HEAD_START)
    assert [await central.wait() for central in centrals] == [0, 0]
    async with connection() as client:
        number = (await client.read_gatt_char(NUMBER))[0]
        assert number == 2, f"two centrals added one each, and the number is {number}"


if len(sys.argv) > 2:
    asyncio.run(add_one(sys.argv[2], sys.argv[1] == "racy"))
else:
    race(main)
