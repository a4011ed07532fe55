"""Files that are truncated, changed, newer, or not ours are refused before anything in them is trusted."""

import io
import json
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from topicgrove import CorruptModelError, HierarchicalLDA, load
from topicgrove.persistence import models, sealed
from topicgrove.persistence.sealed import write_sealed


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(CorruptModelError, match=path.name) as caught:
        load(path)
    return str(caught.value)


def test_truncation_at_each_fiftieth_is_refused(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    for k in range(50):
        refused(tmp_path / "cut.grove", whole[: k * len(whole) // 50])
    refused(tmp_path / "cut.grove", whole[:-1])


@pytest.mark.parametrize("junk", [b"\0", b"more", bytes(5000)])
def test_bytes_after_the_end_are_refused(saved: Path, tmp_path: Path, junk: bytes) -> None:
    refused(tmp_path / "longer.grove", saved.read_bytes() + junk)


def test_a_thousand_random_flips_are_refused(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    rng = np.random.default_rng(0)
    places = rng.integers(len(whole), size=1000)
    # The header decides what is read at all: half of the flips go there.
    places[::2] = rng.integers(8 + struct.unpack("<Q", whole[:8])[0], size=500)
    for place, change in zip(places, rng.integers(1, 256, size=1000), strict=True):
        changed = bytearray(whole)
        changed[place] ^= int(change)
        refused(tmp_path / "flipped.grove", bytes(changed))


def test_every_flip_of_the_length_and_the_seal_is_refused(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    seal = whole.index(b'"seal":"') + 8
    for place in [*range(8), *range(seal - 8, seal + 65)]:
        for bit in range(8):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            refused(tmp_path / "flipped.grove", bytes(changed))


def test_a_seal_of_capital_letters_is_refused(saved: Path, tmp_path: Path) -> None:
    """The same number, but not the same bytes."""
    whole = saved.read_bytes()
    seal = whole.index(b'"seal":"') + 8
    refused(tmp_path / "capital.grove", whole[:seal] + whole[seal : seal + 64].upper() + whole[seal + 64 :])


def test_a_newer_version_is_refused_with_advice(model: HierarchicalLDA, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "newer.grove"
    monkeypatch.setattr(models, "VERSION", models.VERSION + 1)
    model.save(path)
    monkeypatch.undo()
    message = refused(path, path.read_bytes())
    assert f"version {models.VERSION + 1}" in message
    assert f"up to {models.VERSION}" in message
    assert "update" in message


@pytest.mark.parametrize("version", ["", "zero", "-1", "1.5", "0"])
def test_no_version_is_refused(saved: Path, tmp_path: Path, version: str) -> None:
    """The seal is valid, but the version never existed."""
    path = tmp_path / "odd.grove"
    write_sealed(path, models.KIND, version, {}, {})  # type: ignore[arg-type]
    refused(path, path.read_bytes())


def test_a_checkpoint_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "other.grove"
    write_sealed(path, "topicgrove checkpoint", 1, {}, {"a": np.zeros(3)})
    assert "no topicgrove model" in refused(path, path.read_bytes())


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.trace,)


def other_files(trace: Path) -> dict[str, bytes]:
    objects, zipped, arrays = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(objects, a=np.array([Bomb(trace)], object))
    np.save(arrays, np.array([Bomb(trace)], object), allow_pickle=True)
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("../model.grove", b"x" * 1000)
    return {
        "pickle": pickle.dumps(Bomb(trace)),
        "old pickle": pickle.dumps(Bomb(trace), protocol=0),
        "npz": objects.getvalue(),
        "npy": arrays.getvalue(),
        "zip": zipped.getvalue(),
        "safetensors": safetensors.numpy.save({"a": np.arange(5)}, {"kind": "something else"}),
        "safetensors without metadata": safetensors.numpy.save({"a": np.arange(5)}),
        "empty": b"",
        "text": b"tree of topics\n" * 100,
        "json": json.dumps({"__metadata__": {"kind": models.KIND}}).encode(),
        "zeros": bytes(4096),
        "ones": b"\xff" * 4096,
    }


@pytest.mark.parametrize("name", list(other_files(Path())))
def test_other_files_are_refused_and_no_code_runs(tmp_path: Path, name: str) -> None:
    trace = tmp_path / "trace"
    refused(tmp_path / "other.grove", other_files(trace)[name])
    assert not trace.exists()


def with_header(header: bytes, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(header)) + header + data


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"[1, 2, 3]",
        b"null",
        b'"text"',
        b'{"__metadata__": 3}',
        b'{"__metadata__": null}',
        b'{"__metadata__": {"kind": 5}}',
        b'{"__metadata__": {"kind": "topicgrove model"}}',
        b'{"__metadata__": {"kind": "topicgrove model", "version": 1}}',
        b'{"__metadata__": {"kind": "topicgrove model", "version": "1", "seal": "x"}}',
        b'{"__metadata__":{"kind":"topicgrove model","version":"1","seal":"x"}}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\xff\xfe" * 50,
        b'{"__metadata__":{"kind":"topicgrove model","version":"' + b"9" * 5000 + b'"}}',
    ],
    ids=lambda header: header[:60].decode("latin1"),
)
def test_odd_headers_are_refused(tmp_path: Path, header: bytes) -> None:
    refused(tmp_path / "odd.grove", with_header(header))


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 2**40, 2**31, 101 * 2**20])
def test_a_huge_header_is_refused_before_it_is_read(saved: Path, tmp_path: Path, length: int) -> None:
    refused(tmp_path / "huge.grove", struct.pack("<Q", length) + saved.read_bytes()[8:])


def sealed_by_hand(path: Path, arrays_header: dict[str, Any], data: bytes, facts: str = "{}") -> None:
    """Make a file with a valid seal and any header, as only an attacker would."""
    metadata = {"kind": models.KIND, "version": "1", "facts": facts, "seal": sealed.NO_SEAL}
    header = json.dumps({"__metadata__": metadata} | arrays_header, separators=(",", ":")).encode()
    path.write_bytes(with_header(header, data))
    with open(path, "r+b") as file:
        place = sealed._place_of_seal(header)
        seal = sealed._digest(file, place)
        file.seek(place)
        file.write(seal.encode())


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "I64", "shape": [2**40], "data_offsets": [0, 8 * 2**40]},
        {"dtype": "I64", "shape": [2**40], "data_offsets": [0, 8]},
        {"dtype": "I64", "shape": [2**32, 2**32], "data_offsets": [0, 8]},
        {"dtype": "I64", "shape": [-1], "data_offsets": [0, 8]},
        {"dtype": "I64", "shape": [1], "data_offsets": [8, 0]},
        {"dtype": "O", "shape": [1], "data_offsets": [0, 8]},
    ],
    ids=str,
)
def test_declared_shapes_that_are_not_there_are_refused(tmp_path: Path, entry: dict[str, Any]) -> None:
    path = tmp_path / "shapes.grove"
    sealed_by_hand(path, {"tree.parent": entry}, bytes(8))
    assert "cannot" not in refused(path, path.read_bytes())


ODD_NUMBERS = [f'{{"parameters": {{}}, "n_words": {value}}}' for value in ("NaN", "-Infinity", "1e999", '"\\ud800"')]


@pytest.mark.parametrize("facts", ["[" * 100_000, "[]", "3", "null", "no JSON", ""] + ODD_NUMBERS)
def test_facts_that_are_none_are_refused(tmp_path: Path, facts: str) -> None:
    sealed_by_hand(tmp_path / "deep.grove", {}, b"", facts)
    refused(tmp_path / "deep.grove", (tmp_path / "deep.grove").read_bytes())
