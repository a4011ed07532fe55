"""Sealed files with something in them changed, and a seal that fits again."""

from __future__ import annotations

import hashlib
import json
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

from topicgrove.persistence.sealed import NO_SEAL, read_sealed, write_sealed

from .damage import damaged
from .mutations import Random, mutate_array, mutate_fact

Change = Callable[[Random, bytes, str, int], tuple[str, bytes]]


def with_changed_content(rng: Random, data: bytes, kind: str, version: int) -> tuple[str, bytes]:
    """Change one or two of its facts and arrays, or take one out."""
    what = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sealed")
        path.write_bytes(data)
        facts, arrays = read_sealed(path, kind, version)
        for _ in range(rng.choice([1, 2], p=[0.8, 0.2])):
            name = sorted(arrays)[rng.integers(len(arrays))]
            choice = rng.random()
            if choice < 0.35 and isinstance(facts, dict):
                mutation = mutate_fact(rng, facts)
                facts = mutation.value
                what.append(mutation.what)
            elif choice < 0.4 and len(arrays) > 1:
                del arrays[name]
                what.append(f"no {name}")
            else:
                change = mutate_array(rng, arrays[name])
                arrays[name] = change.value
                what.append(f"{name}: {change.what}")
        write_sealed(path, kind, version, facts, arrays)
        return "; ".join(what), path.read_bytes()


def with_changed_header(rng: Random, data: bytes, kind: str, version: int) -> tuple[str, bytes]:
    """Change what the header says of the arrays: types, shapes and places."""
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__") | {"seal": NO_SEAL}
    mutation = mutate_fact(rng, header)
    entries = {"__metadata__": metadata} | (mutation.value if isinstance(mutation.value, dict) else {"x": 0})
    changed = json.dumps(entries, separators=(",", ":")).encode()
    changed = changed.ljust(-(-len(changed) // 8) * 8)
    return mutation.what, _sealed(struct.pack("<Q", len(changed)) + changed + data[8 + length :])


def with_damage(rng: Random, data: bytes, kind: str, version: int) -> tuple[str, bytes]:
    """Damage its bytes; the seal is that of the file before."""
    return "damaged", damaged(rng, data)


def _sealed(data: bytes) -> bytes:
    """Put the seal where there are 64 zeros."""
    mark = b'"seal":"' + NO_SEAL.encode()
    place = data.index(mark) + len(mark) - len(NO_SEAL)
    return data[:place] + hashlib.sha256(data).hexdigest().encode() + data[place + len(NO_SEAL) :]


CHANGES: dict[str, Change] = {
    "content": with_changed_content,
    "header": with_changed_header,
    "raw": with_damage,
}
