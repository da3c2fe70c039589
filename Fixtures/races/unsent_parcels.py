"""A connection is ended while what was written without response is still to be sent."""

from racing import NUMBER, PARCELS, RECEIVED, connection, race

COUNT = 20


async def main(is_racy):
    async with connection() as client:
        for number in range(COUNT):
            await client.write_gatt_char(PARCELS, bytes([number]), response=False)
        if not is_racy:
            await client.read_gatt_char(NUMBER)  # is answered after all of them
    async with connection() as client:
        received = int.from_bytes((await client.read_gatt_char(RECEIVED))[:8], "little")
        assert received == COUNT, f"{received} of {COUNT} parcels were received"


race(main)
