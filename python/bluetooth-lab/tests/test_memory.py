"""Where a machine in user-mode Linux has its memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from bluetooth_lab.machine.memory import Memory, Place, candidates, choose_memory, look_at, size_in_bytes

GIGABYTE = 1 << 30
SHM, DISK = Path("/dev/shm"), Path("/tmp")


def choose(wanted: str, *places: Place) -> Memory:
    by_folder = {place.folder: place for place in places}
    return choose_memory(wanted, [Path("/absent"), *by_folder], by_folder.get)


def test_the_first_folder_with_room_has_it() -> None:
    places = Place(SHM, 4 * GIGABYTE, True), Place(DISK, 9 * GIGABYTE, True)
    assert choose("2G", *places) == Memory(SHM, "2G")


def test_a_small_shm_is_left_to_others() -> None:
    places = Place(SHM, 64 << 20, True), Place(DISK, 9 * GIGABYTE, True)
    assert choose("2G", *places) == Memory(DISK, "2G")


def test_a_folder_that_is_mounted_noexec_is_no_place_for_it() -> None:
    places = Place(SHM, 4 * GIGABYTE, False), Place(DISK, 9 * GIGABYTE, True)
    assert choose("2G", *places) == Memory(DISK, "2G")


def test_where_there_is_less_room_the_machine_has_less(capfd: pytest.CaptureFixture[str]) -> None:
    places = Place(SHM, 64 << 20, True), Place(DISK, 1000 << 20, True)
    assert choose("2G", *places) == Memory(DISK, "900M")
    assert "the machine has 900 MB of memory instead of 2G" in capfd.readouterr().err


def test_without_room_the_variable_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        choose("2G", Place(SHM, 64 << 20, True))
    message = capfd.readouterr().err
    assert "needs 256 MB" in message
    assert "TMPDIR" in message


@pytest.mark.parametrize(("text", "size"), [("512", 512 << 20), ("512M", 512 << 20), ("2G", 2 << 30), ("4k", 4096)])
def test_sizes_are_as_qemu_takes_them(text: str, size: int) -> None:
    assert size_in_bytes(text) == size


def test_what_is_no_size_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        size_in_bytes("much")
    assert "invalid LAB_MEMORY much; expected a size" in capfd.readouterr().err


def test_the_callers_folder_comes_first() -> None:
    assert candidates({"TMP": "/mine", "TEMP": "/other"}, Path("/lab"))[:2] == [Path("/mine"), SHM]


def test_a_folder_is_looked_at(tmp_path: Path) -> None:
    place = look_at(tmp_path)
    assert place and place.room > 0
    assert look_at(tmp_path / "absent") is None
