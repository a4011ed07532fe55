"""The corpus store: a folder of raw arrays that are mapped into memory, with checksums in a manifest.

``words.bin`` and ``offsets.bin`` are the arrays of a corpus, ``vocabulary.json`` its words; ids, titles and classes
(``labels``) are columns of texts, each a file of UTF-8 and one of offsets. ``manifest.json`` is written last.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from topicgrove.corpus.columns import TextColumn
from topicgrove.corpus.documents import ClassPath
from topicgrove.corpus.dropped import read_dropped
from topicgrove.corpus.formats import MANIFEST
from topicgrove.corpus.invariants import check_offsets
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.textfiles import FilePath
from topicgrove.corpus.tokens import Corpus

FORMAT = "topicgrove-corpus"
VERSION = 1
WORDS, OFFSETS, VOCABULARY = "words.bin", "offsets.bin", "vocabulary.json"
COLUMNS = ("ids", "titles", "labels")
_PIECE_BYTES = 2**20
_MANIFEST_MAX_BYTES = 2**26


class CorruptStoreError(ValueError):
    """Raised for a store that is damaged, incomplete, too new, or no corpus store; the message names the file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "manifest.json").write_text("{}")
    ...     open_store(folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    topicgrove.corpus.store.CorruptStoreError: .../manifest.json: this is no corpus store of TopicGrove
    """


def read_store(path: FilePath, *, max_bytes: int) -> Corpus:
    """Open a corpus store as any other file of counts."""
    return open_store(path)


def open_store(path: FilePath, *, verify: bool = True) -> Corpus:
    """Open a corpus store; its arrays are mapped, not copied.

    Parameters
    ----------
    path : str or path-like
        The folder that `Corpus.save` or `build_store` made.
    verify : bool, default=True
        Read everything once and compare it with the checksums. Otherwise only the sizes of files are checked.

    Returns
    -------
    Corpus

    Raises
    ------
    CorruptStoreError
        If a file is missing, damaged, or of a newer version of the format.
    OSError
        If the folder cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     Corpus.from_documents([[0, 2], [1]]).save(f"{folder}/store")
    ...     open_store(f"{folder}/store")
    Corpus(n_docs=2, n_tokens=3, n_words=3)
    """
    root = Path(path)
    manifest = read_manifest(root)
    try:
        files = {WORDS: None, OFFSETS: None} | manifest["files"]
        for name, file in files.items():
            _check_file(root / Path(name).name, file, verify)
        return _mapped_corpus(root, manifest, verify)
    except CorruptStoreError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise CorruptStoreError(f"{root / MANIFEST}: the store contradicts its manifest: {error!r}") from error


def read_manifest(root: Path) -> dict[str, Any]:
    """Read the manifest of a store, if it is undamaged and of a known version."""
    path = root / MANIFEST
    if path.stat().st_size > _MANIFEST_MAX_BYTES:
        raise CorruptStoreError(f"{path}: larger than any manifest")
    try:
        manifest = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise CorruptStoreError(f"{path}: no JSON, so this is no corpus store or a damaged one: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CorruptStoreError(f"{path}: this is no corpus store of TopicGrove")
    version = manifest.get("version")
    if not isinstance(version, int) or version < 1:
        raise CorruptStoreError(f"{path}: version {version!r} is no version of the format")
    if version > VERSION:
        raise CorruptStoreError(
            f"{path}: the store has version {version}, this program knows up to {VERSION}; update it"
        )
    if manifest.pop("sha256", None) != manifest_digest(manifest):
        raise CorruptStoreError(f"{path}: damaged, its checksum does not fit")
    return manifest


def manifest_digest(manifest: dict[str, Any]) -> str:
    """Return the checksum of a manifest, which it contains itself."""
    return hashlib.sha256(orjson.dumps(manifest, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _check_file(path: Path, file: dict[str, Any], verify: bool) -> None:
    try:
        status = path.stat()
    except FileNotFoundError:
        raise CorruptStoreError(f"{path}: missing from the store") from None
    if not stat.S_ISREG(status.st_mode):
        raise CorruptStoreError(f"{path}: no ordinary file")
    size = status.st_size
    if size != file["bytes"]:
        raise CorruptStoreError(f"{path}: {size} bytes; the manifest says {file['bytes']}")
    if verify and _digest(path) != file["sha256"]:
        raise CorruptStoreError(f"{path}: damaged, its checksum does not fit")


def _digest(path: Path) -> str:
    # Read it instead of mapping it: mapped pages would count as this process's memory.
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def _mapped_corpus(root: Path, manifest: dict[str, Any], verify: bool) -> Corpus:
    files = manifest["files"]
    vocabulary = None
    if VOCABULARY in files:
        vocabulary = _tuple_of_texts(VOCABULARY, orjson.loads((root / VOCABULARY).read_bytes()))
    rules = manifest["rules"]
    columns = {name: _column(root, name, verify) for name in COLUMNS if f"{name}.bin" in files}
    classes = columns.pop("labels", None)
    values: dict[str, Any] = {
        "words": _mapped(root / WORDS, np.dtype(np.int32)),
        "offsets": _mapped(root / OFFSETS, np.dtype(np.int64)),
        "n_words": _whole("n_words", manifest["n_words"], 1),
        "vocabulary": vocabulary,
        "rules": None if rules is None else TextRules.from_dict(rules),
        "dropped": read_dropped(manifest.get("dropped")),
        "n_unknown_words": _whole("n_unknown_words", manifest["n_unknown_words"], 0),
        "classes": None if classes is None else _classes(classes),
        **columns,
    }
    if verify:
        corpus = Corpus(**values)
    else:
        check_offsets(values["offsets"], len(values["words"]))
        corpus = Corpus._unchecked(**values)
    if (corpus.n_docs, corpus.n_tokens) != (manifest["n_docs"], manifest["n_tokens"]):
        raise ValueError(f"{corpus} is not what the manifest says")
    return corpus


def _mapped(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    if os.path.getsize(path) == 0:
        return np.zeros(0, dtype)
    # Copy-on-write, though never written to: Numba would compile kernels again for read-only arrays.
    return np.asarray(np.memmap(path, dtype, mode="c"))


def _whole(name: str, value: Any, least: int) -> int:
    if type(value) is not int or value < least:
        raise ValueError(f"{name} must be a whole number from {least}; got {value!r:.80}")
    return value


def _column(root: Path, name: str, verify: bool) -> TextColumn:
    data = _mapped(root / f"{name}.bin", np.dtype(np.uint8))
    offsets = _mapped(root / f"{name}.offsets.bin", np.dtype(np.int64))
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(data) or np.any(offsets[1:] < offsets[:-1]):
        raise CorruptStoreError(f"{root / name}.offsets.bin: the offsets do not fit {name}.bin")
    if verify:
        _check_utf8(data, offsets)
    return TextColumn(data, offsets)


def _check_utf8(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
    """Check that texts are UTF-8 and that none begins inside a character."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for first in range(0, len(data), _PIECE_BYTES):
        decoder.decode(data[first : first + _PIECE_BYTES].tobytes())
    decoder.decode(b"", final=True)
    begins = offsets[offsets < len(data)]
    if np.any(data[begins] & 0xC0 == 0x80):
        raise ValueError("a text begins inside of a character")


def _classes(column: TextColumn) -> tuple[ClassPath, ...]:
    path_of: dict[str, ClassPath] = {}
    return tuple(path_of.setdefault(text, _tuple_of_texts("labels", orjson.loads(text))) for text in column)


def _tuple_of_texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{name} must be a list of texts; got {value!r:.80}")
    return tuple(value)
