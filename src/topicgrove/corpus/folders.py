"""Documents out of a folder: every .txt file below it is one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.textfiles import FilePath, open_lines
from topicgrove.corpus.textlines import decoded

_BLOCK_BYTES = 2**20
_BLOCK_FILES = 1024


def text_folder(path: FilePath, fields: Fields, max_bytes: int) -> Blocks:
    """The documents of a folder, in the order of their paths inside it, which are their ids.

    Links to folders are not followed; links that lead out of the folder are refused.
    """
    root = Path(path)
    files: list[Path] = []
    n_bytes = total = 0
    for file in text_files(root):
        size = file.stat().st_size
        total += size
        if total > max_bytes:
            raise ValueError(f"{root}: more than max_bytes={max_bytes} bytes of text")
        files.append(file)
        n_bytes += size
        if n_bytes >= _BLOCK_BYTES or len(files) == _BLOCK_FILES:
            yield partial(_read_files, root, files, fields, max_bytes)
            files, n_bytes = [], 0
    if files:
        yield partial(_read_files, root, files, fields, max_bytes)


def text_files(root: Path) -> Iterator[Path]:
    """The .txt files below a folder, sorted by their paths."""
    inside = root.resolve()
    found = []
    for folder, folders, names in os.walk(root, onerror=_raise):
        for name in (*folders, *names):
            entry = Path(folder, name)
            # Not resolve(), which raises RuntimeError if a link leads to itself.
            if entry.is_symlink() and not Path(os.path.realpath(entry)).is_relative_to(inside):
                raise ValueError(f"{entry}: a link that leads out of the folder {root}")
        found += [Path(folder, name) for name in names if name.endswith(".txt")]
    yield from sorted(found, key=lambda file: file.relative_to(root).parts)


def _raise(error: OSError) -> None:
    raise error


def _read_files(root: Path, files: list[Path], fields: Fields, max_bytes: int) -> Documents:
    documents = Documents()
    for file in files:
        with open_lines(file, max_bytes) as lines:
            data = lines.rest()
        documents.n_bytes += len(data)
        text = _decoded(data, file, fields)
        documents.add_text(text, fields, partial(str, file), file.relative_to(root).as_posix())
    return documents


def _decoded(data: bytes, file: Path, fields: Fields) -> str:
    try:
        return data.decode("utf-8", fields.encoding_errors).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        begin = data.rfind(b"\n", 0, error.start) + 1
        return decoded(data[begin:], os.fspath(file), line, fields)
