"""Seeded damage to files: to their bytes, lines and numbers, and to their compression."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable

import zstandard

from .mutations import Random

Damage = Callable[[Random, bytes], bytes]

NUMBERS = [b"0", b"-1", b"1", b"2", b"00", b"1.0", b"1.5", b"1e3", b"1e400", b"nan", b"inf", b"65536", b"2147483647",
           b"2147483648", b"4294967296", b"9223372036854775807", b"99999999999999999999", b"", b"0x10", b"1_0",
           b"\xd9\xa1"]  # fmt: skip
PIECES = [b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n\n", b"\t", b" ", b'"', b"'",
          b",", b":", b"{", b"}", b"[", b"\\", b"\\u0000", b"\\ud800", b"%", b"#", b"null", b"\xe2\x80\xa8", b"\x0c",
          b"\x1b[31m", b"\xc2\xa0", b"-", b"<script>"]  # fmt: skip
_NUMBER = re.compile(rb"\d+")
_FIELD = re.compile(rb"[^\s,:]+")


def choose(rng: Random, values: list[bytes]) -> bytes:
    """Draw one of some values."""
    return values[rng.integers(len(values))]


def damaged(rng: Random, data: bytes) -> bytes:
    """Damage bytes in up to three ways, and sometimes not at all."""
    for _ in range(rng.choice(4, p=[0.1, 0.55, 0.2, 0.15])):
        data = DAMAGES[rng.integers(len(DAMAGES))](rng, data)
    return data


def packed(rng: Random, data: bytes) -> tuple[str, bytes]:
    """The suffix and the bytes of a file: as they are, or compressed, and then perhaps damaged, repeated or a bomb."""
    if rng.random() < 0.7:
        return "", data
    suffix, compress = ((".gz", gzip.compress), (".zst", zstandard.compress))[rng.integers(2)]
    stream = compress(data)
    kind = rng.choice(["whole", "cut", "bytes", "frames", "tail", "bomb"], p=[0.4, 0.15, 0.2, 0.12, 0.12, 0.01])
    if kind == "cut":
        stream = cut(rng, stream)
    elif kind == "bytes":
        stream = flip(rng, stream)
    elif kind == "frames":
        place = int(rng.integers(len(data) + 1))
        stream = compress(data[:place]) + compress(b"") + compress(data[place:])
    elif kind == "tail":
        stream += rng.bytes(int(rng.integers(1, 20)))
    elif kind == "bomb":
        stream += compress(bytes([rng.choice([0, 10, 32, 97])]) * (90 * 2**20))
    return suffix, stream


def _span(rng: Random, pattern: re.Pattern[bytes], data: bytes) -> tuple[int, int]:
    """Find a match, often near the beginning of the file; without matches, return a random place."""
    found = [match.span() for match in pattern.finditer(data)]
    if not found:
        return (place := int(rng.integers(len(data) + 1))), place
    return found[rng.integers(min(len(found), 4) if rng.random() < 0.3 else len(found))]


def number(rng: Random, data: bytes) -> bytes:
    """Change a number."""
    begin, end = _span(rng, _NUMBER, data)
    old = int(data[begin:end] or b"0") if end - begin < 19 else 0
    near = [str(value).encode() for value in (old + 1, old - 1, 10 * old, -old)]
    return data[:begin] + choose(rng, near if rng.random() < 0.4 else NUMBERS) + data[end:]


def insert(rng: Random, data: bytes) -> bytes:
    """Insert something at a random place, or at either end."""
    place = int(rng.choice([0, len(data), rng.integers(len(data) + 1)], p=[0.2, 0.1, 0.7]))
    return data[:place] + choose(rng, PIECES) + data[place:]


def flip(rng: Random, data: bytes) -> bytes:
    """Change some bytes."""
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 4)) if data else 0):
        changed[rng.integers(len(changed))] = rng.integers(256)
    return bytes(changed)


def cut(rng: Random, data: bytes) -> bytes:
    """Cut off the end, or the beginning."""
    place = int(rng.integers(len(data) + 1))
    return data[:place] if rng.random() < 0.8 else data[place:]


def lines(rng: Random, data: bytes) -> bytes:
    """Delete, repeat, swap or empty lines."""
    parts = data.split(b"\n")
    a, b = (int(i) for i in rng.integers(len(parts), size=2))
    if rng.random() < 0.4:
        a = int(rng.integers(min(4, len(parts))))
    kind = rng.integers(5)
    if kind == 0:
        del parts[a]
    elif kind == 1:
        parts.insert(b, parts[a])
    elif kind == 2:
        parts[a], parts[b] = parts[b], parts[a]
    elif kind == 3:
        parts[a] = b""
    else:
        parts[a] += b" " + parts[b]
    return b"\n".join(parts)


def fields(rng: Random, data: bytes) -> bytes:
    """Delete, repeat or replace a field, or put in one that is very long."""
    begin, end = _span(rng, _FIELD, data)
    field = data[begin:end]
    new = [b"", field + b" " + field, field + b"," + field, b"word" * 20_000, b"7" * 400, field[::-1]]
    return data[:begin] + choose(rng, new) + data[end:]


def newlines(rng: Random, data: bytes) -> bytes:
    """Use other line ends, a byte-order mark, or another encoding."""
    kinds: list[Callable[[], bytes]] = [
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: data.replace(b"\n", b"\r"),
        lambda: b"\xef\xbb\xbf" + data,
        lambda: data.decode("utf-8", "replace").encode("utf-16"),
        lambda: data + b"\n" * 50,
        lambda: data.rstrip(b"\n"),
    ]
    return kinds[rng.integers(len(kinds))]()


DAMAGES: list[Damage] = [number, number, number, insert, insert, lines, lines, fields, fields, flip, cut, newlines]
