"""A safetensors file with a seal: facts in JSON, arrays, and a SHA-256 over every byte.

It is an ordinary safetensors file. Its metadata hold the kind of file, the format's version, the facts, and the seal:
the digest of the whole file with 64 zeros in the place of the digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from topicgrove.persistence.migrations import migrate
from topicgrove.whole_files import FilePath, whole_file

Arrays = dict[str, NDArray[Any]]

NO_SEAL = "0" * 64
MOST_HEADER = 100 * 2**20
"""Most bytes of a header: what safetensors itself accepts."""

CONTRADICTIONS = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError)
"""Exceptions raised for invalid facts or arrays."""

_PIECE = 2**20


class CorruptModelError(ValueError):
    """Raised for a file that is damaged, too new, or no model or checkpoint; the message names the file.

    >>> issubclass(CorruptModelError, ValueError)
    True
    """


class NewerFileError(Exception):
    """Raised for a file with content that only a newer program knows."""


def check_known(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise NewerFileError if a file has an unknown name.

    >>> check_known("parameter", ["n_iter", "depth"], ["n_iter"])
    Traceback (most recent call last):
    topicgrove.persistence.sealed.NewerFileError: it has the parameter 'depth', which this program does not know
    """
    unknown = sorted({*names} - {*known})
    if unknown:
        raise NewerFileError(f"it has the {what} {unknown[0]!r:.80}, which this program does not know")


@contextmanager
def consistent(path: FilePath, what: str) -> Iterator[None]:
    """Let errors about the content of a file with a valid seal name the file."""
    try:
        yield
    except NewerFileError as error:
        raise CorruptModelError(f"{path}: a newer program saved this {what}: {error}; update TopicGrove") from error
    except CONTRADICTIONS as error:
        raise CorruptModelError(f"{path}: the {what} contradicts itself: {error}") from error


class Sealed(NamedTuple):
    """The content of a sealed file."""

    facts: dict[str, Any]
    arrays: Arrays


def write_sealed(path: FilePath, kind: str, version: int, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Write facts and arrays atomically."""
    # safetensors' own writer hides that a disk is full, and its files are not reproducible.
    little_endian = {name: np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for name, a in arrays.items()}
    # The widest numbers first, so that all are aligned.
    ordered = dict(sorted(little_endian.items(), key=lambda item: (-item[1].itemsize, item[0])))
    metadata = {"kind": kind, "version": str(version), "facts": _facts_text(facts), "seal": NO_SEAL}
    header = _header(metadata, ordered)
    pieces: list[Any] = [struct.pack("<Q", len(header)), header]
    pieces += [array.reshape(-1).view(np.uint8) for array in ordered.values()]
    digest = hashlib.sha256()
    with whole_file(path) as unfinished, open(unfinished, "wb") as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        file.seek(_place_of_seal(header))
        file.write(digest.hexdigest().encode())


def _header(metadata: dict[str, str], arrays: Arrays) -> bytes:
    """Return JSON with the arrays' types, shapes and places, padded to whole words."""
    entries: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        dtype = f"{array.dtype.kind.upper()}{8 * array.itemsize}"
        entries[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [begin, end]}
    header = json.dumps(entries, separators=(",", ":")).encode()
    return header.ljust(-(-len(header) // 8) * 8)


def read_sealed(path: FilePath, kind: str, version: int) -> Sealed:
    """Read a file of this kind, up to this version: check its seal, and migrate older versions."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a directory; a {kind} is one file")
    with open(path, "rb") as file:
        metadata = _metadata(file, path, kind)
        _check_version(metadata.get("version"), path, kind, version)
        place = _place_of_seal(_read_header(file, path))
        if place < 0 or _digest(file, place) != metadata.get("seal"):
            raise CorruptModelError(f"{path}: damaged, its checksum does not fit")
        try:
            sealed = Sealed(_facts(metadata["facts"]), safetensors.numpy.load_file(path))
            migrate(kind, int(metadata["version"]), *sealed)
        except (*CONTRADICTIONS, safetensors.SafetensorError) as error:
            raise CorruptModelError(f"{path}: not a {kind} that can be read: {error}") from error
        with open(path, "rb") as again:
            if os.path.sameopenfile(file.fileno(), again.fileno()):
                return sealed
    # Another file has replaced it meanwhile, and the arrays may belong to that one.
    return read_sealed(path, kind, version)


def _facts_text(facts: Mapping[str, Any]) -> str:
    """Return facts as JSON, without NaN, infinities and lone surrogates."""
    json.dumps(facts, ensure_ascii=False).encode()
    return json.dumps(facts, allow_nan=False)


def _facts(text: str) -> dict[str, Any]:
    """Read facts written by `_facts_text`."""
    facts = json.loads(text)
    if not isinstance(facts, dict):
        raise ValueError("its facts are no JSON object")
    _facts_text(facts)
    return facts


def _check_version(found: object, path: Path, kind: str, known: int) -> None:
    if not isinstance(found, str) or not re.fullmatch("[1-9][0-9]{0,8}", found):
        raise CorruptModelError(f"{path}: no {kind}, or a damaged one: it has the format version {found!r:.20}")
    if int(found) > known:
        raise CorruptModelError(
            f"{path}: the {kind} has format version {found}, and this program knows up to {known}; update it"
        )


def _metadata(file: Any, path: Path, kind: str) -> dict[str, str]:
    try:
        metadata: dict[str, str] = json.loads(_read_header(file, path)).get("__metadata__", {})
        ours = metadata.get("kind") == kind
    except (UnicodeDecodeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, CorruptModelError):
            raise
        raise CorruptModelError(f"{path}: no {kind}, or a damaged one") from error
    if not ours:
        raise CorruptModelError(f"{path}: this is no {kind}")
    return metadata


def _read_header(file: Any, path: Path) -> bytes:
    """Read the header of a safetensors file: its length in 8 bytes, then JSON."""
    file.seek(0)
    start = file.read(8)
    size = os.fstat(file.fileno()).st_size
    length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
    if not 2 <= length <= min(size - 8, MOST_HEADER):
        raise CorruptModelError(f"{path}: no file of TopicGrove's, or cut short")
    header: bytes = file.read(length)
    return header


def _place_of_seal(header: bytes) -> int:
    """Return the position of the seal, or -1; it is unique, as quotes inside facts are escaped."""
    mark = b'"seal":"'
    return header.index(mark) + len(mark) + 8 if header.count(mark) == 1 else -1


def _digest(file: Any, place: int) -> str:
    """Return the SHA-256 of the file, with zeros in place of the seal."""
    digest = hashlib.sha256()
    file.seek(0)
    digest.update(file.read(place))
    digest.update(NO_SEAL.encode())
    file.seek(len(NO_SEAL), os.SEEK_CUR)
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def take(arrays: Arrays, name: str, dtype: type[np.generic], *shape: int | None) -> NDArray[Any]:
    """Return the array of that name, after checking type and shape; None stands for any length.

    >>> take({"leaf": np.zeros(3)}, "leaf", np.float64, 4)
    Traceback (most recent call last):
    ValueError: leaf is an array of float64 of shape (3,); it must be one of float64 of shape (4,)
    """
    array = arrays[name]
    fits = len(array.shape) == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    if array.dtype != dtype or not fits:
        expected = f"{np.dtype(dtype)} of shape {shape}"
        raise ValueError(f"{name} is an array of {array.dtype} of shape {array.shape}; it must be one of {expected}")
    return array


def text_arrays(name: str, texts: Any) -> Arrays:
    """Convert texts to two arrays: their bytes, and the end of each.

    >>> {name: a.tolist() for name, a in text_arrays("ids", ["a", "bc"]).items()}
    {'ids': [97, 98, 99], 'ids.ends': [1, 3]}
    """
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name}.ends": ends}


def texts_of(name: str, arrays: Arrays) -> tuple[str, ...] | None:
    """Read texts from arrays; None if there are none of that name."""
    if name not in arrays:
        return None
    data = take(arrays, name, np.uint8, None).tobytes()
    ends = take(arrays, f"{name}.ends", np.int64, None).tolist()
    if (ends[-1] if ends else 0) != len(data) or any(a > b for a, b in zip([0, *ends], ends, strict=False)):
        raise ValueError(f"{name}: the ends of texts don't fit their bytes")
    return tuple(data[begin:end].decode() for begin, end in zip([0, *ends], ends, strict=False))
