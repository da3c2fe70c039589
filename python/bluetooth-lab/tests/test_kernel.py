"""Unpacking a kernel."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from bluetooth_lab.kernel import PVH_NOTE, main, unpack

ELF = b"\x7fELF" + PVH_NOTE + bytes(100)


@pytest.mark.parametrize("packed", [gzip.compress(ELF), lzma.compress(ELF)], ids=["gzip", "xz"])
def test_the_image_is_found_behind_the_loader(packed: bytes, tmp_path: Path) -> None:
    kernel, image = tmp_path / "vmlinuz", tmp_path / "vmlinux"
    kernel.write_bytes(b"MZ loader \x1f\x8b\x08 no archive" + packed + b"trailer")
    assert main([str(kernel), str(image)]) == 0
    assert image.read_bytes() == ELF


def test_what_is_no_such_kernel_is_left_alone(tmp_path: Path) -> None:
    assert unpack(b"no kernel" * 100) is None
    assert unpack(gzip.compress(b"not ELF")) is None
    kernel, image = tmp_path / "vmlinuz", tmp_path / "vmlinux"
    kernel.write_bytes(gzip.compress(b"\x7fELF without the note"))
    assert main([str(kernel), str(image)]) == 1
    assert not image.exists()
