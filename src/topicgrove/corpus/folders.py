"""Read documents from a folder: every .txt file below it, or every .text and .md file if there is no .txt."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TypeVar

from topicgrove.corpus.documents import Blocks, Documents, Fields, storable_name
from topicgrove.corpus.textfiles import DOCUMENT_MAX_BYTES, FilePath, open_lines
from topicgrove.corpus.textlines import decoded

BLOCK_BYTES = 2**20
BLOCK_FILES = 1024
_SHOWN_ENDINGS = 5

Entry = TypeVar("Entry")


def text_folder(path: FilePath, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a folder in the order of their paths in it, which are their ids.

    Links to folders are not followed; files linked from outside the folder are refused.
    """
    folder = _Folder(Path(path), max_bytes)
    files: list[Path] = []
    n_bytes = 0
    everything = text_files(folder.root)
    for number, file in enumerate(everything, start=1):
        files.append(file)
        n_bytes += file.stat().st_size
        if n_bytes >= BLOCK_BYTES or len(files) == BLOCK_FILES:
            yield partial(_read_files, folder, files, number / len(everything), fields)
            files, n_bytes = [], 0
    if files:
        yield partial(_read_files, folder, files, 1.0, fields)


class _Folder:
    """A folder that many threads read, and the bytes of text still allowed."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        self.root = root
        self._max_bytes = max_bytes
        self._left = max_bytes
        self._lock = Lock()

    def read(self, file: Path) -> bytes:
        """Return a file's bytes, decompressed, and count them."""
        with open_lines(file, self._max_bytes) as lines:
            data = lines.rest(DOCUMENT_MAX_BYTES)
        with self._lock:
            self._left -= len(data)
            if self._left < 0:
                raise ValueError(f"{self.root}: more than max_bytes={self._max_bytes} bytes of text")
        return data


def text_files(root: Path) -> list[Path]:
    """Return the files below a folder that are documents, sorted by path.

    If there are none, ValueError lists others.
    """
    inside = root.resolve()
    found: list[Path] = []
    for folder, folders, names in os.walk(root, onerror=_raise):
        for name in (*folders, *names):
            entry = Path(folder, name)
            # Not resolve(), which raises RuntimeError if a link leads to itself.
            if entry.is_symlink() and not Path(os.path.realpath(entry)).is_relative_to(inside):
                raise ValueError(f"{entry}: a link that leads out of the folder {root}")
        found += [Path(folder, name) for name in names]
    texts = documents_among(found, lambda file: file.name, str(root))
    return sorted(texts, key=lambda file: file.relative_to(root).parts)


def documents_among(files: Collection[Entry], name_of: Callable[[Entry], str], place: str) -> list[Entry]:
    """Return those files whose names end like documents.

    >>> documents_among(["a.txt", "readme.md"], str, "here"), documents_among(["a.md", "b.text", "c.py"], str, "here")
    (['a.txt'], ['a.md', 'b.text'])
    """
    for suffixes in ((".txt",), (".text", ".md")):
        if texts := [file for file in files if name_of(file).endswith(suffixes)]:
            return texts
    if not files:
        return []
    ends = Counter(PurePosixPath(name_of(file)).suffix or "no ending" for file in files)
    shown = [f"{end!r:.20} ({n})" for end, n in ends.most_common(_SHOWN_ENDINGS)]
    more = ["others"] if len(ends) > len(shown) else []
    raise ValueError(
        f"{place}: no documents: of a folder, files that end in .txt (or .text or .md) are read; "
        f"there are {', '.join(shown + more)}"
    )


def _raise(error: OSError) -> None:
    raise error


def _read_files(folder: _Folder, files: list[Path], share: float, fields: Fields) -> Documents:
    documents = Documents(share=share)
    for file in files:
        data = folder.read(file)
        documents.n_bytes += len(data)
        add_file(documents, data, os.fspath(file), file.relative_to(folder.root).parts, fields)
    return documents


def add_file(documents: Documents, data: bytes, place: str, parts: Sequence[str], fields: Fields) -> None:
    """Append the document of a file, whose path in the source has these parts; messages call it ``place``."""
    name, folder = (storable_name("/".join(part)) for part in (parts, parts[:-1]))
    documents.add_text(_decoded(data, place, fields), fields, partial(str, place), name, folder)


def _decoded(data: bytes, place: str, fields: Fields) -> str:
    try:
        return data.decode("utf-8", fields.encoding_errors).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        begin = data.rfind(b"\n", 0, error.start) + 1
        return decoded(data[begin:], place, line, fields)
