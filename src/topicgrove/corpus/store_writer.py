"""Write a corpus store piece by piece to a temporary folder, which takes the store's name once complete."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from topicgrove.corpus.documents import storable_name
from topicgrove.corpus.dropped import Dropped
from topicgrove.corpus.formats import MANIFEST
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.store import (
    COLUMNS,
    FORMAT,
    OFFSETS,
    VERSION,
    VOCABULARY,
    WORDS,
    manifest_digest,
)
from topicgrove.corpus.textfiles import FilePath
from topicgrove.corpus.tokens import Corpus
from topicgrove.whole_files import give_mode_and_owner, sync, take_name, temporary_prefix, usual_mode

_PIECE = 2**20


class StoreWriter:
    """A writer of a store to a temporary folder. `finish` gives it its name; without that, nothing is left."""

    def __init__(self, path: FilePath, *, overwrite: bool = False) -> None:
        # Keep a link, and make or replace the folder that it leads to.
        self._path = Path(os.path.realpath(path) if os.path.islink(path) else path)
        self._overwrite = overwrite
        self._check_free()
        self.folder = Path(tempfile.mkdtemp(".tmp", temporary_prefix(self._path), self._path.parent))
        self._files: dict[str, HashedFile] = {}
        self._ends: dict[str, int] = {}

    def __enter__(self) -> StoreWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            file.abandon()
        shutil.rmtree(self.folder, ignore_errors=True)

    def add_words(self, words: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
        """Append documents."""
        self._write(WORDS, words.astype("<i4", copy=False).data)
        self._add_offsets(OFFSETS, lengths)

    def add_column(self, name: str, entries: Iterable[Any]) -> None:
        """Append the ids, titles or classes (``labels``) of documents."""
        if name == "labels":
            encoded = [orjson.dumps(path) for path in entries]
        else:
            encoded = [entry.encode() for entry in entries]
        self._write(f"{name}.bin", b"".join(encoded))
        self._add_offsets(f"{name}.offsets.bin", np.fromiter(map(len, encoded), np.int64, len(encoded)))

    def finish(
        self,
        *,
        n_words: int,
        vocabulary: tuple[str, ...] | None,
        rules: TextRules | None,
        n_unknown_words: int = 0,
        source: str | None = None,
        dropped: tuple[Dropped, ...] | None = None,
    ) -> None:
        """Write the manifest, and give the store its name."""
        if vocabulary is not None:
            self._write(VOCABULARY, orjson.dumps(vocabulary))
        for file in self._files.values():
            file.close()
        files: dict[str, Any] = {
            name: {"bytes": file.n_bytes, "sha256": file.hexdigest()} for name, file in self._files.items()
        }
        manifest: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "n_docs": files[OFFSETS]["bytes"] // 8 - 1,
            "n_tokens": files[WORDS]["bytes"] // 4,
            "n_words": n_words,
            "n_unknown_words": n_unknown_words,
            "dtypes": {WORDS: "<i4", OFFSETS: "<i8"},
            "rules": None if rules is None else rules.to_dict(),
            "dropped": None if dropped is None else [list(row) for row in dropped],
            "source": None if source is None else storable_name(source),
            "files": files,
        }
        manifest["sha256"] = manifest_digest(orjson.loads(orjson.dumps(manifest)))
        file = HashedFile(self.folder / MANIFEST)
        file.write(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
        file.close()
        sync(self.folder)
        give_mode_and_owner(self.folder, self._path, usual_mode(0o777))
        self._take_name()

    def _write(self, name: str, data: Any) -> None:
        if name not in self._files:
            self._files[name] = HashedFile(self.folder / name)
        self._files[name].write(data)

    def _add_offsets(self, name: str, lengths: NDArray[np.int64]) -> None:
        if name not in self._ends:
            self._ends[name] = 0
            self._write(name, np.zeros(1, "<i8").data)
        ends = np.cumsum(lengths, dtype=np.int64) + self._ends[name]
        if len(ends):
            self._ends[name] = int(ends[-1])
        self._write(name, ends.astype("<i8", copy=False).data)

    def _check_free(self) -> None:
        if not os.path.lexists(self._path):
            return
        if self._path.is_dir() and not any(self._path.iterdir()):
            return
        if not (self._path / MANIFEST).is_file():
            raise FileExistsError(f"{self._path}: is there already, and is no corpus store that could be replaced")
        if not self._overwrite:
            raise FileExistsError(f"{self._path}: is there already; overwrite=True would replace it")

    def _take_name(self) -> None:
        self._check_free()
        if (self._path / MANIFEST).is_file():
            # A folder cannot replace another in one step: move the old one aside first.
            aside = self.folder.with_suffix(".old")
            take_name(self._path, aside)
            try:
                take_name(self.folder, self._path)
            except BaseException:
                take_name(aside, self._path)
                raise
            shutil.rmtree(aside)
        else:
            take_name(self.folder, self._path)
        sync(self._path.parent)


class HashedFile:
    """A file that is written sequentially, with its size and checksum."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "xb")  # noqa: SIM115 - closed by the writer of the store
        self._digest = hashlib.sha256()
        self.n_bytes = 0

    def write(self, data: Any) -> None:
        """Append bytes."""
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        self._file.write(view)
        self._digest.update(view)
        self.n_bytes += view.nbytes

    def hexdigest(self) -> str:
        """Return the SHA-256 of what was written."""
        return self._digest.hexdigest()

    def close(self) -> None:
        """Sync the file to disk and close it."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def abandon(self) -> None:
        """Close the file without syncing it."""
        with suppress(OSError):
            self._file.close()


def save_corpus(corpus: Corpus, path: FilePath, *, overwrite: bool, source: str | None = None) -> None:
    """Write a corpus in memory as a store."""
    with StoreWriter(path, overwrite=overwrite) as writer:
        writer.add_words(corpus.words[:0], np.zeros(0, np.int64))
        for first in range(0, corpus.n_docs, _PIECE):
            offsets = corpus.offsets[first : first + _PIECE + 1]
            writer.add_words(corpus.words[offsets[0] : offsets[-1]], np.diff(offsets))
        for name in COLUMNS:
            entries = getattr(corpus, name)
            if entries is not None:
                writer.add_column(name, entries)
        writer.finish(
            n_words=corpus.n_words,
            vocabulary=corpus.vocabulary,
            rules=corpus.rules,
            n_unknown_words=corpus.n_unknown_words,
            dropped=corpus.dropped,
            source=source,
        )
